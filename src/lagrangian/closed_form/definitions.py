"""What the names in the equations stand for: sines and cosines, lengths, inertial and base parameters, values."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from lagrangian.equations.formula import Formula
from lagrangian.equations.writing.notation import typeset_words
from lagrangian.equations.writing.tree import names

if TYPE_CHECKING:
    from lagrangian.closed_form.equations import Equations


@dataclass(frozen=True)
class Definition:
    """What a name in the equations stands for: in words, or a formula in plain text, which `latex` has typeset."""

    name: str
    meaning: str
    latex: str = ""

    @property
    def is_formula(self) -> bool:
        return bool(self.latex)


def definitions(eom: Equations, formulas: Iterable[Formula]) -> list[Definition]:
    """Names met in formulas that do not stand for themselves: what each means."""
    met: dict[str, None] = {}
    for formula in formulas:
        names(formula.tree, met)
    found: dict[str, Definition] = {}
    for name in met:
        definition = _definition(eom, name)
        if definition is not None:
            found.setdefault(definition.name, definition)
    return sorted(found.values(), key=lambda x: _alphabetical(x.name, eom))


def _definition(eom: Equations, name: str) -> Definition | None:
    """None if it needs none: coordinates and their rates, what stands for itself, and what is explained with its family."""
    symbol = eom.notation.symbol(name)
    if symbol is not None and symbol.kind in ("coordinate", "speed", "acceleration"):
        return None
    length = eom.system.scalars.lengths.get(name)
    if length is not None:
        square = Formula(eom.writer, length.square)
        return Definition(f"{length.word}({length.of})", f"sqrt({square})", rf"\sqrt{{{square.latex()}}}")
    meaning = eom.notation.meaning(name)
    if meaning in ("", name, eom.notation.plain(name)) or _of_a_family(name, eom):
        return None
    is_angle = symbol is None or symbol.kind in ("sine", "cosine")
    return Definition(name, meaning, typeset_words(meaning) if is_angle else "")


def _of_a_family(name: str, eom: Equations) -> bool:
    """Symbols that are explained together: inertial ones, and signs of speeds."""
    symbol = eom.notation.symbol(name)
    kind = "" if symbol is None else symbol.kind
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
    number = eom.writer.number.get(name)
    kind = eom.system.ring.symbols[number].kind if number is not None else "sine"
    order = 0 if kind in ("sine", "cosine") else 1 if kind == "coordinate" else 2
    return order, len(name) if order == 0 else 0, name if order == 0 else f"{number:05d}"


def groups(eom: Equations) -> list[tuple[str, str]]:
    """What base parameters stand for."""
    if eom.grouping is None:
        return []
    found = []
    for b, group in eom.grouping.grouping.items():
        if len(group) > 1:
            words = ""
            for name, (above, below) in group.items():
                factor = Formula(eom.writer, above, below)
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


def parameter_values(eom: Equations) -> list[tuple[str, float]]:
    """Named parameters of the description, with their values."""
    if eom.system.symbols != "given":
        return []
    return [(name, x) for name, x in eom.parameters().items() if x is not None and name != "pi"]
