"""Paths of joints: lines and splines of their coordinates, and rows that were recorded."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from numpy.typing import ArrayLike

from lagrangian.errors import ArgumentError
from lagrangian.model.mechanism import Mechanism
from lagrangian.paths import curves
from lagrangian.paths import durations as limits
from lagrangian.paths.argument_checks import array, coordinates, different, increasing, led_names, only_times, speed_limits
from lagrangian.paths.path import JointPath, Run, reached
from lagrangian.public import public


@public
def joint_line(
    start: ArrayLike | Mapping[str, float],
    end: ArrayLike | Mapping[str, float],
    duration: float | None = None,
    *,
    timing: str = "quintic",
    ramp: float | None = None,
    speed: ArrayLike | None = None,
    acceleration: ArrayLike | None = None,
    mechanism: Mechanism | None = None,
    names: Sequence[str] | None = None,
) -> JointPath:
    """All joints together from `start` to `end`: arrays, mappings of coordinates to values, or names of poses of `mechanism`.

    Without a duration it is the quickest that no joint's `speed` and `acceleration` forbid, each a number or one for every joint;
    the speed limits of `mechanism` hold if none are given.
    """
    led = led_names(names, (start, end), mechanism)
    a, b = (coordinates(x, led, what, mechanism) for x, what in ((start, "start"), (end, "end")))
    if a.shape != b.shape:
        raise ArgumentError(f"the line begins with {len(a)} coordinates and ends with {len(b)}")
    return _joints(curves.Line(a, b), timing, duration, ramp, speed, acceleration, mechanism, led)


@public
def joint_spline(
    points: Any,
    duration: float | None = None,
    *,
    times: ArrayLike | None = None,
    timing: str | None = None,
    ramp: float | None = None,
    speed: ArrayLike | None = None,
    acceleration: ArrayLike | None = None,
    degree: int = 3,
    ends: str | None = None,
    mechanism: Mechanism | None = None,
    names: Sequence[str] | None = None,
) -> JointPath:
    """Through points, (n, coordinates), without stopping; at `times` if they are given, else by `timing` from end to end.

    `ends` is "natural", "clamped" (at rest; the default with times), "free" or "periodic".
    """
    led = led_names(names, points if isinstance(points, (list, tuple)) else (), mechanism)
    if isinstance(points, (list, tuple)):
        points = [coordinates(p, led, f"point {k + 1}", mechanism) for k, p in enumerate(points)]
    x = array(points, "points", 2)
    if times is not None:
        only_times(duration, timing, ramp, speed, acceleration)
        return recorded(times, x, names=led, degree=degree, ends=ends or "clamped")
    curve = curves.spline(x, curves.chords(x), degree, ends or "natural")
    return _joints(curve, timing or "quintic", duration, ramp, speed, acceleration, mechanism, led)


@public
def recorded(
    t: ArrayLike, q: ArrayLike, *, names: Sequence[str] | None = None, degree: int | None = None, ends: str = "free"
) -> JointPath:
    """Through rows q at times t, as they were recorded or planned elsewhere: a spline of `degree` 5, or 3, with any `ends`.

    Without a degree it is 5, or less where there are fewer than six rows: one polynomial through them.
    """
    times, x = array(t, "t", 1), array(q, "q", 2)
    increasing(times, len(x))
    curve = curves.spline(x, times - times[0], degree, ends)
    led = different(names, "names")
    if led is not None and len(led) != x.shape[1]:
        raise ArgumentError(f"{len(led)} names are given for {x.shape[1]} columns", concerns="names")
    inner = tuple(float(x) for x in times[1:-1])
    return JointPath(float(times[-1] - times[0]), motion=curve, names=led, start=float(times[0]), corners=inner)


def _joints(
    curve: Any,
    timing: str,
    duration: Any,
    ramp: Any,
    speed: Any,
    acceleration: Any,
    mechanism: Mechanism | None,
    names: tuple[str, ...] | None,
) -> JointPath:
    """A path of joints along a curve of their coordinates."""
    if duration is not None:
        made = limits.given(timing, duration, ramp, speed, acceleration)
    else:
        if speed is None and mechanism is not None:
            speed = speed_limits(mechanism, names)
        made = limits.within([(curve, speed, acceleration)], timing, ramp, each=True)
    return JointPath(made.duration, motion=Run(curve, made), names=names, breaks=made.breaks, corners=reached(made, curve))
