"""Traces of one step of each sweep, once per kind of joint, for the loops of `rolled.py`.

What is structure, such as a zero that all links of a kind have, becomes a constant. A carry that starts at zero and that every
kind of step leaves there is one as well: a fixpoint finds, for example, that a planar chain never leaves its plane. Saves and
carries that nothing reads are dropped.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from lagrangian.algorithms.link import CONSTANTS, Link
from lagrangian.algorithms.nested import Template, flatten, size, unflatten
from lagrangian.algorithms.structure import structural
from lagrangian.algorithms.sweep import Algorithm, Sweep, Values, Walk
from lagrangian.algorithms.tree import Tree
from lagrangian.kernels.trace.node import Graph, Node, Trace
from lagrangian.model.joints.joint_type import JointType

PER_COORDINATE = ("q",)
PER_SPEED = ("qd", "qdd", "tau", "held")
WHOLE = {"wrench": 6}


@dataclass
class Step:
    """One traced step: its operations, and what each output is: ("carry", j), ("save", name, j), ("speed", name, k, j), ..."""

    trace: Trace
    outputs: list[tuple[Any, ...]]

    def reads(self) -> Iterator[tuple[str, Any]]:
        for node in self.trace.nodes:
            if node[0] == "input":
                yield node[1], node[2]


@dataclass
class Pass:
    """A sweep or a walk, traced for every kind; `carry` are the components that vary, `ground` the values they start from.

    These are data where they are not zero: `ground_at` has their places behind the links' parameters.
    """

    sweep: Sweep | Walk
    steps: dict[JointType, Step]
    carry: list[int]
    ground: list[float]
    starts: dict[tuple[JointType, int], Step] = field(default_factory=dict)  # of a walk: per kind and column
    diagonal: dict[JointType, Step] = field(default_factory=dict)
    ground_at: dict[int, int] = field(default_factory=dict)

    def all_steps(self) -> Iterator[Step]:
        yield from (*self.steps.values(), *self.starts.values(), *self.diagonal.values())


@dataclass
class Program:
    passes: list[Pass]
    parameters: list[tuple[str, int]]  # constants that are data, columns of the parameter array
    ground: list[tuple[int, int]]  # which numbers of the ground follow them there: of which pass, which component
    saves: dict[tuple[str, int], int]  # slot of each stored component, per link
    speed_saves: dict[tuple[str, int], int]  # and per speed
    finish: Step | None
    turns: bool


class _Tracer:
    def __init__(self, algorithm: Algorithm, tree: Tree) -> None:
        self.algorithm = algorithm
        self.tree = tree
        self.kinds = sorted(set(tree.kind), key=str)
        of = np.array([kind.key for kind in tree.kind])
        self.uniform: dict[tuple[JointType, str, int], float] = {}
        self.parameters: list[tuple[str, int]] = []
        for name in CONSTANTS:
            values = tree.constants[name]
            for j in range(values.shape[1]):
                varies = False
                for kind in self.kinds:
                    column = values[of == kind.key, j]
                    if column[0] in structural(name) and (column == column[0]).all():
                        self.uniform[kind, name, j] = float(column[0])
                    else:
                        varies = True
                if varies:
                    self.parameters.append((name, j))
        self.save_constants: dict[tuple[Any, ...], float] = {}
        self.saved: dict[str, tuple[bool, Template]] = {}  # name -> (per speed, template)

    def link(self, graph: Graph, kind: JointType) -> Link:
        values: Values = {}
        for name, template in CONSTANTS.items():
            flat = (
                self.uniform[kind, name, j]
                if (kind, name, j) in self.uniform
                else graph.input("param", self.parameters.index((name, j)))
                for j in range(size(template))
            )
            values[name] = unflatten(template, flat)
        nq, nv = kind.nq, kind.nv
        for name in self.algorithm.inputs:
            if name in WHOLE:
                values[name] = tuple(graph.input(name, k) for k in range(WHOLE[name]))
            else:
                values[name] = tuple(graph.input(name, k) for k in range(nq if name in PER_COORDINATE else nv))
        if kind.turns:
            values["c"], values["s"] = graph.input("cos", 0), graph.input("sin", 0)
        for name, (per_speed, template) in self.saved.items():
            if per_speed:
                values[name] = tuple(self._saved(graph, name, template, k) for k in range(nv))
            else:
                values[name] = self._saved(graph, name, template, None)
        return Link(kind, **values)

    def _saved(self, graph: Graph, name: str, template: Template, k: int | None) -> Any:
        def component(j: int) -> Any:
            if (name, j) in self.save_constants:
                return self.save_constants[name, j]
            return graph.input("save", (name, j)) if k is None else graph.input("speed", (name, j, k))

        return unflatten(template, (component(j) for j in range(size(template))))

    def sweep(self, sweep: Sweep) -> tuple[Pass, dict[JointType, tuple[Graph, list[Any], list[tuple[Any, ...]]]]]:
        """Trace every kind, with the carries that stay constant folded."""
        ground = [float(x) for name in sweep.carry for x in flatten(sweep.start(self.tree)[name])]
        if sweep.direction == "inward":
            ground = [0.0] * len(ground)
        fixed = {j: x for j, x in enumerate(ground) if x == 0}
        while True:
            results = {kind: self._step(sweep, kind, fixed) for kind in self.kinds}
            moved = {j for _, carry, _ in results.values() for j in fixed if _number(carry[j]) != fixed[j]}
            if not moved:
                break
            for j in moved:
                del fixed[j]
        varying = [j for j in range(len(ground)) if j not in fixed]
        for per_speed, declared in ((False, sweep.save), (True, sweep.per_speed)):
            for name, template in declared.items():
                self.saved[name] = (per_speed, template)
        self._fold_saves(sweep, [saves for _, _, saves in results.values()])
        raw: dict[JointType, tuple[Graph, list[Any], list[tuple[Any, ...]]]] = {}
        for kind, (graph, carry, saves) in results.items():
            values: list[Any] = [carry[j] for j in varying]
            labels: list[tuple[Any, ...]] = [("carry", j) for j in varying]
            for name, j, k, x in saves:
                if (name, j) not in self.save_constants:
                    values.append(x)
                    labels.append(("save", name, j) if k is None else ("speed", name, j, k))
            raw[kind] = (graph, values, labels)
        return Pass(sweep, {}, varying, [ground[j] for j in varying]), raw

    def _fold_saves(self, sweep: Sweep, results: list[list[tuple[Any, ...]]]) -> None:
        """Components that every kind saves as one and the same number are known to later sweeps, unless they are the result."""
        found: dict[tuple[str, int], set[float | None]] = {}
        for saves in results:
            for name, j, _, x in saves:
                found.setdefault((name, j), set()).add(_number(x))
        for key in [k for k in self.save_constants if k[0] in {*sweep.save, *sweep.per_speed}]:
            del self.save_constants[key]
        for key, numbers in found.items():
            number = next(iter(numbers))
            if len(numbers) == 1 and number is not None and key[0] not in self.algorithm.output.names:
                self.save_constants[key] = number

    def _step(self, sweep: Sweep, kind: JointType, fixed: dict[int, float]) -> tuple[Graph, list[Any], list[tuple[Any, ...]]]:
        graph = Graph()
        carry = self.carry(graph, sweep.carry, fixed)
        out, saves = sweep.step(self.link(graph, kind), carry)
        flat = [x for name in sweep.carry for x in flatten(out[name])]
        listed: list[tuple[Any, ...]] = []
        for name in sweep.save:
            listed += [(name, j, None, x) for j, x in enumerate(flatten(saves[name]))]
        for name in sweep.per_speed:
            for k, value in enumerate(saves[name]):
                listed += [(name, j, k, x) for j, x in enumerate(flatten(value))]
        return graph, flat, listed

    @staticmethod
    def carry(graph: Graph, templates: Any, fixed: dict[int, float]) -> Values:
        index = iter(range(10_000))

        def component() -> Iterator[Any]:
            for j in index:
                yield fixed[j] if j in fixed else graph.input("carry", j)

        flat = component()
        return {name: unflatten(template, flat) for name, template in templates.items()}


def _number(x: Any) -> float | None:
    if isinstance(x, Node):
        node = x.graph.nodes[x.index]
        return float(node[1]) if node[0] == "constant" else None
    return float(x)


def trace(algorithm: Algorithm, tree: Tree) -> Program:
    """All passes of an algorithm, with only what is needed in them."""
    tracer = _Tracer(algorithm, tree)
    raws: list[tuple[Pass, Any]] = []
    finish: Step | None = None
    final: dict[int, float] = {}
    for sweep in algorithm.sweeps:
        if isinstance(sweep, Walk):
            raws.append((_walk(tracer, sweep), None))
        else:
            found, raw = tracer.sweep(sweep)
            raws.append((found, raw))
            total = sum(size(t) for t in sweep.carry.values())
            start = [float(x) for name in sweep.carry for x in flatten(sweep.start(tree)[name])]
            final = {j: start[j] if sweep.direction == "outward" else 0.0 for j in range(total) if j not in found.carry}
    if algorithm.output.finish is not None:
        graph = Graph()
        last = algorithm.sweeps[-1]
        assert isinstance(last, Sweep)
        values = algorithm.output.finish(tracer.carry(graph, last.carry, final))
        finish = Step(Trace(graph, values), [("out", k) for k in range(len(values))])
    return _needed(tracer, raws, finish)


def _walk(tracer: _Tracer, walk: Walk) -> Pass:
    found = Pass(walk, {}, list(range(sum(size(t) for t in walk.carry.values()))), [])
    found.ground = [0.0] * len(found.carry)
    for kind in tracer.kinds:
        nv = kind.nv
        for a in range(nv if walk.per == "speed" else 1):
            graph = Graph()
            carry = walk.start(tracer.link(graph, kind), a)
            values = [x for name in walk.carry for x in flatten(carry[name])]
            found.starts[kind, a] = Step(Trace(graph, values), [("carry", j) for j in found.carry])
        graph = Graph()
        link = tracer.link(graph, kind)
        carry, met = walk.step(link, tracer.carry(graph, walk.carry, {}))
        values = [x for name in walk.carry for x in flatten(carry[name])]
        labels: list[tuple[Any, ...]] = [("carry", j) for j in found.carry]
        for b, results in enumerate(met):
            values += results
            labels += [("pair", b, c) for c in range(len(results))]
        found.steps[kind] = Step(Trace(graph, values), labels)
        extra = walk.diagonal(link)
        if nv and not (isinstance(extra, (int, float)) and extra == 0):
            graph = Graph()
            extra = walk.diagonal(tracer.link(graph, kind))
            found.diagonal[kind] = Step(Trace(graph, [extra]), [("out", 0)])
    return found


def _needed(tracer: _Tracer, raws: list[tuple[Pass, Any]], finish: Step | None) -> Program:
    """From the last pass back: which saves and carries anything reads."""
    wanted: set[tuple[Any, ...]] = set()
    outputs = set(tracer.algorithm.output.names)
    final = {j for what, j in finish.reads() if what == "carry"} if finish else set()

    def note(step: Step) -> None:
        for what, j in step.reads():
            if what == "save":
                wanted.add(("save", *j))
            elif what == "speed":
                wanted.add(("speed", j[0], j[1]))

    passes: list[Pass] = []
    for found, raw in reversed(raws):
        if raw is None:
            for step in found.all_steps():
                note(step)
            passes.append(found)
            continue
        carries = set(final)
        final = set()

        def keep(label: tuple[Any, ...], carries: set[int]) -> bool:
            if label[0] == "carry":
                return label[1] in carries
            return label[1] in outputs or label[:3] in wanted

        def traced(carries: set[int], raw: Any = raw, keep: Callable[..., bool] = keep) -> dict[JointType, Step]:
            steps = {}
            for kind, (graph, values, labels) in raw.items():
                chosen = [(x, label) for x, label in zip(values, labels, strict=True) if keep(label, carries)]
                steps[kind] = Step(Trace(graph, [x for x, _ in chosen]), [label for _, label in chosen])
            return steps

        while True:
            steps = traced(carries)
            read = {j for step in steps.values() for what, j in step.reads() if what == "carry"}
            if read <= carries:
                break
            carries |= read
        found.ground = [g for j, g in zip(found.carry, found.ground, strict=True) if j in carries]
        found.carry = [j for j in found.carry if j in carries]
        found.steps = steps
        for step in steps.values():
            note(step)
        passes.append(found)
    passes.reverse()
    stored_link = sorted({w[1:] for w in wanted if w[0] == "save"})
    stored_speed = sorted({w[1:] for w in wanted if w[0] == "speed"})
    parameters = _numbered_parameters(passes)
    ground: list[tuple[int, int]] = []
    for number, found in enumerate(passes):
        for j, g in zip(found.carry, found.ground, strict=True):
            if g:
                found.ground_at[j] = len(ground)
                ground.append((number, j))
    return Program(
        passes,
        [tracer.parameters[j] for j in parameters],
        ground,
        {key: k for k, key in enumerate(stored_link)},
        {key: k for k, key in enumerate(stored_speed)},
        finish,
        any(k.turns for k in tracer.kinds),
    )


def _numbered_parameters(passes: list[Pass]) -> list[int]:
    """The parameters that the steps read; in the steps they get the numbers of their places in this list."""
    steps = [step for p in passes for step in p.all_steps()]
    used = sorted({j for step in steps for what, j in step.reads() if what == "param"})
    columns = {j: k for k, j in enumerate(used)}
    for step in steps:
        step.trace.nodes = [
            ("input", "param", columns[n[2]]) if n[0] == "input" and n[1] == "param" else n for n in step.trace.nodes
        ]
    return used
