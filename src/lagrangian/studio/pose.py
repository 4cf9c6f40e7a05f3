"""A mechanism moved by hand: joints set to values, or a point dragged; its loops stay closed."""

from __future__ import annotations

from typing import Any

import numpy as np

from lagrangian.errors import ArgumentError, LagrangianError, format_value, is_number, unknown_name_message
from lagrangian.model.mechanism import GROUND, Mechanism
from lagrangian.model.rotation import quaternion
from lagrangian.posing.drag_point import drag_point
from lagrangian.posing.posture import Posture
from lagrangian.studio.models import StudioModel, initial_configuration
from lagrangian.viewer.scene.poses import all_poses, frame_names

PATIENCE = 0.15  # s for a drag: longer than that is not followed by eye
CLOSURE_TOLERANCE = 1e-8  # what a loop may miss by and be shown as closed


def pose_mechanism(model: StudioModel, request: dict[str, Any]) -> dict[str, Any]:
    """The answer to /api/pose."""
    m = model.valid_mechanism
    if not model.is_small:
        raise ArgumentError(
            f"{m.name} has {m.nv} speeds",
            remedy="mechanisms with more than 150 speeds cannot be moved by hand here; simulate the mechanism instead",
        )
    with model.lock:
        posture = _model_posture(model)
        message = _start_posture(posture, request)
        if request.get("set") is not None:
            message = _set_joints(posture, request["set"]) or message
        if request.get("drag") is not None:
            message = _drag_frame(model, posture, request["drag"]) or message
        return posture_data(m, posture.q, posture.closure < CLOSURE_TOLERANCE, message, posture)


def pose_if_possible(model: StudioModel, q: Any) -> dict[str, Any] | None:
    """A configuration that another text had, in this one; nothing where it does not fit."""
    if model.mechanism is None or not model.is_small or not isinstance(q, list) or len(q) != model.mechanism.nq:
        return None
    try:
        return pose_mechanism(model, {"q": q})
    except LagrangianError:
        return None


def posture_data(m: Mechanism, q: np.ndarray, closed: bool, message: str, posture: Posture) -> dict[str, Any]:
    poses = all_poses(m, q)[0]
    return {
        "q": [float(x) for x in q],
        "values": [float(x) for x in posture.values],
        "poses": {
            "p": np.round(poses[:, :3, 3], 9).tolist(),
            "r": np.round(quaternion.from_matrix(poses[:, :3, :3]), 9).tolist(),
        },
        "closed": closed,
        "message": message,
    }


def _model_posture(model: StudioModel) -> Posture:
    if model.posture is None:
        look = model.view()
        model.posture = Posture(model.valid_mechanism, look["q"], look["track"].scene.size)
    posture: Posture = model.posture
    return posture


def _start_posture(posture: Posture, request: dict[str, Any]) -> str:
    """At the configuration that the page has: numbers, or a pose's name."""
    q = request.get("q")
    if q is None:
        return ""
    if isinstance(q, str) and q not in posture.mechanism.poses:
        q = initial_configuration(posture.mechanism) if q == "" else q
    if not isinstance(q, str):
        q = read_numbers(q, posture.mechanism.nq, "q")
        if np.abs(q - posture.q).max(initial=0.0) < 1e-12:
            return ""
    try:
        posture.move_to(q)
    except LagrangianError as error:
        return str(error)
    return ""


def _set_joints(posture: Posture, values: Any) -> str:
    if not isinstance(values, dict) or not all(is_number(x) for x in values.values()):
        raise ArgumentError("must be a table of coordinates and numbers", argument="set")
    message = ""
    for name, value in values.items():
        message = posture.drag(name, float(value)).message or message
    return message


def _drag_frame(model: StudioModel, posture: Posture, drag: Any) -> str:
    m = model.valid_mechanism
    if not isinstance(drag, dict):
        raise ArgumentError("must be a table with a frame, a point and a target", argument="drag")
    body, point = body_point(m, drag.get("frame"), drag.get("point"))
    target = read_numbers(drag.get("to"), 3, "to")
    if body == GROUND:
        return "The ground does not move."
    size = float(model.view()["track"].scene.size)
    missing = drag_point(posture, body, point, target, size, PATIENCE)
    return f"The mechanism cannot reach this point: {missing:.3g} m are missing." if missing > 1e-3 * size else ""


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


def read_numbers(values: Any, count: int, name: str) -> np.ndarray:
    """As many finite numbers as are needed."""
    if not isinstance(values, list | tuple | np.ndarray) or len(values) != count or not all(is_number(x) for x in values):
        raise ArgumentError(f"is {format_value(values)}", argument=name, remedy=f"{count} numbers are needed")
    return np.array([float(x) for x in values])
