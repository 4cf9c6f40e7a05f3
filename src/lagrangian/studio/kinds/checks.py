"""The job `checks`: what can be trusted in a mechanism, one item after the other as it is found."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from lagrangian.configuration.coordinates import single_coordinates
from lagrangian.configuration.mobility import mobility
from lagrangian.errors import LagrangianError
from lagrangian.report.findings import findings
from lagrangian.report.verdict import verdicts
from lagrangian.studio.heard import hearing
from lagrangian.studio.kinds import Asked
from lagrangian.studio.kinds.motion import SECONDS, plain
from lagrangian.studio.kinds.options import number
from lagrangian.studio.models import LARGEST

SHORT = 2.0  # s of the motion whose energy is balanced
PROOF = 20.0  # s that a derivation may be forecast to take, for its proof
Item = dict[str, Any]  # title, good (True, False or None where it is no question of right or wrong), text


def checks(asked: Asked) -> dict[str, Any]:
    found: list[Item] = []
    parts: list[tuple[str, Callable[[Asked], list[Item]]]] = [
        ("reading the description", description),
        ("counting degrees of freedom", freedom),
        ("searching for singular configurations", singular),
        ("checking the energy balance of a motion", energy),
        ("proving the equations", proof),
    ]
    for k, (text, part) in enumerate(parts):
        asked.progress(k, len(parts), text)
        try:
            with hearing():
                items = part(asked)
        except LagrangianError as error:
            items = [_item(text.capitalize(), None, str(error))]
        except (ArithmeticError, RuntimeError, ValueError) as error:  # of a solver: the other checks are not lost with it
            items = [_item(text.capitalize(), None, f"This check failed: {error}")]
        for item in items:
            asked.partial({"item": item})
        found += items
    return {"items": found}


def _item(title: str, good: bool | None, text: str) -> Item:
    return {"title": title, "good": good, "text": text}


def description(asked: Asked) -> list[Item]:
    """What is doubtful in it."""
    told = [f for f in findings(asked.model.read) if f.place != "mobility"]
    doubtful = [f for f in told if f.kind != "note"]
    notes = [_item(f"Note: {f.place}", None, str(f)) for f in told if f.kind == "note"]
    if not doubtful:
        return [_item("Description", True, "The description has no warnings."), *notes]
    return [*(_item(f"Description: {f.place}", False, str(f)) for f in doubtful), *notes]


def freedom(asked: Asked) -> list[Item]:
    m = asked.model.read
    found = mobility(m)
    items = [_item("Mobility", found.nearby > 0, str(found))]
    if m.equations:
        extra = found.redundant
        told = (
            f"{extra} of {found.equations} constraint equations follow from the others: rigid bodies alone do not "
            f"determine how they share the load."
            if extra
            else f"All {found.equations} constraint equations are independent."
        )
        items.append(_item("Redundant constraints", None if extra else True, told))
    return items


def singular(asked: Asked) -> list[Item]:
    """Along the first actuated coordinate, over its range."""
    from lagrangian.design.singularities import singularities

    m, title = asked.model.read, "Singularities"
    here = mobility(m)
    items = [_item("Singular at the start", False, str(here))] if here.singular else []
    places = single_coordinates(m)
    joints = [j for j in m.joints if j.actuated and j.kind.nq == 1 and j.coordinate_names[0] in places] or [
        j for j in m.joints if j.kind.nq == 1
    ]
    if not joints or m.nv > LARGEST:
        return [*items, _item(title, None, "No joint has a single coordinate to search along.")]
    # the first joint of an arm turns all of it, and makes nothing singular
    joint = joints[0] if m.equations or len(joints) == 1 else joints[1]
    name, q = joint.coordinate_names[0], asked.model.look()["q"]
    low, high = (float(x) for x in (joint.limits.lower, joint.limits.upper))
    at, reach = 0.0, math.pi
    if joint.slides[0]:
        at, reach = float(q[places[name][0]]), 0.25 * float(asked.model.look()["track"].scene.size)
    over = {name: (low if math.isfinite(low) else at - reach, high if math.isfinite(high) else at + reach)}
    frames = [f.name for f in m.frames if f.body != "ground"]
    found = singularities(m, over, frames[-1] if frames else None, q0=q)
    return [*items, _item(title, None if len(found) else True, str(found))]


def energy(asked: Asked) -> list[Item]:
    from lagrangian.motion.simulate import simulate

    m = asked.model.read
    own = m.initial.t_span
    start = float(own[0]) if own is not None else 0.0
    seconds = number(asked.options, "seconds", min(SHORT, float(own[1] - own[0]) if own is not None else SECONDS), 1e-6, 60.0)
    motion = simulate(m, (start, start + seconds), t_eval=201)
    return [_item(f"Motion of {seconds:g} s", v.good, plain(v.sentence)) for v in verdicts(motion)]


def proof(asked: Asked) -> list[Item]:
    from lagrangian.closed_form.derive import derive

    m = asked.model.read
    eom = derive(m, limit=PROOF, progress=lambda done, total: asked.progress(done, total, "deriving the equations"))
    certificate = eom.prove(lambda done, total: asked.progress(done, total, "proving the equations"))
    listed = "\n".join(f"{s.what}: {s.result}, {s.how}" for s in certificate.statements)
    beside = "".join(f"\nNot part of the proof: {x}." for x in certificate.left_out)
    return [_item("Proof", certificate.proved, f"{certificate.headline}\n{listed}{beside}")]
