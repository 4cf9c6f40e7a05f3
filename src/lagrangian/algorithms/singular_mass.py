"""Singular mass matrices: joints without inertia, whose accelerations nothing determines, or constraints alone.

Without constraints such a joint is an error. With constraints that move its massless links, the equations

    M qdd = f + Psi^T lambda,    Psi qdd + gamma = 0

have the same qdd and lambda if the first becomes

    (M + Psi^T W Psi) qdd = f - Psi^T W gamma + Psi^T lambda

with any weights W (the augmented Lagrangian; Golub and Greif, SIAM Journal on Matrix Analysis and Applications 24, 2003). The sum
is positive definite exactly if every motion that the constraints leave free moves some inertia. With a given Psi x, the smallest
x as M measures it is the same for both matrices, too.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from lagrangian.algorithms.constraints.constrained_dynamics import ROUNDING_TOLERANCE, MechanismState
from lagrangian.algorithms.forward_dynamics import FORWARD_DYNAMICS
from lagrangian.algorithms.link import Link
from lagrangian.algorithms.mass_matrix import COMPOSITE_BODIES, MASS_MATRIX, unit_acceleration_wrench
from lagrangian.algorithms.sweep import run
from lagrangian.algorithms.tree import Tree
from lagrangian.errors import ArgumentError, MechanismError
from lagrangian.model import vector as v
from lagrangian.model.mechanism import Mechanism

# radians and metres away from neutral at which joints are tested, since a mass matrix may be singular in some configurations only
TREE_TEST_ANGLES = (0.0, 1.0, 2.0)  # of the joints of a tree
CONSTRAINED_TEST_ANGLES = (0.7, 1.9, -1.1)  # of a mechanism with constraints
MAX_SPEEDS = 50  # the whole mass matrix is tested for no more speeds
SINGULAR_TOLERANCE = 1e-13  # smaller eigenvalues of a mass matrix with ones on its diagonal are rounding


def undetermined_joints(tree: Tree) -> list[str]:
    """Return the names of joints because of which the mass matrix is singular in every configuration."""
    mass, I = tree.constants["mass"][:, 0], tree.constants["I"]
    heavy: list[bool] = ((mass != 0) | (I != 0).any(axis=1)).tolist()
    carries_mass = [False] * len(tree)  # whether a link carries another that has mass
    for i in range(len(tree) - 1, -1, -1):
        if tree.parent[i] >= 0 and (heavy[i] or carries_mass[i]):
            carries_mass[tree.parent[i]] = True
    rotor = tree.constants["rotor"][:, 0]
    moving: dict[int, str] = {}
    for name, (i, _) in tree.joint_link.items():
        if i >= 0:
            moving.setdefault(i, name)  # joints further out that have this link are fixed
    joints = [(name, i) for i, name in moving.items()]
    massless_joints = [name for name, i in joints if not carries_mass[i] and rotor[i] == 0 and not _has_inertia(tree, i)]
    nothing_between = any(kind.nv and not heavy[i] and rotor[i] == 0 for i, kind in enumerate(tree.kind))
    return massless_joints or (_joint_moving_same_inertia(tree, joints) if nothing_between and tree.nv <= MAX_SPEEDS else [])


def has_singular_mass_matrix(mechanism: Mechanism, tree: Tree) -> bool:
    """Whether the mass matrix is singular in every configuration, of a mechanism with constraints that may make up for it."""
    return bool(mechanism.equation_count) and not any(
        _has_regular_mass_matrix(_sample_state(mechanism, tree, x)) for x in CONSTRAINED_TEST_ANGLES
    )


def undetermined_speed(mechanism: Mechanism, tree: Tree) -> str:
    """Return a speed that neither inertia nor constraints determine, in any configuration; "" if there is none."""
    speed_name = ""
    for angle in CONSTRAINED_TEST_ANGLES if has_singular_mass_matrix(mechanism, tree) else ():
        M, psi = _mass_matrix_and_jacobian(_sample_state(mechanism, tree, angle))
        if _factor(_augmented_mass_matrix(M, psi)) is not None:
            return ""
        speed_name = mechanism.speed_names[_least_determined_speed(M, psi)]
    return speed_name


def constraint_weights(mechanism: Mechanism, tree: Tree) -> dict[str, float]:
    """Return constant weights W of the constraint equations, by name; none where the mass matrix is regular."""
    if not has_singular_mass_matrix(mechanism, tree):
        return {}
    state = _sample_state(mechanism, tree, CONSTRAINED_TEST_ANGLES[0])
    weights = _weights(*_mass_matrix_and_jacobian(state))
    return {row.name: float(w) for row, w in zip(state.rows, weights, strict=True) if w}


def cholesky_factor(M: np.ndarray, psi: np.ndarray, names: Sequence[str] = ()) -> np.ndarray:
    """Return L with L L^T = M, or = M + Psi^T W Psi where M is singular, which has the same accelerations; of many, too.

    A joint that neither determines is an error, which has its name if `names` are those of the speeds.
    """
    L = _factor(M)
    if L is None and psi.shape[-2]:
        L = _factor(_augmented_mass_matrix(M, psi))
    if L is not None:
        return L
    try:
        return np.linalg.cholesky(M)  # nearly singular
    except np.linalg.LinAlgError:
        check_determined(M, psi, names)
        raise ArgumentError("the configuration has entries that are not numbers", argument="q") from None


def check_determined(M: np.ndarray, psi: np.ndarray, names: Sequence[str] = ()) -> None:
    """Refuse joints without inertia whose motion no constraint determines; of many states, those that are not finite pass."""
    m, n = psi.shape[-2:]
    masses = M.reshape(-1, n, n)
    slopes = np.broadcast_to(psi, (*M.shape[:-2], m, n)).reshape(len(masses), m, n)
    for A, B in zip(masses, slopes, strict=True):
        if np.isfinite(A).all() and np.isfinite(B).all() and _factor(_augmented_mass_matrix(A, B)) is None:
            joint = f"joint {names[_least_determined_speed(A, B)]!r}" if names else "a joint"
            raise MechanismError(
                f"the bodies that {joint} moves have no inertia along it, and no constraint determines its motion, so its "
                f"acceleration is not determined; give these bodies mass and inertia, give the joint a rotor, or make it fixed"
            )


def _has_inertia(tree: Tree, i: int) -> bool:
    """Whether link i by itself has inertia along each of its joint's speeds, in some configuration."""
    kind = tree.kind[i]
    if not kind.nv:
        return True
    return any(_is_regular(tree, i, angle) for angle in TREE_TEST_ANGLES)


