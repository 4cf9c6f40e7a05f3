"""Equations of motion in operational space, along directions of a frame: F = M_x x'' + C_x + G_x + F_x (Khatib 1987).

    M_x = J^-T M J^-1,   C_x = J^-T (C q' - M J^-1 J' q'),   G_x = J^-T G,   F_x = J^-T F,   tau = J^T F.

Each is an exact quotient: J^-1 = adj J / det J. Rows of J may stand over denominators, as those of Euler angles do: with
J = D^-1 N, D = diag(d), it is J^-1 = N^-1 D and D J' = N' - D' D^-1 N.

Rates of Euler angles: let i, j be the first two axes, k the one beside them, s = 1 or -1 for right- or left-handed, and
R = R_i(alpha) R_j(beta) R_last(gamma). For three different axes

    D = cos^2 beta = 1 - R_ik^2,   gamma' D = R_kk w_k + R_jk w_j,   beta' sqrt(D) = R_kk w_j - R_jk w_k,

and where the first axis is also the last

    D = sin^2 beta = 1 - R_ii^2,   gamma' D = R_ki w_k + R_ji w_j,   beta' sqrt(D) = s (R_ji w_k - R_ki w_j);

alpha' D = D w_i - R_ik gamma' D, with R_ii in place of R_ik in the second case. Only beta needs a root, and none where D is a
square.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import isqrt

from lagrangian.equations.algebra.matrices import adjugate, inner, matrix_product, transpose
from lagrangian.equations.algebra.ring import Ring, RingElement, as_fraction
from lagrangian.equations.kinematics import frame_pose, jacobian, resolve_frame
from lagrangian.equations.reading.system import SymbolicSystem
from lagrangian.errors import ArgumentError, MechanismError, unknown_direction_message
from lagrangian.model import vector as v
from lagrangian.model.frame import TWIST_COMPONENTS, Frame
from lagrangian.model.rotation.euler import ANGLE_NAMES, EulerSequence

ElementRow = list[RingElement]


def cartesian_elements(
    system: SymbolicSystem,
    J: list[list[RingElement]],
    M: list[list[RingElement]],
    velocity: list[RingElement],
    G: list[RingElement],
    F: list[RingElement],
    row_denominators: RowDenominators | None = None,
) -> CartesianElements:
    """M_x, C_x, G_x and F_x of a square Jacobian J; `velocity` is C q', and `J` has numerators if there are row denominators."""
    ring, n = system.ring, system.n
    row_denominators = row_denominators or RowDenominators(ring.one, ring.one, (Fraction(0),) * n)
    d = [row_denominators.denominator(row) for row in range(n)]
    adjoint, determinant = adjugate(ring, J)
    mass_numerators = matrix_product(ring, matrix_product(ring, transpose(adjoint), M), adjoint)
    rates = [system.speed(k) for k in range(n)]
    J_dot = [[inner(ring, [ring.derivative(x, k) for k in range(n)], rates) for x in row] for row in J]
    # square D J' q' = square N' q' - power square' N q'
    square_rate = inner(ring, [ring.derivative(row_denominators.square, k) for k in range(n)], rates)
    frame_velocity = [inner(ring, row, rates) for row in J]
    drift = []
    for s in range(n):
        numerator_drift = row_denominators.square * inner(ring, J_dot[s], rates)
        drift.append(ring(numerator_drift - square_rate * frame_velocity[s] * row_denominators.powers[s]))
    columns = list(zip(*adjoint, strict=True))
    projected_velocity_terms = [inner(ring, column, velocity) for column in columns]
    C = [
        ring(
            d[i] * (determinant * projected_velocity_terms[i] * row_denominators.square - inner(ring, mass_numerators[i], drift))
        )
        for i in range(n)
    ]
    weight, friction = ([ring(d[i] * inner(ring, column, x)) for i, column in enumerate(columns)] for x in (G, F))
    M_x = [[ring(mass_numerators[i][j] * d[i] * d[j]) for j in range(n)] for i in range(n)]
    return CartesianElements(J, row_denominators, determinant, M_x, C, weight, friction)


@dataclass(frozen=True)
class CartesianElements:
    """Numerators of M_x, C_x, G_x and F_x.

    `M` stands over the square of the determinant, `C` over that and `row_denominators.square`, `G` and `F` over the determinant.
    """

    jacobian: list[list[RingElement]]
    row_denominators: RowDenominators
    determinant: RingElement  # of the numerators of the Jacobian
    M: list[list[RingElement]]
    C: list[RingElement]
    G: list[RingElement]
    F: list[RingElement]


@dataclass(frozen=True)
class RowDenominators:
    """The denominators of the rows of a Jacobian: each is a power of `square`, namely 1, 1/2 (its `root`) or 0."""

    square: RingElement
    root: RingElement
    powers: tuple[Fraction, ...]

    def denominator(self, row: int) -> RingElement:
        one = self.square.ring.one
        return {Fraction(1): self.square, Fraction(1, 2): self.root, Fraction(0): one}[self.powers[row]]


