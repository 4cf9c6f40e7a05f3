"""What `lagrangian.certify` gives: states with proven digits."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from os import PathLike
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from lagrangian.arguments import array, number
from lagrangian.errors import ArgumentError, shown
from lagrangian.files import write
from lagrangian.motion.motion import Motion
from lagrangian.proven_digits.number import ProvenNumber


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
    q, qd : tuple of ProvenNumber
        The coordinates and the speeds.
    kinetic_energy, potential_energy : ProvenNumber
        The energies, in J.
    balance : ProvenNumber
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
    q: tuple[ProvenNumber, ...]
    qd: tuple[ProvenNumber, ...]
    kinetic_energy: ProvenNumber
    potential_energy: ProvenNumber
    balance: ProvenNumber  # energy less that at the start and the work done since: its bounds hold zero

    @property
    def digits(self) -> int:
        """The number of proven digits that every coordinate and speed has at least."""
        return min((x.digits for x in (*self.q, *self.qd)), default=0)

    def __getitem__(self, name: str) -> ProvenNumber:
        """Return a coordinate by its name, or a speed by `qd_<name>`."""
        found = dict(zip(self.coordinate_names, self.q, strict=True))
        found |= {f"qd_{name}": x for name, x in zip(self.speed_names, self.qd, strict=True)}
        if name not in found:
            raise ArgumentError(f"there is no {name!r}; there are {', '.join(found)}")
        return found[name]

    def errors(self, state: Motion | tuple[ArrayLike, ArrayLike]) -> np.ndarray:
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
            return bool((self.errors(state) <= within).all())
        return all(x in p for p, x in zip((*self.q, *self.qd), self._numbers(state), strict=True))

    def as_dict(self) -> dict[str, Any]:
        """Return texts and numbers as `save` writes them."""
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
    """Proven states of a motion, one for each time.

    `certify` returns this. `certified[k]` is the state at the k-th time, and `certified["theta1"]` is a number of the last state.

    Attributes
    ----------
    name : str
        The name of the mechanism.
    states : tuple of CertifiedState
        The states.
    asked : int
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
    asked: int
    bits: int
    order: int
    steps: int
    seconds: float

    @property
    def t(self) -> float:
        """The last time, in s."""
        return self.states[-1].t

    @property
    def q(self) -> tuple[ProvenNumber, ...]:
        """The coordinates of the last state."""
        return self.states[-1].q

    @property
    def qd(self) -> tuple[ProvenNumber, ...]:
        """The speeds of the last state."""
        return self.states[-1].qd

    @property
    def balance(self) -> ProvenNumber:
        """The energy balance of the last state, in J."""
        return self.states[-1].balance

    @property
    def digits(self) -> int:
        """The number of proven digits that every coordinate and speed has at least, at every time."""
        return min(state.digits for state in self.states)

    def errors(self, state: Motion | tuple[ArrayLike, ArrayLike]) -> np.ndarray:
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
        return self.states[-1].errors(state)

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

    def as_dict(self) -> dict[str, Any]:
        """Return texts and numbers as `save` writes them."""
        how = {"bits": self.bits, "order": self.order, "steps": self.steps, "seconds": round(self.seconds, 3)}
        return {"mechanism": self.name, "asked": self.asked, **how, "states": [state.as_dict() for state in self.states]}

    def save(self, path: str | PathLike[str]) -> None:
        """Write a JSON file that holds every number with its proven digits and both bounds, as decimal texts.

        Parameters
        ----------
        path : str or path
            The file.
        """
        write(path, json.dumps(self.as_dict(), indent=2) + "\n")

    def __str__(self) -> str:
        how = f"{self.steps} steps of order {self.order} in {self.bits} bits, {self.seconds:.1f} s"
        return "\n".join([f"{self.name}: {how}", *map(str, self.states)])

    def __repr__(self) -> str:
        return f"<Certified {self.name!r}: t = {self.t:g} s, {self.digits} digits>"


def _plain(x: ProvenNumber) -> dict[str, Any]:
    low, high = x.bounds
    return {"value": str(x), "digits": x.digits, "lower": low, "upper": high}
