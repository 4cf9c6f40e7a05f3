"""`lagrangian.simulate`: a mechanism, a time span, and what drives it; out comes a `Motion`."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

from lagrangian.configuration.dynamics_of import dynamics_of
from lagrangian.description.mechanism_of import MechanismLike, mechanism_of
from lagrangian.errors import ArgumentError
from lagrangian.kernels.dynamics import Dynamics
from lagrangian.motion import arguments
from lagrangian.motion.arguments import Options
from lagrangian.motion.batch.given import is_many
from lagrangian.motion.finish import ending_of, finished
from lagrangian.motion.many import kept, simulate_many, thread_count
from lagrangian.motion.recipe import Recipe

ROWS = 1001


def simulate(
    mechanism: MechanismLike | Dynamics,
    t_span: Any = None,
    q0: Any = None,
    qd0: Any = None,
    torque: Any = None,
    events: Any = None,
    method: str = "auto",
    rtol: float = 1e-8,
    atol: float = 1e-10,
    *,
    parameters: Mapping[str, Any] | None = None,
    wrenches: Any = None,
    saturate: bool = False,
    t_eval: Any = ROWS,
    stabilisation: str = "projection",
    alpha: float | None = None,
    beta: float | None = None,
    off_constraint: bool = False,
    step: float | None = None,
    max_step: float = math.inf,
    limits: bool = True,
    restitution: float = 0.0,
    progress: Callable[[float, float], None] | None = None,
    max_steps: int = 20_000_000,
    keep: Any = None,
    threads: int | None = None,
) -> Any:
    """The motion of a mechanism over `t_span`, a pair of times or the end alone.

    What is not given is taken from the mechanism's own [initial]. `q0` is an array, the name of a pose, or a mapping of some
    coordinates to values, the others being found so that loops close; `qd0` an array, or a mapping likewise, and zero if q0 is
    given without it. The mechanism's own torques act unless others are given: `torque=0` for none.

    `torque` may be numbers, a mapping of joints to expressions such as {"theta1": "1.96 - 0.1*theta1"}, (times, values), a Python
    function of (t, q, qd), `Traced(function)` or `Sampled(controller, period)`; with `saturate` limits of effort bound
    it. `wrenches` act from outside besides: a mapping of frames to six numbers or expressions, or to a Python function that gives
    six, moment first, along the world's axes, at the frame's origin: {"tool": (0, 0, 0, 0, 0, "-10*sin(t)")}.

    `parameters` gives other values to some of the mechanism's parameters, {"l1": 0.4}, as `Mechanism.with_parameters` does:
    nothing is compiled again. Starts and torques that are written with them follow.

    `events` are `Event`s. `t_eval` is the number of rows, or their times. `stabilisation` keeps constraints from drifting:
    projection, baumgarte (with alpha and beta), ggl or none; with `off_constraint` the run begins at q0 and qd0 as they are, off
    the constraints, and baumgarte brings it back. Joints stop at their limits unless `limits` is False, and bounce by
    `restitution`. `progress(done, total)` is told how many of the seconds are done. An interrupted run returns what it has.

    Where parameters, q0, qd0 or torques are given for many motions, as arrays with an entry or a row for each, all of them are
    simulated, and the result is a `Motions`, of which `motions[i]` is what a single run gives. `keep` says what is kept of each
    beside its end: "extremes", "events", "rows" at the times of `t_eval`; `threads` how many work on them, as many as there are
    cores unless it is given. `progress` is told how many of the motions are done.
    """
    arguments.check_progress(progress)
    options = Options(method, rtol, atol, stabilisation, alpha, beta, step, max_step, limits, restitution, max_steps)
    recipe = Recipe(t_span, torque, events, options, wrenches, saturate, off_constraint)
    if is_many(q0, qd0, torque, parameters):
        keeps = kept(keep, t_eval, ROWS)
        return simulate_many(mechanism, recipe, (q0, qd0), parameters, keeps, t_eval, progress, thread_count(threads))
    _refuse(keep, threads)
    if parameters is not None:
        mechanism = mechanism if isinstance(mechanism, Dynamics) else mechanism_of(mechanism)
        model = mechanism.mechanism if isinstance(mechanism, Dynamics) else mechanism
        recipe = recipe.following(model, parameters)
    made = recipe.made(dynamics_of(mechanism, parameters))
    start, end = made.span
    grid = arguments.grid(t_eval, start, end)
    watch = None if progress is None else lambda t: progress(t - start, end - start)
    run = made.run(made.start(q0, qd0), grid, watch)
    return finished(run, ending_of(run, end))


def _refuse(keep: Any, threads: Any) -> None:
    """What means nothing of a single motion."""
    for name, given in (("keep", keep), ("threads", threads)):
        if given is not None:
            raise ArgumentError(
                "is of many motions, and this is one", argument=name, remedy="q0 of many motions has a row for each"
            )
