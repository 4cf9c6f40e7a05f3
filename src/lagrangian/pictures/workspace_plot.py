"""The workspace of a frame: its area with the boundary, or its surface with sections, and the mechanism in it."""

from __future__ import annotations

import os
from typing import Any

import numpy as np

from lagrangian.configuration.start import Start
from lagrangian.design.reachable import Workspace
from lagrangian.pictures import legends, style
from lagrangian.pictures.frame_path import space
from lagrangian.pictures.sticks import BODIES, sticks
from lagrangian.pictures.style import BLACK, BLUE, GREY, SKY

EDGE: dict[str, Any] = {"color": BLUE, "linewidth": 1.4}
AREA: dict[str, Any] = {"color": SKY, "linewidth": 7, "alpha": 0.35}
MECHANISM: dict[str, Any] = {"color": GREY, "linewidth": 2.0}
CLOUD = 3000  # samples of a curved surface that are drawn
LIGHT = np.array([0.35, -0.5, 0.8]) / np.linalg.norm([0.35, -0.5, 0.8])


def workspace_plot(found: Workspace, path: str | os.PathLike[str] | None = None) -> Any:
    """A figure of a workspace."""
    file = style.writable(path)
    with style.styled():
        return style.written(_plane(found) if found.kind == "plane" else _space(found), file)


def _plane(found: Workspace) -> Any:
    from lagrangian.pictures.figure import Picture

    entries: list[legends.Entry] = [(EDGE, "boundary"), (AREA, f"reached by {found.frame}"), (MECHANISM, "mechanism")]
    drawn = _drawn(found) @ found.plane.T
    loops = [p @ found.plane.T for p in found.boundary]
    everything = np.vstack([*loops, drawn.reshape(-1, 2)])
    wide, tall = np.maximum(np.ptp(everything, axis=0), 1e-9)
    width, height = 6.4, float(np.clip(5.4 * tall / wide + 0.6, 2.6, 6.4))
    top = 0.34 + legends.height([name for _, name in entries], width - 0.3)
    figure = Picture(figsize=(width, height + top), layout="constrained")
    axes: Any = figure.add_subplot()
    _fill(axes, loops)
    _sticks(axes, drawn)
    for letter, along in zip("xy", found.plane, strict=True):
        power = style.power_of_ten(getattr(axes, f"{letter}axis"), everything)
        getattr(axes, f"set_{letter}label")(f"{_axis(along)} [{power}m]")
    axes.set_aspect("equal", adjustable="datalim")
    axes.margins(0.06)
    legends.header(figure, found.mechanism.name, _size(found), entries, top)
    return figure


def _size(found: Workspace) -> str:
    return repr(found).partition(": ")[2].removesuffix(">").replace("+-", "±").replace("^2", "²").replace("^3", "³")


def _axis(along: np.ndarray) -> str:
    k = int(np.argmax(np.abs(along)))
    return "xyz"[k] if abs(along[k]) > 1 - 1e-9 else "along the plane"


def _fill(axes: Any, loops: list[np.ndarray]) -> None:
    """Areas with their holes: one path of all loops, filled by the direction in which they go round."""
    from matplotlib.patches import PathPatch
    from matplotlib.path import Path

    paths = [Path(np.vstack([p, p[:1]]), closed=True) for p in loops]
    axes.add_patch(PathPatch(Path.make_compound_path(*paths), facecolor=SKY, alpha=0.35, edgecolor="none", zorder=1))
    for p in loops:
        axes.plot(*np.vstack([p, p[:1]]).T, zorder=3, **EDGE)


def _drawn(found: Workspace) -> np.ndarray:
    """The mechanism's sticks at its own start, or at the sample in the midst of all where that is not among what was sampled."""
    if len(found.mechanism.bodies) > BODIES:
        return np.zeros((0, 2, 3))
    start = Start(found.dyn).given.q
    among = ((start >= found.q.min(axis=0) - 1e-9) & (start <= found.q.max(axis=0) + 1e-9)).all()
    middle = np.argmin(np.linalg.norm(found.points - found.points.mean(axis=0), axis=1))
    closed = among and (not found.mechanism.equations or np.abs(found.dyn.closure(start)).max() < 1e-6)
    shown: np.ndarray = sticks(found.dyn, (start if closed else found.q[middle])[None])[0]
    return shown


def _sticks(axes: Any, drawn: np.ndarray) -> None:
    for stick in drawn:
        axes.plot(*stick.T, zorder=4, **MECHANISM)
        axes.plot(*stick.T, linestyle="none", marker="o", markersize=3.5, markeredgewidth=0, zorder=4, color=GREY)


