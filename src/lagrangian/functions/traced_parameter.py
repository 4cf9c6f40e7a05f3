"""A parameter of a mechanism as an input of traced code: a scalar with its value and the node that stands for it.

It takes the place of a scalar of many samples (`DualArray`), so that a tree is built over it by the same steps as over samples:
numbers that depend on it are not part of the structure, and are known as expressions of it.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from lagrangian.kernels.trace.node import Node
from lagrangian.model.expression import functions as f
from lagrangian.model.expression.automatic_derivatives import DualArray


class TracedParameter(DualArray):
    """A scalar whose `value` has one entry; `node` is how it follows from the inputs."""

    __slots__ = ("node",)

    def __init__(self, value: Any, node: Node) -> None:
        super().__init__(np.array(value, dtype=float).reshape(1))
        self.node = node

    def _with_node(self, plain: Any, node: Any) -> Any:
        """Return a result from its value, computed as for a sample, and its node; a number if it depends on no input."""
        value = plain.value if isinstance(plain, DualArray) else plain
        return TracedParameter(value, node) if isinstance(node, Node) else float(node)

    def _plain(self) -> DualArray:
        return DualArray(self.value)

    def constant(self, x: float) -> DualArray:
        return TracedParameter(x, self.node.graph.constant(x))

    def differs_from(self, value: float) -> bool:
        return True

    def snap_to(self, numbers: tuple[float, ...], distance: float) -> DualArray:
        return self

    def __add__(self, other: Any) -> Any:
        return self._with_node(self._plain() + _plain(other), self.node + node_of(other))

    __radd__ = __add__

    def __sub__(self, other: Any) -> Any:
        return self._with_node(self._plain() - _plain(other), self.node - node_of(other))

    def __rsub__(self, other: Any) -> Any:
        return self._with_node(other - self._plain(), other - self.node)

    def __neg__(self) -> Any:
        return self._with_node(-self._plain(), -self.node)

    def __mul__(self, other: Any) -> Any:
        if not isinstance(other, (int, float, DualArray)):
            return NotImplemented
        return self._with_node(self._plain() * _plain(other), self.node * node_of(other))

    __rmul__ = __mul__

    def __truediv__(self, other: Any) -> Any:
        return self._with_node(self._plain() / _plain(other), self.node / node_of(other))

    def __rtruediv__(self, other: Any) -> Any:
        return self._with_node(other / self._plain(), other / self.node)

    def power(self, n: Any) -> Any:
        return self._with_node(self._plain().power(_plain(n)), f.power(self.node, node_of(n)))

    def apply(self, name: str) -> Any:
        node = self.node.tan() if name == "tan" else f.apply(name, self.node)
        return self._with_node(self._plain().apply(name), node)

    def atan2(self, x: Any) -> Any:
        return self._with_node(self._plain().atan2(_plain(x)), f.atan2(self.node, node_of(x)))

    def choose(self, a: Any, b: Any, x: Any, y: Any) -> Any:
        plain = self._plain().choose(_plain(a), _plain(b), _plain(x), _plain(y))
        return self._with_node(plain, self.node.choose(node_of(a), node_of(b), node_of(x), node_of(y)))


def node_of(x: Any) -> Any:
    """Return what stands for a scalar in traced code: a node, or a number."""
    return x.node if isinstance(x, TracedParameter) else float(x)


def _plain(x: Any) -> Any:
    return DualArray(x.value) if isinstance(x, TracedParameter) else x
