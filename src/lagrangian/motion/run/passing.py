"""Singular configurations: a run goes through where its branch is told by its motion, and says where it is not.

Beside a place where Psi loses rank, accelerations of states off the constraints change fast, and the stages of an ordinary step
are off them: steps become short, and none comes near. The motion itself is smooth, along the branch it is on. So one long step
takes it over the place, whose stages lie on the constraints and on both sides of it: see `collocation`. If its states are smooth,
and keep the constraints in between as well, it has gone on along its branch.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from lagrangian.configuration.mobility import SINGULAR_TOLERANCE as LOST
from lagrangian.errors import SimulationError
from lagrangian.motion.events import Happening
from lagrangian.motion.run.acting import act_on_event
from lagrangian.motion.run.collocation import Bridge
from lagrangian.motion.run.way import Way
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
# accelerations that are rounding, as a part of those that gravity and torques would cause
NONE = 1e-9
UNTOLD = "the motion from there is not determined"


def pass_singular(run: Run) -> Ending | None:
    """Go through a singular configuration where the branch is that of the motion; or how the run ends there."""
    s = run.stepper.s
    ratio = float(s[places.RATIO_NOW])
    if ratio < AT_ONE and _rests(run) and not _stays(run):
        q = run.stepper.y[: run.system.nq]
        run.take_over()
        return run.ended(Status.SINGULAR, f"it is at rest in a singular configuration, and {UNTOLD}", place=run.configuration(q))
    s[places.SINGULAR] = CLOSER * ratio if ratio > 1e-13 else 0.0
    return _leap(run)


def begin_singular(run: Run) -> Ending | None:
    """Leave a singular configuration in which a run begins, along the branch of its speeds; refuse it if nothing tells which."""
    if _rests(run):
        if _stays(run):
            return None
        why = f"it is at rest in a singular configuration, and {UNTOLD}; start near it, or with a nonzero speed"
    elif not run.system.projects:
        why = "it is in a singular configuration, which a motion passes only with stabilisation='projection'"
    else:
        t = run.t
        ending = _leap(run)
        if ending is not None or run.stepper.t > t:
            return ending
        why = f"it is in a singular configuration, its speeds do not belong to any branch there, and {UNTOLD}"
    place = run.configuration(run.stepper.y[: run.system.nq])
    raise SimulationError(f"{run.dyn.mechanism.name}: the run could not begin ({place}): {why}")


def _rests(run: Run) -> bool:
    q, qd = run.stepper.y[: run.system.nq], run.stepper.y[run.system.nq :]
    return bool(run.dyn.kinetic_energy(q, qd) <= 1e-12 * np.trace(run.dyn.mass_matrix(q)))


def _stays(run: Run) -> bool:
    """Whether nothing moves it from where it is at rest: what acts on it is in balance whichever way it could go."""
    way = Way(run)
    if way.is_led_away():
        return False
    psi = way.psi(way.y[None], way.t)[0]
    force = run.dyn.mass_matrix(way.y[: run.system.nq]) @ way.acceleration
    idle = np.linalg.svd(psi)[2][way.rank_at(way.y[None], way.t) :]
    return bool(np.abs(idle @ force).max(initial=0.0) <= NONE * (1 + np.abs(force).max()))


def _leap(run: Run) -> Ending | None:
    """One long step over a place ahead, if there is one, and if the step is smooth; what follows if it ends at an event."""
    way = Way(run)
    expected = way.expected()
    if expected is None:
        return None
    least, best = max(1.0, ROUNDING / run.settings.rtol), None
    for start in way.starts():
        step, at = _centred(way, float(start[0]), start[2:], expected)
        error = np.inf if step is None else way.error(step)
        if step is not None and error <= least:
            least, best = error, (step, at)
        if error <= 1:
            break
    return None if best is None else _take(run, way, *best)


def _centred(way: Way, t: float, y: np.ndarray, expected: float) -> tuple[Bridge | None, float]:
    """A step from a state that has the place, which is then known better, in its middle; and when it is there."""
    for _ in range(CENTRINGS):
        step = way.over(t, y, expected)
        if step is None:
            break
        before, expected = expected, way.nearest(step.states, step.t, step.t + step.h)
        if abs(expected - before) <= OFF_CENTRE * step.h:
            break
    return step, expected


def _take(run: Run, way: Way, step: Bridge, at: float) -> Ending | None:
    """Go on with a long step, which passes the place at a time."""
    s, nq = run.stepper.s, run.system.nq
    found, until, which = way.events(step)
    if until <= way.t:
        return None
    state = step.states(np.array([at]))
    if way.t < at < until and way.independence(state, at)[0] < LOST:
        run.trajectory.happenings.append(Happening("singular configuration passed", at, state[0, :nq], state[0, nq:]))
    run.stepper.leap(*way.pieces(step, until), found, which)
    s[places.SINGULAR], s[places.RATIO_NOW] = SINGULAR, 0.0
    if which < 0:
        return None
    run.t = until
    ending = act_on_event(run)
    if ending is None and run.system.projects and not _rests(run):
        return _leap(run)  # it is beside the place still
    return ending