# -- in space ----------------------------------------------------------------------------------------------------------


def _space(found: Workspace) -> Any:
    from lagrangian.pictures.figure import Picture

    drawn = _drawn(found)
    entries: list[legends.Entry] = [(MECHANISM, "mechanism")]
    sections = found.kind == "space"
    if sections:
        entries = [(EDGE, "boundary in sections"), (AREA, f"reached by {found.frame}"), *entries]
    width = 10.2 if sections else 6.4
    top = 0.34 + legends.height([name for _, name in entries], width - 0.3)
    figure = Picture(figsize=(width, 5.4 + top), layout="constrained")
    grid = figure.add_gridspec(2, 2 if sections else 1, width_ratios=(1.5, 1) if sections else None)
    axes: Any = figure.add_subplot(grid[:, 0], projection="3d")
    if sections:
        _mesh(axes, found)
    else:
        shown = found.points[:: max(1, len(found.points) // CLOUD)]
        axes.plot(*shown.T, linestyle="none", marker=".", markersize=1.6, color=BLUE, alpha=0.6)
    _sticks(axes, drawn)
    low, high = found.extent
    both = np.vstack([low, high, drawn.reshape(-1, 3)])
    for letter in "xyz":
        getattr(axes, f"set_{letter}label")(f"{letter} [m]")
    space(axes, both.min(axis=0), both.max(axis=0))
    if sections:
        middle = (low + high) / 2
        _section(figure.add_subplot(grid[0, 1]), found, 1, _through(low[1], high[1], middle[1]), drawn)
        _section(figure.add_subplot(grid[1, 1]), found, 2, middle[2], drawn)
    legends.header(figure, found.mechanism.name, _size(found), entries, top)
    return figure


def _through(low: float, high: float, middle: float) -> float:
    """Where a section is: through the origin, where that is inside."""
    return 0.0 if low < 0 < high else float(middle)


def _mesh(axes: Any, found: Workspace) -> None:
    """The surface, lit from one side."""
    from mpl_toolkits.mplot3d.art3d import Poly3DCollection  # type: ignore[import-untyped]

    corners = found.vertices[found.faces]
    normal = np.cross(corners[:, 2] - corners[:, 0], corners[:, 3] - corners[:, 1])
    normal /= np.maximum(np.linalg.norm(normal, axis=1, keepdims=True), 1e-300)
    light = 0.55 + 0.45 * np.clip(normal @ LIGHT, -1, 1)
    colour = np.array([int(SKY[k : k + 2], 16) / 255 for k in (1, 3, 5)])
    shades = np.clip(light[:, None] * colour + 0.5 * np.maximum(light[:, None] - 0.8, 0), 0, 1)
    axes.add_collection3d(
        Poly3DCollection(corners, facecolors=np.hstack([shades, np.full((len(shades), 1), 0.62)]), linewidths=0)
    )


def _section(axes: Any, found: Workspace, across: int, at: float, drawn: np.ndarray) -> None:
    """Where a plane across an axis cuts the mesh."""
    kept = [k for k in range(3) if k != across]
    lines = _cut(found.vertices[found.faces], across, at)[:, :, kept]
    from matplotlib.collections import LineCollection

    axes.add_collection(LineCollection(list(lines), colors=EDGE["color"], linewidths=EDGE["linewidth"], zorder=3))
    axes.set_xlabel(f"{'xyz'[kept[0]]} [m]")
    axes.set_ylabel(f"{'xyz'[kept[1]]} [m]")
    axes.set_title(f"section at {'xyz'[across]} = {at + 0.0:.3g} m", color=BLACK)
    axes.set_aspect("equal", adjustable="datalim")
    axes.autoscale_view()
    axes.margins(0.06)


def _cut(faces: np.ndarray, across: int, at: float) -> np.ndarray:
    """Pieces of lines (n, 2, 3) along which quadrilaterals, as two triangles each, meet a plane."""
    triangles = np.concatenate([faces[:, [0, 1, 2]], faces[:, [0, 2, 3]]])
    side = triangles[:, :, across] - at
    side = np.where(side == 0, 1e-300, side)
    pieces = []
    for k in range(3):  # the corner that is alone on its side
        a, b, c = k, (k + 1) % 3, (k + 2) % 3
        alone = (side[:, a] * side[:, b] < 0) & (side[:, a] * side[:, c] < 0)
        p, s = triangles[alone], side[alone]
        ends = [p[:, a] + (s[:, a] / (s[:, a] - s[:, x]))[:, None] * (p[:, x] - p[:, a]) for x in (b, c)]
        pieces.append(np.stack(ends, axis=1))
    return np.concatenate(pieces)
