"""Configurations that close the loops, and speeds that keep them closed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from lagrangian.description.mechanism_of import MechanismLike, mechanism_of
from lagrangian.errors import Argument, ArgumentError, AssemblyError, is_number, one_of, shown
from lagrangian.kernels.dynamics import Dynamics
from lagrangian.kernels.dynamics import compile as compiled
from lagrangian.kernels.linear import RANK
from lagrangian.model.configuration import given_in
from lagrangian.model.mechanism import Mechanism

_RECENT: dict[int, Dynamics] = {}
CLOSED = 1e-12  # of the mechanism's size: a loop that misses by less is closed
ITERATIONS, STARTS = 200, 40


def assemble(
    mechanism: MechanismLike | Dynamics,
    q0: Any = None,
    fixed: Iterable[str] | Mapping[str, float] = (),
    t: float = 0.0,
    starts: int = STARTS,
) -> np.ndarray:
    """A configuration that closes all loops, near a rough one.

    `q0` is where to begin: an array, a mapping of some coordinates, or a pose's name; the mechanism's own start, or all zero,
    if it is not given. `fixed` names coordinates that stay as they are in q0, or maps them to the values they are to have; those
    that a pose, or the mechanism's own start, gives by name stay too. If the nearest descent from q0 does not close the loops,
    others are tried from around it, `starts` times. When there is none, the error says which loops miss, and by how much.
    """
    dyn = dynamics_of(mechanism)
    fixed = fixed or given_of(dyn.mechanism, q0)
    q, free = _begin(dyn, q0, fixed)
    best, miss = _close(dyn, q, free, t)
    rng = np.random.default_rng(0)
    size = _size(dyn, best)
    for k in range(starts):
        if miss <= CLOSED * size:
            return best
        spread = np.pi * (k + 1) / starts
        trial, other = _close(dyn, moved(dyn.mechanism, q, free * rng.normal(scale=spread, size=dyn.nv)), free, t)
        if other < miss:
            best, miss = trial, other
    if miss <= CLOSED * size:
        return best
    raise AssemblyError(_misses(dyn, best, t, fixed))


def assembly_modes(
    mechanism: MechanismLike | Dynamics,
    q0: Any = None,
    fixed: Iterable[str] | Mapping[str, float] = (),
    t: float = 0.0,
    starts: int = 200,
) -> list[np.ndarray]:
    """All different configurations found that close the loops with the `fixed` coordinates as given; those of a planar four-bar
    are the two (or one) of its circles' intersections. Angles are within half a turn of zero.
    """
    dyn = dynamics_of(mechanism)
    fixed = fixed or given_of(dyn.mechanism, q0)
    q, free = _begin(dyn, q0, fixed)
    size = _size(dyn, q)
    rng = np.random.default_rng(0)
    found: list[np.ndarray] = []
    for k in range(starts):
        step = free * rng.uniform(-np.pi, np.pi, dyn.nv) if k else np.zeros(dyn.nv)
        trial, miss = _close(dyn, moved(dyn.mechanism, q, step), free, t)
        trial = turned(dyn, trial)
        if miss <= CLOSED * size and not any(same(dyn, trial, other) for other in found):
            found.append(trial)
    if not found:
        raise AssemblyError(_misses(dyn, assembled_best(dyn, q, free, t), t, fixed))
    return found


def assembled_best(dyn: Dynamics, q: np.ndarray, free: np.ndarray, t: float) -> np.ndarray:
    """As closed as the nearest descent makes it."""
    return _close(dyn, q, free, t)[0]


def consistent_speeds(
    mechanism: MechanismLike | Dynamics, q: Any, qd0: Any = None, fixed: Iterable[str] | Mapping[str, float] = (), t: float = 0.0
) -> np.ndarray:
    """Speeds that keep all constraints, as near to `qd0` as the mass matrix measures it.

    `fixed` names speeds that keep their value in qd0, or maps them to values, as those of driven joints.
    """
    dyn = dynamics_of(mechanism)
    q = np.asarray(q, dtype=float)
    qd = np.zeros(dyn.nv) if qd0 is None else np.array(qd0, dtype=float)
    if qd.shape != (dyn.nv,):
        raise ArgumentError(
            f"has shape {qd.shape}",
            argument="qd0",
            remedy=f"({dyn.nv},) is needed: {', '.join(dyn.mechanism.speed_names[:12])}",
        )
    names = dyn.mechanism.speed_names
    free = np.ones(dyn.nv, dtype=bool)
    for name in fixed:
        if name not in names:
            raise ArgumentError(f"fixed: {one_of('speed', name, names)}")
        free[names.index(name)] = False
        if isinstance(fixed, Mapping):
            qd[names.index(name)] = float(fixed[name])
    if not len(dyn.constraint_names):
        return qd
    psi, rate = dyn.constraint_jacobian(q, t), dyn.constraint_rate(q, qd, t)
    M = dyn.mass_matrix(q)[np.ix_(free, free)]
    L = np.linalg.cholesky(M)
    half = np.linalg.solve(L, psi[:, free].T).T
    qd[free] += np.linalg.solve(L.T, np.linalg.lstsq(half, -rate, rcond=RANK)[0])
    left = np.abs(dyn.constraint_rate(q, qd, t))
    held = f" with {', '.join(fixed)} given" if list(fixed) else ""
    worst = int(np.argmax(left))
    if left[worst] > 1e-9 * (1 + np.abs(psi).max() * np.abs(qd).max()):
        raise AssemblyError(
            f"no speeds keep the constraints{held}: {dyn.constraint_names[worst]} is left with a rate of {left[worst]:.3g}"
        )
    return qd


# -- closing ---------------------------------------------------------------------------------------------------------


def dynamics_of(mechanism: MechanismLike | Dynamics) -> Dynamics:
    """The compiled dynamics of a mechanism, which may be given by its file or by its name in the library."""
    if isinstance(mechanism, Dynamics):
        return mechanism
    mechanism = mechanism_of(mechanism)
    # the functions of the mechanisms used last stay loaded: the same object is often asked about again
    found = _RECENT.pop(id(mechanism), None)
    if found is None or found.mechanism is not mechanism:
        found = compiled(mechanism)
    _RECENT[id(mechanism)] = found
    while len(_RECENT) > 16:
        _RECENT.pop(next(iter(_RECENT)))
    return found


def _begin(dyn: Dynamics, q0: Any, fixed: Iterable[str] | Mapping[str, float]) -> tuple[np.ndarray, np.ndarray]:
    """Where to start, and 1 for every speed that may change."""
    mechanism, q = dyn.mechanism, guess(dyn, q0)
    free = np.ones(dyn.nv)
    if isinstance(fixed, str):
        fixed = (fixed,)
    places = single_coordinates(mechanism)
    for name in fixed:
        if name not in places:
            raise ArgumentError(f"fixed: {one_of('coordinate', name, places)}")
        iq, iv = places[name]
        free[iv] = 0.0
        if isinstance(fixed, Mapping):
            q[iq] = number(fixed[name], f"fixed: {name!r}")
    return q, free


def guess(dyn: Dynamics, q0: Any) -> np.ndarray:
    """Where to begin: the mechanism's own start, but for what is said."""
    model = dyn.mechanism
    q = np.array(model.neutral() if model.initial.q is None else model.initial.q, dtype=float)
    if q0 is None:
        return q
    if isinstance(q0, str):
        if q0 not in model.poses:
            raise ArgumentError(one_of("pose", q0, model.poses), where=Argument("q0"))
        return np.array(model.poses[q0], dtype=float)
    if isinstance(q0, Mapping):
        known = single_coordinates(model)
        for name, value in q0.items():
            if name not in known:
                raise ArgumentError(one_of("coordinate", name, known), where=Argument("q0"))
            q[known[name][0]] = number(value, f"q0 of {name!r}")
        return q
    try:
        given = np.array(q0, dtype=float)
    except (TypeError, ValueError):
        given = np.zeros(0)
    if given.shape != (dyn.nq,) or not np.isfinite(given).all():
        raise ArgumentError(
            f"is {shown(q0)}",
            argument="q0",
            remedy=f"{dyn.nq} finite numbers are needed: {', '.join(model.coordinate_names[:12])}",
        )
    return given


