"""A body as a link of URDF: its inertial data, and what is drawn of it."""

from __future__ import annotations

import os
from collections.abc import Iterator

from lagrangian.description.writing.tags import Tag
from lagrangian.description.writing.turning import rpy
from lagrangian.description.writing.written import Remarks
from lagrangian.model import vector as v
from lagrangian.model.body import Body
from lagrangian.model.placement import Placement
from lagrangian.model.shapes import Visual

_TENSOR = ("ixx", "ixy", "ixz", "iyy", "iyz", "izz")


def link(body: Body, name: str, file: str, remarks: Remarks) -> Tag:
    """The link; one without mass has no inertial, as the frames of URDF have none. `file` is that of the mechanism."""
    made = Tag("link", name=name)
    if any(float(x) for x in (body.mass, *body.inertia)):
        inertia = {key: float(x) for key, x in zip(_TENSOR, body.inertia, strict=True)}
        at = Placement(position=body.center)
        made.add(Tag("inertial", [*origin(at), Tag("mass", value=body.mass), Tag("inertia", **inertia)]))
    for visual in body.visuals:
        made.add(*_visuals(visual, body.name, file, remarks))
    return made


def origin(at: Placement) -> list[Tag]:
    """Where something is; nothing where that is no offset."""
    if at.is_identity:
        return []
    turned = None if at.rotation == v.IDENTITY else rpy(at.rotation)
    return [Tag("origin", xyz=tuple(at.position), rpy=turned)]


def _visuals(visual: Visual, body: str, file: str, remarks: Remarks) -> Iterator[Tag]:
    size = tuple(float(x) for x in visual.size)
    at = visual.placement
    match visual.kind:
        case "box":
            yield _visual(Tag("box", size=size), at, visual)
        case "cylinder":
            yield _visual(Tag("cylinder", radius=size[0], length=size[1]), at, visual)
        case "sphere":
            yield _visual(Tag("sphere", radius=size[0]), at, visual)
        case "capsule":  # which readers of URDF refuse
            yield _visual(Tag("cylinder", radius=size[0], length=size[1]), at, visual)
            for end in (-size[1] / 2, size[1] / 2):
                yield _visual(Tag("sphere", radius=size[0]), at @ Placement(position=(0, 0, end)), visual)
        case "mesh" if visual.file:
            yield _visual(Tag("mesh", filename=mesh_file(visual.file, file), scale=size or None), at, visual)
        case "point":
            return
        case _:
            remarks.add(f"a drawn {visual.kind} of body", "{is} left out because URDF has no such shape", body)


def _visual(shape: Tag, at: Placement, visual: Visual) -> Tag:
    made = Tag("visual", [*origin(at), Tag("geometry", [shape])])
    if visual.color:
        rgba = (*visual.color, 1.0)[:4]
        made.add(Tag("material", [Tag("color", rgba=rgba)], name="color_" + "_".join(f"{round(255 * x):02x}" for x in rgba)))
    return made


def mesh_file(mesh: str, file: str) -> str:
    """The file of a mesh: an address as it is; a path beside the mechanism's own file as it is found from anywhere."""
    if "://" in mesh or os.path.isabs(mesh) or not os.path.isfile(file):
        return mesh
    beside = os.path.normpath(os.path.join(os.path.dirname(os.path.abspath(file)), mesh))
    return beside if os.path.isfile(beside) else mesh
