"""The mechanism: what it is, its joints and bodies, how it can move."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from lagrangian.configuration.mobility import mobility
from lagrangian.model import printed_table as plain
from lagrangian.model.event import describe_event
from lagrangian.model.loop import Wall
from lagrangian.model.mechanism import Mechanism
from lagrangian.motion.result.over_limits import limits
from lagrangian.report.html import (
    MAX_ROWS,
    ROUNDING,
    Html,
    collapsible,
    definition_list,
    element,
    figure,
    join_html,
    number,
    number_column,
    paragraph,
    table,
)
from lagrangian.report.subject import ReportSection, ReportSubject, section_body

MAX_MOBILITY_JOINTS = 60  # joints above which mobility is not looked for: it needs the rank of a large matrix


def mechanism(subject: ReportSubject) -> Html:
    model = subject.mechanism
    blocks = [paragraph(line) for line in model.description.strip().splitlines() if line]
    blocks.append(_mobility(subject))
    blocks.append(_joints(model))
    blocks.append(_bodies(model))
    blocks.append(_other_parts(model))
    parameters = [(name, number(float(x), 6)) for name, x in model.parameters.items()]
    if parameters:
        blocks.append(collapsible(f"{len(parameters)} parameters", table(("parameter", "value"), parameters, max_rows=80)))
    if model.source:
        blocks.append(paragraph(f"Source: {' '.join(model.source.split())}", css_class="quiet"))
    blocks += [paragraph(f"Note: {note}", css_class="quiet") for note in model.notes]
    return join_html(x for x in blocks if x)


def _mobility(subject: ReportSubject) -> Html:
    model = subject.mechanism
    if len(model.joints) > MAX_MOBILITY_JOINTS:
        return paragraph(
            f"{model.nv} speeds, {model.equation_count} constraint equations; Gruebler's count gives {model.gruebler}."
        )
    motion = subject.motion
    return paragraph(str(mobility(model, motion.q[0], float(motion.t[0])) if len(motion.q) else mobility(model)))


def _joints(m: Mechanism) -> Html:
    head = (
        "",
        "joint",
        "type",
        "axis",
        "moves",
        "on",
        "at [m]",
        "orientation [rad]",
        "limits",
        "rotor [kg m²]",
        "friction",
        "drive",
    )
    rows: list[tuple[Any, ...]] = []
    all_driven = all(joint.actuated for joint in m.joints if joint.kind.nv)
    for k, joint in enumerate(m.joints[:MAX_ROWS], 1):
        low, high = joint.limits.lower, joint.limits.upper
        axis = ", ".join([*map(plain.axis_name, joint.axes), *joint.kind.table_notes(joint)])
        limits = "" if math.isinf(low) and math.isinf(high) else Html(f"{number(low)} to {number(high)}")
        at = "" if not any(map(float, joint.placement.position)) else _vector(joint.placement.position)
        drive = "" if joint.kind.nv == 0 or all_driven else "driven" if joint.actuated else "free"
        row = (
            k,
            joint.name,
            joint.type,
            axis,
            joint.child,
            joint.parent,
            at,
            _nonbreaking(plain.format_roll_pitch_yaw(joint.placement.rotation)),
            limits,
        )
        rows.append((*row, plain.format_nonzero(joint.rotor.reflected_inertia), _friction(joint), drive))
    return table(head, [*rows, *[()] * (len(m.joints) - len(rows))], left_aligned=(1, 2, 3, 4, 5, 6, 7, 8, 10, 11))


def _vector(x: Any) -> str:
    return _nonbreaking(plain.format_vector(x))


def _nonbreaking(words: str) -> str:
    """Kept on one line where its numbers are short."""
    return words.replace(" ", "\u00a0") if len(words) <= 30 else words


def _friction(joint: Any) -> Html:
    parts = [
        f"{name}\u00a0{number(float(x))}"
        for name, x in (("viscous", joint.friction.viscous), ("Coulomb", joint.friction.coulomb))
        if float(x)
    ]
    if joint.friction.coulomb_negative != joint.friction.coulomb:
        parts.append(f"backwards\u00a0{number(float(joint.friction.coulomb_negative))}")
    static, sliding = joint.friction.breakaway, (joint.friction.coulomb, joint.friction.coulomb_negative)
    if static != sliding:
        words = [number(float(x)) for x in static]
        parts.append(f"static\u00a0{words[0]}" + (f"\u00a0and\u00a0{words[1]}" if words[0] != words[1] else ""))
    return Html(", ".join(parts))


def _bodies(m: Mechanism) -> Html:
    head = ("body", "mass [kg]", "centre of mass [m]", "Ixx, Iyy, Izz [kg m²]", "Ixy, Ixz, Iyz [kg m²]")
    rows: list[tuple[Any, ...]] = []
    for body in m.bodies[:MAX_ROWS]:
        xx, xy, xz, yy, yz, zz = body.inertia
        products = "" if not any(map(float, (xy, xz, yz))) else _vector((xy, xz, yz))
        rows.append((body.name, plain.format_number(body.mass), _vector(body.center), _vector((xx, yy, zz)), products))
    return table(head, [*rows, *[()] * (len(m.bodies) - len(rows))], left_aligned=(0, 2, 3, 4))


def _other_parts(m: Mechanism) -> Html:
    max_items = plain.MAX_ROWS
    springs = [plain.describe_spring(x) for x in m.springs[:max_items]]
    names = ", ".join(f.name for f in m.frames[:max_items]) + (" ..." if len(m.frames) > max_items else "")
    return definition_list(
        [
            ("Gravity", f"{plain.format_vector(m.gravity)} m/s²"),
            ("Loops", "; ".join(f"{x.name}: {x.type} joint of {x.a} and {x.b}" for x in m.loops[:max_items])),
            ("Constraints", "; ".join(f"{x.name}: {plain.describe_constraint(x)}" for x in m.constraints[:max_items])),
            ("Walls" if all(isinstance(x, Wall) for x in m.springs) else "Springs", "; ".join(springs)),
            ("Events", "; ".join(f"{x.name} {describe_event(x)}" for x in m.events[:max_items])),
            ("Frames", names),
            ("Poses", ", ".join(list(m.poses)[:max_items])),
        ]
    )


MECHANISM = ReportSection("mechanism", "Mechanism", mechanism)


# MERGED lagrangian.report.parts.joints: What the joints did: their coordinates and speeds over time, and how far, how fast
# and how strongly each went.


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
    """A number that is beyond its limit."""
    return element("b", x, class_="bad") if is_over else x


def _limit_cells(allowed: np.ndarray) -> list[Html]:
    """Limits of sizes; nothing where there is none."""
    return [number(x) if np.isfinite(x) else Html("") for x in allowed[:, 1]]


def _path_figure(subject: ReportSubject) -> Html:
    names = subject.traced_frames
    caption = f"The path of {' and '.join(names)}."
    return figure(subject.motion.plot_path(*names), f"path of {', '.join(names)}", caption)


JOINTS = ReportSection("joints", "Motion", joints)
