"""A mechanism over the ring: links with exact constants, each moving along or about z of its joint's frame.

A link's own frame is its body's, as the description gives it, so that the inertial parameters in the equations are the ones
the reader knows. Between the parent's frame and the link's stand a constant placement, the joint's motion about or along z,
and another constant placement. Bodies on fixed joints are merged into the link that carries them.

Angles of revolute joints about parallel axes are added up along the chain: c23 is the cosine of q2 + q3, whatever stands
between. In a mechanism with constraints, the forces of actuated joints and the rates of phi(t) are generators as well.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from lagrangian.equations.algebra.ring import Ring, RingElement, Symbol, number_text
from lagrangian.equations.reading.lengths import declare_lengths, relate_lengths
from lagrangian.equations.reading.link import Inertia, Pose, SymbolicLink
from lagrangian.equations.reading.rotation import RotationReader
from lagrangian.equations.reading.scalars import RingReader, constraint_scalars, polynomial_springs, spring_scalars
from lagrangian.equations.rolling import declare_heights, read_rolling_rotations, relate_heights
from lagrangian.equations.symbols import body_names, geometric_names, inertial_names, is_present, parameter_names
from lagrangian.errors import ArgumentError, ArgumentName, MechanismError, unknown_name_message
from lagrangian.model import vector as v
from lagrangian.model.body import Body
from lagrangian.model.constraint import HolonomicConstraint, PfaffianConstraint
from lagrangian.model.expression import Expression, Scalar, free_symbols, parameters, substitute, symbol
from lagrangian.model.expression.derivative import derivative
from lagrangian.model.joint import Joint
from lagrangian.model.joints.joint_type import turns_required_message
from lagrangian.model.joints.screw import Screw
from lagrangian.model.mechanism import GROUND, Mechanism
from lagrangian.model.placement import Transform, rotation_z_to
from lagrangian.model.spring import CoordinateSpring, GravityCompensation, PointSpring

if TYPE_CHECKING:
    from lagrangian.equations.constraints import ConstraintEquation


INERTIAL_PARAMETERS = ("m", "hx", "hy", "hz", "Ixx", "Ixy", "Ixz", "Iyy", "Iyz", "Izz")
PARAMETER_MEANINGS = (
    "mass of {}",
    *(f"first moment m c_{a} of {{}}" for a in "xyz"),
    *(f"inertia I_{a} of {{}} about its frame's origin" for a in ("xx", "xy", "xz", "yy", "yz", "zz")),
)
NUMBER_MEANING = "number"  # the meaning of a generator that stands for the number it is called
SYMBOL_CHOICES = ("given", "inertial", "all")


class SymbolicSystem:
    """A mechanism as exact numbers and symbols of one ring: what every derivation starts from."""

    def __init__(self, mechanism: Mechanism, symbols: str = "given") -> None:
        if symbols not in SYMBOL_CHOICES:
            raise ArgumentError(
                unknown_name_message("choice", symbols, SYMBOL_CHOICES), where=("derive", ArgumentName("symbols"))
            )
        self.mechanism = mechanism
        springs = polynomial_springs(mechanism)
        self.point_springs = tuple(x for x in springs if isinstance(x, PointSpring))
        self.coordinate_springs = tuple(x for x in springs if isinstance(x, CoordinateSpring))
        self.gravity_compensations = tuple(x for x in springs if isinstance(x, GravityCompensation))
        self.symbols = symbols
        self.coordinates = mechanism.coordinate_names
        self.n = len(self.coordinates)
        self._geometric_names = geometric_names(mechanism)
        # links without inertia among links that have some stay without; in a bare table of lengths all get symbols
        bodies = {body.name: body for body in mechanism.bodies}
        without_inertia = {name for name, body in bodies.items() if not any(float(x) for x in (body.mass, *body.inertia))}
        self._massless_joints = (
            {j.name for j in mechanism.joints if j.child in without_inertia} if len(without_inertia) < len(bodies) else set()
        )
        masses = parameter_names(body.mass for body in mechanism.bodies)
        reserved = self._geometric_names | (body_names(mechanism) if symbols == "given" else set())
        self.scalars = RingReader(self.coordinates, inertial_names(mechanism), masses, reserved, list(mechanism.parameters))
        self.rotations = RotationReader(self.scalars)
        self.joint_order = moving_joints(mechanism)
        joint_poses = self.scalars.read_until_complete(self._read_constants)
        self.scalars.angles.declare_absolute_angles(*absolute_angles(self.joint_order, joint_poses))
        declare_lengths(self)
        self._declare_signs()
        declare_applied_forces(self)
        # the last reading leaves a ring with every generator the mechanism needs
        self.links, self.gravity = self.scalars.read_until_complete(self._read_mechanism)
        if declare_heights(self):  # these generators are new: what was read has to be read again in a ring that has them
            self.links, self.gravity = self.scalars.read_until_complete(self._read_mechanism)
        relate_lengths(self)
        relate_heights(self)
        self.scalars.frozen = True

    @property
    def ring(self) -> Ring:
        return self.scalars.ring

    def _read_mechanism(self) -> tuple[list[SymbolicLink], v.Vector]:
        read, mechanism = self.scalars.read, self.mechanism
        for constraint in mechanism.constraints:
            for scalar in constraint_scalars(constraint):
                read(scalar)
        read_rolling_rotations(self)
        for loop in mechanism.loops:
            for placement in (loop.a_placement, loop.b_placement):
                self.read_pose(placement, f"loop {loop.name!r}")
            declaring = DeclaringFrame(self, f"loop {loop.name!r}")
            loop.kind.equations(loop, declaring, declaring)
        for frame in mechanism.frames:
            self.read_pose(frame.placement, f"frame {frame.name!r}")
        for joint in mechanism.joints:
            friction, joint_spring = joint.friction, joint.spring
            self.read_vector(
                (friction.viscous, friction.coulomb, friction.coulomb_negative, joint_spring.stiffness, joint_spring.rest)
            )
        for spring in mechanism.springs:
            self.read_vector(spring_scalars(spring))
        return self._read_links(), self._read_gravity()

    def _declare_signs(self) -> None:
        """Declare the signs of the speeds that Coulomb friction follows."""
        for joint, _, number in self.joint_order:
            if is_present(joint.friction.coulomb) or is_present(joint.friction.coulomb_negative):
                meaning = f"sign of qd{number}"
                self.scalars.declare(Symbol("sign", self.scalars.sign_name(number), index=number - 1, meaning=meaning))

    def generator(self, name: str) -> RingElement:
        return self.ring.generator(name)

    def speed(self, k: int) -> RingElement:
        return self.ring.generator(f"qd{k + 1}")

    def acceleration(self, k: int) -> RingElement:
        return self.ring.generator(f"qdd{k + 1}")

    def path_from_ground(self, i: int) -> list[int]:
        """Link i and its ancestors, the one at the ground first."""
        chain = []
        while i >= 0:
            chain.append(i)
            i = self.links[i].parent
        return chain[::-1]

    # -- reading the mechanism ---------------------------------------------------------------------------------------

    def read_vector(self, x: Sequence[Any]) -> Any:
        return tuple(self.scalars.read(e) for e in x)

    def read_position(self, x: Sequence[Any], letter: str = "", number: int = 0) -> v.Vector:
        """A position; named, if lengths are to be symbols, and with rounding of zero as zero."""
        x = [0 if isinstance(e, float) and abs(e) < 1e-14 else e for e in x]
        position = self.read_vector(x)
        if self.symbols != "given" and number:
            position = tuple(
                self._length_symbol(e, e2, f"{letter}{a}{number}", a) for e, e2, a in zip(x, position, "xyz", strict=True)
            )
        return position

    def _length_symbol(self, scalar: Any, element: Any, name: str, axis: str) -> Any:
        """A length that is a number other than zero, as a symbol; or as a generator that is written as the number it is.

        Multiplied out, lengths would lose themselves in their products, and the formulas their short forms.
        """
        if element == 0 or (isinstance(scalar, Expression) and parameters(scalar)):
            return element
        if self.symbols == "inertial":
            if isinstance(element, RingElement):  # a length that is seen along axes turned by an angle with a name
                return element
            size = abs(element)
            generator = self.scalars.generator(Symbol("parameter", number_text(size), float(size), meaning=NUMBER_MEANING))
            return generator if element > 0 else -generator
        number = name.lstrip("pr" + axis)
        place = f"joint {number} in the frame before it" if name[0] == "p" else f"link {number}'s frame, seen from its joint"
        return self.scalars.generator(Symbol("parameter", self._free_name(name), float(scalar), meaning=f"{axis} of {place}"))

    def read_pose(self, placement: Any, where: str, letter: str = "", number: int = 0) -> Pose:
        return Pose(self.rotations.read(placement.rotation, where), self.read_position(placement.position, letter, number))

    def _joint_poses(self, joint: Joint, number: int) -> tuple[Pose, Pose]:
        """The constant poses before and after the joint's motion, which is about or along z."""
        where = f"joint {joint.name!r}"
        before = self.read_pose(joint.placement, where, "p", number)
        inverse = joint.child_placement.inverse()
        after = self.read_pose(inverse, where, "r", number)
        if not joint.kind.nv:
            return before, after
        before = self.locate_body(joint.parent)[1] @ before  # the parent may be fixed to the link that carries it
        if tuple(joint.axis) == v.Z:
            return before, after
        T = rotation_z_to(tuple(float(x) if not isinstance(x, Expression) else x for x in joint.axis))  # type: ignore[arg-type]
        R = self.rotations.read(T, where)
        return Pose(v.mat_mat(before.R, R), before.p), Pose(v.mat_mat(v.transpose(R), after.R), v.mat_t_vec(R, after.p))

    def _read_constants(self) -> list[tuple[Pose, Pose]]:
        poses = [self._joint_poses(joint, number) for joint, _, number in self.joint_order]
        for joint, _, number in self.joint_order:
            self._link_inertia(joint, number)
        self._read_gravity()
        return poses

    def _link_inertia(self, joint: Joint, number: int) -> Inertia:
        body = self.mechanism.body(joint.child)
        if self.symbols == "given":
            return self._composite_inertia(body, Pose())
        values = numeric_inertia(self.mechanism, body, Transform()).inertial_parameters
        if joint.name in self._massless_joints and not any(values):
            return Inertia()
        names = [f"{p}{number}" for p in INERTIAL_PARAMETERS]
        meanings = [m.format(f"link {number} ({body.name})") for m in PARAMETER_MEANINGS]
        generators = [
            self.scalars.generator(Symbol("inertial", self._free_name(name), value, meaning=meaning))
            for name, value, meaning in zip(names, values, meanings, strict=True)
        ]
        return Inertia(generators[0], tuple(generators[1:4]), tuple(generators[4:]))

    def _free_name(self, name: str) -> str:
        """A name that no parameter outside the bodies has: those inside are replaced."""
        while name in self._geometric_names:
            name += "_"
        return name

    def _body_inertia(self, body: Body) -> Inertia:
        read = self.scalars.read
        mass, center, I = read(body.mass), self.read_vector(body.center), self.read_vector(body.inertia)
        inertia_about_origin = v.sym_add(I, v.point_inertia(mass, center))
        return Inertia(mass, v.scale(mass, center), inertia_about_origin)

    def _composite_inertia(self, body: Body, pose: Pose) -> Inertia:
        """A body's inertia, and that of the bodies fixed to it, in the frame in which it stands at `pose`."""
        total = self._body_inertia(body).in_parent_frame(pose)
        for joint in self.mechanism.joints:
            if not joint.kind.nv and joint.parent == body.name:
                before, after = self._joint_poses(joint, 0)
                total = total + self._composite_inertia(self.mechanism.body(joint.child), pose @ before @ after)
        return total

    def locate_body(self, body: str) -> tuple[int, Pose]:
        """A body's link (-1 the ground), and where its frame is on it."""
        pose = Pose()
        parent_joints = {joint.child: joint for joint in self.mechanism.joints}
        while body != GROUND and not parent_joints[body].kind.nv:
            before, after = self._joint_poses(parent_joints[body], 0)
            pose, body = before @ after @ pose, parent_joints[body].parent
        numbers = {joint.child: k for k, (joint, _, _) in enumerate(self.joint_order)}
        return (-1 if body == GROUND else numbers[body]), pose

    def _read_gravity(self) -> v.Vector:
        g = list(self.mechanism.gravity)
        nonzero_axes = [k for k in range(3) if isinstance(g[k], Expression) or g[k] != 0]
        if self.symbols != "given":
            for k in nonzero_axes:
                name = self._free_name("g" if len(nonzero_axes) == 1 else f"g{'xyz'[k]}")
                if not (isinstance(g[k], Expression) and parameters(g[k])):
                    generator = self.scalars.generator(Symbol("parameter", name, abs(float(g[k])), meaning="gravity"))
                    g[k] = generator if float(g[k]) > 0 else -generator
        return tuple(x if isinstance(x, RingElement) else self.scalars.read(x) for x in g)  # type: ignore[return-value]

    def _joint_advance(self, joint: Joint, k: int) -> tuple[Any, Any, Any]:
        """How far the joint has moved its link along its axis, and the first and second derivative of that by its coordinate."""
        kind = joint.kind.single_steps(joint)[0].kind
        if not isinstance(kind, Screw):
            raise MechanismError(
                f"joint {joint.name!r}: the closed form supports revolute and prismatic joints, not {joint.type}"
            )
        state = ExactState(self, joint, k)
        # the type's own derivatives are read too, so that the ring has every function that a proof compares
        advance, _, _ = kind.advance(state), kind.advance_slope(state), kind.advance_curvature(state)
        rise = self.ring.derivative(self.ring(advance), k)
        return advance, rise, self.ring.derivative(rise, k)

    def _read_links(self) -> list[SymbolicLink]:
        read = self.scalars.read
        links = []
        for joint, parent, number in self.joint_order:
            before, after = self._joint_poses(joint, number)
            k = number - 1
            c, s = self.scalars.angles.coordinate_pair(k) if joint.kind.turns else (1, 0)
            rotor = read(joint.rotor.reflected_inertia)
            if self.symbols != "given" and float(joint.rotor.inertia):
                name = self._free_name(f"Ja{number}")
                meaning = f"inertia of the rotor at joint {number}, as the joint sees it"
                rotor = self.scalars.generator(Symbol("inertial", name, float(joint.rotor.reflected_inertia), meaning=meaning))
            q = self.ring.generator(f"q{number}")
            inertia = self._link_inertia(joint, number)
            rises = self._joint_advance(joint, k)
            links.append(
                SymbolicLink(joint.child, joint, joint.kind.turns, parent, k, before, after, inertia, c, s, q, *rises, rotor)
            )
        return links


