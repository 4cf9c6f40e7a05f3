"""What ends a curve of configurations: ranges and limits of coordinates."""

from __future__ import annotations

import numpy as np

from lagrangian.design.circuit import Watch


def within(name: str, k: int, low: float, high: float) -> list[Watch]:
    """The curve ends where the coordinate at place k leaves its range."""
    found = [Watch(name, lambda q, t: q[:, k] - low, stops=True)] if np.isfinite(low) else []
    return found + ([Watch(name, lambda q, t: high - q[:, k], stops=True)] if np.isfinite(high) else [])
