"""A motion over time: coordinates, speeds, forces, energies and errors, each unit in a panel of its own."""

from __future__ import annotations

import math
import os
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from lagrangian.motion.motion import Motion
from lagrangian.pictures import event_marks, legends, style
from lagrangian.pictures.chosen import Panel
from lagrangian.pictures.quantities import WORKS, panels
from lagrangian.pictures.style import BLACK, BLUE, DASHES, GREEN, GREY, MOST, ORANGE, PURPLE, RED, SEVERAL, SKY, curve

ONE_COLUMN, TWO_COLUMNS, HEIGHT = 6.8, 10.0, 2.0  # in

_ENERGIES = {
    "kinetic": {"color": ORANGE, "linestyle": "-"},
    "potential − min": {"color": BLUE, "linestyle": DASHES[1]},
    "total": {"color": BLACK, "linestyle": "-"},
    WORKS["torque"]: {"color": GREEN, "linestyle": DASHES[2]},
    WORKS["friction"]: {"color": RED, "linestyle": DASHES[2]},
    WORKS["wrenches"]: {"color": SKY, "linestyle": DASHES[2]},
    WORKS["constraints"]: {"color": GREY, "linestyle": DASHES[2]},
    WORKS["impacts"]: {"color": PURPLE, "linestyle": DASHES[3]},
    WORKS["payloads"]: {"color": GREEN, "linestyle": DASHES[3]},
    WORKS["parameters"]: {"color": SKY, "linestyle": DASHES[3]},
}


def motion_plot(
    motion: Motion,
    what: Sequence[str] = (),
    path: str | os.PathLike[str] | None = None,
    joints: str | Iterable[str] | None = None,
    frames: str | Iterable[str] | None = None,
    angles: str = "degrees",
    scale: str = "auto",
) -> Any:
    """Panels over time of what is named, or of all that has something to show.

    `what` may be "coordinates", "speeds", "accelerations", "torques", "friction", "multipliers", "reactions" (the size of each
    joint's force and moment), "positions" (x, y and z of frames), "energy", "balance" (the change of energy less all work: the
    error of the run) and "drift". `joints` picks coordinates and speeds by their joints' names or their own, `frames` those of
    positions. `angles` are in "degrees" or "radians". `scale` is that of multipliers and reactions: "linear", "log" (of their
    sizes), or "auto", which shows forces of both signs over orders of magnitude where they grow by as many.
    """
    file = style.writable(path)
    shown = panels(motion, (what,) if isinstance(what, str) else tuple(what), joints, frames=frames, angles=angles, scale=scale)
    with style.styled():
        return style.written(_figure(motion, shown), file)


def _figure(motion: Motion, shown: list[Panel]) -> Any:
    from lagrangian.pictures.figure import Picture

    columns = 1 if len(shown) <= 3 else 2
    rows = math.ceil(len(shown) / columns)
    width = ONE_COLUMN if columns == 1 else TWO_COLUMNS
    shared = _shared(motion, shown)
    top = 0.34 + legends.height(list(shared), width - 0.3)
    tall = HEIGHT * (1.4 if len(shown) == 1 else 1.0)
    figure = Picture(figsize=(width, tall * rows + top + 0.25), layout="constrained")
    grid = figure.add_gridspec(rows, columns)
    span = (float(motion.t[0]), float(motion.t[-1]))
    inner = width / columns - 0.8
    first: Any = None
    for k, panel in enumerate(shown):
        row, column = divmod(k, columns)
        alone = k == len(shown) - 1 and column == 0  # the last of an odd number takes the width of two
        axes = figure.add_subplot(grid[row, :] if alone else grid[row, column], sharex=first)
        first = first or axes
        event_marks.mark(axes, motion.events)
        points = event_marks.label(axes, motion.events, span, inner) if k == 0 else 0.0
        _panel(axes, motion.t, panel, shared, inner, points)
        lowest = row == rows - 1
        above_wide = row == rows - 2 and len(shown) % columns  # the wide one's ticks are not those of this one
        axes.tick_params(labelbottom=bool(lowest or above_wide))
        if lowest:
            axes.set_xlabel(f"time [{style.power_of_ten(axes.xaxis, motion.t)}s]")
    if span[1] > span[0]:
        first.set_xlim(*span)
    legends.header(
        figure, motion.name, "" if motion.success else motion.message, [(how, name) for name, how in shared.items()], top
    )
    return figure


