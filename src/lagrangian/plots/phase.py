"""Phase portraits: the speed of a coordinate over the coordinate itself."""

from __future__ import annotations

import math
import os
from collections.abc import Sequence
from typing import Any

import numpy as np

from lagrangian.errors import ArgumentError
from lagrangian.motion.motion import Motion
from lagrangian.plots import legends, style
from lagrangian.plots.quantities import ANGLE, DEGREES, POSITION, SLIDE, UNKNOWN, CurveSelection, angle_unit, moving_joints
from lagrangian.plots.style import BLACK, BLUE, GREY, StyledFigure

MAX_PORTRAITS = 12  # most in one figure, unless they are named
AXES = {
    ANGLE: ("angle", "deg", "angular speed", "deg/s", DEGREES),
    SLIDE: ("displacement", "m", "speed", "m/s", 1.0),
    POSITION: ("position", "m", "velocity", "m/s", 1.0),
    UNKNOWN: ("coordinate", "rad or m", "speed", "rad/s or m/s", 1.0),
}
RADIANS = ("angle", "rad", "angular speed", "rad/s", 1.0)
START: dict[str, Any] = {
    "marker": "o",
    "markerfacecolor": "white",
    "markeredgecolor": BLACK,
    "markersize": 6.0,
    "linestyle": "none",
}
END: dict[str, Any] = {
    "marker": "s",
    "markerfacecolor": BLACK,
    "markeredgecolor": "white",
    "markersize": 6.0,
    "linestyle": "none",
}


def plot_phase_portrait(
    motion: Motion, joints: Sequence[str] = (), path: str | os.PathLike[str] | None = None, angles: str = "degrees"
) -> Any:
    """Draw a panel for each coordinate whose speed is its rate; those of ball and free joints have no such speed."""
    radians = angle_unit(angles)[0] == "rad"
    file = style.figure_path(path)
    names = [joints] if isinstance(joints, str) else list(joints)
    if not len(motion.t):
        raise ArgumentError(f"{motion.name}: the motion has no rows to plot")
    pairs = _pairs(motion, names)
    shown_pairs = pairs if names else pairs[:MAX_PORTRAITS]
    columns = min(3, len(shown_pairs)) if len(shown_pairs) != 4 else 2
    rows = math.ceil(len(shown_pairs) / columns)
    remark = (
        ""
        if len(shown_pairs) == len(pairs)
        else f"{len(shown_pairs)} of {len(pairs)} coordinates; give names of joints to see others"
    )
    with style.plot_style():
        header_height = legends.TITLE_HEIGHT + legends.LINE_HEIGHT
        figure = StyledFigure(
            figsize=(max(4.6, 3.4 * columns), (3.4 if rows == 1 else 2.8) * rows + header_height), layout="constrained"
        )
        grid = figure.subplots(rows, columns, squeeze=False)
        for axes, (q, v, kind) in zip(grid.flat, shown_pairs, strict=False):
            _draw_portrait(axes, motion, q, v, RADIANS if kind == ANGLE and radians else AXES[kind])
        for axes in list(grid.flat)[len(shown_pairs) :]:
            axes.remove()
        legends.draw_header(figure, motion.name, remark, [(START, "start"), (END, "end")], header_height)
        return style.save_if_named(figure, file)


def _pairs(motion: Motion, names: Sequence[str]) -> list[tuple[int, int, str]]:
    """Pairs of a coordinate and the speed that is its rate."""
    selection = CurveSelection(motion, names or None)
    if motion.mechanism is None:
        speeds = {name: k for k, name in enumerate(motion.speed_names)}
        pairs = [
            (k, speeds[n], UNKNOWN)
            for k, n in enumerate(motion.coordinate_names)
            if n in speeds and k in selection.coordinate_columns
        ]
    else:
        joints_with_rates = [(joint, q, v) for joint, q, v in moving_joints(motion) if len(q) == len(v)]
        pairs = [
            (k, n, selection.coordinate_kinds[k])
            for _, q, v in joints_with_rates
            for k, n in zip(q, v, strict=True)
            if k in set(selection.coordinate_columns)
        ]
        for name in names:
            if not any(name in (joint.name, *joint.coordinate_names, *joint.speed_names) for joint, _, _ in joints_with_rates):
                raise ArgumentError(
                    f"{name!r} belongs to a ball or free joint, whose coordinates are not the integrals of its speeds",
                    concerns="joints",
                )
    if not pairs:
        raise ArgumentError(f"{motion.name} has no coordinate with its own speed to plot")
    return pairs


def _draw_portrait(axes: Any, motion: Motion, q: int, v: int, names: tuple[str, str, str, str, float]) -> None:
    coordinate, unit, speed, rate, factor = names
    x, y = factor * motion.q[:, q], factor * motion.qd[:, v]
    axes.margins(0.06)
    axes.axhline(0.0, color=GREY, linewidth=0.6, zorder=1)
    axes.plot(x, y, color=BLUE, linewidth=1.2, label=motion.coordinate_names[q])
    draw_arrows(axes, x, y)
    axes.plot(x[:1], y[:1], **START, zorder=4)
    axes.plot(x[-1:], y[-1:], **END, zorder=4)
    axes.set_title(style.escape_label(motion.coordinate_names[q]))
    axes.set_xlabel(f"{coordinate} [{style.extract_power_of_ten(axes.xaxis, x)}{unit}]")
    axes.set_ylabel(f"{speed} [{style.extract_power_of_ten(axes.yaxis, y)}{rate}]")


def draw_arrows(axes: Any, x: np.ndarray, y: np.ndarray, count: int = 4, color: str = BLUE) -> None:
    """Draw arrow heads along a curve in the direction of time, evenly spaced along its length on the page."""
    width, height = (float(np.ptp(z)) or 1.0 for z in (x, y))
    steps = np.hypot(np.diff(x) / width, np.diff(y) / height)
    length = np.concatenate([[0.0], np.cumsum(steps)])
    if not length[-1] > 0:
        return
    # of a curve that repeats, the first turns are enough
    reach = min(float(length[-1]), 4.0)
    for distance in reach * (np.arange(count) + 0.5) / count:
        k = int(np.searchsorted(length, distance))
        j = int(np.searchsorted(length, max(0.0, distance - 0.03)))
        j = min(j, k - 1)
        if j < 0 or steps[j:k].max() > 0.2:  # a jump: the motion takes no path between its ends
            continue
        axes.annotate(
            "", (x[k], y[k]), (x[j], y[j]), arrowprops={"arrowstyle": "-|>", "color": color, "linewidth": 0, "mutation_scale": 13}
        )
