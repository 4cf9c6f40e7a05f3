"""Methods that turn into compiled functions when they are first looked up.

Looking a method up costs Python more than running a small robot's kernel; so the first look-up puts the compiled entry itself
into the object, where the next one finds it directly.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any, TypeVar

from lagrangian.algorithms.sweep import Algorithm
from lagrangian.algorithms.undetermined import undetermined_joints
from lagrangian.errors import MechanismWarning, warn
from lagrangian.kernels.store import Kernels

F = TypeVar("F", bound=Callable[..., Any])


class Entry:
    """A method whose one-state calls go straight to the kernel of `algorithm`; all others run the method's own body.

    `dimensions` is the form of the result over the speeds: 0 a number, 1 a vector, 2 a matrix; or `size`, if it is not over them.
    `springs` says that springs between points matter to it: where there are any, they are added in Python.
    """

    def __init__(self, algorithm: Algorithm, dimensions: int, size: int = 0, springs: bool = False) -> None:
        self.algorithm, self.dimensions, self.size, self.springs = algorithm, dimensions, size, springs

    def __call__(self, method: F) -> F:
        self.method, self.name, self.__doc__ = method, method.__name__, method.__doc__
        _, *rest = inspect.signature(method).parameters.values()
        self.parameters = [p.replace(annotation=inspect.Parameter.empty) for p in rest]
        return self  # type: ignore[return-value]  # to a type checker it is the method

    def __get__(self, dynamics: Any, owner: type) -> Any:
        if dynamics is None:
            return self.method
        kernels: Kernels = dynamics._open()
        n = kernels.tree.nv
        python = self.method.__get__(dynamics._twin())
        if self.name == "forward_dynamics":
            warn_of_undetermined_joints(kernels)
        function = python
        timed = self.name == "forward_dynamics" and kernels.mechanism.constraints and kernels.closed.timed
        if n and not (self.springs and kernels.mechanism.springs) and not timed:
            shape = (self.size,) if self.size else (n,) * self.dimensions
            signature = str(inspect.Signature(self.parameters))[1:-1]
            closed = self.name == "forward_dynamics" and bool(kernels.mechanism.equations)
            kernel = kernels.of_constraints(self.name, shape) if closed else kernels.whole(self.algorithm, shape)
            function = kernel.fast(python, self.name, signature, self.__doc__ or "")
        dynamics.__dict__[self.name] = function
        return function


def warn_of_undetermined_joints(kernels: Kernels) -> None:
    names = undetermined_joints(kernels.tree)
    if names:
        shown = ", ".join(repr(n) for n in names[:5]) + (" ..." if len(names) > 5 else "")
        warn(
            f"{kernels.mechanism.name}: what joint {shown} moves has no inertia along it, so its acceleration is not determined "
            f"and comes out as NaN; give what it carries a mass and an inertia, give it a rotor, or make it fixed",
            MechanismWarning,
        )
