"""Plots of motions over time: `plot_motion` draws one motion, or a few on the same axes; `plot_ensemble` draws many.

The panels of `plot_motion` hold coordinates, speeds, forces, energies and errors, each unit in a panel of its own.
`plot_ensemble` draws a thin line for each motion, their median, and the range in which nine of ten are.
"""

from __future__ import annotations

import math
import os
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from lagrangian.arguments import texts
from lagrangian.errors import ArgumentError, unknown_name_message
from lagrangian.motion.motion import Motion
from lagrangian.motion.motions import Motions
from lagrangian.plots import legends, panels, style
from lagrangian.plots.overlaid import CurveLooks, SharedAxis, label_motions, labelled_events, share_axes
from lagrangian.plots.panels import PanelAxis, common_joint_looks
from lagrangian.plots.quantities import angle_unit
from lagrangian.plots.style import BLACK, BLUE, StyledFigure

ONE_COLUMN, TWO_COLUMNS, HEIGHT = 6.8, 10.0, 2.0  # in
MAX_LINES, MAX_PANELS = 200, 6  # most that are drawn
MEDIAN: dict[str, Any] = {"color": BLACK, "linewidth": 1.6}
RANGE: dict[str, Any] = {"color": BLUE, "linewidth": 7.0, "alpha": 0.35}


def plot_motion(
    motion: Motion,
    quantities: Sequence[str] = (),
    path: str | os.PathLike[str] | None = None,
    joints: str | Iterable[str] | None = None,
    frames: str | Iterable[str] | None = None,
    angles: str = "degrees",
    scale: str = "auto",
    other_motions: Mapping[str, Motion] | None = None,
    label: str | None = None,
) -> Any:
    """Draw panels over time of the named quantities, or of all that have something to show.

    `quantities` may be "coordinates", "speeds", "accelerations", "torques", "friction", "multipliers", "reactions" (the size
    of each joint's force and moment), "energy", "balance" (the change of energy less all work: the error of the run), "drift",
    and the name of a frame or body, whose x, y and z are plotted; "positions" are those of the frames in `frames`, or of all.
    `joints` picks coordinates and speeds by their joints' names or their own. `angles` are in "degrees" or "radians". `scale`
    is that of multipliers and reactions: "linear", "log" (of their sizes), or "auto", which shows forces of both signs over
    orders of magnitude where they grow by as many. `other_motions` are drawn over this one, by their labels; `label` is the
    label of this one.
    """
    file = style.figure_path(path)
    motions = label_motions(motion, other_motions, label)
    quantity_names = (quantities,) if isinstance(quantities, str) else tuple(quantities)
    shared_panels = share_axes(motions.values(), quantity_names, joints, frames=frames, angles=angles, scale=scale)
    with style.plot_style():
        return style.save_if_named(_make_figure(motions, shared_panels), file)


def _make_figure(motions: dict[str, Motion], shared_panels: list[SharedAxis]) -> Any:
    first_motion = next(iter(motions.values()))
    overlay_looks = CurveLooks(tuple(motions), shared_panels) if len(motions) > 1 else None
    panel_axes = [PanelAxis(shared_panel, overlay_looks) for shared_panel in shared_panels]
    joint_looks = common_joint_looks(panel_axes, first_motion.coordinate_names, overlay_looks)
    entries: list[legends.LegendEntry] = [(line_style, name) for name, line_style in joint_looks.items()]
    entries += overlay_looks.legend_entries() if overlay_looks else []
    entries += panels.limit_legend_entries([axis.limits for axis in panel_axes])
    columns = 1 if len(shared_panels) <= 3 else 2
    rows = math.ceil(len(shared_panels) / columns)
    width = ONE_COLUMN if columns == 1 else TWO_COLUMNS
    header_height = legends.TITLE_HEIGHT + legends.legend_height([name for _, name in entries], width - 0.3)
    panel_height = HEIGHT * (1.4 if len(shared_panels) == 1 else 1.0)
    figure = StyledFigure(figsize=(width, panel_height * rows + header_height + 0.25), layout="constrained")
    grid = figure.add_gridspec(rows, columns)
    span = (min(float(m.t[0]) for m in motions.values()), max(float(m.t[-1]) for m in motions.values()))
    panel_width = width / columns - 0.8
    events = labelled_events(motions)
    first_axes: Any = None
    for k, axis in enumerate(panel_axes):
        row, column = divmod(k, columns)
        spans_both_columns = k == len(shared_panels) - 1 and column == 0  # the last of an odd number takes the width of two
        axes = figure.add_subplot(grid[row, :] if spans_both_columns else grid[row, column], sharex=first_axes)
        first_axes = first_axes or axes
        panels.draw_event_lines(axes, events)
        label_points = panels.draw_event_labels(axes, events, span, panel_width) if k == 0 else 0.0
        axis.draw(axes, joint_looks, panel_width, label_points)
        lowest = row == rows - 1
        above_wide = row == rows - 2 and len(shared_panels) % columns  # the wide one's ticks are not those of this one
        axes.tick_params(labelbottom=bool(lowest or above_wide))
        if lowest:
            axes.set_xlabel(f"time [{style.extract_power_of_ten(axes.xaxis, np.array(span))}s]")
    if span[1] > span[0]:
        first_axes.set_xlim(*span)
    legends.draw_header(figure, _title(motions), _remark(motions), entries, header_height)
    return figure


