"""A study's page: what was varied and how, its results in figures and numbers, what matters, and what failed."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from lagrangian.errors import ArgumentError, LagrangianError
from lagrangian.files import as_path, checked_target, write
from lagrangian.pictures.study_plot import fitting, of_kind, study_plot
from lagrangian.report.front import Front
from lagrangian.report.html import Html, column, element, facts, figure, folded, framed, image, joined, number, paragraph, table
from lagrangian.report.page import Section, page
from lagrangian.report.write import png
from lagrangian.studies.distributions import Span
from lagrangian.studies.indices import Indices
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
SHOWN = 12  # outputs that figures show
LARGE = 200  # joints of a mechanism that is not drawn


def write_study_report(study: Study, path: str | os.PathLike[str] | None = None, front: Front | None = None) -> Path:
    """Write one offline page about a study, and give its path; `report.html` in its folder if none is given."""
    target = as_path(path) if path is not None else study.folder / "report.html"
    if target.suffix.lower() not in (".html", ".htm"):
        raise ArgumentError(f"{target}: the name of a report must end in .html", concerns="path")
    checked_target(target)
    return write(target, study_page(study, front or Front()))


def study_page(study: Study, front: Front) -> str:
    """The page as text."""
    parts: Sequence[tuple[str, str, Callable[[Study], Html | None]]] = (
        ("inputs", "Varied parameters", _inputs),
        ("results", "Results", _results),
        ("extremes", "Extreme values", _extremes),
        ("indices", "Sensitivity", _indices),
        ("rows", "Over time", _rows),
        ("failed", "Failed samples", _failed),
        ("method", "Method", _method),
    )
    sections = [Section(place, title, body) for place, title, make in parts if (body := make(study)) is not None]
    return page(front.title or study.name, _head(study, front), sections, "Written by lagrangian. SI units, angles in rad.")


def study_html(study: Study) -> str:
    """What a notebook shows."""
    return joined([paragraph(line) for line in study.summary().splitlines()[:3]] + [_statistics(study)])


def _head(study: Study, front: Front) -> Html:
    what = ", ".join(study.inputs[:6]) + (" and more" if len(study.inputs) > 6 else "")
    badges = [
        element("span", f"{study.done} of {len(study)} samples", class_=f"badge {'good' if study.complete else 'bad'}"),
        element(
            "span",
            f"{len(study.failed)} failed" if study.failed else "none failed",
            class_=f"badge {'bad' if study.failed else 'good'}",
        ),
    ]
    of = study.about.get("mechanism", "")
    lead = paragraph(f"A study of {of or study.name}: {len(study)} samples of {what}.", kind="lead")
    head, marks = front.heading(study.name), element("p", *badges, class_="badges")
    return joined([head, lead, marks, front.noted(), _still(study)])


def _still(study: Study) -> Html:
    """The mechanism where it begins, with its own values."""
    model = study.mechanism
    if model is None or len(model.joints) > LARGE:
        return Html("")
    try:
        q = model.initial.q if model.initial.q is not None else model.neutral()
        return framed(image(png(model, q, (720, 400)), "png", f"{model.name} at the start", style="max-width: 36rem"))
    except LagrangianError:  # a picture is not what the page is for
        return Html("")


def _inputs(study: Study) -> Html:
    kinds = {name: _KINDS[kind] for kind, names in study.about.get("kinds", {}).items() for name in names if kind in _KINDS}
    nominal = study.about.get("nominal", {})
    rows = [
        (name, kinds.get(name, ""), study.units.get(name, ""), _words(x), number(nominal[name], 6) if name in nominal else "")
        for name, x in study.design.over.items()
    ]
    how = _METHODS[study.design.method]
    if study.design.spans and study.design.drawn:
        how = f"A grid with {study.design.draws} samples at each point: {how[0].lower()}{how[1:]}"
    seed = f"; seed {study.design.seed}" if study.design.drawn else ""
    heads = ("name", "kind", "unit", "values", "nominal value")
    return joined([paragraph(f"{how}{seed}."), table(heads, rows, left=(0, 1, 2, 3))])


def _words(x: Any) -> str:
    if isinstance(x, Span):
        if str(x).startswith("span("):
            return f"{len(x.values)} values from {x.values[0]:g} to {x.values[-1]:g}"
        return ", ".join(f"{v:g}" for v in x.values[:8]) + (f", ... ({len(x.values)})" if len(x.values) > 8 else "")
    return f"{x.name}({', '.join(f'{v:g}' for v in x.numbers)})"


def _results(study: Study) -> Html:
    found = [_statistics(study)]
    for kind in fitting(study):
        if kind not in ("indices", "rows"):
            found.append(_figure(study, kind))
    return joined(x for x in found if x)


def _figure(study: Study, kind: str) -> Html:
    outputs = (study.curves if kind == "rows" else study.numbers)[:SHOWN]
    if not outputs or not of_kind(study, kind, outputs):
        return Html("")
    more = len(study.numbers) - SHOWN
    caption = _CAPTIONS.get(kind, "") + (f" The table lists {more} more results." if more > 0 and kind != "rows" else "")
    return figure(study_plot(study, (kind,), outputs, titled=False), f"{kind} of {study.name}", caption)


def _statistics(study: Study) -> Html:
    found = study.statistics()
    if not found:
        return paragraph("No result is a number.") if not study.curves else Html("")
    heads = ("mean", "deviation", "min", "5 %", "median", "95 %", "max")
    rows = [
        (name, study.units.get(name, ""), int(x["count"]), *column([x[head] for head in heads], 5)) for name, x in found.items()
    ]
    return table(("result", "unit", "samples", *heads), rows, left=(0, 1))


def _indices(study: Study) -> Html | None:
    if "indices" not in fitting(study) or not study.numbers:
        return None
    found = [study.indices(name) for name in study.numbers[:SHOWN]]
    sobol = study.design.method == "saltelli"
    if sobol:
        told = (
            "Sobol's indices are shares of the variance of a result. The first-order index is the share of an input alone; the "
            "total index includes its interactions with all others. Lines are 95 % confidence intervals."
        )
    else:
        told = (
            "Spearman's rank correlation of each result with each input is 1 if the result rises with the input, −1 if it "
            "falls, and near 0 without a trend. Lines are 95 % confidence intervals."
        )
    picture = figure(study_plot(study, ("indices",), study.numbers[:SHOWN], titled=False), f"indices of {study.name}")
    return joined(
        [paragraph(told), picture, folded("Table of indices", _index_table([x for x in found if isinstance(x, Indices)]))]
    )


def _index_table(found: list[Indices]) -> Html:
    rows = []
    for one in found:
        for k, name in enumerate(one.names):
            row: list[Any] = [one.of if k == 0 else "", name, _three(one.first[k]), _interval(one.first_interval[k])]
            if one.total is not None and one.total_interval is not None:
                row += [_three(one.total[k]), _interval(one.total_interval[k])]
            rows.append(row)
    heads: tuple[str, ...] = ("result", "input", "first order", "95 %", "total", "95 %")
    if len(rows[0]) == 4:
        heads = ("result", "input", "rank correlation", "95 %")
    return table(heads, rows, left=(0, 1), most=200)


def _three(x: float) -> str:
    return f"{x:.3f}".replace("-", "−")


def _interval(x: Any) -> str:
    return f"{_three(x[0])} to {_three(x[1])}"


def _extremes(study: Study) -> Html | None:
    """The samples with the least and the greatest of each result: where a designer looks next."""
    rows: list[tuple[Any, ...]] = []
    for name in study.numbers[:SHOWN]:
        values = study[name]
        if not np.isfinite(values).any():
            continue
        for word, k in (("least", int(np.nanargmin(values))), ("greatest", int(np.nanargmax(values)))):
            inputs = [number(x, 5) for x in list(study.sample(k).values())[:SHOWN]]
            rows.append((name if word == "least" else "", word, number(float(values[k]), 6), k, *inputs))
    if not rows:
        return None
    told = (
        "study.motion(k) simulates a sample again."
        if study.about.get("mechanism") and isinstance(study.about["run"], dict)
        else ""
    )
    head = ("result", "", "value", "sample", *study.inputs[:SHOWN])
    return joined([table(head, rows, left=(0, 1)), paragraph(told, kind="quiet") if told else ""])


def _rows(study: Study) -> Html | None:
    return _figure(study, "rows") if study.curves else None


def _failed(study: Study) -> Html | None:
    """Reasons, the commonest first, each with a sample that can be looked at."""
    if not study.failed:
        return None
    found = study.reasons()
    rows = [(why, n, first, _sample(study, first)) for why, n, first in found[:40]]
    why = "for one reason" if len(found) == 1 else f"for {len(found)} reasons"
    told = f"{len(study.failed)} of {study.done} samples failed {why}. The other samples are not affected."
    return joined([paragraph(told), table(("reason", "samples", "first", "its inputs"), rows, left=(0, 3))])


def _sample(study: Study, k: int) -> str:
    return ", ".join(f"{name} = {x:.4g}" for name, x in list(study.sample(k).items())[:6])


def _method(study: Study) -> Html:
    about = study.about
    run = about.get("run")
    settings = ", ".join(f"{name} = {x}" for name, x in run.items()) if isinstance(run, dict) else str(run)
    keep = about.get("keep") or {}
    named = [f"{name} = {text}" for name, text in keep.items() if name != text]
    return facts(
        [
            ("Mechanism", about.get("mechanism", "")),
            ("Run", settings),
            ("Kept", "; ".join(named)),
            ("Chunks", f"{len(about['chunks'])}, of at most {about['size']} samples"),
            ("Version", about.get("version", "")),
            ("Key", f"{str(about.get('key', ''))[:16]}…"),
        ]
    )
