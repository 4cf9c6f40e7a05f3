"""Read the triangles of mesh files: STL, OBJ, MuJoCo's own MSH, and COLLADA.

Coordinates have single precision, as in MuJoCo and Gazebo.
"""

from __future__ import annotations

import os
import re
from typing import Any

import numpy as np

from lagrangian.description import xml
from lagrangian.description.files import read_bytes
from lagrangian.description.meshes.triangulation import triangulate

MAX_BYTES = 64_000_000
_MAX_POLYGON_WORK = 1_000_000  # squares of numbers of corners: the time to cut polygons grows with it
SUFFIXES = (".stl", ".obj", ".msh")
Triangles = tuple[np.ndarray, np.ndarray]  # vertices (n, 3), and which three of them make each face (m, 3)
_VERTEX = re.compile(rb"^[ \t]*vertex[ \t]+(\S+)[ \t]+(\S+)[ \t]+(\S+)[ \t\r]*$", re.MULTILINE)
_STL = np.dtype([("normal", "<f4", 3), ("corners", "<f4", (3, 3)), ("attribute", "<u2")])


def read_triangles(path: str, *, all_groups: bool = True) -> Triangles:
    """The vertices and faces of an STL, OBJ or MSH file; a ValueError or OSError says what is wrong with it.

    MuJoCo reads only the first group of an OBJ file; `all_groups=False` does so, too.
    """
    suffix = os.path.splitext(path)[1].lower()
    if suffix not in SUFFIXES:
        raise ValueError(f"meshes of this kind cannot be read; only {', '.join(SUFFIXES)} can")
    data = read_bytes(path, MAX_BYTES)
    if not data:
        raise ValueError("it is empty")
    vertices, faces = _parse_obj(data, all_groups) if suffix == ".obj" else (_parse_stl if suffix == ".stl" else _parse_msh)(data)
    return as_triangles(vertices, faces)


def read_collada(path: str) -> Triangles:
    """The vertices and faces of a COLLADA file (.dae), in metres, where its scene puts them.

    As in Gazebo, the up axis is ignored. A ValueError or OSError says what is wrong with the file.
    """
    import trimesh

    read_bytes(path, MAX_BYTES)
    root = xml.read_file(path)  # refuses declarations that trimesh would follow
    if root.tag != "COLLADA":
        raise ValueError(f"its root is <{root.tag[:40]}>, not <COLLADA>")
    if root.find("scene") is None:
        raise ValueError("it has no <scene>")
    try:
        scene = trimesh.load_scene(path, resolver={})  # files that it names, such as textures, are not read
        pieces: list[Any] = [x for x in scene.dump() if len(getattr(x, "faces", ()))]
    except Exception:  # it fails with errors of many types, whose texts are about trimesh
        problem = "its scene cannot be read: an element is missing, a reference is broken, or a number is malformed"
        raise ValueError(problem) from None
    if not pieces:
        raise ValueError("it has no triangles")
    counts = np.cumsum([0, *(len(x.vertices) for x in pieces)])
    vertices = np.concatenate([np.asarray(x.vertices, dtype=float) for x in pieces])
    faces = np.concatenate([np.asarray(x.faces, dtype=int) + n for x, n in zip(pieces, counts[:-1], strict=True)])
    return as_triangles(_metres_per_unit(root) * vertices, faces)


def _metres_per_unit(root: xml.Element) -> float:
    asset = root.find("asset")
    unit = asset.find("unit") if asset is not None else None
    return 1.0 if unit is None else xml.number_attribute(unit, "meter", 1.0)


def as_triangles(vertices: np.ndarray, faces: np.ndarray) -> Triangles:
    """A mesh in single precision, checked: it has at least four finite vertices, and its faces name only these."""
    with np.errstate(over="ignore"):  # what is too large becomes infinite, and is refused
        vertices = np.asarray(vertices, dtype=np.float32).astype(float)
    if len(vertices) < 4:
        raise ValueError(f"it has {len(vertices)} vertices; a solid has at least four")
    if not np.isfinite(vertices).all():
        raise ValueError("not all of its vertices are finite")
    if len(faces) and (faces.min() < 0 or faces.max() >= len(vertices)):
        raise ValueError(f"a face names vertex {int(faces.max())}; there are {len(vertices)}")
    return vertices, faces


def _parse_stl(data: bytes) -> Triangles:
    count = int.from_bytes(data[80:84], "little") if len(data) >= 84 else -1
    if count >= 1 and len(data) == 84 + 50 * count:
        corners = np.frombuffer(data, _STL, count, offset=84)["corners"].reshape(-1, 3)
    elif data.lstrip()[:5].lower() == b"solid":
        corners = np.array(_VERTEX.findall(data), dtype="S32").astype(float).reshape(-1, 3)
        if not len(corners) or len(corners) % 3:
            raise ValueError("it has no whole triangles")
    else:
        raise ValueError("its size does not match its number of triangles")
    return corners, np.arange(len(corners)).reshape(-1, 3)


def _parse_msh(data: bytes) -> Triangles:
    """Parse MuJoCo's own binary format: numbers of vertices, normals, texture coordinates and faces, and then these."""
    if len(data) < 16:
        raise ValueError("it has no header")
    vertices, normals, textures, faces = (int(x) for x in np.frombuffer(data, "<i4", 4))
    if min(vertices, normals, textures, faces) < 0 or len(data) != 16 + 12 * (vertices + normals + faces) + 8 * textures:
        raise ValueError("its size does not match its header")
    points = np.frombuffer(data, "<f4", 3 * vertices, offset=16).reshape(-1, 3)
    return points, np.frombuffer(data, "<i4", 3 * faces, offset=len(data) - 12 * faces).reshape(-1, 3).astype(int)


def _parse_obj(data: bytes, all_groups: bool) -> Triangles:
    """All vertices, and the faces of all groups or of the first group with faces."""
    vertices: list[list[float]] = []
    faces: list[list[int]] = []
    in_group = True
    for number, line in enumerate(data.decode("latin-1").replace("\\\n", " ").splitlines(), 1):
        words = line.split()
        if not words:
            continue
        try:
            if words[0] == "v":
                vertices.append([float(x) for x in words[1:4]])
                if len(vertices[-1]) != 3:
                    raise ValueError
            elif words[0] in ("g", "o"):
                in_group = all_groups or (in_group and not faces)
            elif words[0] == "f" and in_group:
                indices = [int(x.partition("/")[0]) for x in words[1:]]
                faces.append([i - 1 if i > 0 else len(vertices) + i for i in indices])
        except ValueError:
            raise ValueError(f"line {number} is {line[:40]!r}, which is neither a vertex nor a face") from None
    with np.errstate(over="ignore"):
        points = np.array(vertices, dtype=np.float32).reshape(-1, 3)
    if any(not 0 <= i < len(points) for face in faces for i in face):
        raise ValueError("a face names a vertex that does not exist")
    if sum(len(face) ** 2 for face in faces if len(face) > 4) > _MAX_POLYGON_WORK:
        raise ValueError("it has too many polygons; save it as triangles")
    triangles = [t for face in faces for t in triangulate(face, points)]
    return points, np.array(triangles, dtype=int).reshape(-1, 3)
