"""Singular configurations: the mechanism in them, or over two coordinates a map on which they are curves."""

from __future__ import annotations

import os
from typing import Any

import numpy as np

from lagrangian.configuration.text import format_coordinate
from lagrangian.design.singularities import Singularities
from lagrangian.plots import legends, style
from lagrangian.plots.quantities import angle_unit
from lagrangian.plots.stick_figure import DrawnConfiguration, LinkageView
from lagrangian.plots.style import BLUE, COLOURS, DASHES, FAINT, ORANGE, RED, StyledFigure

KINDS: dict[int, dict[str, Any]] = {
    1: {"color": BLUE, "marker": "o"},
    2: {"color": RED, "marker": "s"},
    3: {"color": ORANGE, "marker": "D"},
}
NAMES = {1: "type 1: output cannot move in a direction", 2: "type 2: actuators lose control", 3: "type 3: both"}
MAX_DRAWN = 6


def plot_singularities(singularities: Singularities, path: str | os.PathLike[str] | None = None, angles: str = "degrees") -> Any:
    """Draw the singular configurations over the coordinates that were varied."""
    file, angle = style.figure_path(path), angle_unit(angles)
    with style.plot_style():
        return style.save_if_named(
            _draw_map(singularities, angle) if len(singularities.over) == 2 else _draw_configurations(singularities, angle), file
        )


def _draw_map(singularities: Singularities, angle: tuple[str, float]) -> Any:
    kinds = [k for k in KINDS if (singularities.kind == k).any()]
    entries: list[legends.LegendEntry] = [({**KINDS[k], "linestyle": "none", "markersize": 3.5}, NAMES[k]) for k in kinds]
    header_height = legends.TITLE_HEIGHT + legends.legend_height([name for _, name in entries], 6.1)
    figure = StyledFigure(figsize=(6.4, 5.4 + header_height), layout="constrained")
    axes: Any = figure.add_subplot()
    factors = np.array([angle[1] if unit == "rad" else 1.0 for unit in singularities.units])
    values = singularities.values * factors
    for k in kinds:
        axes.plot(*values[singularities.kind == k].T, linestyle="none", markersize=2.6, markeredgewidth=0, **KINDS[k])
    for letter, name, unit, factor in zip("xy", singularities.over, singularities.units, factors, strict=True):
        getattr(axes, f"set_{letter}label")(f"{style.escape_label(name)} [{angle[0] if unit == 'rad' else 'm'}]")
        getattr(axes, f"set_{letter}lim")(*(factor * np.array(singularities.over[name])))
    if singularities.units[0] == singularities.units[1]:
        axes.set_aspect("equal", adjustable="box")
    legends.draw_header(figure, singularities.mechanism.name, _remark(singularities), entries, header_height)
    return figure


def _remark(singularities: Singularities) -> str:
    return f"{singularities.frame}: {', '.join(singularities.directions)}" if singularities.frame else ""


def _format_coordinate(x: float, unit: str, angle: tuple[str, float]) -> str:
    return f"{x:.6g} rad" if unit == angle[0] == "rad" else format_coordinate(x, unit)


def _draw_configurations(singularities: Singularities, angle: tuple[str, float]) -> Any:
    name, unit = next(iter(singularities.over)), singularities.units[0]
    configurations = [DrawnConfiguration(singularities.start, "start", {"color": FAINT})]
    for k, (s, (x,)) in enumerate(list(zip(singularities, singularities.values, strict=True))[:MAX_DRAWN]):
        line_style = {"color": COLOURS[k % len(COLOURS)], "linestyle": DASHES[k % len(DASHES)]}
        configurations.append(
            DrawnConfiguration(s.q, f"{name} = {_format_coordinate(x, unit, angle)}, type {s.kind}", line_style)
        )
    view = LinkageView(singularities.dyn, configurations)
    entries = view.legend_entries()
    plane_axes, extent = view.plane_axes, np.ptp(view.all_points(), axis=0)
    width, plane_height = extent[list(plane_axes)] if plane_axes is not None else (1.0, 0.9)
    height = float(np.clip(5.2 * plane_height / max(width, 1e-9) + 0.6, 2.6, 6.4))
    header_height = legends.TITLE_HEIGHT + legends.legend_height([entry for _, entry in entries], 6.1)
    figure = StyledFigure(figsize=(6.4, height + header_height), layout="constrained")
    view.draw(figure, figure.add_gridspec(1, 1)[0, 0])
    legends.draw_header(figure, singularities.mechanism.name, _remark(singularities), entries, header_height)
    return figure
