"""Motors and gears for a task: what each joint asks, what in a catalogue can do it, and the mechanism with it built in."""

from __future__ import annotations

import math
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from lagrangian.configuration.dynamics_of import dynamics_of
from lagrangian.description.mechanism_of import MechanismLike
from lagrangian.errors import ArgumentError, one_of
from lagrangian.inverse_dynamics.actuation import actuated_speeds
from lagrangian.kernels.dynamics import Dynamics
from lagrangian.kernels.linear import null_space
from lagrangian.model.joint import Rotor
from lagrangian.model.mechanism import Mechanism
from lagrangian.motion.motion import Motion
from lagrangian.sizing.arguments import dwell_of, gears_by_joint, pitches, positive
from lagrangian.sizing.candidates import Asked, Candidate, nearest, preference, ranked, required_margins, shortfall
from lagrangian.sizing.demand import Demand, MotionRows, Rows, rows_of, sample
from lagrangian.sizing.gears import GearsLike
from lagrangian.sizing.motors import Motor, catalogue_of
from lagrangian.sizing.showing import ShownSizing

ITERATIONS = 30


@dataclass(frozen=True, eq=False)
class Actuator:
    """The demand of one joint, and the motors and gears that were found for it.

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
        found: dict[str, Candidate] = {}
        for candidate in self.feasible:
            found.setdefault(candidate.motor.name, candidate)
        return tuple(found.values())

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


class Demands(dict[str, Demand]):
    """By joint."""

    def __missing__(self, joint: str) -> Demand:
        raise ArgumentError(one_of("actuated joint", joint, self))


@dataclass(frozen=True, eq=False)
class Sizing(ShownSizing):
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
    settled : bool
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
    (<Sizing of 'two_r': 2 of 2 joints have a motor>, True)
    """

    mechanism: Mechanism
    actuators: Mapping[str, Actuator]
    passive: tuple[str, ...]
    tau: np.ndarray
    cycle_time: float
    iterations: int
    settled: bool
    residual: float

    @property
    def demand(self) -> Demands:
        """The demand on each joint, as a mapping of joints to `Demand`."""
        return Demands({name: a.demand for name, a in self.actuators.items()})

    @property
    def fits(self) -> bool:
        """Whether every joint has a motor."""
        return self.settled and all(a.chosen is not None for a in self.actuators.values())

    def __getitem__(self, joint: str) -> Actuator:
        if joint not in self.actuators:
            raise ArgumentError(one_of("actuated joint", joint, self.actuators))
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
        from lagrangian.sizing.text import write_csv

        return write_csv(self, path)

    def __str__(self) -> str:
        from lagrangian.sizing.text import table

        return table(self)

    def __repr__(self) -> str:
        done = sum(a.chosen is not None for a in self.actuators.values())
        return f"<Sizing of {self.mechanism.name!r}: {done} of {len(self.actuators)} joints have a motor>"


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
    held: bool = True,
    derating: float = 1.0,
    max_inertia_ratio: float = math.inf,
    strict: bool = False,
) -> Sizing:
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
    held : bool
        Whether the motors hold the mechanism while it rests. If False, brakes do. The default is True.
    derating : float
        A factor on continuous torques, for heat or altitude. The default is 1.
    max_inertia_ratio : float
        The largest ratio of load inertia to rotor inertia. The default is no limit.
    strict : bool
        Whether a joint without a motor is an error. The default is False.

    Returns
    -------
    Sizing
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
    dyn = dynamics_of(mechanism, parameters)
    of = getattr(motion, "name", dyn.mechanism.name)
    if of != dyn.mechanism.name:
        raise ArgumentError(
            f"is one of {of!r}, not of {dyn.mechanism.name!r}; give the mechanism of the motion", argument="motion"
        )
    motors = catalogue_of(catalogue)
    prefer = preference(prefer, motors)
    required = required_margins(margin)
    rows = rows_of(dyn, motion, dwell_of(motion, cycle_time, dwell), held)
    described = np.array([float(j.rotor.reflected) for j in rows.joints])
    as_given = rows.torque(described)
    demands = [rows.demand(k, as_given) for k in range(len(rows.names))]
    offered = gears_by_joint(gears, rows)
    turns = pitches(lead, rows, bool(motors))
    positive("derating", derating)
    positive("max_inertia_ratio", max_inertia_ratio)

    def choose(reflected: np.ndarray) -> list[Choice]:
        through = rows.through_gear(reflected)
        limits = (required, derating, max_inertia_ratio)
        asked = [Asked(rows, k, through[:, k], demands[k], turns[k], *limits) for k in range(len(rows.joints))]
        return [_choice(x, motors, offered[x.k], prefer) for x in asked]

    sizing = _sizing(dyn, motion, rows, described, _settle(rows, described, choose))
    lacking = [f"{a.joint}: {a.message}" for a in sizing.actuators.values() if motors and a.chosen is None]
    if strict and lacking:
        raise ArgumentError("; ".join(lacking))
    return sizing


