"""The equations of motion with multipliers: `M qdd + bias = tau + Psi^T lambda`, `Psi qdd + gamma = 0`, against dense numpy."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

import lagrangian as lg
from lagrangian.algorithms.constraints.cholesky import MAX_PIVOTED_ROWS
from lagrangian.model.loops import TYPES as LOOP_TYPES
from tests.kernels.rows import expression
from tests.kernels.test_combined_constraints import mixture
from tests.mechanisms import random_body, random_loop, random_mechanism, state, two_chains

RANK = 1e-9


def dense_solution(mechanism: lg.Mechanism, dyn: lg.Dynamics, q, qd, tau, t: float = 0.0) -> tuple[np.ndarray, np.ndarray]:
    """qdd, and of all multipliers the least, by dense matrices: dependent rows through singular values."""
    M, Psi, gamma = dyn.mass_matrix(q), dyn.constraint_jacobian(q, t), dyn.constraint_bias(q, qd, t)
    force = tau - dyn.inverse_dynamics(q, qd, np.zeros(mechanism.nv))
    # of mass one, x = L^T qdd: the motion nearest the free one among those that keep the constraints
    inverse = np.linalg.inv(np.linalg.cholesky(M))
    B = Psi @ inverse.T
    free = inverse @ force
    rows = np.linalg.norm(Psi, axis=1) > RANK
    B, gamma = B[rows], gamma[rows]
    scale = 1 / np.linalg.norm(B, axis=1)
    x = free - np.linalg.pinv(scale[:, None] * B, rcond=RANK) @ (scale * (gamma + B @ free))
    qdd = inverse.T @ x
    return qdd, np.linalg.pinv(Psi.T, rcond=RANK) @ (M @ qdd - force)


def close(actual: np.ndarray, want: np.ndarray, tolerance: float) -> None:
    assert np.isfinite(actual).all()
    assert np.abs(actual - want).max(initial=0.0) <= tolerance * max(1.0, np.abs(want).max(initial=0.0))


def check(mechanism: lg.Mechanism, q, qd, tau, t: float = 0.0, tolerance: float = 1e-10) -> None:
    """The solver's result against the dense one, and put into both equations."""
    dyn = lg.compile(mechanism)
    qdd, multipliers = dyn.forward_dynamics(q, qd, tau, t=t), dyn.multipliers(q, qd, tau, t=t)
    want, least = dense_solution(mechanism, dyn, q, qd, tau, t)
    close(qdd, want, tolerance)
    close(multipliers, least, tolerance)
    Psi = dyn.constraint_jacobian(q, t)
    force = dyn.mass_matrix(q) @ qdd + dyn.inverse_dynamics(q, qd, np.zeros(mechanism.nv)) - tau
    close(Psi.T @ multipliers, force, tolerance)
    close(Psi @ qdd, -dyn.constraint_bias(q, qd, t), tolerance)


def speeds(dyn: lg.Dynamics, q: np.ndarray, t: float = 0.0, seed: int = 0) -> np.ndarray:
    """Random ones that keep the constraints."""
    Psi, n = dyn.constraint_jacobian(q, t), dyn.nv
    qd = np.random.default_rng(seed).normal(size=n)
    return qd - np.linalg.pinv(Psi, rcond=RANK) @ dyn.constraint_rate(q, qd, t)


def nearest_closed_configuration(dyn: lg.Dynamics, q: np.ndarray) -> np.ndarray:
    """The nearest closed configuration, where every joint has a coordinate for its speed."""
    for _ in range(30):
        q = q - np.linalg.pinv(dyn.constraint_jacobian(q), rcond=RANK) @ dyn.closure(q)
    assert np.abs(dyn.closure(q)).max() < 1e-13
    return q


# -- independent rows ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", LOOP_TYPES)
def test_random_states_off_the_manifold(kind: str) -> None:
    """Both equations are linear in qdd and lambda, whether the loop is closed or not."""
    mechanism = two_chains(["ball", "helical"], ["universal"], kind, 3)
    for seed in range(3):
        q, qd, _, tau = state(mechanism, seed)
        check(mechanism, q, qd, tau)


