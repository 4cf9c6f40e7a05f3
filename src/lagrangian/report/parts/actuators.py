"""Motors and gears that could do what this run asks of the driven joints."""

from __future__ import annotations

from typing import Any

import numpy as np

from lagrangian.errors import ArgumentError
from lagrangian.report.html import Html, element, figure, joined, number, paragraph, table
from lagrangian.report.subject import Part, Subject
from lagrangian.task.actuators import Sizing, size_actuators
from lagrangian.task.motors import RPM

LARGE = 30  # joints: of more, sizing is a task of its own


def actuators(subject: Subject) -> Html:
    model, motion = subject.mechanism, subject.motion
    driven = [joint for joint in model.joints if joint.actuated and joint.kind.nv]
    if not driven or not np.any(motion.tau) or len(motion.t) < 2:
        return paragraph("There is nothing to size: no driven joint has a torque in this run.")
    if len(driven) > LARGE:
        return paragraph(f"{len(driven)} driven joints are not sized for a report; lagrangian.size_actuators does it.")
    try:
        sizing = size_actuators(model, motion)
        return joined([_demand(sizing), *_motors(sizing)])
    except ArgumentError as error:
        sizing = size_actuators(model, motion, catalogue=False)
        return joined([paragraph(f"What the run asks; motors are not chosen: {error}"), _demand(sizing)])


def _demand(sizing: Sizing) -> Html:
    head = ("joint", "peak", "RMS", "", "peak speed", "RMS speed", "", "peak power [W]", "energy in [J]", "energy back [J]")
    rows = []
    for name, d in sizing.demand.items():
        torque, speed, _ = d.units
        asked = (number(d.peak_torque), number(d.rms_torque), torque, number(d.peak_speed), number(d.rms_speed), speed)
        rows.append((name, *asked, number(d.peak_power), number(d.energy), number(d.energy_back)))
    told = paragraph(f"Taken as a cycle of {sizing.cycle_time:.4g} s, repeated. At the joints:")
    return joined([told, table(head, rows, left=(0, 3, 6))])


def _motors(sizing: Sizing) -> list[Any]:
    rows = []
    for name, a in sizing.actuators.items():
        best = a.best
        if best is None:
            continue
        margins = [f"{best.margins[k]:.2f}" if best.margins[k] < 99 else "> 99" for k in ("continuous", "peak", "speed")]
        motor = best.motor.name if a.chosen else f"none; nearest {best.motor.name}"
        speed = f"{best.peak_speed / RPM:.0f}"
        rows.append((name, motor, str(best.gear), number(best.rms_torque), number(best.peak_torque), speed, *margins))
    found: list[Any] = []
    if rows:
        head = ("joint", "motor", "gear", "RMS [N m]", "peak [N m]", "peak [rpm]", "continuous", "peak", "speed")
        told = "Motors of the shipped catalogue that fit with the least power; the last three columns are their margins:"
        found += [paragraph(told), table(head, rows, left=(0, 1, 2))]
    found += [paragraph(element("b", name), f": {a.message}", kind="quiet") for name, a in sizing.actuators.items() if a.message]
    if rows:
        told = "Torque over speed at the motors, in what they can do."
        found.append(figure(sizing.plot(), "torque over speed at the motors", told))
    return found


ACTUATORS = Part("actuators", "Actuators", actuators)
