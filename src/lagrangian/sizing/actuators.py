"""`lagrangian.size_actuators`: the motors and gears of a catalogue that can do a task, and the mechanism with their rotors."""

from __future__ import annotations

import math
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from lagrangian.configuration.start import as_dynamics
from lagrangian.description.mechanism_like import MechanismLike
from lagrangian.errors import ArgumentError, ArgumentName, is_number, unknown_name_message
from lagrangian.kernels.dynamics import Dynamics
from lagrangian.kernels.least_squares import null_space
from lagrangian.model.joint import Rotor
from lagrangian.model.mechanism import Mechanism
from lagrangian.motion.motion import Motion
from lagrangian.sizing.candidates import (
    Candidate,
    JointRequirement,
    check_preference,
    nearest_candidate,
    rank_candidates,
    required_margins,
    shortfall_message,
)
from lagrangian.sizing.demand import Demand, MotionRows, TaskRows, sample_rows
from lagrangian.sizing.display import SizingDisplay
from lagrangian.sizing.gears import Gear, GearRange, GearsLike, as_gears
from lagrangian.sizing.motors import Motor, as_motors

MAX_ITERATIONS = 30


def size_actuators(
    mechanism: MechanismLike | Dynamics,
    motion: Motion | MotionRows,
    *,
    parameters: Mapping[str, float] | None = None,
    catalogue: str | os.PathLike[str] | Motor | Iterable[Motor] | bool | None = None,
    gears: GearsLike | Mapping[str, GearsLike] | None = None,
    lead: Mapping[str, float] | float | None = None,
    margin: float | Mapping[str, float] = 1.2,
    prefer: str = "power",
    cycle_time: float | None = None,
    dwell: float | None = None,
    hold_at_rest: bool = True,
    derating: float = 1.0,
    max_inertia_ratio: float = math.inf,
    strict: bool = False,
) -> ActuatorSizing:
    """Find what a task demands of each actuated joint, and choose motors and gears for it.

    The motion is one cycle. After it the mechanism rests for `dwell`, or until `cycle_time` has passed. Among the motors and
    gears that keep every margin, the one with the smallest power, mass or cost is chosen. The rotor of a description is replaced
    by that of the chosen motor, whose inertia is contained in all torques. The masses of motors are not added to the links.

    Parameters
    ----------
    mechanism : Mechanism, str, path or Dynamics
        The mechanism of the motion.
    motion : Motion
        The task: a result of `inverse` or `simulate`, or an object with the arrays t, q, qd, qdd and tau.
    parameters : mapping, optional
        Other values of the mechanism's parameters, those with which the motion was computed.
    catalogue : str, path, list of Motor or False, optional
        The motors: a CSV file (see `read_catalogue`), a list of motors, or False for the demand alone. The default is the
        catalogue of the package.
    gears : float, Gear, GearRange, list or mapping, optional
        The gears: ratios without losses, gears, ranges, a list of them, or a mapping of joints to any of these. The default is
        common ratios with typical efficiencies. If the description has friction at a joint, the torques contain it already, and a
        gear whose losses it describes has an efficiency of 1.
    lead : float or mapping, optional
        How far a sliding joint moves per turn of its screw or pinion, in m: one number, or one for each such joint. The losses of
        a screw belong to the efficiency of its gear.
    margin : float or mapping
        How much more torque or speed than demanded there must be: a factor, or a mapping of checks to factors. The checks are
        "continuous", "peak", "speed", "gear_torque", "gear_wear" and "gear_speed". The default is 1.2.
    prefer : {"power", "mass", "cost"}
        Which of these is minimised. The default is the rated power.
    cycle_time : float, optional
        The duration of a cycle in s. The default is that of the motion.
    dwell : float, optional
        How long the mechanism rests after the motion, in s. Give this or `cycle_time`.
    hold_at_rest : bool
        Whether the motors hold the mechanism while it rests. If False, brakes do. The default is True.
    derating : float
        A factor on continuous torques, for heat or altitude. The default is 1.
    max_inertia_ratio : float
        The largest ratio of load inertia to rotor inertia. The default is no limit.
    strict : bool
        Whether a joint without a motor is an error. The default is False.

    Returns
    -------
    ActuatorSizing
        The demand and the choice of each joint. `print` writes a table; `plot` and `to_csv` show the rest.

    Raises
    ------
    ArgumentError
        If the motion is not one of the mechanism, if a sliding joint has no `lead`, or, with `strict`, if no motor fits a joint.

    See Also
    --------
    inverse : Compute the torques along a path.

    Notes
    -----
    The criterion for a motor and its gear is that of Giberti, Cinquemani and Legnani (Mechatronics 2010).

    Examples
    --------
    >>> import lagrangian as lg
    >>> arm = lg.library("two_r").with_parameters(l1=0.3, l2=0.3, m1=2.0, m2=1.0)
    >>> motion = lg.inverse(arm, lg.paths.joint_line([0.0, 0.0], [1.0, -0.5], 1.0))
    >>> sizing = lg.size_actuators(arm, motion, dwell=0.5)
    >>> for joint, actuator in sizing.actuators.items():
    ...     print(f"{joint}: {actuator.chosen}")
    theta1: SGMAH-01A with strain wave 160:1: continuous margin 1.64
    theta2: class-20W with strain wave 160:1: continuous margin 1.82
    >>> round(sizing.demand["theta1"].peak_torque, 3)
    42.721
    """
    dyn = as_dynamics(mechanism, parameters)
    motion_name = getattr(motion, "name", dyn.mechanism.name)
    if motion_name != dyn.mechanism.name:
        raise ArgumentError(
            f"is one of {motion_name!r}, not of {dyn.mechanism.name!r}; give the mechanism of the motion", argument="motion"
        )
    motors = as_motors(catalogue)
    check_preference(prefer, motors)
    required = required_margins(margin)
    rows = TaskRows.from_motion(dyn, motion, dwell_time(motion, cycle_time, dwell), hold_at_rest)
    described_inertia = np.array([float(j.rotor.reflected_inertia) for j in rows.joints])
    described_torque = rows.torque(described_inertia)
    demands = [rows.demand(k, described_torque) for k in range(len(rows.names))]
    offered_gears = gears_by_joint(gears, rows)
    pitch_by_joint = pitch_per_joint(lead, rows, bool(motors))
    check_positive("derating", derating)
    check_positive("max_inertia_ratio", max_inertia_ratio)

    def choose(reflected: np.ndarray) -> list[JointChoice]:
        gear_forces = rows.gear_forces(reflected)
        limits = (required, derating, max_inertia_ratio)
        requirements = [
            JointRequirement(rows, k, gear_forces[:, k], demands[k], pitch_by_joint[k], *limits) for k in range(len(rows.joints))
        ]
        return [_choose_for_joint(x, motors, offered_gears[x.column], prefer) for x in requirements]

    sizing = _make_sizing(dyn, motion, rows, described_inertia, _choose_until_stable(rows, described_inertia, choose))
    joints_without_motor = [f"{a.joint}: {a.message}" for a in sizing.actuators.values() if motors and a.chosen is None]
    if strict and joints_without_motor:
        raise ArgumentError("; ".join(joints_without_motor))
    return sizing


