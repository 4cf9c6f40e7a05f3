"""Numbers, expressions and placements of a mechanism as TOML text that reads back to the same."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from itertools import product

from lagrangian.description.toml import text
from lagrangian.errors import ArgumentError, DescriptionError
from lagrangian.model import vector as v
from lagrangian.model.expression import Expression, Scalar, exact_text, parameters, parse, walk
from lagrangian.model.placement import Transform

_MAX_DOTS = 50  # the reader refuses lines with more, which could be names of many parts
_AXES = {v.X: "x", v.Y: "y", v.Z: "z", v.neg(v.X): "-x", v.neg(v.Y): "-y", v.neg(v.Z): "-z"}
_QUARTERS = {0: 0, 1: "pi/2", 2: "pi", -1: "-pi/2", -2: "-pi"}
_ANGLE_TOLERANCE = 1e-9  # radians


class ScalarWriter:
    """Writes scalars, and records the parameters in their expressions."""

    def __init__(self, declared_parameters: Mapping[str, Scalar]) -> None:
        self.declared_parameters = declared_parameters
        self.used_parameters: dict[str, float] = {}
        self.evaluated_count = 0  # of expressions that are too long to be read, whose values are written

    def number(self, x: Scalar | str) -> str:
        """A number, or an expression in quotes."""
        if isinstance(x, str):
            return text.format_string(x)
        if not isinstance(x, Expression):
            return text.format_number(x)
        if x.operation == "number":
            return repr(float(x))
        if x.value is not None and not _reads_back(x):
            self.evaluated_count += 1
            return repr(x.value)
        self.note_parameters(x)
        return text.format_string(exact_text(x))

    def numbers(self, xs: Iterable[Scalar]) -> str:
        return text.format_array(self.number(x) for x in xs)

    def note_parameters(self, x: Scalar) -> None:
        """Record the parameters in an expression; an error if a name has two values."""
        for name, value in parameters(x).items():
            declared_value = self.declared_parameters.get(name)
            previous_value = float(declared_value) if declared_value is not None else self.used_parameters.setdefault(name, value)
            if previous_value != value:
                values = f"is {value!r} in one place and {previous_value!r} in another"
                raise ArgumentError(f"the parameter {name!r} {values}; one name can only have one value")
            self.used_parameters[name] = value

    def axis(self, x: v.Vector) -> str:
        """A coordinate axis by its letter, any other by its numbers."""
        letter = None if any(isinstance(c, Expression) for c in x) else _AXES.get(x)
        return text.format_string(letter) if letter else self.numbers(x)

    def placement(self, placement: Transform, prefix: str = "") -> dict[str, str]:
        """The entries of a placement: `xyz`, and `rpy` if angles give exactly the same rotation, else the matrix."""
        entries = {}
        if placement.position != v.ZERO:
            entries[prefix + "xyz"] = self.numbers(placement.position)
        if placement.rotation == v.IDENTITY:
            return entries
        angles = _roll_pitch_yaw(placement.rotation)
        if angles is not None:
            entries[prefix + "rpy"] = self.numbers(angles)
        else:
            entries[prefix + "rotation"] = text.format_array(self.numbers(row) for row in placement.rotation)
        return entries


def _reads_back(x: Expression) -> bool:
    """Whether the reader accepts the text of an expression, with the same value."""
    try:
        source = exact_text(x)
        names = {name: Expression("symbol", (), value, name) for name, value in parameters(x).items()}
        return source.count(".") <= _MAX_DOTS and float(parse(source, names)) == x.value
    except (DescriptionError, RecursionError):
        return False


def _roll_pitch_yaw(R: v.Matrix) -> tuple[Scalar, ...] | None:
    """Roll, pitch and yaw as a person would write them, if they give exactly R, with the same names; else None."""
    r = [[float(x) for x in row] for row in R]
    pitch = math.atan2(-r[2][0], math.hypot(r[2][1], r[2][2]))
    if abs(r[2][0]) < 1 - 1e-12:
        roll, yaw = math.atan2(r[2][1], r[2][2]), math.atan2(r[1][0], r[0][0])
    else:  # roll and yaw are about the same axis, so that roll can be zero
        roll, yaw = 0.0, math.atan2(-r[0][1], r[1][1])
    named_angles = [n.arguments[0] for row in R for x in row for n in walk(x) if n.operation in ("sin", "cos")]
    for guess in product(*(_candidate_angles(angle, named_angles) for angle in (roll, pitch, yaw))):
        if Transform.from_rpy(rpy=guess).rotation == R:
            return guess
    return None


def _candidate_angles(angle: float, named_angles: Iterable[Scalar]) -> list[Scalar]:
    """Likely texts of an angle: a multiple of a quarter turn, an expression whose sine is in the matrix, or few decimals."""
    turns = angle / (math.pi / 2)
    if abs(turns - round(turns)) < _ANGLE_TOLERANCE:
        return [parse(str(_QUARTERS[round(turns)]))]
    matches: list[Scalar] = []
    for x in named_angles:
        turns_apart = (float(x) - angle) / (2 * math.pi)
        if abs(turns_apart - round(turns_apart)) < _ANGLE_TOLERANCE and x not in matches:
            matches.append(x)
    return matches or [round(angle, 9), round(angle, 12), angle]