def given_of(model: Mechanism, q0: Any) -> tuple[str, ...]:
    """The coordinates that stay where a description gives only some of them, in a pose or in its own start."""
    said = given_in(model.initial.q if q0 is None else model.poses.get(q0) if isinstance(q0, str) else q0)
    single = single_coordinates(model)
    return tuple(name for name in said or () if name in single)


def number(given: Any, what: str) -> float:
    if not is_number(given):
        raise ArgumentError(f"{what} is {shown(given)}; a finite number is needed")
    return float(given)


def single_coordinates(mechanism: Mechanism) -> dict[str, tuple[int, int]]:
    """Coordinates that have a speed of their own: their places in q and in qd."""
    found: dict[str, tuple[int, int]] = {}
    iq = iv = 0
    for joint in mechanism.joints:
        if joint.kind.nq == joint.kind.nv:
            found |= {name: (iq + k, iv + k) for k, name in enumerate(joint.coordinate_names)}
        iq, iv = iq + joint.kind.nq, iv + joint.kind.nv
    return found


def _close(dyn: Dynamics, q: np.ndarray, free: np.ndarray, t: float) -> tuple[np.ndarray, float]:
    """Levenberg and Marquardt's descent on |eta|^2; where it ended, and how far the worst loop misses."""
    mechanism = dyn.mechanism
    holonomic = dyn.holonomic
    if not holonomic.any():
        return q, 0.0
    eta = dyn.closure(q, t)
    damping, error = 1e-10, float(eta @ eta)  # Newton first: most starts are near
    for _ in range(ITERATIONS):
        if error == 0:
            break
        psi = dyn.constraint_jacobian(q, t)[holonomic] * free
        scale = max(1e-300, float(np.trace(psi @ psi.T)) / max(1, len(psi)))
        if damping < 1e-9:
            step = -np.linalg.lstsq(psi, eta, rcond=1e-12)[0]
        else:
            step = -psi.T @ np.linalg.solve(psi @ psi.T + damping * scale * np.eye(len(psi)), eta)
        longest = float(np.abs(step).max())
        step *= min(1.0, 1.0 / max(longest, 1e-300))
        trial = moved(mechanism, q, step)
        after = dyn.closure(trial, t)
        new = float(after @ after)
        if new < error:
            done = new >= 0.25 * error and new < 1e-28
            q, eta, error, damping = trial, after, new, damping / 10
            if done:
                break
        elif damping < 1e-9 and error < 1e-26:
            break
        else:
            damping = max(1e-5, 10 * damping)
            if damping > 1e8:
                break
    return q, float(np.abs(eta).max())


