"""Formulas as SymPy expressions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lagrangian.equations.reading.system import NUMBER_MEANING
from lagrangian.equations.writing.tree import evaluate_tree
from lagrangian.equations.writing.writer import FormulaWriter
from lagrangian.model.expression import Expression

if TYPE_CHECKING:
    from lagrangian.equations.formula import Formula


class SympyExporter:
    """Coordinates by their names; rates as `qd_name` and `qdd_name`, or as derivatives of functions of time."""

    def __init__(self, writer: FormulaWriter, dynamic: bool) -> None:
        import sympy

        self.writer, self.sympy = writer, sympy
        names = writer.system.coordinates
        if dynamic:
            t = sympy.Symbol("t")
            self.q = [sympy.Function(name)(t) for name in names]
            self.qd = [x.diff(t) for x in self.q]
            self.qdd = [x.diff(t) for x in self.qd]
        else:
            self.q, self.qd, self.qdd = ([sympy.Symbol(prefix + name) for name in names] for prefix in ("", "qd_", "qdd_"))

        if writer.speeds:  # these stand where rates stood
            self.qd, self.qdd = ([sympy.Symbol(f"{name}{dot}") for name in writer.speeds] for dot in ("", "_dot"))

    def convert_formula(self, formula: Formula) -> Any:
        top = self._convert_tree(formula.tree)
        return top if formula.denominator is None else top / self._convert_tree(formula.denominator_tree)

    def _convert_tree(self, tree: Any) -> Any:
        result = evaluate_tree(tree, self._convert_name)
        return self.sympy.Rational(result.numerator, result.denominator) if not hasattr(result, "free_symbols") else result

    def _convert_name(self, name: str) -> Any:
        sympy, number = self.sympy, self.writer.generator_index.get(name)
        symbol = None if number is None else self.writer.system.ring.symbols[number]
        if symbol is None or symbol.kind in ("sine", "cosine"):
            kind, angle = self.writer.angle_of(name)
            total = sum(times * self.q[k] for k, times in angle)
            return sympy.sin(total) if kind == "sine" else sympy.cos(total)
        match symbol.kind:
            case "coordinate":
                return self.q[symbol.index]
            case "speed":
                return self.qd[symbol.index]
            case "acceleration":
                return self.qdd[symbol.index]
            case "sign":
                return sympy.sign(self.qd[symbol.index])
        length_definition = self.writer.system.scalars.lengths.get(symbol.name)
        if length_definition is not None:
            length = sympy.sqrt(self._convert_tree(self.writer.write(length_definition.square)))
            return length if symbol.kind == "root" else 1 / length
        if symbol.kind == "drive":
            return self.convert_expression(self.writer.system.scalars.drives[symbol.name])
        atom = self.writer.system.scalars.function_generators.get(symbol.name)
        if atom is not None:
            return self.convert_expression(atom[1])
        constant = self.writer.system.scalars.angles.constant_angles.get(symbol.name)
        if constant is not None:
            return (sympy.sin if symbol.kind == "constant_sine" else sympy.cos)(self.convert_expression(constant))
        if symbol.meaning == NUMBER_MEANING:
            return sympy.Rational(name.strip("()"))
        return sympy.pi if symbol.name == "pi" else sympy.Symbol(name)

    def convert_expression(self, x: Any) -> Any:
        """An expression of the model, node by node: nothing is ever parsed from text."""
        sympy = self.sympy
        if not isinstance(x, Expression):
            return sympy.Integer(x) if isinstance(x, int) else sympy.Float(x)
        if x.operation == "symbol":
            coordinates = self.writer.system.scalars.coordinates
            return self.q[coordinates[x.name]] if x.value is None and x.name in coordinates else sympy.Symbol(x.name)
        if x.operation == "pi":
            return sympy.pi
        arguments = [self.convert_expression(a) for a in x.arguments]
        match x.operation:
            case "+":
                return arguments[0] + arguments[1]
            case "-":
                return arguments[0] - arguments[1]
            case "*":
                return arguments[0] * arguments[1]
            case "/":
                return arguments[0] / arguments[1]
            case "^":
                return arguments[0] ** arguments[1]
            case "neg":
                return -arguments[0]
        sympy_names = {"abs": "Abs", "min": "Min", "max": "Max"}
        return getattr(sympy, sympy_names.get(x.operation, x.operation))(*arguments)
