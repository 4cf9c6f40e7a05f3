"""Algebra of small matrices over any scalars, as lists of rows: products, and the factors L D L^T of symmetric ones.

It uses arithmetic only, and branches on no value but for the larger of two where a pivot is guarded.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from lagrangian.model.expression import functions

Vector = list[Any]
Matrix = list[Vector]

# the upper triangle of a symmetric 6 x 6 matrix, row by row
PAIRS = tuple((i, j) for i in range(6) for j in range(i, 6))
ROUNDING = 2.0**-52
TINY = 1e-280  # whose inverse is still a number


def identity(n: int) -> Matrix:
    return [[int(i == j) for j in range(n)] for i in range(n)]


def symmetric_from_upper(upper: Sequence[Any], n: int) -> Matrix:
    """Return a symmetric matrix from its upper triangle."""
    A: Matrix = [[0] * n for _ in range(n)]
    entries = iter(upper)
    for i in range(n):
        for j in range(i, n):
            A[i][j] = A[j][i] = next(entries)
    return A


def transpose(A: Matrix) -> Matrix:
    return [list(column) for column in zip(*A, strict=True)]


def column(x: Vector) -> Matrix:
    return [[y] for y in x]


def flat(A: Matrix) -> Vector:
    return [x for row in A for x in row]


def dot(a: Sequence[Any], b: Sequence[Any]) -> Any:
    total = a[0] * b[0]
    for x, y in zip(a[1:], b[1:], strict=True):
        total = total + x * y
    return total


def add(a: Vector, b: Vector) -> Vector:
    return [x + y for x, y in zip(a, b, strict=True)]


def sub(a: Vector, b: Vector) -> Vector:
    return [x - y for x, y in zip(a, b, strict=True)]


def matrix_vector(A: Matrix, x: Vector) -> Vector:
    return [dot(row, x) for row in A]


def product(A: Matrix, B: Matrix) -> Matrix:
    columns = transpose(B)
    return [[dot(row, column) for column in columns] for row in A]


def symmetric_product(A: Matrix, B: Matrix) -> Matrix:
    """Return A B, which is known to be symmetric, so that half of it is computed."""
    columns, n = transpose(B), len(A)
    return symmetric_from_upper([dot(A[i], columns[j]) for i in range(n) for j in range(i, n)], n)


def scale_rows(d: Vector, A: Matrix) -> Matrix:
    return [[x * y for y in row] for x, row in zip(d, A, strict=True)]


def strict_lower(L: Matrix) -> Vector:
    """Return the entries below the diagonal of a matrix of factors, row by row."""
    return [x for i, row in enumerate(L) for x in row[:i]]


def unit_lower(entries: Sequence[Any], n: int) -> Matrix:
    """Return a matrix with ones on its diagonal from the entries below it."""
    L = identity(n)
    remaining = iter(entries)
    for i in range(n):
        L[i][:i] = [next(remaining) for _ in range(i)]
    return L


def ldl(A: Matrix, guarded: bool = False) -> tuple[Matrix, Vector]:
    """Return L, with ones on its diagonal, and D of a symmetric positive definite A = L D L^T.

    Where A may be singular, `guarded` raises each pivot to the rounding of the diagonal. A then changes by no more than its
    rounding, and results along a pivot that is rounding alone do not grow.
    """
    n = len(A)
    L, D = identity(n), [A[0][0]] * n
    products: Matrix = [[0] * n for _ in range(n)]  # L D
    for j in range(n):
        for i in range(j, n):
            x = A[i][j]
            for k in range(j):
                x = x - products[i][k] * L[j][k]
            products[i][j] = x
        if guarded:
            same_unit = range(3) if j < 3 else range(3, n)  # moments and forces have their own units
            floor = A[j][j] + sum(A[k][k] for k in same_unit) * ROUNDING
            products[j][j] = functions.maximum(products[j][j], floor * ROUNDING + TINY)
        D[j] = products[j][j]
        inverse = 1 / D[j]
        for i in range(j + 1, n):
            L[i][j] = products[i][j] * inverse
    return L, D


def forward_substitute(L: Matrix, B: Matrix) -> Matrix:
    """Return L^-1 B, where L has ones on its diagonal."""
    X = [list(row) for row in B]
    for i in range(len(L)):
        for k in range(i):
            X[i] = [x - L[i][k] * y for x, y in zip(X[i], X[k], strict=True)]
    return X


def backward_substitute(L: Matrix, B: Matrix) -> Matrix:
    """Return L^-T B."""
    X = [list(row) for row in B]
    for i in range(len(L) - 1, -1, -1):
        for k in range(i + 1, len(L)):
            X[i] = [x - L[k][i] * y for x, y in zip(X[i], X[k], strict=True)]
    return X
