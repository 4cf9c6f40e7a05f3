"""Findings of `lagrangian check`: what is doubtful in a description that could be read, each with its place and a remedy."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from lagrangian.errors import LagrangianError, join_names

if TYPE_CHECKING:
    from lagrangian.model.mechanism import Mechanism

# radii of gyration, as parts of the size of the whole mechanism and of the body, beyond which the unit of an inertia is doubtful
LARGE_GYRATION, SMALL_GYRATION = 10.0, 1e-3


@dataclass(frozen=True)
class Finding:
    """A doubt about a description with its place and a remedy; `kind` is "error", "warning" or "note"."""

    kind: str
    place: str
    message: str
    remedy: str = ""

    def __str__(self) -> str:
        return (f"{self.place}: " if self.place else "") + self.message + (f". {self.remedy}" if self.remedy else "")


def findings(m: Mechanism) -> Iterator[Finding]:
    """Find what is doubtful in a mechanism that could be read."""
    yield from _bodies(m)
    yield from _inertias(m)
    yield from _joints(m)
    yield from _loop_closure(m)
    yield from _start(m)
    yield from (Finding("note", "reader", note) for note in m.notes)


def _bodies(m: Mechanism) -> Iterator[Finding]:
    if not m.joints:
        yield Finding("warning", "joints", "there are none, so nothing moves", "Add one with [[joint]]")
    light = [b.name for b in m.bodies if float(b.mass) == 0 and not any(float(x) for x in b.inertia)]
    points = [b.name for b in m.bodies if float(b.mass) > 0 and not any(float(x) for x in b.inertia)]
    if light:
        yield Finding(
            "note",
            f"body {join_names(light)}",
            "it has no mass and no inertia",
            "This is right for a frame between two joints; otherwise give `mass`",
        )
    if points:
        yield Finding(
            "note",
            f"body {join_names(points)}",
            "it is a point mass, without inertia about its centre of mass",
            "Give it an inertia with `inertia` or `shapes`",
        )
    if missing := _missing_meshes(m):
        yield Finding(
            "note",
            f"mesh {join_names(list(missing))}",
            f"pictures leave it out: {next(iter(missing.values()))}",
            "The dynamics do not need it. To draw it, put a readable file beside the description",
        )
    if not any(float(x) for x in m.gravity):
        yield Finding("note", "gravity", "it is zero", "This is right for a machine that lies flat or floats in space")


def _inertias(m: Mechanism) -> Iterator[Finding]:
    """Find bodies whose radius of gyration is wrong by powers of ten, probably because the inertia has another unit.

    The size of a body is the largest distance between its joints, loops, frames and centre of mass.
    """
    sizes = _sizes(m)
    whole = max(sizes.values(), default=0.0)
    bodies_by_remedy: dict[str, list[str]] = {}
    for body in m.bodies:
        mass, (xx, _, _, yy, _, zz) = float(body.mass), (float(x) for x in body.inertia)
        if mass <= 0 or body.effective or xx + yy + zz <= 0 or not whole:
            continue
        radius = math.sqrt((xx + yy + zz) / (2 * mass))
        size = sizes[body.name]
        if radius > LARGE_GYRATION * whole:
            factor = (radius / (0.3 * (size or whole))) ** 2  # of a bar of this length, about
            unit = "g mm²" if factor > 10**7.5 else "kg mm²" if factor > 1e5 else "kg cm²"
            remedy = f"The inertia is in {unit}, probably, or is a placeholder; kg m² is needed"
        elif radius < SMALL_GYRATION * size:
            remedy = "The inertia was divided by a power of ten too many, probably, or is a placeholder; kg m² is needed"
        else:
            continue
        description = f"{body.name!r} ({mass:.3g} kg, radius of gyration {radius:.3g} m, size {size or whole:.2g} m)"
        bodies_by_remedy.setdefault(remedy, []).append(description)
    for remedy, bodies in bodies_by_remedy.items():
        yield Finding("warning", f"body {join_names(bodies)}", "the inertia does not fit the mass and the size", remedy)


def _sizes(m: Mechanism) -> dict[str, float]:
    """The largest distance between the points of each body that the description names, in m."""
    points: dict[str, list[tuple[float, ...]]] = {}

    def add(body: str, at: Any) -> None:
        points.setdefault(body, [(0.0, 0.0, 0.0)]).append(tuple(float(x) for x in at))

    for body in m.bodies:
        add(body.name, body.center)
    for joint in m.joints:
        add(joint.parent, joint.placement.position)
    for frame in m.frames:
        add(frame.body, frame.placement.position)
    for loop in m.loops:
        add(loop.a, loop.a_placement.position)
        add(loop.b, loop.b_placement.position)
    return {body.name: max(math.dist(a, b) for a in points[body.name] for b in points[body.name]) for body in m.bodies}


def _missing_meshes(m: Mechanism) -> dict[str, str]:
    """The files of meshes that pictures cannot find or read, each with the reason."""
    from lagrangian.viewer.scene.mesh_files import find_mesh_file

    reasons = {}
    for file in sorted({v.file for b in m.bodies for v in b.visuals if v.kind == "mesh" and v.file}):
        try:
            find_mesh_file(file, m.file)
        except (OSError, ValueError) as error:
            reasons[file] = str(error.without_place(file)) if isinstance(error, LagrangianError) else str(error)
    return reasons


def _joints(m: Mechanism) -> Iterator[Finding]:
    from lagrangian.algorithms.singular_mass import undetermined_joints, undetermined_speed
    from lagrangian.algorithms.tree import build_tree
    from lagrangian.model.joints.joint_type import JointLook

    tree = build_tree(m)
    undetermined = [x for x in [undetermined_speed(m, tree)] if x] if m.equation_count else undetermined_joints(tree)
    if undetermined:
        pronoun = "each" if len(undetermined) > 1 else "it"
        yield Finding(
            "error",
            f"joint {join_names([repr(name) for name in undetermined])}",
            f"the bodies that {pronoun} moves have no inertia along it, so its acceleration is undetermined",
            "Give these bodies a mass and an inertia, give the joint a rotor, or make it fixed",
        )
    wide_limits = [
        j.name
        for j in m.joints
        if any(math.isfinite(x) and abs(x) > 4 * math.pi + 1e-9 for x in (j.limits.lower, j.limits.upper))
        and j.kind.look is JointLook.PIN
    ]
    if wide_limits:
        yield Finding(
            "warning",
            f"joint {join_names(wide_limits)}",
            "its limits are more than two turns",
            'Limits are in radians: "deg(170)" is 170 degrees',
        )
    locked = [j.name for j in m.joints if j.kind.nq == 1 and j.limits.lower == j.limits.upper]
    if locked:
        at = next(float(j.limits.lower) for j in m.joints if j.name == locked[0])
        yield Finding(
            "warning",
            f"joint {join_names(locked)}",
            f"its limits leave it no room: it is locked at {at:g}",
            "If it is to move, give the limits of the real joint, or none; if it is not, make it fixed",
        )
    if m.joints and not any(j.actuated for j in m.joints if j.kind.nv):
        yield Finding("note", "joints", "none is actuated", "The commands inverse and size need actuated joints: actuated = true")


def _loop_closure(m: Mechanism) -> Iterator[Finding]:
    """Find the degrees of freedom, and whether the loops can be closed at the start and in every pose."""
    from lagrangian.configuration.mobility import mobility
    from lagrangian.configuration.start import Start, as_dynamics
    from lagrangian.configuration.text import format_configuration, toml_line

    try:
        freedom = mobility(m)
    except LagrangianError as error:
        yield Finding(
            "error",
            "loops",
            f"they cannot be assembled: {error}",
            "Check the lengths, and the points of each body where the loop closes",
        )
        return
    yield Finding("note", "mobility", str(freedom).rstrip("."))
    if not m.equation_count:
        return
    if freedom.nearby == 0:
        yield Finding(
            "warning",
            "mobility",
            "it is a structure: nothing can move",
            'Use fewer loop equations; a planar loop closes with directions = ["x", "y"]',
        )
    for pose in [*m.poses, *([None] if m.initial.q is not None else [])]:
        start = Start(as_dynamics(m), pose)
        where = str(start.given_state.where)
        if start.given_state.complete and start.open_violation is None:
            continue
        try:
            nearest_q = start.close_loops()
        except LagrangianError as error:
            yield Finding("error" if pose is None else "warning", where, f"it does not close the loops: {error}")
            continue
        if start.open_violation is None:
            continue
        yield Finding(
            "warning",
            where,
            f"it does not close the loops: {start.open_violation}. The nearest configuration that "
            f"does{', where runs begin,' * (pose is None)} is "
            f"{format_configuration(m, nearest_q)}",
            f"Copy this line: {toml_line('q' if pose is None else pose, nearest_q)}",
        )


def _start(m: Mechanism) -> Iterator[Finding]:
    if m.initial.t_span is None:
        yield Finding("note", "[initial]", "it has no t_span", "`lagrangian simulate` needs --time")
    states = [(f"pose {name!r}", pose) for name, pose in m.poses.items()]
    states += [("[initial] q", m.initial.q)] if m.initial.q is not None else []
    for where, q in states:
        at = 0
        for joint in m.joints:
            low, high = joint.limits.lower, joint.limits.upper
            if joint.kind.nq == 1 and not low - 1e-9 <= float(q[at]) <= high + 1e-9:
                yield Finding(
                    "warning", where, f"{joint.name} = {float(q[at]):.4g} is outside its limits, {low:.4g} to {high:.4g}"
                )
            at += joint.kind.nq
