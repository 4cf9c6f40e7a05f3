"""What a study keeps of every motion: numbers such as max(tip.x) or rms(tau_theta1), and rows of a few quantities.

A text is an expression in which quantities over time stand inside of a function that makes one number of them. A quantity that
stands alone is taken at the end of the motion.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from lagrangian.errors import ArgumentError, DescriptionError, Place, SimulationError, one_of, placed, shown
from lagrangian.model.event import DEAD_CENTRE, Event
from lagrangian.model.expression import FUNCTIONS, Expression, Scalar, call, free_symbols, symbol
from lagrangian.model.expression.arrays import Times
from lagrangian.model.expression.functions import evaluate
from lagrangian.model.expression.parser import Grammar, number, written
from lagrangian.model.expression.scalar import PI
from lagrangian.model.mechanism import Mechanism
from lagrangian.motion.events import checked
from lagrangian.motion.motion import Motion
from lagrangian.studies.quantities import Reading, known

FEW = 2000  # samples of which rows are kept without being asked for
ROWS = 101  # of `rows(...)` if it does not say how many
_COUNTS = {"atan2": 2, "mod": 2}

Reduction = Callable[[np.ndarray, np.ndarray], float]  # of values and times, one number


def _rms(x: np.ndarray, t: np.ndarray) -> float:
    return float(np.sqrt(_mean(x * x, t)))


def _mean(x: np.ndarray, t: np.ndarray) -> float:
    return _integral(x, t) / float(t[-1] - t[0]) if len(t) > 1 else float(x[-1])


def _integral(x: np.ndarray, t: np.ndarray) -> float:
    return 0.5 * float(np.dot(x[1:] + x[:-1], np.diff(t)))


REDUCTIONS: dict[str, Reduction] = {
    "start": lambda x, t: float(x[0]),
    "end": lambda x, t: float(x[-1]),
    "max": lambda x, t: float(x.max()),
    "min": lambda x, t: float(x.min()),
    "peak": lambda x, t: float(np.abs(x).max()),
    "mean": _mean,
    "rms": _rms,
    "integral": _integral,
}
_AT = ("at", "time", "count")  # of events
_ROWS = "rows"
_FUNCTIONS = (*REDUCTIONS, *_AT, _ROWS)


@dataclass(frozen=True)
class _Reduced:
    """A part of an expression that becomes one number: `function` of what `inner` is over the rows, or at an event."""

    name: str
    function: str
    inner: Scalar
    event: str = ""


@dataclass(frozen=True, eq=False)
class Kept:
    """A column of a study's results: a number of every motion, or so many rows of a quantity."""

    name: str
    text: str
    outer: Scalar
    parts: tuple[_Reduced, ...] = ()
    rows: int = 0
    readings: Mapping[str, Reading] = field(default_factory=dict, repr=False)

    @property
    def shape(self) -> tuple[int, ...]:
        return (self.rows,) if self.rows else ()

    def of(self, motion: Motion, values: Mapping[str, float], span: tuple[float, float]) -> float | np.ndarray:
        """The number, or the rows, of a motion of a mechanism whose parameters have these values."""
        if self.rows:
            return self._curve(motion, values, span)
        found: dict[str, Any] = {}
        for part in self.parts:
            found[part.name] = self._number(part, motion, {**values, **found})
        names = {name: float(self.readings[name](motion)[-1]) for name in free_symbols(self.outer) if name in self.readings}
        return float(evaluate(self.outer, {**values, **names, **found}))

    def _number(self, part: _Reduced, motion: Motion, values: Mapping[str, Any]) -> float:
        if part.function in ("time", "count"):
            times = [e.t for e in motion.events if e.name == part.event]
            return float(len(times)) if part.function == "count" else times[0] if times else np.nan
        if part.function == "at":
            times = [e.t for e in motion.events if e.name == part.event]
            if not times:
                return np.nan
            motion, reduce = motion.resample(np.array(times[:1])), REDUCTIONS["end"]
        else:
            reduce = REDUCTIONS[part.function]
        return reduce(self._over(part.inner, motion, values), motion.t)

    def _over(self, inner: Scalar, motion: Motion, values: Mapping[str, Any]) -> np.ndarray:
        """An expression at the rows of a motion."""
        if not len(motion.t):
            raise SimulationError("the motion has no rows")
        names = {name: Times.of(self.readings[name](motion)) for name in free_symbols(inner) if name in self.readings}
        found = np.asarray(evaluate(inner, {**values, **names}), dtype=float)
        return found if found.ndim else np.full(len(motion.t), float(found))

    def _curve(self, motion: Motion, values: Mapping[str, float], span: tuple[float, float]) -> np.ndarray:
        """Rows over the time of the study; those that a motion did not reach are missing."""
        times = np.linspace(*span, self.rows)
        reached = times <= motion.last + 1e-12
        found = np.full(self.rows, np.nan)
        if reached.any():
            found[reached] = self._over(self.outer, motion.resample(np.minimum(times[reached], motion.last)), values)
        return found


