"""Equations in a page: MathML that is broken into lines where the page is narrow."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from html import escape

from lagrangian.closed_form.equations import EquationsOfMotion
from lagrangian.closed_form.sections import Definition, EquationRow, NamedFormulas
from lagrangian.equations.formula import Formula
from lagrangian.equations.formula_matrix import FormulaMatrix, index_text
from lagrangian.equations.writing import printers
from lagrangian.equations.writing.printers import MathML, math_element, with_scripts
from lagrangian.report.html import Html

_LETTERS = {"closure": "η", "Psi": "Ψ", "tau": "τ", "phi": "ϕ", "lambda": "λ", "Gamma": "Γ"}


def letter(word: str, dots: int = 0) -> str:
    """The markup of a matrix or vector, such as M, Psi, or q with dots."""
    base = printers.letter_markup(_LETTERS.get(word, word))
    return printers.time_derivative(base, dots) if dots else base


def entry_name(name: str) -> str:
    """The markup of an entry's name: M12, Psi_dot11, Γ112."""
    if " of " in name:  # K of link1
        symbol, subject = name.split(" of ", 1)
        return with_scripts(letter(symbol), f"<mtext>{escape(subject)}</mtext>")
    match = re.fullmatch(r"(.*?)([\d,]*)", name)
    assert match is not None
    symbol, numbers = match.groups()
    base = letter(symbol.removesuffix("_dot"), int(symbol.endswith("_dot")))
    return with_scripts(base, f"<mn>{numbers}</mn>" if numbers else "")


def equation(same: Sequence[str], pieces: Iterable[str]) -> Html:
    """An equation whose right side may continue in further lines. Of many names on the left, one is put in front."""
    left_names, other_names = (same, ()) if len(same) <= 2 else (same[:1], same[1:])
    sides = "<mo>=</mo>".join(entry_name(name) for name in left_names)
    return row(f"{sides}<mo>=</mo>", [*(f"{entry_name(name)}<mo>=</mo>" for name in other_names), *pieces])


def row(before: str, pieces: Iterable[str]) -> Html:
    right = "<wbr>".join(f'<math displaystyle="true">{piece}</math>' for piece in pieces)
    name = math_element(before) if before else ""
    return Html(f'<div class="eq"><span class="lhs">{name}</span><span class="rhs">{right}</span></div>')


def formulas(entries: NamedFormulas, style: MathML) -> Html:
    return Html(f'<div class="eqs">{"".join(equation(same, x.pieces(style)) for same, x in entries)}</div>')


def rows(equations: Iterable[EquationRow], style: MathML) -> Html:
    """Whole equations, a line or more for each."""
    return Html(f'<div class="eqs">{"".join(row("", x.pieces(style)) for x in equations)}</div>')


def display_equations(*inner: str) -> Html:
    """Equations on lines of their own, which are not entries of a mechanism's matrices."""
    return Html("".join(f'<div class="display">{math_element(line, display=True)}</div>' for line in inner))


def structure(matrix: FormulaMatrix) -> str:
    """The structure of a matrix: the names of its entries, and zeros."""

    def entry(i: int, j: int, x: Formula) -> str:
        low, high = (j, i) if matrix.symmetric and j < i else (i, j)
        return "<mn>0</mn>" if x.is_zero else with_scripts(letter(matrix.name), f"<mn>{index_text(low, high)}</mn>")

    return printers.matrix([[entry(i, j, x) for j, x in enumerate(row)] for i, row in enumerate(matrix.rows)])


# -- the equation of motion ---------------------------------------------------------------------------------------------

_OF_Q, _T = f"{printers.OPEN}<mi>q</mi>{printers.CLOSE}", "<mi>T</mi>"
_PLUS, _MINUS, _EQUAL = "<mo>+</mo>", "<mo>−</mo>", "<mo>=</mo>"


def _transpose(word: str) -> str:
    return f"<msup>{letter(word)}{_T}</msup>"


def _inverse(markup: str) -> str:
    return f"<msup>{markup}<mrow><mo>−</mo><mn>1</mn></mrow></msup>"


def equation_of_motion(friction: bool, constrained: bool) -> str:
    """The markup of M q'' + C q' + G + F = tau + Psi^T lambda."""
    q, dq, ddq = (letter("q", dots) for dots in range(3))
    coriolis = f"{letter('C')}{printers.OPEN}{q}<mo>,</mo>{dq}{printers.CLOSE}"
    left_side = f"{letter('M')}{_OF_Q}{printers.TIMES}{ddq}{_PLUS}{coriolis}{printers.TIMES}{dq}{_PLUS}{letter('G')}{_OF_Q}"
    friction_term = f"{_PLUS}{letter('F')}{printers.OPEN}{dq}{printers.CLOSE}" if friction else ""
    constraint_term = f"{_PLUS}{_transpose('Psi')}{letter('lambda')}" if constrained else ""
    return f"{left_side}{friction_term}{_EQUAL}{letter('tau')}{constraint_term}"


def multiplier_equations(driven: bool) -> tuple[str, str, str]:
    """The second derivative of the constraints, and the multipliers and accelerations that follow from it."""
    dq, ddq, psi, M = letter("q", 1), letter("q", 2), letter("Psi"), letter("M")
    rate = f"{letter('Psi', 1)}{dq}" + (f"{_PLUS}{letter('phi', 1)}" if driven else "")
    f = f"<mi>f</mi>{_EQUAL}{letter('tau')}{_MINUS}{letter('C')}{dq}{_MINUS}{letter('G')}{_MINUS}{letter('F')}"
    block = f"<mrow>{printers.OPEN}{psi}{_inverse(M)}{_transpose('Psi')}{printers.CLOSE}</mrow>"
    weighed = f"{printers.OPEN}{rate}{_PLUS}{psi}{_inverse(M)}<mi>f</mi>{printers.CLOSE}"
    return (
        f"{psi}{ddq}{_PLUS}{rate}{_EQUAL}<mn>0</mn><mo>,</mo><mspace width='2em'/>{f}",
        f"{letter('lambda')}{_EQUAL}{_MINUS}{_inverse(block)}{weighed}",
        f"{M}{ddq}{_EQUAL}<mi>f</mi>{_PLUS}{_transpose('Psi')}{letter('lambda')}",
    )


def coordinate_vector(eom: EquationsOfMotion) -> str:
    notation = eom.notation
    inner = "<mo>,</mo>".join(printers.name_markup(notation.coordinate(k)) for k in range(eom.n))
    return f"<mi>q</mi><mo>=</mo>{printers.OPEN}{inner}{printers.CLOSE}"


def pair(name: str, value: Html) -> Html:
    """The pair `name = value`, one of several beside each other."""
    return Html(f'<span class="pair">{math_element(f"{name}<mo>=</mo>")} {value}</span>')


def definition(abbreviation: Definition, style: MathML) -> Html:
    """The definition of an abbreviation, which is typeset if it is a formula."""
    meaning = (
        math_element(printers.expression_markup(abbreviation.meaning))
        if abbreviation.is_formula
        else escape(abbreviation.meaning)
    )
    return pair(style.name(abbreviation.name), Html(meaning))
