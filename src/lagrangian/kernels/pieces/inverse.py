"""Inverse dynamics of one state in pieces."""

from __future__ import annotations

from lagrangian.algorithms.inverse_dynamics import INVERSE_DYNAMICS
from lagrangian.algorithms.inverse_pieces import INVERSE_IN_PIECES
from lagrangian.kernels.llvm.builder import Array, Builder
from lagrangian.kernels.pieces import runs
from lagrangian.kernels.pieces.phases import Phases
from lagrangian.kernels.pieces.plan import Cost


class Inverse(Phases):
    """Each piece's own motion, then its wrenches, then its torques."""

    algorithm = INVERSE_DYNAMICS
    lanes_algorithm = INVERSE_IN_PIECES
    at_runs = ("motions", "wrenches")
    work = runs.INVERSE
    halved = False
    cost = Cost(step=28.0, link=10.0, piece=100.0, rest=300.0)

    def records(self) -> dict[str, int]:
        count = self.w * len(self.plan.groups)
        return {
            "relative": count * runs.RELATIVE_MOTION,
            "motions": count * runs.MOVED,
            "own": count * 6,
            "tip_wrenches": count * 6,
        }

    def phases(self, b: Builder, rows: dict[str, Array]) -> None:
        with self.with_helpers(b):
            self.all_groups(b, 0)
            self.over_items(b, 0, rows)
            self.all_groups(b, 1)
            self.over_items(b, 1, rows)
            self.all_groups(b, 2)

    def move(self, b: Builder, rows: dict[str, Array], group: Array, numbers: Array) -> None:
        """How the tip of each piece moves against its base."""
        self.take_sines(b, rows, group)
        self.gather(b, rows, group, [0])
        self.call_lanes(b, 0, group)
        self.take(b, numbers, "relative", runs.RELATIVE_MOTION, runs.RELATIVE_MOTION)

    def weigh(self, b: Builder, rows: dict[str, Array], group: Array, numbers: Array) -> None:
        """What each piece needs by itself."""
        self.gather(b, rows, group, [1, 2])
        self.give(b, numbers, "motions", runs.MOVED)
        self.call_lanes(b, 1, group)
        self.call_lanes(b, 2, group)
        self.take(b, numbers, "own", 6, 6)

    def push(self, b: Builder, rows: dict[str, Array], group: Array, numbers: Array) -> None:
        """The torques of its joints."""
        self.gather(b, rows, group, [3])
        self.give(b, numbers, "tip_wrenches", 6)
        self.call_lanes(b, 3, group)
        self.scatter(b, group)

    of_groups = (move, weigh, push)
