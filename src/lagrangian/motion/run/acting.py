"""What a run does when an event takes place."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from lagrangian.errors import SimulationError
from lagrangian.model.event import Event, Lock, SetTorque, Unlock
from lagrangian.motion.events import RESTART, Happening
from lagrangian.motion.status import Ending, Status
from lagrangian.motion.system.event_table import LimitMet, ModeChange, Watched
from lagrangian.motion.system.holdable import Holdable
from lagrangian.motion.system.inputs import LOW, STUCK

if TYPE_CHECKING:
    from lagrangian.motion.run.run import Run

# so many events within this part of the run's time, and it does not get on
CROWD, MOMENT = 300, 1e-6


def name_of(run: Run, number: int) -> str:
    """What an event is called, before it is acted on; empty if it is not told, or only once it is known what follows."""
    entry = run.table[number]
    if isinstance(entry, Watched):
        return entry.event.name
    if isinstance(entry, LimitMet):
        return f"{run.dyn.mechanism.speed_names[entry.speed]} meets its {_side(entry.side)} limit"
    if entry.what == STUCK or run.modes.side(run.supply.u, entry.joint):
        return ""
    return f"{run.modes.name(entry.joint)} meets its {_side(entry.what)} limit"


def act_on_event(run: Run) -> Ending | None:
    """Do what the event says, and go on; or how the run ends."""
    try:
        return _act(run)
    except SimulationError as error:  # drives, locks and stops contradict each other
        run.supply.error = error
        return run.failed()


def _act(run: Run) -> Ending | None:
    which, step = run.stepper.event, run.stepper.next_step
    together = run.take_over()
    before = _energy(run)
    entry = run.table[which]
    seen: list[int] = []  # events that are not to be seen a second time
    smooth = False  # a kink is no jump: what holds goes on holding, and the steps as they were
    if isinstance(entry, LimitMet):
        _meet(run, entry)
    elif isinstance(entry, ModeChange):
        _change_mode(run, entry)
    else:
        # others may happen at the same instant
        seen = [which, *(k for k in together if k != which and isinstance(run.table[k], Watched))]
        acting = [x.event for x in map(run.table.__getitem__, seen) if isinstance(x, Watched)]
        for event in acting:
            if event.action == "stop":
                return Ending(Status.STOPPED_BY_EVENT, run.t, event=event.name)
            _do(run, event)
        smooth = all(event.action == RESTART for event in acting)
        if run.system.holdable and not smooth:
            run.modes.settle(run.supply.u, run.y, run.t)
    change = _energy(run) - before
    if change:
        run.trajectory.impacts.append((run.t, change))
    if _without_end(run):
        return run.ended(
            Status.CHATTERING,
            "joints stick and slip, or meet their stops, without end",
            "viscous friction beside it helps",
        )
    run.start(min(step, 1e-3 * max(step, 1e-3)) if run.settings.method.adaptive and not smooth else step)
    for k in seen:
        run.stepper.mark(k)
    return None


def _without_end(run: Run) -> bool:
    """Whether hundreds of events came within no time."""
    run.recent = [*run.recent[1 - CROWD :], run.t]
    return len(run.recent) == CROWD and run.recent[-1] - run.recent[0] < MOMENT * (run.end - run.origin)


def _energy(run: Run) -> float:
    q, qd = run.y[: run.system.nq], run.y[run.system.nq :]
    return float(run.dyn.kinetic_energy(q, qd) + run.dyn.potential_energy(q))


def _do(run: Run, event: Event) -> None:
    action = event.action
    names = run.dyn.mechanism.speed_names
    if isinstance(action, Lock):
        run.modes.lock(run.supply.u, run.y, run.t, [names.index(j) for j in action.joints])
    elif isinstance(action, Unlock):
        run.modes.unlock(run.supply.u, [names.index(j) for j in action.joints])
    elif isinstance(action, SetTorque):
        for name, value in action.torques.items():
            run.supply.u[run.system.inputs.added + names.index(name)] = float(value)


def _meet(run: Run, entry: LimitMet) -> None:
    """A limit met for the first time: from now on the joint can be held there."""
    limit = run.limits[entry.speed]
    holdable = {h.speed: h for h in run.system.holdable}
    friction = holdable[entry.speed].friction if entry.speed in holdable else None
    holdable[entry.speed] = Holdable(entry.speed, friction, limit.coordinate, limit.lower, limit.upper)
    modes = run.modes.of_speeds(run.supply.u)
    run.prepare(list(holdable.values()))
    run.modes.set_speeds(run.supply.u, modes)
    run.modes.at_stop(run.supply.u, run.y, run.t, entry.speed, entry.side, run.settings.restitution)


def _change_mode(run: Run, entry: ModeChange) -> None:
    """Act on what tells of a joint that its mode ends, and say what followed."""
    j, u, modes = entry.joint, run.supply.u, run.modes
    side, before = modes.side(u, j), u.copy()
    q, qd = run.y[: run.system.nq].copy(), run.y[run.system.nq :].copy()
    if entry.what != STUCK and not side:
        modes.at_stop(u, run.y, run.t, run.system.holdable[j].speed, entry.what, run.settings.restitution)
        return
    modes.settle(u, run.y, run.t, j)
    if entry.what != STUCK:
        names = [] if modes.stuck(u, j) or modes.side(u, j) else [f"{modes.name(j)} leaves its {_side(side)} limit"]
    else:
        names = [name for k in range(len(run.system.holdable)) if (name := _followed(run, before, k))]
    run.trajectory.happenings += [Happening(name, run.t, q, qd) for name in names]


def _followed(run: Run, before: np.ndarray, j: int) -> str:
    """What is said of a joint whose friction has changed; one that turns back at once does not come to rest."""
    modes, u = run.modes, run.supply.u
    if modes.stuck(u, j) != modes.stuck(before, j):
        if modes.stuck(u, j):
            return f"{modes.name(j)} comes to rest"
        return f"{modes.name(j)} slips" if modes.way(u, j) else ""
    return f"{modes.name(j)} reverses" if modes.way(u, j) * modes.way(before, j) < 0 else ""


def _side(what: int) -> str:
    return "lower" if what == LOW else "upper"
