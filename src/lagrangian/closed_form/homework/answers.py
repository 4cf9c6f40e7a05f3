"""The lines of an answer: `M[1,2] = ...`, `G1 = ...`, `L = ...`, and what in the equations each of them is about."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from lagrangian.description.text_file import read_text
from lagrangian.equations.formula import Formula
from lagrangian.equations.formula_matrix import FormulaMatrix
from lagrangian.errors import ArgumentError, one_of
from lagrangian.files import as_path

_LEFT = re.compile(r"\s*([A-Za-zΑ-ω]+)\s*_?\s*(?:\[([\d,\s]+)\]|\(([\d,\s]+)\)|\{?([\d,]*)\}?)\s*$")
_NAMES = {"P": "V", "eta": "closure", "η": "closure", "Γ": "Gamma", "τ": "tau", "Ψ": "Psi", "D": "M", "d": "M", "g": "G"}


@dataclass(frozen=True)
class Answer:
    """One line: the number of the line, the family and the indices of the entry, from 1, and what was given for it."""

    line: int
    family: str
    indices: tuple[int, ...]
    text: str
    column: int  # before which the text begins
    word: str  # as the family is called in the answer

    @property
    def name(self) -> str:
        return self.word + (f"[{','.join(map(str, self.indices))}]" if self.indices else "")


def answers(given: str | os.PathLike[str]) -> tuple[str, list[Answer]]:
    """The place to name in errors, and the answers of a file or of a text, which has an equals sign."""
    if isinstance(given, str) and ("=" in given or "\n" in given):
        place, text = "answer", given
    else:
        place, text = as_path(given).name, read_text(given)
    found = [_answer(place, number, line) for number, line in _lines(text)]
    if not found:
        raise ArgumentError("the answer has no lines", where=place, remedy="write lines such as M[1,2] = m2*l1*l2*cos(q2)")
    return place, found


def _lines(text: str) -> Iterator[tuple[int, str]]:
    """Lines with the indented ones that go on with them, without comments and empty ones."""
    number, whole = 0, ""
    for k, line in enumerate(text.splitlines(), 1):
        line = line.split("#")[0].rstrip()
        if whole and line[:1].isspace() and "=" not in line:
            whole += " " + line.strip()
        elif line:
            if whole:
                yield number, whole
            number, whole = k, line
    if whole:
        yield number, whole


def _answer(place: str, number: int, line: str) -> Answer:
    left, equals, right = line.partition("=")
    where = (place, f"line {number}")
    if not equals:
        raise ArgumentError(
            f"{line.strip()[:60]!r} has no equals sign", where=where, remedy="write lines such as G[1] = m*g*l*cos(q1)"
        )
    match = _LEFT.fullmatch(left)
    if match is None:
        raise ArgumentError(
            f"{left.strip()!r} is not the name of an entry", where=where, remedy="use names such as M[1,2], G[1], tau1, K, P, L"
        )
    word, *written = match.groups()
    numbers = next((x for x in written if x), "")
    digits = re.findall(r"\d+", numbers) if "," in numbers or written[0] or written[1] else list(numbers)
    return Answer(number, _NAMES.get(word, word), tuple(map(int, digits)), right, len(left) + 1, word)


class Entries:
    """What answers may be about, by name."""

    def __init__(self, eom: Any) -> None:
        self.eom = eom
        n, m = eom.n, len(eom.constraint_names)
        self.families: dict[str, list[tuple[tuple[int, ...], Callable[..., Formula]]]] = {
            "M": [((n, n), lambda i, j: eom.M[i, j])],
            "C": [((n, n), lambda i, j: eom.C[i, j]), ((n,), lambda i: self._velocity[i])],
            "Gamma": [((n, n, n), eom.christoffel)],
            "G": [((n,), lambda i: eom.G[i])],
            "F": [((n,), lambda i: eom.F[i])],
            "tau": [((n,), lambda i: eom.tau[i])],
            "K": [((), lambda: eom.kinetic_energy), ((n,), lambda i: self._of_link(eom.kinetic_energies, i))],
            "V": [((), lambda: eom.potential_energy), ((n,), lambda i: self._of_link(eom.potential_energies, i))],
            "L": [((), lambda: eom.lagrangian)],
        }
        if m:
            self.families["Psi"] = [((m, n), lambda i, j: eom.Psi[i, j])]
            self.families["closure"] = [((len(eom.closure),), lambda i: eom.closure[i])]

    @property
    def _velocity(self) -> FormulaMatrix:
        made: FormulaMatrix = self.eom.C @ self.eom.qd
        return made

    def _of_link(self, energies: Any, i: int) -> Formula:
        name = getattr(self.eom, "whole", self.eom).system.links[i].name
        return energies[name] if name in energies else self.eom.kinetic_energy * 0

    def right(self, answer: Answer, place: str) -> Formula:
        """What the entry is, or why there is none."""
        where = (place, f"line {answer.line}")
        if answer.family not in self.families:
            raise ArgumentError(one_of("entry", answer.family, self.families), where=where)
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

    def siblings(self, answer: Answer) -> Iterator[tuple[str, Formula]]:
        """The entries of the same kind, those not asked for."""
        for shape, entry in self.families[answer.family]:
            if len(shape) == len(answer.indices) > 0:
                for indices in _all(shape):
                    if indices != answer.indices:
                        yield f"{answer.family}[{','.join(map(str, indices))}]", entry(*(i - 1 for i in indices))

    def missing(self, given: list[Answer]) -> tuple[str, ...]:
        """Of the kinds that were begun, the entries that are not zero and were not given; of a symmetric pair one is enough."""
        kinds = dict.fromkeys((x.family, len(x.indices)) for x in given)
        have = {(x.family, x.indices) for x in given}
        found = []
        for family, count in kinds:
            shape, entry = next(pair for pair in self.families[family] if len(pair[0]) == count)
            for indices in _all(shape):
                same = _same(family, indices)
                known = indices != min(same) or any((family, x) in have for x in same)
                if not known and not entry(*(i - 1 for i in indices)).is_zero:
                    found.append(f"{family}[{','.join(map(str, indices))}]")
        return tuple(found)


def _same(family: str, indices: tuple[int, ...]) -> tuple[tuple[int, ...], ...]:
    """The indices of entries that are equal by symmetry: M_ij = M_ji, Gamma_ijk = Gamma_ikj."""
    if family == "M":
        return indices, indices[::-1]
    return (indices, (indices[0], indices[2], indices[1])) if family == "Gamma" else (indices,)


def _all(shape: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
    if not shape:
        yield ()
        return
    for i in range(1, shape[0] + 1):
        for rest in _all(shape[1:]):
            yield (i, *rest)