def moved(mechanism: Mechanism, q: np.ndarray, step: np.ndarray) -> np.ndarray:
    """q moved along speeds for a unit of time, one configuration or many: quaternions stay of length one."""
    shape = np.broadcast_shapes(q.shape[:-1], step.shape[:-1])
    q = np.broadcast_to(q, (*shape, q.shape[-1])).copy()
    iq = iv = 0
    for joint in mechanism.joints:
        nq, nv = joint.kind.nq, joint.kind.nv
        q[..., iq : iq + nq] = joint.kind.moved(q[..., iq : iq + nq], step[..., iv : iv + nv])
        iq, iv = iq + joint.kind.nq, iv + joint.kind.nv
    return q


def _size(dyn: Dynamics, q: np.ndarray) -> float:
    """A length to measure closure by: how far a loop moves by unit speeds."""
    psi = dyn.constraint_jacobian(q)
    return max(1.0, float(np.abs(psi).max())) if psi.size else 1.0


def turned(dyn: Dynamics, q: np.ndarray) -> np.ndarray:
    """The same configuration with its angles within half a turn of zero."""
    q = q.copy()
    angles = list(dyn.angles)
    q[angles] = (q[angles] + np.pi) % (2 * np.pi) - np.pi
    return q


def same(dyn: Dynamics, a: np.ndarray, b: np.ndarray) -> bool:
    """Whether two configurations are, but for whole turns."""
    angles = list(dyn.angles)
    d = a - b
    d[angles] = np.sin(d[angles] / 2)
    return bool(np.abs(d).max() < 1e-6)


def closure_unit(mechanism: Mechanism, name: str) -> str:
    """Of what an equation of `closure` misses by: lengths of loops and of contacts; directions and expressions have none."""
    loop, _, label = name.rpartition(".")
    lengths = (loop in (x.name for x in mechanism.loops) and label in ("x", "y", "z", "length")) or label == "contact"
    return " m" if lengths else ""


def _misses(dyn: Dynamics, q: np.ndarray, t: float, fixed: Iterable[str]) -> str:
    eta = np.abs(dyn.closure(q, t))
    names = [n for n, h in zip(dyn.constraint_names, dyn.holonomic, strict=True) if h]
    loops: dict[str, float] = {}
    units: dict[str, str] = {}
    for name, miss in zip(names, eta, strict=True):
        loop = name.rpartition(".")[0] or name
        loops[loop] = float(np.hypot(loops.get(loop, 0.0), miss))
        units[loop] = closure_unit(dyn.mechanism, name) if units.get(loop, " m") == " m" else ""
    worst = sorted(loops.items(), key=lambda x: -x[1])
    told = ", ".join(f"{name!r} misses by {miss:.3g}{units[name]}" for name, miss in worst[:4] if miss > 1e-9)
    held = f" with {', '.join(fixed)} fixed" if list(fixed) else ""
    return (
        f"{dyn.mechanism.name}: no configuration was found that closes the loops{held}: at the nearest {told}. "
        f"Lengths or placements may not fit, or a start nearer to the wanted configuration is needed"
    )
