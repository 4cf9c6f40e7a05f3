"""Every operation of a trace in every language, and functions that are cut into parts: each language's own test must pass."""

from __future__ import annotations

import shutil
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import lagrangian as lg
from lagrangian.exports.output_folder import write_all
from lagrangian.exports.reference_values import evaluate_routine, routine_inputs, sample_states
from lagrangian.exports.targets import find_target
from lagrangian.exports.targets.target import ExportRequest
from lagrangian.functions.catalogue import package
from lagrangian.functions.routine import Package, Routine, RoutineArgument, StraightLineCode
from lagrangian.kernels.trace.node import Graph, Trace
from tests.exports.compiled_c import STRICT, run
from tests.exports.runners import octave, translated_julia_results

TARGETS = {"c": "gcc", "numpy": "", "octave": "octave-cli", "rust": "cargo", "julia": ""}


def own_test(target: str, name: str, folder: Path, value: Package) -> None:
    """Run the test that is exported with the code; Julia's code is run here, and compared."""
    match target:
        case "c":
            run("gcc", *STRICT, f"{name}.c", f"{name}_test.c", "-lm", "-o", "check", folder=folder)
            run("./check", folder=folder)
        case "numpy":
            run(sys.executable, f"{name}.py", folder=folder)
        case "octave":
            octave(f"{name}_test", folder)
        case "rust":
            run("cargo", "test", "--offline", "--quiet", "--test", "reference", folder=folder)
        case "julia":
            states = list(sample_states(lg.library(name), 1))
            (result,) = translated_julia_results(folder, name, value.routines, states)
            for routine in value.routines:
                right = evaluate_routine(value, routine, routine_inputs(routine, states[0]))
                assert np.allclose(result[routine.name], right, rtol=1e-13, atol=1e-13)


def write_package(target: str, name: str, result: Package, folder: Path) -> None:
    """The files of a package."""
    if TARGETS[target] and shutil.which(TARGETS[target]) is None:
        pytest.skip(f"{TARGETS[target]} is not installed")
    if target == "julia":
        pytest.importorskip("tree_sitter_julia", reason="no parser of Julia is installed")
    chosen = type(find_target(target))()
    chosen.package = lambda mechanism, wish: result  # type: ignore[method-assign]
    write_all(folder, chosen.make(lg.library(name), ExportRequest()).files, (), target)
    own_test(target, name, folder, result)


def operations() -> Routine:
    graph = Graph()
    x, y = (graph.input("q", k) for k in range(2))
    z, w = (graph.input("qd", k) for k in range(2))
    values = [
        *(x.sin() * y.cos() + z, x - y * z, y * z - x, -x / y, (x * x).sqrt(), x.exp(), (y * y).log(), z.tanh()),
        *((x * 0.1).asin(), (y * 0.1).acos(), z.atan(), x.atan2(y), 2.5 - x * 3.0, x + y, (x * 3.0).floor()),
        *(x.with_nan_from(z), x.choose(x, y, z, y), z.by_sign(x, y), (x - x * 2).by_sign(y, z), w.by_sign(-0.25, 1e-30)),
        *(-(x + y) * z, x - (y - z), x / (y / z), x / (y * z), -(x * y), 1.5, -2.0, 1e22 * x * 1e-22, x * -3.5),
        *(x - (-y) * z, (x + y) * (z - w) / (x * x + 1.0), -(-x - y), x.choose(-x, 0.5, -(y + z), (y * z).exp())),
    ]
    arguments = (RoutineArgument("q", (2,), "coordinates"), RoutineArgument("qd", (2,), "speeds"))
    output = RoutineArgument("y", (len(values),), "all operations", output=True)
    return Routine("operations", "Every operation.", arguments, (output,), StraightLineCode(Trace(graph, values)))


@pytest.mark.parametrize("target", TARGETS)
def test_every_operation(target: str, tmp_path: Path) -> None:
    generated = package(lg.library("two_r"), ["gravity"])
    write_package(target, "two_r", replace(generated, routines=(operations(),)), tmp_path)


# languages in which types are checked cut earlier
@pytest.mark.parametrize(
    ("target", "name", "function", "parts"),
    [
        ("numpy", "stewart", "project", "def _project_part2("),
        ("octave", "stewart", "project", "project_part2("),
        ("rust", "panda", "inverse_dynamics_derivatives", "fn inverse_dynamics_derivatives_part2("),
        ("julia", "panda", "inverse_dynamics_derivatives", "function _inverse_dynamics_derivatives_part2!("),
    ],
)
def test_long_functions_are_cut_into_parts(target: str, name: str, function: str, parts: str, tmp_path: Path) -> None:
    write_package(target, name, package(lg.library(name), [function]), tmp_path)
    texts = (path.read_text() for path in tmp_path.rglob("*") if path.suffix in (".py", ".m", ".rs", ".jl"))
    assert any(parts in text for text in texts)
