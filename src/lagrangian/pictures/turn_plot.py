"""A turn of a linkage: the linkage with its dead centres and coupler curves, and over the input all that a turn has."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import Any

import numpy as np

from lagrangian.configuration.coordinates import single_coordinates
from lagrangian.design.coupler_curve import CouplerCurve
from lagrangian.design.linkage import unit_of
from lagrangian.design.turn import FullTurn
from lagrangian.pictures import legends, style
from lagrangian.pictures.chosen import angle_unit
from lagrangian.pictures.linkage_view import CUSP, DOUBLE, Stand, View
from lagrangian.pictures.style import COLORS, DASHES, FAINT, ORANGE, PURPLE, RED, SEVERAL

DEAD: dict[str, dict[str, Any]] = {
    "input": {"color": RED, "linestyle": DASHES[1], "linewidth": 1.4},
    "output": {"color": PURPLE, "linestyle": DASHES[1], "linewidth": 1.4},
}
POOR = np.radians(40)  # the least transmission angle that textbooks advise


def turn_plot(
    turn: FullTurn,
    path: str | os.PathLike[str] | None = None,
    frames: str | Iterable[str] | None = None,
    angles: str = "degrees",
) -> Any:
    """A figure of a turn."""
    file, angle = style.writable(path), angle_unit(angles)
    names = _frames(turn, frames)
    curves = {name: turn.coupler_curve(name) for name in names}
    view = _view(turn, curves)
    with style.styled():
        from lagrangian.pictures.figure import Picture

        panels = _panels(turn, angle)
        entries = view.entries()
        below = panels.pop() if len(panels) > 3 else None  # the forces, under the linkage
        rows = len(panels)
        width, height = 10.2, max(4.4, 1.45 * rows + 0.5)
        top = 0.34 + legends.height([name for _, name in entries], width - 0.3)
        figure = Picture(figsize=(width, height + top), layout="constrained")
        grid = figure.add_gridspec(rows, 2, width_ratios=(1, 1.05))
        view.draw(figure, grid[: rows - 1 if below else rows, 0])
        right = [figure.add_subplot(grid[k, 1]) for k in range(rows)]
        left = [figure.add_subplot(grid[-1, 0])] if below is not None else []
        for axes, panel in zip([*right, *left], [*panels, *([below] if below else [])], strict=True):
            _draw(axes, turn, angle[1], *panel)
            _input_axis(axes, turn, angle, named=axes in (*left, right[-1]))
        figure.align_ylabels(right)
        legends.header(figure, turn.mechanism.name, _remark(turn), entries, top)
        return style.written(figure, file)


def curve_plot(found: CouplerCurve, path: str | os.PathLike[str] | None = None) -> Any:
    """A figure of a coupler curve, with the linkage where it begins."""
    file = style.writable(path)
    marks = [("cusp", found.cusps, CUSP), ("double point", found.double_points, DOUBLE)]
    view = View(found.dyn, [Stand(found.q[0], "linkage")], {found.frame: found.points}, marks)
    with style.styled():
        from lagrangian.pictures.figure import Picture

        entries = view.entries()
        seen, extent = view.seen, np.ptp(view.extent(), axis=0)
        wide, tall = extent[list(seen)] if seen is not None else (1.0, 0.9)
        height = float(np.clip(5.2 * tall / max(wide, 1e-9) + 0.6, 2.6, 6.4))
        top = 0.34 + legends.height([name for _, name in entries], 6.1)
        figure = Picture(figsize=(6.4, height + top), layout="constrained")
        view.draw(figure, figure.add_gridspec(1, 1)[0, 0])
        legends.header(figure, found.dyn.mechanism.name, f"{found.frame}: {found.length:.4g} m", entries, top)
        return style.written(figure, file)


def _frames(turn: FullTurn, frames: str | Iterable[str] | None) -> list[str]:
    if frames is None:
        return [f.name for f in turn.mechanism.frames][:SEVERAL]
    return [frames] if isinstance(frames, str) else list(frames)


def _remark(turn: FullTurn) -> str:
    kind = f"{turn.four_bar.kind}: " if turn.four_bar is not None else ""
    return kind + str(turn).splitlines()[0].partition(": ")[2]


def _view(turn: FullTurn, curves: dict[str, CouplerCurve]) -> View:
    stands = [Stand(turn.q[0], f"at {turn.input} = {turn.told(turn.x[0])}")]
    told: set[str] = set()
    for dead in turn.dead_centres[:8]:
        name = f"dead centre of {dead.coordinate}"
        stands.append(Stand(dead.q, "" if name in told else name, DEAD[dead.of]))
        told.add(name)
    if not turn.dead_centres:
        quarter = turn.q[len(turn.x) // 4]
        stands.append(Stand(quarter, f"at {turn.told(turn.x[len(turn.x) // 4])}", {"color": FAINT}))
    none = np.zeros((0, 3))
    marks = [
        ("cusp", np.vstack([none, *(c.cusps for c in curves.values())]), CUSP),
        ("double point", np.vstack([none, *(c.double_points for c in curves.values())]), DOUBLE),
    ]
    return View(turn.dyn, stands[::-1], {name: c.points for name, c in curves.items()}, marks)


Panel = tuple[str, list[tuple[str, np.ndarray]], str]  # label of the axis, curves, scale


def _panels(turn: FullTurn, angle: tuple[str, float]) -> list[Panel]:
    """What there is to plot over the input."""
    panels = [*_positions(turn, angle)]
    ratio = "1" if turn.units[0] == turn.units[1] else f"{turn.units[1]}/{turn.units[0]}"
    if turn.output_ratio is not None and turn.mechanical_advantage is not None and not turn.stands_still:
        panels.append((f"velocity\nratio [{ratio}]", [(f"{turn.output} over {turn.input}", turn.output_ratio)], "linear"))
        inverse = "1" if turn.units[0] == turn.units[1] else f"{turn.units[0]}/{turn.units[1]}"
        panels.append((f"mechanical\nadvantage [{inverse}]", [("", np.abs(turn.mechanical_advantage))], "log"))
    if turn.transmission_angle is not None:
        panels.append((f"transmission\nangle [{angle[0]}]", [("", angle[1] * turn.transmission_angle)], "angle"))
    unit, what = ("N m", "torque") if turn.units[0] == "rad" else ("N", "force")
    parts = [
        (f"at {turn.speed:g} {turn.units[0]}/s", turn.torque),
        ("at rest", turn.static_torque),
        ("inertia", turn.inertial_torque),
    ]
    parts += [("friction", turn.friction_torque)]
    shown = [(name, rows) for name, rows in parts if np.nanmax(np.abs(rows), initial=0.0) > 1e-9]
    if shown:
        panels.append((f"{what} at\n{style.plain(turn.input, 14)} [{unit}]", shown, "linear"))
    return panels


def _positions(turn: FullTurn, angle: tuple[str, float]) -> Iterable[Panel]:
    """The output's coordinate; where there is none, all others that are angles, or lengths."""
    places = single_coordinates(turn.mechanism)
    names = (
        [turn.output]
        if turn.output in places
        else [n for n in places if n != turn.input and np.ptp(turn.q[:, places[n][0]]) > 1e-9]
    )
    for unit, factor, label in (("rad", angle[1], f"angle [{angle[0]}]"), ("m", 1.0, "position [m]")):
        some = [n for n in names if n is not None and unit_of(turn.dyn, places[n][1]) == unit][:SEVERAL]
        if some:
            yield (label, [(n, factor * turn.q[:, places[n][0]]) for n in some], "linear")


