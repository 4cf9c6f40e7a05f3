"""Where a frame can be: points, the boundary, and what it encloses."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from lagrangian.design.saving import Column, save
from lagrangian.design.showing import ShownWorkspace
from lagrangian.kernels.dynamics import Dynamics
from lagrangian.model.mechanism import Mechanism


@dataclass(frozen=True, eq=False, repr=False)
class Workspace(ShownWorkspace):
    """Where a frame's origin can be.

    `points` (samples, 3) are places that configurations `q` reach. Of a workspace in a plane, `boundary` has a closed polygon
    (n, 3) for each piece of its edge, the outer ones counter-clockwise and those around holes clockwise, and `area` is what they
    enclose. Of one in space, `boundary` has points on its surface, `vertices` and `faces` are a mesh of it, and `volume` is
    within it. `error` estimates how far the area or the volume is off. `boundary_q` are the configurations at the boundary:
    there an arm is singular, or a joint at its limit. `holes` counts what is enclosed and out of reach. A frame that moves on a
    curved surface has points alone.
    """

    mechanism: Mechanism
    frame: str
    kind: str  # "plane", "space" or "surface"
    points: np.ndarray
    q: np.ndarray
    dyn: Dynamics = field(repr=False)
    boundary: list[np.ndarray] = field(default_factory=list)
    boundary_q: list[np.ndarray] = field(default_factory=list)
    vertices: np.ndarray = field(default_factory=lambda: np.zeros((0, 3)))
    faces: np.ndarray = field(default_factory=lambda: np.zeros((0, 4), dtype=int))
    area: float | None = None
    volume: float | None = None
    error: float = 0.0
    holes: int = 0
    plane: np.ndarray = field(default_factory=lambda: np.eye(3))

    @property
    def extent(self) -> tuple[np.ndarray, np.ndarray]:
        """The least and the greatest x, y and z."""
        places = np.vstack([self.points, *self.boundary])
        return places.min(axis=0), places.max(axis=0)

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Write the boundary with its configurations, or the samples of a curved surface, as .csv or .nc; the file written."""
        parts = list(zip(self.boundary, self.boundary_q, strict=True)) or [(self.points, self.q)]
        piece = np.concatenate([np.full(len(p), k, dtype=float) for k, (p, _) in enumerate(parts)])
        points, q = np.vstack([p for p, _ in parts]), np.vstack([x for _, x in parts])
        columns = [Column("piece", piece, "1", "number of the piece of the boundary")]
        columns += [Column(x, points[:, k], "m", f"{x} of {self.frame}") for k, x in enumerate("xyz")]
        units = [unit or "1" for joint in self.mechanism.joints for unit in joint.kind.units]
        names = [f"q_{n}" if n in "xyz" else n for n in self.mechanism.coordinate_names]
        columns += [Column(n, q[:, k], units[k]) for k, n in enumerate(names)]
        return save(path, self.mechanism.name, "workspace", "point", columns)

    def __repr__(self) -> str:
        return f"<Workspace of {self.frame!r} of {self.mechanism.name!r}: {self._size()}>"

    def _size(self) -> str:
        if self.area is not None:
            return f"{measured(self.area, self.error)} m^2"
        return f"{measured(self.volume, self.error)} m^3" if self.volume is not None else "a curved surface"

    def __str__(self) -> str:
        low, high = self.extent
        box = ", ".join(
            f"{x} from {a + 0.0:.4g} to {b + 0.0:.4g}" for x, a, b in zip("xyz", low, high, strict=True) if b - a > 1e-9
        )
        lines = [f"{self.mechanism.name}: {self.frame!r} reaches {self._size()}; {box} m"]
        if self.kind == "surface":
            return f"{lines[0]}. The frame moves on this surface, which encloses nothing: there are samples alone"
        inner = {0: "no hole", 1: "one hole"}.get(self.holes, f"{self.holes} holes")
        pieces = sum(_turning(p @ self.plane.T) > 0 for p in self.boundary) if self.area is not None else 1
        whole = "in one piece" if pieces == 1 else f"in {pieces} pieces"
        points = f"{len(self.points)} samples, {sum(map(len, self.boundary))} points on the boundary"
        return f"{lines[0]}\n{whole}, with {inner}; {points}"


def measured(x: float, error: float) -> str:
    """A number with as many digits as its error leaves."""
    digits = int(np.clip(np.ceil(np.log10(abs(x) / max(error, 1e-12 * abs(x), 1e-300))), 2, 9)) if x else 3
    return f"{x:.{digits}g} +- {error:.1g}"


def _turning(p: np.ndarray) -> float:
    x, y = p.T
    return float(x @ np.roll(y, -1) - y @ np.roll(x, -1))
