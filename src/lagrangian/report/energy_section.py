"""Where the energy went, how well it balances, and how well the constraints were kept."""

from __future__ import annotations

import platform
from importlib.metadata import PackageNotFoundError, version
from typing import Any

import numpy as np

from lagrangian.plots.quantities import WORK_LABELS
from lagrangian.report.html import Html, definition_list, figure, join_html, number, paragraph, short_number, table
from lagrangian.report.subject import ReportSection, ReportSubject, constraints_verdict, energy_verdict


def energy(subject: ReportSubject) -> Html | None:
    motion = subject.motion
    if not len(motion.t):
        return None
    verdict = energy_verdict(motion)
    blocks = [paragraph(verdict.sentence)]
    rounding = subject.rounding
    if not rounding.still:
        alt = f"energies of {motion.name} over time, and the error of their balance"
        blocks.append(figure(motion.plot("energy", "balance"), alt))
    kinetic = rounding.without(motion.kinetic_energy, "energy")
    stored = (
        ("kinetic energy", kinetic),
        ("potential energy", motion.potential_energy),
        ("together", kinetic + motion.potential_energy),
    )
    min_change, min_energy = (
        rounding.of("potential"),
        0.0 if rounding.still else rounding.of("energy"),
    )  # less than this is rounding
    rows: list[tuple[Any, ...]] = [
        (name, *(number(x[k] if abs(x[k]) > min_energy else 0.0) for k in (0, -1)), _signed_number(x[-1] - x[0], min_change))
        for name, x in stored
    ]
    for source, work in motion.work.items():
        total = np.asarray(work).reshape(len(motion.t), -1).sum(axis=1)
        if np.abs(total).max() > min_change:
            rows.append((WORK_LABELS.get(source, f"work of {source}"), "", "", _signed_number(total[-1] - total[0], min_change)))
    balance = rounding.without(motion.balance, "balance")
    rows.append(("remainder (error)", "", "", short_number(float(balance[-1]))))
    blocks.append(table(("[J]", "start", "end", "change"), rows))
    if not rounding.still:
        largest_error = float(np.abs(balance).max())
        sentence = Html(
            f"The largest error is {short_number(largest_error)} J. The largest energy that moved is {number(motion.energy_scale)} J."
        )
        blocks.append(paragraph(sentence, css_class="quiet"))
    return join_html(blocks)


def _signed_number(x: float, rounding: float) -> Html:
    return Html("0" if abs(x) < rounding else f"{'−' if x < 0 else '+'}{number(abs(x))}")


def constraints(subject: ReportSubject) -> Html | None:
    motion = subject.motion
    if not motion.constraint_names or not len(motion.t):
        return None
    blocks = [paragraph(constraints_verdict(motion).sentence)]
    s = motion.statistics
    rows = []
    if "drift_at_steps" in s:
        rows = [
            ("at the integrator's steps", short_number(s["drift_at_steps"])),
            ("between them", short_number(s["drift_between_steps"])),
        ]
    rows += [
        ("in the rows", short_number(motion.drift.max())),
        ("of its rate, in the rows", short_number(motion.rate_drift.max())),
    ]
    blocks.append(table(("largest violation of a constraint", "[m or 1; /s]"), rows))
    if np.any(motion.drift) or np.any(motion.rate_drift):
        blocks.append(figure(motion.plot("drift"), f"violation of the constraints of {motion.name} over time"))
    return join_html(blocks)


def events(subject: ReportSubject) -> Html | None:
    motion = subject.motion
    if not motion.events:
        return None
    column_count = min(len(motion.coordinate_names), 6)
    units = subject.coordinate_units
    head = (
        "event",
        "t [s]",
        *(f"{n} [{u}]" if u else n for n, u in zip(motion.coordinate_names[:column_count], units, strict=False)),
    )
    rows = [(e.name, number(e.t, 8), *(number(x, 5) for x in e.q[:column_count])) for e in motion.events]
    return table(head, rows)


ENERGY = ReportSection("energy", "Energy", energy)
CONSTRAINTS = ReportSection("constraints", "Constraints", constraints)
EVENTS = ReportSection("events", "Events", events)


# MERGED lagrangian.report.parts.solver: How the run was computed, so that it can be done again.

_LABELS = {
    "accepted": "Steps",
    "rejected": "Rejected steps",
    "evaluations": "Evaluations",
    "rtol": "Relative tolerance",
    "atol": "Absolute tolerance",
    "stabilisation": "Stabilisation of constraints",
    "alpha": "Baumgarte alpha [1/s]",
    "beta": "Baumgarte beta [1/s]",
    "drift_at_steps": "Drift at the steps",
    "drift_between_steps": "Drift between the steps",
    "independence": "Independence of the constraints",
}


def solver(subject: ReportSubject) -> Html:
    motion = subject.motion
    s = motion.statistics
    pairs: list[tuple[str, Any]] = [("Method", s.get("method", "")), ("Ended", motion.message)]
    if len(motion.t):
        span = f"{motion.t[0]:g} to {motion.t[-1]:.6g} s"
        pairs += [("Time", span), ("Rows", len(motion.t))]
    for key, value in s.items():
        if key in ("method", "adaptive") or value in (None, 0.0, ""):
            continue
        pairs.append((_LABELS.get(key, key.replace("_", " ").capitalize()), _format_statistic(value)))
    pairs.append(("Versions", ", ".join(software_versions())))
    sentence = "The same mechanism, start, torques and tolerances give these rows again."
    return join_html([definition_list(pairs), paragraph(sentence, css_class="quiet")])


def _format_statistic(value: Any) -> Any:
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return str(value)
    return value if isinstance(value, int) else short_number(value) if abs(value) < 1e-3 else number(value)


def software_versions() -> list[str]:
    """Of what took part."""
    names = []
    for name in ("lagrangian", "numpy", "llvmlite"):
        try:
            names.append(f"{name} {version(name)}")
        except PackageNotFoundError:
            continue
    return [*names, f"Python {platform.python_version()}", f"{platform.system()} {platform.machine()}"]


SOLVER = ReportSection("solver", "Method", solver)
