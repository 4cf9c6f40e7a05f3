"""The value of an element whose generators all have one."""

from __future__ import annotations

import math
from collections.abc import Mapping

from lagrangian.equations.ring import Element, fraction


def value(x: Element, given: Mapping[str, float] | None = None) -> float:
    """In floating point; generators by name, or by the values their symbols carry. NaN where one has none."""
    symbols = x.ring.symbols
    terms = []
    for monomial, c in x.poly.terms():
        term = float(fraction(c))
        for k, power in enumerate(monomial):
            if power:
                symbol = symbols[k]
                known = (given or {}).get(symbol.name, symbol.value)
                term *= math.nan if known is None else known ** int(power)
        terms.append(term)
    return math.fsum(terms) if all(map(math.isfinite, terms)) else math.nan
