"""Pages, notebooks, docstrings and help texts keep to the rules of docs/prose, one test for each text.

`python docs/prose/check.py [FILE ...]` checks pages alone. Where hunspell is not installed, spelling is not checked.
"""

from __future__ import annotations

import inspect
import re
import sys
from collections.abc import Callable
from functools import cache, cached_property
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

import lagrangian as lg

DOCS = Path(__file__).parents[1] / "docs"
sys.path[:0] = [str(DOCS / "prose"), str(DOCS / "extensions")]
import check  # noqa: E402
import commands  # noqa: E402


def docstrings_of(value: Any) -> str:
    """The docstring of a public value and, of a class, of its public methods and properties."""
    results = [inspect.getdoc(value) or ""]
    if isinstance(value, type):
        kinds = (property, classmethod, staticmethod, cached_property)
        members = [member for name, member in vars(value).items() if not name.startswith("_")]
        results += [inspect.getdoc(member) or "" for member in members if inspect.isfunction(member) or isinstance(member, kinds)]
    return "\n\n".join(check.of_docstring(text) for text in results)


def public() -> dict[str, Any]:
    """The public names that have a docstring of their own."""
    results: dict[str, Any] = {}
    for name in lg.__all__:
        value = getattr(lg, name)
        if isinstance(value, ModuleType):
            results |= {f"{name}.{inner}": getattr(value, inner) for inner in value.__all__}
        elif name not in lg._AMERICAN_SPELLINGS:
            results[name] = value
    return {name: value for name, value in results.items() if inspect.isroutine(value) or isinstance(value, type)}


def help_text(command: str) -> str:
    """The help of a command and of its options."""
    texts = [commands.documented_commands()[command].help or "", *(help_ for _, help_ in commands.rows(command))]
    return "\n\n".join(re.sub(r"\[(\w+)\][^\[]*\[/\1\]|\b[A-Z][A-Z_]+\b", "`X`", text) for text in texts)


PAGES = {page.relative_to(check.ROOT).as_posix(): page for page in [*check.pages(), *check.notebooks()]}
TEXTS: dict[str, Callable[[], str]] = {
    **{f"lagrangian.{name}": lambda value=value: docstrings_of(value) for name, value in public().items()},  # type: ignore[misc]
    **{f"lagrangian {name} --help": lambda name=name: help_text(name) for name in commands.documented_commands()},  # type: ignore[misc]
    **{f"summary of {entry.name}": lambda entry=entry: entry.summary for entry in lg.library().entries},  # type: ignore[misc]
}


@cache
def spelling() -> None:
    """Every word is looked up once, all in one process."""
    texts = [*map(check.text_of, PAGES.values()), *(text() for text in TEXTS.values())]
    words = (word for text in texts for _, sentence in check.sentences(text) for word in check.words_of(sentence))
    check.look_up(word for word in words if not check.is_known(word))


@pytest.mark.parametrize("name", PAGES)
def test_pages_keep_to_the_rules(name: str) -> None:
    spelling()
    assert not list(map(str, check.of_page(PAGES[name])))


@pytest.mark.parametrize("name", TEXTS)
def test_docstrings_and_help_keep_to_the_rules(name: str) -> None:
    spelling()
    assert not list(map(str, check.complaints(name, TEXTS[name]())))


@pytest.mark.parametrize("rule", check.RULES["rule"], ids=lambda rule: rule["bad"][:30])
def test_a_rule_finds_its_bad_sentence_and_passes_its_good_one(rule: dict[str, str]) -> None:
    """It finds the sentence that it is made for, and lets the better one pass."""
    pattern = re.compile(rule["pattern"], re.IGNORECASE)
    assert pattern.search(rule["bad"])
    assert not check.complaints("good", rule["good"])
    assert len(rule["say"]) > 10


def test_docstrings_are_read_without_names_and_examples() -> None:
    text = """Solve it.

    A paragraph with :func:`lagrangian.solve` in it.

    Parameters
    ----------
    q0 : array_like, optional
        The start, in rad.

    Returns
    -------
    Motion
        The motion.

    Examples
    --------
    >>> import lagrangian as lg
    """
    words = " ".join(check.of_docstring(text).split())
    assert words == "Solve it. A paragraph with `lagrangian.solve` in it."


def test_cells_of_tables() -> None:
    """Beside its name in a table, a function may be the subject."""
    table = "| Name | Purpose |\n| --- | --- |\n| `load` | Reads a file of a robot. |\n"
    assert not check.complaints("page", table)
    assert check.complaints("page", "Reads a file of a robot.")


def test_first_paragraphs() -> None:
    """A page that begins with a table or with half a sentence does not say what it is for."""
    assert check.first_paragraph("page", "# Title\n\n| a | b |\n| --- | --- |\n")
    assert check.first_paragraph("page", "# Title\n\nNothing much.\n")
    assert not check.first_paragraph("page", "# Title\n\nThis page shows how to load a file of a robot.\n")
