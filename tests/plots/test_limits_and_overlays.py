"""Limits in plots, motions over each other, frames by their names, and rounding that is not shown as data."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import pytest
from matplotlib.colors import same_color

import lagrangian as lg
from lagrangian.plots.panels import EXCESS_LINE, LIMIT_LINE
from lagrangian.plots.style import GREY
from tests.plots.motions import resting, run
from tests.plots.test_motion_plot import overlaps
from tests.plots.test_positions_and_scales import curves, panel


@cache
def motion_over_limits(speed: float = 2.0, other: float = 4.0, effort: float = 5.0) -> lg.Motion:
    m = lg.library("two_r")
    bounds = [lg.JointLimits(-2.5, 1, speed=v, effort=effort) for v in (speed, other)]
    m = m.replace(joints=[replace(j, limits=x) for j, x in zip(m.joints, bounds, strict=True)])
    return lg.simulate(m, 1.5, t_eval=np.linspace(0, 1.5, 301), limits=False, torque=[8, 0])


def limit_colours(axes: Any) -> dict[float, Any]:
    """Limits that are drawn, with their colours."""
    lines = [x for x in axes.lines if x.get_linewidth() == LIMIT_LINE["linewidth"] and len(set(x.get_ydata())) == 1]
    return {float(x.get_ydata()[0]): x.get_color() for x in lines}


def thick_parts(axes: Any) -> list[np.ndarray]:
    return [np.asarray(x.get_ydata()) for x in axes.lines if x.get_linewidth() == EXCESS_LINE["linewidth"]]


def test_limits_are_lines_and_what_is_beyond_is_marked() -> None:
    motion = motion_over_limits()
    figure = motion.plot("coordinates", "speeds")
    axes = panel(figure, "angular speed [deg/s]")
    for limit in (-2, 2, -4, 4):
        assert any(np.isclose(x, np.degrees(limit)) for x in limit_colours(axes)), limit
    speed = np.degrees(motion.qd[:, 1])
    out = np.abs(speed) > np.degrees(4)
    assert out.any()
    assert not (np.abs(motion.qd[:, 0]) > 2).any()
    shown = np.nanmax([np.where(np.isnan(y), -np.inf, np.abs(y)) for y in thick_parts(axes)], axis=0)
    assert np.array_equal(shown[out], np.abs(speed)[out])  # all of what is beyond, and of the rest at most a row beside it
    beside = np.convolve(out, [1, 1, 1], "same") > 0
    assert np.isneginf(shown[~beside]).all()
    names = [t.get_text() for t in figure.legends[0].get_texts()]
    assert names == ["theta1", "theta2", "limit", "beyond its limit"]
    # a limit of one joint has its colour, one of all joints is grey
    first = next(x.get_color() for x in axes.lines if x.get_label() == "theta1")
    assert same_color(next(c for x, c in limit_colours(axes).items() if np.isclose(x, np.degrees(2))), first)
    assert same_color(limit_colours(panel(figure, "angle [deg]"))[np.degrees(1.0)], GREY)


def test_limits_far_away_do_not_make_curves_small() -> None:
    motion = motion_over_limits(speed=1000.0, other=1000.0)
    axes = panel(motion.plot("speeds"), "angular speed [deg/s]")
    assert limit_colours(axes) == {}
    assert thick_parts(axes) == []
    assert axes.get_ylim()[1] < 1.5 * np.degrees(motion.qd.max())


def test_a_limit_that_is_passed_throughout_is_in_sight() -> None:
    axes = panel(motion_over_limits().plot("torques"), "torque [N m]")
    assert list(limit_colours(axes)) == [5.0]
    low, high = axes.get_ylim()
    assert low < 5 < 8 < high


def test_motions_over_each_other() -> None:
    first, second = motion_over_limits(), run("two_r")
    figure = first.plot("coordinates", "energy", others={"free": second}, label="driven")
    for axes, expected in ((panel(figure, "angle [deg]"), np.degrees(first.q[:, 0])),):
        drawn = [x for x in axes.lines if x.get_label() == "theta1"]
        assert [len(x.get_xdata()) for x in drawn] == [len(first.t), len(second.t)]
        assert np.allclose(drawn[0].get_ydata(), expected)
        assert np.allclose(drawn[1].get_ydata(), np.degrees(second.q[:, 0]))
        assert same_color(*(x.get_color() for x in drawn))  # a colour is a joint
        assert drawn[0]._dash_pattern != drawn[1]._dash_pattern  # dashes are a motion
    assert figure.axes[0].get_xlim() == (0.0, 1.5)
    assert [t.get_text() for t in figure.legends[0].get_texts()][:2] == ["driven", "free"]


def test_one_curve_of_many_motions_has_a_colour_for_each() -> None:
    others = {f"case {k}": run("two_r") for k in range(5)}
    axes = panel(motion_over_limits().plot("coordinates", joints="theta1", others=others), "angle [deg]")
    drawn = [x for x in axes.lines if x.get_label() == "theta1"]
    assert len(drawn) == 6
    assert len({x.get_color() for x in drawn}) == 6
    assert [t.get_text() for t in axes.get_legend().get_texts()] == ["theta1"]  # which it is, is said too


def test_motions_of_different_mechanisms() -> None:
    figure = run("two_r").plot("coordinates", "energy", others={"crank": run("four_bar")})
    drawn = {x.get_label() for x in panel(figure, "angle [deg]").lines}
    assert {*lg.library("two_r").coordinate_names, *lg.library("four_bar").coordinate_names} <= drawn


def test_events_are_told_of_which_motion_they_are() -> None:
    event = lg.Event("theta1 + 1.5", name="past")
    hit = lg.simulate("two_r", 0.4, t_eval=41, events=[event])
    assert hit.events
    figure = run("two_r").plot("coordinates", others={"watched": hit})
    assert any(t.get_text().startswith("watched: past") for t in figure.axes[0].texts)


def test_no_text_of_an_overlay_lies_on_another() -> None:
    figure = motion_over_limits().plot(
        others={"without torques, and with a rather long name": run("two_r")}, label="with torques at the first"
    )
    texts = [t for axes in figure.axes for t in (axes.yaxis.label, axes.xaxis.label)]
    texts += [t for legend in (*figure.legends, *(a.get_legend() for a in figure.axes)) if legend for t in legend.get_texts()]
    assert overlaps(figure, [t for t in (*texts, *figure.texts) if t.get_text()]) == []


@pytest.mark.parametrize(
    ("more", "says"),
    [
        ({"others": [1]}, "others is .*; labels with motions are needed"),
        ({"others": {"a": 1}}, "others has 1 for 'a'; labels with motions are needed"),
        ({"others": {"two_r": None}}, "others has None"),
        ({"label": 3}, "label is 3; a text is needed"),
    ],
)
def test_wrong_overlays_are_refused(more: dict[str, Any], says: str) -> None:
    with pytest.raises(lg.ArgumentError, match=says):
        run("two_r").plot(**more)
    with pytest.raises(lg.ArgumentError, match="has the label 'two_r' of another motion"):
        run("two_r").plot(others={"two_r": run("two_r")})


def test_a_frame_is_plotted_by_its_name() -> None:
    motion = run("two_r")
    figure = motion.plot("tip", "energy")
    assert [a.get_ylabel() for a in figure.axes] == ["position [m]", "energy [J]"]
    lines = curves(figure, "position [m]")
    np.testing.assert_allclose(lines["tip.x"], np.cos(motion.q[:, 0]) + np.cos(motion.q.sum(axis=1)), atol=1e-13)
    assert set(curves(motion.plot("tip", "link2"), "position [m]")) == {"tip.x", "tip.y", "link2.x", "link2.y"}
    with pytest.raises(lg.ArgumentError, match=r"no quantity or frame to plot called 'tipp'. Did you mean 'tip'\?"):
        motion.plot("tipp")


def test_rounding_is_no_data() -> None:
    figure = resting().plot("speeds", "energy", "balance")
    for axes in figure.axes:
        assert [t.get_text() for t in axes.texts] == ["all zero"]
        assert not any(np.any(line.get_ydata()) for line in axes.lines)
        assert "10" not in axes.get_ylabel()  # no power of ten
    hanging = lg.simulate("two_r", 2, q0=[-np.pi / 2, 0], qd0=[0, 0], torque=None)
    axes = panel(hanging.plot("coordinates", joints="theta1"), "angle [deg]")
    assert np.ptp(axes.get_ylim()) > 5  # not the last digits of 90 degrees


def test_angles_of_design_figures() -> None:
    turn = lg.analyse_cycle("four_bar")
    for angles, unit, most in (("degrees", "deg", 360), ("radians", "rad", 2 * np.pi)):
        figure = turn.plot(angles=angles)
        axes = next(a for a in figure.axes if a.get_ylabel() == f"transmission\nangle [{unit}]")
        assert np.ptp(axes.get_xlim()) == pytest.approx(most)
        np.testing.assert_allclose(axes.lines[0].get_ydata(), turn.transmission_angle * most / (2 * np.pi))
    with pytest.raises(lg.ArgumentError, match="there is no angles 'grad'"):
        turn.plot(angles="grad")
