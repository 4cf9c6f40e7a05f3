"""What is at rest, and how it goes on: stays by friction, at a stop, or begins to move.

At an event the modes of all joints at rest are found together, from the accelerations that the whole mechanism would have: see
`complementarity`. Of joints at rest that depend on each other, as in a loop, as many are held by equations as can move
independently; the others are at rest with them, and keep the friction that they had. Where forces are not unique they are the
least: see `least`.

Static friction may exceed that of sliding. Then a joint that breaks loose pushes less than it did, and what is left for the
others to hold changes: they are decided once more.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from lagrangian.kernels.least_squares import RANK_TOLERANCE
from lagrangian.motion.run.complementarity import ROUNDING, Bounds, Contradiction, independent
from lagrangian.motion.run.discs import Disc, solved_in_discs
from lagrangian.motion.run.freedom import Freedom
from lagrangian.motion.run.impacts import driven_limit
from lagrangian.motion.run.least import least
from lagrangian.motion.run.modes import TOUCH, Modes
from lagrangian.motion.system.holdable import Holdable
from lagrangian.motion.system.inputs import ALLOWED, HIGH, LOW, SLIP
from lagrangian.motion.system.mode_events import EDGE

# by what part of the time forces are looked at ahead of an event
AHEAD = 1e-9
# so near to all that it can give, as a part of it, a joint's friction has come to its end
AT_END = 1e-6
# of a disc's force, the part that is not noticed elsewhere: less is rounding; and the part that others take of what they can
RELIEF, MOST_OF_IT = 1e-6, 0.9


def settle(modes: Modes, u: np.ndarray, y: np.ndarray, t: float, passed: int = -1) -> None:
    """Decide which joints at rest stay, and how the others begin to move, when forces or speeds have changed at once.

    `passed` is a joint whose friction, or whose stop, has just come to its end.
    """
    _decide(modes, u, y, t, passed)
    if ended := _low_flights(modes, u, y, t):
        modes.still(u, y, t, ended)
        _decide(modes, u, y, t)


def _low_flights(modes: Modes, u: np.ndarray, y: np.ndarray, t: float) -> list[int]:
    """Joints that leave their stops so slowly that they would not come clear of them: ever shorter flights would not end."""
    found, holdable = [], modes.system.holdable
    sides = modes.touches(u, y)
    leaving = [j for j, h in enumerate(holdable) if sides[j] and abs(y[modes.nq + h.speed]) > modes.rest]
    if leaving:
        qdd = modes.response(u, y, t).qdd
    for j in leaving:
        h = holdable[j]
        speed, back = y[modes.nq + h.speed], qdd[h.speed]
        outward, bound = (1.0, h.lower) if sides[j] == LOW else (-1.0, h.upper)
        if outward * speed > 0 > outward * back and speed**2 < 2 * abs(back) * TOUCH * (1 + abs(bound)):
            found.append(j)
    return found


def _decide(modes: Modes, u: np.ndarray, y: np.ndarray, t: float, passed: int = -1) -> None:
    resting, sides = [], []
    locks = modes.locks(u)
    for j, (h, speed, side) in enumerate(zip(modes.system.holdable, modes.paces(u, y), modes.touches(u, y), strict=True)):
        if j in locks:
            continue
        if speed <= modes.rest and (side or h.friction is not None):
            resting.append(j)
            sides.append(side)
        elif h.friction is not None:
            modes.slip(u, j, float(y[modes.nq + h.speed]) / speed)
        else:
            modes.set(u, j)
    if resting:
        try:
            _Problem(modes, u, y, t, resting, sides, passed).decide()
        except Contradiction as contradiction:
            raise driven_limit(modes, resting[contradiction.which]) from None


@dataclass
class _Problem:
    """The joints at rest, all together. Its lists and arrays go by their number k among these; forces s are theirs."""

    modes: Modes
    u: np.ndarray
    y: np.ndarray
    now: float
    resting: list[int]
    sides: list[int]  # the stop that each touches: LOW, HIGH, or 0
    passed: int

    def __post_init__(self) -> None:
        modes, u, y = self.modes, self.u, self.y
        # a torque that jumps just now counts as after the jump, whatever roundings say
        self.t = self.now + AHEAD * max(abs(self.now), 1e-3)
        self.holdable = [modes.system.holdable[j] for j in self.resting]
        held = modes.response(u, y, self.t).holding
        self.last = self.resting.index(self.passed) if self.passed in self.resting else -1
        self.let_go = self.last >= 0 and modes.side(u, self.passed) != 0
        # joints that have only just begun to slide, beside this one
        self.sliding = {k for k, j in enumerate(self.resting) if modes.way(u, j)}
        kept = [u[modes.place(j, SLIP)] * modes.stuck(u, j) for j in self.resting]
        speeds = [h.speed for h in self.holdable]
        self.before = held[speeds] - kept
        for j in self.resting:
            modes.set(u, j)
        response, mass = modes.response(u, y, self.t), modes.dyn.mass_matrix(y[: modes.nq])
        qdd = response.qdd
        psi, _ = modes.rows(y, self.t, modes.locks(u))
        self.discs = self._groups()
        freedom = Freedom(mass, psi, speeds, list(self.discs))
        pushed = freedom.accelerated(modes.pushed(response, mass, psi))
        self.size, self.B = freedom.size, freedom.B
        self.bounds = _bounds(self.holdable, self.sides)
        widths = np.array([sum(h.static or (0.0, 0.0)) / 2 for h in self.holdable])
        self.tiny = 0.25 * EDGE * widths * self.size * (self.B**2).sum(axis=0) + ROUNDING * (freedom.measured(qdd) + pushed)
        self.w = qdd[speeds] / self.size
        self.no_push = self.tiny / self.size  # what rounding may leave of a stop's force

    def _groups(self) -> dict[tuple[int, ...], float]:
        """The joints whose friction acts together, in a plane or in space, and what that is at most."""
        found: dict[tuple[int, ...], float] = {}
        for h in self.holdable:
            if h.disc and h.static is not None:
                found[tuple(k for k, other in enumerate(self.holdable) if other.speed in h.disc)] = h.static[0]
        return found

    def group(self, k: int) -> tuple[int, ...]:
        return next((members for members in self.discs if k in members), (k,))

    def decide(self) -> None:
        """Write into u which joints stay, and which way the others begin to move."""
        ways: dict[int, float] = {}  # of joints that slide although static friction could give more
        while True:
            s, a, staying = self._forces(ways)
            s = self._relieved(s, staying)
            basis = self._basis(staying, s)
            ending = [k for k in staying if self._ends(k, basis, s)]
            loose = [k for k, h in enumerate(self.holdable) if h.static != h.friction and k not in ways]
            more = [k for k in loose if k not in staying or k in ending]
            if not more:
                break
            for k in more:
                ways[k] = self._way(k, s, a, staying)
        for k in range(len(self.resting)):
            if k in staying and k not in ending:
                self._stay(k, float(s[k]), k in basis)
            elif self.holdable[k].friction is not None:
                self._slip(k, ways[k] if k in ways else self._way(k, s, a, staying))
        self.modes.still(self.u, self.y, self.now)
        self._allow()

    def _forces(self, ways: dict[int, float]) -> tuple[np.ndarray, np.ndarray, list[int]]:
        """Forces and accelerations of all, and who stays at rest; of joints that slide the way is known."""
        low, high, size = self.bounds.low * self.size, self.bounds.high * self.size, self.size
        for k, way in ways.items():
            low[k] = high[k] = -self.modes.sliding(self.resting[k], way) * size[k]
        scaled = Bounds(low, high)
        discs = [Disc(m, radius * size[m[0]]) for m, radius in self.discs.items() if m[0] not in ways]
        s, a = solved_in_discs(self.B, self.w, scaled, discs, scaled.clipped(self.before * size), self.tiny)
        staying = [k for k in range(len(s)) if k not in ways and self._stays(k, a)]
        return least(self.B, s, scaled, discs, staying) / size, a, staying

    def _relieved(self, s: np.ndarray, staying: list[int]) -> np.ndarray:
        """The forces where a disc has just come to its edge, if joints that hold with it can take a part of its load.

        Of the changes of forces that have no effect, the least that takes from the disc's force is made, until little is left of
        what another can give.
        """
        members = list(self.group(self.last)) if self.last in staying else []
        if len(members) < 2 or self._room(self.last, s) > AT_END * self.discs[tuple(members)]:
            return s
        effect = (self.B * self.size)[:, staying]
        taken = np.array([-s[k] if k in members else 0.0 for k in staying]) / np.linalg.norm(s[members])
        idle = taken - np.linalg.pinv(effect, rcond=RANK_TOLERANCE) @ (effect @ taken)
        if idle @ taken <= RELIEF:
            return s
        change = np.zeros_like(s)
        change[staying] = idle / (idle @ taken)
        others = [k for k in staying if k not in members and change[k]]
        rooms = [(self.bounds.high[k] if change[k] > 0 else self.bounds.low[k]) - s[k] for k in others]
        most = min((room / change[k] for k, room in zip(others, rooms, strict=True)), default=np.inf)
        return s + MOST_OF_IT * min(most, float(np.linalg.norm(s[members]))) * change

    def _stays(self, k: int, a: np.ndarray) -> bool:
        return all(abs(a[m]) <= self.tiny[m] for m in self.group(k))

    def _room(self, k: int, s: np.ndarray) -> float:
        """What a joint's friction has left."""
        members = self.group(k)
        if members in self.discs:
            return self.discs[members] - float(np.linalg.norm(s[list(members)]))
        return float(min(s[k] - self.bounds.low[k], self.bounds.high[k] - s[k]))

    def _basis(self, staying: list[int], s: np.ndarray) -> list[int]:
        """The joints that are held by equations: stops that push first, then those whose friction has the most left."""
        last = self.last
        if self.let_go and _can_hold(self.holdable[last], s[last]):  # from its stop to its friction
            self.sides[last] = 0
        pushing = [_pushes(h, side, s[k]) for k, (h, side) in enumerate(zip(self.holdable, self.sides, strict=True))]
        return independent(self.B, sorted(staying, key=lambda k: (not pushing[k], -self._room(k, s), k == last)))

    def _ends(self, k: int, basis: list[int], s: np.ndarray) -> bool:
        """Whether what holds a joint has come to its end: all of its friction is used, or its stop does not push."""
        members, h = self.group(k), self.holdable[k]
        at_stop = self.sides[k] != 0 and h.static is None
        if self.let_go and at_stop and abs(s[k]) <= self.no_push[k] and self._moves_with_last(k):
            return True
        if not any(m == self.last or m in self.sliding for m in members) or not any(m in basis for m in members):
            return False
        return self.sides[k] != 0 if h.static is None else self._room(k, s) <= AT_END * sum(h.static)

    def _moves_with_last(self, k: int) -> bool:
        """Whether a joint moves with the one that its stop has let go of, and not without: so both leave theirs."""
        a, b = self.B[:, k], self.B[:, self.last]
        return bool(abs(a @ b) >= (1 - RANK_TOLERANCE) * np.linalg.norm(a) * np.linalg.norm(b) > 0)

    def _way(self, k: int, s: np.ndarray, a: np.ndarray, staying: list[int]) -> float:
        """Which way a joint begins to move: up or down, or its part of a direction."""
        members = list(self.group(k))
        if len(members) > 1:
            along = -s[members] if k in staying else a[members]
            return float(along[members.index(k)] / max(float(np.linalg.norm(along)), 1e-300))
        up = a[k] > 0 if k not in staying else s[k] - self.bounds.low[k] < self.bounds.high[k] - s[k]
        return 1.0 if up else -1.0

    def _slip(self, k: int, way: float) -> None:
        """A joint begins to move. Of a speed that is not yet quite zero, or past it by rounding, nothing is told."""
        speed = float(self.y[self.modes.nq + self.holdable[k].speed])
        self.modes.slip(self.u, self.resting[k], way, max(0.0, -2 * way * speed))

    def _stay(self, k: int, force: float, held: bool) -> None:
        """A joint stays at rest: at its stop if that pushes, by friction otherwise."""
        modes, u, j, side = self.modes, self.u, self.resting[k], self.sides[k]
        if _pushes(modes.system.holdable[j], side, force):
            low, high = float(side == LOW), float(side == HIGH)
            modes.set(u, j, held=float(held), low=low, high=high, allowed=float(self.no_push[k]))
        elif held:
            modes.set(u, j, held=1.0, stuck=1.0)
        else:
            modes.set(u, j, stuck=1.0, slip=-force, allowed=2 * modes.rest)

    def _allow(self) -> None:
        """Until a torque jumps that was looked at ahead, a joint may begin to move the wrong way: that is no event."""
        modes, u = self.modes, self.u
        slipping = [(j, modes.way(u, j), modes.system.holdable[j].speed) for j in self.resting if modes.way(u, j)]
        if slipping:
            qdd = modes.response(u, self.y, self.now).qdd
            for j, way, speed in slipping:
                u[modes.place(j, ALLOWED)] += max(0.0, -2 * way * qdd[speed] * (self.t - self.now))


def _bounds(holdable: list[Holdable], sides: list[int]) -> Bounds:
    """Of friction and stop together: a joint at its stop can only move away, and only friction opposes that."""
    low, high = [], []
    for h, side in zip(holdable, sides, strict=True):
        positive, negative = h.static or (0.0, 0.0)
        low.append(-np.inf if side == HIGH else -positive)
        high.append(np.inf if side == LOW else negative)
    return Bounds(np.array(low), np.array(high))


def _pushes(h: Holdable, side: int, force: float) -> bool:
    """Whether a stop has a part in the force that holds a joint at it."""
    if h.friction is None:
        return side != 0
    return (side == LOW and force > 0) or (side == HIGH and force < 0)


def _can_hold(h: Holdable, force: float) -> bool:
    """Whether friction alone gives a force."""
    return h.static is not None and -h.static[0] <= force <= h.static[1]
