"""What a page computes: the run of a motion, as far as it can be compiled whole, and the state in which it begins.

What dry friction does at rest, and what joints do at their limits, is decided between two calls of compiled code: by Python in
`motion.run`, in a page by JavaScript, for mechanisms without loops. With loops dry friction is not computed, and a motion ends
where a joint reaches its limit. Python functions, and events that change something, are not computed either.

`PageStart` says where a page's motion begins: as the description says, or as the motion did, and which coordinates are fixed
while loops are closed.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from lagrangian.configuration.coordinates import single_coordinates
from lagrangian.configuration.speeds import actuated_speeds
from lagrangian.configuration.start import Start, as_dynamics
from lagrangian.errors import LagrangianError
from lagrangian.model.event import Event
from lagrangian.model.expression import parameters, symbol
from lagrangian.model.expression.scalar import NumberWithSource
from lagrangian.model.initial_state import PartialState
from lagrangian.model.mechanism import Mechanism
from lagrangian.motion.events import RESTART
from lagrangian.motion.motion import Motion
from lagrangian.motion.settings import Settings
from lagrangian.motion.system.event_table import EventTable, Watched
from lagrangian.motion.system.holdable import Holdable, frictional, limited, outside
from lagrangian.motion.system.system import System
from lagrangian.motion.torque import Torque

if TYPE_CHECKING:
    from lagrangian.motion.run.trajectory import Trajectory


SAME_START_TOLERANCE = 1e-12


class NotComputableError(LagrangianError):
    """A page cannot compute this motion, for the reason in the text; it plays the recorded motion instead."""


@dataclass(frozen=True)
class PageMotion:
    """The mechanism of a motion, what drives it, how it is integrated, and the events that are watched."""

    motion: Motion
    mechanism: Mechanism
    torque: Torque
    settings: Settings
    span: tuple[float, float]  # the times that were asked for: an event may have stopped the run before
    events: tuple[Event, ...]
    holdable: tuple[Holdable, ...]  # joints with dry friction or limits, which may stand still
    system: System  # that of the run itself

    @property
    def table(self) -> EventTable:
        return EventTable(self.events, self.holdable)

    @property
    def start(self) -> np.ndarray:
        """The initial state of the motion."""
        trajectory = self.motion.trajectory
        assert trajectory is not None
        first_state: np.ndarray = trajectory.segments[0].steps[0, 2:]
        return first_state


def as_page_motion(motion: Motion) -> PageMotion:
    """The motion as a page can compute it; a `NotComputableError` if it is not all compiled."""
    trajectory, mechanism = motion.trajectory, motion.mechanism
    if trajectory is None or mechanism is None or not trajectory.segments:
        raise NotComputableError("this motion was not simulated: only its rows are known, not the options of the run")
    system = trajectory.segments[0].solver.system
    torque, settings = trajectory.supply.source, trajectory.settings
    if trajectory.stiff_since is not None:
        raise NotComputableError("its integrator was changed during the run, because the motion is stiff")
    if system.large:
        raise NotComputableError(f"{mechanism.name} is too large for a page")
    if settings.rank:
        raise NotComputableError("it begins in a singular configuration")
    if not settings.method.adaptive and settings.step is None:
        raise NotComputableError("its integrator has no error estimate")
    _refuse_functions(torque)
    events = [_computable_event(entry.event) for entry in system.table.entries if isinstance(entry, Watched)]
    torque = replace(torque, adjustable=False)
    if settings.off_constraint:
        raise NotComputableError("it begins off its constraints")
    span = (motion.first, float(trajectory.supply.end))
    if not mechanism.equation_count:
        _refuse_unusual(system)
        return PageMotion(motion, mechanism, torque, settings, span, tuple(events), system.holdable, system)
    _refuse_dry_friction(mechanism)
    limits = _limit_events(mechanism, trajectory) if settings.limits else []
    return PageMotion(motion, mechanism, torque, settings, span, (*events, *limits), (), system)


def _refuse_functions(torque: Torque) -> None:
    if any(wrench.called is not None for wrench in torque.wrenches):
        raise NotComputableError("a Python function gives a wrench")


def _computable_event(event: Event) -> Event:
    if callable(event.when):
        raise NotComputableError(f"the event {event.name!r} is a Python function")
    if event.action not in ("record", "stop", RESTART):
        raise NotComputableError(f"the event {event.name!r} changes the mechanism, which needs Python")
    return event


def _refuse_unusual(system: System) -> None:
    """Raise an error for holdable joints whose behaviour JavaScript does not decide."""
    for h in system.holdable:
        name = system.mechanism.speed_names[h.speed]
        if h.disc:
            raise NotComputableError(f"there is dry friction in a plane at {name}, which needs Python")
        if h.lockable:
            raise NotComputableError(f"{name} is locked during the run, which needs Python")


def _refuse_dry_friction(mechanism: Mechanism) -> None:
    frictional_joints = frictional(mechanism)
    if frictional_joints:
        names = [mechanism.speed_names[h.speed] for h in frictional_joints]
        raise NotComputableError(f"there is dry friction at {', '.join(names[:6])} of a mechanism with loops, which needs Python")


def _limit_events(mechanism: Mechanism, trajectory: Trajectory) -> list[Event]:
    """Events at which joints reach their limits, for joints that begin within them."""
    events, y0, limits = [], trajectory.segments[0].steps[0, 2:], limited(mechanism)
    speed = 0
    for joint in mechanism.joints:
        limit = limits.get(speed)
        speed += joint.kind.nv
        if limit is None or outside(y0[limit.coordinate], limit.lower, limit.upper):
            continue
        if limit.leaves_no_room:
            raise NotComputableError(f"{joint.name} is locked: its limits leave it no room")
        name = mechanism.coordinate_names[limit.coordinate]
        for bound, direction in ((joint.limits.lower, "falling"), (joint.limits.upper, "rising")):
            if np.isfinite(float(bound)):
                event = Event(symbol(name) - bound, "stop", direction, f"{name} reaches its limit of {float(bound):.6g}")
                events.append(event)
    return events


@dataclass(frozen=True)
class PageStart:
    """Where a page's motion begins.

    `is_described` says that the motion began as the description has it; `described_entries` are the entries of the state that
    the description gives, as scalars by their places. A start that `closes_by_itself` closes the loops whatever the parameters
    are; else `fixed_coordinates` keep their values, and the others are reached from where the motion began.
    """

    is_described: bool
    closes_by_itself: bool
    described_entries: dict[int, Any]
    fixed_coordinates: tuple[str, ...]
    fixed_speeds: tuple[str, ...]  # speeds that are given, where not all of them are
    finds_speeds: bool = False  # whether the others are found anew

    @staticmethod
    def from_motion(subject: PageMotion) -> PageStart:
        mechanism = subject.mechanism
        places = single_coordinates(mechanism)
        if not _begins_as_described(subject):
            leading = tuple(j.name for j in mechanism.joints if j.actuated and j.name in places)
            return PageStart(False, not mechanism.equation_count, {}, leading if mechanism.equation_count else (), ())
        q, qd, nq = mechanism.initial.q, mechanism.initial.qd, mechanism.nq
        described_entries = {k: x for k, x in enumerate(q or ()) if _is_given(q, mechanism.coordinate_names[k])}
        described_entries |= {nq + k: x for k, x in enumerate(qd or ()) if _is_given(qd, mechanism.speed_names[k])}
        fixed_coordinates = tuple(name for name in q.given_names if name in places) if isinstance(q, PartialState) else ()
        fixed_speeds = tuple(qd.given_names) if isinstance(qd, PartialState) else ()
        finds_speeds = bool(mechanism.equation_count) and (qd is None or isinstance(qd, PartialState))
        return PageStart(True, _closes_by_itself(mechanism), described_entries, fixed_coordinates, fixed_speeds, finds_speeds)

    def to_dict(self, mechanism: Mechanism) -> dict[str, Any]:
        single, names = single_coordinates(mechanism), mechanism.coordinate_names
        places = [single[name] for name in self.fixed_coordinates]
        speeds = [mechanism.speed_names.index(name) for name in self.fixed_speeds]
        described_places = (
            [k for k in self.described_entries if k < mechanism.nq and names[k] not in single] if self.is_described else []
        )
        return {
            "is_described": self.is_described,
            "closes_by_itself": self.closes_by_itself,
            "fixed_coordinates": [list(x) for x in places],
            "described_coordinates": described_places,
            "fixed_speeds": speeds,
            "finds_speeds": self.finds_speeds,
            "actuated_speeds": [mechanism.speed_names.index(name) for name in actuated_speeds(mechanism)],
        }


def _begins_as_described(subject: PageMotion) -> bool:
    """Whether the motion began at the mechanism's own start."""
    motion, nq = subject.motion, subject.mechanism.nq
    try:
        start = Start(as_dynamics(subject.mechanism), None, motion.first)
        q, qd = start.q, start.speeds()
    except LagrangianError:
        return False
    y = subject.start
    return bool(
        np.abs(q - y[:nq]).max(initial=0.0) < SAME_START_TOLERANCE and np.abs(qd - y[nq:]).max(initial=0.0) < SAME_START_TOLERANCE
    )


def _is_given(row: Any, name: str) -> bool:
    return name in row.given_names if isinstance(row, PartialState) else True


def _closes_by_itself(mechanism: Mechanism) -> bool:
    """Whether the start closes the loops for all parameters; a start in numbers is right for its author's lengths only."""
    q = mechanism.initial.q
    if not mechanism.equation_count:
        return True
    return (
        q is not None
        and not isinstance(q, PartialState)
        and any(isinstance(x, NumberWithSource) and parameters(x.source) for x in q)
    )
