"""Where expressions jump or have kinks: the times of arguments that depend on time alone, and the other arguments.

Bisection with interval arithmetic finds all times. An interval is left where bounds show that nothing changes in it, or that its
function is monotone with equal ends; it is halved otherwise (Kearfott, Rigorous Global Search, 1996).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

import numpy as np

from lagrangian.model.expression.functions import TimeArray, evaluate
from lagrangian.model.expression.intervals import DualInterval
from lagrangian.model.expression.scalar import Expression, Scalar, call, free_symbols, walk

TIME = {"t"}

# the search ends with an error if it has more intervals at once, or finds more times
MAX_INTERVALS = 200_000
MIN_SWITCH_WIDTH = 1e-13  # by the largest time: narrower intervals are not halved
MIN_SEPARATION = 1e-12  # by the largest time: nearer times are one
HALVINGS = 60
Label = Callable[[np.ndarray], np.ndarray]


def switching_times(expressions: Iterable[Scalar], start: float, end: float) -> list[float]:
    """Return the times between start and end at which expressions jump or have kinks, for arguments that depend on time alone."""
    functions = dict.fromkeys(s for x in expressions for s in switching_functions(x) if free_symbols(s.argument) == TIME)
    times = [t for switch in functions for t in label_changes(switch.argument, switch.label, start, end)]
    return distinct_times(times, start, end)


def distinct_times(times: Iterable[float], start: float, end: float) -> list[float]:
    """Return the times within an interval in their order; of times that differ by rounding alone, only the first."""
    separation = MIN_SEPARATION * max(abs(start), abs(end))
    separate_times: list[float] = []
    for t in sorted(float(x) for x in times):
        if start + separation < t < end - separation and (not separate_times or t > separate_times[-1] + separation):
            separate_times.append(t)
    return separate_times


def label_changes(x: Scalar, label: Label, start: float, end: float) -> list[float]:
    """Return the times at which the label of an expression's value changes."""
    if not isinstance(x, Expression):
        return []
    low, high = np.array([start]), np.array([end])
    narrow = MIN_SWITCH_WIDTH * max(abs(start), abs(end))
    times: list[float] = []
    with np.errstate(all="ignore"):
        while len(low):
            if len(low) > MAX_INTERVALS:
                raise TooManySwitches(x)
            bounds = evaluate(x, {"t": DualInterval.from_times(low, high)})
            (a, b), (c, d) = bounds.value, bounds.slope
            is_undecided = ~(label(a) == label(b))
            monotone = ((c > 0) | (d < 0)) & np.isfinite(c) & np.isfinite(d)
            ends = [label(_values_at(x, t)) for t in (low, high)]
            is_single = monotone & (np.abs(ends[1] - ends[0]) <= (1 if label is np.floor else 2))
            solved = is_undecided & is_single & (ends[0] != ends[1])
            times += _bisect(x, label, low[solved], high[solved])
            remaining = is_undecided & ~is_single
            is_tiny = remaining & (high - low <= narrow)
            times += list(0.5 * (low + high)[is_tiny])
            low, high = low[remaining & ~is_tiny], high[remaining & ~is_tiny]
            middle = 0.5 * (low + high)
            low, high = np.concatenate([low, middle]), np.concatenate([middle, high])
    if len(times) > MAX_INTERVALS:
        raise TooManySwitches(x)
    return times


class TooManySwitches(Exception):
    """An expression switches too often for all its times to be found."""

    def __init__(self, expression: Scalar) -> None:
        self.expression = expression


def state_switches(expressions: Iterable[Scalar]) -> list[Scalar]:
    """Return expressions whose sign changes where others jump or have kinks, for arguments that depend on more than time."""
    functions = dict.fromkeys(s for x in expressions for s in switching_functions(x) if free_symbols(s.argument) - TIME)
    return [switch.zero for switch in functions]


def switching_functions(x: Scalar) -> Iterator[SwitchingFunction]:
    """Yield the switching functions of an expression."""
    for node in walk(x):
        match node.operation:
            case "sign" | "abs" | "piecewise":
                yield SwitchingFunction(node.arguments[0])
            case "min" | "max":
                yield SwitchingFunction(call("-", *node.arguments))
            case "floor":
                yield SwitchingFunction(node.arguments[0], by_whole_part=True)
            case "sqrt" if free_symbols(node) == TIME:  # steep where it begins
                yield SwitchingFunction(node.arguments[0])
            case "atan2" if free_symbols(node) == TIME:  # it jumps behind the origin
                yield SwitchingFunction(node.arguments[0])


class SwitchingFunction(NamedTuple):
    """An argument by which a function switches: where its sign changes, or its whole part (of floor)."""

    argument: Scalar
    by_whole_part: bool = False

    @property
    def label(self) -> Label:
        return np.floor if self.by_whole_part else np.sign

    @property
    def zero(self) -> Scalar:
        """An expression whose sign changes where this switches."""
        return call("sin", call("*", np.pi, self.argument)) if self.by_whole_part else self.argument


def _bisect(x: Scalar, label: Label, low: np.ndarray, high: np.ndarray) -> list[float]:
    """Return, for every interval, the time at which the label first differs from that at its start, by bisection."""
    if not len(low):
        return []
    first = label(_values_at(x, low))
    for _ in range(HALVINGS):
        middle = 0.5 * (low + high)
        is_before = label(_values_at(x, middle)) == first
        low, high = np.where(is_before, middle, low), np.where(is_before, high, middle)
    return list(high)


def _values_at(x: Scalar, t: np.ndarray) -> np.ndarray:
    return np.broadcast_to(np.asarray(evaluate(x, {"t": TimeArray.from_values(t)}), dtype=float), t.shape)
