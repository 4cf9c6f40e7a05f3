"""Newton's and Euler's equations link by link, as formulas to read: the free body of every link."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from lagrangian.cached import cached_property
from lagrangian.closed_form.derivations.derivation import Derivation, line_section
from lagrangian.closed_form.sections import MAX_REPEATED_TERMS, EquationSection, SectionTitle, VectorLine, omission_note
from lagrangian.equations import energies
from lagrangian.equations.derivations.free_bodies import FreeBody, free_bodies
from lagrangian.equations.derivations.lagrange import gradient
from lagrangian.equations.formula import Formula
from lagrangian.equations.formula_matrix import FormulaMatrix
from lagrangian.equations.kinematics import link_pose
from lagrangian.errors import ArgumentError, unknown_name_message
from lagrangian.model import vector as v
from lagrangian.model.mechanism import GROUND

if TYPE_CHECKING:
    from lagrangian.closed_form.equations import EquationsOfMotion

AXES = ("link", GROUND)
GRAVITY_FORMS = ("acceleration", "weight")


@dataclass(frozen=True, repr=False)
class LinkBody:
    """A link as a free body; every vector has three formulas.

    The vectors are along the axes of the link, or of the ground if you asked for those.

    Attributes
    ----------
    name : str
        The name of the link.
    joint : str
        The name of its joint.
    angular_velocity, angular_acceleration : FormulaMatrix
        Of the link.
    acceleration : FormulaMatrix
        Of the origin of the link's frame.
    center_acceleration : FormulaMatrix or None
        Of the centre of mass; None for a link without mass.
    weight : FormulaMatrix or None
        m g, if gravity is a weight.
    inertia_force : FormulaMatrix
        F = m a_C.
    inertia_moment : FormulaMatrix
        N = I_C alpha + omega x I_C omega, about the centre of mass.
    force, moment : FormulaMatrix
        What the joint exerts on the link, the moment at the joint. The component along the joint's axis is supplied by the drive;
        the rest is the constraint force.
    axis_component : Formula
        Of the moment, or of the force for a prismatic joint: what drive, spring, friction and rotor supply together.

    Examples
    --------
    >>> import lagrangian as lg
    >>> link = lg.derive("two_r").newton_euler().links["link2"]
    >>> print(link.inertia_moment[2])
    I2*(qdd1 + qdd2)
    """

    name: str
    joint: str
    angular_velocity: FormulaMatrix
    angular_acceleration: FormulaMatrix
    acceleration: FormulaMatrix
    center_acceleration: FormulaMatrix | None
    weight: FormulaMatrix | None
    inertia_force: FormulaMatrix
    inertia_moment: FormulaMatrix
    force: FormulaMatrix
    moment: FormulaMatrix
    axis_component: Formula

    @property
    def outward(self) -> list[FormulaMatrix]:
        """The velocities, accelerations and inertia forces, in the order in which they are computed."""
        vectors = [self.angular_velocity, self.angular_acceleration, self.acceleration]
        vectors += [x for x in (self.center_acceleration, self.weight) if x is not None]
        return [*vectors, self.inertia_force, self.inertia_moment]

    @property
    def inward(self) -> list[FormulaMatrix]:
        """The force and the moment of the joint."""
        return [self.force, self.moment]

    def __str__(self) -> str:
        vectors = [f"{x.name} = ({', '.join(map(str, x))})" for x in (*self.outward, *self.inward)]
        return "\n".join([f"{self.name}, on joint {self.joint}", *vectors, f"along the axis: {self.axis_component}"])

    __repr__ = __str__


class NewtonEuler(Derivation):
    """The Newton-Euler equations of every link, outward and inward as in Craig's textbook.

    `EquationsOfMotion.newton_euler` returns this object. Springs between points are part of the joint forces, and the constraint
    forces of loops are not.

    Attributes
    ----------
    axes : str
        `"link"` or `"ground"`.
    gravity : str
        `"acceleration"` or `"weight"`.

    Examples
    --------
    >>> import lagrangian as lg
    >>> eom = lg.derive("two_r")
    >>> bodies = eom.newton_euler("ground", gravity="weight")
    >>> print(bodies.links["link1"].center_acceleration[0])
    -r1*s1*qdd1 - r1*c1*qd1^2
    >>> bodies.tau == eom.tau
    True
    """

    def __init__(self, eom: EquationsOfMotion, axes: str = "link", gravity: str = "acceleration") -> None:
        for argument, value, allowed in (("axes", axes, AXES), ("gravity", gravity, GRAVITY_FORMS)):
            if value not in allowed:
                raise ArgumentError(unknown_name_message("choice", value, allowed), concerns=argument)
        super().__init__(eom)
        self.axes, self.gravity = axes, gravity

    @cached_property
    def _bodies(self) -> list[FreeBody]:
        return free_bodies(self.eom.system)

    @cached_property
    def links(self) -> Mapping[str, LinkBody]:
        """The free body of every link by its name, from the ground outward."""
        return {body.link.name: self._link_body(i, body) for i, body in enumerate(self._bodies)}

    def _link_body(self, i: int, body: FreeBody) -> LinkBody:
        system, factory = self.eom.system, self.eom._factory
        R = link_pose(system, i).R if self.axes == GROUND else v.IDENTITY
        mass = system.ring(body.link.inertia.mass)

        def vector(name: str, x: v.Vector, denominator: Any = None) -> FormulaMatrix:
            entries = [factory.quotient(system.ring(e), denominator) for e in v.mat_vec(R, x)]
            return FormulaMatrix(name, [[e] for e in entries], vector=True)

        weight = v.scale(mass, body.gravity) if self.gravity == "weight" else v.ZERO
        a = v.add(body.motion.a, body.gravity) if self.gravity == "weight" else body.motion.a
        F = v.add(body.F, weight)
        return LinkBody(
            body.link.name,
            body.link.joint.name,
            vector("omega", body.motion.w),
            vector("alpha", body.motion.al),
            vector("a", a),
            vector("a_C", F, mass) if mass else None,
            vector("W", weight) if self.gravity == "weight" else None,
            vector("F", F),
            vector("N", body.N, mass) if mass else vector("N", body.N),
            vector("f", body.f),
            vector("n", body.n),
            factory.formula(body.axis_component),
        )

    @cached_property
    def tau(self) -> FormulaMatrix:
        """The joint forces M q'' + C q' + G + F: components along the joints' axes, with rotors, springs and friction."""
        system = self.eom.system
        springs = gradient(system, energies.joint_spring_potential(system) + energies.coordinate_spring_potential(system))
        friction_parts = (energies.joint_friction_forces(system), energies.coordinate_damper_forces(system))
        friction = [a + b for a, b in zip(*friction_parts, strict=True)]  # the joints carry the dampers between points
        tau: list[Any] = [system.ring.zero] * system.n
        for body in self._bodies:
            k = body.link.k
            tau[k] = body.axis_component + body.link.rotor * system.acceleration(k) + springs[k] + friction[k]
        return self.eom._factory.vector("tau", tau)

    # -- to read -----------------------------------------------------------------------------------------------------

    def sections(self, full: bool = False) -> list[EquationSection]:
        """Return the sections that `show` and `latex` write.

        Parameters
        ----------
        full : bool, default False
            Whether very long parts are included.

        Returns
        -------
        list of EquationSection
            The meaning of the letters, the links outward, the links inward, and tau.
        """
        axes = "in its own axes" if self.axes == "link" else "in the ground's axes"
        sections = [EquationSection("legend", SectionTitle("Newton-Euler, link by link"), words=self._legend())]
        for link in self.links.values():
            sections.append(
                line_section("outward", SectionTitle(f"Outward: {link.name}, {axes}"), _vector_lines(link.outward), full)
            )
        for link in reversed(list(self.links.values())):
            sections.append(
                line_section(
                    "inward", SectionTitle(f"Inward: {link.name}, at joint {link.joint}"), _vector_lines(link.inward), full
                )
            )
        tau = SectionTitle("Along the joints' axes, with rotors, springs and friction")
        if sum(x.term_count for x in self.tau) > MAX_REPEATED_TERMS and not full:
            return [*sections, EquationSection("tau", tau, words=(omission_note(f"{len(self.tau)} formulas", list(self.tau)),))]
        return [*sections, EquationSection("tau", tau, tuple(((name,), x) for name, x in self.tau.entries))]

    def _legend(self) -> tuple[str, ...]:
        """The meanings of the letters, a line each."""
        upward = ", with gravity as an upward acceleration of the ground" if self.gravity == "acceleration" else ""
        return (
            "omega, alpha: angular velocity and acceleration",
            f"a, a_C: acceleration of the frame's origin and of the centre of mass{upward}",
            *(("W = m g: weight",) if self.gravity == "weight" else ()),
            "F = m a_C, N = I_C alpha + omega x I_C omega: inertia force and moment, N about the centre of mass",
            "f, n: force and moment that the joint exerts on the link, n at the joint",
            *(("f and n do not include the constraint forces of loops",) if self.eom.constraint_names else ()),
        )

    def __repr__(self) -> str:
        return f"<NewtonEuler of {self.eom.mechanism.name!r}: {len(self.links)} links in the axes of the {self.axes}>"


def _vector_lines(vectors: list[FormulaMatrix]) -> tuple[VectorLine, ...]:
    return tuple(VectorLine(x.name, tuple(x)) for x in vectors)
