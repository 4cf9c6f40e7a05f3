"""The command line with odd values of its options: a message and an exit code, never an exception."""

from __future__ import annotations

import json
import os
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

import typer
from typer.testing import CliRunner

from tests.fuzz.outcome import FOREIGN, Outcome, signature

# those that end by themselves and soon, with what they need at least
COMMANDS = {
    "new": ["arm"],
    "library": [],
    "show": ["two_r"],
    "derive": ["pendulum"],
    "prove": ["pendulum"],
    "simulate": ["pendulum", "-t", "0.05", "--rows", "5"],
    "certify": ["pendulum", "-t", "0.05"],
    "inverse": ["two_r", "--from", "0,0", "--to", "0.1,0.1", "-t", "1"],
    "size": ["two_r", "--from", "0,0", "--to", "0.1,0.1", "-t", "1"],
    "check": ["pendulum"],
    "version": [],
}
SLOW = ("--open", "--animate", "--report", "--plot", "--picture", "--pdf")
TEXTS = (
    *(
        "",
        "x",
        "nan",
        "inf",
        "-inf",
        "-1",
        "0",
        "1e308",
        "1e-320",
        "9" * 30,
        "1,2",
        "1,nan",
        "theta1=1",
        "theta1=nan",
        "=",
        "a=b=c",
        "theta1=",
    ),
    *(
        "theta1=sin(t)",
        "1 2 3",
        "..",
        "/",
        "/dev/null",
        "no.toml",
        "out.nc",
        "out.csv",
        "out.xyz",
        "[red]x[/red]",
        "\x1b[31m",
        "é🤖",
        "--",
        "x" * 5000,
    ),
    *("0:1:0", "0:1:3", "1/0", "sqrt(-1)", "link2", "pendulum", "true", "deg(90)", "1e", "0x10"),
)


@cache
def app() -> tuple[Any, dict[str, Any]]:
    from lagrangian.cli.main import app as typer_app

    group = typer.main.get_command(typer_app)
    return typer_app, group.commands


def make(rng: Random) -> bytes:
    """A command with up to three options that have odd values."""
    name = rng.choice(list(COMMANDS))
    options = [p for p in app()[1][name].params if p.opts[0].startswith("-") and p.opts[-1] not in SLOW]
    words = [*COMMANDS[name]]
    for option in rng.sample(options, min(len(options), rng.choice([1, 2, 3]))):
        words += [option.opts[0], *([] if option.is_flag else [rng.choice(TEXTS) for _ in range(max(1, option.nargs))])]
    if words and rng.random() < 0.15:
        words[rng.randrange(len(words))] = rng.choice(TEXTS)
    return json.dumps([name, *words]).encode()


def examine(path: Path, _: Random, __: bool) -> Outcome:
    """Run it in the folder of the file."""
    outcome, words = Outcome(), json.loads(path.read_text())
    before = os.getcwd()
    os.chdir(path.parent)
    os.environ["LAGRANGIAN_DEBUG"] = "1"  # exceptions come through
    try:
        result = outcome.attempt("command", lambda: CliRunner().invoke(app()[0], words))
    finally:
        os.chdir(before)
        del os.environ["LAGRANGIAN_DEBUG"]
    if result is not None:
        error = result.value.exception
        if error is None or isinstance(error, SystemExit):
            outcome.reached.append(f"exit code {result.value.exit_code}")
        else:
            judge(outcome, error)
    return outcome


def judge(outcome: Outcome, error: BaseException) -> None:
    """With --debug, errors of ours are raised, too, and those of the system, which are told as they are."""

    def again() -> None:
        raise error

    if isinstance(error, OSError):
        outcome.reached.append(f"command: {type(error).__name__}")
    elif isinstance(error, Exception):
        outcome.attempt("command", again)
    else:
        outcome.fault(FOREIGN, signature(error))
