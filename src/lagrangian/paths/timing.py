"""How fast a path is run through: s from 0 to 1 over a duration, with its two derivatives by time.

Biagiotti and Melchiorri, Trajectory Planning for Automatic Machines and Robots (2008), chapters 2 and 3.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from lagrangian.errors import ArgumentError, is_number, shown

Progress = tuple[np.ndarray, np.ndarray, np.ndarray]


@dataclass(frozen=True)
class Uniform:
    """At constant speed from the first moment to the last: for paths that are on their way already."""

    duration: float

    @property
    def breaks(self) -> tuple[float, ...]:
        return ()

    def __call__(self, t: np.ndarray) -> Progress:
        return t / self.duration, np.full_like(t, 1 / self.duration), np.zeros_like(t)


@dataclass(frozen=True)
class Quintic:
    """From rest to rest, with no acceleration at either end: s = 10 x^3 - 15 x^4 + 6 x^5."""

    duration: float

    @property
    def breaks(self) -> tuple[float, ...]:
        return ()

    def __call__(self, t: np.ndarray) -> Progress:
        T = self.duration
        x = t / T
        return (
            x**3 * (10 + x * (6 * x - 15)),
            30 * (x * (1 - x)) ** 2 / T,
            60 * x * (1 - x) * (1 - 2 * x) / T / T,
        )


@dataclass(frozen=True)
class Trapezoid:
    """From rest to rest with constant acceleration, speed, and deceleration; `ramp` is how long each of the outer two lasts."""

    duration: float
    ramp: float

    @property
    def breaks(self) -> tuple[float, ...]:
        inner = (self.ramp, self.duration - self.ramp)
        return inner if inner[1] - inner[0] > 1e-12 * self.duration else inner[:1]

    def __call__(self, t: np.ndarray) -> Progress:
        T, r = self.duration, self.ramp
        speed = 1 / (T - r)
        rising, falling = t < r, t >= T - r  # where it jumps, what comes after
        left = T - t
        s = np.where(rising, 0.5 * speed / r * t * t, np.where(falling, 1 - 0.5 * speed / r * left * left, speed * (t - r / 2)))
        sd = np.where(rising, speed / r * t, np.where(falling, speed / r * left, speed))
        return s, sd, np.where(rising, speed / r, np.where(falling, -speed / r, 0.0))


Timing = Uniform | Quintic | Trapezoid
NAMES = ("quintic", "trapezoidal", "uniform")
RAMP = 1 / 3  # of a trapezoid's duration, where nothing else decides


def timed(name: Any, duration: float, ramp: float | None = None) -> Timing:
    """A timing by its name."""
    duration = seconds(duration, "duration")
    if ramp is not None and name in ("uniform", "quintic"):
        raise ArgumentError(f"`ramp` needs timing='trapezoidal'; the timing is {name!r}", concerns="ramp")
    if name == "uniform":
        return Uniform(duration)
    if name == "quintic":
        return Quintic(duration)
    if name == "trapezoidal":
        ramp = RAMP * duration if ramp is None else seconds(ramp, "ramp")
        if not ramp <= duration / 2:
            raise ArgumentError(f"is {ramp:g} s; it must be at most half of the duration, {duration:g} s", argument="ramp")
        return Trapezoid(duration, ramp)
    raise ArgumentError(f"is {name!r}; it must be one of {', '.join(NAMES)}", argument="timing")


def seconds(given: Any, what: str) -> float:
    """A positive number."""
    if not is_number(given) or given <= 0:
        raise ArgumentError(f"the {what} is {shown(given)}; a positive number of seconds is needed")
    return float(given)


def quickest(name: Any, speed: float, acceleration: float) -> Timing:
    """The shortest timing of a straight path whose s may have this speed and this acceleration; either may be infinite."""
    if name == "trapezoidal" and math.isfinite(acceleration):
        if speed * speed >= acceleration:  # the speed is never reached: a triangle
            duration = 2 / math.sqrt(acceleration)
            return Trapezoid(duration, duration / 2)
        return Trapezoid(1 / speed + speed / acceleration, speed / acceleration)
    shape = timed(name, 1.0)
    grid = shape(np.linspace(0.0, 1.0, 2001))
    fastest, strongest = (float(np.abs(x).max()) for x in grid[1:])
    strongest = 10 / math.sqrt(3) if name == "quintic" else strongest  # between the grid's points
    duration = max(fastest / speed, math.sqrt(strongest / acceleration))
    if not duration:
        raise ArgumentError(
            "a straight line at a constant speed has no acceleration to limit; give a duration or a speed",
            concerns="acceleration",
        )
    return timed(name, duration)
