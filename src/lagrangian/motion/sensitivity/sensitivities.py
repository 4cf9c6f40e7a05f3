"""`lagrangian.sensitivities`: a motion, and how it changes with parameters of the mechanism and with its start."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from lagrangian.cached import cached_property
from lagrangian.configuration.start import as_dynamics
from lagrangian.description.mechanism_like import MechanismLike
from lagrangian.errors import ArgumentError, DescriptionError, SimulationError, unknown_name_message
from lagrangian.kernels.dynamics import Dynamics
from lagrangian.model.event import Event, state_symbols
from lagrangian.model.expression import Expression, Scalar, free_symbols, parse, symbol
from lagrangian.model.expression.automatic_derivatives import DualArray, SampleEvaluator
from lagrangian.model.expression.scalar import NumberWithSource
from lagrangian.model.mechanism import Mechanism
from lagrangian.model.parameters import is_path, scalar_at, substitute_parameters
from lagrangian.motion.events import EventsLike, checked
from lagrangian.motion.motion import Motion
from lagrangian.motion.quadrature import running_integrals
from lagrangian.motion.run.trajectory import Trajectory
from lagrangian.motion.sensitivity.quantities import CLOSURE, FRAMES, RATES, SPEEDS, TORQUES, Quantities, Slopes
from lagrangian.motion.sensitivity.start import rows_of_start, start_slopes
from lagrangian.motion.sensitivity.variation import NODES, Variation, varied
from lagrangian.motion.simulate import ROWS, simulate
from lagrangian.motion.solver.segment import Segment
from lagrangian.motion.status import Status
from lagrangian.motion.system.following import Following
from lagrangian.motion.system.system import System
from lagrangian.motion.wrench import WrenchesLike
from lagrangian.types import Progress, State, Times, TimeSpan

AXES = ("x", "y", "z")
CHUNK = 512  # steps at a time


def sensitivities(
    mechanism: MechanismLike | Dynamics,
    t_span: TimeSpan = None,
    q0: State = None,
    qd0: State = None,
    torque: float | ArrayLike | Mapping[str, float | str | Expression] | None = None,
    events: EventsLike = None,
    *,
    over: Sequence[str],
    parameters: Mapping[str, float] | None = None,
    frames: Sequence[str] = (),
    rtol: float = 1e-10,
    atol: float = 1e-12,
    method: str = "auto",
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
) -> Sensitivities:
    """Simulate a motion, and compute its exact derivatives with respect to parameters and to its start.

    The variational equations are solved along the motion, which must be smooth. An event may stop it. Joints that stick, stop
    at limits or are locked, and torques from Python functions or tables, have no derivatives here.

    Parameters
    ----------
    mechanism : Mechanism, str, path or Dynamics
        The mechanism, the name of one in the library, a file, or compiled dynamics.
    t_span, q0, qd0, torque, events : optional
        The time span, the start, the torques and the events, as for `simulate`. Torques are numbers or expressions.
    over : list of str
        What to differentiate with respect to: parameters of the mechanism, numbers of its parts such as "link2.mass", and
        coordinates and speeds at the start, such as "theta1" and "qd_theta1".
    parameters : mapping, optional
        Other values of some of the mechanism's parameters.
    frames : list of str, optional
        The frames whose positions expressions may use, such as "tip.x".
    rtol, atol : float, optional
        The tolerances of the integrator; 1e-10 and 1e-12 by default.
    method, wrenches, saturate, t_eval, stabilisation, alpha, beta, off_constraint : optional
        As for `simulate`.
    step, max_step, limits, restitution, progress, max_steps : optional
        As for `simulate`.

    Returns
    -------
    Sensitivities
        The motion and its derivatives.

    Raises
    ------
    ArgumentError
        If `over` names something that the mechanism does not have.
    SimulationError
        If the motion is not smooth.

    See Also
    --------
    optimise : Find parameters that meet a goal best.

    Examples
    --------
    >>> import lagrangian as lg
    >>> found = lg.sensitivities("pendulum", 2.0, over=["L", "theta"])
    >>> found.dq.shape
    (1001, 1, 2)

    How the angle at the end changes with the length, and with the angle at the beginning:

    >>> value, gradient = found.end("theta")
    >>> print(round(value, 4), gradient.round(4))
    3.7957 [ 3.4552 -0.9402]
    """
    if parameters is not None:
        mechanism = as_dynamics(mechanism)
        torque, events = (substitute_parameters(mechanism.mechanism, parameters, x) for x in (torque, events))
    dyn = as_dynamics(mechanism, parameters)
    names = list(over)
    values = _values(dyn.mechanism, names)
    motion = simulate(
        dyn,
        t_span,
        q0,
        qd0,
        torque,
        events,
        method,
        rtol,
        atol,
        wrenches=wrenches,
        saturate=saturate,
        t_eval=t_eval,
        stabilisation=stabilisation,
        alpha=alpha,
        beta=beta,
        off_constraint=off_constraint,
        step=step,
        max_step=max_step,
        limits=limits,
        restitution=restitution,
        progress=progress,
        max_steps=max_steps,
    )
    _check_smooth(motion)
    span = dyn.mechanism.initial.t_span if t_span is None else None
    return Sensitivities(dyn, motion, names, values, tuple(frames), checked(events, dyn.mechanism), (q0, qd0), span)


def _values(mechanism: Mechanism, names: Sequence[str]) -> dict[str, float]:
    """The parameters among them, with their values."""
    starts = [*mechanism.coordinate_names, *(f"qd_{name}" for name in mechanism.speed_names)]
    found: dict[str, float] = {}
    for name in names:
        if name in mechanism.parameters:
            found[name] = float(mechanism.parameters[name])
        elif name not in starts:
            if not is_path(mechanism, name):
                known = [*mechanism.parameters, *starts]
                raise ArgumentError(unknown_name_message("parameter, coordinate or speed", name, known), concerns="over")
            found[name] = float(scalar_at(mechanism, name))
    return found


def _check_smooth(motion: Motion) -> None:
    assert motion.trajectory is not None
    segments = motion.trajectory.segments
    system = segments[0].solver.system
    if system.torque.external or system.torque.traced is not None:
        what = "its torques come from a Python function or a table"
    elif len(segments) > 1 or system.holdable:
        what = "joints can stick, stop or be locked in it, or torques jump"
    elif motion.status not in (Status.FINISHED, Status.STOPPED_BY_EVENT):
        what = motion.message
    else:
        return
    raise SimulationError(
        f"{motion.name}: the motion is not smooth, so that it has no derivatives: {what}",
        remedy="give expressions for torques, and limits=False",
    )


@dataclass
class Sensitivities:
    """A motion and its derivatives with respect to parameters and to its start.

    `sensitivities` returns this. The methods `of`, `end` and `integral` take an expression of the state, such as
    "theta1^2 + 0.01*tau_theta1^2" or "tip.x - 0.5". It may use coordinates, speeds `qd_<name>`, torques or forces of joints
    `tau_<name>`, positions of frames `<frame>.x`, the time `t`, and parameters.

    Attributes
    ----------
    dyn : Dynamics
        The compiled dynamics.
    motion : Motion
        The motion.
    over : list of str
        What the derivatives are with respect to, in the order of the columns.
    values : dict of float
        The values of those of `over` that are parameters.
    frames : tuple of str
        The frames whose positions expressions may use.
    events : list of Event
        The events of the motion.
    begin : tuple
        `q0` and `qd0` as they were given.
    span : tuple or None
        The mechanism's own time span, if you gave none.

    Examples
    --------
    >>> import lagrangian as lg
    >>> found = lg.sensitivities("pendulum", 2.0, over=["L"])
    >>> value, gradient = found.integral("qd_theta^2")
    >>> print(round(value, 4), gradient.round(4))
    19.6899 [-21.7834]
    """

    dyn: Dynamics
    motion: Motion
    over: list[str]
    values: dict[str, float]
    frames: tuple[str, ...]
    events: list[Event]
    begin: tuple[Any, Any]  # q0 and qd0, as they were given
    span: Any = None  # [initial] t_span, where the run had none of its own

    @property
    def dq(self) -> np.ndarray:
        """The derivatives of the coordinates at every row, with the shape (rows, coordinates, over)."""
        return self._rows[:, : self.dyn.nq]

    @property
    def dqd(self) -> np.ndarray:
        """The derivatives of the speeds at every row, with the shape (rows, speeds, over)."""
        return self._rows[:, self.dyn.nq :]

    @cached_property
    def _rows(self) -> np.ndarray:
        return self._variation.at(self.motion.t)

    # -- of expressions ----------------------------------------------------------------------------------------------

    def of(self, expression: str | Scalar) -> tuple[np.ndarray, np.ndarray]:
        """Evaluate an expression and its derivatives at every row.

        Parameters
        ----------
        expression : str
            An expression of the state.

        Returns
        -------
        values : ndarray
            The values, one for each row.
        derivatives : ndarray
            The derivatives, with the shape (rows, over).
        """
        found = self._lanes(expression, self.motion.t, np.hstack([self.motion.q, self.motion.qd]), self._rows)
        return _value(found, len(self.motion.t)), _slopes(found, len(self.motion.t), len(self.over))

    def end(self, expression: str | Scalar) -> tuple[float, np.ndarray]:
        """Evaluate an expression and its gradient at the end of the motion.

        If an event ends the motion, the gradient includes the change of the end time.

        Parameters
        ----------
        expression : str
            An expression of the state.

        Returns
        -------
        value : float
            The value.
        gradient : ndarray
            Its derivatives with respect to each of `over`.
        """
        t, y = np.array([self._until]), np.hstack([self.motion.q, self.motion.qd])[-1:]
        S = self._variation.first[-1][None] + self._rate_at_end * self._end_slopes
        found = self._lanes(expression, t, y, S, self._end_slopes)
        return float(_value(found, 1)[0]), _slopes(found, 1, len(self.over))[0]

    def integral(self, expression: str | Scalar) -> tuple[float, np.ndarray]:
        """Evaluate the integral of an expression over the motion, and its gradient.

        Parameters
        ----------
        expression : str
            An expression of the state.

        Returns
        -------
        value : float
            The integral over time.
        gradient : ndarray
            Its derivatives with respect to each of `over`.
        """
        at, integrals = running_integrals(NODES)
        steps, lengths = self._starts, self._lengths
        times = (steps[:, None] + lengths[:, None] * at).ravel()
        S = self._variation.at_nodes.reshape(len(times), -1, len(self.over))
        found = self._lanes(expression, times, self._states(times), S)
        weights = (lengths[:, None] * integrals[NODES]).ravel()
        gradient = weights @ _slopes(found, len(times), len(self.over))
        if self._end_slopes.any():
            last = self._lanes(expression, np.array([self._until]), self._last[None], self._variation.first[-1][None])
            gradient = gradient + _value(last, 1)[0] * self._end_slopes
        return float(weights @ _value(found, len(times))), gradient

    def _lanes(self, given: str | Scalar, t: np.ndarray, y: np.ndarray, S: np.ndarray, end: np.ndarray | None = None) -> Any:
        """An expression over times, with its slopes along `over`; `end` is how the times move."""
        names = self._names(t, y, S, end)
        known = {**state_symbols(self.dyn.mechanism), **{name: symbol(name) for name in names}}
        try:
            scalar = parse(given, known) if isinstance(given, str) else given
        except DescriptionError as error:
            raise ArgumentError(str(error), concerns="expression") from None
        for name in sorted(free_symbols(scalar) - set(names)):
            raise ArgumentError(unknown_name_message("name", name, names), concerns="expression")
        others = {id(self.dyn.mechanism.parameters[n]): names[n] for n in self.values if n in self.dyn.mechanism.parameters}
        return SampleEvaluator(names, others).evaluate(scalar)

    def _names(self, t: np.ndarray, y: np.ndarray, S: np.ndarray, end: np.ndarray | None) -> dict[str, DualArray]:
        model, count = self.dyn.mechanism, len(self.over)
        names = [*model.coordinate_names, *(f"qd_{name}" for name in model.speed_names)]
        found = {name: DualArray(y[:, k], S[:, k].T) for k, name in enumerate(names)}
        moved = np.zeros((count, len(t))) if end is None else np.repeat(end[:, None], len(t), axis=1)
        found["t"] = DualArray(t, moved)
        for name, value in self.values.items():
            unit = np.zeros((count, len(t)))
            unit[self.over.index(name)] = 1.0
            found[name] = DualArray(np.full(len(t), value), unit)
        more = self._quantities(t, y)
        for group, labels in ((TORQUES, [f"tau_{n}" for n in model.speed_names]), (FRAMES, _positions(self.frames))):
            slopes = self._chained(more[group], S)
            found |= {label: DualArray(more[group].value[:, k], slopes[:, k].T) for k, label in enumerate(labels)}
        return found

    def _chained(self, found: Slopes, S: np.ndarray) -> np.ndarray:
        total: np.ndarray = found.by_state @ S
        for k, name in enumerate(self.values):
            total[:, :, self.over.index(name)] += found.by_parameter[:, :, k]
        return total

    # -- along the run -----------------------------------------------------------------------------------------------

    @cached_property
    def _quantities(self) -> Quantities:
        groups = [RATES, TORQUES, FRAMES, *([CLOSURE, SPEEDS] if self.dyn.mechanism.equation_count else [])]
        return Quantities(self._system, self.values, groups, self.frames)

    @property
    def _trajectory(self) -> Trajectory:
        assert self.motion.trajectory is not None
        return self.motion.trajectory

    @property
    def _segment(self) -> Segment:
        return self._trajectory.segments[0]

    @property
    def _system(self) -> System:
        return self._segment.solver.system

    @property
    def _until(self) -> float:
        return float(self._segment.until)

    @property
    def _starts(self) -> np.ndarray:
        return self._segment.steps[:, 0]

    @property
    def _lengths(self) -> np.ndarray:
        return np.diff(np.append(self._starts, self._until))

    def _states(self, times: np.ndarray) -> np.ndarray:
        steps = self._segment.steps
        which = np.clip(np.searchsorted(self._starts, times, side="right") - 1, 0, len(steps) - 1)
        return self._trajectory.replayed(self._segment, which, (times - steps[which, 0]) / steps[which, 1])

    @cached_property
    def _variation(self) -> Variation:
        at, _ = running_integrals(NODES)
        starts, lengths, n, count = self._starts, self._lengths, self._system.size, len(self.over)
        A, B = np.empty((len(starts), NODES, n, n)), np.zeros((len(starts), NODES, n, count))
        columns = [self.over.index(name) for name in self.values]
        for first in range(0, len(starts), CHUNK):
            some = slice(first, first + CHUNK)
            times = (starts[some, None] + lengths[some, None] * at).ravel()
            found = self._quantities(times, self._states(times))[RATES]
            shape = (len(times) // NODES, NODES, n)
            A[some] = found.by_state.reshape(*shape, n)
            B[some][..., columns] = found.by_parameter.reshape(*shape, len(columns))
        begin = self._segment.steps[0, 2:]
        row = rows_of_start(self.dyn.mechanism, *self.begin)
        start = start_slopes(self.dyn, self._quantities, self.over, self.values, begin, float(starts[0]), row)
        return varied(starts, lengths, A, B, start)

    # -- the end of a run ----------------------------------------------------------------------------------------------

    @property
    def _ended_by_event(self) -> bool:
        return self.motion.status is Status.STOPPED_BY_EVENT

    @property
    def _last(self) -> np.ndarray:
        return np.concatenate([self.motion.q[-1], self.motion.qd[-1]])

    @cached_property
    def _rate_at_end(self) -> np.ndarray:
        """y' at the end, as a column."""
        return self._quantities(np.array([self._until]), self._last[None])[RATES].value[0][:, None]

    @cached_property
    def _end_slopes(self) -> np.ndarray:
        """How the end of the run moves: as it is written, or, where g = 0 ends it, dT = -(dg at a fixed time) / g'."""
        if not self._ended_by_event:
            return self._written_end
        name = self.motion.ending.event
        when = next(event.when for event in self.events if event.name == name)
        if not isinstance(when, Expression):
            raise SimulationError(
                f"{self.motion.name}: event {name!r} is not an expression of the state, so that it has no derivatives"
            )
        t, y = np.array([self._until]), self._last[None]
        still = self._lanes(when, t, y, self._variation.first[-1][None])
        moving = self._lanes(when, t, y, np.repeat(self._rate_at_end, len(self.over), axis=1)[None], np.ones(len(self.over)))
        rate = moving.slopes[0, 0] - self._own_slopes(when, t, y)[0]
        slopes: np.ndarray = -still.slopes[:, 0] / rate
        return slopes

    @property
    def _written_end(self) -> np.ndarray:
        """How a span of time that is written with parameters follows them."""
        start, end = self.span if self.span is not None else (0.0, 0.0)
        follows = Following(self.dyn.mechanism, self.values)
        if follows.depends(start):
            raise SimulationError(
                f"{self.motion.name}: the time at which the motion begins depends on parameters, and has no derivatives here",
                remedy="give the beginning as a number",
            )
        if not isinstance(end, NumberWithSource) or not follows.depends(end):
            return np.zeros(len(self.over))
        return self._own_slopes(end.source, np.array([self._until]), self._last[None])

    def _own_slopes(self, when: Scalar, t: np.ndarray, y: np.ndarray) -> np.ndarray:
        """Of an expression along parameters alone, which do not move in time."""
        found = self._lanes(when, t, y, np.zeros((1, y.shape[1], len(self.over))))
        return _slopes(found, 1, len(self.over))[0]


def _positions(frames: Sequence[str]) -> list[str]:
    return [f"{name}.{axis}" for name in frames for axis in AXES]


def _value(found: Any, count: int) -> np.ndarray:
    return found.value if isinstance(found, DualArray) else np.full(count, float(found))


def _slopes(found: Any, count: int, over: int) -> np.ndarray:
    slopes = found.slopes if isinstance(found, DualArray) else None
    return np.zeros((count, over)) if slopes is None else np.broadcast_to(slopes, (over, count)).T
