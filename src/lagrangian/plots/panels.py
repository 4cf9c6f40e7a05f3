"""One axis of a figure of motions: its curves, scale, label and legend, with marks for limits and events.

A limit is a dashed line where it is in sight. What is beyond a limit is shaded, and curves are marked there. An event is a thin
line, and the labels of events above the panel do not overlap.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from lagrangian.motion.events import Happening
from lagrangian.motion.result.over_limits import BEYOND
from lagrangian.plots import style
from lagrangian.plots.legends import draw_legend_above, shorten_entries
from lagrangian.plots.overlaid import CurveLooks, SharedAxis
from lagrangian.plots.quantities import WORK_LABELS, CurvePanel
from lagrangian.plots.style import (
    BLACK,
    BLUE,
    DASHES,
    GREEN,
    GREY,
    MAX_CURVES,
    MAX_NAMED_CURVES,
    ORANGE,
    PURPLE,
    RED,
    SKY,
    curve_style,
    escape_label,
)

Look = dict[str, Any]
_ENERGY_LOOKS: dict[str, Look] = {
    "kinetic": {"color": ORANGE, "linestyle": "-"},
    "potential − min": {"color": BLUE, "linestyle": DASHES[1]},
    "total": {"color": BLACK, "linestyle": "-"},
    WORK_LABELS["torque"]: {"color": GREEN, "linestyle": DASHES[2]},
    WORK_LABELS["friction"]: {"color": RED, "linestyle": DASHES[2]},
    WORK_LABELS["wrenches"]: {"color": SKY, "linestyle": DASHES[2]},
    WORK_LABELS["constraints"]: {"color": GREY, "linestyle": DASHES[2]},
    WORK_LABELS["impacts"]: {"color": PURPLE, "linestyle": DASHES[3]},
    WORK_LABELS["payloads"]: {"color": GREEN, "linestyle": DASHES[3]},
    WORK_LABELS["parameters"]: {"color": SKY, "linestyle": DASHES[3]},
}
LIMIT_LINE: dict[str, Any] = {"linestyle": (0, (7, 3)), "linewidth": 0.9}
EXCESS_LINE: dict[str, Any] = {"color": RED, "linewidth": 4.5, "alpha": 0.4, "linestyle": "-"}
MAX_LIMIT_DISTANCE = 0.6  # of the height of what is drawn: a limit that is farther away would make the curves small
MAX_EVENT_LABELS = 6  # most that are written
MAX_EVENT_LABEL_LENGTH = 40  # letters of a label
EVENT_LETTER_WIDTH = 0.062  # in, the mean width of one
EVENT_LINE_POINTS = 10.0  # points from one line of labels to the next


class PanelAxis:
    """What is drawn on one axis: curves of one motion, or of several with their `overlay_looks`."""

    def __init__(self, shared: SharedAxis, overlay_looks: CurveLooks | None) -> None:
        self.shared, self.overlay_looks = shared, overlay_looks
        self.panel = shared.first_panel
        self.names = shared.names
        name_count = len(self.names)
        drawn_names = {self.names[round(k)] for k in np.linspace(0, name_count - 1, min(name_count, MAX_CURVES))}
        self.curves = [
            (motion_index, panel, k)
            for motion_index, panel in shared.panels.items()
            for k, name in enumerate(panel.names)
            if name in drawn_names
        ]
        self.limits = LimitMarks(
            [
                LimitedCurve(panel.t, panel.values[:, k], (float(panel.limits[k][0]), float(panel.limits[k][1])))
                for _, panel, k in self.curves
                if panel.limits is not None
            ]
        )

    def draw(self, axes: Any, joint_looks: dict[str, Look], width: float, offset_points: float) -> None:
        """Draw the curves, and a legend `offset_points` points above them.

        `joint_looks` has the looks of coordinates and speeds in all panels, if one legend names them.
        """
        curve_looks = [self._curve_look(motion_index, panel, k, joint_looks) for motion_index, panel, k in self.curves]
        for (_, panel, k), look in zip(self.curves, curve_looks, strict=True):
            marker_style: Look = {"marker": "o"} if len(panel.t) == 1 else {}
            axes.plot(panel.t, panel.values[:, k], label=panel.names[k], **look, **marker_style)
        values = np.concatenate([panel.values[:, k] for _, panel, k in self.curves])
        power_of_ten = ""
        if not np.any(values):
            _draw_all_zero(axes)
        elif self.shared.scale == "log":
            axes.set_yscale("log", nonpositive="mask")
            style.set_log_labels(axes.yaxis)
        elif self.shared.scale == "symlog":
            style.set_symmetric_log(axes, values)
        else:
            power_of_ten = style.extract_power_of_ten(axes.yaxis, values)
            style.widen_constant_axis(axes, np.append(values, list(self.limits.visible_limits)))
        self.limits.draw(axes, [look["color"] for look in curve_looks])
        axes.set_ylabel(f"{self.panel.label} [{power_of_ten}{self.panel.unit}]")
        if not (joint_looks and self.panel.named_by_joint) and self.panel.quantity != "balance":
            self._draw_legend(axes, curve_looks, width, offset_points)

    def _curve_look(self, motion_index: int, panel: CurvePanel, k: int, joint_looks: dict[str, Look]) -> Look:
        """The look of the curve of one name in one motion."""
        name = panel.names[k]
        if self.overlay_looks is not None:
            names = list(joint_looks) if panel.named_by_joint and joint_looks else self.names
            return self._with_energy_colour(self.overlay_looks.curve_look(motion_index, names.index(name), len(names)), name)
        if panel.quantity == "energy":
            return _ENERGY_LOOKS.get(name, {"color": GREY, "linestyle": DASHES[3]})
        if panel.quantity in ("balance", "drift"):  # noise: thin, and without dashes
            return {"color": (BLUE, ORANGE)[k], "linewidth": 0.9}
        if panel.named_by_joint and joint_looks:
            return joint_looks[name]
        if not panel.groups or len(set(panel.groups)) == 1:
            return curve_style(k, len(panel.names))
        # a colour for each constraint, a line style for each of its parts
        groups, parts = list(dict.fromkeys(panel.groups)), list(dict.fromkeys(panel.parts))
        dashes = DASHES[parts.index(panel.parts[k]) % len(DASHES)]
        return curve_style(groups.index(panel.groups[k]), len(groups)) | {"linestyle": dashes}

    def _draw_legend(self, axes: Any, curve_looks: list[Look], width: float, offset_points: float) -> None:
        """Draw a legend of the names on this axis; of many names it has a few."""
        panel = self.panel
        groups, parts = list(dict.fromkeys(panel.groups)), list(dict.fromkeys(panel.parts))
        drawn_count = len({panel.names[k] for _, panel, k in self.curves})
        if self.overlay_looks is not None:
            overlay_looks = self.overlay_looks
            entries = [
                (self._with_energy_colour(overlay_looks.name_look(k, len(self.names)), name), name)
                for k, name in enumerate(self.names)
            ]
            if not overlay_looks.by_dashes and len(entries) == 1:  # a name without a look of its own
                entries = [({"color": "none", "linestyle": "none"}, name) for _, name in entries]
            entries = shorten_entries(entries, drawn_count)
        elif len(self.names) > MAX_NAMED_CURVES and len(groups) > 1:
            entries = [(curve_style(k, len(groups)) | {"linestyle": "-"}, name) for k, name in enumerate(groups)]
            entries = shorten_entries(entries, len(groups))
            entries += [({"color": GREY, "linestyle": DASHES[k % len(DASHES)]}, part) for k, part in enumerate(parts) if part]
        else:
            all_looks = (
                curve_looks
                if drawn_count == len(self.names)
                else [self._curve_look(0, panel, k, {}) for k in range(len(panel.names))]
            )
            entries = shorten_entries(list(zip(all_looks, panel.names, strict=True)), drawn_count)
        draw_legend_above(axes, entries, width, offset_points)

    def _with_energy_colour(self, look: Look, name: str) -> Look:
        """Energies have colours of their own where colours tell names apart."""
        energy_look = (
            _ENERGY_LOOKS.get(name)
            if self.panel.quantity == "energy" and self.overlay_looks is not None and self.overlay_looks.by_dashes
            else None
        )
        return look if energy_look is None else look | {"color": energy_look["color"]}


def common_joint_looks(
    panel_axes: Sequence[PanelAxis], joint_order: Sequence[str], overlay_looks: CurveLooks | None
) -> dict[str, Look]:
    """The look of each joint's name if one legend serves all panels of joints; that is so where the names are few."""
    joint_axes = [axis for axis in panel_axes if axis.panel.named_by_joint]
    names = list(dict.fromkeys(name for axis in joint_axes for name in axis.names))
    if len(joint_axes) < 2 or len(names) > MAX_NAMED_CURVES or any(name not in joint_order for name in names):
        return {}
    names.sort(key=list(joint_order).index)
    return {
        name: curve_style(k) if overlay_looks is None else overlay_looks.name_look(k, len(names)) for k, name in enumerate(names)
    }


