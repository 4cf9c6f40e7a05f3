"""Where the energy went, how well it balances, and how well the constraints were kept."""

from __future__ import annotations

from typing import Any

import numpy as np

from lagrangian.pictures.quantities import WORKS
from lagrangian.report.html import Html, figure, joined, number, paragraph, rough, table
from lagrangian.report.subject import Part, Subject
from lagrangian.report.verdict import constraints_verdict, energy_verdict


def energy(subject: Subject) -> Html | None:
    motion = subject.motion
    if not len(motion.t):
        return None
    verdict = energy_verdict(motion)
    found = [paragraph(verdict.sentence)]
    rounding = subject.rounding
    if not rounding.still:
        alt = f"energies of {motion.name} over time, and the error of their balance"
        found.append(figure(motion.plot("energy", "balance"), alt))
    kinetic = rounding.without(motion.kinetic_energy, "energy")
    stored = (
        ("kinetic energy", kinetic),
        ("potential energy", motion.potential_energy),
        ("together", kinetic + motion.potential_energy),
    )
    least, tiny = rounding.of("potential"), 0.0 if rounding.still else rounding.of("energy")  # less than this is rounding
    rows: list[tuple[Any, ...]] = [
        (name, *(number(x[k] if abs(x[k]) > tiny else 0.0) for k in (0, -1)), _signed(x[-1] - x[0], least)) for name, x in stored
    ]
    for source, done in motion.work.items():
        total = np.asarray(done).reshape(len(motion.t), -1).sum(axis=1)
        if np.abs(total).max() > least:
            rows.append((WORKS.get(source, f"work of {source}"), "", "", _signed(total[-1] - total[0], least)))
    balance = rounding.without(motion.balance, "balance")
    rows.append(("remainder (error)", "", "", rough(float(balance[-1]))))
    found.append(table(("[J]", "start", "end", "change"), rows))
    if not rounding.still:
        off = float(np.abs(balance).max())
        told = Html(f"The largest error is {rough(off)} J. The largest energy that moved is {number(motion.energy_scale)} J.")
        found.append(paragraph(told, kind="quiet"))
    return joined(found)


def _signed(x: float, least: float) -> Html:
    return Html("0" if abs(x) < least else f"{'−' if x < 0 else '+'}{number(abs(x))}")


def constraints(subject: Subject) -> Html | None:
    motion = subject.motion
    if not motion.constraint_names or not len(motion.t):
        return None
    found = [paragraph(constraints_verdict(motion).sentence)]
    s = motion.statistics
    rows = []
    if "drift_at_steps" in s:
        rows = [("at the integrator's steps", rough(s["drift_at_steps"])), ("between them", rough(s["drift_between_steps"]))]
    rows += [("in the rows", rough(motion.drift.max())), ("of its rate, in the rows", rough(motion.rate_drift.max()))]
    found.append(table(("largest violation of a constraint", "[m or 1; /s]"), rows))
    if np.any(motion.drift) or np.any(motion.rate_drift):
        found.append(figure(motion.plot("drift"), f"violation of the constraints of {motion.name} over time"))
    return joined(found)


def events(subject: Subject) -> Html | None:
    motion = subject.motion
    if not motion.events:
        return None
    shown = min(len(motion.coordinate_names), 6)
    units = subject.coordinate_units
    head = ("event", "t [s]", *(f"{n} [{u}]" if u else n for n, u in zip(motion.coordinate_names[:shown], units, strict=False)))
    rows = [(e.name, number(e.t, 8), *(number(x, 5) for x in e.q[:shown])) for e in motion.events]
    return table(head, rows)


ENERGY = Part("energy", "Energy", energy)
CONSTRAINTS = Part("constraints", "Constraints", constraints)
EVENTS = Part("events", "Events", events)
