"""JAX's functions against the compiled kernels, and JAX's derivatives of them against the exact ones.

JAX computes in double precision within the tests, and as before after them.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import lagrangian as lg
from lagrangian.functions.routine import Routine
from tests.exports import symbolic
from tests.exports.reference import applicable, relative_error
from tests.exports.symbolic import LARGE, MAIN, SMALL, mechanism, slopes_miss, state, worst

jax = pytest.importorskip("jax")


@pytest.fixture(autouse=True, scope="module")
def double_precision() -> Iterator[None]:
    before = jax.config.jax_enable_x64
    jax.config.update("jax_enable_x64", True)
    yield
    jax.config.update("jax_enable_x64", before)


@cache
def export_functions(name: str, *functions: str) -> Any:
    return lg.export(mechanism(name), "jax", functions=functions)


def off(name: str, *functions: str) -> float:
    def call(routine: Routine, given: list[np.ndarray]) -> list[np.ndarray]:
        result = export_functions(name, *functions).functions[routine.name](*given)
        if len(routine.outputs) == 1:
            return [np.asarray(result)]
        assert result._fields == tuple(x.name for x in routine.outputs)
        return [np.asarray(x) for x in result]

    return worst(name, functions, call)


def test_every_function_is_that_of_the_kernels() -> None:
    assert off("four_bar", *applicable(mechanism("four_bar"))) < 1e-12


@pytest.mark.parametrize("few", [0, 1000])
def test_in_rows_and_on_scalars_alike(few: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of a mechanism that is led by functions of time."""
    monkeypatch.setattr("lagrangian.exports.targets.jax_code.MAX_SCALAR_NODES", few)
    export_functions.cache_clear()
    assert off("led", "forward_dynamics", "closure", "constraint_bias") < 1e-12
    export_functions.cache_clear()


@pytest.mark.parametrize("name", ["puma560", "rolling_disc", "stewart"])
def test_the_main_functions(name: str) -> None:
    assert off(name, *MAIN) < 1e-12


@pytest.mark.slow
@pytest.mark.parametrize("name", [*SMALL, *LARGE])
def test_every_function_of_all_mechanisms(name: str) -> None:
    assert off(name, *applicable(mechanism(name))) < 1e-12


def derivatives_off(name: str, function: str) -> float:
    """By forward and by reverse mode, moving and at rest, where dry friction jumps."""
    functions = export_functions(name, *MAIN).functions[function]
    last = "qdd" if function == "inverse_dynamics" else "tau"
    result = 0.0
    for mode in (jax.jacfwd, jax.jacrev):
        slopes = jax.jit(mode(functions, (0, 1, 2)))
        for at in (state(name), state(name) | {"qd": np.zeros(mechanism(name).nv)}):
            by = [np.asarray(x) for x in slopes(at["q"], at["qd"], at[last])]
            result = max(result, slopes_miss(name, function, by, at))
    return result


@pytest.mark.parametrize("name", ["puma560", "rolling_disc", "stewart"])
def test_derivatives_are_the_exact_ones(name: str) -> None:
    assert derivatives_off(name, "forward_dynamics") < 1e-12


@pytest.mark.slow
@pytest.mark.parametrize("name", [*SMALL, *LARGE])
def test_derivatives_of_all_mechanisms(name: str) -> None:
    assert derivatives_off(name, "inverse_dynamics") < 1e-12
    assert derivatives_off(name, "forward_dynamics") < 1e-12


def test_derivatives_are_finite_where_choices_leave_out_what_is_not() -> None:
    bar = symbolic.twice_closed()
    q = np.asarray(lg.assemble(lg.library("four_bar")))
    state = (q, lg.consistent_speeds(bar, q, [1.0, 0, 0]), np.array([0.3, 0.2, 0.1]))
    rest = (np.zeros(3), np.zeros(3), np.array([0.3, 0.1, 0.2]))
    for m, at, mode in ((bar, state, jax.jacrev), (symbolic.puck(), rest, jax.jacfwd), (symbolic.puck(), rest, jax.jacrev)):
        export_result = lg.export(m, "jax", functions=["forward_dynamics"]).forward_dynamics
        assert all(np.isfinite(x).all() for x in jax.jit(mode(export_result, (0, 1, 2)))(*at))


