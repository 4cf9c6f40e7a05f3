"""The loops of a mechanism and its other equations of coordinates, eta(q, t) = 0: what they miss by, and where they close."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from lagrangian.cached import cached_property
from lagrangian.configuration.alignment import Alignment
from lagrangian.configuration.coordinates import moved, single_coordinates
from lagrangian.configuration.newton import Found, Newton
from lagrangian.errors import AssemblyError
from lagrangian.kernels.direct import relative_jacobian
from lagrangian.kernels.not_finite import looked_at

if TYPE_CHECKING:
    from lagrangian.kernels.dynamics import Dynamics

CLOSED = 1e-12  # of the slopes' size: a loop that misses by less is closed
NEAR = 1e-6  # m, or radians: a configuration that was given, and misses by less, was rounded when it was written
# and by no more than rounding: what is given is left as it is
EXACT = 1e-15
STARTS = 40  # descents from around where one from there itself does not close the loops
PORTION = 5  # starts at a time


@dataclass(frozen=True)
class Miss:
    """By how much an equation of a loop is not met; `unit` is "m" for lengths, and "" for directions and expressions."""

    name: str
    amount: float
    unit: str

    def __str__(self) -> str:
        return f"{self.name} misses by {self.amount:.3g} {self.unit}".rstrip()


class Loops:
    """The loops of a mechanism at a time, as equations for Newton's method, with some coordinates held.

    `held` names the coordinates that keep their values while the others close the loops.
    """

    def __init__(self, dyn: Dynamics, t: float = 0.0, held: Iterable[str] = ()) -> None:
        self.dyn, self.mechanism, self.t, self.held = dyn, dyn.mechanism, t, tuple(held)
        self.rows = dyn.holonomic
        self.free = np.ones(dyn.nv)
        if self.held:
            places = single_coordinates(dyn.mechanism)
            self.free[[places[name][1] for name in self.held]] = 0.0
        self._newton = Newton(self, self.free)
        self.alignment = Alignment(self)
        self._afar = Newton(self.alignment, self.free, iterations=50)

    def __bool__(self) -> bool:
        """Whether there is anything to close."""
        return bool(self.rows.any())

    def residual(self, q: np.ndarray, t: np.ndarray, rows: np.ndarray) -> np.ndarray:
        """eta."""
        return self.dyn.closure(q, t) if self else np.zeros((len(q), 0))

    def matrix(self, q: np.ndarray, t: np.ndarray, rows: np.ndarray) -> np.ndarray:
        """The rows of Psi that are equations of coordinates.

        Without the joints that carry a loop, they are those of the same loop in axes that turn with what carries it.
        """
        psi: np.ndarray = relative_jacobian(self.dyn, q, t)[:, self.rows]
        return psi

    # -- how far from closed -----------------------------------------------------------------------------------------

    @cached_property
    def names(self) -> list[str]:
        """Of the equations, in their order."""
        return [name for name, kept in zip(self.dyn.constraint_names, self.rows, strict=True) if kept]

    def worst(self, q: np.ndarray) -> Miss | None:
        """The equation that is furthest from being met; None where there is none."""
        if not self:
            return None
        with looked_at():
            eta = np.abs(self.dyn.closure(q, self.t))
        k = int(np.argmax(eta))
        return Miss(self.names[k], float(eta[k]), self._unit(self.names[k]))

    def of_each_loop(self, q: np.ndarray) -> list[Miss]:
        """The misses of the equations of each loop together, the largest first."""
        loops: dict[str, Miss] = {}
        with looked_at():
            closure = self.dyn.closure(q, self.t)
        for equation, eta in zip(self.names, closure, strict=True):
            name, unit = equation.rpartition(".")[0] or equation, self._unit(equation)
            before = loops.get(name, Miss(name, 0.0, unit))
            loops[name] = Miss(name, float(np.hypot(before.amount, eta)), unit if before.unit == unit else "")
        return sorted(loops.values(), key=lambda miss: -miss.amount)

    def _unit(self, name: str) -> str:
        loop, _, label = name.rpartition(".")
        of_loop = any(x.name == loop for x in self.dyn.mechanism.loops)
        return "m" if (of_loop and label in ("x", "y", "z", "length")) or label == "contact" else ""

    # -- where they close --------------------------------------------------------------------------------------------

    def nearest(self, q: np.ndarray) -> Found:
        """As closed as one descent makes it, from a configuration or from rows of them."""
        return self._newton.solve(np.atleast_2d(q), self.t)

    def closed(self, q: np.ndarray, starts: int) -> np.ndarray:
        """A closed configuration near q: by one descent, else by others from ever further away, `starts` of them at once."""
        if not self:
            return q
        best = self.nearest(q)
        if self._open(best)[0] and self.alignment:
            best = self._from_afar(q[None])
        for some in self._portions(starts if self._open(best)[0] else 0):
            others = self._from_afar(self._around(q, starts)[some])
            closed = np.flatnonzero(~self._open(others))
            nearest = int(closed[0]) if closed.size else int(np.argmin(np.nan_to_num(others.miss, nan=np.inf)))
            best = others.row(nearest) if closed.size or not best.miss[0] <= others.miss[nearest] else best
            if closed.size:
                break
        if self._open(best)[0]:
            raise self.error(best.q[0])
        return best.q[0]

    def _portions(self, starts: int) -> list[slice]:
        """All at once; or a few at a time, where looking which way round loops are costs more."""
        size = PORTION if self.alignment else max(1, starts)
        return [slice(k, k + size) for k in range(0, starts, size)]

    def _from_afar(self, q: np.ndarray) -> Found:
        """As closed as a descent makes it that sees which way round loops are to be closed."""
        return self.nearest(self._afar.solve(q, self.t).q if self.alignment else q)

    def _open(self, found: Found) -> np.ndarray:
        return ~(found.miss <= CLOSED) | ~self.alignment.met(found.q)

    def _around(self, q: np.ndarray, starts: int) -> np.ndarray:
        rng = np.random.default_rng(0)
        spread = np.pi * np.arange(1, starts + 1)[:, None] / starts
        steps = self.free * spread * rng.normal(size=(starts, self.dyn.nv))
        return moved(self.dyn.mechanism, np.repeat(q[None], starts, axis=0), steps)

    def error(self, q: np.ndarray) -> AssemblyError:
        """That no configuration was found; q is the nearest to one."""
        told = ", ".join(
            f"{x.name!r} misses by {x.amount:.3g} {x.unit}".rstrip() for x in self.of_each_loop(q)[:4] if not x.amount <= 1e-9
        )
        told = told or "a loop that keeps an orientation is closed the wrong way round, by half a turn"
        held = f" with {', '.join(self.held)} fixed" if self.held else ""
        hint = "Lengths or placements may not fit, or the search must start nearer to the wanted configuration"
        if self.of_each_loop(q)[0].amount < NEAR:
            hint = (
                "The gaps are so small that rounded numbers in the description seem to contradict each other: give more digits, "
                "or remove redundant loops and constraints with mechanism.replace(loops=..., constraints=...)"
            )
        return AssemblyError(
            f"{self.dyn.mechanism.name}: no configuration was found that closes the loops{held}: at the nearest {told}. {hint}"
        )
