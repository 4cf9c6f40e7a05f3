"""Long chains: the loop over the links gives the motion that written-out code gives, and goes on where that would be too long."""

from __future__ import annotations

import os
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import lagrangian as lg
from lagrangian.motion.settings import Stabilisation
from lagrangian.motion.solver import solver
from lagrangian.motion.system import large, prepared
from lagrangian.motion.system.system import System
from lagrangian.motion.torque import Torque
from tests.mechanisms import random_mechanism, state
from tests.motion.machines import chain, energy_error


@contextmanager
def in_a_loop(folder: Path) -> Iterator[None]:
    """Every open mechanism as a loop over its links; with a cache of its own, as a problem's key does not say its form."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(large, "SMALL", -1)
        patch.setattr(large, "MAX_UNROLLED_LINKS", -1)
        patch.setattr(solver, "_SOLVERS", {})
        patch.setattr(prepared, "_PREPARED", {})
        patch.setenv("LAGRANGIAN_CACHE", os.fspath(folder))
        yield


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("looped")


def both(folder: Path, mechanism: lg.Mechanism, *arguments: Any, **options: Any) -> tuple[lg.Motion, lg.Motion]:
    """The motion by written-out code, and by a loop."""
    written = lg.simulate(mechanism, *arguments, **options)
    assert written.trajectory.segments[0].solver.rolled is None
    with in_a_loop(folder):
        looped = lg.simulate(mechanism, *arguments, **options)
    assert looped.trajectory.segments[0].solver.rolled is not None
    return written, looped


def same(one: lg.Motion, other: lg.Motion, tolerance: float = 1e-9) -> None:
    np.testing.assert_allclose(one.t, other.t, rtol=0, atol=tolerance)
    for name in ("q", "qd", "tau", "friction", "kinetic_energy", "potential_energy"):
        a, b = getattr(one, name), getattr(other, name)
        np.testing.assert_allclose(a, b, rtol=0, atol=tolerance * max(1.0, np.abs(a).max()), err_msg=name)
    np.testing.assert_allclose(one.qdd, other.qdd, rtol=0, atol=1e3 * tolerance * max(1.0, np.abs(one.qdd).max()))
    for name in one.work:
        scale = max(1.0, one.energy_scale)
        np.testing.assert_allclose(one.work[name], other.work[name], rtol=0, atol=tolerance * scale, err_msg=name)
    assert [e.name for e in one.events] == [e.name for e in other.events]
    np.testing.assert_allclose([e.t for e in one.events], [e.t for e in other.events], rtol=0, atol=tolerance)


TIGHT: dict[str, Any] = {"method": "dp5", "rtol": 1e-11, "atol": 1e-13, "t_eval": 11}
FIVE = lg.compile(chain(5))
START = [0.3, -0.2, 0.1, 0.2, 0.1]


@pytest.mark.parametrize("n", [6, pytest.param(24, marks=pytest.mark.slow)])
def test_motions_of_long_chains_are_the_same_by_sparse_algebra(n: int, folder: Path) -> None:
    mechanism = chain(n, friction=lg.Friction(viscous=0.05), spring=lg.JointSpring(1.0, 0.1))
    same(*both(folder, mechanism, 0.5, 0.2 * np.cos(np.arange(n)), **{**TIGHT, "method": "dop853"}))


@pytest.mark.parametrize("types", [["free", "revolute"], ["ball", "helical", "planar"]], ids="-".join)
def test_other_joints(types: list[str], folder: Path) -> None:
    """Quaternions stay of length one in the loop too."""
    mechanism = random_mechanism(types, 4)
    q, qd, _, _ = state(mechanism, 2)
    written, looped = both(folder, mechanism, 0.3, q, qd, **{**TIGHT, "rtol": 1e-10})
    same(written, looped, 1e-8)
    steps = looped.trajectory.segments[0].steps
    np.testing.assert_allclose(np.linalg.norm(steps[:, 2:6], axis=1), 1, rtol=0, atol=1e-14)


def test_fixed_steps(folder: Path) -> None:
    """Step by step the two are the same but for rounding."""
    same(*both(folder, FIVE, 0.3, START, method="rk4", step=0.01, t_eval=11), 1e-13)


def test_torques_and_events(folder: Path) -> None:
    """Expressions, and events of them; a Python function, and one for an event."""
    expressions = {"a0": "5*sin(3*t) - 2*a0 - qd_a0", "a4": "a1*qd_a2"}

    def function(t: float, q: np.ndarray, qd: np.ndarray) -> list[float]:
        return [5 * np.sin(3 * t) - 2 * q[0] - qd[0], 0, 0, 0, q[1] * qd[2]]

    events = [lg.Event("a0 - 0.1", name="crossing")]
    written, looped = both(folder, FIVE, 1.0, START, torque=expressions, events=events, **TIGHT)
    same(written, looped)
    assert looped.events
    with in_a_loop(folder):
        called = lg.simulate(FIVE, 1.0, START, torque=function, events=[lambda t, q, qd: q[0] + 9], **TIGHT)
    assert called.trajectory.segments[0].solver.rolled is not None
    np.testing.assert_allclose(called.q, looped.q, rtol=0, atol=1e-9)
    np.testing.assert_allclose(called.tau, looped.tau, rtol=0, atol=1e-8)
    np.testing.assert_allclose(called.work["torque"], looped.work["torque"], rtol=0, atol=1e-8)
    # at other times too, long after the run
    np.testing.assert_allclose(called(np.linspace(0, 1, 7))[0], looped(np.linspace(0, 1, 7))[0], rtol=0, atol=1e-9)


def test_controllers_and_actions(folder: Path) -> None:
    """What events do that hold no joint: set a torque, and stop."""
    events = [lg.Event("t - 0.2", lg.SetTorque({"a2": 3.0})), lg.Event("a0 - 0.05", "stop")]
    controller = lg.Sampled(lambda t, q, qd: -8 * q - qd, 0.05)
    written, looped = both(folder, FIVE, 2.0, START, torque=controller, events=events, **TIGHT)
    assert "stopped by event" in looped.message
    same(written, looped)


def test_stiff_and_large(folder: Path) -> None:
    """Too large for the method that would follow when the run turns out stiff: it goes on as it is."""
    mechanism = chain(5, friction=lg.Friction(viscous=3e4))
    with in_a_loop(folder):
        motion = lg.simulate(mechanism, 0.05, START, rtol=1e-4, atol=1e-6, t_eval=3)
    assert motion.success
    assert motion.statistics["method"] == "DOP853"
    assert motion.statistics["accepted"] > 1000  # bounded by stability all along


# -- what is large by itself -----------------------------------------------------------------------------------------


def is_large(mechanism: lg.Mechanism) -> bool:
    return System(mechanism, lg.compile(mechanism).tree, Torque(), Stabilisation()).large


def test_what_is_large() -> None:
    assert not is_large(chain(15))
    assert is_large(chain(65))
    assert is_large(random_mechanism(["revolute"] * 28, 1, chain=True))
    # a tree of short branches is not, however many there are
    assert not is_large(random_mechanism(["revolute"] * 20, 1))


@pytest.fixture(scope="module")
def rope() -> lg.Dynamics:
    return lg.compile(chain(200))


def test_two_hundred_links(rope: lg.Dynamics) -> None:
    q = 0.05 * np.cos(0.7 * np.arange(200))
    motion = lg.simulate(rope, 0.5, q, t_eval=11, rtol=1e-8)
    assert motion.trajectory.segments[0].solver.rolled is not None
    assert energy_error(motion) < 1e-7
    assert np.abs(motion.q[-1] - q).max() > 0.1
    # forces are those of the equations of motion
    tau = rope.inverse_dynamics(motion.q, motion.qd, motion.qdd)
    assert np.abs(tau).max() < 1e-6


def test_torques_on_seventy_links() -> None:
    """An expression and the same as a Python function; what they do is in the balance."""
    dyn = lg.compile(chain(70))
    damped = {"a0": "300*sin(20*t) - 5*qd_a0", "a69": "-0.1*qd_a69"}

    def function(t: float, q: np.ndarray, qd: np.ndarray) -> np.ndarray:
        tau = np.zeros(70)
        tau[0], tau[-1] = 300 * np.sin(20 * t) - 5 * qd[0], -0.1 * qd[-1]
        return tau

    expressed, called = (lg.simulate(dyn, 0.3, np.zeros(70), torque=torque, t_eval=7) for torque in (damped, function))
    assert called.trajectory.segments[0].solver.rolled is not None
    np.testing.assert_allclose(called.q, expressed.q, rtol=0, atol=1e-9)
    np.testing.assert_allclose(called.tau, expressed.tau, rtol=0, atol=1e-7)
    assert np.abs(expressed.work["torque"]).max() > 0.1
    for motion in (expressed, called):
        assert energy_error(motion) < 1e-7


def test_a_large_chain_that_floats() -> None:
    """A free joint and 65 links without gravity: momentum and energy stay."""
    base = random_mechanism(["free", *["revolute"] * 65], 3, chain=True)
    mechanism = replace(base, gravity=(0, 0, 0))
    dyn = lg.compile(mechanism)
    rng = np.random.default_rng(0)
    q = mechanism.neutral()
    q[:4] = np.array([0.5, 0.5, 0.5, 0.5])
    motion = lg.simulate(dyn, 0.5, q, 0.3 * rng.normal(size=mechanism.nv), t_eval=11, rtol=1e-9)
    assert motion.trajectory.segments[0].solver.rolled is not None
    momentum = dyn.momentum(motion.q, motion.qd)
    scale = np.abs(momentum).max()
    assert scale > 1
    np.testing.assert_allclose(momentum, np.broadcast_to(momentum[0], momentum.shape), rtol=0, atol=1e-7 * scale)
    assert energy_error(motion) < 1e-7
    np.testing.assert_allclose(np.linalg.norm(motion.q[:, :4], axis=1), 1, rtol=0, atol=1e-14)
    centre = dyn.center_of_mass(motion.q)
    straight = centre[0] + np.outer(motion.t / motion.t[-1], centre[-1] - centre[0])
    np.testing.assert_allclose(centre, straight, rtol=0, atol=1e-8)


def test_runs_at_the_same_time(rope: lg.Dynamics) -> None:
    """Four threads with the same compiled code do not disturb each other."""
    starts = [0.03 * np.cos((1 + k) * np.arange(200)) for k in range(4)]

    def end_of_run(q: np.ndarray) -> np.ndarray:
        return lg.simulate(rope, 1.0, q, t_eval=2, rtol=1e-6).q[-1]

    alone = [end_of_run(q) for q in starts]
    with ThreadPoolExecutor(4) as pool:
        together = list(pool.map(end_of_run, starts))
    for one, other in zip(alone, together, strict=True):
        assert np.array_equal(one, other)


def test_methods_that_need_derivatives_are_refused(rope: lg.Dynamics) -> None:
    for method in ("rodas5p", "symplectic"):
        with pytest.raises(lg.ArgumentError, match=r"needs derivatives written out, and chain200 is too large.* use dop853, dp5"):
            lg.simulate(rope, 0.1, method=method, step=0.01)
    q = np.zeros(200)
    with pytest.raises(lg.ArgumentError, match="derivatives of chain200 are not available: it has 200 speeds"):
        rope.forward_dynamics_derivatives(q, q, q)
    with pytest.raises(lg.ArgumentError, match="derivatives of chain200 are not available"):
        lg.linearise(rope, q)
    with pytest.raises(lg.ArgumentError, match="derivatives of chain200 are not available"):
        lg.equilibrium(rope, q + 0.1)
