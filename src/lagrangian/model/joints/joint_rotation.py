"""Rotations of a child against its parent: none, about z, or any; how vectors, matrices and orientations pass across each.

The scalars may be floats, arrays of floats, traced values or polynomials. A rotation about z has a class of its own because
it takes a third of the operations of a full rotation matrix.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

from lagrangian.model import vector as v


class JointRotation(Protocol):
    """The rotation matrix R of the child's axes in the parent's, and what the recursive algorithms do with it."""

    def matrix(self) -> v.Matrix:
        """R itself."""

    def to_child(self, x: v.Vector) -> v.Vector:
        """R^T x."""

    def to_parent(self, x: v.Vector) -> v.Vector:
        """R x."""

    def sym_to_parent(self, S: v.Symmetric) -> v.Symmetric:
        """R S R^T of a symmetric matrix."""

    def mat_to_parent(self, A: v.Matrix) -> v.Matrix:
        """R A R^T."""

    def compose(self, R: v.Matrix) -> v.Matrix:
        """R after another rotation."""


@dataclass(frozen=True, slots=True)
class IdentityRotation:
    """The child keeps its parent's axes."""

    def matrix(self) -> v.Matrix:
        return v.IDENTITY

    def to_child(self, x: v.Vector) -> v.Vector:
        return x

    def to_parent(self, x: v.Vector) -> v.Vector:
        return x

    def sym_to_parent(self, S: v.Symmetric) -> v.Symmetric:
        return S

    def mat_to_parent(self, A: v.Matrix) -> v.Matrix:
        return A

    def compose(self, R: v.Matrix) -> v.Matrix:
        return R


@dataclass(frozen=True, slots=True)
class RotationAboutZ:
    """A rotation about z by the angle whose cosine and sine are c and s."""

    c: Any
    s: Any

    def matrix(self) -> v.Matrix:
        return ((self.c, -self.s, 0), (self.s, self.c, 0), (0, 0, 1))

    def to_child(self, x: v.Vector) -> v.Vector:
        c, s = self.c, self.s
        return (c * x[0] + s * x[1], c * x[1] - s * x[0], x[2])

    def to_parent(self, x: v.Vector) -> v.Vector:
        c, s = self.c, self.s
        return (c * x[0] - s * x[1], s * x[0] + c * x[1], x[2])

    def sym_to_parent(self, S: v.Symmetric) -> v.Symmetric:
        c, s = self.c, self.s
        xx, xy, xz, yy, yz, zz = S
        cs, ss, difference = c * s, s * s, xx - yy
        transfer = ss * difference + 2 * (cs * xy)  # what passes from xx to yy
        return (xx - transfer, cs * difference + (1 - 2 * ss) * xy, c * xz - s * yz, yy + transfer, s * xz + c * yz, zz)

    def mat_to_parent(self, A: v.Matrix) -> v.Matrix:
        c, s = self.c, self.s
        (a, b, d), (e, f, g), last = A
        rows = ((c * a - s * e, c * b - s * f, c * d - s * g), (s * a + c * e, s * b + c * f, s * d + c * g), last)
        return tuple((c * r[0] - s * r[1], s * r[0] + c * r[1], r[2]) for r in rows)  # type: ignore[return-value]

    def compose(self, R: v.Matrix) -> v.Matrix:
        c, s = self.c, self.s
        return tuple((r[0] * c + r[1] * s, r[1] * c - r[0] * s, r[2]) for r in R)  # type: ignore[return-value]


@dataclass(frozen=True, slots=True)
class MatrixRotation:
    """A rotation given by its matrix."""

    R: v.Matrix

    def matrix(self) -> v.Matrix:
        return self.R

    def to_child(self, x: v.Vector) -> v.Vector:
        return v.mat_t_vec(self.R, x)

    def to_parent(self, x: v.Vector) -> v.Vector:
        return v.mat_vec(self.R, x)

    def sym_to_parent(self, S: v.Symmetric) -> v.Symmetric:
        return v.sym_rotate(self.R, S)

    def mat_to_parent(self, A: v.Matrix) -> v.Matrix:
        return v.mat_rotate(self.R, A)

    def compose(self, R: v.Matrix) -> v.Matrix:
        return v.mat_mat(R, self.R)
