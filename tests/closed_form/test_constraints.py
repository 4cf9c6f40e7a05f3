"""Loops and other constraints in closed form: eta, Psi, Psi_dot, phi(t); reduced equations; singular configurations."""

from __future__ import annotations

import json
import math
import warnings
from pathlib import Path

import numpy as np
import pytest

import lagrangian as lg
from lagrangian.model.loops import TYPES as LOOP_TYPES
from tests.mechanisms import own_entries, random_mechanism, two_chains

STEP = 1e-6


def poses(mechanism: lg.Mechanism, q: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The loop's two frames in the world, by the kernels."""
    loop = mechanism.loops[0]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", lg.MechanismWarning)
        dyn = lg.compile(mechanism)
    return tuple(dyn.pose(q, body) @ at.matrix() for body, at in ((loop.a, loop.a_placement), (loop.b, loop.b_placement)))


@pytest.mark.parametrize("kind", LOOP_TYPES)
def test_every_loop_joint(kind: str) -> None:
    """As many equations as the joint takes freedoms; what each says, from the kernels' poses; Psi and Psi_dot by differences."""
    mechanism = two_chains(["revolute", "revolute"], ["prismatic", "revolute"], kind)
    eom = lg.derive(mechanism)
    loop = mechanism.loops[0]
    assert len(eom.closure) == loop.equation_count == len(eom.Psi)
    rng = np.random.default_rng(3)
    q, qd = rng.normal(size=(2, eom.n))
    A, B = poses(mechanism, q)
    gap = A[:3, 3] - B[:3, 3]
    eta = dict(zip(eom.constraint_names, eom.closure.evaluate(q), strict=True))
    axis = np.array([float(x) for x in dict(loop.type_entries).get("axis", (0, 0, 1))])
    a, b = A[:3, :3] @ axis, B[:3, :3] @ axis
    words = {name.removeprefix("close.") for name in eta}
    if {"x", "y", "z"} <= words:
        assert [eta[f"close.{k}"] for k in "xyz"] == pytest.approx(gap)
    elif kind in ("cylindrical", "prismatic"):
        # the gap across the axis, in two directions
        across = gap - a * (a @ gap)
        assert math.hypot(eta["close.x"], eta["close.y"]) == pytest.approx(np.linalg.norm(across))
    elif kind == "distance":
        length = float(loop.length)
        assert eta["close.length"] == pytest.approx((gap @ gap - length**2) / (2 * length))
    elif kind == "planar":
        assert eta["close.z"] == pytest.approx(a @ gap)
    if "xz" in words:
        assert math.hypot(eta["close.xz"], eta["close.yz"]) == pytest.approx(np.linalg.norm(np.cross(a, b)))
    if kind == "universal":
        axis2 = np.array([float(x) for x in loop.axis2])
        assert eta["close.axes"] == pytest.approx(a @ (B[:3, :3] @ axis2))
    numeric = np.array([(eom.closure.evaluate(q + h) - eom.closure.evaluate(q - h)) / (2 * STEP) for h in STEP * np.eye(eom.n)]).T
    assert eom.Psi.evaluate(q) == pytest.approx(numeric, abs=1e-8)
    moved = (eom.Psi.evaluate(q + STEP * qd) - eom.Psi.evaluate(q - STEP * qd)) / (2 * STEP)
    assert eom.Psi_dot.evaluate(q, qd) == pytest.approx(moved, abs=1e-8)
    compiled = eom.compile()
    assert compiled.constraint_jacobian(q) == pytest.approx(eom.Psi.evaluate(q), abs=1e-12)
    assert compiled.closure(q) == pytest.approx(eom.closure.evaluate(q), abs=1e-12)


@pytest.mark.parametrize("order", [(1, 0, 2), (2, 1, 0)])
def test_joints_in_any_order(order: tuple[int, ...]) -> None:
    """A joint may be listed before the one that it stands on."""
    m = lg.library("four_bar")
    joints = [m.joints[k] for k in order]
    other = lg.Mechanism("listed", m.bodies, joints, loops=m.loops, gravity=m.gravity, parameters=m.parameters)
    eom = lg.derive(other)
    assert "Mass matrix" in str(eom)
    q = np.array([0.3, 0.5, -0.4])
    there = list(order)
    np.testing.assert_allclose(eom.M.evaluate(q[there]), lg.compile(m).mass_matrix(q)[np.ix_(there, there)], rtol=1e-12)


def test_closed_frames_satisfy_every_equation() -> None:
    """When the two frames coincide all equations of all types are zero, but for the one that keeps them apart."""
    for kind in [kind for kind in LOOP_TYPES if kind != "distance"]:
        tree = random_mechanism(["revolute", "revolute"], 5, chain=True)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            dyn = lg.compile(tree)
        q = np.array([0.3, -0.9])
        at = lg.Transform.from_matrix(np.linalg.inv(dyn.pose(q, "b1")))  # the ground's frame, seen from b1
        axis = (0.6, 0.0, 0.8)
        own = own_entries(LOOP_TYPES[kind], axis, (0.0, 1.0, 0.0))
        loop = lg.LoopJoint("close", kind, "b1", "ground", at, lg.Transform(), **own)
        eom = lg.derive(tree.replace(loops=(loop,)))
        assert eom.closure.evaluate(q) == pytest.approx(np.zeros(loop.equation_count), abs=1e-12)


def test_directions_of_a_planar_loop() -> None:
    """Along the world's axes where the plane stays, along body a's where it turns."""
    for name in ("four_bar", "five_bar", "three_rrr"):
        eom = lg.derive(lg.library(name))
        assert all(word.endswith((".x", ".y")) for word in eom.constraint_names)
    four_bar = lg.derive(lg.library("four_bar"))
    assert str(four_bar.closure) == "closure1 = l1*c1 + l2*c12 - l3*c3 - l0\nclosure2 = l1*s1 + l2*s12 - l3*s3"
    tree = random_mechanism(["revolute", "revolute", "revolute"], 1, chain=True)
    loop = lg.LoopJoint("close", "point", "b2", "ground", directions=("x", "z"))
    turning = tree.replace(loops=(loop,))
    eom = lg.derive(turning)
    q = np.array([0.2, 0.5, -0.4])
    A, B = poses(turning, q)
    want = A[:3, :3].T @ (A[:3, 3] - B[:3, 3])
    assert eom.closure.evaluate(q) == pytest.approx(want[[0, 2]])


def test_pfaffian_with_time_and_functions() -> None:
    """phi(t) + Psi(q, t) q' = 0: derivatives through q, through t, and of phi."""
    x, t = lg.model.expression.symbol("x"), lg.model.expression.symbol("t")
    call = lg.model.expression.call
    w = lg.parameter("w", 2.0)
    coefficients = (
        ("x", call("sqrt", 1 + x * x) + call("exp", -x) * call("cos", w * t)),
        ("theta", call("sin", 2 * x) / (2 + x * x) + call("tanh", x)),
    )
    bodies = (lg.Body("slide", 1.0), lg.Body("arm", 1.0, (0.3, 0, 0)))
    joints = (
        lg.Joint("x", "prismatic", "ground", "slide", axis=(1, 0, 0)),
        lg.Joint("theta", "revolute", "slide", "arm"),
    )
    phi = 3 * call("sin", w * t) + t**2
    mechanism = lg.Mechanism("driven", bodies, joints, constraints=(lg.PfaffianConstraint("drive", coefficients, phi),))
    eom = lg.derive(mechanism)
    q, qd, at = np.array([0.7, 0.4]), np.array([0.6, -1.1]), 0.37

    def psi(q: np.ndarray, t: float) -> np.ndarray:
        x = q[0]
        return np.array(
            [
                math.sqrt(1 + x * x) + math.exp(-x) * math.cos(2.0 * t),
                math.sin(2 * x) / (2 + x * x) + math.tanh(x),
            ]
        )

    assert eom.Psi.evaluate(q, t=at)[0] == pytest.approx(psi(q, at), rel=1e-13)
    rate = (psi(q + STEP * qd, at + STEP) - psi(q - STEP * qd, at - STEP)) / (2 * STEP)
    assert eom.Psi_dot.evaluate(q, qd, t=at)[0] == pytest.approx(rate, abs=1e-8)
    assert str(eom.phi_dot[0]) == "3*cos(w*t)*w+2*t"
    assert "phi_dot" in str(eom)


def test_springs_between_points_are_roots() -> None:
    """length^2 is a polynomial; V, its slope and the damper's force are exact, and agree with the kernels."""
    text = """
        name = "stay"
        gravity = [0, "-g", 0]
        [parameters]
        a = 0.4
        b = 0.3
        k = 50.0
        l0 = 0.35
        d = 2.0
        m = 1.0
        g = 9.81
        [[body]]
        name = "arm"
        mass = "m"
        center = ["b", 0, 0]
        [[joint]]
        name = "theta"
        type = "revolute"
        child = "arm"
        [[spring]]
        name = "stay"
        a = "ground"
        b = "arm"
        a_point = [0, "a", 0]
        b_point = ["b", 0, 0]
        stiffness = "k"
        rest = "l0"
        damping = "d"
    """
    mechanism = lg.loads(text)
    eom, dyn = lg.derive(mechanism), lg.compile(mechanism)
    length = eom.potential_energy.element.ring.generator("length(stay)")
    assert str(lg.Formula(eom.writer, length * length)) == "a^2 + b^2 - 2*a*b*sin(theta)"
    for q, qd in ((0.3, 1.0), (-1.2, -0.4)):
        assert eom.G.evaluate([q]) == pytest.approx(dyn.gravity([q]), rel=1e-12)
        assert eom.F.evaluate([q], [qd]) == pytest.approx(dyn.friction([qd], q=[q]), rel=1e-12)
        assert eom.potential_energy.evaluate([q]) == pytest.approx(dyn.potential_energy([q]), rel=1e-12)
        assert eom.compile().inverse_dynamics([q], [qd], [0.5]) == pytest.approx(dyn.inverse_dynamics([q], [qd], [0.5]))


def test_constrained_accelerations_by_the_lectures_equations() -> None:
    """lambda and q'' of the four-bar by the lectures' formulas: the constraint holds, and its forces do no work."""
    mechanism = lg.library("four_bar")
    eom = lg.derive(mechanism)
    q = np.array(mechanism.initial.q)
    M, G, Psi = eom.M.evaluate(q), eom.G.evaluate(q), eom.Psi.evaluate(q)
    # speeds on the constraints
    qd = np.linalg.svd(Psi)[2][-1]
    f = np.array([1.0, 0.0, 0.0]) - eom.C.evaluate(q, qd) @ qd - G
    inverse = np.linalg.inv(M)
    drift = eom.Psi_dot.evaluate(q, qd) @ qd
    multipliers = -np.linalg.solve(Psi @ inverse @ Psi.T, drift + Psi @ inverse @ f)
    qdd = inverse @ (f + Psi.T @ multipliers)
    assert Psi @ qdd + drift == pytest.approx(np.zeros(len(Psi)), abs=1e-10)
    assert qd @ (Psi.T @ multipliers) == pytest.approx(0.0, abs=1e-9)


REFERENCE = Path(__file__).parents[1] / "data" / "three_rrr.json"


def legs(p: dict[str, float], x: float, y: float, angle: float) -> np.ndarray:
    """The joints of the 3-RRR for a pose of its platform, each elbow turned positively from the chord."""
    q = []
    for a in np.radians([90, 210, 330]):
        chord = np.array([x, y]) + p["rp"] * np.array([math.cos(a + angle), math.sin(a + angle)])
        chord -= p["rb"] * np.array([math.cos(a), math.sin(a)])
        length = np.hypot(*chord)
        theta = math.atan2(chord[1], chord[0]) + math.acos((length**2 + p["l1"] ** 2 - p["l2"] ** 2) / (2 * length * p["l1"]))
        rest = chord - p["l1"] * np.array([math.cos(theta), math.sin(theta)])
        q += [theta, math.atan2(rest[1], rest[0]) - theta]
    return np.array([*q, x, y, angle])


@pytest.mark.parametrize("t", ["0", "0.25", "0.75"])
def test_three_rrr_reference(t: str) -> None:
    """The reference's torques and multipliers along its path, from the formulas: signs and axes are those of eta = a - b."""
    mechanism = lg.library("three_rrr")
    eom = lg.derive(mechanism)
    reference = json.loads(REFERENCE.read_text())["reference"]["rrr"][t]
    w, angle = 2 * math.pi, 2 * math.pi * float(t)
    x = [0.05 * math.cos(angle), 0.05 * math.sin(angle), 0.2 * math.sin(angle)]
    xd = [-0.05 * w * math.sin(angle), 0.05 * w * math.cos(angle), 0.2 * w * math.cos(angle)]
    xdd = [-w * w * x[0], -w * w * x[1], -w * w * x[2]]
    q = legs(eom.parameters(), *x)
    assert eom.closure.evaluate(q) == pytest.approx(np.zeros(6), abs=1e-12)
    Psi = eom.Psi.evaluate(q)
    K, passive = np.linalg.inv(Psi[:, :6]), Psi[:, 6:]
    qd = np.array([*(-K @ passive @ xd), *xd])
    qdd = np.array([*(-K @ (passive @ xdd + eom.Psi_dot.evaluate(q, qd) @ qd)), *xdd])
    tree = eom.tau.evaluate(q, qd, qdd)  # = S tau + Psi^T lambda, tau at the actuated joints
    S = np.zeros((9, 3))
    S[[0, 2, 4], range(3)] = 1
    solution = np.linalg.solve(np.hstack([S, Psi.T]), tree)
    assert solution[:3] == pytest.approx(reference["tau"], rel=1e-9)
    assert solution[3:] == pytest.approx(reference["lam"], rel=1e-9)


def test_reduction_says_why_not() -> None:
    with pytest.raises(lg.MechanismError, match="cannot be solved by sums of angles"):
        lg.derive(lg.library("four_bar")).in_independent_coordinates()
    with pytest.raises(lg.MechanismError, match="has no constraints"):
        lg.derive(lg.library("two_r")).in_independent_coordinates()
    with pytest.raises(lg.ArgumentError, match="no coordinate 'q9'"):
        lg.derive(lg.library("five_bar")).in_independent_coordinates(["q9"])


def test_reduced_equations_have_the_same_motion() -> None:
    """Accelerations of the five-bar by multipliers and by the reduced equations."""
    mechanism = lg.library("five_bar")
    eom = lg.derive(mechanism)
    reduced = eom.in_independent_coordinates()
    q = np.array(mechanism.initial.q)
    qd = np.array([0.7, -0.4, 1.1, -1.1])  # phi3' = q1' - q2', phi4' = q2' - q1'
    tau = np.array([2.0, -1.0, 0.0, 0.0])
    M, Psi = eom.M.evaluate(q), eom.Psi.evaluate(q)
    f = tau - eom.C.evaluate(q, qd) @ qd - eom.G.evaluate(q)
    block = np.block([[M, -Psi.T], [Psi, np.zeros((2, 2))]])
    qdd = np.linalg.solve(block, [*f, *(-eom.Psi_dot.evaluate(q, qd) @ qd)])[:4]
    small = reduced.M.evaluate(q[:2])
    bias = reduced.C.evaluate(q[:2], qd[:2]) @ qd[:2] + reduced.G.evaluate(q[:2])
    assert np.linalg.solve(small, tau[:2] - bias) == pytest.approx(qdd[:2], rel=1e-10)


def test_singularities_are_zeros_of_a_determinant() -> None:
    assert [str(f) for f in lg.derive(lg.library("slider_crank")).singularities()] == ["cos(theta + phi)", "l"]
    assert [str(f) for f in lg.derive(lg.library("two_r")).singularities("tip", ("x", "y"))] == ["l1", "l2", "s2"]
    eom = lg.derive(lg.library("three_rrr"))
    factors = eom.singularities()
    # the determinant vanishes where a factor does: compare with the block of Psi at a random state
    rng = np.random.default_rng(0)
    q = rng.normal(size=eom.n)
    chosen = [k for k, j in enumerate(eom.mechanism.joints) if not j.actuated]
    block = eom.Psi.evaluate(q)[:, chosen]
    ratio = np.linalg.det(block) / math.prod(f.evaluate(q) for f in factors)
    q = rng.normal(size=eom.n)
    again = np.linalg.det(eom.Psi.evaluate(q)[:, chosen]) / math.prod(f.evaluate(q) for f in factors)
    assert ratio == pytest.approx(again, rel=1e-8)
    with pytest.raises(lg.MechanismError, match="has no loops"):
        lg.derive(lg.library("puma560")).singularities()
    with pytest.raises(lg.MechanismError, match="their block of Psi is not square"):
        lg.derive(lg.library("four_bar")).singularities(independent=[])


def stewart() -> lg.Mechanism:
    """Six legs, each a universal joint and a slide, on a platform that is otherwise free."""
    bodies = [lg.Body("platform", 10.0, inertia=(1.0, 1.0, 2.0))]
    joints = [lg.Joint("platform", "free", "ground", "platform", actuated=False)]
    loops = []
    for k in range(6):
        base, top = (math.radians(60 * (k // 2) * 2 + (20 if k % 2 else -20) + turn) for turn in (0, 60 if k % 2 else -60))
        foot = (math.cos(base), math.sin(base), 0.0)
        bodies += [
            lg.Body(f"lower{k}", 1.0, (0, 0, 0.2), (0.1, 0.1, 0.01)),
            lg.Body(f"upper{k}", 0.5, (0, 0, -0.2), (0.1, 0.1, 0.01)),
        ]
        joints += [
            lg.Joint(
                f"hip{k}", "universal", "ground", f"lower{k}", lg.Transform(position=foot), axis="x", axis2="y", actuated=False
            ),
            lg.Joint(f"leg{k}", "prismatic", f"lower{k}", f"upper{k}", axis="z"),
        ]
        at = lg.Transform(position=(0.5 * math.cos(top), 0.5 * math.sin(top), 0.0))
        loops.append(lg.LoopJoint(f"ball{k}", "ball", f"upper{k}", "platform", lg.Transform(), at))
    return lg.Mechanism("stewart", bodies, joints, loops)


@pytest.mark.slow
def test_stewart_platform() -> None:
    """24 coordinates, 18 loop equations; Psi by differences, and the legs' columns as the geometry has them."""
    eom = lg.derive(stewart())
    assert (eom.n, len(eom.closure)) == (24, 18)
    q = np.random.default_rng(2).normal(size=24) * 0.3
    numeric = np.array([(eom.closure.evaluate(q + h) - eom.closure.evaluate(q - h)) / (2 * STEP) for h in STEP * np.eye(24)]).T
    assert eom.Psi.evaluate(q) == pytest.approx(numeric, abs=1e-8)
    assert eom.prove()
