"""What is to be followed, at any time: a path, which before its start and after its end is at rest, or a fixed set-point."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from lagrangian.arguments import texts
from lagrangian.configuration.coordinates import single_coordinates
from lagrangian.errors import ArgumentError, one_of
from lagrangian.kinematics.chebyshev import Series
from lagrangian.model.loop import DIRECTIONS, Frame
from lagrangian.model.mechanism import Mechanism
from lagrangian.model.rotation import quaternion
from lagrangian.paths.argument_checks import coordinates, place
from lagrangian.paths.path import CartesianPath, JointPath

Values = tuple[np.ndarray, np.ndarray, np.ndarray]
PathOrSetPoint = JointPath | CartesianPath | ArrayLike | Mapping[str, float] | str
"""The reference of a controller: a path of joints or of a frame, or a fixed configuration, point or pose."""


@dataclass(frozen=True, eq=False)
class JointReference:
    """`names` are the coordinates that are led; `iq` and `iv` their places in q and in qd."""

    path: Any
    names: tuple[str, ...]
    columns: np.ndarray
    iq: np.ndarray
    iv: np.ndarray

    @staticmethod
    def of(given: Any, mechanism: Mechanism, only: np.ndarray | None = None) -> JointReference:
        """Of a JointPath, or of coordinates as an array, a mapping or a pose's name. `only` are the speeds of interest."""
        if isinstance(given, CartesianPath):
            raise ArgumentError(
                "control: the path is one of a frame, and this controller needs a path of joints; use OperationalSpace, or "
                "the joint_path of inverse(mechanism, path)",
                concerns="path",
            )
        if isinstance(given, JointPath):
            path: Any = _Remembered.of(given)
            names, size = given.names, given.size
        else:
            names = tuple(given) if isinstance(given, Mapping) else None
            point = coordinates(given, names, "control: the set-point", mechanism)
            path, size = _Still((point, np.zeros(len(point)), np.zeros(len(point)))), len(point)
        every = mechanism.coordinate_names if names is None else names
        if size != len(every):
            raise ArgumentError(
                f"has {size} coordinates; {len(every)} are needed: {', '.join(every[:12])}", where="control", argument="path"
            )
        places = single_coordinates(mechanism)
        for name in every:
            if name not in mechanism.coordinate_names:
                raise ArgumentError(
                    f"control: the path leads {name!r}: {one_of('coordinate', name, mechanism.coordinate_names)}", concerns="path"
                )
            if name not in places and names is not None:
                raise ArgumentError(
                    f"control: the path leads {name!r}, which belongs to a ball or free joint and has no speed of its own; "
                    f"lead only {', '.join(list(places)[:12])}",
                    concerns="path",
                )
        chosen = [k for k, n in enumerate(every) if n in places and (only is None or names is not None or places[n][1] in only)]
        if only is not None:
            for k in chosen:
                if places[every[k]][1] not in only:
                    driven = [n for n, (_, iv) in places.items() if iv in only]
                    raise ArgumentError(
                        f"control: the path leads {every[k]!r}, which has no actuator; lead only {', '.join(driven)}",
                        concerns="path",
                    )
        led = tuple(every[k] for k in chosen)
        iq, iv = (np.array([places[n][part] for n in led], dtype=int) for part in (0, 1))
        return JointReference(path, led, np.array(chosen, dtype=int), iq, iv)

    def __call__(self, t: float) -> Values:
        q, qd, qdd = held(self.path, t)
        return q[self.columns], qd[self.columns], qdd[self.columns]


@dataclass(frozen=True, eq=False)
class CartesianReference:
    """A frame and the directions in which it is led."""

    path: Any
    frame: str | Frame
    directions: tuple[str, ...]

    @staticmethod
    def of(given: Any, mechanism: Mechanism, frame: Any, directions: Any) -> CartesianReference:
        """Of a CartesianPath, or of a point (x, y), (x, y, z) or a 4x4 pose."""
        if isinstance(given, JointPath):
            raise ArgumentError(
                "control: the path is one of joints, and this controller needs a path of a frame; use ComputedTorque",
                concerns="path",
            )
        if isinstance(given, CartesianPath):
            path: Any = _Remembered.of(given)
            led = given.directions
            frame = given.frame if frame is None else frame
        else:
            position, turn = place(given, "control: the set-point")
            pose = np.eye(4)
            pose[: len(position), 3] = position
            if turn is not None:
                pose[:3, :3] = quaternion.matrix(turn)
            path = _Still((pose, np.zeros(6), np.zeros(6)))
            led = DIRECTIONS if turn is not None else DIRECTIONS[3 : 3 + len(position)]
        if frame is None:
            frames = ", ".join([*(f.name for f in mechanism.frames), *(b.name for b in mechanism.bodies)])
            raise ArgumentError(f"control: the path does not name a frame; give `frame`, one of {frames}", concerns="frame")
        mechanism.frame(frame)
        chosen = led if directions is None else texts(directions, "directions")
        for direction in chosen:
            if direction not in led:
                raise ArgumentError(
                    f"control: the path leads {', '.join(led)}; {one_of('direction', direction, led)}", concerns="directions"
                )
        return CartesianReference(path, frame, chosen)

    def __call__(self, t: float) -> Values:
        return held(self.path, t)


@dataclass(frozen=True, eq=False)
class _Still:
    """A set-point: always there, always at rest."""

    values: Values
    start: float = -np.inf
    end: float = np.inf

    def __call__(self, t: float) -> Values:
        return self.values


@dataclass(frozen=True, eq=False)
class _Remembered:
    """A path as a series, which is asked thousands of times: a tenth of the time for each."""

    series: Series
    shapes: tuple[tuple[int, ...], ...]
    start: float
    end: float
    breaks: tuple[float, ...]

    @staticmethod
    def of(path: Any) -> _Remembered:
        def values(t: np.ndarray) -> np.ndarray:
            return np.hstack([x.reshape(len(t), -1) for x in path(t)])

        series = Series.of(values, path.start, path.end, (*path.breaks, *path.corners))
        return _Remembered(series, tuple(x.shape for x in path(path.start)), path.start, path.end, path.breaks)

    def __call__(self, t: float) -> Values:
        found, at = self.series(t), 0
        parts = []
        for shape in self.shapes:
            size = math.prod(shape)
            parts.append(found[at : at + size].reshape(shape))
            at += size
        return parts[0], parts[1], parts[2]


def jumps(path: Any) -> tuple[float, ...]:
    """When what is wanted may jump: where the path says, and where it begins and ends."""
    return () if isinstance(path, _Still) else (path.start, *path.breaks, path.end)


def held(path: Any, t: float) -> Values:
    """At a time of the path; before its start and after its end at rest where it starts or ends."""
    if path.start <= t <= path.end:
        found: Values = path(float(t))
        return found
    x, v, a = path(path.start if t < path.start else path.end)
    return x, np.zeros_like(v), np.zeros_like(a)


def pose_error(wanted: np.ndarray, pose: np.ndarray) -> np.ndarray:
    """(rotation vector of R_d R^T, p_d - p), along the world's axes: what takes the frame to where it should be."""
    return np.concatenate([quaternion.rotation_vector(wanted[:3, :3] @ pose[:3, :3].T), wanted[:3, 3] - pose[:3, 3]])
