"""The scripts of docs/snippets print what stands beside them, and every page shows all of its own, as plain Markdown too.

Digits that another processor's roundings change do not count: `tests/printed.py` says which these are.
`python -m tests.test_docs howto/export.py` writes what that script prints anew, and all pages; `--sync` writes the pages alone.
"""

from __future__ import annotations

import contextlib
import io
import re
import shlex
import shutil
import sys
import warnings
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from unittest import mock

import pytest

from tests.printed import same_line

DOCS = Path(__file__).parents[1] / "docs"
sys.path.insert(0, str(DOCS / "extensions"))
import commands  # noqa: E402
import gallery  # noqa: E402
import snippets  # noqa: E402
from snippets import KINDS, pieces  # noqa: E402

SCRIPTS = sorted(path for path in (DOCS / "snippets").rglob("*") if path.suffix in KINDS)
PAGES = sorted(page for page in DOCS.rglob("*.md") if "_build" not in page.parts)
NOT_RUN = {
    "view",
    "studio",
    "tour",
    "bench",
    "compare-solvers",
}  # a browser, long, or times: they have tests
NEEDS = {
    "error_against": "sksundae",
    "lagrangian compare": "pinocchio",
    "import pinocchio": "pinocchio",
    "import mujoco": "mujoco",
    "widget.inputs": "anywidget",
}  # which a page can do without
NOTEBOOKS = {"howto/play_in_a_notebook.py"}  # their pieces are cells
# more than some seconds each: they run with `-m slow`
SLOW = {
    *("howto/control", "howto/workspace", "howto/choose_an_integrator"),
    *("howto/visualisation", "reference/cli", "reference/library"),
}
# of the table of mechanisms: picture, and name with its page
ROW = r"^\| !\[(\w+)\]\(\.\./pictures/library/\1\.png\) \| \[`\1`\]\(\.\./library/\1\.md\) \|"
SHOWN = re.compile(r"^(```+)\{(snippet|command|example)\} (\S+)\n(.*?)^\1$", re.MULTILINE | re.DOTALL)


def name_of(path: Path, root: Path = DOCS) -> str:
    return path.relative_to(root).as_posix().removeprefix("snippets/")


def output_of(script: Path) -> Path:
    return script.with_suffix(KINDS[script.suffix][0])


def command_output(commands: str) -> str:
    """What commands of the terminal print. Comments and other programs are left out."""
    from typer.testing import CliRunner

    from lagrangian.cli.main import app

    result = ""
    for line in commands.splitlines():
        program, *words = shlex.split(line, comments=True) or [""]
        if program == "lagrangian" and words[0] not in NOT_RUN:
            done = CliRunner().invoke(app, words, prog_name="lagrangian", env={"COLUMNS": "110"})
            assert done.exit_code == 0, f"{line}: {done.output}"
            result += done.stdout
    return result


def printed_output(code: str, names: dict[str, Any], where: str) -> str:
    output = io.StringIO()
    with contextlib.redirect_stdout(output), warnings.catch_warnings():
        warnings.simplefilter("always")
        warnings.showwarning = lambda message, category, *_: output.write(f"{category.__name__}: {message}\n")
        exec(compile(code, where, "exec"), names)
    return output.getvalue()


def copy_input_files(script: Path, folder: Path) -> None:
    """The files that a script reads stand beside it."""
    for path in script.parent.iterdir():
        if path.suffix in snippets.FILES and path.name != "ruff.toml":
            shutil.copy(path, folder)


def runs(script: Path) -> dict[str, str]:
    """What each piece prints, run in turn in the folder it is in."""
    if script.suffix == ".sh":
        return {name: command_output(commands) for name, commands in pieces(script).items()}
    names: dict[str, Any] = {}
    with in_a_notebook() if name_of(script) in NOTEBOOKS else contextlib.nullcontext():
        return {name: printed_output(code, names, f"{script}: {name}") for name, code in pieces(script).items()}


def in_a_notebook() -> Any:
    """IPython has a kernel there."""
    import IPython

    return mock.patch.object(IPython, "get_ipython", return_value=SimpleNamespace(kernel=object()))


