"""Where many motions begin: configurations and speeds, as they were given."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from lagrangian.configuration import state_arguments
from lagrangian.errors import ArgumentName
from lagrangian.model.initial_state import PartialState, StateOrigin
from lagrangian.motion.batch.given import Given
from lagrangian.motion.batch.parameters import columns_of


@dataclass(frozen=True, eq=False)
class PartialConfigurations:
    """Configurations of all motions: those coordinates that `names` gives, or all if it is None.

    The others are reached from an origin, which may be other rows; where there is none, they are found from where they stand.
    """

    q: np.ndarray
    names: tuple[str, ...] | None
    origin: StateOrigin | PartialConfigurations | None = None

    def part(self, some: slice) -> PartialConfigurations:
        """Those of some motions."""
        return PartialConfigurations(
            self.q[some], self.names, self.origin.part(some) if isinstance(self.origin, PartialConfigurations) else self.origin
        )


class Starts:
    """The configurations and speeds that were given, of all motions, as far as they can be read without closing loops.

    `speeds` are the names of those that were given, or None if all were.
    """

    def __init__(self, given: Given) -> None:
        self.given, self.model = given, given.mechanism
        self.rows = self._configurations()
        self.qd, self.speeds = self._speeds()

    def _configurations(self) -> PartialConfigurations:
        model, q0 = self.model, self.given.q0
        if isinstance(q0, np.ndarray) and q0.ndim == 2:
            return PartialConfigurations(self._normalised(q0.copy()), None)
        own = model.initial.q if model.initial.q is not None else PartialState(model.neutral())
        if q0 is None:
            return self._described(own)
        if isinstance(q0, dict):
            start = self._described(own)
            q = start.q.copy()
            for name, x in q0.items():
                value = x if isinstance(x, np.ndarray) else state_arguments.as_number(model, x, (ArgumentName("q0"), repr(name)))
                q[:, model.coordinate_names.index(name)] = value
            return PartialConfigurations(self._normalised(q), tuple(q0), start)
        if isinstance(q0, str) and q0.strip() in model.poses:
            return self._described(model.poses[q0.strip()])
        found = state_arguments.as_configuration(model, q0)
        return PartialConfigurations(np.repeat(found.q[None], self.given.count, axis=0), found.given_names, found.origin)

    def _described(self, row: Any) -> PartialConfigurations:
        """A start or a pose of the description, which may be written with parameters."""
        q = self._normalised(self._columns(row))
        return (
            PartialConfigurations(q, row.given_names, row.origin)
            if isinstance(row, PartialState)
            else PartialConfigurations(q, None)
        )

    def _columns(self, row: Any) -> np.ndarray:
        return columns_of(self.model, row, self.given.varied, self.given.count)

    def _normalised(self, q: np.ndarray) -> np.ndarray:
        if any(joint.kind.quaternion for joint in self.model.joints):
            for k in np.flatnonzero(np.isfinite(q).all(axis=1)):
                q[k] = state_arguments.normalise_quaternions(self.model, q[k], ArgumentName("q0"))
        return q

    def _speeds(self) -> tuple[np.ndarray, tuple[str, ...] | None]:
        """Speeds, zero where none were given, and the names of those that were; None if all were."""
        model, qd0, count = self.model, self.given.qd0, self.given.count
        if isinstance(qd0, np.ndarray) and qd0.ndim == 2:
            return qd0.copy(), None
        if qd0 is None and self.given.q0 is None and model.initial.qd is not None:
            own = model.initial.qd
            if not isinstance(own, PartialState):
                return self._columns(own), None
            said = np.array([name in own.given_names for name in model.speed_names])
            return np.where(said, self._columns(own), 0.0), own.given_names
        if isinstance(qd0, dict):
            qd = np.zeros((count, model.nv))
            for name, x in qd0.items():
                value = x if isinstance(x, np.ndarray) else state_arguments.as_number(model, x, (ArgumentName("qd0"), repr(name)))
                qd[:, model.speed_names.index(name)] = value
            return qd, tuple(qd0)
        found = state_arguments.as_speeds(model, qd0)
        if isinstance(found, np.ndarray):
            return np.repeat(found[None], count, axis=0), None
        row = np.array([(found or {}).get(name, 0.0) for name in model.speed_names])
        return np.repeat(row[None], count, axis=0), tuple(found or ())

    def q0_of(self, i: int) -> Any:
        """The configuration of one motion, as `simulate` takes it."""
        if isinstance(self.given.q0, dict):
            return _named(self.model.coordinate_names, self.rows.names or (), self.rows.q[i])
        if isinstance(self.given.q0, np.ndarray) and self.given.q0.ndim == 2:
            return self.rows.q[i]
        return self.given.q0  # which may follow from its parameters

    def qd0_of(self, i: int) -> Any:
        if self.given.qd0 is None:
            return None
        return self.qd[i] if self.speeds is None else _named(self.model.speed_names, self.speeds, self.qd[i])


def _named(names: tuple[str, ...], given: tuple[str, ...], row: np.ndarray) -> dict[str, float]:
    return {name: float(x) for name, x in zip(names, row, strict=True) if name in given}
