"""What is kept of many motions while they are made: where each ended and how, and rows or events if they are wanted."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field

import numpy as np

from lagrangian.motion.events import Happening
from lagrangian.motion.status import Ending, Status


@dataclass
class Kept:
    """Arrays over all motions. Those that have not been made are as if they had been interrupted at once."""

    y: np.ndarray
    t: np.ndarray
    status: np.ndarray  # of Status
    steps: np.ndarray  # accepted, rejected
    rows: np.ndarray | None
    events: dict[int, list[Happening]] | None
    extremes: np.ndarray | None  # least, greatest, and the times of each
    endings: dict[int, Ending] = field(default_factory=dict)  # of motions that did not simply reach the end
    alone: int = 0  # motions that were made one at a time
    doubtful: list[int] = field(default_factory=list)  # motions whose energy at the end is not that at the beginning

    @staticmethod
    def room(count: int, n: int, rows: int, keep: Collection[str]) -> Kept:
        """For so many motions of n numbers each, with this many rows of each."""
        return Kept(
            y=np.full((count, n), np.nan),
            t=np.full(count, np.nan),
            status=np.full(count, Status.INTERRUPTED, dtype=object),
            steps=np.zeros((count, 2), dtype=np.int64),
            rows=np.full((count, rows, n), np.nan) if rows else None,
            events={} if "events" in keep else None,
            extremes=np.full((count, 4, n), np.nan) if "extremes" in keep else None,
        )

    def ended(self, i: int, ending: Ending) -> None:
        """How a motion ended, where that is more than that it reached the end."""
        self.status[i] = ending.status
        self.endings[i] = ending
