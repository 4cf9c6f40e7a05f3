"""What may have gone wrong in an answer: said only where it is exactly so."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from fractions import Fraction

from lagrangian.equations.algebra.ring import fraction
from lagrangian.equations.formula import Formula
from lagrangian.equations.texts.node import Node
from lagrangian.equations.writing.tree import Sum

TRIED = 30  # places in an answer at which a slip is looked for
_SWAPPED = {"sin": "cos", "cos": "sin"}


def hint(given: Formula, node: Node, right: Formula, siblings: Iterable[tuple[str, Formula]]) -> str:
    """A slip that turns what is right into what was given; "" if none was found."""
    for made in (_as_a_whole(given, right), _other_entry(given, siblings), _term(given, right), *_replaced(given, node, right)):
        if made:
            return made
    return ""


def _as_a_whole(given: Formula, right: Formula) -> str:
    if right.is_zero or given.is_zero:
        return "it should be zero" if right.is_zero else ""
    factor = _number(given / right)
    if factor is None:
        return ""
    if factor == -1:
        return "the sign is wrong"
    return _times("it", factor)


def _times(what: str, factor: Fraction) -> str:
    wanted = abs(1 / factor)
    missing = f"a factor {wanted} is missing" if wanted != 1 else ""
    sign = "the sign is wrong" if factor < 0 else ""
    return f"{what}: " * (what != "it") + " and ".join(x for x in (sign, missing) if x)


def _number(x: Formula) -> Fraction | None:
    """The value of a formula that is a number."""
    if x.denominator is not None or not x.element.poly.is_constant():
        return None
    return fraction(x.element.poly.leading_coefficient()) if x.element else Fraction(0)


def _other_entry(given: Formula, siblings: Iterable[tuple[str, Formula]]) -> str:
    for name, formula in siblings:
        if not formula.is_zero and given == formula:
            return f"this is {name}"
    return ""


def _term(given: Formula, right: Formula) -> str:
    """One term of the right formula that is missing, or has another factor; or one term too much."""
    difference = given - right
    expanded = right.expand()
    terms = list(expanded.tree.terms) if isinstance(expanded.tree, Sum) else []
    if right.denominator is not None or len(terms) > TRIED:
        return ""
    for tree in terms:
        term = Formula(right.writer, right.writer.read(tree))
        factor = _number(difference / term)
        if factor is None or factor == 0:
            continue
        what = f"the term {term}"
        return f"{what} is missing" if factor == -1 else _times(what, 1 + factor)
    return "" if isinstance(difference.expand().tree, Sum) else f"the term {difference} should not be there"


def _replaced(given: Formula, node: Node, right: Formula) -> Iterator[str]:
    """Sine and cosine exchanged, in one place or everywhere; one name in the place of another."""
    places = [x for x in node.walk() if x.operation in _SWAPPED][:TRIED]
    for swapped in ([places] if len(places) > 1 else []) + [[x] for x in places]:
        if _with_swapped(given, node, swapped) == right:
            yield "sine and cosine are exchanged" if len(swapped) == len(places) else "a sine and a cosine are exchanged"
            return
    for name in given.names:
        for other in _alike(name, right):
            if given.subs({name: other}) == right:
                yield f"{name} stands where {other} should be"
                return


def _with_swapped(given: Formula, node: Node, places: list[Node]) -> Formula:
    for place in places:
        place.operation = _SWAPPED[place.operation]
    try:
        writer, (above, below) = given.writer.family.quotient(node)
        return Formula.quotient(writer, above, below)
    finally:
        for place in places:
            place.operation = _SWAPPED[place.operation]


def _alike(name: str, right: Formula) -> list[str]:
    """Names that differ in their index alone, and for a coordinate its sums with others."""
    stem = re.sub(r"\d+", "#", name)
    coordinates = right.writer.system.coordinates
    found = [x for x in right.names if x != name and re.sub(r"\d+", "#", x) == stem]
    if name in coordinates:
        found += [f"{x} + {name}" for x in coordinates if x != name]
    return found[:TRIED]
