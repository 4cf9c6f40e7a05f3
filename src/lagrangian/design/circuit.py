"""The curve of configurations of a mechanism with one freedom, followed from one of them until it closes or ends.

Steps go along the tangent and back onto the loops at right angles to it (pseudo-arclength continuation: Keller 1977; Allgower
and Georg, Introduction to Numerical Continuation Methods, 1990). Dead centres are ordinary points of the curve, where a
coordinate turns back, and are passed. A step is kept only where the tangent turned little: so no step leads to another branch.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np
from scipy.optimize import brentq

from lagrangian.configuration.coordinates import periodic_coordinates, same, single_coordinates
from lagrangian.design.freedom import Freedom
from lagrangian.errors import AssemblyError

FIRST, LONGEST, LEAST = 0.02, 0.1, 1e-9  # steps, in radians or parts of the mechanism's size
TURNED, STRAIGHT = 0.12, 0.04  # rad: how far the tangent may turn in a step, and below which the next one is longer
STEPS = 6000
AT = 1e-12  # a function that is smaller where the curve begins is zero there

Value = Callable[[np.ndarray, np.ndarray], np.ndarray]  # of rows of configurations and tangents


@dataclass(frozen=True)
class Watch:
    """A function along the curve whose changes of sign are located; one that `stops` ends the curve where it becomes negative."""

    name: str
    value: Value
    stops: bool = False


@dataclass(frozen=True, eq=False)
class Met:
    """Where a watched function is zero: how far along the curve, the configuration and the tangent there."""

    name: str
    s: float
    q: np.ndarray
    tangent: np.ndarray


@dataclass(eq=False)
class Circuit:
    """Points of the curve in order, with `s` the way along it; what was met; and whether it came back to where it began."""

    freedom: Freedom
    s: np.ndarray
    q: np.ndarray
    tangent: np.ndarray
    met: list[Met] = field(default_factory=list)
    closed: bool = False

    def between(self, s: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Configurations and tangents at distances along the curve, brought back onto it."""
        q, tangent = self.guess(s)
        q = self.freedom.stepped(q, np.zeros((len(q), self.freedom.dyn.nv)))[0]
        return q, self.freedom.tangent(q, tangent)

    def guess(self, s: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The same by interpolation: cubic of coordinates, whose slopes are known, and linear of tangents."""
        k = np.clip(np.searchsorted(self.s, s, side="right") - 1, 0, len(self.s) - 2)
        h = self.s[k + 1] - self.s[k]
        x = ((s - self.s[k]) / h)[:, None]
        slopes = self.freedom.rates(self.q, self.tangent)
        a, b, da, db = self.q[k], self.q[k + 1], h[:, None] * slopes[k], h[:, None] * slopes[k + 1]
        q = a * (1 + 2 * x) * (1 - x) ** 2 + da * x * (1 - x) ** 2 + b * x**2 * (3 - 2 * x) - db * x**2 * (1 - x)
        return q, (1 - x) * self.tangent[k] + x * self.tangent[k + 1]

    def backwards(self) -> Circuit:
        """The same curve followed the other way: distances become negative."""
        met = [Met(m.name, -m.s, m.q, -m.tangent) for m in reversed(self.met)]
        return Circuit(self.freedom, -self.s[::-1], self.q[::-1], -self.tangent[::-1], met, self.closed)

    def joined(self, after: Circuit) -> Circuit:
        """This curve, which ends where the other begins, and the other one."""
        s, q, tangent = (
            np.concatenate([x[:-1], y]) for x, y in ((self.s, after.s), (self.q, after.q), (self.tangent, after.tangent))
        )
        return Circuit(self.freedom, s, q, tangent, [*self.met, *after.met], False)


def circuit(freedom: Freedom, q: np.ndarray, tangent: np.ndarray, watches: Sequence[Watch]) -> Circuit:
    """All of the curve through q: closed, or from end to end where a watch stops it."""
    ahead = _followed(freedom, q, tangent, watches)
    if ahead.closed:
        return ahead
    behind = _followed(freedom, q, -tangent, watches)
    return behind.backwards().joined(ahead)


def _followed(freedom: Freedom, q: np.ndarray, tangent: np.ndarray, watches: Sequence[Watch]) -> Circuit:
    found = Circuit(freedom, np.zeros(1), q[None], tangent[None])
    s, qs, tangents = [0.0], [q], [tangent]
    home = _Home(freedom, q, tangent)
    h = FIRST
    values = [_value(w, q, tangent) for w in watches]
    at_first = [w for w, v in zip(watches, values, strict=True) if abs(v) < AT]
    begun = [Met(w.name, 0.0, q, tangent) for w in at_first if not w.stops]
    for _ in range(STEPS):
        h, there, ahead = _step(freedom, qs[-1], tangents[-1], h)
        after = [_value(w, there, ahead) for w in watches]
        if len(s) == 1 and (stop := next((w for w in at_first if w.stops and _value(w, there, ahead) < 0), None)):
            found.met = [*begun, Met(stop.name, 0.0, q, tangent)]
            return found
        changed = [
            w
            for w, a, b in zip(watches, values, after, strict=True)
            if (a * b < 0 or (b == 0 and a != 0)) and not (w.stops and b > 0)
        ]
        met = sorted((_located(freedom, qs[-1], tangents[-1], h, w) for w in changed), key=lambda m: m.s)
        end = next((m for m in met if any(w.stops and w.name == m.name for w in watches)), None)
        back = home.reached(there, ahead) and _located(freedom, qs[-1], tangents[-1], h, Watch("home", home.value))
        if back and same(freedom.dyn, back.q, q):
            end, found.closed = back, True
        room = 1e-7 if found.closed else 1e-9  # what lies at the start of a closed curve is met at its end
        found.met += [Met(m.name, s[-1] + m.s, m.q, m.tangent) for m in met if end is None or m.s <= end.s + room]
        if end is not None:
            s, qs, tangents = [*s, s[-1] + end.s], [*qs, end.q], [*tangents, end.tangent]
            break
        s, qs, tangents, values = [*s, s[-1] + h], [*qs, there], [*tangents, ahead], after
        h = _next(h, tangents[-2], ahead)
    found.s, found.q, found.tangent = np.array(s), np.array(qs), np.array(tangents)
    again = {m.name for m in found.met if found.closed and abs(m.s - found.s[-1]) < 1e-6}
    again |= {m.name for m in found.met if m.s < 1e-6}
    found.met = [*(m for m in begun if m.name not in again), *found.met]
    return found


def _step(freedom: Freedom, q: np.ndarray, tangent: np.ndarray, h: float) -> tuple[float, np.ndarray, np.ndarray]:
    """The longest step of at most h along which the curve bends little: its length, the point and the tangent there."""
    while h > LEAST:
        there, way = freedom.stepped(q[None], h * tangent[None])
        if way[0] < 0.2 * h:
            ahead = freedom.tangent(there, tangent)[0]
            if ahead @ tangent > np.cos(TURNED):
                return h, there[0], ahead
        h /= 2
    names = freedom.dyn.mechanism.coordinate_names
    place = ", ".join(f"{n} = {x:.6g}" for n, x in zip(names[:8], q, strict=False))
    raise AssemblyError(
        f"{freedom.dyn.mechanism.name}: its motion cannot be followed beyond {place}, because it is not smooth there"
    )


def _next(h: float, before: np.ndarray, after: np.ndarray) -> float:
    """A longer step where the curve is straight."""
    return min(LONGEST, 1.5 * h) if before @ after > np.cos(STRAIGHT) else h


def _value(watch: Watch, q: np.ndarray, tangent: np.ndarray) -> float:
    return float(watch.value(q[None], tangent[None])[0])


def _located(freedom: Freedom, q: np.ndarray, tangent: np.ndarray, h: float, watch: Watch) -> Met:
    """Where a function that changes its sign within a step is zero, to rounding."""

    def at(x: float) -> tuple[np.ndarray, np.ndarray]:
        there = freedom.stepped(q[None], x * tangent[None])[0]
        return there[0], freedom.tangent(there, tangent)[0]

    if _value(watch, *at(h)) == 0:
        x = h
    else:
        x = float(brentq(lambda x: _value(watch, *at(x)), 0.0, h, xtol=1e-15, rtol=1e-14))
    return Met(watch.name, x, *at(x))


class _Home:
    """Whether the curve comes by its beginning: it crosses the plane there, nearby, but for whole turns."""

    def __init__(self, freedom: Freedom, q: np.ndarray, tangent: np.ndarray) -> None:
        places = list(single_coordinates(freedom.dyn.mechanism).values())
        self.iq, self.iv = [a for a, _ in places], [b for _, b in places]
        turning = set(periodic_coordinates(freedom.dyn.mechanism))
        self.turns = np.array([k in turning for k in self.iq])
        self.q, self.tangent, self.units = q, tangent, freedom.units
        self.before = 0.0

    def _away(self, q: np.ndarray) -> np.ndarray:
        d = (q - self.q)[..., self.iq]
        d = np.where(self.turns, (d + np.pi) % (2 * np.pi) - np.pi, d)
        return d / self.units[self.iv]

    def value(self, q: np.ndarray, tangent: np.ndarray) -> np.ndarray:
        found: np.ndarray = self._away(q) @ self.tangent[self.iv]
        return found

    def reached(self, q: np.ndarray, tangent: np.ndarray) -> bool:
        """Whether the step before this configuration passed the beginning."""
        now = float(self.value(q[None], tangent[None])[0])
        crossed = self.before < 0 <= now and bool(np.abs(self._away(q)).max(initial=0.0) < 3 * LONGEST)
        self.before = now
        return crossed
