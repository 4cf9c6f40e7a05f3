"""The chosen rotors' inertia in the torques that they are chosen for."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from scipy.linalg import null_space

import lagrangian as lg
from lagrangian.sizing.actuators import _choose_until_stable
from tests.sizing.tasks import (
    reach,
)


@pytest.mark.parametrize("name", ["puma560", "panda", "two_r"])
def test_torques_with_the_chosen_rotors_are_those_of_the_rebuilt_mechanism(name: str) -> None:
    arm = lg.library(name)
    motion = reach(arm)
    sizing = lg.size_actuators(arm, motion, gears=[20, 50, 100, 160], margin=1.0)
    assert sizing.fits
    built = lg.compile(sizing.mechanism).inverse_dynamics(motion.q, motion.qd, motion.qdd)
    scale = np.abs(built).max()
    assert np.abs(sizing.tau - built).max() < 1e-10 * scale
    assert np.abs(sizing.tau - motion.tau).max() > 1e-3 * scale  # it did change
    assert sizing.residual < 1e-10
    for joint in sizing.mechanism.joints:
        c = sizing[joint.name].chosen
        assert c is not None
        assert float(joint.rotor.reflected_inertia) == pytest.approx(c.reflected_inertia)
    # the description's own rotors play no part in the choice
    bare = arm.replace(joints=tuple(replace(j, rotor=lg.Rotor()) for j in arm.joints))
    again = lg.size_actuators(bare, reach(bare), gears=[20, 50, 100, 160], margin=1.0)
    for joint in arm.joints:
        one, other = sizing[joint.name].chosen, again[joint.name].chosen
        assert one is not None
        assert other is not None
        assert (one.motor.name, one.ratio) == (other.motor.name, other.ratio)
        assert one.rms_torque == pytest.approx(other.rms_torque, rel=1e-9)
        assert sizing[joint.name].demand.load_inertia == pytest.approx(again[joint.name].demand.load_inertia, rel=1e-9)


def actuated_torques(dyn: lg.Dynamics, motion: Any, row: int) -> np.ndarray:
    """The smallest torques of the actuated joints for one row's motion, from the equations of motion."""
    mechanism = dyn.mechanism
    h = dyn.inverse_dynamics(motion.q[row], motion.qd[row], motion.qdd[row])
    N = null_space(dyn.constraint_jacobian(motion.q[row]), rcond=1e-9)
    at = [k for k, on in enumerate(j.actuated for j in mechanism.joints for _ in range(j.kind.nv)) if on]
    tau = np.zeros(mechanism.nv)
    tau[at] = np.linalg.pinv(N[at].T) @ (N.T @ h)
    return tau


