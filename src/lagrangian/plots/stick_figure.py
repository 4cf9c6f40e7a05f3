"""A mechanism as sticks in some configurations, with curves and marked places, in a plane or in space."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from lagrangian.kernels.dynamics import Dynamics
from lagrangian.plots import legends
from lagrangian.plots.frame_path import common_plane, set_up_space_axes
from lagrangian.plots.sticks import MAX_BODIES, stick_segments
from lagrangian.plots.style import BLACK, GREY, curve_style, extract_power_of_ten

CUSP: dict[str, Any] = {"color": BLACK, "marker": "D", "markersize": 4.5, "linestyle": "none"}
DOUBLE: dict[str, Any] = {
    "markerfacecolor": "white", "markeredgecolor": BLACK, "marker": "o", "markersize": 5.5, "linestyle": "none",
}  # fmt: skip


@dataclass(frozen=True, eq=False)
class DrawnConfiguration:
    """A configuration of the mechanism, the look of its sticks, and what a legend calls it."""

    q: np.ndarray
    name: str = ""
    line_style: Mapping[str, Any] = field(default_factory=lambda: {"color": GREY})


@dataclass(frozen=True, eq=False)
class LinkageView:
    """A drawing of a linkage: configurations, curves by their names, and marked points by their names."""

    dyn: Dynamics
    configurations: Sequence[DrawnConfiguration]
    curves: Mapping[str, np.ndarray] = field(default_factory=dict)
    marks: Sequence[tuple[str, np.ndarray, Mapping[str, Any]]] = ()

    @property
    def sticks(self) -> np.ndarray:
        """The ends of all sticks, (configurations, sticks, 2, 3); mechanisms with many bodies have none."""
        if len(self.dyn.mechanism.bodies) > MAX_BODIES or not self.configurations:
            return np.zeros((len(self.configurations), 0, 2, 3))
        return stick_segments(self.dyn, np.array([s.q for s in self.configurations]))

    def all_points(self) -> np.ndarray:
        """All points that are drawn."""
        return np.vstack(
            [*self.curves.values(), *(p for _, p, _ in self.marks if len(p)), self.sticks.reshape(-1, 3), np.zeros((0, 3))]
        )

    @property
    def plane_axes(self) -> tuple[int, int] | None:
        """The plane of two of the world's axes in which everything lies, if there is one."""
        points = self.all_points()
        return common_plane(points) if len(points) else (0, 1)

    def legend_entries(self) -> list[legends.LegendEntry]:
        """Legend entries for curves, marks and configurations."""
        entries: list[legends.LegendEntry] = [(curve_style(k), name) for k, name in enumerate(self.curves)]
        entries += [(dict(marker_style), name) for name, points, marker_style in self.marks if len(points)]
        return entries + [({"linewidth": 2.0, **s.line_style}, s.name) for s in self.configurations if s.name]

    def draw(self, figure: Any, place: Any) -> Any:
        """Draw everything on new axes in one cell of a figure's grid."""
        plane_axes, all_points = self.plane_axes, self.all_points()
        axes: Any = figure.add_subplot(place, projection=None if plane_axes is not None else "3d")
        axes_shown = list(plane_axes) if plane_axes is not None else [0, 1, 2]
        for segments, configuration in zip(self.sticks, self.configurations, strict=True):
            for stick in segments:
                axes.plot(*stick[:, axes_shown].T, zorder=2, **{"linewidth": 2.0, **configuration.line_style})
                axes.plot(
                    *stick[:, axes_shown].T,
                    linestyle="none",
                    marker="o",
                    markersize=3.5,
                    markeredgewidth=0,
                    zorder=2,
                    color=configuration.line_style["color"],
                )
        for k, points in enumerate(self.curves.values()):
            axes.plot(*points[:, axes_shown].T, zorder=3, **curve_style(k))
        for _, points, marker_style in self.marks:
            if len(points):
                axes.plot(*points[:, axes_shown].T, zorder=4, **marker_style)
        for letter, k in zip("xyz", axes_shown, strict=False):
            power = extract_power_of_ten(getattr(axes, f"{letter}axis"), all_points[:, axes_shown])
            getattr(axes, f"set_{letter}label")(f"{'xyz'[k]} [{power}m]")
        if plane_axes is None:
            set_up_space_axes(axes, all_points.min(axis=0), all_points.max(axis=0), 0.85)
        else:
            axes.set_aspect("equal", adjustable="box", anchor="C")
            axes.margins(0.06)
        return axes
