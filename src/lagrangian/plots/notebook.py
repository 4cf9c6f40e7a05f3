"""What notebooks show of mechanisms, motions and sizings: tables and a picture, as HTML that needs nothing else.

All text from files and users is escaped. Colours are the notebook's own, so that it can be dark.
"""

from __future__ import annotations

import base64
import html
import io
from collections.abc import Sequence
from typing import Any

import numpy as np

from lagrangian.errors import LagrangianError
from lagrangian.model import printed_table as mechanism_table
from lagrangian.model.mechanism import Mechanism
from lagrangian.motion.motion import Motion
from lagrangian.motion.result.over_limits import over_limits
from lagrangian.motion.result.rounding import Rounding
from lagrangian.sizing import tables as sizing_tables
from lagrangian.sizing.actuators import ActuatorSizing

CELL = "padding:2px 10px 2px 0;text-align:left;white-space:nowrap;border:none"
PICTURE_SIZE = (480, 360)
MAX_SPEEDS = 60  # speeds of a closed mechanism whose mobility is found by rank unasked


def mechanism_html(m: Mechanism) -> str:
    """Name, description, source, a picture, joints and bodies, and what else `print` tells."""
    parts = [_heading(m.name, mechanism_table.size_summary(m) + _mobility_text(m))]
    parts += [_paragraph(m.description)] if m.description else []
    parts += [_paragraph(f"Source: {m.source}", small=True)] if m.source else []
    parts.append(_picture_html(m))
    if m.joints:
        parts += [rows_html(mechanism_table.joint_rows(m)), rows_html(mechanism_table.body_rows(m))]
    parts += [_paragraph(line, small=True) for line in mechanism_table.remark_lines(m) if line]
    return _wrap_parts(parts)


def motion_html(motion: Motion) -> str:
    """The outcome of a motion in a table, and its plot."""
    parts = [_heading(motion.name, "" if motion.success else motion.message), pairs_html(summary(motion))]
    if len(motion.t):
        try:
            parts.append(image_html(motion.plot().to_bytes("png"), f"plot of {motion.name}", 960))
        except LagrangianError as error:  # the table remains
            parts.append(_paragraph(f"no plot: {error}", small=True))
    return _wrap_parts(parts)


def summary(motion: Motion) -> list[tuple[str, str]]:
    """Time, steps, energy balance, drift and events, each with its name."""
    statistics = motion.statistics
    if not len(motion.t):
        return [("result", motion.message or "no rows")]
    rows = [("time", f"{motion.first:g} to {motion.last:g} s, {len(motion.t)} rows")]
    if "accepted" in statistics:
        tolerance = f", rtol {statistics['rtol']:g}" if statistics.get("adaptive") else ""
        rows.append(
            ("steps", f"{statistics['accepted']} ({statistics['rejected']} rejected) of {statistics['method']}{tolerance}")
        )
    elif "method" in statistics:
        rows.append(("method", str(statistics["method"])))
    imbalance = float(np.abs(motion.energy_balance).max())
    balance_text = f"off by {imbalance:.2g} J of {motion.energy_scale:.3g} J moved"
    rows.append(("energy balance", "nothing moves" if Rounding(motion).still else balance_text))
    if motion.constraint_names:
        drift, rate = float(motion.drift.max(initial=0.0)), float(motion.rate_drift.max(initial=0.0))
        rows.append(("constraint drift", f"{drift:.1g}, of rates {rate:.1g}"))
    rows += [("limit", line) for line in over_limits(motion)]
    rows += [(f"event at {e.t:.9g} s", e.name) for e in motion.events[:12]]
    if len(motion.events) > 12:
        rows.append(("events", f"{len(motion.events) - 12} more"))
    if motion.message:
        rows.append(("result", motion.message))
    return rows


