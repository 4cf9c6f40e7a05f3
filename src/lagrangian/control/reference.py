"""References of controllers: a path, which rests before its start and after its end, or a fixed set-point."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from lagrangian.arguments import texts
from lagrangian.configuration.coordinates import single_coordinates
from lagrangian.errors import ArgumentError, unknown_direction_message, unknown_name_message
from lagrangian.kinematics.chebyshev import ChebyshevSeries
from lagrangian.model.frame import TWIST_COMPONENTS, Frame
from lagrangian.model.mechanism import Mechanism
from lagrangian.model.rotation import quaternion
from lagrangian.paths.arguments import as_coordinates, as_point_or_pose
from lagrangian.paths.curves import ValuesAndDerivatives
from lagrangian.paths.path import CartesianPath, JointPath

PathOrSetPoint = JointPath | CartesianPath | ArrayLike | Mapping[str, float] | str
"""The reference of a controller: a path of joints or of a frame, or a fixed configuration, point or pose."""


@dataclass(frozen=True, eq=False)
class JointReference:
    """A path of joints or a configuration; it leads the coordinates `names`, which have the indices `iq` in q and `iv` in qd."""

    path: Any
    names: tuple[str, ...]
    columns: np.ndarray
    iq: np.ndarray
    iv: np.ndarray

    @staticmethod
    def from_path(path_or_set_point: Any, mechanism: Mechanism, allowed_speeds: np.ndarray | None = None) -> JointReference:
        """The reference of a JointPath, or of coordinates as an array, a mapping or the name of a pose.

        If `allowed_speeds` are given, the path may lead only coordinates with these speeds.
        """
        if isinstance(path_or_set_point, CartesianPath):
            raise ArgumentError(
                "control: the path is one of a frame, and this controller needs a path of joints; use OperationalSpace, or "
                "the joint_path of inverse(mechanism, path)",
                concerns="path",
            )
        if isinstance(path_or_set_point, JointPath):
            path: Any = _SeriesReference.from_path(path_or_set_point)
            names, size = path_or_set_point.names, path_or_set_point.size
        else:
            names = tuple(path_or_set_point) if isinstance(path_or_set_point, Mapping) else None
            point = as_coordinates(path_or_set_point, names, "control: the set-point", mechanism)
            path, size = _ConstantReference((point, np.zeros(len(point)), np.zeros(len(point)))), len(point)
        all_names = mechanism.coordinate_names if names is None else names
        if size != len(all_names):
            raise ArgumentError(
                f"has {size} coordinates; {len(all_names)} are needed: {', '.join(all_names[:12])}",
                where="control",
                argument="path",
            )
        indices = single_coordinates(mechanism)
        for name in all_names:
            if name not in mechanism.coordinate_names:
                raise ArgumentError(
                    f"control: the path leads {name!r}: {unknown_name_message('coordinate', name, mechanism.coordinate_names)}",
                    concerns="path",
                )
            if name not in indices and names is not None:
                raise ArgumentError(
                    f"control: the path leads {name!r}, which belongs to a ball or free joint and has no speed of its own; "
                    f"lead only {', '.join(list(indices)[:12])}",
                    concerns="path",
                )
        columns = [
            k
            for k, n in enumerate(all_names)
            if n in indices and (allowed_speeds is None or names is not None or indices[n][1] in allowed_speeds)
        ]
        if allowed_speeds is not None:
            for k in columns:
                if indices[all_names[k]][1] not in allowed_speeds:
                    driven = [n for n, (_, iv) in indices.items() if iv in allowed_speeds]
                    raise ArgumentError(
                        f"control: the path leads {all_names[k]!r}, which has no actuator; lead only {', '.join(driven)}",
                        concerns="path",
                    )
        prescribed = tuple(all_names[k] for k in columns)
        iq, iv = (np.array([indices[n][part] for n in prescribed], dtype=int) for part in (0, 1))
        return JointReference(path, prescribed, np.array(columns, dtype=int), iq, iv)

    def __call__(self, t: float) -> ValuesAndDerivatives:
        q, qd, qdd = clamped_reference(self.path, t)
        return q[self.columns], qd[self.columns], qdd[self.columns]


@dataclass(frozen=True, eq=False)
class CartesianReference:
    """A path, point or pose of a frame, and the directions in which it leads the frame."""

    path: Any
    frame: str | Frame
    directions: tuple[str, ...]

    @staticmethod
    def from_path(path_or_set_point: Any, mechanism: Mechanism, frame: Any, directions: Any) -> CartesianReference:
        """The reference of a CartesianPath, or of a point (x, y), (x, y, z) or a 4x4 pose."""
        if isinstance(path_or_set_point, JointPath):
            raise ArgumentError(
                "control: the path is one of joints, and this controller needs a path of a frame; use ComputedTorque",
                concerns="path",
            )
        if isinstance(path_or_set_point, CartesianPath):
            path: Any = _SeriesReference.from_path(path_or_set_point)
            prescribed = path_or_set_point.directions
            frame = path_or_set_point.frame if frame is None else frame
        else:
            position, orientation = as_point_or_pose(path_or_set_point, "control: the set-point")
            pose = np.eye(4)
            pose[: len(position), 3] = position
            if orientation is not None:
                pose[:3, :3] = quaternion.matrix(orientation)
            path = _ConstantReference((pose, np.zeros(6), np.zeros(6)))
            prescribed = TWIST_COMPONENTS if orientation is not None else TWIST_COMPONENTS[3 : 3 + len(position)]
        if frame is None:
            frames = ", ".join([*(f.name for f in mechanism.frames), *(b.name for b in mechanism.bodies)])
            raise ArgumentError(f"control: the path does not name a frame; give `frame`, one of {frames}", concerns="frame")
        mechanism.frame(frame)
        controlled = prescribed if directions is None else texts(directions, "directions")
        for direction in controlled:
            if direction not in prescribed:
                raise ArgumentError(
                    f"control: the path leads {', '.join(prescribed)}; {unknown_direction_message(direction, prescribed)}",
                    concerns="directions",
                )
        return CartesianReference(path, frame, controlled)

    def __call__(self, t: float) -> ValuesAndDerivatives:
        return clamped_reference(self.path, t)


@dataclass(frozen=True, eq=False)
class _ConstantReference:
    """A set-point, at rest at all times."""

    values: ValuesAndDerivatives
    start: float = -np.inf
    end: float = np.inf

    def __call__(self, t: float) -> ValuesAndDerivatives:
        return self.values


@dataclass(frozen=True, eq=False)
class _SeriesReference:
    """A path as a Chebyshev series, which evaluates ten times as fast."""

    series: ChebyshevSeries
    shapes: tuple[tuple[int, ...], ...]
    start: float
    end: float
    discontinuities: tuple[float, ...]

    @staticmethod
    def from_path(path: Any) -> _SeriesReference:
        def values(t: np.ndarray) -> np.ndarray:
            return np.hstack([x.reshape(len(t), -1) for x in path(t)])

        series = ChebyshevSeries.interpolate(values, path.start, path.end, (*path.discontinuities, *path.corners))
        return _SeriesReference(series, tuple(x.shape for x in path(path.start)), path.start, path.end, path.discontinuities)

    def __call__(self, t: float) -> ValuesAndDerivatives:
        row, offset = self.series(t), 0
        parts = []
        for shape in self.shapes:
            size = math.prod(shape)
            parts.append(row[offset : offset + size].reshape(shape))
            offset += size
        return parts[0], parts[1], parts[2]


def discontinuities(path: Any) -> tuple[float, ...]:
    """The times at which the reference may jump: those of the path, and its start and end."""
    return () if isinstance(path, _ConstantReference) else (path.start, *path.discontinuities, path.end)


def clamped_reference(path: Any, t: float) -> ValuesAndDerivatives:
    """The values of a path at a time; before its start and after its end it is at rest where it starts or ends."""
    if path.start <= t <= path.end:
        values: ValuesAndDerivatives = path(float(t))
        return values
    x, v, a = path(path.start if t < path.start else path.end)
    return x, np.zeros_like(v), np.zeros_like(a)


def pose_error(desired: np.ndarray, pose: np.ndarray) -> np.ndarray:
    """(rotation vector of R_d R^T, p_d - p), along the axes of the world: the motion that takes the frame to the desired pose."""
    return np.concatenate([quaternion.rotation_vector(desired[:3, :3] @ pose[:3, :3].T), desired[:3, 3] - pose[:3, 3]])
