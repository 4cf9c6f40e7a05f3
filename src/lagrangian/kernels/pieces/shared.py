"""Groups of pieces taken by several threads, one after the other, as they come: each is the same work, whoever does it.

A job is an array of whole numbers: the function that helpers call (see `llvm.helpers`), what every group is given, the phase
that has begun, whether an angle was too large; and of every phase, each on a line of its own, the next group and how many are
done.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from lagrangian.kernels.code import LINE
from lagrangian.kernels.llvm import helpers
from lagrangian.kernels.llvm.builder import INTEGER, POINTER, Array, Builder, Operand, Value, Variable
from lagrangian.kernels.llvm.target import x86

CALLED, GIVEN, PHASE, LARGE = 0, 1, 4, 5
SHARED = 4  # groups, from which on helpers are asked
THREADS = 1 + helpers.MOST
# what is remembered from call to call: where helpers are found and how many may help; for how many calls they are not asked, and
# how many that was last; how long a call takes without them
FOUND, SKIPPED, PATIENCE, ALONE = 0, 1, 2, 3
GATE, PATIENT, LITTLE = 4, 4000, 50


def size(phases: int) -> int:
    return LINE * (1 + 2 * phases)


def _next(phase: int) -> int:
    return LINE * (1 + 2 * phase)


def _done(phase: int) -> int:
    return LINE * (2 + 2 * phase)


def atomic(b: Builder, job: Array, place: int) -> Value:
    return b.put(INTEGER, f"load atomic i64, ptr {job.address(place)} acquire, align 8")


def set_atomic(b: Builder, job: Array, place: int, value: Operand) -> None:
    b.line(f"store atomic i64 {b.value(value, INTEGER).text}, ptr {job.address(place)} release, align 8")


def added(b: Builder, job: Array, place: int, operation: str, value: Operand) -> Value:
    """What was there before."""
    given = b.value(value, INTEGER).text
    return b.put(INTEGER, f"atomicrmw {operation} ptr {job.address(place)}, i64 {given} acq_rel")


def wait(b: Builder, ready: Callable[[], Value]) -> None:
    with b.loop(lambda: ~ready()):
        if x86():
            b.declared.add("declare void @llvm.x86.sse2.pause()")
            b.line("call void @llvm.x86.sse2.pause()")


def take(b: Builder, job: Array, where: Array, phase: int, groups: int) -> None:
    """Take groups of a phase as long as there are any; `where` holds the group and the number of the thread."""
    given = ", ".join(f"ptr {Array(b, job.address(GIVEN + k)).as_type(POINTER)[0].text}" for k in range(3))
    group = b.variable(added(b, job, _next(phase), "add", 1), INTEGER)
    with b.loop(lambda: group.get() < groups):
        where[0] = group.get()
        large = b.put(INTEGER, f"call i64 @group{phase}({given}, ptr {where.pointer})")
        added(b, job, LARGE, "or", large)
        added(b, job, _done(phase), "add", 1)
        group.set(added(b, job, _next(phase), "add", 1))


def assist(declared: set[str], phases: int, groups: int, quietly: Callable[[Builder], Callable[[], None]]) -> list[str]:
    """`assist(job, where)`, which helpers call: they take groups of one phase after the other."""
    b = Builder("assist", ["job", "where"], declared, False)
    job, where = (b.array(name, INTEGER) for name in b.arguments)
    restore = quietly(b)
    for phase in range(phases):
        wait(b, lambda phase=phase: atomic(b, job, PHASE) > phase)  # type: ignore[misc]
        take(b, job, where, phase, groups)
    restore()
    b.leave()
    return b.text()


@contextmanager
def offered(b: Builder, job: Array, gate: Array, phases: int, given: list[Array]) -> Iterator[None]:
    """While this lasts, helpers take groups, too, unless they did not pay when they last did.

    They do not where other programs use the machine: one that has begun a group may have to wait, and all with it. So a call
    without them is timed first, and after one that they did not make faster they are asked again ever less often.
    """
    b.each(size(phases), lambda k: job.__setitem__(k, 0))
    job[CALLED] = b.put(INTEGER, "ptrtoint ptr @assist to i64")
    for k, array in enumerate(given):
        job[GIVEN + k] = b.address_of(array)
    begun, known, start = (b.variable(0, INTEGER) for _ in range(3))
    start.set(_cycles(b))
    ask = gate[SKIPPED] <= 0
    with b.when(ask & gate[FOUND].differs(0) & (gate[ALONE] > 0)):
        found = Array(b, b.put(POINTER, f"inttoptr i64 {gate[FOUND].text} to ptr").text, INTEGER)
        known.set(found[0])
        with b.when(known.get().differs(0) & (found[1] > 0)):
            begin = _function(b, known, helpers.BEGIN)
            begun.set(b.put(INTEGER, f"call i64 {begin}(ptr {_pointer(b, known)}, ptr {job.pointer}, i64 {found[1].text})"))
    yield
    with b.when(begun.get().differs(0)):
        end = _function(b, known, helpers.END)
        b.put(INTEGER, f"call i64 {end}(ptr {_pointer(b, known)})")
    taken = _cycles(b) - start.get()
    b.either(begun.get().differs(0), lambda: _judge(b, gate, taken), lambda: _alone(b, gate, taken))


def _judge(b: Builder, gate: Array, taken: Value) -> None:
    """After a call with helpers: if it was not faster, so many calls go without that what it lost is little beside them."""
    alone = gate[ALONE]
    worse = taken * 10 > alone * 9
    lost = b.put(INTEGER, f"sdiv i64 {((taken - alone) * LITTLE).text}, {alone.text}")
    longer = gate[PATIENCE] * 2 + 8
    patience = b.select(longer < lost, lost, b.select(longer < PATIENT, longer, PATIENT, INTEGER), INTEGER)
    gate[PATIENCE] = b.select(worse, patience, 0, INTEGER)
    gate[SKIPPED] = gate[PATIENCE]


def _alone(b: Builder, gate: Array, taken: Value) -> None:
    """After one without: the least time, which is forgotten slowly."""
    known = gate[ALONE]
    older = known + b.put(INTEGER, f"ashr i64 {known.text}, 6")
    gate[ALONE] = b.select((taken < older) | (known <= 0), taken, older, INTEGER)
    gate[SKIPPED] = gate[SKIPPED] - 1


def _cycles(b: Builder) -> Value:
    b.declared.add("declare i64 @llvm.readcyclecounter()")
    return b.put(INTEGER, "call i64 @llvm.readcyclecounter()")


def _pointer(b: Builder, known: Variable) -> str:
    return b.put(POINTER, f"inttoptr i64 {known.get().text} to ptr").text


def _function(b: Builder, known: Variable, place: int) -> str:
    return Array(b, _pointer(b, known), POINTER)[place].text


def together(b: Builder, job: Array, where: Array, phase: int, groups: int) -> None:
    """All groups of a phase, with those who help."""
    set_atomic(b, job, PHASE, phase + 1)
    take(b, job, where, phase, groups)
    wait(b, lambda: atomic(b, job, _done(phase)) >= groups)
