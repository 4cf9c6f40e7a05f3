"""Homework: a student's answers, lines such as `M[1,2] = ...`, `G1 = ...` or `L = ...`, compared with the equations by proof.

A line is right, or it differs from the expected formula. A hint names the slip where one explains the difference exactly.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from lagrangian.description.files import read_text
from lagrangian.equations.algebra.ring import as_fraction
from lagrangian.equations.formula import Formula
from lagrangian.equations.formula_matrix import FormulaMatrix
from lagrangian.equations.texts.node import FormulaNode
from lagrangian.equations.texts.reader import parse_formula
from lagrangian.equations.writing.tree import Sum
from lagrangian.errors import ArgumentError, LagrangianError, unknown_name_message
from lagrangian.files import as_path

if TYPE_CHECKING:
    from lagrangian.closed_form.equations import OutputPart


_LEFT_SIDE = re.compile(r"\s*([A-Za-zΑ-ω]+)\s*_?\s*(?:\[([\d,\s]+)\]|\(([\d,\s]+)\)|\{?([\d,]*)\}?)\s*$")
_FAMILY_NAMES = {"P": "V", "eta": "closure", "η": "closure", "Γ": "Gamma", "τ": "tau", "Ψ": "Psi", "D": "M", "d": "M", "g": "G"}
_SWAPPED = {"sin": "cos", "cos": "sin"}
MAX_TRIES = 30  # places in an answer, and names, that are tried for a slip
MAX_DIFFERENCE_LENGTH = 160  # characters of a difference that is shown


def check_answers(eom: OutputPart, submission: str | os.PathLike[str]) -> AnswerReport:
    """Compare a file, or a text, of lines such as `M[1,2] = m2*l1*lc2*cos(q2)` with the equations."""
    place, answer_lines = read_answers(submission)
    entries = EntryTable(eom)
    checks = [_check_answer(entries, answer, place) for answer in answer_lines]
    return AnswerReport(tuple(_annotate_other_matrix(eom, answer_lines, checks)), entries.missing(answer_lines))


@dataclass(frozen=True)
class AnswerReport:
    """The result of a comparison with a student's equations.

    `EquationsOfMotion.check` returns this object. It is true if all is right; `print` writes it line by line.

    Attributes
    ----------
    checks : tuple of AnswerCheck
        The result for every line.
    missing : tuple of str
        Entries that are not zero and that the answer does not give.

    Examples
    --------
    >>> import lagrangian as lg
    >>> report = lg.derive("pendulum").check("G[1] = m*g*L*sin(theta)")
    >>> report.right, str(report.checks[0].expected)
    (False, 'm*L*g*cos(theta)')
    """

    checks: tuple[AnswerCheck, ...]
    missing: tuple[str, ...]

    @property
    def right(self) -> bool:
        """Whether all lines are right and no entry is missing."""
        return not self.missing and all(check.right for check in self.checks)

    def __bool__(self) -> bool:
        return self.right

    def __str__(self) -> str:
        lines = [str(check) for check in self.checks]
        if self.missing:
            lines.append(f"missing: {', '.join(self.missing)}")
        right_count = sum(check.right for check in self.checks)
        return "\n".join(
            [*lines, f"{right_count} of {len(self.checks)} right{f', {len(self.missing)} missing' if self.missing else ''}"]
        )

    __repr__ = __str__


@dataclass(frozen=True)
class AnswerCheck:
    """The result for one line of an answer.

    Attributes
    ----------
    line : int
        The number of the line.
    name : str
        The entry, such as "M[1,2]".
    answer, expected : Formula
        The formula of the answer, and the right one.
    difference : Formula or None
        The formula of the answer less the right one; None if the line is right.
    hint : str
        What went wrong, where that can be found: a sign, a factor, a missing term.
    """

    line: int
    name: str
    answer: Formula
    expected: Formula
    difference: Formula | None = None
    hint: str = ""

    @property
    def right(self) -> bool:
        """Whether the line is right."""
        return self.difference is None

    def __str__(self) -> str:
        head = f"line {self.line}: {self.name} is {'right' if self.right else 'wrong'}"
        if self.difference is None:
            return f"{head}; {self.hint}" if self.hint else head
        difference_text = str(self.difference)
        difference_text = (
            difference_text
            if len(difference_text) <= MAX_DIFFERENCE_LENGTH
            else f"{difference_text[:MAX_DIFFERENCE_LENGTH]}... ({self.difference.term_count} terms)"
        )
        return f"{head}: it differs by {difference_text}{f'; {self.hint}' if self.hint else ''}"


def _check_answer(entries: EntryTable, answer: AnswerLine, place: str) -> AnswerCheck:
    expected = entries.expected_formula(answer, place)
    family = expected.writer.family
    try:
        node = parse_formula(answer.text, family.writers[-1], answer.column)
        writer, (numerator, denominator) = family.quotient(node)
        formula = Formula.quotient(writer, numerator, denominator)
        same = expected == formula
    except LagrangianError as error:
        raise error.with_places(place, f"line {answer.line}") from None
    if same:
        return AnswerCheck(answer.line, answer.name, formula, expected)
    difference = formula - expected
    if answer.family in ("V", "L") and not _depends_on_state(difference):
        return AnswerCheck(
            answer.line,
            answer.name,
            formula,
            expected,
            hint=f"only the zero level of the potential energy differs, by {difference}",
        )
    return AnswerCheck(
        answer.line, answer.name, formula, expected, difference, find_hint(formula, node, expected, entries.other_entries(answer))
    )


def _annotate_other_matrix(eom: Any, answer_lines: list[AnswerLine], checks: list[AnswerCheck]) -> Iterator[AnswerCheck]:
    """The checks, with a hint at wrong entries of C whose row gives the right C q': C is not unique, and theirs is another."""
    rows: dict[int, dict[int, Formula]] = {}
    for answer, check in zip(answer_lines, checks, strict=True):
        if answer.family == "C" and len(answer.indices) == 2:
            rows.setdefault(answer.indices[0], {})[answer.indices[1]] = check.answer
    qd = eom.qd
    same = set()
    for i, row in rows.items():
        velocity = sum((x * qd[j - 1] for j, x in row.items()), eom.kinetic_energy * 0)
        if velocity == eom.centripetal[i - 1] + eom.coriolis[i - 1]:
            same.add(i)
    for answer, check in zip(answer_lines, checks, strict=True):
        other = not check.right and answer.family == "C" and len(answer.indices) == 2 and answer.indices[0] in same
        words = "the row gives the right C q', but it is not that of the Christoffel symbols, for which M' - 2C is skew"
        yield replace(check, hint=words) if other else check


