"""Speeds that change at once, where joints meet their limits or are locked: by the balance of momentum."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from lagrangian.errors import SimulationError
from lagrangian.motion.run.complementarity import ROUNDING, Bounds, Contradiction, solved
from lagrangian.motion.run.freedom import Freedom, corrected
from lagrangian.motion.run.modes import Modes
from lagrangian.motion.system.balance import moving_constraints
from lagrangian.motion.system.inputs import HIGH, LOW

# bounces slower than this part of the hardest impact are over: they would never end
STILL = 1e-3
# so many impacts at one instant may follow each other; the last does not bounce
IMPACTS = 1000
# speeds that locks and constraints leave to each other, from which they contradict each other
CONTRADICTS = 1e-6


class Impacts:
    """Impacts of one run at stops and locks."""

    def __init__(self) -> None:
        self.hardest = 0.0  # the fastest impact at a stop so far

    def lock(self, modes: Modes, u: np.ndarray, y: np.ndarray, t: float, speeds: Iterable[int]) -> None:
        """Stop some joints at once, and hold them."""
        for speed in speeds:
            modes.set(u, modes.number(speed), held=1.0, allowed=2 * modes.rest)
        self.impact(modes, u, y, t)

    def unlock(self, modes: Modes, u: np.ndarray, speeds: Iterable[int]) -> None:
        for speed in speeds:
            modes.set(u, modes.number(speed))

    def impact(self, modes: Modes, u: np.ndarray, y: np.ndarray, t: float, restitution: float = 0.0) -> None:
        """Speeds after locks and stops have taken what they do not let pass: M (qd+ - qd-) = Psi^T impulse.

        Stops that are touched together act together, by Moreau's law (Unilateral Contact and Dry Friction in Finite Freedom
        Dynamics, 1988): the impulse of each only pushes, and v+ = -restitution v- where it does; so no energy is gained. Friction
        is bounded and gives no impulse: what it held may move on.
        """
        qd, locks = y[modes.nq :], modes.locks(u)
        psi, rate = modes.rows(y, t, locks)
        mass = modes.dyn.mass_matrix(y[: modes.nq])
        fast = float(np.sqrt(qd @ mass @ qd))
        if len(psi):
            qd += corrected(mass, psi, rate)
            _, left = modes.rows(y, t, locks)
            if locks and np.abs(left).max() > CONTRADICTS * (1 + np.abs(qd).max()):
                raise driven_lock(modes, locks)
        touched = modes.touches(u, y)
        stops = [j for j, side in enumerate(touched) if side and j not in locks]
        if stops:
            freedom = Freedom(mass, psi, [modes.system.holdable[j].speed for j in stops])
            try:
                self._meet_stops(modes.rest, fast, qd, freedom, [touched[j] for j in stops], restitution)
            except Contradiction as contradiction:
                raise driven_limit(modes, stops[contradiction.which]) from None
        for j in locks:
            qd[modes.system.holdable[j].speed] = 0.0

    def _meet_stops(
        self, rest: float, fast: float, qd: np.ndarray, freedom: Freedom, sides: list[int], restitution: float
    ) -> None:
        """The speeds after one impact or several at once: a joint that bounces may throw another one against its stop.

        `fast` is how fast all was before locks took their part: what they leave of it is known but for rounding.
        """
        speeds, size = freedom.speeds, freedom.size
        inwards = np.array([-1.0 if side == LOW else 1.0 for side in sides])
        bounds = Bounds(*(np.array([x[k] for x in map(_pushing, sides)]) for k in range(2)))
        for turn in range(IMPACTS):
            before = qd[speeds]
            hardest = float((inwards * before).max())
            self.hardest = max(self.hardest, hardest)
            bounces = restitution * hardest > max(rest, STILL * self.hardest) and turn < IMPACTS - 1
            e = restitution if bounces else 0.0
            tiny = np.maximum(ROUNDING * max(fast, freedom.measured(qd)), np.where(freedom.fixed, rest / size, 0.0))
            impulse, _ = solved(freedom.B, (1 + e) * before / size, bounds, np.zeros(len(speeds)), tiny)
            qd += freedom.moved(impulse)
            qd[speeds] = np.where(impulse != 0, -e * before, qd[speeds])  # exactly: a rest is none with what rounding leaves
            if not bounces:
                break
        # what a light joint has left is rounding beside all the rest, but would meet its stop again and again
        left = inwards * qd[speeds]
        qd[speeds] = np.where((left > 0) & (left <= tiny * size) & ~freedom.fixed, 0.0, qd[speeds])

    def at_stop(self, modes: Modes, u: np.ndarray, y: np.ndarray, t: float, meeting: dict[int, int], restitution: float) -> None:
        """Joints meet their limits, each LOW or HIGH by its number: they bounce, or have no speed left towards them."""
        for j, side in meeting.items():
            h = modes.system.holdable[j]
            y[h.coordinate] = h.lower if side == LOW else h.upper
        self.impact(modes, u, y, t, restitution)


def _pushing(side: int) -> tuple[float, float]:
    """The bounds of what a stop gives."""
    return (0.0, np.inf) if side == LOW else (-np.inf, 0.0) if side == HIGH else (0.0, 0.0)


def driven_lock(modes: Modes, locks: Iterable[int]) -> SimulationError:
    """Constraints that move contradict locks."""
    names = ", ".join(modes.name(j) for j in locks)
    return SimulationError(f"{_movers(modes)} drives a locked joint: {names}")


def driven_limit(modes: Modes, j: int) -> SimulationError:
    return SimulationError(f"{modes.name(j)} is at its limit, and {_movers(modes)} drives it further")


def _movers(modes: Modes) -> str:
    """What may drive a joint against its lock or its stop."""
    names = moving_constraints(modes.system.mechanism)
    if not names:
        return "a constraint that moves"
    return f"constraint {names[0]!r}, which moves," if len(names) == 1 else f"one of the moving constraints {', '.join(names)}"
