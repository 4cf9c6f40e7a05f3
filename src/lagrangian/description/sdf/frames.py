"""The names of an SDF document and where everything is: which frame a name means, its pose in the world, and the body it is on.

Worlds and models are scopes: a name is looked up in the scope in which it stands, `arm::hand` in the model `arm` of that scope.
Poses are given in other frames, and frames are attached to others, in any order; so both are followed only when asked for.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field

from lagrangian.description.sdf.values import pose, relative_to, truth, word
from lagrangian.description.xml import Element, text
from lagrangian.errors import DescriptionError, one_of
from lagrangian.model.mechanism import GROUND
from lagrangian.model.placement import Placement

MODEL, WORLD = "__model__", "world"
NESTED = "::"
DEEPEST = 100
_ORDER = ("link", "frame", "model", "joint")  # which is meant where two of a scope have one name, as early versions allow


@dataclass(eq=False)
class Node:
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
    def still(self) -> bool:
        """Whether it is a link that does not move: of a static model, or by its name the world itself."""
        return self.kind == "link" and self.scope is not None and (self.scope.static or self.name == WORLD)

    @property
    def path(self) -> str:
        """Its name with those of the models around it."""
        return self.name if self.scope is None else self.scope.named(self.name)


@dataclass(eq=False)
class Scope:
    """A world or a model: the names in it. `prefix` is what those are called by from outside the file."""

    node: Node
    prefix: str
    depth: int
    static: bool
    members: dict[str, list[Node]] = field(default_factory=dict)
    order: list[Node] = field(default_factory=list)  # the same, in the order of the file

    @property
    def is_world(self) -> bool:
        return self.node.scope is None

    def named(self, name: str) -> str:
        return f"{self.prefix}{NESTED}{name}" if self.prefix else name

    def nodes(self, kind: str) -> Iterator[Node]:
        return (node for node in self.order if node.kind == kind)

    def all(self, kind: str) -> Iterator[Node]:
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

    def find(self, name: str, kind: str = "") -> Node | None:
        """What a name means here, rather one of this kind; a name that is nested is followed inwards."""
        scope, rest = self, name
        while True:
            if found := scope.members.get(rest):
                return min(found, key=lambda node: (node.kind != kind, _ORDER.index(node.kind)))
            if (rest == MODEL and not scope.is_world) or (rest == WORLD and scope.is_world):
                return scope.node
            first, nested, rest = rest.partition(NESTED)
            model = next((node for node in scope.members.get(first, ()) if node.inner is not None), None) if nested else None
            if model is None or model.inner is None:
                return None
            scope = model.inner

    def resolve(self, name: str, at: Element, *, world: bool = True) -> Node:
        """What a name means here, or an error at the element that uses it. `world` says that the world may be meant, too."""
        found = self.find(name)
        if name == WORLD and world and (found is None or found.kind == "joint"):  # many files call the joint to it so, too
            return self.world
        if found is None:
            known = [*self.members, WORLD if self.is_world else MODEL]
            raise at.error(one_of("frame, link, joint or model called", name, known))
        return found

    @property
    def world(self) -> Node:
        """The node of the world around it."""
        scope = self
        while scope.node.scope is not None:
            scope = scope.node.scope
        return scope.node


def scope_of(world: Element, bare: bool) -> Scope:
    """The scope of a world and of all models in it. In a file of one model names are `bare`: the model's own is left out."""
    outer = Scope(Node(world, None), "", 0, False)
    waiting = [outer]
    while waiting:
        scope = waiting.pop()
        for element in scope.node.element.children:
            if element.tag not in _ORDER:
                continue
            node = Node(element, scope)
            others = scope.members.setdefault(text(element, "name"), [])
            for other in others:
                if other.kind == node.kind:
                    line = other.element.line
                    raise element.error(f"a {node.kind} of this name is already used in line {line}; names must differ")
            others.append(node)
            scope.order.append(node)
            if node.kind == "model":
                if scope.depth == DEEPEST:
                    raise element.error(f"models are nested more than {DEEPEST} deep")
                static = scope.static or truth(element, "static")
                prefix = "" if bare and scope is outer else node.path
                node.inner = Scope(node, prefix, scope.depth + 1, static)
                waiting.append(node.inner)
    return outer


