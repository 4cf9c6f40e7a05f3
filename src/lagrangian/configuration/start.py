"""Where something begins: a configuration that was given, with its loops closed, and speeds that keep them so.

A configuration of which all coordinates are given must close the loops, but for rounding: `Start.off` says by how much it does
not. Of one that gives some by name the others are found.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from lagrangian.cached import cached_property
from lagrangian.configuration import reading
from lagrangian.configuration.continuation import reached
from lagrangian.configuration.coordinates import single_coordinates
from lagrangian.configuration.dynamics_of import dynamics_of
from lagrangian.configuration.loops import EXACT, NEAR, STARTS, Loops, Miss
from lagrangian.configuration.newton import Equations
from lagrangian.configuration.speeds import nearest_speeds
from lagrangian.errors import Argument, ArgumentError, AssemblyWarning, LagrangianError, is_number, warn
from lagrangian.kernels.direct import relative_jacobian
from lagrangian.kernels.dynamics import Dynamics
from lagrangian.model.configuration import Origin
from lagrangian.model.mechanism import Mechanism
from lagrangian.model.parts import value_of

SINGULAR = 1e-7  # of the largest slope: loops whose slopes depend on each other by less are at a dead centre
LISTED = 12  # coordinates whose values a message gives


class _Between:
    """The loops of mechanisms on the way from an origin to the mechanism of a start."""

    def __init__(self, start: Start, origin: Origin) -> None:
        self.start, self.origin = start, origin
        self._begin = {name: value_of(origin.mechanism, name) for name, x in origin.values.items() if is_number(x)}

    def at(self, part: np.ndarray, rows: np.ndarray) -> tuple[Equations, np.ndarray]:
        start, s = self.start, float(part[0])
        if s == 1.0 or not self._begin:
            return start.loops, np.ones(1, dtype=bool)
        _ = start.anew  # where there is no configuration at all, none is looked for on the way
        between = {name: x + s * (self.origin.values[name] - x) for name, x in self._begin.items()}
        try:
            dyn = dynamics_of(self.origin.mechanism, {**self.origin.values, **between})
        except LagrangianError:  # there is no such mechanism
            return start.loops, np.zeros(1, dtype=bool)
        return Loops(dyn, start.t, start.given.held), np.ones(1, dtype=bool)


def _rank(psi: np.ndarray) -> int:
    return int(np.linalg.matrix_rank(psi, tol=SINGULAR * max(1e-300, float(np.abs(psi).max(initial=0.0)))))


def driven_speeds(mechanism: Mechanism) -> tuple[str, ...]:
    """The speeds that motors have."""
    return tuple(name for joint in mechanism.joints if joint.actuated for name in joint.speed_names)


class Start:
    """A configuration at a time, as it was given and with its loops closed."""

    def __init__(self, dyn: Dynamics, q0: Any = None, t: float = 0.0, arguments: tuple[str, str] = ("q0", "qd0")) -> None:
        """`arguments` are what the caller calls the configuration and the speeds."""
        self.dyn, self.t, self.own = dyn, t, q0 is None
        self.arguments, self._starts = arguments, STARTS
        self.given = reading.configuration(dyn.mechanism, q0, arguments[0])

    @cached_property
    def loops(self) -> Loops:
        """Those to close, with the coordinates held that were given by name."""
        return Loops(self.dyn, self.t, self.given.held)

    @cached_property
    def _worst(self) -> Miss | None:
        return self.loops.worst(self.given.q) if self.given.complete and self.dyn.mechanism.equations else None

    @cached_property
    def off(self) -> Miss | None:
        """The loop that a configuration given in whole leaves open the furthest; None if it closes them, but for rounding."""
        return self._worst if self._worst is not None and not self._worst.amount <= NEAR else None

    def closed(self, starts: int = STARTS) -> np.ndarray:
        """The configuration that closes the loops, with the coordinates that were given by name as they were given.

        It is reached from its origin if that is known. Else it is the nearest; where one descent does not find it, so many others
        begin around it.
        """
        self._starts = starts
        if not self.dyn.mechanism.equations:
            return self.given.q
        origin = self.given.origin
        if origin is not None and (q := self._reached(origin)) is not None:
            return q
        if origin is not None:
            self._tell_of_assembly(self.anew)
        return self.anew

    @cached_property
    def anew(self) -> np.ndarray:
        """The nearest configuration that closes the loops."""
        q = self.loops.closed(self.given.q, self._starts)
        names = self.dyn.mechanism.coordinate_names
        said = [k for k, name in enumerate(names) if name in (self.given.names or ())]
        if np.abs((q - self.given.q)[said]).max(initial=0.0) > NEAR:  # of ball and free joints nothing is held
            raise self._open(self.loops.worst(self.given.q))
        return q

    @cached_property
    def q(self) -> np.ndarray:
        """The configuration itself, which is an error if all of it was given and it does not close the loops."""
        if self.off is not None:
            raise self._open(self.off)
        if self._worst is not None and self._worst.amount <= EXACT:
            return self.given.q
        return self.closed()

    def _reached(self, origin: Origin) -> np.ndarray | None:
        """The configuration in the assembly of its origin; nothing if it is not reached from there."""
        given, model = self.given, self.dyn.mechanism
        if self._begin is None:
            return None
        begin, places = self._begin.copy(), single_coordinates(model)
        held = [places[name][0] for name in given.held]
        said = [k for k, name in enumerate(model.coordinate_names) if name in (given.names or ()) and name not in places]
        begin[said] = given.q[said]  # of ball and free joints nothing is held
        q, found = reached(_Between(self, origin).at, begin[None], given.q[None, held], held, self.loops.free, self.t)
        stays = np.abs((q[0] - given.q)[said]).max(initial=0.0) <= NEAR
        return q[0] if found[0] and stays and self.loops.alignment.met(q)[0] else None

    @cached_property
    def _begin(self) -> np.ndarray | None:
        """The configuration of the origin; nothing if there is none, or its loops do not close."""
        origin = self.given.origin
        if origin is None or origin.mechanism.coordinate_names != self.dyn.mechanism.coordinate_names:
            return None
        try:
            dyn = self.dyn if origin.mechanism is self.dyn.mechanism else dynamics_of(origin.mechanism)
            return Start(dyn, origin.q0, self.t, self.arguments).q
        except LagrangianError:
            return None

    def _tell_of_assembly(self, q: np.ndarray) -> None:
        """Warn that another assembly may have been found, unless the start leaves it open, or what was given leaves no choice."""
        given, begin = self.given, self._begin
        if begin is None or not set(given.names or ()) <= set(single_coordinates(self.dyn.mechanism)):
            return
        before, now = relative_jacobian(self.dyn, np.array([begin, q]), np.full(2, self.t))[:, self.loops.rows]
        if len(given.held) > self.dyn.nv - _rank(now) or _rank(before * self.loops.free) < _rank(now * self.loops.free):
            return
        values = ", ".join(f"{name} = {given.q[self.dyn.mechanism.coordinate_names.index(name)]:.6g}" for name in given.held)
        warn(
            f"{self.dyn.mechanism.name}: {f'a configuration with {values}' if values else given.where} cannot be reached from "
            f"the mechanism's start without passing a dead centre. The loops were closed again, perhaps in another assembly "
            f"mode. Give all coordinates to choose one; lagrangian.assembly_modes(mechanism) lists them",
            AssemblyWarning,
        )

    def _open(self, miss: Miss | None) -> ArgumentError:
        """That a configuration does not close the loops, by how much, and which does."""
        model, q = self.dyn.mechanism, self.given.q
        try:
            near = Loops(self.dyn, self.t).closed(q, 0) if self.dyn.nq <= LISTED else None
        except LagrangianError:
            near = None
        if near is not None:
            values = ", ".join(f"{n} = {x:.6g}" for n, x in zip(model.coordinate_names, near, strict=True))
            remedy = f"the nearest configuration that does, lagrangian.assemble(mechanism, {self.arguments[0]}), has {values}"
        else:
            remedy = f"lagrangian.assemble(mechanism, {self.arguments[0]}) finds the nearest configuration that does"
        example = next((j.name for j in model.joints if j.actuated and j.kind.nq == 1), "")
        if example:
            value = float(f"{q[model.coordinate_names.index(example)]:.4g}")
            remedy += (
                f". Or give only the driven coordinates, {Argument(self.arguments[0], {example: value})}, and the others follow"
            )
        return ArgumentError(f"{self.given.where} does not close the loops: {miss}", where=model.name, remedy=remedy)

    # -- speeds ------------------------------------------------------------------------------------------------------

    def speeds(self, qd0: Any = None) -> np.ndarray:
        """Speeds at q: all must keep the constraints, but for rounding; of some by name the others are found."""
        model, wanted, argument = self.dyn.mechanism, self.wanted(qd0), self.arguments[1]
        if not isinstance(wanted, np.ndarray):
            given = wanted or {}
            qd = np.array([given.get(name, 0.0) for name in model.speed_names])
            return nearest_speeds(self.dyn, self.q, qd, tuple(given), self.t)
        breaks = self.breaking(self.q, wanted)
        if breaks is not None and qd0 is None and model.initial.revised:
            # numbers that were right for other values of the parameters: those of the motors stay, and the others follow
            return nearest_speeds(self.dyn, self.q, wanted, driven_speeds(model), self.t)
        if breaks is not None:
            raise ArgumentError(
                f"violates the constraints: {breaks.name} changes at {breaks.amount:.3g} per second",
                where=model.name,
                argument=argument,
                remedy=f"lagrangian.consistent_speeds(mechanism, q, {argument}) finds the nearest speeds that satisfy them; or "
                f"give the driven speeds by name, {Argument(argument, {'joint': 1.0})}",
            )
        return nearest_speeds(self.dyn, self.q, wanted, t=self.t)

    def as_given(self, qd0: Any = None) -> tuple[np.ndarray, np.ndarray]:
        """Configuration and speeds as they were given, though they do not keep the constraints; what was not said is found."""
        if not self.given.complete:
            return self.q, self.speeds(qd0)
        wanted = self.wanted(qd0)
        if isinstance(wanted, np.ndarray):
            return self.given.q, wanted
        qd = np.array([(wanted or {}).get(name, 0.0) for name in self.dyn.mechanism.speed_names])
        return self.given.q, nearest_speeds(self.dyn, self.given.q, qd, tuple(wanted or ()), self.t)

    def wanted(self, qd0: Any) -> np.ndarray | dict[str, float] | None:
        """`qd0` as numbers in order or by name. Where neither it nor q0 is given, the mechanism's own; None if there is none."""
        model = self.dyn.mechanism
        return reading.speeds(model, model.initial.qd if qd0 is None and self.own else qd0, self.arguments[1])

    def breaking(self, q: np.ndarray, qd: np.ndarray) -> Miss | None:
        """The constraint that speeds break the most, and how fast it changes; None if they keep all, but for rounding."""
        if not self.dyn.mechanism.equations:
            return None
        rate = np.abs(self.dyn.constraint_rate(q, qd, self.t))
        worst = int(np.argmax(rate))
        if rate[worst] <= NEAR:
            return None
        size = 1 + np.abs(relative_jacobian(self.dyn, q, self.t)).max(initial=0.0) * np.abs(qd).max(initial=0.0)
        return Miss(self.dyn.constraint_names[worst], float(rate[worst]), "") if rate[worst] > NEAR * size else None
