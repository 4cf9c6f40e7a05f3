"""A small renderer in numpy: triangles to pixels with a depth buffer, and their smooth shading."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from lagrangian.viewer.render.camera import Camera

MAX_BATCH_PIXELS = 2_000_000  # pixels of triangles that are drawn at once


class Triangles(NamedTuple):
    """Triangles in the world that are to be drawn."""

    points: np.ndarray  # (n, 3, 3) m
    normals: np.ndarray  # (n, 3, 3)
    colors: np.ndarray  # (n, 3)
    flat: np.ndarray  # (n,) bool: drawn in the plain colour, without light
    closed: np.ndarray  # (n,) bool: of a closed surface, whose back is never seen


class Pixels(NamedTuple):
    """Pixels covered by triangles: which ones, by which, and how deep (1/m, larger is nearer)."""

    row: np.ndarray
    column: np.ndarray
    triangle: np.ndarray
    inverse_depth: np.ndarray


def covered_pixels(x: np.ndarray, y: np.ndarray, width: int, height: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The pixels whose centres lie in triangles with corners (n, 3): their rows, columns, and which triangle.

    All scan lines of all triangles at once, then all pixels of all scan lines; no pixel outside is looked at.
    """
    x, y = x.astype(np.float32), y.astype(np.float32)
    top = np.clip(np.ceil(y.min(axis=1) - 0.5), 0, height).astype(np.int32)
    bottom = np.clip(np.floor(y.max(axis=1) - 0.5), -1, height - 1).astype(np.int32)
    line_offsets, which = _expand_counts(bottom - top + 1)
    row = top[which] + line_offsets
    center = row + np.float32(0.5)
    left = np.zeros(len(row), dtype=np.float32)
    right = np.full(len(row), width, dtype=np.float32)
    orientation = np.sign((x[:, 1] - x[:, 0]) * (y[:, 2] - y[:, 0]) - (x[:, 2] - x[:, 0]) * (y[:, 1] - y[:, 0]))
    for a, b in ((0, 1), (1, 2), (2, 0)):
        # inside is on one side of each edge: to its right or to its left, by how the triangle turns
        rise = orientation * (y[:, b] - y[:, a])
        with np.errstate(divide="ignore", invalid="ignore"):
            x_per_y = orientation * (x[:, b] - x[:, a]) / rise
        x_per_y[rise == 0] = 0
        crossing = x[which, a] + x_per_y[which] * (center - y[which, a])
        side = np.sign(rise)[which]
        np.minimum(right, crossing, out=right, where=side > 0)
        np.maximum(left, crossing, out=left, where=side < 0)
    first = np.clip(np.ceil(left - 0.5), 0, width).astype(np.int32)
    last = np.clip(np.ceil(right - 0.5) - 1, -1, width - 1).astype(np.int32)
    pixel_offsets, line = _expand_counts(last - first + 1)
    return row[line], first[line] + pixel_offsets, which[line]


