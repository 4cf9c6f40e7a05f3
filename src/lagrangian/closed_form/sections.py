"""The equations as sections of named formulas: what is printed, typeset and written into documents."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from lagrangian.closed_form.lines import Line
from lagrangian.equations.formula import Formula
from lagrangian.equations.formula_matrix import FormulaMatrix, index
from lagrangian.equations.writing.notation import typeset_words, upright
from lagrangian.errors import Argument

if TYPE_CHECKING:
    from lagrangian.closed_form.equations import Equations

# parts with more terms than this are printed only when asked for: nobody reads them
LONG = 1500
# energies and whole rows repeat what stands above them: of these, fewer are printed unasked
READ = 400
# entries that are zero, in one line
ZEROS = 6


# formulas, each with the names of the entries that are equal to it
Entries = tuple[tuple[tuple[str, ...], Formula], ...]


@dataclass(frozen=True)
class Title:
    """Words, then perhaps a formula, as a terminal and as LaTeX write it, then perhaps more words."""

    words: str
    formula: str = ""
    latex: str = ""
    remark: str = ""

    def __str__(self) -> str:
        return " ".join(part for part in (self.words, self.formula, self.remark) if part)

    def typeset(self, escaped: Callable[[str], str] = str) -> str:
        """With the formula as LaTeX; `escaped` makes words fit for the document."""
        formula = f"${self.latex}$" if self.latex else ""
        return " ".join(part for part in (escaped(self.words), formula, escaped(self.remark)) if part)


@dataclass(frozen=True)
class Section:
    """A part of the equations: formulas with the names they are equal to, or lines of plain words.

    `key` says which part it is: `M`, `christoffel`, `C`, `G`, `F`, `closure`, `Psi`, `Psi_dot`, `multipliers`, `energies`,
    `rows`, `none`.
    """

    key: str
    heading: Title
    formulas: Entries = ()
    words: tuple[str, ...] = ()
    typeset: tuple[str, ...] = ()  # the words as formulas, for documents
    lines: tuple[Line, ...] = ()  # whole equations, and vectors

    @property
    def title(self) -> str:
        """The heading in plain text."""
        return str(self.heading)


def formulas_of(sections: Iterable[Section]) -> list[Formula]:
    """All formulas of some sections."""
    found = []
    for section in sections:
        found += [formula for _, formula in section.formulas]
        for line in section.lines:
            found += line.formulas
    return found


def of_equations(eom: Equations, full: bool) -> list[Section]:
    """M, the Christoffel symbols, C, G, F, constraints, energies, and the equations row by row."""
    if not eom.n:
        words = "No joint moves, so there are no coordinates and no equations."
        return [Section("none", Title("No equations"), words=(words,))]
    found = [_of_matrix("M", Title("Mass matrix", "M", "M"), eom.M)]
    found += _velocity_sections(eom, full)
    of_potential = Title("", "G = dV/dq", r"G = \partial V / \partial q")
    found.append(Section("G", of_potential, entries(eom.G), () if has_entries(eom.G) else ("G = 0",)))
    if has_entries(eom.F):
        found.append(Section("F", Title("Friction", "F", "F"), entries(eom.F)))
    if eom.constraint_names:
        from lagrangian.closed_form import multipliers

        found += [*_constraint_sections(eom), *multipliers.sections(eom)]
    return [*found, _energies(eom, full), _rows(eom, full)]


def _energies(eom: Equations, full: bool) -> Section:
    """Of every link, if the equations are in the links' own parameters; and L."""
    title = Title("Energies", "L = K - V", "L = K - V")
    whole: list[tuple[tuple[str, ...], Formula]] = [(("K",), eom.kinetic_energy), (("V",), eom.potential_energy)]
    if sum(x.terms for _, x in whole) > READ and not full:
        return Section("energies", title, words=(not_printed("kinetic and potential energy", [x for _, x in whole]),))
    parts = []
    if eom.grouping is None:
        parts += [((f"K of {name}",), x) for name, x in eom.kinetic_energies.items()]
        parts += [((f"V of {name}",), x) for name, x in eom.potential_energies.items()]
        whole = []
    return Section("energies", title, (*parts, *whole, (("L",), eom.lagrangian)))


def _rows(eom: Equations, full: bool) -> Section:
    title = Title("Row by row")
    formulas = [row.left for row in eom.rows]
    if sum(x.terms for x in formulas) > READ and not full:
        return Section("rows", title, words=(not_printed(f"{eom.n} equations", formulas),))
    return Section("rows", title, lines=eom.rows)


def not_printed(what: str, formulas: Sequence[Formula]) -> str:
    return f"{what} of {sum(x.terms for x in formulas)} terms, not printed: {Argument('full', True, of='show')} prints them"