def _depends_on_state(x: Formula) -> bool:
    """Whether a formula depends on the state or on time; an energy may differ by a constant."""
    system = x.writer.system
    state = {*system.coordinates, "t", *(f"q{d}{k + 1}" for d in ("d", "dd") for k in range(system.n))}
    return bool(state & set(x.names))


def read_answers(submission: str | os.PathLike[str]) -> tuple[str, list[AnswerLine]]:
    """The name of the submission for errors, and its lines; a text, unlike the name of a file, has an equals sign."""
    if isinstance(submission, str) and ("=" in submission or "\n" in submission):
        place, text = "answer", submission
    else:
        place, text = as_path(submission).name, read_text(submission)
    answer_lines = [_read_answer(place, number, line) for number, line in _logical_lines(text)]
    if not answer_lines:
        raise ArgumentError("the answer has no lines", where=place, remedy="write lines such as M[1,2] = m2*l1*l2*cos(q2)")
    return place, answer_lines


@dataclass(frozen=True)
class AnswerLine:
    """One line of an answer: its number, the family of the entry and its indices from 1, and the text of the formula."""

    line: int
    family: str
    indices: tuple[int, ...]
    text: str
    column: int  # the column after which the text begins
    word: str  # the name of the family in the answer

    @property
    def name(self) -> str:
        return self.word + (f"[{','.join(map(str, self.indices))}]" if self.indices else "")


def _logical_lines(text: str) -> Iterator[tuple[int, str]]:
    """Lines with their numbers, each with its indented continuation lines, without comments and empty lines."""
    number, logical_line = 0, ""
    for k, line in enumerate(text.splitlines(), 1):
        line = line.split("#")[0].rstrip()
        if logical_line and line[:1].isspace() and "=" not in line:
            logical_line += " " + line.strip()
        elif line:
            if logical_line:
                yield number, logical_line
            number, logical_line = k, line
    if logical_line:
        yield number, logical_line


