"""A body as a link of SDF: its inertial data, and what is drawn of it."""

from __future__ import annotations

from typing import Any

from lagrangian.description.urdf.write_link import mesh_file
from lagrangian.description.writing.inertia import principal, substantial, tensor
from lagrangian.description.writing.tags import Tag, number, numbers
from lagrangian.description.writing.turning import wxyz
from lagrangian.description.writing.written import Remarks
from lagrangian.model import vector as v
from lagrangian.model.body import Body
from lagrangian.model.placement import Placement
from lagrangian.model.shapes import Visual

LEAST = 1e-14  # kg, kg m^2: what SDF's own library gives a link without mass is 1 kg
_MOMENTS = ("ixx", "ixy", "ixz", "iyy", "iyz", "izz")


def value(tag: str, x: Any) -> Tag:
    """An element with a number, numbers or a text in it."""
    return Tag(tag, (), x if isinstance(x, str) else numbers(x) if isinstance(x, (tuple, list)) else number(x))


def pose(at: Placement, relative_to: str | None = None) -> list[Tag]:
    """A pose by a quaternion, which keeps all digits; nothing where it is no offset from what it is relative to by itself."""
    if at.is_identity and relative_to is None:
        return []
    if at.rotation == v.IDENTITY:
        return [Tag("pose", (), numbers((*at.position, 0, 0, 0)), relative_to=relative_to)]
    w, x, y, z = wxyz(at.rotation)
    form = {"rotation_format": "quat_xyzw", "relative_to": relative_to}
    return [Tag("pose", (), numbers((*at.position, x, y, z, w)), **form)]


def inertial(body: Body, least_mass: float, remarks: Remarks) -> Tag:
    given = principal(body)
    found = substantial(body, LEAST, least_mass, remarks)
    six = tuple(float(x) for x in body.inertia) if found == given else tensor(found)
    made = Tag("inertial", pose(Placement(position=tuple(float(x) for x in body.center))))  # type: ignore[arg-type]
    moments = Tag("inertia", [value(key, x) for key, x in zip(_MOMENTS, six, strict=True)])
    return made.add(value("mass", found.mass), moments)


def visuals(body: Body, file: str, remarks: Remarks) -> list[Tag]:
    found = [x for visual in body.visuals if (x := _shape(visual, body.name, file, remarks)) is not None]
    return [
        Tag("visual", [*pose(visual.placement), Tag("geometry", [shape]), *_material(visual)], name=f"visual{k + 1}")
        for k, (visual, shape) in enumerate(found)
    ]


def _shape(visual: Visual, body: str, file: str, remarks: Remarks) -> tuple[Visual, Tag] | None:
    size = tuple(float(x) for x in visual.size)
    match visual.kind:
        case "box":
            made = [value("size", size)]
        case "cylinder" | "capsule":
            made = [value("radius", size[0]), value("length", size[1])]
        case "sphere":
            made = [value("radius", size[0])]
        case "ellipsoid":
            made = [value("radii", size)]
        case "mesh" if visual.file:
            made = [value("uri", mesh_file(visual.file, file)), *([value("scale", size)] if size else [])]
        case _:
            return None
    if not all(x > 0 for x in size):
        remarks.add("body", "{has} visuals without a size, which are left out", body)
        return None
    return visual, Tag(visual.kind, made)


def _material(visual: Visual) -> list[Tag]:
    if not visual.color:
        return []
    rgba = (*visual.color, 1.0)[:4]
    return [Tag("material", [value("ambient", rgba), value("diffuse", rgba)])]
