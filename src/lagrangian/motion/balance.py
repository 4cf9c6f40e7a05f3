"""Work along a run, by Gauss's quadrature over the integrator's own interpolation of every step."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

import numpy as np
from numpy.polynomial import legendre

from lagrangian.model.constraint import Pfaffian

if TYPE_CHECKING:
    from lagrangian.motion.record import Record, Stretch

NODES = 8
CHUNK = 2048  # steps at a time, so that long runs need little memory


@cache
def _rule() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Gauss's nodes; what takes values there to coefficients over Legendre's polynomials; the integrals of these from -1."""
    at, weights = legendre.leggauss(NODES)
    values = legendre.legvander(at, NODES - 1)  # nodes x polynomials
    fit = (values * weights[:, None]).T * ((2 * np.arange(NODES) + 1) / 2)[:, None]
    integral = np.array([legendre.legint(np.eye(NODES)[k], lbnd=-1) for k in range(NODES)])
    return at, fit, integral


def work(course: Record, t: np.ndarray) -> dict[str, np.ndarray]:
    """What torques, friction, moving constraints and wrenches have done until each of the times; and what impacts took."""
    nv = course.dyn.nv
    if _idle(course):
        none = {"torque": np.zeros((len(t), nv)), "friction": np.zeros((len(t), nv))}
        return {**none, **({"constraints": np.zeros(len(t))} if course.dyn.mechanism.equations else {}), **_impacts(course, t)}
    at, fit, integral = _rule()
    total = np.zeros(2 * nv + 2)
    found = np.zeros((len(t), 2 * nv + 2))
    row = 0
    for stretch in course.stretches:
        starts = stretch.steps[:, 0]
        ends = np.append(starts[1:], stretch.until)
        for first in range(0, len(starts), CHUNK):
            steps = slice(first, min(first + CHUNK, len(starts)))
            power = _power(course, stretch, steps, starts[steps], ends[steps], (at + 1) / 2)
            width = (ends[steps] - starts[steps])[:, None]
            coefficients = np.einsum("kn,snc->skc", fit, power)
            grown = 0.5 * width * 2 * coefficients[:, 0]
            before = total + np.vstack([np.zeros_like(total), np.cumsum(grown, axis=0)[:-1]])
            until = row + int(np.searchsorted(t[row:], ends[steps][-1], side="right"))
            here = np.clip(np.searchsorted(starts[steps], t[row:until], side="right") - 1, 0, len(power) - 1)
            x = 2 * (t[row:until] - starts[steps][here]) / (ends[steps] - starts[steps])[here] - 1
            basis = legendre.legvander(x, NODES) @ integral.T
            part = np.einsum("rk,rkc->rc", basis, coefficients[here])
            found[row:until] = before[here] + 0.5 * width[here] * part
            row, total = until, total + grown.sum(axis=0)
    found[row:] = total
    result = {"torque": found[:, :nv], "friction": found[:, nv : 2 * nv]}
    if course.dyn.mechanism.equations:
        result["constraints"] = found[:, 2 * nv]
    if course.source.wrenches:
        result["wrenches"] = found[:, 2 * nv + 1]
    return {**result, **_impacts(course, t)}


def _impacts(course: Record, t: np.ndarray) -> dict[str, np.ndarray]:
    if not course.impacts:
        return {}
    return {"impacts": np.array([sum(change for when, change in course.impacts if when <= x) for x in t])}


def _idle(course: Record) -> bool:
    """Whether nothing does work but what is in the potential energy: no torque, wrench or friction, no constraint that moves."""
    source, dyn = course.source, course.dyn
    driven = source.formulas or source.external or source.adjustable or source.traced is not None or source.wrenches
    lossy = any(x.any() for x in dyn.friction_constants) or any(float(s.damping) for s in dyn.mechanism.springs)
    # a constant phi moves its constraint too
    moving = any(
        isinstance(c, Pfaffian) and not (isinstance(c.phi, (int, float)) and c.phi == 0) for c in dyn.mechanism.constraints
    )
    return not (driven or lossy or moving or dyn.depends_on_time)


def _power(course: Record, stretch: Stretch, steps: slice, starts: np.ndarray, ends: np.ndarray, at: np.ndarray) -> np.ndarray:
    """(steps, nodes, power of every torque, friction force, of all moving constraints, and of all wrenches)."""
    nv = course.dyn.nv
    times = starts[:, None] + (ends - starts)[:, None] * at
    y = course.states_of(stretch, steps, times)
    flat, out = course.outputs_in(stretch, times.ravel(), y)
    qd = flat[:, course.dyn.nq :]
    moving = -np.einsum("sm,sm->s", out["multipliers"], out["phi"])[:, None]
    pushed = np.einsum("sn,sn->s", out["loads"], qd)[:, None] if "loads" in out else np.zeros_like(moving)
    power = np.hstack([out["tau"] * qd, -out["friction"] * qd, moving, pushed])
    return power.reshape(len(starts), len(at), 2 * nv + 2)


def hermite(t: np.ndarray, q: np.ndarray, qd: np.ndarray, qdd: np.ndarray, times: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Between rows, when nothing else is known: the cubic through values and slopes, of q and of qd."""
    k = np.clip(np.searchsorted(t, times, side="right") - 1, 0, len(t) - 2)
    h = (t[k + 1] - t[k])[:, None]
    x = ((times - t[k]) / (t[k + 1] - t[k]))[:, None]

    def cubic(y: np.ndarray, slope: np.ndarray) -> np.ndarray:
        rise = y[k + 1] - y[k]
        return y[k] + x * (
            h * slope[k] + x * (3 * rise - h * (2 * slope[k] + slope[k + 1]) + x * (h * (slope[k] + slope[k + 1]) - 2 * rise))
        )

    rates = qd if q.shape[1] == qd.shape[1] else np.gradient(q, t, axis=0)
    return cubic(q, rates), cubic(qd, qdd)
