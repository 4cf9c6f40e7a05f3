"""Commands run in a folder of their own, in this process."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from lagrangian.cli.main import app


@dataclass(frozen=True)
class Done:
    """What a command said, and its exit code."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)


Run = Callable[..., Done]


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Run a command; an exception that passes through is a failure of the test."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("LAGRANGIAN_DEBUG", raising=False)
    monkeypatch.setenv("COLUMNS", "100")

    def run_command(*arguments: Any) -> Done:
        done = CliRunner().invoke(app, [str(x) for x in arguments])
        if done.exception is not None and not isinstance(done.exception, SystemExit):
            raise done.exception
        assert "Traceback" not in done.output
        return Done(done.exit_code, done.stdout, done.stderr)

    return run_command


@pytest.fixture
def wrong(run: Run) -> Callable[..., str]:
    """Run a command that must be refused: exit code 2, one error on stderr, nothing on stdout."""

    def error_text(*arguments: Any, code: int = 2) -> str:
        done = run(*arguments)
        assert done.code == code, done
        assert done.out == ""
        return " ".join(done.err.split())

    return error_text
