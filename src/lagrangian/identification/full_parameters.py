"""Full parameters that give the same motion as the base parameters, and the mechanism that has them.

Without a condition they are those nearest to the description. With `physical` they are those of real bodies, as near as possible
to the estimates and to the description.

A body is real if its 4x4 pseudo-inertia P = integral of r r^T dm is positive definite (Wensing, Kim and Slotine 2018, Linear
matrix inequalities for physically consistent inertial parameter identification). The estimate b of the base parameters K phi,
with information W^T W, is completed to full parameters by

    minimise  1/2 |W (K phi - b)|^2 + weight * sum over bodies of D(P, P0),   D = tr(P0^-1 P) - log det(P0^-1 P) - 4,

where P0 is the described body: D is the entropic divergence of Lee, Wensing and Park (2019), zero at P0, convex in phi and
infinite where P would no longer be positive definite. So the problem is convex with one solution inside, and Newton's method
with a line search finds it. Rotor inertias and friction are kept positive by the same divergence in one dimension. With P = L L^T
a Newton step is a linear least-squares problem in delta = L^-1 dP L^-T, which is how it is solved.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from lagrangian.identification.base_parameters import ParameterGrouping
from lagrangian.identification.least_squares import Fit
from lagrangian.identification.regression import BACKWARD, COULOMB, FORWARD, ROTOR, VISCOUS, Regression
from lagrangian.kernels.inertial_parameters import body_parameters
from lagrangian.model import vector as v
from lagrangian.model.body import Body
from lagrangian.model.joint import Friction, Joint, Rotor
from lagrangian.model.mechanism import Mechanism

DEFAULT_BODY = (1.0, 0.1)  # of a link of which nothing is described: kg, and radius of gyration in m
PSEUDO_INERTIA_BASIS = np.zeros((10, 4, 4))  # of P, by the ten parameters
PSEUDO_INERTIA_BASIS[0, 3, 3] = 1
for _k in range(3):
    PSEUDO_INERTIA_BASIS[1 + _k, _k, 3] = PSEUDO_INERTIA_BASIS[1 + _k, 3, _k] = 1
for _k, (_i, _j) in enumerate([(0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2)]):
    if _i == _j:
        PSEUDO_INERTIA_BASIS[4 + _k, range(3), range(3)] = 0.5
        PSEUDO_INERTIA_BASIS[4 + _k, _i, _i] -= 1
    else:
        PSEUDO_INERTIA_BASIS[4 + _k, _i, _j] = PSEUDO_INERTIA_BASIS[4 + _k, _j, _i] = -1
UPPER_TRIANGLE = np.triu_indices(4)
ENTRY_SCALES = np.where(
    UPPER_TRIANGLE[0] == UPPER_TRIANGLE[1], 1.0, np.sqrt(2.0)
)  # so that lengths of vectors are those of the symmetric matrices
FINAL_DECREASE, EARLY_DECREASE = 1e-12, 0.1  # of the weight: the decrease at which a solution is taken, the last and those before
WEIGHT_FACTOR = 10.0  # by which the weight is lowered
MAX_NEWTON_STEPS = 60
MAX_NORMAL_EQUATIONS_RATIO = 1e6  # of the data's pull beside the description's: beyond, normal equations lose the latter


def complete_parameters(
    regression: Regression, grouping: ParameterGrouping, fit: Fit, physical: bool, weight: float
) -> tuple[Mechanism, float]:
    """Return the mechanism with identified parameters, and the sum of squares that its fit adds, in variances."""
    mechanism = regression.dyn.mechanism
    identified_bodies = [
        (i, b, T) for i, link in enumerate(regression.links) for b, T in link.bodies if _is_identified(mechanism, link.body, b)
    ]
    positive_columns = [k for k, x in regression.joint_parameters.items() if x.positive]
    free_columns = [k for k, x in regression.joint_parameters.items() if not x.positive]
    # base parameters by the bodies' own parameters, then those of the joints
    K = np.hstack(
        [
            *(grouping.matrix[:, 10 * i : 10 * i + 10] @ T for i, _, T in identified_bodies),
            grouping.matrix[:, [*positive_columns, *free_columns]],
        ]
    )
    described_parameters = [body_parameters(mechanism.bodies[b]) for _, b, _ in identified_bodies]
    joint_values = np.array([regression.terms[k].value for k in (*positive_columns, *free_columns)])
    if physical:
        length = _typical_length(mechanism, described_parameters)
        mean_mass = float(np.mean([max(x[0], 0.0) for x in described_parameters])) or DEFAULT_BODY[0]
        bodies = [
            _nearest_physical(x if x.any() else _default_parameters(), length, min_mass=0.01 * mean_mass)
            for x in described_parameters
        ]
        references = np.array([_reference_value(regression.terms[k].value, k, grouping, fit) for k in positive_columns])
        phi = _fit_consistent_parameters(K, fit.values, fit.information_root, bodies, references, len(free_columns), weight)
    else:
        phi = _nearest_solution(K, fit.values, np.concatenate([*described_parameters, joint_values]), described_parameters)
    misfit = fit.information_root @ (K @ phi - fit.values)
    body_rows = phi[: 10 * len(identified_bodies)].reshape(-1, 10)
    parameters_by_body = {b: row for (_, b, _), row in zip(identified_bodies, body_rows, strict=True)}
    values = dict(zip((*positive_columns, *free_columns), phi[10 * len(identified_bodies) :], strict=True))
    identified = mechanism.replace(
        bodies=tuple(
            _replace_body(x, parameters_by_body[b], physical) if b in parameters_by_body else x
            for b, x in enumerate(mechanism.bodies)
        ),
        joints=tuple(_replace_joint(regression, j, joint, values) for j, joint in enumerate(mechanism.joints)),
    )
    return identified, float(misfit @ misfit)


def _is_identified(mechanism: Mechanism, first_body: int, body: int) -> bool:
    """Whether a body gets parameters: its description has some, or it is the first on its joint in a mechanism without any."""
    none_described = not any(body_parameters(b).any() for b in mechanism.bodies)
    return bool(body_parameters(mechanism.bodies[body]).any()) or (none_described and body == first_body)


def _default_parameters() -> np.ndarray:
    m, r = DEFAULT_BODY
    return np.array([m, 0, 0, 0, m * r * r, 0, 0, m * r * r, 0, m * r * r])


def _typical_length(mechanism: Mechanism, described_parameters: list[np.ndarray]) -> float:
    """A typical length, by which inertias and masses are compared."""
    radii = [
        np.sqrt(np.trace(np.diag(x[[4, 7, 9]])) / (2 * x[0])) for x in described_parameters if x[0] > 0 and x[[4, 7, 9]].sum() > 0
    ]
    return float(np.median(radii)) if radii else DEFAULT_BODY[1]


def _reference_value(value: float, k: int, grouping: ParameterGrouping, fit: Fit) -> float:
    """The value to which a joint's positive parameter is drawn: the described value, or the estimate if none is described."""
    if value > 0:
        return value
    if k not in grouping.columns:
        return 1e-6
    column = grouping.columns.index(k)
    return float(max(fit.values[column], np.sqrt(fit.covariance[column, column]), 1e-12))


