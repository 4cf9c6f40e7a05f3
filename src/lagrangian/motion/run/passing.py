"""Singular configurations: a run goes through where its branch is told by its motion, and says where it is not."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from lagrangian.motion.events import Happening
from lagrangian.motion.solver import places
from lagrangian.motion.solver.segment import Segment
from lagrangian.motion.status import Ending, Status

if TYPE_CHECKING:
    from lagrangian.motion.run.run import Run

# what remains of a constraint's diagonal, below which the configuration is looked at
SINGULAR = 1e-3
# below this it is one
AT_ONE = 1e-10


def pass_singular(run: Run) -> Ending | None:
    """Go through a singular configuration where the branch is that of the motion; or how the run ends there.

    Beside it accelerations off the constraints change fast, and no step could come near. But the motion itself is smooth: a
    step that has the configuration in the widest gap between its stages passes over it. Whether it did is seen by the
    energy, and by the speeds, which would change at once on another branch.
    """
    stepper, s, nq = run.stepper, run.stepper.s, run.system.nq
    q, qd = stepper.y[:nq], stepper.y[nq:]
    ratio = float(s[places.RATIO_NOW])
    if ratio < AT_ONE and float(run.dyn.kinetic_energy(q, qd)) <= 1e-12 * float(np.trace(run.dyn.mass_matrix(q))):
        run.take_over()
        why = "it is at rest in a singular configuration, and which way it goes on is not determined"
        return run.ended(Status.SINGULAR, why, place=run.configuration(q))
    s[places.SINGULAR] = ratio / 10 if ratio > 1e-13 else 0.0
    # the root of the ratio falls like the distance
    now, before = np.sqrt(max(ratio, 0.0)), np.sqrt(max(float(s[places.RATIO_BEFORE]), 0.0))
    elapsed = stepper.t - float(s[places.T_BEFORE])
    if now >= before or elapsed <= 0:
        return None
    ahead = now * elapsed / (before - now)
    h = ahead / run.settings.method.gap
    if not np.isfinite(h) or stepper.t + h > s[places.END] or h > s[places.LARGEST]:
        return None
    after = _passed(run, h)
    if after is not None:
        at, q, qd = _nearest(run, h)
        stepper.leap(h, after)
        s[places.SINGULAR] = SINGULAR
        s[places.RATIO_NOW] = 0.0
        run.trajectory.happenings.append(Happening("singular configuration passed", at, q, qd))
    return None


def _in_step(run: Run, segment: Segment, times: np.ndarray) -> np.ndarray:
    theta = (times - segment.start) / (segment.until - segment.start)
    return run.trajectory.replayed(segment, np.zeros(len(times), dtype=np.int64), theta)


def _nearest(run: Run, h: float) -> tuple[float, np.ndarray, np.ndarray]:
    """Where in the step Psi is nearest to losing rank."""
    segment, nq = run.stepper.single(h), run.system.nq
    low, high = segment.start, segment.until
    for _ in range(6):
        times = np.linspace(low, high, 17)
        states = _in_step(run, segment, times)
        least = np.linalg.svd(run.dyn.constraint_jacobian(states[:, :nq], times), compute_uv=False)[:, -1]
        k = int(np.argmin(least))
        low, high = float(times[max(0, k - 1)]), float(times[min(16, k + 1)])
    return float(times[k]), states[k, :nq].copy(), states[k, nq:].copy()


def _passed(run: Run, h: float) -> np.ndarray | None:
    """The state after a step over a singular configuration, if it kept its energy and its branch."""
    segment, nq, dyn = run.stepper.single(h), run.system.nq, run.dyn
    states = _in_step(run, segment, segment.start + h * np.array([0.0, 0.5, 1.0]))
    if not np.isfinite(states).all():
        return None
    before, after = states[0], states[2]
    if np.abs(after[nq:] - before[nq:]).max() > 0.2 * np.abs(before[nq:]).max():
        return None
    times, ends = segment.start + h * np.array([0.0, 1.0]), states[[0, 2]]
    out = run.trajectory.outputs_in(segment, times, run.trajectory.settled_in(segment, times, ends))
    power = np.einsum("sk,sk->s", out["tau"] - out["friction"], ends[:, nq:])
    energies = dyn.kinetic_energy(ends[:, :nq], ends[:, nq:]) + dyn.potential_energy(ends[:, :nq])
    kinetic = float(dyn.kinetic_energy(before[:nq], before[nq:]))
    off = abs(float(energies[1] - energies[0]) - 0.5 * h * float(power.sum()))
    allowed = run.settings.rtol * kinetic + abs(0.5 * h * float(power[1] - power[0]))
    return after if off <= 10 * allowed else None
