"""What a proof needs of a mechanism's constraints: their rows in closed form, and points at which they are compared."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lagrangian.equations import constraints
from lagrangian.equations.algebra.ring import Element
from lagrangian.equations.reading.system import System
from lagrangian.proof import loop_types, loops, multipliers
from lagrangian.proof.certificate import Entries
from lagrangian.proof.forward import Forward
from lagrangian.proof.points import Point, spread
from lagrangian.proof.recursions import Recursions

if TYPE_CHECKING:
    from lagrangian.proof.prove import Derived


class Closed:
    """The constraints of one system; without any, there is nothing to be proved of them."""

    def __init__(self, system: System, M: list[list[Element]], points: int) -> None:
        self.system = system
        self.rows = constraints.rows(system)
        self.holonomic = any(row.eta is not None for row in self.rows)
        self.rates = loops.Rates(system, self.rows)
        self.roots = any(length.word == "height" for length in system.scalars.lengths.values())
        self.said = loop_types.said(system)
        self.points: list[Point] = []
        self.regular: list[Point] = []
        self.nowhere = self.singular = ""
        self.unknown = loops.unknown(system)
        if self.rows:
            telling = multipliers.telling(self.rows)
            self.points, self.nowhere = spread(system, points, lambda _: "")
            if not self.unknown:
                self.regular, self.singular = spread(system, points, lambda p: multipliers.undetermined(system, M, telling, p))

    def solved(self, recursions: Recursions, given: Derived) -> Entries:
        return multipliers.Multipliers(Forward(recursions, given, self.regular), self.rows, self.regular).entries()

    def left_out(self) -> list[str]:
        """What is not proved of them, and why."""
        found = [
            f"the meaning of the multipliers of loop {loop.name!r}, because its type {loop.type!r} does not define `forces`"
            for loop in self.system.mechanism.loops
            if loop not in self.said
        ]
        found += [f"the compiled equation of constraint {name!r}, because {why} has no exact value" for name, why in self.unknown]
        if self.unknown:
            found.append("accelerations and multipliers, because they follow from it")
        for what, reason in (
            ("the compiled constraint equations", self.nowhere),
            ("accelerations and multipliers", self.singular),
        ):
            if reason:
                found.append(f"{what}, at all or some exact points: {reason}")
        return found
