"""Code whose derivatives are finite also where a choice has left out what is not.

`choose(d, small, 0, 1/d)` is 0 at d = 0. A program that differentiates code multiplies the slope of 1/d there, which is infinite,
by the zero of the branch that was not taken, and has NaN. So an operation whose result only branches of choices need is given a
harmless argument where they are not taken: `choose(d, small, 0, 1/choose(d, small, 1, d))`. Values do not change.

What decides a choice needs no derivative, but its value. Where it is made of such an operation itself, as in
`choose(0, sqrt(x), sqrt(x), 1)`, it is computed from the plain operation, beside the guarded one.
"""

from __future__ import annotations

from collections.abc import Iterator

from lagrangian.kernels.trace.node import LEAVES, Graph, Node, Recorded, Trace, arguments

# a < b, by their nodes, and whether it holds where a branch is taken; a node of -1 is zero
Condition = tuple[int, int, bool]
Conditions = frozenset[Condition]
# a node, and whether it is guarded: then it is right only where its conditions hold
Version = tuple[int, bool]

NONE: Conditions = frozenset()
# operations with slopes, or values, that are infinite: which argument is replaced, and by what
RISKY = {
    "div": (1, 1.0),
    "sqrt": (0, 1.0),
    "log": (0, 1.0),
    "exp": (0, 0.0),
    "asin": (0, 0.0),
    "acos": (0, 0.0),
    "atan2": (1, 1.0),
}


def guarded(trace: Trace) -> Trace:
    """The same code, safe to differentiate."""
    if not any(node[0] in ("choose", "by_sign") for node in trace.nodes):
        return trace
    return _Guard(trace).run()


class _Guard:
    def __init__(self, trace: Trace) -> None:
        self.nodes, self.outputs = trace.nodes, trace.outputs
        self.graph = Graph()
        self.made: dict[Version, Node] = {}
        # of every node, what must hold for its derivative to be needed; None where it is never needed
        self.when: list[Conditions | None] = [None] * len(self.nodes)
        for k in self.outputs:
            self.when[k] = NONE
        for k in reversed(range(len(self.nodes))):
            own = self.when[k]
            if own is not None:
                for a, condition in _differentiated(self.nodes[k]):
                    here, so_far = own | condition, self.when[a]
                    self.when[a] = here if so_far is None else so_far & here

    def run(self) -> Trace:
        for k in self.outputs:
            self._make((k, True))
        return Trace(self.graph, [self.made[k, True] for k in self.outputs])

    def _make(self, wanted: Version) -> None:
        """A node after all that it needs; depth first, without recursion, since graphs are deep."""
        stack = [wanted]
        while stack:
            version = stack[-1]
            missing = [other for other in self._needs(version) if other not in self.made]
            if missing:
                stack += missing
                continue
            stack.pop()
            if version not in self.made:
                self.made[version] = self._node(version)

    def _version(self, k: int, under: Conditions = NONE) -> Version:
        """A version of a node that is right wherever these conditions hold."""
        own = self.when[k]
        return k, own is not None and own <= under

    def _arguments(self, version: Version) -> list[Version]:
        k, guarded = version
        node, own = self.nodes[k], self.when[k]
        if not guarded:
            return [self._version(a) for a in arguments(node)]
        assert own is not None
        deciding = {"choose": 2, "by_sign": 1}.get(node[0], 0)
        return [self._version(a, own) if i < deciding else (a, True) for i, a in enumerate(arguments(node))]

    def _guards(self, version: Version) -> list[Condition]:
        k, guarded = version
        return sorted(self.when[k] or ()) if guarded and self.nodes[k][0] in RISKY else []

    def _needs(self, version: Version) -> list[Version]:
        deciding = [self._version(x) for a, b, _ in self._guards(version) for x in (a, b) if x >= 0]
        return self._arguments(version) + deciding

    def _node(self, version: Version) -> Node:
        name, *rest = self.nodes[version[0]]
        if name in LEAVES:
            return self.graph.add(name, *rest)
        given = [self.made[x] for x in self._arguments(version)]
        guards = self._guards(version)
        if guards:
            place, harmless = RISKY[name]
            for a, b, holds in guards:
                left, right = (self.made[self._version(x)] if x >= 0 else self.graph.constant(0.0) for x in (a, b))
                both = given[place], self.graph.constant(harmless)
                given[place] = left.choose(left, right, *(both if holds else both[::-1]))
        return self.graph.add(name, *(x.index for x in given))


def _differentiated(node: Recorded) -> Iterator[tuple[int, Conditions]]:
    """The arguments by which an operation is differentiated, each with what must hold for it."""
    match node:
        case ("choose", a, b, x, y):
            yield x, frozenset([(a, b, True)])
            yield y, frozenset([(a, b, False)])
        case ("by_sign", x, positive, negative):
            yield positive, frozenset([(-1, x, True)])
            yield negative, frozenset([(x, -1, True)])
        case ("touch", x, _):
            yield x, NONE
        case _:
            yield from ((a, NONE) for a in arguments(node))
