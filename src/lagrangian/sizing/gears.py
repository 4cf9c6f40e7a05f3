"""Gears between a motor and its joint: of fixed ratios, or of any ratio in a range."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from lagrangian.errors import ArgumentError

SAMPLE_COUNT = 60  # across a range, in equal factors; the optimum of each motor is tried too


@dataclass(frozen=True)
class Gear:
    """A gear between a motor and its joint.

    Limits that are not given do not count: the gear is then taken to be strong enough.

    Parameters
    ----------
    ratio : float
        The reduction: the motor turns `ratio` times as fast as the output.
    efficiency : float
        The efficiency, for power to the joint as well as back from it. The default is 1.
    inertia : float
        The inertia of the gear at its input, in kg m^2. The default is 0.
    rated_torque : float
        The largest mean torque at the output, weighted as gears wear, in N m.
    peak_torque : float
        The largest torque at the output, in N m.
    max_speed : float
        The largest speed at the input, in rad/s.
    name : str
        A name for tables.

    Raises
    ------
    ArgumentError
        If a value is out of range.

    Examples
    --------
    >>> import lagrangian as lg
    >>> print(lg.Gear(50, efficiency=0.75, name="strain wave"))
    strain wave 50:1
    """

    ratio: float
    efficiency: float = 1.0
    inertia: float = 0.0
    rated_torque: float = math.inf
    peak_torque: float = math.inf
    max_speed: float = math.inf
    name: str = ""

    def __post_init__(self) -> None:
        _check_gear(self, "gear")
        if not (math.isfinite(self.ratio) and self.ratio > 0):
            raise ArgumentError(
                f"is {self.ratio:g}", where="gear", argument="ratio", remedy="it must be finite and greater than 0"
            )

    def __str__(self) -> str:
        return f"{self.name} {self.ratio:.4g}:1".strip()


@dataclass(frozen=True)
class GearRange:
    """A gear of any ratio in a range, for a design whose gear is not yet chosen.

    Parameters
    ----------
    lowest, highest : float
        The smallest and the largest reduction.
    efficiency : float
        The efficiency, for power to the joint as well as back from it. The default is 1.
    inertia : float
        The inertia of the gear at its input, in kg m^2. The default is 0.
    name : str
        A name for tables.

    Raises
    ------
    ArgumentError
        If a value is out of range.

    Examples
    --------
    >>> import lagrangian as lg
    >>> gears = lg.GearRange(20, 100, efficiency=0.9)
    >>> print(gears.at(37.5), gears.at(500))
    37.5:1 100:1
    """

    lowest: float
    highest: float
    efficiency: float = 1.0
    inertia: float = 0.0
    name: str = ""

    def __post_init__(self) -> None:
        _check_gear(self, "gear range")
        if not (math.isfinite(self.highest) and 0 < self.lowest <= self.highest):
            raise ArgumentError(
                f"gear range: from {self.lowest:g} to {self.highest:g}; two finite ratios are needed, the smaller first"
            )

    def at(self, ratio: float) -> Gear:
        """Return the gear with a given ratio, or with the nearest one in the range.

        Parameters
        ----------
        ratio : float
            The reduction.

        Returns
        -------
        Gear
            The gear.
        """
        return Gear(min(max(ratio, self.lowest), self.highest), self.efficiency, self.inertia, name=self.name)

    def steps(self) -> list[Gear]:
        """Return gears with ratios across the range, in equal factors."""
        if self.lowest == self.highest:
            return [self.at(self.lowest)]
        return [self.at(float(r)) for r in np.geomspace(self.lowest, self.highest, SAMPLE_COUNT)]


def _check_gear(gear: Gear | GearRange, where: str) -> None:
    for field in fields(gear):
        value = getattr(gear, field.name)
        if field.name == "name":
            continue
        if isinstance(value, bool) or not isinstance(value, (int, float, np.integer, np.floating)) or math.isnan(value):
            raise ArgumentError(f"is {value!r}", where=where, argument=field.name, remedy="a number is needed")
    if not 0 < gear.efficiency <= 1:
        remedy = "it must be greater than 0 and at most 1"
        raise ArgumentError(f"is {gear.efficiency:g}", where=where, argument="efficiency", remedy=remedy)
    if not 0 <= gear.inertia < math.inf:
        remedy = "it must be finite and not negative"
        raise ArgumentError(f"is {gear.inertia:g} kg m^2", where=where, argument="inertia", remedy=remedy)
    if isinstance(gear, Gear):
        for name in ("rated_torque", "peak_torque", "max_speed"):
            if not getattr(gear, name) > 0:
                remedy = "it must be greater than 0"
                raise ArgumentError(f"is {getattr(gear, name):g}", where=where, argument=name, remedy=remedy)


GearsLike = float | Gear | GearRange | Iterable[float | Gear | GearRange]
"""Ratios without losses, gears, ranges of gears, or a list of them."""

# common ratios; the efficiencies are typical ones, not those of a maker
STANDARD_GEARS: tuple[Gear, ...] = (
    Gear(1, 1.0, name="direct"),
    *(Gear(r, 0.95, name="planetary") for r in (3, 4, 5, 7, 10)),
    *(Gear(r, 0.90, name="planetary") for r in (12, 16, 20, 25, 28, 35, 40)),
    *(Gear(r, 0.75, name="strain wave") for r in (50, 80, 100, 120, 160)),
)


def as_gears(value: Any, where: str = "gears") -> tuple[Gear | GearRange, ...]:
    """The gears that a caller gives: None for the standard ones, Gear, GearRange, a ratio without losses, or a list of these."""
    if value is None:
        return STANDARD_GEARS
    if isinstance(value, (Gear, GearRange)):
        return (value,)
    if isinstance(value, (int, float, np.integer, np.floating)) and not isinstance(value, bool):
        return (Gear(float(value)),)
    if isinstance(value, Iterable) and not isinstance(value, (str, bytes)):
        gears = tuple(gear for entry in value for gear in as_gears(entry, where))
        if gears:
            return gears
    raise ArgumentError(
        f"{where} is {value!r}; ratios, Gear or GearRange, or a list of them, are needed, such as [Gear(50, efficiency=0.75)]"
    )
