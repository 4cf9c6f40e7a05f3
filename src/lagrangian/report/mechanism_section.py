"""The section of a report about the mechanism: its joints and bodies, and how it can move."""

from __future__ import annotations

import math
from typing import Any

from lagrangian.configuration.mobility import mobility
from lagrangian.model import printed_table
from lagrangian.model.event import describe_event
from lagrangian.model.mechanism import Mechanism
from lagrangian.model.spring import Wall
from lagrangian.report.html import (
    MAX_ROWS,
    Html,
    collapsible,
    definition_list,
    join_html,
    number,
    paragraph,
    table,
)
from lagrangian.report.subject import ReportSection, ReportSubject

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
        axis = ", ".join([*map(printed_table.axis_name, joint.axes), *joint.kind.table_notes(joint)])
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
            _nonbreaking(printed_table.format_roll_pitch_yaw(joint.placement.rotation)),
            limits,
        )
        rows.append((*row, printed_table.format_nonzero(joint.rotor.reflected_inertia), _friction(joint), drive))
    return table(head, [*rows, *[()] * (len(m.joints) - len(rows))], left_aligned=(1, 2, 3, 4, 5, 6, 7, 8, 10, 11))


def _vector(x: Any) -> str:
    return _nonbreaking(printed_table.format_vector(x))


def _nonbreaking(words: str) -> str:
    """A text that stays on one line if it is short."""
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
        rows.append((body.name, printed_table.format_number(body.mass), _vector(body.center), _vector((xx, yy, zz)), products))
    return table(head, [*rows, *[()] * (len(m.bodies) - len(rows))], left_aligned=(0, 2, 3, 4))


def _other_parts(m: Mechanism) -> Html:
    max_items = printed_table.MAX_ROWS
    springs = [printed_table.describe_spring(x) for x in m.springs[:max_items]]
    names = ", ".join(f.name for f in m.frames[:max_items]) + (" ..." if len(m.frames) > max_items else "")
    return definition_list(
        [
            ("Gravity", f"{printed_table.format_vector(m.gravity)} m/s²"),
            ("Loops", "; ".join(f"{x.name}: {x.type} joint of {x.a} and {x.b}" for x in m.loops[:max_items])),
            ("Constraints", "; ".join(f"{x.name}: {printed_table.describe_constraint(x)}" for x in m.constraints[:max_items])),
            ("Walls" if all(isinstance(x, Wall) for x in m.springs) else "Springs", "; ".join(springs)),
            ("Events", "; ".join(f"{x.name} {describe_event(x)}" for x in m.events[:max_items])),
            ("Frames", names),
            ("Poses", ", ".join(list(m.poses)[:max_items])),
        ]
    )


MECHANISM = ReportSection("mechanism", "Mechanism", mechanism)
