"""The transmission angle: how well the force that drives a link is directed.

Alt (Werkstattstechnik 26, 1932) takes the angle between the coupler and the driven link: its sine is the part of the coupler's
force that drives. Where the link is driven by a force F at a point that moves along v, sin mu = |F . v| / (|F| |v|): for a
four-bar that is the angle between coupler and rocker, for a slider-crank a right angle less the rod's inclination. Moments count
likewise, as in the transmission index of Sutherland and Roth (J. Eng. Ind. 95, 1973): sin mu is the power of all forces and
moments on the link, over the most that they could have. The forces are those that hold a load at the output, of links without
mass.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from lagrangian.algorithms.constraints.constrained_dynamics import ROUNDING_TOLERANCE
from lagrangian.configuration.coordinates import single_coordinates
from lagrangian.configuration.poses import body_poses
from lagrangian.design.freedom import MIN_REGULARITY
from lagrangian.design.linkage import Linkage
from lagrangian.inverse_dynamics.wrenches import ExternalWrenches
from lagrangian.kernels.dynamics import Dynamics
from lagrangian.kernels.least_squares import RANK_TOLERANCE, scaled_minimum_norm_solution
from lagrangian.model.joint import Joint


def transmission_angle(dyn: Dynamics, q: np.ndarray, driven: Sequence[str], output: str) -> np.ndarray | None:
    """In radians, 0 to pi/2, at rows of configurations; `driven` are the coordinates that are held against the load.

    None where no joint or loop leads to the output's link, as with gears, which the equations know as ratios alone.
    """
    model = dyn.mechanism
    joint = next(j for j in model.joints if output in j.coordinate_names)
    link = _rigid_group(dyn, joint.child)
    load = multipliers_of_load(dyn, q, driven, output)
    poses = body_poses(model, q)
    twist = np.asarray(dyn.jacobian(q, joint.child))[:, :, single_coordinates(model)[output][1]]
    origin = poses[joint.child][:, :3, 3]
    power, max_power = np.zeros(len(q)), np.zeros(len(q))
    for wrench, point in _connections(dyn, q, load, link, joint, poses):
        force = wrench[:, 3:]
        moment = wrench[:, :3] - np.cross(point, force)
        v, w = twist[:, 3:] + np.cross(twist[:, :3], point - origin), twist[:, :3]
        power += (force * v).sum(axis=1) + (moment * w).sum(axis=1)
        max_power += _norm(force) * _norm(v) + _norm(moment) * _norm(w)
    if not (max_power > 0).all():
        return None
    angles: np.ndarray = np.arcsin(np.clip(np.abs(power) / max_power, 0.0, 1.0))
    return angles


def multipliers_of_load(dyn: Dynamics, q: np.ndarray, driven: Sequence[str], output: str) -> np.ndarray:
    """The constraints' forces that hold a load at the output, but for a factor: at a dead centre they are finite, too.

    Psi^T lambda + S^T tau = e with the load e: of the singular values of [Psi; S] the least is what the solution is divided by,
    and that is left out.
    """
    places = single_coordinates(dyn.mechanism)
    psi = dyn.constraint_jacobian(q)
    size = np.linalg.norm(psi, axis=2).max(axis=0)  # where a row vanishes, branches meet
    size = np.where(size > ROUNDING_TOLERANCE, size, 1.0)
    psi = psi / size[:, None]
    fixed_rows = np.zeros((len(q), len(driven), dyn.nv))
    for k, name in enumerate(driven):
        fixed_rows[:, k, places[name][1]] = 1.0
    A = np.concatenate([psi, fixed_rows], axis=1)
    U, s, Vt = np.linalg.svd(A, full_matrices=False)
    rank = int((s > RANK_TOLERANCE).sum(axis=1).max())
    s = np.maximum(s[:, :rank], 1e-300)
    part = Vt[:, :rank, places[output][1]] * (s[:, -1:] / s)
    multipliers: np.ndarray = np.einsum("nmk,nk->nm", U[:, :, :rank], part)[:, : psi.shape[1]] / size
    return multipliers


def _connections(
    dyn: Dynamics, q: np.ndarray, load: np.ndarray, link: set[str], output: Joint, poses: dict[str, np.ndarray]
) -> list[tuple[np.ndarray, np.ndarray]]:
    """What acts on the link but at its own joint: wrenches (moment about the origin, force), and the points where they act."""
    model, connections = dyn.mechanism, []
    body_wrenches = dyn.constraint_wrenches(q, load)
    for joint in model.joints:
        if joint.parent in link and joint.child not in link:
            representatives = {_representative(_rigid_group(dyn, body)) for body in _subtree_bodies(dyn, joint.child)}
            wrench = np.sum([body_wrenches[body] for body in representatives if body in body_wrenches], axis=0)
            connections.append((wrench, (poses[joint.parent] @ joint.placement.matrix())[:, :3, 3]))
    for loop in model.loops:
        sides = [
            (body, placement) for body, placement in ((loop.a, loop.a_placement), (loop.b, loop.b_placement)) if body in link
        ]
        if len(sides) == 1:
            (body, placement), is_of_loop = sides[0], [n.rpartition(".")[0] == loop.name for n in dyn.constraint_names]
            wrench = dyn.constraint_wrenches(q, load * np.array(is_of_loop))[body]
            connections.append((wrench, (poses[body] @ placement.matrix())[:, :3, 3]))
    return connections


def _subtree_bodies(dyn: Dynamics, body: str) -> list[str]:
    """A body and all that it carries in the tree."""
    bodies = [body]
    for joint in dyn.mechanism.outward_joints():
        if joint.parent in bodies:
            bodies.append(joint.child)
    return bodies


def _rigid_group(dyn: Dynamics, body: str) -> set[str]:
    """The bodies that move as one with this one."""
    group = {body}
    for _ in dyn.mechanism.joints:
        larger_group = {
            x for j in dyn.mechanism.joints if not j.kind.nv and {j.parent, j.child} & group for x in (j.parent, j.child)
        }
        if larger_group <= group:
            break
        group |= larger_group
    return group


def _representative(bodies: set[str]) -> str:
    return min(bodies)


def _norm(x: np.ndarray) -> np.ndarray:
    norms: np.ndarray = np.linalg.norm(x, axis=1)
    return norms


# MERGED lagrangian.design.forces: What drives a linkage: the force at its input by virtual work, at rest and at a constant
# speed, and what its constraints carry. With q' = dq/dx along the input x, the force at the input is q'^T h, h = M qdd + C qd
# + G + F of the open tree: along q' the forces of constraints do no work. At a constant speed v, qd = q' v and qdd = q'' v^2.

STEP = 1e-3  # rad or m, of differences along a branch


@dataclass(frozen=True, eq=False)
class LinkageForces:
    """Rows of what drives a linkage; not numbers where the input stands still, since no speed of it moves the others there."""

    acceleration_ratios: np.ndarray
    torque: np.ndarray
    static_torque: np.ndarray
    inertial_torque: np.ndarray
    friction_torque: np.ndarray
    multipliers: np.ndarray
    wrenches: dict[str, np.ndarray]


def linkage_forces(
    linkage: Linkage,
    external_wrenches: ExternalWrenches,
    x: np.ndarray,
    q: np.ndarray,
    ratio_function: Callable[[np.ndarray], np.ndarray],
    speed: float,
) -> LinkageForces:
    """At rows of configurations; `ratios` are the speeds over that of the input, at values of it."""
    dyn = linkage.dyn
    ratio = ratio_function(x)
    finite = np.isfinite(ratio).all(axis=1)
    velocity_ratios = np.where(finite[:, None], ratio, 0.0)
    acceleration_ratios = _acceleration_ratios(linkage, x, q, velocity_ratios, ratio_function)
    qd, qdd = speed * velocity_ratios, speed**2 * acceleration_ratios
    t = (x - x[0]) / speed if speed else np.zeros(len(x))
    wrenches = external_wrenches(t, q, qd)
    zero_speeds = np.zeros_like(qd)
    h = np.asarray(dyn.inverse_dynamics(q, qd, qdd, wrenches or None))
    at_rest = np.asarray(dyn.inverse_dynamics(q, zero_speeds, zero_speeds, external_wrenches(t, q, zero_speeds) or None))
    torque, static = ((velocity_ratios * part).sum(axis=1) for part in (h, at_rest))
    friction = (velocity_ratios * np.asarray(dyn.friction(qd, q=q))).sum(axis=1)
    multipliers = _constraint_multipliers(linkage, q, h, torque)

    def mask_rows(rows: np.ndarray) -> np.ndarray:
        return np.where(finite if rows.ndim == 1 else finite[:, None], rows, np.nan)

    return LinkageForces(
        acceleration_ratios=mask_rows(acceleration_ratios),
        torque=mask_rows(torque),
        static_torque=mask_rows(static),
        inertial_torque=mask_rows(torque - static - friction),
        friction_torque=mask_rows(friction),
        multipliers=mask_rows(multipliers),
        wrenches=wrenches,
    )


def _rows_with_constraints(linkage: Linkage, q: np.ndarray, names: tuple[str, ...]) -> np.ndarray:
    """The constraints' slopes, and rows for coordinates that are led."""
    places = single_coordinates(linkage.dyn.mechanism)
    rows = np.zeros((len(q), len(names), linkage.dyn.nv))
    for k, name in enumerate(names):
        rows[:, k, places[name][1]] = 1.0
    return np.concatenate([linkage.dyn.constraint_jacobian(q), rows], axis=1) if linkage.freedom.loops else rows


