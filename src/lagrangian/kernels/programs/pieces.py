"""Dynamics of one state of a long chain as a program: pieces side by side (`kernels.pieces`)."""

from __future__ import annotations

import numpy as np

from lagrangian.algorithms.sweep import Algorithm
from lagrangian.algorithms.tree import Tree
from lagrangian.kernels.llvm import jit
from lagrangian.kernels.llvm.target import Target
from lagrangian.kernels.pieces import kernel
from lagrangian.kernels.pieces.data import arrays
from lagrangian.kernels.pieces.phases import Pieces
from lagrangian.kernels.pieces.plan import Plan
from lagrangian.kernels.program import Header, Program


class InPieces(Program):
    """The same function as another program, for one state, in pieces by a plan."""

    def __init__(self, whole: Program, algorithm: Algorithm, found: Plan, chosen: Target) -> None:
        self.whole, self.algorithm, self.plan, self.target = whole, algorithm, found, chosen
        self.name, self.inputs, self.sizes = whole.name, whole.inputs, whole.sizes
        self.shape, self.angles = whole.shape, whole.angles

    def key(self) -> tuple[str | bytes | int, ...]:
        return *self.whole.key(), "in pieces", self.plan.digest

    def compile(self, chosen: Target, width: int) -> tuple[Header, bytes]:
        found = kernel.module(self.algorithm, self.plan, chosen)
        operations = 100 * len(self.plan.tree)
        header = {
            "form": "rolled",
            "scratch": found.scratch,
            "operations": operations,
            "columns": found.columns,
            "halved": found.halved,
            "gate": found.gate,
        }
        return header, jit.compile_object(found.ir, chosen, level=2)

    def data(self, header: Header, code: jit.Code) -> list[np.ndarray]:
        columns = {part: [(name, j) for name, j in given] for part, given in header["columns"].items()}
        return arrays(self.algorithm, self.plan, self.target, columns, header["halved"])


def pieces_of(algorithm: Algorithm, tree: Tree, chosen: Target) -> Pieces | None:
    """The code of an algorithm in pieces, for one state, where there is such an algorithm and it is faster."""
    found = kernel.planned(algorithm, tree, chosen)
    return None if found is None else kernel.module(algorithm, found, chosen)


def in_pieces(whole: Program, algorithm: Algorithm, tree: Tree, chosen: Target) -> Program:
    """The program for one state: in pieces, or the given one."""
    found = kernel.planned(algorithm, tree, chosen)
    return whole if found is None else InPieces(whole, algorithm, found, chosen)
