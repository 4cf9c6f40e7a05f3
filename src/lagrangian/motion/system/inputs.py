"""What Python may change of a run while it goes: torques and wrenches from outside, and whether joints are held that can be."""

from __future__ import annotations

from dataclasses import dataclass

# What u says of a joint that can be held: whether it has no freedom (HELD), whether it is at rest by dry friction (STUCK) or
# at a stop (LOW, HIGH); the constant friction on it where no equation holds it (SLIP), the way it slips (WAY, 1 or -1), and the
# speed that it may have the other way, or at rest, or the force by which its stop may pull, before that is an event (ALLOWED).
HELD, STUCK, LOW, HIGH, SLIP, WAY, ALLOWED = range(7)
PER_JOINT = 7


@dataclass(frozen=True)
class Inputs:
    """The layout of u."""

    nv: int
    holdable: int
    wrenches: int = 0

    @property
    def rate(self) -> int:
        return self.nv

    @property
    def since(self) -> int:
        return 2 * self.nv

    @property
    def torque_function(self) -> int:
        return 2 * self.nv + 1

    @property
    def event_function(self) -> int:
        return 2 * self.nv + 2

    @property
    def added(self) -> int:
        """Torques that events set, besides all others."""
        return 2 * self.nv + 3

    @property
    def decided(self) -> int:
        """The time at which functions of time alone that jump are decided: see `model.expression.functions.DECISION_TIME`."""
        return 3 * self.nv + 3

    @property
    def wrench(self) -> int:
        """The six entries of every wrench that a Python function gives."""
        return 3 * self.nv + 4

    def joint(self, j: int) -> int:
        return self.wrench + 6 * self.wrenches + PER_JOINT * j

    @property
    def data(self) -> int:
        """Addresses of the arrays of a large mechanism."""
        return self.joint(self.holdable)

    @property
    def numbers(self) -> int:
        """The address of the numbers of the description, and of what was prepared from them."""
        return self.data + 3

    @property
    def size(self) -> int:
        return self.data + 4
