"""The times at which steps of a run end because something jumps, has a kink, or is a pulse; and what to watch for others.

Of all that is an expression: torques, wrenches, constraints. What depends on time alone is known before the run begins.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from lagrangian.errors import SimulationWarning, warn
from lagrangian.model.constraint import HolonomicConstraint, PfaffianConstraint
from lagrangian.model.event import Event, SwitchCondition
from lagrangian.model.expression import Expression, Scalar, call, free_symbols, switching_times
from lagrangian.model.expression.pulses import pulse_times
from lagrangian.model.mechanism import Mechanism
from lagrangian.motion.events import RESTART
from lagrangian.motion.torque import Torque

Span = tuple[float, float]


def with_breaks(source: Torque, mechanism: Mechanism, events: Sequence[Event], span: Span) -> tuple[Torque, list[Event]]:
    """What drives a run, with the times at which its steps end; and the events at which they end for what the state does."""
    acting = _acting(source, mechanism)
    timed = [e.when for e in events if isinstance(e.when, Expression) and free_symbols(e.when) == switching_times.TIME]
    if not acting and not timed:
        return source, []
    times, kinks = _found(tuple(acting), tuple(timed), mechanism.name, span)
    return replace(source, breaks=tuple(sorted({*source.breaks, *times}))) if times else source, list(kinks)


def _acting(source: Torque, mechanism: Mechanism) -> list[Expression]:
    """All expressions that forces and constraints are made of."""
    found: list[Scalar] = [*source.formulas.values()]
    if source.saturate:
        efforts = [float(joint.limits.effort) for joint in mechanism.joints for _ in range(joint.kind.nv)]
        bounds = dict(zip(mechanism.speed_names, efforts, strict=True))
        for name, x in source.formulas.items():
            if isinstance(x, Expression) and np.isfinite(bounds[name]):
                found += [call("min", x, bounds[name]), call("max", x, -bounds[name])]
    for wrench in source.wrenches:
        found += wrench.entries
    for constraint in mechanism.constraints:
        if isinstance(constraint, HolonomicConstraint):
            found.append(constraint.equation)
        elif isinstance(constraint, PfaffianConstraint):
            found += [constraint.phi, *(c for _, c in constraint.coefficients)]
    return [x for x in found if isinstance(x, Expression) and x.value is None]


Found = tuple[tuple[float, ...], tuple[Event, ...]]
# what was found before, with the expressions themselves: the same run is often made again with another start
_KNOWN: dict[tuple[object, ...], tuple[tuple[Expression, ...], Found]] = {}
REMEMBERED = 256


def _found(acting: tuple[Expression, ...], timed: tuple[Expression, ...], name: str, span: Span) -> Found:
    key = (tuple(map(id, acting)), tuple(map(id, timed)), span)
    known = _KNOWN.get(key)
    if known is not None:
        return known[1]
    times = _times(acting, timed, name, span)
    kinks = tuple(Event(SwitchCondition(x), RESTART) for x in switching_times.state_switches(acting))
    if len(_KNOWN) >= REMEMBERED:
        _KNOWN.clear()
    _KNOWN[key] = ((*acting, *timed), (times, kinks))
    return times, kinks


def _times(acting: Sequence[Expression], timed: Sequence[Expression], name: str, span: Span) -> tuple[float, ...]:
    try:
        jumps = switching_times.switching_times(acting, *span)
        zeros = [t for x in timed for t in switching_times.label_changes(x, np.sign, *span)]
        pulses = pulse_times(acting, *span, jumps)
    except switching_times.TooManySwitches as error:
        warn(
            f"{name}: '{error.expression}' changes its sign, or its whole part, too often between {span[0]:g} and {span[1]:g} s "
            f"to find every jump beforehand, so that steps may pass over some; limit their length by max_step",
            SimulationWarning,
        )
        return ()
    return tuple(switching_times.distinct_times([*jumps, *zeros, *pulses], *span))
