"""Joints whose acceleration nothing determines, because what they move has no inertia along them."""

from __future__ import annotations

import math

import numpy as np

from lagrangian.algorithms.link import Link
from lagrangian.algorithms.mass_matrix import MASS_MATRIX
from lagrangian.algorithms.sweep import run
from lagrangian.algorithms.tree import Tree
from lagrangian.model import vector as v

ANGLES = (0.0, 1.0, 2.0)  # a joint whose motion subspace changes may have none in one of them
SPEEDS = 50  # up to which the whole mass matrix is looked at
SINGULAR = 1e-13  # the least eigenvalue of a mass matrix with ones on its diagonal that is more than rounding


def undetermined_joints(tree: Tree) -> list[str]:
    """Their names: those for which the mass matrix is singular in every configuration."""
    mass, I = tree.constants["mass"][:, 0], tree.constants["I"]
    heavy: list[bool] = ((mass != 0) | (I != 0).any(axis=1)).tolist()
    carries = [False] * len(tree)  # whether a link carries another that has mass
    for i in range(len(tree) - 1, -1, -1):
        if tree.parent[i] >= 0 and (heavy[i] or carries[i]):
            carries[tree.parent[i]] = True
    rotor = tree.constants["rotor"][:, 0]
    moving: dict[int, str] = {}
    for name, (i, _) in tree.joint_link.items():
        if i >= 0:
            moving.setdefault(i, name)  # joints further out that have this link are fixed
    joints = [(name, i) for i, name in moving.items()]
    alone = [name for name, i in joints if not carries[i] and rotor[i] == 0 and not _has_inertia(tree, i)]
    nothing_between = any(kind.nv and not heavy[i] and rotor[i] == 0 for i, kind in enumerate(tree.kind))
    return alone or (_moving_alike(tree, joints) if nothing_between and tree.nv <= SPEEDS else [])


def _moving_alike(tree: Tree, joints: list[tuple[str, int]]) -> list[str]:
    """One of the joints that move the same inertia in the same way, such as two slides in line with nothing between them."""
    for angle in ANGLES:
        M = np.array(run(MASS_MATRIX, tree, _placed(tree, angle)), dtype=float).reshape(tree.nv, tree.nv)
        scale = np.sqrt(np.where(np.diag(M) > 0, np.diag(M), 1.0))
        if not np.isfinite(M).all():
            return []
        values, vectors = np.linalg.eigh(M / np.outer(scale, scale))
        if values[0] > SINGULAR:
            return []
    part = int(np.argmax(np.abs(vectors[:, 0])))
    return [name for name, i in joints if tree.iv[i] <= part < tree.iv[i] + tree.kind[i].nv]


def _placed(tree: Tree, angle: float) -> list[Link]:
    """The links in a configuration in which no axes are parallel by chance."""
    links = [tree.link(i) for i in range(len(tree))]
    for i, link in enumerate(links):
        link.q = tuple(x + (angle + 0.3) * (1 + 0.1 * i) if link.nq == link.nv else x for x in link.kind.neutral)
        if link.kind.turns:
            link.c, link.s = math.cos(link.q[0]), math.sin(link.q[0])
    return links


def _has_inertia(tree: Tree, i: int) -> bool:
    """Whether link i by itself has inertia along each of its joint's speeds, in some configuration."""
    kind = tree.kind[i]
    if not kind.nv:
        return True
    return any(_regular(tree, i, angle) for angle in ANGLES)


def _regular(tree: Tree, i: int, angle: float) -> bool:
    """Whether the joint's own small mass matrix is regular, with its coordinates `angle` away from neutral."""
    link = tree.link(i)
    link.q = tuple(x + angle if link.nq == link.nv else x for x in link.kind.neutral)
    link.c, link.s = math.cos(angle), math.sin(angle)
    S = np.array([[*angular, *linear] for angular, linear in link.columns], dtype=float)
    h, I = v.skew(link.h), v.sym_full(link.I)
    body = np.block([[np.array(I, dtype=float), np.array(h, dtype=float)], [-np.array(h, dtype=float), link.mass * np.eye(3)]])
    M = S @ body @ S.T
    # what is less than this is rounding of inertias and masses that cancel
    largest = np.abs(S[:, :3]).sum(axis=1) * np.abs(np.diag(body)[:3]).max() + np.abs(S[:, 3:]).sum(axis=1) * abs(link.mass)
    sizes = np.diag(M)
    if (sizes <= 1e-14 * largest).any():
        return False
    scale = 1 / np.sqrt(sizes)
    return bool(np.linalg.matrix_rank(scale[:, None] * M * scale) == len(M))
