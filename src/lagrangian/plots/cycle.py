"""Plots of the cycle of a linkage, and of the cycles of linkages that differ in their parameters.

`plot_cycle` draws the linkage with its dead centres and coupler curves, and all results over the input. `plot_cycle_comparison`
draws the numbers of each cycle over the first parameter.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import Any

import numpy as np

from lagrangian.configuration.coordinates import single_coordinates
from lagrangian.design.compare_cycles import CycleComparison
from lagrangian.design.coupler_curve import CouplerCurve
from lagrangian.design.cycle import CycleAnalysis
from lagrangian.design.linkage import coordinate_unit
from lagrangian.plots import legends, style
from lagrangian.plots.quantities import angle_unit
from lagrangian.plots.stick_figure import CUSP, DOUBLE, DrawnConfiguration, LinkageView
from lagrangian.plots.style import COLOURS, DASHES, FAINT, MAX_NAMED_CURVES, ORANGE, PURPLE, RED, StyledFigure

DEAD_CENTRE_STYLES: dict[str, dict[str, Any]] = {
    "input": {"color": RED, "linestyle": DASHES[1], "linewidth": 1.4},
    "output": {"color": PURPLE, "linestyle": DASHES[1], "linewidth": 1.4},
}
MIN_TRANSMISSION_ANGLE = np.radians(40)  # the least transmission angle that textbooks advise
CyclePanel = tuple[str, list[tuple[str, np.ndarray]], str]  # label of the axis, curves, scale
MAX_MARKED = 40  # values that are marked along a curve
LABELS = {
    "swing": "swing of\n{output}",
    "transmission_angle": "least transmission\nangle",
    "time_ratio": "time ratio",
    "peak_torque": "peak torque\nat {speed}",
}


def plot_cycle(
    cycle: CycleAnalysis,
    path: str | os.PathLike[str] | None = None,
    frames: str | Iterable[str] | None = None,
    angles: str = "degrees",
) -> Any:
    """Draw a cycle: the linkage, and all results over the input."""
    file, angle = style.figure_path(path), angle_unit(angles)
    names = _frame_names(cycle, frames)
    curves = {name: cycle.coupler_curve(name) for name in names}
    view = _linkage_view(cycle, curves)
    with style.plot_style():
        panels = _cycle_panels(cycle, angle)
        entries = view.legend_entries()
        force_panel = panels.pop() if len(panels) > 3 else None  # the forces, under the linkage
        rows = len(panels)
        width, height = 10.2, max(4.4, 1.45 * rows + 0.5)
        header_height = legends.TITLE_HEIGHT + legends.legend_height([name for _, name in entries], width - 0.3)
        figure = StyledFigure(figsize=(width, height + header_height), layout="constrained")
        grid = figure.add_gridspec(rows, 2, width_ratios=(1, 1.05))
        view.draw(figure, grid[: rows - 1 if force_panel else rows, 0])
        right_axes = [figure.add_subplot(grid[k, 1]) for k in range(rows)]
        left_axes = [figure.add_subplot(grid[-1, 0])] if force_panel is not None else []
        for axes, panel in zip([*right_axes, *left_axes], [*panels, *([force_panel] if force_panel else [])], strict=True):
            _draw_panel(axes, cycle, angle[1], *panel)
            _set_input_axis(axes, cycle, angle, labelled=axes in (*left_axes, right_axes[-1]))
        figure.align_ylabels(right_axes)
        legends.draw_header(figure, cycle.mechanism.name, _remark(cycle), entries, header_height)
        return style.save_if_named(figure, file)


def _frame_names(cycle: CycleAnalysis, frames: str | Iterable[str] | None) -> list[str]:
    if frames is None:
        return [f.name for f in cycle.mechanism.frames][:MAX_NAMED_CURVES]
    return [frames] if isinstance(frames, str) else list(frames)


def _linkage_view(cycle: CycleAnalysis, curves: dict[str, CouplerCurve]) -> LinkageView:
    configurations = [DrawnConfiguration(cycle.q[0], f"at {cycle.input} = {cycle.format_input(cycle.x[0])}")]
    named_centres: set[str] = set()
    for dead in cycle.dead_centres[:8]:
        name = f"dead centre of {dead.coordinate}"
        configurations.append(DrawnConfiguration(dead.q, "" if name in named_centres else name, DEAD_CENTRE_STYLES[dead.kind]))
        named_centres.add(name)
    if not cycle.dead_centres:
        quarter = cycle.q[len(cycle.x) // 4]
        configurations.append(
            DrawnConfiguration(quarter, f"at {cycle.format_input(cycle.x[len(cycle.x) // 4])}", {"color": FAINT})
        )
    no_points = np.zeros((0, 3))
    marks = [
        ("cusp", np.vstack([no_points, *(c.cusps for c in curves.values())]), CUSP),
        ("double point", np.vstack([no_points, *(c.double_points for c in curves.values())]), DOUBLE),
    ]
    return LinkageView(cycle.dyn, configurations[::-1], {name: c.points for name, c in curves.items()}, marks)


def _cycle_panels(cycle: CycleAnalysis, angle: tuple[str, float]) -> list[CyclePanel]:
    """All panels over the input that have something to show."""
    panels = [*_positions(cycle, angle)]
    ratio = "1" if cycle.units[0] == cycle.units[1] else f"{cycle.units[1]}/{cycle.units[0]}"
    if cycle.output_ratio is not None and cycle.mechanical_advantage is not None and not cycle.output_is_fixed:
        panels.append((f"velocity\nratio [{ratio}]", [(f"{cycle.output} over {cycle.input}", cycle.output_ratio)], "linear"))
        inverse = "1" if cycle.units[0] == cycle.units[1] else f"{cycle.units[0]}/{cycle.units[1]}"
        panels.append((f"mechanical\nadvantage [{inverse}]", [("", np.abs(cycle.mechanical_advantage))], "log"))
    if cycle.transmission_angle is not None:
        panels.append((f"transmission\nangle [{angle[0]}]", [("", angle[1] * cycle.transmission_angle)], "angle"))
    unit, noun = ("N m", "torque") if cycle.units[0] == "rad" else ("N", "force")
    parts = [
        (f"at {cycle.speed:g} {cycle.units[0]}/s", cycle.torque),
        ("at rest", cycle.static_torque),
        ("inertia", cycle.inertial_torque),
    ]
    parts += [("friction", cycle.friction_torque)]
    nonzero_parts = [(name, rows) for name, rows in parts if np.nanmax(np.abs(rows), initial=0.0) > 1e-9]
    if nonzero_parts:
        panels.append((f"{noun} at\n{style.escape_label(cycle.input, 14)} [{unit}]", nonzero_parts, "linear"))
    return panels


def _positions(cycle: CycleAnalysis, angle: tuple[str, float]) -> Iterable[CyclePanel]:
    """Panels of the output's coordinate, or of all coordinates that move if the output is none: angles, then lengths."""
    places = single_coordinates(cycle.mechanism)
    names = (
        [cycle.output]
        if cycle.output in places
        else [n for n in places if n != cycle.input and np.ptp(cycle.q[:, places[n][0]]) > 1e-9]
    )
    for unit, factor, label in (("rad", angle[1], f"angle [{angle[0]}]"), ("m", 1.0, "position [m]")):
        coordinates = [n for n in names if n is not None and coordinate_unit(cycle.dyn, places[n][1]) == unit][:MAX_NAMED_CURVES]
        if coordinates:
            yield (label, [(n, factor * cycle.q[:, places[n][0]]) for n in coordinates], "linear")


