"""What generated code is tried with: states, and what its functions must give there."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

from lagrangian.exports.evaluate import evaluated
from lagrangian.exports.routine import Argument, Package, Routine
from lagrangian.exports.samples import inputs, states
from lagrangian.model.mechanism import Mechanism

STATES = 3
# how far results may be off, as a part of the largest number of an output or of 1, for numbers of so many bits
TOLERANCE = {64: 1e-10, 32: 2e-3}
# coordinates of a long mechanism: one state with few digits will do; entries of an output of which only some are compared
LONG, MANY, SOME = 60, 400, 40


@dataclass(frozen=True)
class Expected:
    """Entries of an output, by their places in it."""

    output: Argument
    places: list[int]
    values: list[float]

    @property
    def whole(self) -> bool:
        return len(self.places) == self.output.size


@dataclass(frozen=True)
class Case:
    """A routine at a state, which has a number; what it is given by name, and what it must give."""

    routine: Routine
    state: int
    given: dict[str, list[float]]
    expected: list[Expected]


def cases(mechanism: Mechanism, package: Package) -> Iterator[Case]:
    """All routines at some states."""
    long = len(package.coordinates) > LONG
    for k, state in enumerate(states(mechanism, 1 if long else STATES)):
        found = {name: x.round(2) if name != "h" else x for name, x in state.items()} if long else state
        for routine in package.routines:
            given = inputs(routine, found)
            values = evaluated(package, routine, given)
            if all(map(math.isfinite, values)):  # a description may have roots or logarithms that do not exist everywhere
                yield Case(routine, k, given, list(_expected(routine, values)))


def _expected(routine: Routine, values: list[float]) -> Iterator[Expected]:
    at = 0
    for x in routine.outputs:
        places = list(range(x.size)) if x.size <= MANY else [k * (x.size - 1) // (SOME - 1) for k in range(SOME)]
        yield Expected(x, places, [values[at + k] for k in places])
        at += x.size
