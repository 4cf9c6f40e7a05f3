"""Base parameters: against textbook tables, against the rank of the numeric regressor, and proved on every equation."""

from __future__ import annotations

import warnings
from functools import cache

import numpy as np
import pytest

import lagrangian as lg
from lagrangian.equations.algebra.numbers import evaluate_element
from lagrangian.equations.algebra.ring import RingElement
from lagrangian.equations.base_parameters import BaseParameters, base_parameters
from lagrangian.equations.derivations import lagrange
from lagrangian.equations.reading.system import SymbolicSystem
from lagrangian.errors import ArgumentError, MechanismWarning
from lagrangian.model.expression import PI, parameter
from lagrangian.model.joints import TYPES
from lagrangian.model.single_coordinate import with_single_coordinates
from tests.mechanisms import DERIVED, MARKED, own_entries, random_body

QUARTER = PI / 2


def modified_convention_arm(name: str, *rows: dict, rotor: float = 0.0) -> lg.Mechanism:
    body = {"joint": "R", "mass": 1, "inertia": (1, 1, 1), "rotor": {"inertia": rotor}}
    return lg.Mechanism.from_dh([{**body, **row} for row in rows], convention="modified", name=name)


def rx90() -> lg.Mechanism:
    """The Staubli RX-90 of Khalil and Dombre (2002), table 3.1."""
    D3, RL4 = parameter("D3", 0.45), parameter("RL4", 0.45)
    rows = ({}, {"alpha": QUARTER}, {"a": D3}, {"alpha": -QUARTER, "d": RL4}, {"alpha": QUARTER}, {"alpha": -QUARTER})
    return modified_convention_arm("rx90", *rows, rotor=0.01)


def puma_modified() -> lg.Mechanism:
    a2, a3, d3, d4 = (parameter(name, x) for name, x in {"a2": 0.4318, "a3": 0.0203, "d3": 0.15, "d4": 0.4318}.items())
    rows = (
        {},
        {"alpha": -QUARTER},
        {"a": a2, "d": d3},
        {"alpha": -QUARTER, "a": a3, "d": d4},
        {"alpha": QUARTER},
        {"alpha": -QUARTER},
    )
    return modified_convention_arm("puma", *rows, rotor=0.01)


def twisted_arm() -> lg.Mechanism:
    """Three joints with every length and twist a name."""
    rows = [{k: parameter(f"{k}{i}", 0.2 + 0.1 * i) for k in ("a", "d", "alpha")} for i in range(1, 4)]
    return modified_convention_arm("twisted", *rows)


@cache
def equations(name: str, symbols: str = "inertial") -> tuple[SymbolicSystem, list[RingElement], list[RingElement]]:
    """The system of an arm, the entries of its M, and G."""
    makers = {"rx90": rx90, "puma": puma_modified, "twisted": twisted_arm}
    system = SymbolicSystem(makers[name]() if name in makers else with_single_coordinates(lg.library(name)), symbols)
    M = lagrange.mass_matrix(system, lagrange.jacobian_columns(system))
    G = lagrange.gradient(system, lagrange.gravity_potential(system))
    return system, [x for row in M for x in row], G


def groups(base: BaseParameters) -> dict[str, str]:
    """The formulas as the table prints them."""
    words = [" ".join(line.split()) for line in str(base).splitlines()]
    return dict(line.split("R = ") for line in words if "R = " in line)


