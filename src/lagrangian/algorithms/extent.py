"""Whether the inertias of a mechanism lie too far apart for arithmetic with sixteen digits."""

from __future__ import annotations

import numpy as np

from lagrangian.algorithms.tree import Tree

APART = 1e14  # of masses: what the lighter link does is lost in the rounding of the heavier one
FAR = 1e10  # m: from there on, rounding moves a point by a micrometre and more


def beyond_precision(tree: Tree) -> str:
    """What lies too far apart, or is too large, as the end of a sentence; nothing if all is well."""
    masses = np.abs(tree.constants["mass"].ravel().astype(float))
    heavy = masses > 0
    if not heavy.any():
        return ""
    most, least = masses[heavy].max(), masses[heavy].min()
    if most > APART * least:
        return f"masses of {most:.3g} kg and of {least:.3g} kg, which are more than 14 digits apart"
    gyration = np.sqrt(np.abs(tree.constants["I"].astype(float)[heavy]) / masses[heavy, None]).max()
    return f"radii of gyration of {gyration:.3g} m" if gyration > FAR else ""
