"""Limits that a motion passes, and what in it is but rounding: against motions that are known by hand."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import lagrangian as lg
from lagrangian.motion.result.over_limits import limits, over_limits, passed
from lagrangian.motion.result.rounding import Rounding


@pytest.fixture(scope="module")
def pushed_mass() -> lg.Motion:
    """2 kg pushed by 6 N from rest: v = 3 t, x = 1.5 t²."""
    slide = lg.Joint("x", "prismatic", "ground", "cart", axis=(1, 0, 0), limits=lg.JointLimits(-1, 2, speed=4.5, effort=5))
    m = lg.Mechanism("cart", [lg.Body("cart", 2.0, (0, 0, 0), (1, 1, 1))], [slide], gravity=(0, 0, 0))
    return lg.simulate(m, 2, q0=[0], qd0=[0], torque=[6.0], t_eval=201, limits=False)


def test_every_limit_that_is_passed_is_reported_with_its_worst(pushed_mass: lg.Motion) -> None:
    actual = passed(pushed_mass)
    assert [(x.what, x.name, x.limit, x.unit, x.t) for x in actual] == [
        ("position", "x", 2.0, "m", 2.0),
        ("speed", "x", 4.5, "m/s", 2.0),
        ("effort", "x", 5.0, "N", 0.0),
    ]
    assert [x.value for x in actual] == pytest.approx([6.0, 6.0, 6.0])
    assert over_limits(pushed_mass)[:2] == ["x reaches 6 m; its limit is 2 m", "x reaches 6 m/s; its limit is 4.5 m/s"]
    assert "x is driven with 6 N; its limit is 5 N" in str(pushed_mass)


def test_limits_that_are_kept_are_not_told(pushed_mass: lg.Motion) -> None:
    m = pushed_mass.mechanism
    assert m is not None
    wide = m.replace(joints=[replace(m.joints[0], limits=lg.JointLimits(-1, 6, speed=6, effort=6))])
    assert passed(lg.simulate(wide, 2, q0=[0], qd0=[0], torque=[6.0], limits=False)) == []
    stopped = lg.simulate(m, 2, q0=[0], qd0=[0], torque=[4.0])  # it stops at 2 m
    assert [x.what for x in passed(stopped)] == []
    free = m.replace(joints=[replace(m.joints[0], limits=lg.JointLimits())])
    assert not np.isfinite(limits(lg.simulate(free, 0.1, q0=[0], qd0=[0]), "speed")).any()


def test_both_ends_of_a_range(pushed_mass: lg.Motion) -> None:
    m = pushed_mass.mechanism
    assert m is not None
    swung = lg.simulate(
        m, 2, q0=[0], qd0=[-6], torque=[6.0], t_eval=201, limits=False
    )  # to -3 and back to -6 + ... = -6 m at 2 s
    (actual,) = [x for x in passed(swung) if x.what == "position"]
    assert (actual.value, actual.limit) == (pytest.approx(-6.0), -1.0)


def test_rounding_is_zero_and_small_motions_are_not(tmp_path: Path) -> None:
    hanging = lg.simulate("two_r", 2, q0=[-np.pi / 2, 0], qd0=[0, 0], torque=None)
    for motion in (hanging, lg.read(hanging.save(tmp_path / "rest.nc"))):
        rounding = Rounding(motion)
        assert rounding.still
        for what, values in (
            ("speeds", motion.qd),
            ("accelerations", motion.qdd),
            ("energy", motion.kinetic_energy),
            ("balance", motion.energy_balance),
        ):
            assert not np.any(rounding.without(values, what)), what
        rounded = rounding.without(motion.q, "coordinates")
        assert np.array_equal(rounded[:, 0], motion.q[:, 0])
        assert not np.any(rounded[:, 1])
    swinging = lg.simulate("two_r", 2, q0=[-np.pi / 2 + 1e-5, 0], qd0=[0, 0], torque=None)
    rounding = Rounding(swinging)
    assert not rounding.still
    assert np.array_equal(rounding.without(swinging.qd, "speeds"), swinging.qd)
    assert np.array_equal(rounding.without(swinging.kinetic_energy, "energy"), swinging.kinetic_energy)
