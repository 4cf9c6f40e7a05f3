"""The job `motion`: a simulation, and any motion as the page plays and plots it.

Curves have few enough points for a screen, and numbers the digits that are seen.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from lagrangian.errors import LagrangianWarning
from lagrangian.model.mechanism import Mechanism
from lagrangian.motion.motion import Motion
from lagrangian.motion.result.over_limits import over_limits
from lagrangian.plots.quantities import CurvePanel
from lagrangian.studio.request_checks import read_number
from lagrangian.studio.tasks import TaskRequest
from lagrangian.studio.thread_warnings import collect_warnings

ROWS = 401
MAX_CURVES = 40  # of a plot: nobody tells more apart
DEFAULT_SECONDS = 5.0  # where neither the page nor the description says how long
MAX_SECONDS = 3600.0


def motion(request: TaskRequest) -> dict[str, Any]:
    run, warnings = simulate_task(request)
    return motion_data(run, warnings)


def simulate_task(request: TaskRequest) -> tuple[Motion, list[LagrangianWarning]]:
    """The motion that the options ask for, and the warnings about it."""
    from lagrangian.motion.simulate import simulate

    m, options = request.model.valid_mechanism, request.options
    start, seconds = start_and_duration(request)
    start_options = {name: options[name] for name in ("q0", "qd0", "torque") if options.get(name) is not None}
    request.progress(0, seconds, "preparing")
    with collect_warnings() as caught_warnings:
        run = simulate(
            m, (start, start + seconds), t_eval=ROWS, progress=lambda done, total: request.progress(done, total), **start_options
        )
    return run, caught_warnings


def start_and_duration(
    request: TaskRequest, max_default: float = math.inf, max_seconds: float = MAX_SECONDS
) -> tuple[float, float]:
    """When a motion starts, by its description, and how long it lasts: as the page says, else as the description does."""
    t_span = request.model.valid_mechanism.initial.t_span
    start, default = (float(t_span[0]), float(t_span[1] - t_span[0])) if t_span is not None else (0.0, DEFAULT_SECONDS)
    return start, read_number(request.options, "seconds", min(max_default, default), 1e-6, max_seconds)


def motion_data(run: Motion, warnings: list[LagrangianWarning]) -> dict[str, Any]:
    """A motion as the page plays and plots it."""
    from lagrangian.viewer.pack import pack_track
    from lagrangian.viewer.page import with_finite_rows
    from lagrangian.viewer.scene.track import motion_track

    traced = [f.name for f in run.model("a track needs").frames if f.body != "ground"][:2]
    return {
        "track": pack_track(with_finite_rows(motion_track(run, trace=traced or None))),
        "plots": motion_plots(run),
        "summary": summary_rows(run),
        "warnings": [str(x) for x in warnings] + [x for x in over_limits(run) if not any(x in str(w) for w in warnings)],
        "q": [float(x) for x in run.q[-1]],
        "success": bool(run.success),
    }


def summary_rows(run: Motion) -> list[list[str]]:
    """The rows of the table about a run: a name and a text each."""
    from lagrangian.report.html import html_to_text
    from lagrangian.report.subject import verdicts

    rows = [["Duration", f"{run.t[-1] - run.t[0]:.4g} s"]]
    method = run.statistics.get("method")
    if method:
        rows.append(["Method", f"{method}, {run.statistics.get('accepted', 0)} steps"])
    rows += [["Result", html_to_text(v.badge)] for v in verdicts(run)]
    rows += [["Event", f"{event}"] for event in run.events[:6]]
    return rows


def motion_plots(motion: Motion, quantities: tuple[str, ...] = ()) -> list[dict[str, Any]]:
    from lagrangian.plots.quantities import motion_panels

    return [plot_data(panel, motion.t, motion.mechanism) for panel in motion_panels(motion, quantities)]


def plot_data(panel: CurvePanel, t: np.ndarray, mechanism: Mechanism | None = None) -> dict[str, Any]:
    """One panel of curves as the page plots it."""
    series = [
        {"name": name, "values": [round_for_screen(x) for x in panel.values[:, k]]}
        for k, name in enumerate(panel.names[:MAX_CURVES])
    ]
    return {
        "what": panel.quantity,
        "title": panel.label,
        "unit": panel.unit,
        "scale": panel.scale,
        "t": [round_for_screen(x) for x in t],
        "series": series,
        "limits": limit_lines(panel, mechanism) if mechanism is not None else [],
        "left_out": max(0, len(panel.names) - MAX_CURVES),
    }


def limit_lines(panel: CurvePanel, m: Mechanism) -> list[dict[str, Any]]:
    """The limits of joints as lines across a plot, and whether the curves pass them."""
    lines = []
    for name, low, high in _limit_ranges(panel.quantity, m):
        if name in panel.names:
            factor = 180 / math.pi if panel.unit.startswith("deg") else 1.0
            k = panel.names.index(name)
            for value, side in ((low, "lower"), (high, "upper")):
                if math.isfinite(value):
                    worst = panel.values[:, k].max() if side == "upper" else panel.values[:, k].min()
                    passed = worst > value * factor + 1e-9 if side == "upper" else worst < value * factor - 1e-9
                    lines.append({"name": name, "side": side, "value": round_for_screen(value * factor), "passed": bool(passed)})
    return lines


def _limit_ranges(quantity: str, m: Mechanism) -> list[tuple[str, float, float]]:
    ranges = []
    for joint in m.joints:
        joint_limits = joint.limits
        if quantity == "coordinates" and joint.kind.nq == 1:
            ranges.append((joint.coordinate_names[0], float(joint_limits.lower), float(joint_limits.upper)))
        elif quantity in ("speeds", "torques"):
            limit = float(joint_limits.speed if quantity == "speeds" else joint_limits.effort)
            ranges += [(name, -limit, limit) for name in joint.speed_names]
    return ranges


def round_for_screen(x: float) -> float | None:
    """A number with six digits, which is what a screen shows; None in place of infinities and NaN."""
    return float(f"{float(x):.6g}") if math.isfinite(x) else None
