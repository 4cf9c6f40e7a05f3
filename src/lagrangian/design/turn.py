"""What a linkage does over a turn of its input: rows of numbers, dead centres, and a text that says the essentials."""

from __future__ import annotations

import math
import os
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from lagrangian.cached import cached_property
from lagrangian.design.circuit import Circuit
from lagrangian.design.coupler_curve import CouplerCurve, coupler_curve
from lagrangian.design.four_bar import FourBar
from lagrangian.design.linkage import End
from lagrangian.design.saving import Column, save
from lagrangian.design.showing import ShownTurn
from lagrangian.design.swing import Covered, Swing
from lagrangian.design.units import in_words, per
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
    the linkage is where it was, 0 if the input cannot turn fully. `four_bar` has lengths and kind of a planar four-bar. `swings`
    has the range of every coordinate that follows the input. An output that the input does not move, as in a linkage whose crank
    has no length, has neither dead centres nor a transmission angle.
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
    swings: dict[str, Swing]
    dyn: Dynamics = field(repr=False)
    circuit: Circuit = field(repr=False)
    covered: Covered = field(repr=False)
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

    @property
    def stands_still(self) -> bool:
        """Whether there is an output that the input does not move."""
        return self.output_ratio is not None and not self.output_ratio.any()

    @property
    def strokes(self) -> tuple[float, float] | None:
        """How far the input turns while the output advances and while it returns, the longer stroke first.

        None unless the input turns fully and the output goes to and fro once in that turn.
        """
        ends = [d.input_value for d in self.dead_centres if d.of == "output"]
        if self.turns != 1 or len(ends) != 2:
            return None
        one = abs(ends[1] - ends[0])
        return max(one, 2 * math.pi - one), min(one, 2 * math.pi - one)

    @property
    def time_ratio(self) -> float | None:
        """The time in which the output advances over that in which it returns, at a constant speed of the input: at least 1."""
        return self.strokes[0] / self.strokes[1] if self.strokes is not None else None

    def swing(self, frame: str) -> dict[str, Swing]:
        """How far the origin of a frame travels along x, y and z over the input's range."""
        name = self.mechanism.frame(frame).name
        return {axis: self.covered.swing(End(self.dyn, "", name, axis)) for axis in "xyz"}

    def swing_text(self, frame: str) -> str:
        """The same in words."""
        from lagrangian.design.turn_text import swing_of_frame

        return swing_of_frame(frame, self.swing(frame))

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
            Column(f"d_{n}", self.velocity_ratios[:, k], per("m" if slides[k] else "rad", of_input), "over the input's speed")
            for k, n in enumerate(self.mechanism.speed_names)
        ]
        if self.output_ratio is not None and self.mechanical_advantage is not None:
            columns.append(Column("output_ratio", self.output_ratio, per(of_output, of_input)))
            columns.append(Column("mechanical_advantage", self.mechanical_advantage, per(of_input, of_output)))
        if self.transmission_angle is not None:
            columns.append(Column("transmission_angle", self.transmission_angle, "rad"))
        for name in ("torque", "static_torque", "inertial_torque", "friction_torque"):
            columns.append(Column(name, getattr(self, name), force))
        return columns + [Column(f"lambda_{n}", self.multipliers[:, k], "") for k, n in enumerate(self.dyn.constraint_names)]

    def __repr__(self) -> str:
        return f"<FullTurn of {self.mechanism.name!r}: {self.input}, {len(self.x)} rows>"

    def __str__(self) -> str:
        from lagrangian.design.turn_text import turn_text

        return turn_text(self)

    def told(self, x: float) -> str:
        """A value of the input, for people: angles in degrees."""
        return in_words(x, self.units[0])
