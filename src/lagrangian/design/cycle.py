"""The cycle of a linkage: its motion over a full turn of its input, with dead centres, forces and a summary in words."""

from __future__ import annotations

import math
import os
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from lagrangian.cached import cached_property
from lagrangian.configuration.text import format_coordinate
from lagrangian.design.coupler_curve import CouplerCurve, coupler_curve
from lagrangian.design.display import CycleDisplay
from lagrangian.design.four_bar import FourBar
from lagrangian.design.linkage import LinkageOutput
from lagrangian.design.solution_curve import SolutionCurve
from lagrangian.design.table_file import Column, write_table_file
from lagrangian.design.travel import CoveredRange, OutputTravel
from lagrangian.kernels.dynamics import Dynamics
from lagrangian.model.mechanism import Mechanism

MAX_LISTED = 16  # joints whose travel the summary lists


@dataclass(frozen=True, eq=False, repr=False)
class CycleAnalysis(CycleDisplay):
    """The motion of a linkage over a full turn of its input, or over the range that the input has.

    `analyse_cycle` returns it. Arrays have one row for each value `x` of the input. Rows at a dead centre of the input have
    infinite ratios, and forces that are NaN. An output that the input does not move has neither dead centres nor a transmission
    angle.

    Attributes
    ----------
    mechanism : Mechanism
        The mechanism.
    input, output : str
        The names of the input and the output. The output is None if there is none.
    units : tuple of str
        The units of the input and the output, "rad" or "m".
    x : numpy.ndarray
        The values of the input, in rad or m.
    q : numpy.ndarray
        The configurations.
    velocity_ratios, acceleration_ratios : numpy.ndarray
        The derivatives dq/dx and d2q/dx2 of all speeds.
    output_ratio : numpy.ndarray or None
        The speed of the output over that of the input.
    transmission_angle : numpy.ndarray or None
        The transmission angle in radians, from 0 to pi/2.
    speed : float
        The constant speed of the input, in rad/s or m/s.
    torque : numpy.ndarray
        The torque, or force, that moves the input at this speed. It is the sum of the next three.
    static_torque, inertial_torque, friction_torque : numpy.ndarray
        The parts of gravity, springs and external wrenches, of inertia, and of friction.
    multipliers : numpy.ndarray
        The Lagrange multipliers of the constraints.
    dead_centres : list of DeadCentre
        The dead centres of the input and the output.
    ends : tuple of str
        Why the range ends at its low and its high end; empty if the input turns fully.
    turns : int
        After how many turns of the input the linkage returns to its start; 0 if the input cannot turn fully.
    four_bar : FourBar or None
        Lengths and kind, if the linkage is a planar four-bar.
    travels : dict of OutputTravel
        The range of every other coordinate.

    Examples
    --------
    >>> import lagrangian as lg
    >>> cycle = lg.analyse_cycle("four_bar")
    >>> print(cycle.four_bar)
    four-bar, crank-rocker: ground 1, input 0.3, coupler 0.9, output 0.6 m; shortest and longest link are together 0.2 m shorter
    than the other two: the input turns fully
    >>> print(f"{abs(cycle.torque).max():.3f} N m, transmission angle from {cycle.transmission_angle.min():.3f} rad")
    5.696 N m, transmission angle from 0.890 rad
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
    travels: dict[str, OutputTravel]
    dyn: Dynamics = field(repr=False)
    curve: SolutionCurve = field(repr=False)
    covered_range: CoveredRange = field(repr=False)
    wrenches: dict[str, np.ndarray] = field(repr=False)

    @property
    def mechanical_advantage(self) -> np.ndarray | None:
        """The force or torque at the output over that at the input, without friction: the inverse of the output ratio."""
        if self.output_ratio is None:
            return None
        with np.errstate(divide="ignore"):
            return 1 / self.output_ratio

    @property
    def qd(self) -> np.ndarray:
        """The speeds, when the input moves at its constant speed."""
        return self.speed * self.velocity_ratios

    @property
    def qdd(self) -> np.ndarray:
        """The accelerations, when the input moves at its constant speed."""
        return self.speed**2 * self.acceleration_ratios

    @property
    def range(self) -> tuple[float, float]:
        """The first and the last value of the input, in rad or m."""
        return float(self.x[0]), float(self.x[-1])

    @cached_property
    def reactions(self) -> np.ndarray:
        """The wrench of each joint on its child body, as `Dynamics.reactions` returns it, with the shape (rows, joints, 6)."""
        finite = np.isfinite(self.torque)
        reactions = np.full((len(self.x), len(self.mechanism.joints), 6), np.nan)
        wrenches = {frame: rows[finite] for frame, rows in self.wrenches.items()}
        states = (self.q[finite], self.qd[finite], self.qdd[finite])
        if finite.any():
            reactions[finite] = self.dyn.reactions(*states, wrenches or None, self.multipliers[finite])
        return reactions

    @property
    def output_is_fixed(self) -> bool:
        """Whether there is an output that the input does not move."""
        return self.output_ratio is not None and not self.output_ratio.any()

    @property
    def strokes(self) -> tuple[float, float] | None:
        """The angles of the input while the output advances and while it returns, in radians, the longer stroke first.

        It is None unless the input turns fully and the output moves to and fro once per turn.
        """
        ends = [d.input_value for d in self.dead_centres if d.kind == "output"]
        if self.turns != 1 or len(ends) != 2:
            return None
        first_stroke = abs(ends[1] - ends[0])
        return max(first_stroke, 2 * math.pi - first_stroke), min(first_stroke, 2 * math.pi - first_stroke)

    @property
    def time_ratio(self) -> float | None:
        """The time of the output's advance over that of its return, at a constant speed of the input; at least 1, or None."""
        return self.strokes[0] / self.strokes[1] if self.strokes is not None else None

    def travel(self, frame: str) -> dict[str, OutputTravel]:
        """Return how far the origin of a frame travels along x, y and z over the range of the input.

        Parameters
        ----------
        frame : str
            The frame or body.

        Returns
        -------
        dict of OutputTravel
            The ranges along "x", "y" and "z".

        Examples
        --------
        >>> import lagrangian as lg
        >>> travel = lg.analyse_cycle("slider_crank").travel("slider")
        >>> round(travel["x"].extent, 9)
        0.2
        """
        name = self.mechanism.frame(frame).name
        return {axis: self.covered_range.travel(LinkageOutput(self.dyn, "", name, axis)) for axis in "xyz"}

    def travel_text(self, frame: str) -> str:
        """Describe how far the origin of a frame travels.

        Parameters
        ----------
        frame : str
            The frame or body.

        Returns
        -------
        str
            One line.

        Examples
        --------
        >>> import lagrangian as lg
        >>> print(lg.analyse_cycle("slider_crank").travel_text("slider"))
        slider travels: x from 0.2 to 0.4 m
        """
        return frame_travel_text(frame, self.travel(frame))

    def coupler_curve(self, frame: str) -> CouplerCurve:
        """Return the curve that the origin of a frame draws over all configurations of the linkage.

        Parameters
        ----------
        frame : str
            The frame or body.

        Returns
        -------
        CouplerCurve
            The curve, with its cusps and double points.

        Examples
        --------
        >>> import lagrangian as lg
        >>> print(lg.analyse_cycle("slider_crank").coupler_curve("rod"))
        rod draws a closed curve of 0.628319 m with no cusps and no double points
        """
        return coupler_curve(self.curve, frame)

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Write all rows to a file.

        Parameters
        ----------
        path : str or path
            The file; it ends in .csv or .nc (netCDF).

        Returns
        -------
        pathlib.Path
            The file that was written.

        Examples
        --------
        >>> import lagrangian as lg
        >>> lg.analyse_cycle("slider_crank").save("cycle.csv").name
        'cycle.csv'
        """
        return write_table_file(path, self.mechanism.name, "turn", "row", self._columns())

    def _columns(self) -> list[Column]:
        slides = [slides for joint in self.mechanism.joints for slides in joint.slides]
        input_unit, output_unit = self.units
        force = "N m" if input_unit == "rad" else "N"
        columns = [Column("input", self.x, input_unit, f"the input, {self.input}")]
        units = [unit or "1" for joint in self.mechanism.joints for unit in joint.kind.units]
        columns += [Column(n, self.q[:, k], units[k]) for k, n in enumerate(self.mechanism.coordinate_names)]
        columns += [
            Column(
                f"d_{n}",
                self.velocity_ratios[:, k],
                _unit_ratio("m" if slides[k] else "rad", input_unit),
                "over the input's speed",
            )
            for k, n in enumerate(self.mechanism.speed_names)
        ]
        if self.output_ratio is not None and self.mechanical_advantage is not None:
            columns.append(Column("output_ratio", self.output_ratio, _unit_ratio(output_unit, input_unit)))
            columns.append(Column("mechanical_advantage", self.mechanical_advantage, _unit_ratio(input_unit, output_unit)))
        if self.transmission_angle is not None:
            columns.append(Column("transmission_angle", self.transmission_angle, "rad"))
        for name in ("torque", "static_torque", "inertial_torque", "friction_torque"):
            columns.append(Column(name, getattr(self, name), force))
        return columns + [Column(f"lambda_{n}", self.multipliers[:, k], "") for k, n in enumerate(self.dyn.constraint_names)]

    def __repr__(self) -> str:
        return f"<CycleAnalysis of {self.mechanism.name!r}: {self.input}, {len(self.x)} rows>"

    def __str__(self) -> str:
        return cycle_text(self)

    def format_input(self, x: float) -> str:
        """Format a value of the input with its unit; angles are in degrees.

        Parameters
        ----------
        x : float
            The value, in rad or m.

        Returns
        -------
        str
            The text.
        """
        return format_coordinate(x, self.units[0])


@dataclass(frozen=True, eq=False)
class DeadCentre:
    """A configuration in which the input or the output of a linkage stands still while the other one moves.

    At a dead centre of the input, the input cannot move the linkage. At a dead centre of the output, the output reverses, and the
    mechanical advantage is infinite.

    Attributes
    ----------
    kind : {"input", "output"}
        Which of them stands still.
    coordinate : str
        The name of the input or the output.
    input_value : float
        The value of the input there, in rad or m.
    q : numpy.ndarray
        The configuration.

    Examples
    --------
    >>> import lagrangian as lg
    >>> cycle = lg.analyse_cycle("slider_crank")
    >>> for dead in cycle.dead_centres:
    ...     print(dead.kind, dead.coordinate, round(dead.input_value, 6), dead.q.round(3) + 0.0)
    output x 0.0 [0.  0.  0.4]
    output x 3.141593 [ 3.142 -3.142  0.2  ]
    """

    kind: str
    coordinate: str
    input_value: float
    q: np.ndarray


# ---- the cycle in words


def cycle_text(cycle: CycleAnalysis) -> str:
    """The summary of a cycle: its range, dead centres, travels, transmission and forces, one line each."""
    lines = [f"{cycle.mechanism.name}: {_range_text(cycle)}"]
    lines += [str(cycle.four_bar)] if cycle.four_bar is not None else []
    for d in cycle.dead_centres:
        consequence = "the input cannot go further" if d.kind == "input" else "the output turns back"
        lines.append(f"dead centre of {d.coordinate} at {cycle.input} = {cycle.format_input(d.input_value)}: {consequence}")
    lines += _travel_lines(cycle)
    lines += [_strokes_text(cycle)] if cycle.strokes is not None else []
    if cycle.output_is_fixed:
        return "\n".join([*lines, f"{cycle.input} does not move {cycle.output}, so nothing is transmitted", *_force_lines(cycle)])
    lines += [_transmission_text(cycle)] if cycle.transmission_angle is not None else []
    lines += [_advantage_text(cycle)] if cycle.output_ratio is not None else []
    return "\n".join([*lines, *_force_lines(cycle)])


def _range_text(cycle: CycleAnalysis) -> str:
    if cycle.turns:
        after = "after one turn" if cycle.turns == 1 else f"after {cycle.turns} turns"
        return f"{cycle.input} turns fully, and the linkage returns to its start {after}"
    low, high = cycle.range
    reason = cycle.ends[0] if cycle.ends[0] == cycle.ends[1] else f"{cycle.ends[0]} and {cycle.ends[1]}"
    return f"{cycle.input} goes from {cycle.format_input(low)} to {cycle.format_input(high)} ({reason})"


def _travel_lines(cycle: CycleAnalysis) -> Iterable[str]:
    """A line for the travel of each joint, the output first."""
    travels = sorted(cycle.travels.values(), key=lambda travel: travel.name != cycle.output)
    yield from (_travel_text(cycle, travel) for travel in travels[:MAX_LISTED])
    if len(travels) > MAX_LISTED:
        yield f"... and {len(travels) - MAX_LISTED} more joints; `travels` has all of them"


def _travel_text(cycle: CycleAnalysis, travel: OutputTravel) -> str:
    if travel.turns:
        input_turns = "one turn" if cycle.turns == 1 else f"{cycle.turns} turns"
        return (
            f"{travel.name} turns fully: {travel.turns} turn{'s' * (abs(travel.turns) != 1)} for {input_turns} of {cycle.input}"
        )
    if travel.is_fixed:
        return f"{travel.name} stands still at {format_coordinate(travel.low, travel.unit)}"
    (first, input_at_first), (last, input_at_last) = sorted(
        [(travel.low, travel.input_at_low), (travel.high, travel.input_at_high)], key=lambda end: end[1]
    )
    verb = "swings by" if travel.unit == "rad" else "moves by"
    return (
        f"{travel.name} {verb} {format_coordinate(travel.extent, travel.unit)}: "
        f"from {format_coordinate(first, travel.unit)} at {cycle.input} = {cycle.format_input(input_at_first)} "
        f"to {format_coordinate(last, travel.unit)} at {cycle.format_input(input_at_last)}"
    )


def frame_travel_text(frame: str, travels: dict[str, OutputTravel]) -> str:
    """How far the origin of a frame travels, in one line."""
    ranges = [f"{axis} from {travel.low:.6g} to {travel.high:.6g}" for axis, travel in travels.items() if not travel.is_fixed]
    return f"{frame} travels: {', '.join(ranges)} m" if ranges else f"{frame} stands still"


def _strokes_text(cycle: CycleAnalysis) -> str:
    assert cycle.strokes is not None
    assert cycle.time_ratio is not None
    slow, fast = (cycle.format_input(x) for x in cycle.strokes)
    return f"time ratio {cycle.time_ratio:.4g}: {cycle.output} advances during {slow} of {cycle.input}, and returns during {fast}"


def _transmission_text(cycle: CycleAnalysis) -> str:
    assert cycle.transmission_angle is not None
    angle = np.round(np.degrees(cycle.transmission_angle), 6) + 0.0  # so that the first of equal ones counts
    low, high = int(np.argmin(angle)), int(np.argmax(angle))
    mu = [angle[k] for k in (low, high)]
    return (
        f"transmission angle at {cycle.output}: {mu[0]:.4g} deg at {cycle.input} = {cycle.format_input(cycle.x[low])} "
        f"to {mu[1]:.4g} deg at {cycle.format_input(cycle.x[high])}"
    )


def _advantage_text(cycle: CycleAnalysis) -> str:
    assert cycle.output_ratio is not None
    ratio = np.abs(cycle.output_ratio)
    fastest = int(np.argmax(np.round(ratio / np.median(ratio[np.isfinite(ratio)]), 9)))
    units = [_unit_ratio(*pair) for pair in (cycle.units[::-1], cycle.units)]
    ratio_text, advantage_text = (
        f"{x:.4g}{'' if unit == '1' else f' {unit}'}" for x, unit in zip((ratio[fastest], 1 / ratio[fastest]), units, strict=True)
    )
    return (
        f"{cycle.output} over {cycle.input}: velocity ratio of at most {ratio_text}, at {cycle.format_input(cycle.x[fastest])}, "
        f"where the mechanical advantage is {advantage_text}"
    )


def _force_lines(cycle: CycleAnalysis) -> list[str]:
    if not np.isfinite(cycle.torque).any():
        return []
    unit = "N m" if cycle.units[0] == "rad" else "N"
    rate = f"{cycle.speed:g} {cycle.units[0]}/s"
    parts = []
    for condition, rows in (("at rest", cycle.static_torque), (f"at {rate}", cycle.torque)):
        largest = np.nanmax(np.abs(rows))
        if largest < 1e-12:
            continue
        low, high = int(np.nanargmin(np.round(rows / largest, 9))), int(np.nanargmax(np.round(rows / largest, 9)))
        input_at_low, input_at_high = (cycle.format_input(cycle.x[k]) for k in (low, high))
        ends = f"{rows[low]:.4g} (at {input_at_low}) to {rows[high]:.4g} {unit} (at {input_at_high})"
        parts.append(f"{'force' if unit == 'N' else 'torque'} at {cycle.input}, {condition}: {ends}")
    return parts


def _unit_ratio(a: str, b: str) -> str:
    """The unit of the quotient of two values with these units."""
    return "1" if a == b else f"{a}/{b}"