def dwell_time(motion: Any, cycle_time: float | None, dwell: float | None) -> float:
    """The time for which the mechanism rests after the motion, in seconds."""
    if cycle_time is not None and dwell is not None:
        raise ArgumentError("cycle_time and dwell both say how long the mechanism rests; give one of them", concerns="cycle_time")
    for name, x in (("cycle_time", cycle_time), ("dwell", dwell)):
        if x is not None and not (is_number(x) and x >= 0):
            raise ArgumentError(f"{name} is {x!r}; a number of seconds, not negative, is needed")
    if cycle_time is None:
        return float(dwell or 0.0)
    t = np.asarray(getattr(motion, "t", ()), dtype=float)
    duration = float(t[-1] - t[0]) if t.size else 0.0
    if cycle_time < duration * (1 - 1e-12):
        raise ArgumentError(f"is {cycle_time:g} s, but the motion takes {duration:g} s", argument="cycle_time")
    return max(0.0, float(cycle_time) - duration)


def gears_by_joint(gears: Any, rows: TaskRows) -> list[tuple[Gear | GearRange, ...]]:
    """The gears that are offered to each joint."""
    if not isinstance(gears, Mapping):
        return [as_gears(gears)] * len(rows.names)
    for name in gears:
        if name not in rows.names:
            raise ArgumentError(f"gears: {unknown_name_message('actuated joint', name, rows.names)}")
    return [as_gears(gears.get(name), f"gears of {name!r}") for name in rows.names]


