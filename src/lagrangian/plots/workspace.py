"""The workspace of a frame: its area with the boundary, or its surface with sections, and the mechanism in it."""

from __future__ import annotations

import os
from typing import Any

import numpy as np

from lagrangian.configuration.start import Start
from lagrangian.design.workspace import Workspace
from lagrangian.plots import legends, style
from lagrangian.plots.frame_path import set_up_space_axes
from lagrangian.plots.sticks import MAX_BODIES, stick_segments
from lagrangian.plots.style import BLACK, BLUE, GREY, SKY, StyledFigure

EDGE: dict[str, Any] = {"color": BLUE, "linewidth": 1.4}
AREA: dict[str, Any] = {"color": SKY, "linewidth": 7, "alpha": 0.35}
MECHANISM: dict[str, Any] = {"color": GREY, "linewidth": 2.0}
MAX_DRAWN_SAMPLES = 3000  # samples of a curved surface that are drawn
LIGHT = np.array([0.35, -0.5, 0.8]) / np.linalg.norm([0.35, -0.5, 0.8])


def plot_workspace(workspace: Workspace, path: str | os.PathLike[str] | None = None) -> Any:
    """Draw a workspace: its boundary, what is reached, and the mechanism."""
    file = style.figure_path(path)
    with style.plot_style():
        return style.save_if_named(_draw_plane(workspace) if workspace.kind == "plane" else _draw_space(workspace), file)


def _draw_plane(workspace: Workspace) -> Any:
    entries: list[legends.LegendEntry] = [(EDGE, "boundary"), (AREA, f"reached by {workspace.frame}"), (MECHANISM, "mechanism")]
    stick_points = _mechanism_sticks(workspace) @ workspace.plane.T
    loops = [p @ workspace.plane.T for p in workspace.boundary]
    all_points = np.vstack([*loops, stick_points.reshape(-1, 2)])
    plane_width, plane_height = np.maximum(np.ptp(all_points, axis=0), 1e-9)
    width, height = 6.4, float(np.clip(5.4 * plane_height / plane_width + 0.6, 2.6, 6.4))
    header_height = legends.TITLE_HEIGHT + legends.legend_height([name for _, name in entries], width - 0.3)
    figure = StyledFigure(figsize=(width, height + header_height), layout="constrained")
    axes: Any = figure.add_subplot()
    _fill_loops(axes, loops)
    _draw_sticks(axes, stick_points)
    for letter, axis_direction in zip("xy", workspace.plane, strict=True):
        power = style.extract_power_of_ten(getattr(axes, f"{letter}axis"), all_points)
        getattr(axes, f"set_{letter}label")(f"{_axis_label(axis_direction)} [{power}m]")
    axes.set_aspect("equal", adjustable="datalim")
    axes.margins(0.06)
    legends.draw_header(figure, workspace.mechanism.name, _size_text(workspace), entries, header_height)
    return figure


def _size_text(workspace: Workspace) -> str:
    return repr(workspace).partition(": ")[2].removesuffix(">").replace("+-", "±").replace("^2", "²").replace("^3", "³")


def _axis_label(direction: np.ndarray) -> str:
    k = int(np.argmax(np.abs(direction)))
    return "xyz"[k] if abs(direction[k]) > 1 - 1e-9 else "along the plane"


def _fill_loops(axes: Any, loops: list[np.ndarray]) -> None:
    """Fill areas with their holes: one path of all loops, whose directions tell areas from holes."""
    from matplotlib.patches import PathPatch
    from matplotlib.path import Path

    paths = [Path(np.vstack([p, p[:1]]), closed=True) for p in loops]
    axes.add_patch(PathPatch(Path.make_compound_path(*paths), facecolor=SKY, alpha=0.35, edgecolor="none", zorder=1))
    for p in loops:
        axes.plot(*np.vstack([p, p[:1]]).T, zorder=3, **EDGE)


def _mechanism_sticks(workspace: Workspace) -> np.ndarray:
    """The mechanism's sticks at its own start, or at the middle sample if the start is outside the sampled range."""
    if len(workspace.mechanism.bodies) > MAX_BODIES:
        return np.zeros((0, 2, 3))
    start = Start(workspace.dyn).given_state.q
    start_is_sampled = ((start >= workspace.q.min(axis=0) - 1e-9) & (start <= workspace.q.max(axis=0) + 1e-9)).all()
    central_sample = np.argmin(np.linalg.norm(workspace.points - workspace.points.mean(axis=0), axis=1))
    start_is_closed = start_is_sampled and (
        not workspace.mechanism.equation_count or np.abs(workspace.dyn.closure(start)).max() < 1e-6
    )
    stick_points: np.ndarray = stick_segments(workspace.dyn, (start if start_is_closed else workspace.q[central_sample])[None])[0]
    return stick_points


def _draw_sticks(axes: Any, stick_points: np.ndarray) -> None:
    for stick in stick_points:
        axes.plot(*stick.T, zorder=4, **MECHANISM)
        axes.plot(*stick.T, linestyle="none", marker="o", markersize=3.5, markeredgewidth=0, zorder=4, color=GREY)


