"""A drawing as a description in TOML: readable names, lengths and masses as parameters, and a start as it is drawn."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from lagrangian.description.toml import text
from lagrangian.studio.drawing import masses
from lagrangian.studio.drawing.drawing import GROUND, WIDTH, Bar, Drawing, Motor, Slider
from lagrangian.studio.drawing.frames import Frames, Names, Value, tidy, wrapped
from lagrangian.studio.drawing.links import Branch, Connection, tree

SECONDS = 5.0
THICK = 0.005  # metres: what is seen in space; bars lie behind each other
TURNS = ("theta", "phi", "psi", "chi")  # the angles at one pin, if there are several
# prefixes of a slide's coordinate; of a frame at the end of a bar; of a frame whose pin has given its name to a loop
SLIDE, END, POINT = "s_", "end_", "point_"
Entries = dict[str, str]


def describe(drawing: Drawing) -> str:
    """The description; an error if the drawing is not one of a mechanism."""
    return _Description(drawing).text()


class _Description:
    def __init__(self, drawing: Drawing) -> None:
        self.drawing, self.tree, self.names = drawing, tree(drawing), Names()
        if drawing.gravity:
            self.names.add("g", drawing.gravity, "m/s^2")
        self.frames = Frames(drawing, self.tree, self.names)
        self.start: dict[str, float] = {}
        self.motors: list[tuple[Motor, str, float]] = []  # with the joint, and its sense
        self.taken: set[str] = set()

    def text(self) -> str:
        drawing = self.drawing
        bars = [(self._bar(x, k) if len(x.pins) == 2 else self._plate(x, k)) for k, x in enumerate(drawing.bars)]
        blocks = [self._block(x) for x in drawing.sliders]
        tables = [("[[body]]", x) for x in (*bars, *blocks)]
        tables += [("[[joint]]", self._joint(x)) for x in self.tree.branches]
        tables += [("[[loop]]", self._loop(x)) for x in self.tree.loops]
        tables += [("[[constraint]]", x) for x in self._drives()]
        points = [(pin.name, bar) for bar in drawing.bars for pin in drawing.pins if self._is_point(pin.name, bar)]
        tables += [("[[frame]]", self._frame(*point)) for point in points]
        tables.append(("[initial]", self._initial()))
        head = [f"name = {text.string(drawing.name)}", f"gravity = {self._vector(0, '-g' if drawing.gravity else 0)}"]
        written = {f"{text.key(name)} = {text.number(x)}": what for name, (x, what) in self.names.values.items()}
        wide = max(map(len, written), default=0) + 4
        parameters = [f"{line.ljust(wide)}# {what}" for line, what in written.items()]
        parts = ["\n".join(head), "\n".join(["[parameters]", *parameters])]
        parts += ["\n".join([title, *text.lines(entries)]) for title, entries in tables]
        return "\n\n".join(filter(None, parts)) + "\n"

    # -- links -------------------------------------------------------------------------------------------------------

    def _bar(self, bar: Bar, k: int) -> Entries:
        l = self.frames.lengths[bar.name]
        m = self._mass(bar.pins, masses.rod_mass(self.names.values[l][0], bar.width) if bar.mass is None else bar.mass, bar.name)
        shape = self._box((0.0, 0.0), (self.names.values[l][0], 0.0), bar.width, k, l)
        return {
            "name": text.string(bar.name),
            "mass": text.string(m),
            "center": self._vector(f"{l}/2", 0),
            "inertia": text.array(self._values((0, f"{m}*{l}^2/12", f"{m}*{l}^2/12"))),
            "visuals": f"[{shape}]",
        }

    def _plate(self, bar: Bar, k: int) -> Entries:
        frame = self.frames.of[bar.name]
        points = [frame.local(self.frames.point(x)) for x in bar.pins]
        found = masses.plate(points, bar.width, bar.mass)
        m = self._mass(bar.pins, found.mass, bar.name)
        told = f"of {_said(bar.name)} about its centre of mass"
        I = self.names.add(f"I_{''.join(bar.pins)}", float(f"{found.inertia:.6g}"), told)
        corners = masses.hull(points)
        edges = zip(corners, [*corners[1:], corners[0]] if len(corners) > 2 else corners[1:], strict=False)
        shapes = [self._box(a, b, bar.width, k) for a, b in edges]
        return {
            "name": text.string(bar.name),
            "mass": text.string(m),
            "center": self._vector(*(tidy(x) for x in found.center)),
            "inertia": text.array(self._values((0, I, I))),
            "visuals": "[\n" + "".join(f"    {x},\n" for x in shapes) + "]",
        }

    def _block(self, slider: Slider) -> Entries:
        m = self._mass((slider.pin,), masses.BLOCK if slider.mass is None else slider.mass, slider.block)
        size = 2 * next((x.width for x in self.drawing.bars if slider.pin in x.pins), WIDTH)
        shape = text.inline({"shape": '"box"', "size": text.array(self._values((1.5 * size, size, THICK)))})
        # a block turns with what it slides on: of its inertia only the mass is felt
        return {"name": text.string(slider.block), "mass": text.string(m), "visuals": f"[{shape}]"}

    def _mass(self, pins: Sequence[str], mass: float, link: str) -> str:
        return self.names.add(f"m_{''.join(pins)}", mass, f"of {_said(link)}")

    def _box(self, a: masses.Point, b: masses.Point, width: float, layer: int, length: str = "") -> str:
        long, turn = math.dist(a, b), math.atan2(b[1] - a[1], b[0] - a[0])
        middle: tuple[Value, ...] = (f"{length}/2", 0) if length else (tidy((a[0] + b[0]) / 2), tidy((a[1] + b[1]) / 2))
        size: Value = f"{length} + {width!r}" if length else tidy(long + width)
        entries = {"shape": '"box"', "size": text.array(self._values((size, width, THICK)))}
        entries["xyz"] = text.array(self._values((*middle, tidy(layer * THICK))))
        return text.inline(entries | ({"rpy": self._turn(turn)} if abs(turn) > 1e-9 else {}))

    # -- joints ------------------------------------------------------------------------------------------------------

    def _joint(self, branch: Branch) -> Entries:
        x, motor = branch.connection, branch.connection.motor
        if x.slider is not None:
            return self._slide(branch, x.slider)
        name = self._free(*(f"{word}_{x.pin}" for word in TURNS))
        parent, child = self.frames.of[branch.parent], self.frames.of[branch.child]
        self.start[name] = tidy(wrapped(child.angle - parent.angle))
        if motor is not None:
            self.motors.append((motor, name, 1.0 if branch.child == motor.drives else -1.0))
        entries = {"name": text.string(name), "type": '"revolute"', **self._between(branch)}
        place = self._place(branch.parent, x.pin, "xyz")
        return entries | place | ({} if motor is not None else {"actuated": "false"})

    def _slide(self, branch: Branch, slider: Slider) -> Entries:
        guide, name = self.frames.guide(slider), self._free(f"{SLIDE}{slider.pin}")
        self.start[name] = guide.along
        outward = branch.child == slider.block
        prefix = "" if outward else "child_"
        entries = {"name": text.string(name), "type": '"prismatic"', **self._between(branch)}
        told = f"of the line along which {slider.pin} slides"
        foot = [self.frames.parameter(f"{c}_{slider.pin}", x, told) for c, x in zip("xy", guide.foot, strict=True)]
        if any(foot):
            entries[f"{prefix}xyz"] = self._vector(*foot)
        if guide.angle:
            entries[f"{prefix}rpy"] = self._turn(guide.angle)
        return entries | {"axis": '"x"' if outward else '"-x"', "actuated": "false"}

    def _between(self, branch: Branch) -> Entries:
        parent = {} if branch.parent == GROUND else {"parent": text.string(branch.parent)}
        return {**parent, "child": text.string(branch.child)}

    def _loop(self, x: Connection) -> Entries:
        # the forces of the loop are told as those on its first body, which is better not the ground
        a, b = (x.b, x.a) if x.a == GROUND else (x.a, x.b)
        entries = {"name": text.string(self._free(x.pin)), "type": '"point"', "a": text.string(a), "b": text.string(b)}
        return entries | self._place(a, x.pin, "a_xyz") | self._place(b, x.pin, "b_xyz") | {"directions": '["x", "y"]'}

    def _place(self, link: str, pin: str, key: str) -> Entries:
        place = self.frames.local(link, pin)
        return {key: self._vector(*place)} if any(place) else {}

    def _free(self, *names: str) -> str:
        """The first name that nothing has yet."""
        more = (f"{names[-1]}{k}" for k in range(2, 999))
        found = next(x for x in (*names, *more) if x not in self.taken)
        self.taken.add(found)
        return found

    # -- what drives it ----------------------------------------------------------------------------------------------

    def _drives(self) -> Iterable[Entries]:
        for motor, joint, sense in self.motors:
            if motor.kind == "speed":
                told = f"speed of the motor at {motor.pin}, in rad/s"
                omega = self.names.add(f"omega_{motor.pin}", sense * motor.value, told)
                equation = f"{joint} = {self.start[joint]!r} + {omega}*t"
                yield {"name": text.string(self._free(f"motor_{motor.pin}")), "equation": text.string(equation)}

    def _initial(self) -> Entries:
        entries = {"q": text.inline({name: text.number(x) for name, x in self.start.items()})}
        entries["t_span"] = text.array(self._values((0, SECONDS)))
        torques = {}
        for motor, joint, sense in self.motors:
            if motor.kind == "torque":
                told = f"torque of the motor at {motor.pin}, in N m"
                torques[joint] = text.string(self.names.add(f"tau_{motor.pin}", sense * motor.value, told))
        return entries | ({"torque": text.inline(torques)} if torques else {})

    def _is_point(self, pin: str, bar: Bar) -> bool:
        """Whether a pin is a point of this bar alone, or its path is to be drawn and this is the first bar that has it."""
        having = [x.name for x in self.drawing.bars if pin in x.pins]
        alone = not self.drawing.pin(pin).ground and not any(x.pin == pin for x in self.drawing.sliders) and len(having) == 1
        return having[:1] == [bar.name] and (alone or self.drawing.pin(pin).trace)

    def _frame(self, pin: str, bar: Bar) -> Entries:
        name = self._free(pin, f"{POINT}{pin}") if self.drawing.pin(pin).trace else self._free(f"{END}{pin}")
        return {"name": text.string(name), "body": text.string(bar.name)} | self._place(bar.name, pin, "xyz")

    # -- numbers -----------------------------------------------------------------------------------------------------

    def _values(self, xs: Iterable[Value]) -> list[str]:
        return [text.string(x) if isinstance(x, str) else text.number(int(x) if x == int(x) and abs(x) < 1e9 else x) for x in xs]

    def _vector(self, x: Value, y: Value) -> str:
        return text.array(self._values((x, y, 0)))

    def _turn(self, angle: float) -> str:
        quarter = round(angle / (math.pi / 2))
        quarters: dict[int, Value] = {1: "pi/2", -1: "-pi/2", 2: "pi", -2: "-pi"}
        near = abs(angle - quarter * math.pi / 2) < 1e-9
        return text.array(self._values((0, 0, quarters.get(quarter, 0) if near else tidy(angle))))


def _said(link: str) -> str:
    """A link's name in a comment: on one line, and short."""
    return text.comment(link)[2:]
