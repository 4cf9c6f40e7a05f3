"""Kane's equations in generalised speeds of the user's choice, as formulas to read."""

from __future__ import annotations

import copy
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from lagrangian.cached import cached_property
from lagrangian.closed_form.derivations.derivation import Derivation, line_section
from lagrangian.closed_form.sections import EquationSection, SectionTitle, VectorLine, has_nonzero_entries, matrix_entries
from lagrangian.closed_form.terms import FormulaFactory
from lagrangian.equations.algebra.numbers import evaluate_element
from lagrangian.equations.algebra.ring import RingElement
from lagrangian.equations.derivations.generalised_speeds import DeterminantQuotient, GeneralisedSpeeds
from lagrangian.equations.energies import has_inertia
from lagrangian.equations.formula import Formula
from lagrangian.equations.formula_matrix import FormulaMatrix, index_text
from lagrangian.equations.writing import printers
from lagrangian.equations.writing.notation import latex_name_parts, unicode_name
from lagrangian.equations.writing.printers import LATEX_WIDTH, break_lines
from lagrangian.equations.writing.tree import Name, Tree, add, product
from lagrangian.errors import ArgumentError

if TYPE_CHECKING:
    from lagrangian.closed_form.equations import EquationsOfMotion

_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]*")


class Kane(Derivation):
    """Kane's equations in generalised speeds u, where q' = W(q) u.

    `EquationsOfMotion.kane` returns this object. The equations are `M u' + C + G + F = W^T tau`; `M u' + C` are the generalised
    inertia forces and `-G - F` the active forces of gravity, springs and friction. Formulas name the speeds as you did, and
    `evaluate(q, u, du)` takes speeds in the place of rates.

    Attributes
    ----------
    names : tuple of str
        Names of the speeds.
    speeds : dict of str to Formula
        Each speed in the rates of the coordinates.

    Examples
    --------
    >>> import lagrangian as lg
    >>> kane = lg.derive("two_r").kane({"u1": "theta1'", "u2": "theta1' + theta2'"})
    >>> print(kane.M)
    M11 = m1*r1^2 + m2*l1^2 + I1
    M12 = m2*l1*r2*c2
    M22 = m2*r2^2 + I2
    >>> print(kane.partial_velocities["link2"][1])
    (l1*c2, r2)
    """

    def __init__(self, eom: EquationsOfMotion, speeds: Mapping[str, Any] | None = None) -> None:
        n = eom.n
        definitions = {f"u{k + 1}": f"qd{k + 1}" for k in range(n)} if speeds is None else speeds
        if not isinstance(definitions, Mapping) or len(definitions) != n:
            count_message = (
                f"there {'is' if len(definitions) == 1 else 'are'} {len(definitions)} speed{'s' * (len(definitions) != 1)}"
                if isinstance(definitions, Mapping)
                else "the speeds are not a mapping"
            )
            raise ArgumentError(
                f"{count_message}; give one for each of the {n} coordinates, such as {{'u1': \"q1' + q2'\"}}", concerns="speeds"
            )
        self.names = tuple(definitions)
        self.speeds = {name: _read_speed(eom, name, x) for name, x in definitions.items()}
        rows = [_rate_coefficients(eom, name, x) for name, x in self.speeds.items()]
        denominators = [x.denominator or eom.system.ring.one for x in self.speeds.values()]
        self._elements = GeneralisedSpeeds(eom.system, rows, denominators)
        if not self._elements.determinant:
            raise ArgumentError(_dependence_message(eom, self.names, rows), concerns="speeds")
        eom_in_speeds = copy.copy(eom)
        eom_in_speeds._factory = FormulaFactory(eom.system, None, self.names)
        eom_in_speeds.writer = eom_in_speeds._factory.writer
        super().__init__(eom_in_speeds)

    # -- the equations -------------------------------------------------------------------------------------------------

    def _formula(self, x: DeterminantQuotient) -> Formula:
        return self.eom._factory.quotient(x.numerator, self._elements.determinant**x.power)

    def _quotient(self, x: Any, power: int = 1) -> Formula:
        return self._formula(DeterminantQuotient(self.eom.system.ring(x), power))

    @cached_property
    def W(self) -> FormulaMatrix:
        """The matrix of q' = W u."""
        return FormulaMatrix("W", [[self._quotient(x) for x in row] for row in self._elements.W])

    @cached_property
    def _inertia_forces(self) -> list[DeterminantQuotient]:
        return self._elements.inertia_forces()

    @cached_property
    def M(self) -> FormulaMatrix:
        """The mass matrix W^T M W, which multiplies u'."""
        n, ring = self.eom.n, self.eom.system.ring
        rows = [[ring.partial_derivative(x.numerator, f"qdd{s + 1}") for s in range(n)] for x in self._inertia_forces]
        formulas = [
            [self._formula(DeterminantQuotient(e, x.power)) for e in row]
            for row, x in zip(rows, self._inertia_forces, strict=True)
        ]
        return FormulaMatrix("M", formulas, symmetric=True)

    @cached_property
    def C(self) -> FormulaMatrix:
        """The velocity terms, a vector of products of speeds."""
        ring = self.eom.system.ring
        still = {ring.generator_index[f"qdd{s + 1}"]: 0 for s in range(self.eom.n)}
        return self._vector(
            "C", [DeterminantQuotient(ring.substitute(x.numerator, still), x.power) for x in self._inertia_forces]
        )

    @cached_property
    def G(self) -> FormulaMatrix:
        """The terms of gravity and springs: minus their generalised active forces."""
        return self._vector("G", self._elements.potential_forces())

    @cached_property
    def F(self) -> FormulaMatrix:
        """The terms of friction."""
        return self._vector("F", self._elements.friction_forces())

    def _vector(self, name: str, quotients: list[DeterminantQuotient]) -> FormulaMatrix:
        return FormulaMatrix(name, [[self._formula(x)] for x in quotients], vector=True)

    @cached_property
    def partial_angular_velocities(self) -> Mapping[str, FormulaMatrix]:
        """The partial angular velocities by link, each a 3 x n matrix in the link's axes.

        Column r multiplies u_r in the angular velocity.
        """
        return {name: matrices[0] for name, matrices in self._partial_velocity_matrices.items()}

    @cached_property
    def partial_velocities(self) -> Mapping[str, FormulaMatrix]:
        """The partial velocities of the centres of mass by link with mass, each a 3 x n matrix in the link's axes.

        Column r multiplies u_r in the velocity of the centre of mass.
        """
        return {name: matrices[1] for name, matrices in self._partial_velocity_matrices.items() if matrices[1] is not None}

    @cached_property
    def _partial_velocity_matrices(self) -> dict[str, tuple[FormulaMatrix, Any]]:
        system, matrices = self.eom.system, {}
        for link, columns in zip(system.links, self.eom._jacobians, strict=True):
            if not has_inertia(system, link):
                continue
            angular, linear = self._elements.partial_velocities(link, columns)
            mass = system.ring(link.inertia.mass)
            turning = [[self._quotient(column[a]) for column in angular] for a in range(3)]
            moving = None
            if mass:
                denominator = mass * self._elements.determinant
                rows = [[self.eom._factory.quotient(system.ring(column[a]), denominator) for column in linear] for a in range(3)]
                moving = FormulaMatrix("v", rows)
            matrices[link.name] = FormulaMatrix("omega", turning), moving
        return matrices

    @cached_property
    def rows(self) -> tuple[SpeedRow, ...]:
        """The whole equation of every speed, with W^T tau and the constraint forces on the right."""
        rows = []
        for r in range(self.eom.n):
            drive_terms = [(f"tau{index_text(k)}", self.W[k, r]) for k in range(self.eom.n)]
            constraint_terms = [
                (f"lambda{index_text(j)}", self._multiplier_coefficient(row.psi, r))
                for j, row in enumerate(self.eom._constraint_equations)
            ]
            rows.append(
                SpeedRow(
                    self.names[r], self._left_side(r), tuple(x for x in (*drive_terms, *constraint_terms) if not x[1].is_zero)
                )
            )
        return tuple(rows)

    def _multiplier_coefficient(self, psi: Sequence[RingElement], r: int) -> Formula:
        """The coefficient of a constraint's lambda in equation r: Psi along a partial velocity."""
        return self._quotient(sum((self._elements.W[k][r] * x for k, x in enumerate(psi)), self.eom.system.ring.zero))

    def _left_side(self, r: int) -> Formula:
        terms = [self.M[r, s] for s in range(self.eom.n)]
        other_terms = [self.C[r], self.G[r], self.F[r]]
        writer, ring = self.eom.writer, self.eom.system.ring
        total: Any = sum((x * Formula(writer, self.eom.system.acceleration(s)) for s, x in enumerate(terms)), other_terms[0])
        total = total + other_terms[1] + other_terms[2]
        if any(x.denominator is not None for x in (*terms, *other_terms)):
            return Formula(writer, total.element, total.denominator)
        rates = [Name(writer.names[ring.generator_index[f"qdd{s + 1}"]]) for s in range(self.eom.n)]

        def tree() -> Tree:
            inertial = [product([x.tree, rate]) for x, rate in zip(terms, rates, strict=True)]
            return add([*inertial, *(x.tree for x in other_terms)])

        return Formula(writer, total.element, None, tree)

    # -- to read -------------------------------------------------------------------------------------------------------

    def sections(self, full: bool = False) -> list[EquationSection]:
        """Return the sections that `show` and `latex` write.

        Parameters
        ----------
        full : bool, default False
            Whether very long parts are included.

        Returns
        -------
        list of EquationSection
            The speeds, the partial velocities, the matrices and the equations row by row.
        """
        speed_lines = tuple(SpeedDefinition(name, x) for name, x in self.speeds.items())
        sections = [
            EquationSection("speeds", SectionTitle("Kane: generalised speeds"), lines=speed_lines),
            EquationSection("W", SectionTitle("Rates", "q' = W u", r"\dot{q} = W u"), matrix_entries(self.W)),
        ]
        for link, angular in self.partial_angular_velocities.items():
            lines = [VectorLine(f"omega_{u}", tuple(row[r] for row in angular.rows)) for r, u in enumerate(self.names)]
            if link in self.partial_velocities:
                linear = self.partial_velocities[link]
                lines += [VectorLine(f"v_{u}", tuple(row[r] for row in linear.rows)) for r, u in enumerate(self.names)]
            title = SectionTitle(f"Partial velocities of {link}, angular and of its centre of mass, in its own axes")
            sections.append(line_section("partial", title, tuple(lines), full))
        inertia = SectionTitle("Generalised inertia forces", "-F* = M u' + C", r"-F^{*} = M \dot{u} + C")
        sections.append(EquationSection("inertia", inertia, (*matrix_entries(self.M), *matrix_entries(self.C))))
        active = SectionTitle("Generalised active forces", "W^T tau - G - F", r"W^{T} \tau - G - F")
        sections.append(
            EquationSection(
                "active", active, (*matrix_entries(self.G), *(matrix_entries(self.F) if has_nonzero_entries(self.F) else ()))
            )
        )
        return [*sections, line_section("rows", SectionTitle("Row by row"), self.rows, full)]

    def __repr__(self) -> str:
        return f"<Kane of {self.eom.mechanism.name!r} in {', '.join(self.names)}>"


