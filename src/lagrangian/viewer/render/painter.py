"""Pictures of the rows of a track: meshes on a floor with a grid and a soft shadow, drawn twice as fine as the picture is."""

from __future__ import annotations

import math

import numpy as np

from lagrangian.model.rotation import quaternion
from lagrangian.viewer.render import raster
from lagrangian.viewer.render.camera import Camera, CameraView, camera_for_track
from lagrangian.viewer.render.raster import Triangles, covered_pixels, normalise
from lagrangian.viewer.scene.primitives import Mesh, bar, coil, ribbon
from lagrangian.viewer.scene.scene import Colour, Scene, Strut, Track

SUPERSAMPLING = 2
EDGE = np.float32(0.62)  # lightness of the line around a part
TRACE_COLOURS: tuple[Colour, ...] = ((0.80, 0.29, 0.05), (0.0, 0.40, 0.62), (0.0, 0.52, 0.38), (0.70, 0.40, 0.57))
LINE = np.array([0.70, 0.73, 0.77], dtype=np.float32)  # of the grid on white
SHADOW = np.array([0.62, 0.65, 0.70], dtype=np.float32)
# a line that is as grey on white and is also visible on black: red, green, blue and opacity
TRANSPARENT_LINE = np.array([0.455, 0.51, 0.58, 0.55], dtype=np.float32)
TRANSPARENT_SHADOW = np.array([0.05, 0.07, 0.10, 0.37], dtype=np.float32)


