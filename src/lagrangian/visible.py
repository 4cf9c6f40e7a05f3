"""Characters that act instead of being seen: they move a terminal's cursor, colour it, or turn the direction of writing.

Texts from files may have them. Names may not; elsewhere they are shown as what they are, such as \\x1b.
"""

from __future__ import annotations

import re
from collections.abc import Callable

# controls of ASCII and Latin-1, line and paragraph separators, marks of direction, halves of characters
_ACTING = "\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff"
_IN_NAMES = re.compile(f"[{_ACTING}]")
_IN_TEXTS = re.compile(f"(?![\n\t])[{_ACTING}]")


def acts(name: str) -> bool:
    """Whether a name has a character that is not seen, a line break or a tab among them."""
    return _IN_NAMES.search(name) is not None


def as_name(text: str) -> str:
    """A text, such as that of a file's name, as a name can be: with a blank for each character that is not seen."""
    return _IN_NAMES.sub(" ", text)


def as_cell(text: str) -> str:
    """A text as a cell of a CSV file: one that a spreadsheet would compute as a formula has an apostrophe before it."""
    return f"'{text}" if text.startswith(("=", "+", "-", "@")) else text


def visible(text: str, spelled: Callable[[str], str] = lambda c: repr(c)[1:-1]) -> str:
    """A text in which everything is seen, and lines stay lines. A character that is not seen is `spelled`, as Python does it."""
    return _IN_TEXTS.sub(lambda found: spelled(found[0]), text)
