"""The tests that stand beside generated code: a result that is no finite number is wrong, also where right ones follow it."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import lagrangian as lg

# a file of each target, its expression of the first result, and the commands that build and run its test
TARGETS = {
    "c": ("two_r.c", "k[0]*v1 + v2", [["gcc", "two_r.c", "two_r_test.c", "-lm", "-o", "check"], ["./check"]]),
    "rust": ("src/lib.rs", "k[0]*v1 + v2", [["cargo", "test", "--offline", "--quiet", "--test", "reference"]]),
    "numpy": ("two_r.py", "k[0]*v1 + v2", [[sys.executable, "two_r.py"]]),
    "octave": ("+two_r/gravity.m", "k(1)*v1 + v2", [["octave-cli", "--quiet", "--no-init-file", "--eval", "two_r_test"]]),
    "julia": ("TwoR.jl", "k[1]*v1 + v2", [["julia", "test.jl"]]),
}
WRONG = {
    "c": ("NAN", "INFINITY"),
    "rust": ("f64::NAN", "f64::INFINITY"),
    "numpy": ("np.nan*v1", "np.inf*v1*v1"),
    "octave": ("NaN", "Inf"),
    "julia": ("NaN", "Inf"),
}


@pytest.mark.parametrize("target", TARGETS)
def test_a_result_that_is_no_finite_number_is_wrong(target: str, tmp_path: Path) -> None:
    name, expression, commands = TARGETS[target]
    if shutil.which(commands[0][0]) is None:
        pytest.skip(f"{commands[0][0]} is not installed")
    lg.export("two_r", target, tmp_path, functions=["gravity"])
    text = (tmp_path / name).read_text()
    assert expression in text
    for other in WRONG[target]:
        (tmp_path / name).write_text(text.replace(expression, other))
        for command in commands:
            done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
        assert done.returncode != 0, other
        assert "off" in done.stdout + done.stderr