def _nearest_solution(K: np.ndarray, b: np.ndarray, described: np.ndarray, described_parameters: list[np.ndarray]) -> np.ndarray:
    """The solution of K phi = b that is nearest to the description, each parameter measured by the size of its kind."""
    kinds = np.array([0, 1, 1, 1, 2, 2, 2, 2, 2, 2])
    described_sizes = np.abs(np.array(described_parameters).reshape(-1, 10))
    scales = np.array([described_sizes[:, kinds == kind].max(initial=0.0) or 1.0 for kind in range(3)])
    scale = np.concatenate(
        [np.tile(scales[kinds], len(described_parameters)), np.maximum(np.abs(described[10 * len(described_parameters) :]), 1e-3)]
    )
    phi: np.ndarray = described + scale * np.linalg.lstsq(K * scale, b - K @ described, rcond=1e-12)[0]
    return phi


def _replace_body(body: Body, parameters: np.ndarray, physical: bool) -> Body:
    m, h, I = float(parameters[0]), parameters[1:4], parameters[4:]
    if abs(m) < 1e-12:  # an effective body may have inertia without mass, but then no centre
        return replace(body, mass=0.0, center=(0.0, 0.0, 0.0), inertia=_floats(I), effective=True)
    c = _floats(h / m)
    central_inertia = _floats(I - np.array(v.point_inertia(m, c)))
    return replace(body, mass=m, center=c, inertia=central_inertia, effective=not physical)


