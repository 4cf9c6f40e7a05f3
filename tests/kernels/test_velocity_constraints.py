"""Constraints of speeds: rolling, knife edges and Pfaffian forms in compiled code."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest

import lagrangian as lg
from lagrangian.model.placement import rotation_z_to
from tests.kernels.rows import (
    check_closed_form,
    check_differences,
    expression,
    number,
    wheel,
)
from tests.mechanisms import random_mechanism, random_placement, state


def test_pfaffian_rows_with_time() -> None:
    tree = random_mechanism(["revolute", "prismatic", "helical"], 2, chain=True)
    coefficients = (("j0", "1 + j1^2*cos(2*t)"), ("j2", "sin(j0 - t)*exp(-j1)"), ("j0", "tanh(j2)"))
    values = tuple((speed, expression(tree, text)) for speed, text in coefficients)
    rows = [
        lg.PfaffianConstraint("p", values, expression(tree, "3*sin(2*t) + t^2")),
        lg.PfaffianConstraint("c", (("j1", 2.0), ("j0", -1)), 0.5),
    ]
    mechanism = tree.replace(constraints=rows)
    check_differences(mechanism)
    check_closed_form(mechanism)
    q, qd, _, _ = state(mechanism, 1)
    a, b, c = (number(text, dict(zip(tree.coordinate_names, q, strict=True)) | {"t": 0.2}) for _, text in coefficients)
    want = [math.sin(0.4) * 3 + 0.04 + (a + c) * qd[0] + b * qd[2], 0.5 + 2 * qd[1] - qd[0]]
    np.testing.assert_allclose(lg.compile(mechanism).constraint_rate(q, qd, 0.2), want, rtol=1e-13)


def test_pfaffian_rows_of_quaternions_and_body_speeds() -> None:
    tree = random_mechanism(["ball", "free"], 2, chain=True)
    values = (("j0.wx", expression(tree, "j1.px*j0.y")), ("j1.vz", expression(tree, "j0.w - j1.z^2")), ("j1.wy", 1))
    check_differences(tree.replace(constraints=[lg.PfaffianConstraint("p", values, expression(tree, "t^2"))]))


def body_motion(
    dyn: lg.Dynamics, q: np.ndarray, qd: np.ndarray, body: str, at: object
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Orientation of a body, position of a point of it, angular velocity and the point's velocity, in the world."""
    frame = lg.Frame("at", body, lg.Transform(position=at))
    T, V = dyn.pose(q, frame), dyn.velocity(q, qd, frame)
    return T[:3, :3], T[:3, 3], V[:3], V[3:]


def test_knife_edges() -> None:
    tree = random_mechanism(["free", "ball", "prismatic"], 7, chain=True)
    edges = [lg.KnifeEdgeConstraint("e", "b2", (1.0, 2.0, -0.5), (0.3, -0.2, 0.1)), lg.KnifeEdgeConstraint("f", "b0", (0, 1, 0))]
    mechanism = tree.replace(constraints=edges)
    check_differences(mechanism)
    dyn = lg.compile(mechanism)
    q, qd, _, _ = state(mechanism, 1)
    want = []
    for edge, direction in zip(edges, ((1.0, 2.0, -0.5), (0, 1, 0)), strict=True):
        R, _, _, u = body_motion(dyn, q, qd, edge.body, edge.point)
        want.append(R @ direction @ u / np.linalg.norm(direction))
    np.testing.assert_allclose(dyn.constraint_rate(q, qd), want, rtol=1e-12)


def test_knife_edges_as_in_the_closed_form() -> None:
    tree = random_mechanism(["planar", "revolute", "helical"], 7, chain=True)
    edges = [lg.KnifeEdgeConstraint("e", "b2", (1.0, 2.0, -0.5), (0.3, -0.2, 0.1)), lg.KnifeEdgeConstraint("f", "b0", (0, 1, 0))]
    check_closed_form(tree.replace(constraints=edges))


