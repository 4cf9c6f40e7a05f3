"""Mechanisms of many loops: solved from link to link, or through the mass matrix, the equations are those of dense algebra."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import lagrangian as lg
from lagrangian.algorithms.constraints import elimination_order
from lagrangian.algorithms.constraints.articulated import ArticulatedConstraints, prefers_articulated_bodies
from lagrangian.algorithms.constraints.constrained_dynamics import ConstrainedDynamics, MechanismState
from lagrangian.algorithms.tree import build_tree
from lagrangian.kernels.programs import sweeps
from tests.motion.machines import G, bar, energy_error, n_four_bar

END = lg.Transform(position=(1, 0, 0))
TURNED = lg.Transform.from_rpy((0, 0, 0), (0.3, 0.5, 0.7))  # a plane across no axis of the world


def tower(parents: Sequence[int], kind: str = "point", ground: lg.Transform | None = None) -> tuple[lg.Mechanism, list[float]]:
    """Parallelograms, each on the coupler of another or, where that is -1, on the ground; and where they are closed."""
    bodies, joints, loops, q = [], [], [], []
    more = {"directions": ("x", "y")} if kind == "point" else {}
    for k, parent in enumerate(parents):
        on = f"coupler{parent}" if parent >= 0 else "ground"
        at = ground if ground is not None and parent < 0 else lg.Transform()
        bodies += [bar(f"crank{k}"), bar(f"coupler{k}"), bar(f"rocker{k}")]
        joints += [
            lg.Joint(f"theta{k}", "revolute", on, f"crank{k}", at),
            lg.Joint(f"phi{k}", "revolute", f"crank{k}", f"coupler{k}", END),
            lg.Joint(f"psi{k}", "revolute", on, f"rocker{k}", at @ END),
        ]
        loops.append(lg.LoopJoint(f"closure{k}", kind, f"coupler{k}", f"rocker{k}", END, END, **more))
        lean = 1.0 + 0.9 * math.sin(3 * k)
        q += [lean, -lean, lean]
    return lg.Mechanism("tower", bodies, joints, loops, gravity=(0, -G, 0)), q


def spatial(n: int) -> lg.Mechanism:
    """Loops of two pins and two balls in space, each on the coupler of the one before, and a gear between two of their pins."""
    bodies, joints, loops = [], [], []
    on, at = "ground", lg.Transform()
    for k in range(n):
        bodies += [lg.Body(f"{name}{k}", 1.0, (0.3, 0.1, 0), (0.02, 0.1, 0.12)) for name in ("crank", "coupler", "rocker")]
        joints += [
            lg.Joint(f"theta{k}", "revolute", on, f"crank{k}", at),
            lg.Joint(f"turn{k}", "ball", f"crank{k}", f"coupler{k}", (0.5, 0, 0)),
            lg.Joint(f"psi{k}", "revolute", on, f"rocker{k}", at @ lg.Transform.from_rpy((1.0, 0.2, 0.1), (0.4, 0.3, 0))),
        ]
        loops.append(lg.LoopJoint(f"ball{k}", "ball", f"coupler{k}", f"rocker{k}", END, (0.6, 0, 0)))
        on, at = f"coupler{k}", END
    gear = lg.PfaffianConstraint("gear", {"theta0": 1.0, f"psi{n - 1}": -2.0})
    return lg.Mechanism("spatial", bodies, joints, loops, constraints=[gear])


def rope(n: int, sag: float) -> tuple[lg.Mechanism, list[float]]:
    """n bars hanging between two points of the ground, at rest: the discrete catenary, in which tan of an angle grows evenly.

    The horizontal force H is the same in all bars, of weight w each, so that tan a_k = sag (k - (n - 1) / 2) with sag = w / H.
    """
    a = np.arctan(sag * (np.arange(n) - (n - 1) / 2))
    joints = [lg.Joint(f"j{k}", "revolute", f"b{k - 1}" if k else "ground", f"b{k}", END if k else (0, 0, 0)) for k in range(n)]
    there = lg.Transform(position=(float(np.cos(a).sum()), float(np.sin(a).sum()), 0.0))
    tip = lg.LoopJoint("tip", "point", "ground", f"b{n - 1}", there, END, directions=("x", "y"))
    mechanism = lg.Mechanism("rope", [bar(f"b{k}") for k in range(n)], joints, [tip], gravity=(0, -G, 0))
    return mechanism, np.diff(a, prepend=0.0).tolist()


def ring(n: int) -> tuple[lg.Mechanism, list[float]]:
    """A chain that is closed to itself, and free in space."""
    axes = [(0, 0, 1), (0, 1, 0)]
    joints = [lg.Joint("free", "free", "ground", "b0")]
    joints += [lg.Joint(f"j{k}", "revolute", f"b{k - 1}", f"b{k}", END, axis=axes[k % 2]) for k in range(1, n)]
    bodies = [lg.Body(f"b{k}", 1.0, (0.5, 0.1, 0), (0.02, 0.1, 0.12)) for k in range(n)]
    loops = [lg.LoopJoint("tip", "ball", "b0", f"b{n - 1}", lg.Transform(), END)]
    turns = [4 * math.pi / n if k % 2 == 0 else 0.05 for k in range(1, n)]
    return lg.Mechanism("ring", bodies, joints, loops), [*np.eye(7)[3], *turns]


def state_at(mechanism: lg.Mechanism, q: np.ndarray, qd: np.ndarray, relative: bool) -> MechanismState:
    values, tree = {"q": q, "qd": qd}, build_tree(mechanism)
    links = sweeps.links_at_state(tree, ("q", "qd"), lambda name, k: float(values[name][k]), math.cos, math.sin)
    state = MechanismState(mechanism, tree, links, q.tolist(), qd.tolist())
    state.relative = relative
    return state


def dense(state: MechanismState, force: np.ndarray, gamma: np.ndarray, free: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Accelerations and multipliers by numpy, of all speeds but those that are held."""
    n, m = state.tree.nv, len(state.rows)
    M = np.array(state.mass_matrix, dtype=float).reshape(n, n)[np.ix_(free, free)]
    psi = np.array([[row.psi.get(k, 0.0) for k in range(n)] for row in state.rows])[:, free]
    solution = np.linalg.solve(np.block([[M, -psi.T], [psi, np.zeros((m, m))]]), np.concatenate([force[free], -gamma]))
    qdd = np.zeros(n)
    qdd[free] = solution[: free.sum()]
    return qdd, solution[free.sum() :]


