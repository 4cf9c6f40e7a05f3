"""Expressions of time as motions: evaluated over many times at once, with exact derivatives."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from collections.abc import Sequence as Several
from dataclasses import dataclass
from typing import Any

import numpy as np

from lagrangian.errors import ArgumentError, ArgumentName, DescriptionError, format_value, is_number, unknown_name_message
from lagrangian.model.expression import Expression, Scalar, features, free_symbols, functions, parse, symbol
from lagrangian.model.expression import switching_times
from lagrangian.model.expression.derivative import derivative
from lagrangian.model.expression.functions import TimeArray
from lagrangian.model.loop import ANGULAR_COMPONENTS, TWIST_COMPONENTS
from lagrangian.model.rotation import quaternion
from lagrangian.model.rotation.euler import ANGLE_NAMES, EulerSequence
from lagrangian.paths.path import CartesianPath, TimeFunction, ValuesAndDerivatives

JUMP_TOLERANCE = 1e-9  # of the values: what is less is rounding


@dataclass(frozen=True)
class TimeExpressions:
    """Expressions of time with their two derivatives, at times since `start`; at `discontinuities` some jump or have kinks."""

    names: tuple[str, ...]
    expressions_by_order: tuple[list[Scalar], ...]
    start: float
    discontinuities: tuple[float, ...]
    interval_midpoints: np.ndarray  # of the intervals between the discontinuities

    def __call__(self, t: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        times = t + self.start
        derivatives = self._evaluate(times, np.searchsorted(self.discontinuities, times, side="right"))
        not_finite = ~np.isfinite(derivatives).all(axis=0)
        if not_finite.any():
            row, column = np.argwhere(not_finite)[0]
            time = float(times[row])
            raise ArgumentError(f"the formula of {self.names[column]!r}, or its derivatives, is not finite at t = {time:g} s")
        return derivatives[0], derivatives[1], derivatives[2]

    def _evaluate(self, times: np.ndarray, interval: np.ndarray) -> list[np.ndarray]:
        """All levels at times, as they are within these intervals."""
        names = {
            "t": TimeArray.from_values(times),
            functions.DECISION_TIME: TimeArray.from_values(self.interval_midpoints[interval]),
        }
        values_by_order = []
        for expressions in self.expressions_by_order:
            with np.errstate(all="ignore"):  # what is not finite is said by the caller
                values = [functions.evaluate(e, names) for e in expressions]
            values_by_order.append(np.array([np.broadcast_to(np.asarray(x, dtype=float), times.shape) for x in values]).T)
        return values_by_order

    def check_continuous(self) -> None:
        """An error where a place or a speed jumps."""
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
    texts: Sequence[Any], names: Sequence[str], parameters: Mapping[str, float], start: float, duration: float
) -> TimeExpressions:
    """A motion of the expressions and their two derivatives, at times since `start`."""
    for name, value in parameters.items():
        if name == "t" or not is_number(value):
            raise ArgumentError(
                f"parameter {name!r} is {format_value(value)}; a finite number is needed, under another name than t",
                concerns="parameters",
            )
    symbols: dict[str, Scalar] = {**{n: float(expressions) for n, expressions in parameters.items()}, "t": symbol("t")}
    expressions = [_as_expression(text, name, symbols) for text, name in zip(texts, names, strict=True)]
    slopes = [derivative(e, "t") for e in expressions]
    levels = (expressions, slopes, [derivative(e, "t") for e in slopes])
    span = start, start + duration
    try:
        jumps = switching_times.switching_times(expressions, *span)
        discontinuities = switching_times.distinct_times([*jumps, *features.pulse_times(expressions, *span, jumps)], *span)
    except switching_times.TooManySwitches as error:
        raise ArgumentError(f"'{error.expression}' has too many kinks for a path") from None
    edges = np.array([span[0], *discontinuities, span[1]])
    motion = TimeExpressions(tuple(names), levels, start, tuple(discontinuities), 0.5 * (edges[1:] + edges[:-1]))
    motion.check_continuous()
    return motion


def _as_expression(text: Any, name: str, symbols: Mapping[str, Scalar]) -> Scalar:
    if isinstance(text, Expression):
        for unknown in sorted(free_symbols(text) - {"t"}):
            raise ArgumentError(f"the formula of {name!r}: {unknown_name_message('name', unknown, symbols)}")
        return text
    if is_number(text):
        return float(text)
    if not isinstance(text, str):
        raise ArgumentError(f"the formula of {name!r} is {format_value(text)}; a number, or text such as '0.5*sin(t)', is needed")
    try:
        return parse(text, symbols)
    except DescriptionError as error:
        raise ArgumentError(f"the formula of {name!r}: {error}") from None


# MERGED lagrangian.paths.frame_functions: Paths of a frame whose columns are functions of time: x, y, z and an orientation,
# with exact derivatives. An orientation is given by Euler angles (alpha, beta, gamma of a sequence), a quaternion (qw, qx,
# qy, qz) or the entries of a rotation matrix (r11 ... r33); what is not named is zero. Its angular velocity and acceleration
# follow from its derivatives: angles: w = E phi', w' = E phi'' + E' phi' quaternion: w = 2 u' u*, w' = 2 u'' u* (the parts
# beside the first) matrix: [w] = R' R^T, [w'] = R'' R^T + R' R'^T

POSITION = TWIST_COMPONENTS[3:]
QUATERNION = ("qw", "qx", "qy", "qz")
MATRIX = tuple(f"r{i}{j}" for i in (1, 2, 3) for j in (1, 2, 3))
REPRESENTATIONS = {"Euler angles": ANGLE_NAMES, "a quaternion": QUATERNION, "a rotation matrix": MATRIX}
COLUMN_NAMES = (*POSITION, *ANGLE_NAMES, *QUATERNION, *MATRIX)
ROTATION_TOLERANCE = 1e-6  # what a quaternion's length, or a matrix times its transpose, may be off one
CHECKED_TIMES = 1001  # places at which a whole path is looked at


def frame_path(
    motion: TimeFunction, names: Several[str], duration: float, start: float, frame: str, euler: str | None
) -> CartesianPath:
    """The path of a frame of which `motion` gives the columns called `names`, with their two derivatives."""
    for name in names:
        if name not in COLUMN_NAMES:
            raise ArgumentError(f"a formula of frame {frame!r}: {unknown_name_message('direction', name, COLUMN_NAMES)}")
    representations = {
        representation: column_names for representation, column_names in REPRESENTATIONS.items() if set(column_names) & set(names)
    }
    if len(representations) > 1:
        raise ArgumentError(
            f"the orientation of frame {frame!r} is given by {' and by '.join(representations)}; give only one of them"
        )
    if (euler is not None) != ("Euler angles" in representations):
        if euler is not None:
            raise ArgumentError(
                f"is {euler!r}, the sequence of alpha, beta and gamma, but none of these angles is given", argument="euler"
            )
        raise ArgumentError(
            f"alpha, beta and gamma are Euler angles: their sequence is needed, such as {ArgumentName('euler', 'ZYX')}",
            concerns="euler",
        )
    orientation = None
    if representations:
        ((representation, column_names),) = representations.items()
        sequence = None if euler is None else EulerSequence.from_name(euler)
        orientation = OrientationFunction(SelectedColumns(motion, tuple(names), column_names), sequence, representation, start)
        orientation(np.linspace(0.0, duration, CHECKED_TIMES))
    return CartesianPath(
        duration,
        position=SelectedColumns(motion, tuple(names), POSITION),
        orientation=orientation,
        frame=frame,
        directions=(*(ANGULAR_COMPONENTS if orientation is not None else ()), *(d for d in POSITION if d in names)),
        start=start,
    )


@dataclass(frozen=True, eq=False)
class SelectedColumns:
    """Some of a motion's columns, in another order; those that it does not have are zero."""

    motion: TimeFunction
    names: tuple[str, ...]
    selected: tuple[str, ...]

    def __call__(self, t: np.ndarray) -> ValuesAndDerivatives:
        values = self.motion(t)
        selection = [np.zeros((len(t), len(self.selected))) for _ in values]
        for k, name in enumerate(self.selected):
            if name in self.names:
                for target, source in zip(selection, values, strict=True):
                    target[:, k] = source[:, self.names.index(name)]
        return selection[0], selection[1], selection[2]


