"""A tree over samples of parameters: its constants have a value for every sample, and slopes along the parameters if wanted.

The tree of a mechanism has the structure; its `sample_tree` is the same tree, built by the same steps over `DualArray`. Numbers
that depend on the parameters do not belong to the structure: they may be zero in some samples and not in others. Only the
directions of axes must be the same in all samples.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from lagrangian.algorithms import tree as trees
from lagrangian.algorithms.tree import ScalarReader, Tree
from lagrangian.errors import MechanismError
from lagrangian.model import vector as v
from lagrangian.model.body import Body
from lagrangian.model.expression import Expression, Scalar
from lagrangian.model.expression.automatic_derivatives import DualArray, SampleEvaluator
from lagrangian.model.joint import Joint
from lagrangian.model.mechanism import Mechanism
from lagrangian.model.parameters import is_path, scalar_at, with_value_at
from lagrangian.model.placement import Transform, rotation_z_to

SNAP_TOLERANCE = 1e-14  # of an entry of a rotation that is meant to be 0, 1 or -1


class SampleReader(ScalarReader):
    """Reads the scalars of a mechanism over samples; a scalar that depends on no parameter is a float."""

    def __init__(self, values: SampleEvaluator, count: int) -> None:
        self.evaluator, self.count = values, count

    def number(self, scalar: Scalar) -> Any:
        return self.evaluator.evaluate(scalar)

    def vector(self, x: v.Vector) -> v.Vector:
        return tuple(self.number(c) for c in x)

    def placement(self, placement: Transform) -> Transform:
        return Transform(tuple(self.vector(row) for row in placement.rotation), self.vector(placement.position))  # type: ignore[arg-type]

    def body(self, body: Body) -> tuple[Any, v.Vector, v.Symmetric]:
        return self.number(body.mass), self.vector(body.center), tuple(map(self.number, body.inertia))

    def rotor_inertia(self, joint: Joint) -> Any:
        return self.number(joint.rotor.reflected_inertia)

    def axis_rotation(self, joint: Joint, axis: v.Vector) -> v.Matrix:
        return rotation_z_to(self._constant_axis(axis, f"the axis of joint {joint.name!r}"))

    def triad(self, axis: v.Vector) -> v.Matrix:
        return rotation_z_to(self._constant_axis(axis, "a direction"))

    def _constant_axis(self, axis: v.Vector, noun: str) -> v.Vector:
        components = self.vector(axis)
        if any(isinstance(x, DualArray) for x in components):
            raise MechanismError(f"{noun} depends on the sampled parameters", where="parameters", remedy=SAME_STRUCTURE_REMEDY)
        return components

    def array(self, column: list[Any]) -> np.ndarray:
        flat = [x if isinstance(x, DualArray) else self.number(x) for x in _flat(column)]
        column_array = np.empty(len(flat), dtype=object)
        column_array[:] = flat
        return column_array

    def rotations(self, R: np.ndarray) -> np.ndarray:
        flat = R.reshape(-1)
        flat[:] = [snap_to_exact(x) for x in flat]
        return R

    def gravity(self, mechanism: Mechanism) -> v.Vector:
        return self.vector(mechanism.gravity)


SAME_STRUCTURE_REMEDY = "all samples of a batch must have the same structure; use with_parameters for one value at a time"


def snap_to_exact(x: Any) -> Any:
    """Return an entry of a rotation, exact where it is 0, 1 or -1 but for rounding."""
    if not isinstance(x, DualArray):
        value = float(x)  # of an axis that is written with parameters, an expression
        nearest = float(round(value))
        return nearest + 0.0 if abs(value - nearest) < SNAP_TOLERANCE else value
    return x.snap_to((0.0, 1.0, -1.0), SNAP_TOLERANCE)


def sample_evaluator(
    mechanism: Mechanism, values_by_name: Mapping[str, np.ndarray], slopes: bool = False
) -> tuple[Mechanism, SampleEvaluator]:
    """Return what evaluates expressions over samples of parameters, and the mechanism whose numbers these are.

    Numbers of parts, named by their paths, become parameters of that mechanism.
    """
    sample_values = {}
    for k, (name, values) in enumerate(values_by_name.items()):
        unit = None
        if slopes:
            unit = np.zeros((len(values_by_name), len(values)))
            unit[k] = 1.0
        sample_values[name] = DualArray(np.array(values, dtype=float), unit)
    return evaluator_over(mechanism, sample_values)


def evaluator_over(mechanism: Mechanism, sample_values: Mapping[str, DualArray]) -> tuple[Mechanism, SampleEvaluator]:
    """Return what evaluates expressions with given scalars for parameters and numbers of parts, and the mechanism, as above."""
    by_id: dict[int, DualArray] = {}
    for name, values in sample_values.items():
        if name in mechanism.parameters:
            by_id[id(mechanism.parameters[name])] = values
        elif is_path(mechanism, name):
            mechanism = with_value_at(mechanism, name, Expression("symbol", (), float(scalar_at(mechanism, name)), name))
        # else it is of what acts on the mechanism
    return mechanism, SampleEvaluator(dict(sample_values), by_id)


def with_samples(mechanism: Mechanism, tree: Tree, values: SampleEvaluator, count: int, merge_fixed: bool = True) -> Tree:
    """Return a tree with the same tree over samples as its `sample_tree`; it was built with the same `merge_fixed`."""
    return replace(tree, sample_tree=trees.build_tree(mechanism, merge_fixed, reader=SampleReader(values, count)))


def _flat(x: Any) -> list[Any]:
    return [y for part in x for y in _flat(part)] if isinstance(x, (tuple, list)) else [x]
