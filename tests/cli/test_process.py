"""As a process of its own: exit codes, streams, interrupts, terminals of all kinds."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

import lagrangian as lg

COMMAND = [sys.executable, "-m", "lagrangian"]


def run(*arguments: str, folder: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    env = {k: v for k, v in os.environ.items() if k not in ("NO_COLOR", "FORCE_COLOR", "LAGRANGIAN_DEBUG")} | environment
    encoding = environment.get("PYTHONIOENCODING", "utf-8")
    return subprocess.run([*COMMAND, *arguments], cwd=folder, env=env, capture_output=True, encoding=encoding, timeout=120)


def test_help_and_version(tmp_path: Path) -> None:
    done = run("--help", folder=tmp_path)
    assert done.returncode == 0
    for word in ("Describe", "Equations", "Motion", "See", "Check", "simulate", "tour"):
        assert word in done.stdout
    assert run("--version", folder=tmp_path).stdout == f"lagrangian {lg.__version__}\n"
    assert run(folder=tmp_path).stdout.startswith(done.stdout[:60])  # no command is a wish for help


def test_errors_without_tracebacks(tmp_path: Path) -> None:
    done = run("derive", "nothing", folder=tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("error: 'nothing' is neither")
    assert run("simulat", folder=tmp_path).returncode == 2
    assert run("simulate", "two_r", "--rtol", "tight", folder=tmp_path).returncode == 2
    for debug in (
        run("--debug", "derive", "nothing", folder=tmp_path),
        run("derive", "nothing", folder=tmp_path, LAGRANGIAN_DEBUG="1"),
    ):
        assert "Traceback" in debug.stderr
        assert debug.returncode != 0


def test_an_error_nobody_thought_of(tmp_path: Path) -> None:
    """A short apology, with the type, and how to see more."""
    program = (
        "import lagrangian as lg, lagrangian.cli.main as m\n"
        "def bad(*a, **k): raise ZeroDivisionError('of all things')\n"
        "lg.derive = bad; m.main()"
    )
    done = subprocess.run([sys.executable, "-c", program, "derive", "two_r"], capture_output=True, text=True, cwd=tmp_path)
    assert done.returncode == 1
    assert "Traceback" not in done.stderr
    assert "ZeroDivisionError: of all things" in done.stderr
    assert "--debug" in done.stderr


def test_warnings_have_our_format(tmp_path: Path) -> None:
    done = run(
        "simulate", "two_r", "-t", "1", "--q0", "0,0", "--rtol", "1e-3", "--method", "rk4", "--step", "0.3", folder=tmp_path
    )
    assert "Warning" not in done.stderr
    (tmp_path / "deg.toml").write_text(
        '[[body]]\nname = "b"\nmass = 1\ninertia = [1, 1, 1]\n'
        '[[joint]]\nname = "j"\ntype = "revolute"\nchild = "b"\nrpy = [0, 0, 90]\n'
    )
    done = run("show", "deg.toml", folder=tmp_path)
    assert done.returncode == 0
    assert done.stderr.startswith("warning: ")
    assert "MechanismWarning" not in done.stderr


def test_a_reader_that_stops(tmp_path: Path) -> None:
    for options in (["--full"], ["--json"]):
        with subprocess.Popen(
            [*COMMAND, "derive", "puma560", *options], stdout=subprocess.PIPE, stderr=subprocess.PIPE
        ) as process:
            assert process.stdout is not None
            assert process.stderr is not None
            process.stdout.readline()
            process.stdout.close()
            assert process.stderr.read() == b""
            assert process.wait(60) == 0


def test_terminals_of_all_kinds(tmp_path: Path) -> None:
    plain = run("derive", "two_r", folder=tmp_path, PYTHONIOENCODING="ascii")
    assert plain.returncode == 0
    assert "M11 = m1 r1^2" in plain.stdout
    assert "theta1" in plain.stdout
    assert run("show", "four_bar", folder=tmp_path, PYTHONIOENCODING="ascii").returncode == 0
    colourless = run("show", "four_bar", folder=tmp_path, NO_COLOR="1", FORCE_COLOR="1").stdout
    assert not re.search(r"\x1b\[[\d;]*3\d", colourless)
    assert re.search(r"\x1b\[[\d;]*3\d", run("show", "four_bar", folder=tmp_path, FORCE_COLOR="1").stdout)
    for command in (["show", "stewart"], ["prove", "two_r"], ["simulate", "--help"]):
        assert run(*command, folder=tmp_path, COLUMNS="25").returncode == 0


@pytest.mark.skipif(os.name != "posix", reason="signals and pseudo-terminals of POSIX")
def test_a_long_run_has_a_bar_and_can_be_interrupted(tmp_path: Path) -> None:
    """The bar, with the time left, is on stderr; Ctrl-C saves what there is, and results on stdout are as ever."""
    import pty

    arguments = [*COMMAND, "simulate", "two_r", "-t", "1000000", "--rtol", "1e-10", "-o", "long.nc", "--json"]
    main, side = pty.openpty()
    environment = {**os.environ, "TERM": "xterm", "COLUMNS": "100"}
    with subprocess.Popen(arguments, stdout=subprocess.PIPE, stderr=side, cwd=tmp_path, env=environment) as process:
        os.close(side)
        shown = b""
        while b"left" not in shown:  # a bar is there, so that the run is under way
            shown += os.read(main, 65536)
        process.send_signal(signal.SIGINT)
        out, _ = process.communicate(timeout=60)
    os.close(main)
    assert process.returncode == 130
    assert b"simulating two_r" in shown
    assert b"Traceback" not in shown
    data = json.loads(out)
    assert data["message"].startswith("interrupted")
    assert 0 < lg.read(tmp_path / "long.nc").t[-1] < 1e6
    assert run("simulate", "two_r", folder=tmp_path).stderr == ""  # no terminal, no bar
