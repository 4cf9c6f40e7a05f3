"""Compliant walls: exact contacts, what they store and take, and that they only push."""

from __future__ import annotations

import numpy as np
import pytest

import lagrangian as lg
from lagrangian.errors import MechanismError

G = 9.81


def ball(stiffness: float = 1e5, damping: float = 0.0, mass: float = 2.0, gravity: float = G) -> lg.Mechanism:
    """A point mass on a vertical rail above a floor."""
    floor = lg.Wall("floor", "ball", stiffness=stiffness, damping=damping)
    joints = [lg.Joint("z", "prismatic", "ground", "ball")]
    return lg.Mechanism("ball", [lg.Body("ball", mass)], joints, springs=[floor], gravity=(0, 0, -gravity))


def test_a_ball_dropped_on_a_floor() -> None:
    """In contact x'' = -g - omega^2 x, which has an exact solution: touch, deepest point, departure, rebound."""
    mass, k, height = 2.0, 1e5, 0.5
    omega, rest, v = np.sqrt(k / mass), mass * G / k, np.sqrt(2 * G * height)
    touch = v / G
    leave = touch + 2 * (np.pi - np.arctan(v / (omega * rest))) / omega
    assert leave - touch == pytest.approx(np.pi / omega, rel=0.02)  # half a period, and a little for the weight
    deepest = lg.Event("qd_z", direction="rising", name="turn")
    motion = lg.simulate(ball(k, mass=mass), leave + touch, q0=[height], events=deepest, rtol=1e-11, atol=1e-13)
    assert [e.name for e in motion.events] == ["ball meets floor", "turn", "ball leaves floor"]
    assert [e.t for e in motion.events] == pytest.approx([touch, (touch + leave) / 2, leave], abs=1e-11)
    assert motion.q[-1, 0] == pytest.approx(height, abs=1e-8)
    inside = np.linspace(touch, leave, 50)
    q, qd = motion(inside)
    phase = omega * (inside - touch)
    assert q[:, 0] == pytest.approx(rest * (np.cos(phase) - 1) - v / omega * np.sin(phase), abs=1e-9)
    assert qd[:, 0] == pytest.approx(-rest * omega * np.sin(phase) - v * np.cos(phase), abs=1e-7)
    assert np.abs(motion.energy_balance).max() < 1e-8 * motion.energy_scale
    assert not motion.friction.any()


@pytest.mark.parametrize("method", ["dop853", "verner9", "dp5", "rodas5p", "auto"])
def test_every_method_keeps_the_energy_balance_in_contact(method: str) -> None:
    """Steps end where contact begins and ends, so that the balance stays near the tolerance of every method."""
    for damping in (0.0, 2e5):
        motion = lg.simulate(ball(damping=damping), 2.0, q0=[0.3], method=method, rtol=1e-9)
        assert np.abs(motion.energy_balance).max() < 3e-8 * motion.energy_scale
    actual = lg.simulate(ball(1e3), 1.0, q0=[0.05], method="symplectic", step=1e-4)
    assert np.abs(actual.energy_balance).max() < 1e-4 * actual.energy_scale


def test_the_depth_at_rest() -> None:
    """It comes to rest where k d carries the weight, is in equilibrium there, and swings about it with sqrt(k/m)."""
    mass, k, c = 2.0, 1e4, 2e4
    mechanism = ball(k, c, mass)
    depth = mass * G / k
    motion = lg.simulate(mechanism, 5.0, q0=[0.01])
    assert motion.q[-1, 0] == pytest.approx(-depth, rel=1e-6)
    assert lg.compile(mechanism).spring_forces(motion.q[-1], motion.qd[-1]) == pytest.approx([mass * G], rel=1e-6)
    assert lg.equilibrium(mechanism, [-1e-4])[0] == pytest.approx(-depth, rel=1e-9)
    (mode,) = lg.linearise(mechanism, [-depth]).modes()
    assert abs(mode.eigenvalue) == pytest.approx(np.sqrt(k / mass), rel=1e-9)
    assert 2 * mode.damping * abs(mode.eigenvalue) == pytest.approx(c * depth / mass, rel=1e-9)


