"""Pages for developers name files and code as they are called: what they put in backquotes exists.

STYLE.md is none of these pages: it also shows names as they should not be.
"""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "src" / "lagrangian"
PAGES = ("CONTRIBUTING.md", "docs/explanation/architecture.md", "docs/howto/extend.md", "docs/howto/write_an_export_target.md")
MADE = {"dist/", "docs/_build", "fuzz-faults"}  # what commands make
SNIPPET = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)
FILE = re.compile(r"(?:[\w.-]+/)+[\w.-]*|[\w-]+\.(?:py|js|toml|csv|txt|md)")
NAME = re.compile(r"\b(?:[A-Z][a-z]+(?:[A-Z][a-z]*)+|[A-Za-z]+(?:_[A-Za-z]+)+)\b")  # SolutionCurve, solve_loops, MAX_ROWS


def code_in_backquotes(text: str) -> list[str]:
    return re.findall(r"`([^`\n]+)`", SNIPPET.sub("", text))


def files_in(text: str) -> set[str]:
    """The files and folders that a text names; a place for any name, such as <format>, is none."""
    words = {word for code in code_in_backquotes(text) for word in code.split() if "<" not in word}
    return {word for word in words if FILE.fullmatch(word)} - MADE


def names_in(text: str) -> set[str]:
    """The names of code that a text names, which consist of several words."""
    return {name for code in code_in_backquotes(text) if "/" not in code for name in NAME.findall(code)}


@cache
def words_of_the_code() -> set[str]:
    files = [path for folder in ("src", "tests", "docs") for path in (ROOT / folder).rglob("*.py") if path != Path(__file__)]
    return {word for path in files for word in re.findall(r"\w+", path.read_text(encoding="utf-8"))}


def table_of_packages(text: str) -> str:
    return text.partition("## Packages")[2].partition("\n## ")[0]


def test_files_and_names_of_a_text_are_found() -> None:
    text = (
        "`model/<type>.py`, `python -m pytest tests/joints`, `scalar.py`\n```\n`gone.py`\n```\n`goal.solve_loops(x)`, `LoopType`"
    )
    assert files_in(text) == {"tests/joints", "scalar.py"}
    assert names_in(text) == {"solve_loops", "LoopType"}


@pytest.mark.parametrize("page", PAGES)
def test_files_that_a_page_names_exist(page: str) -> None:
    text = (ROOT / page).read_text(encoding="utf-8")
    files = files_in(text.replace(table_of_packages(text), ""))
    assert [file for file in sorted(files) if not any((folder / file).exists() for folder in (ROOT, PACKAGE))] == []


@pytest.mark.parametrize("page", PAGES)
def test_names_of_code_that_a_page_names_exist(page: str) -> None:
    assert names_in((ROOT / page).read_text(encoding="utf-8")) - words_of_the_code() == set()


def test_the_table_of_packages_has_every_package_and_names_files_in_it() -> None:
    text = (ROOT / "docs" / "explanation" / "architecture.md").read_text(encoding="utf-8")
    listed = set()
    for row in re.findall(r"^\| `.*\|$", table_of_packages(text), re.MULTILINE):
        packages = re.findall(r"`([\w/]+)`", row.split("|")[1])
        listed.update(packages)
        folders = [PACKAGE, *(PACKAGE / package for package in packages)]
        for file in files_in(row):
            assert any((folder / file).exists() for folder in folders), f"{packages[0]}: {file}"
    existing = {path.stem for path in PACKAGE.iterdir() if path.suffix == ".py" or (path / "__init__.py").exists()}
    assert {x.partition("/")[0] for x in listed} == {name for name in existing if not name.startswith("__")}
