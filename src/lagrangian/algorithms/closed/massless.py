"""Mechanisms with loops whose mass matrix is singular, because links have no mass, and whose constraints move these links.

M qdd = f + Psi^T lambda and Psi qdd + gamma = 0 have the same qdd and lambda as Psi qdd + gamma = 0 and (M + Psi^T W Psi) qdd =
f - Psi^T W gamma + Psi^T lambda, for any weights W (the augmented Lagrangian; Golub and Greif, SIAM Journal on Matrix Analysis
and Applications 24, 2003). The sum is positive definite exactly if every motion that the constraints leave free moves some
inertia. With a given Psi x, the smallest x as M measures it is the same for both matrices, too.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from lagrangian.algorithms.closed.constrained import ROUNDING, State
from lagrangian.algorithms.forward_dynamics import FORWARD_DYNAMICS
from lagrangian.algorithms.link import Link
from lagrangian.algorithms.mass_matrix import COMPOSITE_BODIES, unit_wrench
from lagrangian.algorithms.sweep import run
from lagrangian.algorithms.tree import Tree
from lagrangian.errors import ArgumentError, MechanismError
from lagrangian.model import vector as v
from lagrangian.model.mechanism import Mechanism

# radians and metres away from neutral at which mass matrices are looked at: one may be singular in some of them
ANGLES = (0.7, 1.9, -1.1)
# what is left of a diagonal entry in a factorisation, as a part of it, that is rounding
SINGULAR = 1e-13


def is_massless(mechanism: Mechanism, tree: Tree) -> bool:
    """Whether the mass matrix is singular in every configuration, of a mechanism with constraints that may make up for it."""
    return bool(mechanism.equations) and not any(_regular(_sample(mechanism, tree, x)) for x in ANGLES)


def _regular(state: State) -> bool:
    """Whether M is: what articulated bodies leave of its diagonal is what a factorisation leaves, and sooner found."""
    run(FORWARD_DYNAMICS, state.tree, state.links)
    left = np.array([1 / d for link in state.links for d in link.inverse_D], dtype=float)
    run(COMPOSITE_BODIES, state.tree, state.links)
    diagonal = []
    for link in state.links:
        for k, (angular, linear) in enumerate(link.columns):
            force, moment = unit_wrench(link, k)
            diagonal.append(v.dot(angular, moment) + v.dot(linear, force) + link.rotor)
    return bool((left > SINGULAR * np.array(diagonal, dtype=float)).all())


def weights_of(mechanism: Mechanism, tree: Tree) -> dict[str, float]:
    """Constant W of the constraint equations by name, where the mass matrix is singular; none where it is not."""
    if not is_massless(mechanism, tree):
        return {}
    state = _sample(mechanism, tree, ANGLES[0])
    found = _weights(*_matrices(state))
    return {row.name: float(w) for row, w in zip(state.rows, found, strict=True) if w}


def loose(mechanism: Mechanism, tree: Tree) -> str:
    """A speed that neither inertia nor constraints determine, in any configuration; "" if there is none."""
    found = ""
    for angle in ANGLES if is_massless(mechanism, tree) else ():
        M, psi = _matrices(_sample(mechanism, tree, angle))
        if _factor(_augmented(M, psi)) is not None:
            return ""
        found = mechanism.speed_names[_undetermined(M, psi)]
    return found


def factor(M: np.ndarray, psi: np.ndarray, names: Sequence[str] = ()) -> np.ndarray:
    """L with L L^T = M, and where M is singular = M + Psi^T W Psi, which has the same accelerations; of many, too.

    A joint that neither determines is an error, which has its name if `names` are those of the speeds.
    """
    L = _factor(M)
    if L is None and psi.shape[-2]:
        L = _factor(_augmented(M, psi))
    if L is not None:
        return L
    try:
        return np.linalg.cholesky(M)  # nearly singular
    except np.linalg.LinAlgError:
        check_determined(M, psi, names)
        raise ArgumentError("the configuration has entries that are not numbers", argument="q") from None


def check_determined(M: np.ndarray, psi: np.ndarray, names: Sequence[str] = ()) -> None:
    """That no joint moves no inertia while no constraint says how it moves; of many, configurations that are no numbers pass."""
    m, n = psi.shape[-2:]
    masses = M.reshape(-1, n, n)
    slopes = np.broadcast_to(psi, (*M.shape[:-2], m, n)).reshape(len(masses), m, n)
    for A, B in zip(masses, slopes, strict=True):
        if np.isfinite(A).all() and np.isfinite(B).all() and _factor(_augmented(A, B)) is None:
            joint = f"joint {names[_undetermined(A, B)]!r}" if names else "a joint"
            raise MechanismError(
                f"the bodies that {joint} moves have no inertia along it, and no constraint determines its motion, so its "
                f"acceleration is not determined; give these bodies mass and inertia, give the joint a rotor, or make it fixed"
            )


def _factor(M: np.ndarray) -> np.ndarray | None:
    """Cholesky's factor; None of a matrix, or of one among many, that is singular but for rounding."""
    try:
        L = np.linalg.cholesky(M)
    except np.linalg.LinAlgError:
        return None
    left = np.diagonal(L, axis1=-2, axis2=-1) ** 2
    return L if (left > SINGULAR * np.diagonal(M, axis1=-2, axis2=-1)).all() else None


