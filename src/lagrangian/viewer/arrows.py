"""Forces of a motion as arrows."""

from __future__ import annotations

import numpy as np

from lagrangian.motion.motion import Motion
from lagrangian.viewer.scene import Arrows, Scene


def arrows_of(motion: Motion, t: np.ndarray, poses: np.ndarray, scene: Scene) -> tuple[Arrows, ...]:
    """All forces of a motion at the times of a track."""
    return ()
