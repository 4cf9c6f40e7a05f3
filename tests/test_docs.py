"""The scripts of docs/snippets print what stands beside them, and every page shows all of its own.

Digits that roundings of another machine change do not count. `python tests/test_docs.py PAGE` writes PAGE.out anew.
"""

from __future__ import annotations

import contextlib
import io
import re
import shutil
import sys
import warnings
from pathlib import Path
from typing import Any

import pytest

DOCS = Path(__file__).parents[1] / "docs"
sys.path.insert(0, str(DOCS / "extensions"))
from snippets import pieces  # noqa: E402

SCRIPTS = sorted((DOCS / "snippets").rglob("*.py"))
PAGES = sorted(page for page in DOCS.rglob("*.md") if "_build" not in page.parts)
RUN_ONLY = {"identification"}  # what a search finds last differs with the roundings of the machine
NUMBER = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?")


def name_of(path: Path, root: Path = DOCS / "snippets") -> str:
    return path.relative_to(root).with_suffix("").as_posix()


def printed(code: str, names: dict[str, Any], where: str) -> str:
    found = io.StringIO()
    with contextlib.redirect_stdout(found), warnings.catch_warnings():
        warnings.simplefilter("always")
        warnings.showwarning = lambda message, category, *_: found.write(f"{category.__name__}: {message}\n")
        exec(compile(code, where, "exec"), names)
    return found.getvalue()


def given(script: Path, folder: Path) -> None:
    """The files that a script reads stand beside it."""
    for path in script.parent.iterdir():
        if path.suffix in (".urdf", ".toml"):
            shutil.copy(path, folder)


def runs(script: Path) -> dict[str, str]:
    """What each piece prints, run in turn in the folder it is in."""
    names: dict[str, Any] = {}
    return {name: printed(code, names, f"{script}: {name}") for name, code in pieces(script).items()}


def alike(a: float, b: float) -> bool:
    """The same to print, or both small: errors and roundings are told by their size only."""
    return abs(a - b) <= 2e-3 * max(abs(a), abs(b)) or max(abs(a), abs(b)) < 1e-4


@pytest.mark.parametrize("script", SCRIPTS, ids=name_of)
def test_snippets(script: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("sksundae")
    monkeypatch.chdir(tmp_path)
    given(script, tmp_path)
    said = script.with_suffix(".out")
    expected = pieces(said) if said.exists() else {}
    found = runs(script)
    assert {name for name, text in found.items() if text} == set(expected)
    if name_of(script) in RUN_ONLY:
        return
    for name, wanted in expected.items():
        assert NUMBER.sub("#", found[name]).split() == NUMBER.sub("#", wanted).split(), name
        for line, other in zip(found[name].strip("\n").splitlines(), wanted.strip("\n").splitlines(), strict=True):
            if " steps" in line:  # their number may differ by a few
                continue
            pairs = zip(NUMBER.findall(line), NUMBER.findall(other), strict=True)
            assert all(alike(float(a), float(b)) for a, b in pairs), f"{name}: {line}"


@pytest.mark.parametrize("script", SCRIPTS, ids=name_of)
def test_every_piece_is_shown(script: Path) -> None:
    """In the order in which they run, so that the page is true from top to bottom."""
    page = (DOCS / name_of(script)).with_suffix(".md").read_text(encoding="utf-8")
    assert re.findall(r"^```\{snippet\} (\S+)", page, re.MULTILINE) == list(pieces(script))


@pytest.mark.parametrize("page", PAGES, ids=lambda page: name_of(page, DOCS))
def test_nothing_else_is_shown(page: Path) -> None:
    """Python in a page comes from a file that is run."""
    assert "```python" not in page.read_text(encoding="utf-8")


if __name__ == "__main__":
    import os
    import tempfile

    for page in sys.argv[1:]:
        script = DOCS / "snippets" / f"{page}.py"
        with tempfile.TemporaryDirectory() as folder:
            os.chdir(folder)
            given(script, Path(folder))
            found = runs(script)
        out = "".join(f"# --- {name}\n{text}" for name, text in found.items() if text)
        script.with_suffix(".out").write_text(out, encoding="utf-8")
        print(f"{page}: {sum(map(bool, found.values()))} of {len(found)} pieces print")
