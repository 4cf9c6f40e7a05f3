"""Figures and pages of studies: which panels there are, what they show, and that nothing in them is fetched or executed."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import lagrangian as lg
from lagrangian.plots.study import suitable_kinds
from tests.studies.models import SLIDER, touchy

KEEP = ["end(x)", "peak(qd_x)", "rows(x, 9)"]
OVER: dict[str, dict[str, Any]] = {
    "one axis": {"m": lg.distributions.grid(1, 3, 5)},
    "two axes": {"m": lg.distributions.grid(1, 3, 6), "F": lg.distributions.grid(1, 2, 5)},
    "three axes": {"m": lg.distributions.grid(1, 3, 3), "F": lg.distributions.grid(1, 2, 3), "x": lg.distributions.grid(0, 1, 2)},
    "drawn": {"m": lg.distributions.uniform(1, 3), "x": lg.distributions.normal(0, 1)},
    "both": {"m": lg.distributions.grid(1, 3, 4), "x": lg.distributions.normal(0, 1)},
    "saltelli": {"m": lg.distributions.uniform(1, 3), "x": lg.distributions.normal(0, 1)},
}
KINDS = {
    "one axis": ["curves", "rows"],
    "two axes": ["heat maps", "rows"],
    "three axes": ["scatter", "indices", "rows"],
    "drawn": ["histograms", "scatter", "indices", "rows"],
    "both": ["curves", "rows"],
    "saltelli": ["indices", "histograms", "rows"],
}


@pytest.fixture(scope="module")
def studies(tmp_path_factory: pytest.TempPathFactory) -> dict[str, lg.Study]:
    base = tmp_path_factory.mktemp("studies")

    def run_study(name: str) -> lg.Study:
        drawn = name in ("drawn", "both", "saltelli")
        method = "saltelli" if name == "saltelli" else "auto"
        many = 8 if drawn else None
        return lg.study(SLIDER, OVER[name], None, KEEP, name=name, method=method, samples=many, folder=base / name, workers=1)

    return {name: run_study(name) for name in OVER}


def axes_of(figure: Any) -> list[Any]:
    return [axes for axes in figure.axes if axes.get_label() != "<colorbar>"]


@pytest.mark.parametrize("name", OVER)
def test_plots_that_fit(studies: dict[str, lg.Study], name: str, tmp_path: Path) -> None:
    study = studies[name]
    assert suitable_kinds(study) == KINDS[name]
    figure = study.plot(path=tmp_path / "s.png")
    inputs = len(study.inputs)
    many = {"curves": 2, "heat maps": 2, "histograms": 2, "indices": 2, "scatter": 2 * min(inputs, 3), "rows": 1}
    assert len(axes_of(figure)) == sum(many[kind] for kind in KINDS[name])
    assert (tmp_path / "s.png").stat().st_size > 5000


def test_curves_are_the_results(studies: dict[str, lg.Study]) -> None:
    study = studies["one axis"]
    (axes,) = axes_of(study.plot("curves", outputs="end(x)"))
    line, own = axes.lines
    assert np.array_equal(line.get_xdata(), np.linspace(1, 3, 5))
    assert np.array_equal(line.get_ydata(), study["end(x)"])
    assert list(own.get_xdata()) == [2.0, 2.0]  # the slider's own mass
    assert (axes.get_xlabel(), axes.get_ylabel()) == ("m [kg]", "end(x) [m]")


def test_heat_maps_are_the_results(studies: dict[str, lg.Study]) -> None:
    study = studies["two axes"]
    (axes,) = axes_of(study.plot("heat maps", outputs="end(x)"))
    shown = axes.collections[0].get_array()
    assert np.array_equal(np.asarray(shown).reshape(5, 6), study.grid_array("end(x)").T)


def test_bars_are_the_indices(studies: dict[str, lg.Study]) -> None:
    study = studies["saltelli"]
    (axes,) = axes_of(study.plot("indices", outputs="end(x)"))
    indices = study.indices("end(x)")
    widths = sorted(patch.get_width() for patch in axes.patches)
    assert widths == pytest.approx(sorted([*indices.first, *indices.total]))


def test_plots_that_do_not_fit_are_reported(studies: dict[str, lg.Study], tmp_path: Path) -> None:
    with pytest.raises(lg.ArgumentError, match="heat maps need a grid of 2 inputs; one axis has 1"):
        studies["one axis"].plot("heat maps")
    with pytest.raises(lg.ArgumentError, match="Did you mean 'histograms'"):
        studies["drawn"].plot("histogram")
    with pytest.raises(lg.ArgumentError, match=r"Did you mean 'end\(x\)'"):
        studies["drawn"].plot(outputs="end(y)")
    failing = lg.study(None, {"a": [0.0, 0.1]}, touchy, folder=tmp_path / "s", workers=1)
    with pytest.raises(lg.ArgumentError, match="all its samples failed"):
        failing.plot()


@pytest.mark.parametrize("name", OVER)
def test_pages_have_all_parts_and_fetch_nothing(studies: dict[str, lg.Study], name: str, tmp_path: Path) -> None:
    page = studies[name].report(tmp_path / "page.html").read_text(encoding="utf-8")
    parts = {"inputs", "results", "extremes", "rows", "method"} | ({"indices"} if "indices" in KINDS[name] else set())
    assert set(re.findall(r'<section id="(\w+)"', page)) == parts
    assert not re.search(r'(src|href)="(?!data:|#)', page)
    assert "<script" not in page


def test_a_page_of_an_unfinished_study_with_failures(tmp_path: Path) -> None:
    study = lg.study(None, {"a<b>": [0.5, 0.1], "a": [0.1, 0.5]}, touchy, name="<b>bold</b>", folder=tmp_path / "s", workers=1)
    page = study.report().read_text(encoding="utf-8")
    assert (tmp_path / "s" / "report.html").exists()
    assert "2 failed" in page
    assert "RuntimeError: too small" in page
    assert "<b>bold" not in page
    assert "&lt;b&gt;bold" in page
    assert "a<b>" not in page
    read = lg.read_study(tmp_path / "s")
    (tmp_path / "s" / "chunks" / f"{read.about['chunks'][1]}.chunk").unlink()
    assert "3 of 4 samples" in lg.read_study(tmp_path / "s").report(tmp_path / "r.html").read_text(encoding="utf-8")
    assert "<table" in read._repr_html_()


def test_a_page_where_all_failed(tmp_path: Path) -> None:
    study = lg.study(None, {"a": [0.0, 0.1]}, touchy, folder=tmp_path / "s", workers=1)
    assert "2 failed" in study.report().read_text(encoding="utf-8")
