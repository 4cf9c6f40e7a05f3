"""The equations as sections of named formulas and of whole lines, with definitions of the names in them, to be written."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from lagrangian.equations.formula import Formula
from lagrangian.equations.formula_matrix import FormulaMatrix, index_text
from lagrangian.equations.writing import printers
from lagrangian.equations.writing.notation import escape_latex, latex_expression, latex_name_parts, unicode_name
from lagrangian.equations.writing.printers import LATEX_WIDTH, MathML, break_lines
from lagrangian.equations.writing.tree import Name, Tree, add, product, tree_names
from lagrangian.errors import ArgumentName

if TYPE_CHECKING:
    from lagrangian.closed_form.equations import EquationsOfMotion


# parts with more terms than this are printed only on request
MAX_PRINTED_TERMS = 1500

# energies and whole rows repeat what stands above them: they are printed only on request beyond fewer terms
MAX_REPEATED_TERMS = 400

# number of zero entries in one line
MAX_ZEROS_PER_LINE = 6
S = TypeVar("S", printers.FormulaStyle, MathML)
_FORCE_PREFIX = "force:"  # before the name of a force, which no parameter can be called

# formulas, each with the names of the entries that are equal to it
NamedFormulas = tuple[tuple[tuple[str, ...], Formula], ...]


def equation_sections(eom: EquationsOfMotion, full: bool) -> list[EquationSection]:
    """The sections of the equations: M, Christoffel symbols, C, G, F, constraints, energies, and the equations row by row."""
    if not eom.n:
        words = "No joint moves, so there are no coordinates and no equations."
        return [EquationSection("none", SectionTitle("No equations"), words=(words,))]
    sections = [_matrix_section("M", SectionTitle("Mass matrix", "M", "M"), eom.M)]
    sections += _velocity_sections(eom, full)
    of_potential = SectionTitle("", "G = dV/dq", r"G = \partial V / \partial q")
    sections.append(EquationSection("G", of_potential, matrix_entries(eom.G), () if has_nonzero_entries(eom.G) else ("G = 0",)))
    if has_nonzero_entries(eom.F):
        sections.append(EquationSection("F", SectionTitle("Friction", "F", "F"), matrix_entries(eom.F)))
    if eom.constraint_names:
        from lagrangian.closed_form import multipliers

        sections += [*_constraint_sections(eom), *multipliers.multiplier_sections(eom)]
    return [*sections, _energy_section(eom, full), _row_section(eom, full)]


@dataclass(frozen=True)
class EquationSection:
    """A part of the equations: formulas with the names they are equal to, or lines of plain words.

    `key` says which part it is: `M`, `christoffel`, `C`, `G`, `F`, `closure`, `Psi`, `Psi_dot`, `multipliers`, `delassus`,
    `lambda`, `accelerations`, `energies`, `rows`, `solution` (of loops) or `none`; other derivations have keys of their own.
    """

    key: str
    heading: SectionTitle
    formulas: NamedFormulas = ()
    words: tuple[str, ...] = ()
    latex_words: tuple[str, ...] = ()  # the words as formulas, for documents
    lines: tuple[DisplayLine, ...] = ()  # whole equations, and vectors

    @property
    def title(self) -> str:
        """The heading in plain text."""
        return str(self.heading)


@dataclass(frozen=True)
class SectionTitle:
    """A title: words, perhaps a formula (in plain text and as LaTeX), and perhaps a remark."""

    words: str
    formula: str = ""
    latex: str = ""
    remark: str = ""

    def __str__(self) -> str:
        return " ".join(part for part in (self.words, self.formula, self.remark) if part)

    def typeset(self, escape: Callable[[str], str] = str) -> str:
        """The title with its formula as LaTeX; `escape` makes words fit for the document."""
        formula = f"${self.latex}$" if self.latex else ""
        return " ".join(part for part in (escape(self.words), formula, escape(self.remark)) if part)


def _matrix_section(key: str, title: SectionTitle, matrix: FormulaMatrix) -> EquationSection:
    return EquationSection(key, title, matrix_entries(matrix))


def _velocity_sections(eom: EquationsOfMotion, full: bool) -> list[EquationSection]:
    christoffel = eom.derived.christoffel
    title = SectionTitle("Christoffel symbols", "Γ_ijk = Γ_ikj", r"\Gamma_{ijk} = \Gamma_{ikj}", "that are not zero")
    if not christoffel.term_count:
        return [
            EquationSection("christoffel", SectionTitle("Velocity terms"), words=("all Christoffel symbols are zero: C = 0",))
        ]
    if christoffel.term_count > MAX_PRINTED_TERMS and not full:
        size = f"{christoffel.nonzero_count} symbols with {christoffel.term_count} terms"
        words = f"{size}, not printed: {ArgumentName('full', True, call='show')} prints them"
        return [EquationSection("christoffel", title, words=(words,))]
    of_matrix = SectionTitle("Coriolis matrix", "C_ij = sum_k Γ_ijk q'_k", r"C_{ij} = \sum_k \Gamma_{ijk}\,\dot{q}_k")
    return [EquationSection("christoffel", title, christoffel_entries(eom)), _matrix_section("C", of_matrix, eom.C)]


def christoffel_entries(eom: EquationsOfMotion) -> NamedFormulas:
    """The symbols that are not zero, with both names of those that differ in the order of their last two indices."""
    entries = []
    for i, j, k in eom.derived.christoffel.symbols:
        formula = eom.christoffel(i, j, k)
        if not formula.is_zero:
            names = (f"Γ{index_text(i, j, k)}",) if j == k else (f"Γ{index_text(i, j, k)}", f"Γ{index_text(i, k, j)}")
            entries.append((names, formula))
    return tuple(entries)


def _constraint_sections(eom: EquationsOfMotion) -> list[EquationSection]:
    sections = []
    if len(eom.closure):
        sections.append(
            EquationSection("closure", SectionTitle("Loops", "closure(q) = 0", r"\eta(q) = 0"), matrix_entries(eom.closure))
        )
    sections.append(_matrix_section("Psi", SectionTitle("Constraint matrix", "Psi", r"\Psi"), eom.Psi))
    of_rate = SectionTitle("", "Psi_dot = d Psi / dt", r"\dot{\Psi} = \mathrm{d}\Psi / \mathrm{d}t")
    sections.append(_matrix_section("Psi_dot", of_rate, eom.Psi_dot))
    drive_lines = [f"phi of {name} = {phi}" for name, phi in driven_constraints(eom)]
    rate = " + phi_dot" if drive_lines else ""
    typeset_rate = r" + \dot{\phi}" if drive_lines else ""
    sections.append(
        EquationSection(
            "multipliers",
            SectionTitle("Multipliers"),
            words=(
                *drive_lines,
                f"Psi q'' + Psi_dot q'{rate} = 0,   f = tau - C q' - G - F",
                f"lambda = -(Psi M^-1 Psi^T)^-1 (Psi_dot q'{rate} + Psi M^-1 f)",
                f"M q'' = f + Psi^T lambda;   row by row: {', '.join(eom.constraint_names)}",
            ),
            latex_words=(
                *(
                    rf"\phi_{{\mathrm{{{escape_latex(name)}}}}} = {latex_expression(str(x))}"
                    for name, x in driven_constraints(eom)
                ),
                rf"\Psi \ddot{{q}} + \dot{{\Psi}} \dot{{q}}{typeset_rate} = 0, \qquad f = \tau - C \dot{{q}} - G - F",
                rf"\lambda = -(\Psi M^{{-1}} \Psi^{{T}})^{{-1}} (\dot{{\Psi}} \dot{{q}}{typeset_rate} + \Psi M^{{-1}} f)",
                r"M \ddot{q} = f + \Psi^{T} \lambda",
            ),
        )
    )
    return sections


def driven_constraints(eom: EquationsOfMotion) -> list[tuple[str, Any]]:
    """The names of the constraints with a phi(t), and these."""
    return [(name, phi) for name, phi in zip(eom.constraint_names, eom.phi, strict=True) if str(phi) != "0"]


def _energy_section(eom: EquationsOfMotion, full: bool) -> EquationSection:
    """The energies of every link, if the equations are in the links' own parameters; and L."""
    title = SectionTitle("Energies", "L = K - V", "L = K - V")
    whole: list[tuple[tuple[str, ...], Formula]] = [(("K",), eom.kinetic_energy), (("V",), eom.potential_energy)]
    if sum(x.term_count for _, x in whole) > MAX_REPEATED_TERMS and not full:
        return EquationSection("energies", title, words=(omission_note("kinetic and potential energy", [x for _, x in whole]),))
    parts = []
    if eom.grouping is None:
        parts += [((f"K of {name}",), x) for name, x in eom.kinetic_energies.items()]
        parts += [((f"V of {name}",), x) for name, x in eom.potential_energies.items()]
        whole = []
    return EquationSection("energies", title, (*parts, *whole, (("L",), eom.lagrangian)))


