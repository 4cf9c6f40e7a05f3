"""What a study keeps of every motion: numbers such as max(tip.x) or rms(tau_theta1), and rows of a few quantities.

A text is an expression in which quantities over time stand inside of a function that makes one number of them. A quantity that
stands alone is taken at the end of the motion.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from lagrangian.errors import ArgumentError, DescriptionError, Place, one_of, placed, shown
from lagrangian.model.event import DEAD_CENTRE, Event
from lagrangian.model.expression import FUNCTIONS, Expression, Scalar, call, free_symbols, symbol
from lagrangian.model.expression.arrays import Times
from lagrangian.model.expression.functions import evaluate
from lagrangian.model.expression.parser import Grammar, number, written
from lagrangian.model.expression.scalar import PI
from lagrangian.model.mechanism import Mechanism
from lagrangian.motion.events import checked
from lagrangian.studies.quantities import known

FEW = 2000  # samples of which rows are kept without being asked for
ROWS = 101  # of `rows(...)` if it does not say how many
_COUNTS = {"atan2": 2, "mod": 2}

Reduction = Callable[[np.ndarray, np.ndarray], np.ndarray]  # of values, (motions, rows), and times: a number of each motion


def _integral(x: np.ndarray, t: np.ndarray) -> np.ndarray:
    found: np.ndarray = 0.5 * np.sum((x[:, 1:] + x[:, :-1]) * np.diff(t), axis=1)
    return found


def _mean(x: np.ndarray, t: np.ndarray) -> np.ndarray:
    return _integral(x, t) / (t[-1] - t[0]) if len(t) > 1 else x[:, -1]


REDUCTIONS: dict[str, Reduction] = {
    "start": lambda x, t: x[:, 0],
    "end": lambda x, t: x[:, -1],
    "max": lambda x, t: x.max(axis=1),
    "min": lambda x, t: x.min(axis=1),
    "peak": lambda x, t: np.abs(x).max(axis=1),
    "mean": _mean,
    "rms": lambda x, t: np.sqrt(_mean(x * x, t)),
    "integral": _integral,
}
_AT = ("at", "time", "count")  # of events
_ROWS = "rows"
_FUNCTIONS = (*REDUCTIONS, *_AT, _ROWS)


class Rows(Protocol):
    """Motions at their rows, as what is kept of them is computed: one, or many that have the same rows."""

    @property
    def t(self) -> np.ndarray: ...

    def __len__(self) -> int: ...

    def quantity(self, name: str) -> np.ndarray:
        """At the rows, (motions, rows)."""
        ...

    def parameter(self, name: str) -> np.ndarray:
        """Of each motion, (motions,)."""
        ...

    def times(self, event: str) -> list[float]:
        """When an event took place, of one motion."""
        ...

    def at(self, t: float) -> Rows:
        """One motion at a single time."""
        ...


@dataclass(frozen=True)
class _Reduced:
    """A part of an expression that becomes one number: `function` of what `inner` is over the rows, or at an event."""

    name: str
    function: str
    inner: Scalar
    event: str = ""


@dataclass(frozen=True)
class Kept:
    """A column of a study's results: a number of every motion, or so many rows of a quantity."""

    name: str
    text: str
    outer: Scalar
    parts: tuple[_Reduced, ...] = ()
    rows: int = 0
    known: frozenset[str] = frozenset()  # quantities over time, among the names of the expressions

    @property
    def quantities(self) -> set[str]:
        """Those that it is made of."""
        return {name for x in (self.outer, *(part.inner for part in self.parts)) for name in free_symbols(x) & self.known}

    @property
    def of_events(self) -> bool:
        return any(part.event for part in self.parts)

    def of(self, motions: Rows, places: np.ndarray | None = None) -> np.ndarray:
        """The numbers of motions, or their rows, of which `places` are kept: those that were not reached are missing."""
        found: dict[str, np.ndarray] = {}
        for part in self.parts:
            found[part.name] = self._number(part, motions, found)
        if self.rows:
            assert places is not None
            values = self._over(self.outer, motions, found)
            reached = places[places < values.shape[1]]
            return np.column_stack([values[:, reached], np.full((len(values), len(places) - len(reached)), np.nan)])
        return self._over(self.outer, motions, found, end=True)[:, 0]

    def _number(self, part: _Reduced, motions: Rows, found: Mapping[str, np.ndarray]) -> np.ndarray:
        if not part.event:
            return REDUCTIONS[part.function](self._over(part.inner, motions, found), motions.t)
        times = motions.times(part.event)
        if part.function == "at":
            return self._over(part.inner, motions.at(times[0]), found)[:, 0] if times else np.array([np.nan])
        return np.array([float(len(times)) if part.function == "count" else times[0] if times else np.nan])

    def _over(self, x: Scalar, motions: Rows, found: Mapping[str, np.ndarray], end: bool = False) -> np.ndarray:
        """An expression at the rows of motions, or at the last of them."""
        names: dict[str, Any] = {}
        for name in free_symbols(x):
            if name in found:
                names[name] = Times.of(found[name][:, None])
            elif name in self.known:
                names[name] = Times.of(motions.quantity(name)[:, -1:] if end else motions.quantity(name))
            else:
                names[name] = Times.of(motions.parameter(name)[:, None])
        value = np.asarray(evaluate(x, names), dtype=float)
        return np.ascontiguousarray(np.broadcast_to(value, (len(motions), 1 if end else len(motions.t))))


def times_of(columns: Iterable[Kept], rows: np.ndarray, span: tuple[float, float]) -> tuple[np.ndarray, dict[str, np.ndarray]]:
    """The times at which motions are needed: `rows`, both ends, and those of kept curves; and where the curves have theirs."""
    same = 1e-12 * max(abs(span[0]), abs(span[1]), span[1] - span[0])
    wanted = {column.name: np.linspace(*span, column.rows) for column in columns if column.rows}
    times = np.unique(np.concatenate([rows, span, *wanted.values()]))
    times = times[np.concatenate([[True], np.diff(times) > same])]  # those that differ by rounding are one
    times[0], times[-1] = span
    return times, {name: np.searchsorted(times, t - same) for name, t in wanted.items()}


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
    readings = tuple(known(mechanism, constraints))
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

    def __init__(self, name: str, text: str, mechanism: Mechanism, readings: tuple[str, ...], events: list[str]) -> None:
        self.name, self.text, self.readings = name, text, frozenset(readings)
        self.events = {event: symbol(event) for event in events}
        parameters = {x: symbol(x) for x in mechanism.parameters if x not in self.readings}
        quantities: dict[str, Scalar] = {x: symbol(x) for x in readings}
        self.names: dict[str, Scalar] = {**quantities, **self.events, **parameters, **quantities}
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
            raise ArgumentError("rows(...) cannot be a part of an expression; its argument may be one")
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
