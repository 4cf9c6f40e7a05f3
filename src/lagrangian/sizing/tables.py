"""A sizing as a table to read and as a CSV file."""

from __future__ import annotations

import csv
import io
import math
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lagrangian.errors import as_cell
from lagrangian.files import as_path, write
from lagrangian.sizing.motors import RPM

if TYPE_CHECKING:
    from lagrangian.sizing.actuators import ActuatorSizing


CSV_HEADER = (
    *("joint", "peak_torque", "rms_torque", "mean_torque", "wear_torque", "torque_unit", "peak_speed", "rms_speed", "speed_unit"),
    *("peak_power_W", "peak_power_back_W", "energy_J", "energy_back_J", "load_inertia", "load_inertia_max", "inertia_unit"),
    *(
        "load_factor_W_per_s",
        "fits",
        "motor",
        "gear",
        "ratio",
        "motor_rms_torque_Nm",
        "motor_peak_torque_Nm",
        "motor_rms_speed_rpm",
    ),
    *("motor_peak_speed_rpm", "motor_energy_J", "margin_continuous", "margin_peak", "margin_speed", "tightest", "inertia_ratio"),
    "message",
)


def sizing_table(sizing: ActuatorSizing) -> str:
    """The table of a sizing: the demands, the chosen motors, and remarks."""
    lines = [title(sizing), "", "At the joints", *_align_columns(demand_rows(sizing), left=(0, 4, 7))]
    motors = motor_rows(sizing)
    if len(motors) > 1:
        lines += ["", "At the motors", *_align_columns(motors, left=(0, 1, 2, 10)), ""]
    return "\n".join([*lines, *remarks(sizing)])


def title(sizing: ActuatorSizing) -> str:
    return f"{sizing.mechanism.name}: actuators for a cycle of {_format_number(sizing.cycle_time)} s"


def demand_rows(sizing: ActuatorSizing) -> list[tuple[str, ...]]:
    """The demand of every joint, under a header."""
    rows: list[tuple[str, ...]] = [
        (
            "joint",
            "peak |τ|",
            "RMS τ",
            "mean |τ|",
            "unit",
            "peak |qd|",
            "RMS qd",
            "unit",
            "power in",
            "back [W]",
            "energy in",
            "back [J]",
            "load inertia",
        )
    ]
    for name, d in sizing.demand.items():
        torque, speed, inertia = d.units
        numbers = (d.peak_torque, d.rms_torque, d.mean_torque)
        rows.append(
            (
                name,
                *(_format_number(x) for x in numbers),
                torque,
                _format_number(d.peak_speed),
                _format_number(d.rms_speed),
                speed,
                _format_number(d.peak_power),
                _format_number(d.peak_power_back),
                _format_number(d.energy),
                _format_number(d.energy_back),
                f"{_format_number(d.load_inertia)} {inertia}",
            )
        )
    return rows


def motor_rows(sizing: ActuatorSizing) -> list[tuple[str, ...]]:
    """The chosen or nearest motor of every joint, under a header."""
    rows: list[tuple[str, ...]] = [
        (
            "joint",
            "motor",
            "gear",
            "RMS τ",
            "peak [N m]",
            "RMS speed",
            "peak [rpm]",
            "margin: continuous",
            "peak",
            "speed",
            "tightest",
            "load:rotor",
        )
    ]
    for name, a in sizing.actuators.items():
        if (c := a.best) is None:
            continue
        m = c.margins
        rows.append(
            (
                name,
                c.motor.name if a.chosen else f"none; nearest {c.motor.name}",
                str(c.gear),
                _format_number(c.rms_torque),
                _format_number(c.peak_torque),
                f"{c.rms_speed / RPM:.0f}",
                f"{c.peak_speed / RPM:.0f}",
                *(_format_factor(m[k]) for k in ("continuous", "peak", "speed")),
                c.tightest,
                _format_number(c.inertia_ratio),
            )
        )
    return rows


def remarks(sizing: ActuatorSizing) -> list[str]:
    """Remarks on how the choice went, why joints have no motor, and which joints are passive."""
    lines = []
    if any(a.best is not None for a in sizing.actuators.values()):
        rounds = f"after {sizing.iterations} round{'s' * (sizing.iterations != 1)}"
        outcome = (
            f"The choice converged {rounds}"
            if sizing.converged
            else f"The choice did NOT converge {rounds}: it repeats in a cycle"
        )
        lines += [f"{outcome}. The torques were checked with the chosen rotors (error {sizing.residual:.1g})."]
    lines += [f"{name}: {a.message}" for name, a in sizing.actuators.items() if a.message]
    if sizing.passive:
        lines.append(f"passive joints: {', '.join(sizing.passive[:12])}" + (" ..." if len(sizing.passive) > 12 else ""))
    return lines


def _align_columns(rows: list[tuple[str, ...]], left: tuple[int, ...]) -> list[str]:
    """Lines of a table with its header underlined; columns are right-aligned but for those in `left`."""
    widths = [max(len(row[k]) for row in rows) for k in range(len(rows[0]))]
    lines = []
    for row in rows:
        cells = (cell.ljust(w) if k in left else cell.rjust(w) for k, (cell, w) in enumerate(zip(row, widths, strict=True)))
        lines.append("  ".join(cells).rstrip())
    lines.insert(1, "  ".join("─" * w for w in widths))
    return lines


def _format_number(x: float) -> str:
    """A number with three significant digits, without an exponent if possible."""
    if not math.isfinite(x):
        return "∞" if x > 0 else str(x)
    if abs(x) < 1e-12:
        return "0"
    return f"{x:.3g}" if abs(x) < 1000 else f"{x:.0f}" if abs(x) < 1e6 else f"{x:.3g}"


def _format_factor(x: float) -> str:
    return "∞" if math.isinf(x) else f"{x:.2f}" if x < 100 else f"{x:.0f}"


def write_csv(sizing: ActuatorSizing, path: str | os.PathLike[str]) -> Path:
    """Write a line for each joint to a CSV file, and return its path."""
    rows: list[list[Any]] = []
    for name, a in sizing.actuators.items():
        d, c = a.demand, a.best
        torque, speed, inertia = d.units
        row: list[Any] = [
            name,
            d.peak_torque,
            d.rms_torque,
            d.mean_torque,
            d.wear_torque,
            torque,
            d.peak_speed,
            d.rms_speed,
            speed,
        ]
        row += [
            d.peak_power,
            d.peak_power_back,
            d.energy,
            d.energy_back,
            d.load_inertia,
            d.load_inertia_max,
            inertia,
            d.load_factor,
        ]
        if c is None:
            row += [""] * (len(CSV_HEADER) - 1 - len(row))
        else:
            row += [a.chosen is not None, c.motor.name, str(c.gear), c.ratio, c.rms_torque, c.peak_torque]
            row += [c.rms_speed / RPM, c.peak_speed / RPM, a.energy, *(c.margins[k] for k in ("continuous", "peak", "speed"))]
            row += [c.tightest, c.inertia_ratio]
        rows.append([*row, a.message])
    file = as_path(path)
    text = io.StringIO(newline="")
    writer = csv.writer(text, lineterminator="\n")
    writer.writerows([CSV_HEADER, *([_cell(x) for x in row] for row in rows)])
    return write(file, text.getvalue())


def _cell(x: Any) -> Any:
    return repr(x) if isinstance(x, float) else as_cell(x) if isinstance(x, str) else x