@dataclass(frozen=True, eq=False)
class OrientationFunction:
    """An orientation over time as a path has it: quaternions, angular velocity and acceleration, along the world's axes."""

    columns: SelectedColumns
    sequence: EulerSequence | None
    representation: str
    start: float

    def __call__(self, t: np.ndarray) -> ValuesAndDerivatives:
        x, first, second = self.columns(t)
        if self.sequence is not None:
            E, w = self.sequence.rates_matrix(x), self.sequence.rates_matrix_bias(x, first)
            quaternions = quaternion.from_matrix(self.sequence.rotation(x))
            return quaternions, (E @ first[:, :, None])[:, :, 0], (E @ second[:, :, None])[:, :, 0] + w
        if self.columns.selected == QUATERNION:
            self._check_is_rotation(np.abs(np.linalg.norm(x, axis=1) - 1), t, "its length is not one")
            inverse = quaternion.conjugate(x)
            return x, 2 * quaternion.product(first, inverse)[:, 1:], 2 * quaternion.product(second, inverse)[:, 1:]
        R, dR, ddR = (y.reshape(-1, 3, 3) for y in (x, first, second))
        inverse = np.swapaxes(R, 1, 2)
        self._check_is_rotation(
            np.abs(R @ inverse - np.eye(3)).max(axis=(1, 2)), t, "its rows are not perpendicular and of length one"
        )
        self._check_is_rotation(np.where(np.linalg.det(R) > 0, 0.0, 1.0), t, "its columns are left-handed")
        return quaternion.from_matrix(R), _axial(dR @ inverse), _axial(ddR @ inverse + dR @ np.swapaxes(dR, 1, 2))

    def _check_is_rotation(self, deviation: np.ndarray, t: np.ndarray, reason: str) -> None:
        if len(deviation) and deviation.max() > ROTATION_TOLERANCE:
            time = float(t[int(np.argmax(deviation > ROTATION_TOLERANCE))]) + self.start
            raise ArgumentError(f"the orientation, {self.representation}, is not a rotation at t = {time:g} s: {reason}")


def _axial(W: np.ndarray) -> Any:
    """w of the matrix of w x, of the part of W that is skew."""
    return 0.5 * np.stack([W[:, 2, 1] - W[:, 1, 2], W[:, 0, 2] - W[:, 2, 0], W[:, 1, 0] - W[:, 0, 1]], axis=1)