def rolling_by_hand(dyn: lg.Dynamics, rolling: lg.RollingConstraint, q: np.ndarray, qd: np.ndarray) -> list[float]:
    """Contact, and the slip of the touching points along two directions of the plane."""
    S, o, spin, carried = body_motion(dyn, q, qd, rolling.on, rolling.point)
    R, center, w, u = body_motion(dyn, q, qd, rolling.body, rolling.center)
    x, y, n = (
        S @ np.array(rotation_z_to(rolling.normal), dtype=float)[:, 0],
        S @ np.array(rotation_z_to(rolling.normal), dtype=float)[:, 1],
        S @ rolling.normal,
    )
    radius = float(rolling.radius)
    if rolling.axis is None:
        lowest = -radius * n
    else:
        # of all points of the rim the one farthest down
        axis = R @ rolling.axis
        side = np.cross(axis, n) / np.linalg.norm(np.cross(axis, n))
        lowest = radius * min((np.cross(axis, side), -np.cross(axis, side)), key=lambda p: p @ n)
    touch = center + lowest
    slip = u + np.cross(w, lowest) - carried - np.cross(spin, touch - o)
    return [n @ (touch - o), x @ slip, y @ slip]


TILTED = {"normal": (0.2, -0.4, 1.0), "point": (0.1, 0.2, -0.7)}


ROLLING = {
    "sphere": lg.RollingConstraint("r", "b1", 0.4),
    "sphere on a tilted plane": lg.RollingConstraint("r", "b1", 0.4, (0.1, 0.2, -0.1), **TILTED),
    "sphere on a body": lg.RollingConstraint("r", "b1", 0.4, (0.1, 0.2, -0.1), on="plate", **TILTED),
    "disc": lg.RollingConstraint("r", "b1", 0.4, axis=(0, 1, 0)),
    "tilted disc": lg.RollingConstraint("r", "b1", 0.4, (0.1, 0.2, -0.1), (1.0, 2.0, -0.4), **TILTED),
    "disc on a body": lg.RollingConstraint("r", "b1", 0.4, (0.1, 0.2, -0.1), (1.0, 2.0, -0.4), "plate", **TILTED),
    "the plane rolls on the disc": lg.RollingConstraint("r", "ground", 0.4, axis=(0.3, 1, 0), on="b1", **TILTED),
}


@pytest.mark.parametrize("name", ROLLING)
def test_a_rolling_point_does_not_slip(name: str) -> None:
    tree = random_mechanism(["free", "revolute"], 8, chain=True)
    plate = lg.Body("plate", 1.0, inertia=(0.1, 0.1, 0.1))
    hinge = lg.Joint("hinge", "ball", "ground", "plate", random_placement(np.random.default_rng(1)))
    mechanism = tree.replace(bodies=[*tree.bodies, plate], joints=[*tree.joints, hinge], constraints=[ROLLING[name]])
    check_differences(mechanism)
    dyn = lg.compile(mechanism)
    q, qd, _, _ = state(mechanism, 1)
    contact, *slip = rolling_by_hand(dyn, mechanism.constraints[0], q, qd)
    assert dyn.constraint_names == ("r.contact", "r.x", "r.y")
    np.testing.assert_allclose(dyn.closure(q), [contact], rtol=1e-12)
    np.testing.assert_allclose(dyn.constraint_rate(q, qd)[1:], slip, rtol=1e-11)


def test_an_upright_wheel() -> None:
    """x' = r roll' along the heading, nothing across it; the contact is kept by the joints and says nothing."""
    mechanism = wheel()
    check_differences(mechanism)
    dyn = lg.compile(mechanism)
    q, qd = np.array([1.0, 2.0, 0.6, 0.3]), np.array([0.4 * 2.5 * math.cos(0.6), 0.4 * 2.5 * math.sin(0.6), 0.9, 2.5])
    np.testing.assert_allclose(dyn.constraint_rate(q, qd), 0, atol=1e-15)
    np.testing.assert_array_equal(dyn.constraint_jacobian(q)[0], 0)
    assert dyn.closure(q) == pytest.approx([0.0], abs=1e-16)
    qdd = dyn.forward_dynamics(q, qd, [0.0, 0.0, 0.0, 1.0])
    np.testing.assert_allclose(dyn.constraint_jacobian(q) @ qdd, -dyn.constraint_bias(q, qd), atol=1e-12)
    # torque / (inertia / r + mass r), along the heading
    assert qdd[3] == pytest.approx(1.0 / (0.2 + 2.0 * 0.4**2))
    assert dyn.multipliers(q, qd, [0.0, 0.0, 0.0, 1.0])[0] == 0.0


