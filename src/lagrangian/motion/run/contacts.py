"""Contacts that would have to pull: a run goes on as if they could, and says where they did."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from lagrangian.errors import ArgumentName, SimulationWarning, warn
from lagrangian.model.event import Event, PullCondition
from lagrangian.motion.events import Happening, contacts, pulls
from lagrangian.motion.system.event_table import Watched
from lagrangian.motion.system.slotted import no_force

if TYPE_CHECKING:
    from lagrangian.motion.run.run import Run


def tell_of_contacts(run: Run) -> None:
    """Add to the run's events what is not seen as a change: contacts that would have to pull from its beginning on; and warn."""
    trajectory, mechanism = run.trajectory, run.dyn.mechanism
    for name in contacts(mechanism):
        mine = [x for x in trajectory.happenings if x.name in (pulls(name), f"{name} pushes again")]
        began = mine[0].name != pulls(name) if mine else _pulls_now(run, name)
        if began and trajectory.segments:
            y, nq = trajectory.segments[0].steps[0, 2:], run.system.nq
            mine.insert(0, Happening(pulls(name), trajectory.start, y[:nq].copy(), y[nq:].copy()))
            trajectory.happenings.insert(0, mine[0])
        if mine and mine[0].t < run.t:  # not of a run that was to stop there
            _warn(run, name, mine[0])


def which_pull(run: Run) -> dict[str, bool]:
    """Of each contact, whether it would have to pull here and now."""
    table = run.table
    known = [event.when for _, event in table.watched if isinstance(event.when, PullCondition)]
    if not known:
        return {}
    names, least = run.dyn.constraint_names, float(no_force(run.dyn.mechanism))
    forces = run.modes.response(run.supply.u, run.y, run.t).multipliers
    pulling = {str(name).removesuffix(".contact") for name, force in zip(names, forces, strict=True) if force < -least}
    return {x.constraint: x.constraint in pulling for x in known}


def changed_at_jump(run: Run, before: Mapping[str, bool]) -> list[Event]:
    """The events of contacts that began to pull, or to push again, when torques jumped just now: no step has seen them change."""
    found = []
    for name, pulled in which_pull(run).items():
        if pulled != before[name]:
            told = pulls(name) if pulled else f"{name} pushes again"
            found += [event for _, event in run.table.watched if isinstance(event.when, PullCondition) and event.name == told]
    return found


def _pulls_now(run: Run, name: str) -> bool:
    """By the value of its event at the end of the last step."""
    solver = run.stepper.solver
    first = solver.workspace.starts["g"]
    for k, entry in enumerate(solver.system.table.entries):
        if isinstance(entry, Watched) and isinstance(entry.event.when, PullCondition) and entry.event.when.constraint == name:
            return bool(run.stepper.work[first + k] < 0)
    return False


def _warn(run: Run, name: str, first: Happening) -> None:
    warn(
        f"{run.dyn.mechanism.name}: contact {name!r} would have to pull from t = {first.t:.6g} s on, where "
        f"{run.configuration(first.q)}. A contact can only push, so that the motion is not valid from there on, where the body "
        f"would leave it. {ArgumentName('events', {pulls(name): 'stop'})} stops there; unilateral = false allows the "
        "contact to pull",
        SimulationWarning,
    )
