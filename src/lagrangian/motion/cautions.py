"""What is to be said before a run begins: limits that are not kept, bases that fall, starts that determine nothing."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from lagrangian.algorithms.constraints.constrained_dynamics import GroupRanks
from lagrangian.configuration.constraint_ranks import constraint_ranks
from lagrangian.configuration.coordinates import integrate
from lagrangian.configuration.loop_closure import LoopClosure
from lagrangian.configuration.mobility import constraint_rank, regular_configuration
from lagrangian.errors import ArgumentName, SimulationWarning, warn
from lagrangian.kernels.dynamics import Dynamics
from lagrangian.model.mechanism import Mechanism
from lagrangian.motion.system.holdable import outside
from lagrangian.motion.system.prepared import Prepared
from lagrangian.motion.torque import Torque

# s after a start, or parts of the run if it is shorter: where driven constraints are looked at
AHEAD = (0.05, 0.2, 0.7)
SHOWN = 3  # joints or bodies that are named


def told(
    known: Prepared, source: Torque, method: str, limits: bool, q: np.ndarray, span: tuple[float, float]
) -> tuple[GroupRanks, int]:
    """Say all of it of a run from q on; the ranks of equations that follow from others, and that of Psi around a singular q."""
    model, (start, end) = known.dyn.mechanism, span
    _warn_of_source(model, source, method, end - start)
    _warn_of_limits(model, q, limits)
    _warn_of_falling(known, source)
    _warn_of_actuators(known, source)
    return _dependent(known.dyn, q, span)


def _warn_of_source(model: Mechanism, source: Torque, method: str, duration: float) -> None:
    """Say what is unlikely to be meant."""
    if source.sampled is not None and source.sampled.period > duration:
        warn(
            f"{model.name}: the controller is sampled every {source.sampled.period:g} s, and the run lasts {duration:g} s: "
            f"its first torques are held throughout. The period is in seconds, 0.001 for 1 kHz",
            SimulationWarning,
        )
    if method == "rodas5p" and source.asks:
        warn(
            f"{model.name}: rodas5p needs the derivatives of torques and wrenches, which a Python function does not have: its "
            f"steps will be small. Use expressions or Traced(function), or method='dop853', which needs no derivatives",
            SimulationWarning,
        )


def _warn_of_limits(model: Mechanism, q: np.ndarray, limits: bool) -> None:
    """Say which limits will not be kept."""
    at, begun = 0, []
    for joint in model.joints:
        lower, upper = float(joint.limits.lower), float(joint.limits.upper)
        if limits and (math.isfinite(lower) or math.isfinite(upper)):
            if joint.kind.nq != 1:
                warn(
                    f"{model.name}: joint {joint.name!r}: the limits of a {joint.type} joint are not enforced", SimulationWarning
                )
            elif outside(float(q[at]), lower, upper):
                here, low, high = _apart(float(q[at]), lower, upper)
                begun.append(f"{joint.name!r} begins at {here}, outside its limits {low} to {high}")
        at += joint.kind.nq
    if begun:
        more = f", and {len(begun) - SHOWN} more begin outside theirs" if len(begun) > SHOWN else ""
        warn(
            f"{model.name}: joint {', '.join(begun[:SHOWN])}{more}: these limits are not enforced. "
            f"Choose another start with {ArgumentName('q0')}",
            SimulationWarning,
        )


def _apart(q: float, lower: float, upper: float) -> list[str]:
    """A coordinate and its limits, with as many digits as tell it from them."""
    told = ([f"{x:.{digits}g}" for x in (q, lower, upper)] for digits in range(6, 18))
    return next(texts for texts in told if texts[0] not in texts[1:])


def _warn_of_actuators(known: Prepared, source: Torque) -> None:
    """Say that torques which are given take the place of all that a robot file's actuators exert; no torques at all are meant."""
    model = known.dyn.mechanism
    given = source.formulas or source.external or source.traced is not None
    off = [speed for speed in model.initial.driven_speeds if speed not in source.formulas] if given else []
    if off and not known.told_of_actuators:
        known.told_of_actuators = True
        warn(
            f"{model.name}: the torques that you gave replace the actuators of the file: those of {_some(off)} are off. "
            f"Their torques are in mechanism.initial.torque; add these to yours to keep them",
            SimulationWarning,
        )


def _some(names: Sequence[str]) -> str:
    return ", ".join(map(repr, names[:SHOWN])) + (" ..." if len(names) > SHOWN else "")


def _warn_of_falling(known: Prepared, source: Torque) -> None:
    """Say that there is no ground, where the file of a robot leaves it to contacts to hold it."""
    bodies, model = [] if source.wrenches else known.falling, known.dyn.mechanism
    if bodies:
        warn(
            f"{model.name}: nothing holds {_some(bodies)}: there is no ground and no contact, so that it falls freely. "
            f"Walls, loops or springs to the ground hold it; mechanism.replace(gravity=(0, 0, 0)) lets it float",
            SimulationWarning,
        )


def _dependent(dyn: Dynamics, q: np.ndarray, span: tuple[float, float]) -> tuple[GroupRanks, int]:
    """The ranks of equations some of which follow from others; and that of Psi around q if it is less at q, which is singular."""
    if not dyn.mechanism.equation_count:
        return (), 0
    says, t = int(dyn.velocity_constraint_mask.sum()), span[0]
    if (here := constraint_rank(dyn, q, t)) == says:  # as here, so around
        return (), 0
    beside = [(regular_configuration(dyn, q, t), t), *_ahead(dyn, q, span)]
    around, place = max(((constraint_rank(dyn, *x), x) for x in beside), key=lambda found: found[0])
    return (constraint_ranks(dyn, *place) if says > around else ()), (around if around > here else 0)


def _ahead(dyn: Dynamics, q: np.ndarray, span: tuple[float, float]) -> list[tuple[np.ndarray, float]]:
    """Where constraints that change with time lead from q, and when: around it at its own time they may leave nothing but q."""
    found, (start, end) = [], span
    if dyn.depends_on_time:
        rng = np.random.default_rng(0)
        for t in (start + min(1.0, end - start) * np.array(AHEAD)).tolist():
            beside = integrate(dyn.mechanism, q, 0.01 * rng.normal(size=dyn.nv))
            near = LoopClosure(dyn, t).nearest(beside)
            if near.violation[0] < 1e-9:
                found.append((near.q[0], t))
    return found