class LimitMarks:
    """The limits of the curves of one axis: those that are in sight, each with the indices of its curves."""

    def __init__(self, curves: Sequence[LimitedCurve]) -> None:
        self.curves = curves
        self.visible_limits: dict[float, list[int]] = {}
        values = np.concatenate([curve.y[np.isfinite(curve.y)] for curve in curves]) if curves else np.zeros(0)
        low, high = float(values.min(initial=np.inf)), float(values.max(initial=-np.inf))
        margin = MAX_LIMIT_DISTANCE * (high - low) if high > low else 0.05 * abs(high)
        for k, curve in enumerate(curves):
            for limit in dict.fromkeys(curve.limits):
                if np.isfinite(limit) and (low - margin <= limit <= high + margin or limit in dict(curve.excursions())):
                    self.visible_limits.setdefault(limit, []).append(k)
        self.any_exceeded = any(dict(curve.excursions()) for curve in curves)

    def draw(self, axes: Any, colours: Sequence[Any]) -> None:
        """Draw the limits on the axis of these curves, which have these colours."""
        for curve in self.curves:
            for _, y in curve.excursions():
                axes.plot(curve.t, y, zorder=1.9, solid_capstyle="butt", **EXCESS_LINE)
        for limit, curve_indices in self.visible_limits.items():
            distinct_colours = {str(colours[k]) for k in curve_indices}
            axes.axhline(limit, color=colours[curve_indices[0]] if len(distinct_colours) == 1 else GREY, zorder=1.8, **LIMIT_LINE)
        bottom, top = axes.get_ylim()
        for limit, curve_indices in self.visible_limits.items():
            if len(curve_indices) == len(self.curves):  # it holds for all of them
                forbidden_range = (bottom, limit) if limit == self.curves[curve_indices[0]].limits[0] else (limit, top)
                axes.axhspan(*forbidden_range, color=RED, alpha=0.09, linewidth=0, zorder=0.5)
        axes.set_ylim(bottom, top)


