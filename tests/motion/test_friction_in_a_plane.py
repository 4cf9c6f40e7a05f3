"""Dry friction of planar joints: a force that opposes the direction of sliding, whatever it is, and holds within a disc."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from scipy.integrate import quad

import lagrangian as lg
from lagrangian.motion.run.complementarity import Bounds
from lagrangian.motion.run.discs import Disc, solved_in_discs
from tests.motion.machines import energy_error, formula

MU, MASS = 2.0, 0.5


def puck(constraints: Any = (), **friction: float) -> lg.Mechanism:
    body = lg.Body("puck", MASS, (0, 0, 0), (0.01, 0.01, 0.02))
    rubs = lg.Friction(coulomb=MU, **friction)
    joint = lg.Joint("p", "planar", "ground", "puck", friction=rubs)
    return lg.Mechanism("puck", [body], [joint], constraints=constraints, gravity=(0, 0, 0))


PUCK = lg.compile(puck())
METHODS = ["dop853", "dp5", "verner9", "rodas5p", "rk4"]


@pytest.mark.parametrize("angle", [0.0, 0.3, math.pi / 4, math.pi / 2, 2.5, -1.0])
def test_a_puck_stops_on_a_straight_line(angle: float) -> None:
    """After v^2/(2 mu/m), whatever its direction, in v m/mu."""
    v = 1.7
    way = np.array([math.cos(angle), math.sin(angle)])
    motion = lg.simulate(PUCK, 1.0, [0, 0, 0], [*(v * way), 0.0])
    assert motion.q[-1, :2] == pytest.approx(v**2 * MASS / (2 * MU) * way, abs=1e-9)
    assert [(e.name, e.t) for e in motion.events] == [("p comes to rest", pytest.approx(v * MASS / MU, abs=1e-9))]
    slides = np.linalg.norm(motion.qd[:, :2], axis=1) > 1e-6
    np.testing.assert_allclose(motion.friction[slides, :2], np.broadcast_to(MU * way, (slides.sum(), 2)), atol=1e-9)
    assert energy_error(motion) < 1e-9


@pytest.mark.parametrize("method", METHODS)
def test_a_puck_that_is_pushed_sideways(method: str) -> None:
    """By F = k mu across its motion: it turns, and stops at v m/(mu (1 - k^2)) on the way that F has.

    With phi the angle from F, m v' = F cos phi - mu and m v phi' = -F sin phi, so that v = v0 tan(phi/2)^(1/k) / sin phi.
    """
    F, v0 = 1.5, 1.5
    k = F / MU
    more = {"step": 1e-3} if method == "rk4" else {"rtol": 1e-9, "atol": 1e-11}
    motion = lg.simulate(PUCK, 2.0, [0, 0, 0], [v0, 0, 0], {"p.vy": str(F)}, method=method, **more)

    def v(phi: float) -> float:
        return v0 * math.tan(phi / 2) ** (1 / k) / math.sin(phi)

    across = quad(lambda phi: MASS * v(phi) ** 2 / F, 0, math.pi / 2)[0]
    along = quad(lambda phi: MASS * v(phi) ** 2 / (F * math.tan(phi)), 0, math.pi / 2)[0]
    near = 1e-5 if method == "rk4" else 1e-7
    assert motion.q[-1, :2] == pytest.approx([across, along], abs=near)
    assert [e.name for e in motion.events] == ["p comes to rest"]
    assert motion.events[0].t == pytest.approx(v0 * MASS / (MU * (1 - k**2)), abs=100 * near)
    speed = np.linalg.norm(motion.qd[:, :2], axis=1)
    slides = speed > 1e-5
    np.testing.assert_allclose(motion.friction[slides, :2], MU * motion.qd[slides, :2] / speed[slides, None], atol=1e-6)
    assert np.linalg.norm(motion.friction[:, :2], axis=1).max() <= MU * (1 + 1e-9)
    assert motion.friction[-1, :2] == pytest.approx([0.0, F], abs=1e-9)
    assert motion.statistics["accepted"] < 5000


def test_it_breaks_loose_at_the_edge_of_the_disc() -> None:
    """Pulled obliquely by (0.6, 0.8) t: it holds until that is mu, not until one of its components is."""
    motion = lg.simulate(PUCK, 4.0, [0, 0, 0], [0, 0, 0], {"p.vx": "0.6*t", "p.vy": "0.8*t"}, rtol=1e-10, atol=1e-12)
    assert [(e.name, e.t) for e in motion.events] == [("p slips", pytest.approx(MU, abs=1e-8))]
    gained = (4.0 - MU) ** 2 / 2 / MASS
    assert motion.qd[-1] == pytest.approx([0.6 * gained, 0.8 * gained, 0.0], abs=1e-7)


def test_static_friction_in_a_plane() -> None:
    motion = lg.simulate(puck(static=3.0), 4.0, torque={"p.vx": "0.6*t", "p.vy": "-0.8*t"}, rtol=1e-10, atol=1e-12)
    assert motion.events[0].t == pytest.approx(3.0, abs=1e-8)
    gained = (4.0**2 - 3.0**2) / 2 - MU  # of t - mu over the last second
    assert motion.qd[-1, :2] == pytest.approx([0.6 * gained / MASS, -0.8 * gained / MASS], abs=1e-7)


def test_a_puck_on_a_line() -> None:
    """A constraint leaves it one direction, of which friction takes mu; the equation holds what is across."""
    line = lg.PfaffianConstraint("line", {"p.vx": 0.8, "p.vy": -0.6})
    motion = lg.simulate(puck([line]), 1.0, [0, 0, 0], [0.6, 0.8, 0.0], rtol=1e-10, atol=1e-12)
    distance = MASS / (2 * MU)
    assert motion.q[-1, :2] == pytest.approx([0.6 * distance, 0.8 * distance], abs=1e-9)
    pulled = lg.simulate(puck([line]), 6.0, [0, 0, 0], torque={"p.vx": "t"}, rtol=1e-10, atol=1e-12)
    assert pulled.events[0].t == pytest.approx(MU / 0.6, abs=1e-6)


def test_a_driven_puck_needs_what_friction_takes() -> None:
    """Led around a circle at constant speed: m v^2/r inwards, and mu along."""
    lead = [
        lg.HolonomicConstraint(f"lead_{n}", formula(f"p.{n} - {at}", "p.x p.y")) for n, at in (("x", "cos(t)"), ("y", "sin(t)"))
    ]
    motion = lg.simulate(puck(lead), 3.0, [1.0, 0.0, 0.0], [0.0, 1.0, 0.0])
    inwards, along = np.column_stack([np.cos(motion.t), np.sin(motion.t)]), np.column_stack([-np.sin(motion.t), np.cos(motion.t)])
    np.testing.assert_allclose(motion.multipliers, -MASS * inwards + MU * along, atol=1e-7)


def test_it_has_no_closed_form() -> None:
    with pytest.raises(lg.MechanismError, match="joint 'p': the dry friction of a planar joint acts against the direction"):
        lg.derive(puck())


def test_inverse_dynamics_has_the_same_friction() -> None:
    qd = np.array([[3.0, 4.0, 0.0], [0.0, -1.0, 2.0], [0.0, 0.0, 0.0]])
    expected = MU * np.array([[0.6, 0.8, 0.0], [0.0, -1.0, 1.0], [0.0, 0.0, 0.0]])
    q, none = np.zeros_like(qd), np.zeros_like(qd)
    np.testing.assert_allclose(PUCK.friction(qd), expected)
    np.testing.assert_allclose(PUCK.inverse_dynamics(q, qd, none), expected)
    np.testing.assert_allclose(PUCK.forward_dynamics(q, qd, expected), 0.0, atol=1e-14)
    np.testing.assert_allclose(PUCK.inverse_dynamics(q[0], qd[0], none[0]), expected[0])


def test_different_values_both_ways_are_per_coordinate() -> None:
    """Then there is no circle: each coordinate has its own friction."""
    dyn = lg.compile(puck(coulomb_negative=1.0))
    assert dyn.friction([3.0, -4.0, 0.0]) == pytest.approx([MU, -1.0, 0.0])
    motion = lg.simulate(dyn, 1.0, [0, 0, 0], [1.0, -1.0, 0.0])
    assert motion.q[-1, :2] == pytest.approx([MASS / (2 * MU), -MASS / 2], abs=1e-9)


def test_discs_boxes_and_forces_that_depend_on_each_other() -> None:
    """Random problems: forces within their bounds, at rest inside, against the acceleration at the edge."""
    rng = np.random.default_rng(4)
    for _ in range(40):
        sizes = [int(n) for n in rng.integers(2, 4, rng.integers(1, 4))]
        n = sum(sizes) + int(rng.integers(0, 3))
        B = rng.normal(size=(max(2, n + int(rng.integers(-2, 2))), n))
        B /= np.linalg.norm(B, axis=0)
        w = rng.normal(size=n) * 10 ** rng.uniform(-2, 3)
        ends = np.cumsum(sizes)
        discs = [Disc(tuple(range(end - size, end)), float(rng.uniform(0.1, 2))) for size, end in zip(sizes, ends, strict=True)]
        most = rng.uniform(0.1, 2, n)
        s, a = solved_in_discs(B, w, Bounds(-most, most), discs, np.zeros(n), np.full(n, 1e-12 * np.linalg.norm(w)))
        off = 1e-9 * np.linalg.norm(w)
        np.testing.assert_allclose(a, w + B.T @ (B @ s), atol=off)
        for disc in discs:
            force, moves = s[list(disc.members)], a[list(disc.members)]
            size = np.linalg.norm(force)
            assert size <= disc.radius * (1 + 1e-12)
            opposed = force * np.linalg.norm(moves) / size if size > disc.radius * (1 - 1e-9) else 0.0
            assert np.linalg.norm(moves + opposed) < off
        for k in range(sum(sizes), n):
            assert abs(s[k]) <= most[k]
            assert (abs(a[k]) if abs(s[k]) < most[k] * (1 - 1e-12) else a[k] * np.sign(s[k])) < off


def test_what_turns_with_a_puck_takes_its_load_when_its_own_friction_is_used_up() -> None:
    """x = r angle: friction along x and about the axis hold together, F_x = f_x + tau/r with |f| <= c and |tau| <= c.

    With F_y = k F_x the most that both hold is at (F_x - c/r)^2 + (k F_x)^2 = c^2. What they give below that is not unique, and
    a choice of it may use up the disc first.
    """
    c, r, k = 5.0, 1.25, 0.4
    joint = lg.Joint("p", "planar", "ground", "puck", friction=lg.Friction(coulomb=2.0, static=c))
    rolls = [lg.HolonomicConstraint("rolls", formula(f"p.x - {r}*p.angle", "p.x p.angle"))]
    light = lg.Mechanism(
        "light", [lg.Body("puck", 1.0, inertia=(0.01, 0.01, 0.01))], [joint], constraints=rolls, gravity=(0, 0, 0)
    )
    a, b = 1 + k**2, c / r
    most = (b + math.sqrt(b**2 - a * (b**2 - c**2))) / a
    motion = lg.simulate(light, 8.5, torque={"p.vx": "t", "p.vy": f"{k}*t"})
    assert [e.name for e in motion.events] == ["p slips", "p.w slips"]
    assert [e.t for e in motion.events] == pytest.approx([most, most], rel=1e-6)
