"""Traces of one step of each sweep, once for each kind of joint: the loops of `rolled.emit` repeat them.

What is structure, such as a zero that all links of a kind have, becomes a constant. A carry that starts at zero and that every
kind of step leaves there is a constant as well: a fixpoint finds, for example, that a planar chain never leaves its plane. Saves
and carries that nothing reads are dropped.

Links of one kind may have different structures: a chain whose axes are along x and y in turn has rotations of zeros and ones in
two patterns. Each common pattern is a `Variant` of the kind, with a step of its own that spends no operation on them; all other
numbers are data.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from lagrangian.algorithms.link import CONSTANTS, Link
from lagrangian.algorithms.nested import Template, flatten, template_size, unflatten
from lagrangian.algorithms.structure import structural_values
from lagrangian.algorithms.sweep import Algorithm, Sweep, Values, Walk
from lagrangian.algorithms.tree import Tree
from lagrangian.kernels.trace.node import Graph, Node, Trace
from lagrangian.model.joints.joint_type import JointType

PER_COORDINATE = ("q",)
PER_SPEED = ("qd", "qdd", "tau", "locked")
GLOBAL_INPUTS = {"wrench": 6}
MAX_VARIANTS = 4  # patterns of one kind, each of which is code of its own
MIN_SHARING_LINKS = 8  # links that must have a pattern for that
CodeConstants = dict[tuple[JointType, str, int], float]  # constants that all links of a kind share: kind, name, component


def trace_algorithm(
    algorithm: Algorithm, tree: Tree, code_constants: CodeConstants | None = None, is_whole_tree: bool = True
) -> SweepProgram:
    """All passes of an algorithm, with only what is needed in them.

    `code_constants` are the constants that are written into the code: unless given, those of the structure that all links of a
    kind share. Where the tree is not the whole tree, nothing is known of what is carried.
    """
    tracer = _Tracer(algorithm, tree, uniform_constants(tree) if code_constants is None else code_constants, is_whole_tree)
    raws: list[tuple[Pass, Any]] = []
    finish: TracedStep | None = None
    constant_results: dict[int, float] = {}
    for sweep in algorithm.sweeps:
        if isinstance(sweep, Walk):
            raws.append((_trace_walk(tracer, sweep), None))
        else:
            traced_pass, raw = tracer.sweep(sweep)
            raws.append((traced_pass, raw))
            total = sum(template_size(t) for t in sweep.carry.values())
            start = [float(x) for name in sweep.carry for x in flatten(sweep.start(tree)[name])]
            constant_results = {
                j: start[j] if sweep.direction == "outward" else 0.0 for j in range(total) if j not in traced_pass.carry
            }
    if algorithm.output.finish is not None:
        graph = Graph()
        last = algorithm.sweeps[-1]
        assert isinstance(last, Sweep)
        values = algorithm.output.finish(tracer.carry(graph, last.carry, constant_results))
        finish = TracedStep(Trace(graph, values), [("out", k) for k in range(len(values))])
    saves_read = _drop_unread(tracer, raws, finish)
    passes = [traced_pass for traced_pass, _ in raws]
    parameters = _number_parameters(passes)
    return SweepProgram(
        passes,
        [tracer.parameters[j] for j in parameters],
        _place_ground(passes),
        _numbered_saves(saves_read, "save"),
        _numbered_saves(saves_read, "speed"),
        finish,
        any(k.turns for k in tracer.kinds),
    )


@dataclass
class SweepProgram:
    """All passes of an algorithm, and where their steps find what they read."""

    passes: list[Pass]
    parameters: list[tuple[str, int]]  # constants that are data, columns of the parameter array
    ground: list[tuple[int, int]]  # which numbers of the ground follow them there: of which pass, which component
    saves: dict[tuple[str, int], int]  # slot of each stored component, per link
    speed_saves: dict[tuple[str, int], int]  # and per speed
    finish: TracedStep | None
    turns: bool


@dataclass
class Pass:
    """A sweep or a walk, traced for every kind; `carry` are the components that vary, `ground` the values they start from.

    These are data where they are not zero: `ground_places` has their places behind the links' parameters.
    """

    sweep: Sweep | Walk
    steps: dict[JointType, TracedStep]
    carry: list[int]
    ground: list[float]
    constant_carries: dict[int, float] = field(default_factory=dict)  # the components that do not vary
    starts: dict[tuple[JointType, int], TracedStep] = field(default_factory=dict)  # of a walk: per kind and column
    diagonal: dict[JointType, TracedStep] = field(default_factory=dict)
    ground_places: dict[int, int] = field(default_factory=dict)

    def all_steps(self) -> Iterator[TracedStep]:
        yield from (*self.steps.values(), *self.starts.values(), *self.diagonal.values())


@dataclass
class TracedStep:
    """One traced step: its operations, and what each output is: ("carry", j), ("save", name, j), ("speed", name, k, j), ..."""

    trace: Trace
    outputs: list[tuple[Any, ...]]

    def reads(self) -> Iterator[tuple[str, Any]]:
        for node in self.trace.nodes:
            if node[0] == "input":
                yield node[1], node[2]


class _Tracer:
    """Traces the steps of one algorithm on one tree, and knows what sweeps before have saved."""

    def __init__(self, algorithm: Algorithm, tree: Tree, code_constants: CodeConstants, is_whole_tree: bool) -> None:
        self.algorithm = algorithm
        self.tree = tree
        self.is_whole_tree = is_whole_tree
        self.kinds = sorted(set(tree.kind), key=str)
        self.code_constants = code_constants
        self.parameters = [
            (name, j)
            for name, template in CONSTANTS.items()
            for j in range(template_size(template))
            if any((kind, name, j) not in code_constants for kind in self.kinds)
        ]
        self.save_constants: dict[tuple[Any, ...], float] = {}
        self.save_templates: dict[str, tuple[bool, Template]] = {}  # name -> (per speed, template)

    def link(self, graph: Graph, kind: JointType) -> Link:
        values: Values = {}
        for name, template in CONSTANTS.items():
            flat = (
                self.code_constants[kind, name, j]
                if (kind, name, j) in self.code_constants
                else graph.input("param", self.parameters.index((name, j)))
                for j in range(template_size(template))
            )
            values[name] = unflatten(template, flat)
        nq, nv = kind.nq, kind.nv
        for name in self.algorithm.inputs:
            if name in GLOBAL_INPUTS:
                values[name] = tuple(graph.input(name, k) for k in range(GLOBAL_INPUTS[name]))
            else:
                values[name] = tuple(graph.input(name, k) for k in range(nq if name in PER_COORDINATE else nv))
        if kind.turns:
            values["c"], values["s"] = graph.input("cos", 0), graph.input("sin", 0)
        for name, (per_speed, template) in self.save_templates.items():
            if per_speed:
                values[name] = tuple(self._saved_value(graph, name, template, k) for k in range(nv))
            else:
                values[name] = self._saved_value(graph, name, template, None)
        return Link(kind, **values)

    def _saved_value(self, graph: Graph, name: str, template: Template, k: int | None) -> Any:
        def component(j: int) -> Any:
            if (name, j) in self.save_constants:
                return self.save_constants[name, j]
            return graph.input("save", (name, j)) if k is None else graph.input("speed", (name, j, k))

        return unflatten(template, (component(j) for j in range(template_size(template))))

    def sweep(self, sweep: Sweep) -> tuple[Pass, dict[JointType, tuple[Graph, list[Any], list[tuple[Any, ...]]]]]:
        """Trace every kind, with the carries that stay constant folded."""
        ground = [float(x) for name in sweep.carry for x in flatten(sweep.start(self.tree)[name])]
        constant_carries = {j: x for j, x in enumerate(ground) if x == 0 and self.is_whole_tree}
        while True:
            results = {kind: self._step(sweep, kind, constant_carries) for kind in self.kinds}
            varying_carries = {
                j for _, carry, _ in results.values() for j in constant_carries if _number(carry[j]) != constant_carries[j]
            }
            if not varying_carries:
                break
            for j in varying_carries:
                del constant_carries[j]
        varying = [j for j in range(len(ground)) if j not in constant_carries]
        for per_speed, templates in ((False, sweep.save), (True, sweep.per_speed)):
            for name, template in templates.items():
                self.save_templates[name] = (per_speed, template)
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
        return Pass(sweep, {}, varying, [ground[j] for j in varying], constant_carries), raw

    def _fold_saves(self, sweep: Sweep, results: list[list[tuple[Any, ...]]]) -> None:
        """Components that every kind saves as one and the same number are known to later sweeps, unless they are the result."""
        saved_numbers: dict[tuple[str, int], set[float | None]] = {}
        for saves in results:
            for name, j, _, x in saves:
                saved_numbers.setdefault((name, j), set()).add(_number(x))
        for key in [k for k in self.save_constants if k[0] in {*sweep.save, *sweep.per_speed}]:
            del self.save_constants[key]
        for key, numbers in saved_numbers.items():
            number = next(iter(numbers))
            if len(numbers) == 1 and number is not None and key[0] not in self.algorithm.output.names:
                self.save_constants[key] = number

    def _step(
        self, sweep: Sweep, kind: JointType, constant_carries: dict[int, float]
    ) -> tuple[Graph, list[Any], list[tuple[Any, ...]]]:
        graph = Graph()
        carry = self.carry(graph, sweep.carry, constant_carries)
        out, saves = sweep.step(self.link(graph, kind), carry)
        flat = [x for name in sweep.carry for x in flatten(out[name])]
        labelled_saves: list[tuple[Any, ...]] = []
        for name in sweep.save:
            labelled_saves += [(name, j, None, x) for j, x in enumerate(flatten(saves[name]))]
        for name in sweep.per_speed:
            for k, value in enumerate(saves[name]):
                labelled_saves += [(name, j, k, x) for j, x in enumerate(flatten(value))]
        return graph, flat, labelled_saves

    @staticmethod
    def carry(graph: Graph, templates: Any, constant_carries: dict[int, float]) -> Values:
        index = iter(range(10_000))

        def component() -> Iterator[Any]:
            for j in index:
                yield constant_carries[j] if j in constant_carries else graph.input("carry", j)

        flat = component()
        return {name: unflatten(template, flat) for name, template in templates.items()}


def _number(x: Any) -> float | None:
    if isinstance(x, Node):
        node = x.graph.nodes[x.index]
        return float(node[1]) if node[0] == "constant" else None
    return float(x)


def _trace_walk(tracer: _Tracer, walk: Walk) -> Pass:
    traced_pass = Pass(walk, {}, list(range(sum(template_size(t) for t in walk.carry.values()))), [])
    traced_pass.ground = [0.0] * len(traced_pass.carry)
    for kind in tracer.kinds:
        nv = kind.nv
        for a in range(nv if walk.per == "speed" else 1):
            graph = Graph()
            carry = walk.start(tracer.link(graph, kind), a)
            values = [x for name in walk.carry for x in flatten(carry[name])]
            traced_pass.starts[kind, a] = TracedStep(Trace(graph, values), [("carry", j) for j in traced_pass.carry])
        graph = Graph()
        link = tracer.link(graph, kind)
        carry, pair_results = walk.step(link, tracer.carry(graph, walk.carry, {}))
        values = [x for name in walk.carry for x in flatten(carry[name])]
        labels: list[tuple[Any, ...]] = [("carry", j) for j in traced_pass.carry]
        for b, results in enumerate(pair_results):
            values += results
            labels += [("pair", b, c) for c in range(len(results))]
        traced_pass.steps[kind] = TracedStep(Trace(graph, values), labels)
        extra = walk.diagonal(link)
        if nv and not (isinstance(extra, (int, float)) and extra == 0):
            graph = Graph()
            extra = walk.diagonal(tracer.link(graph, kind))
            traced_pass.diagonal[kind] = TracedStep(Trace(graph, [extra]), [("out", 0)])
    return traced_pass


def _drop_unread(tracer: _Tracer, raws: list[tuple[Pass, Any]], finish: TracedStep | None) -> set[tuple[Any, ...]]:
    """Trace the steps of all passes without saves and carries that nothing reads; the result are the saves that are read.

    It goes from the last pass back, as each pass reads what those before it save.
    """
    saves_read: set[tuple[Any, ...]] = set()
    outputs = set(tracer.algorithm.output.names)
    last_carries = {j for name, j in finish.reads() if name == "carry"} if finish else set()

    def note(step: TracedStep) -> None:
        for name, j in step.reads():
            if name == "save":
                saves_read.add(("save", *j))
            elif name == "speed":
                saves_read.add(("speed", j[0], j[1]))

    for traced_pass, raw in reversed(raws):
        if raw is None:
            for step in traced_pass.all_steps():
                note(step)
            continue
        carries = (last_carries | _kept_carries(traced_pass.sweep)) & set(traced_pass.carry)
        last_carries = set()

        def keep(label: tuple[Any, ...], carries: set[int]) -> bool:
            if label[0] == "carry":
                return label[1] in carries
            return label[1] in outputs or label[:3] in saves_read

        def trace_steps(carries: set[int], raw: Any = raw, keep: Callable[..., bool] = keep) -> dict[JointType, TracedStep]:
            steps = {}
            for kind, (graph, values, labels) in raw.items():
                needed_outputs = [(x, label) for x, label in zip(values, labels, strict=True) if keep(label, carries)]
                steps[kind] = TracedStep(Trace(graph, [x for x, _ in needed_outputs]), [label for _, label in needed_outputs])
            return steps

        while True:
            steps = trace_steps(carries)
            carries_read = {j for step in steps.values() for name, j in step.reads() if name == "carry"}
            if carries_read <= carries:
                break
            carries |= carries_read
        traced_pass.ground = [g for j, g in zip(traced_pass.carry, traced_pass.ground, strict=True) if j in carries]
        traced_pass.carry = [j for j in traced_pass.carry if j in carries]
        traced_pass.steps = steps
        for step in steps.values():
            note(step)
    return saves_read


def _kept_carries(sweep: Sweep | Walk) -> set[int]:
    """The components of the carries whose last values are read after the sweep."""
    assert isinstance(sweep, Sweep)
    names = [name for name, template in sweep.carry.items() for _ in range(template_size(template))]
    return {j for j, name in enumerate(names) if name in sweep.final_carries}


def _number_parameters(passes: list[Pass]) -> list[int]:
    """Number the parameters that the steps read by their places in the result, which lists them."""
    steps = [step for p in passes for step in p.all_steps()]
    parameters_read = sorted({j for step in steps for name, j in step.reads() if name == "param"})
    columns = {j: k for k, j in enumerate(parameters_read)}
    for step in steps:
        step.trace.nodes = [
            ("input", "param", columns[n[2]]) if n[0] == "input" and n[1] == "param" else n for n in step.trace.nodes
        ]
    return parameters_read


def _place_ground(passes: list[Pass]) -> list[tuple[int, int]]:
    """Give the ground's numbers that are not zero their places in the result: of which pass each is, and which component."""
    ground: list[tuple[int, int]] = []
    for number, traced_pass in enumerate(passes):
        for j, g in zip(traced_pass.carry, traced_pass.ground, strict=True):
            if g:
                traced_pass.ground_places[j] = len(ground)
                ground.append((number, j))
    return ground


