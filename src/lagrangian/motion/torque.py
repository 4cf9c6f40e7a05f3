"""What drives a run: nothing, expressions, a table over time, a Python function, a controller at a fixed rate; and wrenches."""

from __future__ import annotations

import bisect
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from lagrangian.arguments import array, floats, jump_times, number
from lagrangian.errors import (
    ArgumentError,
    ArgumentName,
    DescriptionError,
    LagrangianError,
    SimulationError,
    is_number,
    unknown_name_message,
)
from lagrangian.model.event import state_symbols
from lagrangian.model.expression import Expression, Scalar, free_symbols, parse
from lagrangian.model.mechanism import Mechanism

if TYPE_CHECKING:
    from lagrangian.motion.wrench import Wrench

Function = Callable[[Any, Any, Any], Any]
TorqueFunction = Callable[[float, np.ndarray, np.ndarray], ArrayLike]
"""A function of the time in s, the coordinates and the speeds, which returns one torque for each speed."""


@dataclass(frozen=True)
class Sampled:
    """A digital controller, which a simulation calls at a fixed rate.

    The simulation calls `function(t, q, qd)` once every `period` and holds the torques that it returns until the next sample
    takes effect. The integrator ends a step at every such jump.

    Parameters
    ----------
    function : callable
        The controller: a function of the time in s, the coordinates and the speeds, which returns one torque for each speed. It
        is a plain Python function, not `Traced`.
    period : float
        The time between two samples, in s.
    delay : float, optional
        The time from a sample until its torques act, in s; 0 by default. Before the first torques act, all torques are zero.

    Raises
    ------
    ArgumentError
        If `function` cannot be called, or if `period` or `delay` is out of range.

    See Also
    --------
    Traced : A function that is compiled into the simulation.

    Examples
    --------
    A proportional-derivative controller that runs at 100 Hz holds a pendulum level:

    >>> import lagrangian as lg
    >>> def hold(t, q, qd):
    ...     return 200.0 * (0.0 - q) - 20.0 * qd
    >>> motion = lg.simulate("pendulum", 3, q0=[0.5], torque=lg.Sampled(hold, period=0.01))
    >>> print(motion.q[-1].round(3))
    [-0.049]
    """

    function: TorqueFunction
    period: float
    delay: float = 0.0

    def __post_init__(self) -> None:
        if not callable(self.function):
            raise ArgumentError(f"Sampled: a function of (t, q, qd) is needed, not {self.function!r}", concerns="function")
        object.__setattr__(self, "period", number(self.period, "period", above=0.0, where="Sampled"))
        object.__setattr__(self, "delay", number(self.delay, "delay", least=0.0, where="Sampled"))


@dataclass(frozen=True)
class Traced:
    """A Python function of torques that is compiled into the simulation.

    The function is called once, with symbols for the time, the coordinates and the speeds. The formulas that it returns become
    part of the machine code, so that the simulation does not call Python at every step. The integrator also knows their
    derivatives, which the stiff method `rodas5p` and `linearise` need.

    Parameters
    ----------
    function : callable
        A function of (t, q, qd) that returns one torque for each speed. It may use arithmetic and NumPy's `sin`, `cos`, `sqrt`,
        `exp`, `log`, `tanh` and `arctan`. It must not branch on values.

    See Also
    --------
    Sampled : A function that is called at a fixed rate.

    Examples
    --------
    >>> import lagrangian as lg
    >>> import numpy as np
    >>> def drive(t, q, qd):
    ...     return [2.0 * np.sin(t) - 0.5 * qd[0]]
    >>> motion = lg.simulate("pendulum", 2, torque=lg.Traced(drive))
    >>> print(motion.tau[0], motion.tau[-1].round(3))
    [0.] [3.016]
    """

    function: Function


TorqueLike = (
    float
    | ArrayLike
    | Mapping[str, float | str | ArrayLike | Expression]
    | tuple[ArrayLike, ArrayLike]
    | TorqueFunction
    | Sampled
    | Traced
    | None
)
"""What drives a mechanism: numbers, expressions by the names of joints, (times, values), a function, or None for its own."""


@dataclass
class Torque:
    """A source, checked: what of it is compiled (`formulas`, `function`), and what Python supplies."""

    formulas: Mapping[str, Scalar] = field(default_factory=dict)
    traced: Function | None = None
    called: Function | None = None
    table: tuple[np.ndarray, np.ndarray] | None = None
    sampled: Sampled | None = None
    external: bool = False  # whether Python supplies torques during the run
    adjustable: bool = False  # whether events set further ones
    breaks: tuple[float, ...] = ()  # times, in their order, at which something jumps: steps end there
    saturate: bool = False  # whether joints' limits of effort bound them all
    wrenches: tuple[Wrench, ...] = ()

    @property
    def asks(self) -> bool:
        """Whether a Python function is asked at every stage of every step."""
        return self.called is not None or any(w.called is not None for w in self.wrenches)

    @property
    def key(self) -> tuple[object, ...] | None:
        """What compiled code depends on; None of a function that must be traced to be known."""
        if self.traced is not None:
            return None
        wrenches = tuple((w.place, w.entries) for w in self.wrenches)
        return (tuple(self.formulas.items()), self.external, self.adjustable, self.saturate, wrenches)

    def jump(self, t: float) -> float:
        """The next of these times after t."""
        k = bisect.bisect_right(self.breaks, t)
        return self.breaks[k] if k < len(self.breaks) else math.inf


