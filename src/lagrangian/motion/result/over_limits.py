"""What a run asked of its joints beyond their limits of speed and effort, which are not kept as those of position are."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from lagrangian.errors import Argument

if TYPE_CHECKING:
    from lagrangian.motion.motion import Motion

BEYOND = 1 + 1e-6
LINES = 12


def over_limits(motion: Motion) -> list[str]:
    """A sentence for every limit that was passed."""
    if motion.mechanism is None or not len(motion.t):
        return []
    told, driven = [], False
    limits = [(j.limits, slides) for j in motion.mechanism.joints for slides in j.slides]
    for k, (limit, slides) in enumerate(limits):
        name, speed, effort = motion.speed_names[k], float(np.abs(motion.qd[:, k]).max()), float(np.abs(motion.tau[:, k]).max())
        if speed > float(limit.speed) * BEYOND:
            unit = "m/s" if slides else "rad/s"
            told.append(f"{name} reaches {speed:.4g} {unit}; its limit is {float(limit.speed):g} {unit}")
        if effort > float(limit.effort) * BEYOND:
            unit = "N" if slides else "N m"
            driven = True
            told.append(f"{name} is driven with {effort:.4g} {unit}; its limit is {float(limit.effort):g} {unit}")
    if driven and "accepted" in motion.statistics:
        told.append(f"{Argument('saturate', True)} keeps torques within their limits")
    return [*told[:LINES], f"... and {len(told) - LINES} more limits passed"] if len(told) > LINES + 1 else told
