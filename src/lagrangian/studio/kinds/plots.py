"""Curves over time as the page plots them: few enough points for a screen, numbers with the digits that are seen."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from lagrangian.model.mechanism import Mechanism
from lagrangian.motion.motion import Motion
from lagrangian.pictures.chosen import Panel

MOST = 40  # curves of a plot: more are not told apart


def plot(panel: Panel, t: np.ndarray, mechanism: Mechanism | None = None) -> dict[str, Any]:
    """One panel of curves."""
    series = [{"name": name, "values": [rounded(x) for x in panel.values[:, k]]} for k, name in enumerate(panel.names[:MOST])]
    return {
        "what": panel.what,
        "title": panel.label,
        "unit": panel.unit,
        "scale": panel.scale,
        "t": [rounded(x) for x in t],
        "series": series,
        "limits": limits(panel, mechanism) if mechanism is not None else [],
        "left_out": max(0, len(panel.names) - MOST),
    }


def limits(panel: Panel, m: Mechanism) -> list[dict[str, Any]]:
    """Lines that a curve should not pass: of its coordinate, its speed or its torque."""
    found = []
    for name, low, high in _bounds(panel.what, m):
        if name in panel.names:
            factor = 180 / math.pi if panel.unit.startswith("deg") else 1.0
            k = panel.names.index(name)
            for value, side in ((low, "lower"), (high, "upper")):
                if math.isfinite(value):
                    worst = panel.values[:, k].max() if side == "upper" else panel.values[:, k].min()
                    passed = worst > value * factor + 1e-9 if side == "upper" else worst < value * factor - 1e-9
                    found.append({"name": name, "side": side, "value": rounded(value * factor), "passed": bool(passed)})
    return found


def _bounds(what: str, m: Mechanism) -> list[tuple[str, float, float]]:
    found = []
    for joint in m.joints:
        given = joint.limits
        if what == "coordinates" and joint.kind.nq == 1:
            found.append((joint.coordinate_names[0], float(given.lower), float(given.upper)))
        elif what in ("speeds", "torques"):
            most = float(given.speed if what == "speeds" else given.effort)
            found += [(name, -most, most) for name in joint.speed_names]
    return found


def plots(motion: Motion, what: tuple[str, ...] = ()) -> list[dict[str, Any]]:
    from lagrangian.pictures.quantities import panels

    return [plot(panel, motion.t, motion.mechanism) for panel in panels(motion, what)]


def rounded(x: float) -> float | None:
    """Six digits: what a screen shows; nothing in place of what is no number."""
    return float(f"{float(x):.6g}") if math.isfinite(x) else None