def _velocity_sections(eom: Equations, full: bool) -> list[Section]:
    christoffel = eom.derived.christoffel
    title = Title("Christoffel symbols", "Γ_ijk = Γ_ikj", r"\Gamma_{ijk} = \Gamma_{ikj}", "that are not zero")
    if not christoffel.terms:
        return [Section("christoffel", Title("Velocity terms"), words=("all Christoffel symbols are zero: C = 0",))]
    if christoffel.terms > LONG and not full:
        size = f"{christoffel.count} symbols with {christoffel.terms} terms"
        words = f"{size}, not printed: {Argument('full', True, of='show')} prints them"
        return [Section("christoffel", title, words=(words,))]
    of_matrix = Title("Coriolis matrix", "C_ij = sum_k Γ_ijk q'_k", r"C_{ij} = \sum_k \Gamma_{ijk}\,\dot{q}_k")
    return [Section("christoffel", title, christoffel_entries(eom)), _of_matrix("C", of_matrix, eom.C)]


def christoffel_entries(eom: Equations) -> Entries:
    """The symbols that are not zero, with both names of those that differ in the order of their last two indices."""
    entries = []
    for i, j, k in eom.derived.christoffel.symbols:
        formula = eom.christoffel(i, j, k)
        if not formula.is_zero:
            same = (f"Γ{index(i, j, k)}",) if j == k else (f"Γ{index(i, j, k)}", f"Γ{index(i, k, j)}")
            entries.append((same, formula))
    return tuple(entries)


def _constraint_sections(eom: Equations) -> list[Section]:
    found = []
    if len(eom.closure):
        found.append(Section("closure", Title("Loops", "closure(q) = 0", r"\eta(q) = 0"), entries(eom.closure)))
    found.append(_of_matrix("Psi", Title("Constraint matrix", "Psi", r"\Psi"), eom.Psi))
    of_rate = Title("", "Psi_dot = d Psi / dt", r"\dot{\Psi} = \mathrm{d}\Psi / \mathrm{d}t")
    found.append(_of_matrix("Psi_dot", of_rate, eom.Psi_dot))
    moving = [f"phi of {name} = {phi}" for name, phi in driven(eom)]
    rate = " + phi_dot" if moving else ""
    typeset_rate = r" + \dot{\phi}" if moving else ""
    found.append(
        Section(
            "multipliers",
            Title("Multipliers"),
            words=(
                *moving,
                f"Psi q'' + Psi_dot q'{rate} = 0,   f = tau - C q' - G - F",
                f"lambda = -(Psi M^-1 Psi^T)^-1 (Psi_dot q'{rate} + Psi M^-1 f)",
                f"M q'' = f + Psi^T lambda;   row by row: {', '.join(eom.constraint_names)}",
            ),
            typeset=(
                *(rf"\phi_{{\mathrm{{{upright(name)}}}}} = {typeset_words(str(x))}" for name, x in driven(eom)),
                rf"\Psi \ddot{{q}} + \dot{{\Psi}} \dot{{q}}{typeset_rate} = 0, \qquad f = \tau - C \dot{{q}} - G - F",
                rf"\lambda = -(\Psi M^{{-1}} \Psi^{{T}})^{{-1}} (\dot{{\Psi}} \dot{{q}}{typeset_rate} + \Psi M^{{-1}} f)",
                r"M \ddot{q} = f + \Psi^{T} \lambda",
            ),
        )
    )
    return found


def driven(eom: Equations) -> list[tuple[str, Any]]:
    """Constraints with a phi(t), and it."""
    return [(name, phi) for name, phi in zip(eom.constraint_names, eom.phi, strict=True) if str(phi) != "0"]


def _of_matrix(key: str, title: Title, matrix: FormulaMatrix) -> Section:
    return Section(key, title, entries(matrix))


def has_entries(matrix: FormulaMatrix) -> bool:
    """Whether any is not zero."""
    return any(not x.is_zero for row in matrix.rows for x in row)


def entries(matrix: FormulaMatrix) -> Entries:
    """All of them, of a symmetric matrix with both names; zeros that follow each other in a row have one line."""
    found: list[tuple[tuple[str, ...], Formula]] = []
    for i, row in enumerate(matrix.rows):
        begins = not matrix.vector  # a line, with every row of a matrix
        for j, formula in enumerate(row):
            if matrix.symmetric and j < i:
                continue
            if matrix.vector:
                same: tuple[str, ...] = (f"{matrix.name}{index(i)}",)
            else:
                same = (f"{matrix.name}{index(i, j)}",)
                if matrix.symmetric and i != j:
                    same = (*same, f"{matrix.name}{index(j, i)}")
            if not begins and formula.is_zero and found and found[-1][1].is_zero and len(found[-1][0]) < ZEROS:
                found[-1] = ((*found[-1][0], *same), formula)
            else:
                found.append((same, formula))
            begins = False
    return tuple(found)


def equation_of_motion(eom: Equations) -> str:
    """The equation of motion in plain words."""
    right = "tau + Psi^T lambda" if eom.constraint_names else "tau"
    friction = " + F" if has_entries(eom.F) else ""
    return f"M q'' + C q' + G{friction} = {right}"