def _is_regular(tree: Tree, i: int, angle: float) -> bool:
    """Whether the joint's own small mass matrix is regular, with its coordinates `angle` away from neutral."""
    link = tree.link(i)
    link.q = tuple(x + angle if link.nq == link.nv else x for x in link.kind.neutral)
    link.c, link.s = math.cos(angle), math.sin(angle)
    S = np.array([[*angular, *linear] for angular, linear in link.motion_subspace], dtype=float)
    h, I = v.skew(link.h), v.sym_full(link.I)
    body = np.block([[np.array(I, dtype=float), np.array(h, dtype=float)], [-np.array(h, dtype=float), link.mass * np.eye(3)]])
    M = S @ body @ S.T
    # inertias and masses may cancel: a diagonal entry that is tiny against these is rounding
    largest = np.abs(S[:, :3]).sum(axis=1) * np.abs(np.diag(body)[:3]).max() + np.abs(S[:, 3:]).sum(axis=1) * abs(link.mass)
    sizes = np.diag(M)
    if (sizes <= 1e-14 * largest).any():
        return False
    scale = 1 / np.sqrt(sizes)
    return bool(np.linalg.matrix_rank(scale[:, None] * M * scale) == len(M))


def _joint_moving_same_inertia(tree: Tree, joints: list[tuple[str, int]]) -> list[str]:
    """Return one of the joints that move the same inertia in the same way, such as two prismatic joints in line."""
    for angle in TREE_TEST_ANGLES:
        M = np.array(run(MASS_MATRIX, tree, _links_at(tree, angle)), dtype=float).reshape(tree.nv, tree.nv)
        scale = np.sqrt(np.where(np.diag(M) > 0, np.diag(M), 1.0))
        if not np.isfinite(M).all():
            return []
        values, vectors = np.linalg.eigh(M / np.outer(scale, scale))
        if values[0] > SINGULAR_TOLERANCE:
            return []
    part = int(np.argmax(np.abs(vectors[:, 0])))
    return [name for name, i in joints if tree.iv[i] <= part < tree.iv[i] + tree.kind[i].nv]


