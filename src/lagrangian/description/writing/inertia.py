"""Mass and inertia as simulators take them: of a real body, and nowhere 0."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from lagrangian.description.writing.turning import wxyz
from lagrangian.description.writing.written import Remarks
from lagrangian.model import vector as v
from lagrangian.model.body import Body
from lagrangian.model.mechanism import Mechanism
from lagrangian.model.rotation import quaternion

_NOTHING = 1e-13
_ROUNDING = 1e-9  # of moments against each other


@dataclass(frozen=True)
class Principal:
    """Mass, and moments about the principal axes, whose quaternion is () where they are the body's own."""

    mass: float
    moments: tuple[float, float, float]
    turn: tuple[float, ...] = ()


def principal(body: Body) -> Principal:
    """The moments of a body as it is."""
    xx, xy, xz, yy, yz, zz = (float(x) for x in body.inertia)
    if xy == xz == yz == 0:
        return Principal(float(body.mass), (xx, yy, zz))
    moments, axes = body.principal()
    turn = wxyz(tuple(map(tuple, axes.tolist())))  # type: ignore[arg-type]
    return Principal(float(body.mass), tuple(moments.tolist()), turn)


def least_mass(m: Mechanism, least: float) -> float:
    """What is next to nothing beside the heaviest body, and not so little that numbers of 16 digits lose it."""
    return max(least, _NOTHING * max((float(body.mass) for body in m.bodies), default=0.0))


def substantial(body: Body, least: float, least_mass: float, remarks: Remarks) -> Principal:
    """The same, with at least so much inertia, in kg m^2, and mass, in kg: what a simulator refuses otherwise is said."""
    found = principal(body)
    mass = least_mass if 0 <= found.mass < least_mass else found.mass
    moments = [x if x > least else least if x >= -_ROUNDING * max(found.moments) else x for x in found.moments]
    if mass != found.mass or min(found.moments) < least:
        told = f"{least_mass:g} kg or {least:g} kg m^2 is written instead"
        meaning = f"{{has}} no mass, or no inertia about some axis, which simulators refuse; {told}"
        remarks.add("body", meaning, body.name)
    moments, raised = _real(moments)
    if mass < 0 or raised > _ROUNDING * max(moments):
        meaning = "{has} an inertia that no real body can have and that simulators refuse; the smaller moments are increased"
        remarks.add("body", meaning, body.name, warn=True)
    return Principal(mass, tuple(moments), found.turn)  # type: ignore[arg-type]


def _real(moments: list[float]) -> tuple[list[float], float]:
    """Moments of which none exceeds the sum of the other two, and by how much two were raised for that."""
    k = int(np.argmax(moments))
    i, j = (x for x in range(3) if x != k)
    lacking = moments[k] - (moments[i] + moments[j])
    if lacking <= 0:
        return moments, 0.0
    found = list(moments)
    found[i], found[j] = moments[i] + lacking / 2, moments[j] + lacking / 2
    while found[i] + found[j] < found[k]:  # by the last bit
        found[i] = float(np.nextafter(found[i], np.inf))
    return found, lacking


def tensor(given: Principal) -> v.Symmetric:
    """The six entries along the body's axes."""
    if not given.turn:
        x, y, z = given.moments
        return (x, 0.0, 0.0, y, 0.0, z)
    R = quaternion.matrix(np.array(given.turn))
    I = R @ np.diag(given.moments) @ R.T
    return tuple(float(I[a, b]) for a, b in ((0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2)))  # type: ignore[return-value]
