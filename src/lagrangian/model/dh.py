"""Denavit-Hartenberg tables, in both conventions, as bodies and joints.

Standard (distal, Denavit and Hartenberg 1955): frame i at the far end of link i, `A_i = Rz(theta) Tz(d) Tx(a) Rx(alpha)`.
Modified (proximal, Craig 1986): frame i on joint axis i, `A_i = Rx(alpha) Tx(a) Rz(theta) Tz(d)`, a and alpha of the link before.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any

from lagrangian.errors import MechanismError, one_of, placed, shown
from lagrangian.model import coerce
from lagrangian.model import vector as v
from lagrangian.model.body import Body
from lagrangian.model.expression import Scalar, kept
from lagrangian.model.joint import Friction, Joint, JointSpring, Limits, Rotor
from lagrangian.model.loop import Frame
from lagrangian.model.placement import Placement, about_x, about_z

CONVENTIONS = ("standard", "modified")
_TYPES = {"R": "revolute", "P": "prismatic", "revolute": "revolute", "prismatic": "prismatic", "continuous": "continuous"}


@dataclass(frozen=True)
class DHRow:
    """One joint and the link it moves. `theta` and `d` are constants; the joint's variable is added to the one it moves.

    `inertia` is about the centre of mass, along the link's DH frame: three principal values, or a 3x3 matrix.
    """

    joint: str = "R"
    a: Scalar = 0
    alpha: Scalar = 0
    d: Scalar = 0
    theta: Scalar = 0
    mass: Scalar = 0
    center: Sequence[Scalar] = v.ZERO
    inertia: Any = (0, 0, 0)
    rotor: Rotor = field(default_factory=Rotor)
    friction: Friction = field(default_factory=Friction)
    spring: JointSpring = field(default_factory=JointSpring)
    limits: Limits = field(default_factory=Limits)
    effective: bool = False
    name: str = ""
    link: str = ""


def arm(
    cls: Any,
    rows: Sequence[Any],
    convention: str,
    name: str,
    gravity: v.Vector,
    base: Placement,
    tool: Any,
    more: dict[str, Any],
) -> Any:
    """The bodies and joints of a table, as a mechanism (`Mechanism.from_dh`)."""
    is_text = isinstance(convention, str)
    if not is_text or convention not in CONVENTIONS:
        known = "'standard' (distal, as Denavit and Hartenberg, Spong, Corke) or 'modified' (proximal, as Craig, Khalil)"
        given = "is not given" if is_text and not convention else f"is {shown(convention)}"
        raise MechanismError(given, where=name, argument="convention", remedy=f"say which the table follows: convention={known}")
    bodies: list[Body] = []
    joints: list[Joint] = []
    parent, before = "ground", base
    for i, given in enumerate(rows, 1):
        with placed(f"DH row {i}"):
            row = _row(given)
            if row.joint not in _TYPES:
                raise MechanismError(one_of("joint", row.joint, ("R", "P")))
        kind = _TYPES[row.joint]
        alpha, theta = kept(row.alpha, row.theta)
        along = Placement(v.IDENTITY, (row.a, 0, 0)) @ Placement(about_x(alpha))
        turn = Placement(about_z(theta), (0, 0, row.d))
        # the joint moves along z before (standard) or after (modified) the link's own constant part
        if convention == "standard":
            placement, child = before @ turn, along.inverse()
        else:
            placement, child = before @ Placement(about_x(alpha)) @ Placement(v.IDENTITY, (row.a, 0, 0)) @ turn, Placement()
        link = row.link or f"link{i}"
        bodies.append(Body(link, row.mass, row.center, row.inertia, effective=row.effective))  # type: ignore[arg-type]
        joints.append(
            Joint(
                row.name or f"q{i}",
                kind,
                parent,
                link,
                placement,
                child,
                friction=row.friction,
                rotor=row.rotor,
                spring=row.spring,
                limits=row.limits,
            )
        )
        parent, before = link, Placement()
    frames = list(more.pop("frames", ()))
    if tool is not None:
        frames.append(Frame("tool", parent, tool))
    return cls(name=name, bodies=bodies, joints=joints, frames=frames, gravity=gravity, **more)


def _row(given: Any) -> DHRow:
    if isinstance(given, DHRow):
        return given
    if not isinstance(given, Mapping):
        raise MechanismError(f"a DHRow or a mapping is needed, not {type(given).__name__}")
    known = [f.name for f in fields(DHRow)]
    for key in given:
        if key not in known:
            raise MechanismError(one_of("entry", key, known))
    values = dict(given)
    for key, kind in (("rotor", Rotor), ("friction", Friction), ("spring", JointSpring), ("limits", Limits)):
        if isinstance(values.get(key), Mapping):
            values[key] = coerce.part(kind, values[key], key)
    for key in ("a", "alpha", "d", "theta", "mass"):
        values[key] = coerce.scalar(values.get(key, 0), key)
        coerce.finite((values[key],), key)
    return DHRow(**values)
