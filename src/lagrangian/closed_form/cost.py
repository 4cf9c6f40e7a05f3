"""What a derivation costs: forecast before it starts, limited and shown while it runs.

Polynomials grow with the number of turns between a link and the ground: by a constant factor with every joint, for axes in
general position. For the forecast the first links of the longest path are derived, which takes a fraction of a second, and the
growth of their terms is extrapolated. Terms are counted, so that the forecast is the same on a busy machine; only the time for a
term is measured, and as processor time.
"""

from __future__ import annotations

import math
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from lagrangian.equations.algebra.ring import DeadlineError, Ring
from lagrangian.equations.derivations import lagrange
from lagrangian.equations.reading.system import SymbolicSystem
from lagrangian.errors import ArgumentName, CostLimitError
from lagrangian.model.initial_state import InitialState
from lagrangian.model.joint import Joint
from lagrangian.model.mechanism import GROUND, Mechanism

# paths up to this length need no forecast: they take less time than it
MAX_CHEAP_DEPTH = 8
MAX_CHEAP_DEPTH_ODD_ANGLES = 3  # the same for odd angles, whose fractions or names grow with every joint

# memory in bytes that the polynomials may take if there is a limit
MAX_MEMORY = 8e9

# the first links are derived until one of them has this number of terms, but no longer than this
TRIAL_TERMS, TRIAL_SECONDS = 60_000, 2.0
DERIVATION_OVER_MASS_MATRIX = 2.5  # ratio of the time of a derivation to that of its mass matrix
GRACE_SECONDS = 1.0  # time in s that a derivation may take, whatever the limit
MAX_SECONDS_SHOWN = 80 * 31_557_600.0  # longer times are given in words
MAX_LOGARITHM = 700.0  # the exponential of a larger one overflows
MAX_BYTES_SHOWN = 1e15  # more memory is given in words

# mechanisms with more joints than this are forecast from the first joints of their longest path alone
MANY_JOINTS, FIRST_JOINTS = 100, 30


