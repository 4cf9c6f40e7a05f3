"""What a page needs to know of its module: sizes, places, tolerances, events, and what the numbers it computes are.

`plan` makes it as JSON has it, and `worker_script` is the JavaScript that reads it and runs the module.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from lagrangian.configuration.coordinates import periodic_coordinates
from lagrangian.model.event import SwitchCondition
from lagrangian.model.mechanism import Mechanism
from lagrangian.motion.run.modes import REST
from lagrangian.motion.run.passing import SINGULAR
from lagrangian.motion.run.run import LOOKED_AT
from lagrangian.motion.system.event_table import ModeChange, Watched
from lagrangian.motion.system.programs import output_sizes
from lagrangian.page_motion.controllers import ControlLaw, time_before
from lagrangian.page_motion.inputs import PARAMETER, PageInput
from lagrangian.page_motion.subject import PageMotion

if TYPE_CHECKING:
    from lagrangian.page_motion.module import PageModuleWriter


MAX_ROWS, MAX_ROWS_OF_LONG = 601, 301  # of a motion, and of one whose equations are long
MAX_SHOWN_MULTIPLIERS = 24  # multipliers that are shown
INFINITE = 1e300  # JSON has no infinity


def plan(
    subject: PageMotion, law: ControlLaw | None, inputs: Sequence[PageInput], writer: PageModuleWriter, numbers: int
) -> dict[str, Any]:
    """Make the plan of a page, as JSON has it."""
    motion, mechanism, settings, system = subject.motion, subject.mechanism, subject.settings, writer.system
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
        "equations": mechanism.equation_count,
        "holonomic": _holonomic(writer),
        "quaternions": _quaternions(mechanism),
        "periodic": periodic_coordinates(mechanism),
        "y": subject.start.tolist(),
        "begin": writer.page_start.to_dict(mechanism),
        "t0": first,
        "end": end,
        "rows": MAX_ROWS_OF_LONG if writer.is_long else MAX_ROWS,
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
        "work": writer.workspace.size,
        "max_events": 256 + 2 * table.looks * len(table),
        "degree": settings.method.degree,
        "numbers": {"described": len(system.numbers), "size": numbers},
        "u": {"size": system.inputs.size, "numbers": system.inputs.numbers, "decision_time": system.inputs.decided}
        | {"latest": system.inputs.torque_function, "since": system.inputs.since, "joints": system.inputs.joint(0)},
        "responses": system.responses if system.responds else 0,
        "discontinuities": [[t, time_before(t)] for t in subject.torque.breaks if first < t < end],
        "table": _torque_table(subject),
        "events": [_event_data(entry, mechanism.speed_names, subject) for entry in table.entries],
        "holdable": [{"name": mechanism.speed_names[h.speed], **_joint_data(h)} for h in subject.holdable],
        "outputs": sum(output_sizes(system).values()),
        "series": plotted_series(writer),
        "arrows": [{"name": x.name, "group": x.group, "unit": x.unit} for x in writer.arrows],
        "asks": law is not None and writer.asked_at_stages,
        "sampled": _sampling(subject),
    }


def _holonomic(writer: PageModuleWriter) -> list[bool]:
    return [bool(x) for x in writer.model.constraint_programs.holonomic] if writer.system.constrained else []


def _quaternions(mechanism: Mechanism) -> list[int]:
    """The indices in q at which quaternions of joints begin."""
    places, iq = [], 0
    for joint in mechanism.joints:
        places += [iq] if joint.kind.quaternion else []
        iq += joint.kind.nq
    return places


def _torque_table(subject: PageMotion) -> dict[str, Any] | None:
    if subject.torque.table is None:
        return None
    times, values = subject.torque.table
    return {"times": times.tolist(), "values": values.ravel().tolist()}


def _sampling(subject: PageMotion) -> dict[str, float] | None:
    sampled = subject.torque.sampled
    return None if sampled is None else {"period": sampled.period, "delay": sampled.delay}


def _event_data(entry: Any, speeds: Sequence[str], subject: PageMotion) -> dict[str, Any]:
    data: dict[str, Any] = {"direction": entry.direction, "kind": entry.kind}
    if isinstance(entry, Watched):
        label = "" if isinstance(entry.event.when, SwitchCondition) else entry.event.name
        return data | {"name": label, "stops": entry.event.action == "stop"}
    assert isinstance(entry, ModeChange)
    return data | {"name": "", "what": entry.what, "joint": entry.joint}


def _joint_data(h: Any) -> dict[str, Any]:
    def finite_or_none(x: float) -> float | None:
        return float(x) if math.isfinite(x) else None

    friction = None if h.friction is None else [float(x) for x in h.friction]
    static = None if h.static is None else [float(x) for x in h.static]
    limits = {"coordinate": h.coordinate, "lower": finite_or_none(h.lower), "upper": finite_or_none(h.upper)}
    return {"speed": h.speed, "friction": friction, "static": static, **limits}


def plotted_series(writer: PageModuleWriter) -> list[dict[str, Any]]:
    """The plotted series. `from` says whether a series is in the state, the outputs or the energies, and `at` its index there."""
    system, mechanism = writer.system, writer.subject.mechanism
    rows = []
    kinds = [unit for joint in mechanism.joints for unit in joint.kind.units]
    for k, name in enumerate(mechanism.coordinate_names):
        rows.append({"name": name, "group": "coordinates", "unit": kinds[k], "from": "state", "at": k})
    slides = [slides for joint in mechanism.joints for slides in joint.slides]
    for k, name in enumerate(mechanism.speed_names):
        unit = "m/s" if slides[k] else "rad/s"
        rows.append({"name": name, "group": "speeds", "unit": unit, "from": "state", "at": system.nq + k})
    sizes = output_sizes(system)
    for k, name in enumerate(mechanism.speed_names):
        if writer.driven[k]:
            rows.append({"name": name, "group": "torques", "unit": "N" if slides[k] else "N m", "from": "outputs", "at": k})
    at = sizes["tau"] + sizes["qdd"] + sizes["friction"]
    if mechanism.equation_count <= MAX_SHOWN_MULTIPLIERS:
        for k, name in enumerate(writer.model.constraint_programs.names if mechanism.equation_count else ()):
            rows.append({"name": name, "group": "forces", "unit": "N, N m", "from": "outputs", "at": at + k})
    for name, place in (("kinetic", 1), ("potential", 2), ("total", -1)):
        rows.append({"name": name, "group": "energy", "unit": "J", "from": "energies", "at": place})
    return [{**x, "angle": x["unit"] in ("rad", "rad/s")} for x in rows]


SCRIPTS = ("memory", "algebra", "program", "start", "supply", "complementarity", "modes", "run", "results", "worker")


@cache
def worker_script() -> str:
    """The JavaScript of the worker that runs a module in a page, as one text."""
    folder = files("lagrangian.page_motion") / "js"
    return '"use strict";\n' + "\n".join((folder / f"{name}.js").read_text(encoding="utf-8") for name in SCRIPTS)
