"""Spanning trees of the joints of an SDF: which joints make the trees of the mechanism, and which close loops.

SDF leaves this open: a link may be the child of several joints, and joints may form loops in any way. A loop is closed by a joint
that a loop joint can stand for, if it has one: a joint of a type that loops have, without friction, limits or springs. Otherwise
the joint of the loop that is last in the file closes it. A joint that no loop joint can stand for keeps everything that sits at
it: it moves an extra body without mass, which is welded to the link.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from lagrangian.description.notes import ReaderNotes
from lagrangian.description.sdf.frames import SCOPE_SEPARATOR
from lagrangian.description.sdf.joint import JointEdge
from lagrangian.errors import error_location
from lagrangian.model import loops as loop_types
from lagrangian.model.body import Body
from lagrangian.model.joint import Friction, Joint
from lagrangian.model.loop import LoopJoint
from lagrangian.model.mechanism import GROUND
from lagrangian.model.placement import Transform

ROOT_JOINT = "root_joint"
_SWAPPED_NOTE = "parent and child are exchanged in the tree; a single coordinate keeps its sign"
_DAMPING_NOTE = "the damping acts on the speeds of the child relative to the parent; exchange parent and child in the file"
_LOOPS = {name: name for name in loop_types.TYPES} | {"continuous": "revolute"}


@dataclass
class SpanningTrees:
    """The joints of all trees, the loops, and the extra bodies at which loops are cut."""

    joints: list[Joint]
    loops: list[LoopJoint]
    cut_bodies: list[Body]
    bases: list[str]  # the bodies that no joint of the file connects to the ground


def spanning_trees(
    bodies: Sequence[str], edges: Iterable[JointEdge], poses: dict[str, Transform], floating: bool, notes: ReaderNotes
) -> SpanningTrees:
    """The trees on the ground that joints and bodies make; `poses` are those in which the file has the bodies."""
    edges = list(edges)
    groups = _UnionFind()
    tree_edges = [edge for edge in sorted(edges, key=_rank) if groups.join(edge.parent, edge.child)]
    tree_edge_ids = {id(edge) for edge in tree_edges}
    loops: list[LoopJoint] = []
    cut_bodies: list[Body] = []
    for edge in edges:
        if id(edge) in tree_edge_ids:
            continue
        loop, cut_edge = _close_loop(edge, notes)
        loops.append(loop)
        if cut_edge is not None:
            tree_edges.append(cut_edge)
            cut_bodies.append(Body(cut_edge.child))
    bodies = [*bodies, *(body.name for body in cut_bodies)]
    joints, bases = _tree_joints(bodies, tree_edges, {edge.name: k for k, edge in enumerate(edges)}, poses, floating)
    edges_by_name = {edge.name: edge for edge in tree_edges}
    for joint in joints:
        if joint.name in edges_by_name and joint.child != edges_by_name[joint.name].child:
            notes.add("joint whose child is nearer to the ground", _SWAPPED_NOTE, joint.name)
            if joint.type == "planar" and joint.friction != Friction():
                notes.add("damping of a planar joint that is swapped", _DAMPING_NOTE, joint.name, warn=True)
    return SpanningTrees(joints, loops, cut_bodies, bases)


class _UnionFind:
    """Groups of bodies that joints connect (union-find)."""

    def __init__(self) -> None:
        self._parent: dict[str, str] = {}

    def find(self, body: str) -> str:
        path = []
        while (parent := self._parent.get(body, body)) != body:
            path.append(body)
            body = parent
        for node in path:
            self._parent[node] = body
        return body

    def join(self, a: str, b: str) -> bool:
        """Join the groups of two bodies; return whether the groups were different."""
        a, b = self.find(a), self.find(b)
        if a == b:
            return False
        self._parent[b] = a
        return True


def _rank(edge: JointEdge) -> int:
    """The order in which joints are taken into the trees: the last ones close loops."""
    if edge.is_weld:
        return -1
    return 2 if edge.must_close_loop else 1 if edge.can_be_loop_joint and edge.type in _LOOPS else 0


# -- loops -------------------------------------------------------------------------------------------------------------


def _close_loop(edge: JointEdge, notes: ReaderNotes) -> tuple[LoopJoint, JointEdge | None]:
    """The loop joint of a joint's own type; or the weld of an extra body, and the joint that moves this body."""
    element = edge.element
    with error_location(*element.where):
        if edge.can_be_loop_joint and edge.type in _LOOPS:
            axes = {key: x for key, x in edge.type_entries.items() if key in ("axis", "axis2")}
            notes.add("joint that closes a loop", "read as a loop joint", edge.name)
            loop = LoopJoint(edge.name, _LOOPS[edge.type], edge.parent, edge.child, edge.placement, edge.child_placement, **axes)
            return loop, None
        cut_body = f"{edge.name}{SCOPE_SEPARATOR}end"
        notes.add("joint that closes a loop", "read as a joint to an extra body, which is welded to the link", edge.name)
        weld = LoopJoint(f"{edge.name}{SCOPE_SEPARATOR}weld", "fixed", cut_body, edge.child)
    return weld, replace(edge, child=cut_body)


