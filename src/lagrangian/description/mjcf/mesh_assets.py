"""Meshes of <asset> with their mass properties: from files, from vertices, or builtin.

MuJoCo takes a mesh for a solid in three ways ("legacy", "exact", "convex"), or for a shell.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from lagrangian.cached import cached_property
from lagrangian.description.files import DescriptionFolder
from lagrangian.description.meshes import read
from lagrangian.description.meshes.mass_properties import MeshMassProperties, is_consistently_oriented, mass_properties
from lagrangian.description.meshes.read import Triangles
from lagrangian.description.schema import check_mjcf_attributes, check_mjcf_children
from lagrangian.description.xml import Element, choice_attribute, number_attribute, number_attributes, text_attribute
from lagrangian.errors import DescriptionError
from lagrangian.model.rotation import quaternion

_GOLDEN = (1 + math.sqrt(5)) / 2
_MAX_RESOLUTION = 500  # of a builtin mesh
_INERTIA_KINDS = ("legacy", "exact", "convex", "shell")


@dataclass(frozen=True)
class MeshAsset:
    """A mesh of <asset>. Its file, relative to the model's folder, is read only if its inertia is needed."""

    element: Element
    file: str
    scale: tuple[float, ...]
    folder: DescriptionFolder | None

    @cached_property
    def mass_properties(self) -> MeshMassProperties:
        element = self.element
        check_mjcf_attributes(element)
        check_mjcf_children(element, ("plugin",))
        kind = choice_attribute(element, "inertia", _INERTIA_KINDS, "legacy")
        try:
            vertices, faces = self._triangles()
            max_vertices = int(number_attribute(element, "maxhullvert", -1.0))
            if kind == "convex" or not len(faces):
                faces = _convex_hull(vertices, max_vertices)
            if self.scale[0] * self.scale[1] * self.scale[2] < 0:
                faces = faces[:, ::-1]  # a mirrored mesh is turned inside out
            if kind == "exact" and not is_consistently_oriented(vertices, faces):
                raise ValueError('its faces are not oriented consistently, as inertia="exact" requires')
            with np.errstate(all="ignore"):
                properties = mass_properties(self._to_geom_frame(vertices), faces, kind)
            if not (np.isfinite(properties.inertia).all() and np.isfinite(properties.center).all()):
                raise ValueError("it is so large that its inertia overflows")
            return properties
        except DescriptionError:
            raise
        except OSError as error:
            raise element.error(f"its inertia is needed, but the mesh {self.file!r} cannot be read: {error.strerror}") from None
        except (ValueError, OverflowError) as error:
            raise element.error(f"its inertia is needed, but the mesh is not valid: {error}") from None

    def _triangles(self) -> Triangles:
        element = self.element
        if element.find("plugin") is not None:
            raise element.error("the inertia of a mesh that a plugin makes is not computed; give its body an <inertial>")
        if "builtin" in element.attributes:
            parameters = [float(x) for x in text_attribute(element, "params", "").split()]
            return read.as_triangles(*builtin_mesh(element.attributes["builtin"], parameters))
        if self.file:
            if self.folder is None:
                raise element.error(
                    f"its inertia is needed, but the file {self.file!r} cannot be read: this model is a string without a folder"
                )
            return read.read_triangles(self.folder.find(element, self.file), all_groups=False)
        vertices = np.array(element.attributes.get("vertex", "").split(), dtype=float)
        faces = np.array(element.attributes.get("face", "").split(), dtype=int)
        if len(vertices) % 3 or len(faces) % 3:
            raise ValueError("vertex and face need three numbers per entry")
        return read.as_triangles(vertices.reshape(-1, 3), faces.reshape(-1, 3))

    def _to_geom_frame(self, vertices: np.ndarray) -> np.ndarray:
        """The vertices in the frame of the geoms: from `refpos` and `refquat`, then scaled."""
        wxyz = np.array(number_attributes(self.element, "refquat", 4, (1.0, 0.0, 0.0, 0.0)))
        length = np.linalg.norm(wxyz)
        if not length > 0:
            raise ValueError("refquat has length 0")
        shifted_vertices = vertices - np.array(number_attributes(self.element, "refpos", 3, (0.0, 0.0, 0.0)))
        return shifted_vertices @ quaternion.matrix(wxyz / length) * np.array(self.scale)


def _convex_hull(vertices: np.ndarray, max_vertices: int) -> np.ndarray:
    """The faces of the convex hull, oriented outwards, of at most `max_vertices` vertices."""
    from scipy.spatial import ConvexHull, QhullError

    try:
        hull = ConvexHull(vertices, qhull_options="Qt" if max_vertices < 4 else f"Qt Q9 TA{max_vertices - 4}")
    except QhullError:
        raise ValueError("it has no convex hull: its vertices lie in a plane") from None
    faces = hull.simplices.copy()
    a, b, c = (vertices[faces[:, k]] for k in range(3))
    inward = np.einsum("ij,ij->i", np.cross(b - a, c - a), hull.equations[:, :3]) < 0
    faces[inward] = faces[inward][:, ::-1]
    return faces


# -- meshes that MuJoCo makes itself (`builtin`), with its vertices in single precision ---------------------------------


