"""What a run does when an event takes place."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from lagrangian.errors import ArgumentName, SimulationError
from lagrangian.model.event import Event, LockJoints, SetParameters, SetPayload, SetTorque, SwitchCondition, UnlockJoints
from lagrangian.motion.events import RESTART
from lagrangian.motion.run.impacts import driven_lock
from lagrangian.motion.run.modes import TOUCH
from lagrangian.motion.run.rest import settle
from lagrangian.motion.run.revised import revise
from lagrangian.motion.run.telling import Before, meets
from lagrangian.motion.status import Ending, Status
from lagrangian.motion.system.event_table import Entry, ModeChange, Watched
from lagrangian.motion.system.inputs import HELD, HIGH, LOW

if TYPE_CHECKING:
    from lagrangian.motion.run.run import Run

# so many events within this part of the run's time, and it does not get on
CROWD, MOMENT = 300, 1e-6


def name_of(run: Run, number: int) -> str:
    """What an event is called, before it is acted on; empty if it is not told, or only once it is known what follows."""
    entry = run.table[number]
    if isinstance(entry, Watched):
        return entry.event.name
    meeting = _meeting(run, entry)
    return meets(run, *meeting) if meeting else ""


def act_on_event(run: Run) -> Ending | None:
    """Do what the event says, and go on; or how the run ends."""
    try:
        return _act(run)
    except SimulationError as error:  # drives, locks and stops contradict each other
        run.supply.error = error
        return run.failed()


def act_at_jump(run: Run, events: list[Event]) -> Ending | None:
    """Tell of events that happen because torques jump, and do what they say; or how the run ends."""
    now, run.at_jump = Before(run), []
    for event in events:
        now.say(run, event.name)
    if all(event.action == "record" for event in events):
        return None
    step = run.stepper.next_step
    run.take_over()
    try:
        return _ending(run, events) or _do_all(run, Watched(events[0]), events, run.y.copy(), step)
    except SimulationError as error:
        run.supply.error = error
        return run.failed()


def _act(run: Run) -> Ending | None:
    which, step = run.stepper.event, run.stepper.next_step
    # others may happen at the same instant
    entries = [run.table[which], *(run.table[k] for k in run.take_over() if k != which)]
    entry, before = entries[0], run.y.copy()
    acting = [x.event for x in entries if isinstance(x, Watched)]
    ending = _ending(run, acting)
    if ending is None and _meeting(run, entry):
        _meet(run, entries)
    elif isinstance(entry, ModeChange) and not _meeting(run, entry):
        _change_mode(run, entry)
    return ending or _do_all(run, entry, acting, before, step)


def _ending(run: Run, acting: list[Event]) -> Ending | None:
    """The end of the run, if one of these events stops it."""
    stopping = (event.name for event in acting if event.action == "stop")
    return next((Ending(Status.STOPPED_BY_EVENT, run.t, event=name) for name in stopping), None)


def _do_all(run: Run, entry: Entry, acting: list[Event], before: np.ndarray, step: float) -> Ending | None:
    """Do what events say that happen with `entry`, and go on; `before` it the state was this, and the next step so long."""
    smooth = False  # a kink is no jump: what holds goes on holding, and the steps as they were
    if acting:
        modes = Before(run)
        for event in acting:
            _do(run, event)
        smooth = isinstance(entry, Watched) and all(event.action == RESTART for event in acting)
        if run.system.holdable and (not smooth or any(isinstance(event.when, SwitchCondition) for event in acting)):
            settle(run.modes, run.supply.u, run.y, run.t)
            modes.tell(run)
    run.note_impact(before)
    if _without_end(run):
        return run.ended(Status.CHATTERING, *_why_without_end(run, entry))
    run.start(min(step, 1e-3 * max(step, 1e-3)) if run.settings.method.adaptive and not smooth else step)
    run.mark_events(acting)
    return None


def _without_end(run: Run) -> bool:
    """Whether hundreds of events came within no time."""
    run.recent = [*run.recent[1 - CROWD :], run.t]
    return len(run.recent) == CROWD and run.recent[-1] - run.recent[0] < MOMENT * (run.end - run.origin)


def _why_without_end(run: Run, entry: Entry) -> tuple[str, str]:
    """What goes on without end, and what helps."""
    if isinstance(entry, Watched) and isinstance(entry.event.when, SwitchCondition):
        return (
            f"'{entry.event.when.argument}' changes its sign again and again, because the jump there pushes back from both sides",
            "use a smooth function, such as tanh in place of sign; for dry friction use the `friction` of a joint",
        )
    last = ""
    if isinstance(entry, ModeChange):
        last = f" ({run.dyn.mechanism.speed_names[run.system.holdable[entry.joint].speed]!r} as the last)"
    return (
        f"joints stick and slip, or meet their stops, without end{last}",
        f"add viscous friction to joints that stick; {ArgumentName('limits', False)} lets joints pass their stops",
    )


def _do(run: Run, event: Event) -> None:
    action = event.action
    names = run.dyn.mechanism.speed_names
    if isinstance(action, LockJoints):
        run.impacts.lock(run.modes, run.supply.u, run.y, run.t, [names.index(j) for j in action.joints])
    elif isinstance(action, UnlockJoints):
        run.impacts.unlock(run.modes, run.supply.u, [names.index(j) for j in action.joints])
    elif isinstance(action, SetTorque):
        for name, value in action.torques.items():
            run.supply.u[run.system.inputs.added + names.index(name)] = float(value)
    elif isinstance(action, (SetParameters, SetPayload)):
        revise(run, action)


def _meeting(run: Run, entry: Entry) -> tuple[int, int] | None:
    """The speed of a joint that meets its limit, and which: LOW or HIGH; or none."""
    if isinstance(entry, ModeChange) and entry.what in (LOW, HIGH) and not run.modes.side(run.supply.u, entry.joint):
        return run.system.holdable[entry.joint].speed, entry.what
    return None


def _meet(run: Run, entries: list[Entry]) -> None:
    """Limits met at one instant."""
    meeting = dict(x for entry in entries if (x := _meeting(run, entry)))
    before = Before(run)
    for speed, side in _beside(run).items():
        if speed not in meeting:
            meeting[speed] = side
            before.say(run, meets(run, speed, side))
    modes, u = run.modes, run.supply.u
    at = {modes.number(speed): side for speed, side in meeting.items()}
    run.impacts.at_stop(modes, u, run.y, run.t, at, run.settings.restitution)
    settle(modes, u, run.y, run.t)
    before.tell(run, meeting)


def _beside(run: Run) -> dict[int, int]:
    """Joints that roundings alone keep from meeting their limits at this very instant, by their speeds."""
    found, nq = {}, run.system.nq
    for speed, limit in run.limits.items():
        for side, bound, way in ((LOW, limit.lower, -1.0), (HIGH, limit.upper, 1.0)):
            near = np.isfinite(bound) and abs(run.y[limit.coordinate] - bound) <= TOUCH * (1 + abs(bound))
            if near and way * run.y[nq + speed] > run.modes.rest:
                found[speed] = side
    return found


def _change_mode(run: Run, entry: ModeChange) -> None:
    """Act on what tells of a joint that its mode ends, and say what followed."""
    if entry.what == HELD:
        raise driven_lock(run.modes, [entry.joint])
    before = Before(run)
    settle(run.modes, run.supply.u, run.y, run.t, entry.joint)
    before.tell(run)
