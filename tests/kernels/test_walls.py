"""Walls in the functions of `Dynamics`: against the same forces given from outside, and against differences."""

from __future__ import annotations

import numpy as np
import pytest

import lagrangian as lg
from tests.kernels.test_derivatives import check
from tests.mechanisms import random_mechanism

# far to a side, a plane is met by no state; near, by half of them
CONTACT = {"in contact": 30.0, "off contact": -30.0}


def tree_with_walls(at: float = 0.0) -> tuple[lg.Mechanism, lg.Wall, lg.Wall]:
    """A branching tree with a wall on the ground and one between two of its bodies, `at` along their normals."""
    tree = random_mechanism(["free", "revolute", "prismatic", "ball"], 3)
    names = [b.name for b in tree.bodies]
    normal = np.array([1.0, 2.0, -2.0]) / 3
    ground = lg.Wall("ground", names[-1], (0.1, 0.2, 0.3), "ground", at * normal, normal, 50.0, 20.0)
    moving = lg.Wall("moving", names[-1], (0, 0.1, 0), names[1], (0.3, 0, at), "z", 80.0, 5.0)
    return tree.replace(springs=[ground, moving]), ground, moving


def states(mechanism: lg.Mechanism, count: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(5)
    q = np.array([mechanism.random_configuration(rng) for _ in range(count)])
    return q, rng.normal(size=(count, mechanism.nv)), rng.normal(size=(count, mechanism.nv))


def gaps(mechanism: lg.Mechanism, wall: lg.Wall, q: np.ndarray, qd: np.ndarray) -> tuple[np.ndarray, ...]:
    """The gap, its rate, the point that is pushed and the normal, from poses and velocities of the bodies."""
    dyn = lg.compile(mechanism.replace(springs=[]))
    T, on = dyn.pose(q, wall.body), dyn.pose(q, wall.on)
    V, Von = dyn.velocity(q, qd, wall.body), dyn.velocity(q, qd, wall.on)
    p = T[:, :3, :3] @ np.array(wall.point) + T[:, :3, 3]
    p0 = on[:, :3, :3] @ np.array(wall.position, dtype=float) + on[:, :3, 3]
    n = on[:, :3, :3] @ np.array(wall.normal, dtype=float)
    speed = V[:, 3:] + np.cross(V[:, :3], p - T[:, :3, 3])
    of_wall = Von[:, 3:] + np.cross(Von[:, :3], p - on[:, :3, 3])  # where it is pressed
    return np.sum(n * (p - p0), axis=1), np.sum(n * (speed - of_wall), axis=1), p, n


def test_against_wrenches() -> None:
    """The push, written down by itself, as wrenches on both bodies of the mechanism without walls."""
    mechanism, *walls = tree_with_walls()
    bare, dyn = lg.compile(mechanism.replace(springs=[])), lg.compile(mechanism)
    q, qd, tau = states(mechanism, 40)
    wrenches: dict[str, np.ndarray] = {}
    pushes, stored = [], np.zeros(len(q))
    for wall in walls:
        g, rate, p, n = gaps(mechanism, wall, q, qd)
        depth = np.maximum(0, -g)
        push = depth * np.maximum(0, float(wall.stiffness) - float(wall.damping) * rate)
        assert 5 < (push > 0).sum() < 35
        pushes.append(push)
        stored += 0.5 * float(wall.stiffness) * depth**2
        for body, sign in ((wall.body, 1), (wall.on, -1)):
            F = sign * push[:, None] * n
            at = bare.pose(q, body)[:, :3, 3]
            wrenches[body] = wrenches.get(body, 0) + np.hstack([np.cross(p - at, F), F])
    assert dyn.spring_forces(q, qd) == pytest.approx(np.transpose(pushes), rel=1e-9, abs=1e-9)
    assert dyn.potential_energy(q) - bare.potential_energy(q) == pytest.approx(stored, rel=1e-9, abs=1e-9)
    qdd = dyn.forward_dynamics(q, qd, tau)
    assert qdd == pytest.approx(bare.forward_dynamics(q, qd, tau, wrenches), rel=1e-8, abs=1e-7)
    assert dyn.inverse_dynamics(q, qd, qdd) == pytest.approx(tau, abs=1e-7)
    actual, expected = dyn.reactions(q, qd, qdd), bare.reactions(q, qd, qdd, wrenches)
    assert actual == pytest.approx(expected, rel=1e-8, abs=1e-7)
    assert dyn.spring_forces(q[0], qd[0]) == pytest.approx(dyn.spring_forces(q, qd)[0], rel=1e-13, abs=1e-13)


def test_the_parts() -> None:
    """G is the gradient of V; G and F together are all that the walls do; F takes energy, never gives it."""
    mechanism, *_ = tree_with_walls()
    bare, dyn = lg.compile(mechanism.replace(springs=[])), lg.compile(mechanism)
    q, qd, _ = states(mechanism, 40)
    zero = np.zeros_like(qd)
    of_walls = dyn.inverse_dynamics(q, qd, zero) - bare.inverse_dynamics(q, qd, zero)
    elastic = dyn.gravity(q) - bare.gravity(q)
    viscous = dyn.friction(qd, q=q) - bare.friction(qd)
    assert elastic + viscous == pytest.approx(of_walls, abs=1e-9)
    power = np.sum(viscous * qd, axis=1)
    assert (power >= -1e-12).all()
    assert power.max() > 0.1
    rate = np.sum(dyn.gravity(q) * qd, axis=1)
    h = 1e-6
    ahead, behind = (np.array([displace(mechanism, a, s * h * b) for a, b in zip(q, qd, strict=True)]) for s in (1, -1))
    slope = (dyn.potential_energy(ahead) - dyn.potential_energy(behind)) / (2 * h)
    assert slope == pytest.approx(rate, rel=1e-5, abs=1e-5)
    with pytest.raises(lg.ArgumentError, match="friction\\(qd, q=q\\)"):
        dyn.friction(qd)


def displace(mechanism: lg.Mechanism, q: np.ndarray, step: np.ndarray) -> np.ndarray:
    from lagrangian.configuration.coordinates import integrate

    return integrate(mechanism, q, step)


@pytest.mark.parametrize("where", CONTACT)
def test_derivatives_agree_with_differences_in_and_out_of_contact(where: str) -> None:
    mechanism, *_ = tree_with_walls(CONTACT[where])
    q, qd, tau = states(mechanism, 1)
    touched = lg.compile(mechanism).spring_forces(q[0], 0 * qd[0]) > 0
    assert touched.all() if where == "in contact" else not touched.any()
    check(mechanism, q[0], qd[0], 0.3 * qd[0], tau[0], h=0.002)
    if where == "in contact":
        with_walls = lg.compile(mechanism).forward_dynamics_derivatives(q[0], qd[0], tau[0])
        without = lg.compile(mechanism.replace(springs=[])).forward_dynamics_derivatives(q[0], qd[0], tau[0])
        assert np.abs(with_walls[0] - without[0]).max() > 1
        assert np.abs(with_walls[1] - without[1]).max() > 1


def test_springs_have_tensions() -> None:
    """In the order of the mechanism, walls among them; and none where there is none."""
    bodies = [lg.Body("a", 1.0), lg.Body("b", 1.0)]
    joints = [lg.Joint("x", "prismatic", "ground", "a", axis="x"), lg.Joint("y", "prismatic", "a", "b", axis="y")]
    springs = [
        lg.PointSpring("stay", "ground", "b", stiffness=10.0, rest=2.0, damping=3.0),
        lg.Wall("wall", "a", normal="-x", stiffness=100.0),
        lg.PointSpring("pull", "ground", "b", stiffness=7.0),
    ]
    mechanism = lg.Mechanism("m", bodies, joints, springs=springs)
    dyn = lg.compile(mechanism)
    assert [s.name for s in mechanism.springs] == ["stay", "wall", "pull"]
    assert dyn.spring_forces([3, 4], [1, 0]) == pytest.approx([10 * 3 + 3 * 0.6, 300, 35])
    assert dyn.spring_forces([-3, 4], [[1, 0], [2, 0]]) == pytest.approx(np.array([[30 - 1.8, 0, 35], [30 - 3.6, 0, 35]]))
    bare = lg.compile(mechanism.replace(springs=[]))
    assert bare.spring_forces([3, 4], [1, 0]).shape == (0,)
    assert bare.spring_forces([[3, 4]] * 5, [1, 0]).shape == (5, 0)
    with pytest.raises(lg.ArgumentError, match="spring_forces"):
        dyn.spring_forces([3], [1, 0])
    with pytest.raises(lg.ArgumentError, match="spring_forces"):
        bare.spring_forces([3], [1, 0])


def test_what_is_not_a_number_shows() -> None:
    mechanism, *_ = tree_with_walls(-30.0)
    q, qd, _ = states(mechanism, 1)
    dyn = lg.compile(mechanism)
    q[0, 5] = np.nan
    assert np.isnan(dyn.spring_forces(q[0], qd[0])).all()
    assert np.isnan(dyn.potential_energy(q[0]))
