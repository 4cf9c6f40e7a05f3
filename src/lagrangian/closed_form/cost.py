"""What a derivation will cost, said before it starts.

Polynomials grow with the number of turns between a link and the ground: by a constant factor a joint, for axes in general
position. The first links of the longest path are derived, which takes a fraction of a second, and the growth of their terms is
carried on. Terms are counted, so that the forecast is the same on a busy machine; only the time for a term is measured, and
as processor time.
"""

from __future__ import annotations

import math
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from lagrangian.equations.algebra.ring import Ring, TimeUp
from lagrangian.equations.derivations import lagrange
from lagrangian.equations.reading.system import System
from lagrangian.errors import Argument, CostError
from lagrangian.model.configuration import Initial
from lagrangian.model.joint import Joint
from lagrangian.model.mechanism import GROUND, Mechanism

# paths up to this length cost less than asking what they cost
SHORT = 8
ODD = 3  # with fractions, or names, for odd angles, which grow with every joint
# what the polynomials may take without being asked for, in bytes
MEMORY = 8e9
# the first links are derived until one has so many terms, and for so many seconds at the most
ENOUGH, TRIAL = 60_000, 2.0
WHOLE = 2.5  # the derivation takes so many times what its mass matrix takes
GRACE = 1.0  # s that a derivation may take, whatever the limit
LIFETIME = 80 * 31_557_600.0  # in seconds: what takes longer needs no number
LARGEST = 700.0  # a logarithm whose number is still finite
MOST = 1e15  # bytes that no computer has
# of mechanisms with more joints than this, the first of the longest path tell, before anything is made for all of them
MANY, FIRST = 100, 30


Tick = Callable[[str, float], None]


@dataclass(frozen=True)
class Forecast:
    seconds: float
    terms: float
    bytes: float

    def __str__(self) -> str:
        when = f"about {duration(self.seconds)}" if self.seconds <= LIFETIME else "more than a lifetime"
        if not self.bytes < MOST:
            return f"{when}, and more memory than there is"
        return f"{when}, {_count(self.terms)} terms, {_memory(self.bytes)} of memory"


