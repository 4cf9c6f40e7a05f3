"""Why a run could not go on: how it ends."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from lagrangian.configuration.mobility import mobility
from lagrangian.configuration.slopes import finite_jacobian
from lagrangian.motion.status import Ending, Status

if TYPE_CHECKING:
    from lagrangian.motion.run.run import Run


def runs_away(run: Run) -> Ending:
    """Of speeds that no machine has, and steps that get nowhere."""
    mechanism = run.dyn.mechanism
    speeds = np.abs(run.y[run.system.nq :])
    k = int(np.argmax(speeds))
    unit = "m/s" if [slides for joint in mechanism.joints for slides in joint.slides][k] else "rad/s"
    source = run.supply.source
    driven = source.formulas or source.external or source.traced is not None or source.wrenches or source.adjustable
    why = "a torque drives it ever faster, or is singular there" if driven else ""
    if run.supply.source.sampled is not None:
        why = f"a controller sampled every {run.supply.source.sampled.period:g} s is unstable if its gains are too high for that"
    return run.ended(
        Status.UNBOUNDED,
        f"the motion grows without bound: {mechanism.speed_names[k]} reaches {speeds[k]:.2g} {unit}, and the steps become too "
        f"small to get to the end",
        why,
    )


def too_many(run: Run) -> Ending:
    """Of as many steps as were allowed, or as memory has room for."""
    if run.tried >= run.settings.max_steps:
        return run.ended(Status.TOO_MANY_STEPS, f"{run.settings.max_steps} steps were made", "max_steps allows more")
    return run.ended(
        Status.TOO_MANY_STEPS,
        f"{run.tried} steps were made, and there is no memory for more",
        "begin another simulation at the last row, or use looser tolerances or a longer step",
    )


def too_small(run: Run) -> Ending:
    """Of a step that became too small."""
    place = run.configuration(run.y)
    if run.dyn.mechanism.equation_count:
        q = run.y[: run.system.nq]
        s = np.linalg.svd(finite_jacobian(run.dyn, q, run.t), compute_uv=False)
        # equations that follow from others are nothing singular
        rank = run.system.nv - mobility(run.dyn, q, run.t).nearby if run.settings.redundant else len(s)
        if 0 < rank <= len(s) and s[rank - 1] < 1e-3 * s[0]:
            why = f"a singular configuration; the smallest singular value of Psi is {s[rank - 1]:.2g}"
            return run.ended(Status.SINGULAR, why, place=place)
    if not run.settings.method.adaptive:
        why = f"a step of {run.settings.step:g} s is too long there, or a torque is not finite"
        return run.ended(Status.STEP_TOO_SMALL, why, place=place)
    why = "the step became too small. The motion, or a torque, may be singular there"
    remedy = "" if run.settings.method.jacobian else "a stiff mechanism needs method='rodas5p'"
    return run.ended(Status.STEP_TOO_SMALL, why, remedy, place)
