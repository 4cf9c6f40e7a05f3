"""Inverse dynamics of a long chain in pieces, which are swept side by side.

Nothing has to be solved for: how the tip of a piece moves follows from how its base does, by the motion of the one against the
other; and the wrench at its base from that at its tip, by the wrenches of the piece itself. So a first sweep finds each piece's
own motion, a second one its wrenches, and a third one its torques, with what the pieces before and after it hand over.
"""

from __future__ import annotations

from dataclasses import replace

from lagrangian.algorithms.coriolis import SPEED, speeds
from lagrangian.algorithms.inverse_dynamics import INVERSE_DYNAMICS, MOTION, accelerations, forces, move, rate_matrix
from lagrangian.algorithms.kinematics import POSE, pose_of_link
from lagrangian.algorithms.link import Link
from lagrangian.algorithms.nested import VECTOR
from lagrangian.algorithms.sweep import Values, inward, outward
from lagrangian.algorithms.tree import Tree
from lagrangian.model import vector as v

WRENCH = {"f": VECTOR, "n": VECTOR}
RELATIVE = {**POSE, **MOTION, **SPEED}
UNKNOWN = float("nan")  # of a carry whose start is found by other pieces


def _upright(tree: Tree) -> Values:
    return {"R": v.IDENTITY}


@outward(RELATIVE, ground=_upright, kept=tuple(RELATIVE))
def relative_motion(link: Link, parent: Values) -> tuple[Values, Values]:
    """How the tip moves against the base: where it is in the base's axes; its velocities and accelerations in its own."""
    here, _ = speeds.step(link, parent)
    return {**pose_of_link(link, parent), **move(link, parent), "u": here["u"]}, {}


def carried_motion(span: Values, base: Values) -> Values:
    """How the tip of a piece moves when its base does, too."""
    R, x = span["R"], span["x"]
    wb = v.mat_t_vec(R, base["w"])
    w = v.add(wb, span["w"])
    al = v.add(v.add(v.mat_t_vec(R, base["al"]), v.cross(wb, span["w"])), span["al"])
    led = v.mat_t_vec(R, v.add(base["l"], v.mat_vec(base["U"], x)))
    l = v.add(v.add(led, v.scale(2, v.cross(wb, span["u"]))), span["l"])
    return {"w": w, "al": al, "l": l, "U": rate_matrix(w, al)}


def carried_wrench(span: Values, own: Values, tip: Values) -> Values:
    """The wrench at the base of a piece, from its own and that at its tip."""
    f = v.mat_vec(span["R"], tip["f"])
    n = v.add(v.mat_vec(span["R"], tip["n"]), v.cross(span["x"], f))
    return {"f": v.add(own["f"], f), "n": v.add(own["n"], n)}


def _given_motion(tree: Tree) -> Values:
    return {**dict.fromkeys(("w", "al", "l"), (UNKNOWN,) * 3), "U": ((UNKNOWN,) * 3,) * 3}


def _given_wrench(tree: Tree) -> Values:
    return dict.fromkeys(WRENCH, (UNKNOWN,) * 3)


accelerations_between = replace(accelerations, ground=_given_motion)


@inward(WRENCH, kept=tuple(WRENCH))
def own_wrench(link: Link, outer: Values) -> tuple[Values, Values]:
    """What a piece needs at its base if nothing is at its tip."""
    f, n = link.wrench_to_parent(v.add(link.F, outer["f"]), v.add(link.N, outer["n"]))
    return {"f": f, "n": n}, {}


forces_between = replace(forces, ground=_given_wrench)

INVERSE_IN_PIECES = replace(
    INVERSE_DYNAMICS,
    name="inverse_dynamics in pieces",
    sweeps=(relative_motion, accelerations_between, own_wrench, forces_between),
)
