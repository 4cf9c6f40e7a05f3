"""Where many motions begin: configurations with their loops closed, and speeds that keep them so, of all motions at once."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Any

import numpy as np

from lagrangian.algorithms.closed.constrained import ROUNDING
from lagrangian.algorithms.structure import Structure
from lagrangian.algorithms.tree import Tree
from lagrangian.configuration import reading
from lagrangian.configuration.coordinates import single_coordinates
from lagrangian.configuration.loops import CLOSED, EXACT, NEAR
from lagrangian.configuration.mobility import SINGULAR
from lagrangian.configuration.newton import Newton
from lagrangian.errors import Argument
from lagrangian.kernels.kernel import Kernel
from lagrangian.kernels.not_finite import looked_at
from lagrangian.kernels.program import Straight
from lagrangian.kernels.programs.closed import traced_state
from lagrangian.kernels.trace.node import Graph
from lagrangian.model.configuration import Partial
from lagrangian.model.mechanism import Mechanism
from lagrangian.motion.batch.given import Given
from lagrangian.motion.batch.parameters import columns_of
from lagrangian.motion.system.system import System

OWN = "own"  # the name of numbers that are inputs of each state


class Starts:
    """The configurations and speeds that were given, of all motions, as far as they can be read without closing loops.

    `names` are the coordinates that were given, or None if all were.
    """

    def __init__(self, given: Given) -> None:
        self.given, self.model = given, given.mechanism
        self.q, self.names = self._configurations()
        self.qd, self.speeds = self._speeds()

    def _configurations(self) -> tuple[np.ndarray, tuple[str, ...] | None]:
        model, q0, count = self.model, self.given.q0, self.given.count
        if isinstance(q0, np.ndarray) and q0.ndim == 2:
            return self._normalised(q0.copy()), None
        own = model.initial.q if model.initial.q is not None else Partial(model.neutral())
        if q0 is None or isinstance(q0, dict):
            q = self._columns(own)
            names = own.given if isinstance(own, Partial) else None
            if isinstance(q0, dict):
                for name, x in q0.items():
                    value = x if isinstance(x, np.ndarray) else reading.number(model, x, (Argument("q0"), repr(name)))
                    q[:, model.coordinate_names.index(name)] = value
                names = tuple(q0)
            return self._normalised(q), names
        if isinstance(q0, str) and q0.strip() in model.poses:
            pose: Any = model.poses[q0.strip()]
            names = pose.given if isinstance(pose, Partial) else None
            return self._normalised(self._columns(pose)), names
        found = reading.configuration(model, q0)
        return np.repeat(found.q[None], count, axis=0), found.names

    def _columns(self, row: Any) -> np.ndarray:
        return columns_of(self.model, row, self.given.varied, self.given.count)

    def _normalised(self, q: np.ndarray) -> np.ndarray:
        if any(joint.kind.quaternion for joint in self.model.joints):
            for k in np.flatnonzero(np.isfinite(q).all(axis=1)):
                q[k] = reading.normalised(self.model, q[k], Argument("q0"))
        return q

    def _speeds(self) -> tuple[np.ndarray, tuple[str, ...] | None]:
        """Speeds, zero where none were given, and the names of those that were; None if all were."""
        model, qd0, count = self.model, self.given.qd0, self.given.count
        if isinstance(qd0, np.ndarray) and qd0.ndim == 2:
            return qd0.copy(), None
        if qd0 is None and self.given.q0 is None and model.initial.qd is not None:
            own = model.initial.qd
            if not isinstance(own, Partial):
                return self._columns(own), None
            said = np.array([name in own.given for name in model.speed_names])
            return np.where(said, self._columns(own), 0.0), own.given
        if isinstance(qd0, dict):
            qd = np.zeros((count, model.nv))
            for name, x in qd0.items():
                value = x if isinstance(x, np.ndarray) else reading.number(model, x, (Argument("qd0"), repr(name)))
                qd[:, model.speed_names.index(name)] = value
            return qd, tuple(qd0)
        found = reading.speeds(model, qd0)
        if isinstance(found, np.ndarray):
            return np.repeat(found[None], count, axis=0), None
        row = np.array([(found or {}).get(name, 0.0) for name in model.speed_names])
        return np.repeat(row[None], count, axis=0), tuple(found or ())

    def q0_of(self, i: int) -> Any:
        """The configuration of one motion, as `simulate` takes it."""
        if self.given.q0 is None:
            return None  # its own, which may follow from its parameters
        return self.q[i] if self.names is None else _named(self.model.coordinate_names, self.names, self.q[i])

    def qd0_of(self, i: int) -> Any:
        if self.given.qd0 is None:
            return None
        return self.qd[i] if self.speeds is None else _named(self.model.speed_names, self.speeds, self.qd[i])


def _named(names: tuple[str, ...], given: tuple[str, ...], row: np.ndarray) -> dict[str, float]:
    return {name: float(x) for name, x in zip(names, row, strict=True) if name in given}


class ClosedStarts:
    """The loops of motions that each have their own numbers, as equations for Newton's method."""

    def __init__(self, system: System, numbers: np.ndarray | None, t: float, names: tuple[str, ...] | None) -> None:
        self.system, self.mechanism, self.t = system, system.mechanism, t
        self.numbers = system.numbers.values[None] if numbers is None else numbers
        self.free = np.ones(system.nv)
        places = single_coordinates(self.mechanism)
        for name in names or ():
            if name in places:
                self.free[places[name][1]] = 0.0

    def _of(self, rows: np.ndarray) -> np.ndarray:
        return self.numbers[rows] if len(self.numbers) > 1 else np.repeat(self.numbers, len(rows), axis=0)

    def residual(self, q: np.ndarray, t: np.ndarray, rows: np.ndarray) -> np.ndarray:
        return np.asarray(self._closure(q, self._of(rows), t[:, None]))

    def matrix(self, q: np.ndarray, t: np.ndarray, rows: np.ndarray) -> np.ndarray:
        return np.asarray(self._jacobian(q, self._of(rows), t[:, None])).reshape(len(q), -1, self.system.nv)

    @cached_property
    def _closure(self) -> Kernel:
        return self._kernel("closure", lambda rows: [row.eta for row in rows])

    @cached_property
    def _jacobian(self) -> Kernel:
        return self._kernel("slopes", lambda rows: [row.psi.get(k, 0.0) for row in rows for k in range(self.system.nv)])

    @cached_property
    def _slopes(self) -> Kernel:
        """Of all constraints, those of speeds too."""
        return self._kernel("all slopes", lambda rows: [row.psi.get(k, 0.0) for row in rows for k in range(self.system.nv)], True)

    @cached_property
    def _rate(self) -> Kernel:
        return self._kernel("rates", lambda rows: [row.rate for row in rows], every=True, moving=True)

    def _kernel(self, name: str, outputs: Callable[[list[Any]], list[Any]], every: bool = False, moving: bool = False) -> Kernel:
        """A function of q, t and the numbers of each motion, from the equations of coordinates, or from `every` equation."""
        system = self.system
        sizes = {"q": system.nq, OWN: len(system.numbers), "t": 1, **({"qd": system.nv} if moving else {})}

        def traced(graph: Graph) -> list[Any]:
            own: Any = _OwnNumbers(system.structure, graph)
            state = traced_state(graph, own, graph.input("t", 0), moving)
            return outputs([row for row in state.rows if every or row.eta is not None])

        count = len(traced(Graph()))
        digest = b"".join(system.key)
        return Kernel(Straight(f"{name} of each", sizes, count, system.angles, traced, digest, reads_all=False))

    @looked_at()
    def closed(self, q: np.ndarray, complete: bool) -> tuple[np.ndarray, np.ndarray]:
        """The nearest configurations that close the loops, and which of them do; what was given in whole must be near."""
        if not self._closure.program.size:
            return q, np.ones(len(q), dtype=bool)
        times, rows = np.full(len(q), self.t), np.arange(len(q))
        miss = np.abs(self.residual(q, times, rows)).max(axis=1)
        if complete and (miss <= EXACT).all():
            return q, np.ones(len(q), dtype=bool)
        found = Newton(self, self.free).solve(q, self.t)
        closed = np.where((complete & (miss <= EXACT))[:, None], q, found.q)
        return closed, (found.miss <= CLOSED) & (~np.full(len(q), complete) | (miss <= NEAR))

    @looked_at()
    def kept_by(self, q: np.ndarray, qd: np.ndarray) -> np.ndarray:
        """Which configurations have speeds that keep all constraints, so that these stay as they are."""
        rows = np.arange(len(q))
        rate = np.asarray(self._rate(q, self._of(rows), np.full((len(q), 1), self.t), qd))
        return np.abs(rate).max(axis=1, initial=0.0) <= EXACT

    @looked_at()
    def regular(self, q: np.ndarray, like: np.ndarray) -> np.ndarray:
        """Which of the configurations leave as many speeds free as the one they are to be like."""
        size, nv = self._slopes.program.size, self.system.nv
        if not size:
            return np.ones(len(q), dtype=bool)
        times, rows = np.full((len(q) + 1, 1), self.t), np.r_[np.arange(len(q)), 0]
        psi = np.asarray(self._slopes(np.vstack([q, like]), self._of(rows), times)).reshape(len(q) + 1, -1, nv)
        finite = np.isfinite(psi).all(axis=(1, 2))
        s = np.linalg.svd(np.where(finite[:, None, None], psi, 0.0), compute_uv=False)
        ranks = (s > np.maximum(SINGULAR * s.max(axis=1, initial=0.0), ROUNDING)[:, None]).sum(axis=1)
        return finite[:-1] & (ranks[:-1] == ranks[-1])


class _OwnNumbers:
    """A structure whose numbers are inputs of each state."""

    def __init__(self, structure: Structure, graph: Graph) -> None:
        self.mechanism: Mechanism = structure.mechanism
        self._structure, self._graph = structure, graph

    def read_by(self, slot: Callable[[int], Any]) -> Tree:
        return self._structure.read_by(lambda k: self._graph.input(OWN, k))
