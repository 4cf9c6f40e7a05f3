"""Multipliers to read: lambda and the accelerations without it, in full where they are short, else through named quantities."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from lagrangian.closed_form.sections import Section, Title, entries
from lagrangian.equations.algebra.ring import TimeUp
from lagrangian.equations.formula import Formula
from lagrangian.equations.formula_matrix import FormulaMatrix
from lagrangian.equations.multipliers import Multipliers, Quotient
from lagrangian.errors import MechanismError

if TYPE_CHECKING:
    from lagrangian.closed_form.equations import Equations

# unknowns, and terms of M and Psi, up to which lambda is written in closed form
UNKNOWNS = 10
TERMS = 300
PATIENCE = 3.0  # s that products of them may take
# terms that are shown: of lambda itself, of the quantities that it is made of
SHORT = 120
READ = 600


class ClosedMultipliers:
    """`lambda = -A^-1 b` of one mechanism, as formulas."""

    def __init__(self, eom: Any) -> None:
        self._eom, name = eom, eom.mechanism.name
        rows = eom._rows_of_constraints
        if not rows:
            raise MechanismError("the mechanism has no constraints and therefore no multipliers", where=name)
        numeric = "lg.compile(mechanism).multipliers(q, qd, tau) computes them"
        terms = sum(x.terms for row in (*eom.derived.M, *(row.psi for row in rows)) for x in row)
        if eom.n + len(rows) > UNKNOWNS or terms > TERMS:
            raise MechanismError(
                f"{len(rows)} multipliers of {eom.n} coordinates, with {terms} terms in M and Psi, are too many to be written in "
                f"closed form",
                where=name,
                remedy=numeric,
            )
        self._said = [k for k, row in enumerate(rows) if any(x.poly for x in row.psi)]  # others have no multiplier
        terms_of = eom._terms
        torques = zip(*terms_of.velocity, terms_of.slopes, terms_of.friction, strict=True)
        self._found = Multipliers(eom.system, eom.derived.M, [rows[k] for k in self._said], [sum(x[1:], x[0]) for x in torques])
        with self._in_time():
            singular = self._found.singular
        if singular:
            raise MechanismError(
                "its constraints depend on each other, or some of its parts have no mass, so the multipliers are not unique",
                where=name,
                remedy=f"{numeric}, with the least norm",
            )

    @contextmanager
    def _in_time(self) -> Iterator[None]:
        """Terms alone do not tell how long their products are: what takes longer than it may is refused."""
        try:
            with self._eom.system.ring.until(time.perf_counter() + PATIENCE):
                yield
        except TimeUp:
            raise MechanismError(
                f"writing its multipliers in closed form takes longer than {PATIENCE:g} s",
                where=self._eom.mechanism.name,
                remedy="lg.compile(mechanism).multipliers(q, qd, tau) computes them",
            ) from None

    def _formula(self, x: Quotient) -> Formula:
        made: Formula = self._eom._made.ratio(*x)
        return made

    def multipliers(self) -> FormulaMatrix:
        """One for each constraint equation; zero for one that says nothing about the speeds."""
        zero = self._eom._made.formula(0)
        with self._in_time():
            quotients = self._found.multipliers
        found = dict(zip(self._said, map(self._formula, quotients), strict=True))
        return FormulaMatrix("lambda", [[found.get(k, zero)] for k in range(len(self._eom.constraint_names))], vector=True)

    def accelerations(self) -> FormulaMatrix:
        with self._in_time():
            quotients = self._found.accelerations
        return FormulaMatrix("qdd", [[self._formula(x)] for x in quotients], vector=True)

    def A(self) -> FormulaMatrix:
        return FormulaMatrix("A", [[self._formula(x) for x in row] for row in self._found.A], symmetric=True)

    def b(self) -> FormulaMatrix:
        return FormulaMatrix("b", [[self._formula(x)] for x in self._found.b], vector=True)


def short(eom: Any) -> dict[str, FormulaMatrix]:
    """lambda and the accelerations, those that are short enough to be shown in full."""
    try:
        found = {"multipliers": eom.multipliers, "accelerations": eom.accelerations}
    except MechanismError:
        return {}
    return {name: matrix for name, matrix in found.items() if _terms(matrix) <= SHORT}


def sections(eom: Equations) -> list[Section]:
    """What is shown of them: lambda if it is short, else what it is made of, else how it is computed."""
    try:
        multipliers = eom.multipliers
    except MechanismError as error:
        words = f"not written in closed form: {error.what}{f'; {error.remedy}' if error.remedy else ''}"
        return [Section("lambda", Title("Multipliers in closed form"), words=(words,))]
    found = []
    if _terms(multipliers) <= SHORT:
        title = Title("Multipliers in closed form", "lambda", r"\lambda")
        found.append(Section("lambda", title, entries(multipliers)))
    else:
        found += _through_names(eom)
    try:
        accelerations = eom.accelerations
    except MechanismError:  # which takes too long
        return found
    if _terms(accelerations) <= SHORT:
        named = tuple(((f"{name}''",), x) for name, x in zip(eom.coordinates, accelerations, strict=True))
        found.append(Section("accelerations", Title("Accelerations, without lambda"), named))
    return found


def _through_names(eom: Equations) -> list[Section]:
    """A and b, and lambda from them."""
    A, b = eom.delassus, eom.unconstrained_drift
    title = Title("Multipliers", "lambda = -A^-1 b", r"\lambda = -A^{-1} b", "in closed form")
    terms = _terms(A) + _terms(b)
    if terms > READ:
        said = (
            f"A and b have {terms} terms and are not printed; print(eom.delassus) and print(eom.unconstrained_drift) write them, "
            f"and lg.compile(mechanism).multipliers(q, qd, tau) computes lambda"
        )
        return [Section("lambda", title, words=(said,))]
    words, typeset = _solved(len(A))
    return [
        Section("delassus", title, (*entries(A), *entries(b))),
        Section("lambda", Title("Multipliers from them"), words=words, typeset=typeset),
    ]


def _solved(m: int) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """lambda from A and b, in words and typeset."""
    made = "A = Psi M^-1 Psi^T,   b = Psi_dot q' + phi_dot + Psi M^-1 f"
    tex = r"A = \Psi M^{-1} \Psi^{T}, \qquad b = \dot{\Psi} \dot{q} + \dot{\phi} + \Psi M^{-1} f"
    if m != 2:
        return (made,), (tex,)
    det = ("det = A11 A22 - A12^2", r"\Delta = A_{11} A_{22} - A_{12}^2")
    first = ("lambda1 = (A12 b2 - A22 b1)/det", r"\lambda_1 = (A_{12} b_2 - A_{22} b_1) / \Delta")
    second = ("lambda2 = (A12 b1 - A11 b2)/det", r"\lambda_2 = (A_{12} b_1 - A_{11} b_2) / \Delta")
    lines = list(zip(det, first, second, strict=True))
    return (made, *lines[0]), (tex, *lines[1])


def _terms(matrix: FormulaMatrix) -> int:
    return sum(x.terms + (0 if x.denominator is None else x.denominator.terms) for _, x in matrix.entries)
