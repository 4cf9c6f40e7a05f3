"""Joints of the tree, and what sits at them: friction, a rotor, a spring, limits."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, fields
from typing import Any

from lagrangian.errors import MechanismError, Part, placed
from lagrangian.model import coerce, joints
from lagrangian.model import vector as v
from lagrangian.model.entries import Kind, Typed, settled
from lagrangian.model.expression import Scalar
from lagrangian.model.joints.joint_type import JointType
from lagrangian.model.placement import Placement


@dataclass(frozen=True, slots=True)
class Friction:
    """Viscous plus Coulomb friction, the latter possibly different in the two directions.

    F = viscous * qd + (coulomb if qd > 0, -coulomb_negative if qd < 0); both Coulomb values are positive, and the second is the
    first unless it is given. A joint at rest is held by as much, or by `static` friction where that is given: it breaks loose at
    the static force and slides against the other.
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
            with placed("friction"):
                coerce.keep(self, coerce.scalar, name)
            x = float(getattr(self, name))
            if not 0 <= x <= coerce.MOST:
                needed = f"it must be finite, at most {coerce.MOST:g}, and not negative, or it would drive the joint"
                raise MechanismError(f"is {x:g}", where="friction", argument=name, remedy=needed)
        sides = (("static", "coulomb"), ("static_negative", "coulomb_negative"))
        for (name, other), most in zip(sides, self.breakaway, strict=True):
            least = float(getattr(self, other))
            if float(most) < least:
                needed = f"a joint at rest is held by at least the friction of sliding, `{other}`, which is {least:g}"
                raise MechanismError(f"is {float(most):g}", where="friction", argument=name, remedy=needed)

    def __repr__(self) -> str:
        """With static friction where it is given."""
        given = {f.name: getattr(self, f.name) for f in fields(self)}
        return f"Friction({', '.join(f'{name}={x!r}' for name, x in given.items() if x is not None)})"

    @property
    def breakaway(self) -> tuple[Scalar, Scalar]:
        """The forces at which a joint at rest breaks loose, forwards and backwards."""
        assert self.coulomb_negative is not None
        forwards = self.coulomb if self.static is None else self.static
        backwards = self.static if self.static_negative is None else self.static_negative
        return forwards, self.coulomb_negative if backwards is None else backwards


@dataclass(frozen=True, slots=True)
class Rotor:
    """A motor's rotor of inertia J_m behind a gear of ratio r: it adds r^2 J_m, and the motor drives with r times its torque."""

    inertia: Scalar = 0
    ratio: Scalar = 1

    def __post_init__(self) -> None:
        with placed("rotor"):
            coerce.keep(self, coerce.scalar, "inertia", "ratio")
            coerce.finite((self.inertia,), "inertia")
            coerce.finite((self.ratio,), "ratio", coerce.LONGEST)
            inertia, ratio = float(self.inertia), float(self.ratio)
            if inertia < 0:
                raise MechanismError(f"is {inertia:g} kg m^2", argument="inertia", remedy="it must be finite and not negative")
            if ratio == 0:
                raise MechanismError(f"is {ratio:g}", argument="ratio", remedy="the gear ratio must be finite and not 0")

    @property
    def reflected(self) -> Scalar:
        return self.ratio * self.ratio * self.inertia


@dataclass(frozen=True, slots=True)
class JointSpring:
    """A linear spring at the joint: V = 1/2 stiffness (q - rest)^2; of a ball joint 1/2 stiffness angle^2, without a rest.

    The angle of a ball joint is that of the shortest turn from its neutral configuration, at most half a turn.
    """

    stiffness: Scalar = 0
    rest: Scalar = 0

    def __post_init__(self) -> None:
        with placed("spring"):
            coerce.keep(self, coerce.number, "stiffness", "rest")


@dataclass(frozen=True, slots=True)
class Limits:
    """Of position, speed and force, for each of the joint's coordinates."""

    lower: float = -math.inf
    upper: float = math.inf
    speed: float = math.inf
    effort: float = math.inf

    def __post_init__(self) -> None:
        for name in ("lower", "upper", "speed", "effort"):
            with placed("limits"):
                coerce.keep(self, coerce.written, name)
            x = float(getattr(self, name))
            if math.isnan(x) or (name in ("speed", "effort") and x < 0):
                needed = "a number is needed, and speed and effort cannot be negative"
                raise MechanismError(f"is {x:g}", where="limits", argument=name, remedy=needed)
        if self.lower > self.upper:
            raise MechanismError(f"the lower limit {self.lower:g} is above the upper {self.upper:g}", where="limits")


