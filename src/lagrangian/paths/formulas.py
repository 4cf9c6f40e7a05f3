"""Expressions of time as motions: evaluated over many times at once, with exact derivatives."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from lagrangian.errors import ArgumentError, DescriptionError, is_number, one_of, shown
from lagrangian.model.expression import Expression, Scalar, free_symbols, functions, parse, symbol
from lagrangian.model.expression.arrays import Times
from lagrangian.model.expression.derivative import derivative


def motion_of(texts: Sequence[Any], names: Sequence[str], parameters: Mapping[str, float], start: float) -> Any:
    """A motion of the expressions and their two derivatives, at times since `start`."""
    for name, given in parameters.items():
        if name == "t" or not is_number(given):
            raise ArgumentError(
                f"parameter {name!r} is {shown(given)}; a finite number is needed, and t is the time", concerns="parameters"
            )
    known: dict[str, Scalar] = {**{n: float(x) for n, x in parameters.items()}, "t": symbol("t")}
    x = [_expression(text, name, known) for text, name in zip(texts, names, strict=True)]
    slopes = [derivative(e, "t") for e in x]
    levels = (x, slopes, [derivative(e, "t") for e in slopes])

    def motion(t: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        times = {"t": Times.of(t + start)}
        found = []
        for level in levels:
            with np.errstate(all="ignore"):  # what is not finite is said below
                values = [functions.evaluate(e, times) for e in level]
            columns = [np.broadcast_to(np.asarray(x, dtype=float), t.shape) for x in values]
            found.append(np.array(columns).T)
        bad = ~np.isfinite(found).all(axis=0)
        if bad.any():
            row, column = np.argwhere(bad)[0]
            when = float(t[row] + start)
            raise ArgumentError(f"the formula of {names[column]!r}, or its derivatives, is not finite at t = {when:g} s")
        return found[0], found[1], found[2]

    return motion


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
