"""Loops some of whose equations follow from others, with every stabilisation: Bennett's linkage against one coordinate."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import lagrangian as lg
from lagrangian.algorithms.constraints.cholesky import GroupedLDL, sparse
from lagrangian.motion.run.freedom import Freedom

A, ALPHA, BETA = 1.0, 0.7, 1.3
B = A * math.sin(BETA) / math.sin(ALPHA)
RATIO = math.sin((BETA + ALPHA) / 2) / math.sin((BETA - ALPHA) / 2)


def bennett() -> lg.Mechanism:
    """A spatial 4R loop that moves because sin(alpha)/a = sin(beta)/b (Bennett 1903): 5 equations, 3 of which follow."""
    ends = [lg.Transform.from_rpy((A, 0, 0), (ALPHA, 0, 0)), lg.Transform.from_rpy((B, 0, 0), (BETA, 0, 0))]
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


def reduced_motion(dyn: lg.Dynamics, x0: float, w0: float, end: float) -> np.ndarray:
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
    x, w = reduced_motion(dyn, 0.6, 1.0, 2.0)
    assert np.sin((motion.q[-1] - angles(x)) / 2) == pytest.approx(0, abs=1e-6)  # but for whole turns
    assert motion.qd[-1] == pytest.approx(w * slopes(x), abs=1e-5)
    assert np.ptp(motion.kinetic_energy + motion.potential_energy) < 1e-6
    assert motion.statistics["accepted"] < 500


def carousel(loops: int = 3) -> lg.Mechanism:
    """Parallelograms on a wheel whose axis is askew, each closed by a joint and a weld, as files have it: half say nothing new.

    A light hand swings on the wheel, too, and meets its stop.
    """
    bodies = [
        lg.Body("wheel", mass=20.0, center=(0.02, 0, 0), inertia=(0.8, 0.9, 1.1)),
        lg.Body("hand", mass=0.02, center=(0.05, 0.01, 0), inertia=(1e-4, 1e-4, 1e-4)),
    ]
    joints = [
        lg.Joint("turn", "revolute", "ground", "wheel", lg.Transform.from_rpy((0, 0, 0), (0.4, 0.5, 0.3))),
        lg.Joint("hang", "revolute", "wheel", "hand", (0, 0, 0.2), limits=lg.JointLimits(lower=-0.1, upper=1.0)),
    ]
    welds = []
    for k in range(loops):
        crank, coupler, rocker, end = (f"{name}{k}" for name in ("crank", "coupler", "rocker", "end"))
        sizes = {crank: 0.5, coupler: 0.3 + 0.1 * k, rocker: 0.4}
        bodies += [lg.Body(name, mass=m, center=(0.1, 0.02, 0), inertia=(0.01 * m,) * 3) for name, m in sizes.items()]
        bodies.append(lg.Body(end))
        at = lg.Transform.from_rpy((0.3, 0.1 * k, 0), (0.3 * k, 0.7, 0))
        joints += [
            lg.Joint(f"a{k}", "revolute", "wheel", crank, at),
            lg.Joint(f"b{k}", "revolute", crank, coupler, (0.2, 0, 0)),
            lg.Joint(f"c{k}", "revolute", "wheel", rocker, at @ lg.Transform(position=(0.5, 0, 0))),
            lg.Joint(f"d{k}", "revolute", rocker, end, (0.2, 0, 0)),
        ]
        welds.append(lg.LoopJoint(f"weld{k}", "fixed", coupler, end, lg.Transform(position=(0.5, 0, 0))))
    return lg.Mechanism("carousel", bodies, joints, welds)


def upright(angle: float, turn: float) -> np.ndarray:
    """All cranks at one angle, along which a parallelogram stays one."""
    return np.array([turn, 0.0, *[angle, -angle, angle, -angle] * 3])


def test_accelerations_of_many_redundant_loops_are_those_of_the_dense_equations() -> None:
    """Rows that are zero but for rounding have no weight, and rows of heavy bodies are not taken for dependent ones."""
    mechanism = carousel()
    dyn = lg.compile(mechanism)
    for angle, turn in ((0.8, 0.3), (1.7, -2.0)):
        q = upright(angle, turn)
        psi, M = dyn.constraint_jacobian(q), dyn.mass_matrix(q)
        _, s, rows = np.linalg.svd(psi)
        rank = int((s > 1e-9 * s[0]).sum())
        assert rank == 9
        free = rows[rank:].T
        qd = free @ np.array([1.0, -0.7, 2.0, 0.4, -1.3])
        across = -np.linalg.lstsq(psi, dyn.constraint_bias(q, qd), rcond=1e-9)[0]
        bias = dyn.inverse_dynamics(q, qd, np.zeros(mechanism.nv))
        expected = across + free @ np.linalg.solve(free.T @ M @ free, -free.T @ (bias + M @ across))
        accelerations = dyn.forward_dynamics(q, qd, np.zeros(mechanism.nv))
        assert accelerations == pytest.approx(expected, abs=1e-9 * np.abs(expected).max())


def test_many_redundant_loops_move() -> None:
    """Equations that follow from others everywhere are no singular configuration, and hold no joint that is in no loop."""
    mechanism = carousel()
    motion = lg.simulate(mechanism, 0.15, upright(0.8, 0.3), max_steps=2000)
    assert motion.success, motion.message
    assert np.abs(motion.energy_balance).max() < 1e-7 * motion.energy_scale
    assert motion.drift.max() < 1e-11
    assert not [x for x in motion.events if "singular" in x.name]
    assert motion.statistics["independence"] > 1e-3
    assert [x.name for x in motion.events] == ["hang meets its lower limit"]
    assert motion.q[-1, 1] == -0.1


def test_rows_that_are_rounding_alone_hold_no_joint() -> None:
    """Across its plane a loop that is askew has slopes of 1e-17, of any joints."""
    psi = np.array([[1e-17, -2e-17, 3e-17], [0.0, 0.0, 1e-3]])
    assert Freedom(np.diag([1.0, 2.0, 3.0]), psi, [0, 1, 2]).fixed.tolist() == [False, False, True]


def test_dependent_rows_of_any_size_are_told_from_independent_ones() -> None:
    """Random rows in groups, some of which follow from others, from a millionth to a million in size."""
    rng = np.random.default_rng(1)
    groups = [list(range(k, k + 6)) for k in (0, 6, 12)]
    for _ in range(50):
        rows = rng.normal(size=(18, 8)) @ rng.normal(size=(8, 14))
        sizes = 10 ** np.repeat(rng.uniform(-3, 3, 3), 6) * 10 ** rng.uniform(-1, 1, 18)
        A = (sizes[:, None] * rows) @ (sizes[:, None] * rows).T
        b = A @ (rng.normal(size=18) / sizes)
        for known in (None, lambda group: {0: 6, 6: 2, 12: 0}[group[0]]):
            system = GroupedLDL(sparse(A.tolist()), groups, rank=known)
            assert (A @ np.array(system.solve(b.tolist())) - b) / sizes == pytest.approx(0, abs=1e-6 * np.abs(b / sizes).max())
            assert system.ratio > 1e-8


def test_welds_within_one_rigid_body_take_no_freedom() -> None:
    """Their slopes are rounding alone, of any rank; it falls as a body does."""
    bodies = [lg.Body(name, mass=1.0, inertia=(0.1, 0.2, 0.3)) for name in ("one", "other")]
    at = lg.Transform.from_rpy((0.3, 0.1, 0.7), (0.3, 1.1, 0.2))
    joints = [lg.Joint("root", "free", "ground", "one"), lg.Joint("weld", "fixed", "one", "other", at)]
    ends = lg.Transform(position=(0.9, 0.2, 0.1)), at.inverse() @ lg.Transform(position=(0.9, 0.2, 0.1))
    mechanism = lg.Mechanism("rigid", bodies, joints, [lg.LoopJoint("again", "fixed", "one", "other", *ends)])
    assert lg.mobility(mechanism).degrees == lg.mobility(mechanism).nearby == 6
    motion = lg.simulate(mechanism, 0.5, qd0=[0, 0, 0, 0, 0, 0])
    assert motion.success, motion.message
    assert motion.qd[-1, -1] == pytest.approx(-0.5 * 9.81, rel=1e-3)