# texts that were read before, with their mechanisms: the same run is often made again with another start
_TEXTS: dict[tuple[int, str], tuple[Mechanism, Scalar]] = {}
REMEMBERED = 256


def _read(text: str, mechanism: Mechanism) -> Scalar:
    known = _TEXTS.get((id(mechanism), text))
    if known is None or known[0] is not mechanism:
        if len(_TEXTS) >= REMEMBERED:
            _TEXTS.clear()
        known = _TEXTS[id(mechanism), text] = (mechanism, parse(text, state_symbols(mechanism)))
    return known[1]


def expression(given: Any, mechanism: Mechanism, where: str) -> Scalar:
    """Text, a number or an expression, as an expression of the state."""
    if isinstance(given, str):
        try:
            return _read(given, mechanism)
        except DescriptionError as error:
            raise ArgumentError(f"{where}: {error}") from None
    if isinstance(given, Expression):
        names = state_symbols(mechanism)
        for name in sorted(free_symbols(given) - set(names)):
            raise ArgumentError(f"{where}: {unknown_name_message('name', name, names)}")
        return given
    if is_number(given):
        return float(given)
    if callable(given):
        raise ArgumentError(f"{where} is a function; pass one function of (t, q, qd) that returns all torques: torque=function")
    raise ArgumentError(f"{where} is {given!r}; a finite number, or an expression in text such as '1.96 - 0.1*theta1', is needed")


def source(given: Any, mechanism: Mechanism) -> Torque:
    """What `torque=` may be, as a `Torque`."""
    if given is None:
        return Torque(dict(mechanism.initial.torque))
    if isinstance(given, Torque):
        return given
    if isinstance(given, Mapping):
        speeds = mechanism.speed_names
        for name in given:
            if name not in speeds:
                raise ArgumentError(unknown_name_message("joint or speed", name, speeds), where=ArgumentName("torque"))
        return Torque({name: expression(x, mechanism, f"torque of {name!r}") for name, x in given.items()})
    if isinstance(given, Sampled):
        return Torque(sampled=given, external=True)
    if isinstance(given, Traced):
        return Torque(traced=given.function)
    if isinstance(given, type):
        raise ArgumentError(
            f"is the class {given.__name__}; give an object of this class: {given.__name__}(model, path)", argument="torque"
        )
    if callable(given):
        return Torque(called=given, external=True, breaks=jump_times(given, "torque"))
    if isinstance(given, tuple) and len(given) == 2 and _is_row(given[0]):
        return Torque(table=_table(*given, mechanism.nv), external=True)
    try:
        values = floats(given)
    except (TypeError, ValueError):
        raise ArgumentError(
            f"is {type(given).__name__}; it may be None, numbers, a mapping of speeds to expressions, (times, values), "
            f"a function of (t, q, qd), Sampled(...) or Traced(...)",
            argument="torque",
        ) from None
    if values.ndim == 0:
        values = np.full(mechanism.nv, float(values))
    if values.shape != (mechanism.nv,) or not np.isfinite(values).all():
        given = f"is {values}" if values.shape == (mechanism.nv,) else f"has shape {values.shape}"
        raise ArgumentError(f"{given}; {mechanism.nv} finite numbers are needed, one for each speed", argument="torque")
    return Torque({name: float(x) for name, x in zip(mechanism.speed_names, values, strict=True) if x})


def _is_row(given: Any) -> bool:
    try:
        return floats(given).ndim == 1
    except TypeError:
        return isinstance(given, (list, tuple, np.ndarray))


def _table(times: Any, values: Any, n: int) -> tuple[np.ndarray, np.ndarray]:
    times, values = array(times, "torque"), array(values, "torque")
    if values.ndim == 1 and n == 1:
        values = values.reshape(-1, 1)
    if len(times) < 2 or values.shape != (len(times), n):
        raise ArgumentError(
            f"a table of {len(times)} times and values of shape {values.shape} is given; ({len(times)}, {n}) is needed, "
            f"for at least two times",
            where=ArgumentName("torque"),
        )
    if not (np.isfinite(times).all() and np.isfinite(values).all()):
        raise ArgumentError("the table has a number that is not finite", where=ArgumentName("torque"))
    _check_order(times)
    return times, values


def _check_order(times: np.ndarray) -> None:
    """Times increase; one that is given twice is a jump, from the value before to the value after."""
    if np.any(np.diff(times) < 0):
        k = int(np.argmax(np.diff(times) < 0))
        raise ArgumentError(f"times must increase; after {times[k]:g} s comes {times[k + 1]:g} s", where=ArgumentName("torque"))
    if np.any(times[2:] == times[:-2]):
        k = int(np.argmax(times[2:] == times[:-2]))
        raise ArgumentError(
            f"the time {times[k]:g} s is given more than twice",
            where=ArgumentName("torque"),
            remedy="give a time twice for a jump",
        )


def checked(
    values: Any, n: int, t: float, what: str = "the torque function", error: type[LagrangianError] = SimulationError
) -> np.ndarray:
    """What a function of torques, or of a wrench, returned, as an array."""
    try:
        array = floats(values)
    except (TypeError, ValueError):
        raise error(f"{what} returned {values!r} at t = {t:g} s; {n} numbers are needed") from None
    if array.ndim == 0 and n == 1:
        array = array.reshape(1)
    if array.shape != (n,):
        raise error(f"{what} returned shape {array.shape} at t = {t:g} s; ({n},) is needed")
    if not np.isfinite(array).all():
        raise error(f"{what} returned {array} at t = {t:g} s; finite numbers are needed")
    return array