def _weights(M: np.ndarray, psi: np.ndarray) -> np.ndarray:
    """Of each row so much that it adds to no diagonal entry of M more than is there: then nothing is lost to rounding."""
    sizes = np.diagonal(M, axis1=-2, axis2=-1)[..., None, :]
    largest = sizes.max(axis=-1, initial=0.0, keepdims=True)
    slopes = psi**2
    steepest = slopes.max(axis=-1, initial=0.0, keepdims=True)
    acts = (sizes > SINGULAR * largest) & (slopes > SINGULAR * steepest)
    found = np.where(acts, sizes / np.where(acts, slopes, 1.0), np.inf).min(axis=-1, initial=np.inf)
    # rows of joints without inertia alone
    other = np.where(largest > 0, largest, 1.0) / np.where(steepest > 0, steepest, 1.0)
    # a row of zeros, as of a planar loop across its plane, is rounding where its plane is askew: it says nothing
    return np.where(steepest[..., 0] > ROUNDING**2, np.where(np.isfinite(found), found, other[..., 0]), 0.0)


def _augmented(M: np.ndarray, psi: np.ndarray) -> np.ndarray:
    found: np.ndarray = M + np.swapaxes(psi, -1, -2) @ (_weights(M, psi)[..., None] * psi)
    return found


def _undetermined(M: np.ndarray, psi: np.ndarray) -> int:
    """The speed that has the largest part in a motion without inertia that the constraints leave free."""
    A = _augmented(M, psi)
    scale = np.sqrt(np.where(np.diag(A) > 0, np.diag(A), 1.0))
    _, vectors = np.linalg.eigh(A / np.outer(scale, scale))
    return int(np.argmax(np.abs(vectors[:, 0])))


def _sample(mechanism: Mechanism, tree: Tree, angle: float) -> State:
    """The mechanism at rest in some configuration, in which its loops need not be closed, as numbers."""
    links: list[Link] = []
    q = [0.0] * tree.nq  # in the order of the mechanism's joints, which need not be that of the links
    for i in range(len(tree)):
        link = tree.link(i)
        # each differs from the others, so that no axes are parallel by chance
        link.q = tuple(x + angle * (1 + 0.1 * i) if link.nq == link.nv else x for x in link.kind.neutral)
        if link.kind.turns:
            link.c, link.s = math.cos(link.q[0]), math.sin(link.q[0])
        links.append(link)
        q[link.iq : link.iq + len(link.q)] = link.q
    return State(mechanism, tree, links, q, [0.0] * tree.nv)


def _matrices(state: State) -> tuple[np.ndarray, np.ndarray]:
    """M and Psi."""
    n = state.tree.nv
    return _mass(state), np.array([[row.psi.get(k, 0.0) for k in range(n)] for row in state.rows], dtype=float).reshape(-1, n)


def _mass(state: State) -> np.ndarray:
    return np.array(state.mass_matrix, dtype=float).reshape(state.tree.nv, state.tree.nv)
