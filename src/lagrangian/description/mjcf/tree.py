"""The tree of an MJCF model: bodies, joints, sites, walked without recursion in MuJoCo's own order."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace

from lagrangian.description.joint_properties import read_bound
from lagrangian.description.mjcf.copies import ATTACHED, MjcfModel
from lagrangian.description.mjcf.document import MAIN_CLASS, CompilerSettings, boolean, quaternion_wxyz, rotation_about
from lagrangian.description.mjcf.inertia import (
    Assets,
    Geom,
    Inertial,
    apply_mass_bounds,
    inertia_from_geoms,
    read_geom,
    read_inertial,
)
from lagrangian.description.notes import ReaderNotes, body_with_noted_inertia
from lagrangian.description.schema import check_mjcf_attributes
from lagrangian.description.xml import Element, choice_attribute, number_attribute, number_attributes
from lagrangian.errors import error_location, unknown_name_message
from lagrangian.model import vector as v
from lagrangian.model.body import Body
from lagrangian.model.checks import unit_vector
from lagrangian.model.joint import Friction, Joint, JointLimits, JointSpring, Rotor
from lagrangian.model.loop import Frame
from lagrangian.model.mechanism import GROUND
from lagrangian.model.placement import Transform
from lagrangian.model.shapes import Visual

_UNSUPPORTED = {
    "composite": "write its bodies explicitly",
    "flexcomp": "deformable bodies are not supported",
}
_IGNORED = ("camera", "light")
_BODY_ELEMENTS = ("body", "frame", "inertial", "joint", "freejoint", "geom", "site", "camera", "light", "plugin")


@dataclass
class MjcfTree:
    """What the walk finds. `poses` are the bodies' in the world as the model is written, `refs` the joints' coordinates then."""

    bodies: list[Body] = field(default_factory=list)
    joints: list[Joint] = field(default_factory=list)
    refs: list[float] = field(default_factory=list)
    frames: list[Frame] = field(default_factory=list)
    sites: dict[str, tuple[str, Transform]] = field(default_factory=dict)
    poses: dict[str, Transform] = field(default_factory=lambda: {GROUND: Transform()})
    names: dict[str, str] = field(default_factory=lambda: {"world": GROUND})  # MuJoCo's name of a body -> ours
    gravcomp: dict[str, float] = field(default_factory=dict)  # the part of its weight that a body does not feel
    springdampers: dict[str, tuple[float, float]] = field(default_factory=dict)  # of joints: a time constant, a damping ratio

    def written_coordinates(self) -> list[tuple[float, ...]]:
        """The coordinates of each joint in the pose in which the model is written (MuJoCo's qpos0)."""
        return [written_coordinates(j, ref, self.poses) for j, ref in zip(self.joints, self.refs, strict=True)]


@dataclass
class _BodyContents:
    """The contents of one body."""

    inertial: Inertial | None = None
    joints: list[JointElement] = field(default_factory=list)
    geoms: list[Geom] = field(default_factory=list)
    bodies: list[tuple[Element, _ElementContext]] = field(default_factory=list)


@dataclass(frozen=True)
class _ElementContext:
    """What is around an element in its body: the frame, the class that it inherits, and the settings of its model."""

    compiler: CompilerSettings
    inherited_class: str = MAIN_CLASS
    frame: Transform = field(default_factory=Transform)


@dataclass(frozen=True)
class _PendingBody:
    """A body still to be walked: what is around it, and its parent."""

    element: Element
    context: _ElementContext
    parent: str
    is_moving: bool


class TreeBuilder:
    def __init__(self, model: MjcfModel) -> None:
        self.model, self.defaults, self.notes = model, model.defaults, model.notes
        self.assets = Assets(directory=model.folder.directory if model.folder is not None else "")
        for asset in model.assets:
            self.assets.add(*asset)
        self.tree = MjcfTree()
        self._masses: list[tuple[str, Inertial, tuple[Visual, ...], Element]] = []
        self._armatures: list[Body] = []
        # names that are made up must not be those of a later element
        self._used_names = {e.attributes["name"] for e in model.root.walk() if "name" in e.attributes} | {GROUND}
        self._line_by_name: dict[tuple[str, str], str] = {}
        self._rigid_body_of: dict[str, str] = {GROUND: GROUND}  # the body with joints that each is rigidly part of
        self._body_count = 0

    def build(self) -> MjcfTree:
        pending: list[_PendingBody] = []
        for world in self.model.worldbodies():
            check_mjcf_attributes(world)
            label = self.defaults.child_class(world, "childclass", MAIN_CLASS)
            parts = self._read_contents(world, GROUND, _ElementContext(self.model.compiler, label))
            if parts.inertial is not None or parts.joints:
                raise world.error("the worldbody is fixed and has neither a joint nor an inertial; put them into a body")
            for _ in parts.geoms:
                self.notes.add("<geom> of the world", "ignored: contacts are not simulated")
            pending += [_PendingBody(*body, GROUND, False) for body in parts.bodies]
        pending.reverse()
        while pending:
            inner_bodies = self._add_body(pending.pop())
            pending.extend(reversed(inner_bodies))
        self._make_bodies()
        return self.tree

    def _add_body(self, pending: _PendingBody) -> list[_PendingBody]:
        element = pending.element
        check_mjcf_attributes(element)
        name = self._name_body(element)
        compiler = pending.context.compiler
        inherited_class = self.defaults.child_class(element, "childclass", pending.context.inherited_class)
        pose = pending.context.frame @ compiler.pose(element)
        self.tree.poses[name] = self.tree.poses[pending.parent] @ pose
        parts = self._read_contents(element, name, _ElementContext(compiler, inherited_class))
        check_joints_of_body(name, parts.joints, element, pending.parent == GROUND)
        self._note_body(element, name)
        is_moving = pending.is_moving or bool(parts.joints)
        self._rigid_body_of[name] = name if parts.joints else self._rigid_body_of[pending.parent]
        self._add_joints(element, name, pending.parent, pose, parts.joints)
        visuals = tuple(x for x in map(self.assets.visual, parts.geoms) if x is not None)
        inertial = self._inertial_of(name, parts, is_moving, compiler)
        if inertial == Inertial() and compiler.boundmass > 0:
            # MuJoCo puts the mass that it makes up at the body's `pos`, though in the body's own frame
            inertial = Inertial(center=number_attributes(element, "pos", 3, v.ZERO))  # type: ignore[arg-type]
        self._masses.append((name, apply_mass_bounds(inertial, compiler), visuals, element))
        return [_PendingBody(*body, name, is_moving) for body in parts.bodies]

    # -- the contents of one body --------------------------------------------------------------------------------------

    def _read_contents(self, body: Element, name: str, context: _ElementContext) -> _BodyContents:
        contents = _BodyContents()
        for element, element_context in self._elements_in_body(body, context):
            if element.tag == "body":
                contents.bodies.append((element, element_context))
            elif element.tag == "inertial":
                if contents.inertial is not None:
                    raise element.error("a body has two inertial elements; it may have one")
                contents.inertial = read_inertial(element, element_context.frame, element_context.compiler)
            elif element.tag in ("joint", "freejoint"):
                # a freejoint is a kind of its own, and so does not take the defaults of joints
                joint_element = self.defaults.apply_defaults(element, element_context.inherited_class)
                contents.joints.append(read_joint(joint_element, element_context.frame, element_context.compiler))
            elif element.tag == "geom":
                contents.geoms.append(
                    read_geom(
                        self.defaults.apply_defaults(element, element_context.inherited_class),
                        element_context.frame,
                        element_context.compiler,
                    )
                )
            elif element.tag == "site":
                self._add_site(self.defaults.apply_defaults(element, element_context.inherited_class), element_context, name)
            elif element.tag == "flexcomp" and boolean(element, "rigid"):  # it adds neither coordinates nor mass
                label = element.attributes.get("name", "")
                self.notes.add("<flexcomp> that is rigid", "ignored: it has an effect on contacts only", label)
            elif element.tag in _UNSUPPORTED:
                raise element.error(f"<{element.tag}> is not supported: {_UNSUPPORTED[element.tag]}")
            elif element.tag == "plugin":
                self.notes.add("<plugin>", "ignored", warn=True)
            elif element.tag in _IGNORED:
                self.notes.add(f"<{element.tag}>", "ignored", element.attributes.get("name", ""))
            else:
                raise element.error(unknown_name_message("element", element.tag, _BODY_ELEMENTS))
        return contents

    def _elements_in_body(self, body: Element, context: _ElementContext) -> Iterator[tuple[Element, _ElementContext]]:
        """The elements in a body, those in frames and those attached too, with what is around each."""
        stack = [(child, context) for child in reversed(body.children)]
        while stack:
            element, element_context = stack.pop()
            if element.tag == "frame":
                check_mjcf_attributes(element)
                if any(key in element.attributes for key in ("scale", "massscale")):
                    raise element.error("a frame that scales its contents is not supported; write the sizes explicitly")
                element_context = replace(element_context, frame=element_context.frame @ element_context.compiler.pose(element))
            elif element.tag == ATTACHED:
                element_context = replace(element_context, compiler=self.model.compilers[int(element.attributes["compiler"])])
            else:
                yield element, element_context
                continue
            child_context = replace(
                element_context, inherited_class=self.defaults.child_class(element, "childclass", element_context.inherited_class)
            )
            stack.extend((child, child_context) for child in reversed(element.children))

    def _add_site(self, element: Element, context: _ElementContext, body: str) -> None:
        check_mjcf_attributes(element)
        end_points = number_attributes(element, "fromto", 6, None)
        if end_points is None:
            placement = context.frame @ context.compiler.pose(element)
        else:
            placement = (
                context.frame
                @ read_geom(element.with_attributes(_capsule_attributes(element)), Transform(), context.compiler).placement
            )
        name = element.attributes.get("name")
        if not name:
            self.notes.add("<site> without a name", "ignored")
            return
        self._check_unique("site", element, name)
        self.tree.sites[name] = (body, placement)

    def _inertial_of(self, name: str, parts: _BodyContents, is_moving: bool, compiler: CompilerSettings) -> Inertial:
        inertia_source = compiler.inertiafromgeom
        if inertia_source == "false" or (inertia_source == "auto" and parts.inertial is not None) or not parts.geoms:
            return parts.inertial or Inertial()
        geoms = parts.geoms
        if not is_moving and self.model.compiler.settotalmass <= 0:  # the mass of what never moves does not matter
            geoms = [g for g in geoms if g.type not in ("mesh", "sdf")]
            if len(geoms) < len(parts.geoms):
                self.notes.add("mesh of a fixed body", "left out: its mass is not computed", name)
        with error_location(*parts.geoms[0].element.where):
            return inertia_from_geoms(name, geoms, compiler, self.assets)

    # -- joints --------------------------------------------------------------------------------------------------------

    def _add_joints(self, body: Element, name: str, parent: str, pose: Transform, joints: list[JointElement]) -> None:
        """The joints of a body in series, with a body of no mass between each two of them."""
        if not joints:
            self._add_joint(Joint(self._free_name(f"{name}__fixed"), "fixed", parent, name, pose), 0.0)
        for k, joint_element in enumerate(joints):
            label = self._name_joint(joint_element.element, name, k)
            is_last = k == len(joints) - 1
            child = name if is_last else self._free_name(f"{name}__{label}")
            joint, ref = build_joint(joint_element, label, parent, child, pose, joint_element.compiler, self.notes)
            self._add_joint(joint, ref)
            if joint_element.type == "free":
                self._add_free_armature(joint_element.element, name)
            time, ratio = number_attributes(joint_element.element, "springdamper", 2, (0.0, 0.0))
            if time > 0 and ratio > 0:
                self.tree.springdampers[label] = (time, ratio)
            if not is_last:
                self.tree.poses[child] = self.tree.poses[name]
                self._masses.append((child, Inertial(), (), body))
            parent, pose = child, Transform()

    def _add_free_armature(self, element: Element, body: str) -> None:
        """MuJoCo adds it to the mass and to the inertia about every axis at the body's origin, but not to its weight."""
        armature = non_negative_number(element, "armature")
        if armature:
            name = self._free_name(f"{body}__armature")
            self._add_joint(Joint(self._free_name(f"{name}__fixed"), "fixed", body, name), 0.0)
            self.tree.poses[name] = self.tree.poses[body]
            self._armatures.append(Body(name, armature, inertia=(armature, 0, 0, armature, 0, armature)))
            self.tree.gravcomp[name] = 1.0

    def _add_joint(self, joint: Joint, ref: float) -> None:
        self.tree.joints.append(joint)
        self.tree.refs.append(ref)

    # -- names ---------------------------------------------------------------------------------------------------------

    def _name_body(self, element: Element) -> str:
        self._body_count += 1
        file_name = element.attributes.get("name")
        if not file_name:
            return self._free_name(f"body{self._body_count}")
        if file_name == "world":
            raise element.error("a body cannot be called 'world', which is the name of the worldbody")
        self._check_unique("body", element, file_name)
        name = file_name
        if name == GROUND:
            name = self._free_name(f"{GROUND}_body")
            self.notes.add(f"body named {GROUND!r}", f"renamed to {name!r}, because {GROUND!r} is the fixed world")
        self.tree.names[file_name] = name
        return name

    def _name_joint(self, element: Element, body: str, k: int) -> str:
        file_name = element.attributes.get("name")
        if not file_name:
            return self._free_name(f"{body}_joint" + (str(k + 1) if k else ""))
        self._check_unique("joint", element, file_name)
        return file_name

    def _check_unique(self, kind: str, element: Element, name: str) -> None:
        """Refuse a name that another element of its kind has."""
        if (kind, name) in self._line_by_name:
            raise element.error(f"a {kind} of this name is already used in {self._line_by_name[kind, name]}; names must differ")
        self._line_by_name[kind, name] = f"line {element.line}"

    def _free_name(self, name: str) -> str:
        while name in self._used_names:
            name += "_"
        self._used_names.add(name)
        return name

    # -- the end -------------------------------------------------------------------------------------------------------

    def _note_body(self, element: Element, name: str) -> None:
        if boolean(element, "mocap"):
            self.notes.add("mocap body", "fixed where it is written", name)
        if number_attribute(element, "gravcomp", 0.0) != 0:
            self.tree.gravcomp[name] = number_attribute(element, "gravcomp")

    def _note_massless(self) -> None:
        """Moving bodies that have no mass, nor carry any rigidly: a forgotten geom, which MuJoCo refuses."""
        masses: dict[str, float] = {}
        for name, inertial, _, _ in self._masses:
            if name in self._rigid_body_of:  # those between two joints of one body are massless by design
                carrier = self._rigid_body_of[name]
                masses[carrier] = masses.get(carrier, 0.0) + inertial.mass
        for name, mass in masses.items():
            if mass == 0 and name != GROUND:
                meaning = "its mass is 0, because it has neither an <inertial> nor a <geom> with a mass; MuJoCo would refuse it"
                self.notes.add("moving body without mass", meaning, name, warn=True)

    def _make_bodies(self) -> None:
        self._note_massless()
        total = sum(inertial.mass for _, inertial, _, _ in self._masses)
        prescribed_mass = self.model.compiler.settotalmass
        factor = prescribed_mass / total if prescribed_mass > 0 and total > 0 else 1
        for name, inertial, visuals, element in self._masses:
            inertia: v.Symmetric = tuple(factor * x for x in inertial.inertia)
            with error_location(*element.where):
                body = body_with_noted_inertia(name, factor * inertial.mass, inertial.center, inertia, visuals, self.notes)
            self.tree.bodies.append(body)
        self.tree.bodies += self._armatures
        bodies = {body.name for body in self.tree.bodies}
        for name, (body_name, placement) in self.tree.sites.items():
            frame = name
            if name in bodies or name == GROUND:  # sites have names of their own in MuJoCo
                frame = self._free_name(f"{name}_site")
                self.notes.add("site with the name of a body", "its frame is called <name>_site", name)
            self.tree.frames.append(Frame(frame, body_name, placement))


def _capsule_attributes(element: Element) -> dict[str, str]:
    """A site between two points stands where a capsule would; its own size does not matter."""
    return {"fromto": element.attributes["fromto"], "type": "capsule", "size": "1"}


# MERGED lagrangian.description.mjcf.joint: MuJoCo's joints as ours. MuJoCo's coordinate of a hinge or slide is `ref` in the
# pose in which the model is written; ours is 0 where the two joint frames coincide. The joint's frame in the parent is
# therefore turned, or shifted, back by `ref`, and the two coordinates are equal.

TYPES = ("hinge", "slide", "ball", "free")
_LIMITED_CHOICES = ("true", "false", "auto")


@dataclass(frozen=True)
class JointElement:
    """A joint element, its defaults applied, and the frame around it in its body."""

    element: Element
    type: str
    frame: Transform
    compiler: CompilerSettings


def read_joint(element: Element, frame: Transform, compiler: CompilerSettings) -> JointElement:
    check_mjcf_attributes(element)
    kind = "free" if element.tag == "freejoint" else choice_attribute(element, "type", TYPES, "hinge")
    return JointElement(element, kind, frame, compiler)


def build_joint(
    joint_element: JointElement,
    name: str,
    parent: str,
    child: str,
    pose: Transform,
    compiler: CompilerSettings,
    notes: ReaderNotes,
) -> tuple[Joint, float]:
    """The joint, and its coordinate in the pose in which the model is written. `pose` is the body's in its parent."""
    element = joint_element.element
    if joint_element.type == "free":
        return _build_free_joint(joint_element, name, parent, child, compiler, notes), 0.0
    anchor = Transform(position=_transform_point(joint_element.frame, number_attributes(element, "pos", 3, v.ZERO)))  # type: ignore[arg-type]
    _note_nonlinear(element, name, notes)
    friction, rotor = _read_friction(element), Rotor(inertia=non_negative_number(element, "armature"))
    spring = JointSpring(number_attributes(element, "stiffness", 3, (0.0,), min_count=1)[0])
    if joint_element.type == "ball":
        _note_ball(element, name, notes)
        with error_location(*element.where):
            joint = Joint(name, "ball", parent, child, pose @ anchor, anchor, friction=friction, rotor=rotor, spring=spring)
            return joint, 0.0
    with error_location(*element.where):
        axis = unit_vector(v.mat_vec(joint_element.frame.rotation, number_attributes(element, "axis", 3, v.Z)), "axis")  # type: ignore[arg-type]
    is_hinge = joint_element.type == "hinge"
    ref, spring_rest = number_attribute(element, "ref", 0.0), number_attribute(element, "springref", 0.0)
    if is_hinge:
        ref, spring_rest = compiler.to_radians(ref), compiler.to_radians(spring_rest)
    ref_offset = Transform()
    if ref:
        ref_offset = Transform(rotation_about(axis, -ref)) if is_hinge else Transform(position=v.scale(-ref, axis))
    limits = _read_limits(element, is_hinge, name, compiler, notes)
    is_unlimited = math.isinf(limits.lower) and math.isinf(limits.upper)
    with error_location(*element.where):
        joint = Joint(
            name,
            ("continuous" if is_unlimited else "revolute") if is_hinge else "prismatic",
            parent,
            child,
            pose @ anchor @ ref_offset,
            anchor,
            axis=axis,
            friction=friction,
            rotor=rotor,
            spring=replace(spring, rest=spring_rest),
            limits=limits,
        )
    return joint, ref


def _transform_point(frame: Transform, p: v.Vector) -> v.Vector:
    return p if frame.is_identity else v.add(frame.position, v.mat_vec(frame.rotation, p))


def _build_free_joint(
    joint_element: JointElement, name: str, parent: str, child: str, compiler: CompilerSettings, notes: ReaderNotes
) -> Joint:
    """A free joint's coordinates are the body's pose in the world, whatever pose the body is written with."""
    element = joint_element.element
    align = choice_attribute(element, "align", _LIMITED_CHOICES, "auto") if element.tag == "freejoint" else "auto"
    if align == "true" or (align == "auto" and compiler.alignfree):
        notes.add(
            "free joint aligned with the inertia",
            "the coordinates are those of the frame of the body as written in the file",
            name,
        )
    if any(number_attributes(element, "stiffness", 3, (0.0,), min_count=1)):
        notes.add("stiffness of a free joint", "ignored", name, warn=True)
    friction = _read_friction(element)
    if friction.coulomb:
        meaning = "acts on the linear speeds along the axes of the body; in MuJoCo, along those of the world"
        notes.add("frictionloss of a free joint", meaning, name, warn=True)
    _note_nonlinear(element, name, notes)
    with error_location(*element.where):
        return Joint(name, "free", parent, child, friction=friction, actuated=False)


def _read_friction(element: Element) -> Friction:
    damping = number_attributes(element, "damping", 3, (0.0,), min_count=1)[0]
    if damping < 0:
        raise element.error(f"damping is {damping:g}; it cannot be negative, or it would drive the joint")
    dry = non_negative_number(element, "frictionloss")
    return Friction(damping, dry, dry)


def non_negative_number(element: Element, attribute: str) -> float:
    value = number_attribute(element, attribute, 0.0)
    if value < 0:
        raise element.error(f"{attribute} is {value:g}; it cannot be negative")
    return value


def _note_nonlinear(element: Element, name: str, notes: ReaderNotes) -> None:
    for attribute in ("damping", "stiffness"):
        if any(number_attributes(element, attribute, 3, (0.0,), min_count=1)[1:]):
            notes.add(f"nonlinear {attribute}", "only its linear part is read", name, warn=True)
    if number_attribute(element, "springyield", 0.0) > 0:
        notes.add("springyield", "ignored: the spring is linear", name, warn=True)


def _note_ball(element: Element, name: str, notes: ReaderNotes) -> None:
    limited_choice = choice_attribute(element, "limited", _LIMITED_CHOICES, "auto")
    if limited_choice == "true" or (
        limited_choice == "auto" and any(number_attributes(element, "range", 2, (0.0, 0.0), infinite=True))
    ):
        notes.add("range of a ball joint", "ignored", name)


def read_range(
    element: Element, attribute: str, limited_attribute: str, compiler: CompilerSettings
) -> tuple[float, float] | None:
    """A range that holds; None where there is none."""
    low, high = number_attributes(element, attribute, 2, (0.0, 0.0), infinite=True)
    limited_choice = choice_attribute(element, limited_attribute, _LIMITED_CHOICES, "auto")
    if limited_choice == "auto" and not compiler.autolimits and attribute in element.attributes:
        raise element.error(
            f'has {attribute} but not {limited_attribute}; with autolimits="false" it needs {limited_attribute}="true"'
        )
    if limited_choice == "true" and not low < high:
        raise element.error(f"{attribute} needs two numbers, the first less than the second, got {low:g} {high:g}")
    return (low, high) if limited_choice == "true" or (limited_choice == "auto" and low < high) else None


def _read_limits(element: Element, is_hinge: bool, name: str, compiler: CompilerSettings, notes: ReaderNotes) -> JointLimits:
    span = read_range(element, "range", "limited", compiler)
    force = read_range(element, "actuatorfrcrange", "actuatorfrclimited", compiler)
    effort = math.inf
    if force is not None:
        effort = max(abs(force[0]), abs(force[1]))
        if force[0] != -force[1]:
            notes.add("actuatorfrcrange with unequal ends", "the larger one is the limit of effort in both directions", name)
    if span is None:
        return JointLimits(effort=effort)
    if element.attributes.get("actuatorgravcomp") == "true":
        notes.add("actuatorgravcomp of a joint", "read as a separate force, which actuatorfrcrange does not limit", name)
    if number_attribute(element, "margin", 0.0):
        notes.add("margin of a joint", "ignored: limits act exactly where they are reached", name)
    low, high = (compiler.to_radians(x) for x in span) if is_hinge else span
    low, high = (read_bound(x) for x in (low, high))
    return JointLimits(low, high, effort=effort)


def check_joints_of_body(name: str, joints: list[JointElement], body: Element, on_world: bool) -> None:
    """What MuJoCo refuses of the joints of one body."""
    if any(g.type == "free" for g in joints):
        if len(joints) > 1:
            raise body.error(f"has a free joint and {len(joints) - 1} more; a free joint must be the body's only joint")
        if not on_world:
            raise body.error("has a free joint but is not a child of the worldbody; move it there, or give it other joints")


def written_coordinates(joint: Joint, ref: float, poses: Mapping[str, Transform]) -> tuple[float, ...]:
    """A joint's coordinates in the pose in which the model is written."""
    if joint.kind.quaternion and joint.kind.nq > 4:
        body_pose = poses[joint.child]
        return (*quaternion_wxyz(body_pose.rotation), *(float(x) for x in body_pose.position))
    return (ref,) if joint.kind.nq == 1 else joint.kind.neutral
