"""A trace as a list of operations in the order in which a processor does them: what every writer of code starts from.

Nothing here knows a language or a machine: `llvm.emit` spells the list as LLVM's text, others would spell it as C. Values are
numbered. An operation is its name, the number of its result, and its arguments, which are numbers of earlier values or of
`constants`; those of an input or angle are its name and index, that of an output its position and value:

    input, angle      a value given; an angle is one that sin and cos alone read, and may come reduced to one turn
    add sub mul div neg sqrt sin cos exp log tanh asin acos atan atan2
    fma               a b + c, rounded once
    touch             a + 0 b: a, but NaN where b is NaN or infinite
    choose            c where a < b, else d
    by_sign           b where a > 0, c where a < 0, else a: 0 at 0, NaN of NaN
    output            a result at its position
    keep              a value put at its place in the array of spilled values; inputs of the name `SPILL_ARRAY` take it from there

`split_constants` takes apart what depends on numbers of the description alone: it is computed once, before a run or a call, and
not in every evaluation (loop-invariant code motion). `cut_schedule` cuts long straight-line code into pieces, because a
compiler's time and memory grow faster than the length of a function. What one piece computes and a later one reads is spilled to
an array between them, at places that are used again once no piece reads them any more; inputs are read again. Operations and
their order stay the same, and so does every result.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from lagrangian.kernels.trace.node import LEAVES, NUMBERS, PREPARED, NodeRecord, Trace, arguments

SPILL_ARRAY = "kept"
MAX_WHOLE_OPERATIONS, PIECE_OPERATIONS = 10_000, 1_500  # beyond which code is always cut, and of a piece

# operations up to which code is never cut; in between, it is cut where at most so large a part of the operations spill values:
# to store and to read them takes time
MAX_SHORT_OPERATIONS, MAX_SPILLED_FRACTION = 2_000, 0.01


def schedule(trace: Trace, fuse_products: bool) -> Schedule:
    """All operations of a trace, in a good order.

    With `fuse_products`, a product that one sum alone uses becomes a fused multiply-add. That is decided here and not by a
    compiler, so that every target and vector width rounds alike.
    """
    return _Scheduler(trace, fuse_products).run()


@dataclass
class Schedule:
    """Operations in their order, and the constants that they read, by number."""

    operations: list[Operation] = field(default_factory=list)
    constants: dict[int, float] = field(default_factory=dict)


class Operation(NamedTuple):
    """One line of straight-line code. An output has no result of its own: -1."""

    name: str
    result: int
    arguments: tuple[Any, ...]


class _Scheduler:
    def __init__(self, trace: Trace, fuse_products: bool) -> None:
        self.nodes, self.outputs = trace.nodes, trace.outputs
        self.schedule = Schedule(constants={k: node[1] for k, node in enumerate(self.nodes) if node[0] == "constant"})
        self.fused_products = self._products_to_fuse() if fuse_products else set()
        self.angles: dict[int, int] = {}  # of an input that sin or cos read, the value that is loaded for them
        self.value_count = len(self.nodes)

    def run(self) -> Schedule:
        skipped = self.fused_products | self._inputs_read_as_angles() | set(self.schedule.constants)
        for kind, k in evaluation_order(self.nodes, self.outputs):
            if kind == "output":
                self._add("output", -1, k, self.outputs[k])
            elif k not in skipped:
                self._add_operation(k)
        return self.schedule

    def _add(self, name: str, result: int, *arguments: Any) -> int:
        self.schedule.operations.append(Operation(name, result, arguments))
        return result

    def _add_extra(self, name: str, *arguments: Any) -> int:
        """An operation that is no node of the trace."""
        self.value_count += 1
        return self._add(name, self.value_count - 1, *arguments)

    def _add_operation(self, k: int) -> None:
        name, *operands = self.nodes[k]
        if name in ("sin", "cos"):
            operands = [self._angle(operands[0])]
        elif name in ("add", "sub") and not self.fused_products.isdisjoint(operands):
            name, operands = "fma", self._multiply_add_arguments(name, *operands)
        self._add(name, k, *operands)

    def _angle(self, k: int) -> int:
        if self.nodes[k][0] != "input":
            return k
        if k not in self.angles:
            self.angles[k] = self._add_extra("angle", *self.nodes[k][1:])
        return self.angles[k]

    def _multiply_add_arguments(self, name: str, a: int, b: int) -> list[int]:
        """a + b or a - b, one of which is a product, as the three arguments of a fused multiply-add."""
        if b in self.fused_products:
            _, x, y = self.nodes[b]
            return [x if name == "add" else self._add_extra("neg", x), y, a]
        _, x, y = self.nodes[a]
        return [x, y, b if name == "add" else self._add_extra("neg", b)]

    def _products_to_fuse(self) -> set[int]:
        uses = [0] * len(self.nodes)
        for node in self.nodes:
            for a in arguments(node):
                uses[a] += 1
        for k in self.outputs:
            uses[k] += 1
        products_to_fuse: set[int] = set()
        for node in self.nodes:
            if node[0] in ("add", "sub"):
                products = (
                    a for a in reversed(node[1:]) if self.nodes[a][0] == "mul" and uses[a] == 1 and a not in products_to_fuse
                )
                products_to_fuse.update(list(products)[:1])
        return products_to_fuse

    def _inputs_read_as_angles(self) -> set[int]:
        """Inputs read by sin and cos alone: they are loaded as angles, and not a second time as coordinates."""
        direct = {a for node in self.nodes if node[0] not in ("sin", "cos") for a in arguments(node)} | set(self.outputs)
        return {k for k, node in enumerate(self.nodes) if node[0] == "input" and k not in direct}


def evaluation_order(nodes: Sequence[NodeRecord], outputs: Sequence[int]) -> list[tuple[str, int]]:
    """Depth first from each output, the larger subtree first, so that few values are alive (Sethi and Ullman 1970).

    Gives ("node", index) and, as soon as its value is there, ("output", position).
    """
    inputs = [arguments(node) for node in nodes]
    need = [0] * len(nodes)  # Sethi and Ullman's count of registers
    for k, args in enumerate(inputs):
        if args:
            wants = sorted([need[a] for a in args], reverse=True)
            need[k] = max(wants[0], wants[1] + 1 if len(wants) > 1 else 1)
    done = [False] * len(nodes)
    steps: list[tuple[str, int]] = []
    for position, output in enumerate(outputs):
        stack = [(output, False)]
        while stack:
            k, ready = stack.pop()
            if done[k]:
                continue
            if ready or not inputs[k]:
                done[k] = True
                steps.append(("node", k))
                continue
            stack.append((k, True))
            for a in sorted(inputs[k], key=need.__getitem__):
                if not done[a]:
                    stack.append((a, False))
        steps.append(("output", position))
    return steps


def split_constants(trace: Trace) -> tuple[Trace, Trace]:
    """The constant trace, which reads inputs `NUMBERS` alone, and the remaining trace, which reads its results as `PREPARED`."""
    nodes = trace.nodes
    is_constant: list[bool] = []  # whether a node depends on numbers alone
    for node in nodes:
        if node[0] in LEAVES:
            is_constant.append(node[0] == "constant" or node[1] == NUMBERS)
        else:
            is_constant.append(all(is_constant[a] for a in node[1:]))
    places: dict[int, int] = {}
    for k in (*(a for n, node in enumerate(nodes) if not is_constant[n] for a in arguments(node)), *trace.outputs):
        if is_constant[k] and nodes[k][0] not in LEAVES:
            places.setdefault(k, len(places))
    inputs: dict[int, NodeRecord] = {k: ("input", PREPARED, place) for k, place in places.items()}
    return _subtrace(nodes, list(places), {}), _subtrace(nodes, trace.outputs, inputs)


def _subtrace(nodes: Sequence[NodeRecord], outputs: Sequence[int], replacements: Mapping[int, NodeRecord]) -> Trace:
    """The trace of some nodes, with inputs in the place of others."""
    live: set[int] = set()
    stack = list(outputs)
    while stack:
        k = stack.pop()
        if k not in live:
            live.add(k)
            stack.extend(() if k in replacements else arguments(nodes[k]))
    new_index: dict[int, int] = {}
    subtrace_nodes: list[NodeRecord] = []
    for k in sorted(live):
        node = replacements.get(k, nodes[k])
        new_index[k] = len(subtrace_nodes)
        subtrace_nodes.append(node if node[0] in LEAVES else (node[0], *[new_index[a] for a in node[1:]]))
    return Trace.from_nodes(subtrace_nodes, [new_index[k] for k in outputs])


def cut_schedule(scheduled: Schedule, groups: Sequence[int], max_whole: int | None = None) -> tuple[list[list[Schedule]], int]:
    """A schedule as several, one after the other, and how many numbers are spilled between them.

    `groups` are the numbers of outputs that end with a piece: the pieces of each group are a list. Code of more than `max_whole`
    operations, by default `MAX_WHOLE_OPERATIONS`, is always cut.
    """
    count, max_whole = len(scheduled.operations), MAX_WHOLE_OPERATIONS if max_whole is None else max_whole
    if count <= MAX_SHORT_OPERATIONS:
        return _cut_to_length(scheduled, groups, max(1, count))
    cut, spill_count = _cut_to_length(scheduled, groups, PIECE_OPERATIONS)
    return (
        (cut, spill_count)
        if count > max_whole or spill_count <= MAX_SPILLED_FRACTION * count
        else _cut_to_length(scheduled, groups, count)
    )


def _cut_to_length(scheduled: Schedule, groups: Sequence[int], length: int) -> tuple[list[list[Schedule]], int]:
    parts = [list(_chunks(part, length)) for part in _split_at_outputs(scheduled.operations, groups)]
    cut = [piece for part in parts for piece in part]
    if len(cut) == 1:
        return [[scheduled]], 0
    inputs = {x.result: x for x in scheduled.operations if x.name in ("input", "angle")}
    last_reader: dict[int, int] = {}  # of a value, the last piece that reads it
    for p, piece in enumerate(cut):
        for operation in piece:
            last_reader.update((k, p) for k in _values_read(operation) if k not in inputs)
    free: list[int] = []
    places: dict[int, int] = {}
    read_last: list[list[int]] = [[] for _ in cut]
    size, schedules = 0, []
    for p, piece in enumerate(cut):
        # in this piece: a value is taken when it is needed, and kept when it is there
        missing = {**inputs, **{k: Operation("input", k, (SPILL_ARRAY, place)) for k, place in places.items()}}
        operations: list[Operation] = []
        for operation in piece:
            operations += [missing.pop(k) for k in dict.fromkeys(_values_read(operation)) if k in missing]
            k = operation.result
            if k in inputs:  # where it is read
                continue
            operations.append(operation)
            if last_reader.get(k, p) > p:
                if not free:
                    free, size = [size], size + 1
                places[k] = free.pop()
                read_last[last_reader[k]].append(k)
                operations.append(Operation("keep", -1, (places[k], k)))
        schedules.append(Schedule(operations, scheduled.constants))
        free += [places.pop(k) for k in read_last[p]]
    remaining = iter(schedules)
    return [[next(remaining) for _ in part] for part in parts], size


def _split_at_outputs(operations: Sequence[Operation], groups: Sequence[int]) -> Iterator[Sequence[Operation]]:
    """Cut after the last output of each group: outputs are in order."""
    at = {x.arguments[0]: k + 1 for k, x in enumerate(operations) if x.name == "output"}
    start = outputs = 0
    for count in groups:
        outputs += count
        end = at[outputs - 1] if outputs else 0  # of a mechanism that cannot move there are none
        yield operations[start:end]
        start = end


def _chunks(part: Sequence[Operation], length: int) -> Iterator[Sequence[Operation]]:
    for k in range(0, len(part), length):
        yield part[k : k + length]


def _values_read(operation: Operation) -> tuple[int, ...]:
    """The values that an operation reads."""
    if operation.name in ("input", "angle"):
        return ()
    return operation.arguments[1:] if operation.name == "output" else operation.arguments
