"""Write a body as a link of URDF: its inertial data and its visuals."""

from __future__ import annotations

from collections.abc import Iterator

from lagrangian.description.files import absolute_mesh_path
from lagrangian.description.notes import WriterNotes
from lagrangian.description.writing.numbers import roll_pitch_yaw
from lagrangian.description.xml import Tag
from lagrangian.model import vector as v
from lagrangian.model.body import Body
from lagrangian.model.placement import Transform
from lagrangian.model.shapes import Visual

_TENSOR = ("ixx", "ixy", "ixz", "iyy", "iyz", "izz")


def write_link(body: Body, name: str, file: str, remarks: WriterNotes) -> Tag:
    """The link of a body; one without mass has no <inertial>. `file` is that of the mechanism."""
    element = Tag("link", name=name)
    if any(float(x) for x in (body.mass, *body.inertia)):
        inertia = {key: float(x) for key, x in zip(_TENSOR, body.inertia, strict=True)}
        placement = Transform(position=body.center)
        element.add(Tag("inertial", [*write_origin(placement), Tag("mass", value=body.mass), Tag("inertia", **inertia)]))
    for visual in body.visuals:
        element.add(*_write_visuals(visual, body.name, file, remarks))
    return element


def write_origin(placement: Transform) -> list[Tag]:
    """The <origin> of a placement; none for the identity."""
    if placement.is_identity:
        return []
    angles = None if placement.rotation == v.IDENTITY else roll_pitch_yaw(placement.rotation)
    return [Tag("origin", xyz=tuple(placement.position), rpy=angles)]


def _write_visuals(visual: Visual, body: str, file: str, remarks: WriterNotes) -> Iterator[Tag]:
    size = tuple(float(x) for x in visual.size)
    placement = visual.placement
    match visual.kind:
        case "box":
            yield _visual_element(Tag("box", size=size), placement, visual)
        case "cylinder":
            yield _visual_element(Tag("cylinder", radius=size[0], length=size[1]), placement, visual)
        case "sphere":
            yield _visual_element(Tag("sphere", radius=size[0]), placement, visual)
        case "capsule":  # which readers of URDF refuse
            yield _visual_element(Tag("cylinder", radius=size[0], length=size[1]), placement, visual)
            for height in (-size[1] / 2, size[1] / 2):
                yield _visual_element(Tag("sphere", radius=size[0]), placement @ Transform(position=(0, 0, height)), visual)
        case "mesh" if visual.file:
            yield _visual_element(
                Tag("mesh", filename=absolute_mesh_path(visual.file, file), scale=size or None), placement, visual
            )
        case "point":
            return
        case _:
            remarks.add(f"a drawn {visual.kind} of body", "{is} left out because URDF has no such shape", body)


def _visual_element(shape: Tag, placement: Transform, visual: Visual) -> Tag:
    element = Tag("visual", [*write_origin(placement), Tag("geometry", [shape])])
    if visual.color:
        rgba = (*visual.color, 1.0)[:4]
        element.add(Tag("material", [Tag("color", rgba=rgba)], name="color_" + "_".join(f"{round(255 * x):02x}" for x in rgba)))
    return element
