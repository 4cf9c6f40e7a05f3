"""The equations of motion, typeset."""

from __future__ import annotations

from typing import Any

from lagrangian.closed_form import multipliers
from lagrangian.closed_form.derive import derive
from lagrangian.closed_form.equations import EquationsOfMotion
from lagrangian.closed_form.sections import (
    EquationSection,
    SectionTitle,
    christoffel_entries,
    definitions,
    driven_constraints,
    has_nonzero_entries,
    matrix_entries,
    parameter_values,
    section_formulas,
)
from lagrangian.equations.formula import Formula
from lagrangian.equations.formula_matrix import FormulaMatrix
from lagrangian.equations.writing import printers
from lagrangian.equations.writing.printers import MathML, NumberFormat, math_element
from lagrangian.errors import CostLimitError, LagrangianError
from lagrangian.report import typeset
from lagrangian.report.html import Html, collapsible, element, join_html, number, paragraph, table
from lagrangian.report.subject import ReportSection, ReportSubject

DIGITS = 5
MAX_DERIVATION_SECONDS = 3.0  # a derivation forecast to take longer is not begun
MAX_COORDINATES = 40  # of more, matrices are too large to be read
MAX_SHOWN_TERMS = 800  # terms of a part that is shown in full
MAX_ENTRY_TERMS = 40  # terms of an entry that is shown where the whole is not
MAX_OPEN_TERMS = 120  # terms of a matrix that is shown unfolded
MAX_SHORT_TERMS = 40  # terms of a part that needs no folding
MAX_STRUCTURE_ROWS = 12  # rows of a matrix whose form is drawn
MAX_PROOF_SIZE = (12, 2500)  # coordinates and terms up to which the proof is quick


def equations(subject: ReportSubject) -> Html | None:
    model = subject.mechanism
    if model.nv == 0:
        return paragraph("Nothing moves in this mechanism, so it has no equations of motion.")
    if model.nv > MAX_COORDINATES:
        return _not_shown(f"The equations of {model.nv} coordinates are too long to show here.")
    left_out = []
    try:
        eom = derive(model, limit=MAX_DERIVATION_SECONDS, progress=_ignore_progress)
    except CostLimitError as error:
        return _not_shown(f"The closed form is not shown: {error.what}.")
    except LagrangianError as error:
        if not model.constraints:
            raise
        # such as a Python function, which has no closed form: what it acts on has
        eom = derive(model.replace(constraints=()), limit=MAX_DERIVATION_SECONDS, progress=_ignore_progress)
        left_out = [
            paragraph(
                f"These are the equations without {', '.join(x.name for x in model.constraints)}: {error}.", css_class="missing"
            )
        ]
    return join_html([*left_out, *_EquationsWriter(eom).blocks()])


def _ignore_progress(done: float, total: float) -> None:
    """Ignore progress: a derivation that begins here is short."""


def _not_shown(reason: str) -> Html:
    return paragraph(f"{reason} The run used recursive algorithms, which compute the same without a closed form.")