@dataclass(frozen=True, slots=True, init=False)
class Joint(Typed):
    """Connects `child` to `parent`.

    `placement` is the joint's frame in the parent body's frame, `child_placement` the joint's frame in the child body's frame:
    at the neutral configuration the two coincide. What else a joint has depends on its type, and is given by name: `axis`, in
    the joint's frame, of all that turn or slide; `axis2` of a universal joint; `axis2` and `axis3` of a gimbal; `pitch` of a
    helical joint, in metres per radian; `advance` of a cam, an expression of its `angle`. The types are in `model.joints`.
    """

    name: str
    type: str
    parent: str
    child: str
    placement: Placement
    child_placement: Placement
    friction: Friction
    rotor: Rotor
    spring: JointSpring
    limits: Limits
    actuated: bool
    own: tuple[tuple[str, Any], ...]  # the entries of its type, by name

    def __init__(
        self,
        name: str,
        type: str,  # noqa: A002
        parent: str,
        child: str,
        placement: Any = None,
        child_placement: Any = None,
        axis: Any = None,
        *,
        friction: Any = None,
        rotor: Any = None,
        spring: Any = None,
        limits: Any = None,
        actuated: bool = True,
        own: Iterable[tuple[str, Any]] = (),
        **entries: Any,
    ) -> None:
        if axis is not None:
            entries["axis"] = axis
        at_joint = {"friction": friction, "rotor": rotor, "spring": spring, "limits": limits}
        with placed(Part("joint", name)):
            kind = joints.named(coerce.text(type, "type"))
            given = {**coerce.pairs(own, "own"), **entries}
            values = {
                "name": coerce.text(name, "name"),
                "type": type,
                "parent": coerce.text(parent, "parent"),
                "child": coerce.text(child, "child"),
                "placement": Placement.of(Placement() if placement is None else placement, "placement"),
                "child_placement": Placement.of(Placement() if child_placement is None else child_placement, "child_placement"),
                **{key: _at_joint(kind, key, given) for key, given in at_joint.items()},
                "actuated": coerce.flag(actuated, "actuated"),
                "own": settled(kind, given, f"a {type} joint", joints.TYPES.values(), self.__slots__),
            }
            for key, value in values.items():
                object.__setattr__(self, key, value)
            kind.check(self)
            _check_steps(self)

    @property
    def kind(self) -> JointType:
        return joints.TYPES[self.type]

    @property
    def axes(self) -> tuple[v.Vector, ...]:
        """Its axes, in its own frame: none of a ball, a free or a fixed joint."""
        return tuple(getattr(self, entry.name) for entry in self.kind.entries if entry.kind is Kind.AXIS)

    @property
    def rubbing_plane(self) -> tuple[int, ...]:
        """The speeds whose dry friction acts together, against their direction; none if it differs between the two ways."""
        f = self.friction
        same = f.coulomb == f.coulomb_negative and f.breakaway[0] == f.breakaway[1]
        return self.kind.plane if same and float(f.breakaway[0]) else ()

    @property
    def coordinate_names(self) -> tuple[str, ...]:
        return tuple(f"{self.name}.{c}" if c else self.name for c in self.kind.coordinates)

    @property
    def speed_names(self) -> tuple[str, ...]:
        return tuple(f"{self.name}.{c}" if c else self.name for c in self.kind.speeds)

    @property
    def slides(self) -> tuple[bool, ...]:
        """Whether each of its speeds is of a length, not of an angle: its force is in N then, not in N m."""
        return self.kind.slides


AT_JOINT: dict[str, type] = {"friction": Friction, "rotor": Rotor, "spring": JointSpring, "limits": Limits}


def _at_joint(kind: JointType, key: str, given: Any) -> Any:
    """What sits at a joint, checked; what would mean nothing at a joint of this type is refused."""
    part = AT_JOINT[key]
    if given is None:
        return part()
    if part is Limits and isinstance(given, (tuple, list)) and len(given) == 2:
        given = Limits(*given)
    made: Any = coerce.part(part, given, key)
    if made != part():
        joints.refuse(kind, key)
    return made


def _check_steps(joint: Joint) -> None:
    kind, steps = joint.kind, joint.kind.steps(joint)
    if (sum(step.kind.nq for step in steps), sum(step.kind.nv for step in steps)) != (kind.nq, kind.nv):
        raise MechanismError(
            f"the steps of type {joint.type!r} do not have its {kind.nq} coordinates and {kind.nv} speeds in all"
        )
