"""A mechanism's dynamics as compiled functions (`lagrangian.compile`)."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from lagrangian.algorithms import energy, kinematics
from lagrangian.algorithms import tree as trees
from lagrangian.algorithms.coriolis import CORIOLIS_MATRIX
from lagrangian.algorithms.forward_dynamics import FORWARD_DYNAMICS
from lagrangian.algorithms.inverse_dynamics import GRAVITY, INVERSE_DYNAMICS, REACTIONS
from lagrangian.algorithms.link import KINDS
from lagrangian.algorithms.mass_matrix import MASS_MATRIX
from lagrangian.algorithms.point_springs import algorithms as spring_algorithms
from lagrangian.algorithms.regressor import REGRESSOR
from lagrangian.algorithms.sweep import Algorithm
from lagrangian.errors import ArgumentError, ClosedError, MechanismWarning
from lagrangian.kernels.kernel import Kernel, prepare
from lagrangian.kernels.loads import Loads
from lagrangian.kernels.parameters import body_parameters, link_from_body
from lagrangian.model.mechanism import Mechanism

Array = Any
Wrenches = Mapping[str, Any] | None


class _Kernels:
    """The kernels of a mechanism, each made when first asked for. It does not know the `Dynamics` that uses it."""

    def __init__(self, mechanism: Mechanism) -> None:
        self.mechanism = mechanism
        self.tree = trees.build(mechanism)
        self.threads = _cores()
        self._made: dict[tuple[str, str], Kernel] = {}
        self._full: trees.Tree | None = None

    def whole(self, algorithm: Algorithm, shape: tuple[int, ...]) -> Kernel:
        return self._kernel((algorithm.name, ""), lambda: (algorithm, self.tree, shape, ()))

    def of_frame(self, algorithm: Algorithm, name: str, shape: tuple[int, ...]) -> Kernel:
        """Along the path from the ground to a frame."""

        def make() -> Any:
            frame = self.mechanism.frame(name)
            link, placement = self.tree.place[frame.body]
            return algorithm, self.tree.path(link, placement @ frame.placement), shape, ()

        return self._kernel((algorithm.name, name), make)

    def of_springs(self, which: str) -> Kernel:
        """The springs between points, on the links they hang on."""

        def make() -> Any:
            springs = self.mechanism.springs
            held = {i for s in springs for body in (s.a, s.b) for i in self.tree.towards_ground(self.tree.place[body][0])}
            algorithm = spring_algorithms(self.tree, springs)[which]
            shape = () if which == "energy" else (self.tree.nv,)
            fixed = tuple((s, tuple((b, self.tree.place[b]) for b in (s.a, s.b))) for s in springs)
            return algorithm, self.tree.subtree(sorted(held)), shape, fixed

        return self._kernel(("springs", which), make)

    def reactions(self) -> tuple[Kernel, Kernel]:
        """Newton-Euler with a link for every fixed joint too, and the poses of those links."""
        if self._full is None:
            self._full = trees.build(self.mechanism, merge_fixed=False)
        full = self._full
        return (
            self._kernel(("reactions", ""), lambda: (REACTIONS, full, (len(full), 6), ())),
            self._kernel(("link poses", ""), lambda: (kinematics.LINK_POSES, full, (len(full), 12), ())),
        )

    def _kernel(self, key: tuple[str, str], make: Callable[[], Any]) -> Kernel:
        if key not in self._made:
            algorithm, tree, shape, extra = make()
            self._made[key] = Kernel(algorithm, tree, shape, lambda: self.threads, extra)
        return self._made[key]

    def external(self, q: Array, wrenches: Wrenches) -> Array:
        """sum J^T F of wrenches on frames."""
        total: Any = 0.0
        for frame, wrench in (wrenches or {}).items():
            total = total + self.of_frame(kinematics.EXTERNAL_TORQUE, frame, (self.tree.nv,))(q, wrench)
        return total

    def springs(self, q: Array, qd: Array) -> Array:
        """Generalised forces of springs and dampers between points."""
        if not self.mechanism.springs:
            return 0.0
        total = self.of_springs("elastic")(q)
        if any(float(s.damping) for s in self.mechanism.springs):
            total = total + self.of_springs("viscous")(q, qd)
        return total


def _cores() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _fast(method: Callable[..., Any]) -> Any:
    """A method that, when first looked up, is replaced by its compiled entry for one state."""
    return _Fast(method)


class _Fast:
    def __init__(self, method: Callable[..., Any]) -> None:
        self.method = method
        self.__doc__ = method.__doc__

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    def __get__(self, dynamics: Dynamics | None, owner: type) -> Any:
        if dynamics is None:
            return self
        kernels = dynamics._open()
        method, name = self.method, self.name

        def python(*args: Any, **named: Any) -> Any:
            return method(kernels, *args, **named)

        python.__name__, python.__doc__ = name, self.__doc__
        if name == "forward_dynamics":
            _warn_of_joints_without_mass(kernels)
        algorithm, square = _ENTRIES[name]
        n = kernels.tree.nv
        kernel = kernels.whole(algorithm, (n, n) if square == 2 else (n,) if square == 1 else () if square == 0 else (square,))
        # springs between points are added in Python; all else is in the kernel
        simple = not kernels.mechanism.springs or name in (
            "mass_matrix",
            "coriolis_matrix",
            "kinetic_energy",
            "center_of_mass",
            "momentum",
        )
        names = ", ".join(algorithm.inputs)
        function = kernel.fast(python, name, f"{name}({names})\n--\n\n{self.__doc__}") if simple and n else python
        dynamics.__dict__[name] = function
        return function


def _warn_of_joints_without_mass(kernels: _Kernels) -> None:
    names = kernels.tree.joints_without_mass()
    if names:
        shown = ", ".join(repr(n) for n in names[:5]) + (" ..." if len(names) > 5 else "")
        warnings.warn(
            f"{kernels.mechanism.name}: nothing that joint {shown} moves has mass, so its acceleration is not determined and "
            f"comes out as NaN; give what it carries a mass, give it a rotor, or make it fixed",
            MechanismWarning,
            stacklevel=4,
        )


# the functions with a fast entry: their algorithm, and the form of their result (a scalar, a vector or a matrix over the speeds)
_ENTRIES: dict[str, tuple[Algorithm, int]] = {
    "inverse_dynamics": (INVERSE_DYNAMICS, 1),
    "forward_dynamics": (FORWARD_DYNAMICS, 1),
    "mass_matrix": (MASS_MATRIX, 2),
    "coriolis_matrix": (CORIOLIS_MATRIX, 2),
    "gravity": (GRAVITY, 1),
    "kinetic_energy": (energy.KINETIC_ENERGY, 0),
    "potential_energy": (energy.POTENTIAL_ENERGY, 0),
    "center_of_mass": (energy.CENTER_OF_MASS, 3),
    "momentum": (energy.MOMENTUM, 6),
}


class Dynamics:
    """`M qdd + C qd + G + F = tau`: every function takes one state, `(n,)` arrays, or many, `(batch, n)`.

    A frame is named by its own name or its body's. Six-vectors are angular first, along the world's axes, at the frame's origin.
    `threads` is the number of threads a large batch may use.
    """

    def __init__(self, mechanism: Mechanism) -> None:
        self.mechanism = mechanism
        self.nq, self.nv = mechanism.nq, mechanism.nv
        self._kernels: _Kernels | None = _Kernels(mechanism)

    def __repr__(self) -> str:
        return f"<Dynamics of {self.mechanism.name!r}: {self.nq} coordinates, {self.nv} speeds>"

    def _open(self) -> _Kernels:
        if self._kernels is None:
            raise ClosedError(f"the dynamics of {self.mechanism.name!r} were closed; compile the mechanism again")
        return self._kernels

    def close(self) -> None:
        """Let go of the machine code. Functions taken from here before keep their own and stay safe to call."""
        self._kernels = None
        for name in _ENTRIES:
            self.__dict__.pop(name, None)

    def __enter__(self) -> Dynamics:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def threads(self) -> int:
        return self._open().threads

    @threads.setter
    def threads(self, count: int) -> None:
        if isinstance(count, bool) or not isinstance(count, (int, np.integer)) or count < 1:
            raise ArgumentError(f"threads is {count!r}; a whole number of at least 1 is needed")
        self._open().threads = int(count)

    # -- equations of motion -----------------------------------------------------------------------------------------

    @_fast
    def inverse_dynamics(kernels: _Kernels, q: Array, qd: Array, qdd: Array, wrenches: Wrenches = None) -> Array:
        """The joint forces tau for a motion. `wrenches` maps frames to (moment, force) that act there."""
        tau = kernels.whole(INVERSE_DYNAMICS, (kernels.tree.nv,))(q, qd, qdd)
        if wrenches or kernels.mechanism.springs:
            tau = tau - kernels.external(q, wrenches) - kernels.springs(q, qd)
        return tau

    @_fast
    def forward_dynamics(kernels: _Kernels, q: Array, qd: Array, tau: Array, wrenches: Wrenches = None) -> Array:
        """The accelerations qdd for joint forces tau. `wrenches` maps frames to (moment, force) that act there."""
        if wrenches or kernels.mechanism.springs:
            tau = np.asarray(tau) + kernels.external(q, wrenches) + kernels.springs(q, qd)
        return kernels.whole(FORWARD_DYNAMICS, (kernels.tree.nv,))(q, qd, tau)

    @_fast
    def mass_matrix(kernels: _Kernels, q: Array) -> Array:
        """M(q), symmetric positive definite; rotors included."""
        return kernels.whole(MASS_MATRIX, (kernels.tree.nv, kernels.tree.nv))(q)

    @_fast
    def coriolis_matrix(kernels: _Kernels, q: Array, qd: Array) -> Array:
        """C(q, qd) of the Christoffel symbols: M' - 2C is skew."""
        return kernels.whole(CORIOLIS_MATRIX, (kernels.tree.nv, kernels.tree.nv))(q, qd)

    @_fast
    def gravity(kernels: _Kernels, q: Array) -> Array:
        """G(q) = dV/dq, springs included."""
        G = kernels.whole(GRAVITY, (kernels.tree.nv,))(q)
        return G - kernels.of_springs("elastic")(q) if kernels.mechanism.springs else G

    @_fast
    def kinetic_energy(kernels: _Kernels, q: Array, qd: Array) -> Array:
        """1/2 qd' M qd."""
        return kernels.whole(energy.KINETIC_ENERGY, ())(q, qd)

    @_fast
    def potential_energy(kernels: _Kernels, q: Array) -> Array:
        """V(q) of gravity and springs."""
        V = kernels.whole(energy.POTENTIAL_ENERGY, ())(q)
        return V + kernels.of_springs("energy")(q) if kernels.mechanism.springs else V

    @_fast
    def center_of_mass(kernels: _Kernels, q: Array) -> Array:
        """The centre of mass of all that moves, in the world."""
        return kernels.whole(energy.CENTER_OF_MASS, (3,))(q)

    @_fast
    def momentum(kernels: _Kernels, q: Array, qd: Array) -> Array:
        """Angular momentum about the centre of mass, then linear momentum, along the world's axes."""
        return kernels.whole(energy.MOMENTUM, (6,))(q, qd)

    def friction(self, qd: Array, q: Array = None) -> Array:
        """F: viscous and Coulomb friction of the joints. Dampers between points depend on `q` too, which is then needed."""
        kernels = self._open()
        (speeds,), batch = prepare("friction", ("qd",), (self.nv,), (qd,))
        viscous, positive, negative = (_per_speed(kernels.tree, k) for k in ("viscous", "coulomb_positive", "coulomb_negative"))
        F = viscous * speeds + np.where(speeds > 0, positive, np.where(speeds < 0, -negative, 0.0 * speeds))
        F = F[0] if batch is None else F
        if any(float(s.damping) for s in self.mechanism.springs):
            if q is None:
                raise ArgumentError(
                    "friction: this mechanism has dampers between points; their forces need q as well: friction(qd, q)"
                )
            F = F - kernels.of_springs("viscous")(q, qd)
        return F

    def regressor(self, q: Array, qd: Array, qdd: Array) -> Array:
        """Y with Y p = the joint forces of inertia and gravity; p is `inertial_parameters()`, ten to a body.

        Rotors, friction and springs are not in it.
        """
        kernels = self._open()
        n, count = self.nv, len(kernels.tree)
        Y = kernels.whole(REGRESSOR, (n, count, 10))(q, qd, qdd)
        moved = link_from_body(self.mechanism, kernels.tree)
        out = np.zeros((*Y.shape[:-2], len(self.mechanism.bodies), 10))
        for b, (link, T) in enumerate(moved):
            if link >= 0:
                out[..., b, :] = Y[..., link, :] @ T
        return out.reshape(*Y.shape[:-2], -1)

    def inertial_parameters(self) -> np.ndarray:
        """(m, m c_x, m c_y, m c_z, I_xx, I_xy, I_xz, I_yy, I_yz, I_zz) of each body, about its frame's origin."""
        return np.concatenate([body_parameters(b) for b in self.mechanism.bodies]) if self.mechanism.bodies else np.zeros(0)

    def reactions(self, q: Array, qd: Array, qdd: Array, wrenches: Wrenches = None) -> Array:
        """The wrench each joint, fixed ones too, exerts on its child: (moment, force) at the joint, in its child-side axes.

        Shape (joints, 6), in the order of `mechanism.joints`. Along a free axis it is the joint force less what the rotor, the
        friction and the spring at the joint take. `wrenches` maps frames to (moment, force) that act there.
        """
        kernels = self._open()
        kernel, poses = kernels.reactions()
        tree = kernel.tree
        W = kernel(q, qd, qdd)
        many = W.reshape(-1, len(tree), 6)
        if wrenches or self.mechanism.springs:
            (rows, speeds), _ = prepare("reactions", ("q", "qd"), (self.nq, self.nv), (q, qd))
            rows, speeds = (np.broadcast_to(a, (len(many), a.shape[1])) for a in (rows, speeds))
            loads = Loads(self.mechanism, tree, poses(rows), speeds)
            loads.taken_from(many, loads.of_wrenches(wrenches or {}))
            loads.taken_from(many, loads.of_springs())
        if not self.mechanism.joints:
            return np.zeros((*W.shape[:-2], 0, 6))
        links, axes = zip(*(tree.joint_link[j.name] for j in self.mechanism.joints), strict=True)
        R = np.array(axes, dtype=float)  # per joint: its axes in the link's
        picked = many[:, list(links)].reshape(len(many), len(links), 2, 3)
        turned: np.ndarray = np.einsum("jba,sjcb->sjca", R, picked)
        return turned.reshape(*W.shape[:-2], len(links), 6)

    # -- frames ------------------------------------------------------------------------------------------------------

    def pose(self, q: Array, frame: str) -> Array:
        """The frame's 4x4 homogeneous matrix in the world."""
        return self._open().of_frame(kinematics.POSE_OF_FRAME, frame, (4, 4))(q)

    def velocity(self, q: Array, qd: Array, frame: str) -> Array:
        """(angular velocity, velocity of the origin)."""
        return self._open().of_frame(kinematics.VELOCITY, frame, (6,))(q, qd)

    def acceleration(self, q: Array, qd: Array, qdd: Array, frame: str) -> Array:
        """(angular acceleration, acceleration of the origin)."""
        return self._open().of_frame(kinematics.ACCELERATION, frame, (6,))(q, qd, qdd)

    def jacobian(self, q: Array, frame: str) -> Array:
        """J, 6 x nv: (angular velocity, velocity of the origin) = J qd."""
        return self._open().of_frame(kinematics.JACOBIAN, frame, (6, self.nv))(q)

    def jacobian_dot_qd(self, q: Array, qd: Array, frame: str) -> Array:
        """J' qd: the frame's acceleration when qdd = 0."""
        return self._open().of_frame(kinematics.JACOBIAN_RATE, frame, (6,))(q, qd)


def _per_speed(tree: trees.Tree, constant: str) -> np.ndarray:
    values = np.zeros(tree.nv)
    for i, kind in enumerate(tree.kind):
        width = KINDS[kind][1]
        values[tree.iv[i] : tree.iv[i] + width] = tree.constants[constant][i, 0]
    return values


def compile(mechanism: Mechanism) -> Dynamics:  # noqa: A001
    """The dynamics of a mechanism as functions. Each is compiled to machine code when first used, and kept for next time."""
    if not isinstance(mechanism, Mechanism):
        raise ArgumentError(f"compile takes a Mechanism, as load() or library() give it, not {type(mechanism).__name__}")
    return Dynamics(mechanism)
