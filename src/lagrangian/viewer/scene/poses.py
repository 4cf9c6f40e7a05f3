"""Where the bodies are in one configuration or in many: plain numpy, as nothing need be compiled to be looked at."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from lagrangian.errors import ArgumentError, LagrangianError, MechanismWarning, one_of, warn
from lagrangian.model.constraint import Holonomic, Rolling
from lagrangian.model.joints.displacement import displacement
from lagrangian.model.loops.numeric import closure
from lagrangian.model.mechanism import GROUND, Mechanism


def body_poses(mechanism: Mechanism, q: Any) -> dict[str, np.ndarray]:
    """The homogeneous matrices (rows, 4, 4) of the ground and all bodies at configurations (rows, nq)."""
    q = np.atleast_2d(np.asarray(q, dtype=float))
    first = np.cumsum([0, *(j.kind.nq for j in mechanism.joints)])
    start = {j.name: int(k) for j, k in zip(mechanism.joints, first, strict=False)}
    poses = {GROUND: np.broadcast_to(np.eye(4), (len(q), 4, 4))}
    for joint in mechanism.outward():
        k = start[joint.name]
        moved = displacement(joint, q[:, k : k + joint.kind.nq])
        poses[joint.child] = poses[joint.parent] @ joint.placement.matrix() @ moved @ joint.child_placement.inverse().matrix()
    return poses


def all_poses(mechanism: Mechanism, q: Any) -> np.ndarray:
    """(rows, frames, 4, 4): the ground, the bodies, then the named frames, as a scene lists them."""
    poses = body_poses(mechanism, q)
    found = [poses[GROUND], *(poses[b.name] for b in mechanism.bodies)]
    found += [poses[f.body] @ f.placement.matrix() for f in mechanism.frames]
    return np.stack(found, axis=1)


def frame_names(mechanism: Mechanism) -> tuple[str, ...]:
    return (GROUND, *(b.name for b in mechanism.bodies), *(f.name for f in mechanism.frames))


# -- the configuration to be drawn -------------------------------------------------------------------------------------


def configuration(mechanism: Mechanism, q: Any = None) -> np.ndarray:
    """The numbers of a configuration: an array as it is, a pose by its name, some coordinates by theirs; else the best there is.

    That is where a simulation starts, the first named pose, or all zero. Where loops do not close there, the nearest
    configuration in which they do; if none is found, a warning says so.
    """
    if isinstance(q, str):
        if q not in mechanism.poses:
            raise ArgumentError(f"q: {one_of('pose', q, mechanism.poses)}")
        return _closed(mechanism, np.array(mechanism.poses[q], dtype=float), _given(mechanism, mechanism.poses[q]))
    if isinstance(q, Mapping):
        start = _start(mechanism)
        for name, value in q.items():
            if name not in mechanism.coordinate_names:
                raise ArgumentError(f"q: {one_of('coordinate', name, mechanism.coordinate_names)}")
            start[mechanism.coordinate_names.index(name)] = float(value)
        return _closed(mechanism, start, tuple(q))
    if q is None:
        return _closed(mechanism, _start(mechanism), _given(mechanism, mechanism.initial.q))
    try:
        given = np.array(q, dtype=float)
    except (TypeError, ValueError):
        raise ArgumentError(f"q is a {type(q).__name__}; {mechanism.nq} numbers, or the name of a pose, are needed") from None
    if given.shape != (mechanism.nq,) or not np.isfinite(given).all():
        names = ", ".join(mechanism.coordinate_names[:8]) + (", ..." if mechanism.nq > 8 else "")
        raise ArgumentError(f"q is of shape {given.shape}; {mechanism.nq} finite numbers are needed: {names}")
    return given


def _given(mechanism: Mechanism, q: Any) -> tuple[str, ...]:
    from lagrangian.configuration.assemble import given_of

    return given_of(mechanism, q) if q is not None else ()


def _start(mechanism: Mechanism) -> np.ndarray:
    if mechanism.initial.q is not None:
        return np.array(mechanism.initial.q, dtype=float)
    for pose in mechanism.poses.values():
        return np.array(pose, dtype=float)
    return mechanism.neutral()


def _closed(mechanism: Mechanism, q: np.ndarray, fixed: tuple[str, ...]) -> np.ndarray:
    if not mechanism.equations or (not _conditions(mechanism) and _gap(mechanism, q) < 1e-9):
        return q
    from lagrangian.configuration.assemble import assemble

    try:
        return assemble(mechanism, q, fixed)
    except LagrangianError as error:
        warn(f"{mechanism.name} is drawn with loops that do not close: {error}", MechanismWarning)
        return q


def _conditions(mechanism: Mechanism) -> bool:
    """Whether there is more to close than loops that hold points together, where a look at the points would not tell."""
    return any(isinstance(c, Holonomic | Rolling) for c in mechanism.constraints)


def _gap(mechanism: Mechanism, q: np.ndarray) -> float:
    """The widest opening of a loop, over the mechanism's size."""
    poses = body_poses(mechanism, q)
    worst, size = 0.0, 1e-9
    for loop in mechanism.loops:
        a, b = poses[loop.a][0], poses[loop.b][0]
        size = max(size, *(float(np.abs(T[:3, 3]).max()) for T in (a @ loop.a_placement.matrix(), b @ loop.b_placement.matrix())))
        worst = max(worst, *np.abs(closure(loop, a, b)))
    return worst / size
