"""How freely a drawing moves, counted by Gruebler and told in words."""

from __future__ import annotations

from dataclasses import dataclass

from lagrangian.studio.drawing.drawing import Drawing
from lagrangian.studio.drawing.links import gruebler, links, loose

_NUMBERS = ("No", "One", "Two", "Three", "Four", "Five", "Six", "Seven", "Eight", "Nine")


@dataclass(frozen=True)
class Freedom:
    """`degrees` as Gruebler counts them without motors, the `count` itself, what it means, and whether all is well."""

    degrees: int
    count: str
    words: str
    good: bool


def freedom(drawing: Drawing) -> Freedom:
    moving, degrees = len(links(drawing)), gruebler(drawing)
    pairs = (3 * moving - degrees) // 2
    count = f"3 × {moving} {_plural(moving, 'link')} − 2 × {pairs} {_plural(pairs, 'joint')} = {str(degrees).replace('-', '−')}"
    words, good = _told(drawing, degrees)
    return Freedom(degrees, count, words, good)


def _told(drawing: Drawing, degrees: int) -> tuple[str, bool]:
    if not drawing.bars:
        return "Draw a bar: choose Bar, press the mouse button where it begins, and release it where it ends.", False
    if not any(x.ground for x in drawing.pins) and not any(x.on == "ground" for x in drawing.sliders):
        return "Nothing holds the linkage: choose Ground and click the pins that are fixed.", False
    hanging = loose(drawing)
    if hanging:
        one = len(hanging) == 1
        told = f"{_listed(hanging)} {'is' if one else 'are'} not connected to the ground"
        it, its = ("it", "its") if one else ("them", "their")
        return f"{told}: join {it} to the rest by a pin, or fix one of {its} pins to the ground.", False
    stuck = next((x.name for x in drawing.bars if sum(drawing.pin(p).ground for p in x.pins) > 1), "")
    if stuck:
        return f"{stuck} is fixed to the ground at two pins and cannot move: free one of them.", False
    return _driven(drawing, degrees)


def _driven(drawing: Drawing, degrees: int) -> tuple[str, bool]:
    motors = len(drawing.motors)
    if degrees < 0:
        told = f"Gruebler counts {degrees}".replace("-", "−")
        special = "It moves only with special lengths, such as parallel bars."
        return f"{told}: the linkage is overconstrained. {special}", False
    if degrees == 0:
        return "No degree of freedom: this is a structure. It moves only with special lengths.", False
    free = f"{_number(degrees)} {_plural(degrees, 'degree')} of freedom"
    if motors == 0:
        needed = "add a motor to drive it" if degrees == 1 else f"add {_number(degrees).lower()} motors to drive it"
        return f"{free}: {needed}. Without a motor, it moves by its own weight.", True
    if motors > degrees:
        return f"{free}, but {_number(motors).lower()} motors: they work against each other. Remove {motors - degrees}.", False
    if motors == degrees:
        return f"{free}, and {'a motor drives it' if motors == 1 else 'each has its motor'}.", True
    left = degrees - motors
    loads = "gravity moves the rest" if drawing.gravity else "the rest follows by its inertia"
    has = f"{_number(motors).lower()} {_plural(motors, 'motor')}"
    return f"{free}, and {has}: add {_number(left).lower()} more, or {loads}.", True


def _number(n: int) -> str:
    return _NUMBERS[n] if 0 <= n < len(_NUMBERS) else str(n)


def _plural(n: int, word: str) -> str:
    return word if n == 1 else f"{word}s"


def _listed(names: tuple[str, ...]) -> str:
    shown = [*names[:3], "others"] if len(names) > 3 else list(names)
    return " and ".join(filter(None, (", ".join(shown[:-1]), shown[-1])))