def _row_section(eom: EquationsOfMotion, full: bool) -> EquationSection:
    title = SectionTitle("Row by row")
    formulas = [row.left for row in eom.rows]
    if sum(x.term_count for x in formulas) > MAX_REPEATED_TERMS and not full:
        return EquationSection("rows", title, words=(omission_note(f"{eom.n} equations", formulas),))
    return EquationSection("rows", title, lines=eom.rows)


def omission_note(noun: str, formulas: Sequence[Formula]) -> str:
    """What stands in the place of formulas that are too long to be read."""
    term_count = sum(x.term_count for x in formulas)
    return f"{noun} of {term_count} terms, not printed: {ArgumentName('full', True, call='show')} prints them"


def section_formulas(sections: Iterable[EquationSection]) -> list[Formula]:
    """All formulas of some sections."""
    formulas = []
    for section in sections:
        formulas += [formula for _, formula in section.formulas]
        for line in section.lines:
            formulas += line.formulas
    return formulas


def matrix_entries(matrix: FormulaMatrix) -> NamedFormulas:
    """The entries of a matrix, in a symmetric one with both names; zeros that follow each other in a row have one line."""
    named_formulas: list[tuple[tuple[str, ...], Formula]] = []
    for i, row in enumerate(matrix.rows):
        begins_line = not matrix.vector  # every row of a matrix begins a line
        for j, formula in enumerate(row):
            if matrix.symmetric and j < i:
                continue
            if matrix.vector:
                names: tuple[str, ...] = (f"{matrix.name}{index_text(i)}",)
            else:
                names = (f"{matrix.name}{index_text(i, j)}",)
                if matrix.symmetric and i != j:
                    names = (*names, f"{matrix.name}{index_text(j, i)}")
            if (
                not begins_line
                and formula.is_zero
                and named_formulas
                and named_formulas[-1][1].is_zero
                and len(named_formulas[-1][0]) < MAX_ZEROS_PER_LINE
            ):
                named_formulas[-1] = ((*named_formulas[-1][0], *names), formula)
            else:
                named_formulas.append((names, formula))
            begins_line = False
    return tuple(named_formulas)


