"""Which joints of an SDF make the trees of the mechanism, and which close loops.

SDF does not say: a link may be the child of several joints, and joints may form loops in any way. If there is a choice, a joint
closes a loop that a loop joint can stand for: one of a type that loops have, with nothing at it; else it is the last in the file.
Where none such is left, the loop is cut through the link: the joint moves an end of its own, without mass, that is welded to the
link. So everything that sits at the joint is kept.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from lagrangian.description.notes import ReaderNotes
from lagrangian.description.sdf.frames import SCOPE_SEPARATOR, FrameGraph, FrameNode, body_name
from lagrangian.description.sdf.joint import IGNORED, JointEdge, axis_in_world, joined_links, mimic_elements
from lagrangian.description.sdf.values import child_number, child_text
from lagrangian.description.xml import Element, text_attribute
from lagrangian.description.xml import number_attribute as attribute
from lagrangian.errors import error_location, unknown_name_message
from lagrangian.model import loops as loop_types
from lagrangian.model import vector as v
from lagrangian.model.body import Body
from lagrangian.model.constraint import HolonomicConstraint
from lagrangian.model.expression import Scalar, free_symbols, symbol
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
    """The joints of all trees, their loops, and the ends that loops are cut at."""

    joints: list[Joint] = field(default_factory=list)
    loops: list[LoopJoint] = field(default_factory=list)
    cut_bodies: list[Body] = field(default_factory=list)
    bases: list[str] = field(default_factory=list)  # the bodies that no joint of the file holds


class _UnionFind:
    """Which bodies hang together (union-find)."""

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
        """Whether the two were apart."""
        a, b = self.find(a), self.find(b)
        if a == b:
            return False
        self._parent[b] = a
        return True


def spanning_trees(
    bodies: Sequence[str], edges: Iterable[JointEdge], poses: dict[str, Transform], floating: bool, notes: ReaderNotes
) -> SpanningTrees:
    """The trees on the ground that joints and bodies make; `poses` are those of the bodies as the file is written."""
    edges = list(edges)
    trees = SpanningTrees()
    groups = _UnionFind()
    tree_edges = [h for h in sorted(edges, key=_rank) if groups.join(h.parent, h.child)]
    tree_edge_ids = {id(h) for h in tree_edges}
    for edge in edges:
        if id(edge) not in tree_edge_ids:
            cut_edge = _close_loop(edge, trees, notes)
            if cut_edge is not None:
                tree_edges.append(cut_edge)
                bodies = [*bodies, cut_edge.child]
    _build_trees(bodies, tree_edges, {h.name: k for k, h in enumerate(edges)}, poses, floating, trees)
    edges_by_name = {h.name: h for h in tree_edges}
    for joint in trees.joints:
        if joint.name in edges_by_name and joint.child != edges_by_name[joint.name].child:
            notes.add("joint whose child is nearer to the ground", _SWAPPED_NOTE, joint.name)
            if joint.type == "planar" and joint.friction != Friction():
                notes.add("damping of a planar joint that is swapped", _DAMPING_NOTE, joint.name, warn=True)
    return trees


def _rank(edge: JointEdge) -> int:
    """Those that are better not cut come first."""
    if edge.is_weld:
        return -1
    return 2 if edge.must_close_loop else 1 if edge.can_be_loop_joint and edge.type in _LOOPS else 0


# -- loops -------------------------------------------------------------------------------------------------------------


def _close_loop(edge: JointEdge, trees: SpanningTrees, notes: ReaderNotes) -> JointEdge | None:
    """Close a loop: by a loop joint of the same type, or by a weld to an end that the joint moves, which is returned."""
    element = edge.element
    with error_location(*element.where):
        if edge.can_be_loop_joint and edge.type in _LOOPS:
            axes = {key: x for key, x in edge.type_entries.items() if key in ("axis", "axis2")}
            notes.add("joint that closes a loop", "read as a loop joint", edge.name)
            trees.loops.append(
                LoopJoint(edge.name, _LOOPS[edge.type], edge.parent, edge.child, edge.placement, edge.child_placement, **axes)
            )
            return None
        cut_body = f"{edge.name}{SCOPE_SEPARATOR}end"
        notes.add("joint that closes a loop", "read as a joint to an extra body, which is welded to the link", edge.name)
        trees.cut_bodies.append(Body(cut_body))
        trees.loops.append(LoopJoint(f"{edge.name}{SCOPE_SEPARATOR}weld", "fixed", cut_body, edge.child))
    return replace(edge, child=cut_body)


# -- trees -------------------------------------------------------------------------------------------------------------


def _build_trees(
    bodies: Sequence[str],
    tree_edges: Sequence[JointEdge],
    order: dict[str, int],
    poses: dict[str, Transform],
    floating: bool,
    trees: SpanningTrees,
) -> None:
    """Hang all bodies: each tree's own base first, then its joints in the order of the file."""
    edges_of_body: dict[str, list[JointEdge]] = {}
    for hinge in tree_edges:
        edges_of_body.setdefault(hinge.parent, []).append(hinge)
        edges_of_body.setdefault(hinge.child, []).append(hinge)
    child_bodies = {hinge.child for hinge in tree_edges}
    on_ground = {h.child if h.parent == GROUND else h.parent for h in edges_of_body.get(GROUND, ())}
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
    trees.bases += [base for _, base, _ in rooted_trees if base]
    names = root_joint_names(trees.bases, {hinge.name for hinge in tree_edges})
    for _, base, joints in rooted_trees:
        if base:
            trees.joints.append(_root_joint(names[base], base, poses[base], floating))
        trees.joints += [_to_joint(hinge) for hinge in sorted(joints, key=lambda h: order[h.name])]


