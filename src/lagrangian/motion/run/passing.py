"""Singular configurations: a run goes through where its branch is told by its motion, and says where it is not.

Beside a place where Psi loses rank, accelerations of states off the constraints change fast, and the stages of an ordinary step
are off them: steps become short, and none comes near. The motion itself is smooth, along the branch it is on. So one long step
takes it over the place, whose stages lie on the constraints and on both sides of it: see `collocation`. If its states are smooth,
and keep the constraints in between as well, it has gone on along its branch.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from lagrangian.configuration.mobility import SINGULAR as LOST
from lagrangian.motion.events import Happening
from lagrangian.motion.run.collocation import Bridge
from lagrangian.motion.run.way import LOOKS, Way
from lagrangian.motion.solver import places
from lagrangian.motion.status import Ending, Status

if TYPE_CHECKING:
    from lagrangian.motion.run.run import Run

# what remains of a constraint's diagonal, below which the configuration is looked at
SINGULAR = 1e-3
# below this it is one
AT_ONE = 1e-10
# after a try that failed, the next is made when so much of it remains
CLOSER = 0.25
# tries to have the place in the middle of the long step, and the part of it by which it may be off
CENTRINGS, OFF_CENTRE = 4, 0.02
# of states on the constraints beside a singular configuration, as a part of them: no step over it is better
ROUNDING = 1e-10


def pass_singular(run: Run) -> Ending | None:
    """Go through a singular configuration where the branch is that of the motion; or how the run ends there."""
    stepper, s, nq = run.stepper, run.stepper.s, run.system.nq
    q, qd = stepper.y[:nq], stepper.y[nq:]
    ratio = float(s[places.RATIO_NOW])
    if ratio < AT_ONE and float(run.dyn.kinetic_energy(q, qd)) <= 1e-12 * float(np.trace(run.dyn.mass_matrix(q))):
        run.take_over()
        why = "it is at rest in a singular configuration, and which way it goes on is not determined"
        return run.ended(Status.SINGULAR, why, place=run.configuration(q))
    s[places.SINGULAR] = CLOSER * ratio if ratio > 1e-13 else 0.0
    # the root of the ratio falls like the distance
    now, before = np.sqrt(max(ratio, 0.0)), np.sqrt(max(float(s[places.RATIO_BEFORE]), 0.0))
    elapsed = stepper.t - float(s[places.T_BEFORE])
    if now < before and elapsed > 0:
        _leap(run, now * elapsed / (before - now))
    return None


def _leap(run: Run, ahead: float) -> None:
    """One long step over a place that is about so far ahead, if there is one, and if the step is smooth."""
    way = Way(run)
    expected = way.nearest(way.ahead, way.t + 3 * ahead)
    least, best = max(1.0, ROUNDING / run.settings.rtol), None
    for t, y in way.starts():
        step, at = _centred(way, t, y, expected)
        error = np.inf if step is None else way.error(step)
        if step is not None and error <= least:
            least, best = error, (step, at)
        if error <= 1:
            break
    if best is not None:
        _take(run, way, *best)


def _centred(way: Way, t: float, y: np.ndarray, expected: float) -> tuple[Bridge | None, float]:
    """A step from a state that has the place, which is then known better, in its middle; and when it is there."""
    for _ in range(CENTRINGS):
        step = way.over(t, y, expected)
        if step is None:
            break
        before, expected = expected, way.nearest(step.states, step.t + step.h)
        if abs(expected - before) <= OFF_CENTRE * step.h:
            break
    return step, expected


def _take(run: Run, way: Way, step: Bridge, at: float) -> None:
    """Go on with a long step, which passes the place at a time."""
    s, nq = run.stepper.s, run.system.nq
    until, event = way.before_event(step)
    if until <= way.t:
        return
    state = step.states(np.array([at]))
    if at < until and way.independence(state, at)[0] < LOST:
        run.trajectory.happenings.append(Happening("singular configuration passed", at, state[0, :nq], state[0, nq:]))
    run.stepper.leap(*way.pieces(step, until))
    s[places.SINGULAR], s[places.RATIO_NOW] = SINGULAR, 0.0
    if event:  # it is for a short step to find
        s[places.H] = (step.t + step.h - way.t) / (LOOKS - 1)
