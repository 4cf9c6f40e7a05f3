"""Motions over time: coordinates, speeds, forces, energies and errors, each unit in a panel of its own."""

from __future__ import annotations

import math
import os
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from lagrangian.motion.motion import Motion
from lagrangian.pictures import event_marks, legends, limit_marks, style
from lagrangian.pictures.overlaid import Looks, Shared, events_of, motions_of, shared
from lagrangian.pictures.panel_axes import Axis, of_all_joints

ONE_COLUMN, TWO_COLUMNS, HEIGHT = 6.8, 10.0, 2.0  # in


def motion_plot(
    motion: Motion,
    what: Sequence[str] = (),
    path: str | os.PathLike[str] | None = None,
    joints: str | Iterable[str] | None = None,
    frames: str | Iterable[str] | None = None,
    angles: str = "degrees",
    scale: str = "auto",
    others: Mapping[str, Motion] | None = None,
    label: str | None = None,
) -> Any:
    """Panels over time of what is named, or of all that has something to show.

    `what` may be "coordinates", "speeds", "accelerations", "torques", "friction", "multipliers", "reactions" (the size of each
    joint's force and moment), "energy", "balance" (the change of energy less all work: the error of the run), "drift", and the
    name of a frame or body, whose x, y and z are plotted; "positions" are those of the frames in `frames`, or of all. `joints`
    picks coordinates and speeds by their joints' names or their own. `angles` are in "degrees" or "radians". `scale` is that of
    multipliers and reactions: "linear", "log" (of their sizes), or "auto", which shows forces of both signs over orders of
    magnitude where they grow by as many. `others` are motions drawn over this one, by their labels, and `label` is this one's.
    """
    file = style.writable(path)
    motions = motions_of(motion, others, label)
    named = (what,) if isinstance(what, str) else tuple(what)
    shown = shared(motions.values(), named, joints, frames=frames, angles=angles, scale=scale)
    with style.styled():
        return style.written(_figure(motions, shown), file)


def _figure(motions: dict[str, Motion], shown: list[Shared]) -> Any:
    from lagrangian.pictures.figure import Picture

    first = next(iter(motions.values()))
    looks = Looks(tuple(motions), shown) if len(motions) > 1 else None
    axes_of = [Axis(one, looks) for one in shown]
    of_joints = of_all_joints(axes_of, first.coordinate_names, looks)
    entries: list[legends.Entry] = [(how, name) for name, how in of_joints.items()]
    entries += looks.legend() if looks else []
    entries += limit_marks.legend([axis.limits for axis in axes_of])
    columns = 1 if len(shown) <= 3 else 2
    rows = math.ceil(len(shown) / columns)
    width = ONE_COLUMN if columns == 1 else TWO_COLUMNS
    top = 0.34 + legends.height([name for _, name in entries], width - 0.3)
    tall = HEIGHT * (1.4 if len(shown) == 1 else 1.0)
    figure = Picture(figsize=(width, tall * rows + top + 0.25), layout="constrained")
    grid = figure.add_gridspec(rows, columns)
    span = (min(float(m.t[0]) for m in motions.values()), max(float(m.t[-1]) for m in motions.values()))
    inner = width / columns - 0.8
    events = events_of(motions)
    left: Any = None
    for k, axis in enumerate(axes_of):
        row, column = divmod(k, columns)
        alone = k == len(shown) - 1 and column == 0  # the last of an odd number takes the width of two
        axes = figure.add_subplot(grid[row, :] if alone else grid[row, column], sharex=left)
        left = left or axes
        event_marks.mark(axes, events)
        points = event_marks.label(axes, events, span, inner) if k == 0 else 0.0
        axis.draw(axes, of_joints, inner, points)
        lowest = row == rows - 1
        above_wide = row == rows - 2 and len(shown) % columns  # the wide one's ticks are not those of this one
        axes.tick_params(labelbottom=bool(lowest or above_wide))
        if lowest:
            axes.set_xlabel(f"time [{style.power_of_ten(axes.xaxis, np.array(span))}s]")
    if span[1] > span[0]:
        left.set_xlim(*span)
    legends.header(figure, _title(motions), _remark(motions), entries, top)
    return figure


def _title(motions: Mapping[str, Motion]) -> str:
    return ", ".join(dict.fromkeys(motion.name for motion in motions.values()))


def _remark(motions: Mapping[str, Motion]) -> str:
    """How runs ended that did not end as they should."""
    if len(motions) == 1:
        (motion,) = motions.values()
        return "" if motion.success else motion.message
    return "; ".join(f"{label}: {motion.message}" for label, motion in motions.items() if not motion.success)
