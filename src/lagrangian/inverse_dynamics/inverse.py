"""`lagrangian.inverse`: a mechanism and a path; out come the torques, serial or parallel, and the forces of its constraints."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from lagrangian.configuration.start import as_dynamics
from lagrangian.description.mechanism_like import MechanismLike
from lagrangian.errors import ArgumentError
from lagrangian.inverse_dynamics.actuation import check_controllability
from lagrangian.inverse_dynamics.result import InverseDynamicsResult, motion_along_path, row_times
from lagrangian.inverse_dynamics.wrenches import ExternalWrenches
from lagrangian.kernels.dynamics import Dynamics
from lagrangian.kinematics.follower import Follower
from lagrangian.kinematics.path_failures import check_singularities
from lagrangian.kinematics.path_limits import check_limits
from lagrangian.model.frame import Frame
from lagrangian.motion.motion import Motion
from lagrangian.motion.wrench import WrenchesLike
from lagrangian.paths.path import CartesianPath, JointPath
from lagrangian.types import Progress, State, Times

DEFAULT_ROWS = 1001


def inverse(
    mechanism: MechanismLike | Dynamics,
    path: JointPath | CartesianPath | Motion,
    frame: str | Frame | None = None,
    q0: State = None,
    *,
    parameters: Mapping[str, float] | None = None,
    t_eval: Times | None = None,
    wrenches: WrenchesLike = None,
    limits: bool = True,
    progress: Progress = None,
) -> InverseDynamicsResult:
    """Compute the torques that make a mechanism follow a path.

    This is inverse dynamics for serial and parallel mechanisms. Loops stay closed, other constraints hold, and only actuated
    joints have torques. If there are more actuators than degrees of freedom, the function returns the torques with the
    smallest sum of squares.

    Parameters
    ----------
    mechanism : Mechanism, str, path or Dynamics
        The mechanism, the name of one in the library, a file, or compiled dynamics.
    path : JointPath, CartesianPath or Motion
        The path to follow; see `lagrangian.paths`. A path of joints may lead some of the coordinates, if constraints determine
        the others. If you give a motion, its own rows are used.
    frame : str or Frame, optional
        The frame that follows a Cartesian path, if the path does not name it.
    q0 : array_like, mapping or str, optional
        A configuration near the start of the path. It picks the branch if several configurations reach the start.
    parameters : mapping, optional
        Other values of some of the mechanism's parameters.
    t_eval : int or array_like, optional
        The number of rows of the result, or their times in seconds. The default is 1001 rows.
    wrenches : mapping, optional
        External moments and forces by frame, in N m and N along the world's axes: six numbers or expressions with the moment
        first, or a function of (t, q, qd) that returns six numbers.
    limits : bool
        Whether the path must keep the limits of the joints. The default is True.
    progress : callable, optional
        A function of (done, total), in seconds of the path, which is called now and then.

    Returns
    -------
    InverseDynamicsResult
        The motion with its torques, multipliers, reactions, energies and work, as `simulate` returns them.

    Raises
    ------
    UnreachableError
        If the mechanism cannot follow the path, or would exceed a limit of a joint.
    ActuationError
        If the actuated joints cannot produce the motion, or lose control of it at a singularity.

    Warns
    -----
    PathWarning
        If the path passes near a singularity, or needs more torque than the limit of a joint allows.

    See Also
    --------
    size_actuators : Choose motors and gears for the torques.
    Dynamics.inverse_dynamics : The torques of single states.

    Notes
    -----
    The torques solve `N^T S^T tau = N^T (M qdd + C qd + G + F)` (Nakamura and Ghodoussi 1989). N is a basis of the motions that
    the constraint Jacobian Psi allows, and S selects the actuated joints.

    Examples
    --------
    The torques of a planar arm whose tip draws a circle:

    >>> import lagrangian as lg
    >>> path = lg.paths.circle((1.0, 0.5), 0.2, duration=4.0)
    >>> motion = lg.inverse("two_r", path, frame="tip")
    >>> motion.tau.shape
    (1001, 2)
    >>> abs(motion.tau).max(axis=0).round(2)
    array([225.41,  28.03])

    The torque that turns the crank of a four-bar linkage once:

    >>> turn = lg.paths.formula({"theta1": "0.8 + 2*pi*t"}, duration=1.0)
    >>> lg.inverse("four_bar", turn).tau[::250].round(2)
    array([[ 5.45,  0.  ,  0.  ],
           [-6.55,  0.  ,  0.  ],
           [-1.53,  0.  ,  0.  ],
           [ 6.59,  0.  ,  0.  ],
           [ 5.45,  0.  ,  0.  ]])
    """
    dyn = as_dynamics(mechanism, parameters)
    external_wrenches = ExternalWrenches(dyn, wrenches)
    if not isinstance(limits, (bool, np.bool_)):
        raise ArgumentError(f"is {limits!r:.60}", argument="limits", remedy="True or False is needed")
    if progress is not None and not callable(progress):
        raise ArgumentError(f"is {progress!r}", argument="progress", remedy="a function of (done, total) is needed")
    if isinstance(path, Motion):
        if frame is not None or q0 is not None or t_eval is not None:
            raise ArgumentError("frame, q0 and t_eval are for paths; a motion is used with its own rows")
        if path.q.shape[1:] != (dyn.nq,) or path.qd.shape[1:] != (dyn.nv,):
            raise ArgumentError(
                f"the motion has {path.q.shape[1]} coordinates; {dyn.mechanism.name!r} has {dyn.nq}", concerns="path"
            )
        return motion_along_path(dyn, external_wrenches, None, path.t, (path.q, path.qd, path.qdd))
    if not isinstance(path, (JointPath, CartesianPath)):
        raise ArgumentError(
            f"is a {type(path).__name__}; a path is needed, such as paths.joint_line(q0, q1, 2.0), "
            f"paths.circle(...) or paths.interpolate(t, q)",
            argument="path",
        )

    def report_progress(t: float) -> None:
        if progress is not None:
            progress(t - path.start, path.duration)

    follower = Follower(dyn, path, frame, q0, limits, report_progress)
    t = row_times(DEFAULT_ROWS if t_eval is None else t_eval, path)
    # few rows are no reason to overlook what is between them
    checked_times = t if len(t) >= DEFAULT_ROWS else np.union1d(t, path.times(DEFAULT_ROWS))
    q, qd, qdd = follower(checked_times)
    check_singularities(follower, checked_times, q)
    check_controllability(follower, external_wrenches, checked_times, q)
    if limits:
        check_limits(dyn, checked_times, q, qd, has_branches=not follower.leads_all_joints)
    rows = np.searchsorted(checked_times, t)
    return motion_along_path(dyn, external_wrenches, follower, t, (q[rows], qd[rows], qdd[rows]))