def has_nonzero_entries(matrix: FormulaMatrix) -> bool:
    """Whether any entry is not zero."""
    return any(not x.is_zero for row in matrix.rows for x in row)


def equation_of_motion(eom: EquationsOfMotion) -> str:
    """The equation of motion in plain text."""
    right = "tau + Psi^T lambda" if eom.constraint_names else "tau"
    friction = " + F" if has_nonzero_entries(eom.F) else ""
    return f"M q'' + C q' + G{friction} = {right}"


class DisplayLine(Protocol):
    """What a section may hold beside formulas: a line that is more than `name = formula`."""

    @property
    def formulas(self) -> list[Formula]:
        """All formulas in it."""

    def lines(self, style: printers.FormulaStyle, width: int) -> list[str]:
        """The line as text; as several where it is made of parts and wider than `width`."""

    def aligned_rows(self, style: printers.FormulaStyle, width: float = LATEX_WIDTH) -> list[str]:
        """The line as rows of an aligned block of LaTeX."""


@dataclass(frozen=True, repr=False)
class EquationRow:
    """The whole equation of one coordinate, `M_i1 q1'' + ... + C q' + G_i + F_i = tau_i + sum_j Psi_ji lambda_j`.

    Attributes
    ----------
    coordinate_index : int
        Index of the coordinate, from 0.
    coordinate : str
        The name of the coordinate.
    left : Formula
        The left side.
    multipliers : tuple of (int, Formula)
        For every constraint that acts along the coordinate its index, from 0, and what multiplies its lambda.

    Examples
    --------
    >>> import lagrangian as lg
    >>> row = lg.derive("pendulum").rows[0]
    >>> print(row)
    m*L^2*qdd_theta + m*L*g*cos(theta) = tau1
    >>> row.to_sympy()
    Eq(L**2*m*qdd_theta + L*g*m*cos(theta), tau1)
    """

    coordinate_index: int
    coordinate: str
    left: Formula
    multipliers: tuple[tuple[int, Formula], ...] = ()

    @property
    def formulas(self) -> list[Formula]:
        return [self.left, *(psi for _, psi in self.multipliers)]

    @property
    def force_name(self) -> str:
        """The name of what acts along the coordinate: tau1."""
        return f"tau{index_text(self.coordinate_index)}"

    @property
    def right(self) -> Tree:
        """tau_i + sum_j Psi_ji lambda_j; the names of the forces are marked, and `to_string` takes the mark off."""
        constraint_terms = [product([psi.tree, Name(f"{_FORCE_PREFIX}lambda{index_text(j)}")]) for j, psi in self.multipliers]
        return add([Name(_FORCE_PREFIX + self.force_name), *constraint_terms])

    def to_string(self, style: printers.FormulaStyle) -> str:
        """The equation in one line."""
        return (
            f"{self.left.to_string(style)} = {_with_forces(style, unicode_name if style.times == ' ' else str).write(self.right)}"
        )

    def lines(self, style: printers.FormulaStyle, width: int) -> list[str]:
        """The equation in one line, however long."""
        return [self.to_string(style)]

    def aligned_rows(self, style: printers.FormulaStyle, width: float = LATEX_WIDTH) -> list[str]:
        """The equation as rows of an aligned block of LaTeX."""
        right = _with_forces(style, lambda name: "".join(latex_name_parts(name))).write(self.right)
        first, *later_rows = break_lines("", self.left.typeset(style), width)
        rows = [first.replace("&=", "&", 1).strip(), *later_rows]
        return [*rows[:-1], f"{rows[-1]} = {right}"]

    def pieces(self, style: MathML) -> list[str]:
        """The equation as MathML, in pieces between which a line may be broken."""
        right = _with_forces(style, printers.name_markup).pieces(self.right)
        return [*self.left.pieces(style), f"<mo>=</mo>{right[0]}", *right[1:]]

    def __str__(self) -> str:
        return self.to_string(printers.plain_style(self.left.writer.notation))

    __repr__ = __str__

    def unicode(self, digits: int | None = None) -> str:
        """The equation with Greek letters, subscripts and superscripts for a terminal."""
        return self.to_string(printers.unicode_style(self.left.writer.notation, printers.NumberFormat(digits)))

    def latex(self, digits: int | None = None) -> str:
        """The equation as LaTeX, without dollar signs."""
        return " ".join(
            line.replace("&", "", 1).replace(r"\quad", "", 1).strip()
            for line in self.aligned_rows(printers.latex_style(self.left.writer.notation, printers.NumberFormat(digits)))
        )

    def _repr_latex_(self) -> str:
        rows = self.aligned_rows(printers.latex_style(self.left.writer.notation, printers.NumberFormat(6)))
        return r"$\displaystyle \begin{aligned} " + r" \\ ".join(rows) + r" \end{aligned}$"

    def to_sympy(self, dynamic: bool = False) -> Any:
        """The equation in SymPy; the forces are the symbols tau1, lambda1 and so on."""
        import sympy

        constraint_terms = (psi.to_sympy(dynamic) * sympy.Symbol(f"lambda{index_text(j)}") for j, psi in self.multipliers)
        return sympy.Eq(self.left.to_sympy(dynamic), sum(constraint_terms, sympy.Symbol(self.force_name)), evaluate=False)


