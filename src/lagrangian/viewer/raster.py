"""A small renderer in numpy: triangles to pixels with a depth buffer, smooth shading, a grid and soft shadows on the floor."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from lagrangian.viewer.camera import Camera

BATCH = 2_000_000  # pixels of triangles that are drawn at once


class Triangles(NamedTuple):
    """To be drawn, in the world."""

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
    near: np.ndarray


def spans(x: np.ndarray, y: np.ndarray, width: int, height: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The pixels whose centres lie in triangles with corners (n, 3): their rows, columns, and which triangle.

    All scan lines of all triangles at once, then all pixels of all scan lines; no pixel outside is looked at.
    """
    x, y = x.astype(np.float32), y.astype(np.float32)
    top = np.clip(np.ceil(y.min(axis=1) - 0.5), 0, height).astype(np.int32)
    bottom = np.clip(np.floor(y.max(axis=1) - 0.5), -1, height - 1).astype(np.int32)
    lines, which = _counted(bottom - top + 1)
    row = top[which] + lines
    center = row + np.float32(0.5)
    left = np.zeros(len(row), dtype=np.float32)
    right = np.full(len(row), width, dtype=np.float32)
    turn = np.sign((x[:, 1] - x[:, 0]) * (y[:, 2] - y[:, 0]) - (x[:, 2] - x[:, 0]) * (y[:, 1] - y[:, 0]))
    for a, b in ((0, 1), (1, 2), (2, 0)):
        # inside is on one side of each edge: to its right or to its left, by how the triangle turns
        rise = turn * (y[:, b] - y[:, a])
        with np.errstate(divide="ignore", invalid="ignore"):
            per = turn * (x[:, b] - x[:, a]) / rise
        per[rise == 0] = 0
        cut = x[which, a] + per[which] * (center - y[which, a])
        side = np.sign(rise)[which]
        np.minimum(right, cut, out=right, where=side > 0)
        np.maximum(left, cut, out=left, where=side < 0)
    first = np.clip(np.ceil(left - 0.5), 0, width).astype(np.int32)
    last = np.clip(np.ceil(right - 0.5) - 1, -1, width - 1).astype(np.int32)
    steps, line = _counted(last - first + 1)
    return row[line], first[line] + steps, which[line]


def _counted(counts: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """For every item counts[i] times: 0, 1, 2, ... and i."""
    counts = np.maximum(counts, 0)
    total = int(counts.sum())
    which = np.repeat(np.arange(len(counts), dtype=np.int32), counts)
    start = np.cumsum(counts) - counts
    return np.arange(total, dtype=np.int32) - start.astype(np.int32)[which], which


def visible(points: np.ndarray, camera: Camera, closed: np.ndarray | None = None) -> Pixels:
    """The nearest triangle at every pixel that has any. Triangles are taken some at a time, so that memory is bounded.

    Of `closed` surfaces, the triangles that turn their back on the camera are left out.
    """
    x, y, depth = camera.seen(points)
    u, v = x[:, 1:] - x[:, :1], y[:, 1:] - y[:, :1]
    area = u[:, 1] * v[:, 0] - u[:, 0] * v[:, 1]  # above zero as seen from outside: y is down
    front, area = area > 0, np.abs(area)
    seen = (depth.min(axis=1) > 1e-9) & (area > 1e-9)
    if closed is not None:
        seen &= front | ~closed
    kept = np.flatnonzero(seen)
    # not more than can be in the picture: what is cut off at its sides is not drawn
    cost = np.minimum(area[kept] / 2, camera.width * camera.height) + np.minimum(np.ptp(y[kept], axis=1), camera.height) + 1
    batch = (np.cumsum(cost) / BATCH).astype(np.int64)
    near = np.zeros(camera.width * camera.height, dtype=np.float32)
    triangle = np.full(camera.width * camera.height, -1, dtype=np.int32)
    for some in np.split(kept, np.flatnonzero(np.diff(batch)) + 1):
        at, which, n = _nearest(x[some], y[some], 1 / depth[some], camera)
        better = n > near[at]
        at = at[better]
        near[at] = n[better]
        triangle[at] = some[which[better]]
    at = np.flatnonzero(triangle >= 0)
    row, column = np.divmod(at, camera.width)
    return Pixels(row.astype(np.int32), column.astype(np.int32), triangle[at], near[at])


def _nearest(x: np.ndarray, y: np.ndarray, near: np.ndarray, camera: Camera) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Of some triangles, at every pixel that they cover: where it is, which is the nearest, and how near."""
    row, column, which = spans(x, y, camera.width, camera.height)
    plane = gradients(x, y, near[..., None])[..., 0].astype(np.float32)
    n = plane[which, 1] * (column + np.float32(0.5))
    n += plane[which, 2] * (row + np.float32(0.5))
    n += plane[which, 0]
    # depth above, running number below: the largest wins
    low, high = (float(near.min()), float(near.max())) if len(near) else (0.0, 1.0)
    key = np.clip((n - low) * ((2.0**30) / max(high - low, 1e-30)), 0, 2.0**30).astype(np.int64)
    key += 1
    key <<= 32
    key |= np.arange(len(n))
    best = np.zeros(camera.width * camera.height, dtype=np.int64)
    np.maximum.at(best, row * camera.width + column, key)
    won = best[best > 0] & 0xFFFFFFFF
    return row[won] * camera.width + column[won], which[won], n[won]


def gradients(x: np.ndarray, y: np.ndarray, values: np.ndarray) -> np.ndarray:
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
    seen = np.zeros(len(triangles.points), dtype=bool)
    seen[pixels.triangle] = True
    kept = np.flatnonzero(seen)
    which = (np.cumsum(seen) - 1)[pixels.triangle]
    x, y, _ = camera.seen(triangles.points[kept])
    g = gradients(x, y, triangles.normals[kept]).astype(np.float32)
    px, py = (pixels.column + np.float32(0.5))[:, None], (pixels.row + np.float32(0.5))[:, None]
    n = g[which, 1]
    n *= px
    n += g[which, 2] * py
    n += g[which, 0]
    n /= np.maximum(np.sqrt(np.einsum("ij,ij->i", n, n)), np.float32(1e-12))[:, None]
    right, _, back = camera.axes
    toward = back.astype(np.float32)
    n *= np.where(n @ toward < -0.15, np.float32(-1), np.float32(1))[:, None]  # the inside of an open mesh
    light = unit(-0.55 * right + 0.75 * up + 0.65 * back).astype(np.float32)
    half = unit(light + toward).astype(np.float32)
    sky = 0.5 + 0.5 * (n @ up.astype(np.float32))
    lambert = np.maximum(n @ light, 0)
    shine = np.maximum(n @ half, 0)
    for _ in range(5):
        shine *= shine
    rim = np.maximum(n @ toward, 0)
    level = 0.36 + 0.20 * sky + 0.52 * lambert + 0.06 * rim
    base = triangles.colors[pixels.triangle]
    color = base * level[:, None] + np.float32(0.16) * shine[:, None]
    plain = triangles.flat[pixels.triangle]
    color[plain] = base[plain]
    return np.minimum(color, 1.0)


def unit(x: np.ndarray) -> np.ndarray:
    return x / np.linalg.norm(x)