CASES = {
    "ladder": lambda rng: (n_four_bar(7), [1.2, -1.2] * 7 + [1.2]),
    "tower": lambda rng: tower([-1, *range(6)]),
    "branched": lambda rng: tower([-1, *(int(rng.integers(k)) for k in range(1, 9))]),
    "forest": lambda rng: tower([int(rng.integers(-1, k)) for k in range(8)]),
    "turned": lambda rng: tower([-1, 0, 1, 1, 3], ground=TURNED),
    "spatial": lambda rng: (spatial(4), None),
    "rope": lambda rng: rope(9, 0.2),
    "ring": lambda rng: ring(12),
}


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("holds_some", [False, True])
def test_accelerations_are_those_of_dense_algebra(name: str, holds_some: bool) -> None:
    """Of both ways: also with joints that are held, and with loops in any order, which decides what is eliminated first."""
    rng = np.random.default_rng(len(name))
    mechanism, q0 = CASES[name](rng)
    shuffled = [mechanism.loops[k] for k in rng.permutation(len(mechanism.loops))]
    mechanism = mechanism.replace(loops=tuple(shuffled))
    q = lg.assemble(mechanism, q0)
    n = mechanism.nv
    qd, force, gamma = rng.normal(size=n), rng.normal(size=n), rng.normal(size=mechanism.equation_count)
    state = state_at(mechanism, q, qd, relative=False)
    held = () if not holds_some else (1,) if name == "ladder" else (1, 4)  # a ladder has one degree of freedom
    free = np.array([k not in held for k in range(n)])
    qdd, multipliers = dense(state, force, gamma, free)
    holding = {k: float(k in held) for k in (*held, 2)}  # a joint that could be held, and is not, too
    relative = state_at(mechanism, q, qd, relative=True)
    for system in (
        ConstrainedDynamics(state, state.rows, False, holding),
        ArticulatedConstraints(relative, relative.rows, False, holding),
    ):
        x, solved_multipliers, holds = system.acceleration(force.tolist(), gamma.tolist())
        np.testing.assert_allclose(x, qdd, rtol=0, atol=1e-10 * np.abs(qdd).max())
        np.testing.assert_allclose(solved_multipliers, multipliers, rtol=0, atol=1e-10 * np.abs(multipliers).max())
        M = np.array(state.mass_matrix, dtype=float).reshape(n, n)
        psi = np.array([[row.psi.get(k, 0.0) for k in range(n)] for row in state.rows])
        size = 1 + np.abs(force).max() + np.abs(solved_multipliers).max()
        np.testing.assert_allclose(M @ x, force + psi.T @ solved_multipliers + holds, rtol=0, atol=1e-9 * size)
        moved_by = np.array(system.correction(gamma.tolist()))
        np.testing.assert_allclose(psi @ moved_by, -gamma, rtol=0, atol=1e-9 * np.abs(gamma).max())
        assert not moved_by[~free].any()


