"""Motion through configurations where the constraints lose rank, against the same motion in one coordinate."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import lagrangian as lg

G = 9.81
CRANK, COUPLER, ROCKER = (2.0, 0.04), (1.3, 0.1), (0.7, 0.01)  # mass, inertia about the centre


def parallelogram(a: float = 0.4, b: float = 0.9, g: float = G, coupler: float | None = None, **more: object) -> lg.Mechanism:
    """Cranks of length a, `b` apart, and a coupler; centres of mass off the lines."""
    along = {"crank": (a / 3, 0.02, 0.0), "coupler": (b / 2, 0.05, 0.0), "rocker": (a / 2, 0.0, 0.0)}
    bodies = [
        lg.Body(name, mass=m, center=along[name], inertia=(I, I, I))
        for name, (m, I) in zip(along, (CRANK, COUPLER, ROCKER), strict=True)
    ]
    friction = more.pop("friction", {})
    joints = [
        lg.Joint("theta", "revolute", "ground", "crank", **friction),  # type: ignore[arg-type]
        lg.Joint("phi", "revolute", "crank", "coupler", (a, 0, 0), actuated=False),
        lg.Joint("psi", "revolute", "ground", "rocker", (b, 0, 0), actuated=False),
    ]
    ends = lg.Transform(position=(coupler or b, 0, 0)), lg.Transform(position=(a, 0, 0))
    loop = lg.LoopJoint("closure", "point", "coupler", "rocker", *ends, directions=("x", "y"))
    return lg.Mechanism("parallelogram", bodies, joints, [loop], gravity=(0, -g, 0))


def reduced_motion(theta: float, speed: float, end: float, a: float = 0.4, g: float = G, torque: object = None) -> np.ndarray:
    """Angle and speed of the cranks at the end: the coupler only shifts, so J theta'' = -dV/dtheta + tau."""
    (m1, I1), (m2, _), (m3, I3) = CRANK, COUPLER, ROCKER
    J = I1 + m1 * ((a / 3) ** 2 + 0.02**2) + m2 * a**2 + I3 + m3 * (a / 2) ** 2
    tau = torque if callable(torque) else lambda t, q, w: 0.0

    def rates(t: float, y: np.ndarray) -> list[float]:
        c, s = math.cos(y[0]), math.sin(y[0])
        slope = g * (m1 * (a / 3 * c - 0.02 * s) + m2 * a * c + m3 * a / 2 * c)
        return [y[1], (tau(t, y[0], y[1]) - slope) / J]

    solution = solve_ivp(rates, (0, end), [theta, speed], method="DOP853", rtol=1e-13, atol=1e-14)
    return np.array(solution.y[:, -1])


def start(theta: float, speed: float) -> dict[str, list[float]]:
    return {"q0": [theta, -theta, theta], "qd0": [speed, -speed, speed]}


@pytest.mark.parametrize(("rtol", "within"), [(1e-8, 1e-5), (1e-11, 1e-8), (1e-13, 1e-9)])
def test_a_parallelogram_passes_its_flat_position(rtol: float, within: float) -> None:
    """With every speed, some so slow that it turns back; a tighter tolerance is better."""
    mechanism = parallelogram()
    for speed in np.linspace(0.3, 20, 28 if rtol == 1e-11 else 9):
        motion = lg.simulate(mechanism, 1.5, **start(1.2, speed), rtol=rtol, atol=rtol / 100, t_eval=2)
        assert motion.success, motion.message
        theta, w = reduced_motion(1.2, speed, 1.5)
        assert motion.q[-1] == pytest.approx([theta, -theta, theta], abs=within)
        assert motion.qd[-1] == pytest.approx([w, -w, w], abs=10 * within)


@pytest.mark.parametrize("rtol", [1e-8, 1e-10])
def test_long_steps_may_end_beside_the_flat_position(rtol: float) -> None:
    """Without gravity speeds are constant: a step may be longer than half a turn, and end anywhere."""
    mechanism = parallelogram(a=0.4, b=1.0, g=0.0)
    for speed in np.linspace(7, 20, 28):
        motion = lg.simulate(mechanism, 3.0, **start(0.5, speed), rtol=rtol, atol=rtol / 100, t_eval=2)
        assert motion.success, motion.message
        assert motion.q[-1, 0] == pytest.approx(0.5 + 3 * speed, abs=1e-6)
        assert motion.qd[-1, 2] == pytest.approx(speed, abs=1e-6)


def test_between_its_steps_too() -> None:
    """The states of the long step over the place, at any time, and that it was passed.

    Whether a step ends near the place, so that it is passed by a long step, is a matter of chance: there are several runs.
    """
    times = np.linspace(0, 2, 201)
    passed = []
    for speed in (3.0, 2.95, 3.05, 2.92):
        motion = lg.simulate(parallelogram(), 2, **start(1.2, speed), rtol=1e-11, atol=1e-13, t_eval=times)
        exact = np.array([reduced_motion(1.2, speed, float(t)) if t else [1.2, speed] for t in times[::9]])
        assert motion.q[::9, 0] == pytest.approx(exact[:, 0], abs=1e-8)
        assert motion.qd[::9, 0] == pytest.approx(exact[:, 1], abs=1e-7)
        passed += [e for e in motion.events if e.name == "singular configuration passed"]
    assert passed
    for event in passed:
        assert math.remainder(event.q[0], math.pi) == pytest.approx(0, abs=1e-7)


def test_torques_and_events_on_the_way() -> None:
    """A torque of Python, and an event a hundredth of a radian before the flat position, at it, and behind it."""

    def torque(t: float, q: np.ndarray, qd: np.ndarray) -> list[float]:
        return [0.5 * math.cos(3 * t) - 0.1 * qd[0], 0.0, 0.0]

    events = [lg.Event(f"theta - {math.pi + off!r}", name=str(off)) for off in (-0.01, 0.0, 0.02)]
    motion = lg.simulate(parallelogram(), 1.0, **start(2.2, 2.0), torque=torque, events=events, rtol=1e-10, t_eval=2)
    assert motion.success, motion.message
    theta, _ = reduced_motion(2.2, 2.0, 1.0, torque=lambda t, q, w: 0.5 * math.cos(3 * t) - 0.1 * w)
    assert motion.q[-1, 0] == pytest.approx(theta, abs=1e-7)
    for event in motion.events:
        if event.name in ("-0.01", "0.0", "0.02"):
            assert event.q[0] == pytest.approx(math.pi + float(event.name), abs=1e-9)
    assert {"-0.01", "0.0", "0.02"} <= {event.name for event in motion.events}


def test_branches_that_do_not_meet_are_not_crossed() -> None:
    """A coupler longer by 1e-4: near the flat position it turns over, sharply; its energy stays."""
    mechanism = parallelogram(coupler=0.9001, g=0.0)
    q0 = lg.assemble(mechanism, [1.2, -1.2, 1.2], fixed=["theta"])
    motion = lg.simulate(mechanism, 0.5, q0, {"theta": 6.0}, rtol=1e-10, atol=1e-12, t_eval=51)
    assert motion.success, motion.message
    assert "singular configuration passed" not in {event.name for event in motion.events}
    assert motion.drift.max() < 1e-12
    energy = motion.kinetic_energy
    assert np.ptp(energy) < 1e-6 * energy[0]


@pytest.mark.parametrize(("theta", "speed"), [(0.0, 3.0), (math.pi, -3.0)])
def test_a_start_in_the_flat_position_with_speed(theta: float, speed: float) -> None:
    """Its speeds tell the branch: there it lies flat, with theta' = psi' = -phi'."""
    motion = lg.simulate(parallelogram(), 1.0, **start(theta, speed), rtol=1e-11, atol=1e-13, t_eval=2)
    assert motion.success, motion.message
    assert motion.q[-1, [0, 2]] == pytest.approx([reduced_motion(theta, speed, 1.0)[0]] * 2, abs=1e-8)


