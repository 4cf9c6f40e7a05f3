"""What a user may hand to the model, made into what the model holds, or refused with a sentence that says what would be right.

Lists, tuples and numpy arrays serve as vectors and matrices; three numbers serve as a placement without rotation, a 4x4 matrix as
any placement; mappings serve as the small classes that sit at a joint.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import fields
from typing import Any, TypeVar

import numpy as np

from lagrangian.errors import MechanismError, one_of, shown
from lagrangian.model import vector as v
from lagrangian.model.expression import Expression, Scalar

_NUMBERS = (int, float, Expression)
_AXES = {"x": v.X, "y": v.Y, "z": v.Z, "-x": (-1, 0, 0), "-y": (0, -1, 0), "-z": (0, 0, -1)}

# what no mechanism exceeds: a million kilometres; and in kg, N/m, m/s^2 and so on about the mass of the sun
LONGEST, MOST = 1e9, 1e30
LIGHTEST = 1e-30  # kg, of a body that has a mass at all: about that of an electron

T = TypeVar("T")


def scalar(given: Any, name: str) -> Scalar:
    """A number or an expression."""
    if type(given) in _NUMBERS:
        if type(given) is int:
            finite((given,), name)
        return given
    if isinstance(given, (np.floating, np.integer)) or (
        isinstance(given, np.ndarray) and given.ndim == 0 and given.dtype.kind in "fiu"
    ):
        return scalar(given.item(), name) if given.dtype.char != "g" else float(given)
    if isinstance(given, float):
        return float(given)
    raise MechanismError(f"is {_short(given)}", argument=name, remedy="a number is needed")


def vector(given: Any, name: str, example: str = "(0, 0, 1)") -> v.Vector:
    """Three numbers."""
    if type(given) is tuple and len(given) == 3 and all(type(x) in _NUMBERS for x in given):
        finite((x for x in given if type(x) is int), name)
        return given
    if _is_no_row(given) or len(given) != 3:
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
    if _is_no_row(given) or len(given) != 3:
        raise MechanismError(f"is {_short(given)}", argument=name, remedy="a 3x3 matrix is needed")
    return tuple(vector(row, f"a row of {name}") for row in given)  # type: ignore[return-value]


def rotation(given: Any) -> v.Matrix:
    """A rotation matrix: orthogonal and right-handed."""
    R = given if given is v.IDENTITY else matrix(given, "the rotation")
    if R == v.IDENTITY:
        return v.IDENTITY
    A = np.array(R, dtype=float)
    if not np.isfinite(A).all():
        raise MechanismError("the rotation has a number that is not finite")
    off = float(np.abs(A @ A.T - np.eye(3)).max())
    if off > 1e-6:
        raise MechanismError(f"the rotation is not one: its rows are not of length one and perpendicular (off by {off:.1g})")
    if np.linalg.det(A) < 0:
        raise MechanismError("the rotation is a reflection: its axes form a left-handed frame")
    return R


def symmetric(given: Any, name: str) -> v.Symmetric:
    """An inertia: six entries `(xx, xy, xz, yy, yz, zz)`, three principal values, or a symmetric 3x3 matrix."""
    if type(given) is tuple and len(given) == 6 and all(type(x) in _NUMBERS for x in given):
        return given
    what = "three principal values, a 3x3 matrix, or the six entries (xx, xy, xz, yy, yz, zz)"
    if _is_no_row(given) or len(given) not in (3, 6):
        raise MechanismError(f"is {_short(given)}", argument=name, remedy=f"{what} are needed")
    if len(given) == 6:
        return tuple(scalar(x, name) for x in given)  # type: ignore[return-value]
    if not any(hasattr(row, "__len__") for row in given):
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
            raise MechanismError(f"has {_short(item)} in it", argument=name, remedy=f"only {wanted} belongs there")
    return several


def finite(numbers: Any, name: str, most: float = MOST) -> None:
    """Whether numbers are such, and none beyond what a mechanism can have: products of larger ones would be infinite."""
    for x in numbers:
        value = x if isinstance(x, int) else float(x)  # an integer may be too large for a float
        if not abs(value) <= most:
            bound = "finite numbers" if isinstance(value, float) and not math.isfinite(value) else f"numbers up to {most:g}"
            raise MechanismError(f"is {shown(value)}", argument=name, remedy=f"{bound} are needed")


def _is_no_row(given: Any) -> bool:
    return isinstance(given, (str, bytes, Mapping)) or not hasattr(given, "__len__") or getattr(given, "ndim", 1) == 0


def _short(given: Any) -> str:
    text = repr(given)
    return text if len(text) <= 60 else text[:57] + "..."
