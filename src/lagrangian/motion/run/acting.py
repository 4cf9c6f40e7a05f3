"""What a run does when an event takes place."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lagrangian.motion.events import RESTART, Event, Lock, SetTorque, Unlock
from lagrangian.motion.status import Ending, Status
from lagrangian.motion.system.event_table import LimitMet, ModeChange, Watched
from lagrangian.motion.system.holdable import Holdable
from lagrangian.motion.system.inputs import LOW, STUCK

if TYPE_CHECKING:
    from lagrangian.motion.run.run import Run

# so many events within this part of the run's time, and it does not get on
CROWD, MOMENT = 300, 1e-6


def name_of(run: Run, number: int) -> str:
    """What an event is called, before it is acted on; empty if it is not told."""
    entry = run.table[number]
    if isinstance(entry, Watched):
        return entry.event.name
    names = run.dyn.mechanism.speed_names
    if isinstance(entry, LimitMet):
        return f"{names[entry.speed]} meets its {_side(entry.side)} limit"
    name = names[run.system.holdable[entry.joint].speed]
    held = run.supply.u[run.modes.place(entry.joint, entry.what)] > 0.5
    if entry.what == STUCK:
        return f"{name} slips" if held else f"{name} comes to rest"
    return f"{name} leaves its {_side(entry.what)} limit" if held else f"{name} meets its {_side(entry.what)} limit"


def act_on_event(run: Run) -> Ending | None:
    """Do what the event says, and go on; or how the run ends."""
    which, step = run.stepper.event, run.stepper.next_step
    together = run.take_over()
    before = _energy(run)
    entry = run.table[which]
    seen: list[int] = []  # events that are not to be seen a second time
    smooth = False  # a kink is no jump: what holds goes on holding, and the steps as they were
    if isinstance(entry, LimitMet):
        _meet(run, entry)
    elif isinstance(entry, ModeChange):
        if not _change_mode(run, entry):
            seen = [which]
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
            "joints stick and slip, or meet their stops, without end; dry friction at joints that a loop couples may have no "
            "solution",
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
        run.modes.hold(run.supply.u, run.y, run.t, [names.index(j) for j in action.joints])
    elif isinstance(action, Unlock):
        run.modes.let_go(run.supply.u, [names.index(j) for j in action.joints])
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


def _change_mode(run: Run, entry: ModeChange) -> bool:
    """Act on what tells of a joint; whether from now on it tells something else, of which nothing has happened yet."""
    j, u = entry.joint, run.supply.u
    speed = run.system.holdable[j].speed
    held = u[run.modes.place(j, entry.what)] > 0.5
    if entry.what == STUCK:
        if not held:
            run.y[run.system.nq + speed] = 0.0
        run.modes.settle_friction(u, run.y, run.t, [j] if held else [])
        # where it sticks, or sticks again, a torque that jumps, as a controller's where a path turns, may overcome it at once
        return bool(u[run.modes.place(j, STUCK)] > 0.5)
    if held:
        run.modes.let_go(u, [speed])
        run.modes.settle_friction(u, run.y, run.t)
    else:
        run.modes.at_stop(u, run.y, run.t, speed, entry.what, run.settings.restitution)
    return False


def _side(what: int) -> str:
    return "lower" if what == LOW else "upper"