def test_a_start_from_which_the_motion_is_not_determined_is_refused() -> None:
    """At rest under gravity, or with speeds that no branch has: 1.3 theta' + 0.9 phi' = 0.4 psi' is all that Psi asks for."""
    for qd0, message in (
        ([0.0, 0.0, 0.0], "at rest in a singular configuration"),
        ([0.9, -1.3, 0.0], "do not belong to any branch"),
    ):
        with pytest.raises(lg.SimulationError, match=message):
            lg.simulate(parallelogram(), 1.0, [0.0, 0.0, 0.0], qd0, t_eval=2)
    with pytest.raises(lg.SimulationError, match="projection"):
        lg.simulate(parallelogram(), 1.0, **start(0.0, 1.0), stabilisation="baumgarte")


def test_a_driven_start_at_rest_in_the_flat_position_is_refused() -> None:
    """The crank is led out of it, and the rocker could turn with the crank or against it."""
    driven = parallelogram(g=0.0).replace(constraints=[lg.HolonomicConstraint("drive", "theta - (1 - cos(t))")])
    with pytest.raises(lg.SimulationError, match="at rest in a singular configuration, and the motion from there is not"):
        lg.simulate(driven, 3, [0, 0, 0], t_eval=2)


def test_a_start_where_all_slopes_of_a_constraint_are_zero() -> None:
    """x y = 0 at the origin: one branch along x, one along y, and none between."""
    bodies = [lg.Body("a", 1), lg.Body("b", 1)]
    joints = [lg.Joint("x", "prismatic", "ground", "a", axis="x"), lg.Joint("y", "prismatic", "a", "b", axis="y")]
    cross = lg.compile(
        lg.Mechanism("cross", bodies, joints, constraints=[lg.HolonomicConstraint("cross", "x*y")], gravity=(0, 0, 0))
    )
    for qd0 in ([1.0, 0.0], [0.0, 1.0], [0.0, 0.0]):
        motion = lg.simulate(cross, 1, [0, 0], qd0, t_eval=2)
        assert motion.q[-1] == pytest.approx(qd0, abs=1e-12)
    with pytest.raises(lg.SimulationError, match="do not belong to any branch"):
        lg.simulate(cross, 1, [0, 0], [1, 1], t_eval=2)


