"""A study's results in one figure: curves and heat maps of grids, histograms, scatter, rows over time, and what matters."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from lagrangian.errors import ArgumentError, unknown_name_message
from lagrangian.plots import legends, study_panels, style
from lagrangian.plots.study_panels import StudyPanel
from lagrangian.plots.style import StyledFigure
from lagrangian.studies.result import Study

WIDTH, HEIGHT = 3.4, 2.5  # in, of a panel
MAX_PANELS = 24  # panels of one figure

KINDS: dict[str, Callable[[Study, Iterable[str]], list[StudyPanel]]] = {
    "curves": study_panels.curves,
    "heat maps": study_panels.heat_maps,
    "rows": study_panels.rows,
    "indices": study_panels.indices,
    "histograms": study_panels.histograms,
    "scatter": study_panels.scatter,
}


def plot_study(
    study: Study,
    kinds: Sequence[str] = (),
    outputs: Any = None,
    path: str | os.PathLike[str] | None = None,
    with_title: bool = True,
) -> Any:
    """Draw panels of the named kinds, or of all that suit the study, for all outputs or for those that are named.

    In a page that says what it is about, the figure is drawn without its title: `with_title=False`.
    """
    file = style.figure_path(path)
    if not study.outputs:
        raise ArgumentError(f"{study.name} has no results to plot{': all its samples failed' if study.failed else ' yet'}")
    chosen_outputs = _chosen_outputs(study, outputs)
    for name in kinds:
        if name not in KINDS:
            raise ArgumentError(unknown_name_message("plot of a study called", name, KINDS), concerns="kinds")
    panels = [
        panel
        for kind in kinds or suitable_kinds(study)
        for panel in make_panels(study, kind, chosen_outputs, by_name=bool(kinds))
    ]
    if not panels:
        raise ArgumentError(f"{study.name} has nothing to plot for these outputs", concerns="outputs")
    with style.plot_style():
        return style.save_if_named(_make_figure(study, panels, with_title), file)


def _chosen_outputs(study: Study, outputs: Any) -> list[str]:
    if outputs is None:
        return list(study.outputs)
    names = [outputs] if isinstance(outputs, str) else list(outputs)
    for name in names:
        if name not in study.outputs:
            raise ArgumentError(unknown_name_message("output", name, study.outputs), concerns="outputs")
    return names


def suitable_kinds(study: Study) -> list[str]:
    """The plots that suit a study's samples."""
    axis_count, has_distributions = len(study.design.grid_axes), bool(study.design.distributions)
    kinds = {1: ["curves"], 2: ["heat maps"]}.get(axis_count, [])
    if study.design.method == "saltelli":
        kinds += ["indices", "histograms"]
    elif has_distributions:
        kinds += ["histograms", "scatter"] if not axis_count else ["scatter"] if axis_count > 2 else []
        kinds += ["indices"] if len(study.inputs) > 1 and axis_count != 1 else []
    elif axis_count > 2:
        kinds += ["scatter", "indices"]
    return [*kinds, "rows"]


def make_panels(study: Study, kind: str, outputs: Sequence[str], by_name: bool = False) -> list[StudyPanel]:
    """The panels of one kind. Where a study has none there is an error if the kind was asked for by name."""
    axes_needed = {"curves": 1, "heat maps": 2}
    axis_count = len(study.design.grid_axes)
    if kind in axes_needed and axis_count != axes_needed[kind]:
        if by_name:
            needed = f"a grid of {axes_needed[kind]} input{'s' * (axes_needed[kind] > 1)}"
            raise ArgumentError(f"{kind} need {needed}; {study.name} has {axis_count}")
        return []
    suitable_outputs = [x for x in outputs if x in (study.curve_outputs if kind == "rows" else study.scalar_outputs)]
    return KINDS[kind](study, suitable_outputs)


def _make_figure(study: Study, panels: list[StudyPanel], with_title: bool) -> Any:
    shown_panels = panels[:MAX_PANELS]
    lines = _panel_lines(shown_panels)
    max_columns = max(map(len, lines))
    width, header_height = max(max_columns * WIDTH, 5.4), 0.42 if with_title else 0.0
    figure = StyledFigure(figsize=(width, len(lines) * HEIGHT + header_height), layout="constrained")
    for line_figure, line in zip(figure.subfigures(len(lines), 1, squeeze=False)[:, 0], lines, strict=True):
        places = line_figure.add_gridspec(1, max(len(line), min(max_columns, 2)))
        for k, panel in enumerate(line):
            panel.draw(line_figure.add_subplot(places[0, k]))
    if with_title:
        legends.draw_header(figure, study.name, _remark(study, len(panels) - len(shown_panels)), header_height=header_height)
    return figure


def _panel_lines(panels: list[StudyPanel]) -> list[list[StudyPanel]]:
    """The panels in lines of at most three; those that belong together are spread evenly over their lines."""
    lines: list[list[StudyPanel]] = []
    for row in dict.fromkeys(panel.row for panel in panels):
        row_panels = [panel for panel in panels if panel.row == row]
        panels_per_line = math.ceil(len(row_panels) / math.ceil(len(row_panels) / 3))
        lines += [row_panels[k : k + panels_per_line] for k in range(0, len(row_panels), panels_per_line)]
    return lines


def _remark(study: Study, left_out: int) -> str:
    words = [f"{len(study)} samples" if study.complete else f"{study.completed_count} of {len(study)} samples"]
    words += [f"{len(study.failed)} failed"] if study.failed else []
    words += [f"{left_out} more panels are not shown"] if left_out else []
    return ", ".join(words)
