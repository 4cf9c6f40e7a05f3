"""The shipped recursive algorithms, run over exact scalars instead of floats: the same functions, on the same tree."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from lagrangian.algorithms.link import Link
from lagrangian.algorithms.regroup import regroup
from lagrangian.algorithms.sweep import Algorithm, run
from lagrangian.algorithms.tree import Tree
from lagrangian.equations.algebra.ring import Element
from lagrangian.equations.reading.states import ExactState
from lagrangian.equations.reading.system import System
from lagrangian.proof.exact_tree import exact_tree, tidy
from lagrangian.proof.points import Point


class Recursions:
    """A system's tree, as it is and regrouped, and the algorithms on it."""

    def __init__(self, system: System) -> None:
        self.system = system
        self.tree = exact_tree(system)
        self.regrouped = tidy(regroup(self.tree))
        self.states = {link.k: ExactState(system, link.joint, link.k) for link in system.links}
        self.row = {k: i for i, k in enumerate(self.tree.iv)}

    def run(self, algorithm: Algorithm, tree: Tree | None = None) -> list[Element]:
        """The result, a flat list of elements; on the tree the algorithm is shipped with, or on a path of it."""
        tree = tree or self.tree_of(algorithm)
        return [self.system.ring(x) for x in run(algorithm, tree, self.links(tree, algorithm.inputs))]

    def run_at(self, point: Point, algorithm: Algorithm, tau: list[Any] | None = None) -> list[Any]:
        """The result at an exact point, where algorithms that divide can be run as well."""
        tree = point.tree(self.tree_of(algorithm))
        links = self.links_at(point, tree, algorithm.inputs)
        for link in links:
            if tau is not None:
                link.tau = (tau[link.iv],)
        return run(algorithm, tree, links)

    def links_at(self, point: Point, tree: Tree, inputs: tuple[str, ...], of: Callable[[Any], Any] | None = None) -> list[Link]:
        """The links at an exact point; `of` takes an element to the scalar that stands for its value."""
        of = of or point.of
        links = self.links(tree, inputs)
        for link in links:
            if link.kind.turns:
                link.c, link.s = of(link.c), of(link.s)
            exact = link.function
            link.__dict__["function"] = lambda expression, exact=exact: of(exact(expression))
            for name in ("q", "qd", "qdd"):
                if name in link.__dict__:
                    setattr(link, name, tuple(of(x) for x in getattr(link, name)))
        return links

    def tree_of(self, algorithm: Algorithm) -> Tree:
        return self.regrouped if algorithm.regrouped else self.tree

    def links(self, tree: Tree, inputs: tuple[str, ...]) -> list[Link]:
        """The links, with the ring's generators for their state."""
        system = self.system
        made = []
        for i in range(len(tree)):
            link = tree.link(i)
            self.set_state(link, inputs)
            if "wrench" in inputs:
                link.__dict__["wrench"] = tuple(system.generator(f"load_{name}") for name in ("Mx", "My", "Mz", "Fx", "Fy", "Fz"))
            made.append(link)
        return made

    # what the equations are linear in

    def rotors(self) -> list[Any]:
        return [self._constant("rotor", k) for k in range(self.system.n)]

    def parameters(self) -> list[Any]:
        """Ten inertial parameters a link, in the tree's order."""
        constants = self.tree.constants
        return [x for i in range(len(self.tree)) for name in ("mass", "h", "I") for x in constants[name][i]]

    def _constant(self, name: str, k: int) -> Any:
        return self.tree.constants[name][self.row[k], 0]

    def set_state(self, link: Link, inputs: tuple[str, ...]) -> None:
        system, k = self.system, link.iv
        if not link.nv:
            link.q = ()
            return
        link.q = (system.generator(f"q{k + 1}"),)
        state = self.states[k]
        if link.kind.turns:
            link.c, link.s = state.c, state.s
        link.__dict__["function"] = state.function
        if "qd" in inputs:
            link.qd = (system.speed(k),)
        if "qdd" in inputs:
            link.qdd = (system.acceleration(k),)
