"""Long straight-line code cut into pieces: a compiler's time and memory grow faster than the length of a function.

What one piece computes and a later one reads is kept in an array between them, at places that are used again once no piece
reads them any more; inputs are read again. Operations and their order stay the same, and so does every result. Beside those of
a schedule there are

    keep              a value put at its place in the array
    input             of the name `KEPT`: a value taken from there
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from lagrangian.kernels.trace.schedule import Operation, Schedule

KEPT = "kept"
# operations of code that is always cut, and of a piece; of code that is cut where few of its values, so large a part of the
# operations, are kept between pieces: to keep and to read them takes time
WHOLE, LENGTH = 10_000, 1_500
SHORT, PART = 2_000, 0.01


def pieces(scheduled: Schedule, groups: Sequence[int], whole: int | None = None) -> tuple[list[list[Schedule]], int]:
    """A schedule as several, one after the other, and how many numbers are kept between them.

    `groups` are the numbers of outputs that end with a piece: the pieces of each group are a list. Code of more than `whole`
    operations, by default WHOLE, is always cut.
    """
    count, whole = len(scheduled.operations), WHOLE if whole is None else whole
    if count <= SHORT:
        return _pieces(scheduled, groups, max(1, count))
    found, kept = _pieces(scheduled, groups, LENGTH)
    return (found, kept) if count > whole or kept <= PART * count else _pieces(scheduled, groups, count)


def _pieces(scheduled: Schedule, groups: Sequence[int], length: int) -> tuple[list[list[Schedule]], int]:
    parts = [list(_cut(part, length)) for part in _grouped(scheduled.operations, groups)]
    cut = [piece for part in parts for piece in part]
    if len(cut) == 1:
        return [[scheduled]], 0
    given = {x.result: x for x in scheduled.operations if x.name in ("input", "angle")}
    last: dict[int, int] = {}  # of a value, the last piece that reads it
    for p, piece in enumerate(cut):
        for operation in piece:
            last.update((k, p) for k in _read(operation) if k not in given)
    free: list[int] = []
    places: dict[int, int] = {}
    read_last: list[list[int]] = [[] for _ in cut]
    size, found = 0, []
    for p, piece in enumerate(cut):
        # in this piece: a value is taken when it is needed, and kept when it is there
        missing = {**given, **{k: Operation("input", k, (KEPT, place)) for k, place in places.items()}}
        operations: list[Operation] = []
        for operation in piece:
            operations += [missing.pop(k) for k in dict.fromkeys(_read(operation)) if k in missing]
            k = operation.result
            if k in given:  # where it is read
                continue
            operations.append(operation)
            if last.get(k, p) > p:
                if not free:
                    free, size = [size], size + 1
                places[k] = free.pop()
                read_last[last[k]].append(k)
                operations.append(Operation("keep", -1, (places[k], k)))
        found.append(Schedule(operations, scheduled.constants))
        free += [places.pop(k) for k in read_last[p]]
    ordered = iter(found)
    return [[next(ordered) for _ in part] for part in parts], size


def _grouped(operations: Sequence[Operation], groups: Sequence[int]) -> Iterator[Sequence[Operation]]:
    """Cut after the last output of each group: outputs are in order."""
    at = {x.arguments[0]: k + 1 for k, x in enumerate(operations) if x.name == "output"}
    start = outputs = 0
    for count in groups:
        outputs += count
        end = at[outputs - 1] if outputs else 0  # of a mechanism that cannot move there are none
        yield operations[start:end]
        start = end


def _cut(part: Sequence[Operation], length: int) -> Iterator[Sequence[Operation]]:
    for k in range(0, len(part), length):
        yield part[k : k + length]


def _read(operation: Operation) -> tuple[int, ...]:
    """The values that an operation reads."""
    if operation.name in ("input", "angle"):
        return ()
    return operation.arguments[1:] if operation.name == "output" else operation.arguments