def pitch_per_joint(lead: Any, rows: TaskRows, needed: bool) -> list[float]:
    """The pitch of each joint: radians of the gear's output per metre of a slide, 1 for a joint that turns."""
    sliding = [name for name, joint in zip(rows.names, rows.joints, strict=True) if all(joint.slides)]
    leads: Mapping[str, Any] = lead if isinstance(lead, Mapping) else {} if lead is None else dict.fromkeys(sliding, lead)
    for name, x in leads.items():
        if name not in sliding:
            raise ArgumentError(f"lead: {unknown_name_message('sliding joint that is actuated', name, sliding)}")
        if not is_number(x) or x <= 0:
            raise ArgumentError(f"lead of {name!r} is {x!r}; metres per turn are needed, such as 0.01")
    missing = [name for name in sliding if name not in leads]
    if needed and missing:
        raise ArgumentError(
            f"`lead` is needed for {', '.join(missing)}: how far the joint slides per turn of its screw or pinion",
            remedy=f"give {ArgumentName('lead', dict.fromkeys(missing, 0.01))} in metres per turn, "
            f"or {ArgumentName('catalogue', False)} for the demand alone",
        )
    return [2 * math.pi / float(leads[name]) if name in leads else 1.0 for name in rows.names]


def check_positive(argument: str, value: Any) -> None:
    """Raise an error unless the value of an argument is a positive number, which may be infinite."""
    if isinstance(value, bool) or not isinstance(value, (int, float, np.integer, np.floating)) or math.isnan(value) or value <= 0:
        raise ArgumentError(f"is {value!r}", argument=argument, remedy="a number greater than 0 is needed")


@dataclass
class JointChoice:
    """The motors and gears for one joint, with the rotors of the other joints as they are."""

    requirement: JointRequirement
    feasible: list[Candidate]
    nearest: Candidate | None

    @property
    def best(self) -> Candidate | None:
        return self.feasible[0] if self.feasible else None

    @property
    def key(self) -> tuple[str, float] | None:
        return (self.best.motor.name, self.best.ratio) if self.best else None

    def to_actuator(self) -> Actuator:
        requirement = self.requirement
        rows, k, candidate = requirement.rows, requirement.column, self.best or self.nearest
        torque = speed = np.zeros(len(rows.t))
        message = ""
        if candidate is not None:
            torque, speed = requirement.motor_torque(candidate.motor, candidate.gear), candidate.ratio * rows.qd[:, k]
        if self.nearest is not None and self.best is None:
            message = shortfall_message(self.nearest, requirement.demand, requirement.derating)
        elif rows.joints[k].kind.nv > 1:
            message = (
                f"a {rows.joints[k].type} joint has several speeds, which one motor cannot drive; describe it as joints of one "
                f"speed each"
            )
        return Actuator(
            requirement.demand, self.best, tuple(self.feasible), self.nearest, message, rows.t, rows.weight, torque, speed
        )


def _choose_for_joint(requirement: JointRequirement, motors: Sequence[Motor], gears: Any, prefer: str) -> JointChoice:
    """The motors and gears that fit one joint, the preferred ones first; a joint with several speeds has none."""
    candidates = list(requirement.candidates(motors, gears)) if requirement.rows.joints[requirement.column].kind.nv == 1 else []
    return JointChoice(requirement, rank_candidates(candidates, prefer), nearest_candidate(candidates))


def _choose_until_stable(rows: TaskRows, described_inertia: np.ndarray, choose: Any) -> tuple[list[JointChoice], int, bool]:
    """Choose until the torques with the chosen rotors lead to the same choice.

    The torque of each candidate contains its own rotor. Other rotors matter if more joints are driven than there are degrees of
    freedom: then all actuators share the torque of one rotor, and the choice is repeated. Choices that return form a cycle, in
    which the choice does not converge.
    """
    reflected = described_inertia
    previous_keys: list[list[Any]] = []
    for iteration in range(1, MAX_ITERATIONS + 1):
        choices: list[JointChoice] = choose(reflected)
        keys = [c.key for c in choices]
        if rows.share is None or (previous_keys and keys == previous_keys[-1]):
            return choices, iteration, True
        if keys in previous_keys:
            return choices, iteration, False
        previous_keys.append(keys)
        reflected = np.array([c.best.reflected_inertia if c.best else r for c, r in zip(choices, described_inertia, strict=True)])
    return choices, MAX_ITERATIONS, False


