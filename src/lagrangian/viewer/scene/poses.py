"""The poses of all frames in one configuration or in many, in plain numpy: nothing has to be compiled for a picture."""

from __future__ import annotations

from typing import Any

import numpy as np

from lagrangian.configuration import state_arguments
from lagrangian.configuration.poses import body_poses
from lagrangian.errors import LagrangianError, MechanismWarning, warn
from lagrangian.model.constraint import HolonomicConstraint, RollingConstraint
from lagrangian.model.loop import loop_residual
from lagrangian.model.mechanism import GROUND, Mechanism


def all_poses(mechanism: Mechanism, q: Any) -> np.ndarray:
    """(rows, frames, 4, 4): the ground, the bodies, then the named frames, as a scene lists them."""
    poses = body_poses(mechanism, q)
    pose_list = [poses[GROUND], *(poses[b.name] for b in mechanism.bodies)]
    pose_list += [poses[f.body] @ f.placement.matrix() for f in mechanism.frames]
    return np.stack(pose_list, axis=1)


def frame_names(mechanism: Mechanism) -> tuple[str, ...]:
    return (GROUND, *(b.name for b in mechanism.bodies), *(f.name for f in mechanism.frames))


# -- the configuration that is drawn -------------------------------------------------------------------------------------


def drawn_configuration(mechanism: Mechanism, q: Any = None) -> np.ndarray:
    """The configuration in which a mechanism is drawn: where a simulation from `q` begins.

    An array `q` is drawn as it is. Where the loops of another configuration do not close, the nearest one in which they do is
    drawn; a warning says so, or that there is none.
    """
    state = state_arguments.as_configuration(mechanism, q, "q")
    if not mechanism.equation_count or (state.complete and not isinstance(q, str | None)):
        return state.q
    if not _has_other_constraints(mechanism) and _largest_gap(mechanism, state.q) < 1e-9:  # seen without compiling anything
        return state.q
    from lagrangian.configuration.start import Start, as_dynamics

    start = Start(as_dynamics(mechanism), state)
    try:
        closed_q = start.close_loops()
    except LagrangianError as error:
        warn(f"{mechanism.name} is drawn with open loops: {error}", MechanismWarning)
        return state.q
    if start.open_violation is not None:
        message = (
            f"{mechanism.name}: {state.where} does not close the loops: {start.open_violation}; the picture shows the nearest "
            "configuration that does"
        )
        warn(message, MechanismWarning)
    return closed_q


def _has_other_constraints(mechanism: Mechanism) -> bool:
    """Whether there are constraints whose violation is not the distance of two points."""
    return any(isinstance(c, HolonomicConstraint | RollingConstraint) for c in mechanism.constraints)


def _largest_gap(mechanism: Mechanism, q: np.ndarray) -> float:
    """The largest opening of a loop, relative to the mechanism's size."""
    poses = body_poses(mechanism, q)
    worst, size = 0.0, 1e-9
    for loop in mechanism.loops:
        a, b = poses[loop.a][0], poses[loop.b][0]
        size = max(size, *(float(np.abs(T[:3, 3]).max()) for T in (a @ loop.a_placement.matrix(), b @ loop.b_placement.matrix())))
        worst = max(worst, *np.abs(loop_residual(loop, a, b)))
    return worst / size
