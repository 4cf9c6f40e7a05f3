"""The numbers of a description as functions of parameters that vary from motion to motion, evaluated for many at once.

A mechanism's numbers are expressions that remember the names they were written with, and what follows from them (inertias about
other points, regrouped bodies, placements one after the other) is computed by the same code from expressions as from numbers. So
each number that compiled code reads is recorded once as an expression, and evaluated with arrays in the place of the parameters:
the same operations as for one mechanism, in the same order.
"""

from __future__ import annotations

import operator
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np

from lagrangian.algorithms.regroup import regroup
from lagrangian.algorithms.structure import SNAP, UNITS, Numbers, snapped, structural
from lagrangian.algorithms.tree import Floats, Tree, build
from lagrangian.model.expression import Expression, Scalar, symbol
from lagrangian.model.expression import functions as f
from lagrangian.model.expression.scalar import FUNCTION_OF
from lagrangian.model.mechanism import Mechanism
from lagrangian.model.placement import Placement
from lagrangian.motion.system.system import System, without_coulomb

ROUNDING = 1e-15  # of the largest number of its kind: what is no more than this is meant to be zero
_PLAIN = {"+": operator.add, "-": operator.sub, "*": operator.mul, "/": operator.truediv, "neg": operator.neg}

Arrays = Mapping[str, np.ndarray]


class Evaluation:
    """Expressions with arrays in the place of some parameters."""

    def __init__(self, given: Arrays, mechanism: Mechanism) -> None:
        self.given = given
        # a parameter that follows from others stands for its expression, which is known by being the same object
        self._names = {id(mechanism.parameters[name]): name for name in given if name in mechanism.parameters}
        self._known: dict[int, tuple[Expression, Any]] = {}

    def of(self, x: Scalar) -> Any:
        """A number, or an array of them; NaN where there is none."""
        if not isinstance(x, Expression):
            return float(x)
        found = self._known.get(id(x))
        if found is None:
            found = self._known[id(x)] = (x, self._computed(x))  # which keeps x, so that no other object has its id
        return found[1]

    def _computed(self, x: Expression) -> Any:
        if id(x) in self._names:
            return self.given[self._names[id(x)]]
        if x.operation == "symbol":
            return self.given.get(x.name, x.value)
        arguments = [self.of(a) for a in x.arguments]
        if not any(isinstance(a, np.ndarray) for a in arguments):
            return x.value
        if x.operation in _PLAIN:
            with np.errstate(all="ignore"):
                return _PLAIN[x.operation](*arguments)
        function = FUNCTION_OF[x.operation]

        def one(*values: float) -> float:
            try:
                return float(function(*values))
            except (ValueError, ZeroDivisionError, OverflowError, TypeError):  # outside of its domain; a negative number's root
                return np.nan

        return np.frompyfunc(one, len(arguments), 1)(*arguments).astype(float)


class _Kept(Floats):
    """Reads a mechanism into a tree of expressions."""

    def array(self, column: list[Any]) -> np.ndarray:
        flat = list(_flattened(column))
        found = np.empty(len(flat), dtype=object)
        found[:] = flat
        return found

    def rotations(self, R: np.ndarray) -> np.ndarray:
        return R

    def gravity(self, mechanism: Mechanism) -> Any:
        return mechanism.gravity


def _flattened(x: Any) -> Any:
    if isinstance(x, (tuple, list)):
        for item in x:
            yield from _flattened(item)
    else:
        yield x


class _Recorded(Numbers):
    """The scalars themselves in the place of their values; and those that decide the structure, with the values they must keep."""

    def __init__(self) -> None:
        super().__init__()
        self.scalars: list[Scalar] = []
        self.fixed: list[tuple[Scalar, float, float]] = []  # each with what rounding may make of it

    def extend(self, values: Any) -> int:
        scalars = list(values)
        self.scalars += scalars
        return super().extend(float(x) for x in scalars)

    def scalar(self, x: Scalar, structural: tuple[float, ...] = UNITS[:1]) -> Scalar:
        value = x.value if isinstance(x, Expression) else float(x)
        if value is None:
            return super().scalar(x, structural)
        if value in structural or not np.isfinite(value):
            self.fixed.append((x, value, 0.0))
            return float(value)
        return symbol(f"{f.SLOT}{self.extend((x,))}")

    def of_structure(self, tree: Tree, floats: Tree) -> Tree:
        """The expressions of a tree; but numbers where a tree of floats has 0, or in rotations 1 and -1, or was rounded to them."""
        constants = {}
        for name, array in floats.constants.items():
            kept = tree.constants[name].copy()
            fixed = np.isin(array, structural(name)) | (kept.astype(float) != array)
            allowed = SNAP if name == "R" else ROUNDING * float(np.abs(array).max(initial=0.0))
            self.fixed += [(x, float(v), allowed) for x, v in zip(kept[fixed], array[fixed], strict=True)]
            kept[fixed] = array[fixed]
            constants[name] = kept
        return replace(tree, constants=constants)

    def placement(self, at: Placement) -> Placement:
        R = tuple(tuple(self.scalar(_snapped(x), UNITS) for x in row) for row in at.rotation)
        return Placement(R, tuple(self.scalar(x) for x in at.position))  # type: ignore[arg-type]


def _snapped(x: Scalar) -> Scalar:
    value = float(x)
    return x if snapped(value) == value else snapped(value)


class VariedNumbers:
    """The numbers of a system of which some parameters vary; `names` are theirs."""

    def __init__(self, system: System, names: Sequence[str]) -> None:
        self.system, self.names = system, tuple(names)

    @cached_property
    def _recorded(self) -> _Recorded:
        system, numbers = self.system, _Recorded()
        tree = build(system.mechanism, read=_Kept())
        true_tree = numbers.of_structure(without_coulomb(tree), system.true_tree)
        system.slots(numbers, numbers.of_structure(regroup(true_tree), system.tree), true_tree)
        return numbers

    @property
    def known(self) -> bool:
        """Whether they are what the system itself has."""
        return bool(np.array_equal(self._recorded.values, self.system.numbers.values))

    def of(self, given: Arrays, count: int) -> tuple[np.ndarray, np.ndarray]:
        """Of every motion its numbers; and whether it has the structure, so that the same code serves."""
        evaluation, recorded = Evaluation(given, self.system.mechanism), self._recorded
        found = np.empty((count, len(recorded.scalars)))
        for k, x in enumerate(recorded.scalars):
            found[:, k] = evaluation.of(x)
        fits = np.isfinite(found).all(axis=1)
        for x, value, allowed in recorded.fixed:
            if isinstance(x, Expression):
                fits &= np.abs(evaluation.of(x) - value) <= allowed
        return found, fits
