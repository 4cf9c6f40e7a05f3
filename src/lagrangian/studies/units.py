"""The SI units of what a study varies and keeps, as far as they follow from the mechanism; "" where they do not."""

from __future__ import annotations

from collections.abc import Mapping

from lagrangian.errors import LagrangianError
from lagrangian.model.expression import Expression, Scalar
from lagrangian.model.mechanism import Mechanism
from lagrangian.model.units import of_parameter, quantities
from lagrangian.studies.keep import Kept, kept

_KEEP_UNIT = ("+", "-", "neg", "abs", "max", "min")


def units_of(mechanism: Mechanism | None, inputs: tuple[str, ...], keep: Mapping[str, str] | None) -> dict[str, str]:
    """By the names of inputs and outputs; `keep` has the texts of these, and is None for those of a function."""
    if mechanism is None:
        return {}
    known = quantities(mechanism)
    found = {name: known.get(name, "") or of_parameter(mechanism, name) for name in inputs}
    for name, text in (keep or {}).items():
        try:
            (column,) = kept({name: text}, mechanism, None)
        except LagrangianError:  # of constraints, and of events that the run alone has
            continue
        found[name] = _of_column(column, known)
    return found


def _of_column(column: Kept, known: Mapping[str, str]) -> str:
    parts = dict(known)
    for part in column.parts:
        inner = _of_expression(part.inner, known)
        after = {"time": "s", "count": ""}
        parts[part.name] = after.get(part.function, _times_seconds(inner) if part.function == "integral" else inner)
    return _of_expression(column.outer, parts)


def _times_seconds(unit: str) -> str:
    return unit.removesuffix("/s") if unit.endswith("/s") else f"{unit} s" if unit and "/" not in unit else ""


def _of_expression(x: Scalar, known: Mapping[str, str]) -> str:
    """Of sums and multiples of what has one unit: that unit."""
    if not isinstance(x, Expression):
        return ""
    if x.operation == "symbol":
        return known.get(x.name, "")
    if x.operation in ("*", "/"):
        first, second = x.arguments
        if not isinstance(second, Expression):
            return _of_expression(first, known)
        return _of_expression(second, known) if x.operation == "*" and not isinstance(first, Expression) else ""
    found = {_of_expression(y, known) for y in x.arguments}
    return found.pop() if x.operation in _KEEP_UNIT and len(found) == 1 else ""
