"""A drawing as a description in TOML: readable names, lengths and masses as parameters, and a start as it is drawn."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from lagrangian.description.toml import text
from lagrangian.studio.drawing import masses
from lagrangian.studio.drawing.drawing import BAR_WIDTH, GROUND, Bar, Drawing, DrawnMotor, Slider
from lagrangian.studio.drawing.links import Connection, LinkageTree, TreeEdge, spanning_tree
from lagrangian.studio.drawing.masses import Point

DIGITS = 12  # decimals of metres and radians: rounding of the last bits is not shown
SECONDS = 5.0
THICKNESS = 0.005  # metres: what is seen in space; bars lie behind each other
ANGLE_PREFIXES = ("theta", "phi", "psi", "chi")  # the angles at one pin, if there are several

# prefixes of a slide's coordinate; of a frame at the end of a bar; of a frame whose pin has given its name to a loop
SLIDE_PREFIX, END_PREFIX, POINT_PREFIX = "s_", "end_", "point_"
Value = float | str  # a number, or an expression of parameters
Entries = dict[str, str]


def drawing_to_toml(drawing: Drawing) -> str:
    """The description; an error if the drawing is not one of a mechanism."""
    return _TomlBuilder(drawing).text()


class _TomlBuilder:
    def __init__(self, drawing: Drawing) -> None:
        self.drawing, self.tree, self.parameters = drawing, spanning_tree(drawing), ParameterTable()
        if drawing.gravity:
            self.parameters.add("g", drawing.gravity, "m/s^2")
        self.frames = DrawingFrames(drawing, self.tree, self.parameters)
        self.start: dict[str, float] = {}
        self.motors: list[tuple[DrawnMotor, str, float]] = []  # with the joint, and its sense
        self.used_names: set[str] = set()

    def text(self) -> str:
        drawing = self.drawing
        bars = [(self._bar(x, k) if len(x.pins) == 2 else self._plate(x, k)) for k, x in enumerate(drawing.bars)]
        blocks = [self._block(x) for x in drawing.sliders]
        tables = [("[[body]]", x) for x in (*bars, *blocks)]
        tables += [("[[joint]]", self._joint(x)) for x in self.tree.edges]
        tables += [("[[loop]]", self._loop(x)) for x in self.tree.loops]
        tables += [("[[constraint]]", x) for x in self._speed_constraints()]
        points = [(pin.name, bar) for bar in drawing.bars for pin in drawing.pins if self._is_point(pin.name, bar)]
        tables += [("[[frame]]", self._frame(*point)) for point in points]
        tables.append(("[initial]", self._initial()))
        head = [f"name = {text.format_string(drawing.name)}", f"gravity = {self._vector(0, '-g' if drawing.gravity else 0)}"]
        parameter_lines = {
            f"{text.format_key(name)} = {text.format_number(x)}": meaning for name, (x, meaning) in self.parameters.values.items()
        }
        width = max(map(len, parameter_lines), default=0) + 4
        parameters = [f"{line.ljust(width)}# {meaning}" for line, meaning in parameter_lines.items()]
        parts = ["\n".join(head), "\n".join(["[parameters]", *parameters])]
        parts += ["\n".join([title, *text.format_entries(entries)]) for title, entries in tables]
        return "\n\n".join(filter(None, parts)) + "\n"

    # -- links -------------------------------------------------------------------------------------------------------

    def _bar(self, bar: Bar, k: int) -> Entries:
        l = self.frames.lengths[bar.name]
        m = self._mass(
            bar.pins, masses.rod_mass(self.parameters.values[l][0], bar.width) if bar.mass is None else bar.mass, bar.name
        )
        shape = self._box((0.0, 0.0), (self.parameters.values[l][0], 0.0), bar.width, k, l)
        return {
            "name": text.format_string(bar.name),
            "mass": text.format_string(m),
            "center": self._vector(f"{l}/2", 0),
            "inertia": text.format_array(self._number_texts((0, f"{m}*{l}^2/12", f"{m}*{l}^2/12"))),
            "visuals": f"[{shape}]",
        }

    def _plate(self, bar: Bar, k: int) -> Entries:
        frame = self.frames.by_link[bar.name]
        points = [frame.to_local(self.frames.pin_position(x)) for x in bar.pins]
        lamina = masses.plate(points, bar.width, bar.mass)
        m = self._mass(bar.pins, lamina.mass, bar.name)
        meaning = f"of {_comment_text(bar.name)} about its centre of mass"
        I = self.parameters.add(f"I_{''.join(bar.pins)}", float(f"{lamina.inertia:.6g}"), meaning)
        corners = masses.convex_hull(points)
        edges = zip(corners, [*corners[1:], corners[0]] if len(corners) > 2 else corners[1:], strict=False)
        shapes = [self._box(a, b, bar.width, k) for a, b in edges]
        return {
            "name": text.format_string(bar.name),
            "mass": text.format_string(m),
            "center": self._vector(*(round_decimals(x) for x in lamina.center)),
            "inertia": text.format_array(self._number_texts((0, I, I))),
            "visuals": "[\n" + "".join(f"    {x},\n" for x in shapes) + "]",
        }

    def _block(self, slider: Slider) -> Entries:
        m = self._mass((slider.pin,), masses.BLOCK_MASS if slider.mass is None else slider.mass, slider.block)
        size = 2 * next((x.width for x in self.drawing.bars if slider.pin in x.pins), BAR_WIDTH)
        shape = text.format_inline_table(
            {"shape": '"box"', "size": text.format_array(self._number_texts((1.5 * size, size, THICKNESS)))}
        )
        # a block turns with what it slides on: of its inertia only the mass is felt
        return {"name": text.format_string(slider.block), "mass": text.format_string(m), "visuals": f"[{shape}]"}

    def _mass(self, pins: Sequence[str], mass: float, link: str) -> str:
        return self.parameters.add(f"m_{''.join(pins)}", mass, f"of {_comment_text(link)}")

    def _box(self, a: Point, b: Point, width: float, layer: int, length: str = "") -> str:
        long, angle = math.dist(a, b), math.atan2(b[1] - a[1], b[0] - a[0])
        middle: tuple[Value, ...] = (
            (f"{length}/2", 0) if length else (round_decimals((a[0] + b[0]) / 2), round_decimals((a[1] + b[1]) / 2))
        )
        size: Value = f"{length} + {width!r}" if length else round_decimals(long + width)
        entries = {"shape": '"box"', "size": text.format_array(self._number_texts((size, width, THICKNESS)))}
        entries["xyz"] = text.format_array(self._number_texts((*middle, round_decimals(layer * THICKNESS))))
        return text.format_inline_table(entries | ({"rpy": self._rpy_text(angle)} if abs(angle) > 1e-9 else {}))

    # -- joints ------------------------------------------------------------------------------------------------------

    def _joint(self, edge: TreeEdge) -> Entries:
        x, motor = edge.connection, edge.connection.motor
        if x.slider is not None:
            return self._slide(edge, x.slider)
        name = self._unused_name(*(f"{word}_{x.pin}" for word in ANGLE_PREFIXES))
        parent, child = self.frames.by_link[edge.parent], self.frames.by_link[edge.child]
        self.start[name] = round_decimals(wrap_angle(child.angle - parent.angle))
        if motor is not None:
            self.motors.append((motor, name, 1.0 if edge.child == motor.drives else -1.0))
        entries = {"name": text.format_string(name), "type": '"revolute"', **self._between(edge)}
        place = self._place(edge.parent, x.pin, "xyz")
        return entries | place | ({} if motor is not None else {"actuated": "false"})

    def _slide(self, edge: TreeEdge, slider: Slider) -> Entries:
        guide, name = self.frames.guide(slider), self._unused_name(f"{SLIDE_PREFIX}{slider.pin}")
        self.start[name] = guide.along
        block_is_child = edge.child == slider.block
        prefix = "" if block_is_child else "child_"
        entries = {"name": text.format_string(name), "type": '"prismatic"', **self._between(edge)}
        meaning = f"of the line along which {slider.pin} slides"
        foot = [self.frames.add_parameter(f"{c}_{slider.pin}", x, meaning) for c, x in zip("xy", guide.foot, strict=True)]
        if any(foot):
            entries[f"{prefix}xyz"] = self._vector(*foot)
        if guide.angle:
            entries[f"{prefix}rpy"] = self._rpy_text(guide.angle)
        return entries | {"axis": '"x"' if block_is_child else '"-x"', "actuated": "false"}

    def _between(self, edge: TreeEdge) -> Entries:
        parent = {} if edge.parent == GROUND else {"parent": text.format_string(edge.parent)}
        return {**parent, "child": text.format_string(edge.child)}

    def _loop(self, x: Connection) -> Entries:
        # the forces of a loop are those on its first body, which should not be the ground
        a, b = (x.b, x.a) if x.a == GROUND else (x.a, x.b)
        entries = {
            "name": text.format_string(self._unused_name(x.pin)),
            "type": '"point"',
            "a": text.format_string(a),
            "b": text.format_string(b),
        }
        return entries | self._place(a, x.pin, "a_xyz") | self._place(b, x.pin, "b_xyz") | {"directions": '["x", "y"]'}

    def _place(self, link: str, pin: str, key: str) -> Entries:
        place = self.frames.pin_coordinates(link, pin)
        return {key: self._vector(*place)} if any(place) else {}

    def _unused_name(self, *names: str) -> str:
        """The first name that nothing has yet."""
        numbered = (f"{names[-1]}{k}" for k in range(2, 999))
        name = next(x for x in (*names, *numbered) if x not in self.used_names)
        self.used_names.add(name)
        return name

    # -- what drives it ----------------------------------------------------------------------------------------------

    def _speed_constraints(self) -> Iterable[Entries]:
        for motor, joint, sense in self.motors:
            if motor.kind == "speed":
                meaning = f"speed of the motor at {motor.pin}, in rad/s"
                omega = self.parameters.add(f"omega_{motor.pin}", sense * motor.value, meaning)
                equation = f"{joint} = {self.start[joint]!r} + {omega}*t"
                yield {
                    "name": text.format_string(self._unused_name(f"motor_{motor.pin}")),
                    "equation": text.format_string(equation),
                }

    def _initial(self) -> Entries:
        entries = {"q": text.format_inline_table({name: text.format_number(x) for name, x in self.start.items()})}
        entries["t_span"] = text.format_array(self._number_texts((0, SECONDS)))
        torques = {}
        for motor, joint, sense in self.motors:
            if motor.kind == "torque":
                meaning = f"torque of the motor at {motor.pin}, in N m"
                torques[joint] = text.format_string(self.parameters.add(f"tau_{motor.pin}", sense * motor.value, meaning))
        return entries | ({"torque": text.format_inline_table(torques)} if torques else {})

    def _is_point(self, pin: str, bar: Bar) -> bool:
        """Whether a pin is a point of this bar alone, or its path is to be drawn and this is the first bar that has it."""
        bars = [x.name for x in self.drawing.bars if pin in x.pins]
        is_end = not self.drawing.pin(pin).ground and not any(x.pin == pin for x in self.drawing.sliders) and len(bars) == 1
        return bars[:1] == [bar.name] and (is_end or self.drawing.pin(pin).trace)

    def _frame(self, pin: str, bar: Bar) -> Entries:
        name = (
            self._unused_name(pin, f"{POINT_PREFIX}{pin}")
            if self.drawing.pin(pin).trace
            else self._unused_name(f"{END_PREFIX}{pin}")
        )
        return {"name": text.format_string(name), "body": text.format_string(bar.name)} | self._place(bar.name, pin, "xyz")

    # -- numbers -----------------------------------------------------------------------------------------------------

    def _number_texts(self, xs: Iterable[Value]) -> list[str]:
        return [
            text.format_string(x) if isinstance(x, str) else text.format_number(int(x) if x == int(x) and abs(x) < 1e9 else x)
            for x in xs
        ]

    def _vector(self, x: Value, y: Value) -> str:
        return text.format_array(self._number_texts((x, y, 0)))

    def _rpy_text(self, angle: float) -> str:
        quarter = round(angle / (math.pi / 2))
        quarters: dict[int, Value] = {1: "pi/2", -1: "-pi/2", 2: "pi", -2: "-pi"}
        is_quarter = abs(angle - quarter * math.pi / 2) < 1e-9
        return text.format_array(self._number_texts((0, 0, quarters.get(quarter, 0) if is_quarter else round_decimals(angle))))


def _comment_text(link: str) -> str:
    """A link's name in a comment: on one line, and short."""
    return text.format_comment(link)[2:]


