"""What drives a linkage: the force at its input by virtual work, at rest and at a constant speed, and what its constraints carry.

With q' = dq/dx along the input x, the force at the input is q'^T h, h = M qdd + C qd + G + F of the open tree: along q' the
forces of constraints do no work. At a constant speed v, qd = q' v and qdd = q'' v^2.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from lagrangian.configuration.coordinates import single_coordinates
from lagrangian.design.freedom import LOST
from lagrangian.design.linkage import Linkage
from lagrangian.inverse_dynamics.wrenches import Outside
from lagrangian.kernels.linear import least_norm

STEP = 1e-3  # rad or m, of differences along a branch


@dataclass(frozen=True, eq=False)
class Forces:
    """Rows of what drives a linkage; not numbers where the input stands still, since no speed of it moves the others there."""

    second: np.ndarray
    torque: np.ndarray
    static: np.ndarray
    inertial: np.ndarray
    friction: np.ndarray
    multipliers: np.ndarray
    wrenches: dict[str, np.ndarray]


def forces(
    link: Linkage, outside: Outside, x: np.ndarray, q: np.ndarray, ratios: Callable[[np.ndarray], np.ndarray], speed: float
) -> Forces:
    """At rows of configurations; `ratios` are the speeds over that of the input, at values of it."""
    dyn = link.dyn
    ratio = ratios(x)
    good = np.isfinite(ratio).all(axis=1)
    first = np.where(good[:, None], ratio, 0.0)
    second = _second(link, x, q, first, ratios)
    qd, qdd = speed * first, speed**2 * second
    t = (x - x[0]) / speed if speed else np.zeros(len(x))
    pushed = outside(t, q, qd)
    still = np.zeros_like(qd)
    h = np.asarray(dyn.inverse_dynamics(q, qd, qdd, pushed or None))
    at_rest = np.asarray(dyn.inverse_dynamics(q, still, still, outside(t, q, still) or None))
    torque, static = ((first * part).sum(axis=1) for part in (h, at_rest))
    friction = (first * np.asarray(dyn.friction(qd, q=q))).sum(axis=1)
    multipliers = _carried(link, q, h, torque)

    def known(rows: np.ndarray) -> np.ndarray:
        return np.where(good if rows.ndim == 1 else good[:, None], rows, np.nan)

    return Forces(
        second=known(second),
        torque=known(torque),
        static=known(static),
        inertial=known(torque - static - friction),
        friction=known(friction),
        multipliers=known(multipliers),
        wrenches=pushed,
    )


def _led(link: Linkage, q: np.ndarray, names: tuple[str, ...]) -> np.ndarray:
    """The constraints' slopes, and rows for coordinates that are led."""
    places = single_coordinates(link.dyn.mechanism)
    rows = np.zeros((len(q), len(names), link.dyn.nv))
    for k, name in enumerate(names):
        rows[:, k, places[name][1]] = 1.0
    return np.concatenate([link.dyn.constraint_jacobian(q), rows], axis=1) if link.freedom.loops else rows


def _second(
    link: Linkage, x: np.ndarray, q: np.ndarray, first: np.ndarray, ratios: Callable[[np.ndarray], np.ndarray]
) -> np.ndarray:
    """q'' = d2q/dx2: Psi q'' + gamma(q, q') = 0, and the input goes evenly.

    At a change point, where branches meet, these equations do not tell them apart: there it is a difference along this branch.
    """
    if not link.freedom.loops:
        return np.zeros_like(first)
    A = _led(link, q, (*link.held, link.input))
    b = np.zeros(A.shape[:2])
    m = A.shape[1] - len(link.held) - 1
    b[:, :m] = -np.asarray(link.dyn.constraint_bias(q, first))
    found = least_norm(A, b, full=True)
    lost = link.freedom.regularity(q) < LOST
    if lost.any():
        ahead, back = (ratios(x[lost] + sign * STEP) for sign in (1, -1))
        found[lost] = (ahead - back) / (2 * STEP)
    return found


def _carried(link: Linkage, q: np.ndarray, h: np.ndarray, torque: np.ndarray) -> np.ndarray:
    """The constraints' forces: Psi^T lambda is what of h the input, and what holds coordinates, leave."""
    m = len(link.dyn.constraint_names)
    if not m:
        return np.zeros((len(q), 0))
    left = h.copy()
    left[:, link.iv] -= torque
    good = np.isfinite(left).all(axis=1)
    A = np.swapaxes(_led(link, q, link.held), 1, 2)
    found = least_norm(A, np.where(good[:, None], left, 0.0))[:, :m]
    return np.where(good[:, None], found, np.nan)
