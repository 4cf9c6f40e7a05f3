"""How a simulation starts, and numbers of which some were given, and the others follow."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from lagrangian.cached import cached_property
from lagrangian.errors import MechanismError, shown
from lagrangian.model import coerce
from lagrangian.model.expression import Scalar, parameters

if TYPE_CHECKING:
    from lagrangian.model.mechanism import Mechanism

CONTROL = "ctrl_"  # how the parameters begin that a robot file's actuators are told what to do by


@dataclass(frozen=True, eq=False)
class Origin:
    """A mechanism with a configuration, `q0` as `simulate` takes it, from which another one is reached in the same assembly.

    `values` are the parameters that were given other values since.
    """

    mechanism: Mechanism
    q0: Any = None
    values: Mapping[str, float] = field(default_factory=dict)


class Partial(tuple[float, ...]):
    """Coordinates or speeds in their order, of which only those named in `given` were said: the others are where to begin, and
    are found so that the loops close. Where there is an `origin`, they are reached from there.
    """

    given: tuple[str, ...]
    origin: Origin | None

    def __new__(cls, values: Iterable[float], given: Iterable[str] = (), origin: Origin | None = None) -> Partial:
        made = super().__new__(cls, values)
        made.given, made.origin = tuple(given), origin
        return made

    def __repr__(self) -> str:
        return f"Partial({tuple(self)!r}, given={self.given!r})"


@dataclass(frozen=True)
class Initial:
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
    >>> arm = lg.library("two_r").replace(initial=lg.Initial(q=(0.5, 0.0), t_span=(0.0, 2.0)))
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
            given = self.t_span if coerce.count(self.t_span) == 2 else (math.nan, math.nan)
            start, end = (float(coerce.scalar(t, "t_span")) for t in given)
            if not (math.isfinite(start) and math.isfinite(end) and start < end):
                needed = "it must be two finite times, the earlier first"
                told = f"({start:g}, {end:g})" if given is self.t_span else shown(self.t_span)
                raise MechanismError(f"is {told}", where="[initial]", argument="t_span", remedy=needed)
        pairs = coerce.count(self.torque) >= 0 and all(coerce.count(x) == 2 and isinstance(x[0], str) for x in self.torque)
        if not pairs:
            needed = "it must be pairs of a speed and its torque, such as (('theta1', 2.0),)"
            raise MechanismError(f"is {shown(self.torque)}", where="[initial]", argument="torque", remedy=needed)

    @cached_property
    def controlled(self) -> tuple[str, ...]:
        """The names of the speeds that actuators of a robot file drive."""
        return tuple(speed for speed, x in self.torque if any(name.startswith(CONTROL) for name in parameters(x)))

    @staticmethod
    def of(given: Initial, name: str) -> Initial:
        """Check that something is an `Initial`.

        Parameters
        ----------
        given : Initial
            What the caller gives.
        name : str
            What an error calls it.

        Returns
        -------
        Initial
            The same object.

        Raises
        ------
        MechanismError
            If it is something else.
        """
        if not isinstance(given, Initial):
            raise MechanismError(f"is {shown(given)}", argument=name, remedy="it must be an Initial, such as Initial(q=(0, 0))")
        return given
