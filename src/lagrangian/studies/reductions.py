"""What a study keeps of every motion: numbers such as max(tip.x) or rms(tau_theta1), and rows of a few quantities.

A text is an expression in which quantities over time stand inside of a function that makes one number of them. A quantity that
stands alone is taken at the end of the motion.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from lagrangian.errors import ArgumentError, DescriptionError, Place, error_location, format_value, unknown_name_message
from lagrangian.model.event import DEAD_CENTRE, Event
from lagrangian.model.expression import FUNCTIONS, Expression, Scalar, call, free_symbols, symbol
from lagrangian.model.expression.functions import TimeArray, evaluate
from lagrangian.model.expression.parser import Grammar, parse_number, quote_name
from lagrangian.model.expression.scalar import PI
from lagrangian.model.mechanism import Mechanism
from lagrangian.motion.events import checked
from lagrangian.studies.quantities import quantity_readers

MAX_SAMPLES_WITH_ROWS = 2000  # up to so many samples, rows of the first coordinates are kept by default
ROWS = 101  # of `rows(...)` if it does not say how many
_ARGUMENT_COUNTS = {"atan2": 2, "mod": 2}

Reduction = Callable[[np.ndarray, np.ndarray], np.ndarray]  # of values, (motions, rows), and times: a number of each motion


def _integral(x: np.ndarray, t: np.ndarray) -> np.ndarray:
    integrals: np.ndarray = 0.5 * np.sum((x[:, 1:] + x[:, :-1]) * np.diff(t), axis=1)
    return integrals


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
_EVENT_FUNCTIONS = ("at", "time", "count")  # of events
_ROWS_FUNCTION = "rows"
_FUNCTIONS = (*REDUCTIONS, *_EVENT_FUNCTIONS, _ROWS_FUNCTION)


class MotionQuantities(Protocol):
    """One motion, or many with the same times, from which the results of a study are computed."""

    @property
    def t(self) -> np.ndarray: ...

    def __len__(self) -> int: ...

    def quantity(self, name: str) -> np.ndarray:
        """The values of a quantity, (motions, rows)."""
        ...

    def parameter(self, name: str) -> np.ndarray:
        """The value of a parameter in each motion, (motions,)."""
        ...

    def event_times(self, event: str) -> list[float]:
        """The times at which an event took place, for a single motion."""
        ...

    def at_time(self, t: float) -> MotionQuantities:
        """A single motion at one time."""
        ...


@dataclass(frozen=True)
class _ReducedPart:
    """A part of an expression that becomes one number: `function` of the values of `inner` over the rows, or at an event."""

    name: str
    function: str
    inner: Scalar
    event: str = ""


@dataclass(frozen=True)
class OutputColumn:
    """A column of a study's results: a number of every motion, or `rows` rows of a quantity."""

    name: str
    text: str
    outer: Scalar
    parts: tuple[_ReducedPart, ...] = ()
    rows: int = 0
    time_quantities: frozenset[str] = frozenset()  # quantities over time, among the names of the expressions

    @property
    def quantities(self) -> set[str]:
        """The names of the quantities that the column is computed from."""
        return {
            name for x in (self.outer, *(part.inner for part in self.parts)) for name in free_symbols(x) & self.time_quantities
        }

    @property
    def uses_events(self) -> bool:
        return any(part.event for part in self.parts)

    def evaluate(self, motions: MotionQuantities, row_indices: np.ndarray | None = None) -> np.ndarray:
        """Evaluate the column for motions: a number of each, or its rows at given indices, without those it did not reach."""
        part_values: dict[str, np.ndarray] = {}
        for part in self.parts:
            part_values[part.name] = self._reduce(part, motions, part_values)
        if self.rows:
            assert row_indices is not None
            values = self._evaluate_over_rows(self.outer, motions, part_values)
            reached_rows = row_indices[row_indices < values.shape[1]]
            return np.column_stack(
                [values[:, reached_rows], np.full((len(values), len(row_indices) - len(reached_rows)), np.nan)]
            )
        return self._evaluate_over_rows(self.outer, motions, part_values, end=True)[:, 0]

    def _reduce(self, part: _ReducedPart, motions: MotionQuantities, part_values: Mapping[str, np.ndarray]) -> np.ndarray:
        if not part.event:
            return REDUCTIONS[part.function](self._evaluate_over_rows(part.inner, motions, part_values), motions.t)
        times = motions.event_times(part.event)
        if part.function == "at":
            return (
                self._evaluate_over_rows(part.inner, motions.at_time(times[0]), part_values)[:, 0]
                if times
                else np.array([np.nan])
            )
        return np.array([float(len(times)) if part.function == "count" else times[0] if times else np.nan])

    def _evaluate_over_rows(
        self, x: Scalar, motions: MotionQuantities, part_values: Mapping[str, np.ndarray], end: bool = False
    ) -> np.ndarray:
        """Evaluate an expression at the rows of motions, or at their last row."""
        names: dict[str, Any] = {}
        for name in free_symbols(x):
            if name in part_values:
                names[name] = TimeArray.from_values(part_values[name][:, None])
            elif name in self.time_quantities:
                names[name] = TimeArray.from_values(motions.quantity(name)[:, -1:] if end else motions.quantity(name))
            else:
                names[name] = TimeArray.from_values(motions.parameter(name)[:, None])
        value = np.asarray(evaluate(x, names), dtype=float)
        return np.ascontiguousarray(np.broadcast_to(value, (len(motions), 1 if end else len(motions.t))))


