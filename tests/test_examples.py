"""Every example runs without changes, and prints what the gallery shows.

`python -m tests.test_examples [NAME ...]` writes docs/snippets/gallery; then `python -m tests.test_docs --sync` writes the page.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.printed import same_line

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "docs" / "extensions"))
import gallery  # noqa: E402

LONGER = ("fit_a_spring", "panda_point_to_point")  # those that optimise for several seconds
EXAMPLES = [pytest.param(name, marks=pytest.mark.slow if name in LONGER else ()) for name in gallery.names()]


def run(name: str, folder: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, gallery.EXAMPLES / f"{name}.py"]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=600, check=False)


@pytest.mark.parametrize("name", EXAMPLES)
def test_an_example_prints_what_the_gallery_shows(name: str, tmp_path: Path) -> None:
    text = (gallery.EXAMPLES / f"{name}.py").read_text(encoding="utf-8")
    for package in ("casadi", "jax"):
        if f"import {package}" in text:
            pytest.importorskip(package)
    done = run(name, tmp_path)
    assert done.returncode == 0, done.stderr
    assert not done.stderr
    assert not list(tmp_path.iterdir())
    actual, shown = (each.splitlines() for each in (gallery.without_times(done.stdout), gallery.body(name)))
    assert len(actual) == len(shown), done.stdout
    assert not [pair for pair in zip(actual, shown, strict=True) if not same_line(*pair)]


@pytest.mark.parametrize("name", gallery.names())
def test_first_lines(name: str) -> None:
    """An example begins with a sentence that says what it does."""
    text = (gallery.EXAMPLES / f"{name}.py").read_text(encoding="utf-8")
    first, *_ = text.splitlines()
    assert first.startswith('"""')
    assert first.rstrip('"').endswith(".")


def test_times_are_left_out() -> None:
    assert gallery.without_times("\nlength 3.0 m\nin 12 ms, 12 ns per state\nat t = 6 s\n") == "length 3.0 m\nat t = 6 s\n"


if __name__ == "__main__":
    import tempfile

    for name in sys.argv[1:] or gallery.names():
        with tempfile.TemporaryDirectory() as folder:
            done = run(name, Path(folder))
        done.check_returncode()
        (gallery.PRINTED / f"{name}.out").write_text(gallery.without_times(done.stdout), encoding="utf-8")
        print(name)
