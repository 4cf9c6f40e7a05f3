"""A mechanism's dynamics as compiled functions (`lagrangian.compile`)."""

from __future__ import annotations

from typing import Any

import numpy as np

from lagrangian.algorithms import energy, kinematics
from lagrangian.algorithms.coriolis import CORIOLIS_MATRIX
from lagrangian.algorithms.forward_dynamics import FORWARD_DYNAMICS
from lagrangian.algorithms.inverse_dynamics import GRAVITY, INVERSE_DYNAMICS
from lagrangian.algorithms.mass_matrix import MASS_MATRIX
from lagrangian.algorithms.regressor import REGRESSOR
from lagrangian.description.mechanism_of import MechanismLike, mechanism_of
from lagrangian.errors import ArgumentError, ClosedError, one_of
from lagrangian.kernels.cartesian import THRESHOLD, CartesianDynamics, cartesian
from lagrangian.kernels.entry import Entry
from lagrangian.kernels.kernel import prepare
from lagrangian.kernels.linear import minimum_norm
from lagrangian.kernels.programs.derivatives import accelerations
from lagrangian.kernels.programs.loads import Loads
from lagrangian.kernels.programs.parameters import body_parameters
from lagrangian.kernels.store import Array, Kernels, Wrenches, checked
from lagrangian.model.loop import Frame
from lagrangian.model.mechanism import Mechanism