def output_times(
    columns: Iterable[OutputColumn], rows: np.ndarray, span: tuple[float, float]
) -> tuple[np.ndarray, dict[str, np.ndarray]]:
    """The times at which motions are needed (`rows`, both ends, and those of kept curves), and the indices of the latter."""
    tolerance = 1e-12 * max(abs(span[0]), abs(span[1]), span[1] - span[0])
    curve_times = {column.name: np.linspace(*span, column.rows) for column in columns if column.rows}
    times = np.unique(np.concatenate([rows, span, *curve_times.values()]))
    times = times[np.concatenate([[True], np.diff(times) > tolerance])]  # those that differ by rounding are one
    times[0], times[-1] = span
    return times, {name: np.searchsorted(times, t - tolerance) for name, t in curve_times.items()}


def as_output_columns(
    keep: Any, mechanism: Mechanism, events: Any, constraints: tuple[str, ...] = ()
) -> tuple[OutputColumn, ...]:
    """Read the argument `keep`: a text, several texts, or a mapping of the user's names to texts."""
    pairs: Iterable[tuple[Any, Any]]
    if isinstance(keep, Mapping):
        pairs = keep.items()
    elif isinstance(keep, str):
        pairs = [(keep, keep)]
    elif isinstance(keep, (list, tuple)):
        pairs = [(text, text) for text in keep]
    else:
        raise ArgumentError(f"is {format_value(keep)}; texts such as 'max(theta1)' are needed", argument="keep")
    quantity_names = tuple(quantity_readers(mechanism, constraints))
    event_names = [e.name for e in checked(events, mechanism) if isinstance(e, Event)]
    event_names += [DEAD_CENTRE.name] if mechanism.equation_count and DEAD_CENTRE.name not in event_names else []
    columns = []
    for name, text in pairs:
        place: Place = f"keep {name!r}"
        if not isinstance(text, str) or not isinstance(name, str) or not name.strip():
            raise ArgumentError(f"is {format_value(text)}; a text such as 'max(theta1)' is needed", where=place)
        with error_location(place):
            columns.append(_OutputReader(name, text, mechanism, quantity_names, event_names).read())
    names = [x.name for x in columns]
    for name in names:
        if names.count(name) > 1:
            raise ArgumentError(f"{name!r} is kept twice", concerns="keep")
    if not columns:
        raise ArgumentError("is empty; name what to keep of every motion, such as 'max(theta1)'", argument="keep")
    return tuple(columns)


