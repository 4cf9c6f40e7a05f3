"""The links of a drawing: which are joined at which pins, their tree from the ground with its loops, and how freely they move."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from lagrangian.errors import ArgumentError, unknown_name_message
from lagrangian.model.printed_table import pluralise
from lagrangian.studio.drawing.drawing import GROUND, Drawing, DrawnMotor, Slider

_NUMBERS = ("No", "One", "Two", "Three", "Four", "Five", "Six", "Seven", "Eight", "Nine")


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
    """The names of the links that move: the bars, and the blocks of sliders."""
    return (*(x.name for x in drawing.bars), *(x.block for x in drawing.sliders))


def links_at_pin(drawing: Drawing, pin: str) -> tuple[str, ...]:
    """The links that are joined at a pin, the ground first."""
    ground = [GROUND] if drawing.pin(pin).ground else []
    return (*ground, *(x.block for x in drawing.sliders if x.pin == pin), *(x.name for x in drawing.bars if pin in x.pins))


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
        raise ArgumentError(f"{', '.join(unconnected)} {verb} not connected to the ground", where="the drawing", remedy=remedy)
    _check_motors(drawing)
    motor_connections = [Connection(m.pin, m.against, m.drives, motor=m) for m in drawing.motors]
    slider_connections = [Connection(s.pin, s.on, s.block, slider=s) for s in drawing.sliders]
    connections = _independent_connections([*motor_connections, *slider_connections])
    if len(connections) < len(motor_connections) + len(slider_connections):
        remedy = "remove one of them"
        raise ArgumentError("the motors drive links in a closed ring", where="the drawing", remedy=remedy)
    edges = _grow_tree(drawing, connections)
    used = {id(edge.connection) for edge in edges}
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
                remedy = f"the links here are {', '.join(links_here) or 'none'}"
                raise ArgumentError(f"{name!r} is not joined at this pin", where=where, remedy=remedy)
        if motor.drives == motor.against:
            raise ArgumentError("it turns a link against itself", where=where, remedy="it needs two links")
        pair = (motor.pin, frozenset((motor.drives, motor.against)))
        if pair in pairs:
            raise ArgumentError("two motors turn the same two links", where=where, remedy="remove one of them")
        pairs.add(pair)


class _DisjointSets:
    """Sets of links that are joined so far."""

    def __init__(self) -> None:
        self._parents: dict[str, str] = {}

    def find(self, link: str) -> str:
        while link in self._parents:
            link = self._parents[link]
        return link

    def union(self, a: str, b: str) -> bool:
        """Join the sets of two links; whether they were apart."""
        first, second = self.find(a), self.find(b)
        if first != second:
            self._parents[second] = first
        return first != second


def _independent_connections(connections: Iterable[Connection]) -> list[Connection]:
    sets = _DisjointSets()
    return [x for x in connections if sets.union(x.a, x.b)]


def _grow_tree(drawing: Drawing, connections: list[Connection]) -> list[TreeEdge]:
    """The edges of a tree with the chosen connections, which takes pins nearest to the ground first, so that loops are short."""
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
    for link in order:  # outwards: each link is there once, and comes after its parent
        for x in tree_connections:
            if link in (x.a, x.b) and all(x is not edge.connection for edge in tree_edges):
                tree_edges.append(TreeEdge(link, x.other(link), x))
    return tree_edges


def _loop_connections(drawing: Drawing, tree_edges: list[TreeEdge]) -> list[Connection]:
    """The connections that close loops: at pins some of whose links the tree does not join there."""
    connections = []
    for pin in drawing.pins:
        links_here, sets = links_at_pin(drawing, pin.name), _DisjointSets()
        for edge in tree_edges:
            if edge.connection.pin == pin.name and edge.connection.slider is None:
                sets.union(edge.parent, edge.child)
        connections += [
            Connection(pin.name, a, b) for k, b in enumerate(links_here) for a in links_here[:k][-1:] if sets.union(a, b)
        ]
    return connections


# -- mobility ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class DrawingMobility:
    """The degrees of freedom of a drawing as Gruebler counts them without motors, with a sentence about them.

    `count` is Gruebler's count as it is written: "3 × 3 links − 2 × 4 joints = 1". `is_good` is False where the drawing has to
    be changed before it can move.
    """

    degrees: int
    count: str
    message: str
    is_good: bool


def drawing_mobility(drawing: Drawing) -> DrawingMobility:
    moving, degrees = len(moving_links(drawing)), gruebler_count(drawing)
    pairs = (3 * moving - degrees) // 2
    count = f"3 × {pluralise(moving, 'link')} − 2 × {pluralise(pairs, 'joint')} = {degrees}".replace("-", "−")
    message, is_good = _state_message(drawing, degrees)
    return DrawingMobility(degrees, count, message, is_good)


def gruebler_count(drawing: Drawing) -> int:
    """Degrees of freedom as Gruebler counts them, motors left out: 3 of each link, less 2 of each pair that turns or slides."""
    pairs = sum(max(0, len(links_at_pin(drawing, pin.name)) - 1) for pin in drawing.pins) + len(drawing.sliders)
    return 3 * len(moving_links(drawing)) - 2 * pairs


def _state_message(drawing: Drawing, degrees: int) -> tuple[str, bool]:
    if not drawing.bars:
        return "Draw a bar: choose Bar, press the mouse button where it begins, and release it where it ends.", False
    if not any(x.ground for x in drawing.pins) and not any(x.on == "ground" for x in drawing.sliders):
        return "Nothing holds the linkage: choose Ground and click the pins that are fixed.", False
    unconnected = unconnected_links(drawing)
    if unconnected:
        is_single = len(unconnected) == 1
        problem = f"{_join_names(unconnected)} {'is' if is_single else 'are'} not connected to the ground"
        pronoun, possessive = ("it", "its") if is_single else ("them", "their")
        return f"{problem}: join {pronoun} to the rest by a pin, or fix one of {possessive} pins to the ground.", False
    fixed_bar = next((x.name for x in drawing.bars if sum(drawing.pin(p).ground for p in x.pins) > 1), "")
    if fixed_bar:
        return f"{fixed_bar} is fixed to the ground at two pins and cannot move: free one of them.", False
    return _drive_message(drawing, degrees)


def _drive_message(drawing: Drawing, degrees: int) -> tuple[str, bool]:
    motors = len(drawing.motors)
    if degrees < 0:
        problem = f"Gruebler counts {degrees}".replace("-", "−")
        special = "It moves only with special lengths, such as parallel bars."
        return f"{problem}: the linkage is overconstrained. {special}", False
    if degrees == 0:
        return "No degree of freedom: this is a structure. It moves only with special lengths.", False
    free = f"{_number_word(degrees)} {_plural_noun(degrees, 'degree')} of freedom"
    if motors == 0:
        needed = "add a motor to drive it" if degrees == 1 else f"add {_number_word(degrees).lower()} motors to drive it"
        return f"{free}: {needed}. Without a motor, it moves by its own weight.", True
    if motors > degrees:
        return (
            f"{free}, but {_number_word(motors).lower()} motors: they work against each other. Remove {motors - degrees}.",
            False,
        )
    if motors == degrees:
        return f"{free}, and {'a motor drives it' if motors == 1 else 'each has its motor'}.", True
    missing = degrees - motors
    loads = "gravity moves the rest" if drawing.gravity else "the rest follows by its inertia"
    has = f"{_number_word(motors).lower()} {_plural_noun(motors, 'motor')}"
    return f"{free}, and {has}: add {_number_word(missing).lower()} more, or {loads}.", True


def _number_word(n: int) -> str:
    return _NUMBERS[n] if 0 <= n < len(_NUMBERS) else str(n)


def _plural_noun(n: int, noun: str) -> str:
    """The noun that stands after a number, which may be a word."""
    return noun if n == 1 else f"{noun}s"


def _join_names(names: tuple[str, ...]) -> str:
    shown_names = [*names[:3], "others"] if len(names) > 3 else list(names)
    return " and ".join(filter(None, (", ".join(shown_names[:-1]), shown_names[-1])))
