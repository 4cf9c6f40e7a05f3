"""A mechanism: bodies on a tree of joints, the loops that close it, and what acts on it. Frozen, and checked once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from lagrangian.cached import cached_property
from lagrangian.errors import MechanismError, MechanismPart, Place, error_location, format_value, is_number, unknown_name_message
from lagrangian.model import checks
from lagrangian.model import vector as v
from lagrangian.model.body import Body
from lagrangian.model.constraint import Constraint, HolonomicConstraint, PfaffianConstraint
from lagrangian.model.display import MechanismDisplay
from lagrangian.model.event import Event, validate_events
from lagrangian.model.expression import Expression, Scalar, free_symbols
from lagrangian.model.frame import Frame
from lagrangian.model.initial_state import InitialState
from lagrangian.model.joint import Joint
from lagrangian.model.loop import LoopJoint
from lagrangian.model.parameters import Parameters, check_unchanged
from lagrangian.model.placement import Transform, TransformLike
from lagrangian.model.spring import Spring, check_attachment
from lagrangian.model.vector import InertiaLike, Vector, VectorLike

if TYPE_CHECKING:
    from lagrangian.model.dh import DHParameters


GROUND = "ground"


@dataclass(frozen=True)
class Mechanism(MechanismDisplay):
    """A mechanism: bodies on a tree of joints, joints that close loops, and the springs and constraints that act on it.

    A mechanism is immutable, and it is checked completely when it is created. The coordinates `q` and the speeds `qd` are in the
    order in which the joints are listed. Use `load` for a file, `library` for a mechanism that comes with the package, and
    `from_dh` for a Denavit-Hartenberg table.

    Parameters
    ----------
    name : str
        The name.
    bodies : sequence of Body
        The bodies.
    joints : sequence of Joint
        The joints of the tree: every body is the child of one of them. The body "ground" is the fixed world.
    loops : sequence of LoopJoint, optional
        The joints that close loops.
    constraints : sequence, optional
        Other constraints: `HolonomicConstraint`, `PfaffianConstraint`, `PfaffianFunctionConstraint`, `RollingConstraint`,
        `KnifeEdgeConstraint`.
    springs : sequence, optional
        Springs and compliant walls: `PointSpring`, `CoordinateSpring`, `GravityCompensation`, `Wall`.
    frames : sequence of Frame, optional
        Named frames on bodies. The frame of a body has the name of the body.
    gravity : array_like, optional
        The acceleration of gravity in the world frame, in m/s²; the default is (0, 0, -9.81).
    poses : mapping of str to sequence of float, optional
        Named configurations, each with all coordinates.
    initial : InitialState, optional
        The state, time span and torques with which a simulation starts by default.
    events : sequence of Event, optional
        Events of the mechanism itself, such as a latch.
    parameters : mapping of str to Expression, optional
        The named parameters that bodies and joints are written with: see `parameter`.
    source : str, optional
        The source of the numbers.
    description : str, optional
        A description in words.
    notes : sequence of str, optional
        Remarks, such as those of a reader about what it left out.
    file : str, optional
        The file from which the mechanism was read.

    Raises
    ------
    MechanismError
        If the mechanism is impossible: a body without a joint, a cycle of joints, two parts with one name, and so on.

    Examples
    --------
    A pendulum of 0.5 m that swings about y:

    >>> import lagrangian as lg
    >>> bob = lg.Body("bob", mass=1.0, center=(0, 0, -0.5))
    >>> hinge = lg.Joint("theta", "revolute", "ground", "bob", axis="y")
    >>> pendulum = lg.Mechanism("pendulum", [bob], [hinge])
    >>> pendulum
    <Mechanism 'pendulum': 1 body, 1 speed, 0 constraint equations>
    >>> lg.compile(pendulum).mass_matrix([0.0])
    array([[0.25]])
    """

    name: str
    bodies: tuple[Body, ...]
    joints: tuple[Joint, ...]
    loops: tuple[LoopJoint, ...] = ()
    constraints: tuple[Constraint, ...] = ()
    springs: tuple[Spring, ...] = ()
    frames: tuple[Frame, ...] = ()
    gravity: Vector = (0, 0, -9.81)
    poses: Mapping[str, tuple[float, ...]] = field(default_factory=dict)
    initial: InitialState = field(default_factory=InitialState)
    events: tuple[Event, ...] = ()
    parameters: Mapping[str, Expression] = field(default_factory=dict)
    source: str = ""
    description: str = ""
    notes: tuple[str, ...] = ()
    file: str = ""

    def __post_init__(self) -> None:
        with error_location(self.file or self.name):
            checks.convert_fields(self, checks.text, "name", "source", "description", "file")
            for name, kind in _PART_TYPES.items():
                object.__setattr__(self, name, checks.tuple_of(kind, getattr(self, name), name))
            checks.convert_fields(self, checks.mapping, "poses", "parameters")  # copies of one's own
            object.__setattr__(self, "parameters", Parameters.from_values(self.parameters))
            checks.convert_fields(self, InitialState.from_value, "initial")
            object.__setattr__(self, "gravity", checks.vector(self.gravity, "gravity", "(0, 0, -9.81)"))
            self._check()
            object.__setattr__(self, "events", validate_events(self.events, self))

    @classmethod
    def from_dh(
        cls,
        rows: Sequence[DHParameters | Mapping[str, Any]],
        *,
        convention: str = "",
        name: str = "arm",
        gravity: Vector = (0, 0, -9.81),
        base: TransformLike | None = None,
        tool: TransformLike | None = None,
        **options: Any,
    ) -> Mechanism:
        """Make a serial arm from a Denavit-Hartenberg table.

        Parameters
        ----------
        rows : sequence of DHParameters or mapping
            The rows of the table, as `DHParameters` or as mappings with the same names.
        convention : str
            The convention of the table, which has no default: "standard" or "modified".
        name : str, optional
            The name of the mechanism.
        gravity : array_like, optional
            The acceleration of gravity in m/s²; the default is (0, 0, -9.81).
        base : Transform or array_like, optional
            The frame of the table in the world; by default they are the same.
        tool : Transform or array_like, optional
            The frame "tool" in the frame of the last link; by default there is none.
        **options
            See Other Parameters.

        Returns
        -------
        Mechanism
            The arm, with the joints "q1", "q2", ... and the bodies "link1", "link2", ...

        Other Parameters
        ----------------
        loops, constraints, springs, frames, poses, initial, events, parameters, source, description
            Parameters of `Mechanism`.

        Raises
        ------
        MechanismError
            If the convention is missing, or if a row is wrong.

        Notes
        -----
        The standard convention (Denavit and Hartenberg 1955) has the frame of link i at its far end,
        A = Rz(theta) Tz(d) Tx(a) Rx(alpha). The modified convention (Craig 1986) has it on the axis of joint i,
        A = Rx(alpha) Tx(a) Rz(theta) Tz(d).

        Examples
        --------
        >>> import lagrangian as lg
        >>> rows = [{"d": 0.4, "alpha": 1.5708}, {"a": 0.5, "mass": 2.0, "center": (-0.25, 0, 0)}]
        >>> arm = lg.Mechanism.from_dh(rows, convention="standard", tool=(0, 0, 0))
        >>> lg.compile(arm).pose([0.0, 0.0], "tool")[:3, 3]
        array([0.5, 0. , 0.4])
        """
        from lagrangian.model.dh import build_arm

        with error_location(name):
            base = Transform() if base is None else Transform.from_value(base, "base")
        return build_arm(cls, rows, convention, name, gravity, base, tool, options)

    # -- names and sizes ---------------------------------------------------------------------------------------------

    @cached_property
    def body_index(self) -> dict[str, int]:
        """The index of each body by its name."""
        return {b.name: i for i, b in enumerate(self.bodies)}

    @cached_property
    def joint_index(self) -> dict[str, int]:
        """The index of each joint by its name."""
        return {j.name: i for i, j in enumerate(self.joints)}

    @cached_property
    def _bodies_and_ground(self) -> dict[str, int]:
        return {GROUND: -1, **self.body_index}

    @cached_property
    def nq(self) -> int:
        """The number of coordinates."""
        return sum(j.kind.nq for j in self.joints)

    @cached_property
    def nv(self) -> int:
        """The number of speeds."""
        return sum(j.kind.nv for j in self.joints)

    @cached_property
    def coordinate_names(self) -> tuple[str, ...]:
        """The names of the coordinates, in the order of `q`."""
        return tuple(name for j in self.joints for name in j.coordinate_names)

    @cached_property
    def speed_names(self) -> tuple[str, ...]:
        """The names of the speeds, in the order of `qd`."""
        return tuple(name for j in self.joints for name in j.speed_names)

    @cached_property
    def equation_count(self) -> int:
        """The number of constraint equations, with redundant ones."""
        return sum(loop.equation_count for loop in self.loops) + sum(c.equation_count for c in self.constraints)

    @property
    def gruebler(self) -> int:
        """The number of degrees of freedom by Grübler's formula: speeds minus constraint equations.

        It is too small if equations are redundant. The function `mobility` finds the true number.
        """
        return self.nv - self.equation_count

    def outward_joints(self) -> list[Joint]:
        """Return the joints from the ground outward: every joint after that of its parent.

        Returns
        -------
        list of Joint
            The joints; those of an unbranched chain follow one another.
        """
        children: dict[str, list[Joint]] = {}
        for joint in self.joints:
            children.setdefault(joint.parent, []).append(joint)
        order: list[Joint] = []
        stack = list(reversed(children.get(GROUND, [])))
        while stack:
            joint = stack.pop()
            order.append(joint)
            stack.extend(reversed(children.get(joint.child, [])))
        return order

    # -- configurations ----------------------------------------------------------------------------------------------

    def neutral(self) -> np.ndarray:
        """Return the configuration with all coordinates zero and all quaternions (1, 0, 0, 0).

        Returns
        -------
        numpy.ndarray
            The coordinates.

        Examples
        --------
        >>> import lagrangian as lg
        >>> lg.library("free_body").neutral()
        array([1., 0., 0., 0., 0., 0., 0.])
        """
        return np.array([x for joint in self.joints for x in joint.kind.neutral], dtype=float)

    def random_configuration(self, rng: np.random.Generator | int | None = None) -> np.ndarray:
        """Return a random configuration within the limits of the joints.

        Angles without limits are between -π and π, lengths without limits between -1 m and 1 m. Loops are not closed.

        Parameters
        ----------
        rng : numpy.random.Generator or int, optional
            The random generator or its seed.

        Returns
        -------
        numpy.ndarray
            The coordinates.

        Raises
        ------
        MechanismError
            If `rng` is neither.

        Examples
        --------
        >>> import lagrangian as lg
        >>> lg.library("two_r").random_configuration(0).shape
        (2,)
        """
        is_seed = isinstance(rng, (int, np.integer)) and not isinstance(rng, bool) and rng >= 0
        if not is_seed and rng is not None and not isinstance(rng, np.random.Generator):
            remedy = "it must be a generator, a seed of at least 0, or None"
            raise MechanismError(f"is {format_value(rng)}", argument="rng", remedy=remedy)
        rng = np.random.default_rng(rng)
        return np.array([x for joint in self.joints for x in joint.kind.random(joint, rng)], dtype=float)

    # -- parts by their names ----------------------------------------------------------------------------------------

    def frame(self, name: str | Frame) -> Frame:
        """Return a frame by its name, or the frame of a body by the name of the body.

        Parameters
        ----------
        name : str or Frame
            The name. A `Frame` is returned unchanged.

        Returns
        -------
        Frame
            The frame.

        Raises
        ------
        MechanismError
            If there is no part with this name.

        Examples
        --------
        >>> import lagrangian as lg
        >>> lg.library("two_r").frame("tip").body
        'link2'
        """
        if isinstance(name, Frame):
            return name
        if not isinstance(name, str):
            raise MechanismError(f"a frame is named by a string, not by a {type(name).__name__}")
        frame = self._frames.get(name)
        if frame is None:
            hint = ""
            if name in self.joint_index:
                hint = f"{name!r} is a joint; the body it moves is {self.joints[self.joint_index[name]].child!r}. "
            raise MechanismError(hint + unknown_name_message("frame or body", name, self._frames))
        return frame

    def body(self, name: str) -> Body:
        """Return a body by its name.

        Parameters
        ----------
        name : str
            The name.

        Returns
        -------
        Body
            The body.

        Raises
        ------
        MechanismError
            If there is no part with this name.

        Examples
        --------
        >>> import lagrangian as lg
        >>> float(lg.library("two_r").body("link1").mass)
        12.456
        """
        if not isinstance(name, str) or name not in self.body_index:
            raise MechanismError(unknown_name_message("body", name, self.body_index))
        return self.bodies[self.body_index[name]]

    def joint(self, name: str) -> Joint:
        """Return a joint by its name.

        Parameters
        ----------
        name : str
            The name.

        Returns
        -------
        Joint
            The joint.

        Raises
        ------
        MechanismError
            If there is no part with this name.

        Examples
        --------
        >>> import lagrangian as lg
        >>> lg.library("two_r").joint("theta2").parent
        'link1'
        """
        if not isinstance(name, str) or name not in self.joint_index:
            raise MechanismError(unknown_name_message("joint", name, self.joint_index))
        return self.joints[self.joint_index[name]]

    @cached_property
    def _frames(self) -> dict[str, Frame]:
        bodies = {b: Frame(b, b) for b in self._bodies_and_ground}
        return {**bodies, **{f.name: f for f in self.frames}}

    # -- changed copies ----------------------------------------------------------------------------------------------

    def replace(self, **changes: Any) -> Mechanism:
        """Return the mechanism with some of its attributes replaced, checked again.

        Parameters
        ----------
        **changes
            The parameters of `Mechanism` by name, such as `gravity`, `joints` or `initial`. For new values of named parameters,
            which bodies and joints already contain, use `with_parameters`.

        Returns
        -------
        Mechanism
            The new mechanism.

        Raises
        ------
        MechanismError
            If there is no such attribute, or if the new mechanism is impossible.

        Examples
        --------
        >>> import lagrangian as lg
        >>> moon = lg.library("two_r").replace(gravity=(0, -1.62, 0))
        >>> moon.gravity
        (0, -1.62, 0)
        """
        field_names = [f.name for f in fields(self)]
        for change in changes:
            if change not in field_names:
                raise MechanismError(unknown_name_message("entry", change, field_names))
        check_unchanged(self.parameters, changes.get("parameters", {}))
        return replace(self, **changes)

    def with_parameters(self, parameters: Mapping[str, Any] | None = None, /, **named: Any) -> Mechanism:
        """Return the mechanism with new values of some parameters.

        Everything that is written with a parameter follows it: masses, lengths, limits, poses, initial values, torques. The new
        mechanism shares the compiled code of the original, unless its structure changes, as when a zero becomes nonzero.

        Parameters
        ----------
        parameters : mapping of str to float, optional
            New values by name. Numbers without a name, such as those of a URDF file, are named by their paths: "link3.mass",
            "link3.center.x", "elbow.friction.viscous", "gravity.z".
        **named : float
            New values as keyword arguments.

        Returns
        -------
        Mechanism
            The new mechanism.

        Raises
        ------
        MechanismError
            If there is no such parameter or path, or if the new mechanism is impossible.

        Examples
        --------
        >>> import lagrangian as lg
        >>> arm = lg.library("two_r").with_parameters(l1=0.4, m2=3.0)
        >>> float(arm.body("link2").mass)
        3.0
        >>> arm = arm.with_parameters({"theta1.friction.viscous": 0.1})
        >>> arm.joint("theta1").friction.viscous
        0.1
        """
        from lagrangian.model.parameters import with_parameters

        return with_parameters(self, {**checks.mapping({} if parameters is None else parameters, "parameters"), **named})

    def with_payload(
        self, frame: str | Frame, mass: Scalar, center: VectorLike = v.ZERO, inertia: InertiaLike = (0, 0, 0, 0, 0, 0)
    ) -> Mechanism:
        """Return the mechanism with a payload fixed to a frame.

        The payload and the body of the frame become one rigid body. A second payload is added to the first.

        Parameters
        ----------
        frame : str or Frame
            The frame, or the name of a body.
        mass : float or Expression
            The mass in kg.
        center : array_like, optional
            The centre of mass in the frame, in m; the default is its origin.
        inertia : array_like, optional
            The inertia about the centre of mass along the axes of the frame, in kg m²: three principal moments, six entries
            (xx, xy, xz, yy, yz, zz) or a 3x3 matrix. By default the payload is a point mass.

        Returns
        -------
        Mechanism
            The new mechanism.

        Raises
        ------
        MechanismError
            If there is no such frame, or if no real body has these inertial parameters.

        See Also
        --------
        SetPayload : Grip or release a payload during a simulation.

        Examples
        --------
        >>> import lagrangian as lg
        >>> loaded = lg.library("two_r").with_payload("tip", 2.0, center=(0.1, 0, 0))
        >>> print(f"{float(loaded.body('link2').mass):.3f} kg")
        14.456 kg
        """
        from lagrangian.model.body import with_payload

        return with_payload(self, frame, mass, center, inertia)

    # -- text and identity -------------------------------------------------------------------------------------------

    def __hash__(self) -> int:
        return hash((self.name, self.bodies, self.joints))

    def __str__(self) -> str:
        from lagrangian.model.printed_table import mechanism_table

        return mechanism_table(self)

    def __repr__(self) -> str:
        from lagrangian.model.printed_table import pluralise

        sizes = ((len(self.bodies), "body"), (self.nv, "speed"), (self.equation_count, "constraint equation"))
        return f"<Mechanism {self.name!r}: {', '.join(pluralise(n, noun) for n, noun in sizes)}>"

    # -- checks ------------------------------------------------------------------------------------------------------

    def _check(self) -> None:
        checks.check_finite(self.gravity, "gravity")
        _check_unique("body", [b.name for b in self.bodies])
        _check_unique("joint", [j.name for j in self.joints])
        _check_unique("frame", [GROUND, *(f.name for f in self.frames), *(b.name for b in self.bodies if b.name != GROUND)])
        _check_unique("coordinate", self.coordinate_names)
        element_names = [*(x.name for x in self.loops), *(x.name for x in self.constraints), *(x.name for x in self.springs)]
        _check_unique("loop, constraint, spring or wall", element_names)
        names_by_noun = {
            "mechanism": [self.name],
            "pose": self.poses,
            "parameter": self.parameters,
            "event": [e.name for e in self.events],
        }
        for noun, names in names_by_noun.items():
            for name in names:
                checks.check_name(name, noun)
        if GROUND in self.body_index:
            raise MechanismError(f"a body is called {GROUND!r}, which is the name of the fixed world; give it another name")
        body_names = self._bodies_and_ground
        for joint in self.joints:
            where = MechanismPart("joint", joint.name)
            for role, body in (("parent", joint.parent), ("child", joint.child)):
                if body not in body_names:
                    raise MechanismError(unknown_name_message("body", body, body_names), where=(where, role))
            if joint.child == GROUND:
                raise MechanismError(
                    f"{GROUND!r} cannot be a child", where=where, concerns="child", remedy="swap parent and child"
                )
            if joint.parent == joint.child:
                raise MechanismError(f"it joins body {joint.child!r} to itself", where=where, concerns="child")
        attachments = [("loop", x.name, side, body) for x in self.loops for side, body in (("a", x.a), ("b", x.b))]
        for noun, name, entry, body in [*attachments, *(("frame", x.name, "body", x.body) for x in self.frames)]:
            if body not in body_names:
                raise MechanismError(
                    unknown_name_message("body", body, body_names), where=MechanismPart(noun, name), concerns=entry
                )
        for spring in self.springs:
            check_attachment(spring, body_names, self.coordinate_names)
        self._check_tree()
        self._check_constraints()
        for name, pose in self.poses.items():
            self._check_configuration(MechanismPart("pose", name), pose)
        if self.initial.q is not None:
            self._check_configuration("[initial] q", self.initial.q)
        if self.initial.qd is not None:
            self._check_numbers("[initial] qd", self.initial.qd, self.nv, self.speed_names)
        for speed, _ in self.initial.torque:
            if speed not in self.speed_names:
                raise MechanismError(
                    unknown_name_message("joint or speed", speed, self.speed_names), where=("[initial]", "torque")
                )

    def _check_tree(self) -> None:
        parent_joint: dict[str, Joint] = {}
        for joint in self.joints:
            other = parent_joint.setdefault(joint.child, joint)
            if other is not joint:
                raise MechanismError(
                    f"body {joint.child!r} is the child of two joints, {other.name!r} and {joint.name!r}; in a tree it has one. "
                    f"Close the loop with a loop joint instead",
                    part=MechanismPart("joint", joint.name),
                    concerns="child",
                )
        connected = {GROUND}
        for body in self.bodies:
            path: list[str] = []
            visited: set[str] = set()
            body_name = body.name
            while body_name not in connected:
                if body_name in visited:
                    cycle = path[path.index(body_name) :]
                    raise MechanismError(
                        f"the joints form a cycle: {' -> '.join([*cycle, body_name])}. A tree starts at {GROUND!r}; "
                        f"close the loop with a loop joint instead",
                        part=MechanismPart("body", body_name),
                    )
                path.append(body_name)
                visited.add(body_name)
                if body_name not in parent_joint:
                    raise MechanismError(
                        f"body {body_name!r} has no joint; connect it to {GROUND!r} or to another body "
                        f"(a `free` joint lets it move freely, a `fixed` joint holds it)",
                        part=MechanismPart("body", body_name),
                    )
                body_name = parent_joint[body_name].parent
            connected.update(path)

    def _check_configuration(self, where: Place, q: Sequence[float]) -> None:
        self._check_numbers(where, q, self.nq, self.coordinate_names)
        start = 0
        for joint in self.joints:
            if joint.kind.quaternion and not any(float(x) for x in q[start : start + 4]):
                raise MechanismError(
                    f"the quaternion of joint {joint.name!r} is zero", where=where, remedy="the identity is (1, 0, 0, 0)"
                )
            start += joint.kind.nq

    def _check_constraints(self) -> None:
        coordinates = {*self.coordinate_names, "t"}
        for constraint in self.constraints:
            where = MechanismPart("constraint", constraint.name)
            scalars: list[Scalar] = []
            if isinstance(constraint, PfaffianConstraint):
                for speed, coefficient in constraint.coefficients:
                    if speed not in self.speed_names:
                        raise MechanismError(unknown_name_message("speed", speed, self.speed_names), where=where)
                    scalars.append(coefficient)
                for name in free_symbols(constraint.phi) - {"t"}:
                    raise MechanismError(f"may depend on t only, not on {name!r}", where=where, argument="phi")
            elif isinstance(constraint, HolonomicConstraint):
                scalars.append(constraint.equation)
            for body in [b for b in (getattr(constraint, "body", None), getattr(constraint, "on", None)) if b is not None]:
                if body not in self._bodies_and_ground:
                    raise MechanismError(unknown_name_message("body", body, self._bodies_and_ground), where=where)
            for scalar in scalars:
                for name in sorted(free_symbols(scalar) - coordinates):
                    raise MechanismError(unknown_name_message("coordinate", name, coordinates), where=where)
            if isinstance(constraint, HolonomicConstraint) and not free_symbols(constraint.equation) - {"t"}:
                raise MechanismError(f"its equation contains no coordinate: {constraint.equation}", where=where)

    @staticmethod
    def _check_numbers(where: Place, numbers: Sequence[float], size: int, names: Sequence[str]) -> None:
        if checks.sequence_length(numbers) < 0:
            raise MechanismError(f"is {format_value(numbers)}", where=where, remedy="it must be a list of numbers")
        if len(numbers) != size:
            remedy = f"it must have {size}: {', '.join(names[:12])}"
            raise MechanismError(f"it has {len(numbers)} number{'s' * (len(numbers) != 1)}", where=where, remedy=remedy)
        if not all(is_number(x) for x in numbers):
            raise MechanismError("not all of its numbers are finite", where=where)


_PART_TYPES: dict[str, type] = {
    "bodies": Body,
    "joints": Joint,
    "loops": LoopJoint,
    "constraints": Constraint,  # type: ignore[dict-item]
    "springs": Spring,  # type: ignore[dict-item]
    "frames": Frame,
    "events": Event,
    "notes": str,
}


def _check_unique(noun: str, names: Sequence[str]) -> None:
    earlier_names: set[str] = set()
    for name in names:
        if not isinstance(name, str) or not name:
            raise MechanismError(f"a {noun} has no name")
        checks.check_name(name, noun)
        if name in earlier_names:
            raise MechanismError(f"the name of {noun} {name!r} is used twice; names must differ")
        earlier_names.add(name)
