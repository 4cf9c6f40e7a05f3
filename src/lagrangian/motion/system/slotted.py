"""What acts on a mechanism, and what is watched, with slots for its numbers: gains, limits, friction, thresholds.

Other values of them need no other code: see `algorithms.structure`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from lagrangian.algorithms.structure import SlotNumbers, with_slots
from lagrangian.model.event import EventCondition, SwitchCondition
from lagrangian.model.expression import Expression, Scalar, call, sqrt
from lagrangian.model.frame import Frame
from lagrangian.model.mechanism import Mechanism
from lagrangian.model.vector import dot
from lagrangian.motion.system.event_table import EventTable, Watched
from lagrangian.motion.system.holdable import Holdable
from lagrangian.motion.torque import Torque
from lagrangian.motion.wrench import Wrench

NO_FORCE = 1e-9  # as a part of the weight


@dataclass(frozen=True)
class Slotted:
    """Expressions and numbers with slots."""

    formulas: dict[str, Scalar]
    wrenches: tuple[Wrench, ...]
    efforts: dict[int, Scalar]  # what bounds the torque of every speed that is bounded
    holdable: tuple[Holdable, ...]
    when: dict[int, EventCondition]  # of events by their numbers
    no_force: Scalar  # what rounding may leave of a force

    @staticmethod
    def of(
        mechanism: Mechanism, torque: Torque, holdable: Sequence[Holdable], table: EventTable, numbers: SlotNumbers
    ) -> Slotted:
        return Slotted(
            formulas={speed: numbers.scalar(x) for speed, x in torque.formulas.items()},
            wrenches=tuple(_wrench(w, numbers) for w in torque.wrenches),
            efforts={k: numbers.scalar(x) for k, x in _efforts(mechanism).items()} if torque.saturate else {},
            holdable=tuple(_holdable(h, numbers) for h in holdable),
            when={
                k: _when(entry.event.when, numbers)
                for k, entry in enumerate(table.compiled)
                if isinstance(entry, Watched) and not callable(entry.event.when)
            },
            no_force=numbers.scalar(no_force(mechanism) if table.has_contacts else 0.0),
        )


def no_force(mechanism: Mechanism) -> Scalar:
    """What rounding may leave of a force, by the weight of all bodies."""
    mass: Scalar = 0.0
    for body in mechanism.bodies:
        mass = mass + body.mass
    return NO_FORCE * mass * call("max", 1.0, sqrt(dot(mechanism.gravity, mechanism.gravity)))


def _efforts(mechanism: Mechanism) -> dict[int, float]:
    efforts = [joint.limits.effort for joint in mechanism.joints for _ in range(joint.kind.nv)]
    return {k: x for k, x in enumerate(efforts) if math.isfinite(x)}


def _wrench(given: Wrench, numbers: SlotNumbers) -> Wrench:
    frame: Frame = with_slots(given.frame, placement=numbers.placement(given.frame.placement))
    return Wrench(frame, tuple(numbers.scalar(x) for x in given.entries), given.called)


def _holdable(given: Holdable, numbers: SlotNumbers) -> Holdable:
    def both(pair: tuple[float, float] | None) -> Any:
        return None if pair is None else tuple(numbers.scalar(x) for x in pair)

    made: Holdable = with_slots(
        given,
        friction=both(given.friction),
        static=both(given.static),
        lower=numbers.scalar(given.lower),
        upper=numbers.scalar(given.upper),
    )
    return made


def _when(when: EventCondition, numbers: SlotNumbers) -> EventCondition:
    if isinstance(when, SwitchCondition):
        return SwitchCondition(numbers.scalar(when.argument))
    return numbers.scalar(when) if isinstance(when, (int, float, Expression)) else when
