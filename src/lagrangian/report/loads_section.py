"""The sections of a report about loads: torques, forces of constraints, reactions of the joints, and motors and gears that can
do what the run asks of the driven joints.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from lagrangian.errors import join_names
from lagrangian.report.html import Html, collapsible, element, figure, join_html, number, number_column, paragraph, table
from lagrangian.report.subject import ReportSection, ReportSubject, section_body
from lagrangian.sizing.actuators import ActuatorSizing, size_actuators
from lagrangian.sizing.motors import RPM

MAX_REACTION_JOINTS = 200  # joints above which reactions are not computed for a report
MAX_SIZED_JOINTS = 30  # joints: of more, sizing is a task of its own


def forces(subject: ReportSubject) -> Html | None:
    motion = subject.motion
    if not len(motion.t):
        return None
    tau, multipliers = (subject.rounding.without(x, "torques") for x in (motion.tau, motion.multipliers))
    driven = [name for k, name in enumerate(motion.speed_names) if np.any(tau[:, k])]
    blocks: list[Any] = [paragraph("No torque acts at the joints in this run.")]
    if driven:
        blocks = [figure(motion.plot("torques", joints=driven), f"torques of {motion.name} over time")]
    if motion.constraint_names:
        blocks.append(element("h3", "Constraint forces"))
        if np.any(multipliers):
            blocks.append(figure(motion.plot("multipliers"), f"constraint forces of {motion.name} over time"))
        blocks.append(_multipliers(subject))
    if motion.wrenches:
        blocks += [element("h3", "External forces"), _peak_table(subject, motion.wrenches)]
    blocks += [
        element("h3", "Reactions at the joints"),
        section_body(ReportSection("reactions", "reactions", _reactions), subject),
    ]
    return join_html(blocks)


def _multipliers(subject: ReportSubject) -> Html:
    motion = subject.motion
    from lagrangian.plots.quantities import multiplier_units

    rows = []
    forces_of = subject.rounding.without(motion.multipliers, "multipliers")
    for k, (name, unit) in enumerate(zip(motion.constraint_names, multiplier_units(motion), strict=True)):
        values = forces_of[:, k]
        at = float(motion.t[int(np.abs(values).argmax())])
        rows.append((name, number(np.abs(values).max()), unit, number(at), number(subject.rms(values))))
    body = table(("constraint equation", "peak |λ|", "", "at t [s]", "RMS"), rows, left_aligned=(0, 2))
    return collapsible(f"{len(rows)} constraint equations", body, len(rows) <= 12)


def _peak_table(subject: ReportSubject, wrenches: dict[str, np.ndarray]) -> Html:
    t = subject.motion.t
    rows = []
    largest = max((float(np.abs(wrench).max()) for wrench in wrenches.values()), default=0.0)
    rounding = max(1e-12 * largest, subject.rounding.of("reactions"))  # less is rounding
    for name, wrench in wrenches.items():
        wrench = np.where(np.abs(wrench) < rounding, 0.0, wrench)
        moment, force = np.linalg.norm(wrench[:, :3], axis=1), np.linalg.norm(wrench[:, 3:], axis=1)
        at_force, at_moment = float(t[force.argmax()]), float(t[moment.argmax()])
        rows.append((name, number(force.max()), number(at_force), number(moment.max()), number(at_moment)))
    return table(("", "peak force [N]", "at t [s]", "peak moment [N m]", "at t [s]"), rows)


def _reactions(subject: ReportSubject) -> Html:
    model = subject.mechanism
    if len(model.joints) > MAX_REACTION_JOINTS:
        return paragraph(f"A report does not compute the reactions of {len(model.joints)} joints.", css_class="quiet")
    wrenches = subject.motion.reactions
    body = _peak_table(subject, {joint.name: wrenches[:, k] for k, joint in enumerate(model.joints)})
    sentence = "The largest force and moment during the run that each joint exerts on the body it moves, about the joint's frame."
    return join_html(
        [paragraph(sentence, css_class="quiet"), collapsible(f"{len(model.joints)} joints", body, len(model.joints) <= 12)]
    )


def actuators(subject: ReportSubject) -> Html:
    model, motion = subject.mechanism, subject.motion
    if subject.sizing is not None:
        introduction = "The chosen motors and gears; the last three columns are their margins:"
        return join_html([_demand_table(subject.sizing), *_motor_blocks(subject.sizing, introduction)])
    driven = [joint for joint in model.joints if joint.actuated and joint.kind.nv]
    if not driven or not np.any(motion.tau) or len(motion.t) < 2:
        return paragraph("No motors are chosen, because no driven joint has a torque in this run.")
    if len(driven) > MAX_SIZED_JOINTS:
        return paragraph(f"No motors are chosen, because {len(driven)} driven joints are too many for a report.")
    slides = [joint.name for joint in driven if any(joint.slides)]
    if slides:
        reason = (
            f"{join_names(slides, 8)} slide{'s' * (len(slides) == 1)}, and the travel per turn of a screw or pinion is not known"
        )
        sizing = size_actuators(model, motion, catalogue=False)
        return join_html([paragraph(f"The demand of the run. No motors are chosen, because {reason}."), _demand_table(sizing)])
    sizing = size_actuators(model, motion)
    introduction = (
        "The motors of the catalogue of the package that fit with the least power; the last three columns are their margins:"
    )
    return join_html([_demand_table(sizing), *_motor_blocks(sizing, introduction)])


def _demand_table(sizing: ActuatorSizing) -> Html:
    head = ("joint", "peak", "RMS", "", "peak speed", "RMS speed", "", "peak power [W]", "energy in [J]", "energy back [J]")
    quantities = ("peak_torque", "rms_torque", "peak_speed", "rms_speed", "peak_power", "energy", "energy_back")
    columns = zip(*(number_column(getattr(d, name) for d in sizing.demand.values()) for name in quantities), strict=True)
    rows = []
    for (name, d), (peak, rms, fastest, mean, power, energy, back) in zip(sizing.demand.items(), columns, strict=True):
        torque, speed, _ = d.units
        rows.append((name, peak, rms, torque, fastest, mean, speed, power, energy, back))
    introduction = paragraph(f"The run is taken as a repeated cycle of {sizing.cycle_time:.4g} s. At the joints:")
    return join_html([introduction, table(head, rows, left_aligned=(0, 3, 6))])


def _motor_blocks(sizing: ActuatorSizing, introduction: str) -> list[Any]:
    rows = []
    for name, a in sizing.actuators.items():
        best = a.best
        if best is None:
            continue
        margins = [f"{best.margins[k]:.2f}" if best.margins[k] < 99 else "> 99" for k in ("continuous", "peak", "speed")]
        motor = best.motor.name if a.chosen else f"none; nearest {best.motor.name}"
        speed = f"{best.peak_speed / RPM:.0f}"
        rows.append((name, motor, str(best.gear), number(best.rms_torque), number(best.peak_torque), speed, *margins))
    blocks: list[Any] = []
    if rows:
        head = ("joint", "motor", "gear", "RMS [N m]", "peak [N m]", "peak [rpm]", "continuous", "peak", "speed")
        blocks += [paragraph(introduction), table(head, rows, left_aligned=(0, 1, 2))]
    blocks += [
        paragraph(element("b", name), f": {a.message}", css_class="quiet") for name, a in sizing.actuators.items() if a.message
    ]
    if rows:
        caption = "Torque over speed at the motors, with the limits of the motors."
        blocks.append(figure(sizing.plot(), "torque over speed at the motors", caption))
    return blocks


FORCES = ReportSection("forces", "Forces", forces)
ACTUATORS = ReportSection("actuators", "Actuators", actuators)
