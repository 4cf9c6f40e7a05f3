"""The events of a run: those of the mechanism and those that are given, with names; and what was found of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from lagrangian.errors import ArgumentError, LagrangianError, unknown_name_message
from lagrangian.model.constraint import HolonomicConstraint, RollingConstraint
from lagrangian.model.event import DEAD_CENTRE, Event, KinkCondition, PullCondition, check_action, is_action, is_dead_centre
from lagrangian.model.expression import Expression
from lagrangian.model.mechanism import Mechanism
from lagrangian.model.spring import Wall
from lagrangian.motion.torque import expression

RESTART = "restart"  # the action there: a step ends and another begins, so that none has to pass over a kink

EventFunction = Callable[[float, np.ndarray, np.ndarray], float]
EventsLike = Event | str | EventFunction | Sequence[Event | str | EventFunction] | Mapping[str, Any] | None
"""Events of a run: one or several, each an `Event` or an expression that stops the run at zero; or actions by events' names."""


@dataclass(frozen=True)
class Happening:
    """An event of a run, as it was found."""

    name: str
    t: float
    q: np.ndarray = field(repr=False)
    qd: np.ndarray = field(repr=False)


def checked(events: Any, mechanism: Mechanism) -> list[Event]:
    """The mechanism's own events, and those of `events=`, with names, and expressions read.

    A list adds events. A mapping of names changes what the mechanism's own do, and adds those whose value is an `Event`.
    """
    own = {event.name: _read(event, mechanism, 0) for event in (*mechanism.events, *of_contacts(mechanism))}
    if events is None:
        return list(own.values())
    if isinstance(events, Mapping):
        added = _changed(own, events)
    else:
        given = [events] if isinstance(events, (str, Event)) or callable(events) else events
        if not hasattr(given, "__iter__") or isinstance(given, np.ndarray):
            needed = "a list of Event(...), or a mapping of names to actions, is needed"
            raise ArgumentError(f"is {events!r}", argument="events", remedy=needed)
        added = [x if isinstance(x, Event) else Event(x, "stop") for x in given]
    found = list(own.values())
    for event in added:
        read = _read(event, mechanism, len(found) - len(own))
        if read.name in own:
            how = f"to change what it does, give a mapping: events={{{read.name!r}: 'record'}}"
            raise ArgumentError(f"{mechanism.name} already has an event {read.name!r}; {how}", concerns="events")
        found.append(read)
    for event in found:
        try:
            check_action(event.action, mechanism)
        except LagrangianError as error:
            raise ArgumentError(f"event: {error}", concerns="events") from None
    return found


def _changed(own: dict[str, Event], given: Mapping[str, Any]) -> list[Event]:
    """Give the mechanism's own events other actions; the events that the mapping adds."""
    added = []
    for name, action in given.items():
        if isinstance(action, Event):
            added.append(replace(action, name=name))
        elif name not in own:
            raise ArgumentError(unknown_name_message("event of the mechanism called", name, own), concerns="events")
        elif not is_action(action):
            needed = "'record', 'stop', Lock(...), Unlock(...), SetTorque({...}), SetPayload(...) or an Event is needed"
            raise ArgumentError(f"event {name!r}: {action!r} is given; {needed}", concerns="events")
        else:
            own[name] = replace(own[name], action=action)
    return added


def _read(event: Event, mechanism: Mechanism, number: int) -> Event:
    """With its expression read, and a name."""
    when = event.when
    if isinstance(when, PullCondition):
        return event
    if (isinstance(when, Expression) and when == DEAD_CENTRE) or (isinstance(when, str) and is_dead_centre(when)):
        when = DEAD_CENTRE  # the very one, which runs look for
    elif not callable(when):
        when = expression(when, mechanism, "event")
    name = event.name or (str(event.when) if not callable(event.when) else getattr(event.when, "__name__", ""))
    name = f"event {number + 1}" if name in ("", "<lambda>") else name
    return replace(event, when=when, name=name)


def of_kinks(mechanism: Mechanism) -> list[Event]:
    """Where walls are met and left; without a name, as it is not told, where damped walls let go and slack begins and ends."""
    found: list[Event] = []
    for i, wall in enumerate(mechanism.springs):
        if float(getattr(wall, "slack", 0)) and float(getattr(wall, "stiffness", 0)):
            found += [Event(KinkCondition(i, 0), RESTART), Event(KinkCondition(i, 1), RESTART)]
        if isinstance(wall, Wall):
            found.append(Event(KinkCondition(i, 0), RESTART, "falling", f"{wall.body} meets {wall.name}"))
            found.append(Event(KinkCondition(i, 0), RESTART, "rising", f"{wall.body} leaves {wall.name}"))
            if float(wall.damping):
                found.append(Event(KinkCondition(i, 1), RESTART))
    return found


def contacts(mechanism: Mechanism) -> list[str]:
    """The constraints that only push."""
    return [c.name for c in mechanism.constraints if isinstance(c, (RollingConstraint, HolonomicConstraint)) and c.unilateral]


def pulls(contact: str) -> str:
    return f"{contact} would have to pull"


def of_contacts(mechanism: Mechanism) -> list[Event]:
    """Where contacts would have to pull, and where they push again."""
    found: list[Event] = []
    for name in contacts(mechanism):
        found += [
            Event(PullCondition(name), "record", "falling", pulls(name)),
            Event(PullCondition(name), "record", "rising", f"{name} pushes again"),
        ]
    return found
