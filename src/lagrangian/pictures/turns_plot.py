"""Turns of a linkage with other parameters, side by side: what is compared, over the first parameter."""

from __future__ import annotations

import os
from typing import Any

import numpy as np

from lagrangian.design.compare_turns import ComparedTurns
from lagrangian.pictures import legends, style
from lagrangian.pictures.chosen import angle_unit
from lagrangian.pictures.style import SEVERAL
from lagrangian.pictures.turn_plot import transmission

MARKED = 40  # values that are marked along a curve
LABELS = {
    "swing": "swing of\n{output}",
    "transmission_angle": "least transmission\nangle",
    "time_ratio": "time ratio",
    "peak_torque": "peak torque\nat {speed}",
}


def turns_plot(found: ComparedTurns, path: str | os.PathLike[str] | None = None, angles: str = "degrees") -> Any:
    """A figure of turns that are compared."""
    file, angle = style.writable(path), angle_unit(angles)
    with style.styled():
        from lagrangian.pictures.figure import Picture

        names = list(found.parameters)
        panels = [c for c in found.columns() if c.name in LABELS]
        curves = _curves(found)
        entries: list[legends.Entry] = [(style.curve(k, len(curves)), name) for k, (name, _) in enumerate(curves) if name]
        entries = legends.some(entries, len(curves)) if len(entries) > SEVERAL else entries
        down = -(-len(panels) // 2)
        top = 0.34 + legends.height([name for _, name in entries], 8.4)
        figure = Picture(figsize=(8.8, 2.0 * max(down, 1) + 0.4 + top), layout="constrained")
        grid = figure.add_gridspec(down, 2 if len(panels) > 1 else 1)
        for k, column in enumerate(panels):
            axes: Any = figure.add_subplot(grid[k // 2, k % 2])
            values = angle[1] * column.values if column.unit == "rad" else column.values
            for i, (_, rows) in enumerate(curves):
                x, y = found.parameters[names[0]][rows], np.where(np.isfinite(values[rows]), values[rows], np.nan)
                marker = {"marker": "o", "markersize": 3.5, "clip_on": False} if len(rows) <= MARKED else {}
                axes.plot(x, y, **style.curve(i, len(curves)), **marker)
            axes.set_xlim(*_ends(found.parameters[names[0]]))
            _dress(axes, column.name, _label(found, column.name, column.unit, angle[0]), angle[1])
            axes.tick_params(labelbottom=k >= len(panels) - 2)
            if k >= len(panels) - 2:
                axes.set_xlabel(style.plain(names[0]))
        legends.header(figure, found.mechanism.name, str(found).splitlines()[0].partition(": ")[2], entries, top)
        return style.written(figure, file)


def _curves(found: ComparedTurns) -> list[tuple[str, np.ndarray]]:
    """Rows of one curve each: those with equal values of all parameters but the first."""
    first, *others = found.parameters
    order = np.argsort(found.parameters[first], kind="stable")
    if not others:
        return [("", order)]
    keys = np.array([found.parameters[name] for name in others]).T
    kinds = list(dict.fromkeys(map(tuple, keys.tolist())))
    named = [", ".join(f"{name} = {x:.6g}" for name, x in zip(others, kind, strict=True)) for kind in kinds]
    return [(name, order[(keys[order] == kind).all(axis=1)]) for name, kind in zip(named, kinds, strict=True)]


def _ends(values: np.ndarray) -> tuple[float, float]:
    low, high = float(values.min()), float(values.max())
    return (low, high) if low < high else (low - 0.5 * abs(low) - 1e-9, low + 0.5 * abs(low) + 1e-9)


def _label(found: ComparedTurns, name: str, unit: str, angle: str) -> str:
    one = found.one
    text = LABELS[name].format(output=style.plain(one.output or "", 14), speed=f"{one.speed:g} {one.units[0]}/s")
    unit = angle if unit == "rad" else unit
    return text if unit == "1" else f"{text} [{unit}]"


def _dress(axes: Any, name: str, label: str, per_radian: float) -> None:
    axes.set_ylabel(label)
    if name == "transmission_angle":
        transmission(axes, per_radian)
    elif name == "time_ratio":
        axes.set_ylim(bottom=1.0, top=max(axes.get_ylim()[1], 1.05))
    else:
        axes.set_ylim(bottom=0.0)
