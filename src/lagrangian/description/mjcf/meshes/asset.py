"""The meshes of <asset>, by the four ways in which MuJoCo takes a mesh for a solid or a shell."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from lagrangian.cached import cached_property
from lagrangian.description.folder import Folder
from lagrangian.description.meshes import file
from lagrangian.description.meshes.file import Triangles
from lagrangian.description.meshes.solid import Solid, oriented, solid
from lagrangian.description.mjcf.meshes import builtin
from lagrangian.description.mjcf.schema import check_attributes, check_children
from lagrangian.description.xml import Element, choice, number, numbers, text
from lagrangian.errors import DescriptionError
from lagrangian.model.rotation import quaternion

KINDS = ("legacy", "exact", "convex", "shell")


@dataclass(frozen=True)
class MeshAsset:
    """A mesh of <asset>. Its file, relative to the model's folder, is read when its inertia is asked for, and not before."""

    element: Element
    file: str
    scale: tuple[float, ...]
    folder: Folder | None

    @cached_property
    def solid(self) -> Solid:
        element = self.element
        check_attributes(element)
        check_children(element, ("plugin",))
        kind = choice(element, "inertia", KINDS, "legacy")
        try:
            vertices, faces = self._triangles()
            most = int(number(element, "maxhullvert", -1.0))
            if kind == "convex" or not len(faces):
                faces = _hull(vertices, most)
            if self.scale[0] * self.scale[1] * self.scale[2] < 0:
                faces = faces[:, ::-1]  # a mirrored mesh is turned inside out
            if kind == "exact" and not oriented(vertices, faces):
                raise ValueError('its faces are not oriented consistently, as inertia="exact" requires')
            with np.errstate(all="ignore"):
                found = solid(self._moved(vertices), faces, kind)
            if not (np.isfinite(found.inertia).all() and np.isfinite(found.center).all()):
                raise ValueError("it is so large that its inertia overflows")
            return found
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
            parameters = [float(x) for x in text(element, "params", "").split()]
            return file.checked(*builtin.made(element.attributes["builtin"], parameters))
        if self.file:
            if self.folder is None:
                raise element.error(
                    f"its inertia is needed, but the file {self.file!r} cannot be read: this model is a string without a folder"
                )
            return file.read(self.folder.path(element, self.file), groups=False)
        vertices = np.array(element.attributes.get("vertex", "").split(), dtype=float)
        faces = np.array(element.attributes.get("face", "").split(), dtype=int)
        if len(vertices) % 3 or len(faces) % 3:
            raise ValueError("vertex and face need three numbers per entry")
        return file.checked(vertices.reshape(-1, 3), faces.reshape(-1, 3))

    def _moved(self, vertices: np.ndarray) -> np.ndarray:
        """The vertices in the frame of the geoms: from `refpos` and `refquat`, then scaled."""
        wxyz = np.array(numbers(self.element, "refquat", 4, (1.0, 0.0, 0.0, 0.0)))
        length = np.linalg.norm(wxyz)
        if not length > 0:
            raise ValueError("refquat has length 0")
        moved = vertices - np.array(numbers(self.element, "refpos", 3, (0.0, 0.0, 0.0)))
        return moved @ quaternion.matrix(wxyz / length) * np.array(self.scale)


def _hull(vertices: np.ndarray, most: int) -> np.ndarray:
    """The faces of the convex hull, outwards, of at most so many vertices."""
    from scipy.spatial import ConvexHull, QhullError

    try:
        hull = ConvexHull(vertices, qhull_options="Qt" if most < 4 else f"Qt Q9 TA{most - 4}")
    except QhullError:
        raise ValueError("it has no convex hull: its vertices lie in a plane") from None
    faces = hull.simplices.copy()
    a, b, c = (vertices[faces[:, k]] for k in range(3))
    inward = np.einsum("ij,ij->i", np.cross(b - a, c - a), hull.equations[:, :3]) < 0
    faces[inward] = faces[inward][:, ::-1]
    return faces
