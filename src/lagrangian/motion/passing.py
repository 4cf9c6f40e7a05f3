"""Singular configurations: a run goes through where its branch is told by its motion, and says where it is not."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from lagrangian.motion import loop
from lagrangian.motion.events import Happening
from lagrangian.motion.record import Stretch
from lagrangian.motion.status import Ending, Status

if TYPE_CHECKING:
    from lagrangian.motion.run import Course

# what remains of a constraint's diagonal, below which the configuration is looked at
SINGULAR = 1e-3
# below this it is one
AT_ONE = 1e-10


def pass_singular(course: Course) -> Ending | None:
    """Go through a singular configuration where the branch is that of the motion; or how the run ends there.

    Beside it accelerations off the constraints change fast, and no step could come near. But the motion itself is smooth: a
    step that has the configuration in the widest gap between its stages passes over it. Whether it did is seen by the
    energy, and by the speeds, which would change at once on another branch.
    """
    run, s = course.run, course.run.s
    q, qd = run.y[: course.problem.nq], run.y[course.problem.nq :]
    ratio = float(s[loop.RATIO_NOW])
    if ratio < AT_ONE and float(course.dyn.kinetic_energy(q, qd)) <= 1e-12 * float(np.trace(course.dyn.mass_matrix(q))):
        course.t = run.t
        why = "it is at rest in a singular configuration, and which way it goes on is not determined"
        return course.ended(Status.SINGULAR, why, place=course.configuration(q))
    s[loop.SINGULAR] = ratio / 10 if ratio > 1e-13 else 0.0
    # the root of the ratio falls like the distance
    now, before = np.sqrt(max(ratio, 0.0)), np.sqrt(max(float(s[loop.RATIO_BEFORE]), 0.0))
    elapsed = run.t - float(s[loop.T_BEFORE])
    if now >= before or elapsed <= 0:
        return None
    ahead = now * elapsed / (before - now)
    h = ahead / course.settings.method.gap
    if not np.isfinite(h) or run.t + h > s[loop.END] or h > s[loop.LARGEST]:
        return None
    after = _passed(course, h)
    if after is not None:
        at, q, qd = _nearest(course, h)
        run.leap(h, after)
        s[loop.SINGULAR] = SINGULAR
        s[loop.RATIO_NOW] = 0.0
        course.happenings.append(Happening("singular configuration passed", at, q, qd))
    return None


def _nearest(course: Course, h: float) -> tuple[float, np.ndarray, np.ndarray]:
    """Where in the step Psi is nearest to losing rank."""
    run, nq = course.run, course.problem.nq
    stretch = Stretch(course.solver, run.u, np.concatenate([[run.t, h], run.y]).reshape(1, -1), run.t + h)
    low, high = run.t, run.t + h
    for _ in range(6):
        times = np.linspace(low, high, 17)
        states = course.states_of(stretch, slice(0, 1), times.reshape(1, -1))
        least = np.linalg.svd(course.dyn.constraint_jacobian(states[:, :nq], times), compute_uv=False)[:, -1]
        k = int(np.argmin(least))
        low, high = float(times[max(0, k - 1)]), float(times[min(16, k + 1)])
    return float(times[k]), states[k, :nq].copy(), states[k, nq:].copy()


def _passed(course: Course, h: float) -> np.ndarray | None:
    """The state after a step over a singular configuration, if it kept its energy and its branch."""
    run, nq = course.run, course.problem.nq
    stretch = Stretch(course.solver, run.u, np.concatenate([[run.t, h], run.y]).reshape(1, -1), run.t + h)
    times = run.t + h * np.array([0.0, 0.5, 1.0])
    states = course.states_of(stretch, slice(0, 1), times.reshape(1, 3))
    if not np.isfinite(states).all():
        return None
    before, after = states[0], states[2]
    if np.abs(after[nq:] - before[nq:]).max() > 0.2 * np.abs(before[nq:]).max():
        return None
    _, out = course.outputs_in(stretch, times[[0, 2]], states[[0, 2]])
    power = np.einsum("sk,sk->s", out["tau"] - out["friction"], states[[0, 2], nq:])
    energies = course.dyn.kinetic_energy(states[[0, 2], :nq], states[[0, 2], nq:]) + course.dyn.potential_energy(
        states[[0, 2], :nq]
    )
    kinetic = float(course.dyn.kinetic_energy(before[:nq], before[nq:]))
    off = abs(float(energies[1] - energies[0]) - 0.5 * h * float(power.sum()))
    allowed = course.settings.rtol * kinetic + abs(0.5 * h * float(power[1] - power[0]))
    return after if off <= 10 * allowed else None
