"""Motors and gears for a task: what each joint asks, what in a catalogue can do it, and the mechanism with it built in."""

from __future__ import annotations

import math
import os
from collections.abc import Mapping, Sequence
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
from lagrangian.sizing.arguments import dwell_of, gears_by_joint, pitches, positive
from lagrangian.sizing.candidates import Asked, Candidate, nearest, preference, ranked, required_margins, shortfall
from lagrangian.sizing.demand import Demand, Rows, rows_of, sample
from lagrangian.sizing.motors import Motor, catalogue_of
from lagrangian.sizing.showing import ShownSizing

ITERATIONS = 30


@dataclass(frozen=True, eq=False)
class Actuator:
    """One joint's demand, and what was found for it.

    `feasible` are all pairs of motor and gear that fit, the preferred first; `chosen` is that one, or None, and then `nearest` is
    the one that lacks least and `message` says what. `torque` and `speed` are the chosen (or nearest) motor's along the task.
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
        return self.demand.joint

    @property
    def best(self) -> Candidate | None:
        """The chosen one, or the nearest if none fits."""
        return self.chosen or self.nearest

    @property
    def alternatives(self) -> tuple[Candidate, ...]:
        """Each motor that fits once, with the gear that leaves it the most to spare."""
        found: dict[str, Candidate] = {}
        for candidate in self.feasible:
            found.setdefault(candidate.motor.name, candidate)
        return tuple(found.values())

    @property
    def power(self) -> np.ndarray:
        """The motor's mechanical power along the task."""
        return self.torque * self.speed

    @property
    def energy(self) -> float:
        """What the motor puts in over a cycle, in J; what comes back to it is not taken off."""
        return float(self.weight @ np.maximum(self.power, 0.0))

    def __repr__(self) -> str:
        return f"<Actuator of {self.joint!r}: {self.chosen or self.message}>"


class Demands(dict[str, Demand]):
    """By joint."""

    def __missing__(self, joint: str) -> Demand:
        raise ArgumentError(one_of("actuated joint", joint, self))


@dataclass(frozen=True, eq=False)
class Sizing(ShownSizing):
    """The actuators of a mechanism for a task; `sizing["joint"]` is one of them, `print(sizing)` shows all.

    `mechanism` has the chosen motors' rotors in it, and `tau` (rows of the motion, speeds) are the joints' torques with them;
    `residual` is how far these are from the equations of motion of `mechanism`, over the largest torque. `settled` is whether
    the choice came to rest, `iterations` how often it was made.
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
        """A line for each joint, units in the header; the file that was written."""
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
    motion: Any,
    *,
    parameters: Mapping[str, Any] | None = None,
    catalogue: Any = None,
    gears: Any = None,
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
    """What a task asks of each actuated joint, and the motor and gear that can do it.

    `motion` is one of `inverse` or `simulate`, or anything with t, q, qd, qdd and tau, a row for each time. It is a cycle: after
    it the mechanism rests for `dwell` seconds, or until `cycle_time`, held by its motors, or by brakes if not `held`.
    `parameters` are other values of the mechanism's parameters, those that the motion was computed with.

    `catalogue` is a CSV file (see `read_catalogue`), a list of `Motor`, or False for the demand alone; the shipped one if not
    given. `gears` are ratios, `Gear` or `GearRange`, for all joints or mapped by joint; common ratios if not given. Friction that
    the description has at its joints is in the motion's torques, so a gear whose losses are described has an efficiency of 1.
    `lead` is how far a sliding joint moves per turn of its screw or pinion, in metres: a number, or one for each such joint;
    losses of a screw belong to the efficiency of its gear.

    Of what fits with every `margin` (torque or speed there is, over what is asked; a number, or a mapping by check) the motor
    with the least `prefer`, "power", "mass" or "cost", is chosen, with the gear that leaves it the most to spare. `derating`
    scales continuous torques, for heat or height; `max_inertia_ratio` limits load to rotor. The rotor a description has is
    replaced by the chosen motor's, whose inertia is in all torques. Masses of motors are not added to the links. `strict` makes
    a joint without a motor an error.
    """
    dyn = dynamics_of(mechanism, parameters)
    of = getattr(motion, "name", dyn.mechanism.name)
    if of != dyn.mechanism.name:
        raise ArgumentError(f"is of {of!r}, not of {dyn.mechanism.name!r}; give the mechanism it is of", argument="motion")
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
                f"a {rows.joints[k].type} joint has several speeds and no one motor; describe it as joints of one speed each"
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
