"""Phase portraits and paths of frames."""

from __future__ import annotations

import copy
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import lagrangian as lg
from lagrangian.plots.sticks import stick_segments
from tests.plots.motions import chain, crane, floating, resting, run

DEG = 180 / np.pi


def curve_named(axes: Any, name: str) -> Any:
    (line,) = [x for x in axes.lines if x.get_label() == name]
    return line


def test_a_portrait_holds_speed_over_coordinate(tmp_path: Path) -> None:
    motion = crane()
    figure = motion.phase_portrait(path=tmp_path / "p.svg")
    assert (tmp_path / "p.svg").stat().st_size > 1000
    for k, axes in enumerate(figure.axes):
        slides = motion.coordinate_names[k] == "slide"
        factor = 1 if slides else DEG
        line = curve_named(axes, motion.coordinate_names[k])
        assert np.array_equal(line.get_xdata(), factor * motion.q[:, k])
        assert np.array_equal(line.get_ydata(), factor * motion.qd[:, k])
        assert axes.get_xlabel() == ("displacement [m]" if slides else "angle [deg]")
        assert axes.get_ylabel() == ("speed [m/s]" if slides else "angular speed [deg/s]")
        start, end = axes.lines[-2:]
        assert (start.get_xdata()[0], start.get_ydata()[0]) == (factor * motion.q[0, k], factor * motion.qd[0, k])
        assert (end.get_xdata()[0], end.get_ydata()[0]) == (factor * motion.q[-1, k], factor * motion.qd[-1, k])
    assert [t.get_text() for t in figure.legends[0].get_texts()] == ["start", "end"]


def test_arrows_point_along_the_motion() -> None:
    """In the upper half of a portrait the coordinate grows."""
    motion = run("pendulum")
    (axes,) = motion.phase_portrait().axes
    heads = [a for a in axes.texts if a.arrow_patch is not None]
    assert heads
    for head in heads:
        (x, y), (from_x, _) = head.xy, head.get_position()
        assert np.sign(x - from_x) == np.sign(y)


def test_portraits_that_are_requested() -> None:
    assert len(run("two_r").phase_portrait("theta2").axes) == 1
    assert len(chain(13).phase_portrait().axes) == 12
    assert len(chain(13).phase_portrait(*(f"j{k}" for k in range(13))).axes) == 13
    assert len(run("chaplygin_sleigh").phase_portrait().axes) == 3
    with pytest.raises(lg.ArgumentError, match="there is no joint or coordinate 'theta3'"):
        run("two_r").phase_portrait("theta3")
    with pytest.raises(lg.ArgumentError, match="ball or free joint"):
        floating().phase_portrait("float")
    with pytest.raises(lg.ArgumentError, match="no coordinate with its own speed"):
        floating().phase_portrait()
    assert resting().phase_portrait().to_bytes("png").startswith(b"\x89PNG")


def test_the_path_of_a_pendulum_is_a_circle() -> None:
    motion = run("pendulum")
    (axes,) = motion.plot_path().axes
    line = curve_named(axes, "P1")
    plane = axes.get_xlabel()[0] + axes.get_ylabel()[0]
    x, y = (np.asarray(z) for z in line.get_data())
    theta = motion.q[:, 0]
    radius = np.hypot(x, y)
    assert np.ptp(radius) < 1e-12
    turned = np.unwrap(np.arctan2(y, x))
    assert np.allclose(np.abs(turned - turned[0]), np.abs(theta - theta[0]))
    assert plane in ("xy", "xz", "yz")
    assert axes.get_aspect() == 1.0
    assert axes.get_xlabel().endswith("[m]")
    assert axes.get_ylabel().endswith("[m]")


def test_planes_and_space() -> None:
    motion = floating()
    falling = motion.plot_path()
    (axes,) = falling.axes
    pose = lg.compile(motion.mechanism).pose(motion.q, "brick")
    assert (axes.get_xlabel(), axes.get_ylabel()) == ("x [m]", "z [m]")
    assert np.allclose(np.column_stack(curve_named(axes, "brick").get_data()), pose[:, [0, 2], 3])
    (seen,) = motion.plot_path("brick", plane="yz").axes
    assert (seen.get_xlabel(), seen.get_ylabel()) == ("y [m]", "z [m]")
    (space,) = run("puma560").plot_path("link6").axes
    assert space.name == "3d"
    assert [getattr(space, f"get_{k}label")() for k in "xyz"] == ["x [m]", "y [m]", "z [m]"]
    # the same scale along all three
    spans = [np.ptp(getattr(space, f"get_{k}lim")()) for k in "xyz"]
    scale = np.array(spans) / space._box_aspect
    assert np.allclose(scale, scale[0])


def test_the_frames_that_are_shown() -> None:
    def legend_texts(figure: Any) -> list[str]:
        return [t.get_text() for t in figure.legends[0].get_texts()]

    assert legend_texts(run("two_r").plot_path())[0] == "tip"
    # the rocker's origin is its pivot, which stays
    closed = copy.copy(run("four_bar"))
    closed.mechanism = closed.mechanism.replace(frames=())
    assert legend_texts(closed.plot_path())[0] == "coupler"
    assert legend_texts(run("two_r").plot_path("link1", "link2"))[:2] == ["link1", "link2"]
    for bad, says in ((("tup",), "Did you mean 'tip'"), (("theta1",), "there is no frame or body 'theta1'")):
        with pytest.raises(lg.ArgumentError, match=says):
            run("two_r").plot_path(*bad)
    with pytest.raises(lg.ArgumentError, match="there is no plane 'xx'"):
        run("two_r").plot_path(plane="xx")
    broken = copy.copy(run("two_r"))
    broken.q = broken.q.copy()
    broken.q[50:] = np.nan
    line = curve_named(broken.plot_path("tip").axes[0], "tip")
    assert np.array_equal(line.get_xdata(), curve_named(run("two_r").plot_path("tip").axes[0], "tip").get_xdata()[:50])
    broken.q[:] = np.inf
    with pytest.raises(lg.ArgumentError, match="no row of the motion is finite"):
        broken.plot_path()
    alone = copy.copy(run("two_r"))
    alone.mechanism = None
    with pytest.raises(lg.ArgumentError, match="need the mechanism"):
        alone.plot_path()


@pytest.mark.parametrize("name", ["four_bar", "slider_crank", "two_r", "stewart"])
def test_sticks_keep_their_lengths_and_meet(name: str) -> None:
    """Sticks are rigid, but for slides; and every loop's ends are ends of sticks, at the same place."""
    motion = run(name)
    dyn = lg.compile(motion.mechanism)
    ends = stick_segments(dyn, motion.q[[0, 40, -1]])
    lengths = np.linalg.norm(ends[:, :, 1] - ends[:, :, 0], axis=-1)
    slides = sum(j.type == "prismatic" for j in motion.mechanism.joints)
    rigid = lengths[:, : lengths.shape[1] - slides]
    assert np.ptp(rigid, axis=0).max() < 1e-12
    points = ends[-1].reshape(-1, 3)
    for loop in motion.mechanism.loops:
        at = dyn.pose(motion.q[-1], lg.Frame("end", loop.a, loop.a_placement))[:3, 3]
        near = np.linalg.norm(points - at, axis=1) < 1e-9
        assert near.sum() >= (1 if "ground" in (loop.a, loop.b) else 2)
