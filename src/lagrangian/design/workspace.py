"""`lagrangian.workspace`: where a frame of a mechanism can be, with the boundary of it."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from lagrangian.arguments import count, truth
from lagrangian.configuration.bounds import Bounds
from lagrangian.configuration.dynamics_of import dynamics_of
from lagrangian.configuration.start import Start
from lagrangian.description.mechanism_of import MechanismLike
from lagrangian.design.grid import Grid
from lagrangian.design.outline import outline
from lagrangian.design.reaching import Reaching
from lagrangian.design.samples import moving_rank, plane_of, ranges_of, sampled
from lagrangian.design.saving import Column, save
from lagrangian.design.showing import ShownWorkspace
from lagrangian.design.surface import surface
from lagrangian.errors import ArgumentError
from lagrangian.kernels.dynamics import Dynamics
from lagrangian.model.loop import Frame
from lagrangian.model.mechanism import Mechanism

SAMPLES, CLOSED_SAMPLES = 20_000, 2_000
PLANAR, SPATIAL = 64, 28  # nodes across


@dataclass(frozen=True, eq=False, repr=False)
class Workspace(ShownWorkspace):
    """Where a frame's origin can be.

    `points` (samples, 3) are places that configurations `q` reach. Of a workspace in a plane, `boundary` has a closed polygon (n, 3)
    for each piece of its edge, the outer ones counter-clockwise and those around holes clockwise, and `area` is what they enclose.
    Of one in space, `boundary` has points on its surface, `vertices` and `faces` are a mesh of it, and `volume` is within it. `error`
    is an estimate of how far the area or the volume is off. `boundary_q` are the configurations at the boundary: there an arm is
    singular, or a joint at its limit. `holes` counts what is enclosed and out of reach. A frame that moves on a curved surface
    has points alone.
    """

    mechanism: Mechanism
    frame: str
    kind: str  # "plane", "space" or "surface"
    points: np.ndarray
    q: np.ndarray
    boundary: list[np.ndarray]
    boundary_q: list[np.ndarray]
    vertices: np.ndarray
    faces: np.ndarray
    area: float | None
    volume: float | None
    error: float
    holes: int
    plane: np.ndarray
    dyn: Dynamics = field(repr=False)

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
        return f"{lines[0]}\n{whole}, with {inner}; {len(self.points)} samples, {sum(map(len, self.boundary))} points on the boundary"


def measured(x: float, error: float) -> str:
    """A number with as many digits as its error leaves."""
    digits = int(np.clip(np.ceil(np.log10(abs(x) / max(error, 1e-12 * abs(x), 1e-300))), 2, 9)) if x else 3
    return f"{x:.{digits}g} +- {error:.1g}"


def _turning(p: np.ndarray) -> float:
    x, y = p.T
    return float(x @ np.roll(y, -1) - y @ np.roll(x, -1))


def workspace(
    mechanism: MechanismLike | Dynamics,
    frame: str | Frame | None = None,
    *,
    over: Mapping[str, tuple[float, float]] | None = None,
    limits: bool = True,
    q0: Any = None,
    samples: int | None = None,
    resolution: int | None = None,
    seed: int = 0,
) -> Workspace:
    """Find where the origin of a frame can be: its reachable workspace, of any orientation, with the boundary of it.

    Configurations are sampled between the joints' limits, with loops closed in all assemblies that are found. The nodes of a grid
    are then tried by inverse kinematics from these and from each other, and the boundary is located between nodes that are reached
    and nodes that are not: in a plane to rounding.

    Parameters
    ----------
    mechanism
        A serial or parallel mechanism, planar or spatial.
    frame
        The frame, or a body; by default the only frame of the description.
    over
        Ranges of coordinates in place of their limits, {"d3": (0, 0.5)}: a slide without limits needs one.
    limits
        Whether joints keep their limits.
    q0
        A configuration to begin with beside the samples, for mechanisms with loops.
    samples
        How many configurations are drawn: 20000, or 2000 where loops are to be closed.
    resolution
        How many nodes the grid has across: 64 in a plane, 28 in space.
    seed
        Of the samples, which are the same for the same seed.

    Returns
    -------
    Workspace
        Points, boundary, area or volume with an estimate of its error, and holes; `print`, `plot` and `save` show them.

    Examples
    --------
    >>> import lagrangian as lg
    >>> found = lg.workspace("two_r", "tip")
    >>> abs(found.area / (3.141592653589793 * 4) - 1) < 1e-5
    True
    """
    dyn = dynamics_of(mechanism)
    model, closed = dyn.mechanism, bool(dyn.mechanism.equations)
    name = _frame(model, frame)
    if dyn.depends_on_time or not dyn.holonomic.all():
        raise ArgumentError("has constraints of speeds or of time, which do not limit where it can be", where=model.name)
    bounds = ranges_of(dyn, over, truth(limits, "limits"))
    number = count(samples if samples is not None else CLOSED_SAMPLES if closed else SAMPLES, "samples", least=16, most=5_000_000)
    start = Start(dyn, q0)
    q = sampled(dyn, bounds, number, count(seed, "seed", least=0), (start.closed() if start.own else start.q) if closed else None)
    points = np.asarray(dyn.pose(q, name))[:, :3, 3]
    rank = moving_rank(dyn, q, name)
    _refuse_few(model, name, rank)
    plane = plane_of(points)
    made = {"mechanism": model, "frame": name, "points": points, "q": q, "dyn": dyn}
    none: dict[str, Any] = {"boundary": [], "boundary_q": [], "vertices": np.zeros((0, 3)), "faces": np.zeros((0, 4), dtype=int)}
    if rank == 2 and plane is None:
        return Workspace(kind="surface", area=None, volume=None, error=0.0, holes=0, plane=np.eye(3), **made, **none)
    flat = rank == 2 and plane is not None
    basis = plane if flat and plane is not None else np.eye(3)
    across = count(resolution if resolution is not None else PLANAR if flat else SPATIAL, "resolution", least=8, most=2000)
    origin = points.mean(axis=0) if flat else np.zeros(3)
    origin = origin - basis.T @ (basis @ origin) if flat else origin
    grid = Grid(Reaching(dyn, name, basis, origin, bounds), q, across)
    holes = grid.holes()[1]
    if flat:
        found = outline(grid)
        edges = {"boundary": [grid.reaching.world(x.places) for x in found.loops], "boundary_q": [x.q for x in found.loops]}
        return Workspace(
            kind="plane", area=found.area, volume=None, error=found.error, holes=holes, plane=basis, **made, **(none | edges)
        )
    mesh = surface(grid)
    shell = {"boundary": [mesh.places], "boundary_q": [mesh.q], "vertices": mesh.vertices, "faces": mesh.faces}
    return Workspace(kind="space", area=None, volume=mesh.volume, error=mesh.error, holes=holes, plane=np.eye(3), **made, **shell)


def _frame(model: Mechanism, frame: str | Frame | None) -> str:
    if frame is not None:
        return model.frame(frame).name
    if len(model.frames) == 1:
        return model.frames[0].name
    known = [*(f.name for f in model.frames), *(b.name for b in model.bodies)]
    raise ArgumentError(
        f"does not say which frame of {model.name!r} is to be looked at",
        argument="frame",
        remedy=f"give one of {', '.join(known[:12])}",
    )


def _refuse_few(model: Mechanism, frame: str, rank: int) -> None:
    if rank == 0:
        raise ArgumentError(f"{model.name}: {frame!r} does not move, so that it has no workspace", concerns="frame")
    if rank == 1:
        raise ArgumentError(
            f"{model.name}: {frame!r} moves along a curve, which has neither area nor volume",
            concerns="frame",
            remedy=f"full_turn(mechanism).coupler_curve({frame!r}) draws it",
        )
