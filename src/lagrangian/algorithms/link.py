"""A link as the sweeps see it: its constants, its joint's state, and how vectors pass between it and its parent.

Every moving axis is z of the link's own frame (`tree.py` turns the frames), so a revolute joint rotates by `c, s` about z and the
constant rotation `R` before it is mostly zeros and ones, which fold away.
"""

from __future__ import annotations

import math
from typing import Any

from lagrangian.algorithms.nested import MATRIX, SCALAR, SYMMETRIC, VECTOR, Template
from lagrangian.model import vector as v

Column = tuple[v.Vector, v.Vector]  # a unit speed's angular and linear velocity, in the link's axes

# per kind of elementary joint: coordinates, speeds
KINDS: dict[str, tuple[int, int]] = {
    "revolute": (1, 1),
    "prismatic": (1, 1),
    "helical": (1, 1),
    "ball": (4, 3),
    "free": (7, 6),
    "fixed": (0, 0),
}
TURNS = ("revolute", "helical")  # those that need sin and cos of their coordinate

# a link's constants, with their form
CONSTANTS: dict[str, Template] = {
    "R": MATRIX,
    "p": VECTOR,
    "mass": SCALAR,
    "h": VECTOR,
    "I": SYMMETRIC,
    "pitch": SCALAR,
    "rotor": SCALAR,
    "viscous": SCALAR,
    "coulomb_positive": SCALAR,
    "coulomb_negative": SCALAR,
    "stiffness": SCALAR,
    "rest": SCALAR,
}


def is_zero(x: Any) -> bool:
    """Zero by structure: a plain number that is 0, not a value that happens to be."""
    return isinstance(x, (int, float)) and x == 0


def inverse(x: Any) -> Any:
    """1 / x; NaN where x is 0 by structure: a joint that moves no mass has no acceleration to be found."""
    return math.nan if is_zero(x) else 1 / x


