"""Which links a drawing joins at which pins, how they hang together as a tree, and which pins close loops."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from lagrangian.errors import ArgumentError, one_of
from lagrangian.studio.drawing.drawing import GROUND, Drawing, Motor, Slider


@dataclass(frozen=True)
class Connection:
    """Two links that turn about a pin against each other, or of which the second, a block, slides along the first."""

    pin: str
    a: str
    b: str
    slider: Slider | None = None
    motor: Motor | None = None

    def other(self, link: str) -> str:
        return self.b if link == self.a else self.a


@dataclass(frozen=True)
class Branch:
    """A connection of the tree, from the link nearer to the ground to the one further out."""

    parent: str
    child: str
    connection: Connection


@dataclass(frozen=True)
class Tree:
    branches: tuple[Branch, ...]
    loops: tuple[Connection, ...]


def links(drawing: Drawing) -> tuple[str, ...]:
    """All that moves: bars, and the blocks of sliders."""
    return (*(x.name for x in drawing.bars), *(x.block for x in drawing.sliders))


def at(drawing: Drawing, pin: str) -> tuple[str, ...]:
    """The links that are joined at a pin, the ground first."""
    ground = [GROUND] if drawing.pin(pin).ground else []
    return (*ground, *(x.block for x in drawing.sliders if x.pin == pin), *(x.name for x in drawing.bars if pin in x.pins))


def gruebler(drawing: Drawing) -> int:
    """Degrees of freedom as Gruebler counts them, motors left out: 3 of each link, less 2 of each pair that turns or slides."""
    pairs = sum(max(0, len(at(drawing, pin.name)) - 1) for pin in drawing.pins) + len(drawing.sliders)
    return 3 * len(links(drawing)) - 2 * pairs


def loose(drawing: Drawing) -> tuple[str, ...]:
    """Links that nothing joins to the ground."""
    reached, edges = {GROUND}, [(at(drawing, pin.name)) for pin in drawing.pins]
    edges += [(x.on, x.block) for x in drawing.sliders]
    grown = True
    while grown:
        met = {link for edge in edges if reached.intersection(edge) for link in edge}
        grown, reached = not met <= reached, reached | met
    return tuple(x for x in links(drawing) if x not in reached)


def tree(drawing: Drawing) -> Tree:
    """A tree from the ground in which motors and sliders are joints; pins that are left close loops.

    The torque of a motor acts at a joint of the tree. Slides are joints of the tree so that every loop is closed at a point.
    """
    if not links(drawing):
        raise ArgumentError("nothing moves yet", where="the drawing", remedy="draw a bar")
    hanging = loose(drawing)
    if hanging:
        hangs, remedy = "is" if len(hanging) == 1 else "are", "fix a pin to the ground, or join it to a part that is"
        raise ArgumentError(f"{_listed(hanging)} {hangs} not connected to the ground", where="the drawing", remedy=remedy)
    _check_motors(drawing)
    driven = [Connection(m.pin, m.against, m.drives, motor=m) for m in drawing.motors]
    sliding = [Connection(s.pin, s.on, s.block, slider=s) for s in drawing.sliders]
    chosen = _spanning([*driven, *sliding])
    if len(chosen) < len(driven) + len(sliding):
        remedy = "remove one of them"
        raise ArgumentError("the motors drive links in a closed ring", where="the drawing", remedy=remedy)
    grown = _grown(drawing, chosen)
    used = {id(branch.connection) for branch in grown}
    assert all(id(x) in used for x in chosen)
    return Tree(tuple(grown), tuple(_left(drawing, grown)))


def _check_motors(drawing: Drawing) -> None:
    pins = [x.name for x in drawing.pins]
    pairs: set[tuple[str, frozenset[str]]] = set()
    for motor in drawing.motors:
        where = f"motor at {motor.pin}"
        if motor.pin not in pins:
            raise ArgumentError(one_of("pin", motor.pin, pins), where=where)
        here = at(drawing, motor.pin)
        for name in (motor.drives, motor.against):
            if name not in here:
                remedy = f"the links here are {_listed(here) or 'none'}"
                raise ArgumentError(f"{name!r} is not joined at this pin", where=where, remedy=remedy)
        if motor.drives == motor.against:
            raise ArgumentError("it turns a link against itself", where=where, remedy="it needs two links")
        pair = (motor.pin, frozenset((motor.drives, motor.against)))
        if pair in pairs:
            raise ArgumentError("two motors turn the same two links", where=where, remedy="remove one of them")
        pairs.add(pair)


def _listed(names: Iterable[str]) -> str:
    return ", ".join(names)


class _Groups:
    """Links that hang together so far."""

    def __init__(self) -> None:
        self._of: dict[str, str] = {}

    def root(self, link: str) -> str:
        while link in self._of:
            link = self._of[link]
        return link

    def join(self, a: str, b: str) -> bool:
        """Whether these were apart."""
        first, second = self.root(a), self.root(b)
        if first != second:
            self._of[second] = first
        return first != second


def _spanning(connections: Iterable[Connection]) -> list[Connection]:
    groups = _Groups()
    return [x for x in connections if groups.join(x.a, x.b)]


def _grown(drawing: Drawing, chosen: list[Connection]) -> list[Branch]:
    """The tree: what is chosen, and the pins nearest to the ground first, so that loops are short."""
    groups = _Groups()
    for x in chosen:
        groups.join(x.a, x.b)
    edges = list(chosen)
    order, k = [GROUND], 0
    while k < len(order):
        link, k = order[k], k + 1
        for pin in drawing.pins:
            here = at(drawing, pin.name)
            if link in here:
                edges += [Connection(pin.name, link, x) for x in here if x != link and groups.join(link, x)]
        order += [y for x in edges if link in (x.a, x.b) and (y := x.other(link)) not in order]
    found: list[Branch] = []
    for link in order:  # outwards: each link is in the order once, and comes after the one that it hangs on
        for x in edges:
            if link in (x.a, x.b) and all(x is not branch.connection for branch in found):
                found.append(Branch(link, x.other(link), x))
    return found


def _left(drawing: Drawing, grown: list[Branch]) -> list[Connection]:
    """Pins of which the tree joins some links only in a roundabout way: each of these closes a loop."""
    found = []
    for pin in drawing.pins:
        here, groups = at(drawing, pin.name), _Groups()
        for branch in grown:
            if branch.connection.pin == pin.name and branch.connection.slider is None:
                groups.join(branch.parent, branch.child)
        found += [Connection(pin.name, a, b) for k, b in enumerate(here) for a in here[:k][-1:] if groups.join(a, b)]
    return found
