"""Expressions of time as motions: evaluated at many times at once, with exact derivatives."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from lagrangian.errors import ArgumentError, DescriptionError, format_value, is_number, unknown_name_message
from lagrangian.model.expression import Expression, Scalar, free_symbols, functions, parse, pulses, switching_times, symbol
from lagrangian.model.expression.derivative import derivative
from lagrangian.model.expression.functions import TimeArray
from lagrangian.paths.curves import ValuesAndDerivatives

JUMP_TOLERANCE = 1e-9  # of the values: smaller jumps are rounding


@dataclass(frozen=True)
class TimeExpressions:
    """Expressions of time with their two derivatives, at times since `start`; at `discontinuities` some jump or have kinks."""

    names: tuple[str, ...]
    expressions_by_order: tuple[list[Scalar], ...]
    start: float
    discontinuities: tuple[float, ...]
    interval_midpoints: np.ndarray  # of the intervals between the discontinuities

    def __call__(self, t: np.ndarray) -> ValuesAndDerivatives:
        times = t + self.start
        derivatives = self._evaluate(times, np.searchsorted(self.discontinuities, times, side="right"))
        not_finite = ~np.isfinite(derivatives).all(axis=0)
        if not_finite.any():
            row, column = np.argwhere(not_finite)[0]
            time = float(times[row])
            raise ArgumentError(f"the formula of {self.names[column]!r}, or its derivatives, is not finite at t = {time:g} s")
        return derivatives[0], derivatives[1], derivatives[2]

    def _evaluate(self, times: np.ndarray, interval: np.ndarray) -> list[np.ndarray]:
        """The expressions and their derivatives at times, as they are within these intervals."""
        names = {
            "t": TimeArray.from_values(times),
            functions.DECISION_TIME: TimeArray.from_values(self.interval_midpoints[interval]),
        }
        values_by_order = []
        for expressions in self.expressions_by_order:
            with np.errstate(all="ignore"):  # the caller reports numbers that are not finite
                values = [functions.evaluate(e, names) for e in expressions]
            values_by_order.append(np.array([np.broadcast_to(np.asarray(x, dtype=float), times.shape) for x in values]).T)
        return values_by_order

    def check_continuous(self) -> None:
        """Raise an error if a value or a speed jumps."""
        times, intervals = np.array(self.discontinuities), np.arange(len(self.discontinuities))
        before, after = self._evaluate(times, intervals), self._evaluate(times, intervals + 1)
        for order, problem in enumerate(("its value jumps", "its speed jumps")):
            a, b = before[order], after[order]
            jumping = np.abs(a - b) > JUMP_TOLERANCE * (1 + np.maximum(np.abs(a), np.abs(b)))
            for k, column in np.argwhere(jumping):
                raise ArgumentError(
                    f"the formula of {self.names[column]!r}: {problem} from {a[k, column]:.6g} to {b[k, column]:.6g} at "
                    f"t = {times[k]:.6g} s; the position and the speed of a path must be continuous"
                )


def parse_time_expressions(
    formulas: Sequence[Any], names: Sequence[str], parameters: Mapping[str, float], start: float, duration: float
) -> TimeExpressions:
    """The expressions and their two derivatives as a motion over the time since `start`."""
    for name, value in parameters.items():
        if name == "t" or not is_number(value):
            raise ArgumentError(
                f"parameter {name!r} is {format_value(value)}; a finite number is needed, under another name than t",
                concerns="parameters",
            )
    symbols: dict[str, Scalar] = {**{n: float(value) for n, value in parameters.items()}, "t": symbol("t")}
    expressions = [_as_expression(formula, name, symbols) for formula, name in zip(formulas, names, strict=True)]
    slopes = [derivative(e, "t") for e in expressions]
    by_order = (expressions, slopes, [derivative(e, "t") for e in slopes])
    span = start, start + duration
    try:
        jumps = switching_times.switching_times(expressions, *span)
        discontinuities = switching_times.distinct_times([*jumps, *pulses.pulse_times(expressions, *span, jumps)], *span)
    except switching_times.TooManySwitches as error:
        raise ArgumentError(f"'{error.expression}' has too many kinks for a path") from None
    edges = np.array([span[0], *discontinuities, span[1]])
    time_expressions = TimeExpressions(tuple(names), by_order, start, tuple(discontinuities), 0.5 * (edges[1:] + edges[:-1]))
    time_expressions.check_continuous()
    return time_expressions


def _as_expression(formula: Any, name: str, symbols: Mapping[str, Scalar]) -> Scalar:
    if isinstance(formula, Expression):
        for unknown in sorted(free_symbols(formula) - {"t"}):
            raise ArgumentError(f"the formula of {name!r}: {unknown_name_message('name', unknown, symbols)}")
        return formula
    if is_number(formula):
        return float(formula)
    if not isinstance(formula, str):
        raise ArgumentError(
            f"the formula of {name!r} is {format_value(formula)}; a number, or text such as '0.5*sin(t)', is needed"
        )
    try:
        return parse(formula, symbols)
    except DescriptionError as error:
        raise ArgumentError(f"the formula of {name!r}: {error}") from None
