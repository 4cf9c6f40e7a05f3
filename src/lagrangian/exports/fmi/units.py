"""Units as FMI spells them, each with its exponents of the SI base units."""

from __future__ import annotations

BASE = ("kg", "m", "s", "rad")
UNITS: dict[str, tuple[int, int, int, int]] = {
    "s": (0, 0, 1, 0),
    "1/s": (0, 0, -1, 0),
    "rad": (0, 0, 0, 1),
    "rad/s": (0, 0, -1, 1),
    "rad/s2": (0, 0, -2, 1),
    "m": (0, 1, 0, 0),
    "m/s": (0, 1, -1, 0),
    "m/s2": (0, 1, -2, 0),
    "kg": (1, 0, 0, 0),
    "kg.m2": (1, 2, 0, 0),
    "N": (1, 1, -2, 0),
    "N.m": (1, 2, -2, 0),
    "N.s/m": (1, 0, -1, 0),
    "N.m.s/rad": (1, 2, -1, -1),
    "J": (1, 2, -2, 0),
}


def spelled(unit: str) -> str:
    """A unit of ours, such as "N m" or "m/s²"; "" if it has no exponents here."""
    found = unit.replace(" ", ".").replace("²", "2")
    return found if found in UNITS else ""
