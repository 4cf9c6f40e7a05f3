"""What wrenches from outside, and springs between points, add to the reactions of the joints.

A wrench on a body passes through every joint between the body and the ground, and through no other.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from lagrangian.algorithms.tree import Tree
from lagrangian.model.mechanism import Mechanism

# a load: its link, its point in the world, its moment and its force along the world's axes; all but the link one row a state
Load = tuple[int, np.ndarray, np.ndarray, np.ndarray]


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
