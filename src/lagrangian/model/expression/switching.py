"""Where expressions jump or have kinks: at which times those arguments do that depend on time alone, and which others there are.

All times are found, by bisection with interval arithmetic: an interval is left where bounds show that nothing changes in it, or
that its function is monotone with equal ends, and halved otherwise (Kearfott, Rigorous Global Search, 1996).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

import numpy as np

from lagrangian.model.expression.arrays import Times
from lagrangian.model.expression.enclosure import Enclosure
from lagrangian.model.expression.functions import evaluate
from lagrangian.model.expression.scalar import Expression, Scalar, call, free_symbols, walk

TIME = {"t"}
# intervals at a time up to which the search goes on, and times up to which a run is broken at them
MOST = 200_000
NARROW = 1e-13  # of the largest time: no interval is halved further
APART = 1e-12  # of the largest time: nearer ones are one
HALVINGS = 60

Label = Callable[[np.ndarray], np.ndarray]


class Switch(NamedTuple):
    """What a function decides by: it changes where the sign of its argument does, or, of floor, where its whole part does."""

    argument: Scalar
    whole: bool = False

    @property
    def label(self) -> Label:
        return np.floor if self.whole else np.sign

    @property
    def zero(self) -> Scalar:
        """What changes its sign where this changes."""
        return call("sin", call("*", np.pi, self.argument)) if self.whole else self.argument


def switches(x: Scalar) -> Iterator[Switch]:
    """Those of an expression."""
    for node in walk(x):
        match node.operation:
            case "sign" | "abs" | "piecewise":
                yield Switch(node.arguments[0])
            case "min" | "max":
                yield Switch(call("-", *node.arguments))
            case "floor":
                yield Switch(node.arguments[0], whole=True)
            case "sqrt" if free_symbols(node) == TIME:  # steep where it begins
                yield Switch(node.arguments[0])
            case "atan2" if free_symbols(node) == TIME:  # it jumps behind the origin
                yield Switch(node.arguments[0])


def of_state(expressions: Iterable[Scalar]) -> list[Scalar]:
    """What changes its sign where expressions jump or have kinks, of arguments that depend on more than time."""
    found = dict.fromkeys(s for x in expressions for s in switches(x) if free_symbols(s.argument) - TIME)
    return [switch.zero for switch in found]


class TooMany(Exception):
    """An expression changes too often for all its times to be found."""

    def __init__(self, expression: Scalar) -> None:
        self.expression = expression


def of_time(expressions: Iterable[Scalar], start: float, end: float) -> list[float]:
    """The times between start and end at which expressions jump or have kinks, of arguments that depend on time alone."""
    found = dict.fromkeys(s for x in expressions for s in switches(x) if free_symbols(s.argument) == TIME)
    times = [t for switch in found for t in changes(switch.argument, switch.label, start, end)]
    return distinct(times, start, end)


def distinct(times: Iterable[float], start: float, end: float) -> list[float]:
    """Those within the interval, in their order, without those that rounding alone tells from others."""
    apart = APART * max(abs(start), abs(end))
    kept: list[float] = []
    for t in sorted(float(x) for x in times):
        if start + apart < t < end - apart and (not kept or t > kept[-1] + apart):
            kept.append(t)
    return kept


def changes(x: Scalar, label: Label, start: float, end: float) -> list[float]:
    """The times at which the label of an expression's value changes."""
    if not isinstance(x, Expression):
        return []
    low, high = np.array([start]), np.array([end])
    narrow = NARROW * max(abs(start), abs(end))
    found: list[float] = []
    with np.errstate(all="ignore"):
        while len(low):
            if len(low) > MOST:
                raise TooMany(x)
            bounds = evaluate(x, {"t": Enclosure.of_time(low, high)})
            (a, b), (c, d) = bounds.value, bounds.slope
            open_ = ~(label(a) == label(b))
            monotone = ((c > 0) | (d < 0)) & np.isfinite(c) & np.isfinite(d)
            ends = [label(_at(x, t)) for t in (low, high)]
            single = monotone & (np.abs(ends[1] - ends[0]) <= (1 if label is np.floor else 2))
            solved = open_ & single & (ends[0] != ends[1])
            found += _located(x, label, low[solved], high[solved])
            left = open_ & ~single
            tiny = left & (high - low <= narrow)
            found += list(0.5 * (low + high)[tiny])
            low, high = low[left & ~tiny], high[left & ~tiny]
            middle = 0.5 * (low + high)
            low, high = np.concatenate([low, middle]), np.concatenate([middle, high])
    if len(found) > MOST:
        raise TooMany(x)
    return found


def _at(x: Scalar, t: np.ndarray) -> np.ndarray:
    return np.broadcast_to(np.asarray(evaluate(x, {"t": Times.of(t)}), dtype=float), t.shape)


def _located(x: Scalar, label: Label, low: np.ndarray, high: np.ndarray) -> list[float]:
    """The time in every interval at which the label is no longer that of its beginning, by bisection to the last digit."""
    if not len(low):
        return []
    first = label(_at(x, low))
    for _ in range(HALVINGS):
        middle = 0.5 * (low + high)
        same = label(_at(x, middle)) == first
        low, high = np.where(same, middle, low), np.where(same, high, middle)
    return list(high)
