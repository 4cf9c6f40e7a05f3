"""Coordinates and configurations as text: with units for people, and as lines of a description."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from lagrangian.model.mechanism import Mechanism

MAX_COORDINATES = 12  # of a configuration that is printed


def toml_line(name: str, values: Iterable[Any]) -> str:
    """Write coordinates or speeds as a line of a description."""
    return f"{name} = [{', '.join(f'{float(x):.10g}' for x in values)}]"


def format_configuration(m: Mechanism, q: Any) -> str:
    """Write a configuration for people, with angles in degrees."""
    units = [
        unit
        for j in m.joints
        for unit in (("m" if slides else "deg" for slides in j.slides) if j.kind.nq == j.kind.nv else [""] * j.kind.nq)
    ]
    assignments = [
        f"{name} = {math.degrees(x) if unit == 'deg' else float(x):.5g} {unit}".rstrip()
        for name, x, unit in zip(m.coordinate_names, q, units, strict=True)
    ]
    return ", ".join(assignments[:MAX_COORDINATES]) + (" ..." if len(assignments) > MAX_COORDINATES else "")


def format_coordinate(x: float, unit: str) -> str:
    """The value of a coordinate with its unit, angles in degrees."""
    x = math.degrees(x) if unit == "rad" else float(x)
    return f"{0.0 if abs(x) < 1e-9 else x:.6g} {'deg' if unit == 'rad' else unit}"
