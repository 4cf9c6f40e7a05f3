"""Reactions of the joints, with what external wrenches, springs between points and constraints add to them.

A wrench on a body passes through every joint between the body and the ground, and through no other.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from lagrangian.algorithms.tree import Tree
from lagrangian.errors import ArgumentError
from lagrangian.kernels.catalogue import Kernels
from lagrangian.kernels.kernel import Wrenches, as_rows, as_wrench_mapping
from lagrangian.model.mechanism import Mechanism

# a load: its link, its point in the world, its moment and its force along the world's axes; arrays have a row for each state
Load = tuple[int, np.ndarray, np.ndarray, np.ndarray]


def reactions(
    kernels: Kernels, motion: tuple[ArrayLike, ...], wrenches: Wrenches, multipliers: ArrayLike | None, t: ArrayLike
) -> np.ndarray:
    """The wrenches that `Dynamics.reactions` gives for the motion (q, qd, qdd)."""
    mechanism, tree = kernels.mechanism, kernels.full_tree
    frame_wrenches = as_wrench_mapping(wrenches)
    names = ("q", "qd", "qdd", *(f"the wrench on {name!r}" for name in frame_wrenches))
    sizes = (tree.nq, tree.nv, tree.nv, *(6 for _ in frame_wrenches))
    (q, qd, qdd, *wrench_rows), batch = as_rows("reactions", names, sizes, (*motion, *frame_wrenches.values()))
    if not mechanism.joints:
        return np.zeros((0, 6) if batch is None else (batch, 0, 6))
    W: np.ndarray = kernels.reactions()(q, qd, qdd)
    if mechanism.equation_count and multipliers is None:
        raise ArgumentError(
            "reactions: the mechanism has constraints, so their forces are needed; pass multipliers=dyn.multipliers(q, qd, tau)",
            concerns="multipliers",
        )
    if frame_wrenches or mechanism.springs or multipliers is not None:
        loads = Loads(mechanism, tree, kernels.link_poses()(q))
        loads.subtract_from(W, loads.wrench_loads(dict(zip(frame_wrenches, wrench_rows, strict=True))))
        if mechanism.springs:
            loads.subtract_from(W, loads.link_loads(kernels.spring_kernel("wrenches")(q, qd)))
        if multipliers is not None:
            (forces,), _ = as_rows("reactions", ("multipliers",), (mechanism.equation_count,), (multipliers,))
            loads.subtract_from(W, loads.link_loads(kernels.constraint_wrenches()(q, forces, *kernels.time_arguments(t))))
    links, axes = zip(*(tree.joint_link[j.name] for j in mechanism.joints), strict=True)
    R = np.array(axes, dtype=float)  # per joint: its axes in the link's
    link_wrenches = W[:, list(links)].reshape(len(W), len(links), 2, 3)
    joint_wrenches: np.ndarray = np.einsum("jba,sjcb->sjca", R, link_wrenches).reshape(len(W), len(links), 6)
    return joint_wrenches[0] if batch is None else joint_wrenches


class Loads:
    """Loads on the links of a tree at given states, from the links' poses (states, links, 12) as `LINK_POSES` gives them."""

    def __init__(self, mechanism: Mechanism, tree: Tree, poses: np.ndarray) -> None:
        self.mechanism, self.tree = mechanism, tree
        self.R = poses[..., :9].reshape(*poses.shape[:-1], 3, 3)
        self.x = poses[..., 9:]

    def wrench_loads(self, wrenches: Mapping[str, Any]) -> Iterator[Load]:
        for name, values in wrenches.items():
            frame = self.mechanism.frame(name)
            link, placement = self.tree.body_places[frame.body]
            wrench = np.broadcast_to(values, (len(self.x), 6))
            point = self.world_point(link, (placement @ frame.placement).position)
            yield link, point, wrench[:, :3], wrench[:, 3:]

    def link_loads(self, wrenches: np.ndarray) -> Iterator[Load]:
        """Wrenches on every link about the world's origin."""
        for link in range(wrenches.shape[1]):
            if np.any(wrenches[:, link]):
                yield link, np.zeros((len(wrenches), 3)), wrenches[:, link, :3], wrenches[:, link, 3:]

    def world_point(self, link: int, local: Any) -> np.ndarray:
        """A point given in a link's frame, in the world."""
        local = np.array([float(c) for c in local])
        if link < 0:
            return np.broadcast_to(local, (len(self.x), 3))
        return self.x[:, link] + self.R[:, link] @ local

    def subtract_from(self, reactions: np.ndarray, loads: Iterator[Load]) -> None:
        """Subtract the loads from the wrenches (states, links, moment and force) of the joints through which they pass."""
        for link, point, moment, force in loads:
            for i in self.tree.path_to_root(link):
                to_link = np.swapaxes(self.R[:, i], 1, 2)
                about = moment + np.cross(point - self.x[:, i], force)
                reactions[:, i, :3] -= np.einsum("sab,sb->sa", to_link, about)
                reactions[:, i, 3:] -= np.einsum("sab,sb->sa", to_link, force)
