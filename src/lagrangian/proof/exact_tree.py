"""The tree that the shipped algorithms run on, built as always (`algorithms.tree.build`), but of exact scalars."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from lagrangian.algorithms import tree as trees
from lagrangian.algorithms.tree import Floats, Tree
from lagrangian.equations.algebra.ring import Element
from lagrangian.equations.reading.link import Pose
from lagrangian.equations.reading.system import System
from lagrangian.model import vector as v
from lagrangian.model.body import Body
from lagrangian.model.expression import Expression
from lagrangian.model.joint import Joint
from lagrangian.model.mechanism import Mechanism
from lagrangian.model.placement import Placement, turn_z_to


class Exact(Floats):
    """Reads the mechanism's scalars as elements of a system's ring; numbers the algorithms fold away stay numbers."""

    def __init__(self, system: System) -> None:
        self.system = system
        self.number_of = {joint.name: number for joint, _, number in system.order}

    def placements(self, joint: Joint) -> tuple[Placement, Placement]:
        number, where = self.number_of.get(joint.name, 0), f"joint {joint.name!r}"
        before = self.system.pose(joint.placement, where, "p", number)
        after = self.system.pose(joint.child_placement.inverse(), where, "r", number)
        return _placement(before), _placement(after)

    def turn(self, joint: Joint, axis: v.Vector) -> v.Matrix:
        return self.system.rotations.of(turn_z_to(axis), f"joint {joint.name!r}")

    def body(self, body: Body) -> tuple[Any, v.Vector, v.Symmetric]:
        if self.system.symbols != "given":  # the links' symbols are put in when the tree is made
            return 0, v.ZERO, (0, 0, 0, 0, 0, 0)
        inertia = self.system.vector(body.inertia)
        return self.system.scalars.of(body.mass), self.system.vector(body.center), inertia

    def array(self, column: list[Any]) -> np.ndarray:
        made = np.array(column, dtype=object)
        flat = made.reshape(-1)
        for k, x in enumerate(flat):
            flat[k] = self.scalar(x)
        return made

    def rotations(self, R: np.ndarray) -> np.ndarray:
        return R

    def gravity(self, mechanism: Mechanism) -> v.Vector:
        return self.system.gravity

    def number(self, scalar: Any) -> Any:
        return self.system.scalars.of(scalar)

    def vector(self, x: v.Vector) -> v.Vector:
        return self.system.vector(x)

    def place(self, at: Placement, placement: Placement) -> Placement:
        return at @ _placement(self.system.pose(placement, "a frame"))

    def triad(self, axis: v.Vector) -> v.Matrix:
        return self.system.rotations.of(turn_z_to(axis), "an axis")

    def scalar(self, x: Any) -> Any:
        """An element; or 0, 1, -1. Other integers would turn into floats where an algorithm divides."""
        return folded(self.system.ring(self.system.scalars.of(x) if isinstance(x, (Expression, float)) else x))


def folded(x: Any) -> Any:
    """Zero and one as plain numbers."""
    if isinstance(x, Element) and x.poly.is_constant():
        number = next((c for _, c in x.poly.terms()), 0)
        return int(number) if number in (0, 1, -1) else x
    return x


def exact_tree(system: System) -> Tree:
    """The tree over the system's ring, without Coulomb friction, which is no polynomial."""
    read = Exact(system)
    tree = trees.build(system.mechanism, read=read)
    constants = dict(tree.constants)
    for name in ("coulomb_positive", "coulomb_negative"):
        constants[name] = np.zeros_like(constants[name])
    if system.symbols != "given":
        # inertial parameters are symbols of whole links: seen from the joint's frame, which is the tree's
        rows = {link.k: (link.inertia.seen_from(link.after), link.rotor) for link in system.links}
        for name in ("mass", "h", "I", "rotor"):
            constants[name] = constants[name].copy()
        for i, k in enumerate(tree.iv):
            inertia, rotor = rows[k]
            ten = read.array(list(inertia.ten))
            constants["mass"][i], constants["h"][i], constants["I"][i] = ten[:1], ten[1:4], ten[4:]
            constants["rotor"][i] = read.array([rotor])
    return replace(tree, constants=constants)


def tidy(tree: Tree) -> Tree:
    """The same with zeros and ones as plain numbers again, which regrouping leaves as polynomials."""
    fold = np.frompyfunc(folded, 1, 1)
    return replace(tree, constants={name: fold(array) if array.size else array for name, array in tree.constants.items()})


def _placement(pose: Pose) -> Placement:
    return Placement(pose.R, pose.p)