@pytest.mark.parametrize("damping", [1e3, 1e5, 1e6])
def test_the_rebound(damping: float) -> None:
    """Without weight m d'' = -(k + c d') d keeps d^2/2m + v/c - k/c^2 log(k + c v), the same where contact begins and ends."""
    mass, k, v = 2.0, 1e5, 3.0
    motion = lg.simulate(ball(k, damping, mass, 0.0), 0.5, [0.01], [-v], rtol=1e-10, atol=1e-12, method="dop853")
    out = motion.qd[-1, 0]
    assert motion.q[-1, 0] > 0
    assert 0 < out < v

    def invariant(speed: float) -> float:
        return speed / damping - k / damping**2 * np.log1p(damping * speed / k)

    slope = -out / (k - damping * out)  # of the invariant
    assert (invariant(-out) - invariant(v)) / slope == pytest.approx(0, abs=1e-8)
    if damping <= 1e3:  # Hunt and Crossley's 1 - alpha v, with c = 3/2 alpha k
        assert out / v == pytest.approx(1 - 2 / 3 * damping / k * v, abs=0.001)
    lost = 0.5 * mass * (v**2 - out**2)
    assert motion.work["friction"][-1, 0] == pytest.approx(-lost, rel=1e-7)
    assert np.abs(motion.energy_balance).max() < 1e-9 * motion.energy_scale


def test_it_never_pulls() -> None:
    """Torn out faster than it can follow, the wall lets go: the force is zero, and what was stored is lost to damping."""
    k, c, depth = 1e4, 1e7, 0.01
    mechanism = ball(k, c, 1.0, 0.0)
    dyn = lg.compile(mechanism)
    rng = np.random.default_rng(0)
    q, qd = rng.normal(scale=0.01, size=(200, 1)), rng.normal(size=(200, 1))
    push = dyn.spring_forces(q, qd)
    expected = np.maximum(0, -q) * np.maximum(0, k - c * qd)
    assert push == pytest.approx(expected, rel=1e-12)
    assert (push[q[:, 0] > 0] == 0).all()
    assert (push == 0).sum() > (q > 0).sum()  # some are in contact and would be pulled
    motion = lg.simulate(mechanism, 0.01, [-depth], [20.0], rtol=1e-10)
    assert motion.qd[-1, 0] == 20.0
    assert motion.work["friction"][-1, 0] == pytest.approx(-0.5 * k * depth**2, rel=1e-7)
    assert np.abs(motion.energy_balance).max() < 1e-8 * motion.energy_scale


def test_a_wall_on_a_moving_body() -> None:
    """Two blocks of equal mass swap their speeds; of others both momentum and energy are kept."""
    bodies = [lg.Body("left", 1.0), lg.Body("right", 3.0)]
    joints = [
        lg.Joint("a", "prismatic", "ground", "left", axis="x"),
        lg.Joint("b", "prismatic", "ground", "right", axis="x", placement=(1, 0, 0)),
    ]
    wall = lg.Wall("buffer", "left", (0.1, 0, 0), "right", (-0.1, 0, 0), "-x", 1e5)
    blocks = lg.Mechanism("blocks", bodies, joints, springs=[wall])
    motion = lg.simulate(blocks, 2.0, [0, 0], [2.0, 0.5], rtol=1e-10)
    assert motion.qd[-1] == pytest.approx([-0.25, 1.25], abs=1e-7)
    assert motion.qd @ [1.0, 3.0] == pytest.approx(np.full(len(motion.t), 3.5), abs=1e-12)


