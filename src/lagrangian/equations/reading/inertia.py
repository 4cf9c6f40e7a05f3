"""The ten inertial parameters of a link: their names, their meanings and their numbers."""

from __future__ import annotations

from typing import Any

from lagrangian.equations.reading.link import Inertia, Pose
from lagrangian.model import vector as v
from lagrangian.model.body import Body
from lagrangian.model.mechanism import Mechanism
from lagrangian.model.placement import Placement

PARAMETERS = ("m", "hx", "hy", "hz", "Ixx", "Ixy", "Ixz", "Iyy", "Iyz", "Izz")
MEANINGS = (
    "mass of {}",
    *(f"first moment m c_{a} of {{}}" for a in "xyz"),
    *(f"inertia I_{a} of {{}} about its frame's origin" for a in ("xx", "xy", "xz", "yy", "yz", "zz")),
)


def inertia_in_numbers(mechanism: Mechanism, body: Body, at: Placement) -> Inertia:
    """A body's inertia, and that of the bodies fixed to it, in the frame in which it stands at `at`, in numbers."""
    R: Any = tuple(tuple(float(x) for x in row) for row in at.rotation)
    position: Any = tuple(float(x) for x in at.position)
    center: Any = tuple(float(x) for x in body.center)
    I: Any = tuple(float(x) for x in body.inertia)
    mass = float(body.mass)
    own = Inertia(mass, v.scale(mass, center), v.sym_add(I, v.point_inertia(mass, center)))
    total = own.seen_from(Pose(R, position))
    for joint in mechanism.joints:
        if not joint.kind.nv and joint.parent == body.name:
            there = at @ joint.placement @ joint.child_placement.inverse()
            total = total + inertia_in_numbers(mechanism, mechanism.body(joint.child), there)
    return total