def _numbered_saves(saves_read: set[tuple[Any, ...]], kind: str) -> dict[tuple[str, int], int]:
    """The slots of the saves of one kind, "save" or "speed", in alphabetical order."""
    return {key: k for k, key in enumerate(sorted(label[1:] for label in saves_read if label[0] == kind))}


def uniform_constants(tree: Tree) -> CodeConstants:
    """The constants that are structure, and the same for all links of a kind."""
    constants: CodeConstants = {}
    kind_keys = np.array([kind.key for kind in tree.kind])
    for kind in set(tree.kind):
        for name in CONSTANTS:
            rows = tree.constants[name][kind_keys == kind.key]
            for j in np.flatnonzero((rows == rows[0]).all(axis=0) & np.isin(rows[0], structural_values(name))):
                constants[kind, name, int(j)] = float(rows[0, j])
    return constants


@dataclass(frozen=True)
class Variant:
    """A kind of joint with one pattern of constants."""

    kind: JointType
    number: int

    @property
    def key(self) -> str:
        return f"{self.kind.key} {self.number}"

    def __getattr__(self, name: str) -> Any:
        if name == "kind":  # of a copy that has nothing yet
            raise AttributeError(name)
        return getattr(self.kind, name)

    def __str__(self) -> str:
        return self.key