class Frames:
    """Where the frames of a document are: their poses in the world, and the links they are on."""

    def __init__(self, world: Scope) -> None:
        self._poses: dict[Node, Placement] = {world.node: Placement()}
        self._links: dict[Node, Node | None] = {world.node: None, **{link: link for link in world.all("link")}}

    def pose(self, node: Node) -> Placement:
        """Its pose in the world, as the document is written."""
        path = self._path(node, self._poses, self._given_in)
        for step in reversed(path):
            self._poses[step] = self._poses[self._given_in(step)] @ self._offset(step)
        return self._poses[node]

    def link(self, node: Node) -> Node | None:
        """The link that a frame moves with; None is the world."""
        path = self._path(node, self._links, self._carried_by)
        for step in reversed(path):
            self._links[step] = self._links[self._carried_by(step)]
        return self._links[node]

    def in_link(self, link: Node, element: Element) -> Placement:
        """Where a part of a link is in the link's frame, in which its pose is given unless it says otherwise."""
        given = relative_to(element)
        if not given or link.scope is None:
            return pose(element)
        other = link.scope.resolve(given, element.find("pose") or element)
        return self.pose(link).inverse() @ self.pose(other) @ pose(element)

    def axes(self, name: str, joint: Node, at: Element) -> Placement:
        """How the axes of a frame, in which a joint's axis may be given, are turned against those of the joint."""
        assert joint.scope is not None
        other = self.pose(joint.scope.resolve(name, at))
        return Placement(self.pose(joint).rotation).inverse() @ Placement(other.rotation)

    # -- what a pose is given in -------------------------------------------------------------------------------------

    def _given_in(self, node: Node) -> Node:
        scope, element = node.scope, node.element
        assert scope is not None
        given = relative_to(element)
        if given:
            return scope.resolve(given, element.find("pose") or element)
        if node.kind == "joint":
            return scope.resolve(word(element, "child"), element)
        if node.kind == "frame" and element.attributes.get("attached_to"):
            return scope.resolve(element.attributes["attached_to"], element)
        return scope.node

    def _offset(self, node: Node) -> Placement:
        """The frame in what its pose is given in. The pose of a model may be that of a frame in it, its placement frame."""
        given = pose(node.element)
        placed_by = node.element.attributes.get("placement_frame")
        if not placed_by:
            return given
        inside = node.inner or node.scope
        assert inside is not None
        at, offset = inside.resolve(placed_by, node.element, world=False), Placement()
        seen: set[Node] = set()
        while at is not node:
            if at in seen or at.scope is None:
                raise node.element.error(f"placement_frame {placed_by!r} is not a frame of this model")
            seen.add(at)
            offset = self._offset(at) @ offset
            at = self._given_in(at)
        return given @ offset.inverse()

    # -- what a frame is on ------------------------------------------------------------------------------------------

    def _carried_by(self, node: Node) -> Node:
        scope, element = node.scope, node.element
        assert scope is not None
        if node.kind == "joint":
            return scope.resolve(word(element, "child"), element)
        if node.kind == "frame":
            return scope.resolve(element.attributes.get("attached_to") or _own(scope), element)
        inner = node.inner
        assert inner is not None
        if inner.static:
            return scope.world
        named = element.attributes.get("canonical_link")
        if named:
            return inner.resolve(named, element, world=False)
        first = next(inner.nodes("link"), None) or next(inner.nodes("model"), None)
        if first is None:
            raise element.error("has no link to which its frame could be attached")
        return first

    @staticmethod
    def _path(node: Node, known: Mapping[Node, object], onward: Callable[[Node], Node]) -> list[Node]:
        """The steps from a node to the first that is known."""
        path: dict[Node, None] = {}  # an ordered set
        at = node
        while at not in known:
            if at in path:
                raise _cycle(list(path), at)
            path[at] = None
            at = onward(at)
        return list(path)


def _own(scope: Scope) -> str:
    return WORLD if scope.is_world else MODEL


def _cycle(path: list[Node], at: Node) -> DescriptionError:
    names = [node.name for node in path[path.index(at) :]]
    shown = " -> ".join([*names[:8], *(["..."] if len(names) > 8 else []), names[0]])
    return at.element.error(f"its place depends on itself: {shown}")


def body_name(link: Node | None) -> str:
    """What the body of a link is called: as the link, with the models around it, unless that is the name of the fixed world."""
    if link is None:
        return GROUND
    return link.path if link.path != GROUND else f"{GROUND}_link"
