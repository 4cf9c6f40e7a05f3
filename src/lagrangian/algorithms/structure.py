"""A description with its numbers taken out: what is left decides the code, and the code reads the numbers.

Masses, lengths, stiffnesses, gains: each number of a description gets a slot, and traced equations have an input in its place.
What stays is the structure: which joints and constraints there are, where a number is exactly 0, where a rotation has 0, 1 or -1
in it, the directions of axes, exponents. Two mechanisms of one structure share their machine code.

A slot is written as the symbol `#7`. It has no value, so that nothing can compute with a number that ought to be an input.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import fields, is_dataclass, replace
from typing import Any

import numpy as np

from lagrangian.algorithms.samples import Samples, snapped
from lagrangian.algorithms.tree import Floats, Tree
from lagrangian.cached import cached_property
from lagrangian.model import vector as v
from lagrangian.model.constraint import PfaffianFunction
from lagrangian.model.entries import Typed
from lagrangian.model.expression import Expression, Scalar, parameters, symbol
from lagrangian.model.expression import functions as f
from lagrangian.model.expression.lanes import Lanes
from lagrangian.model.loop import Wall
from lagrangian.model.mechanism import Mechanism
from lagrangian.model.placement import Placement
from lagrangian.model.spring import GravityCompensation, PointSpring

AXES = ("axis", "axis2", "axis3", "normal", "direction")  # directions decide which parts of other vectors are zero
UNITS = (0.0, 1.0, -1.0)  # what folds away in a product


class Numbers:
    """The numbers that were taken out, in the order of their slots; over samples of parameters, if it is given such."""

    def __init__(self, samples: Samples | None = None) -> None:
        self._values: list[float] = []
        self._lanes: list[Any] = []  # the same over samples
        self._samples = samples

    def __len__(self) -> int:
        return len(self._values)

    @property
    def values(self) -> np.ndarray:
        return np.array(self._values, dtype=float)

    @property
    def lanes(self) -> list[Any]:
        """The same over samples: floats, and `Lanes` where they depend on the parameters."""
        return list(self._lanes)

    @property
    def rows(self) -> np.ndarray:
        """A row of numbers for every sample."""
        assert self._samples is not None
        found = np.empty((self._samples.count, len(self)))
        for k, x in enumerate(self._lanes):
            found[:, k] = x.value if isinstance(x, Lanes) else x
        return found

    @property
    def slopes(self) -> np.ndarray:
        """How the numbers of every sample change with each parameter: (samples, parameters, numbers)."""
        assert self._samples is not None
        found = np.zeros((self._samples.count, len(self._samples.values.names), len(self)))
        for k, x in enumerate(self._lanes):
            if isinstance(x, Lanes) and x.slopes is not None:
                found[:, :, k] = x.slopes.T
        return found

    def extend(self, values: Sequence[float], lanes: Sequence[Any]) -> int:
        """Slots for several numbers; the place of the first."""
        first = len(self._values)
        self._values.extend(values)
        self._lanes.extend(lanes)
        return first

    def scalar(self, x: Scalar, structural: tuple[float, ...] = UNITS[:1]) -> Scalar:
        """A number as a slot, unless it is `structural`; in an expression of coordinates, every number that it is made of."""
        value = x.value if isinstance(x, Expression) else float(x)
        if value is None:
            assert isinstance(x, Expression)
            return self._expression(x)
        return self.slot(value, value if self._samples is None else self._samples.number(x), structural)

    def slot(self, value: float, lanes: Any, structural: tuple[float, ...] = UNITS[:1]) -> Scalar:
        """A number that is known over samples as well: it is structure only if it is the same in all."""
        if (value in structural or not math.isfinite(value)) and not varies(lanes, value):
            return float(value)
        return symbol(f"{f.SLOT}{self.extend((float(value),), (lanes,))}")

    def _expression(self, x: Expression) -> Expression:
        if x.operation == "symbol":
            return x
        if x.operation == "^" and (n := exponent(x.arguments[1])) is not None:  # x^2 is a product
            return Expression("^", (self._argument(x.arguments[0]), n), None)
        if x.operation == "/":  # what divides is 0 in no structure, but may be so for some numbers
            return Expression("/", (self._argument(x.arguments[0]), self.scalar(x.arguments[1], UNITS[1:])), None)
        return Expression(x.operation, tuple(self._argument(a) for a in x.arguments), None)

    def _argument(self, x: Scalar) -> Scalar:
        """A factor 1 folds away, but not a parameter that is 1 for now."""
        named = isinstance(x, Expression) and x.value is not None and bool(parameters(x))
        return self.scalar(x, UNITS[:1] if named else UNITS)

    def placement(self, at: Placement) -> Placement:
        return Placement(
            tuple(tuple(self._turning(x) for x in row) for row in at.rotation),  # type: ignore[arg-type]
            tuple(self.scalar(x) for x in at.position),  # type: ignore[arg-type]
        )

    def _turning(self, x: Scalar) -> Scalar:
        """An entry of a rotation."""
        lanes = float(x) if self._samples is None else self._samples.number(x)
        return self.slot(snapped(float(x)), snapped(lanes), UNITS)

    def part(self, x: Any) -> Any:
        """A loop, a constraint, a spring with slots for its numbers."""
        if isinstance(x, (bool, str, type(None), PfaffianFunction)):
            return x
        if isinstance(x, (int, float, Expression)):
            return self.scalar(x)
        if isinstance(x, Placement):
            return self.placement(x)
        if isinstance(x, tuple):
            return tuple(self.part(item) for item in x)
        if not is_dataclass(x):
            raise TypeError(f"{type(x).__name__} in a description is not known to hold numbers")
        return slots_in(x, **{field.name: self._entry(x, field.name) for field in fields(x)})

    def _entry(self, x: Any, name: str) -> Any:
        value = getattr(x, name)
        if name in AXES:
            return _floats(value)
        if isinstance(x, Typed) and name == "own":
            return tuple((key, _floats(entry) if key in AXES else self.part(entry)) for key, entry in value)
        return self.part(value)


def exponent(n: Scalar) -> float | None:
    """An exponent that is structure: a whole number, named or not, or a half."""
    value = n.value if isinstance(n, Expression) else float(n)
    return value if value is not None and (value.is_integer() or value == 0.5) else None


def varies(lanes: Any, value: float) -> bool:
    """Whether a number is another in some sample, or would be for other parameters."""
    return isinstance(lanes, Lanes) and lanes.varies(value)


def _floats(x: Any) -> Any:
    return tuple(float(c) for c in x) if isinstance(x, tuple) else x


def slots_in(x: Any, **entries: Any) -> Any:
    """A copy of a part with other entries, which is not checked: slots have no values."""
    made = object.__new__(type(x))
    for field in fields(x):
        object.__setattr__(made, field.name, entries.get(field.name, getattr(x, field.name)))
    return made


def samples_of(tree: Tree) -> Samples | None:
    """The samples of parameters that a tree is over, if there are any."""
    read = None if tree.lanes is None else tree.lanes.read
    return read if isinstance(read, Samples) else None


class Slots(Floats):
    """How a traced tree reads a description whose numbers are slots: `names` has what stands in the place of each."""

    def __init__(self, names: Mapping[str, Any]) -> None:
        self.names = names

    def number(self, scalar: Scalar) -> Any:
        return f.evaluate(scalar, self.names)

    def vector(self, x: v.Vector) -> v.Vector:
        return tuple(self.number(c) for c in x)

    def place(self, at: Placement, placement: Placement) -> Placement:
        R = tuple(tuple(self.number(x) for x in row) for row in placement.rotation)
        return at @ Placement(R, self.vector(placement.position))  # type: ignore[arg-type]

    def triad(self, axis: v.Vector) -> v.Matrix:
        return super().triad(Floats.vector(self, axis))


class TreeStructure:
    """A tree whose constants are slots: those that are 0, and of rotations 1 and -1, are structure."""

    def __init__(self, tree: Tree, numbers: Numbers, bodies: Iterable[str] = ()) -> None:
        self.tree, self.numbers = tree, numbers
        self._masks = {name: self._free(name) for name in tree.constants}
        self._first = {name: self._slots(name) for name in tree.constants}
        lanes = tree if tree.lanes is None else tree.lanes
        self._gravity = tuple(numbers.slot(x, y) for x, y in zip(tree.gravity, lanes.gravity, strict=True))
        self._place = {body: (tree.place[body][0], self._placed(body)) for body in sorted(set(bodies))}

    def _placed(self, body: str) -> Placement:
        """Where a body is on its link."""
        lanes, numbers = self.tree if self.tree.lanes is None else self.tree.lanes, self.numbers
        at, beside = self.tree.place[body][1], lanes.place[body][1]
        R = tuple(
            tuple(numbers.slot(snapped(float(x)), snapped(y), UNITS) for x, y in zip(*rows, strict=True))
            for rows in zip(at.rotation, beside.rotation, strict=True)
        )
        pairs = zip(at.position, beside.position, strict=True)
        p = tuple(numbers.slot(float(x), y if isinstance(y, Lanes) else float(y)) for x, y in pairs)
        return Placement(R, p)  # type: ignore[arg-type]

    def _free(self, name: str) -> np.ndarray:
        """Which constants are slots."""
        free: np.ndarray = ~np.isin(self.tree.constants[name], structural(name))
        if self.tree.lanes is not None:
            pairs = zip(self.tree.lanes.constants[name].ravel(), self.tree.constants[name].ravel(), strict=True)
            free |= np.array([varies(lanes, value) for lanes, value in pairs], dtype=bool).reshape(free.shape)
        return free

    def _slots(self, name: str) -> int:
        """Slots for a constant of all links; the place of the first."""
        mask, values = self._masks[name], self.tree.constants[name]
        lanes = values if self.tree.lanes is None else self.tree.lanes.constants[name]
        return self.numbers.extend(values[mask].tolist(), lanes[mask].tolist())

    def update(self, digest: Any) -> None:
        """Tell a digest the structure."""
        tree = self.tree
        digest.update(repr((tree.kind, tree.parent, tree.iq, tree.iv, tree.nq, tree.nv, self._gravity, self._place)).encode())
        for name in sorted(self._masks):
            mask = self._masks[name]
            digest.update(name.encode() + mask.tobytes() + np.where(mask, 0.0, tree.constants[name]).tobytes())

    def read_by(self, slot: Callable[[int], Any]) -> Tree:
        """The tree with `slot(k)` in the place of number k, and a reader of what else has slots."""
        read = Slots({f"{f.SLOT}{k}": slot(k) for k in range(len(self.numbers))})
        constants = {}
        for name, array in self.tree.constants.items():
            made = array.astype(object)
            first, mask = self._first[name], self._masks[name]
            made[mask] = [slot(first + k) for k in range(int(mask.sum()))]
            constants[name] = made
        gravity: Any = tuple(read.number(x) for x in self._gravity)
        place = {body: (link, read.place(Placement(), at)) for body, (link, at) in self._place.items()}
        return replace(self.tree, constants=constants, gravity=gravity, place=place, read=read)


def structural(constant: str) -> tuple[float, ...]:
    """The values of a constant of a link that are no slots."""
    return UNITS if constant == "R" else UNITS[:1]


class Structure:
    """A mechanism on one of its trees, with its numbers taken out. `bodies` are those on which more stands than it says."""

    def __init__(self, mechanism: Mechanism, tree: Tree, numbers: Numbers | None = None, bodies: Iterable[str] = ()) -> None:
        self.numbers = Numbers(samples_of(tree)) if numbers is None else numbers
        self._tree = TreeStructure(tree, self.numbers, {*_bodies(mechanism), *bodies})
        self._given = mechanism
        part = self.numbers.part
        self._parts = {name: part(getattr(mechanism, name)) for name in ("loops", "constraints", "springs", "gravity")}
        self._carried = {
            s.body: (part(mechanism.body(s.body).mass), part(mechanism.body(s.body).center))
            for s in mechanism.springs
            if isinstance(s, GravityCompensation)
        }

    @cached_property
    def mechanism(self) -> Mechanism:
        """With slots in what is between its bodies."""
        given = self._given
        bodies = tuple(
            slots_in(b, mass=found[0], center=found[1]) if (found := self._carried.get(b.name)) else b for b in given.bodies
        )
        made: Mechanism = slots_in(given, **self._parts, bodies=bodies)
        return made

    def update(self, digest: Any) -> None:
        """Tell a digest the structure: all that equations of motion depend on beside numbers."""
        self._tree.update(digest)
        digest.update(repr(plain(self._parts)).encode())
        digest.update(repr(plain(self._carried)).encode())
        digest.update(repr([(j.name, j.type, j.actuated) for j in self._given.joints]).encode())

    @cached_property
    def digest(self) -> bytes:
        found = hashlib.sha256()
        self.update(found)
        return found.digest()

    def read_by(self, slot: Callable[[int], Any]) -> Tree:
        """Its tree as `TreeStructure.read_by` gives it."""
        return self._tree.read_by(slot)


def _bodies(mechanism: Mechanism) -> set[str]:
    """The bodies on which loops, constraints and springs stand."""
    found = {body for loop in mechanism.loops for body in (loop.a, loop.b)}
    for part in (*mechanism.constraints, *mechanism.springs):
        if isinstance(part, PointSpring):
            found |= {body for body, _ in part.points}
        elif isinstance(part, Wall):
            found |= {part.body, part.on}
        else:
            found |= {getattr(part, name) for name in ("body", "on") if hasattr(part, name)}
    return found


def plain(x: Any) -> Any:
    """Something whose text tells it from all others."""
    if isinstance(x, Expression):
        return str(x)
    if isinstance(x, PfaffianFunction):
        return (x.name, x.equations)
    if is_dataclass(x) and not isinstance(x, type):
        return (type(x).__name__, *(plain(getattr(x, field.name)) for field in fields(x)))
    if isinstance(x, dict):
        return tuple((key, plain(y)) for key, y in x.items())
    return tuple(plain(y) for y in x) if isinstance(x, (tuple, list)) else x
