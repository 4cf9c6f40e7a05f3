"""Homework marked: each line right, or what differs from the right formula."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from lagrangian.closed_form.homework.answers import Answer, Entries, answers
from lagrangian.closed_form.homework.hints import hint
from lagrangian.equations.formula import Formula
from lagrangian.equations.texts.reader import read
from lagrangian.errors import LagrangianError

if TYPE_CHECKING:
    from lagrangian.closed_form.parts.output import OutputPart

SHORT = 160  # characters of a difference that is shown


@dataclass(frozen=True)
class Mark:
    """The result for one line of an answer.

    Attributes
    ----------
    line : int
        The number of the line.
    name : str
        The entry, such as "M[1,2]".
    given, expected : Formula
        The formula of the answer, and the right one.
    difference : Formula or None
        The given formula less the right one; None if the line is right.
    hint : str
        What went wrong, where that can be found: a sign, a factor, a missing term.
    """

    line: int
    name: str
    given: Formula
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
        shown = str(self.difference)
        shown = shown if len(shown) <= SHORT else f"{shown[:SHORT]}... ({self.difference.terms} terms)"
        return f"{head}: it differs by {shown}{f'; {self.hint}' if self.hint else ''}"


@dataclass(frozen=True)
class Marking:
    """The result of a comparison with a student's equations.

    `Equations.check` returns this object. It is true if all is right; `print` writes it line by line.

    Attributes
    ----------
    marks : tuple of Mark
        The result for every line.
    missing : tuple of str
        Entries that are not zero and that the answer does not give.

    Examples
    --------
    >>> import lagrangian as lg
    >>> marking = lg.derive("pendulum").check("G[1] = m*g*L*sin(theta)")
    >>> marking.right, str(marking.marks[0].expected)
    (False, 'm*L*g*cos(theta)')
    """

    marks: tuple[Mark, ...]
    missing: tuple[str, ...]

    @property
    def right(self) -> bool:
        """Whether all lines are right and no entry is missing."""
        return not self.missing and all(mark.right for mark in self.marks)

    def __bool__(self) -> bool:
        return self.right

    def __str__(self) -> str:
        lines = [str(mark) for mark in self.marks]
        if self.missing:
            lines.append(f"missing: {', '.join(self.missing)}")
        good = sum(mark.right for mark in self.marks)
        return "\n".join([*lines, f"{good} of {len(self.marks)} right{f', {len(self.missing)} missing' if self.missing else ''}"])

    __repr__ = __str__


def marked(eom: OutputPart, given: str | os.PathLike[str]) -> Marking:
    """The marks of a file, or of a text, of lines such as `M[1,2] = m2*l1*lc2*cos(q2)`."""
    place, found = answers(given)
    entries = Entries(eom)
    marks = [_mark(entries, answer, place) for answer in found]
    return Marking(tuple(_of_another_matrix(eom, found, marks)), entries.missing(found))


def _mark(entries: Entries, answer: Answer, place: str) -> Mark:
    right = entries.right(answer, place)
    family = right.writer.family
    try:
        node = read(answer.text, family.writers[-1], answer.column)
        writer, (above, below) = family.quotient(node)
        given = Formula.quotient(writer, above, below)
        same = right == given
    except LagrangianError as error:
        raise error.at(place, f"line {answer.line}") from None
    if same:
        return Mark(answer.line, answer.name, given, right)
    difference = given - right
    if answer.family in ("V", "L") and not _moves(difference):
        return Mark(
            answer.line, answer.name, given, right, hint=f"only the zero level of the potential energy differs, by {difference}"
        )
    return Mark(answer.line, answer.name, given, right, difference, hint(given, node, right, entries.siblings(answer)))


def _of_another_matrix(eom: Any, found: list[Answer], marks: list[Mark]) -> Iterator[Mark]:
    """C is not unique: wrong entries of a row that has the right C q' all the same are said to be those of another matrix."""
    rows: dict[int, dict[int, Formula]] = {}
    for answer, mark in zip(found, marks, strict=True):
        if answer.family == "C" and len(answer.indices) == 2:
            rows.setdefault(answer.indices[0], {})[answer.indices[1]] = mark.given
    qd = eom.qd
    same = set()
    for i, row in rows.items():
        velocity = sum((x * qd[j - 1] for j, x in row.items()), eom.kinetic_energy * 0)
        if velocity == eom.centripetal[i - 1] + eom.coriolis[i - 1]:
            same.add(i)
    for answer, mark in zip(found, marks, strict=True):
        other = not mark.right and answer.family == "C" and len(answer.indices) == 2 and answer.indices[0] in same
        words = "the row gives the right C q', but it is not that of the Christoffel symbols, for which M' - 2C is skew"
        yield replace(mark, hint=words) if other else mark


def _moves(x: Formula) -> bool:
    """Whether it depends on the state or on time: an energy may have any constant besides."""
    system = x.writer.system
    state = {*system.coordinates, "t", *(f"q{d}{k + 1}" for d in ("d", "dd") for k in range(system.n))}
    return bool(state & set(x.names))