def _with_forces(style: S, spell_force: Callable[[str], str]) -> S:
    """A copy of a style that writes marked names as those of forces."""
    style_with_forces = copy.copy(style)
    spell_name = style.name

    def name(word: str) -> str:
        return spell_force(word.removeprefix(_FORCE_PREFIX)) if word.startswith(_FORCE_PREFIX) else spell_name(word)

    style_with_forces.name = name  # type: ignore[method-assign]
    return style_with_forces


@dataclass(frozen=True)
class VectorLine:
    """A vector, `name = (x, y, z)`."""

    name: str
    components: tuple[Formula, ...]

    @property
    def formulas(self) -> list[Formula]:
        return list(self.components)

    def lines(self, style: printers.FormulaStyle, width: int) -> list[str]:
        """The vector in one line, or component by component if that is too wide."""
        name = unicode_name(self.name) if style.times == " " else self.name
        components = [x.to_string(style) for x in self.components]
        mark = "," if "_" in name else "_"
        line = f"{name} = ({', '.join(components)})"
        return [line] if len(line) <= width else [f"{name}{mark}{axis} = {x}" for axis, x in zip("xyz", components, strict=True)]

    def aligned_rows(self, style: printers.FormulaStyle, width: float = LATEX_WIDTH) -> list[str]:
        """The vector as a column."""
        column = r" \\ ".join(x.typeset(style) for x in self.components)
        return [rf"{''.join(latex_name_parts(self.name))} &= \begin{{pmatrix}} {column} \end{{pmatrix}}"]


