"""Functions of MATLAB's language that give what the kernels give, run by Octave."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest

import lagrangian as lg
from tests.exports.mechanisms import CHAINS, SIX, functions, long_mechanism, mechanism, rigid
from tests.exports.reference import applicable
from tests.exports.runners import assert_equal_to_the_kernels, octave, octave_results
from tests.exports.test_export import hostile

needs_octave = pytest.mark.skipif(shutil.which("octave-cli") is None, reason="Octave is not installed")


@needs_octave
@pytest.mark.parametrize("name", ["rolling_disc", "branched"])
def test_functions_are_those_of_the_kernels(name: str, tmp_path: Path) -> None:
    assert_equal_to_the_kernels("octave", octave_results, name, tmp_path, every=False)


@needs_octave
@pytest.mark.slow
@pytest.mark.parametrize("name", [*SIX, *CHAINS])
def test_every_function_is_that_of_the_kernels(name: str, tmp_path: Path) -> None:
    assert_equal_to_the_kernels("octave", octave_results, name, tmp_path)


@needs_octave
def test_its_test_passes_and_finds_a_wrong_number(tmp_path: Path) -> None:
    lg.export("four_bar", "matlab", tmp_path, functions=["forward_dynamics", "step", "kinetic_energy"])
    assert octave("four_bar_test", tmp_path).count(" ok") == 1 + 3 * 6
    wrong = tmp_path / "+four_bar" / "forward_dynamics.m"
    wrong.write_text(wrong.read_text().replace("cos(", "sin(", 1))
    words = ["octave-cli", "--quiet", "--no-init-file", "--eval", "four_bar_test"]
    done = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode != 0
    assert "WRONG" in done.stdout
    assert "some values are off" in done.stderr


@needs_octave
def test_parameters_can_be_changed(tmp_path: Path) -> None:
    changed = {"l1": 1.3, "r2": 0.4, "m2": 5.0, "I1": 0.9, "g": 1.6}
    lg.export("two_r", "octave", tmp_path)
    fields = " ".join(f"p.{name} = {x};" for name, x in changed.items())
    call = "two_r.inverse_dynamics([0.1; 0.2], [0.3; 0.4], [0.5; 0.6], two_r.prepare(p))"
    printed = octave(f"p = two_r.parameters(); {fields} printf('%.17g ', {call});", tmp_path)
    dyn = lg.compile(lg.library("two_r").with_parameters(changed))
    assert np.allclose([float(x) for x in printed.split()], dyn.inverse_dynamics([0.1, 0.2], [0.3, 0.4], [0.5, 0.6]), rtol=1e-13)


@needs_octave
def test_hostile_names_are_made_legal_and_listed(tmp_path: Path) -> None:
    m = hostile()
    export_result = lg.export(m, "octave", tmp_path, functions=["inverse_dynamics", "pose", "step"])
    assert {"+while_/pose_tool_tip.m", "+while_/pose_tool_tip_.m", "while__test.m"} <= set(export_result.files)
    assert "WRONG" not in octave("while__test", tmp_path)
    assert "% while is called while_ in the code." in export_result.files["+while_/Contents.m"]


def test_files_differ_by_more_than_case_and_names_are_short() -> None:
    m = lg.library("two_r")
    long = "x" * 100
    frames = [
        lg.Frame(name, m.bodies[0].name, (k, 0, 0)) for k, name in enumerate(["Tool", "tool", "TOOL", f"{long}1", f"{long}2"])
    ]
    export_result = lg.export(lg.Mechanism(long, m.bodies, m.joints, frames=frames), "octave", functions=["jacobian"])
    files = [Path(name).stem for name in export_result.files]
    assert len({name.lower() for name in files}) == len(files)
    assert all(len(name) <= 63 for name in files)
    lines = [line for text in export_result.files.values() for line in str(text).splitlines()]
    called = [re.match(r"\s*function .*?(\w+)\(", line) for line in lines]
    assert all(len(actual[1]) <= 63 for actual in called if actual)


def test_a_package_is_not_called_as_a_variable_of_its_functions() -> None:
    m = lg.library("two_r")
    export_result = lg.export(lg.Mechanism("M", m.bodies, m.joints), "octave", functions=["mass_matrix"])
    assert "+M_/mass_matrix.m" in export_result.files


@pytest.mark.parametrize("name", ["four_bar", "branched"])
def test_matlab_has_all_that_is_used(name: str) -> None:
    export_result = lg.export(mechanism(name), "matlab", functions=functions(name, every=False))
    for file, text in export_result.files.items():
        code = "\n".join(line.split("%")[0] if "fprintf" not in line else "" for line in str(text).splitlines())
        assert str(text).isascii(), file
        assert not re.search(r"[\"#!]|\+=|-=|\*=|\*\*|\+\+|--", code), file
        assert not re.search(r"\b(end(if|for|while|function|_\w+)|printf|do|until|unwind_protect)\b", code), file
        opened = len(re.findall(r"^\s*(?:function|if|for|while)\b", code, re.MULTILINE))
        assert opened == len(re.findall(r"^\s*end$", code, re.MULTILINE)), file


@needs_octave
def test_a_chain_of_a_thousand_links_is_short(tmp_path: Path) -> None:
    export_result = lg.export(
        long_mechanism(1000, False, False), "octave", tmp_path, functions=["inverse_dynamics", "forward_dynamics"]
    )
    assert sum(len(text) for text in export_result.files.values()) < 100_000
    assert octave("chain_test", tmp_path).count(" ok") == 2


@needs_octave
def test_a_mechanism_that_cannot_move(tmp_path: Path) -> None:
    lg.export(rigid(), "octave", tmp_path, functions=applicable(rigid()))
    assert "WRONG" not in octave("rigid_test", tmp_path)