def test_rows_that_follow_from_others_are_left_out() -> None:
    """Revolute loops in a plane askew: three equations of five follow from the others, and all that is kept is met."""
    mechanism, q0 = tower([-1, 0, 1, 2, 2, 4, 5], "revolute", TURNED)
    q, rng = np.array(q0), np.random.default_rng(0)
    state, relative = (state_at(mechanism, q, np.zeros(mechanism.nv), x) for x in (False, True))
    psi = np.array([[row.psi.get(k, 0.0) for k in range(mechanism.nv)] for row in state.rows])
    force, gamma = rng.normal(size=mechanism.nv), psi @ rng.normal(size=mechanism.nv)
    of = dict(zip((row.name for row in state.rows), gamma.tolist(), strict=True))
    M = np.array(state.mass_matrix, dtype=float).reshape(mechanism.nv, mechanism.nv)
    system = ArticulatedConstraints(relative, relative.rows, True)
    qdd, multipliers, _ = system.acceleration(force.tolist(), [of[row.name] for row in system.rows])
    np.testing.assert_allclose(psi @ qdd, -gamma, rtol=0, atol=1e-9)
    pushed = sum(x * psi[list(of).index(row.name)] for x, row in zip(multipliers, system.rows, strict=True))
    np.testing.assert_allclose(M @ qdd, force + pushed, rtol=0, atol=1e-9 * np.abs(multipliers).max())
    assert system.ratio > 1e-6


def test_slopes_that_are_left_out_are_zero_where_loops_are_closed() -> None:
    mechanism, q = tower([-1, 0, 1, 1])
    state, relative = (state_at(mechanism, np.array(q), np.ones(12), x) for x in (False, True))
    for row, other in zip(state.rows, relative.rows, strict=True):
        for k in range(mechanism.nv):
            assert other.psi.get(k, 0.0) == pytest.approx(row.psi.get(k, 0.0), abs=1e-14)
        assert (other.eta, other.rate, other.gamma) == (row.eta, row.rate, row.gamma)
    open_, relative = (state_at(mechanism, np.array(q) + 0.1 * np.arange(12), np.ones(12), x) for x in (False, True))
    fewer = [set(other.psi) < set(row.psi) for row, other in zip(open_.rows, relative.rows, strict=True)]
    assert fewer == [False, False, *[True] * 6]  # all but those of the loop on the ground


@pytest.mark.parametrize("kind", ["point", "revolute"])
def test_a_tower_of_parallelograms_moves_as_one_of_pendulums(kind: str) -> None:
    """Their couplers stay level, so that a tower has the energies of a chain of double cranks; written out by hand for it."""
    n = 8
    turned = TURNED if kind == "revolute" else None
    mechanism, q = tower([-1, *range(n - 1)], kind, turned)
    down = (np.array((turned or lg.Transform()).matrix()[:3, :3]) @ [0, -G, 0]).tolist()
    mechanism = mechanism.replace(gravity=tuple(down))
    assert prefers_articulated_bodies(mechanism, build_tree(mechanism))
    start = np.array(q[::3])
    motion = lg.simulate(mechanism, 0.4, q, [0.0] * len(q), rtol=1e-10, atol=1e-12, t_eval=2)
    assert motion.success, motion.message
    assert motion.drift.max() < 1e-13
    assert energy_error(motion) < 1e-8
    np.testing.assert_allclose(motion.q[-1, ::3], pendulums(start, 0.4), rtol=0, atol=1e-7)
    np.testing.assert_allclose(motion.q[-1, 1::3], -motion.q[-1, ::3], rtol=0, atol=1e-9)