def definitions(eom: EquationsOfMotion, formulas: Iterable[Formula]) -> list[Definition]:
    """Definitions of the names in formulas that do not stand for themselves."""
    names_used: dict[str, None] = {}
    for formula in formulas:
        tree_names(formula.tree, names_used)
    by_name: dict[str, Definition] = {}
    for name in names_used:
        definition = _definition(eom, name)
        if definition is not None:
            by_name.setdefault(definition.name, definition)
    return sorted(by_name.values(), key=lambda x: _sort_key(x.name, eom))


@dataclass(frozen=True)
class Definition:
    """What a name in the equations stands for: words, or a formula in plain text, which `latex` has as LaTeX."""

    name: str
    meaning: str
    latex: str = ""

    @property
    def is_formula(self) -> bool:
        return bool(self.latex)


def _definition(eom: EquationsOfMotion, name: str) -> Definition | None:
    """The definition of a name; None for coordinates, rates, names that stand for themselves, and those of a family."""
    symbol = eom.notation.symbol(name)
    if symbol is not None and symbol.kind in ("coordinate", "speed", "acceleration"):
        return None
    length = eom.system.scalars.lengths.get(name)
    if length is not None:
        square = Formula(eom.writer, length.square)
        return Definition(f"{length.quantity}({length.owner})", f"sqrt({square})", rf"\sqrt{{{square.latex()}}}")
    meaning = eom.notation.meaning(name)
    if meaning in ("", name, eom.notation.plain(name)) or _is_explained_by_family(name, eom):
        return None
    is_angle = symbol is None or symbol.kind in ("sine", "cosine")
    return Definition(name, meaning, latex_expression(meaning) if is_angle else "")


def _is_explained_by_family(name: str, eom: EquationsOfMotion) -> bool:
    """Whether a name is explained with others of its kind: inertial symbols, and signs of speeds."""
    symbol = eom.notation.symbol(name)
    kind = "" if symbol is None else symbol.kind
    return kind == "sign" or (kind == "inertial" and eom.system.symbols != "given")


def family_descriptions(eom: EquationsOfMotion) -> list[str]:
    """What inertial symbols stand for, in a sentence."""
    if eom.system.symbols == "given":
        return []
    frames = "in link i's own frame, about its origin"
    return [
        f"m_i, h_i = m_i c_i, I_i: mass, first moment and inertia of link i {frames}; "
        f"Ja_i: rotor at joint i, as the joint sees it"
    ]


def _sort_key(name: str, eom: EquationsOfMotion) -> tuple[int, int, str]:
    number = eom.writer.generator_index.get(name)
    kind = eom.system.ring.symbols[number].kind if number is not None else "sine"
    order = 0 if kind in ("sine", "cosine") else 1 if kind == "coordinate" else 2
    return order, len(name) if order == 0 else 0, name if order == 0 else f"{number:05d}"


def group_definitions(eom: EquationsOfMotion) -> list[tuple[str, str]]:
    """What the base parameters that are groups stand for."""
    if eom.grouping is None:
        return []
    groups = []
    for b, group in eom.grouping.combinations.items():
        if len(group) > 1:
            words = ""
            for name, (numerator, denominator) in group.items():
                factor = Formula(eom.writer, numerator, denominator)
                words += _summand(factor, name, bool(words))
            groups.append((f"{b}R", words))
    return groups


def _summand(factor: Formula, name: str, later: bool) -> str:
    factor_text = str(factor)
    if factor_text in ("1", "-1"):
        sign, body = factor_text[:-1], name
    else:
        sign = "-" if factor_text.startswith("-") and " " not in factor_text else ""
        factor_text = factor_text[1:] if sign else factor_text
        body = f"{f'({factor_text})' if ' ' in factor_text else factor_text}*{name}"
    if not later:
        return sign + body
    return f" {sign or '+'} {body}"


def parameter_values(eom: EquationsOfMotion) -> list[tuple[str, float]]:
    """Named parameters of the description, with their values."""
    if eom.system.symbols != "given":
        return []
    return [(name, x) for name, x in eom.parameters().items() if x is not None and name != "pi"]
