"""The equations as sections of named formulas: what is printed, typeset and written into documents."""

from __future__ import annotations

import re
import textwrap
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from lagrangian.equations.formula import Formula
from lagrangian.equations.formula_matrix import FormulaMatrix, index
from lagrangian.equations.writing import text
from lagrangian.equations.writing.lines import WIDTH as LINE
from lagrangian.equations.writing.lines import broken, width
from lagrangian.equations.writing.notation import parts, pretty, typeset_words
from lagrangian.equations.writing.tree import names
from lagrangian.errors import Argument

if TYPE_CHECKING:
    from lagrangian.closed_form.equations import Equations

# parts with more terms than this are printed only when asked for: nobody reads them
LONG = 1500
WIDTH = 110
WIDE = 52.0  # of a matrix in a notebook, in units of the font's size


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
    found.append(Section("G = dV/dq", _entries(eom.G), () if has_entries(eom.G) else ("G = 0",)))
    if has_entries(eom.F):
        found.append(Section("Friction F", _entries(eom.F)))
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
        found.append(Section("Loop closure eta(q) = 0", _entries(eom.closure)))
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
    return Section(title + (" (entries not listed are zero)" if zeros else ""), _entries(matrix))


def has_entries(matrix: FormulaMatrix) -> bool:
    """Whether any is not zero."""
    return any(not x.is_zero for row in matrix.rows for x in row)


def _entries(matrix: FormulaMatrix) -> tuple[tuple[tuple[str, ...], Formula], ...]:
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


# -- definitions -------------------------------------------------------------------------------------------------------


def definitions(eom: Equations, sections: list[Section]) -> list[tuple[str, str]]:
    """Names met in the formulas that do not stand for themselves: what each means."""
    met: dict[str, None] = {}
    for section in sections:
        for _, formula in section.formulas:
            names(formula.tree, met)
    notation = eom._writer.notation
    found: list[tuple[str, str]] = []
    for name in met:
        if name in eom._writer.number and eom.system.ring.symbols[eom._writer.number[name]].kind in ("speed", "acceleration"):
            continue
        meaning = notation.meaning(name)
        kind = eom.system.ring.symbols[eom._writer.number[name]].kind if name in eom._writer.number else ""
        if name in eom.system.scalars.lengths:
            length = name.removeprefix("1/")
            name, meaning = length, f"sqrt({Formula(eom._writer, eom.system.scalars.lengths[length])})"
        if kind == "coordinate" or any(name == other for other, _ in found):
            continue
        if meaning not in ("", name, notation.plain(name)) and not _of_a_family(name, eom):
            found.append((name, meaning))
    return sorted(found, key=lambda pair: _alphabetical(pair[0], eom))


def _of_a_family(name: str, eom: Equations) -> bool:
    """Symbols that are explained together: inertial ones, and signs of speeds."""
    number = eom._writer.number.get(name)
    kind = "" if number is None else eom.system.ring.symbols[number].kind
    return kind == "sign" or (kind == "inertial" and eom.system.symbols != "given")


def families(eom: Equations) -> list[str]:
    """What inertial symbols stand for, in a sentence."""
    if eom.system.symbols == "given":
        return []
    frames = "in link i's own frame, about its origin"
    return [
        f"m_i, h_i = m_i c_i, I_i: mass, first moment and inertia of link i {frames}; "
        f"Ja_i: rotor at joint i, as the joint sees it"
    ]


def _alphabetical(name: str, eom: Equations) -> tuple[int, int, str]:
    number = eom._writer.number.get(name)
    kind = eom.system.ring.symbols[number].kind if number is not None else "sine"
    order = 0 if kind in ("sine", "cosine") else 1 if kind == "coordinate" else 2
    return order, len(name) if order == 0 else 0, name if order == 0 else f"{number:05d}"


def groups(eom: Equations) -> list[tuple[str, str]]:
    """What base parameters stand for."""
    if eom._grouping is None:
        return []
    found = []
    for b, group in eom._grouping.grouping.items():
        if len(group) > 1:
            words = ""
            for name, (above, below) in group.items():
                factor = Formula(eom._writer, above, below)
                words += _summand(factor, name, bool(words))
            found.append((f"{b}R", words))
    return found


