"""Triangle meshes of simple solids, springs and ribbons: links, joints, wheels and traced paths are made of them."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import NamedTuple

import numpy as np

ROUND_SIDES = 24  # of a circle
SHARP_ANGLE = math.radians(40)  # edges that turn by more are shaded as edges
COIL_TURNS, COIL_STEPS, COIL_SIDES = 9, 14, 6  # of a spring: its turns, steps of a turn, sides of the wire
_SQUARE = ((-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0))
_SIDES: ContextVar[int] = ContextVar("sides", default=ROUND_SIDES)


class Mesh(NamedTuple):
    """Vertices, outward unit normals, and faces that are counter-clockwise seen from outside."""

    vertices: np.ndarray
    normals: np.ndarray
    faces: np.ndarray

    def with_pose(self, rotation: np.ndarray, position: np.ndarray) -> Mesh:
        """The mesh, rotated and then translated."""
        R = np.asarray(rotation, dtype=float)
        return Mesh(self.vertices @ R.T + np.asarray(position, dtype=float), self.normals @ R.T, self.faces)

    def with_scale(self, factors: Sequence[float]) -> Mesh:
        """The mesh, scaled along its axes; a mirrored one keeps its outside."""
        s = np.asarray(factors, dtype=float)
        normals = self.normals / s
        normals /= np.maximum(np.linalg.norm(normals, axis=1, keepdims=True), 1e-30)
        faces = self.faces[:, ::-1] if np.prod(np.sign(s)) < 0 else self.faces
        return Mesh(self.vertices * s, normals, faces)


@contextmanager
def fewer_sides(bodies: int) -> Iterator[None]:
    """A context in which circles have fewer sides if there are many bodies, each of which is small."""
    token = _SIDES.set(max(8, min(ROUND_SIDES, 2 * round(ROUND_SIDES / 2 * math.sqrt(40 / max(bodies, 1))))))
    try:
        yield
    finally:
        _SIDES.reset(token)


def merge_meshes(meshes: Sequence[Mesh]) -> Mesh:
    """Join several meshes to one."""
    first = np.cumsum([0, *(len(m.vertices) for m in meshes)])
    return Mesh(
        np.concatenate([m.vertices for m in meshes]),
        np.concatenate([m.normals for m in meshes]),
        np.concatenate([m.faces + k for m, k in zip(meshes, first, strict=False)]),
    )


def lathe(profile: Sequence[tuple[float, float]], sides: int | None = None) -> Mesh:
    """A solid of revolution about z. The profile's (radius, z) go up its outside, from the axis or to it where it is closed."""
    sides = sides or _SIDES.get()
    p = np.array(profile, dtype=float)
    d = np.diff(p, axis=0)
    across = np.stack([d[:, 1], -d[:, 0]], axis=1) / np.maximum(np.linalg.norm(d, axis=1, keepdims=True), 1e-30)
    angle = np.arange(sides) * (2 * math.pi / sides)
    c, s = np.cos(angle), np.sin(angle)
    rings: list[tuple[np.ndarray, np.ndarray]] = []
    bands: list[tuple[int, int]] = []
    for k in range(len(d)):
        ends = []
        for at, other in ((k, k - 1), (k + 1, k + 1)):
            n = across[k]
            if 0 <= other < len(d) and float(n @ across[other]) > math.cos(SHARP_ANGLE):
                n = n + across[other]
                n = n / np.linalg.norm(n)
            if p[at, 0] < 1e-12 and abs(n[1]) > 0.5:
                n = np.array([0.0, math.copysign(1.0, n[1])])  # a pole
            ends.append(len(rings))
            rings.append((p[at], n))
        bands.append((ends[0], ends[1]))
    vertices = np.concatenate([np.stack([r * c, r * s, np.full(sides, z)], axis=1) for (r, z), _ in rings])
    normals = np.concatenate([np.stack([n[0] * c, n[0] * s, np.full(sides, n[1])], axis=1) for _, n in rings])
    j = np.arange(sides)
    following = (j + 1) % sides
    faces = []
    for low, high in bands:
        a, b, e, f = (ring * sides + k for ring, k in ((low, j), (low, following), (high, following), (high, j)))
        if rings[low][0][0] > 1e-12:
            faces.append(np.stack([a, b, e], axis=1))
        if rings[high][0][0] > 1e-12:
            faces.append(np.stack([a, e, f], axis=1))
    return Mesh(vertices, normals, np.concatenate(faces))


