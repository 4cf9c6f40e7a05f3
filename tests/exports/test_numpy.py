"""Modules of NumPy that give what the kernels give, at one state and at many."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import lagrangian as lg
from tests.exports.compiled_c import run
from tests.exports.mechanisms import CHAINS, SIX, dynamics, long_mechanism, rigid, trials
from tests.exports.reference import applicable
from tests.exports.runners import assert_equal_to_the_kernels, module, numpy_results
from tests.exports.test_export import hostile


@pytest.mark.parametrize("name", ["puma560", "four_bar", "branched"])
def test_functions_are_those_of_the_kernels(name: str, tmp_path: Path) -> None:
    assert_equal_to_the_kernels("numpy", numpy_results, name, tmp_path, every=False)


@pytest.mark.slow
@pytest.mark.parametrize("name", [*SIX, *CHAINS])
def test_every_function_is_that_of_the_kernels(name: str, tmp_path: Path) -> None:
    assert_equal_to_the_kernels("numpy", numpy_results, name, tmp_path)


@pytest.fixture(scope="module")
def two_r(tmp_path_factory: pytest.TempPathFactory) -> Any:
    path = tmp_path_factory.mktemp("numpy") / "two_r.py"
    export_result = lg.export("two_r", "numpy", path)
    assert export_result.paths == (path,)
    return module(path)


def test_leading_shapes_broadcast(two_r: Any) -> None:
    rng = np.random.default_rng(1)
    q, qd = rng.normal(size=(4, 3, 2)), rng.normal(size=(3, 2))
    C = two_r.coriolis_matrix(q, qd)
    assert C.shape == (4, 3, 2, 2)
    dyn = dynamics("two_r")
    assert np.allclose(C[2, 1], dyn.coriolis_matrix(q[2, 1], qd[1]), rtol=1e-13)
    assert two_r.mass_matrix([0.1, 0.2]).shape == (2, 2)  # lists will do
    assert two_r.mass_matrix(np.zeros((0, 2))).shape == (0, 2, 2)


def test_a_wrong_shape_is_reported(two_r: Any) -> None:
    with pytest.raises(ValueError, match=r"qd has the shape \(3,\); its last axis must have 2 entries"):
        two_r.coriolis_matrix([0.1, 0.2], [0.1, 0.2, 0.3])


def test_parameters_can_be_changed(two_r: Any) -> None:
    changed = {"l1": 1.3, "r2": 0.4, "m2": 5.0, "I1": 0.9, "g": 1.6}
    q, qd, qdd = np.random.default_rng(2).normal(size=(3, 2))
    torques = two_r.inverse_dynamics(q, qd, qdd, two_r.prepare(changed))
    right = lg.compile(lg.library("two_r").with_parameters(changed)).inverse_dynamics(q, qd, qdd)
    assert np.allclose(torques, right, rtol=1e-13)
    assert two_r.parameters["l1"] == 1.0
    with pytest.raises(KeyError, match="there is no parameter 'l9'; those that exist are l1, m1"):
        two_r.prepare({"l9": 1.0})


def test_it_needs_numpy_alone_and_checks_itself(tmp_path: Path) -> None:
    lg.export("four_bar", "numpy", tmp_path, functions=["inverse_dynamics", "forward_dynamics", "step", "kinetic_energy"])
    printed = run(sys.executable, "-I", "four_bar.py", folder=tmp_path)
    assert printed.count(" ok") == 1 + 2 * 7
    text = (tmp_path / "four_bar.py").read_text()
    assert [line for line in text.splitlines() if line.startswith(("import", "from"))] == ["import numpy as np"]
    (tmp_path / "four_bar.py").write_text(text.replace("np.cos(", "np.sin(", 1))
    done = subprocess.run([sys.executable, "four_bar.py"], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "WRONG" in done.stdout


def test_a_chain_of_a_thousand_links_is_short(tmp_path: Path) -> None:
    export_result = lg.export(
        long_mechanism(1000, False, False), "numpy", tmp_path, functions=["inverse_dynamics", "forward_dynamics"]
    )
    assert len(export_result.files["chain.py"]) < 100_000
    assert run(sys.executable, "chain.py", folder=tmp_path).count(" ok") == 4


def test_hostile_names_are_made_legal_and_listed(tmp_path: Path) -> None:
    export_result = lg.export(hostile(), "numpy", tmp_path, functions=["inverse_dynamics", "pose", "step"])
    assert list(export_result.files) == ["while_.py"]
    assert "WRONG" not in run(sys.executable, "while_.py", folder=tmp_path)
    code = module(tmp_path / "while_.py")
    assert "while is called while_ in the code." in code.__doc__
    assert "pose_tool tip is called pose_tool_tip in the code." in code.__doc__
    assert "The frame is 'tool-tip'." in code.pose_tool_tip_.__doc__
    assert "θ₁.friction.viscous" not in code.parameters
    assert code.parameters["int-a.mass"] == 1.0


def test_a_module_does_not_hide_one_of_python(tmp_path: Path) -> None:
    m = lg.library("two_r")
    for name in ("random", "numpy", "class"):
        export_result = lg.export(lg.Mechanism(name, m.bodies, m.joints), "numpy", functions=["gravity"])
        assert list(export_result.files) == [f"{name}_.py"]


def test_many_states_are_as_one(two_r: Any) -> None:
    state = {key: np.array([x[key] for x in trials("two_r", 5)]) for key in ("q", "qd", "tau")}
    together = two_r.forward_dynamics(**state)
    for k in range(5):
        alone = two_r.forward_dynamics(*(x[k] for x in state.values()))
        assert np.allclose(together[k], alone, rtol=1e-14)


def test_a_mechanism_that_cannot_move(tmp_path: Path) -> None:
    lg.export(rigid(), "numpy", tmp_path, functions=applicable(rigid()))
    assert "WRONG" not in run(sys.executable, "rigid.py", folder=tmp_path)
