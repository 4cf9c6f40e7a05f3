"""Mechanisms whose motion is known in closed form, and that motion to many digits, by mpmath."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any, NamedTuple

import mpmath as mp

import lagrangian as lg

DIGITS = 60


def slider(mass: Any = 1, axis: str = "x", gravity: Any = (0, 0, 0), **at_joint: Any) -> lg.Mechanism:
    body = lg.Body("block", mass)
    return lg.Mechanism("slider", [body], [lg.Joint("x", "prismatic", "ground", "block", axis=axis, **at_joint)], gravity=gravity)


def pendulum() -> lg.Mechanism:
    """A point mass on a rod of 0.7 m, theta from where it hangs."""
    body = lg.Body("bob", 1.3, center=(0, -0.7, 0))
    return lg.Mechanism(
        "simple_pendulum", [body], [lg.Joint("theta", "revolute", "ground", "bob", axis="z")], gravity=(0, -9.81, 0)
    )


def spinning() -> lg.Mechanism:
    """A symmetric body in free space."""
    body = lg.Body("top", 1.7, inertia=(0.3, 0.3, 0.5))
    return lg.Mechanism("symmetric_body", [body], [lg.Joint("f", "free", "ground", "top")], gravity=(0, 0, 0))


def _pendulum(t: Any) -> tuple[list[Any], list[Any]]:
    """From 2.5 rad at rest (Whittaker, Analytical Dynamics, section 44): sin(theta/2) = k cd(w t, k)."""
    start, w = mp.mpf(5) / 2, mp.sqrt(mp.mpf("9.81") / mp.mpf("0.7"))
    k = mp.sin(start / 2)
    cd, sd = mp.ellipfun("cd", w * t, m=k * k), mp.ellipfun("sd", w * t, m=k * k)
    nd = mp.ellipfun("nd", w * t, m=k * k)
    theta = 2 * mp.asin(k * cd)
    rate = -k * (1 - k * k) * sd * nd * w  # of k cd
    return [theta], [2 * rate / mp.sqrt(1 - (k * cd) ** 2)]


def _spinning(t: Any) -> list[Any]:
    """Angular velocity of a symmetric body: it goes round in the body by (C - A)/A wz."""
    wx, wy, wz = mp.mpf("0.4"), mp.mpf("-1.1"), mp.mpf(3)
    rate = (mp.mpf("0.5") - mp.mpf("0.3")) / mp.mpf("0.3") * wz
    c, s = mp.cos(rate * t), mp.sin(rate * t)
    return [wx * c - wy * s, wx * s + wy * c, wz]


class Known(NamedTuple):
    """A mechanism, how it is run, and where it is at a time: (q, qd)."""

    mechanism: lg.Mechanism
    given: dict[str, Any]
    at: Callable[[Any], tuple[list[Any], list[Any]]]


def known_motions() -> dict[str, Known]:
    return {
        "free fall": Known(
            slider(axis="z", gravity=(0, 0, -9.81)),
            {"qd0": [0.3]},
            lambda t: ([mp.mpf("0.3") * t - mp.mpf("4.905") * t * t], [mp.mpf("0.3") - mp.mpf("9.81") * t]),
        ),
        "oscillator": Known(
            slider(2, spring={"stiffness": 18, "rest": 0.25}),
            {"q0": [1.25]},
            lambda t: ([mp.mpf(1) / 4 + mp.cos(3 * t)], [-3 * mp.sin(3 * t)]),
        ),
        "viscous": Known(
            slider(3, friction={"viscous": 0.7}),
            {"qd0": [2]},
            lambda t: (
                [2 * mp.mpf(30) / 7 * (1 - mp.exp(-mp.mpf(7) / 30 * t))],
                [2 * mp.exp(-mp.mpf(7) / 30 * t)],
            ),
        ),
        "driven": Known(
            slider(),
            {"torque": {"x": "sin(3*t) + tanh(0)"}},
            lambda t: ([t / 3 - mp.sin(3 * t) / 9], [(1 - mp.cos(3 * t)) / 3]),
        ),
        "pendulum": Known(pendulum(), {"q0": [2.5]}, _pendulum),
        "helical": Known(
            lg.Mechanism(
                "screw",
                [lg.Body("nut", 2, inertia=(0.1, 0.1, 0.1))],
                [lg.Joint("s", "helical", "ground", "nut", axis="z", pitch=0.1)],
            ),
            {},
            lambda t: (
                [-mp.mpf("1.962") / mp.mpf("0.12") / 2 * t * t],
                [-mp.mpf("1.962") / mp.mpf("0.12") * t],
            ),
        ),
    }


def fraction(x: Any) -> Fraction:
    """A number of mpmath, exactly."""
    sign, mantissa, exponent, _ = x._mpf_
    return Fraction(int(mantissa)) * Fraction(2) ** int(exponent) * (-1 if sign else 1)


def holds(number: lg.BoundedNumber, truth: Any) -> bool:
    """Whether bounds hold a number that is known to `DIGITS` digits."""
    slack = Fraction(1, 10 ** (DIGITS - 5))
    return number.lower_bound - slack <= fraction(mp.mpf(truth)) <= number.upper_bound + slack
