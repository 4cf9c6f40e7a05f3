"""Forward dynamics of one state in pieces."""

from __future__ import annotations

from collections.abc import Callable

from lagrangian.algorithms.forward_dynamics import FORWARD_DYNAMICS
from lagrangian.algorithms.pieces import FORWARD_IN_PIECES
from lagrangian.kernels.llvm.builder import Array, Builder
from lagrangian.kernels.pieces import runs
from lagrangian.kernels.pieces.phases import Phases, without_denormals
from lagrangian.kernels.pieces.plan import Cost

AGREED = 1e-10  # of the largest acceleration: a difference beyond which pieces do not agree about what they share


class Forward(Phases):
    """Each piece becomes a node; these are joined; what they share is handed back."""

    algorithm = FORWARD_DYNAMICS
    lanes_algorithm = FORWARD_IN_PIECES
    at_runs = ("speeds", "inertia", "accelerations")
    work = runs.FORWARD
    halved = True
    cost = Cost(step=80.0, link=36.0, piece=350.0, rest=800.0)

    def records(self) -> dict[str, int]:
        plan = self.plan
        count, nodes = self.w * len(plan.groups), plan.nodes + 2 * len(plan.runs)
        return {
            "spans": count * runs.TURN,
            "speeds": nodes * 3,
            "nodes": nodes * runs.RECORD,
            "states": nodes * runs.STATE,
            "tips": count * 6,
        }

    def phases(self, b: Builder, rows: dict[str, Array]) -> None:
        restore = without_denormals(b)
        with self.with_helpers(b):
            self.all_groups(b, 0)
            self.over_items(b, 0, rows)
            self.all_groups(b, 1)
            self.each_run(b, "weigh_all")
            self.call_function(b, "join_all", self.table["joints"], self.at["nodes"])
            self.over_items(b, 1, rows)
            self.over_items(b, 2, rows)
            self.call_function(b, "share_all", self.table["joints"], self.at["nodes"], self.at["states"])
            self.all_groups(b, 2)
        restore()
        self.compare(b)

    def quietly(self, b: Builder) -> Callable[[], None]:
        return without_denormals(b)

    def turn(self, b: Builder, rows: dict[str, Array], group: Array, numbers: Array) -> None:
        """How each piece is turned."""
        self.take_sines(b, rows, group)
        self.gather(b, rows, group, [0])
        self.call_lanes(b, 0, group)
        self.take(b, numbers, "spans", runs.TURN, runs.TURN)

    def articulate(self, b: Builder, rows: dict[str, Array], group: Array, numbers: Array) -> None:
        """Each piece as a node."""
        self.gather(b, rows, group, [1, 2])
        self.give(b, numbers, "speeds", 3)
        self.call_lanes(b, 1, group)
        self.call_lanes(b, 2, group)
        self.take(b, numbers, "nodes", runs.ENDS, runs.RECORD)

    def accelerate(self, b: Builder, rows: dict[str, Array], group: Array, numbers: Array) -> None:
        """The accelerations of the joints of each piece."""
        self.gather(b, rows, group, [3])
        self.give(b, numbers, "speeds", 3)
        self.give(b, numbers, "states", runs.STATE, first=3)
        self.call_lanes(b, 3, group)
        self.take(b, numbers, "tips", 6, 6, first=3)
        self.scatter(b, group)

    of_groups = (turn, articulate, accelerate)

    def compare(self, b: Builder) -> None:
        """Leave with -1 if pieces do not agree about the accelerations between them."""
        values = self.at["values"]
        b.each(4, lambda j: values.__setitem__(j, 0.0))
        self.each_run(b, "disagreement")
        agreed = (values[0] <= values[2] * AGREED) & (values[1] <= values[3] * AGREED)
        with b.when(~agreed):
            b.leave(-1)
