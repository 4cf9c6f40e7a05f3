"""The job `motion`: a simulation, to be played and plotted."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from lagrangian.errors import ArgumentError, LagrangianWarning, format_value, is_number
from lagrangian.model.mechanism import Mechanism
from lagrangian.motion.motion import Motion
from lagrangian.motion.result.over_limits import over_limits
from lagrangian.plots.quantities import CurvePanel
from lagrangian.studio.drawing.motion import drawing_motion
from lagrangian.studio.tasks import TaskRequest
from lagrangian.studio.thread_warnings import collect_warnings

# MERGED lagrangian.studio.kinds.plots: Curves over time as the page plots them: few enough points for a screen, numbers with
# the digits that are seen.

MAX_CURVES = 40  # curves of a plot: more are not told apart


def plot_data(panel: CurvePanel, t: np.ndarray, mechanism: Mechanism | None = None) -> dict[str, Any]:
    """One panel of curves."""
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
    """Lines that a curve should not pass: of its coordinate, its speed or its torque."""
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
            most = float(joint_limits.speed if quantity == "speeds" else joint_limits.effort)
            ranges += [(name, -most, most) for name in joint.speed_names]
    return ranges


def motion_plots(motion: Motion, quantities: tuple[str, ...] = ()) -> list[dict[str, Any]]:
    from lagrangian.plots.quantities import motion_panels

    return [plot_data(panel, motion.t, motion.mechanism) for panel in motion_panels(motion, quantities)]


def round_for_screen(x: float) -> float | None:
    """Six digits: what a screen shows; nothing in place of what is no number."""
    return float(f"{float(x):.6g}") if math.isfinite(x) else None


# MERGED lagrangian.studio.kinds.options: Options of a job, as a page sends them: checked before anything is worked out.


def read_number(options: Mapping[str, Any], name: str, default: float, least: float, most: float) -> float:
    """A number in a range."""
    value = options.get(name)
    if value is None:
        return default
    if not is_number(value) or not least <= value <= most:
        raise ArgumentError(f"is {format_value(value)}", argument=name, remedy=f"a number from {least:g} to {most:g} is needed")
    return float(value)


def read_text(options: Mapping[str, Any], name: str, default: str = "", most: int = 20_000) -> str:
    value = options.get(name)
    if value is None:
        return default
    if not isinstance(value, str) or len(value) > most:
        raise ArgumentError(f"is {format_value(value)}", argument=name, remedy="a text is needed")
    return value


ROWS = 401
DEFAULT_SECONDS = 5.0  # where neither the page nor the description says how long
MAX_SECONDS = 3600.0


def motion(request: TaskRequest) -> dict[str, Any]:
    run, warnings = simulate_task(request)
    return motion_data(run, warnings)


def simulate_task(request: TaskRequest) -> tuple[Motion, list[LagrangianWarning]]:
    """The motion of the options, and what is doubtful in it."""
    from lagrangian.motion.simulate import simulate

    m, options = request.model.valid_mechanism, request.options
    t_span = m.initial.t_span
    seconds = read_number(
        options, "seconds", float(t_span[1] - t_span[0]) if t_span is not None else DEFAULT_SECONDS, 1e-6, MAX_SECONDS
    )
    start = float(t_span[0]) if t_span is not None else 0.0
    start_options = {name: options[name] for name in ("q0", "qd0", "torque") if options.get(name) is not None}
    request.progress(0, seconds, "preparing")
    with collect_warnings() as caught_warnings:
        run = simulate(
            m, (start, start + seconds), t_eval=ROWS, progress=lambda done, total: request.progress(done, total), **start_options
        )
    return run, caught_warnings


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
    """What there is to say of a run, name by name."""
    from lagrangian.report.subject import verdicts

    rows = [["Duration", f"{run.t[-1] - run.t[0]:.4g} s"]]
    method = run.statistics.get("method")
    if method:
        rows.append(["Method", f"{method}, {run.statistics.get('accepted', 0)} steps"])
    rows += [["Result", str(html_to_text(v.short))] for v in verdicts(run)]
    rows += [["Event", f"{event}"] for event in run.events[:6]]
    return rows


def html_to_text(html: str) -> str:
    """The text of a fragment of HTML."""
    import re
    from html import unescape

    powers = re.sub(r"<sup>(.*?)</sup>", r"^\1", html)
    return unescape(re.sub(r"<[^>]*>", "", powers))


# MERGED lagrangian.studio.kinds.linkage: The job `linkage`: how a drawn linkage moves, with the forces at its pins.


def linkage(request: TaskRequest) -> dict[str, Any]:
    return drawing_motion(request.options, request.progress)
