"""What has no proven digits: everything whose equations are not smooth, or that is not a tree of joints."""

from __future__ import annotations

import math
from typing import Any

from flint import arb

from lagrangian.algorithms import tree as trees
from lagrangian.algorithms.undetermined import undetermined_joints
from lagrangian.errors import Argument, ArgumentError, Part, SimulationError
from lagrangian.model.loop import Wall
from lagrangian.model.mechanism import Mechanism
from lagrangian.motion.torque import Torque
from lagrangian.proven_digits.tube import Tube

PIECES = (4, 16, 64)  # in which a step is seen
SMOOTH = "certify is for smooth mechanisms without loops"


def check(mechanism: Mechanism, torque: Torque) -> None:
    """Refuse what certify cannot do, and say where it is."""
    for loop in mechanism.loops:
        raise _refused(mechanism, Part("loop", loop.name), "it closes a loop", f"{SMOOTH}; use simulate")
    for constraint in mechanism.constraints:
        raise _refused(mechanism, Part("constraint", constraint.name), "it is a constraint", f"{SMOOTH}; use simulate")
    for spring in mechanism.springs:
        if isinstance(spring, Wall):
            raise _refused(mechanism, Part("wall", spring.name), "its force is not smooth where it is touched", SMOOTH)
        if float(getattr(spring, "slack", 0)):
            raise _refused(mechanism, Part("spring", spring.name), "its force is not smooth where its slack ends", SMOOTH)
    for joint in mechanism.joints:
        if any(float(x) for x in joint.friction.breakaway):  # which is never less than Coulomb friction
            told = "its dry friction jumps where the joint turns back"
            raise _refused(mechanism, Part("joint", joint.name), told, f"{SMOOTH}; leave out coulomb and static, or use simulate")
        if joint.kind.quaternion and float(joint.spring.stiffness):
            told = "its spring's torque jumps where it has made half a turn"
            raise _refused(mechanism, Part("joint", joint.name), told, f"{SMOOTH}; leave the spring out, or use simulate")
    for event in mechanism.events:
        told = "what happens at an event is not smooth"
        raise _refused(mechanism, Part("event", event.name), told, "leave events out: mechanism.replace(events=())")
    massless = undetermined_joints(trees.build(mechanism))
    if massless:
        told = "the bodies that it moves have no inertia along it, so that its acceleration is not determined"
        raise _refused(mechanism, Part("joint", massless[0]), told, "give them a mass and an inertia, or give the joint a rotor")
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
            told = f"on {wrench.frame.name!r} is a Python function, which has no bounds"
            raise ArgumentError(told, argument="wrenches", remedy="give six numbers or expressions")


def _refused(mechanism: Mechanism, part: Part, what: str, remedy: str) -> ArgumentError:
    return ArgumentError(what, where=(mechanism.name, part), remedy=remedy, concerns="mechanism")


class Stops:
    """The joints' limits, which a proven motion must not reach."""

    def __init__(self, mechanism: Mechanism) -> None:
        self.mechanism = mechanism
        self._bounds: list[tuple[int, str, float, float]] = []
        at = 0
        for joint in mechanism.joints:
            low, high = float(joint.limits.lower), float(joint.limits.upper)
            for k in range(joint.kind.nq):
                if math.isfinite(low) or math.isfinite(high):
                    self._bounds.append((at + k, joint.coordinate_names[k], low, high))
            at += joint.kind.nq

    def watch(self, tube: Tube) -> None:
        """Whether a step is within the limits for sure, seen in more and more pieces."""
        if not self._bounds:
            return
        reached = ""
        for pieces in PIECES:
            reached = next((name for _, box in tube.boxes(pieces) for name in self._reached(box)), "")
            if not reached:
                return
        raise SimulationError(
            f"{self.mechanism.name}: after t = {float(arb(tube.t)):.6g} s it cannot be excluded that {reached} reaches its "
            f"limit, and what happens there is not smooth; choose an earlier time, or ignore the limits by "
            f"{Argument('limits', False)}"
        )

    def _reached(self, box: list[Any]) -> list[str]:
        return [name for k, name, low, high in self._bounds if not low < box[k] < high]
