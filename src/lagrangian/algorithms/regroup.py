"""Khalil's regrouping: inertia that a joint cannot tell from its parent's is moved to the parent.

A revolute joint about z leaves a mass at its origin, a first moment along z, and an inertia diag(a, a, 0) unchanged; a prismatic
joint leaves the whole inertia tensor unchanged; a ball joint a point mass at its centre. What is left has more zeros and fewer
operations. Joint-space results are the same; link wrenches and energies are not, and keep the true inertias.
(Khalil and Dombre, Modeling, Identification and Control of Robots, 2002, section 9.4.)
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from lagrangian.algorithms.tree import Tree
from lagrangian.model import vector as v


def regroup(tree: Tree) -> Tree:
    constants = {name: array.copy() for name, array in tree.constants.items()}
    mass, h, I = constants["mass"], constants["h"], constants["I"]
    for j in range(len(tree) - 1, -1, -1):
        kind = tree.kind[j]
        if kind == "revolute":
            m, along, a = mass[j, 0], (0, 0, h[j, 2]), I[j, 3]
            moved = (a, 0, 0, a, 0, 0)
        elif kind == "prismatic":
            m, along, moved = 0, v.ZERO, tuple(I[j].tolist())
        elif kind == "ball":
            m, along, moved = mass[j, 0], v.ZERO, (0,) * 6
        else:
            continue
        mass[j] -= m
        h[j] -= along
        I[j] -= moved
        k = tree.parent[j]
        if k < 0:
            continue  # the ground does not move
        R, p = tree.constant("R", j), tree.constant("p", j)
        if kind == "prismatic":
            I[k] += v.sym_rotate(R, moved)  # type: ignore[arg-type]
            continue
        H = v.mat_vec(R, along)
        I[k] += v.shift_inertia(v.sym_rotate(R, moved), H, m, p)  # type: ignore[arg-type]
        h[k] += v.add(H, v.scale(m, p))
        mass[k] += m
    if tree.exact:
        return replace(tree, constants=constants)
    # what rounding left of terms that cancel would otherwise cost operations
    for name in ("h", "I"):
        scale = np.abs(tree.constants[name]).max(initial=0.0)
        constants[name][np.abs(constants[name]) < 1e-16 * scale] = 0.0
    return replace(tree, constants=constants)
