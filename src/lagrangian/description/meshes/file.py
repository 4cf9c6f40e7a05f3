"""Triangles from mesh files: STL, OBJ, and MuJoCo's own MSH. Coordinates are of single precision, as in MuJoCo and Gazebo."""

from __future__ import annotations

import os
import re

import numpy as np

from lagrangian.description.folder import read_bytes
from lagrangian.description.meshes import polygon

MAX_BYTES = 64_000_000
_MOST_WORK = 1_000_000  # squares of corners: cutting faces of many corners takes as long as that
SUFFIXES = (".stl", ".obj", ".msh")
Triangles = tuple[np.ndarray, np.ndarray]  # vertices (n, 3), and which three of them make each face (m, 3)
_VERTEX = re.compile(rb"^[ \t]*vertex[ \t]+(\S+)[ \t]+(\S+)[ \t]+(\S+)[ \t\r]*$", re.MULTILINE)
_STL = np.dtype([("normal", "<f4", 3), ("corners", "<f4", (3, 3)), ("attribute", "<u2")])


def read(path: str, *, groups: bool = True) -> Triangles:
    """The vertices and faces of a file; a ValueError or OSError says what is wrong with it.

    Of an OBJ file of several groups MuJoCo takes the first alone: so it is if `groups` is False.
    """
    suffix = os.path.splitext(path)[1].lower()
    if suffix not in SUFFIXES:
        raise ValueError(f"meshes of this kind cannot be read; only {', '.join(SUFFIXES)} can")
    data = read_bytes(path, MAX_BYTES)
    if not data:
        raise ValueError("it is empty")
    vertices, faces = _obj(data, groups) if suffix == ".obj" else (_stl if suffix == ".stl" else _msh)(data)
    return checked(vertices, faces)


def checked(vertices: np.ndarray, faces: np.ndarray) -> Triangles:
    """Finite vertices, at least four of them, and faces that name no others."""
    with np.errstate(over="ignore"):  # what is too large becomes infinite, and is refused
        vertices = np.asarray(vertices, dtype=np.float32).astype(float)
    if len(vertices) < 4:
        raise ValueError(f"it has {len(vertices)} vertices; a solid has at least four")
    if not np.isfinite(vertices).all():
        raise ValueError("not all of its vertices are finite")
    if len(faces) and (faces.min() < 0 or faces.max() >= len(vertices)):
        raise ValueError(f"a face names vertex {int(faces.max())}; there are {len(vertices)}")
    return vertices, faces


def _stl(data: bytes) -> Triangles:
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


def _msh(data: bytes) -> Triangles:
    """MuJoCo's own binary format: how many vertices, normals, texture coordinates and faces there are, and then these."""
    if len(data) < 16:
        raise ValueError("it has no header")
    vertices, normals, textures, faces = (int(x) for x in np.frombuffer(data, "<i4", 4))
    if min(vertices, normals, textures, faces) < 0 or len(data) != 16 + 12 * (vertices + normals + faces) + 8 * textures:
        raise ValueError("its size does not match its header")
    points = np.frombuffer(data, "<f4", 3 * vertices, offset=16).reshape(-1, 3)
    return points, np.frombuffer(data, "<i4", 3 * faces, offset=len(data) - 12 * faces).reshape(-1, 3).astype(int)


def _obj(data: bytes, groups: bool) -> Triangles:
    """All vertices, and the faces of all groups, or of the first that has some."""
    vertices: list[list[float]] = []
    faces: list[list[int]] = []
    open_ = True
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
                open_ = groups or (open_ and not faces)
            elif words[0] == "f" and open_:
                at = [int(x.partition("/")[0]) for x in words[1:]]
                faces.append([i - 1 if i > 0 else len(vertices) + i for i in at])
        except ValueError:
            raise ValueError(f"line {number} is {line[:40]!r}, which is neither a vertex nor a face") from None
    with np.errstate(over="ignore"):
        points = np.array(vertices, dtype=np.float32).reshape(-1, 3)
    if any(not 0 <= i < len(points) for face in faces for i in face):
        raise ValueError("a face names a vertex that does not exist")
    if sum(len(face) ** 2 for face in faces if len(face) > 4) > _MOST_WORK:
        raise ValueError("it has too many polygons; save it as triangles")
    triangles = [t for face in faces for t in polygon.triangles(face, points)]
    return points, np.array(triangles, dtype=int).reshape(-1, 3)
