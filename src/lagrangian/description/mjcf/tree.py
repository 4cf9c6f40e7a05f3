"""The tree of an MJCF model: its bodies, joints and sites, in the order in which MuJoCo numbers them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace

from lagrangian.description.mjcf.compiler import CompilerSettings, boolean_attribute
from lagrangian.description.mjcf.copies import ATTACHED
from lagrangian.description.mjcf.document import MAIN_CLASS, MjcfModel
from lagrangian.description.mjcf.inertia import (
    Assets,
    Geom,
    Inertial,
    apply_mass_bounds,
    inertia_from_geoms,
    read_geom,
    read_inertial,
)
from lagrangian.description.mjcf.joint import (
    JointElement,
    build_joint,
    check_joints_of_body,
    non_negative_number,
    read_joint_element,
    written_coordinates,
)
from lagrangian.description.notes import body_with_noted_inertia
from lagrangian.description.schema import check_mjcf_attributes
from lagrangian.description.xml import Element, number_attribute, number_attributes
from lagrangian.errors import error_location, unknown_name_message
from lagrangian.model import vector as v
from lagrangian.model.body import Body
from lagrangian.model.frame import Frame
from lagrangian.model.joint import Joint
from lagrangian.model.mechanism import GROUND
from lagrangian.model.placement import Transform
from lagrangian.model.shapes import Visual
from lagrangian.model.spring import GravityCompensation

_UNSUPPORTED = {
    "composite": "write its bodies explicitly",
    "flexcomp": "deformable bodies are not supported",
}
_IGNORED = ("camera", "light")
_BODY_ELEMENTS = ("body", "frame", "inertial", "joint", "freejoint", "geom", "site", "camera", "light", "plugin")


@dataclass
class MjcfTree:
    """The bodies, joints and sites of a model; `poses` and `refs` are those in which the model is written."""

    bodies: list[Body] = field(default_factory=list)
    joints: list[Joint] = field(default_factory=list)
    refs: list[float] = field(default_factory=list)
    frames: list[Frame] = field(default_factory=list)
    sites: dict[str, tuple[str, Transform]] = field(default_factory=dict)
    poses: dict[str, Transform] = field(default_factory=lambda: {GROUND: Transform()})
    names: dict[str, str] = field(default_factory=lambda: {"world": GROUND})  # MuJoCo's name of a body -> ours
    gravcomp: dict[str, float] = field(default_factory=dict)  # the part of a body's weight that is compensated
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
    """The frame around an element in its body, the class that it inherits, and the settings of its model."""

    compiler: CompilerSettings
    inherited_class: str = MAIN_CLASS
    frame: Transform = field(default_factory=Transform)


@dataclass(frozen=True)
class _PendingBody:
    """A body that has not been read yet, with its context and its parent."""

    element: Element
    context: _ElementContext
    parent: str
    is_moving: bool


class TreeBuilder:
    """Reads the bodies of a model one after the other, without recursion."""

    def __init__(self, model: MjcfModel) -> None:
        self.model, self.defaults, self.notes = model, model.defaults, model.notes
        self.assets = Assets(directory=model.folder.directory if model.folder is not None else "")
        for asset in model.assets:
            self.assets.add(*asset)
        self.tree = MjcfTree()
        self._masses: list[tuple[str, Inertial, tuple[Visual, ...], Element]] = []
        self._armatures: list[Body] = []
        # a name made here must not be that of a later element
        self._used_names = {e.attributes["name"] for e in model.root.walk() if "name" in e.attributes} | {GROUND}
        self._line_by_name: dict[tuple[str, str], str] = {}
        self._rigid_body_of: dict[str, str] = {GROUND: GROUND}  # for each body, the body with joints that it is rigidly part of
        self._body_count = 0

    def build(self) -> MjcfTree:
        pending: list[_PendingBody] = []
        for world in self.model.worldbodies():
            check_mjcf_attributes(world)
            label = self.defaults.child_class(world, "childclass", MAIN_CLASS)
            contents = self._read_contents(world, GROUND, _ElementContext(self.model.compiler, label))
            if contents.inertial is not None or contents.joints:
                raise world.error("the worldbody is fixed and has neither a joint nor an inertial; put them into a body")
            for _ in contents.geoms:
                self.notes.add("<geom> of the world", "ignored: contacts are not simulated")
            pending += [_PendingBody(*body, GROUND, False) for body in contents.bodies]
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
        contents = self._read_contents(element, name, _ElementContext(compiler, inherited_class))
        check_joints_of_body(name, contents.joints, element, pending.parent == GROUND)
        self._note_body(element, name)
        is_moving = pending.is_moving or bool(contents.joints)
        self._rigid_body_of[name] = name if contents.joints else self._rigid_body_of[pending.parent]
        self._add_joints(element, name, pending.parent, pose, contents.joints)
        visuals = tuple(x for x in map(self.assets.visual, contents.geoms) if x is not None)
        inertial = self._inertial_of(name, contents, is_moving, compiler)
        if inertial == Inertial() and compiler.boundmass > 0:
            # MuJoCo puts this minimum mass at the body's `pos`, but takes it in the body's own frame
            inertial = Inertial(center=number_attributes(element, "pos", 3, v.ZERO))  # type: ignore[arg-type]
        self._masses.append((name, apply_mass_bounds(inertial, compiler), visuals, element))
        return [_PendingBody(*body, name, is_moving) for body in contents.bodies]

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
                contents.joints.append(read_joint_element(joint_element, element_context.frame, element_context.compiler))
            elif element.tag == "geom":
                geom = self.defaults.apply_defaults(element, element_context.inherited_class)
                contents.geoms.append(read_geom(geom, element_context.frame, element_context.compiler))
            elif element.tag == "site":
                self._add_site(self.defaults.apply_defaults(element, element_context.inherited_class), element_context, name)
            elif element.tag == "flexcomp" and boolean_attribute(element, "rigid"):  # it adds neither coordinates nor mass
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
        """The elements in a body, including those in frames and attached ones, each with its context."""
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
            capsule = read_geom(element.with_attributes(_capsule_attributes(element)), Transform(), context.compiler)
            placement = context.frame @ capsule.placement
        name = element.attributes.get("name")
        if not name:
            self.notes.add("<site> without a name", "ignored")
            return
        self._check_unique("site", element, name)
        self.tree.sites[name] = (body, placement)

    def _inertial_of(self, name: str, contents: _BodyContents, is_moving: bool, compiler: CompilerSettings) -> Inertial:
        inertia_source = compiler.inertiafromgeom
        if inertia_source == "false" or (inertia_source == "auto" and contents.inertial is not None) or not contents.geoms:
            return contents.inertial or Inertial()
        geoms = contents.geoms
        if not is_moving and self.model.compiler.settotalmass <= 0:  # the mass of what never moves does not matter
            geoms = [g for g in geoms if g.type not in ("mesh", "sdf")]
            if len(geoms) < len(contents.geoms):
                self.notes.add("mesh of a fixed body", "left out: its mass is not computed", name)
        with error_location(*contents.geoms[0].element.where):
            return inertia_from_geoms(name, geoms, compiler, self.assets)

    # -- joints --------------------------------------------------------------------------------------------------------

    def _add_joints(self, body: Element, name: str, parent: str, pose: Transform, joints: list[JointElement]) -> None:
        """Add the joints of a body in series, with a massless body between each two of them."""
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
        """Add the armature of a free joint, which in MuJoCo adds to mass and inertia at the body's origin, but not to weight."""
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

    # -- masses, frames and notes --------------------------------------------------------------------------------------

    def _note_body(self, element: Element, name: str) -> None:
        if boolean_attribute(element, "mocap"):
            self.notes.add("mocap body", "fixed where it is written", name)
        if number_attribute(element, "gravcomp", 0.0) != 0:
            self.tree.gravcomp[name] = number_attribute(element, "gravcomp")

    def _note_massless(self) -> None:
        """Note moving bodies without mass, of their own or rigidly attached: MuJoCo refuses them, and a geom may be missing."""
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


def gravity_compensations(tree: MjcfTree, used_names: Iterable[str]) -> list[GravityCompensation]:
    """The gravity compensation of the bodies with `gravcomp` that have mass."""
    compensations, names = [], set(used_names)
    masses = {body.name: body.mass for body in tree.bodies}
    for body, factor in tree.gravcomp.items():
        if not masses[body]:
            continue
        label = f"{body}_gravcomp"
        while label in names:
            label += "_"
        names.add(label)
        compensations.append(GravityCompensation(label, body, factor))
    return compensations


def _capsule_attributes(element: Element) -> dict[str, str]:
    """The attributes of a capsule at the place of a site between two points; its size does not matter."""
    return {"fromto": element.attributes["fromto"], "type": "capsule", "size": "1"}
