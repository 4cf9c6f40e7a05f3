"""The directive `snippet`: a piece of the page's own script in docs/snippets, and what it prints.

tests/test_docs.py runs the scripts.
`# --- name` lines part `snippets/PAGE.py` into pieces, and `snippets/PAGE.out` into what these print. A page in a folder, such as
howto/export.md, has its script in the same folder of snippets.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

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
            script = Path(self.env.srcdir) / "snippets" / f"{self.env.docname}.py"
            (name,) = self.arguments
            shown = [(script, "python"), (script.with_suffix(".out"), "text")]
            blocks: list[nodes.Node] = []
            for path, language in shown:
                if not path.exists():
                    continue
                self.env.note_dependency(str(path))
                text = pieces(path).get(name)
                if text is not None:
                    blocks.append(nodes.literal_block(text, text, language=language))
            if not blocks:
                raise self.error(f"{script} has no piece {name!r}")
            return blocks

    app.add_directive("snippet", Snippet)
    return {"parallel_read_safe": True}
