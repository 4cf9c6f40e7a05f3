"""The equations written: as text for a terminal, as LaTeX for a paper or a notebook, and as a LaTeX or Markdown document."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from lagrangian.closed_form.sections import (
    MAX_PRINTED_TERMS,
    EquationSection,
    definitions,
    equation_of_motion,
    family_descriptions,
    group_definitions,
    has_nonzero_entries,
    matrix_entries,
    parameter_values,
    section_formulas,
)
from lagrangian.equations.formula import Formula
from lagrangian.equations.formula_matrix import FormulaMatrix
from lagrangian.equations.writing import printers
from lagrangian.equations.writing.notation import GREEK, latex_expression, latex_name_parts, unicode_name
from lagrangian.equations.writing.printers import LATEX_WIDTH, break_lines, latex_width
from lagrangian.errors import ArgumentError, ArgumentName, make_visible
from lagrangian.files import as_path, write

if TYPE_CHECKING:
    from lagrangian.closed_form.equations import EquationsOfMotion


TEXT_WIDTH = 110  # of a line in a terminal, in characters
MAX_MATRIX_WIDTH = 52.0  # of a matrix in a notebook, in em
_PREAMBLE = r"""\documentclass[11pt]{article}
\usepackage[a4paper,margin=20mm]{geometry}
\usepackage{amsmath}
\usepackage[T1]{fontenc}
\usepackage[utf8]{inputenc}
\allowdisplaybreaks
\begin{document}
"""


def equations_text(eom: EquationsOfMotion, sections: list[EquationSection], digits: int | None, width: int = TEXT_WIDTH) -> str:
    """The equations as text for a terminal, in lines of at most `width` characters where they can be broken."""
    rounding = printers.NumberFormat(digits)
    style = printers.unicode_style(eom.notation, rounding)
    lines = [f"{eom.mechanism.name}: {equation_of_motion(eom)}", *_legend(eom, width), ""]
    for section in sections:
        lines += [section.title, *(line for word in section.words for line in _wrap(f"  {word}", width))]
        for names, formula in section.formulas:
            left = " = ".join(_with_subscripts(name) for name in names)
            lines += _wrap(f"  {left} = {formula.to_string(style)}", width)
        for display_line in section.lines:
            lines += [line for text_line in display_line.lines(style, width - 4) for line in _wrap(f"  {text_line}", width)]
        lines.append("")
    lines += _definition_lines(eom, sections, width)
    if rounding.rounded:
        lines.append(f"Numbers are rounded to {digits} digits; {ArgumentName('digits', None)} writes them exactly.")
    lines += [f"Note: {note}" for note in eom.notes]
    return "\n".join(lines).rstrip()


def latex_source(eom: EquationsOfMotion, sections: list[EquationSection], digits: int | None, width: float = LATEX_WIDTH) -> str:
    """LaTeX to paste into a paper: the equation of motion, every section as an aligned block, definitions; values as comments."""
    rounding = printers.NumberFormat(digits)
    style = printers.latex_style(eom.notation, rounding)
    name = " ".join(eom.mechanism.name.split())
    blocks = [f"% {name}: equations of motion", rf"\[ {equation_latex(eom)}, \qquad {coordinates_latex(eom)} \]"]
    if not eom.notation.uses_coordinate_names:
        blocks.append("% " + ", ".join(f"q{k} = {x}" for k, x in enumerate(eom.coordinates, 1)))
    for section in sections:
        if section.formulas or section.lines:
            blocks.append(f"% {section.title}\n{aligned_block(section, style, width)}")
        elif section.latex_words or section.words:
            blocks += [f"% {section.title}", *(rf"\[ {line} \]" for line in section.latex_words)]
            blocks += [] if section.latex_words else [f"% {word}" for word in section.words]
    where = [f"{eom.notation.latex(x.name)} &= {x.latex}" for x in definitions(eom, section_formulas(sections)) if x.is_formula]
    where += [
        row
        for name, words in group_definitions(eom)
        for row in break_lines(eom.notation.latex(name), latex_expression(words), width)
    ]
    if where:
        blocks.append("% where\n\\begin{align*}\n" + " \\\\\n".join(where) + "\n\\end{align*}")
    values = [f"{name} = {x:g}" for name, x in parameter_values(eom)]
    blocks += [f"% with {', '.join(values)}"] if values else []
    blocks += [f"% {line}" for line in family_descriptions(eom)]
    blocks += [f"% Numbers are rounded to {digits} digits."] * rounding.rounded
    return "\n".join(blocks)


def notebook_latex(eom: EquationsOfMotion) -> str:
    """LaTeX for a notebook: the matrices, one below the other; if they are too long to be read, how long they are."""
    total = sum(x.term_count for matrix in (eom.M, eom.C, eom.G) for row in matrix.rows for x in row)
    if total > 250:
        name = re.sub(r"[^\w .-]", " ", eom.mechanism.name)  # nothing that would end the text
        words = f"{name}: M, C, G of {eom.n} coordinates, {total} terms; show() prints them"
        return r"$\text{" + words.replace("_", r"\_") + "}$"
    style = printers.latex_style(eom.notation, printers.NumberFormat(6))
    matrices: list[FormulaMatrix] = [eom.M, eom.C, eom.G]
    matrices += [eom.F] if has_nonzero_entries(eom.F) else []
    matrices += [eom.Psi] if eom.constraint_names else []
    rows: list[str] = []
    for matrix in matrices:
        if max((sum(latex_width(x.latex(6)) + 1 for x in row) for row in matrix.rows), default=0.0) <= MAX_MATRIX_WIDTH:
            rows.append(f"{name_latex(matrix.name)} &= {matrix.latex(6)}")
        else:  # entry by entry, in lines that fit
            rows += [row for names, formula in matrix_entries(matrix) for row in aligned_rows(names, formula, style)]
    definitions_used = definitions(eom, section_formulas(eom.sections()))
    where = [f"{eom.notation.latex(x.name)} = {x.latex}" for x in definitions_used if x.is_formula]
    rows += [r"& \text{with } " + r",\ ".join(where[k : k + 5]) for k in range(0, len(where), 5)]
    return r"$\displaystyle \begin{aligned} " + r" \\[4pt] ".join(rows) + r" \end{aligned}$"


def save_document(
    eom: EquationsOfMotion,
    path: Any,
    digits: int | None,
    document: bool = True,
    width: float = LATEX_WIDTH,
    sections: list[EquationSection] | None = None,
) -> None:
    """Write the equations, or other sections about them, to a file."""
    target = as_path(path)
    writers = {".tex": _latex_document, ".md": _markdown_document}
    if target.suffix not in writers:
        raise ArgumentError(f"save: {target.name!r} ends in {target.suffix!r}; use .tex or .md", concerns="path")
    if not document and target.suffix != ".tex":
        raise ArgumentError(
            f"save: {target.name!r} is not a .tex file; document=False writes LaTeX to paste into another document",
            concerns="document",
        )
    sections = _sections_to_save(eom) if sections is None else sections
    contents = writers[target.suffix](eom, sections, digits) if document else latex_source(eom, sections, digits, width) + "\n"
    write(target, contents)


def markdown(eom: EquationsOfMotion, digits: int | None = 6, sections: list[EquationSection] | None = None) -> str:
    """The document in Markdown, as a text."""
    return _markdown_document(eom, _sections_to_save(eom) if sections is None else sections, digits)


def equation_latex(eom: EquationsOfMotion) -> str:
    """The equation of motion, typeset."""
    right = r"\tau + \Psi^{T} \lambda" if eom.constraint_names else r"\tau"
    friction = " + F" if has_nonzero_entries(eom.F) else ""
    return rf"M(q)\,\ddot{{q}} + C(q, \dot{{q}})\,\dot{{q}} + G(q){friction} = {right}"


def coordinates_latex(eom: EquationsOfMotion) -> str:
    """q and its entries, typeset."""
    notation = eom.notation
    return "q = (" + ",\\ ".join("".join(latex_name_parts(notation.coordinate(k))) for k in range(eom.n)) + ")"


def aligned_block(section: EquationSection, style: printers.FormulaStyle, width: float = LATEX_WIDTH) -> str:
    """The formulas and equations of a section, aligned."""
    rows = [row for names, formula in section.formulas for row in aligned_rows(names, formula, style, width)]
    rows += [line for row in section.lines for line in row.aligned_rows(style, width)]
    return "\\begin{align*}\n" + " \\\\\n".join(rows) + "\n\\end{align*}"


def aligned_rows(names: tuple[str, ...], formula: Formula, style: printers.FormulaStyle, width: float = LATEX_WIDTH) -> list[str]:
    """`left &= right`, broken into lines where it is long. Of many names, as zeros have, the first stands on the left."""
    first, other_names = (names, ()) if len(names) <= 2 else (names[:1], names[1:])
    right = " = ".join((*(name_latex(name) for name in other_names), formula.typeset(style)))
    return break_lines(" = ".join(name_latex(name) for name in first), right, width)


def name_latex(name: str) -> str:
    """The LaTeX of an entry's name, such as M12, tau1 or `K of link1`."""
    if " of " in name:  # K of link1
        letter, owner = name.split(" of ", 1)
        return rf"{letter}_{{\mathrm{{{re.sub('[^A-Za-z0-9]+', chr(92) + chr(92) + ' ', owner)}}}}}"
    letters = name.rstrip("0123456789,")
    word = {
        "closure": r"\eta",
        "Γ": r"\Gamma",
        "Psi": r"\Psi",
        "Psi_dot": r"\dot{\Psi}",
        "tau": r"\tau",
        "lambda": r"\lambda",
    }.get(letters, letters)
    return f"{word}_{{{name[len(letters) :]}}}" if letters != name else "".join(latex_name_parts(name))


