"""The sections of a report about energy, constraints and events: where the energy went, how well it balances, and how well the
constraints were kept.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from lagrangian.plots.quantities import WORK_LABELS
from lagrangian.report.html import Html, figure, join_html, number, paragraph, short_number, table
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
    balance = rounding.without(motion.energy_balance, "balance")
    rows.append(("remainder (error)", "", "", short_number(float(balance[-1]))))
    blocks.append(table(("[J]", "start", "end", "change"), rows))
    if not rounding.still:
        largest_error = float(np.abs(balance).max())
        sentence = Html(
            f"The largest error is {short_number(largest_error)} J. "
            f"The largest energy that moved is {number(motion.energy_scale)} J."
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
