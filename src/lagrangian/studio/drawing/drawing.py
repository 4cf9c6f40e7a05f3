"""A drawing: pins, the bars through them, sliders and motors; and how it is read from a page's JSON."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

from lagrangian.errors import ArgumentError, format_value, has_invisible, is_number, unknown_name_message

GROUND = "ground"
BAR_WIDTH = 0.04  # of a bar by default, in metres
MAX_PARTS = 80  # bars or pins: more than anybody draws by hand
MAX_COORDINATE = 1e4  # metres from the origin
MAX_NAME_LENGTH = 60
MOTOR_KINDS = ("speed", "torque")
_PIN = re.compile(r"[A-Za-z][A-Za-z0-9]{0,11}")
T = TypeVar("T")


@dataclass(frozen=True)
class Pin:
    """A point at which bars are joined, or a point of a bar whose path is drawn; `ground` holds it where it is."""

    name: str
    x: float
    y: float
    ground: bool = False
    trace: bool = False


@dataclass(frozen=True)
class Bar:
    """A rigid link through two pins or more; without a `mass` it is made of sheet steel of this `width`."""

    name: str
    pins: tuple[str, ...]
    width: float = BAR_WIDTH
    mass: float | None = None


@dataclass(frozen=True)
class Slider:
    """A block at a pin that slides along a line: of the ground, at an `angle`, or of a bar, from its first pin to its second."""

    pin: str
    on: str = GROUND
    angle: float = 0.0
    mass: float | None = None

    @property
    def block(self) -> str:
        return f"block {self.pin}"


@dataclass(frozen=True)
class DrawnMotor:
    """Turns one link against another about the pin that they share: with a given speed in rad/s, or by a torque in N m."""

    pin: str
    drives: str
    against: str
    kind: str = "speed"
    value: float = 6.0


@dataclass(frozen=True)
class Drawing:
    name: str = "linkage"
    gravity: float = 9.81
    pins: tuple[Pin, ...] = ()
    bars: tuple[Bar, ...] = ()
    sliders: tuple[Slider, ...] = ()
    motors: tuple[DrawnMotor, ...] = ()

    def pin(self, name: str) -> Pin:
        return next(x for x in self.pins if x.name == name)

    def bar(self, name: str) -> Bar:
        return next(x for x in self.bars if x.name == name)


def drawing_from_dict(data: Any) -> Drawing:
    """The drawing that a page sends; an error says which part of it is wrong, and what would be right."""
    table = _read_table(data, "the drawing", ("name", "gravity", "pins", "bars", "sliders", "motors"))
    drawing = Drawing(
        _read_text(table.get("name", "linkage"), "the drawing", "name"),
        _read_number(table.get("gravity", 9.81), "the drawing", "gravity", 1000.0),
        _read_list(table, "pins", _read_pin),
        _read_list(table, "bars", _read_bar),
        _read_list(table, "sliders", _read_slider),
        _read_list(table, "motors", _read_motor),
    )
    _check_names(drawing)
    _check_parts(drawing)
    return drawing


def drawing_to_dict(drawing: Drawing) -> dict[str, Any]:
    """The drawing as a page reads it."""
    return {
        "name": drawing.name,
        "gravity": drawing.gravity,
        "pins": [dict(vars(x)) for x in drawing.pins],
        "bars": [{**vars(x), "pins": list(x.pins)} for x in drawing.bars],
        "sliders": [dict(vars(x)) for x in drawing.sliders],
        "motors": [dict(vars(x)) for x in drawing.motors],
    }


# -- reading ----------------------------------------------------------------------------------------------------------


def _read_table(value: Any, where: str, keys: Iterable[str]) -> Mapping[str, Any]:
    if not isinstance(value, Mapping):
        raise ArgumentError(f"a table is needed, not {format_value(value)}", where=where)
    for key in value:
        if key not in keys:
            raise ArgumentError(unknown_name_message("entry", str(key), keys), where=where)
    return value


def _read_list(table: Mapping[str, Any], key: str, read_item: Callable[[Any, str], T]) -> tuple[T, ...]:
    items = table.get(key, [])
    if not isinstance(items, (list, tuple)):
        raise ArgumentError(f"is {format_value(items)}", where="the drawing", argument=key, remedy="a list is needed")
    if len(items) > MAX_PARTS:
        remedy = f"at most {MAX_PARTS} are possible"
        raise ArgumentError(f"{len(items)} {key} are too many", where="the drawing", remedy=remedy)
    return tuple(read_item(x, f"{key[:-1]} {k}") for k, x in enumerate(items, 1))


def _read_text(value: Any, where: str, argument: str) -> str:
    if not isinstance(value, str) or not value.strip() or len(value) > MAX_NAME_LENGTH or has_invisible(value):
        needed = f"a text of 1 to {MAX_NAME_LENGTH} visible characters is needed"
        raise ArgumentError(f"is {format_value(value)}", where=where, argument=argument, remedy=needed)
    return value


def _read_number(value: Any, where: str, argument: str, upper: float, lower: float | None = None) -> float:
    lowest = -upper if lower is None else lower
    if not is_number(value) or not lowest <= value <= upper:
        needed = f"a number between {lowest:g} and {upper:g} is needed"
        raise ArgumentError(f"is {format_value(value)}", where=where, argument=argument, remedy=needed)
    return float(value)


def _read_flag(value: Any, where: str, argument: str) -> bool:
    if not isinstance(value, bool):
        raise ArgumentError(f"is {format_value(value)}", where=where, argument=argument, remedy="true or false is needed")
    return value


def _read_mass(value: Any, where: str) -> float | None:
    return None if value is None else _read_number(value, where, "mass", 1e6, 1e-9)


def _read_pin(value: Any, where: str) -> Pin:
    table = _read_table(value, where, ("name", "x", "y", "ground", "trace"))
    name = table.get("name")
    if not isinstance(name, str) or not _PIN.fullmatch(name):
        needed = "a letter and up to 11 letters and digits are needed, such as A or B2"
        raise ArgumentError(f"is {format_value(name)}", where=where, argument="name", remedy=needed)
    where = f"pin {name}"
    x, y = (_read_number(table.get(key), where, key, MAX_COORDINATE) for key in "xy")
    return Pin(name, x, y, *(_read_flag(table.get(key, False), where, key) for key in ("ground", "trace")))


def _read_bar(value: Any, where: str) -> Bar:
    table = _read_table(value, where, ("name", "pins", "width", "mass"))
    pins: Any = table.get("pins")
    names = isinstance(pins, (list, tuple)) and all(isinstance(x, str) for x in pins)
    if not names or len(set(pins)) != len(pins) or len(pins) < 2:
        remedy = "the names of two pins or more are needed"
        raise ArgumentError(f"is {format_value(pins)}", where=where, argument="pins", remedy=remedy)
    name = _read_text(table.get("name", "".join(pins)[:MAX_NAME_LENGTH]), where, "name")
    where = f"bar {name}"
    width = _read_number(table.get("width", BAR_WIDTH), where, "width", 100.0, 1e-6)
    return Bar(name, tuple(pins), width, _read_mass(table.get("mass"), where))


def _read_slider(value: Any, where: str) -> Slider:
    table = _read_table(value, where, ("pin", "on", "angle", "mass"))
    pin, on = (_read_text(table.get(key, GROUND if key == "on" else None), where, key) for key in ("pin", "on"))
    return Slider(pin, on, _read_number(table.get("angle", 0.0), where, "angle", 100.0), _read_mass(table.get("mass"), where))


def _read_motor(value: Any, where: str) -> DrawnMotor:
    table = _read_table(value, where, ("pin", "drives", "against", "kind", "value"))
    pin, drives, against = (_read_text(table.get(key), where, key) for key in ("pin", "drives", "against"))
    kind = table.get("kind", "speed")
    if kind not in MOTOR_KINDS:
        raise ArgumentError(unknown_name_message("kind of motor", kind, MOTOR_KINDS), where=where)
    return DrawnMotor(pin, drives, against, kind, _read_number(table.get("value", 6.0), where, "value", 1e6))


# -- what is between the parts ----------------------------------------------------------------------------------------


def _check_names(drawing: Drawing) -> None:
    links = [GROUND, *(x.name for x in drawing.bars), *(x.block for x in drawing.sliders)]
    for kind, names in (("pins", [x.name for x in drawing.pins]), ("links", links)):
        for name in names:
            if names.count(name) > 1:
                raise ArgumentError(f"two {kind} are called {name!r}", where="the drawing", remedy="each name must be unique")


def _check_parts(drawing: Drawing) -> None:
    pins, bars = {x.name: x for x in drawing.pins}, [x.name for x in drawing.bars]
    for bar in drawing.bars:
        for name in bar.pins:
            if name not in pins:
                raise ArgumentError(unknown_name_message("pin", name, pins), where=f"bar {bar.name}")
        for k, a in enumerate(bar.pins):
            for b in bar.pins[:k]:
                if math.dist((pins[a].x, pins[a].y), (pins[b].x, pins[b].y)) < 1e-6:
                    problem = f"its pins {b} and {a} coincide"
                    raise ArgumentError(problem, where=f"bar {bar.name}", remedy="move one of them")
    for slider in drawing.sliders:
        where = f"slider {slider.pin}"
        if slider.pin not in pins:
            raise ArgumentError(unknown_name_message("pin", slider.pin, pins), where=where)
        if slider.on != GROUND and slider.on not in bars:
            raise ArgumentError(unknown_name_message("bar", slider.on, [GROUND, *bars]), where=where)
        if slider.on != GROUND and slider.pin in drawing.bar(slider.on).pins:
            problem = f"the pin is fixed to {slider.on}, so it cannot slide along it"
            raise ArgumentError(problem, where=where, remedy="use another pin")
        if slider.on == GROUND and pins[slider.pin].ground:
            remedy = "a pin is either fixed to the ground or slides along it"
            raise ArgumentError("the pin is fixed to the ground, so it cannot slide along it", where=where, remedy=remedy)