def builtin_mesh(kind: str, parameters: list[float]) -> Triangles:
    """The triangles of a built-in mesh; a ValueError says what is wrong with its parameters. No faces mean the hull."""
    generators: dict[str, tuple[Callable[..., Triangles], int]] = {
        "sphere": (_sphere, 1),
        "supersphere": (_supersphere, 3),
        "supertorus": (_supertorus, 4),
        "cone": (_cone, 2),
    }
    if kind not in generators:
        raise ValueError(f"the inertia of a builtin {kind} is not computed; give the body an <inertial>")
    generator, count = generators[kind]
    if len(parameters) != count:
        raise ValueError(f"a builtin {kind} needs {count} params, got {len(parameters)}")
    if not 0 <= parameters[0] <= (4 if kind == "sphere" else _MAX_RESOLUTION) or not all(0 <= x < math.inf for x in parameters):
        raise ValueError(f"params {parameters} of a builtin {kind} are too large or negative")
    return generator(int(parameters[0]), *parameters[1:])


def _sphere(divisions: int) -> Triangles:
    """An icosahedron whose triangles are divided into four so many times."""
    unit, phi = np.float32(1), np.float32(_GOLDEN)
    square = np.array([(-unit, phi), (unit, phi), (-unit, -phi), (unit, -phi)], dtype=np.float32)
    zero = np.zeros(4, dtype=np.float32)
    x, y = square.T
    points = np.concatenate([np.stack(p, axis=1) for p in ((x, y, zero), (zero, x, y), (y, zero, x))])
    points = (points / np.linalg.norm(points[0].astype(float))).astype(np.float32)
    # its faces are those of the hull
    corners = _icosahedron(points.astype(float))
    for _ in range(divisions):
        a, b, c = corners[:, 0], corners[:, 1], corners[:, 2]
        ab, bc, ca = _midpoint_on_sphere(a, b), _midpoint_on_sphere(b, c), _midpoint_on_sphere(c, a)
        corners = np.concatenate([np.stack(t, axis=1) for t in ((a, ab, ca), (b, bc, ab), (c, ca, bc), (ab, bc, ca))])
    return corners.reshape(-1, 3), np.arange(3 * len(corners)).reshape(-1, 3)


def _icosahedron(points: np.ndarray) -> np.ndarray:
    """The corners of the twenty triangles, oriented outwards."""
    near = np.linalg.norm(points[:, None] - points[None], axis=2) < 1.1
    faces = [
        (i, j, k) if np.linalg.det(points[[i, j, k]]) > 0 else (i, k, j)
        for i in range(12)
        for j in range(i + 1, 12)
        for k in range(j + 1, 12)
        if near[i, j] and near[j, k] and near[i, k]
    ]
    return points.astype(np.float32)[np.array(faces)]


def _midpoint_on_sphere(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """The points of the sphere half way between two."""
    m = (a + b) / np.float32(2)
    x, y, z = m.T
    return m / np.sqrt(x * x + y * y + z * z)[:, None]


def _signed_power(x: np.ndarray, exponent: float) -> np.ndarray:
    return np.copysign(np.abs(x) ** exponent, x)


def _supersphere(count: int, e: float, n: float) -> Triangles:
    if count < 3:
        raise ValueError("a supersphere has at least 3 vertices around")
    v = (-math.pi / 2 + np.arange(1, count) * math.pi / count)[:, None]
    u = (-math.pi + np.arange(count) * 2 * math.pi / count)[None]
    ring, heights = _signed_power(np.cos(v), n), _signed_power(np.sin(v), n)
    sides = np.broadcast_arrays(ring * _signed_power(np.cos(u), e), ring * _signed_power(np.sin(u), e), heights)
    points = np.concatenate([[(0, 0, -1)], np.stack(sides, axis=2).reshape(-1, 3), [(0, 0, 1)]])
    top, last = len(points) - 1, 1 + (count - 2) * count
    faces = []
    for j in range(count):
        k = (j + 1) % count
        faces += [(0, 1 + k, 1 + j), (last + j, last + k, top)]
        for i in range(count - 2):
            low = 1 + i * count
            faces += [(low + j, low + k, low + count + j), (low + k, low + count + k, low + count + j)]
    return points, np.array(faces)


def _supertorus(count: int, radius: float, s: float, t: float) -> Triangles:
    if count < 3 or not 0 < radius <= 1 or s == 0 or t == 0:
        raise ValueError("a supertorus has at least 3 vertices around, a radius of at most 1, and positive exponents")
    u, v = np.meshgrid(*(2 * math.pi * np.arange(count) / count,) * 2, indexing="ij")
    ring = 1 + radius * _signed_power(np.cos(v), s)
    sides = (ring * _signed_power(np.cos(u), t), ring * _signed_power(np.sin(u), t), radius * _signed_power(np.sin(v), s))
    i, j = (x.ravel() for x in np.meshgrid(*(np.arange(count),) * 2, indexing="ij"))
    k, m = (i + 1) % count, (j + 1) % count
    a, b, c, d = i * count + j, k * count + j, k * count + m, i * count + m
    faces = np.concatenate([np.stack((a, b, d), axis=1), np.stack((b, c, d), axis=1)])
    return np.stack(sides, axis=2).reshape(-1, 3), faces


def _cone(count: int, radius: float) -> Triangles:
    angles = 2 * np.arange(count) * math.pi / max(count, 1)
    bottom = np.stack((np.cos(angles), np.sin(angles), -np.ones(count)), axis=1)
    top = bottom * (radius, radius, -1) if radius > 0 else np.array([(0.0, 0.0, 1.0)])
    return np.concatenate([bottom, top]), np.zeros((0, 3), dtype=int)
