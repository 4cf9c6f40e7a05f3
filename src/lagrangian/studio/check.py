"""What the page shows of a description: its problems, its parts and parameters, and the scene."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from lagrangian.model.expression import parameters as parameters_in
from lagrangian.model.mechanism import Mechanism
from lagrangian.posing.handles import handle_values, joint_handles
from lagrangian.studio.models import StudioModel
from lagrangian.studio.resize_link import drag_handles
from lagrangian.studio.text_positions import line_column, utf16_offset
from lagrangian.studio.toml_places import scan_toml
from lagrangian.viewer.pack import pack_track

MAX_QUANTITIES = 120  # that are listed


def check_data(model: StudioModel, final: bool = True) -> dict[str, Any]:
    """The answer to /api/check. Before the model is ready, it says `preparing`, and has what is known without compiling."""
    if model.mechanism is None:
        return {"ok": False, "preparing": False, "problems": model.problems, "mechanism": None, "scene": None}
    view = model.view() if final else model.preview()
    return {
        "ok": not any(x["severity"] == "error" for x in model.problems),
        "preparing": not final,
        "problems": list(model.problems),
        "mechanism": {
            **mechanism_data(model.mechanism, view.q),
            "parameters": parameter_data(model),
            "handles": drag_handles(model),
            "mobility": view.mobility,
        },
        "scene": pack_track(view.track),
    }


def mechanism_data(m: Mechanism, q: np.ndarray) -> dict[str, Any]:
    """The parts of a mechanism, by their names."""
    return {
        "name": m.name,
        "description": m.description,
        "bodies": [b.name for b in m.bodies],
        "joints": [
            {"name": j.name, "type": j.kind.name, "parent": j.parent, "child": j.child, "actuated": j.actuated} for j in m.joints
        ],
        "loops": [loop.name for loop in m.loops],
        "frames": [{"name": f.name, "body": f.body} for f in m.frames],
        "poses": {name: [float(x) for x in pose] for name, pose in m.poses.items()},
        "q": [float(x) for x in q],
        "coordinates": coordinates(m, q),
        "speeds": list(m.speed_names),
        "equations": m.equation_count,
        "seconds": float(m.initial.t_span[1] - m.initial.t_span[0]) if m.initial.t_span is not None else None,
        "counts": counts(m),
        "quantities": quantities(m),
    }


def coordinates(m: Mechanism, q: np.ndarray) -> list[dict[str, Any]]:
    """The numbers that can be set by hand: one for every degree of freedom of every joint."""
    handles_of_joints = joint_handles(m)
    return [
        {
            "name": h.name,
            "joint": m.joints[h.joint].name,
            "unit": "rad" if h.angle else "m",
            "angle": h.angle,
            "actuated": h.actuated,
            "value": float(value),
            "lower": float(h.lower) if math.isfinite(h.lower) else None,
            "upper": float(h.upper) if math.isfinite(h.upper) else None,
        }
        for h, value in zip(handles_of_joints, handle_values(handles_of_joints, np.asarray(q, dtype=float)), strict=True)
    ]


def quantities(m: Mechanism) -> list[str]:
    """Outputs of a study to choose from; the page takes others as text."""
    names = [f"peak(tau_{name})" for j in m.joints if j.actuated for name in j.speed_names]
    names += [f"{reduction}({f.name}.{axis})" for f in m.frames for reduction in ("max", "min") for axis in "xyz"]
    names += [f"peak(qd_{name})" for name in m.speed_names] + [f"end({name})" for name in m.coordinate_names]
    names += [f"peak(force_{j.name})" for j in m.joints if j.kind.nv]
    return [*names[:MAX_QUANTITIES], "max(kinetic_energy)", "end(energy)"]


def counts(m: Mechanism) -> str:
    """`3 bodies, 3 joints, 1 loop`."""
    countable = (("body", "bodies", len(m.bodies)), ("joint", "joints", len(m.joints)), ("loop", "loops", len(m.loops)))
    phrases = [
        f"{n} {singular if n == 1 else plural}" for singular, plural, n in (*countable, ("frame", "frames", len(m.frames))) if n
    ]
    mass = sum(float(b.mass) for b in m.bodies)
    return ", ".join(phrases) + f"; {mass:.4g} kg in total"


def parameter_data(model: StudioModel) -> list[dict[str, Any]]:
    """The parameters with their values; for plain numbers in a TOML text, also where they stand."""
    m, entries = model.valid_mechanism, []
    table = scan_toml(model.text).entries.get("parameters") if model.format == "toml" and m.parameters else None
    for name, value in m.parameters.items():
        node = table.entries.get(name) if table is not None else None
        where = None
        is_literal = set(parameters_in(value)) == {name}
        if node is not None and is_literal:
            start, end = node.span
            line = line_column(model.text, start)[0]
            where = {"line": line, "from": utf16_offset(model.text, start), "to": utf16_offset(model.text, end)}
        entries.append({"name": name, "value": float(value), "formula": None if is_literal else str(value), "where": where})
    return entries
