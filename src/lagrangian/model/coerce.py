"""What a user may hand to the model, made into what the model holds, or refused with a sentence that says what would be right.

Lists, tuples and numpy arrays serve as vectors and matrices; three numbers serve as a placement without rotation, a 4x4 matrix as
any placement; mappings serve as the small classes that sit at a joint.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Mapping
from dataclasses import fields
from typing import Any, TypeVar

import numpy as np

from lagrangian.errors import MechanismError, one_of, shown
from lagrangian.model import vector as v
from lagrangian.model.expression import Expression, Scalar
from lagrangian.model.expression.written import Written
from lagrangian.visible import acts

_LARGEST = int(sys.float_info.max)  # what arithmetic with floats can take of an integer
_AXES = {"x": v.X, "y": v.Y, "z": v.Z, "-x": (-1, 0, 0), "-y": (0, -1, 0), "-z": (0, 0, -1)}

# what no mechanism exceeds: a million kilometres; and in kg, N/m, m/s^2 and so on about the mass of the sun
LONGEST, MOST = 1e9, 1e30
LIGHTEST = 1e-30  # kg, of a body that has a mass at all: about that of an electron

T = TypeVar("T")


def name(given: str, what: str) -> None:
    """Names are shown in many places: in each of them they are seen."""
    if acts(given):
        raise MechanismError(
            f"{given!r} cannot be the name of a {what}",
            remedy="a name has no line breaks, tabs or invisible characters",
        )


def _is_scalar(given: Any) -> bool:
    """Whether it can be held as it is."""
    return type(given) in (float, Expression) or (type(given) is int and -_LARGEST <= given <= _LARGEST)


def scalar(given: Any, name: str) -> Scalar:
    """A number or an expression."""
    if _is_scalar(given):
        return given
    if isinstance(given, np.ndarray) and given.ndim == 0 and given.dtype.kind in "fiu" and not np.ma.is_masked(given):
        given = given[()]
    if isinstance(given, (float, np.floating)):
        return float(given)
    if isinstance(given, np.integer):
        return int(given)
    needed = f"numbers up to {MOST:g} are needed" if type(given) is int else "a number is needed"
    raise MechanismError(f"is {_short(given)}", argument=name, remedy=needed)


def written(given: Any, name: str) -> float:
    """A number, which remembers the expression that it was given by."""
    return given if isinstance(given, Written) else Written.of(scalar(given, name))


def number(given: Any, name: str) -> Scalar:
    """A finite number or an expression."""
    found = scalar(given, name)
    finite((found,), name)
    return found


def text(given: Any, name: str) -> str:
    """A text, such as a name."""
    if not isinstance(given, str):
        raise MechanismError(f"is {_short(given)}", argument=name, remedy="a string is needed")
    return given


def mapping(given: Any, name: str) -> dict[str, Any]:
    """Things by their names, in a mapping of one's own."""
    if not isinstance(given, Mapping) or not all(isinstance(key, str) for key in given):
        raise MechanismError(f"is {_short(given)}", argument=name, remedy="a mapping of names is needed")
    return dict(given)


def pairs(given: Any, name: str) -> dict[str, Any]:
    """Things by their names, as pairs."""
    try:
        return mapping(dict(given), name)
    except (TypeError, ValueError):
        raise MechanismError(f"is {_short(given)}", argument=name, remedy="pairs of a name and a value are needed") from None


def flag(given: Any, name: str) -> bool:
    """True or False."""
    if not isinstance(given, (bool, np.bool_)):
        raise MechanismError(f"is {_short(given)}", argument=name, remedy="True or False is needed")
    return bool(given)


def count(given: Any) -> int:
    """How many things it holds; -1 if it is no list, tuple or array."""
    if isinstance(given, (str, bytes, Mapping)) or not hasattr(given, "__getitem__"):
        return -1
    try:
        return len(given)
    except TypeError:  # an array without dimensions
        return -1


def vector(given: Any, name: str, example: str = "(0, 0, 1)") -> v.Vector:
    """Three numbers."""
    if type(given) is tuple and len(given) == 3 and all(map(_is_scalar, given)):
        return given
    if count(given) != 3:
        raise MechanismError(f"is {_short(given)}", argument=name, remedy=f"three numbers are needed, such as {example}")
    return tuple(scalar(x, name) for x in given)  # type: ignore[return-value]


def point(given: Any, name: str) -> v.Vector:
    """Three finite numbers."""
    found = vector(given, name, "(0.1, 0, 0)")
    finite(found, name, LONGEST)
    return found


def axis(given: Any, name: str) -> v.Vector:
    """A direction: three numbers, or the name of a coordinate axis, such as "-y"."""
    if isinstance(given, str):
        if given not in _AXES:
            raise MechanismError(one_of("axis", given, _AXES), where=name)
        return _AXES[given]
    return vector(given, name)


