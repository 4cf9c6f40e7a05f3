"""Legends and titles above panels: as many entries to a line as there is room for, and of many curves some and a note."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from lagrangian.plots.style import GREY, MAX_NAMED_CURVES, StyledFigure, escape_label

LegendEntry = tuple[dict[str, Any], str]  # style of the line, and its name

# in
TITLE_HEIGHT = 0.34
LINE_HEIGHT = 0.165  # of a line of a legend
LETTER_WIDTH, HANDLE_WIDTH = 0.064, 0.41  # of a name's letter, and of what stands beside the name


def draw_header(
    figure: StyledFigure, title: str, remark: str = "", entries: Sequence[LegendEntry] = (), header_height: float = TITLE_HEIGHT
) -> None:
    """Draw a title, a remark beside it and a legend below it, in the `header_height` inches that a figure's panels leave free."""
    from matplotlib.text import Annotation

    width, figure_height = figure.get_size_inches()
    layout: Any = figure.get_layout_engine()
    layout.set(rect=(0.0, 0.0, 1.0, 1.0 - header_height / figure_height))
    title = escape_label(title, int((width - 0.3) / 0.11))
    title_text = figure.text(0.1 / width, 1 - 0.09 / figure_height, title, ha="left", va="top", fontsize=11, fontweight="bold")
    title_text.set_in_layout(False)
    if remark:
        max_characters = int((width - 0.5 - 0.105 * len(title)) / LETTER_WIDTH)
        remark = escape_label(remark, max(max_characters, 1))
        remark_text = Annotation(
            remark, (1, 0), (10, 0), xycoords=title_text, textcoords="offset points", va="baseline", fontsize=8.5, color=GREY
        )
        remark_text.set_in_layout(False)
        figure.add_artist(remark_text)
    if entries:
        names = [escape_label(name) for _, name in entries]
        legend = figure.legend(
            [legend_line(**style) for style, _ in entries],
            names,
            loc="upper left",
            bbox_to_anchor=(0.1 / width, 1 - 0.32 / figure_height),
            ncols=column_count(names, width - 0.3),
        )
        legend.set_in_layout(False)


def draw_legend_above(axes: Any, entries: list[LegendEntry], width: float, offset_points: float = 0.0) -> None:
    """Draw a legend above the left corner of a panel that is `width` inches wide, `offset_points` points higher."""
    from matplotlib.transforms import ScaledTranslation

    names = [escape_label(name) for _, name in entries]
    axes.legend(
        [legend_line(**style) for style, _ in entries],
        names,
        loc="lower left",
        bbox_to_anchor=(0.0, 1.0),
        bbox_transform=axes.transAxes + ScaledTranslation(0.0, (offset_points + 2.0) / 72, axes.figure.dpi_scale_trans),
        ncols=column_count(names, width),
    )


def legend_line(**style: Any) -> Any:
    from matplotlib.lines import Line2D

    return Line2D([], [], **style)


def shorten_entries(entries: list[LegendEntry], drawn_count: int) -> list[LegendEntry]:
    """The entries if they are few; else the first, the last and some between, with a note of how many there are."""
    count = len(entries)
    if count <= MAX_NAMED_CURVES:
        return entries
    note = f"({count} in this order)" if drawn_count == count else f"({drawn_count} of {count}, in this order)"
    return [*(entries[round(k)] for k in np.linspace(0, count - 1, 4)), ({"color": "none", "linestyle": "none"}, note)]


def legend_height(names: Sequence[str], width: float) -> float:
    """The height of a legend in inches."""
    names = [escape_label(name) for name in names]
    return LINE_HEIGHT * math.ceil(len(names) / column_count(names, width)) if names else 0.0


def column_count(names: Sequence[str], width: float) -> int:
    """The largest number of columns that fit; a legend is filled column by column."""
    for columns in range(len(names), 1, -1):
        row_count = math.ceil(len(names) / columns)
        longest_names = [max(map(len, names[k : k + row_count])) for k in range(0, len(names), row_count)]
        if sum(LETTER_WIDTH * length + HANDLE_WIDTH for length in longest_names) <= width:
            return len(longest_names)
    return 1
