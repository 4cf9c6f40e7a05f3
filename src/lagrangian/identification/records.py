"""A record of a motion, checked, with its speeds and accelerations."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from lagrangian.arguments import floats
from lagrangian.configuration.record import follow
from lagrangian.errors import ArgumentError, is_number
from lagrangian.identification.differentiation import LowPass, default_cutoff, differentiated, fourier_fit, uniform
from lagrangian.identification.projection import Projection
from lagrangian.inverse_dynamics.actuation import actuated_speeds
from lagrangian.kernels.dynamics import Dynamics
from lagrangian.motion.motion import Motion
from lagrangian.paths.path import JointPath

Rows = tuple[ArrayLike, ArrayLike, ArrayLike, ArrayLike | None, ArrayLike | None]
# a path that was commanded: one of lagrangian.paths, or a function from times to coordinates, speeds and accelerations
Followed = JointPath | Callable[[np.ndarray], tuple[np.ndarray, np.ndarray, np.ndarray]]
HARMONICS = 4  # times the path's own: the loop that follows it adds some


@dataclass(frozen=True)
class Record:
    """All coordinates, speeds, accelerations and forces at times; `low_pass` is what the equations are to go through."""

    t: np.ndarray
    q: np.ndarray
    qd: np.ndarray
    qdd: np.ndarray
    tau: np.ndarray
    projection: Projection
    low_pass: LowPass | None
    treatment: str


def recorded_rows(
    t: ArrayLike | Motion, q: ArrayLike | None, tau: ArrayLike | None, qd: ArrayLike | None, qdd: ArrayLike | None
) -> Rows:
    """What was recorded; a motion has all of it."""
    if isinstance(t, Motion):
        if any(x is not None for x in (q, tau, qd, qdd)):
            raise ArgumentError("identify: the motion contains q, tau, qd and qdd; give either a motion, or t, q and tau")
        return t.t, t.q, t.tau, t.qd, t.qdd
    if q is None or tau is None:
        missing = [name for name, x in (("q", q), ("tau", tau)) if x is None]
        raise ArgumentError(
            f"identify: {' and '.join(missing)} {'is' if len(missing) == 1 else 'are'} missing; a record of t, q and tau is "
            f"needed, or a Motion"
        )
    return t, q, tau, qd, qdd


def read_record(
    dyn: Dynamics,
    t: Any,
    q: Any,
    tau: Any,
    qd: Any,
    qdd: Any,
    path: Followed | None,
    cutoff: float | None,
    names: tuple[str, ...] | None = None,
) -> Record:
    mechanism = dyn.mechanism
    t = _times(t)
    driven = tuple(n for n, moves in zip(mechanism.speed_names, actuated_speeds(dyn), strict=True) if moves)
    q = _array("q", q, len(t), mechanism.coordinate_names, driven if mechanism.equations else ())
    tau = _array("tau", tau, len(t), mechanism.speed_names, driven)
    given = [name for name, x in (("qd", qd), ("qdd", qdd)) if x is not None]
    if len(given) == 1:
        raise ArgumentError(f"identify: {given[0]} is given alone; give both qd and qdd, or neither")
    if cutoff is not None and not (is_number(cutoff) and cutoff > 0):
        raise ArgumentError(f"is {cutoff!r}", where="identify", argument="cutoff", remedy="a positive frequency in Hz is needed")
    start = q[0] if q.shape[1] == mechanism.nq else None
    if mechanism.nq != mechanism.nv and not given:
        if not mechanism.equations or not set(driven) <= set(mechanism.coordinate_names):
            raise ArgumentError(
                f"identify: {mechanism.name} has ball or free joints, whose speeds are not the derivatives of q; give qd and qdd"
            )
        if start is not None:  # the actuated coordinates tell all others
            q = q[:, [mechanism.coordinate_names.index(name) for name in driven]]
    low_pass, treatment = None, "The speeds and accelerations were given"
    if given:
        qd, qdd = (_array(name, x, len(t), mechanism.speed_names, ()) for name, x in (("qd", qd), ("qdd", qdd)))
        if cutoff is not None:
            t, q, qd, qdd, tau = uniform(t, q, qd, qdd, tau)
            low_pass = LowPass(t, cutoff)
            treatment += f"; the equations were filtered at {cutoff:.3g} Hz"
    else:
        t, q, qd, qdd, tau, low_pass, treatment = _differentiate(t, q, tau, path, cutoff)
    full = np.zeros((len(t), mechanism.nv))
    full[:, [mechanism.speed_names.index(x) for x in (driven if tau.shape[1] != mechanism.nv else mechanism.speed_names)]] = tau
    if q.shape[1] != mechanism.nq:
        q = follow(dyn, q, driven, t, start)
    projection = Projection(dyn, q[len(q) // 2], float(t[len(q) // 2]))
    if names is not None:
        projection.choose(names)
    if not given and not projection.trivial:
        have = driven if qd.shape[1] != mechanism.nv else mechanism.speed_names
        for name in projection.names:
            if name not in have:
                raise ArgumentError(
                    f"identify: {name} moves independently of the actuated joints; give q, qd and qdd of all joints"
                )
        here = [have.index(name) for name in projection.names]
        qd, qdd = projection.complete(q, qd[:, here], qdd[:, here], t)
    return Record(t, q, qd, qdd, full, projection, low_pass, treatment)


def _differentiate(t: np.ndarray, q: np.ndarray, tau: np.ndarray, path: Followed | None, cutoff: float | None) -> tuple[Any, ...]:
    period, own = getattr(path, "period", None), getattr(path, "harmonics", None)
    if path is not None and not callable(path):
        raise ArgumentError(
            f"is a {type(path).__name__}",
            where="identify",
            argument="path",
            remedy="a path is needed, such as one of exciting_path",
        )
    if period is not None and own is not None:
        harmonics = HARMONICS * int(own) if cutoff is None else max(int(own), int(cutoff * period))
        q, qd, qdd = fourier_fit(t, q, float(period), harmonics)
        return t, q, qd, qdd, tau, None, f"The coordinates were fitted with {harmonics} harmonics of {period:g} s"
    t, q, tau = uniform(t, q, tau)
    cutoff = default_cutoff(t, q) if cutoff is None else float(cutoff)
    low_pass = LowPass(t, cutoff)
    q, qd, qdd = differentiated(t, q, low_pass, path)
    what = "deviations of the coordinates from the path" if path is not None else "coordinates"
    told = f"The {what} were filtered at {cutoff:.3g} Hz and differentiated, and the equations were filtered alike"
    return t, q, qd, qdd, tau, low_pass, told


def _times(t: ArrayLike) -> np.ndarray:
    try:
        t = floats(t)
    except (TypeError, ValueError):
        raise ArgumentError("must be an array of times", where="identify", argument="t") from None
    if t.ndim != 1 or len(t) < 20:
        raise ArgumentError(
            f"has shape {t.shape}", where="identify", argument="t", remedy="one time for each of at least 20 rows is needed"
        )
    if not np.isfinite(t).all():
        raise ArgumentError(f"is not finite in row {int(np.argmin(np.isfinite(t)))}", where="identify", argument="t")
    if np.any(np.diff(t) <= 0):
        k = int(np.argmax(np.diff(t) <= 0))
        raise ArgumentError(f"identify: times must increase; {t[k + 1]:g} s follows {t[k]:g} s (row {k})", concerns="t")
    return t


def _array(what: str, given: Any, rows: int, names: tuple[str, ...], fewer: tuple[str, ...]) -> np.ndarray:
    try:
        x = floats(given)
    except (TypeError, ValueError):
        raise ArgumentError("must be an array of numbers", where="identify", argument=what) from None
    if x.ndim == 1 and len(x) == rows and len(names) == 1:
        x = x[:, None]
    widths = {len(names), len(fewer)} - {0}
    if x.ndim != 2 or x.shape[0] != rows or x.shape[1] not in widths:
        wanted = " or ".join(f"({rows}, {width})" for width in sorted(widths, reverse=True))
        raise ArgumentError(
            f"has shape {x.shape}",
            where="identify",
            argument=what,
            remedy=f"{wanted} is needed, a column for each of {', '.join(names[:12])}",
        )
    if not np.isfinite(x).all():
        row, column = np.argwhere(~np.isfinite(x))[0]
        raise ArgumentError(f"is not finite in row {row}, column {column}", where="identify", argument=what)
    return x
