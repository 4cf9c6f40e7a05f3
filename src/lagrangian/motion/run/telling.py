"""What a run says of joints whose modes change: they meet and leave their limits, slip, come to rest, reverse."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from lagrangian.motion.events import Happening
from lagrangian.motion.system.inputs import HELD, HIGH, LOW, STUCK, WAY

if TYPE_CHECKING:
    from lagrangian.motion.run.run import Run

# a rest of no more than this part of the time is none
INSTANT = 1e-9


def meets(run: Run, speed: int, side: int) -> str:
    return f"{run.dyn.mechanism.speed_names[speed]} meets its {'lower' if side == LOW else 'upper'} limit"


@dataclass(frozen=True)
class Rest:
    """A joint that has come to rest: what was said of it, and which way it had slipped."""

    happening: Happening
    way: float


class Before:
    """A run before something changes modes at one instant; `tell` says afterwards what changed."""

    def __init__(self, run: Run) -> None:
        self.modes, nq = run.modes.table(run.supply.u).copy(), run.system.nq
        self.q, self.qd = run.y[:nq].copy(), run.y[nq:].copy()

    def tell(self, run: Run, quiet: Collection[int] = ()) -> None:
        """Say what has changed; of the speeds in `quiet` all has been said."""
        modes, table = run.modes, run.modes.table(run.supply.u)
        for j in np.flatnonzero((table != self.modes).any(axis=1)).tolist():
            before, after = self.modes[j], table[j]
            speed, disc = modes.system.holdable[j].speed, modes.system.holdable[j].disc
            if speed in quiet or (disc and speed != disc[0]) or _locked(before) or _locked(after):
                continue
            if _rests(before) and not _rests(after):
                side = next((what for what in (LOW, HIGH) if before[what] > 0.5), 0) or modes.touches(run.supply.u, run.y)[j]
                if side:
                    self.say(run, f"{modes.name(j)} leaves its {'lower' if side == LOW else 'upper'} limit")
                elif not self._was_an_instant(run, speed, float(after[WAY]), bool(disc)):
                    self.say(run, f"{modes.name(j)} slips")
            elif after[STUCK] > 0.5 and not _rests(before):
                run.rests[speed] = Rest(self.say(run, f"{modes.name(j)} comes to rest"), float(before[WAY]))
            elif before[WAY] * after[WAY] < 0 and not disc:
                self.say(run, f"{modes.name(j)} reverses")

    def say(self, run: Run, name: str) -> Happening:
        run.trajectory.happenings.append(Happening(name, run.t, self.q, self.qd))
        return run.trajectory.happenings[-1]

    def _was_an_instant(self, run: Run, speed: int, way: float, disc: bool) -> bool:
        """Whether a joint that slips had come to rest only just now: then it went on, or turned back, and did not rest."""
        rest = run.rests.pop(speed, None)
        if rest is None or run.t - rest.happening.t > INSTANT * max(1.0, abs(run.t)):
            return False
        run.trajectory.happenings[:] = [x for x in run.trajectory.happenings if x is not rest.happening]
        if rest.way * way < 0 and not disc:
            self.say(run, f"{run.modes.name(run.modes.number(speed))} reverses")
        return True


def _rests(mode: np.ndarray) -> bool:
    return bool(max(mode[STUCK], mode[LOW], mode[HIGH]) > 0.5)


def _locked(mode: np.ndarray) -> bool:
    return bool(mode[HELD] > 0.5) and not _rests(mode)
