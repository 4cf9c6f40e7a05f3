"""The visuals of a body as meshes: what a URDF, an MJCF file or a body made of shapes says is to be seen."""

from __future__ import annotations

import warnings

import numpy as np

from lagrangian.errors import MechanismWarning
from lagrangian.model.body import Body, Visual
from lagrangian.model.mechanism import Mechanism
from lagrangian.viewer import meshes
from lagrangian.viewer import primitives as p
from lagrangian.viewer.primitives import Mesh


def drawn(mechanism: Mechanism, body: Body, r: float) -> list[tuple[Visual, Mesh]]:
    """Each visual with its mesh in the body's frame. Where a file cannot be read a warning says why, and there is none."""
    found = []
    for visual in body.visuals:
        try:
            mesh = meshes.read(mechanism, visual) if visual.kind == "mesh" else _solid(visual, r)
        except (OSError, ValueError) as error:
            text = f"{mechanism.name}: body {body.name!r} is drawn without its mesh: {error}"
            warnings.warn(text, MechanismWarning, stacklevel=4)
            continue
        T = visual.placement.matrix()
        found.append((visual, mesh.moved(T[:3, :3], T[:3, 3])))
    return found


def _solid(visual: Visual, r: float) -> Mesh:
    """Lengths are full ones, radii are radii; a cylinder's and a capsule's length is along z, without the caps."""
    size = [float(x) for x in visual.size]
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
