"""`certify`: what is printed and written is what the library proves."""

from __future__ import annotations

import json
from pathlib import Path

import lagrangian as lg
from tests.cli.conftest import Run


def test_digits_are_printed_and_written(run: Run) -> None:
    ours = lg.certify("pendulum", ["0.25", "0.5"], q0={"theta": "30deg"}, digits=15)
    arguments = ("certify", "pendulum", "-t", "0.25,0.5", "--q0", "theta=30deg", "--digits", "15")
    done = run(*arguments, "-o", "p.json")
    assert done.code == 0
    assert f"theta     {ours.q[0]}" in done.out
    written = json.loads(Path("p.json").read_text(encoding="utf-8"))
    assert written["states"] == ours.to_dict()["states"]
    assert run(*arguments, "--json").json["states"] == ours.to_dict()["states"]


def test_wrong_times_and_mechanisms_are_refused(run: Run) -> None:
    done = run("certify", "four_bar", "-t", "1")
    assert (done.code, "loop 'closure'" in done.err) == (2, True)
    done = run("certify", "pendulum", "-t", "1", "-o", "p.csv")
    assert "proven digits are written to a .json file" in done.err
    assert "--time is ['-1']" in run("certify", "pendulum", "-t", "-1").err
