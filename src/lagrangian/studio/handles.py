"""The points at which the length of a link can be dragged: the ends of links, on the bodies that carry them."""

from __future__ import annotations

from typing import Any

import numpy as np

from lagrangian.model.mechanism import GROUND
from lagrangian.studio.models import StudioModel
from lagrangian.studio.resize_link import link_ends
from lagrangian.studio.toml_places import scan
from lagrangian.viewer.scene.poses import frame_names

MAX_HANDLES = 80  # more would hide the mechanism


def drag_handles(model: StudioModel) -> list[dict[str, Any]]:
    """A handle for each point of a body where a joint, a loop or a frame of the text is."""
    m = model.valid_mechanism
    if model.format != "toml" or len(m.bodies) > MAX_HANDLES:
        return []
    root, numbers, drag_points = scan(model.text), {name: k for k, name in enumerate(frame_names(m))}, []
    for body in (GROUND, *(b.name for b in m.bodies)):
        used_points: list[np.ndarray] = []
        for end in link_ends(m, root, body):
            if not end.entries or any(np.linalg.norm(end.point - p) < 1e-9 for p in used_points):
                continue
            used_points.append(end.point)
            label = f"from the ground's origin to {end.kind} {end.name}" if body == GROUND else f"{body} to {end.kind} {end.name}"
            drag_points.append({"body": body, "frame": numbers[body], "point": [float(x) for x in end.point], "label": label})
    return drag_points[:MAX_HANDLES]
