"""Starts of simulations and searches: a configuration with closed loops, consistent speeds, and the compiled dynamics for them.

If all coordinates are given, they must close the loops, up to rounding. If some are given by name, the others are computed.
`as_dynamics` compiles a mechanism, and keeps the dynamics of the mechanisms that were used last.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from lagrangian.cached import cached_property
from lagrangian.configuration import state_arguments
from lagrangian.configuration.continuation import follow_to
from lagrangian.configuration.coordinates import single_coordinates
from lagrangian.configuration.loop_closure import (
    DEFAULT_STARTS,
    EXACT_TOLERANCE,
    ROUNDED_TOLERANCE,
    ConstraintViolation,
    LoopClosure,
)
from lagrangian.configuration.newton import ConfigurationEquations
from lagrangian.configuration.speeds import actuated_speeds, nearest_speeds
from lagrangian.description.mechanism_like import MechanismLike, as_mechanism
from lagrangian.errors import ArgumentError, ArgumentName, AssemblyWarning, LagrangianError, is_number, warn
from lagrangian.kernels.catalogue import relative_jacobian
from lagrangian.kernels.dynamics import Dynamics
from lagrangian.kernels.dynamics import compile as compile_mechanism
from lagrangian.model.initial_state import StateOrigin
from lagrangian.model.parameters import parameter_value

SINGULAR_TOLERANCE = 1e-7  # of the largest slope: smaller singular values mean a dead centre
MAX_LISTED = 12  # coordinates in a message
CACHE_SIZE = 16  # mechanisms whose dynamics stay loaded
_RECENT_DYNAMICS: dict[int, Dynamics] = {}


def as_dynamics(mechanism: MechanismLike | Dynamics, parameters: Mapping[str, Any] | None = None) -> Dynamics:
    """The compiled dynamics of a mechanism, a file or a mechanism of the library.

    With `parameters`, they are those of the mechanism with these values, which shares its code with the mechanism itself.
    """
    if parameters is not None:
        nominal = mechanism.mechanism if isinstance(mechanism, Dynamics) else as_mechanism(mechanism)
        revised = nominal.with_parameters(parameters)
        return as_dynamics(mechanism if revised is nominal else revised)
    if isinstance(mechanism, Dynamics):
        return mechanism
    mechanism = as_mechanism(mechanism)
    dyn = _RECENT_DYNAMICS.pop(id(mechanism), None)
    if dyn is None or dyn.mechanism is not mechanism:
        dyn = compile_mechanism(mechanism)
    _RECENT_DYNAMICS[id(mechanism)] = dyn
    while len(_RECENT_DYNAMICS) > CACHE_SIZE:
        _RECENT_DYNAMICS.pop(next(iter(_RECENT_DYNAMICS)))
    return dyn


class Start:
    """A configuration at a time: as it was given, and with its loops closed."""

    def __init__(
        self,
        dyn: Dynamics,
        q0: Any = None,
        t: float = 0.0,
        arguments: tuple[str, str] = ("q0", "qd0"),
        starts: int = DEFAULT_STARTS,
    ) -> None:
        """`arguments` are the caller's names of configuration and speeds; `starts` bounds the random starts of a search."""
        self.dyn, self.t, self.uses_default = dyn, t, q0 is None
        self.arguments, self._starts = arguments, starts
        self.given_state = state_arguments.as_configuration(dyn.mechanism, q0, arguments[0])

    @cached_property
    def loops(self) -> LoopClosure:
        """The loops, with the coordinates fixed that were given by name."""
        return LoopClosure(self.dyn, self.t, self.given_state.fixed_coordinates)

    @cached_property
    def _worst_violation(self) -> ConstraintViolation | None:
        return (
            self.loops.worst_violation(self.given_state.q)
            if self.given_state.complete and self.dyn.mechanism.equation_count
            else None
        )

    @cached_property
    def open_violation(self) -> ConstraintViolation | None:
        """The worst violation of a complete configuration; None if it closes the loops up to rounding."""
        return (
            self._worst_violation
            if self._worst_violation is not None and not self._worst_violation.amount <= ROUNDED_TOLERANCE
            else None
        )

    def close_loops(self) -> np.ndarray:
        """The configuration that closes the loops, in which coordinates that were given by name keep their values.

        It is followed from its origin if that is known. Otherwise it is the nearest one.
        """
        if not self.dyn.mechanism.equation_count:
            return self.given_state.q
        origin = self.given_state.origin
        if origin is not None and (q := self._follow_origin(origin)) is not None:
            return q
        if origin is not None:
            self._warn_of_other_assembly(self.nearest_closed)
        return self.nearest_closed

    @cached_property
    def nearest_closed(self) -> np.ndarray:
        """The nearest configuration that closes the loops."""
        q = self.loops.close(self.given_state.q, self._starts)
        names = self.dyn.mechanism.coordinate_names
        given_indices = [k for k, name in enumerate(names) if name in (self.given_state.given_names or ())]
        # coordinates of ball and free joints cannot be fixed
        if np.abs((q - self.given_state.q)[given_indices]).max(initial=0.0) > ROUNDED_TOLERANCE:
            raise self._open_loop_error(self.loops.worst_violation(self.given_state.q))
        return q

    @cached_property
    def q(self) -> np.ndarray:
        """The configuration with closed loops; an error if all coordinates were given and do not close them."""
        if self.open_violation is not None:
            raise self._open_loop_error(self.open_violation)
        if self._worst_violation is not None and self._worst_violation.amount <= EXACT_TOLERANCE:
            return self.given_state.q
        return self.close_loops()

    def _follow_origin(self, origin: StateOrigin) -> np.ndarray | None:
        """The configuration in the assembly mode of its origin; None if it cannot be reached from there."""
        state, model = self.given_state, self.dyn.mechanism
        if self._origin_configuration is None:
            return None
        origin_q, places = self._origin_configuration.copy(), single_coordinates(model)
        fixed = [places[name][0] for name in state.fixed_coordinates]
        given_indices = [
            k for k, name in enumerate(model.coordinate_names) if name in (state.given_names or ()) and name not in places
        ]
        origin_q[given_indices] = state.q[given_indices]  # coordinates of ball and free joints cannot be fixed
        q, is_reached = follow_to(
            _IntermediateLoops(self, origin).equations_at, origin_q[None], state.q[None, fixed], fixed, self.loops.free, self.t
        )
        keeps_given = np.abs((q[0] - state.q)[given_indices]).max(initial=0.0) <= ROUNDED_TOLERANCE
        return q[0] if is_reached[0] and keeps_given and self.loops.alignment.is_aligned(q)[0] else None

    @cached_property
    def _origin_configuration(self) -> np.ndarray | None:
        """The configuration of the origin; None without an origin, or if its loops do not close."""
        origin = self.given_state.origin
        if origin is None or origin.mechanism.coordinate_names != self.dyn.mechanism.coordinate_names:
            return None
        try:
            dyn = self.dyn if origin.mechanism is self.dyn.mechanism else as_dynamics(origin.mechanism)
            return Start(dyn, origin.q0, self.t, self.arguments).q
        except LagrangianError:
            return None

    def _warn_of_other_assembly(self, q: np.ndarray) -> None:
        """Warn that the assembly mode may have changed, unless the start does not determine it, or the given values do."""
        state, origin_q = self.given_state, self._origin_configuration
        if origin_q is None or not set(state.given_names or ()) <= set(single_coordinates(self.dyn.mechanism)):
            return
        origin_slopes, slopes = relative_jacobian(self.dyn, np.array([origin_q, q]), np.full(2, self.t))[
            :, self.loops.is_holonomic
        ]
        if len(state.fixed_coordinates) > self.dyn.nv - _slope_rank(slopes) or _slope_rank(
            origin_slopes * self.loops.free
        ) < _slope_rank(slopes * self.loops.free):
            return
        values = ", ".join(
            f"{name} = {state.q[self.dyn.mechanism.coordinate_names.index(name)]:.6g}" for name in state.fixed_coordinates
        )
        warn(
            f"{self.dyn.mechanism.name}: {f'a configuration with {values}' if values else state.where} cannot be reached from "
            f"the mechanism's start without passing a dead centre. The loops were closed again, perhaps in another assembly "
            f"mode. Give all coordinates to choose one; lagrangian.assembly_modes(mechanism) lists them",
            AssemblyWarning,
        )

    def _open_loop_error(self, violation: ConstraintViolation | None) -> ArgumentError:
        """The error that a configuration does not close the loops, with one that does."""
        model, q = self.dyn.mechanism, self.given_state.q
        try:
            closed_q = LoopClosure(self.dyn, self.t).close(q, 0) if self.dyn.nq <= MAX_LISTED else None
        except LagrangianError:
            closed_q = None
        if closed_q is not None:
            values = ", ".join(f"{n} = {x:.6g}" for n, x in zip(model.coordinate_names, closed_q, strict=True))
            remedy = f"the nearest configuration that does, lagrangian.assemble(mechanism, {self.arguments[0]}), has {values}"
        else:
            remedy = f"lagrangian.assemble(mechanism, {self.arguments[0]}) finds the nearest configuration that does"
        example = next((j.name for j in model.joints if j.actuated and j.kind.nq == 1), "")
        if example:
            value = float(f"{q[model.coordinate_names.index(example)]:.4g}")
            argument = ArgumentName(self.arguments[0], {example: value})
            remedy += f". Or give only the driven coordinates, {argument}, and the others follow"
        return ArgumentError(f"{self.given_state.where} does not close the loops: {violation}", where=model.name, remedy=remedy)

    # -- speeds ------------------------------------------------------------------------------------------------------

    def speeds(self, qd0: Any = None) -> np.ndarray:
        """Speeds at q. All of them must satisfy the constraints up to rounding; if only some are given, the others follow."""
        model, requested, argument = self.dyn.mechanism, self.requested_speeds(qd0), self.arguments[1]
        if not isinstance(requested, np.ndarray):
            named_speeds = requested or {}
            qd = np.array([named_speeds.get(name, 0.0) for name in model.speed_names])
            return nearest_speeds(self.dyn, self.q, qd, tuple(named_speeds), self.t)
        violation = self.speed_violation(self.q, requested)
        if violation is not None and qd0 is None and model.initial.revised:
            # the speeds fitted other values of the parameters: those of motors stay, and the others follow
            return nearest_speeds(self.dyn, self.q, requested, actuated_speeds(model), self.t)
        if violation is not None:
            raise ArgumentError(
                f"violates the constraints: {violation.name} changes at {violation.amount:.3g} per second",
                where=model.name,
                argument=argument,
                remedy=f"lagrangian.consistent_speeds(mechanism, q, {argument}) finds the nearest speeds that satisfy them; or "
                f"give the driven speeds by name, {ArgumentName(argument, {'joint': 1.0})}",
            )
        return nearest_speeds(self.dyn, self.q, requested, t=self.t)

    def as_given(self, qd0: Any = None) -> tuple[np.ndarray, np.ndarray]:
        """Configuration and speeds as they were given, even if they violate the constraints; missing ones are computed."""
        if not self.given_state.complete:
            return self.q, self.speeds(qd0)
        requested = self.requested_speeds(qd0)
        if isinstance(requested, np.ndarray):
            return self.given_state.q, requested
        qd = np.array([(requested or {}).get(name, 0.0) for name in self.dyn.mechanism.speed_names])
        return self.given_state.q, nearest_speeds(self.dyn, self.given_state.q, qd, tuple(requested or ()), self.t)

    def requested_speeds(self, qd0: Any) -> np.ndarray | dict[str, float] | None:
        """`qd0` as numbers in order or by name. Without it and q0, they are the mechanism's own speeds, or None."""
        model = self.dyn.mechanism
        return state_arguments.as_speeds(model, model.initial.qd if qd0 is None and self.uses_default else qd0, self.arguments[1])

    def speed_violation(self, q: np.ndarray, qd: np.ndarray) -> ConstraintViolation | None:
        """The constraint that speeds violate the most, with its rate; None if they satisfy all up to rounding."""
        if not self.dyn.mechanism.equation_count:
            return None
        rate = np.abs(self.dyn.constraint_rate(q, qd, self.t))
        worst = int(np.argmax(rate))
        if rate[worst] <= ROUNDED_TOLERANCE:
            return None
        size = 1 + np.abs(relative_jacobian(self.dyn, q, self.t)).max(initial=0.0) * np.abs(qd).max(initial=0.0)
        return (
            ConstraintViolation(self.dyn.constraint_names[worst], float(rate[worst]), "")
            if rate[worst] > ROUNDED_TOLERANCE * size
            else None
        )