def _summand(factor: Formula, name: str, later: bool) -> str:
    shown = str(factor)
    if shown in ("1", "-1"):
        sign, body = shown[:-1], name
    else:
        sign = "-" if shown.startswith("-") and " " not in shown else ""
        shown = shown[1:] if sign else shown
        body = f"{f'({shown})' if ' ' in shown else shown}*{name}"
    if not later:
        return sign + body
    return f" {sign or '+'} {body}"


# -- text --------------------------------------------------------------------------------------------------------------


def heading(eom: Equations) -> str:
    right = "tau + Psi^T lambda" if eom.constraint_names else "tau"
    friction = " + F" if has_entries(eom.F) else ""
    return f"M q'' + C q' + G{friction} = {right}"


def show(eom: Equations, sections: list[Section], digits: int | None, width: int = WIDTH) -> str:
    """For a terminal, in lines of at most `width` characters where they can be broken."""
    rounding = text.Rounding(digits)
    style = text.unicode(eom._writer.notation, rounding)
    lines = [f"{eom.mechanism.name}: {heading(eom)}", *_legend(eom, width), ""]
    for section in sections:
        lines += [section.title, *(line for word in section.words for line in _wrapped(f"  {word}", width))]
        for same, formula in section.formulas:
            left = " = ".join(_subscripted(name) for name in same)
            lines += _wrapped(f"  {left} = {formula._written(style)}", width)
        lines.append("")
    lines += _where(eom, sections, width)
    if rounding.rounded:
        lines.append(f"Numbers are rounded to {digits} digits; {Argument('digits', None)} writes them exactly.")
    lines += [f"Note: {note}" for note in eom.notes]
    return "\n".join(lines).rstrip()


def _legend(eom: Equations, width: int) -> list[str]:
    """The coordinates; by number, with their names beside, if these are long."""
    if eom._writer.notation.own_names:
        return [f"q = ({', '.join(pretty(name) for name in eom.coordinates)})"]
    return _columns([f"{pretty(f'q{k}')} = {name}" for k, name in enumerate(eom.coordinates, 1)], width)


def parameter_values(eom: Equations) -> list[tuple[str, float]]:
    """Named parameters of the description, with their values."""
    if eom.system.symbols != "given":
        return []
    return [(name, x) for name, x in eom.parameters().items() if x is not None and name != "pi"]


def _where(eom: Equations, sections: list[Section], width: int) -> list[str]:
    notation = eom._writer.notation
    found = [f"{notation.unicode(name)} = {_pretty_words(meaning)}" for name, meaning in definitions(eom, sections)]
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
        lines += ["base parameters that stand for several"]
        for line in grouped:
            lines += _wrapped(f"  {line}", width)
    return [*lines, ""]


