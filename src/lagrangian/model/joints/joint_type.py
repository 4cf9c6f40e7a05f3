"""The base class of joint types: all that the package needs to know of a type, so that no other module asks for its name.

A type is read, checked, derived, proved, compiled, simulated, moved by hand and drawn through the members below alone. Types of
one coordinate derive from `Screw`, those made of other joints one after the other from `Compound`; `ball`, `free` and `fixed`
derive from `JointType` itself. Formulas are written over any scalar: a float, an array of floats, a traced value, a jet, a
polynomial; so they use arithmetic and `model.expression.functions` only, and never branch on values.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum, auto
from typing import TYPE_CHECKING, Any, ClassVar, Protocol

import numpy as np

from lagrangian.arguments import check_attribute_names
from lagrangian.errors import MechanismError
from lagrangian.model import checks
from lagrangian.model import vector as v
from lagrangian.model.checks import unit_vector
from lagrangian.model.expression import Scalar
from lagrangian.model.joints.joint_rotation import JointRotation
from lagrangian.model.type_entries import TypeEntry

if TYPE_CHECKING:
    from lagrangian.model.joint import Joint

UnitTwist = tuple[v.Vector, v.Vector]  # a unit speed's angular and linear velocity
Combination = tuple[tuple[str, Scalar], ...]  # a speed as a sum of other speeds, each with its coefficient
Inertia = tuple[Any, v.Vector, v.Symmetric]  # mass, first moment, inertia about the origin


class JointLook(Enum):
    """What is drawn where a joint is."""

    NOTHING = auto()  # nothing holds the body
    WELD = auto()
    PIN = auto()
    SCREW = auto()
    SLIDE = auto()
    CROSS = auto()  # the axes of a universal joint or a gimbal
    BALL = auto()
    PLANE = auto()


class JointState(Protocol):
    """What the formulas of an elementary joint read.

    `c` and `s` are the cosine and sine of its coordinate where the type turns about one axis; `type_constant` is the number of
    its type.
    """

    q: tuple[Any, ...]
    qd: tuple[Any, ...]
    c: Any
    s: Any
    type_constant: Any

    def function(self, expression: Scalar) -> Any:
        """A function of the joint's one coordinate, which the expression calls by the entry's `argument`."""


@dataclass(frozen=True)
class JointStep:
    """One of the joints that a joint consists of: its label, its type, and its axis in the frame of the joint."""

    label: str
    kind: JointType
    axis: v.Vector = v.Z

    def __post_init__(self) -> None:
        if not isinstance(self.kind, JointType):
            raise MechanismError(f"step {self.label!r}: its kind is {self.kind!r}; a joint type is needed, such as Revolute()")
        object.__setattr__(
            self, "axis", unit_vector(checks.axis(self.axis, f"step {self.label!r}"), f"step {self.label!r}: its axis")
        )


def turns_required_message(kind: JointType) -> str:
    """What is wrong with formulas that read the cosine or sine of a coordinate that is no angle about the axis."""
    return f"joint type {kind.name!r}: `state.c` and `state.s` exist only with `turns = True`; use `state.function` instead"


# members that a type may define, by their old names
_NEW_NAMES = {
    "own": "type_constant",
    "words": "table_notes",
    "turnings": "frame_rate_matrices",
    "indistinct": "regroupable_inertia",
}


class JointType(ABC):
    """A type of joint."""

    name: ClassVar[str]  # in files and in `Joint(type=...)`
    coordinates: ClassVar[tuple[str, ...]]  # a label for each coordinate; "" where there is only one
    speeds: ClassVar[tuple[str, ...]]  # and for each speed
    slides: ClassVar[tuple[bool, ...]]  # whether each speed is of a length: its force is in N then, otherwise a torque in N m
    units: ClassVar[tuple[str, ...]]  # of each coordinate: "rad", "m", or "" for a number such as a quaternion's
    entries: ClassVar[tuple[TypeEntry, ...]]  # which entries a joint of this type has besides those that all have
    refuses: ClassVar[tuple[str, ...]]  # which of friction, rotor, spring, limits and actuated would mean nothing
    look: ClassVar[JointLook]
    turns: ClassVar[bool]  # whether its one coordinate is an angle about its axis, so that formulas need its cosine and sine
    quaternion: ClassVar[bool] = False  # whether its first four coordinates are a quaternion (w, x, y, z)
    plane: ClassVar[tuple[int, ...]] = ()  # the speeds that slide in a plane: their dry friction is against their direction

    def __init_subclass__(cls, **keywords: Any) -> None:
        super().__init_subclass__(**keywords)
        check_attribute_names(cls, _NEW_NAMES)

    @property
    def nq(self) -> int:
        """The number of coordinates."""
        return len(self.coordinates)

    @property
    def nv(self) -> int:
        """The number of speeds."""
        return len(self.speeds)

    @property
    def key(self) -> str:
        """What tells apart two types whose formulas differ; compiled code is shared between links of one key."""
        return self.name

    def __eq__(self, other: object) -> bool:
        return isinstance(other, JointType) and type(self) is type(other) and self.key == other.key

    def __hash__(self) -> int:
        return hash(self.key)

    def __repr__(self) -> str:
        return self.key

    # -- a joint of this type ----------------------------------------------------------------------------------------

    @abstractmethod
    def check(self, joint: Joint) -> None:
        """Refuse a joint whose entries do not fit together."""

    @abstractmethod
    def steps(self, joint: Joint) -> tuple[JointStep, ...]:
        """The elementary joints that it consists of, from the parent to the child: those the recursive algorithms move by."""

    @abstractmethod
    def single_steps(self, joint: Joint) -> tuple[JointStep, ...]:
        """The joints of one coordinate that it consists of: those the closed form is written for."""

    @abstractmethod
    def speed_combinations(self, joint: Joint) -> dict[str, Combination]:
        """Each of the joint's speeds as a sum of the rates of `single_steps`, which are called `joint.label`."""

    @abstractmethod
    def type_constant(self, joint: Joint) -> Scalar:
        """A number of its own that a joint brings to the formulas, such as its pitch; 0 if the type has none."""

    @abstractmethod
    def table_notes(self, joint: Joint) -> list[str]:
        """What a table says of the joint beside its axes, such as "0.01 m/rad"."""

    # -- its configurations ------------------------------------------------------------------------------------------

    @property
    @abstractmethod
    def neutral(self) -> tuple[float, ...]:
        """The coordinates at which the child's joint frame coincides with the parent's."""

    @abstractmethod
    def random(self, joint: Joint, rng: np.random.Generator) -> list[float]:
        """A random configuration within the joint's limits."""

    @abstractmethod
    def normalise_coordinates(self, q: Sequence[Any]) -> list[Any]:
        """The coordinates of the same configuration, with a quaternion at length one. Over any scalar."""

    @abstractmethod
    def integrate(self, q: np.ndarray, step: np.ndarray) -> np.ndarray:
        """The configuration reached from q (..., nq) by the speeds `step` (..., nv) over one unit of time."""

    @abstractmethod
    def coordinate_rates(self, q: Sequence[Any], qd: Sequence[Any]) -> list[Any]:
        """dq/dt from the speeds. Over any scalar."""

    @abstractmethod
    def coordinate_biases(self, q: Sequence[Any], qd: Sequence[Any]) -> list[Any]:
        """The second derivative of q by time where the speeds are constant. Over any scalar."""

    @abstractmethod
    def displacement_transport(self, qd: np.ndarray) -> np.ndarray:
        """K (nv, nv) in z' = dqd - K z: how a small displacement z along the speeds is carried round by the motion itself."""

    def stretch(self, q: Sequence[Any], rest: Any) -> tuple[Any, ...]:
        """How far a spring at the joint is from its rest, along each speed: V = 1/2 k |stretch|^2, and it pulls by -k stretch."""
        return tuple(x - rest for x in q)

    @property
    def frame_rate_matrices(self) -> tuple[np.ndarray, ...]:
        """How its speeds (nv) change at unit rates of turning of the axes they are measured along; none where these are fixed."""
        return ()

    # -- its motion, where it is elementary: along or about z of its own frame --------------------------------------------

    @abstractmethod
    def rotation(self, state: JointState) -> JointRotation:
        """The rotation of the child against the parent."""

    @abstractmethod
    def translation(self, state: JointState) -> v.Vector:
        """Where the child's origin is, in the parent's axes: `vector.ZERO` itself if it never moves."""

    @abstractmethod
    def motion_subspace(self, state: JointState) -> tuple[UnitTwist, ...]:
        """The motion subspace: angular and linear velocity of the child for each unit speed, in the child's axes."""

    @abstractmethod
    def motion_subspace_rate(self, state: JointState) -> tuple[UnitTwist, ...]:
        """d/dt of `motion_subspace`, in the child's axes; () if they are constant."""

    def regroupable_inertia(self, body: Inertia) -> Inertia | None:
        """The part of the child's inertia that may be moved to the parent without changing any joint force (Khalil and Dombre
        2002, section 9.4). None moves nothing, which is always right and only costs operations.
        """
        return None
