"""A mechanism moved by hand, one joint at a time: its loops stay closed, and it stays in its assembly.

The joint in hand follows; the other motors stand still as far as they can, and all that is passive follows. The way there is
walked in small steps: along the speeds that the constraints permit, then back onto the closed loops by Newton's method.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from lagrangian.configuration.assemble import assemble
from lagrangian.configuration.coordinates import moved
from lagrangian.configuration.dynamics_of import dynamics_of
from lagrangian.configuration.newton import Newton
from lagrangian.errors import ArgumentError, one_of
from lagrangian.model.mechanism import Mechanism
from lagrangian.model.rotation import quaternion
from lagrangian.viewer.live.handles import PLACE, TURN, Handle, gradients, handles, lengths, values
from lagrangian.viewer.live.standing import standing

STRIDE = 0.08  # rad, or of the mechanism's size: the most that anything moves in a step
SHORTEST = 1e-8  # of a step: where one is not possible, the way ends
THERE = 1e-11  # rad or m: a handle that is so near is where it should be
CLOSED = 1e-11  # of what a loop moves by unit speeds
DEFICIENT = 1e-5  # singular values below it: the configuration is singular
FAST = 30.0  # how much faster than the hand others move where the hand is at a dead point


@dataclass(frozen=True)
class Dragged:
    """Whether the hand got where it wanted; if not, a sentence says why."""

    reached: bool
    message: str = ""


class Posture:
    """A configuration that closes the loops, and the handles to move it by."""

    def __init__(self, mechanism: Mechanism, q: Any = None, size: float = 1.0) -> None:
        self.mechanism = mechanism
        self.dyn = dynamics_of(mechanism)
        self.handles = handles(mechanism)
        self.index = {h.name: k for k, h in enumerate(self.handles)}
        self.closed = bool(mechanism.equations)
        self._holonomic = self.dyn.holonomic
        self._units = lengths(mechanism, size)
        self._way: dict[int, np.ndarray] = {}  # the direction of the last step, by handle
        self.place(q)
        self._holds = standing(self.dyn, self.handles, self.q, self._units)

    def place(self, q: Any = None) -> None:
        """Go to a configuration or pose at once; loops that it leaves open are closed nearby."""
        q = np.array(assemble(self.dyn, q), dtype=float)
        self._set(moved(self.mechanism, q, np.zeros(self.dyn.nv)), None)  # quaternions of length one
        self._way.clear()

    def _set(self, q: np.ndarray, last: np.ndarray | None) -> None:
        self.q = q
        self.values = values(self.handles, q, last)

    @property
    def has_loops(self) -> bool:
        """Or other equations of coordinates."""
        return bool(self._holonomic.any())

    @property
    def closure(self) -> float:
        """How far the worst loop is from closed."""
        return float(np.abs(self._eta(self.q)).max(initial=0.0))

    def standing(self, name: str) -> tuple[str, ...]:
        """The handles that do not move when one is dragged."""
        return tuple(self.handles[k].name for k in self._holds[self._number(name)])

    def drag(self, name: str, value: float) -> Dragged:
        """Take a handle towards a value: as far as loops close, constraints permit, and no other joint meets its limit."""
        k = self._number(name)
        handle, held = self.handles[k], self._holds[k]
        if not np.isfinite(value):
            raise ArgumentError(f"{name}: {value} is not a valid value")
        goal = float(np.clip(value, handle.lower, handle.upper))
        if not self.closed:
            self._open(k, goal)
            return Dragged(True)
        kept = self.values.copy()  # what stands still stays exactly here
        way, part = self._tangent(k, held, self.q, self.values), 1.0
        while abs(left := goal - self.values[k]) > THERE:
            sign, h, step = float(np.sign(left)), 0.0, None
            if way is not None:
                h = min(abs(left), part * STRIDE / max(self._fastest(way), 1e-12))
                step = self._step(k, held, kept, way, sign * h)
            if isinstance(step, tuple) and way is not None:
                self._way[k] = way
                self._set(step[0], self.values)
                way, part = step[1], min(1.0, 2 * part)
            elif h > SHORTEST * self._unit(k):
                part /= 2
            elif isinstance(step, Handle):
                return Dragged(False, f"{name} stops at {handle.text(self.values[k])}: {step.name} is at its limit.")
            elif way is not None and self._fastest(way) * self._unit(k) > FAST:
                return Dragged(False, self._why(k))
            elif self._holonomic.all() and self._leave(k, held, kept, sign, abs(left)):
                way, part = self._tangent(k, held, self.q, self.values), 1.0
            else:
                return Dragged(False, self._why(k))
        return Dragged(True)

    def _open(self, k: int, value: float) -> None:
        """Where nothing is closed, a joint moves alone."""
        handle, q, at = self.handles[k], self.q.copy(), self.values.copy()
        at[k] = value
        if handle.kind == TURN:
            first = k - handle.component
            q[handle.iq : handle.iq + 4] = quaternion.exponential(at[first : first + 3])
        else:
            q[handle.iq + handle.component + (4 if handle.kind == PLACE else 0)] = value
        self._set(q, at)

    # -- one step ----------------------------------------------------------------------------------------------------

    def _slopes(self, numbers: list[int], q: np.ndarray, at: np.ndarray, every: bool) -> np.ndarray:
        """Psi, every row or those that are equations of coordinates, and the rates of some handles, by the speeds."""
        psi = self.dyn.constraint_jacobian(q)
        G = gradients(self.handles, q, at, self.dyn.nv)
        return np.vstack([psi if every else psi[self._holonomic], G[numbers]])

    def _tangent(
        self, k: int, held: tuple[int, ...], q: np.ndarray, at: np.ndarray, tolerance: float = 1e-6
    ) -> np.ndarray | None:
        """The smallest speeds that take the handle along at unit speed; None where there are none.

        Where the configuration is singular, and several ways lead on, that of the last step is kept.
        """
        A = self._slopes([*held, k], q, at, True) * self._units
        b = np.zeros(len(A))
        b[-1] = 1.0
        U, s, Vt = np.linalg.svd(A, full_matrices=False)
        acts = s > DEFICIENT * s[0]
        x = Vt[acts].T @ ((U[:, acts].T @ b) / s[acts])
        if np.abs(A @ x - b).max() > tolerance:
            return None
        if k in self._way and not acts.all():
            lost = Vt[~acts]
            x += lost.T @ (lost @ (self._way[k] / self._units))
        return x * self._units

    def _step(
        self, k: int, held: tuple[int, ...], kept: np.ndarray, way: np.ndarray, h: float
    ) -> tuple[np.ndarray, np.ndarray] | Handle | None:
        """The configuration a step further, on the same branch, and the way on; or the handle whose limit is met; or None."""
        half = moved(self.mechanism, self.q, 0.5 * h * way)
        # between closed configurations, equations that depend on each other there contradict each other a little
        middle = self._tangent(k, held, half, values(self.handles, half, self.values), 0.1)
        if middle is None:
            return None
        trial = self._closed(k, held, kept, moved(self.mechanism, self.q, h * middle), self.values[k] + h)
        if trial is None:
            return None
        q, correction = trial
        if correction > 0.3 * abs(h) * self._fastest(middle):
            return None
        now = values(self.handles, q, self.values)
        after = self._tangent(k, held, q, now)
        if after is None or _cosine(after / self._units, way / self._units) < 0.8:
            return None
        for other, before, value in zip(self.handles, self.values, now, strict=True):
            if (value > other.upper + 1e-9 and value > before) or (value < other.lower - 1e-9 and value < before):
                return other
        return q, after

    def _closed(
        self, k: int, held: tuple[int, ...], kept: np.ndarray, q: np.ndarray, value: float
    ) -> tuple[np.ndarray, float] | None:
        """Newton's method from q to closed loops with the handle at its value; and how far it went."""
        wanted = np.append(kept[list(held)], value)
        led = _Led(self, (*held, k), wanted, self.values)
        found = Newton(led, units=self._units, damped=False, iterations=12, reach=0.5).solve(q[None])
        q, handle = found.q[0], self.handles[k]
        off = abs(led.at[k] - value)
        if not np.abs(self._eta(q)).max(initial=0.0) <= CLOSED * max(1.0, float(self._units.max())) or off > 1e-9:
            return None
        if handle.kind != TURN:  # linear, so that Newton's method leaves rounding alone
            q[handle.iq + handle.component + (4 if handle.kind == PLACE else 0)] = value
        return q, float(found.way[0])

    def _leave(self, k: int, held: tuple[int, ...], kept: np.ndarray, sign: float, left: float) -> bool:
        """Out of, or over, a singular configuration: by the way that is nearest to the one come, or the shortest."""
        A = self._slopes(list(held), self.q, self.values, True) * self._units
        _, s, Vt = np.linalg.svd(A)
        full = np.zeros(len(Vt))
        full[: len(s)] = s
        idle = Vt[full <= 1e-3 * max(float(full.max()), 1e-300)]
        if not len(idle):
            return False
        before = self._way[k] / self._units * sign if k in self._way else None
        tries = np.random.default_rng(0).normal(size=(12, len(idle))) @ idle if len(idle) > 1 else idle
        if before is not None:
            tries = np.vstack([before, tries])
        best: tuple[float, np.ndarray] | None = None
        for h in (0.01, 0.001, 0.05):
            value = self.values[k] + sign * min(h * self._unit(k), left)
            for direction in tries:
                for amount in (0.02, -0.02, 0.1, -0.1):
                    start = moved(self.mechanism, self.q, amount * direction / np.linalg.norm(direction) * self._units)
                    found = self._closed(k, held, kept, start, value)
                    if found is None:
                        continue
                    now = values(self.handles, found[0], self.values)
                    gone = now - self.values
                    far = float(np.abs(gone).max())
                    after = self._tangent(k, held, found[0], now)
                    if far > 0.4 * max(1.0, float(self._units.max())) or after is None:
                        continue
                    if before is not None and _cosine(sign * after / self._units, before) < 0.8:
                        continue
                    if best is None or far < best[0]:
                        best = (far, found[0])
            if best is not None:
                self._set(best[1], self.values)
                return True
        return False

    # -- beside ------------------------------------------------------------------------------------------------------

    def _eta(self, q: np.ndarray) -> np.ndarray:
        return np.asarray(self.dyn.closure(q)) if self._holonomic.any() else np.zeros(0)

    def _fastest(self, way: np.ndarray) -> float:
        return float(np.abs(way / self._units).max())

    def _unit(self, k: int) -> float:
        return 1.0 if self.handles[k].angle else float(self._units.max())

    def _number(self, name: str) -> int:
        if name not in self.index:
            raise ArgumentError(one_of("handle", name, self.index))
        return self.index[name]

    def _why(self, k: int) -> str:
        handle = self.handles[k]
        if self._holonomic.all():
            reason = "the loops cannot close beyond this point"
        elif self._holonomic.any():
            reason = "the loops and the rolling or sliding constraints allow no further motion"
        else:
            reason = "the rolling or sliding constraints do not allow this motion"
        return f"{handle.name} stops at {handle.text(self.values[k])}: {reason}."


class _Led:
    """Equations of a posture's one configuration: loops closed, and handles at the values wanted of them."""

    def __init__(self, posture: Posture, handles: tuple[int, ...], wanted: np.ndarray, last: np.ndarray) -> None:
        self.posture, self.mechanism, self.at = posture, posture.mechanism, last
        self.numbers, self.wanted = list(handles), wanted

    def residual(self, q: np.ndarray, t: np.ndarray, rows: np.ndarray) -> np.ndarray:
        self.at = values(self.posture.handles, q[0], self.at)  # rotation vectors go on from the last ones
        return np.concatenate([self.posture._eta(q[0]), self.at[self.numbers] - self.wanted])[None]

    def matrix(self, q: np.ndarray, t: np.ndarray, rows: np.ndarray) -> np.ndarray:
        return self.posture._slopes(self.numbers, q[0], self.at, False)[None]


def _cosine(a: np.ndarray, b: np.ndarray) -> float:
    size = float(np.linalg.norm(a) * np.linalg.norm(b))
    return float(a @ b) / size if size > 0 else 0.0
