"""Frames of an SDF document: which frame a name means, its pose in the world, and the link that it is attached to.

Worlds and models are scopes. A name is looked up in the scope in which it stands, and `arm::hand` in the model `arm` of that
scope. Poses are given in other frames, and frames are attached to others, in any order, so that both are resolved on demand.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field

from lagrangian.description.sdf.values import child_boolean, child_text, read_pose, relative_to
from lagrangian.description.xml import Element, text_attribute
from lagrangian.errors import DescriptionError, unknown_name_message
from lagrangian.model.mechanism import GROUND
from lagrangian.model.placement import Transform

MODEL, WORLD = "__model__", "world"
SCOPE_SEPARATOR = "::"
MAX_DEPTH = 100
# elements with frames, in the order in which one is chosen if several have the same name, as early versions allow
_FRAME_TAGS = ("link", "frame", "model", "joint")


@dataclass(eq=False)
class FrameNode:
    """An element with a frame: a link, joint, <frame>, model or world. `scope` has its name, `inner` its own names."""

    element: Element
    scope: Scope | None
    inner: Scope | None = None

    @property
    def kind(self) -> str:
        return self.element.tag

    @property
    def name(self) -> str:
        return self.element.attributes.get("name", "")

    @property
    def is_static(self) -> bool:
        """Whether it is a link that does not move: of a static model, or called `world`."""
        return self.kind == "link" and self.scope is not None and (self.scope.static or self.name == WORLD)

    @property
    def path(self) -> str:
        """The name of the element with those of the models around it."""
        return self.name if self.scope is None else self.scope.qualified_name(self.name)


@dataclass(eq=False)
class Scope:
    """The names in a world or a model. `prefix` comes before these names in the mechanism."""

    node: FrameNode
    prefix: str
    depth: int
    static: bool
    members: dict[str, list[FrameNode]] = field(default_factory=dict)
    order: list[FrameNode] = field(default_factory=list)  # the same, in the order of the file

    @property
    def is_world(self) -> bool:
        return self.node.scope is None

    def qualified_name(self, name: str) -> str:
        return f"{self.prefix}{SCOPE_SEPARATOR}{name}" if self.prefix else name

    def nodes(self, kind: str) -> Iterator[FrameNode]:
        return (node for node in self.order if node.kind == kind)

    def all_nodes(self, kind: str) -> Iterator[FrameNode]:
        """Nodes of a kind in this scope and all inner ones, in the order of the file."""
        stack = list(reversed(self.order))
        while stack:
            node = stack.pop()
            if node.kind == kind:
                yield node
            if node.inner is not None:
                stack.extend(reversed(node.inner.order))

    def scopes(self) -> Iterator[Scope]:
        """This scope and all inner ones, in the order of the file."""
        stack = [self]
        while stack:
            scope = stack.pop()
            yield scope
            stack.extend(reversed([node.inner for node in scope.nodes("model") if node.inner is not None]))

    def find(self, name: str, kind: str = "") -> FrameNode | None:
        """The node that a name means here, preferably of this kind; a name with `::` is looked up in inner models."""
        scope, remaining = self, name
        while True:
            if nodes := scope.members.get(remaining):
                return min(nodes, key=lambda node: (node.kind != kind, _FRAME_TAGS.index(node.kind)))
            if (remaining == MODEL and not scope.is_world) or (remaining == WORLD and scope.is_world):
                return scope.node
            outer_name, separator, remaining = remaining.partition(SCOPE_SEPARATOR)
            model = (
                next((node for node in scope.members.get(outer_name, ()) if node.inner is not None), None) if separator else None
            )
            if model is None or model.inner is None:
                return None
            scope = model.inner

    def resolve(self, name: str, element: Element, *, world: bool = True) -> FrameNode:
        """The node that a name means here, or an error at the element that uses it. `world` allows the world, too."""
        node = self.find(name)
        if name == WORLD and world and (node is None or node.kind == "joint"):  # many files also call the joint to the world so
            return self.world
        if node is None:
            frame_names = [*self.members, WORLD if self.is_world else MODEL]
            raise element.error(unknown_name_message("frame, link, joint or model called", name, frame_names))
        return node

    @property
    def world(self) -> FrameNode:
        """The node of the world around it."""
        scope = self
        while scope.node.scope is not None:
            scope = scope.node.scope
        return scope.node


def build_scopes(world: Element, omit_model_name: bool) -> Scope:
    """The scope of a world and of all models in it. `omit_model_name` leaves the name of an outer model out of names."""
    outer = Scope(FrameNode(world, None), "", 0, False)
    waiting = [outer]
    while waiting:
        scope = waiting.pop()
        for element in scope.node.element.children:
            if element.tag not in _FRAME_TAGS:
                continue
            node = FrameNode(element, scope)
            namesakes = scope.members.setdefault(text_attribute(element, "name"), [])
            for namesake in namesakes:
                if namesake.kind == node.kind:
                    line = namesake.element.line
                    raise element.error(f"a {node.kind} of this name is already used in line {line}; names must differ")
            namesakes.append(node)
            scope.order.append(node)
            if node.kind == "model":
                if scope.depth == MAX_DEPTH:
                    raise element.error(f"models are nested more than {MAX_DEPTH} deep")
                static = scope.static or child_boolean(element, "static")
                prefix = "" if omit_model_name and scope is outer else node.path
                node.inner = Scope(node, prefix, scope.depth + 1, static)
                waiting.append(node.inner)
    return outer


class FrameGraph:
    """The poses of the frames of a document in the world, and the links that they are attached to."""

    def __init__(self, world: Scope) -> None:
        self._poses: dict[FrameNode, Transform] = {world.node: Transform()}
        self._links: dict[FrameNode, FrameNode | None] = {world.node: None, **{link: link for link in world.all_nodes("link")}}

    def pose(self, node: FrameNode) -> Transform:
        """The pose of a node in the world, as the document is written."""
        path = self._path_to_resolved(node, self._poses, self._reference_frame)
        for step in reversed(path):
            self._poses[step] = self._poses[self._reference_frame(step)] @ self._local_pose(step)
        return self._poses[node]

    def link(self, node: FrameNode) -> FrameNode | None:
        """The link that a frame moves with; None is the world."""
        path = self._path_to_resolved(node, self._links, self._attached_to)
        for step in reversed(path):
            self._links[step] = self._links[self._attached_to(step)]
        return self._links[node]

    def pose_in_link(self, link: FrameNode, element: Element) -> Transform:
        """The placement of a part of a link in the link's frame."""
        frame_name = relative_to(element)
        if not frame_name or link.scope is None:
            return read_pose(element)
        frame = link.scope.resolve(frame_name, element.find("pose") or element)
        return self.pose(link).inverse() @ self.pose(frame) @ read_pose(element)

    def relative_rotation(self, name: str, joint: FrameNode, element: Element) -> Transform:
        """The rotation of a frame, in which a joint's axis may be given, relative to the joint's own frame."""
        assert joint.scope is not None
        frame_pose = self.pose(joint.scope.resolve(name, element))
        return Transform(self.pose(joint).rotation).inverse() @ Transform(frame_pose.rotation)

    # -- reference frames of poses -----------------------------------------------------------------------------------

    def _reference_frame(self, node: FrameNode) -> FrameNode:
        scope, element = node.scope, node.element
        assert scope is not None
        frame_name = relative_to(element)
        if frame_name:
            return scope.resolve(frame_name, element.find("pose") or element)
        if node.kind == "joint":
            return scope.resolve(child_text(element, "child"), element)
        if node.kind == "frame" and element.attributes.get("attached_to"):
            return scope.resolve(element.attributes["attached_to"], element)
        return scope.node

    def _local_pose(self, node: FrameNode) -> Transform:
        """The placement of a frame in its reference frame. The pose of a model may be that of its placement frame."""
        own_pose = read_pose(node.element)
        placement_frame = node.element.attributes.get("placement_frame")
        if not placement_frame:
            return own_pose
        inner_scope = node.inner or node.scope
        assert inner_scope is not None
        current, offset = inner_scope.resolve(placement_frame, node.element, world=False), Transform()
        visited_nodes: set[FrameNode] = set()
        while current is not node:
            if current in visited_nodes or current.scope is None:
                raise node.element.error(f"placement_frame {placement_frame!r} is not a frame of this model")
            visited_nodes.add(current)
            offset = self._local_pose(current) @ offset
            current = self._reference_frame(current)
        return own_pose @ offset.inverse()

    # -- links of frames ---------------------------------------------------------------------------------------------

    def _attached_to(self, node: FrameNode) -> FrameNode:
        scope, element = node.scope, node.element
        assert scope is not None
        if node.kind == "joint":
            return scope.resolve(child_text(element, "child"), element)
        if node.kind == "frame":
            return scope.resolve(element.attributes.get("attached_to") or _own_frame_name(scope), element)
        inner = node.inner
        assert inner is not None
        if inner.static:
            return scope.world
        canonical_link = element.attributes.get("canonical_link")
        if canonical_link:
            return inner.resolve(canonical_link, element, world=False)
        first_link = next(inner.nodes("link"), None) or next(inner.nodes("model"), None)
        if first_link is None:
            raise element.error("has no link to which its frame could be attached")
        return first_link

    @staticmethod
    def _path_to_resolved(
        node: FrameNode, resolved_nodes: Mapping[FrameNode, object], next_node: Callable[[FrameNode], FrameNode]
    ) -> list[FrameNode]:
        """The nodes from a node to the first that is resolved."""
        path: dict[FrameNode, None] = {}  # an ordered set
        current = node
        while current not in resolved_nodes:
            if current in path:
                raise _cycle_error(list(path), current)
            path[current] = None
            current = next_node(current)
        return list(path)


def body_name(link: FrameNode | None) -> str:
    """The name of the body of a link: its own name after those of its models, unless that is the name of the fixed world."""
    if link is None:
        return GROUND
    return link.path if link.path != GROUND else f"{GROUND}_link"


def _own_frame_name(scope: Scope) -> str:
    return WORLD if scope.is_world else MODEL


def _cycle_error(path: list[FrameNode], repeated_node: FrameNode) -> DescriptionError:
    names = [node.name for node in path[path.index(repeated_node) :]]
    cycle_text = " -> ".join([*names[:8], *(["..."] if len(names) > 8 else []), names[0]])
    return repeated_node.element.error(f"its place depends on itself: {cycle_text}")
