"""Rods and springs of a scene, which reach from one body to another."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise

import numpy as np

from lagrangian.model.loops.loop_type import Look
from lagrangian.model.mechanism import Mechanism
from lagrangian.model.spring import PointSpring
from lagrangian.viewer.scene import palette
from lagrangian.viewer.scene.scene import Strut


def struts_of(mechanism: Mechanism, frames: Mapping[str, int], r: float) -> tuple[Strut, ...]:
    """`frames` has the row of every body among the scene's frames, `r` is the radius of bars."""
    found = []
    for loop in mechanism.loops:
        if loop.kind.look is Look.ROD:
            a, b = (tuple(float(x) for x in at.position) for at in (loop.a_placement, loop.b_placement))
            found.append((loop.name, "rod", loop.a, a, loop.b, b, 0.6 * r, palette.METAL))
    for spring in mechanism.springs:
        if isinstance(spring, PointSpring):
            at = [(body, tuple(float(x) for x in point)) for body, point in spring.points]
            for k, ((first, a), (second, b)) in enumerate(pairwise(at)):  # a tendon is a coil from point to point
                name = spring.name if len(at) == 2 else f"{spring.name} {k + 1}"
                found.append((name, "spring", first, a, second, b, 1.3 * r, palette.SPRING))
    return tuple(
        Strut(name, kind, frames[a], pa, frames[b], pb, radius, color)  # type: ignore[arg-type]
        for name, kind, a, pa, b, pb, radius, color in found
    )


def ends_of(struts: Sequence[Strut], poses: np.ndarray) -> np.ndarray:
    """Where they end in the world, over all rows of poses (rows, frames, 4, 4)."""
    ends = [(s.a, s.a_point) for s in struts] + [(s.b, s.b_point) for s in struts]
    found = [poses[:, k, :3, :3] @ np.array(at) + poses[:, k, :3, 3] for k, at in ends]
    return np.concatenate(found) if found else np.zeros((0, 3))
