"""Positions of frames over time, angles in radians, and forces that grow by orders of magnitude."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import lagrangian as lg
from tests.plots.motions import crane, floating, run, stopped_motion


def panel(figure: Any, label: str) -> Any:
    (axes,) = [a for a in figure.axes if a.get_ylabel() == label]
    return axes


def curves(figure: Any, label: str) -> dict[str, np.ndarray]:
    return {x.get_label(): x.get_ydata() for x in panel(figure, label).lines if not x.get_label().startswith("_")}


def test_positions_of_a_tip_over_time() -> None:
    motion = run("two_r")
    lines = curves(motion.plot(frames="tip"), "position [m]")
    q1, q12 = motion.q[:, 0], motion.q.sum(axis=1)
    assert sorted(lines) == ["tip.x", "tip.y"]  # it stays in the plane
    np.testing.assert_allclose(lines["tip.x"], np.cos(q1) + np.cos(q12), atol=1e-13)
    np.testing.assert_allclose(lines["tip.y"], np.sin(q1) + np.sin(q12), atol=1e-13)
    assert [a.get_ylabel() for a in motion.plot("positions", "energy").figure.axes] == ["position [m]", "energy [J]"]


def test_positions_of_bodies() -> None:
    motion = floating()
    lines = curves(motion.plot(frames=["brick"]), "position [m]")
    np.testing.assert_allclose(lines["brick.z"], motion.q[:, 6], atol=1e-14)
    with pytest.raises(lg.ArgumentError, match="no frame or body 'tipp'"):
        run("two_r").plot(frames="tipp")


def test_angles_in_radians() -> None:
    motion = crane()
    figure = motion.plot("coordinates", "speeds", "accelerations", angles="radians")
    for label, values in (
        ("angle [rad]", motion.q),
        ("angular speed [rad/s]", motion.qd),
        ("angular acceleration [rad/s²]", motion.qdd),
    ):
        np.testing.assert_array_equal(curves(figure, label)["turn"], values[:, 0])
    np.testing.assert_array_equal(curves(figure, "displacement [m]")["slide"], motion.q[:, 1])
    portrait = motion.phase_portrait("turn", angles="radians").axes[0]
    assert (portrait.get_xlabel(), portrait.get_ylabel()) == ("angle [rad]", "angular speed [rad/s]")
    for draw in (motion.plot, motion.phase_portrait):
        with pytest.raises(lg.ArgumentError, match="there is no angles 'grad'"):
            draw(angles="grad")


def test_multipliers_that_grow_without_bound_stay_readable() -> None:
    """At the lock they are 1505 N, and 0.1 N half way: both can be read off."""
    motion = stopped_motion()
    axes = panel(motion.plot("multipliers"), "constraint force λ [N]")
    assert axes.get_yscale() == "symlog"
    ticks = axes.get_yticks()
    assert {-1.0, 0.0, 1.0, 1000.0} <= set(np.round(ticks, 9))
    low, high = axes.get_ylim()
    assert low < motion.multipliers.min() < motion.multipliers.max() < high
    # a force of 1 N is a good part of the axis away from zero
    seen = axes.transData.transform([(0, 0), (0, 1), (0, 1000)])[:, 1]
    assert seen[1] - seen[0] > 0.2 * (seen[2] - seen[0])


def test_scales_that_are_requested() -> None:
    motion = stopped_motion()
    assert panel(motion.plot("multipliers", scale="linear"), "constraint force λ [N]").get_yscale() == "linear"
    figure = motion.plot("multipliers", "reactions", scale="log")
    axes = panel(figure, "constraint force |λ| [N]")
    assert axes.get_yscale() == "log"
    np.testing.assert_array_equal(axes.lines[-1].get_ydata(), np.abs(motion.multipliers[:, 1]))
    low, high = panel(figure, "reaction, |moment| [N m]").get_ylim()
    assert low > 1e-13 * high  # moments that are zero but for rounding are left out
    gentle = panel(run("four_bar").plot("multipliers"), "constraint force λ [N]")
    assert gentle.get_yscale() == "linear"
    with pytest.raises(lg.ArgumentError, match="there is no scale 'logarithmic'"):
        motion.plot("multipliers", scale="logarithmic")


def test_rows_in_degrees(tmp_path: Path) -> None:
    motion = crane()
    motion.save(tmp_path / "run.csv", angles="degrees")
    with (tmp_path / "run.csv").open() as file:
        head, first, *_ = csv.reader(file)
    assert head[:5] == ["t", "q_turn [deg]", "q_slide", "qd_turn [deg/s]", "qd_slide"]
    assert [float(x) for x in first[1:5]] == pytest.approx([np.degrees(0.3), 1.0, np.degrees(0.5), 0.2])
    with pytest.raises(lg.ArgumentError, match="a netCDF file has angles in radians"):
        motion.save(tmp_path / "run.nc", angles="degrees")
