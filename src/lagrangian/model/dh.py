"""Denavit-Hartenberg tables, in both conventions, as bodies and joints.

Standard (distal, Denavit and Hartenberg 1955): frame i at the far end of link i, `A_i = Rz(theta) Tz(d) Tx(a) Rx(alpha)`.
Modified (proximal, Craig 1986): frame i on joint axis i, `A_i = Rx(alpha) Tx(a) Rz(theta) Tz(d)`, a and alpha of the link before.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any

from lagrangian.errors import MechanismError, error_location, format_value, unknown_name_message
from lagrangian.model import checks
from lagrangian.model import vector as v
from lagrangian.model.body import Body
from lagrangian.model.expression import Scalar, keep_symbolic
from lagrangian.model.frame import Frame
from lagrangian.model.joint import Friction, Joint, JointLimits, JointSpring, Rotor
from lagrangian.model.placement import Transform, rotation_x, rotation_z
from lagrangian.model.vector import InertiaLike, VectorLike

CONVENTIONS = ("standard", "modified")
_JOINT_TYPES = {"R": "revolute", "P": "prismatic", "revolute": "revolute", "prismatic": "prismatic", "continuous": "continuous"}


@dataclass(frozen=True)
class DHParameters:
    """One row of a Denavit-Hartenberg table: a joint and the link that it moves.

    The variable of the joint is added to `theta` of a revolute joint, and to `d` of a prismatic one. See `Mechanism.from_dh`.

    Parameters
    ----------
    joint : str, optional
        "R" for a revolute joint, the default, or "P" for a prismatic one; "continuous" has no limits.
    a : float or Expression, optional
        The link length in m.
    alpha : float or Expression, optional
        The link twist in rad.
    d : float or Expression, optional
        The joint offset in m.
    theta : float or Expression, optional
        The joint angle in rad.
    mass : float or Expression, optional
        The mass of the link in kg.
    center : array_like, optional
        The centre of mass in the DH frame of the link, in m.
    inertia : array_like, optional
        The inertia about the centre of mass along the DH frame of the link, in kg m²: three principal moments, six entries
        (xx, xy, xz, yy, yz, zz) or a 3x3 matrix.
    rotor : Rotor, optional
        The rotor and the gear of the motor.
    friction : Friction, optional
        Viscous and dry friction of the joint.
    spring : JointSpring, optional
        A spring at the joint.
    limits : JointLimits, optional
        The limits of the joint.
    effective : bool, optional
        Whether the inertial parameters are identified or regrouped ones: see `Body`.
    name : str, optional
        The name of the joint; the default is "q1", "q2", ...
    link : str, optional
        The name of the link; the default is "link1", "link2", ...

    Examples
    --------
    A planar arm with two links of 0.5 m:

    >>> import lagrangian as lg
    >>> row = lg.DHParameters(a=0.5, mass=1.0, center=(-0.25, 0, 0), inertia=(0, 0.02, 0.02))
    >>> arm = lg.Mechanism.from_dh([row, row], convention="standard", gravity=(0, -9.81, 0))
    >>> arm.coordinate_names
    ('q1', 'q2')
    """

    joint: str = "R"
    a: Scalar = 0
    alpha: Scalar = 0
    d: Scalar = 0
    theta: Scalar = 0
    mass: Scalar = 0
    center: VectorLike = v.ZERO
    inertia: InertiaLike = (0, 0, 0)
    rotor: Rotor = field(default_factory=Rotor)
    friction: Friction = field(default_factory=Friction)
    spring: JointSpring = field(default_factory=JointSpring)
    limits: JointLimits = field(default_factory=JointLimits)
    effective: bool = False
    name: str = ""
    link: str = ""


def build_arm(
    cls: Any,
    rows: Sequence[Any],
    convention: str,
    name: str,
    gravity: v.Vector,
    base: Transform,
    tool: Any,
    options: dict[str, Any],
) -> Any:
    """The bodies and joints of a table, as a mechanism (`Mechanism.from_dh`)."""
    _check_convention(convention, name)
    bodies: list[Body] = []
    joints: list[Joint] = []
    parent, row_base = "ground", base
    if not isinstance(rows, Iterable) or getattr(rows, "ndim", 1) == 0:
        raise MechanismError(f"is {format_value(rows)}", where=name, argument="rows", remedy="it must be a list of rows")
    for i, entries in enumerate(rows, 1):
        with error_location(f"DH row {i}"):
            row = _as_dh_parameters(entries)
            if row.joint not in _JOINT_TYPES:
                raise MechanismError(unknown_name_message("joint", row.joint, ("R", "P")))
        kind = _JOINT_TYPES[row.joint]
        placement, child_placement = _joint_placements(row, convention, row_base)
        link = row.link or f"link{i}"
        bodies.append(Body(link, row.mass, row.center, row.inertia, effective=row.effective))  # type: ignore[arg-type]
        joints.append(
            Joint(
                row.name or f"q{i}",
                kind,
                parent,
                link,
                placement,
                child_placement,
                friction=row.friction,
                rotor=row.rotor,
                spring=row.spring,
                limits=row.limits,
            )
        )
        parent, row_base = link, Transform()
    frames = list(options.pop("frames", ()))
    if tool is not None:
        frames.append(Frame("tool", parent, tool))
    return cls(name=name, bodies=bodies, joints=joints, frames=frames, gravity=gravity, **options)


def _check_convention(convention: str, mechanism: str) -> None:
    is_text = isinstance(convention, str)
    if not is_text or convention not in CONVENTIONS:
        conventions = "'standard' (distal: Denavit and Hartenberg, Spong, Corke) or 'modified' (proximal: Craig, Khalil)"
        problem = "is not given" if is_text and not convention else f"is {format_value(convention)}"
        raise MechanismError(
            problem, where=mechanism, argument="convention", remedy=f"name the convention of the table: convention={conventions}"
        )


def _joint_placements(row: DHParameters, convention: str, base: Transform) -> tuple[Transform, Transform]:
    """The placements of a joint on its parent, where the row begins at `base`, and on its link.

    The joint moves along z before (standard) or after (modified) the link's own constant part.
    """
    alpha, theta = keep_symbolic(row.alpha, row.theta)
    slide_and_turn = Transform(rotation_z(theta), (0, 0, row.d))
    along, twist = Transform(v.IDENTITY, (row.a, 0, 0)), Transform(rotation_x(alpha))
    if convention == "standard":
        return base @ slide_and_turn, (along @ twist).inverse()
    return base @ twist @ along @ slide_and_turn, Transform()


def _as_dh_parameters(value: Any) -> DHParameters:
    if isinstance(value, DHParameters):
        return value
    if not isinstance(value, Mapping):
        raise MechanismError(f"a row must be a DHParameters or a mapping, not {type(value).__name__}")
    entry_names = [f.name for f in fields(DHParameters)]
    for key in value:
        if key not in entry_names:
            raise MechanismError(unknown_name_message("entry", key, entry_names))
    values = dict(value)
    for key, kind in (("rotor", Rotor), ("friction", Friction), ("spring", JointSpring), ("limits", JointLimits)):
        if isinstance(values.get(key), Mapping):
            values[key] = checks.as_instance(kind, values[key], key)
    for key in ("a", "alpha", "d", "theta", "mass"):
        values[key] = checks.scalar(values.get(key, 0), key)
        checks.check_finite((values[key],), key)
    return DHParameters(**values)
