"""How two mechanisms differ once they are written as TOML: what a file rounds or leaves out does not count."""

from __future__ import annotations

import warnings

from lagrangian.description.toml.reader import read_text
from lagrangian.description.toml.writer import to_toml
from lagrangian.model.mechanism import Mechanism

MAX_LISTED = 6  # parts that are named


def mechanism_differences(a: Mechanism, b: Mechanism) -> str:
    """The first kind of parts in which two mechanisms differ, with the names of the parts where they have as many; or ''."""
    a, b = _round_trip(a), _round_trip(b)
    for kind in ("bodies", "joints", "loops", "constraints", "springs", "gravity"):
        a_parts, b_parts = getattr(a, kind), getattr(b, kind)
        if a_parts != b_parts:
            if kind == "gravity" or len(a_parts) != len(b_parts):
                return kind
            names = [x.name for x, y in zip(a_parts, b_parts, strict=True) if x != y]
            return f"{kind} {', '.join(names[:MAX_LISTED])}"
    return ""


def _round_trip(mechanism: Mechanism) -> Mechanism:
    """The mechanism that its own description makes, without the warnings that a reader or a writer gives."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return read_text(to_toml(mechanism))