def _floats(x: np.ndarray) -> Any:
    return tuple(float(e) for e in x)


def _replace_joint(regression: Regression, j: int, joint: Joint, values: dict[int, float]) -> Joint:
    """The joint with identified rotor and friction. A negative estimate becomes zero: a mechanism has no negative friction."""
    joint_values = {regression.joint_parameters[k]: float(x) for k, x in values.items() if regression.terms[k].owner == j}
    if ROTOR in joint_values:
        joint = replace(joint, rotor=Rotor(max(0.0, joint_values[ROTOR]) / float(joint.rotor.ratio) ** 2, joint.rotor.ratio))
    if {VISCOUS, COULOMB, FORWARD} & set(joint_values):
        f = joint.friction
        viscous = joint_values.get(VISCOUS, f.viscous)
        forward = joint_values.get(FORWARD, joint_values.get(COULOMB, f.coulomb))
        backward = joint_values.get(BACKWARD, joint_values.get(COULOMB, f.coulomb_negative))
        coefficients = [max(0.0, float(x)) for x in (viscous, forward, backward)]  # type: ignore[arg-type]
        static = [None if x is None else max(float(x), *coefficients[1:]) for x in (f.static, f.static_negative)]
        joint = replace(joint, friction=Friction(*coefficients, *static))
    return joint


# -- parameters of real bodies -----------------------------------------------------------------------------------------


def _fit_consistent_parameters(
    K: np.ndarray,
    b: np.ndarray,
    information_root: np.ndarray,
    bodies: Sequence[np.ndarray],
    references: np.ndarray,
    free_count: int,
    weight: float,
) -> np.ndarray:
    """Return phi: ten parameters for each of `bodies`, then numbers that stay positive, then `free_count` others.

    `bodies` and `references`, of the positive numbers, are the described values, and `information_root` is W above. The weight is
    lowered in steps: each solution is the start of the next.
    """
    barrier = _ConsistencyBarrier(np.array(bodies).reshape(-1, 10), references)
    phi = np.concatenate([*bodies, references, np.zeros(free_count)])
    A, z = information_root @ K, information_root @ b
    # the first weight is as far above the final one as the pull of the data is above that of the description: so its solution is
    # near the start
    misfit = float(np.sum((A @ phi - z) ** 2))
    steps = int(np.clip(np.ceil(np.log(max(misfit, 1.0) / weight) / np.log(WEIGHT_FACTOR)), 0, 60))
    for k in range(steps, -1, -1):
        phi = _minimise(A, z, barrier, phi, weight * WEIGHT_FACTOR**k, FINAL_DECREASE if k == 0 else EARLY_DECREASE)
    return phi


def _minimise(
    A: np.ndarray, z: np.ndarray, barrier: _ConsistencyBarrier, phi: np.ndarray, mu: float, tolerance: float
) -> np.ndarray:
    def objective(x: np.ndarray) -> float:
        return 0.5 * float(np.sum((A @ x - z) ** 2)) + mu * barrier.divergence(x)

    ridge = np.sqrt(mu) * np.eye(barrier.size, len(phi))
    current = objective(phi)
    for _ in range(MAX_NEWTON_STEPS):
        # d phi = B delta: near the boundary steps are short in the directions that lead out
        B, gradient = barrier.step_basis_and_gradient(phi)
        matrix = np.vstack([A @ B, ridge])
        target = np.concatenate([z - A @ phi, -np.sqrt(mu) * gradient])
        if np.linalg.norm(matrix[: len(A)]) < MAX_NORMAL_EQUATIONS_RATIO * np.sqrt(mu):
            delta = np.linalg.solve(matrix.T @ matrix, matrix.T @ target)
        else:  # data with hardly any noise
            Q, R = np.linalg.qr(matrix)
            delta = np.linalg.solve(R, Q.T @ target)
        step = B @ delta
        decrease = float(np.sum((matrix @ delta) ** 2))
        length = 1.0
        trial_objective = objective(phi + step)
        while trial_objective > current - 1e-4 * length * decrease and length > 1e-6:
            length *= 0.5
            trial_objective = objective(phi + length * step)
        if trial_objective >= current:  # rounding is reached
            break
        phi, current = phi + length * step, trial_objective
        if decrease <= tolerance * mu:
            break
    return phi


