"""Read an SDF (SDFormat) by the rules of its specification: worlds, models in models, frames, joints that close loops.

As SDF specifies, a model moves freely if no joint connects it to the world and it is not static.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

import numpy as np

from lagrangian.description import xml
from lagrangian.description.joint_properties import with_passive_followers
from lagrangian.description.notes import ReaderNotes
from lagrangian.description.schema import check_sdf_schema
from lagrangian.description.sdf.couplings import coupled_joints, gearbox_constraint, mimic_constraints
from lagrangian.description.sdf.document import IncludeExpander, upgrade
from lagrangian.description.sdf.extensions import ExtensionReader
from lagrangian.description.sdf.frames import SCOPE_SEPARATOR, FrameGraph, FrameNode, Scope, body_name, build_scopes
from lagrangian.description.sdf.joint import JointEdge, read_joint_edges
from lagrangian.description.sdf.link import is_weightless, read_body
from lagrangian.description.sdf.spanning_trees import SpanningTrees, root_joint_names, spanning_trees
from lagrangian.description.sdf.values import child_vector
from lagrangian.description.xml import Element, text_attribute
from lagrangian.errors import ArgumentName
from lagrangian.model import vector as v
from lagrangian.model.body import Body
from lagrangian.model.constraint import HolonomicConstraint
from lagrangian.model.frame import Frame
from lagrangian.model.initial_state import InitialState
from lagrangian.model.joint import Joint
from lagrangian.model.mechanism import GROUND, Mechanism
from lagrangian.model.placement import Transform
from lagrangian.model.rotation import quaternion
from lagrangian.model.spring import GravityCompensation

_GRAVITY_WITHOUT_WORLD = (0.0, 0.0, -9.81)  # the default of a mechanism
_DEFAULT_WORLD_GRAVITY = (0.0, 0.0, -9.8)  # what SDF specifies where a world has no <gravity>
_OTHER_FORMATS = {"robot": "this is URDF, not SDF", "mujoco": "this is a MuJoCo model (MJCF), not SDF"}


def read(path: str | os.PathLike[str], *, floating: bool = True, mimic: bool = True) -> Mechanism:
    """A mechanism from an SDF file and the files that it includes.

    Models that no joint connects to the world move freely, or are fixed in place if `floating` is False. Axes that mimic others
    are coupled to them unless `mimic` is False.
    """
    return _read_mechanism(xml.read_file(path), floating, mimic, forbid_includes=False)


def read_text(model: str, file: str = "<text>", *, floating: bool = True, mimic: bool = True) -> Mechanism:
    """A mechanism from a text of SDF, which can include no other files; `file` is what its errors call it."""
    return _read_mechanism(xml.read_text(model, file), floating, mimic, forbid_includes=True)


def _read_mechanism(root: Element, floating: bool, mimic: bool, *, forbid_includes: bool) -> Mechanism:
    if root.tag != "sdf":
        raise root.error(_OTHER_FORMATS.get(root.tag, 'an SDF file starts with <sdf version="1.9">'))
    notes = ReaderNotes(root.file)
    upgrade(root)
    IncludeExpander(notes, forbid_includes).expand(root)
    check_sdf_schema(root, notes)
    world, is_single_model = _find_world(root)
    scope = build_scopes(world, is_single_model)
    document = _read_document(scope, root.file, notes)
    trees = spanning_trees(list(document.poses), document.edges, document.poses, floating, notes)
    _note_unheld_bases(trees, floating, notes)
    mimic_equations = document.mimic_constraints(trees.joints) if mimic else []
    mechanism = Mechanism(
        name=text_attribute(next(scope.nodes("model")).element if is_single_model else world, "name"),
        bodies=(*document.bodies, *trees.cut_bodies),
        joints=tuple(with_passive_followers(trees.joints, {follower for follower, _ in mimic_equations})),
        loops=(*trees.loops, *document.extensions.loops),
        constraints=(*document.gear_constraints, *(equation for _, equation in mimic_equations)),
        springs=(*document.extensions.springs, *document.gravity_compensations()),
        frames=tuple(document.frames_on_bodies()),
        gravity=_read_gravity(root.find("world"), notes),
        initial=_initial_state(trees.joints, document.poses),
        notes=notes.lines(),
        file=root.file,
    )
    notes.warn()
    return mechanism


def _find_world(root: Element) -> tuple[Element, bool]:
    """The world of a file, or a new one around models without a world; and whether the file is a single model."""
    worlds, models = root.find_all("world"), root.find_all("model")
    if len(worlds) > 1:
        raise root.error(f"has {len(worlds)} worlds; a mechanism is read from one")
    if worlds and models:
        raise models[0].error("is beside a world; put it into the world")
    if worlds:
        text_attribute(worlds[0], "name")
        return worlds[0], False
    if not models:
        raise root.error('has no model; it needs one, such as <model name="arm"> with a <link name="base"/>')
    world = Element("world", {"name": text_attribute(models[0], "name")}, root.file, 0)  # no line of the file
    world.children = models
    return world, len(models) == 1


@dataclass(frozen=True)
class _Document:
    """The bodies, joints and extensions of a document."""

    world: Scope
    notes: ReaderNotes
    frames: FrameGraph
    link_nodes: list[FrameNode]
    joint_nodes: list[FrameNode]
    bodies: list[Body]
    poses: dict[str, Transform]  # of the bodies in the world
    edges: list[JointEdge]
    gear_constraints: list[HolonomicConstraint]
    extensions: ExtensionReader

    def mimic_constraints(self, joints: Iterable[Joint]) -> list[tuple[str, HolonomicConstraint]]:
        """The axes that mimic others, and their equations."""
        joints_by_name = {joint.name: joint for joint in joints}
        reversed_joints = {
            edge.name for edge in self.edges if edge.name in joints_by_name and joints_by_name[edge.name].parent != edge.parent
        }
        return mimic_constraints(self.joint_nodes, joints_by_name, reversed_joints, self.notes)

    def gravity_compensations(self) -> list[GravityCompensation]:
        """The compensation of the links without gravity."""
        bodies_with_mass = {body.name for body in self.bodies if float(body.mass)}
        weightless_bodies = [body_name(node) for node in self.link_nodes if is_weightless(node)]
        return [
            GravityCompensation(f"{name}{SCOPE_SEPARATOR}no_gravity", name)
            for name in weightless_bodies
            if name in bodies_with_mass
        ]

    def frames_on_bodies(self) -> list[Frame]:
        """The <frame>s of the document, each on the body that it moves with."""
        frames = []
        used_names = {GROUND, *self.poses}
        for node in self.world.all_nodes("frame"):
            link = self.frames.link(node)
            link_pose = Transform() if link is None else self.frames.pose(link)
            name = node.path
            while name in used_names:
                name += "_frame"
            used_names.add(name)
            frames.append(Frame(name, body_name(link), link_pose.inverse() @ self.frames.pose(node)))
        return frames


def _read_document(world: Scope, file: str, notes: ReaderNotes) -> _Document:
    """Read all models of a world. Links come first, because joints are between them."""
    frames = FrameGraph(world)
    link_nodes = list(world.all_nodes("link"))
    bodies: list[Body] = []
    poses: dict[str, Transform] = {}
    for node in link_nodes:
        name = body_name(node)
        bodies.append(read_body(node, name, frames, file, notes))
        poses[name] = frames.pose(node)
    if not bodies:
        _note_empty_world(world, notes)
    edges: list[JointEdge] = []
    joint_nodes: list[FrameNode] = []
    gearbox_nodes: list[FrameNode] = []
    for node in world.all_nodes("joint"):
        if node.scope is not None and node.scope.static:
            notes.add("joint of a static model", "ignored: its links are fixed", node.path)
        elif node.element.attributes.get("type") == "gearbox":
            gearbox_nodes.append(node)
        else:
            joint_nodes.append(node)
            edges += read_joint_edges(node, frames, notes)
    extensions = ExtensionReader(frames, notes)
    for scope in world.scopes():
        if canonical_link := scope.node.element.attributes.get("canonical_link"):
            scope.resolve(canonical_link, scope.node.element, world=False)
        extensions.read(scope)
    edges += extensions.edges
    gear_equations = (gearbox_constraint(node, frames, edges, notes) for node in gearbox_nodes)
    gear_constraints = [equation for equation in gear_equations if equation is not None]
    coupled_names = coupled_joints(joint_nodes, gear_constraints)
    edges = [replace(edge, is_coupled=edge.name in coupled_names) for edge in edges]
    edges = [*_static_welds(link_nodes, poses, edges), *edges]
    intermediate_bodies = {end for edge in edges for end in (edge.parent, edge.child)} - {GROUND, *poses}
    for edge in edges:
        if edge.child in intermediate_bodies:
            bodies.append(Body(edge.child))
            poses[edge.child] = edge.world_placement
    return _Document(world, notes, frames, link_nodes, joint_nodes, bodies, poses, edges, gear_constraints, extensions)


def _note_empty_world(world: Scope, notes: ReaderNotes) -> None:
    """Note a world that has no links; a model without a link is an error."""
    scopes = list(world.scopes())
    if len(scopes) > 1:
        model = next(scope.node.element for scope in scopes if scope.node.element.line)
        raise model.error('has no link; a mechanism needs at least one, such as <link name="base"/>')
    notes.add("world without a model", "it contains nothing that moves", warn=True)


def _static_welds(link_nodes: Iterable[FrameNode], poses: Mapping[str, Transform], edges: Iterable[JointEdge]) -> list[JointEdge]:
    """Fixed joints between the ground and the static links."""
    static_links = {body_name(node): node for node in link_nodes if node.is_static}
    joint_names = root_joint_names(list(static_links), {edge.name for edge in edges})
    return [
        JointEdge(joint_names[name], "fixed", GROUND, name, poses[name], Transform(), node.element, is_weld=True)
        for name, node in static_links.items()
    ]


def _read_gravity(world: Element | None, notes: ReaderNotes) -> v.Vector:
    if world is None:
        return _GRAVITY_WITHOUT_WORLD
    if world.find("gravity") is None:
        notes.add("world without <gravity>", "gravity is 9.8 m/s^2 downwards, as SDF specifies")
    x, y, z = child_vector(world, "gravity", 3, _DEFAULT_WORLD_GRAVITY)
    return x, y, z


def _note_unheld_bases(trees: SpanningTrees, floating: bool, notes: ReaderNotes) -> None:
    for base in trees.bases:
        option = ArgumentName("floating", False, call="load(path)")
        meaning = f"moves freely, as SDF specifies; {option} fixes it" if floating else "fixed in place"
        notes.add("base that no joint holds", meaning, base)


def _initial_state(joints: Iterable[Joint], poses: Mapping[str, Transform]) -> InitialState:
    """The poses of the bases that move freely; all other joints are neutral in the pose of the file."""
    q: list[float] = []
    is_displaced = False
    for joint in joints:
        if joint.kind.name != "free":
            q += joint.kind.neutral
            continue
        pose = poses[joint.child]
        wxyz = (
            quaternion.from_matrix(np.array(pose.rotation, dtype=float))
            if pose.rotation != v.IDENTITY
            else joint.kind.neutral[:4]
        )
        q += [*(float(x) for x in wxyz), *(float(x) for x in pose.position)]
        is_displaced = is_displaced or not pose.is_identity
    return InitialState(q=tuple(q)) if is_displaced else InitialState()