def _connected_bodies(body: str, edges_of_body: dict[str, list[JointEdge]]) -> list[str]:
    """The bodies that hang together with one, without the ground: it first."""
    visited_bodies = {body: None}
    stack = [body]
    while stack:
        current = stack.pop()
        for hinge in edges_of_body.get(current, ()):
            neighbour = hinge.child if hinge.parent == current else hinge.parent
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
        for hinge in edges_of_body.get(current, ()):
            neighbour = hinge.child if hinge.parent == current else hinge.parent
            if neighbour in tree and neighbour not in visited_bodies:
                visited_bodies.add(neighbour)
                stack.append(neighbour)
                edges.append(hinge if hinge.parent == current else hinge.reverse())
    return edges


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


def root_joint_names(bases: Sequence[str], used_names: set[str]) -> dict[str, str]:
    """The joints of bases to the ground: `root_joint`, in the model of the base where there are several."""
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


def _root_joint(name: str, body: str, pose: Transform, floating: bool) -> Joint:
    """A base flies free, and its coordinates are its pose in the world; or it is held where the file has it."""
    if floating:
        return Joint(name, "free", GROUND, body, actuated=False)
    return Joint(name, "fixed", GROUND, body, pose)


# MERGED lagrangian.description.sdf.couplings: Joints that follow others: <mimic>, and gearboxes.


def coupled_joints(nodes: Iterable[FrameNode], equations: Iterable[HolonomicConstraint]) -> set[str]:
    """The joints whose coordinates equations need: followers and leaders, and those of gearboxes."""
    names = {name for equation in equations for name in free_symbols(equation.equation)}
    for node in nodes:
        for element, _ in mimic_elements(node.element):
            leader = node.scope.find(element.attributes.get("joint", ""), "joint") if node.scope is not None else None
            paths = (node.path, *(() if leader is None else (leader.path,)))
            names |= {f"{path}{part}" for path in paths for part in ("", "::1", "::2")}
    return names


def mimic_constraints(
    nodes: Iterable[FrameNode], joints: Mapping[str, Joint], reversed_joints: Collection[str], notes: ReaderNotes
) -> list[tuple[str, HolonomicConstraint]]:
    """follower = multiplier * (leader - reference) + offset, with the follower, of every axis that mimics another.

    `turned` are the joints that the tree has from their child to their parent.
    """
    couplings = []
    for node in nodes:
        for element, tag in mimic_elements(node.element):
            follower = _axis_coordinate(node.path, tag, joints, reversed_joints)
            scope = node.scope
            assert scope is not None
            name = text_attribute(element, "joint")
            leader = scope.find(name, "joint")
            leader_axis = text_attribute(element, "axis", "axis")
            if leader is None or leader.kind != "joint":
                joint_names = [x.name for x in scope.nodes("joint") if x is not node]
                raise element.error(f"joint: {unknown_name_message('joint', name, joint_names)}")
            leader_coordinate = _axis_coordinate(leader.path, leader_axis, joints, reversed_joints)
            if follower is None or leader_coordinate is None or follower == leader_coordinate:
                meaning = f"{IGNORED}: both joints must have one coordinate and be in the tree"
                notes.add("<mimic> joint", meaning, node.path, warn=True)
                continue
            multiplier, offset, reference = _read_mimic(element)
            with error_location(*element.where):
                name = f"{follower}_mimic"
                equation = symbol(follower) - multiplier * (symbol(leader_coordinate) - reference) - offset
                couplings.append((follower, HolonomicConstraint(name, equation)))
    return couplings