def moving_joints(mechanism: Mechanism) -> list[tuple[Joint, int, int]]:
    """Joints that move, parents before children, each with the index of its parent link and the number of its coordinate."""
    numbers, coordinate_number = {}, 0
    for joint in mechanism.joints:
        coordinate_number += joint.kind.nq
        numbers[joint.name] = coordinate_number
    order: list[tuple[Joint, int, int]] = []
    link_of = {GROUND: -1}
    for joint in mechanism.outward_joints():
        parent = link_of[joint.parent]
        if not joint.kind.nv:
            link_of[joint.child] = parent
            continue
        link_of[joint.child] = len(order)
        order.append((joint, parent, numbers[joint.name]))
    return order


def absolute_angles(
    order: list[tuple[Joint, int, int]], joint_poses: list[tuple[Pose, Pose]]
) -> tuple[list[tuple[tuple[int, int], ...]], dict[int, int], dict[int, int | None]]:
    """The absolute angles; by coordinate, which of them it is the last part of, and which one it is added to.

    A revolute joint's angle is added to that of the nearest revolute joint before it if their axes are parallel.
    """
    angles: list[tuple[tuple[int, int], ...]] = []
    angle_index: dict[int, int] = {}
    previous_angle: dict[int, int | None] = {}
    for i, (joint, _, number) in enumerate(order):
        if not joint.kind.turns:
            continue
        # C is the constant rotation from the joint before to this one
        C, ancestor = joint_poses[i][0].R, order[i][1]
        while ancestor >= 0 and not order[ancestor][0].kind.turns:
            before, after = joint_poses[ancestor]
            C, ancestor = v.mat_mat(v.mat_mat(before.R, after.R), C), order[ancestor][1]
        k = number - 1
        sign, previous = 1, None
        if ancestor >= 0:
            C = v.mat_mat(joint_poses[ancestor][1].R, C)
            if not C[0][2] and not C[1][2]:
                previous = angle_index[order[ancestor][2] - 1]
                sign = dict(angles[previous])[order[ancestor][2] - 1] * (1 if C[2][2] == 1 else -1)
        angle_index[k], previous_angle[k] = len(angles), previous
        angles.append((*(angles[previous] if previous is not None else ()), (k, sign)))
    return angles, angle_index, previous_angle


