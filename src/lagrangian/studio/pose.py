"""A mechanism moved by hand: joints are set to values, or a point is dragged, while its loops stay closed."""

from __future__ import annotations

from typing import Any

import numpy as np

from lagrangian.errors import ArgumentError, LagrangianError, is_number
from lagrangian.model.mechanism import GROUND, Mechanism
from lagrangian.model.rotation import quaternion
from lagrangian.posing.drag_point import drag_point
from lagrangian.posing.posture import Posture
from lagrangian.studio.models import StudioModel, initial_configuration
from lagrangian.studio.request_checks import body_point, read_numbers
from lagrangian.viewer.scene.poses import all_poses

DRAG_TIME = 0.15  # s that one step of a drag may take, so that the picture follows the hand
CLOSURE_TOLERANCE = 1e-8  # within which a loop is shown as closed


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
    """The pose of this text at a configuration that another text had; None where it does not fit."""
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
        view = model.view()
        model.posture = Posture(model.valid_mechanism, view.q, view.track.scene.size)
    posture: Posture = model.posture
    return posture


def _start_posture(posture: Posture, request: dict[str, Any]) -> str:
    """Move to the configuration of the page, which is numbers or the name of a pose; the message if it does not work."""
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
    size = float(model.view().track.scene.size)
    missing = drag_point(posture, body, point, target, size, DRAG_TIME)
    return f"The mechanism cannot reach this point: {missing:.3g} m are missing." if missing > 1e-3 * size else ""