def one_function(t, q, qd):
    return np.cos(q[0]) * qd[1] - qd[0] * np.sin(q[1] + t) + 2.0 * t + qd[2] / (2 + q[0] ** 2)


def several_functions(t, q, qd):
    a = np.sqrt(1 + q[0] * q[0]) * np.exp(-q[1] / 3) * qd[0] + np.log(2 + q[1] ** 2) * qd[1]
    b = np.tanh(q[0]) * (qd[2] - qd[0]) + np.arctan(q[1]) * np.float64(1.5) - qd[1] * np.arctan2(q[0], 2 + np.abs(q[1]))
    c = (
        qd[0]
        + qd[1]
        + 0.1 * np.arcsin(q[1] / 9) * qd[2]
        - 2 ** (t * q[0]) * qd[1]
        + np.tan(q[0] / 4) * np.arccos(q[0] / 9) * qd[0]
    )
    return [a, b, c, qd[2]]


def array_function(t, q, qd):
    rows = np.array([[np.cos(q[0]), 1.0, q[1]], [t, 0.0, np.square(q[2])]])
    return rows @ np.array(qd)


@pytest.mark.parametrize(("function", "equations"), [(one_function, 1), (several_functions, 4), (array_function, 2)])
def test_python_functions(function: Callable[..., object], equations: int) -> None:
    """Rows as numpy has them, for numbers, in whatever order products are written."""
    tree = random_mechanism(["revolute", "prismatic", "helical"], 2, chain=True)
    mechanism = tree.replace(constraints=[lg.PfaffianFunctionConstraint("f", function, equations)])
    check_differences(mechanism)
    dyn = lg.compile(mechanism)
    assert dyn.constraint_names == (("f",) if equations == 1 else tuple(f"f.{k + 1}" for k in range(equations)))
    q, qd, _, _ = state(mechanism, 2)
    np.testing.assert_allclose(dyn.constraint_rate(q, qd, 0.3), np.atleast_1d(function(0.3, q, qd)), rtol=1e-13)
    rest = np.atleast_1d(function(0.3, q, np.zeros(3)))
    columns = [np.atleast_1d(function(0.3, q, along)) - rest for along in np.eye(3)]
    np.testing.assert_allclose(dyn.constraint_jacobian(q, 0.3), np.transpose(columns), rtol=1e-13, atol=1e-14)


def test_python_functions_of_quaternions() -> None:
    """q as it is, all four numbers, and speeds of the body."""
    tree = random_mechanism(["ball", "free"], 2, chain=True)

    def row(t, q, qd):
        return q[0] * qd[1] - q[7] * qd[8] * t + q[4] ** 2 * qd[3]

    check_differences(tree.replace(constraints=[lg.PfaffianFunctionConstraint("f", row)]))


def test_functions_are_distinguished() -> None:
    """Two functions of the same name, on the same mechanism: the second does not run the first one's machine code."""
    tree = random_mechanism(["revolute", "prismatic"], 2, chain=True)
    q, qd = np.array([0.3, 0.4]), np.array([1.5, -2.0])
    for k in range(2):
        for factor in (1.0, 2.0):
            changed = tree.replace(
                constraints=[lg.PfaffianFunctionConstraint("f", lambda t, q, qd, k=k, factor=factor: factor * qd[k])]
            )
            assert lg.compile(changed).constraint_rate(q, qd) == factor * qd[k]
