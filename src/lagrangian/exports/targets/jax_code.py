"""Traces run by JAX; this module alone imports it, and is imported when it is needed.

Arrays have the entries of an argument along their first axis, and states, if there are many, along others. XLA takes minutes to
compile thousands of operations on scalars, and computes many of them again and again. So a trace of more than a few operations
is one loop over rows of operations (`kernels.trace.rows`), which compiles at once, whatever its length.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import jax.numpy as jnp
import numpy as np
from jax import lax

from lagrangian.kernels.trace import rows as r
from lagrangian.kernels.trace.derivative import guard_derivatives
from lagrangian.kernels.trace.node import Trace
from lagrangian.kernels.trace.replay import replay

ReadArray = Callable[[str], Any]  # an array by its name

# nodes of a trace up to which it is run on scalars
MAX_SCALAR_NODES = 150


def compile_trace(trace: Trace) -> Callable[[ReadArray, tuple[int, ...]], Any]:
    """A function of the arrays that a trace reads, and of the shape of the states: it gives all outputs as one array."""
    guarded_trace = guard_derivatives(trace)
    if len(guarded_trace.nodes) <= MAX_SCALAR_NODES:
        return partial(_run_on_scalars, guarded_trace)
    return partial(_run_in_rows, r.pack_rows(guarded_trace))


def _run_on_scalars(trace: Trace, read: ReadArray, states: tuple[int, ...]) -> Any:
    outputs = replay(trace, lambda name, index: read(name)[index], SCALARS)
    return jnp.stack([jnp.broadcast_to(x, states) for x in outputs]) if outputs else jnp.zeros((0, *states))


FUNCTIONS: dict[str, Callable[..., Any]] = {
    **{name: getattr(jnp, name) for name in ("sin", "cos", "exp", "log", "tanh", "floor")},
    "asin": jnp.arcsin, "acos": jnp.arccos, "atan": jnp.arctan, "atan2": jnp.arctan2,
}  # fmt: skip
SCALARS: dict[str, Callable[..., Any]] = {
    "add": lambda a, b: a + b,
    "sub": lambda a, b: a - b,
    "mul": lambda a, b: a * b,
    "div": lambda a, b: a / b,
    "neg": lambda a: -a,
    "sqrt": jnp.sqrt,
    "touch": lambda a, b: a + 0.0 * b,
    "choose": lambda a, b, x, y: jnp.where(a < b, x, y),
    "by_sign": lambda x, forth, back: jnp.where(x > 0.0, forth, jnp.where(x < 0.0, back, 0.0 * x)),
    **FUNCTIONS,
}


def _run_in_rows(rows: r.OperationRows, read: ReadArray, states: tuple[int, ...]) -> Any:
    def broadcast(x: Any) -> Any:
        """Numbers that are the same for all states."""
        return jnp.reshape(x, (*np.shape(x), *(1 for _ in states)))

    constants = jnp.broadcast_to(broadcast(jnp.asarray(rows.constants, dtype=float)), (len(rows.constants), *states))
    inputs = [read(name)[np.array(indices)] for name, indices in rows.inputs.items()]
    leading_values = jnp.concatenate([constants, *inputs])
    values = jnp.concatenate([leading_values, jnp.zeros((rows.size - len(leading_values), *states))])

    def compute_row(values: Any, row_data: tuple[Any, Any, Any]) -> tuple[Any, None]:
        kinds, places, first = row_data
        a, b, c, d, e = values.at[places].get(mode="promise_in_bounds")
        kind = broadcast(kinds)
        product = c * d
        x = (a * b + jnp.where(kind == r.DIFFERENCE, -product, product)) / e
        x = jnp.where(kind == r.ROOT, jnp.sqrt(jnp.where(kind == r.ROOT, x, 1.0)), x)
        x = jnp.where(kind == r.CHOICE, jnp.where(a < b, c, d), x)
        x = jnp.where(kind == r.SIGN, jnp.where(a > 0.0, c, jnp.where(a < 0.0, d, 0.0 * a)), x)
        return lax.dynamic_update_slice_in_dim(values, x, first, 0), None

    for phase in rows.phases:
        for batch in phase.functions:
            results = FUNCTIONS[batch.name](*(values[places] for places in batch.arguments))
            values = lax.dynamic_update_slice_in_dim(values, results, batch.first, 0)
        count, width = phase.kinds.shape
        first = (phase.first + width * np.arange(count)).astype(np.int32)
        values, _ = lax.scan(compute_row, values, (jnp.asarray(phase.kinds), jnp.asarray(phase.places), jnp.asarray(first)))
    return values[np.array(rows.outputs, dtype=np.int32)]
