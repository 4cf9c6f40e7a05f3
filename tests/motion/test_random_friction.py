"""Random mechanisms with dry friction, free and driven, with stops and locks: what is true of any of them."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

import lagrangian as lg
from lagrangian.motion.status import Status
from tests.motion.machines import chain, energy_error, formula, four_bar, patience
from tests.motion.test_coupled_friction import slider_crank, steps_of
from tests.motion.test_random_mechanisms import planar

RTOL = 1e-9
few = settings(max_examples=2, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
many = settings(max_examples=12, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
seeds = st.integers(0, 10_000)


def with_random_friction(mechanism: lg.Mechanism, rng: np.random.Generator, static: bool = False) -> lg.Mechanism:
    """With dry friction at some of its joints, of any size beside its weight."""
    joints = []
    for joint in mechanism.joints:
        dry = float(rng.choice([0.0, 0.03, 0.3, 3.0]) * rng.uniform(0.5, 1.5))
        rubs = lg.Friction(coulomb=dry, static=dry * rng.uniform(1.0, 1.5) if static else None)
        joints.append(replace(joint, friction=rubs))
    return mechanism.replace(joints=joints)


def tree(rng: np.random.Generator) -> tuple[lg.Mechanism, Any]:
    return chain(int(rng.integers(1, 4))), None


def loop(rng: np.random.Generator) -> tuple[lg.Mechanism, Any]:
    """A chain of bars whose end is held."""
    lengths = [list(np.random.default_rng(n).uniform(0.3, 1.0, n)) for n in (3, 4)][int(rng.integers(2))]
    mechanism = planar(lengths, "point")
    dyn = lg.compile(mechanism)
    for _ in range(50):
        try:
            q = lg.assemble(dyn, rng.uniform(-3, 3, mechanism.nv))
        except lg.AssemblyError:
            continue
        if np.linalg.svd(dyn.constraint_jacobian(q), compute_uv=False)[-1] > 0.2:
            return mechanism, q
    raise AssertionError("no start was found")


def driven(mechanism: lg.Mechanism, start: float) -> lg.Mechanism:
    """Its first joint is led to and fro, from rest."""
    first = mechanism.joints[0].name
    lead = formula(f"{first} - ({start}) - 0.4*sin(1.3*t)^2", first)
    return mechanism.replace(constraints=[*mechanism.constraints, lg.HolonomicConstraint("lead", lead)])


def obeys(motion: lg.Motion) -> None:
    """Friction takes and never gives; none exceeds what it can; sliding joints have all of it; the energy is balanced."""
    single = [joint for joint in motion.mechanism.joints if joint.kind.nv == 1]  # in a plane friction is a circle
    for joint in single:
        k = motion.speed_names.index(joint.name)
        sliding, most = float(joint.friction.coulomb), float(joint.friction.breakaway[0])
        dry, speed = motion.friction[:, k], motion.qd[:, k]
        assert np.all(np.abs(dry) <= most * (1 + 1e-8))
        slips = np.abs(speed) > 1e-5
        np.testing.assert_allclose(dry[slips], sliding * np.sign(speed[slips]), rtol=1e-9)
        assert np.all(dry * speed >= -1e-8 * most)
    assert np.diff(motion.work["friction"].sum(axis=1)).max() <= 1e-9 * motion.energy_scale
    assert energy_error(motion) < 100 * RTOL


def check(make: Any, seed: int, lead: bool) -> None:
    rng = np.random.default_rng(seed)
    smooth, q0 = make(rng)
    q0 = rng.uniform(-1.5, 1.5, smooth.nv) if q0 is None else q0
    speeds = np.zeros(smooth.nv) if lead else lg.consistent_speeds(lg.compile(smooth), q0, 2 * rng.normal(size=smooth.nv))
    smooth = driven(smooth, q0[0]) if lead else smooth
    push = str(rng.choice(["0", "2*sin(3*t)", "0.5*t"]))
    torque = {smooth.speed_names[-1]: push}
    how: dict[str, Any] = {"rtol": RTOL, "atol": 1e-2 * RTOL, "progress": patience(60.0)}
    rough = lg.simulate(with_random_friction(smooth, rng, bool(rng.integers(2))), 3.0, q0, speeds, torque, **how)
    assume(rough.status is not Status.SINGULAR)  # a drive may lead it to one
    assert rough.success, rough.message
    obeys(rough)
    without = lg.simulate(smooth, 3.0, q0, speeds, torque, **how)
    assert steps_of(rough) <= 20 * steps_of(without)


@pytest.mark.parametrize("make", [tree, loop])
@given(seed=seeds)
@few
def test_dry_friction(make: Any, seed: int) -> None:
    check(make, seed, lead=bool(seed % 2))


@pytest.mark.slow
@pytest.mark.parametrize("lead", [False, True])
@pytest.mark.parametrize("make", [tree, loop])
@given(seed=seeds)
@many
def test_dry_friction_of_many(make: Any, seed: int, lead: bool) -> None:
    check(make, seed, lead)


# -- all of it together ----------------------------------------------------------------------------------------------


def geared_bars() -> lg.Mechanism:
    """Two bars on parallel axes, the second geared to the first, and a third that hangs on it."""
    bodies = [lg.Body(f"link{k}", 1.0, (0, -0.5, 0), (1 / 12, 0, 1 / 12)) for k in range(3)]
    joints = [
        lg.Joint("a", "revolute", "ground", "link0"),
        lg.Joint("b", "revolute", "ground", "link1", (3.0, 0, 0)),
        lg.Joint("c", "revolute", "link1", "link2", (0, -1, 0)),
    ]
    gear = lg.HolonomicConstraint("gear", formula("b + 2*a", "a b"))
    return lg.Mechanism("geared", bodies, joints, constraints=[gear], gravity=(0, -9.81, 0))


MACHINES = {
    "slider_crank": (lambda: slider_crank({}), {"theta": 0.4}),
    "four_bar": (four_bar, {"theta1": 0.7}),
    "three_rrr": (lambda: lg.library("three_rrr"), None),
    "geared": (geared_bars, {"a": 0.4}),
}


def together(name: str, seed: int) -> None:
    """Friction of all sizes, static and sliding, stops around the start, a lock for a while, and a drive or a torque."""
    rng = np.random.default_rng([seed, len(name)])
    make, fixed = MACHINES[name]
    machine = make()
    dyn = lg.compile(machine)
    q0 = lg.assemble(dyn, fixed=fixed) if fixed else lg.assemble(dyn)
    lead = bool(rng.integers(2)) and name != "three_rrr"
    joints, iq = [], 0
    for joint in with_random_friction(machine, rng, bool(rng.integers(2))).joints:
        x, iq = q0[iq], iq + joint.kind.nq
        free = lead or joint.kind.nq != 1 or rng.random() < 0.5
        joints.append(
            replace(
                joint, limits=lg.JointLimits() if free else lg.JointLimits(x - rng.uniform(0.05, 0.6), x + rng.uniform(0.05, 0.6))
            )
        )
    machine = machine.replace(joints=joints)
    first, last = machine.joints[0].name, machine.speed_names[-1]
    machine = driven(machine, q0[0]) if lead else machine
    torque = {last: str(rng.choice(["0", "2*sin(3*t)", "0.5*t", "5*sin(20*t)"]))}
    kick = None if lead else {first: float(rng.choice([3.0, -6.0]))}
    locked = lg.LockJoints(first), lg.UnlockJoints(first)
    events = [] if lead else [lg.Event("t - 0.7", locked[0]), lg.Event("t - 1.1", locked[1])]
    bounce = float(rng.choice([0.0, 0.5]))
    motion = lg.simulate(
        machine, 2.0, q0, kick, torque, events, rtol=RTOL, restitution=bounce, progress=patience(60.0), max_steps=20_000
    )
    assume(motion.status is not Status.SINGULAR)
    assert motion.success, motion.message
    assert steps_of(motion) <= 20_000
    assert all(change <= 1e-9 * motion.energy_scale for _, change in motion.trajectory.impacts)
    obeys(motion)


@pytest.mark.parametrize(("name", "seed"), [("geared", 3), ("slider_crank", 3), ("four_bar", 3)])
def test_friction_stops_locks_and_drives_together(name: str, seed: int) -> None:
    """Among them a lock of what rests at the stop of another joint: that is no conflict."""
    together(name, seed)


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name in MACHINES if name != "three_rrr"])
@given(seed=seeds)
@settings(many, max_examples=6)
def test_friction_stops_locks_and_drives_of_many(name: str, seed: int) -> None:
    together(name, seed)
