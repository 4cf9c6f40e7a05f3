"""Joints of the tree, and what sits at them: friction, a rotor, a spring, limits."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, TypeVar

from lagrangian.errors import MechanismError
from lagrangian.model import coerce, joints
from lagrangian.model import vector as v
from lagrangian.model.entries import Kind, Typed, settled
from lagrangian.model.expression import Scalar
from lagrangian.model.joints.joint_type import JointType
from lagrangian.model.placement import Placement

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Friction:
    """Viscous plus Coulomb friction, the latter possibly different in the two directions.

    F = viscous * qd + (coulomb if qd > 0, -coulomb_negative if qd < 0); both Coulomb values are positive, and the second is the
    first unless it is given.
    """

    viscous: Scalar = 0
    coulomb: Scalar = 0
    coulomb_negative: Scalar | None = None

    def __post_init__(self) -> None:
        if self.coulomb_negative is None:
            object.__setattr__(self, "coulomb_negative", self.coulomb)
        for name in ("viscous", "coulomb", "coulomb_negative"):
            x = float(coerce.scalar(getattr(self, name), f"friction: {name}"))
            if not (math.isfinite(x) and x >= 0):
                raise MechanismError(
                    f"friction: {name} is {x:g}; it must be finite and not negative, or it would drive the joint"
                )


@dataclass(frozen=True, slots=True)
class Rotor:
    """A motor's rotor of inertia J_m behind a gear of ratio r: it adds r^2 J_m, and the motor drives with r times its torque."""

    inertia: Scalar = 0
    ratio: Scalar = 1

    def __post_init__(self) -> None:
        if not (math.isfinite(float(self.inertia)) and float(self.inertia) >= 0):
            raise MechanismError(f"rotor: inertia is {float(self.inertia):g} kg m^2; it must be finite and not negative")
        if not math.isfinite(float(self.ratio)) or float(self.ratio) == 0:
            raise MechanismError(f"rotor: gear ratio is {float(self.ratio):g}; it must be finite and not 0")

    @property
    def reflected(self) -> Scalar:
        return self.ratio * self.ratio * self.inertia


@dataclass(frozen=True, slots=True)
class JointSpring:
    """A linear spring at the joint: V = 1/2 stiffness (q - rest)^2."""

    stiffness: Scalar = 0
    rest: Scalar = 0


@dataclass(frozen=True, slots=True)
class Limits:
    """Of position, speed and force, for each of the joint's coordinates."""

    lower: float = -math.inf
    upper: float = math.inf
    speed: float = math.inf
    effort: float = math.inf

    def __post_init__(self) -> None:
        for name in ("lower", "upper", "speed", "effort"):
            x = float(coerce.scalar(getattr(self, name), f"limits: {name}"))
            if math.isnan(x) or (name in ("speed", "effort") and x < 0):
                raise MechanismError(f"limits: {name} is {x:g}; a number is needed, and speed and effort cannot be negative")
        if self.lower > self.upper:
            raise MechanismError(f"limits: the lower limit {self.lower:g} is above the upper {self.upper:g}")


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
        where = f"joint {name!r}"
        kind = joints.named(type, where)
        if axis is not None:
            entries["axis"] = axis
        if isinstance(limits, (tuple, list)) and len(limits) == 2:
            limits = Limits(*limits)
        values = {
            "name": name,
            "type": type,
            "parent": parent,
            "child": child,
            "placement": Placement.of(Placement() if placement is None else placement, f"{where}: placement"),
            "child_placement": Placement.of(
                Placement() if child_placement is None else child_placement, f"{where}: child_placement"
            ),
            "friction": _part(Friction, friction, f"{where}: friction"),
            "rotor": _part(Rotor, rotor, f"{where}: rotor"),
            "spring": _part(JointSpring, spring, f"{where}: spring"),
            "limits": _part(Limits, limits, f"{where}: limits"),
            "actuated": actuated,
            "own": settled(kind.entries, {**dict(own), **entries}, where, f"a {type} joint", self.__slots__),
        }
        for key, value in values.items():
            object.__setattr__(self, key, value)
        kind.check(self, where)
        steps = kind.steps(self)
        if (sum(step.kind.nq for step in steps), sum(step.kind.nv for step in steps)) != (kind.nq, kind.nv):
            raise MechanismError(
                f"{where}: the steps of type {type!r} do not have its {kind.nq} coordinates and {kind.nv} speeds in all"
            )
        coerce.finite((self.spring.stiffness, self.spring.rest), where, "spring")
        if "spring" in kind.refuses and float(self.spring.stiffness) != 0:
            raise MechanismError(f"{where}: a {type} joint has no single coordinate for a spring; use a spring between points")

    @property
    def kind(self) -> JointType:
        return joints.TYPES[self.type]

    @property
    def axes(self) -> tuple[v.Vector, ...]:
        """Its axes, in its own frame: none of a ball, a free or a fixed joint."""
        return tuple(getattr(self, entry.name) for entry in self.kind.entries if entry.kind is Kind.AXIS)

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


def _part(kind: type[T], given: Any, where: str) -> T:
    return kind() if given is None else coerce.part(kind, given, where)
