"""The kernels of one mechanism, each made when first asked for."""

from __future__ import annotations

import contextlib
import inspect
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from numpy.typing import ArrayLike

from lagrangian.algorithms import kinematics
from lagrangian.algorithms import tree as trees
from lagrangian.algorithms.forward_dynamics import FORWARD_DYNAMICS
from lagrangian.algorithms.inverse_dynamics import REACTIONS
from lagrangian.algorithms.singular_mass import check_determined, has_singular_mass_matrix, undetermined_joints
from lagrangian.algorithms.sweep import Algorithm
from lagrangian.algorithms.tree import Tree, precision_problem
from lagrangian.arguments import array
from lagrangian.cached import cached_property
from lagrangian.errors import ArgumentError, MechanismWarning, warn
from lagrangian.kernels.inertial_parameters import body_to_link
from lagrangian.kernels.kernel import (
    Kernel,
    NonFiniteReporter,
    Threads,
    Wrenches,
    as_rows,
    as_wrench_mapping,
    available_cores,
    suppress_finite_checks,
)
from lagrangian.kernels.program import Program
from lagrangian.kernels.programs.constraints import ConstraintPrograms, constraint_wrench_program
from lagrangian.kernels.programs.derivatives import SpringPrograms, residual_derivatives, solve_accelerations
from lagrangian.kernels.programs.sweeps import TreeProgram
from lagrangian.model.loop import Frame
from lagrangian.model.mechanism import Mechanism
from lagrangian.model.spring import PointSpring
from lagrangian.model.vector import Vector

if TYPE_CHECKING:
    from lagrangian.kernels.dynamics import Dynamics


# MERGED lagrangian.kernels.friction: Friction of the joints: viscous, and dry (Coulomb).


@dataclass(frozen=True)
class FrictionConstants:
    """One number for every speed; dry friction may differ between the two ways.

    `planes` are speeds whose dry friction acts together: it is against the direction of their velocity, whatever that is.
    """

    viscous: np.ndarray
    coulomb_positive: np.ndarray
    coulomb_negative: np.ndarray
    planes: tuple[tuple[int, ...], ...] = ()

    @property
    def lossy(self) -> bool:
        """Whether there is any."""
        return bool(self.viscous.any() or self.coulomb_positive.any() or self.coulomb_negative.any())

    def forces(self, qd: np.ndarray) -> np.ndarray:
        """What friction takes at speeds."""
        return self.viscous * qd + self.dry_forces(qd)

    def dry_forces(self, qd: np.ndarray) -> np.ndarray:
        """What dry friction takes; it is 0 at rest."""
        back = np.where(qd < 0, -self.coulomb_negative, 0.0 * qd)
        forces: np.ndarray = np.where(qd > 0, self.coulomb_positive, back)
        return self._set_plane_forces(qd, forces) if self.planes else forces

    def plane_forces(self, qd: np.ndarray) -> np.ndarray:
        """The part that acts in planes: no one link has it."""
        return self._set_plane_forces(qd, np.zeros_like(qd))

    def _set_plane_forces(self, qd: np.ndarray, forces: np.ndarray) -> np.ndarray:
        for plane in map(list, self.planes):
            plane_speeds = qd[..., plane]
            speed = np.linalg.norm(plane_speeds, axis=-1, keepdims=True)
            forces[..., plane] = self.coulomb_positive[plane] * plane_speeds / np.where(speed > 0, speed, 1.0)
        return forces


def friction_constants(mechanism: Mechanism) -> FrictionConstants:
    """In the order of the speeds."""
    frictions = [joint.friction for joint in mechanism.joints for _ in range(joint.kind.nv)]
    viscous, positive, negative = (
        np.array([float(getattr(x, name) or 0) for x in frictions]) for name in ("viscous", "coulomb", "coulomb_negative")
    )
    planes, iv = [], 0
    for joint in mechanism.joints:
        if joint.friction_plane:
            planes.append(tuple(iv + k for k in joint.friction_plane))
        iv += joint.kind.nv
    return FrictionConstants(viscous, positive, negative, tuple(planes))


