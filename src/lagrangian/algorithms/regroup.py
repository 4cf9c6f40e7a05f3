"""Khalil's regrouping: inertia that acts in a joint like inertia of its parent is moved to the parent.

Each joint type says which inertia that is (`JointType.regroupable_inertia`). The remaining constants have more zeros and need
fewer operations. Results in joint space are the same. Link wrenches and energies are not: they use the true inertias. (Khalil and
Dombre, Modeling, Identification and Control of Robots, 2002, section 9.4.)
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from lagrangian.algorithms.tree import Tree
from lagrangian.model import vector as v


def regroup(tree: Tree) -> Tree:
    if tree.sample_tree is not None:
        return replace(regroup(replace(tree, sample_tree=None)), sample_tree=regroup(tree.sample_tree))
    constants = {name: array.copy() for name, array in tree.constants.items()}
    mass, h, I = constants["mass"], constants["h"], constants["I"]
    for j in range(len(tree) - 1, -1, -1):
        body = (mass[j, 0], tuple(h[j].tolist()), tuple(I[j].tolist()))
        regroupable = tree.kind[j].regroupable_inertia(body)
        if regroupable is None:
            continue
        m, moment, inertia = regroupable
        mass[j] -= m
        h[j] -= moment
        I[j] -= inertia
        k = tree.parent[j]
        if k < 0:
            continue  # the ground does not move
        R, p = tree.constant("R", j), tree.constant("p", j)
        H = v.mat_vec(R, moment)
        I[k] += v.shift_inertia(v.sym_rotate(R, inertia), H, m, p)
        h[k] += v.add(H, v.scale(m, p))
        mass[k] += m
    if tree.exact:
        return replace(tree, constants=constants)
    # what rounding left of terms that cancel would otherwise cost operations
    for name in ("h", "I"):
        scale = np.abs(tree.constants[name]).max(initial=0.0)
        constants[name][np.abs(constants[name]) < 1e-16 * scale] = 0.0
    return replace(tree, constants=constants)
