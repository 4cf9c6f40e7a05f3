"""Volume, centre and inertia of what a mesh encloses."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from lagrangian.model import vector as v
from lagrangian.model.placement import Transform

MIN_SIZE = 1e-15  # of volumes and areas: MuJoCo's own bound


@dataclass(frozen=True)
class MeshMassProperties:
    """The volume of a mesh, or area of a shell, its centre, and its inertia about the centre for density 1."""

    volume: float
    center: np.ndarray
    inertia: np.ndarray

    def equivalent_box(self) -> tuple[np.ndarray, Transform]:
        """The half-lengths of the box with this inertia, the longest last, and its placement."""
        moments, axes = np.linalg.eigh(self.inertia)
        moments, axes = moments[::-1], axes[:, ::-1].copy()
        axes[:, 2] *= np.sign(np.linalg.det(axes))
        half = 0.5 * np.sqrt(np.maximum(0.0, 6 * (moments.sum() - 2 * moments) / self.volume))
        return half, Transform(_as_rows(axes), tuple(self.center.tolist()))


def mass_properties(vertices: np.ndarray, faces: np.ndarray, kind: str) -> MeshMassProperties:
    """Mass properties by pyramids from a point to each face; `legacy` takes the volume of every pyramid as positive."""
    corners = vertices[faces]
    a, b, c = corners[:, 0], corners[:, 1], corners[:, 2]
    normals = np.cross(b - a, c - a)
    areas = np.linalg.norm(normals, axis=1) / 2
    centroids = corners.mean(axis=1)
    if not areas.sum() > MIN_SIZE:
        raise ValueError("its area is too small")
    center = areas @ centroids / areas.sum()

    def weights(about: np.ndarray) -> np.ndarray:
        if kind == "shell":
            return areas
        volumes = np.einsum("ij,ij->i", centroids - about, normals) / 6
        return np.abs(volumes) if kind == "legacy" else volumes

    if kind != "shell":
        volumes = weights(center)
        if not volumes.sum() > MIN_SIZE:
            raise ValueError("its volume is too small, or its faces are oriented inwards; it may be a shell")
        center = volumes @ (0.75 * centroids + 0.25 * center) / volumes.sum()
    face_weights = weights(center)
    corners = corners - center
    total = corners.sum(axis=1)
    products = np.einsum("i,ij,ik->jk", face_weights, total, total) + np.einsum("i,inj,ink->jk", face_weights, corners, corners)
    products /= 12 if kind == "shell" else 20
    return MeshMassProperties(float(face_weights.sum()), center, np.trace(products) * np.eye(3) - products)


def is_watertight(vertices: np.ndarray, faces: np.ndarray) -> bool:
    """Whether faces traverse each edge equally often in both directions."""
    edges = _directed_edges(_vertex_ids(vertices)[faces])
    (directed_edges, counts), (reversed_edges, reversed_counts) = (
        np.unique(x, axis=0, return_counts=True) for x in (edges, edges[:, ::-1])
    )
    return np.array_equal(directed_edges, reversed_edges) and np.array_equal(counts, reversed_counts)


def is_consistently_oriented(vertices: np.ndarray, faces: np.ndarray) -> bool:
    """Whether no two faces traverse an edge in the same direction, of which one would be inside out."""
    a, b, c = (vertices[faces[:, k]] for k in range(3))
    has_area = np.linalg.norm(np.cross(b - a, c - a), axis=1) / 2 > np.sqrt(MIN_SIZE)
    edges = _directed_edges(_vertex_ids(vertices)[faces[has_area]])
    return len(np.unique(edges, axis=0)) == len(edges)


def _as_rows(rows: np.ndarray) -> v.Matrix:
    return tuple(tuple(row) for row in rows.tolist())  # type: ignore[return-value]


def _vertex_ids(vertices: np.ndarray) -> np.ndarray:
    """One number for all vertices in the same place."""
    ids: np.ndarray = np.unique(vertices, axis=0, return_inverse=True)[1].reshape(-1)
    return ids


def _directed_edges(corners: np.ndarray) -> np.ndarray:
    return np.concatenate([corners[:, [k, (k + 1) % 3]] for k in range(3)])
