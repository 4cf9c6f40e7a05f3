"""What the kernels know of loops and other constraints: eta, Psi, phi, gamma.

Against the closed form where it has the joints and the functions, against plain numpy on poses and velocities of frames, and
against differences along motions for all joints.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

import lagrangian as lg
from lagrangian.model.expression import Scalar, parse, symbol
from lagrangian.model.loops import TYPES as LOOP_TYPES
from lagrangian.model.placement import turn_z_to
from tests.mechanisms import advance, random_mechanism, random_placement, state, two_chains

STEP = 1e-4
# all loop joints, and points held along some directions only
KINDS: dict[str, tuple[str, tuple[str, ...]]] = {
    **{kind: (kind, ("x", "y", "z")) for kind in LOOP_TYPES},
    "point along x and z": ("point", ("x", "z")),
    "point along y": ("point", ("y",)),
}


def expression(mechanism: lg.Mechanism, text: str) -> Scalar:
    """Text as an expression of the mechanism's coordinates and of time."""
    return parse(text, {name: symbol(name) for name in (*mechanism.coordinate_names, "t")})


def number(scalar: object, values: dict[str, float]) -> float:
    """The value of an expression, by Python itself."""
    text = re.sub(r"([A-Za-z_]\w*)\.(\w+)", r"\1_\2", str(scalar)).replace("^", "**")
    names = {name: getattr(math, name) for name in "sin cos tan asin acos atan atan2 sqrt exp log tanh".split()}  # noqa: SIM905
    names |= {"abs": abs, "min": min, "max": max, "sign": lambda x: (x > 0) - (x < 0), "pi": math.pi}
    return float(eval(text, {"__builtins__": {}}, names | {name.replace(".", "_"): x for name, x in values.items()}))


def with_equations(mechanism: lg.Mechanism, *texts: str) -> lg.Mechanism:
    return mechanism.replace(constraints=[lg.Holonomic(f"e{k}", expression(mechanism, x)) for k, x in enumerate(texts)])


def is_holonomic(mechanism: lg.Mechanism, name: str) -> bool:
    of = name.split(".")[0]
    constraint = next((c for c in mechanism.constraints if c.name == of), None)
    return constraint is None or isinstance(constraint, lg.Holonomic) or name.endswith(".contact")


def check_differences(mechanism: lg.Mechanism, seed: int = 0, t: float = 0.4) -> None:
    """Psi and phi are the slopes of eta, the rate is phi + Psi qd, and gamma is the rate's derivative without accelerations."""
    dyn = lg.compile(mechanism)
    q, qd, _, _ = state(mechanism, seed)
    names, n = dyn.constraint_names, mechanism.nv
    assert len(names) == len(set(names)) == mechanism.equations
    Psi, still = dyn.constraint_jacobian(q, t), dyn.constraint_rate(q, np.zeros(n), t)
    assert Psi.shape == (len(names), n)

    def slope(function: Callable[[float], np.ndarray]) -> np.ndarray:
        """To the fourth order of the step."""
        near, far = (function(h) - function(-h) for h in (STEP, 2 * STEP))
        return (8 * near - far) / (12 * STEP)

    holonomic = [is_holonomic(mechanism, name) for name in names]
    assert dyn.closure(q, t).shape == (sum(holonomic),)
    if any(holonomic):
        for k, along in enumerate(np.eye(n)):
            found = slope(lambda h, along=along: dyn.closure(advance(mechanism, q, along, h), t))
            np.testing.assert_allclose(Psi[holonomic, k], found, rtol=1e-8, atol=1e-8, err_msg=f"column {k} of Psi")
        np.testing.assert_allclose(still[holonomic], slope(lambda h: dyn.closure(q, t + h)), rtol=1e-8, atol=1e-8)
    np.testing.assert_allclose(dyn.constraint_rate(q, qd, t), still + Psi @ qd, rtol=1e-12, atol=1e-12)
    found = slope(lambda h: dyn.constraint_rate(advance(mechanism, q, qd, h), qd, t + h))
    gamma = dyn.constraint_bias(q, qd, t)
    np.testing.assert_allclose(gamma, found, rtol=1e-8, atol=1e-8)
    assert np.isfinite(Psi).all()


