"""The kernels of one mechanism, each made when first asked for."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from lagrangian.algorithms import kinematics
from lagrangian.algorithms import tree as trees
from lagrangian.algorithms.inverse_dynamics import REACTIONS
from lagrangian.algorithms.singular_mass import has_singular_mass_matrix, undetermined_joints
from lagrangian.algorithms.sweep import Algorithm
from lagrangian.algorithms.tree import precision_problem
from lagrangian.arguments import array
from lagrangian.cached import cached_property
from lagrangian.errors import ArgumentError, MechanismWarning, warn
from lagrangian.kernels.friction import FrictionConstants, friction_constants
from lagrangian.kernels.inertial_parameters import body_to_link
from lagrangian.kernels.kernel import (
    Kernel,
    NonFiniteReporter,
    Threads,
    Wrenches,
    as_rows,
    as_wrench_mapping,
    available_cores,
)
from lagrangian.kernels.program import Program
from lagrangian.kernels.programs.constraints import ConstraintPrograms, constraint_wrench_program
from lagrangian.kernels.programs.derivatives import residual_derivatives
from lagrangian.kernels.programs.springs import SpringPrograms
from lagrangian.kernels.programs.sweeps import TreeProgram
from lagrangian.model.frame import Frame
from lagrangian.model.mechanism import Mechanism
from lagrangian.model.spring import PointSpring
from lagrangian.model.vector import Vector

if TYPE_CHECKING:
    from lagrangian.kernels.dynamics import Dynamics


MAX_FRAME_FUNCTIONS = 256  # that are kept: those of ever new frames would fill the memory with code
MIN_SPRING_LENGTH = 1e-150  # m, whose square is no number any more


class Kernels:
    """The kernels of one mechanism, by what they compute.

    It does not know the `Dynamics` that uses it, so that a function taken from there lives on without it.
    """

    def __init__(self, mechanism: Mechanism) -> None:
        self.mechanism = mechanism
        self.tree = trees.build_tree(mechanism)
        problem = precision_problem(self.tree)
        if problem:
            warn(f"{mechanism.name} has {problem}; results may be wrong or not finite", MechanismWarning)
        self.threads = Threads(available_cores())
        self._not_finite = NonFiniteReporter(
            mechanism.name, lambda q: self._zero_length_reason(q) or self._missing_inertia_reason()
        )
        self._kernels: dict[str, Kernel] = {}
        self._frame_functions: dict[tuple[str, object], Callable[..., Any]] = {}

    def _kernel(self, name: str, program: Callable[[], Program]) -> Kernel:
        kernel = self._kernels.get(name)
        if kernel is None:
            kernel = self._kernels[name] = Kernel(program(), self.threads, self._not_finite)
        return kernel

    # -- kernels of the open tree --------------------------------------------------------------------------------------

    def sweep(self, algorithm: Algorithm) -> Kernel:
        """An algorithm over the whole tree."""
        return self._kernel(algorithm.name, lambda: TreeProgram(algorithm, self.tree))

    def frame_function(self, algorithm: Algorithm, frame: str | Frame) -> Callable[..., Any]:
        """An algorithm along the path from the ground to a frame, with an entry for one state."""
        if not isinstance(frame, (str, Frame)):
            kind = type(frame).__name__
            raise ArgumentError(f"{algorithm.name}: the last argument must be the name of a frame; it is a {kind}")
        function = self._frame_functions.get((algorithm.name, frame))
        if function is None:
            frame_on_body = self.mechanism.frame(frame)
            link, placement = self.tree.body_places[frame_on_body.body]
            program = TreeProgram(algorithm, self.tree.path_to_frame(link, placement @ frame_on_body.placement))
            kernel = Kernel(program, self.threads, self._not_finite)
            function = kernel.with_fast_entry(kernel, algorithm.name, ", ".join(algorithm.inputs), "Of one frame.")
            if len(self._frame_functions) >= MAX_FRAME_FUNCTIONS:
                with contextlib.suppress(KeyError, RuntimeError):  # another thread may be at it, too
                    self._frame_functions.pop(next(iter(self._frame_functions)))
            self._frame_functions[algorithm.name, frame] = function
        return function

    def external_torque(self, q: ArrayLike, wrenches: Wrenches) -> Any:
        """sum J^T F of wrenches on frames."""
        total: Any = 0.0
        for frame, wrench in as_wrench_mapping(wrenches).items():
            try:
                torque = self.frame_function(kinematics.EXTERNAL_TORQUE, frame)(q, wrench)
            except ArgumentError as error:
                raise ArgumentError(f"wrench on {frame!r}: {error}") from None
            total = total + torque
        return total

    def add_applied_forces(
        self, function_name: str, state: tuple[ArrayLike, ...], wrenches: Wrenches, springs: bool = False
    ) -> tuple[ArrayLike, ...]:
        """(q, qd, tau), with external wrenches, springs between points and friction in planes added to tau."""
        springs = springs and bool(self.mechanism.springs)
        if wrenches is None and not springs and not self.friction.planar_speeds:
            return state
        rows, batch = as_rows(function_name, ("q", "qd", "tau"), (self.tree.nq, self.tree.nv, self.tree.nv), state)
        q, qd, tau = rows if batch is not None else (row[0] for row in rows)
        tau = tau + self.external_torque(q, wrenches)
        if self.friction.planar_speeds:
            tau = tau - self.friction.plane_forces(qd)
        return q, qd, tau + self.spring_kernel("torque")(q, qd) if springs else tau

    def spring_kernel(self, name: str) -> Kernel:
        """The kernel of one of the `SpringPrograms`, by its name; wrenches are on the links of `full_tree`."""
        tree = self.full_tree if name == "wrenches" else self.tree
        return self._kernel(f"springs {name}", lambda: getattr(SpringPrograms(self.mechanism, tree), name)())

    def _zero_length_reason(self, q: np.ndarray) -> str:
        """A text that names a spring without length at q, whose force has no direction; '' if there is none."""
        springs = [x for x in self.mechanism.springs if isinstance(x, PointSpring)]
        if not springs:
            return ""
        poses = Kernel(TreeProgram(kinematics.LINK_POSES, self.full_tree), self.threads)(q)
        for spring in springs:
            end_points = np.array([self._world_point(poses, body, point) for body, point in spring.points])
            with np.errstate(over="ignore", invalid="ignore"):  # where it is far away
                lengths = np.linalg.norm(np.diff(end_points, axis=0), axis=1)
            if (lengths < MIN_SPRING_LENGTH).any():
                return f"spring {spring.name!r} has no length there, so its force has no direction"
        return ""

    def _missing_inertia_reason(self) -> str:
        """A text that names a joint that moves nothing with inertia; '' if there is none."""
        names = undetermined_joints(self.tree)
        return f"the bodies that joint {names[0]!r} moves have no inertia along it" if names else ""

    def _world_point(self, poses: np.ndarray, body: str, point: Vector) -> np.ndarray:
        """A body's point in the world, from the rotations and positions of all links."""
        link, placement = self.full_tree.body_places[body]
        local = placement.matrix() @ [*(float(x) for x in point), 1.0]
        return poses[link, :9].reshape(3, 3) @ local[:3] + poses[link, 9:] if link >= 0 else local[:3]

    # -- kernels of the tree with a link for every fixed joint too -----------------------------------------------------

    @cached_property
    def full_tree(self) -> trees.Tree:
        """The tree whose links are all bodies: wrenches in fixed joints show in it."""
        return trees.build_tree(self.mechanism, merge_fixed=False)

    def reactions(self) -> Kernel:
        """The kernel of the wrenches at the joints, by Newton and Euler."""
        return self._kernel(REACTIONS.name, lambda: TreeProgram(REACTIONS, self.full_tree))

    def link_poses(self) -> Kernel:
        return self._kernel(kinematics.LINK_POSES.name, lambda: TreeProgram(kinematics.LINK_POSES, self.full_tree))

    def constraint_wrenches(self) -> Kernel:
        """The kernel of the wrenches that multipliers put on the links."""
        return self._kernel("constraint wrenches", lambda: constraint_wrench_program(self.mechanism, self.full_tree))

    @cached_property
    def has_singular_mass_matrix(self) -> bool:
        """Whether links without mass make the mass matrix singular, so that accelerations are a matter of the constraints."""
        return has_singular_mass_matrix(self.mechanism, self.tree)

    # -- constraints ---------------------------------------------------------------------------------------------------

    @cached_property
    def constraint_programs(self) -> ConstraintPrograms:
        """The programs of its constraint equations; there may be none of these."""
        return ConstraintPrograms(self.mechanism, self.tree)

    def constraint_kernel(self, name: str) -> Kernel:
        """The kernel of one of the `ConstraintPrograms`, by its name."""
        return self._kernel(f"constraints {name}", lambda: getattr(self.constraint_programs, name)())

    def constraint_jacobian(self, q: ArrayLike, t: ArrayLike, relative: bool = False) -> np.ndarray:
        """Psi; of long mechanisms, if `relative`, without the joints that carry a loop as a whole."""
        relative = relative and self.constraint_programs.uses_propagation
        rows, speeds = self.constraint_programs.relative_pattern if relative else self.constraint_programs.pattern
        entries = self.constraint_kernel("relative_jacobian" if relative else "jacobian")(q, *self.time_arguments(t))
        psi = np.zeros((*entries.shape[:-1], len(self.constraint_programs.names), self.tree.nv))
        psi[..., rows, speeds] = entries
        return psi

    def time_arguments(self, t: ArrayLike) -> tuple[np.ndarray, ...]:
        """The argument t, for kernels of constraints that depend on it."""
        if not self.constraint_programs.depends_on_time:
            return ()
        times = array(t, "t")
        return (times.reshape(-1, 1) if times.ndim else times.reshape(1),)

    def residual_derivatives(self) -> Kernel:
        return self._kernel("residual derivatives", lambda: residual_derivatives(self.mechanism, self.tree))

    # -- numbers ------------------------------------------------------------------------------------------------------

    @cached_property
    def friction(self) -> FrictionConstants:
        return friction_constants(self.mechanism)

    @cached_property
    def body_to_link(self) -> tuple[np.ndarray, np.ndarray]:
        """Each body's link, and how its inertial parameters pass into the link's frame."""
        return body_to_link(self.mechanism, self.tree)


def relative_jacobian(dyn: Dynamics, q: ArrayLike, t: ArrayLike = 0.0) -> np.ndarray:
    """Psi; of long mechanisms without the joints that carry a loop as a whole, along which it has no slope where it is closed."""
    return dyn._kernels.constraint_jacobian(q, t, relative=True)


def elimination_order(dyn: Dynamics) -> list[int]:
    """The numbers of the constraint equations in the order in which code eliminates them."""
    return dyn._kernels.constraint_programs.elimination_order
