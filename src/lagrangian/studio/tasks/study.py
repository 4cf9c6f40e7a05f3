"""The job `study`: a sweep of one or two numbers, with its picture and its table."""

from __future__ import annotations

import io
import tempfile
from typing import Any

import numpy as np

from lagrangian.errors import ArgumentError, LagrangianError, format_value, is_number
from lagrangian.studio.request_checks import read_number
from lagrangian.studio.tasks import TaskRequest
from lagrangian.studio.tasks.motion import round_for_screen, start_and_duration
from lagrangian.studio.thread_warnings import collect_warnings

DEFAULT_COUNT, MAX_SAMPLES = 25, 40_000  # samples of a sweep by default, and of a study at most
MAX_TABLE_ROWS = 400


def study(request: TaskRequest) -> dict[str, Any]:
    from lagrangian.studies.distributions import grid
    from lagrangian.studies.study import study as run_study

    m, options = request.model.valid_mechanism, request.options
    bounds = _read_ranges(options.get("over"))
    over = {name: grid(*x) for name, x in bounds.items()}
    start, seconds = start_and_duration(request)
    keep = _read_outputs(options.get("keep"))
    total = int(np.prod([n for *_, n in bounds.values()]))
    request.progress(0, total, "preparing")
    with tempfile.TemporaryDirectory(prefix="lagrangian-study-") as folder, collect_warnings() as caught_warnings:
        result = run_study(
            m,
            over,
            {"t_span": (start, start + seconds)},
            keep,
            folder=folder,
            workers=1,
            chunk=max(1, total // 40),
            progress=lambda done, total: request.progress(done, total),
        )
        request.progress(total, total, "drawing")
        names, outputs = list(result.inputs), list(result.scalar_outputs)
        columns = {name: np.asarray(result[name], dtype=float) for name in (*names, *outputs)}
        return {
            "picture": _svg_picture(result),
            "data": _plot_data(names, outputs, columns),
            "table": _table(names, outputs, columns),
            "samples": len(result),
            "failed": {"count": len(result.failed), "reasons": list(dict.fromkeys(result.failed.values()))[:5]},
            "warnings": [str(x) for x in caught_warnings],
        }


def _read_ranges(data: Any) -> dict[str, tuple[float, float, int]]:
    if not isinstance(data, dict) or not 1 <= len(data) <= 2:
        raise ArgumentError("one or two names are needed, each with a range", argument="over")
    ranges = {}
    for name, bounds in data.items():
        if not isinstance(bounds, dict) or not all(is_number(bounds.get(x)) for x in ("from", "to")):
            raise ArgumentError(
                f"{name} is varied over {format_value(bounds)}", remedy='such as {"from": 0.2, "to": 0.4, "count": 25}'
            )
        count = read_number(bounds, "count", DEFAULT_COUNT, 2, MAX_SAMPLES)
        ranges[str(name)] = (float(bounds["from"]), float(bounds["to"]), int(count))
    if np.prod([n for *_, n in ranges.values()]) > MAX_SAMPLES:
        raise ArgumentError(f"a study in the studio has at most {MAX_SAMPLES} samples", remedy="`lagrangian study` computes more")
    return ranges


def _read_outputs(data: Any) -> Any:
    if data is None or data == "":
        return None
    if isinstance(data, str):
        return [data]
    if not isinstance(data, list) or not all(isinstance(x, str) for x in data):
        raise ArgumentError(f"is {format_value(data)}", argument="keep", remedy='such as "max(tip.x)"')
    return data


def _svg_picture(result: Any) -> str:
    """The picture as SVG, which the page shows as an image, so that no script in it runs."""
    try:
        stream = io.BytesIO()
        result.plot().savefig(stream, format="svg")
        return stream.getvalue().decode("utf-8")
    except LagrangianError as error:
        if not result.failed:
            raise
        raise ArgumentError(f"all samples failed: {next(iter(result.failed.values()))}") from error


def _plot_data(names: list[str], outputs: list[str], columns: dict[str, np.ndarray]) -> dict[str, Any]:
    """Numbers for the page's own plots: curves over one number, or values over a grid of two."""
    if len(names) == 1:
        order = np.argsort(columns[names[0]], kind="stable")
        return {
            "x": {"name": names[0], "values": [round_for_screen(x) for x in columns[names[0]][order]]},
            "series": [{"name": n, "values": [round_for_screen(x) for x in columns[n][order]]} for n in outputs],
        }
    first, second = (np.unique(columns[n]) for n in names)
    grid_columns, grid_rows = np.searchsorted(first, columns[names[0]]), np.searchsorted(second, columns[names[1]])
    grids = []
    for name in outputs:
        grid = np.full((len(second), len(first)), np.nan)
        grid[grid_rows, grid_columns] = columns[name]
        grids.append({"name": name, "values": [[round_for_screen(x) for x in row] for row in grid]})
    axes = [{"name": n, "values": [round_for_screen(x) for x in v]} for n, v in zip(names, (first, second), strict=True)]
    return {"x": axes[0], "y": axes[1], "grids": grids}


def _table(names: list[str], outputs: list[str], columns: dict[str, np.ndarray]) -> dict[str, Any]:
    head = [*names, *outputs]
    rows = np.column_stack([columns[n] for n in head])
    rounded_rows = [[round_for_screen(x) for x in row] for row in rows[:MAX_TABLE_ROWS]]
    return {"head": head, "rows": rounded_rows, "left_out": max(0, len(rows) - MAX_TABLE_ROWS)}
