"""Links of a tree over numbers of mpmath, so that an algorithm can be run with any number of digits."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import mpmath

from lagrangian.algorithms.link import CONSTANTS, Link
from lagrangian.algorithms.nested import flatten, unflatten
from lagrangian.algorithms.tree import Tree
from lagrangian.kernels.programs import sweeps


def links_of(tree: Tree, values: Mapping[str, Sequence[float]]) -> list[Link]:
    """The links with a state; zeros stay zeros by structure. Products of floats would be rounded: there are none left."""
    links = sweeps.links_at_state(tree, tuple(values), lambda name, k: mpmath.mpf(float(values[name][k])), mpmath.cos, mpmath.sin)
    for link in links:
        for name, template in CONSTANTS.items():
            numbers: list[Any] = [mpmath.mpf(x) if x else 0 for x in flatten(getattr(link, name))]
            setattr(link, name, unflatten(template, iter(numbers)))
    return links
