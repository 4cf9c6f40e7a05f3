"""Base parameters as an identification needs them: which columns of the regressor to keep, and what each then stands for.

For a tree the grouping is exact (`lagrangian.equations.base_parameters`); where loops group more than the tree does, or the exact
one would take too long, it is found from numbers (`numeric_base`), with the same choice of names.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, replace

import numpy as np

from lagrangian.closed_form.cost import check
from lagrangian.equations.algebra.numbers import value
from lagrangian.equations.algebra.ring import Element, TimeUp
from lagrangian.equations.base_parameters import base_parameters
from lagrangian.equations.grouping_text import formula
from lagrangian.equations.reading.system import System
from lagrangian.errors import CostError, MechanismError
from lagrangian.identification.joint_parameters import ROTOR, JointParameter
from lagrangian.identification.regression import Regression, Term
from lagrangian.model.elementary import elementary
from lagrangian.model.joint import Rotor

LIMIT = 20.0  # seconds the exact grouping may take


@dataclass(frozen=True)
class Grouping:
    """Base parameters. `columns` are the terms that stay; number b is `matrix[b] @ phi`, which `formulas[b]` writes out."""

    names: tuple[str, ...]
    formulas: tuple[str, ...]
    columns: tuple[int, ...]
    matrix: np.ndarray
    exact: bool

    def __len__(self) -> int:
        return len(self.names)


def exact_grouping(regression: Regression) -> Grouping | None:
    """None where there is none to be had soon: with constraints, odd angles, very long chains, what has no closed form."""
    mechanism = regression.dyn.mechanism
    if mechanism.equations:
        return None
    rotors = {term.owner: k for k, term in enumerate(regression.terms) if term.entry is ROTOR}
    joints = tuple(
        # a rotor that is identified needs a name, whether the description has one or not
        replace(j, rotor=Rotor(1) if k in rotors else Rotor())
        for k, j in enumerate(mechanism.joints)
    )
    try:
        system = System(elementary(mechanism.replace(joints=joints, springs=(), frames=())), "inertial")
        if system.scalars.angles.fractions:  # frames at odd angles: exact, but slow
            return None
        check(system, LIMIT)
        with system.ring.until(time.perf_counter() + LIMIT):
            base = base_parameters(system, rotors=bool(rotors))
    except (CostError, MechanismError, TimeUp):
        return None
    bodies = {link.body: 10 * i for i, link in enumerate(regression.links)}
    place: dict[str, int] = {}
    for link in system.links:
        body = mechanism.body_index.get(link.name)
        for k, x in enumerate(link.inertia.ten):
            if isinstance(x, Element):
                if body not in bodies:
                    return None
                place[_name(x)] = bodies[body] + k
        if isinstance(link.rotor, Element) and link.rotor:
            joint = mechanism.joint_index.get(link.joint.name)
            if joint is None:  # of a joint of several axes, which share one rotor's inertia
                return None
            place[_name(link.rotor)] = rotors[joint]
    rows = [{place[name]: value(a) / value(b) for name, (a, b) in base.grouping[x].items()} for x in base.base]
    names = [x + ("R" if len(base.grouping[x]) > 1 else "") for x in base.base]
    formulas = [formula(base.grouping[x]) for x in base.base]
    columns = [place[x] for x in base.base]
    for k, term in enumerate(regression.terms):
        if not term.inertial and term.entry is not ROTOR:
            rows.append({k: 1.0})
            names.append(term.name)
            formulas.append(meaning(regression, term))
            columns.append(k)
    matrix = np.zeros((len(rows), len(regression.terms)))
    for b, row in enumerate(rows):
        matrix[b, list(row)] = list(row.values())
    if not np.isfinite(matrix).all():
        return None
    order = sorted(range(len(columns)), key=columns.__getitem__)  # as the terms stand
    return Grouping(
        tuple(names[k] for k in order),
        tuple(formulas[k] for k in order),
        tuple(columns[k] for k in order),
        matrix[order],
        True,
    )


def meaning(regression: Regression, term: Term) -> str:
    """What a joint's term is."""
    assert isinstance(term.entry, JointParameter)
    return f"{term.entry.meaning} at {regression.dyn.mechanism.joints[term.owner].name}"


def _name(x: Element) -> str:
    return x.ring.symbols[x.poly.degrees().index(1)].name
