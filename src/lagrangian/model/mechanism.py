"""A mechanism: bodies on a tree of joints, the loops that close it, and what acts on it. Frozen, and checked once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Any

import numpy as np

from lagrangian.cached import cached_property
from lagrangian.errors import MechanismError, Part, Place, is_number, one_of, placed, shown
from lagrangian.model import coerce
from lagrangian.model import vector as v
from lagrangian.model.body import Body
from lagrangian.model.configuration import Initial
from lagrangian.model.constraint import Constraint, Holonomic, Pfaffian
from lagrangian.model.event import Event, own_events
from lagrangian.model.expression import Expression, Scalar, free_symbols
from lagrangian.model.joint import Joint
from lagrangian.model.loop import Frame, LoopJoint, Spring
from lagrangian.model.parameters import Parameters, check_values
from lagrangian.model.placement import Placement
from lagrangian.model.showing import ShownMechanism
from lagrangian.model.spring import check_place

GROUND = "ground"


@dataclass(frozen=True)
class Mechanism(ShownMechanism):
    """Bodies, joints, loops, forces. Coordinates `q` and speeds `qd` are in the order in which the joints are listed."""

    name: str
    bodies: tuple[Body, ...]
    joints: tuple[Joint, ...]
    loops: tuple[LoopJoint, ...] = ()
    constraints: tuple[Constraint, ...] = ()
    springs: tuple[Spring, ...] = ()
    frames: tuple[Frame, ...] = ()
    gravity: v.Vector = (0, 0, -9.81)
    poses: Mapping[str, tuple[float, ...]] = field(default_factory=dict)
    initial: Initial = field(default_factory=Initial)
    events: tuple[Event, ...] = ()
    parameters: Mapping[str, Expression] = field(default_factory=dict)
    source: str = ""
    description: str = ""
    notes: tuple[str, ...] = ()  # what a reader did not carry over, or carried with a caveat
    file: str = ""

    def __post_init__(self) -> None:
        with placed(self.file or self.name):
            coerce.keep(self, coerce.text, "name", "source", "description", "file")
            for name, kind in _PARTS.items():
                object.__setattr__(self, name, coerce.items(kind, getattr(self, name), name))
            coerce.keep(self, coerce.mapping, "poses", "parameters")  # copies of one's own
            object.__setattr__(self, "parameters", Parameters(self.parameters))
            coerce.keep(self, Initial.of, "initial")
            object.__setattr__(self, "gravity", coerce.vector(self.gravity, "gravity", "(0, 0, -9.81)"))
            self._check()
            object.__setattr__(self, "events", own_events(self.events, self))

    def _check(self) -> None:
        coerce.finite(self.gravity, "gravity")
        _unique("body", [b.name for b in self.bodies])
        _unique("joint", [j.name for j in self.joints])
        _unique("frame", [GROUND, *(f.name for f in self.frames), *(b.name for b in self.bodies if b.name != GROUND)])
        _unique("coordinate", self.coordinate_names)
        others = [*(x.name for x in self.loops), *(x.name for x in self.constraints), *(x.name for x in self.springs)]
        _unique("loop, constraint, spring or wall", others)
        own = {"mechanism": [self.name], "pose": self.poses, "parameter": self.parameters, "event": [e.name for e in self.events]}
        for what, names in own.items():
            for name in names:
                coerce.name(name, what)
        if GROUND in self.body_index:
            raise MechanismError(f"a body is called {GROUND!r}, which is the name of the fixed world; call it otherwise")
        known = self._bodies_and_ground
        for joint in self.joints:
            where = Part("joint", joint.name)
            for role, body in (("parent", joint.parent), ("child", joint.child)):
                if body not in known:
                    raise MechanismError(one_of("body", body, known), where=(where, role))
            if joint.child == GROUND:
                raise MechanismError(f"{GROUND!r} cannot be a child", where=where, remedy="swap parent and child")
            if joint.parent == joint.child:
                raise MechanismError(f"it joins body {joint.child!r} to itself", where=where)
        placed_on = [("loop", x.name, body) for x in self.loops for body in (x.a, x.b)]
        for what, name, body in [*placed_on, *(("frame", x.name, x.body) for x in self.frames)]:
            if body not in known:
                raise MechanismError(one_of("body", body, known), where=Part(what, name))
        for spring in self.springs:
            check_place(spring, known, self.coordinate_names)
        self._check_tree()
        self._check_constraints()
        for name, pose in self.poses.items():
            self._check_configuration(Part("pose", name), pose)
        if self.initial.q is not None:
            self._check_configuration("[initial] q", self.initial.q)
        if self.initial.qd is not None:
            self._check_numbers("[initial] qd", self.initial.qd, self.nv, self.speed_names)
        for speed, _ in self.initial.torque:
            if speed not in self.speed_names:
                raise MechanismError(one_of("joint or speed", speed, self.speed_names), where=("[initial]", "torque"))

    def _check_tree(self) -> None:
        parent_joint: dict[str, Joint] = {}
        for joint in self.joints:
            other = parent_joint.setdefault(joint.child, joint)
            if other is not joint:
                raise MechanismError(
                    f"body {joint.child!r} is the child of two joints, {other.name!r} and {joint.name!r}; a tree has one. "
                    f"Close the loop with a loop joint instead"
                )
        reached = {GROUND}
        for body in self.bodies:
            path: list[str] = []
            seen: set[str] = set()
            at = body.name
            while at not in reached:
                if at in seen:
                    cycle = path[path.index(at) :]
                    raise MechanismError(
                        f"the joints form a cycle: {' -> '.join([*cycle, at])}. A tree starts at {GROUND!r}; "
                        f"close the loop with a loop joint instead"
                    )
                path.append(at)
                seen.add(at)
                if at not in parent_joint:
                    raise MechanismError(
                        f"body {at!r} hangs on no joint; connect it to {GROUND!r} or to another body "
                        f"(a `free` joint lets it fly, a `fixed` one holds it)"
                    )
                at = parent_joint[at].parent
            reached.update(path)

    def _check_configuration(self, where: Place, q: Sequence[float]) -> None:
        self._check_numbers(where, q, self.nq, self.coordinate_names)
        at = 0
        for joint in self.joints:
            if joint.kind.quaternion and not any(float(x) for x in q[at : at + 4]):
                raise MechanismError(
                    f"the quaternion of joint {joint.name!r} is zero", where=where, remedy="(1, 0, 0, 0) is no rotation"
                )
            at += joint.kind.nq

    def _check_constraints(self) -> None:
        coordinates = {*self.coordinate_names, "t"}
        for constraint in self.constraints:
            where = Part("constraint", constraint.name)
            scalars: list[Scalar] = []
            if isinstance(constraint, Pfaffian):
                for speed, coefficient in constraint.coefficients:
                    if speed not in self.speed_names:
                        raise MechanismError(one_of("speed", speed, self.speed_names), where=where)
                    scalars.append(coefficient)
                for name in free_symbols(constraint.phi) - {"t"}:
                    raise MechanismError(f"may depend on t alone, not on {name!r}", where=where, argument="phi")
            elif isinstance(constraint, Holonomic):
                scalars.append(constraint.equation)
            for body in [b for b in (getattr(constraint, "body", None), getattr(constraint, "on", None)) if b is not None]:
                if body not in self._bodies_and_ground:
                    raise MechanismError(one_of("body", body, self._bodies_and_ground), where=where)
            for scalar in scalars:
                for name in sorted(free_symbols(scalar) - coordinates):
                    raise MechanismError(one_of("coordinate", name, coordinates), where=where)
            if isinstance(constraint, Holonomic) and not free_symbols(constraint.equation) - {"t"}:
                raise MechanismError(f"its equation has no coordinate in it: {constraint.equation}", where=where)

    @staticmethod
    def _check_numbers(where: Place, numbers: Sequence[float], size: int, names: Sequence[str]) -> None:
        if coerce.count(numbers) < 0:
            raise MechanismError(f"is {shown(numbers)}", where=where, remedy="numbers are needed")
        if len(numbers) != size:
            needed = f"{size} are needed: {', '.join(names[:12])}"
            raise MechanismError(f"it has {len(numbers)} numbers", where=where, remedy=needed)
        if not all(is_number(x) for x in numbers):
            raise MechanismError("it has a number that is not finite", where=where)

    # -- names and sizes ---------------------------------------------------------------------------------------------

    @cached_property
    def body_index(self) -> dict[str, int]:
        return {b.name: i for i, b in enumerate(self.bodies)}

    @cached_property
    def joint_index(self) -> dict[str, int]:
        return {j.name: i for i, j in enumerate(self.joints)}

    @cached_property
    def _bodies_and_ground(self) -> dict[str, int]:
        return {GROUND: -1, **self.body_index}

    @cached_property
    def nq(self) -> int:
        return sum(j.kind.nq for j in self.joints)

    @cached_property
    def nv(self) -> int:
        return sum(j.kind.nv for j in self.joints)

    @cached_property
    def coordinate_names(self) -> tuple[str, ...]:
        return tuple(name for j in self.joints for name in j.coordinate_names)

    @cached_property
    def speed_names(self) -> tuple[str, ...]:
        return tuple(name for j in self.joints for name in j.speed_names)

    @cached_property
    def equations(self) -> int:
        """The number of constraint equations, redundant ones counted."""
        return sum(loop.equations for loop in self.loops) + sum(c.equations for c in self.constraints)

    @property
    def gruebler(self) -> int:
        """Gruebler's count: speeds less constraint equations. What can truly move is what `lagrangian.mobility` finds."""
        return self.nv - self.equations

    def outward(self) -> list[Joint]:
        """Joints with parents before children, a chain's side by side."""
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

    def neutral(self) -> np.ndarray:
        """The configuration with every coordinate zero and every quaternion (1, 0, 0, 0)."""
        return np.array([x for joint in self.joints for x in joint.kind.neutral], dtype=float)

    def random_configuration(self, rng: np.random.Generator | int | None = None) -> np.ndarray:
        """A random configuration within the limits; without any, angles over the circle and slides within a metre."""
        counts = isinstance(rng, (int, np.integer)) and not isinstance(rng, bool) and rng >= 0
        if not counts and rng is not None and not isinstance(rng, np.random.Generator):
            needed = "a generator, a whole number that is not negative, or None is needed"
            raise MechanismError(f"is {shown(rng)}", argument="rng", remedy=needed)
        rng = np.random.default_rng(rng)
        return np.array([x for joint in self.joints for x in joint.kind.random(joint, rng)], dtype=float)

    def frame(self, name: str | Frame) -> Frame:
        """A frame by its name, or a body's own frame by the body's."""
        if isinstance(name, Frame):
            return name
        if not isinstance(name, str):
            raise MechanismError(f"a frame is given by its name, or its body's, as text; this is a {type(name).__name__}")
        found = self._frames.get(name)
        if found is None:
            hint = ""
            if name in self.joint_index:
                hint = f"{name!r} is a joint; the body it moves is {self.joints[self.joint_index[name]].child!r}. "
            raise MechanismError(hint + one_of("frame or body", name, self._frames))
        return found

    def body(self, name: str) -> Body:
        """A body by its name."""
        if not isinstance(name, str) or name not in self.body_index:
            raise MechanismError(one_of("body", name, self.body_index))
        return self.bodies[self.body_index[name]]

    def joint(self, name: str) -> Joint:
        """A joint by its name."""
        if not isinstance(name, str) or name not in self.joint_index:
            raise MechanismError(one_of("joint", name, self.joint_index))
        return self.joints[self.joint_index[name]]

    def replace(self, **changes: Any) -> Mechanism:
        """The same mechanism with some of its entries changed, such as `gravity`, and checked again.

        Other values of parameters are refused here, because bodies and joints hold the present ones: see `with_parameters`.
        """
        known = [f.name for f in fields(self)]
        for change in changes:
            if change not in known:
                raise MechanismError(one_of("entry", change, known))
        check_values(self.parameters, changes.get("parameters", {}))
        return replace(self, **changes)

    def with_parameters(self, parameters: Mapping[str, Any] | None = None, /, **named: Any) -> Mechanism:
        """The same mechanism with other values of some parameters: `arm.with_parameters(l1=0.4, m2=3)`.

        Everything that follows from them follows: masses, lengths, limits, poses, starts, torques. Numbers that have no name,
        as those of a URDF file, are named by their paths: `robot.with_parameters({"link3.mass": 2.5, "elbow.friction.viscous":
        0.1})`. Compiled code is shared with the original, unless the structure changes, such as a zero that is none any more.
        """
        from lagrangian.model.revision import with_parameters

        return with_parameters(self, {**coerce.mapping({} if parameters is None else parameters, "parameters"), **named})

    def with_payload(self, frame: str | Frame, mass: Any, center: Any = v.ZERO, inertia: Any = (0, 0, 0, 0, 0, 0)) -> Mechanism:
        """The same mechanism with a payload fixed to a frame: `robot.with_payload("tool", 2.0, center=(0, 0, 0.1))`.

        `center` is its centre of mass in the frame, and `inertia` is about that, along the frame's axes: six entries (xx, xy, xz,
        yy, yz, zz), three principal values or a 3x3 matrix; without it the payload is a point. A second one comes on top of it.
        """
        from lagrangian.model.payload import with_payload

        return with_payload(self, frame, mass, center, inertia)

    def __hash__(self) -> int:
        return hash((self.name, self.bodies, self.joints))

    @cached_property
    def _frames(self) -> dict[str, Frame]:
        bodies = {b: Frame(b, b) for b in self._bodies_and_ground}
        return {**bodies, **{f.name: f for f in self.frames}}

    def __str__(self) -> str:
        from lagrangian.model.table import table

        return table(self)

    def __repr__(self) -> str:
        return f"<Mechanism {self.name!r}: {len(self.bodies)} bodies, {self.nv} speeds, {self.equations} constraint equations>"

    @classmethod
    def from_dh(
        cls,
        rows: Sequence[Any],
        *,
        convention: str = "",
        name: str = "arm",
        gravity: v.Vector = (0, 0, -9.81),
        base: Any = None,
        tool: Any = None,
        **more: Any,
    ) -> Mechanism:
        """A serial arm from a Denavit-Hartenberg table.

        `rows` are `DHRow`s or mappings with the same names. `convention` must be said: "standard" (distal: link i's frame at its
        far end, A = Rz(theta) Tz(d) Tx(a) Rx(alpha)) or "modified" (proximal, Craig: A = Rx(alpha) Tx(a) Rz(theta) Tz(d)).
        """
        from lagrangian.model.dh import arm

        with placed(name):
            base = Placement() if base is None else Placement.of(base, "base")
        return arm(cls, rows, convention, name, gravity, base, tool, more)


_PARTS: dict[str, type] = {
    "bodies": Body,
    "joints": Joint,
    "loops": LoopJoint,
    "constraints": Constraint,  # type: ignore[dict-item]
    "springs": Spring,  # type: ignore[dict-item]
    "frames": Frame,
    "events": Event,
    "notes": str,
}


def _unique(what: str, names: Sequence[str]) -> None:
    seen: set[str] = set()
    for name in names:
        if not isinstance(name, str) or not name:
            raise MechanismError(f"a {what} has no name")
        coerce.name(name, what)
        if name in seen:
            raise MechanismError(f"two of the same name: {what} {name!r}; names must differ")
        seen.add(name)
