"""A run that goes on with other numbers: a payload is gripped or released, or a parameter changes at once.

The configuration and the speeds stay. What is gripped moves as the gripper does, and is not struck by it; the energy that it
brings, or takes away, is booked as that of payloads, or of parameters.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from lagrangian.configuration.loop_closure import ROUNDED_TOLERANCE
from lagrangian.configuration.start import as_dynamics
from lagrangian.errors import SimulationError, SimulationWarning, warn
from lagrangian.kernels.dynamics import Dynamics
from lagrangian.model.event import SetParameters, SetPayload
from lagrangian.model.mechanism import Mechanism
from lagrangian.model.parameters import Revision
from lagrangian.motion.system.following import Following
from lagrangian.motion.system.prepared import prepared

if TYPE_CHECKING:
    from lagrangian.motion.run.run import Run


def revise(run: Run, action: SetParameters | SetPayload) -> None:
    """Go on with the numbers that an event sets."""
    before = _energy(run.dyn, run.y)
    if isinstance(action, SetPayload):
        if not float(action.mass) and action.frame not in run.payloads:
            warn(
                f"{run.dyn.mechanism.name}: an event releases the payload at {action.frame!r}, but no event has gripped one. "
                "A payload from with_payload, a file or --payload is a part of the mechanism and stays; let an event grip it",
                SimulationWarning,
            )
        run.payloads[action.frame] = action
    else:
        _set_parameters(run, action)
    mechanism = run.unloaded
    for payload in run.payloads.values():
        mechanism = mechanism.with_payload(payload.frame, payload.mass, payload.center, payload.inertia)
    modes = run.modes.of_speeds(run.supply.u)
    run.known = prepared(as_dynamics(mechanism))
    run.dyn = run.known.dyn
    _check_closed(run, mechanism)
    run.prepare(list(run.system.holdable))
    run.modes.set_speeds(run.supply.u, modes)
    what = "payloads" if isinstance(action, SetPayload) else "parameters"
    run.trajectory.changes.append((run.t, _energy(run.dyn, run.y) - before, what))


def _set_parameters(run: Run, action: SetParameters) -> None:
    """Torques, wrenches and events that are written with parameters follow them, too."""
    follows = Following(run.unloaded, action.parameters)
    for what in (*follows.code(), *follows.modes(), *follows.jumps(run.supply.source)):
        raise SimulationError(f"an event changes parameters on which {what} depends", remedy="these cannot change in a run")
    revision = Revision(run.unloaded, {name: float(x) for name, x in action.parameters.items()})
    run.unloaded = run.unloaded.with_parameters(action.parameters)
    source = run.supply.source
    wrenches = tuple(replace(w, entries=tuple(revision.revise(x) for x in w.entries)) for w in source.wrenches)
    formulas = {name: revision.revise(x) for name, x in source.formulas.items()}
    run.supply.source = replace(source, formulas=formulas, wrenches=wrenches)
    # an event that has other numbers is still the same event
    run.events = [event if callable(event.when) else replace(event, when=revision.revise(event.when)) for event in run.events]


def _energy(dyn: Dynamics, y: np.ndarray) -> float:
    q, qd = y[: dyn.nq], y[dyn.nq :]
    return float(dyn.kinetic_energy(q, qd) + dyn.potential_energy(q))


def _check_closed(run: Run, mechanism: Mechanism) -> None:
    if not mechanism.equation_count:
        return
    open_by = float(np.abs(run.dyn.closure(run.y[: run.dyn.nq], run.t)).max(initial=0.0))
    if open_by > ROUNDED_TOLERANCE:
        raise SimulationError(
            f"an event changes parameters so that loops would open by {open_by:.3g} at once",
            remedy="lengths of links in loops cannot change in a run; masses, springs and gains can",
        )
