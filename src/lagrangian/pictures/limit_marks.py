"""Limits on an axis: a dashed line each, where it is in sight; what is beyond is shaded, and curves there are marked."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from lagrangian.motion.result.over_limits import BEYOND
from lagrangian.pictures.style import GREY, RED

LINE: dict[str, Any] = {"linestyle": (0, (7, 3)), "linewidth": 0.9}
MARK: dict[str, Any] = {"color": RED, "linewidth": 4.5, "alpha": 0.4, "linestyle": "-"}
NEAR = 0.6  # of the height of what is drawn: a limit that is farther away would make the curves small


@dataclass(frozen=True, eq=False)
class Curve:
    """Over time, with the least and the most that it may be, infinite if nothing is said."""

    t: np.ndarray
    y: np.ndarray
    limits: tuple[float, float]

    def beyond(self) -> Iterator[tuple[float, np.ndarray]]:
        """Limits that it passes, and the curve where it does: on the limit just before and after, not a number elsewhere."""
        for limit, sign in zip(self.limits, (-1, 1), strict=True):
            out = sign * (self.y - limit) > BEYOND * abs(limit) if np.isfinite(limit) else np.zeros(len(self.y), dtype=bool)
            if out.any():
                wider = out.copy()
                wider[1:] |= out[:-1]
                wider[:-1] |= out[1:]
                yield limit, np.where(wider, np.where(out, self.y, limit), np.nan)


class Limits:
    """Of the curves of one axis: those that are in sight, each with the numbers of its curves."""

    def __init__(self, curves: Sequence[Curve]) -> None:
        self.curves = curves
        self.seen: dict[float, list[int]] = {}
        values = np.concatenate([c.y[np.isfinite(c.y)] for c in curves]) if curves else np.zeros(0)
        low, high = float(values.min(initial=np.inf)), float(values.max(initial=-np.inf))
        room = NEAR * (high - low) if high > low else 0.05 * abs(high)
        for k, c in enumerate(curves):
            for limit in dict.fromkeys(c.limits):
                if np.isfinite(limit) and (low - room <= limit <= high + room or limit in dict(c.beyond())):
                    self.seen.setdefault(limit, []).append(k)
        self.passed = any(dict(c.beyond()) for c in curves)

    def draw(self, axes: Any, colors: Sequence[Any]) -> None:
        """Onto the axis that has these curves, in these colours."""
        for c in self.curves:
            for _, y in c.beyond():
                axes.plot(c.t, y, zorder=1.9, solid_capstyle="butt", **MARK)
        for limit, of in self.seen.items():
            own = {str(colors[k]) for k in of}
            axes.axhline(limit, color=colors[of[0]] if len(own) == 1 else GREY, zorder=1.8, **LINE)
        bottom, top = axes.get_ylim()
        for limit, of in self.seen.items():
            if len(of) == len(self.curves):  # it holds for all of them
                ends = (bottom, limit) if limit == self.curves[of[0]].limits[0] else (limit, top)
                axes.axhspan(*ends, color=RED, alpha=0.09, linewidth=0, zorder=0.5)
        axes.set_ylim(bottom, top)


def legend(limits: Sequence[Limits]) -> list[tuple[dict[str, Any], str]]:
    """What the lines and the marks are, as far as there are any."""
    found: list[tuple[dict[str, Any], str]] = []
    found += [({"color": GREY, **LINE}, "limit")] if any(x.seen for x in limits) else []
    return [*found, (MARK, "beyond its limit")] if any(x.passed for x in limits) else found