class Dynamics:
    """`M qdd + C qd + G + F = tau + Psi^T lambda`: every function takes one state, `(n,)` arrays, or many, `(batch, n)`.

    Where there are loops or other constraints, `forward_dynamics` keeps them, and `multipliers` are their forces; the other
    functions are those of the open tree. Where constraints depend on time, `t` says when: a number, or one for each state.

    A frame is named by its own name or its body's. Six-vectors are angular first, along the world's axes, at the frame's origin.
    `threads` is the number of threads a large batch may use.
    """

    def __init__(self, mechanism: Mechanism, threads: int | None = None) -> None:
        self.__dict__.update(mechanism=mechanism, nq=mechanism.nq, nv=mechanism.nv, _kernels=Kernels(mechanism))
        if threads is not None:
            self.threads = threads

    mechanism: Mechanism
    nq: int
    nv: int
    _kernels: Kernels | None

    def __setattr__(self, name: str, value: Any) -> None:
        if name != "threads":
            raise AttributeError(one_of("attribute to set", name, ["threads"]))
        object.__setattr__(self, name, value)

    def __reduce__(self) -> Any:
        return Dynamics, (self.mechanism,)

    def __repr__(self) -> str:
        return f"<Dynamics of {self.mechanism.name!r}: {self.nq} coordinates, {self.nv} speeds>"

    def _open(self) -> Kernels:
        if self._kernels is None:
            raise ClosedError(f"the dynamics of {self.mechanism.name!r} were closed; compile the mechanism again")
        return self._kernels

    def _twin(self) -> Dynamics:
        """Another handle on the same kernels: what functions taken from this one fall back on, even when this one is closed."""
        twin = object.__new__(Dynamics)
        twin.__dict__.update(mechanism=self.mechanism, nq=self.nq, nv=self.nv, _kernels=self._open())
        return twin

    def close(self) -> None:
        """Let go of the machine code. Functions taken from here before keep their own and stay safe to call."""
        for name in [name for name in self.__dict__ if name not in ("mechanism", "nq", "nv")]:
            del self.__dict__[name]
        self.__dict__["_kernels"] = None

    def __enter__(self) -> Dynamics:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def threads(self) -> int:
        return self._open().threads.count

    @threads.setter
    def threads(self, count: int) -> None:
        if isinstance(count, bool) or not isinstance(count, (int, np.integer)) or count < 1:
            raise ArgumentError(f"threads is {count!r}; a whole number of at least 1 is needed")
        self._open().threads.count = int(count)

    # -- equations of motion -----------------------------------------------------------------------------------------

    @Entry(INVERSE_DYNAMICS, 1, springs=True)
    def inverse_dynamics(self, q: Array, qd: Array, qdd: Array, wrenches: Wrenches = None) -> Array:
        """The joint forces tau for a motion, those of constraints included. `wrenches` maps frames to (moment, force)."""
        kernels = self._open()
        tau = kernels.whole(INVERSE_DYNAMICS, (kernels.tree.nv,))(q, qd, qdd)
        if wrenches is not None:
            tau = tau - kernels.external(q, wrenches)
        if kernels.mechanism.springs:
            tau = tau - kernels.of_springs("torque", (self.nv,))(q, qd)
        return tau

    @Entry(FORWARD_DYNAMICS, 1, springs=True)
    def forward_dynamics(self, q: Array, qd: Array, tau: Array, wrenches: Wrenches = None, t: Array = 0.0) -> Array:
        """The accelerations qdd for joint forces tau. `wrenches` maps frames to (moment, force) that act there."""
        kernels = self._open()
        q, qd, tau = self._loaded("forward_dynamics", q, qd, tau, wrenches)
        if kernels.mechanism.equations:
            return kernels.of_constraints("forward_dynamics", (self.nv,))(q, qd, tau, *self._times(t))
        return kernels.whole(FORWARD_DYNAMICS, (kernels.tree.nv,))(q, qd, tau)

    def _loaded(self, where: str, q: Array, qd: Array, tau: Array, wrenches: Wrenches) -> tuple[Array, Array, Array]:
        """tau with what acts from outside, and in springs between points, added."""
        kernels = self._open()
        if wrenches is None and (not kernels.mechanism.springs or where != "forward_dynamics" or kernels.mechanism.equations):
            return q, qd, tau
        n = kernels.tree.nv
        rows, batch = prepare(where, ("q", "qd", "tau"), (kernels.tree.nq, n, n), (q, qd, tau))
        q, qd, tau = rows if batch is not None else (row[0] for row in rows)
        tau = tau + kernels.external(q, wrenches)
        if kernels.mechanism.springs and not kernels.mechanism.equations:  # with constraints they are in the kernel
            tau = tau + kernels.of_springs("torque", (self.nv,))(q, qd)
        return q, qd, tau

    def _times(self, t: Array) -> tuple[Array, ...]:
        """The argument t, for kernels of constraints that depend on it."""
        if not self._open().closed.timed:
            return ()
        return (np.asarray(t, dtype=float).reshape(-1, 1) if np.ndim(t) else np.array([float(t)]),)

    @Entry(MASS_MATRIX, 2)
    def mass_matrix(self, q: Array) -> Array:
        """M(q), symmetric positive definite; rotors included."""
        kernels = self._open()
        return kernels.whole(MASS_MATRIX, (kernels.tree.nv, kernels.tree.nv))(q)

    @Entry(CORIOLIS_MATRIX, 2)
    def coriolis_matrix(self, q: Array, qd: Array) -> Array:
        """C(q, qd) of the Christoffel symbols: M' - 2C is skew."""
        kernels = self._open()
        return kernels.whole(CORIOLIS_MATRIX, (kernels.tree.nv, kernels.tree.nv))(q, qd)

    @Entry(GRAVITY, 1, springs=True)
    def gravity(self, q: Array) -> Array:
        """G(q) = dV/dq, springs included."""
        kernels = self._open()
        G = kernels.whole(GRAVITY, (kernels.tree.nv,))(q)
        return G - kernels.of_springs("elastic_torque", (self.nv,))(q) if kernels.mechanism.springs else G

    @Entry(energy.KINETIC_ENERGY, 0)
    def kinetic_energy(self, q: Array, qd: Array) -> Array:
        """1/2 qd' M qd."""
        kernels = self._open()
        return kernels.whole(energy.KINETIC_ENERGY, ())(q, qd)

    @Entry(energy.POTENTIAL_ENERGY, 0, springs=True)
    def potential_energy(self, q: Array) -> Array:
        """V(q) of gravity and springs."""
        kernels = self._open()
        V = kernels.whole(energy.POTENTIAL_ENERGY, ())(q)
        return V + kernels.of_springs("energy", ())(q) if kernels.mechanism.springs else V

    @Entry(energy.CENTER_OF_MASS, 1, size=3)
    def center_of_mass(self, q: Array) -> Array:
        """The centre of mass of all that moves, in the world."""
        kernels = self._open()
        return kernels.whole(energy.CENTER_OF_MASS, (3,))(q)

    @Entry(energy.MOMENTUM, 1, size=6)
    def momentum(self, q: Array, qd: Array) -> Array:
        """Angular momentum about the centre of mass, then linear momentum, along the world's axes."""
        kernels = self._open()
        return kernels.whole(energy.MOMENTUM, (6,))(q, qd)

    def friction(self, qd: Array, *, q: Array = None) -> Array:
        """F: viscous and Coulomb friction of the joints. Dampers between points, and of walls, depend on `q` too, then needed."""
        kernels = self._open()
        (speeds,), batch = prepare("friction", ("qd",), (self.nv,), (qd,))
        constants = kernels.friction()
        dry = np.where(speeds < 0, -constants["coulomb_negative"], 0.0 * speeds)
        F = constants["viscous"] * speeds + np.where(speeds > 0, constants["coulomb_positive"], dry)
        F = F[0] if batch is None else F
        if any(float(s.damping) for s in self.mechanism.springs):
            if q is None:
                raise ArgumentError(
                    "friction: this mechanism has dampers between points or in walls, whose forces need q too: friction(qd, q=q)"
                )
            F = F - kernels.of_springs("viscous_torque", (self.nv,))(q, qd)
        return F

    def spring_forces(self, q: Array, qd: Array) -> Array:
        """The tension of every spring with its damper, and the push of every wall, in the order of `mechanism.springs`."""
        kernels, count = self._open(), len(self.mechanism.springs)
        if not count:
            _, batch = prepare("spring_forces", ("q", "qd"), (self.nq, self.nv), (q, qd))
            return np.zeros((0,) if batch is None else (batch, 0))
        return kernels.of_springs("forces", (count,))(q, qd)

    def regressor(self, q: Array, qd: Array, qdd: Array) -> Array:
        """Y with Y p = the joint forces of inertia and gravity; p is `inertial_parameters()`, ten to a body.

        Rotors, friction and springs are not in it.
        """
        kernels = self._open()
        n, count = self.nv, len(kernels.tree)
        Y = kernels.whole(REGRESSOR, (n, count, 10))(q, qd, qdd)
        links, moved = kernels.bodies()
        if not count:
            return np.zeros((*Y.shape[:-2], 10 * len(links)))
        by_body = np.moveaxis(Y.reshape(-1, count, 10), 1, 0)[links]
        return np.moveaxis(by_body @ moved, 0, 1).reshape(*Y.shape[:-2], 10 * len(links))

    def inertial_parameters(self) -> np.ndarray:
        """(m, m c_x, m c_y, m c_z, I_xx, I_xy, I_xz, I_yy, I_yz, I_zz) of each body, about its frame's origin."""
        return np.concatenate([body_parameters(b) for b in self.mechanism.bodies]) if self.mechanism.bodies else np.zeros(0)

    def reactions(
        self, q: Array, qd: Array, qdd: Array, wrenches: Wrenches = None, multipliers: Array = None, t: Array = 0.0
    ) -> Array:
        """The wrench each joint, fixed ones too, exerts on its child: (moment, force) at the joint, in its child-side axes.

        Shape (joints, 6), in the order of `mechanism.joints`. Along a free axis it is the joint force less what the rotor, the
        friction and the spring at the joint take. `wrenches` maps frames to (moment, force) that act there; `multipliers` are the
        forces of loops and other constraints, without which the tree would be open.
        """
        kernels = self._open()
        tree, kernel, poses = kernels.reactions()
        joints = self.mechanism.joints
        given = checked(wrenches)
        names = ("q", "qd", "qdd", *(f"the wrench on {name!r}" for name in given))
        sizes = (self.nq, self.nv, self.nv, *(6 for _ in given))
        (q, qd, qdd, *acting), batch = prepare("reactions", names, sizes, (q, qd, qdd, *given.values()))
        if not joints:
            return np.zeros((0, 6) if batch is None else (batch, 0, 6))
        W = kernel(q, qd, qdd)
        if self.mechanism.equations and multipliers is None:
            raise ArgumentError(
                "reactions: the mechanism has constraints, whose forces are needed: multipliers=dyn.multipliers(...)"
            )
        if given or self.mechanism.springs or multipliers is not None:
            loads = Loads(self.mechanism, tree, poses(q))
            loads.taken_from(W, loads.of_wrenches(dict(zip(given, acting, strict=True))))
            if self.mechanism.springs:
                loads.taken_from(W, loads.of_links(kernels.of_springs("wrenches", (len(tree), 6))(q, qd)))
            if multipliers is not None:
                (forces,), _ = prepare("reactions", ("multipliers",), (len(self.constraint_names),), (multipliers,))
                loads.taken_from(W, loads.of_links(kernels.constraint_wrenches()(q, forces, *self._times(t))))
        links, axes = zip(*(tree.joint_link[j.name] for j in joints), strict=True)
        R = np.array(axes, dtype=float)  # per joint: its axes in the link's
        picked = W[:, list(links)].reshape(len(W), len(links), 2, 3)
        turned: np.ndarray = np.einsum("jba,sjcb->sjca", R, picked).reshape(len(W), len(links), 6)
        return turned[0] if batch is None else turned

    # -- constraints -------------------------------------------------------------------------------------------------

    @property
    def constraint_names(self) -> tuple[str, ...]:
        """A name for every constraint equation, redundant ones too: the order of Psi's rows and of the multipliers."""
        return self._open().closed.names if self.mechanism.equations else ()

    @property
    def holonomic(self) -> np.ndarray:
        """True for every constraint equation that is one of coordinates, as loops are; False for one of speeds alone."""
        return np.array(self._open().closed.holonomic if self.mechanism.equations else (), dtype=bool)

    def constraint_jacobian(self, q: Array, t: Array = 0.0) -> Array:
        """Psi: a row for every equation; Psi qd + phi = 0."""
        rows, speeds = self._open().closed.pattern
        entries = self._open().of_constraints("jacobian", (len(rows),))(q, *self._times(t))
        psi = np.zeros((*entries.shape[:-1], len(self.constraint_names), self.nv))
        psi[..., rows, speeds] = entries
        return psi

    def closure(self, q: Array, t: Array = 0.0) -> Array:
        """eta: how far each loop, and each other equation of coordinates, is from being closed."""
        return self._open().of_constraints("closure", (sum(self._open().closed.holonomic),))(q, *self._times(t))

    def constraint_rate(self, q: Array, qd: Array, t: Array = 0.0) -> Array:
        """phi + Psi qd: zero for speeds that keep the constraints."""
        return self._open().of_constraints("rate", (len(self.constraint_names),))(q, qd, *self._times(t))

    def constraint_bias(self, q: Array, qd: Array, t: Array = 0.0) -> Array:
        """gamma = Psi' qd + phi': the constraints' accelerations are Psi qdd + gamma = 0."""
        return self._open().of_constraints("bias", (len(self.constraint_names),))(q, qd, *self._times(t))

    def constraint_wrenches(self, q: Array, multipliers: Array, t: Array = 0.0) -> dict[str, Array]:
        """What the constraints' forces put on every body that moves: the moment about the world's origin, and the force."""
        kernels = self._open()
        on_links = kernels.constraint_wrenches()(q, multipliers, *self._times(t))
        links = {body.name: kernels.reactions()[0].place[body.name][0] for body in self.mechanism.bodies}
        return {name: on_links[..., link, :] for name, link in links.items() if link >= 0}

    def multipliers(self, q: Array, qd: Array, tau: Array, wrenches: Wrenches = None, t: Array = 0.0) -> Array:
        """lambda, the forces of the constraints: of loop joints on body `a`. Where equations are redundant, the least of all."""
        kernels = self._open()
        m = len(self.constraint_names)
        q, qd, tau = self._loaded("multipliers", q, qd, tau, wrenches)
        found = kernels.of_constraints("acceleration", (self.nv + m,))(q, qd, tau, *self._times(t))[..., self.nv :]
        return minimum_norm(self.constraint_jacobian(q, t), found) if m else found

    # -- derivatives -------------------------------------------------------------------------------------------------

    def inverse_dynamics_derivatives(self, q: Array, qd: Array, qdd: Array) -> tuple[Array, Array, Array]:
        """d tau / dq, d tau / dqd and d tau / dqdd = M, exact; by q along the speeds. Each is (nv, nv), or (batch, nv, nv)."""
        n = self.nv
        slopes = self._slopes("inverse_dynamics_derivatives", q, qd, qdd, None, 0.0)[..., :n, :]
        return slopes[..., :n], slopes[..., n:], np.broadcast_to(self.mass_matrix(q), (*slopes.shape[:-2], n, n))

    def forward_dynamics_derivatives(self, q: Array, qd: Array, tau: Array, t: Array = 0.0) -> tuple[Array, Array, Array]:
        """d qdd / dq, d qdd / dqd and d qdd / dtau, exact and with the constraints kept; by q along the speeds."""
        n, m = self.nv, len(self.constraint_names)
        names, sizes = ("q", "qd", "tau"), (self.nq, n, n)
        (q, qd, tau), batch = prepare("forward_dynamics_derivatives", names, sizes, (q, qd, tau))
        qdd = self.forward_dynamics(q, qd, tau, t=t)
        forces = self.multipliers(q, qd, tau, t=t) if m else None
        slopes = self._slopes("forward_dynamics_derivatives", q, qd, qdd, forces, t)
        count = len(q)
        psi = np.broadcast_to(self.constraint_jacobian(q, t), (count, m, n)) if m else np.zeros((count, 0, n))
        right = np.concatenate([-slopes[:, :n], np.broadcast_to(np.eye(n), (count, n, n))], axis=2)
        bias = np.concatenate([-slopes[:, n:], np.zeros((count, m, n))], axis=2)
        x = accelerations(self.mass_matrix(q), psi, right, bias)
        x = x[0] if batch is None else x
        return x[..., :n], x[..., n : 2 * n], x[..., 2 * n :]

    def _slopes(self, where: str, q: Array, qd: Array, qdd: Array, multipliers: Array, t: Array) -> np.ndarray:
        """Of the residual of the equations of motion and of the constraints', by q and by qd."""
        kernels, n, m = self._open(), self.nv, self.mechanism.equations
        (q, qd, qdd), batch = prepare(where, ("q", "qd", "qdd"), (self.nq, n, n), (q, qd, qdd))
        forces = np.zeros((1, m)) if multipliers is None else np.reshape(multipliers, (-1, m))
        times = np.reshape(np.asarray(t, dtype=float), (-1, 1))
        found: np.ndarray = kernels.residual_derivatives()(q, qd, qdd, *((forces,) if m else ()), times)
        return found[0] if batch is None and multipliers is None else found

    # -- frames ------------------------------------------------------------------------------------------------------

    def pose(self, q: Array, frame: str | Frame) -> Array:
        """The frame's 4x4 homogeneous matrix in the world."""
        return self._open().of_frame(kinematics.POSE_OF_FRAME, frame, (4, 4))(q)

    def velocity(self, q: Array, qd: Array, frame: str | Frame) -> Array:
        """(angular velocity, velocity of the origin)."""
        return self._open().of_frame(kinematics.VELOCITY, frame, (6,))(q, qd)

    def acceleration(self, q: Array, qd: Array, qdd: Array, frame: str | Frame) -> Array:
        """(angular acceleration, acceleration of the origin)."""
        return self._open().of_frame(kinematics.ACCELERATION, frame, (6,))(q, qd, qdd)

    def jacobian(self, q: Array, frame: str | Frame) -> Array:
        """J, 6 x nv: (angular velocity, velocity of the origin) = J qd."""
        return self._open().of_frame(kinematics.JACOBIAN, frame, (6, self.nv))(q)

    def jacobian_dot_qd(self, q: Array, qd: Array, frame: str | Frame) -> Array:
        """J' qd: the frame's acceleration when qdd = 0."""
        return self._open().of_frame(kinematics.JACOBIAN_RATE, frame, (6,))(q, qd)

    def cartesian(
        self, q: Array, qd: Array, frame: str | Frame, directions: Any = None, *, t: Array = 0.0, threshold: float = THRESHOLD
    ) -> CartesianDynamics:
        """M_x, C_x, G_x, F_x along directions of a frame, of ("wx", "wy", "wz", "x", "y", "z"); all six if none are given.

        Directions slower than `threshold` times the fastest fade, and from half of it on are lost, as a `SingularWarning` says.
        """
        return cartesian(self, q, qd, frame, directions, t, threshold)


def compile(mechanism: MechanismLike, threads: int | None = None) -> Dynamics:  # noqa: A001
    """The dynamics of a mechanism as functions. Each is compiled to machine code when first used, and kept for next time.

    `threads` is the number of threads a large batch may use; all cores if it is not given.
    """
    return Dynamics(mechanism_of(mechanism), threads)
