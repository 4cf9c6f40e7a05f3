"""Breaking long typeset formulas into lines."""

from __future__ import annotations

import re
from functools import cache

# how wide a line may get, in units of the font's size: an A4 page with narrow margins
WIDTH = 40.0
# what must be closed in the row in which it is opened
FIXED = (("{", "}"), (r"\left(", r"\right)"))
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
    """`left &= right` as rows of an aligned block, broken before a plus or minus where a row gets full.

    A row ends between two terms of the sum. A term that is wider than a row is broken within its brackets, but never in a
    fraction, nor in brackets that must be closed in the same row.
    """
    limit = 100 * widest - _hundredths(left)
    rows, line, wide = [], "", 0
    for term in _joined(right, (*FIXED, ("(", ")"))):
        parts = [term] if _hundredths(term) <= limit else _joined(term, FIXED)
        if line and wide + _hundredths(term) > limit:
            rows.append(line)
            line, wide = "", 0
        for part in parts:
            more = _hundredths(part)
            if line and wide + more > limit:
                rows.append(line)
                line, wide = "", 0
            line, wide = f"{line} {part}" if line else part, wide + more
    rows.append(line)
    return [f"{left} &= {rows[0]}", *(rf"&\quad {row}" for row in rows[1:])]


def _joined(text: str, brackets: tuple[tuple[str, str], ...]) -> list[str]:
    """A text, cut before each plus or minus that is in none of these brackets."""
    found, words = [], []
    depths = [0] * len(brackets)
    for word in re.split(r" (?=[+-] )", text):
        words.append(word)
        depths = [depth + word.count(a) - word.count(b) for depth, (a, b) in zip(depths, brackets, strict=True)]
        if not any(depths):
            found.append(" ".join(words))
            words = []
    return [*found, " ".join(words)] if words else found