class _ConsistencyBarrier:
    """The divergence of bodies and positive numbers from the description, with the steps that stay inside its domain."""

    def __init__(self, bodies: np.ndarray, references: np.ndarray) -> None:
        self.body_count, self.references = len(bodies), references
        self.inverse_reference = np.linalg.inv(_pseudo_inertia(bodies)) if len(bodies) else np.zeros((0, 4, 4))
        self.size = 10 * len(bodies) + len(references)

    def split(self, phi: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        return phi[: 10 * self.body_count].reshape(-1, 10), phi[10 * self.body_count : self.size]

    def divergence(self, phi: np.ndarray) -> float:
        """The divergence D; it is infinite where a body is not real or a number not positive."""
        parameter_rows, x = self.split(phi)
        P = _pseudo_inertia(parameter_rows)
        try:
            L = np.linalg.cholesky(P)
        except np.linalg.LinAlgError:
            return np.inf
        if not np.all(x > 0):
            return np.inf
        products = self.inverse_reference @ P
        logs = 2 * np.log(np.einsum("bii->bi", L)).sum() + np.linalg.slogdet(self.inverse_reference)[1].sum()
        r = x / self.references
        return float(np.einsum("bii->", products) - logs - 4 * self.body_count + np.sum(r - 1 - np.log(r)))

    def step_basis_and_gradient(self, phi: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The derivative of phi by delta, and the gradient of D by delta."""
        parameter_rows, x = self.split(phi)
        L = np.linalg.cholesky(_pseudo_inertia(parameter_rows))
        inverse = np.linalg.inv(L)
        transformed_basis = inverse[:, None] @ PSEUDO_INERTIA_BASIS @ inverse.transpose(0, 2, 1)[:, None]
        vectors = (transformed_basis[:, :, UPPER_TRIANGLE[0], UPPER_TRIANGLE[1]] * ENTRY_SCALES).transpose(0, 2, 1)
        gradients = L.transpose(0, 2, 1) @ self.inverse_reference @ L - np.eye(4)
        B = np.eye(len(phi))
        for k, block in enumerate(np.linalg.inv(vectors)):
            B[10 * k : 10 * k + 10, 10 * k : 10 * k + 10] = block
        rows = np.arange(10 * self.body_count, self.size)
        B[rows, rows] = x
        return B, np.concatenate(
            [(gradients[:, UPPER_TRIANGLE[0], UPPER_TRIANGLE[1]] * ENTRY_SCALES).ravel(), x / self.references - 1]
        )


def _nearest_physical(parameters: np.ndarray, length: float, min_share: float = 1e-3, min_mass: float = 0.0) -> np.ndarray:
    """The parameters of a real body near the described ones, which may be regrouped or those of a point; used as P0.

    Eigenvalues of P, lengths measured by `length`, are raised to `min_share` of the largest; a body without mass gets `min_mass`.
    """
    scale = np.array([1 / length, 1 / length, 1 / length, 1.0])
    P = _pseudo_inertia(parameters) * np.outer(scale, scale)
    P[3, 3] = max(P[3, 3], min_mass)
    values, axes = np.linalg.eigh(P)
    largest = max(values[-1], 1e-12)
    P = (axes * np.maximum(values, min_share * largest)) @ axes.T / np.outer(scale, scale)
    return _inertial_parameters(P)


def _pseudo_inertia(parameters: np.ndarray) -> np.ndarray:
    """The pseudo-inertia P of the ten parameters (m, h, I about the frame's origin)."""
    P: np.ndarray = np.tensordot(parameters, PSEUDO_INERTIA_BASIS, axes=1)
    return P


def _inertial_parameters(P: np.ndarray) -> np.ndarray:
    """The ten inertial parameters of a pseudo-inertia."""
    S = P[:3, :3]
    I = np.trace(S) * np.eye(3) - S
    return np.array([P[3, 3], *P[:3, 3], *I[np.triu_indices(3)]])
