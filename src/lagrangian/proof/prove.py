"""The proof: four derivations and the shipped algorithms give the same equations, entry by entry, constraints included.

Every entry is a polynomial in normal form, so two ways to it agree for all motions and all parameters exactly if their
difference is the zero polynomial. What divides (forward dynamics, the centre of mass, multipliers) is compared at exact points.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from lagrangian.algorithms import coriolis, energy, inverse_dynamics, mass_matrix, regressor
from lagrangian.cached import cached_property
from lagrangian.equations import energies
from lagrangian.equations.algebra.ring import RingElement, sum_elements
from lagrangian.equations.derivations import kane, lagrange, newton_euler, uicker_kahn
from lagrangian.equations.derivations.lagrange import Christoffel, StageCallback, ignore_progress
from lagrangian.equations.reading.system import SymbolicSystem
from lagrangian.errors import ArgumentError
from lagrangian.proof import forward_dynamics, loops, shipped
from lagrangian.proof.certificate import POLYNOMIALS, Certificate, Entries, Statement, decide
from lagrangian.proof.constraints import ConstraintProof
from lagrangian.proof.loop_types import loop_type_entries
from lagrangian.proof.points import ExactPoint, sample_points
from lagrangian.proof.shipped import Recursions

POINTS = 3
SYMBOLS = {
    "given": "parameters as the description has them",
    "inertial": "inertial parameters as symbols",
    "all": "all parameters as symbols",
}


@dataclass(frozen=True)
class DerivedEquations:
    """Lagrange's equations: mass matrix, Christoffel symbols, gradient of gravity's potential, and the potential."""

    M: list[list[RingElement]]
    christoffel: Christoffel
    G: list[RingElement]
    V: RingElement


def derive(system: SymbolicSystem) -> DerivedEquations:
    """Lagrange's equations of a system, by `equations.derivations.lagrange`."""
    M = lagrange.mass_matrix(system, lagrange.jacobian_columns(system))
    V = lagrange.gravity_potential(system)
    return DerivedEquations(M, lagrange.Christoffel(system, M), lagrange.gradient(system, V), V)


def prove(
    system: SymbolicSystem,
    derived: DerivedEquations | None = None,
    progress: StageCallback = ignore_progress,
    points: int = POINTS,
) -> Certificate:
    """Prove the equations of a system's tree of links, and of its loops. A statement that fails is reported, not raised."""
    proof_claims, left_out = claims(system, derived, points)
    statements: list[Statement] = []
    for number, claim in enumerate(proof_claims):
        progress(claim.what, number / len(proof_claims))
        statements.append(decide(claim.what, claim.how, claim.entries))
    progress("proved", 1.0)
    constraint_equations = sum(x.equation_count for x in (*system.mechanism.loops, *system.mechanism.constraints))
    with_constraints = f", {constraint_equations} constraint equation{'s' * (constraint_equations != 1)}" * bool(
        constraint_equations
    )
    size = f"{system.n} coordinate{'s' * (system.n != 1)}{with_constraints}"
    about = f"{system.mechanism.name}, {size}, {SYMBOLS[system.symbols]}"
    return Certificate(about, tuple(statements), tuple(left_out))


def claims(
    system: SymbolicSystem, derived: DerivedEquations | None = None, points: int = POINTS
) -> tuple[list[Claim], list[str]]:
    """The claims to be proved, whose entries are not computed yet; and what is left out."""
    derived = derive(system) if derived is None else derived
    if derived.V.ring is not system.ring:
        raise ArgumentError("prove: the equations were derived from another system; derive them from the one to be proved")
    proof = _Proof(system, derived, points)
    return proof.claims(), proof.left_out()


@dataclass(frozen=True)
class Claim:
    """A statement to be proved, with a function that computes its entries in both ways."""

    what: str
    how: str
    entries: Callable[[], Entries]


