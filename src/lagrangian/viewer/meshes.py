"""Mesh files of visuals: found, read, and kept small enough for a page."""

from __future__ import annotations

from lagrangian.model.body import Visual
from lagrangian.model.mechanism import Mechanism
from lagrangian.viewer.primitives import Mesh


def read(mechanism: Mechanism, visual: Visual) -> Mesh:
    raise OSError(f"{visual.file}: no reader of meshes")
