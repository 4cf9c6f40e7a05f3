"""A motion over time: coordinates, speeds, forces, energies and errors, each unit in a panel of its own."""

from __future__ import annotations

import math
import os
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from lagrangian.motion.motion import Motion
from lagrangian.pictures import event_marks
from lagrangian.pictures.quantities import Panel, panels
from lagrangian.pictures.style import BLACK, BLUE, DASHES, GREEN, GREY, MOST, ORANGE, PURPLE, RED, SEVERAL, SKY, curve, styled, writable, written

ONE_COLUMN, TWO_COLUMNS, HEIGHT = 6.8, 10.0, 1.95  # in
LETTER = 0.066  # in, of a legend

_ENERGIES = {
    "kinetic": {"color": ORANGE, "linestyle": "-"},
    "potential": {"color": BLUE, "linestyle": DASHES[1]},
    "total": {"color": BLACK, "linestyle": "-"},
    "work of torques": {"color": GREEN, "linestyle": DASHES[2]},
    "work of friction": {"color": RED, "linestyle": DASHES[2]},
    "lost in impacts": {"color": PURPLE, "linestyle": DASHES[3]},
    "work of wrenches": {"color": SKY, "linestyle": DASHES[2]},
    "work of constraints": {"color": PURPLE, "linestyle": DASHES[2]},
}


def motion_plot(
    motion: Motion,
    what: Sequence[str] = (),
    path: str | os.PathLike[str] | None = None,
    joints: str | Iterable[str] | None = None,
) -> Any:
    """Panels over time of what is named, or of all that has something to show. Angles are in degrees.

    `what` may be "coordinates", "speeds", "accelerations", "torques", "friction", "multipliers", "reactions" (the size of each
    joint's force and moment), "energy", "balance" (the change of energy less all work: the error of the run) and "drift".
    """
    file = writable(path)
    shown = panels(motion, (what,) if isinstance(what, str) else what, joints)
    with styled():
        return written(_figure(motion, shown), file)


