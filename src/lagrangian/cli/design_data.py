"""What designs were found to do, as data for --json."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from lagrangian.design.compare_turns import ComparedTurns
    from lagrangian.design.coupler_curve import CouplerCurve
    from lagrangian.design.reachable import Workspace
    from lagrangian.design.singular import Singularities
    from lagrangian.design.turn import FullTurn


def of_workspace(found: Workspace) -> dict[str, Any]:
    low, high = found.extent
    return {
        "mechanism": found.mechanism.name,
        "frame": found.frame,
        "kind": found.kind,
        "area": found.area,
        "volume": found.volume,
        "error": found.error,
        "holes": found.holes,
        "low": low,
        "high": high,
    }


def of_turn(found: FullTurn) -> dict[str, Any]:
    import numpy as np

    def ends(rows: Any) -> Any:
        return [float(np.nanmin(rows)), float(np.nanmax(rows))] if rows is not None and np.isfinite(rows).any() else None

    bars = found.four_bar
    return {
        "mechanism": found.mechanism.name,
        "input": found.input,
        "output": found.output,
        "range": found.range,
        "turns": found.turns,
        "ends": found.ends,
        "four_bar": {"kind": bars.kind, **{x: getattr(bars, x) for x in ("ground", "input", "coupler", "output")}}
        if bars
        else None,
        "dead_centres": [{"of": d.of, "coordinate": d.coordinate, "input": d.input_value, "q": d.q} for d in found.dead_centres],
        "swings": {
            n: {"low": s.low, "high": s.high, "low_at": s.low_at, "high_at": s.high_at, "turns": s.turns}
            for n, s in found.swings.items()
        },
        "time_ratio": found.time_ratio,
        "transmission_angle": ends(found.transmission_angle),
        "output_ratio": ends(found.output_ratio),
        "speed": found.speed,
        "torque": ends(found.torque),
        "static_torque": ends(found.static_torque),
    }


def of_curve(turn: FullTurn, curve: CouplerCurve) -> dict[str, Any]:
    found: dict[str, Any] = {x: getattr(curve, x) for x in ("closed", "length", "cusps", "double_points")}
    return found | {axis: (s.low, s.high) for axis, s in turn.swing(curve.frame).items()}


def of_turns(found: ComparedTurns) -> dict[str, Any]:
    return {
        "mechanism": found.mechanism.name,
        "input": found.one.input,
        "output": found.one.output,
        "parameters": found.parameters,
        **{c.name: c.values for c in found.columns()},
        "reasons": found.reasons,
    }


def of_singularities(found: Singularities) -> dict[str, Any]:
    names = found.mechanism.coordinate_names
    return {
        "mechanism": found.mechanism.name,
        "frame": found.frame,
        "directions": found.directions,
        "over": found.over,
        "found": [{"type": s.kind, "q": dict(zip(names, s.q, strict=True)), "says": s.says} for s in found],
    }
