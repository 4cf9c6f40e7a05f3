"""From base parameters to a mechanism: full parameters that give the same motion, put back into its bodies and joints."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from lagrangian.identification.estimate import Fit
from lagrangian.identification.grouping import Grouping
from lagrangian.identification.joint_parameters import BACKWARD, COULOMB, FORWARD, ROTOR, VISCOUS
from lagrangian.identification.physical import consistent, nearest_real
from lagrangian.identification.regression import Regression
from lagrangian.kernels.programs.parameters import body_parameters
from lagrangian.model import vector as v
from lagrangian.model.body import Body
from lagrangian.model.joint import Friction, Joint, Rotor
from lagrangian.model.mechanism import Mechanism

FRESH = (1.0, 0.1)  # of a link of which nothing is described: kg, and radius of gyration in m


def completed(regression: Regression, grouping: Grouping, fit: Fit, physical: bool, weight: float) -> tuple[Mechanism, float]:
    """The mechanism with identified parameters, and by how much its fit is worse: the sum of squares it adds, in variances."""
    mechanism = regression.dyn.mechanism
    heavy = [(i, b, T) for i, link in enumerate(regression.links) for b, T in link.carried if _matters(mechanism, link.body, b)]
    positive = [k for k, x in regression.joint_parameters.items() if x.positive]
    free = [k for k, x in regression.joint_parameters.items() if not x.positive]
    # base parameters by the bodies' own parameters, then those of the joints
    K = np.hstack([*(grouping.matrix[:, 10 * i : 10 * i + 10] @ T for i, _, T in heavy), grouping.matrix[:, [*positive, *free]]])
    described = [body_parameters(mechanism.bodies[b]) for _, b, _ in heavy]
    joint_values = np.array([regression.terms[k].value for k in (*positive, *free)])
    if physical:
        size = _length(mechanism, described)
        mean = float(np.mean([max(x[0], 0.0) for x in described])) or FRESH[0]
        bodies = [nearest_real(x if x.any() else _fresh(), size, mass=0.01 * mean) for x in described]
        start = np.array([_start(regression.terms[k].value, k, grouping, fit) for k in positive])
        phi = consistent(K, fit.values, fit.root, bodies, start, len(free), weight)
    else:
        phi = _nearest(K, fit.values, np.concatenate([*described, joint_values]), described)
    off = fit.root @ (K @ phi - fit.values)
    tens = phi[: 10 * len(heavy)].reshape(-1, 10)
    found = {b: ten for (_, b, _), ten in zip(heavy, tens, strict=True)}
    values = dict(zip((*positive, *free), phi[10 * len(heavy) :], strict=True))
    made = mechanism.replace(
        bodies=tuple(_body(x, found[b], physical) if b in found else x for b, x in enumerate(mechanism.bodies)),
        joints=tuple(_joint(regression, j, joint, values) for j, joint in enumerate(mechanism.joints)),
    )
    return made, float(off @ off)


def _matters(mechanism: Mechanism, carrier: int, body: int) -> bool:
    """Whether a body gets parameters: it has some, or it is the first of a mechanism that has none."""
    bare = not any(body_parameters(b).any() for b in mechanism.bodies)
    return bool(body_parameters(mechanism.bodies[body]).any()) or (bare and body == carrier)


def _fresh() -> np.ndarray:
    m, r = FRESH
    return np.array([m, 0, 0, 0, m * r * r, 0, 0, m * r * r, 0, m * r * r])


def _length(mechanism: Mechanism, described: list[np.ndarray]) -> float:
    """A typical length: by which inertias and masses are compared."""
    radii = [np.sqrt(np.trace(np.diag(x[[4, 7, 9]])) / (2 * x[0])) for x in described if x[0] > 0 and x[[4, 7, 9]].sum() > 0]
    return float(np.median(radii)) if radii else FRESH[1]


def _start(value: float, k: int, grouping: Grouping, fit: Fit) -> float:
    """What a joint's positive parameter is drawn to: the described value, or its estimate where none is described."""
    if value > 0:
        return value
    if k not in grouping.columns:
        return 1e-6
    at = grouping.columns.index(k)
    return float(max(fit.values[at], np.sqrt(fit.covariance[at, at]), 1e-12))


def _nearest(K: np.ndarray, b: np.ndarray, start: np.ndarray, described: list[np.ndarray]) -> np.ndarray:
    """Of all phi with K phi = b the nearest to the described, each parameter measured by the size of its kind."""
    kinds = np.array([0, 1, 1, 1, 2, 2, 2, 2, 2, 2])
    table = np.abs(np.array(described).reshape(-1, 10))
    scales = np.array([table[:, kinds == kind].max(initial=0.0) or 1.0 for kind in range(3)])
    scale = np.concatenate([np.tile(scales[kinds], len(described)), np.maximum(np.abs(start[10 * len(described) :]), 1e-3)])
    found: np.ndarray = start + scale * np.linalg.lstsq(K * scale, b - K @ start, rcond=1e-12)[0]
    return found


def _body(body: Body, ten: np.ndarray, physical: bool) -> Body:
    m, h, I = float(ten[0]), ten[1:4], ten[4:]
    if abs(m) < 1e-12:  # an effective body may have inertia without mass, but then no centre
        return replace(body, mass=0.0, center=(0.0, 0.0, 0.0), inertia=_floats(I), effective=True)
    c = _floats(h / m)
    about = _floats(I - np.array(v.point_inertia(m, c)))
    return replace(body, mass=m, center=c, inertia=about, effective=not physical)


def _floats(x: np.ndarray) -> Any:
    return tuple(float(e) for e in x)


def _joint(regression: Regression, j: int, joint: Joint, values: dict[int, float]) -> Joint:
    """Friction cannot be negative in a mechanism: an estimate that is so becomes none."""
    mine = {regression.joint_parameters[k]: float(x) for k, x in values.items() if regression.terms[k].owner == j}
    if ROTOR in mine:
        joint = replace(joint, rotor=Rotor(max(0.0, mine[ROTOR]) / float(joint.rotor.ratio) ** 2, joint.rotor.ratio))
    if {VISCOUS, COULOMB, FORWARD} & set(mine):
        f = joint.friction
        viscous = mine.get(VISCOUS, f.viscous)
        forward = mine.get(FORWARD, mine.get(COULOMB, f.coulomb))
        backward = mine.get(BACKWARD, mine.get(COULOMB, f.coulomb_negative))
        found = [max(0.0, float(x)) for x in (viscous, forward, backward)]  # type: ignore[arg-type]
        static = [None if x is None else max(float(x), *found[1:]) for x in (f.static, f.static_negative)]
        joint = replace(joint, friction=Friction(*found, *static))
    return joint