def _draw(axes: Any, turn: FullTurn, per_radian: float, label: str, curves: list[tuple[str, np.ndarray]], scale: str) -> None:
    factor = per_radian if turn.units[0] == "rad" else 1.0
    x = factor * turn.x
    looks = [{"color": COLORS[k % len(COLORS)], "linestyle": DASHES[k % len(DASHES)]} for k in range(len(curves))]
    for (_, rows), look in zip(curves, looks, strict=True):
        axes.plot(x, np.where(np.isfinite(rows), rows, np.nan), **look)
    for dead in turn.dead_centres:
        axes.axvline(factor * dead.input_value, zorder=1.5, **{**DEAD[dead.of], "linewidth": 0.9})
    values = np.concatenate([rows[np.isfinite(rows)] for _, rows in curves])
    if scale == "log" and values.size and values.max() > 20 * np.median(values):  # it is infinite where the output stands still
        axes.set_yscale("log")
        axes.yaxis.set_major_formatter(lambda x, _: f"{x:g}")
        axes.yaxis.set_minor_formatter(lambda x, _: "")
    elif scale == "angle":
        transmission(axes, per_radian)
    else:
        _within(axes, values)
    axes.set_ylabel(label)
    named = [(look, name) for look, (name, _) in zip(looks, curves, strict=True) if name]
    if len(named) > 1 or (named and scale == "linear" and named[0][1] != turn.input):
        legends.above(axes, named, 4.6)


def transmission(axes: Any, per_radian: float) -> None:
    """An axis of transmission angles, on which poor ones are shaded."""
    axes.set_ylim(0, per_radian * np.radians(93))
    if per_radian > 1:
        axes.set_yticks([0, 30, 60, 90])
    axes.axhspan(0, per_radian * POOR, color=ORANGE, alpha=0.12, linewidth=0)


def _within(axes: Any, values: np.ndarray) -> None:
    """An axis that shows what most values are where a few grow without bound, as at dead centres."""
    if not values.size:
        return
    low, high = np.percentile(values, [3, 97])
    room = max(high - low, 1e-12)
    if values.max() - values.min() > 8 * room:
        axes.set_ylim(low - room, high + room)


def _input_axis(axes: Any, turn: FullTurn, angle: tuple[str, float], named: bool) -> None:
    unit, factor = angle if turn.units[0] == "rad" else ("m", 1.0)
    axes.tick_params(labelbottom=named)
    if named:
        axes.set_xlabel(f"{style.plain(turn.input)} [{unit}]")
    if unit == "deg" and turn.turns == 1:
        axes.set_xticks(np.arange(0, 361, 45))
    axes.set_xlim(*(factor * np.array(turn.range)))
