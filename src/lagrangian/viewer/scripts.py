"""Scripts of pages, joined without their comments and indentation, which a browser does not need."""

from __future__ import annotations

import re
from collections.abc import Iterable
from importlib.resources.abc import Traversable

_COMMENTS = re.compile(r"^[ \t]*(?://.*|/\*\*(?:.|\n)*?\*/[ \t]*)\n", re.MULTILINE)


def join_scripts(folder: Traversable, names: Iterable[str]) -> str:
    """The files of these names, one after another; comments that stand alone and what lines begin with are left out."""
    text = "\n".join((folder / f"{name}.js").read_text(encoding="utf-8") for name in names)
    return re.sub(r"^[ \t]+|\n(?=\n)", "", _COMMENTS.sub("", text), flags=re.MULTILINE)