def pendulums(start: np.ndarray, end: float) -> np.ndarray:
    """Such a tower as a chain of steps of 1 m, each along its own angle, after which a coupler is carried that stays level.

    Its kinetic energy is 1/2 sum of m_ij cos(a_i - a_j) w_i w_j. To m_ij all that is beyond both steps gives its mass, and the
    two bars of the outer one a half each, by their centres; or a third each, about the pins they turn on, where i = j.
    """
    n = len(start)
    above = np.array([3.0 * (n - 1 - i) + 1.0 for i in range(n)])  # the coupler of step i, and all that stands on it

    def rates(t: float, y: np.ndarray) -> np.ndarray:
        a, w = y[:n], y[n:]
        difference = a[:, None] - a[None, :]
        m = np.empty((n, n))
        for i in range(n):
            for j in range(n):
                m[i, j] = above[max(i, j)] + (2 / 3 if i == j else 1.0)
        M = m * np.cos(difference)
        right = -(m * np.sin(difference)) @ w**2 - G * (above + 1.0) * np.cos(a)
        return np.concatenate([w, np.linalg.solve(M, right)])

    solution = solve_ivp(rates, (0, end), np.concatenate([start, np.zeros(n)]), method="DOP853", rtol=1e-12, atol=1e-13)
    return np.array(solution.y[:n, -1])


def test_a_start_is_closed_as_in_any_mechanism() -> None:
    """Newton's method with the slopes of loops in axes that turn with what carries them."""
    mechanism, q = tower([-1, *range(9)])
    rough = np.array(q) + 0.2 * np.random.default_rng(2).normal(size=len(q))
    actual = lg.assemble(mechanism, rough)
    assert np.abs(lg.compile(mechanism).closure(actual)).max() < 1e-12
    assert np.abs(actual - rough).max() < 1.0
    mobility = lg.mobility(mechanism, q)
    assert (mobility.nearby, mobility.redundant) == (10, 0)
    mobility = lg.mobility(tower([-1, *range(9)], "revolute", TURNED)[0], q)
    assert (mobility.nearby, mobility.redundant) == (10, 30)


def test_public_functions_of_a_tower() -> None:
    """Accelerations and multipliers by dense algebra from M, Psi and gamma, at a state that keeps the loops."""
    mechanism, q0 = tower([-1, *range(7)])
    dyn, q = lg.compile(mechanism), np.array(q0)
    rng = np.random.default_rng(5)
    qd, tau = lg.consistent_speeds(mechanism, q, rng.normal(size=dyn.nv)), rng.normal(size=dyn.nv)
    M, psi = dyn.mass_matrix(q), dyn.constraint_jacobian(q)
    force = tau - dyn.inverse_dynamics(q, qd, np.zeros(dyn.nv))
    m = len(psi)
    right = np.concatenate([force, -dyn.constraint_bias(q, qd)])
    solution = np.linalg.solve(np.block([[M, -psi.T], [psi, np.zeros((m, m))]]), right)
    np.testing.assert_allclose(dyn.forward_dynamics(q, qd, tau), solution[: dyn.nv], rtol=0, atol=1e-9 * np.abs(solution).max())
    np.testing.assert_allclose(dyn.multipliers(q, qd, tau), solution[dyn.nv :], rtol=0, atol=1e-9 * np.abs(solution).max())


def test_a_long_rope_hangs() -> None:
    """A chain closed to the ground at its tip is solved from link to link; each end carries half of its weight."""
    n, sag = 60, 0.05
    mechanism, q = rope(n, sag)
    assert prefers_articulated_bodies(mechanism, build_tree(mechanism))
    dyn, still = lg.compile(mechanism), np.zeros(n)
    assert np.abs(dyn.forward_dynamics(q, still, still)).max() < 1e-9
    np.testing.assert_allclose(np.abs(dyn.multipliers(q, still, still)), [G / sag, G * n / 2], rtol=1e-10)
    motion = lg.simulate(mechanism, 0.1, q, still, t_eval=2)
    np.testing.assert_allclose(motion.q[-1], q, rtol=0, atol=1e-9)


def test_an_order_with_little_fill() -> None:
    """A star whose middle comes first fills all; a chain in its own order fills nothing and stays as it is."""
    star = [set(range(1, 9)), *({0} for _ in range(8))]
    assert elimination_order.low_fill_order(star)[-1] in (0, 8)
    assert sum(len(x) for x in elimination_order.fill_in(star)) == 9 * 8
    chain = [{k - 1, k + 1} & set(range(9)) for k in range(9)]
    assert elimination_order.low_fill_order(chain) == list(range(9))
    assert elimination_order.fill_in(chain) == chain
