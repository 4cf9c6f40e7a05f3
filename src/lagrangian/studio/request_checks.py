"""Checks of what a page asks for: numbers, texts and points are read before anything is computed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from lagrangian.errors import ArgumentError, format_value, is_number, unknown_name_message
from lagrangian.model.mechanism import GROUND, Mechanism
from lagrangian.viewer.scene.poses import frame_names


def read_number(options: Mapping[str, Any], name: str, default: float, lower: float, upper: float) -> float:
    """A number in a range."""
    value = options.get(name)
    if value is None:
        return default
    if not is_number(value) or not lower <= value <= upper:
        raise ArgumentError(f"is {format_value(value)}", argument=name, remedy=f"a number from {lower:g} to {upper:g} is needed")
    return float(value)


def read_text(options: Mapping[str, Any], name: str, default: str = "", max_length: int = 20_000) -> str:
    """A text of at most `max_length` characters."""
    value = options.get(name)
    if value is None:
        return default
    if not isinstance(value, str) or len(value) > max_length:
        raise ArgumentError(f"is {format_value(value)}", argument=name, remedy="a text is needed")
    return value


def read_numbers(values: Any, count: int, name: str) -> np.ndarray:
    """Read `count` finite numbers; anything else is an error."""
    if not isinstance(values, list | tuple | np.ndarray) or len(values) != count or not all(is_number(x) for x in values):
        raise ArgumentError(f"is {format_value(values)}", argument=name, remedy=f"{count} numbers are needed")
    return np.array([float(x) for x in values])


def body_point(m: Mechanism, frame: Any, point: Any) -> tuple[str, np.ndarray]:
    """The body that carries a frame of the scene, and a point of the frame as one of the body."""
    local_point = read_numbers(point if point is not None else (0, 0, 0), 3, "point")
    if not isinstance(frame, str) or frame not in frame_names(m):
        raise ArgumentError(unknown_name_message("frame", frame, frame_names(m)))
    if frame == GROUND or any(b.name == frame for b in m.bodies):
        return frame, local_point
    mounted_frame = next(f for f in m.frames if f.name == frame)
    T = mounted_frame.placement.matrix()
    return mounted_frame.body, T[:3, :3] @ local_point + T[:3, 3]
