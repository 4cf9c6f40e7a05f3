"""Loops some of whose equations follow from others, with every stabilisation: Bennett's linkage against one coordinate."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import lagrangian as lg

A, ALPHA, BETA = 1.0, 0.7, 1.3
B = A * math.sin(BETA) / math.sin(ALPHA)
RATIO = math.sin((BETA + ALPHA) / 2) / math.sin((BETA - ALPHA) / 2)


def bennett() -> lg.Mechanism:
    """A spatial 4R loop that moves because sin(alpha)/a = sin(beta)/b (Bennett 1903): 5 equations, 3 of which follow."""
    ends = [lg.Placement.from_rpy((A, 0, 0), (ALPHA, 0, 0)), lg.Placement.from_rpy((B, 0, 0), (BETA, 0, 0))]
    bodies = [lg.Body(f"b{k}", mass=1.0 + k, center=(0.3, 0.1 * k, 0.05), inertia=(0.2, 0.3, 0.25)) for k in range(3)]
    joints = [
        lg.Joint("j0", "revolute", "ground", "b0"),
        lg.Joint("j1", "revolute", "b0", "b1", ends[0]),
        lg.Joint("j2", "revolute", "b1", "b2", ends[1]),
    ]
    loop = lg.LoopJoint("close", "revolute", "b2", "ground", ends[0], ends[1].inverse())
    return lg.Mechanism("bennett", bodies, joints, [loop])


def angles(x: float) -> np.ndarray:
    """tan(q0/2) tan(q1/2) is one number all along, and opposite angles are equal."""
    return np.array([x, 2 * math.atan2(RATIO * math.cos(x / 2), math.sin(x / 2)), -x])


def slopes(x: float) -> np.ndarray:
    c, s = math.cos(x / 2), math.sin(x / 2)
    return np.array([1.0, -RATIO / (s * s + RATIO**2 * c * c), -1.0])


def reduced(dyn: lg.Dynamics, x0: float, w0: float, end: float) -> np.ndarray:
    """J w' + J' w^2/2 + V' = 0 in the first angle alone, with M and V of the open chain."""

    def rates(t: float, y: np.ndarray) -> list[float]:
        d = 1e-4
        places = [y[0] + k * d for k in (-2, -1, 0, 1, 2)]
        J = [slopes(x) @ dyn.mass_matrix(angles(x)) @ slopes(x) for x in places]
        V = [dyn.potential_energy(angles(x)) for x in places]
        dJ, dV = ((z[0] - 8 * z[1] + 8 * z[3] - z[4]) / (12 * d) for z in (J, V))
        return [y[1], -(0.5 * dJ * y[1] ** 2 + dV) / J[2]]

    return np.array(solve_ivp(rates, (0, end), [x0, w0], method="DOP853", rtol=1e-10, atol=1e-11).y[:, -1])


@pytest.mark.parametrize("stabilisation", ["projection", "baumgarte", "ggl"])
def test_bennett_linkage_with_every_stabilisation(stabilisation: str) -> None:
    """Off the constraints, where steps without projection are, more equations seem independent than are."""
    mechanism = bennett()
    dyn = lg.compile(mechanism)
    q0 = angles(0.6)
    assert np.abs(dyn.closure(q0)).max() < 1e-14
    motion = lg.simulate(
        mechanism, 2.0, q0, slopes(0.6), stabilisation=stabilisation, rtol=1e-9, atol=1e-11, t_eval=21, max_steps=2000
    )
    assert motion.success, motion.message
    x, w = reduced(dyn, 0.6, 1.0, 2.0)
    assert np.sin((motion.q[-1] - angles(x)) / 2) == pytest.approx(0, abs=1e-6)  # but for whole turns
    assert motion.qd[-1] == pytest.approx(w * slopes(x), abs=1e-5)
    assert np.ptp(motion.kinetic_energy + motion.potential_energy) < 1e-6
    assert motion.statistics["accepted"] < 500
