"""The tables hold every order condition of the methods that they name, and none beyond.

To each rooted tree belongs one condition (Hairer, Norsett and Wanner I, II.2; Hairer and Wanner II, IV.7 for Rosenbrock methods).
They are evaluated with fifty digits on the doubles of the table, so that a residual is what rounding the coefficients has left.
"""

from __future__ import annotations

import decimal
import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import cache
from typing import Any, Protocol

import numpy as np
import pytest

import lagrangian as lg
from lagrangian.motion.integrators.explicit import ExplicitMethod
from lagrangian.motion.tableaus.dormand_prince5 import DP5
from lagrangian.motion.tableaus.dormand_prince8 import DOP853
from lagrangian.motion.tableaus.rodas5p import RODAS5P
from lagrangian.motion.tableaus.runge_kutta4 import RK4
from lagrangian.motion.tableaus.tableau import Explicit, Rosenbrock
from lagrangian.motion.tableaus.verner9 import VERNER9

THETAS = (0.125, 0.375, 0.5, 0.75, 0.9375)


@dataclass(frozen=True)
class Tree:
    order: int
    density: int
    children: tuple[int, ...]  # places in the list of all trees; every tree comes after its children


@cache
def rooted_trees(order: int) -> tuple[Tree, ...]:
    """Every rooted tree of up to `order` vertices, as the multiset of trees that hang on its root."""
    trees = [Tree(1, 1, ())]

    def grow(n: int, missing: int, last: int, children: tuple[int, ...]) -> None:
        if missing == 0:
            trees.append(Tree(n, n * math.prod(trees[k].density for k in children), children))
        for k in range(last + 1):
            if trees[k].order <= missing:
                grow(n, missing - trees[k].order, k, (*children, k))

    for n in range(2, order + 1):
        grow(n, n - 1, len(trees) - 1, ())
    return tuple(trees)


def test_rooted_trees() -> None:
    trees = rooted_trees(10)
    assert [sum(tree.order == n for tree in trees) for n in range(1, 11)] == [1, 1, 2, 4, 9, 20, 48, 115, 286, 719]
    assert len(set(trees)) == len(trees)
    assert sorted(tree.density for tree in trees if tree.order == 4) == [4, 8, 12, 24]


@dataclass(frozen=True)
class Table:
    """All stages of a method as one matrix, and weights over them: of the step, the estimates, and theta, theta^2, ..."""

    alpha: np.ndarray
    beta: np.ndarray  # for the edge to an only child; it is alpha in a Runge-Kutta method
    b: np.ndarray
    errors: np.ndarray  # [estimate, stage]
    dense: np.ndarray  # [power, stage]

    def exact(self) -> Table:
        """The same doubles, to be calculated with in decimals."""
        decimals = np.vectorize(Decimal, otypes=[object])
        return Table(*(decimals(x) if x.size else x for x in (self.alpha, self.beta, self.b, self.errors, self.dense)))

    def at(self, theta: Any) -> np.ndarray:
        """Weights of the interpolant."""
        return sum(theta ** (j + 1) * self.dense[..., j, :] for j in range(self.dense.shape[-2]))

    def slope(self, theta: float) -> np.ndarray:
        """Weights of the interpolant's derivative."""
        return sum((j + 1) * theta**j * self.dense[..., j, :] for j in range(self.dense.shape[-2]))


def pad_rows(rows: Any, width: int) -> np.ndarray:
    return np.array([[*row, *[0.0] * (width - len(row))] for row in rows]).reshape(len(rows), width)


def explicit_table(method: Explicit) -> Table:
    """The stages in the order main ones, k at the new point (a stage whose row is b), further ones."""
    n = len(method.dense)
    a = pad_rows([*method.a, method.b, *method.extra_a], n)
    return Table(a, a, pad_rows([method.b], n)[0], pad_rows(method.errors, n), np.array(method.dense).T)


def rosenbrock_matrices(method: Rosenbrock) -> tuple[np.ndarray, np.ndarray]:
    """(alpha_ij) and (gamma_ij), from u = Gamma k."""
    n = len(method.m)
    gammas = np.linalg.inv(np.eye(n) / method.gamma - pad_rows(method.c, n))
    return pad_rows(method.a, n) @ gammas, gammas


def rosenbrock_table(method: Rosenbrock) -> Table:
    """In terms of the stages k, in which the order conditions are written."""
    alpha, gammas = rosenbrock_matrices(method)
    b, d = np.array(method.m) @ gammas, np.array(method.dense) @ gammas
    dense = np.array([b + d[0], d[1] - d[0], d[2] - d[1], -d[2]])
    return Table(alpha, alpha + gammas, b, np.array([method.error]) @ gammas, dense)


