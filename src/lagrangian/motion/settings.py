"""How a run is made: its integrator, tolerances, and what keeps its constraints."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache
from math import inf

from lagrangian.algorithms.constraints.constrained_dynamics import GroupRanks
from lagrangian.errors import ArgumentError
from lagrangian.motion.integrators.explicit import ExplicitMethod
from lagrangian.motion.integrators.gauss import GaussMethod
from lagrangian.motion.integrators.method import Method
from lagrangian.motion.integrators.rosenbrock import RosenbrockMethod
from lagrangian.motion.tableaus.dormand_prince5 import DP5
from lagrangian.motion.tableaus.dormand_prince8 import DOP853
from lagrangian.motion.tableaus.rodas5p import RODAS5P
from lagrangian.motion.tableaus.runge_kutta4 import RK4
from lagrangian.motion.tableaus.verner9 import VERNER9

STABILISATIONS = ("projection", "baumgarte", "ggl", "none")
RATE = 10.0  # 1/s, of alpha and beta unless they are given


@dataclass(frozen=True)
class Stabilisation:
    """What keeps constraints from drifting: see `STABILISATIONS`. Baumgarte's has `eta'' + 2 alpha eta' + beta^2 eta = 0`."""

    kind: str = "projection"
    alpha: float = RATE
    beta: float = RATE

    def to_dict(self) -> dict[str, float | str]:
        """The fields that mean something, for results and files."""
        rates = {"baumgarte": {"alpha": self.alpha, "beta": self.beta}, "ggl": {"alpha": self.alpha}}
        return {"stabilisation": self.kind, **rates.get(self.kind, {})}


@dataclass
class Settings:
    """How a run is made."""

    method: Method
    rtol: float = 1e-8
    atol: float = 1e-10
    stabilisation: Stabilisation = field(default_factory=Stabilisation)
    step: float | None = None  # the first, or of a method without error estimate every one
    largest: float = inf
    limits: bool = True
    restitution: float = 0.0
    off_constraint: bool = False  # whether it begins off its constraints, as it was asked to
    ranks: GroupRanks = ()  # of equations that follow from others: how many of each group are independent
    rank: int = 0  # of Psi around where it begins, if it is less there: the start is singular
    max_steps: int = 20_000_000
    stiff: Method | None = None  # the method to change to when the motion turns out to be stiff

    @property
    def redundant(self) -> bool:
        """Whether some constraint equations follow from others."""
        return bool(self.ranks)


METHODS: dict[str, Callable[[], Method]] = {
    "dp5": lambda: ExplicitMethod(DP5),
    "dop853": lambda: ExplicitMethod(DOP853),
    "verner9": lambda: ExplicitMethod(VERNER9),
    "rodas5p": lambda: RosenbrockMethod(RODAS5P),
    "symplectic": GaussMethod,
    "rk4": lambda: ExplicitMethod(RK4),
}


def register(name: str, make: Callable[[], Method]) -> None:
    """Add an integrator, which `simulate` then knows by its name."""
    if name in METHODS or name == "auto":
        raise ArgumentError(f"there is a method {name!r} already; give this one another name")
    METHODS[name] = make


@cache
def _made(make: Callable[[], Method]) -> Method:
    return make()


def method_of(name: str) -> Method:
    """The integrator of a name, made once."""
    return _made(METHODS[name])
