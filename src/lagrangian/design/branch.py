"""The part of a linkage's curve along which its input goes one way, with a configuration for every value of the input."""

from __future__ import annotations

import numpy as np

from lagrangian.configuration.coordinates import periodic_coordinates
from lagrangian.configuration.loops import Loops
from lagrangian.configuration.newton import Newton
from lagrangian.design.circuit import Circuit, Met
from lagrangian.design.freedom import CLOSED, LOST
from lagrangian.design.linkage import End, Linkage
from lagrangian.design.swing import Covered
from lagrangian.design.turn import DeadCentre
from lagrangian.errors import ArgumentError

STANDS = 1e-9  # of the speed along the curve: a coordinate that is slower stands still
NEAR = 1e-4  # rad or parts of the size: how far closing loops may move a configuration that was interpolated
INPUT, OUTPUT, LIMIT, OVER = "input", "output", "limit of ", "end of the range"
TURN = 2 * np.pi
STEP = 1e-3  # rad or m: how far from it others are taken


class Branch:
    """From one dead centre of the input to the next, or from end to end; of an input that turns fully, all of the curve."""

    def __init__(self, link: Linkage, way: Circuit, over: tuple[float, float] | None) -> None:
        self.link, self.over = link, over
        folds = [m for m in way.met if m.name == INPUT]
        self.shift = _whole_turns(link, way)
        self.turns = round(abs(self.shift[link.iq]) / TURN) if way.closed and not folds else 0
        if len(way.s) < 2:
            raise ArgumentError(
                f"cannot move {link.input!r} from its start, because limits of joints stop it", where=link.dyn.mechanism.name
            )
        self.way = _thrice(way, self.shift) if way.closed and not self.turns else way
        met = sorted((m for m in self.way.met if m.name == INPUT), key=lambda m: m.s)
        self.low = next((m for m in reversed(met) if m.s < 1e-9), None)
        self.high = next((m for m in met if m.s >= 1e-9), None)
        if self._x(self._end(1)) < self._x(self._end(0)):
            self.way = self.way.backwards()
            turned = [Met(m.name, -m.s, m.q, -m.tangent) if m else None for m in (self.high, self.low)]
            self.low, self.high = turned
        if not self.turns and over is None:
            self._refuse_endless()

    def _end(self, which: int) -> float:
        m = (self.low, self.high)[which]
        return m.s if m else float(self.way.s[-which])

    def _limit(self, which: int) -> float:
        """The input's value at an end of the range."""
        m = (self.low, self.high)[which]
        return float(m.q[self.link.iq]) if m else float(self.way.q[-which, self.link.iq])

    def _x(self, s: float) -> float:
        return float(self.way.guess(np.array([s]))[0][0, self.link.iq])

    def _refuse_endless(self) -> None:
        if self.way.closed or any(m.name.startswith(LIMIT) for m in self.way.met) or self.low or self.high:
            return
        gone = abs(self._x(self._end(1)) - self._x(self._end(0)))
        raise ArgumentError(
            f"is needed: {self.link.input!r} has neither limits nor dead centres, and the linkage does not return to its start "
            f"within {gone:.3g} {self.link.unit}",
            argument="over",
            remedy="give two numbers, such as (0, 1)",
        )

    @property
    def ends(self) -> tuple[str, str]:
        """Why the range ends where it does, at its low and at its high end; nothing if the input turns fully."""
        if self.turns:
            return ("", "")
        stops = [m for m in self.way.met if m.name.startswith((LIMIT, OVER))]

        def why(which: int) -> str:
            if (self.low, self.high)[which]:
                return "dead centre"
            return next((m.name for m in stops if abs(m.s - self._end(which)) < 1e-9), OVER)

        return why(0), why(1)

    # -- rows ----------------------------------------------------------------------------------------------------------

    def rows(self, count: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Values of the input, evenly apart, with the configurations and tangents there."""
        if self.turns:
            first, last = self.over or (0.0, TURN * self.turns)
            x = np.linspace(first, last, (count - 1) * self.turns + 1 if self.over is None else count)
            return x, *self.at(x)
        x = np.linspace(self._limit(0), self._limit(1), count)
        q, tangent = self.at(x)
        for row, m in ((0, self.low), (-1, self.high)):
            if m is not None:
                q[row], tangent[row] = m.q, m.tangent
        return x, q, tangent

    def at(self, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Configurations and tangents at values of the input.

        Next to a change point, where branches meet, they are interpolated between places of this branch on both sides.
        """
        q, tangent = self._wrapped(x)
        lost = self.link.freedom.regularity(q) < LOST
        if not self.turns:
            lost &= (x > self._limit(0) + 2 * STEP) & (x < self._limit(1) - 2 * STEP)
        if lost.any():
            around = [self._wrapped(x[lost] + k * STEP) for k in (-2, -1, 1, 2)]
            for into, rows in ((q, [a for a, _ in around]), (tangent, [b for _, b in around])):
                into[lost] = (4 * (rows[1] + rows[2]) - rows[0] - rows[3]) / 6  # exact for cubics
            tangent[lost] /= np.linalg.norm(tangent[lost], axis=1, keepdims=True)
        return q, tangent

    def _wrapped(self, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The same within the range that was followed, with whole turns counted."""
        if not self.turns:
            return self._at(np.clip(x, self._limit(0), self._limit(1)))
        period, begin = TURN * self.turns, self._x(float(self.way.s[0]))
        times = np.floor((x - begin) / period)
        q, tangent = self._at(x - period * times)
        return q + times[:, None] * self.shift * np.sign(self.shift[self.link.iq]), tangent

    def _at(self, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Configurations and tangents where the input has the values x: on the curve nearby, then closed with it held there."""
        low, high = np.full(len(x), self._end(0)), np.full(len(x), self._end(1))
        for _ in range(60):
            middle = (low + high) / 2
            below = self.way.guess(middle)[0][:, self.link.iq] < x
            low, high = np.where(below, middle, low), np.where(below, high, middle)
        guess, near = self.way.guess((low + high) / 2)
        guess[:, self.link.iq] = x
        freedom = self.link.freedom
        if freedom.loops:
            loops = Loops(self.link.dyn, 0.0, (*self.link.held, self.link.input))
            found = Newton(loops, loops.free, freedom.units, damped=False, iterations=30).solve(guess)
            good = (found.miss <= CLOSED) & (found.way < NEAR)
            guess = np.where(good[:, None], found.q, self.way.between((low + high) / 2)[0])
        return guess, freedom.tangent(guess, near)

    # -- dead centres --------------------------------------------------------------------------------------------------

    def dead_centres(self, end: End | None) -> list[DeadCentre]:
        """Of the input, where the range ends, and of the output within it."""
        low, high = self._end(0) - 1e-9, self._end(1) + 1e-9
        inputs = [self._dead_centre(m, INPUT, self.link.input) for m in (self.low, self.high) if m]
        met = [m for m in self.way.met if m.name == OUTPUT and low <= m.s <= high] if end is not None else []
        return sorted([*inputs, *(self._dead_centre(m, OUTPUT, str(end)) for m in met)], key=lambda d: d.input_value)

    def _dead_centre(self, m: Met, what: str, name: str) -> DeadCentre:
        q = self._among_rows(m.q)
        return DeadCentre(what, name, float(q[self.link.iq]), q)

    def _among_rows(self, q: np.ndarray) -> np.ndarray:
        """A configuration with its whole turns counted as the rows count them."""
        if not self.turns or self.over is not None:
            return q
        times = np.floor((q[self.link.iq] + 1e-9) / (TURN * self.turns))
        found: np.ndarray = q - times * self.shift * np.sign(self.shift[self.link.iq])
        return found

    @property
    def covered(self) -> Covered:
        """The part of the curve that the rows go through."""
        k = self.link.iq
        shift = self.shift * np.sign(self.shift[k]) if self.turns else np.zeros_like(self.shift)
        ends = (self.low.q if self.low else self.way.q[0], self.high.q if self.high else self.way.q[-1])
        return Covered(self.way, self._end(0), self._end(1), ends, lambda q: float(self._among_rows(q)[k]), shift)


def _whole_turns(link: Linkage, way: Circuit) -> np.ndarray:
    """By how many whole turns angles are further when a closed curve is back at its beginning."""
    shift = np.zeros(way.q.shape[1])
    angles = periodic_coordinates(link.dyn.mechanism)
    shift[angles] = TURN * np.round((way.q[-1] - way.q[0])[angles] / TURN)
    return shift if way.closed else np.zeros_like(shift)


def _thrice(way: Circuit, shift: np.ndarray) -> Circuit:
    """A closed curve once before and once after itself, so that what lies around its beginning is in one piece."""
    length = float(way.s[-1])
    s = np.concatenate([way.s[:-1] - length, way.s[:-1], way.s + length])
    q = np.concatenate([way.q[:-1] - shift, way.q[:-1], way.q + shift])
    tangent = np.concatenate([way.tangent[:-1], way.tangent[:-1], way.tangent])
    met = [Met(m.name, m.s + k * length, m.q + k * shift, m.tangent) for k in (-1, 0, 1) for m in way.met]
    return Circuit(way.freedom, s, q, tangent, met, True)
