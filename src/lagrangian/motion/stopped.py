"""Why a run could not go on: how it ends."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from lagrangian.motion.status import Ending, Status

if TYPE_CHECKING:
    from lagrangian.motion.run import Course


def runs_away(course: Course) -> Ending:
    """Of speeds that no machine has, and steps that get nowhere."""
    mechanism = course.dyn.mechanism
    speeds = np.abs(course.y[course.problem.nq :])
    k = int(np.argmax(speeds))
    unit = "m/s" if [slides for joint in mechanism.joints for slides in joint.slides][k] else "rad/s"
    why = "a torque drives it ever faster, or is singular there"
    if course.source.sampled is not None:
        why = f"a controller sampled every {course.source.sampled.period:g} s is unstable if its gains are too high for that"
    return course.ended(
        Status.UNBOUNDED,
        f"the motion grows without bound: {mechanism.speed_names[k]} reaches {speeds[k]:.2g} {unit}, and the steps become too "
        f"small to get to the end",
        why,
    )


def too_small(course: Course) -> Ending:
    """Of a step that became too small."""
    place = course.configuration(course.y)
    if course.dyn.mechanism.equations:
        psi = course.dyn.constraint_jacobian(course.y[: course.problem.nq], course.t)
        s = np.linalg.svd(psi, compute_uv=False)
        if s.size and s[-1] < 1e-3 * s[0]:
            why = f"a singular configuration; the smallest singular value of Psi is {s[-1]:.2g}"
            return course.ended(Status.SINGULAR, why, place=place)
    if not course.settings.method.adaptive:
        why = f"a step of {course.settings.step:g} s is too long there, or a torque is not finite"
        return course.ended(Status.STEP_TOO_SMALL, why, place=place)
    why = "the step became too small. The motion, or a torque, may be singular there"
    return course.ended(Status.STEP_TOO_SMALL, why, "a stiff mechanism needs method='rodas5p'", place)
