"""The track of a scene: where all of its frames are over a motion, or at one configuration."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

import numpy as np

from lagrangian.errors import ArgumentError, unknown_name_message
from lagrangian.model.mechanism import Mechanism
from lagrangian.model.rotation import quaternion
from lagrangian.motion.motion import Motion
from lagrangian.viewer.scene.poses import all_poses, drawn_configuration
from lagrangian.viewer.scene.scene import Scene, Track
from lagrangian.viewer.scene.scene_builder import mechanism_scene

RATE, MIN_ROWS, MAX_ROWS = 30.0, 61, 601  # rows per second, and how many in all
MAX_POSES = 150_000  # of all frames in all rows: this keeps the page of a chain of 1000 links small
MAX_TURN = 0.15  # rad: rows are closer where something turns by more between them


def motion_track(motion: Motion, rows: int | None = None, trace: Any = None, forces: bool = True) -> Track:
    """The track of a motion at `rows` times evenly over it; without `rows`, 30 in a second, or more where it is fast.

    `trace` names frames or bodies whose path is drawn; `forces` has torques, reactions and constraint forces as arrows.
    """
    mechanism = motion.mechanism
    if mechanism is None:
        raise ArgumentError(
            "a picture needs the mechanism, which the file of this motion does not contain; use lagrangian.read(path, mechanism)"
        )
    if not len(motion.t):
        raise ArgumentError(f"{motion.name}: the motion has no rows; there is nothing to draw")
    span = motion.last - motion.first
    if rows is not None and (isinstance(rows, bool) or int(rows) != rows or rows < 1):
        raise ArgumentError(f"is {rows!r}", argument="rows", remedy="a whole number of at least 1 is needed")
    max_rows = min(MAX_ROWS, max(MIN_ROWS, MAX_POSES // (1 + len(mechanism.bodies) + len(mechanism.frames))))
    count = int(min(max_rows, max(MIN_ROWS, math.ceil(RATE * span) + 1))) if rows is None else int(rows)
    t, q = _sample_motion(motion, count if span > 0 else 1)
    if rows is None and len(t) > 1:
        finer = math.ceil((count - 1) * _largest_turn(mechanism, q) / MAX_TURN) + 1
        if count < finer and count < max_rows:
            t, q = _sample_motion(motion, min(finer, max_rows))
    scene_of_motion = mechanism_scene(mechanism, q)
    poses = all_poses(mechanism, q)
    arrows: tuple[Any, ...] = ()
    if forces:
        from lagrangian.viewer.scene.force_arrows import force_arrows

        arrows = force_arrows(motion, t, q, scene_of_motion)
    return _build_track(scene_of_motion, t, poses, arrows, _trace_indices(scene_of_motion, trace))


def _sample_motion(motion: Motion, count: int) -> tuple[np.ndarray, np.ndarray]:
    """Times evenly over a motion, and its configurations; rows of a failed run that are not finite are left out."""
    t = np.linspace(motion.first, motion.last, count)
    q = motion(t)[0]
    finite = np.isfinite(q).all(axis=1)
    if not finite.any():
        raise ArgumentError(f"{motion.name}: no row of the motion is finite; there is nothing to draw")
    return t[finite], q[finite]


def _largest_turn(mechanism: Mechanism, q: np.ndarray) -> float:
    """The largest angle by which a body turns from one row to the next."""
    if len(q) < 2:
        return 0.0
    quaternions = quaternion.from_matrix(all_poses(mechanism, q)[..., :3, :3])
    between = np.abs((quaternions[1:] * quaternions[:-1]).sum(axis=-1))
    return float(2 * np.arccos(np.clip(between.min(), 0, 1)))


def still_track(mechanism: Mechanism, q: Any = None) -> Track:
    """The track of a mechanism at rest: at `q`, as numbers or a pose's name, or where it starts, with its loops closed."""
    row = drawn_configuration(mechanism, q)[None]
    return _build_track(mechanism_scene(mechanism, row), np.zeros(1), all_poses(mechanism, row), (), ())


def _build_track(drawn_scene: Scene, t: np.ndarray, poses: np.ndarray, arrows: tuple[Any, ...], traces: tuple[int, ...]) -> Track:
    return Track(
        drawn_scene,
        t,
        poses[..., :3, 3].copy(),
        with_continuous_signs(quaternion.from_matrix(poses[..., :3, :3])),
        arrows,
        traces,
    )


def with_continuous_signs(q: np.ndarray) -> np.ndarray:
    """Quaternions (rows, ..., 4) with signs that do not jump from row to row: either sign is the same rotation."""
    signs = np.ones(q.shape[:-1])
    signs[1:] = np.where((q[1:] * q[:-1]).sum(axis=-1) < 0, -1.0, 1.0)
    return q * np.cumprod(signs, axis=0)[..., None]


def _trace_indices(drawn_scene: Scene, trace: Any) -> tuple[int, ...]:
    if trace is None or trace is False:
        return ()
    names: Iterable[Any] = [trace] if isinstance(trace, str) else trace
    if trace is True:
        raise ArgumentError('is True; names of frames or bodies are needed, such as trace="tip"', argument="trace")
    rows = []
    for name in names:
        if name not in drawn_scene.frames:
            raise ArgumentError(f"trace: {unknown_name_message('frame or body', name, drawn_scene.frames)}")
        rows.append(drawn_scene.frames.index(name))
    return tuple(rows)
