"""C99 that is compiled without a warning, and gives what the kernels give."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest

import lagrangian as lg
from lagrangian.exports.reference_values import routine_inputs, sample_states
from tests.exports.compiled_c import STRICT, CompiledC, run
from tests.exports.mechanisms import ROLLED, long_mechanism, mechanism
from tests.exports.reference import applicable, expected_results, relative_error

LONGER = [pytest.param(name, marks=pytest.mark.slow) for name in ("panda", "quadruped", "stewart")]
NAMES = ("puma560", "four_bar", "rolling_disc", *LONGER)
SANITIZED = (
    "-std=c99",
    "-Wall",
    "-Werror",
    "-g",
    "-fsanitize=address,undefined,float-divide-by-zero",
    "-fno-sanitize-recover=all",
)

pytestmark = pytest.mark.skipif(shutil.which("gcc") is None, reason="no C compiler is installed")


def compare(m: lg.Mechanism, code: CompiledC, count: int = 3) -> None:
    dyn = lg.compile(m)
    for state in sample_states(m, count):
        for routine in code.routines.values():
            inputs = routine_inputs(routine, state)
            assert relative_error(code(routine, inputs), expected_results(dyn, routine.name, inputs)) < 1e-12, routine.name


@pytest.mark.parametrize("name", NAMES)
def test_every_function_is_that_of_the_kernels(name: str, tmp_path: Path) -> None:
    m = mechanism(name)
    compare(m, CompiledC(m, tmp_path, applicable(m)))


@pytest.mark.parametrize("name", ["two_r", "four_bar", "rolling_disc"])
def test_the_test_program_passes_with_clang_and_its_sanitizers(name: str, tmp_path: Path) -> None:
    if shutil.which("clang") is None:
        pytest.skip("clang is not installed")
    m = mechanism(name)
    lg.export(m, "c", tmp_path / "out", functions=applicable(m))
    run("clang", *SANITIZED, f"{name}.c", f"{name}_test.c", "-lm", "-o", "check", folder=tmp_path / "out")
    printed = run("./check", folder=tmp_path / "out")
    assert "WRONG" not in printed
    assert printed.count(" ok") > 60


def test_it_is_cpp_too(tmp_path: Path) -> None:
    lg.export(lg.library("two_r"), "c", tmp_path / "out")
    run("g++", "-Wall", "-Wextra", "-Werror", "-pedantic", "-c", "two_r.c", "-o", "two_r.o", folder=tmp_path / "out")
    main = '#include "two_r.h"\nint main() { double M[4]; const double q[2] = {0.1, 0.2};\n'
    main += "two_r_mass_matrix(q, &two_r_default_constants, M); return M[0] > 0 ? 0 : 1; }\n"
    (tmp_path / "out" / "main.cpp").write_text(main)
    run("gcc", "-c", "two_r.c", "-o", "two_r.o", folder=tmp_path / "out")
    run("g++", "main.cpp", "two_r.o", "-lm", "-o", "main", folder=tmp_path / "out")
    run("./main", folder=tmp_path / "out")


def test_cmake_builds_and_tests_it(tmp_path: Path) -> None:
    if shutil.which("cmake") is None:
        pytest.skip("CMake is not installed")
    lg.export(lg.library("two_r"), "c", tmp_path / "out", functions=["inverse_dynamics", "step"])
    run("cmake", "-S", ".", "-B", "build", folder=tmp_path / "out")
    run("cmake", "--build", "build", folder=tmp_path / "out")
    assert "100% tests passed" in run("ctest", "--test-dir", "build", folder=tmp_path / "out")


def test_float_is_as_near_as_floats_are(tmp_path: Path) -> None:
    m = lg.library("panda")
    lg.export(m, "c", tmp_path / "out", functions=["inverse_dynamics", "forward_dynamics"], real="float")
    run("gcc", *STRICT, "-Wdouble-promotion", "panda.c", "-c", "-o", "panda.o", folder=tmp_path / "out")
    run("gcc", *STRICT, "panda_test.c", "panda.o", "-lm", "-o", "check", folder=tmp_path / "out")
    assert run("./check", folder=tmp_path / "out").count(" ok") == 7


def test_the_test_program_finds_a_wrong_number(tmp_path: Path) -> None:
    export_result = lg.export(lg.library("two_r"), "c", tmp_path / "out", functions=["inverse_dynamics"])
    wrong, count = re.subn(r"sin\(q\[1\]\)", "cos(q[1])", str(export_result.files["two_r.c"]), count=1)
    assert count == 1
    (tmp_path / "out" / "two_r.c").write_text(wrong)
    run("gcc", "two_r.c", "two_r_test.c", "-lm", "-o", "check", folder=tmp_path / "out")
    done = subprocess.run(["./check"], cwd=tmp_path / "out", capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "WRONG" in done.stdout


@pytest.mark.parametrize("name", ["two_r", "four_bar", "rolling_disc"])
def test_other_parameters_are_prepared(name: str, tmp_path: Path) -> None:
    m = lg.library(name)
    code = CompiledC(m, tmp_path, ["inverse_dynamics", "mass_matrix", "reactions", *(["closure"] if m.equation_count else [])])
    other = {p.name: 1.1 * p.value + 0.01 for p in code.parameters}
    code.prepare(other)
    dyn = lg.compile(m).with_parameters(other)
    for state in sample_states(m, 2):
        for routine in code.routines.values():
            inputs = routine_inputs(routine, state)
            assert relative_error(code(routine, inputs), expected_results(dyn, routine.name, inputs)) < 1e-12, routine.name


def test_numbers_of_a_robot_file_stay_adjustable_by_their_paths(tmp_path: Path) -> None:
    m = lg.library("panda")
    code = CompiledC(m, tmp_path, ["gravity", "forward_dynamics"], parameters=["link7.mass", "link7.center.z", "gravity.z"])
    assert [p.name for p in code.parameters] == ["link7.mass", "link7.center.z", "gravity.z"]
    other = {"link7.mass": 3.0, "link7.center.z": 0.2, "gravity.z": -1.62}
    code.prepare(other)
    dyn = lg.compile(m.with_parameters(other))
    for state in sample_states(m, 2):
        for routine in code.routines.values():
            inputs = routine_inputs(routine, state)
            assert relative_error(code(routine, inputs), expected_results(dyn, routine.name, inputs)) < 1e-12


def test_without_parameters_there_are_no_constants(tmp_path: Path) -> None:
    m = lg.library("two_r")
    code = CompiledC(m, tmp_path, ["mass_matrix"], parameters=[])
    assert "constants" not in str(code.files["two_r.h"])
    assert np.allclose(code("mass_matrix", {"q": [0.3, 0.8]}).reshape(2, 2), lg.compile(m).mass_matrix([0.3, 0.8]), atol=1e-13)


def test_the_stack_is_what_the_header_says(tmp_path: Path) -> None:
    export_result = lg.export(
        lg.library("panda"), "c", tmp_path / "out", functions=["inverse_dynamics", "forward_dynamics", "step"]
    )
    run("gcc", "-O0", "-fstack-usage", "-c", "panda.c", folder=tmp_path / "out")
    used = {}
    for line in (tmp_path / "out" / "panda.su").read_text().splitlines():
        where, size, kind = line.split("\t")
        assert kind == "static"
        used[where.rpartition(":")[2]] = int(size)
    header = str(export_result.files["panda.h"])
    for name in ("inverse_dynamics", "forward_dynamics", "step"):
        before = header[: header.index(f"void panda_{name}(")]
        said = int(re.findall(r"at most (\d+)\s+(?:\*\s+)?bytes", before)[-1])
        assert 0.5 * said < used[f"panda_{name}"] <= said
    assert "malloc" not in str(export_result.files["panda.c"])


# -- long mechanisms ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("n", "branched", "mixed"), [(70, False, False), (80, True, True)])
def test_long_mechanisms_are_loops(n: int, branched: bool, mixed: bool, tmp_path: Path) -> None:
    m = long_mechanism(n, branched, mixed)
    compare(m, CompiledC(m, tmp_path, ROLLED), count=1)


def test_a_chain_of_a_thousand_links_is_short(tmp_path: Path) -> None:
    m = long_mechanism(1000, False, False)
    code = CompiledC(m, tmp_path, ["inverse_dynamics", "forward_dynamics"])
    assert sum(len(text) for text in code.files.values()) < 100_000
    compare(m, code, count=1)


@pytest.mark.parametrize("name", ["math", "Stdio", "float", "test", "m"])
def test_a_name_that_a_header_or_target_has_is_changed_and_listed(name: str, tmp_path: Path) -> None:
    export_result = lg.export(lg.library("two_r").replace(name=name), "c", tmp_path, functions=["gravity"])
    assert f"{name} is called {name}_ in the code." in export_result.notes
    assert f"{name} is called {name}_ in the code." in str(export_result.files[f"{name}_.h"])
    run("gcc", *STRICT, "-I.", f"{name}_.c", f"{name}__test.c", "-lm", "-o", "check", folder=tmp_path)
    run("./check", folder=tmp_path)
    if name in ("test", "m") and shutil.which("cmake") is not None:
        run("cmake", "-S", ".", "-B", "build", folder=tmp_path)
        run("cmake", "--build", "build", folder=tmp_path)
