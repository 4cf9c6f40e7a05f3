"""Joints that are held and let go: dry friction that sticks and slips, stops at joint limits, locks.

Between events a mode is fixed and the equations are smooth: a held joint is a constraint, a slipping one has a constant friction
force. At an event the new mode is found from the forces: a joint sticks if friction can hold it, and slips the way it is pushed
otherwise (Glocker 2001); a joint stays at its stop while the stop pushes. Speeds that change at once do so by the balance of
momentum, through the same constraints.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from lagrangian.kernels.dynamics import Dynamics
from lagrangian.kernels.linear import RANK
from lagrangian.motion.run.supply import Supply
from lagrangian.motion.solver.solver import Solver
from lagrangian.motion.system.inputs import HELD, HIGH, LOW, PER_JOINT, SLIP, STUCK
from lagrangian.motion.system.system import EDGE

# slower than this, in units of what the tolerances allow, a joint counts as at rest
REST = 10.0
# by what part of the time forces are looked at ahead of an event
AHEAD = 1e-9
# bounces slower than this part of the hardest impact are over: they would never end
STILL = 1e-3


class Modes:
    """The modes of a system's joints, as they stand in u."""

    def __init__(self, dyn: Dynamics, solver: Solver, supply: Supply, allowed: float) -> None:
        """`allowed` is the speed at which a joint counts as at rest."""
        self.dyn, self.system, self._programs, self._supply = dyn, solver.system, solver.programs, supply
        self.rest = allowed
        self.nq, self.nv = self.system.nq, self.system.nv
        self.hardest = 0.0  # the fastest impact at a stop so far

    def place(self, j: int, what: int) -> int:
        return self.system.inputs.joint(j) + what

    def number(self, speed: int) -> int:
        return next(j for j, h in enumerate(self.system.holdable) if h.speed == speed)

    def of_speeds(self, u: np.ndarray) -> dict[int, np.ndarray]:
        """What u says of every joint that can be held, by its speed."""
        at = self.system.inputs.joint
        return {h.speed: u[at(j) : at(j) + PER_JOINT].copy() for j, h in enumerate(self.system.holdable)}

    def set_speeds(self, u: np.ndarray, modes: dict[int, np.ndarray]) -> None:
        for speed, values in modes.items():
            at = self.place(self.number(speed), 0)
            u[at : at + PER_JOINT] = values

    def forces(self, u: np.ndarray, y: np.ndarray, t: float) -> tuple[np.ndarray, np.ndarray]:
        """Accelerations, and what holds each joint that is held."""
        out = self._programs.outputs(y[: self.nq], y[self.nq :], self._supply.inputs_at(u, self.system, t, y), np.array([t]))
        at = 3 * self.nv + self.system.mechanism.equations
        return out[self.nv : 2 * self.nv], out[at : at + len(self.system.holdable)]

    def settle(self, u: np.ndarray, y: np.ndarray, t: float) -> None:
        """Decide anew what holds and what does not, when forces or speeds have changed at once."""
        _, force = self.forces(u, y, t)
        for j, h in enumerate(self.system.holdable):
            pushed = (u[self.place(j, LOW)] and force[j] < 0) or (u[self.place(j, HIGH)] and force[j] > 0)
            if pushed:
                self.let_go(u, [h.speed])
        self.settle_friction(u, y, t)

    # -- friction ----------------------------------------------------------------------------------------------------

    def settle_friction(self, u: np.ndarray, y: np.ndarray, t: float, released: Iterable[int] = ()) -> None:
        """Decide which joints at rest stick, and which slip and how; `released` are those whose friction was just overcome."""
        holdable = self.system.holdable
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
        limits = self.system.holdable[j].friction
        assert limits is not None
        positive, negative = limits
        return max(-force - positive, force - negative) * 2 / (positive + negative)

    def _stick(self, u: np.ndarray, j: int) -> None:
        u[[self.place(j, HELD), self.place(j, STUCK), self.place(j, SLIP)]] = 1.0, 1.0, 0.0

    def _slip(self, u: np.ndarray, j: int, way: float) -> None:
        limits = self.system.holdable[j].friction
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
            h.speed: 0.0 for j, h in enumerate(self.system.holdable) if u[self.place(j, HELD)] and not u[self.place(j, STUCK)]
        }
        targets |= wanted or {}
        rows, right = [], []
        if self.system.mechanism.equations:
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
        h = self.system.holdable[j]
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