def _legend(eom: EquationsOfMotion, width: int) -> list[str]:
    """The names of the coordinates; by number if they are long."""
    if eom.notation.uses_coordinate_names:
        return [f"q = ({', '.join(unicode_name(name) for name in eom.coordinates)})"]
    return _join_side_by_side([f"{unicode_name(f'q{k}')} = {name}" for k, name in enumerate(eom.coordinates, 1)], width)


def _definition_lines(eom: EquationsOfMotion, sections: list[EquationSection], width: int) -> list[str]:
    notation = eom.notation
    definition_lines = [
        f"{notation.unicode(x.name)} = {_unicode_names(x.meaning) if x.is_formula else x.meaning}"
        for x in definitions(eom, section_formulas(sections))
    ]
    group_lines = [f"{notation.unicode(name)} = {words}" for name, words in group_definitions(eom)]
    values = [f"{unicode_name(name)} = {x:g}" for name, x in parameter_values(eom)]
    if not definition_lines and not group_lines and not values:
        return []
    lines = ["where"]
    short = [line for line in definition_lines if len(line) < 40]
    lines += _join_side_by_side(short, width)
    for line in [*(line for line in definition_lines if len(line) >= 40), *family_descriptions(eom)]:
        lines += _wrap(f"  {line}", width)
    lines += _join_side_by_side(values, width)
    if group_lines:
        lines += ["base parameters that stand for groups"]
        for line in group_lines:
            lines += _wrap(f"  {line}", width)
    return [*lines, ""]


