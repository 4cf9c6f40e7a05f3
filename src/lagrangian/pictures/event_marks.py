"""Events of a run on a time axis: a thin line each, and labels above the panel that keep out of each other's way."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from lagrangian.motion.events import Happening
from lagrangian.pictures.style import GREY

LABELS = 6  # most that are written
LONGEST = 40  # letters of a label
LETTER = 0.062  # in, the mean width of one
LANE = 10.0  # points from one line of labels to the next


def mark(axes: Any, events: Sequence[Happening]) -> None:
    """The lines."""
    for t in sorted({e.t for e in events}):
        axes.axvline(t, color=GREY, linewidth=0.7, linestyle=(0, (2, 2)), zorder=1.5)


def label(axes: Any, events: Sequence[Happening], span: tuple[float, float], width: float) -> float:
    """The names above a panel that is `width` inches wide; the height they take, in points.

    What happens several times is named where it first does.
    """
    first: dict[str, list[float]] = {}
    for event in sorted(events, key=lambda e: e.t):
        first.setdefault(event.name, []).append(event.t)
    texts = [(times[0], _short(name) + (f" ({len(times)} times)" if len(times) > 1 else "")) for name, times in first.items()]
    if len(texts) > LABELS:
        texts = [*texts[: LABELS - 1], (texts[LABELS - 1][0], f"{len(texts) - LABELS + 1} other events")]
    lanes: list[list[tuple[float, float]]] = []
    length = (span[1] - span[0]) or 1.0
    for t, text in reversed(texts):  # labels go to the right of their lines: a later one is out of the way of an earlier line
        at, wide = width * (t - span[0]) / length, LETTER * len(text) + 0.12
        rightward = at + wide <= width or at < width / 2
        taken = (at, at + wide) if rightward else (at - wide, at)
        lane = next((k for k, those in enumerate(lanes) if all(taken[1] < a or taken[0] > b for a, b in those)), len(lanes))
        if lane == len(lanes):
            lanes.append([])
        lanes[lane].append(taken)
        axes.annotate(
            text,
            (t, 1.0),
            (2.0 if rightward else -2.0, 3.0 + LANE * lane),
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
            (0.0, 3.0 + LANE * (lane + 0.85)),
            xycoords=("data", "axes fraction"),
            textcoords="offset points",
            arrowprops={"arrowstyle": "-", "color": GREY, "linewidth": 0.7, "linestyle": (0, (2, 2)), "shrinkA": 0, "shrinkB": 0},
            annotation_clip=False,
            zorder=2,
        )
    return 3.0 + LANE * len(lanes) if lanes else 0.0


def _short(name: str) -> str:
    return name if len(name) <= LONGEST else name[: LONGEST - 1].rstrip() + "…"
