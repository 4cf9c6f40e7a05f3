"""The section of a report about the motion: coordinates and speeds over time, and the extremes of each."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from lagrangian.motion.result.over_limits import limits
from lagrangian.report.html import MAX_ROWS, ROUNDING, Html, element, figure, join_html, number, number_column, paragraph, table
from lagrangian.report.subject import ReportSection, ReportSubject, section_body


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
    least = ROUNDING * float(np.abs(q[np.isfinite(q)]).max(initial=0.0))
    ends = np.column_stack([q[0], q[-1], q.min(axis=0), q.max(axis=0)])
    ends[np.abs(ends) < least] = 0.0
    units, allowed = subject.coordinate_units, limits(motion, "position")
    exceeded = {(x.index, x.value) for x in subject.exceeded_limits if x.what == "position"}
    named_ends = zip(motion.coordinate_names[:MAX_ROWS], units, ends.tolist(), strict=False)
    for k, (name, unit, (start, end, *extremes)) in enumerate(named_ends):
        low, high = extremes
        degrees = Html(f"{number(math.degrees(low))}° to {number(math.degrees(high))}°") if unit == "rad" else ""
        limit = Html(f"{number(allowed[k, 0])} to {number(allowed[k, 1])}") if np.isfinite(allowed[k]).any() else ""
        extreme_cells = [_highlight(number(x), (k, x) in exceeded) for x in extremes]
        rows.append((name, number(start), number(end), *extreme_cells, limit, unit or "quaternion", degrees))
    rows += [()] * (q.shape[1] - len(rows))
    head = ("coordinate", "start", "end", "least", "most", "limits", "unit", "in degrees")
    return table(head, rows, left_aligned=(0, 6), highlighted={k for k, _ in exceeded})


def _speed_table(subject: ReportSubject) -> Html:
    motion, rounding = subject.motion, subject.rounding
    rows: list[Sequence[Any]] = []
    tau = rounding.without(motion.tau, "torques")
    speeds_and_accelerations = rounding.without(motion.qd, "speeds"), rounding.without(motion.qdd, "accelerations")
    speed, acceleration, peak = (number_column(np.abs(x).max(axis=0)) for x in (*speeds_and_accelerations, tau))
    exceeded = {(x.index, x.what) for x in subject.exceeded_limits if x.what != "position"}
    fastest, strongest = (_limit_cells(limits(motion, quantity)) for quantity in ("speed", "effort"))
    for k, (name, unit) in enumerate(zip(motion.speed_names[:MAX_ROWS], subject.speed_units, strict=False)):
        force = subject.force_unit(k)
        at = float(motion.t[int(np.abs(tau[:, k]).argmax())])
        torque: tuple[Any, ...] = ("", "", "", "", "")
        if np.any(tau[:, k]):
            peak_cell = _highlight(peak[k], (k, "effort") in exceeded)
            torque = (peak_cell, strongest[k], number(at), number(subject.rms(tau[:, k])), force)
        peak_cell = _highlight(speed[k], (k, "speed") in exceeded)
        rows.append((name, peak_cell, fastest[k], f"{unit}/s", acceleration[k], f"{unit}/s²", *torque))
    rows += [()] * (len(motion.speed_names) - len(rows))
    force = "torque or force" if len({subject.force_unit(k) for k in range(len(motion.speed_names))}) > 1 else "torque"
    head = (
        *("joint", "peak speed", "limit", "", "peak acceleration", ""),
        *(f"peak {force}", "limit", "at t [s]", f"RMS {force}", ""),
    )
    return table(head, rows, left_aligned=(0, 3, 5, 10), highlighted={k for k, _ in exceeded})


def _highlight(x: Html, is_over: bool) -> Html:
    """A number, in bold if it is beyond its limit."""
    return element("b", x, class_="bad") if is_over else x


def _limit_cells(allowed: np.ndarray) -> list[Html]:
    """Table cells with the upper limits; a cell is empty where there is no limit."""
    return [number(x) if np.isfinite(x) else Html("") for x in allowed[:, 1]]


def _path_figure(subject: ReportSubject) -> Html:
    names = subject.traced_frames
    caption = f"The path of {' and '.join(names)}."
    return figure(subject.motion.plot_path(*names), f"path of {', '.join(names)}", caption)


JOINTS = ReportSection("joints", "Motion", joints)
