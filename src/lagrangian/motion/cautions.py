"""What is to be said before a run begins: limits that are not kept, starts that determine nothing."""

from __future__ import annotations

import math

import numpy as np

from lagrangian.configuration.mobility import mobility, rank
from lagrangian.errors import SimulationWarning, warn
from lagrangian.kernels.dynamics import Dynamics
from lagrangian.model.mechanism import Mechanism
from lagrangian.motion.system.holdable import outside
from lagrangian.motion.system.prepared import Prepared
from lagrangian.motion.torque import Torque


def told(
    known: Prepared, source: Torque, method: str, limits: bool, q: np.ndarray, span: tuple[float, float]
) -> tuple[bool, int]:
    """Say all of it of a run from q on; whether some constraint equations follow from others, and, if q is singular,
    the rank of Psi around it."""
    model, (start, end) = known.dyn.mechanism, span
    _warn_of_source(model, source, method, end - start)
    _warn_of_limits(model, q, limits)
    return _dependent(known.dyn, q, start)


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
            f"{model.name}: rodas5p needs the slope of torques and wrenches, and that of a Python function is not known: its "
            f"steps will be small. Expressions and Traced(function) have one; method='dop853' needs none",
            SimulationWarning,
        )


def _warn_of_limits(model: Mechanism, q: np.ndarray, limits: bool) -> None:
    """Say which limits will not be kept."""
    at = 0
    for joint in model.joints:
        lower, upper = float(joint.limits.lower), float(joint.limits.upper)
        if limits and (math.isfinite(lower) or math.isfinite(upper)):
            if joint.kind.nq != 1:
                told = f"limits of a {joint.type} joint are not kept"
            elif outside(float(q[at]), lower, upper):
                told = f"it begins at {q[at]:g}, outside its limits {lower:g} to {upper:g}, which are not kept"
            else:
                told = ""
            if told:
                warn(f"{model.name}: joint {joint.name!r}: {told}", SimulationWarning)
        at += joint.kind.nq


def _dependent(dyn: Dynamics, q: np.ndarray, t: float) -> tuple[bool, int]:
    """Whether some equations follow from others around q, and the rank around it if it is less at q, which is singular then."""
    if not dyn.mechanism.equations:
        return False, 0
    says = int(dyn.restricting.sum())
    if rank(dyn, q, t) == says:  # as here, so around
        return False, 0
    found = mobility(dyn, q, t)
    around = found.speeds - found.nearby
    return says > around, around if found.singular else 0
