"""The help of every command, argument and option: whole sentences in plain words."""

from __future__ import annotations

import importlib.util
import re
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest
import typer.main
from rich.text import Text

from lagrangian.cli.main import app

ROOT = Path(__file__).parents[2]
GROUP = typer.main.get_command(app)
# values, options, metavars
CODE = re.compile(r"\S*[\w)][=_:./^][\w'(]\S*|\S*\d\S*|(?<!\w)--?[a-z][\w-]*|\.\w+|\b[A-Z][A-Z|,:]*\b")
NAMES = "newton euler lagrange kane baumgarte ggl ffmpeg pinocchio mujoco rtol xy xyz xz yz qw qz wx wy wz rpy"


def texts() -> Iterator[tuple[str, str]]:
    """Each help text with the name of what it explains."""
    yield "lagrangian", GROUP.help or ""
    for option in GROUP.params:
        yield f"lagrangian {option.opts[-1]}", option.help or ""  # type: ignore[attr-defined]
    for name, command in GROUP.commands.items():  # type: ignore[attr-defined]
        yield name, command.help or ""
        for parameter in command.params:
            yield f"{name} {parameter.opts[-1]}", parameter.help or ""


TEXTS = dict(texts())


def _rules() -> ModuleType:
    spec = importlib.util.spec_from_file_location("prose_check", ROOT / "docs" / "prose" / "check.py")
    assert spec is not None
    assert spec.loader is not None
    import sys

    module = sys.modules["prose_check"] = importlib.util.module_from_spec(spec)  # dataclasses look there
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def rules() -> ModuleType:
    return _rules()


def test_help_has_many_texts() -> None:
    assert len(TEXTS) > 250


@pytest.mark.parametrize("name", TEXTS)
def test_whole_sentences(name: str) -> None:
    text = Text.from_markup(TEXTS[name]).plain
    for paragraph in text.split("\n\n"):
        assert paragraph[:1].isupper(), text
        assert paragraph.endswith("."), text
        assert len(paragraph.split()) >= 2, text
        assert "\n" not in paragraph, text  # a terminal breaks lines by itself


def test_plain_words(rules: ModuleType) -> None:
    """By the rules of the documentation's prose, with names and examples of values left out."""
    actual = []
    for name, text in TEXTS.items():
        words = CODE.sub("X", Text.from_markup(text).plain)
        actual += [x for x in rules.complaints(name, words) if not any(f"'{known}'" in x.what for known in NAMES.split())]
    assert not actual, "\n".join(map(str, actual))


def test_no_help_begins_with_a_preposition_or_a_clause() -> None:
    """A verb, or a noun with its article, tells what an option is."""
    bad = re.compile(r"(Of|In|At|On|For|From|With|When|Where|What|Which|Who|How|Whether|Instead|Near|Those|Only|It)\b")
    assert [name for name, text in TEXTS.items() if bad.match(text)] == []


@pytest.mark.parametrize("name", GROUP.commands)  # type: ignore[attr-defined]
def test_the_first_line_fits_in_the_list_of_commands(name: str) -> None:
    first, _, _ = TEXTS[name].partition("\n\n")
    assert len(first) <= 90
