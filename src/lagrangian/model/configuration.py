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
    """How a simulation of this mechanism starts when nothing else is said.

    A `q` or `qd` that is a `Partial` says only some: the others follow from the loops.
    """

    q: tuple[float, ...] | None = None
    qd: tuple[float, ...] | None = None
    t_span: tuple[float, float] | None = None
    torque: tuple[tuple[str, Scalar], ...] = ()

    def __post_init__(self) -> None:
        if self.t_span is not None:
            given = self.t_span if coerce.count(self.t_span) == 2 else (math.nan, math.nan)
            start, end = (float(coerce.scalar(t, "t_span")) for t in given)
            if not (math.isfinite(start) and math.isfinite(end) and start < end):
                needed = "two finite times are needed, the earlier first"
                told = f"({start:g}, {end:g})" if given is self.t_span else shown(self.t_span)
                raise MechanismError(f"is {told}", where="[initial]", argument="t_span", remedy=needed)
        pairs = coerce.count(self.torque) >= 0 and all(coerce.count(x) == 2 and isinstance(x[0], str) for x in self.torque)
        if not pairs:
            needed = "speeds with what drives them are needed: (('theta1', 2.0),)"
            raise MechanismError(f"is {shown(self.torque)}", where="[initial]", argument="torque", remedy=needed)

    @cached_property
    def controlled(self) -> tuple[str, ...]:
        """The speeds that actuators of a robot file drive: a control is in their torque."""
        return tuple(speed for speed, x in self.torque if any(name.startswith(CONTROL) for name in parameters(x)))

    @staticmethod
    def of(given: Any, name: str) -> Initial:
        if not isinstance(given, Initial):
            raise MechanismError(f"is {shown(given)}", argument=name, remedy="an Initial is needed, such as Initial(q=(0, 0))")
        return given