def _acceleration_ratios(
    linkage: Linkage,
    x: np.ndarray,
    q: np.ndarray,
    velocity_ratios: np.ndarray,
    ratio_function: Callable[[np.ndarray], np.ndarray],
) -> np.ndarray:
    """q'' = d2q/dx2: Psi q'' + gamma(q, q') = 0, and the input goes evenly.

    At a change point, where branches meet, these equations do not tell them apart: there it is a difference along this branch.
    """
    if not linkage.freedom.loops:
        return np.zeros_like(velocity_ratios)
    A = _rows_with_constraints(linkage, q, (*linkage.fixed, linkage.input))
    b = np.zeros(A.shape[:2])
    m = A.shape[1] - len(linkage.fixed) - 1
    b[:, :m] = -np.asarray(linkage.dyn.constraint_bias(q, velocity_ratios))
    second = scaled_minimum_norm_solution(A, b, full_rank=True)
    near_change_point = linkage.freedom.regularity(q) < MIN_REGULARITY
    if near_change_point.any():
        forward, backward = (ratio_function(x[near_change_point] + sign * STEP) for sign in (1, -1))
        second[near_change_point] = (forward - backward) / (2 * STEP)
    return second


def _constraint_multipliers(linkage: Linkage, q: np.ndarray, h: np.ndarray, torque: np.ndarray) -> np.ndarray:
    """The constraints' forces: Psi^T lambda is what of h the input, and what holds coordinates, leave."""
    m = len(linkage.dyn.constraint_names)
    if not m:
        return np.zeros((len(q), 0))
    remaining = h.copy()
    remaining[:, linkage.iv] -= torque
    finite = np.isfinite(remaining).all(axis=1)
    A = np.swapaxes(_rows_with_constraints(linkage, q, linkage.fixed), 1, 2)
    multipliers = scaled_minimum_norm_solution(A, np.where(finite[:, None], remaining, 0.0))[:, :m]
    return np.where(finite[:, None], multipliers, np.nan)
