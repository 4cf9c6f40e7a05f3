"""The names of an SDF document and where everything is: which frame a name means, its pose in the world, and the body it is on.

Worlds and models are scopes: a name is looked up in the scope in which it stands, `arm::hand` in the model `arm` of that scope.
Poses are given in other frames, and frames are attached to others, in any order; so both are followed only when asked for.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field

from lagrangian.description.sdf.values import child_flag, child_text, read_pose, relative_to
from lagrangian.description.xml import Element, text_attribute
from lagrangian.errors import DescriptionError, unknown_name_message
from lagrangian.model.mechanism import GROUND
from lagrangian.model.placement import Transform

MODEL, WORLD = "__model__", "world"
SCOPE_SEPARATOR = "::"
MAX_DEPTH = 100
_FRAME_TAGS = ("link", "frame", "model", "joint")  # which is meant where two of a scope have one name, as early versions allow


@dataclass(eq=False)
class FrameNode:
    """What has a frame: a link, a joint, a <frame>, a model, the world. `scope` is where it is named, `inner` what it holds."""

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
        """Whether it is a link that does not move: of a static model, or by its name the world itself."""
        return self.kind == "link" and self.scope is not None and (self.scope.static or self.name == WORLD)

    @property
    def path(self) -> str:
        """Its name with those of the models around it."""
        return self.name if self.scope is None else self.scope.qualified_name(self.name)


@dataclass(eq=False)
class Scope:
    """A world or a model: the names in it. `prefix` is what those are called by from outside the file."""

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
        """Those in the models in it, too, in the order of the file."""
        stack = list(reversed(self.order))
        while stack:
            node = stack.pop()
            if node.kind == kind:
                yield node
            if node.inner is not None:
                stack.extend(reversed(node.inner.order))

    def scopes(self) -> Iterator[Scope]:
        """This one and all in it, in the order of the file."""
        stack = [self]
        while stack:
            scope = stack.pop()
            yield scope
            stack.extend(reversed([node.inner for node in scope.nodes("model") if node.inner is not None]))

    def find(self, name: str, kind: str = "") -> FrameNode | None:
        """What a name means here, rather one of this kind; a name that is nested is followed inwards."""
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
        """What a name means here, or an error at the element that uses it. `world` says that the world may be meant, too."""
        node = self.find(name)
        if name == WORLD and world and (node is None or node.kind == "joint"):  # many files call the joint to it so, too
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
    """The scope of a world and of all models in it. In a file of one model names are `bare`: the model's own is left out."""
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
                static = scope.static or child_flag(element, "static")
                prefix = "" if omit_model_name and scope is outer else node.path
                node.inner = Scope(node, prefix, scope.depth + 1, static)
                waiting.append(node.inner)
    return outer


class FrameGraph:
    """Where the frames of a document are: their poses in the world, and the links they are on."""

    def __init__(self, world: Scope) -> None:
        self._poses: dict[FrameNode, Transform] = {world.node: Transform()}
        self._links: dict[FrameNode, FrameNode | None] = {world.node: None, **{link: link for link in world.all_nodes("link")}}

    def pose(self, node: FrameNode) -> Transform:
        """Its pose in the world, as the document is written."""
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
        """Where a part of a link is in the link's frame, in which its pose is given unless it says otherwise."""
        frame_name = relative_to(element)
        if not frame_name or link.scope is None:
            return read_pose(element)
        frame = link.scope.resolve(frame_name, element.find("pose") or element)
        return self.pose(link).inverse() @ self.pose(frame) @ read_pose(element)

    def relative_rotation(self, name: str, joint: FrameNode, element: Element) -> Transform:
        """How the axes of a frame, in which a joint's axis may be given, are turned against those of the joint."""
        assert joint.scope is not None
        frame_pose = self.pose(joint.scope.resolve(name, element))
        return Transform(self.pose(joint).rotation).inverse() @ Transform(frame_pose.rotation)

    # -- what a pose is given in -------------------------------------------------------------------------------------

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
        """The frame in what its pose is given in. The pose of a model may be that of a frame in it, its placement frame."""
        own_pose = read_pose(node.element)
        placement_frame = node.element.attributes.get("placement_frame")
        if not placement_frame:
            return own_pose
        inner_scope = node.inner or node.scope
        assert inner_scope is not None
        node_at, offset = inner_scope.resolve(placement_frame, node.element, world=False), Transform()
        visited_nodes: set[FrameNode] = set()
        while node_at is not node:
            if node_at in visited_nodes or node_at.scope is None:
                raise node.element.error(f"placement_frame {placement_frame!r} is not a frame of this model")
            visited_nodes.add(node_at)
            offset = self._local_pose(node_at) @ offset
            node_at = self._reference_frame(node_at)
        return own_pose @ offset.inverse()

    # -- what a frame is on ------------------------------------------------------------------------------------------

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
        """The steps from a node to the first that is known."""
        path: dict[FrameNode, None] = {}  # an ordered set
        node_at = node
        while node_at not in resolved_nodes:
            if node_at in path:
                raise _cycle_error(list(path), node_at)
            path[node_at] = None
            node_at = next_node(node_at)
        return list(path)


def _own_frame_name(scope: Scope) -> str:
    return WORLD if scope.is_world else MODEL


def _cycle_error(path: list[FrameNode], repeated_node: FrameNode) -> DescriptionError:
    names = [node.name for node in path[path.index(repeated_node) :]]
    cycle_text = " -> ".join([*names[:8], *(["..."] if len(names) > 8 else []), names[0]])
    return repeated_node.element.error(f"its place depends on itself: {cycle_text}")


def body_name(link: FrameNode | None) -> str:
    """What the body of a link is called: as the link, with the models around it, unless that is the name of the fixed world."""
    if link is None:
        return GROUND
    return link.path if link.path != GROUND else f"{GROUND}_link"
