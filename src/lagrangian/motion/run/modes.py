"""The modes of joints that can be held: what u says of dry friction that sticks and slips, of stops at joint limits, of locks.

Between events a mode is fixed and the equations are smooth: a held joint has no freedom, a slipping one has a constant friction
force. What is at rest, and how it goes on, is found by `Rest`; what happens to speeds that change at once by `Impacts`.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from lagrangian.kernels.dynamics import Dynamics
from lagrangian.motion.run.freedom import corrected
from lagrangian.motion.run.supply import Supply
from lagrangian.motion.solver.solver import Solver
from lagrangian.motion.system.inputs import ALLOWED, HELD, HIGH, LOW, PER_JOINT, SLIP, STUCK, WAY

# slower than this, in units of what the tolerances allow, a joint counts as at rest
REST = 10.0
# nearer than this to its limit a joint touches its stop
TOUCH = 1e-12

_PLACES = {"held": HELD, "stuck": STUCK, "low": LOW, "high": HIGH, "slip": SLIP, "way": WAY, "allowed": ALLOWED}


class Response(NamedTuple):
    """Accelerations, the multipliers of the constraints, and what holds each speed."""

    qdd: np.ndarray
    multipliers: np.ndarray
    holding: np.ndarray


class Modes:
    """The modes of a system's joints, as they stand in u."""

    def __init__(self, dyn: Dynamics, solver: Solver, supply: Supply, allowed: float) -> None:
        """`allowed` is the speed at which a joint counts as at rest."""
        self.dyn, self.system, self._solver, self._supply = dyn, solver.system, solver, supply
        self.rest = allowed
        self.nq, self.nv = self.system.nq, self.system.nv
        self._first = self.system.inputs.joint(0)
        holdable = self.system.holdable
        self.speeds = np.array([h.speed for h in holdable], dtype=int)
        self._numbers = {h.speed: j for j, h in enumerate(holdable)}
        self._coordinates = np.array([max(0, h.coordinate) for h in holdable], dtype=int)
        self._bounds = [(what, *_touched([getattr(h, end) for h in holdable])) for what, end in ((LOW, "lower"), (HIGH, "upper"))]

    # -- what u says -------------------------------------------------------------------------------------------------

    def place(self, j: int, what: int) -> int:
        return self._first + PER_JOINT * j + what

    def table(self, u: np.ndarray) -> np.ndarray:
        """What u says of all joints that can be held, a row a joint: a view of u."""
        return u[self.place(0, 0) : self.place(len(self.speeds), 0)].reshape(-1, PER_JOINT)

    def number(self, speed: int) -> int:
        return self._numbers[speed]

    def name(self, j: int) -> str:
        """The name of its speed; of speeds whose friction acts together, that of their joint."""
        mechanism, h = self.system.mechanism, self.system.holdable[j]
        if not h.disc:
            return mechanism.speed_names[h.speed]
        return next(x.name for x in mechanism.joints for name in x.speed_names if name == mechanism.speed_names[h.speed])

    def held(self, u: np.ndarray, j: int) -> bool:
        return bool(u[self.place(j, HELD)] > 0.5)

    def stuck(self, u: np.ndarray, j: int) -> bool:
        return bool(u[self.place(j, STUCK)] > 0.5)

    def side(self, u: np.ndarray, j: int) -> int:
        """At which of its limits a joint is held: LOW, HIGH, or 0."""
        return next((what for what in (LOW, HIGH) if u[self.place(j, what)] > 0.5), 0)

    def way(self, u: np.ndarray, j: int) -> float:
        """Which way a joint with friction slips; 0 if it does not."""
        return float(u[self.place(j, WAY)])

    def locked(self, u: np.ndarray, j: int) -> bool:
        return self.held(u, j) and not self.stuck(u, j) and not self.side(u, j)

    def locks(self, u: np.ndarray) -> list[int]:
        table = self.table(u)
        found: list[int] = np.flatnonzero((table[:, HELD] > 0.5) & (table[:, STUCK:SLIP].max(axis=1) <= 0.5)).tolist()
        return found

    def of_speeds(self, u: np.ndarray) -> dict[int, np.ndarray]:
        """What u says of every joint that can be held, by its speed."""
        return dict(zip(self.speeds.tolist(), self.table(u).copy(), strict=True))

    def set_speeds(self, u: np.ndarray, modes: dict[int, np.ndarray]) -> None:
        for speed, values in modes.items():
            at = self.place(self.number(speed), 0)
            u[at : at + PER_JOINT] = values

    def set(self, u: np.ndarray, j: int, **values: float) -> None:
        """A joint's mode; what is not given is zero."""
        at = self.place(j, 0)
        u[at : at + PER_JOINT] = 0.0
        for name, value in values.items():
            u[at + _PLACES[name]] = value

    def slip(self, u: np.ndarray, j: int, way: float, allowed: float = 0.0) -> None:
        """A joint slips: up or down, or along its part of a direction, whose friction follows the speed by itself."""
        constant = 0.0 if self.system.holdable[j].disc else self.sliding(j, way)
        self.set(u, j, slip=constant, way=way, allowed=allowed)

    def sliding(self, j: int, way: float) -> float:
        """The friction of a joint that slides."""
        h = self.system.holdable[j]
        positive, negative = h.friction or (0.0, 0.0)
        return way * positive if h.disc else positive if way > 0 else -negative

    # -- forces and speeds -------------------------------------------------------------------------------------------

    def response(self, u: np.ndarray, y: np.ndarray, t: float) -> Response:
        """What the mechanism answers to all that acts."""
        found = self._solver.responses(self._supply.with_functions(u, t, y)[None], np.array([t]), y[None])[0]
        return Response(found[: self.nv], found[self.nv : -self.nv], found[-self.nv :])

    @staticmethod
    def pushed(response: Response, mass: np.ndarray, psi: np.ndarray) -> np.ndarray:
        """The forces without those of constraints and locks, which may take all of them but rounding."""
        found: np.ndarray = mass @ response.qdd - psi[: len(response.multipliers)].T @ response.multipliers - response.holding
        return found

    def rows(self, y: np.ndarray, t: float, held: Iterable[int]) -> tuple[np.ndarray, np.ndarray]:
        """Psi of the constraints and of joints held, and the rates of both."""
        q, qd, speeds = y[: self.nq], y[self.nq :], self.speeds[list(held)]
        psi, rate = np.eye(self.nv)[speeds], qd[speeds]
        if self.system.mechanism.equation_count:
            psi = np.vstack([self.dyn.constraint_jacobian(q, t), psi])
            rate = np.concatenate([self.dyn.constraint_rate(q, qd, t), rate])
        return psi, rate

    def paces(self, u: np.ndarray, y: np.ndarray) -> list[float]:
        """How fast each joint is, without sign; together with those whose friction acts with its own."""
        found: list[float] = np.abs(y[self.nq + self.speeds]).tolist()
        for j, h in enumerate(self.system.holdable):
            if h.disc:
                together = [k for k in map(self.number, h.disc) if not self.locked(u, k)]
                found[j] = float(np.linalg.norm(y[self.nq + self.speeds[together]]))
        return found

    def touches(self, u: np.ndarray, y: np.ndarray) -> list[int]:
        """The limit at which each joint is: LOW, HIGH, or 0."""
        sides = [LOW if row[LOW] > 0.5 else HIGH if row[HIGH] > 0.5 else 0 for row in self.table(u).tolist()]
        q = y[self._coordinates]
        for what, bounds, near in reversed(self._bounds):
            for j in np.flatnonzero(np.abs(q - bounds) <= near).tolist():
                sides[j] = what
        return sides

    def still(self, u: np.ndarray, y: np.ndarray, t: float, others: Iterable[int] = ()) -> None:
        """Take away what is left of the speeds of joints that are held, and of others."""
        still = [*np.flatnonzero(self.table(u)[:, HELD] > 0.5).tolist(), *others]
        speeds = self.nq + self.speeds[still]
        if np.any(y[speeds]):
            psi, rate = self.rows(y, t, still)
            y[self.nq :] += corrected(self.dyn.mass_matrix(y[: self.nq]), psi, rate)
            y[speeds] = 0.0


def _touched(bounds: list[float]) -> tuple[np.ndarray, np.ndarray]:
    """Limits, and how near to them a joint touches its stop; where there is none, nothing is near enough."""
    limits = np.array(bounds, dtype=float)
    there = np.isfinite(limits)
    return np.where(there, limits, 0.0), np.where(there, TOUCH * (1 + np.abs(np.where(there, limits, 0.0))), -1.0)