def numeric_inertia(mechanism: Mechanism, body: Body, placement: Transform) -> Inertia:
    """The inertia in numbers of a body and of the bodies fixed to it, in a frame in which the body stands at `placement`."""
    R: Any = tuple(tuple(float(x) for x in row) for row in placement.rotation)
    position: Any = tuple(float(x) for x in placement.position)
    center: Any = tuple(float(x) for x in body.center)
    I: Any = tuple(float(x) for x in body.inertia)
    mass = float(body.mass)
    body_inertia = Inertia(mass, v.scale(mass, center), v.sym_add(I, v.point_inertia(mass, center)))
    total = body_inertia.in_parent_frame(Pose(R, position))
    for joint in mechanism.joints:
        if not joint.kind.nv and joint.parent == body.name:
            child_placement = placement @ joint.placement @ joint.child_placement.inverse()
            total = total + numeric_inertia(mechanism, mechanism.body(joint.child), child_placement)
    return total


def declare_applied_forces(system: SymbolicSystem) -> None:
    """Declare what multipliers depend on besides the state: the forces of actuated joints, and the rates of phi(t)."""
    scalars, mechanism = system.scalars, system.mechanism
    if not mechanism.loops and not mechanism.constraints:
        return
    for joint, _, number in system.joint_order:
        if joint.actuated:
            scalars.declare(Symbol("load", _force_name(system, number), meaning=f"force or torque of joint {joint.name}"))
    for constraint in mechanism.constraints:
        phi = constraint.phi if isinstance(constraint, PfaffianConstraint) else 0
        if isinstance(constraint, HolonomicConstraint):
            phi = derivative(constraint.equation, "t")
        rate = derivative(phi, "t")
        if str(rate) != "0":
            scalars.drives[_rate_name(constraint.name)] = rate
            scalars.declare(Symbol("drive", _rate_name(constraint.name), meaning=str(rate)))


