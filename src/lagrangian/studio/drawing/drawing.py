"""A drawing: pins, the bars through them, sliders and motors; and how it is read from a page's JSON."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

from lagrangian.errors import ArgumentError, is_number, one_of, shown
from lagrangian.visible import acts

GROUND = "ground"
WIDTH = 0.04  # of a bar, in metres, where nothing is said
MOST = 80  # bars or pins: more than anybody draws by hand
FARTHEST = 1e4  # metres from the origin
LONGEST_NAME = 60
KINDS = ("speed", "torque")
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
    width: float = WIDTH
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
class Motor:
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
    motors: tuple[Motor, ...] = ()

    def pin(self, name: str) -> Pin:
        return next(x for x in self.pins if x.name == name)

    def bar(self, name: str) -> Bar:
        return next(x for x in self.bars if x.name == name)


def read(given: Any) -> Drawing:
    """The drawing that a page sends; an error says which part of it is wrong, and what would be right."""
    table = _table(given, "the drawing", ("name", "gravity", "pins", "bars", "sliders", "motors"))
    found = Drawing(
        _text(table.get("name", "linkage"), "the drawing", "name"),
        _number(table.get("gravity", 9.81), "the drawing", "gravity", 1000.0),
        _each(table, "pins", _pin),
        _each(table, "bars", _bar),
        _each(table, "sliders", _slider),
        _each(table, "motors", _motor),
    )
    _check_names(found)
    _check_parts(found)
    return found


def written(drawing: Drawing) -> dict[str, Any]:
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


def _table(given: Any, where: str, known: Iterable[str]) -> Mapping[str, Any]:
    if not isinstance(given, Mapping):
        raise ArgumentError(f"a table is needed, not {shown(given)}", where=where)
    for key in given:
        if key not in known:
            raise ArgumentError(one_of("entry", str(key), known), where=where)
    return given


def _each(table: Mapping[str, Any], key: str, made: Callable[[Any, str], T]) -> tuple[T, ...]:
    given = table.get(key, [])
    if not isinstance(given, (list, tuple)):
        raise ArgumentError(f"is {shown(given)}", where="the drawing", argument=key, remedy="a list is needed")
    if len(given) > MOST:
        remedy = f"at most {MOST} are possible"
        raise ArgumentError(f"{len(given)} {key} are too many", where="the drawing", remedy=remedy)
    return tuple(made(x, f"{key[:-1]} {k}") for k, x in enumerate(given, 1))


def _text(given: Any, where: str, argument: str) -> str:
    if not isinstance(given, str) or not given.strip() or len(given) > LONGEST_NAME or acts(given):
        needed = f"a text of 1 to {LONGEST_NAME} visible characters is needed"
        raise ArgumentError(f"is {shown(given)}", where=where, argument=argument, remedy=needed)
    return given


def _number(given: Any, where: str, argument: str, most: float, least: float | None = None) -> float:
    lowest = -most if least is None else least
    if not is_number(given) or not lowest <= given <= most:
        needed = f"a number between {lowest:g} and {most:g} is needed"
        raise ArgumentError(f"is {shown(given)}", where=where, argument=argument, remedy=needed)
    return float(given)


def _flag(given: Any, where: str, argument: str) -> bool:
    if not isinstance(given, bool):
        raise ArgumentError(f"is {shown(given)}", where=where, argument=argument, remedy="true or false is needed")
    return given


def _mass(given: Any, where: str) -> float | None:
    return None if given is None else _number(given, where, "mass", 1e6, 1e-9)


def _pin(given: Any, where: str) -> Pin:
    table = _table(given, where, ("name", "x", "y", "ground", "trace"))
    name = table.get("name")
    if not isinstance(name, str) or not _PIN.fullmatch(name):
        needed = "a letter and up to 11 letters and digits are needed, such as A or B2"
        raise ArgumentError(f"is {shown(name)}", where=where, argument="name", remedy=needed)
    where = f"pin {name}"
    x, y = (_number(table.get(key), where, key, FARTHEST) for key in "xy")
    return Pin(name, x, y, *(_flag(table.get(key, False), where, key) for key in ("ground", "trace")))


def _bar(given: Any, where: str) -> Bar:
    table = _table(given, where, ("name", "pins", "width", "mass"))
    pins: Any = table.get("pins")
    names = isinstance(pins, (list, tuple)) and all(isinstance(x, str) for x in pins)
    if not names or len(set(pins)) != len(pins) or len(pins) < 2:
        remedy = "the names of two pins or more are needed"
        raise ArgumentError(f"is {shown(pins)}", where=where, argument="pins", remedy=remedy)
    name = _text(table.get("name", "".join(pins)[:LONGEST_NAME]), where, "name")
    where = f"bar {name}"
    width = _number(table.get("width", WIDTH), where, "width", 100.0, 1e-6)
    return Bar(name, tuple(pins), width, _mass(table.get("mass"), where))


def _slider(given: Any, where: str) -> Slider:
    table = _table(given, where, ("pin", "on", "angle", "mass"))
    pin, on = (_text(table.get(key, GROUND if key == "on" else None), where, key) for key in ("pin", "on"))
    return Slider(pin, on, _number(table.get("angle", 0.0), where, "angle", 100.0), _mass(table.get("mass"), where))


def _motor(given: Any, where: str) -> Motor:
    table = _table(given, where, ("pin", "drives", "against", "kind", "value"))
    pin, drives, against = (_text(table.get(key), where, key) for key in ("pin", "drives", "against"))
    kind = table.get("kind", "speed")
    if kind not in KINDS:
        raise ArgumentError(one_of("kind of motor", kind, KINDS), where=where)
    return Motor(pin, drives, against, kind, _number(table.get("value", 6.0), where, "value", 1e6))


# -- what is between the parts ----------------------------------------------------------------------------------------


def _check_names(drawing: Drawing) -> None:
    links = [GROUND, *(x.name for x in drawing.bars), *(x.block for x in drawing.sliders)]
    for what, names in (("pins", [x.name for x in drawing.pins]), ("links", links)):
        for name in names:
            if names.count(name) > 1:
                raise ArgumentError(f"two {what} are called {name!r}", where="the drawing", remedy="each name must be unique")


def _check_parts(drawing: Drawing) -> None:
    pins, bars = {x.name: x for x in drawing.pins}, [x.name for x in drawing.bars]
    for bar in drawing.bars:
        for name in bar.pins:
            if name not in pins:
                raise ArgumentError(one_of("pin", name, pins), where=f"bar {bar.name}")
        for k, a in enumerate(bar.pins):
            for b in bar.pins[:k]:
                if math.dist((pins[a].x, pins[a].y), (pins[b].x, pins[b].y)) < 1e-6:
                    told = f"its pins {b} and {a} coincide"
                    raise ArgumentError(told, where=f"bar {bar.name}", remedy="move one of them")
    for slider in drawing.sliders:
        where = f"slider {slider.pin}"
        if slider.pin not in pins:
            raise ArgumentError(one_of("pin", slider.pin, pins), where=where)
        if slider.on != GROUND and slider.on not in bars:
            raise ArgumentError(one_of("bar", slider.on, [GROUND, *bars]), where=where)
        if slider.on != GROUND and slider.pin in drawing.bar(slider.on).pins:
            told = f"the pin is fixed to {slider.on}, so it cannot slide along it"
            raise ArgumentError(told, where=where, remedy="use another pin")
        if slider.on == GROUND and pins[slider.pin].ground:
            remedy = "a pin is either fixed to the ground or slides along it"
            raise ArgumentError("the pin is fixed to the ground, so it cannot slide along it", where=where, remedy=remedy)