# functions of frames that are kept: those of ever new frames would fill the memory with code
MAX_FRAME_FUNCTIONS = 256
MIN_SPRING_LENGTH = 1e-150  # m, whose square is no number any more


class Kernels:
    """It does not know the `Dynamics` that uses it, so that a function taken from there lives on without it."""

    def __init__(self, mechanism: Mechanism) -> None:
        self.mechanism = mechanism
        self.tree = trees.build_tree(mechanism)
        doubtful = precision_problem(self.tree)
        if doubtful:
            warn(f"{mechanism.name} has {doubtful}; results may be wrong or not finite", MechanismWarning)
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

    # -- of the open tree --------------------------------------------------------------------------------------------

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
            place = self.mechanism.frame(frame)
            link, placement = self.tree.body_places[place.body]
            program = TreeProgram(algorithm, self.tree.path_to_frame(link, placement @ place.placement))
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
        self, where: str, state: tuple[ArrayLike, ...], wrenches: Wrenches, springs: bool = False
    ) -> tuple[ArrayLike, ...]:
        """(q, qd, tau), with what acts from outside, in springs between points, and by friction in planes, added to tau."""
        springs = springs and bool(self.mechanism.springs)
        if wrenches is None and not springs and not self.friction.planes:
            return state
        rows, batch = as_rows(where, ("q", "qd", "tau"), (self.tree.nq, self.tree.nv, self.tree.nv), state)
        q, qd, tau = rows if batch is not None else (row[0] for row in rows)
        tau = tau + self.external_torque(q, wrenches)
        if self.friction.planes:
            tau = tau - self.friction.plane_forces(qd)
        return q, qd, tau + self.spring_kernel("torque")(q, qd) if springs else tau

    def spring_kernel(self, name: str) -> Kernel:
        """One of the `SpringPrograms`; wrenches are on the links of `full_tree`."""
        tree = self.full_tree if name == "wrenches" else self.tree
        return self._kernel(f"springs {name}", lambda: getattr(SpringPrograms(self.mechanism, tree), name)())

    def _zero_length_reason(self, q: np.ndarray) -> str:
        """Which spring has no length there, so its force has no direction; '' if none does."""
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
        """Which joint moves nothing that has inertia; '' if none does."""
        names = undetermined_joints(self.tree)
        return f"the bodies that joint {names[0]!r} moves have no inertia along it" if names else ""

    def _world_point(self, poses: np.ndarray, body: str, point: Vector) -> np.ndarray:
        """Where a body's point is, from the rotations and positions of all links."""
        link, placement = self.full_tree.body_places[body]
        local = placement.matrix() @ [*(float(x) for x in point), 1.0]
        return poses[link, :9].reshape(3, 3) @ local[:3] + poses[link, 9:] if link >= 0 else local[:3]

    # -- of the tree with a link for every fixed joint too ------------------------------------------------------------

    @cached_property
    def full_tree(self) -> trees.Tree:
        """The tree whose links are all bodies: wrenches in fixed joints show in it."""
        return trees.build_tree(self.mechanism, merge_fixed=False)

    def reactions(self) -> Kernel:
        """The wrenches at the joints, by Newton and Euler."""
        return self._kernel(REACTIONS.name, lambda: TreeProgram(REACTIONS, self.full_tree))

    def link_poses(self) -> Kernel:
        return self._kernel(kinematics.LINK_POSES.name, lambda: TreeProgram(kinematics.LINK_POSES, self.full_tree))

    def constraint_wrenches(self) -> Kernel:
        """What multipliers put on the links."""
        return self._kernel("constraint wrenches", lambda: constraint_wrench_program(self.mechanism, self.full_tree))

    @cached_property
    def massless(self) -> bool:
        """Whether links without mass make the mass matrix singular, so that accelerations are a matter of the constraints."""
        return has_singular_mass_matrix(self.mechanism, self.tree)

    # -- with constraints ---------------------------------------------------------------------------------------------

    @cached_property
    def constraint_programs(self) -> ConstraintPrograms:
        """The programs of its constraint equations; there may be none of these."""
        return ConstraintPrograms(self.mechanism, self.tree)

    def constraint_kernel(self, name: str) -> Kernel:
        """One of the programs of `closed`."""
        return self._kernel(f"closed {name}", lambda: getattr(self.constraint_programs, name)())

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


