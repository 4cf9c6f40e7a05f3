"""Joints whose acceleration nothing determines, because what they move has no inertia along them."""

from __future__ import annotations

import numpy as np

from lagrangian.algorithms.tree import Tree
from lagrangian.model import vector as v


def undetermined_joints(tree: Tree) -> list[str]:
    """Their names: those for which the mass matrix is singular in every configuration."""
    mass, I = tree.constants["mass"][:, 0], tree.constants["I"]
    heavy: list[bool] = ((mass != 0) | (I != 0).any(axis=1)).tolist()
    carries = [False] * len(tree)  # whether a link carries another that has mass
    for i in range(len(tree) - 1, -1, -1):
        if tree.parent[i] >= 0 and (heavy[i] or carries[i]):
            carries[tree.parent[i]] = True
    rotor = tree.constants["rotor"][:, 0]
    joints = [(name, i) for name, (i, _) in tree.joint_link.items() if i >= 0]
    return [name for name, i in joints if not carries[i] and rotor[i] == 0 and not _has_inertia(tree, i)]


def _has_inertia(tree: Tree, i: int) -> bool:
    """Whether link i by itself has inertia along each of its joint's speeds."""
    mass = float(tree.constants["mass"][i, 0])
    I: np.ndarray = np.array(v.sym_full(tree.constant("I", i)))
    about_axis = bool(abs(I[2, 2]) > 1e-14 * max(abs(I[0, 0]), abs(I[1, 1])))  # what is less is rounding
    match tree.kind[i]:
        case "revolute":
            return about_axis
        case "prismatic":
            return mass != 0
        case "helical":
            return about_axis or mass != 0
        case "ball":
            return bool(np.linalg.matrix_rank(I) == 3)
        case "free":
            h = tree.constants["h"][i]
            return mass != 0 and bool(np.linalg.matrix_rank(I - (h @ h * np.eye(3) - np.outer(h, h)) / mass) == 3)
    return True