@dataclass(frozen=True, eq=False)
class LimitedCurve:
    """A curve over time with its lower and upper limit; a limit that does not exist is infinite."""

    t: np.ndarray
    y: np.ndarray
    limits: tuple[float, float]

    def excursions(self) -> Iterator[tuple[float, np.ndarray]]:
        """Each limit that the curve passes, with the curve beyond it: on the limit just before and after, NaN elsewhere."""
        for limit, sign in zip(self.limits, (-1, 1), strict=True):
            is_beyond = sign * (self.y - limit) > BEYOND * abs(limit) if np.isfinite(limit) else np.zeros(len(self.y), dtype=bool)
            if is_beyond.any():
                widened = is_beyond.copy()
                widened[1:] |= is_beyond[:-1]
                widened[:-1] |= is_beyond[1:]
                yield limit, np.where(widened, np.where(is_beyond, self.y, limit), np.nan)


def limit_legend_entries(limit_marks: Sequence[LimitMarks]) -> list[tuple[dict[str, Any], str]]:
    """Legend entries for the limits and for what is beyond them, if there are any."""
    entries: list[tuple[dict[str, Any], str]] = []
    entries += [({"color": GREY, **LIMIT_LINE}, "limit")] if any(marks.visible_limits for marks in limit_marks) else []
    return [*entries, (EXCESS_LINE, "beyond its limit")] if any(marks.any_exceeded for marks in limit_marks) else entries


