"""The equations typeset with LaTeX: for a paper, and in short for a notebook."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from lagrangian.closed_form.definitions import definitions, families, groups, parameter_values
from lagrangian.closed_form.sections import Section, entries, formulas_of, has_entries
from lagrangian.equations.formula import Formula
from lagrangian.equations.formula_matrix import FormulaMatrix
from lagrangian.equations.writing import text
from lagrangian.equations.writing.lines import WIDTH as LINE
from lagrangian.equations.writing.lines import broken, width
from lagrangian.equations.writing.notation import parts, typeset_words

if TYPE_CHECKING:
    from lagrangian.closed_form.equations import Equations

WIDE = 52.0  # of a matrix in a notebook, in units of the font's size


def equation(eom: Equations) -> str:
    """The equation of motion, typeset."""
    right = r"\tau + \Psi^{T} \lambda" if eom.constraint_names else r"\tau"
    friction = " + F" if has_entries(eom.F) else ""
    return rf"M(q)\,\ddot{{q}} + C(q, \dot{{q}})\,\dot{{q}} + G(q){friction} = {right}"


def coordinates(eom: Equations) -> str:
    """q and its entries, typeset."""
    notation = eom.notation
    return "q = (" + ",\\ ".join("".join(parts(notation.coordinate(k))) for k in range(eom.n)) + ")"


def typeset(eom: Equations, sections: list[Section], digits: int | None, widest: float = LINE) -> str:
    """To be pasted into a paper: the equation of motion, every section as an aligned block, definitions; values as comments."""
    rounding = text.Rounding(digits)
    style = text.latex(eom.notation, rounding)
    name = " ".join(eom.mechanism.name.split())
    blocks = [f"% {name}: equations of motion", rf"\[ {equation(eom)}, \qquad {coordinates(eom)} \]"]
    if not eom.notation.own_names:
        blocks.append("% " + ", ".join(f"q{k} = {x}" for k, x in enumerate(eom.coordinates, 1)))
    for section in sections:
        if section.formulas or section.lines:
            blocks.append(f"% {section.title}\n{block(section, style, widest)}")
        elif section.typeset or section.words:
            blocks += [f"% {section.title}", *(rf"\[ {line} \]" for line in section.typeset)]
            blocks += [] if section.typeset else [f"% {word}" for word in section.words]
    where = [f"{eom.notation.latex(x.name)} &= {x.latex}" for x in definitions(eom, formulas_of(sections)) if x.is_formula]
    where += [row for name, words in groups(eom) for row in broken(eom.notation.latex(name), typeset_words(words), widest)]
    if where:
        blocks.append("% where\n\\begin{align*}\n" + " \\\\\n".join(where) + "\n\\end{align*}")
    values = [f"{name} = {x:g}" for name, x in parameter_values(eom)]
    blocks += [f"% with {', '.join(values)}"] if values else []
    blocks += [f"% {line}" for line in families(eom)]
    blocks += [f"% Numbers are rounded to {digits} digits."] * rounding.rounded
    return "\n".join(blocks)


def block(section: Section, style: text.Style, widest: float = LINE) -> str:
    """The formulas and equations of a section, aligned."""
    rows = [row for same, formula in section.formulas for row in aligned(same, formula, style, widest)]
    rows += [line for row in section.lines for line in row.aligned(style, widest)]
    return "\\begin{align*}\n" + " \\\\\n".join(rows) + "\n\\end{align*}"


def aligned(same: tuple[str, ...], formula: Formula, style: text.Style, widest: float = LINE) -> list[str]:
    """`left &= right`, broken into lines where it is long. Of many names, as zeros have, the first stands on the left."""
    first, others = (same, ()) if len(same) <= 2 else (same[:1], same[1:])
    right = " = ".join((*(left_latex(name) for name in others), formula.typeset(style)))
    return broken(" = ".join(left_latex(name) for name in first), right, widest)


def left_latex(name: str) -> str:
    if " of " in name:  # K of link1
        letter, what = name.split(" of ", 1)
        return rf"{letter}_{{\mathrm{{{re.sub('[^A-Za-z0-9]+', chr(92) + chr(92) + ' ', what)}}}}}"
    letters = name.rstrip("0123456789,")
    word = {
        "closure": r"\eta",
        "Γ": r"\Gamma",
        "Psi": r"\Psi",
        "Psi_dot": r"\dot{\Psi}",
        "tau": r"\tau",
        "lambda": r"\lambda",
    }.get(letters, letters)
    return f"{word}_{{{name[len(letters) :]}}}" if letters != name else "".join(parts(name))


def in_short(eom: Equations) -> str:
    """What a notebook shows: the matrices, one below the other, if they can be read; else what there is."""
    total = sum(x.terms for matrix in (eom.M, eom.C, eom.G) for row in matrix.rows for x in row)
    if total > 250:
        name = re.sub(r"[^\w .-]", " ", eom.mechanism.name)  # nothing that would end the text
        words = f"{name}: M, C, G of {eom.n} coordinates, {total} terms; show() prints them"
        return r"$\text{" + words.replace("_", r"\_") + "}$"
    style = text.latex(eom.notation, text.Rounding(6))
    shown: list[FormulaMatrix] = [eom.M, eom.C, eom.G]
    shown += [eom.F] if has_entries(eom.F) else []
    shown += [eom.Psi] if eom.constraint_names else []
    rows: list[str] = []
    for matrix in shown:
        if max((sum(width(x.latex(6)) + 1 for x in row) for row in matrix.rows), default=0.0) <= WIDE:
            rows.append(f"{left_latex(matrix.name)} &= {matrix.latex(6)}")
        else:  # entry by entry, in lines that fit
            rows += [row for same, formula in entries(matrix) for row in aligned(same, formula, style)]
    met = definitions(eom, formulas_of(eom.sections()))
    where = [f"{eom.notation.latex(x.name)} = {x.latex}" for x in met if x.is_formula]
    rows += [r"& \text{with } " + r",\ ".join(where[k : k + 5]) for k in range(0, len(where), 5)]
    return r"$\displaystyle \begin{aligned} " + r" \\[4pt] ".join(rows) + r" \end{aligned}$"
