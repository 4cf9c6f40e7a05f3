"""The types that signatures of public functions name, each in one place.

They say what a caller may give. What a function does with it stands in that function's own docstring.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from os import PathLike

from numpy.typing import ArrayLike

State = ArrayLike | Mapping[str, float] | str | None
"""Coordinates or speeds: an array in the order of the mechanism, a mapping of some names to values, the name of a pose, or None
for the default of the mechanism."""

TimeSpan = float | tuple[float, float] | None
"""A pair of times in seconds, the last time alone, or None for the default of the mechanism."""

Times = int | ArrayLike
"""A number of evenly spaced times, or the times themselves, in seconds."""

Vector3 = ArrayLike
"""Three numbers: x, y and z."""

Path = str | PathLike[str]
"""The name of a file or a folder."""

Progress = Callable[[float, float], object] | None
"""A function of the amount that is done and the total amount, which is called from time to time; or None."""
