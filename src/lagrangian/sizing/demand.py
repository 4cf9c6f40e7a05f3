"""The demand of a task on each actuated joint: torques, speeds, powers, energies and the inertia behind the joint."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any, Protocol

import numpy as np
from numpy.typing import ArrayLike

from lagrangian.cached import cached_property
from lagrangian.configuration.speeds import actuated_speed_mask
from lagrangian.errors import ArgumentError
from lagrangian.kernels.dynamics import Dynamics
from lagrangian.kernels.least_squares import RANK_TOLERANCE, null_space
from lagrangian.model.joint import Joint
from lagrangian.model.mechanism import Mechanism

MAX_SAMPLES = 2000  # rows at which inertias are computed


@dataclass(frozen=True)
class Demand:
    """The demand of a task on one joint.

    Units are N m and rad, or N and m for a joint that slides. Means are over the whole cycle. The rotor of the description is
    included.

    Attributes
    ----------
    joint : str
        The joint.
    slides : bool
        Whether it slides.
    cycle_time : float
        The duration of a cycle, in s.
    peak_torque, peak_time : float
        The largest magnitude of the torque, and its time in s.
    rms_torque : float
        The root mean square of the torque. It is the continuous torque that the joint needs, because losses in a winding grow
        with the square of the torque.
    mean_torque : float
        The mean magnitude of the torque.
    wear_torque : float
        The torque that wears a gear: the cube root of the integral of the magnitude of w tau^3 over that of w.
    peak_speed, rms_speed, peak_acceleration, rms_acceleration : float
        Peaks and root mean squares of speed and acceleration.
    peak_power, peak_power_back : float
        The largest power to the joint, and the largest power back from it, in W.
    energy, energy_back : float
        The energy to the joint and back from it in a cycle, in J.
    load_inertia, load_inertia_max : float
        The mean and the largest inertia behind the joint without its own rotor. The other driven joints stand still, or are free
        if a mechanism with loops has more or fewer actuators than degrees of freedom.
    load_factor : float
        2 (qdd_rms rms_load + mean(load qdd)), in W/s. Without losses, no gear lets a motor with a smaller `power_rate` do
        the task.
    rms_load : float
        The root mean square of the torque without the rotor.

    Examples
    --------
    >>> import lagrangian as lg
    >>> motion = lg.inverse("two_r", lg.paths.joint_line([0.0, 0.0], [1.0, -0.5], 1.0))
    >>> demand = lg.size_actuators("two_r", motion, catalogue=False).demand["theta1"]
    >>> print(f"{demand.peak_torque:.1f} {demand.units[0]} at {demand.peak_time:.2f} s, RMS {demand.rms_torque:.1f}")
    486.2 N m at 0.21 s, RMS 303.6
    """

    joint: str
    slides: bool
    cycle_time: float
    peak_torque: float
    peak_time: float
    rms_torque: float
    mean_torque: float
    wear_torque: float
    peak_speed: float
    rms_speed: float
    peak_acceleration: float
    rms_acceleration: float
    peak_power: float
    peak_power_back: float
    energy: float
    energy_back: float
    load_inertia: float
    load_inertia_max: float
    load_factor: float
    rms_load: float

    @property
    def units(self) -> tuple[str, str, str]:
        """The units of torque, speed and inertia."""
        return ("N", "m/s", "kg") if self.slides else ("N m", "rad/s", "kg m²")

    def optimal_ratio(self, inertia: float) -> float:
        """Return the gear ratio at which a rotor needs the smallest RMS torque, without losses.

        Parameters
        ----------
        inertia : float
            The inertia of the rotor in kg m^2.

        Returns
        -------
        float
            The ratio, in rad/m for a slide. For a load of inertia alone it is sqrt(load inertia / rotor inertia); for a joint
            that never accelerates it is infinite.
        """
        a = inertia * self.rms_acceleration
        return math.sqrt(self.rms_load / a) if a > 0 else math.inf


class MotionRows(Protocol):
    """Rows of a motion that was computed elsewhere: a row for each time, and a column for each coordinate or speed."""

    t: ArrayLike
    q: ArrayLike
    qd: ArrayLike
    qdd: ArrayLike
    tau: ArrayLike


@dataclass(frozen=True, eq=False)
class TaskRows:
    """The rows of a task, a column for each actuated speed; each stands for `weight` seconds, and the last is the dwell, if any.

    `load` is the torque at the joint without any rotor there. A rotor of reflected inertia R adds R qdd to the torque of its own
    joint: the equations of motion gain R qdd in that row alone, and the multipliers stay the same. With more actuators than
    degrees of freedom the torques are the smallest ones, and `share` (rows, k, k) projects that addition on them.
    """

    names: tuple[str, ...]
    joints: tuple[Joint, ...]
    speed_indices: tuple[int, ...]
    t: np.ndarray
    weight: np.ndarray
    qd: np.ndarray
    qdd: np.ndarray
    load: np.ndarray
    share: np.ndarray | None
    inertia: tuple[np.ndarray, np.ndarray]  # behind each joint: the mean and the largest

    @classmethod
    def from_motion(cls, dyn: Dynamics, motion: Any, dwell: float, hold_at_rest: bool) -> TaskRows:
        """The rows of a motion, after checks, with a dwell at its end."""
        mechanism = dyn.mechanism
        t, q, qd, qdd, tau = _motion_arrays(mechanism, motion)
        driven = np.flatnonzero(actuated_speed_mask(mechanism)).tolist()
        if not driven:
            raise ArgumentError(f"{mechanism.name}: no joint is actuated, so there is nothing to size")
        joint_of_speed = [joint for joint in mechanism.joints for _ in range(joint.kind.nv)]
        joints = tuple(joint_of_speed[k] for k in driven)
        reflected = np.array([float(j.rotor.reflected_inertia) for j in joints])
        sampled_rows = sample_rows(t)
        basis = null_space(dyn.constraint_jacobian(q[sampled_rows], t[sampled_rows])) if mechanism.equation_count else None
        load_inertias = _actuator_inertia(dyn, q[sampled_rows], driven, basis) - reflected
        mean_inertia = trapezoid_weights(t[sampled_rows]) @ load_inertias / float(t[-1] - t[0])
        share = _actuator_share(dyn, q, t, driven) if basis is not None and basis.shape[2] < len(driven) else None
        rows = cls(
            names=tuple(mechanism.speed_names[k] for k in driven),
            joints=joints,
            speed_indices=tuple(driven),
            t=t,
            weight=trapezoid_weights(t),
            qd=qd[:, driven],
            qdd=qdd[:, driven],
            load=tau[:, driven] - _apply_share(share, reflected * qdd[:, driven]),
            share=share,
            inertia=(mean_inertia, load_inertias.max(axis=0)),
        )
        if dwell <= 0:
            return rows
        last_basis = None if basis is None else basis[-1]
        return rows.with_dwell(dwell, _holding_torque(dyn, q[-1], driven, last_basis) if hold_at_rest else np.zeros(len(driven)))

    def with_dwell(self, dwell: float, holding_torque: np.ndarray) -> TaskRows:
        """The rows with one more, which stands for a rest of so many seconds with these torques."""
        if np.any(np.abs(self.qd[-1]) > 1e-3 * np.abs(self.qd).max()):
            raise ArgumentError("a dwell needs a motion that ends at rest, but the last row still moves", concerns="dwell")
        zeros = np.zeros((1, len(self.names)))
        return replace(
            self,
            t=np.append(self.t, self.t[-1] + dwell),
            weight=np.append(self.weight, dwell),
            qd=np.vstack([self.qd, zeros]),
            qdd=np.vstack([self.qdd, zeros]),
            load=np.vstack([self.load, holding_torque]),
            share=None if self.share is None else np.concatenate([self.share, self.share[-1:]]),
        )

    @cached_property
    def cycle_time(self) -> float:
        return float(self.weight.sum())

    def torque(self, reflected: np.ndarray) -> np.ndarray:
        """The torques at the joints, with rotors of these reflected inertias."""
        return self.load + _apply_share(self.share, reflected * self.qdd)

    def gear_forces(self, reflected: np.ndarray) -> np.ndarray:
        """The torque through each gear: that of the joint without that of its own rotor."""
        return self.load if self.share is None else self.torque(reflected) - reflected * self.qdd

    def mean(self, x: np.ndarray) -> Any:
        """The mean over the cycle, along the rows."""
        return np.einsum("s,s...->...", self.weight, x) / self.cycle_time

    def rms(self, x: np.ndarray) -> Any:
        """The root mean square over the cycle, along the rows."""
        return np.sqrt(self.mean(x * x))

    def wear_torque(self, k: int, tau: np.ndarray) -> float:
        """The constant torque that wears a gear as fast as this varying one: its cube counts, for every radian."""
        mean_speed = float(self.mean(np.abs(self.qd[:, k])))
        return float(self.mean(np.abs(self.qd[:, k] * tau**3)) / mean_speed) ** (1 / 3) if mean_speed > 0 else 0.0

    def demand(self, k: int, torque: np.ndarray) -> Demand:
        """The demand of one joint, for these torques of all joints."""
        tau, qd, qdd = torque[:, k], self.qd[:, k], self.qdd[:, k]
        load = self.load[:, k]
        power, cycle = tau * qd, self.cycle_time
        worst = int(np.argmax(np.abs(tau)))
        rms_qdd, rms_load = float(self.rms(qdd)), float(self.rms(load))
        return Demand(
            joint=self.names[k],
            slides=dict(zip(self.joints[k].speed_names, self.joints[k].slides, strict=True))[self.names[k]],
            cycle_time=cycle,
            peak_torque=float(np.abs(tau[worst])),
            peak_time=float(self.t[worst]),
            rms_torque=float(self.rms(tau)),
            mean_torque=float(self.mean(np.abs(tau))),
            wear_torque=self.wear_torque(k, tau),
            peak_speed=float(np.abs(qd).max()),
            rms_speed=float(self.rms(qd)),
            peak_acceleration=float(np.abs(qdd).max()),
            rms_acceleration=rms_qdd,
            peak_power=float(max(0.0, power.max())),
            peak_power_back=float(max(0.0, -power.min())),
            energy=float(self.mean(np.maximum(power, 0.0)) * cycle),
            energy_back=float(self.mean(np.maximum(-power, 0.0)) * cycle),
            load_inertia=float(self.inertia[0][k]),
            load_inertia_max=float(self.inertia[1][k]),
            load_factor=2 * (rms_qdd * rms_load + float(self.mean(load * qdd))),
            rms_load=rms_load,
        )


def _motion_arrays(mechanism: Mechanism, motion: Any) -> list[np.ndarray]:
    """The arrays t, q, qd, qdd and tau of a motion, checked."""
    arrays: list[np.ndarray] = []
    for name, width in (("t", 0), ("q", mechanism.nq), ("qd", mechanism.nv), ("qdd", mechanism.nv), ("tau", mechanism.nv)):
        if not hasattr(motion, name):
            raise ArgumentError(
                f"has no {name!r}; a result of inverse() or simulate(), or an object with t, q, qd, qdd and tau, is needed",
                argument="motion",
            )
        try:
            x = np.asarray(getattr(motion, name), dtype=float)
        except (TypeError, ValueError):
            raise ArgumentError(f"motion.{name} is not an array of numbers", concerns="motion") from None
        rows = len(arrays[0]) if arrays else len(x) if x.ndim else 0
        shape = (rows, width) if width or name != "t" else (rows,)
        if x.shape != shape or rows < 2:
            needed = f"({rows}, {width})" if name != "t" else "(rows,), at least 2,"
            raise ArgumentError(
                f"motion.{name} has shape {x.shape}; {needed} is needed for {mechanism.name!r}", concerns="motion"
            )
        if not np.isfinite(x).all():
            row = int(np.argmax(~np.isfinite(x.reshape(rows, -1)).all(axis=1)))
            raise ArgumentError(f"motion.{name} has a number that is not finite, in row {row}", concerns="motion")
        arrays.append(x)
    if np.any(np.diff(arrays[0]) < 0) or arrays[0][-1] <= arrays[0][0]:
        raise ArgumentError("motion.t must increase", concerns="motion")
    return arrays


def sample_rows(t: np.ndarray) -> np.ndarray:
    """The indices of at most `MAX_SAMPLES` rows, with the first and the last among them."""
    return np.unique(np.linspace(0, len(t) - 1, min(len(t), MAX_SAMPLES)).astype(int))


def trapezoid_weights(t: np.ndarray) -> np.ndarray:
    """The weight of each row in an integral over time, for unevenly spaced rows."""
    weight = np.zeros(len(t))
    weight[:-1] += np.diff(t) / 2
    weight[1:] += np.diff(t) / 2
    return weight


def _actuator_inertia(dyn: Dynamics, q: np.ndarray, driven: list[int], basis: np.ndarray | None) -> np.ndarray:
    """The inertia at each actuator with the others fixed, or free in loops with more or fewer actuators than freedoms."""
    M = dyn.mass_matrix(q)
    if basis is None:
        return np.asarray(M[:, driven, driven])
    reduced = np.swapaxes(basis, 1, 2) @ M @ basis
    driven_basis = basis[:, driven]
    if driven_basis.shape[1] == driven_basis.shape[2]:
        inverse = np.linalg.pinv(driven_basis, rcond=RANK_TOLERANCE)
        return np.asarray(np.einsum("sji,sjk,ski->si", inverse, reduced, inverse))
    inverse_inertia = np.einsum("sij,sji->si", driven_basis, np.linalg.solve(reduced, np.swapaxes(driven_basis, 1, 2)))
    return np.asarray(1 / np.maximum(inverse_inertia, 1e-300))


def _actuator_share(dyn: Dynamics, q: np.ndarray, t: np.ndarray, driven: list[int]) -> np.ndarray:
    """Matrices that project torques of the actuators on the smallest torques with the same effect."""
    basis = null_space(dyn.constraint_jacobian(q, t))[:, driven]
    return np.asarray(basis @ np.linalg.pinv(basis, rcond=RANK_TOLERANCE))


def _apply_share(share: np.ndarray | None, torques: np.ndarray) -> np.ndarray:
    return torques if share is None else np.einsum("sij,sj->si", share, torques)


def _holding_torque(dyn: Dynamics, q: np.ndarray, driven: list[int], basis: np.ndarray | None) -> np.ndarray:
    """The torques of the actuators that hold the mechanism against its weight and springs."""
    G = np.asarray(dyn.gravity(q))
    if basis is None:
        return G[driven]
    return np.asarray(np.linalg.pinv(basis[driven].T, rcond=RANK_TOLERANCE) @ (basis.T @ G))
