"""Formulas that can be combined: those of one system, and of the wider ones that texts made of it.

A text may name what no equation has, such as a length that cancels out. It is read into a ring with one generator more; each
ring of a family has all generators of those before it, so that any two formulas have a ring in common.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lagrangian.equations.algebra.ring import RationalFunction
from lagrangian.equations.reading.scalars import MissingGenerator
from lagrangian.equations.texts.evaluation import evaluate_node, extend_ring
from lagrangian.equations.texts.node import FormulaNode, expression_to_node, number_node
from lagrangian.equations.texts.reader import FormulaNames, parse_formula, sympy_to_node
from lagrangian.errors import ArgumentError
from lagrangian.model.expression import Expression

if TYPE_CHECKING:
    from lagrangian.equations.writing.writer import FormulaWriter


class FormulaFamily:
    """The writers whose formulas can be combined, from the narrowest ring to the widest."""

    def __init__(self, first: FormulaWriter) -> None:
        self.writers = [first]

    def wider_writer(self, a: FormulaWriter, b: FormulaWriter) -> FormulaWriter:
        """The one of two writers whose ring has the generators of both."""
        return max(a, b, key=self.writers.index)

    def to_node(self, x: Any) -> FormulaNode:
        """A text, a SymPy expression, a scalar of the model or a number as a node."""
        writer = self.writers[-1]
        if isinstance(x, str):
            return parse_formula(x, writer)
        if isinstance(x, Expression):
            return expression_to_node(x, FormulaNames(writer).resolve_symbol)
        if hasattr(x, "free_symbols"):
            return sympy_to_node(x, writer)
        try:
            return number_node(str(x) if isinstance(x, float) else x)
        except (TypeError, ValueError, OverflowError):
            raise ArgumentError(
                f"{x!r:.60} is not a formula", remedy="give a number, a text, a SymPy expression or a formula"
            ) from None

    def quotient(self, node: FormulaNode) -> tuple[FormulaWriter, RationalFunction]:
        """A node's quotient in the narrowest ring that has all it needs, and the writer of that ring, a new one if need be."""
        for writer in self.writers:
            try:
                return writer, evaluate_node(writer.system, node)
            except MissingGenerator:
                continue
        writer = self._add_wider_writer(node)
        return writer, evaluate_node(writer.system, node)

    def _add_wider_writer(self, node: FormulaNode) -> FormulaWriter:
        """Add and return a writer whose ring has the generators that a node needs besides those of the widest ring."""
        widest = self.writers[-1]
        self.writers.append(widest.with_system(extend_ring(widest.system, node)))
        return self.writers[-1]
