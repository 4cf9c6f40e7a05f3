"""Which links a drawing joins at which pins, how they hang together as a tree, and which pins close loops."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from lagrangian.errors import ArgumentError, unknown_name_message
from lagrangian.studio.drawing.drawing import GROUND, Drawing, DrawnMotor, Slider


@dataclass(frozen=True)
class Connection:
    """Two links that turn about a pin against each other, or of which the second, a block, slides along the first."""

    pin: str
    a: str
    b: str
    slider: Slider | None = None
    motor: DrawnMotor | None = None

    def other(self, link: str) -> str:
        return self.b if link == self.a else self.a


@dataclass(frozen=True)
class TreeEdge:
    """A connection of the tree, from the link nearer to the ground to the one further out."""

    parent: str
    child: str
    connection: Connection


@dataclass(frozen=True)
class LinkageTree:
    edges: tuple[TreeEdge, ...]
    loops: tuple[Connection, ...]


def moving_links(drawing: Drawing) -> tuple[str, ...]:
    """All that moves: bars, and the blocks of sliders."""
    return (*(x.name for x in drawing.bars), *(x.block for x in drawing.sliders))


def links_at_pin(drawing: Drawing, pin: str) -> tuple[str, ...]:
    """The links that are joined at a pin, the ground first."""
    ground = [GROUND] if drawing.pin(pin).ground else []
    return (*ground, *(x.block for x in drawing.sliders if x.pin == pin), *(x.name for x in drawing.bars if pin in x.pins))


def gruebler_count(drawing: Drawing) -> int:
    """Degrees of freedom as Gruebler counts them, motors left out: 3 of each link, less 2 of each pair that turns or slides."""
    pairs = sum(max(0, len(links_at_pin(drawing, pin.name)) - 1) for pin in drawing.pins) + len(drawing.sliders)
    return 3 * len(moving_links(drawing)) - 2 * pairs


def unconnected_links(drawing: Drawing) -> tuple[str, ...]:
    """Links that nothing joins to the ground."""
    reached, edges = {GROUND}, [(links_at_pin(drawing, pin.name)) for pin in drawing.pins]
    edges += [(x.on, x.block) for x in drawing.sliders]
    growing = True
    while growing:
        neighbours = {link for edge in edges if reached.intersection(edge) for link in edge}
        growing, reached = not neighbours <= reached, reached | neighbours
    return tuple(x for x in moving_links(drawing) if x not in reached)


def spanning_tree(drawing: Drawing) -> LinkageTree:
    """A tree from the ground in which motors and sliders are joints; pins that are left close loops.

    The torque of a motor acts at a joint of the tree. Slides are joints of the tree so that every loop is closed at a point.
    """
    if not moving_links(drawing):
        raise ArgumentError("nothing moves yet", where="the drawing", remedy="draw a bar")
    unconnected = unconnected_links(drawing)
    if unconnected:
        verb, remedy = "is" if len(unconnected) == 1 else "are", "fix a pin to the ground, or join it to a part that is"
        raise ArgumentError(f"{_join_names(unconnected)} {verb} not connected to the ground", where="the drawing", remedy=remedy)
    _check_motors(drawing)
    motor_connections = [Connection(m.pin, m.against, m.drives, motor=m) for m in drawing.motors]
    slider_connections = [Connection(s.pin, s.on, s.block, slider=s) for s in drawing.sliders]
    connections = _independent_connections([*motor_connections, *slider_connections])
    if len(connections) < len(motor_connections) + len(slider_connections):
        remedy = "remove one of them"
        raise ArgumentError("the motors drive links in a closed ring", where="the drawing", remedy=remedy)
    edges = _grow_tree(drawing, connections)
    used = {id(branch.connection) for branch in edges}
    assert all(id(x) in used for x in connections)
    return LinkageTree(tuple(edges), tuple(_loop_connections(drawing, edges)))


def _check_motors(drawing: Drawing) -> None:
    pins = [x.name for x in drawing.pins]
    pairs: set[tuple[str, frozenset[str]]] = set()
    for motor in drawing.motors:
        where = f"motor at {motor.pin}"
        if motor.pin not in pins:
            raise ArgumentError(unknown_name_message("pin", motor.pin, pins), where=where)
        links_here = links_at_pin(drawing, motor.pin)
        for name in (motor.drives, motor.against):
            if name not in links_here:
                remedy = f"the links here are {_join_names(links_here) or 'none'}"
                raise ArgumentError(f"{name!r} is not joined at this pin", where=where, remedy=remedy)
        if motor.drives == motor.against:
            raise ArgumentError("it turns a link against itself", where=where, remedy="it needs two links")
        pair = (motor.pin, frozenset((motor.drives, motor.against)))
        if pair in pairs:
            raise ArgumentError("two motors turn the same two links", where=where, remedy="remove one of them")
        pairs.add(pair)


def _join_names(names: Iterable[str]) -> str:
    return ", ".join(names)


class _DisjointSets:
    """Links that hang together so far."""

    def __init__(self) -> None:
        self._parents: dict[str, str] = {}

    def find(self, link: str) -> str:
        while link in self._parents:
            link = self._parents[link]
        return link

    def union(self, a: str, b: str) -> bool:
        """Whether these were apart."""
        first, second = self.find(a), self.find(b)
        if first != second:
            self._parents[second] = first
        return first != second


def _independent_connections(connections: Iterable[Connection]) -> list[Connection]:
    sets = _DisjointSets()
    return [x for x in connections if sets.union(x.a, x.b)]


def _grow_tree(drawing: Drawing, connections: list[Connection]) -> list[TreeEdge]:
    """The tree: what is chosen, and the pins nearest to the ground first, so that loops are short."""
    sets = _DisjointSets()
    for x in connections:
        sets.union(x.a, x.b)
    tree_connections = list(connections)
    order, k = [GROUND], 0
    while k < len(order):
        link, k = order[k], k + 1
        for pin in drawing.pins:
            links_here = links_at_pin(drawing, pin.name)
            if link in links_here:
                tree_connections += [Connection(pin.name, link, x) for x in links_here if x != link and sets.union(link, x)]
        order += [y for x in tree_connections if link in (x.a, x.b) and (y := x.other(link)) not in order]
    tree_edges: list[TreeEdge] = []
    for link in order:  # outwards: each link is in the order once, and comes after the one that it hangs on
        for x in tree_connections:
            if link in (x.a, x.b) and all(x is not branch.connection for branch in tree_edges):
                tree_edges.append(TreeEdge(link, x.other(link), x))
    return tree_edges


def _loop_connections(drawing: Drawing, tree_edges: list[TreeEdge]) -> list[Connection]:
    """Pins of which the tree joins some links only in a roundabout way: each of these closes a loop."""
    connections = []
    for pin in drawing.pins:
        links_here, sets = links_at_pin(drawing, pin.name), _DisjointSets()
        for branch in tree_edges:
            if branch.connection.pin == pin.name and branch.connection.slider is None:
                sets.union(branch.parent, branch.child)
        connections += [
            Connection(pin.name, a, b) for k, b in enumerate(links_here) for a in links_here[:k][-1:] if sets.union(a, b)
        ]
    return connections


# MERGED lagrangian.studio.drawing.masses: What a bar or a plate weighs: sheet steel as wide as it is drawn, by its length and
# width.

SHEET_DENSITY = 39.25  # kg/m^2: steel, 5 mm thick
BLOCK_MASS = 0.5  # kg, of a slider's block
Point = tuple[float, float]


@dataclass(frozen=True)
class Lamina:
    mass: float
    center: Point
    inertia: float  # about the centre of mass


def rod_mass(length: float, width: float) -> float:
    return round_mass(SHEET_DENSITY * width * length)


def round_mass(x: float) -> float:
    """Four digits: nobody knows a mass better."""
    return float(f"{x:.4g}")


def plate(points: Sequence[Point], width: float, mass: float | None = None) -> Lamina:
    """A plate with these pins at its corners: the polygon around them, and a rim of half the width along its edges.

    A plate whose pins are on a line is the bar that it looks like: the two edges there and back have all of its width.
    """
    corners = convex_hull(points)
    parts = [_edge(a, b, width) for a, b in zip(corners, [*corners[1:], corners[0]], strict=True)]
    parts += [_triangle(corners[0], a, b) for a, b in pairwise(corners[1:])]
    sheet_mass = sum(x.mass for x in parts)
    center = tuple(sum(x.mass * x.center[k] for x in parts) / sheet_mass for k in range(2))
    inertia = sum(x.inertia + x.mass * math.dist(x.center, center) ** 2 for x in parts)
    plate_mass = round_mass(sheet_mass) if mass is None else mass
    return Lamina(plate_mass, (center[0], center[1]), inertia * plate_mass / sheet_mass)


def _edge(a: Point, b: Point, width: float) -> Lamina:
    length = math.dist(a, b)
    mass = SHEET_DENSITY * width / 2 * length
    return Lamina(mass, ((a[0] + b[0]) / 2, (a[1] + b[1]) / 2), mass * length**2 / 12)


def _triangle(a: Point, b: Point, c: Point) -> Lamina:
    area = abs(_cross(a, b, c)) / 2
    center = ((a[0] + b[0] + c[0]) / 3, (a[1] + b[1] + c[1]) / 3)
    sides = math.dist(a, b) ** 2 + math.dist(b, c) ** 2 + math.dist(c, a) ** 2
    return Lamina(SHEET_DENSITY * area, center, SHEET_DENSITY * area * sides / 36)


def convex_hull(points: Sequence[Point]) -> list[Point]:
    """The corners of the polygon around points, anticlockwise (Andrew's monotone chain)."""
    ordered = sorted(set(points))

    def half(order: Sequence[Point]) -> list[Point]:
        chain: list[Point] = []
        for p in order:
            while len(chain) >= 2 and _cross(chain[-2], chain[-1], p) <= 0:
                chain.pop()
            chain.append(p)
        return chain

    return half(ordered)[:-1] + half(ordered[::-1])[:-1]


def _cross(a: Point, b: Point, c: Point) -> float:
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])
