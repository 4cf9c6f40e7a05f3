"""What a run is asked for, apart from where it begins: read once, and made for a mechanism."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from copy import copy
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from lagrangian.configuration.start import Start
from lagrangian.kernels.dynamics import Dynamics
from lagrangian.model.event import Event
from lagrangian.model.mechanism import Mechanism
from lagrangian.model.parameters import substitute_parameters
from lagrangian.motion import arguments, cautions
from lagrangian.motion.arguments import Options
from lagrangian.motion.breaks import with_breaks
from lagrangian.motion.events import checked
from lagrangian.motion.finish import begun
from lagrangian.motion.run.run import Run
from lagrangian.motion.settings import Settings
from lagrangian.motion.system.prepared import Prepared, prepared
from lagrangian.motion.torque import Torque


@dataclass(slots=True)
class Recipe:
    """The arguments of `simulate` that are not about its start."""

    t_span: Any
    torque: Any
    events: Any
    options: Options
    wrenches: Any
    saturate: Any
    off_constraint: Any

    def following(self, mechanism: Mechanism, parameters: Any) -> Recipe:
        """The same for a mechanism with other values of its parameters: torques, wrenches and events that are expressions."""
        if not isinstance(parameters, Mapping):
            return self
        torque, events, wrenches = (
            substitute_parameters(mechanism, parameters, x) for x in (self.torque, self.events, self.wrenches)
        )
        return replace(self, torque=torque, events=events, wrenches=wrenches)

    def made(self, dyn: Dynamics) -> Made:
        """All of it, checked, for a mechanism."""
        known = prepared(dyn)
        model, options = known.dyn.mechanism, self.options
        span = arguments.span(self.t_span, model)
        watched = [*checked(self.events, model), *known.kinks]
        driving = arguments.drive(self.torque, self.wrenches, self.saturate, model, span)
        source, kinks = with_breaks(driving, model, watched, span)
        watched += kinks
        settings = options.settings(known, source, watched)
        settings.off_constraint = arguments.is_off_constraint(self.off_constraint, options.stabilisation, model)
        return Made(known, span, source, watched, settings, options)


@dataclass(slots=True)
class Made:
    """A mechanism, what drives it, what is watched, and how it is integrated."""

    known: Prepared
    span: tuple[float, float]
    source: Torque
    watched: list[Event]
    settings: Settings
    options: Options

    def start(self, q0: Any, qd0: Any) -> np.ndarray:
        """The state at the beginning."""
        begin = Start(self.known.dyn, q0, self.span[0])
        return np.concatenate(begin.as_given(qd0) if self.settings.off_constraint else [begin.q, begin.speeds(qd0)])

    def run(self, y: np.ndarray, grid: np.ndarray, watch: Callable[[float], object] | None = None) -> Run:
        """A run from a state on; what is to be said before it begins is said."""
        known, (start, end), limits = self.known, self.span, self.settings.limits
        q = y[: known.dyn.nq]
        arguments.check_determined(known, q, start)
        ranks, rank = cautions.told(known, self.source, self.options.method, limits, q, (start, end))
        settings = copy(self.settings)
        settings.ranks, settings.rank = ranks, rank
        name = known.dyn.mechanism.name
        return begun(name, lambda: Run(known.dyn, self.source, self.watched, settings, start, y, grid, watch))