class DrawingFrames:
    """The frames of all links, and the places of pins in them, as numbers and by the names of parameters."""

    def __init__(self, drawing: Drawing, tree: LinkageTree, parameters: ParameterTable) -> None:
        self.drawing, self.parameters = drawing, parameters
        self.origin_pins = {x.child: x.connection.pin for x in tree.edges if x.connection.slider is None}
        self.by_link = {GROUND: LinkFrame((0.0, 0.0), 0.0)}
        self.lengths: dict[str, str] = {}
        self._pin_coordinates: dict[tuple[str, str], tuple[Value, Value]] = {}
        for bar in drawing.bars:
            self._add_bar_frame(bar)
        for slider in drawing.sliders:
            guide = self.guide(slider)
            self.by_link[slider.block] = LinkFrame(self.pin_position(slider.pin), self.by_link[slider.on].angle + guide.angle)

    def pin_position(self, pin: str) -> Point:
        drawn_pin = self.drawing.pin(pin)
        return drawn_pin.x, drawn_pin.y

    def base_pins(self, bar: Bar) -> tuple[str, str]:
        """The pins at the origin and along x."""
        origin = self.origin_pins.get(bar.name, bar.pins[0])
        return origin, next(x for x in bar.pins if x != origin)

    def _add_bar_frame(self, bar: Bar) -> None:
        origin, along = self.base_pins(bar)
        o, p = self.pin_position(origin), self.pin_position(along)
        self.by_link[bar.name] = LinkFrame(o, math.atan2(p[1] - o[1], p[0] - o[0]))
        first, second = sorted((origin, along), key=bar.pins.index)
        self.lengths[bar.name] = self.parameters.add(f"l_{first}{second}", math.dist(o, p), f"from {first} to {second}")

    def pin_coordinates(self, link: str, pin: str) -> tuple[Value, Value]:
        """A pin in a link's frame, by the names of parameters; zeros stay zeros."""
        if link.startswith("block ") and any(x.block == link for x in self.drawing.sliders):
            return 0, 0
        if (link, pin) not in self._pin_coordinates:
            self._pin_coordinates[link, pin] = self._name_coordinates(link, pin)
        return self._pin_coordinates[link, pin]

    def _name_coordinates(self, link: str, pin: str) -> tuple[Value, Value]:
        x, y = self.by_link[link].to_local(self.pin_position(pin))
        if link != GROUND:
            origin, along = self.base_pins(self.drawing.bar(link))
            length = self.lengths[link]
            if pin in (origin, along):
                return (length if pin == along else 0), 0
            if abs(x - self.parameters.values[length][0] / 2) < 1e-9:
                return f"{length}/2", self.add_parameter(f"v_{pin}", y, f"of pin {pin}, across the bar")
        if link == GROUND:
            return self.add_parameter(f"x_{pin}", x, f"of pin {pin}"), self.add_parameter(f"y_{pin}", y, f"of pin {pin}")
        u = self.add_parameter(f"u_{pin}", x, f"of pin {pin}, along the bar")
        return u, self.add_parameter(f"v_{pin}", y, f"of pin {pin}, across the bar")

    def add_parameter(self, name: str, value: float, meaning: str) -> Value:
        """A length by its name; none is needed for zero."""
        return self.parameters.add(name, value, meaning) if abs(value) > 1e-9 else 0

    def guide(self, slider: Slider) -> Guide:
        """The line of a slider in the frame of what it slides on; it points to the right, as the frame has it."""
        frame = self.by_link[slider.on]
        world = slider.angle
        if slider.on != GROUND:
            (ax, ay), (bx, by) = (self.pin_position(x) for x in self.drawing.bar(slider.on).pins[:2])
            world = math.atan2(by - ay, bx - ax)
        angle = wrap_angle(world - frame.angle)
        angle = round_decimals(angle - math.copysign(math.pi, angle) if abs(angle) > math.pi / 2 + 1e-9 else angle)
        (x, y), (c, s) = frame.to_local(self.pin_position(slider.pin)), (math.cos(angle), math.sin(angle))
        along, across = c * x + s * y, c * y - s * x
        return Guide((round_decimals(-s * across), round_decimals(c * across)), angle, round_decimals(along))


