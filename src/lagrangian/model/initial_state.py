"""The start of a simulation, and sets of numbers of which some are given and the others follow."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from lagrangian.cached import cached_property
from lagrangian.errors import MechanismError, format_value
from lagrangian.model import checks
from lagrangian.model.expression import Scalar, parameters

if TYPE_CHECKING:
    from lagrangian.model.mechanism import Mechanism

CONTROL_PREFIX = "ctrl_"  # of the parameters that are the controls of a robot file's actuators


@dataclass(frozen=True, eq=False)
class StateOrigin:
    """A mechanism with a configuration, `q0` as `simulate` takes it, from which another one is reached in the same assembly.

    `values` are the parameters that were given other values since.
    """

    mechanism: Mechanism
    q0: Any = None
    values: Mapping[str, float] = field(default_factory=dict)


class PartialState(tuple[float, ...]):
    """Coordinates or speeds in their order, of which only those of `given_names` were given.

    The others are initial guesses: they are solved for, so that the loops close. If there is an `origin`, the loops are closed
    along the way from there.
    """

    given_names: tuple[str, ...]
    origin: StateOrigin | None

    def __new__(cls, values: Iterable[float], given_names: Iterable[str] = (), origin: StateOrigin | None = None) -> PartialState:
        state = super().__new__(cls, values)
        state.given_names, state.origin = tuple(given_names), origin
        return state

    def __repr__(self) -> str:
        return f"PartialState({tuple(self)!r}, given_names={self.given_names!r})"


@dataclass(frozen=True)
class InitialState:
    """How a simulation of a mechanism starts by default.

    Arguments of `simulate` take precedence.

    Parameters
    ----------
    q : sequence of float, optional
        The coordinates, in the order of the mechanism. By default they are zero.
    qd : sequence of float, optional
        The speeds, in the order of the mechanism. By default they are zero.
    t_span : pair of float, optional
        The first and the last time in s.
    torque : sequence of pairs, optional
        The torques as pairs of a speed and a number or an `Expression` of the state.
    revised : bool, optional
        Whether the values were written for other parameters, so that the speeds may violate the constraints. The package sets
        it; leave it out.

    Raises
    ------
    MechanismError
        If `t_span` is not a pair of times, or if `torque` is not a sequence of pairs.

    Examples
    --------
    >>> import lagrangian as lg
    >>> arm = lg.library("two_r").replace(initial=lg.InitialState(q=(0.5, 0.0), t_span=(0.0, 2.0)))
    >>> motion = lg.simulate(arm)
    >>> float(motion.t[-1]), motion.q[0].tolist()
    (2.0, [0.5, 0.0])
    """

    q: tuple[float, ...] | None = None
    qd: tuple[float, ...] | None = None
    t_span: tuple[float, float] | None = None
    torque: tuple[tuple[str, Scalar], ...] = ()
    # whether it was written for other values of the parameters: then speeds in numbers may not keep the constraints
    revised: bool = field(default=False, compare=False, repr=False)

    def __post_init__(self) -> None:
        if self.t_span is not None:
            span = self.t_span if checks.sequence_length(self.t_span) == 2 else (math.nan, math.nan)
            start, end = (float(checks.scalar(t, "t_span")) for t in span)
            if not (math.isfinite(start) and math.isfinite(end) and start < end):
                remedy = "it must be two finite times, the earlier first"
                span_text = f"({start:g}, {end:g})" if span is self.t_span else format_value(self.t_span)
                raise MechanismError(f"is {span_text}", where="[initial]", argument="t_span", remedy=remedy)
        are_pairs = checks.sequence_length(self.torque) >= 0 and all(
            checks.sequence_length(x) == 2 and isinstance(x[0], str) for x in self.torque
        )
        if not are_pairs:
            remedy = "it must be pairs of a speed and its torque, such as (('theta1', 2.0),)"
            raise MechanismError(f"is {format_value(self.torque)}", where="[initial]", argument="torque", remedy=remedy)

    @cached_property
    def driven_speeds(self) -> tuple[str, ...]:
        """The names of the speeds that actuators of a robot file drive."""
        return tuple(speed for speed, x in self.torque if any(name.startswith(CONTROL_PREFIX) for name in parameters(x)))

    @staticmethod
    def from_value(value: InitialState, name: str) -> InitialState:
        """Check that something is an `InitialState`.

        Parameters
        ----------
        value : InitialState
            What the caller gives.
        name : str
            What an error calls it.

        Returns
        -------
        InitialState
            The same object.

        Raises
        ------
        MechanismError
            If it is something else.
        """
        if not isinstance(value, InitialState):
            raise MechanismError(
                f"is {format_value(value)}", argument=name, remedy="it must be an InitialState, such as InitialState(q=(0, 0))"
            )
        return value