def _make_sizing(
    dyn: Dynamics, motion: Any, rows: TaskRows, described_inertia: np.ndarray, outcome: tuple[list[JointChoice], int, bool]
) -> ActuatorSizing:
    """The result of the choices: the mechanism with its motors, and its torques with their rotors."""
    choices, iterations, converged = outcome
    reflected = np.array([c.best.reflected_inertia if c.best else r for c, r in zip(choices, described_inertia, strict=True)])
    torques = rows.torque(reflected)
    new_mechanism = _with_rotors(dyn.mechanism, rows, choices)
    tau = np.array(motion.tau, dtype=float)
    tau[:, list(rows.speed_indices)] = torques[: len(tau)]
    return ActuatorSizing(
        new_mechanism,
        {name: c.to_actuator() for name, c in zip(rows.names, choices, strict=True)},
        tuple(name for joint in dyn.mechanism.joints if not joint.actuated for name in joint.speed_names),
        tau,
        rows.cycle_time,
        iterations,
        converged,
        _residual(dyn, new_mechanism, motion, tau),
    )


def _with_rotors(mechanism: Mechanism, rows: TaskRows, choices: list[JointChoice]) -> Mechanism:
    """The mechanism with the chosen rotors and gears instead of its own."""
    rotors = {
        joint.name: Rotor(c.best.inertia, c.best.ratio)
        for joint, c in zip(rows.joints, choices, strict=True)
        if c.best is not None
    }
    if not rotors:
        return mechanism
    return mechanism.replace(joints=tuple(replace(j, rotor=rotors[j.name]) if j.name in rotors else j for j in mechanism.joints))


def _residual(dyn: Dynamics, new_mechanism: Mechanism, motion: Any, tau: np.ndarray) -> float:
    """The error of the torques in the new mechanism's equations of motion, beyond that of the motion in the old one's."""
    if new_mechanism is dyn.mechanism:
        return 0.0
    sampled_rows = sample_rows(np.asarray(motion.t))
    t, q, qd, qdd, motion_tau = (
        np.asarray(x, dtype=float)[sampled_rows] for x in (motion.t, motion.q, motion.qd, motion.qdd, motion.tau)
    )
    with Dynamics(new_mechanism) as new_dyn:
        added_torque = new_dyn.inverse_dynamics(q, qd, qdd) - dyn.inverse_dynamics(q, qd, qdd)
    error = added_torque - (tau[sampled_rows] - motion_tau)
    if new_mechanism.equation_count:  # the motors need not exert what the constraints take up
        error = np.einsum("snf,sn->sf", null_space(dyn.constraint_jacobian(q, t)), error)
    return float(np.abs(error).max() / max(float(np.abs(tau).max()), 1e-300))