def _read_answer(place: str, number: int, line: str) -> AnswerLine:
    left, equals, right = line.partition("=")
    where = (place, f"line {number}")
    if not equals:
        raise ArgumentError(
            f"{line.strip()[:60]!r} has no equals sign", where=where, remedy="write lines such as G[1] = m*g*l*cos(q1)"
        )
    match = _LEFT_SIDE.fullmatch(left)
    if match is None:
        raise ArgumentError(
            f"{left.strip()!r} is not the name of an entry", where=where, remedy="use names such as M[1,2], G[1], tau1, K, P, L"
        )
    word, *index_texts = match.groups()
    numbers = next((x for x in index_texts if x), "")
    digits = re.findall(r"\d+", numbers) if "," in numbers or index_texts[0] or index_texts[1] else list(numbers)
    return AnswerLine(number, _FAMILY_NAMES.get(word, word), tuple(map(int, digits)), right, len(left) + 1, word)


class EntryTable:
    """The entries of the equations that an answer may give, by the name of their family."""

    def __init__(self, eom: Any) -> None:
        self.eom = eom
        n, m = eom.n, len(eom.constraint_names)
        self.families: dict[str, list[tuple[tuple[int, ...], Callable[..., Formula]]]] = {
            "M": [((n, n), lambda i, j: eom.M[i, j])],
            "C": [((n, n), lambda i, j: eom.C[i, j]), ((n,), lambda i: self._velocity_terms[i])],
            "Gamma": [((n, n, n), eom.christoffel)],
            "G": [((n,), lambda i: eom.G[i])],
            "F": [((n,), lambda i: eom.F[i])],
            "tau": [((n,), lambda i: eom.tau[i])],
            "K": [((), lambda: eom.kinetic_energy), ((n,), lambda i: self._link_energy(eom.kinetic_energies, i))],
            "V": [((), lambda: eom.potential_energy), ((n,), lambda i: self._link_energy(eom.potential_energies, i))],
            "L": [((), lambda: eom.lagrangian)],
        }
        if m:
            self.families["Psi"] = [((m, n), lambda i, j: eom.Psi[i, j])]
            self.families["closure"] = [((len(eom.closure),), lambda i: eom.closure[i])]

    @property
    def _velocity_terms(self) -> FormulaMatrix:
        velocity_terms: FormulaMatrix = self.eom.C @ self.eom.qd
        return velocity_terms

    def _link_energy(self, energies: Any, i: int) -> Formula:
        name = getattr(self.eom, "whole", self.eom).system.links[i].name
        return energies[name] if name in energies else self.eom.kinetic_energy * 0

    def expected_formula(self, answer: AnswerLine, place: str) -> Formula:
        """The right formula of an entry; an error if there is no such entry."""
        where = (place, f"line {answer.line}")
        if answer.family not in self.families:
            raise ArgumentError(unknown_name_message("entry", answer.family, self.families), where=where)
        for shape, entry in self.families[answer.family]:
            if len(shape) == len(answer.indices):
                if all(1 <= i <= size for i, size in zip(answer.indices, shape, strict=True)):
                    return entry(*(i - 1 for i in answer.indices))
                size = " x ".join(map(str, shape))
                raise ArgumentError(
                    f"{answer.name} does not exist; {answer.family} is {size}, and indices count from 1", where=where
                )
        forms = " or ".join(str(len(shape)) for shape, _ in self.families[answer.family])
        raise ArgumentError(f"{answer.name} has {len(answer.indices)} indices; {answer.family} has {forms}", where=where)

    def other_entries(self, answer: AnswerLine) -> Iterator[tuple[str, Formula]]:
        """The other entries of the same family."""
        for shape, entry in self.families[answer.family]:
            if len(shape) == len(answer.indices) > 0:
                for indices in _all_indices(shape):
                    if indices != answer.indices:
                        yield f"{answer.family}[{','.join(map(str, indices))}]", entry(*(i - 1 for i in indices))

    def missing(self, answer_lines: list[AnswerLine]) -> tuple[str, ...]:
        """The entries that are not zero and not answered, of the families that were begun; of a symmetric pair one is enough."""
        kinds = dict.fromkeys((x.family, len(x.indices)) for x in answer_lines)
        answered = {(x.family, x.indices) for x in answer_lines}
        missing_names = []
        for family, count in kinds:
            shape, entry = next(pair for pair in self.families[family] if len(pair[0]) == count)
            for indices in _all_indices(shape):
                equivalent = _equivalent_indices(family, indices)
                is_answered = indices != min(equivalent) or any((family, x) in answered for x in equivalent)
                if not is_answered and not entry(*(i - 1 for i in indices)).is_zero:
                    missing_names.append(f"{family}[{','.join(map(str, indices))}]")
        return tuple(missing_names)


