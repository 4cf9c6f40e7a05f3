"""The docstrings of public names: numpydoc's sections, complete, with examples that run and print what they show."""

from __future__ import annotations

import doctest
import inspect
import pkgutil
import re
import sys
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

import lagrangian as lg
from tests.printed import same_line

docscrape = pytest.importorskip("numpydoc.docscrape")
DOCS = Path(__file__).parents[1] / "docs"
sys.path.insert(0, str(DOCS))
from conf import RESULT_CLASSES  # noqa: E402

MODULES = {name: getattr(lg, name) for name in ("control", "distributions", "goals", "paths", "shapes")}
TOP = {name: getattr(lg, name) for name in lg.__all__ if name not in MODULES and name not in lg._AMERICAN_SPELLINGS}
INNER = {f"{module}.{name}": getattr(value, name) for module, value in MODULES.items() for name in value.__all__}
PUBLIC: dict[str, Any] = TOP | INNER


def members(name: str) -> Iterator[tuple[str, Any]]:
    """The methods and properties of a public class that the package itself defines."""
    owner = PUBLIC[name]
    if isinstance(owner, type) and not issubclass(owner, Exception):
        for base in owner.__mro__:
            if base.__module__.startswith("lagrangian"):
                for member, value in vars(base).items():
                    wrapped = next((getattr(value, x) for x in ("func", "__func__", "method") if hasattr(value, x)), value)
                    inner = value.fget if isinstance(value, property) else wrapped
                    if not member.startswith("_") and inspect.isfunction(inner) and getattr(owner, member, None) is not None:
                        yield f"{name}.{member}", value if isinstance(value, property) else inner


MEMBERS = dict(pair for name in PUBLIC for pair in members(name))


def sections(value: Any) -> Any:
    return docscrape.NumpyDocString(inspect.getdoc(value) or "")


def parameter_names(value: Any) -> list[str]:
    """The names of what is to be given."""
    parameters = inspect.signature(value).parameters
    return [name for name in parameters if name not in ("self", "cls")]


def documented_names(doc: Any, section: str) -> list[str]:
    """Names in a section; two may share an entry, and stars are not part of a name."""
    return [name.strip().lstrip("*") for entry in doc[section] for name in entry.name.split(",")]


def begins_well(doc: Any) -> None:
    summary = " ".join(doc["Summary"])
    assert summary, "there is no docstring"
    assert summary[0].isupper() or summary[0] in "`'\"(", summary
    assert summary.endswith("."), f"the summary is no sentence: {summary}"


@pytest.mark.parametrize("name", PUBLIC)
def test_a_public_name_is_documented(name: str) -> None:
    value = PUBLIC[name]
    doc = sections(value)
    begins_well(doc)
    if isinstance(value, type) and (issubclass(value, Exception) or hasattr(value, "__members__")):
        pass  # what is raised has its summary and its example
    elif isinstance(value, type) and value.__name__ in RESULT_CLASSES:
        assert doc["Attributes"] or doc["Methods"] or not hasattr(value, "__dataclass_fields__"), "say what it holds: Attributes"
    else:
        assert documented_names(doc, "Parameters") == parameter_names(value)
    if inspect.isfunction(value):
        assert doc["Returns"] or doc["Yields"], "say what it returns"


@pytest.mark.parametrize("name", MEMBERS)
def test_a_public_method_is_documented(name: str) -> None:
    value = MEMBERS[name]
    doc = sections(value)
    begins_well(doc)
    if not isinstance(value, property):
        assert documented_names(doc, "Parameters") == parameter_names(value)
        if inspect.signature(value).return_annotation not in ("None", None) and parameter_names(value):
            assert doc["Returns"] or doc["Yields"], "say what it returns"


class Alike(doctest.OutputChecker):
    """Numbers count as far as another processor would print them."""

    def check_output(self, want: str, got: str, optionflags: int) -> bool:
        if super().check_output(want, got, optionflags):
            return True
        lines, others = got.rstrip().splitlines(), want.rstrip().splitlines()
        return len(lines) == len(others) and all(same_line(a, b) for a, b in zip(lines, others, strict=True))


def run(name: str, value: Any) -> int:
    """How many examples the docstring has; each is tried, beginning with no names."""
    test = doctest.DocTestParser().get_doctest(inspect.getdoc(value) or "", {}, name, None, None)
    messages: list[str] = []
    flags = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE | doctest.IGNORE_EXCEPTION_DETAIL
    doctest.DocTestRunner(Alike(), verbose=False, optionflags=flags).run(test, out=messages.append)
    assert not messages, "".join(messages)
    return len(test.examples)


@pytest.mark.parametrize("name", PUBLIC)
def test_the_examples_of_a_public_name_run(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert run(name, PUBLIC[name]) > 0, "there is no example"
    for member, value in members(name):
        run(member, value)


def returned_classes() -> Iterator[str]:
    """Classes that the reference describes and nobody imports: functions return them."""
    for page in sorted((DOCS / "reference" / "python").glob("*.md")):
        for name in re.findall(r"autoclass:: (lagrangian(?:\.[a-z_]+)+\.\w+)", page.read_text(encoding="utf-8")):
            if name.removeprefix("lagrangian.") not in PUBLIC:
                yield name


@pytest.mark.parametrize("name", list(returned_classes()))
def test_the_examples_of_what_functions_return_run(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    module, _, short = name.rpartition(".")
    value = getattr(import_module(module), short)
    begins_well(sections(value))
    run(name, value)
    for member, method in vars(value).items():
        if not member.startswith("_") and inspect.isfunction(method):
            run(f"{name}.{member}", method)


@pytest.mark.parametrize("name", PUBLIC)
def test_types_say_something(name: str) -> None:
    """`Any` tells a reader nothing."""
    value = PUBLIC[name]
    is_class = isinstance(value, type)
    if is_class and (issubclass(value, Exception) or hasattr(value, "__members__") or value.__name__ in RESULT_CLASSES):
        return
    vague = [
        p.name for p in inspect.signature(value).parameters.values() if str(p.annotation) in ("Any", "Any | None", "typing.Any")
    ]
    assert not vague
    options = [p.name for p in inspect.signature(value).parameters.values() if p.kind is p.VAR_KEYWORD]
    assert not options or sections(value)["Other Parameters"], f"list what {options} may be: Other Parameters"


def documented_members() -> Iterator[tuple[str, str]]:
    """Each object that a page documents with autodoc, with each name of its `:members:`; with an empty name if it has none."""
    for page in sorted(DOCS.rglob("*.md")):
        for match in re.finditer(r"^\.\. auto\w+:: (\S+)\n((?:   :.*\n)*)", page.read_text(encoding="utf-8"), re.MULTILINE):
            names = re.search(r":members: (.+)", match[2])
            yield from ((match[1], name.strip()) for name in (names[1].split(",") if names else [""]))


def test_pages_name_objects_and_members_that_exist() -> None:
    for name, member in documented_members():
        value = pkgutil.resolve_name(name)
        assert not member or hasattr(value, member) or member in getattr(value, "__annotations__", {}), f"{name}.{member}"
