"""The visuals of bodies as meshes: what a URDF, an MJCF file or a body made of shapes says is to be seen."""

from __future__ import annotations

import numpy as np

from lagrangian.errors import MechanismWarning, warn
from lagrangian.model.mechanism import Mechanism
from lagrangian.model.shapes import Visual
from lagrangian.viewer.scene import meshes
from lagrangian.viewer.scene import primitives as p
from lagrangian.viewer.scene.primitives import Mesh
from lagrangian.viewer.scene.scene import Color

_SIZES = {"box": 3, "cylinder": 2, "sphere": 1, "capsule": 2, "ellipsoid": 3}
Seen = tuple[Mesh, Color | None, float]  # with its colour, and how opaque it is


def drawn(mechanism: Mechanism, r: float) -> dict[str, list[Seen]]:
    """The meshes of each body's visuals in the body's frame. One warning says how many could not be read, and why the first."""
    found: dict[str, list[Seen]] = {}
    problems: dict[str, str] = {}
    for body in mechanism.bodies:
        for visual in body.visuals:
            try:
                solids: list[tuple[Mesh, Color | None]]
                solids = meshes.read(mechanism, visual) if visual.kind == "mesh" else [(_solid(visual, r), None)]
            except (OSError, ValueError) as error:
                problems.setdefault(str(error), body.name)
                continue
            T = visual.placement.matrix()
            color = _rgb(visual)
            opacity = min(1.0, float(visual.color[3])) if len(visual.color) > 3 else 1.0
            for mesh, own in solids:
                if opacity > 0:
                    found.setdefault(body.name, []).append((mesh.moved(T[:3, :3], T[:3, 3]), color or own, opacity))
    if problems:
        problem, name = next(iter(problems.items()))
        what = "one visual is not drawn, that" if len(problems) == 1 else f"{len(problems)} visuals are not drawn, the first"
        warn(f"{mechanism.name}: {what} of {name!r}: {problem}", MechanismWarning)
    return found


def _rgb(visual: Visual) -> Color | None:
    if len(visual.color) < 3:
        return None
    r, g, b = (min(1.0, max(0.0, float(x))) for x in visual.color[:3])
    return r, g, b


def _solid(visual: Visual, r: float) -> Mesh:
    """Lengths are full ones, radii are radii; a cylinder's and a capsule's length is along z, without the caps."""
    size = [float(x) for x in visual.size]
    if len(size) < _SIZES.get(visual.kind, 0) or not all(x > 0 for x in size):
        raise ValueError(f"its {visual.kind}, whose size is {tuple(size)}")
    match visual.kind:
        case "box":
            return p.box(size, 0.03 * min(size))
        case "cylinder":
            return p.cylinder(size[0], size[1], 0.03 * min(size), sides=2 * p.ROUND)
        case "sphere":
            return p.sphere(size[0])
        case "capsule":
            return p.capsule(size[0], size[0], size[1]).moved(np.eye(3), np.array([0, 0, -size[1] / 2]))
        case "ellipsoid":
            return p.sphere(1.0).scaled(size)
    return p.sphere(2 * r)
