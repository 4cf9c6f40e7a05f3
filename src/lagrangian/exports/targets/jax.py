"""Functions of JAX arrays, for `jax.jit`, `jax.vmap`, `jax.grad` and the like."""

from __future__ import annotations

import inspect
import keyword
import math
from collections import namedtuple
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np

from lagrangian.errors import ArgumentError, LagrangianWarning, warn
from lagrangian.exports.reference_values import evaluate_sequence
from lagrangian.exports.source.identifiers import IdentifierTable
from lagrangian.exports.targets.target import ExportedFiles, ExportRequest, ExportTarget
from lagrangian.functions.routine import CallSequence, Package, Routine, RoutineArgument, StraightLineCode
from lagrangian.kernels.trace.node import NUMBERS, PREPARED, Trace
from lagrangian.model.mechanism import Mechanism

SINGLE_PRECISION_WARNING = (
    "JAX computes in single precision here, with about seven digits, of which dynamics lose some and closed loops most"
)
DOUBLE_PRECISION_REMEDY = (
    'jax.config.update("jax_enable_x64", True), at the start of a program, makes it compute in double precision'
)


class JaxTarget(ExportTarget):
    name = "jax"
    about = "JAX functions, to compile, vectorise and differentiate"
    writes_loops = False
    writes_files = False

    def make(self, mechanism: Mechanism, request: ExportRequest) -> ExportedFiles:
        try:
            import jax  # noqa: F401
        except ImportError:
            raise ArgumentError("the target 'jax' needs JAX, which is not installed; pip install 'lagrangian[jax]'") from None
        package = self.package(mechanism, replace(request, parameters=() if request.parameters is None else request.parameters))
        names = IdentifierTable(keyword.kwlist)
        builder = JaxFunctionBuilder(package)
        legal = {names.legal(routine.name): routine for routine in package.routines}
        functions = {name: builder.make_function(name, routine) for name, routine in legal.items()}
        notes = (*package.notes, *names.notes)
        return ExportedFiles(functions=functions, notes=notes, parameters={p.name: p.value for p in package.parameters})


class JaxFunctionBuilder:
    """JAX functions of the routines of one package. Their arrays have entries along the first axis, states along others."""

    def __init__(self, package: Package) -> None:
        from lagrangian.exports.targets.jax_code import compile_trace

        self.package = package
        self.routines = {routine.name: routine for routine in package.routines}
        self._compile_trace = cache(compile_trace)

    def make_function(self, name: str, routine: Routine) -> Callable[..., Any]:
        """A function of arrays (..., entries): it checks them, and runs code that is compiled once for each shape."""
        import jax

        arguments = routine.inputs
        parameters = tuple(p.name for p in self.package.parameters)
        if parameters:
            arguments += (RoutineArgument("p", (len(parameters),), "the parameters", parameters),)
        signature = inspect.Signature([inspect.Parameter(x.name, inspect.Parameter.POSITIONAL_OR_KEYWORD) for x in arguments])
        result_type = namedtuple(name, [x.name for x in routine.outputs]) if len(routine.outputs) > 1 else None

        @jax.jit
        def run(*arrays: Any) -> Any:
            return self._run(routine, arguments, arrays)

        def function(*args: Any, **keywords: Any) -> Any:
            bound = signature.bind(*args, **keywords).arguments
            if jax.numpy.result_type(float) != np.float64:
                warn(LagrangianWarning(SINGLE_PRECISION_WARNING, remedy=DOUBLE_PRECISION_REMEDY))
            results = run(*(_as_jax_array(routine, x, bound[x.name]) for x in arguments))
            return result_type(*results) if result_type else results[0]

        function.__name__ = function.__qualname__ = name
        function.__doc__ = self._docstring(routine, arguments)
        function.__signature__ = signature  # type: ignore[attr-defined]
        return function

    def _docstring(self, routine: Routine, arguments: tuple[RoutineArgument, ...]) -> str:
        lines = [routine.about, ""]
        for x in (*arguments, *routine.outputs):
            entries = f": {', '.join(x.entries)}" if 0 < len(x.entries) <= 20 else ""
            lines.append(f"{x.name} {x.shape}: {x.about}{entries}")
        if self.package.parameters:
            lines.append(f"By default p is [{', '.join(repr(p.value) for p in self.package.parameters)}].")
        return "\n".join([*lines, "Any of them may have axes for many states before its own."])

    def _run(self, routine: Routine, arguments: tuple[RoutineArgument, ...], arrays: tuple[Any, ...]) -> list[Any]:
        """All outputs as arrays (..., *shape)."""
        import jax.numpy as jnp

        columns = {x.name: jnp.moveaxis(a, -1, 0) if x.shape else a[None] for x, a in zip(arguments, arrays, strict=True)}
        states = np.broadcast_shapes(*(a.shape[1:] for a in columns.values()))
        if self.package.parameters:
            p = columns.pop("p")
            columns[PREPARED] = self._compile_trace(self.package.preparation)({NUMBERS: p}.__getitem__, p.shape[1:])
        values = self._values(routine, {name: _broadcast_states(a, states) for name, a in columns.items()}, states)
        outputs = []
        for x in routine.outputs:
            outputs.append(jnp.moveaxis(values[: x.size], 0, -1).reshape(*states, *x.shape))
            values = values[x.size :]
        return outputs

    def _values(self, routine: Routine, columns: dict[str, Any], states: tuple[int, ...]) -> Any:
        """All outputs one after the other."""
        import jax.numpy as jnp

        body = routine.body
        if isinstance(body, StraightLineCode):
            return self._compile_trace(body.trace)(columns.__getitem__, states)
        assert isinstance(body, CallSequence)
        constants = {PREPARED: columns[PREPARED]} if PREPARED in columns else {}

        def call(other: Routine, inputs: dict[str, Any]) -> Any:
            return self._values(other, inputs | constants, states)

        def compute(trace: Trace, columns_so_far: dict[str, Any]) -> Any:
            return self._compile_trace(trace)(columns_so_far.__getitem__, states)

        return jnp.concatenate(evaluate_sequence(routine, columns, self.routines, call, compute))


def _as_jax_array(routine: Routine, x: RoutineArgument, value: Any) -> Any:
    """An argument as an array of JAX; one of another shape is refused."""
    import jax.numpy as jnp

    array = jnp.asarray(value, dtype=float)
    own_axes = len(x.shape)
    if array.shape[array.ndim - own_axes :] != x.shape:
        needed = f"{math.prod(x.shape)} entries along its last axis" if own_axes else "no axes but those of states"
        raise ArgumentError(f"must have {needed}; it has the shape {array.shape}", where=routine.name, argument=x.name)
    return array


def _broadcast_states(a: Any, states: tuple[int, ...]) -> Any:
    """An array with axes for all states, along which it is repeated if it had none."""
    import jax.numpy as jnp

    own_states = a.shape[1:]
    return jnp.broadcast_to(a.reshape(len(a), *(1 for _ in range(len(states) - len(own_states))), *own_states), (len(a), *states))


TARGET = JaxTarget()