class _EquationsWriter:
    """The parts of the equations, each in full or in short, with the definitions and roundings that they need."""

    def __init__(self, eom: EquationsOfMotion) -> None:
        self.eom = eom
        self.rounding = NumberFormat(DIGITS)
        self.style = MathML(eom.notation, self.rounding)
        self.shown_formulas: list[Formula] = []

    def blocks(self) -> list[Html]:
        eom = self.eom
        constrained, friction = bool(eom.mechanism.equation_count), has_nonzero_entries(eom.F)
        parts = [typeset.display_equations(typeset.equation_of_motion(friction, constrained)), *self._legend()]
        parts.append(self._matrix("Mass matrix", eom.M, with_structure=True))
        parts += self._velocity_terms()
        parts.append(self._matrix("G = ∂V/∂q from gravity and springs", eom.G))
        if friction:
            parts.append(self._matrix("Friction F", eom.F))
        if constrained:
            parts += self._constraints()
        parts += self._energies()
        parts += self._rows()
        parts += self._definitions()
        parts.append(self._proof())
        if self.rounding.rounded:
            parts.append(
                paragraph(f"Numbers are shown with {DIGITS} digits; the equations themselves are exact.", css_class="quiet")
            )
        parts += [paragraph(f"Note: {note}", css_class="quiet") for note in eom.notes]
        return [x for x in parts if x]

    def _legend(self) -> list[Html]:
        eom = self.eom
        if eom.notation.uses_coordinate_names:
            return [typeset.display_equations(typeset.coordinate_vector(eom))]
        rows = [(Html(math_element(printers.name_markup(f"q{k}"))), name) for k, name in enumerate(eom.coordinates, 1)]
        return [
            collapsible(
                f"The {eom.n} coordinates",
                table(("coordinate", "is"), rows, left_aligned=(0, 1), max_rows=MAX_COORDINATES),
                eom.n <= 8,
            )
        ]

    # -- parts -------------------------------------------------------------------------------------------------------

    def _matrix(self, title: str, matrix: FormulaMatrix, with_structure: bool = False, fold: bool = False) -> Html:
        """A heading, the structure of the matrix if it is small, and its entries: all of them, or the short ones."""
        terms = _terms(matrix)
        if not terms:
            return _block(title, paragraph(Html(math_element(typeset.entry_name(matrix.name) + "<mo>=</mo><mn>0</mn>"))))
        is_short = terms <= MAX_SHOWN_TERMS
        entries_shown = tuple((same, x) for same, x in matrix_entries(matrix) if is_short or x.term_count <= MAX_ENTRY_TERMS)
        self.shown_formulas += [x for _, x in entries_shown]
        inner = []
        if with_structure and len(matrix.rows) <= MAX_STRUCTURE_ROWS:
            inner.append(typeset.display_equations(f"<mi>{matrix.name}</mi><mo>=</mo>{typeset.structure(matrix)}"))
        body = typeset.formulas(entries_shown, self.style)
        left_out = len(matrix_entries(matrix)) - len(entries_shown)
        if not is_short:
            inner.append(
                paragraph(
                    f"The matrix has {terms} terms; {left_out} entries with more than {MAX_ENTRY_TERMS} terms are not shown."
                )
            )
        inner.append(
            collapsible(f"{len(matrix.entries) - left_out} entries", body, is_long=True)
            if terms > (MAX_SHORT_TERMS if fold else MAX_OPEN_TERMS)
            else body
        )
        return _block(title, *inner)

    def _velocity_terms(self) -> list[Html]:
        eom = self.eom
        christoffel = eom.derived.christoffel
        terms = christoffel.term_count
        title = "Velocity terms C q̇"
        if not terms:
            return [_block(title, paragraph("All Christoffel symbols are zero: there are no velocity terms."))]
        symbol_count = christoffel.nonzero_count
        rule = typeset.display_equations(_CORIOLIS)
        if terms > MAX_SHOWN_TERMS:
            sentence = f"{symbol_count} Christoffel symbols are not zero; they have {terms} terms and are not shown."
            return [_block(title, rule, paragraph(sentence))]
        symbols, coriolis = christoffel_entries(eom), matrix_entries(eom.C)
        self.shown_formulas += [x for _, x in symbols]
        body = typeset.formulas(symbols, self.style)
        is_long = terms > MAX_SHORT_TERMS
        if not is_long:
            self.shown_formulas += [x for _, x in coriolis]
        inner = [rule, collapsible(f"Christoffel symbols (not zero: {symbol_count})", body, not is_long, is_long)]
        if terms <= MAX_SHOWN_TERMS // 2:
            inner.append(collapsible("The matrix C", typeset.formulas(coriolis, self.style), not is_long, is_long))
        return [_block(title, *inner)]

    def _constraints(self) -> list[Html]:
        eom = self.eom
        parts = [self._matrix("Loop closure η(q) = 0", eom.closure)] if len(eom.closure) else []
        parts.append(self._matrix("Constraint matrix Ψ", eom.Psi))
        parts.append(self._matrix("Rate Ψ̇ of the constraint matrix", eom.Psi_dot, fold=True))
        moving = [paragraph(f"ϕ of {name} = {phi}") for name, phi in driven_constraints(eom)]
        rows = paragraph(f"Rows of Ψ: {', '.join(eom.constraint_names[:40])}.", css_class="quiet")
        parts.append(_block("Multipliers", *moving, typeset.display_equations(*typeset.multiplier_equations(bool(moving))), rows))
        titles = {"multipliers": "Multipliers λ in closed form", "accelerations": "Accelerations q̈, without λ"}
        parts += [self._matrix(titles[name], matrix, fold=True) for name, matrix in multipliers.short_matrices(eom).items()]
        return parts

    def _energies(self) -> list[Html]:
        eom = self.eom
        if eom.kinetic_energy.term_count > 2 * MAX_SHORT_TERMS or eom.potential_energy.term_count > 2 * MAX_SHORT_TERMS:
            return []
        energy_entries = [((f"K of {name}",), x) for name, x in eom.kinetic_energies.items()]
        energy_entries += [((f"V of {name}",), x) for name, x in eom.potential_energies.items()]
        energy_entries.append((("L",), eom.lagrangian))
        self.shown_formulas += [x for _, x in energy_entries]
        body = typeset.formulas(tuple(energy_entries), self.style)
        return [_block("The Lagrangian", typeset.display_equations("<mi>L</mi><mo>=</mo><mi>K</mi><mo>−</mo><mi>V</mi>"), body)]

    def _rows(self) -> list[Html]:
        """The whole equations, if they are short enough to read."""
        eom = self.eom
        if sum(row.left.term_count for row in eom.rows) > MAX_OPEN_TERMS:
            return []
        self.shown_formulas += section_formulas([EquationSection("rows", SectionTitle("Row by row"), lines=eom.rows)])
        return [_block("Row by row", typeset.rows(eom.rows, self.style))]

    def _definitions(self) -> list[Html]:
        eom = self.eom
        abbreviations = definitions(eom, self.shown_formulas)
        parts = []
        if abbreviations:
            pairs = [typeset.definition(x, self.style) for x in abbreviations]
            body = element("div", *pairs, class_="pairs")
            parts.append(
                _block("where", collapsible(f"{len(abbreviations)} abbreviations", body) if len(abbreviations) > 24 else body)
            )
        values = parameter_values(eom)
        if values:
            pairs = [typeset.pair(printers.name_markup(n), number(x, 6)) for n, x in values]
            parts.append(_block("Values", element("div", *pairs, class_="pairs")))
        return parts

    def _proof(self) -> Html:
        eom = self.eom
        terms = eom.derived.christoffel.term_count + _terms(eom.M)
        if eom.n > MAX_PROOF_SIZE[0] or terms > MAX_PROOF_SIZE[1]:
            return paragraph(
                "The equations are not proved here, because the proof would take longer than the rest of the report.",
                css_class="quiet",
            )
        return proof_html(eom.prove())


