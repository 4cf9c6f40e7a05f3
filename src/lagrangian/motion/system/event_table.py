"""What may happen in a run, each with its number in compiled code: the one place that knows which number stands for what."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from lagrangian.model.event import DIRECTIONS, Event, PullCondition
from lagrangian.motion.events import RESTART
from lagrangian.motion.solver.places import FEW_LOOKS, GUARD, KINK, LOOKS, STOP, TOLD
from lagrangian.motion.system.holdable import Holdable
from lagrangian.motion.system.inputs import HELD, HIGH, LOW, STUCK


@dataclass(frozen=True)
class Watched:
    """An event of the user, or of a wall."""

    event: Event

    @property
    def direction(self) -> int:
        return DIRECTIONS[self.event.direction]

    @property
    def kind(self) -> int:
        return {"record": TOLD, RESTART: KINK}.get(self.event.action, STOP) if isinstance(self.event.action, str) else STOP


@dataclass(frozen=True)
class ModeChange:
    """A joint that can be held begins or ceases to be: by friction (STUCK), at a stop (LOW, HIGH), by a lock (HELD).

    One that is at no stop meets its own.
    """

    what: int
    joint: int  # its number among those that can be held
    direction = -1
    kind = GUARD


Entry = Watched | ModeChange


class EventTable:
    """All events of a system in their order: expressions, modes of joints, and Python functions last."""

    def __init__(self, events: Sequence[Event] = (), holdable: Sequence[Holdable] = ()) -> None:
        written = [Watched(e) for e in events if not callable(e.when)]
        asked = [Watched(e) for e in events if callable(e.when)]
        modes = [ModeChange(what, j) for j, h in enumerate(holdable) for what in _changes(h)]
        self.compiled: tuple[Entry, ...] = (*written, *modes)
        self.entries: tuple[Entry, ...] = (*self.compiled, *asked)
        self.functions: list[Callable[[float, np.ndarray, np.ndarray], float]] = [
            entry.event.when for entry in asked if callable(entry.event.when)
        ]
        self.watched = [(k, entry.event) for k, entry in enumerate(self.entries) if isinstance(entry, Watched)]
        contacts = [entry for entry in written if isinstance(entry.event.when, PullCondition)]
        self.has_contacts = bool(contacts)
        self.has_forces = bool(modes) or self.has_contacts  # whether some events are told by forces
        self.looks = FEW_LOOKS if self.has_forces or self.functions else LOOKS
        self.only_contacts = len(contacts) == len(self.entries)  # which are told, and change nothing

    def __len__(self) -> int:
        return len(self.entries)

    def __getitem__(self, number: int) -> Entry:
        return self.entries[number]

    @property
    def kinds(self) -> list[tuple[int, int]]:
        """The direction that counts, and the kind, of each."""
        return [(entry.direction, entry.kind) for entry in self.entries]

    @property
    def key(self) -> tuple[object, ...]:
        """What compiled code depends on."""
        known = [entry.event.when if isinstance(entry, Watched) else entry for entry in self.compiled]
        return (*known, len(self.functions))


def _changes(h: Holdable) -> list[int]:
    """What may change of a joint that can be held. Joints whose friction acts together have one such event."""
    rubs = h.friction is not None and (not h.disc or h.speed == h.disc[0])
    found = ((STUCK, rubs), (LOW, np.isfinite(h.lower)), (HIGH, np.isfinite(h.upper)), (HELD, h.lockable))
    return [what for what, has in found if has]