def test_all_that_acts_at_joints_and_between_points() -> None:
    """Rotors, friction, springs at joints, a spring and damper between points."""
    tree = random_mechanism(["ball", "revolute", "prismatic", "free", "helical"], 7, passive=True)
    loop = random_loop(np.random.default_rng(0), "close", "revolute", "b4", "b2")
    between = [
        *tree.springs,
        lg.PointSpring("pull", "b1", "b3", (0.1, 0, 0), stiffness=5.0),
        lg.PointSpring("damp", "b0", "ground", (1, 0, 0), damping=2.0),
    ]
    mechanism = tree.replace(loops=[loop], springs=between)
    for seed in range(3):
        q, qd, _, tau = state(mechanism, seed)
        check(mechanism, q, qd, tau)


def test_springs_between_points_reach_the_accelerations() -> None:
    """The same with the springs' forces given as joint forces."""
    tree = random_mechanism(["ball", "revolute", "prismatic"], 5, chain=True, passive=True)
    loop = lg.LoopJoint("hold", "distance", "b1", "ground", length=0.5)
    sprung = tree.replace(loops=[loop])
    bare = sprung.replace(springs=[])
    q, qd, _, tau = state(sprung, 1)
    one, other = lg.compile(sprung), lg.compile(bare)
    z = np.zeros(sprung.nv)
    force = other.inverse_dynamics(q, qd, z) - one.inverse_dynamics(q, qd, z)
    assert np.abs(force).max() > 0.1
    close(one.forward_dynamics(q, qd, tau), other.forward_dynamics(q, qd, tau + force), 1e-12)
    close(one.multipliers(q, qd, tau), other.multipliers(q, qd, tau + force), 1e-12)


def test_wrenches_accelerate_loops_as_joint_torques_do() -> None:
    mechanism = two_chains(["ball", "revolute"], ["universal", "helical"], "ball", 3)
    sprung = mechanism.replace(springs=[lg.PointSpring("s", "b0", "c0", stiffness=9.0, rest=0.2, damping=0.3)])
    wrench = np.arange(1.0, 7.0)
    for value in (mechanism, sprung):
        dyn = lg.compile(value)
        q, qd, _, tau = state(value, 1)
        loaded = tau + dyn.jacobian(q, "c1").T @ wrench
        close(dyn.forward_dynamics(q, qd, tau, {"c1": wrench}), dyn.forward_dynamics(q, qd, loaded), 1e-13)
        close(dyn.multipliers(q, qd, tau, {"c1": wrench}), dyn.multipliers(q, qd, loaded), 1e-13)


def test_a_mixture_of_constraints() -> None:
    mechanism = mixture()
    for seed in range(2):
        q, qd, _, tau = state(mechanism, seed)
        check(mechanism, q, qd, tau, t=0.3, tolerance=1e-8)


def test_more_rows_than_are_pivoted() -> None:
    """Three free bodies on a string of loops: independent rows, in their order."""
    tree = random_mechanism(["free", "free", "free"], 2)
    tree = tree.replace(joints=[replace(j, parent="ground") for j in tree.joints])
    rng = np.random.default_rng(0)
    ends = [("ground", "b0", "revolute"), ("b0", "b1", "universal"), ("b1", "b2", "fixed")]
    mechanism = tree.replace(loops=[random_loop(rng, f"l{k}", kind, a, b) for k, (a, b, kind) in enumerate(ends)])
    assert mechanism.equation_count > MAX_PIVOTED_ROWS
    for seed in range(2):
        q, qd, _, tau = state(mechanism, seed)
        check(mechanism, q, qd, tau)


def test_prescribed_motion() -> None:
    """A driven angle has the acceleration that was prescribed, and its multiplier is the torque that drives it."""
    tree = random_mechanism(["revolute", "revolute", "prismatic"], 4, chain=True)
    drive = lg.HolonomicConstraint("drive", expression(tree, "j1 - 0.4*sin(3*t)"))
    mechanism = tree.replace(constraints=[drive])
    q, qd, _, tau = state(mechanism, 0)
    check(mechanism, q, qd, tau, t=0.7)
    dyn = lg.compile(mechanism)
    qdd = dyn.forward_dynamics(q, qd, tau, t=0.7)
    assert qdd[1] == pytest.approx(-0.4 * 9 * math.sin(2.1))
    driven = tau + np.array([0.0, dyn.multipliers(q, qd, tau, t=0.7)[0], 0.0])
    close(lg.compile(tree).forward_dynamics(q, qd, driven), qdd, 1e-11)


