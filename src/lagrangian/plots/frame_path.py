"""The paths of frames, in a plane or in space, with the mechanism where it starts and where it ends."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

import numpy as np

from lagrangian.errors import ArgumentError, unknown_name_message
from lagrangian.kernels.dynamics import Dynamics
from lagrangian.kernels.dynamics import compile as compile_mechanism
from lagrangian.motion.motion import Motion
from lagrangian.plots import legends, style
from lagrangian.plots.phase import END, START, draw_arrows
from lagrangian.plots.sticks import MAX_BODIES, stick_segments
from lagrangian.plots.style import FAINT, GREY, MAX_NAMED_CURVES, StyledFigure, curve_style

PLANES = {"xy": (0, 1), "xz": (0, 2), "yz": (1, 2)}
DASHED: Any = (0, (3, 1.5))
FLATNESS_TOLERANCE = 1e-6  # of the largest extent: less than this is in a plane


def plot_frame_path(
    motion: Motion, frames: Sequence[str] = (), path: str | os.PathLike[str] | None = None, plane: str | None = None
) -> Any:
    """Draw the paths of the named frames or bodies, or of the last body if none are named.

    A motion in a plane of the world's axes is seen in it, another in space; `plane` is "xy", "xz" or "yz" to see it there.
    """
    file = style.figure_path(path)
    if plane is not None and not (isinstance(plane, str) and plane in PLANES):
        raise ArgumentError(unknown_name_message("plane", plane, PLANES), concerns="plane")
    m = motion.mechanism
    if m is None:
        raise ArgumentError(
            "paths of frames need the mechanism, which the file of this motion does not contain; use lagrangian.read(path, "
            "mechanism)"
        )
    if not len(motion.t):
        raise ArgumentError(f"{motion.name}: the motion has no rows to plot")
    if not m.bodies:
        raise ArgumentError(f"{motion.name} has no moving bodies")
    names = [frames] if isinstance(frames, str) else list(frames)
    known_names = [*(f.name for f in m.frames), *(b.name for b in m.bodies)]
    for name in names:
        if name not in known_names:
            raise ArgumentError(unknown_name_message("frame or body", name, known_names), concerns="frames")
    dyn = motion.trajectory.dyn if motion.trajectory is not None else compile_mechanism(m)
    q = motion.q[np.isfinite(motion.q).all(axis=1)]  # of a run that broke down, what was before
    if not len(q):
        raise ArgumentError(f"{motion.name}: no row of the motion is finite")
    names = names or [f.name for f in m.frames][:MAX_NAMED_CURVES] or [_last_moving(dyn, q)]
    points = {name: _origins(dyn, q, name) for name in dict.fromkeys(names)}
    stick_points = stick_segments(dyn, q[[0, -1]]) if len(m.bodies) <= MAX_BODIES else np.zeros((2, 0, 2, 3))
    plane_axes = PLANES[plane] if plane else common_plane(np.vstack([*points.values(), stick_points.reshape(-1, 3)]))
    with style.plot_style():
        return style.save_if_named(_make_figure(motion.name, points, stick_points, plane_axes), file)


def _origins(dyn: Dynamics, q: np.ndarray, name: str) -> np.ndarray:
    return np.asarray(dyn.pose(q, name))[:, :3, 3]


def _last_moving(dyn: Dynamics, q: np.ndarray) -> str:
    """The last body whose frame's origin moves; that of a rocker, at its pivot, does not."""
    outward = [joint.child for joint in reversed(dyn.mechanism.outward_joints()[-MAX_BODIES:])]
    rows = q[:: max(1, len(q) // 20)]
    return next((body for body in outward if np.ptp(_origins(dyn, rows, body), axis=0).max() > 1e-9), outward[0])


def common_plane(points: np.ndarray) -> tuple[int, int] | None:
    """The plane of two of the world's axes in which everything stays, if there is one."""
    extent = np.ptp(points, axis=0)
    constant_axes = [k for k in range(3) if extent[k] <= FLATNESS_TOLERANCE * max(float(extent.max()), 1e-300)]
    if not constant_axes:
        return None
    # of a motion along a line, the plane that holds the vertical
    normal = next(k for k in (1, 0, 2) if k in constant_axes)
    return tuple(k for k in range(3) if k != normal)  # type: ignore[return-value]


def _make_figure(name: str, points: dict[str, np.ndarray], stick_points: np.ndarray, plane_axes: tuple[int, int] | None) -> Any:
    entries: list[legends.LegendEntry] = [(curve_style(k), frame) for k, frame in enumerate(points)]
    entries += [(START, "start"), (END, "end")]
    if stick_points.size:
        entries += [({"color": FAINT, "linewidth": 2.0, "linestyle": DASHED}, "mechanism at start")]
        entries += [({"color": GREY, "linewidth": 2.0}, "at end")]
    all_points = np.vstack([*points.values(), stick_points.reshape(-1, 3)])
    low, high = all_points.min(axis=0), all_points.max(axis=0)
    if plane_axes is None:
        width, height = 6.4, 5.8
    else:
        plane_width, plane_height = np.maximum((high - low)[list(plane_axes)], 1e-3 * max(float((high - low).max()), 1e-9))
        width, height = 6.4, float(np.clip(5.2 * plane_height / plane_width + 0.6, 2.6, 6.4))
    names = [entry for _, entry in entries]
    header_height = legends.TITLE_HEIGHT + legends.legend_height(names, width - 0.3)
    figure = StyledFigure(figsize=(width, height + header_height), layout="constrained")
    axes: Any = figure.add_subplot(projection=None if plane_axes is not None else "3d")
    axes_shown = list(plane_axes) if plane_axes is not None else [0, 1, 2]
    for segments, line_style in zip(stick_points, ({"color": FAINT, "linestyle": DASHED}, {"color": GREY}), strict=True):
        for stick in segments:
            axes.plot(*stick[:, axes_shown].T, linewidth=2.0, zorder=2, **line_style)
            axes.plot(
                *stick[:, axes_shown].T,
                linestyle="none",
                marker="o",
                markersize=3.5,
                markeredgewidth=0,
                zorder=2,
                color=line_style["color"],
            )
    for k, (frame, p) in enumerate(points.items()):
        axes.plot(*p[:, axes_shown].T, label=frame, zorder=3, **curve_style(k))
        if plane_axes is not None:
            draw_arrows(axes, p[:, axes_shown[0]], p[:, axes_shown[1]], color=curve_style(k)["color"])
        axes.plot(*p[:1, axes_shown].T, **START, zorder=4)
        axes.plot(*p[-1:, axes_shown].T, **END, zorder=4)
    for letter, k in zip("xyz", axes_shown, strict=False):
        power = style.extract_power_of_ten(getattr(axes, f"{letter}axis"), all_points[:, axes_shown])
        getattr(axes, f"set_{letter}label")(f"{'xyz'[k]} [{power}m]")
    if plane_axes is None:
        set_up_space_axes(axes, low, high)
    else:
        axes.set_aspect("equal", adjustable="datalim")
        axes.margins(0.06)
    legends.draw_header(figure, name, "", entries, header_height)
    return figure


def set_up_space_axes(axes: Any, low: np.ndarray, high: np.ndarray, zoom: float = 0.95) -> None:
    """Give all axes of a plot in space the same scale, and a box without grey walls."""
    from matplotlib.ticker import MaxNLocator

    half = np.maximum((high - low) / 2, 0.2 * float((high - low).max()) + 1e-9) * 1.06
    middle = (low + high) / 2
    for letter, m, h in zip("xyz", middle, half, strict=True):
        getattr(axes, f"set_{letter}lim")(m - h, m + h)
        axis = getattr(axes, f"{letter}axis")
        axis.pane.set_facecolor("white")
        axis.pane.set_edgecolor("#CCCCCC")
        axis.set_major_locator(MaxNLocator(max(1, round(4 * h / half.max()))))
    axes.set_box_aspect(half, zoom=zoom)
    axes.view_init(elev=22, azim=-58)
