"""`lagrangian.certify`: the state of a smooth mechanism after a time, with as many proven digits as are asked for."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from time import perf_counter
from typing import Any

import numpy as np
from flint import arb, fmpq
from numpy.typing import ArrayLike

from lagrangian.arguments import number
from lagrangian.closed_form.cost import duration
from lagrangian.description.mechanism_of import MechanismLike, mechanism_of
from lagrangian.errors import Argument, ArgumentError, CostError, SimulationError
from lagrangian.model.expression import Expression
from lagrangian.model.mechanism import Mechanism
from lagrangian.motion import arguments
from lagrangian.motion.wrench import WrenchesLike
from lagrangian.proven_digits import refusals, start
from lagrangian.proven_digits.bounds import LOW
from lagrangian.proven_digits.certified import Certified, CertifiedState
from lagrangian.proven_digits.equations import Equations
from lagrangian.proven_digits.integrate import Enclosure, Integration, TooFewBits
from lagrangian.proven_digits.number import ProvenNumber
from lagrangian.proven_digits.parallelepiped import Errors
from lagrangian.proven_digits.precision import bits
from lagrangian.proven_digits.tube import Tube
from lagrangian.types import Progress, State

SCOUT = 64  # bits of the run that looks how errors grow
SCOUTING = 0.15  # its share of the time
SPARE = 10  # bits for rounding
ATTEMPTS = 6
MOST_DIGITS = 10_000
LIMIT = 600.0  # s: what is forecast to take longer is not begun unless asked for
TRIAL = 1.0  # s after which the run that looks how errors grow tells how long it will take


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
    limit: float | None = LIMIT,
    progress: Progress = None,
) -> Certified:
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
    Certified
        The proven states.

    Raises
    ------
    ArgumentError
        If the mechanism has loops or constraints or is not smooth.
    SimulationError
        If the motion may reach a joint limit, or has no bounds.
    CostError
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
    model = mechanism_of(mechanism)
    drive = arguments.drive(torque, wrenches, False, model)
    arguments.check_progress(progress)
    allowed = math.inf if limit is None else number(limit, "limit", least=0.0, infinite=True)
    if isinstance(digits, bool) or not isinstance(digits, (int, np.integer)) or not 1 <= digits <= MOST_DIGITS:
        raise ArgumentError(f"is {digits!r}; a whole number from 1 to {MOST_DIGITS} is needed", argument="digits")
    if not model.nv:
        raise ArgumentError(f"{model.name} has no joint that moves; there is nothing to certify")
    refusals.check(model, drive)
    begin, times = _times(model, t)
    equations = Equations(model, drive)
    task = _Task(model, equations, (q0, qd0), begin, times, int(digits), bool(limits), progress, allowed)
    return task.certified()


def _times(model: Mechanism, given: Any) -> tuple[fmpq, list[fmpq]]:
    """When it begins, and the times that are asked for."""
    if given is None:
        first, last = arguments.span(None, model)
        return start.time(model, first), [start.time(model, last)]
    times = [start.time(model, x) for x in ([given] if isinstance(given, str) or np.ndim(given) == 0 else list(given))]
    if not times or any(b <= a for a, b in zip([fmpq(0), *times], times, strict=False)):
        raise ArgumentError(f"is {given!r}; a time after 0, or several that increase, are needed", argument="t")
    return fmpq(0), times


class _Task:
    """What is to be proven."""

    def __init__(
        self,
        model: Mechanism,
        equations: Equations,
        given: tuple[Any, Any],
        begin: fmpq,
        times: list[fmpq],
        digits: int,
        limits: bool,
        progress: Progress,
        limit: float,
    ) -> None:
        self.model, self.equations, self.given, self.limit = model, equations, given, limit
        self.begin, self.times, self.digits, self.progress = begin, times, digits, progress
        self.stops = refusals.Stops(model) if limits else None
        self.started = perf_counter()

    def certified(self) -> Certified:
        precision = self._scouted()
        for _ in range(ATTEMPTS):
            run = Integration(self.equations, precision, self._start(precision))
            try:
                found = [run.to(t, self._watch, self._teller(SCOUTING)) for t in self.times]
            except TooFewBits as failure:
                done = max(0.05, (failure.t - float(arb(self.begin))) / float(arb(self.times[-1] - self.begin)))
                precision = math.ceil(precision * min(2.0, 1.1 / done))
                continue
            with bits(precision):
                states = tuple(self._state(x, precision) for x in found)
            missing = max(self._missing(state) for state in states)
            if missing <= 0:
                seconds = perf_counter() - self.started
                return Certified(self.model.name, states, self.digits, precision, run.order, run.steps, seconds)
            precision += math.ceil(missing * math.log2(10)) + 8
        raise SimulationError(f"{self.model.name}: {self.digits} digits could not be proven with {precision} bits")

    def _start(self, precision: int) -> Enclosure:
        with bits(precision):
            y = [*start.configuration(self.model, self.given[0]), *start.speeds(self.model, *self.given)]
            y += [arb(0)] * (self.equations.size - len(y))
            return Enclosure(self.begin, [x.mid() for x in y], Errors.of([arb(x.rad()) for x in y]))

    def _scouted(self) -> int:
        """About how many bits are needed: those of the digits, and those that errors take as they grow."""
        begin = self._start(SCOUT)
        run = Integration(self.equations, SCOUT, Enclosure(begin.t, begin.y, Errors.of([arb(1)] * len(begin.y))), scouting=True)
        run.to(self.times[-1], self._watch, self._teller(0.0, SCOUTING))
        with bits(LOW):
            growth = max(float(x.log()) for x in run.at.errors.box) / math.log(2)
        return math.ceil(self.digits * math.log2(10) + max(0.0, growth) + math.log2(run.steps + 1)) + SPARE

    def _watch(self, tube: Tube) -> None:
        if self.stops is not None:
            self.stops.watch(tube)

    def _teller(self, first: float, last: float = 1.0) -> Callable[[float], None]:
        """Tells the progress of a run that takes this share of the time."""
        begin, end = float(arb(self.begin)), float(arb(self.times[-1]))

        def told(t: float) -> None:
            share = (t - begin) / (end - begin)
            self._watch_clock(share if last == SCOUTING else 1.0)
            if self.progress is not None:
                self.progress((first + (last - first) * share) * (end - begin), end - begin)

        return told

    def _watch_clock(self, scouted: float) -> None:
        """An error if the run that looks how errors grow, of which this share is done, takes too long, or what comes after it."""
        spent = perf_counter() - self.started
        expected = spent / scouted if spent > TRIAL else spent
        if spent <= TRIAL or expected <= self.limit:
            return
        done = f"was given up after {duration(spent)}" if scouted == 1.0 else f"would take {duration(expected)} or more"
        raise CostError(
            f"the proof of {self.digits} digits at t = {float(arb(self.times[-1])):g} s {done}",
            where=self.model.name,
            remedy=f"the limit is {duration(self.limit)}; {Argument('limit', None)} removes it. Or choose an earlier time, or "
            f"use simulate",
            seconds=expected,
            limit=self.limit,
        )

    def _state(self, found: Enclosure, precision: int) -> CertifiedState:
        model, begin = self.model, self._start(precision)
        balls = found.balls
        kinetic, potential = self._energies(balls)
        before = sum(self._energies(begin.balls), arb(0))
        work = balls[model.nq + model.nv] if self.equations.works else arb(0)
        numbers = [ProvenNumber.of(x, self.digits) for x in balls[: model.nq + model.nv]]
        return CertifiedState(
            float(arb(found.t)),
            model.coordinate_names,
            model.speed_names,
            tuple(numbers[: model.nq]),
            tuple(numbers[model.nq :]),
            *(ProvenNumber.of(x, self.digits) for x in (kinetic, potential, kinetic + potential - before - work)),
        )

    def _energies(self, balls: list[Any]) -> tuple[Any, Any]:
        kinetic, potential = self.equations.energies(dict(zip(self.equations.inputs, balls, strict=False)))
        return kinetic, potential

    def _missing(self, state: CertifiedState) -> int:
        """How many digits more are wanted of the number that has the fewest; small numbers need only be proven to be small."""
        wanted = [x for x in (*state.q, *state.qd) if x.largest > Fraction(1, 10**self.digits)]
        return max((x.missing(self.digits) for x in wanted), default=0)
