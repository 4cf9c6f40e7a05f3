"""A body of MJCF: its inertial data, its joints, and what is drawn of it."""

from __future__ import annotations

import math

import numpy as np

from lagrangian.description.writing import at_joint
from lagrangian.description.writing.inertia import Principal
from lagrangian.description.writing.tags import Tag
from lagrangian.description.writing.turning import wxyz
from lagrangian.description.writing.written import Remarks
from lagrangian.model import vector as v
from lagrangian.model.body import Body
from lagrangian.model.joint import Joint
from lagrangian.model.placement import Placement
from lagrangian.model.shapes import Visual

_KINDS = {"revolute": "hinge", "continuous": "hinge", "prismatic": "slide", "ball": "ball", "free": "free"}


def inertial(body: Body, given: Principal) -> Tag:
    """Along the principal axes, which are computed here: MuJoCo's own are off by up to 1e-7."""
    return Tag("inertial", pos=tuple(body.center), quat=given.turn or None, mass=given.mass, diaginertia=given.moments)


def pose(at: Placement | np.ndarray) -> dict[str, tuple[float, ...]]:
    """The attributes that place an element; none where that is no offset."""
    place = Placement.from_matrix(at) if isinstance(at, np.ndarray) else at
    found: dict[str, tuple[float, ...]] = {}
    if any(float(x) for x in place.position):
        found["pos"] = tuple(place.position)
    if not np.array_equal(np.array(place.rotation, dtype=float), np.eye(3)):
        found["quat"] = wxyz(place.rotation)
    return found


def joint(given: Joint, name: str, frame: np.ndarray, ref: float, remarks: Remarks) -> Tag:
    """A joint whose frame on the child stands at `frame` in the body; `ref` is its coordinate as the model is written."""
    kind = _KINDS[given.type]
    viscous, dry = at_joint.friction(given, remarks)
    own: dict[str, object] = {"type": kind}
    if kind != "free" and frame[:3, 3].any():
        own["pos"] = tuple(frame[:3, 3].tolist())
    if kind in ("hinge", "slide"):
        own["axis"] = tuple((frame[:3, :3] @ np.array(given.axis, dtype=float)).tolist())
        own |= {"ref": ref} if ref else {}
        own |= _range(given, remarks)
    own |= {"damping": viscous} if viscous else {}
    own |= {"frictionloss": dry} if dry else {}
    if dry and kind == "free":
        meaning = "{has} dry friction, which acts along the axes of the world in MuJoCo, not along those of the body"
        remarks.add("free joint", meaning, given.name, warn=True)
    if kind == "free":
        return Tag("joint", name=name, **own)
    own |= {"armature": given.rotor.reflected} if float(given.rotor.inertia) else {}
    if float(given.spring.stiffness):
        own["stiffness"] = given.spring.stiffness
        own |= {"springref": given.spring.rest} if kind != "ball" and float(given.spring.rest) else {}
    return Tag("joint", name=name, **own)


def _range(given: Joint, remarks: Remarks) -> dict[str, object]:
    limits = given.limits
    found: dict[str, object] = {}
    if at_joint.limited(given) and limits.lower < limits.upper:
        found["range"] = (at_joint.bound(limits.lower), at_joint.bound(limits.upper))
    elif at_joint.limited(given):
        meaning = "{has} equal lower and upper limits, which are left out because MuJoCo refuses them"
        remarks.add("joint", meaning, given.name, warn=True)
    if math.isfinite(limits.effort) and limits.effort > 0:
        found["actuatorfrcrange"] = (-limits.effort, limits.effort)
    if math.isfinite(limits.speed):
        remarks.add("joint", "{has} a speed limit, which is left out because MJCF has none", given.name)
    return found


def geoms(body: Body, remarks: Remarks) -> list[Tag]:
    """What is drawn; none of it touches anything."""
    return [made for visual in body.visuals if (made := _geom(visual, body.name, remarks)) is not None]


def _geom(visual: Visual, body: str, remarks: Remarks) -> Tag | None:
    size = tuple(float(x) for x in visual.size)
    match visual.kind:
        case "box":
            size = tuple(x / 2 for x in size)
        case "cylinder" | "capsule":
            size = (size[0], size[1] / 2)
        case "sphere" | "ellipsoid":
            pass
        case "point":
            return None
        case _:
            remarks.add("body", "{has} meshes, which are left out because MuJoCo needs their files", body)
            return None
    if not all(x > 0 for x in size):
        return None
    rgba = (*visual.color, 1.0)[:4] if visual.color else None
    at = pose(visual.placement)
    return Tag("geom", type=visual.kind, size=size, **at, rgba=rgba, contype=0, conaffinity=0, group=1)


def axes(at: Placement) -> Placement:
    """The rotation alone."""
    return Placement(at.rotation, v.ZERO)
