"""Breaking long typeset formulas into lines."""

from __future__ import annotations

import re
from functools import cache

# how wide a line may get, in units of the font's size: an A4 page with narrow margins
WIDTH = 40.0
_PIECES = re.compile(r"[_^]\{[^{}]*\}|\\[A-Za-z]+|\\,|[A-Za-z0-9.]|[+=-]|[(),/]")


def width(latex: str) -> float:
    """About how wide it is when typeset."""
    return _hundredths(latex) / 100


def _hundredths(latex: str) -> int:
    return sum(map(_of_piece, _PIECES.findall(latex)))


@cache
def _of_piece(piece: str) -> int:
    if piece[0] in "_^":
        return 36 * len(re.sub(r"\\[A-Za-z]+", "x", piece[2:-1]))
    if piece == "\\,":
        return 17
    if piece in (r"\dot", r"\ddot", r"\mathit", r"\mathrm", r"\left", r"\right", r"\Bigl", r"\Bigr"):
        return 0
    if piece in (r"\sin", r"\cos"):
        return 150
    if piece in "+=-":
        return 125
    return 42 if piece in "(),/" else 55


def broken(left: str, right: str, widest: float = WIDTH) -> list[str]:
    """`left &= right` as rows of an aligned block, broken before a plus or minus where a row gets full."""
    limit = 100 * widest - _hundredths(left)
    rows, line, wide = [], "", 0
    for word in re.split(r" (?=[+-] )", right):
        more, whole = _hundredths(word), _whole(line)
        if line and whole and wide + more > limit:
            rows.append(line)
            line, wide = word, more
        else:
            line = f"{line} {word}" if line else word
            wide = wide + more if whole else _hundredths(line)
    rows.append(line)
    return [f"{left} &= {rows[0]}", *(rf"&\quad {row}" for row in rows[1:])]


def _whole(line: str) -> bool:
    """Whether it may be broken behind: not in a fraction."""
    return line.count("{") == line.count("}") and line.count(r"\left(") == line.count(r"\right)")
