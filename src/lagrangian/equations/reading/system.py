"""A mechanism over the ring: links with exact constants, each moving along or about z of its joint's frame.

A link's own frame is its body's, as the description gives it, so that the inertial parameters in the equations are the ones
the reader knows. Between the parent's frame and the link's stand a constant placement, the joint's motion about or along z,
and another constant placement. Bodies on fixed joints are merged into the link that carries them.

Angles of revolute joints about parallel axes are added up along the chain: c23 is the cosine of q2 + q3, whatever stands between.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from lagrangian.equations.algebra.exact import written_number
from lagrangian.equations.algebra.ring import Element, Ring, Symbol
from lagrangian.equations.reading import applied, heights, lengths
from lagrangian.equations.reading.inertia import MEANINGS, PARAMETERS, inertia_in_numbers
from lagrangian.equations.reading.link import Inertia, Link, Pose
from lagrangian.equations.reading.names import body_names, geometric_names, given, inertial_names, names_in
from lagrangian.equations.reading.order import absolute_angles, moving_joints
from lagrangian.equations.reading.polynomial import polynomial_springs, scalars_of, spring_scalars
from lagrangian.equations.reading.rotation import Rotations
from lagrangian.equations.reading.scalars import Scalars
from lagrangian.equations.reading.states import DeclaringFrame, ExactState
from lagrangian.errors import Argument, ArgumentError, MechanismError, one_of
from lagrangian.model import vector as v
from lagrangian.model.body import Body
from lagrangian.model.expression import Expression, parameters
from lagrangian.model.joint import Joint
from lagrangian.model.joints.screw import Screw
from lagrangian.model.mechanism import GROUND, Mechanism
from lagrangian.model.placement import Placement, turn_z_to
from lagrangian.model.spring import CoordinateSpring, GravityCompensation, PointSpring

NUMBER = "number"  # the meaning of a generator that stands for the number it is called
SYMBOLS = ("given", "inertial", "all")


class System:
    """What the derivations start from."""

    def __init__(self, mechanism: Mechanism, symbols: str = "given") -> None:
        if symbols not in SYMBOLS:
            raise ArgumentError(one_of("choice", symbols, SYMBOLS), where=("derive", Argument("symbols")))
        self.mechanism = mechanism
        springs = polynomial_springs(mechanism)
        self.springs = tuple(x for x in springs if isinstance(x, PointSpring))
        self.coordinate_springs = tuple(x for x in springs if isinstance(x, CoordinateSpring))
        self.compensations = tuple(x for x in springs if isinstance(x, GravityCompensation))
        self.symbols = symbols
        self.coordinates = mechanism.coordinate_names
        self.n = len(self.coordinates)
        self._kept = geometric_names(mechanism)
        # links without inertia among links that have some stay without; in a bare table of lengths all get symbols
        bodies = {body.name: body for body in mechanism.bodies}
        bare = {name for name, body in bodies.items() if not any(float(x) for x in (body.mass, *body.inertia))}
        self._massless = {j.name for j in mechanism.joints if j.child in bare} if len(bare) < len(bodies) else set()
        masses = names_in(body.mass for body in mechanism.bodies)
        reserved = self._kept | (body_names(mechanism) if symbols == "given" else set())
        self.scalars = Scalars(self.coordinates, inertial_names(mechanism), masses, reserved, list(mechanism.parameters))
        self.rotations = Rotations(self.scalars)
        self.order = moving_joints(mechanism)
        constants = self.scalars.settled(self._constants)
        self.scalars.angles.add_up(*absolute_angles(self.order, constants))
        lengths.declare(self)
        self._declare_signs()
        applied.declare(self)
        # the last reading leaves a ring with every generator the mechanism needs
        self.links, self.gravity = self.scalars.settled(self._read)
        if heights.declare(self):
            self.links, self.gravity = self.scalars.settled(self._read)
        lengths.relate(self)
        heights.relate(self)
        self.scalars.settled_for_good = True

    @property
    def ring(self) -> Ring:
        return self.scalars.ring

    def _read(self) -> tuple[list[Link], v.Vector]:
        of, mechanism = self.scalars.of, self.mechanism
        for constraint in mechanism.constraints:
            for scalar in scalars_of(constraint):
                of(scalar)
        heights.read(self)
        for loop in mechanism.loops:
            for placement in (loop.a_placement, loop.b_placement):
                self.pose(placement, f"loop {loop.name!r}")
            declaring = DeclaringFrame(self, f"loop {loop.name!r}")
            loop.kind.equations(loop, declaring, declaring)
        for frame in mechanism.frames:
            self.pose(frame.placement, f"frame {frame.name!r}")
        for joint in mechanism.joints:
            friction, own = joint.friction, joint.spring
            self.vector((friction.viscous, friction.coulomb, friction.coulomb_negative, own.stiffness, own.rest))
        for spring in mechanism.springs:
            self.vector(spring_scalars(spring))
        return self._links(), self._gravity()

    def _declare_signs(self) -> None:
        """Coulomb friction follows the sign of its joint's speed."""
        for joint, _, number in self.order:
            if given(joint.friction.coulomb) or given(joint.friction.coulomb_negative):
                meaning = f"sign of qd{number}"
                self.scalars.declare(Symbol("sign", self.scalars.sign_name(number), index=number - 1, meaning=meaning))

    def generator(self, name: str) -> Element:
        return self.ring.generator(name)

    def speed(self, k: int) -> Element:
        return self.ring.generator(f"qd{k + 1}")

    def acceleration(self, k: int) -> Element:
        return self.ring.generator(f"qdd{k + 1}")

    def path(self, i: int) -> list[int]:
        """Link i and its ancestors, the one at the ground first."""
        chain = []
        while i >= 0:
            chain.append(i)
            i = self.links[i].parent
        return chain[::-1]

    # -- reading the mechanism ---------------------------------------------------------------------------------------

    def vector(self, x: Sequence[Any]) -> Any:
        return tuple(self.scalars.of(e) for e in x)

    def position(self, x: Sequence[Any], letter: str = "", number: int = 0) -> v.Vector:
        """A position; named, if lengths are to be symbols, and with rounding of zero as zero."""
        x = [0 if isinstance(e, float) and abs(e) < 1e-14 else e for e in x]
        made = self.vector(x)
        if self.symbols != "given" and number:
            made = tuple(self._length(e, e2, f"{letter}{a}{number}", a) for e, e2, a in zip(x, made, "xyz", strict=True))
        return made

    def _length(self, given: Any, read: Any, name: str, axis: str) -> Any:
        """A length that is a number other than zero, as a symbol; or as a generator that is written as the number it is.

        Multiplied out, lengths would lose themselves in their products, and the formulas their short forms.
        """
        if read == 0 or (isinstance(given, Expression) and parameters(given)):
            return read
        if self.symbols == "inertial":
            if isinstance(read, Element):  # a length that is seen along axes turned by an angle with a name
                return read
            size = abs(read)
            made = self.scalars.generator(Symbol("parameter", written_number(size), float(size), meaning=NUMBER))
            return made if read > 0 else -made
        number = name.lstrip("pr" + axis)
        what = f"joint {number} in the frame before it" if name[0] == "p" else f"link {number}'s frame, seen from its joint"
        return self.scalars.generator(Symbol("parameter", self._free_name(name), float(given), meaning=f"{axis} of {what}"))

    def pose(self, placement: Any, where: str, letter: str = "", number: int = 0) -> Pose:
        return Pose(self.rotations.of(placement.rotation, where), self.position(placement.position, letter, number))

    def _poses(self, joint: Joint, number: int) -> tuple[Pose, Pose]:
        """Before and after the joint's motion about z."""
        where = f"joint {joint.name!r}"
        before = self.pose(joint.placement, where, "p", number)
        inverse = joint.child_placement.inverse()
        after = self.pose(inverse, where, "r", number)
        if not joint.kind.nv:
            return before, after
        before = self.place(joint.parent)[1] @ before  # the parent may be fixed to the link that carries it
        if tuple(joint.axis) == v.Z:
            return before, after
        T = turn_z_to(tuple(float(x) if not isinstance(x, Expression) else x for x in joint.axis))  # type: ignore[arg-type]
        R = self.rotations.of(T, where)
        return Pose(v.mat_mat(before.R, R), before.p), Pose(v.mat_mat(v.transpose(R), after.R), v.mat_t_vec(R, after.p))

    def _constants(self) -> list[tuple[Pose, Pose]]:
        found = [self._poses(joint, number) for joint, _, number in self.order]
        for joint, _, number in self.order:
            self._inertia(joint, number)
        self._gravity()
        return found

    def _inertia(self, joint: Joint, number: int) -> Inertia:
        body = self.mechanism.body(joint.child)
        if self.symbols == "given":
            return self._carried(body, Pose())
        values = inertia_in_numbers(self.mechanism, body, Placement()).ten
        if joint.name in self._massless and not any(values):
            return Inertia()
        names = [f"{p}{number}" for p in PARAMETERS]
        meant = [m.format(f"link {number} ({body.name})") for m in MEANINGS]
        made = [
            self.scalars.generator(Symbol("inertial", self._free_name(name), value, meaning=meaning))
            for name, value, meaning in zip(names, values, meant, strict=True)
        ]
        return Inertia(made[0], tuple(made[1:4]), tuple(made[4:]))

    def _free_name(self, name: str) -> str:
        """A name that no parameter outside the bodies has: those inside are replaced."""
        while name in self._kept:
            name += "_"
        return name

    def _body(self, body: Body) -> Inertia:
        of = self.scalars.of
        mass, center, I = of(body.mass), self.vector(body.center), self.vector(body.inertia)
        about = v.sym_add(I, v.point_inertia(mass, center))
        return Inertia(mass, v.scale(mass, center), about)

    def _carried(self, body: Body, pose: Pose) -> Inertia:
        """A body's inertia, and that of the bodies fixed to it, in the frame in which it stands at `pose`."""
        total = self._body(body).seen_from(pose)
        for joint in self.mechanism.joints:
            if not joint.kind.nv and joint.parent == body.name:
                before, after = self._poses(joint, 0)
                total = total + self._carried(self.mechanism.body(joint.child), pose @ before @ after)
        return total

    def place(self, body: str) -> tuple[int, Pose]:
        """A body's link (-1 the ground), and where its frame is on it."""
        at = Pose()
        carriers = {joint.child: joint for joint in self.mechanism.joints}
        while body != GROUND and not carriers[body].kind.nv:
            before, after = self._poses(carriers[body], 0)
            at, body = before @ after @ at, carriers[body].parent
        numbers = {joint.child: k for k, (joint, _, _) in enumerate(self.order)}
        return (-1 if body == GROUND else numbers[body]), at

    def _gravity(self) -> v.Vector:
        g = list(self.mechanism.gravity)
        moving = [k for k in range(3) if isinstance(g[k], Expression) or g[k] != 0]
        if self.symbols != "given":
            for k in moving:
                name = self._free_name("g" if len(moving) == 1 else f"g{'xyz'[k]}")
                if not (isinstance(g[k], Expression) and parameters(g[k])):
                    made = self.scalars.generator(Symbol("parameter", name, abs(float(g[k])), meaning="gravity"))
                    g[k] = made if float(g[k]) > 0 else -made
        return tuple(x if isinstance(x, Element) else self.scalars.of(x) for x in g)  # type: ignore[return-value]

    def _rises(self, joint: Joint, k: int) -> tuple[Any, Any, Any]:
        """How far the joint has moved along its axis, and the first and second derivative of that by its coordinate."""
        kind = joint.kind.single_steps(joint)[0].kind
        if not isinstance(kind, Screw):
            raise MechanismError(
                f"joint {joint.name!r}: the closed form supports revolute and prismatic joints, not {joint.type}"
            )
        state = ExactState(self, joint, k)
        # the type's own derivatives are read too, so that the ring has every function that a proof compares
        advance, _, _ = kind.advance(state), kind.rise(state), kind.rise_slope(state)
        rise = self.ring.derivative(self.ring(advance), k)
        return advance, rise, self.ring.derivative(rise, k)

    def _links(self) -> list[Link]:
        of = self.scalars.of
        links = []
        for joint, parent, number in self.order:
            before, after = self._poses(joint, number)
            k = number - 1
            c, s = self.scalars.angles.coordinate_pair(k) if joint.kind.turns else (1, 0)
            rotor = of(joint.rotor.reflected)
            if self.symbols != "given" and float(joint.rotor.inertia):
                name = self._free_name(f"Ja{number}")
                meaning = f"inertia of the rotor at joint {number}, as the joint sees it"
                rotor = self.scalars.generator(Symbol("inertial", name, float(joint.rotor.reflected), meaning=meaning))
            q = self.ring.generator(f"q{number}")
            inertia = self._inertia(joint, number)
            rises = self._rises(joint, k)
            links.append(Link(joint.child, joint, joint.kind.turns, parent, k, before, after, inertia, c, s, q, *rises, rotor))
        return links