def square_jacobian(system: SymbolicSystem, frame: str | Frame, directions: Sequence[str]) -> list[list[RingElement]]:
    """The rows of a frame's Jacobian along as many directions as there are coordinates."""
    _check_directions(system, directions, TWIST_COMPONENTS)
    J = jacobian(system, resolve_frame(system.mechanism, frame))
    return [J[TWIST_COMPONENTS.index(direction)] for direction in directions]


def euler_jacobian(
    system: SymbolicSystem, frame: str | Frame, directions: Sequence[str], angles: str
) -> tuple[list[list[RingElement]], RowDenominators]:
    """The same rows with Euler angles alpha, beta, gamma in place of wx, wy, wz: numerators, and their denominators."""
    _check_directions(system, directions, (*ANGLE_NAMES, *TWIST_COMPONENTS[3:]))
    resolved_frame = resolve_frame(system.mechanism, frame)
    J, (_, pose) = jacobian(system, resolved_frame), frame_pose(system, resolved_frame)
    rates = angle_rates(system.ring, angles, pose.R, J[:3], resolved_frame.name, [d for d in directions if d in ANGLE_NAMES])
    rows, powers = [], []
    for direction in directions:
        angle = ANGLE_NAMES.index(direction) if direction in ANGLE_NAMES else None
        rows.append(J[TWIST_COMPONENTS.index(direction)] if angle is None else rates.rows[angle])
        powers.append(Fraction(0) if angle is None else Fraction(1, 2) if angle == 1 else Fraction(1))
    return rows, RowDenominators(rates.square, rates.root, tuple(powers))


def _check_directions(system: SymbolicSystem, directions: Sequence[str], allowed: Sequence[str]) -> None:
    """Raise an error unless there are as many different directions, all of them known, as there are coordinates."""
    for direction in directions:
        if direction not in allowed:
            raise ArgumentError(unknown_direction_message(direction, allowed), concerns="directions")
    if len(directions) != system.n or len(set(directions)) != len(directions):
        raise ArgumentError(
            f"{len(directions)} directions for {system.n} coordinates: choose {system.n} different ones of "
            f"{', '.join(allowed)}; an arm with more joints than directions has no Cartesian equations in closed form"
            if system.n <= 6
            else f"{system.mechanism.name} has {system.n} coordinates, more than the 6 directions of a frame: its Cartesian "
            f"equations do not determine the motion of its joints",
            concerns="directions",
        )


def angle_rates(
    ring: Ring, angles: str, R: v.Matrix, angular: Sequence[ElementRow], frame: str, requested_angles: Sequence[str] = ANGLE_NAMES
) -> AngleRates:
    """The rates of Euler angles of a frame with the rotation R, whose angular velocity has three rows of a Jacobian.

    Only the rates of the requested angles have to be there: that of beta may have no closed form.
    """
    sequence = EulerSequence.from_name(angles)
    i, j, k, sign = sequence.axes[0], sequence.axes[1], sequence.third_axis, sequence.handedness
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
            f"cartesian: gimbal lock: the {sequence.name} angles of {frame!r} are singular where beta is "
            f"{sequence.gimbal_lock_text}, and here it always is; choose another sequence",
            concerns="euler",
        )
    alpha = [square * x - middle * c for x, c in zip(angular[i], gamma, strict=True)]
    rows = [[ring(x) for x in row] for row in (alpha, beta, gamma)]
    if sequence.fixed:
        rows.reverse()
    root = square_root(square)
    if root is None:
        if "beta" in requested_angles and any(rows[1]):
            raise MechanismError(
                f"the rate of beta of the {sequence.name} angles of {frame!r} has a root in its denominator, and no closed form. "
                f"Use compile(mechanism).cartesian(..., euler={sequence.name!r}) for numbers, or try another sequence"
            )
        root = ring.one
    return AngleRates((rows[0], rows[1], rows[2]), square, root)


@dataclass(frozen=True)
class AngleRates:
    """Rows of numerators for alpha', beta', gamma'; alpha and gamma stand over `square`, beta over `root`, its root."""

    rows: tuple[ElementRow, ElementRow, ElementRow]
    square: RingElement
    root: RingElement


def square_root(x: RingElement) -> RingElement | None:
    """The polynomial whose square an element is, if there is one: 1 - c^2 is the square of s."""
    ring, unfactored, root = x.ring, x.poly, x.ring.one
    for symbol in ring.symbols:
        if symbol.kind in ("sine", "constant_sine"):
            s = ring.generator(symbol.name)
            square = (s * s).poly
            while not unfactored.is_constant():
                quotient, remainder = divmod(unfactored, square)
                if not remainder.is_zero():
                    break
                unfactored, root = quotient, root * s
    content, factors = unfactored.factor()
    number = as_fraction(content)
    top, bottom = isqrt(max(number.numerator, 0)), isqrt(number.denominator)
    if number <= 0 or top * top != number.numerator or bottom * bottom != number.denominator:
        return None
    for factor, times in factors:
        if times % 2:
            return None
        root = root * RingElement(ring, factor) ** (times // 2)
    root = ring(root * top) / bottom
    return root if root * root == x else None