_CORIOLIS = (
    "<msub><mi>C</mi><mrow><mi>i</mi><mi>j</mi></mrow></msub><mo>=</mo><munder><mo>∑</mo><mi>k</mi></munder>"
    f"<msub>{typeset.letter('Gamma')}<mrow><mi>i</mi><mi>j</mi><mi>k</mi></mrow></msub>"
    f"<msub>{typeset.letter('q', 1)}<mi>k</mi></msub>"
)


def proof_html(proof: Any) -> Html:
    """The proof in one line, with its statements in a part that unfolds."""
    mark, word = ("✓", "Proved") if proof else ("✗", "Not proved")
    sentence = (
        f"{word}: the derivations of Lagrange, Newton-Euler, Kane and Uicker-Kahn and the compiled algorithms give the same "
        "equations"
    )
    rows = [(s.what, s.how, s.result, s.entries, s.term_count or "", f"{s.seconds:.3f}") for s in proof.statements]
    body = table(("statement", "how", "", "entries", "terms", "time [s]"), rows, left_aligned=(0, 1, 2))
    omissions = [paragraph(f"Not part of the proof: {omission}.", css_class="quiet") for omission in proof.left_out]
    kind = "good" if proof else "bad"
    head = paragraph(element("b", mark, class_=kind), f" {sentence}.", css_class="proof")
    return join_html(
        [head, collapsible(f"{len(proof.statements)} statements, {proof.seconds:.2f} s", join_html([body, *omissions]))]
    )


def _block(title: str, *inner: Any) -> Html:
    return join_html([element("h3", title), *inner])


def _terms(matrix: FormulaMatrix) -> int:
    return sum(x.term_count for _, x in matrix.entries)


EQUATIONS = ReportSection("equations", "Equations of motion", equations)
