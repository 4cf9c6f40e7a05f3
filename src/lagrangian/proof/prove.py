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
from lagrangian.equations import forces
from lagrangian.equations.algebra.ring import Element, total
from lagrangian.equations.derivations import kane, lagrange, newton_euler, uicker_kahn
from lagrangian.equations.derivations.lagrange import Christoffel, Tick, quiet
from lagrangian.equations.reading.system import System
from lagrangian.errors import ArgumentError
from lagrangian.proof import forward, frames, loop_types, loops, momenta
from lagrangian.proof.certificate import POLYNOMIALS, Certificate, Entries, Statement, decide
from lagrangian.proof.closed import Closed
from lagrangian.proof.points import Point, spread
from lagrangian.proof.recursions import Recursions

POINTS = 3
SYMBOLS = {
    "given": "parameters as the description has them",
    "inertial": "inertial parameters as symbols",
    "all": "all parameters as symbols",
}


@dataclass(frozen=True)
class Derived:
    """What Lagrange's equations gave: mass matrix, Christoffel symbols, gradient of gravity's potential, and the potential."""

    M: list[list[Element]]
    christoffel: Christoffel
    G: list[Element]
    V: Element


def derive(system: System) -> Derived:
    """By `equations.derivations.lagrange`."""
    M = lagrange.mass_matrix(system, lagrange.columns(system))
    V = lagrange.gravity_potential(system)
    return Derived(M, lagrange.Christoffel(system, M), lagrange.gradient(system, V), V)


def prove(system: System, derived: Derived | None = None, progress: Tick = quiet, points: int = POINTS) -> Certificate:
    """Prove the equations of a system's tree of links, and of its loops. A statement that fails is reported, not raised."""
    listed, left_out = claims(system, derived, points)
    made: list[Statement] = []
    for number, claim in enumerate(listed):
        progress(claim.what, number / len(listed))
        made.append(decide(claim.what, claim.how, claim.entries))
    progress("proved", 1.0)
    held = sum(x.equations for x in (*system.mechanism.loops, *system.mechanism.constraints))
    with_constraints = f", {held} constraint equation{'s' * (held != 1)}" * bool(held)
    size = f"{system.n} coordinate{'s' * (system.n != 1)}{with_constraints}"
    about = f"{system.mechanism.name}, {size}, {SYMBOLS[system.symbols]}"
    return Certificate(about, tuple(made), tuple(left_out))


def claims(system: System, derived: Derived | None = None, points: int = POINTS) -> tuple[list[Claim], list[str]]:
    """What is to be proved, nothing of it computed yet; and what is left out."""
    derived = derive(system) if derived is None else derived
    if derived.V.ring is not system.ring:
        raise ArgumentError("prove: the equations were derived from another system; derive them from the one to be proved")
    proof = _Proof(system, derived, points)
    return proof.claims(), proof.left_out()


@dataclass(frozen=True)
class Claim:
    """Something to be proved: its entries, both ways, when they are asked for."""

    what: str
    how: str
    entries: Callable[[], Entries]