def matrix(given: Any, name: str) -> v.Matrix:
    """A 3x3 matrix."""
    if count(given) != 3:
        raise MechanismError(f"is {_short(given)}", argument=name, remedy="a 3x3 matrix is needed")
    return tuple(vector(row, f"a row of {name}") for row in given)  # type: ignore[return-value]


def rotation(given: Any) -> v.Matrix:
    """A rotation matrix: orthogonal and right-handed."""
    R = given if given is v.IDENTITY else matrix(given, "the rotation")
    if R == v.IDENTITY:
        return v.IDENTITY
    A = np.array(R, dtype=float)
    if not np.isfinite(A).all():
        raise MechanismError("not all numbers of the rotation are finite")
    off = float(np.abs(A @ A.T - np.eye(3)).max())
    if off > 1e-6:
        raise MechanismError(f"the matrix is not a rotation: its rows are not orthonormal (off by {off:.1g})")
    if np.linalg.det(A) < 0:
        raise MechanismError("the matrix is a reflection, not a rotation: its axes form a left-handed frame")
    return R


def symmetric(given: Any, name: str) -> v.Symmetric:
    """An inertia: six entries `(xx, xy, xz, yy, yz, zz)`, three principal values, or a symmetric 3x3 matrix."""
    if type(given) is tuple and len(given) == 6 and all(map(_is_scalar, given)):
        return given
    what = "three principal values, a 3x3 matrix, or the six entries (xx, xy, xz, yy, yz, zz)"
    if count(given) not in (3, 6):
        raise MechanismError(f"is {_short(given)}", argument=name, remedy=f"{what} are needed")
    if len(given) == 6:
        return tuple(scalar(x, name) for x in given)  # type: ignore[return-value]
    if all(count(row) < 0 for row in given):
        xx, yy, zz = vector(given, name)
        return (xx, 0, 0, yy, 0, zz)
    A = matrix(given, name)
    for i, j in ((0, 1), (0, 2), (1, 2)):
        a, b = float(A[i][j]), float(A[j][i])
        if abs(a - b) > 1e-9 * max(abs(a), abs(b)):
            pair = f"entry ({i + 1},{j + 1}) is {a:g}, ({j + 1},{i + 1}) is {b:g}"
            raise MechanismError(f"the matrix is not symmetric: {pair}", where=name)
    return v.sym_of(A)


def part(kind: type[T], given: Any, name: str) -> T:
    """One of the small classes at a joint, as itself or as a mapping of its entries."""
    if isinstance(given, kind):
        return given
    names = [f.name for f in fields(kind)]  # type: ignore[arg-type]
    if not isinstance(given, Mapping):
        example = f"{kind.__name__}({', '.join(f'{n}=...' for n in names[:2])})"
        needed = f"{example}, or a mapping with the same names, is needed"
        raise MechanismError(f"is {_short(given)}", argument=name, remedy=needed)
    for entry in given:
        if entry not in names:
            raise MechanismError(one_of("entry", entry, names), where=name)
    return kind(**given)


def items(kind: type[T], given: Any, name: str) -> tuple[T, ...]:
    """Several things of one class, or of one of several."""
    wanted = " or ".join(k.__name__ for k in getattr(kind, "__args__", (kind,)))
    if isinstance(given, kind):
        one = type(given).__name__
        raise MechanismError(f"is one {one}", argument=name, remedy=f"a list of them is needed: [{one}(...)]")
    if isinstance(given, (str, bytes, Mapping)) or not hasattr(given, "__iter__") or getattr(given, "ndim", 1) == 0:
        raise MechanismError(f"is {_short(given)}", argument=name, remedy=f"a list of {wanted} is needed")
    several = tuple(given)
    for item in several:
        if not isinstance(item, kind):
            raise MechanismError(f"has {_short(item)} in it", argument=name, remedy=f"it may hold only {wanted}")
    return several


def keep(item: Any, how: Callable[[Any, str], Any], *names: str) -> None:
    """Attributes of a frozen thing as `how` makes them."""
    for name in names:
        object.__setattr__(item, name, how(getattr(item, name), name))


def finite(numbers: Any, name: str, most: float = MOST) -> None:
    """Whether numbers are such, and none beyond what a mechanism can have: products of larger ones would be infinite."""
    for x in numbers:
        value = float(x)
        if not abs(value) <= most:
            bound = f"numbers up to {most:g}" if math.isfinite(value) else "finite numbers"
            raise MechanismError(f"is {shown(value)}", argument=name, remedy=f"{bound} are needed")


def _short(given: Any) -> str:
    if isinstance(given, int) and abs(given) > _LARGEST:
        return "an integer with more than 308 digits"
    text = repr(given)
    return text if len(text) <= 60 else text[:57] + "..."
