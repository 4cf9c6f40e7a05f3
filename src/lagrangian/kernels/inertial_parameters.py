"""A body's ten inertial parameters, and how they pass from its own frame into that of the link that carries it."""

from __future__ import annotations

import numpy as np

from lagrangian.algorithms.tree import Tree
from lagrangian.model import vector as v
from lagrangian.model.body import Body
from lagrangian.model.mechanism import Mechanism


def body_parameters(body: Body) -> np.ndarray:
    """(m, m c, I about the frame's origin)."""
    return np.array([float(x) for x in (body.mass, *body.first_moment, *body.inertia_at_origin)])


def body_to_link(mechanism: Mechanism, tree: Tree) -> tuple[np.ndarray, np.ndarray]:
    """The link of each body, and the 10x10 matrix that takes the body's parameters into the link's frame.

    A body fixed to the ground has no link: its matrix is zero, and its link the first.
    """
    links = np.zeros(len(mechanism.bodies), dtype=int)
    matrices = np.zeros((len(mechanism.bodies), 10, 10))
    for b, body in enumerate(mechanism.bodies):
        link, placement = tree.body_places[body.name]
        if link < 0:
            continue
        links[b] = link
        R = tuple(tuple(float(x) for x in row) for row in placement.rotation)
        p = tuple(float(x) for x in placement.position)
        for k in range(10):
            unit = [float(k == j) for j in range(10)]
            m, h, I = unit[0], tuple(unit[1:4]), tuple(unit[4:])
            hr = v.mat_vec(R, h)  # type: ignore[arg-type]
            about = v.shift_inertia(v.sym_rotate(R, I), hr, m, p)  # type: ignore[arg-type]
            matrices[b, :, k] = [m, *v.add(hr, v.scale(m, p)), *about]  # type: ignore[arg-type]
    return links, matrices


def body_regressor(Y: np.ndarray, links: np.ndarray, matrices: np.ndarray) -> np.ndarray:
    """The regressor of the links' parameters, (..., nv, links, 10), as that of the bodies', (..., nv, 10 bodies)."""
    count = Y.shape[-2]
    if not count:
        return np.zeros((*Y.shape[:-2], 10 * len(links)))
    by_body = np.moveaxis(Y.reshape(-1, count, 10), 1, 0)[links]
    return np.moveaxis(by_body @ matrices, 0, 1).reshape(*Y.shape[:-2], 10 * len(links))
