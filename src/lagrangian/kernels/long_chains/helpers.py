"""Groups of pieces taken by several threads, one after the other, as they come: each is the same work, whoever does it.

A job is an array of whole numbers: the function that helpers call (see `llvm.helpers`), what every group is given, the phase
that has begun, whether an angle was too large; and of every phase, each on a line of its own, the next group and how many are
done.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from lagrangian.kernels.kernel import CACHE_LINE
from lagrangian.kernels.llvm import helpers
from lagrangian.kernels.llvm.ir import INTEGER, POINTER, Array, FunctionBuilder, LocalVariable, Operand, Value
from lagrangian.kernels.llvm.target import is_x86

FUNCTION, ARGUMENTS, PHASE, LARGE_ANGLE = 0, 1, 4, 5
MIN_SHARED_GROUPS = 4  # groups, from which on helpers are asked
MAX_THREADS = 1 + helpers.MAX_HELPERS
# what is remembered from call to call: where helpers are found and how many may help; for how many calls they are not asked, and
# how many that was last; how long a call takes without them
HELPERS_ADDRESS, SKIPPED_CALLS, PATIENCE, CYCLES_ALONE = 0, 1, 2, 3
GATE_SIZE, MAX_PATIENCE, LOSS_WEIGHT = 4, 4000, 50


def size(phases: int) -> int:
    return CACHE_LINE * (1 + 2 * phases)


def _next_group_place(phase: int) -> int:
    return CACHE_LINE * (1 + 2 * phase)


def _done_count_place(phase: int) -> int:
    return CACHE_LINE * (2 + 2 * phase)


def load_atomic(b: FunctionBuilder, job: Array, place: int) -> Value:
    return b.put(INTEGER, f"load atomic i64, ptr {job.address(place)} acquire, align 8")


def store_atomic(b: FunctionBuilder, job: Array, place: int, value: Operand) -> None:
    b.line(f"store atomic i64 {b.value(value, INTEGER).text}, ptr {job.address(place)} release, align 8")


def update_atomic(b: FunctionBuilder, job: Array, place: int, operation: str, value: Operand) -> Value:
    """Write an atomic operation on an entry of the job, and return the value that the entry had before."""
    operand = b.value(value, INTEGER).text
    return b.put(INTEGER, f"atomicrmw {operation} ptr {job.address(place)}, i64 {operand} acq_rel")


def wait(b: FunctionBuilder, ready: Callable[[], Value]) -> None:
    with b.while_loop(lambda: ~ready()):
        if is_x86():
            b.declared.add("declare void @llvm.x86.sse2.pause()")
            b.line("call void @llvm.x86.sse2.pause()")


def take_groups(b: FunctionBuilder, job: Array, where: Array, phase: int, groups: int) -> None:
    """Take groups of a phase as long as there are any; `where` holds the group and the number of the thread."""
    arguments = ", ".join(f"ptr {Array(b, job.address(ARGUMENTS + k)).as_type(POINTER)[0].text}" for k in range(3))
    group = b.variable(update_atomic(b, job, _next_group_place(phase), "add", 1), INTEGER)
    with b.while_loop(lambda: group.get() < groups):
        where[0] = group.get()
        large = b.put(INTEGER, f"call i64 @group{phase}({arguments}, ptr {where.pointer})")
        update_atomic(b, job, LARGE_ANGLE, "or", large)
        update_atomic(b, job, _done_count_place(phase), "add", 1)
        group.set(update_atomic(b, job, _next_group_place(phase), "add", 1))


def assist(
    declared: set[str], phases: int, groups: int, set_float_mode: Callable[[FunctionBuilder], Callable[[], None]]
) -> list[str]:
    """`assist(job, where)`, which helpers call: they take groups of one phase after the other."""
    b = FunctionBuilder("assist", ["job", "where"], declared, False)
    job, where = (b.array(name, INTEGER) for name in b.arguments)
    restore = set_float_mode(b)
    for phase in range(phases):
        wait(b, lambda phase=phase: load_atomic(b, job, PHASE) > phase)  # type: ignore[misc]
        take_groups(b, job, where, phase, groups)
    restore()
    b.return_status()
    return b.text()


@contextmanager
def with_helpers(b: FunctionBuilder, job: Array, gate: Array, phases: int, arguments: list[Array]) -> Iterator[None]:
    """A context for phases in which helpers take groups, too, unless they did not make the last call with them faster.

    They do not where other programs use the machine: one that has begun a group may have to wait, and all with it. So a call
    without them is timed first, and after one that they did not make faster they are asked again ever less often.
    """
    b.for_each(size(phases), lambda k: job.__setitem__(k, 0))
    job[FUNCTION] = b.put(INTEGER, "ptrtoint ptr @assist to i64")
    for k, array in enumerate(arguments):
        job[ARGUMENTS + k] = b.address_of(array)
    helpers_begun, helpers_address, start = (b.variable(0, INTEGER) for _ in range(3))
    start.set(_cycles(b))
    ask = gate[SKIPPED_CALLS] <= 0
    with b.if_then(ask & gate[HELPERS_ADDRESS].differs(0) & (gate[CYCLES_ALONE] > 0)):
        threads_gate = Array(b, b.put(POINTER, f"inttoptr i64 {gate[HELPERS_ADDRESS].text} to ptr").text, INTEGER)
        helpers_address.set(threads_gate[0])
        with b.if_then(helpers_address.get().differs(0) & (threads_gate[1] > 0)):
            begin = _function(b, helpers_address, helpers.BEGIN)
            helpers_begun.set(
                b.put(
                    INTEGER,
                    f"call i64 {begin}(ptr {_pointer(b, helpers_address)}, ptr {job.pointer}, i64 {threads_gate[1].text})",
                )
            )
    yield
    with b.if_then(helpers_begun.get().differs(0)):
        end = _function(b, helpers_address, helpers.END)
        b.put(INTEGER, f"call i64 {end}(ptr {_pointer(b, helpers_address)})")
    cycles = _cycles(b) - start.get()
    b.if_else(
        helpers_begun.get().differs(0), lambda: _judge_helpers(b, gate, cycles), lambda: _record_cycles_alone(b, gate, cycles)
    )


def _judge_helpers(b: FunctionBuilder, gate: Array, cycles: Value) -> None:
    """Write the code that decides, after a call with helpers, how many calls go without them.

    If the call was not faster, these are so many that the time lost is little beside theirs.
    """
    alone = gate[CYCLES_ALONE]
    worse = cycles * 10 > alone * 9
    lost_calls = b.put(INTEGER, f"sdiv i64 {((cycles - alone) * LOSS_WEIGHT).text}, {alone.text}")
    longer = gate[PATIENCE] * 2 + 8
    patience = b.select(longer < lost_calls, lost_calls, b.select(longer < MAX_PATIENCE, longer, MAX_PATIENCE, INTEGER), INTEGER)
    gate[PATIENCE] = b.select(worse, patience, 0, INTEGER)
    gate[SKIPPED_CALLS] = gate[PATIENCE]


def _record_cycles_alone(b: FunctionBuilder, gate: Array, cycles: Value) -> None:
    """Write the code that records, after a call without helpers, the least time so far, which is forgotten slowly."""
    best = gate[CYCLES_ALONE]
    forgetting = best + b.put(INTEGER, f"ashr i64 {best.text}, 6")
    gate[CYCLES_ALONE] = b.select((cycles < forgetting) | (best <= 0), cycles, forgetting, INTEGER)
    gate[SKIPPED_CALLS] = gate[SKIPPED_CALLS] - 1


def _cycles(b: FunctionBuilder) -> Value:
    b.declared.add("declare i64 @llvm.readcyclecounter()")
    return b.put(INTEGER, "call i64 @llvm.readcyclecounter()")


def _pointer(b: FunctionBuilder, address: LocalVariable) -> str:
    return b.put(POINTER, f"inttoptr i64 {address.get().text} to ptr").text


def _function(b: FunctionBuilder, address: LocalVariable, place: int) -> str:
    return Array(b, _pointer(b, address), POINTER)[place].text


def run_phase(b: FunctionBuilder, job: Array, where: Array, phase: int, groups: int) -> None:
    """All groups of a phase, with those who help."""
    store_atomic(b, job, PHASE, phase + 1)
    take_groups(b, job, where, phase, groups)
    wait(b, lambda: load_atomic(b, job, _done_count_place(phase)) >= groups)
