"""`lagrangian.compare_cycles`: the cycles of one linkage with other lengths, masses or springs, side by side."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from lagrangian.arguments import floats
from lagrangian.configuration.assemble import assemble
from lagrangian.configuration.start import Start, as_dynamics
from lagrangian.description.mechanism_like import MechanismLike
from lagrangian.design.analyse_cycle import DEFAULT_ROWS, analyse_cycle
from lagrangian.design.cycle import CycleAnalysis
from lagrangian.design.display import CycleComparisonDisplay
from lagrangian.design.linkage import Fixed, Output
from lagrangian.design.table_file import Column, write_table_file
from lagrangian.errors import ArgumentError, ArgumentName, LagrangianError, format_value, unknown_name_message
from lagrangian.kernels.dynamics import Dynamics
from lagrangian.model.mechanism import Mechanism
from lagrangian.model.parameters import is_path
from lagrangian.motion.wrench import WrenchesLike
from lagrangian.types import State

MAX_CYCLES = 10_000
MAX_LISTED = 40  # rows of the text


def compare_cycles(
    mechanism: MechanismLike | Dynamics,
    sweep: Mapping[str, ArrayLike],
    input: str | None = None,  # noqa: A002
    output: Output = None,
    *,
    over: tuple[float, float] | None = None,
    q0: State = None,
    fixed: Fixed = (),
    speed: float = 1.0,
    wrenches: WrenchesLike = None,
    rows: int = DEFAULT_ROWS,
    limits: bool = True,
) -> CycleComparison:
    """Analyse the cycle of a linkage with different values of its parameters, and compare the results.

    Parameters
    ----------
    mechanism : Mechanism, str, path or Dynamics
        A mechanism of one degree of freedom, as for `analyse_cycle`.
    sweep : mapping
        Parameters, or paths of numbers such as `spring1.stiffness`, with the values that each takes: a list, an array or
        `lagrangian.distributions.grid(0.2, 0.4, 5)`. Several parameters make a grid of all combinations.
    input : str, optional
        The coordinate that drives the linkage. The default is the one whose joint is actuated.
    output : str or tuple of str, optional
        The output: a coordinate, a frame, or a frame along a direction, such as ("tip", "x").
    over : tuple of float, optional
        The range of the input, in rad or m. The default is a full turn, or as far as the linkage can move.
    q0 : array_like, mapping or str, optional
        A configuration, which picks the assembly mode.
    fixed : iterable of str or mapping, optional
        Coordinates that are held at their values in `q0`, or a mapping of coordinates to the values at which they are held.
    speed : float
        The constant speed of the input for the forces, in rad/s or m/s. The default is 1.
    wrenches : mapping, optional
        External moments and forces by frame, as for `inverse`.
    rows : int
        The number of rows per turn. The default is 361.
    limits : bool
        Whether the limits of joints end the range. The default is True.

    Returns
    -------
    CycleComparison
        The cycles, and arrays with a number for each. `print` writes a table; `plot` and `save` show the same.

    Raises
    ------
    ArgumentError
        If a parameter is unknown, or if none of the cycles exists.

    See Also
    --------
    analyse_cycle : One cycle.

    Examples
    --------
    >>> import lagrangian as lg
    >>> comparison = lg.compare_cycles("slider_crank", {"r": [0.05, 0.1]})
    >>> comparison.travel.round(10)
    array([0.1, 0.2])
    """
    dyn = as_dynamics(mechanism)
    grid = _parameter_grid(dyn.mechanism, sweep)
    nominal = Start(dyn, q0).q if q0 is not None and dyn.mechanism.equation_count else None
    cycles: list[CycleAnalysis | None] = []
    reasons: dict[int, str] = {}
    for k in range(len(next(iter(grid.values())))):
        try:
            varied = dyn.with_parameters({name: float(x[k]) for name, x in grid.items()})
            start = _start_configuration(varied, q0, nominal)
            cycles.append(
                analyse_cycle(
                    varied,
                    input,
                    output,
                    over=over,
                    q0=start,
                    fixed=fixed,
                    speed=speed,
                    wrenches=wrenches,
                    rows=rows,
                    limits=limits,
                )
            )
        except LagrangianError as error:
            cycles.append(None)
            reasons[k] = str(error)
            last_error = error
    if len(reasons) == len(cycles):
        raise last_error
    return CycleComparison(dyn.mechanism, grid, cycles, reasons)


def _parameter_grid(model: Mechanism, sweep: Any) -> dict[str, np.ndarray]:
    """All combinations of the values, the last name changing fastest."""
    if not isinstance(sweep, Mapping) or not sweep:
        needed = 'a mapping of parameters to their values is needed, such as {"l1": [0.2, 0.3, 0.4]}'
        raise ArgumentError(f"is {format_value(sweep)}", argument="sweep", remedy=needed)
    values = []
    for name, value in sweep.items():
        if name not in model.parameters and not is_path(model, name):
            raise ArgumentError(unknown_name_message("parameter", name, model.parameters), where=ArgumentName("sweep"))
        try:
            numbers = np.atleast_1d(floats(value))
        except (TypeError, ValueError):
            numbers = np.zeros(0)
        if numbers.ndim != 1 or not numbers.size or not np.isfinite(numbers).all():
            needed = "a list of finite numbers, or lagrangian.distributions.grid(0.2, 0.4, 5), is needed"
            raise ArgumentError(f"is {format_value(value)}", where=(ArgumentName("sweep"), repr(name)), remedy=needed)
        values.append(numbers)
    count = int(np.prod([len(x) for x in values]))
    if count > MAX_CYCLES:
        raise ArgumentError(f"gives {count} combinations; at most {MAX_CYCLES} are compared", argument="sweep")
    return dict(zip(sweep, np.array(list(product(*values))).T, strict=True))


def _start_configuration(dyn: Dynamics, q0: Any, nominal: Any) -> Any:
    """The given start if it closes the loops; else the configuration nearest to the start of the nominal mechanism."""
    if q0 is None or not dyn.mechanism.equation_count:
        return q0
    start = Start(dyn, q0)
    return assemble(dyn, nominal) if start.given_state.complete and start.open_violation is not None else q0


@dataclass(frozen=True, eq=False, repr=False)
class CycleComparison(CycleComparisonDisplay):
    """The cycles of a linkage with different values of its parameters.

    `compare_cycles` returns it. The arrays have a number for each cycle, which is NaN where there is none. Index it, or iterate
    over it, to get the cycles.

    Attributes
    ----------
    mechanism : Mechanism
        The mechanism with its own parameters.
    parameters : dict of numpy.ndarray
        The values of the parameters, one for each cycle.
    cycles : list of CycleAnalysis or None
        The cycles; None if the linkage cannot be moved with these values.
    failure_reasons : dict of str
        Why a cycle is missing, by its number.
    full : numpy.ndarray
        Whether the input turns fully.
    travel, transmission_angle, time_ratio, peak_torque, peak_static_torque : numpy.ndarray
        Quantities of each cycle.

    Examples
    --------
    >>> import lagrangian as lg
    >>> print(lg.compare_cycles("slider_crank", {"r": [0.05, 0.1]}))
    slider_crank: 2 cycles of theta, of which 2 are full turns
       r  full  swing [m]  transmission angle [deg]  time ratio  peak static torque [N m]  peak torque [N m]
    0.05   yes        0.1                     80.41           1                    0.4415             0.4415
     0.1   yes        0.2                     70.53           1                    0.8829             0.8831
    """

    mechanism: Mechanism
    parameters: dict[str, np.ndarray]
    cycles: list[CycleAnalysis | None]
    failure_reasons: dict[int, str] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.cycles)

    def __iter__(self) -> Iterator[CycleAnalysis | None]:
        return iter(self.cycles)

    def __getitem__(self, k: int) -> CycleAnalysis:
        cycle = self.cycles[k]
        if cycle is None:
            raise ArgumentError(f"cycle {k} does not exist: {self.failure_reasons[k % len(self)]}", where=self.mechanism.name)
        return cycle

    @property
    def first_cycle(self) -> CycleAnalysis:
        """The first cycle that exists."""
        return next(cycle for cycle in self.cycles if cycle is not None)

    def _per_cycle(self, function: Callable[[CycleAnalysis], float | None]) -> np.ndarray:
        values = [None if cycle is None else function(cycle) for cycle in self.cycles]
        return np.array([np.nan if x is None else x for x in values], dtype=float)

    @property
    def full(self) -> np.ndarray:
        """Whether the input turns fully."""
        return np.array([cycle is not None and cycle.turns > 0 for cycle in self.cycles])

    @property
    def travel(self) -> np.ndarray:
        """The range of the output, in rad or m; a whole turn if it turns fully."""
        return self._per_cycle(_output_travel)

    @property
    def transmission_angle(self) -> np.ndarray:
        """The smallest transmission angle, in radians."""
        return self._per_cycle(lambda cycle: None if cycle.transmission_angle is None else float(cycle.transmission_angle.min()))

    @property
    def time_ratio(self) -> np.ndarray:
        """The time of the advance of the output over that of its return."""
        return self._per_cycle(lambda cycle: cycle.time_ratio)

    @property
    def peak_torque(self) -> np.ndarray:
        """The largest magnitude of the torque or force at the input; infinite if the range ends at a dead centre of it."""
        return self._per_cycle(lambda cycle: _peak(cycle, cycle.torque))

    @property
    def peak_static_torque(self) -> np.ndarray:
        """The largest magnitude of the torque, or force, at the input at rest."""
        return self._per_cycle(lambda cycle: _peak(cycle, cycle.static_torque))

    def columns(self) -> list[Column]:
        """Return the quantities that are compared, with names and units; those that no cycle has are left out."""
        input_unit, output_unit = self.first_cycle.units
        force = "N m" if input_unit == "rad" else "N"
        columns = [
            Column("full", self.full.astype(float), "1", "whether the input turns fully"),
            Column("swing", self.travel, output_unit, f"of {self.first_cycle.output}"),
            Column("transmission_angle", self.transmission_angle, "rad", "the least"),
            Column("time_ratio", self.time_ratio, "1", "advance over return"),
            Column("peak_static_torque", self.peak_static_torque, force, "at rest"),
            Column("peak_torque", self.peak_torque, force, f"at {self.first_cycle.speed:g} {input_unit}/s"),
        ]
        return [c for c in columns if np.isfinite(c.values).any()]

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Write a row for each cycle to a file.

        Parameters
        ----------
        path : str or path
            The file; it ends in .csv or .nc (netCDF).

        Returns
        -------
        pathlib.Path
            The file that was written.
        """
        parameter_columns = [Column(name, values) for name, values in self.parameters.items()]
        return write_table_file(path, self.mechanism.name, "comparison of turns", "turn", [*parameter_columns, *self.columns()])

    def __repr__(self) -> str:
        return f"<CycleComparison of {self.mechanism.name!r}: {len(self)} cycles over {', '.join(self.parameters)}>"

    def __str__(self) -> str:
        first_cycle = self.first_cycle
        full_count = int(self.full.sum())
        lines = [f"{self.mechanism.name}: {len(self)} cycles of {first_cycle.input}, of which {full_count} are full turns"]
        columns = self.columns()
        header = [*self.parameters, *(f"{c.name.replace('_', ' ')}{_unit_suffix(c)}" for c in columns)]
        rows = [
            [*(f"{x[k]:.6g}" for x in self.parameters.values()), *(_format_cell(c, k) for c in columns)]
            for k in range(min(len(self), MAX_LISTED))
        ]
        widths = [max(len(row[k]) for row in (header, *rows)) for k in range(len(header))]
        lines += ["  ".join(x.rjust(w) for x, w in zip(row, widths, strict=True)) for row in (header, *rows)]
        lines += [f"... and {len(self) - MAX_LISTED} more"] if len(self) > MAX_LISTED else []
        for reason in dict.fromkeys(self.failure_reasons.values()):
            indices = [k for k, x in self.failure_reasons.items() if x == reason]
            values = ", ".join(f"{name} = {x[indices[0]]:.6g}" for name, x in self.parameters.items())
            others_text = f" and {len(indices) - 1} more" if len(indices) > 1 else ""
            lines.append(f"no cycle with {values}{others_text}: {reason}")
        return "\n".join(lines)


def _output_travel(cycle: CycleAnalysis) -> float | None:
    travel = cycle.travels.get(cycle.output or "")
    return None if travel is None else 2 * np.pi if travel.turns else 0.0 if travel.is_fixed else travel.extent


def _peak(cycle: CycleAnalysis, rows: np.ndarray) -> float | None:
    if any(d.kind == "input" for d in cycle.dead_centres):
        return np.inf
    return float(np.nanmax(np.abs(rows))) if np.isfinite(rows).any() else None


def _unit_suffix(c: Column) -> str:
    unit = "deg" if c.unit == "rad" else c.unit
    return "" if unit == "1" else f" [{unit}]"


def _format_cell(c: Column, k: int) -> str:
    x = c.values[k]
    if c.name == "full":
        return "yes" if x else "no"
    return "-" if np.isnan(x) else f"{round(np.degrees(x), 9) if c.unit == 'rad' else x:.4g}"
