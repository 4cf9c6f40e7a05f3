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

MAX_MESH_BYTES = 64_000_000
_MAX_POLYGON_WORK = 1_000_000  # squares of numbers of corners: the time to cut polygons grows with it
_MAX_CORNERS = 500  # of a face
_EPSILON = float(np.finfo(np.float32).eps)  # of a corner that is not straight
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
    data = read_bytes(path, MAX_MESH_BYTES)
    if not data:
        raise ValueError("it is empty")
    vertices, faces = _parse_obj(data, all_groups) if suffix == ".obj" else (_parse_stl if suffix == ".stl" else _parse_msh)(data)
    return as_triangles(vertices, faces)


def read_collada(path: str) -> Triangles:
    """The vertices and faces of a COLLADA file (.dae), in metres, where its scene puts them.

    As in Gazebo, the up axis is ignored. A ValueError or OSError says what is wrong with the file.
    """
    import trimesh

    read_bytes(path, MAX_MESH_BYTES)
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


def _metres_per_unit(root: xml.Element) -> float:
    asset = root.find("asset")
    unit = asset.find("unit") if asset is not None else None
    return 1.0 if unit is None else xml.number_attribute(unit, "meter", 1.0)


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
    triangles = [t for face in faces for t in _triangulate(face, points)]
    return points, np.array(triangles, dtype=int).reshape(-1, 3)


# -- polygons of OBJ files ---------------------------------------------------------------------------------------------


def _triangulate(face: list[int], points: np.ndarray) -> list[list[int]]:
    """The triangles of a face, cut as MuJoCo's loader, tinyobjloader, cuts them; `points` are of single precision.

    A face of a real mesh is seldom flat, and then the volume depends on where it is cut. So the loader's rules hold here, with
    its single precision, even where they are odd. Whether a corner is an ear is decided by a product that depends on the origin
    of the coordinates. The rest of a polygon in which no ear is found is dropped.
    """
    if len(face) < 3:
        return []
    if len(face) == 3:
        return [face]
    if len(face) > _MAX_CORNERS:
        raise ValueError(f"a face has {len(face)} corners; at most {_MAX_CORNERS} are supported")
    if len(face) == 4:
        return _split_quadrilateral(face, points)
    plane_points = points[:, _projection_axes(face, points)]
    remaining, ears = list(face), []
    position, previous_count, tries = 0, len(face), len(face)
    while len(remaining) > 3 and tries > 0:
        # tries are counted anew after each ear, but only in the next round: an ear found by the last try is the last one
        tries, previous_count = (tries - 1 if previous_count == len(remaining) else len(remaining)), len(remaining)
        position %= len(remaining)
        ear = [remaining[(position + k) % len(remaining)] for k in range(3)]
        other_corners = [remaining[(position + k) % len(remaining)] for k in range(3, len(remaining))]
        if _is_ear(plane_points[ear], plane_points[other_corners]):
            ears.append(ear)
            del remaining[(position + 1) % len(remaining)]
        else:
            position += 1
    return [*ears, remaining] if len(remaining) == 3 else ears


def _split_quadrilateral(face: list[int], points: np.ndarray) -> list[list[int]]:
    """The two triangles on both sides of the shorter diagonal."""
    a, b, c, d = face
    first, second = points[c] - points[a], points[d] - points[b]
    if _squared_length(first) < _squared_length(second):
        return [[a, b, c], [a, c, d]]
    return [[a, b, d], [b, c, d]]


def _squared_length(x: np.ndarray) -> np.floating:
    return x[0] * x[0] + x[1] * x[1] + x[2] * x[2]


def _projection_axes(face: list[int], points: np.ndarray) -> list[int]:
    """The two axes of the plane onto which the face is projected, by the first corner that is not straight."""
    for k in range(len(face)):
        a, b, c = (points[face[(k + j) % len(face)]] for j in range(3))
        x, y, z = np.abs(np.cross(b - a, c - b))
        if max(x, y, z) > _EPSILON:
            if x > y and x > z:
                return [1, 2]
            return [0, 1] if z > x and z > y else [0, 2]
    return [1, 2]


def _is_ear(corner: np.ndarray, other_points: np.ndarray) -> bool:
    """Whether the triangle of a corner is cut off: the corner is convex, and no other point is inside."""
    (ax, ay), (bx, by), (cx, cy) = corner
    turn = (bx - ax) * (cy - by) - (by - ay) * (cx - bx)
    if turn * ((ax * by - ay * bx) * np.float32(0.5)) < 0:
        return False
    return not _are_inside(corner, other_points[:, 0], other_points[:, 1]).any()


def _are_inside(corner: np.ndarray, x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Whether each point is inside the triangle: a ray from it crosses the outline an odd number of times."""
    odd = np.zeros(len(x), dtype=bool)
    for k in range(3):
        (ax, ay), (bx, by) = corner[k], corner[k - 1]
        if ay != by:
            odd ^= ((ay > y) != (by > y)) & (x < (bx - ax) * (y - ay) / (by - ay) + ax)
    return odd
