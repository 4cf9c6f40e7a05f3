"""A link in a sweep: its constants, its joint's state, and the transformation of vectors between it and its parent.

Every moving axis is z of the link's own frame (`tree.py` turns the frames), so a revolute joint rotates by `c, s` about z and the
constant rotation `R` before it is mostly zeros and ones, which fold away.
"""

from __future__ import annotations

import math
from typing import Any

from lagrangian.algorithms.nested import MATRIX, SCALAR, SYMMETRIC, VECTOR, Template
from lagrangian.errors import MechanismError
from lagrangian.model import vector as v
from lagrangian.model.expression import Scalar, functions
from lagrangian.model.joints.joint_rotation import JointRotation
from lagrangian.model.joints.joint_type import JointType, UnitTwist, turns_required_message

# a link's constants, with their form
CONSTANTS: dict[str, Template] = {
    "R": MATRIX,
    "p": VECTOR,
    "mass": SCALAR,
    "h": VECTOR,
    "I": SYMMETRIC,
    "type_constant": SCALAR,  # of its joint type, such as a pitch
    "rotor": SCALAR,
    "viscous": SCALAR,
    "coulomb_positive": SCALAR,
    "coulomb_negative": SCALAR,
    "stiffness": SCALAR,
    "rest": SCALAR,
}


def is_zero(x: Any) -> bool:
    """Whether x is zero by structure: a plain number that is 0, not a value that happens to be."""
    return isinstance(x, (int, float)) and x == 0


def inverse(x: Any) -> Any:
    """Return 1 / x; NaN where x is 0 by structure: a joint that moves no mass has no acceleration."""
    return math.nan if is_zero(x) else 1 / x


class Link:
    """Constants (`CONSTANTS`), state (`q, qd, qdd, tau, locked` as tuples, `c, s`), indices (`iq, iv`), and what sweeps save."""

    kind: JointType
    iq: int
    iv: int
    R: v.Matrix
    p: v.Vector
    mass: Any
    h: v.Vector
    I: v.Symmetric
    type_constant: Any
    rotor: Any
    q: tuple[Any, ...]
    qd: tuple[Any, ...]
    qdd: tuple[Any, ...]
    tau: tuple[Any, ...]
    locked: tuple[Any, ...]  # of every speed: 1 where it is locked, else 0
    c: Any
    s: Any

    def __init__(self, kind: JointType, **values: Any) -> None:
        self.kind = kind
        self.nq, self.nv = kind.nq, kind.nv
        self.__dict__.update(values)

    def __getattr__(self, name: str) -> Any:
        # inputs an algorithm does not have are zero: gravity is inverse dynamics without speeds
        if name in ("qd", "qdd", "tau", "locked"):
            return (0,) * self.nv
        if name in ("c", "s"):  # no AttributeError, which a property would hide
            raise MechanismError(turns_required_message(self.kind))
        raise AttributeError(name)

    def function(self, expression: Scalar) -> Any:
        """Evaluate a function of the joint's one coordinate."""
        return functions.evaluate_univariate(expression, self.q[0])

    @property
    def motion_subspace(self) -> tuple[UnitTwist, ...]:
        """The joint's motion subspace in the link's axes."""
        return self.kind.motion_subspace(self)

    @property
    def motion_subspace_rate(self) -> tuple[UnitTwist, ...]:
        """The rate of the motion subspace in the link's axes; () where it is constant."""
        return self.kind.motion_subspace_rate(self)

    @property
    def rotation(self) -> JointRotation:
        """The joint's own rotation."""
        return self.kind.rotation(self)

    def joint_motion(self, rates: tuple[Any, ...]) -> UnitTwist:
        """Return the joint's angular and linear velocity, or acceleration, for given rates."""
        return _combine_columns(self.motion_subspace, rates)

    @property
    def bias_acceleration(self) -> UnitTwist:
        """Return the acceleration that comes from the change of the motion subspace: zero for most types."""
        rates = self.motion_subspace_rate
        return _combine_columns(rates, self.qd) if rates else (v.ZERO, v.ZERO)

    @property
    def offset(self) -> v.Vector:
        """The vector from the parent's origin to the link's, in the parent's axes."""
        shift = self.kind.translation(self)
        return self.p if shift is v.ZERO else v.add(self.p, v.mat_vec(self.R, shift))

    def to_child(self, x: v.Vector) -> v.Vector:
        """Return a vector of the parent's axes in the link's."""
        return self.rotation.to_child(v.mat_t_vec(self.R, x))

    def to_parent(self, x: v.Vector) -> v.Vector:
        """Return a vector of the link's axes in the parent's."""
        return v.mat_vec(self.R, self.rotation.to_parent(x))

    def sym_to_parent(self, S: v.Symmetric) -> v.Symmetric:
        """Return a symmetric matrix of the link's axes in the parent's."""
        return v.sym_rotate(self.R, self.rotation.sym_to_parent(S))

    def mat_to_parent(self, A: v.Matrix) -> v.Matrix:
        """Return a matrix of the link's axes in the parent's."""
        return v.mat_rotate(self.R, self.rotation.mat_to_parent(A))

    def compose(self, R: v.Matrix) -> v.Matrix:
        """Return the link's orientation from its parent's: R R_link R_joint."""
        return self.rotation.compose(v.mat_mat(R, self.R))

    def wrench_to_parent(self, f: v.Vector, n: v.Vector) -> tuple[v.Vector, v.Vector]:
        """Return a force and a moment about the link's origin in the parent's axes, about its origin."""
        f = self.to_parent(f)
        return f, v.add(self.to_parent(n), v.cross(self.offset, f))

    def friction_torque(self, k: int) -> Any:
        """Return viscous and Coulomb friction of speed k."""
        rate = self.qd[k]
        force = self.viscous * rate
        if not (is_zero(self.coulomb_positive) and is_zero(self.coulomb_negative)) and not is_zero(rate):
            force = force + _select_by_sign(rate, self.coulomb_positive, -self.coulomb_negative)
        return force

    def spring_torque(self, k: int) -> Any:
        """Return dV/dq of the joint spring."""
        return 0 if is_zero(self.stiffness) else self.stiffness * self.stretch[k]

    @property
    def stretch(self) -> tuple[Any, ...]:
        """Return how far the joint's spring is from its rest."""
        return self.kind.stretch(self.q, self.rest)


def _combine_columns(columns: tuple[UnitTwist, ...], rates: tuple[Any, ...]) -> UnitTwist:
    """Return the sum of columns times rates."""
    w, u = v.ZERO, v.ZERO
    for (angular, linear), rate in zip(columns, rates, strict=True):
        w = v.add(w, v.scale(rate, angular))
        u = v.add(u, v.scale(rate, linear))
    return w, u


def _select_by_sign(x: Any, positive: Any, negative: Any) -> Any:
    if isinstance(x, (int, float)):
        return positive if x > 0 else negative if x < 0 else 0.0
    return x.by_sign(positive, negative)
