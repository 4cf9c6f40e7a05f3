"""The equations as sections of named formulas: what is printed, typeset and written into documents."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from lagrangian.equations.formula import Formula
from lagrangian.equations.formula_matrix import FormulaMatrix, index
from lagrangian.equations.writing.notation import typeset_words
from lagrangian.errors import Argument

if TYPE_CHECKING:
    from lagrangian.closed_form.equations import Equations

# parts with more terms than this are printed only when asked for: nobody reads them
LONG = 1500


@dataclass(frozen=True)
class Section:
    """A title, formulas with the names they are equal to, and lines of plain words."""

    title: str
    formulas: tuple[tuple[tuple[str, ...], Formula], ...] = ()
    words: tuple[str, ...] = ()
    typeset: tuple[str, ...] = ()  # the words as formulas, for documents


def of_equations(eom: Equations, full: bool) -> list[Section]:
    """M, the Christoffel symbols, C, G, F, constraints."""
    if not eom.n:
        return [Section("No equations", words=("no joint moves: there are no coordinates, and nothing to derive",))]
    found = [_matrix_section("Mass matrix M", eom.M)]
    found += _velocity_sections(eom, full)
    found.append(Section("G = dV/dq", entries(eom.G), () if has_entries(eom.G) else ("G = 0",)))
    if has_entries(eom.F):
        found.append(Section("Friction F", entries(eom.F)))
    if eom.constraint_names:
        found += _constraint_sections(eom)
    return found


def _velocity_sections(eom: Equations, full: bool) -> list[Section]:
    symbols = eom._derived.christoffel.symbols
    terms = sum(x.terms for x in symbols.values())
    title = "Christoffel symbols Γ_ijk = Γ_ikj that are not zero"
    if not terms:
        return [Section("Velocity terms", words=("all Christoffel symbols are zero: C = 0",))]
    if terms > LONG and not full:
        some = sum(bool(x.poly) for x in symbols.values())
        words = f"{some} symbols with {terms} terms, not printed: {Argument('full', True, of='show')} prints them"
        return [Section(title, words=(words,))]
    return [Section(title, christoffel_entries(eom)), _matrix_section("Coriolis matrix C_ij = sum_k Γ_ijk q'_k", eom.C)]


def christoffel_entries(eom: Equations) -> tuple[tuple[tuple[str, ...], Formula], ...]:
    """The symbols that are not zero, with both names of those that differ in the order of their last two indices."""
    entries = []
    for i, j, k in eom._derived.christoffel.symbols:
        formula = eom.christoffel(i, j, k)
        if not formula.is_zero:
            same = (f"Γ{index(i, j, k)}",) if j == k else (f"Γ{index(i, j, k)}", f"Γ{index(i, k, j)}")
            entries.append((same, formula))
    return tuple(entries)


def _constraint_sections(eom: Equations) -> list[Section]:
    found = []
    if len(eom.closure):
        found.append(Section("Loop closure eta(q) = 0", entries(eom.closure)))
    found.append(_matrix_section("Constraint matrix Psi", eom.Psi))
    found.append(_matrix_section("Psi_dot = d Psi / dt", eom.Psi_dot))
    moving = [f"phi of {name} = {phi}" for name, phi in driven(eom)]
    rate = " + phi_dot" if moving else ""
    typeset_rate = r" + \dot{\phi}" if moving else ""
    found.append(
        Section(
            "Multipliers",
            words=(
                *moving,
                f"Psi q'' + Psi_dot q'{rate} = 0,   f = tau - C q' - G - F",
                f"lambda = -(Psi M^-1 Psi^T)^-1 (Psi_dot q'{rate} + Psi M^-1 f)",
                f"M q'' = f + Psi^T lambda;   row by row: {', '.join(eom.constraint_names)}",
            ),
            typeset=(
                *(rf"\phi_{{\mathrm{{{name}}}}} = {typeset_words(str(x))}" for name, x in driven(eom)),
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


def _matrix_section(title: str, matrix: FormulaMatrix) -> Section:
    """Its entries; that those not listed are zero is said where there are such."""
    zeros = any(x.is_zero for row in matrix.rows for x in row)
    return Section(title + (" (entries not listed are zero)" if zeros else ""), entries(matrix))


def has_entries(matrix: FormulaMatrix) -> bool:
    """Whether any is not zero."""
    return any(not x.is_zero for row in matrix.rows for x in row)


def entries(matrix: FormulaMatrix) -> tuple[tuple[tuple[str, ...], Formula], ...]:
    """Those that are not zero; of a symmetric matrix with both names."""
    found = []
    for i, row in enumerate(matrix.rows):
        for j, formula in enumerate(row):
            if formula.is_zero or (matrix.symmetric and j < i):
                continue
            if matrix.vector:
                same: tuple[str, ...] = (f"{matrix.name}{index(i)}",)
            else:
                same = (f"{matrix.name}{index(i, j)}",)
                if matrix.symmetric and i != j:
                    same = (*same, f"{matrix.name}{index(j, i)}")
            found.append((same, formula))
    return tuple(found)


def heading(eom: Equations) -> str:
    """The equation of motion in plain words."""
    right = "tau + Psi^T lambda" if eom.constraint_names else "tau"
    friction = " + F" if has_entries(eom.F) else ""
    return f"M q'' + C q' + G{friction} = {right}"
