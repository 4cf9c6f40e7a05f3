"""Contacts that only push: a run says when one would have to pull, at the time that the force says, and stops if asked."""

from __future__ import annotations

import math
import warnings

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.optimize import brentq

import lagrangian as lg
from tests.motion.machines import G, formula

CREST = "crest would have to pull"
ROAD = "road would have to pull"


def on_a_crest(unilateral: bool = True) -> lg.Mechanism:
    """A point mass on a circle of 1 m in a vertical plane, outside it."""
    joints = [
        lg.Joint("x", "prismatic", "ground", "along", axis=(1, 0, 0)),
        lg.Joint("z", "prismatic", "along", "point", axis=(0, 0, 1)),
    ]
    crest = lg.HolonomicConstraint("crest", formula("x^2 + z^2 - 1", "x z"), unilateral)
    return lg.Mechanism("crest", [lg.Body("along"), lg.Body("point", 2.0)], joints, constraints=[crest], gravity=(0, 0, -G))


HOOP, LOAD, RADIUS = 1.0, 2.0, 0.5


def loaded_hoop() -> lg.Mechanism:
    """A hoop with a heavy point at its rim, on top at the beginning, rolls along x."""
    r = RADIUS
    total = HOOP + LOAD
    centre = LOAD * r / total
    across = HOOP * r**2 + LOAD * r**2 - total * centre**2
    body = lg.Body("hoop", total, (0, 0, centre), (across, across, across))
    joints = [
        lg.Joint("x", "prismatic", "ground", "carried", axis=(1, 0, 0)),
        lg.Joint("z", "prismatic", "carried", "raised", axis=(0, 0, 1)),
        lg.Joint("a", "revolute", "raised", "hoop", axis=(0, 1, 0)),
    ]
    road = lg.RollingConstraint("road", "hoop", r, axis=(0, 1, 0))
    bodies = [lg.Body("carried"), lg.Body("raised"), body]
    return lg.Mechanism("loaded_hoop", bodies, joints, constraints=[road], gravity=(0, 0, -G))


def hops(speed: float) -> tuple[float, float] | None:
    """The angle and the time at which the road would have to pull the hoop down, if it would.

    By energy, (M + m (1 + cos a)) r^2 w^2 + m g r cos a is constant; the road pushes with (M + m) g - m r (w' sin a + w^2 cos a).
    """
    r = RADIUS

    def inertia(a: float) -> float:
        return (HOOP + LOAD * (1 + math.cos(a))) * r**2

    def square(a: float) -> float:
        return (inertia(0) * speed**2 + LOAD * G * r * (1 - math.cos(a))) / inertia(a)

    def push(a: float) -> float:
        slope = (LOAD * G * r * math.sin(a) + LOAD * math.sin(a) * r**2 * square(a)) / inertia(a)
        return (HOOP + LOAD) * G - LOAD * r * (slope / 2 * math.sin(a) + square(a) * math.cos(a))

    angles = np.linspace(0, 2 * math.pi, 2001)
    below = [k for k, a in enumerate(angles) if push(a) < 0]
    if not below:
        return None
    if below[0] == 0:
        return 0.0, 0.0
    at = brentq(push, angles[below[0] - 1], angles[below[0]], xtol=1e-13)
    return at, quad(lambda a: 1 / math.sqrt(square(a)), 0, at, epsabs=1e-12)[0]


@pytest.mark.parametrize("speed", [0.1, 1.5])
def test_a_mass_leaves_a_crest(speed: float) -> None:
    """It slides down from the top, and leaves where its height is 2/3 of the radius and v0^2/(3 g) more."""
    with pytest.warns(lg.SimulationWarning, match="contact 'crest' would have to pull from t = .* x = ") as caught_warnings:
        motion = lg.simulate(on_a_crest(), 1.5, [0.0, 1.0], [speed, 0.0], rtol=1e-10, atol=1e-12)
    assert len(caught_warnings) == 1
    leaves = next(e for e in motion.events if e.name == CREST)
    assert leaves.q[1] == pytest.approx(2 / 3 + speed**2 / (3 * G), abs=1e-8)
    before, after = motion.multipliers[motion.t < leaves.t, 0], motion.multipliers[motion.t > leaves.t + 1e-6, 0]
    assert before.min() > 0
    assert after[0] < 0


