"""The words of docs/search.toml lead to their page: each is a main entry of the index, which the search puts first.

Terms of the glossary are no entries of the search: it would put them before the pages that treat them.
"""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

FILE = Path(__file__).parents[1] / "search.toml"


def words() -> dict[str, list[str]]:
    """Pages, each with the words that people type who look for it."""
    return tomllib.loads(FILE.read_text(encoding="utf-8"))["pages"]  # type: ignore[no-any-return]


def mark(app: Any, doctree: Any) -> None:
    from sphinx import addnodes

    page = app.env.docname
    result = words().get(page, [])
    app.env.note_dependency(str(FILE))
    for glossary in doctree.findall(addnodes.glossary):  # its terms are found as words of a page, after the page they link to
        for entry in glossary.findall(addnodes.index):
            entry["entries"] = []
    if result:
        doctree.insert(0, addnodes.index(entries=[("single", word, "", "main", None) for word in result]))


def check(app: Any, env: Any) -> None:
    from sphinx.util import logging

    for page in set(words()) - env.found_docs:
        logging.getLogger(__name__).warning("docs/search.toml names the page %s, which does not exist", page)


def setup(app: Any) -> dict[str, bool]:
    app.connect("doctree-read", mark)
    app.connect("env-updated", check)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
