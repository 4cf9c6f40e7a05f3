"""What the joints did: their coordinates and speeds over time, and how far, how fast and how strongly each went."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from lagrangian.report.html import Html, figure, joined, number, paragraph, table
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
    rows = []
    for k, (name, unit) in enumerate(zip(motion.coordinate_names, subject.coordinate_units, strict=True)):
        q = motion.q[:, k]
        low, high = float(q.min()), float(q.max())
        degrees = Html(f"{number(math.degrees(low))}° to {number(math.degrees(high))}°") if unit == "rad" else ""
        rows.append((name, number(q[0]), number(q[-1]), number(low), number(high), unit or "quaternion", degrees))
    return table(("coordinate", "start", "end", "least", "most", "unit", "in degrees"), rows, left=(0, 5))


def _speeds(subject: Subject) -> Html:
    motion = subject.motion
    rows = []
    for k, (name, unit) in enumerate(zip(motion.speed_names, subject.speed_units, strict=True)):
        tau, force = motion.tau[:, k], subject.force_unit(k)
        at = float(motion.t[int(np.abs(tau).argmax())])
        idle = not np.any(tau)
        torque = ("", "", "", "") if idle else (number(np.abs(tau).max()), number(at), number(subject.rms(tau)), force)
        peaks = (number(np.abs(motion.qd[:, k]).max()), f"{unit}/s", number(np.abs(motion.qdd[:, k]).max()), f"{unit}/s²")
        rows.append((name, *peaks, *torque))
    force = "torque or force" if len({subject.force_unit(k) for k in range(len(rows))}) > 1 else "torque"
    head = ("joint", "peak speed", "", "peak acceleration", "", f"peak {force}", "at t [s]", f"RMS {force}", "")
    return table(head, rows, left=(0, 2, 4, 8))


def _path(subject: Subject) -> Html:
    names = subject.traced
    told = f"The way of {' and '.join(names)}."
    return figure(subject.motion.plot_path(*names), f"path of {', '.join(names)}", told)


JOINTS = Part("joints", "Motion", joints)
