"""A short run of `benchmarks/kill_writers.py`: what killed processes leave is whole."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import Any

import pytest

SCRIPT = Path(__file__).parents[1] / "benchmarks" / "kill_writers.py"


@pytest.mark.slow
def test_killed_writers_leave_whole_files(capsys: Any) -> None:
    spec = importlib.util.spec_from_file_location("kill_writers", SCRIPT)
    assert spec is not None
    assert spec.loader is not None
    script = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(script)
    assert script.main(kills=6, seed=2) == 0
    assert "BROKEN" not in capsys.readouterr().out
