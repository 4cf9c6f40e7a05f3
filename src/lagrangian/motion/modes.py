"""Joints that are held and let go: dry friction that sticks and slips, stops at joint limits, locks.

Between events a mode is fixed and the equations are smooth: a held joint is a constraint, a slipping one has a constant friction
force. At an event the new mode is found from the forces: a joint sticks if friction can hold it, and slips the way it is pushed
otherwise (Glocker 2001); a joint stays at its stop while the stop pushes. Speeds that change at once do so by the balance of
momentum, through the same constraints.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

import numpy as np

from lagrangian.kernels.dynamics import Dynamics
from lagrangian.kernels.linear import RANK
from lagrangian.model.mechanism import Mechanism
from lagrangian.motion.inputs import HELD, HIGH, LOW, SLIP, STUCK, Holdable
from lagrangian.motion.problem import EDGE, Problem

# slower than this, in units of what the tolerances allow, a joint counts as at rest
REST = 10.0
# by what part of the time forces are looked at ahead of an event
AHEAD = 1e-9
# bounces slower than this part of the hardest impact are over: they would never end
STILL = 1e-3


def frictional(mechanism: Mechanism) -> list[Holdable]:
    """The joints with dry friction."""
    found = []
    iv = 0
    for joint in mechanism.joints:
        positive, negative = float(joint.friction.coulomb), float(joint.friction.coulomb_negative or 0)
        if positive or negative:
            found += [Holdable(iv + k, (positive, negative)) for k in range(joint.kind.nv)]
        iv += joint.kind.nv
    return found


def limited(mechanism: Mechanism) -> dict[int, tuple[int, float, float]]:
    """By speed: its coordinate, and the limits of joints that have one coordinate and any limit."""
    found = {}
    iq = iv = 0
    for joint in mechanism.joints:
        lower, upper = float(joint.limits.lower), float(joint.limits.upper)
        if joint.kind.nq == joint.kind.nv == 1 and (np.isfinite(lower) or np.isfinite(upper)):
            found[iv] = (iq, lower, upper)
        iq, iv = iq + joint.kind.nq, iv + joint.kind.nv
    return found


class Modes:
    """The modes of a problem's joints, as they stand in u."""

    def __init__(self, dyn: Dynamics, problem: Problem, evaluate: Callable[..., np.ndarray], allowed: float) -> None:
        """`evaluate(q, qd, u, t)` are the problem's outputs; `allowed` is the speed at which a joint counts as at rest."""
        self.dyn, self.problem, self._evaluate, self.rest = dyn, problem, evaluate, allowed
        self.nq, self.nv = problem.nq, problem.nv
        self.hardest = 0.0  # the fastest impact at a stop so far

    def place(self, j: int, what: int) -> int:
        return self.problem.inputs.joint(j) + what

    def number(self, speed: int) -> int:
        return next(j for j, h in enumerate(self.problem.holdable) if h.speed == speed)

    def forces(self, u: np.ndarray, y: np.ndarray, t: float) -> tuple[np.ndarray, np.ndarray]:
        """Accelerations, and what holds each joint that is held."""
        out = self._evaluate(y[: self.nq], y[self.nq :], u, np.array([t]))
        at = 3 * self.nv + self.problem.mechanism.equations
        return out[self.nv : 2 * self.nv], out[at : at + len(self.problem.holdable)]

    def settle(self, u: np.ndarray, y: np.ndarray, t: float) -> None:
        """Decide anew what holds and what does not, when forces or speeds have changed at once."""
        _, force = self.forces(u, y, t)
        for j, h in enumerate(self.problem.holdable):
            pushed = (u[self.place(j, LOW)] and force[j] < 0) or (u[self.place(j, HIGH)] and force[j] > 0)
            if pushed:
                self.let_go(u, [h.speed])
        self.settle_friction(u, y, t)

    # -- friction ----------------------------------------------------------------------------------------------------

    def settle_friction(self, u: np.ndarray, y: np.ndarray, t: float, released: Iterable[int] = ()) -> None:
        """Decide which joints at rest stick, and which slip and how; `released` are those whose friction was just overcome."""
        holdable = self.problem.holdable
        t = t + AHEAD * max(abs(t), 1e-3)  # a torque that jumps just now counts as after the jump, whatever roundings say
        resting = [
            j
            for j, h in enumerate(holdable)
            if h.friction is not None
            and (u[self.place(j, STUCK)] or (not u[self.place(j, HELD)] and abs(y[self.nq + h.speed]) <= self.rest))
        ]
        for j, h in enumerate(holdable):
            if h.friction is not None and j not in resting and not u[self.place(j, HELD)]:
                self._slip(u, j, float(np.sign(y[self.nq + h.speed])))
        _, before = self.forces(u, y, t)
        gone = set(released)
        for j in resting:
            if j in gone:
                self._slip(u, j, -1.0 if before[j] > 0 else 1.0)
            else:
                self._stick(u, j)
        for _ in range(4 * len(resting) + 1):
            qdd, force = self.forces(u, y, t)
            over = {j: self._excess(j, force[j]) for j in resting if u[self.place(j, STUCK)]}
            worst = max(over, key=over.__getitem__, default=-1)
            if worst >= 0 and over[worst] > EDGE:
                self._slip(u, worst, -1.0 if force[worst] > 0 else 1.0)
                gone.add(worst)
                continue
            # at the moment it begins to slip the acceleration is zero but for rounding
            tiny = 1e-9 * (1 + float(np.abs(qdd).max()))
            wrong = [
                j for j in gone if u[self.place(j, SLIP)] * qdd[holdable[j].speed] < 0 and abs(qdd[holdable[j].speed]) > tiny
            ]
            if not wrong:
                break
            # pushed back the other way: friction of that sign would drive it, so it stays
            gone.discard(wrong[0])
            self._stick(u, wrong[0])
        for j in resting:
            if u[self.place(j, STUCK)]:
                y[self.nq + holdable[j].speed] = 0.0

    def _excess(self, j: int, force: float) -> float:
        """How much more than friction can give is needed to hold, as a part of it."""
        limits = self.problem.holdable[j].friction
        assert limits is not None
        positive, negative = limits
        return max(-force - positive, force - negative) * 2 / (positive + negative)

    def _stick(self, u: np.ndarray, j: int) -> None:
        u[[self.place(j, HELD), self.place(j, STUCK), self.place(j, SLIP)]] = 1.0, 1.0, 0.0

    def _slip(self, u: np.ndarray, j: int, way: float) -> None:
        limits = self.problem.holdable[j].friction
        assert limits is not None
        force = limits[0] if way > 0 else -limits[1] if way < 0 else 0.0
        u[[self.place(j, HELD), self.place(j, STUCK), self.place(j, SLIP)]] = 0.0, 0.0, force

    # -- stops and locks ---------------------------------------------------------------------------------------------

    def hold(self, u: np.ndarray, y: np.ndarray, t: float, speeds: Iterable[int], what: int = HELD) -> None:
        """Stop some joints at once, and hold them."""
        for speed in speeds:
            j = self.number(speed)
            u[[self.place(j, k) for k in (HELD, STUCK, LOW, HIGH, SLIP)]] = 1.0, 0.0, 0.0, 0.0, 0.0
            u[self.place(j, what)] = 1.0
        self.impact(u, y, t)

    def let_go(self, u: np.ndarray, speeds: Iterable[int]) -> None:
        for speed in speeds:
            j = self.number(speed)
            u[[self.place(j, k) for k in (HELD, STUCK, LOW, HIGH)]] = 0.0

    def impact(self, u: np.ndarray, y: np.ndarray, t: float, wanted: dict[int, float] | None = None) -> None:
        """Speeds after held joints stop, or others take the speeds wanted: M (qd+ - qd-) = Psi^T impulse."""
        q, qd = y[: self.nq], y[self.nq :]
        # friction is bounded and gives no impulse: what it held may move on
        targets = {
            h.speed: 0.0 for j, h in enumerate(self.problem.holdable) if u[self.place(j, HELD)] and not u[self.place(j, STUCK)]
        }
        targets |= wanted or {}
        rows, right = [], []
        if self.problem.mechanism.equations:
            rows.append(self.dyn.constraint_jacobian(q, t))
            right.append(-self.dyn.constraint_rate(q, qd, t))
        for speed, value in targets.items():
            rows.append(np.eye(self.nv)[speed : speed + 1])
            right.append(np.array([value - qd[speed]]))
        if not rows:
            return
        psi = np.vstack(rows)
        L = np.linalg.cholesky(self.dyn.mass_matrix(q))
        half = np.linalg.solve(L, psi.T).T
        qd += np.linalg.solve(L.T, np.linalg.lstsq(half, np.concatenate(right), rcond=RANK)[0])

    def at_stop(self, u: np.ndarray, y: np.ndarray, t: float, speed: int, what: int, restitution: float) -> None:
        """A joint meets its limit: it bounces, or stays while the stop pushes."""
        q, qd = y[: self.nq], y[self.nq :]
        j = self.number(speed)
        h = self.problem.holdable[j]
        q[h.coordinate] = h.lower if what == LOW else h.upper
        back = -restitution * qd[speed]
        self.hardest = max(self.hardest, abs(qd[speed]))
        if abs(back) > max(self.rest, STILL * self.hardest) and np.sign(back) == (1 if what == LOW else -1):
            self.impact(u, y, t, {speed: back})
            self.settle_friction(u, y, t)
            return
        self.hold(u, y, t, [speed], what)
        _, force = self.forces(u, y, t)
        if (force[j] if what == LOW else -force[j]) < 0:
            self.let_go(u, [speed])
        self.settle_friction(u, y, t)
