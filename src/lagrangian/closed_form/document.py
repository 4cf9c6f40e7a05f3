"""Documents of their own: the equations as a LaTeX or Markdown file."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from lagrangian.closed_form.definitions import definitions, families, groups, parameter_values
from lagrangian.closed_form.latex import block, coordinates, equation, typeset
from lagrangian.closed_form.sections import LONG, Section, formulas_of
from lagrangian.equations.writing import text
from lagrangian.equations.writing.lines import WIDTH, broken
from lagrangian.equations.writing.notation import GREEK, parts, typeset_words
from lagrangian.errors import ArgumentError
from lagrangian.files import as_path, write
from lagrangian.visible import visible

if TYPE_CHECKING:
    from lagrangian.closed_form.equations import Equations

_TEX = r"""\documentclass[11pt]{article}
\usepackage[a4paper,margin=20mm]{geometry}
\usepackage{amsmath}
\usepackage[T1]{fontenc}
\usepackage[utf8]{inputenc}
\allowdisplaybreaks
\begin{document}
"""


def save(
    eom: Equations,
    path: Any,
    digits: int | None,
    document: bool = True,
    width: float = WIDTH,
    sections: list[Section] | None = None,
) -> None:
    """The equations, or other sections about them."""
    target = as_path(path)
    writers = {".tex": _tex, ".md": _markdown_of}
    if target.suffix not in writers:
        raise ArgumentError(f"save: {target.name!r} ends in {target.suffix!r}; use .tex or .md", concerns="path")
    if not document and target.suffix != ".tex":
        raise ArgumentError(
            f"save: {target.name!r} is not a .tex file; document=False writes LaTeX to paste into another document",
            concerns="document",
        )
    sections = _sections(eom) if sections is None else sections
    written = writers[target.suffix](eom, sections, digits) if document else typeset(eom, sections, digits, width) + "\n"
    write(target, written)


def markdown(eom: Equations, digits: int | None = 6, sections: list[Section] | None = None) -> str:
    """The document in Markdown, as a text."""
    return _markdown_of(eom, _sections(eom) if sections is None else sections, digits)


def _sections(eom: Equations) -> list[Section]:
    """All, unless nobody could read them."""
    return eom.sections(full=eom.derived.christoffel.terms <= 20 * LONG)


def _title(eom: Equations) -> str:
    return f"Equations of motion of {eom.mechanism.name}"


def _blocks(eom: Equations, section: Section, rounding: text.Rounding) -> str:
    return block(section, text.latex(eom.notation, rounding))


def _meanings(eom: Equations, sections: list[Section], escaped: Callable[[str], str]) -> list[tuple[str, str]]:
    """Names typeset, with what they stand for: formulas typeset too, words as the document needs them."""
    notation = eom.notation
    found = []
    if not notation.own_names:
        found += [("".join(parts(f"q{k}")), escaped(name)) for k, name in enumerate(eom.coordinates, 1)]
    for x in definitions(eom, formulas_of(sections)):
        found.append((notation.latex(x.name), f"${x.latex}$" if x.is_formula else escaped(x.meaning)))
    return found + [("".join(parts(name)), f"{x:g}") for name, x in parameter_values(eom)]


def _groups(eom: Equations) -> list[str]:
    notation = eom.notation
    return [row for name, words in groups(eom) for row in broken(notation.latex(name), typeset_words(words))]


def _tex(eom: Equations, sections: list[Section], digits: int | None) -> str:
    rounding = text.Rounding(digits)
    lines = [_TEX + f"\\section*{{{_escaped(_title(eom))}}}", _escaped(eom.mechanism.description.strip()), ""]
    lines += [f"\\[ {equation(eom)}, \\qquad {coordinates(eom)} \\]"]
    for section in sections:
        lines.append(f"\\subsection*{{{section.heading.typeset(_escaped)}}}")
        lines += [f"\\[ {line} \\]" for line in section.typeset] or [_escaped(word) + r"\par" for word in section.words]
        if section.formulas or section.lines:
            lines.append(_blocks(eom, section, rounding))
    meanings = _meanings(eom, sections, _escaped)
    if meanings:
        lines.append(r"\subsection*{where}")
        lines += [f"${name}$: {words}\\par" for name, words in meanings]
    lines += [_escaped(line) + r"\par" for line in families(eom)]
    grouped = _groups(eom)
    if grouped:
        lines.append(r"\subsection*{Base parameters that stand for groups}")
        lines.append("\\begin{align*}\n" + " \\\\\n".join(grouped) + "\n\\end{align*}")
    lines += [_rounded(digits)] * rounding.rounded
    lines += [f"\\noindent Note: {_escaped(note)}\\par" for note in eom.notes]
    return "\n".join([*lines, r"\end{document}", ""])


def _markdown_of(eom: Equations, sections: list[Section], digits: int | None) -> str:
    rounding = text.Rounding(digits)
    lines = [f"# {_marked_up(_title(eom))}", "", _marked_up(eom.mechanism.description.strip()), ""]
    lines += ["$$", f"{equation(eom)}, \\qquad {coordinates(eom)}", "$$", ""]
    for section in sections:
        lines += [f"## {section.heading.typeset(_marked_up)}", ""]
        lines += [f"$$\n{line}\n$$\n" for line in section.typeset] or [f"{_marked_up(word)}  " for word in section.words]
        if section.formulas or section.lines:
            lines += ["$$", _blocks(eom, section, rounding).replace("align*", "aligned"), "$$", ""]
    meanings = _meanings(eom, sections, _marked_up)
    if meanings:
        lines += ["## where", "", "| name | stands for |", "| --- | --- |"]
        lines += [f"| ${name}$ | {words} |" for name, words in meanings]
        lines.append("")
    lines += [*map(_marked_up, families(eom)), ""]
    grouped = _groups(eom)
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
    lines += [_rounded(digits)] * rounding.rounded
    lines += [f"Note: {_marked_up(note)}" for note in eom.notes]
    return "\n".join(lines).rstrip() + "\n"


def _rounded(digits: int | None) -> str:
    return f"Numbers are rounded to {digits} digits."


def _marked_up(words: str) -> str:
    """Words that Markdown, and the HTML that is made of it, show as they are: no tag, link, table or formula begins in them."""
    words = re.sub(r"([\\`*\[\]#|~$!]|(?<!\w)_|_(?!\w))", r"\\\1", visible(words))
    return words.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def _escaped(words: str) -> str:
    """The same for LaTeX."""
    greek = {letter: f"$\\{name}$" for name, letter in GREEK.items()}
    special = {"\\": r"\textbackslash{}", "^": r"\^{}", "~": r"\~{}", "²": "$^2$", "°": r"$^\circ$", "·": r"$\cdot$"} | greek
    plain = {mark: f"\\{mark}" for mark in "&%$#_{}"}
    return "".join(special.get(c) or plain.get(c) or (c if ord(c) < 256 else "?") for c in visible(words))
