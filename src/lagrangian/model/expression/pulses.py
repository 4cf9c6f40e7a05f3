"""Pulses: where a smooth function of time changes so much faster than before that a step could pass over it unseen.

The interval is cut into cells in each of which the function is nearly a polynomial, as its values at a few places show, and has
no slope that these do not show, as interval arithmetic does. A cell far narrower than those before it is what a step, as long as
the quiet before it allows, would not see.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.polynomial import chebyshev

from lagrangian.model.expression.functions import DECISION_TIME, TimeArray, evaluate
from lagrangian.model.expression.intervals import DualInterval
from lagrangian.model.expression.scalar import Expression, Scalar, free_symbols
from lagrangian.model.expression.switching_times import TIME, distinct_times

DEGREE = 8
_NODES = chebyshev.chebpts1(DEGREE + 1)
_FIT = np.linalg.inv(chebyshev.chebvander(_NODES, DEGREE))
# what the last coefficients of a polynomial may be, of all the others; what a function may do unseen, of its largest value
TAIL_TOLERANCE, FLAT_TOLERANCE = 1e-3, 1e-4
STEEPNESS_RATIO = 10.0  # than it is between the places looked at, a function may be bounded to be
MIN_WIDTH = 1e-9  # of the interval: what is shorter is not looked for
MAX_CELLS = 20_000  # beyond, it varies everywhere, and steps will see it
# a step reaches so many cells ahead; and it sees what is not narrower than this part of it
REACH, MIN_RELATIVE_WIDTH = 8.0, 1 / 16
PULSE_WIDTH_RATIO = 4.0  # in a pulse, cells up to so many times its narrowest are kept as steps


def pulse_times(expressions: Iterable[Scalar], start: float, end: float, discontinuities: Sequence[float]) -> list[float]:
    """Times at which steps must end so that no pulse is passed over; between `discontinuities` all functions are smooth."""
    parts = dict.fromkeys(part for x in expressions for part in _time_dependent_parts(x) if not _is_low_degree(part))
    pieces = np.array([start, *discontinuities, end])
    times: list[float] = []
    for part in parts:
        cells = _cells(part, pieces)
        times += _pulse_edges(*cells) if cells is not None else []
    return distinct_times(times, start, end)


def _time_dependent_parts(x: Scalar) -> list[Expression]:
    """The largest parts of an expression that depend on time alone, of sums their terms."""
    if not isinstance(x, Expression) or "t" not in (names := free_symbols(x)):
        return []
    if names == TIME and x.operation not in ("+", "-", "neg"):
        return [x]
    return [part for a in x.arguments for part in _time_dependent_parts(a)]


def _is_low_degree(x: Scalar) -> bool:
    """Whether an expression is a sum of products of few powers, sines and cosines of time, which has no narrow places."""
    return _degree(x) <= 4


def _degree(x: Scalar) -> float:
    if not isinstance(x, Expression) or x.value is not None:
        return 0
    if x.operation == "symbol":
        return 1
    degrees = [_degree(a) for a in x.arguments]
    match x.operation:
        case "neg" | "+" | "-":
            return max(degrees)
        case "*":
            return sum(degrees)
        case "/" if degrees[1] == 0:
            return degrees[0]
        case "sin" | "cos" if degrees[0] <= 1:
            return 1
        case "^" if isinstance(x.arguments[1], int) and x.arguments[1] > 0:
            return degrees[0] * x.arguments[1]
        case "abs" | "min" | "max":
            return max(degrees)
        case "piecewise":
            return max(degrees[1:])
        case "sign" | "floor":
            return 0
    return np.inf


def _cells(x: Expression, pieces: np.ndarray) -> tuple[np.ndarray, np.ndarray] | None:
    """The beginnings and ends of the cells, in their order; None if there would be too many."""
    low, high = pieces[:-1], pieces[1:]
    decision_times = 0.5 * (low + high)
    narrowest = MIN_WIDTH * (pieces[-1] - pieces[0])
    resolved_cells: list[tuple[np.ndarray, np.ndarray]] = []
    count, largest = 0, 0.0
    with np.errstate(all="ignore"):
        while len(low):
            count += len(low)
            if count > MAX_CELLS:
                return None
            values = _values(x, low, high, decision_times)
            largest = max(largest, float(np.nanmax(np.abs(values), initial=0.0)))
            resolved = _is_resolved(x, values, low, high, decision_times, largest) | (high - low <= narrowest)
            resolved_cells.append((low[resolved], high[resolved]))
            low, high, decision_times = (part[~resolved] for part in (low, high, decision_times))
            middle = 0.5 * (low + high)
            low, high = np.concatenate([low, middle]), np.concatenate([middle, high])
            decision_times = np.concatenate([decision_times, decision_times])
    begins, ends = (np.concatenate(part) for part in zip(*resolved_cells, strict=True))
    order = np.argsort(begins)
    return begins[order], ends[order]


def _values(x: Expression, low: np.ndarray, high: np.ndarray, decision_times: np.ndarray) -> np.ndarray:
    """The values of an expression at the nodes of every cell, (cells, nodes)."""
    times = low[:, None] + (high - low)[:, None] * 0.5 * (_NODES + 1)
    names = {
        "t": TimeArray.from_values(times),
        DECISION_TIME: TimeArray.from_values(np.broadcast_to(decision_times[:, None], times.shape)),
    }
    return np.broadcast_to(np.asarray(evaluate(x, names), dtype=float), times.shape)


def _is_resolved(
    x: Expression, values: np.ndarray, low: np.ndarray, high: np.ndarray, decision_times: np.ndarray, largest: float
) -> np.ndarray:
    coefficients = np.abs(values @ _FIT.T)
    smooth = coefficients[:, -2:].max(axis=1) <= np.maximum(TAIL_TOLERANCE * coefficients[:, 1:].max(axis=1), 1e-9 * largest)
    zero = np.zeros_like(decision_times)
    decision_time = DualInterval((decision_times, decision_times), (zero, zero))
    slope = evaluate(x, {"t": DualInterval.from_times(low, high), DECISION_TIME: decision_time})
    steepest = np.maximum(np.abs(slope.slope[0]), np.abs(slope.slope[1])) if isinstance(slope, DualInterval) else zero
    width = high - low
    steps = np.abs(np.diff(values, axis=1)) / (0.5 * np.abs(np.diff(_NODES)) * width[:, None])
    visible_slope = STEEPNESS_RATIO * steps.max(axis=1)
    return (steepest * width <= FLAT_TOLERANCE * largest) | (smooth & (steepest <= visible_slope))


def _pulse_edges(begins: np.ndarray, ends: np.ndarray) -> list[float]:
    """The ends of cells that steps from before could pass over."""
    width = ends - begins
    reached_ahead = np.concatenate([[-np.inf], np.maximum.accumulate(ends + REACH * width)[:-1]]) - begins
    hidden = np.concatenate([[False], reached_ahead * MIN_RELATIVE_WIDTH > width, [False]])
    edges = np.flatnonzero(np.diff(hidden.astype(int)))
    edge_times: list[float] = []
    for first, last in zip(edges[::2], edges[1::2], strict=True):
        inside = slice(first, last)
        fine = width[inside] <= PULSE_WIDTH_RATIO * width[inside].min()
        edge_times += [*begins[inside][fine], *ends[inside][fine]]
    return edge_times
