"""Checks and conversions of arguments of paths: coordinates, points and poses, times."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from lagrangian.arguments import distinct_names, floats
from lagrangian.configuration.assemble import assemble
from lagrangian.configuration.state_arguments import as_configuration
from lagrangian.errors import ArgumentError, format_value, unknown_name_message
from lagrangian.model.mechanism import Mechanism
from lagrangian.paths.curves import as_quaternion


def leading_names(names: Sequence[str] | None, ends: Sequence[Any], mechanism: Mechanism | None) -> tuple[str, ...] | None:
    """The names of the coordinates that a path leads: as given, or the keys of a mapping among its ends."""
    if names is None:
        names = next((tuple(x) for x in ends if isinstance(x, Mapping)), None)
    leading = distinct_names(names, "names")
    if leading is not None and mechanism is not None:
        for name in leading:
            if name not in mechanism.coordinate_names:
                raise ArgumentError(unknown_name_message("coordinate", name, mechanism.coordinate_names))
    return leading


def as_coordinates(value: Any, names: tuple[str, ...] | None, argument: str, mechanism: Mechanism | None) -> np.ndarray:
    """Values of coordinates: a row of numbers, a mapping of names to values, or the name of a pose."""
    if isinstance(value, str):
        if mechanism is None:
            raise ArgumentError(
                f"is {value!r}, the name of a pose", argument=argument, remedy="give `mechanism`, whose poses have names"
            )
        state = as_configuration(mechanism, value, argument)
        q = state.q if state.complete else assemble(mechanism, state)  # type: ignore[arg-type]  # as_configuration has read it
        pose = dict(zip(mechanism.coordinate_names, q.tolist(), strict=True))
        return np.array([pose[n] for n in names or mechanism.coordinate_names])
    if isinstance(value, Mapping):
        if names is None or set(value) != set(names):
            raise ArgumentError(
                f"has coordinates {', '.join(map(str, value))}", argument=argument, remedy=f"{', '.join(names or ())} are needed"
            )
        value = [value[n] for n in names]
    x = finite_array(value, argument, 1)
    size = len(names) if names is not None else mechanism.nq if mechanism is not None else len(x)
    if len(x) != size:
        raise ArgumentError(f"has {len(x)} coordinates", argument=argument, remedy=f"{size} are needed")
    return x


def speed_limits(mechanism: Mechanism, names: tuple[str, ...] | None) -> np.ndarray:
    """The speed limits of the joints of these coordinates."""
    limits = {n: float(j.limits.speed) for j in mechanism.joints for n in j.coordinate_names}
    return np.array([limits[n] for n in names or mechanism.coordinate_names])


def as_point_or_pose(value: Any, argument: str) -> tuple[np.ndarray, np.ndarray | None]:
    """A point (x, y) or (x, y, z), or a pose: its position, and its orientation if it has one."""
    try:
        x = floats(value)
    except (TypeError, ValueError):
        x = np.zeros(0)
    if x.shape == (4, 4):
        if not np.isfinite(x).all() or np.abs(x[3] - (0, 0, 0, 1)).max() > 1e-9:
            raise ArgumentError(
                "is not a pose: all its numbers must be finite, and its last row must be 0, 0, 0, 1", argument=argument
            )
        return x[:3, 3], as_quaternion(x, argument)
    if x.shape not in ((2,), (3,)) or not np.isfinite(x).all():
        raise ArgumentError(
            f"is {format_value(value)}", argument=argument, remedy="a point (x, y) or (x, y, z), or a 4x4 pose, is needed"
        )
    return x, None


def finite_array(value: Any, argument: str, dimensions: int) -> np.ndarray:
    """An array of finite numbers with one dimension or two."""
    try:
        x = floats(value)
    except (TypeError, ValueError):
        x = np.zeros((0,) * 3)
    if x.ndim != dimensions or not x.size or not np.isfinite(x).all():
        shape = "a row of numbers" if dimensions == 1 else "rows of numbers"
        raise ArgumentError(f"is {format_value(value)}", argument=argument, remedy=f"{shape}, all finite, are needed")
    return x


def check_increasing(times: np.ndarray, row_count: int) -> None:
    """Raise an error unless there is a time for each row, each later than the one before."""
    if len(times) != row_count:
        raise ArgumentError(f"{len(times)} times are given for {row_count} rows", concerns="times")
    if len(times) < 2 or (np.diff(times) <= 0).any():
        k = int(np.argmax(np.diff(times) <= 0)) if len(times) > 1 else 0
        problem = f"{times[k + 1]:g} s follows {times[k]:g} s" if len(times) > 1 else "there is only one time"
        raise ArgumentError(f"must increase: {problem}", argument="times")


def check_only_times(*timing_arguments: Any) -> None:
    """Raise an error if a path with times is given another timing as well."""
    if any(x is not None for x in timing_arguments):
        raise ArgumentError(
            "`times` fixes when the path passes each point; leave out duration, timing, ramp, speed and acceleration",
            concerns="times",
        )