def table_of(method: Explicit | Rosenbrock) -> Table:
    return explicit_table(method) if isinstance(method, Explicit) else rosenbrock_table(method)


@dataclass(frozen=True)
class Case:
    """What is claimed of a method. The tolerances are some roundings of the largest coefficient that enters.

    That is 43 in the steps; in the interpolants 545 of DOP853 and 1e4 of Verner; in Rodas5P 165, and Gamma is an inverse.
    """

    method: Any
    dense_order: int
    error_orders: tuple[int, ...]
    step_tolerance: float
    dense_tolerance: float


CASES = {
    "RK4": Case(RK4, 3, (), 1e-15, 1e-15),
    "DP5": Case(DP5, 4, (4,), 1e-14, 1e-14),
    "DOP853": Case(DOP853, 7, (5, 3), 1e-14, 2e-13),
    "VERNER9": Case(VERNER9, 9, (8,), 1e-14, 4e-12),
    "RODAS5P": Case(RODAS5P, 4, (4,), 1e-13, 1e-13),
}
each = pytest.mark.parametrize("name", CASES)
each_explicit = pytest.mark.parametrize("name", ["RK4", "DP5", "DOP853", "VERNER9"])


def product(matrix: np.ndarray, vector: np.ndarray) -> np.ndarray:
    """Matrix times vector, of decimals and of stacks of tables as well."""
    return (matrix * vector[..., None, :]).sum(-1)


def elementary(table: Table, trees: tuple[Tree, ...]) -> list[np.ndarray]:
    """The weight of every tree at every stage."""
    several: list[np.ndarray] = []
    single: list[np.ndarray] = []
    weights = []
    for tree in trees:
        here = table.alpha[..., 0] * 0 + 1
        for k in tree.children:
            here = here * (single if len(tree.children) == 1 else several)[k]
        weights.append(here)
        if tree.order < trees[-1].order:
            several.append(product(table.alpha, here))
            single.append(several[-1] if table.beta is table.alpha else product(table.beta, here))
    return weights


def defects(weights: np.ndarray, theta: Any, phi: list[np.ndarray], trees: tuple[Tree, ...]) -> dict[int, Any]:
    """For every order, the worst of `sum_i w_i phi_i(tree) - theta^order / density(tree)`."""
    worst: dict[int, Any] = {}
    for tree, vector in zip(trees, phi, strict=True):
        defect = abs((weights * vector).sum(-1) - theta**tree.order / tree.density)
        worst[tree.order] = np.maximum(worst.get(tree.order, 0), defect)
    return worst


@dataclass(frozen=True)
class Defects:
    step: dict[int, Any]
    errors: list[dict[int, Any]]
    dense: list[dict[int, Any]]


def all_defects(table: Table, order: int) -> Defects:
    trees = rooted_trees(order)
    phi = elementary(table, trees)
    number = Decimal if table.alpha.dtype == object else float
    return Defects(
        defects(table.b, number(1), phi, trees),
        # an estimate is a difference of two solutions: the conditions' right-hand sides are gone
        [defects(table.errors[..., r, :], number(0), phi, trees) for r in range(table.errors.shape[-2])],
        [defects(table.at(number(theta)), number(theta), phi, trees) for theta in THETAS],
    )


@cache
def exact_defects(name: str) -> Defects:
    """Up to one order beyond that of the step."""
    with decimal.localcontext() as context:
        context.prec = 50
        return all_defects(table_of(CASES[name].method).exact(), CASES[name].method.order + 1)


def verified_order(worst: dict[int, Any], tolerance: float) -> int:
    """The order up to which all conditions hold."""
    return next(n for n in worst if worst[n] > tolerance) - 1


@each_explicit
def test_coefficients_have_matching_shapes(name: str) -> None:
    method = CASES[name].method
    stages = len(method.b)
    assert len(method.c) == len(method.a) == stages
    assert [len(row) for row in method.a] == list(range(stages))
    assert all(len(row) == stages + 1 for row in method.errors)
    assert [len(row) for row in method.extra_a] == [stages + 1 + j for j in range(len(method.extra_c))]
    assert len(method.dense) == stages + 1 + len(method.extra_c)
    assert len({len(row) for row in method.dense}) == 1


