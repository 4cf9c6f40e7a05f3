"""What a mechanism is asked for when it is looked at for singularities: a frame along directions, and its actuated joints."""

from __future__ import annotations

from typing import Any

import numpy as np

from lagrangian.configuration.coordinates import single_coordinates
from lagrangian.design.rank import Rank
from lagrangian.errors import ArgumentError
from lagrangian.kernels.cartesian import freedom
from lagrangian.kernels.dynamics import Dynamics
from lagrangian.kinematics.requirements import FrameGoal, JointGoal, Requirements
from lagrangian.model.loop import DIRECTIONS, Frame
from lagrangian.model.mechanism import Mechanism


def frame_of(model: Mechanism, frame: str | Frame | None, needed: bool = True) -> str | None:
    """The name of a frame that is given, or of the only one; where there are several, or none, one is needed or there is none."""
    if frame is not None:
        return model.frame(frame).name
    if len(model.frames) == 1:
        return model.frames[0].name
    if not needed:
        return None
    known = [*(f.name for f in model.frames), *(b.name for b in model.bodies)]
    raise ArgumentError(
        f"is needed for {model.name!r}",
        argument="frame",
        remedy=f"give one of {', '.join(known[:12])}",
    )


def ranks_of(dyn: Dynamics, frame: str | None, directions: Any, q: np.ndarray) -> tuple[list[Rank], tuple[str, ...]]:
    """What is looked at: the frame's directions, and the actuated joints of a mechanism with loops."""
    model, found = dyn.mechanism, list[Rank]()
    chosen: tuple[str, ...] = ()
    places = single_coordinates(model)
    if frame is not None:
        chosen = tuple(directions) if directions is not None else _directions(dyn, frame, q)
        found.append(Rank(1, Requirements(dyn, FrameGoal(dyn, frame, chosen)), q))
    driven = tuple(n for j in model.joints if j.actuated for n in j.coordinate_names if n in places)
    if model.equations and driven:
        found.append(Rank(2, Requirements(dyn, JointGoal(dyn, driven)), q))
    if not found:
        raise ArgumentError(f"{model.name} has neither a frame nor actuated joints; give `frame`", concerns="frame")
    return found, chosen


def _directions(dyn: Dynamics, frame: str, q: np.ndarray) -> tuple[str, ...]:
    """x, y and z as far as the frame moves along them; the turns too, where there are more degrees of freedom than that."""
    near = q if dyn.mechanism.equations else dyn.mechanism.random_configuration(1)
    N = freedom(dyn, near[None], np.zeros((1, dyn.nv)), 0.0)[0]
    J = np.asarray(dyn.jacobian(near, frame))
    J = J if N is None else J @ N[0]
    size = np.linalg.norm(J, axis=1)
    moves = [k for k in (3, 4, 5) if size[k] > 1e-9 * max(size.max(), 1e-300)]
    degrees = dyn.nv if N is None else int((np.abs(N[0]).max(axis=0) > 0).sum())
    if degrees > np.linalg.matrix_rank(J[3:], tol=1e-9):
        moves = [k for k in (0, 1, 2) if size[k] > 1e-9 * size.max()] + moves
    if not moves:
        raise ArgumentError(f"{frame!r} does not move", argument="frame", remedy="give a frame on a body that does")
    return tuple(DIRECTIONS[k] for k in moves)
