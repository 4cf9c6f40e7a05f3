"""The loops of many motions, which each have their own numbers: where they close, and speeds that keep them so."""

from __future__ import annotations

from collections.abc import Callable
from copy import copy
from typing import Any

import numpy as np

from lagrangian.algorithms.constraints.constrained_dynamics import ROUNDING_TOLERANCE
from lagrangian.algorithms.structure import Structure
from lagrangian.algorithms.tree import Tree
from lagrangian.cached import cached_property
from lagrangian.configuration.continuation import follow_to
from lagrangian.configuration.coordinates import single_coordinates
from lagrangian.configuration.loop_closure import CLOSED_TOLERANCE, EXACT_TOLERANCE, ROUNDED_TOLERANCE
from lagrangian.configuration.mobility import SINGULAR_TOLERANCE
from lagrangian.configuration.newton import ConfigurationEquations, Newton
from lagrangian.configuration.start import Start, as_dynamics
from lagrangian.errors import is_number
from lagrangian.kernels.kernel import Kernel, suppress_finite_checks
from lagrangian.kernels.program import TracedProgram
from lagrangian.kernels.programs.constraints import traced_state
from lagrangian.kernels.trace.node import Graph
from lagrangian.model.initial_state import StateOrigin
from lagrangian.model.mechanism import Mechanism
from lagrangian.model.parameters import parameter_value
from lagrangian.motion.batch.parameters import Arrays, numbers_of
from lagrangian.motion.batch.starts import PartialConfigurations
from lagrangian.motion.system.system import System

OWN = "own"  # the name of numbers that are inputs of each state


class ClosedStarts:
    """The loops of motions that each have their own numbers, as equations for Newton's method."""

    def __init__(self, system: System, t: float, numbers: np.ndarray | None, varied: Arrays) -> None:
        """`numbers` are those that compiled code reads, which follow from what is `varied`."""
        self.system, self.mechanism, self.t = system, system.mechanism, t
        self.numbers, self.varied = system.numbers.values[None] if numbers is None else numbers, varied

    def of(self, rows: np.ndarray) -> np.ndarray:
        return self.numbers[rows] if len(self.numbers) > 1 else np.repeat(self.numbers, len(rows), axis=0)

    def residual(self, q: np.ndarray, t: np.ndarray, rows: np.ndarray) -> np.ndarray:
        return np.asarray(self._closure(q, self.of(rows), t[:, None]))

    def jacobian(self, q: np.ndarray, t: np.ndarray, rows: np.ndarray) -> np.ndarray:
        return np.asarray(self._jacobian(q, self.of(rows), t[:, None])).reshape(len(q), -1, self.system.nv)

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
        return Kernel(TracedProgram(f"{name} of each", sizes, count, system.angles, traced, digest, reads_all=False))

    def closed(self, start: PartialConfigurations) -> tuple[np.ndarray, np.ndarray]:
        """The configurations that close the loops, and which of them do."""
        if not self._closure.program.size:
            return start.q, np.ones(len(start.q), dtype=bool)
        return self._nearest(start) if start.origin is None else self._reached(start, start.origin)

    @suppress_finite_checks()
    def _nearest(self, start: PartialConfigurations) -> tuple[np.ndarray, np.ndarray]:
        """From where they stand; what was given in whole must be near."""
        q, complete = start.q, start.names is None
        times, rows = np.full(len(q), self.t), np.arange(len(q))
        miss = np.abs(self.residual(q, times, rows)).max(axis=1)
        if complete and (miss <= EXACT_TOLERANCE).all():
            return q, np.ones(len(q), dtype=bool)
        found = Newton(self, self._held(start)[1]).solve(q, self.t)
        closed = np.where((complete & (miss <= EXACT_TOLERANCE))[:, None], q, found.q)
        return closed, (found.violation <= CLOSED_TOLERANCE) & (~np.full(len(q), complete) | (miss <= ROUNDED_TOLERANCE))

    def _reached(
        self, start: PartialConfigurations, origin: StateOrigin | PartialConfigurations
    ) -> tuple[np.ndarray, np.ndarray]:
        """From the origin; see `configuration.start.Start`."""
        if isinstance(origin, PartialConfigurations):
            begin, known = self.closed(origin)
        else:
            begin = np.repeat(Start(as_dynamics(origin.mechanism), origin.q0, self.t).q[None], len(start.q), axis=0)
            known = np.ones(len(start.q), dtype=bool)
        held, free = self._held(start)
        way = _Way(self, origin if isinstance(origin, StateOrigin) else None)
        return follow_to(way.at, np.where(known[:, None], begin, np.nan), start.q[:, held], held, free, self.t)

    def _held(self, start: PartialConfigurations) -> tuple[list[int], np.ndarray]:
        """The places of coordinates that keep their values, and 1 for the speeds that may change."""
        free, held, places = np.ones(self.system.nv), [], single_coordinates(self.mechanism)
        for name in start.names or ():
            if name in places:
                held.append(places[name][0])
                free[places[name][1]] = 0.0
        return held, free

    @suppress_finite_checks()
    def kept_by(self, q: np.ndarray, qd: np.ndarray) -> np.ndarray:
        """Which configurations have speeds that keep all constraints, so that these stay as they are."""
        rows = np.arange(len(q))
        rate = np.asarray(self._rate(q, self.of(rows), np.full((len(q), 1), self.t), qd))
        return np.abs(rate).max(axis=1, initial=0.0) <= EXACT_TOLERANCE

    @suppress_finite_checks()
    def regular(self, q: np.ndarray, like: np.ndarray) -> np.ndarray:
        """Which of the configurations leave as many speeds free as the one they are to be like."""
        size, nv = self._slopes.program.size, self.system.nv
        if not size:
            return np.ones(len(q), dtype=bool)
        times, rows = np.full((len(q) + 1, 1), self.t), np.r_[np.arange(len(q)), 0]
        psi = np.asarray(self._slopes(np.vstack([q, like]), self.of(rows), times)).reshape(len(q) + 1, -1, nv)
        finite = np.isfinite(psi).all(axis=(1, 2))
        s = np.linalg.svd(np.where(finite[:, None, None], psi, 0.0), compute_uv=False)
        ranks = (s > np.maximum(SINGULAR_TOLERANCE * s.max(axis=1, initial=0.0), ROUNDING_TOLERANCE)[:, None]).sum(axis=1)
        return finite[:-1] & (ranks[:-1] == ranks[-1])


