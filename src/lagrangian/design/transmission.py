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

from lagrangian.algorithms.closed.constrained import ROUNDING
from lagrangian.configuration.coordinates import single_coordinates
from lagrangian.configuration.poses import body_poses
from lagrangian.kernels.dynamics import Dynamics
from lagrangian.kernels.linear import RANK
from lagrangian.model.joint import Joint


def transmission_angle(dyn: Dynamics, q: np.ndarray, driven: Sequence[str], output: str) -> np.ndarray | None:
    """In radians, 0 to pi/2, at rows of configurations; `driven` are the coordinates that are held against the load.

    None where no joint or loop leads to the output's link, as with gears, which the equations know as ratios alone.
    """
    model = dyn.mechanism
    joint = next(j for j in model.joints if output in j.coordinate_names)
    link = _fixed_together(dyn, joint.child)
    load = multipliers_of_load(dyn, q, driven, output)
    poses = body_poses(model, q)
    twist = np.asarray(dyn.jacobian(q, joint.child))[:, :, single_coordinates(model)[output][1]]
    about = poses[joint.child][:, :3, 3]
    power, most = np.zeros(len(q)), np.zeros(len(q))
    for wrench, point in _connections(dyn, q, load, link, joint, poses):
        force = wrench[:, 3:]
        moment = wrench[:, :3] - np.cross(point, force)
        v, w = twist[:, 3:] + np.cross(twist[:, :3], point - about), twist[:, :3]
        power += (force * v).sum(axis=1) + (moment * w).sum(axis=1)
        most += _norm(force) * _norm(v) + _norm(moment) * _norm(w)
    if not (most > 0).all():
        return None
    found: np.ndarray = np.arcsin(np.clip(np.abs(power) / most, 0.0, 1.0))
    return found


def multipliers_of_load(dyn: Dynamics, q: np.ndarray, driven: Sequence[str], output: str) -> np.ndarray:
    """The constraints' forces that hold a load at the output, but for a factor: at a dead centre they are finite, too.

    Psi^T lambda + S^T tau = e with the load e: of the singular values of [Psi; S] the least is what the solution is divided by,
    and that is left out.
    """
    places = single_coordinates(dyn.mechanism)
    psi = dyn.constraint_jacobian(q)
    size = np.linalg.norm(psi, axis=2).max(axis=0)  # where a row vanishes, branches meet
    size = np.where(size > ROUNDING, size, 1.0)
    psi = psi / size[:, None]
    held = np.zeros((len(q), len(driven), dyn.nv))
    for k, name in enumerate(driven):
        held[:, k, places[name][1]] = 1.0
    A = np.concatenate([psi, held], axis=1)
    U, s, Vt = np.linalg.svd(A, full_matrices=False)
    rank = int((s > RANK).sum(axis=1).max())
    s = np.maximum(s[:, :rank], 1e-300)
    part = Vt[:, :rank, places[output][1]] * (s[:, -1:] / s)
    found: np.ndarray = np.einsum("nmk,nk->nm", U[:, :, :rank], part)[:, : psi.shape[1]] / size
    return found


def _connections(
    dyn: Dynamics, q: np.ndarray, load: np.ndarray, link: set[str], output: Joint, poses: dict[str, np.ndarray]
) -> list[tuple[np.ndarray, np.ndarray]]:
    """What acts on the link but at its own joint: wrenches (moment about the origin, force), and the points where they act."""
    model, found = dyn.mechanism, []
    whole = dyn.constraint_wrenches(q, load)
    for joint in model.joints:
        if joint.parent in link and joint.child not in link:
            carried = {_one_of(_fixed_together(dyn, body)) for body in _beyond(dyn, joint.child)}
            wrench = np.sum([whole[body] for body in carried if body in whole], axis=0)
            found.append((wrench, (poses[joint.parent] @ joint.placement.matrix())[:, :3, 3]))
    for loop in model.loops:
        sides = [(body, at) for body, at in ((loop.a, loop.a_placement), (loop.b, loop.b_placement)) if body in link]
        if len(sides) == 1:
            (body, at), own = sides[0], [n.rpartition(".")[0] == loop.name for n in dyn.constraint_names]
            wrench = dyn.constraint_wrenches(q, load * np.array(own))[body]
            found.append((wrench, (poses[body] @ at.matrix())[:, :3, 3]))
    return found


def _beyond(dyn: Dynamics, body: str) -> list[str]:
    """A body and all that it carries in the tree."""
    found = [body]
    for joint in dyn.mechanism.outward():
        if joint.parent in found:
            found.append(joint.child)
    return found


def _fixed_together(dyn: Dynamics, body: str) -> set[str]:
    """The bodies that move as one with this one."""
    found = {body}
    for _ in dyn.mechanism.joints:
        more = {x for j in dyn.mechanism.joints if not j.kind.nv and {j.parent, j.child} & found for x in (j.parent, j.child)}
        if more <= found:
            break
        found |= more
    return found


def _one_of(bodies: set[str]) -> str:
    return min(bodies)


def _norm(x: np.ndarray) -> np.ndarray:
    found: np.ndarray = np.linalg.norm(x, axis=1)
    return found