def _unicode_names(formula: str) -> str:
    """A formula with Greek letters and indices."""
    words = re.split(r"([A-Za-z_][A-Za-z_0-9]*)", formula)
    return "".join(word if word in ("sin", "cos") else unicode_name(word) for word in words)


def _join_side_by_side(items: list[str], width: int) -> list[str]:
    """Short definitions side by side."""
    lines, line = [], ""
    for item in items:
        if line and len(line) + len(item) + 4 > width:
            lines.append(line)
            line = ""
        line = f"{line};   {item}" if line else f"  {item}"
    return [*lines, line] if line else lines


def _wrap(line: str, width: int) -> list[str]:
    return textwrap.wrap(line, width, subsequent_indent="      ", break_long_words=False, break_on_hyphens=False)


def _with_subscripts(name: str) -> str:
    """The name of an entry, such as M12, with its indices as subscripts."""
    if " of " in name:  # K of link1
        return name
    letters = name.rstrip("0123456789,")
    return letters + name[len(letters) :].translate(str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉"))


def _sections_to_save(eom: EquationsOfMotion) -> list[EquationSection]:
    """All sections, or without their very long parts if the equations are too long to be read."""
    return eom.sections(full=eom.derived.christoffel.term_count <= 20 * MAX_PRINTED_TERMS)


def _title(eom: EquationsOfMotion) -> str:
    return f"Equations of motion of {eom.mechanism.name}"


def _section_block(eom: EquationsOfMotion, section: EquationSection, rounding: printers.NumberFormat) -> str:
    return aligned_block(section, printers.latex_style(eom.notation, rounding))


def _meanings(eom: EquationsOfMotion, sections: list[EquationSection], escape: Callable[[str], str]) -> list[tuple[str, str]]:
    """Typeset names with what they stand for: a typeset formula, or words that `escape` makes fit for the document."""
    notation = eom.notation
    meanings = []
    if not notation.uses_coordinate_names:
        meanings += [("".join(latex_name_parts(f"q{k}")), escape(name)) for k, name in enumerate(eom.coordinates, 1)]
    for x in definitions(eom, section_formulas(sections)):
        meanings.append((notation.latex(x.name), f"${x.latex}$" if x.is_formula else escape(x.meaning)))
    return meanings + [("".join(latex_name_parts(name)), f"{x:g}") for name, x in parameter_values(eom)]


def _group_rows(eom: EquationsOfMotion) -> list[str]:
    notation = eom.notation
    return [row for name, words in group_definitions(eom) for row in break_lines(notation.latex(name), latex_expression(words))]


def _latex_document(eom: EquationsOfMotion, sections: list[EquationSection], digits: int | None) -> str:
    rounding = printers.NumberFormat(digits)
    lines = [_PREAMBLE + f"\\section*{{{_escape_latex(_title(eom))}}}", _escape_latex(eom.mechanism.description.strip()), ""]
    lines += [f"\\[ {equation_latex(eom)}, \\qquad {coordinates_latex(eom)} \\]"]
    for section in sections:
        lines.append(f"\\subsection*{{{section.heading.typeset(_escape_latex)}}}")
        lines += [f"\\[ {line} \\]" for line in section.latex_words] or [_escape_latex(word) + r"\par" for word in section.words]
        if section.formulas or section.lines:
            lines.append(_section_block(eom, section, rounding))
    meanings = _meanings(eom, sections, _escape_latex)
    if meanings:
        lines.append(r"\subsection*{where}")
        lines += [f"${name}$: {words}\\par" for name, words in meanings]
    lines += [_escape_latex(line) + r"\par" for line in family_descriptions(eom)]
    grouped = _group_rows(eom)
    if grouped:
        lines.append(r"\subsection*{Base parameters that stand for groups}")
        lines.append("\\begin{align*}\n" + " \\\\\n".join(grouped) + "\n\\end{align*}")
    lines += [_rounding_note(digits)] * rounding.rounded
    lines += [f"\\noindent Note: {_escape_latex(note)}\\par" for note in eom.notes]
    return "\n".join([*lines, r"\end{document}", ""])


def _markdown_document(eom: EquationsOfMotion, sections: list[EquationSection], digits: int | None) -> str:
    rounding = printers.NumberFormat(digits)
    lines = [f"# {_escape_markdown(_title(eom))}", "", _escape_markdown(eom.mechanism.description.strip()), ""]
    lines += ["$$", f"{equation_latex(eom)}, \\qquad {coordinates_latex(eom)}", "$$", ""]
    for section in sections:
        lines += [f"## {section.heading.typeset(_escape_markdown)}", ""]
        lines += [f"$$\n{line}\n$$\n" for line in section.latex_words] or [
            f"{_escape_markdown(word)}  " for word in section.words
        ]
        if section.formulas or section.lines:
            lines += ["$$", _section_block(eom, section, rounding).replace("align*", "aligned"), "$$", ""]
    meanings = _meanings(eom, sections, _escape_markdown)
    if meanings:
        lines += ["## where", "", "| name | stands for |", "| --- | --- |"]
        lines += [f"| ${name}$ | {words} |" for name, words in meanings]
        lines.append("")
    lines += [*map(_escape_markdown, family_descriptions(eom)), ""]
    grouped = _group_rows(eom)
    if grouped:
        body = " \\\\\n".join(grouped)
        lines += [
            "## Base parameters that stand for groups",
            "",
            "$$",
            f"\\begin{{aligned}}\n{body}\n\\end{{aligned}}",
            "$$",
            "",
        ]
    lines += [_rounding_note(digits)] * rounding.rounded
    lines += [f"Note: {_escape_markdown(note)}" for note in eom.notes]
    return "\n".join(lines).rstrip() + "\n"


def _rounding_note(digits: int | None) -> str:
    return f"Numbers are rounded to {digits} digits."


def _escape_markdown(words: str) -> str:
    """Words as Markdown, and the HTML made of it, show them: no tag, link, table or formula begins in them."""
    words = re.sub(r"([\\`*\[\]#|~$!]|(?<!\w)_|_(?!\w))", r"\\\1", make_visible(words))
    return words.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def _escape_latex(words: str) -> str:
    """Words as LaTeX shows them."""
    greek = {letter: f"$\\{name}$" for name, letter in GREEK.items()}
    special = {"\\": r"\textbackslash{}", "^": r"\^{}", "~": r"\~{}", "²": "$^2$", "°": r"$^\circ$", "·": r"$\cdot$"} | greek
    plain = {mark: f"\\{mark}" for mark in "&%$#_{}"}
    return "".join(special.get(c) or plain.get(c) or (c if ord(c) < 256 else "?") for c in make_visible(words))