class _Way:
    """The loops of motions on the way from the numbers of an origin to their own."""

    def __init__(self, loops: ClosedStarts, origin: StateOrigin | None) -> None:
        self.loops, self.mechanism = loops, loops.mechanism
        values = {} if origin is None else {name: x for name, x in origin.values.items() if is_number(x)}
        self._ends = {name: loops.varied.get(name, np.array([x])) for name, x in values.items()}
        self._begins = {name: parameter_value(origin.mechanism, name) for name in values} if origin is not None else {}
        self._others = {name: x for name, x in loops.varied.items() if name not in values}

    def at(self, part: np.ndarray, rows: np.ndarray) -> tuple[ConfigurationEquations, np.ndarray]:
        numbers, known = self.loops.of(rows), np.ones(len(rows), dtype=bool)
        under_way = np.flatnonzero(part < 1.0)
        if under_way.size and self._begins:
            some, s = rows[under_way], part[under_way]
            between = {name: x + s * (_some(self._ends[name], some) - x) for name, x in self._begins.items()}
            between |= {name: x[some] for name, x in self._others.items()}
            numbers = numbers.copy()
            numbers[under_way], known[under_way] = numbers_of(self.loops.system, between)
        there = copy(self.loops)
        there.numbers = numbers
        return there, known


def _some(column: np.ndarray, rows: np.ndarray) -> np.ndarray:
    return column[rows] if len(column) > 1 else np.repeat(column, len(rows))


class _OwnNumbers:
    """A structure whose numbers are inputs of each state."""

    def __init__(self, structure: Structure, graph: Graph) -> None:
        self.mechanism: Mechanism = structure.mechanism
        self._structure, self._graph = structure, graph

    def with_slot_values(self, slot: Callable[[int], Any]) -> Tree:
        return self._structure.with_slot_values(lambda k: self._graph.input(OWN, k))