def applied_forces(system: SymbolicSystem) -> list[RingElement]:
    """The generators of tau; zero along the coordinates of joints that are not actuated."""
    forces = [system.ring.zero] * system.n
    for joint, _, number in system.joint_order:
        if joint.actuated:
            forces[number - 1] = system.generator(_force_name(system, number))
    return forces


def drive_rate(system: SymbolicSystem, row: ConstraintEquation) -> RingElement:
    """The generator of a constraint's phi'(t); zero if phi does not depend on time."""
    name = _rate_name(row.name)
    return system.generator(name) if name in system.ring.generator_index else system.ring.zero


def _force_name(system: SymbolicSystem, number: int) -> str:
    name = f"tau{number}"
    while name in system.scalars.reserved_names:
        name += "_"
    return name


def _rate_name(constraint: str) -> str:
    return f"phi_dot({constraint})"


class ExactState:
    """What the formulas of a joint type read of one joint, over the ring."""

    def __init__(self, system: SymbolicSystem, joint: Joint, k: int) -> None:
        self.system, self.k = system, k
        self.q, self.qd = (system.ring.generator(f"q{k + 1}"),), (system.speed(k),)
        if joint.kind.turns:
            self.c, self.s = system.scalars.angles.coordinate_pair(k)
        self.kind = joint.kind
        self.type_constant = system.scalars.read(joint.kind.type_constant(joint))

    def __getattr__(self, name: str) -> Any:
        if name in ("c", "s"):
            raise MechanismError(turns_required_message(self.kind))
        raise AttributeError(name)

    def function(self, expression: Scalar) -> Any:
        """A function of the joint's coordinate, which takes the place of whatever the expression calls its variable."""
        coordinate = symbol(self.system.coordinates[self.k])
        return self.system.scalars.read(substitute(expression, dict.fromkeys(free_symbols(expression), coordinate)))


class DeclaringFrame:
    """Reads the constants in the equations of a loop, so that the ring has them before the equations are written."""

    origin = v.ZERO

    def __init__(self, system: SymbolicSystem, where: str) -> None:
        self.system, self.where = system, where

    def direction(self, axis: v.Vector) -> v.Vector:
        self.system.read_vector(axis)
        return v.ZERO

    def triad(self, axis: v.Vector) -> tuple[v.Vector, v.Vector, v.Vector]:
        self.system.rotations.read(rotation_z_to(axis), self.where)
        return v.ZERO, v.ZERO, v.ZERO

    def number(self, scalar: Scalar) -> Any:
        return self.system.scalars.read(scalar)

    def vanishes(self, x: Any) -> bool:
        return True
