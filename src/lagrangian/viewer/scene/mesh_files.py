"""The visuals of bodies as meshes: simple solids, and mesh files, which are found, read, shaded and simplified for a page."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from lagrangian.description.files import find_file
from lagrangian.errors import DescriptionError, MechanismWarning, warn
from lagrangian.model.mechanism import Mechanism
from lagrangian.model.shapes import Visual
from lagrangian.viewer.scene import primitives as p
from lagrangian.viewer.scene.primitives import SHARP_ANGLE, Mesh
from lagrangian.viewer.scene.scene import Colour

SUFFIXES = (".stl", ".obj", ".dae", ".glb", ".gltf", ".ply", ".off")
MAX_TRIANGLES, MAX_TRIANGLES_IN_ALL = 20_000, 150_000  # triangles of a mesh, and of a mechanism
_SIZE_COUNTS = {"box": 3, "cylinder": 2, "sphere": 1, "capsule": 2, "ellipsoid": 3}
ColouredMesh = tuple[Mesh, Colour | None, float]  # with its colour and its opacity


def visual_meshes(mechanism: Mechanism, r: float) -> dict[str, list[ColouredMesh]]:
    """The meshes of each body's visuals, in its frame. One warning says how many cannot be read, and why the first cannot."""
    meshes_by_body: dict[str, list[ColouredMesh]] = {}
    problems: dict[str, str] = {}
    for body in mechanism.bodies:
        for visual in body.visuals:
            try:
                solids: list[tuple[Mesh, Colour | None]]
                solids = read_meshes(mechanism, visual) if visual.kind == "mesh" else [(_primitive_mesh(visual, r), None)]
            except (OSError, ValueError) as error:
                problems.setdefault(str(error), body.name)
                continue
            T = visual.placement.matrix()
            color = _rgb(visual)
            opacity = min(1.0, float(visual.color[3])) if len(visual.color) > 3 else 1.0
            for mesh, mesh_colour in solids:
                if opacity > 0:
                    meshes_by_body.setdefault(body.name, []).append(
                        (mesh.with_pose(T[:3, :3], T[:3, 3]), color or mesh_colour, opacity)
                    )
    if problems:
        problem, name = next(iter(problems.items()))
        subject = "one visual is not drawn, that" if len(problems) == 1 else f"{len(problems)} visuals are not drawn, the first"
        warn(f"{mechanism.name}: {subject} of {name!r}: {problem}", MechanismWarning)
    return meshes_by_body


def _rgb(visual: Visual) -> Colour | None:
    if len(visual.color) < 3:
        return None
    r, g, b = (min(1.0, max(0.0, float(x))) for x in visual.color[:3])
    return r, g, b


def _primitive_mesh(visual: Visual, r: float) -> Mesh:
    """A simple solid. Boxes have full lengths; cylinders and capsules have a radius, and a length along z without caps."""
    size = [float(x) for x in visual.size]
    if len(size) < _SIZE_COUNTS.get(visual.kind, 0) or not all(x > 0 for x in size):
        raise ValueError(f"its {visual.kind}, whose size is {tuple(size)}")
    match visual.kind:
        case "box":
            return p.box(size, 0.03 * min(size))
        case "cylinder":
            return p.cylinder(size[0], size[1], 0.03 * min(size), sides=2 * p.ROUND_SIDES)
        case "sphere":
            return p.sphere(size[0])
        case "capsule":
            return p.capsule(size[0], size[0], size[1]).with_pose(np.eye(3), np.array([0, 0, -size[1] / 2]))
        case "ellipsoid":
            return p.sphere(1.0).with_scale(size)
    return p.sphere(2 * r)


def read_meshes(mechanism: Mechanism, visual: Visual) -> list[tuple[Mesh, Colour | None]]:
    """The meshes of a visual's file in the visual's frame, each with its own colour where the file has one."""
    path = find_mesh_file(visual.file, mechanism.file)
    count = sum(x.kind == "mesh" for b in mechanism.bodies for x in b.visuals)
    limit = int(min(MAX_TRIANGLES, max(1500, MAX_TRIANGLES_IN_ALL / max(count, 1))))
    meshes = _load_meshes(str(path), path.stat().st_mtime, limit)
    scale = [float(x) for x in visual.size] or [1.0, 1.0, 1.0]
    if len(scale) != 3 or not all(abs(x) > 0 for x in scale):
        raise ValueError(f"{visual.file}: its scale is {tuple(scale)}; three numbers other than 0 are needed")
    return [(mesh.with_scale(scale), color) for mesh, color in meshes]


# -- finding a file -------------------------------------------------------------------------------------------------------


def find_mesh_file(file: str, description: str) -> Path:
    """The path of a mesh file: beside the description, or in the ROS package that it names; nothing is downloaded."""
    if not file:
        raise DescriptionError("a mesh without a file")
    if Path(file).suffix.lower() not in SUFFIXES:
        raise DescriptionError(f"meshes of this kind cannot be read; {', '.join(SUFFIXES)} can", where=file)
    return find_file(file, description)


# -- reading a file -----------------------------------------------------------------------------------------------------


