"""Inverse kinematics of one target: Newton's method within the limits of joints, for any mechanism, with loops too.

The search starts from one configuration, and from many if that fails.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from lagrangian.arguments import boolean, count, distinct_names, floats, number
from lagrangian.configuration import state_arguments
from lagrangian.configuration.coordinates import (
    CoordinateBounds,
    integrate,
    is_same_configuration,
    single_coordinates,
    wrap_angles,
)
from lagrangian.configuration.loop_closure import CLOSED_TOLERANCE, LoopClosure
from lagrangian.configuration.newton import Newton
from lagrangian.configuration.start import as_dynamics
from lagrangian.description.mechanism_like import MechanismLike
from lagrangian.errors import ArgumentError, ArgumentName, UnreachableError, format_value
from lagrangian.kernels.dynamics import Dynamics
from lagrangian.kinematics.goals import FrameGoal, JointGoal, KinematicEquations, TargetEquations, format_worst_residuals
from lagrangian.model.frame import ANGULAR_COMPONENTS, TWIST_COMPONENTS, Frame
from lagrangian.paths.arguments import as_point_or_pose
from lagrangian.types import State

DEFAULT_STARTS = 60
RESIDUAL_TOLERANCE = 1e-11  # residuals, as parts of the mechanism's size, that count as none


def inverse_kinematics(
    mechanism: MechanismLike | Dynamics,
    target: ArrayLike | Mapping[str, float],
    frame: str | Frame | None = None,
    q0: State = None,
    *,
    directions: Sequence[str] | None = None,
    limits: bool = True,
    all_solutions: bool = False,
    starts: int = DEFAULT_STARTS,
    t: float = 0.0,
) -> np.ndarray | list[np.ndarray]:
    """Find a configuration that brings a frame to a target.

    Newton's method within the joint limits finds it, for any mechanism. Loops stay closed. For planar 2R arms and for 6R arms
    with a spherical wrist, `all_solutions=True` uses closed forms.

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
    all_solutions : bool, default False
        Whether all configurations are returned, as a list.
    starts : int, default 60
        Number of other starts that are tried if the first fails.
    t : float, default 0.0
        Time in seconds; it matters only if a constraint depends on time.

    Returns
    -------
    ndarray, shape (nq,), or list of ndarray
        The coordinates in rad and m, or with `all_solutions` a list of them.

    Raises
    ------
    UnreachableError
        The target is out of reach, or with `all_solutions` there are infinitely many configurations.
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
    >>> for q in lg.inverse_kinematics("two_r", (1.2, 0.8), "tip", all_solutions=True):
    ...     print(q.round(4))
    [-0.1774  1.5308]
    [ 1.3534 -1.5308]
    """
    dyn = as_dynamics(mechanism)
    starts, t, limits = count(starts, "starts", least=0), number(t, "t"), boolean(limits, "limits")
    if isinstance(target, Mapping) and not target:
        raise ArgumentError(
            "is empty; give coordinates such as {'theta1': 0.5}, or a point or pose of a frame", argument="target"
        )
    if isinstance(target, Mapping):
        if frame is not None or directions is not None:
            raise ArgumentError("the target gives coordinates, so it takes no frame and no directions", concerns="frame")
        goal: Any = JointGoal(dyn, tuple(target))
        targets = np.array(
            [[state_arguments.as_number(dyn.mechanism, x, (ArgumentName("target"), repr(n))) for n, x in target.items()]]
        )
    else:
        goal, targets = _frame_goal(dyn, target, frame, directions)
    if not all_solutions:
        return find_configuration(KinematicEquations(dyn, goal), targets[0], q0, t, limits, starts)
    return _all_solutions(dyn, goal, targets, q0, t, limits, starts)


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
        raise ArgumentError(
            f"is {format_value(target)}; a point (x, y) or (x, y, z), or a 4x4 pose, is needed", argument="target"
        )
    pose = np.eye(4)
    if x.ndim == 2:
        as_point_or_pose(x, "the target")  # which says if it is no pose
        pose[:] = x
    else:
        pose[: len(x), 3] = x
    leading = distinct_names(directions, "directions") or (TWIST_COMPONENTS if x.ndim == 2 else TWIST_COMPONENTS[3 : 3 + len(x)])
    if x.ndim == 1 and any(d in ANGULAR_COMPONENTS for d in leading):
        raise ArgumentError("the target is a point, so it has no directions wx, wy, wz; give a 4x4 pose", concerns="directions")
    return FrameGoal(dyn, frame, leading), pose[None]


def find_configuration(
    equations: KinematicEquations, target: np.ndarray, q0: Any, t: float, limits: bool, starts: int
) -> np.ndarray:
    """Find a configuration that meets all equations, from q0 and then from ever further away; of several, the nearest to q0.

    Where q0 names some coordinates only, the distance from q0 is that of these.
    """
    model = equations.dyn.mechanism
    bounds = CoordinateBounds(model, limits)
    start, named_columns = _start_configuration(equations.dyn, q0, t, bounds)
    newton = Newton(TargetEquations(equations, target[None]), bounds=bounds)
    first_result = newton.solve(start[None], t)
    solutions, violations = first_result.q, first_result.violation
    if violations[0] <= RESIDUAL_TOLERANCE and not (named_columns and starts):
        return solutions[0]
    if starts:
        rng = np.random.default_rng(0)
        spread = np.pi * (np.arange(1, starts + 1) / starts)[:, None]
        random_starts = bounds.redraw_outside(integrate(model, start, spread * rng.normal(size=(starts, model.nv))), rng)
        random_starts[:, named_columns] = start[named_columns]
        random_results = newton.solve(random_starts, t)
        solutions, violations = np.vstack([solutions, random_results.q]), np.append(violations, random_results.violation)
        converged = np.flatnonzero(violations <= RESIDUAL_TOLERANCE)
        if converged.size:
            distances = np.abs(solutions[converged] - start)[:, named_columns or slice(None)].max(axis=1)
            return solutions[converged[np.argmin(np.round(distances, 9))]]
    best = solutions[np.argmin(violations)]
    residual = equations.residual(best[None], target[None], np.array([t]))[0]
    limits_text = " within the limits of its joints" if bounds.has_limits else ""
    raise UnreachableError(
        f"{model.name}: the target is out of reach{limits_text}: at the nearest configuration found, "
        f"{format_worst_residuals(equations.names, residual)}. The target may be too far away, or prescribe more directions "
        f"than the mechanism can move in"
    )


def _start_configuration(dyn: Dynamics, q0: Any, t: float, bounds: CoordinateBounds) -> tuple[np.ndarray, list[int]]:
    """The configuration within the limits from which the search starts, and the columns of the coordinates that q0 names.

    That is where a simulation from q0 begins; or q0 itself, if no configuration near it closes the loops.
    """
    start_state = state_arguments.as_configuration(dyn.mechanism, q0)
    closed = LoopClosure(dyn, t, start_state.fixed_coordinates).nearest(start_state.q)
    start = closed.q if closed.violation[0] <= CLOSED_TOLERANCE else start_state.q[None]
    indices = single_coordinates(dyn.mechanism)
    named_columns = (
        [indices[name][0] for name in start_state.fixed_coordinates] if isinstance(start_state.where, ArgumentName) else []
    )
    return bounds.clip(bounds.wrap_inside(start))[0], named_columns


def _all_solutions(
    dyn: Dynamics, goal: Any, targets: np.ndarray, q0: Any, t: float, limits: bool, starts: int
) -> list[np.ndarray]:
    from lagrangian.kinematics.analytic import analytic_inverse_kinematics, within_limits

    model, equations = dyn.mechanism, KinematicEquations(dyn, goal)
    if isinstance(goal, FrameGoal) and not model.equation_count:
        solvable = _has_analytic_form(goal, dyn, state_arguments.as_configuration(model, q0).q)
        analytic = analytic_inverse_kinematics(model, _analytic_target(goal, targets[0]), goal.frame) if solvable else None
        if analytic is not None:
            feasible = [q for q in analytic if not limits or within_limits(model, q)]
            if not feasible:
                raise UnreachableError(
                    f"{model.name}: the target is out of reach{' within the limits of its joints' * bool(analytic)}"
                )
            return feasible
    first = find_configuration(equations, targets[0], q0, t, limits, starts)
    rank, _ = equations.rank_and_singular_values(first[None], np.array([t]), holonomic_only=True)
    if rank[0] < dyn.nv:
        raise UnreachableError(
            f"{model.name}: {dyn.nv - rank[0]} of its motions leave the target where it is, so there are infinitely many "
            f"configurations; use all_solutions=False to get one near q0"
        )
    rng, solutions = np.random.default_rng(0), [first]
    starts_drawn = np.array([model.random_configuration(rng) for _ in range(8 * starts)])
    results = Newton(TargetEquations(equations, targets), bounds=CoordinateBounds(model, limits)).solve(starts_drawn, t)
    for q in results.q[results.violation <= RESIDUAL_TOLERANCE]:
        if not any(is_same_configuration(dyn, q, other) for other in solutions):
            wrapped = wrap_angles(dyn, q, t)
            solutions.append(q if limits and not within_limits(model, wrapped) else wrapped)
    return solutions


def _has_analytic_form(goal: FrameGoal, dyn: Dynamics, q: np.ndarray) -> bool:
    """Whether the goal is one that closed forms are for: a pose of six joints, or a point of two."""
    leading = set(goal.names)
    if dyn.nv == 2 and leading == {"x", "y"}:  # as long as it moves in that plane
        return not np.abs(dyn.jacobian(q, goal.frame)[5]).max() > 1e-9
    return leading == set(TWIST_COMPONENTS) if dyn.nv == 6 else dyn.nv == 2 and leading == {"x", "y", "z"}


def _analytic_target(goal: FrameGoal, pose: np.ndarray) -> np.ndarray:
    return pose if len(goal.names) == 6 else pose[: len(goal.names), 3]
