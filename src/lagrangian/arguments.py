"""Numbers, counts and arrays that a caller gives: each is read in one place, as what compiled code can take, or refused.

Python's and numpy's numbers of every size and precision become doubles. What would lose something on the way is refused: complex
numbers, masked entries, fields, dates, and integers that no double can hold. Texts are no numbers, whatever they say.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from numbers import Real
from typing import Any

import numpy as np

from lagrangian.errors import ArgumentError, ArgumentName, Place, format_value

MAX_COUNT = 20_000_000  # rows, starts and the like beyond which memory ends


def floats(value: Any) -> np.ndarray:
    """Numbers as an array of doubles, which may be the caller's own; a TypeError, which says what is there, if they are none."""
    if type(value) is np.ndarray and value.dtype == np.float64:
        return value
    if isinstance(value, np.ma.MaskedArray) and np.ma.is_masked(value):
        raise TypeError("has masked entries")
    try:
        array = np.asarray(value)
    except (TypeError, ValueError, OverflowError, RuntimeError, AttributeError) as error:
        raise TypeError(f"is not an array of numbers: {error}") from None
    if array.dtype.kind == "O" and not any(isinstance(x, (str, bytes)) for x in array.flat):  # such as integers beyond 64 bits
        try:
            return np.array([float(x) for x in array.flat]).reshape(array.shape)
        except (TypeError, ValueError, OverflowError):
            pass
    if array.dtype == np.float64:
        return array
    if array.dtype.kind not in "fiub":
        raise TypeError(f"is an array of {array.dtype}")
    with np.errstate(over="ignore"):  # a long double beyond every double is infinite, and refused as such where it must be finite
        return array.astype(np.float64, copy=False)


def array(value: Any, name: str, where: Place | tuple[Place, ...] = ()) -> np.ndarray:
    """Numbers as an array of doubles, which may be the caller's own."""
    try:
        return floats(value)
    except TypeError:
        raise ArgumentError(f"is {format_value(value)}", where=where, argument=name, remedy="real numbers are needed") from None


def number(
    value: Any,
    name: str,
    *,
    least: float = -math.inf,
    most: float = math.inf,
    above: float = -math.inf,
    infinite: bool = False,
    where: Place | tuple[Place, ...] = (),
) -> float:
    """One real number as a float, within bounds; `above` is a bound that it may not equal. True and False are none."""
    x = _as_float(value)
    if not (least <= x <= most and x > above and (infinite or math.isfinite(x))):  # NaN is within no bounds
        bounds = [f"above {above:g}"] if above > -math.inf else [f"of at least {least:g}"] if least > -math.inf else []
        bounds += [f"at most {most:g}"] if most < math.inf else []
        is_bounded = infinite or most < math.inf
        remedy = f"a {'' if is_bounded else 'finite '}number{' ' * bool(bounds)}{' and '.join(bounds)} is needed"
        raise ArgumentError(f"is {format_value(value)}", where=where, argument=name, remedy=remedy)
    return x


def count(
    value: Any, name: str, noun: str = "", *, least: int = 1, most: int = MAX_COUNT, where: Place | tuple[Place, ...] = ()
) -> int:
    """A whole number within bounds; `noun` is what it counts, such as "rows". True and False are none."""
    x = _as_float(value)
    if x.is_integer() and least <= x <= most:
        return int(x)
    bound = f"at least {least}" if x < least else f"at most {most:g}" if x > most else ""
    remedy = (
        f"{bound} {noun} are {'possible' if x > most else 'needed'}"
        if bound and noun
        else f"a whole number{f' of {bound}' * bool(bound)} is needed"
    )
    raise ArgumentError(f"is {format_value(value)}", where=where, argument=name, remedy=remedy)


def texts(value: Any, name: str, where: Place | tuple[Place, ...] = ()) -> tuple[str, ...]:
    """Texts, each once; one by itself may be given as it is."""
    is_collection = isinstance(value, Iterable) and not isinstance(value, (str, bytes)) and getattr(value, "ndim", 1) > 0
    strings = tuple(value) if is_collection else (value,)
    if not all(isinstance(x, str) for x in strings) or len(set(strings)) != len(strings):
        raise ArgumentError(
            f"is {format_value(value)}", where=where, argument=name, remedy="strings without repetition are needed"
        )
    return strings


def distinct_names(value: Any, name: str) -> tuple[str, ...] | None:
    """A tuple of different names; a single one may be given as a string."""
    if value is None:
        return None
    distinct = texts(value, name)
    if not distinct:
        raise ArgumentError(f"is {format_value(value)}", argument=name, remedy="a list of different names is needed")
    return distinct


def boolean(value: Any, name: str, where: Place | tuple[Place, ...] = ()) -> bool:
    """True or False."""
    if not isinstance(value, (bool, np.bool_)):
        raise ArgumentError(f"is {format_value(value)}; True or False is needed", where=where, argument=name)
    return bool(value)


def jump_times(function: Any, name: str) -> tuple[float, ...]:
    """The times at which a caller's function jumps, as its attribute `discontinuities` lists them."""
    if hasattr(function, "breaks") and not hasattr(function, "discontinuities"):
        raise ArgumentError("the function has an attribute `breaks`; it must be `discontinuities`", where=ArgumentName(name))
    values = getattr(function, "discontinuities", ())
    try:
        times = tuple(float(x) for x in values)
    except (TypeError, ValueError):
        times = (math.nan,)
    if not all(math.isfinite(x) for x in times):
        raise ArgumentError(
            f"the function's `discontinuities` are {values!r:.60}; they must be the times at which it jumps",
            where=ArgumentName(name),
        )
    return tuple(sorted(times))


def check_attribute_names(defined: type, new_names: Mapping[str, str]) -> None:
    """Raise an error if a class has an attribute under its old name, where it would be ignored, and none under the new one."""
    for old, new in new_names.items():
        if old in vars(defined) and new not in vars(defined):
            remedy = "if it is meant for something else, give it another name"
            raise ArgumentError(f"the class has an attribute `{old}`; it must be `{new}`", where=defined.__name__, remedy=remedy)


def _as_float(value: Any) -> float:
    """A number as a float; NaN if it is none, infinite if it is too large."""
    if type(value) is float:  # as most are
        return value
    if isinstance(value, np.ndarray) and value.ndim == 0 and value.dtype.kind in "fiu" and not np.ma.isMaskedArray(value):
        value = value[()]
    if not isinstance(value, Real) or isinstance(value, (bool, np.bool_)):
        return math.nan
    try:
        return float(value)
    except OverflowError:
        return math.inf if abs(value) == value else -math.inf
