"""`lagrangian.workspace`: where a frame of a mechanism can be, with the boundary of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from lagrangian.arguments import count, truth
from lagrangian.configuration.bounds import Bounds
from lagrangian.configuration.dynamics_of import dynamics_of
from lagrangian.configuration.start import Start
from lagrangian.description.mechanism_of import MechanismLike
from lagrangian.design.grid import Grid
from lagrangian.design.outline import outline
from lagrangian.design.outputs import frame_of
from lagrangian.design.reachable import Workspace
from lagrangian.design.reaching import Reaching
from lagrangian.design.samples import moving_rank, plane_of, ranges_of, sampled
from lagrangian.design.surface import surface
from lagrangian.errors import ArgumentError
from lagrangian.kernels.dynamics import Dynamics
from lagrangian.model.loop import Frame
from lagrangian.model.mechanism import Mechanism
from lagrangian.types import State

SAMPLES, CLOSED_SAMPLES = 20_000, 2_000
PLANAR, SPATIAL = 64, 28  # nodes across


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
    >>> found = lg.workspace("two_r", "tip")
    >>> print(found)
    two_r: 'tip' reaches 12.56637 +- 1e-06 m^2; x from -2 to 2, y from -2 to 2 m
    in one piece, with no hole; 20000 samples, 1032 points on the boundary
    """
    dyn = dynamics_of(mechanism)
    model, closed = dyn.mechanism, bool(dyn.mechanism.equations)
    name = frame_of(model, frame)
    assert name is not None
    if dyn.depends_on_time or not dyn.holonomic.all():
        raise ArgumentError(
            "has constraints of speeds or of time; a workspace needs constraints of positions alone", where=model.name
        )
    bounds = ranges_of(dyn, over, truth(limits, "limits"))
    number = count(samples if samples is not None else CLOSED_SAMPLES if closed else SAMPLES, "samples", least=16, most=5_000_000)
    start = Start(dyn, q0)
    q = sampled(dyn, bounds, number, count(seed, "seed", least=0), (start.closed() if start.own else start.q) if closed else None)
    rank = moving_rank(dyn, q, name)
    _refuse_few(model, name, rank)
    return _found(dyn, name, bounds, q, rank, resolution)


def _found(dyn: Dynamics, frame: str, bounds: Bounds, q: np.ndarray, rank: int, resolution: int | None) -> Workspace:
    """From samples: the boundary in their plane, or in space; a curved surface has none."""
    points = np.asarray(dyn.pose(q, frame))[:, :3, 3]
    plane = plane_of(points) if rank == 2 else np.eye(3)
    found = Workspace(dyn.mechanism, frame, "surface", points, q, dyn)
    if plane is None:
        return found
    flat = len(plane) == 2
    across = count(resolution if resolution is not None else PLANAR if flat else SPATIAL, "resolution", least=8, most=2000)
    away = points[0] - plane.T @ (plane @ points[0])  # of the plane from the origin
    grid = Grid(Reaching(dyn, frame, plane, away, bounds), q, across)
    holes = grid.holes()[1]
    if flat:
        edge = outline(grid)
        return replace(
            found,
            kind="plane",
            plane=plane,
            area=edge.area,
            error=edge.error,
            holes=holes,
            boundary=[grid.reaching.world(loop.places) for loop in edge.loops],
            boundary_q=[loop.q for loop in edge.loops],
        )
    mesh = surface(grid)
    return replace(
        found,
        kind="space",
        volume=mesh.volume,
        error=mesh.error,
        holes=holes,
        boundary=[mesh.places],
        boundary_q=[mesh.q],
        vertices=mesh.vertices,
        faces=mesh.faces,
    )


def _refuse_few(model: Mechanism, frame: str, rank: int) -> None:
    if rank == 0:
        raise ArgumentError(f"{model.name}: {frame!r} does not move, so it has no workspace", concerns="frame")
    if rank == 1:
        raise ArgumentError(
            f"{model.name}: {frame!r} moves along a curve, which has neither area nor volume",
            concerns="frame",
            remedy=f"full_turn(mechanism).coupler_curve({frame!r}) draws it",
        )
