"""What the page asks of a drawing: dictionaries in, dictionaries out, as JSON has them."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from importlib.resources import files
from typing import Any

from lagrangian.errors import LagrangianError
from lagrangian.studio.drawing.describe import describe
from lagrangian.studio.drawing.drawing import read, written
from lagrangian.studio.drawing.words import freedom


def described(body: Mapping[str, Any]) -> dict[str, Any]:
    """A drawing's description, how freely it moves, and what is wrong with it as yet."""
    try:
        drawing = read(body.get("drawing"))
    except LagrangianError as error:  # such as two pins of a bar that were dragged onto each other
        return {"degrees": 0, "count": "", "words": f"{error}.", "good": False, "text": "", "problem": str(error)}
    free = freedom(drawing)
    found = {"degrees": free.degrees, "count": free.count, "words": free.words, "good": free.good}
    try:
        return found | {"text": describe(drawing), "problem": ""}
    except LagrangianError as error:  # unfinished, as every drawing is for a while
        return found | {"text": "", "problem": str(error)}


def recovered(body: Mapping[str, Any]) -> dict[str, Any]:
    """The drawing of a description, and what of the description it does not have."""
    import lagrangian as lg
    from lagrangian.studio.drawing.recover import recover

    found = recover(lg.loads(str(body.get("text", ""))))
    return {"drawing": written(found.drawing), "left_out": list(found.left_out)}


def examples(body: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """Drawings to begin with."""
    text = (files("lagrangian.studio") / "drawing" / "examples.json").read_text(encoding="utf-8")
    return {"examples": json.loads(text)}


def moved(options: Mapping[str, Any], progress: Callable[[float, float], None] | None = None) -> dict[str, Any]:
    """The motion of a drawing over some seconds."""
    from lagrangian.studio.drawing.motion import move

    return move(read(options.get("drawing")), options.get("seconds", 5.0), progress)
