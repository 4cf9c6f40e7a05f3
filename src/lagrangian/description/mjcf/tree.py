"""The tree of an MJCF model: bodies, joints, sites, walked without recursion in MuJoCo's own order."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from lagrangian.description.mjcf import joint as mjcf_joint
from lagrangian.description.mjcf.compiler import Compiler, yes
from lagrangian.description.mjcf.copies import ATTACHED, Model
from lagrangian.description.mjcf.document import MAIN
from lagrangian.description.mjcf.inertia import Assets, Geom, Inertial, bounded, from_geoms, geom, inertial
from lagrangian.description.mjcf.schema import check_attributes
from lagrangian.description.notes import tolerant_body
from lagrangian.description.xml import Element, number, numbers
from lagrangian.errors import one_of, placed
from lagrangian.model import vector as v
from lagrangian.model.body import Body
from lagrangian.model.joint import Joint
from lagrangian.model.loop import Frame
from lagrangian.model.mechanism import GROUND
from lagrangian.model.placement import Placement
from lagrangian.model.shapes import Visual

_REFUSED = {
    "composite": "write its bodies explicitly",
    "flexcomp": "deformable bodies are not supported",
}
_IGNORED = ("camera", "light")
_KNOWN = ("body", "frame", "inertial", "joint", "freejoint", "geom", "site", "camera", "light", "plugin")


@dataclass
class Tree:
    """What the walk finds. `poses` are the bodies' in the world as the model is written, `refs` the joints' coordinates then."""

    bodies: list[Body] = field(default_factory=list)
    joints: list[Joint] = field(default_factory=list)
    refs: list[float] = field(default_factory=list)
    frames: list[Frame] = field(default_factory=list)
    sites: dict[str, tuple[str, Placement]] = field(default_factory=dict)
    poses: dict[str, Placement] = field(default_factory=lambda: {GROUND: Placement()})
    names: dict[str, str] = field(default_factory=lambda: {"world": GROUND})  # MuJoCo's name of a body -> ours
    gravcomp: dict[str, float] = field(default_factory=dict)  # the part of its weight that a body does not feel
    springdampers: dict[str, tuple[float, float]] = field(default_factory=dict)  # of joints: a time constant, a damping ratio

    def written_pose(self) -> list[tuple[float, ...]]:
        """The coordinates of each joint in the pose in which the model is written (MuJoCo's qpos0)."""
        return [mjcf_joint.pose_numbers(j, ref, self.poses) for j, ref in zip(self.joints, self.refs, strict=True)]


@dataclass
class _Parts:
    """The contents of one body."""

    inertial: Inertial | None = None
    joints: list[mjcf_joint.Given] = field(default_factory=list)
    geoms: list[Geom] = field(default_factory=list)
    bodies: list[tuple[Element, _Around]] = field(default_factory=list)


@dataclass(frozen=True)
class _Around:
    """What is around an element in its body: the frame, the class that it inherits, and the settings of its model."""

    compiler: Compiler
    inherited: str = MAIN
    frame: Placement = field(default_factory=Placement)


@dataclass(frozen=True)
class _Waiting:
    """A body still to be walked: what is around it, and its parent."""

    element: Element
    around: _Around
    parent: str
    moves: bool


class Walker:
    def __init__(self, model: Model) -> None:
        self.model, self.defaults, self.notes = model, model.defaults, model.notes
        self.assets = Assets(directory=model.folder.directory if model.folder is not None else "")
        for asset in model.assets:
            self.assets.add(*asset)
        self.tree = Tree()
        self._masses: list[tuple[str, Inertial, tuple[Visual, ...], Element]] = []
        self._armatures: list[Body] = []
        # names that are made up must not be those of a later element
        self._taken = {e.attributes["name"] for e in model.root.walk() if "name" in e.attributes} | {GROUND}
        self._lines: dict[tuple[str, str], str] = {}
        self._carrier: dict[str, str] = {GROUND: GROUND}  # the body with joints that each is rigidly part of
        self._count = 0

    def walk(self) -> Tree:
        waiting: list[_Waiting] = []
        for world in self.model.worlds():
            check_attributes(world)
            label = self.defaults.known(world, "childclass", MAIN)
            parts = self._parts(world, GROUND, _Around(self.model.compiler, label))
            if parts.inertial is not None or parts.joints:
                raise world.error("the worldbody is fixed and has neither a joint nor an inertial; put them into a body")
            for _ in parts.geoms:
                self.notes.add("<geom> of the world", "ignored: contacts are not simulated")
            waiting += [_Waiting(*body, GROUND, False) for body in parts.bodies]
        waiting.reverse()
        while waiting:
            inner = self._body(waiting.pop())
            waiting.extend(reversed(inner))
        self._make_bodies()
        return self.tree

    def _body(self, at: _Waiting) -> list[_Waiting]:
        element = at.element
        check_attributes(element)
        name = self._body_name(element)
        compiler = at.around.compiler
        inherited = self.defaults.known(element, "childclass", at.around.inherited)
        pose = at.around.frame @ compiler.pose(element)
        self.tree.poses[name] = self.tree.poses[at.parent] @ pose
        parts = self._parts(element, name, _Around(compiler, inherited))
        mjcf_joint.check_group(name, parts.joints, element, at.parent == GROUND)
        self._note_body(element, name)
        moves = at.moves or bool(parts.joints)
        self._carrier[name] = name if parts.joints else self._carrier[at.parent]
        self._connect(element, name, at.parent, pose, parts.joints)
        visuals = tuple(x for x in map(self.assets.visual, parts.geoms) if x is not None)
        given = self._inertial(name, parts, moves, compiler)
        if given == Inertial() and compiler.boundmass > 0:
            # MuJoCo puts the mass that it makes up at the body's `pos`, though in the body's own frame
            given = Inertial(center=numbers(element, "pos", 3, v.ZERO))  # type: ignore[arg-type]
        self._masses.append((name, bounded(given, compiler), visuals, element))
        return [_Waiting(*body, name, moves) for body in parts.bodies]

    # -- the contents of one body --------------------------------------------------------------------------------------

    def _parts(self, body: Element, name: str, around: _Around) -> _Parts:
        parts = _Parts()
        for element, at in self._contents(body, around):
            if element.tag == "body":
                parts.bodies.append((element, at))
            elif element.tag == "inertial":
                if parts.inertial is not None:
                    raise element.error("a body has two inertial elements; it may have one")
                parts.inertial = inertial(element, at.frame, at.compiler)
            elif element.tag in ("joint", "freejoint"):
                # a freejoint is a kind of its own, and so does not take the defaults of joints
                applied = self.defaults.applied(element, at.inherited)
                parts.joints.append(mjcf_joint.given(applied, at.frame, at.compiler))
            elif element.tag == "geom":
                parts.geoms.append(geom(self.defaults.applied(element, at.inherited), at.frame, at.compiler))
            elif element.tag == "site":
                self._site(self.defaults.applied(element, at.inherited), at, name)
            elif element.tag == "flexcomp" and yes(element, "rigid"):  # it adds neither coordinates nor mass
                label = element.attributes.get("name", "")
                self.notes.add("<flexcomp> that is rigid", "ignored: it has an effect on contacts only", label)
            elif element.tag in _REFUSED:
                raise element.error(f"<{element.tag}> is not supported: {_REFUSED[element.tag]}")
            elif element.tag == "plugin":
                self.notes.add("<plugin>", "ignored", warn=True)
            elif element.tag in _IGNORED:
                self.notes.add(f"<{element.tag}>", "ignored", element.attributes.get("name", ""))
            else:
                raise element.error(one_of("element", element.tag, _KNOWN))
        return parts

    def _contents(self, body: Element, around: _Around) -> Iterator[tuple[Element, _Around]]:
        """The elements in a body, those in frames and those attached too, with what is around each."""
        stack = [(child, around) for child in reversed(body.children)]
        while stack:
            element, at = stack.pop()
            if element.tag == "frame":
                check_attributes(element)
                if any(key in element.attributes for key in ("scale", "massscale")):
                    raise element.error("a frame that scales its contents is not supported; write the sizes explicitly")
                at = replace(at, frame=at.frame @ at.compiler.pose(element))
            elif element.tag == ATTACHED:
                at = replace(at, compiler=self.model.compilers[int(element.attributes["compiler"])])
            else:
                yield element, at
                continue
            inner = replace(at, inherited=self.defaults.known(element, "childclass", at.inherited))
            stack.extend((child, inner) for child in reversed(element.children))

    def _site(self, element: Element, at: _Around, body: str) -> None:
        check_attributes(element)
        ends = numbers(element, "fromto", 6, None)
        if ends is None:
            placement = at.frame @ at.compiler.pose(element)
        else:
            placement = at.frame @ geom(element.with_attributes(_as_capsule(element)), Placement(), at.compiler).placement
        name = element.attributes.get("name")
        if not name:
            self.notes.add("<site> without a name", "ignored")
            return
        self._first("site", element, name)
        self.tree.sites[name] = (body, placement)

    def _inertial(self, name: str, parts: _Parts, moves: bool, compiler: Compiler) -> Inertial:
        how = compiler.inertiafromgeom
        if how == "false" or (how == "auto" and parts.inertial is not None) or not parts.geoms:
            return parts.inertial or Inertial()
        geoms = parts.geoms
        if not moves and self.model.compiler.settotalmass <= 0:  # the mass of what never moves does not matter
            geoms = [g for g in geoms if g.type not in ("mesh", "sdf")]
            if len(geoms) < len(parts.geoms):
                self.notes.add("mesh of a fixed body", "left out: its mass is not computed", name)
        with placed(*parts.geoms[0].element.where):
            return from_geoms(name, geoms, compiler, self.assets)

    # -- joints --------------------------------------------------------------------------------------------------------

    def _connect(self, body: Element, name: str, parent: str, pose: Placement, joints: list[mjcf_joint.Given]) -> None:
        """The joints of a body in series, with a body of no mass between each two of them."""
        if not joints:
            self._add(Joint(self._new(f"{name}__fixed"), "fixed", parent, name, pose), 0.0)
        for k, given in enumerate(joints):
            label = self._joint_name(given.element, name, k)
            last = k == len(joints) - 1
            child = name if last else self._new(f"{name}__{label}")
            made, ref = mjcf_joint.joint(given, label, parent, child, pose, given.compiler, self.notes)
            self._add(made, ref)
            if given.type == "free":
                self._free_armature(given.element, name)
            time, ratio = numbers(given.element, "springdamper", 2, (0.0, 0.0))
            if time > 0 and ratio > 0:
                self.tree.springdampers[label] = (time, ratio)
            if not last:
                self.tree.poses[child] = self.tree.poses[name]
                self._masses.append((child, Inertial(), (), body))
            parent, pose = child, Placement()

    def _free_armature(self, element: Element, body: str) -> None:
        """MuJoCo adds it to the mass and to the inertia about every axis at the body's origin, but not to its weight."""
        armature = mjcf_joint.not_negative(element, "armature")
        if armature:
            name = self._new(f"{body}__armature")
            self._add(Joint(self._new(f"{name}__fixed"), "fixed", body, name), 0.0)
            self.tree.poses[name] = self.tree.poses[body]
            self._armatures.append(Body(name, armature, inertia=(armature, 0, 0, armature, 0, armature)))
            self.tree.gravcomp[name] = 1.0

    def _add(self, joint: Joint, ref: float) -> None:
        self.tree.joints.append(joint)
        self.tree.refs.append(ref)

    # -- names ---------------------------------------------------------------------------------------------------------

    def _body_name(self, element: Element) -> str:
        self._count += 1
        given = element.attributes.get("name")
        if not given:
            return self._new(f"body{self._count}")
        if given == "world":
            raise element.error("a body cannot be called 'world', which is the name of the worldbody")
        self._first("body", element, given)
        name = given
        if name == GROUND:
            name = self._new(f"{GROUND}_body")
            self.notes.add(f"body named {GROUND!r}", f"renamed to {name!r}, because {GROUND!r} is the fixed world")
        self.tree.names[given] = name
        return name

    def _joint_name(self, element: Element, body: str, k: int) -> str:
        given = element.attributes.get("name")
        if not given:
            return self._new(f"{body}_joint" + (str(k + 1) if k else ""))
        self._first("joint", element, given)
        return given

    def _first(self, kind: str, element: Element, name: str) -> None:
        """Refuse a name that another element of its kind has."""
        if (kind, name) in self._lines:
            raise element.error(f"a {kind} of this name is already used in {self._lines[kind, name]}; names must differ")
        self._lines[kind, name] = f"line {element.line}"

    def _new(self, name: str) -> str:
        while name in self._taken:
            name += "_"
        self._taken.add(name)
        return name

    # -- the end -------------------------------------------------------------------------------------------------------

    def _note_body(self, element: Element, name: str) -> None:
        if yes(element, "mocap"):
            self.notes.add("mocap body", "fixed where it is written", name)
        if number(element, "gravcomp", 0.0) != 0:
            self.tree.gravcomp[name] = number(element, "gravcomp")

    def _note_massless(self) -> None:
        """Moving bodies that have no mass, nor carry any rigidly: a forgotten geom, which MuJoCo refuses."""
        masses: dict[str, float] = {}
        for name, given, _, _ in self._masses:
            if name in self._carrier:  # those between two joints of one body are massless by design
                carrier = self._carrier[name]
                masses[carrier] = masses.get(carrier, 0.0) + given.mass
        for name, mass in masses.items():
            if mass == 0 and name != GROUND:
                meaning = "its mass is 0, because it has neither an <inertial> nor a <geom> with a mass; MuJoCo would refuse it"
                self.notes.add("moving body without mass", meaning, name, warn=True)

    def _make_bodies(self) -> None:
        self._note_massless()
        total = sum(given.mass for _, given, _, _ in self._masses)
        whole = self.model.compiler.settotalmass
        factor = whole / total if whole > 0 and total > 0 else 1
        for name, given, visuals, element in self._masses:
            inertia: v.Symmetric = tuple(factor * x for x in given.inertia)
            with placed(*element.where):
                body = tolerant_body(name, factor * given.mass, given.center, inertia, visuals, self.notes)
            self.tree.bodies.append(body)
        self.tree.bodies += self._armatures
        bodies = {body.name for body in self.tree.bodies}
        for name, (on, placement) in self.tree.sites.items():
            frame = name
            if name in bodies or name == GROUND:  # sites have names of their own in MuJoCo
                frame = self._new(f"{name}_site")
                self.notes.add("site with the name of a body", "its frame is called <name>_site", name)
            self.tree.frames.append(Frame(frame, on, placement))


def _as_capsule(element: Element) -> dict[str, str]:
    """A site between two points stands where a capsule would; its own size does not matter."""
    return {"fromto": element.attributes["fromto"], "type": "capsule", "size": "1"}
