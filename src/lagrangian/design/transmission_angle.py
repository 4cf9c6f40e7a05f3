"""The transmission angle: how well the force that drives a link is directed.

Alt (Werkstattstechnik 26, 1932) takes the angle between the coupler and the driven link: its sine is the part of the coupler's
force that drives. Where the link is driven by a force F at a point that moves along v, sin mu = |F . v| / (|F| |v|): for a
four-bar that is the angle between coupler and rocker, for a slider-crank a right angle less the rod's inclination. Moments count
likewise, as in the transmission index of Sutherland and Roth (J. Eng. Ind. 95, 1973): sin mu is the power of all forces and
moments on the link, over the most that they could have. The forces are those that hold a load at the output, of links without
mass.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from lagrangian.algorithms.constraints.constrained_dynamics import ROUNDING_TOLERANCE
from lagrangian.configuration.coordinates import single_coordinates
from lagrangian.configuration.poses import body_poses
from lagrangian.kernels.dynamics import Dynamics
from lagrangian.kernels.least_squares import RANK_TOLERANCE
from lagrangian.model.joint import Joint


def transmission_angle(dyn: Dynamics, q: np.ndarray, driven: Sequence[str], output: str) -> np.ndarray | None:
    """The transmission angle at rows of configurations, in radians from 0 to pi/2; `driven` coordinates resist the load.

    It is None if no joint or loop leads to the output's link, as with gears, which the equations know as ratios alone.
    """
    model = dyn.mechanism
    joint = next(j for j in model.joints if output in j.coordinate_names)
    link = _rigid_group(dyn, joint.child)
    load = _load_multipliers(dyn, q, driven, output)
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


def _load_multipliers(dyn: Dynamics, q: np.ndarray, driven: Sequence[str], output: str) -> np.ndarray:
    """The multipliers of constraints that resist a load at the output, up to a factor: so they are finite at a dead centre too.

    They solve Psi^T lambda + S^T tau = e with the load e; the division by the least singular value of [Psi; S] is left out.
    """
    indices = single_coordinates(dyn.mechanism)
    psi = dyn.constraint_jacobian(q)
    size = np.linalg.norm(psi, axis=2).max(axis=0)  # a row vanishes where branches meet
    size = np.where(size > ROUNDING_TOLERANCE, size, 1.0)
    psi = psi / size[:, None]
    fixed_rows = np.zeros((len(q), len(driven), dyn.nv))
    for k, name in enumerate(driven):
        fixed_rows[:, k, indices[name][1]] = 1.0
    A = np.concatenate([psi, fixed_rows], axis=1)
    U, s, Vt = np.linalg.svd(A, full_matrices=False)
    rank = int((s > RANK_TOLERANCE).sum(axis=1).max())
    s = np.maximum(s[:, :rank], 1e-300)
    part = Vt[:, :rank, indices[output][1]] * (s[:, -1:] / s)
    multipliers: np.ndarray = np.einsum("nmk,nk->nm", U[:, :, :rank], part)[:, : psi.shape[1]] / size
    return multipliers


def _connections(
    dyn: Dynamics, q: np.ndarray, load: np.ndarray, link: set[str], output: Joint, poses: dict[str, np.ndarray]
) -> list[tuple[np.ndarray, np.ndarray]]:
    """What acts on the link, except at its own joint: wrenches (moment about the origin, force) and the points where they act."""
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


def _representative(bodies: set[str]) -> str:
    """The body that stands for a rigid group."""
    return min(bodies)


def _subtree_bodies(dyn: Dynamics, body: str) -> list[str]:
    """A body and all bodies that it carries in the tree."""
    bodies = [body]
    for joint in dyn.mechanism.outward_joints():
        if joint.parent in bodies:
            bodies.append(joint.child)
    return bodies


def _norm(x: np.ndarray) -> np.ndarray:
    norms: np.ndarray = np.linalg.norm(x, axis=1)
    return norms
