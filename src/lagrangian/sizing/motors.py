"""Motors: their continuous and intermittent torque at any speed, and catalogues of them as CSV files."""

from __future__ import annotations

import csv
import difflib
import io
import math
import os
from collections.abc import Iterable
from dataclasses import dataclass, fields
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from lagrangian.cached import cached_property
from lagrangian.description.files import read_text
from lagrangian.errors import ArgumentError, ArgumentName, DescriptionError, ReaderWarning, unknown_name_message, warn
from lagrangian.files import as_path

RPM = math.pi / 30
# column of a catalogue -> (field of Motor, factor to SI); the name and the first five numbers are required
COLUMNS: dict[str, tuple[str, float]] = {
    "rated_torque_Nm": ("rated_torque", 1.0),
    "peak_torque_Nm": ("peak_torque", 1.0),
    "rated_speed_rpm": ("rated_speed", RPM),
    "max_speed_rpm": ("max_speed", RPM),
    "inertia_kgm2": ("inertia", 1.0),
    "rated_power_W": ("rated_power", 1.0),
    "standstill_torque_Nm": ("standstill_torque", 1.0),
    "knee_speed_rpm": ("knee_speed", RPM),
    "no_load_speed_rpm": ("no_load_speed", RPM),
    "stall_torque_Nm": ("stall_torque", 1.0),
    "mass_kg": ("mass", 1.0),
    "cost": ("cost", 1.0),
}
REQUIRED_COLUMNS = ("name", *list(COLUMNS)[:5])
TEXT_COLUMNS = ("name", "source")


@dataclass(frozen=True)
class Motor:
    """A motor with its drive, in SI units.

    The continuous envelope goes in a straight line from `standstill_torque` to `rated_torque` at `rated_speed`; from there to
    `max_speed` the power is constant. The intermittent envelope is `peak_torque` up to `knee_speed`, and then goes in a straight
    line to the continuous torque at `max_speed`. If `no_load_speed` and `stall_torque` are given, as for small DC motors, the
    line between them limits both envelopes instead. The envelopes are the same in all four quadrants, which is safe when braking.

    Parameters
    ----------
    name : str
        The name of the motor.
    rated_torque, peak_torque : float
        The continuous torque at the rated speed, and the largest torque for a short time, in N m.
    rated_speed, max_speed : float
        The rated and the largest speed, in rad/s.
    inertia : float
        The inertia of the rotor, in kg m^2.
    rated_power : float, optional
        The rated power in W. The default is the rated torque times the rated speed.
    standstill_torque : float, optional
        The continuous torque at standstill, in N m. The default is the rated torque.
    knee_speed : float, optional
        The speed up to which the peak torque is available, in rad/s. The default is the rated speed.
    no_load_speed, stall_torque : float, optional
        The ends of the voltage limit of a DC motor, in rad/s and N m; both or neither.
    mass : float, optional
        The mass in kg.
    cost : float, optional
        The cost, in any one currency.
    source : str
        The source of the data.

    Raises
    ------
    ArgumentError
        If a value is out of range, or if two values contradict each other.

    Examples
    --------
    >>> import lagrangian as lg
    >>> motor = lg.Motor("A", rated_torque=1.0, peak_torque=3.0, rated_speed=300.0, max_speed=600.0, inertia=2e-5)
    >>> motor.continuous_torque([0.0, 300.0, 600.0]), motor.intermittent_torque([0.0, 450.0, 700.0])
    (array([1. , 1. , 0.5]), array([3.  , 1.75, 0.  ]))
    """

    name: str
    rated_torque: float
    peak_torque: float
    rated_speed: float
    max_speed: float
    inertia: float
    rated_power: float | None = None
    standstill_torque: float | None = None
    knee_speed: float | None = None
    no_load_speed: float | None = None
    stall_torque: float | None = None
    mass: float | None = None
    cost: float | None = None
    source: str = ""

    def __post_init__(self) -> None:
        where = f"motor {self.name!r}"
        if not isinstance(self.name, str) or not self.name.strip():
            raise ArgumentError("a motor has no name")
        for f in fields(self):
            x = getattr(self, f.name)
            if f.name in TEXT_COLUMNS or (x is None and f.default is None):
                continue
            if isinstance(x, bool) or not isinstance(x, (int, float, np.integer, np.floating)):
                raise ArgumentError(f"is {x!r}", where=where, argument=f.name, remedy="a number is needed")
            if not (math.isfinite(x) and x > 0):
                needed = "it must be finite and greater than 0"
                raise ArgumentError(f"is {x:g}", where=where, argument=f.name, remedy=needed)
            object.__setattr__(self, f.name, float(x))
        if self.rated_power is None:
            object.__setattr__(self, "rated_power", self.rated_torque * self.rated_speed)
        if (self.no_load_speed is None) != (self.stall_torque is None):
            raise ArgumentError(f"{where}: no_load_speed and stall_torque are the two ends of one line; give both or none")
        for low, high in (
            ("rated_torque", "peak_torque"),
            ("rated_torque", "standstill_torque"),
            ("standstill_torque", "peak_torque"),
            ("rated_speed", "max_speed"),
            ("knee_speed", "max_speed"),
            ("rated_speed", "no_load_speed"),
            ("rated_torque", "stall_torque"),
        ):
            a, b = getattr(self, low), getattr(self, high)
            if a is not None and b is not None and a > b * (1 + 1e-12):
                raise ArgumentError(f"{where}: {low} {a:g} is greater than {high} {b:g}")

    @property
    def power_rate(self) -> float:
        """The continuous torque squared over the inertia of the rotor, in W/s, to compare with the `load_factor` of a task."""
        return (self.standstill_torque or self.rated_torque) ** 2 / self.inertia

    @property
    def speed_limit(self) -> float:
        """The highest speed, in rad/s, which is limited by the mechanics or by the voltage."""
        return self.max_speed if self.no_load_speed is None else min(self.max_speed, self.no_load_speed)

    @cached_property
    def base_speed(self) -> float:
        """The speed up to which the whole peak torque is available, in rad/s."""
        if self.no_load_speed is None or self.stall_torque is None:
            return self.rated_speed if self.knee_speed is None else self.knee_speed
        return min(self.max_speed, self.no_load_speed * max(0.0, 1 - self.peak_torque / self.stall_torque))

    def continuous_torque(self, speed: ArrayLike) -> np.ndarray:
        """Return the torque that the motor can hold continuously.

        Parameters
        ----------
        speed : array_like
            One speed or several, in rad/s.

        Returns
        -------
        numpy.ndarray
            The torques in N m; 0 above the top speed.
        """
        w = np.abs(np.asarray(speed, dtype=float))
        start = self.rated_torque if self.standstill_torque is None else self.standstill_torque
        below = start + (self.rated_torque - start) * w / self.rated_speed
        above = self.rated_torque * self.rated_speed / np.maximum(w, self.rated_speed)
        return self._within_limits(w, np.where(w <= self.rated_speed, below, above))

    def intermittent_torque(self, speed: ArrayLike) -> np.ndarray:
        """Return the torque that the motor can give for a short time.

        Parameters
        ----------
        speed : array_like
            One speed or several, in rad/s.

        Returns
        -------
        numpy.ndarray
            The torques in N m; 0 above the top speed.
        """
        w = np.abs(np.asarray(speed, dtype=float))
        torque = np.full_like(w, self.peak_torque)
        if self.no_load_speed is None:
            knee = self.base_speed
            end = self.rated_torque * min(1.0, self.rated_speed / self.max_speed)
            if knee < self.max_speed:
                torque -= (self.peak_torque - end) * np.clip((w - knee) / (self.max_speed - knee), 0.0, 1.0)
        return self._within_limits(w, torque)

    def _within_limits(self, w: np.ndarray, torque: np.ndarray) -> np.ndarray:
        if self.no_load_speed is not None and self.stall_torque is not None:
            torque = np.minimum(torque, np.maximum(0.0, self.stall_torque * (1 - w / self.no_load_speed)))
        return np.where(w <= self.max_speed * (1 + 1e-12), torque, 0.0)


