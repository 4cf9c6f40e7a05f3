"""What a study varies a name over: the values of a grid, or a distribution from which values are drawn.

A distribution turns numbers that are uniform between 0 and 1 into values, by the inverse of its cumulative function, so that
random numbers, Latin hypercubes and Sobol's sequence serve every one of them.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from lagrangian.arguments import array, count, number
from lagrangian.errors import ArgumentError, Place, format_value, unknown_name_message
from lagrangian.model.expression import quantity
from lagrangian.public import public, unknown_attribute

__all__ = ["choice", "grid", "lognormal", "normal", "triangular", "uniform"]

MAX_GRID_VALUES = 1_000_000  # of one name
# a uniform number is kept off 0 and 1, where many distributions are infinite
_MIN_FRACTION, _MAX_FRACTION = 2.0**-54, 1 - 2.0**-53


@dataclass(frozen=True)
class GridAxis:
    """The values of one name in a grid. Several names make a grid of all combinations of their values."""

    values: tuple[float, ...]

    def __str__(self) -> str:
        if self.is_evenly_spaced:
            return f"grid({self.values[0]!r}, {self.values[-1]!r}, {len(self.values)})"
        return ", ".join(map(repr, self.values))

    @property
    def is_evenly_spaced(self) -> bool:
        """Whether `grid` makes these values: at least three, at equal distances."""
        low, high, n = self.values[0], self.values[-1], len(self.values)
        return n > 2 and low != high and self.values == tuple(np.linspace(low, high, n).tolist())

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        """A grid serves wherever a list of values does."""
        return np.array(self.values, dtype=dtype or float)

    @property
    def nominal(self) -> float:
        """A value in the middle."""
        return self.values[len(self.values) // 2]


@dataclass(frozen=True)
class Distribution:
    """A distribution by its name and its numbers, such as normal(100, 5)."""

    name: str
    parameters: tuple[float, ...]

    def __str__(self) -> str:
        return f"{self.name}({', '.join(map(repr, self.parameters))})"

    def quantile(self, u: np.ndarray) -> np.ndarray:
        """The values below which these shares of the distribution lie."""
        return _INVERSES[self.name](np.clip(u, _MIN_FRACTION, _MAX_FRACTION), *self.parameters)

    @property
    def nominal(self) -> float:
        """The median."""
        return float(self.quantile(np.array([0.5]))[0])


VariedInput = GridAxis | Distribution
VariedInputLike = VariedInput | Sequence[float] | np.ndarray | str
"""The values of a varied name: a grid, a distribution, a list of values for a grid, or a text such as "normal(100, 5)"."""


@public
def grid(start: float, stop: float, num: int = 20) -> GridAxis:
    """Make a grid of evenly spaced values for a study.

    Several names with such values make a grid of all combinations.

    Parameters
    ----------
    start, stop : float
        The first and the last value; both are included.
    num : int, optional
        The number of values; 20 by default.

    Returns
    -------
    GridAxis
        The values.

    Raises
    ------
    ArgumentError
        If `start` and `stop` are equal, or if there are too few or too many values.

    Examples
    --------
    >>> import lagrangian as lg
    >>> print(lg.distributions.grid(0, 1, 5).values)
    (0.0, 0.25, 0.5, 0.75, 1.0)
    """
    low, high = number(start, "start", where="grid"), number(stop, "stop", where="grid")
    n = count(num, "num", "values", most=MAX_GRID_VALUES, where="grid")
    if n == 1 and low != high:
        raise ArgumentError("is 1, but start and stop differ; at least 2 values are needed", where="grid", argument="num")
    if n > 1 and low == high:
        raise ArgumentError(f"goes from {low:g} to {high:g}; two different values are needed", where="grid")
    return GridAxis(tuple(np.linspace(low, high, n).tolist()))


@public
def uniform(low: float, high: float) -> Distribution:
    """Make a uniform distribution for a study.

    Parameters
    ----------
    low, high : float
        The bounds, between which all values are equally likely.

    Returns
    -------
    Distribution
        The distribution.

    Raises
    ------
    ArgumentError
        If `low` is not below `high`.

    Examples
    --------
    >>> import lagrangian as lg
    >>> mass = lg.distributions.uniform(0.9, 1.1)
    >>> print(mass, mass.quantile([0.25, 0.75]))
    uniform(0.9, 1.1) [0.95 1.05]
    """
    return _bounded_distribution("uniform", ("low", "high"), (low, high))


@public
def normal(mean: float, deviation: float) -> Distribution:
    """Make a normal distribution for a study.

    Parameters
    ----------
    mean : float
        The mean.
    deviation : float
        The standard deviation.

    Returns
    -------
    Distribution
        The distribution.

    Raises
    ------
    ArgumentError
        If `deviation` is not positive.

    Examples
    --------
    >>> import lagrangian as lg
    >>> mass = lg.distributions.normal(100, 5)
    >>> print(mass, mass.quantile([0.025, 0.975]).round(1))
    normal(100.0, 5.0) [ 90.2 109.8]
    """
    numbers = number(mean, "mean", where="normal"), number(deviation, "deviation", above=0.0, where="normal")
    return Distribution("normal", numbers)


@public
def lognormal(mean: float, sigma: float) -> Distribution:
    """Make a log-normal distribution for a study: positive values whose logarithms are normally distributed.

    Parameters
    ----------
    mean : float
        The mean of the natural logarithm.
    sigma : float
        The standard deviation of the natural logarithm.

    Returns
    -------
    Distribution
        The distribution.

    Raises
    ------
    ArgumentError
        If `sigma` is not positive.

    Examples
    --------
    >>> import lagrangian as lg
    >>> friction = lg.distributions.lognormal(0.0, 0.5)
    >>> print(friction, friction.quantile([0.05, 0.5, 0.95]).round(3))
    lognormal(0.0, 0.5) [0.439 1.    2.276]
    """
    numbers = number(mean, "mean", where="lognormal"), number(sigma, "sigma", above=0.0, where="lognormal")
    return Distribution("lognormal", numbers)


@public
def triangular(left: float, mode: float, right: float) -> Distribution:
    """Make a triangular distribution for a study.

    Parameters
    ----------
    left, mode, right : float
        The least, the most likely and the greatest value.

    Returns
    -------
    Distribution
        The distribution.

    Raises
    ------
    ArgumentError
        Unless left <= mode <= right and left < right.

    Examples
    --------
    >>> import lagrangian as lg
    >>> length = lg.distributions.triangular(0.9, 1.0, 1.3)
    >>> print(length, length.quantile([0.1, 0.5, 0.9]).round(3))
    triangular(0.9, 1.0, 1.3) [0.963 1.055 1.19 ]
    """
    low, top, high = (number(x, n, where="triangular") for n, x in (("left", left), ("mode", mode), ("right", right)))
    if not low <= top <= high or low == high:
        raise ArgumentError(
            f"is {format_value((low, top, high))}; left <= mode <= right is needed, and left < right", where="triangular"
        )
    return Distribution("triangular", (low, top, high))


@public
def choice(*values: float | Sequence[float]) -> Distribution:
    """Make a distribution of a few values, all equally likely, for a study.

    Parameters
    ----------
    *values : float
        The values, or one list of them.

    Returns
    -------
    Distribution
        The distribution.

    Raises
    ------
    ArgumentError
        If there are no values, or if they are not numbers.

    Examples
    --------
    >>> import lagrangian as lg
    >>> payload = lg.distributions.choice(1, 2, 5)
    >>> print(payload, payload.quantile([0.2, 0.5, 0.8]))
    choice(1.0, 2.0, 5.0) [1. 2. 5.]
    """
    numbers: Any = values[0] if len(values) == 1 and np.ndim(values[0]) == 1 else values
    if not len(numbers):
        raise ArgumentError("choice() has no values to choose from; choice(1, 2, 5) has three")
    if any(np.ndim(x) for x in numbers):
        raise ArgumentError(f"choice has {format_value(values)}; it chooses among numbers: choice(1, 2, 5), or a list of them")
    return Distribution("choice", _finite_values(numbers, "choice"))


def _bounded_distribution(name: str, argument_names: tuple[str, str], bounds: tuple[Any, Any]) -> Distribution:
    low, high = (number(x, word, where=name) for word, x in zip(argument_names, bounds, strict=True))
    if not low < high:
        raise ArgumentError(f"goes from {low:g} to {high:g}; the lower value comes first", where=name)
    return Distribution(name, (low, high))


def _finite_values(values: Any, where: str) -> tuple[float, ...]:
    numbers = array(values, "values", where)
    if numbers.ndim != 1 or not 0 < numbers.size <= MAX_GRID_VALUES or not np.isfinite(numbers).all():
        raise ArgumentError(f"is {format_value(values)}; a list of finite numbers is needed", where=where, argument="values")
    return tuple(numbers.tolist())


def _normal(u: np.ndarray, mean: float, deviation: float) -> np.ndarray:
    from scipy.special import ndtri

    return mean + deviation * ndtri(u)


def _triangular(u: np.ndarray, low: float, mode: float, high: float) -> np.ndarray:
    share = (mode - low) / (high - low)
    rising = low + np.sqrt(u * (high - low) * (mode - low))
    return np.where(u < share, rising, high - np.sqrt((1 - u) * (high - low) * (high - mode)))


def _choice(u: np.ndarray, *values: float) -> np.ndarray:
    return np.array(values)[np.minimum((u * len(values)).astype(int), len(values) - 1)]


_INVERSES: dict[str, Callable[..., np.ndarray]] = {
    "uniform": lambda u, low, high: low + (high - low) * u,
    "normal": _normal,
    "lognormal": lambda u, mean, sigma: np.exp(_normal(u, mean, sigma)),
    "triangular": _triangular,
    "choice": _choice,
}
_MAKERS: dict[str, Callable[..., VariedInput]] = {
    "grid": grid,
    "span": grid,  # as files and folders of studies before had it
    "uniform": uniform,
    "normal": normal,
    "lognormal": lognormal,
    "triangular": triangular,
    "choice": choice,
}


def as_varied_input(value: Any, where: Place | tuple[Place, ...], names: Any = None) -> VariedInput:
    """What a name is varied over: a `grid`, a distribution, a list of values for a grid, or a text.

    The text is as Python has it, `"normal(100, 5)"`, or a grid in short, `"0.2:0.4:20"`; numbers in it may have units and use
    `names`.
    """
    places = where if isinstance(where, tuple) else (where,)
    if isinstance(value, (GridAxis, Distribution)):
        return value
    try:
        if isinstance(value, str):
            return _parse_varied_input(value, names)
        if np.ndim(value) == 1:
            return GridAxis(_finite_values(value, "values"))
    except ArgumentError as error:
        raise error.with_places(*places) from None
    needed = "grid(0.2, 0.4, 20), a distribution such as normal(100, 5), or a list of values is needed"
    raise ArgumentError(f"is {format_value(value)}; {needed}", where=places)


def _parse_varied_input(text: str, names: Any) -> VariedInput:
    name, _, argument_text = text.strip().partition("(")
    if not name.strip().isidentifier() or not argument_text:
        pieces = quantity.split_list(text, ":")
        if len(pieces) == 3:
            low, high = (quantity.parse_quantity(x, (), names) for x in pieces[:2])
            return grid(low, high, _whole_number(pieces[2]))
        if len(pieces) == 1:
            return GridAxis(tuple(quantity.parse_quantity(x, (), names) for x in quantity.split_list(text)))
        raise ArgumentError(f"{text!r} is not understood; a grid is first:last:number, such as 0.2:0.4:20")
    if name.strip() not in _MAKERS:
        raise ArgumentError(unknown_name_message("distribution", name.strip(), [x for x in _MAKERS if x != "span"]))
    if not argument_text.endswith(")"):
        raise ArgumentError(f"{text!r}: ')' is missing")
    inside = argument_text[:-1].strip()
    if name.strip() == "choice" and inside[:1] == "[" and inside[-1:] == "]":  # a list, as in Python
        inside = inside[1:-1]
    numbers: list[float] = [quantity.parse_quantity(x, (), names) for x in quantity.split_list(inside)] if inside.strip() else []
    try:
        return _MAKERS[name.strip()](*numbers)
    except TypeError:
        count_text = f"{len(numbers)} number{'s' * (len(numbers) != 1)}"
        raise ArgumentError(f"{text!r} has {count_text}; {_signature(name.strip())} is needed") from None


def _whole_number(text: str) -> int:
    value = quantity.parse_quantity(text, ())
    if not math.isfinite(value) or value != int(value):
        raise ArgumentError(f"{text!r} is not a whole number of values")
    return int(value)


def _signature(name: str) -> str:
    import inspect

    return f"{name}({', '.join(inspect.signature(_MAKERS[name]).parameters)})"


if not TYPE_CHECKING:

    def __getattr__(name: str) -> Any:
        raise unknown_attribute("lagrangian.distributions", name, __all__)
