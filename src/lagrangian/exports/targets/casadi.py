"""Functions of CasADi, for its solvers and its derivatives; where they are written, `casadi.Function.load` reads them."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from lagrangian.errors import ArgumentError
from lagrangian.exports.evaluate import in_steps
from lagrangian.exports.languages.names import Names, spelled
from lagrangian.exports.routine import Argument, Package, Routine, Straight
from lagrangian.exports.targets.target import Product, Target, Wish
from lagrangian.kernels.trace.guard import guarded
from lagrangian.kernels.trace.node import LIBRARY, PREPARED, Trace
from lagrangian.kernels.trace.replay import replay
from lagrangian.model.mechanism import Mechanism

RESERVED = ("null", "jac", "hess")  # names that CasADi refuses


class Casadi(Target):
    name = "casadi"
    about = "CasADi functions, for its solvers and derivatives"
    loops = False

    def make(self, mechanism: Mechanism, wish: Wish) -> Product:
        try:
            import casadi  # noqa: F401
        except ImportError:
            raise ArgumentError(
                "the target 'casadi' needs CasADi, which is not installed; pip install 'lagrangian[casadi]'"
            ) from None
        package = self.package(mechanism, replace(wish, parameters=() if wish.parameters is None else wish.parameters))
        names = Names(RESERVED)
        functions = Maker(package).functions(names)
        name = spelled(package.name) or "mechanism"
        files = {f"{name}_{key}.casadi": _file(function) for key, function in functions.items()}
        notes = (*package.notes, *names.notes)
        return Product(files, functions, notes, {p.name: p.value for p in package.parameters})


class Maker:
    """Straight-line code becomes scalar expressions (SX), and a sequence of calls one of matrices (MX), which keeps its calls."""

    def __init__(self, package: Package) -> None:
        import casadi

        self.casadi, self.package = casadi, package
        self.parameters = len(package.parameters)
        self.operations = _operations(casadi)
        self.called = {routine.name: routine for routine in package.routines}
        self.made: dict[str, Any] = {}

    def functions(self, names: Names) -> dict[str, Any]:
        for routine in self.package.routines:  # each after those that it calls
            name = names.legal(routine.name)
            make = self._straight if isinstance(routine.body, Straight) else self._steps
            self.made[routine.name] = make(name, routine)
        return {function.name(): function for function in self.made.values()}

    def _straight(self, name: str, routine: Routine) -> Any:
        given = {x.name: self.casadi.SX.sym(x.name, x.size) for x in routine.inputs}
        p = self.casadi.SX.sym("p", self.parameters)
        assert isinstance(routine.body, Straight)
        values = self._replayed(routine.body.trace, given, p)
        outputs = []
        for x in routine.outputs:
            outputs.append(values[: x.size])
            values = values[x.size :]
        return self._function(name, routine, given, p, outputs)

    def _steps(self, name: str, routine: Routine) -> Any:
        casadi = self.casadi
        given = {x.name: casadi.MX.sym(x.name, x.size) for x in routine.inputs}
        p = casadi.MX.sym("p", self.parameters)
        last = [p] if self.parameters else []

        def call(other: Routine, inputs: dict[str, Any]) -> Any:
            found = self.made[other.name].call([*inputs.values(), *last])
            return casadi.vertcat(*(casadi.vec(x.T) for x in found))

        def compute(trace: Trace, known: dict[str, Any]) -> Any:
            symbols = {key: casadi.SX.sym(key, x.numel()) for key, x in known.items()}
            inner = casadi.SX.sym("p", self.parameters)
            values = self._replayed(trace, symbols, inner)
            function = casadi.Function("between", [*symbols.values(), inner], [values])
            return function(*known.values(), p)

        return self._function(name, routine, given, p, in_steps(routine, given, self.called, call, compute))

    def _replayed(self, trace: Trace, given: Mapping[str, Any], p: Any) -> Any:
        """All outputs of a trace as one column."""
        if self.parameters:
            given = {**given, PREPARED: replay(self.package.preparation, lambda name, index: p[index], self.operations)}
        found = replay(guarded(trace), lambda name, index: given[name][index], self.operations)
        return self.casadi.vertcat(self.casadi.SX(0, 1), *found)

    def _function(self, name: str, routine: Routine, given: Mapping[str, Any], p: Any, outputs: list[Any]) -> Any:
        """The function of these columns, with matrices as such; parameters, if there are any, are its last input."""
        inputs = {**given, "p": p} if self.parameters else given
        names = Names(inputs)
        shaped = [self._shaped(x, column) for x, column in zip(routine.outputs, outputs, strict=True)]
        labels = [names.legal(x.name) for x in routine.outputs]
        return self.casadi.Function(name, list(inputs.values()), shaped, list(inputs), labels)

    def _shaped(self, x: Argument, column: Any) -> Any:
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
        **{name: getattr(casadi, name) for name in ("sin", "cos", *LIBRARY)},
    }


def _file(function: Any) -> bytes:
    """What CasADi saves, which is not what it serialises to a text."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "function.casadi"
        function.save(str(path))
        return path.read_bytes()


TARGET = Casadi()
