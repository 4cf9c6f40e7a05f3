"""Forces and torques as arrows in the live viewer, which are shown and hidden by their kind."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from lagrangian.viewer.scene.scene import Arrows, Colour, Track

COLORS: dict[str, Colour] = {
    "torques": (0.84, 0.37, 0.0),
    "reactions": (0.0, 0.45, 0.70),
    "constraints": (0.80, 0.47, 0.65),
    "wrenches": (0.0, 0.62, 0.45),
}


class LiveArrows:
    """The arrows of a track, in one set for each kind and unit."""

    def __init__(self, server: Any, track: Track) -> None:
        self.server, self.size = server, track.scene.size
        self.sets: dict[tuple[str, str], list[Arrows]] = {}
        for arrow in track.arrows:
            self.sets.setdefault((arrow.group, arrow.unit), []).append(arrow)
        self.shown: dict[tuple[str, str], bool] = dict.fromkeys(self.sets, False)
        self._drawn: dict[tuple[str, str], Any] = {}

    def panel(self, changed: Callable[[], None]) -> None:
        """Add a checkbox for each set."""
        if not self.sets:
            return
        with self.server.gui.add_folder("Forces"):
            for key, arrows in self.sets.items():
                group, unit = key
                long = _round_down(0.15 * self.size / arrows[0].scale) if arrows[0].scale > 0 else 1.0
                box = self.server.gui.add_checkbox(
                    f"{group.capitalize()} [{unit}]", False, hint=f"{long:g} {unit} is drawn {long * arrows[0].scale:.3g} m long"
                )

                def on_toggle(_: Any, key: tuple[str, str] = key, box: Any = box) -> None:
                    self.shown[key] = box.value
                    changed()

                box.on_update(on_toggle)

    def show(self, row: int, part: float) -> None:
        """Show the arrows at a row, or at a part of the way to the next."""
        for key, arrows in self.sets.items():
            if not self.shown[key]:
                if key in self._drawn:
                    self._drawn.pop(key).remove()
                continue
            after = min(row + 1, len(arrows[0].points) - 1)
            points = np.array([(1 - part) * a.points[row] + part * a.points[after] for a in arrows])
            vectors = np.array([a.scale * ((1 - part) * a.vectors[row] + part * a.vectors[after]) for a in arrows])
            ends = np.stack([points, points + vectors], axis=1).astype(np.float32)
            visible = np.linalg.norm(vectors, axis=1) > 1e-3 * self.size
            ends[~visible, 1] = ends[~visible, 0]
            if key in self._drawn:
                self._drawn[key].points = ends
            else:
                thick = 0.004 * self.size
                self._drawn[key] = self.server.scene.add_arrows(
                    f"/own/{key[0]} {key[1].replace(' ', '')}",
                    ends,
                    colors=COLORS.get(key[0], (0.3, 0.3, 0.3)),
                    shaft_radius=thick,
                    head_radius=2.6 * thick,
                    head_length=7 * thick,
                )


def _round_down(x: float) -> float:
    """The next lower number that is 1, 2 or 5 times a power of ten."""
    power = 10 ** np.floor(np.log10(x))
    return float(max(k for k in (1, 2, 5) if k * power <= x * (1 + 1e-9)) * power)
