"""Candidates for a joint: every motor behind every gear, with its margins over what the task requires."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from lagrangian.cached import cached_property
from lagrangian.errors import ArgumentError, ArgumentName, is_number, unknown_name_message
from lagrangian.sizing.demand import Demand, TaskRows
from lagrangian.sizing.gears import Gear, GearRange
from lagrangian.sizing.motors import RPM, Motor

# the checks, and what messages call them
CHECKS = {
    "continuous": "continuous torque of the motor",
    "peak": "peak torque of the motor",
    "speed": "speed of the motor",
    "gear_torque": "peak torque of the gear",
    "gear_wear": "rated torque of the gear",
    "gear_speed": "input speed of the gear",
    "inertia": "ratio of inertias",
}
PREFERENCE_FIELDS = {"power": "rated_power", "mass": "mass", "cost": "cost"}
BLOCK_SIZE, MAX_SINGLE_ROWS = 64, 4096  # a task with more rows than the second number is searched in blocks of the first


@dataclass(frozen=True)
class Candidate:
    """A motor with a gear at a joint, and how well it fits.

    Attributes
    ----------
    motor : Motor
        The motor.
    gear : Gear
        The gear.
    ratio : float
        Radians of the motor per radian of the joint, or per metre of a slide.
    rms_torque, peak_torque : float
        The torques of the motor, in N m.
    rms_speed, peak_speed : float
        The speeds of the motor, in rad/s.
    inertia_ratio : float
        The mean inertia of the load over that of rotor and gear, both at the motor.
    margins, required : dict of float
        The available torque or speed over the demanded one, by check, and the smallest margins that are allowed.

    Examples
    --------
    >>> import lagrangian as lg
    >>> arm = lg.library("two_r").with_parameters(l1=0.3, l2=0.3, m1=2.0, m2=1.0)
    >>> motion = lg.inverse(arm, lg.paths.joint_line([0.0, 0.0], [1.0, -0.5], 1.0))
    >>> chosen = lg.size_actuators(arm, motion)["theta1"].chosen
    >>> chosen.tightest, round(chosen.margins[chosen.tightest], 2)
    ('continuous', 1.44)
    """

    motor: Motor
    gear: Gear
    ratio: float
    rms_torque: float
    peak_torque: float
    rms_speed: float
    peak_speed: float
    inertia_ratio: float
    margins: Mapping[str, float]
    required: Mapping[str, float]

    @cached_property
    def tightest(self) -> str:
        """The check with the smallest margin over what is required."""
        return min(self.margins, key=lambda check: self.margins[check] / self.required[check])

    @cached_property
    def relative_margin(self) -> float:
        """The margin of the tightest check over what is required of it; 1 or more fits."""
        return self.margins[self.tightest] / self.required[self.tightest]

    @property
    def fits(self) -> bool:
        """Whether all margins are as large as required."""
        return self.relative_margin >= 1

    @property
    def reflected_inertia(self) -> float:
        """The inertia of rotor and gear at the joint, ratio^2 times `inertia`."""
        return self.ratio**2 * self.inertia

    @property
    def inertia(self) -> float:
        """The inertia of rotor and gear at the motor, in kg m^2."""
        return self.motor.inertia + self.gear.inertia

    def __str__(self) -> str:
        return f"{self.motor.name} with {self.gear}: {self.tightest} margin {self.margins[self.tightest]:.3g}"


@dataclass(frozen=True)
class JointRequirement:
    """What a joint requires of every candidate. `pitch` has the radians of the screw per metre of a slide."""

    rows: TaskRows
    column: int  # of the joint in the rows
    gear_force: np.ndarray  # along the task, before the losses of the gear
    demand: Demand
    pitch: float
    required: Mapping[str, float]
    derating: float
    max_inertia_ratio: float
    loads: dict[float, GearLoad] = field(default_factory=dict)

    def gear_load(self, efficiency: float) -> GearLoad:
        """The load at the gear's output with the losses of the gear.

        The motor gives 1/efficiency of the power that flows to the joint, and receives only that part of the power that flows
        back. A joint that stands still counts as driven.
        """
        if efficiency not in self.loads:
            driving = self.gear_force * self.rows.qd[:, self.column] >= 0
            force = self.gear_force * np.where(driving, 1 / efficiency, efficiency)
            self.loads[efficiency] = GearLoad.from_force(self.rows, self.column, force)
        return self.loads[efficiency]

    def motor_torque(self, motor: Motor, gear: Gear) -> np.ndarray:
        """The torque of the motor along the task; its rotor and the gear's inertia are on its side of the losses."""
        ratio = gear.ratio * self.pitch
        return (
            self.gear_load(gear.efficiency).force / ratio + (motor.inertia + gear.inertia) * ratio * self.rows.qdd[:, self.column]
        )

    def evaluate(self, motor: Motor, gear: Gear) -> Candidate:
        """The candidate of a motor and a gear, with its margins."""
        demand, ratio, inertia = self.demand, gear.ratio * self.pitch, motor.inertia + gear.inertia
        load = self.gear_load(gear.efficiency)
        rms_torque, rms_speed, peak_speed = load.rms_torque(ratio, inertia), ratio * demand.rms_speed, ratio * demand.peak_speed
        largest, peak_margin = load.peak_torque_and_margin(motor, ratio, inertia)
        inertia_ratio = demand.load_inertia / (ratio**2 * inertia)
        margins = {
            "continuous": _margin(self.derating * float(motor.continuous_torque(rms_speed)), rms_torque),
            "peak": peak_margin,
            "speed": _margin(motor.speed_limit, peak_speed),
        }
        if math.isfinite(gear.peak_torque):
            margins["gear_torque"] = _margin(gear.peak_torque, self.gear_torque(np.abs(self.gear_force).max()))
        if math.isfinite(gear.rated_torque):
            margins["gear_wear"] = _margin(
                gear.rated_torque, self.gear_torque(self.rows.wear_torque(self.column, self.gear_force))
            )
        if math.isfinite(gear.max_speed):
            margins["gear_speed"] = _margin(gear.max_speed, peak_speed)
        if math.isfinite(self.max_inertia_ratio):
            margins["inertia"] = _margin(self.max_inertia_ratio, inertia_ratio)
        return Candidate(motor, gear, ratio, rms_torque, largest, rms_speed, peak_speed, inertia_ratio, margins, self.required)

    def gear_torque(self, force: float) -> float:
        """The torque at the gear's output; for a slide, that on its screw."""
        return float(force) / self.pitch

    def candidates(self, motors: Sequence[Motor], gears: Sequence[Gear | GearRange]) -> Iterator[Candidate]:
        """Every motor behind every gear; behind a range of ratios also at the ratio where its RMS torque is smallest."""
        for gear_or_range in gears:
            for gear in [gear_or_range] if isinstance(gear_or_range, Gear) else gear_or_range.steps():
                for motor in motors:
                    yield self.evaluate(motor, gear)
            if isinstance(gear_or_range, GearRange):
                load = self.gear_load(gear_or_range.efficiency)
                for motor in motors:
                    a = (motor.inertia + gear_or_range.inertia) * math.sqrt(load.mean_squared_qdd)
                    best_ratio = math.sqrt(math.sqrt(load.mean_squared_force) / a) / self.pitch if a > 0 else math.inf
                    yield self.evaluate(motor, gear_or_range.at(best_ratio))


