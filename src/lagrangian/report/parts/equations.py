"""The equations of motion, typeset."""

from __future__ import annotations

from typing import Any

from lagrangian.closed_form import multipliers
from lagrangian.closed_form.definitions import definitions, parameter_values
from lagrangian.closed_form.derive import derive
from lagrangian.closed_form.equations import Equations
from lagrangian.closed_form.sections import (
    Section,
    Title,
    christoffel_entries,
    driven,
    entries,
    formulas_of,
    has_entries,
)
from lagrangian.equations.formula import Formula
from lagrangian.equations.formula_matrix import FormulaMatrix
from lagrangian.equations.writing import mathml
from lagrangian.equations.writing.mathml import MathML, math
from lagrangian.equations.writing.text import Rounding
from lagrangian.errors import CostError, LagrangianError
from lagrangian.report import typeset
from lagrangian.report.html import Html, element, folded, joined, number, paragraph, table
from lagrangian.report.subject import Part, Subject

DIGITS = 5
SECONDS = 3.0  # a derivation forecast to take longer is not begun
COORDINATES = 40  # of more, matrices are too large to be read
READ = 800  # terms of a part that is shown in full
ENTRY = 40  # terms of an entry that is shown where the whole is not
OPEN = 120  # terms of a matrix that is shown unfolded
SHORT = 40  # terms of a part that needs no folding
STRUCTURE = 12  # rows of a matrix whose form is drawn
PROVED = (12, 2500)  # coordinates and terms up to which the proof is quick


def equations(subject: Subject) -> Html | None:
    model = subject.mechanism
    if model.nv == 0:
        return paragraph("Nothing moves in this mechanism, so it has no equations of motion.")
    if model.nv > COORDINATES:
        return _elsewhere(f"The equations of {model.nv} coordinates are too long to show here.")
    left_out = []
    try:
        eom = derive(model, limit=SECONDS, progress=_quiet)
    except CostError as error:
        return _elsewhere(f"The closed form is not shown: {error.what}.")
    except LagrangianError as error:
        if not model.constraints:
            raise
        # such as a Python function, which has no closed form: what it acts on has
        eom = derive(model.replace(constraints=()), limit=SECONDS, progress=_quiet)
        left_out = [
            paragraph(f"These are the equations without {', '.join(x.name for x in model.constraints)}: {error}.", kind="missing")
        ]
    return joined([*left_out, *_Written(eom).blocks()])


def _quiet(done: float, total: float) -> None:
    """No word of progress: a derivation that is begun here is short."""


def _elsewhere(why: str) -> Html:
    return paragraph(f"{why} The run used recursive algorithms, which compute the same without a closed form.")