def rank(mechanism: lg.Mechanism) -> int:
    """Of the regressor over many states, its columns scaled alike; bodies without mass, which only carry joints, are left out."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", MechanismWarning)
        dyn = lg.compile(mechanism)
    rng = np.random.default_rng(3)
    qd, qdd = rng.normal(size=(2, 120, mechanism.nv))
    q = np.array([mechanism.random_configuration(rng) for _ in qd])
    heavy = np.repeat(dyn.inertial_parameters().reshape(-1, 10).any(axis=1), 10)
    Y = dyn.regressor(q, qd, qdd).reshape(-1, 10 * len(mechanism.bodies))[:, heavy]
    size = np.linalg.norm(Y, axis=0)
    Y = Y[:, size > 1e-9] / size[size > 1e-9]
    singular = np.linalg.svd(Y, compute_uv=False)
    result = int(np.sum(singular > 1e-9 * singular[0]))
    assert result == len(singular) or singular[result] < 1e-4 * singular[result - 1], "no clear gap between rank and rounding"
    return result


def test_two_r_has_the_six_of_the_textbook() -> None:
    base = base_parameters(equations("two_r")[0])
    assert groups(base) == {"hx1": "hx1 + l1*m2", "Izz1": "Izz1 + l1^2*m2"}
    assert base.base == ("hx1", "hy1", "Izz1", "hx2", "hy2", "Izz2")
    assert len(base) == base.count == 6
    assert base.dependent == ("m2",)


RX90 = {
    "Izz1": "Izz1 + Iyy2 + Iyy3 + D3^2*(m3 + m4 + m5 + m6)",
    "Ixx2": "Ixx2 - Iyy2 - D3^2*(m3 + m4 + m5 + m6)",
    "Ixz2": "Ixz2 - D3*hz3",
    "Izz2": "Izz2 + D3^2*(m3 + m4 + m5 + m6)",
    "hx2": "hx2 + D3*(m3 + m4 + m5 + m6)",
    "Ixx3": "Ixx3 - Iyy3 + Iyy4 + 2*RL4*hz4 + RL4^2*(m4 + m5 + m6)",
    "Izz3": "Izz3 + Iyy4 + 2*RL4*hz4 + RL4^2*(m4 + m5 + m6)",
    "hy3": "hy3 + hz4 + RL4*(m4 + m5 + m6)",
    "Ixx4": "Ixx4 - Iyy4 + Iyy5",
    "Izz4": "Izz4 + Iyy5",
    "hy4": "hy4 - hz5",
    "Ixx5": "Ixx5 - Iyy5 + Iyy6",
    "Izz5": "Izz5 + Iyy6",
    "hy5": "hy5 + hz6",
    "Ixx6": "Ixx6 - Iyy6",
}


def test_rx90_groups_as_in_the_textbook() -> None:
    """Khalil and Dombre (2002), table 9.4: 40 with the rotors, of which the first two join their links' inertias."""
    system = equations("rx90")[0]
    base = base_parameters(system)
    assert groups(base) == RX90
    assert base.count == 36
    driven = base_parameters(system, rotors=True)
    assert driven.count == 40
    assert driven.dependent[-2:] == ("Ja1", "Ja2")
    assert groups(driven)["Izz2"] == "Izz2 + Ja2 + D3^2*(m3 + m4 + m5 + m6)"


@pytest.mark.parametrize(
    ("name", "symbols", "count"),
    [
        ("puma560", "inertial", 36),
        ("puma560", "all", 36),
        ("puma", "inertial", 36),
        ("puma", "all", 36),
        ("lwr7", "inertial", 43),
        ("lwr7", "all", 43),
        ("stanford", "all", 33),
        ("scara", "all", 8),
    ],
)
def test_the_number_of_base_parameters_is_the_published_one(name: str, symbols: str, count: int) -> None:
    assert base_parameters(equations(name, symbols)[0]).count == count


@pytest.mark.parametrize(
    "name", [pytest.param(x, marks=pytest.mark.slow) if x == "stewart" else x for x in (*MARKED, "rx90", "puma", "twisted")]
)
def test_as_many_as_the_rank_of_the_regressor(name: str) -> None:
    """Of the mechanism as described: the massless bodies inside joints of several coordinates are no links."""
    system = equations(name)[0]
    assert base_parameters(system).count == rank(lg.library(name) if name in DERIVED else system.mechanism)


