"""What a page needs to compute a motion anew: the module, its plan, how shapes follow, and how values are written back."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from lagrangian.errors import ArgumentError, shown
from lagrangian.motion.motion import Motion
from lagrangian.viewer.compute.written import written
from lagrangian.viewer.pack import Block, deflated
from lagrangian.viewer.scene.reshaped import Reshaper, Slopes
from lagrangian.viewer.scene.scene import Track

STEPS = 32767  # of a signed 16-bit number


@dataclass(frozen=True)
class Payload:
    """What stands in a page beside the player: data that compute (JSON), or why there are none."""

    data: dict[str, Any] | None = None
    why_not: str = ""


def payload(motion: Motion, track: Track, sliders: Any = None) -> Payload | None:
    """What a page of this track needs so that its motion follows sliders; None if `sliders` is False or empty.

    `sliders` is None for those that suggest themselves, or a list of names and of (name, least, most).
    """
    wanted = _checked(sliders)
    if wanted == []:
        return None
    from lagrangian.computing import NotComputable, computed

    try:
        made = computed(motion, wanted)
    except NotComputable as error:
        if wanted is not None:
            raise  # who asks for sliders is told why there are none
        return Payload(why_not=str(error))
    inputs = made.plan["inputs"]
    if not inputs or len(track.t) < 2:
        return None
    block = Block()
    data = {
        "plan": made.plan,
        "wasm": deflated(made.wasm),
        "shapes": list(_shapes(motion, track, inputs, block)),
        "written": written(motion),
        "block": block.text,
    }
    return Payload(data)


def _checked(sliders: Any) -> list[Any] | None:
    if sliders is None or sliders is True:
        return None
    if sliders is False:
        return []
    if isinstance(sliders, str) or not isinstance(sliders, Iterable):
        raise ArgumentError(
            f"is {shown(sliders)}", argument="sliders", remedy='a list is needed: ["l1", ("m2", 0.5, 2)], or False for none'
        )
    return list(sliders)


def _shapes(motion: Motion, track: Track, inputs: list[dict[str, Any]], block: Block) -> Iterable[dict[str, Any]]:
    """For every parameter that changes shapes: by how much per unit, upwards and downwards."""
    parameters = [(k, x) for k, x in enumerate(inputs) if x["kind"] == "parameter"]
    if not parameters:
        return
    reshaper = Reshaper(motion.model("a picture needs"), motion(track.t)[0])
    for k, it in parameters:
        found = reshaper.along(it["name"], it["value"], it["min"], it["max"])
        up, down = _slopes(found.up, block), _slopes(found.down, block)
        if up["parts"] or up["struts"] or down["parts"] or down["struts"]:
            yield {"input": k, "up": up, "down": down}


def _slopes(slopes: Slopes, block: Block) -> dict[str, Any]:
    parts = []
    for k, values in slopes.parts.items():
        step = float(np.abs(values).max()) / STEPS
        parts.append([k, block.add(np.round(values / step).astype("<i2")), step])
    return {"parts": parts, "struts": [[k, *np.round(ends, 9).tolist()] for k, ends in slopes.struts.items()]}
