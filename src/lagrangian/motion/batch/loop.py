"""The loop over a batch of motions, as compiled code: lanes are filled, step, and are filled again with the next motion.

    i64 go(ptr s, ptr y, ...)

All that is needed to go on is in the arrays: it returns when its budget of steps is used, so that the caller can show progress
and be interrupted, or when there is no more room for events, and is called again. What is not the same for all lanes is done by
the code of a single run, `integrate`, on the motion of one lane: its beginning, and steps in which something happens.
"""

from __future__ import annotations

from typing import Any

from lagrangian.kernels.llvm.ir import DOUBLE, INTEGER, Array, FunctionBuilder, Value
from lagrangian.motion.batch import extremes
from lagrangian.motion.batch import places as lane
from lagrangian.motion.batch.attempt import FILL_ARGUMENTS
from lagrangian.motion.integrators.method import Method, Module
from lagrangian.motion.solver import places
from lagrangian.motion.solver.interpolant import Interpolant
from lagrangian.motion.solver.lane import Lane
from lagrangian.motion.solver.places import SolverWorkspace
from lagrangian.motion.system import balance as terms
from lagrangian.motion.system.system import System


def _builder(module: Module, name: str, arguments: list[str], internal: bool) -> tuple[FunctionBuilder, dict[str, Array]]:
    """A function that sees the lanes one by one."""
    b = FunctionBuilder(name, arguments, module.declared, module.fma, internal)
    return b, {name: b.array(name, INTEGER if name in lane.WHOLE else DOUBLE) for name in arguments}


def _copied(b: FunctionBuilder, size: int, source: Any, target: Any) -> None:
    b.for_each(size, lambda i: target.__setitem__(i, source[i]))


def emit_rows(module: Module, method: Method) -> None:
    """`fill_rows`: the states at the times of the grid, from the interpolants of the lanes that are in the flags."""
    n, width = module.size, module.width
    b, at = _builder(module, "fill_rows", FILL_ARGUMENTS, internal=True)
    c = at["c"]
    with b.for_range(width) as k:
        bit = b.put(INTEGER, f"shl i64 1, {k.text}")
        with b.if_then((at["flags"][lane.ROWS_OF] & bit).differs(0)):
            s, y, F, clock = (Lane(at[name], width, k) for name in ("s", "y", "F", "clock"))
            inverse, row = 1.0 / clock[1], at["row"]

            def more() -> Value:
                inside = row[k] < c[lane.ROWS]
                time = at["grid"][b.select(inside, row[k], 0, INTEGER)]
                return inside & (time <= s[lane.UNTIL])

            with b.while_loop(more):
                theta = (at["grid"][row[k]] - s[places.T]) * inverse
                target = at["rows"].offset((at["motion"][k] * c[lane.ROWS] + row[k]) * n)
                Interpolant.horner(b, theta, y, F, method.degree, n, target)
                row[k] = row[k] + 1
            inside = row[k] < c[lane.ROWS]
            later = at["grid"][b.select(inside, row[k], 0, INTEGER)]
            s[lane.NEXT_ROW] = b.select(inside, later, float("inf"))
    b.return_status()
    module.add(b)