def odd_tree(seed: int) -> lg.Mechanism:
    """Three joints of any type, along any axis of their frames, which are turned by decimals."""
    rng = np.random.default_rng(seed)
    bodies, joints = [], []
    for i in range(3):
        bodies.append(random_body(rng, f"b{i}"))
        kind, axis = rng.choice(["revolute", "prismatic", "helical"]), np.eye(3)[rng.integers(3)]
        parent = "ground" if i == 0 else f"b{rng.integers(i)}"
        placement = lg.Transform.from_rpy(rng.normal(size=3).round(2), rng.permutation([0.3, 0, 0]))
        joints.append(lg.Joint(f"j{i}", str(kind), parent, f"b{i}", placement, **own_entries(TYPES[str(kind)], axis, axis[::-1])))
    return lg.Mechanism("odd", bodies, joints)


@pytest.mark.parametrize("seed", range(8))
def test_trees_at_odd_angles(seed: int) -> None:
    mechanism = odd_tree(seed)
    system = SymbolicSystem(mechanism, "inertial")
    base = base_parameters(system)
    assert base.count == rank(mechanism)
    assert all(base.preserves(x) for row in lagrange.mass_matrix(system, lagrange.jacobian_columns(system)) for x in row)


@pytest.mark.parametrize("rotors", [pytest.param(False, marks=pytest.mark.slow), True])
@pytest.mark.parametrize("name", [*MARKED, "rx90", "puma", "twisted"])
def test_every_equation_is_proved_unchanged(name: str, rotors: bool) -> None:
    system, M, G = equations(name)
    base = base_parameters(system, rotors=rotors)
    gone = [system.ring.generator_index[x] for x in (*base.dependent, *base.unidentifiable)]
    for x in (*M, *G):
        assert base.preserves(x)
        regrouped = base.to_base_parameters(x)
        assert not any(regrouped.poly.degrees()[k] > 0 for k in gone)


def test_a_wrong_group_is_not_proved() -> None:
    system, M, _ = equations("puma560")
    base = base_parameters(system)
    group = {**base.combinations["Ixx6"], "Iyy6": (system.ring.one, system.ring.one)}
    wrong = BaseParameters(
        base.mechanism,
        base.base,
        {**base.combinations, "Ixx6": group},
        base.dependent,
        base.unidentifiable,
        base.ring,
        base.decimals,
    )
    assert all(base.preserves(x) for x in M)
    assert not all(wrong.preserves(x) for x in M)


@pytest.mark.parametrize("name", ["puma560", "stanford", "puma", "twisted"])
def test_values_of_the_groups_give_the_same_numbers(name: str) -> None:
    system, M, G = equations(name)
    base = base_parameters(system)
    rng = np.random.default_rng(1)
    state = {s.name: rng.normal() for s in system.ring.symbols if s.kind in ("sine", "cosine", "coordinate")}
    for x in (*M, *G):
        assert evaluate_element(base.to_base_parameters(x), {**state, **base.values()}) == pytest.approx(
            evaluate_element(x, state), rel=1e-9, abs=1e-9
        )


def test_values_where_inertias_are_given_by_names() -> None:
    values = base_parameters(equations("two_r")[0]).values()
    assert values["hx1"] == pytest.approx(12.456 * (0.773 + 1.0))
    assert values["Izz2"] == pytest.approx(1.042 + 12.456 * 0.583**2)


def test_with_numbers_for_inertias_names_are_made() -> None:
    arm = lg.library("two_r")
    assert base_parameters(SymbolicSystem(arm)).base == base_parameters(SymbolicSystem(arm, "inertial")).base


def test_only_of_its_own_equations() -> None:
    base = base_parameters(equations("two_r")[0])
    with pytest.raises(ArgumentError, match="other equations"):
        base.to_base_parameters(equations("puma560")[1][0])


def test_the_table_counts_parameters_without_effect() -> None:
    text = str(base_parameters(equations("two_r")[0]))
    assert text.startswith("Base parameters of two_r: 6 of 20 inertial parameters")
    assert "4 alone\n  hy1, hx2, hy2, Izz2" in text
    assert "13 without effect" in text