@dataclass(frozen=True)
class LinkFrame:
    """The frame of a link in the drawing: its origin and its angle."""

    origin: Point
    angle: float

    def to_local(self, p: Point) -> Point:
        dx, dy, c, s = p[0] - self.origin[0], p[1] - self.origin[1], math.cos(self.angle), math.sin(self.angle)
        return round_decimals(c * dx + s * dy), round_decimals(c * dy - s * dx)


@dataclass(frozen=True)
class Guide:
    """The line that a block slides along, in its link's frame: its point nearest to the origin, and its angle."""

    foot: Point
    angle: float
    along: float  # where the block is on it, from the foot


class ParameterTable:
    """Parameters by name: each name once, with its value and what it is."""

    def __init__(self) -> None:
        self.values: dict[str, tuple[float, str]] = {}

    def add(self, name: str, value: float, meaning: str) -> str:
        unique_name, k = name, 1
        while unique_name in self.values:
            k += 1
            unique_name = f"{name}_{k}" if re.search(r"\d$", name) else f"{name}{k}"
        self.values[unique_name] = (round_decimals(value), meaning)
        return unique_name


def round_decimals(x: float) -> float:
    return round(x, DIGITS) + 0.0  # no -0.0


def wrap_angle(angle: float) -> float:
    """An angle between -pi and pi."""
    return math.remainder(angle, 2 * math.pi)
