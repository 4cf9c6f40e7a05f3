"""Recursive algorithms as short lists of sweeps over the links of a tree.

A sweep is a plain function over scalars, with 3-vectors as tuples; it branches on structure only, never on values. The same
source is run unrolled over floats, exact polynomials or traced values (`run` below), and rolled into a loop over the links
(`kernels.rolled`). There are three kinds:

- outward: `step(link, parent) -> (carry, saves)`, from the ground to the tips;
- inward: `step(link, children) -> (carry for the parent, saves)`, where `children` is the sum of the children's carries;
- walk: from every speed (or every link) up to the ground, for results with two indices such as the mass matrix.

Carries and saves are dictionaries of nested tuples, whose form is declared by templates (`nested.Template`). What one sweep
saves is an attribute of the link in later sweeps; `per_speed` saves have one value for each speed of the link's joint.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from lagrangian.algorithms.link import Link
from lagrangian.algorithms.nested import Template, add_nested, flatten, template_size
from lagrangian.algorithms.tree import Tree

Values = dict[str, Any]


@dataclass(frozen=True)
class Sweep:
    """One pass over the links. `ground` gives the carry at the ground, or at a tip of an inward sweep, if it is not zero.

    `final_carries` are the carries whose last values are results, too.
    """

    direction: str  # "outward" or "inward"
    step: Callable[[Link, Values], tuple[Values, Values]]
    carry: Mapping[str, Template]
    save: Mapping[str, Template] = field(default_factory=dict)
    per_speed: Mapping[str, Template] = field(default_factory=dict)
    ground: Callable[[Tree], Values] = lambda tree: {}
    final_carries: tuple[str, ...] = ()

    def start(self, tree: Tree) -> Values:
        return {**self.carry, **self.ground(tree)}


@dataclass(frozen=True)
class Walk:
    """A walk from each speed (`per="speed"`) or each link (`per="link"`) to the ground.

    `start(link, column)` gives the carry at the link itself. `step(link, carry)` gives the carry in the parent's frame and, for
    every speed of the link, a tuple of results. Per speed: `(M_ba,)` or `(C_ba, C_ab)`, where a is the speed the walk came from
    and b the one it meets; `diagonal(link)` is added where they are the same. Per link: a row of `width` results.
    """

    start: Callable[[Link, int], Values]
    step: Callable[[Link, Values], tuple[Values, tuple[tuple[Any, ...], ...]]]
    carry: Mapping[str, Template]
    per: str = "speed"
    width: int = 1
    diagonal: Callable[[Link], Any] = lambda link: 0


def outward(carry: Values, save: Values | None = None, per_speed: Values | None = None, **options: Any) -> Any:
    return lambda step: Sweep("outward", step, carry, save or {}, per_speed or {}, **options)


def inward(carry: Values, save: Values | None = None, per_speed: Values | None = None, **options: Any) -> Any:
    return lambda step: Sweep("inward", step, carry, save or {}, per_speed or {}, **options)


@dataclass(frozen=True)
class OutputLayout:
    """The places at which an algorithm leaves its result.

    "speed": the per-speed save `name`, a column a speed; "link": the saves `names` of every link, one row a link; "pairs": the
    walk's matrix; "ground": `finish` of the last sweep's carry at the ground; "tip": `finish` of the outward carry at the
    last link.
    """

    kind: str
    names: tuple[str, ...] = ()
    finish: Callable[[Values], tuple[Any, ...]] | None = None
    shape: tuple[int, ...] = ()  # of what `finish` gives, where it is not a row


@dataclass(frozen=True)
class Algorithm:
    """Sweeps, their inputs (`q`, `qd`, `qdd`, `tau` per coordinate or speed, others whole), and where the result stands."""

    name: str
    inputs: tuple[str, ...]
    sweeps: tuple[Sweep | Walk, ...]
    output: OutputLayout
    regrouped: bool = False  # joint-space results may use Khalil's regrouped inertias; wrenches and energies may not

    def shape(self, tree: Tree) -> tuple[int, ...]:
        """Return the shape of the result; a single number has none."""
        kind = self.output.kind
        if kind == "speed":
            width = template_size(self.template(self.output.names[0]))
            return (tree.nv,) if width == 1 else (width, tree.nv)
        if kind == "pairs":
            walk = self.sweeps[-1]
            assert isinstance(walk, Walk)
            return (tree.nv, tree.nv) if walk.per == "speed" else (tree.nv, len(tree), walk.width)
        if kind == "link":
            return len(tree), sum(template_size(self.template(name)) for name in self.output.names)
        assert self.output.finish is not None
        last = [s for s in self.sweeps if isinstance(s, Sweep)][-1]
        count = len(self.output.finish(dict(last.carry)))
        return self.output.shape or (() if count == 1 else (count,))

    def result_size(self, tree: Tree) -> int:
        """Return the size of the result."""
        return math.prod(self.shape(tree))

    def template(self, name: str) -> Template:
        """Return the form of what sweeps save under a name; of the last sweep, if several do."""
        save_templates = [{**s.save, **s.per_speed} for s in self.sweeps if isinstance(s, Sweep)]
        return next(saves[name] for saves in reversed(save_templates) if name in saves)


def run(algorithm: Algorithm, tree: Tree, links: Sequence[Link]) -> list[Any]:
    """Run an algorithm unrolled, over the scalars that the links have, and return the result as a flat list."""
    final: Values = {}
    for sweep in algorithm.sweeps:
        if isinstance(sweep, Walk):
            return _walk(sweep, tree, links)
        if sweep.direction == "outward":
            carries: list[Values] = []
            ground = sweep.start(tree)
            for link, parent in zip(links, tree.parent, strict=True):
                carry, saves = sweep.step(link, carries[parent] if parent >= 0 else ground)
                carries.append(carry)
                link.__dict__.update(saves)
            final = carries[-1] if carries else ground
        else:
            sums: list[Values] = [dict(sweep.carry) for _ in range(len(links) + 1)]  # the last is the ground
            for i in range(len(links) - 1, -1, -1):
                carry, saves = sweep.step(links[i], sums[i])
                links[i].__dict__.update(saves)
                total = sums[tree.parent[i]]
                for key in sweep.carry:
                    total[key] = add_nested(total[key], carry[key])
            final = sums[-1]
    return _collect(algorithm, tree, links, final)


def _collect(algorithm: Algorithm, tree: Tree, links: Sequence[Link], final: Values) -> list[Any]:
    output = algorithm.output
    if output.kind == "speed":
        result: list[Any] = [0] * algorithm.result_size(tree)
        for link in links:
            for k, value in enumerate(getattr(link, output.names[0])):
                for j, x in enumerate(flatten(value)):
                    result[j * tree.nv + link.iv + k] = x
        return result
    if output.kind == "link":
        return [x for link in links for name in output.names for x in flatten(getattr(link, name))]
    assert output.finish is not None
    return list(output.finish(final))


def _walk(walk: Walk, tree: Tree, links: Sequence[Link]) -> list[Any]:
    n = tree.nv
    row_length = n if walk.per == "speed" else walk.width * len(links)
    result: list[Any] = [0] * (n * row_length)
    for i, link in enumerate(links):
        for a in range(link.nv if walk.per == "speed" else 1):
            carry = walk.start(link, a)
            i_ancestor = i
            while i_ancestor >= 0:
                ancestor = links[i_ancestor]
                carry, results = walk.step(ancestor, carry)
                for b, values in enumerate(results):
                    row = ancestor.iv + b
                    if walk.per == "link":
                        result[row * row_length + i * walk.width : row * row_length + (i + 1) * walk.width] = values
                        continue
                    column = link.iv + a
                    diagonal = walk.diagonal(link) if row == column else 0
                    result[row * row_length + column] = values[0] + diagonal
                    if i_ancestor != i:
                        result[column * row_length + row] = values[-1]
                i_ancestor = tree.parent[i_ancestor]
    return result