@each_explicit
def test_rows_sum_to_nodes(name: str) -> None:
    case = CASES[name]
    nodes = [*case.method.c, 1.0, *case.method.extra_c]
    rows = [*case.method.a, case.method.b, *case.method.extra_a]
    assert max(abs(math.fsum(row) - c) for row, c in zip(rows, nodes, strict=True)) < case.step_tolerance


@each
def test_order_of_step(name: str) -> None:
    case = CASES[name]
    assert verified_order(exact_defects(name).step, case.step_tolerance) == case.method.order


@each
def test_order_of_estimates(name: str) -> None:
    case = CASES[name]
    assert tuple(verified_order(worst, case.step_tolerance) for worst in exact_defects(name).errors) == case.error_orders
    if len(case.error_orders) == 1:
        assert case.method.error_order == case.error_orders[0]


def test_error_order_of_dop853() -> None:
    """Its estimate is e5^2 / e3 for a small step, of h^(2 * 6 - 4)."""
    assert DOP853.error_order + 1 == 2 * (5 + 1) - (3 + 1)


@each
def test_order_of_dense_output(name: str) -> None:
    case = CASES[name]
    assert [verified_order(worst, case.dense_tolerance) for worst in exact_defects(name).dense] == [case.dense_order] * len(
        THETAS
    )


@each
def test_dense_output_ends_in_the_step(name: str) -> None:
    case = CASES[name]
    table = table_of(case.method)
    assert abs(table.at(1.0) - table.b).max() < case.dense_tolerance


@each_explicit
def test_dense_output_has_the_slopes_of_both_ends(name: str) -> None:
    """From step to step the derivative is continuous: it is k_1 at the beginning and k at the new point at the end."""
    case = CASES[name]
    table = table_of(case.method)
    unit = np.eye(len(table.b))
    assert (table.slope(0.0) == unit[0]).all()
    assert abs(table.slope(1.0) - unit[len(case.method.b)]).max() < 10 * case.dense_tolerance


def test_sums_of_rodas5p() -> None:
    """Non-autonomous equations: the nodes, and what multiplies f_t, are the sums of the rows."""
    alpha, gammas = rosenbrock_matrices(RODAS5P)
    assert abs(alpha.sum(1) - RODAS5P.alpha).max() < CASES["RODAS5P"].step_tolerance
    assert abs(gammas.sum(1) - RODAS5P.gamma_sums).max() < CASES["RODAS5P"].step_tolerance


def test_rodas5p_is_stiffly_accurate() -> None:
    """The step's weights are the last row of beta; the embedded solution is where the last stage is evaluated."""
    table = rosenbrock_table(RODAS5P)
    assert abs(table.b - table.beta[-1]).max() < CASES["RODAS5P"].step_tolerance
    assert tuple(np.subtract(RODAS5P.m, RODAS5P.error)) == (*RODAS5P.a[-1], 0.0)


def test_dense_output_of_rodas5p_for_algebraic_equations() -> None:
    """Third order where an equation has become algebraic (Hairer and Wanner II, VI.4): w(theta) beta^-1 alpha^k = theta^k."""
    table = rosenbrock_table(RODAS5P)
    for k in (2, 3):
        weights = np.linalg.solve(table.beta, table.alpha.sum(1) ** k)
        assert max(abs(table.at(theta) @ weights - theta**k) for theta in THETAS) < CASES["RODAS5P"].dense_tolerance


def alter_coefficients(method: Explicit | Rosenbrock, by: float) -> Iterator[tuple[str, Any]]:
    """The method with one coefficient changed, for every one that is not zero."""
    names = ("a", "b", "errors", "extra_a", "dense") if isinstance(method, Explicit) else ("a", "c", "m", "dense")
    for name in names:
        field = getattr(method, name)
        flat = name in ("b", "m")
        rows = [field] if flat else field
        for i, row in enumerate(rows):
            for j in np.flatnonzero(row):
                if isinstance(method, Rosenbrock) and name == "dense" and j == len(row) - 1:
                    continue  # the last stage is the error estimate, of h^5: no condition of a dense output of order 4 has it
                new = (*row[:j], row[j] + by, *row[j + 1 :])
                yield f"{name}[{i}][{j}]", replace(method, **{name: new if flat else (*rows[:i], new, *rows[i + 1 :])})
    if isinstance(method, Rosenbrock):
        yield "gamma", replace(method, gamma=method.gamma + by)