def _draw_panel(
    axes: Any, cycle: CycleAnalysis, per_radian: float, label: str, curves: list[tuple[str, np.ndarray]], scale: str
) -> None:
    factor = per_radian if cycle.units[0] == "rad" else 1.0
    x = factor * cycle.x
    line_styles = [{"color": COLOURS[k % len(COLOURS)], "linestyle": DASHES[k % len(DASHES)]} for k in range(len(curves))]
    for (_, rows), line_style in zip(curves, line_styles, strict=True):
        axes.plot(x, np.where(np.isfinite(rows), rows, np.nan), **line_style)
    for dead in cycle.dead_centres:
        axes.axvline(factor * dead.input_value, zorder=1.5, **{**DEAD_CENTRE_STYLES[dead.kind], "linewidth": 0.9})
    values = np.concatenate([rows[np.isfinite(rows)] for _, rows in curves])
    if scale == "log" and values.size and values.max() > 20 * np.median(values):  # it is infinite where the output stands still
        axes.set_yscale("log")
        axes.yaxis.set_major_formatter(lambda x, _: f"{x:g}")
        axes.yaxis.set_minor_formatter(lambda x, _: "")
    elif scale == "angle":
        set_transmission_axis(axes, per_radian)
    else:
        _clip_axis(axes, values)
    axes.set_ylabel(label)
    legend_entries = [(line_style, name) for line_style, (name, _) in zip(line_styles, curves, strict=True) if name]
    if len(legend_entries) > 1 or (legend_entries and scale == "linear" and legend_entries[0][1] != cycle.input):
        legends.draw_legend_above(axes, legend_entries, 4.6)


