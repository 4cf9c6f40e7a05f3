"""Algebra of 3-vectors, 3x3 and symmetric matrices over any scalars.

Floats, expressions, traced values and polynomials all pass through these functions: only `+ - *` are used, and never a
branch on a value. A vector is a tuple of three, a matrix a tuple of three rows, a symmetric matrix the six entries
`(xx, xy, xz, yy, yz, zz)`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

Vector = tuple[Any, Any, Any]
"""Three numbers or expressions, `(x, y, z)`, as the model holds them."""

Matrix = tuple[Vector, Vector, Vector]
"""A 3x3 matrix as three rows."""

Symmetric = tuple[Any, Any, Any, Any, Any, Any]
"""A symmetric 3x3 matrix as its six entries `(xx, xy, xz, yy, yz, zz)`."""

VectorLike = Sequence[Any] | np.ndarray
"""Three numbers or expressions, `(x, y, z)`: a tuple, a list or an array."""

AxisLike = str | VectorLike
"""A direction: "x", "-y", ... or three numbers of any length but zero."""

MatrixLike = Sequence[Sequence[Any]] | np.ndarray
"""A 3x3 matrix: three rows, or an array."""

InertiaLike = Sequence[Any] | MatrixLike
"""An inertia tensor: three principal moments, the six entries `(xx, xy, xz, yy, yz, zz)`, or a symmetric 3x3 matrix."""

ZERO: Vector = (0, 0, 0)
NO_INERTIA: Symmetric = (0, 0, 0, 0, 0, 0)
X: Vector = (1, 0, 0)
Y: Vector = (0, 1, 0)
Z: Vector = (0, 0, 1)
IDENTITY: Matrix = (X, Y, Z)


def add(a: Vector, b: Vector) -> Vector:
    return (a[0] + b[0], a[1] + b[1], a[2] + b[2])


def sub(a: Vector, b: Vector) -> Vector:
    return (a[0] - b[0], a[1] - b[1], a[2] - b[2])


def neg(a: Vector) -> Vector:
    return (-a[0], -a[1], -a[2])


def scale(k: Any, a: Vector) -> Vector:
    return (k * a[0], k * a[1], k * a[2])


def dot(a: Vector, b: Vector) -> Any:
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


def cross(a: Vector, b: Vector) -> Vector:
    return (a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0])


def mat_vec(A: Matrix, x: Vector) -> Vector:
    return (dot(A[0], x), dot(A[1], x), dot(A[2], x))


def transpose(A: Matrix) -> Matrix:
    return (
        (A[0][0], A[1][0], A[2][0]),
        (A[0][1], A[1][1], A[2][1]),
        (A[0][2], A[1][2], A[2][2]),
    )


def mat_t_vec(A: Matrix, x: Vector) -> Vector:
    """A^T x."""
    return mat_vec(transpose(A), x)


def mat_mat(A: Matrix, B: Matrix) -> Matrix:
    C = transpose(B)
    return (mat_vec(C, A[0]), mat_vec(C, A[1]), mat_vec(C, A[2]))


def mat_add(A: Matrix, B: Matrix) -> Matrix:
    return (add(A[0], B[0]), add(A[1], B[1]), add(A[2], B[2]))


def mat_sub(A: Matrix, B: Matrix) -> Matrix:
    return (sub(A[0], B[0]), sub(A[1], B[1]), sub(A[2], B[2]))


def skew(a: Vector) -> Matrix:
    """The matrix of `a x`."""
    return ((0, -a[2], a[1]), (a[2], 0, -a[0]), (-a[1], a[0], 0))


def sym_full(S: Symmetric) -> Matrix:
    xx, xy, xz, yy, yz, zz = S
    return ((xx, xy, xz), (xy, yy, yz), (xz, yz, zz))


def sym_from_matrix(A: Matrix) -> Symmetric:
    """The six entries of a matrix known to be symmetric (its upper triangle)."""
    return (A[0][0], A[0][1], A[0][2], A[1][1], A[1][2], A[2][2])


def sym_vec(S: Symmetric, x: Vector) -> Vector:
    return mat_vec(sym_full(S), x)


def sym_add(S: Symmetric, T: Symmetric) -> Symmetric:
    return (S[0] + T[0], S[1] + T[1], S[2] + T[2], S[3] + T[3], S[4] + T[4], S[5] + T[5])


def sym_rotate(R: Matrix, S: Symmetric) -> Symmetric:
    """R S R^T."""
    B = mat_mat(R, sym_full(S))
    return (dot(B[0], R[0]), dot(B[0], R[1]), dot(B[0], R[2]), dot(B[1], R[1]), dot(B[1], R[2]), dot(B[2], R[2]))


def mat_rotate(R: Matrix, A: Matrix) -> Matrix:
    """R A R^T."""
    return mat_mat(mat_mat(R, A), transpose(R))


def outer_sym(a: Vector) -> Symmetric:
    """a a^T."""
    return (a[0] * a[0], a[0] * a[1], a[0] * a[2], a[1] * a[1], a[1] * a[2], a[2] * a[2])


def point_inertia(m: Any, p: Vector) -> Symmetric:
    """Inertia about the origin of a mass m at p: m (p.p E - p p^T)."""
    xx, xy, xz, yy, yz, zz = outer_sym(p)
    return (m * (yy + zz), -(m * xy), -(m * xz), m * (xx + zz), -(m * yz), m * (xx + yy))


def shift_inertia(I: Symmetric, h: Vector, m: Any, p: Vector) -> Symmetric:
    """Inertia about a point from which the old origin is at p; h is the first moment about the old origin.

    I' = I - [p][h] - [h][p] - m [p][p]: the parallel-axis theorem without going through the centre of mass.
    """
    k = add(h, scale(m, p))  # the first moment about the new point
    s = add(h, k)
    dx, dy, dz = p[0] * s[0], p[1] * s[1], p[2] * s[2]
    return (
        I[0] + (dy + dz),
        I[1] - (p[0] * k[1] + h[0] * p[1]),
        I[2] - (p[0] * k[2] + h[0] * p[2]),
        I[3] + (dx + dz),
        I[4] - (p[1] * k[2] + h[1] * p[2]),
        I[5] + (dx + dy),
    )


def neg_mat(A: Matrix) -> Matrix:
    return (neg(A[0]), neg(A[1]), neg(A[2]))