class _Written:
    """The parts of the equations, each in full or in short, and what was met on the way."""

    def __init__(self, eom: Equations) -> None:
        self.eom = eom
        self.rounding = Rounding(DIGITS)
        self.style = MathML(eom.notation, self.rounding)
        self.shown: list[Formula] = []

    def blocks(self) -> list[Html]:
        eom = self.eom
        constrained, friction = bool(eom.mechanism.equations), has_entries(eom.F)
        found = [typeset.lines(typeset.of_motion(friction, constrained)), *self._legend()]
        found.append(self._matrix("Mass matrix", eom.M, drawn=True))
        found += self._velocity()
        found.append(self._matrix("G = ∂V/∂q from gravity and springs", eom.G))
        if friction:
            found.append(self._matrix("Friction F", eom.F))
        if constrained:
            found += self._constraints()
        found += self._energies()
        found += self._rows()
        found += self._where()
        found.append(self._proof())
        if self.rounding.rounded:
            found.append(paragraph(f"Numbers are shown with {DIGITS} digits; the equations themselves are exact.", kind="quiet"))
        found += [paragraph(f"Note: {note}", kind="quiet") for note in eom.notes]
        return [x for x in found if x]

    def _legend(self) -> list[Html]:
        eom = self.eom
        if eom.notation.own_names:
            return [typeset.lines(typeset.coordinates(eom))]
        rows = [(Html(math(mathml.name(f"q{k}"))), name) for k, name in enumerate(eom.coordinates, 1)]
        return [folded(f"The {eom.n} coordinates", table(("coordinate", "is"), rows, left=(0, 1), most=COORDINATES), eom.n <= 8)]

    # -- parts -------------------------------------------------------------------------------------------------------

    def _matrix(self, title: str, matrix: FormulaMatrix, drawn: bool = False, fold: bool = False) -> Html:
        """A heading, the matrix's form if it is small, and its entries: all of them, or the short ones."""
        terms = _terms(matrix)
        if not terms:
            return _block(title, paragraph(Html(math(typeset.left(matrix.name) + "<mo>=</mo><mn>0</mn>"))))
        whole = terms <= READ
        shown = tuple((same, x) for same, x in entries(matrix) if whole or x.terms <= ENTRY)
        self.shown += [x for _, x in shown]
        inner = []
        if drawn and len(matrix.rows) <= STRUCTURE:
            inner.append(typeset.lines(f"<mi>{matrix.name}</mi><mo>=</mo>{typeset.structure(matrix)}"))
        body = typeset.formulas(shown, self.style)
        left_out = len(entries(matrix)) - len(shown)
        if not whole:
            inner.append(
                paragraph(f"The matrix has {terms} terms; {left_out} entries with more than {ENTRY} terms are not shown.")
            )
        inner.append(
            folded(f"{len(matrix.entries) - left_out} entries", body, long=True) if terms > (SHORT if fold else OPEN) else body
        )
        return _block(title, *inner)

    def _velocity(self) -> list[Html]:
        eom = self.eom
        christoffel = eom.derived.christoffel
        terms = christoffel.terms
        title = "Velocity terms C q̇"
        if not terms:
            return [_block(title, paragraph("All Christoffel symbols are zero: there are no velocity terms."))]
        some = christoffel.count
        rule = typeset.lines(_CORIOLIS)
        if terms > READ:
            told = f"{some} Christoffel symbols are not zero; they have {terms} terms and are not shown."
            return [_block(title, rule, paragraph(told))]
        symbols, coriolis = christoffel_entries(eom), entries(eom.C)
        self.shown += [x for _, x in symbols]
        body = typeset.formulas(symbols, self.style)
        long = terms > SHORT
        if not long:
            self.shown += [x for _, x in coriolis]
        inner = [rule, folded(f"Christoffel symbols (not zero: {some})", body, not long, long)]
        if terms <= READ // 2:
            inner.append(folded("The matrix C", typeset.formulas(coriolis, self.style), not long, long))
        return [_block(title, *inner)]

    def _constraints(self) -> list[Html]:
        eom = self.eom
        found = [self._matrix("Loop closure η(q) = 0", eom.closure)] if len(eom.closure) else []
        found.append(self._matrix("Constraint matrix Ψ", eom.Psi))
        found.append(self._matrix("Rate Ψ̇ of the constraint matrix", eom.Psi_dot, fold=True))
        moving = [paragraph(f"ϕ of {name} = {phi}") for name, phi in driven(eom)]
        rows = paragraph(f"Rows of Ψ: {', '.join(eom.constraint_names[:40])}.", kind="quiet")
        found.append(_block("Multipliers", *moving, typeset.lines(*typeset.of_multipliers(bool(moving))), rows))
        titles = {"multipliers": "Multipliers λ in closed form", "accelerations": "Accelerations q̈, without λ"}
        found += [self._matrix(titles[name], matrix, fold=True) for name, matrix in multipliers.short(eom).items()]
        return found

    def _energies(self) -> list[Html]:
        eom = self.eom
        if eom.kinetic_energy.terms > 2 * SHORT or eom.potential_energy.terms > 2 * SHORT:
            return []
        shown = [((f"K of {name}",), x) for name, x in eom.kinetic_energies.items()]
        shown += [((f"V of {name}",), x) for name, x in eom.potential_energies.items()]
        shown.append((("L",), eom.lagrangian))
        self.shown += [x for _, x in shown]
        body = typeset.formulas(tuple(shown), self.style)
        return [_block("The Lagrangian", typeset.lines("<mi>L</mi><mo>=</mo><mi>K</mi><mo>−</mo><mi>V</mi>"), body)]

    def _rows(self) -> list[Html]:
        """The whole equations, if they can be read."""
        eom = self.eom
        if sum(row.left.terms for row in eom.rows) > OPEN:
            return []
        self.shown += formulas_of([Section("rows", Title("Row by row"), lines=eom.rows)])
        return [_block("Row by row", typeset.rows(eom.rows, self.style))]

    def _where(self) -> list[Html]:
        eom = self.eom
        met = definitions(eom, self.shown)
        found = []
        if met:
            pairs = [typeset.definition(x, self.style) for x in met]
            body = element("div", *pairs, class_="pairs")
            found.append(_block("where", folded(f"{len(met)} abbreviations", body) if len(met) > 24 else body))
        values = parameter_values(eom)
        if values:
            pairs = [typeset.pair(mathml.name(n), number(x, 6)) for n, x in values]
            found.append(_block("Values", element("div", *pairs, class_="pairs")))
        return found

    def _proof(self) -> Html:
        eom = self.eom
        terms = eom.derived.christoffel.terms + _terms(eom.M)
        if eom.n > PROVED[0] or terms > PROVED[1]:
            return paragraph(
                "The equations are not proved here, because the proof would take longer than the rest of the report.",
                kind="quiet",
            )
        return certificate(eom.prove())


_CORIOLIS = (
    "<msub><mi>C</mi><mrow><mi>i</mi><mi>j</mi></mrow></msub><mo>=</mo><munder><mo>∑</mo><mi>k</mi></munder>"
    f"<msub>{typeset.letter('Gamma')}<mrow><mi>i</mi><mi>j</mi><mi>k</mi></mrow></msub>"
    f"<msub>{typeset.letter('q', 1)}<mi>k</mi></msub>"
)


def certificate(proof: Any) -> Html:
    """What was proved, in a line; statement by statement when asked for."""
    mark, word = ("✓", "Proved") if proof else ("✗", "Not proved")
    told = (
        f"{word}: the derivations of Lagrange, Newton-Euler, Kane and Uicker-Kahn and the compiled algorithms give the same "
        "equations"
    )
    rows = [(s.what, s.how, s.result, s.entries, s.terms or "", f"{s.seconds:.3f}") for s in proof.statements]
    body = table(("statement", "how", "", "entries", "terms", "time [s]"), rows, left=(0, 1, 2))
    rest = [paragraph(f"Not part of the proof: {what}.", kind="quiet") for what in proof.left_out]
    kind = "good" if proof else "bad"
    head = paragraph(element("b", mark, class_=kind), f" {told}.", kind="proof")
    return joined([head, folded(f"{len(proof.statements)} statements, {proof.seconds:.2f} s", joined([body, *rest]))])


def _block(title: str, *inner: Any) -> Html:
    return joined([element("h3", title), *inner])


def _terms(matrix: FormulaMatrix) -> int:
    return sum(x.terms for _, x in matrix.entries)


EQUATIONS = Part("equations", "Equations of motion", equations)