def with_link_variants(algorithm: Algorithm, tree: Tree) -> Tree:
    """The tree with variants for kinds, but not for walks: there every kind meets every other, which would be too much code."""
    if any(isinstance(sweep, Walk) for sweep in algorithm.sweeps) or any(isinstance(kind, Variant) for kind in tree.kind):
        return tree
    return replace(tree, kind=tuple(variants(tree)))  # type: ignore[arg-type]


def variants(tree: Tree) -> list[Variant]:
    """The variant of each link."""
    columns = [(name, j) for name in CONSTANTS for j in range(tree.constants[name].shape[1])]
    values = np.stack([tree.constants[name][:, j] for name, j in columns], axis=1)
    is_structural = np.stack([np.isin(values[:, c], structural_values(name)) for c, (name, _) in enumerate(columns)], axis=1)
    pattern_values = np.where(is_structural, values, np.nan)
    number: dict[JointType, dict[bytes, int]] = {}
    keys = [row.tobytes() for row in pattern_values + 0.0]
    counts_by_kind: dict[JointType, Counter[bytes]] = {}
    for kind, key in zip(tree.kind, keys, strict=True):
        counts_by_kind.setdefault(kind, Counter())[key] += 1
    for kind, counts in counts_by_kind.items():
        common = [key for key, count in counts.most_common(MAX_VARIANTS - 1) if count >= MIN_SHARING_LINKS]
        # the rarer patterns share the last variant
        number[kind] = {key: common.index(key) if key in common else MAX_VARIANTS - 1 for key in counts}
    return [Variant(kind, number[kind][key]) for kind, key in zip(tree.kind, keys, strict=True)]
