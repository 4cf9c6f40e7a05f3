"""A study's results in one figure: curves and heat maps of grids, histograms, scatter, rows over time, and what matters."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from lagrangian.errors import ArgumentError, one_of
from lagrangian.pictures import legends, study_panels, style
from lagrangian.pictures.study_panels import Panel
from lagrangian.studies.result import Study

WIDTH, HEIGHT = 3.4, 2.5  # in, of a panel
MOST = 24  # panels of one figure

KINDS: dict[str, Callable[[Study, Iterable[str]], list[Panel]]] = {
    "curves": study_panels.curves,
    "heat maps": study_panels.heat_maps,
    "rows": study_panels.rows,
    "indices": study_panels.indices,
    "histograms": study_panels.histograms,
    "scatter": study_panels.scatter,
}


def study_plot(
    study: Study,
    what: Sequence[str] = (),
    outputs: Any = None,
    path: str | os.PathLike[str] | None = None,
    titled: bool = True,
) -> Any:
    """Panels of what is named, or of all that fits the study; of all outputs, or of those named.

    In a page that says what it is about, the figure is not `titled`.
    """
    file = style.writable(path)
    if not study.outputs:
        raise ArgumentError(f"{study.name} has no results to plot{': all its samples failed' if study.failed else ' yet'}")
    chosen = _chosen(study, outputs)
    for name in what:
        if name not in KINDS:
            raise ArgumentError(one_of("plot of a study called", name, KINDS), concerns="what")
    panels = [panel for kind in what or fitting(study) for panel in of_kind(study, kind, chosen, named=bool(what))]
    if not panels:
        raise ArgumentError(f"{study.name} has nothing to plot for these outputs", concerns="outputs")
    with style.styled():
        return style.written(_figure(study, panels, titled), file)


def _chosen(study: Study, outputs: Any) -> list[str]:
    if outputs is None:
        return list(study.outputs)
    names = [outputs] if isinstance(outputs, str) else list(outputs)
    for name in names:
        if name not in study.outputs:
            raise ArgumentError(one_of("output", name, study.outputs), concerns="outputs")
    return names


def fitting(study: Study) -> list[str]:
    """The plots that suit a study's samples."""
    spans, drawn = len(study.design.spans), bool(study.design.drawn)
    found = {1: ["curves"], 2: ["heat maps"]}.get(spans, [])
    if study.design.method == "saltelli":
        found += ["indices", "histograms"]
    elif drawn:
        found += ["histograms", "scatter"] if not spans else ["scatter"] if spans > 2 else []
        found += ["indices"] if len(study.inputs) > 1 and spans != 1 else []
    elif spans > 2:
        found += ["scatter", "indices"]
    return [*found, "rows"]


def of_kind(study: Study, kind: str, outputs: Sequence[str], named: bool = False) -> list[Panel]:
    """The panels of one kind; none, or an error if it was asked for by name, where a study has nothing of it."""
    needs = {"curves": 1, "heat maps": 2}
    spans = len(study.design.spans)
    if kind in needs and spans != needs[kind]:
        if named:
            raise ArgumentError(f"{kind} need {needs[kind]} span{'s' * (needs[kind] > 1)}; {study.name} has {spans}")
        return []
    suited = [x for x in outputs if x in (study.curves if kind == "rows" else study.numbers)]
    return KINDS[kind](study, suited)


def _figure(study: Study, panels: list[Panel], titled: bool) -> Any:
    from lagrangian.pictures.figure import Picture

    shown = panels[:MOST]
    lines = _lines(shown)
    wide = max(map(len, lines))
    width, top = max(wide * WIDTH, 5.4), 0.42 if titled else 0.0
    figure = Picture(figsize=(width, len(lines) * HEIGHT + top), layout="constrained")
    for part, line in zip(figure.subfigures(len(lines), 1, squeeze=False)[:, 0], lines, strict=True):
        places = part.add_gridspec(1, max(len(line), min(wide, 2)))
        for k, panel in enumerate(line):
            panel.draw(part.add_subplot(places[0, k]))
    if titled:
        legends.header(figure, study.name, _remark(study, len(panels) - len(shown)), top=top)
    return figure


def _lines(panels: list[Panel]) -> list[list[Panel]]:
    """At most three beside each other; of those that belong together, as many in each line."""
    found: list[list[Panel]] = []
    for row in dict.fromkeys(panel.row for panel in panels):
        some = [panel for panel in panels if panel.row == row]
        each = math.ceil(len(some) / math.ceil(len(some) / 3))
        found += [some[k : k + each] for k in range(0, len(some), each)]
    return found


def _remark(study: Study, left_out: int) -> str:
    words = [f"{len(study)} samples" if study.complete else f"{study.done} of {len(study)} samples"]
    words += [f"{len(study.failed)} failed"] if study.failed else []
    words += [f"{left_out} more panels are not shown"] if left_out else []
    return ", ".join(words)
