"""What is printed is what was derived: every formula, read back into the ring, is exactly the element it was written from."""

from __future__ import annotations

import re
from fractions import Fraction

import numpy as np
import pytest
import sympy
from hypothesis import given, settings
from hypothesis import strategies as st

import lagrangian as lg
from lagrangian.equations.algebra.ring import angle_label
from lagrangian.equations.writing.printers import NumberFormat, plain_style
from lagrangian.equations.writing.tree import Name, Product, evaluate_tree
from lagrangian.model.expression import Expression, parse, symbol
from tests.mechanisms import DERIVED, MARKED, random_mechanism

SMALL = [name for name in DERIVED if lg.library(name).nv <= 6]


def formulas(eom: lg.EquationsOfMotion) -> list[lg.Formula]:
    matrices = [eom.M, eom.G, eom.F, eom.closure, eom.Psi, eom.Psi_dot]
    if eom.n <= 3:
        matrices += [eom.C, eom.tau, eom.centripetal, eom.coriolis]
    results = [formula for matrix in matrices for row in matrix.rows for formula in row]
    return [*results, eom.kinetic_energy, eom.potential_energy] if eom.n <= 3 else results


@pytest.mark.parametrize("name", [pytest.param(x, marks=pytest.mark.slow) if x in ("panda", "stewart") else x for x in MARKED])
def test_library_reads_back(name: str) -> None:
    for formula in formulas(lg.derive(lg.library(name))):
        assert formula.round_trips()


@pytest.mark.parametrize("name", ["puma560", "stanford", "scara", pytest.param("ur5", marks=pytest.mark.slow)])
@pytest.mark.parametrize("symbols", ["inertial", "all"])
def test_symbolic_inertias_read_back(name: str, symbols: str) -> None:
    """In base parameters, and in all of them; the grouping itself is proved too."""
    eom = lg.derive(lg.library(name), symbols=symbols)
    base = eom.base_parameters()
    for equations in (eom, eom.in_base_parameters()):
        for _, formula in [*equations.M.entries, *equations.G.entries]:
            assert formula.round_trips()
    assert all(base.preserves(formula.element) for _, formula in [*eom.M.entries, *eom.G.entries])


@pytest.mark.parametrize("name", ["two_r", "five_bar", "furuta", "scara", "geared_link"])
def test_text_parses_back(name: str) -> None:
    """Plain text is an expression of the description's own language: parsed and put into the ring it is the same element."""
    eom = lg.derive(lg.library(name))
    for formula in formulas(eom):
        text = str(formula)
        words = {word: symbol(word) for word in re.findall(r"[A-Za-z_][A-Za-z_0-9]*", text) if word not in ("sin", "cos", "sign")}
        assert evaluate_tree_node(parse(text, words), eom.writer) == formula.element


def evaluate_tree_node(x: object, writer: object) -> object:
    ring = writer.system.ring
    if not isinstance(x, Expression):
        return ring(x)
    if x.operation == "symbol":
        named = {f"qd{d}_{name}": f"qd{d}{k}" for k, name in enumerate(writer.system.coordinates, 1) for d in ("", "d")}
        named |= {name: f"q{k}" for k, name in enumerate(writer.system.coordinates, 1)}
        return writer.element(named.get(x.name, x.name))
    if x.operation in ("sin", "cos"):
        return ring(writer.system.scalars.angles.pair(x.arguments[0])[x.operation == "sin"])
    arguments = [evaluate_tree_node(a, writer) for a in x.arguments]
    match x.operation:
        case "sign":
            return writer.element(str(arguments[0].poly).replace("qd", "sgn"))
        case "+":
            return arguments[0] + arguments[1]
        case "-":
            return arguments[0] - arguments[1]
        case "*":
            return arguments[0] * arguments[1]
        case "/":
            return arguments[0] / arguments[1]
        case "^":
            return arguments[0] ** int(x.arguments[1])
    assert x.operation == "neg"
    return -arguments[0]


@pytest.mark.parametrize("name", ["two_r", pytest.param("puma560", marks=pytest.mark.slow), "furuta", "five_bar", "stanford"])
def test_sympy_agrees(name: str) -> None:
    """The exported expressions, evaluated by SymPy at a state, are what the formulas say."""
    mechanism = lg.library(name)
    eom = lg.derive(mechanism)
    rng = np.random.default_rng(4)
    q, qd, qdd = rng.normal(size=(3, eom.n))
    values = {sympy.Symbol(n): x for n, x in zip(eom.coordinates, q, strict=True)}
    values |= {sympy.Symbol(f"qd_{n}"): x for n, x in zip(eom.coordinates, qd, strict=True)}
    values |= {sympy.Symbol(f"qdd_{n}"): x for n, x in zip(eom.coordinates, qdd, strict=True)}
    values |= {sympy.Symbol(n): x for n, x in eom.parameters().items()}
    exported = eom.to_sympy()
    for matrix in ("M", "G", "tau"):
        shown = np.array(exported[matrix].subs(values).tolist(), dtype=float).reshape(getattr(eom, matrix).shape)
        assert shown == pytest.approx(getattr(eom, matrix).evaluate(q, qd, qdd), rel=1e-9, abs=1e-12)


def test_sympy_with_functions_of_time() -> None:
    eom = lg.derive(lg.library("two_r"))
    t = sympy.Symbol("t")
    theta = [sympy.Function(f"theta{k}")(t) for k in (1, 2)]
    L = eom.lagrangian.to_sympy(dynamic=True)
    for k in range(2):
        lagrange = L.diff(theta[k].diff(t)).diff(t) - L.diff(theta[k])
        assert sympy.simplify(lagrange - eom.tau[k].to_sympy(dynamic=True)) == 0


