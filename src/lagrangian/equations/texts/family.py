"""Formulas that can be combined: those of one system, and of the wider ones that texts made of it.

A text may name what no equation has, such as a length that cancels out. It is read into a ring with one generator more; each
ring of a family has all generators of those before it, so that any two formulas have a ring in common.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lagrangian.equations.reading.scalars import MissingGenerator
from lagrangian.equations.texts.evaluation import Evaluation, Quotient, evaluated
from lagrangian.equations.texts.node import Node, number, of_expression
from lagrangian.equations.texts.reader import read
from lagrangian.errors import ArgumentError
from lagrangian.model.expression import Expression

if TYPE_CHECKING:
    from lagrangian.equations.writing.writer import Writer


class Family:
    """The writers whose formulas can be combined, from the narrowest ring to the widest."""

    def __init__(self, first: Writer) -> None:
        self.writers = [first]

    def wider(self, a: Writer, b: Writer) -> Writer:
        """Of two writers the one whose ring has the generators of both."""
        return max(a, b, key=self.writers.index)

    def node(self, x: Any) -> Node:
        """What a text, a SymPy expression, a scalar of the model or a number says."""
        writer = self.writers[-1]
        if isinstance(x, str):
            return read(x, writer)
        if isinstance(x, Expression):
            from lagrangian.equations.texts.names import Names

            return of_expression(x, Names(writer).parameter)
        if hasattr(x, "free_symbols"):
            from lagrangian.equations.texts.sympy_import import of_sympy

            return of_sympy(x, writer)
        try:
            return number(str(x) if isinstance(x, float) else x)
        except (TypeError, ValueError, OverflowError):
            raise ArgumentError(
                f"{x!r:.60} is not a formula", remedy="give a number, a text, a SymPy expression or a formula"
            ) from None

    def quotient(self, node: Node) -> tuple[Writer, Quotient]:
        """In the narrowest ring that has all that is needed; a wider one is made if none has."""
        for writer in self.writers:
            try:
                return writer, Evaluation(writer.system.scalars.copy()).quotient(node)
            except MissingGenerator:
                continue
        system, made = evaluated(self.writers[-1].system, node)
        self.writers.append(self.writers[-1].wider(system))
        return self.writers[-1], made
