"""Timing laws of paths: s from 0 to 1 over a duration, with its two derivatives by time; and durations from limits of speed.

Biagiotti and Melchiorri, Trajectory Planning for Automatic Machines and Robots (2008), chapters 2 and 3.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from lagrangian.arguments import floats
from lagrangian.errors import ArgumentError, format_value, is_number
from lagrangian.paths.curves import LineSegment, Slerp, ValuesAndDerivatives
from lagrangian.paths.path import TimedCurve

DEFAULT_RAMP = 1 / 3  # of the duration of a trapezoidal timing
GRID_POINTS = 4001  # times at which the largest speed and acceleration are sought


@dataclass(frozen=True)
class UniformTiming:
    """Constant speed from the beginning to the end, for paths that neither start nor end at rest."""

    duration: float

    @property
    def discontinuities(self) -> tuple[float, ...]:
        return ()

    def __call__(self, t: np.ndarray) -> ValuesAndDerivatives:
        return t / self.duration, np.full_like(t, 1 / self.duration), np.zeros_like(t)


@dataclass(frozen=True)
class QuinticTiming:
    """A quintic from rest to rest, with no acceleration at either end: s = 10 x^3 - 15 x^4 + 6 x^5."""

    duration: float

    @property
    def discontinuities(self) -> tuple[float, ...]:
        return ()

    def __call__(self, t: np.ndarray) -> ValuesAndDerivatives:
        T = self.duration
        x = t / T
        return (
            x**3 * (10 + x * (6 * x - 15)),
            30 * (x * (1 - x)) ** 2 / T,
            60 * x * (1 - x) * (1 - 2 * x) / T / T,
        )


@dataclass(frozen=True)
class TrapezoidalTiming:
    """Constant acceleration, speed and deceleration from rest to rest; acceleration and deceleration each last `ramp`."""

    duration: float
    ramp: float

    @property
    def discontinuities(self) -> tuple[float, ...]:
        inner = (self.ramp, self.duration - self.ramp)
        return inner if inner[1] - inner[0] > 1e-12 * self.duration else inner[:1]

    def __call__(self, t: np.ndarray) -> ValuesAndDerivatives:
        T, r = self.duration, self.ramp
        speed = 1 / (T - r)
        rising, falling = t < r, t >= T - r  # at a jump, the value after it
        remaining = T - t
        s = np.where(
            rising, 0.5 * speed / r * t * t, np.where(falling, 1 - 0.5 * speed / r * remaining * remaining, speed * (t - r / 2))
        )
        sd = np.where(rising, speed / r * t, np.where(falling, speed / r * remaining, speed))
        return s, sd, np.where(rising, speed / r, np.where(falling, -speed / r, 0.0))


Timing = UniformTiming | QuinticTiming | TrapezoidalTiming
TIMING_NAMES = ("quintic", "trapezoidal", "uniform")


def make_timing(name: Any, duration: float, ramp: float | None = None) -> Timing:
    """The timing of this name."""
    duration = as_seconds(duration, "duration")
    if ramp is not None and name in ("uniform", "quintic"):
        raise ArgumentError(f"`ramp` needs timing='trapezoidal'; the timing is {name!r}", concerns="ramp")
    if name == "uniform":
        return UniformTiming(duration)
    if name == "quintic":
        return QuinticTiming(duration)
    if name == "trapezoidal":
        ramp = DEFAULT_RAMP * duration if ramp is None else as_seconds(ramp, "ramp")
        if not ramp <= duration / 2:
            raise ArgumentError(f"is {ramp:g} s; it must be at most half of the duration, {duration:g} s", argument="ramp")
        return TrapezoidalTiming(duration, ramp)
    raise ArgumentError(f"is {name!r}; it must be one of {', '.join(TIMING_NAMES)}", argument="timing")


def as_seconds(value: Any, argument: str) -> float:
    """A positive number of seconds, checked."""
    if not is_number(value) or value <= 0:
        raise ArgumentError(f"the {argument} is {format_value(value)}; a positive number of seconds is needed")
    return float(value)


def fastest_timing(name: Any, speed: float, acceleration: float) -> Timing:
    """The shortest timing whose s keeps this speed and this acceleration, of which either may be infinite."""
    if name == "trapezoidal" and math.isfinite(acceleration):
        if speed * speed >= acceleration:  # the speed is never reached: a triangle
            duration = 2 / math.sqrt(acceleration)
            return TrapezoidalTiming(duration, duration / 2)
        return TrapezoidalTiming(1 / speed + speed / acceleration, speed / acceleration)
    unit_timing = make_timing(name, 1.0)
    grid = unit_timing(np.linspace(0.0, 1.0, 2001))
    max_speed, max_acceleration = (float(np.abs(x).max()) for x in grid[1:])
    max_acceleration = 10 / math.sqrt(3) if name == "quintic" else max_acceleration  # between the grid's points
    duration = max(max_speed / speed, math.sqrt(max_acceleration / acceleration))
    if not duration:
        raise ArgumentError(
            "a straight line at a constant speed has no acceleration to limit; give a duration or a speed",
            concerns="acceleration",
        )
    return make_timing(name, duration)


# ---- timings of given durations, or within limits


def timing_from_duration(timing: str, duration: Any, ramp: Any, *limits: Any) -> Timing:
    """The timing of a duration, which excludes limits."""
    if any(x is not None for x in limits):
        raise ArgumentError("give a duration, or limits of speed and acceleration, not both", concerns="duration")
    return make_timing(timing, duration, ramp)


def timing_within_limits(
    curves_and_limits: Sequence[tuple[Any, Any, Any]], timing: str, ramp: float | None = None, per_coordinate: bool = False
) -> Timing:
    """The timing of curves that are run through together, each with its limits of speed and acceleration.

    Limits hold for every coordinate if `per_coordinate`, else for the speed as a whole. For straight lines the timing is the
    quickest; for others it keeps its shape, with the duration that the limits need.
    """
    unit_timing = make_timing(timing, 1.0)
    if ramp is not None:
        raise ArgumentError(
            "`ramp` needs a duration; with limits of speed and acceleration the ramp follows from them", concerns="ramp"
        )
    curves = [_LimitedCurve.from_limits(*entry, unit_timing, per_coordinate) for entry in curves_and_limits]
    if not any(curve.moving.any() for curve in curves):
        raise ArgumentError(
            "the path does not move, so limits give no duration; give a duration, or use paths.dwell", concerns="duration"
        )
    if not any(curve.has_limit for curve in curves):
        raise ArgumentError("the path has no duration; give one, or limits of speed and acceleration", concerns="duration")
    moving_curves = [curve for curve in curves if curve.moving.any()]
    if all(curve.is_straight for curve in curves):
        return fastest_timing(
            timing, min(c.progress_speed for c in moving_curves), min(c.progress_acceleration for c in moving_curves)
        )
    return make_timing(timing, max(curve.min_duration for curve in moving_curves))


@dataclass(frozen=True, eq=False)
class _LimitedCurve:
    """A curve with its largest speeds and accelerations over a timing of one second, and with their limits."""

    is_straight: bool
    lengths: np.ndarray  # of a straight curve
    speeds: np.ndarray
    accelerations: np.ndarray
    max_speeds: np.ndarray
    max_accelerations: np.ndarray

    @staticmethod
    def from_limits(curve: Any, speed: Any, acceleration: Any, unit_timing: Timing, per_coordinate: bool) -> _LimitedCurve:
        v, a = _largest_rates(TimedCurve(curve, unit_timing), unit_timing.discontinuities, per_coordinate)
        _, slope, _ = curve(np.array([0.0]))
        lengths = np.abs(slope[0]) if per_coordinate else np.array([np.linalg.norm(slope[0])])
        max_speeds = _limit_array(speed, len(v), "speed")
        max_accelerations = _limit_array(acceleration, len(v), "acceleration")
        return _LimitedCurve(isinstance(curve, (LineSegment, Slerp)), lengths, v, a, max_speeds, max_accelerations)

    @property
    def moving(self) -> np.ndarray:
        """Whether each coordinate moves."""
        return np.asarray(self.speeds > 0)

    @property
    def has_limit(self) -> bool:
        """Whether a coordinate that moves has a limit."""
        return bool(np.isfinite(np.concatenate([self.max_speeds[self.moving], self.max_accelerations[self.moving]])).any())

    @property
    def progress_speed(self) -> float:
        """The largest speed of s on a straight curve."""
        return float((self.max_speeds[self.moving] / self.lengths[self.moving]).min())

    @property
    def progress_acceleration(self) -> float:
        """The largest acceleration of s on a straight curve."""
        return float((self.max_accelerations[self.moving] / self.lengths[self.moving]).min())

    @property
    def min_duration(self) -> float:
        """The shortest duration in which the timing keeps the limits."""
        return max(
            float((self.speeds / self.max_speeds).max()), math.sqrt(float((self.accelerations / self.max_accelerations).max()))
        )


def _largest_rates(motion: TimedCurve, discontinuities: Sequence[float], per_coordinate: bool) -> tuple[np.ndarray, np.ndarray]:
    """The largest speeds and accelerations along a curve, refined around the largest on a grid of times."""

    def rate_magnitudes(t: np.ndarray) -> np.ndarray:
        _, v, a = motion(t)
        return np.abs(np.hstack([v, a])) if per_coordinate else np.column_stack([np.linalg.norm(x, axis=1) for x in (v, a)])

    grid = np.linspace(0.0, 1.0, GRID_POINTS)
    grid = np.union1d(grid, [np.nextafter(x, side) for x in discontinuities for side in (0.0, 1.0)])
    magnitudes = rate_magnitudes(grid)
    largest = magnitudes.max(axis=0)
    for column, time in enumerate(grid[np.argmax(magnitudes, axis=0)]):
        width = 1 / (GRID_POINTS - 1)
        for _ in range(4):
            nearby_times = np.clip(np.linspace(time - width, time + width, 41), 0.0, 1.0)
            nearby_magnitudes = rate_magnitudes(nearby_times)[:, column]
            time, largest[column], width = (
                nearby_times[np.argmax(nearby_magnitudes)],
                max(largest[column], nearby_magnitudes.max()),
                width / 20,
            )
    return largest[: len(largest) // 2], largest[len(largest) // 2 :]


def _limit_array(value: Any, count: int, argument: str) -> np.ndarray:
    """A limit for each coordinate, infinite without one."""
    if value is None:
        return np.full(count, math.inf)
    try:
        x = np.broadcast_to(floats(value), (count,))
    except (TypeError, ValueError):
        x = np.zeros(count)
    if not (x > 0).all():
        raise ArgumentError(
            f"is {format_value(value)}",
            argument=argument,
            remedy=f"a positive number{f', or {count} of them,' * (count > 1)} is needed",
        )
    return x
