"""What a page needs to know of its module: sizes, places, tolerances, events, and what the numbers it computes are."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from lagrangian.computing.controllers import Law, latest
from lagrangian.computing.inputs import PARAMETER, Input
from lagrangian.computing.subject import Subject
from lagrangian.configuration.coordinates import periodic_coordinates
from lagrangian.model.event import Switch
from lagrangian.model.mechanism import Mechanism
from lagrangian.motion.run.modes import REST
from lagrangian.motion.run.passing import SINGULAR
from lagrangian.motion.run.run import LOOKED_AT
from lagrangian.motion.system.event_table import ModeChange, Watched
from lagrangian.motion.system.programs import output_sizes

if TYPE_CHECKING:
    from lagrangian.computing.text import ProgramText

ROWS, FEWER = 601, 301  # of a motion, and of one whose equations are long
FORCES = 24  # multipliers that are shown
INFINITE = 1e300  # JSON has no infinity


def plan(subject: Subject, law: Law | None, inputs: Sequence[Input], text: ProgramText, numbers: int) -> dict[str, Any]:
    """All of it, as JSON has it."""
    motion, mechanism, settings, system = subject.motion, subject.mechanism, subject.settings, text.system
    table, (first, end) = system.table, subject.span
    looks = bool(table.kinds) and not table.only_contacts
    largest = min(settings.largest, (end - first) * table.looks / LOOKED_AT) if looks else settings.largest
    return {
        "name": motion.name,
        "inputs": [x.to_dict() for x in inputs],
        "parameters": [k for k, x in enumerate(inputs) if x.kind == PARAMETER],
        "gains": [k for k, x in enumerate(inputs) if x.kind == "gain"],
        "frames": 1 + len(mechanism.bodies) + len(mechanism.frames),
        "nq": system.nq,
        "nv": system.nv,
        "equations": mechanism.equations,
        "holonomic": _holonomic(text),
        "quaternions": _quaternions(mechanism),
        "periodic": periodic_coordinates(mechanism),
        "y": subject.start.tolist(),
        "begin": text.begin.to_dict(mechanism),
        "t0": first,
        "end": end,
        "rows": FEWER if text.long else ROWS,
        "rtol": settings.rtol,
        "atol": settings.atol,
        "step": settings.step or 0.0,
        "largest": min(largest, INFINITE),
        "singular": SINGULAR,
        "rest": REST * settings.atol,
        "restitution": settings.restitution,
        "projects": system.projects,
        "redundant": settings.redundant,
        "adaptive": settings.method.adaptive,
        "work": text.workspace.size,
        "room": 256 + 2 * table.looks * len(table),
        "degree": settings.method.degree,
        "numbers": {"described": len(system.numbers), "size": numbers},
        "u": {"size": system.inputs.size, "numbers": system.inputs.numbers, "decided": system.inputs.decided}
        | {"latest": system.inputs.torque_function, "since": system.inputs.since, "joints": system.inputs.joint(0)},
        "responses": system.responses if system.responds else 0,
        "breaks": [[t, latest(t)] for t in subject.torque.breaks if first < t < end],
        "table": _table(subject),
        "events": [_event(entry, mechanism.speed_names, subject) for entry in table.entries],
        "holdable": [{"name": mechanism.speed_names[h.speed], **_holdable(h)} for h in subject.holdable],
        "outputs": sum(output_sizes(system).values()),
        "series": series(text),
        "arrows": [{"name": x.name, "group": x.group, "unit": x.unit} for x in text.arrows],
        "asks": law is not None and text.at_stages,
        "sampled": _sampled(subject),
    }


def _holonomic(text: ProgramText) -> list[bool]:
    return [bool(x) for x in text.model.closed.holonomic] if text.system.constrained else []


def _quaternions(mechanism: Mechanism) -> list[int]:
    """Where the quaternions of joints begin."""
    found, iq = [], 0
    for joint in mechanism.joints:
        found += [iq] if joint.kind.quaternion else []
        iq += joint.kind.nq
    return found


def _table(subject: Subject) -> dict[str, Any] | None:
    if subject.torque.table is None:
        return None
    times, values = subject.torque.table
    return {"times": times.tolist(), "values": values.ravel().tolist()}


def _sampled(subject: Subject) -> dict[str, float] | None:
    sampled = subject.torque.sampled
    return None if sampled is None else {"period": sampled.period, "delay": sampled.delay}


def _event(entry: Any, speeds: Sequence[str], subject: Subject) -> dict[str, Any]:
    found: dict[str, Any] = {"direction": entry.direction, "kind": entry.kind}
    if isinstance(entry, Watched):
        told = "" if isinstance(entry.event.when, Switch) else entry.event.name
        return found | {"name": told, "stops": entry.event.action == "stop"}
    assert isinstance(entry, ModeChange)
    return found | {"name": "", "what": entry.what, "joint": entry.joint}


def _holdable(h: Any) -> dict[str, Any]:
    def bounded(x: float) -> float | None:
        return float(x) if math.isfinite(x) else None

    friction = None if h.friction is None else [float(x) for x in h.friction]
    static = None if h.static is None else [float(x) for x in h.static]
    limits = {"coordinate": h.coordinate, "lower": bounded(h.lower), "upper": bounded(h.upper)}
    return {"speed": h.speed, "friction": friction, "static": static, **limits}


def series(text: ProgramText) -> list[dict[str, Any]]:
    """What is plotted: `from` says where it is, in the state, in the outputs or in the energies, and `at` the place there."""
    system, mechanism = text.system, text.subject.mechanism
    found = []
    kinds = [unit for joint in mechanism.joints for unit in joint.kind.units]
    for k, name in enumerate(mechanism.coordinate_names):
        found.append({"name": name, "group": "coordinates", "unit": kinds[k], "from": "state", "at": k})
    slides = [slides for joint in mechanism.joints for slides in joint.slides]
    for k, name in enumerate(mechanism.speed_names):
        unit = "m/s" if slides[k] else "rad/s"
        found.append({"name": name, "group": "speeds", "unit": unit, "from": "state", "at": system.nq + k})
    sizes = output_sizes(system)
    for k, name in enumerate(mechanism.speed_names):
        if text.driven[k]:
            found.append({"name": name, "group": "torques", "unit": "N" if slides[k] else "N m", "from": "outputs", "at": k})
    at = sizes["tau"] + sizes["qdd"] + sizes["friction"]
    if mechanism.equations <= FORCES:
        for k, name in enumerate(text.model.closed.names if mechanism.equations else ()):
            found.append({"name": name, "group": "forces", "unit": "N, N m", "from": "outputs", "at": at + k})
    for name, place in (("kinetic", 1), ("potential", 2), ("total", -1)):
        found.append({"name": name, "group": "energy", "unit": "J", "from": "energies", "at": place})
    return [{**x, "angle": x["unit"] in ("rad", "rad/s")} for x in found]
