"""Legends above panels that fit: as many entries to a line as there is room for; of many curves, some and a note."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from lagrangian.pictures.style import GREY, SEVERAL

if TYPE_CHECKING:
    from lagrangian.pictures.figure import Picture

Entry = tuple[dict[str, Any], str]  # style of the line, and its name
LETTER, HANDLE = 0.064, 0.41  # in, of a name's letter, and of what stands beside the name
LINE = 0.165  # in


def columns(names: Sequence[str], width: float) -> int:
    """The most that fit; a legend is filled column by column."""
    for n in range(len(names), 1, -1):
        tall = math.ceil(len(names) / n)
        lengths = [max(map(len, names[k : k + tall])) for k in range(0, len(names), tall)]
        if sum(LETTER * length + HANDLE for length in lengths) <= width:
            return len(lengths)
    return 1


def height(names: Sequence[str], width: float) -> float:
    """In inches."""
    return LINE * math.ceil(len(names) / columns(names, width)) if names else 0.0


def some(entries: list[Entry], drawn: int) -> list[Entry]:
    """All of few; of many the first, the last and some between, with a note of how many there are."""
    n = len(entries)
    if n <= SEVERAL:
        return entries
    note = f"({n} in this order)" if drawn == n else f"({n} in this order, {drawn} of them drawn)"
    return [*(entries[round(k)] for k in np.linspace(0, n - 1, 4)), ({"color": "none", "linestyle": "none"}, note)]


def above(axes: Any, entries: list[Entry], width: float, points: float = 0.0) -> None:
    """Over the left corner of a panel of this width in inches, so many points higher."""
    from matplotlib.transforms import ScaledTranslation

    names = [name for _, name in entries]
    axes.legend(
        [line(**style) for style, _ in entries],
        names,
        loc="lower left",
        bbox_to_anchor=(0.0, 1.0),
        bbox_transform=axes.transAxes + ScaledTranslation(0.0, (points + 2.0) / 72, axes.figure.dpi_scale_trans),
        ncols=columns(names, width),
    )


def header(figure: Picture, title: str, remark: str = "", entries: Sequence[Entry] = (), top: float = 0.34) -> None:
    """A title, a remark beside it and a legend below it, in the `top` inches of a figure, which its panels leave free."""
    from matplotlib.text import Annotation

    width, tall = figure.get_size_inches()
    layout: Any = figure.get_layout_engine()
    layout.set(rect=(0.0, 0.0, 1.0, 1.0 - top / tall))
    shown = figure.text(0.1 / width, 1 - 0.09 / tall, title, ha="left", va="top", fontsize=11, fontweight="bold")
    shown.set_in_layout(False)
    if remark:
        room = int((width - 0.5 - 0.105 * len(title)) / LETTER)
        remark = remark if len(remark) <= room else remark[: max(0, room - 1)] + "…"
        beside = Annotation(
            remark, (1, 0), (10, 0), xycoords=shown, textcoords="offset points", va="baseline", fontsize=8.5, color=GREY
        )
        beside.set_in_layout(False)
        figure.add_artist(beside)
    if entries:
        names = [name for _, name in entries]
        legend = figure.legend(
            [line(**style) for style, _ in entries],
            names,
            loc="upper left",
            bbox_to_anchor=(0.1 / width, 1 - 0.32 / tall),
            ncols=columns(names, width - 0.3),
        )
        legend.set_in_layout(False)


def line(**style: Any) -> Any:
    from matplotlib.lines import Line2D

    return Line2D([], [], **style)
