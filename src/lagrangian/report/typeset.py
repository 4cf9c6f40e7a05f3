"""Equations in a page: MathML that is broken into lines where the page is narrow."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from html import escape

from lagrangian.closed_form.definitions import Definition
from lagrangian.closed_form.equations import Equations
from lagrangian.closed_form.lines import Row
from lagrangian.closed_form.sections import Entries
from lagrangian.equations.formula import Formula
from lagrangian.equations.formula_matrix import FormulaMatrix, index
from lagrangian.equations.writing import mathml
from lagrangian.equations.writing.mathml import MathML, math, scripted
from lagrangian.report.html import Html

_LETTERS = {"closure": "η", "Psi": "Ψ", "tau": "τ", "phi": "ϕ", "lambda": "λ", "Gamma": "Γ"}


def letter(word: str, dots: int = 0) -> str:
    """A matrix or vector, such as M, Psi, or q with dots."""
    base = mathml.letter(_LETTERS.get(word, word))
    return mathml.dotted(base, dots) if dots else base


def left(name: str) -> str:
    """The name of an entry: M12, Psi_dot11, Γ112."""
    if " of " in name:  # K of link1
        word, what = name.split(" of ", 1)
        return scripted(letter(word), f"<mtext>{escape(what)}</mtext>")
    found = re.fullmatch(r"(.*?)([\d,]*)", name)
    assert found is not None
    word, numbers = found.groups()
    base = letter(word.removesuffix("_dot"), int(word.endswith("_dot")))
    return scripted(base, f"<mn>{numbers}</mn>" if numbers else "")


def equation(same: Sequence[str], pieces: Iterable[str]) -> Html:
    """`left = right`; the right side may go on in further lines. Of many names, as zeros have, the first stands on the left."""
    first, others = (same, ()) if len(same) <= 2 else (same[:1], same[1:])
    sides = "<mo>=</mo>".join(left(name) for name in first)
    return row(f"{sides}<mo>=</mo>", [*(f"{left(name)}<mo>=</mo>" for name in others), *pieces])


def row(before: str, pieces: Iterable[str]) -> Html:
    right = "<wbr>".join(f'<math displaystyle="true">{piece}</math>' for piece in pieces)
    named = math(before) if before else ""
    return Html(f'<div class="eq"><span class="lhs">{named}</span><span class="rhs">{right}</span></div>')


def formulas(entries: Entries, style: MathML) -> Html:
    return Html(f'<div class="eqs">{"".join(equation(same, x.pieces(style)) for same, x in entries)}</div>')


def rows(given: Iterable[Row], style: MathML) -> Html:
    """Whole equations."""
    return Html(f'<div class="eqs">{"".join(row("", x.pieces(style)) for x in given)}</div>')


def lines(*inner: str) -> Html:
    """Equations of their own, not of a mechanism's entries."""
    return Html("".join(f'<div class="display">{math(line, display=True)}</div>' for line in inner))


def structure(matrix: FormulaMatrix) -> str:
    """Which entries there are, and which are zero."""

    def entry(i: int, j: int, x: Formula) -> str:
        low, high = (j, i) if matrix.symmetric and j < i else (i, j)
        return "<mn>0</mn>" if x.is_zero else scripted(letter(matrix.name), f"<mn>{index(low, high)}</mn>")

    return mathml.matrix([[entry(i, j, x) for j, x in enumerate(row)] for i, row in enumerate(matrix.rows)])


# -- the equation of motion ---------------------------------------------------------------------------------------------

_OF_Q, _T = f"{mathml.OPEN}<mi>q</mi>{mathml.CLOSE}", "<mi>T</mi>"
_PLUS, _MINUS, _EQUAL = "<mo>+</mo>", "<mo>−</mo>", "<mo>=</mo>"


def _turned(word: str) -> str:
    return f"<msup>{letter(word)}{_T}</msup>"


def _inverse(markup: str) -> str:
    return f"<msup>{markup}<mrow><mo>−</mo><mn>1</mn></mrow></msup>"


def of_motion(friction: bool, constrained: bool) -> str:
    """M q'' + C q' + G + F = tau + Psi^T lambda."""
    q, dq, ddq = (letter("q", dots) for dots in range(3))
    coriolis = f"{letter('C')}{mathml.OPEN}{q}<mo>,</mo>{dq}{mathml.CLOSE}"
    left = f"{letter('M')}{_OF_Q}{mathml.TIMES}{ddq}{_PLUS}{coriolis}{mathml.TIMES}{dq}{_PLUS}{letter('G')}{_OF_Q}"
    friction_ = f"{_PLUS}{letter('F')}{mathml.OPEN}{dq}{mathml.CLOSE}" if friction else ""
    held = f"{_PLUS}{_turned('Psi')}{letter('lambda')}" if constrained else ""
    return f"{left}{friction_}{_EQUAL}{letter('tau')}{held}"


def of_multipliers(driven: bool) -> tuple[str, str, str]:
    """The constraints' second derivative, and what follows for the multipliers and the accelerations."""
    dq, ddq, psi, M = letter("q", 1), letter("q", 2), letter("Psi"), letter("M")
    rate = f"{letter('Psi', 1)}{dq}" + (f"{_PLUS}{letter('phi', 1)}" if driven else "")
    f = f"<mi>f</mi>{_EQUAL}{letter('tau')}{_MINUS}{letter('C')}{dq}{_MINUS}{letter('G')}{_MINUS}{letter('F')}"
    block = f"<mrow>{mathml.OPEN}{psi}{_inverse(M)}{_turned('Psi')}{mathml.CLOSE}</mrow>"
    weighed = f"{mathml.OPEN}{rate}{_PLUS}{psi}{_inverse(M)}<mi>f</mi>{mathml.CLOSE}"
    return (
        f"{psi}{ddq}{_PLUS}{rate}{_EQUAL}<mn>0</mn><mo>,</mo><mspace width='2em'/>{f}",
        f"{letter('lambda')}{_EQUAL}{_MINUS}{_inverse(block)}{weighed}",
        f"{M}{ddq}{_EQUAL}<mi>f</mi>{_PLUS}{_turned('Psi')}{letter('lambda')}",
    )


def coordinates(eom: Equations) -> str:
    notation = eom.notation
    inner = "<mo>,</mo>".join(mathml.name(notation.coordinate(k)) for k in range(eom.n))
    return f"<mi>q</mi><mo>=</mo>{mathml.OPEN}{inner}{mathml.CLOSE}"


def pair(name: str, value: Html) -> Html:
    """`name = value`, one of several beside each other."""
    return Html(f'<span class="pair">{math(f"{name}<mo>=</mo>")} {value}</span>')


def definition(given: Definition, style: MathML) -> Html:
    """What a name stands for: typeset if it is a formula."""
    meaning = math(mathml.words(given.meaning)) if given.is_formula else escape(given.meaning)
    return pair(style.name(given.name), Html(meaning))
