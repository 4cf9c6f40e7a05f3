"""What a user may choose of a mechanism's equations: a frame, directions of it, independent coordinates; or why not."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from lagrangian.equations import kinematics
from lagrangian.equations.algebra.matrices import determinant
from lagrangian.equations.algebra.ring import RingElement
from lagrangian.equations.constraints import ConstraintEquation
from lagrangian.equations.operational_space import RowDenominators, angle_rates
from lagrangian.equations.reading.system import SymbolicSystem
from lagrangian.errors import ArgumentError, MechanismError, unknown_name_message
from lagrangian.model.loop import TWIST_COMPONENTS, Frame
from lagrangian.model.mechanism import Mechanism
from lagrangian.model.rotation.euler import ANGLE_NAMES


def resolve_frame(mechanism: Mechanism, frame: str | Frame) -> Frame:
    """A frame of the mechanism, or another one whose rotation the ring has."""
    identity = Frame("", "").placement.rotation
    if isinstance(frame, Frame) and frame not in mechanism.frames and frame.placement.rotation != identity:
        raise ArgumentError(
            f"frame {frame.name!r} has a rotation; add it to the mechanism's frames before deriving", concerns="frame"
        )
    return mechanism.frame(frame)


def square_jacobian(system: SymbolicSystem, frame: str | Frame, directions: Sequence[str]) -> list[list[RingElement]]:
    """The rows of a frame's Jacobian along as many directions as there are coordinates."""
    _check_directions(system, directions, TWIST_COMPONENTS)
    J = kinematics.jacobian(system, resolve_frame(system.mechanism, frame))
    return [J[TWIST_COMPONENTS.index(direction)] for direction in directions]


def euler_jacobian(
    system: SymbolicSystem, frame: str | Frame, directions: Sequence[str], angles: str
) -> tuple[list[list[RingElement]], RowDenominators]:
    """The same with Euler angles alpha, beta, gamma in place of wx, wy, wz: numerators, and what they stand over."""
    _check_directions(system, directions, (*ANGLE_NAMES, *TWIST_COMPONENTS[3:]))
    resolved_frame = resolve_frame(system.mechanism, frame)
    J, (_, pose) = kinematics.jacobian(system, resolved_frame), kinematics.frame_pose(system, resolved_frame)
    rates = angle_rates(system.ring, angles, pose.R, J[:3], resolved_frame.name, [d for d in directions if d in ANGLE_NAMES])
    rows, powers = [], []
    for direction in directions:
        angle = ANGLE_NAMES.index(direction) if direction in ANGLE_NAMES else None
        rows.append(J[TWIST_COMPONENTS.index(direction)] if angle is None else rates.rows[angle])
        powers.append(Fraction(0) if angle is None else Fraction(1, 2) if angle == 1 else Fraction(1))
    return rows, RowDenominators(rates.square, rates.root, tuple(powers))


def _check_directions(system: SymbolicSystem, directions: Sequence[str], allowed: Sequence[str]) -> None:
    for direction in directions:
        if direction not in allowed:
            raise ArgumentError(unknown_name_message("direction", direction, allowed), concerns="directions")
    if len(directions) != system.n or len(set(directions)) != len(directions):
        raise ArgumentError(
            f"{len(directions)} directions for {system.n} coordinates: choose {system.n} different ones of "
            f"{', '.join(allowed)}; an arm with more joints than directions has no Cartesian equations in closed form"
            if system.n <= 6
            else f"{system.mechanism.name} has {system.n} coordinates, more than the 6 directions of a frame: its Cartesian "
            f"equations do not determine the motion of its joints",
            concerns="directions",
        )


def independent_coordinates(mechanism: Mechanism, independent: Sequence[str] | None) -> list[int]:
    """The numbers of the coordinates that are chosen as independent: the actuated ones unless given."""
    names = mechanism.coordinate_names
    if independent is None:
        actuated = {name for joint in mechanism.joints if joint.actuated for name in joint.coordinate_names}
        return [k for k, name in enumerate(names) if name in actuated]
    for name in independent:
        if name not in names:
            raise ArgumentError(unknown_name_message("coordinate", name, names), concerns="independent")
    return [names.index(name) for name in independent]


def dependent_determinant(
    system: SymbolicSystem, rows: Sequence[ConstraintEquation], independent: Sequence[str] | None
) -> RingElement:
    """The determinant of the block of Psi that belongs to the coordinates that are not independent."""
    mechanism = system.mechanism
    independent_indices = independent_coordinates(mechanism, independent)
    if not rows:
        raise MechanismError(f"{mechanism.name} has no loops; give a frame and directions to get the determinant of its Jacobian")
    dependent = [k for k in range(system.n) if k not in independent_indices]
    if len(dependent) != len(rows):
        raise MechanismError(
            f"{mechanism.name} has {len(rows)} constraint equations and {len(dependent)} dependent coordinates, so that "
            f"their block of Psi is not square. Choose {system.n - len(rows)} independent coordinates"
        )
    return determinant(system.ring, [[row.psi[k] for k in dependent] for row in rows])
