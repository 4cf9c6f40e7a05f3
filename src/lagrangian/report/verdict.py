"""Whether a run can be trusted, in a sentence each."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from lagrangian.motion.motion import Motion
from lagrangian.report.html import Html, number, rough, text

INVERSE = 1e-6  # what a balance without an integrator may be off by: its work is integrated over the rows
KEPT = 1e-6  # a constraint that is violated by less is kept, where the tolerance does not say


@dataclass(frozen=True)
class Verdict:
    """`good` is None where nothing was promised; `short` stands in a badge."""

    good: bool | None
    short: Html
    sentence: Html


def promised(motion: Motion) -> float | None:
    """The error an adaptive run may have, relative to what was moved: see `Motion.warn`."""
    s = motion.statistics
    if s.get("adaptive"):
        return float(max(100, int(s.get("accepted", 0))) * float(s["rtol"]))
    return None if "accepted" in s else INVERSE


def energy_verdict(motion: Motion) -> Verdict:
    off, scale = float(np.abs(motion.balance).max(initial=0.0)), motion.energy_scale
    stored = float(np.abs(motion.kinetic_energy).max(initial=0.0) + np.abs(motion.potential_energy).max(initial=0.0))
    part = off / scale if scale > 1e-300 else 0.0
    told = Html(f"off by {rough(off)} J of {number(scale, 3)} J moved" if scale > 1e-300 else "nothing moved")
    most = promised(motion)
    if most is None:
        return Verdict(None, Html(f"energy {told}"), Html(f"The energy balance is {told}; a fixed step promises nothing."))
    good = off <= most * scale + 1e-10 * stored
    short = Html(f"energy balanced to {rough(part)}" if good else f"energy {told}")
    how = "The energy balances" if good else "The energy does not balance"
    return Verdict(good, short, Html(f"{how}: change of energy less all work is {told}."))


def constraints_verdict(motion: Motion) -> Verdict:
    worst = float(motion.statistics.get("drift_between_steps", motion.drift.max(initial=0.0)))
    at_steps = float(motion.statistics.get("drift_at_steps", worst))
    most = promised(motion) or KEPT
    good = worst <= max(most, KEPT if "accepted" not in motion.statistics else 0.0)
    n = len(motion.constraint_names)
    many = f"{n} constraint equation{'s' if n != 1 else ''}"
    short = Html(f"constraints kept to {rough(at_steps)}" if good else f"constraints drift by {rough(worst)}")
    how = f"The {many} {'are' if n != 1 else 'is'} kept" if good else f"The {many} drift"
    between = f" at the steps, {rough(worst)} between them" if at_steps != worst else ""
    return Verdict(good, short, Html(f"{how}: violated by at most {rough(at_steps)}{between}."))


def end_verdict(motion: Motion) -> Verdict:
    return Verdict(motion.success, text(motion.message), text(f"{motion.message}."))


def verdicts(motion: Motion) -> list[Verdict]:
    found = [end_verdict(motion)]
    if len(motion.t):
        found.append(energy_verdict(motion))
        if motion.constraint_names:
            found.append(constraints_verdict(motion))
    return found