def forecast(system: SymbolicSystem, depths: list[int] | None = None) -> Forecast | None:
    """The forecast; None for small mechanisms. `depths` are those of all links, if the system has only the first of them."""
    path_lengths = [len(system.path_from_ground(i)) for i in range(len(system.links))]
    depths = depths or path_lengths
    has_odd_angles = system.scalars.angles.uses_fractions or bool(system.scalars.angles.constant_angles)
    if not path_lengths or max(depths) <= (MAX_CHEAP_DEPTH_ODD_ANGLES if has_odd_angles else MAX_CHEAP_DEPTH):
        return None
    path = system.path_from_ground(max(range(len(path_lengths)), key=path_lengths.__getitem__))
    terms, rate = _derive_first_links(system, path)
    terms += _extrapolate_terms(terms, max(depths))
    total = sum(terms[depth - 1] for depth in depths)
    seconds = DERIVATION_OVER_MASS_MATRIX * total * rate
    return Forecast(seconds, total, total * (8 * (len(system.ring.symbols) // 8 + 1) + 16))


@dataclass(frozen=True)
class Forecast:
    """The time, the number of terms and the memory that a derivation is expected to take."""

    seconds: float
    terms: float
    bytes: float

    def __str__(self) -> str:
        when = f"about {format_duration(self.seconds)}" if self.seconds <= MAX_SECONDS_SHOWN else "more than a lifetime"
        if not self.bytes < MAX_BYTES_SHOWN:
            return f"{when}, and more memory than there is"
        return f"{when}, {_format_count(self.terms)} terms, {_format_memory(self.bytes)} of memory"


def _derive_first_links(system: SymbolicSystem, path: list[int]) -> tuple[list[float], float]:
    """The number of terms that each of the first links of a path adds, and the processor time per term."""
    terms: list[float] = []
    rate = math.inf  # the lowest one: the first links have few terms, and a machine may be disturbed
    deadline = time.perf_counter() + TRIAL_SECONDS
    parent_columns: lagrange.JacobianColumns = {}
    try:
        for number in path:
            started, term_count = time.thread_time(), 0.0
            link = system.links[number]
            with system.ring.time_limit(deadline if len(terms) > 1 else math.inf):
                columns = lagrange.link_columns(link, parent_columns)
                for _, _, entry_of_link in lagrange.link_mass_terms(link, columns):
                    entry = system.ring(entry_of_link)
                    term_count += entry.term_count + sum(
                        2 * system.ring.derivative(entry, coordinate).term_count for coordinate in columns
                    )
            terms.append(term_count)
            rate = min(rate, (time.thread_time() - started) / max(1.0, term_count))
            parent_columns = columns
            if term_count > TRIAL_TERMS:
                break
    except DeadlineError:  # the last one is not whole
        pass
    return terms, rate


def _extrapolate_terms(terms: list[float], max_depth: int) -> list[float]:
    """The numbers of terms of further links: log(terms) is continued as a k + b log k; a = 0 for chains in a plane."""
    last = len(terms)
    logarithms = [math.log(max(1.0, x)) for x in terms[-3:]]
    slope, power = logarithms[-1] - logarithms[-2] if len(logarithms) > 1 else 0.0, 0.0
    if len(logarithms) == 3:
        near, far = math.log(last / (last - 1)), math.log((last - 1) / (last - 2))
        power = max(0.0, (logarithms[1] - logarithms[0] - slope) / (far - near))
        slope = slope - power * near
        if slope < 0:  # it grows no faster than a power
            slope, power = 0.0, (logarithms[2] - logarithms[1]) / near
    increments = (slope * (k - last) + power * math.log(k / last) for k in range(last + 1, max_depth + 1))
    return [math.exp(min(logarithms[-1] + x, MAX_LOGARITHM)) for x in increments]


def check_cost(expected: Forecast | None, limit: float | None, mechanism: str, joint_count: int) -> None:
    """Refuse a derivation whose forecast is beyond the limit; small mechanisms have no forecast."""
    if expected is not None and limit is not None and (expected.seconds > limit or expected.bytes > MAX_MEMORY):
        raise CostLimitError(
            f"the closed form of {joint_count} joints would take {expected}",
            where=mechanism,
            remedy=f"the limit is {format_duration(limit)} and {_format_memory(MAX_MEMORY)}. "
            f"Use {ArgumentName('limit', None)} to derive it anyway, or lagrangian.compile, which computes the same functions "
            f"just as accurately for thousands of joints",
            seconds=expected.seconds,
            limit=limit,
        )


def check_early(mechanism: Mechanism, symbols: str, limit: float | None) -> None:
    """Raise the error of `check_cost` for a mechanism of very many joints, from the first ones of its longest path."""
    if limit is None or mechanism.nv <= MANY_JOINTS:
        return
    depths = {GROUND: 0}
    parent_joint: dict[str, Joint] = {}
    for joint in mechanism.outward_joints():
        depths[joint.child], parent_joint[joint.child] = depths[joint.parent] + joint.kind.nv, joint
    path: list[Joint] = []
    body = max(depths, key=depths.__getitem__)
    while body != GROUND:
        path.append(parent_joint[body])
        body = parent_joint[body].parent
    joints = [joint for joint in reversed(path) if depths[joint.child] <= FIRST_JOINTS]
    bodies = tuple(mechanism.body(joint.child) for joint in joints)
    nothing_else: dict[str, Any] = {
        "loops": (),
        "constraints": (),
        "springs": (),
        "frames": (),
        "poses": {},
        "initial": InitialState(),
    }
    first = mechanism.replace(bodies=bodies, joints=tuple(joints), **nothing_else)
    link_depths = [depths[joint.child] for joint in mechanism.joints if joint.kind.nv]
    check_cost(forecast(SymbolicSystem(first, symbols), link_depths), limit, mechanism.name, len(link_depths))


class Deadline:
    """Stops a derivation that takes longer than its limit, and than `GRACE_SECONDS`; not every derivation has a forecast."""

    def __init__(self, name: str, limit: float | None) -> None:
        self.name, self.limit, self.started = name, limit, time.perf_counter()
        self.stage = "reading"

    def track_stage(self, tick: lagrange.StageCallback) -> lagrange.StageCallback:
        """A callback that remembers the stage and calls `tick`."""

        def record_stage(stage: str, share: float) -> None:
            self.stage = f"{100 * share:.0f} % of the {stage}"
            tick(stage, share)

        return record_stage

    @contextmanager
    def enforce_on(self, ring: Ring) -> Iterator[None]:
        """A context in which products in the ring raise an error when the time is up."""
        deadline = math.inf if self.limit is None else self.started + max(self.limit, GRACE_SECONDS)
        try:
            with ring.time_limit(deadline):
                yield
        except DeadlineError:
            assert self.limit is not None
            spent = time.perf_counter() - self.started
            raise CostLimitError(
                f"the derivation was stopped after {format_duration(spent)}, at {self.stage}",
                where=self.name,
                remedy=f"the limit is {format_duration(self.limit)}. Use {ArgumentName('limit', None)} to derive it anyway, or "
                f"lagrangian.compile, which computes the same functions just as accurately for thousands of joints",
                seconds=spent,
                limit=self.limit,
            ) from None


class TerminalProgress:
    """Prints the stage of a derivation in the terminal once it has taken a second."""

    def __init__(self, name: str, expected: Forecast | None) -> None:
        self.name, self.expected = name, expected
        self.started = self.last_print = time.perf_counter()
        self.shown = False
        if expected is not None and expected.seconds > 2:
            self._print(f"{name}: {expected}; Ctrl-C stops it", "\n")

    def __call__(self, stage: str, share: float) -> None:
        now = time.perf_counter()
        every = 0.2 if sys.stderr.isatty() else 10.0
        if now - self.started > 1.0 and now - self.last_print > every:
            self.last_print, self.shown = now, True
            self._print(
                f"{self.name}: {stage}, {100 * share:.0f} %, {format_duration(now - self.started)}",
                "\r" if sys.stderr.isatty() else "\n",
            )

    def close(self) -> None:
        if self.shown and sys.stderr.isatty():
            self._print("", "\n")

    @staticmethod
    def _print(text: str, end: str) -> None:
        print(text.ljust(70) if end == "\r" else text, end=end, file=sys.stderr, flush=True)


def format_duration(seconds: float) -> str:
    """A time for a message: 3 hours."""
    for size, unit in ((31_557_600.0, "years"), (86400.0, "days"), (3600.0, "hours"), (60.0, "minutes")):
        if seconds >= 2 * size:
            return f"{_format_count(seconds / size)} {unit}"
    return f"{seconds:.2g} s" if seconds < 10 else f"{seconds:.0f} s"


def _format_count(x: float) -> str:
    return f"{x:.0f}" if x < 10_000 else f"{x:.1e}".replace("e+0", "e").replace("e+", "e")


def _format_memory(size: float) -> str:
    for scale, unit in ((1e12, "TB"), (1e9, "GB"), (1e6, "MB")):
        if size >= scale:
            return f"{_format_count(size / scale)} {unit}"
    return f"{size / 1e3:.0f} kB"