def draw_event_lines(axes: Any, events: Sequence[Happening]) -> None:
    """Draw a thin line at the time of each event."""
    for t in sorted({event.t for event in events}):
        axes.axvline(t, color=GREY, linewidth=0.7, linestyle=(0, (2, 2)), zorder=1.5)


def draw_event_labels(axes: Any, events: Sequence[Happening], span: tuple[float, float], width: float) -> float:
    """Draw the names above a panel that is `width` inches wide; return the height they take, in points.

    What happens several times is named where it first does.
    """
    times_by_name: dict[str, list[float]] = {}
    for event in sorted(events, key=lambda e: e.t):
        times_by_name.setdefault(event.name, []).append(event.t)
    texts = [
        (times[0], escape_label(name, MAX_EVENT_LABEL_LENGTH) + (f" ({len(times)} times)" if len(times) > 1 else ""))
        for name, times in times_by_name.items()
    ]
    if len(texts) > MAX_EVENT_LABELS:
        texts = [
            *texts[: MAX_EVENT_LABELS - 1],
            (texts[MAX_EVENT_LABELS - 1][0], f"{len(texts) - MAX_EVENT_LABELS + 1} other events"),
        ]
    rows: list[list[tuple[float, float]]] = []
    duration = (span[1] - span[0]) or 1.0
    for t, text in reversed(texts):  # labels go to the right of their lines: a later label does not cover an earlier line
        position, text_width = width * (t - span[0]) / duration, EVENT_LETTER_WIDTH * len(text) + 0.12
        rightward = position + text_width <= width or position < width / 2
        extent = (position, position + text_width) if rightward else (position - text_width, position)
        free_rows = (k for k, extents in enumerate(rows) if all(extent[1] < left or extent[0] > right for left, right in extents))
        row = next(free_rows, len(rows))
        if row == len(rows):
            rows.append([])
        rows[row].append(extent)
        axes.annotate(
            text,
            (t, 1.0),
            (2.0 if rightward else -2.0, 3.0 + EVENT_LINE_POINTS * row),
            xycoords=("data", "axes fraction"),
            textcoords="offset points",
            ha="left" if rightward else "right",
            va="bottom",
            fontsize=7.5,
            color=GREY,
            annotation_clip=False,
            zorder=3,
            bbox={"facecolor": "white", "edgecolor": "none", "pad": 0.6},
        )
        axes.annotate(  # the line goes up to its label
            "",
            (t, 1.0),
            (0.0, 3.0 + EVENT_LINE_POINTS * (row + 0.85)),
            xycoords=("data", "axes fraction"),
            textcoords="offset points",
            arrowprops={"arrowstyle": "-", "color": GREY, "linewidth": 0.7, "linestyle": (0, (2, 2)), "shrinkA": 0, "shrinkB": 0},
            annotation_clip=False,
            zorder=2,
        )
    return 3.0 + EVENT_LINE_POINTS * len(rows) if rows else 0.0


def _draw_all_zero(axes: Any) -> None:
    """Write "all zero" on an axis without a scale, where all curves are zero."""
    axes.set_ylim(-1.0, 1.0)
    axes.set_yticks([0.0])
    axes.text(0.5, 0.62, "all zero", transform=axes.transAxes, ha="center", va="center", color=GREY)
