"""Full parameters that give the same motion as the base parameters, and the mechanism that has them."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from lagrangian.identification.base_parameters import ParameterGrouping
from lagrangian.identification.least_squares import Fit
from lagrangian.identification.physical_consistency import fit_consistent_parameters, nearest_physical
from lagrangian.identification.regression import BACKWARD, COULOMB, FORWARD, ROTOR, VISCOUS, Regression
from lagrangian.kernels.inertial_parameters import body_parameters
from lagrangian.model import vector as v
from lagrangian.model.body import Body
from lagrangian.model.joint import Friction, Joint, Rotor
from lagrangian.model.mechanism import Mechanism

DEFAULT_BODY = (1.0, 0.1)  # of a link of which nothing is described: kg, and radius of gyration in m


def complete_parameters(
    regression: Regression, grouping: ParameterGrouping, fit: Fit, physical: bool, weight: float
) -> tuple[Mechanism, float]:
    """Return the mechanism with identified parameters, and the sum of squares that its fit adds, in variances."""
    mechanism = regression.dyn.mechanism
    identified_bodies = [
        (i, b, T) for i, link in enumerate(regression.links) for b, T in link.bodies if _is_identified(mechanism, link.body, b)
    ]
    positive = [k for k, x in regression.joint_parameters.items() if x.positive]
    free = [k for k, x in regression.joint_parameters.items() if not x.positive]
    # base parameters by the bodies' own parameters, then those of the joints
    K = np.hstack(
        [*(grouping.matrix[:, 10 * i : 10 * i + 10] @ T for i, _, T in identified_bodies), grouping.matrix[:, [*positive, *free]]]
    )
    described_parameters = [body_parameters(mechanism.bodies[b]) for _, b, _ in identified_bodies]
    joint_values = np.array([regression.terms[k].value for k in (*positive, *free)])
    if physical:
        size = _typical_length(mechanism, described_parameters)
        mean = float(np.mean([max(x[0], 0.0) for x in described_parameters])) or DEFAULT_BODY[0]
        bodies = [nearest_physical(x if x.any() else _default_parameters(), size, mass=0.01 * mean) for x in described_parameters]
        start = np.array([_start_value(regression.terms[k].value, k, grouping, fit) for k in positive])
        phi = fit_consistent_parameters(K, fit.values, fit.root, bodies, start, len(free), weight)
    else:
        phi = _nearest_solution(K, fit.values, np.concatenate([*described_parameters, joint_values]), described_parameters)
    misfit = fit.root @ (K @ phi - fit.values)
    body_rows = phi[: 10 * len(identified_bodies)].reshape(-1, 10)
    parameters_by_body = {b: row for (_, b, _), row in zip(identified_bodies, body_rows, strict=True)}
    values = dict(zip((*positive, *free), phi[10 * len(identified_bodies) :], strict=True))
    identified = mechanism.replace(
        bodies=tuple(
            _replace_body(x, parameters_by_body[b], physical) if b in parameters_by_body else x
            for b, x in enumerate(mechanism.bodies)
        ),
        joints=tuple(_replace_joint(regression, j, joint, values) for j, joint in enumerate(mechanism.joints)),
    )
    return identified, float(misfit @ misfit)


def _is_identified(mechanism: Mechanism, carrier: int, body: int) -> bool:
    """Whether a body gets parameters: its description has some, or it is the first on its joint in a mechanism without any."""
    without_any = not any(body_parameters(b).any() for b in mechanism.bodies)
    return bool(body_parameters(mechanism.bodies[body]).any()) or (without_any and body == carrier)


def _default_parameters() -> np.ndarray:
    m, r = DEFAULT_BODY
    return np.array([m, 0, 0, 0, m * r * r, 0, 0, m * r * r, 0, m * r * r])


def _typical_length(mechanism: Mechanism, described_parameters: list[np.ndarray]) -> float:
    """A typical length, by which inertias and masses are compared."""
    radii = [
        np.sqrt(np.trace(np.diag(x[[4, 7, 9]])) / (2 * x[0])) for x in described_parameters if x[0] > 0 and x[[4, 7, 9]].sum() > 0
    ]
    return float(np.median(radii)) if radii else DEFAULT_BODY[1]


def _start_value(value: float, k: int, grouping: ParameterGrouping, fit: Fit) -> float:
    """The value to which a joint's positive parameter is drawn: the described value, or the estimate if none is described."""
    if value > 0:
        return value
    if k not in grouping.columns:
        return 1e-6
    column = grouping.columns.index(k)
    return float(max(fit.values[column], np.sqrt(fit.covariance[column, column]), 1e-12))


def _nearest_solution(K: np.ndarray, b: np.ndarray, start: np.ndarray, described_parameters: list[np.ndarray]) -> np.ndarray:
    """The solution of K phi = b that is nearest to the description, each parameter measured by the size of its kind."""
    kinds = np.array([0, 1, 1, 1, 2, 2, 2, 2, 2, 2])
    table = np.abs(np.array(described_parameters).reshape(-1, 10))
    scales = np.array([table[:, kinds == kind].max(initial=0.0) or 1.0 for kind in range(3)])
    scale = np.concatenate(
        [np.tile(scales[kinds], len(described_parameters)), np.maximum(np.abs(start[10 * len(described_parameters) :]), 1e-3)]
    )
    phi: np.ndarray = start + scale * np.linalg.lstsq(K * scale, b - K @ start, rcond=1e-12)[0]
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
