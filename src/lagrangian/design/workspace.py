"""`lagrangian.workspace`: the positions that a frame of a mechanism can reach, their boundary, and its area or volume."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np

from lagrangian.arguments import boolean, count
from lagrangian.configuration.coordinates import CoordinateBounds
from lagrangian.configuration.start import Start, as_dynamics
from lagrangian.description.mechanism_like import MechanismLike
from lagrangian.design.boundary import contour_surface, trace_outline
from lagrangian.design.display import WorkspaceDisplay
from lagrangian.design.grid import ReachabilityGrid
from lagrangian.design.reach_solver import ReachSolver
from lagrangian.design.singularity_tests import output_frame_name
from lagrangian.design.table_file import Column, write_table_file
from lagrangian.design.workspace_samples import moving_rank, plane_basis, sample_configurations, sampling_bounds
from lagrangian.errors import ArgumentError
from lagrangian.kernels.dynamics import Dynamics
from lagrangian.model.frame import Frame
from lagrangian.model.mechanism import Mechanism
from lagrangian.types import State

DEFAULT_SAMPLES, DEFAULT_SAMPLES_WITH_LOOPS = 20_000, 2_000
DEFAULT_PLANAR_NODES, DEFAULT_SPATIAL_NODES = 64, 28  # across the workspace


def workspace(
    mechanism: MechanismLike | Dynamics,
    frame: str | Frame | None = None,
    *,
    over: Mapping[str, tuple[float, float]] | None = None,
    limits: bool = True,
    q0: State = None,
    samples: int | None = None,
    resolution: int | None = None,
    seed: int = 0,
) -> Workspace:
    """Find the reachable workspace of a frame, with its boundary.

    The workspace is the set of points that the origin of the frame reaches in any orientation. Configurations are sampled between
    the limits of the joints, with loops closed in all assembly modes that are found. Inverse kinematics then tries the nodes of a
    grid, and the boundary is located between nodes that are reached and nodes that are not; in a plane, to rounding.

    Parameters
    ----------
    mechanism : Mechanism, str, path or Dynamics
        A serial or parallel mechanism, planar or spatial.
    frame : str or Frame, optional
        The frame or body. The default is the only frame of the description.
    over : mapping, optional
        Ranges of coordinates within their limits, such as {"d3": (0, 0.5)}. A slide without limits needs one.
    limits : bool
        Whether joints keep their limits. Only without them may `over` exceed the limits. The default is True.
    q0 : array_like, mapping or str, optional
        A further configuration to start from, in addition to the samples, for mechanisms with loops.
    samples : int, optional
        The number of configurations that are drawn. The default is 20000, or 2000 if loops must be closed.
    resolution : int, optional
        The number of grid nodes across the workspace. The default is 64 in a plane and 28 in space.
    seed : int
        The seed of the samples. The same seed gives the same samples.

    Returns
    -------
    Workspace
        Points, boundary, area or volume with an estimate of its error, and holes. `print`, `plot` and `save` show them.

    Raises
    ------
    ArgumentError
        If the frame does not move or moves along a curve, or if the workspace is unbounded.
    AssemblyError
        If no loop could be closed.

    Examples
    --------
    >>> import lagrangian as lg
    >>> workspace = lg.workspace("two_r", "tip")
    >>> print(workspace)
    two_r: 'tip' reaches 12.56637 +- 1e-06 m^2; x from -2 to 2, y from -2 to 2 m
    in one piece, with no hole; 20000 samples, 1032 points on the boundary
    """
    dyn = as_dynamics(mechanism)
    model, has_loops = dyn.mechanism, bool(dyn.mechanism.equation_count)
    name = output_frame_name(model, frame)
    assert name is not None
    if dyn.depends_on_time or not dyn.holonomic.all():
        raise ArgumentError(
            "has constraints of speeds or of time; a workspace needs constraints of positions alone", where=model.name
        )
    bounds = sampling_bounds(dyn, over, boolean(limits, "limits"))
    number = count(
        samples if samples is not None else DEFAULT_SAMPLES_WITH_LOOPS if has_loops else DEFAULT_SAMPLES,
        "samples",
        least=16,
        most=5_000_000,
    )
    start = Start(dyn, q0)
    q = sample_configurations(
        dyn,
        bounds,
        number,
        count(seed, "seed", least=0),
        (start.close_loops() if start.uses_default else start.q) if has_loops else None,
    )
    rank = moving_rank(dyn, q, name)
    _check_dimension(model, name, rank)
    return _make_workspace(dyn, name, bounds, q, rank, resolution)


def _check_dimension(model: Mechanism, frame: str, rank: int) -> None:
    if rank == 0:
        raise ArgumentError(f"{model.name}: {frame!r} does not move, so it has no workspace", concerns="frame")
    if rank == 1:
        raise ArgumentError(
            f"{model.name}: {frame!r} moves along a curve, which has neither area nor volume",
            concerns="frame",
            remedy=f"analyse_cycle(mechanism).coupler_curve({frame!r}) draws it",
        )


def _make_workspace(
    dyn: Dynamics, frame: str, bounds: CoordinateBounds, q: np.ndarray, rank: int, resolution: int | None
) -> Workspace:
    """The workspace of samples: its boundary in their plane or in space; on a curved surface the samples alone."""
    points = np.asarray(dyn.pose(q, frame))[:, :3, 3]
    plane = plane_basis(points) if rank == 2 else np.eye(3)
    samples_only = Workspace(dyn.mechanism, frame, "surface", points, q, dyn)
    if plane is None:
        return samples_only
    is_planar = len(plane) == 2
    node_count = count(
        resolution if resolution is not None else DEFAULT_PLANAR_NODES if is_planar else DEFAULT_SPATIAL_NODES,
        "resolution",
        least=8,
        most=2000,
    )
    plane_origin = points[0] - plane.T @ (plane @ points[0])  # the point of the plane nearest to the origin
    grid = ReachabilityGrid(ReachSolver(dyn, frame, plane, plane_origin, bounds), q, node_count)
    holes = grid.holes()[1]
    if is_planar:
        outline = trace_outline(grid)
        return replace(
            samples_only,
            kind="plane",
            plane=plane,
            area=outline.area,
            error=outline.error,
            holes=holes,
            boundary=[grid.solver.to_world(polygon.positions) for polygon in outline.polygons],
            boundary_q=[polygon.q for polygon in outline.polygons],
        )
    surface = contour_surface(grid)
    return replace(
        samples_only,
        kind="space",
        volume=surface.volume,
        error=surface.error,
        holes=holes,
        boundary=[surface.positions],
        boundary_q=[surface.q],
        vertices=surface.vertices,
        faces=surface.faces,
    )


@dataclass(frozen=True, eq=False, repr=False)
class Workspace(WorkspaceDisplay):
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
    >>> workspace = lg.workspace("two_r", "tip", over={"theta2": (0.5, 2.5)})
    >>> workspace.holes, round(workspace.area, 4)
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
        points = np.vstack([self.points, *self.boundary])
        return points.min(axis=0), points.max(axis=0)

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
        return write_table_file(path, self.mechanism.name, "workspace", "point", columns)

    def __repr__(self) -> str:
        return f"<Workspace of {self.frame!r} of {self.mechanism.name!r}: {self._size_text()}>"

    def _size_text(self) -> str:
        if self.area is not None:
            return f"{format_with_error(self.area, self.error)} m^2"
        return f"{format_with_error(self.volume, self.error)} m^3" if self.volume is not None else "a curved surface"

    def __str__(self) -> str:
        low, high = self.extent
        extent_text = ", ".join(
            f"{x} from {a + 0.0:.4g} to {b + 0.0:.4g}" for x, a, b in zip("xyz", low, high, strict=True) if b - a > 1e-9
        )
        lines = [f"{self.mechanism.name}: {self.frame!r} reaches {self._size_text()}; {extent_text} m"]
        if self.kind == "surface":
            return f"{lines[0]}. The frame moves on this surface, which encloses no volume; the result has sample points only"
        holes_text = {0: "no hole", 1: "one hole"}.get(self.holes, f"{self.holes} holes")
        pieces = sum(_twice_signed_area(p @ self.plane.T) > 0 for p in self.boundary) if self.area is not None else 1
        pieces_text = "in one piece" if pieces == 1 else f"in {pieces} pieces"
        points = f"{len(self.points)} samples, {sum(map(len, self.boundary))} points on the boundary"
        return f"{lines[0]}\n{pieces_text}, with {holes_text}; {points}"


def format_with_error(x: float, error: float) -> str:
    """A number with as many digits as its error allows, and the error."""
    digits = int(np.clip(np.ceil(np.log10(abs(x) / max(error, 1e-12 * abs(x), 1e-300))), 2, 9)) if x else 3
    return f"{x:.{digits}g} +- {error:.1g}"


def _twice_signed_area(p: np.ndarray) -> float:
    x, y = p.T
    return float(x @ np.roll(y, -1) - y @ np.roll(x, -1))
