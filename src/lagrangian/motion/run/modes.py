"""Joints that are held and let go: dry friction that sticks and slips, stops at joint limits, locks.

Between events a mode is fixed and the equations are smooth: a held joint is a constraint, a slipping one has a constant friction
force. At an event the modes of all joints at rest are found together, from the accelerations that the whole mechanism would have:
see `complementarity`. Of joints at rest that depend on each other, as in a loop, as many are held by equations as can move
independently; the others are at rest with them, and keep the friction that they had. Speeds that change at once do so by the
balance of momentum, through the same constraints.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from lagrangian.errors import SimulationError
from lagrangian.kernels.dynamics import Dynamics
from lagrangian.motion.run.complementarity import ROUNDING, Bounds, Contradiction, independent, solved
from lagrangian.motion.run.freedom import Freedom, corrected
from lagrangian.motion.run.supply import Supply
from lagrangian.motion.solver.solver import Solver
from lagrangian.motion.system.holdable import Holdable
from lagrangian.motion.system.inputs import ALLOWED, HELD, HIGH, LOW, PER_JOINT, SLIP, STUCK, WAY
from lagrangian.motion.system.system import EDGE

# slower than this, in units of what the tolerances allow, a joint counts as at rest
REST = 10.0
# by what part of the time forces are looked at ahead of an event
AHEAD = 1e-9
# bounces slower than this part of the hardest impact are over: they would never end
STILL = 1e-3
# nearer than this to its limit a joint touches its stop
TOUCH = 1e-12
# so many impacts at one instant may follow each other; the last does not bounce
IMPACTS = 1000
# speeds that locks and constraints leave to each other, from which they contradict each other
CONTRADICTS = 1e-6


class Modes:
    """The modes of a system's joints, as they stand in u."""

    def __init__(self, dyn: Dynamics, solver: Solver, supply: Supply, allowed: float) -> None:
        """`allowed` is the speed at which a joint counts as at rest."""
        self.dyn, self.system, self._programs, self._supply = dyn, solver.system, solver.programs, supply
        self.rest = allowed
        self.nq, self.nv = self.system.nq, self.system.nv
        self.hardest = 0.0  # the fastest impact at a stop so far

    # -- what u says -------------------------------------------------------------------------------------------------

    def place(self, j: int, what: int) -> int:
        return self.system.inputs.joint(j) + what

    def number(self, speed: int) -> int:
        return next(j for j, h in enumerate(self.system.holdable) if h.speed == speed)

    def name(self, j: int) -> str:
        return self.system.mechanism.speed_names[self.system.holdable[j].speed]

    def stuck(self, u: np.ndarray, j: int) -> bool:
        return bool(u[self.place(j, STUCK)] > 0.5)

    def side(self, u: np.ndarray, j: int) -> int:
        """At which of its limits a joint is held: LOW, HIGH, or 0."""
        return next((what for what in (LOW, HIGH) if u[self.place(j, what)] > 0.5), 0)

    def way(self, u: np.ndarray, j: int) -> float:
        """Which way a joint with friction slips; 0 if it does not."""
        return float(u[self.place(j, WAY)])

    def locked(self, u: np.ndarray, j: int) -> bool:
        return bool(u[self.place(j, HELD)] > 0.5) and not self.stuck(u, j) and not self.side(u, j)

    def of_speeds(self, u: np.ndarray) -> dict[int, np.ndarray]:
        """What u says of every joint that can be held, by its speed."""
        at = self.system.inputs.joint
        return {h.speed: u[at(j) : at(j) + PER_JOINT].copy() for j, h in enumerate(self.system.holdable)}

    def set_speeds(self, u: np.ndarray, modes: dict[int, np.ndarray]) -> None:
        for speed, values in modes.items():
            at = self.place(self.number(speed), 0)
            u[at : at + PER_JOINT] = values

    def _set(self, u: np.ndarray, j: int, **values: float) -> None:
        """A joint's mode; what is not given is zero."""
        at = self.place(j, 0)
        u[at : at + PER_JOINT] = 0.0
        names = {"held": HELD, "stuck": STUCK, "low": LOW, "high": HIGH, "slip": SLIP, "way": WAY, "allowed": ALLOWED}
        for name, value in values.items():
            u[at + names[name]] = value

    def _slip(self, u: np.ndarray, j: int, way: float, speed: float) -> None:
        positive, negative = self.system.holdable[j].friction or (0.0, 0.0)
        # of a speed that is not yet quite zero, or past it by rounding, nothing is told
        self._set(u, j, slip=positive if way > 0 else -negative, way=way, allowed=max(0.0, -2 * way * speed))

    # -- forces ------------------------------------------------------------------------------------------------------

    def forces(self, u: np.ndarray, y: np.ndarray, t: float) -> tuple[np.ndarray, np.ndarray]:
        """Accelerations, and what holds each joint that is held."""
        out = self._programs.outputs(y[: self.nq], y[self.nq :], self._supply.inputs_at(u, self.system, t, y), np.array([t]))
        at = 3 * self.nv + self.system.mechanism.equations
        return out[self.nv : 2 * self.nv], out[at : at + len(self.system.holdable)]

    def _rows(self, u: np.ndarray, y: np.ndarray, t: float, held: Iterable[int]) -> tuple[np.ndarray, np.ndarray]:
        """Psi of the constraints and of joints held, and the rates of both."""
        q, qd, speeds = y[: self.nq], y[self.nq :], [self.system.holdable[j].speed for j in held]
        psi, rate = np.eye(self.nv)[speeds], qd[speeds]
        if self.system.mechanism.equations:
            psi = np.vstack([self.dyn.constraint_jacobian(q, t), psi])
            rate = np.concatenate([self.dyn.constraint_rate(q, qd, t), rate])
        return psi, rate

    def _locks(self, u: np.ndarray) -> list[int]:
        return [j for j in range(len(self.system.holdable)) if self.locked(u, j)]

    def _touches(self, u: np.ndarray, y: np.ndarray, j: int) -> int:
        """The limit at which a joint is: LOW, HIGH, or 0."""
        h = self.system.holdable[j]
        for what, bound in ((LOW, h.lower), (HIGH, h.upper)):
            if np.isfinite(bound) and abs(y[h.coordinate] - bound) <= TOUCH * (1 + abs(bound)):
                return what
        return self.side(u, j)

    # -- what is at rest ---------------------------------------------------------------------------------------------

    def settle(self, u: np.ndarray, y: np.ndarray, t: float, passed: int = -1) -> None:
        """Decide which joints at rest stay, and how the others begin to move, when forces or speeds have changed at once.

        `passed` is a joint whose friction, or whose stop, has just come to its end.
        """
        self._decide(u, y, t, passed)
        if ended := self._low_flights(u, y, t):
            self._still(u, y, t, ended)
            self._decide(u, y, t)

    def _low_flights(self, u: np.ndarray, y: np.ndarray, t: float) -> list[int]:
        """Joints that leave their stops so slowly that they would not come clear of them: ever shorter flights would not end."""
        found = []
        sides = [self._touches(u, y, j) for j in range(len(self.system.holdable))]
        leaving = [j for j, h in enumerate(self.system.holdable) if sides[j] and abs(y[self.nq + h.speed]) > self.rest]
        if leaving:
            qdd, _ = self.forces(u, y, t)
        for j in leaving:
            h = self.system.holdable[j]
            speed, back = y[self.nq + h.speed], qdd[h.speed]
            outward, bound = (1.0, h.lower) if sides[j] == LOW else (-1.0, h.upper)
            if outward * speed > 0 > outward * back and speed**2 < 2 * abs(back) * TOUCH * (1 + abs(bound)):
                found.append(j)
        return found

    def _decide(self, u: np.ndarray, y: np.ndarray, t: float, passed: int = -1) -> None:
        resting, sides = [], []
        for j, h in enumerate(self.system.holdable):
            speed = y[self.nq + h.speed]
            side = self._touches(u, y, j)
            if self.locked(u, j):
                continue
            if abs(speed) <= self.rest and (side or h.friction is not None):
                resting.append(j)
                sides.append(side)
            elif h.friction is not None:
                self._slip(u, j, float(np.sign(speed)), float(speed))
            else:
                self._set(u, j)
        if resting:
            try:
                self._settle(u, y, t, resting, sides, passed)
            except Contradiction as contradiction:
                raise self._conflict(resting[contradiction.which]) from None

    def _settle(self, u: np.ndarray, y: np.ndarray, t: float, resting: list[int], sides: list[int], passed: int) -> None:
        now, t = t, t + AHEAD * max(abs(t), 1e-3)  # a torque that jumps just now counts as after the jump, whatever roundings say
        holdable = [self.system.holdable[j] for j in resting]
        _, held = self.forces(u, y, t)
        last = resting.index(passed) if passed in resting else -1
        let_go = last >= 0 and self.side(u, passed) != 0
        before = held[resting] - u[[self.place(j, SLIP) for j in resting]] * [self.stuck(u, j) for j in resting]
        for j in resting:
            self._set(u, j)
        qdd, _ = self.forces(u, y, t)
        psi, _ = self._rows(u, y, t, self._locks(u))
        freedom = Freedom(self.dyn.mass_matrix(y[: self.nq]), psi, [h.speed for h in holdable])
        size, B = freedom.size, freedom.B
        bounds = _bounds(holdable, sides)
        edge = 0.25 * EDGE * np.array([sum(h.friction or (0.0, 0.0)) / 2 for h in holdable]) * size * (B**2).sum(axis=0)
        tiny = edge + ROUNDING * freedom.measured(qdd)
        scaled = Bounds(bounds.low * size, bounds.high * size)
        w = np.array([qdd[h.speed] for h in holdable]) / size
        s, a = solved(B, w, scaled, before * size, tiny)
        s = s / size
        staying = [k for k in range(len(resting)) if abs(a[k]) <= tiny[k]]
        room = np.minimum(s - bounds.low, bounds.high - s)
        if let_go and _can_hold(holdable[last], s[last]):  # from its stop to its friction
            sides[last] = 0
        # stops that push are held first, then joints whose friction has the most left
        order = sorted(staying, key=lambda k: (k == last, not _pushes(holdable[k], sides[k], s[k]), -room[k]))
        basis = independent(B, order)
        for k, (j, h) in enumerate(zip(resting, holdable, strict=True)):
            if k in staying and not (k == last and k in basis and _at_end(h, sides[k], s[k], room[k])):
                self._stay(u, j, sides[k], float(s[k]), k in basis)
            elif h.friction is not None:
                up = a[k] > 0 if k not in staying else s[k] - bounds.low[k] < bounds.high[k] - s[k]
                self._slip(u, j, 1.0 if up else -1.0, float(y[self.nq + h.speed]))
        self._still(u, y, now)
        self._allow(u, y, now, t - now, resting)

    def _allow(self, u: np.ndarray, y: np.ndarray, t: float, ahead: float, resting: list[int]) -> None:
        """Until a torque jumps that was looked at ahead, a joint may begin to move the wrong way: that is no event."""
        slipping = [(j, self.way(u, j), self.system.holdable[j].speed) for j in resting if self.way(u, j)]
        if slipping:
            qdd, _ = self.forces(u, y, t)
            for j, way, speed in slipping:
                u[self.place(j, ALLOWED)] += max(0.0, -2 * way * qdd[speed] * ahead)

    def _stay(self, u: np.ndarray, j: int, side: int, force: float, held: bool) -> None:
        """A joint stays at rest: at its stop if that pushes, by friction otherwise."""
        h = self.system.holdable[j]
        if _pushes(h, side, force):
            self._set(u, j, held=float(held), low=float(side == LOW), high=float(side == HIGH))
        elif held:
            self._set(u, j, held=1.0, stuck=1.0)
        else:
            self._set(u, j, stuck=1.0, slip=-force, allowed=2 * self.rest)

    def _still(self, u: np.ndarray, y: np.ndarray, t: float, others: Iterable[int] = ()) -> None:
        """Take away what is left of the speeds of joints that are held, and of others."""
        held = [j for j in range(len(self.system.holdable)) if u[self.place(j, HELD)] > 0.5]
        still = [*held, *others]
        speeds = [self.nq + self.system.holdable[j].speed for j in still]
        if np.any(y[speeds]):
            psi, rate = self._rows(u, y, t, still)
            y[self.nq :] += corrected(self.dyn.mass_matrix(y[: self.nq]), psi, rate)
            y[speeds] = 0.0

    # -- stops and locks ---------------------------------------------------------------------------------------------

    def lock(self, u: np.ndarray, y: np.ndarray, t: float, speeds: Iterable[int]) -> None:
        """Stop some joints at once, and hold them."""
        for speed in speeds:
            self._set(u, self.number(speed), held=1.0)
        self.impact(u, y, t)

    def unlock(self, u: np.ndarray, speeds: Iterable[int]) -> None:
        for speed in speeds:
            self._set(u, self.number(speed))

    def impact(self, u: np.ndarray, y: np.ndarray, t: float, restitution: float = 0.0) -> None:
        """Speeds after locks and stops have taken what they do not let pass: M (qd+ - qd-) = Psi^T impulse.

        Stops that are touched together act together, by Moreau's law (Unilateral Contact and Dry Friction in Finite Freedom
        Dynamics, 1988): the impulse of each only pushes, and v+ = -restitution v- where it does; so no energy is gained. Friction
        is bounded and gives no impulse: what it held may move on.
        """
        qd, locks = y[self.nq :], self._locks(u)
        psi, rate = self._rows(u, y, t, locks)
        mass = self.dyn.mass_matrix(y[: self.nq])
        if len(psi):
            qd += corrected(mass, psi, rate)
            self._check_locks(u, y, t, locks)
        stops = [j for j in range(len(self.system.holdable)) if j not in locks and self._touches(u, y, j)]
        if stops:
            freedom = Freedom(mass, psi, [self.system.holdable[j].speed for j in stops])
            sides = [self._touches(u, y, j) for j in stops]
            try:
                self._meet_stops(qd, freedom, sides, restitution)
            except Contradiction as contradiction:
                raise self._conflict(stops[contradiction.which]) from None
        for j in locks:
            qd[self.system.holdable[j].speed] = 0.0

    def _meet_stops(self, qd: np.ndarray, freedom: Freedom, sides: list[int], restitution: float) -> None:
        """The speeds after one impact or several at once: a joint that bounces may throw another one against its stop."""
        speeds, size = freedom.speeds, freedom.size
        inwards = np.array([-1.0 if side == LOW else 1.0 for side in sides])
        bounds = Bounds(*(np.array([x[k] for x in map(_pushing, sides)]) for k in range(2)))
        for turn in range(IMPACTS):
            before = qd[speeds]
            hardest = float((inwards * before).max())
            self.hardest = max(self.hardest, hardest)
            bounces = restitution * hardest > max(self.rest, STILL * self.hardest) and turn < IMPACTS - 1
            e = restitution if bounces else 0.0
            tiny = np.full(len(speeds), ROUNDING * freedom.measured(qd))
            impulse, _ = solved(freedom.B, (1 + e) * before / size, bounds, np.zeros(len(speeds)), tiny)
            qd += freedom.moved(impulse)
            qd[speeds] = np.where(impulse != 0, -e * before, qd[speeds])  # exactly: a rest is none with what rounding leaves
            if not bounces:
                break

    def _check_locks(self, u: np.ndarray, y: np.ndarray, t: float, locks: list[int]) -> None:
        _, left = self._rows(u, y, t, locks)
        if locks and np.abs(left).max() > CONTRADICTS * (1 + np.abs(y[self.nq :]).max()):
            names = ", ".join(self.name(j) for j in locks)
            raise SimulationError(f"a constraint that moves drives what is locked: {names}")

    def _conflict(self, j: int) -> SimulationError:
        return SimulationError(f"{self.name(j)} is at its limit, and a constraint that moves drives it further")

    def at_stop(self, u: np.ndarray, y: np.ndarray, t: float, speed: int, what: int, restitution: float) -> None:
        """A joint meets its limit: it bounces, or stays while the stop pushes."""
        h = self.system.holdable[self.number(speed)]
        y[h.coordinate] = h.lower if what == LOW else h.upper
        self.impact(u, y, t, restitution)
        self.settle(u, y, t)


def _pushing(side: int) -> tuple[float, float]:
    """The bounds of what a stop gives."""
    return (0.0, np.inf) if side == LOW else (-np.inf, 0.0) if side == HIGH else (0.0, 0.0)


def _bounds(holdable: list[Holdable], sides: list[int]) -> Bounds:
    """Of friction and stop together: a joint at its stop can only move away, and only friction opposes that."""
    low, high = [], []
    for h, side in zip(holdable, sides, strict=True):
        positive, negative = h.friction or (0.0, 0.0)
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
    return h.friction is not None and -h.friction[0] <= force <= h.friction[1]


def _at_end(h: Holdable, side: int, force: float, room: float) -> bool:
    """Whether what holds a joint has come to its end: all of its friction is used, or its stop does not push."""
    if h.friction is None:
        return side != 0
    return room <= 1e-6 * sum(h.friction)