class Link:
    """Constants (`CONSTANTS`), state (`q, qd, qdd, tau` as tuples, `c, s`), place (`iq, iv`), and what sweeps save."""

    kind: str
    iq: int
    iv: int
    R: v.Matrix
    p: v.Vector
    mass: Any
    h: v.Vector
    I: v.Symmetric
    pitch: Any
    rotor: Any
    q: tuple[Any, ...]
    qd: tuple[Any, ...]
    qdd: tuple[Any, ...]
    tau: tuple[Any, ...]
    c: Any
    s: Any

    def __init__(self, kind: str, **values: Any) -> None:
        self.kind = kind
        self.nq, self.nv = KINDS[kind]
        self.__dict__.update(values)

    def __getattr__(self, name: str) -> Any:
        # inputs an algorithm does not have are zero: gravity is inverse dynamics without speeds
        if name in ("qd", "qdd", "tau"):
            return (0,) * self.nv
        raise AttributeError(name)

    @property
    def columns(self) -> tuple[Column, ...]:
        """The joint's motion subspace in the link's axes."""
        match self.kind:
            case "revolute":
                return ((v.Z, v.ZERO),)
            case "prismatic":
                return ((v.ZERO, v.Z),)
            case "helical":
                return ((v.Z, (0, 0, self.pitch)),)
            case "ball":
                return tuple((axis, v.ZERO) for axis in v.IDENTITY)
            case "free":
                return tuple((axis, v.ZERO) for axis in v.IDENTITY) + tuple((v.ZERO, axis) for axis in v.IDENTITY)
        return ()

    def motion(self, rates: tuple[Any, ...]) -> Column:
        """The joint's angular and linear velocity, or acceleration, for given rates."""
        w, u = v.ZERO, v.ZERO
        for (angular, linear), rate in zip(self.columns, rates, strict=True):
            w, u = v.add(w, v.scale(rate, angular)), v.add(u, v.scale(rate, linear))
        return w, u

    @property
    def offset(self) -> v.Vector:
        """From the parent's origin to the link's, in the parent's axes."""
        match self.kind:
            case "prismatic":
                along = (0, 0, self.q[0])
            case "helical":
                along = (0, 0, self.pitch * self.q[0])
            case "free":
                along = self.q[4:7]
            case _:
                return self.p
        return v.add(self.p, v.mat_vec(self.R, along))

    def _turn(self) -> v.Matrix:
        """The joint's own rotation, of a ball or free joint; its quaternion need not be of length one."""
        w, x, y, z = self.q[:4]
        k = 1 / (w * w + x * x + y * y + z * z)
        # with u = k (x, y, z) every entry of the unit-quaternion formula is linear in u
        ux, uy, uz = k * x, k * y, k * z
        return (
            (1 - 2 * (uy * y + uz * z), 2 * (ux * y - uz * w), 2 * (ux * z + uy * w)),
            (2 * (ux * y + uz * w), 1 - 2 * (ux * x + uz * z), 2 * (uy * z - ux * w)),
            (2 * (ux * z - uy * w), 2 * (uy * z + ux * w), 1 - 2 * (ux * x + uy * y)),
        )

    def to_child(self, x: v.Vector) -> v.Vector:
        """A vector given in the parent's axes, in the link's."""
        x = v.mat_t_vec(self.R, x)
        if self.kind in TURNS:
            c, s = self.c, self.s
            return (c * x[0] + s * x[1], c * x[1] - s * x[0], x[2])
        return v.mat_t_vec(self._turn(), x) if self.nq > 1 else x

    def to_parent(self, x: v.Vector) -> v.Vector:
        """A vector given in the link's axes, in the parent's."""
        if self.kind in TURNS:
            c, s = self.c, self.s
            x = (c * x[0] - s * x[1], s * x[0] + c * x[1], x[2])
        elif self.nq > 1:
            x = v.mat_vec(self._turn(), x)
        return v.mat_vec(self.R, x)

    def sym_to_parent(self, S: v.Symmetric) -> v.Symmetric:
        """A symmetric matrix given in the link's axes, in the parent's."""
        if self.kind in TURNS:
            c, s = self.c, self.s
            xx, xy, xz, yy, yz, zz = S
            cs, ss, difference = c * s, s * s, xx - yy
            moved = ss * difference + 2 * (cs * xy)  # what passes from xx to yy
            S = (xx - moved, cs * difference + (1 - 2 * ss) * xy, c * xz - s * yz, yy + moved, s * xz + c * yz, zz)
        elif self.nq > 1:
            S = v.sym_rotate(self._turn(), S)
        return v.sym_rotate(self.R, S)

    def mat_to_parent(self, A: v.Matrix) -> v.Matrix:
        """A matrix given in the link's axes, in the parent's."""
        if self.kind in TURNS:
            c, s = self.c, self.s
            (a, b, d), (e, f, g), last = A
            rows = ((c * a - s * e, c * b - s * f, c * d - s * g), (s * a + c * e, s * b + c * f, s * d + c * g), last)
            A = tuple((c * r[0] - s * r[1], s * r[0] + c * r[1], r[2]) for r in rows)  # type: ignore[assignment]
        elif self.nq > 1:
            A = v.mat_rotate(self._turn(), A)
        return v.mat_rotate(self.R, A)

    def compose(self, R: v.Matrix) -> v.Matrix:
        """The link's orientation from its parent's: R R_link R_joint."""
        R = v.mat_mat(R, self.R)
        if self.kind in TURNS:
            c, s = self.c, self.s
            return tuple((r[0] * c + r[1] * s, r[1] * c - r[0] * s, r[2]) for r in R)  # type: ignore[return-value]
        return v.mat_mat(R, self._turn()) if self.nq > 1 else R

    def wrench_to_parent(self, f: v.Vector, n: v.Vector) -> tuple[v.Vector, v.Vector]:
        """A force and a moment about the link's origin, as seen at the parent's origin."""
        f = self.to_parent(f)
        return f, v.add(self.to_parent(n), v.cross(self.offset, f))

    def friction(self, k: int) -> Any:
        """Viscous and Coulomb friction of speed k."""
        rate = self.qd[k]
        force = self.viscous * rate
        if not (is_zero(self.coulomb_positive) and is_zero(self.coulomb_negative)) and not is_zero(rate):
            force = force + _by_sign(rate, self.coulomb_positive, -self.coulomb_negative)
        return force

    def spring(self, k: int) -> Any:
        """The joint spring's dV/dq."""
        return 0 if is_zero(self.stiffness) else self.stiffness * (self.q[k] - self.rest)


def _by_sign(x: Any, positive: Any, negative: Any) -> Any:
    if isinstance(x, (int, float)):
        return positive if x > 0 else negative if x < 0 else 0.0
    return x.by_sign(positive, negative)
