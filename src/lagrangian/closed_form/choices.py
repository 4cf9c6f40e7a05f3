"""What a user may choose of a mechanism's equations: a frame, directions of it, independent coordinates; or why not."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from lagrangian.equations import kinematics
from lagrangian.equations.algebra.matrices import determinant
from lagrangian.equations.algebra.ring import Element
from lagrangian.equations.cartesian import Over
from lagrangian.equations.constraints import Row
from lagrangian.equations.euler_angles import angle_rates
from lagrangian.equations.reading.system import System
from lagrangian.errors import ArgumentError, MechanismError, one_of
from lagrangian.model.loop import DIRECTIONS, Frame
from lagrangian.model.mechanism import Mechanism
from lagrangian.model.rotation.euler import ANGLES


def chosen_frame(mechanism: Mechanism, frame: str | Frame) -> Frame:
    """A frame of the mechanism, or another one whose rotation the ring has."""
    unturned = Frame("", "").placement.rotation
    if isinstance(frame, Frame) and frame not in mechanism.frames and frame.placement.rotation != unturned:
        raise ArgumentError(
            f"frame {frame.name!r} has a rotation; add it to the mechanism's frames before deriving", concerns="frame"
        )
    return mechanism.frame(frame)


def square_jacobian(system: System, frame: str | Frame, directions: Sequence[str]) -> list[list[Element]]:
    """The rows of a frame's Jacobian along as many directions as there are coordinates."""
    _check_directions(system, directions, DIRECTIONS)
    J = kinematics.jacobian(system, chosen_frame(system.mechanism, frame))
    return [J[DIRECTIONS.index(direction)] for direction in directions]


def euler_jacobian(
    system: System, frame: str | Frame, directions: Sequence[str], angles: str
) -> tuple[list[list[Element]], Over]:
    """The same with Euler angles alpha, beta, gamma in place of wx, wy, wz: numerators, and what they stand over."""
    _check_directions(system, directions, (*ANGLES, *DIRECTIONS[3:]))
    chosen = chosen_frame(system.mechanism, frame)
    J, (_, pose) = kinematics.jacobian(system, chosen), kinematics.frame_pose(system, chosen)
    rates = angle_rates(system.ring, angles, pose.R, J[:3], chosen.name, [d for d in directions if d in ANGLES])
    rows, powers = [], []
    for direction in directions:
        angle = ANGLES.index(direction) if direction in ANGLES else None
        rows.append(J[DIRECTIONS.index(direction)] if angle is None else rates.rows[angle])
        powers.append(Fraction(0) if angle is None else Fraction(1, 2) if angle == 1 else Fraction(1))
    return rows, Over(rates.square, rates.root, tuple(powers))


def _check_directions(system: System, directions: Sequence[str], known: Sequence[str]) -> None:
    for direction in directions:
        if direction not in known:
            raise ArgumentError(one_of("direction", direction, known), concerns="directions")
    if len(directions) != system.n or len(set(directions)) != len(directions):
        raise ArgumentError(
            f"{len(directions)} directions for {system.n} coordinates: choose {system.n} different ones of "
            f"{', '.join(known)}; an arm with more joints than directions has no Cartesian equations in closed form"
            if system.n <= 6
            else f"{system.mechanism.name} has {system.n} coordinates, more than the 6 directions of a frame: its Cartesian "
            f"equations do not determine the motion of its joints",
            concerns="directions",
        )


def independent_coordinates(mechanism: Mechanism, given: Sequence[str] | None) -> list[int]:
    """The numbers of the coordinates that are chosen as independent: the actuated ones unless given."""
    names = mechanism.coordinate_names
    if given is None:
        actuated = {name for joint in mechanism.joints if joint.actuated for name in joint.coordinate_names}
        return [k for k, name in enumerate(names) if name in actuated]
    for name in given:
        if name not in names:
            raise ArgumentError(one_of("coordinate", name, names), concerns="independent")
    return [names.index(name) for name in given]


def dependent_determinant(system: System, rows: Sequence[Row], independent: Sequence[str] | None) -> Element:
    """The determinant of the block of Psi that belongs to the coordinates that are not independent."""
    mechanism = system.mechanism
    chosen = independent_coordinates(mechanism, independent)
    if not rows:
        raise MechanismError(f"{mechanism.name} has no loops; give a frame and directions to get the determinant of its Jacobian")
    dependent = [k for k in range(system.n) if k not in chosen]
    if len(dependent) != len(rows):
        raise MechanismError(
            f"{mechanism.name} has {len(rows)} constraint equations and {len(dependent)} dependent coordinates, so that "
            f"their block of Psi is not square. Choose {system.n - len(rows)} independent coordinates"
        )
    return determinant(system.ring, [[row.psi[k] for k in dependent] for row in rows])
