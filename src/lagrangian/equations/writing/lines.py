"""Breaking long typeset formulas into lines."""

from __future__ import annotations

import re

# how wide a line may get, in units of the font's size: an A4 page with narrow margins
WIDTH = 40.0
_PIECES = re.compile(r"[_^]\{[^{}]*\}|\\[A-Za-z]+|\\,|[A-Za-z0-9.]|[+=-]|[(),/]")


def width(latex: str) -> float:
    """About how wide it is when typeset."""
    total = 0.0
    for piece in _PIECES.findall(latex):
        if piece[0] in "_^":
            total += 0.36 * len(re.sub(r"\\[A-Za-z]+", "x", piece[2:-1]))
        elif piece == "\\,":
            total += 0.17
        elif piece in (r"\dot", r"\ddot", r"\mathit", r"\mathrm", r"\left", r"\right", r"\Bigl", r"\Bigr"):
            continue
        elif piece in (r"\sin", r"\cos"):
            total += 1.5
        elif piece in "+=-":
            total += 1.25
        else:
            total += 0.42 if piece in "(),/" else 0.55
    return total


def broken(left: str, right: str, widest: float = WIDTH) -> list[str]:
    """`left &= right` as rows of an aligned block, broken before a plus or minus where a row gets full."""
    limit = widest - width(left)
    rows, line = [], ""
    for word in re.split(r" (?=[+-] )", right):
        whole = line.count("{") == line.count("}") and line.count(r"\left(") == line.count(r"\right)")  # not in a fraction
        if line and whole and width(line) + width(word) > limit:
            rows.append(line)
            line = word
        else:
            line = f"{line} {word}" if line else word
    rows.append(line)
    return [f"{left} &= {rows[0]}", *(rf"&\quad {row}" for row in rows[1:])]
