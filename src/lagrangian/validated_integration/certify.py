"""`lagrangian.certify`: the state of a smooth mechanism after a time, with as many proven digits as are asked for."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from os import PathLike
from time import perf_counter
from typing import Any

import numpy as np
from flint import arb, fmpq
from numpy.typing import ArrayLike

from lagrangian.arguments import array, number
from lagrangian.closed_form.cost import format_duration
from lagrangian.description.mechanism_like import MechanismLike, as_mechanism
from lagrangian.errors import ArgumentError, ArgumentName, CostLimitError, SimulationError, format_value
from lagrangian.files import write
from lagrangian.model.expression import Expression
from lagrangian.model.mechanism import Mechanism
from lagrangian.motion import arguments
from lagrangian.motion.motion import Motion
from lagrangian.motion.wrench import WrenchesLike
from lagrangian.types import Progress, State
from lagrangian.validated_integration import start, supported
from lagrangian.validated_integration.balls import working_precision
from lagrangian.validated_integration.bounded_number import BoundedNumber
from lagrangian.validated_integration.bounds import BOUND_BITS
from lagrangian.validated_integration.error_set import ErrorSet
from lagrangian.validated_integration.first_order_system import FirstOrderSystem
from lagrangian.validated_integration.integrate import EnclosedState, TaylorIntegration, TooFewBits
from lagrangian.validated_integration.tube import Tube

MAX_DIGITS = 10_000
DEFAULT_LIMIT = 600.0  # s
ATTEMPTS = 6
SCOUTING_BITS = 64  # bits of the scouting run, which finds how errors grow
SCOUTING_SHARE = 0.15  # its share of the time
TRIAL_SECONDS = 1.0  # s after which the scouting run tells how long the proof will take
SPARE_BITS = 10  # bits for rounding


def certify(
    mechanism: MechanismLike,
    t: float | str | Sequence[float | str] | None = None,
    q0: State = None,
    qd0: State = None,
    torque: float | ArrayLike | Mapping[str, float | str | Expression] | None = None,
    *,
    digits: int = 30,
    wrenches: WrenchesLike = None,
    limits: bool = True,
    limit: float | None = DEFAULT_LIMIT,
    progress: Progress = None,
) -> CertifiedMotion:
    """Compute the state of a mechanism after a time with proven digits.

    The result is not an estimate: interval arithmetic proves bounds for every coordinate and speed. The mechanism must be
    smooth and have no loops. Dry friction, walls, functions such as `sign`, and joint limits that the motion may reach are
    refused.

    Numbers are taken as you write them: 0.773 is 773/1000, pi is pi, and a float is the shortest decimal that gives it. A
    simulation rounds them to doubles first, so that its difference to the proven state includes this rounding.

    Parameters
    ----------
    mechanism : Mechanism, str or path
        The mechanism, the name of one in the library, or a file.
    t : float, str or list, optional
        A time after 0, or several that increase, in s; the motion begins at 0. By default, the motion goes over the mechanism's
        own time span.
    q0, qd0 : array_like, mapping or str, optional
        The coordinates and the speeds at the beginning, as for `simulate`; also as texts such as "pi/3".
    torque : float, array_like or mapping, optional
        The torques: numbers or smooth expressions; the mechanism's own by default.
    digits : int, optional
        The number of digits to prove of every coordinate and speed; 30 by default. A number that is smaller than 10^-digits is
        proven to be so small.
    wrenches : mapping, optional
        External wrenches, as for `simulate`: numbers or smooth expressions.
    limits : bool, optional
        Whether joint limits exist, so that the motion must stay within them for certain; True by default.
    limit : float or None, optional
        The longest computing time, in s; 600 by default. None means no limit.
    progress : callable, optional
        A function of (done, total) that is called now and then, with seconds of the motion.

    Returns
    -------
    CertifiedMotion
        The proven states.

    Raises
    ------
    ArgumentError
        If the mechanism has loops or constraints or is not smooth.
    SimulationError
        If the motion may reach a joint limit, or has no bounds.
    CostLimitError
        If the proof would take longer than `limit`.

    Notes
    -----
    Every step is a Taylor polynomial. Its defect is bounded with the ball arithmetic of FLINT, and the bounds of the errors are
    carried from step to step, with as many bits as it takes.

    Examples
    --------
    >>> import lagrangian as lg
    >>> proven = lg.certify("pendulum", 1, {"theta": 0}, digits=20)
    >>> print(proven.q[0])
    -2.9758236383196957651897
    >>> motion = lg.simulate("pendulum", 1, {"theta": 0}, rtol=1e-12)
    >>> proven.contains(motion, within=1e-9)
    True
    """
    model = as_mechanism(mechanism)
    drive = arguments.drive(torque, wrenches, False, model)
    arguments.check_progress(progress)
    time_limit = math.inf if limit is None else number(limit, "limit", least=0.0, infinite=True)
    if isinstance(digits, bool) or not isinstance(digits, (int, np.integer)) or not 1 <= digits <= MAX_DIGITS:
        raise ArgumentError(f"is {digits!r}; a whole number from 1 to {MAX_DIGITS} is needed", argument="digits")
    if not model.nv:
        raise ArgumentError(f"{model.name} has no joint that moves; there is nothing to certify")
    supported.check_supported(model, drive)
    begin, times = _times(model, t)
    equations = FirstOrderSystem(model, drive)
    task = _CertificationTask(model, equations, (q0, qd0), begin, times, int(digits), bool(limits), progress, time_limit)
    return task.prove_states()


def _times(model: Mechanism, t: Any) -> tuple[fmpq, list[fmpq]]:
    """The time at which the motion begins, and the times that are asked for."""
    if t is None:
        first, last = arguments.span(None, model)
        return start.read_time(model, first), [start.read_time(model, last)]
    times = [start.read_time(model, x) for x in ([t] if isinstance(t, str) or np.ndim(t) == 0 else list(t))]
    if not times or any(b <= a for a, b in zip([fmpq(0), *times], times, strict=False)):
        raise ArgumentError(f"is {t!r}; a time after 0, or several that increase, are needed", argument="t")
    return fmpq(0), times


@dataclass(frozen=True, repr=False)
class CertifiedMotion:
    """Proven states of a motion, one for each time.

    `certify` returns this. `certified[k]` is the state at the k-th time, and `certified["theta1"]` is a number of the last state.

    Attributes
    ----------
    name : str
        The name of the mechanism.
    states : tuple of CertifiedState
        The states.
    requested_digits : int
        The number of digits that you asked for.
    bits, order, steps : int
        The precision, the order of the Taylor polynomials and the number of steps that it took.
    seconds : float
        The computing time.

    Examples
    --------
    >>> import lagrangian as lg
    >>> proven = lg.certify("pendulum", 1, {"theta": 0}, digits=20)
    >>> print(proven["qd_theta"])
    -1.799309016907078618813
    >>> proven.digits >= 20
    True
    """

    name: str
    states: tuple[CertifiedState, ...]
    requested_digits: int
    bits: int
    order: int
    steps: int
    seconds: float

    @property
    def t(self) -> float:
        """The last time, in s."""
        return self.states[-1].t

    @property
    def q(self) -> tuple[BoundedNumber, ...]:
        """The coordinates of the last state."""
        return self.states[-1].q

    @property
    def qd(self) -> tuple[BoundedNumber, ...]:
        """The speeds of the last state."""
        return self.states[-1].qd

    @property
    def energy_balance(self) -> BoundedNumber:
        """The energy balance of the last state, in J."""
        return self.states[-1].energy_balance

    @property
    def digits(self) -> int:
        """The number of proven digits that every coordinate and speed has at least, at every time."""
        return min(state.digits for state in self.states)

    def error_bounds(self, state: Motion | tuple[ArrayLike, ArrayLike]) -> np.ndarray:
        """Bound the errors of another state at the last time.

        Parameters
        ----------
        state : Motion or (array_like, array_like)
            A motion, whose last row counts and must be at the same time, or a pair (q, qd).

        Returns
        -------
        ndarray
            The largest possible error of every coordinate and speed.
        """
        return self.states[-1].error_bounds(state)

    def contains(self, state: Motion | tuple[ArrayLike, ArrayLike], within: float = 0.0) -> bool:
        """Tell whether another state at the last time is right for certain.

        Parameters
        ----------
        state : Motion or (array_like, array_like)
            A motion, whose last row counts and must be at the same time, or a pair (q, qd).
        within : float, optional
            The largest error to allow. With 0, the default, every number must lie between the proven bounds.

        Returns
        -------
        bool
            Whether all numbers of the state are within this error of the true ones.
        """
        return self.states[-1].contains(state, within)

    def __getitem__(self, k: int | str) -> Any:
        """Return the state at the k-th time, or a number of the last state by its name."""
        return self.states[-1][k] if isinstance(k, str) else self.states[k]

    def __len__(self) -> int:
        return len(self.states)

    def __iter__(self) -> Iterator[CertifiedState]:
        return iter(self.states)

    def to_dict(self) -> dict[str, Any]:
        """Return texts and numbers as `save` writes them."""
        statistics = {"bits": self.bits, "order": self.order, "steps": self.steps, "seconds": round(self.seconds, 3)}
        return {
            "mechanism": self.name,
            "asked": self.requested_digits,
            **statistics,
            "states": [state.to_dict() for state in self.states],
        }

    def save(self, path: str | PathLike[str]) -> None:
        """Write a JSON file that holds every number with its proven digits and both bounds, as decimal texts.

        Parameters
        ----------
        path : str or path
            The file.
        """
        write(path, json.dumps(self.to_dict(), indent=2) + "\n")

    def __str__(self) -> str:
        statistics = f"{self.steps} steps of order {self.order} in {self.bits} bits, {self.seconds:.1f} s"
        return "\n".join([f"{self.name}: {statistics}", *map(str, self.states)])

    def __repr__(self) -> str:
        return f"<CertifiedMotion of {self.name!r}: t = {self.t:g} s, {self.digits} digits>"


@dataclass(frozen=True, repr=False)
class CertifiedState:
    """A state of a motion in which every number has proven bounds.

    `state["theta1"]` is a coordinate, and `state["qd_theta1"]` a speed.

    Attributes
    ----------
    t : float
        The time, in s.
    coordinate_names, speed_names : tuple of str
        The names of the coordinates and of the speeds.
    q, qd : tuple of BoundedNumber
        The coordinates and the speeds.
    kinetic_energy, potential_energy : BoundedNumber
        The energies, in J.
    energy_balance : BoundedNumber
        The energy balance, in J: the energy minus that at the beginning and minus the work done since. Its bounds contain zero.

    Examples
    --------
    >>> import lagrangian as lg
    >>> states = lg.certify("pendulum", [0.5, 1], {"theta": 0}, digits=15).states
    >>> for state in states:
    ...     print(state.t, state["theta"], state.digits)
    0.5 -1.16902547698681328 17
    1.0 -2.9758236383196958 17
    """

    t: float
    coordinate_names: tuple[str, ...]
    speed_names: tuple[str, ...]
    q: tuple[BoundedNumber, ...]
    qd: tuple[BoundedNumber, ...]
    kinetic_energy: BoundedNumber
    potential_energy: BoundedNumber
    energy_balance: BoundedNumber

    @property
    def digits(self) -> int:
        """The number of proven digits that every coordinate and speed has at least."""
        return min((x.digits for x in (*self.q, *self.qd)), default=0)

    def __getitem__(self, name: str) -> BoundedNumber:
        """Return a coordinate by its name, or a speed by `qd_<name>`."""
        by_name = dict(zip(self.coordinate_names, self.q, strict=True))
        by_name |= {f"qd_{name}": x for name, x in zip(self.speed_names, self.qd, strict=True)}
        if name not in by_name:
            raise ArgumentError(f"there is no {name!r}; there are {', '.join(by_name)}")
        return by_name[name]

    def error_bounds(self, state: Motion | tuple[ArrayLike, ArrayLike]) -> np.ndarray:
        """Bound the errors of another state.

        Parameters
        ----------
        state : Motion or (array_like, array_like)
            A motion, whose last row counts and must be at the same time, or a pair (q, qd).

        Returns
        -------
        ndarray
            The largest possible error of every coordinate and speed.
        """
        return np.array([p.distance(x) for p, x in zip((*self.q, *self.qd), self._state_numbers(state), strict=True)])

    def _state_numbers(self, state: Any) -> list[float]:
        """The numbers of another state, which must be as many as there are here, and at the same time."""
        parts = (state.q[-1], state.qd[-1]) if isinstance(state, Motion) else state
        if not isinstance(parts, (tuple, list, np.ndarray)) or len(parts) != 2:
            raise ArgumentError(f"is {format_value(state)}", argument="state", remedy="a pair (q, qd), or a motion, is needed")
        numbers = [float(x) for part in parts for x in array(part, "state").reshape(-1)]
        if len(numbers) != len(self.q) + len(self.qd):
            needed = len(self.q) + len(self.qd)
            raise ArgumentError(f"a state of {len(numbers)} numbers is given; {needed} are needed", concerns="state")
        if isinstance(state, Motion) and abs(float(state.t[-1]) - self.t) > 1e-12 * max(1.0, abs(self.t)):
            raise ArgumentError(f"the motion ends at {state.t[-1]:g} s, the state is at {self.t:g} s", concerns="state")
        return numbers

    def contains(self, state: Motion | tuple[ArrayLike, ArrayLike], within: float = 0.0) -> bool:
        """Tell whether another state is right for certain.

        Parameters
        ----------
        state : Motion or (array_like, array_like)
            A motion, whose last row counts and must be at the same time, or a pair (q, qd).
        within : float, optional
            The largest error to allow. With 0, the default, every number must lie between the proven bounds.

        Returns
        -------
        bool
            Whether all numbers of the state are within this error of the true ones.
        """
        if number(within, "within", least=0.0, infinite=True):
            return bool((self.error_bounds(state) <= within).all())
        return all(x in p for p, x in zip((*self.q, *self.qd), self._state_numbers(state), strict=True))

    def to_dict(self) -> dict[str, Any]:
        """Return texts and numbers as `save` writes them."""
        return {
            "t": self.t,
            "q": {name: _number_data(x) for name, x in zip(self.coordinate_names, self.q, strict=True)},
            "qd": {name: _number_data(x) for name, x in zip(self.speed_names, self.qd, strict=True)},
            "kinetic_energy": _number_data(self.kinetic_energy),
            "potential_energy": _number_data(self.potential_energy),
            "balance": _number_data(self.energy_balance),
        }

    def __str__(self) -> str:
        names = [*self.coordinate_names, *(f"qd_{name}" for name in self.speed_names)]
        width = max(len(name) for name in names)
        lines = [f"t = {self.t:g} s, {self.digits} digits proven"]
        lines += [f"  {name:<{width}}  {x}" for name, x in zip(names, (*self.q, *self.qd), strict=True)]
        return "\n".join(
            [*lines, f"  energy balance between {self.energy_balance.lower:.1e} and {self.energy_balance.upper:.1e} J"]
        )


def _number_data(x: BoundedNumber) -> dict[str, Any]:
    low, high = x.bounds
    return {"value": str(x), "digits": x.digits, "lower": low, "upper": high}


class _CertificationTask:
    """The proof of the states of one motion: how many bits it takes, and the integration with as many."""

    def __init__(
        self,
        model: Mechanism,
        equations: FirstOrderSystem,
        initial_arguments: tuple[Any, Any],
        begin: fmpq,
        times: list[fmpq],
        digits: int,
        limits: bool,
        progress: Progress,
        limit: float,
    ) -> None:
        self.model, self.equations, self.initial_arguments, self.limit = model, equations, initial_arguments, limit
        self.begin, self.times, self.digits, self.progress = begin, times, digits, progress
        self.limit_check = supported.LimitCheck(model) if limits else None
        self.started = perf_counter()

    def prove_states(self) -> CertifiedMotion:
        precision = self._estimate_precision()
        for _ in range(ATTEMPTS):
            run = TaylorIntegration(self.equations, precision, self._initial_state(precision))
            try:
                enclosures = [
                    run.integrate_to(t, self._check_limits, self._progress_reporter(SCOUTING_SHARE)) for t in self.times
                ]
            except TooFewBits as failure:
                done = max(0.05, (failure.t - float(arb(self.begin))) / float(arb(self.times[-1] - self.begin)))
                precision = math.ceil(precision * min(2.0, 1.1 / done))
                continue
            with working_precision(precision):
                states = tuple(self._certified_state(x, precision) for x in enclosures)
            missing = max(self._missing_digits(state) for state in states)
            if missing <= 0:
                seconds = perf_counter() - self.started
                return CertifiedMotion(self.model.name, states, self.digits, precision, run.order, run.steps, seconds)
            precision += math.ceil(missing * math.log2(10)) + 8
        raise SimulationError(f"{self.model.name}: {self.digits} digits could not be proven with {precision} bits")

    def _initial_state(self, precision: int) -> EnclosedState:
        with working_precision(precision):
            y = [
                *start.initial_configuration(self.model, self.initial_arguments[0]),
                *start.initial_speeds(self.model, *self.initial_arguments),
            ]
            y += [arb(0)] * (self.equations.size - len(y))
            return EnclosedState(self.begin, [x.mid() for x in y], ErrorSet.from_radii([arb(x.rad()) for x in y]))

    def _estimate_precision(self) -> int:
        """Estimate how many bits are needed: those of the digits, and those that errors take as they grow."""
        begin = self._initial_state(SCOUTING_BITS)
        run = TaylorIntegration(
            self.equations,
            SCOUTING_BITS,
            EnclosedState(begin.t, begin.y, ErrorSet.from_radii([arb(1)] * len(begin.y))),
            estimates_only=True,
        )
        run.integrate_to(self.times[-1], self._check_limits, self._progress_reporter(0.0, SCOUTING_SHARE))
        with working_precision(BOUND_BITS):
            growth = max(float(x.log()) for x in run.state.errors.box) / math.log(2)
        return math.ceil(self.digits * math.log2(10) + max(0.0, growth) + math.log2(run.steps + 1)) + SPARE_BITS

    def _check_limits(self, tube: Tube) -> None:
        if self.limit_check is not None:
            self.limit_check.check(tube)

    def _progress_reporter(self, first: float, last: float = 1.0) -> Callable[[float], None]:
        """A function that reports the progress of a run, which goes from the first to the last of these shares of the time."""
        begin, end = float(arb(self.begin)), float(arb(self.times[-1]))

        def report(t: float) -> None:
            share = (t - begin) / (end - begin)
            self._check_time_limit(share if last == SCOUTING_SHARE else 1.0)
            if self.progress is not None:
                self.progress((first + (last - first) * share) * (end - begin), end - begin)

        return report

    def _check_time_limit(self, scouting_share: float) -> None:
        """Raise an error if the scouting run, of which this share is done, or the proof after it takes too long."""
        spent = perf_counter() - self.started
        expected = spent / scouting_share if spent > TRIAL_SECONDS else spent
        if spent <= TRIAL_SECONDS or expected <= self.limit:
            return
        done = (
            f"was given up after {format_duration(spent)}"
            if scouting_share == 1.0
            else f"would take {format_duration(expected)} or more"
        )
        raise CostLimitError(
            f"the proof of {self.digits} digits at t = {float(arb(self.times[-1])):g} s {done}",
            where=self.model.name,
            remedy=f"the limit is {format_duration(self.limit)}; {ArgumentName('limit', None)} removes it. Or choose an earlier "
            f"time, or use simulate",
            seconds=expected,
            limit=self.limit,
        )

    def _certified_state(self, enclosure: EnclosedState, precision: int) -> CertifiedState:
        model, begin = self.model, self._initial_state(precision)
        balls = enclosure.balls
        kinetic, potential = self._energies(balls)
        before = sum(self._energies(begin.balls), arb(0))
        work = balls[model.nq + model.nv] if self.equations.has_work else arb(0)
        numbers = [BoundedNumber.from_ball(x, self.digits) for x in balls[: model.nq + model.nv]]
        return CertifiedState(
            float(arb(enclosure.t)),
            model.coordinate_names,
            model.speed_names,
            tuple(numbers[: model.nq]),
            tuple(numbers[model.nq :]),
            *(BoundedNumber.from_ball(x, self.digits) for x in (kinetic, potential, kinetic + potential - before - work)),
        )

    def _energies(self, balls: list[Any]) -> tuple[Any, Any]:
        kinetic, potential = self.equations.energies(dict(zip(self.equations.inputs, balls, strict=False)))
        return kinetic, potential

    def _missing_digits(self, state: CertifiedState) -> int:
        """The number of further digits that the least certain number of a state needs.

        Small numbers need only be proven to be small.
        """
        numbers = [x for x in (*state.q, *state.qd) if x.max_magnitude > Fraction(1, 10**self.digits)]
        return max((x.missing_digits(self.digits) for x in numbers), default=0)