class _Proof:
    """The claims; what several of them need is computed once, by the first."""

    def __init__(self, system: System, given: Derived, points: int) -> None:
        self.system, self.given, self.n = system, given, system.n
        self.rates = [system.speed(k) for k in range(system.n)]
        self.regular, self.singular = spread(system, points, lambda point: forward.undetermined(given.M, point))
        self.heavy, self.light = spread(system, points, self._massless)
        self.closed = Closed(system, given.M, points)

    def _massless(self, point: Point) -> str:
        return "" if momenta.total_mass(self.system, point) else "there is no mass"

    # what follows is computed when a claim first needs it, so that a mistake in it is that claim's failure

    @cached_property
    def recursions(self) -> Recursions:
        return Recursions(self.system)

    @cached_property
    def traces(self) -> uicker_kahn.UickerKahn:
        return uicker_kahn.UickerKahn(self.system)

    @cached_property
    def C(self) -> list[list[Element]]:
        return lagrange.coriolis_matrix(self.system, self.given.christoffel)

    @cached_property
    def tau(self) -> list[Element]:
        """M q'' + C q' + G."""
        accelerations = [self.system.acceleration(k) for k in range(self.n)]
        rows = zip(self.given.M, self.C, self.given.G, strict=True)
        return [self.product(m, accelerations) + self.product(c, self.rates) + g for m, c, g in rows]

    def claims(self) -> list[Claim]:
        polynomials: dict[str, Callable[[], Entries]] = {
            "M is symmetric": self.symmetric,
            "M' - 2C is skew": self.skew,
            "C q' = centripetal + Coriolis terms": self.velocity_terms,
            "Lagrange = Newton-Euler": lambda: self.torques(newton_euler.newton_euler(self.system)),
            "Lagrange = Kane": lambda: self.torques(kane.kane(self.system)),
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
            "compiled: joint reactions": lambda: momenta.reactions(self.recursions),
            "compiled: pose, Jacobian, acceleration": lambda: frames.entries(self.recursions, self.traces),
        }
        listed = [Claim(what, POLYNOMIALS, entries) for what, entries in polynomials.items()]
        if self.heavy:
            listed.append(Claim("compiled: momentum, centre of mass", _points(self.heavy), self.shipped_momenta))
        if self.regular:
            how = _points(self.regular)
            listed.append(Claim("compiled: forward dynamics, articulated", how, lambda: self.forward.articulated()))
            listed.append(Claim("compiled: forward dynamics, factorised", how, lambda: self.forward.factorised()))
        return [*listed, *self.constraint_claims()]

    def constraint_claims(self) -> list[Claim]:
        """What is to be proved of loops and other constraints."""
        closed, listed = self.closed, []
        if closed.holonomic:
            listed.append(Claim("Psi = d closure / dq", POLYNOMIALS, closed.rates.slopes))
        what = "Psi' q' = d/dt (Psi q') at steady speeds"
        if closed.roots and closed.points:  # to clear their inverses takes minutes
            listed.append(Claim(what, _points(closed.points), lambda: closed.rates.rates_at(closed.points)))
        elif closed.rows:
            listed.append(Claim(what, POLYNOMIALS, closed.rates.rates))
        if closed.points and closed.said:
            what = "loops: zero when closed, lambda acts on a"
            listed.append(Claim(what, "in 2 exact positions", lambda: loop_types.entries(self.system, closed.points[0])))
        plain, others = loops.of_polynomials(self.system)
        what = "compiled: {}, Psi, Psi' q' + phi'"
        if plain:
            entries = lambda: loops.shipped_polynomials(self.recursions, closed.rows)  # noqa: E731
            listed.append(Claim(what.format("loops" if self.system.mechanism.loops else "constraints"), POLYNOMIALS, entries))
        if len(others) > len(closed.unknown) and closed.points:
            points = closed.points
            entries = lambda: loops.shipped_at_points(self.recursions, closed.rows, points)  # noqa: E731
            listed.append(Claim(what.format("constraints"), _points(points), entries))
        if closed.regular:
            how = _points(closed.regular)
            listed.append(Claim("compiled: accelerations, multipliers", how, lambda: closed.solved(self.recursions, self.given)))
        return listed

    def left_out(self) -> list[str]:
        mechanism, found = self.system.mechanism, []
        joints = mechanism.joints
        if any(float(x) for j in joints for x in (j.friction.coulomb, j.friction.coulomb_negative)):  # type: ignore[arg-type]
            found.append("Coulomb friction, which is not a polynomial")
        if mechanism.springs:
            found.append("springs and dampers between points or of coordinates, and gravity compensation")
        found += self.closed.left_out()
        for what, reason in (("momentum and centre of mass", self.light), ("forward dynamics", self.singular)):
            if reason:
                found.append(f"{what}, at all or some exact points: {reason}")
        return [*found, *self.system.scalars.notes]

    # -- Lagrange's equations ----------------------------------------------------------------------------------------

    def product(self, row: list[Element], x: list[Element]) -> Element:
        return total((a * b for a, b in zip(row, x, strict=True) if a.poly), self.system.ring.zero)

    def symmetric(self) -> Entries:
        M = self.given.M
        return ((_at("M", i, k), M[i][k], M[k][i]) for i in range(self.n) for k in range(i + 1))

    def skew(self) -> Iterator[tuple[str, Any, Any]]:
        ring, C = self.system.ring, self.C
        for i in range(self.n):
            for k in range(i + 1):
                rate = self.product([ring.derivative(self.given.M[i][k], m) for m in range(self.n)], self.rates)
                yield _at("M' - 2C", i, k), rate - 2 * C[i][k], 2 * C[k][i] - rate

    def velocity_terms(self) -> Entries:
        centripetal, mixed = lagrange.velocity_terms(self.system, self.given.christoffel)
        return ((_at("C q'", i), self.product(self.C[i], self.rates), centripetal[i] + mixed[i]) for i in range(self.n))

    # -- the other derivations ---------------------------------------------------------------------------------------

    def torques(self, tau: list[Element]) -> Entries:
        return ((_at("tau", k), a, b) for k, (a, b) in enumerate(zip(tau, self.tau, strict=True)))

    def trace_masses(self) -> Entries:
        M = self.traces.mass_matrix()
        return ((_at("M", i, k), M[i][k], self.given.M[i][k]) for i in range(self.n) for k in range(self.n))

    def trace_velocities(self) -> Entries:
        found = self.traces.velocity_coefficients()
        return ((_at("h", *key), h, self.given.christoffel[key]) for key, h in found.items())

    def trace_gravity(self) -> Entries:
        return ((_at("G", k), a, b) for k, (a, b) in enumerate(zip(self.traces.gravity(), self.given.G, strict=True)))

    # -- the shipped algorithms --------------------------------------------------------------------------------------

    def at_joints(self) -> tuple[list[Element], list[Element]]:
        """What springs at joints and viscous friction take, as the equations have it."""
        potential = forces.joint_spring_potential(self.system)
        return lagrange.gradient(self.system, potential), forces.viscous_friction(self.system)

    def shipped_inverse(self) -> Entries:
        found = self.recursions.run(inverse_dynamics.INVERSE_DYNAMICS)
        springs, viscous = self.at_joints()
        for k, (a, b) in enumerate(zip(found, self.tau, strict=True)):
            yield _at("tau", k), a, b + springs[k] + viscous[k]

    def shipped_gravity(self) -> Entries:
        found = self.recursions.run(inverse_dynamics.GRAVITY)
        springs, _ = self.at_joints()
        return ((_at("G", k), x, self.given.G[k] + springs[k]) for k, x in enumerate(found))

    def shipped_masses(self) -> Entries:
        return self._matrix("M", self.recursions.run(mass_matrix.MASS_MATRIX), self.given.M)

    def shipped_coriolis(self) -> Entries:
        return self._matrix("C", self.recursions.run(coriolis.CORIOLIS_MATRIX), self.C)

    def _matrix(self, name: str, flat: list[Element], A: list[list[Element]]) -> Entries:
        return ((_at(name, *divmod(k, self.n)), x, A[k // self.n][k % self.n]) for k, x in enumerate(flat))

    def shipped_energies(self) -> Entries:
        """Both are measured from the ground's origin: the potential is the same, not only up to a constant."""
        (kinetic,) = self.recursions.run(energy.KINETIC_ENERGY)
        (potential,) = self.recursions.run(energy.POTENTIAL_ENERGY)
        momenta = [self.product(row, self.rates) for row in self.given.M]
        yield "kinetic energy", kinetic, self.product(momenta, self.rates) / 2
        yield "potential energy", potential, self.given.V + forces.joint_spring_potential(self.system)

    def shipped_momenta(self) -> Entries:
        return momenta.Momenta(self.recursions, self.traces).entries(self.heavy)

    @property
    def forward(self) -> forward.Forward:
        return forward.Forward(self.recursions, self.given, self.regular)

    def shipped_regressor(self) -> Entries:
        Y = self.recursions.run(regressor.REGRESSOR)
        p, rotors = self.recursions.parameters(), self.recursions.rotors()
        for k in range(self.n):
            row = Y[k * len(p) : (k + 1) * len(p)]
            without = self.tau[k] - self.system.acceleration(k) * rotors[k]
            yield _at("tau", k), total((y * x for y, x in zip(row, p, strict=True)), self.system.ring.zero), without


def _points(points: list[Point]) -> str:
    where = "points modulo a prime" if points[0].modulus else "exact points"
    return f"at {len(points)} {where}"


def _at(name: str, *indices: int) -> str:
    return f"{name}[{', '.join(str(k + 1) for k in indices)}]"
