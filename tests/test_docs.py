"""The snippets of the documentation print what stands below them, but for digits that roundings of another machine change."""

from __future__ import annotations

import contextlib
import io
import re
import warnings
from pathlib import Path
from typing import Any

import pytest

DOCS = Path(__file__).parents[1] / "docs"
BLOCK = re.compile(r"```python\n(.*?)```(?:\n\n```text\n(.*?)```)?", re.DOTALL)
NUMBER = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?")


def printed(code: str, names: dict[str, Any], where: str) -> str:
    found = io.StringIO()
    with contextlib.redirect_stdout(found), warnings.catch_warnings():
        warnings.simplefilter("always")
        warnings.showwarning = lambda message, category, *_: found.write(f"{category.__name__}: {message}\n")
        exec(compile(code, where, "exec"), names)
    return found.getvalue()


def alike(a: float, b: float) -> bool:
    """The same to print, or both small: errors and roundings are told by their size only."""
    return abs(a - b) <= 2e-3 * max(abs(a), abs(b)) or max(abs(a), abs(b)) < 1e-4


@pytest.mark.parametrize("page", ["motion.md", "integrators.md", "inverse.md", "actuators.md", "control.md"])
def test_snippets(page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("sksundae")
    monkeypatch.chdir(tmp_path)
    text = (DOCS / page).read_text(encoding="utf-8")
    names: dict[str, Any] = {}
    for block in BLOCK.finditer(text):
        where = f"{page}:{text[: block.start()].count(chr(10)) + 2}"
        found, wanted = printed(block[1], names, where), block[2] or ""
        assert NUMBER.sub("#", found).split() == NUMBER.sub("#", wanted).split(), where
        for line, other in zip(found.splitlines(), wanted.splitlines(), strict=True):
            if " steps" in line:  # their number may differ by a few
                continue
            pairs = zip(NUMBER.findall(line), NUMBER.findall(other), strict=True)
            assert all(alike(float(a), float(b)) for a, b in pairs), f"{where}: {line}"
