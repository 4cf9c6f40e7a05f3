"""A tree over samples of parameters: its constants have a value for every sample, and slopes along the parameters if wanted.

The tree of a mechanism says what the structure is; beside it `lanes` is the same tree, built by the same steps over `Lanes`.
What depends on the parameters is then no structure: it may be zero in some samples and not in others. Only directions of axes
must be the same in all.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from lagrangian.algorithms import tree as trees
from lagrangian.algorithms.tree import Floats, Tree
from lagrangian.errors import MechanismError
from lagrangian.model import vector as v
from lagrangian.model.body import Body
from lagrangian.model.expression import Expression, Scalar
from lagrangian.model.expression.lanes import Lanes, LaneValues
from lagrangian.model.joint import Joint
from lagrangian.model.mechanism import Mechanism
from lagrangian.model.parts import is_path, scalar_at, with_number
from lagrangian.model.placement import Placement, turn_z_to

SNAP = 1e-14  # of an entry of a rotation that is meant to be 0, 1 or -1


class Samples(Floats):
    """How scalars are read over samples: what depends on none of the parameters is a float."""

    def __init__(self, values: LaneValues, count: int) -> None:
        self.values, self.count = values, count

    def number(self, scalar: Scalar) -> Any:
        return self.values.of(scalar)

    def vector(self, x: v.Vector) -> v.Vector:
        return tuple(self.number(c) for c in x)

    def placement(self, at: Placement) -> Placement:
        return Placement(tuple(self.vector(row) for row in at.rotation), self.vector(at.position))  # type: ignore[arg-type]

    def body(self, body: Body) -> tuple[Any, v.Vector, v.Symmetric]:
        return self.number(body.mass), self.vector(body.center), tuple(map(self.number, body.inertia))

    def rotor(self, joint: Joint) -> Any:
        return self.number(joint.rotor.reflected)

    def turn(self, joint: Joint, axis: v.Vector) -> v.Matrix:
        return turn_z_to(self._fixed(axis, f"the axis of joint {joint.name!r}"))

    def triad(self, axis: v.Vector) -> v.Matrix:
        return turn_z_to(self._fixed(axis, "a direction"))

    def _fixed(self, axis: v.Vector, what: str) -> v.Vector:
        found = self.vector(axis)
        if any(isinstance(x, Lanes) for x in found):
            raise MechanismError(f"{what} depends on the sampled parameters", where="parameters", remedy=ONE_STRUCTURE)
        return found

    def array(self, column: list[Any]) -> np.ndarray:
        flat = [x if isinstance(x, Lanes) else self.number(x) for x in _flat(column)]
        made = np.empty(len(flat), dtype=object)
        made[:] = flat
        return made

    def rotations(self, R: np.ndarray) -> np.ndarray:
        flat = R.reshape(-1)
        flat[:] = [snapped(x) for x in flat]
        return R

    def gravity(self, mechanism: Mechanism) -> v.Vector:
        return self.vector(mechanism.gravity)


ONE_STRUCTURE = "all samples of a batch must have the same structure; use with_parameters for one value at a time"


def _flat(x: Any) -> list[Any]:
    return [y for part in x for y in _flat(part)] if isinstance(x, (tuple, list)) else [x]


def snapped(x: Any) -> Any:
    """An entry of a rotation, exact where it is 0, 1 or -1 but for rounding."""
    if not isinstance(x, Lanes):
        value = float(x)  # of an axis that is written with parameters, an expression
        whole = float(round(value))
        return whole + 0.0 if abs(value - whole) < SNAP else value
    return x.near((0.0, 1.0, -1.0), SNAP)


def lane_values(mechanism: Mechanism, given: Mapping[str, np.ndarray], slopes: bool = False) -> tuple[Mechanism, LaneValues]:
    """The values of expressions over samples of parameters, and the mechanism whose numbers these are.

    Numbers of parts, named by their paths, become parameters of that mechanism.
    """
    lanes = {}
    for k, (name, values) in enumerate(given.items()):
        unit = None
        if slopes:
            unit = np.zeros((len(given), len(values)))
            unit[k] = 1.0
        lanes[name] = Lanes(np.array(values, dtype=float), unit)
    return values_over(mechanism, lanes)


def values_over(mechanism: Mechanism, lanes: Mapping[str, Lanes]) -> tuple[Mechanism, LaneValues]:
    """The values of expressions where these stand for parameters, and for numbers of parts; and the mechanism, as above."""
    others: dict[int, Lanes] = {}
    for name, values in lanes.items():
        if name in mechanism.parameters:
            others[id(mechanism.parameters[name])] = values
        elif is_path(mechanism, name):
            mechanism = with_number(mechanism, name, Expression("symbol", (), float(scalar_at(mechanism, name)), name))
        # else it is of what acts on the mechanism
    return mechanism, LaneValues(dict(lanes), others)


def sampled(mechanism: Mechanism, tree: Tree, values: LaneValues, count: int, merge_fixed: bool = True) -> Tree:
    """The tree, which was built with the same `merge_fixed`, with the same tree over samples beside it."""
    return replace(tree, lanes=trees.build(mechanism, merge_fixed, read=Samples(values, count)))
