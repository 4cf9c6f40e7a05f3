"""Exact points: values of a ring's generators, in a field, that satisfy its relations.

Forward dynamics divides, and so leaves the ring. At a point everything is a number of a field and the division is exact: what is
compared there is compared without rounding. Two different rational functions agree at a random point hardly ever. The field is
that of the rational numbers; where a root has no rational value, as sqrt(2) has none, it is that of the integers modulo a large
prime, in which it has one.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from random import Random
from typing import Any

import numpy as np
from flint import fmpq, fmpq_mat, nmod, nmod_mat

from lagrangian.algorithms.tree import Tree
from lagrangian.equations.algebra.ring import RingElement, rational
from lagrangian.equations.reading.system import SymbolicSystem

TRIES = 4  # for each point: a random one may be singular
# 23 modulo 24, so that 2 and 3 have roots; and the root of x, if there is one, is x^((p + 1)/4)
PRIME = 2**61 - 1281
MASSES = ("inertial", "parameter")


class NoPointError(Exception):
    """The relations have no solution with the numbers that were chosen."""


class ExactPoint:
    """Values of all generators, with sines and cosines from half-angle tangents: c = (1 - t^2)/(1 + t^2)."""

    def __init__(self, system: SymbolicSystem, seed: int, modulus: int = 0) -> None:
        self.system, self.modulus = system, modulus
        self.values: list[Any] = [fmpq(0)] * len(system.ring.symbols)
        rng = Random(seed)
        # functions stand before what they are functions of
        for k in range(len(system.ring.symbols) - 1, -1, -1):
            self._choose(k, rng)

    def _choose(self, k: int, rng: Random) -> None:
        system, symbol = self.system, self.system.ring.symbols[k]
        match symbol.kind:
            case "sine" | "constant_sine":
                other = system.ring.generator_index.get(system.scalars.cosine_name(symbol.name))
                t = fmpq(rng.randint(1, 4), rng.randint(5, 9))
                if other is not None:
                    self._set(other, (1 - t * t) / (1 + t * t))
                self._set(k, 2 * t / (1 + t * t))
            case "cosine" | "constant_cosine":
                if not self.values[k]:  # a cosine without its sine
                    self._set(k, fmpq(rng.randint(1, 4), 5))
            case "inverse" | "root" if symbol.name in system.scalars.lengths:
                length = system.scalars.lengths[symbol.name]
                if length.quantity == "height":  # no proof needs the lengths of springs between points
                    height = self.root(self.evaluate(length.square), symbol.name)
                    self._set(k, height if symbol.kind == "root" else 1 / height)
            case "inverse":
                denominator = self.evaluate(system.scalars.read(system.scalars.function_generators[symbol.name][1].arguments[1]))
                if denominator == 0:
                    raise NoPointError(f"{symbol.name} is not finite")
                self._set(k, 1 / denominator)
            case "root":
                self._set(
                    k,
                    self.root(
                        self.evaluate(system.scalars.read(system.scalars.function_generators[symbol.name][1].arguments[0])),
                        symbol.name,
                    ),
                )
            case _:
                self._set(k, fmpq(rng.randint(1, 9), 1 if symbol.kind in MASSES else rng.randint(1, 3)))

    def _set(self, k: int, x: Any) -> None:
        # polynomials are evaluated at rationals, or at whole numbers that stand for their residues
        self.values[k] = fmpq(int(nmod(x, self.modulus))) if self.modulus else x

    def number(self, x: Any) -> Any:
        """A rational number as one of the field."""
        x = rational(x)
        return nmod(x, self.modulus) if self.modulus else fmpq(x)

    def evaluate(self, x: Any) -> Any:
        """The value of an element, a number of the field; a plain 0 stays one, as algorithms take it as a structural zero."""
        if isinstance(x, RingElement):
            return self.number(fmpq(x.poly(*self.values)))
        return self.number(x) if x else 0

    def singular(self, M: list[list[Any]]) -> bool:
        """Whether a matrix of elements has no inverse at this point."""
        n, entries = len(M), [self.evaluate(x) for row in M for x in row]
        return bool((nmod_mat(n, n, entries, self.modulus) if self.modulus else fmpq_mat(n, n, entries)).det() == 0)

    def root(self, x: Any, name: str) -> Any:
        """The root of a number of the field, if it has one there."""
        if self.modulus:
            root = x ** ((self.modulus + 1) // 4)
            if root * root != x:
                raise NoPointError(f"{name} has no value modulo a prime")
            return root
        top, bottom = (_whole_root(part) for part in (fmpq(x).numerator, fmpq(x).denominator))
        if top is None or bottom is None:
            raise NoPointError(f"{name} has no rational value")
        return fmpq(top, bottom)

    def tree(self, tree: Tree) -> Tree:
        """A tree of exact scalars, at this point."""
        value = np.frompyfunc(self.evaluate, 1, 1)
        constants = {name: value(array) if array.size else array for name, array in tree.constants.items()}
        return replace(tree, constants=constants, gravity=tuple(self.evaluate(g) for g in tree.gravity))


def sample_points(system: SymbolicSystem, points: int, find_problem: Callable[[ExactPoint], str]) -> tuple[list[ExactPoint], str]:
    """Points of one field; `find_problem` says what is wrong with one. If there are fewer than requested, the reason as well."""
    sample: list[ExactPoint] = []
    reason = ""
    for modulus in (0, PRIME):
        sample = []
        for seed in range(TRIES * points):
            try:
                point = ExactPoint(system, seed, modulus)
            except NoPointError as problem:
                reason = str(problem)
                continue
            fault = find_problem(point)
            if not fault:
                sample.append(point)
                if len(sample) == points:
                    return sample, ""
            reason = fault or reason
    return sample, reason


def _whole_root(x: Any) -> Any:
    if x < 0:
        return None
    root = x.isqrt()
    return root if root * root == x else None
