"""A motion simulated again, by Python, with other values of the inputs that a page has."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from lagrangian.configuration.coordinates import single_coordinates
from lagrangian.configuration.speeds import actuated_speeds
from lagrangian.configuration.start import Start, as_dynamics
from lagrangian.model.event import Event
from lagrangian.model.initial_state import PartialState
from lagrangian.model.mechanism import Mechanism
from lagrangian.motion.events import RESTART, checked
from lagrangian.motion.motion import Motion
from lagrangian.motion.settings import METHODS, Settings, method_of
from lagrangian.motion.simulate import simulate
from lagrangian.motion.system.event_table import Watched
from lagrangian.motion.torque import Torque, Traced
from lagrangian.page_motion.controllers import ControlLaw, control_law
from lagrangian.page_motion.inputs import COORDINATE, GAIN, PARAMETER, SPEED
from lagrangian.page_motion.subject import PageMotion, PageStart, as_page_motion


def simulate_again(motion: Motion, inputs: Sequence[Mapping[str, Any]], values: Mapping[str, float]) -> Motion:
    """Simulate the motion that a page computes for some values: `inputs` are those of its plan, `values` are by their labels."""
    changed: dict[str, dict[str, float]] = {PARAMETER: {}, COORDINATE: {}, SPEED: {}, GAIN: {}}
    for page_input in inputs:
        if values[page_input["label"]] != page_input["value"]:
            changed[page_input["kind"]][page_input["name"]] = float(values[page_input["label"]])
    if not any(changed.values()):
        return motion
    subject, trajectory = as_page_motion(motion), motion.trajectory
    assert trajectory is not None
    mechanism, parameters = _with_start_of_motion(subject), changed[PARAMETER]
    q0, qd0 = _start_arguments(mechanism.with_parameters(parameters), motion.first, changed[COORDINATE], changed[SPEED])
    actions, more_events = event_arguments(motion, mechanism)
    motion_again: Motion = simulate(
        mechanism,
        subject.span,
        q0,
        qd0,
        parameters=parameters,
        torque=_torque_argument(subject.torque, control_law(subject), changed[GAIN]),
        wrenches={w.frame.name: w.entries for w in subject.torque.wrenches} or None,
        saturate=subject.torque.saturate,
        events={**actions, **{event.name: event for event in more_events}} if actions else more_events,
        t_eval=trajectory.grid,
        **solver_options(subject.settings),
    )
    return motion_again


def _with_start_of_motion(subject: PageMotion) -> Mechanism:
    """The mechanism with the start of the motion as its own."""
    mechanism, nq, begin = subject.mechanism, subject.mechanism.nq, PageStart.from_motion(subject)
    if begin.is_described:
        return mechanism
    q: tuple[float, ...] = tuple(subject.start[:nq].tolist())
    if mechanism.equation_count:
        q = PartialState(q, begin.fixed_coordinates)
    return mechanism.replace(initial=replace(mechanism.initial, q=q, qd=tuple(subject.start[nq:].tolist())))


def _start_arguments(model: Mechanism, t: float, coordinates: dict[str, float], speeds: dict[str, float]) -> tuple[Any, Any]:
    """The arguments q0 and qd0 of `simulate` for a start at which some coordinates and speeds have other values."""
    if not coordinates and not speeds:
        return None, None
    start = Start(as_dynamics(model), None, t)
    q, qd = start.q.copy(), start.speeds().copy()
    if not model.equation_count:
        for name, (iq, _) in single_coordinates(model).items():
            q[iq] = coordinates.get(name, q[iq])
        return q, np.array([speeds.get(name, x) for name, x in zip(model.speed_names, qd, strict=True)])
    fixed_names = model.initial.qd.given_names if isinstance(model.initial.qd, PartialState) else ()
    kept_names = fixed_names or (() if speeds else actuated_speeds(model))  # the others follow
    speed_values = {name: x for name, x in zip(model.speed_names, qd.tolist(), strict=True) if name in kept_names and x}
    return coordinates or q, speed_values | speeds or None


def _torque_argument(torque: Torque, law: ControlLaw | None, gains: Mapping[str, float]) -> Any:
    """The argument `torque` of `simulate` that drives the run; a controller may have other gains."""
    if torque.traced is not None:
        return Traced(torque.traced)
    if torque.table is not None:
        return torque.table
    if law is None:
        return torque.formulas
    controller: Any = law.controller
    if gains:
        gain_values = np.array(law.gain_values({**law.gains, **gains}), dtype=float)
        controller = replace(
            controller, kp=gain_values[: law.joint_count], kd=gain_values[law.joint_count :], frequency=None, damping=None
        )
    return controller if torque.sampled is None else replace(torque.sampled, function=controller)


def event_arguments(motion: Motion, mechanism: Mechanism) -> tuple[dict[str, Any], list[Event]]:
    """The events of a run: changed actions of the mechanism's own events by their names, and further events.

    Events at which steps end because of a kink are left out, because a run finds them by itself.
    """
    trajectory = motion.trajectory
    assert trajectory is not None
    entries = trajectory.segments[0].solver.system.table.entries
    watched = [entry.event for entry in entries if isinstance(entry, Watched) and entry.event.action != RESTART]
    described_actions = {event.name: event.action for event in checked(None, mechanism)}
    changed = {event.name: event.action for event in watched if event.action != described_actions.get(event.name, event.action)}
    return changed, [event for event in watched if event.name not in described_actions]


def solver_options(settings: Settings) -> dict[str, Any]:
    """The arguments of `simulate` that say how a motion was integrated."""
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
