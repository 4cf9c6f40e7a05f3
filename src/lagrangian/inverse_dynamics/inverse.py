"""`lagrangian.inverse`: a mechanism and a path; out come the torques, serial or parallel, and the forces of its constraints."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from lagrangian.configuration.dynamics_of import dynamics_of
from lagrangian.description.mechanism_of import MechanismLike
from lagrangian.errors import ArgumentError
from lagrangian.inverse_dynamics.controllability import check_command
from lagrangian.inverse_dynamics.path_motion import PathMotion, along, rows_of
from lagrangian.inverse_dynamics.wrenches import Outside
from lagrangian.kernels.dynamics import Dynamics
from lagrangian.kinematics.follower import Follower
from lagrangian.kinematics.path_limits import check_limits
from lagrangian.motion.motion import Motion
from lagrangian.paths.path import CartesianPath, JointPath

ROWS = 1001


def inverse(
    mechanism: MechanismLike | Dynamics,
    path: JointPath | CartesianPath | Motion,
    frame: Any = None,
    q0: Any = None,
    *,
    parameters: Mapping[str, Any] | None = None,
    t_eval: Any = None,
    wrenches: Mapping[str, Any] | None = None,
    limits: bool = True,
    progress: Callable[[float, float], None] | None = None,
) -> PathMotion:
    """The torques that make a mechanism follow a path: inverse dynamics, with loops and other constraints kept.

    A path of joints may lead some coordinates only, where constraints determine the others; a path of a frame needs `frame`,
    unless it says so itself. `q0` (an array, a mapping, or the name of a pose) is near where to begin, and so picks the branch.
    Torques are those of the actuated joints alone: the smallest where there are more than degrees of freedom, an error where they
    do not suffice. `parameters` gives other values to some of the mechanism's parameters.

    `t_eval` is the number of rows (1001), or their times. `wrenches` maps frames to (moment, force) from outside, as for
    `simulate`: six numbers or expressions, or a function of (t, q, qd) that gives them. The path must keep the joints' limits
    unless `limits` is False. `progress(done, total)` is told now and then how many of the path's seconds are done.

    The result has `q, qd, qdd, tau, multipliers, reactions`, energies and work, as that of `simulate`; its `torque` is a source
    for `simulate`. Given a `Motion` in place of a path, its own rows are taken.
    """
    dyn = dynamics_of(mechanism, parameters)
    outside = Outside(dyn, wrenches)
    if not isinstance(limits, (bool, np.bool_)):
        raise ArgumentError(f"is {limits!r:.60}", argument="limits", remedy="True or False is needed")
    if progress is not None and not callable(progress):
        raise ArgumentError(f"is {progress!r}", argument="progress", remedy="a function of (done, total) is needed")
    if isinstance(path, Motion):
        if frame is not None or q0 is not None or t_eval is not None:
            raise ArgumentError("a motion is taken as it is: frame, q0 and t_eval go with paths")
        if path.q.shape[1:] != (dyn.nq,) or path.qd.shape[1:] != (dyn.nv,):
            raise ArgumentError(
                f"the motion has {path.q.shape[1]} coordinates; {dyn.mechanism.name!r} has {dyn.nq}", concerns="path"
            )
        return along(dyn, outside, None, path.t, (path.q, path.qd, path.qdd))
    if not isinstance(path, (JointPath, CartesianPath)):
        raise ArgumentError(
            f"is a {type(path).__name__}; one of lagrangian.paths is needed, such as paths.joint_line(q0, q1, 2.0), "
            f"paths.circle(...) or paths.recorded(t, q)",
            argument="path",
        )
    watch = None if progress is None else lambda t: progress(t - path.start, path.duration)
    follower = Follower(dyn, path, frame, q0, limits, watch)
    t = rows_of(ROWS if t_eval is None else t_eval, path)
    looked = t if len(t) >= ROWS else np.union1d(t, path.times(ROWS))  # few rows are no reason to overlook what is between
    q, qd, qdd = follower(looked)
    follower.inspect(looked, q)
    check_command(follower, outside, looked, q)
    if limits:
        check_limits(dyn, looked, q, qd, branches=not follower.direct)
    rows = np.searchsorted(looked, t)
    return along(dyn, outside, follower, t, (q[rows], qd[rows], qdd[rows]))