def read_catalogue(path: str | os.PathLike[str] | None = None) -> tuple[Motor, ...]:
    """Read motors from a CSV file.

    The first line names the columns. The columns name, rated_torque_Nm, peak_torque_Nm, rated_speed_rpm, max_speed_rpm and
    inertia_kgm2 are needed. The columns rated_power_W, standstill_torque_Nm, knee_speed_rpm, no_load_speed_rpm, stall_torque_Nm,
    mass_kg, cost and source are optional, and their entries may be empty. `Motor` explains them. Columns are separated by commas,
    semicolons or tabs. Lines that start with # are comments.

    Parameters
    ----------
    path : str or path, optional
        The file. The default is the catalogue of the package.

    Returns
    -------
    tuple of Motor
        The motors.

    Raises
    ------
    DescriptionError
        If the file cannot be read; the message names the line and the column.

    Warns
    -----
    ReaderWarning
        If columns have other names; they are not used.

    Examples
    --------
    >>> import lagrangian as lg
    >>> motors = lg.read_catalogue()
    >>> motors[0].name, motors[0].rated_power
    ('class-10W', 10.0)
    """
    if path is None:
        return _default_catalogue()
    file = as_path(path)
    return _read_csv(read_text(file), str(file))


@cache
def _default_catalogue() -> tuple[Motor, ...]:
    return read_catalogue(Path(__file__).with_name("motors.csv"))