def test_the_multiplier_is_the_force_on_body_a() -> None:
    """A body held in the air: the loop carries its weight; from the other side the sign turns."""
    body = lg.Body("b", 2.0, inertia=(0.1, 0.1, 0.1))
    joint = lg.Joint("f", "free", "ground", "b")
    for a, b, sign in (("b", "ground", 1), ("ground", "b", -1)):
        held = lg.Mechanism("held", [body], [joint], [lg.LoopJoint("l", "fixed", a, b)], gravity=(0, 0, -10.0))
        dyn, z = lg.compile(held), np.zeros(6)
        np.testing.assert_allclose(dyn.forward_dynamics(held.neutral(), z, z), 0, atol=1e-14)
        np.testing.assert_allclose(dyn.multipliers(held.neutral(), z, z), [0, 0, sign * 20.0, 0, 0, 0], atol=1e-13)


def test_tension_of_a_wire() -> None:
    """m1 m2 / (m1 + m2) l w^2, as a force along the wire: negative, since it pulls the ends together."""
    mechanism = lg.library("wire_particles")
    dyn = lg.compile(mechanism)
    actual = dyn.multipliers(np.array(mechanism.initial.q), np.array(mechanism.initial.qd), np.zeros(4))
    assert actual == pytest.approx([-2.0 / 3.0 * 16.0])


# -- dependent rows --------------------------------------------------------------------------------------------------

PLANES = {"level": (1.0, 0.0, 0.0, 0.0), "upright": (1.0, 1.0, 0.0, 0.0), "askew": (1.0, 0.3, -0.5, 0.2)}


def four_bar(plane: tuple[float, ...], kind: str, loops: int = 1, bars: int = 1) -> lg.Mechanism:
    """Planar four-bars in some plane, closed by loop joints with more equations than a plane has."""
    rng = np.random.default_rng(0)
    base = lg.Transform.from_quaternion((0, 0, 0), plane)

    def along(x: float) -> lg.Transform:
        return lg.Transform(position=(x, 0.0, 0.0))

    bodies, joints, closed = [], [], []
    for k in range(bars):
        bodies += [random_body(rng, f"{name}{k}") for name in ("crank", "coupler", "rocker")]
        joints += [
            lg.Joint(f"a{k}", "revolute", "ground", f"crank{k}", base),
            lg.Joint(f"b{k}", "revolute", f"crank{k}", f"coupler{k}", along(0.4)),
            lg.Joint(f"c{k}", "revolute", "ground", f"rocker{k}", base @ along(1.0)),
        ]
        closed += [lg.LoopJoint(f"l{k}{j}", kind, f"coupler{k}", f"rocker{k}", along(0.9), along(0.8)) for j in range(loops)]
    return lg.Mechanism("four_bar", bodies, joints, closed, gravity=(0.3, -9.0, -3.0))


@pytest.mark.parametrize("plane", PLANES)
@pytest.mark.parametrize(("kind", "loops", "bars"), [("revolute", 1, 1), ("cylindrical", 2, 1), ("revolute", 1, 3)])
def test_redundant_loops(plane: str, kind: str, loops: int, bars: int) -> None:
    """Rows that are zero, or the same again: accelerations as ever, and the least multipliers, in any plane."""
    mechanism = four_bar(PLANES[plane], kind, loops, bars)
    dyn = lg.compile(mechanism)
    q = nearest_closed_configuration(dyn, np.tile([0.7, 0.1, 1.3], bars))
    assert np.linalg.matrix_rank(dyn.constraint_jacobian(q), tol=1e-9) == 2 * bars < mechanism.equation_count
    tau = np.random.default_rng(1).normal(size=mechanism.nv)
    check(mechanism, q, speeds(dyn, q), tau)
    # the same motion as with the two equations that are needed
    plain = four_bar(PLANES["level"], "point", 1, bars)
    plain = plain.replace(loops=[replace(loop, directions=("x", "y")) for loop in plain.loops])
    if plane == "level":
        close(dyn.forward_dynamics(q, speeds(dyn, q), tau), lg.compile(plain).forward_dynamics(q, speeds(dyn, q), tau), 1e-10)


@pytest.mark.parametrize("plane", PLANES)
def test_a_loop_that_says_nothing(plane: str) -> None:
    """A planar joint across the plane of a planar linkage: all its rows are zero, by structure or by rounding."""
    mechanism = four_bar(PLANES[plane], "planar")
    q, qd, _, tau = state(mechanism, 0)
    dyn = lg.compile(mechanism)
    np.testing.assert_allclose(dyn.constraint_jacobian(q), 0, atol=1e-15)
    close(dyn.forward_dynamics(q, qd, tau), lg.compile(mechanism.replace(loops=[])).forward_dynamics(q, qd, tau), 1e-12)
    np.testing.assert_allclose(dyn.multipliers(q, qd, tau), 0, atol=1e-12)