def _read_mimic(element: Element) -> tuple[float, float, float]:
    if element.tag == "drake:mimic":
        return attribute(element, "multiplier", 1.0), attribute(element, "offset", 0.0), 0.0
    return child_number(element, "multiplier", 1.0), child_number(element, "offset", 0.0), child_number(element, "reference", 0.0)


def _axis_coordinate(path: str, tag: str, joints: Mapping[str, Joint], reversed_joints: Collection[str]) -> str | None:
    """The coordinate of a joint's axis."""
    axis_number = "2" if tag == "axis2" else "1"
    if (split_joint := joints.get(f"{path}::{axis_number}")) is not None:
        return split_joint.name
    joint = joints.get(path)
    if joint is None:
        return None
    if joint.kind.nq == 1 and axis_number == "1":
        return joint.name
    if joint.type != "universal":
        return None
    first, second = joint.coordinate_names
    return first if (axis_number == "1") != (path in reversed_joints) else second  # turned, its second axis comes first


# -- gearboxes ---------------------------------------------------------------------------------------------------------


def gearbox_constraint(
    node: FrameNode, frames: FrameGraph, edges: Iterable[JointEdge], notes: ReaderNotes
) -> HolonomicConstraint | None:
    """theta2 = -ratio theta1, the angles of child and parent against a reference body.

    Both must turn about a joint on that body: a gearbox says how they turn, and does not hold them.
    """
    element, scope = node.element, node.scope
    assert scope is not None
    parent, child = joined_links(node, frames, notes)
    reference = body_name(frames.link(scope.resolve(child_text(element, "gearbox_reference_body"), element)))
    edges = list(edges)
    first = _relative_angle(reference, body_name(parent), axis_in_world(node, "axis", frames), edges)
    second = _relative_angle(reference, body_name(child), axis_in_world(node, "axis2", frames), edges)
    if first is None or second is None:
        meaning = f"{IGNORED}: the joints of parent and child must be on the reference body, about the axes of the gearbox"
        notes.add("gearbox", meaning, node.path, warn=True)
        return None
    with error_location(*element.where):
        return HolonomicConstraint(node.path, second + child_number(element, "gearbox_ratio", 1.0) * first)


def _relative_angle(reference: str, body: str, axis: v.Vector, edges: list[JointEdge]) -> Scalar | None:
    """The angle of a body against the reference body about an axis, by the joint between them."""
    for edge in edges:
        if edge.type not in ("revolute", "continuous") or {edge.parent, edge.child} != {reference, body}:
            continue
        world_axis = v.mat_vec(edge.world_placement.rotation, edge.type_entries["axis"])
        cosine = float(v.dot(world_axis, axis)) / (_length(world_axis) * _length(axis))
        if abs(abs(cosine) - 1) < 1e-9:
            sign = round(cosine) * (1 if edge.parent == reference else -1)
            return sign * symbol(edge.name)
    return None


def _length(x: v.Vector) -> float:
    return float(v.dot(x, x)) ** 0.5


# MERGED lagrangian.description.mimic: Joints that follow others by `<mimic>`: the leader's motor drives them, and they have
# none of their own.


def with_passive_followers(joints: Iterable[Joint], followers: Collection[str]) -> list[Joint]:
    """The joints, where those all of whose coordinates are `followers` are passive."""
    return [replace(joint, actuated=False) if _follows(joint, followers) else joint for joint in joints]


def _follows(joint: Joint, followers: Collection[str]) -> bool:
    return joint.kind.nq > 0 and all(name in followers for name in joint.coordinate_names)
