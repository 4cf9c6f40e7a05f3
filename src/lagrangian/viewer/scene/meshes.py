"""Mesh files of visuals: found, read, shaded along their edges, and kept small enough for a page."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from lagrangian.description.packages import find_file
from lagrangian.errors import DescriptionError
from lagrangian.model.mechanism import Mechanism
from lagrangian.model.shapes import Visual
from lagrangian.viewer.scene.primitives import SHARP, Mesh
from lagrangian.viewer.scene.scene import Color

SUFFIXES = (".stl", ".obj", ".dae", ".glb", ".gltf", ".ply", ".off")
MOST, MOST_IN_ALL = 20_000, 150_000  # triangles of a mesh, and of a mechanism


def read(mechanism: Mechanism, visual: Visual) -> list[tuple[Mesh, Color | None]]:
    """The meshes of a visual's file in the visual's frame, each with its own colour where the file has one."""
    path = find(visual.file, mechanism.file)
    count = sum(x.kind == "mesh" for b in mechanism.bodies for x in b.visuals)
    limit = int(min(MOST, max(1500, MOST_IN_ALL / max(count, 1))))
    found = _read(str(path), path.stat().st_mtime, limit)
    scale = [float(x) for x in visual.size] or [1.0, 1.0, 1.0]
    if len(scale) != 3 or not all(abs(x) > 0 for x in scale):
        raise ValueError(f"{visual.file}: its scale is {tuple(scale)}; three numbers other than 0 are needed")
    return [(mesh.scaled(scale), color) for mesh, color in found]


# -- where it is -------------------------------------------------------------------------------------------------------


def find(file: str, beside: str) -> Path:
    """The path of a mesh: beside the description, or in the ROS package that it names; nothing is fetched."""
    if not file:
        raise DescriptionError("a mesh without a file")
    if Path(file).suffix.lower() not in SUFFIXES:
        raise DescriptionError(f"meshes of this kind cannot be read; {', '.join(SUFFIXES)} can", where=file)
    return find_file(file, beside)


# -- what is in it -----------------------------------------------------------------------------------------------------


@lru_cache(maxsize=128)
def _read(path: str, changed: float, limit: int) -> list[tuple[Mesh, Color | None]]:
    """All meshes of a file, where its own scene puts them."""
    import trimesh

    try:
        loaded = trimesh.load_scene(path, resolver=_beside(path))
        pieces: list[Any] = [x for x in loaded.dump() if len(getattr(x, "faces", ()))]
    except Exception as error:  # readers of foreign formats fail in every way there is
        raise ValueError(f"{path} cannot be read: {type(error).__name__}: {error}") from None
    if not pieces:
        raise ValueError(f"{path} has no triangles")
    total = sum(len(x.faces) for x in pieces)
    found = []
    for piece in pieces:
        vertices, faces = np.array(piece.vertices, dtype=float), np.array(piece.faces, dtype=np.int64)
        if not np.isfinite(vertices).all():
            raise ValueError(f"{path} has vertices that are not finite")
        vertices, faces = simplified(vertices, faces, max(50, limit * len(faces) // total))
        if len(faces):
            found.append((creased(vertices, faces), _color(piece)))
    return found


def _beside(path: str) -> Any:
    """Where materials and textures that a mesh names are looked for: in its own folder and below, and nowhere else."""
    from trimesh.resolvers import FilePathResolver

    class Beside(FilePathResolver):
        def get(self, name: str) -> Any:
            folder = Path(path).parent.resolve()
            if not (folder / name.strip()).resolve().is_relative_to(folder):
                raise FileNotFoundError(name)
            return super().get(name)

    return Beside(path)


def _color(piece: Any) -> Color | None:
    """The one colour of a piece; None if it has none of its own."""
    look = piece.visual
    given = getattr(getattr(look, "material", None), "main_color", None)
    if given is None and getattr(look, "kind", None) in ("face", "vertex"):
        given = look.main_color
    if given is None:
        return None
    r, g, b = (min(1.0, float(x) / 255) for x in given[:3])
    return r, g, b


def simplified(vertices: np.ndarray, faces: np.ndarray, limit: int) -> tuple[np.ndarray, np.ndarray]:
    """At most `limit` triangles: vertices in one cell of a grid become one, and the grid as coarse as it takes
    (Rossignac and Borrel 1993). Vertices in the same place are made one in any case.
    """
    low, extent = vertices.min(axis=0), float(np.ptp(vertices, axis=0).max()) or 1.0
    cells = 1e6
    while True:
        x, y, z = np.rint((vertices - low) * (cells / extent)).astype(np.int64).T
        _, number, count = np.unique((x << 42) | (y << 21) | z, return_inverse=True, return_counts=True)
        mean = np.stack([np.bincount(number, vertices[:, k]) for k in range(3)], axis=1) / count[:, None]
        kept = number[faces]
        kept = kept[(kept[:, 0] != kept[:, 1]) & (kept[:, 1] != kept[:, 2]) & (kept[:, 2] != kept[:, 0])]
        if len(kept) <= limit or cells < 4:
            return mean, kept
        cells = 160.0 if cells > 1000 else cells * 0.75


def creased(vertices: np.ndarray, faces: np.ndarray) -> Mesh:
    """With normals that are smooth over faces that nearly lie in one plane, and break at edges."""
    a, b, c = (vertices[faces[:, k]] for k in range(3))
    area = np.cross(b - a, c - a)
    size = np.linalg.norm(area, axis=1)
    faces, area, size = faces[size > 0], area[size > 0], size[size > 0]
    unit = area / size[:, None]
    at = faces.ravel()
    face = np.repeat(np.arange(len(faces)), 3)
    order = np.argsort(at, kind="stable")
    count = np.bincount(at, minlength=len(vertices))
    start = np.cumsum(count) - count
    pairs = count[at]
    if int(pairs.sum()) > 20_000_000:  # a vertex with thousands of faces
        normals = np.repeat(unit, 3, axis=0)
    else:
        one = np.repeat(np.arange(len(at)), pairs)
        step = np.arange(len(one)) - np.repeat(np.cumsum(pairs) - pairs, pairs)
        other = face[order[start[at[one]] + step]]
        alike = (unit[face[one]] * unit[other]).sum(axis=1) > np.cos(SHARP)
        normals = np.stack([np.bincount(one[alike], area[other[alike], k], minlength=len(at)) for k in range(3)], axis=1)
        normals /= np.maximum(np.linalg.norm(normals, axis=1, keepdims=True), 1e-300)
    # corners of the same vertex with the same normal are one
    x, y, z = np.rint(normals * 60 + 60).astype(np.int64).T
    key = (at.astype(np.int64) << 21) | (x << 14) | (y << 7) | z
    _, first, number = np.unique(key, return_index=True, return_inverse=True)
    return Mesh(vertices[at[first]], normals[first], number.reshape(-1, 3))
