"""Exact points: rational values of a ring's generators that satisfy its relations.

Forward dynamics divides, and so leaves the ring. At a point everything is a rational number and the division is exact: what is
compared there is compared without rounding. Two different rational functions agree at a random point hardly ever.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from random import Random
from typing import Any

import numpy as np
from flint import fmpq, fmpz

from lagrangian.algorithms.tree import Tree
from lagrangian.equations.ring import Element
from lagrangian.equations.system import System

TRIES = 4  # for each point: a random one may be singular
MASSES = ("inertial", "parameter")


class NoPoint(Exception):
    """The relations have no rational solution that is easily found."""


class Point:
    """Values of all generators, with sines and cosines from rational half-angle tangents: c = (1 - t^2)/(1 + t^2)."""

    def __init__(self, system: System, seed: int) -> None:
        self.system = system
        self.values: list[Any] = [fmpq(0)] * len(system.ring.symbols)
        chance = Random(seed)
        # functions stand before what they are functions of
        for k in range(len(system.ring.symbols) - 1, -1, -1):
            self._choose(k, chance)

    def _choose(self, k: int, chance: Random) -> None:
        system, symbol = self.system, self.system.ring.symbols[k]
        match symbol.kind:
            case "sine" | "constant_sine":
                other = system.ring.number.get(system.scalars.cosine_name(symbol.name))
                t = fmpq(chance.randint(1, 4), chance.randint(5, 9))
                if other is not None:
                    self.values[other] = (1 - t * t) / (1 + t * t)
                self.values[k] = 2 * t / (1 + t * t)
            case "cosine" | "constant_cosine":
                if not self.values[k]:  # of which no one takes the sine
                    self.values[k] = fmpq(chance.randint(1, 4), 5)
            case "inverse" | "root" if symbol.name in system.scalars.lengths:
                pass  # lengths of springs between points, which the tree's equations do not have
            case "inverse":
                denominator = self.of(system.scalars.of(system.scalars.atoms[symbol.name][1].arguments[1]))
                if denominator == 0:
                    raise NoPoint(f"{symbol.name} is not finite")
                self.values[k] = 1 / fmpq(denominator)
            case "root":
                self.values[k] = _root(self.of(system.scalars.of(system.scalars.atoms[symbol.name][1].arguments[0])), symbol.name)
            case _:
                self.values[k] = fmpq(chance.randint(1, 9), 1 if symbol.kind in MASSES else chance.randint(1, 3))

    def of(self, x: Any) -> Any:
        """The value, a rational; a plain 0 stays what it is, for that is structure to the algorithms."""
        if isinstance(x, Element):
            return fmpq(x.poly(*self.values))
        return fmpq(x.numerator, x.denominator) if x else 0

    def tree(self, tree: Tree) -> Tree:
        """A tree of exact scalars, at this point."""
        value = np.frompyfunc(self.of, 1, 1)
        constants = {name: value(array) if array.size else array for name, array in tree.constants.items()}
        return replace(tree, constants=constants, gravity=tuple(self.of(g) for g in tree.gravity))  # type: ignore[arg-type]


def spread(system: System, points: int, admit: Callable[[Point], str]) -> tuple[list[Point], str]:
    """So many points; `admit` says what is wrong with one. If there are fewer, why."""
    found: list[Point] = []
    reason = ""
    for seed in range(TRIES * points):
        try:
            point = Point(system, seed)
        except NoPoint as problem:
            reason = str(problem)
            continue
        wrong = admit(point)
        if not wrong:
            found.append(point)
            if len(found) == points:
                return found, ""
        reason = wrong or reason
    return found, reason


def _root(x: Any, name: str) -> Any:
    x = fmpq(x)
    top, bottom = (_whole_root(fmpz(part)) for part in (x.numerator, x.denominator))
    if top is None or bottom is None:
        raise NoPoint(f"{name} has no rational value at a rational point")
    return fmpq(top, bottom)


def _whole_root(x: Any) -> Any:
    if x < 0:
        return None
    root = x.isqrt()
    return root if root * root == x else None