def test_batches_of_redundant_loops() -> None:
    """Closed, open and bad states together: each as it is alone, bit for bit, and the bad one spoils no other."""
    mechanism = four_bar(PLANES["askew"], "revolute")
    dyn = lg.compile(mechanism)
    closed = nearest_closed_configuration(dyn, np.array([0.7, 0.1, 1.3]))
    q = np.array([closed, closed + 0.1, closed, [0.1, np.nan, 0.2], closed])
    qd, tau = np.random.default_rng(0).normal(size=(2, 5, 3))
    for function in (dyn.forward_dynamics, dyn.multipliers):
        many = function(q, qd, tau)
        for k in (0, 1, 2, 4):
            assert np.isfinite(many[k]).all()
            np.testing.assert_array_equal(many[k], function(q[k], qd[k], tau[k]))
        assert np.isnan(many[3]).any()


def test_two_of_the_same_share_the_load() -> None:
    mechanism = two_chains(["ball", "revolute"], ["universal", "helical"], "ball", 3)
    (loop,) = mechanism.loops
    twice = mechanism.replace(loops=[loop, replace(loop, name="again")])
    q, qd, _, tau = state(mechanism, 1)
    one, two = lg.compile(mechanism), lg.compile(twice)
    check(twice, q, qd, tau)
    close(two.forward_dynamics(q, qd, tau), one.forward_dynamics(q, qd, tau), 1e-11)
    alone = one.multipliers(q, qd, tau)
    close(two.multipliers(q, qd, tau), np.tile(alone / 2, 2), 1e-10)


def test_independent_rows_are_left_as_they_are() -> None:
    """Where nothing is redundant, multipliers are those of the solver, not of singular values: bit for bit."""
    mechanism = two_chains(["ball", "revolute"], ["universal", "helical"], "fixed", 3)
    dyn = lg.compile(mechanism)
    q, qd, _, tau = state(mechanism, 1)
    together = dyn._kernels.constraint_kernel("acceleration")(q, qd, tau)
    np.testing.assert_array_equal(dyn.multipliers(q, qd, tau), together[mechanism.nv :])
    close(dyn.forward_dynamics(q, qd, tau), together[: mechanism.nv], 1e-13)


def test_rows_of_very_different_units() -> None:
    """Millimetres and turns: no row is taken for rounding, or for dependent, because its unit is small."""
    tree = random_mechanism(["revolute", "revolute", "prismatic", "revolute"], 4, chain=True)
    texts = ("j0 - j1", "1e-3*(j2 - j3)", "1e2*(j1 + 2*j3)")
    value = [lg.HolonomicConstraint(f"e{k}", expression(tree, text)) for k, text in enumerate(texts)]
    mechanism = tree.replace(constraints=value)
    q, qd, _, tau = state(mechanism, 2)
    dyn = lg.compile(mechanism)
    qdd = dyn.forward_dynamics(q, qd, tau)
    np.testing.assert_allclose([qdd[0] - qdd[1], qdd[2] - qdd[3], qdd[1] + 2 * qdd[3]], 0, atol=1e-9)
    assert np.abs(qdd).max() > 0.1
    force = dyn.mass_matrix(q) @ qdd + dyn.inverse_dynamics(q, qd, np.zeros(4)) - tau
    close(dyn.constraint_jacobian(q).T @ dyn.multipliers(q, qd, tau), force, 1e-9)


# -- the library -----------------------------------------------------------------------------------------------------

CLOSED = [name for name in lg.library() if lg.library(name).equation_count]


@pytest.mark.parametrize("name", CLOSED)
def test_accelerations_of_the_library_are_those_of_dense_algebra(name: str) -> None:
    """At their start, moving in all ways they can."""
    mechanism = lg.library(name)
    dyn = lg.compile(mechanism)
    q = np.array(mechanism.initial.q)
    np.testing.assert_allclose(dyn.closure(q), 0, atol=1e-12)
    tau = np.random.default_rng(0).normal(size=mechanism.nv)
    check(mechanism, q, speeds(dyn, q), tau, tolerance=1e-9)


def test_there_are_closed_mechanisms() -> None:
    assert {"four_bar", "bricard", "stewart", "delta", "chaplygin_sleigh"} <= set(CLOSED)
