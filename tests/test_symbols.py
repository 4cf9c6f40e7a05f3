"""The glossary and the index of symbols: names exist in Python and TOML, LaTeX is written so, links lead to pages."""

from __future__ import annotations

import inspect
import re
import sys
from dataclasses import fields, is_dataclass
from pathlib import Path

import pytest

import lagrangian as lg

DOCS = Path(__file__).parents[1] / "docs"
sys.path.insert(0, str(DOCS / "prose"))
import check  # noqa: E402

SYMBOLS = DOCS / "reference" / "symbols.md"
GLOSSARY = DOCS / "reference" / "glossary.md"
COLUMNS = ("Symbol", "Meaning", "Unit", "Python", "TOML", "LaTeX", "See")
CODE = re.compile(r"`([^`]+)`")
LINK = re.compile(r"\]\(([^)]+)\)")


def rows() -> list[dict[str, str]]:
    """Of all tables; a sign of magnitude within a formula is no border."""
    results = []
    for line in SYMBOLS.read_text(encoding="utf-8").splitlines():
        if line.startswith("| ") and not line.startswith(("| ---", "| Symbol |")):
            cells = [cell.strip() for cell in re.split(r"(?<!\\)\|", line.strip("|"))]
            results.append(dict(zip(COLUMNS, cells, strict=True)))
    return results


def codes(column: str) -> list[str]:
    return sorted({name for row in rows() for name in CODE.findall(row[column])})


@pytest.fixture(scope="module")
def results() -> dict[str, object]:
    """What functions return: some fields of theirs no class shows."""
    eom = lg.derive("two_r")
    return {"Motion": lg.simulate("two_r", t_span=(0, 0.01)), "Kane": eom.kane(), "UickerKahnForm": eom.uicker_kahn()}


@pytest.mark.parametrize("name", codes("Python"))
def test_python_names_exist(name: str, results: dict[str, object]) -> None:
    owner, _, attribute = name.partition(".")
    if owner == "simulate":
        assert attribute in inspect.signature(lg.simulate).parameters
        return
    value = results[owner] if owner in results else getattr(lg, owner)
    declared = {field.name for field in fields(value)} if is_dataclass(value) else set()
    assert hasattr(value, attribute) or attribute in declared | set(getattr(value, "__annotations__", {}))


@pytest.mark.parametrize("name", [name for row in rows() for name in CODE.findall(row["See"])])
def test_methods_that_return_other_objects_exist(name: str) -> None:
    owner, _, attribute = name.partition(".")
    assert hasattr(getattr(lg, owner), attribute)


@pytest.mark.parametrize("name", codes("TOML"))
def test_toml_names_are_in_the_reference_or_the_library(name: str) -> None:
    page = (DOCS / "reference" / "toml.md").read_text(encoding="utf-8")
    described = "".join(lg.dumps(lg.library(mechanism)) for mechanism in ("two_r", "four_bar"))
    assert re.search(rf"(?<!\w){re.escape(name)}(?!\w)", page) or re.search(rf"(?<!\w){name}(?!\w)", described)


@pytest.fixture(scope="module")
def formula_text() -> str:
    """What stands in formulas, without the comments."""
    text = "\n".join(lg.derive(name).latex() for name in ("two_r", "four_bar"))
    return "\n".join(line for line in text.splitlines() if not line.startswith("%"))


@pytest.mark.parametrize("name", codes("LaTeX"))
def test_latex_is_what_derive_writes(name: str, formula_text: str) -> None:
    """As a whole name: not a part of another."""
    assert re.search(rf"(?<![A-Za-z\\]){re.escape(name)}(?![A-Za-z_{{}}])", formula_text), name


def letters(latex: str) -> set[str]:
    """Latin letters and commands for Greek ones, without what only arranges them, and without words set upright."""
    bare = re.sub(r"\\(mathrm|begin|end)\{[^}]*\}", " ", latex)
    bare = re.sub(r"\\(left|right|frac|quad|qquad|cos|sin|Bigl|Bigr|dot|ddot)(?![A-Za-z])", " ", bare)
    return set(re.findall(r"\\[A-Za-z]+|[A-Za-z]", bare))


def test_every_letter_that_derive_writes_is_listed(formula_text: str) -> None:
    """All but the determinant of A, by which its inverse is written."""
    assert letters(formula_text) - letters(" ".join(codes("LaTeX"))) == {r"\Delta"}


@pytest.mark.parametrize("page", [SYMBOLS, GLOSSARY], ids=lambda page: page.stem)
def test_links_lead_to_pages(page: Path) -> None:
    for link in LINK.findall(page.read_text(encoding="utf-8")):
        path, _, anchor = link.partition("#")
        target = page.parent / path
        assert target.is_file(), link
        if anchor:
            headings = re.findall(r"^#+ (.*)$", target.read_text(encoding="utf-8"), re.MULTILINE)
            assert anchor in {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}, link


def entries() -> list[tuple[list[str], str]]:
    """Terms, several where they mean the same, and the definition."""
    text = GLOSSARY.read_text(encoding="utf-8")
    body = text[text.index("```{glossary}\n") :].split("\n", 1)[1].rsplit("```", 1)[0]
    results = []
    for entry in body.strip().split("\n\n"):
        lines = entry.splitlines()
        terms = [line for line in lines if not line.startswith(" ")]
        results.append((terms, " ".join(line.strip() for line in lines[len(terms) :])))
    return results


def test_the_glossary_is_large_and_sorted() -> None:
    terms = [term for names, _ in entries() for term in names]
    assert len(terms) == len(set(terms)) >= 100
    first = [names[0] for names, _ in entries()]
    assert first == sorted(first, key=lambda term: re.sub(r"[^a-z ]", "", term.lower().replace("-", " ")))


@pytest.mark.parametrize("entry", entries(), ids=lambda entry: entry[0][0])
def test_definitions_are_sentences_with_a_link(entry: tuple[list[str], str]) -> None:
    """One or two of them, before the one that says where more is."""
    _, text = entry
    assert LINK.search(text)
    assert text[0].isupper()
    assert text.endswith(".")
    assert not check.complaints("glossary", text)
    assert len(list(check.sentences(text))) <= 4
