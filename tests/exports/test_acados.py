"""Models for acados: loaded by CasADi, compared with the kernels, and called through the types that acados has."""

from __future__ import annotations

import importlib.util
import shutil
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

import lagrangian as lg
from lagrangian.errors import ArgumentError
from lagrangian.exports.reference_values import sample_states
from lagrangian.model.expression import symbol
from lagrangian.model.single_coordinate import with_single_coordinates
from tests.exports.compiled_c import STRICT, run
from tests.exports.quadruped import quadruped_mechanism
from tests.exports.reference import relative_error

ca = pytest.importorskip("casadi", reason="CasADi is not installed")
pytestmark = pytest.mark.skipif(shutil.which("gcc") is None, reason="no C compiler is installed")


class Built:
    """The library of a mechanism, as CasADi loads it."""

    def __init__(self, mechanism: lg.Mechanism, folder: Path, **options: Any) -> None:
        self.mechanism, self.dyn = mechanism, lg.compile(mechanism)
        self.made = lg.export(mechanism, "acados", folder, **options)
        self.name = name = next(n for n in self.made.files if n.endswith("_acados.h")).removesuffix("_acados.h")
        flags = (*STRICT, "-DCASADI_EXTERNAL", "-shared", "-fPIC")
        self.library = folder / f"lib{name}_acados.so"
        run("gcc", *flags, f"{name}_acados.c", f"{name}.c", "-lm", "-o", str(self.library), folder=folder)
        self.python = _module(folder / f"{name}_acados.py", f"{name}_acados")
        self.n, self.nu = mechanism.nv, len(self.python.U)
        actuated = [joint.actuated for joint in mechanism.joints for _ in range(joint.kind.nv)]
        self.driven = [k for k, value in enumerate(actuated) if value]
        self.p = np.array(list(self.python.P.values()))

    def __call__(self, name: str, *arguments: Any) -> list[np.ndarray]:
        result = self.python.function(name, self.library)(*arguments)
        return [np.asarray(ca.DM(x).full()) for x in (result if isinstance(result, tuple) else [result])]

    def forces(self, u: np.ndarray) -> np.ndarray:
        tau = np.zeros(self.n)
        tau[self.driven] = u
        return tau

    def slopes(self, x: np.ndarray, u: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """A and B from the kernels."""
        by_q, by_qd, by_tau = self.dyn.forward_dynamics_derivatives(x[: self.n], x[self.n :], self.forces(u))
        A = np.block([[np.zeros((self.n, self.n)), np.eye(self.n)], [by_q, by_qd]])
        return A, np.vstack([np.zeros((self.n, self.nu)), by_tau[:, self.driven]])

    def rates(self, x: np.ndarray, u: np.ndarray) -> np.ndarray:
        return np.r_[x[self.n :], self.dyn.forward_dynamics(x[: self.n], x[self.n :], self.forces(u))]

    def residual(self, x: np.ndarray, xdot: np.ndarray, u: np.ndarray) -> tuple[np.ndarray, ...]:
        """f and its derivatives by x, xdot and u."""
        n, zero, one = self.n, np.zeros((self.n, self.n)), np.eye(self.n)
        if self.mechanism.equation_count:
            A, B = self.slopes(x, u)
            return xdot - self.rates(x, u), -A, np.eye(2 * n), -B
        tau = self.dyn.inverse_dynamics(x[:n], x[n:], xdot[n:])
        by_q, by_qd, M = self.dyn.inverse_dynamics_derivatives(x[:n], x[n:], xdot[n:])
        f = np.r_[xdot[:n] - x[n:], tau - self.forces(u)]
        by_u = np.vstack([np.zeros((n, self.nu)), -one[:, self.driven]])
        return f, np.block([[zero, -one], [by_q, by_qd]]), np.block([[one, zero], [zero, M]]), by_u


def _module(path: Path, name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def cart(tmp_path_factory: pytest.TempPathFactory) -> Built:
    return Built(lg.library("cart_pendulum"), tmp_path_factory.mktemp("cart"))


CASES = [
    ("two_r", None),
    ("four_bar", None),
    ("furuta", None),
    ("puma560", ["link6.mass", "gravity.z"]),
    ("stanford", []),
    ("panda", ["link7.mass"]),
]


@pytest.mark.parametrize(("name", "parameters"), CASES)
def test_every_function_is_that_of_the_kernels(name: str, parameters: list[str] | None, tmp_path: Path) -> None:
    built = Built(lg.library(name), tmp_path, parameters=parameters)
    rng = np.random.default_rng(1)
    for state in sample_states(built.mechanism, 2):
        x = np.r_[state["q"], state["qd"]]
        nx, nu = len(x), built.nu
        u, xdot, lam = rng.uniform(-1, 1, nu), rng.uniform(-1, 1, nx), rng.uniform(-1, 1, nx)
        Sx, Su = rng.uniform(-1, 1, (nx, nx)), rng.uniform(-1, 1, (nx, nu))
        A, B = built.slopes(x, u)
        f, by_x, by_xdot, by_u = built.residual(x, xdot, u)
        implicit = (x, xdot, u, np.zeros((0, 1)), 0.0, built.p)
        no_z = np.zeros((nx, 0))
        cases = {
            "expl_ode_fun": ((x, u, built.p), [built.rates(x, u)]),
            "expl_vde_forw": ((x, Sx, Su, u, built.p), [built.rates(x, u), A @ Sx, A @ Su + B]),
            "expl_vde_adj": ((x, lam, u, built.p), [np.r_[A.T @ lam, B.T @ lam]]),
            "impl_dae_fun": (implicit, [f]),
            "impl_dae_fun_jac_x_xdot_z": (implicit, [f, by_x, by_xdot, no_z]),
            "impl_dae_jac_x_xdot_u_z": (implicit, [by_x, by_xdot, by_u, no_z]),
        }
        for function, (arguments, expected) in cases.items():
            actual = built(function, *arguments)
            assert len(actual) == len(expected)
            for one, other in zip(actual, expected, strict=True):
                assert relative_error(one, np.ravel(other)) < 1e-12, function


def test_casadi_differentiates_them_exactly(cart: Built) -> None:
    x, u, p = cart.python.symbols()
    xdot = ca.MX.sym("xdot", 4)
    explicit = cart.python.function("expl_ode_fun", cart.library)
    implicit = cart.python.function("impl_dae_fun", cart.library)(x, xdot, u, ca.DM.zeros(0, 1), 0, p)
    forward = ca.Function("J", [x, u, p], [ca.jacobian(explicit(x, u, p), ca.vertcat(x, u))])
    reverse = ca.Function("R", [x, u, p], [ca.gradient(ca.sumsqr(explicit(x, u, p)), x)])
    residual = ca.Function("I", [x, xdot, u, p], [ca.jacobian(implicit, v) for v in (x, xdot, u)])
    at, of, change = np.array([0.1, 0.7, -0.4, 1.2]), np.array([0.6]), np.array([0.3, -0.2, 0.5, 0.1])
    A, B = cart.slopes(at, of)
    assert relative_error(forward(at, of, cart.p).full(), np.hstack([A, B]).ravel()) < 1e-12
    assert relative_error(reverse(at, of, cart.p).full(), 2 * A.T @ cart.rates(at, of)) < 1e-12
    for actual, expected in zip(residual(at, change, of, cart.p), cart.residual(at, change, of)[1:], strict=True):
        assert relative_error(actual.full(), expected.ravel()) < 1e-12
    step = 1e-6
    differences = [(cart.rates(at + step * e, of) - cart.rates(at - step * e, of)) / (2 * step) for e in np.eye(4)]
    assert np.allclose(np.array(differences).T, A, atol=1e-8)


def test_other_parameters(cart: Built) -> None:
    x, u = np.array([0.1, 0.7, -0.4, 1.2]), np.array([0.6])
    other = dict(cart.python.P) | {"m": 0.35, "l": 0.5}
    dyn = cart.dyn.with_parameters({"m": 0.35, "l": 0.5})
    actual = cart("expl_ode_fun", x, u, list(other.values()))[0]
    assert relative_error(actual, np.r_[x[2:], dyn.forward_dynamics(x[:2], x[2:], [0.6, 0.0])]) < 1e-12


def test_an_optimal_control_problem_is_solved_with_it(cart: Built) -> None:
    """The pendulum is brought to rest upright by Runge-Kutta steps; the kernels follow the same way."""
    explicit = cart.python.function("expl_ode_fun", cart.library)
    N, h = 20, 0.05
    problem = ca.Opti()
    X, U = problem.variable(4, N + 1), problem.variable(1, N)

    def runge_kutta_step(rates: Any, x: Any, u: Any) -> Any:
        a = rates(x, u)
        b = rates(x + h / 2 * a, u)
        c = rates(x + h / 2 * b, u)
        return x + h / 6 * (a + 2 * b + 2 * c + rates(x + h * c, u))

    for k in range(N):
        problem.subject_to(X[:, k + 1] == runge_kutta_step(lambda x, u: explicit(x, u, cart.p), X[:, k], U[:, k]))
    start, end = np.array([0.0, np.pi - 0.3, 0.0, 0.0]), np.array([0.0, np.pi, 0.0, 0.0])
    problem.subject_to(X[:, 0] == start)
    problem.subject_to(X[:, N] == end)
    problem.minimize(ca.sumsqr(U))
    problem.set_initial(X, np.linspace(start, end, N + 1).T)
    problem.solver(
        "ipopt", {"print_time": False}, {"hessian_approximation": "limited-memory", "print_level": 0, "sb": "yes", "tol": 1e-8}
    )
    solved = problem.solve()
    x = start
    for u in np.ravel(solved.value(U)):
        x = runge_kutta_step(cart.rates, x, np.array([u]))
    assert np.allclose(x, end, atol=1e-6)


# the struct of acados 0.6, which holds what a program gives it
ACADOS = """\
#include <stdio.h>
#include "cart_pendulum_acados.h"
typedef struct {
    int (*casadi_fun)(const double **, double **, int *, double *, void *);
    int (*casadi_work)(int *, int *, int *, int *);
    const int *(*casadi_sparsity_in)(int);
    const int *(*casadi_sparsity_out)(int);
    int (*casadi_n_in)(void);
    int (*casadi_n_out)(void);
} external_function;
int main(void)
{
    const external_function f = {
        &cart_pendulum_expl_ode_fun, &cart_pendulum_expl_ode_fun_work, &cart_pendulum_expl_ode_fun_sparsity_in,
        &cart_pendulum_expl_ode_fun_sparsity_out, &cart_pendulum_expl_ode_fun_n_in, &cart_pendulum_expl_ode_fun_n_out};
    const double x[] = {0.1, 0.7, -0.4, 1.2}, u[] = {0.6};
    double xdot[4];
    const double *arg[] = {x, u, 0};
    double *res[] = {xdot}, *none[] = {0};
    int a, r, iw, w;
    f.casadi_work(&a, &r, &iw, &w);
    printf("%d %d %d %d %d %d %d\\n", a, r, iw, w, f.casadi_n_in(), f.casadi_n_out(), f.casadi_sparsity_in(2)[0]);
    if (f.casadi_sparsity_in(3) || f.casadi_sparsity_out(1) || f.casadi_fun(arg, none, 0, 0, 0)) {
        return 1;
    }
    f.casadi_fun(arg, res, 0, 0, 0);
    for (int i = 0; i < 4; ++i) {
        printf("%.17g\\n", xdot[i]);
    }
    return 0;
}
"""


def test_acados_own_types_take_the_functions(cart: Built) -> None:
    folder = cart.library.parent
    (folder / "main.c").write_text(ACADOS)
    run("gcc", *STRICT, "main.c", "cart_pendulum_acados.c", "cart_pendulum.c", "-lm", "-o", "main", folder=folder)
    first, *numbers = run("./main", folder=folder).splitlines()
    assert first == f"3 1 0 0 3 1 {len(cart.p)}"
    assert relative_error(np.array(numbers, dtype=float), cart.rates(np.array([0.1, 0.7, -0.4, 1.2]), np.array([0.6]))) < 1e-12


def test_cmake_builds_what_the_python_file_loads(tmp_path: Path) -> None:
    if shutil.which("cmake") is None:
        pytest.skip("CMake is not installed")
    lg.export(lg.library("pendulum"), "acados", tmp_path / "out")
    run("cmake", "-S", ".", "-B", "build", folder=tmp_path / "out")
    run("cmake", "--build", "build", folder=tmp_path / "out")
    assert "100% tests passed" in run("ctest", "--test-dir", "build", folder=tmp_path / "out")
    module = _module(tmp_path / "out" / "pendulum_acados.py", "pendulum_acados")
    assert module.function("expl_ode_fun").name_in() == ["x", "u", "p"]


def test_states_that_are_not_coordinates_and_their_rates_are_refused() -> None:
    for m in (lg.library("rolling_disc"), quadruped_mechanism()):
        with pytest.raises(ArgumentError, match="has a quaternion") as caught:
            lg.export(m, "acados")
        assert "angles in its place" in str(caught.value)
    assert "heavy_top_acados.c" in lg.export(with_single_coordinates(lg.library("heavy_top")), "acados").files
    led = lg.PfaffianConstraint("led", (("theta1", 1),), symbol("t"))
    with pytest.raises(ArgumentError, match="depend on time"):
        lg.export(lg.library("two_r").replace(constraints=(led,)), "acados")