def cylinder(radius: float, length: float, bevel: float = 0.0, sides: int | None = None) -> Mesh:
    """A cylinder along z, about the origin, with bevelled edges."""
    h, b = length / 2, min(bevel, 0.4 * radius, 0.4 * length)
    if b > 0:
        return lathe([(0, -h), (radius - b, -h), (radius, -h + b), (radius, h - b), (radius - b, h), (0, h)], sides)
    return lathe([(0, -h), (radius, -h), (radius, h), (0, h)], sides)


def frustum(low: float, high: float, length: float, sides: int | None = None) -> Mesh:
    """A cone without its tip, from radius `low` at z = 0 to `high` at z = length."""
    return lathe([(0, 0), (low, 0), (high, length), (0, length)], sides)


def capsule(low: float, high: float, length: float, sides: int | None = None) -> Mesh:
    """A bar with round ends of two radii, from z = 0 to z = length between the balls' centres."""
    sides = sides or _SIDES.get()
    rings = max(3, sides // 3 - 1)
    turn = math.asin(max(-1.0, min(1.0, (low - high) / length))) if length > 0 else 0.0  # where the balls meet the cone
    lower = [(low * math.cos(a), low * math.sin(a)) for a in np.linspace(-math.pi / 2, turn, rings)]
    upper = [(high * math.cos(a), length + high * math.sin(a)) for a in np.linspace(turn, math.pi / 2, rings)]
    lower[0], upper[-1] = (0.0, -low), (0.0, length + high)
    return lathe([*lower, *upper], sides)


def sphere(radius: float, sides: int | None = None) -> Mesh:
    sides = sides or _SIDES.get()
    angles = np.linspace(-math.pi / 2, math.pi / 2, sides // 2 + 1)
    profile = [(radius * math.cos(a), radius * math.sin(a)) for a in angles]
    profile[0], profile[-1] = (0.0, -radius), (0.0, radius)
    return lathe(profile, sides)


def torus(radius: float, thickness: float, sides: int | None = None) -> Mesh:
    """A tyre about z."""
    sides = sides or 2 * _SIDES.get()
    angles = np.linspace(-math.pi, math.pi, sides // 4 + 1)
    return lathe([(radius + thickness * math.cos(a), thickness * math.sin(a)) for a in angles], sides)


def box(size: Sequence[float], bevel: float = 0.0) -> Mesh:
    """A box about the origin, of full side lengths, with bevelled edges."""
    h = np.asarray(size, dtype=float) / 2
    b = min(bevel, *(0.4 * h)) if bevel > 0 else 0.0
    corners = np.array([(x, y, z) for x in (-1.0, 1.0) for y in (-1.0, 1.0) for z in (-1.0, 1.0)])
    polygons: list[list[np.ndarray]] = []

    def at(corner: np.ndarray, axis: int) -> np.ndarray:
        """The corner as the face across `axis` has it."""
        inner: np.ndarray = corner * (h - b)
        inner[axis] = corner[axis] * h[axis]
        return inner

    for axis in range(3):
        u, v = (axis + 1) % 3, (axis + 2) % 3
        for side in (-1.0, 1.0):
            around = []
            for su, sv in _SQUARE:
                corner = np.zeros(3)
                corner[axis], corner[u], corner[v] = side, su, sv
                around.append(at(corner, axis))
            polygons.append(around)
        if b > 0:  # the four edges along this axis
            for su, sv in _SQUARE:
                low, high = np.zeros(3), np.zeros(3)
                low[axis], high[axis] = -1, 1
                for corner in (low, high):
                    corner[u], corner[v] = su, sv
                polygons.append([at(low, u), at(low, v), at(high, v), at(high, u)])
    if b > 0:
        polygons += [[at(c, 0), at(c, 1), at(c, 2)] for c in corners]
    return faceted_mesh(polygons)


def faceted_mesh(polygons: Sequence[Sequence[np.ndarray]]) -> Mesh:
    """The mesh of the plane faces of a convex solid around the origin, each shaded flat, and turned outward."""
    vertices: list[np.ndarray] = []
    normals: list[np.ndarray] = []
    faces: list[tuple[int, int, int]] = []
    for polygon in polygons:
        points = np.array(polygon)
        n = np.cross(points[1] - points[0], points[2] - points[0])
        if n @ points.mean(axis=0) < 0:
            points, n = points[::-1], -n
        first = sum(len(x) for x in vertices)
        vertices.append(points)
        normals.append(np.tile(n / max(float(np.linalg.norm(n)), 1e-30), (len(points), 1)))
        faces += [(first, first + k, first + k + 1) for k in range(1, len(points) - 1)]
    return Mesh(np.concatenate(vertices), np.concatenate(normals), np.array(faces))


def plate(outline: np.ndarray, thickness: float) -> Mesh:
    """A plate over a convex polygon in the x-y plane, (n, 2) counter-clockwise, of a thickness along z."""
    middle = outline.mean(axis=0)
    low = np.column_stack([outline - middle, np.full(len(outline), -thickness / 2)])
    high = low + np.array([0.0, 0.0, thickness])
    n = len(outline)
    sides = [[low[i], low[(i + 1) % n], high[(i + 1) % n], high[i]] for i in range(n)]
    return faceted_mesh([list(high), list(low[::-1]), *sides]).with_pose(np.eye(3), np.array([*middle, 0.0]))


def rotation_z_to(direction: np.ndarray) -> np.ndarray:
    """A rotation whose z column is along the direction."""
    z = np.asarray(direction, dtype=float)
    z = z / np.linalg.norm(z)
    x = np.cross(np.eye(3)[int(np.argmin(np.abs(z)))], z)
    x /= np.linalg.norm(x)
    return np.stack([x, np.cross(z, x), z], axis=1)


def bar(start: np.ndarray, end: np.ndarray, low: float, high: float) -> Mesh:
    """A capsule from one point to another, whose radius goes from `low` to `high`."""
    start, end = np.asarray(start, dtype=float), np.asarray(end, dtype=float)
    length = float(np.linalg.norm(end - start))
    if length <= abs(low - high):
        return sphere(max(low, high)).with_pose(np.eye(3), (start + end) / 2)
    return capsule(low, high, length).with_pose(rotation_z_to(end - start), start)


def coil(a: np.ndarray, b: np.ndarray, radius: float) -> Mesh:
    """A helical spring from one point to another: straight ends, turns between them that come apart as it stretches."""
    length = float(np.linalg.norm(b - a))
    if length < 1e-12:
        b = a + np.array([0.0, 0.0, 1e-9])
        length = 1e-9
    s = np.linspace(0, 1, COIL_TURNS * COIL_STEPS + 1)
    wide = radius * np.clip(np.minimum(s, 1 - s) * 24, 0, 1)
    angle = 2 * math.pi * COIL_TURNS * s
    line = np.column_stack([wide * np.cos(angle), wide * np.sin(angle), length * (0.06 + 0.88 * s)])
    line = np.vstack([[0, 0, 0], line, [0, 0, length]])
    return _tube(line @ rotation_z_to(b - a).T + a, 0.22 * radius)


def _tube(line: np.ndarray, radius: float) -> Mesh:
    """A tube around a line that does not run back."""
    tangent = np.gradient(line, axis=0)
    tangent /= np.maximum(np.linalg.norm(tangent, axis=1, keepdims=True), 1e-30)
    middle = line[-1] - line[0]
    out = np.cross(tangent, middle / np.linalg.norm(middle))
    short = np.linalg.norm(out, axis=1) < 1e-6
    out[short] = rotation_z_to(middle)[:, 0]
    out -= (out * tangent).sum(axis=1, keepdims=True) * tangent
    out /= np.maximum(np.linalg.norm(out, axis=1, keepdims=True), 1e-30)
    other = np.cross(tangent, out)
    angle = np.arange(COIL_SIDES) * 2 * math.pi / COIL_SIDES
    normals = out[:, None] * np.cos(angle)[:, None] + other[:, None] * np.sin(angle)[:, None]
    vertices = line[:, None] + radius * normals
    i, j = np.meshgrid(np.arange(len(line) - 1), np.arange(COIL_SIDES), indexing="ij")
    k = (j + 1) % COIL_SIDES
    a, b, c, d = i * COIL_SIDES + j, i * COIL_SIDES + k, (i + 1) * COIL_SIDES + k, (i + 1) * COIL_SIDES + j
    faces = np.concatenate([np.stack([a, b, c], axis=-1).reshape(-1, 3), np.stack([a, c, d], axis=-1).reshape(-1, 3)])
    return Mesh(vertices.reshape(-1, 3), normals.reshape(-1, 3), faces)


def ribbon(path: np.ndarray, eye: np.ndarray, width: float) -> Mesh:
    """A path as a narrow band that faces the eye."""
    tangent = np.gradient(path, axis=0)
    toward = eye - path
    across = np.cross(tangent, toward)
    across /= np.maximum(np.linalg.norm(across, axis=1, keepdims=True), 1e-30)
    vertices = np.concatenate([path - across * width / 2, path + across * width / 2])
    toward = toward / np.maximum(np.linalg.norm(toward, axis=1, keepdims=True), 1e-30)
    n = len(path)
    i = np.arange(n - 1)
    faces = np.concatenate([np.stack([i, i + n, i + n + 1], axis=1), np.stack([i, i + n + 1, i + 1], axis=1)])
    return Mesh(vertices, np.concatenate([toward, toward]), faces)
