"""Singular configurations: the mechanism in them, or over two coordinates a map on which they are curves."""

from __future__ import annotations

import os
from typing import Any

import numpy as np

from lagrangian.design.singular import Singularities
from lagrangian.design.units import in_words
from lagrangian.pictures import legends, style
from lagrangian.pictures.linkage_view import Stand, View
from lagrangian.pictures.style import BLUE, COLORS, DASHES, FAINT, ORANGE, RED

KINDS: dict[int, dict[str, Any]] = {
    1: {"color": BLUE, "marker": "o"},
    2: {"color": RED, "marker": "s"},
    3: {"color": ORANGE, "marker": "D"},
}
NAMES = {1: "type 1: output loses a direction", 2: "type 2: actuators lose command", 3: "type 3: both"}
DRAWN = 6


def singularities_plot(found: Singularities, path: str | os.PathLike[str] | None = None) -> Any:
    """A figure of singular configurations."""
    file = style.writable(path)
    with style.styled():
        return style.written(_map(found) if len(found.over) == 2 else _drawn(found), file)


def _map(found: Singularities) -> Any:
    from lagrangian.pictures.figure import Picture

    kinds = [k for k in KINDS if (found.kind == k).any()]
    entries: list[legends.Entry] = [({**KINDS[k], "linestyle": "none", "markersize": 3.5}, NAMES[k]) for k in kinds]
    top = 0.34 + legends.height([name for _, name in entries], 6.1)
    figure = Picture(figsize=(6.4, 5.4 + top), layout="constrained")
    axes: Any = figure.add_subplot()
    factors = np.array([180 / np.pi if unit == "rad" else 1.0 for unit in found.units])
    values = found.values * factors
    for k in kinds:
        axes.plot(*values[found.kind == k].T, linestyle="none", markersize=2.6, markeredgewidth=0, **KINDS[k])
    for letter, name, unit, factor in zip("xy", found.over, found.units, factors, strict=True):
        getattr(axes, f"set_{letter}label")(f"{style.plain(name)} [{'deg' if unit == 'rad' else 'm'}]")
        getattr(axes, f"set_{letter}lim")(*(factor * np.array(found.over[name])))
    if found.units[0] == found.units[1]:
        axes.set_aspect("equal", adjustable="box")
    legends.header(figure, found.mechanism.name, _remark(found), entries, top)
    return figure


def _remark(found: Singularities) -> str:
    return f"{found.frame}: {', '.join(found.directions)}" if found.frame else ""


def _drawn(found: Singularities) -> Any:
    from lagrangian.pictures.figure import Picture

    name, unit = next(iter(found.over)), found.units[0]
    stands = [Stand(found.start, "start", {"color": FAINT})]
    for k, (s, (x,)) in enumerate(list(zip(found, found.values, strict=True))[:DRAWN]):
        look = {"color": COLORS[k % len(COLORS)], "linestyle": DASHES[k % len(DASHES)]}
        stands.append(Stand(s.q, f"{name} = {in_words(x, unit)}, type {s.kind}", look))
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
