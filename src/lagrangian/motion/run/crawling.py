"""Why a run with Python functions makes ever more steps and gets nowhere: a function that jumps, or that is noisy."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from lagrangian.motion.status import Ending, Status

if TYPE_CHECKING:
    from lagrangian.motion.run.run import Run

# the last steps that are looked at
LOOKED_AT = 100
# halvings of the way between two states, until they differ by rounding
HALVINGS = 60
# parts of the largest torque: less is rounding
ROUNDING = 1e-9


def crawls(run: Run) -> Ending | None:
    """How a run ends whose Python functions jump where it is; nothing if they do not: then its steps are short for a reason."""
    steps = run.stepper.recent(LOOKED_AT)
    states = np.vstack([np.delete(steps, 1, axis=1), [run.stepper.t, *run.stepper.y]])
    given = np.array([_asked(run, state) for state in states])
    least = ROUNDING * np.abs(given).max(initial=0.0)
    again = np.abs(_asked(run, states[-1]) - given[-1])
    if again.max(initial=0.0) > least:
        what = _what(run, int(np.argmax(again)))
        return _ended(
            run,
            f"{what} differs from call to call at the same time and state, so that steps become ever shorter",
            "give noise by Sampled(function, period), which holds each value for a period",
        )
    changes = np.abs(np.diff(given, axis=0))
    if not changes.size or not changes.max() > least:
        return None
    k, entry = np.unravel_index(int(np.argmax(changes)), changes.shape)
    jump = _jump(run, states[k], states[k + 1], int(entry))
    if jump is None:
        return None
    return _ended(
        run,
        f"{_what(run, int(entry))} jumps between {jump[0]:.4g} and {jump[1]:.4g}, so that steps become ever shorter",
        "for dry friction use the `friction` of a joint; for a controller that switches use Sampled(function, period); "
        "else use a smooth function, such as tanh in place of sign, or larger tolerances",
    )


def _ended(run: Run, reason: str, remedy: str) -> Ending:
    run.take_over()
    return run.ended(Status.CHATTERING, reason, remedy, run.configuration(run.y))


def _asked(run: Run, state: np.ndarray) -> np.ndarray:
    """Torques and wrenches of Python functions at a time and a state."""
    inputs, nv = run.system.inputs, run.system.nv
    u = run.supply.with_functions(run.supply.u, float(state[0]), state[1:])
    return np.concatenate([u[:nv], u[inputs.wrench : inputs.joint(0)]])


def _jump(run: Run, a: np.ndarray, b: np.ndarray, entry: int) -> tuple[float, float] | None:
    """The values on both sides of a jump between two states; nothing where the function is but steep."""
    low, high = float(_asked(run, a)[entry]), float(_asked(run, b)[entry])
    whole = abs(high - low)
    for _ in range(HALVINGS):
        middle = 0.5 * (a + b)
        here = float(_asked(run, middle)[entry])
        if abs(here - low) > abs(high - here):
            b, high = middle, here
        else:
            a, low = middle, here
    return (low, high) if abs(high - low) > 0.25 * whole else None


def _what(run: Run, entry: int) -> str:
    """What an entry of the torques and wrenches is."""
    names = run.dyn.mechanism.speed_names
    if entry < len(names):
        return f"the torque of {names[entry]!r}, which a Python function gives,"
    return f"the wrench on {run.supply.source.wrenches[(entry - len(names)) // 6].frame.name!r}, which a Python function gives,"
