"""Why a run could not go on: the sentences it ends with."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from lagrangian.motion.run import Course


def runs_away(course: Course) -> str:
    """Of speeds that no machine has, and steps that get nowhere."""
    mechanism = course.dyn.mechanism
    speeds = np.abs(course.y[course.problem.nq :])
    k = int(np.argmax(speeds))
    unit = "m/s" if [slides for joint in mechanism.joints for slides in joint.slides][k] else "rad/s"
    why = "a torque drives it ever faster"
    if course.source.sampled is not None:
        why = f"a controller sampled every {course.source.sampled.period:g} s is unstable if its gains are too high for that"
    return (
        f"stopped at t = {course.t:.9g} s: the motion grows without bound: {mechanism.speed_names[k]} reaches "
        f"{speeds[k]:.2g} {unit}, and the steps become too small to get to the end; {why}"
    )


def too_small(course: Course) -> str:
    """Of a step that became too small."""
    at = f"t = {course.t:.9g} s ({course.configuration(course.y)})"
    if course.dyn.mechanism.equations:
        psi = course.dyn.constraint_jacobian(course.y[: course.problem.nq], course.t)
        s = np.linalg.svd(psi, compute_uv=False)
        if s.size and s[-1] < 1e-3 * s[0]:
            return f"stopped at {at}: a singular configuration; the smallest singular value of Psi is {s[-1]:.2g}"
    if not course.settings.method.adaptive:
        return f"stopped at {at}: a step of {course.settings.step:g} s is too long there, or a torque is not finite"
    return (
        f"stopped at {at}: the step became too small. The motion, or a torque, may be singular there; a stiff mechanism "
        f"needs method='rodas5p'"
    )
