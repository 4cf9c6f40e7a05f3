"""Torque over speed at the motor: the task's curve in the envelopes of what the motor can do."""

from __future__ import annotations

import math
import os
from collections.abc import Iterable
from typing import Any

import numpy as np

from lagrangian.errors import ArgumentError
from lagrangian.plots import legends, style
from lagrangian.plots.style import BLACK, BLUE, GREY, ORANGE, RED, SKY, StyledFigure
from lagrangian.sizing.actuators import Actuator, ActuatorSizing
from lagrangian.sizing.motors import RPM

PEAK: dict[str, Any] = {"color": SKY, "linewidth": 1.4, "linestyle": style.DASHES[1]}
CONTINUOUS: dict[str, Any] = {"color": BLUE, "linewidth": 1.4}
TASK: dict[str, Any] = {"color": RED, "linewidth": 1.4}
AT_PEAK: dict[str, Any] = {"color": RED, "marker": "^", "markersize": 7, "markeredgecolor": BLACK, "linestyle": "none"}
RMS: dict[str, Any] = {"color": ORANGE, "marker": "o", "markersize": 7.5, "markeredgecolor": BLACK, "linestyle": "none"}
ENTRIES: list[legends.LegendEntry] = [
    (PEAK, "peak envelope"),
    (CONTINUOUS, "continuous envelope"),
    (TASK, "task"),
    (AT_PEAK, "peak of the task"),
    (RMS, "RMS of the cycle"),
]


def plot_torque_speed(
    sizing: ActuatorSizing, joints: str | Iterable[str] | None = None, path: str | os.PathLike[str] | None = None
) -> Any:
    """Draw a panel for each joint that has a motor, or a nearest motor."""
    file = style.figure_path(path)
    names = list(sizing.actuators) if joints is None else [joints] if isinstance(joints, str) else list(joints)
    actuators = [a for a in (sizing[name] for name in names) if a.best is not None]
    if not actuators:
        raise ArgumentError("no joint has a motor to plot, because only the demand was computed or no joint could be sized")
    column_count = min(3, len(actuators)) if len(actuators) != 4 else 2
    row_count = math.ceil(len(actuators) / column_count)
    with style.plot_style():
        width = max(6.4, 4.0 * column_count)
        header_height = legends.TITLE_HEIGHT + legends.legend_height([name for _, name in ENTRIES], width - 0.3)
        figure = StyledFigure(figsize=(width, 3.3 * row_count + header_height), layout="constrained")
        grid = figure.subplots(row_count, column_count, squeeze=False)
        for k, (axes, actuator) in enumerate(zip(grid.flat, actuators, strict=False)):
            power_of_ten = _draw_panel(axes, actuator)
            if k % column_count == 0 or power_of_ten:
                axes.set_ylabel(f"motor torque [{power_of_ten}N m]")
            if k + column_count >= len(actuators):
                axes.set_xlabel("motor speed [rpm]")
        for axes in list(grid.flat)[len(actuators) :]:
            axes.remove()
        remark = "" if sizing.converged else "the choice of motors did not converge"
        legends.draw_header(figure, sizing.mechanism.name, remark, ENTRIES, header_height)
        return style.save_if_named(figure, file)


def _draw_panel(axes: Any, actuator: Actuator) -> str:
    """Draw the panel of one joint; return the power of ten that stands before the unit of torque."""
    best = actuator.best
    assert best is not None
    motor = best.motor
    w = np.linspace(0.0, motor.speed_limit, 400)
    speeds = np.concatenate([-w[::-1], w]) / RPM
    for torque, line_style, name in (
        (motor.intermittent_torque(w), PEAK, "peak envelope"),
        (motor.continuous_torque(w), CONTINUOUS, "continuous envelope"),
    ):
        four_quadrants = np.concatenate([torque[::-1], torque])
        axes.fill_between(speeds, -four_quadrants, four_quadrants, color=line_style["color"], alpha=0.2, linewidth=0)
        ends = np.concatenate([[speeds[0]], speeds, [speeds[-1]]])
        edge = np.concatenate([[0.0], four_quadrants, [0.0]])
        axes.plot(ends, edge, label=name, **line_style)
        axes.plot(ends, -edge, **line_style)
    axes.plot(actuator.speed / RPM, actuator.torque, label="task", **TASK)
    k = int(np.argmax(np.abs(actuator.torque)))
    axes.plot(actuator.speed[k] / RPM, actuator.torque[k], label="peak of the task", zorder=5, **AT_PEAK)
    axes.plot(best.rms_speed / RPM, best.rms_torque, label="RMS of the cycle", zorder=5, **RMS)
    axes.axhline(0, color=GREY, linewidth=0.6)
    axes.axvline(0, color=GREY, linewidth=0.6)
    axes.margins(x=0.04, y=0.06)
    axes.locator_params(axis="x", nbins=6)
    status = "" if actuator.chosen else "does not fit: "
    margins = "margins: " + ", ".join(f"{_format_margin(best.margins[kind])} {kind}" for kind in ("continuous", "peak", "speed"))
    axes.set_title(
        f"{style.escape_label(actuator.joint, 20)}: {status}{style.escape_label(f'{motor.name}, {best.gear}')}\n{margins}",
        color=BLACK if actuator.chosen else RED,
    )
    axes.ticklabel_format(axis="x", style="plain")
    return style.extract_power_of_ten(axes.yaxis, np.append(motor.intermittent_torque(w), actuator.torque))


def _format_margin(margin: float) -> str:
    return "> 99" if margin > 99 else f"{margin:.2f}"