@dataclass
class Choice:
    """What was found at one joint, with the rotors of the others as they are."""

    asked: Asked
    feasible: list[Candidate]
    nearest: Candidate | None

    @property
    def best(self) -> Candidate | None:
        return self.feasible[0] if self.feasible else None

    @property
    def key(self) -> tuple[str, float] | None:
        return (self.best.motor.name, self.best.ratio) if self.best else None

    def actuator(self) -> Actuator:
        asked = self.asked
        rows, k, shown = asked.rows, asked.k, self.best or self.nearest
        torque = speed = np.zeros(len(rows.t))
        message = ""
        if shown is not None:
            torque, speed = asked.torque(shown.motor, shown.gear), shown.ratio * rows.qd[:, k]
        if self.nearest is not None and self.best is None:
            message = shortfall(self.nearest, asked.demand, asked.derating)
        elif rows.joints[k].kind.nv > 1:
            message = (
                f"a {rows.joints[k].type} joint has several speeds, which one motor cannot drive; describe it as joints of one "
                f"speed each"
            )
        return Actuator(asked.demand, self.best, tuple(self.feasible), self.nearest, message, rows.t, rows.weight, torque, speed)


def _choice(asked: Asked, motors: Sequence[Motor], offered: Any, prefer: str) -> Choice:
    """The motors and gears that fit one joint, the preferred first; a joint of several speeds has none."""
    candidates = list(asked.all(motors, offered)) if asked.rows.joints[asked.k].kind.nv == 1 else []
    return Choice(asked, ranked(candidates, prefer), nearest(candidates))


def _sizing(dyn: Dynamics, motion: Any, rows: Rows, described: np.ndarray, settled: tuple[list[Choice], int, bool]) -> Sizing:
    """What the choices amount to: the mechanism with its motors, and its torques with their rotors."""
    choices, iterations, converged = settled
    reflected = np.array([c.best.reflected if c.best else r for c, r in zip(choices, described, strict=True)])
    torques = rows.torque(reflected)
    built = _built(dyn.mechanism, rows, choices)
    tau = np.array(motion.tau, dtype=float)
    tau[:, list(rows.at)] = torques[: len(tau)]
    return Sizing(
        built,
        {name: c.actuator() for name, c in zip(rows.names, choices, strict=True)},
        tuple(n for n, driven in zip(dyn.mechanism.speed_names, actuated_speeds(dyn), strict=True) if not driven),
        tau,
        rows.cycle_time,
        iterations,
        converged,
        _residual(dyn, built, motion, tau),
    )


def _settle(rows: Rows, described: np.ndarray, choose: Any) -> tuple[list[Choice], int, bool]:
    """Choose until the torques with the chosen rotors lead to the same choice.

    Each candidate is judged with its own rotor in the torque. Others matter where more joints are driven than there are freedoms:
    there what one rotor takes is shared by all, and the choice is made again. Choices that come back are a circle: not settled.
    """
    reflected = described
    seen: list[list[Any]] = []
    for iteration in range(1, ITERATIONS + 1):
        choices: list[Choice] = choose(reflected)
        keys = [c.key for c in choices]
        if rows.share is None or (seen and keys == seen[-1]):
            return choices, iteration, True
        if keys in seen:
            return choices, iteration, False
        seen.append(keys)
        reflected = np.array([c.best.reflected if c.best else r for c, r in zip(choices, described, strict=True)])
    return choices, ITERATIONS, False


def _built(mechanism: Mechanism, rows: Rows, choices: list[Choice]) -> Mechanism:
    """The mechanism with the chosen rotors, gears included, in the place of its own."""
    rotors = {
        joint.name: Rotor(c.best.inertia, c.best.ratio)
        for joint, c in zip(rows.joints, choices, strict=True)
        if c.best is not None
    }
    if not rotors:
        return mechanism
    return mechanism.replace(joints=tuple(replace(j, rotor=rotors[j.name]) if j.name in rotors else j for j in mechanism.joints))


def _residual(dyn: Dynamics, built: Mechanism, motion: Any, tau: np.ndarray) -> float:
    """How far the torques are from the new mechanism's equations of motion, more than the motion's own from the old one's."""
    if built is dyn.mechanism:
        return 0.0
    some = sample(np.asarray(motion.t))
    t, q, qd, qdd, given = (np.asarray(x, dtype=float)[some] for x in (motion.t, motion.q, motion.qd, motion.qdd, motion.tau))
    with Dynamics(built) as new:
        more = new.inverse_dynamics(q, qd, qdd) - dyn.inverse_dynamics(q, qd, qdd)
    off = more - (tau[some] - given)
    if built.equations:  # what the constraints take up is none of the motors' concern
        off = np.einsum("snf,sn->sf", null_space(dyn.constraint_jacobian(q, t)), off)
    return float(np.abs(off).max() / max(float(np.abs(tau).max()), 1e-300))