def as_motors(value: Any) -> tuple[Motor, ...]:
    """The motors that a caller gives: None for the default catalogue, False for none, the path of a file, or a list of Motor."""
    if value is None:
        return _default_catalogue()
    if value is False:
        return ()
    if isinstance(value, (str, os.PathLike)):
        return read_catalogue(value)
    if isinstance(value, Motor):
        return (value,)
    if isinstance(value, Iterable):
        motors = tuple(value)
        if not motors:
            raise ArgumentError(
                "has no motors", argument="catalogue", remedy=f"{ArgumentName('catalogue', False)} gives the demand alone"
            )
        for motor in motors:
            if not isinstance(motor, Motor):
                raise ArgumentError(f"catalogue: {motor!r} is not a Motor")
        _check_unique_names(motors, lambda k: "catalogue")
        return motors
    raise ArgumentError(f"catalogue is {value!r}; the path of a CSV file, a list of Motor, or False is needed")


def _read_csv(text: str, file: str) -> tuple[Motor, ...]:
    """The motors of a catalogue's text."""
    header_line = next((line for line in text.splitlines() if line.strip() and not line.lstrip().startswith("#")), "")
    separator = max(",;\t", key=header_line.count)
    lines = csv.reader(io.StringIO(text), delimiter=separator, strict=True)
    header: list[str] | None = None
    motors: list[Motor] = []
    line_numbers: list[int] = []
    try:
        for cells in lines:
            where = f"{file}: line {lines.line_num}"
            if not any(cell.strip() for cell in cells) or cells[0].lstrip().startswith("#"):
                continue
            if header is None:
                header = _check_header([cell.strip() for cell in cells], where)
                continue
            if len(cells) != len(header):
                raise DescriptionError(f"{where}: it has {len(cells)} entries; the header names {len(header)} columns")
            motors.append(_read_motor(dict(zip(header, (cell.strip() for cell in cells), strict=True)), where))
            line_numbers.append(lines.line_num)
    except csv.Error as error:
        raise DescriptionError(f"{file}: line {lines.line_num}: this is not valid CSV: {error}") from None
    if header is None:
        raise DescriptionError(f"{file}: the file is empty; a header with {', '.join(REQUIRED_COLUMNS)} is needed")
    if not motors:
        raise DescriptionError(f"{file}: there is a header, but no motor below it")
    _check_unique_names(motors, lambda k: f"{file}: line {line_numbers[k]}: column name", DescriptionError)
    return tuple(motors)


def _check_header(names: list[str], where: str) -> list[str]:
    """The checked names of the columns; a warning lists those that are not used."""
    known_columns, unused = [*TEXT_COLUMNS, *COLUMNS], []
    for name in names:
        if names.count(name) > 1:
            raise DescriptionError(f"{where}: column {name!r} appears twice")
        if name in known_columns:
            continue
        similar = next((c for c in COLUMNS if "_" in c and name.lower().rpartition("_")[0] == c.rpartition("_")[0]), None)
        if similar is not None:
            unit = similar.rpartition("_")[2]
            raise DescriptionError(
                f"{where}: column {name!r}: the unit must be {unit}; convert the values, and call the column {similar!r}"
            )
        if not name or difflib.get_close_matches(name, known_columns, n=1):
            raise DescriptionError(f"{where}: {unknown_name_message('column', name, known_columns)}")
        unused.append(name)
    if unused:
        message = f"column{'s' * (len(unused) > 1)} {', '.join(map(repr, unused))} {'are' if len(unused) > 1 else 'is'} not used"
        warn(f"{where}: {message}. The known columns are {', '.join(known_columns)}", ReaderWarning)
    missing = [name for name in REQUIRED_COLUMNS if name not in names]
    if missing:
        raise DescriptionError(f"{where}: the header lacks {', '.join(missing)}; needed are {', '.join(REQUIRED_COLUMNS)}")
    return names


def _read_motor(row: dict[str, str], where: str) -> Motor:
    values: dict[str, Any] = {name: row[name] for name in TEXT_COLUMNS if name in row}
    for column, (name, factor) in COLUMNS.items():
        text = row.get(column, "")
        if not text and column in REQUIRED_COLUMNS:
            raise DescriptionError(f"{where}: column {column}: a number is needed")
        if not text:
            continue
        try:
            x = float(text)
        except ValueError:
            hint = "; decimals are written with a point" if text.replace(",", "", 1).isdigit() else ""
            raise DescriptionError(f"{where}: column {column}: {text!r} is not a number{hint}") from None
        if not (math.isfinite(x) and x > 0):
            raise DescriptionError(f"{where}: column {column}: {text} must be finite and greater than 0")
        values[name] = x * factor
    if not values["name"]:
        raise DescriptionError(f"{where}: column name: a motor needs a name")
    try:
        return Motor(**values)
    except ArgumentError as error:
        raise DescriptionError(f"{where}: {error} (SI units)") from None


def _check_unique_names(motors: Iterable[Motor], where: Any, kind: type[Exception] = ArgumentError) -> None:
    names: set[str] = set()
    for k, motor in enumerate(motors):
        if motor.name in names:
            raise kind(f"{where(k)}: two motors are called {motor.name!r}; names must differ")
        names.add(motor.name)
