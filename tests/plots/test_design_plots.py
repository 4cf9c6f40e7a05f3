"""Pictures of workspaces, turns and singular configurations: what they hold is what was found."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import lagrangian as lg
from tests.design.linkages import pan_tilt_arm


@pytest.fixture(scope="module")
def turn() -> lg.CycleAnalysis:
    return lg.analyse_cycle("four_bar", rows=91)


def labels(figure: object) -> list[str]:
    return [axes.get_ylabel() for axes in figure.axes]  # type: ignore[attr-defined]


def test_a_turn_has_its_panels(turn: lg.CycleAnalysis, tmp_path: Path) -> None:
    figure = turn.plot(tmp_path / "turn.svg")
    assert (tmp_path / "turn.svg").stat().st_size > 1000
    assert [x.split("\n")[0] for x in labels(figure)] == [
        "y [m]",
        "angle [deg]",
        "velocity",
        "mechanical",
        "transmission",
        "torque at",
    ]
    angle = next(axes for axes in figure.axes if axes.get_ylabel().startswith("transmission")).lines[0]
    assert turn.transmission_angle is not None
    np.testing.assert_allclose(angle.get_ydata(), np.degrees(turn.transmission_angle))
    assert "crank-rocker" in figure.texts[0].get_text() + figure.artists[0].get_text()
    assert "dead centre of phi3" in [x.get_text() for x in figure.legends[0].get_texts()]


def test_a_coupler_curve_is_drawn(turn: lg.CycleAnalysis) -> None:
    curve = turn.coupler_curve("C")
    (axes,) = curve.plot().axes
    drawn = [line for line in axes.lines if len(line.get_xdata()) == len(curve.points)]
    np.testing.assert_allclose(np.transpose(drawn[0].get_data()), curve.points[:, :2])
    assert axes.get_aspect() == 1.0
    assert "closed curve" in curve._repr_html_()


def test_notebooks_show_text_and_plot(turn: lg.CycleAnalysis) -> None:
    shown = turn._repr_html_()
    assert "crank-rocker" in shown
    assert "data:image/png" in shown


def test_a_workspace_in_a_plane() -> None:
    workspace = lg.workspace("two_r", over={"theta2": (0.5, 2.5)}, samples=500, resolution=12)
    figure = workspace.plot()
    (axes,) = figure.axes
    assert axes.get_aspect() == 1.0
    edges = [line for line in axes.lines if len(line.get_xdata()) in [len(p) + 1 for p in workspace.boundary]]
    assert len(edges) == 2
    assert len(axes.patches) == 1


def test_a_workspace_in_space_has_sections() -> None:
    workspace = lg.workspace(pan_tilt_arm(1.0, 0.5), "tip", samples=500, resolution=10)
    figure = workspace.plot()
    space, side, top = figure.axes
    assert space.name == "3d"
    for axes in (side, top):
        points = np.vstack([path.vertices for path in axes.collections[0].get_paths()])
        assert np.linalg.norm(points, axis=1).max() == pytest.approx(1.5, abs=0.1)
    surface = lg.workspace(pan_tilt_arm(1.0, 0.5), "wrist", samples=200)
    assert len(surface.plot().axes) == 1


def test_singular_configurations_are_drawn_or_mapped() -> None:
    one = lg.singularities("two_r", {"theta2": (-1.0, 4.0)})
    names = [x.get_text() for x in one.plot().legends[0].get_texts()]
    assert names == ["start", "theta2 = 0 deg, type 1", "theta2 = 180 deg, type 1"]
    two = lg.singularities("two_r", {"theta1": (-1.0, 1.0), "theta2": (-1.0, 1.0)}, lines=3)
    (axes,) = two.plot().axes
    np.testing.assert_allclose(axes.lines[0].get_xdata(), np.degrees(two.values[:, 0]))
    assert axes.get_xlabel() == "theta1 [deg]"
    none = lg.singularities("two_r", {"theta2": (0.5, 1.0)})
    assert "no singular configuration" in str(none)
    assert none.plot().axes


def test_a_figure_must_have_an_ending(turn: lg.CycleAnalysis) -> None:
    with pytest.raises(lg.ArgumentError, match=r"cannot be written as '\.txt'"):
        turn.plot("turn.txt")
    with pytest.raises(lg.ArgumentError, match=r"\.csv or \.nc"):
        turn.save("turn.txt")
    with pytest.raises(lg.LagrangianError, match="no frame or body 'D'"):
        turn.plot(frames="D")
