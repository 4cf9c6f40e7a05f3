"""Modules of Julia that give what the kernels give: run by Julia where it is installed, and everywhere as Python says them."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest

import lagrangian as lg
from tests.exports import julia_in_python
from tests.exports.compiled_c import run
from tests.exports.julia_in_python import Array, Dual
from tests.exports.mechanisms import CHAINS, SIX, dynamics, long_mechanism, trials
from tests.exports.runners import assert_equal_to_the_kernels, julia_results, translated_julia_results
from tests.exports.test_export import hostile

needs_julia = pytest.mark.skipif(shutil.which("julia") is None, reason="Julia is not installed")


@pytest.fixture
def parser() -> None:
    pytest.importorskip("tree_sitter", reason="no parser of Julia is installed")
    pytest.importorskip("tree_sitter_julia", reason="no parser of Julia is installed")


@pytest.mark.usefixtures("parser")
@pytest.mark.parametrize("name", ["rolling_disc", "row"])
def test_functions_are_those_of_the_kernels(name: str, tmp_path: Path) -> None:
    assert_equal_to_the_kernels("julia", translated_julia_results, name, tmp_path, every=False)


@pytest.mark.slow
@pytest.mark.usefixtures("parser")
@pytest.mark.parametrize("name", [*SIX, *CHAINS])
def test_every_function_is_that_of_the_kernels(name: str, tmp_path: Path) -> None:
    assert_equal_to_the_kernels("julia", translated_julia_results, name, tmp_path)


@needs_julia
@pytest.mark.slow
@pytest.mark.parametrize("name", [*SIX, *CHAINS])
def test_every_function_is_that_of_the_kernels_in_julia(name: str, tmp_path: Path) -> None:
    assert_equal_to_the_kernels("julia", julia_results, name, tmp_path)


@needs_julia
def test_its_test_passes(tmp_path: Path) -> None:
    lg.export("four_bar", "julia", tmp_path, functions=["inverse_dynamics", "step", "kinetic_energy"])
    assert run("julia", "test.jl", folder=tmp_path).count(" ok") == 1 + 3 * 7


@pytest.mark.usefixtures("parser")
def test_the_test_is_what_the_parser_takes(tmp_path: Path) -> None:
    import tree_sitter
    import tree_sitter_julia

    parser = tree_sitter.Parser(tree_sitter.Language(tree_sitter_julia.language()))
    for m in (lg.library("four_bar"), long_mechanism(70, False, False), hostile()):
        for file, text in lg.export(m, "julia").files.items():
            assert not parser.parse(str(text).encode()).root_node.has_error, file


@pytest.mark.usefixtures("parser")
def test_functions_take_dual_numbers() -> None:
    """Derivatives by dual numbers, as ForwardDiff has them: arrays within functions are of the type of what is given."""
    code = julia_in_python.run(str(lg.export("panda", "julia", functions=["inverse_dynamics", "step"]).files["Panda.jl"]))
    (state,) = trials("panda", 1)
    right = dynamics("panda").inverse_dynamics_derivatives(state["q"], state["qd"], state["qdd"])[0]
    for k in (0, 3, 6):
        q = [Dual(x, float(i == k)) for i, x in enumerate(state["q"])]
        tau = code["inverse_dynamics"](Array.of(Dual, q), *(Array.of(float, state[name]) for name in ("qd", "qdd")))
        assert np.allclose([x.slope for x in tau.entries], right[:, k], rtol=1e-12, atol=1e-12)
    arguments = [Array.of(Dual, state["q"]), *(Array.of(float, state[name]) for name in ("qd", "tau"))]
    assert all(isinstance(x, Dual) for y in code["step"](*arguments, 1e-3) for x in y.entries)


@pytest.mark.usefixtures("parser")
def test_parameters_can_be_changed_and_arrays_filled() -> None:
    changed = {"l1": 1.3, "r2": 0.4, "m2": 5.0, "I1": 0.9, "g": 1.6}
    code = julia_in_python.run(str(lg.export("two_r", "julia", functions=["inverse_dynamics"]).files["TwoR.jl"]))
    p = julia_in_python.Fields(**{**vars(code["parameters"]), **changed})
    tau, arguments = Array(float, 2), [Array.of(float, x) for x in ([0.1, 0.2], [0.3, 0.4], [0.5, 0.6])]
    assert code["inverse_dynamics_inplace"](tau, *arguments, code["prepare"](p)) is tau
    dyn = lg.compile(lg.library("two_r").with_parameters(changed))
    assert np.allclose(tau.entries.tolist(), dyn.inverse_dynamics([0.1, 0.2], [0.3, 0.4], [0.5, 0.6]), rtol=1e-13)


@pytest.mark.usefixtures("parser")
def test_hostile_names_are_made_legal_and_listed() -> None:
    export_result = lg.export(hostile(), "julia", functions=["inverse_dynamics", "pose", "step"])
    text = str(export_result.files["While.jl"])
    assert text.isascii()
    assert "while is called While in the code." in text
    assert {"pose_tool_tip", "pose_tool_tip_", "pose_tool_tip_inplace"} <= set(julia_in_python.run(text))


def test_a_chain_of_a_thousand_links_is_short() -> None:
    export_result = lg.export(long_mechanism(1000, False, False), "julia", functions=["inverse_dynamics", "forward_dynamics"])
    assert sum(len(text) for text in export_result.files.values()) < 100_000