def _shared(motion: Motion, shown: list[Panel]) -> dict[str, dict[str, Any]]:
    """One legend for all panels of joints, where few names serve for coordinates and speeds alike; the style of each name."""
    of_joints = [p for p in shown if p.of_joints]
    names = list(dict.fromkeys(name for p in of_joints for name in p.names))
    order = {name: k for k, name in enumerate(motion.coordinate_names)}
    if len(of_joints) < 2 or len(names) > SEVERAL or any(name not in order for name in names):
        return {}
    return {name: curve(k) for k, name in enumerate(sorted(names, key=order.__getitem__))}


def _panel(axes: Any, t: np.ndarray, panel: Panel, shared: dict[str, dict[str, Any]], width: float, points: float) -> None:
    many = len(panel.names)
    picked = range(many) if many <= MOST else [round(k) for k in np.linspace(0, many - 1, MOST)]
    styles = _styles(panel, shared)
    single: dict[str, Any] = {"marker": "o"} if len(t) == 1 else {}
    for k in picked:
        axes.plot(t, panel.values[:, k], label=panel.names[k], **styles[k], **single)
    power = ""
    if not np.any(panel.values[:, picked]):
        _nothing(axes)
    elif panel.scale == "log":
        axes.set_yscale("log", nonpositive="mask")
        style.log_labels(axes.yaxis)
    elif panel.scale == "symlog":
        style.symmetric_log(axes, panel.values)
    else:
        power = style.power_of_ten(axes.yaxis, panel.values)
    axes.set_ylabel(f"{panel.label} [{power}{panel.unit}]")
    if not (shared and panel.of_joints) and panel.what != "balance":
        _legend(axes, panel, styles, len(picked), width, points)


def _nothing(axes: Any) -> None:
    """Curves that are zero throughout: said in words, on an axis that pretends to no scale."""
    axes.set_ylim(-1.0, 1.0)
    axes.set_yticks([0.0])
    axes.text(0.5, 0.62, "all zero", transform=axes.transAxes, ha="center", va="center", color=GREY)


def _styles(panel: Panel, shared: dict[str, dict[str, Any]]) -> list[dict[str, Any]]:
    if panel.what == "energy":
        return [_ENERGIES.get(name, {"color": GREY, "linestyle": DASHES[3]}) for name in panel.names]
    if panel.what in ("balance", "drift"):  # noise: thin, and without dashes
        return [{"color": color, "linewidth": 0.9} for color in (BLUE, ORANGE)]
    if panel.of_joints and shared:
        return [shared[name] for name in panel.names]
    if not panel.groups or len(set(panel.groups)) == 1:
        return [curve(k, len(panel.names)) for k in range(len(panel.names))]
    # a colour for each constraint, a line style for each of its parts
    groups, parts = list(dict.fromkeys(panel.groups)), list(dict.fromkeys(panel.parts))
    return [
        {**curve(groups.index(g), len(groups)), "linestyle": DASHES[parts.index(p) % len(DASHES)]}
        for g, p in zip(panel.groups, panel.parts, strict=True)
    ]


def _legend(axes: Any, panel: Panel, styles: list[dict[str, Any]], drawn: int, width: float, points: float) -> None:
    entries: list[legends.Entry] = list(zip(styles, panel.names, strict=False))
    groups, parts = list(dict.fromkeys(panel.groups)), list(dict.fromkeys(panel.parts))
    if len(panel.names) > SEVERAL and len(groups) > 1:
        entries = legends.some([(curve(k, len(groups)) | {"linestyle": "-"}, name) for k, name in enumerate(groups)], len(groups))
        entries += [({"color": GREY, "linestyle": DASHES[k % len(DASHES)]}, part) for k, part in enumerate(parts) if part]
    else:
        entries = legends.some(entries, drawn)
    legends.above(axes, entries, width, points)