# MERGED lagrangian.kernels.direct: Methods whose calls with one state go straight to machine code. Looking a method up costs
# Python more than running a small robot's kernel; so the first look-up puts the compiled function itself into the object,
# where the next one finds it at once.

F = TypeVar("F", bound=Callable[..., Any])


class CompiledMethod:
    """A method of `Dynamics` with a kernel in front of it: calls that are not of one state run the method's own body.

    `kernel(kernels)` gives the kernel that does all that the method does for one state, or None where there is no such kernel.
    """

    def __init__(self, kernel: Callable[[Kernels], Kernel | None]) -> None:
        self.kernel = kernel

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
        kernel = self.kernel(kernels)
        if kernel is not None and kernels.tree.nv:
            function = kernel.with_fast_entry(function, self.name, self.signature, self.__doc__ or "")
        dynamics.__dict__[self.name] = function
        return function


def tree_kernel(algorithm: Algorithm) -> Callable[[Kernels], Kernel]:
    """The kernel of an algorithm over the tree."""
    return lambda kernels: kernels.sweep(algorithm)


def tree_kernel_without_springs(algorithm: Algorithm) -> Callable[[Kernels], Kernel | None]:
    """The kernel of an algorithm to which springs between points, or friction in planes, are added: none if there are any."""
    return lambda kernels: None if kernels.mechanism.springs or kernels.friction.planes else kernels.sweep(algorithm)


def forward_dynamics_kernel(kernels: Kernels) -> Kernel | None:
    """The kernel of forward dynamics; one that depends on time needs t besides the state, and is not called directly."""
    if not kernels.mechanism.equation_count:
        _warn_of_undetermined_joints(kernels)
    if kernels.friction.planes or kernels.massless:  # whether constraints determine all accelerations is looked at
        return None
    if kernels.mechanism.equation_count:
        return None if kernels.constraint_programs.depends_on_time else kernels.constraint_kernel("forward_dynamics")
    return None if kernels.mechanism.springs else kernels.sweep(FORWARD_DYNAMICS)


def solve_constrained(dyn: Dynamics, kernel: Kernel, state: tuple[ArrayLike, ...], q: ArrayLike, t: ArrayLike) -> Any:
    """What a kernel of constraints finds; an error, which names a joint, if nothing determines how one without inertia moves."""
    arguments = (*state, *dyn._kernels.time_arguments(t))
    if dyn._kernels.massless:
        with suppress_finite_checks():
            solution = kernel(*arguments)
        if np.isfinite(solution).all():
            return solution
        check_determined(dyn.mass_matrix(q), dyn.constraint_jacobian(q, t), dyn.mechanism.speed_names)
    return kernel(*arguments)


def _warn_of_undetermined_joints(kernels: Kernels) -> None:
    names = undetermined_joints(kernels.tree)
    if names:
        quoted_names = ", ".join(repr(n) for n in names[:5]) + (" ..." if len(names) > 5 else "")
        warn(
            f"{kernels.mechanism.name}: the bodies that joint {quoted_names} moves have no inertia along it, so its acceleration is not "
            f"determined and is NaN; give these bodies mass and inertia, give the joint a rotor, or make it fixed",
            MechanismWarning,
        )


def relative_jacobian(dyn: Dynamics, q: ArrayLike, t: ArrayLike = 0.0) -> np.ndarray:
    """Psi; of long mechanisms without the joints that carry a loop as a whole, along which it has no slope where it is closed."""
    return dyn._kernels.constraint_jacobian(q, t, relative=True)


