"""Base parameters from numbers: columns of the regressor, over many states, that do not depend on those before them.

The columns are taken in the order in which the exact grouping takes them (links outward, of each first what acts about its
joint), so that the same ones stay and the same ones are grouped (Gautier 1991 does it with QR).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from lagrangian.identification.grouping import Grouping, meaning
from lagrangian.identification.regression import PARAMETERS, Regression
from lagrangian.model import vector as v

DEPENDENT = 1e-8  # of a column's length: what is left of it beside the others is rounding
SMALL = 1e-9  # of a factor in a group, that is none


def numeric_grouping(regression: Regression, Y: np.ndarray) -> Grouping:
    """From the regressor's rows at states that are general enough, `(rows, terms)`."""
    order = keeping_order(regression)
    kept, Q = [], np.zeros((len(Y), 0))
    sizes = np.linalg.norm(Y, axis=0)
    # a column much smaller than what its kind of parameter does elsewhere is rounding
    floor = 1e-13 * np.sqrt(len(Y)) * (np.abs(Y).max(initial=0.0) or 1.0)
    for k in order:
        if sizes[k] <= floor:
            continue
        x = Y[:, k] / sizes[k]
        for _ in range(2):  # twice is enough
            x = x - Q @ (Q.T @ x)
        left = float(np.linalg.norm(x))
        if left > DEPENDENT and Q.shape[1] < len(Y):
            kept.append(k)
            Q = np.column_stack([Q, x / left])
    kept.sort()
    scaled = Y / np.where(sizes > floor, sizes, 1.0)
    shares = np.linalg.solve(Q.T @ scaled[:, kept], Q.T @ scaled) if kept else np.zeros((0, Y.shape[1]))
    shares[:, sizes <= floor] = 0.0
    shares[np.abs(shares) < SMALL] = 0.0
    matrix = shares / sizes[kept][:, None] * sizes[None, :]
    matrix[:, kept] = np.eye(len(kept))
    names, formulas = [], []
    for row, k in zip(matrix, kept, strict=True):
        term = regression.terms[k]
        grouped = np.count_nonzero(row) > 1
        names.append(term.name + ("R" if grouped else ""))
        formulas.append(_formula(regression, row, k) if grouped or term.inertial else meaning(regression, term))
    return Grouping(tuple(names), tuple(formulas), tuple(kept), matrix, False)


def keeping_order(regression: Regression) -> list[int]:
    """Terms in the order in which they are kept: links outward, then rotors, then friction."""
    mechanism = regression.dyn.mechanism
    order = []
    for i, link in enumerate(regression.links):
        joint = mechanism.joints[link.joint]
        R = np.array([[float(x) for x in row] for row in joint.child_placement.rotation])
        direction = R @ np.array([float(x) for x in (joint.axes or (v.Z,))[0]])
        aligned = np.abs(np.abs(direction) - 1) < 1e-12
        axis = "xyz"[int(np.argmax(aligned))] if aligned.any() else "z"
        order += [10 * i + PARAMETERS.index(name) for name in _of_link(axis, not all(joint.slides))]
    return order + list(range(10 * len(regression.links), len(regression.terms)))


def _of_link(axis: str, turns: bool) -> Sequence[str]:
    first, second = (letter for letter in "xyz" if letter != axis)
    products, moments = ["Ixy", "Ixz", "Iyz"], [f"h{a}" for a in (first, second, axis)]
    if turns:
        return [f"I{axis}{axis}", f"I{first}{first}", *products, *moments, f"I{second}{second}", "m"]
    return ["m", *moments, f"I{axis}{axis}", f"I{first}{first}", *products, f"I{second}{second}"]


def _formula(regression: Regression, row: np.ndarray, own: int) -> str:
    words = regression.terms[own].name
    for k in np.flatnonzero(row):
        if k != own:
            size = f"{abs(row[k]):.6g}"
            words += f" {'-' if row[k] < 0 else '+'} " + ("" if size == "1" else f"{size}*") + regression.terms[k].name
    return words
