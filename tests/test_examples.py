"""Every example runs as it stands."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

LONGER = ("fit_a_spring", "panda_point_to_point")  # those that optimise for several seconds
EXAMPLES = [
    pytest.param(path, id=path.stem, marks=pytest.mark.slow if path.stem in LONGER else ())
    for path in sorted((Path(__file__).parents[1] / "examples").glob("*.py"))
]


@pytest.mark.parametrize("path", EXAMPLES)
def test_example(path: Path, tmp_path: Path) -> None:
    for package in ("casadi", "jax"):
        if f"import {package}" in path.read_text(encoding="utf-8"):
            pytest.importorskip(package)
    done = subprocess.run([sys.executable, path], cwd=tmp_path, capture_output=True, text=True, timeout=600, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout
    assert not done.stderr
    assert not list(tmp_path.iterdir())