@each
def test_a_wrong_coefficient_is_noticed(name: str) -> None:
    """Every coefficient, wrong by 1e-6, breaks an order condition; rows' sums are left aside, they would notice most."""
    case = CASES[name]
    labels, methods = zip(("none", case.method), *alter_coefficients(case.method, 1e-6), strict=True)
    tables = [table_of(method) for method in methods]
    alpha = np.array([table.alpha for table in tables])
    beta = alpha if isinstance(case.method, Explicit) else np.array([table.beta for table in tables])
    stack = Table(alpha, beta, *(np.array([getattr(table, key) for table in tables]) for key in ("b", "errors", "dense")))
    actual = all_defects(stack, case.method.order)
    excess = [actual.step[n] / case.step_tolerance for n in range(1, case.method.order + 1)]
    for worst, order in zip(actual.errors, case.error_orders, strict=True):
        excess += [worst[n] / case.step_tolerance for n in range(1, order + 1)]
    for worst in actual.dense:
        excess += [worst[n] / case.dense_tolerance for n in range(1, case.dense_order + 1)]
    # what doubles calculate here is itself uncertain by about a tolerance
    assert [label for label, x in zip(labels, np.max(excess, axis=0), strict=True) if x < 100] == ["none"]


class Problem(Protocol):
    def solution(self, t: float) -> np.ndarray: ...
    def f(self, t: float, y: np.ndarray) -> np.ndarray: ...
    def f_y(self, t: float, y: np.ndarray) -> np.ndarray: ...
    def f_t(self, t: float, y: np.ndarray) -> np.ndarray: ...


class Orbit:
    """Kepler's ellipse, passed through at a rate of 1 + cos(t) / 2, so that the equations contain the time."""

    eccentricity = 0.2

    def solution(self, t: float) -> np.ndarray:
        e, mean = self.eccentricity, t + math.sin(t) / 2
        anomaly = mean
        for _ in range(30):
            anomaly -= (anomaly - e * math.sin(anomaly) - mean) / (1 - e * math.cos(anomaly))
        sine, cosine, short = math.sin(anomaly), math.cos(anomaly), math.sqrt(1 - e**2)
        speed = 1 / (1 - e * cosine)
        return np.array([cosine - e, short * sine, -sine * speed, short * cosine * speed])

    def attraction(self, y: np.ndarray) -> np.ndarray:
        return np.concatenate([y[2:], -y[:2] / np.hypot(*y[:2]) ** 3])

    def f(self, t: float, y: np.ndarray) -> np.ndarray:
        return (1 + math.cos(t) / 2) * self.attraction(y)

    def f_y(self, t: float, y: np.ndarray) -> np.ndarray:
        x, r, one, zero = y[:2], np.hypot(*y[:2]), np.eye(2), np.zeros((2, 2))
        return (1 + math.cos(t) / 2) * np.block([[zero, one], [3 * np.outer(x, x) / r**5 - one / r**3, zero]])

    def f_t(self, t: float, y: np.ndarray) -> np.ndarray:
        return -math.sin(t) / 2 * self.attraction(y)


@dataclass(frozen=True)
class ProtheroRobinson:
    """y' = -stiffness (y - s(t)) + s'(t), of which s(t) is the smooth solution."""

    stiffness: float

    def solution(self, t: float) -> np.ndarray:
        return np.array([math.sin(t + 0.5)])

    def f(self, t: float, y: np.ndarray) -> np.ndarray:
        return -self.stiffness * (y - math.sin(t + 0.5)) + math.cos(t + 0.5)

    def f_y(self, t: float, y: np.ndarray) -> np.ndarray:
        return np.array([[-self.stiffness]])

    def f_t(self, t: float, y: np.ndarray) -> np.ndarray:
        return np.array([self.stiffness * math.cos(t + 0.5) - math.sin(t + 0.5)])


Step = tuple[np.ndarray, Callable[[float], np.ndarray]]  # new state, interpolant


def explicit_step(method: Explicit, problem: Problem, t: float, y: np.ndarray, h: float) -> Step:
    k: list[np.ndarray] = []
    for c, row in zip(method.c, method.a, strict=True):
        k.append(problem.f(t + c * h, y + h * sum(a * x for a, x in zip(row, k, strict=True))))
    y1 = y + h * (np.array(method.b) @ k)
    k.append(problem.f(t + h, y1))
    for c, row in zip(method.extra_c, method.extra_a, strict=True):
        k.append(problem.f(t + c * h, y + h * (np.array(row) @ k)))
    powers = np.array(method.dense).T @ k
    return y1, lambda theta: y + h * sum(theta ** (j + 1) * power for j, power in enumerate(powers))


