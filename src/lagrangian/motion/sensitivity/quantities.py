"""Quantities of a mechanism at given states, with their exact slopes along the state and along parameters.

Everything is recorded on one graph, and differentiated there: slopes along a parameter go through the numbers of the description
that depend on it.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from lagrangian.algorithms.structure import canonical_form
from lagrangian.errors import ArgumentError
from lagrangian.kernels.kernel import Kernel
from lagrangian.kernels.program import TracedProgram
from lagrangian.kernels.programs.constraints import digest, traced_state
from lagrangian.kernels.trace.derivative import directional_derivative
from lagrangian.kernels.trace.node import NUMBERS, Graph
from lagrangian.model.constraint import HolonomicConstraint, RollingConstraint
from lagrangian.motion.system.following import Following
from lagrangian.motion.system.system import System

RATES, TORQUES, FRAMES, CLOSURE, SPEEDS, HOLDING = "rates", "torques", "frames", "closure", "speeds", "holding"


@dataclass(frozen=True)
class Slopes:
    """Values (states, m), their slopes along the state (states, m, nq + nv) and along parameters (states, m, parameters)."""

    value: np.ndarray
    by_state: np.ndarray
    by_parameter: np.ndarray


class Quantities:
    """Some of these, by name: y' of the motion; joint forces that drive it; positions of frames; what loops, and rates of
    constraints, miss by; the joint forces that hold the mechanism at rest.
    """

    def __init__(
        self, system: System, parameters: Mapping[str, float], wanted: Sequence[str], frames: Sequence[str] = ()
    ) -> None:
        for what in Following(system.mechanism, parameters).code():
            told = f"{what} depends on these parameters, but has no derivatives with respect to them"
            raise ArgumentError(told, where=system.mechanism.name, concerns="over")
        bodies = [system.mechanism.frame(name).body for name in frames]
        values = {name: np.array([x], dtype=float) for name, x in parameters.items()}
        self.count = len(values)
        own = values or {"": np.zeros(1)}  # a sample without parameters
        self._system = system.sampled(own, slopes=True, bodies=bodies)
        numbers = self._system.numbers
        places = [self._system.mechanism.frame(name) for name in frames]  # whose own numbers may be varied
        self._frames = [(place.body, numbers.placement(place.placement)) for place in places]
        self._wanted, self.nq, self.nv = tuple(wanted), system.nq, system.nv
        slopes = numbers.slopes[0][: self.count]
        self._acting = [(p, j) for p in range(self.count) for j in np.flatnonzero(slopes[p]).tolist()]
        given = np.concatenate([numbers.sample_rows[0], [slopes[p, j] for p, j in self._acting]])
        self._first = len(numbers)
        self._sizes = {name: size for name, size in _sizes(system, len(frames)).items() if name in self._wanted}
        size = sum(self._sizes.values()) * self._width
        known = hashlib.sha256(b"".join(self._system.key) + digest(self._system.structure))
        known.update(repr((self._wanted, canonical_form(self._frames), self._acting, self.count)).encode())
        sizes = {"q": self.nq, "qd": self.nv, "u": system.inputs.size, "t": 1}
        self._kernel = Kernel(TracedProgram("slopes", sizes, size, system.angles, self._outputs, known.digest(), given))
        self._u = np.zeros(system.inputs.size)

    @property
    def _width(self) -> int:
        return 1 + self.nq + self.nv + self.count

    def _groups(self, graph: Graph) -> dict[str, Callable[[], list[Any]]]:
        system = self._system
        state = system.state(graph)

        def positions() -> list[Any]:
            found = [state.world.frame(body, at).origin for body, at in self._frames]
            return [x.value if hasattr(x, "slopes") else x for origin in found for x in origin]

        def holding() -> list[Any]:
            return traced_state(graph, system.structure, state.t, moving=False).bias

        return {
            RATES: lambda: system.rates(graph),
            TORQUES: lambda: system.forces.torques(graph, state),
            FRAMES: positions,
            CLOSURE: lambda: [row.eta for row in state.rows if row.eta is not None],
            SPEEDS: lambda: [row.rate for row in state.rows],
            HOLDING: holding,
        }

    def _outputs(self, graph: Graph) -> list[Any]:
        groups = self._groups(graph)
        found = [x for name in self._wanted for x in groups[name]()]
        inputs = [graph.input("q", k) for k in range(self.nq)] + [graph.input("qd", k) for k in range(self.nv)]
        columns = [directional_derivative(graph, found, {x.index: 1}) for x in inputs]
        for p in range(self.count):
            seeds = {
                graph.input(NUMBERS, j).index: graph.input(NUMBERS, self._first + place)
                for place, (own, j) in enumerate(self._acting)
                if own == p
            }
            columns.append(directional_derivative(graph, found, seeds))
        return [x for i, value in enumerate(found) for x in (value, *(column[i] for column in columns))]

    def __call__(self, t: np.ndarray, y: np.ndarray, u: np.ndarray | None = None) -> dict[str, Slopes]:
        """At states y, a row each, at times t."""
        rows = np.repeat((self._u if u is None else u)[None], len(y), axis=0)
        found = self._kernel(y[:, : self.nq], y[:, self.nq :], rows, np.reshape(t, (-1, 1)))
        found = found.reshape(len(y), -1, self._width)
        parts: dict[str, Slopes] = {}
        at, n = 0, self.nq + self.nv
        for name in self._wanted:
            size = self._sizes[name]
            own = found[:, at : at + size]
            parts[name] = Slopes(own[..., 0], own[..., 1 : 1 + n], own[..., 1 + n :])
            at += size
        return parts


def _sizes(system: System, frames: int) -> dict[str, int]:
    mechanism = system.mechanism
    holonomic = sum(loop.equation_count for loop in mechanism.loops)
    holonomic += sum(
        isinstance(constraint, (HolonomicConstraint, RollingConstraint)) for constraint in mechanism.constraints
    )  # a contact is one
    own = {RATES: system.size, TORQUES: system.nv, FRAMES: 3 * frames}
    return {**own, CLOSURE: holonomic, SPEEDS: mechanism.equation_count, HOLDING: system.nv}