# -- trees -------------------------------------------------------------------------------------------------------------


def root_joint_names(bases: Sequence[str], used_names: set[str]) -> dict[str, str]:
    """Names of the joints between bases and the ground: `root_joint`, or the base's model and this where there are several."""
    scopes = [base.rpartition(SCOPE_SEPARATOR)[0] for base in bases]
    count = Counter(scopes)
    names: dict[str, str] = {}
    for base, scope in zip(bases, scopes, strict=True):
        prefix = base if count[scope] > 1 else scope
        name = f"{prefix}{SCOPE_SEPARATOR}{ROOT_JOINT}" if prefix else ROOT_JOINT
        while name in used_names:
            name += "_"
        used_names.add(name)
        names[base] = name
    return names


def _tree_joints(
    bodies: Sequence[str],
    tree_edges: Sequence[JointEdge],
    order: dict[str, int],
    poses: dict[str, Transform],
    floating: bool,
) -> tuple[list[Joint], list[str]]:
    """The joints of all trees, each tree's root joint first and then the others in the order of the file; and the bases."""
    edges_of_body: dict[str, list[JointEdge]] = {}
    for edge in tree_edges:
        edges_of_body.setdefault(edge.parent, []).append(edge)
        edges_of_body.setdefault(edge.child, []).append(edge)
    child_bodies = {edge.child for edge in tree_edges}
    on_ground = {edge.child if edge.parent == GROUND else edge.parent for edge in edges_of_body.get(GROUND, ())}
    visited_bodies = {GROUND}
    rooted_trees: list[tuple[str, str, list[JointEdge]]] = []
    for body in bodies:
        if body in visited_bodies:
            continue
        tree = _connected_bodies(body, edges_of_body)
        body_on_ground = next((b for b in tree if b in on_ground), "")
        root = body_on_ground or next((b for b in tree if b not in child_bodies), body)
        rooted_trees.append(
            (root, "" if body_on_ground else root, _outward_edges(GROUND if body_on_ground else root, set(tree), edges_of_body))
        )
        visited_bodies.update(tree)
    bases = [base for _, base, _ in rooted_trees if base]
    names = root_joint_names(bases, {edge.name for edge in tree_edges})
    joints: list[Joint] = []
    for _, base, edges in rooted_trees:
        if base:
            joints.append(_root_joint(names[base], base, poses[base], floating))
        joints += [_to_joint(edge) for edge in sorted(edges, key=lambda edge: order[edge.name])]
    return joints, bases


def _connected_bodies(body: str, edges_of_body: dict[str, list[JointEdge]]) -> list[str]:
    """The bodies that joints connect with one, which comes first; without the ground."""
    visited_bodies = {body: None}
    stack = [body]
    while stack:
        current = stack.pop()
        for edge in edges_of_body.get(current, ()):
            neighbour = edge.child if edge.parent == current else edge.parent
            if neighbour != GROUND and neighbour not in visited_bodies:
                visited_bodies[neighbour] = None
                stack.append(neighbour)
    return list(visited_bodies)


def _outward_edges(root: str, tree: set[str], edges_of_body: dict[str, list[JointEdge]]) -> list[JointEdge]:
    """The joints of a tree, each from the body nearer to the root to the other."""
    edges: list[JointEdge] = []
    visited_bodies = {root}
    stack = [root]
    while stack:
        current = stack.pop()
        for edge in edges_of_body.get(current, ()):
            neighbour = edge.child if edge.parent == current else edge.parent
            if neighbour in tree and neighbour not in visited_bodies:
                visited_bodies.add(neighbour)
                stack.append(neighbour)
                edges.append(edge if edge.parent == current else edge.reverse())
    return edges


def _root_joint(name: str, body: str, pose: Transform, floating: bool) -> Joint:
    """The joint of a base to the ground: a free joint, whose coordinates are the pose in the world, or a fixed one."""
    if floating:
        return Joint(name, "free", GROUND, body, actuated=False)
    return Joint(name, "fixed", GROUND, body, pose)


def _to_joint(edge: JointEdge) -> Joint:
    with error_location(*edge.element.where):
        return Joint(
            edge.name,
            edge.type,
            edge.parent,
            edge.child,
            edge.placement,
            edge.child_placement,
            **edge.type_entries,
            **edge.properties,
            actuated=edge.actuated,
        )
