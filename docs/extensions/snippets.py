"""The directive `snippet`: a piece of the page's own script in docs/snippets, and what it prints.

tests/test_docs.py runs the scripts. `# --- name` lines part `snippets/PAGE.py` into pieces, and `snippets/PAGE.out` into what
they print; so do `snippets/PAGE.sh`, commands of the terminal, and `snippets/PAGE.txt`. A page in a folder has its scripts in the
same folder of snippets.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

# scripts of a page, and what they print
KINDS = {".py": (".out", "python"), ".sh": (".txt", "sh")}
MARK = re.compile(r"^# --- ([a-z0-9-]+)\n", re.MULTILINE)


def pieces(path: Path) -> dict[str, str]:
    """The pieces of a script, or of what it printed, by name."""
    _, *parts = MARK.split(path.read_text(encoding="utf-8"))
    names = parts[::2]
    if len(set(names)) < len(names):
        raise ValueError(f"{path}: two pieces have one name")
    return {name: text.strip("\n") + "\n" for name, text in zip(names, parts[1::2], strict=True)}


def setup(app: Any) -> dict[str, bool]:
    from docutils import nodes
    from sphinx.util.docutils import SphinxDirective

    class Snippet(SphinxDirective):
        """The piece named, and below it what it prints."""

        required_arguments = 1

        def run(self) -> list[nodes.Node]:
            page = Path(self.env.srcdir) / "snippets" / self.env.docname
            (name,) = self.arguments
            blocks: list[nodes.Node] = []
            for suffix, (printed, language) in KINDS.items():
                for path, kind in ((page.with_suffix(suffix), language), (page.with_suffix(printed), "text")):
                    if not path.exists():
                        continue
                    self.env.note_dependency(str(path))
                    text = pieces(path).get(name)
                    if text is not None:
                        blocks.append(nodes.literal_block(text, text, language=kind))
            if not blocks:
                raise self.error(f"the snippets of {page} have no piece {name!r}")
            return blocks

    app.add_directive("snippet", Snippet)
    return {"parallel_read_safe": True}
