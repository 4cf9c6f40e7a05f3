"""What `lagrangian.certify` gives: states with proven digits."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from os import PathLike
from typing import Any

import numpy as np

from lagrangian.arguments import array, number
from lagrangian.errors import ArgumentError, shown
from lagrangian.files import write
from lagrangian.motion.motion import Motion
from lagrangian.proven_digits.number import ProvenNumber


@dataclass(frozen=True, repr=False)
class CertifiedState:
    """A state at time `t`: every number of it lies between bounds that are proven."""

    t: float
    coordinate_names: tuple[str, ...]
    speed_names: tuple[str, ...]
    q: tuple[ProvenNumber, ...]
    qd: tuple[ProvenNumber, ...]
    kinetic_energy: ProvenNumber
    potential_energy: ProvenNumber
    balance: ProvenNumber  # energy less that at the start and the work done since: its bounds hold zero

    @property
    def digits(self) -> int:
        """The digits that are proven of every coordinate and speed."""
        return min((x.digits for x in (*self.q, *self.qd)), default=0)

    def __getitem__(self, name: str) -> ProvenNumber:
        """A coordinate by its name, or a speed as qd_<name>."""
        found = dict(zip(self.coordinate_names, self.q, strict=True))
        found |= {f"qd_{name}": x for name, x in zip(self.speed_names, self.qd, strict=True)}
        if name not in found:
            raise ArgumentError(f"there is no {name!r}; there are {', '.join(found)}")
        return found[name]

    def errors(self, state: Any) -> np.ndarray:
        """How far each coordinate and speed of another state is from this one at most; a pair (q, qd), or a motion's last row."""
        return np.array([p.distance(x) for p, x in zip((*self.q, *self.qd), self._numbers(state), strict=True)])

    def _numbers(self, state: Any) -> list[float]:
        """Of another state, checked: as many as there are coordinates and speeds here, at the same time."""
        parts = (state.q[-1], state.qd[-1]) if isinstance(state, Motion) else state
        if not isinstance(parts, (tuple, list, np.ndarray)) or len(parts) != 2:
            raise ArgumentError(f"is {shown(state)}", argument="state", remedy="a pair (q, qd), or a motion, is needed")
        given = [float(x) for part in parts for x in array(part, "state").reshape(-1)]
        if len(given) != len(self.q) + len(self.qd):
            needed = len(self.q) + len(self.qd)
            raise ArgumentError(f"a state of {len(given)} numbers is given; {needed} are needed", concerns="state")
        if isinstance(state, Motion) and abs(float(state.t[-1]) - self.t) > 1e-12 * max(1.0, abs(self.t)):
            raise ArgumentError(f"the motion ends at {state.t[-1]:g} s, the state is at {self.t:g} s", concerns="state")
        return given

    def contains(self, state: Any, within: float = 0.0) -> bool:
        """Whether every number of another state is surely within so much of the true one; 0 asks whether it is in the bounds."""
        if number(within, "within", least=0.0, infinite=True):
            return bool((self.errors(state) <= within).all())
        return all(x in p for p, x in zip((*self.q, *self.qd), self._numbers(state), strict=True))

    def as_dict(self) -> dict[str, Any]:
        """Texts and numbers, as `save` writes them."""
        return {
            "t": self.t,
            "q": {name: _plain(x) for name, x in zip(self.coordinate_names, self.q, strict=True)},
            "qd": {name: _plain(x) for name, x in zip(self.speed_names, self.qd, strict=True)},
            "kinetic_energy": _plain(self.kinetic_energy),
            "potential_energy": _plain(self.potential_energy),
            "balance": _plain(self.balance),
        }

    def __str__(self) -> str:
        names = [*self.coordinate_names, *(f"qd_{name}" for name in self.speed_names)]
        width = max(len(name) for name in names)
        lines = [f"t = {self.t:g} s, {self.digits} digits proven"]
        lines += [f"  {name:<{width}}  {x}" for name, x in zip(names, (*self.q, *self.qd), strict=True)]
        return "\n".join([*lines, f"  energy balance between {self.balance.lower:.1e} and {self.balance.upper:.1e} J"])


@dataclass(frozen=True, repr=False)
class Certified:
    """The states of a motion at the times that were asked for, each with proven bounds; `q`, `qd` and `t` are of the last.

    `asked` is how many digits were asked for; `bits`, `order` and `steps` say how they were found, `seconds` how long it took.
    """

    name: str
    states: tuple[CertifiedState, ...]
    asked: int
    bits: int
    order: int
    steps: int
    seconds: float

    @property
    def t(self) -> float:
        return self.states[-1].t

    @property
    def q(self) -> tuple[ProvenNumber, ...]:
        return self.states[-1].q

    @property
    def qd(self) -> tuple[ProvenNumber, ...]:
        return self.states[-1].qd

    @property
    def balance(self) -> ProvenNumber:
        return self.states[-1].balance

    @property
    def digits(self) -> int:
        """The digits that are proven of every coordinate and speed at every time."""
        return min(state.digits for state in self.states)

    def errors(self, state: Any) -> np.ndarray:
        """`CertifiedState.errors` of the last state."""
        return self.states[-1].errors(state)

    def contains(self, state: Any, within: float = 0.0) -> bool:
        """`CertifiedState.contains` of the last state."""
        return self.states[-1].contains(state, within)

    def __getitem__(self, k: int | str) -> Any:
        """The state at the k-th time; or a number of the last state by its name."""
        return self.states[-1][k] if isinstance(k, str) else self.states[k]

    def __len__(self) -> int:
        return len(self.states)

    def __iter__(self) -> Iterator[CertifiedState]:
        return iter(self.states)

    def as_dict(self) -> dict[str, Any]:
        """Texts and numbers, as `save` writes them."""
        how = {"bits": self.bits, "order": self.order, "steps": self.steps, "seconds": round(self.seconds, 3)}
        return {"mechanism": self.name, "asked": self.asked, **how, "states": [state.as_dict() for state in self.states]}

    def save(self, path: str | PathLike[str]) -> None:
        """Write it as JSON: every number with its proven digits and both bounds, as decimal texts."""
        write(path, json.dumps(self.as_dict(), indent=2) + "\n")

    def __str__(self) -> str:
        how = f"{self.steps} steps of order {self.order} in {self.bits} bits, {self.seconds:.1f} s"
        return "\n".join([f"{self.name}: {how}", *map(str, self.states)])

    def __repr__(self) -> str:
        return f"<Certified {self.name!r}: t = {self.t:g} s, {self.digits} digits>"


def _plain(x: ProvenNumber) -> dict[str, Any]:
    low, high = x.bounds
    return {"value": str(x), "digits": x.digits, "lower": low, "upper": high}
