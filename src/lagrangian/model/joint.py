"""Joints of the tree, and what sits at them: friction, a rotor, a spring, limits."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields
from typing import Any

from lagrangian.errors import MechanismError, MechanismPart, error_location
from lagrangian.model import checks, joints
from lagrangian.model.expression import Scalar
from lagrangian.model.joints.joint_type import JointType
from lagrangian.model.placement import Transform, TransformLike
from lagrangian.model.type_entries import EntryKind, TypedElement, validate_entries
from lagrangian.model.vector import AxisLike, Vector


@dataclass(frozen=True, slots=True)
class Friction:
    """Viscous and dry friction of a joint.

    A joint that moves with the speed q̇ is braked by `viscous q̇ + coulomb` forwards, and by `viscous q̇ - coulomb_negative`
    backwards. A joint at rest stays at rest up to the static friction. All values are positive, in N m s and N m for a joint
    that turns, and in N s/m and N for a joint that slides.

    Parameters
    ----------
    viscous : float or Expression, optional
        The coefficient of viscous friction; the default is 0.
    coulomb : float or Expression, optional
        The Coulomb friction while the joint moves forwards; the default is 0.
    coulomb_negative : float or Expression, optional
        The Coulomb friction while the joint moves backwards; by default it equals `coulomb`.
    static : float or Expression, optional
        The force at which a joint at rest begins to move forwards, which is not less than `coulomb`; by default it equals
        `coulomb`.
    static_negative : float or Expression, optional
        The same backwards; by default it equals `static`, or `coulomb_negative` if `static` is not given.

    Raises
    ------
    MechanismError
        If a value is negative, or if the static friction is less than the Coulomb friction.

    Examples
    --------
    >>> import lagrangian as lg
    >>> friction = lg.Friction(viscous=0.1, coulomb=0.5, static=0.8)
    >>> friction.breakaway
    (0.8, 0.8)
    """

    viscous: Scalar = 0
    coulomb: Scalar = 0
    coulomb_negative: Scalar | None = None
    static: Scalar | None = None
    static_negative: Scalar | None = None

    def __post_init__(self) -> None:
        if self.coulomb_negative is None:
            object.__setattr__(self, "coulomb_negative", self.coulomb)
        for name in ("viscous", "coulomb", "coulomb_negative", "static", "static_negative"):
            if getattr(self, name) is None:
                continue
            with error_location("friction"):
                checks.convert_fields(self, checks.scalar, name)
            x = float(getattr(self, name))
            if not 0 <= x <= checks.MAX_MAGNITUDE:
                remedy = f"it must be a number from 0 to {checks.MAX_MAGNITUDE:g}; a negative one would drive the joint"
                raise MechanismError(f"is {x:g}", where="friction", argument=name, remedy=remedy)
        sides = (("static", "coulomb"), ("static_negative", "coulomb_negative"))
        for (name, other), breakaway_force in zip(sides, self.breakaway, strict=True):
            sliding_force = float(getattr(self, other))
            if float(breakaway_force) < sliding_force:
                remedy = f"it must not be less than the friction of sliding, `{other}`, which is {sliding_force:g}"
                raise MechanismError(f"is {float(breakaway_force):g}", where="friction", argument=name, remedy=remedy)

    def __repr__(self) -> str:
        """The friction as text, with static friction only where it is set."""
        values = {f.name: getattr(self, f.name) for f in fields(self)}
        return f"Friction({', '.join(f'{name}={x!r}' for name, x in values.items() if x is not None)})"

    @property
    def breakaway(self) -> tuple[Scalar, Scalar]:
        """The forces at which a joint at rest begins to move, forwards and backwards."""
        assert self.coulomb_negative is not None
        forwards = self.coulomb if self.static is None else self.static
        backwards = self.static if self.static_negative is None else self.static_negative
        return forwards, self.coulomb_negative if backwards is None else backwards


@dataclass(frozen=True, slots=True)
class Rotor:
    """The rotor of a motor behind a gear.

    The rotor adds `ratio² inertia` to the inertia of the joint. Torques are always those at the joint, `ratio` times the torque
    of the motor.

    Parameters
    ----------
    inertia : float or Expression, optional
        The moment of inertia of the rotor about its own axis in kg m²; the default is 0.
    ratio : float or Expression, optional
        The gear ratio, turns of the motor per turn of the joint; the default is 1. For a joint that slides it is in rad/m.

    Raises
    ------
    MechanismError
        If the inertia is negative or the ratio is 0.

    Examples
    --------
    >>> import lagrangian as lg
    >>> lg.Rotor(inertia=2e-5, ratio=100).reflected_inertia
    0.2
    """

    inertia: Scalar = 0
    ratio: Scalar = 1

    def __post_init__(self) -> None:
        with error_location("rotor"):
            checks.convert_fields(self, checks.scalar, "inertia", "ratio")
            checks.check_finite((self.inertia,), "inertia")
            checks.check_finite((self.ratio,), "ratio", checks.MAX_DISTANCE)
            inertia, ratio = float(self.inertia), float(self.ratio)
            if inertia < 0:
                raise MechanismError(f"is {inertia:g} kg m^2", argument="inertia", remedy="it cannot be negative")
            if ratio == 0:
                raise MechanismError(f"is {ratio:g}", argument="ratio", remedy="the gear ratio cannot be 0")

    @property
    def reflected_inertia(self) -> Scalar:
        """The inertia of the rotor at the joint, `ratio² inertia`, in kg m²."""
        return self.ratio * self.ratio * self.inertia


@dataclass(frozen=True, slots=True)
class JointSpring:
    """A linear spring at a joint, with the potential energy V = 1/2 stiffness (q - rest)².

    The spring of a ball joint has V = 1/2 stiffness angle², where the angle is that of the shortest rotation from the neutral
    configuration, at most half a turn.

    Parameters
    ----------
    stiffness : float or Expression, optional
        The stiffness in N m/rad for a joint that turns, and in N/m for a joint that slides; the default is 0.
    rest : float or Expression, optional
        The coordinate at which the spring is relaxed, in rad or m; the default is 0. A ball joint has none.

    Examples
    --------
    >>> import lagrangian as lg
    >>> joint = lg.Joint("q", "revolute", "ground", "link", spring=lg.JointSpring(stiffness=3.0, rest=0.5))
    >>> joint.spring.rest
    0.5
    """

    stiffness: Scalar = 0
    rest: Scalar = 0

    def __post_init__(self) -> None:
        with error_location("spring"):
            checks.convert_fields(self, checks.number, "stiffness", "rest")


@dataclass(frozen=True, slots=True)
class JointLimits:
    """The limits of a joint, for each of its coordinates.

    A simulation treats limits of position as stops. Limits of speed and effort are for motor sizing, inverse dynamics and
    saturated controllers.

    Parameters
    ----------
    lower, upper : float, optional
        The limits of position in rad or m; by default there are none.
    speed : float, optional
        The largest speed in either direction, in rad/s or m/s; by default there is none.
    effort : float, optional
        The largest torque or force in either direction, in N m or N; by default there is none.

    Raises
    ------
    MechanismError
        If the lower limit exceeds the upper one, or if speed or effort is negative.

    Examples
    --------
    >>> import lagrangian as lg
    >>> lg.JointLimits(-1.0, 1.0, effort=50.0)
    JointLimits(lower=-1.0, upper=1.0, speed=inf, effort=50.0)
    """

    lower: float = -math.inf
    upper: float = math.inf
    speed: float = math.inf
    effort: float = math.inf

    def __post_init__(self) -> None:
        for name in ("lower", "upper", "speed", "effort"):
            with error_location("limits"):
                checks.convert_fields(self, checks.number_with_source, name)
            x = float(getattr(self, name))
            if math.isnan(x) or (name in ("speed", "effort") and x < 0):
                remedy = "limits are numbers, and those of speed and effort cannot be negative"
                raise MechanismError(f"is {x:g}", where="limits", argument=name, remedy=remedy)
        if self.lower > self.upper:
            raise MechanismError(f"the lower limit, {self.lower:g}, exceeds the upper limit, {self.upper:g}", where="limits")


@dataclass(frozen=True, slots=True, init=False)
class Joint(TypedElement):
    """A joint of the tree, which connects the body `child` to the body `parent`.

    The frame of the joint has a placement in the parent and one in the child; with all coordinates zero the two coincide. Every
    body is the child of exactly one joint. Joints that close loops are `LoopJoint`.

    ==========  =================================  =================================  =================
    type        coordinates                        motion of the child                entries
    ==========  =================================  =================================  =================
    revolute    name                               turns about the axis               axis
    continuous  name                               turns about the axis, no limits    axis
    prismatic   name                               slides along the axis              axis
    helical     name                               turns and slides by the pitch      axis, pitch
    cam         name                               turns and slides by a function     axis, advance
    universal   name.1, name.2                     turns about two axes               axis, axis2
    gimbal      name.1, name.2, name.3             turns about three axes             axis, axis2, axis3
    ball        name.w, .x, .y, .z                 turns in any way (quaternion)
    planar      name.x, .y, .angle                 slides in a plane and turns        axis (its normal)
    free        name.w, .x, .y, .z, .px, .py, .pz  moves in any way
    fixed       none                               is welded to the parent
    ==========  =================================  =================================  =================

    Parameters
    ----------
    name : str
        The name, which is also that of a single coordinate.
    type : str
        The type, one of the table above.
    parent : str
        The name of the parent body; "ground" is the fixed world.
    child : str
        The name of the child body.
    placement : Transform or array_like, optional
        The frame of the joint in the frame of the parent: a `Transform`, or a position in m. By default they are the same.
    child_placement : Transform or array_like, optional
        The frame of the joint in the frame of the child. By default they are the same.
    axis : str or array_like, optional
        The axis in the frame of the joint: "x", "-y", ... or three numbers. The default is "z".
    friction : Friction or mapping, optional
        Viscous and dry friction.
    rotor : Rotor or mapping, optional
        The rotor and the gear of its motor.
    spring : JointSpring or mapping, optional
        A spring at the joint.
    limits : JointLimits, mapping or pair of float, optional
        The limits of position, speed and effort; a pair is the limits of position.
    actuated : bool, optional
        Whether a motor drives the joint; the default is True.
    type_entries : iterable of pairs, optional
        The entries of the type as pairs of name and value, another way to give the parameters below.
    **entries
        What only some types have: see Other Parameters.

    Other Parameters
    ----------------
    axis2 : str or array_like
        The second axis of a universal joint or a gimbal, which the first turn carries along; the default is "y".
    axis3 : str or array_like
        The third axis of a gimbal, which the turns before it carry along; the default is "x".
    pitch : float or Expression
        How far a helical joint moves along its axis, in m/rad.
    advance : str or Expression
        How far a cam moves along its axis in m, as an expression of `angle` in rad.

    Raises
    ------
    MechanismError
        If the type does not exist, or if a joint of this type has no such entry.

    Examples
    --------
    >>> import lagrangian as lg
    >>> elbow = lg.Joint(
    ...     "elbow",
    ...     "revolute",
    ...     "upper_arm",
    ...     "forearm",
    ...     placement=(0.3, 0, 0),
    ...     axis="y",
    ...     friction={"viscous": 0.1},
    ...     limits=(-2.0, 2.0),
    ... )
    >>> elbow.axis, elbow.friction.viscous, elbow.limits.upper
    ((0, 1, 0), 0.1, 2.0)

    A screw that advances 2 mm per turn:

    >>> import math
    >>> screw = lg.Joint("screw", "helical", "ground", "nut", axis="z", pitch=0.002 / (2 * math.pi))
    >>> screw.coordinate_names
    ('screw',)
    """

    name: str
    type: str
    parent: str
    child: str
    placement: Transform
    child_placement: Transform
    friction: Friction
    rotor: Rotor
    spring: JointSpring
    limits: JointLimits
    actuated: bool
    type_entries: tuple[tuple[str, Any], ...]  # the entries of its type, by name

    def __init__(
        self,
        name: str,
        type: str,  # noqa: A002
        parent: str,
        child: str,
        placement: TransformLike | None = None,
        child_placement: TransformLike | None = None,
        axis: AxisLike | None = None,
        *,
        friction: Friction | Mapping[str, Scalar] | None = None,
        rotor: Rotor | Mapping[str, Scalar] | None = None,
        spring: JointSpring | Mapping[str, Scalar] | None = None,
        limits: JointLimits | Mapping[str, float] | tuple[float, float] | None = None,
        actuated: bool = True,
        type_entries: Iterable[tuple[str, Any]] = (),
        **entries: AxisLike | Scalar,
    ) -> None:
        if axis is not None:
            entries["axis"] = axis
        joint_parts = {"friction": friction, "rotor": rotor, "spring": spring, "limits": limits}
        with error_location(MechanismPart("joint", name)):
            kind = joints.find_type(checks.text(type, "type"))
            entry_values = {**checks.pairs(type_entries, "type_entries"), **entries}
            values = {
                "name": checks.text(name, "name"),
                "type": type,
                "parent": checks.text(parent, "parent"),
                "child": checks.text(child, "child"),
                "placement": Transform.from_value(Transform() if placement is None else placement, "placement"),
                "child_placement": Transform.from_value(
                    Transform() if child_placement is None else child_placement, "child_placement"
                ),
                **{key: _joint_part(kind, key, part) for key, part in joint_parts.items()},
                "actuated": checks.boolean(actuated, "actuated"),
                "type_entries": validate_entries(kind, entry_values, f"a {type} joint", joints.TYPES.values(), self.__slots__),
            }
            for key, value in values.items():
                object.__setattr__(self, key, value)
            kind.check(self)
            _check_steps(self)

    @property
    def kind(self) -> JointType:
        """The type of the joint as an object, which knows its coordinates and its motion."""
        return joints.TYPES[self.type]

    @property
    def axes(self) -> tuple[Vector, ...]:
        """The axes in the frame of the joint; a ball, free or fixed joint has none."""
        return tuple(getattr(self, entry.name) for entry in self.kind.entries if entry.kind is EntryKind.AXIS)

    @property
    def friction_plane(self) -> tuple[int, ...]:
        """The indices of the speeds whose dry friction acts together, against the direction of their velocity.

        They are those of a planar or a free joint whose friction is the same in both directions; other joints have none.
        """
        f = self.friction
        is_symmetric = f.coulomb == f.coulomb_negative and f.breakaway[0] == f.breakaway[1]
        return self.kind.plane if is_symmetric and float(f.breakaway[0]) else ()

    @property
    def coordinate_names(self) -> tuple[str, ...]:
        """The names of the coordinates."""
        return tuple(f"{self.name}.{c}" if c else self.name for c in self.kind.coordinates)

    @property
    def speed_names(self) -> tuple[str, ...]:
        """The names of the speeds."""
        return tuple(f"{self.name}.{c}" if c else self.name for c in self.kind.speeds)

    @property
    def slides(self) -> tuple[bool, ...]:
        """Whether each speed is linear (m/s, with a force in N) rather than angular (rad/s, with a torque in N m)."""
        return self.kind.slides


JOINT_PARTS: dict[str, type] = {"friction": Friction, "rotor": Rotor, "spring": JointSpring, "limits": JointLimits}


def _joint_part(kind: JointType, key: str, value: Any) -> Any:
    """Check a part of a joint, such as its limits, and return it; a part that means nothing for this type of joint is refused."""
    part = JOINT_PARTS[key]
    if value is None:
        return part()
    if part is JointLimits and isinstance(value, (tuple, list)) and len(value) == 2:
        value = JointLimits(*value)
    instance: Any = checks.as_instance(part, value, key)
    if instance != part():
        joints.refuse_part(kind, key)
    return instance


def _check_steps(joint: Joint) -> None:
    kind, steps = joint.kind, joint.kind.steps(joint)
    if (sum(step.kind.nq for step in steps), sum(step.kind.nv for step in steps)) != (kind.nq, kind.nv):
        raise MechanismError(
            f"the steps of type {joint.type!r} must have its {kind.nq} coordinates and {kind.nv} speeds in total"
        )