def _links_at(tree: Tree, angle: float) -> list[Link]:
    """Return the links in a configuration in which no axes are parallel by chance."""
    links = [tree.link(i) for i in range(len(tree))]
    for i, link in enumerate(links):
        link.q = tuple(x + (angle + 0.3) * (1 + 0.1 * i) if link.nq == link.nv else x for x in link.kind.neutral)
        if link.kind.turns:
            link.c, link.s = math.cos(link.q[0]), math.sin(link.q[0])
    return links


def _has_regular_mass_matrix(state: MechanismState) -> bool:
    """Whether M is regular: the articulated-body algorithm leaves of its diagonal what a factorisation leaves, in less time."""
    run(FORWARD_DYNAMICS, state.tree, state.links)
    remaining = np.array([1 / d for link in state.links for d in link.inverse_D], dtype=float)
    run(COMPOSITE_BODIES, state.tree, state.links)
    diagonal = []
    for link in state.links:
        for k, (angular, linear) in enumerate(link.motion_subspace):
            force, moment = unit_acceleration_wrench(link, k)
            diagonal.append(v.dot(angular, moment) + v.dot(linear, force) + link.rotor)
    return bool((remaining > SINGULAR_TOLERANCE * np.array(diagonal, dtype=float)).all())


def _least_determined_speed(M: np.ndarray, psi: np.ndarray) -> int:
    """Return the speed with the largest part in a motion without inertia that the constraints leave free."""
    A = _augmented_mass_matrix(M, psi)
    scale = np.sqrt(np.where(np.diag(A) > 0, np.diag(A), 1.0))
    _, vectors = np.linalg.eigh(A / np.outer(scale, scale))
    return int(np.argmax(np.abs(vectors[:, 0])))


def _weights(M: np.ndarray, psi: np.ndarray) -> np.ndarray:
    """Return weights of the rows that at most double each diagonal entry of M, so that nothing is lost to rounding."""
    sizes = np.diagonal(M, axis1=-2, axis2=-1)[..., None, :]
    largest = sizes.max(axis=-1, initial=0.0, keepdims=True)
    slopes = psi**2
    steepest = slopes.max(axis=-1, initial=0.0, keepdims=True)
    is_effective = (sizes > SINGULAR_TOLERANCE * largest) & (slopes > SINGULAR_TOLERANCE * steepest)
    weights = np.where(is_effective, sizes / np.where(is_effective, slopes, 1.0), np.inf).min(axis=-1, initial=np.inf)
    # for rows of joints without inertia only
    fallback = np.where(largest > 0, largest, 1.0) / np.where(steepest > 0, steepest, 1.0)
    # a row of zeros, such as that of a planar loop across its plane, is rounding where its plane is askew: it has no weight
    return np.where(steepest[..., 0] > ROUNDING_TOLERANCE**2, np.where(np.isfinite(weights), weights, fallback[..., 0]), 0.0)


def _factor(M: np.ndarray) -> np.ndarray | None:
    """Return the Cholesky factor; None if a matrix, or one among many, is singular but for rounding."""
    try:
        L = np.linalg.cholesky(M)
    except np.linalg.LinAlgError:
        return None
    remaining = np.diagonal(L, axis1=-2, axis2=-1) ** 2
    return L if (remaining > SINGULAR_TOLERANCE * np.diagonal(M, axis1=-2, axis2=-1)).all() else None


def _augmented_mass_matrix(M: np.ndarray, psi: np.ndarray) -> np.ndarray:
    total: np.ndarray = M + np.swapaxes(psi, -1, -2) @ (_weights(M, psi)[..., None] * psi)
    return total


def _sample_state(mechanism: Mechanism, tree: Tree, angle: float) -> MechanismState:
    """Return the mechanism at rest in some configuration, in which its loops need not be closed."""
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
    return MechanismState(mechanism, tree, links, q, [0.0] * tree.nv)


def _mass_matrix_and_jacobian(state: MechanismState) -> tuple[np.ndarray, np.ndarray]:
    """Return M and Psi."""
    n = state.tree.nv
    return _mass_matrix(state), np.array([[row.psi.get(k, 0.0) for k in range(n)] for row in state.rows], dtype=float).reshape(
        -1, n
    )


def _mass_matrix(state: MechanismState) -> np.ndarray:
    return np.array(state.mass_matrix, dtype=float).reshape(state.tree.nv, state.tree.nv)
