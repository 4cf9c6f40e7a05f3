"""One axis of a figure of motions: its curves, their limits, its scale, its label and its legend."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from lagrangian.pictures import legends, limit_marks, style
from lagrangian.pictures.chosen import Panel
from lagrangian.pictures.overlaid import Looks, Shared
from lagrangian.pictures.quantities import WORKS
from lagrangian.pictures.style import BLACK, BLUE, DASHES, GREEN, GREY, MOST, ORANGE, PURPLE, RED, SEVERAL, SKY, curve

Look = dict[str, Any]
_ENERGIES: dict[str, Look] = {
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


class Axis:
    """What is drawn on one axis: curves of one motion, or of several by their `looks`."""

    def __init__(self, shown: Shared, looks: Looks | None) -> None:
        self.shown, self.looks = shown, looks
        self.panel = shown.first
        self.names = shown.names
        many = len(self.names)
        picked = range(many) if many <= MOST else [round(k) for k in np.linspace(0, many - 1, MOST)]
        drawn = {self.names[k] for k in picked}
        self.curves = [
            (motion, panel, k) for motion, panel in shown.panels.items() for k, name in enumerate(panel.names) if name in drawn
        ]
        self.limits = limit_marks.Limits(
            [
                limit_marks.Curve(panel.t, panel.values[:, k], (float(panel.limits[k][0]), float(panel.limits[k][1])))
                for _, panel, k in self.curves
                if panel.limits is not None
            ]
        )

    def draw(self, axes: Any, of_joints: dict[str, Look], width: float, points: float) -> None:
        """`of_joints` has the looks that coordinates and speeds have in all panels, if they have one legend."""
        styles = [self._look(motion, panel, k, of_joints) for motion, panel, k in self.curves]
        for (_, panel, k), look in zip(self.curves, styles, strict=True):
            single: Look = {"marker": "o"} if len(panel.t) == 1 else {}
            axes.plot(panel.t, panel.values[:, k], label=panel.names[k], **look, **single)
        values = np.concatenate([panel.values[:, k] for _, panel, k in self.curves])
        power = ""
        if not np.any(values):
            _nothing(axes)
        elif self.shown.scale == "log":
            axes.set_yscale("log", nonpositive="mask")
            style.log_labels(axes.yaxis)
        elif self.shown.scale == "symlog":
            style.symmetric_log(axes, values)
        else:
            power = style.power_of_ten(axes.yaxis, values)
            style.steady(axes, np.append(values, list(self.limits.seen)))
        self.limits.draw(axes, [look["color"] for look in styles])
        axes.set_ylabel(f"{self.panel.label} [{power}{self.panel.unit}]")
        if not (of_joints and self.panel.of_joints) and self.panel.what != "balance":
            self._legend(axes, styles, width, points)

    def _look(self, motion: int, panel: Panel, k: int, of_joints: dict[str, Look]) -> Look:
        """Of a curve."""
        name = panel.names[k]
        if self.looks is not None:
            names = list(of_joints) if panel.of_joints and of_joints else self.names
            return self._colored(self.looks.of(motion, names.index(name), len(names)), name)
        if panel.what == "energy":
            return _ENERGIES.get(name, {"color": GREY, "linestyle": DASHES[3]})
        if panel.what in ("balance", "drift"):  # noise: thin, and without dashes
            return {"color": (BLUE, ORANGE)[k], "linewidth": 0.9}
        if panel.of_joints and of_joints:
            return of_joints[name]
        if not panel.groups or len(set(panel.groups)) == 1:
            return curve(k, len(panel.names))
        # a colour for each constraint, a line style for each of its parts
        groups, parts = list(dict.fromkeys(panel.groups)), list(dict.fromkeys(panel.parts))
        dashes = DASHES[parts.index(panel.parts[k]) % len(DASHES)]
        return curve(groups.index(panel.groups[k]), len(groups)) | {"linestyle": dashes}

    def _legend(self, axes: Any, styles: list[Look], width: float, points: float) -> None:
        """Of the names on this axis; of few, if there are many."""
        panel = self.panel
        groups, parts = list(dict.fromkeys(panel.groups)), list(dict.fromkeys(panel.parts))
        drawn = len({panel.names[k] for _, panel, k in self.curves})
        if self.looks is not None:
            looks = self.looks
            entries = [(self._colored(looks.of_name(k, len(self.names)), name), name) for k, name in enumerate(self.names)]
            if not looks.by_dashes and len(entries) == 1:  # a name without a look of its own
                entries = [({"color": "none", "linestyle": "none"}, name) for _, name in entries]
            entries = legends.some(entries, drawn)
        elif len(self.names) > SEVERAL and len(groups) > 1:
            entries = [(curve(k, len(groups)) | {"linestyle": "-"}, name) for k, name in enumerate(groups)]
            entries = legends.some(entries, len(groups))
            entries += [({"color": GREY, "linestyle": DASHES[k % len(DASHES)]}, part) for k, part in enumerate(parts) if part]
        else:
            every = styles if drawn == len(self.names) else [self._look(0, panel, k, {}) for k in range(len(panel.names))]
            entries = legends.some(list(zip(every, panel.names, strict=True)), drawn)
        legends.above(axes, entries, width, points)

    def _colored(self, look: Look, name: str) -> Look:
        """Energies have their own colours, where colours are of names."""
        own = _ENERGIES.get(name) if self.panel.what == "energy" and self.looks is not None and self.looks.by_dashes else None
        return look if own is None else look | {"color": own["color"]}


def of_all_joints(shown: Sequence[Axis], order: Sequence[str], looks: Looks | None) -> dict[str, Look]:
    """One legend for all panels of joints, where few names serve for coordinates and speeds alike; the look of each name."""
    of_joints = [axis for axis in shown if axis.panel.of_joints]
    names = list(dict.fromkeys(name for axis in of_joints for name in axis.names))
    if len(of_joints) < 2 or len(names) > SEVERAL or any(name not in order for name in names):
        return {}
    names.sort(key=list(order).index)
    return {name: curve(k) if looks is None else looks.of_name(k, len(names)) for k, name in enumerate(names)}


def _nothing(axes: Any) -> None:
    """Curves that are zero throughout: said in words, on an axis that pretends to no scale."""
    axes.set_ylim(-1.0, 1.0)
    axes.set_yticks([0.0])
    axes.text(0.5, 0.62, "all zero", transform=axes.transAxes, ha="center", va="center", color=GREY)
