"""A mechanism's dynamics as compiled functions (`lagrangian.compile`)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from lagrangian.algorithms import energy, kinematics
from lagrangian.algorithms.coriolis import CORIOLIS_MATRIX
from lagrangian.algorithms.forward_dynamics import FORWARD_DYNAMICS
from lagrangian.algorithms.inverse_dynamics import GRAVITY, INVERSE_DYNAMICS
from lagrangian.algorithms.mass_matrix import MASS_MATRIX
from lagrangian.algorithms.regressor import REGRESSOR
from lagrangian.algorithms.tree import Tree
from lagrangian.arguments import array
from lagrangian.description.mechanism_of import MechanismLike, mechanism_of
from lagrangian.errors import ArgumentError, ClosedError, one_of
from lagrangian.kernels import derivatives
from lagrangian.kernels.arguments import Wrenches, rows_of
from lagrangian.kernels.cartesian import THRESHOLD, CartesianDynamics, cartesian
from lagrangian.kernels.collection import Kernels
from lagrangian.kernels.direct import Direct, determined, of_accelerations, over_tree, without_springs
from lagrangian.kernels.directions import Directions
from lagrangian.kernels.friction import FrictionConstants
from lagrangian.kernels.linear import minimum_norm
from lagrangian.kernels.programs.parameters import body_parameters, regressor_of_bodies
from lagrangian.kernels.reactions import reactions
from lagrangian.kernels.sampled import SampledDynamics, is_sampled
from lagrangian.model import coerce
from lagrangian.model.loop import Frame
from lagrangian.model.mechanism import Mechanism

Array = Any  # of one state, or of many: a number, (n,), (batch, n), ...


class Dynamics:
    """`M qdd + C qd + G + F = tau + Psi^T lambda`: every function takes one state, `(n,)` arrays, or many, `(batch, n)`.

    Where there are loops or other constraints, `forward_dynamics` keeps them, and `multipliers` are their forces; the other
    functions are those of the open tree. Where constraints depend on time, `t` says when: a number, or one for each state.

    A frame is named by its own name or its body's. Six-vectors are angular first, along the world's axes, at the frame's origin.
    `threads` is the number of threads a large batch may use.
    """

    mechanism: Mechanism
    nq: int
    nv: int

    def __init__(self, mechanism: Mechanism, threads: int | None = None) -> None:
        self._use(Kernels(mechanism))
        if threads is not None:
            self.threads = threads

    def _use(self, kernels: Kernels) -> None:
        mechanism = kernels.mechanism
        self.__dict__.update(mechanism=mechanism, nq=mechanism.nq, nv=mechanism.nv, _open=kernels)

    def __setattr__(self, name: str, value: Any) -> None:
        if name != "threads":
            raise AttributeError(one_of("attribute to set", name, ["threads"]))
        object.__setattr__(self, name, value)

    def __reduce__(self) -> Any:
        return Dynamics, (self.mechanism,)

    def __repr__(self) -> str:
        return f"<Dynamics of {self.mechanism.name!r}: {self.nq} coordinates, {self.nv} speeds>"

    @property
    def _kernels(self) -> Kernels:
        kernels: Kernels | None = self.__dict__["_open"]
        if kernels is None:
            raise ClosedError(f"the dynamics of {self.mechanism.name!r} were closed; compile the mechanism again")
        return kernels

    def handle(self) -> Dynamics:
        """Another `Dynamics` on the same machine code, which stays open when this one is closed."""
        other = object.__new__(Dynamics)
        other._use(self._kernels)
        return other

    def with_parameters(self, parameters: Mapping[str, Any] | None = None, /, **named: Any) -> Any:
        """The same functions for other values of some parameters, `dyn.with_parameters(l1=0.4)`: nothing is compiled again.

        See `Mechanism.with_parameters`. Where the structure changes, such as a zero that is none any more, so does the code.
        Arrays of values, `dyn.with_parameters(l1=lengths)`, give a `SampledDynamics`, whose functions have a result for each.
        """
        given = {**coerce.mapping({} if parameters is None else parameters, "parameters"), **named}
        if is_sampled(given):
            return SampledDynamics(self, given)
        other = Dynamics(self.mechanism.with_parameters(given))
        other.threads = self.threads
        return other

    def close(self) -> None:
        """Let go of the machine code. Functions taken from here before, and motions simulated with it, keep their own."""
        for name in [name for name in self.__dict__ if name not in ("mechanism", "nq", "nv")]:
            del self.__dict__[name]
        self.__dict__["_open"] = None

    def __enter__(self) -> Dynamics:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def threads(self) -> int:
        """How many threads a large batch may use."""
        return self._kernels.threads.count

    @threads.setter
    def threads(self, count: int) -> None:
        self._kernels.threads.change(count)

    @property
    def tree(self) -> Tree:
        """The links that the recursive algorithms run over: elementary joints, with fixed joints merged into what they carry."""
        return self._kernels.tree

    @property
    def angles(self) -> tuple[int, ...]:
        """The coordinates that are angles: a whole turn more is the same configuration."""
        return self.tree.angles

    # -- equations of motion -----------------------------------------------------------------------------------------

    @Direct(without_springs(INVERSE_DYNAMICS))
    def inverse_dynamics(self, q: ArrayLike, qd: ArrayLike, qdd: ArrayLike, wrenches: Wrenches = None) -> Array:
        """The joint forces tau for a motion, those of constraints included. `wrenches` maps frames to (moment, force)."""
        kernels = self._kernels
        tau = kernels.sweep(INVERSE_DYNAMICS)(q, qd, qdd)
        if wrenches is not None:
            tau = tau - kernels.external_torque(q, wrenches)
        if kernels.mechanism.springs:
            tau = tau - kernels.spring("torque")(q, qd)
        if kernels.friction.planes:
            tau = tau + kernels.friction.in_planes(array(qd, "qd"))
        return tau

    @Direct(of_accelerations)
    def forward_dynamics(
        self, q: ArrayLike, qd: ArrayLike, tau: ArrayLike, wrenches: Wrenches = None, t: ArrayLike = 0.0
    ) -> Array:
        """The accelerations qdd for joint forces tau. `wrenches` maps frames to (moment, force) that act there."""
        kernels = self._kernels
        closed = bool(kernels.mechanism.equations)  # springs are in that kernel
        state = kernels.loaded("forward_dynamics", (q, qd, tau), wrenches, springs=not closed)
        if not closed:
            return kernels.sweep(FORWARD_DYNAMICS)(*state)
        return determined(self, kernels.constraint("forward_dynamics"), state, q, t)

    @Direct(over_tree(MASS_MATRIX))
    def mass_matrix(self, q: ArrayLike) -> Array:
        """M(q), symmetric positive definite; rotors included."""
        return self._kernels.sweep(MASS_MATRIX)(q)

    @Direct(over_tree(CORIOLIS_MATRIX))
    def coriolis_matrix(self, q: ArrayLike, qd: ArrayLike) -> Array:
        """C(q, qd) of the Christoffel symbols: M' - 2C is skew."""
        return self._kernels.sweep(CORIOLIS_MATRIX)(q, qd)

    @Direct(without_springs(GRAVITY))
    def gravity(self, q: ArrayLike) -> Array:
        """G(q) = dV/dq, springs included."""
        G = self._kernels.sweep(GRAVITY)(q)
        return G - self._kernels.spring("elastic_torque")(q) if self.mechanism.springs else G

    @Direct(over_tree(energy.KINETIC_ENERGY))
    def kinetic_energy(self, q: ArrayLike, qd: ArrayLike) -> Array:
        """1/2 qd' M qd."""
        return self._kernels.sweep(energy.KINETIC_ENERGY)(q, qd)

    @Direct(without_springs(energy.POTENTIAL_ENERGY))
    def potential_energy(self, q: ArrayLike) -> Array:
        """V(q) of gravity and springs."""
        V = self._kernels.sweep(energy.POTENTIAL_ENERGY)(q)
        return V + self._kernels.spring("energy")(q) if self.mechanism.springs else V

    @Direct(over_tree(energy.CENTER_OF_MASS))
    def center_of_mass(self, q: ArrayLike) -> Array:
        """The centre of mass of all that moves, in the world."""
        return self._kernels.sweep(energy.CENTER_OF_MASS)(q)

    @Direct(over_tree(energy.MOMENTUM))
    def momentum(self, q: ArrayLike, qd: ArrayLike) -> Array:
        """Angular momentum about the centre of mass, then linear momentum, along the world's axes."""
        return self._kernels.sweep(energy.MOMENTUM)(q, qd)

    def friction(self, qd: ArrayLike, *, q: ArrayLike | None = None) -> Array:
        """F: viscous and Coulomb friction of the joints. Dampers between points, and of walls, depend on `q` too, then needed."""
        (speeds,), batch = rows_of("friction", ("qd",), (self.nv,), (qd,))
        F = self.friction_constants.forces(speeds)
        F = F[0] if batch is None else F
        if any(float(s.damping) for s in self.mechanism.springs):
            if q is None:
                raise ArgumentError(
                    "friction: dampers between points, or in walls, depend on q too: give friction(qd, q=q)", concerns="q"
                )
            F = F - self._kernels.spring("viscous_torque")(q, qd)
        return F

    @property
    def friction_constants(self) -> FrictionConstants:
        """The viscous and dry friction of the joints: arrays of one number for every speed."""
        return self._kernels.friction

    def external_torque(self, q: ArrayLike, wrenches: Wrenches) -> Array:
        """sum J^T F: the joint forces that wrenches on frames, `{frame: (moment, force)}`, amount to; 0.0 if there are none."""
        return self._kernels.external_torque(q, wrenches)

    def spring_forces(self, q: ArrayLike, qd: ArrayLike) -> Array:
        """The tension of every spring with its damper, and the push of every wall, in the order of `mechanism.springs`."""
        return self._kernels.spring("forces")(q, qd)

    def regressor(self, q: ArrayLike, qd: ArrayLike, qdd: ArrayLike) -> Array:
        """Y with Y p = the joint forces of inertia and gravity; p is `inertial_parameters()`, ten to a body.

        Rotors, friction and springs are not in it.
        """
        return regressor_of_bodies(self._kernels.sweep(REGRESSOR)(q, qd, qdd), *self.body_to_link())

    def inertial_parameters(self) -> np.ndarray:
        """(m, m c_x, m c_y, m c_z, I_xx, I_xy, I_xz, I_yy, I_yz, I_zz) of each body, about its frame's origin."""
        return np.concatenate([body_parameters(b) for b in self.mechanism.bodies]) if self.mechanism.bodies else np.zeros(0)

    def body_to_link(self) -> tuple[np.ndarray, np.ndarray]:
        """For each body the link of `tree` it belongs to, and the 10x10 matrix that takes its inertial parameters there.

        A body that is fixed to the ground belongs to no link: its matrix is zero.
        """
        return self._kernels.bodies

    def reactions(
        self,
        q: ArrayLike,
        qd: ArrayLike,
        qdd: ArrayLike,
        wrenches: Wrenches = None,
        multipliers: ArrayLike | None = None,
        t: ArrayLike = 0.0,
    ) -> np.ndarray:
        """The wrench each joint, fixed ones too, exerts on its child: (moment, force) at the joint, in its child-side axes.

        Shape (joints, 6), in the order of `mechanism.joints`. Along a free axis it is the joint force less what the rotor, the
        friction and the spring at the joint take. `wrenches` maps frames to (moment, force) that act there; `multipliers` are the
        forces of loops and other constraints, without which the tree would be open.
        """
        return reactions(self._kernels, (q, qd, qdd), wrenches, multipliers, t)

    # -- constraints -------------------------------------------------------------------------------------------------

    @property
    def constraint_names(self) -> tuple[str, ...]:
        """A name for every constraint equation, redundant ones too: the order of Psi's rows and of the multipliers."""
        return self._kernels.closed.names if self.mechanism.equations else ()

    @property
    def holonomic(self) -> np.ndarray:
        """True for every constraint equation that is one of coordinates, as loops are; False for one of speeds alone."""
        return np.array(self._kernels.closed.holonomic if self.mechanism.equations else (), dtype=bool)

    @property
    def restricting(self) -> np.ndarray:
        """True for every constraint equation in which some speed appears; one without any leaves the motion as it is."""
        return np.array(self._kernels.closed.says if self.mechanism.equations else (), dtype=bool)

    @property
    def depends_on_time(self) -> bool:
        """Whether some constraint does."""
        return bool(self.mechanism.constraints) and self._kernels.closed.timed

    def constraint_jacobian(self, q: ArrayLike, t: ArrayLike = 0.0) -> np.ndarray:
        """Psi: a row for every equation; Psi qd + phi = 0."""
        return self._kernels.constraint_jacobian(q, t)

    def closure(self, q: ArrayLike, t: ArrayLike = 0.0) -> Array:
        """eta: how far each loop, and each other equation of coordinates, is from being closed."""
        return self._kernels.constraint("closure")(q, *self._kernels.times(t))

    def constraint_rate(self, q: ArrayLike, qd: ArrayLike, t: ArrayLike = 0.0) -> Array:
        """phi + Psi qd: zero for speeds that keep the constraints."""
        return self._kernels.constraint("rate")(q, qd, *self._kernels.times(t))

    def constraint_bias(self, q: ArrayLike, qd: ArrayLike, t: ArrayLike = 0.0) -> Array:
        """gamma = Psi' qd + phi': the constraints' accelerations are Psi qdd + gamma = 0."""
        return self._kernels.constraint("bias")(q, qd, *self._kernels.times(t))

    def constraint_wrenches(self, q: ArrayLike, multipliers: ArrayLike, t: ArrayLike = 0.0) -> dict[str, Array]:
        """What the constraints' forces put on every body that moves: the moment about the world's origin, and the force."""
        kernels = self._kernels
        on_links = kernels.constraint_wrenches()(q, multipliers, *kernels.times(t))
        links = {body.name: kernels.full_tree.place[body.name][0] for body in self.mechanism.bodies}
        return {name: on_links[..., link, :] for name, link in links.items() if link >= 0}

    def multipliers(
        self, q: ArrayLike, qd: ArrayLike, tau: ArrayLike, wrenches: Wrenches = None, t: ArrayLike = 0.0
    ) -> np.ndarray:
        """lambda, the forces of the constraints: of loop joints on body `a`. Where equations are redundant, the least of all."""
        state = self._kernels.loaded("multipliers", (q, qd, tau), wrenches)
        found = determined(self, self._kernels.constraint("acceleration"), state, q, t)[..., self.nv :]
        return minimum_norm(self.constraint_jacobian(q, t), found) if self.constraint_names else found

    # -- derivatives -------------------------------------------------------------------------------------------------

    def inverse_dynamics_derivatives(self, q: ArrayLike, qd: ArrayLike, qdd: ArrayLike) -> tuple[np.ndarray, ...]:
        """d tau / dq, d tau / dqd and d tau / dqdd = M, exact; by q along the speeds. Each is (nv, nv), or (batch, nv, nv)."""
        return derivatives.of_inverse_dynamics(self, self._kernels.residual_derivatives(), (q, qd, qdd))

    def forward_dynamics_derivatives(
        self, q: ArrayLike, qd: ArrayLike, tau: ArrayLike, t: ArrayLike = 0.0
    ) -> tuple[np.ndarray, ...]:
        """d qdd / dq, d qdd / dqd and d qdd / dtau, exact and with the constraints kept; by q along the speeds."""
        return derivatives.of_forward_dynamics(self, self._kernels.residual_derivatives(), (q, qd, tau), t)

    # -- frames ------------------------------------------------------------------------------------------------------

    def pose(self, q: ArrayLike, frame: str | Frame) -> Array:
        """The frame's 4x4 homogeneous matrix in the world."""
        return self._kernels.frame(kinematics.POSE_OF_FRAME, frame)(q)

    def velocity(self, q: ArrayLike, qd: ArrayLike, frame: str | Frame) -> Array:
        """(angular velocity, velocity of the origin)."""
        return self._kernels.frame(kinematics.VELOCITY, frame)(q, qd)

    def acceleration(self, q: ArrayLike, qd: ArrayLike, qdd: ArrayLike, frame: str | Frame) -> Array:
        """(angular acceleration, acceleration of the origin)."""
        return self._kernels.frame(kinematics.ACCELERATION, frame)(q, qd, qdd)

    def jacobian(self, q: ArrayLike, frame: str | Frame) -> Array:
        """J, 6 x nv: (angular velocity, velocity of the origin) = J qd."""
        return self._kernels.frame(kinematics.JACOBIAN, frame)(q)

    def jacobian_dot_qd(self, q: ArrayLike, qd: ArrayLike, frame: str | Frame) -> Array:
        """J' qd: the frame's acceleration when qdd = 0."""
        return self._kernels.frame(kinematics.JACOBIAN_RATE, frame)(q, qd)

    def cartesian(
        self,
        q: ArrayLike,
        qd: ArrayLike,
        frame: str | Frame,
        directions: Directions = None,
        *,
        t: ArrayLike = 0.0,
        threshold: float = THRESHOLD,
        euler: str | None = None,
    ) -> CartesianDynamics:
        """M_x, C_x, G_x, F_x along directions: wx, wy, wz (with `euler`, such as "ZYX", alpha, beta, gamma), x, y, z; or all six.

        Directions slower than `threshold` times the fastest fade, and from half of it on are lost, as a `SingularWarning` says.
        """
        return cartesian(self, q, qd, frame, directions, t, threshold, euler=euler)


def compile(mechanism: MechanismLike, threads: int | None = None) -> Dynamics:  # noqa: A001
    """The dynamics of a mechanism as functions, compiled when first used and kept; `threads` for large batches, or all cores."""
    return Dynamics(mechanism_of(mechanism), threads)