@pytest.mark.parametrize("name", ["five_bar", "delta", "three_rrr"])
def test_parallel_mechanisms(name: str) -> None:
    """Rotors of driven joints add to their own torque alone; the torques are those of the rebuilt mechanism through its loops."""
    machine = lg.library(name)
    motion = lg.simulate(machine, (0, 0.3))
    sizing = lg.size_actuators(machine, motion, gears=[10, 50], margin=0.5)
    assert sizing.passive
    assert not set(sizing.passive) & set(sizing.demand)
    assert sizing.residual < 1e-9
    assert sizing.iterations == 1
    built = lg.compile(sizing.mechanism)
    for row in (0, len(motion.t) // 2, len(motion.t) - 1):
        expected = actuated_torques(built, motion, row)
        assert sizing.tau[row] == pytest.approx(expected, abs=1e-7 * np.abs(sizing.tau).max())
    assert np.abs(sizing.tau - motion.tau).max() > 1e-4 * np.abs(motion.tau).max()


def test_load_inertia_of_a_loop_is_reduced() -> None:
    """The kinetic energy with one driven joint moving and the others held is 1/2 J qd^2."""
    machine = lg.library("three_rrr")
    motion = lg.simulate(machine, (0, 0.2)).resample(21)
    dyn = lg.compile(machine)
    sizing = lg.size_actuators(machine, motion, catalogue=False).demand
    names = list(machine.speed_names)
    driven = [names.index(name) for name in sizing]
    for name, d in sizing.items():
        inertia = []
        for q in motion.q:
            speeds = lg.consistent_speeds(dyn, q, fixed={n: float(n == name) for n in sizing})
            assert speeds[driven].sum() == pytest.approx(1)
            inertia.append(2 * dyn.kinetic_energy(q, speeds))
        rotor = float(machine.joint(name).rotor.reflected_inertia)
        assert d.load_inertia_max == pytest.approx(max(inertia) - rotor, rel=1e-6)
        assert min(inertia) - rotor <= d.load_inertia * (1 + 1e-9)


def over_actuated() -> lg.Mechanism:
    machine = lg.library("four_bar")
    return machine.replace(joints=tuple(replace(j, actuated=True) for j in machine.joints))


def test_more_actuators_than_freedoms_share_the_rotors() -> None:
    machine = over_actuated()
    motion = lg.simulate(machine, (0, 0.5))
    dyn = lg.compile(machine)
    motion.tau = np.array([actuated_torques(dyn, motion, row) for row in range(len(motion.t))])
    sizing = lg.size_actuators(machine, motion, gears=[10, 50], margin=0.5)
    assert sizing.converged
    assert sizing.iterations >= 2
    assert all(a.chosen for a in sizing.actuators.values())
    built = lg.compile(sizing.mechanism)
    for row in range(0, len(motion.t), max(1, len(motion.t) // 7)):
        expected = actuated_torques(built, motion, row)
        assert sizing.tau[row] == pytest.approx(expected, abs=1e-8 * np.abs(sizing.tau).max())
    assert sizing.residual < 1e-9
    for k, name in enumerate(machine.speed_names):  # the motor's torque is the joint's, through the gear
        c = sizing[name].chosen
        assert c is not None
        assert sizing[name].torque == pytest.approx(sizing.tau[:, k] / c.ratio, abs=1e-8 * np.abs(sizing[name].torque).max())


@pytest.mark.parametrize(
    ("name", "turn"), [("five_bar", {"q1": "2*pi/3 + 0.2*sin(3*t)", "q2": "pi/6 + 0.1*sin(2*t)"}), ("puma560", None)]
)
def test_the_inverse_of_the_sized_mechanism(name: str, turn: dict[str, str] | None) -> None:
    """Path, torques, motors, and the same path again with the motors in: the torques are those that were foretold."""
    machine = lg.library(name)
    path = lg.paths.formula(turn, 1.0) if turn else lg.paths.joint_line(np.full(6, 0.1), np.full(6, 0.9), 0.7)
    motion = lg.inverse(machine, path, t_eval=201)
    sizing = lg.size_actuators(machine, motion, gears=[20, 50, 100])
    assert sizing.fits
    again = lg.inverse(sizing.mechanism, path, t_eval=201)
    assert np.abs(again.tau - sizing.tau).max() < 1e-10 * np.abs(again.tau).max()
    assert np.abs(again.tau - motion.tau).max() > 1e-4 * np.abs(again.tau).max()


def test_choices_that_go_round_are_found() -> None:
    class Fake:
        def __init__(self, key: int) -> None:
            self.key, self.best = key, None

    turn = iter([1, 2, 3, 2, 3, 2, 3])
    _, iterations, settled = _choose_until_stable(SimpleNamespace(share=1), np.zeros(1), lambda r: [Fake(next(turn))])  # type: ignore[arg-type]
    assert (iterations, settled) == (4, False)
    turn = iter([1, 2, 2])
    assert _choose_until_stable(SimpleNamespace(share=1), np.zeros(1), lambda r: [Fake(next(turn))])[1:] == (3, True)  # type: ignore[arg-type]
