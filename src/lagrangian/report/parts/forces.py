"""Torques, forces of constraints, and what the joints have to bear."""

from __future__ import annotations

from typing import Any

import numpy as np

from lagrangian.report.html import Html, element, figure, folded, joined, number, paragraph, table
from lagrangian.report.subject import Part, Subject, made

LARGE = 200  # joints above which reactions are not computed for a report


def forces(subject: Subject) -> Html | None:
    motion = subject.motion
    if not len(motion.t):
        return None
    tau, multipliers = (subject.rounding.without(x, "torques") for x in (motion.tau, motion.multipliers))
    driven = [name for k, name in enumerate(motion.speed_names) if np.any(tau[:, k])]
    found: list[Any] = [paragraph("No torque acts at the joints in this run.")]
    if driven:
        found = [figure(motion.plot("torques", joints=driven), f"torques of {motion.name} over time")]
    if motion.constraint_names:
        found.append(element("h3", "Constraint forces"))
        if np.any(multipliers):
            found.append(figure(motion.plot("multipliers"), f"constraint forces of {motion.name} over time"))
        found.append(_multipliers(subject))
    if motion.wrenches:
        found += [element("h3", "External forces"), _peaks(subject, motion.wrenches)]
    found += [element("h3", "Reactions at the joints"), made(Part("reactions", "reactions", _reactions), subject)]
    return joined(found)


def _multipliers(subject: Subject) -> Html:
    motion = subject.motion
    from lagrangian.pictures.quantities import multiplier_units

    rows = []
    forces_of = subject.rounding.without(motion.multipliers, "multipliers")
    for k, (name, unit) in enumerate(zip(motion.constraint_names, multiplier_units(motion), strict=True)):
        values = forces_of[:, k]
        at = float(motion.t[int(np.abs(values).argmax())])
        rows.append((name, number(np.abs(values).max()), unit, number(at), number(subject.rms(values))))
    body = table(("constraint equation", "peak |λ|", "", "at t [s]", "RMS"), rows, left=(0, 2))
    return folded(f"{len(rows)} constraint equations", body, len(rows) <= 12)


def _reactions(subject: Subject) -> Html:
    model = subject.mechanism
    if len(model.joints) > LARGE:
        return paragraph(f"A report does not compute the reactions of {len(model.joints)} joints.", kind="quiet")
    wrenches = subject.motion.reactions
    body = _peaks(subject, {joint.name: wrenches[:, k] for k, joint in enumerate(model.joints)})
    told = "The largest force and moment during the run that each joint exerts on the body it moves, about the joint's frame."
    return joined([paragraph(told, kind="quiet"), folded(f"{len(model.joints)} joints", body, len(model.joints) <= 12)])


def _peaks(subject: Subject, wrenches: dict[str, np.ndarray]) -> Html:
    t = subject.motion.t
    rows = []
    largest = max((float(np.abs(wrench).max()) for wrench in wrenches.values()), default=0.0)
    least = max(1e-12 * largest, subject.rounding.of("reactions"))  # less is rounding
    for name, wrench in wrenches.items():
        wrench = np.where(np.abs(wrench) < least, 0.0, wrench)
        moment, force = np.linalg.norm(wrench[:, :3], axis=1), np.linalg.norm(wrench[:, 3:], axis=1)
        at_force, at_moment = float(t[force.argmax()]), float(t[moment.argmax()])
        rows.append((name, number(force.max()), number(at_force), number(moment.max()), number(at_moment)))
    return table(("", "peak force [N]", "at t [s]", "peak moment [N m]", "at t [s]"), rows)


FORCES = Part("forces", "Forces", forces)
