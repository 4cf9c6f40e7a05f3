"""The job `checks`: whether a mechanism can be trusted, one item after the other as each check ends."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from lagrangian.configuration.coordinates import single_coordinates
from lagrangian.configuration.mobility import mobility
from lagrangian.errors import LagrangianError
from lagrangian.report.findings import findings
from lagrangian.report.html import html_to_text
from lagrangian.report.subject import verdicts
from lagrangian.studio.models import MAX_SPEEDS
from lagrangian.studio.tasks import TaskRequest
from lagrangian.studio.tasks.motion import start_and_duration
from lagrangian.studio.thread_warnings import collect_warnings

ENERGY_SECONDS, MAX_ENERGY_SECONDS = 2.0, 60.0  # of the motion whose energy is balanced: unless the page says, and at most
PROOF_LIMIT = 20.0  # s that a derivation may be forecast to take, for its proof
CheckItem = dict[str, Any]  # title, good (True, False, or None where neither fits), text


def checks(request: TaskRequest) -> dict[str, Any]:
    """Run all checks; each item is also sent as soon as it is there."""
    all_items: list[CheckItem] = []
    parts: list[tuple[str, Callable[[TaskRequest], list[CheckItem]]]] = [
        ("reading the description", check_description),
        ("counting degrees of freedom", check_mobility),
        ("searching for singular configurations", check_singularities),
        ("checking the energy balance of a motion", check_energy),
        ("proving the equations", check_proof),
    ]
    for k, (text, part) in enumerate(parts):
        request.progress(k, len(parts), text)
        try:
            with collect_warnings():
                items = part(request)
        except LagrangianError as error:
            items = [_item(text.capitalize(), None, str(error))]
        except (ArithmeticError, RuntimeError, ValueError) as error:  # of a solver: the other checks still run
            items = [_item(text.capitalize(), None, f"This check failed: {error}")]
        for item in items:
            request.partial({"item": item})
        all_items += items
    return {"items": all_items}


def _item(title: str, good: bool | None, text: str) -> CheckItem:
    return {"title": title, "good": good, "text": text}


def check_description(request: TaskRequest) -> list[CheckItem]:
    """The warnings and notes about the description."""
    relevant = [f for f in findings(request.model.valid_mechanism) if f.place != "mobility"]
    doubtful = [f for f in relevant if f.kind != "note"]
    notes = [_item(f"Note: {f.place}", None, str(f)) for f in relevant if f.kind == "note"]
    if not doubtful:
        return [_item("Description", True, "The description has no warnings."), *notes]
    return [*(_item(f"Description: {f.place}", False, str(f)) for f in doubtful), *notes]


def check_mobility(request: TaskRequest) -> list[CheckItem]:
    """Count degrees of freedom and redundant constraints."""
    m = request.model.valid_mechanism
    freedom = mobility(m)
    items = [_item("Mobility", freedom.nearby > 0, str(freedom))]
    if m.equation_count:
        extra = freedom.redundant
        sentence = (
            f"{extra} of {freedom.equation_count} constraint equations follow from the others: rigid bodies alone do not "
            f"determine how they share the load."
            if extra
            else f"All {freedom.equation_count} constraint equations are independent."
        )
        items.append(_item("Redundant constraints", None if extra else True, sentence))
    return items


def check_singularities(request: TaskRequest) -> list[CheckItem]:
    """Search for singular configurations along the first actuated coordinate, over its range."""
    from lagrangian.design.singularities import singularities

    m, title = request.model.valid_mechanism, "Singularities"
    start_mobility = mobility(m)
    items = [_item("Singular at the start", False, str(start_mobility))] if start_mobility.singular else []
    indices = single_coordinates(m)
    joints = [j for j in m.joints if j.actuated and j.kind.nq == 1 and j.coordinate_names[0] in indices] or [
        j for j in m.joints if j.kind.nq == 1
    ]
    if not joints or m.nv > MAX_SPEEDS:
        return [*items, _item(title, None, "No joint has a single coordinate to search along.")]
    # the first joint of an arm turns all of it, and makes nothing singular
    joint = joints[0] if m.equation_count or len(joints) == 1 else joints[1]
    name, q = joint.coordinate_names[0], request.model.view().q
    low, high = (float(x) for x in (joint.limits.lower, joint.limits.upper))
    middle, reach = 0.0, math.pi
    if joint.slides[0]:
        middle, reach = float(q[indices[name][0]]), 0.25 * float(request.model.view().track.scene.size)
    over = {name: (low if math.isfinite(low) else middle - reach, high if math.isfinite(high) else middle + reach)}
    frames = [f.name for f in m.frames if f.body != "ground"]
    singular_points = singularities(m, over, frames[-1] if frames else None, q0=q)
    return [*items, _item(title, None if len(singular_points) else True, str(singular_points))]


def check_energy(request: TaskRequest) -> list[CheckItem]:
    """Check the energy balance of a short motion."""
    from lagrangian.motion.simulate import simulate

    m = request.model.valid_mechanism
    start, seconds = start_and_duration(request, ENERGY_SECONDS, MAX_ENERGY_SECONDS)
    motion = simulate(m, (start, start + seconds), t_eval=201)
    return [_item(f"Motion of {seconds:g} s", v.good, html_to_text(v.sentence)) for v in verdicts(motion)]


def check_proof(request: TaskRequest) -> list[CheckItem]:
    """Derive the equations of motion and prove them."""
    from lagrangian.closed_form.derive import derive

    m = request.model.valid_mechanism
    eom = derive(m, limit=PROOF_LIMIT, progress=lambda done, total: request.progress(done, total, "deriving the equations"))
    certificate = eom.prove(lambda done, total: request.progress(done, total, "proving the equations"))
    statements = "\n".join(f"{s.what}: {s.result}, {s.how}" for s in certificate.statements)
    omissions = "".join(f"\nNot part of the proof: {x}." for x in certificate.left_out)
    return [_item("Proof", certificate.proved, f"{certificate.headline}\n{statements}{omissions}")]
