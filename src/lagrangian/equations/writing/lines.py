"""Breaking long typeset formulas into lines."""

from __future__ import annotations

import re
from collections.abc import Callable

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
    """`left &= right` as rows of an aligned block, broken before a plus or minus where a row gets full.

    A row ends between two terms of the sum. A term that is wider than a row is broken within its brackets, but never in a
    fraction, nor in brackets that must be closed in the same row.
    """
    limit = widest - width(left)
    rows, line = [], ""
    words = re.split(r" (?=[+-] )", right)
    for term in _joined(words, _within_no_bracket):
        if line and width(line) + width(term) > limit:
            rows.append(line)
            line = ""
        if width(term) > limit:
            for part in _joined(re.split(r" (?=[+-] )", term), _may_be_broken):
                if line and width(line) + width(part) > limit:
                    rows.append(line)
                    line = ""
                line = f"{line} {part}".lstrip()
        else:
            line = f"{line} {term}".lstrip()
    rows.append(line)
    return [f"{left} &= {rows[0]}", *(rf"&\quad {row}" for row in rows[1:])]


def _joined(words: list[str], ends: Callable[[str], bool]) -> list[str]:
    """Words, joined until each of them ends where a row may."""
    found, line = [], ""
    for word in words:
        line = f"{line} {word}".lstrip()
        if ends(line):
            found.append(line)
            line = ""
    return [*found, line] if line else found


def _may_be_broken(line: str) -> bool:
    return line.count("{") == line.count("}") and line.count(r"\left(") == line.count(r"\right)")


def _within_no_bracket(line: str) -> bool:
    return _may_be_broken(line) and line.count("(") == line.count(")")
