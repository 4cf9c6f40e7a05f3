"""Torque over speed at the motor: the task's curve in the envelopes of what the motor can do."""

from __future__ import annotations

import math
import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from lagrangian.description.text_file import as_path
from lagrangian.errors import ArgumentError
from lagrangian.task.motors import RPM

if TYPE_CHECKING:
    from lagrangian.task.actuators import Actuator

# Okabe and Ito's colours, which the colour-blind tell apart
BLUE, SKY, ORANGE, RED, GREY = "#0072B2", "#56B4E9", "#E69F00", "#D55E00", "#555555"


def torque_speed_plot(actuators: Sequence[Actuator], path: str | os.PathLike[str] | None = None) -> Any:
    """One panel for each joint that has a motor, or a nearest one; the figure, which is written to `path` if it is given."""
    shown = [a for a in actuators if a.best is not None]
    if not shown:
        raise ArgumentError("no joint has a motor to plot: the demand alone was asked for, or no joint could be sized")
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise ArgumentError("a plot needs matplotlib: pip install matplotlib") from None
    columns = min(3, len(shown)) if len(shown) != 4 else 2
    lines = math.ceil(len(shown) / columns)
    figure = Figure(figsize=(max(6.4, 4.0 * columns), 3.6 * lines + 0.7), layout="constrained")
    grid = figure.subplots(lines, columns, squeeze=False)
    for axes, actuator in zip(grid.flat, shown, strict=False):
        _panel(axes, actuator)
    for axes in list(grid.flat)[len(shown) :]:
        axes.remove()
    figure.supxlabel("motor speed [rpm]", fontsize=10)
    figure.supylabel("motor torque [N m]", fontsize=10)
    handles, labels = grid.flat[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside upper center", ncols=min(5, 3 * columns), frameon=False, fontsize=9)
    if path is not None:
        file = as_path(path)
        try:
            figure.savefig(file, dpi=150)
        except (OSError, ValueError) as error:
            raise ArgumentError(f"{file}: the plot cannot be written: {error}") from None
    return figure


def _panel(axes: Any, actuator: Actuator) -> None:
    best = actuator.best
    assert best is not None
    motor = best.motor
    w = np.linspace(0.0, motor.top_speed, 400)
    speeds = np.concatenate([-w[::-1], w]) / RPM
    for torque, colour, label in ((motor.peak(w), SKY, "peak"), (motor.continuous(w), BLUE, "continuous")):
        both = np.concatenate([torque[::-1], torque])
        axes.fill_between(speeds, -both, both, color=colour, alpha=0.20 if colour == SKY else 0.25, linewidth=0)
        outline_w = np.concatenate([[speeds[0]], speeds, [speeds[-1]]])
        edge = np.concatenate([[0.0], both, [0.0]])
        axes.plot(outline_w, edge, color=colour, lw=1.4, label=f"{label} envelope")
        axes.plot(outline_w, -edge, color=colour, lw=1.4)
    axes.plot(actuator.speed / RPM, actuator.torque, color=RED, lw=1.6, label="task")
    k = int(np.argmax(np.abs(actuator.torque)))
    axes.plot(actuator.speed[k] / RPM, actuator.torque[k], "^", color=RED, ms=7, mec="black", mew=0.6, label="peak of the task")
    rms = "RMS of the cycle"
    axes.plot(best.rms_speed / RPM, best.rms_torque, "o", color=ORANGE, ms=8, mec="black", mew=0.8, label=rms, zorder=5)
    axes.axhline(0, color=GREY, lw=0.6)
    axes.axvline(0, color=GREY, lw=0.6)
    axes.grid(True, lw=0.3, alpha=0.6)
    axes.margins(x=0.04, y=0.06)
    axes.tick_params(labelsize=9)
    axes.locator_params(axis="x", nbins=6)
    state = "" if actuator.chosen else "does not fit: "
    m = best.margins
    text = f"margins: {_x(m['continuous'])} continuous, {_x(m['peak'])} peak, {_x(m['speed'])} speed"
    title = f"{actuator.joint}: {state}{motor.name}, {best.gear}\n{text}"
    axes.set_title(title, fontsize=9, color="black" if actuator.chosen else RED)


def _x(margin: float) -> str:
    return "> 99" if margin > 99 else f"{margin:.2f}"
