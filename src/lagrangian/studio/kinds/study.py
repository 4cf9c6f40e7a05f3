"""The job `study`: a sweep of one or two numbers, with its picture and its table."""

from __future__ import annotations

import io
import tempfile
from typing import Any

import numpy as np

from lagrangian.errors import ArgumentError, LagrangianError, is_number, shown
from lagrangian.studio.heard import hearing
from lagrangian.studio.kinds import Asked
from lagrangian.studio.kinds.motion import LONGEST, SECONDS
from lagrangian.studio.kinds.options import number
from lagrangian.studio.kinds.plots import rounded

COUNT, MOST = 25, 40_000  # samples of a sweep by default, and of a study at most
ROWS = 400  # of the table


def study(asked: Asked) -> dict[str, Any]:
    from lagrangian.studies.distributions import span
    from lagrangian.studies.study import study as run

    m, options = asked.model.read, asked.options
    bounds = _over(options.get("over"))
    over = {name: span(*x) for name, x in bounds.items()}
    own = m.initial.t_span
    seconds = number(options, "seconds", float(own[1] - own[0]) if own is not None else SECONDS, 1e-6, LONGEST)
    start = float(own[0]) if own is not None else 0.0
    keep = _keep(options.get("keep"))
    total = int(np.prod([n for *_, n in bounds.values()]))
    asked.progress(0, total, "preparing")
    with tempfile.TemporaryDirectory(prefix="lagrangian-study-") as folder, hearing() as heard:
        found = run(
            m,
            over,
            {"t_span": (start, start + seconds)},
            keep,
            folder=folder,
            workers=1,
            chunk=max(1, total // 40),
            progress=lambda done, total: asked.progress(done, total),
        )
        asked.progress(total, total, "drawing")
        names, outputs = list(found.inputs), list(found.numbers)
        columns = {name: np.asarray(found[name], dtype=float) for name in (*names, *outputs)}
        return {
            "picture": _picture(found),
            "data": _data(names, outputs, columns),
            "table": _table(names, outputs, columns),
            "samples": len(found),
            "failed": {"count": len(found.failed), "reasons": list(dict.fromkeys(found.failed.values()))[:5]},
            "warnings": [str(x) for x in heard],
        }


def _over(given: Any) -> dict[str, tuple[float, float, int]]:
    if not isinstance(given, dict) or not 1 <= len(given) <= 2:
        raise ArgumentError("one or two names are needed, each with a range", argument="over")
    found = {}
    for name, bounds in given.items():
        if not isinstance(bounds, dict) or not all(is_number(bounds.get(x)) for x in ("from", "to")):
            raise ArgumentError(f"{name} is varied over {shown(bounds)}", remedy='such as {"from": 0.2, "to": 0.4, "count": 25}')
        count = number(bounds, "count", COUNT, 2, MOST)
        found[str(name)] = (float(bounds["from"]), float(bounds["to"]), int(count))
    if np.prod([n for *_, n in found.values()]) > MOST:
        raise ArgumentError(f"a study in the studio has at most {MOST} samples", remedy="`lagrangian study` computes more")
    return found


def _keep(given: Any) -> Any:
    if given is None or given == "":
        return None
    if isinstance(given, str):
        return [given]
    if not isinstance(given, list) or not all(isinstance(x, str) for x in given):
        raise ArgumentError(f"is {shown(given)}", argument="keep", remedy='such as "max(tip.x)"')
    return given


def _picture(found: Any) -> str:
    """As SVG, which a page shows as an image: nothing in it is run."""
    try:
        stream = io.BytesIO()
        found.plot().savefig(stream, format="svg")
        return stream.getvalue().decode("utf-8")
    except LagrangianError as error:
        if not found.failed:
            raise
        raise ArgumentError(f"all samples failed: {next(iter(found.failed.values()))}") from error


def _data(names: list[str], outputs: list[str], columns: dict[str, np.ndarray]) -> dict[str, Any]:
    """For plots of the page's own: curves over one number, or values over a grid of two."""
    if len(names) == 1:
        order = np.argsort(columns[names[0]], kind="stable")
        return {
            "x": {"name": names[0], "values": [rounded(x) for x in columns[names[0]][order]]},
            "series": [{"name": n, "values": [rounded(x) for x in columns[n][order]]} for n in outputs],
        }
    first, second = (np.unique(columns[n]) for n in names)
    places = np.searchsorted(first, columns[names[0]]), np.searchsorted(second, columns[names[1]])
    grids = []
    for name in outputs:
        grid = np.full((len(second), len(first)), np.nan)
        grid[places[1], places[0]] = columns[name]
        grids.append({"name": name, "values": [[rounded(x) for x in row] for row in grid]})
    axes = [{"name": n, "values": [rounded(x) for x in v]} for n, v in zip(names, (first, second), strict=True)]
    return {"x": axes[0], "y": axes[1], "grids": grids}


def _table(names: list[str], outputs: list[str], columns: dict[str, np.ndarray]) -> dict[str, Any]:
    head = [*names, *outputs]
    rows = np.column_stack([columns[n] for n in head])
    listed = [[rounded(x) for x in row] for row in rows[:ROWS]]
    return {"head": head, "rows": listed, "left_out": max(0, len(rows) - ROWS)}