def _equivalent_indices(family: str, indices: tuple[int, ...]) -> tuple[tuple[int, ...], ...]:
    """The indices of entries that are equal by symmetry: M_ij = M_ji, Gamma_ijk = Gamma_ikj."""
    if family == "M":
        return indices, indices[::-1]
    return (indices, (indices[0], indices[2], indices[1])) if family == "Gamma" else (indices,)


def _all_indices(shape: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
    """All indices of a matrix of a shape, from 1."""
    if not shape:
        yield ()
        return
    for i in range(1, shape[0] + 1):
        for later_indices in _all_indices(shape[1:]):
            yield (i, *later_indices)


def find_hint(answer: Formula, node: FormulaNode, expected: Formula, siblings: Iterable[tuple[str, Formula]]) -> str:
    """The slip that turns the expected formula into the answer; "" if none is found."""
    hints = (
        _factor_hint(answer, expected),
        _other_entry_hint(answer, siblings),
        _term_hint(answer, expected),
        *_substitution_hints(answer, node, expected),
    )
    return next((hint for hint in hints if hint), "")


def _factor_hint(answer: Formula, expected: Formula) -> str:
    if expected.is_zero or answer.is_zero:
        return "it should be zero" if expected.is_zero else ""
    factor = _constant_value(answer / expected)
    if factor is None:
        return ""
    if factor == -1:
        return "the sign is wrong"
    return _factor_text("it", factor)


def _factor_text(noun: str, factor: Fraction) -> str:
    inverse_factor = abs(1 / factor)
    missing = f"a factor {inverse_factor} is missing" if inverse_factor != 1 else ""
    sign = "the sign is wrong" if factor < 0 else ""
    return f"{noun}: " * (noun != "it") + " and ".join(x for x in (sign, missing) if x)


def _constant_value(x: Formula) -> Fraction | None:
    """The value of a formula that is a number."""
    if x.denominator is not None or not x.element.poly.is_constant():
        return None
    return as_fraction(x.element.poly.leading_coefficient()) if x.element else Fraction(0)


def _other_entry_hint(answer: Formula, siblings: Iterable[tuple[str, Formula]]) -> str:
    for name, formula in siblings:
        if not formula.is_zero and answer == formula:
            return f"this is {name}"
    return ""


def _term_hint(answer: Formula, expected: Formula) -> str:
    """The hint that one term is missing, has another factor, or should not be there."""
    difference = answer - expected
    expanded = expected.expand()
    terms = list(expanded.tree.terms) if isinstance(expanded.tree, Sum) else []
    if expected.denominator is not None or len(terms) > MAX_TRIES:
        return ""
    for tree in terms:
        term = Formula(expected.writer, expected.writer.to_element(tree))
        factor = _constant_value(difference / term)
        if factor is None or factor == 0:
            continue
        subject = f"the term {term}"
        return f"{subject} is missing" if factor == -1 else _factor_text(subject, 1 + factor)
    return "" if isinstance(difference.expand().tree, Sum) else f"the term {difference} should not be there"


def _substitution_hints(answer: Formula, node: FormulaNode, expected: Formula) -> Iterator[str]:
    """The hints that sine and cosine are exchanged, in one place or everywhere, or that one name stands for another."""
    places = [x for x in node.walk() if x.operation in _SWAPPED][:MAX_TRIES]
    for swapped in ([places] if len(places) > 1 else []) + [[x] for x in places]:
        if _evaluate_swapped(answer, node, swapped) == expected:
            yield "sine and cosine are exchanged" if len(swapped) == len(places) else "a sine and a cosine are exchanged"
            return
    for name in answer.names:
        for other in _similar_names(name, expected):
            if answer.subs({name: other}) == expected:
                yield f"{name} stands where {other} should be"
                return


def _evaluate_swapped(answer: Formula, node: FormulaNode, places: list[FormulaNode]) -> Formula:
    for place in places:
        place.operation = _SWAPPED[place.operation]
    try:
        writer, (numerator, denominator) = answer.writer.family.quotient(node)
        return Formula.quotient(writer, numerator, denominator)
    finally:
        for place in places:
            place.operation = _SWAPPED[place.operation]


def _similar_names(name: str, expected: Formula) -> list[str]:
    """Names that differ from a name in their index alone, and for a coordinate its sums with others."""
    stem = re.sub(r"\d+", "#", name)
    coordinates = expected.writer.system.coordinates
    names = [x for x in expected.names if x != name and re.sub(r"\d+", "#", x) == stem]
    if name in coordinates:
        names += [f"{x} + {name}" for x in coordinates if x != name]
    return names[:MAX_TRIES]
