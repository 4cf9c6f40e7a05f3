"""Multipliers and accelerations as formulas: written in full where they are short, else by the matrices A and b."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from lagrangian.closed_form.sections import EquationSection, SectionTitle, matrix_entries
from lagrangian.equations.algebra.ring import DeadlineError, RationalFunction
from lagrangian.equations.formula import Formula
from lagrangian.equations.formula_matrix import FormulaMatrix
from lagrangian.equations.multipliers import MultiplierSolution
from lagrangian.errors import MechanismError

if TYPE_CHECKING:
    from lagrangian.closed_form.equations import EquationsOfMotion


# lambda is written in closed form up to this number of unknowns, and of terms of M and Psi
MAX_UNKNOWNS = 10
MAX_TERMS = 300
PATIENCE = 3.0  # time in s that their products may take
# lambda is shown up to this number of terms, and A and b together up to this one
MAX_SHOWN_TERMS = 120
MAX_DELASSUS_TERMS = 600


class MultiplierFormulas:
    """`lambda = -A^-1 b` of one mechanism, as formulas."""

    def __init__(self, eom: Any) -> None:
        self._eom, name = eom, eom.mechanism.name
        rows = eom._constraint_equations
        if not rows:
            raise MechanismError("the mechanism has no constraints and therefore no multipliers", where=name)
        numeric = "lg.compile(mechanism).multipliers(q, qd, tau) computes them"
        terms = sum(x.term_count for row in (*eom.derived.M, *(row.psi for row in rows)) for x in row)
        if eom.n + len(rows) > MAX_UNKNOWNS or terms > MAX_TERMS:
            raise MechanismError(
                f"{len(rows)} multipliers of {eom.n} coordinates, with {terms} terms in M and Psi, are too many to be written in "
                f"closed form",
                where=name,
                remedy=numeric,
            )
        self._velocity_rows = [k for k, row in enumerate(rows) if any(x.poly for x in row.psi)]  # others have no multiplier
        parts = eom._terms
        torques = zip(*parts.velocity_terms, parts.potential_gradient, parts.friction_forces, strict=True)
        self._solution = MultiplierSolution(
            eom.system, eom.derived.M, [rows[k] for k in self._velocity_rows], [sum(x[1:], x[0]) for x in torques]
        )
        with self._limited_time():
            singular = self._solution.singular
        if singular:
            raise MechanismError(
                "its constraints depend on each other, or some of its parts have no mass, so the multipliers are not unique",
                where=name,
                remedy=f"{numeric}, with the least norm",
            )

    @contextmanager
    def _limited_time(self) -> Iterator[None]:
        """Stop with an error what takes longer than `PATIENCE`: the number of terms does not tell how long their products are."""
        try:
            with self._eom.system.ring.time_limit(time.perf_counter() + PATIENCE):
                yield
        except DeadlineError:
            raise MechanismError(
                f"writing its multipliers in closed form takes longer than {PATIENCE:g} s",
                where=self._eom.mechanism.name,
                remedy="lg.compile(mechanism).multipliers(q, qd, tau) computes them",
            ) from None

    def _formula(self, x: RationalFunction) -> Formula:
        formula: Formula = self._eom._factory.ratio(*x)
        return formula

    def multipliers(self) -> FormulaMatrix:
        """One for each constraint equation; zero for one that says nothing about the speeds."""
        zero = self._eom._factory.formula(0)
        with self._limited_time():
            quotients = self._solution.multipliers
        by_row = dict(zip(self._velocity_rows, map(self._formula, quotients), strict=True))
        return FormulaMatrix("lambda", [[by_row.get(k, zero)] for k in range(len(self._eom.constraint_names))], vector=True)

    def accelerations(self) -> FormulaMatrix:
        with self._limited_time():
            quotients = self._solution.accelerations
        return FormulaMatrix("qdd", [[self._formula(x)] for x in quotients], vector=True)

    def A(self) -> FormulaMatrix:
        return FormulaMatrix("A", [[self._formula(x) for x in row] for row in self._solution.A], symmetric=True)

    def b(self) -> FormulaMatrix:
        return FormulaMatrix("b", [[self._formula(x)] for x in self._solution.b], vector=True)


def short_matrices(eom: Any) -> dict[str, FormulaMatrix]:
    """The formulas of lambda and of the accelerations, by name, if they are short enough to be shown in full."""
    try:
        matrices = {"multipliers": eom.multipliers, "accelerations": eom.accelerations}
    except MechanismError:
        return {}
    return {name: matrix for name, matrix in matrices.items() if _count_terms(matrix) <= MAX_SHOWN_TERMS}


def multiplier_sections(eom: EquationsOfMotion) -> list[EquationSection]:
    """The sections on multipliers: lambda if it is short, else A and b of which it is made, else how it is computed."""
    try:
        multipliers = eom.multipliers
    except MechanismError as error:
        words = f"not written in closed form: {error.what}{f'; {error.remedy}' if error.remedy else ''}"
        return [EquationSection("lambda", SectionTitle("Multipliers in closed form"), words=(words,))]
    sections = []
    if _count_terms(multipliers) <= MAX_SHOWN_TERMS:
        title = SectionTitle("Multipliers in closed form", "lambda", r"\lambda")
        sections.append(EquationSection("lambda", title, matrix_entries(multipliers)))
    else:
        sections += _delassus_sections(eom)
    try:
        accelerations = eom.accelerations
    except MechanismError:  # which takes too long
        return sections
    if _count_terms(accelerations) <= MAX_SHOWN_TERMS:
        by_coordinate = tuple(((f"{name}''",), x) for name, x in zip(eom.coordinates, accelerations, strict=True))
        sections.append(EquationSection("accelerations", SectionTitle("Accelerations, without lambda"), by_coordinate))
    return sections


def _delassus_sections(eom: EquationsOfMotion) -> list[EquationSection]:
    """The sections of A and b, and of lambda from them."""
    A, b = eom.delassus, eom.unconstrained_drift
    title = SectionTitle("Multipliers", "lambda = -A^-1 b", r"\lambda = -A^{-1} b", "in closed form")
    terms = _count_terms(A) + _count_terms(b)
    if terms > MAX_DELASSUS_TERMS:
        explanation = (
            f"A and b have {terms} terms and are not printed; print(eom.delassus) and print(eom.unconstrained_drift) write them, "
            f"and lg.compile(mechanism).multipliers(q, qd, tau) computes lambda"
        )
        return [EquationSection("lambda", title, words=(explanation,))]
    words, typeset = _solution_text(len(A))
    return [
        EquationSection("delassus", title, (*matrix_entries(A), *matrix_entries(b))),
        EquationSection("lambda", SectionTitle("Multipliers from them"), words=words, latex_words=typeset),
    ]


def _solution_text(m: int) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """lambda from A and b, in plain text and as LaTeX."""
    definitions = "A = Psi M^-1 Psi^T,   b = Psi_dot q' + phi_dot + Psi M^-1 f"
    tex = r"A = \Psi M^{-1} \Psi^{T}, \qquad b = \dot{\Psi} \dot{q} + \dot{\phi} + \Psi M^{-1} f"
    if m != 2:
        return (definitions,), (tex,)
    det = ("det = A11 A22 - A12^2", r"\Delta = A_{11} A_{22} - A_{12}^2")
    first = ("lambda1 = (A12 b2 - A22 b1)/det", r"\lambda_1 = (A_{12} b_2 - A_{22} b_1) / \Delta")
    second = ("lambda2 = (A12 b1 - A11 b2)/det", r"\lambda_2 = (A_{12} b_1 - A_{11} b_2) / \Delta")
    lines = list(zip(det, first, second, strict=True))
    return (definitions, *lines[0]), (tex, *lines[1])


def _count_terms(matrix: FormulaMatrix) -> int:
    return sum(x.term_count + (0 if x.denominator is None else x.denominator.term_count) for _, x in matrix.entries)