def test_it_stops_there_if_asked() -> None:
    stopped = lg.simulate(on_a_crest(), 1.5, [0.0, 1.0], [0.1, 0.0], events={CREST: "stop"})
    assert stopped.message.startswith(f"stopped by event {CREST!r}")
    assert stopped.q[-1, 1] == pytest.approx(2 / 3 + 0.01 / (3 * G), abs=1e-7)


def test_too_fast_from_the_beginning() -> None:
    """From the top with more than sqrt(g r) it would fly at once: that is no change, and is said all the same."""
    with pytest.warns(lg.SimulationWarning, match="contact 'crest' would have to pull from t = 0 s on"):
        motion = lg.simulate(on_a_crest(), 0.1, [0.0, 1.0], [4.0, 0.0])
    assert (motion.events[0].name, motion.events[0].t) == (CREST, 0.0)


def test_a_wire_can_pull() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        motion = lg.simulate(on_a_crest(unilateral=False), 1.5, [0.0, 1.0], [1.5, 0.0])
    assert not motion.events


@pytest.mark.parametrize("speed", [1.0, 4.0, 5.0])
def test_a_loaded_hoop_hops(speed: float) -> None:
    """At a known angle if it is fast, never if it is slow."""
    expected = hops(speed)
    with warnings.catch_warnings(record=True) as caught_warnings:
        warnings.simplefilter("always")
        motion = lg.simulate(loaded_hoop(), 1.0, [0.0, RADIUS, 0.0], [RADIUS * speed, 0.0, speed], rtol=1e-10, atol=1e-12)
    actual = [e for e in motion.events if e.name == ROAD]
    assert bool(actual) == bool(caught_warnings) == (expected is not None)
    if expected is not None:
        assert (actual[0].q[2], actual[0].t) == pytest.approx(expected, abs=1e-7)


def test_rolling_without_weight_is_no_pull() -> None:
    """The road gives nothing but rounding: nothing is said."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        motion = lg.simulate(
            loaded_hoop().replace(
                gravity=(0, 0, 0),
                bodies=[lg.Body("carried"), lg.Body("raised"), lg.Body("hoop", 1.0, (0, 0, 0), (0.1, 0.2, 0.1))],
            ),
            1.0,
            [0.0, RADIUS, 0.3],
            [RADIUS * 2, 0.0, 2.0],
        )
    assert not motion.events


def test_files_have_it() -> None:
    for model in (on_a_crest(), on_a_crest(False), loaded_hoop()):
        again = lg.loads(lg.dumps(model))
        assert [c.unilateral for c in again.constraints] == [c.unilateral for c in model.constraints]
    text = lg.dumps(loaded_hoop()).replace('type = "rolling"', 'type = "rolling"\nunilateral = false')
    assert not lg.loads(text).constraints[0].unilateral


def on_a_table() -> lg.Mechanism:
    """A mass of 1 kg, which slides on a level table."""
    joints = [
        lg.Joint("x", "prismatic", "ground", "along", axis=(1, 0, 0)),
        lg.Joint("z", "prismatic", "along", "point", axis=(0, 0, 1)),
    ]
    table = lg.HolonomicConstraint("table", formula("z", "x z"), unilateral=True)
    return lg.Mechanism("table", [lg.Body("along"), lg.Body("point", 1.0)], joints, constraints=[table], gravity=(0, 0, -G))


def test_a_force_that_jumps_lifts_where_it_jumps() -> None:
    """20 N lift what weighs less, from 1 s to 1.5 s."""
    lift = {"z": "piecewise(t < 1, 0, t < 1.5, 20, 0)"}
    with pytest.warns(lg.SimulationWarning, match="would have to pull from t = 1 s on"):
        motion = lg.simulate(on_a_table(), 2, [0, 0], [1, 0], lift)
    messages = [("table would have to pull", 1.0), ("table pushes again", 1.5)]
    assert [(e.name, e.t) for e in motion.events] == messages
    stopped = lg.simulate(on_a_table(), 2, [0, 0], [1, 0], lift, events={"table would have to pull": "stop"})
    assert stopped.t[-1] == 1.0
    assert [(e.name, e.t) for e in stopped.events] == messages[:1]
    both = {"table would have to pull": lg.SetTorque({"x": 2.0}), "table pushes again": "stop"}
    with pytest.warns(lg.SimulationWarning, match="would have to pull from t = 1 s on"):
        pushed = lg.simulate(on_a_table(), 2, [0, 0], [1, 0], lift, events=both)
    assert pushed.q[-1, 0] == pytest.approx(1.5 + 0.5**2, abs=1e-9)