def _figure(motion: Motion, shown: list[Panel]) -> Any:
    from lagrangian.pictures.figure import Picture

    columns = 1 if len(shown) <= 3 else 2
    rows = math.ceil(len(shown) / columns)
    width = ONE_COLUMN if columns == 1 else TWO_COLUMNS
    shared = _shared(motion, shown)
    tall = HEIGHT * 1.35 if len(shown) == 1 else HEIGHT
    figure = Picture(figsize=(width, tall * rows + 0.75 + (0.0 if shared else 0.2 * rows)), layout="constrained")
    grid = figure.subplots(rows, columns, squeeze=False, sharex=True)
    span = (float(motion.t[0]), float(motion.t[-1]))
    inner = width / columns - 0.75
    for k, panel in enumerate(shown):
        axes = grid[k // columns, k % columns]
        event_marks.mark(axes, motion.events)
        above = event_marks.label(axes, motion.events, span, inner) if k == 0 else 0.0
        _panel(axes, motion.t, panel, shared, inner, above)
        if k + columns >= len(shown):  # the lowest of its column
            axes.set_xlabel("time [s]")
            axes.tick_params(labelbottom=True)
    for axes in list(grid.flat)[len(shown) :]:
        axes.remove()
    if span[1] > span[0]:
        grid[0, 0].set_xlim(*span)
    figure.suptitle(_title(motion), x=0.01, ha="left")
    if shared:
        handles = [_line(**style) for style in shared.values()]
        ncols = _columns(list(shared), width - 0.4)
        figure.legend(handles, list(shared), loc="outside upper left", ncols=ncols)
    return figure


def _title(motion: Motion) -> str:
    return motion.name if motion.success or not motion.message else f"{motion.name}: {motion.message}"


def _shared(motion: Motion, shown: list[Panel]) -> dict[str, dict[str, Any]]:
    """One legend for all panels of joints, where few names serve for coordinates and speeds alike; the style of each name."""
    of_joints = [p for p in shown if p.of_joints]
    names = list(dict.fromkeys(name for p in of_joints for name in p.names))
    order = {name: k for k, name in enumerate(motion.coordinate_names)}
    if len(of_joints) < 2 or not 1 < len(names) <= SEVERAL or any(name not in order for name in names):
        return {}
    names.sort(key=order.__getitem__)
    return {name: curve(k) for k, name in enumerate(names)}


def _panel(axes: Any, t: np.ndarray, panel: Panel, shared: dict[str, dict[str, Any]], width: float, above: float) -> None:
    many = len(panel.names)
    picked = range(many) if many <= MOST else [round(k) for k in np.linspace(0, many - 1, MOST)]
    styles = _styles(panel, shared)
    single: dict[str, Any] = {"marker": "o"} if len(t) == 1 else {}
    for k in picked:
        axes.plot(t, panel.values[:, k], label=panel.names[k], **styles[k], **single)
    if panel.log:
        axes.set_yscale("log", nonpositive="mask")
    axes.set_ylabel(f"{panel.label} [{panel.unit}]")
    axes.margins(x=0.0)
    if not (shared and panel.of_joints) and panel.what != "balance":
        _legend(axes, panel, styles, len(picked), width, above)


def _styles(panel: Panel, shared: dict[str, dict[str, Any]]) -> list[dict[str, Any]]:
    if panel.what == "energy":
        return [_ENERGIES.get(name, {"color": GREY, "linestyle": DASHES[3]}) for name in panel.names]
    if panel.of_joints and shared:
        return [shared[name] for name in panel.names]
    if not panel.groups:
        return [curve(k, len(panel.names)) for k in range(len(panel.names))]
    if len(panel.names) <= SEVERAL and len(set(panel.groups)) == 1:
        return [curve(k) for k in range(len(panel.names))]
    # a colour for each constraint, a line style for each of its parts
    groups, parts = list(dict.fromkeys(panel.groups)), list(dict.fromkeys(panel.parts))
    return [
        {**curve(groups.index(g), len(groups)), "linestyle": DASHES[parts.index(p) % len(DASHES)]}
        for g, p in zip(panel.groups, panel.parts, strict=True)
    ]


def _legend(axes: Any, panel: Panel, styles: list[dict[str, Any]], drawn: int, width: float, above: float) -> None:
    """Above the panel. Of many curves it names some, and how many there are."""
    entries: list[tuple[dict[str, Any], str]]
    if len(panel.names) == 1 and not panel.of_joints and panel.what != "multipliers":
        return
    if len(panel.names) <= SEVERAL:
        entries = list(zip(styles, panel.names, strict=True))
    elif panel.groups and len(set(panel.groups)) < len(panel.names):
        groups = list(dict.fromkeys(panel.groups))
        entries = _some([(curve(k, len(groups)) | {"linestyle": "-"}, name) for k, name in enumerate(groups)], len(groups))
        parts = list(dict.fromkeys(panel.parts))
        entries += [({"color": GREY, "linestyle": DASHES[k % len(DASHES)]}, part) for k, part in enumerate(parts) if part]
    else:
        entries = _some(list(zip(styles, panel.names, strict=True)), drawn)
    from matplotlib.transforms import ScaledTranslation

    lifted = axes.transAxes + ScaledTranslation(0.0, (above + 2.0) / 72, axes.figure.dpi_scale_trans)
    axes.legend(
        [_line(**style) for style, _ in entries],
        [name for _, name in entries],
        loc="lower left",
        bbox_to_anchor=(0.0, 1.0),
        bbox_transform=lifted,
        ncols=_columns([name for _, name in entries], width),
    )


def _some(entries: list[tuple[dict[str, Any], str]], drawn: int) -> list[tuple[dict[str, Any], str]]:
    """All of few; of many the first, the last and some between, with a note of how many there are."""
    n = len(entries)
    if n <= SEVERAL:
        return entries
    note = f"{n} in this order" if drawn == n else f"{n} in this order, {drawn} drawn"
    return [*(entries[round(k)] for k in np.linspace(0, n - 1, 4)), ({"color": "none", "linestyle": "none"}, note)]


def _columns(names: list[str], width: float) -> int:
    """As many legend entries beside each other as fit, and no last line that is nearly empty."""
    fit = max(1, int(width / (LETTER * max(map(len, names)) + 0.55)))
    return math.ceil(len(names) / math.ceil(len(names) / fit))


def _line(**style: Any) -> Any:
    from matplotlib.lines import Line2D

    return Line2D([], [], **style)