class Painter:
    """Draws rows of one track with one camera."""

    def __init__(self, track: Track, size: tuple[int, int], view: CameraView | None = None) -> None:
        self.track = track
        self.width, self.height = size
        self.camera = camera_for_track(track, self.width, self.height, view)
        self.fine = self.camera.with_more_pixels(SUPERSAMPLING)
        self.floor = Floor(track.scene, self.camera)
        self.up = np.array(track.scene.up, dtype=float)
        self.closed_parts = [is_closed_surface(part.vertices, part.faces) for part in track.scene.parts]

    def frame(self, row: int, transparent: bool = False) -> np.ndarray:
        """The picture of a row of the track: (height, width, 3) bytes on white, or (height, width, 4) on a transparent ground.

        A transparent picture suits a page of any colour.
        """
        solid, translucent = self._geometry(row)
        image = self.floor.render(solid[0].points[~solid[0].flat], transparent)
        inverse_depth = np.zeros((self.fine.height, self.fine.width), dtype=np.float32) if translucent else None
        self._composite(image, inverse_depth, *solid, 1.0)
        for triangles, owner, opacity in translucent:
            self._composite(image, inverse_depth, triangles, owner, opacity)
        np.clip(image, 0, 1, out=image)
        if transparent:
            image[..., :3] /= np.maximum(image[..., 3:], np.float32(1e-6))
            np.clip(image, 0, 1, out=image)
        image *= 255
        image += np.float32(0.5)
        return image.astype(np.uint8)

    def _composite(
        self, image: np.ndarray, inverse_depth: np.ndarray | None, triangles: Triangles, owner: np.ndarray, opacity: float
    ) -> None:
        """Draw triangles over the image where they are nearer than the solid ones before; solid ones then hide the next."""
        pixels = raster.visible_pixels(triangles.points, self.fine, triangles.closed)
        if inverse_depth is not None:
            nearer = pixels.inverse_depth > inverse_depth[pixels.row, pixels.column]
            if not nearer.all():
                pixels = raster.Pixels(*(x[nearer] for x in pixels))
        if not len(pixels.row):
            return
        if opacity == 1 and inverse_depth is not None:
            inverse_depth[pixels.row, pixels.column] = pixels.inverse_depth
        # only the part of the picture that is drawn on, in whole pixels of the image
        y0, x0 = (int(k.min()) // SUPERSAMPLING for k in (pixels.row, pixels.column))
        y1, x1 = (int(k.max()) // SUPERSAMPLING + 1 for k in (pixels.row, pixels.column))
        h, w = SUPERSAMPLING * (y1 - y0), SUPERSAMPLING * (x1 - x0)
        at = (pixels.row - SUPERSAMPLING * y0) * w + (pixels.column - SUPERSAMPLING * x0)
        part = np.full(h * w, -1, dtype=np.int32)
        part[at] = owner[pixels.triangle]
        shaded = np.ones((len(at), 4), dtype=np.float32)
        shaded[:, :3] = raster.shade(pixels, triangles, self.fine, self.up)
        color = np.zeros((h * w, 4), dtype=np.float32)
        color[at] = shaded
        parts = part.reshape(h, w)
        edge = np.zeros((h, w), dtype=bool)
        edge[:, :-1] |= parts[:, :-1] != parts[:, 1:]
        edge[:-1] |= parts[:-1] != parts[1:]
        color[edge.ravel(), :3] *= EDGE
        fine = color.reshape(h, w, 4)
        small: np.ndarray = fine[::2, ::2] + fine[::2, 1::2] + fine[1::2, ::2] + fine[1::2, 1::2]
        small *= np.float32(opacity / SUPERSAMPLING**2)
        image[y0:y1, x0:x1] *= 1 - small[..., 3:]
        image[y0:y1, x0:x1] += small[..., : image.shape[2]]

    # -- geometry ----------------------------------------------------------------------------------------------------

    def _geometry(self, row: int) -> tuple[tuple[Triangles, np.ndarray], list[tuple[Triangles, np.ndarray, float]]]:
        """The solid parts as triangles, each with the number of its part, and then every translucent part."""
        track = self.track
        R, p = quaternion.matrix(track.quaternions[row]), track.positions[row]
        solid: list[tuple[Mesh, Colour, bool, bool]] = []
        translucent = []
        for part, closed in zip(track.scene.parts, self.closed_parts, strict=True):
            T = R[part.frame]
            mesh = Mesh(part.vertices @ T.T + p[part.frame], part.normals @ T.T, part.faces)
            if part.opacity < 1:
                translucent.append((*_triangles([(mesh, part.color, False, closed)]), part.opacity))
            else:
                solid.append((mesh, part.color, False, closed))
        for strut in track.scene.struts:
            solid.append((_strut_mesh(strut, R, p), strut.color, False, False))
        for k, frame in enumerate(track.traces):
            path = track.positions[: row + 1, frame]
            wide = 0.004 * track.scene.size
            if len(path) > 1:
                solid.append((ribbon(path, self.camera.eye, wide), TRACE_COLOURS[k % len(TRACE_COLOURS)], True, False))
        return _triangles(solid), translucent


def _triangles(meshes: list[tuple[Mesh, Colour, bool, bool]]) -> tuple[Triangles, np.ndarray]:
    """All triangles of meshes, and the number of the mesh of each. A mesh has a colour, and is flat and closed or not."""
    if not meshes:
        none = np.zeros((0, 3, 3))
        return Triangles(none, none, np.zeros((0, 3)), np.zeros(0, dtype=bool), np.zeros(0, dtype=bool)), np.zeros(
            0, dtype=np.int32
        )
    counts = [len(mesh.faces) for mesh, *_ in meshes]
    return Triangles(
        np.concatenate([mesh.vertices[mesh.faces] for mesh, *_ in meshes]),
        np.concatenate([mesh.normals[mesh.faces] for mesh, *_ in meshes]),
        np.repeat(np.array([color for _, color, _, _ in meshes], dtype=np.float32), counts, axis=0),
        np.repeat(np.array([flat for _, _, flat, _ in meshes]), counts),
        np.repeat(np.array([closed for _, _, _, closed in meshes]), counts),
    ), np.repeat(np.arange(len(meshes), dtype=np.int32), counts)


def is_closed_surface(vertices: np.ndarray, faces: np.ndarray) -> bool:
    """Whether a surface has no rim: its faces pass every edge as often in one direction as in the other."""
    low, reach = vertices.min(axis=0), float(np.ptp(vertices, axis=0).max()) or 1.0
    x, y, z = np.rint((vertices - low) * (1e5 / reach)).astype(np.int64).T
    _, number = np.unique((x << 42) | (y << 21) | z, return_inverse=True)
    f = number[faces].astype(np.int64)
    a, b = f.ravel(), f[:, [1, 2, 0]].ravel()
    up = a < b
    _, edge = np.unique(np.minimum(a, b) << 32 | np.maximum(a, b), return_inverse=True)
    return not np.bincount(edge, np.where(up, 1, np.where(a == b, 0, -1))).any()


def _strut_mesh(strut: Strut, R: np.ndarray, p: np.ndarray) -> Mesh:
    a, b = strut_ends(strut, R, p)
    return coil(a, b, strut.radius) if strut.kind == "spring" else bar(a, b, strut.radius, strut.radius)


def strut_ends(strut: Strut, R: np.ndarray, p: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The ends of a strut in the world, given the rotations and positions of the frames."""
    return R[strut.a] @ np.array(strut.a_point) + p[strut.a], R[strut.b] @ np.array(strut.b_point) + p[strut.b]


# ---- the floor


class Floor:
    """The floor as one camera sees it: a grid that fades away, and the soft shadow of what stands over it."""

    def __init__(self, scene: Scene, camera: Camera) -> None:
        self.camera = camera
        self.up = np.array(scene.up, dtype=float)
        self.height = scene.floor
        self.light = normalise(1.0 * self.up - 0.30 * camera.axes[0] + 0.12 * camera.axes[2])
        self.lines, self.fade = self._grid(scene)

    def _grid(self, scene: Scene) -> tuple[np.ndarray, np.ndarray]:
        """The share of each pixel that a grid line covers, (height, width, 1), and how it fades with distance, from 1 to 0."""
        camera = self.camera
        x, y = np.meshgrid(np.arange(camera.width) + 0.5 - camera.width / 2, camera.height / 2 - np.arange(camera.height) - 0.5)
        rays = np.stack([x, y, np.full_like(x, -camera.focal)], axis=-1) @ camera.axes
        down = -(rays @ self.up)
        above = float(camera.eye @ self.up) - self.height
        with np.errstate(divide="ignore", invalid="ignore"):
            hit = camera.eye + (above / down)[..., None] * rays
        ahead = (down > 1e-9) & (above > 0)
        side = normalise(np.cross(self.up, np.eye(3)[int(np.argmin(np.abs(self.up)))]))
        plan = np.stack([hit @ side, hit @ np.cross(self.up, side)], axis=-1)
        plan[~ahead] = 0
        middle = np.array([np.dot(scene.center, side), np.dot(scene.center, np.cross(self.up, side))])
        away = np.linalg.norm(plan - middle, axis=-1) / scene.size
        fade = np.where(ahead, np.clip(1.25 - 1.0 * away, 0, 1) ** 1.5, 0)
        step = grid_spacing(scene.size)
        cover = np.zeros(x.shape)
        for k in range(2):
            across = np.hypot(*np.gradient(plan[..., k])) + 1e-30  # m per pixel
            line = np.abs((plan[..., k] / step + 0.5) % 1 - 0.5) * step / across
            cover = np.maximum(cover, np.clip(1.1 - line, 0, 1) * np.clip(step / across / 6, 0, 1))
        return (cover * fade).astype(np.float32)[..., None], fade.astype(np.float32)

    def render(self, points: np.ndarray, transparent: bool) -> np.ndarray:
        """The floor under triangles (n, 3, 3), with their shadow, as an image.

        On white it is (height, width, 3). A transparent image is (height, width, 4), with its colours times their opacity.
        """
        rows, columns, dark = self._shadow(points)
        if transparent:
            image = self.lines * np.append(TRANSPARENT_LINE[:3] * TRANSPARENT_LINE[3], TRANSPARENT_LINE[3])
            over = dark * TRANSPARENT_SHADOW[3]
            image[rows, columns] *= 1 - over
            image[rows, columns] += over * np.append(TRANSPARENT_SHADOW[:3], np.float32(1))
            return np.asarray(image)
        image = 1 - self.lines * (1 - LINE)
        image[rows, columns] *= 1 - dark * (1 - SHADOW)
        return np.asarray(image)

    def _shadow(self, points: np.ndarray) -> tuple[slice, slice, np.ndarray]:
        """The rows and columns of the picture that have a shadow, and how dark it is there, (rows, columns, 1)."""
        over = points @ self.up - self.height
        cast = points - self.light * (over / float(self.light @ self.up))[..., None]
        half = self.camera.with_more_pixels(0.5)
        x, y, depth = half.project(cast)
        valid = (depth.min(axis=1) > 1e-9) & (over.min(axis=1) > -1e-6 * abs(over).max())
        row, column, _ = covered_pixels(x[valid], y[valid], half.width, half.height)
        if not len(row):
            return slice(0, 0), slice(0, 0), np.zeros((0, 0, 1), dtype=np.float32)
        reach = max(1, round(0.008 * min(half.width, half.height)))
        room = 2 * reach + 2
        y0, x0 = max(0, int(row.min()) - room), max(0, int(column.min()) - room)
        y1, x1 = min(half.height, int(row.max()) + room), min(half.width, int(column.max()) + room)
        mask = np.zeros((y1 - y0, x1 - x0), dtype=np.float32)
        mask[row - y0, column - x0] = 1
        mask = box_blur(box_blur(mask, reach), reach)
        fade = self.fade[2 * y0 : 2 * y1, 2 * x0 : 2 * x1]
        mask = box_blur(mask.repeat(2, axis=0).repeat(2, axis=1), 1)[: fade.shape[0], : fade.shape[1]]
        return slice(2 * y0, 2 * y1), slice(2 * x0, 2 * x1), (mask * (0.75 * fade))[..., None]


def grid_spacing(size: float) -> float:
    """The spacing of grid lines: 1, 2 or 5 times a power of ten, about a ninth of the size."""
    ideal = size / 9
    power = 10 ** math.floor(math.log10(ideal))
    return float(min((1, 2, 5, 10), key=lambda k: abs(math.log(k * power / ideal))) * power)


def box_blur(image: np.ndarray, reach: int) -> np.ndarray:
    """The image, averaged over squares of 2 reach + 1 pixels."""
    for axis in (0, 1):
        width = [(0, 0), (0, 0)]
        width[axis] = (reach + 1, reach)
        total = np.cumsum(np.pad(image, width), axis=axis, dtype=np.float32)
        n = image.shape[axis]
        ahead, behind = [slice(None)] * 2, [slice(None)] * 2
        ahead[axis], behind[axis] = slice(2 * reach + 1, 2 * reach + 1 + n), slice(0, n)
        image = (total[tuple(ahead)] - total[tuple(behind)]) / np.float32(2 * reach + 1)
    return image
