"""What a run asked of its joints beyond their limits.

A simulation keeps those of position, unless it is told not to; it does not keep those of speed and of effort.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from lagrangian.errors import ArgumentName

if TYPE_CHECKING:
    from lagrangian.motion.motion import Motion

BEYOND = 1e-6  # of a limit: less is rounding
LINES = 12
_SAID = {"position": "reaches", "speed": "reaches", "effort": "is driven with"}


@dataclass(frozen=True)
class Passed:
    """A limit that was passed: of a coordinate's position, or of the speed or effort at a speed."""

    what: str  # "position", "speed" or "effort"
    index: int  # of the coordinate, or of the speed
    name: str
    value: float  # the farthest beyond it
    limit: float
    unit: str
    t: float  # when it was there, s

    def __str__(self) -> str:
        return f"{self.name} {_SAID[self.what]} {self.value:.4g} {self.unit}; its limit is {self.limit:g} {self.unit}"


def limits(motion: Motion, what: str) -> np.ndarray:
    """(coordinates or speeds, 2): the least and the most that is allowed of what the joints have limits of, infinite without."""
    joints = motion.mechanism.joints if motion.mechanism is not None else ()
    if what == "position":
        found = [
            (float(j.limits.lower), float(j.limits.upper)) if unit else (-np.inf, np.inf) for j in joints for unit in j.kind.units
        ]
    else:
        found = [(-float(getattr(j.limits, what)), float(getattr(j.limits, what))) for j in joints for _ in j.slides]
    count = len(motion.coordinate_names if what == "position" else motion.speed_names)
    return np.array(found if found else [(-np.inf, np.inf)] * count, dtype=float).reshape(count, 2)


def passed(motion: Motion) -> list[Passed]:
    """Every limit that was passed, joint by joint."""
    if motion.mechanism is None or not len(motion.t):
        return []
    joints = motion.mechanism.joints
    lengths = [slides for j in joints for slides in j.slides]
    coordinates = [unit for j in joints for unit in j.kind.units]
    found = [
        *_beyond(motion, "position", motion.q, motion.coordinate_names, coordinates),
        *_beyond(motion, "speed", motion.qd, motion.speed_names, ["m/s" if slides else "rad/s" for slides in lengths]),
        *_beyond(motion, "effort", motion.tau, motion.speed_names, ["N" if slides else "N m" for slides in lengths]),
    ]
    owner = {
        "position": [k for k, j in enumerate(joints) for _ in j.kind.units],
        "speed": (of_speeds := [k for k, j in enumerate(joints) for _ in j.slides]),
        "effort": of_speeds,
    }
    return sorted(found, key=lambda x: owner[x.what][x.index])


def _beyond(motion: Motion, what: str, values: np.ndarray, names: Sequence[str], units: Sequence[str]) -> Iterable[Passed]:
    known = np.isfinite(values).all(axis=1)
    t, values = motion.t[known], values[known]
    for k, (low, high) in enumerate(limits(motion, what)) if len(t) else ():
        x = values[:, k]
        # limits of speed and effort are of their size, those of position one to each side
        sides = ((x, low, -1), (x, high, 1)) if what == "position" else ((np.abs(x), high, 1),)
        for y, limit, sign in sides:
            at = int((sign * y).argmax())
            if sign * (y[at] - limit) > BEYOND * (max(1.0, abs(limit)) if what == "position" else limit):
                yield Passed(what, k, names[k], float(y[at]), float(limit), units[k], float(t[at]))


def over_limits(motion: Motion) -> list[str]:
    """A sentence for every limit that was passed."""
    found = passed(motion)
    told = [str(one) for one in found]
    if any(one.what == "effort" for one in found) and "accepted" in motion.statistics:
        told.append(f"{ArgumentName('saturate', True)} keeps torques within their limits")
    return [*told[:LINES], f"... and {len(told) - LINES} more limits that are exceeded"] if len(told) > LINES + 1 else told