def check_closed_form(mechanism: lg.Mechanism, seed: int = 0, t: float = 0.4) -> None:
    """The same equations in the same order, to 1e-12."""
    eom, dyn = lg.derive(mechanism), lg.compile(mechanism)
    q, qd, _, _ = state(mechanism, seed)
    assert dyn.constraint_names == tuple(eom.constraint_names)
    np.testing.assert_allclose(dyn.closure(q, t), eom.closure.evaluate(q, t=t), rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(dyn.constraint_jacobian(q, t), eom.Psi.evaluate(q, t=t), rtol=1e-12, atol=1e-12)
    phi, phi_dot = (np.array([number(x, {"t": t}) for x in part]) for part in (eom.phi, eom.phi_dot))
    Psi_dot = eom.Psi_dot.evaluate(q, qd, t=t)
    np.testing.assert_allclose(dyn.constraint_bias(q, qd, t), Psi_dot @ qd + phi_dot, rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(dyn.constraint_rate(q, np.zeros_like(qd), t), phi, rtol=1e-12, atol=1e-12)


# -- loops -----------------------------------------------------------------------------------------------------------

# joints the closed form has as they are; and all kinds of joints
ONE_TO_ONE = [(["universal", "helical"], ["prismatic"]), (["revolute"], ["planar", "revolute"])]
OTHERS = (["ball", "helical", "revolute"], ["free", "universal"])


@pytest.mark.parametrize(("first", "second"), ONE_TO_ONE)
def test_loops_as_in_the_closed_form(first: list[str], second: list[str]) -> None:
    check_closed_form(all_loops(first, second, 10))


def meaning(loop: lg.LoopJoint, A: np.ndarray, B: np.ndarray) -> list[float]:
    """A loop joint's equations, from the poses of its two frames."""
    gap = A[:3, 3] - B[:3, 3]
    own = dict(loop.own)
    x, y, z = np.array(turn_z_to(own.get("axis", (0, 0, 1))), dtype=float).T
    (xa, ya, za), (xb, zb) = (A[:3, :3] @ d for d in (x, y, z)), (B[:3, :3] @ d for d in (x, z))
    across, parallel, turned = [xa @ gap, ya @ gap], [xa @ zb, ya @ zb], [ya @ xb]
    length, kept = float(own.get("length", 1)), own.get("directions", ("x", "y", "z"))
    return {
        "point": [A[:3, k] @ gap for k in range(3) if "xyz"[k] in kept] if len(kept) < 3 else [*gap],
        "ball": [*gap],
        "universal": [*gap, za @ B[:3, :3] @ np.array(own.get("axis2", (0, 1, 0)), dtype=float)],
        "revolute": [*gap, *parallel],
        "cylindrical": [*across, *parallel],
        "prismatic": [*across, *parallel, *turned],
        "fixed": [*gap, *parallel, *turned],
        "planar": [za @ gap, *parallel],
        "distance": [(gap @ gap - length**2) / (2 * length)],
    }[loop.type]


def all_loops(first: list[str], second: list[str], seed: int) -> lg.Mechanism:
    """One of each between the same two chains."""
    made = [two_chains(first, second, kind, seed, directions=directions) for kind, directions in KINDS.values()]
    return made[0].replace(loops=[replace(m.loops[0], name=f"l{k}") for k, m in enumerate(made)])


@pytest.mark.parametrize("seed", [0, 1])
def test_loops_of_all_joints(seed: int) -> None:
    mechanism = all_loops(*OTHERS, seed)
    check_differences(mechanism, seed)
    dyn = lg.compile(mechanism)
    q, *_ = state(mechanism, seed)
    want: list[float] = []
    for loop in mechanism.loops:
        A, B = (dyn.pose(q, body) @ at.matrix() for body, at in ((loop.a, loop.a_placement), (loop.b, loop.b_placement)))
        want += meaning(loop, A, B)
    np.testing.assert_allclose(dyn.closure(q), want, rtol=1e-12, atol=1e-12)


def test_a_loop_to_the_ground_and_along_a_chain() -> None:
    """Either body may be the ground, and one may carry the other: columns of joints that carry both are zero for the gap."""
    tree = random_mechanism(["ball", "revolute", "prismatic"], 3, chain=True)
    loops = [
        lg.LoopJoint("g", "ball", "ground", "b2"),
        lg.LoopJoint("h", "fixed", "b1", "ground"),
        lg.LoopJoint("d", "distance", "b0", "b2", length=0.3),
    ]
    mechanism = tree.replace(loops=loops)
    check_differences(mechanism)
    Psi = lg.compile(mechanism).constraint_jacobian(state(mechanism, 0)[0])
    np.testing.assert_allclose(Psi[-1, :3], 0, atol=1e-14)
    assert np.abs(Psi[-1, 3:]).min() > 1e-3


def test_quaternions_of_any_length() -> None:
    """They stand for the rotation of the one of length one, in closure as in Psi."""
    mechanism = two_chains(["ball"], ["free"], "fixed", 4)
    dyn, (q, qd, _, _) = lg.compile(mechanism), state(mechanism, 4)
    longer = q.copy()
    longer[:4] *= 1.7
    longer[4:8] *= 0.6
    np.testing.assert_allclose(dyn.closure(longer), dyn.closure(q), rtol=1e-13, atol=1e-14)
    np.testing.assert_allclose(dyn.constraint_jacobian(longer), dyn.constraint_jacobian(q), rtol=1e-13, atol=1e-14)
    np.testing.assert_allclose(dyn.constraint_bias(longer, qd), dyn.constraint_bias(q, qd), rtol=1e-13, atol=1e-13)


# -- equations -------------------------------------------------------------------------------------------------------

# x is an angle, y a length; b a ball, f a free body
FUNCTIONS = [
    "sin(j0)*cos(2*j1) - tan(j0/3)",
    "asin(0.8*sin(j0 + 1)) + 2*acos(0.9*cos(j1)) - atan(j0*j1)",
    "atan2(j0, 1 + j1*j1) + atan2(3, j1) + atan2(j1, -2)",
    "sqrt(1 + j0*j0) - exp(-j0*j1/4)",
    "log(2 + j0*j0)*tanh(j1 - j0)",
    "abs(j0*j1) + sign(j1)*j0 - abs(j0)/2",
    "min(j0, j1) + 2*max(j0*j1, j0 - 5) - min(j0, -20)",
    "j0^3 - (2 + j1)^-2 + (1 + j0*j0)^0.5 - (3 + j0)^1.7 + 2^j1 + (2 + j0*j0)^j1",
    "j0^18/1000 - 1/j1 + j0/(2 + sin(j1)) - j0^1 + j1^0",
]
TIMED = [
    "j0 - 0.3*sin(2*t) + 0.2*sin(t)",
    "j0*cos(3*t) - j1^2*exp(-t)/(1 + t)",
    "sqrt(t + j1*j1) - atan2(j0, t) + max(t, j0) + t^1.5",
]
QUATERNIONS = [
    "j2.w*j2.x - j2.y^2 + j2.z",
    "j3.w + 2*j3.y*j3.z - sin(j3.px + j3.py*t) + j3.pz^2*j3.x",
    "(j3.px - 1)^2 + (j3.py + j0)^2 - j3.pz",
]


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_equations_of_coordinates_and_time(seed: int) -> None:
    tree = random_mechanism(["revolute", "prismatic", "ball", "free"], seed, chain=True)
    texts = [*FUNCTIONS, *TIMED, *QUATERNIONS]
    mechanism, t = with_equations(tree, *texts), 0.7
    check_differences(mechanism, seed, t)
    q, *_ = state(mechanism, seed)
    values = dict(zip(mechanism.coordinate_names, q.tolist(), strict=True)) | {"t": t}
    want = [number(text, values) for text in texts]
    np.testing.assert_allclose(lg.compile(mechanism).closure(q, t), want, rtol=1e-13, atol=1e-13)


def test_equations_as_in_the_closed_form() -> None:
    tree = random_mechanism(["revolute", "prismatic"], 5, chain=True)
    check_closed_form(with_equations(tree, *FUNCTIONS, *TIMED[:1]))


def test_equations_of_universal_and_planar_joints_as_in_the_closed_form() -> None:
    tree = random_mechanism(["universal", "planar"], 5, chain=True)
    a, b, x, y, angle = tree.coordinate_names
    check_closed_form(with_equations(tree, f"sin({a})*{x} - {b}", f"{y}*{angle} - t^2"))


def test_both_sides_of_a_choice() -> None:
    """abs, sign, min, max where their argument is on the other side, and at it."""
    tree = random_mechanism(["prismatic", "prismatic"], 0, chain=True)
    dyn = lg.compile(with_equations(tree, "abs(j0)", "sign(j0) + j1", "min(j0, j1)", "max(j0, j1)"))
    for x, y in ((-2.0, 0.5), (2.0, 0.5), (0.5, 0.5), (0.0, 1.0)):
        np.testing.assert_array_equal(dyn.closure([x, y]), [abs(x), np.sign(x) + y, min(x, y), max(x, y)])
    np.testing.assert_array_equal(dyn.constraint_jacobian([-2.0, 0.5]), [[-1, 0], [0, 1], [1, 0], [0, 1]])
    np.testing.assert_array_equal(dyn.constraint_jacobian([2.0, 0.5]), [[1, 0], [0, 1], [0, 1], [1, 0]])


def test_large_angles_in_equations() -> None:
    """Of lengths, which are not reduced to a turn, and of more than a coordinate; single and in batches."""
    tree = random_mechanism(["prismatic"], 0)
    dyn = lg.compile(with_equations(tree, "sin(100*j0) + cos(j0)"))
    for x in (0.3, 3e3, 1e4):
        want = math.sin(100 * x) + math.cos(x)
        assert dyn.closure([x])[0] == pytest.approx(want, abs=1e-13)
        assert dyn.closure([[x], [0.1], [x]])[2, 0] == pytest.approx(want, abs=1e-13)


# -- speeds ----------------------------------------------------------------------------------------------------------


def test_pfaffian_rows_with_time() -> None:
    tree = random_mechanism(["revolute", "prismatic", "helical"], 2, chain=True)
    coefficients = (("j0", "1 + j1^2*cos(2*t)"), ("j2", "sin(j0 - t)*exp(-j1)"), ("j0", "tanh(j2)"))
    given = tuple((speed, expression(tree, text)) for speed, text in coefficients)
    rows = [lg.Pfaffian("p", given, expression(tree, "3*sin(2*t) + t^2")), lg.Pfaffian("c", (("j1", 2.0), ("j0", -1)), 0.5)]
    mechanism = tree.replace(constraints=rows)
    check_differences(mechanism)
    check_closed_form(mechanism)
    q, qd, _, _ = state(mechanism, 1)
    a, b, c = (number(text, dict(zip(tree.coordinate_names, q, strict=True)) | {"t": 0.2}) for _, text in coefficients)
    want = [math.sin(0.4) * 3 + 0.04 + (a + c) * qd[0] + b * qd[2], 0.5 + 2 * qd[1] - qd[0]]
    np.testing.assert_allclose(lg.compile(mechanism).constraint_rate(q, qd, 0.2), want, rtol=1e-13)


def test_pfaffian_rows_of_quaternions_and_body_speeds() -> None:
    tree = random_mechanism(["ball", "free"], 2, chain=True)
    given = (("j0.wx", expression(tree, "j1.px*j0.y")), ("j1.vz", expression(tree, "j0.w - j1.z^2")), ("j1.wy", 1))
    check_differences(tree.replace(constraints=[lg.Pfaffian("p", given, expression(tree, "t^2"))]))


def moved(
    dyn: lg.Dynamics, q: np.ndarray, qd: np.ndarray, body: str, at: object
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Orientation of a body, position of a point of it, angular velocity and the point's velocity, in the world."""
    frame = lg.Frame("at", body, lg.Placement(position=at))
    T, V = dyn.pose(q, frame), dyn.velocity(q, qd, frame)
    return T[:3, :3], T[:3, 3], V[:3], V[3:]


def test_knife_edges() -> None:
    tree = random_mechanism(["free", "ball", "prismatic"], 7, chain=True)
    edges = [lg.KnifeEdge("e", "b2", (1.0, 2.0, -0.5), (0.3, -0.2, 0.1)), lg.KnifeEdge("f", "b0", (0, 1, 0))]
    mechanism = tree.replace(constraints=edges)
    check_differences(mechanism)
    dyn = lg.compile(mechanism)
    q, qd, _, _ = state(mechanism, 1)
    want = []
    for edge, direction in zip(edges, ((1.0, 2.0, -0.5), (0, 1, 0)), strict=True):
        R, _, _, u = moved(dyn, q, qd, edge.body, edge.point)
        want.append(R @ direction @ u / np.linalg.norm(direction))
    np.testing.assert_allclose(dyn.constraint_rate(q, qd), want, rtol=1e-12)


def test_knife_edges_as_in_the_closed_form() -> None:
    tree = random_mechanism(["planar", "revolute", "helical"], 7, chain=True)
    edges = [lg.KnifeEdge("e", "b2", (1.0, 2.0, -0.5), (0.3, -0.2, 0.1)), lg.KnifeEdge("f", "b0", (0, 1, 0))]
    check_closed_form(tree.replace(constraints=edges))


def rolling_by_hand(dyn: lg.Dynamics, rolling: lg.Rolling, q: np.ndarray, qd: np.ndarray) -> list[float]:
    """Contact, and the slip of the touching points along two directions of the plane."""
    S, o, spin, carried = moved(dyn, q, qd, rolling.on, rolling.point)
    R, center, w, u = moved(dyn, q, qd, rolling.body, rolling.center)
    x, y, n = (
        S @ np.array(turn_z_to(rolling.normal), dtype=float)[:, 0],
        S @ np.array(turn_z_to(rolling.normal), dtype=float)[:, 1],
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
    "sphere": lg.Rolling("r", "b1", 0.4),
    "sphere on a tilted plane": lg.Rolling("r", "b1", 0.4, (0.1, 0.2, -0.1), **TILTED),
    "sphere on a body": lg.Rolling("r", "b1", 0.4, (0.1, 0.2, -0.1), on="plate", **TILTED),
    "disc": lg.Rolling("r", "b1", 0.4, axis=(0, 1, 0)),
    "tilted disc": lg.Rolling("r", "b1", 0.4, (0.1, 0.2, -0.1), (1.0, 2.0, -0.4), **TILTED),
    "disc on a body": lg.Rolling("r", "b1", 0.4, (0.1, 0.2, -0.1), (1.0, 2.0, -0.4), "plate", **TILTED),
    "the plane rolls on the disc": lg.Rolling("r", "ground", 0.4, axis=(0.3, 1, 0), on="b1", **TILTED),
}


@pytest.mark.parametrize("name", ROLLING)
def test_rolling(name: str) -> None:
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


def wheel() -> lg.Mechanism:
    """A wheel that stays upright by its joints: it rolls along its heading, and turns about the vertical."""
    bodies = [lg.Body("fork", 1.0, inertia=(0.1, 0.1, 0.1)), lg.Body("wheel", 1.0, inertia=(0.1, 0.2, 0.1))]
    joints = [
        lg.Joint("fork", "planar", "ground", "fork", (0, 0, 0.4), axis="z"),
        lg.Joint("roll", "revolute", "fork", "wheel", axis="y"),
    ]
    return lg.Mechanism("wheel", bodies, joints, constraints=[lg.Rolling("r", "wheel", 0.4, axis=(0, 1, 0))])


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
    mechanism = tree.replace(constraints=[lg.PfaffianFunction("f", function, equations)])
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

    check_differences(tree.replace(constraints=[lg.PfaffianFunction("f", row)]))


def test_functions_are_told_apart() -> None:
    """Two functions of the same name, on the same mechanism: the second does not run the first one's machine code."""
    tree = random_mechanism(["revolute", "prismatic"], 2, chain=True)
    q, qd = np.array([0.3, 0.4]), np.array([1.5, -2.0])
    for k in range(2):
        for factor in (1.0, 2.0):
            made = tree.replace(constraints=[lg.PfaffianFunction("f", lambda t, q, qd, k=k, factor=factor: factor * qd[k])])
            assert lg.compile(made).constraint_rate(q, qd) == factor * qd[k]


# -- together --------------------------------------------------------------------------------------------------------


def mixture() -> lg.Mechanism:
    """A loop, and one of each other kind."""
    closed = two_chains(["free", "revolute"], ["universal", "ball"], "universal", 6)
    rows = [
        lg.Holonomic("h", expression(closed, "j0.px*j1 - exp(sin(t)) + k0.1")),
        lg.Pfaffian("p", (("j1", expression(closed, "j0.w + t")), ("k1.wx", 2)), expression(closed, "cos(t)")),
        lg.KnifeEdge("e", "c1", (1, 2, 3), (0.1, 0.2, 0.3)),
        lg.Rolling("r", "b1", 0.3, (0.1, 0, 0), (0, 1, 1), "c0", (1, 1, 1), (0.2, 0, 0)),
        lg.PfaffianFunction("f", lambda t, q, qd: [qd[0] * np.sin(q[0]) + t, np.tanh(q[9]) * qd[7]], 2),
    ]
    return closed.replace(constraints=rows)


def test_a_mixture() -> None:
    mechanism = mixture()
    check_differences(mechanism)
    names = lg.compile(mechanism).constraint_names
    loop = tuple(f"close.{x}" for x in ("x", "y", "z", "axes"))
    assert names == (*loop, "h", "p", "e", "r.contact", "r.x", "r.y", "f.1", "f.2")


def test_batches_are_their_states_one_by_one() -> None:
    """Bit for bit, with a time for each state, one for all, and one state at many times."""
    mechanism = mixture()
    dyn = lg.compile(mechanism)
    rng = np.random.default_rng(0)
    count = 11
    q = np.array([mechanism.random_configuration(rng) for _ in range(count)])
    qd, tau = rng.normal(size=(2, count, mechanism.nv))
    t = rng.random(count)
    calls = [
        (dyn.closure, (q,)),
        (dyn.constraint_jacobian, (q,)),
        (dyn.constraint_rate, (q, qd)),
        (dyn.constraint_bias, (q, qd)),
        (dyn.forward_dynamics, (q, qd, tau)),
        (dyn.multipliers, (q, qd, tau)),
    ]
    for function, given in calls:
        many = function(*given, t=t)
        for k in range(count):
            np.testing.assert_array_equal(many[k], function(*(x[k] for x in given), t=t[k]), err_msg=str(function))
        np.testing.assert_array_equal(function(*given, t=0.5), function(*given, t=np.full(count, 0.5)))
        np.testing.assert_array_equal(function(*(x[0] for x in given), t=t)[3], function(*(x[0] for x in given), t=t[3]))


def test_batches_of_functions_of_the_c_library() -> None:
    tree = random_mechanism(["revolute", "prismatic", "ball", "free"], 1, chain=True)
    mechanism = with_equations(tree, *FUNCTIONS, *TIMED, *QUATERNIONS)
    dyn = lg.compile(mechanism)
    rng = np.random.default_rng(3)
    q = np.array([mechanism.random_configuration(rng) for _ in range(9)])
    many = dyn.constraint_jacobian(q, 0.2)
    for k in range(9):
        np.testing.assert_array_equal(many[k], dyn.constraint_jacobian(q[k], 0.2))


def test_bad_numbers_are_not_hidden() -> None:
    dyn = lg.compile(wheel())
    for k in range(4):
        q = np.zeros(4)
        q[k] = np.nan
        assert np.isnan(dyn.forward_dynamics(q, np.zeros(4), np.zeros(4))).any()
        assert np.isnan(dyn.multipliers(q, np.zeros(4), np.zeros(4))).any()
        assert np.isnan(dyn.constraint_jacobian(q)).any()


def test_without_constraints() -> None:
    """Nothing to close: empty results, and the open tree's accelerations."""
    tree = random_mechanism(["revolute", "prismatic"], 2)
    dyn, z = lg.compile(tree), np.zeros(2)
    assert dyn.constraint_names == ()
    assert dyn.closure(z).shape == dyn.constraint_rate(z, z).shape == dyn.constraint_bias(z, z).shape == (0,)
    assert dyn.constraint_jacobian(z).shape == (0, 2)
    assert dyn.constraint_jacobian(np.zeros((3, 2))).shape == (3, 0, 2)
    assert dyn.multipliers(z, z, z).shape == (0,)
    np.testing.assert_array_equal(dyn.forward_dynamics(z, z, z, t=1.0), dyn.forward_dynamics(z, z, z))


def test_shapes_of_time() -> None:
    mechanism = with_equations(random_mechanism(["revolute", "prismatic"], 2), "j0 - sin(t)")
    dyn, q = lg.compile(mechanism), np.zeros((3, 2))
    with pytest.raises(lg.ArgumentError):
        dyn.closure(q, t=[0.1, 0.2])
    assert dyn.closure(q, t=[0.1, 0.2, 0.3]).shape == (3, 1)
    assert np.isnan(dyn.closure(q[0], t=np.nan)).all()
