"""What is given for many motions at once: which arguments have a value for each, and how many motions that makes."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from lagrangian.arguments import floats
from lagrangian.errors import ArgumentError, ArgumentName, Place, format_value, unknown_name_message
from lagrangian.model.expression import Expression
from lagrangian.model.mechanism import Mechanism
from lagrangian.model.parameters import with_origin

if TYPE_CHECKING:
    from lagrangian.motion.recipe import Recipe

_WORD = re.compile(r"[A-Za-z_][A-Za-z_0-9.]*")
TORQUE = "torque of "  # how the name of a torque that varies begins

States = ArrayLike | Mapping[str, ArrayLike] | str | None
"""Coordinates or speeds of one motion, or of many with a row or an entry for each; a mapping names some of them."""


def is_many(q0: Any, qd0: Any, torque: Any, parameters: Any) -> bool:
    """Whether any of them is given for many motions."""
    if q0 is None and qd0 is None and torque is None and parameters is None:  # as most runs are
        return False
    return any(_rows(x) for x in (q0, qd0)) or _rows_of_torques(torque) or _some(parameters)


def _array(x: Any) -> np.ndarray | None:
    if x is None or isinstance(x, (str, bytes)) or callable(x):
        return None
    try:
        return floats(x)
    except (TypeError, ValueError):
        return None


def _some(x: Any) -> bool:
    """Whether some values of a mapping are arrays."""
    return isinstance(x, Mapping) and any((a := _array(v)) is not None and a.ndim > 0 for v in x.values())


def _rows(x: Any) -> bool:
    return _some(x) or (not isinstance(x, Mapping) and (a := _array(x)) is not None and a.ndim > 1)


def _rows_of_torques(x: Any) -> bool:
    return not isinstance(x, tuple) and _rows(x)  # times and values are a table over time


@dataclass
class Given:
    """For each of `count` motions: parameters and torques by name, coordinates and speeds by row or by name.

    `mechanism` and `torque` stand for all of them: what varies has a name there, and its value in the `nominal` motion.
    """

    mechanism: Mechanism
    torque: Any
    count: int
    varied: dict[str, np.ndarray] = field(default_factory=dict)
    q0: np.ndarray | dict[str, np.ndarray] | Any = None
    qd0: np.ndarray | dict[str, np.ndarray] | Any = None
    nominal: int = 0  # the motion whose values stand for all
    original: Mechanism | None = None  # as it was given, with none of the values
    same: dict[str, Any] = field(default_factory=dict)  # parameters that are the same for all

    def following(self, recipe: Recipe, i: int) -> Recipe:
        """What one motion is asked for, where expressions follow its parameters."""
        values = {**self.same, **{name: float(x[i]) for name, x in self.parameters.items()}}
        return recipe if self.original is None else recipe.following(self.original, values)

    @property
    def parameters(self) -> dict[str, np.ndarray]:
        """Those that vary, without torques."""
        return {name: x for name, x in self.varied.items() if not name.startswith(TORQUE)}

    def mechanism_of(self, i: int) -> Mechanism:
        """That of one motion."""
        own = {name: float(x[i]) for name, x in self.parameters.items()}
        return self.mechanism.with_parameters(own) if own else self.mechanism

    def torque_of(self, i: int) -> Any:
        """What drives one motion."""
        if not isinstance(self.torque, Mapping):
            return self.torque
        return {
            name: float(self.varied[TORQUE + name][i]) if TORQUE + name in self.varied else x for name, x in self.torque.items()
        }


class Reader:
    """Reads the arguments, which must agree in how many motions there are."""

    def __init__(self, mechanism: Mechanism, pick: float = 0.5) -> None:
        """The motion that stands for all is so far from the first to the last."""
        self.mechanism, self._pick = mechanism, pick
        self.count, self._first = 0, ""
        self._same: dict[str, Any] = {}

    def read(self, q0: Any, qd0: Any, torque: Any, parameters: Any) -> Given:
        model = self.mechanism
        varied = self._parameters(parameters)
        for argument, given in (("q0", q0), ("qd0", qd0)):
            _refuse_expressions(given, argument, varied)
        q0, qd0 = self._states(q0, "q0", model.coordinate_names), self._states(qd0, "qd0", model.speed_names)
        torque = self._torque(torque, varied)
        return Given(self.mechanism, torque, self.count, varied, q0, qd0, self._picked(self.count), model, self._same)

    def _picked(self, count: int) -> int:
        return int(self._pick * (count - 1))

    def _counted(self, values: np.ndarray, what: str, where: tuple[Place, ...], argument: str = "") -> np.ndarray:
        """Values of all motions, which are as many as those of other arguments."""
        if not len(values):
            raise ArgumentError("is empty; at least one motion is needed", where=where, argument=argument)
        if not self.count:
            self.count, self._first = len(values), what
        if len(values) != self.count:
            raise ArgumentError(
                f"has values for {len(values)} motions, but {self._first} has values for {self.count}",
                where=where,
                argument=argument,
                remedy="give as many; a single value applies to all motions",
            )
        if not np.isfinite(values).all():
            row = int(np.argmax(~np.isfinite(values.reshape(len(values), -1)).all(axis=1)))
            raise ArgumentError(f"has a number that is not finite, in motion {row}", where=where, argument=argument)
        return np.array(values)

    def _column(self, x: Any, what: str, where: tuple[Place, ...]) -> Any:
        """The values of one name: an array of them, or one value as it is."""
        values = _array(x)
        if values is None or values.ndim == 0:
            return x
        if values.ndim != 1:
            needed = "a number for each motion is needed"
            raise ArgumentError(f"has shape {values.shape}", where=where[:-1], argument=str(where[-1]), remedy=needed)
        return self._counted(values, what, where[:-1], str(where[-1]))

    def _parameters(self, given: Any) -> dict[str, np.ndarray]:
        """Those that vary; what is the same for all becomes the mechanism's own."""
        if given is None:
            return {}
        if not isinstance(given, Mapping):
            raise ArgumentError(
                f"is {format_value(given)}", argument="parameters", remedy='a mapping is needed, such as {"l1": 0.4}'
            )
        same = self._same
        varied: dict[str, np.ndarray] = {}
        for name, x in given.items():
            value = self._column(x, f"parameter {name!r}", (ArgumentName("parameters"), repr(name)))
            (varied if isinstance(value, np.ndarray) else same)[name] = value
        model = self.mechanism.with_parameters(same) if same else self.mechanism
        model = model.with_parameters({name: float(x[self._picked(len(x))]) for name, x in varied.items()})
        self.mechanism = with_origin(model, self.mechanism, {}) if varied and model is self.mechanism else model
        return varied

    def _states(self, given: Any, argument: str, names: tuple[str, ...]) -> Any:
        if isinstance(given, Mapping):
            for name in given:
                if name not in names:
                    raise ArgumentError(
                        unknown_name_message("coordinate" if argument == "q0" else "speed", name, names),
                        where=ArgumentName(argument),
                    )
            return {name: self._column(x, argument, (ArgumentName(argument), repr(name))) for name, x in given.items()}
        values = _array(given)
        if values is None or values.ndim < 2:
            return given
        if values.ndim != 2 or values.shape[1] != len(names):
            raise ArgumentError(
                f"has shape {values.shape}",
                argument=argument,
                remedy=f"a row for each motion is needed, of {len(names)} numbers: {', '.join(names[:12])}",
            )
        return self._counted(values, argument, (), argument)

    def _torque(self, given: Any, varied: dict[str, np.ndarray]) -> Any:
        """As a mapping in which torques that vary are parameters."""
        speeds = self.mechanism.speed_names
        if isinstance(given, Mapping):
            given = {name: self._column(x, "torque", (ArgumentName("torque"), repr(name))) for name, x in given.items()}
        elif _rows_of_torques(given):
            values = floats(given)
            if values.ndim != 2 or values.shape[1] != len(speeds):
                needed = f"a row for each motion is needed, of {len(speeds)} numbers: {', '.join(speeds[:12])}"
                raise ArgumentError(f"has shape {values.shape}", argument="torque", remedy=needed)
            values = self._counted(values, "torque", (), "torque")
            given = {name: values[:, k] for k, name in enumerate(speeds) if values[:, k].any()}
        else:
            return given
        found = dict(given)
        for name, x in given.items():
            if isinstance(x, np.ndarray):
                varied[TORQUE + name] = x
                some = x[np.flatnonzero(x)[0]] if x.any() else 0.0  # a torque that is 0 would be none
                found[name] = Expression("symbol", (), float(some), TORQUE + name)
        return found


def _refuse_expressions(given: Any, argument: str, varied: Mapping[str, np.ndarray]) -> None:
    """A start that is written with parameters that vary would be that of one motion."""
    texts = given.values() if isinstance(given, Mapping) else given if isinstance(given, (list, tuple)) else ()
    for text in texts:
        words = set(_WORD.findall(text)) if isinstance(text, str) else set()
        if met := sorted(words & set(varied)):
            remedy = "give the numbers, a row for each motion, or write it in the mechanism's [initial] or a pose"
            raise ArgumentError(f"has {text!r}, which depends on {met[0]!r}, which varies", argument=argument, remedy=remedy)
