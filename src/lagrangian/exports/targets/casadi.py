"""Functions of CasADi, for its solvers and its derivatives; where they are written, `casadi.Function.load` reads them."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from lagrangian.errors import ArgumentError
from lagrangian.exports.reference_values import evaluate_sequence
from lagrangian.exports.source.identifiers import IdentifierTable, transliterate
from lagrangian.exports.targets.target import ExportedFiles, ExportRequest, ExportTarget
from lagrangian.functions.routine import Package, Routine, RoutineArgument, StraightLineCode
from lagrangian.kernels.trace.derivative import guard_derivatives
from lagrangian.kernels.trace.node import LIBRARY_FUNCTIONS, PREPARED, Trace
from lagrangian.kernels.trace.replay import replay
from lagrangian.model.mechanism import Mechanism

RESERVED_NAMES = ("null", "jac", "hess")  # names that CasADi refuses


class CasadiTarget(ExportTarget):
    name = "casadi"
    about = "CasADi functions, for its solvers and derivatives"
    writes_loops = False

    def make(self, mechanism: Mechanism, request: ExportRequest) -> ExportedFiles:
        try:
            import casadi  # noqa: F401
        except ImportError:
            raise ArgumentError(
                "the target 'casadi' needs CasADi, which is not installed; pip install 'lagrangian[casadi]'"
            ) from None
        package = self.package(mechanism, replace(request, parameters=() if request.parameters is None else request.parameters))
        names = IdentifierTable(RESERVED_NAMES)
        functions = CasadiFunctionBuilder(package).functions(names)
        name = transliterate(package.name) or "mechanism"
        files = {f"{name}_{key}.casadi": _saved_bytes(function) for key, function in functions.items()}
        notes = (*package.notes, *names.notes)
        return ExportedFiles(files, functions, notes, {p.name: p.value for p in package.parameters})


class CasadiFunctionBuilder:
    """Straight-line code becomes scalar expressions (SX), and a sequence of calls one of matrices (MX), which keeps its calls."""

    def __init__(self, package: Package) -> None:
        import casadi

        self.casadi, self.package = casadi, package
        self.parameters = len(package.parameters)
        self.operations = _operations(casadi)
        self.routines = {routine.name: routine for routine in package.routines}
        self.built_functions: dict[str, Any] = {}

    def functions(self, names: IdentifierTable) -> dict[str, Any]:
        for routine in self.package.routines:  # each after those that it calls
            name = names.legal(routine.name)
            build = self._build_straight_line if isinstance(routine.body, StraightLineCode) else self._build_sequence
            self.built_functions[routine.name] = build(name, routine)
        return {function.name(): function for function in self.built_functions.values()}

    def _build_straight_line(self, name: str, routine: Routine) -> Any:
        inputs = {x.name: self.casadi.SX.sym(x.name, x.size) for x in routine.inputs}
        p = self.casadi.SX.sym("p", self.parameters)
        assert isinstance(routine.body, StraightLineCode)
        values = self._record_outputs(routine.body.trace, inputs, p)
        outputs = []
        for x in routine.outputs:
            outputs.append(values[: x.size])
            values = values[x.size :]
        return self._make_function(name, routine, inputs, p, outputs)

    def _build_sequence(self, name: str, routine: Routine) -> Any:
        casadi = self.casadi
        inputs = {x.name: casadi.MX.sym(x.name, x.size) for x in routine.inputs}
        p = casadi.MX.sym("p", self.parameters)
        last = [p] if self.parameters else []

        def call(other: Routine, inputs: dict[str, Any]) -> Any:
            results = self.built_functions[other.name].call([*inputs.values(), *last])
            return casadi.vertcat(*(casadi.vec(x.T) for x in results))

        def compute(trace: Trace, arrays: dict[str, Any]) -> Any:
            symbols = {key: casadi.SX.sym(key, x.numel()) for key, x in arrays.items()}
            inner = casadi.SX.sym("p", self.parameters)
            values = self._record_outputs(trace, symbols, inner)
            function = casadi.Function("between", [*symbols.values(), inner], [values])
            return function(*arrays.values(), p)

        return self._make_function(name, routine, inputs, p, evaluate_sequence(routine, inputs, self.routines, call, compute))

    def _record_outputs(self, trace: Trace, inputs: Mapping[str, Any], p: Any) -> Any:
        """All outputs of a trace as one column."""
        if self.parameters:
            inputs = {**inputs, PREPARED: replay(self.package.preparation, lambda name, index: p[index], self.operations)}
        outputs = replay(guard_derivatives(trace), lambda name, index: inputs[name][index], self.operations)
        return self.casadi.vertcat(self.casadi.SX(0, 1), *outputs)

    def _make_function(self, name: str, routine: Routine, columns: Mapping[str, Any], p: Any, outputs: list[Any]) -> Any:
        """The function of these columns, with matrices as such; parameters, if there are any, are its last input."""
        inputs = {**columns, "p": p} if self.parameters else columns
        names = IdentifierTable(inputs)
        matrices = [self._as_matrix(x, column) for x, column in zip(routine.outputs, outputs, strict=True)]
        labels = [names.legal(x.name) for x in routine.outputs]
        return self.casadi.Function(name, list(inputs.values()), matrices, list(inputs), labels)

    def _as_matrix(self, x: RoutineArgument, column: Any) -> Any:
        """A matrix from its rows one after the other, where CasADi has columns."""
        return self.casadi.reshape(column, *x.shape[::-1]).T if len(x.shape) == 2 else column


def _operations(casadi: Any) -> dict[str, Callable[..., Any]]:
    """The operations of traces, over SX and numbers."""

    def by_sign(x: Any, forth: Any, back: Any) -> Any:
        # the sign at last is 0, or NaN of NaN
        return casadi.if_else(x > 0, forth, casadi.if_else(x < 0, back, casadi.sign(x)))

    return {
        "add": lambda a, b: a + b,
        "sub": lambda a, b: a - b,
        "mul": lambda a, b: a * b,
        "div": lambda a, b: casadi.SX(a) / b,
        "neg": lambda a: -a,
        "sqrt": casadi.sqrt,
        "touch": lambda a, b: a,
        "choose": lambda a, b, x, y: casadi.if_else(a < b, x, y),
        "by_sign": by_sign,
        **{name: getattr(casadi, name) for name in ("sin", "cos", *LIBRARY_FUNCTIONS)},
    }


def _saved_bytes(function: Any) -> bytes:
    """The content of the file that CasADi saves for a function, which differs from its serialisation as text."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "function.casadi"
        function.save(str(path))
        return path.read_bytes()


TARGET = CasadiTarget()
