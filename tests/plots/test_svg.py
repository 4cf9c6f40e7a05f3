"""Figures in few characters are the same figures."""

from __future__ import annotations

import io
import re
from xml.etree import ElementTree

import numpy as np
import pytest
from matplotlib.figure import Figure

from lagrangian.plots.svg import MAX_STRAIGHT_POINTS, data_url, minify_svg


@pytest.fixture(scope="module")
def figure() -> str:
    picture = Figure(figsize=(9.6, 3))
    axes = picture.add_subplot()
    t = np.linspace(0, 10, 2001)
    axes.plot(t, np.sin(7 * t) * np.exp(-0.2 * t), label="a & b < c")
    axes.plot(t, np.cos(3 * t), "--")
    axes.fill_between(t, 0, np.sin(t), alpha=0.2)
    axes.set_title('"100 %" #1 – ünïcode')
    axes.legend()
    stream = io.BytesIO()
    picture.savefig(stream, format="svg")
    return stream.getvalue().decode("utf-8")


def points(path: str) -> np.ndarray:
    """The points of a path of straight lines, absolute or relative."""
    here, results, command = np.zeros(2), [], "M"
    words = re.findall(r"[MLlz]|-?(?:\d+\.?\d*|\.\d+)", path)
    at = 0
    while at < len(words):
        if words[at] in "MLlz":
            command, at = words[at], at + 1
            continue
        step = np.array([float(words[at]), float(words[at + 1])])
        here = here + step if command == "l" else step
        results.append(here)
        at += 2
    return np.array(results)


def paths(svg: str) -> list[str]:
    return [p.get("d", "") for p in ElementTree.fromstring(svg).iter("{http://www.w3.org/2000/svg}path")]


def test_curves_are_where_they_were(figure: str) -> None:
    short = minify_svg(figure)
    before, after = paths(figure), paths(short)
    assert len(before) == len(after)
    long = 0
    for a, b in zip(before, after, strict=True):
        if "Q" in a or "C" in a or not a:
            continue
        p, q = points(a), points(b)
        long += len(p) > MAX_STRAIGHT_POINTS
        assert np.abs(p - q).max() < (0.051 if len(p) > MAX_STRAIGHT_POINTS else 0.0051)
    assert long >= 3
    assert len(short) < 0.5 * len(figure)


def test_references_lead_somewhere(figure: str) -> None:
    short = minify_svg(figure)
    names = re.findall(r'id="([^"]*)"', short)
    assert len(set(names)) == len(names)
    used = re.findall(r'(?:href="|url\()#([^")]*)', short)
    assert len(used) == len(re.findall(r'(?:href="|url\()#', figure)) > 20
    assert set(used) == set(names)


def test_an_address_can_stand_in_double_quotes(figure: str) -> None:
    from urllib.parse import unquote

    url = data_url(minify_svg(figure))
    assert url.startswith("data:image/svg+xml,<svg")
    assert not set('"#&\n') & set(url)
    assert len(paths(unquote(url.partition(",")[2]))) == len(paths(figure))
