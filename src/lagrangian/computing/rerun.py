"""A motion simulated again, by Python, with other values of the inputs that a page has."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from lagrangian.computing.begin import Begin
from lagrangian.computing.controllers import Law, law_of
from lagrangian.computing.inputs import COORDINATE, GAIN, PARAMETER, SPEED
from lagrangian.computing.subject import Subject, subject_of
from lagrangian.configuration.coordinates import single_coordinates
from lagrangian.configuration.dynamics_of import dynamics_of
from lagrangian.configuration.start import Start, driven_speeds
from lagrangian.model.configuration import Partial
from lagrangian.model.event import Event
from lagrangian.model.mechanism import Mechanism
from lagrangian.motion.events import RESTART, checked
from lagrangian.motion.motion import Motion
from lagrangian.motion.settings import METHODS, Settings, method_of
from lagrangian.motion.simulate import simulate
from lagrangian.motion.system.event_table import Watched
from lagrangian.motion.torque import Torque, Traced


def again(motion: Motion, inputs: Sequence[Mapping[str, Any]], values: Mapping[str, float]) -> Motion:
    """The motion that a page computes for these values: `inputs` are those of its plan, `values` are by their labels."""
    changed: dict[str, dict[str, float]] = {PARAMETER: {}, COORDINATE: {}, SPEED: {}, GAIN: {}}
    for it in inputs:
        if values[it["label"]] != it["value"]:
            changed[it["kind"]][it["name"]] = float(values[it["label"]])
    if not any(changed.values()):
        return motion
    subject, trajectory = subject_of(motion), motion.trajectory
    assert trajectory is not None
    mechanism, parameters = _begun(subject), changed[PARAMETER]
    q0, qd0 = _start(mechanism.with_parameters(parameters), motion.first, changed[COORDINATE], changed[SPEED])
    actions, added = events_of(motion, mechanism)
    found: Motion = simulate(
        mechanism,
        subject.span,
        q0,
        qd0,
        parameters=parameters,
        torque=_torque(subject.torque, law_of(subject), changed[GAIN]),
        wrenches={w.frame.name: w.entries for w in subject.torque.wrenches} or None,
        saturate=subject.torque.saturate,
        events={**actions, **{event.name: event for event in added}} if actions else added,
        t_eval=trajectory.grid,
        **options_of(subject.settings),
    )
    return found


def _begun(subject: Subject) -> Mechanism:
    """The mechanism, whose own start is that of the motion."""
    mechanism, nq, begin = subject.mechanism, subject.mechanism.nq, Begin.of(subject)
    if begin.own:
        return mechanism
    q: tuple[float, ...] = tuple(subject.start[:nq].tolist())
    if mechanism.equations:
        q = Partial(q, begin.held)
    return mechanism.replace(initial=replace(mechanism.initial, q=q, qd=tuple(subject.start[nq:].tolist())))


def _start(model: Mechanism, t: float, coordinates: dict[str, float], speeds: dict[str, float]) -> tuple[Any, Any]:
    """q0 and qd0 of `simulate`, where some coordinates and speeds are others than those of the mechanism's own start."""
    if not coordinates and not speeds:
        return None, None
    own = Start(dynamics_of(model), None, t)
    q, qd = own.q.copy(), own.speeds().copy()
    if not model.equations:
        for name, (iq, _) in single_coordinates(model).items():
            q[iq] = coordinates.get(name, q[iq])
        return q, np.array([speeds.get(name, x) for name, x in zip(model.speed_names, qd, strict=True)])
    given = model.initial.qd.given if isinstance(model.initial.qd, Partial) else ()
    kept = given or (() if speeds else driven_speeds(model))  # the others follow
    told = {name: x for name, x in zip(model.speed_names, qd.tolist(), strict=True) if name in kept and x}
    return coordinates or q, told | speeds or None


def _torque(torque: Torque, law: Law | None, gains: Mapping[str, float]) -> Any:
    """What drives the run, as `simulate` takes it; a controller may have other gains."""
    if torque.traced is not None:
        return Traced(torque.traced)
    if torque.table is not None:
        return torque.table
    if law is None:
        return torque.formulas
    controller: Any = law.controller
    if gains:
        found = np.array(law.values({**law.gains, **gains}), dtype=float)
        controller = replace(controller, kp=found[: law.led], kd=found[law.led :], frequency=None, damping=None)
    return controller if torque.sampled is None else replace(torque.sampled, function=controller)


def events_of(motion: Motion, mechanism: Mechanism) -> tuple[dict[str, Any], list[Event]]:
    """What was asked for of events: other actions of the mechanism's own by their names, and events beside them.

    Where steps end for a kink, the run finds by itself.
    """
    trajectory = motion.trajectory
    assert trajectory is not None
    entries = trajectory.segments[0].solver.system.table.entries
    watched = [entry.event for entry in entries if isinstance(entry, Watched) and entry.event.action != RESTART]
    own = {event.name: event.action for event in checked(None, mechanism)}
    changed = {event.name: event.action for event in watched if event.action != own.get(event.name, event.action)}
    return changed, [event for event in watched if event.name not in own]


def options_of(settings: Settings) -> dict[str, Any]:
    """How it was integrated, as `simulate` takes it."""
    name = next((name for name in METHODS if method_of(name) is settings.method), "auto")
    return {
        "method": "auto" if settings.stiff is not None else name,
        "rtol": settings.rtol,
        "atol": settings.atol,
        **settings.stabilisation.to_dict(),
        "off_constraint": settings.off_constraint,
        "step": settings.step,
        "max_step": settings.largest,
        "limits": settings.limits,
        "restitution": settings.restitution,
        "max_steps": settings.max_steps,
    }
