"""A turn of a linkage in words: whether it turns, how far its joints swing, how well it transmits, and what drives it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

import numpy as np

from lagrangian.design.swing import Swing
from lagrangian.design.units import in_words, per

if TYPE_CHECKING:
    from lagrangian.design.turn import FullTurn

LISTED = 16  # joints whose swing is told


def turn_text(turn: FullTurn) -> str:
    """The essentials, one a line."""
    lines = [f"{turn.mechanism.name}: {_reach(turn)}"]
    lines += [str(turn.four_bar)] if turn.four_bar is not None else []
    for d in turn.dead_centres:
        stands = "the input cannot go further" if d.of == "input" else "the output turns back"
        lines.append(f"dead centre of {d.coordinate} at {turn.input} = {turn.told(d.input_value)}: {stands}")
    lines += _swings(turn)
    lines += [_strokes(turn)] if turn.strokes is not None else []
    if turn.stands_still:
        return "\n".join([*lines, f"{turn.input} does not move {turn.output}, so nothing is transmitted", *_forces(turn)])
    lines += [_angle(turn)] if turn.transmission_angle is not None else []
    lines += [_advantage(turn)] if turn.output_ratio is not None else []
    return "\n".join([*lines, *_forces(turn)])


def _reach(turn: FullTurn) -> str:
    if turn.turns:
        after = "after one turn" if turn.turns == 1 else f"after {turn.turns} turns"
        return f"{turn.input} turns fully, and the linkage returns to its start {after}"
    low, high = turn.range
    why = turn.ends[0] if turn.ends[0] == turn.ends[1] else f"{turn.ends[0]} and {turn.ends[1]}"
    return f"{turn.input} goes from {turn.told(low)} to {turn.told(high)} ({why})"


def _swings(turn: FullTurn) -> Iterable[str]:
    """The output first."""
    found = sorted(turn.swings.values(), key=lambda s: s.name != turn.output)
    yield from (_swing(turn, s) for s in found[:LISTED])
    if len(found) > LISTED:
        yield f"... and {len(found) - LISTED} more joints; `swings` has all of them"


def _swing(turn: FullTurn, s: Swing) -> str:
    if s.turns:
        of_input = "one turn" if turn.turns == 1 else f"{turn.turns} turns"
        return f"{s.name} turns fully: {s.turns} turn{'s' * (abs(s.turns) != 1)} for {of_input} of {turn.input}"
    if s.still:
        return f"{s.name} stands still at {in_words(s.low, s.unit)}"
    (first, at), (last, end) = sorted([(s.low, s.low_at), (s.high, s.high_at)], key=lambda x: x[1])
    how = "swings by" if s.unit == "rad" else "moves by"
    return (
        f"{s.name} {how} {in_words(s.extent, s.unit)}: from {in_words(first, s.unit)} at {turn.input} = {turn.told(at)} "
        f"to {in_words(last, s.unit)} at {turn.told(end)}"
    )


def swing_of_frame(frame: str, found: dict[str, Swing]) -> str:
    """How far a frame's origin travels."""
    ranges = [f"{axis} from {s.low:.6g} to {s.high:.6g}" for axis, s in found.items() if not s.still]
    return f"{frame} travels: {', '.join(ranges)} m" if ranges else f"{frame} stands still"


def _strokes(turn: FullTurn) -> str:
    assert turn.strokes is not None
    assert turn.time_ratio is not None
    slow, fast = (turn.told(x) for x in turn.strokes)
    return f"time ratio {turn.time_ratio:.4g}: {turn.output} advances during {slow} of {turn.input}, and returns during {fast}"


def _angle(turn: FullTurn) -> str:
    assert turn.transmission_angle is not None
    angle = np.round(np.degrees(turn.transmission_angle), 6) + 0.0  # of equal ones, the first
    low, high = int(np.argmin(angle)), int(np.argmax(angle))
    mu = [angle[k] for k in (low, high)]
    return (
        f"transmission angle at {turn.output}: {mu[0]:.4g} deg at {turn.input} = {turn.told(turn.x[low])} "
        f"to {mu[1]:.4g} deg at {turn.told(turn.x[high])}"
    )


def _advantage(turn: FullTurn) -> str:
    assert turn.output_ratio is not None
    ratio = np.abs(turn.output_ratio)
    fast = int(np.argmax(np.round(ratio / np.median(ratio[np.isfinite(ratio)]), 9)))
    units = [per(*pair) for pair in (turn.units[::-1], turn.units)]
    most, least = (
        f"{x:.4g}{'' if unit == '1' else f' {unit}'}" for x, unit in zip((ratio[fast], 1 / ratio[fast]), units, strict=True)
    )
    return (
        f"{turn.output} over {turn.input}: velocity ratio of at most {most}, at {turn.told(turn.x[fast])}, "
        f"where the mechanical advantage is {least}"
    )


def _forces(turn: FullTurn) -> list[str]:
    if not np.isfinite(turn.torque).any():
        return []
    unit = "N m" if turn.units[0] == "rad" else "N"
    rate = f"{turn.speed:g} {turn.units[0]}/s"
    parts = []
    for what, rows in (("at rest", turn.static_torque), (f"at {rate}", turn.torque)):
        most = np.nanmax(np.abs(rows))
        if most < 1e-12:
            continue
        low, high = int(np.nanargmin(np.round(rows / most, 9))), int(np.nanargmax(np.round(rows / most, 9)))
        ends = f"{rows[low]:.4g} (at {turn.told(turn.x[low])}) to {rows[high]:.4g} {unit} (at {turn.told(turn.x[high])})"
        parts.append(f"{'force' if unit == 'N' else 'torque'} at {turn.input}, {what}: {ends}")
    return parts
