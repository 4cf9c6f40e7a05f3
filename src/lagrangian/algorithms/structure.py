"""The structure of a mechanism: its description without numbers. It decides the code, and the code reads the numbers.

Each number of a description, such as a mass, a length, a stiffness or a gain, gets a slot, and traced equations have an input in
its place. The structure is the rest: which joints and constraints there are, where a number is exactly 0, where a rotation has 0,
1 or -1, the directions of axes, exponents. Two mechanisms of one structure share their machine code.

A slot is written as the symbol `#7`. It has no value, so that nothing can compute with a number that ought to be an input.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import fields, is_dataclass, replace
from typing import Any

import numpy as np

from lagrangian.algorithms.samples import SampleReader, snap_to_exact
from lagrangian.algorithms.tree import ScalarReader, Tree
from lagrangian.cached import cached_property
from lagrangian.model import vector as v
from lagrangian.model.constraint import PfaffianFunctionConstraint
from lagrangian.model.expression import Expression, Scalar, parameters, symbol
from lagrangian.model.expression import functions as f
from lagrangian.model.expression.automatic_derivatives import DualArray
from lagrangian.model.mechanism import Mechanism
from lagrangian.model.placement import Transform
from lagrangian.model.spring import GravityCompensation, PointSpring, Wall
from lagrangian.model.type_entries import TypedElement

AXIS_NAMES = ("axis", "axis2", "axis3", "normal", "direction")  # directions decide which parts of other vectors are zero
FOLDED_VALUES = (0.0, 1.0, -1.0)  # what folds away in a product


class SlotNumbers:
    """The numbers of a description in the order of their slots; also over samples of parameters, if there are some."""

    def __init__(self, samples: SampleReader | None = None) -> None:
        self._values: list[float] = []
        self._sample_values: list[Any] = []  # the same over samples
        self._samples = samples

    def __len__(self) -> int:
        return len(self._values)

    @property
    def values(self) -> np.ndarray:
        return np.array(self._values, dtype=float)

    @property
    def sample_values(self) -> list[Any]:
        """The same over samples: floats, and `DualArray` where they depend on the parameters."""
        return list(self._sample_values)

    @property
    def sample_rows(self) -> np.ndarray:
        """A row of numbers for every sample."""
        assert self._samples is not None
        rows = np.empty((self._samples.count, len(self)))
        for k, x in enumerate(self._sample_values):
            rows[:, k] = x.value if isinstance(x, DualArray) else x
        return rows

    @property
    def slopes(self) -> np.ndarray:
        """How the numbers of every sample change with each parameter: (samples, parameters, numbers)."""
        assert self._samples is not None
        slopes = np.zeros((self._samples.count, len(self._samples.evaluator.names), len(self)))
        for k, x in enumerate(self._sample_values):
            if isinstance(x, DualArray) and x.slopes is not None:
                slopes[:, :, k] = x.slopes.T
        return slopes

    def extend(self, values: Sequence[float], sample_values: Sequence[Any]) -> int:
        """Slots for several numbers; the place of the first."""
        first = len(self._values)
        self._values.extend(values)
        self._sample_values.extend(sample_values)
        return first

    def scalar(self, x: Scalar, structural: tuple[float, ...] = FOLDED_VALUES[:1]) -> Scalar:
        """A number as a slot, unless it is `structural`; in an expression of coordinates, every number that it is made of."""
        value = x.value if isinstance(x, Expression) else float(x)
        if value is None:
            assert isinstance(x, Expression)
            return self._expression(x)
        return self.slot(value, value if self._samples is None else self._samples.number(x), structural)

    def slot(self, value: float, sample_value: Any, structural: tuple[float, ...] = FOLDED_VALUES[:1]) -> Scalar:
        """A number that is known over samples as well: it is structure only if it is the same in all."""
        if (value in structural or not math.isfinite(value)) and not varies_over_samples(sample_value, value):
            return float(value)
        return symbol(f"{f.SLOT_PREFIX}{self.extend((float(value),), (sample_value,))}")

    def _expression(self, x: Expression) -> Expression:
        if x.operation == "symbol":
            return x
        if x.operation == "^" and (n := structural_exponent(x.arguments[1])) is not None:  # x^2 is a product
            return Expression("^", (self._argument(x.arguments[0]), n), None)
        if x.operation == "/":  # what divides is 0 in no structure, but may be so for some numbers
            return Expression("/", (self._argument(x.arguments[0]), self.scalar(x.arguments[1], FOLDED_VALUES[1:])), None)
        return Expression(x.operation, tuple(self._argument(a) for a in x.arguments), None)

    def _argument(self, x: Scalar) -> Scalar:
        """Return an argument of an operation: a factor 1 folds away, but not a parameter that is 1 for now."""
        is_named = isinstance(x, Expression) and x.value is not None and bool(parameters(x))
        return self.scalar(x, FOLDED_VALUES[:1] if is_named else FOLDED_VALUES)

    def placement(self, placement: Transform) -> Transform:
        return Transform(
            tuple(tuple(self._rotation_entry(x) for x in row) for row in placement.rotation),  # type: ignore[arg-type]
            tuple(self.scalar(x) for x in placement.position),  # type: ignore[arg-type]
        )

    def _rotation_entry(self, x: Scalar) -> Scalar:
        """An entry of a rotation."""
        sample_value = float(x) if self._samples is None else self._samples.number(x)
        return self.slot(snap_to_exact(float(x)), snap_to_exact(sample_value), FOLDED_VALUES)

    def part(self, x: Any) -> Any:
        """Return a loop, a constraint or a spring with slots for its numbers."""
        if isinstance(x, (bool, str, type(None), PfaffianFunctionConstraint)):
            return x
        if isinstance(x, (int, float, Expression)):
            return self.scalar(x)
        if isinstance(x, Transform):
            return self.placement(x)
        if isinstance(x, tuple):
            return tuple(self.part(item) for item in x)
        if not is_dataclass(x):
            raise TypeError(f"{type(x).__name__} in a description is not known to hold numbers")
        return with_slots(x, **{field.name: self._entry(x, field.name) for field in fields(x)})

    def _entry(self, x: Any, name: str) -> Any:
        value = getattr(x, name)
        if name in AXIS_NAMES:
            return _floats(value)
        if isinstance(x, TypedElement) and name == "type_entries":
            return tuple((key, _floats(entry) if key in AXIS_NAMES else self.part(entry)) for key, entry in value)
        return self.part(value)


def structural_exponent(n: Scalar) -> float | None:
    """Return an exponent that belongs to the structure: a whole number, named or not, or a half; None for others."""
    value = n.value if isinstance(n, Expression) else float(n)
    return value if value is not None and (value.is_integer() or value == 0.5) else None


def varies_over_samples(sample_value: Any, value: float) -> bool:
    """Whether a number differs between samples, or would for other parameters."""
    return isinstance(sample_value, DualArray) and sample_value.differs_from(value)


def _floats(x: Any) -> Any:
    return tuple(float(c) for c in x) if isinstance(x, tuple) else x


def with_slots(x: Any, **entries: Any) -> Any:
    """Return a copy of a part with other entries; it is not checked, because slots have no values."""
    copy = object.__new__(type(x))
    for field in fields(x):
        object.__setattr__(copy, field.name, entries.get(field.name, getattr(x, field.name)))
    return copy


def tree_samples(tree: Tree) -> SampleReader | None:
    """Return the samples of parameters of a tree, if there are any."""
    reader = None if tree.sample_tree is None else tree.sample_tree.reader
    return reader if isinstance(reader, SampleReader) else None


class SlotReader(ScalarReader):
    """Reads a description whose numbers are slots into a traced tree; `symbol_values` has the scalar for each slot."""

    def __init__(self, names: Mapping[str, Any]) -> None:
        self.symbol_values = names

    def number(self, scalar: Scalar) -> Any:
        return f.evaluate(scalar, self.symbol_values)

    def vector(self, x: v.Vector) -> v.Vector:
        return tuple(self.number(c) for c in x)

    def frame_on_link(self, body_placement: Transform, placement: Transform) -> Transform:
        R = tuple(tuple(self.number(x) for x in row) for row in placement.rotation)
        return body_placement @ Transform(R, self.vector(placement.position))  # type: ignore[arg-type]

    def triad(self, axis: v.Vector) -> v.Matrix:
        return super().triad(ScalarReader.vector(self, axis))


class TreeStructure:
    """A tree whose constants are slots; those that are 0, and in rotations 1 and -1, belong to the structure."""

    def __init__(self, tree: Tree, numbers: SlotNumbers, bodies: Iterable[str] = ()) -> None:
        self.tree, self.numbers = tree, numbers
        self._masks = {name: self._slot_mask(name) for name in tree.constants}
        self._first_slot = {name: self._assign_slots(name) for name in tree.constants}
        sample_tree = tree if tree.sample_tree is None else tree.sample_tree
        self._gravity = tuple(numbers.slot(x, y) for x, y in zip(tree.gravity, sample_tree.gravity, strict=True))
        self._body_places = {body: (tree.body_places[body][0], self._slot_placement(body)) for body in sorted(set(bodies))}

    def _slot_placement(self, body: str) -> Transform:
        """Return the placement of a body on its link, with slots."""
        sample_tree, numbers = self.tree if self.tree.sample_tree is None else self.tree.sample_tree, self.numbers
        placement, over_samples = self.tree.body_places[body][1], sample_tree.body_places[body][1]
        R = tuple(
            tuple(numbers.slot(snap_to_exact(float(x)), snap_to_exact(y), FOLDED_VALUES) for x, y in zip(*rows, strict=True))
            for rows in zip(placement.rotation, over_samples.rotation, strict=True)
        )
        pairs = zip(placement.position, over_samples.position, strict=True)
        p = tuple(numbers.slot(float(x), y if isinstance(y, DualArray) else float(y)) for x, y in pairs)
        return Transform(R, p)  # type: ignore[arg-type]

    def _slot_mask(self, name: str) -> np.ndarray:
        """Return which constants are slots."""
        free: np.ndarray = ~np.isin(self.tree.constants[name], structural_values(name))
        if self.tree.sample_tree is not None:
            pairs = zip(self.tree.sample_tree.constants[name].ravel(), self.tree.constants[name].ravel(), strict=True)
            free |= np.array([varies_over_samples(x, value) for x, value in pairs], dtype=bool).reshape(free.shape)
        return free

    def _assign_slots(self, name: str) -> int:
        """Assign slots to a constant of all links, and return the first one."""
        mask, values = self._masks[name], self.tree.constants[name]
        sample_values = values if self.tree.sample_tree is None else self.tree.sample_tree.constants[name]
        return self.numbers.extend(values[mask].tolist(), sample_values[mask].tolist())

    def update_digest(self, digest: Any) -> None:
        """Update a digest with the structure."""
        tree = self.tree
        digest.update(
            repr((tree.kind, tree.parent, tree.iq, tree.iv, tree.nq, tree.nv, self._gravity, self._body_places)).encode()
        )
        for name in sorted(self._masks):
            mask = self._masks[name]
            digest.update(name.encode() + mask.tobytes() + np.where(mask, 0.0, tree.constants[name]).tobytes())

    def with_slot_values(self, slot: Callable[[int], Any]) -> Tree:
        """Return the tree with `slot(k)` for number k, and with a reader for what else has slots."""
        reader = SlotReader({f"{f.SLOT_PREFIX}{k}": slot(k) for k in range(len(self.numbers))})
        constants = {}
        for name, array in self.tree.constants.items():
            column = array.astype(object)
            first, mask = self._first_slot[name], self._masks[name]
            column[mask] = [slot(first + k) for k in range(int(mask.sum()))]
            constants[name] = column
        gravity: Any = tuple(reader.number(x) for x in self._gravity)
        body_places = {body: (link, reader.frame_on_link(Transform(), x)) for body, (link, x) in self._body_places.items()}
        return replace(self.tree, constants=constants, gravity=gravity, body_places=body_places, reader=reader)


def structural_values(constant: str) -> tuple[float, ...]:
    """Return the values of a constant of a link that are not slots."""
    return FOLDED_VALUES if constant == "R" else FOLDED_VALUES[:1]


class Structure:
    """The structure of a mechanism on one of its trees; `bodies` are bodies on which more is attached than it says."""

    def __init__(self, mechanism: Mechanism, tree: Tree, numbers: SlotNumbers | None = None, bodies: Iterable[str] = ()) -> None:
        self.numbers = SlotNumbers(tree_samples(tree)) if numbers is None else numbers
        self._tree = TreeStructure(tree, self.numbers, {*_attached_bodies(mechanism), *bodies})
        self._original = mechanism
        part = self.numbers.part
        self._parts = {name: part(getattr(mechanism, name)) for name in ("loops", "constraints", "springs", "gravity")}
        self._compensated_bodies = {
            s.body: (part(mechanism.body(s.body).mass), part(mechanism.body(s.body).center))
            for s in mechanism.springs
            if isinstance(s, GravityCompensation)
        }

    @cached_property
    def mechanism(self) -> Mechanism:
        """The mechanism with slots in its loops, constraints and springs."""
        original = self._original
        bodies = tuple(
            with_slots(b, mass=slots[0], center=slots[1]) if (slots := self._compensated_bodies.get(b.name)) else b
            for b in original.bodies
        )
        copy: Mechanism = with_slots(original, **self._parts, bodies=bodies)
        return copy

    def update_digest(self, digest: Any) -> None:
        """Update a digest with the structure: all that equations of motion depend on beside numbers."""
        self._tree.update_digest(digest)
        digest.update(repr(canonical_form(self._parts)).encode())
        digest.update(repr(canonical_form(self._compensated_bodies)).encode())
        digest.update(repr([(j.name, j.type, j.actuated) for j in self._original.joints]).encode())

    @cached_property
    def digest(self) -> bytes:
        sha256 = hashlib.sha256()
        self.update_digest(sha256)
        return sha256.digest()

    def with_slot_values(self, slot: Callable[[int], Any]) -> Tree:
        """Return its tree with scalars for the slots: see `TreeStructure.with_slot_values`."""
        return self._tree.with_slot_values(slot)


def _attached_bodies(mechanism: Mechanism) -> set[str]:
    """Return the bodies to which loops, constraints and springs are attached."""
    names = {body for loop in mechanism.loops for body in (loop.a, loop.b)}
    for part in (*mechanism.constraints, *mechanism.springs):
        if isinstance(part, PointSpring):
            names |= {body for body, _ in part.points}
        elif isinstance(part, Wall):
            names |= {part.body, part.on}
        else:
            names |= {getattr(part, name) for name in ("body", "on") if hasattr(part, name)}
    return names


def canonical_form(x: Any) -> Any:
    """A simplified form of a value, whose text tells it from all others."""
    if isinstance(x, Expression):
        return str(x)
    if isinstance(x, PfaffianFunctionConstraint):
        return (x.name, x.equation_count)
    if is_dataclass(x) and not isinstance(x, type):
        return (type(x).__name__, *(canonical_form(getattr(x, field.name)) for field in fields(x)))
    if isinstance(x, dict):
        return tuple((key, canonical_form(y)) for key, y in x.items())
    return tuple(canonical_form(y) for y in x) if isinstance(x, (tuple, list)) else x
