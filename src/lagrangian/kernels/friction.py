"""Friction of the joints: viscous, and dry (Coulomb)."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from lagrangian.algorithms.tree import Tree


class FrictionConstants(NamedTuple):
    """One number for every speed; dry friction may differ between the two ways."""

    viscous: np.ndarray
    coulomb_positive: np.ndarray
    coulomb_negative: np.ndarray

    def forces(self, qd: np.ndarray) -> np.ndarray:
        """What friction takes at speeds; dry friction is 0 at rest."""
        dry = np.where(qd < 0, -self.coulomb_negative, 0.0 * qd)
        return self.viscous * qd + np.where(qd > 0, self.coulomb_positive, dry)


def friction_constants(tree: Tree) -> FrictionConstants:
    """From the constants of the links, in the order of the speeds."""
    widths = [kind.nv for kind in tree.kind]
    order = [iv + k for iv, width in zip(tree.iv, widths, strict=True) for k in range(width)]

    def of_speeds(name: str) -> np.ndarray:
        values = np.zeros(tree.nv)
        values[order] = np.repeat(tree.constants[name][:, 0], widths)
        return values

    return FrictionConstants(*(of_speeds(name) for name in FrictionConstants._fields))