@pytest.mark.parametrize(
    ("actual", "shown", "same"),
    [
        ("parallel to 6e-14 rad", "parallel to 9e-5 rad", False),
        ("parallel to 6e-14 rad", "parallel to 9e-15 rad", True),
        ("off by 0 J", "off by 1e-16 J", True),
        ("off by 0 J", "off by 1e-12 J", False),
        ("off by 4.1e-07 J", "off by 3.9e-07 J", True),
        ("off by 4.1e-07 J", "off by 3.9e-08 J", False),
        ("l = 3.98713e-05 m", "l = 3.91713e-05 m", False),
        ("x = 0.3331", "x = 0.3333", True),
        ("x = 0.331", "x = 0.333", False),
        ("left 0.99 %", "left 1.00 %", True),
        ("left 0.98 %", "left 1.00 %", False),
        ("left 0.3 %", "left 0.4 %", False),
        ("54 parameters", "55 parameters", False),
        ("x = -2", "x = 2", False),
        ("[-0. 1.]", "[ 0. 1.]", True),
        ("[-1. 1.]", "[ 1. 1.]", False),
        ("1001 rows, 93 steps (12 rejected)", "1001 rows, 95 steps (11 rejected)", True),
        ("1001 rows, 93 steps (12 rejected)", "1001 rows, 99 steps (12 rejected)", False),
        ("1001 rows, 93 steps of DP5", "1011 rows, 93 steps of DP5", False),
        ("1001 rows, 93 steps of DP5", "1001 rows, 93 steps of DOP853", False),
    ],
)
def test_lines_count_as_the_same_up_to_rounding(actual: str, shown: str, same: bool) -> None:
    assert same_line(actual, shown) == same


def of_a_page(page: Path) -> Any:
    return pytest.param(page, id=name_of(page), marks=[pytest.mark.slow] if name_of(page) in SLOW else [])


@pytest.fixture
def registries() -> Iterator[None]:
    """What docs/howto/extend.md adds to the package is gone after its test."""
    from lagrangian.cli.main import app
    from lagrangian.model import joints, loops
    from lagrangian.motion.settings import METHODS

    lists: list[Any] = [(registry, dict(registry)) for registry in (joints.TYPES, loops.TYPES, METHODS)]
    commands_before = list(app.registered_commands)
    yield
    for registry, before in lists:
        registry.clear()
        registry.update(before)
    app.registered_commands[:] = commands_before