@dataclass(frozen=True)
class SpeedDefinition:
    """`u1 = theta1' + theta2'`: a speed in the rates of the coordinates, by the names of those."""

    name: str
    formula: Formula

    @property
    def formulas(self) -> list[Formula]:
        return []  # its names are explained with those of W

    def lines(self, style: printers.FormulaStyle, width: int) -> list[str]:
        return [
            f"{unicode_name(self.name)} = {self.formula.unicode()}" if style.times == " " else f"{self.name} = {self.formula}"
        ]

    def aligned_rows(self, style: printers.FormulaStyle, width: float = LATEX_WIDTH) -> list[str]:
        return break_lines("".join(latex_name_parts(self.name)), self.formula.latex(), width)


@dataclass(frozen=True, repr=False)
class SpeedRow:
    """The equation of one speed: `left = sum_k W_kr tau_k`."""

    speed: str
    left: Formula
    right: tuple[tuple[str, Formula], ...]

    @property
    def formulas(self) -> list[Formula]:
        return [self.left, *(x for _, x in self.right)]

    def _forces(self, style: printers.FormulaStyle, names: Any, write: Any) -> str:
        text = ""
        for force, x in self.right:
            word, name = write(x), names(force)
            sign, word = ("-", word[1:]) if word.startswith("-") and " " not in word else ("+", word)
            term = f"({word}){style.times}{name}" if " + " in word or " - " in word else f"{word}{style.times}{name}"
            term = name if word == "1" else term
            text = f"{text} {sign} {term}" if text else ("-" if sign == "-" else "") + term
        return text

    def to_string(self, style: printers.FormulaStyle) -> str:
        names = unicode_name if style.times == " " else str
        return f"{self.left.to_string(style)} = {self._forces(style, names, lambda x: x.to_string(style))}"

    def lines(self, style: printers.FormulaStyle, width: int) -> list[str]:
        return [self.to_string(style)]

    def aligned_rows(self, style: printers.FormulaStyle, width: float = LATEX_WIDTH) -> list[str]:
        right = self._forces(style, lambda name: "".join(latex_name_parts(name)), lambda x: x.typeset(style))
        first, *later_rows = break_lines("", self.left.typeset(style), width)
        rows = [first.replace("&=", "&", 1).strip(), *later_rows]
        return [*rows[:-1], f"{rows[-1]} = {right}"]

    def __str__(self) -> str:
        return self.to_string(printers.plain_style(self.left.writer.notation))

    __repr__ = __str__


