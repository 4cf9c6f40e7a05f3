"""Why a path cannot be followed: singularities on it, and what lies beyond the mechanism's reach."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from lagrangian.errors import PathWarning, UnreachableError, warn
from lagrangian.kinematics.goals import CHUNK, explain_overprescription
from lagrangian.kinematics.inverse_kinematics import find_configuration
from lagrangian.model.mechanism import Mechanism

if TYPE_CHECKING:
    from lagrangian.kinematics.follower import Follower, Knot

# smallest singular values of A with rows of about unit length: below the first there is a warning; below the second the
# configuration counts as singular
NEAR_SINGULAR_TOLERANCE, SINGULAR_TOLERANCE = 1e-2, 1e-5


def check_singularities(follower: Follower, t: np.ndarray, q: np.ndarray) -> None:
    """Raise an error where the mechanism is singular on the path; warn where it is nearly so."""
    if follower.leads_all_joints or not follower.rank:
        return
    mechanism = follower.dyn.mechanism
    smallest_by_chunk = [
        follower.equations.rank_and_singular_values(q[k : k + CHUNK], t[k : k + CHUNK])[1][:, follower.rank - 1]
        for k in range(0, len(t), CHUNK)
    ]
    smallest = np.concatenate(smallest_by_chunk)
    worst = int(np.argmin(smallest))
    if smallest[worst] < SINGULAR_TOLERANCE:
        first = int(np.argmax(smallest < SINGULAR_TOLERANCE))
        raise unreachable_error(t[first], singularity_message(mechanism, t[first], q[first], smallest[first]))
    if smallest[worst] < NEAR_SINGULAR_TOLERANCE:
        warn(
            f"{mechanism.name}: the path passes near a singularity at t = {t[worst]:.6g} s: the smallest singular "
            f"value is {smallest[worst]:.2g}, and speeds and torques may be large there",
            PathWarning,
        )


def singularity_message(mechanism: Mechanism, t: float, q: np.ndarray, smallest: float) -> str:
    """The message that the mechanism is singular at a time of the path."""
    return (
        f"{mechanism.name}: the path meets a singularity at t = {t:.6g} s ({_format_configuration(mechanism, q)}): the smallest "
        f"singular value is {smallest:.2g}, and the speeds are not determined there. Try another branch (q0) or a path that "
        f"avoids it"
    )


def failure_beyond(follower: Follower, knot: Knot) -> UnreachableError:
    """The error that says why no step, however short, goes on from a knot."""
    t, mechanism, equations = knot.t, follower.dyn.mechanism, follower.equations
    s = equations.rank_and_singular_values(knot.q[None], np.array([t]))[1][0]
    smallest = float(s[follower.rank - 1]) if follower.rank else 1.0
    later = min(t + 0.02 * follower.path.duration, follower.path.end)
    configuration_text = _format_configuration(mechanism, knot.q)
    try:
        find_configuration(equations, follower.path(np.array([later]))[0][0], knot.q, later, False, 4)
    except UnreachableError as error:
        return unreachable_error(
            t,
            f"the path leaves the mechanism's reach at t = {t:.6g} s ({configuration_text}). A little later, "
            f"{error}{explain_overprescription(equations)}",
        )
    if smallest > NEAR_SINGULAR_TOLERANCE:
        rolling_hint = " A rolling body must roll along its path: prescribe its wheels or all of its coordinates." * (
            not follower.holonomic
        )
        reason = follower.failure or "no configuration near the last one follows it on the same branch"
        return unreachable_error(
            t,
            f"{mechanism.name}: the path cannot be followed from t = {t:.6g} s on ({configuration_text}): "
            f"{reason}.{rolling_hint}",
        )
    return unreachable_error(t, singularity_message(mechanism, t, knot.q, smallest))


def unreachable_error(t: float, message: str) -> UnreachableError:
    """The error that the path cannot be followed at a time."""
    return UnreachableError(message, t=float(t))


def _format_configuration(mechanism: Mechanism, q: np.ndarray) -> str:
    """A configuration as text; digits beyond the fifth depend on where the search for it stopped."""
    names = mechanism.coordinate_names[:8]
    return ", ".join(f"{name} = {round(float(x), 5) + 0.0:.6g}" for name, x in zip(names, q, strict=False))