@pytest.mark.usefixtures("registries")
@pytest.mark.parametrize("page", [of_a_page(page) for page in sorted({script.with_suffix("") for script in SCRIPTS})])
def test_snippets_print_what_their_pages_show(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    scripts = [path for suffix in (".sh", ".py") if (path := page.with_suffix(suffix)).exists()]
    for text, module in NEEDS.items():
        if any(text in script.read_text(encoding="utf-8") for script in scripts):
            pytest.importorskip(module)
    monkeypatch.chdir(tmp_path)
    copy_input_files(page, tmp_path)
    for script in scripts:  # commands first: they write files that Python reads
        check(script)


def check(script: Path) -> None:
    shown = output_of(script)
    expected = pieces(shown) if shown.exists() else {}
    result = runs(script)
    if script.suffix == ".py":
        assert {name for name, text in result.items() if text} == set(expected)
    for name, reference in expected.items():
        lines, others = (text.strip("\n").splitlines() for text in (result[name], reference))
        assert len(lines) == len(others), f"{name}: {result[name]}"
        different = [(line, other) for line, other in zip(lines, others, strict=True) if not same_line(line, other)]
        assert not different, f"{name}: found and shown differ"


@pytest.mark.parametrize("script", SCRIPTS, ids=name_of)
def test_every_piece_is_shown(script: Path) -> None:
    """In the order in which they run, so that the page is true from top to bottom."""
    page = (DOCS / name_of(script)).with_suffix(".md").read_text(encoding="utf-8")
    shown = [name for _, kind, name, _ in SHOWN.findall(page) if kind == "snippet"]
    own = pieces(script)
    assert [name for name in shown if name in own] == list(own)


@pytest.mark.parametrize("script", SCRIPTS, ids=name_of)
def test_files_that_a_script_reads_are_shown(script: Path) -> None:
    """A reader has no others."""
    page = (DOCS / name_of(script)).with_suffix(".md").read_text(encoding="utf-8")
    beside = {path.name for path in script.parent.iterdir() if path.suffix in snippets.FILES and path.name != "ruff.toml"}
    text = "".join(path.read_text(encoding="utf-8") for suffix in KINDS if (path := script.with_suffix(suffix)).exists())
    read = {name for name in beside if re.search(rf"(load|read)\(\"{name}\"|lagrangian study {name}", text)}
    assert read == {name for _, kind, name, _ in SHOWN.findall(page) if "." in name}


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_no_page_overwrites_the_readers_arm(page: Path) -> None:
    """`arm.toml` is the file that one began with in the quickstart."""
    if page.name not in ("quickstart.md", "cli.md"):
        assert not re.search(r"(save|plot|animate|report|draw)\([^)\n]*\"arm\.", page.read_text(encoding="utf-8"))


def page_with_bodies(page: Path) -> str:
    """A page with the bodies of its directives as they should be."""
    name = page.relative_to(DOCS).with_suffix("").as_posix()

    def block(found: re.Match[str]) -> str:
        _, kind, what, _ = found.groups()
        text = {"snippet": partial(snippets.body, name), "command": commands.body, "example": gallery.body}[kind](what)
        fence = "`" * max(3, 1 + max(map(len, re.findall(r"^`+", text, re.MULTILINE)), default=0))
        return f"{fence}{{{kind}}} {what}\n{text}{fence}"

    return SHOWN.sub(block, page.read_text(encoding="utf-8"))


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_plain_markdown(page: Path) -> None:
    """What a page shows stands in it, for those who read it unbuilt."""
    text = page.read_text(encoding="utf-8")
    assert sum(map(text.count, ("{snippet}", "{command}", "{example}"))) == len(SHOWN.findall(text))
    assert text == page_with_bodies(page), "python -m tests.test_docs --sync"


def test_lines_fit() -> None:
    """On a page of usual width."""
    for script in SCRIPTS:
        for line in script.read_text(encoding="utf-8").splitlines():
            assert len(line) <= 90, f"{script.name}: {line}"


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_nothing_else_is_shown(page: Path) -> None:
    """Code in a page comes from a file that is run."""
    assert not re.search(r"```(python|sh|bash|console)", page.read_text(encoding="utf-8"))


def test_readme_runs_and_prints_what_it_says(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its code runs, and prints what its comments say; its commands are known; it is two screens long."""
    monkeypatch.chdir(tmp_path)
    text = (DOCS.parent / "README.md").read_text(encoding="utf-8")
    assert len(text.splitlines()) <= 90
    (code,) = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    actual = printed_output(code, {}, "README.md")
    for line in re.findall(r"^# (.*)$", code, re.MULTILINE):
        assert line in actual
    assert {path.name for path in tmp_path.iterdir()} == {"swing.html", "arm_c"}
    assert set(re.findall(r"`lagrangian ([a-z]+)\b", text)) <= {*commands.documented_commands()}
    for script in re.findall(r"`(\w+\.py)` \|", text):
        assert (DOCS.parent / "benchmarks" / script).exists(), script


def test_every_mechanism_has_its_picture() -> None:
    """`python docs/pictures.py library` draws them."""
    import lagrangian

    page = (DOCS / "reference" / "library.md").read_text(encoding="utf-8")
    assert sorted(re.findall(ROW, page, re.MULTILINE)) == sorted(lagrangian.library())
    for name in lagrangian.library():
        assert 1000 < (DOCS / "pictures" / "library" / f"{name}.png").stat().st_size < 20_000, name


def test_pictures_are_there() -> None:
    """Those that pages show, each small."""
    for page in [*PAGES, DOCS.parent / "README.md"]:
        for name in re.findall(r"!\[[^\]]*\]\(([^)]+)\)", page.read_text(encoding="utf-8")):
            assert (page.parent / name).stat().st_size < 150_000, f"{page.name}: {name}"


def test_every_command_is_documented() -> None:
    page = (DOCS / "reference" / "cli.md").read_text(encoding="utf-8")
    assert {name for _, kind, name, _ in SHOWN.findall(page) if kind == "command"} == set(commands.documented_commands())


def test_every_example_is_in_the_gallery() -> None:
    page = (DOCS / "gallery.md").read_text(encoding="utf-8")
    assert sorted(name for _, kind, name, _ in SHOWN.findall(page) if kind == "example") == gallery.names()


def test_every_public_name_is_documented() -> None:
    import lagrangian

    page = "".join(page.read_text(encoding="utf-8") for page in (DOCS / "reference" / "python").glob("*.md"))
    named = set(re.findall(r"auto\w+:: lagrangian\.(\S+)", page))
    modules = {"goals": "optimisation.goals.", **{name: f"{name}." for name in ("control", "distributions", "paths", "shapes")}}
    for name in lagrangian.__all__:
        if name in modules:
            assert any(actual.startswith(modules[name]) for actual in named), name
        else:
            assert lagrangian._AMERICAN_SPELLINGS.get(name, name) in named, name


if __name__ == "__main__":
    import os
    import tempfile

    for name in [word for word in sys.argv[1:] if word != "--sync"]:
        script = DOCS / "snippets" / name
        with tempfile.TemporaryDirectory() as folder:
            os.chdir(folder)
            copy_input_files(script, Path(folder))
            if script.suffix == ".py" and script.with_suffix(".sh").exists():
                runs(script.with_suffix(".sh"))
            result = runs(script)
        keep = pieces(output_of(script)) if script.suffix == ".sh" else result  # of commands, only what is there to be shown
        text = "".join(f"# --- {piece}\n{result[piece]}" for piece in result if result[piece] and piece in keep)
        output_of(script).write_text(text, encoding="utf-8")
        print(f"{name}: {sum(map(bool, result.values()))} of {len(result)} pieces print")
    for page in PAGES:
        if (text := page_with_bodies(page)) != page.read_text(encoding="utf-8"):
            page.write_text(text, encoding="utf-8")
            print(f"{name_of(page)}: written")
