"""The directive `snippet`: a piece of the page's own script in docs/snippets, and what it prints.

tests/test_docs.py runs the scripts. `# --- name` lines part `snippets/PAGE.py` into pieces, and `snippets/PAGE.out` into what
they print; so do `snippets/PAGE.sh`, commands of the terminal, and `snippets/PAGE.txt`. A page in a folder has its scripts in the
same folder of snippets. A name with a dot is a whole file there, which the script reads.

A page is read as plain Markdown too: the body of the directive has the same text, the code and after a line `# prints` what it
prints. `python -m tests.test_docs --sync` writes the bodies, and a test compares them.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

SNIPPETS = Path(__file__).parents[1] / "snippets"
# scripts of a page, and what they print
KINDS = {".py": (".out", "python"), ".sh": (".txt", "sh")}
FILES = {".toml": "toml", ".urdf": "xml"}
MARK = re.compile(r"^# --- ([a-z0-9-]+)\n", re.MULTILINE)
PRINTS = "# prints"


def pieces(path: Path) -> dict[str, str]:
    """The pieces of a script, or of what it printed, by name."""
    _, *parts = MARK.split(path.read_text(encoding="utf-8"))
    names = parts[::2]
    if len(set(names)) < len(names):
        raise ValueError(f"{path}: two pieces have one name")
    return {name: text.strip("\n") + "\n" for name, text in zip(names, parts[1::2], strict=True)}


def snippet_parts(page: str, name: str) -> list[tuple[Path, str, str]]:
    """What `{snippet} name` of a page shows: the file, the language and the text of each block."""
    script = SNIPPETS / page
    if "." in name:
        path = script.parent / name
        return [(path, FILES[path.suffix], path.read_text(encoding="utf-8"))]
    results = []
    for suffix, (printed, language) in KINDS.items():
        for path, kind in ((script.with_suffix(suffix), language), (script.with_suffix(printed), "text")):
            text = pieces(path).get(name) if path.exists() else None
            if text is not None:
                results.append((path, kind, text))
    if not results:
        raise KeyError(f"the snippets of {page} have no piece {name!r}")
    return results


def body(page: str, name: str) -> str:
    """The same as the plain text that stands in the page."""
    texts = ["\n".join(line.rstrip() for line in text.splitlines()) for _, _, text in snippet_parts(page, name)]
    return f"\n{PRINTS}\n".join(texts) + "\n"


def setup(app: Any) -> dict[str, bool]:
    from docutils import nodes
    from sphinx.util.docutils import SphinxDirective

    class Snippet(SphinxDirective):
        """The piece named, and below it what it prints."""

        required_arguments = 1
        has_content = True

        def run(self) -> list[nodes.Node]:
            try:
                blocks = snippet_parts(self.env.docname, self.arguments[0])
            except (KeyError, OSError) as error:
                raise self.error(str(error)) from None
            for path, _, _ in blocks:
                self.env.note_dependency(str(path))
            return [nodes.literal_block(text, text, language=language) for _, language, text in blocks]

    app.add_directive("snippet", Snippet)
    return {"parallel_read_safe": True}