def elimination_order(dyn: Dynamics) -> list[int]:
    """The numbers of the constraint equations in the order in which code eliminates them."""
    return dyn._kernels.constraint_programs.elimination_order


# MERGED lagrangian.kernels.reactions: Reactions of the joints, with what wrenches from outside, springs between points and
# constraints add to them. A wrench on a body passes through every joint between the body and the ground, and through no
# other.

# a load: its link, its point in the world, its moment and its force along the world's axes; all but the link one row a state
Load = tuple[int, np.ndarray, np.ndarray, np.ndarray]


def reactions(
    kernels: Kernels, motion: tuple[ArrayLike, ...], wrenches: Wrenches, multipliers: ArrayLike | None, t: ArrayLike
) -> np.ndarray:
    """What `Dynamics.reactions` gives for the motion (q, qd, qdd)."""
    mechanism, tree = kernels.mechanism, kernels.full_tree
    frame_wrenches = as_wrench_mapping(wrenches)
    names = ("q", "qd", "qdd", *(f"the wrench on {name!r}" for name in frame_wrenches))
    sizes = (tree.nq, tree.nv, tree.nv, *(6 for _ in frame_wrenches))
    (q, qd, qdd, *acting), batch = as_rows("reactions", names, sizes, (*motion, *frame_wrenches.values()))
    if not mechanism.joints:
        return np.zeros((0, 6) if batch is None else (batch, 0, 6))
    W: np.ndarray = kernels.reactions()(q, qd, qdd)
    if mechanism.equation_count and multipliers is None:
        raise ArgumentError(
            "reactions: the mechanism has constraints, so their forces are needed; pass multipliers=dyn.multipliers(q, qd, tau)",
            concerns="multipliers",
        )
    if frame_wrenches or mechanism.springs or multipliers is not None:
        loads = Loads(mechanism, tree, kernels.link_poses()(q))
        loads.subtract_from(W, loads.wrench_loads(dict(zip(frame_wrenches, acting, strict=True))))
        if mechanism.springs:
            loads.subtract_from(W, loads.link_loads(kernels.spring_kernel("wrenches")(q, qd)))
        if multipliers is not None:
            (forces,), _ = as_rows("reactions", ("multipliers",), (mechanism.equation_count,), (multipliers,))
            loads.subtract_from(W, loads.link_loads(kernels.constraint_wrenches()(q, forces, *kernels.time_arguments(t))))
    links, axes = zip(*(tree.joint_link[j.name] for j in mechanism.joints), strict=True)
    R = np.array(axes, dtype=float)  # per joint: its axes in the link's
    link_wrenches = W[:, list(links)].reshape(len(W), len(links), 2, 3)
    joint_wrenches: np.ndarray = np.einsum("jba,sjcb->sjca", R, link_wrenches).reshape(len(W), len(links), 6)
    return joint_wrenches[0] if batch is None else joint_wrenches


class Loads:
    """Loads on the links of a tree at given states, from the links' poses (states, links, 12) as `LINK_POSES` gives them."""

    def __init__(self, mechanism: Mechanism, tree: Tree, poses: np.ndarray) -> None:
        self.mechanism, self.tree = mechanism, tree
        self.R = poses[..., :9].reshape(*poses.shape[:-1], 3, 3)
        self.x = poses[..., 9:]

    def wrench_loads(self, wrenches: Mapping[str, Any]) -> Iterator[Load]:
        for name, values in wrenches.items():
            frame = self.mechanism.frame(name)
            link, placement = self.tree.body_places[frame.body]
            wrench = np.broadcast_to(values, (len(self.x), 6))
            point = self.world_point(link, (placement @ frame.placement).position)
            yield link, point, wrench[:, :3], wrench[:, 3:]

    def link_loads(self, wrenches: np.ndarray) -> Iterator[Load]:
        """Wrenches on every link about the world's origin."""
        for link in range(wrenches.shape[1]):
            if np.any(wrenches[:, link]):
                yield link, np.zeros((len(wrenches), 3)), wrenches[:, link, :3], wrenches[:, link, 3:]

    def world_point(self, link: int, local: Any) -> np.ndarray:
        """A point given in a link's frame, in the world."""
        local = np.array([float(c) for c in local])
        if link < 0:
            return np.broadcast_to(local, (len(self.x), 3))
        return self.x[:, link] + self.R[:, link] @ local

    def subtract_from(self, reactions: np.ndarray, loads: Iterator[Load]) -> None:
        """Subtract what the loads carry themselves from the wrenches (states, links, moment and force) of the joints."""
        for link, point, moment, force in loads:
            for i in self.tree.path_to_root(link):
                to_link = np.swapaxes(self.R[:, i], 1, 2)
                about = moment + np.cross(point - self.x[:, i], force)
                reactions[:, i, :3] -= np.einsum("sab,sb->sa", to_link, about)
                reactions[:, i, 3:] -= np.einsum("sab,sb->sa", to_link, force)