def _clip_axis(axes: Any, values: np.ndarray) -> None:
    """Limit an axis to the range of most values where a few grow without bound, as at dead centres."""
    if not values.size:
        return
    low, high = np.percentile(values, [3, 97])
    spread = max(high - low, 1e-12)
    if values.max() - values.min() > 8 * spread:
        axes.set_ylim(low - spread, high + spread)


def _set_input_axis(axes: Any, cycle: CycleAnalysis, angle: tuple[str, float], labelled: bool) -> None:
    unit, factor = angle if cycle.units[0] == "rad" else ("m", 1.0)
    axes.tick_params(labelbottom=labelled)
    if labelled:
        axes.set_xlabel(f"{style.escape_label(cycle.input)} [{unit}]")
    if unit == "deg" and cycle.turns == 1:
        axes.set_xticks(np.arange(0, 361, 45))
    axes.set_xlim(*(factor * np.array(cycle.range)))


def _remark(cycle: CycleAnalysis) -> str:
    kind = f"{cycle.four_bar.kind}: " if cycle.four_bar is not None else ""
    return kind + str(cycle).splitlines()[0].partition(": ")[2]


def plot_coupler_curve(coupler_curve: CouplerCurve, path: str | os.PathLike[str] | None = None) -> Any:
    """Draw a coupler curve, with the linkage where it begins."""
    file = style.figure_path(path)
    marks = [("cusp", coupler_curve.cusps, CUSP), ("double point", coupler_curve.double_points, DOUBLE)]
    view = LinkageView(
        coupler_curve.dyn, [DrawnConfiguration(coupler_curve.q[0], "linkage")], {coupler_curve.frame: coupler_curve.points}, marks
    )
    with style.plot_style():
        entries = view.legend_entries()
        plane_axes, extent = view.plane_axes, np.ptp(view.all_points(), axis=0)
        width, plane_height = extent[list(plane_axes)] if plane_axes is not None else (1.0, 0.9)
        height = float(np.clip(5.2 * plane_height / max(width, 1e-9) + 0.6, 2.6, 6.4))
        header_height = legends.TITLE_HEIGHT + legends.legend_height([name for _, name in entries], 6.1)
        figure = StyledFigure(figsize=(6.4, height + header_height), layout="constrained")
        view.draw(figure, figure.add_gridspec(1, 1)[0, 0])
        legends.draw_header(
            figure,
            coupler_curve.dyn.mechanism.name,
            f"{coupler_curve.frame}: {coupler_curve.length:.4g} m",
            entries,
            header_height,
        )
        return style.save_if_named(figure, file)


def set_transmission_axis(axes: Any, per_radian: float) -> None:
    """Set up an axis of transmission angles, on which poor ones are shaded."""
    axes.set_ylim(0, per_radian * np.radians(93))
    if per_radian > 1:
        axes.set_yticks([0, 30, 60, 90])
    axes.axhspan(0, per_radian * MIN_TRANSMISSION_ANGLE, color=ORANGE, alpha=0.12, linewidth=0)