def kept(given: Any, mechanism: Mechanism, events: Any, constraints: tuple[str, ...] = ()) -> tuple[Kept, ...]:
    """What `keep=` names: a text, several, or a mapping of names of one's own to texts."""
    pairs: Iterable[tuple[Any, Any]]
    if isinstance(given, Mapping):
        pairs = given.items()
    elif isinstance(given, str):
        pairs = [(given, given)]
    elif isinstance(given, (list, tuple)):
        pairs = [(text, text) for text in given]
    else:
        raise ArgumentError(f"is {shown(given)}; texts such as 'max(theta1)' are needed", argument="keep")
    readings = known(mechanism, constraints)
    happens = [e.name for e in checked(events, mechanism) if isinstance(e, Event)]
    happens += [DEAD_CENTRE.name] if mechanism.equations and DEAD_CENTRE.name not in happens else []
    found = []
    for name, text in pairs:
        place: Place = f"keep {name!r}"
        if not isinstance(text, str) or not isinstance(name, str) or not name.strip():
            raise ArgumentError(f"is {shown(text)}; a text such as 'max(theta1)' is needed", where=place)
        with placed(place):
            found.append(_Reader(name, text, mechanism, readings, happens).read())
    names = [x.name for x in found]
    for name in names:
        if names.count(name) > 1:
            raise ArgumentError(f"{name!r} is kept twice", concerns="keep")
    if not found:
        raise ArgumentError("is empty; name what to keep of every motion, such as 'max(theta1)'", argument="keep")
    return tuple(found)


def usual(mechanism: Mechanism, driven: Iterable[str], count: int) -> list[str]:
    """What is kept if nothing is asked for: where each coordinate ends, its greatest speed, and the greatest torques.

    A study that is not too long keeps the way of the first coordinates, too.
    """
    texts = [f"end({written(x)})" for x in mechanism.coordinate_names[:12]]
    texts += [f"peak({written(f'qd_{x}')})" for x in mechanism.speed_names[:12]]
    texts += [f"peak({written(f'tau_{x}')})" for x in driven]
    return [*texts, *(f"rows({written(x)})" for x in mechanism.coordinate_names[:3] if count <= FEW)]


class _Reader:
    """Reads one text."""

    def __init__(self, name: str, text: str, mechanism: Mechanism, readings: dict[str, Reading], events: list[str]) -> None:
        self.name, self.text, self.readings = name, text, readings
        self.events = {event: symbol(event) for event in events}
        parameters = {x: symbol(x) for x in mechanism.parameters if x not in readings}
        self.names: dict[str, Scalar] = {**self.events, **parameters, **{x: symbol(x) for x in readings}}
        self.parts: list[_Reduced] = []
        self.rows = 0

    def read(self) -> Kept:
        counts: dict[str, Any] = dict.fromkeys(FUNCTIONS, 1) | _COUNTS | {"max": (1, 2), "min": (1, 2), "piecewise": None}
        counts |= dict.fromkeys(REDUCTIONS, 1) | {"at": 2, "time": 1, "count": 1, _ROWS: (1, 2), "max": (1, 2), "min": (1, 2)}
        try:
            outer = Grammar(self.names, {"pi": PI}, counts, self._apply, number).read(self.text)
        except DescriptionError as error:
            raise ArgumentError(error.what, where=error.where, remedy=error.remedy) from None
        if self.rows and (self.parts or not isinstance(outer, Expression) or outer.name != _ROWS):
            raise ArgumentError("rows(...) stands alone; what it is of may be an expression")
        inner = self._rows_of if self.rows else outer
        for name in free_symbols(inner):
            if name in self.events and name not in self.readings:
                raise ArgumentError(f"{name!r} is an event", remedy=f"time({written(name)}) is when it takes place")
        return Kept(self.name, self.text, inner, tuple(self.parts), self.rows, self.readings)

    def _apply(self, operation: str, *arguments: Scalar) -> Scalar:
        if operation not in _FUNCTIONS or (operation in ("max", "min") and len(arguments) == 2):
            return call(operation, *arguments)
        if operation == _ROWS:
            return self._as_rows(*arguments)
        event = ""
        if operation in _AT:
            event = arguments[0].name if isinstance(arguments[0], Expression) else ""
            if event not in self.events:
                raise DescriptionError(one_of("event", event or str(arguments[0]), self.events))
        inner = arguments[-1]
        part = _Reduced(f"part {len(self.parts)}", operation, 0 if operation in ("time", "count") else inner, event)
        self.parts.append(part)
        return symbol(part.name)

    def _as_rows(self, inner: Scalar, many: Scalar = ROWS) -> Scalar:
        size = float(many) if not isinstance(many, Expression) else 0.0
        if not size.is_integer() or not 2 <= size <= 100_000:
            raise DescriptionError(f"rows(..., {many}): a whole number of at least 2 rows is needed")
        self._rows_of, self.rows = inner, int(size)
        return symbol(_ROWS)
