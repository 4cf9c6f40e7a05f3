"""SDF (SDFormat), by the rules of its specification: worlds, models in models, frames, joints that close loops.

What the world does not hold flies free, as SDF means it: a model whose links no joint joins to the world, and that is not static.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import replace

import numpy as np

from lagrangian.description import xml
from lagrangian.description.mimic import without_motors
from lagrangian.description.notes import Notes
from lagrangian.description.sdf.couplings import coupled, gearbox, mimics
from lagrangian.description.sdf.document import Includer, upgrade
from lagrangian.description.sdf.extensions import Extensions, extensions
from lagrangian.description.sdf.frames import NESTED, Frames, Node, Scope, body_name, scope_of
from lagrangian.description.sdf.graph import Trees, root_names, trees
from lagrangian.description.sdf.joint import Hinge, hinges
from lagrangian.description.sdf.link import body, weightless
from lagrangian.description.sdf.schema import check
from lagrangian.description.sdf.values import vector
from lagrangian.description.xml import Element, text
from lagrangian.errors import Argument
from lagrangian.model import vector as v
from lagrangian.model.body import Body
from lagrangian.model.configuration import Initial
from lagrangian.model.constraint import Holonomic
from lagrangian.model.joint import Joint
from lagrangian.model.loop import Frame
from lagrangian.model.mechanism import GROUND, Mechanism
from lagrangian.model.placement import Placement
from lagrangian.model.rotation import quaternion
from lagrangian.model.spring import GravityCompensation

_GRAVITY, _GRAVITY_OF_WORLDS = (0.0, 0.0, -9.81), (0.0, 0.0, -9.8)
_OTHERS = {"robot": "this is URDF, not SDF", "mujoco": "this is a MuJoCo model (MJCF), not SDF"}


def read(path: str | os.PathLike[str], *, floating: bool = True, mimic: bool = True) -> Mechanism:
    """A mechanism from an SDF file and the files that it includes.

    What no joint holds flies free, or is held where it is if `floating` is False. Axes that mimic others are coupled to them
    unless `mimic` is False.
    """
    return _mechanism(xml.read_file(path), floating, mimic, text_only=False)


def read_text(model: str, file: str = "<text>", *, floating: bool = True, mimic: bool = True) -> Mechanism:
    """A mechanism from a text of SDF, which can include no other files; `file` is what its errors call it."""
    return _mechanism(xml.read_text(model, file), floating, mimic, text_only=True)


def _mechanism(root: Element, floating: bool, mimic: bool, *, text_only: bool) -> Mechanism:
    if root.tag != "sdf":
        raise root.error(_OTHERS.get(root.tag, 'an SDF file starts with <sdf version="1.9">'))
    notes = Notes(root.file)
    upgrade(root)
    Includer(notes, text_only).expand(root)
    check(root, notes)
    world, bare = _world(root)
    scope = scope_of(world, bare)
    parts = _Parts(scope, root.file, notes)
    grown = trees(list(parts.poses), parts.hinges, parts.poses, floating, notes)
    _note_bases(grown, floating, notes)
    led = parts.led(grown.joints) if mimic else []
    made = Mechanism(
        name=text(next(scope.nodes("model")).element if bare else world, "name"),
        bodies=(*parts.bodies, *grown.ends),
        joints=tuple(without_motors(grown.joints, {follower for follower, _ in led})),
        loops=(*grown.loops, *parts.extensions.loops),
        constraints=(*parts.gears, *(equation for _, equation in led)),
        springs=(*parts.extensions.springs, *parts.lifted()),
        frames=tuple(parts.frames_on_bodies()),
        gravity=_gravity(root.find("world"), notes),
        initial=_initial(grown.joints, parts.poses),
        notes=notes.lines(),
        file=root.file,
    )
    notes.warn()
    return made


def _world(root: Element) -> tuple[Element, bool]:
    """The world of a file, which is put around models that have none; and whether it is one model alone."""
    worlds, models = root.all("world"), root.all("model")
    if len(worlds) > 1:
        raise root.error(f"has {len(worlds)} worlds; a mechanism is read from one")
    if worlds and models:
        raise models[0].error("is beside a world; put it into the world")
    if worlds:
        text(worlds[0], "name")
        return worlds[0], False
    if not models:
        raise root.error('has no model; it needs one, such as <model name="arm"> with a <link name="base"/>')
    around = Element("world", {"name": text(models[0], "name")}, root.file, 0)  # no line of the file
    around.children = models
    return around, len(models) == 1


class _Parts:
    """The bodies and joints of a document, found scope by scope."""

    def __init__(self, world: Scope, file: str, notes: Notes) -> None:
        self.world, self.notes = world, notes
        self.frames = Frames(world)
        self.poses: dict[str, Placement] = {}
        self.bodies: list[Body] = []
        self.hinges: list[Hinge] = []
        self.extensions = Extensions()
        self._nodes: list[Node] = []
        self._gearboxes: list[Node] = []
        scopes = list(world.scopes())
        self._links = list(world.all("link"))
        for node in self._links:
            name = body_name(node)
            self.bodies.append(body(node, name, self.frames, file, notes))
            self.poses[name] = self.frames.pose(node)
        if not self.bodies:
            outermost = [scope.node.element for scope in scopes if scope.node.element.line]
            if len(scopes) > 1:
                raise outermost[0].error('has no link; a mechanism needs at least one, such as <link name="base"/>')
            notes.add("world without a model", "it contains nothing that moves", warn=True)
        for node in world.all("joint"):
            self._joint(node)
        for scope in scopes:
            if named := scope.node.element.attributes.get("canonical_link"):
                scope.resolve(named, scope.node.element, world=False)
            extensions(scope, self.frames, self.extensions, notes)
        self.hinges += self.extensions.hinges
        geared = (gearbox(node, self.frames, self.hinges, notes) for node in self._gearboxes)
        self.gears = [equation for equation in geared if equation is not None]
        needed = coupled(self._nodes, self.gears)
        self.hinges = [replace(hinge, coupled=hinge.name in needed) for hinge in self.hinges]
        self._weld()
        between = {end for h in self.hinges for end in (h.parent, h.child)} - {GROUND, *self.poses}
        for hinge in self.hinges:  # in their order
            if hinge.child in between:
                self.bodies.append(Body(hinge.child))
                self.poses[hinge.child] = hinge.in_world

    def _joint(self, node: Node) -> None:
        if node.scope is not None and node.scope.static:
            self.notes.add("joint of a static model", "ignored: its links are fixed", node.path)
        elif node.element.attributes.get("type") == "gearbox":
            self._gearboxes.append(node)
        else:
            self._nodes.append(node)
            self.hinges += hinges(node, self.frames, self.notes)

    def _weld(self) -> None:
        """Hold the links that do not move where they are."""
        still = {body_name(node): node for node in self._links if node.still}
        names = root_names(list(still), {hinge.name for hinge in self.hinges})
        self.hinges[:0] = [
            Hinge(names[name], "fixed", GROUND, name, self.poses[name], Placement(), node.element, welded=True)
            for name, node in still.items()
        ]

    def led(self, joints: Iterable[Joint]) -> list[tuple[str, Holonomic]]:
        """The axes that mimic others, and their equations."""
        by_name = {joint.name: joint for joint in joints}
        turned = {h.name for h in self.hinges if h.name in by_name and by_name[h.name].parent != h.parent}
        return mimics(self._nodes, by_name, turned, self.notes)

    def lifted(self) -> list[GravityCompensation]:
        """What carries the links that feel no gravity."""
        heavy = {one.name for one in self.bodies if float(one.mass)}
        names = [body_name(node) for node in self._links if weightless(node)]
        return [GravityCompensation(f"{name}{NESTED}no_gravity", name) for name in names if name in heavy]

    def frames_on_bodies(self) -> list[Frame]:
        """The <frame>s of the document, each on the body that it moves with."""
        found = []
        taken = {GROUND, *self.poses}
        for node in self.world.all("frame"):
            link = self.frames.link(node)
            at = Placement() if link is None else self.frames.pose(link)
            name = node.path
            while name in taken:
                name += "_frame"
            taken.add(name)
            found.append(Frame(name, body_name(link), at.inverse() @ self.frames.pose(node)))
        return found


def _gravity(world: Element | None, notes: Notes) -> v.Vector:
    if world is None:
        return _GRAVITY
    if world.find("gravity") is None:
        notes.add("world without <gravity>", "gravity is 9.8 m/s^2 downwards, as SDF specifies")
    x, y, z = vector(world, "gravity", 3, _GRAVITY_OF_WORLDS)
    return x, y, z


def _note_bases(grown: Trees, floating: bool, notes: Notes) -> None:
    for base in grown.bases:
        held = Argument("floating", False, of="load(path)")
        meaning = f"moves freely, as SDF specifies; {held} fixes it" if floating else "fixed in place"
        notes.add("base that no joint holds", meaning, base)


def _initial(joints: Iterable[Joint], poses: Mapping[str, Placement]) -> Initial:
    """Where the file puts the bases that fly free; all else is where it is written at the neutral configuration."""
    q: list[float] = []
    written = False
    for joint in joints:
        if joint.kind.name != "free":
            q += joint.kind.neutral
            continue
        at = poses[joint.child]
        wxyz = quaternion.from_matrix(np.array(at.rotation, dtype=float)) if at.rotation != v.IDENTITY else joint.kind.neutral[:4]
        q += [*(float(x) for x in wxyz), *(float(x) for x in at.position)]
        written = written or not at.is_identity
    return Initial(q=tuple(q)) if written else Initial()
