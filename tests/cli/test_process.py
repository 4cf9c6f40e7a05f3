"""As a process of its own: exit codes, streams, interrupts, terminals of all kinds."""

from __future__ import annotations

import contextlib
import json
import os
import re
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest

import lagrangian as lg
from tests.cli.conftest import Run
from tests.processes import PATIENCE, interruptible

COMMAND = [sys.executable, "-m", "lagrangian"]


def process(*arguments: str, folder: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    env = {k: v for k, v in os.environ.items() if k not in ("NO_COLOR", "FORCE_COLOR", "LAGRANGIAN_DEBUG")} | environment
    encoding = environment.get("PYTHONIOENCODING", "utf-8")
    return subprocess.run([*COMMAND, *arguments], cwd=folder, env=env, capture_output=True, encoding=encoding, timeout=PATIENCE)


def test_help_lists_groups_and_commands(tmp_path: Path) -> None:
    done = process("--help", folder=tmp_path)
    assert done.returncode == 0
    for word in ("Describe", "Equations", "Motion", "Plots", "Design", "simulate", "tour"):
        assert word in done.stdout


def test_version_and_no_command(run: Run) -> None:
    assert run("--version").out == f"lagrangian {lg.__version__}\n"
    assert "Describe" in run().out + run().err  # no command is a wish for help


def test_errors_without_tracebacks(tmp_path: Path, run: Run) -> None:
    done = process("derive", "nothing", folder=tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("error: 'nothing' is neither")
    assert run("simulat").code == 2
    assert run("simulate", "two_r", "--rtol", "tight").code == 2


def test_where_an_error_comes_from(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LAGRANGIAN_DEBUG", "0")
    assert run("show", "nothing").code == 2
    with pytest.raises(lg.LagrangianError):
        run("--debug", "show", "nothing")
    monkeypatch.setenv("LAGRANGIAN_DEBUG", "1")
    with pytest.raises(lg.LagrangianError):
        run("show", "nothing")


def test_an_error_nobody_thought_of(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """A short apology, with the type, and how to see more."""

    def bad(*_: object, **__: object) -> None:
        raise ZeroDivisionError("of all things")

    monkeypatch.setattr(lg, "derive", bad)
    done = run("derive", "two_r")
    assert done.code == 1
    assert "ZeroDivisionError: of all things" in done.err
    assert "--debug" in done.err


def test_errors_are_data_too(run: Run) -> None:
    """With --json a failure is a document on stdout, beside the line on stderr."""
    done = run("show", "nothing", "--json")
    assert done.code == 2
    assert "neither a file" in done.json["error"]
    assert "`lagrangian library` lists" in done.json["error"]
    assert done.err.startswith("error: ")
    assert run("check", "nothing", "--json").json["valid"] is False


def test_warnings_have_our_format(run: Run) -> None:
    Path("deg.toml").write_text(
        '[[body]]\nname = "b"\nmass = 1\ninertia = [1, 1, 1]\n'
        '[[joint]]\nname = "j"\ntype = "revolute"\nchild = "b"\nrpy = [0, 0, 90]\n'
    )
    done = run("show", "deg.toml")
    assert done.code == 0
    assert done.err.startswith("warning: ")
    assert "MechanismWarning" not in done.err


def test_a_reader_that_stops(tmp_path: Path) -> None:
    for options in ([], ["--json"]):
        with subprocess.Popen([*COMMAND, "version", *options], stdout=subprocess.PIPE, stderr=subprocess.PIPE) as child:
            assert child.stdout is not None
            assert child.stderr is not None
            child.stdout.close()
            assert child.stderr.read() == b""
            assert child.wait(PATIENCE) == 0


def test_terminals_of_all_kinds(tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    plain = process("derive", "two_r", folder=tmp_path, PYTHONIOENCODING="ascii")
    assert plain.returncode == 0
    assert "M11 = m1 r1^2" in plain.stdout
    assert "theta1" in plain.stdout
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("FORCE_COLOR", "1")
    assert re.search(r"\x1b\[[\d;]*3\d", run("show", "four_bar").out)
    monkeypatch.setenv("NO_COLOR", "1")
    assert not re.search(r"\x1b\[[\d;]*3\d", run("show", "four_bar").out)
    monkeypatch.setenv("COLUMNS", "25")
    for command in (["show", "stewart"], ["prove", "two_r"], ["simulate", "--help"]):
        assert run(*command).code == 0


def test_narrow_tables_break_no_names(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where a table is too wide, columns the tree shows are left out; then rows become lines."""
    monkeypatch.delenv("FORCE_COLOR", raising=False)
    joint = "a_joint_with_a_long_name_{0}"
    bodies = "".join(f'[[body]]\nname = "the_body_of_number_{k}"\nmass = {k}\ninertia = [1, 1, 1]\n' for k in (1, 2))
    joints = [f'[[joint]]\nname = "{joint.format(k)}"\ntype = "revolute"\nchild = "the_body_of_number_{k}"\n' for k in (1, 2)]
    Path("long.toml").write_text(bodies + joints[0] + joints[1] + 'parent = "the_body_of_number_1"\n')
    for width in (80, 60, 30):
        monkeypatch.setenv("COLUMNS", str(width))
        out = run("show", "long.toml").out
        assert joint.format(2) in out.partition("Bodies")[0]
        assert ("parent" in out) == (width == 30)  # as a line of its own


def _drain(terminal: int) -> None:
    """Read a pseudo-terminal until its other side is closed."""
    with contextlib.suppress(OSError):
        while os.read(terminal, 65536):
            pass


@pytest.mark.skipif(os.name != "posix", reason="signals and pseudo-terminals of POSIX")
def test_a_long_run_has_a_bar_and_can_be_interrupted(tmp_path: Path) -> None:
    """The bar, with the time left, is on stderr; Ctrl-C saves what there is, and results on stdout are as ever."""
    import pty

    arguments = [*COMMAND, "simulate", "two_r", "-t", "1000000", "--rows", "11", "-o", "long.nc", "--json"]
    main, side = pty.openpty()
    environment = {**os.environ, "TERM": "xterm", "COLUMNS": "100"}
    with interruptible(arguments, stdout=subprocess.PIPE, stderr=side, cwd=tmp_path, env=environment) as child:
        os.close(side)
        shown = b""
        while b"left" not in shown:  # a bar is there, so that the run is under way
            shown += os.read(main, 65536)
        child.send_signal(signal.SIGINT)
        # a terminal goes on reading: a bar that nobody reads would block its writer
        reader = threading.Thread(target=_drain, args=(main,), daemon=True)
        reader.start()
        try:
            out, _ = child.communicate(timeout=PATIENCE)
        finally:
            child.kill()
    os.close(main)
    assert child.returncode == 130
    assert b"simulating two_r" in shown
    assert b"Traceback" not in shown
    data = json.loads(out)
    assert data["message"].startswith("interrupted")
    assert 0 < lg.read(tmp_path / "long.nc").t[-1] < 1e6


def test_ctrl_c_while_modules_are_imported(tmp_path: Path) -> None:
    """As in the first moments of every command."""
    (tmp_path / "typer.py").write_text("raise KeyboardInterrupt\n")
    actual = os.pathsep.join(filter(None, (str(tmp_path), os.environ.get("PYTHONPATH"))))
    done = process("library", folder=tmp_path, PYTHONPATH=actual)
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "interrupted\n")
