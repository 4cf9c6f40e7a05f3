"""Links of one kind of joint told apart by their structure: which of their constants are zero, or one in a rotation.

A chain whose axes are along x and y in turn has rotations of zeros and ones in two patterns: with a step for each of them, no
operation is spent on these. All other numbers are data.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from lagrangian.algorithms.link import CONSTANTS
from lagrangian.algorithms.structure import structural
from lagrangian.algorithms.sweep import Algorithm, Walk
from lagrangian.algorithms.tree import Tree
from lagrangian.model.joints.joint_type import JointType

MOST, SHARED = 4, 8  # patterns of one kind, each of which is code of its own, and the links that one must have for that


@dataclass(frozen=True)
class Variant:
    """A kind of joint with one pattern of constants."""

    kind: JointType
    number: int

    @property
    def key(self) -> str:
        return f"{self.kind.key} {self.number}"

    def __getattr__(self, name: str) -> Any:
        if name == "kind":  # of a copy that has nothing yet
            raise AttributeError(name)
        return getattr(self.kind, name)

    def __str__(self) -> str:
        return self.key


def told_apart(algorithm: Algorithm, tree: Tree) -> Tree:
    """The tree with variants for kinds. For walks, where every kind meets every other, that would be too much code."""
    if any(isinstance(sweep, Walk) for sweep in algorithm.sweeps) or any(isinstance(kind, Variant) for kind in tree.kind):
        return tree
    return replace(tree, kind=tuple(variants(tree)))  # type: ignore[arg-type]


def variants(tree: Tree) -> list[Variant]:
    """Each link's variant."""
    columns = [(name, j) for name in CONSTANTS for j in range(tree.constants[name].shape[1])]
    values = np.stack([tree.constants[name][:, j] for name, j in columns], axis=1)
    plain = np.stack([np.isin(values[:, c], structural(name)) for c, (name, _) in enumerate(columns)], axis=1)
    shown = np.where(plain, values, np.nan)
    number: dict[JointType, dict[bytes, int]] = {}
    keys = [row.tobytes() for row in shown + 0.0]
    of_kind: dict[JointType, Counter[bytes]] = {}
    for kind, key in zip(tree.kind, keys, strict=True):
        of_kind.setdefault(kind, Counter())[key] += 1
    for kind, counted in of_kind.items():
        common = [key for key, count in counted.most_common(MOST - 1) if count >= SHARED]
        # the rarer patterns share the last variant
        number[kind] = {key: common.index(key) if key in common else MOST - 1 for key in counted}
    return [Variant(kind, number[kind][key]) for kind, key in zip(tree.kind, keys, strict=True)]
