"""Triangles from COLLADA files (.dae), in metres, where their scene puts them; the up axis is passed over, as in Gazebo."""

from __future__ import annotations

from typing import Any

import numpy as np

from lagrangian.description import xml
from lagrangian.description.folder import read_bytes
from lagrangian.description.meshes.file import MAX_BYTES, Triangles, checked


def read(path: str) -> Triangles:
    """The vertices and faces of a file; a ValueError or OSError says what is wrong with it."""
    import trimesh

    read_bytes(path, MAX_BYTES)
    root = xml.read_file(path)  # which refuses declarations that the other reader would follow
    if root.tag != "COLLADA":
        raise ValueError(f"its root is <{root.tag[:40]}>, not <COLLADA>")
    if root.find("scene") is None:
        raise ValueError("it has no <scene>")
    try:
        scene = trimesh.load_scene(path, resolver={})  # no file that it names, such as a texture, is read
        pieces: list[Any] = [x for x in scene.dump() if len(getattr(x, "faces", ()))]
    except Exception:  # it fails in every way there is, and in words that are about itself
        problem = "its scene cannot be read: an element is missing, a reference is broken, or a number is malformed"
        raise ValueError(problem) from None
    if not pieces:
        raise ValueError("it has no triangles")
    counts = np.cumsum([0, *(len(x.vertices) for x in pieces)])
    vertices = np.concatenate([np.asarray(x.vertices, dtype=float) for x in pieces])
    faces = np.concatenate([np.asarray(x.faces, dtype=int) + n for x, n in zip(pieces, counts[:-1], strict=True)])
    return checked(_unit(root) * vertices, faces)


def _unit(root: xml.Element) -> float:
    asset = root.find("asset")
    unit = asset.find("unit") if asset is not None else None
    return 1.0 if unit is None else xml.number(unit, "meter", 1.0)
