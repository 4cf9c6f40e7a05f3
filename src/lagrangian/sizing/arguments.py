"""What a caller says about a cycle, gears and screws, checked."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from lagrangian.errors import Argument, ArgumentError, is_number, one_of
from lagrangian.sizing.demand import Rows
from lagrangian.sizing.gears import Gear, GearRange, gears_of


def dwell_of(motion: Any, cycle_time: float | None, dwell: float | None) -> float:
    """How long the mechanism rests after the motion."""
    if cycle_time is not None and dwell is not None:
        raise ArgumentError("cycle_time and dwell both say how long the mechanism rests; give one of them", concerns="cycle_time")
    for name, x in (("cycle_time", cycle_time), ("dwell", dwell)):
        if x is not None and not (is_number(x) and x >= 0):
            raise ArgumentError(f"{name} is {x!r}; a number of seconds, not negative, is needed")
    if cycle_time is None:
        return float(dwell or 0.0)
    t = np.asarray(getattr(motion, "t", ()), dtype=float)
    duration = float(t[-1] - t[0]) if t.size else 0.0
    if cycle_time < duration * (1 - 1e-12):
        raise ArgumentError(f"is {cycle_time:g} s, but the motion takes {duration:g} s", argument="cycle_time")
    return max(0.0, float(cycle_time) - duration)


def gears_by_joint(given: Any, rows: Rows) -> list[tuple[Gear | GearRange, ...]]:
    """What is offered to each joint."""
    if not isinstance(given, Mapping):
        return [gears_of(given)] * len(rows.names)
    for name in given:
        if name not in rows.names:
            raise ArgumentError(f"gears: {one_of('actuated joint', name, rows.names)}")
    return [gears_of(given.get(name), f"gears of {name!r}") for name in rows.names]


def pitches(given: Any, rows: Rows, needed: bool) -> list[float]:
    """Radians of the gear's output per metre of each slide, 1 where the joint turns."""
    sliding = [name for name, joint in zip(rows.names, rows.joints, strict=True) if all(joint.slides)]
    leads: Mapping[str, Any] = given if isinstance(given, Mapping) else {} if given is None else dict.fromkeys(sliding, given)
    for name, x in leads.items():
        if name not in sliding:
            raise ArgumentError(f"lead: {one_of('sliding joint that is actuated', name, sliding)}")
        if not is_number(x) or x <= 0:
            raise ArgumentError(f"lead of {name!r} is {x!r}; metres per turn are needed, such as 0.01")
    lacking = [name for name in sliding if name not in leads]
    if needed and lacking:
        raise ArgumentError(
            f"`lead` is needed for {', '.join(lacking)}: how far the joint slides per turn of its screw or pinion",
            remedy=f"give {Argument('lead', dict.fromkeys(lacking, 0.01))} in metres per turn, or {Argument('catalogue', False)} "
            f"for the demand alone",
        )
    return [2 * math.pi / float(leads[name]) if name in leads else 1.0 for name in rows.names]


def positive(name: str, x: Any) -> None:
    if isinstance(x, bool) or not isinstance(x, (int, float, np.integer, np.floating)) or math.isnan(x) or x <= 0:
        raise ArgumentError(f"is {x!r}", argument=name, remedy="a number greater than 0 is needed")
