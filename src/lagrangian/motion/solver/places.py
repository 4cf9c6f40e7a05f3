"""Where a compiled run keeps its numbers: the arguments of `integrate` and `replay`, and the places in their arrays."""

from __future__ import annotations

from lagrangian.kernels.llvm.ir import DOUBLE, INTEGER, Array, FunctionBuilder, Value
from lagrangian.motion.integrators.method import Method

Index = int | Value

# places in s
T, END, H, RTOL, ATOL, LARGEST, SINGULAR, RATIO, LEAST, RATIO_NOW, RATIO_BEFORE, T_BEFORE, WATCHED, ERROR_BEFORE = range(14)
REALS = 14
# places in c
BUDGET, ACCEPTED, REJECTED, ROW, ROWS, STORED, FOUND, ROOM, FRESH, AGAIN, WHICH, FAILED = range(12)
STEPS_ROOM, WATCH, STIFF, KEEP, LATE = range(12, 17)
COUNTERS = 17

# what `integrate` returns, and the loop around it
DONE, BUSY, EVENT, TOO_SMALL, FAILURE, NEAR_SINGULAR, IS_STIFF, TOO_MANY, RUNS_AWAY, CRAWLS = range(10)

LOOP_ARGUMENTS = ["s", "c", "y", "u", "work", "grid", "rows", "steps", "dense", "found", "kinds"]
REPLAY_ARGUMENTS = ["s", "c", "steps", "dense", "u", "work", "which", "theta", "rows"]
BALANCE_ARGUMENTS = ["s", "c", "steps", "dense", "u", "work", "totals"]
WHOLE = {"c", "kinds", "which"}  # arrays of integers

# kinds of events: told; ending the run; also when it starts at zero and goes on below; where the equations have a kink
TOLD, STOP, GUARD, KINK = range(4)
# of an event in `kinds`: the direction that counts, its kind, and whether it has just happened
PER_EVENT = 3
DIRECTION, KIND, HAPPENED = range(3)
# the last: not known, and what rounding alone keeps from zero has happened; just now; not yet, however near it is
UNKNOWN, JUST_NOW, TO_COME = range(3)
# places within a step at which event functions are looked at, so that one that crosses twice is not missed: few where they are
# told by forces or by Python, which takes its time
FEW_LOOKS, LOOKS = 2, 8


# of a step whose rows are not made yet: the first of them, the one after the last, and the step's own number among those kept
FIRST_ROW, LAST_ROW, STEP = range(3)
LATE_ROWS = 3


class SolverWorkspace:
    """How the scratch memory of a run is divided; `late` is of how many steps the rows may wait, see `late_rows`."""

    def __init__(self, n: int, method: Method, events: int, looks: int, late: int = 0) -> None:
        self.looks = looks
        self.sizes = {
            "slopes": method.slopes * n,
            "F": method.degree * n,
            "end": n,
            "state": n,
            "clock": 8,
            "report": 8,
            "g": events,  # at the beginning of the step: kept between calls
            "looks": (looks + 1) * events,
            "value": max(1, events),
            "theta": looks * events,
            # of steps whose rows are not made yet, side by side
            "late_clock": 2 * late,
            "late_y": n * late,
            "late_slopes": method.slopes * n * late,
            "late_end": n * late,
            "late_F": method.degree * n * late,
            "late_rows": LATE_ROWS * late,
        }
        self.starts: dict[str, int] = {}
        self.size = 0
        for name, count in self.sizes.items():
            self.starts[name] = self.size
            self.size += -(-count // 8) * 8


class Memory:
    """The arrays of one compiled function: its arguments, and the parts of its scratch memory."""

    s: Array
    c: Array
    y: Array
    u: Array
    grid: Array
    rows: Array
    steps: Array
    dense: Array
    found: Array
    kinds: Array
    which: Array
    slopes: Array
    F: Array
    end: Array
    state: Array
    clock: Array
    report: Array
    g: Array
    looks: Array
    value: Array
    theta: Array
    totals: Array
    late_clock: Array
    late_y: Array
    late_slopes: Array
    late_end: Array
    late_F: Array
    late_rows: Array

    def __init__(self, b: FunctionBuilder, arguments: list[str], workspace: SolverWorkspace) -> None:
        work = b.array("work")
        for name, start in workspace.starts.items():
            setattr(self, name, work.offset(start))
        for name in arguments:
            setattr(self, name, b.array(name, INTEGER if name in WHOLE else DOUBLE))
