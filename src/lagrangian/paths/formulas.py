"""Expressions of time as motions: evaluated over many times at once, with exact derivatives."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from lagrangian.errors import ArgumentError, DescriptionError, is_number, one_of, shown
from lagrangian.model.expression import Expression, Scalar, features, free_symbols, functions, parse, switching, symbol
from lagrangian.model.expression.arrays import Times
from lagrangian.model.expression.derivative import derivative

JUMP = 1e-9  # of the values: what is less is rounding


@dataclass(frozen=True)
class Formulas:
    """Expressions of time with their two derivatives, `levels`, at times since `start`; at `breaks` some jump or have kinks."""

    names: tuple[str, ...]
    levels: tuple[list[Scalar], ...]
    start: float
    breaks: tuple[float, ...]
    middles: np.ndarray  # of the intervals between the breaks

    def __call__(self, t: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        times = t + self.start
        found = self._at(times, np.searchsorted(self.breaks, times, side="right"))
        bad = ~np.isfinite(found).all(axis=0)
        if bad.any():
            row, column = np.argwhere(bad)[0]
            when = float(times[row])
            raise ArgumentError(f"the formula of {self.names[column]!r}, or its derivatives, is not finite at t = {when:g} s")
        return found[0], found[1], found[2]

    def _at(self, times: np.ndarray, interval: np.ndarray) -> list[np.ndarray]:
        """All levels at times, as they are within these intervals."""
        names = {"t": Times.of(times), functions.DECIDED: Times.of(self.middles[interval])}
        found = []
        for level in self.levels:
            with np.errstate(all="ignore"):  # what is not finite is said by the caller
                values = [functions.evaluate(e, names) for e in level]
            found.append(np.array([np.broadcast_to(np.asarray(x, dtype=float), times.shape) for x in values]).T)
        return found

    def check_continuous(self) -> None:
        """An error where a place or a speed jumps."""
        at, first = np.array(self.breaks), np.arange(len(self.breaks))
        before, after = self._at(at, first), self._at(at, first + 1)
        for order, what in enumerate(("its value jumps", "its speed jumps")):
            a, b = before[order], after[order]
            off = np.abs(a - b) > JUMP * (1 + np.maximum(np.abs(a), np.abs(b)))
            for k, column in np.argwhere(off):
                raise ArgumentError(
                    f"the formula of {self.names[column]!r}: {what} from {a[k, column]:.6g} to {b[k, column]:.6g} at "
                    f"t = {at[k]:.6g} s; the position and the speed of a path must be continuous"
                )


def motion_of(
    texts: Sequence[Any], names: Sequence[str], parameters: Mapping[str, float], start: float, duration: float
) -> Formulas:
    """A motion of the expressions and their two derivatives, at times since `start`."""
    for name, given in parameters.items():
        if name == "t" or not is_number(given):
            raise ArgumentError(
                f"parameter {name!r} is {shown(given)}; a finite number is needed, under another name than t",
                concerns="parameters",
            )
    known: dict[str, Scalar] = {**{n: float(x) for n, x in parameters.items()}, "t": symbol("t")}
    x = [_expression(text, name, known) for text, name in zip(texts, names, strict=True)]
    slopes = [derivative(e, "t") for e in x]
    levels = (x, slopes, [derivative(e, "t") for e in slopes])
    span = start, start + duration
    try:
        jumps = switching.of_time(x, *span)
        breaks = switching.distinct([*jumps, *features.of_time(x, *span, jumps)], *span)
    except switching.TooMany as error:
        raise ArgumentError(f"'{error.expression}' has too many kinks for a path") from None
    edges = np.array([span[0], *breaks, span[1]])
    found = Formulas(tuple(names), levels, start, tuple(breaks), 0.5 * (edges[1:] + edges[:-1]))
    found.check_continuous()
    return found


def _expression(text: Any, name: str, known: Mapping[str, Scalar]) -> Scalar:
    if isinstance(text, Expression):
        for other in sorted(free_symbols(text) - {"t"}):
            raise ArgumentError(f"the formula of {name!r}: {one_of('name', other, known)}")
        return text
    if is_number(text):
        return float(text)
    if not isinstance(text, str):
        raise ArgumentError(f"the formula of {name!r} is {shown(text)}; a number, or text such as '0.5*sin(t)', is needed")
    try:
        return parse(text, known)
    except DescriptionError as error:
        raise ArgumentError(f"the formula of {name!r}: {error}") from None