@dataclass(frozen=True)
class GearLoad:
    """The load at one joint behind a gear of one efficiency, from which the torques of any motor at any ratio follow.

    The means give the RMS torque of every motor. Rows are in blocks (blocks, rows of a block) with the smallest and the largest
    value of each, so that of a long task only those blocks are searched in which the largest torque can be.
    """

    force: np.ndarray
    mean_squared_force: float
    mean_force_qdd: float
    mean_squared_qdd: float
    blocks: tuple[np.ndarray, np.ndarray, np.ndarray]  # force, qdd, |qd|
    block_minima: tuple[np.ndarray, np.ndarray]  # of force and qdd
    block_maxima: tuple[np.ndarray, np.ndarray]
    block_peak_speeds: np.ndarray  # the largest of each block

    @classmethod
    def from_force(cls, rows: TaskRows, k: int, force: np.ndarray) -> GearLoad:
        qd, qdd = rows.qd[:, k], rows.qdd[:, k]
        block_size = 1 if len(qd) <= MAX_SINGLE_ROWS else BLOCK_SIZE
        padding = -len(qd) % block_size  # the last row fills the last block
        f, a, w = (np.concatenate([x, np.full(padding, x[-1])]).reshape(-1, block_size) for x in (force, qdd, np.abs(qd)))
        mean_squared_force, mean_force_qdd, mean_squared_qdd = (float(rows.mean(x)) for x in (force**2, force * qdd, qdd**2))
        block_minima, block_maxima = (f.min(axis=1), a.min(axis=1)), (f.max(axis=1), a.max(axis=1))
        return cls(
            force, mean_squared_force, mean_force_qdd, mean_squared_qdd, (f, a, w), block_minima, block_maxima, w.max(axis=1)
        )

    def rms_torque(self, ratio: float, inertia: float) -> float:
        """The RMS torque of a motor with this inertia at this ratio."""
        square = (
            self.mean_squared_force / ratio**2
            + 2 * inertia * self.mean_force_qdd
            + (inertia * ratio) ** 2 * self.mean_squared_qdd
        )
        return math.sqrt(max(0.0, square))

    def peak_torque_and_margin(self, motor: Motor, ratio: float, inertia: float) -> tuple[float, float]:
        """The largest torque of the motor, and the smallest ratio of its envelope to the torque, each row at its own speed."""
        c = inertia * ratio
        (f0, a0), (f1, a1) = self.block_minima, self.block_maxima
        block_bound = np.maximum(np.abs(f1 / ratio + c * a1), np.abs(f0 / ratio + c * a0))

        def torque(blocks: Any) -> np.ndarray:
            return np.abs(self.blocks[0][blocks] / ratio + c * self.blocks[1][blocks])

        def margin(blocks: Any) -> float:
            required = torque(blocks)
            available = motor.intermittent_torque(ratio * self.blocks[2][blocks])
            return float(
                np.divide(available, required, out=np.full_like(required, math.inf), where=required > 0).min(initial=math.inf)
            )

        largest = float(torque(int(np.argmax(block_bound))).max())
        largest = float(torque(block_bound > largest).max(initial=largest))
        if ratio * float(self.block_peak_speeds.max()) <= motor.base_speed:
            return largest, _margin(motor.peak_torque, largest)
        block_margin = np.divide(
            motor.intermittent_torque(ratio * self.block_peak_speeds),
            block_bound,
            out=np.full_like(block_bound, math.inf),
            where=block_bound > 0,
        )
        smallest_margin = margin(int(np.argmin(block_margin)))
        return largest, min(smallest_margin, margin(block_margin < smallest_margin))


