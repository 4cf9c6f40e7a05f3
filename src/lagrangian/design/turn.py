"""What a linkage does over a turn of its input: rows of numbers, dead centres, and a text that says the essentials."""

from __future__ import annotations

import math
import os
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

import numpy as np

from lagrangian.design.circuit import Circuit
from lagrangian.design.coupler_curve import CouplerCurve, coupler_curve
from lagrangian.design.four_bar import FourBar
from lagrangian.design.saving import Column, save
from lagrangian.design.showing import ShownTurn
from lagrangian.kernels.dynamics import Dynamics
from lagrangian.model.mechanism import Mechanism


@dataclass(frozen=True, eq=False)
class DeadCentre:
    """A configuration in which the input ("input") or the output ("output") stands still while the other moves.

    At a dead centre of the input, its limit position, the input cannot move the linkage; at one of the output, its limit
    position, the output turns back, and the mechanical advantage is infinite.
    """

    of: str
    coordinate: str
    input_value: float
    q: np.ndarray


@dataclass(frozen=True, eq=False, repr=False)
class FullTurn(ShownTurn):
    """What a linkage does over a turn of its input, or over the range the input has.

    Arrays have one row for each value `x` of the input. `velocity_ratios` are dq/dx and `acceleration_ratios` d2q/dx2, of all
    speeds. `output_ratio` is the output's speed over the input's, and `mechanical_advantage` its inverse: the force at the output
    over that at the input, without friction. `transmission_angle` is in radians, from 0 to pi/2. `torque` (a force where the
    input slides) makes the input move at `speed`; it is the sum of the `static_torque` of gravity, springs and wrenches, the
    `inertial_torque` and the `friction_torque`. Rows at a dead centre of the input have infinite ratios, and no forces.

    `dead_centres` are those of input and output, `ends` says why the range ends, and `turns` after how many turns of the input
    the linkage is where it was, 0 if the input cannot turn fully. `four_bar` has lengths and kind of a planar four-bar.
    """

    mechanism: Mechanism
    input: str
    output: str | None
    units: tuple[str, str]
    x: np.ndarray
    q: np.ndarray
    velocity_ratios: np.ndarray
    acceleration_ratios: np.ndarray
    output_ratio: np.ndarray | None
    transmission_angle: np.ndarray | None
    speed: float
    torque: np.ndarray
    static_torque: np.ndarray
    inertial_torque: np.ndarray
    friction_torque: np.ndarray
    multipliers: np.ndarray
    dead_centres: list[DeadCentre]
    ends: tuple[str, str]
    turns: int
    four_bar: FourBar | None
    dyn: Dynamics = field(repr=False)
    circuit: Circuit = field(repr=False)
    wrenches: dict[str, np.ndarray] = field(repr=False)

    @property
    def mechanical_advantage(self) -> np.ndarray | None:
        """The force or torque at the output over that at the input, without friction: the inverse of the velocity ratio."""
        if self.output_ratio is None:
            return None
        with np.errstate(divide="ignore"):
            return 1 / self.output_ratio

    @property
    def qd(self) -> np.ndarray:
        """The speeds, with the input at its constant speed."""
        return self.speed * self.velocity_ratios

    @property
    def qdd(self) -> np.ndarray:
        """The accelerations, with the input at its constant speed."""
        return self.speed**2 * self.acceleration_ratios

    @property
    def range(self) -> tuple[float, float]:
        """Of the input."""
        return float(self.x[0]), float(self.x[-1])

    @cached_property
    def reactions(self) -> np.ndarray:
        """The wrench each joint exerts on its child, (rows, joints, 6), as `Dynamics.reactions` gives it."""
        good = np.isfinite(self.torque)
        found = np.full((len(self.x), len(self.mechanism.joints), 6), np.nan)
        pushed = {frame: rows[good] for frame, rows in self.wrenches.items()}
        states = (self.q[good], self.qd[good], self.qdd[good])
        if good.any():
            found[good] = self.dyn.reactions(*states, pushed or None, self.multipliers[good])
        return found

    def coupler_curve(self, frame: str) -> CouplerCurve:
        """The curve that a frame's origin draws while the linkage goes through all configurations of its assembly."""
        return coupler_curve(self.circuit, frame)

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Write all rows, as .csv or .nc (netCDF); the file that was written."""
        return save(path, self.mechanism.name, "turn", "row", self._columns())

    def _columns(self) -> list[Column]:
        slides = [slides for joint in self.mechanism.joints for slides in joint.slides]
        of_input, of_output = self.units
        force = "N m" if of_input == "rad" else "N"
        columns = [Column("input", self.x, of_input, f"the input, {self.input}")]
        units = [unit or "1" for joint in self.mechanism.joints for unit in joint.kind.units]
        columns += [Column(n, self.q[:, k], units[k]) for k, n in enumerate(self.mechanism.coordinate_names)]
        columns += [
            Column(f"d_{n}", self.velocity_ratios[:, k], _per("m" if slides[k] else "rad", of_input), "over the input's speed")
            for k, n in enumerate(self.mechanism.speed_names)
        ]
        if self.output_ratio is not None and self.mechanical_advantage is not None:
            columns.append(Column("output_ratio", self.output_ratio, _per(of_output, of_input)))
            columns.append(Column("mechanical_advantage", self.mechanical_advantage, _per(of_input, of_output)))
        if self.transmission_angle is not None:
            columns.append(Column("transmission_angle", self.transmission_angle, "rad"))
        for name in ("torque", "static_torque", "inertial_torque", "friction_torque"):
            columns.append(Column(name, getattr(self, name), force))
        return columns + [Column(f"lambda_{n}", self.multipliers[:, k], "") for k, n in enumerate(self.dyn.constraint_names)]

    # -- in words --------------------------------------------------------------------------------------------------------

    def __repr__(self) -> str:
        return f"<FullTurn of {self.mechanism.name!r}: {self.input}, {len(self.x)} rows>"

    def __str__(self) -> str:
        lines = [f"{self.mechanism.name}: {self._reach()}"]
        lines += [str(self.four_bar)] if self.four_bar is not None else []
        for d in self.dead_centres:
            stands = "the input cannot go further" if d.of == "input" else "the output turns back"
            lines.append(f"dead centre of {d.coordinate} at {self.input} = {self.told(d.input_value)}: {stands}")
        lines += [self._angle()] if self.transmission_angle is not None else []
        lines += [self._advantage()] if self.output_ratio is not None else []
        return "\n".join([*lines, *self._forces()])

    def told(self, x: float) -> str:
        """A value of the input, for people: angles in degrees."""
        return in_words(x, self.units[0])

    def _reach(self) -> str:
        if self.turns:
            after = "after one turn" if self.turns == 1 else f"after {self.turns} turns"
            return f"{self.input} turns fully, and the linkage is back where it was {after}"
        low, high = self.range
        why = self.ends[0] if self.ends[0] == self.ends[1] else f"{self.ends[0]} and {self.ends[1]}"
        return f"{self.input} goes from {self.told(low)} to {self.told(high)} ({why})"

    def _angle(self) -> str:
        assert self.transmission_angle is not None
        angle = np.round(np.degrees(self.transmission_angle), 6) + 0.0  # of equal ones, the first
        low, high = int(np.argmin(angle)), int(np.argmax(angle))
        mu = [angle[k] for k in (low, high)]
        return (
            f"transmission angle at {self.output}: {mu[0]:.4g} deg at {self.input} = {self.told(self.x[low])} "
            f"to {mu[1]:.4g} deg at {self.told(self.x[high])}"
        )

    def _advantage(self) -> str:
        assert self.output_ratio is not None
        ratio = np.abs(self.output_ratio)
        fast = int(np.argmax(np.round(ratio / np.median(ratio[np.isfinite(ratio)]), 9)))
        units = [_per(*pair) for pair in (self.units[::-1], self.units)]
        most, least = (
            f"{x:.4g}{'' if unit == '1' else f' {unit}'}" for x, unit in zip((ratio[fast], 1 / ratio[fast]), units, strict=True)
        )
        return (
            f"{self.output} over {self.input}: velocity ratio of at most {most}, at {self.told(self.x[fast])}, "
            f"where the mechanical advantage is {least}"
        )

    def _forces(self) -> list[str]:
        if not np.isfinite(self.torque).any():
            return []
        unit = "N m" if self.units[0] == "rad" else "N"
        rate = f"{self.speed:g} {self.units[0]}/s"
        parts = []
        for what, rows in (("at rest", self.static_torque), (f"at {rate}", self.torque)):
            most = np.nanmax(np.abs(rows))
            if most < 1e-12:
                continue
            low, high = int(np.nanargmin(np.round(rows / most, 9))), int(np.nanargmax(np.round(rows / most, 9)))
            ends = f"{rows[low]:.4g} (at {self.told(self.x[low])}) to {rows[high]:.4g} {unit} (at {self.told(self.x[high])})"
            parts.append(f"{'force' if unit == 'N' else 'torque'} at {self.input}, {what}: {ends}")
        return parts


def in_words(x: float, unit: str) -> str:
    """A coordinate for people: angles in degrees."""
    x = math.degrees(x) if unit == "rad" else float(x)
    return f"{0.0 if abs(x) < 1e-9 else x:.6g} {'deg' if unit == 'rad' else unit}"


def _per(a: str, b: str) -> str:
    return "1" if a == b else f"{a}/{b}"
