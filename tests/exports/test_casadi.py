"""CasADi's functions against the compiled kernels, and CasADi's derivatives of them against the exact ones."""

from __future__ import annotations

import builtins
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import lagrangian as lg
from lagrangian.functions.routine import Routine
from tests.exports import symbolic
from tests.exports.reference import applicable, relative_error
from tests.exports.symbolic import LARGE, MAIN, SMALL, mechanism, slopes_miss, state, worst
from tests.exports.test_export import hostile

casadi = pytest.importorskip("casadi")


def off(name: str, functions: list[str]) -> float:
    export_result = lg.export(mechanism(name), "casadi", functions=functions)

    def call(routine: Routine, given: list[np.ndarray]) -> list[np.ndarray]:
        function = export_result.functions[routine.name]
        assert function.name_in() == [x.name for x in routine.inputs]
        assert function.name_out() == [x.name for x in routine.outputs]
        result = function.call([casadi.DM(x) for x in given])
        return [
            x.full() if len(y.shape) == 2 else x.full().reshape(y.shape) for x, y in zip(result, routine.outputs, strict=True)
        ]

    return worst(name, functions, call)


@pytest.mark.parametrize("name", [*SMALL, "led"])
def test_every_function_is_that_of_the_kernels(name: str) -> None:
    assert off(name, applicable(mechanism(name))) < 1e-12


@pytest.mark.parametrize("name", LARGE)
def test_the_main_functions_of_large_mechanisms(name: str) -> None:
    assert off(name, list(MAIN)) < 1e-12


@pytest.mark.slow
@pytest.mark.parametrize("name", LARGE)
def test_every_function_of_large_mechanisms(name: str) -> None:
    assert off(name, applicable(mechanism(name))) < 1e-12


def jacobians(function: Any, at: dict[str, np.ndarray]) -> list[np.ndarray]:
    """By CasADi's algorithmic differentiation."""
    arguments = [at[name] for name in function.name_in()]
    jacobian = function.jacobian()(*arguments, casadi.DM(*function.size_out(0)))
    return [np.array(x) for x in jacobian[: len(arguments)]]


@pytest.mark.parametrize("name", [*SMALL, "stewart", "quadruped"])
def test_derivatives_are_the_exact_ones(name: str) -> None:
    for function in ("inverse_dynamics", "forward_dynamics"):
        export_result = lg.export(mechanism(name), "casadi", functions=[function]).functions[function]
        for at in (state(name), state(name) | {"qd": np.zeros(mechanism(name).nv)}):  # at rest, where dry friction jumps
            assert slopes_miss(name, function, jacobians(export_result, at), at) < 1e-12


def test_derivatives_are_finite_where_choices_leave_out_what_is_not() -> None:
    bar = symbolic.twice_closed()
    export_result = lg.export(bar, "casadi", functions=["forward_dynamics"]).forward_dynamics
    once = lg.compile(lg.library("four_bar"))
    q = np.asarray(lg.assemble(lg.library("four_bar")))
    at = {"q": q, "qd": lg.consistent_speeds(bar, q, [1.0, 0, 0]), "tau": np.array([0.3, 0.2, 0.1])}
    by_tau = jacobians(export_result, at)[2]
    assert all(np.isfinite(x).all() for x in jacobians(export_result, at))
    assert relative_error(by_tau, np.ravel(once.forward_dynamics_derivatives(at["q"], at["qd"], at["tau"])[2])) < 1e-10
    slide = lg.export(symbolic.puck(), "casadi", functions=["forward_dynamics"]).forward_dynamics
    rest = {"q": np.zeros(3), "qd": np.zeros(3), "tau": np.array([0.3, 0.1, 0.2])}
    assert all(np.isfinite(x).all() for x in jacobians(slide, rest))


def test_parameters_are_the_last_input() -> None:
    arm = lg.library("two_r")
    export_result = lg.export(arm, "casadi", functions=["forward_dynamics", "momentum", "step"], parameters=["l1", "m2"])
    assert dict(export_result.parameters) == {"l1": 1.0, "m2": 12.456}
    assert export_result.forward_dynamics.name_in() == ["q", "qd", "tau", "p"]
    assert export_result.momentum.name_out() == ["p_"]  # since an input is called p
    q, qd, tau = np.array([0.3, -0.7]), np.array([0.2, 1.1]), np.array([4.0, 5.0])
    other = arm.with_parameters(l1=1.3, m2=7.0)
    for p, m in ((list(export_result.parameters.values()), arm), ([1.3, 7.0], other)):
        exact, plain = lg.compile(m), lg.export(m, "casadi", functions=["step"])
        assert relative_error(np.array(export_result.forward_dynamics(q, qd, tau, p)), exact.forward_dynamics(q, qd, tau)) < 1e-13
        assert relative_error(np.array(export_result.momentum(q, qd, p)), exact.momentum(q, qd)) < 1e-13
        both = zip(export_result.step(q, qd, tau, 0.01, p), plain.step(q, qd, tau, 0.01), strict=True)
        assert all(relative_error(a.full(), b.full().ravel()) < 1e-13 for a, b in both)
    slope = np.array(export_result.forward_dynamics.jacobian()(q, qd, tau, [1.3, 7.0], casadi.DM(2, 1))[3])
    h = 1e-6
    low, high = (np.array(export_result.forward_dynamics(q, qd, tau, [1.3 + d, 7.0])) for d in (-h, h))
    assert np.abs(slope[:, :1] - (high - low) / (2 * h)).max() < 1e-6


