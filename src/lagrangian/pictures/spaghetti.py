"""Many motions over time: each a thin line, with their median and the range in which nine of ten are."""

from __future__ import annotations

import math
import os
from typing import Any

import numpy as np

from lagrangian.arguments import texts
from lagrangian.errors import ArgumentError, one_of
from lagrangian.motion.motions import Motions
from lagrangian.pictures import legends, style
from lagrangian.pictures.chosen import angle_unit
from lagrangian.pictures.style import BLACK, BLUE

LINES, PANELS = 200, 6  # most that are drawn
MEDIAN: dict[str, Any] = {"color": BLACK, "linewidth": 1.6}
RANGE: dict[str, Any] = {"color": BLUE, "linewidth": 7.0, "alpha": 0.35}


def spaghetti(motions: Motions, joints: Any = None, path: str | os.PathLike[str] | None = None, angles: str = "degrees") -> Any:
    """A panel for each coordinate, or for those that are named."""
    unit_of_angles, factor_of_angles = angle_unit(angles)
    file, rows = style.writable(path), motions.q
    names = motions.coordinate_names
    chosen = names[:PANELS] if joints is None else texts(joints, "joints")
    for name in chosen:
        if name not in names:
            raise ArgumentError(one_of("coordinate", name, names), concerns="joints")
    turning = {name for joint in motions.mechanism.joints if joint.kind.turns for name in joint.coordinate_names}
    columns = min(2, len(chosen))
    tall, top = math.ceil(len(chosen) / columns), 0.34 + legends.LINE
    left_out = "" if len(chosen) == len(names) or joints is not None else f"{len(chosen)} of {len(names)} coordinates; "
    drawn = np.linspace(0, len(motions) - 1, min(LINES, len(motions))).astype(int)
    with style.styled():
        from lagrangian.pictures.figure import Picture

        figure = Picture(figsize=(max(5.0, 4.4 * columns), 2.7 * tall + top), layout="constrained")
        panels = figure.subplots(tall, columns, squeeze=False)
        for axes, name in zip(panels.flat, chosen, strict=False):
            turns = name in turning
            unit, factor = (unit_of_angles, factor_of_angles) if turns else ("m", 1.0)
            _panel(axes, motions.t, factor * rows[:, :, names.index(name)], drawn)
            axes.set_title(style.plain(name))
            axes.set_ylabel(f"{'angle' if turns else 'displacement'} [{unit}]")
        for axes in list(panels.flat)[len(chosen) :]:
            axes.remove()
        remark = f"{left_out}{len(drawn)} of {len(motions)} motions" if len(drawn) < len(motions) else f"{len(motions)} motions"
        legends.header(figure, motions.name, remark, [(MEDIAN, "median"), (RANGE, "nine of ten")], top)
        return style.written(figure, file)


def _panel(axes: Any, t: np.ndarray, values: np.ndarray, drawn: np.ndarray) -> None:
    axes.plot(t, values[drawn].T, color=BLUE, linewidth=0.5, alpha=max(0.08, 3.0 / (len(drawn) + 6)))
    known = np.isfinite(values).any(axis=0)
    if known.any():
        low, middle, high = np.nanquantile(values[:, known], (0.05, 0.5, 0.95), axis=0)
        axes.fill_between(t[known], low, high, color=BLUE, alpha=0.2, linewidth=0.0)
        axes.plot(t[known], middle, **MEDIAN)
    axes.set_xlim(t[0], t[-1])
    axes.set_xlabel("time [s]")
