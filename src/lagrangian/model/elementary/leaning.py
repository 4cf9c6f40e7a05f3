"""Angles for bodies that roll: those of the textbooks, in which the height of a wheel's centre is a plain cosine.

A disc that is otherwise free turns by its yaw about the plane's normal, leans, and spins about its axle (Neimark, Fufaev 1972;
for bicycles Meijaard et al. 2007). Yaw, pitch and roll describe it as well, but its lowest point is then a root of them.
"""

from __future__ import annotations

from lagrangian.model import vector as v
from lagrangian.model.constraint import Pfaffian, Rolling
from lagrangian.model.joint import Joint
from lagrangian.model.joints.joint_type import Step
from lagrangian.model.joints.revolute import Revolute
from lagrangian.model.mechanism import Mechanism


def turns(mechanism: Mechanism, joint: Joint) -> tuple[Step, ...]:
    """The three turns of a joint that carries a wheel; none where its usual ones serve."""
    used = {speed for c in mechanism.constraints if isinstance(c, Pfaffian) for speed, _ in c.coefficients}
    if not joint.kind.quaternion or used & set(joint.speed_names) or not _upright(joint):
        return ()
    for rolling in mechanism.constraints:
        if isinstance(rolling, Rolling) and rolling.axis is not None and rolling.on == joint.parent:
            normal, axle = _along(rolling.normal), _along(rolling.axis)
            carries = rolling.body == joint.child
            if normal is None or axle is None or not (carries or _carries(mechanism, joint.child, rolling)):
                continue
            flat = normal == axle  # it lies flat where no angle is turned
            across = (normal + 1) % 3 if flat else 3 - normal - axle
            angles = ("yaw", normal), ("tilt" if flat else "lean", across), ("spin" if carries else "pitch", axle)
            return tuple(Step(label, Revolute(), v.IDENTITY[k]) for label, k in angles)
    return ()


def _carries(mechanism: Mechanism, body: str, rolling: Rolling) -> bool:
    """Whether a wheel turns about its own axle in a body."""
    hinges = [j for j in mechanism.joints if j.parent == body and j.child == rolling.body and isinstance(j.kind, Revolute)]
    return any(_upright(j) and _along(j.axis) == _along(rolling.axis) for j in hinges)  # type: ignore[arg-type]


def _upright(joint: Joint) -> bool:
    """Whether its axes are those of both bodies where nothing is turned."""
    return joint.placement.rotation == joint.child_placement.rotation == v.IDENTITY


def _along(axis: v.Vector) -> int | None:
    """The number of the coordinate axis that an axis is along."""
    along = [k for k in range(3) if float(axis[k])]
    return along[0] if len(along) == 1 else None
