"""A frame for each link of a drawing, its origin at the pin that it hangs on, x along the bar; and names for its lengths."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass

from lagrangian.studio.drawing.drawing import GROUND, Bar, Drawing, Slider
from lagrangian.studio.drawing.links import Tree
from lagrangian.studio.drawing.masses import Point

DIGITS = 12  # decimals of metres and radians: rounding of the last bits is not shown
Value = float | str  # a number, or an expression of parameters


def tidy(x: float) -> float:
    return round(x, DIGITS) + 0.0  # no -0.0


def wrapped(angle: float) -> float:
    """An angle between -pi and pi."""
    return math.remainder(angle, 2 * math.pi)


@dataclass(frozen=True)
class Frame:
    """Where a link's frame is in the drawing."""

    origin: Point
    angle: float

    def local(self, p: Point) -> Point:
        dx, dy, c, s = p[0] - self.origin[0], p[1] - self.origin[1], math.cos(self.angle), math.sin(self.angle)
        return tidy(c * dx + s * dy), tidy(c * dy - s * dx)


@dataclass(frozen=True)
class Guide:
    """The line that a block slides along, in its link's frame: its point nearest to the origin, and its angle."""

    foot: Point
    angle: float
    along: float  # where the block is on it, from the foot


class Names:
    """Parameters by name: each name once, with its value and what it is."""

    def __init__(self) -> None:
        self.values: dict[str, tuple[float, str]] = {}

    def add(self, name: str, value: float, what: str) -> str:
        found, k = name, 1
        while found in self.values:
            k += 1
            found = f"{name}_{k}" if re.search(r"\d$", name) else f"{name}{k}"
        self.values[found] = (tidy(value), what)
        return found


class Frames:
    """The frames of all links, and the places of pins in them, as numbers and by the names of parameters."""

    def __init__(self, drawing: Drawing, tree: Tree, names: Names) -> None:
        self.drawing, self.names = drawing, names
        self.hung = {x.child: x.connection.pin for x in tree.branches if x.connection.slider is None}
        self.of = {GROUND: Frame((0.0, 0.0), 0.0)}
        self.lengths: dict[str, str] = {}
        self._named: dict[tuple[str, str], tuple[Value, Value]] = {}
        for bar in drawing.bars:
            self._place(bar)
        for slider in drawing.sliders:
            guide = self.guide(slider)
            self.of[slider.block] = Frame(self.point(slider.pin), self.of[slider.on].angle + guide.angle)

    def point(self, pin: str) -> Point:
        found = self.drawing.pin(pin)
        return found.x, found.y

    def base(self, bar: Bar) -> tuple[str, str]:
        """The pins at the origin and along x."""
        origin = self.hung.get(bar.name, bar.pins[0])
        return origin, next(x for x in bar.pins if x != origin)

    def _place(self, bar: Bar) -> None:
        origin, along = self.base(bar)
        o, p = self.point(origin), self.point(along)
        self.of[bar.name] = Frame(o, math.atan2(p[1] - o[1], p[0] - o[0]))
        first, second = sorted((origin, along), key=bar.pins.index)
        self.lengths[bar.name] = self.names.add(f"l_{first}{second}", math.dist(o, p), f"from {first} to {second}")

    def local(self, link: str, pin: str) -> tuple[Value, Value]:
        """A pin in a link's frame, by the names of parameters; zeros stay zeros."""
        if link.startswith("block ") and any(x.block == link for x in self.drawing.sliders):
            return 0, 0
        if (link, pin) not in self._named:
            self._named[link, pin] = self._name(link, pin)
        return self._named[link, pin]

    def _name(self, link: str, pin: str) -> tuple[Value, Value]:
        x, y = self.of[link].local(self.point(pin))
        if link != GROUND:
            origin, along = self.base(self.drawing.bar(link))
            length = self.lengths[link]
            if pin in (origin, along):
                return (length if pin == along else 0), 0
            if abs(x - self.names.values[length][0] / 2) < 1e-9:
                return f"{length}/2", self.parameter(f"v_{pin}", y, f"of pin {pin}, across the bar")
        if link == GROUND:
            return self.parameter(f"x_{pin}", x, f"of pin {pin}"), self.parameter(f"y_{pin}", y, f"of pin {pin}")
        u = self.parameter(f"u_{pin}", x, f"of pin {pin}, along the bar")
        return u, self.parameter(f"v_{pin}", y, f"of pin {pin}, across the bar")

    def parameter(self, name: str, value: float, what: str) -> Value:
        """A length by its name; none is needed for zero."""
        return self.names.add(name, value, what) if abs(value) > 1e-9 else 0

    def guide(self, slider: Slider) -> Guide:
        """The line of a slider in the frame of what it slides on; it points to the right, as the frame has it."""
        frame = self.of[slider.on]
        world = slider.angle
        if slider.on != GROUND:
            (ax, ay), (bx, by) = (self.point(x) for x in self.drawing.bar(slider.on).pins[:2])
            world = math.atan2(by - ay, bx - ax)
        angle = wrapped(world - frame.angle)
        angle = tidy(angle - math.copysign(math.pi, angle) if abs(angle) > math.pi / 2 + 1e-9 else angle)
        (x, y), (c, s) = frame.local(self.point(slider.pin)), (math.cos(angle), math.sin(angle))
        along, across = c * x + s * y, c * y - s * x
        return Guide((tidy(-s * across), tidy(c * across)), angle, tidy(along))