def test_rest_without_forces_is_determined() -> None:
    motion = lg.simulate(parallelogram(g=0.0), 1.0, [0.0, 0.0, 0.0], t_eval=2)
    assert motion.success
    assert not motion.qd.any()
    assert not motion.q.any()


WELDED = 1.5  # kg, every body's mass


def welded_parallelogram(size: float = 1.0, at: lg.Transform | None = None) -> lg.Mechanism:
    """A parallelogram closed by a weld, whose equations are in metres and in radians, in any plane; its crank is not balanced."""
    a, b, at = 0.4 * size, 0.9 * size, at or lg.Transform()
    centers = {"crank": (a / 2, a / 4, 0.0), "coupler": (0, 0, 0), "rocker": (0, 0, 0), "pin": (0, 0, 0)}
    bodies = [lg.Body(name, mass=WELDED, center=c, inertia=(WELDED * a * a,) * 3) for name, c in centers.items()]
    joints = [
        lg.Joint("theta", "revolute", "ground", "crank", at),
        lg.Joint("phi", "revolute", "crank", "coupler", (a, 0, 0)),
        lg.Joint("psi", "revolute", "ground", "rocker", at @ lg.Transform(position=(b, 0, 0))),
        lg.Joint("turn", "revolute", "rocker", "pin", (a, 0, 0)),
    ]
    weld = lg.LoopJoint("weld", "fixed", "coupler", "pin", lg.Transform(position=(b, 0, 0)))
    gravity = np.array(at.rotation, dtype=float) @ [0, -G, 0]
    return lg.Mechanism("welded", bodies, joints, [weld], gravity=tuple(gravity))


def reduced_welded(theta: float, speed: float, end: float, size: float = 1.0) -> np.ndarray:
    """Coupler and pin only shift, along circles of the cranks' length; the cranks turn."""
    a = 0.4 * size

    def rates(t: float, y: np.ndarray) -> list[float]:
        slope = G * a * (2 * math.cos(y[0]) + math.cos(y[0]) / 2 - math.sin(y[0]) / 4)
        return [y[1], -slope / (a * a * (4 + 1 / 4 + 1 / 16))]

    return np.array(solve_ivp(rates, (0, end), [theta, speed], method="DOP853", rtol=1e-13, atol=1e-14).y[:, -1])


def test_a_small_parallelogram_that_is_welded_passes_as_a_large_one() -> None:
    """Equations in metres are small where the mechanism is, and no less independent."""
    size, signs = 1e-3, np.array([1, -1, 1, -1])
    end, speed = 1.5 * math.sqrt(size), 9.0 / math.sqrt(size)
    motion = lg.simulate(welded_parallelogram(size), end, 1.2 * signs, speed * signs, rtol=1e-11, atol=1e-13)
    assert motion.success, motion.message
    theta, w = reduced_welded(1.2, speed, end, size)
    assert motion.q[-1] == pytest.approx(theta * signs, abs=1e-8)
    assert motion.qd[-1] == pytest.approx(w * signs, rel=1e-8)
    passed = [x for x in motion.events if x.name == "singular configuration passed"]
    assert passed
    for event in passed:
        assert math.remainder(event.q[0], math.pi) == pytest.approx(0, abs=1e-6)


def test_a_start_in_the_flat_position_with_equations_that_follow_from_others() -> None:
    """How many do is a matter of the configurations around: in the flat position another one does."""
    signs = np.array([1, -1, 1, -1])
    motion = lg.simulate(welded_parallelogram(at=lg.Transform.from_rpy((0, 0, 0), (0.4, 0.5, 0.3))), 1.5, 0 * signs, 3.0 * signs)
    assert motion.success, motion.message
    theta, w = reduced_welded(0.0, 3.0, 1.5)
    assert motion.q[-1] == pytest.approx(theta * signs, abs=1e-6)
    assert motion.qd[-1] == pytest.approx(w * signs, abs=1e-5)