def sizing_html(sizing: ActuatorSizing) -> str:
    """The demand of the joints, the chosen motors, and the joints without one."""
    parts = [_heading(sizing_tables.title(sizing)), _paragraph("At the joints"), rows_html(sizing_tables.demand_rows(sizing))]
    motors = sizing_tables.motor_rows(sizing)
    if len(motors) > 1:
        parts += [_paragraph("At the motors"), rows_html(motors)]
    return _wrap_parts([*parts, *(_paragraph(line, small=True) for line in sizing_tables.remarks(sizing))])


def text_html(text: str) -> str:
    """A text with its line breaks, as it is printed."""
    return f"<pre>{html.escape(text)}</pre>"


def result_html(result: Any) -> str:
    """The text of a result, and its plot."""
    parts = [text_html(str(result))]
    try:
        parts.append(image_html(result.plot().to_bytes("png"), "plot", 960))
    except LagrangianError as error:  # the text remains
        parts.append(_paragraph(f"no plot: {error}", small=True))
    return _wrap_parts(parts)


def rows_html(rows: Sequence[Sequence[str]]) -> str:
    """A table whose first row is its header."""
    head = "".join(f'<th style="{CELL};border-bottom:1px solid currentColor">{html.escape(cell)}</th>' for cell in rows[0])
    body = "".join("<tr>" + "".join(f'<td style="{CELL}">{html.escape(cell)}</td>' for cell in row) + "</tr>" for row in rows[1:])
    return (
        f'<div style="overflow-x:auto"><table style="border-collapse:collapse;margin:6px 0"><thead><tr>{head}</tr></thead>'
        f"<tbody>{body}</tbody></table></div>"
    )


def pairs_html(pairs: Sequence[tuple[str, str]]) -> str:
    """A table of names and values."""
    wide = CELL.replace("nowrap", "normal")
    lines = (f'<tr><th style="{CELL}">{html.escape(a)}</th><td style="{wide}">{html.escape(b)}</td></tr>' for a, b in pairs)
    return f'<table style="border-collapse:collapse;margin:6px 0"><tbody>{"".join(lines)}</tbody></table>'


def image_html(png: bytes, alt: str, width: int) -> str:
    data = base64.b64encode(png).decode()
    css = f"width:{width}px;max-width:100%;height:auto;background:white"
    return f'<img src="data:image/png;base64,{data}" alt="{html.escape(alt)}" style="{css}">'


def _mobility_text(m: Mechanism) -> str:
    """Degrees of freedom of a closed mechanism, by the rank of its constraints."""
    if not m.equation_count or m.nv > MAX_SPEEDS:
        return ""
    from lagrangian.configuration.mobility import mobility

    try:
        degrees = mobility(m)
    except LagrangianError:  # loops that cannot be closed have none
        return ""
    return f"; {degrees.nearby} {'degree' if degrees.nearby == 1 else 'degrees'} of freedom"


def _picture_html(m: Mechanism) -> str:
    """A picture of a mechanism; nothing if it cannot be drawn, so that its tables remain."""
    try:
        pixels = np.asarray(m.draw(size=PICTURE_SIZE))
        return image_html(_png(pixels), f"picture of {m.name}", PICTURE_SIZE[0])
    except Exception:
        return ""


def _png(pixels: np.ndarray) -> bytes:
    from matplotlib.image import imsave

    stream = io.BytesIO()
    imsave(stream, pixels, format="png")
    return stream.getvalue()


def _heading(title: str, details: str = "") -> str:
    details_html = f" <span>{html.escape(details)}</span>" if details else ""
    return f"<div><strong>{html.escape(title)}</strong>{details_html}</div>"


def _paragraph(text: str, small: bool = False) -> str:
    css = "max-width:70em;margin:2px 0" + (";font-size:90%;opacity:0.8" if small else "")
    return f'<div style="{css}">{html.escape(text)}</div>'


def _wrap_parts(parts: list[Any]) -> str:
    return f'<div class="lagrangian">{"".join(parts)}</div>'