class BatchLoop:
    """Writes `go` for one integrator and one system; `workspace` is that of a single run and, wider, of the lanes."""

    def __init__(
        self, module: Module, system: System, workspace: SolverWorkspace, prepared: int, balances: bool, degree: int
    ) -> None:
        """`prepared` is how many numbers a motion has, with what follows from them; its energies are kept if it `balances`.

        `degree` is that of the interpolants from which extremes are found, or 0 where none are wanted.
        """
        self.balances, self.degree = balances, degree
        self.module, self.events, self.workspace = module, len(system.table), workspace
        self.inputs, self.address = system.inputs.size, system.inputs.numbers
        self.numbers, self.prepared = len(system.numbers), prepared
        self.n, self.width = module.size, module.width
        self.b, self.at = _builder(module, "go", lane.GO_ARGUMENTS, internal=False)

    def emit(self) -> None:
        b, c, at = self.b, self.at["c"], self.at
        room = self.workspace.looks * self.events * self.width
        with b.while_loop(lambda: b.value(True, "i1")):
            with b.if_then((c[lane.BUDGET] <= 0) | (c[lane.FOUND] + room > c[lane.ROOM])):
                b.return_status(places.BUSY)
            with b.if_then((c[lane.WORKING] < self.width) & (c[lane.TAKEN] < c[lane.COUNT])):
                self._fill()
            with b.if_then(c[lane.WORKING].equals(0)):
                b.return_status(places.DONE)
            c[lane.BUDGET] = c[lane.BUDGET] - 1
            c[lane.STEPS] = c[lane.STEPS] + 1
            b.call("attempt", *(at[name] for name in lane.ATTEMPT_ARGUMENTS))
            called = at["flags"][lane.CALLED]
            with b.if_then(called.differs(0)), b.for_range(self.width) as k:
                bit = b.put(INTEGER, f"shl i64 1, {k.text}")
                with b.if_then((called & bit).differs(0)):
                    self._attend(k)
        b.return_status(places.DONE)
        self.module.add(b)

    def _lanes(self, k: Value) -> tuple[Lane, Lane, Lane]:
        return Lane(self.at["s"], self.width, k), Lane(self.at["y"], self.width, k), Lane(self.at["work"], self.width, k)

    def _fill(self) -> None:
        """Motions that have not begun, into lanes that are free."""
        b, at, c = self.b, self.at, self.at["c"]
        with b.for_range(self.width) as k:
            free = Lane(at["s"], self.width, k)[lane.ACTIVE] <= 0.0
            with b.if_then(free & (c[lane.TAKEN] < c[lane.COUNT])):
                motion = c[lane.TAKEN]
                c[lane.TAKEN], c[lane.WORKING] = motion + 1, c[lane.WORKING] + 1
                at["motion"][k] = motion
                b.copy(at["s0"], at["s1"], places.REALS)
                b.copy(at["c0"], at["c1"], places.COUNTERS)
                b.copy(at["starts"].offset(motion * self.n), at["y1"], self.n)
                given, u = at["inputs"].offset(motion * self.inputs), Lane(at["u"], self.width, k)
                with b.if_then(c[lane.VARIES].differs(0)):
                    self._prepare(k, motion)
                b.for_each(self.inputs, lambda i: u.__setitem__(i, given[i]))
                Lane(at["u"].as_type(INTEGER), self.width, k)[self.address] = b.address_of(at["table"])
                self._integrate(motion, 0)
                self._put(k)
                self._energies(motion, at["s1"], at["y1"], 0)
                if self.degree:
                    extremes.begin(b, self.n, at["y1"], at["s1"][places.T], Lane(at["found"], self.width, k))

    def _prepare(self, k: Value, motion: Value) -> None:
        """The numbers of a motion, and what follows from them, for the code of a single run and for that of the lanes."""
        b, at = self.b, self.at
        given, own, side = at["numbers"].offset(motion * self.numbers), at["tables"].offset(k * self.prepared), at["table"]
        b.copy(given, own, self.numbers)
        b.call_pointer(at["prepare"], own)
        at["inputs"].as_type(INTEGER)[motion * self.inputs + self.address] = b.address_of(own)
        lanes = Lane(side, self.width, k)
        b.for_each(self.prepared, lambda i: lanes.__setitem__(i, own[i]))

    def _attend(self, k: Value) -> None:
        """What a step has left to do of a lane."""
        b, motion = self.b, self.at["motion"][k]
        s, _, _ = self._lanes(k)
        what = b.to_integer(s[lane.WHAT])

        def alone() -> None:
            self._take(k)
            status = self._integrate(motion, 1)
            self._put(k)
            if self.degree:
                self._extremes_of_step(k)
            with b.if_then(status.differs(places.BUSY)):
                self._end(k, motion, status)

        b.if_else(what.equals(lane.ALONE), alone, lambda: self._end(k, motion, what))

    def _extremes_of_step(self, k: Value) -> None:
        """Of a step that was made alone, if it was accepted."""
        b, at, n = self.b, self.at, self.n
        with b.if_then(at["c1"][places.STORED] > 0):
            kept, t, h = at["steps1"], at["steps1"][0], at["steps1"][1]
            part, found = (at["s1"][places.T] - t) / h, Lane(at["found"], self.width, k)
            step = extremes.Step(t, h, part, kept.offset(2), at["dense1"], self.degree, n)
            extremes.emit_extremes(b, step, b.value(True, "i1"), found)
            extremes.end_of_step(b, n, at["y1"], at["s1"][places.T], found)

    def _end(self, k: Value, motion: Value, status: Value) -> None:
        """A motion leaves its lane."""
        b, at, n = self.b, self.at, self.n
        s, y, _ = self._lanes(k)
        end, codes = at["ends"].offset(motion * n), at["codes"].offset(motion * lane.CODES)
        b.for_each(n, lambda i: end.__setitem__(i, y[i]))
        at["times"][motion * 2] = s[places.T]
        at["times"][motion * 2 + 1] = s[places.RATIO]
        codes[lane.STATUS], codes[lane.WHICH] = status, at["c1"][places.WHICH]
        codes[lane.TRIED_WELL], codes[lane.TRIED_BADLY] = b.to_integer(s[lane.ACCEPTED]), b.to_integer(s[lane.REJECTED])
        self._energies(motion, at["times"].offset(motion * 2), end, 2)
        if self.degree:
            size = extremes.PARTS * n
            _copied(b, size, Lane(at["found"], self.width, k), at["extremes"].offset(motion * size))
        s[lane.ACTIVE], s[places.H], s[places.T] = 0.0, 0.0, s[places.END]
        at["c"][lane.WORKING] = at["c"][lane.WORKING] - 1

    def _energies(self, motion: Value, time: Array, state: Array, place: int) -> None:
        """Keep the energies of a motion at a state."""
        if not self.balances:
            return
        b, at, found = self.b, self.at, self.b.local_array(terms.TERMS)
        b.call("balance_terms", time, state, at["inputs"].offset(motion * self.inputs), found)
        for k, what in enumerate((terms.KINETIC, terms.POTENTIAL)):
            at["energies"][motion * 4 + (place + k)] = found[what]

    # -- one motion alone --------------------------------------------------------------------------------------------

    def _integrate(self, motion: Value, budget: int) -> Value:
        """The single run's own code, on the motion that is in its arrays; why it returned."""
        b, at, n = self.b, self.at, self.n
        c, c1, width = at["c"], at["c1"], n + 2
        c1[places.BUDGET], c1[places.STEPS_ROOM], c1[places.ROWS] = budget, int(bool(self.degree)), c[lane.ROWS]
        c1[places.STORED], c1[places.KEEP] = 0, int(bool(self.degree))
        c1[places.FOUND], c1[places.ROOM] = 0, c[lane.ROOM] - c[lane.FOUND]
        rows = at["rows"].offset(motion * c[lane.ROWS] * n)
        found = at["found1"].offset(c[lane.FOUND] * width)
        first = (at["s1"], c1, at["y1"], at["inputs"].offset(motion * self.inputs), at["work1"], at["grid"])
        status = b.call_pointer_for_integer(at["integrate"], *first, rows, at["steps1"], at["dense1"], found, at["kinds"])
        with b.for_range(c1[places.FOUND]) as e:
            at["owner"][c[lane.FOUND] + e] = motion
        c[lane.FOUND] = c[lane.FOUND] + c1[places.FOUND]
        return status

    def _parts(self) -> list[tuple[int, int]]:
        """What of a motion's scratch memory lasts from step to step: the slope at its state, and the values of events."""
        starts = self.workspace.starts
        return [(starts["slopes"], self.n), (starts["g"], self.events)]

    def _take(self, k: Value) -> None:
        """The motion of a lane, into the arrays of a single run."""
        b, at = self.b, self.at
        s, y, work = self._lanes(k)
        b.for_each(places.REALS, lambda i: at["s1"].__setitem__(i, s[i]))
        b.copy(at["c0"], at["c1"], places.COUNTERS)
        at["c1"][places.FRESH], at["c1"][places.ROW] = 0, at["row"][k]
        for place, counter in lane.COUNTED.items():
            at["c1"][counter] = b.to_integer(s[place])
        b.for_each(self.n, lambda i: at["y1"].__setitem__(i, y[i]))
        for start, size in self._parts():
            kept, mine = at["work1"].offset(start), Lane(work.array.offset(start * self.width), self.width, k)
            _copied(b, size, mine, kept)

    def _put(self, k: Value) -> None:
        """The motion in the arrays of a single run, into a lane."""
        b, at = self.b, self.at
        s, y, work = self._lanes(k)
        b.for_each(places.REALS, lambda i: s.__setitem__(i, at["s1"][i]))
        for place, counter in lane.COUNTED.items():
            s[place] = b.to_double(at["c1"][counter])
        at["row"][k] = at["c1"][places.ROW]
        inside = at["row"][k] < at["c"][lane.ROWS]
        later = at["grid"][b.select(inside, at["row"][k], 0, INTEGER)]
        s[lane.NEXT_ROW] = b.select(inside, later, float("inf"))
        s[lane.ACTIVE], s[lane.MOST] = 1.0, b.to_double(at["c"][lane.LIMIT])
        b.for_each(self.n, lambda i: y.__setitem__(i, at["y1"][i]))
        for start, size in self._parts():
            kept, mine = at["work1"].offset(start), Lane(work.array.offset(start * self.width), self.width, k)
            _copied(b, size, kept, mine)
