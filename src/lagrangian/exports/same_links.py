"""Links of a long mechanism that are the same: their numbers are written into the code once, not in a table for every link."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from lagrangian.algorithms.link import CONSTANTS
from lagrangian.algorithms.sweep import Algorithm, Walk
from lagrangian.algorithms.tree import Tree
from lagrangian.kernels.rolled.trace import Uniform
from lagrangian.kernels.rolled.variants import Variant, told_apart

# kinds of links that have code of their own; in walks every kind meets every other
MOST, MOST_WALKED = 8, 3


def grouped(algorithm: Algorithm, tree: Tree) -> Tree:
    """The tree with a kind for each group of links that are the same, where these are few; else with kinds by their structure."""
    walks = any(isinstance(sweep, Walk) for sweep in algorithm.sweeps)
    rows = np.hstack([tree.constants[name] for name in CONSTANTS]) + 0.0  # no negative zeros
    keys = [(kind, row.tobytes()) for kind, row in zip(tree.kind, rows, strict=True)]
    numbers = {key: k for k, key in enumerate(dict.fromkeys(keys))}
    if len(numbers) > (MOST_WALKED if walks else MOST):
        return told_apart(algorithm, tree)
    kinds: list[Any] = [Variant(key[0], numbers[key]) for key in keys]
    return replace(tree, kind=tuple(kinds))


def shared_constants(tree: Tree) -> Uniform:
    """The constants that all links of a kind share."""
    found: Uniform = {}
    of = np.array([kind.key for kind in tree.kind])
    for kind in set(tree.kind):
        for name in CONSTANTS:
            rows = tree.constants[name][of == kind.key]
            for j in np.flatnonzero((rows == rows[0]).all(axis=0)):
                found[kind, name, int(j)] = float(rows[0, j])
    return found
