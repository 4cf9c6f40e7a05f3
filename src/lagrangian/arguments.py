"""Numbers, counts and arrays that a caller gives: each is read in one place, as what compiled code can take, or refused.

Python's and numpy's numbers of every size and precision become doubles. What would lose something on the way is refused: complex
numbers, masked entries, fields, dates, and integers that no double can hold. Texts are no numbers, whatever they say.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from numbers import Real
from typing import Any

import numpy as np

from lagrangian.errors import ArgumentError, Place, shown

MANY = 20_000_000  # rows, starts and the like beyond which memory ends


def floats(given: Any) -> np.ndarray:
    """Numbers as an array of doubles, which may be the caller's own; a TypeError, which says what is there, if they are none."""
    if type(given) is np.ndarray and given.dtype == np.float64:
        return given
    if isinstance(given, np.ma.MaskedArray) and np.ma.is_masked(given):
        raise TypeError("has masked entries")
    try:
        array = np.asarray(given)
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


def array(given: Any, name: str, where: Place | tuple[Place, ...] = ()) -> np.ndarray:
    """Numbers as an array of doubles, which may be the caller's own."""
    try:
        return floats(given)
    except TypeError:
        raise ArgumentError(f"is {shown(given)}", where=where, argument=name, remedy="real numbers are needed") from None


def number(
    given: Any,
    name: str,
    *,
    least: float = -math.inf,
    most: float = math.inf,
    above: float = -math.inf,
    infinite: bool = False,
    where: Place | tuple[Place, ...] = (),
) -> float:
    """One real number as a float, within bounds; `above` is a bound that it may not equal. True and False are none."""
    found = _float(given)
    if not (least <= found <= most and found > above and (infinite or math.isfinite(found))):  # NaN is within no bounds
        bounds = [f"above {above:g}"] if above > -math.inf else [f"of at least {least:g}"] if least > -math.inf else []
        bounds += [f"at most {most:g}"] if most < math.inf else []
        plain = infinite or most < math.inf
        needed = f"a {'' if plain else 'finite '}number{' ' * bool(bounds)}{' and '.join(bounds)} is needed"
        raise ArgumentError(f"is {shown(given)}", where=where, argument=name, remedy=needed)
    return found


def count(given: Any, name: str, of: str = "", *, least: int = 1, most: int = MANY, where: Place | tuple[Place, ...] = ()) -> int:
    """A whole number within bounds, of `of`, such as "rows"; True and False are none."""
    found = _float(given)
    if found.is_integer() and least <= found <= most:
        return int(found)
    bound = f"at least {least}" if found < least else f"at most {most:g}" if found > most else ""
    needed = (
        f"{bound} {of} are {'possible' if found > most else 'needed'}"
        if bound and of
        else f"a whole number{f' of {bound}' * bool(bound)} is needed"
    )
    raise ArgumentError(f"is {shown(given)}", where=where, argument=name, remedy=needed)


def texts(given: Any, name: str, where: Place | tuple[Place, ...] = ()) -> tuple[str, ...]:
    """Texts, each once; one by itself may be given as it is."""
    several = isinstance(given, Iterable) and not isinstance(given, (str, bytes)) and getattr(given, "ndim", 1) > 0
    found = tuple(given) if several else (given,)
    if not all(isinstance(x, str) for x in found) or len(set(found)) != len(found):
        raise ArgumentError(f"is {shown(given)}", where=where, argument=name, remedy="strings without repetition are needed")
    return found


def truth(given: Any, name: str, where: Place | tuple[Place, ...] = ()) -> bool:
    """True or False."""
    if not isinstance(given, (bool, np.bool_)):
        raise ArgumentError(f"is {shown(given)}; True or False is needed", where=where, argument=name)
    return bool(given)


def _float(given: Any) -> float:
    """A number as a float; NaN if it is none, infinite if it is too large."""
    if type(given) is float:  # as most are
        return given
    if isinstance(given, np.ndarray) and given.ndim == 0 and given.dtype.kind in "fiu" and not np.ma.isMaskedArray(given):
        given = given[()]
    if not isinstance(given, Real) or isinstance(given, (bool, np.bool_)):
        return math.nan
    try:
        return float(given)
    except OverflowError:
        return math.inf if abs(given) == given else -math.inf
