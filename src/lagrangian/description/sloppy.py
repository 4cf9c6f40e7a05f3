"""What XML forbids and the readers of other programs let pass: `--` in a comment, and attributes without a blank between them."""

from __future__ import annotations

import re

_OPENING = re.compile(rb"<!--|<!\[CDATA\[|<\?|<[^!?/]")
_CLOSING = {b"<!--": b"-->", b"<![CDATA[": b"]]>", b"<?": b"?>"}
_MARK = re.compile(rb"[\"'<>]")
_NAME = re.compile(rb"[A-Za-z_:]")
DASHES = "a comment contains --; it ends at the next -->, as in other readers"
BLANK = "attributes without a space between them are accepted"


def mended(data: bytes) -> tuple[bytes, dict[str, int]]:
    """The text as XML has it, as far as it is sloppy in these ways, and for each the first line; lines stay where they are."""
    parts: list[bytes] = []
    found: dict[str, int] = {}
    done = at = 0
    while (opening := _OPENING.search(data, at)) is not None:
        begin = opening.end()
        if (closing := _CLOSING.get(opening[0])) is None:
            at, behind = _tag(data, begin)
            for k in behind:
                _tell(found, BLANK, data, k)
                parts += [data[done:k], b" "]
                done = k
            continue
        end = data.find(closing, begin)
        if end < 0:
            break
        inside = data[begin:end]
        if opening[0] == b"<!--" and (b"--" in inside or inside.endswith(b"-")):
            _tell(found, DASHES, data, begin)
            parts += [data[done:begin], inside.replace(b"-", b" ")]
            done = end
        at = end + 2
    return b"".join([*parts, data[done:]]), found


def _tell(found: dict[str, int], what: str, data: bytes, at: int) -> None:
    """Where it is met first; lines are counted once, as a long file may be sloppy all over."""
    if what not in found:
        found[what] = data.count(b"\n", 0, at) + 1


def _tag(data: bytes, at: int) -> tuple[int, list[int]]:
    """Where a tag ends, and where in it an attribute begins right behind the one before."""
    behind: list[int] = []
    while (mark := _MARK.search(data, at)) is not None and mark[0] in b"\"'":
        end = data.find(mark[0], mark.end())
        if end < 0:
            return len(data), behind
        at = end + 1
        if _NAME.match(data, at):
            behind.append(at)
    return (mark.start() if mark else len(data)), behind
