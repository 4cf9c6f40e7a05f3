"""What the names in the equations stand for: sines and cosines, lengths, inertial and base parameters, values."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lagrangian.closed_form.sections import Section
from lagrangian.equations.formula import Formula
from lagrangian.equations.writing.tree import names

if TYPE_CHECKING:
    from lagrangian.closed_form.equations import Equations


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


def parameter_values(eom: Equations) -> list[tuple[str, float]]:
    """Named parameters of the description, with their values."""
    if eom.system.symbols != "given":
        return []
    return [(name, x) for name, x in eom.parameters().items() if x is not None and name != "pi"]


def sines_and_cosines(eom: Equations, sections: list[Section]) -> list[tuple[str, str]]:
    """The definitions that are formulas themselves."""
    return [(name, words) for name, words in definitions(eom, sections) if words.startswith(("sin", "cos"))]