@dataclass(frozen=True, eq=False)
class ActuatorSizing(SizingDisplay):
    """The actuators of a mechanism for a task.

    `size_actuators` returns it. `sizing["joint"]` is the actuator of a joint, and `print(sizing)` writes a table of all.

    Attributes
    ----------
    mechanism : Mechanism
        The mechanism with the rotors of the chosen motors.
    actuators : dict of Actuator
        The actuators by joint.
    passive : tuple of str
        The speeds without an actuator.
    tau : numpy.ndarray
        The torques of the joints with the chosen rotors, one row for each row of the motion.
    cycle_time : float
        The duration of a cycle, in s.
    iterations : int
        How often the choice was made. It is repeated if the rotors of other joints matter.
    converged : bool
        Whether the choice came to rest.
    residual : float
        How far the torques are from the equations of motion of `mechanism`, relative to the largest torque.

    Examples
    --------
    >>> import lagrangian as lg
    >>> arm = lg.library("two_r").with_parameters(l1=0.3, l2=0.3, m1=2.0, m2=1.0)
    >>> motion = lg.inverse(arm, lg.paths.joint_line([0.0, 0.0], [1.0, -0.5], 1.0))
    >>> sizing = lg.size_actuators(arm, motion)
    >>> sizing, sizing.fits
    (<ActuatorSizing of 'two_r': 2 of 2 joints have a motor>, True)
    """

    mechanism: Mechanism
    actuators: Mapping[str, Actuator]
    passive: tuple[str, ...]
    tau: np.ndarray
    cycle_time: float
    iterations: int
    converged: bool
    residual: float

    @property
    def demand(self) -> DemandsByJoint:
        """The demand on each joint, as a mapping of joints to `Demand`."""
        return DemandsByJoint({name: a.demand for name, a in self.actuators.items()})

    @property
    def fits(self) -> bool:
        """Whether every joint has a motor."""
        return self.converged and all(a.chosen is not None for a in self.actuators.values())

    def __getitem__(self, joint: str) -> Actuator:
        if joint not in self.actuators:
            raise ArgumentError(unknown_name_message("actuated joint", joint, self.actuators))
        return self.actuators[joint]

    def to_csv(self, path: str | os.PathLike[str]) -> Path:
        """Write a line for each joint to a CSV file, with units in the header.

        Parameters
        ----------
        path : str or path
            The file.

        Returns
        -------
        pathlib.Path
            The file that was written.
        """
        from lagrangian.sizing.tables import write_csv

        return write_csv(self, path)

    def __str__(self) -> str:
        from lagrangian.sizing.tables import sizing_table

        return sizing_table(self)

    def __repr__(self) -> str:
        fitted_count = sum(a.chosen is not None for a in self.actuators.values())
        return f"<ActuatorSizing of {self.mechanism.name!r}: {fitted_count} of {len(self.actuators)} joints have a motor>"


class DemandsByJoint(dict[str, Demand]):
    """Demands by the names of joints; an unknown name is an error that lists them."""

    def __missing__(self, joint: str) -> Demand:
        raise ArgumentError(unknown_name_message("actuated joint", joint, self))


@dataclass(frozen=True, eq=False)
class Actuator:
    """The demand of one joint, and the motors and gears that fit it.

    Attributes
    ----------
    demand : Demand
        The demand on the joint.
    chosen : Candidate or None
        The motor and gear that were chosen.
    feasible : tuple of Candidate
        All pairs of motor and gear that fit, the preferred one first.
    nearest : Candidate or None
        The pair that lacks least.
    message : str
        The reason, if nothing fits.
    t, weight : numpy.ndarray
        The times of the rows, in s, and the seconds that each row stands for.
    torque, speed : numpy.ndarray
        The torque and the speed of the chosen, or nearest, motor along the task, in N m and rad/s.

    Examples
    --------
    >>> import lagrangian as lg
    >>> arm = lg.library("two_r").with_parameters(l1=0.3, l2=0.3, m1=2.0, m2=1.0)
    >>> motion = lg.inverse(arm, lg.paths.joint_line([0.0, 0.0], [1.0, -0.5], 1.0))
    >>> actuator = lg.size_actuators(arm, motion)["theta1"]
    >>> actuator.best.motor.name, round(actuator.energy, 3)
    ('SGMAH-01A', 28.01)
    """

    demand: Demand
    chosen: Candidate | None
    feasible: tuple[Candidate, ...]
    nearest: Candidate | None
    message: str
    t: np.ndarray
    weight: np.ndarray
    torque: np.ndarray
    speed: np.ndarray

    @property
    def joint(self) -> str:
        """The name of the joint."""
        return self.demand.joint

    @property
    def best(self) -> Candidate | None:
        """The chosen motor and gear, or the nearest if none fits."""
        return self.chosen or self.nearest

    @property
    def alternatives(self) -> tuple[Candidate, ...]:
        """Every motor that fits, once, with the gear that leaves it the largest margin."""
        best_by_motor: dict[str, Candidate] = {}
        for candidate in self.feasible:
            best_by_motor.setdefault(candidate.motor.name, candidate)
        return tuple(best_by_motor.values())

    @property
    def power(self) -> np.ndarray:
        """The mechanical power of the motor along the task, in W."""
        return self.torque * self.speed

    @property
    def energy(self) -> float:
        """The energy that the motor delivers in a cycle, in J. Energy that flows back is not subtracted."""
        return float(self.weight @ np.maximum(self.power, 0.0))

    def __repr__(self) -> str:
        return f"<Actuator of {self.joint!r}: {self.chosen or self.message}>"
