"""What a page computes: the run of a motion, as far as it can be compiled whole.

What dry friction does at rest, and what joints do at their limits, is decided between two calls of compiled code: by Python in
`motion.run`, in a page by JavaScript, for mechanisms without loops. With loops dry friction is not computed, and a motion ends
where a joint reaches its limit. Python functions, and events that change something, are not computed either.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from lagrangian.errors import LagrangianError
from lagrangian.model.event import Event
from lagrangian.model.expression import symbol
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


class NotComputable(LagrangianError):
    """A page cannot compute this motion; the text says why. It plays the motion that was recorded."""


@dataclass(frozen=True)
class Subject:
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
        """The state at the beginning."""
        trajectory = self.motion.trajectory
        assert trajectory is not None
        found: np.ndarray = trajectory.segments[0].steps[0, 2:]
        return found


def subject_of(motion: Motion) -> Subject:
    """What there is to compute of a motion; `NotComputable` if it is not all compiled."""
    trajectory, mechanism = motion.trajectory, motion.mechanism
    if trajectory is None or mechanism is None or not trajectory.segments:
        raise NotComputable("this motion was not simulated: only its rows are known, not the options of the run")
    system = trajectory.segments[0].solver.system
    torque, settings = trajectory.supply.source, trajectory.settings
    if trajectory.stiff_since is not None:
        raise NotComputable("its integrator was changed during the run, because the motion is stiff")
    if system.large:
        raise NotComputable(f"{mechanism.name} is too large for a page")
    if settings.rank:
        raise NotComputable("it begins in a singular configuration")
    if not settings.method.adaptive and settings.step is None:
        raise NotComputable("its integrator has no error estimate")
    _refuse_functions(torque)
    events = [_watched(entry.event) for entry in system.table.entries if isinstance(entry, Watched)]
    torque = replace(torque, adjustable=False)
    if settings.off_constraint:
        raise NotComputable("it begins off its constraints")
    span = (motion.first, float(trajectory.supply.end))
    if not mechanism.equations:
        _refuse_unusual(system)
        return Subject(motion, mechanism, torque, settings, span, tuple(events), system.holdable, system)
    _refuse_dry_friction(mechanism)
    limits = _limit_events(mechanism, trajectory) if settings.limits else []
    return Subject(motion, mechanism, torque, settings, span, (*events, *limits), (), system)


def _refuse_unusual(system: System) -> None:
    """What JavaScript does not decide of joints that can be held."""
    for h in system.holdable:
        name = system.mechanism.speed_names[h.speed]
        if h.disc:
            raise NotComputable(f"there is dry friction in a plane at {name}, which needs Python")
        if h.lockable:
            raise NotComputable(f"{name} is locked during the run, which needs Python")


def _refuse_dry_friction(mechanism: Mechanism) -> None:
    rubbing = frictional(mechanism)
    if rubbing:
        names = [mechanism.speed_names[h.speed] for h in rubbing]
        raise NotComputable(f"there is dry friction at {', '.join(names[:6])} of a mechanism with loops, which needs Python")


def _refuse_functions(torque: Torque) -> None:
    if any(wrench.called is not None for wrench in torque.wrenches):
        raise NotComputable("a Python function gives a wrench")


def _watched(event: Event) -> Event:
    if callable(event.when):
        raise NotComputable(f"the event {event.name!r} is a Python function")
    if event.action not in ("record", "stop", RESTART):
        raise NotComputable(f"the event {event.name!r} changes the mechanism, which needs Python")
    return event


def _limit_events(mechanism: Mechanism, trajectory: Trajectory) -> list[Event]:
    """Where joints reach their limits, those that begin within them."""
    found, y0, limits = [], trajectory.segments[0].steps[0, 2:], limited(mechanism)
    speed = 0
    for joint in mechanism.joints:
        limit = limits.get(speed)
        speed += joint.kind.nv
        if limit is None or outside(y0[limit.coordinate], limit.lower, limit.upper):
            continue
        if limit.leaves_no_room:
            raise NotComputable(f"{joint.name} is locked: its limits leave it no room")
        name = mechanism.coordinate_names[limit.coordinate]
        for bound, direction in ((joint.limits.lower, "falling"), (joint.limits.upper, "rising")):
            if np.isfinite(float(bound)):
                event = Event(symbol(name) - bound, "stop", direction, f"{name} reaches its limit of {float(bound):.6g}")
                found.append(event)
    return found
