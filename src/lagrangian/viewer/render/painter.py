"""Pictures of a track, row by row: geometry of the moment, drawn twice as fine as it is shown."""

from __future__ import annotations

import numpy as np

from lagrangian.model.rotation import quaternion
from lagrangian.viewer.render import raster
from lagrangian.viewer.render.camera import camera_of
from lagrangian.viewer.render.floor import Floor
from lagrangian.viewer.render.raster import Triangles
from lagrangian.viewer.render.view import View
from lagrangian.viewer.scene.lines import coil, ribbon
from lagrangian.viewer.scene.primitives import Mesh, bar
from lagrangian.viewer.scene.scene import Color, Strut, Track

FINER = 2
EDGE = np.float32(0.62)  # how light the line about a part is
TRACE: tuple[Color, ...] = ((0.80, 0.29, 0.05), (0.0, 0.40, 0.62), (0.0, 0.52, 0.38), (0.70, 0.40, 0.57))


class Painter:
    """Draws rows of one track with one camera."""

    def __init__(self, track: Track, size: tuple[int, int], view: View | None = None) -> None:
        self.track = track
        self.width, self.height = size
        self.camera = camera_of(track, self.width, self.height, view)
        self.fine = self.camera.finer(FINER)
        self.floor = Floor(track.scene, self.camera)
        self.up = np.array(track.scene.up, dtype=float)
        self.closed = [closed(part.vertices, part.faces) for part in track.scene.parts]

    def frame(self, row: int, clear: bool = False) -> np.ndarray:
        """A row of the track: (height, width, 3) bytes on white; or (height, width, 4), `clear` where there is nothing, to lie on
        a page of any colour.
        """
        solid, translucent = self._geometry(row)
        image = self.floor.shaded(solid[0].points[~solid[0].flat], clear)
        near = np.zeros((self.fine.height, self.fine.width), dtype=np.float32) if translucent else None
        self._lay(image, near, *solid, 1.0)
        for triangles, owner, opacity in translucent:
            self._lay(image, near, triangles, owner, opacity)
        np.clip(image, 0, 1, out=image)
        if clear:
            image[..., :3] /= np.maximum(image[..., 3:], np.float32(1e-6))
            np.clip(image, 0, 1, out=image)
        image *= 255
        image += np.float32(0.5)
        return image.astype(np.uint8)

    def _lay(self, image: np.ndarray, near: np.ndarray | None, triangles: Triangles, owner: np.ndarray, opacity: float) -> None:
        """Draw over the image what is nearer than what is there; what is solid is there for the next."""
        pixels = raster.visible(triangles.points, self.fine, triangles.closed)
        if near is not None:
            kept = pixels.near > near[pixels.row, pixels.column]
            if not kept.all():
                pixels = raster.Pixels(*(x[kept] for x in pixels))
        if not len(pixels.row):
            return
        if opacity == 1 and near is not None:
            near[pixels.row, pixels.column] = pixels.near
        # only the part of the picture that is drawn on, in whole pixels of the image
        y0, x0 = (int(k.min()) // FINER for k in (pixels.row, pixels.column))
        y1, x1 = (int(k.max()) // FINER + 1 for k in (pixels.row, pixels.column))
        h, w = FINER * (y1 - y0), FINER * (x1 - x0)
        at = (pixels.row - FINER * y0) * w + (pixels.column - FINER * x0)
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
        small *= np.float32(opacity / FINER**2)
        image[y0:y1, x0:x1] *= 1 - small[..., 3:]
        image[y0:y1, x0:x1] += small[..., : image.shape[2]]

    # -- geometry ----------------------------------------------------------------------------------------------------

    def _geometry(self, row: int) -> tuple[tuple[Triangles, np.ndarray], list[tuple[Triangles, np.ndarray, float]]]:
        """What is solid as triangles with the number of the part each belongs to; then every translucent part."""
        track = self.track
        R, p = quaternion.matrix(track.quaternions[row]), track.positions[row]
        solid: list[tuple[Mesh, Color, bool, bool]] = []
        clear = []
        for part, shut in zip(track.scene.parts, self.closed, strict=True):
            T = R[part.frame]
            mesh = Mesh(part.vertices @ T.T + p[part.frame], part.normals @ T.T, part.faces)
            if part.opacity < 1:
                clear.append((*_triangles([(mesh, part.color, False, shut)]), part.opacity))
            else:
                solid.append((mesh, part.color, False, shut))
        for strut in track.scene.struts:
            solid.append((_strut(strut, R, p), strut.color, False, False))
        for k, frame in enumerate(track.traces):
            path = track.positions[: row + 1, frame]
            wide = 0.004 * track.scene.size
            if len(path) > 1:
                solid.append((ribbon(path, self.camera.eye, wide), TRACE[k % len(TRACE)], True, False))
        return _triangles(solid), clear


def _triangles(meshes: list[tuple[Mesh, Color, bool, bool]]) -> tuple[Triangles, np.ndarray]:
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
        np.repeat(np.array([plain for _, _, plain, _ in meshes]), counts),
        np.repeat(np.array([shut for _, _, _, shut in meshes]), counts),
    ), np.repeat(np.arange(len(meshes), dtype=np.int32), counts)


def closed(vertices: np.ndarray, faces: np.ndarray) -> bool:
    """Whether a surface has no rim: every edge is passed as often in one direction as in the other."""
    low, reach = vertices.min(axis=0), float(np.ptp(vertices, axis=0).max()) or 1.0
    x, y, z = np.rint((vertices - low) * (1e5 / reach)).astype(np.int64).T
    _, number = np.unique((x << 42) | (y << 21) | z, return_inverse=True)
    f = number[faces].astype(np.int64)
    a, b = f.ravel(), f[:, [1, 2, 0]].ravel()
    up = a < b
    _, edge = np.unique(np.minimum(a, b) << 32 | np.maximum(a, b), return_inverse=True)
    return not np.bincount(edge, np.where(up, 1, np.where(a == b, 0, -1))).any()


def _strut(strut: Strut, R: np.ndarray, p: np.ndarray) -> Mesh:
    a, b = strut_ends(strut, R, p)
    return coil(a, b, strut.radius) if strut.kind == "spring" else bar(a, b, strut.radius, strut.radius)


def strut_ends(strut: Strut, R: np.ndarray, p: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Where a strut begins and ends, given the frames' rotations and positions."""
    return R[strut.a] @ np.array(strut.a_point) + p[strut.a], R[strut.b] @ np.array(strut.b_point) + p[strut.b]