def _read_speed(eom: EquationsOfMotion, name: Any, expression: Any) -> Formula:
    """A speed as a formula of the equations' own ring."""
    used_names = {symbol.name for symbol in eom.system.ring.symbols} | set(eom.coordinates)
    if not isinstance(name, str) or not _NAME.fullmatch(name) or name in used_names:
        reason = "is already in the equations" if name in used_names else "is not a name"
        raise ArgumentError(f"a speed cannot be called {name!r}, which {reason}; use u1, u2 and so on", concerns="speeds")
    zero = eom._factory.formula(0)
    x = expression if isinstance(expression, Formula) else zero.read(expression)
    if x.writer.family is not zero.writer.family or x.element.ring is not eom.system.ring:
        raise ArgumentError(
            f"speed {name!r}: {expression!s:.60} contains a name that is not in these equations", concerns="speeds"
        )
    return x


def _rate_coefficients(eom: EquationsOfMotion, name: str, x: Formula) -> list[RingElement]:
    """The coefficients of the rates in a speed, which must be linear in them over a constant denominator."""
    ring, n = eom.system.ring, eom.n
    coefficients = [ring.partial_derivative(x.element, f"qd{k + 1}") for k in range(n)]
    remainder: Any = x.element
    for k, c in enumerate(coefficients):
        remainder = remainder - ring(c * eom.system.speed(k))
    moving = any(ring.partial_derivative(c, f"{d}{k + 1}") for c in coefficients for k in range(n) for d in ("qd", "qdd"))
    denominator = x.denominator
    changing = denominator is not None and any(
        ring.derivative(denominator, k) or ring.partial_derivative(denominator, f"qd{k + 1}") for k in range(n)
    )
    if remainder or moving or changing:
        raise ArgumentError(
            f"speed {name!r} is {x}; it must be a sum of rates, each times a function of the coordinates, such as "
            f"q1' + cos(q2)*q2'" + (". The denominator must be constant" if changing else ""),
            concerns="speeds",
        )
    return coefficients


def _dependence_message(eom: EquationsOfMotion, names: tuple[str, ...], rows: list[list[RingElement]]) -> str:
    """The message that speeds depend on each other, with those that do at a configuration without accidental zeros."""
    q = np.random.default_rng(1).uniform(0.3, 1.2, eom.n).tolist()
    values = eom.writer.values(q, [1.0] * eom.n, [1.0] * eom.n, {})
    numbers = np.array([[evaluate_element(x, values) for x in row] for row in rows])
    for r in range(len(names)):
        if np.linalg.matrix_rank(numbers[: r + 1]) <= r:
            reason = f"{names[r]} follows from {', '.join(names[:r])}" if any(numbers[r]) else f"{names[r]} is zero"
            return f"the speeds {', '.join(names)} are not independent, so the rates do not follow from them: {reason}"
    return f"the speeds {', '.join(names)} are not independent, so the rates do not follow from them"
