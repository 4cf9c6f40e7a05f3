"""A URDF as a model of SDF, to be included: its mechanism, as the URDF's own reader has it, written as elements of SDF."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from pathlib import Path

import numpy as np

from lagrangian.description.notes import Notes
from lagrangian.description.urdf import reader as urdf
from lagrangian.description.xml import Element, number, text
from lagrangian.errors import DescriptionError
from lagrangian.model import vector as v
from lagrangian.model.body import Body
from lagrangian.model.joint import Joint
from lagrangian.model.mechanism import Mechanism
from lagrangian.model.placement import Placement
from lagrangian.model.rotation import quaternion
from lagrangian.model.shapes import Visual

_TYPES = ("revolute", "continuous", "prismatic", "fixed", "free")
_MOMENTS = ("ixx", "ixy", "ixz", "iyy", "iyz", "izz")
_SIZES = {
    "box": ("size",),
    "cylinder": ("radius", "length"),
    "capsule": ("radius", "length"),
    "sphere": ("radius",),
    "mesh": ("scale",),
}


def model(root: Element, notes: Notes) -> Element:
    """The <model> that stands for a URDF, whose root link is held by nothing unless a joint of the SDF holds it."""
    for element in root.children:
        if element.tag in ("loop", "coupling"):
            raise element.error("the loops of an included URDF (URDF+) are not supported; load the URDF file directly")
    m = urdf.read(root.file, mimic=True, loops=False)
    for note in m.notes:
        notes.add(f"included {Path(root.file).name}", note)
    mimics = {text(joint, "name"): mimic for joint in root.all("joint") for mimic in joint.all("mimic")[:1]}
    return _Writer(m, mimics).model()


class _Writer:
    """Writes elements, all of them at the place of the URDF's root."""

    def __init__(self, mechanism: Mechanism, mimics: Mapping[str, Element]) -> None:
        self.m, self.mimics = mechanism, mimics

    def model(self) -> Element:
        base, *joints = self.m.joints
        by_child = {joint.child: joint for joint in joints}
        parts = [self._link(body, by_child.get(body.name)) for body in self.m.bodies]
        parts += [self._joint(joint) for joint in joints if joint.type != "free"]
        made = self._made("model", parts, name=self.m.name, canonical_link=base.child)
        made.owner = ""
        return made

    def _made(self, tag: str, inside: Iterable[Element] | str = (), **attributes: str) -> Element:
        element = Element(tag, attributes, self.m.file, 1, f'<robot name="{self.m.name}">')
        if isinstance(inside, str):
            element.text = inside
        else:
            element.children = list(inside)
        return element

    def _numbers(self, tag: str, *values: float) -> Element:
        return self._made(tag, " ".join(repr(float(x)) for x in values))

    def _pose(self, at: Placement, relative_to: str = "") -> Element:
        w, x, y, z = (1.0, 0.0, 0.0, 0.0)
        if at.rotation != v.IDENTITY:
            w, x, y, z = quaternion.from_matrix(np.array(at.rotation, dtype=float))
        made = self._numbers("pose", *at.position, x, y, z, w)
        made.attributes["rotation_format"] = "quat_xyzw"
        if relative_to:
            made.attributes["relative_to"] = relative_to
        return made

    def _link(self, body: Body, joint: Joint | None) -> Element:
        """A link is where its joint is, in the parent; by the parent's name, as in URDF a joint may be called as a link is."""
        inertia = self._made("inertia", [self._numbers(key, x) for key, x in zip(_MOMENTS, body.inertia, strict=True)])
        mass = self._numbers("mass", float(body.mass))
        inertial = self._made("inertial", [mass, self._pose(Placement(position=body.center)), inertia])
        pose = [] if joint is None else [self._pose(joint.placement, joint.parent)]
        visuals = [made for k, x in enumerate(body.visuals) if (made := self._visual(x, f"visual{k}")) is not None]
        return self._made("link", [*pose, inertial, *visuals], name=body.name)

    def _visual(self, visual: Visual, name: str) -> Element | None:
        if visual.kind not in _SIZES:
            return None
        tags, size = _SIZES[visual.kind], [float(x) for x in visual.size]
        each = zip(tags, [size] if len(tags) == 1 else [(x,) for x in size], strict=True)
        sizes = [self._numbers(key, *values) for key, values in each]
        file = [self._made("uri", visual.file)] if visual.file else []
        shape = self._made("geometry", [self._made(visual.kind, [*file, *sizes])])
        color = [self._made("material", [self._numbers("diffuse", *visual.color)])] if visual.color else []
        return self._made("visual", [self._pose(visual.placement), shape, *color], name=name)

    def _joint(self, joint: Joint) -> Element:
        """Where its child is, as SDF has it of a joint without a pose."""
        if joint.type not in _TYPES:
            problem = f"joint {joint.name!r} is {joint.type}, which an included URDF cannot have; load the URDF file directly"
            raise DescriptionError(problem, where=self.m.file)
        ends = [self._made("parent", joint.parent), self._made("child", joint.child)]
        axis = [] if joint.type == "fixed" else [self._axis(joint)]
        return self._made("joint", [*ends, *axis], name=joint.name, type=joint.type)

    def _axis(self, joint: Joint) -> Element:
        limits = joint.limits
        bounds = {"lower": limits.lower, "upper": limits.upper, "effort": limits.effort, "velocity": limits.speed}
        limit = self._made("limit", [self._numbers(key, x) for key, x in bounds.items() if math.isfinite(x)])
        rubbing = [("damping", joint.friction.viscous), ("friction", joint.friction.coulomb)]
        dynamics = self._made("dynamics", [self._numbers(key, float(x)) for key, x in rubbing])
        return self._made("axis", [self._numbers("xyz", *joint.axis), limit, dynamics, *self._mimic(joint)])

    def _mimic(self, joint: Joint) -> list[Element]:
        given = self.mimics.get(joint.name)
        if given is None:
            return []
        numbers = [self._numbers(key, number(given, key, x)) for key, x in (("multiplier", 1.0), ("offset", 0.0))]
        return [self._made("mimic", numbers, joint=text(given, "joint"))]