def _expand_counts(counts: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Two arrays with counts[i] entries for every item i: the numbers 0, 1, 2, ..., and i itself."""
    counts = np.maximum(counts, 0)
    total = int(counts.sum())
    which = np.repeat(np.arange(len(counts), dtype=np.int32), counts)
    start = np.cumsum(counts) - counts
    return np.arange(total, dtype=np.int32) - start.astype(np.int32)[which], which


def visible_pixels(points: np.ndarray, camera: Camera, closed: np.ndarray | None = None) -> Pixels:
    """The nearest triangle at every pixel that has any. Triangles are taken some at a time, so that memory is bounded.

    Of `closed` surfaces, the triangles that turn their back on the camera are left out.
    """
    x, y, depth = camera.project(points)
    u, v = x[:, 1:] - x[:, :1], y[:, 1:] - y[:, :1]
    area = u[:, 1] * v[:, 0] - u[:, 0] * v[:, 1]  # above zero as seen from outside: y is down
    front, area = area > 0, np.abs(area)
    facing_camera = (depth.min(axis=1) > 1e-9) & (area > 1e-9)
    if closed is not None:
        facing_camera &= front | ~closed
    candidates = np.flatnonzero(facing_camera)
    if not len(candidates):
        none = np.zeros(0, dtype=np.int32)
        return Pixels(none, none, none, np.zeros(0, dtype=np.float32))
    x, y, inverse_depth, area = x[candidates], y[candidates], 1 / depth[candidates], area[candidates]
    # only the part of the picture that is drawn on
    x0, y0 = (max(0, math.floor(min(a.min(), 1e6))) for a in (x, y))
    width, height = (max(0, math.ceil(min(a.max(), end)) - k) for a, end, k in ((x, camera.width, x0), (y, camera.height, y0)))
    x, y = x - x0, y - y0
    cost = np.minimum(area / 2, width * height) + np.minimum(np.ptp(y, axis=1), height) + 1
    batch = (np.cumsum(cost) / MAX_BATCH_PIXELS).astype(np.int64)
    nearest_inverse_depth = np.zeros(width * height, dtype=np.float32)
    triangle = np.full(width * height, -1, dtype=np.int32)
    for chunk in np.split(np.arange(len(candidates)), np.flatnonzero(np.diff(batch)) + 1):
        pixel_indices, which, chunk_inverse_depth = _nearest_triangles(x[chunk], y[chunk], inverse_depth[chunk], width, height)
        if chunk[0] > 0:
            better = chunk_inverse_depth > nearest_inverse_depth[pixel_indices]
            pixel_indices, which, chunk_inverse_depth = pixel_indices[better], which[better], chunk_inverse_depth[better]
        nearest_inverse_depth[pixel_indices] = chunk_inverse_depth
        triangle[pixel_indices] = candidates[chunk[which]]
    pixel_indices = np.flatnonzero(triangle >= 0)
    row, column = np.divmod(pixel_indices.astype(np.int32), np.int32(max(width, 1)))
    return Pixels(row + np.int32(y0), column + np.int32(x0), triangle[pixel_indices], nearest_inverse_depth[pixel_indices])


def _nearest_triangles(
    x: np.ndarray, y: np.ndarray, inverse_depth: np.ndarray, width: int, height: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The numbers of the pixels that triangles cover, the nearest triangle at each, and how near it is (1/m)."""
    row, column, which = covered_pixels(x, y, width, height)
    plane = plane_coefficients(x, y, inverse_depth[..., None])[..., 0].astype(np.float32)
    c, a, b = (np.take(plane[:, k], which) for k in range(3))
    pixel_inverse_depth = a * (column + np.float32(0.5)) + b * (row + np.float32(0.5)) + c
    # depth above, running number below: the largest wins
    low, high = (float(inverse_depth.min()), float(inverse_depth.max())) if len(inverse_depth) else (0.0, 1.0)
    key = np.clip((pixel_inverse_depth - low) * ((2.0**30) / max(high - low, 1e-30)), 0, 2.0**30).astype(np.int64)
    key += 1
    key <<= 32
    key |= np.arange(len(pixel_inverse_depth))
    best = np.zeros(width * height, dtype=np.int64)
    np.maximum.at(best, row * width + column, key)
    pixel_indices = np.flatnonzero(best)
    winners = best[pixel_indices] & 0xFFFFFFFF
    return pixel_indices, which[winners], pixel_inverse_depth[winners]


def plane_coefficients(x: np.ndarray, y: np.ndarray, values: np.ndarray) -> np.ndarray:
    """Values (n, 3, k) at the corners as c + a px + b py over the picture: (n, 3, k) of c, a, b."""
    x0, y0 = x[:, :1], y[:, :1]
    ux, uy, vx, vy = x[:, 1:2] - x0, y[:, 1:2] - y0, x[:, 2:] - x0, y[:, 2:] - y0
    area = ux * vy - vx * uy
    area = np.where(np.abs(area) > 1e-30, area, 1e-30)
    du, dv = values[:, 1] - values[:, 0], values[:, 2] - values[:, 0]
    a = (du * vy - dv * uy) / area
    b = (dv * ux - du * vx) / area
    return np.stack([values[:, 0] - a * x0 - b * y0, a, b], axis=1)


def shade(pixels: Pixels, triangles: Triangles, camera: Camera, up: np.ndarray) -> np.ndarray:
    """The colours (pixels, 3) under a light from above the camera's left shoulder, and one of the sky."""
    is_seen = np.zeros(len(triangles.points), dtype=bool)
    is_seen[pixels.triangle] = True
    seen_triangles = np.flatnonzero(is_seen)
    which = (np.cumsum(is_seen) - 1)[pixels.triangle]
    x, y, _ = camera.project(triangles.points[seen_triangles])
    normal_planes = plane_coefficients(x, y, triangles.normals[seen_triangles]).astype(np.float32)
    px, py = pixels.column + np.float32(0.5), pixels.row + np.float32(0.5)
    # component by component: products of small matrices would wake all of BLAS's threads
    x, y, z = (
        np.take(normal_planes[:, 1, k], which) * px
        + np.take(normal_planes[:, 2, k], which) * py
        + np.take(normal_planes[:, 0, k], which)
        for k in range(3)
    )
    inverse_length = 1 / np.maximum(np.sqrt(x * x + y * y + z * z), np.float32(1e-12))
    right, _, back = camera.axes
    light = normalise(-0.55 * right + 0.75 * up + 0.65 * back)
    directions = np.stack([back, light, normalise(light + back), up]).astype(np.float32)
    facing, lit, halfway, upward = ((x * d[0] + y * d[1] + z * d[2]) * inverse_length for d in directions)
    side = np.where(facing < -0.15, np.float32(-1), np.float32(1))  # the inside of an open mesh
    sky = 0.5 + 0.5 * side * upward
    lambert = np.maximum(side * lit, 0)
    shine = np.maximum(side * halfway, 0)
    for _ in range(5):
        shine *= shine
    rim = np.maximum(side * facing, 0)
    level = 0.36 + 0.20 * sky + 0.52 * lambert + 0.06 * rim
    base = np.take(triangles.colors, pixels.triangle, axis=0)
    color = base * level[:, None] + np.float32(0.16) * shine[:, None]
    if triangles.flat.any():
        plain = triangles.flat[pixels.triangle]
        color[plain] = base[plain]
    return np.minimum(color, 1.0)


def normalise(x: np.ndarray) -> np.ndarray:
    return x / np.linalg.norm(x)
