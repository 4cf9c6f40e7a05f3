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
from lagrangian.exports.evaluate import in_steps
from lagrangian.exports.languages.names import Names
from lagrangian.exports.routine import Argument, Package, Routine, Straight
from lagrangian.exports.routine import Sequence as Calls
from lagrangian.exports.targets.target import Product, Target, Wish
from lagrangian.kernels.trace.node import NUMBERS, PREPARED, Trace
from lagrangian.model.mechanism import Mechanism

SINGLE = "JAX computes in single precision here, with about seven digits, of which dynamics lose some and closed loops most"
DOUBLE = 'jax.config.update("jax_enable_x64", True), at the start of a program, makes it compute in double precision'


class Jax(Target):
    name = "jax"
    about = "JAX functions, to compile, vectorise and differentiate"
    loops = False
    writes = False

    def make(self, mechanism: Mechanism, wish: Wish) -> Product:
        try:
            import jax  # noqa: F401
        except ImportError:
            raise ArgumentError("the target 'jax' needs JAX, which is not installed; pip install 'lagrangian[jax]'") from None
        package = self.package(mechanism, replace(wish, parameters=() if wish.parameters is None else wish.parameters))
        names = Names(keyword.kwlist)
        maker = Maker(package)
        legal = {names.legal(routine.name): routine for routine in package.routines}
        functions = {name: maker.function(name, routine) for name, routine in legal.items()}
        notes = (*package.notes, *names.notes)
        return Product(functions=functions, notes=notes, parameters={p.name: p.value for p in package.parameters})


class Maker:
    """What routines of one package have in common. Arrays inside have their entries along the first axis, states along others."""

    def __init__(self, package: Package) -> None:
        from lagrangian.exports import jax_code

        self.package = package
        self.called = {routine.name: routine for routine in package.routines}
        self._compiled = cache(jax_code.compiled)

    def function(self, name: str, routine: Routine) -> Callable[..., Any]:
        """A function of arrays (..., entries): it checks them, and runs code that is compiled once for each shape."""
        import jax

        given = routine.inputs
        parameters = tuple(p.name for p in self.package.parameters)
        if parameters:
            given += (Argument("p", (len(parameters),), "the parameters", parameters),)
        signature = inspect.Signature([inspect.Parameter(x.name, inspect.Parameter.POSITIONAL_OR_KEYWORD) for x in given])
        several = namedtuple(name, [x.name for x in routine.outputs]) if len(routine.outputs) > 1 else None

        @jax.jit
        def run(*arrays: Any) -> Any:
            return self._run(routine, given, arrays)

        def function(*args: Any, **named: Any) -> Any:
            bound = signature.bind(*args, **named).arguments
            if jax.numpy.result_type(float) != np.float64:
                warn(LagrangianWarning(SINGLE, remedy=DOUBLE))
            found = run(*(_array(routine, x, bound[x.name]) for x in given))
            return several(*found) if several else found[0]

        function.__name__ = function.__qualname__ = name
        function.__doc__ = self._about(routine, given)
        function.__signature__ = signature  # type: ignore[attr-defined]
        return function

    def _about(self, routine: Routine, given: tuple[Argument, ...]) -> str:
        lines = [routine.about, ""]
        for x in (*given, *routine.outputs):
            entries = f": {', '.join(x.entries)}" if 0 < len(x.entries) <= 20 else ""
            lines.append(f"{x.name} {x.shape}: {x.about}{entries}")
        if self.package.parameters:
            lines.append(f"By default p is [{', '.join(repr(p.value) for p in self.package.parameters)}].")
        return "\n".join([*lines, "Any of them may have axes for many states before its own."])

    def _run(self, routine: Routine, given: tuple[Argument, ...], arrays: tuple[Any, ...]) -> list[Any]:
        """All outputs as arrays (..., *shape)."""
        import jax.numpy as jnp

        columns = {x.name: jnp.moveaxis(a, -1, 0) if x.shape else a[None] for x, a in zip(given, arrays, strict=True)}
        states = np.broadcast_shapes(*(a.shape[1:] for a in columns.values()))
        if self.package.parameters:
            p = columns.pop("p")
            columns[PREPARED] = self._compiled(self.package.preparation)({NUMBERS: p}.__getitem__, p.shape[1:])
        values = self._values(routine, {name: _spread(a, states) for name, a in columns.items()}, states)
        found = []
        for x in routine.outputs:
            found.append(jnp.moveaxis(values[: x.size], 0, -1).reshape(*states, *x.shape))
            values = values[x.size :]
        return found

    def _values(self, routine: Routine, given: dict[str, Any], states: tuple[int, ...]) -> Any:
        """All outputs one after the other."""
        import jax.numpy as jnp

        body = routine.body
        if isinstance(body, Straight):
            return self._compiled(body.trace)(given.__getitem__, states)
        assert isinstance(body, Calls)
        constants = {PREPARED: given[PREPARED]} if PREPARED in given else {}

        def call(other: Routine, inputs: dict[str, Any]) -> Any:
            return self._values(other, inputs | constants, states)

        def compute(trace: Trace, found: dict[str, Any]) -> Any:
            return self._compiled(trace)(found.__getitem__, states)

        return jnp.concatenate(in_steps(routine, given, self.called, call, compute))


def _array(routine: Routine, x: Argument, given: Any) -> Any:
    """An argument as an array of JAX; one of another shape is refused."""
    import jax.numpy as jnp

    found = jnp.asarray(given, dtype=float)
    own = len(x.shape)
    if found.shape[found.ndim - own :] != x.shape:
        wanted = f"{math.prod(x.shape)} entries along its last axis" if own else "no axes but those of states"
        raise ArgumentError(f"must have {wanted}; it has the shape {found.shape}", where=routine.name, argument=x.name)
    return found


def _spread(a: Any, states: tuple[int, ...]) -> Any:
    """An array for these states: the same for those that it has no axes for."""
    import jax.numpy as jnp

    own = a.shape[1:]
    return jnp.broadcast_to(a.reshape(len(a), *(1 for _ in range(len(states) - len(own))), *own), (len(a), *states))


TARGET = Jax()
