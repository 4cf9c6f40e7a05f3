"""A mechanism as sticks in some configurations, with curves and marked places, in a plane or in space."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from lagrangian.kernels.dynamics import Dynamics
from lagrangian.pictures import legends
from lagrangian.pictures.frame_path import flat, space
from lagrangian.pictures.sticks import BODIES, sticks
from lagrangian.pictures.style import BLACK, GREY, curve, power_of_ten

CUSP: dict[str, Any] = {"color": BLACK, "marker": "D", "markersize": 4.5, "linestyle": "none"}
DOUBLE: dict[str, Any] = {
    "markerfacecolor": "white", "markeredgecolor": BLACK, "marker": "o", "markersize": 5.5, "linestyle": "none",
}  # fmt: skip


@dataclass(frozen=True, eq=False)
class Stand:
    """A configuration of the mechanism, the look of its sticks, and what a legend calls it."""

    q: np.ndarray
    name: str = ""
    look: Mapping[str, Any] = field(default_factory=lambda: {"color": GREY})


@dataclass(frozen=True, eq=False)
class View:
    """What is drawn: configurations, curves by their names, and marked places by their names."""

    dyn: Dynamics
    stands: Sequence[Stand]
    curves: Mapping[str, np.ndarray] = field(default_factory=dict)
    marks: Sequence[tuple[str, np.ndarray, Mapping[str, Any]]] = ()

    @property
    def sticks(self) -> np.ndarray:
        """(configurations, sticks, 2, 3), none of mechanisms with many bodies."""
        if len(self.dyn.mechanism.bodies) > BODIES or not self.stands:
            return np.zeros((len(self.stands), 0, 2, 3))
        return sticks(self.dyn, np.array([s.q for s in self.stands]))

    def extent(self) -> np.ndarray:
        """All points that are drawn."""
        return np.vstack(
            [*self.curves.values(), *(p for _, p, _ in self.marks if len(p)), self.sticks.reshape(-1, 3), np.zeros((0, 3))]
        )

    @property
    def seen(self) -> tuple[int, int] | None:
        """The plane of two axes that everything lies in."""
        points = self.extent()
        return flat(points) if len(points) else (0, 1)

    def entries(self) -> list[legends.Entry]:
        """Of a legend."""
        found: list[legends.Entry] = [(curve(k), name) for k, name in enumerate(self.curves)]
        found += [(dict(look), name) for name, points, look in self.marks if len(points)]
        return found + [({"linewidth": 2.0, **s.look}, s.name) for s in self.stands if s.name]

    def draw(self, figure: Any, place: Any) -> Any:
        """The axes, in a place of a figure's grid."""
        seen, everything = self.seen, self.extent()
        axes: Any = figure.add_subplot(place, projection=None if seen is not None else "3d")
        at = list(seen) if seen is not None else [0, 1, 2]
        for ends, stand in zip(self.sticks, self.stands, strict=True):
            for stick in ends:
                axes.plot(*stick[:, at].T, zorder=2, **{"linewidth": 2.0, **stand.look})
                axes.plot(
                    *stick[:, at].T,
                    linestyle="none",
                    marker="o",
                    markersize=3.5,
                    markeredgewidth=0,
                    zorder=2,
                    color=stand.look["color"],
                )
        for k, points in enumerate(self.curves.values()):
            axes.plot(*points[:, at].T, zorder=3, **curve(k))
        for _, points, look in self.marks:
            if len(points):
                axes.plot(*points[:, at].T, zorder=4, **look)
        for letter, k in zip("xyz", at, strict=False):
            power = power_of_ten(getattr(axes, f"{letter}axis"), everything[:, at])
            getattr(axes, f"set_{letter}label")(f"{'xyz'[k]} [{power}m]")
        if seen is None:
            space(axes, everything.min(axis=0), everything.max(axis=0), 0.85)
        else:
            axes.set_aspect("equal", adjustable="box", anchor="C")
            axes.margins(0.06)
        return axes
