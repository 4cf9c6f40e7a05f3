"""The goal of small holding torques: the joint forces that hold a mechanism at rest, with exact derivatives by parameters.

Those of an open mechanism are its gravity and spring forces h. With loops the driven joints alone hold it: by virtual work the
force at the driven joint d is n_d^T h, where n_d are the speeds of all joints while d moves at speed one and the other driven
ones stand still, [Psi; E] n_d = [0; e_d]. Along a parameter, with the driven coordinates fixed and loops closed,

    d(n_d^T h) = n_d^T dh - lambda^T d(Psi n_d),    Psi^T lambda = h - E^T tau.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from lagrangian.arguments import array, texts
from lagrangian.configuration.assemble import assemble_along
from lagrangian.configuration.loop_closure import LoopClosure
from lagrangian.configuration.start import as_dynamics
from lagrangian.errors import ArgumentError, MechanismPart, unknown_name_message
from lagrangian.kernels.dynamics import Dynamics
from lagrangian.model.mechanism import Mechanism
from lagrangian.motion.sensitivity.quantities import CLOSURE, HOLDING, SPEEDS, Quantities
from lagrangian.optimisation.goal import Goal, configuration_derivatives, parameter_values, system_at_rest

RANK_TOLERANCE = 1e-9
FUNCTION_NAME = "holding_torque"


class HoldingTorque(Goal):
    """The joint forces that hold a mechanism at rest in some poses, as residuals."""

    def __init__(self, poses: Any, joints: Sequence[str] | None = None) -> None:
        self.named_coordinates = tuple(poses) if isinstance(poses, Mapping) else ()
        columns = [np.atleast_1d(array(x, "poses", FUNCTION_NAME)) for x in poses.values()] if self.named_coordinates else []
        if self.named_coordinates and (len({len(x) for x in columns}) > 1 or any(x.ndim > 1 for x in columns)):
            raise ArgumentError(
                "have lists of different lengths; a value for each pose is needed", where=FUNCTION_NAME, argument="poses"
            )
        self.poses = np.stack(columns, axis=1) if self.named_coordinates else np.atleast_2d(array(poses, "poses", FUNCTION_NAME))
        if self.poses.ndim != 2 or not self.poses.size:
            raise ArgumentError(
                f"have shape {self.poses.shape}; a row for each pose is needed", where=FUNCTION_NAME, argument="poses"
            )
        if not np.isfinite(self.poses).all():
            raise ArgumentError("have a number that is not finite", where=FUNCTION_NAME, argument="poses")
        self.joints = None if joints is None else list(texts(joints, "joints", FUNCTION_NAME))

    def evaluate(self, mechanism: Mechanism, names: Sequence[str], unknowns: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        dyn = as_dynamics(mechanism)
        selected = [speed_index(mechanism, name) for name in self.joints or mechanism.speed_names]
        self._check_poses(mechanism)
        if mechanism.equation_count:
            forces, slopes, holding = self._constrained_forces(dyn, names)
            selected = [holding.index(k) for k in selected if k in holding]
        else:
            y = np.hstack([self._tree_configurations(mechanism), np.zeros((len(self.poses), mechanism.nv))])
            quantities = Quantities(system_at_rest(dyn), parameter_values(mechanism, names), [HOLDING])
            holding_forces = quantities(np.zeros(len(y)), y)[HOLDING]
            forces, slopes = holding_forces.value, holding_forces.by_parameter
        return forces[:, selected].ravel(), slopes[:, selected].reshape(-1, len(names))

    def _check_poses(self, mechanism: Mechanism) -> None:
        for name in self.named_coordinates:
            if name not in mechanism.coordinate_names:
                raise ArgumentError(
                    unknown_name_message("coordinate", name, mechanism.coordinate_names), where=(FUNCTION_NAME, "poses")
                )
        if not self.named_coordinates and self.poses.shape[1] != mechanism.nq:
            needed = f"(poses, {mechanism.nq}) is needed"
            raise ArgumentError(f"have shape {self.poses.shape}; {needed}", where=FUNCTION_NAME, argument="poses")
        missing = [name for name in mechanism.coordinate_names if name not in self.named_coordinates]
        if self.named_coordinates and missing and not mechanism.equation_count:
            raise ArgumentError(
                f"leave out {', '.join(missing)}",
                where=FUNCTION_NAME,
                argument="poses",
                remedy="a mechanism without loops needs all coordinates",
            )

    def _tree_configurations(self, mechanism: Mechanism) -> np.ndarray:
        """Configurations of a mechanism without loops."""
        return (
            self.poses[:, [self.named_coordinates.index(name) for name in mechanism.coordinate_names]]
            if self.named_coordinates
            else self.poses
        )

    def _constrained_forces(self, dyn: Dynamics, names: Sequence[str]) -> tuple[np.ndarray, np.ndarray, list[int]]:
        """Forces of the holding joints (poses, joints), their slopes (poses, joints, names), and the joints' indices."""
        model = dyn.mechanism
        if dyn.depends_on_time:
            raise ArgumentError("has constraints that depend on time, so that it does not rest", where=model.name)
        holding = self._holding_indices(model)
        q = self._assemble_poses(dyn, holding)
        leading = [speed_index(model, name) for name in self.named_coordinates] or holding
        quantities = Quantities(system_at_rest(dyn), parameter_values(model, names), [HOLDING, CLOSURE, SPEEDS])
        at_rest = quantities(np.zeros(len(q)), np.hstack([q, np.zeros((len(q), dyn.nv))]))
        for k, row in enumerate(q):
            self._unit_motions(dyn, row, leading, k)  # raises an error unless they determine the pose
        unit_motions = np.array([self._unit_motions(dyn, row, holding, k) for k, row in enumerate(q)])  # (poses, joints, nv)
        h = at_rest[HOLDING].value
        tau = np.einsum("pdv,pv->pd", unit_motions, h)
        moving_rates = [quantities(np.zeros(len(q)), np.hstack([q, unit_motions[:, d]]))[SPEEDS] for d in range(len(holding))]
        slopes = np.zeros((*tau.shape, len(names)))
        for k in range(len(q)):
            dq = configuration_derivatives(dyn, q[k], at_rest[CLOSURE], k, np.zeros((dyn.nq, len(names))), leading)
            passive_forces = h[k].copy()
            passive_forces[holding] -= tau[k]
            multipliers = np.linalg.lstsq(dyn.constraint_jacobian(q[k]).T, passive_forces, rcond=RANK_TOLERANCE)[0]
            dh = at_rest[HOLDING].by_parameter[k] + at_rest[HOLDING].by_state[k, :, : dyn.nq] @ dq
            for d, rate in enumerate(moving_rates):
                constraint_slope = rate.by_parameter[k] + rate.by_state[k, :, : dyn.nq] @ dq  # d(Psi n_d)
                slopes[k, d] = unit_motions[k, d] @ dh - multipliers @ constraint_slope
        return tau, slopes, holding

    def _holding_indices(self, model: Mechanism) -> list[int]:
        """The indices of the joints that hold the mechanism: the actuated ones, or `joints` if these name others."""
        driven = [name for j in model.joints if j.actuated for name in j.speed_names]
        joint_names = driven if self.joints is None or set(self.joints) <= set(driven) else self.joints
        return [speed_index(model, name) for name in joint_names]

    def _assemble_poses(self, dyn: Dynamics, holding: list[int]) -> np.ndarray:
        """The poses with loops closed and with the holding joints as given."""
        if self.named_coordinates:
            return assemble_along(dyn, self.named_coordinates, self.poses)
        model = dyn.mechanism
        holding_names = [model.speed_names[k] for k in holding]
        loops = LoopClosure(dyn, 0.0, [name for name in holding_names if name in model.coordinate_names])
        return np.array([loops.close(row, 0) for row in self.poses])

    def _unit_motions(self, dyn: Dynamics, q: np.ndarray, holding: list[int], pose: int) -> np.ndarray:
        """The speeds of all joints (joints, nv) as each holding joint moves at speed one; an error unless determined."""
        model = dyn.mechanism
        psi = dyn.constraint_jacobian(q)
        rows = np.vstack([psi, np.eye(dyn.nv)[holding]])
        freedom = dyn.nv - int(np.linalg.matrix_rank(psi, tol=RANK_TOLERANCE * max(np.abs(psi).max(initial=0.0), 1e-300)))
        s = np.linalg.svd(rows, compute_uv=False)
        if len(holding) != freedom or s[-1] < RANK_TOLERANCE * s[0] or len(s) < dyn.nv:
            joint_list = ", ".join(model.speed_names[k] for k in holding) or "no joint"
            reason = f"it has {freedom} degree{'s' * (freedom != 1)} of freedom there"
            raise ArgumentError(
                f"cannot be held by {joint_list} in pose {pose}: {reason}",
                where=(FUNCTION_NAME, MechanismPart("mechanism", model.name)),
                remedy="give as many joints as degrees of freedom, actuated ones or by `joints`, which move all others",
            )
        unit = np.vstack([np.zeros((len(psi), len(holding))), np.eye(len(holding))])
        motions: np.ndarray = np.linalg.lstsq(rows, unit, rcond=None)[0].T
        return motions


def speed_index(mechanism: Mechanism, name: str) -> int:
    """The index of a joint's speed."""
    if name not in mechanism.speed_names:
        raise ArgumentError(unknown_name_message("joint or speed", name, mechanism.speed_names), where="joints")
    return mechanism.speed_names.index(name)
