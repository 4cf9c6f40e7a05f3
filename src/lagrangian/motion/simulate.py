"""`lagrangian.simulate`: a mechanism, a time span, and what drives it; out comes a `Motion`."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from numpy.typing import ArrayLike

from lagrangian.configuration.start import as_dynamics
from lagrangian.description.mechanism_like import MechanismLike, as_mechanism
from lagrangian.errors import ArgumentError
from lagrangian.kernels.dynamics import Dynamics
from lagrangian.motion import arguments
from lagrangian.motion.arguments import Options
from lagrangian.motion.batch.given import States, is_many
from lagrangian.motion.events import EventsLike
from lagrangian.motion.finish import ending_of, finished
from lagrangian.motion.many import kept, simulate_many, thread_count
from lagrangian.motion.motion import Motion
from lagrangian.motion.motions import Motions
from lagrangian.motion.recipe import Recipe
from lagrangian.motion.torque import TorqueLike
from lagrangian.motion.wrench import WrenchesLike
from lagrangian.types import Progress, Times, TimeSpan

ROWS = 1001
if TYPE_CHECKING:
    Simulated = Any  # a type checker cannot tell one motion from many by the shape of an array
else:
    Simulated = Motion | Motions


def simulate(
    mechanism: MechanismLike | Dynamics,
    t_span: TimeSpan = None,
    q0: States = None,
    qd0: States = None,
    torque: TorqueLike = None,
    events: EventsLike = None,
    method: str = "auto",
    rtol: float = 1e-8,
    atol: float = 1e-10,
    *,
    parameters: Mapping[str, ArrayLike] | None = None,
    wrenches: WrenchesLike = None,
    saturate: bool = False,
    t_eval: Times = ROWS,
    stabilisation: str = "projection",
    alpha: float | None = None,
    beta: float | None = None,
    off_constraint: bool = False,
    step: float | None = None,
    max_step: float = math.inf,
    limits: bool = True,
    restitution: float = 0.0,
    progress: Progress = None,
    max_steps: int = 20_000_000,
    keep: str | Iterable[str] | None = None,
    threads: int | None = None,
) -> Simulated:
    """Simulate the motion of a mechanism.

    The simulation integrates the equations of motion over `t_span`, keeps loops closed and finds events. The result has forces
    and energies, and an energy balance that tells how accurate it is. The default values of the time span, the start and the
    torques are the mechanism's own, from the section `[initial]` of its file.

    If `q0`, `qd0`, `torque` or `parameters` holds an entry or a row for each of many motions, all of these motions are
    simulated together, and the result is a `Motions`.

    Parameters
    ----------
    mechanism : Mechanism, str, path or Dynamics
        The mechanism, the name of one in the library, a file, or compiled dynamics.
    t_span : float or (float, float), optional
        The end of the motion, or its beginning and its end, in s.
    q0 : array_like, mapping or str, optional
        The coordinates at the beginning: an array, the name of a pose, or a mapping of some coordinates to values. The
        coordinates that a mapping leaves out are found such that the loops close. Rows of an array, or lists in a mapping,
        give a motion each.
    qd0 : array_like or mapping, optional
        The speeds at the beginning, given like `q0`. If you give `q0` alone, the speeds are zero.
    torque : float, array_like, mapping, (times, values), callable, Sampled or Traced, optional
        The torques or forces of the joints, in N m or N: one number for all joints; an array with one for each speed; a mapping
        of joints to numbers or expressions, such as `{"theta1": "1.96 - 0.1*theta1"}`; a table of times and values, which is
        interpolated linearly; a function of (t, q, qd); `Traced(function)`, which compiles the function; or
        `Sampled(function, period)`. They replace the mechanism's own torques; `torque=0` removes these.
    events : Event, str, callable, list or mapping, optional
        Events to find in addition to the mechanism's own. An expression or a function without an `Event` around it stops the
        motion where it becomes zero. A mapping of the names of the mechanism's own events to actions, such as
        `{"landing": "stop"}`, changes what these do.
    method : str, optional
        The integrator: "dp5", "dop853", "verner9", "rodas5p" (for stiff mechanisms), "symplectic" or "rk4". "auto", the
        default, takes "dop853", or "verner9" if `rtol` is below 1e-11, and changes to "rodas5p" if the motion turns out to be
        stiff.
    rtol, atol : float, optional
        The relative and the absolute tolerance of the local error; 1e-8 and 1e-10 by default.
    parameters : mapping, optional
        Other values of some of the mechanism's parameters, such as `{"l1": 0.4}`. Nothing is compiled again. Initial conditions
        and torques that are written in terms of these parameters follow them.
    wrenches : mapping, optional
        External moments and forces on frames or bodies, at their origins and along the world's axes: a mapping of their names
        to six numbers or expressions, or to a function of (t, q, qd) that returns six. The moment comes first:
        `{"tool": (0, 0, 0, 0, 0, "-10*sin(t)")}` is a force along z.
    saturate : bool, optional
        Whether the joints' limits of effort bound the torques; False by default.
    t_eval : int or array_like, optional
        The number of rows of the result, evenly spaced in time, or their times in s; 1001 rows by default. It does not
        influence the steps of the integrator.
    stabilisation : str, optional
        The method that keeps constraints from drifting: "projection" (the default), "baumgarte", "ggl" or "none".
    alpha, beta : float, optional
        The rates of Baumgarte's stabilisation, in 1/s; 10 by default. "ggl" uses `alpha` alone.
    off_constraint : bool, optional
        Whether the motion begins at `q0` and `qd0` exactly, even if they violate constraints; False by default. It needs
        "baumgarte", which lets the violation decay, or "none".
    step : float, optional
        The time step of a method without error control ("rk4", "symplectic"), or the first step of another, in s.
    max_step : float, optional
        The longest time step, in s; unlimited by default.
    limits : bool, optional
        Whether joints stop at their limits; True by default.
    restitution : float, optional
        The coefficient of restitution of joints at their limits, from 0 (no rebound, the default) to 1.
    progress : callable, optional
        A function of (done, total) that is called now and then, with seconds of the motion, or with the number of motions if
        there are many.
    max_steps : int, optional
        The largest number of time steps; 20 million by default.
    keep : str or list of str, optional
        The results to keep of each of many motions, in addition to its end: "extremes", "events" or "rows".
    threads : int, optional
        The number of threads that simulate many motions; one for each core by default.

    Returns
    -------
    Motion or Motions
        The motion, or all of them. An interrupted simulation (Ctrl-C) returns what it has computed; `Motion.status` tells how
        a motion ended.

    Raises
    ------
    ArgumentError
        If an argument is not understood or does not fit the mechanism.
    AssemblyError
        If the loops of the mechanism cannot be closed at the beginning.
    SimulationError
        If the motion cannot begin, or a function that you gave raises an error. The error's `motion` has
        the results until then.

    See Also
    --------
    compare_solvers : Compare integrators and tolerances on a motion.
    certify : Compute digits of a motion that are proven.
    study : Vary parameters and keep results of every motion.

    Examples
    --------
    A pendulum swings for two seconds from where it is level:

    >>> import lagrangian as lg
    >>> motion = lg.simulate("pendulum", 2, q0={"theta": 0})
    >>> print(motion)
    pendulum: reached t = 2 s
    1001 rows, 24 steps (0 rejected) of DOP853, rtol 1e-08
    energy balance: off by 1.4e-07 J of 9.81 J moved

    A torque that is an expression drives a joint, and an event stops the motion:

    >>> motion = lg.simulate("two_r", 5, torque={"theta1": "300 - 50*qd_theta1"}, events="theta1")
    >>> motion.message
    "stopped by event 'theta1' at t = 0.65874444 s"

    Two values of a parameter make two motions:

    >>> motions = lg.simulate("pendulum", 2, parameters={"L": [0.5, 1.0]})
    >>> motions.q_end.round(3)
    array([[4.146],
           [3.796]])
    """
    arguments.check_progress(progress)
    options = Options(method, rtol, atol, stabilisation, alpha, beta, step, max_step, limits, restitution, max_steps)
    recipe = Recipe(t_span, torque, events, options, wrenches, saturate, off_constraint)
    if is_many(q0, qd0, torque, parameters):
        keeps = kept(keep, t_eval, ROWS)
        return simulate_many(mechanism, recipe, (q0, qd0), parameters, keeps, t_eval, progress, thread_count(threads))
    _refuse(keep, threads)
    if parameters is not None:
        mechanism = mechanism if isinstance(mechanism, Dynamics) else as_mechanism(mechanism)
        model = mechanism.mechanism if isinstance(mechanism, Dynamics) else mechanism
        recipe = recipe.following(model, parameters)
    made = recipe.made(as_dynamics(mechanism, parameters))
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
                "applies to many motions only, and this is one", argument=name, remedy="q0 of many motions has a row for each"
            )