def _pretty_words(meaning: str) -> str:
    """Of a sine or cosine of coordinates, with Greek letters; other words stay."""
    if not meaning.startswith(("sin(", "cos(")):
        return meaning
    words = re.split(r"([A-Za-z_][A-Za-z_0-9]*)", meaning)
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
    letters = name.rstrip("0123456789,")
    return letters + name[len(letters) :].translate(str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉"))


# -- LaTeX -------------------------------------------------------------------------------------------------------------


def equation(eom: Equations) -> str:
    """The equation of motion, typeset."""
    right = r"\tau + \Psi^{T} \lambda" if eom.constraint_names else r"\tau"
    friction = " + F" if "+ F" in heading(eom) else ""
    return rf"M(q)\,\ddot{{q}} + C(q, \dot{{q}})\,\dot{{q}} + G(q){friction} = {right}"


def coordinates(eom: Equations) -> str:
    """q and its entries, typeset."""
    notation = eom._writer.notation
    return "q = (" + ",\\ ".join("".join(parts(notation.coordinate(k))) for k in range(eom.n)) + ")"


def typeset(eom: Equations, sections: list[Section], digits: int | None, widest: float = LINE) -> str:
    """To be pasted into a paper: the equation of motion, every section as an aligned block, definitions; values as comments."""
    rounding = text.Rounding(digits)
    style = text.latex(eom._writer.notation, rounding)
    name = " ".join(eom.mechanism.name.split())
    blocks = [f"% {name}: equations of motion", rf"\[ {equation(eom)}, \qquad {coordinates(eom)} \]"]
    if not eom._writer.notation.own_names:
        blocks.append("% " + ", ".join(f"q{k} = {x}" for k, x in enumerate(eom.coordinates, 1)))
    for section in sections:
        if section.formulas:
            rows = [row for same, formula in section.formulas for row in aligned(same, formula, style, widest)]
            body = " \\\\\n".join(rows)
            blocks.append(f"% {section.title}\n\\begin{{align*}}\n{body}\n\\end{{align*}}")
        elif section.typeset or section.words:
            blocks += [f"% {section.title}", *(rf"\[ {line} \]" for line in section.typeset)]
            blocks += [] if section.typeset else [f"% {word}" for word in section.words]
    where = [f"{eom._writer.notation.latex(name)} &= {typeset_words(words)}" for name, words in _formulas_of(eom, sections)]
    where += [
        row for name, words in groups(eom) for row in broken(eom._writer.notation.latex(name), typeset_words(words), widest)
    ]
    if where:
        blocks.append("% where\n\\begin{align*}\n" + " \\\\\n".join(where) + "\n\\end{align*}")
    values = [f"{name} = {x:g}" for name, x in parameter_values(eom)]
    blocks += [f"% with {', '.join(values)}"] if values else []
    blocks += [f"% {line}" for line in families(eom)]
    blocks += [f"% Numbers are rounded to {digits} digits."] * rounding.rounded
    return "\n".join(blocks)


def _formulas_of(eom: Equations, sections: list[Section]) -> list[tuple[str, str]]:
    return [(name, words) for name, words in definitions(eom, sections) if words.startswith(("sin", "cos"))]


def aligned(same: tuple[str, ...], formula: Formula, style: text.Style, widest: float = LINE) -> list[str]:
    """`left &= right`, broken into lines where it is long."""
    return broken(" = ".join(left_latex(name) for name in same), formula.typeset(style), widest)


def left_latex(name: str) -> str:
    letters = name.rstrip("0123456789,")
    word = {"eta": r"\eta", "Γ": r"\Gamma", "Psi": r"\Psi", "Psi_dot": r"\dot{\Psi}", "tau": r"\tau"}.get(letters, letters)
    return f"{word}_{{{name[len(letters) :]}}}" if letters != name else parts(name)[0]


def in_short(eom: Equations) -> str:
    """What a notebook shows: the matrices, one below the other, if they can be read; else what there is."""
    total = sum(x.terms for matrix in (eom.M, eom.C, eom.G) for row in matrix.rows for x in row)
    if total > 250:
        name = re.sub(r"[^\w .-]", " ", eom.mechanism.name)  # nothing that would end the text
        words = f"{name}: M, C, G of {eom.n} coordinates, {total} terms; show() prints them"
        return r"$\text{" + words.replace("_", r"\_") + "}$"
    style = text.latex(eom._writer.notation, text.Rounding(6))
    shown: list[FormulaMatrix] = [eom.M, eom.C, eom.G]
    shown += [eom.F] if has_entries(eom.F) else []
    shown += [eom.Psi] if eom.constraint_names else []
    rows: list[str] = []
    for matrix in shown:
        if max((sum(width(x.latex(6)) + 1 for x in row) for row in matrix.rows), default=0.0) <= WIDE:
            rows.append(f"{left_latex(matrix.name)} &= {matrix.latex(6)}")
        else:  # entry by entry, in lines that fit
            rows += [row for same, formula in _entries(matrix) for row in aligned(same, formula, style)]
    where = [f"{eom._writer.notation.latex(name)} = {typeset_words(words)}" for name, words in _formulas_of(eom, eom.sections())]
    rows += [r"& \text{with } " + r",\ ".join(where[k : k + 5]) for k in range(0, len(where), 5)]
    return r"$\displaystyle \begin{aligned} " + r" \\[4pt] ".join(rows) + r" \end{aligned}$"
