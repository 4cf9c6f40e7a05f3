"""Arguments of paths, checked: coordinates, points and poses, times."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from lagrangian.arguments import floats, texts
from lagrangian.configuration.assemble import assemble
from lagrangian.configuration.reading import configuration
from lagrangian.errors import ArgumentError, one_of, shown
from lagrangian.model.mechanism import Mechanism
from lagrangian.paths.orientation import quaternion_of


def led_names(names: Sequence[str] | None, ends: Sequence[Any], mechanism: Mechanism | None) -> tuple[str, ...] | None:
    if names is None:
        names = next((tuple(x) for x in ends if isinstance(x, Mapping)), None)
    led = different(names, "names")
    if led is not None and mechanism is not None:
        for name in led:
            if name not in mechanism.coordinate_names:
                raise ArgumentError(one_of("coordinate", name, mechanism.coordinate_names))
    return led


def different(names: Any, what: str) -> tuple[str, ...] | None:
    """Names, each once; one by itself may be given as it is."""
    if names is None:
        return None
    found = texts(names, what)
    if not found:
        raise ArgumentError(f"is {shown(names)}", argument=what, remedy="a list of different names is needed")
    return found


def coordinates(given: Any, names: tuple[str, ...] | None, what: str, mechanism: Mechanism | None) -> np.ndarray:
    if isinstance(given, str):
        if mechanism is None:
            raise ArgumentError(
                f"is {given!r}, the name of a pose", argument=what, remedy="give `mechanism`, whose poses have names"
            )
        at = configuration(mechanism, given, what)
        q = at.q if at.complete else assemble(mechanism, at)  # type: ignore[arg-type]  # which has been read
        pose = dict(zip(mechanism.coordinate_names, q.tolist(), strict=True))
        return np.array([pose[n] for n in names or mechanism.coordinate_names])
    if isinstance(given, Mapping):
        if names is None or set(given) != set(names):
            raise ArgumentError(
                f"has coordinates {', '.join(map(str, given))}", argument=what, remedy=f"{', '.join(names or ())} are needed"
            )
        given = [given[n] for n in names]
    x = array(given, what, 1)
    size = len(names) if names is not None else mechanism.nq if mechanism is not None else len(x)
    if len(x) != size:
        raise ArgumentError(f"has {len(x)} coordinates", argument=what, remedy=f"{size} are needed")
    return x


def speed_limits(mechanism: Mechanism, names: tuple[str, ...] | None) -> np.ndarray:
    of = {n: float(j.limits.speed) for j in mechanism.joints for n in j.coordinate_names}
    return np.array([of[n] for n in names or mechanism.coordinate_names])


def place(given: Any, what: str) -> tuple[np.ndarray, np.ndarray | None]:
    """A point (x, y) or (x, y, z), or a pose: its position, and its orientation if it has one."""
    try:
        x = floats(given)
    except (TypeError, ValueError):
        x = np.zeros(0)
    if x.shape == (4, 4):
        if not np.isfinite(x).all() or np.abs(x[3] - (0, 0, 0, 1)).max() > 1e-9:
            raise ArgumentError(
                "is not a pose: all its numbers must be finite, and its last row must be 0, 0, 0, 1", argument=what
            )
        return x[:3, 3], quaternion_of(x, what)
    if x.shape not in ((2,), (3,)) or not np.isfinite(x).all():
        raise ArgumentError(f"is {shown(given)}", argument=what, remedy="a point (x, y) or (x, y, z), or a 4x4 pose, is needed")
    return x, None


def array(given: Any, what: str, dimensions: int) -> np.ndarray:
    try:
        x = floats(given)
    except (TypeError, ValueError):
        x = np.zeros((0,) * 3)
    if x.ndim != dimensions or not x.size or not np.isfinite(x).all():
        shape = "a row of numbers" if dimensions == 1 else "rows of numbers"
        raise ArgumentError(f"is {shown(given)}", argument=what, remedy=f"{shape}, all finite, are needed")
    return x


def increasing(times: np.ndarray, n: int) -> None:
    if len(times) != n:
        raise ArgumentError(f"{len(times)} times are given for {n} rows", concerns="times")
    if len(times) < 2 or (np.diff(times) <= 0).any():
        k = int(np.argmax(np.diff(times) <= 0)) if len(times) > 1 else 0
        told = f"{times[k + 1]:g} s follows {times[k]:g} s" if len(times) > 1 else "there is only one time"
        raise ArgumentError(f"must increase: {told}", argument="times")


def only_times(*others: Any) -> None:
    if any(x is not None for x in others):
        raise ArgumentError(
            "`times` fixes when the path passes each point; leave out duration, timing, ramp, speed and acceleration",
            concerns="times",
        )
