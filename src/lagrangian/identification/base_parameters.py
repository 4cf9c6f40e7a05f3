"""Base parameters as an identification needs them: which columns of the regressor to keep, and what each then stands for.

For a tree the grouping is exact (`exact_grouping`, by `lagrangian.equations.base_parameters`). Where loops group more than the
tree does, or where the exact grouping would take too long, `numeric_grouping` finds it from the regressor at many states, with
the same choice of names.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from lagrangian.closed_form.cost import check_cost, forecast
from lagrangian.equations.algebra.numbers import evaluate_element
from lagrangian.equations.algebra.ring import DeadlineError, RingElement
from lagrangian.equations.base_parameters import base_parameters, group_formula
from lagrangian.equations.reading.system import SymbolicSystem
from lagrangian.errors import CostLimitError, MechanismError
from lagrangian.identification.regression import PARAMETER_NAMES, ROTOR, JointParameter, Regression, Term
from lagrangian.model import vector as v
from lagrangian.model.joint import Rotor
from lagrangian.model.single_coordinate import with_single_coordinates

MAX_EXACT_SECONDS = 20.0  # seconds the exact grouping may take
DEPENDENCE_TOLERANCE = 1e-8  # of a column's length: what is left of it beside the others is rounding
FACTOR_TOLERANCE = 1e-9  # of a factor in a group, that is none


@dataclass(frozen=True)
class ParameterGrouping:
    """Base parameters. `columns` are the terms that stay; number b is `matrix[b] @ phi`, which `formulas[b]` writes out."""

    names: tuple[str, ...]
    formulas: tuple[str, ...]
    columns: tuple[int, ...]
    matrix: np.ndarray
    exact: bool

    def __len__(self) -> int:
        return len(self.names)


def exact_grouping(regression: Regression) -> ParameterGrouping | None:
    """Group parameters exactly; None where that is impossible or takes too long: with constraints, odd angles, long chains."""
    mechanism = regression.dyn.mechanism
    if mechanism.equation_count:
        return None
    rotors = {term.owner: k for k, term in enumerate(regression.terms) if term.entry is ROTOR}
    joints = tuple(
        # a rotor that is identified needs a name, whether the description has one or not
        replace(j, rotor=Rotor(1) if k in rotors else Rotor())
        for k, j in enumerate(mechanism.joints)
    )
    try:
        system = SymbolicSystem(with_single_coordinates(mechanism.replace(joints=joints, springs=(), frames=())), "inertial")
        if system.scalars.angles.uses_fractions:  # frames at odd angles: exact, but slow
            return None
        check_cost(forecast(system), MAX_EXACT_SECONDS, mechanism.name, len(system.links))
        with system.ring.time_limit(time.perf_counter() + MAX_EXACT_SECONDS):
            grouping = base_parameters(system, rotors=bool(rotors))
    except (CostLimitError, MechanismError, DeadlineError):
        return None
    bodies = {link.body: 10 * i for i, link in enumerate(regression.links)}
    term_by_symbol: dict[str, int] = {}
    for link in system.links:
        body = mechanism.body_index.get(link.name)
        for k, x in enumerate(link.inertia.inertial_parameters):
            if isinstance(x, RingElement):
                if body not in bodies:
                    return None
                term_by_symbol[_symbol_name(x)] = bodies[body] + k
        if isinstance(link.rotor, RingElement) and link.rotor:
            joint = mechanism.joint_index.get(link.joint.name)
            if joint is None:  # of a joint of several axes, which share one rotor's inertia
                return None
            term_by_symbol[_symbol_name(link.rotor)] = rotors[joint]
    rows = [
        {term_by_symbol[name]: evaluate_element(a) / evaluate_element(b) for name, (a, b) in grouping.combinations[x].items()}
        for x in grouping.base
    ]
    names = [x + ("R" if len(grouping.combinations[x]) > 1 else "") for x in grouping.base]
    formulas = [group_formula(grouping.combinations[x]) for x in grouping.base]
    columns = [term_by_symbol[x] for x in grouping.base]
    for k, term in enumerate(regression.terms):
        if not term.inertial and term.entry is not ROTOR:
            rows.append({k: 1.0})
            names.append(term.name)
            formulas.append(term_description(regression, term))
            columns.append(k)
    matrix = np.zeros((len(rows), len(regression.terms)))
    for b, row in enumerate(rows):
        matrix[b, list(row)] = list(row.values())
    if not np.isfinite(matrix).all():
        return None
    order = sorted(range(len(columns)), key=columns.__getitem__)  # as the terms stand
    return ParameterGrouping(
        tuple(names[k] for k in order),
        tuple(formulas[k] for k in order),
        tuple(columns[k] for k in order),
        matrix[order],
        True,
    )


def numeric_grouping(regression: Regression, Y: np.ndarray) -> ParameterGrouping:
    """Group parameters by the rows of the regressor, (rows, terms), at states that are general enough.

    Columns that do not depend on those before them are kept. They are taken in the order of the exact grouping (links outward, of
    each first what acts about its joint), so that the same columns stay and the same ones are grouped, as Gautier (1991) does by
    a QR decomposition.
    """
    order = column_order(regression)
    columns, Q = [], np.zeros((len(Y), 0))
    sizes = np.linalg.norm(Y, axis=0)
    # a column much smaller than what its kind of parameter does elsewhere is rounding
    floor = 1e-13 * np.sqrt(len(Y)) * (np.abs(Y).max(initial=0.0) or 1.0)
    for k in order:
        if sizes[k] <= floor:
            continue
        x = Y[:, k] / sizes[k]
        for _ in range(2):  # twice is enough
            x = x - Q @ (Q.T @ x)
        remainder = float(np.linalg.norm(x))
        if remainder > DEPENDENCE_TOLERANCE and Q.shape[1] < len(Y):
            columns.append(k)
            Q = np.column_stack([Q, x / remainder])
    columns.sort()
    unit_columns = Y / np.where(sizes > floor, sizes, 1.0)
    shares = np.linalg.solve(Q.T @ unit_columns[:, columns], Q.T @ unit_columns) if columns else np.zeros((0, Y.shape[1]))
    shares[:, sizes <= floor] = 0.0
    shares[np.abs(shares) < FACTOR_TOLERANCE] = 0.0
    matrix = shares / sizes[columns][:, None] * sizes[None, :]
    matrix[:, columns] = np.eye(len(columns))
    names, formulas = [], []
    for row, k in zip(matrix, columns, strict=True):
        term = regression.terms[k]
        is_group = np.count_nonzero(row) > 1
        names.append(term.name + ("R" if is_group else ""))
        formulas.append(_formula(regression, row, k) if is_group or term.inertial else term_description(regression, term))
    return ParameterGrouping(tuple(names), tuple(formulas), tuple(columns), matrix, False)


def term_description(regression: Regression, term: Term) -> str:
    """Describe the term of a joint in words."""
    assert isinstance(term.entry, JointParameter)
    return f"{term.entry.meaning} at {regression.dyn.mechanism.joints[term.owner].name}"


def _symbol_name(x: RingElement) -> str:
    return x.ring.symbols[x.poly.degrees().index(1)].name


def column_order(regression: Regression) -> list[int]:
    """The terms in the order in which they are kept: links outward, then rotors, then friction."""
    mechanism = regression.dyn.mechanism
    order = []
    for i, link in enumerate(regression.links):
        joint = mechanism.joints[link.joint]
        R = np.array([[float(x) for x in row] for row in joint.child_placement.rotation])
        direction = R @ np.array([float(x) for x in (joint.axes or (v.Z,))[0]])
        is_aligned = np.abs(np.abs(direction) - 1) < 1e-12
        axis = "xyz"[int(np.argmax(is_aligned))] if is_aligned.any() else "z"
        order += [10 * i + PARAMETER_NAMES.index(name) for name in _link_order(axis, not all(joint.slides))]
    return order + list(range(10 * len(regression.links), len(regression.terms)))


def _link_order(axis: str, revolute: bool) -> Sequence[str]:
    first, second = (letter for letter in "xyz" if letter != axis)
    products, moments = ["Ixy", "Ixz", "Iyz"], [f"h{a}" for a in (first, second, axis)]
    if revolute:
        return [f"I{axis}{axis}", f"I{first}{first}", *products, *moments, f"I{second}{second}", "m"]
    return ["m", *moments, f"I{axis}{axis}", f"I{first}{first}", *products, f"I{second}{second}"]


def _formula(regression: Regression, row: np.ndarray, column: int) -> str:
    words = regression.terms[column].name
    for k in np.flatnonzero(row):
        if k != column:
            size = f"{abs(row[k]):.6g}"
            words += f" {'-' if row[k] < 0 else '+'} " + ("" if size == "1" else f"{size}*") + regression.terms[k].name
    return words