# MERGED lagrangian.kernels.derivatives: Exact derivatives of inverse and forward dynamics at given states, from those of the
# residual (`programs.derivatives`).


def inverse_dynamics_derivatives(dyn: Dynamics, residual: Kernel, motion: tuple[ArrayLike, ...]) -> tuple[np.ndarray, ...]:
    """What `Dynamics.inverse_dynamics_derivatives` gives for the motion (q, qd, qdd)."""
    n, m = dyn.nv, dyn.mechanism.equation_count
    (q, qd, qdd), batch = as_rows("inverse_dynamics_derivatives", ("q", "qd", "qdd"), (dyn.nq, n, n), motion)
    slopes = _residual_derivatives(residual, q, qd, qdd, np.zeros((1, m)), np.zeros((1, 1)))[:, :n]
    slopes = slopes[0] if batch is None else slopes
    M = dyn.mass_matrix(q[0] if batch is None else q)
    return slopes[..., :n], slopes[..., n:], np.broadcast_to(M, (*slopes.shape[:-2], n, n))


def forward_dynamics_derivatives(
    dyn: Dynamics, residual: Kernel, motion: tuple[ArrayLike, ...], t: ArrayLike
) -> tuple[np.ndarray, ...]:
    """What `Dynamics.forward_dynamics_derivatives` gives for the motion (q, qd, tau)."""
    n, m = dyn.nv, dyn.mechanism.equation_count
    (q, qd, tau), batch = as_rows("forward_dynamics_derivatives", ("q", "qd", "tau"), (dyn.nq, n, n), motion)
    count, times = len(q), array(t, "t").reshape(-1, 1)
    if len(times) not in (1, count):
        message = f"has {len(times)} times, and there are {count} states"
        raise ArgumentError(message, where="forward_dynamics_derivatives", argument="t", remedy="they must agree")
    qdd = dyn.forward_dynamics(q, qd, tau, t=t)
    forces = dyn.multipliers(q, qd, tau, t=t) if m else np.zeros((1, 0))
    slopes = _residual_derivatives(residual, q, qd, qdd, forces, times)
    psi = np.broadcast_to(dyn.constraint_jacobian(q, t), (count, m, n)) if m else np.zeros((count, 0, n))
    right = np.concatenate([-slopes[:, :n], np.broadcast_to(np.eye(n), (count, n, n))], axis=2)
    bias = np.concatenate([-slopes[:, n:], np.zeros((count, m, n))], axis=2)
    x = solve_accelerations(dyn.mass_matrix(q), psi, right, bias, dyn.mechanism.speed_names)
    x = x[0] if batch is None else x
    return x[..., :n], x[..., n : 2 * n], x[..., 2 * n :]


def _residual_derivatives(
    residual: Kernel, q: np.ndarray, qd: np.ndarray, qdd: np.ndarray, multipliers: np.ndarray, times: np.ndarray
) -> np.ndarray:
    """Of the residual of the equations of motion and of the constraints', by q and by qd; one a state."""
    forces = (multipliers,) if multipliers.shape[1] else ()
    derivatives: np.ndarray = residual(q, qd, qdd, *forces, times)
    return derivatives
