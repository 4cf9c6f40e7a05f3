"""What the joints did: their coordinates and speeds over time, and how far, how fast and how strongly each went."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from lagrangian.report.html import MOST, ROUNDING, Html, column, figure, joined, number, paragraph, table
from lagrangian.report.subject import Part, Subject, made


def joints(subject: Subject) -> Html:
    motion = subject.motion
    if not len(motion.t):
        return paragraph("The run has no rows.")
    alt = f"coordinates and speeds of {motion.name} over time"
    found: list[Any] = [figure(motion.plot("coordinates", "speeds"), alt), _ranges(subject), _speeds(subject)]
    if subject.motion.mechanism is not None and subject.traced:
        found.append(made(Part("path", "paths of frames", _path), subject) or "")
    return joined(found)


def _ranges(subject: Subject) -> Html:
    motion = subject.motion
    rows: list[Sequence[Any]] = []
    q = motion.q
    least = ROUNDING * float(np.abs(q[np.isfinite(q)]).max(initial=0.0))
    ends = np.column_stack([q[0], q[-1], q.min(axis=0), q.max(axis=0)])
    ends[np.abs(ends) < least] = 0.0
    units = subject.coordinate_units
    for name, unit, (start, end, low, high) in zip(motion.coordinate_names[:MOST], units, ends.tolist(), strict=False):
        degrees = Html(f"{number(math.degrees(low))}° to {number(math.degrees(high))}°") if unit == "rad" else ""
        rows.append((name, number(start), number(end), number(low), number(high), unit or "quaternion", degrees))
    rows += [()] * (q.shape[1] - len(rows))
    return table(("coordinate", "start", "end", "least", "most", "unit", "in degrees"), rows, left=(0, 5))


def _speeds(subject: Subject) -> Html:
    motion = subject.motion
    rows: list[Sequence[Any]] = []
    speed, acceleration, peak = (column(np.abs(x).max(axis=0)) for x in (motion.qd, motion.qdd, motion.tau))
    for k, (name, unit) in enumerate(zip(motion.speed_names[:MOST], subject.speed_units, strict=False)):
        tau, force = motion.tau[:, k], subject.force_unit(k)
        at = float(motion.t[int(np.abs(tau).argmax())])
        idle = not np.any(tau)
        torque = ("", "", "", "") if idle else (peak[k], number(at), number(subject.rms(tau)), force)
        rows.append((name, speed[k], f"{unit}/s", acceleration[k], f"{unit}/s²", *torque))
    rows += [()] * (len(motion.speed_names) - len(rows))
    force = "torque or force" if len({subject.force_unit(k) for k in range(len(motion.speed_names))}) > 1 else "torque"
    head = ("joint", "peak speed", "", "peak acceleration", "", f"peak {force}", "at t [s]", f"RMS {force}", "")
    return table(head, rows, left=(0, 2, 4, 8))


def _path(subject: Subject) -> Html:
    names = subject.traced
    told = f"The way of {' and '.join(names)}."
    return figure(subject.motion.plot_path(*names), f"path of {', '.join(names)}", told)


JOINTS = Part("joints", "Motion", joints)