def test_files_are_read_by_casadi(tmp_path: Path) -> None:
    arm = lg.library("two_r")
    export_result = lg.export(arm, "casadi", tmp_path / "out", functions=["mass_matrix", "pose:tip", "step"])
    names = ["two_r_forward_dynamics.casadi", "two_r_mass_matrix.casadi", "two_r_pose_tip.casadi", "two_r_step.casadi"]
    assert sorted(x.name for x in export_result.paths) == names
    exact, q, qd = lg.compile(arm), np.array([0.3, -0.7]), np.array([0.2, 1.1])
    read = {x.name: casadi.Function.load(str(x)) for x in export_result.paths}
    assert np.abs(np.array(read["two_r_pose_tip.casadi"](q)) - exact.pose(q, "tip")).max() < 1e-15
    assert np.abs(np.array(read["two_r_mass_matrix.casadi"](q)) - exact.mass_matrix(q)).max() < 1e-14
    ends = [f(q, qd, [0.0, 0.0], 0.01)[1].full() for f in (read["two_r_step.casadi"], export_result.step)]
    assert (ends[0] == ends[1]).all()


@pytest.mark.parametrize("target", ["casadi", "jax"])
def test_names_are_made_legal(target: str) -> None:
    arm = lg.library("two_r")
    odd = arm.replace(name="1 é", frames=[lg.Frame("tip/é", "link2", (0.1, 0, 0)), lg.Frame("tip é", "link2", (0.2, 0, 0))])
    export_result = lg.export(odd, target, functions=["pose"])
    assert sorted(export_result.functions) == ["pose_tip_e", "pose_tip_e_"]
    assert export_result.notes == (
        "pose_tip/é is called pose_tip_e in the code.",
        "pose_tip é is called pose_tip_e_ in the code.",
    )
    assert all(name.startswith("1_e_pose") for name in export_result.files)


def test_nan_is_not_hidden() -> None:
    puma = lg.library("puma560")
    friction = lg.export(puma, "casadi", functions=["friction"]).friction
    assert np.isnan(np.array(friction(np.zeros(6), np.full(6, np.nan)))).all()


@pytest.mark.parametrize("target", ["casadi", "jax"])
def test_what_is_too_long_is_refused(target: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("lagrangian.functions.catalogue.MAX_OPERATIONS", 1000)
    with pytest.raises(lg.ArgumentError, match=r"coriolis_matrix of 'panda' has more than .* cannot write loops over the links"):
        lg.export(mechanism("panda"), target, functions=["coriolis_matrix"])


@pytest.mark.parametrize(("target", "extra"), [("casadi", "casadi"), ("jax", "jax")])
def test_what_is_not_installed_is_named(target: str, extra: str, monkeypatch: pytest.MonkeyPatch) -> None:
    real = builtins.__import__

    def without(name: str, *rest: Any) -> Any:
        if name.partition(".")[0] == target:
            raise ImportError(name)
        return real(name, *rest)

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(lg.ArgumentError, match=rf"pip install 'lagrangian\[{extra}\]'"):
        lg.export(lg.library("two_r"), target)


@pytest.mark.parametrize("target", ["casadi", "jax", "acados"])
def test_names_may_be_an_array(target: str) -> None:
    arguments = {"functions": np.array(["gravity", "mass_matrix"]), "parameters": np.array(["l1", "m2"])}
    if target == "jax":
        pytest.importorskip("jax")
    export_result = lg.export(lg.library("two_r"), target, **arguments)
    assert target == "acados" or list(export_result.parameters) == ["l1", "m2"]


@pytest.mark.parametrize("target", ["casadi", "jax"])
def test_functions_that_are_called_otherwise_are_listed(target: str) -> None:
    if target == "jax":
        pytest.importorskip("jax")
    export_result = lg.export(hostile(), target, functions=["gravity", "pose"])
    assert list(export_result.functions) == ["gravity", "pose_tool_tip", "pose_tool_tip_"]
    listed = ("pose_tool tip is called pose_tool_tip in the code.", "pose_tool-tip is called pose_tool_tip_ in the code.")
    assert export_result.notes[-2:] == listed