def forecast(system: System, depths: list[int] | None = None) -> Forecast | None:
    """None for mechanisms that are small anyway. `depths` are those of all links, if the system has only the first of them."""
    own = [len(system.path(i)) for i in range(len(system.links))]
    depths = depths or own
    odd = system.scalars.angles.fractions or bool(system.scalars.angles.constants)
    if not own or max(depths) <= (ODD if odd else SHORT):
        return None
    path = system.path(max(range(len(own)), key=own.__getitem__))
    terms, rate = _trial(system, path)
    terms += _carried_on(terms, max(depths))
    total = sum(terms[depth - 1] for depth in depths)
    seconds = WHOLE * total * rate
    return Forecast(seconds, total, total * (8 * (len(system.ring.symbols) // 8 + 1) + 16))


def _trial(system: System, path: list[int]) -> tuple[list[float], float]:
    """The terms that each of the first links of a path adds, and the processor time that a term takes."""
    terms: list[float] = []
    rate = math.inf  # the lowest one: the first links have few terms, and a machine may be disturbed
    deadline = time.perf_counter() + TRIAL
    before: lagrange.Columns = {}
    try:
        for number in path:
            at, added = time.thread_time(), 0.0
            link = system.links[number]
            with system.ring.until(deadline if len(terms) > 1 else math.inf):
                here = lagrange.link_columns(link, before)
                for _, _, entry_of_link in lagrange.link_mass(link, here):
                    entry = system.ring(entry_of_link)
                    added += entry.terms + sum(2 * system.ring.derivative(entry, other).terms for other in here)
            terms.append(added)
            rate = min(rate, (time.thread_time() - at) / max(1.0, added))
            before = here
            if added > ENOUGH:
                break
    except TimeUp:  # the last one is not whole
        pass
    return terms, rate


def _carried_on(terms: list[float], most: int) -> list[float]:
    """The terms of further links: a k + b log k is carried on to log(terms), as chains in a plane (a = 0) and in space grow."""
    last = len(terms)
    known = [math.log(max(1.0, x)) for x in terms[-3:]]
    steep, power = known[-1] - known[-2] if len(known) > 1 else 0.0, 0.0
    if len(known) == 3:
        near, far = math.log(last / (last - 1)), math.log((last - 1) / (last - 2))
        power = max(0.0, (known[1] - known[0] - steep) / (far - near))
        steep = steep - power * near
        if steep < 0:  # it grows no faster than a power
            steep, power = 0.0, (known[2] - known[1]) / near
    grown = (steep * (k - last) + power * math.log(k / last) for k in range(last + 1, most + 1))
    return [math.exp(min(known[-1] + x, LARGEST)) for x in grown]


def check_early(mechanism: Mechanism, symbols: str, limit: float | None) -> None:
    """The error of `check` for a mechanism of very many joints, from the first ones of its longest path."""
    if limit is None or mechanism.nv <= MANY:
        return
    deep = {GROUND: 0}
    above: dict[str, Joint] = {}
    for joint in mechanism.outward():
        deep[joint.child], above[joint.child] = deep[joint.parent] + joint.kind.nv, joint
    path: list[Joint] = []
    at = max(deep, key=deep.__getitem__)
    while at != GROUND:
        path.append(above[at])
        at = above[at].parent
    kept = [joint for joint in reversed(path) if deep[joint.child] <= FIRST]
    bodies = tuple(mechanism.body(joint.child) for joint in kept)
    none: dict[str, Any] = {"loops": (), "constraints": (), "springs": (), "frames": (), "poses": {}, "initial": Initial()}
    first = mechanism.replace(bodies=bodies, joints=tuple(kept), **none)
    check(System(first, symbols), limit, [deep[j.child] for j in mechanism.joints if j.kind.nv])


def check(system: System, limit: float | None, depths: list[int] | None = None) -> Forecast | None:
    """The forecast, if there is one; an error if it is beyond the limit."""
    expected = forecast(system) if depths is None else forecast(system, depths)
    if expected is not None and limit is not None and (expected.seconds > limit or expected.bytes > MEMORY):
        raise CostError(
            f"the closed form of {len(depths or system.links)} joints would take {expected}",
            where=system.mechanism.name,
            remedy=f"the limit is {duration(limit)} and {_memory(MEMORY)}. Use {Argument('limit', None)} to derive it anyway, "
            f"or lagrangian.compile, which computes the same functions just as accurately for thousands of joints",
            seconds=expected.seconds,
            limit=limit,
        )
    return expected


class Deadline:
    """Gives up a derivation that takes longer than was allowed, and more than `GRACE`: not all of them have a forecast."""

    def __init__(self, name: str, limit: float | None) -> None:
        self.name, self.limit, self.started = name, limit, time.perf_counter()
        self.stage = "reading"

    def watching(self, tick: Tick) -> Tick:
        """The same tick, which remembers how far it is."""

        def watched(what: str, done: float) -> None:
            self.stage = f"{100 * done:.0f} % of the {what}"
            tick(what, done)

        return watched

    @contextmanager
    def over(self, ring: Ring) -> Iterator[None]:
        """Within it, products in the ring end in an error when the time is up."""
        deadline = math.inf if self.limit is None else self.started + max(self.limit, GRACE)
        try:
            with ring.until(deadline):
                yield
        except TimeUp:
            assert self.limit is not None
            spent = time.perf_counter() - self.started
            raise CostError(
                f"the derivation was stopped after {duration(spent)}, at {self.stage}",
                where=self.name,
                remedy=f"the limit is {duration(self.limit)}. Use {Argument('limit', None)} to derive it anyway, or "
                f"lagrangian.compile, which computes the same functions just as accurately for thousands of joints",
                seconds=spent,
                limit=self.limit,
            ) from None


class Progress:
    """Says on the terminal what is being done, once it has taken a second."""

    def __init__(self, name: str, expected: Forecast | None) -> None:
        self.name, self.expected = name, expected
        self.started = self.said = time.perf_counter()
        self.shown = False
        if expected is not None and expected.seconds > 2:
            self._say(f"{name}: {expected}; Ctrl-C stops it", "\n")

    def __call__(self, what: str, done: float) -> None:
        now = time.perf_counter()
        every = 0.2 if sys.stderr.isatty() else 10.0
        if now - self.started > 1.0 and now - self.said > every:
            self.said, self.shown = now, True
            self._say(
                f"{self.name}: {what}, {100 * done:.0f} %, {duration(now - self.started)}", "\r" if sys.stderr.isatty() else "\n"
            )

    def close(self) -> None:
        if self.shown and sys.stderr.isatty():
            self._say("", "\n")

    @staticmethod
    def _say(text: str, end: str) -> None:
        print(text.ljust(70) if end == "\r" else text, end=end, file=sys.stderr, flush=True)


def duration(seconds: float) -> str:
    """A time as a message says it: 3 hours."""
    for size, unit in ((31_557_600.0, "years"), (86400.0, "days"), (3600.0, "hours"), (60.0, "minutes")):
        if seconds >= 2 * size:
            return f"{_count(seconds / size)} {unit}"
    return f"{seconds:.2g} s" if seconds < 10 else f"{seconds:.0f} s"


def _count(x: float) -> str:
    return f"{x:.0f}" if x < 10_000 else f"{x:.1e}".replace("e+0", "e").replace("e+", "e")


def _memory(size: float) -> str:
    for scale, unit in ((1e12, "TB"), (1e9, "GB"), (1e6, "MB")):
        if size >= scale:
            return f"{_count(size / scale)} {unit}"
    return f"{size / 1e3:.0f} kB"