class _Proof:
    """The claims about one system; what several of them need is computed once, by the first."""

    def __init__(self, system: SymbolicSystem, derived: DerivedEquations, points: int) -> None:
        self.system, self.derived, self.n = system, derived, system.n
        self.rates = [system.speed(k) for k in range(system.n)]
        self.regular_points, self.singular_problem = sample_points(
            system, points, lambda point: forward_dynamics.singularity_problem(derived.M, point)
        )
        self.massive_points, self.massless_problem = sample_points(system, points, self._mass_problem)
        self.constraints = ConstraintProof(system, derived.M, points)

    def _mass_problem(self, point: ExactPoint) -> str:
        return "" if shipped.total_mass(self.system, point) else "there is no mass"

    # what follows is computed when a claim first needs it, so that a mistake in it is that claim's failure

    @cached_property
    def recursions(self) -> Recursions:
        return Recursions(self.system)

    @cached_property
    def traces(self) -> uicker_kahn.UickerKahn:
        return uicker_kahn.UickerKahn(self.system)

    @cached_property
    def C(self) -> list[list[RingElement]]:
        return lagrange.coriolis_matrix(self.system, self.derived.christoffel)

    @cached_property
    def tau(self) -> list[RingElement]:
        """M q'' + C q' + G."""
        accelerations = [self.system.acceleration(k) for k in range(self.n)]
        rows = zip(self.derived.M, self.C, self.derived.G, strict=True)
        return [self.product(m, accelerations) + self.product(c, self.rates) + g for m, c, g in rows]

    def claims(self) -> list[Claim]:
        polynomials: dict[str, Callable[[], Entries]] = {
            "M is symmetric": self.symmetric,
            "M' - 2C is skew": self.skew,
            "C q' = centripetal + Coriolis terms": self.velocity_terms,
            "Lagrange = Newton-Euler": lambda: self.torques(newton_euler.newton_euler_torques(self.system)),
            "Lagrange = Kane": lambda: self.torques(kane.kane_torques(self.system)),
            "Lagrange = Uicker-Kahn: M": self.trace_masses,
            "Lagrange = Uicker-Kahn: velocity terms": self.trace_velocities,
            "Lagrange = Uicker-Kahn: gravity": self.trace_gravity,
            "Lagrange = Uicker-Kahn: tau": lambda: self.torques(self.traces.tau()),
            "compiled: inverse dynamics": self.shipped_inverse,
            "compiled: gravity": self.shipped_gravity,
            "compiled: mass matrix": self.shipped_masses,
            "compiled: Coriolis matrix": self.shipped_coriolis,
            "compiled: kinetic and potential energy": self.shipped_energies,
            "compiled: regressor, Y p = tau": self.shipped_regressor,
            "compiled: joint reactions": lambda: shipped.reaction_entries(self.recursions),
            "compiled: pose, Jacobian, acceleration": lambda: shipped.kinematics_entries(self.recursions, self.traces),
        }
        claims = [Claim(statement, POLYNOMIALS, entries) for statement, entries in polynomials.items()]
        if self.massive_points:
            claims.append(Claim("compiled: momentum, centre of mass", _points_text(self.massive_points), self.shipped_momenta))
        if self.regular_points:
            how = _points_text(self.regular_points)
            claims.append(Claim("compiled: forward dynamics, articulated", how, lambda: self.forward.articulated_entries()))
            claims.append(Claim("compiled: forward dynamics, factorised", how, lambda: self.forward.factorised_entries()))
        return [*claims, *self.constraint_claims()]

    def constraint_claims(self) -> list[Claim]:
        """The claims to be proved about loops and other constraints."""
        constraints, claims = self.constraints, []
        if constraints.holonomic:
            claims.append(Claim("Psi = d closure / dq", POLYNOMIALS, constraints.rates.slopes))
        statement = "Psi' q' = d/dt (Psi q') at steady speeds"
        if constraints.roots and constraints.points:  # to clear their inverses takes minutes
            claims.append(
                Claim(statement, _points_text(constraints.points), lambda: constraints.rates.rates_at(constraints.points))
            )
        elif constraints.rows:
            claims.append(Claim(statement, POLYNOMIALS, constraints.rates.rates))
        if constraints.points and constraints.checked_loops:
            statement = "loops: zero when closed, lambda acts on a"
            claims.append(Claim(statement, "in 2 exact positions", lambda: loop_type_entries(self.system, constraints.points[0])))
        plain, other_constraints = loops.split_polynomial_constraints(self.system)
        statement = "compiled: {}, Psi, Psi' q' + phi'"
        if plain:
            entries = lambda: loops.shipped_polynomials(self.recursions, constraints.rows)  # noqa: E731
            claims.append(
                Claim(statement.format("loops" if self.system.mechanism.loops else "constraints"), POLYNOMIALS, entries)
            )
        if len(other_constraints) > len(constraints.unprovable) and constraints.points:
            points = constraints.points
            entries = lambda: loops.shipped_at_points(self.recursions, constraints.rows, points)  # noqa: E731
            claims.append(Claim(statement.format("constraints"), _points_text(points), entries))
        if constraints.regular_points:
            how = _points_text(constraints.regular_points)
            claims.append(
                Claim(
                    "compiled: accelerations, multipliers",
                    how,
                    lambda: constraints.multiplier_entries(self.recursions, self.derived),
                )
            )
        return claims

    def left_out(self) -> list[str]:
        mechanism, reasons = self.system.mechanism, []
        joints = mechanism.joints
        if any(float(x) for j in joints for x in (j.friction.coulomb, j.friction.coulomb_negative)):  # type: ignore[arg-type]
            reasons.append("Coulomb friction, which is not a polynomial")
        if mechanism.springs:
            reasons.append("springs and dampers between points or of coordinates, and gravity compensation")
        reasons += self.constraints.left_out()
        for claim, reason in (
            ("momentum and centre of mass", self.massless_problem),
            ("forward dynamics", self.singular_problem),
        ):
            if reason:
                reasons.append(f"{claim}, at all or some exact points: {reason}")
        return [*reasons, *self.system.scalars.notes]

    # -- Lagrange's equations ----------------------------------------------------------------------------------------

    def product(self, row: list[RingElement], x: list[RingElement]) -> RingElement:
        return sum_elements((a * b for a, b in zip(row, x, strict=True) if a.poly), self.system.ring.zero)

    def symmetric(self) -> Entries:
        M = self.derived.M
        return ((_entry_label("M", i, k), M[i][k], M[k][i]) for i in range(self.n) for k in range(i + 1))

    def skew(self) -> Iterator[tuple[str, Any, Any]]:
        ring, C = self.system.ring, self.C
        for i in range(self.n):
            for k in range(i + 1):
                rate = self.product([ring.derivative(self.derived.M[i][k], m) for m in range(self.n)], self.rates)
                yield _entry_label("M' - 2C", i, k), rate - 2 * C[i][k], 2 * C[k][i] - rate

    def velocity_terms(self) -> Entries:
        centripetal, mixed = lagrange.velocity_terms(self.system, self.derived.christoffel)
        return ((_entry_label("C q'", i), self.product(self.C[i], self.rates), centripetal[i] + mixed[i]) for i in range(self.n))

    # -- the other derivations ---------------------------------------------------------------------------------------

    def torques(self, tau: list[RingElement]) -> Entries:
        return ((_entry_label("tau", k), a, b) for k, (a, b) in enumerate(zip(tau, self.tau, strict=True)))

    def trace_masses(self) -> Entries:
        M = self.traces.mass_matrix()
        return ((_entry_label("M", i, k), M[i][k], self.derived.M[i][k]) for i in range(self.n) for k in range(self.n))

    def trace_velocities(self) -> Entries:
        coefficients = self.traces.velocity_coefficients()
        return ((_entry_label("h", *key), h, self.derived.christoffel[key]) for key, h in coefficients.items())

    def trace_gravity(self) -> Entries:
        return ((_entry_label("G", k), a, b) for k, (a, b) in enumerate(zip(self.traces.gravity(), self.derived.G, strict=True)))

    # -- the shipped algorithms --------------------------------------------------------------------------------------

    def joint_terms(self) -> tuple[list[RingElement], list[RingElement]]:
        """The generalised forces of springs at joints and of viscous friction in the derived equations."""
        potential = energies.joint_spring_potential(self.system)
        return lagrange.gradient(self.system, potential), energies.viscous_friction_forces(self.system)

    def shipped_inverse(self) -> Entries:
        torques = self.recursions.run(inverse_dynamics.INVERSE_DYNAMICS)
        springs, viscous = self.joint_terms()
        for k, (a, b) in enumerate(zip(torques, self.tau, strict=True)):
            yield _entry_label("tau", k), a, b + springs[k] + viscous[k]

    def shipped_gravity(self) -> Entries:
        torques = self.recursions.run(inverse_dynamics.GRAVITY)
        springs, _ = self.joint_terms()
        return ((_entry_label("G", k), x, self.derived.G[k] + springs[k]) for k, x in enumerate(torques))

    def shipped_masses(self) -> Entries:
        return self._matrix("M", self.recursions.run(mass_matrix.MASS_MATRIX), self.derived.M)

    def shipped_coriolis(self) -> Entries:
        return self._matrix("C", self.recursions.run(coriolis.CORIOLIS_MATRIX), self.C)

    def _matrix(self, name: str, flat: list[RingElement], A: list[list[RingElement]]) -> Entries:
        return ((_entry_label(name, *divmod(k, self.n)), x, A[k // self.n][k % self.n]) for k, x in enumerate(flat))

    def shipped_energies(self) -> Entries:
        """Yield the compiled and the derived kinetic and potential energies.

        Both potentials are measured from the ground's origin, so they are the same, not only up to a constant.
        """
        (kinetic,) = self.recursions.run(energy.KINETIC_ENERGY)
        (potential,) = self.recursions.run(energy.POTENTIAL_ENERGY)
        momenta = [self.product(row, self.rates) for row in self.derived.M]
        yield "kinetic energy", kinetic, self.product(momenta, self.rates) / 2
        yield "potential energy", potential, self.derived.V + energies.joint_spring_potential(self.system)

    def shipped_momenta(self) -> Entries:
        return shipped.MomentumProof(self.recursions, self.traces).entries(self.massive_points)

    @property
    def forward(self) -> forward_dynamics.ForwardDynamicsProof:
        return forward_dynamics.ForwardDynamicsProof(self.recursions, self.derived, self.regular_points)

    def shipped_regressor(self) -> Entries:
        Y = self.recursions.run(regressor.REGRESSOR)
        p, rotors = self.recursions.parameters(), self.recursions.rotors()
        for k in range(self.n):
            row = Y[k * len(p) : (k + 1) * len(p)]
            without = self.tau[k] - self.system.acceleration(k) * rotors[k]
            yield (
                _entry_label("tau", k),
                sum_elements((y * x for y, x in zip(row, p, strict=True)), self.system.ring.zero),
                without,
            )


def _points_text(points: list[ExactPoint]) -> str:
    where = "points modulo a prime" if points[0].modulus else "exact points"
    return f"at {len(points)} {where}"


def _entry_label(name: str, *indices: int) -> str:
    return f"{name}[{', '.join(str(k + 1) for k in indices)}]"
