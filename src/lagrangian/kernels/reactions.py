"""Reactions of the joints, with what wrenches from outside, springs between points and constraints add to them.

A wrench on a body passes through every joint between the body and the ground, and through no other.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from lagrangian.algorithms.tree import Tree
from lagrangian.errors import ArgumentError
from lagrangian.kernels.arguments import Wrenches, rows_of, wrenches_of
from lagrangian.kernels.collection import Kernels
from lagrangian.model.mechanism import Mechanism

# a load: its link, its point in the world, its moment and its force along the world's axes; all but the link one row a state
Load = tuple[int, np.ndarray, np.ndarray, np.ndarray]


def reactions(
    kernels: Kernels, motion: tuple[ArrayLike, ...], wrenches: Wrenches, multipliers: ArrayLike | None, t: ArrayLike
) -> np.ndarray:
    """What `Dynamics.reactions` gives for the motion (q, qd, qdd)."""
    mechanism, tree = kernels.mechanism, kernels.full_tree
    given = wrenches_of(wrenches)
    names = ("q", "qd", "qdd", *(f"the wrench on {name!r}" for name in given))
    sizes = (tree.nq, tree.nv, tree.nv, *(6 for _ in given))
    (q, qd, qdd, *acting), batch = rows_of("reactions", names, sizes, (*motion, *given.values()))
    if not mechanism.joints:
        return np.zeros((0, 6) if batch is None else (batch, 0, 6))
    W: np.ndarray = kernels.reactions()(q, qd, qdd)
    if mechanism.equations and multipliers is None:
        raise ArgumentError(
            "reactions: the mechanism has constraints, so their forces are needed; pass multipliers=dyn.multipliers(q, qd, tau)",
            concerns="multipliers",
        )
    if given or mechanism.springs or multipliers is not None:
        loads = Loads(mechanism, tree, kernels.link_poses()(q))
        loads.taken_from(W, loads.of_wrenches(dict(zip(given, acting, strict=True))))
        if mechanism.springs:
            loads.taken_from(W, loads.of_links(kernels.spring("wrenches")(q, qd)))
        if multipliers is not None:
            (forces,), _ = rows_of("reactions", ("multipliers",), (mechanism.equations,), (multipliers,))
            loads.taken_from(W, loads.of_links(kernels.constraint_wrenches()(q, forces, *kernels.times(t))))
    links, axes = zip(*(tree.joint_link[j.name] for j in mechanism.joints), strict=True)
    R = np.array(axes, dtype=float)  # per joint: its axes in the link's
    picked = W[:, list(links)].reshape(len(W), len(links), 2, 3)
    turned: np.ndarray = np.einsum("jba,sjcb->sjca", R, picked).reshape(len(W), len(links), 6)
    return turned[0] if batch is None else turned


class Loads:
    """Loads on the links of a tree at given states, from the links' poses (states, links, 12) as `LINK_POSES` gives them."""

    def __init__(self, mechanism: Mechanism, tree: Tree, poses: np.ndarray) -> None:
        self.mechanism, self.tree = mechanism, tree
        self.R = poses[..., :9].reshape(*poses.shape[:-1], 3, 3)
        self.x = poses[..., 9:]

    def of_wrenches(self, wrenches: Mapping[str, Any]) -> Iterator[Load]:
        for name, given in wrenches.items():
            frame = self.mechanism.frame(name)
            link, placement = self.tree.place[frame.body]
            wrench = np.broadcast_to(given, (len(self.x), 6))
            point = self.point(link, (placement @ frame.placement).position)
            yield link, point, wrench[:, :3], wrench[:, 3:]

    def of_links(self, wrenches: np.ndarray) -> Iterator[Load]:
        """Wrenches on every link about the world's origin."""
        for link in range(wrenches.shape[1]):
            if np.any(wrenches[:, link]):
                yield link, np.zeros((len(wrenches), 3)), wrenches[:, link, :3], wrenches[:, link, 3:]

    def point(self, link: int, local: Any) -> np.ndarray:
        """A point given in a link's frame, in the world."""
        local = np.array([float(c) for c in local])
        if link < 0:
            return np.broadcast_to(local, (len(self.x), 3))
        return self.x[:, link] + self.R[:, link] @ local

    def taken_from(self, reactions: np.ndarray, loads: Iterator[Load]) -> None:
        """Subtract what the loads carry themselves from the wrenches (states, links, moment and force) of the joints."""
        for link, point, moment, force in loads:
            for i in self.tree.towards_ground(link):
                to_link = np.swapaxes(self.R[:, i], 1, 2)
                about = moment + np.cross(point - self.x[:, i], force)
                reactions[:, i, :3] -= np.einsum("sab,sb->sa", to_link, about)
                reactions[:, i, 3:] -= np.einsum("sab,sb->sa", to_link, force)
