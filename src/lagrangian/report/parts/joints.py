"""What the joints did: their coordinates and speeds over time, and how far, how fast and how strongly each went."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from lagrangian.motion.result.over_limits import limits
from lagrangian.report.html import MOST, ROUNDING, Html, column, element, figure, joined, number, paragraph, table
from lagrangian.report.subject import Part, Subject, made


def joints(subject: Subject) -> Html:
    motion = subject.motion
    if not len(motion.t):
        return paragraph("The run has no rows.")
    alt = f"coordinates and speeds of {motion.name} over time"
    found: list[Any] = [paragraph(element("b", "✗", class_="bad"), f" {x}.", kind="over") for x in subject.passed]
    found += [figure(motion.plot("coordinates", "speeds", angles=subject.angles), alt), _ranges(subject), _speeds(subject)]
    if subject.motion.mechanism is not None and subject.traced:
        found.append(made(Part("path", "paths of frames", _path), subject) or "")
    return joined(found)


def _ranges(subject: Subject) -> Html:
    motion = subject.motion
    rows: list[Sequence[Any]] = []
    q = subject.rounding.without(motion.q, "coordinates")
    least = ROUNDING * float(np.abs(q[np.isfinite(q)]).max(initial=0.0))
    ends = np.column_stack([q[0], q[-1], q.min(axis=0), q.max(axis=0)])
    ends[np.abs(ends) < least] = 0.0
    units, allowed = subject.coordinate_units, limits(motion, "position")
    passed = {(x.index, x.value) for x in subject.passed if x.what == "position"}
    told = zip(motion.coordinate_names[:MOST], units, ends.tolist(), strict=False)
    for k, (name, unit, (start, end, *both)) in enumerate(told):
        low, high = both
        degrees = Html(f"{number(math.degrees(low))}° to {number(math.degrees(high))}°") if unit == "rad" else ""
        limit = Html(f"{number(allowed[k, 0])} to {number(allowed[k, 1])}") if np.isfinite(allowed[k]).any() else ""
        reached = [_marked(number(x), (k, x) in passed) for x in both]
        rows.append((name, number(start), number(end), *reached, limit, unit or "quaternion", degrees))
    rows += [()] * (q.shape[1] - len(rows))
    head = ("coordinate", "start", "end", "least", "most", "limits", "unit", "in degrees")
    return table(head, rows, left=(0, 6), marked={k for k, _ in passed})


def _speeds(subject: Subject) -> Html:
    motion, rounding = subject.motion, subject.rounding
    rows: list[Sequence[Any]] = []
    tau = rounding.without(motion.tau, "torques")
    both = rounding.without(motion.qd, "speeds"), rounding.without(motion.qdd, "accelerations")
    speed, acceleration, peak = (column(np.abs(x).max(axis=0)) for x in (*both, tau))
    passed = {(x.index, x.what) for x in subject.passed if x.what != "position"}
    fastest, strongest = (_most(limits(motion, what)) for what in ("speed", "effort"))
    for k, (name, unit) in enumerate(zip(motion.speed_names[:MOST], subject.speed_units, strict=False)):
        force = subject.force_unit(k)
        at = float(motion.t[int(np.abs(tau[:, k]).argmax())])
        torque: tuple[Any, ...] = ("", "", "", "", "")
        if np.any(tau[:, k]):
            most = _marked(peak[k], (k, "effort") in passed)
            torque = (most, strongest[k], number(at), number(subject.rms(tau[:, k])), force)
        most = _marked(speed[k], (k, "speed") in passed)
        rows.append((name, most, fastest[k], f"{unit}/s", acceleration[k], f"{unit}/s²", *torque))
    rows += [()] * (len(motion.speed_names) - len(rows))
    force = "torque or force" if len({subject.force_unit(k) for k in range(len(motion.speed_names))}) > 1 else "torque"
    head = (
        *("joint", "peak speed", "limit", "", "peak acceleration", ""),
        *(f"peak {force}", "limit", "at t [s]", f"RMS {force}", ""),
    )
    return table(head, rows, left=(0, 3, 5, 10), marked={k for k, _ in passed})


def _marked(x: Html, over: bool) -> Html:
    """A number that is beyond its limit."""
    return element("b", x, class_="bad") if over else x


def _most(allowed: np.ndarray) -> list[Html]:
    """Limits of sizes; nothing where there is none."""
    return [number(x) if np.isfinite(x) else Html("") for x in allowed[:, 1]]


def _path(subject: Subject) -> Html:
    names = subject.traced
    told = f"The path of {' and '.join(names)}."
    return figure(subject.motion.plot_path(*names), f"path of {', '.join(names)}", told)


JOINTS = Part("joints", "Motion", joints)
