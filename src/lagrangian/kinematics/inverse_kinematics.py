"""Inverse kinematics of one place: Newton's method within the joints' limits, for any mechanism, loops included.

It begins at one configuration, and at many if need be.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from lagrangian.arguments import count, floats, number, truth
from lagrangian.configuration import reading
from lagrangian.configuration.bounds import Bounds
from lagrangian.configuration.coordinates import moved, same, single_coordinates, turned_back
from lagrangian.configuration.dynamics_of import dynamics_of
from lagrangian.configuration.loops import CLOSED, Loops
from lagrangian.configuration.newton import Newton
from lagrangian.description.mechanism_of import MechanismLike
from lagrangian.errors import Argument, ArgumentError, ReachError, shown
from lagrangian.kernels.dynamics import Dynamics
from lagrangian.kinematics.requirements import FrameGoal, JointGoal, Requirements, Towards, told
from lagrangian.model.loop import DIRECTIONS, TURNS, Frame
from lagrangian.paths.argument_checks import different, place
from lagrangian.types import State

STARTS = 60
MET = 1e-11  # residuals, as parts of the mechanism's size, that count as none


def inverse_kinematics(
    mechanism: MechanismLike | Dynamics,
    target: ArrayLike | Mapping[str, float],
    frame: str | Frame | None = None,
    q0: State = None,
    *,
    directions: Sequence[str] | None = None,
    limits: bool = True,
    every: bool = False,
    starts: int = STARTS,
    t: float = 0.0,
) -> np.ndarray | list[np.ndarray]:
    """Find a configuration that brings a frame to a target.

    Newton's method within the joint limits finds it, for any mechanism. Loops stay closed. For planar 2R arms and for 6R arms
    with a spherical wrist, `every=True` uses closed forms.

    Parameters
    ----------
    mechanism : Mechanism, Dynamics, str or path
        The mechanism: an object, its compiled dynamics, the name of a library mechanism, or a file.
    target : array_like or mapping of str to float
        A point (x, y) or (x, y, z) in m, or a 4 x 4 pose. A mapping gives values of some coordinates of a mechanism with loops;
        the other coordinates follow.
    frame : str or Frame, optional
        The frame that is to reach the target. It is needed unless `target` is a mapping.
    q0 : array_like, mapping, str, optional
        Where the search starts; the result is a solution near it. The default is the mechanism's own start.
    directions : sequence of str, optional
        Which of `"wx"`, `"wy"`, `"wz"`, `"x"`, `"y"`, `"z"` count. The default is all that the target has.
    limits : bool, default True
        Whether joint limits are respected.
    every : bool, default False
        Whether all configurations are returned, as a list.
    starts : int, default 60
        Number of other starts that are tried if the first fails.
    t : float, default 0.0
        Time in seconds; it matters only if a constraint depends on time.

    Returns
    -------
    ndarray, shape (nq,), or list of ndarray
        The coordinates in rad and m, or with `every` a list of them.

    Raises
    ------
    ReachError
        The target is out of reach, or with `every` there are infinitely many configurations.
    ArgumentError
        The target is neither a point nor a pose, or the frame is missing.

    See Also
    --------
    inverse : Follow a path and compute the joint forces.

    Examples
    --------
    >>> import lagrangian as lg
    >>> q = lg.inverse_kinematics("two_r", (1.2, 0.8), "tip")
    >>> print(q.round(4))
    [-0.1774  1.5308]
    >>> print(lg.compile("two_r").pose(q, "tip")[:2, 3].round(4))
    [1.2 0.8]
    >>> for q in lg.inverse_kinematics("two_r", (1.2, 0.8), "tip", every=True):
    ...     print(q.round(4))
    [-0.1774  1.5308]
    [ 1.3534 -1.5308]
    """
    dyn = dynamics_of(mechanism)
    starts, t, limits = count(starts, "starts", least=0), number(t, "t"), truth(limits, "limits")
    if isinstance(target, Mapping) and not target:
        raise ArgumentError(
            "is empty; give coordinates such as {'theta1': 0.5}, or a point or pose of a frame", argument="target"
        )
    if isinstance(target, Mapping):
        if frame is not None or directions is not None:
            raise ArgumentError("the target gives coordinates, so it takes no frame and no directions", concerns="frame")
        goal: Any = JointGoal(dyn, tuple(target))
        wanted = np.array([[reading.number(dyn.mechanism, x, (Argument("target"), repr(n))) for n, x in target.items()]])
    else:
        goal, wanted = _frame_goal(dyn, target, frame, directions)
    if not every:
        return reach(Requirements(dyn, goal), wanted[0], q0, t, limits, starts)
    return _every(dyn, goal, wanted, q0, t, limits, starts)


def _frame_goal(dyn: Dynamics, target: Any, frame: Any, directions: Any) -> tuple[FrameGoal, np.ndarray]:
    if frame is None:
        raise ArgumentError(
            "is missing: which frame must reach the target?",
            argument="frame",
            remedy=f"give one of {', '.join(list(dyn.mechanism._frames)[:20])}",
        )
    try:
        x = floats(target)
    except (TypeError, ValueError):
        x = np.zeros(0)
    if x.shape not in ((2,), (3,), (4, 4)) or not np.isfinite(x).all():
        raise ArgumentError(f"is {shown(target)}; a point (x, y) or (x, y, z), or a 4x4 pose, is needed", argument="target")
    pose = np.eye(4)
    if x.ndim == 2:
        place(x, "the target")  # which says if it is no pose
        pose[:] = x
    else:
        pose[: len(x), 3] = x
    led = different(directions, "directions") or (DIRECTIONS if x.ndim == 2 else DIRECTIONS[3 : 3 + len(x)])
    if x.ndim == 1 and any(d in TURNS for d in led):
        raise ArgumentError("the target is a point, so it has no directions wx, wy, wz; give a 4x4 pose", concerns="directions")
    return FrameGoal(dyn, frame, led), pose[None]


def reach(requirements: Requirements, wanted: np.ndarray, q0: Any, t: float, limits: bool, starts: int) -> np.ndarray:
    """From q0, and then from ever further away from it, until all equations are met; of several, the nearest to q0.

    Where q0 names some coordinates only, it is these that count.
    """
    model = requirements.dyn.mechanism
    bounds = Bounds(model, limits)
    begin, named = _begin(requirements.dyn, q0, t, bounds)
    newton = Newton(Towards(requirements, wanted[None]), bounds=bounds)
    found = newton.solve(begin[None], t)
    near, miss = found.q, found.miss
    if miss[0] <= MET and not named:
        return near[0]
    if starts:
        rng = np.random.default_rng(0)
        spread = np.pi * (np.arange(1, starts + 1) / starts)[:, None]
        others = bounds.redrawn(moved(model, begin, spread * rng.normal(size=(starts, model.nv))), rng)
        others[:, named] = begin[named]
        more = newton.solve(others, t)
        near, miss = np.vstack([near, more.q]), np.append(miss, more.miss)
        met = np.flatnonzero(miss <= MET)
        if met.size:
            away = np.abs(near[met] - begin)[:, named or slice(None)].max(axis=1)
            return near[met[np.argmin(np.round(away, 9))]]
    best = near[np.argmin(miss)]
    off = requirements.residual(best[None], wanted[None], np.array([t]))[0]
    kept = " within the limits of its joints" if bounds.finite else ""
    raise ReachError(
        f"{model.name}: the target is out of reach{kept}: at the nearest configuration found, {told(requirements.names, off)}. "
        f"The target may be too far away, or prescribe more directions than the mechanism can move in"
    )


def _begin(dyn: Dynamics, q0: Any, t: float, bounds: Bounds) -> tuple[np.ndarray, list[int]]:
    """Where to begin, within the limits, and the places of the coordinates that q0 gives by name.

    That is where a simulation from q0 begins; or q0 itself, if no configuration near it closes the loops.
    """
    given = reading.configuration(dyn.mechanism, q0)
    near = Loops(dyn, t, given.held).nearest(given.q)
    begin = near.q if near.miss[0] <= CLOSED else given.q[None]
    places = single_coordinates(dyn.mechanism)
    named = [places[name][0] for name in given.held] if isinstance(given.where, Argument) else []
    return bounds.clipped(bounds.turned_inside(begin))[0], named


def _every(dyn: Dynamics, goal: Any, wanted: np.ndarray, q0: Any, t: float, limits: bool, starts: int) -> list[np.ndarray]:
    from lagrangian.kinematics.branches import branches, within_limits

    model, requirements = dyn.mechanism, Requirements(dyn, goal)
    if isinstance(goal, FrameGoal) and not model.equations:
        solvable = _complete(goal, dyn, reading.configuration(model, q0).q)
        exact = branches(model, _closed(goal, wanted[0]), goal.frame) if solvable else None
        if exact is not None:
            kept = [q for q in exact if not limits or within_limits(model, q)]
            if not kept:
                raise ReachError(f"{model.name}: the target is out of reach{' within the limits of its joints' * bool(exact)}")
            return kept
    first = reach(requirements, wanted[0], q0, t, limits, starts)
    rank, _ = requirements.rank(first[None], np.array([t]), positions=True)
    if rank[0] < dyn.nv:
        raise ReachError(
            f"{model.name}: {dyn.nv - rank[0]} of its motions leave the target where it is, so there are infinitely many "
            f"configurations; use every=False to get one near q0"
        )
    rng, found = np.random.default_rng(0), [first]
    begun = np.array([model.random_configuration(rng) for _ in range(8 * starts)])
    ended = Newton(Towards(requirements, wanted), bounds=Bounds(model, limits)).solve(begun, t)
    for q in ended.q[ended.miss <= MET]:
        if not any(same(dyn, q, other) for other in found):
            back = turned_back(dyn, q, t)
            found.append(q if limits and not within_limits(model, back) else back)
    return found


def _complete(goal: FrameGoal, dyn: Dynamics, q: np.ndarray) -> bool:
    """Whether the goal is one that closed forms are for: a pose of six joints, or a point of two."""
    led = set(goal.names)
    if dyn.nv == 2 and led == {"x", "y"}:  # as long as it moves in that plane
        return not np.abs(dyn.jacobian(q, goal.frame)[5]).max() > 1e-9
    return led == set(DIRECTIONS) if dyn.nv == 6 else dyn.nv == 2 and led == {"x", "y", "z"}


def _closed(goal: FrameGoal, pose: np.ndarray) -> np.ndarray:
    return pose if len(goal.names) == 6 else pose[: len(goal.names), 3]
