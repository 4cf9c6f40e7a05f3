"""The floor of a picture: a grid that fades away, and the soft shadow of what stands over it."""

from __future__ import annotations

import math

import numpy as np

from lagrangian.viewer.render.camera import Camera
from lagrangian.viewer.render.raster import spans, unit
from lagrangian.viewer.scene.scene import Scene

LINE = np.array([0.70, 0.73, 0.77], dtype=np.float32)  # on white
SHADOW = np.array([0.62, 0.65, 0.70], dtype=np.float32)
# a line that is as grey on white, and is seen on black, too: red, green, blue and how opaque it is
CLEAR_LINE = np.array([0.455, 0.51, 0.58, 0.55], dtype=np.float32)
CLEAR_SHADOW = np.array([0.05, 0.07, 0.10, 0.37], dtype=np.float32)


class Floor:
    """Seen by one camera."""

    def __init__(self, scene: Scene, camera: Camera) -> None:
        self.camera = camera
        self.up = np.array(scene.up, dtype=float)
        self.height = scene.floor
        self.light = unit(1.0 * self.up - 0.30 * camera.axes[0] + 0.12 * camera.axes[2])
        self.lines, self.fade = self._grid(scene)

    def _grid(self, scene: Scene) -> tuple[np.ndarray, np.ndarray]:
        """How far a pixel is covered by a line of the grid, (height, width, 1), and faded by its distance, 1 near to 0."""
        camera = self.camera
        x, y = np.meshgrid(np.arange(camera.width) + 0.5 - camera.width / 2, camera.height / 2 - np.arange(camera.height) - 0.5)
        rays = np.stack([x, y, np.full_like(x, -camera.focal)], axis=-1) @ camera.axes
        down = -(rays @ self.up)
        above = float(camera.eye @ self.up) - self.height
        with np.errstate(divide="ignore", invalid="ignore"):
            hit = camera.eye + (above / down)[..., None] * rays
        ahead = (down > 1e-9) & (above > 0)
        side = unit(np.cross(self.up, np.eye(3)[int(np.argmin(np.abs(self.up)))]))
        plan = np.stack([hit @ side, hit @ np.cross(self.up, side)], axis=-1)
        plan[~ahead] = 0
        middle = np.array([np.dot(scene.center, side), np.dot(scene.center, np.cross(self.up, side))])
        away = np.linalg.norm(plan - middle, axis=-1) / scene.size
        fade = np.where(ahead, np.clip(1.25 - 1.0 * away, 0, 1) ** 1.5, 0)
        step = spacing(scene.size)
        cover = np.zeros(x.shape)
        for k in range(2):
            across = np.hypot(*np.gradient(plan[..., k])) + 1e-30  # m per pixel
            line = np.abs((plan[..., k] / step + 0.5) % 1 - 0.5) * step / across
            cover = np.maximum(cover, np.clip(1.1 - line, 0, 1) * np.clip(step / across / 6, 0, 1))
        return (cover * fade).astype(np.float32)[..., None], fade.astype(np.float32)

    def shaded(self, points: np.ndarray, clear: bool) -> np.ndarray:
        """The floor under triangles (n, 3, 3), darkened where they keep the light off: on white (height, width, 3); or `clear`
        (height, width, 4), its colours times how opaque they are, to lie on a page of any colour.
        """
        rows, columns, dark = self._shadow(points)
        if clear:
            image = self.lines * np.append(CLEAR_LINE[:3] * CLEAR_LINE[3], CLEAR_LINE[3])
            over = dark * CLEAR_SHADOW[3]
            image[rows, columns] *= 1 - over
            image[rows, columns] += over * np.append(CLEAR_SHADOW[:3], np.float32(1))
            return np.asarray(image)
        image = 1 - self.lines * (1 - LINE)
        image[rows, columns] *= 1 - dark * (1 - SHADOW)
        return np.asarray(image)

    def _shadow(self, points: np.ndarray) -> tuple[slice, slice, np.ndarray]:
        """Rows and columns of the picture in which there is a shadow, and how dark it is there, (rows, columns, 1)."""
        over = points @ self.up - self.height
        cast = points - self.light * (over / float(self.light @ self.up))[..., None]
        half = self.camera.finer(0.5)
        x, y, depth = half.seen(cast)
        good = (depth.min(axis=1) > 1e-9) & (over.min(axis=1) > -1e-6 * abs(over).max())
        row, column, _ = spans(x[good], y[good], half.width, half.height)
        if not len(row):
            return slice(0, 0), slice(0, 0), np.zeros((0, 0, 1), dtype=np.float32)
        reach = max(1, round(0.008 * min(half.width, half.height)))
        room = 2 * reach + 2
        y0, x0 = max(0, int(row.min()) - room), max(0, int(column.min()) - room)
        y1, x1 = min(half.height, int(row.max()) + room), min(half.width, int(column.max()) + room)
        mask = np.zeros((y1 - y0, x1 - x0), dtype=np.float32)
        mask[row - y0, column - x0] = 1
        mask = blurred(blurred(mask, reach), reach)
        fade = self.fade[2 * y0 : 2 * y1, 2 * x0 : 2 * x1]
        mask = blurred(mask.repeat(2, axis=0).repeat(2, axis=1), 1)[: fade.shape[0], : fade.shape[1]]
        return slice(2 * y0, 2 * y1), slice(2 * x0, 2 * x1), (mask * (0.75 * fade))[..., None]


def spacing(size: float) -> float:
    """Of grid lines: 1, 2 or 5 times a power of ten, about a tenth of the size."""
    goal = size / 9
    power = 10 ** math.floor(math.log10(goal))
    return float(min((1, 2, 5, 10), key=lambda k: abs(math.log(k * power / goal))) * power)


def blurred(image: np.ndarray, reach: int) -> np.ndarray:
    """Averaged over 2 reach + 1 pixels each way."""
    for axis in (0, 1):
        width = [(0, 0), (0, 0)]
        width[axis] = (reach + 1, reach)
        total = np.cumsum(np.pad(image, width), axis=axis, dtype=np.float32)
        n = image.shape[axis]
        ahead, behind = [slice(None)] * 2, [slice(None)] * 2
        ahead[axis], behind[axis] = slice(2 * reach + 1, 2 * reach + 1 + n), slice(0, n)
        image = (total[tuple(ahead)] - total[tuple(behind)]) / np.float32(2 * reach + 1)
    return image
