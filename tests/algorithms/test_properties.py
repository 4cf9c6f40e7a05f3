"""Physical identities on random trees with every type of joint, through the compiled kernels.

Small trees are unrolled; the same identities are checked on rolled kernels, whose code is another.
"""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings

import lagrangian as lg
from tests.mechanisms import MOVING, advance, joint_lists, random_mechanism, seeds, state

STEP = 1e-6


@pytest.fixture(params=["unrolled", "rolled"])
def form(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    if request.param == "rolled":
        monkeypatch.setattr("lagrangian.kernels.programs.sweeps.MAX_UNROLLED_LINKS", -1)
    return request.param


def close(a: object, b: object, tolerance: float) -> None:
    a, b = np.asarray(a), np.asarray(b)
    scale = max(1.0, float(np.abs(a).max(initial=0)), float(np.abs(b).max(initial=0)))
    assert np.abs(a - b).max(initial=0) <= tolerance * scale


def rate(function, mechanism: lg.Mechanism, q: np.ndarray, qd: np.ndarray) -> np.ndarray:
    """The time derivative of a function of q when moving at qd, by central differences."""
    return (function(advance(mechanism, q, qd, STEP)) - function(advance(mechanism, q, qd, -STEP))) / (2 * STEP)


def check_identities(dyn: lg.Dynamics, seed: int) -> None:
    mechanism = dyn.mechanism
    q, qd, qdd, tau = state(mechanism, seed)
    n = mechanism.nv
    M, C, G = dyn.mass_matrix(q), dyn.coriolis_matrix(q, qd), dyn.gravity(q)
    F = dyn.friction(qd, q=q)

    close(M, M.T, 1e-13)
    assert np.linalg.eigvalsh(M)[0] > 0
    close(0.5 * qd @ M @ qd, dyn.kinetic_energy(q, qd), 1e-12)
    close(dyn.inverse_dynamics(q, qd, qdd), M @ qdd + C @ qd + G + F, 1e-11)
    close(dyn.inverse_dynamics(q, qd, dyn.forward_dynamics(q, qd, tau)), tau, 1e-9)
    close(rate(dyn.mass_matrix, mechanism, q, qd), C + C.T, 1e-7)  # M' - 2C is skew
    close([rate(dyn.potential_energy, mechanism, q, e) for e in np.eye(n)], G, 1e-7)  # G = dV/dq

    # power of the joint forces is the change of energy, less what friction takes
    qdd = dyn.forward_dynamics(q, qd, tau)
    power = qd @ M @ qdd + 0.5 * qd @ rate(dyn.mass_matrix, mechanism, q, qd) @ qd + qd @ G
    close(power, qd @ (tau - F), 1e-6)


@settings(max_examples=4, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(types=joint_lists, seed=seeds)
def test_random_trees(form: str, types: list[str], seed: int) -> None:
    """All on the same tree: most of the time goes into its kernels."""
    mechanism = random_mechanism(types, seed)
    dyn = lg.compile(mechanism)
    check_identities(dyn, seed)
    check_frames(dyn, seed)
    check_momentum_center_of_mass_regressor_and_reactions(dyn, seed)


@pytest.mark.parametrize("kind", MOVING)
def test_identities_for_each_joint_type(form: str, kind: str) -> None:
    check_identities(lg.compile(random_mechanism(["revolute", kind, "prismatic"], 7, chain=True)), 3)


def test_identities_with_springs_friction_and_rotors(form: str) -> None:
    mechanism = random_mechanism(["revolute", "prismatic", "universal", "ball", "revolute"], 11, passive=True)
    check_identities(lg.compile(mechanism), 5)


def check_frames(dyn: lg.Dynamics, seed: int) -> None:
    mechanism = dyn.mechanism
    q, qd, qdd, _ = state(mechanism, seed)
    body = mechanism.bodies[-1].name
    J = dyn.jacobian(q, body)
    close(J @ qd, dyn.velocity(q, qd, body), 1e-12)
    # the velocity against the change of the pose
    T, dT = dyn.pose(q, body), rate(lambda x: dyn.pose(x, body), mechanism, q, qd)
    W = dT[:3, :3] @ T[:3, :3].T
    close([W[2, 1], W[0, 2], W[1, 0], *dT[:3, 3]], J @ qd, 1e-7)
    close(T[:3, :3] @ T[:3, :3].T, np.eye(3), 1e-12)
    # acceleration = J qdd + J' qd, and J' qd is the change of J along the motion
    close(dyn.acceleration(q, qd, qdd, body), J @ qdd + dyn.jacobian_dot_qd(q, qd, body), 1e-11)
    close(rate(lambda x: dyn.jacobian(x, body), mechanism, q, qd) @ qd, dyn.jacobian_dot_qd(q, qd, body), 1e-6)
    # a wrench does work through J^T
    wrench = np.arange(1.0, 7.0)
    free = dyn.inverse_dynamics(q, qd, qdd)
    close(free - dyn.inverse_dynamics(q, qd, qdd, wrenches={body: wrench}), J.T @ wrench, 1e-11)
    pushed = dyn.forward_dynamics(q, qd, free, wrenches={body: wrench})
    close(dyn.mass_matrix(q) @ (pushed - qdd), J.T @ wrench, 1e-8)


def check_momentum_center_of_mass_regressor_and_reactions(dyn: lg.Dynamics, seed: int) -> None:
    mechanism = dyn.mechanism
    q, qd, qdd, _ = state(mechanism, seed)
    standing = {"ground"}  # and what is fixed to it
    for joint in mechanism.joints:  # from the ground on
        if joint.type == "fixed" and joint.parent in standing:
            standing.add(joint.child)
    moving = [b for b in mechanism.bodies if b.name not in standing]
    mass = sum(float(b.mass) for b in moving)
    # from each body's own pose and velocity
    centers, linear, angular = [], np.zeros(3), np.zeros(3)
    for body in moving:
        T, v = dyn.pose(q, body.name), dyn.velocity(q, qd, body.name)
        c = T[:3, :3] @ np.array(body.center)
        centers.append(float(body.mass) * (T[:3, 3] + c))
        p = float(body.mass) * (v[3:] + np.cross(v[:3], c))
        linear += p
        angular += T[:3, :3] @ body.inertia_matrix @ T[:3, :3].T @ v[:3] + np.cross(T[:3, 3] + c, p)
    center = np.sum(centers, axis=0) / mass
    close(dyn.center_of_mass(q), center, 1e-12)
    close(dyn.momentum(q, qd), [*(angular - np.cross(center, linear)), *linear], 1e-11)
    close(dyn.regressor(q, qd, qdd) @ dyn.inertial_parameters(), dyn.inverse_dynamics(q, qd, qdd), 1e-10)
    # the joints at what stands carry the change of momentum less gravity: F = m (a - g)
    forces = np.zeros(3)
    for row, joint in zip(dyn.reactions(q, qd, qdd), mechanism.joints, strict=True):
        if joint.parent in standing and joint.child not in standing:
            R = dyn.pose(q, joint.child)[:3, :3] @ np.array(joint.child_placement.rotation, dtype=float)
            forces += R @ row[3:]
    change = sum(float(b.mass) * _acceleration_of_center(dyn, b, q, qd, qdd) for b in moving)
    carried = np.array([float(g) for g in mechanism.gravity])
    close(forces, change - mass * carried, 1e-10)


def _acceleration_of_center(dyn: lg.Dynamics, body: lg.Body, q: np.ndarray, qd: np.ndarray, qdd: np.ndarray) -> np.ndarray:
    a, v = dyn.acceleration(q, qd, qdd, body.name), dyn.velocity(q, qd, body.name)
    c = dyn.pose(q, body.name)[:3, :3] @ np.array(body.center)
    return a[3:] + np.cross(a[:3], c) + np.cross(v[:3], np.cross(v[:3], c))


def test_reaction_of_a_fixed_joint_is_the_weight_it_holds() -> None:
    arm = lg.Mechanism(
        "holder",
        [lg.Body("arm", 2.0, (0.5, 0, 0)), lg.Body("tool", 3.0, (0.1, 0, 0))],
        [
            lg.Joint("shoulder", "revolute", "ground", "arm", axis=(0, -1, 0)),
            lg.Joint("flange", "fixed", "arm", "tool", lg.Transform(position=(1.0, 0, 0))),
        ],
    )
    shoulder, flange = lg.compile(arm).reactions([0.0], [0.0], [0.0])
    g = 9.81
    np.testing.assert_allclose(flange, [0, -3 * g * 0.1, 0, 0, 0, 3 * g], atol=1e-12)
    np.testing.assert_allclose(shoulder, [0, -(2 * 0.5 + 3 * 1.1) * g, 0, 0, 0, 5 * g], atol=1e-12)


def test_reactions_with_wrenches_and_springs_balance_every_body(form: str) -> None:
    """Newton's and Euler's laws for each body, with the joints' wrenches, gravity, springs and an outside wrench."""
    mechanism = random_mechanism(["revolute", "prismatic", "fixed", "ball", "revolute"], 21, passive=True)
    dyn = lg.compile(mechanism)
    q, qd, qdd, _ = state(mechanism, 4)
    pushed, wrench = mechanism.bodies[3].name, np.array([0.3, -0.2, 0.5, 1.0, 2.0, -3.0])
    reactions = dyn.reactions(q, qd, qdd, wrenches={pushed: wrench})
    gravity = np.array([float(g) for g in mechanism.gravity])
    total: dict[str, np.ndarray] = {}  # moment about the world's origin, and force, on each body
    for body in mechanism.bodies:
        total[body.name] = np.zeros(6)
    total["ground"] = np.zeros(6)

    def act(body: str, point: np.ndarray, moment: np.ndarray, force: np.ndarray) -> None:
        total[body] += np.concatenate([moment + np.cross(point, force), force])

    def world(body: str, point: tuple[float, ...]) -> np.ndarray:
        T = dyn.pose(q, body)
        return T[:3, :3] @ np.array(point, dtype=float) + T[:3, 3]

    for joint, row in zip(mechanism.joints, reactions, strict=True):
        T = dyn.pose(q, joint.child) @ joint.child_placement.matrix()
        moment, force = T[:3, :3] @ row[:3], T[:3, :3] @ row[3:]
        act(joint.child, T[:3, 3], moment, force)
        act(joint.parent, T[:3, 3], -moment, -force)
    (spring,) = mechanism.springs
    a, b = world(spring.a, spring.a_point), world(spring.b, spring.b_point)
    length = np.linalg.norm(b - a)
    rate = (b - a) @ _point_velocity(dyn, spring.b, b, q, qd) / length
    pull = (spring.stiffness * (length - spring.rest) + spring.damping * rate) * (b - a) / length
    act(spring.a, a, np.zeros(3), pull)
    act(spring.b, b, np.zeros(3), -pull)
    act(pushed, world(pushed, (0, 0, 0)), wrench[:3], wrench[3:])
    for body in mechanism.bodies:
        act(body.name, world(body.name, body.center), np.zeros(3), float(body.mass) * gravity)
        T, v = dyn.pose(q, body.name), dyn.velocity(q, qd, body.name)
        I = T[:3, :3] @ body.inertia_matrix @ T[:3, :3].T
        a_center = _acceleration_of_center(dyn, body, q, qd, qdd)
        alpha = dyn.acceleration(q, qd, qdd, body.name)[:3]
        spin = I @ alpha + np.cross(v[:3], I @ v[:3])
        about = spin + np.cross(world(body.name, body.center), float(body.mass) * a_center)
        close(total[body.name], np.concatenate([about, float(body.mass) * a_center]), 1e-10)
    np.testing.assert_allclose(dyn.reactions(q[None], qd[None], qdd[None], wrenches={pushed: wrench})[0], reactions)


def _point_velocity(dyn: lg.Dynamics, body: str, point: np.ndarray, q: np.ndarray, qd: np.ndarray) -> np.ndarray:
    v, T = dyn.velocity(q, qd, body), dyn.pose(q, body)
    return v[3:] + np.cross(v[:3], point - T[:3, 3])