def rosenbrock_step(method: Rosenbrock, problem: Problem, t: float, y: np.ndarray, h: float) -> Step:
    matrix, f_t = np.eye(len(y)) / (h * method.gamma) - problem.f_y(t, y), problem.f_t(t, y)
    u: list[np.ndarray] = []
    for alpha, gamma, a_row, c_row in zip(method.alpha, method.gamma_sums, method.a, method.c, strict=True):
        here = problem.f(t + alpha * h, y + sum(a * x for a, x in zip(a_row, u, strict=True)))
        u.append(np.linalg.solve(matrix, here + sum(c / h * x for c, x in zip(c_row, u, strict=True)) + gamma * h * f_t))
    y1 = y + np.array(method.m) @ u
    d1, d2, d3 = np.array(method.dense) @ u
    return y1, lambda theta: (1 - theta) * y + theta * (y1 + (1 - theta) * (d1 + theta * (d2 + theta * d3)))


def step(method: Any, problem: Problem, t: float, y: np.ndarray, h: float) -> Step:
    return (explicit_step if isinstance(method, Explicit) else rosenbrock_step)(method, problem, t, y, h)


def global_error(method: Any, problem: Problem, steps: int, end: float = 2.0) -> float:
    y, h = problem.solution(0.0), end / steps
    for i in range(steps):
        y, _ = step(method, problem, i * h, y, h)
    return float(abs(y - problem.solution(end)).max())


def dense_error(method: Any, problem: Problem, h: float, start: float = 0.2) -> float:
    """Of one step that begins on the solution."""
    _, interpolant = step(method, problem, start, problem.solution(start), h)
    return max(float(abs(interpolant(theta) - problem.solution(start + theta * h)).max()) for theta in np.linspace(0.1, 0.9, 9))


def observed_order(sizes: list[float], errors: list[float]) -> float:
    return float(np.polyfit(np.log(sizes), np.log(errors), 1)[0])


# step sizes at which the leading term of the error rules, and rounding does not yet
STEPS = {
    "RK4": (32, 64, 128),
    "DP5": (64, 96, 128),
    "DOP853": (16, 20, 24, 32),
    "VERNER9": (8, 10, 12, 16, 20),
    "RODAS5P": (96, 128, 192),
}
SIZES = {
    "RK4": (1 / 16, 1 / 32, 1 / 64),
    "DP5": (1 / 16, 1 / 32, 1 / 64),
    "DOP853": (0.3, 0.2, 0.15, 0.1),
    "VERNER9": (0.5, 0.4, 0.3, 0.2, 0.15),
    "RODAS5P": (1 / 16, 1 / 32, 1 / 64),
}


@each
def test_measured_order_of_step(name: str) -> None:
    method = CASES[name].method
    order = observed_order([1 / n for n in STEPS[name]], [global_error(method, Orbit(), n) for n in STEPS[name]])
    assert order == pytest.approx(method.order, abs=0.5)


@each
def test_measured_order_of_dense_output(name: str) -> None:
    order = observed_order(list(SIZES[name]), [dense_error(CASES[name].method, Orbit(), h) for h in SIZES[name]])
    assert order == pytest.approx(CASES[name].dense_order + 1, abs=0.5)


@pytest.mark.parametrize("z", [1.0, 1e2, 1e4])
def test_measured_order_of_rodas5p_on_stiff_equations(z: float) -> None:
    """Where h times the stiffness stays as it is, however large, the fourth order is left (Steinebach 2023)."""
    errors = [global_error(RODAS5P, ProtheroRobinson(z * n / 2), n) for n in (16, 32, 64)]
    assert observed_order([1 / 16, 1 / 32, 1 / 64], errors) == pytest.approx(4, abs=0.2)


def test_rodas5p_damps_what_is_infinitely_stiff() -> None:
    """L-stability: a deviation from the smooth solution is gone after one step."""
    problem = ProtheroRobinson(1e9)
    y1, _ = step(RODAS5P, problem, 0.0, problem.solution(0.0) + 1, 0.1)
    assert abs(y1 - problem.solution(0.1)) < 1e-6


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"b": (0.5, 0.5, 0.5, 0.5)}, "the entries of `b` add up to 2; 1 is needed"),
        ({"c": (0.0, 0.5, 0.5)}, "`c` has 3 entries; 4 are needed"),
        ({"a": ((), (0.5,), (0.0, 0.5), (0.0, 0.0, 0.5))}, "row 4 of `a` adds up to 0.5; 1 is needed"),
        ({"errors": ((1.0,),)}, "`errors` has"),
    ],
)
def test_a_table_that_does_not_fit_is_refused(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(lg.ArgumentError, match=message):
        ExplicitMethod(replace(RK4, **changes))