def plot_cycle_comparison(
    comparison: CycleComparison, path: str | os.PathLike[str] | None = None, angles: str = "degrees"
) -> Any:
    """Draw the numbers of several cycles over the first parameter that differs."""
    file, angle = style.figure_path(path), angle_unit(angles)
    with style.plot_style():
        names = list(comparison.parameters)
        panels = [c for c in comparison.columns() if c.name in LABELS]
        curves = _rows_by_curve(comparison)
        entries: list[legends.LegendEntry] = [
            (style.curve_style(k, len(curves)), name) for k, (name, _) in enumerate(curves) if name
        ]
        entries = legends.shorten_entries(entries, len(curves)) if len(entries) > MAX_NAMED_CURVES else entries
        row_count = -(-len(panels) // 2)
        header_height = legends.TITLE_HEIGHT + legends.legend_height([name for _, name in entries], 8.4)
        figure = StyledFigure(figsize=(8.8, 2.0 * max(row_count, 1) + 0.4 + header_height), layout="constrained")
        grid = figure.add_gridspec(row_count, 2 if len(panels) > 1 else 1)
        for k, column in enumerate(panels):
            axes: Any = figure.add_subplot(grid[k // 2, k % 2])
            values = angle[1] * column.values if column.unit == "rad" else column.values
            for i, (_, rows) in enumerate(curves):
                x, y = comparison.parameters[names[0]][rows], np.where(np.isfinite(values[rows]), values[rows], np.nan)
                marker = {"marker": "o", "markersize": 3.5, "clip_on": False} if len(rows) <= MAX_MARKED else {}
                axes.plot(x, y, **style.curve_style(i, len(curves)), **marker)
            axes.set_xlim(*_axis_limits(comparison.parameters[names[0]]))
            _set_axis(axes, column.name, _label(comparison, column.name, column.unit, angle[0]), angle[1])
            axes.tick_params(labelbottom=k >= len(panels) - 2)
            if k >= len(panels) - 2:
                axes.set_xlabel(style.escape_label(names[0]))
        legends.draw_header(
            figure, comparison.mechanism.name, str(comparison).splitlines()[0].partition(": ")[2], entries, header_height
        )
        return style.save_if_named(figure, file)


def _rows_by_curve(comparison: CycleComparison) -> list[tuple[str, np.ndarray]]:
    """The rows of each curve with its label: those with equal values of all parameters but the first."""
    first, *other_parameters = comparison.parameters
    order = np.argsort(comparison.parameters[first], kind="stable")
    if not other_parameters:
        return [("", order)]
    keys = np.array([comparison.parameters[name] for name in other_parameters]).T
    value_sets = list(dict.fromkeys(map(tuple, keys.tolist())))
    labels = [
        ", ".join(f"{name} = {x:.6g}" for name, x in zip(other_parameters, value_set, strict=True)) for value_set in value_sets
    ]
    return [(name, order[(keys[order] == value_set).all(axis=1)]) for name, value_set in zip(labels, value_sets, strict=True)]


def _axis_limits(values: np.ndarray) -> tuple[float, float]:
    low, high = float(values.min()), float(values.max())
    return (low, high) if low < high else (low - 0.5 * abs(low) - 1e-9, low + 0.5 * abs(low) + 1e-9)


def _set_axis(axes: Any, name: str, label: str, per_radian: float) -> None:
    axes.set_ylabel(label)
    if name == "transmission_angle":
        set_transmission_axis(axes, per_radian)
    elif name == "time_ratio":
        axes.set_ylim(bottom=1.0, top=max(axes.get_ylim()[1], 1.05))
    else:
        axes.set_ylim(bottom=0.0)


def _label(comparison: CycleComparison, name: str, unit: str, angle: str) -> str:
    first_cycle = comparison.first_cycle
    text = LABELS[name].format(
        output=style.escape_label(first_cycle.output or "", 14), speed=f"{first_cycle.speed:g} {first_cycle.units[0]}/s"
    )
    unit = angle if unit == "rad" else unit
    return text if unit == "1" else f"{text} [{unit}]"
