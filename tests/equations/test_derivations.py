"""Newton-Euler, Kane and Uicker-Kahn, each by itself: against numbers, and against the definitions of what they are made of."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import lagrangian as lg
from lagrangian.equations.algebra.numbers import evaluate_element
from lagrangian.equations.derivations.kane import kane_torques, link_twists, partial_velocity
from lagrangian.equations.derivations.lagrange import jacobian_columns
from lagrangian.equations.derivations.newton_euler import link_motions, newton_euler_torques
from lagrangian.equations.derivations.uicker_kahn import UickerKahn
from lagrangian.equations.reading.system import SymbolicSystem
from lagrangian.model.single_coordinate import with_single_coordinates
from tests.proof.trees import tree

DERIVATIONS = {"Newton-Euler": newton_euler_torques, "Kane": kane_torques, "Uicker-Kahn": lambda system: UickerKahn(system).tau()}


def state(system: SymbolicSystem) -> dict[str, float]:
    rng = np.random.default_rng(1)
    values = {}
    for symbol in system.ring.symbols:
        if symbol.kind in ("coordinate", "speed", "acceleration"):
            values[symbol.name] = rng.normal()
    for symbol in system.ring.symbols:
        if symbol.kind in ("sine", "cosine"):
            angle = sum(sign * values[f"q{k + 1}"] for k, sign in symbol.angle)
            values[symbol.name] = np.sin(angle) if symbol.kind == "sine" else np.cos(angle)
    return values


@pytest.mark.parametrize("name", DERIVATIONS)
@pytest.mark.parametrize("arm", ["two_r", "stanford", "scara", "three_rrr"])
def test_torques_as_compiled(name: str, arm: str) -> None:
    """Without friction and springs, the same numbers as the compiled inverse dynamics."""
    mechanism = lg.library(arm)
    bare = [replace(joint, friction=lg.Friction(), spring=lg.JointSpring()) for joint in mechanism.joints]
    mechanism = mechanism.replace(joints=tuple(bare), springs=())
    system = SymbolicSystem(with_single_coordinates(mechanism))
    values = state(system)
    actual = [evaluate_element(x, values) for x in DERIVATIONS[name](system)]
    q, qd, qdd = ([values[f"{x}{k + 1}"] for k in range(system.n)] for x in ("q", "qd", "qdd"))
    expected = np.array(lg.compile(mechanism.replace(loops=())).inverse_dynamics(q, qd, qdd))
    np.testing.assert_allclose(actual, expected, atol=1e-9 * np.abs(expected).max())


def test_pendulum_by_hand() -> None:
    """A point mass at the end of a rod: tau = m l^2 q'' + m g l cos q."""
    pendulum = lg.Mechanism(
        "pendulum",
        [lg.Body("bob", 3.0, (2.0, 0, 0))],
        [lg.Joint("q", "revolute", "ground", "bob")],
        gravity=(0, -10.0, 0),
    )
    system = SymbolicSystem(pendulum)
    expected = 12 * system.acceleration(0) + 60 * system.generator("c1")
    for derive in DERIVATIONS.values():
        assert derive(system) == [expected]


@pytest.mark.parametrize("symbols", ["given", "all"])
def test_u_are_the_derivatives_of_t(symbols: str) -> None:
    for arm in (lg.library("stanford"), tree(["revolute", "helical", "revolute", "prismatic"], 7)):
        system = SymbolicSystem(arm, symbols)
        form, ring = UickerKahn(system), system.ring
        for j in range(system.n):
            T = form.T(j)
            for k in range(system.n):
                U = form.U(j, k)
                assert all(ring.derivative(T[a][b], k) == U[a][b] for a in range(4) for b in range(4))
                for m in range(system.n):
                    V = form.U(j, k, m)
                    assert all(ring.derivative(U[a][b], m) == V[a][b] for a in range(4) for b in range(4))


def test_traces_in_the_world_are_the_same() -> None:
    """The products that start at the lowest joint give what the book's whole products give."""
    system = SymbolicSystem(tree(["revolute", "helical", "revolute"], 4, chain=True), "inertial")
    form, n = UickerKahn(system), system.n
    M, h, G = form.mass_matrix(), form.velocity_coefficients(), form.gravity()

    def trace(A: tuple, J: tuple, B: tuple) -> object:
        return sum(A[a][b] * J[b][c] * B[a][c] for a in range(4) for b in range(4) for c in range(4))

    g = (*system.gravity, 0)
    for i in range(n):
        weight = sum(
            g[a] * form.U(j, i)[a][b] * form.pseudo_inertia(j)[b][3] for j in range(n) for a in range(3) for b in range(4)
        )
        assert G[i] == -weight
        for k in range(n):
            rotor = system.links[i].rotor if i == k else 0
            assert M[i][k] == sum(trace(form.U(j, k), form.pseudo_inertia(j), form.U(j, i)) for j in range(n)) + rotor
            for m in range(k, n):
                assert h[i, k, m] == sum(trace(form.U(j, k, m), form.pseudo_inertia(j), form.U(j, i)) for j in range(n))


def test_pseudo_inertia_is_the_integral() -> None:
    """Of a point mass at r: m r r^T."""
    r, m = np.array([0.5, -2.0, 3.0, 1.0]), 4.0
    system = SymbolicSystem(lg.Mechanism("mass", [lg.Body("b", m, tuple(r[:3]))], [lg.Joint("q", "prismatic", "ground", "b")]))
    J = UickerKahn(system).pseudo_inertia(0)
    np.testing.assert_allclose([[evaluate_element(x) for x in row] for row in J], m * np.outer(r, r))


def test_partial_velocities_are_the_columns_of_the_jacobian() -> None:
    system = SymbolicSystem(tree(["revolute", "helical", "prismatic", "revolute"], 5))
    for (w, u), jacobian in zip(link_twists(system), jacobian_columns(system), strict=True):
        for k in range(system.n):
            angular, linear = jacobian.get(k, ((0, 0, 0), (0, 0, 0)))
            assert all(a == b for a, b in zip(partial_velocity(system, w, k), angular, strict=True))
            assert all(a == b for a, b in zip(partial_velocity(system, u, k), linear, strict=True))


def test_at_rest_without_gravity_nothing_accelerates() -> None:
    system = SymbolicSystem(tree(["revolute", "prismatic"], 5, gravity=(0, 0, 0)))
    still = {system.ring.generator_index[f"{x}{k + 1}"]: 0 for x in ("qd", "qdd") for k in range(system.n)}
    for motion in link_motions(system):
        for x in (*motion.w, *motion.al, *motion.a):
            assert not system.ring.substitute(system.ring(x), still)
