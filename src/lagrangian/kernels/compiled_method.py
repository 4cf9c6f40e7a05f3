"""Methods of `Dynamics` whose calls with one state go straight to machine code.

To look a method up costs Python more than to run a small robot's kernel. So the first look-up puts the compiled function itself
into the object, where the next one finds it at once.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

from lagrangian.algorithms.forward_dynamics import FORWARD_DYNAMICS
from lagrangian.algorithms.singular_mass import undetermined_joints
from lagrangian.algorithms.sweep import Algorithm
from lagrangian.errors import MechanismWarning, warn
from lagrangian.kernels.catalogue import Kernels
from lagrangian.kernels.kernel import Kernel

if TYPE_CHECKING:
    from lagrangian.kernels.dynamics import Dynamics


F = TypeVar("F", bound=Callable[..., Any])


class CompiledMethod:
    """A method of `Dynamics` with a kernel in front of it: calls that are not of one state run the method's own body.

    `select_kernel(kernels)` returns the kernel that does all that the method does for one state, or None where there is none.
    """

    def __init__(self, select_kernel: Callable[[Kernels], Kernel | None]) -> None:
        self.select_kernel = select_kernel

    def __call__(self, method: F) -> F:
        self.method, self.name, self.__doc__ = method, method.__name__, method.__doc__
        _, *parameters = inspect.signature(method).parameters.values()
        unannotated = [p.replace(annotation=inspect.Parameter.empty) for p in parameters]
        self.signature = str(inspect.Signature(unannotated))[1:-1]
        return self  # type: ignore[return-value]  # to a type checker it is the method

    def __get__(self, dynamics: Dynamics | None, owner: type) -> Any:
        if dynamics is None:
            return self.method
        kernels = dynamics._kernels
        function = self.method.__get__(dynamics.share())
        kernel = self.select_kernel(kernels)
        if kernel is not None and kernels.tree.nv:
            function = kernel.with_fast_entry(function, self.name, self.signature, self.__doc__ or "")
        dynamics.__dict__[self.name] = function
        return function


def tree_kernel(algorithm: Algorithm) -> Callable[[Kernels], Kernel]:
    """Select the kernel of an algorithm over the tree."""
    return lambda kernels: kernels.sweep(algorithm)


def tree_kernel_if_complete(algorithm: Algorithm) -> Callable[[Kernels], Kernel | None]:
    """Select the kernel of an algorithm, or none if point springs or friction in planes have to be added to its result."""
    return lambda kernels: None if kernels.mechanism.springs or kernels.friction.planar_speeds else kernels.sweep(algorithm)


def forward_dynamics_kernel(kernels: Kernels) -> Kernel | None:
    """The kernel of forward dynamics; one that depends on time needs t besides the state, and is not called directly."""
    if not kernels.mechanism.equation_count:
        _warn_of_undetermined_joints(kernels)
    # where the mass matrix is singular, the method checks whether constraints determine all accelerations
    if kernels.friction.planar_speeds or kernels.has_singular_mass_matrix:
        return None
    if kernels.mechanism.equation_count:
        return None if kernels.constraint_programs.depends_on_time else kernels.constraint_kernel("forward_dynamics")
    return None if kernels.mechanism.springs else kernels.sweep(FORWARD_DYNAMICS)


def _warn_of_undetermined_joints(kernels: Kernels) -> None:
    joint_names = undetermined_joints(kernels.tree)
    if joint_names:
        quoted_names = ", ".join(repr(name) for name in joint_names[:5]) + (" ..." if len(joint_names) > 5 else "")
        warn(
            f"{kernels.mechanism.name}: the bodies that joint {quoted_names} moves have no inertia along it, so its acceleration "
            f"is not determined and is NaN; give these bodies mass and inertia, give the joint a rotor, or make it fixed",
            MechanismWarning,
        )
