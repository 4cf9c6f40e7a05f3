"""The sections of a report about the motion: coordinates and speeds, energy, constraints and events.

They show the extremes of each coordinate and speed, where the energy went and how well it balances, and how well the constraints
were kept.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from lagrangian.motion.result.over_limits import limits
from lagrangian.plots.quantities import WORK_LABELS
from lagrangian.report.html import (
    MAX_ROWS,
    ROUNDING,
    Html,
    element,
    figure,
    join_html,
    number,
    number_column,
    paragraph,
    short_number,
    table,
)
from lagrangian.report.subject import ReportSection, ReportSubject, constraints_verdict, energy_verdict, section_body


def joints(subject: ReportSubject) -> Html:
    motion = subject.motion
    if not len(motion.t):
        return paragraph("The run has no rows.")
    alt = f"coordinates and speeds of {motion.name} over time"
    blocks: list[Any] = [paragraph(element("b", "✗", class_="bad"), f" {x}.", css_class="over") for x in subject.exceeded_limits]
    blocks += [
        figure(motion.plot("coordinates", "speeds", angles=subject.angles), alt),
        _coordinate_table(subject),
        _speed_table(subject),
    ]
    if subject.motion.mechanism is not None and subject.traced_frames:
        blocks.append(section_body(ReportSection("path", "paths of frames", _path_figure), subject) or "")
    return join_html(blocks)


def _coordinate_table(subject: ReportSubject) -> Html:
    motion = subject.motion
    rows: list[Sequence[Any]] = []
    q = subject.rounding.without(motion.q, "coordinates")
    zero_tolerance = ROUNDING * float(np.abs(q[np.isfinite(q)]).max(initial=0.0))
    ends_and_extremes = np.column_stack([q[0], q[-1], q.min(axis=0), q.max(axis=0)])
    ends_and_extremes[np.abs(ends_and_extremes) < zero_tolerance] = 0.0
    units, position_limits = subject.coordinate_units, limits(motion, "position")
    exceeded = {(x.index, x.value) for x in subject.exceeded_limits if x.what == "position"}
    named_values = zip(motion.coordinate_names[:MAX_ROWS], units, ends_and_extremes.tolist(), strict=False)
    for k, (name, unit, (start, end, *extremes)) in enumerate(named_values):
        low, high = extremes
        degrees_cell = Html(f"{number(math.degrees(low))}° to {number(math.degrees(high))}°") if unit == "rad" else ""
        limit_cell = (
            Html(f"{number(position_limits[k, 0])} to {number(position_limits[k, 1])}")
            if np.isfinite(position_limits[k]).any()
            else ""
        )
        extreme_cells = [_highlight(number(x), (k, x) in exceeded) for x in extremes]
        rows.append((name, number(start), number(end), *extreme_cells, limit_cell, unit or "quaternion", degrees_cell))
    rows += [()] * (q.shape[1] - len(rows))  # the table only counts them
    head = ("coordinate", "start", "end", "least", "most", "limits", "unit", "in degrees")
    return table(head, rows, left_aligned=(0, 6), highlighted={k for k, _ in exceeded})


def _speed_table(subject: ReportSubject) -> Html:
    motion, rounding = subject.motion, subject.rounding
    rows: list[Sequence[Any]] = []
    tau = rounding.without(motion.tau, "torques")
    speeds_and_accelerations = rounding.without(motion.qd, "speeds"), rounding.without(motion.qdd, "accelerations")
    peak_speeds, peak_accelerations, peak_torques = (
        number_column(np.abs(x).max(axis=0)) for x in (*speeds_and_accelerations, tau)
    )
    exceeded = {(x.index, x.what) for x in subject.exceeded_limits if x.what != "position"}
    speed_limit_cells, effort_limit_cells = (_limit_cells(limits(motion, quantity)) for quantity in ("speed", "effort"))
    for k, (name, unit) in enumerate(zip(motion.speed_names[:MAX_ROWS], subject.speed_units, strict=False)):
        force_unit = subject.force_unit(k)
        peak_time = float(motion.t[int(np.abs(tau[:, k]).argmax())])
        torque_cells: tuple[Any, ...] = ("", "", "", "", "")
        if np.any(tau[:, k]):
            peak_cell = _highlight(peak_torques[k], (k, "effort") in exceeded)
            torque_cells = (peak_cell, effort_limit_cells[k], number(peak_time), number(subject.rms(tau[:, k])), force_unit)
        peak_cell = _highlight(peak_speeds[k], (k, "speed") in exceeded)
        rows.append((name, peak_cell, speed_limit_cells[k], f"{unit}/s", peak_accelerations[k], f"{unit}/s²", *torque_cells))
    rows += [()] * (len(motion.speed_names) - len(rows))  # the table only counts them
    force_noun = "torque or force" if len({subject.force_unit(k) for k in range(len(motion.speed_names))}) > 1 else "torque"
    head = (
        *("joint", "peak speed", "limit", "", "peak acceleration", ""),
        *(f"peak {force_noun}", "limit", "at t [s]", f"RMS {force_noun}", ""),
    )
    return table(head, rows, left_aligned=(0, 3, 5, 10), highlighted={k for k, _ in exceeded})


def _highlight(x: Html, is_over: bool) -> Html:
    """A number, in bold if it is beyond its limit."""
    return element("b", x, class_="bad") if is_over else x


def _limit_cells(limits_of_speeds: np.ndarray) -> list[Html]:
    """Table cells with the upper limits; a cell is empty where there is no limit."""
    return [number(x) if np.isfinite(x) else Html("") for x in limits_of_speeds[:, 1]]


def _path_figure(subject: ReportSubject) -> Html:
    names = subject.traced_frames
    caption = f"The path of {' and '.join(names)}."
    return figure(subject.motion.plot_path(*names), f"path of {', '.join(names)}", caption)


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
    energies = (
        ("kinetic energy", kinetic),
        ("potential energy", motion.potential_energy),
        ("together", kinetic + motion.potential_energy),
    )
    # less than this is rounding
    min_change = rounding.of("potential")
    min_energy = 0.0 if rounding.still else rounding.of("energy")
    rows: list[tuple[Any, ...]] = [
        (name, *(number(x[k] if abs(x[k]) > min_energy else 0.0) for k in (0, -1)), _signed_number(x[-1] - x[0], min_change))
        for name, x in energies
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


def _signed_number(x: float, zero_tolerance: float) -> Html:
    return Html("0" if abs(x) < zero_tolerance else f"{'−' if x < 0 else '+'}{number(abs(x))}")


def constraints(subject: ReportSubject) -> Html | None:
    motion = subject.motion
    if not motion.constraint_names or not len(motion.t):
        return None
    blocks = [paragraph(constraints_verdict(motion).sentence)]
    statistics = motion.statistics
    rows = []
    if "drift_at_steps" in statistics:
        rows = [
            ("at the integrator's steps", short_number(statistics["drift_at_steps"])),
            ("between them", short_number(statistics["drift_between_steps"])),
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


JOINTS = ReportSection("joints", "Motion", joints)
ENERGY = ReportSection("energy", "Energy", energy)
CONSTRAINTS = ReportSection("constraints", "Constraints", constraints)
EVENTS = ReportSection("events", "Events", events)
