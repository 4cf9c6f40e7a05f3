"""Figures for dark pages: every colour can be seen there, and is what it was on a light one."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET

import pytest

from lagrangian.plots.style import COLOURS, curve_style
from lagrangian.plots.svg import CONTRAST, INK, PAPER, contrast, dark_colour, theme_svg
from tests.plots.motions import chain, run


def test_contrast_is_that_of_the_guidelines() -> None:
    assert contrast("#000000", "#ffffff") == pytest.approx(21)
    assert contrast("#777777", "#ffffff") == pytest.approx(4.48, abs=0.01)  # the grey that just fails 4.5


def test_black_and_white_are_ink_and_paper() -> None:
    assert (dark_colour("#000000"), dark_colour("#ffffff")) == (INK, PAPER)
    assert 4 < contrast(dark_colour("#666666"), PAPER) < contrast(INK, PAPER)
    assert contrast(dark_colour("#dddddd"), PAPER) < 2  # a grid stays faint


@pytest.mark.parametrize("color", COLOURS)
def test_colours_of_curves_are_seen(color: str) -> None:
    assert contrast(dark_colour(color), PAPER) >= CONTRAST - 0.1


def test_ramps_are_seen_throughout() -> None:
    from matplotlib.colors import to_hex

    assert min(contrast(dark_colour(to_hex(curve_style(k, 30)["color"])), PAPER) for k in range(30)) >= CONTRAST - 0.1


def test_washes_are_dark() -> None:
    assert contrast(dark_colour("#fdebdf"), PAPER) < 2


@pytest.mark.parametrize("figure", ["two_r", "chain"])
def test_a_figure_keeps_its_light_colours(figure: str) -> None:
    svg = (run("two_r").plot() if figure == "two_r" else chain(30).plot("coordinates")).to_svg()
    actual = theme_svg(svg)
    ET.fromstring(actual)  # it is whole
    style = re.search(r"<style>(.*?)</style>", actual)
    assert style
    assert len(actual) < len(svg)
    light, dark = style[1].split("@media")
    light_of, dark_of = (dict(re.findall(r"--lg(\d+):(#\w{6});", part)) for part in (light, dark))
    assert set(light_of) == set(dark_of)
    used = [x.lower() for x in re.findall(r"(?:fill|stroke): (#[0-9a-fA-F]{6})", svg)]
    assert set(used) <= set(light_of.values())
    assert re.findall(r"(?:fill|stroke): #", actual) == []
    # in the order in which they are used, the variables stand for what was there
    assert [light_of[k] for k in re.findall(r"(?:fill|stroke): var\(--lg(\d+)\)", actual)] == used
