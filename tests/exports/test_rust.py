"""Crates of Rust that compile without a warning, and give what the kernels give."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest

import lagrangian as lg
from tests.exports.compiled_c import run
from tests.exports.mechanisms import CHAINS, SIX, long_mechanism, rigid
from tests.exports.reference import applicable
from tests.exports.runners import assert_equal_to_the_kernels, rust_results
from tests.exports.test_export import hostile

pytestmark = pytest.mark.skipif(shutil.which("cargo") is None, reason="Rust is not installed")


def cargo_test(folder: Path) -> str:
    return run("cargo", "test", "--offline", "--quiet", "--test", "reference", folder=folder)


@pytest.mark.parametrize("name", ["four_bar", "row"])
def test_functions_are_those_of_the_kernels(name: str, tmp_path: Path) -> None:
    assert_equal_to_the_kernels("rust", rust_results, name, tmp_path, every=False)


@pytest.mark.slow
@pytest.mark.parametrize("name", [*SIX, *CHAINS])
def test_every_function_is_that_of_the_kernels(name: str, tmp_path: Path) -> None:
    assert_equal_to_the_kernels("rust", rust_results, name, tmp_path)


@pytest.mark.parametrize("real", ["f64", "f32"])
def test_its_tests_pass(real: str, tmp_path: Path) -> None:
    lg.export("two_r", "rust", tmp_path, real=real)
    assert "16 passed; 0 failed" in cargo_test(tmp_path)
    assert real in (tmp_path / "src" / "lib.rs").read_text()


def test_its_tests_find_a_wrong_number(tmp_path: Path) -> None:
    lg.export("two_r", "rust", tmp_path, functions=["gravity"])
    library = tmp_path / "src" / "lib.rs"
    library.write_text(library.read_text().replace("math::cos(", "math::sin(", 1))
    words = ["cargo", "test", "--offline", "--quiet", "--test", "reference"]
    done = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode != 0
    assert "gravity G is off by" in done.stdout


def test_it_stands_alone() -> None:
    export_result = lg.export("two_r", "rust")
    assert sorted(export_result.files) == ["Cargo.toml", "src/lib.rs", "src/math.rs", "tests/reference.rs"]
    assert str(export_result.files["Cargo.toml"]).endswith("[dependencies]\n")
    library = str(export_result.files["src/lib.rs"])
    assert "#![no_std]" in library
    assert "#![deny(warnings)]" in library
    assert "unsafe" not in library


def test_parameters_can_be_changed(tmp_path: Path) -> None:
    changed = {"l1": 1.3, "r2": 0.4, "m2": 5.0, "I1": 0.9, "g": 1.6}
    lg.export("two_r", "rust", tmp_path, functions=["inverse_dynamics"])
    fields = "".join(f"    p.{name} = {x:?<3};\n".replace("?", "") for name, x in changed.items())
    main = f"""use two_r::*;
fn main() {{
    let mut p = Parameters::default();
{fields}    let mut tau = [0.0; 2];
    inverse_dynamics(&[0.1, 0.2], &[0.3, 0.4], &[0.5, 0.6], &prepare(&p), &mut tau);
    println!("{{:?}} {{:?}}", tau[0], tau[1]);
}}
"""
    (tmp_path / "examples").mkdir()
    (tmp_path / "examples" / "changed.rs").write_text(main)
    printed = run("cargo", "run", "--offline", "--quiet", "--example", "changed", folder=tmp_path)
    dyn = lg.compile(lg.library("two_r").with_parameters(changed))
    assert np.allclose([float(x) for x in printed.split()], dyn.inverse_dynamics([0.1, 0.2], [0.3, 0.4], [0.5, 0.6]), rtol=1e-13)


def test_hostile_names_are_made_legal_and_listed(tmp_path: Path) -> None:
    export_result = lg.export(hostile(), "rust", tmp_path, functions=["inverse_dynamics", "pose", "step"])
    assert "0 failed" in cargo_test(tmp_path)
    assert "//! while is called while_ in the code." in export_result.files["src/lib.rs"]
    assert "pub fn pose_tool_tip_(" in export_result.files["src/lib.rs"]


def test_a_chain_of_a_thousand_links_is_short(tmp_path: Path) -> None:
    export_result = lg.export(
        long_mechanism(1000, False, False), "rust", tmp_path, functions=["inverse_dynamics", "forward_dynamics"]
    )
    assert sum(len(text) for text in export_result.files.values()) < 100_000
    assert "2 passed; 0 failed" in cargo_test(tmp_path)


def test_a_mechanism_that_cannot_move(tmp_path: Path) -> None:
    lg.export(rigid(), "rust", tmp_path, functions=applicable(rigid()))
    assert "0 failed" in cargo_test(tmp_path)
