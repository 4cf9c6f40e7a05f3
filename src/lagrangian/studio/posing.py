"""A mechanism moved by hand: joints set to values, or a point dragged; its loops stay closed."""

from __future__ import annotations

from typing import Any

import numpy as np

from lagrangian.errors import ArgumentError, LagrangianError, is_number, one_of, shown
from lagrangian.model.mechanism import GROUND, Mechanism
from lagrangian.model.rotation import quaternion
from lagrangian.studio.models import Model, raw
from lagrangian.studio.pulling import pulled
from lagrangian.viewer.live.moved_by_hand import Posture
from lagrangian.viewer.scene.poses import all_poses, frame_names

PATIENCE = 0.15  # s for a drag: longer than that is not followed by eye
OPEN = 1e-8  # what a loop may miss by and be shown as closed


def posed(model: Model, asked: dict[str, Any]) -> dict[str, Any]:
    """The answer to /api/pose."""
    m = model.read
    if not model.small:
        raise ArgumentError(
            f"{m.name} has {m.nv} speeds",
            remedy="mechanisms with more than 150 speeds cannot be moved by hand here; simulate the mechanism instead",
        )
    with model.lock:
        posture = _posture(model)
        message = _begin(posture, asked)
        if asked.get("set") is not None:
            message = _set(posture, asked["set"]) or message
        if asked.get("drag") is not None:
            message = _dragged(model, posture, asked["drag"]) or message
        return answer(m, posture.q, posture.closure < OPEN, message, posture)


def stands(model: Model, q: Any) -> dict[str, Any] | None:
    """A configuration that another text had, in this one; nothing where it does not fit."""
    if model.mechanism is None or not model.small or not isinstance(q, list) or len(q) != model.mechanism.nq:
        return None
    try:
        return posed(model, {"q": q})
    except LagrangianError:
        return None


def answer(m: Mechanism, q: np.ndarray, closed: bool, message: str, posture: Posture) -> dict[str, Any]:
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


def _posture(model: Model) -> Posture:
    if model.posture is None:
        look = model.look()
        model.posture = Posture(model.read, look["q"], look["track"].scene.size)
    posture: Posture = model.posture
    return posture


def _begin(posture: Posture, asked: dict[str, Any]) -> str:
    """At the configuration that the page has: numbers, or a pose's name."""
    q = asked.get("q")
    if q is None:
        return ""
    if isinstance(q, str) and q not in posture.mechanism.poses:
        q = raw(posture.mechanism) if q == "" else q
    if not isinstance(q, str):
        q = numbers(q, posture.mechanism.nq, "q")
        if np.abs(q - posture.q).max(initial=0.0) < 1e-12:
            return ""
    try:
        posture.place(q)
    except LagrangianError as error:
        return str(error)
    return ""


def _set(posture: Posture, given: Any) -> str:
    if not isinstance(given, dict) or not all(is_number(x) for x in given.values()):
        raise ArgumentError("must be a table of coordinates and numbers", argument="set")
    told = ""
    for name, value in given.items():
        told = posture.drag(name, float(value)).message or told
    return told


def _dragged(model: Model, posture: Posture, given: Any) -> str:
    m = model.read
    if not isinstance(given, dict):
        raise ArgumentError("must be a table with a frame, a point and a target", argument="drag")
    body, point = on_body(m, given.get("frame"), given.get("point"))
    to = numbers(given.get("to"), 3, "to")
    if body == GROUND:
        return "The ground does not move."
    size = float(model.look()["track"].scene.size)
    left = pulled(posture, body, point, to, size, PATIENCE)
    return f"The mechanism cannot reach this point: {left:.3g} m are missing." if left > 1e-3 * size else ""


def on_body(m: Mechanism, frame: Any, point: Any) -> tuple[str, np.ndarray]:
    """The body that carries a frame of the scene, and a point of the frame as one of the body."""
    given = numbers(point if point is not None else (0, 0, 0), 3, "point")
    if not isinstance(frame, str) or frame not in frame_names(m):
        raise ArgumentError(one_of("frame", frame, frame_names(m)))
    if frame == GROUND or any(b.name == frame for b in m.bodies):
        return frame, given
    found = next(f for f in m.frames if f.name == frame)
    T = found.placement.matrix()
    return found.body, T[:3, :3] @ given + T[:3, 3]


def numbers(given: Any, count: int, name: str) -> np.ndarray:
    """As many finite numbers as are needed."""
    if not isinstance(given, list | tuple | np.ndarray) or len(given) != count or not all(is_number(x) for x in given):
        raise ArgumentError(f"is {shown(given)}", argument=name, remedy=f"{count} numbers are needed")
    return np.array([float(x) for x in given])
