"""Singular configurations: the mechanism in them, or over two coordinates a map on which they are curves."""

from __future__ import annotations

import os
from typing import Any

import numpy as np

from lagrangian.design.singular import Singularities
from lagrangian.design.units import in_words
from lagrangian.pictures import legends, style
from lagrangian.pictures.chosen import angle_unit
from lagrangian.pictures.linkage_view import Stand, View
from lagrangian.pictures.style import BLUE, COLORS, DASHES, FAINT, ORANGE, RED

KINDS: dict[int, dict[str, Any]] = {
    1: {"color": BLUE, "marker": "o"},
    2: {"color": RED, "marker": "s"},
    3: {"color": ORANGE, "marker": "D"},
}
NAMES = {1: "type 1: output cannot move in a direction", 2: "type 2: actuators lose control", 3: "type 3: both"}
DRAWN = 6


def singularities_plot(found: Singularities, path: str | os.PathLike[str] | None = None, angles: str = "degrees") -> Any:
    """A figure of singular configurations."""
    file, angle = style.writable(path), angle_unit(angles)
    with style.styled():
        return style.written(_map(found, angle) if len(found.over) == 2 else _drawn(found, angle), file)


def _map(found: Singularities, angle: tuple[str, float]) -> Any:
    from lagrangian.pictures.figure import Picture

    kinds = [k for k in KINDS if (found.kind == k).any()]
    entries: list[legends.Entry] = [({**KINDS[k], "linestyle": "none", "markersize": 3.5}, NAMES[k]) for k in kinds]
    top = 0.34 + legends.height([name for _, name in entries], 6.1)
    figure = Picture(figsize=(6.4, 5.4 + top), layout="constrained")
    axes: Any = figure.add_subplot()
    factors = np.array([angle[1] if unit == "rad" else 1.0 for unit in found.units])
    values = found.values * factors
    for k in kinds:
        axes.plot(*values[found.kind == k].T, linestyle="none", markersize=2.6, markeredgewidth=0, **KINDS[k])
    for letter, name, unit, factor in zip("xy", found.over, found.units, factors, strict=True):
        getattr(axes, f"set_{letter}label")(f"{style.plain(name)} [{angle[0] if unit == 'rad' else 'm'}]")
        getattr(axes, f"set_{letter}lim")(*(factor * np.array(found.over[name])))
    if found.units[0] == found.units[1]:
        axes.set_aspect("equal", adjustable="box")
    legends.header(figure, found.mechanism.name, _remark(found), entries, top)
    return figure


def _remark(found: Singularities) -> str:
    return f"{found.frame}: {', '.join(found.directions)}" if found.frame else ""


def _told(x: float, unit: str, angle: tuple[str, float]) -> str:
    return f"{x:.6g} rad" if unit == angle[0] == "rad" else in_words(x, unit)


def _drawn(found: Singularities, angle: tuple[str, float]) -> Any:
    from lagrangian.pictures.figure import Picture

    name, unit = next(iter(found.over)), found.units[0]
    stands = [Stand(found.start, "start", {"color": FAINT})]
    for k, (s, (x,)) in enumerate(list(zip(found, found.values, strict=True))[:DRAWN]):
        look = {"color": COLORS[k % len(COLORS)], "linestyle": DASHES[k % len(DASHES)]}
        stands.append(Stand(s.q, f"{name} = {_told(x, unit, angle)}, type {s.kind}", look))
    view = View(found.dyn, stands)
    entries = view.entries()
    seen, extent = view.seen, np.ptp(view.extent(), axis=0)
    wide, tall = extent[list(seen)] if seen is not None else (1.0, 0.9)
    height = float(np.clip(5.2 * tall / max(wide, 1e-9) + 0.6, 2.6, 6.4))
    top = 0.34 + legends.height([entry for _, entry in entries], 6.1)
    figure = Picture(figsize=(6.4, height + top), layout="constrained")
    view.draw(figure, figure.add_gridspec(1, 1)[0, 0])
    legends.header(figure, found.mechanism.name, _remark(found), entries, top)
    return figure
