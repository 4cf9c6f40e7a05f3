"""Links of one kind of joint told apart by their structure: which of their constants are zero, or one in a rotation.

A chain whose axes are along x and y in turn has rotations of zeros and ones in two patterns: with a step for each of them, no
operation is spent on these. All other numbers are data.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Any

import numpy as np

from lagrangian.algorithms.link import CONSTANTS
from lagrangian.algorithms.structure import structural
from lagrangian.algorithms.tree import Tree
from lagrangian.kernels.rolled.trace import Uniform
from lagrangian.model.joints.joint_type import JointType

MOST = 4  # patterns of one kind: each is code of its own


@dataclass(frozen=True)
class Variant:
    """A kind of joint with one pattern of constants."""

    kind: JointType
    number: int

    @property
    def key(self) -> str:
        return f"{self.kind.key} {self.number}"

    def __getattr__(self, name: str) -> Any:
        return getattr(self.kind, name)

    def __str__(self) -> str:
        return self.key


def variants(tree: Tree) -> tuple[list[Variant], Uniform]:
    """Each link's variant, and the constants that are written into the code of each."""
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
        common = [key for key, _ in counted.most_common(MOST - 1)]
        # the rarer patterns share the last variant
        number[kind] = {key: common.index(key) if key in common else MOST - 1 for key in counted}
    found = [Variant(kind, number[kind][key]) for kind, key in zip(tree.kind, keys, strict=True)]
    uniform: Uniform = {}
    for variant in set(found):
        rows = shown[[v == variant for v in found]]
        for c in np.flatnonzero((rows == rows[0]).all(axis=0)):
            uniform[variant, *columns[c]] = float(rows[0, c])  # type: ignore[index]
    return found, uniform
