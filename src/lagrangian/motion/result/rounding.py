"""What in the rows of a motion is but rounding: 1e-60 J are no energy, and what stays within 1e-17 rad of zero is at zero.

Coordinates and their rates are nothing below what the tolerances of the run tell from zero. Forces are measured by weights and
inertia forces, energies by what these do over the mechanism's size. The energy balance is an error, and rounding by nature: it
is nothing where nothing moves.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from lagrangian.motion.result.accuracy import promised, stands

if TYPE_CHECKING:
    from lagrangian.motion.motion import Motion

LEAST = 1e-12  # of what is natural
EPS = float(np.finfo(float).eps)


class Rounding:
    """Of one motion: `of(what)` is the size, in SI, below which its values say nothing."""

    def __init__(self, motion: Motion) -> None:
        self.motion = motion
        m = motion.mechanism
        self.length = min(1.0, _length(motion)) if m is not None else 1.0
        mass = sum(float(b.mass) for b in m.bodies) if m is not None else 0.0
        gravity = float(np.linalg.norm(np.array(m.gravity, dtype=float))) if m is not None else 0.0
        fastest = _most(motion.qdd) * (self.length if m is not None else 0.0)
        self.force = mass * max(gravity, fastest)
        s = motion.statistics
        tolerated = promised(float(s["atol"]), int(s.get("accepted", 0))) if s.get("adaptive") and "atol" in s else 0.0
        self.least = max(LEAST * self.length, tolerated)  # of coordinates and their rates
        self.energy = max(LEAST**2 * self.force * self.length, mass * self.least**2)
        self.still = not len(motion.t) or stands(motion) or motion.energy_scale <= self.energy

    def of(self, what: str) -> float:
        """`what` is a quantity as it is plotted, or "potential"."""
        match what:
            case "coordinates" | "positions" | "speeds" | "accelerations":
                return self.least
            case "torques" | "friction" | "multipliers" | "reactions":
                return LEAST * self.length * max(self.force, _most(self.motion.tau))
            case "energy":
                return np.inf if self.still else max(self.energy, LEAST * self.motion.energy_scale)
            case "potential":
                return np.inf if self.still else max(8 * EPS * _most(self.motion.potential_energy), self.of("energy"))
            case "balance":
                return np.inf if self.still else 0.0
        return 0.0

    def without(self, values: np.ndarray, what: str) -> np.ndarray:
        """(rows, curves) in SI, in which a curve that is nowhere more than rounding is zero."""
        size = np.abs(np.where(np.isfinite(values), values, 0.0)).max(axis=0, initial=0.0)
        lost = size <= self.of(what)
        return np.where(lost & np.isfinite(values), 0.0, values) if np.any(lost) else values


def _most(values: np.ndarray) -> float:
    return float(np.abs(values[np.isfinite(values)]).max(initial=0.0))


def _length(motion: Motion) -> float:
    """How far joints, centres of mass and frames are from the bodies' origins: what the mechanism is measured by."""
    m = motion.mechanism
    assert m is not None
    points = [*(j.placement.position for j in m.joints), *(b.center for b in m.bodies), *(f.placement.position for f in m.frames)]
    far = max((float(np.linalg.norm(np.array(p, dtype=float))) for p in points), default=0.0)
    return far or 1.0