@lru_cache(maxsize=128)
def _load_meshes(path: str, changed: float, limit: int) -> list[tuple[Mesh, Colour | None]]:
    """All meshes of a file, where its own scene puts them."""
    import trimesh

    try:
        loaded = trimesh.load_scene(path, resolver=_local_resolver(path))
        pieces: list[Any] = [x for x in loaded.dump() if len(getattr(x, "faces", ()))]
    except Exception as error:  # readers of mesh files raise errors of any kind
        raise ValueError(f"{path} cannot be read: {type(error).__name__}: {error}") from None
    if not pieces:
        raise ValueError(f"{path} has no triangles")
    total = sum(len(x.faces) for x in pieces)
    meshes = []
    for piece in pieces:
        vertices, faces = np.array(piece.vertices, dtype=float), np.array(piece.faces, dtype=np.int64)
        if not np.isfinite(vertices).all():
            raise ValueError(f"{path} has vertices that are not finite")
        vertices, faces = simplify(vertices, faces, max(50, limit * len(faces) // total))
        if len(faces):
            meshes.append((with_creased_normals(vertices, faces), _color(piece)))
    return meshes


def _local_resolver(path: str) -> Any:
    """Finds the materials and textures that a mesh names in its own folder and below, and nowhere else."""
    from trimesh.resolvers import FilePathResolver

    class LocalResolver(FilePathResolver):
        def get(self, name: str) -> Any:
            folder = Path(path).parent.resolve()
            if not (folder / name.strip()).resolve().is_relative_to(folder):
                raise FileNotFoundError(name)
            return super().get(name)

    return LocalResolver(path)


def _color(piece: Any) -> Colour | None:
    """The one colour of a piece; None if it has none of its own."""
    look = piece.visual
    rgba = getattr(getattr(look, "material", None), "main_color", None)
    if rgba is None and getattr(look, "kind", None) in ("face", "vertex"):
        rgba = look.main_color
    if rgba is None:
        return None
    r, g, b = (min(1.0, float(x) / 255) for x in rgba[:3])
    return r, g, b


def simplify(vertices: np.ndarray, faces: np.ndarray, limit: int) -> tuple[np.ndarray, np.ndarray]:
    """Simplify a mesh to at most `limit` triangles: the vertices in one cell of a grid become one (Rossignac and Borrel 1993).

    The grid is as coarse as it takes. Vertices in the same place are made one in any case.
    """
    low, extent = vertices.min(axis=0), float(np.ptp(vertices, axis=0).max()) or 1.0
    cells = 1e6
    while True:
        x, y, z = np.rint((vertices - low) * (cells / extent)).astype(np.int64).T
        _, number, count = np.unique((x << 42) | (y << 21) | z, return_inverse=True, return_counts=True)
        mean = np.stack([np.bincount(number, vertices[:, k]) for k in range(3)], axis=1) / count[:, None]
        triangles = number[faces]
        triangles = triangles[
            (triangles[:, 0] != triangles[:, 1]) & (triangles[:, 1] != triangles[:, 2]) & (triangles[:, 2] != triangles[:, 0])
        ]
        if len(triangles) <= limit or cells < 4:
            return mean, triangles
        cells = 160.0 if cells > 1000 else cells * 0.75


def with_creased_normals(vertices: np.ndarray, faces: np.ndarray) -> Mesh:
    """The mesh with normals that are smooth across flat edges, and break at sharp ones."""
    a, b, c = (vertices[faces[:, k]] for k in range(3))
    area = np.cross(b - a, c - a)
    size = np.linalg.norm(area, axis=1)
    faces, area, size = faces[size > 0], area[size > 0], size[size > 0]
    unit = area / size[:, None]
    vertex = faces.ravel()
    face = np.repeat(np.arange(len(faces)), 3)
    order = np.argsort(vertex, kind="stable")
    count = np.bincount(vertex, minlength=len(vertices))
    start = np.cumsum(count) - count
    pairs = count[vertex]
    if int(pairs.sum()) > 20_000_000:  # a vertex with thousands of faces
        normals = np.repeat(unit, 3, axis=0)
    else:
        corner = np.repeat(np.arange(len(vertex)), pairs)
        step = np.arange(len(corner)) - np.repeat(np.cumsum(pairs) - pairs, pairs)
        other = face[order[start[vertex[corner]] + step]]
        smooth = (unit[face[corner]] * unit[other]).sum(axis=1) > np.cos(SHARP_ANGLE)
        normals = np.stack([np.bincount(corner[smooth], area[other[smooth], k], minlength=len(vertex)) for k in range(3)], axis=1)
        normals /= np.maximum(np.linalg.norm(normals, axis=1, keepdims=True), 1e-300)
    # corners of the same vertex with the same normal are one
    x, y, z = np.rint(normals * 60 + 60).astype(np.int64).T
    key = (vertex.astype(np.int64) << 21) | (x << 14) | (y << 7) | z
    _, first, number = np.unique(key, return_index=True, return_inverse=True)
    return Mesh(vertices[vertex[first]], normals[first], number.reshape(-1, 3))
