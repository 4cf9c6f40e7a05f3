"""Checks and conversions of what a user gives to the model; an error says what would be right.

Lists, tuples and numpy arrays serve as vectors and matrices, and mappings serve as the small classes at a joint, such as
`Friction`. Each function takes the value and the name of the argument, and returns what the model holds.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Mapping
from dataclasses import fields
from typing import Any, TypeVar

import numpy as np

from lagrangian.errors import MechanismError, format_value, has_invisible, unknown_name_message
from lagrangian.model import vector as v
from lagrangian.model.expression import Expression, Scalar, sqrt
from lagrangian.model.expression.scalar import NumberWithSource

_MAX_INTEGER = int(sys.float_info.max)  # what arithmetic with floats can take of an integer
_AXES = {"x": v.X, "y": v.Y, "z": v.Z, "-x": (-1, 0, 0), "-y": (0, -1, 0), "-z": (0, 0, -1)}

# no mechanism exceeds these: a million kilometres; and about the mass of the sun in kg, for N/m, m/s^2 and so on too
MAX_DISTANCE, MAX_MAGNITUDE = 1e9, 1e30
MIN_MASS = 1e-30  # kg, of a body that has a mass at all: about that of an electron
T = TypeVar("T")


def number(value: Any, name: str) -> Scalar:
    """A finite number or an expression."""
    x = scalar(value, name)
    check_finite((x,), name)
    return x


def scalar(value: Any, name: str) -> Scalar:
    """A number or an expression."""
    if _is_scalar(value):
        return value
    if isinstance(value, np.ndarray) and value.ndim == 0 and value.dtype.kind in "fiu" and not np.ma.is_masked(value):
        value = value[()]
    if isinstance(value, (float, np.floating)):
        return float(value)
    if isinstance(value, np.integer):
        return int(value)
    remedy = f"numbers up to {MAX_MAGNITUDE:g} are needed" if type(value) is int else "a number is needed"
    raise MechanismError(f"is {_short_repr(value)}", argument=name, remedy=remedy)


def number_with_source(value: Any, name: str) -> float:
    """A number, which remembers the expression that it was computed from."""
    return value if isinstance(value, NumberWithSource) else NumberWithSource.from_scalar(scalar(value, name))


def text(value: Any, name: str) -> str:
    """A text, such as a name."""
    if not isinstance(value, str):
        raise MechanismError(f"is {_short_repr(value)}", argument=name, remedy="a string is needed")
    return value


def boolean(value: Any, name: str) -> bool:
    """True or False."""
    if not isinstance(value, (bool, np.bool_)):
        raise MechanismError(f"is {_short_repr(value)}", argument=name, remedy="True or False is needed")
    return bool(value)


def mapping(value: Any, name: str) -> dict[str, Any]:
    """Values by name, as a new dictionary."""
    if not isinstance(value, Mapping) or not all(isinstance(key, str) for key in value):
        raise MechanismError(f"is {_short_repr(value)}", argument=name, remedy="a mapping of names is needed")
    return dict(value)


def pairs(value: Any, name: str) -> dict[str, Any]:
    """Values by name, from pairs."""
    try:
        return mapping(dict(value), name)
    except (TypeError, ValueError):
        raise MechanismError(f"is {_short_repr(value)}", argument=name, remedy="pairs of a name and a value are needed") from None


def vector(value: Any, name: str, example: str = "(0, 0, 1)") -> v.Vector:
    """Three numbers."""
    if type(value) is tuple and len(value) == 3 and all(map(_is_scalar, value)):
        return value
    if sequence_length(value) != 3:
        raise MechanismError(f"is {_short_repr(value)}", argument=name, remedy=f"three numbers are needed, such as {example}")
    return tuple(scalar(x, name) for x in value)  # type: ignore[return-value]


def point(value: Any, name: str) -> v.Vector:
    """Three finite numbers."""
    p = vector(value, name, "(0.1, 0, 0)")
    check_finite(p, name, MAX_DISTANCE)
    return p


def axis(value: Any, name: str) -> v.Vector:
    """A direction: three numbers, or the name of a coordinate axis, such as "-y"."""
    if isinstance(value, str):
        if value not in _AXES:
            raise MechanismError(unknown_name_message("axis", value, _AXES), where=name)
        return _AXES[value]
    return vector(value, name)


def direction(value: Any, name: str) -> v.Vector:
    """A unit vector, from whatever a user may give as an axis."""
    return unit_vector(axis(value, name), name)


def unit_vector(axis: v.Vector, name: str) -> v.Vector:
    """An axis scaled to length one; it stays as it is, and so exact, where its length is one but for rounding."""
    length2 = float(v.dot(axis, axis))
    if not 1e-20 < length2 < float("inf"):
        remedy = "it needs a finite direction, such as (0, 0, 1)"
        raise MechanismError(f"is {tuple(float(x) for x in axis)}", argument=name, remedy=remedy)
    if abs(length2 - 1.0) < 1e-15:
        return axis
    length = sqrt(v.dot(axis, axis))
    return (axis[0] / length, axis[1] / length, axis[2] / length)


def matrix(value: Any, name: str) -> v.Matrix:
    """A 3x3 matrix."""
    if sequence_length(value) != 3:
        raise MechanismError(f"is {_short_repr(value)}", argument=name, remedy="a 3x3 matrix is needed")
    return tuple(vector(row, f"a row of {name}") for row in value)  # type: ignore[return-value]


def rotation(value: Any) -> v.Matrix:
    """A rotation matrix: orthogonal and right-handed."""
    R = value if value is v.IDENTITY else matrix(value, "the rotation")
    if R == v.IDENTITY:
        return v.IDENTITY
    A = np.array(R, dtype=float)
    if not np.isfinite(A).all():
        raise MechanismError("not all numbers of the rotation are finite")
    deviation = float(np.abs(A @ A.T - np.eye(3)).max())
    if deviation > 1e-6:
        raise MechanismError(f"the matrix is not a rotation: its rows are not orthonormal (off by {deviation:.1g})")
    if np.linalg.det(A) < 0:
        raise MechanismError("the matrix is a reflection, not a rotation: its axes form a left-handed frame")
    return R


def symmetric(value: Any, name: str) -> v.Symmetric:
    """An inertia: six entries `(xx, xy, xz, yy, yz, zz)`, three principal values, or a symmetric 3x3 matrix."""
    if type(value) is tuple and len(value) == 6 and all(map(_is_scalar, value)):
        return value
    expected = "three principal values, a 3x3 matrix, or the six entries (xx, xy, xz, yy, yz, zz)"
    if sequence_length(value) not in (3, 6):
        raise MechanismError(f"is {_short_repr(value)}", argument=name, remedy=f"{expected} are needed")
    if len(value) == 6:
        return tuple(scalar(x, name) for x in value)  # type: ignore[return-value]
    if all(sequence_length(row) < 0 for row in value):
        xx, yy, zz = vector(value, name)
        return (xx, 0, 0, yy, 0, zz)
    A = matrix(value, name)
    for i, j in ((0, 1), (0, 2), (1, 2)):
        a, b = float(A[i][j]), float(A[j][i])
        if abs(a - b) > 1e-9 * max(abs(a), abs(b)):
            pair = f"entry ({i + 1},{j + 1}) is {a:g}, ({j + 1},{i + 1}) is {b:g}"
            raise MechanismError(f"the matrix is not symmetric: {pair}", where=name)
    return v.sym_from_matrix(A)


def as_instance(kind: type[T], value: Any, name: str) -> T:
    """An instance of one of the small classes at a joint, or a mapping of its entries."""
    if isinstance(value, kind):
        return value
    names = [f.name for f in fields(kind)]  # type: ignore[arg-type]
    if not isinstance(value, Mapping):
        example = f"{kind.__name__}({', '.join(f'{n}=...' for n in names[:2])})"
        remedy = f"{example}, or a mapping with the same names, is needed"
        raise MechanismError(f"is {_short_repr(value)}", argument=name, remedy=remedy)
    for entry in value:
        if entry not in names:
            raise MechanismError(unknown_name_message("entry", entry, names), where=name)
    return kind(**value)


def tuple_of(kind: type[T], value: Any, name: str) -> tuple[T, ...]:
    """Several instances of a class, or of one of several classes."""
    class_names = " or ".join(k.__name__ for k in getattr(kind, "__args__", (kind,)))
    if isinstance(value, kind):
        class_name = type(value).__name__
        raise MechanismError(f"is one {class_name}", argument=name, remedy=f"a list of them is needed: [{class_name}(...)]")
    if isinstance(value, (str, bytes, Mapping)) or not hasattr(value, "__iter__") or getattr(value, "ndim", 1) == 0:
        raise MechanismError(f"is {_short_repr(value)}", argument=name, remedy=f"a list of {class_names} is needed")
    elements = tuple(value)
    for item in elements:
        if not isinstance(item, kind):
            raise MechanismError(f"has {_short_repr(item)} in it", argument=name, remedy=f"it may hold only {class_names}")
    return elements


def convert_fields(instance: Any, convert: Callable[[Any, str], Any], *names: str) -> None:
    """Convert attributes of a frozen instance in place."""
    for name in names:
        object.__setattr__(instance, name, convert(getattr(instance, name), name))


def check_finite(numbers: Any, name: str, maximum: float = MAX_MAGNITUDE) -> None:
    """Refuse numbers that are not finite, or larger than a mechanism can have: products of such numbers would be infinite."""
    for x in numbers:
        value = float(x)
        if not abs(value) <= maximum:
            bound = f"numbers up to {maximum:g}" if math.isfinite(value) else "finite numbers"
            raise MechanismError(f"is {format_value(value)}", argument=name, remedy=f"{bound} are needed")


def check_name(name: str, noun: str) -> None:
    """Refuse a name with invisible characters or line breaks: names are shown in many places."""
    if has_invisible(name):
        raise MechanismError(
            f"{name!r} cannot be the name of a {noun}",
            remedy="a name has no line breaks, tabs or invisible characters",
        )


def check_perpendicular(a: v.Vector, b: v.Vector, message: str) -> None:
    """Refuse two axes that are not perpendicular."""
    if abs(float(v.dot(a, b))) > 1e-9:
        raise MechanismError(message)


def sequence_length(value: Any) -> int:
    """Return the length of a list, tuple or array; -1 of anything else."""
    if isinstance(value, (str, bytes, Mapping)) or not hasattr(value, "__getitem__"):
        return -1
    try:
        return len(value)
    except TypeError:  # an array without dimensions
        return -1


def _is_scalar(value: Any) -> bool:
    """Whether the model can hold a value as it is."""
    return type(value) in (float, Expression) or (type(value) is int and -_MAX_INTEGER <= value <= _MAX_INTEGER)


def _short_repr(value: Any) -> str:
    if isinstance(value, int) and abs(value) > _MAX_INTEGER:
        return "an integer with more than 308 digits"
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."
