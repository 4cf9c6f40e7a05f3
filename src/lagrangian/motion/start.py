"""Where a run begins: what was given, on its constraints."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from lagrangian.configuration.assemble import assemble, closure_unit, consistent_speeds, guess
from lagrangian.errors import Argument, ArgumentError, LagrangianError, one_of
from lagrangian.kernels.dynamics import Dynamics
from lagrangian.model.configuration import Partial
from lagrangian.model.mechanism import Mechanism

# how far a start may be off its constraints and still be moved onto them without a word
NEAR = 1e-6
LISTED = 12  # coordinates whose values a message gives


def start_of(dyn: Dynamics, q0: Any, qd0: Any, t: float) -> tuple[np.ndarray, np.ndarray]:
    """Coordinates and speeds at time `t`; what is None is the mechanism's own."""
    model = dyn.mechanism
    if isinstance(q0, Mapping):
        guess(dyn, q0)  # names and numbers, said to be those of q0
        q = assemble(dyn, None, q0, t)
        return q, _speeds(dyn, q, qd0, t, None)
    own = model.initial.qd if q0 is None else None
    if isinstance(q0, str) and q0 not in model.poses:
        raise ArgumentError(one_of("pose", q0, model.poses), where=Argument("q0"))
    given = model.initial.q if q0 is None else model.poses[q0] if isinstance(q0, str) else q0
    where = "[initial] q" if q0 is None else f"pose {q0!r}" if isinstance(q0, str) else "q0"
    q = _vector("q0", given, dyn.nq, model.coordinate_names) if given is not None else model.neutral()
    q = _unit(model, q)
    if dyn.holonomic.any():
        if isinstance(given, Partial):
            wanted, q = q, assemble(dyn, given, t=t)
            names = [k for k, name in enumerate(model.coordinate_names) if name in given.given]
            if np.abs((q - wanted)[names]).max(initial=0.0) > NEAR:  # of ball and free joints nothing is held
                raise ArgumentError(_open(dyn, wanted, t, where))
            return q, _speeds(dyn, q, qd0, t, own)
        if given is not None and np.abs(dyn.closure(q, t)).max() > NEAR:
            raise ArgumentError(_open(dyn, q, t, where))
        q = assemble(dyn, q, t=t)
    return q, _speeds(dyn, q, qd0, t, own)


def _open(dyn: Dynamics, q: np.ndarray, t: float, where: str) -> str:
    """That q does not close the loops, by how much, and what does."""
    model, off = dyn.mechanism, np.abs(dyn.closure(q, t))
    names = [n for n, h in zip(dyn.constraint_names, dyn.holonomic, strict=True) if h]
    worst = int(np.argmax(off))
    miss = f"{names[worst]} misses by {off[worst]:.3g}{closure_unit(model, names[worst])}"
    told = f"{model.name}: {where} does not close the loops: {miss}. "
    try:
        near = assemble(dyn, q, t=t, starts=0) if dyn.nq <= LISTED else None
    except LagrangianError:
        near = None
    if near is not None:
        values = ", ".join(f"{n} = {x:.6g}" for n, x in zip(model.coordinate_names, near, strict=True))
        told += f"The nearest configuration that does, lagrangian.assemble(mechanism, q0), has {values}. "
    else:
        told += "lagrangian.assemble(mechanism, q0) finds the nearest configuration that does. "
    example = next((j.name for j in model.joints if j.actuated and j.kind.nq == 1), "")
    k = model.coordinate_names.index(example) if example else 0
    return told + (f"Or give only what is driven, q0={{'{example}': {q[k]:.4g}}}, and the others follow" if example else "")


def _speeds(dyn: Dynamics, q: np.ndarray, qd0: Any, t: float, default: Any) -> np.ndarray:
    model = dyn.mechanism
    wanted = qd0 if qd0 is not None else default
    if isinstance(wanted, Partial):
        wanted = {name: x for name, x in zip(model.speed_names, wanted, strict=True) if name in wanted.given}
    if isinstance(wanted, Mapping):
        for name in wanted:
            if name not in model.speed_names:
                raise ArgumentError(one_of("speed", name, model.speed_names), where=Argument("qd0"))
        return consistent_speeds(dyn, q, None, wanted, t)
    qd = np.zeros(dyn.nv) if wanted is None else _vector("qd0", wanted, dyn.nv, model.speed_names)
    if model.equations:
        rate = np.abs(dyn.constraint_rate(q, qd, t))
        size = 1 + np.abs(dyn.constraint_jacobian(q, t)).max() * np.abs(qd).max()
        if rate.max() > NEAR * size and wanted is not None:
            worst = int(np.argmax(rate))
            raise ArgumentError(
                f"breaks the constraints: {dyn.constraint_names[worst]} changes at {rate[worst]:.3g} a second",
                where=model.name,
                argument="qd0",
                remedy=f"lagrangian.consistent_speeds(mechanism, q, qd0) finds the nearest speeds that keep them; or give the "
                f"driven ones by name, {Argument('qd0', {'joint': 1.0})}",
            )
        qd = consistent_speeds(dyn, q, qd, t=t)
    return qd


def _vector(what: str, given: Any, n: int, names: tuple[str, ...]) -> np.ndarray:
    try:
        array = np.array(given, dtype=float)
    except (TypeError, ValueError):
        raise ArgumentError(f"is {given!r}", argument=what, remedy=f"{n} numbers are needed: {', '.join(names[:12])}") from None
    if array.shape != (n,):
        raise ArgumentError(f"has shape {array.shape}", argument=what, remedy=f"({n},) is needed: {', '.join(names[:12])}")
    if not np.isfinite(array).all():
        raise ArgumentError("has a number that is not finite", argument=what)
    return array


def _unit(model: Mechanism, q: np.ndarray) -> np.ndarray:
    at = 0
    for joint in model.joints:
        if joint.kind.quaternion:
            length = float(np.linalg.norm(q[at : at + 4]))
            if length == 0:
                raise ArgumentError(
                    f"the quaternion of joint {joint.name!r} is zero; (1, 0, 0, 0) is no rotation", where=Argument("q0")
                )
            q[at : at + 4] /= length
        at += joint.kind.nq
    return q