@pytest.mark.parametrize("name", ["two_r", "puma560"])  # on scalars, and in rows
def test_many_states_at_once(name: str) -> None:
    """By vmap, and by axes before those of the arguments, some of which have none."""
    functions, dyn = export_functions(name, *MAIN), lg.compile(lg.library(name))
    rng = np.random.default_rng(1)
    q, qd = rng.normal(size=(2, 5, dyn.nv))
    tau = rng.normal(size=dyn.nv)
    exact = np.array([dyn.forward_dynamics(a, b, tau) for a, b in zip(q, qd, strict=True)])
    assert relative_error(functions.forward_dynamics(q, qd, tau), np.ravel(exact)) < 1e-12
    assert relative_error(jax.vmap(functions.forward_dynamics, (0, 0, None))(q, qd, tau), np.ravel(exact)) < 1e-12
    assert relative_error(functions.forward_dynamics(q[:, None], qd, tau)[2, 2], exact[2]) < 1e-12
    assert functions.mass_matrix(q.reshape(5, 1, -1)).shape == (5, 1, dyn.nv, dyn.nv)


def test_numbers_may_have_axes_for_states() -> None:
    q, qd, tau = np.array([0.3, -0.7]), np.array([0.2, 1.1]), np.array([4.0, 5.0])
    after = export_functions("two_r", *MAIN).step(q, qd, tau, h=np.array([0.0, 0.01]))
    assert after.q_next.shape == (2, 2)
    assert relative_error(after.q_next[0], q) < 1e-15


def test_parameters_are_the_last_input() -> None:
    arm = lg.library("two_r")
    export_result = lg.export(arm, "jax", functions=["forward_dynamics", "step"], parameters=["l1", "m2"])
    assert dict(export_result.parameters) == {"l1": 1.0, "m2": 12.456}
    q, qd, tau = np.array([0.3, -0.7]), np.array([0.2, 1.1]), np.array([4.0, 5.0])
    p = np.array([list(export_result.parameters.values()), [1.3, 7.0]])
    other = arm.with_parameters(l1=1.3, m2=7.0)
    exact = [lg.compile(m).forward_dynamics(q, qd, tau) for m in (arm, other)]
    assert relative_error(export_result.forward_dynamics(q, qd, tau, p), np.ravel(exact)) < 1e-13
    assert relative_error(export_result.forward_dynamics(q, qd, tau, p=p[1]), exact[1]) < 1e-13
    assert "By default p is [1.0, 12.456]." in export_result.step.__doc__
    slope = jax.jacrev(export_result.forward_dynamics, 3)(q, qd, tau, p[1])
    low, high = (export_result.forward_dynamics(q, qd, tau, p[1] + [d, 0.0]) for d in (-1e-6, 1e-6))
    assert np.abs(slope[:, 0] - (high - low) / 2e-6).max() < 1e-6


def test_a_long_motion_is_differentiated() -> None:
    """The slope of where a pendulum is after a hundred steps, against that of a simulation."""
    pendulum = lg.library("pendulum")
    step = lg.export(pendulum, "jax", functions=["step"]).step

    def end(q0: Any) -> Any:
        def move(at: Any, _: None) -> Any:
            return tuple(step(*at, np.zeros(1), 0.01)), None

        return jax.lax.scan(move, (q0, jax.numpy.zeros(1)), None, length=100)[0][0][0]

    actual = jax.jit(jax.grad(end))(jax.numpy.array([0.4]))
    low, high = (lg.simulate(pendulum, 1.0, q0=[0.4 + d], qd0=[0.0], rtol=1e-12, atol=1e-12).q[-1, 0] for d in (-1e-4, 1e-4))
    assert abs(actual[0] - (high - low) / 2e-4) < 1e-5


def test_single_precision_is_reported() -> None:
    export_result = lg.export(lg.library("two_r"), "jax", functions=["gravity"]).gravity
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        export_result(np.zeros(2))
    jax.config.update("jax_enable_x64", False)
    try:
        with pytest.warns(lg.LagrangianWarning, match=r"single precision.*jax_enable_x64"):
            actual = export_result(np.zeros(2))
        assert actual.dtype == np.float32
    finally:
        jax.config.update("jax_enable_x64", True)


def test_wrong_arguments_are_named(tmp_path: Path) -> None:
    functions = export_functions("two_r", *MAIN)
    with pytest.raises(lg.ArgumentError, match=r"mass_matrix: q must have 2 entries .* it has the shape \(3,\)"):
        functions.mass_matrix(np.zeros(3))
    with pytest.raises(TypeError, match="missing a required argument: 'qd'"):
        functions.forward_dynamics(np.zeros(2))
    with pytest.raises(lg.ArgumentError, match="'jax' returns Python functions and writes no files"):
        lg.export(lg.library("two_r"), "jax", tmp_path / "out")
    assert not list(tmp_path.iterdir())