def test_bodies_that_fly() -> None:
    """A small body strikes a turning plate off its middle: all six momenta are kept, whatever is lost."""
    plate = lg.Body.from_shapes("plate", [lg.shapes.box((1, 1, 0.1), mass=2.0)])
    stone = lg.Body.from_shapes("stone", [lg.shapes.sphere(0.1, mass=0.5)])
    joints = [lg.Joint("plate", "free", "ground", "plate"), lg.Joint("stone", "free", "ground", "stone")]
    wall = lg.Wall("face", "stone", (0.02, 0, -0.1), "plate", (0, 0, 0.05), "z", 1e4, 1e4)
    mechanism = lg.Mechanism("strike", [plate, stone], joints, springs=[wall], gravity=(0, 0, 0))
    q0 = [1, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0.3, 0.2, 0.5]
    qd0 = [0.2, -0.3, 0.4, 0, 0, 0.3, 2, 1, -1, 0.1, 0, -4]
    motion = lg.simulate(mechanism, 0.4, q0, qd0, rtol=1e-10)
    dyn = lg.compile(mechanism)
    push = dyn.spring_forces(motion.q, motion.qd)
    assert push.max() > 100
    assert push[-1] == 0
    momentum = dyn.momentum(motion.q, motion.qd)
    assert momentum == pytest.approx(np.tile(momentum[0], (len(motion.t), 1)), abs=1e-8)
    assert np.ptp(motion.qd[:, :3], axis=0).max() > 0.1  # the plate was turned
    assert motion.total_work[-1] < -0.1
    assert np.abs(motion.energy_balance).max() < 1e-7 * motion.energy_scale


def test_who_carries_it() -> None:
    """A plate that is fixed to the ground passes on what its wall takes."""
    bodies = [lg.Body("plate", 5.0), lg.Body("ball", 2.0)]
    joints = [lg.Joint("weld", "fixed", "ground", "plate"), lg.Joint("z", "prismatic", "ground", "ball")]
    wall = lg.Wall("top", "ball", (0, 0, 0), "plate", (0, 0, 0.2), "z", 1e4, 1e4)
    mechanism = lg.Mechanism("table", bodies, joints, springs=[wall])
    motion = lg.simulate(mechanism, 1.0, q0=[0.3])
    push = lg.compile(mechanism).spring_forces(motion.q, motion.qd)
    assert push.max() > 100
    assert motion.reactions[:, 0, 5] == pytest.approx(5.0 * G + push[:, 0], rel=1e-12)


@pytest.mark.parametrize("stabilisation", ["projection", "baumgarte", "ggl"])
def test_a_linkage_against_a_wall(stabilisation: str) -> None:
    """The rocker of a four-bar meets a stop: the loop stays closed and the energy balances."""
    bar = lg.library("four_bar")
    dyn = lg.compile(bar)
    q = lg.assemble(bar, fixed={"theta1": 2.0})
    end = (dyn.pose(q, "rocker") @ [0.6, 0, 0, 1])[:3]
    stop = lg.Wall("stop", "rocker", (0.6, 0, 0), "ground", end, "x", 1e5, 1e4)
    mechanism = bar.replace(springs=[stop])
    motion = lg.simulate(mechanism, 1.0, {"theta1": 1.5}, {"theta1": 3.0}, torque=0, stabilisation=stabilisation, rtol=1e-9)
    assert lg.compile(mechanism).spring_forces(motion.q, motion.qd).max() > 10
    assert motion.work["friction"][-1].sum() < -1e-3
    assert np.abs(motion.energy_balance).max() < 1e-6 * motion.energy_scale
    assert motion.drift.max() < 1e-6


def test_no_closed_form() -> None:
    mechanism = ball()
    with pytest.raises(MechanismError, match=r"wall 'floor': .*Remove it with mechanism.replace\(springs=...\)"):
        lg.derive(mechanism)
    assert lg.derive(mechanism.replace(springs=[])).M.shape == (1, 1)


def test_other_walls_are_other_code() -> None:
    """What is kept for next time tells walls apart by every number."""
    soft, hard = ball(1e4), ball(1e5)
    moved = soft.replace(springs=[lg.Wall("floor", "ball", position=(0, 0, 0.01), stiffness=1e4)])
    ends = {float(lg.simulate(m, 0.5, q0=[0.1]).q.min()) for m in (soft, hard, moved)}
    assert len(ends) == 3
