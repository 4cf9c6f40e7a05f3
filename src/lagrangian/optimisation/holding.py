"""The joint forces that hold a mechanism at rest, with exact derivatives along its parameters.

Of an open mechanism they are its gravity and springs, h. With loops the driven joints alone hold it: by virtual work the force at
the driven joint d is n_d^T h, where n_d are the speeds of all joints as d moves at speed one and the other driven ones stand
still, [Psi; E] n_d = [0; e_d]. Along a parameter, with the driven coordinates where they are and loops closed,

    d(n_d^T h) = n_d^T dh - lambda^T d(Psi n_d),    Psi^T lambda = h - E^T tau.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from lagrangian.arguments import array, texts
from lagrangian.configuration.dynamics_of import dynamics_of
from lagrangian.configuration.loops import Loops
from lagrangian.errors import ArgumentError, Part, one_of
from lagrangian.kernels.dynamics import Dynamics
from lagrangian.model.mechanism import Mechanism
from lagrangian.motion.sensitivity.quantities import CLOSURE, HOLDING, SPEEDS, Quantities
from lagrangian.optimisation.goal import Goal, parameter_values, system_of
from lagrangian.optimisation.led import following, led

RANK = 1e-9
WHERE = "holding_torque"


class HoldingTorque(Goal):
    def __init__(self, poses: Any, joints: Sequence[str] | None = None) -> None:
        self.named = tuple(poses) if isinstance(poses, Mapping) else ()
        columns = [np.atleast_1d(array(x, "poses", WHERE)) for x in poses.values()] if self.named else []
        if self.named and (len({len(x) for x in columns}) > 1 or any(x.ndim > 1 for x in columns)):
            raise ArgumentError("have lists of different lengths; a value for each pose is needed", where=WHERE, argument="poses")
        self.poses = np.stack(columns, axis=1) if self.named else np.atleast_2d(array(poses, "poses", WHERE))
        if self.poses.ndim != 2 or not self.poses.size:
            raise ArgumentError(f"have shape {self.poses.shape}; a row for each pose is needed", where=WHERE, argument="poses")
        if not np.isfinite(self.poses).all():
            raise ArgumentError("have a number that is not finite", where=WHERE, argument="poses")
        self.joints = None if joints is None else list(texts(joints, "joints", WHERE))

    def at(self, mechanism: Mechanism, names: Sequence[str], own: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        dyn = dynamics_of(mechanism)
        counted = [speed(mechanism, name) for name in self.joints or mechanism.speed_names]
        self._check(mechanism)
        if mechanism.equations:
            found, slopes, holding = self._closed(dyn, names)
            counted = [holding.index(k) for k in counted if k in holding]
        else:
            y = np.hstack([self._open(mechanism), np.zeros((len(self.poses), mechanism.nv))])
            open_ = Quantities(system_of(dyn), parameter_values(mechanism, names), [HOLDING])(np.zeros(len(y)), y)[HOLDING]
            found, slopes = open_.value, open_.by_parameter
        return found[:, counted].ravel(), slopes[:, counted].reshape(-1, len(names))

    def _check(self, mechanism: Mechanism) -> None:
        for name in self.named:
            if name not in mechanism.coordinate_names:
                raise ArgumentError(one_of("coordinate", name, mechanism.coordinate_names), where=(WHERE, "poses"))
        if not self.named and self.poses.shape[1] != mechanism.nq:
            needed = f"(poses, {mechanism.nq}) is needed"
            raise ArgumentError(f"have shape {self.poses.shape}; {needed}", where=WHERE, argument="poses")
        missing = [name for name in mechanism.coordinate_names if name not in self.named]
        if self.named and missing and not mechanism.equations:
            raise ArgumentError(
                f"leave out {', '.join(missing)}",
                where=WHERE,
                argument="poses",
                remedy="a mechanism without loops needs all coordinates",
            )

    def _open(self, mechanism: Mechanism) -> np.ndarray:
        """Configurations of a mechanism without loops."""
        return self.poses[:, [self.named.index(name) for name in mechanism.coordinate_names]] if self.named else self.poses

    def _closed(self, dyn: Dynamics, names: Sequence[str]) -> tuple[np.ndarray, np.ndarray, list[int]]:
        """Forces of the joints that hold it (poses, joints), their slopes (poses, joints, names), and where these joints are."""
        model = dyn.mechanism
        if dyn.depends_on_time:
            raise ArgumentError("has constraints that depend on time, so that it does not rest", where=model.name)
        holding = self._holding(model)
        q = self._assembled(dyn, holding)
        leading = [speed(model, name) for name in self.named] or holding
        quantities = Quantities(system_of(dyn), parameter_values(model, names), [HOLDING, CLOSURE, SPEEDS])
        still = quantities(np.zeros(len(q)), np.hstack([q, np.zeros((len(q), dyn.nv))]))
        for k, row in enumerate(q):
            self._moves(dyn, row, leading, k)  # which must determine the pose
        moves = np.array([self._moves(dyn, row, holding, k) for k, row in enumerate(q)])  # (poses, joints, nv)
        h = still[HOLDING].value
        tau = np.einsum("pdv,pv->pd", moves, h)
        moving = [quantities(np.zeros(len(q)), np.hstack([q, moves[:, d]]))[SPEEDS] for d in range(len(holding))]
        slopes = np.zeros((*tau.shape, len(names)))
        for k in range(len(q)):
            dq = following(dyn, q[k], still[CLOSURE], k, np.zeros((dyn.nq, len(names))), leading)
            left = h[k].copy()
            left[holding] -= tau[k]
            multipliers = np.linalg.lstsq(dyn.constraint_jacobian(q[k]).T, left, rcond=RANK)[0]
            dh = still[HOLDING].by_parameter[k] + still[HOLDING].by_state[k, :, : dyn.nq] @ dq
            for d, rate in enumerate(moving):
                turned = rate.by_parameter[k] + rate.by_state[k, :, : dyn.nq] @ dq  # d(Psi n_d)
                slopes[k, d] = moves[k, d] @ dh - multipliers @ turned
        return tau, slopes, holding

    def _holding(self, model: Mechanism) -> list[int]:
        """The places of the joints that hold it: the driven ones; where they are not actuated, those that are named."""
        driven = [name for j in model.joints if j.actuated for name in j.speed_names]
        own = driven if self.joints is None or set(self.joints) <= set(driven) else self.joints
        return [speed(model, name) for name in own]

    def _assembled(self, dyn: Dynamics, holding: list[int]) -> np.ndarray:
        """The poses with loops closed and the joints that hold it where the poses have them."""
        if self.named:
            return led(dyn, self.named, self.poses)
        model = dyn.mechanism
        held = [model.speed_names[k] for k in holding]
        loops = Loops(dyn, 0.0, [name for name in held if name in model.coordinate_names])
        return np.array([loops.closed(row, 0) for row in self.poses])

    def _moves(self, dyn: Dynamics, q: np.ndarray, holding: list[int], pose: int) -> np.ndarray:
        """Speeds of all joints as each that holds moves at speed one, (joints, nv); they must determine all others."""
        model = dyn.mechanism
        psi = dyn.constraint_jacobian(q)
        rows = np.vstack([psi, np.eye(dyn.nv)[holding]])
        freedom = dyn.nv - int(np.linalg.matrix_rank(psi, tol=RANK * max(np.abs(psi).max(initial=0.0), 1e-300)))
        s = np.linalg.svd(rows, compute_uv=False)
        if len(holding) != freedom or s[-1] < RANK * s[0] or len(s) < dyn.nv:
            named = ", ".join(model.speed_names[k] for k in holding) or "no joint"
            why = f"it has {freedom} degree{'s' * (freedom != 1)} of freedom there"
            raise ArgumentError(
                f"cannot be held by {named} in pose {pose}: {why}",
                where=(WHERE, Part("mechanism", model.name)),
                remedy="give as many joints as degrees of freedom, actuated ones or by `joints`, which move all others",
            )
        unit = np.vstack([np.zeros((len(psi), len(holding))), np.eye(len(holding))])
        moves: np.ndarray = np.linalg.lstsq(rows, unit, rcond=None)[0].T
        return moves


def speed(mechanism: Mechanism, name: str) -> int:
    """The place of a joint's speed."""
    if name not in mechanism.speed_names:
        raise ArgumentError(one_of("joint or speed", name, mechanism.speed_names), where="joints")
    return mechanism.speed_names.index(name)