def _title(motions: Mapping[str, Motion]) -> str:
    return ", ".join(dict.fromkeys(motion.name for motion in motions.values()))


def _remark(motions: Mapping[str, Motion]) -> str:
    """The messages of the runs that ended early, in one line."""
    if len(motions) == 1:
        (motion,) = motions.values()
        return "" if motion.success else motion.message
    return "; ".join(f"{label}: {motion.message}" for label, motion in motions.items() if not motion.success)


def plot_ensemble(
    motions: Motions, joints: Any = None, path: str | os.PathLike[str] | None = None, angles: str = "degrees"
) -> Any:
    """Draw a panel for each coordinate, or for those in `joints`."""
    unit_of_angles, factor_of_angles = angle_unit(angles)
    file, rows = style.figure_path(path), motions.q
    names = motions.coordinate_names
    shown_names = names[:MAX_PANELS] if joints is None else texts(joints, "joints")
    for name in shown_names:
        if name not in names:
            raise ArgumentError(unknown_name_message("coordinate", name, names), concerns="joints")
    angle_names = {name for joint in motions.mechanism.joints if joint.kind.turns for name in joint.coordinate_names}
    columns = min(2, len(shown_names))
    row_count, header_height = math.ceil(len(shown_names) / columns), legends.TITLE_HEIGHT + legends.LINE_HEIGHT
    omission_text = (
        "" if len(shown_names) == len(names) or joints is not None else f"{len(shown_names)} of {len(names)} coordinates; "
    )
    drawn_motions = np.linspace(0, len(motions) - 1, min(MAX_LINES, len(motions))).astype(int)
    with style.plot_style():
        figure = StyledFigure(figsize=(max(5.0, 4.4 * columns), 2.7 * row_count + header_height), layout="constrained")
        grid = figure.subplots(row_count, columns, squeeze=False)
        for axes, name in zip(grid.flat, shown_names, strict=False):
            is_angle = name in angle_names
            unit, factor = (unit_of_angles, factor_of_angles) if is_angle else ("m", 1.0)
            _draw_panel(axes, motions.t, factor * rows[:, :, names.index(name)], drawn_motions)
            axes.set_title(style.escape_label(name))
            axes.set_ylabel(f"{'angle' if is_angle else 'displacement'} [{unit}]")
        for axes in list(grid.flat)[len(shown_names) :]:
            axes.remove()
        remark = (
            f"{omission_text}{len(drawn_motions)} of {len(motions)} motions"
            if len(drawn_motions) < len(motions)
            else f"{len(motions)} motions"
        )
        legends.draw_header(figure, motions.name, remark, [(MEDIAN, "median"), (RANGE, "nine of ten")], header_height)
        return style.save_if_named(figure, file)


def _draw_panel(axes: Any, t: np.ndarray, values: np.ndarray, drawn_motions: np.ndarray) -> None:
    axes.plot(t, values[drawn_motions].T, color=BLUE, linewidth=0.5, alpha=max(0.08, 3.0 / (len(drawn_motions) + 6)))
    has_values = np.isfinite(values).any(axis=0)
    if has_values.any():
        low, middle, high = np.nanquantile(values[:, has_values], (0.05, 0.5, 0.95), axis=0)
        axes.fill_between(t[has_values], low, high, color=BLUE, alpha=0.2, linewidth=0.0)
        axes.plot(t[has_values], middle, **MEDIAN)
    axes.set_xlim(t[0], t[-1])
    axes.set_xlabel("time [s]")
