"""Motors and gears that could do what this run asks of the driven joints."""

from __future__ import annotations

from typing import Any

import numpy as np

from lagrangian.report.html import Html, column, element, figure, joined, number, paragraph, table
from lagrangian.report.subject import Part, Subject
from lagrangian.sizing.actuators import Sizing, size_actuators
from lagrangian.sizing.motors import RPM

LARGE = 30  # joints: of more, sizing is a task of its own


def actuators(subject: Subject) -> Html:
    model, motion = subject.mechanism, subject.motion
    if subject.sizing is not None:
        told = "The chosen motors and gears; the last three columns are their margins:"
        return joined([_demand(subject.sizing), *_motors(subject.sizing, told)])
    driven = [joint for joint in model.joints if joint.actuated and joint.kind.nv]
    if not driven or not np.any(motion.tau) or len(motion.t) < 2:
        return paragraph("No motors are chosen, because no driven joint has a torque in this run.")
    if len(driven) > LARGE:
        return paragraph(f"No motors are chosen, because {len(driven)} driven joints are too many for a report.")
    slides = [joint.name for joint in driven if any(joint.slides)]
    if slides:
        why = f"{_listed(slides)} slide{'s' * (len(slides) == 1)}, and the travel per turn of a screw or pinion is not known"
        sizing = size_actuators(model, motion, catalogue=False)
        return joined([paragraph(f"The demand of the run. No motors are chosen, because {why}."), _demand(sizing)])
    sizing = size_actuators(model, motion)
    told = "The motors of the catalogue of the package that fit with the least power; the last three columns are their margins:"
    return joined([_demand(sizing), *_motors(sizing, told)])


def _listed(names: list[str], most: int = 8) -> str:
    return ", ".join(names[:most]) + (f" and {len(names) - most} more" if len(names) > most else "")


def _demand(sizing: Sizing) -> Html:
    head = ("joint", "peak", "RMS", "", "peak speed", "RMS speed", "", "peak power [W]", "energy in [J]", "energy back [J]")
    what = ("peak_torque", "rms_torque", "peak_speed", "rms_speed", "peak_power", "energy", "energy_back")
    columns = zip(*(column(getattr(d, name) for d in sizing.demand.values()) for name in what), strict=True)
    rows = []
    for (name, d), (peak, rms, fastest, mean, power, energy, back) in zip(sizing.demand.items(), columns, strict=True):
        torque, speed, _ = d.units
        rows.append((name, peak, rms, torque, fastest, mean, speed, power, energy, back))
    told = paragraph(f"The run is taken as a repeated cycle of {sizing.cycle_time:.4g} s. At the joints:")
    return joined([told, table(head, rows, left=(0, 3, 6))])


def _motors(sizing: Sizing, told: str) -> list[Any]:
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
        found += [paragraph(told), table(head, rows, left=(0, 1, 2))]
    found += [paragraph(element("b", name), f": {a.message}", kind="quiet") for name, a in sizing.actuators.items() if a.message]
    if rows:
        caption = "Torque over speed at the motors, with the limits of the motors."
        found.append(figure(sizing.plot(), "torque over speed at the motors", caption))
    return found


ACTUATORS = Part("actuators", "Actuators", actuators)