# -- in space ----------------------------------------------------------------------------------------------------------


def _draw_space(workspace: Workspace) -> Any:
    stick_points = _mechanism_sticks(workspace)
    entries: list[legends.LegendEntry] = [(MECHANISM, "mechanism")]
    sections = workspace.kind == "space"
    if sections:
        entries = [(EDGE, "boundary in sections"), (AREA, f"reached by {workspace.frame}"), *entries]
    width = 10.2 if sections else 6.4
    header_height = legends.TITLE_HEIGHT + legends.legend_height([name for _, name in entries], width - 0.3)
    figure = StyledFigure(figsize=(width, 5.4 + header_height), layout="constrained")
    grid = figure.add_gridspec(2, 2 if sections else 1, width_ratios=(1.5, 1) if sections else None)
    axes: Any = figure.add_subplot(grid[:, 0], projection="3d")
    if sections:
        _draw_mesh(axes, workspace)
    else:
        shown_points = workspace.points[:: max(1, len(workspace.points) // MAX_DRAWN_SAMPLES)]
        axes.plot(*shown_points.T, linestyle="none", marker=".", markersize=1.6, color=BLUE, alpha=0.6)
    _draw_sticks(axes, stick_points)
    low, high = workspace.extent
    all_points = np.vstack([low, high, stick_points.reshape(-1, 3)])
    for letter in "xyz":
        getattr(axes, f"set_{letter}label")(f"{letter} [m]")
    set_up_space_axes(axes, all_points.min(axis=0), all_points.max(axis=0))
    if sections:
        middle = (low + high) / 2
        _draw_section(figure.add_subplot(grid[0, 1]), workspace, 1, _section_position(low[1], high[1], middle[1]), stick_points)
        _draw_section(figure.add_subplot(grid[1, 1]), workspace, 2, middle[2], stick_points)
    legends.draw_header(figure, workspace.mechanism.name, _size_text(workspace), entries, header_height)
    return figure


def _section_position(low: float, high: float, middle: float) -> float:
    """The position of a section: through the origin if that is inside."""
    return 0.0 if low < 0 < high else float(middle)


def _draw_mesh(axes: Any, workspace: Workspace) -> None:
    """Draw the surface, lit from one side."""
    from mpl_toolkits.mplot3d.art3d import Poly3DCollection  # type: ignore[import-untyped]

    corners = workspace.vertices[workspace.faces]
    normal = np.cross(corners[:, 2] - corners[:, 0], corners[:, 3] - corners[:, 1])
    normal /= np.maximum(np.linalg.norm(normal, axis=1, keepdims=True), 1e-300)
    light = 0.55 + 0.45 * np.clip(normal @ LIGHT, -1, 1)
    colour = np.array([int(SKY[k : k + 2], 16) / 255 for k in (1, 3, 5)])
    shades = np.clip(light[:, None] * colour + 0.5 * np.maximum(light[:, None] - 0.8, 0), 0, 1)
    axes.add_collection3d(
        Poly3DCollection(corners, facecolors=np.hstack([shades, np.full((len(shades), 1), 0.62)]), linewidths=0)
    )


def _draw_section(axes: Any, workspace: Workspace, axis: int, position: float, stick_points: np.ndarray) -> None:
    """Draw the section of the mesh with a plane across an axis."""
    plane_axes = [k for k in range(3) if k != axis]
    lines = _intersect_plane(workspace.vertices[workspace.faces], axis, position)[:, :, plane_axes]
    from matplotlib.collections import LineCollection

    axes.add_collection(LineCollection(list(lines), colors=EDGE["color"], linewidths=EDGE["linewidth"], zorder=3))
    axes.set_xlabel(f"{'xyz'[plane_axes[0]]} [m]")
    axes.set_ylabel(f"{'xyz'[plane_axes[1]]} [m]")
    axes.set_title(f"section at {'xyz'[axis]} = {position + 0.0:.3g} m", color=BLACK)
    axes.set_aspect("equal", adjustable="datalim")
    axes.autoscale_view()
    axes.margins(0.06)


def _intersect_plane(faces: np.ndarray, axis: int, position: float) -> np.ndarray:
    """The line segments (n, 2, 3) in which quadrilaterals, as two triangles each, meet a plane."""
    triangles = np.concatenate([faces[:, [0, 1, 2]], faces[:, [0, 2, 3]]])
    side = triangles[:, :, axis] - position
    side = np.where(side == 0, 1e-300, side)
    pieces = []
    for k in range(3):  # the corner that is alone on its side
        a, b, c = k, (k + 1) % 3, (k + 2) % 3
        is_alone = (side[:, a] * side[:, b] < 0) & (side[:, a] * side[:, c] < 0)
        p, s = triangles[is_alone], side[is_alone]
        ends = [p[:, a] + (s[:, a] / (s[:, a] - s[:, x]))[:, None] * (p[:, x] - p[:, a]) for x in (b, c)]
        pieces.append(np.stack(ends, axis=1))
    return np.concatenate(pieces)
