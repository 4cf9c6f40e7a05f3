"""The nodes of a grid that a frame can reach, found from samples and then from node to node.

A node that is not reached from its neighbours is tried from samples near it too, and a node in a hole from more of them: a node
that is not found from one side may be found from another.
"""

from __future__ import annotations

import numpy as np
from scipy import ndimage
from scipy.spatial import cKDTree

from lagrangian.design.reach_solver import ReachSolver

MARGIN = 2  # nodes beyond the samples
SAMPLES_PER_NODE, SAMPLES_PER_HOLE_NODE = 3, 12  # samples that a node is tried from
MIN_NODES = 16  # across the shortest side
MAX_GROWTHS = 6  # times that a grid may grow where its edge is reached


class ReachabilityGrid:
    """Nodes `spacing` apart along each axis, from the corner `low` on; whether each is reached, and by which configuration."""

    def __init__(self, solver: ReachSolver, samples: np.ndarray, resolution: int) -> None:
        self.solver, self.samples = solver, samples
        self.positions = solver.positions(samples)
        low, high = self.positions.min(axis=0), self.positions.max(axis=0)
        extent = high - low
        self.spacing = extent / np.maximum(resolution * extent / extent.max(), MIN_NODES)
        self._tree = cKDTree(self.positions)
        self._allocate(low - MARGIN * self.spacing, high + MARGIN * self.spacing)
        self._seed()
        self._flood(np.argwhere(self.reached))
        for _ in range(MAX_GROWTHS):
            if not self._grow():
                break
        self._try_samples(self._unreached_neighbours(), SAMPLES_PER_NODE)
        self._try_samples(np.argwhere(self.holes()[0] > 0), SAMPLES_PER_HOLE_NODE)

    def _allocate(self, low: np.ndarray, high: np.ndarray) -> None:
        self.low = low
        shape = tuple((np.ceil((high - low) / self.spacing).astype(int) + 1).tolist())
        self.reached = np.zeros(shape, dtype=bool)
        self.q = np.zeros((*shape, self.samples.shape[1]))
        self._tries = np.zeros(shape, dtype=int)

    def node_positions(self, nodes: np.ndarray) -> np.ndarray:
        """The positions of nodes with these indices."""
        positions: np.ndarray = self.low + self.spacing * nodes
        return positions

    def _attempt(self, nodes: np.ndarray, guess: np.ndarray) -> np.ndarray:
        """Try to reach nodes from configurations, and return the nodes that were reached."""
        q, converged = self.solver.solve(self.node_positions(nodes), guess)
        index = tuple(nodes.T)
        self._tries[index] += 1
        reached_nodes = nodes[converged]
        self.reached[tuple(reached_nodes.T)] = True
        self.q[tuple(reached_nodes.T)] = q[converged]
        return reached_nodes

    def _seed(self) -> None:
        """Try every node that is nearest to a sample, from the nearest of its samples."""
        nodes = np.rint((self.positions - self.low) / self.spacing).astype(int)
        distances = np.linalg.norm(self.node_positions(nodes) - self.positions, axis=1)
        order = np.argsort(distances)
        flat = np.ravel_multi_index(tuple(nodes[order].T), self.reached.shape)
        _, first = np.unique(flat, return_index=True)
        self._attempt(nodes[order][first], self.samples[order][first])

    def _flood(self, new: np.ndarray) -> None:
        """Try the neighbours of nodes that were reached, and then theirs, until no more are reached."""
        steps = np.concatenate([sign * np.eye(self.reached.ndim, dtype=int) for sign in (1, -1)])
        while len(new):
            neighbours = (new[:, None] + steps).reshape(-1, new.shape[1])
            guess = np.repeat(self.q[tuple(new.T)], len(steps), axis=0)
            inside = ((neighbours >= 0) & (neighbours < self.reached.shape)).all(axis=1)
            neighbours, guess = neighbours[inside], guess[inside]
            untried = ~self.reached[tuple(neighbours.T)] & (self._tries[tuple(neighbours.T)] < SAMPLES_PER_NODE)
            neighbours, first = np.unique(neighbours[untried], axis=0, return_index=True)
            new = self._attempt(neighbours, guess[untried][first]) if len(neighbours) else neighbours

    def _grow(self) -> bool:
        """Enlarge the grid if nodes at its edge are reached, as with few samples they may be; return whether it was enlarged."""
        edge = np.zeros_like(self.reached)
        for axis in range(edge.ndim):
            for side in (0, -1):
                np.moveaxis(edge, axis, 0)[side] = np.moveaxis(self.reached, axis, 0)[side]
        if not edge.any():
            return False
        old_reached, q, shape, margin = self.reached, self.q, self.reached.shape, max(4, max(self.reached.shape) // 8)
        self._allocate(self.low - margin * self.spacing, self.low + (np.array(shape) - 1 + margin) * self.spacing)
        old_nodes = tuple(slice(margin, margin + n) for n in shape)
        self.reached[old_nodes], self.q[old_nodes] = old_reached, q
        self._flood(np.argwhere(self.reached))
        return True

    def _unreached_neighbours(self) -> np.ndarray:
        """The nodes next to those that are reached."""
        return np.argwhere(ndimage.binary_dilation(self.reached) & ~self.reached)

    def _try_samples(self, nodes: np.ndarray, count: int) -> None:
        """Try nodes from the samples near them, one after the other, and go on from those that are reached."""
        if not len(nodes):
            return
        _, sample_indices = self._tree.query(self.node_positions(nodes), k=min(count, len(self.samples)))
        sample_indices = sample_indices.reshape(len(nodes), -1)
        new_nodes = [np.zeros((0, nodes.shape[1]), dtype=int)]
        for column in sample_indices.T:
            unreached = ~self.reached[tuple(nodes.T)]
            new_nodes.append(self._attempt(nodes[unreached], self.samples[column[unreached]]))
        self._flood(np.concatenate(new_nodes))

    def holes(self) -> tuple[np.ndarray, int]:
        """The regions that are out of reach and enclosed: the number of its region at each node, and how many there are."""
        labels, _ = ndimage.label(~self.reached)
        labels[labels == labels[(0,) * labels.ndim]] = 0
        outside = np.unique(np.concatenate([np.unique(np.moveaxis(labels, a, 0)[[0, -1]]) for a in range(labels.ndim)]))
        labels[np.isin(labels, outside)] = 0
        return labels, len(np.unique(labels)) - 1

    def boundary_crossings(self, axis: int, halvings: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The edges along an axis from a node that is reached to one that is not, and the boundary on them.

        Returns the lower nodes of the edges (n, k), and the positions (n, k) and configurations (n, nq) on the boundary.
        """
        reached_first = np.moveaxis(self.reached, axis, 0)
        mixed = np.zeros_like(self.reached)
        np.moveaxis(mixed, axis, 0)[:-1] = reached_first[:-1] != reached_first[1:]
        lower = np.argwhere(mixed)
        upper = lower + np.eye(self.reached.ndim, dtype=int)[axis]
        first = self.reached[tuple(lower.T)][:, None]
        inside, outside = np.where(first, lower, upper), np.where(first, upper, lower)
        q = self.q[tuple(inside.T)]
        positions, q = self.solver.furthest_reachable(
            q, self._neighbour_configurations(inside, axis), self.node_positions(inside), self.node_positions(outside), halvings
        )
        return lower, positions, q

    def _neighbour_configurations(self, nodes: np.ndarray, axis: int) -> np.ndarray:
        """Configurations of nodes beside these across an axis, which may be on another branch, or else their own."""
        configurations = self.q[tuple(nodes.T)]
        for other_axis in range(nodes.shape[1]):
            for sign in (1, -1) if other_axis != axis else ():
                neighbours = nodes + sign * np.eye(nodes.shape[1], dtype=int)[other_axis]  # none is beyond the margin
                is_reached = self.reached[tuple(neighbours.T)]
                configurations[is_reached] = self.q[tuple(neighbours[is_reached].T)]
        return configurations
