"""How freely a drawing moves: the degrees of freedom that Gruebler counts, and a sentence that says what they mean."""

from __future__ import annotations

from dataclasses import dataclass

from lagrangian.studio.drawing.drawing import Drawing
from lagrangian.studio.drawing.links import gruebler_count, moving_links, unconnected_links

_NUMBERS = ("No", "One", "Two", "Three", "Four", "Five", "Six", "Seven", "Eight", "Nine")


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
    count = (
        f"3 × {moving} {_pluralise(moving, 'link')} − 2 × {pairs} {_pluralise(pairs, 'joint')} = {str(degrees).replace('-', '−')}"
    )
    message, is_good = _state_message(drawing, degrees)
    return DrawingMobility(degrees, count, message, is_good)


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
    free = f"{_number_word(degrees)} {_pluralise(degrees, 'degree')} of freedom"
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
    has = f"{_number_word(motors).lower()} {_pluralise(motors, 'motor')}"
    return f"{free}, and {has}: add {_number_word(missing).lower()} more, or {loads}.", True


def _number_word(n: int) -> str:
    return _NUMBERS[n] if 0 <= n < len(_NUMBERS) else str(n)


def _pluralise(n: int, word: str) -> str:
    return word if n == 1 else f"{word}s"


def _join_names(names: tuple[str, ...]) -> str:
    shown_names = [*names[:3], "others"] if len(names) > 3 else list(names)
    return " and ".join(filter(None, (", ".join(shown_names[:-1]), shown_names[-1])))
