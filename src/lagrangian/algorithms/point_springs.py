"""Springs and dampers in line between two points: their energy, and the generalised forces they exert.

With d the vector from a to b and s its length, the tension is k (s - rest) along d; a damper adds c s'. By virtual work the
generalised force on speed j is T d/s . (J_a - J_b)_j, where J_a, J_b are the Jacobians of the two points.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from lagrangian.algorithms.kinematics import poses
from lagrangian.algorithms.link import Link, is_zero
from lagrangian.algorithms.sweep import Straight
from lagrangian.algorithms.tree import Tree
from lagrangian.model import vector as v
from lagrangian.model.loop import PointSpring

Columns = dict[int, v.Vector]


def _point(tree: Tree, links: Sequence[Link], body: str, point: v.Vector) -> tuple[v.Vector, Columns]:
    """A point's position in the world, and the velocity each speed gives it."""
    at, placement = tree.place[body]
    local = v.add(placement.position, v.mat_vec(placement.rotation, point))
    local = tuple(float(x) for x in local)  # type: ignore[assignment]
    if at < 0:
        return local, {}
    x = v.add(links[at].x_world, v.mat_vec(links[at].R_world, local))
    columns: Columns = {}
    while at >= 0:
        link = links[at]
        r = v.sub(x, link.x_world)
        for k, (angular, linear) in enumerate(link.columns):
            turn = v.cross(v.mat_vec(link.R_world, angular), r)
            columns[link.iv + k] = v.add(turn, v.mat_vec(link.R_world, linear))
        at = tree.parent[at]
    return x, columns


def point_springs(tree: Tree, links: Sequence[Link], springs: Sequence[PointSpring]) -> tuple[Any, list[Any], list[Any]]:
    """Energy, and the generalised forces of the springs and of the dampers."""
    carries: list[dict[str, Any]] = []
    for link, parent in zip(links, tree.parent, strict=True):
        carry, saves = poses.step(link, carries[parent] if parent >= 0 else poses.start(tree))
        carries.append(carry)
        link.__dict__.update(saves)
    speeds = {link.iv + k: rate for link in links for k, rate in enumerate(link.qd)}
    energy: Any = 0
    elastic: list[Any] = [0] * tree.nv
    viscous: list[Any] = [0] * tree.nv
    for spring in springs:
        xa, Ja = _point(tree, links, spring.a, spring.point_a)
        xb, Jb = _point(tree, links, spring.b, spring.point_b)
        d = v.sub(xb, xa)
        length = _sqrt(v.dot(d, d))
        direction = v.scale(1 / length, d)
        # how fast each speed shortens the distance
        pull = {j: v.dot(direction, v.sub(Ja.get(j, v.ZERO), Jb.get(j, v.ZERO))) for j in {**Ja, **Jb}}
        stretch = length - float(spring.rest)
        energy = energy + 0.5 * float(spring.stiffness) * (stretch * stretch)
        tension = float(spring.stiffness) * stretch
        rate: Any = 0
        for j, gain in pull.items():
            rate = rate - gain * speeds[j]
        damping = float(spring.damping) * rate
        for j, gain in pull.items():
            elastic[j] = elastic[j] + tension * gain
            if not is_zero(damping):
                viscous[j] = viscous[j] + damping * gain
    return energy, elastic, viscous


def _sqrt(x: Any) -> Any:
    return math.sqrt(x) if isinstance(x, (int, float)) else x.sqrt()


def algorithms(tree: Tree, springs: Sequence[PointSpring]) -> dict[str, Straight]:
    """Their energy, and the forces of springs and of dampers, as algorithms for a tree."""
    return {
        "energy": Straight("spring_energy", ("q",), lambda tree, links: [point_springs(tree, links, springs)[0]], 1),
        "elastic": Straight("spring_torque", ("q",), lambda tree, links: point_springs(tree, links, springs)[1], tree.nv),
        "viscous": Straight("damper_torque", ("q", "qd"), lambda tree, links: point_springs(tree, links, springs)[2], tree.nv),
    }
