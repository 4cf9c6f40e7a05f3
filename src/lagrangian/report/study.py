"""The page about a study: what was varied and how, its results in figures and numbers, what matters, and what failed."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from lagrangian.errors import ArgumentError, LagrangianError
from lagrangian.files import as_path, as_target_path, write
from lagrangian.plots.study import make_panels, plot_study, suitable_kinds
from lagrangian.report.html import (
    Html,
    collapsible,
    definition_list,
    element,
    figure,
    figure_element,
    image,
    join_html,
    number,
    number_column,
    paragraph,
    table,
)
from lagrangian.report.page import PageSection, TitleBlock, render_page
from lagrangian.report.write import png
from lagrangian.studies.distributions import GridAxis
from lagrangian.studies.indices import SensitivityIndices
from lagrangian.studies.result import Study

_KINDS = {
    "parameters": "parameter",
    "coordinates": "start",
    "speeds": "speed at the start",
    "others": "input of the function",
    "constants": "constant of the run",
}
_METHODS = {
    "grid": "A grid of all combinations",
    "random": "Random numbers (Philox)",
    "latin": "A Latin hypercube",
    "sobol": "Sobol's sequence, scrambled",
    "saltelli": "Saltelli's design, from Sobol's sequence",
}
_CAPTIONS = {
    "curves": "Each result over the values of the grid. A dotted line marks the nominal value, which the description gives.",
    "heat maps": "Each result over the two grids. Grey cells have no result; a cross marks the nominal values.",
    "histograms": "The distribution of each result. A line marks the median; dashed lines enclose nine of ten samples.",
    "scatter": "Each result over the inputs that it depends on most, with a running median.",
    "rows": "Motions over time; of many motions, a selection.",
}
MAX_OUTPUTS = 12  # outputs that figures show
MAX_DRAWN_JOINTS = 200  # joints of a mechanism that is not drawn


def write_study_report(study: Study, path: str | os.PathLike[str] | None = None, title_block: TitleBlock | None = None) -> Path:
    """Write one offline page about a study, and return its path, which is `report.html` in its folder by default."""
    target = as_path(path) if path is not None else study.folder / "report.html"
    if target.suffix.lower() not in (".html", ".htm"):
        raise ArgumentError(f"{target}: the name of a report must end in .html", concerns="path")
    as_target_path(target)
    return write(target, study_page(study, title_block or TitleBlock()))


def study_page(study: Study, title_block: TitleBlock) -> str:
    """Make the page of a study as text."""
    parts: Sequence[tuple[str, str, Callable[[Study], Html | None]]] = (
        ("inputs", "Varied parameters", _inputs_html),
        ("results", "Results", _results_html),
        ("extremes", "Extreme values", _extremes_table),
        ("indices", "Sensitivity", _indices_html),
        ("rows", "Over time", _rows),
        ("failed", "Failed samples", _failed_samples),
        ("method", "Method", _method_html),
    )
    sections = [PageSection(place, title, body) for place, title, make in parts if (body := make(study)) is not None]
    return render_page(
        title_block.title or study.name, _head(study, title_block), sections, "Written by lagrangian. SI units, angles in rad."
    )


def study_html(study: Study) -> str:
    """The summary of a study that a notebook shows."""
    return join_html([paragraph(line) for line in study.summary().splitlines()[:3]] + [_statistics_table(study)])


def _head(study: Study, title_block: TitleBlock) -> Html:
    input_names = ", ".join(study.inputs[:6]) + (" and more" if len(study.inputs) > 6 else "")
    badges = [
        element(
            "span", f"{study.completed_count} of {len(study)} samples", class_=f"badge {'good' if study.complete else 'bad'}"
        ),
        element(
            "span",
            f"{len(study.failed)} failed" if study.failed else "none failed",
            class_=f"badge {'bad' if study.failed else 'good'}",
        ),
    ]
    mechanism_name = study.about.get("mechanism", "")
    lead = paragraph(f"A study of {mechanism_name or study.name}: {len(study)} samples of {input_names}.", css_class="lead")
    head, marks = title_block.heading(study.name), element("p", *badges, class_="badges")
    return join_html([head, lead, marks, title_block.notes_html(), _mechanism_picture(study)])


def _mechanism_picture(study: Study) -> Html:
    """A picture of the mechanism at its start, with its own values."""
    model = study.mechanism
    if model is None or len(model.joints) > MAX_DRAWN_JOINTS:
        return Html("")
    try:
        q = model.initial.q if model.initial.q is not None else model.neutral()
        return figure_element(image(png(model, q, (720, 400)), "png", f"{model.name} at the start", style="max-width: 36rem"))
    except LagrangianError:  # a picture is not what the page is for
        return Html("")


def _inputs_html(study: Study) -> Html:
    kinds = {name: _KINDS[kind] for kind, names in study.about.get("kinds", {}).items() for name in names if kind in _KINDS}
    nominal = study.about.get("nominal", {})
    rows = [
        (
            name,
            kinds.get(name, ""),
            study.units.get(name, ""),
            _distribution_text(x),
            number(nominal[name], 6) if name in nominal else "",
        )
        for name, x in study.design.over.items()
    ]
    method_text = _METHODS[study.design.method]
    if study.design.grid_axes and study.design.distributions:
        method_text = f"A grid with {study.design.draws} samples at each point: {method_text[0].lower()}{method_text[1:]}"
    seed = f"; seed {study.design.seed}" if study.design.distributions else ""
    heads = ("name", "kind", "unit", "values", "nominal value")
    return join_html([paragraph(f"{method_text}{seed}."), table(heads, rows, left_aligned=(0, 1, 2, 3))])


def _distribution_text(x: Any) -> str:
    if isinstance(x, GridAxis):
        if x.is_evenly_spaced:
            return f"{len(x.values)} values from {x.values[0]:g} to {x.values[-1]:g}"
        return ", ".join(f"{v:g}" for v in x.values[:8]) + (f", ... ({len(x.values)})" if len(x.values) > 8 else "")
    return f"{x.name}({', '.join(f'{v:g}' for v in x.parameters)})"


def _results_html(study: Study) -> Html:
    blocks = [_statistics_table(study)]
    for kind in suitable_kinds(study):
        if kind not in ("indices", "rows"):
            blocks.append(_study_figure(study, kind))
    return join_html(x for x in blocks if x)


def _study_figure(study: Study, kind: str) -> Html:
    outputs = (study.curve_outputs if kind == "rows" else study.scalar_outputs)[:MAX_OUTPUTS]
    if not outputs or not make_panels(study, kind, outputs):
        return Html("")
    more = len(study.scalar_outputs) - MAX_OUTPUTS
    caption = _CAPTIONS.get(kind, "") + (f" The table lists {more} more results." if more > 0 and kind != "rows" else "")
    return figure(plot_study(study, (kind,), outputs, with_title=False), f"{kind} of {study.name}", caption)


def _statistics_table(study: Study) -> Html:
    statistics = study.statistics()
    if not statistics:
        return paragraph("No result is a number.") if not study.curve_outputs else Html("")
    heads = ("mean", "deviation", "min", "5 %", "median", "95 %", "max")
    rows = [
        (name, study.units.get(name, ""), int(x["count"]), *number_column([x[head] for head in heads], 5))
        for name, x in statistics.items()
    ]
    return table(("result", "unit", "samples", *heads), rows, left_aligned=(0, 1))


def _indices_html(study: Study) -> Html | None:
    if "indices" not in suitable_kinds(study) or not study.scalar_outputs:
        return None
    indices_by_output = [study.indices(name) for name in study.scalar_outputs[:MAX_OUTPUTS]]
    sobol = study.design.method == "saltelli"
    if sobol:
        sentence = (
            "Sobol's indices are shares of the variance of a result. The first-order index is the share of an input alone; the "
            "total index includes its interactions with all others. Lines are 95 % confidence intervals."
        )
    else:
        sentence = (
            "Spearman's rank correlation of each result with each input is 1 if the result rises with the input, −1 if it "
            "falls, and near 0 without a trend. Lines are 95 % confidence intervals."
        )
    picture = figure(
        plot_study(study, ("indices",), study.scalar_outputs[:MAX_OUTPUTS], with_title=False), f"indices of {study.name}"
    )
    return join_html(
        [
            paragraph(sentence),
            picture,
            collapsible("Table of indices", _index_table([x for x in indices_by_output if isinstance(x, SensitivityIndices)])),
        ]
    )


def _index_table(index_list: list[SensitivityIndices]) -> Html:
    rows = []
    for indices in index_list:
        for k, name in enumerate(indices.names):
            row: list[Any] = [
                indices.output if k == 0 else "",
                name,
                _three_decimals(indices.first[k]),
                _interval(indices.first_interval[k]),
            ]
            if indices.total is not None and indices.total_interval is not None:
                row += [_three_decimals(indices.total[k]), _interval(indices.total_interval[k])]
            rows.append(row)
    heads: tuple[str, ...] = ("result", "input", "first order", "95 %", "total", "95 %")
    if len(rows[0]) == 4:
        heads = ("result", "input", "rank correlation", "95 %")
    return table(heads, rows, left_aligned=(0, 1), max_rows=200)


def _three_decimals(x: float) -> str:
    return f"{x:.3f}".replace("-", "−")


def _interval(x: Any) -> str:
    return f"{_three_decimals(x[0])} to {_three_decimals(x[1])}"


def _extremes_table(study: Study) -> Html | None:
    """A table of the samples with the least and the greatest value of each result."""
    rows: list[tuple[Any, ...]] = []
    for name in study.scalar_outputs[:MAX_OUTPUTS]:
        values = study[name]
        if not np.isfinite(values).any():
            continue
        for label, k in (("least", int(np.nanargmin(values))), ("greatest", int(np.nanargmax(values)))):
            inputs = [number(x, 5) for x in list(study.sample(k).values())[:MAX_OUTPUTS]]
            rows.append((name if label == "least" else "", label, number(float(values[k]), 6), k, *inputs))
    if not rows:
        return None
    sentence = (
        "study.motion(k) simulates a sample again."
        if study.about.get("mechanism") and isinstance(study.about["run"], dict)
        else ""
    )
    head = ("result", "", "value", "sample", *study.inputs[:MAX_OUTPUTS])
    return join_html([table(head, rows, left_aligned=(0, 1)), paragraph(sentence, css_class="quiet") if sentence else ""])


def _rows(study: Study) -> Html | None:
    return _study_figure(study, "rows") if study.curve_outputs else None


def _failed_samples(study: Study) -> Html | None:
    """A table of the reasons of failures, the most frequent first, each with the index of a sample."""
    if not study.failed:
        return None
    reasons = study.failure_reasons()
    rows = [(reason, n, first, _sample(study, first)) for reason, n, first in reasons[:40]]
    reason = "for one reason" if len(reasons) == 1 else f"for {len(reasons)} reasons"
    sentence = f"{len(study.failed)} of {study.completed_count} samples failed {reason}. The other samples are not affected."
    return join_html([paragraph(sentence), table(("reason", "samples", "first", "its inputs"), rows, left_aligned=(0, 3))])


def _sample(study: Study, k: int) -> str:
    return ", ".join(f"{name} = {x:.4g}" for name, x in list(study.sample(k).items())[:6])


def _method_html(study: Study) -> Html:
    about = study.about
    run = about.get("run")
    settings = ", ".join(f"{name} = {x}" for name, x in run.items()) if isinstance(run, dict) else str(run)
    keep = about.get("keep") or {}
    renamed_outputs = [f"{name} = {text}" for name, text in keep.items() if name != text]
    return definition_list(
        [
            ("Mechanism", about.get("mechanism", "")),
            ("Run", settings),
            ("Kept", "; ".join(renamed_outputs)),
            ("Chunks", f"{len(about['chunks'])}, of at most {about['size']} samples"),
            ("Version", about.get("version", "")),
            ("Key", f"{str(about.get('key', ''))[:16]}…"),
        ]
    )