def _margin(available: float, required: float) -> float:
    return available / required if required > 0 else math.inf


def rank_candidates(candidates: Sequence[Candidate], prefer: str) -> list[Candidate]:
    """The candidates that fit: the smallest motor first, one without a size last, and the largest margin first for equal ones."""
    entry = PREFERENCE_FIELDS[prefer]

    def sort_key(c: Candidate) -> tuple[bool, float, float]:
        x = getattr(c.motor, entry)
        return x is None, x or 0.0, -c.relative_margin

    return sorted((c for c in candidates if c.fits), key=sort_key)


def nearest_candidate(candidates: Sequence[Candidate]) -> Candidate | None:
    """The candidate that comes nearest to fitting; if its tightest margins are zero, the nearest in all other checks."""

    def shortfall_key(c: Candidate) -> tuple[float, float]:
        return c.relative_margin, math.prod(min(1.0, x / c.required[check]) for check, x in c.margins.items() if x > 0)

    return max(candidates, key=shortfall_key, default=None)


def check_preference(prefer: str, motors: Sequence[Motor]) -> None:
    """Raise an error unless the preference is known and the catalogue has values for it."""
    if prefer not in PREFERENCE_FIELDS:
        raise ArgumentError(unknown_name_message("preference", prefer, PREFERENCE_FIELDS), where=ArgumentName("prefer"))
    if motors and not any(getattr(m, PREFERENCE_FIELDS[prefer]) is not None for m in motors):
        raise ArgumentError(f"is {prefer!r}, but no motor in the catalogue states its {prefer}", argument="prefer")


def required_margins(margin: Any) -> dict[str, float]:
    """The required margin of every check, from one number, or from a mapping and 1.2; a limit of inertias needs none."""
    default = {**dict.fromkeys(CHECKS, 1.2), "inertia": 1.0}
    if isinstance(margin, Mapping):
        for check in margin:
            if check not in CHECKS:
                raise ArgumentError(unknown_name_message("check", check, CHECKS), where=ArgumentName("margin"))
        margins = {**default, **margin}
    else:
        margins = {**dict.fromkeys(CHECKS, margin), "inertia": 1.0}
    for check, x in margins.items():
        if not is_number(x) or x <= 0:
            raise ArgumentError(
                f"{check} is {x!r}", where=ArgumentName("margin"), remedy="a number greater than 0 is needed, such as 1.2"
            )
    return {check: float(x) for check, x in margins.items()}


def shortfall_message(best: Candidate, demand: Demand, derating: float) -> str:
    """Why even the nearest candidate does not fit, and what would be needed."""
    # beyond the speed limit there is no torque either: so the speed counts
    check = "speed" if best.margins["speed"] < 1 else best.tightest
    margin, required_margin = best.margins[check], best.required[check]
    text = (
        f"no motor fits. The nearest is {best.motor.name} with {best.gear}: the margin of the {CHECKS[check]} is {margin:.3g}, "
        f"and {required_margin:.3g} is required. It gives {_shortfall_detail(best, check)}"
    )
    factor = best.required["continuous"] ** 2 * demand.load_factor / derating**2
    if factor > best.motor.power_rate:
        text += (
            f". No gear without losses makes up for that: the motor needs an accelerating factor T²/J of at least {factor:.3g} "
            f"W/s, and this one has {best.motor.power_rate:.3g} W/s"
        )
    return text


def _shortfall_detail(c: Candidate, check: str) -> str:
    """The available and the required value of one check, in words."""
    need = c.required[check] / c.margins[check] if c.margins[check] > 0 else math.inf
    match check:
        case "continuous":
            return (
                f"{c.margins[check] * c.rms_torque:.3g} N m, but {c.required[check] * c.rms_torque:.3g} N m are needed at this "
                f"ratio"
            )
        case "peak":
            if c.margins[check] == 0:
                return f"no torque at {c.peak_speed / RPM:.0f} rpm, which the task reaches at this ratio"
            return f"{100 / need:.3g} % of the torque that is needed at the worst moment of the task at this ratio"
        case "speed":
            needed = c.required[check] * c.peak_speed / RPM
            return f"{c.motor.speed_limit / RPM:.0f} rpm, but {needed:.0f} rpm are needed at this ratio"
    return f"{100 / need:.3g} % of the required value"
