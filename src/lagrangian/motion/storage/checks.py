"""What a file says of a motion is looked at before it is believed: every entry is there, of its kind, and of its size."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from lagrangian.errors import DescriptionError
from lagrangian.motion.status import Ending


@dataclass
class Checked:
    """The arrays and attributes of a file. A dimension's size is that of the first array that has it."""

    source: Path
    found: dict[str, np.ndarray]
    about: dict[str, Any]
    sizes: dict[str, int] = field(default_factory=dict)

    def wrong(self, what: str) -> DescriptionError:
        return DescriptionError(f"{self.source}: the motion is incomplete or damaged: {what}")

    def numbers(self, name: str, *dimensions: str) -> np.ndarray:
        """An array of numbers along these dimensions."""
        values = self._array(name, dimensions)
        if values.dtype.kind not in "fiu":
            raise self.wrong(f"{name} has no numbers")
        return np.ascontiguousarray(values, dtype=np.float64)

    def texts(self, name: str, dimension: str = "") -> tuple[str, ...]:
        """A list of texts, along the dimension that it labels or another."""
        values = self._array(name, (dimension or name,))
        if not all(isinstance(x, str) for x in values.tolist()):
            raise self.wrong(f"{name} has no names")
        return tuple(str(x) for x in values)

    def _array(self, name: str, dimensions: tuple[str, ...]) -> np.ndarray:
        values = self.found.get(name)
        if values is None:
            raise self.wrong(f"it has no {name}")
        if values.ndim != len(dimensions):
            raise self.wrong(f"{name} has {values.ndim} dimensions instead of {len(dimensions)}")
        for dimension, size in zip(dimensions, values.shape, strict=True):
            if self.sizes.setdefault(dimension, size) != size:
                raise self.wrong(f"{name} has {size} entries along {dimension} instead of {self.sizes[dimension]}")
        return values

    def text(self, name: str) -> str:
        """An attribute of the whole."""
        value = self.about.get(name)
        if not isinstance(value, str):
            raise self.wrong(f"it has no text {name!r} among its attributes")
        return value

    def mapping(self, name: str) -> dict[str, Any]:
        """An attribute that is a JSON object."""
        try:
            value = json.loads(self.text(name))
        except (ValueError, RecursionError) as error:
            if isinstance(error, DescriptionError):
                raise
            raise self.wrong(f"its attribute {name!r} is not JSON") from None
        if not isinstance(value, dict):
            raise self.wrong(f"its attribute {name!r} is not a JSON object")
        return value

    def statistics(self) -> dict[str, Any]:
        """How the run was made: by which method at least, and with which tolerances; with steps, how constraints were kept."""
        fields = self.mapping("statistics")
        numbers = ["rtol", "atol"] if fields.get("adaptive") is True else []
        numbers += ["rejected", "drift_at_steps", "drift_between_steps"] if "accepted" in fields else []
        numbers += [name for name in ("rtol", "atol", "accepted", "alpha", "beta") if name in fields]
        for name in numbers:
            if not isinstance(fields.get(name), (int, float)):
                raise self.wrong(f"its attribute 'statistics' has no number {name!r}")
        if not isinstance(fields.get("method"), str) or not isinstance(fields.get("adaptive"), bool):
            raise self.wrong("its attribute 'statistics' does not say by which method it was made")
        return fields

    def ending(self) -> Ending:
        """How the run ended."""
        fields = self.mapping("ending")
        t = fields.get("t")
        plain = all(isinstance(value, str) for key, value in fields.items() if key != "t")
        try:
            if not plain or not isinstance(t, int | float) or not math.isfinite(t):
                raise ValueError(fields)
            return Ending.from_dict(fields)
        except (ValueError, KeyError, TypeError):
            raise self.wrong("its attribute 'ending' does not say how it ended") from None
