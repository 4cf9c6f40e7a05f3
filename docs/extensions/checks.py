"""The role `test` and the directive `tests`: a test that a page names is linked to its source, shown where the directive stands.

{test}`motion/test_references.py::test_chains_move_as_in_the_reference` links to the source of that test on the page that has
the directive `tests`.
"""

from __future__ import annotations

import ast
import re
from pathlib import Path
from typing import Any

TESTS = Path(__file__).parents[2] / "tests"
NAMED = re.compile(r"\{test\}`([^`:]+)::(\w+)`")


def source(path: str, name: str) -> str:
    """The text of a test function, decorators included; KeyError if there is none."""
    text = (TESTS / path).read_text(encoding="utf-8")
    for node in ast.parse(text).body:
        if isinstance(node, ast.FunctionDef) and node.name == name:
            first = min([node.lineno, *(d.lineno for d in node.decorator_list)])
            return "\n".join(text.splitlines()[first - 1 : node.end_lineno]) + "\n"
    raise KeyError(f"tests/{path} has no test {name}")


def helpers(path: str, names: list[str]) -> list[str]:
    """The functions of the same file that these tests call, and those that these call, in the file's order."""
    text = (TESTS / path).read_text(encoding="utf-8")
    functions = {node.name: node for node in ast.parse(text).body if isinstance(node, ast.FunctionDef)}
    actual: set[str] = set()
    waiting = list(names)
    while waiting:
        for node in ast.walk(functions[waiting.pop()]):
            name = node.id if isinstance(node, ast.Name) else node.arg if isinstance(node, ast.arg) else ""
            if name in functions and name not in actual and not name.startswith("test_"):
                actual.add(name)
                waiting.append(name)
    return [name for name in functions if name in actual]


def named_tests(folder: Path) -> list[tuple[str, str]]:
    """The tests that the pages of a folder name, sorted."""
    texts = (page.read_text(encoding="utf-8") for page in sorted(folder.rglob("*.md")))
    return sorted({match for text in texts for match in NAMED.findall(text)})


def target(path: str, name: str) -> str:
    return "test-" + re.sub(r"\W+", "-", f"{path.removesuffix('.py')}-{name}").replace("_", "-")


def setup(app: Any) -> dict[str, bool]:
    from docutils import nodes
    from sphinx import addnodes
    from sphinx.util.docutils import SphinxDirective, SphinxRole

    class Role(SphinxRole):
        def run(self) -> tuple[list[nodes.Node], list[nodes.system_message]]:
            path, _, name = self.text.partition("::")
            shown = nodes.literal(self.text, self.text, classes=["test"])
            link = addnodes.pending_xref(
                "", shown, refdomain="std", reftype="ref", reftarget=target(path, name), refexplicit=True, refwarn=True
            )
            link["refdoc"] = self.env.docname
            return [link], []

    class Tests(SphinxDirective):
        """Every test that pages name, by file, with its source."""

        def run(self) -> list[nodes.Node]:
            shown: list[nodes.Node] = []
            by_file: dict[str, list[str]] = {}
            for path, name in named_tests(Path(self.env.srcdir)):
                by_file.setdefault(path, []).append(name)
            domain = self.env.domains.standard_domain
            for path, names in by_file.items():
                self.env.note_dependency(str(TESTS / path))
                heading = nodes.rubric(path, "", nodes.literal(path, f"tests/{path}"))
                shown.append(heading)
                for name in helpers(path, names):
                    text = source(path, name)
                    shown.append(nodes.literal_block(text, text, language="python"))
                for name in names:
                    label = target(path, name)
                    domain.anonlabels[label] = (self.env.docname, label)
                    domain.labels[label] = (self.env.docname, label, name)
                    text = source(path, name)
                    block = nodes.literal_block(text, text, language="python", ids=[label])
                    shown.append(block)
            return shown

    app.add_role("test", Role())
    app.add_directive("tests", Tests)
    return {"parallel_read_safe": False}
