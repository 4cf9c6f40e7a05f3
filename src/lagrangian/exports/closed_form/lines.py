"""Long lines in several."""

from __future__ import annotations

WIDTH = 100  # of a line, without the indentation of a function's body


def broken(line: str, indent: str, width: int = WIDTH) -> list[str]:
    """A line in several, broken before a plus or a minus that stands in as few brackets as can be."""
    depth, places = 0, []
    for k, c in enumerate(line):
        depth += (c == "(") - (c == ")")
        if line.startswith((" + ", " - "), k):
            places.append((k, depth))
    lines, start, lead = [], 0, ""
    while len(lead) + len(line) - start > width:
        room = width - len(lead)
        # not so early that lines become short
        fitting = [(k, d) for k, d in places if start + room // 3 < k <= start + room]
        fitting = fitting or [(k, d) for k, d in places if k > start][:1]
        if not fitting:
            break
        least = min(d for _, d in fitting)
        end = max(k for k, d in fitting if d == least)
        lines.append(lead + line[start:end].lstrip())
        start, lead = end, indent
    return [*lines, lead + line[start:].lstrip()]
