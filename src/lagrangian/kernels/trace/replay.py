"""A trace run again, over other scalars: nodes of another graph, floats, symbols of another program.

Where its inputs are numbers, operations fold: a trace that reads the masses of a description as inputs becomes one that has them
written into it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

from lagrangian.kernels.trace.node import LIBRARY_FUNCTIONS, Node, Trace
from lagrangian.model.expression import functions as f

ReadInput = Callable[[str, Any], Any]


def _quotient(a: Any, b: Any) -> Any:
    if isinstance(a, (int, float)) and isinstance(b, (int, float)) and b == 0:
        return math.nan if a == 0 or math.isnan(a) else math.copysign(math.inf, a)
    return a / b


def _by_sign(x: Any, positive: Any, negative: Any) -> Any:
    if isinstance(x, Node):
        return x.by_sign(positive, negative)
    return positive if x > 0 else negative if x < 0 else x


def _library_function(name: str) -> Callable[[Any], Any]:
    """A function of the mathematical library: NaN and infinity of numbers, where Python has errors."""

    def evaluate(x: Any) -> Any:
        try:
            return f.apply(name, x)
        except OverflowError:
            return math.inf
        except ValueError:
            return -math.inf if name == "log" and x == 0 else math.nan

    return evaluate


# what each operation of a trace is over nodes and floats; one that only tells NaN of an input is left out
SCALARS: dict[str, Callable[..., Any]] = {
    "add": lambda a, b: a + b,
    "sub": lambda a, b: a - b,
    "mul": lambda a, b: a * b,
    "div": _quotient,
    "neg": lambda a: -a,
    "touch": lambda a, b: a,
    "choose": f.choose,
    "by_sign": _by_sign,
    "atan2": f.atan2,
    **{name: _library_function(name) for name in ("sin", "cos", "sqrt", *LIBRARY_FUNCTIONS) if name != "atan2"},
}


def replay(trace: Trace, read: ReadInput, operations: Mapping[str, Callable[..., Any]] = SCALARS) -> list[Any]:
    """The outputs of a trace over scalars for which `operations` are given; `read(name, index)` gives its inputs."""
    values: list[Any] = []
    for name, *arguments in trace.nodes:
        if name == "constant":
            values.append(arguments[0])
        elif name == "input":
            values.append(read(arguments[0], arguments[1]))
        else:
            values.append(operations[name](*(values[k] for k in arguments)))
    return [values[k] for k in trace.outputs]
