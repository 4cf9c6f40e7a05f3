"""The equations as text for a terminal."""

from __future__ import annotations

import re
import textwrap
from typing import TYPE_CHECKING

from lagrangian.closed_form.definitions import definitions, families, groups, parameter_values
from lagrangian.closed_form.sections import Section, equation_of_motion, formulas_of
from lagrangian.equations.writing import text
from lagrangian.equations.writing.notation import pretty
from lagrangian.errors import Argument

if TYPE_CHECKING:
    from lagrangian.closed_form.equations import Equations

WIDTH = 110  # of a line, in characters


def show(eom: Equations, sections: list[Section], digits: int | None, width: int = WIDTH) -> str:
    """For a terminal, in lines of at most `width` characters where they can be broken."""
    rounding = text.Rounding(digits)
    style = text.unicode(eom.notation, rounding)
    lines = [f"{eom.mechanism.name}: {equation_of_motion(eom)}", *_legend(eom, width), ""]
    for section in sections:
        lines += [section.title, *(line for word in section.words for line in _wrapped(f"  {word}", width))]
        for same, formula in section.formulas:
            left = " = ".join(_subscripted(name) for name in same)
            lines += _wrapped(f"  {left} = {formula.written(style)}", width)
        for given in section.lines:
            lines += [line for whole in given.lines(style, width - 4) for line in _wrapped(f"  {whole}", width)]
        lines.append("")
    lines += _where(eom, sections, width)
    if rounding.rounded:
        lines.append(f"Numbers are rounded to {digits} digits; {Argument('digits', None)} writes them exactly.")
    lines += [f"Note: {note}" for note in eom.notes]
    return "\n".join(lines).rstrip()


def _legend(eom: Equations, width: int) -> list[str]:
    """The coordinates; by number, with their names beside, if these are long."""
    if eom.notation.own_names:
        return [f"q = ({', '.join(pretty(name) for name in eom.coordinates)})"]
    return _columns([f"{pretty(f'q{k}')} = {name}" for k, name in enumerate(eom.coordinates, 1)], width)


def _where(eom: Equations, sections: list[Section], width: int) -> list[str]:
    notation = eom.notation
    found = [
        f"{notation.unicode(x.name)} = {_with_letters(x.meaning) if x.is_formula else x.meaning}"
        for x in definitions(eom, formulas_of(sections))
    ]
    grouped = [f"{notation.unicode(name)} = {words}" for name, words in groups(eom)]
    values = [f"{pretty(name)} = {x:g}" for name, x in parameter_values(eom)]
    if not found and not grouped and not values:
        return []
    lines = ["where"]
    short = [line for line in found if len(line) < 40]
    lines += _columns(short, width)
    for line in [*(line for line in found if len(line) >= 40), *families(eom)]:
        lines += _wrapped(f"  {line}", width)
    lines += _columns(values, width)
    if grouped:
        lines += ["base parameters that stand for groups"]
        for line in grouped:
            lines += _wrapped(f"  {line}", width)
    return [*lines, ""]


def _with_letters(formula: str) -> str:
    """A formula with Greek letters and indices."""
    words = re.split(r"([A-Za-z_][A-Za-z_0-9]*)", formula)
    return "".join(word if word in ("sin", "cos") else pretty(word) for word in words)


def _columns(items: list[str], width: int) -> list[str]:
    """Short definitions side by side."""
    lines, line = [], ""
    for item in items:
        if line and len(line) + len(item) + 4 > width:
            lines.append(line)
            line = ""
        line = f"{line};   {item}" if line else f"  {item}"
    return [*lines, line] if line else lines


def _wrapped(line: str, width: int) -> list[str]:
    return textwrap.wrap(line, width, subsequent_indent="      ", break_long_words=False, break_on_hyphens=False)


def _subscripted(name: str) -> str:
    if " of " in name:  # K of link1
        return name
    letters = name.rstrip("0123456789,")
    return letters + name[len(letters) :].translate(str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉"))
