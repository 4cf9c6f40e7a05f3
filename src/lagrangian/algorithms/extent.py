"""Whether the numbers of a mechanism lie too far apart, or are too large, for arithmetic with sixteen digits."""

from __future__ import annotations

import numpy as np

from lagrangian.algorithms.tree import Tree

APART = 1e14  # of masses: what the lighter link does is lost in the rounding of the heavier one
FAR = 1e10  # m: from there on, rounding moves a point by a micrometre and more


def beyond_precision(tree: Tree) -> str:
    """A sentence that says what is too large or too far apart; nothing if all is well."""
    masses = np.abs(tree.constants["mass"].ravel().astype(float))
    masses = masses[masses > 0]
    if masses.size and masses.max() > APART * masses.min():
        return f"it has masses of {masses.max():.3g} kg and of {masses.min():.3g} kg, which are more than 14 digits apart"
    lengths = np.abs(np.concatenate([tree.constants["p"].ravel(), *_arms(tree)]).astype(float))
    if lengths.size and lengths.max() > FAR:
        return f"it has lengths of {lengths.max():.3g} m"
    return ""


def _arms(tree: Tree) -> list[np.ndarray]:
    """How far the centres of mass are from the frames, and the radii of gyration."""
    masses = tree.constants["mass"].ravel().astype(float)
    heavy = np.abs(masses) > 0
    h, I = (tree.constants[name].astype(float)[heavy] for name in ("h", "I"))
    centers = h / masses[heavy, None]
    return [centers.ravel(), np.sqrt(np.abs(I / masses[heavy, None])).ravel()]
