"""Euler angles of a frame over the ring: their rates as rows of a Jacobian, each over a denominator.

With i, j the first two axes, k the one beside them, s = 1 or -1 for right- or left-handed, and
R = R_i(alpha) R_j(beta) R_last(gamma), it is for three different axes

    D = cos^2 beta = 1 - R_ik^2,   gamma' D = R_kk w_k + R_jk w_j,   beta' sqrt(D) = R_kk w_j - R_jk w_k,

and where the first axis is also the last

    D = sin^2 beta = 1 - R_ii^2,   gamma' D = R_ki w_k + R_ji w_j,   beta' sqrt(D) = s (R_ji w_k - R_ki w_j);

alpha' D = D w_i - R_ik gamma' D, or with R_ii in place of R_ik. Only beta needs a root, and where D is a square it is none.
"""

from __future__ import annotations

from collections.abc import Sequence as Several
from dataclasses import dataclass
from math import isqrt

from lagrangian.equations.algebra.ring import Element, Ring, fraction
from lagrangian.errors import ArgumentError, MechanismError
from lagrangian.model import vector as v
from lagrangian.model.rotation.euler import ANGLES, Sequence

Row = list[Element]


@dataclass(frozen=True)
class AngleRates:
    """Rows of numerators for alpha', beta', gamma'; alpha and gamma stand over `square`, beta over `root`, its root."""

    rows: tuple[Row, Row, Row]
    square: Element
    root: Element


def angle_rates(
    ring: Ring, angles: str, R: v.Matrix, angular: Several[Row], frame: str, asked: Several[str] = ANGLES
) -> AngleRates:
    """Of a frame whose rotation is R and whose angular velocity has these three rows of a Jacobian; of the angles `asked` for."""
    sequence = Sequence.named(angles)
    i, j, k, sign = sequence.axes[0], sequence.axes[1], sequence.third, sequence.sign
    if sequence.proper:
        middle, at_j, at_k = R[i][i], R[j][i], R[k][i]
        beta = [sign * (at_j * z - at_k * y) for y, z in zip(angular[j], angular[k], strict=True)]
        gamma = [at_k * z + at_j * y for y, z in zip(angular[j], angular[k], strict=True)]
    else:
        middle, at_j, at_k = R[i][k], R[j][k], R[k][k]
        beta = [at_k * y - at_j * z for y, z in zip(angular[j], angular[k], strict=True)]
        gamma = [at_k * z + at_j * y for y, z in zip(angular[j], angular[k], strict=True)]
    square = ring(1 - middle * middle)
    if not square:
        raise ArgumentError(
            f"cartesian: gimbal lock: the {sequence.name} angles of {frame!r} are singular where beta is {sequence.locked_at}, "
            f"and here it always is; choose another sequence",
            concerns="euler",
        )
    alpha = [square * x - middle * c for x, c in zip(angular[i], gamma, strict=True)]
    rows = [[ring(x) for x in row] for row in (alpha, beta, gamma)]
    if sequence.fixed:
        rows.reverse()
    root = square_root(square)
    if root is None:
        if "beta" in asked and any(rows[1]):
            raise MechanismError(
                f"the rate of beta of the {sequence.name} angles of {frame!r} has a root in its denominator, and no closed form. "
                f"Use compile(mechanism).cartesian(..., euler={sequence.name!r}) for numbers, or try another sequence"
            )
        root = ring.one
    return AngleRates((rows[0], rows[1], rows[2]), square, root)


def square_root(x: Element) -> Element | None:
    """The polynomial whose square it is, if there is one: 1 - c^2 is the square of s."""
    ring, rest, root = x.ring, x.poly, x.ring.one
    for symbol in ring.symbols:
        if symbol.kind in ("sine", "constant_sine"):
            s = ring.generator(symbol.name)
            square = (s * s).poly
            while not rest.is_constant():
                quotient, remainder = divmod(rest, square)
                if not remainder.is_zero():
                    break
                rest, root = quotient, root * s
    content, factors = rest.factor()
    number = fraction(content)
    top, bottom = isqrt(max(number.numerator, 0)), isqrt(number.denominator)
    if number <= 0 or top * top != number.numerator or bottom * bottom != number.denominator:
        return None
    for factor, times in factors:
        if times % 2:
            return None
        root = root * Element(ring, factor) ** (times // 2)
    root = ring(root * top) / bottom
    return root if root * root == x else None
