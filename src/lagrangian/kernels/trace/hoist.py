"""What depends on numbers of the description alone is computed once, before a run or a call, and not in every evaluation.

A trace reads its numbers as inputs `NUMBERS`. It is split in two: `first` computes from these what others need of them, and
`rest` is the trace as it was, with inputs `PREPARED` in the place of what `first` gives. (Loop-invariant code motion.)
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from lagrangian.kernels.trace.node import LEAVES, NUMBERS, PREPARED, Recorded, Trace, arguments


def split(trace: Trace) -> tuple[Trace, Trace]:
    nodes = trace.nodes
    fixed: list[bool] = []  # whether a node depends on numbers alone
    for node in nodes:
        if node[0] in LEAVES:
            fixed.append(node[0] == "constant" or node[1] == NUMBERS)
        else:
            fixed.append(all(fixed[a] for a in node[1:]))
    places: dict[int, int] = {}
    for k in (*(a for n, node in enumerate(nodes) if not fixed[n] for a in arguments(node)), *trace.outputs):
        if fixed[k] and nodes[k][0] not in LEAVES:
            places.setdefault(k, len(places))
    inputs: dict[int, Recorded] = {k: ("input", PREPARED, place) for k, place in places.items()}
    return _part(nodes, list(places), {}), _part(nodes, trace.outputs, inputs)


def _part(nodes: Sequence[Recorded], outputs: Sequence[int], replaced: Mapping[int, Recorded]) -> Trace:
    """What some nodes are made of, with inputs in the place of others."""
    live: set[int] = set()
    stack = list(outputs)
    while stack:
        k = stack.pop()
        if k not in live:
            live.add(k)
            stack.extend(() if k in replaced else arguments(nodes[k]))
    number: dict[int, int] = {}
    made: list[Recorded] = []
    for k in sorted(live):
        node = replaced.get(k, nodes[k])
        number[k] = len(made)
        made.append(node if node[0] in LEAVES else (node[0], *[number[a] for a in node[1:]]))
    return Trace.of(made, [number[k] for k in outputs])
