"""Coordinates and speeds into the lanes of vectors and back, as machine code.

Where the coordinates of every piece stand side by side, a place is the first one's and so many more; else it is in a table.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from lagrangian.kernels.llvm.emit import Emitter, attributes
from lagrangian.kernels.llvm.target import CPUTarget
from lagrangian.kernels.long_chains.lanes import links_of_steps
from lagrangian.kernels.long_chains.plan import Plan


class LanePlaces:
    """The places in q of the coordinates of pieces, or in qd of their speeds: an array (coordinate of the steps, lane)."""

    def __init__(self, plan: Plan, starts: Sequence[int], sizes: Sequence[int]) -> None:
        """Place the coordinates of the links of a plan: `starts` has every link's first one, and `sizes` how many it has."""
        links, counts = links_of_steps(plan), [sizes[i] for i in links_of_steps(plan)[:, 0]]
        first = np.repeat(np.cumsum([0, *counts[:-1]]), counts)
        within = np.arange(len(first)) - first
        self.places = np.repeat(np.array(starts, dtype=np.int64)[links], counts, axis=0) + within[:, None]
        ends = np.cumsum([0, *counts])
        steps = np.cumsum([0, *(group.step_count for group in plan.groups)])
        self.groups = [(int(ends[a]), int(ends[b])) for a, b in pairwise(steps)]
        self.widest = max(b - a for a, b in self.groups)
        self.side_by_side = all((np.diff(self.places[a:b], axis=0) == 1).all() for a, b in self.groups)

    @property
    def table(self) -> np.ndarray:
        """The places that the code reads: the first row of every group, or all rows."""
        return self.places[[min(a, len(self.places) - 1) for a, _ in self.groups]] if self.side_by_side else self.places

    @property
    def group_rows(self) -> list[tuple[int, int, int]]:
        """The row of every group in the table, its first coordinate among those of the steps, and how many it has."""
        return [(g if self.side_by_side else a, a, b - a) for g, (a, b) in enumerate(self.groups)]


def coordinate_places(plan: Plan) -> LanePlaces:
    return LanePlaces(plan, plan.tree.iq, [kind.nq for kind in plan.link_variants])


def speed_places(plan: Plan) -> LanePlaces:
    return LanePlaces(plan, plan.tree.iv, [kind.nv for kind in plan.link_variants])


class LaneCopyEmitter:
    """Functions `(places, count, arrays ...)` that copy `count` rows of lanes, into `lines`."""

    def __init__(self, width: int, target: CPUTarget, declared: set[str]) -> None:
        self.width, self.target, self.declared = width, target, declared
        self.lines: list[str] = []

    def gather(self, name: str, arrays: Sequence[str], side_by_side: bool) -> None:
        """Write a function that copies rows `<array>` into lanes `to.<array>`."""
        e, places = self._begin(name, [*arrays, *(f"to.{a}" for a in arrays)], side_by_side)
        for array in arrays:
            self._store(e, self._load_lanes(e, array, places), f"to.{array}")
        self._end()

    def sines(self, name: str, side_by_side: bool) -> None:
        """Cosines and sines of angles into lanes: whether any angle was too large."""
        e, places = self._begin(name, ["angles", "cos", "sin"], side_by_side, "i1")
        s, c = e.sin_and_cos(self._load_lanes(e, "angles", places))
        self._store(e, c, "cos")
        self._store(e, s, "sin")
        self._end(e.any_large())

    def sines_in_place(self, name: str) -> None:
        """The same of angles here and there, left where they are among others."""
        e, places = self._begin(name, ["angles", "cos", "sin"], False, "i1")
        s, c = e.sin_and_cos(self._load_lanes(e, "angles", places))
        self._store_lanes(e, c, "cos", places)
        self._store_lanes(e, s, "sin", places)
        self._end(e.any_large())

    def scatter(self, name: str, side_by_side: bool) -> None:
        e, places = self._begin(name, ["lanes", "rows"], side_by_side)
        at = e.put(f"getelementptr double, ptr %lanes, i64 {e.put(f'mul i64 %k, {self.width}')}")
        self._store_lanes(e, e.load(at, 0), "rows", places)
        self._end()

    def _begin(self, name: str, arrays: Sequence[str], side_by_side: bool, result: str = "void") -> tuple[Emitter, list[str]]:
        """The head of a function with a loop over k; and the places of row k."""
        parameters = ", ".join(f"ptr noalias %{array}" for array in ("places", *arrays))
        head = f"define internal {result} @{name}({parameters}, i64 %count) {attributes(self.width)} {{\nentry:"
        self.lines += [head, "  %none = icmp sle i64 %count, 0"]
        e = Emitter(self.lines, self.width, self.target.fma, self.declared)

        def row(at: str) -> list[str]:
            pointers = [e.put(f"getelementptr i64, ptr {at}, i64 {lane}") for lane in range(self.width)]
            return [e.put(f"load i64, ptr {p}, align 8") for p in pointers]

        first = row("%places") if side_by_side else []
        self.lines.append("  br i1 %none, label %exit, label %loop\nloop:\n  %k = phi i64 [0, %entry], [%next, %loop]")
        self.lines.append("  %flag = phi i1 [false, %entry], [%either, %loop]")
        if side_by_side:
            return e, [e.put(f"add i64 {start}, %k") for start in first]
        return e, row(e.put(f"getelementptr i64, ptr %places, i64 {e.put(f'mul i64 %k, {self.width}')}"))

    def _end(self, flag: str | None = None) -> None:
        """`flag` is what a function gives that says of any row whether something is so."""
        self.lines.append(f"  %either = or i1 %flag, {flag or 'false'}\n  %next = add i64 %k, 1")
        self.lines.append("  %more = icmp slt i64 %next, %count")
        self.lines.append("  br i1 %more, label %loop, label %exit\nexit:")
        self.lines.append("  %found = phi i1 [false, %entry], [%either, %loop]")
        self.lines.append(f"  ret {'void' if flag is None else 'i1 %found'}\n}}")

    def _load_lanes(self, e: Emitter, array: str, places: Sequence[str]) -> str:
        """A vector of numbers here and there."""
        vector = "poison"
        for lane, place in enumerate(places):
            x = e.put(f"load double, ptr {e.put(f'getelementptr double, ptr %{array}, i64 {place}')}, align 8")
            vector = e.put(f"insertelement {e.type} {vector}, double {x}, i64 {lane}")
        return vector

    def _store_lanes(self, e: Emitter, value: str, array: str, places: Sequence[str]) -> None:
        for lane, place in enumerate(places):
            x = e.put(f"extractelement {e.type} {value}, i64 {lane}")
            self.lines.append(f"  store double {x}, ptr {e.put(f'getelementptr double, ptr %{array}, i64 {place}')}, align 8")

    def _store(self, e: Emitter, value: str, array: str) -> None:
        e.store(value, e.put(f"getelementptr double, ptr %{array}, i64 {e.put(f'mul i64 %k, {self.width}')}"), 0)
