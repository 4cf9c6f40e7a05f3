"""`lagrangian.compare_turns`: turns of one linkage with other lengths, masses or springs, side by side."""

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
from lagrangian.configuration.dynamics_of import dynamics_of
from lagrangian.configuration.start import Start
from lagrangian.description.mechanism_of import MechanismLike
from lagrangian.design.full_turn import ROWS, full_turn
from lagrangian.design.linkage import Fixed, Output
from lagrangian.design.saving import Column, save
from lagrangian.design.showing import ShownTurns
from lagrangian.design.turn import FullTurn
from lagrangian.errors import Argument, ArgumentError, LagrangianError, one_of, shown
from lagrangian.kernels.dynamics import Dynamics
from lagrangian.model.mechanism import Mechanism
from lagrangian.model.parts import is_path
from lagrangian.motion.wrench import WrenchesLike
from lagrangian.types import State

MOST = 10_000  # turns
LISTED = 40  # rows of the text


@dataclass(frozen=True, eq=False, repr=False)
class ComparedTurns(ShownTurns):
    """Turns of a linkage with different values of its parameters.

    `compare_turns` returns it. The arrays have a number for each turn, which is NaN where there is none. Index it, or iterate
    over it, to get the turns.

    Attributes
    ----------
    mechanism : Mechanism
        The mechanism with its own parameters.
    parameters : dict of numpy.ndarray
        The values of the parameters, one for each turn.
    turns : list of FullTurn or None
        The turns; None if the linkage cannot be turned with these values.
    reasons : dict of str
        Why a turn is missing, by its number.
    full : numpy.ndarray
        Whether the input turns fully.
    swing, transmission_angle, time_ratio, peak_torque, peak_static_torque : numpy.ndarray
        Quantities of each turn.

    Examples
    --------
    >>> import lagrangian as lg
    >>> print(lg.compare_turns("slider_crank", {"r": [0.05, 0.1]}))
    slider_crank: 2 turns of theta, of which 2 are full
       r  full  swing [m]  transmission angle [deg]  time ratio  peak static torque [N m]  peak torque [N m]
    0.05   yes        0.1                     80.41           1                    0.4415             0.4415
     0.1   yes        0.2                     70.53           1                    0.8829             0.8831
    """

    mechanism: Mechanism
    parameters: dict[str, np.ndarray]
    turns: list[FullTurn | None]
    reasons: dict[int, str] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.turns)

    def __iter__(self) -> Iterator[FullTurn | None]:
        return iter(self.turns)

    def __getitem__(self, k: int) -> FullTurn:
        turn = self.turns[k]
        if turn is None:
            raise ArgumentError(f"turn {k} does not exist: {self.reasons[k % len(self)]}", where=self.mechanism.name)
        return turn

    @property
    def one(self) -> FullTurn:
        """The first turn that exists."""
        return next(turn for turn in self.turns if turn is not None)

    def _each(self, of: Callable[[FullTurn], float | None]) -> np.ndarray:
        found = [None if turn is None else of(turn) for turn in self.turns]
        return np.array([np.nan if x is None else x for x in found], dtype=float)

    @property
    def full(self) -> np.ndarray:
        """Whether the input turns fully."""
        return np.array([turn is not None and turn.turns > 0 for turn in self.turns])

    @property
    def swing(self) -> np.ndarray:
        """The range of the output, in rad or m; a whole turn if it turns fully."""
        return self._each(_swing)

    @property
    def transmission_angle(self) -> np.ndarray:
        """The smallest transmission angle, in radians."""
        return self._each(lambda t: None if t.transmission_angle is None else float(t.transmission_angle.min()))

    @property
    def time_ratio(self) -> np.ndarray:
        """The time of the advance of the output over that of its return."""
        return self._each(lambda t: t.time_ratio)

    @property
    def peak_torque(self) -> np.ndarray:
        """The largest magnitude of the torque or force at the input; infinite if the range ends at a dead centre of it."""
        return self._each(lambda t: _most(t, t.torque))

    @property
    def peak_static_torque(self) -> np.ndarray:
        """The largest magnitude of the torque, or force, at the input at rest."""
        return self._each(lambda t: _most(t, t.static_torque))

    def columns(self) -> list[Column]:
        """Return the quantities that are compared, with names and units; those that no turn has are left out."""
        of_input, of_output = self.one.units
        force = "N m" if of_input == "rad" else "N"
        found = [
            Column("full", self.full.astype(float), "1", "whether the input turns fully"),
            Column("swing", self.swing, of_output, f"of {self.one.output}"),
            Column("transmission_angle", self.transmission_angle, "rad", "the least"),
            Column("time_ratio", self.time_ratio, "1", "advance over return"),
            Column("peak_static_torque", self.peak_static_torque, force, "at rest"),
            Column("peak_torque", self.peak_torque, force, f"at {self.one.speed:g} {of_input}/s"),
        ]
        return [c for c in found if np.isfinite(c.values).any()]

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Write a row for each turn to a file.

        Parameters
        ----------
        path : str or path
            The file; it ends in .csv or .nc (netCDF).

        Returns
        -------
        pathlib.Path
            The file that was written.
        """
        given = [Column(name, values) for name, values in self.parameters.items()]
        return save(path, self.mechanism.name, "comparison of turns", "turn", [*given, *self.columns()])

    def __repr__(self) -> str:
        return f"<ComparedTurns of {self.mechanism.name!r}: {len(self)} turns over {', '.join(self.parameters)}>"

    def __str__(self) -> str:
        one = self.one
        fully = int(self.full.sum())
        lines = [f"{self.mechanism.name}: {len(self)} turns of {one.input}, of which {fully} are full"]
        columns = self.columns()
        head = [*self.parameters, *(f"{c.name.replace('_', ' ')}{_unit(c)}" for c in columns)]
        rows = [
            [*(f"{x[k]:.6g}" for x in self.parameters.values()), *(_told(c, k) for c in columns)]
            for k in range(min(len(self), LISTED))
        ]
        wide = [max(len(row[k]) for row in (head, *rows)) for k in range(len(head))]
        lines += ["  ".join(x.rjust(w) for x, w in zip(row, wide, strict=True)) for row in (head, *rows)]
        lines += [f"... and {len(self) - LISTED} more"] if len(self) > LISTED else []
        for reason in dict.fromkeys(self.reasons.values()):
            where = [k for k, x in self.reasons.items() if x == reason]
            values = ", ".join(f"{name} = {x[where[0]]:.6g}" for name, x in self.parameters.items())
            more = f" and {len(where) - 1} more" if len(where) > 1 else ""
            lines.append(f"no turn with {values}{more}: {reason}")
        return "\n".join(lines)


def _unit(c: Column) -> str:
    unit = "deg" if c.unit == "rad" else c.unit
    return "" if unit == "1" else f" [{unit}]"


def _told(c: Column, k: int) -> str:
    x = c.values[k]
    if c.name == "full":
        return "yes" if x else "no"
    return "-" if np.isnan(x) else f"{round(np.degrees(x), 9) if c.unit == 'rad' else x:.4g}"


def _swing(turn: FullTurn) -> float | None:
    found = turn.swings.get(turn.output or "")
    return None if found is None else 2 * np.pi if found.turns else 0.0 if found.still else found.extent


def _most(turn: FullTurn, rows: np.ndarray) -> float | None:
    if any(d.of == "input" for d in turn.dead_centres):
        return np.inf
    return float(np.nanmax(np.abs(rows))) if np.isfinite(rows).any() else None


def compare_turns(
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
    rows: int = ROWS,
    limits: bool = True,
) -> ComparedTurns:
    """Turn a linkage with different values of its parameters, and compare the results.

    Parameters
    ----------
    mechanism : Mechanism, str, path or Dynamics
        A mechanism of one degree of freedom, as for `full_turn`.
    sweep : mapping
        Parameters, or paths of numbers such as `spring1.stiffness`, with the values that each takes: a list, an array or
        `lagrangian.span(0.2, 0.4, 5)`. Several parameters make a grid of all combinations.
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
    ComparedTurns
        The turns, and arrays with a number for each. `print` writes a table; `plot` and `save` show the same.

    Raises
    ------
    ArgumentError
        If a parameter is unknown, or if none of the turns exists.

    See Also
    --------
    full_turn : One turn.

    Examples
    --------
    >>> import lagrangian as lg
    >>> found = lg.compare_turns("slider_crank", {"r": [0.05, 0.1]})
    >>> found.swing.round(10)
    array([0.1, 0.2])
    """
    dyn = dynamics_of(mechanism)
    grid = _grid(dyn.mechanism, sweep)
    nominal = Start(dyn, q0).q if q0 is not None and dyn.mechanism.equations else None
    turns: list[FullTurn | None] = []
    reasons: dict[int, str] = {}
    for k in range(len(next(iter(grid.values())))):
        try:
            other = dyn.with_parameters({name: float(x[k]) for name, x in grid.items()})
            start = _start(other, q0, nominal)
            turns.append(
                full_turn(
                    other,
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
            turns.append(None)
            reasons[k] = str(error)
            last = error
    if len(reasons) == len(turns):
        raise last
    return ComparedTurns(dyn.mechanism, grid, turns, reasons)


def _grid(model: Mechanism, sweep: Any) -> dict[str, np.ndarray]:
    """All combinations of the values, the last name changing fastest."""
    if not isinstance(sweep, Mapping) or not sweep:
        needed = 'a mapping of parameters to their values is needed, such as {"l1": [0.2, 0.3, 0.4]}'
        raise ArgumentError(f"is {shown(sweep)}", argument="sweep", remedy=needed)
    values = []
    for name, given in sweep.items():
        if name not in model.parameters and not is_path(model, name):
            raise ArgumentError(one_of("parameter", name, model.parameters), where=Argument("sweep"))
        try:
            found = np.atleast_1d(floats(given))
        except (TypeError, ValueError):
            found = np.zeros(0)
        if found.ndim != 1 or not found.size or not np.isfinite(found).all():
            needed = "a list of finite numbers, or lagrangian.span(0.2, 0.4, 5), is needed"
            raise ArgumentError(f"is {shown(given)}", where=(Argument("sweep"), repr(name)), remedy=needed)
        values.append(found)
    count = int(np.prod([len(x) for x in values]))
    if count > MOST:
        raise ArgumentError(f"gives {count} combinations; at most {MOST} are compared", argument="sweep")
    return dict(zip(sweep, np.array(list(product(*values))).T, strict=True))


def _start(dyn: Dynamics, q0: Any, nominal: Any) -> Any:
    """Where it stands: as given where that closes the loops; else next to where the mechanism itself stands."""
    if q0 is None or not dyn.mechanism.equations:
        return q0
    own = Start(dyn, q0)
    return assemble(dyn, nominal) if own.given.complete and own.off is not None else q0
