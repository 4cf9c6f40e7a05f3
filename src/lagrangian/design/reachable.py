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
    """The set of points that the origin of a frame can reach.

    `workspace` returns it. A frame that moves on a curved surface has points only.

    Attributes
    ----------
    mechanism : Mechanism
        The mechanism.
    frame : str
        The frame.
    kind : {"plane", "space", "surface"}
        Whether the points lie in a plane, fill a space, or lie on a curved surface.
    points, q : numpy.ndarray
        Points that are reached, with the shape (samples, 3) in m, and the configurations that reach them.
    boundary : list of numpy.ndarray
        In a plane, a closed polygon for each piece of the edge: outer ones anticlockwise, those around holes clockwise. In space,
        points on the surface.
    boundary_q : list of numpy.ndarray
        The configurations at the boundary. There an arm is singular, or a joint is at its limit.
    vertices, faces : numpy.ndarray
        In space, a mesh of the surface.
    area, volume : float or None
        The area in m^2, or the volume in m^3.
    error : float
        An estimate of the error of the area or the volume.
    holes : int
        The number of enclosed regions that are out of reach.
    plane : numpy.ndarray
        Two unit vectors of the plane, or the three axes.

    Examples
    --------
    >>> import lagrangian as lg
    >>> found = lg.workspace("two_r", "tip", over={"theta2": (0.5, 2.5)})
    >>> found.holes, round(found.area, 4)
    (1, 10.5477)
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
        """The smallest and the largest x, y and z, as two arrays in m."""
        places = np.vstack([self.points, *self.boundary])
        return places.min(axis=0), places.max(axis=0)

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Write the boundary with its configurations, or the samples of a curved surface, to a file.

        Parameters
        ----------
        path : str or path
            The file; it ends in .csv or .nc (netCDF).

        Returns
        -------
        pathlib.Path
            The file that was written.
        """
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
            return f"{lines[0]}. The frame moves on this surface, which encloses no volume; the result has sample points only"
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
