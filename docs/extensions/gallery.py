"""The directive `example`: what a program of examples/ prints, and its code in a block that opens on a click.

`docs/snippets/gallery/NAME.out` has what it prints, without the lines that tell how long something took; tests/test_examples.py
compares. A page is read as plain Markdown too: the body of the directive is the same text. `python -m tests.test_docs --sync`
writes the bodies.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

DOCS = Path(__file__).parents[1]
EXAMPLES = DOCS.parent / "examples"
PRINTED = DOCS / "snippets" / "gallery"
TIME = re.compile(r"\d (ns|us|µs|ms)\b")


def names() -> list[str]:
    return sorted(path.stem for path in EXAMPLES.glob("*.py"))


def without_times(text: str) -> str:
    """What was printed, without the lines that differ from run to run."""
    return "\n".join(line.rstrip() for line in text.strip("\n").splitlines() if not TIME.search(line)).strip("\n") + "\n"


def body(name: str) -> str:
    return (PRINTED / f"{name}.out").read_text(encoding="utf-8")


def setup(app: Any) -> dict[str, bool]:
    from docutils import nodes
    from sphinx.util.docutils import SphinxDirective

    class Example(SphinxDirective):
        required_arguments = 1
        has_content = True

        def run(self) -> list[nodes.Node]:
            (name,) = self.arguments
            file = EXAMPLES / f"{name}.py"
            try:
                code, printed = file.read_text(encoding="utf-8"), body(name)
            except OSError as error:
                raise self.error(str(error)) from None
            for path in (file, PRINTED / f"{name}.out"):
                self.env.note_dependency(str(path))
            summary = f"Code: <code>examples/{name}.py</code> ({len(code.splitlines())} lines)"
            return [
                nodes.container("", nodes.literal_block(printed, printed, language="text"), classes=["printed"]),
                nodes.raw("", f'<details class="example"><summary>{summary}</summary>', format="html"),
                nodes.literal_block(code, code, language="python"),
                nodes.raw("", "</details>", format="html"),
            ]

    app.add_directive("example", Example)
    return {"parallel_read_safe": True}
