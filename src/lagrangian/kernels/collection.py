"""The kernels of one mechanism, each made when first asked for."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from lagrangian.algorithms import kinematics
from lagrangian.algorithms import tree as trees
from lagrangian.algorithms.closed.massless import is_massless
from lagrangian.algorithms.extent import beyond_precision
from lagrangian.algorithms.inverse_dynamics import REACTIONS
from lagrangian.algorithms.sweep import Algorithm
from lagrangian.algorithms.undetermined import undetermined_joints
from lagrangian.arguments import array
from lagrangian.cached import cached_property
from lagrangian.errors import ArgumentError, MechanismWarning, warn
from lagrangian.kernels.arguments import Wrenches, rows_of, wrenches_of
from lagrangian.kernels.friction import FrictionConstants, friction_constants
from lagrangian.kernels.kernel import Kernel
from lagrangian.kernels.not_finite import NotFinite
from lagrangian.kernels.program import Program
from lagrangian.kernels.programs.closed import ClosedPrograms, wrenches
from lagrangian.kernels.programs.derivatives import residual_derivatives
from lagrangian.kernels.programs.parameters import link_from_body
from lagrangian.kernels.programs.springs import SpringPrograms
from lagrangian.kernels.programs.sweeps import Sweeps
from lagrangian.kernels.threads import Threads, cores
from lagrangian.model.loop import Frame
from lagrangian.model.mechanism import Mechanism
from lagrangian.model.spring import PointSpring
from lagrangian.model.vector import Vector

# functions of frames that are kept: those of ever new frames would fill the memory with code
FRAMES = 256
NO_LENGTH = 1e-150  # m, whose square is no number any more


class Kernels:
    """It does not know the `Dynamics` that uses it, so that a function taken from there lives on without it."""

    def __init__(self, mechanism: Mechanism) -> None:
        self.mechanism = mechanism
        self.tree = trees.build(mechanism)
        doubtful = beyond_precision(self.tree)
        if doubtful:
            warn(f"{mechanism.name} has {doubtful}; results may be wrong or not finite", MechanismWarning)
        self.threads = Threads(cores())
        self._not_finite = NotFinite(mechanism.name, lambda q: self._without_length(q) or self._without_inertia())
        self._made: dict[str, Kernel] = {}
        self._of_frames: dict[tuple[str, object], Callable[..., Any]] = {}

    def _kernel(self, name: str, program: Callable[[], Program]) -> Kernel:
        found = self._made.get(name)
        if found is None:
            found = self._made[name] = Kernel(program(), self.threads, self._not_finite)
        return found

    # -- of the open tree --------------------------------------------------------------------------------------------

    def sweep(self, algorithm: Algorithm) -> Kernel:
        """An algorithm over the whole tree."""
        return self._kernel(algorithm.name, lambda: Sweeps(algorithm, self.tree))

    def frame(self, algorithm: Algorithm, frame: str | Frame) -> Callable[..., Any]:
        """An algorithm along the path from the ground to a frame, with an entry for one state."""
        if not isinstance(frame, (str, Frame)):
            kind = type(frame).__name__
            raise ArgumentError(f"{algorithm.name}: the last argument must be the name of a frame; it is a {kind}")
        found = self._of_frames.get((algorithm.name, frame))
        if found is None:
            place = self.mechanism.frame(frame)
            link, placement = self.tree.place[place.body]
            program = Sweeps(algorithm, self.tree.path(link, placement @ place.placement))
            kernel = Kernel(program, self.threads, self._not_finite)
            found = kernel.direct(kernel, algorithm.name, ", ".join(algorithm.inputs), "Of one frame.")
            if len(self._of_frames) >= FRAMES:
                with contextlib.suppress(KeyError, RuntimeError):  # another thread may be at it, too
                    self._of_frames.pop(next(iter(self._of_frames)))
            self._of_frames[algorithm.name, frame] = found
        return found

    def external_torque(self, q: ArrayLike, wrenches: Wrenches) -> Any:
        """sum J^T F of wrenches on frames."""
        total: Any = 0.0
        for frame, wrench in wrenches_of(wrenches).items():
            try:
                torque = self.frame(kinematics.EXTERNAL_TORQUE, frame)(q, wrench)
            except ArgumentError as error:
                raise ArgumentError(f"wrench on {frame!r}: {error}") from None
            total = total + torque
        return total

    def loaded(
        self, where: str, state: tuple[ArrayLike, ...], wrenches: Wrenches, springs: bool = False
    ) -> tuple[ArrayLike, ...]:
        """(q, qd, tau), with what acts from outside, in springs between points, and by friction in planes, added to tau."""
        springs = springs and bool(self.mechanism.springs)
        if wrenches is None and not springs and not self.friction.planes:
            return state
        rows, batch = rows_of(where, ("q", "qd", "tau"), (self.tree.nq, self.tree.nv, self.tree.nv), state)
        q, qd, tau = rows if batch is not None else (row[0] for row in rows)
        tau = tau + self.external_torque(q, wrenches)
        if self.friction.planes:
            tau = tau - self.friction.in_planes(qd)
        return q, qd, tau + self.spring("torque")(q, qd) if springs else tau

    def spring(self, name: str) -> Kernel:
        """One of the `SpringPrograms`; wrenches are on the links of `full_tree`."""
        tree = self.full_tree if name == "wrenches" else self.tree
        return self._kernel(f"springs {name}", lambda: getattr(SpringPrograms(self.mechanism, tree), name)())

    def _without_length(self, q: np.ndarray) -> str:
        """Which spring has no length there, so its force has no direction; '' if none does."""
        springs = [x for x in self.mechanism.springs if isinstance(x, PointSpring)]
        if not springs:
            return ""
        poses = Kernel(Sweeps(kinematics.LINK_POSES, self.full_tree), self.threads)(q)
        for spring in springs:
            at = np.array([self._world_point(poses, body, point) for body, point in spring.points])
            with np.errstate(over="ignore", invalid="ignore"):  # where it is far away
                lengths = np.linalg.norm(np.diff(at, axis=0), axis=1)
            if (lengths < NO_LENGTH).any():
                return f"spring {spring.name!r} has no length there, so its force has no direction"
        return ""

    def _without_inertia(self) -> str:
        """Which joint moves nothing that has inertia; '' if none does."""
        names = undetermined_joints(self.tree)
        return f"the bodies that joint {names[0]!r} moves have no inertia along it" if names else ""

    def _world_point(self, poses: np.ndarray, body: str, point: Vector) -> np.ndarray:
        """Where a body's point is, from the rotations and positions of all links."""
        link, placement = self.full_tree.place[body]
        local = placement.matrix() @ [*(float(x) for x in point), 1.0]
        return poses[link, :9].reshape(3, 3) @ local[:3] + poses[link, 9:] if link >= 0 else local[:3]

    # -- of the tree with a link for every fixed joint too ------------------------------------------------------------

    @cached_property
    def full_tree(self) -> trees.Tree:
        """The tree whose links are all bodies: wrenches in fixed joints show in it."""
        return trees.build(self.mechanism, merge_fixed=False)

    def reactions(self) -> Kernel:
        """The wrenches at the joints, by Newton and Euler."""
        return self._kernel(REACTIONS.name, lambda: Sweeps(REACTIONS, self.full_tree))

    def link_poses(self) -> Kernel:
        return self._kernel(kinematics.LINK_POSES.name, lambda: Sweeps(kinematics.LINK_POSES, self.full_tree))

    def constraint_wrenches(self) -> Kernel:
        """What multipliers put on the links."""
        return self._kernel("constraint wrenches", lambda: wrenches(self.mechanism, self.full_tree))

    @cached_property
    def massless(self) -> bool:
        """Whether links without mass make the mass matrix singular, so that accelerations are a matter of the constraints."""
        return is_massless(self.mechanism, self.tree)

    # -- with constraints ---------------------------------------------------------------------------------------------

    @cached_property
    def closed(self) -> ClosedPrograms:
        """The programs of its constraint equations; there may be none of these."""
        return ClosedPrograms(self.mechanism, self.tree)

    def constraint(self, name: str) -> Kernel:
        """One of the programs of `closed`."""
        return self._kernel(f"closed {name}", lambda: getattr(self.closed, name)())

    def constraint_jacobian(self, q: ArrayLike, t: ArrayLike, relative: bool = False) -> np.ndarray:
        """Psi; of long mechanisms, if `relative`, without the joints that carry a loop as a whole."""
        relative = relative and self.closed.deep
        rows, speeds = self.closed.relative_pattern if relative else self.closed.pattern
        entries = self.constraint("relative_jacobian" if relative else "jacobian")(q, *self.times(t))
        psi = np.zeros((*entries.shape[:-1], len(self.closed.names), self.tree.nv))
        psi[..., rows, speeds] = entries
        return psi

    def times(self, t: ArrayLike) -> tuple[np.ndarray, ...]:
        """The argument t, for kernels of constraints that depend on it."""
        if not self.closed.timed:
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
    def bodies(self) -> tuple[np.ndarray, np.ndarray]:
        """Each body's link, and how its inertial parameters pass into the link's frame."""
        return link_from_body(self.mechanism, self.tree)
