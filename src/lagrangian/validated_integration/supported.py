"""Checks that a mechanism and its motion have proven digits: equations must be smooth, joints a tree, and limits not reached."""

from __future__ import annotations

import math
from typing import Any

from flint import arb

from lagrangian.algorithms import tree as trees
from lagrangian.algorithms.singular_mass import undetermined_joints
from lagrangian.errors import ArgumentError, ArgumentName, MechanismPart, SimulationError
from lagrangian.model.mechanism import Mechanism
from lagrangian.model.spring import Wall
from lagrangian.motion.torque import Torque
from lagrangian.validated_integration.tube import Tube

PIECE_COUNTS = (4, 16, 64)  # into which a step is divided, until no limit can be reached in any
SMOOTH_ONLY = "certify is for smooth mechanisms without loops"


def check_supported(mechanism: Mechanism, torque: Torque) -> None:
    """Refuse a mechanism that certify cannot do, and name the part that is in the way."""
    for loop in mechanism.loops:
        raise _refusal(mechanism, MechanismPart("loop", loop.name), "it closes a loop", f"{SMOOTH_ONLY}; use simulate")
    for constraint in mechanism.constraints:
        raise _refusal(
            mechanism, MechanismPart("constraint", constraint.name), "it is a constraint", f"{SMOOTH_ONLY}; use simulate"
        )
    for spring in mechanism.springs:
        if isinstance(spring, Wall):
            raise _refusal(
                mechanism, MechanismPart("wall", spring.name), "its force is not smooth where it is touched", SMOOTH_ONLY
            )
        if float(getattr(spring, "slack", 0)):
            raise _refusal(
                mechanism, MechanismPart("spring", spring.name), "its force is not smooth where its slack ends", SMOOTH_ONLY
            )
    for joint in mechanism.joints:
        if any(float(x) for x in joint.friction.breakaway):  # which is never less than Coulomb friction
            reason = "its dry friction jumps where the joint turns back"
            raise _refusal(
                mechanism,
                MechanismPart("joint", joint.name),
                reason,
                f"{SMOOTH_ONLY}; leave out coulomb and static, or use simulate",
            )
        if joint.kind.quaternion and float(joint.spring.stiffness):
            reason = "its spring's torque jumps where it has made half a turn"
            raise _refusal(
                mechanism, MechanismPart("joint", joint.name), reason, f"{SMOOTH_ONLY}; leave the spring out, or use simulate"
            )
    for event in mechanism.events:
        reason = "what happens at an event is not smooth"
        raise _refusal(mechanism, MechanismPart("event", event.name), reason, "leave events out: mechanism.replace(events=())")
    massless = undetermined_joints(trees.build_tree(mechanism))
    if massless:
        reason = "the bodies that it moves have no inertia along it, so that its acceleration is not determined"
        raise _refusal(
            mechanism, MechanismPart("joint", massless[0]), reason, "give them a mass and an inertia, or give the joint a rotor"
        )
    _check_torque(torque)


def _check_torque(torque: Torque) -> None:
    formulas = "give expressions, such as {'theta1': '2*sin(t)'}, or numbers"
    if torque.traced is not None or torque.called is not None:
        raise ArgumentError("is a Python function, which has no bounds", argument="torque", remedy=formulas)
    if torque.table is not None:
        raise ArgumentError("is a table, which is not smooth at its rows", argument="torque", remedy=formulas)
    if torque.sampled is not None:
        raise ArgumentError("is a sampled controller, whose torques jump", argument="torque", remedy=formulas)
    for wrench in torque.wrenches:
        if wrench.called is not None:
            reason = f"on {wrench.frame.name!r} is a Python function, which has no bounds"
            raise ArgumentError(reason, argument="wrenches", remedy="give six numbers or expressions")


def _refusal(mechanism: Mechanism, part: MechanismPart, reason: str, remedy: str) -> ArgumentError:
    return ArgumentError(reason, where=(mechanism.name, part), remedy=remedy, concerns="mechanism")


class LimitCheck:
    """The joints' limits, which a proven motion must not reach."""

    def __init__(self, mechanism: Mechanism) -> None:
        self.mechanism = mechanism
        self._bounds: list[tuple[int, str, float, float]] = []
        index = 0
        for joint in mechanism.joints:
            low, high = float(joint.limits.lower), float(joint.limits.upper)
            for k in range(joint.kind.nq):
                if math.isfinite(low) or math.isfinite(high):
                    self._bounds.append((index + k, joint.coordinate_names[k], low, high))
            index += joint.kind.nq

    def check(self, tube: Tube) -> None:
        """Raise an error unless a step is within the limits for certain, in more and more pieces."""
        if not self._bounds:
            return
        coordinate = ""
        for pieces in PIECE_COUNTS:
            coordinate = next((name for _, box in tube.boxes(pieces) for name in self._reachable_limits(box)), "")
            if not coordinate:
                return
        raise SimulationError(
            f"{self.mechanism.name}: after t = {float(arb(tube.t)):.6g} s it cannot be excluded that {coordinate} reaches its "
            f"limit, and what happens there is not smooth; choose an earlier time, or ignore the limits by "
            f"{ArgumentName('limits', False)}"
        )

    def _reachable_limits(self, box: list[Any]) -> list[str]:
        return [name for k, name, low, high in self._bounds if not low < box[k] < high]