def test_operator_counts_of_puma() -> None:
    """M in at most 2200 operators as printed, 900 after common subexpressions, in either convention."""
    for mechanism, symbols in ((lg.library("puma560"), "all"), (modified_puma(), "inertial")):
        eom = lg.derive(mechanism, symbols=symbols).in_base_parameters()
        assert eom.M.operator_count <= 2200
        names = {}

        def word(name: str, names: dict = names) -> sympy.Symbol:
            return names.setdefault(name, sympy.Symbol(name))

        written = [sympy.sympify(0) + _rational(evaluate_tree(f.tree, word)) for _, f in eom.M.entries]
        shared, left = sympy.cse(written)
        assert sum(sympy.count_ops(x) for _, x in shared) + sum(sympy.count_ops(x) for x in left) <= 900


def _rational(x: object) -> object:
    return sympy.Rational(x.numerator, x.denominator) if isinstance(x, Fraction) else x


def modified_puma() -> lg.Mechanism:
    """PUMA 560 in Craig's convention, lengths named."""
    a2, a3, d3, d4 = (lg.parameter(n, x) for n, x in (("a2", 0.4318), ("a3", 0.0203), ("d3", 0.15), ("d4", 0.4318)))
    quarter = parse("pi/2")
    table = [(0, 0, 0), (-quarter, 0, 0), (0, a2, d3), (-quarter, a3, d4), (quarter, 0, 0), (-quarter, 0, 0)]
    rows = [lg.DHParameters("R", alpha=x, a=a, d=d, mass=1, inertia=(1, 1, 1)) for x, a, d in table]
    return lg.Mechanism.from_dh(rows, convention="modified", name="puma_modified")


# -- numbers and names -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("number", "written"),
    [
        (Fraction(1, 2), "x/2"),
        (Fraction(-3, 4), "-3*x/4"),
        (Fraction(1, 3), "x/3"),
        (Fraction(1234, 1000), "1.234*x"),
        (Fraction(1, 7 * 13 * 11), "x/1001"),
        (Fraction(2), "2*x"),
        (Fraction(-1), "-x"),
    ],
)
def test_numeric_factors_are_written(number: Fraction, written: str) -> None:
    notation = lg.derive(lg.library("two_r")).notation
    assert plain_style(notation).write(Product(number, (Name("x"),))) == written


def test_rounding_is_reported() -> None:
    rounding = NumberFormat(6)
    assert rounding.fraction_parts(Fraction(12345678, 10**7)) == ("1.23457", "")
    assert rounding.rounded
    exact = NumberFormat(6)
    assert exact.fraction_parts(Fraction(125, 1000)) == ("", "8")
    assert not exact.rounded
    shown = str(lg.derive(lg.library("puma560")))
    assert "Numbers are rounded to 6 digits" in shown
    assert "Numbers are rounded" not in str(lg.derive(lg.library("two_r")))


SUMS = st.lists(st.tuples(st.integers(0, 30), st.sampled_from([-2, -1, 1, 2])), min_size=1, max_size=3, unique_by=lambda p: p[0])


@given(SUMS, SUMS)
@settings(max_examples=200, deadline=None)
def test_labels_of_angles_tell_them_apart(one: list[tuple[int, int]], other: list[tuple[int, int]]) -> None:
    """Different sums of coordinates have different labels, also past nine coordinates."""
    one, other = sorted(one), sorted(other)
    assert (angle_label(tuple(one)) == angle_label(tuple(other))) == (one == other)


def test_operators_are_counted_as_printed() -> None:
    eom = lg.derive(lg.library("two_r"))
    for _, formula in [*eom.M.entries, *eom.G.entries]:
        text = str(formula)
        minus = text.count(" - ")
        assert formula.operator_count == text.count("+") + minus + text.count("*") + text.count("/") + text.count("^")


def test_names_that_collide() -> None:
    """Parameters called like sines, coordinates or rates stay what they are."""
    s1, q1, qd1 = (lg.parameter(n, x) for n, x in (("s1", 0.7), ("q1", 1.3), ("qd1", 0.9)))
    rows = [lg.DHParameters("R", a=s1, mass=q1, inertia=(qd1, qd1, qd1)), lg.DHParameters("R", a=1, mass=1)]
    arm = lg.Mechanism.from_dh(rows, convention="standard", name="tricky", gravity=(0, -9.81, 0))
    eom = lg.derive(arm)
    q, qd, qdd = [0.3, 0.4], [1.0, -2.0], [0.5, 0.6]
    assert eom.tau.evaluate(q, qd, qdd) == pytest.approx(lg.compile(arm).inverse_dynamics(q, qd, qdd), rel=1e-13)
    assert all(formula.round_trips() for _, formula in eom.M.entries)
    assert "S1" in eom.writer.names
    assert "c1" not in eom.writer.names


@given(st.lists(st.sampled_from(["revolute", "prismatic", "helical"]), min_size=1, max_size=3), st.integers(0, 10**6))
@settings(max_examples=8, deadline=None)
def test_random_mechanisms_read_back(types: list[str], seed: int) -> None:
    eom = lg.derive(random_mechanism(types, seed, passive=True))
    for matrix in (eom.M, eom.G):
        for _, formula in matrix.entries:
            assert formula.round_trips()
