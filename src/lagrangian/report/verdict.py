"""Whether a run can be trusted, in a sentence each."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from lagrangian.motion.motion import Motion
from lagrangian.motion.result.over_limits import limits, passed
from lagrangian.motion.result.rounding import Rounding
from lagrangian.report.html import Html, number, rough, text

INVERSE = 1e-6  # what a balance without an integrator may be off by: its work is integrated over the rows
SHOWN = 4  # limits that are told each
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
    if Rounding(motion).still:
        return Verdict(True, Html("nothing moves"), Html("Nothing moves in this run."))
    part = off / scale
    told = Html(f"off by {rough(off)} J of {number(scale, 3)} J moved")
    most = promised(motion)
    if most is None:
        return Verdict(
            None, Html(f"energy {told}"), Html(f"The energy balance is {told}. A method with a fixed step has no error control.")
        )
    good = off <= most * scale + 1e-10 * stored
    short = Html(f"energy balanced to {rough(part)}" if good else f"energy {told}")
    how = "The energy balances" if good else "The energy does not balance"
    return Verdict(good, short, Html(f"{how}: the change of energy minus all work is {told}."))


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


def limits_verdicts(motion: Motion) -> list[Verdict]:
    """One for each limit of a joint that was passed, or for many; one that all were kept, if there are any."""
    found = [str(x) for x in passed(motion)]
    if found:
        shown = found if len(found) <= SHOWN else found[: SHOWN - 1]
        more = f"{len(found) - len(shown)} more limits passed"
        told = [*shown, *([more] if len(found) > len(shown) else [])]
        return [Verdict(False, text(x), text(f"{x}.")) for x in told]
    if not any(np.isfinite(limits(motion, what)).any() for what in ("position", "speed", "effort")):
        return []
    return [Verdict(True, Html("within all limits"), Html("All joints stay within their limits of position, speed and effort."))]


def end_verdict(motion: Motion) -> Verdict:
    return Verdict(motion.success, text(motion.message), text(f"{motion.message}."))


def verdicts(motion: Motion) -> list[Verdict]:
    found = [end_verdict(motion)]
    if len(motion.t):
        found.append(energy_verdict(motion))
        if motion.constraint_names:
            found.append(constraints_verdict(motion))
        found += limits_verdicts(motion)
    return found
