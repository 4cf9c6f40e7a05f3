"""The points by which lengths are dragged: where the ends of links are, on the bodies that carry them."""

from __future__ import annotations

from typing import Any

import numpy as np

from lagrangian.model.mechanism import GROUND
from lagrangian.studio.models import Model
from lagrangian.studio.stretch import ends
from lagrangian.studio.toml_places import scan
from lagrangian.viewer.scene.poses import frame_names

MOST = 80  # more of them would hide what they are on


def handles(model: Model) -> list[dict[str, Any]]:
    """One for every place on a body that something which the text describes is carried at."""
    m = model.read
    if model.format != "toml" or len(m.bodies) > MOST:
        return []
    root, numbers, found = scan(model.text), {name: k for k, name in enumerate(frame_names(m))}, []
    for body in (GROUND, *(b.name for b in m.bodies)):
        taken: list[np.ndarray] = []
        for end in ends(m, root, body):
            if not end.entries or any(np.linalg.norm(end.point - p) < 1e-9 for p in taken):
                continue
            taken.append(end.point)
            told = f"from the ground's origin to {end.kind} {end.name}" if body == GROUND else f"{body} to {end.kind} {end.name}"
            found.append({"body": body, "frame": numbers[body], "point": [float(x) for x in end.point], "label": told})
    return found[:MOST]
