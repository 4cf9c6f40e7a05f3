"""A URDF that an SDF includes, as a model of SDF: the mechanism that the URDF reader reads, written as elements of SDF."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from pathlib import Path

import numpy as np

from lagrangian.description.notes import ReaderNotes
from lagrangian.description.urdf import reader as urdf
from lagrangian.description.xml import Element, number_attribute, text_attribute
from lagrangian.errors import DescriptionError
from lagrangian.model import vector as v
from lagrangian.model.body import Body
from lagrangian.model.joint import Joint
from lagrangian.model.mechanism import Mechanism
from lagrangian.model.placement import Transform
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


def to_sdf_model(root: Element, notes: ReaderNotes) -> Element:
    """The <model> of a URDF, whose root link moves freely unless a joint of the SDF connects it."""
    for element in root.children:
        if element.tag in ("loop", "coupling"):
            raise element.error("the loops of an included URDF (URDF+) are not supported; load the URDF file directly")
    m = urdf.read(root.file, mimic=True, loops=False)
    for note in m.notes:
        notes.add(f"included {Path(root.file).name}", note)
    mimics = {text_attribute(joint, "name"): mimic for joint in root.find_all("joint") for mimic in joint.find_all("mimic")[:1]}
    return _SdfModelWriter(m, mimics).to_element()


class _SdfModelWriter:
    """Writes elements, whose errors all name the first line of the URDF."""

    def __init__(self, mechanism: Mechanism, mimics: Mapping[str, Element]) -> None:
        self.mechanism, self.mimics = mechanism, mimics

    def to_element(self) -> Element:
        base, *joints = self.mechanism.joints
        by_child = {joint.child: joint for joint in joints}
        parts = [self._link_element(body, by_child.get(body.name)) for body in self.mechanism.bodies]
        parts += [self._joint_element(joint) for joint in joints if joint.type != "free"]
        element = self._make_element("model", parts, name=self.mechanism.name, canonical_link=base.child)
        element.owner = ""
        return element

    def _make_element(self, tag: str, content: Iterable[Element] | str = (), **attributes: str) -> Element:
        element = Element(tag, attributes, self.mechanism.file, 1, f'<robot name="{self.mechanism.name}">')
        if isinstance(content, str):
            element.text = content
        else:
            element.children = list(content)
        return element

    def _number_element(self, tag: str, *values: float) -> Element:
        return self._make_element(tag, " ".join(repr(float(x)) for x in values))

    def _pose_element(self, placement: Transform, relative_to: str = "") -> Element:
        w, x, y, z = (1.0, 0.0, 0.0, 0.0)
        if placement.rotation != v.IDENTITY:
            w, x, y, z = quaternion.from_matrix(np.array(placement.rotation, dtype=float))
        element = self._number_element("pose", *placement.position, x, y, z, w)
        element.attributes["rotation_format"] = "quat_xyzw"
        if relative_to:
            element.attributes["relative_to"] = relative_to
        return element

    def _link_element(self, body: Body, joint: Joint | None) -> Element:
        """A link at its joint, in the frame of the parent link, because in URDF a joint and a link may have the same name."""
        inertia = self._make_element(
            "inertia", [self._number_element(key, x) for key, x in zip(_MOMENTS, body.inertia, strict=True)]
        )
        mass = self._number_element("mass", float(body.mass))
        inertial = self._make_element("inertial", [mass, self._pose_element(Transform(position=body.center)), inertia])
        pose = [] if joint is None else [self._pose_element(joint.placement, joint.parent)]
        visuals = [visual for k, x in enumerate(body.visuals) if (visual := self._visual_element(x, f"visual{k}")) is not None]
        return self._make_element("link", [*pose, inertial, *visuals], name=body.name)

    def _visual_element(self, visual: Visual, name: str) -> Element | None:
        if visual.kind not in _SIZES:
            return None
        tags, size = _SIZES[visual.kind], [float(x) for x in visual.size]
        values_by_tag = zip(tags, [size] if len(tags) == 1 else [(x,) for x in size], strict=True)
        sizes = [self._number_element(key, *values) for key, values in values_by_tag]
        file = [self._make_element("uri", visual.file)] if visual.file else []
        shape = self._make_element("geometry", [self._make_element(visual.kind, [*file, *sizes])])
        color = [self._make_element("material", [self._number_element("diffuse", *visual.color)])] if visual.color else []
        return self._make_element("visual", [self._pose_element(visual.placement), shape, *color], name=name)

    def _joint_element(self, joint: Joint) -> Element:
        """A joint without a pose, which in SDF is at the frame of its child."""
        if joint.type not in _TYPES:
            problem = f"joint {joint.name!r} is {joint.type}, which an included URDF cannot have; load the URDF file directly"
            raise DescriptionError(problem, where=self.mechanism.file)
        ends = [self._make_element("parent", joint.parent), self._make_element("child", joint.child)]
        axis = [] if joint.type == "fixed" else [self._axis_element(joint)]
        return self._make_element("joint", [*ends, *axis], name=joint.name, type=joint.type)

    def _axis_element(self, joint: Joint) -> Element:
        limits = joint.limits
        bounds = {"lower": limits.lower, "upper": limits.upper, "effort": limits.effort, "velocity": limits.speed}
        limit = self._make_element("limit", [self._number_element(key, x) for key, x in bounds.items() if math.isfinite(x)])
        friction_values = [("damping", joint.friction.viscous), ("friction", joint.friction.coulomb)]
        dynamics = self._make_element("dynamics", [self._number_element(key, float(x)) for key, x in friction_values])
        return self._make_element(
            "axis", [self._number_element("xyz", *joint.axis), limit, dynamics, *self._mimic_elements(joint)]
        )

    def _mimic_elements(self, joint: Joint) -> list[Element]:
        mimic = self.mimics.get(joint.name)
        if mimic is None:
            return []
        numbers = [
            self._number_element(key, number_attribute(mimic, key, x)) for key, x in (("multiplier", 1.0), ("offset", 0.0))
        ]
        return [self._make_element("mimic", numbers, joint=text_attribute(mimic, "joint"))]