def default_outputs(mechanism: Mechanism, driven: Iterable[str], count: int) -> list[str]:
    """The outputs of a study that names none: where each coordinate ends, its largest speed, and the largest torques.

    A study of not too many samples also keeps curves of the first coordinates.
    """
    texts = [f"end({quote_name(x)})" for x in mechanism.coordinate_names[:12]]
    texts += [f"peak({quote_name(f'qd_{x}')})" for x in mechanism.speed_names[:12]]
    texts += [f"peak({quote_name(f'tau_{x}')})" for x in driven]
    return [*texts, *(f"rows({quote_name(x)})" for x in mechanism.coordinate_names[:3] if count <= MAX_SAMPLES_WITH_ROWS)]


class _OutputReader:
    """The reader of one text."""

    def __init__(self, name: str, text: str, mechanism: Mechanism, quantity_names: tuple[str, ...], events: list[str]) -> None:
        self.name, self.text, self.quantity_names = name, text, frozenset(quantity_names)
        self.events = {event: symbol(event) for event in events}
        parameters = {x: symbol(x) for x in mechanism.parameters if x not in self.quantity_names}
        quantities: dict[str, Scalar] = {x: symbol(x) for x in quantity_names}
        self.names: dict[str, Scalar] = {**quantities, **self.events, **parameters, **quantities}
        self.parts: list[_ReducedPart] = []
        self.rows = 0

    def read(self) -> OutputColumn:
        counts: dict[str, Any] = (
            dict.fromkeys(FUNCTIONS, 1) | _ARGUMENT_COUNTS | {"max": (1, 2), "min": (1, 2), "piecewise": None}
        )
        counts |= dict.fromkeys(REDUCTIONS, 1) | {
            "at": 2,
            "time": 1,
            "count": 1,
            _ROWS_FUNCTION: (1, 2),
            "max": (1, 2),
            "min": (1, 2),
        }
        try:
            outer = Grammar(self.names, {"pi": PI}, counts, self._apply, parse_number).parse(self.text)
        except DescriptionError as error:
            raise ArgumentError(error.what, where=error.where, remedy=error.remedy) from None
        if self.rows and (self.parts or not isinstance(outer, Expression) or outer.name != _ROWS_FUNCTION):
            raise ArgumentError("rows(...) cannot be a part of an expression; its argument may be one")
        inner = self._rows_expression if self.rows else outer
        for name in free_symbols(inner):
            if name in self.events and name not in self.quantity_names:
                raise ArgumentError(f"{name!r} is an event", remedy=f"time({quote_name(name)}) is when it takes place")
        return OutputColumn(self.name, self.text, inner, tuple(self.parts), self.rows, self.quantity_names)

    def _apply(self, operation: str, *arguments: Scalar) -> Scalar:
        if operation not in _FUNCTIONS or (operation in ("max", "min") and len(arguments) == 2):
            return call(operation, *arguments)
        if operation == _ROWS_FUNCTION:
            return self._read_rows(*arguments)
        event = ""
        if operation in _EVENT_FUNCTIONS:
            event = arguments[0].name if isinstance(arguments[0], Expression) else ""
            if event not in self.events:
                raise DescriptionError(unknown_name_message("event", event or str(arguments[0]), self.events))
        inner = arguments[-1]
        part = _ReducedPart(f"part {len(self.parts)}", operation, 0 if operation in ("time", "count") else inner, event)
        self.parts.append(part)
        return symbol(part.name)

    def _read_rows(self, inner: Scalar, count: Scalar = ROWS) -> Scalar:
        size = float(count) if not isinstance(count, Expression) else 0.0
        if not size.is_integer() or not 2 <= size <= 100_000:
            raise DescriptionError(f"rows(..., {count}): a whole number of at least 2 rows is needed")
        self._rows_expression, self.rows = inner, int(size)
        return symbol(_ROWS_FUNCTION)
