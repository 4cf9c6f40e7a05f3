"""What the page for drawing asks the studio: dictionaries in, dictionaries out, as JSON has them, and at which addresses."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Mapping
from importlib.resources import files
from typing import Any

from lagrangian.errors import LagrangianError
from lagrangian.studio.drawing.drawing import drawing_from_dict, drawing_to_dict
from lagrangian.studio.drawing.links import drawing_mobility
from lagrangian.studio.drawing.motion import simulate_drawing
from lagrangian.studio.drawing.to_toml import drawing_to_toml
from lagrangian.studio.tasks import TaskRequest


def describe_drawing(body: Mapping[str, Any]) -> dict[str, Any]:
    """The description of a drawing, how freely it moves, and what is wrong with it so far."""
    try:
        drawing = drawing_from_dict(body.get("drawing"))
    except LagrangianError as error:  # such as two pins of a bar that were dragged onto each other
        return {"degrees": 0, "count": "", "words": f"{error}.", "good": False, "text": "", "problem": str(error)}
    mobility = drawing_mobility(drawing)
    content = {"degrees": mobility.degrees, "count": mobility.count, "words": mobility.message, "good": mobility.is_good}
    try:
        return content | {"text": drawing_to_toml(drawing), "problem": ""}
    except LagrangianError as error:  # unfinished, as every drawing is for a while
        return content | {"text": "", "problem": str(error)}


def recover_drawing(body: Mapping[str, Any]) -> dict[str, Any]:
    """The drawing of a description, and the parts of the description that it leaves out."""
    import lagrangian as lg
    from lagrangian.studio.drawing.from_mechanism import drawing_from_mechanism

    recovery = drawing_from_mechanism(lg.loads(str(body.get("text", ""))))
    return {"drawing": drawing_to_dict(recovery.drawing), "left_out": list(recovery.left_out)}


def examples(body: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """Drawings to begin with."""
    text = (files("lagrangian.studio") / "drawing" / "examples.json").read_text(encoding="utf-8")
    return {"examples": json.loads(text)}


def drawing_motion(options: Mapping[str, Any], progress: Callable[[float, float], None] | None = None) -> dict[str, Any]:
    """The motion of a drawing over some seconds."""
    return simulate_drawing(drawing_from_dict(options.get("drawing")), options.get("seconds", 5.0), progress)


def linkage(request: TaskRequest) -> dict[str, Any]:
    """The job `linkage`: how a drawn linkage moves, with the forces at its pins."""
    return drawing_motion(request.options, request.progress)


ROUTES: list[tuple[str, str, Callable[[Mapping[str, Any]], dict[str, Any]]]] = [
    ("POST", "/api/drawing", describe_drawing),
    ("POST", "/api/drawing/read", recover_drawing),
    ("GET", "/api/drawing/examples", examples),
]


def _handler(function: Callable[[Mapping[str, Any]], dict[str, Any]]) -> Callable[..., Awaitable[Any]]:
    async def handle(studio: Any, body: dict[str, Any], request: Any) -> Any:
        return await studio.run_in_thread(function, body)

    return handle


HANDLERS = [(method, address, _handler(function)) for method, address, function in ROUTES]
