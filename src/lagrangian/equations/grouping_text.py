"""Base parameters as a table to read."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping, Sequence

from lagrangian.equations.algebra.ring import Element, fraction

WIDTH = 110


def table(
    mechanism: str,
    grouping: Mapping[str, Mapping[str, tuple[Element, Element]]],
    dependent: Sequence[str],
    without_effect: Sequence[str],
) -> str:
    """Groups with their formulas, parameters that stand alone, and those of which the motion says nothing."""
    grouped = [b for b, group in grouping.items() if len(group) > 1]
    alone = [b for b, group in grouping.items() if len(group) == 1]
    total = len(grouping) + len(dependent) + len(without_effect)
    lines = [
        f"Base parameters of {mechanism}: {len(grouping)} of {total} inertial parameters",
        "(m mass, h = m c first moment, I inertia about the origin of the link's frame, J rotor; R marks a group)",
    ]
    if grouped:
        wide = max(len(b) for b in grouped) + 1
        lines += ["", f"{len(grouped)} groups"]
        for b in grouped:
            lines += _wrapped(f"  {b + 'R':<{wide}} = {formula(grouping[b])}", " " * (wide + 5))
    for title, names in (("alone", alone), ("without effect", without_effect)):
        if names:
            lines += ["", f"{len(names)} {title}", *_wrapped("  " + ", ".join(names), "  ")]
    return "\n".join(lines)


def _wrapped(line: str, indent: str) -> list[str]:
    return textwrap.wrap(line, WIDTH, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False)


def formula(group: Mapping[str, tuple[Element, Element]]) -> str:
    """A sum of parameters; those with one factor are put in brackets behind it."""
    shared: dict[str, list[tuple[str, str]]] = {}
    for name, (above, below) in group.items():
        sign, factor = _factor(above, below)
        shared.setdefault(factor, []).append((sign, name))
    words = ""
    for factor, names in shared.items():
        if not factor:
            words += "".join(f" {sign} {name}" for sign, name in names)
            continue
        outer = names[0][0]
        inner = [("+" if sign == outer else "-", name) for sign, name in names]
        inside = inner[0][1] + "".join(f" {sign} {name}" for sign, name in inner[1:])
        words += f" {outer} {factor}*" + (f"({inside})" if len(names) > 1 else inside)
    return words.removeprefix(" + ").removeprefix(" ")


def _factor(above: Element, below: Element) -> tuple[str, str]:
    """Sign and size of a quotient; the size 1 is not written."""
    sign = "+"
    if above.poly.leading_coefficient() < 0:
        sign, above = "-", -above
    size = polynomial(above)
    if below == 1:
        return sign, "" if size == "1" else f"({size})" if above.terms > 1 else size
    top = f"({size})" if above.terms > 1 else size
    bottom = polynomial(below)
    return sign, f"{top}/({bottom})" if below.terms > 1 or "*" in bottom else f"{top}/{bottom}"


def polynomial(x: Element) -> str:
    """Its terms; fractions as decimals of six digits."""
    words = ""
    for monomial, c in x.poly.terms():
        exact = fraction(c)
        size = abs(exact)
        number = str(size) if size.denominator == 1 else f"{float(size):.6g}"
        names = [x.ring.symbols[k].name + (f"^{power}" if power > 1 else "") for k, power in enumerate(monomial) if power]
        words += f" {'-' if exact < 0 else '+'} " + "*".join(names if names and number == "1" else [number, *names])
    return words.removeprefix(" + ").replace(" - ", "-", 1) if words.startswith(" - ") else words.removeprefix(" + ") or "0"
