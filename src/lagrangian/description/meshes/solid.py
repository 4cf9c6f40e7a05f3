"""Volume, centre and inertia of what a mesh encloses."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from lagrangian.model import vector as v
from lagrangian.model.placement import Placement

LEAST = 1e-15  # of volumes and areas: MuJoCo's own bound


@dataclass(frozen=True)
class Solid:
    """A mesh of density 1: its volume, or area if it is a shell, its centre, and its inertia about it."""

    volume: float
    center: np.ndarray
    inertia: np.ndarray

    def box(self) -> tuple[np.ndarray, Placement]:
        """The half-lengths of the box of this inertia, the longest last, and where it stands."""
        moments, axes = np.linalg.eigh(self.inertia)
        moments, axes = moments[::-1], axes[:, ::-1].copy()
        axes[:, 2] *= np.sign(np.linalg.det(axes))
        half = 0.5 * np.sqrt(np.maximum(0.0, 6 * (moments.sum() - 2 * moments) / self.volume))
        return half, Placement(_matrix(axes), tuple(self.center.tolist()))


def _matrix(rows: np.ndarray) -> v.Matrix:
    return tuple(tuple(row) for row in rows.tolist())  # type: ignore[return-value]


def solid(vertices: np.ndarray, faces: np.ndarray, kind: str) -> Solid:
    """By pyramids from a point to each face: `legacy` takes the volume of each as positive, whichever way it looks."""
    corners = vertices[faces]
    a, b, c = corners[:, 0], corners[:, 1], corners[:, 2]
    normals = np.cross(b - a, c - a)
    areas = np.linalg.norm(normals, axis=1) / 2
    middles = corners.mean(axis=1)
    if not areas.sum() > LEAST:
        raise ValueError("its area is too small")
    center = areas @ middles / areas.sum()

    def weights(about: np.ndarray) -> np.ndarray:
        if kind == "shell":
            return areas
        volumes = np.einsum("ij,ij->i", middles - about, normals) / 6
        return np.abs(volumes) if kind == "legacy" else volumes

    if kind != "shell":
        volumes = weights(center)
        if not volumes.sum() > LEAST:
            raise ValueError("its volume is too small, or its faces are oriented inwards; it may be a shell")
        center = volumes @ (0.75 * middles + 0.25 * center) / volumes.sum()
    w = weights(center)
    corners = corners - center
    total = corners.sum(axis=1)
    products = np.einsum("i,ij,ik->jk", w, total, total) + np.einsum("i,inj,ink->jk", w, corners, corners)
    products /= 12 if kind == "shell" else 20
    return Solid(float(w.sum()), center, np.trace(products) * np.eye(3) - products)


def closed(vertices: np.ndarray, faces: np.ndarray) -> bool:
    """Whether each edge is run along as often in one direction as in the other."""
    there = _edges(_merged(vertices)[faces])
    (ways, often), (back, others) = (np.unique(x, axis=0, return_counts=True) for x in (there, there[:, ::-1]))
    return np.array_equal(ways, back) and np.array_equal(often, others)


def oriented(vertices: np.ndarray, faces: np.ndarray) -> bool:
    """Whether no two faces run along an edge in the same direction: one of them would be inside out."""
    a, b, c = (vertices[faces[:, k]] for k in range(3))
    wide = np.linalg.norm(np.cross(b - a, c - a), axis=1) / 2 > np.sqrt(LEAST)
    edges = _edges(_merged(vertices)[faces[wide]])
    return len(np.unique(edges, axis=0)) == len(edges)


def _merged(vertices: np.ndarray) -> np.ndarray:
    """One number for all vertices in the same place."""
    found: np.ndarray = np.unique(vertices, axis=0, return_inverse=True)[1].reshape(-1)
    return found


def _edges(corners: np.ndarray) -> np.ndarray:
    return np.concatenate([corners[:, [k, (k + 1) % 3]] for k in range(3)])
