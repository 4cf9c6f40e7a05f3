"""The mechanism: what it is, its joints and bodies, how it can move."""

from __future__ import annotations

import math
from typing import Any

from lagrangian.configuration.mobility import mobility
from lagrangian.model import table as plain
from lagrangian.model.event import event_words
from lagrangian.model.loop import Wall
from lagrangian.model.mechanism import Mechanism
from lagrangian.report.html import MOST, Html, facts, folded, joined, number, paragraph, table
from lagrangian.report.subject import Part, Subject

LARGE = 60  # joints above which mobility is not looked for: it needs the rank of a large matrix


def mechanism(subject: Subject) -> Html:
    model = subject.mechanism
    found = [paragraph(line) for line in model.description.strip().splitlines() if line]
    found.append(_mobility(subject))
    found.append(_joints(model))
    found.append(_bodies(model))
    found.append(_others(model))
    parameters = [(name, number(float(x), 6)) for name, x in model.parameters.items()]
    if parameters:
        found.append(folded(f"{len(parameters)} parameters", table(("parameter", "value"), parameters, most=80)))
    if model.source:
        found.append(paragraph(f"Source: {' '.join(model.source.split())}", kind="quiet"))
    found += [paragraph(f"Note: {note}", kind="quiet") for note in model.notes]
    return joined(x for x in found if x)


def _mobility(subject: Subject) -> Html:
    model = subject.mechanism
    if len(model.joints) > LARGE:
        return paragraph(f"{model.nv} speeds, {model.equations} constraint equations; Gruebler's count gives {model.gruebler}.")
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
    for k, joint in enumerate(m.joints[:MOST], 1):
        low, high = joint.limits.lower, joint.limits.upper
        axis = ", ".join([*map(plain.axis_name, joint.axes), *joint.kind.words(joint)])
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
            _unbroken(plain.roll_pitch_yaw(joint.placement.rotation)),
            limits,
        )
        rows.append((*row, plain.number_or_nothing(joint.rotor.reflected), _friction(joint), drive))
    return table(head, [*rows, *[()] * (len(m.joints) - len(rows))], left=(1, 2, 3, 4, 5, 6, 7, 8, 10, 11))


def _vector(x: Any) -> str:
    return _unbroken(plain.vector(x))


def _unbroken(words: str) -> str:
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
    for body in m.bodies[:MOST]:
        xx, xy, xz, yy, yz, zz = body.inertia
        products = "" if not any(map(float, (xy, xz, yz))) else _vector((xy, xz, yz))
        rows.append((body.name, plain.number(body.mass), _vector(body.center), _vector((xx, yy, zz)), products))
    return table(head, [*rows, *[()] * (len(m.bodies) - len(rows))], left=(0, 2, 3, 4))


def _others(m: Mechanism) -> Html:
    some = plain.SHOWN
    springs = [plain.spring_words(x) for x in m.springs[:some]]
    names = ", ".join(f.name for f in m.frames[:some]) + (" ..." if len(m.frames) > some else "")
    return facts(
        [
            ("Gravity", f"{plain.vector(m.gravity)} m/s²"),
            ("Loops", "; ".join(f"{x.name}: {x.type} joint of {x.a} and {x.b}" for x in m.loops[:some])),
            ("Constraints", "; ".join(f"{x.name}: {plain.constraint_words(x)}" for x in m.constraints[:some])),
            ("Walls" if all(isinstance(x, Wall) for x in m.springs) else "Springs", "; ".join(springs)),
            ("Events", "; ".join(f"{x.name} {event_words(x)}" for x in m.events[:some])),
            ("Frames", names),
            ("Poses", ", ".join(list(m.poses)[:some])),
        ]
    )


MECHANISM = Part("mechanism", "Mechanism", mechanism)