class _IntermediateLoops:
    """The loops of mechanisms between the origin of a start and its own mechanism, which differ in parameters."""

    def __init__(self, start: Start, origin: StateOrigin) -> None:
        self.start, self.origin = start, origin
        self._origin_values = {name: parameter_value(origin.mechanism, name) for name, x in origin.values.items() if is_number(x)}

    def equations_at(self, part: np.ndarray, rows: np.ndarray) -> tuple[ConfigurationEquations, np.ndarray]:
        """The loops at a part of the path, from 0 to 1, and whether the mechanism exists there."""
        start, s = self.start, float(part[0])
        if s == 1.0 or not self._origin_values:
            return start.loops, np.ones(1, dtype=bool)
        _ = start.nearest_closed  # an error if no configuration closes the loops at all
        values = {name: x + s * (self.origin.values[name] - x) for name, x in self._origin_values.items()}
        try:
            dyn = as_dynamics(self.origin.mechanism, {**self.origin.values, **values})
        except LagrangianError:  # these parameters make no mechanism
            return start.loops, np.zeros(1, dtype=bool)
        return LoopClosure(dyn, start.t, start.given_state.fixed_coordinates), np.ones(1, dtype=bool)


def _slope_rank(psi: np.ndarray) -> int:
    return int(np.linalg.matrix_rank(psi, tol=SINGULAR_TOLERANCE * max(1e-300, float(np.abs(psi).max(initial=0.0)))))
