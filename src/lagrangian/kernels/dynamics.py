"""A mechanism's dynamics as compiled functions (`lagrangian.compile`)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, overload

import numpy as np
from numpy.typing import ArrayLike

from lagrangian.algorithms import energy, kinematics
from lagrangian.algorithms.coriolis import CORIOLIS_MATRIX
from lagrangian.algorithms.forward_dynamics import FORWARD_DYNAMICS
from lagrangian.algorithms.inverse_dynamics import GRAVITY, INVERSE_DYNAMICS
from lagrangian.algorithms.mass_matrix import MASS_MATRIX
from lagrangian.algorithms.regressor import REGRESSOR
from lagrangian.algorithms.singular_mass import check_determined
from lagrangian.algorithms.tree import Tree
from lagrangian.arguments import array
from lagrangian.description.mechanism_like import MechanismLike, as_mechanism
from lagrangian.errors import ArgumentError, DynamicsClosedError, unknown_name_message
from lagrangian.kernels.batched_dynamics import BatchedDynamics, is_sampled
from lagrangian.kernels.catalogue import Kernels
from lagrangian.kernels.compiled_method import (
    CompiledMethod,
    forward_dynamics_kernel,
    tree_kernel,
    tree_kernel_if_complete,
)
from lagrangian.kernels.friction import FrictionConstants
from lagrangian.kernels.inertial_parameters import body_parameters, body_regressor
from lagrangian.kernels.kernel import Kernel, Wrenches, as_rows, suppress_finite_checks
from lagrangian.kernels.least_squares import minimum_norm_multipliers
from lagrangian.kernels.operational_space import THRESHOLD, Directions, OperationalSpaceDynamics, cartesian
from lagrangian.kernels.programs import derivatives
from lagrangian.kernels.reactions import reactions
from lagrangian.model import checks
from lagrangian.model.frame import Frame
from lagrangian.model.mechanism import Mechanism

ParameterValues = float | Sequence[float] | np.ndarray
"""A number, or one for each sample."""


class Dynamics:
    """Compiled numerical functions of a mechanism.

    `lagrangian.compile` returns this object. It evaluates the equations of motion

        M(q) qdd + C(q, qd) qd + G(q) + F(q, qd) = tau + Psi(q, t)^T lambda,    Psi(q, t) qd + phi(q, t) = 0.

    Every function takes one state, arrays of shape `(n,)`, or many states, arrays of shape `(batch, n)`; the result then has the
    batch as its first axis. If some arguments have one state and others many, the one state is repeated.

    In a mechanism with loops or other constraints, `forward_dynamics` satisfies the constraints and `multipliers` gives the
    constraint forces. The other functions are those of the open tree. If a constraint depends on time, `t` is the time: one
    number, or one number for each state.

    Attributes
    ----------
    mechanism : Mechanism
        The mechanism that was compiled.
    nq : int
        Number of coordinates.
    nv : int
        Number of speeds. It differs from `nq` where a ball or free joint has a quaternion.
    threads : int
        Number of threads that a large batch, or one state of a very long chain, may use. You can set it.

    Notes
    -----
    You name a frame by its own name or by the name of its body. Vectors with six entries have the angular part first. Their axes
    are those of the world and their point is the origin of the frame.

    A `Dynamics` is a context manager: leaving a `with` block calls `close`.

    Examples
    --------
    >>> import lagrangian as lg
    >>> import numpy as np
    >>> dyn = lg.compile("two_r")
    >>> q, qd = [0.3, 0.8], [0.5, -1.0]
    >>> tau = dyn.inverse_dynamics(q, qd, [1.0, 2.0])
    >>> print(tau.round(3))
    [296.291  54.502]
    >>> print(dyn.forward_dynamics(q, qd, tau).round(3))
    [1. 2.]

    Many states at once:

    >>> states = np.linspace([0.0, 0.0], [1.0, 2.0], 5)
    >>> dyn.mass_matrix(states).shape
    (5, 2, 2)
    """

    mechanism: Mechanism
    nq: int
    nv: int

    def __init__(self, mechanism: Mechanism, threads: int | None = None) -> None:
        self._set_kernels(Kernels(mechanism))
        if threads is not None:
            self.threads = threads

    def _set_kernels(self, kernels: Kernels) -> None:
        mechanism = kernels.mechanism
        self.__dict__.update(mechanism=mechanism, nq=mechanism.nq, nv=mechanism.nv, _open=kernels)

    def __setattr__(self, name: str, value: Any) -> None:
        if name != "threads":
            raise AttributeError(unknown_name_message("attribute to set", name, ["threads"]))
        object.__setattr__(self, name, value)

    def __reduce__(self) -> Any:
        return Dynamics, (self.mechanism,)

    def __repr__(self) -> str:
        return f"<Dynamics of {self.mechanism.name!r}: {self.nq} coordinates, {self.nv} speeds>"

    @property
    def _kernels(self) -> Kernels:
        kernels: Kernels | None = self.__dict__["_open"]
        if kernels is None:
            raise DynamicsClosedError(f"the dynamics of {self.mechanism.name!r} were closed; compile the mechanism again")
        return kernels

    def share(self) -> Dynamics:
        """Return another `Dynamics` that uses the same machine code.

        The new object stays open when this one is closed.

        Returns
        -------
        Dynamics
            The other object.
        """
        other = object.__new__(Dynamics)
        other._set_kernels(self._kernels)
        return other

    @overload
    def with_parameters(self, parameters: Mapping[str, float] | None = None, /, **named: float) -> Dynamics: ...

    @overload
    def with_parameters(
        self, parameters: Mapping[str, ParameterValues] | None = None, /, **named: ParameterValues
    ) -> Dynamics | BatchedDynamics: ...

    def with_parameters(
        self, parameters: Mapping[str, ParameterValues] | None = None, /, **named: ParameterValues
    ) -> Dynamics | BatchedDynamics:
        """Return the same functions for other values of some parameters.

        Nothing is compiled again unless the structure changes, as when a length that was zero is not zero any more.

        Parameters
        ----------
        parameters : mapping of str to float or array_like, optional
            The new values by the names of the parameters. Arrays are samples: one value for each.
        **named : float or array_like
            The same as keywords: `dyn.with_parameters(l1=0.4)`.

        Returns
        -------
        Dynamics or BatchedDynamics
            The functions for the new values. If a value is an array, the result is a `BatchedDynamics`.

        Raises
        ------
        ArgumentError
            The mechanism has no parameter of that name, or arrays have different lengths.

        Examples
        --------
        >>> import lagrangian as lg
        >>> dyn = lg.compile("two_r")
        >>> print(dyn.gravity([0.0, 0.0]).round(3))
        [287.888  71.239]
        >>> print(dyn.with_parameters(m2=20.0).gravity([0.0, 0.0]).round(3))
        [405.04  114.385]
        """
        values = {**checks.mapping({} if parameters is None else parameters, "parameters"), **named}
        if is_sampled(values):
            return BatchedDynamics(self, values)
        other = Dynamics(self.mechanism.with_parameters(values))
        other.threads = self.threads
        return other

    def close(self) -> None:
        """Release the machine code.

        Functions that you took from this object before, and motions that you simulated with it, keep working. Any later call of a
        method raises `DynamicsClosedError`.
        """
        for name in [name for name in self.__dict__ if name not in ("mechanism", "nq", "nv")]:
            del self.__dict__[name]
        self.__dict__["_open"] = None

    def __enter__(self) -> Dynamics:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def threads(self) -> int:
        """The number of threads that a large batch, or one state of a very long chain, may use."""
        return self._kernels.threads.count

    @threads.setter
    def threads(self, count: int) -> None:
        """Number of threads that a large batch, or one state of a very long chain, may use."""
        self._kernels.threads.set_count(count)

    @property
    def tree(self) -> Tree:
        """The links over which the recursive algorithms run.

        Every joint is elementary here, and bodies that are connected by fixed joints are merged.
        """
        return self._kernels.tree

    @property
    def angles(self) -> tuple[int, ...]:
        """Positions in `q` of the coordinates that are angles, for which a whole turn changes nothing."""
        return self.tree.angles

    # -- equations of motion -----------------------------------------------------------------------------------------

    @CompiledMethod(tree_kernel_if_complete(INVERSE_DYNAMICS))
    def inverse_dynamics(self, q: ArrayLike, qd: ArrayLike, qdd: ArrayLike, wrenches: Wrenches = None) -> np.ndarray:
        """Compute the joint forces of a motion.

        The result is `tau = M qdd + C qd + G + F`, less the joint forces of `wrenches`. The recursive Newton-Euler algorithm
        computes it. Constraint forces are not taken away: in a mechanism with loops, `tau` is the sum of joint forces and
        `Psi^T lambda`. Use `lagrangian.inverse` for the forces of the actuated joints.

        Parameters
        ----------
        q : array_like, shape (nq,) or (batch, nq)
            Coordinates, in rad and m.
        qd : array_like, shape (nv,) or (batch, nv)
            Speeds, in rad/s and m/s.
        qdd : array_like, shape (nv,) or (batch, nv)
            Accelerations, in rad/s^2 and m/s^2.
        wrenches : mapping of str to array_like, optional
            External wrenches that act on frames, by the name of the frame: moment (N m), then force (N), along the world's axes.

        Returns
        -------
        ndarray, shape (nv,) or (batch, nv)
            Joint forces, in N m and N.

        Examples
        --------
        >>> import lagrangian as lg
        >>> dyn = lg.compile("two_r")
        >>> print(dyn.inverse_dynamics([0.0, 0.0], [0.0, 0.0], [0.0, 0.0]).round(2))  # the arm at rest
        [287.89  71.24]
        >>> load = {"tip": (0, 0, 0, 0, -50, 0)}  # 50 N downwards
        >>> print(dyn.inverse_dynamics([0.0, 0.0], [0.0, 0.0], [0.0, 0.0], load).round(2))
        [387.89 121.24]
        """
        kernels = self._kernels
        tau = kernels.sweep(INVERSE_DYNAMICS)(q, qd, qdd)
        if wrenches is not None:
            tau = tau - kernels.external_torque(q, wrenches)
        if kernels.mechanism.springs:
            tau = tau - kernels.spring_kernel("torque")(q, qd)
        if kernels.friction.planar_speeds:
            tau = tau + kernels.friction.plane_forces(array(qd, "qd"))
        return tau

    @CompiledMethod(forward_dynamics_kernel)
    def forward_dynamics(
        self, q: ArrayLike, qd: ArrayLike, tau: ArrayLike, wrenches: Wrenches = None, t: ArrayLike = 0.0
    ) -> np.ndarray:
        """Compute the accelerations that joint forces cause.

        Loops and other constraints are satisfied. In an open mechanism the articulated-body algorithm or the factorised mass
        matrix is used, whichever takes fewer operations.

        Parameters
        ----------
        q : array_like, shape (nq,) or (batch, nq)
            Coordinates, in rad and m. They should close the loops.
        qd : array_like, shape (nv,) or (batch, nv)
            Speeds, in rad/s and m/s. They should satisfy the constraints.
        tau : array_like, shape (nv,) or (batch, nv)
            Joint forces, in N m and N.
        wrenches : mapping of str to array_like, optional
            External wrenches that act on frames, by the name of the frame: moment (N m), then force (N), along the world's axes.
        t : float or array_like, default 0.0
            Time in seconds; it matters only if a constraint depends on time.

        Returns
        -------
        ndarray, shape (nv,) or (batch, nv)
            Accelerations, in rad/s^2 and m/s^2.

        Raises
        ------
        MechanismError
            Neither an inertia nor a constraint determines the acceleration of some joint.

        Examples
        --------
        >>> import lagrangian as lg
        >>> dyn = lg.compile("two_r")
        >>> print(dyn.forward_dynamics([0.0, 0.0], [0.0, 0.0], [0.0, 0.0]).round(3))  # the arm falls
        [-10.835  12.246]
        """
        kernels = self._kernels
        is_constrained = bool(kernels.mechanism.equation_count)  # springs are in that kernel
        state = kernels.add_applied_forces("forward_dynamics", (q, qd, tau), wrenches, springs=not is_constrained)
        if not is_constrained:
            return kernels.sweep(FORWARD_DYNAMICS)(*state)
        return _run_constraint_kernel(self, kernels.constraint_kernel("forward_dynamics"), state, q, t)

    @CompiledMethod(tree_kernel(MASS_MATRIX))
    def mass_matrix(self, q: ArrayLike) -> np.ndarray:
        """Compute the mass matrix M(q).

        It is symmetric and positive definite, and it includes the rotors.

        Parameters
        ----------
        q : array_like, shape (nq,) or (batch, nq)
            Coordinates, in rad and m.

        Returns
        -------
        ndarray, shape (nv, nv) or (batch, nv, nv)
            Mass matrix, in kg m^2, kg m and kg.

        Examples
        --------
        >>> import lagrangian as lg
        >>> print(lg.compile("two_r").mass_matrix([0.3, 0.8]).round(3))
        [[36.335 10.335]
         [10.335  5.276]]
        """
        return self._kernels.sweep(MASS_MATRIX)(q)

    @CompiledMethod(tree_kernel(CORIOLIS_MATRIX))
    def coriolis_matrix(self, q: ArrayLike, qd: ArrayLike) -> np.ndarray:
        """Compute the Coriolis matrix C(q, qd).

        It is built from the Christoffel symbols of the mass matrix, so that dM/dt - 2 C is skew-symmetric.

        Parameters
        ----------
        q : array_like, shape (nq,) or (batch, nq)
            Coordinates, in rad and m.
        qd : array_like, shape (nv,) or (batch, nv)
            Speeds, in rad/s and m/s.

        Returns
        -------
        ndarray, shape (nv, nv) or (batch, nv, nv)
            Coriolis matrix.

        Examples
        --------
        >>> import lagrangian as lg
        >>> print(lg.compile("two_r").coriolis_matrix([0.3, 0.8], [0.5, -1.0]).round(3))
        [[5.209 2.605]
         [2.605 0.   ]]
        """
        return self._kernels.sweep(CORIOLIS_MATRIX)(q, qd)

    @CompiledMethod(tree_kernel_if_complete(GRAVITY))
    def gravity(self, q: ArrayLike) -> np.ndarray:
        """Compute the generalised forces of gravity and springs, G(q) = dV/dq.

        Parameters
        ----------
        q : array_like, shape (nq,) or (batch, nq)
            Coordinates, in rad and m.

        Returns
        -------
        ndarray, shape (nv,) or (batch, nv)
            The joint forces that hold the mechanism at rest, in N m and N.

        Examples
        --------
        >>> import lagrangian as lg
        >>> print(lg.compile("two_r").gravity([0.3, 0.8]).round(3))
        [239.286  32.314]
        """
        G = self._kernels.sweep(GRAVITY)(q)
        return G - self._kernels.spring_kernel("elastic_torque")(q) if self.mechanism.springs else G

    @CompiledMethod(tree_kernel(energy.KINETIC_ENERGY))
    def kinetic_energy(self, q: ArrayLike, qd: ArrayLike) -> float | np.ndarray:
        """Compute the kinetic energy, 1/2 qd^T M(q) qd.

        Parameters
        ----------
        q : array_like, shape (nq,) or (batch, nq)
            Coordinates, in rad and m.
        qd : array_like, shape (nv,) or (batch, nv)
            Speeds, in rad/s and m/s.

        Returns
        -------
        float or ndarray, shape (batch,)
            Energy, in J.

        Examples
        --------
        >>> import lagrangian as lg
        >>> round(lg.compile("two_r").kinetic_energy([0.3, 0.8], [0.5, -1.0]), 4)
        2.0122
        """
        return self._kernels.sweep(energy.KINETIC_ENERGY)(q, qd)

    @CompiledMethod(tree_kernel_if_complete(energy.POTENTIAL_ENERGY))
    def potential_energy(self, q: ArrayLike) -> float | np.ndarray:
        """Compute the potential energy V(q) of gravity and springs.

        Parameters
        ----------
        q : array_like, shape (nq,) or (batch, nq)
            Coordinates, in rad and m.

        Returns
        -------
        float or ndarray, shape (batch,)
            Energy, in J. It is zero where all masses are at the height of the world's origin and all springs are relaxed.

        Examples
        --------
        >>> import lagrangian as lg
        >>> round(lg.compile("two_r").potential_energy([0.3, 0.8]), 3)
        127.513
        """
        V = self._kernels.sweep(energy.POTENTIAL_ENERGY)(q)
        return V + self._kernels.spring_kernel("energy")(q) if self.mechanism.springs else V

    @CompiledMethod(tree_kernel(energy.CENTER_OF_MASS))
    def center_of_mass(self, q: ArrayLike) -> np.ndarray:
        """Compute the centre of mass of all moving bodies.

        Parameters
        ----------
        q : array_like, shape (nq,) or (batch, nq)
            Coordinates, in rad and m.

        Returns
        -------
        ndarray, shape (3,) or (batch, 3)
            Point in the world, in m.

        Examples
        --------
        >>> import lagrangian as lg
        >>> print(lg.compile("two_r").center_of_mass([0.3, 0.8]).round(3))
        [0.979 0.522 0.   ]
        """
        return self._kernels.sweep(energy.CENTER_OF_MASS)(q)

    @CompiledMethod(tree_kernel(energy.MOMENTUM))
    def momentum(self, q: ArrayLike, qd: ArrayLike) -> np.ndarray:
        """Compute the angular and linear momentum of all moving bodies.

        Parameters
        ----------
        q : array_like, shape (nq,) or (batch, nq)
            Coordinates, in rad and m.
        qd : array_like, shape (nv,) or (batch, nv)
            Speeds, in rad/s and m/s.

        Returns
        -------
        ndarray, shape (6,) or (batch, 6)
            Angular momentum about the centre of mass (kg m^2/s), then linear momentum (kg m/s), along the world's axes.

        Examples
        --------
        >>> import lagrangian as lg
        >>> print(lg.compile("two_r").momentum([0.3, 0.8], [0.5, 1.0]).round(3))
        [  0.      0.      6.568 -12.971  15.49    0.   ]
        """
        return self._kernels.sweep(energy.MOMENTUM)(q, qd)

    def friction(self, qd: ArrayLike, *, q: ArrayLike | None = None) -> np.ndarray:
        """Compute the generalised friction forces F(q, qd).

        They are the viscous and Coulomb friction of the joints and the forces of dampers between points and in walls.

        Parameters
        ----------
        qd : array_like, shape (nv,) or (batch, nv)
            Speeds, in rad/s and m/s.
        q : array_like, shape (nq,) or (batch, nq), optional
            Coordinates. They are needed only if the mechanism has dampers between points or in walls.

        Returns
        -------
        ndarray, shape (nv,) or (batch, nv)
            Friction, in N m and N. It has the sign of the speeds; Coulomb friction is 0 at rest.

        Raises
        ------
        ArgumentError
            A damper depends on `q`, and `q` is not given.

        Examples
        --------
        >>> import lagrangian as lg
        >>> dyn = lg.compile("puma560")
        >>> print(dyn.friction([1.0, 0.0, 0.0, 0.0, 0.0, -1.0]).round(2))
        [30.53  0.    0.    0.    0.   -1.02]
        """
        (speeds,), batch = as_rows("friction", ("qd",), (self.nv,), (qd,))
        F = self.friction_constants.forces(speeds)
        F = F[0] if batch is None else F
        if any(float(s.damping) for s in self.mechanism.springs):
            if q is None:
                raise ArgumentError(
                    "friction: dampers between points or in walls depend on q; call friction(qd, q=q)", concerns="q"
                )
            F = F - self._kernels.spring_kernel("viscous_torque")(q, qd)
        return F

    @property
    def friction_constants(self) -> FrictionConstants:
        """Viscous and Coulomb friction of the joints, as arrays with one number for every speed."""
        return self._kernels.friction

    def external_torque(self, q: ArrayLike, wrenches: Wrenches) -> float | np.ndarray:
        """Compute the joint forces to which external wrenches amount, the sum of J^T F.

        Parameters
        ----------
        q : array_like, shape (nq,) or (batch, nq)
            Coordinates, in rad and m.
        wrenches : mapping of str to array_like or None
            External wrenches that act on frames, by the name of the frame: moment (N m), then force (N), along the world's axes.

        Returns
        -------
        ndarray, shape (nv,) or (batch, nv), or float
            Joint forces, in N m and N; 0.0 without wrenches.

        Examples
        --------
        >>> import lagrangian as lg
        >>> print(lg.compile("two_r").external_torque([0.0, 0.0], {"tip": (0, 0, 0, 0, -10, 0)}))
        [-20. -10.]
        """
        return self._kernels.external_torque(q, wrenches)

    def spring_forces(self, q: ArrayLike, qd: ArrayLike) -> np.ndarray:
        """Compute the force of every spring and every wall.

        Parameters
        ----------
        q : array_like, shape (nq,) or (batch, nq)
            Coordinates, in rad and m.
        qd : array_like, shape (nv,) or (batch, nv)
            Speeds, in rad/s and m/s; dampers need them.

        Returns
        -------
        ndarray, shape (springs,) or (batch, springs)
            The tension of a spring with its damper, the push of a wall, or the force that carries a weight, in the order of
            `mechanism.springs`.

        Examples
        --------
        >>> import lagrangian as lg
        >>> spring = lg.PointSpring("balance", "link1", "ground", a_point=(0.5, 0, 0), b_point=(0, 0.5, 0), stiffness=1000.0)
        >>> dyn = lg.compile(lg.library("two_r").replace(springs=[spring]))
        >>> print(dyn.spring_forces([0.0, 0.0], [0.0, 0.0]).round(2))
        [707.11]
        """
        return self._kernels.spring_kernel("forces")(q, qd)

    def regressor(self, q: ArrayLike, qd: ArrayLike, qdd: ArrayLike) -> np.ndarray:
        """Compute the regressor Y, in which the equations of motion are linear in the inertial parameters.

        `Y @ dyn.inertial_parameters()` gives the joint forces of inertia and gravity. Rotors, friction and springs are not part
        of it.

        Parameters
        ----------
        q : array_like, shape (nq,) or (batch, nq)
            Coordinates, in rad and m.
        qd : array_like, shape (nv,) or (batch, nv)
            Speeds, in rad/s and m/s.
        qdd : array_like, shape (nv,) or (batch, nv)
            Accelerations, in rad/s^2 and m/s^2.

        Returns
        -------
        ndarray, shape (nv, 10 bodies) or (batch, nv, 10 bodies)
            Regressor; ten columns for every body, in the order of `inertial_parameters`.

        Examples
        --------
        >>> import lagrangian as lg
        >>> dyn = lg.compile("two_r")
        >>> motion = [0.3, 0.8], [0.5, -1.0], [1.0, 2.0]
        >>> print((dyn.regressor(*motion) @ dyn.inertial_parameters()).round(3))
        [296.291  54.502]
        >>> print(dyn.inverse_dynamics(*motion).round(3))
        [296.291  54.502]
        """
        return body_regressor(self._kernels.sweep(REGRESSOR)(q, qd, qdd), *self.body_to_link())

    def inertial_parameters(self) -> np.ndarray:
        """Return the ten inertial parameters of every body.

        Returns
        -------
        ndarray, shape (10 bodies,)
            For each body m, m c_x, m c_y, m c_z, I_xx, I_xy, I_xz, I_yy, I_yz and I_zz. The inertia is about the origin of the
            body's frame.

        Examples
        --------
        >>> import lagrangian as lg
        >>> dyn = lg.compile("two_r")
        >>> print(dyn.inertial_parameters().reshape(2, 10)[:, :2])  # m, m c_x
        [[12.456     9.628488]
         [12.456     7.261848]]
        """
        return np.concatenate([body_parameters(b) for b in self.mechanism.bodies]) if self.mechanism.bodies else np.zeros(0)

    def body_to_link(self) -> tuple[np.ndarray, np.ndarray]:
        """Return the link to which each body belongs, and how its inertial parameters transform.

        Returns
        -------
        links : ndarray of int, shape (bodies,)
            The position in `tree` of the link of each body.
        matrices : ndarray, shape (bodies, 10, 10)
            The matrix that transforms the inertial parameters of each body to the frame of its link. It is zero for a body that
            is fixed to the ground.
        """
        return self._kernels.body_to_link

    def reactions(
        self,
        q: ArrayLike,
        qd: ArrayLike,
        qdd: ArrayLike,
        wrenches: Wrenches = None,
        multipliers: ArrayLike | None = None,
        t: ArrayLike = 0.0,
    ) -> np.ndarray:
        """Compute the wrench that each joint exerts on its child.

        Parameters
        ----------
        q : array_like, shape (nq,) or (batch, nq)
            Coordinates, in rad and m.
        qd : array_like, shape (nv,) or (batch, nv)
            Speeds, in rad/s and m/s.
        qdd : array_like, shape (nv,) or (batch, nv)
            Accelerations, in rad/s^2 and m/s^2.
        wrenches : mapping of str to array_like, optional
            External wrenches that act on frames, by the name of the frame: moment (N m), then force (N), along the world's axes.
        multipliers : array_like, shape (m,) or (batch, m), optional
            Constraint forces from `multipliers`. They are needed if the mechanism has constraints.
        t : float or array_like, default 0.0
            Time in seconds; it matters only if a constraint depends on time.

        Returns
        -------
        ndarray, shape (joints, 6) or (batch, joints, 6)
            Moment (N m), then force (N), at the joint and along its child-side axes, in the order of `mechanism.joints`. Fixed
            joints are included. Along a free axis it is the joint force less what the rotor, the friction and the spring of the
            joint take.

        Raises
        ------
        ArgumentError
            The mechanism has constraints and `multipliers` is not given.

        Examples
        --------
        >>> import lagrangian as lg
        >>> dyn = lg.compile("two_r")
        >>> at_rest = [0.0, 0.0]
        >>> moment, force = dyn.reactions([0.0, 0.0], at_rest, at_rest)[0].reshape(2, 3)  # of the first joint
        >>> print(moment.round(2), force.round(2))
        [  0.     0.   287.89] [  0.   244.39   0.  ]
        """
        return reactions(self._kernels, (q, qd, qdd), wrenches, multipliers, t)

    # -- constraints -------------------------------------------------------------------------------------------------

    @property
    def constraint_names(self) -> tuple[str, ...]:
        """Names of the constraint equations: the order of the rows of Psi and of the multipliers.

        Redundant equations are included.
        """
        return self._kernels.constraint_programs.names if self.mechanism.equation_count else ()

    @property
    def holonomic(self) -> np.ndarray:
        """Boolean array: True for every constraint equation on coordinates, False for one on speeds alone."""
        return np.array(self._kernels.constraint_programs.holonomic if self.mechanism.equation_count else (), dtype=bool)

    @property
    def velocity_constraint_mask(self) -> np.ndarray:
        """Boolean array: True for every constraint equation in which some speed appears."""
        return np.array(self._kernels.constraint_programs.acts_on_speeds if self.mechanism.equation_count else (), dtype=bool)

    @property
    def depends_on_time(self) -> bool:
        """Whether some constraint depends on time."""
        return bool(self.mechanism.constraints) and self._kernels.constraint_programs.depends_on_time

    def constraint_jacobian(self, q: ArrayLike, t: ArrayLike = 0.0) -> np.ndarray:
        """Compute the constraint Jacobian Psi of the equations Psi qd + phi = 0.

        Parameters
        ----------
        q : array_like, shape (nq,) or (batch, nq)
            Coordinates, in rad and m.
        t : float or array_like, default 0.0
            Time in seconds; it matters only if a constraint depends on time.

        Returns
        -------
        ndarray, shape (m, nv) or (batch, m, nv)
            One row for every constraint equation, in the order of `constraint_names`.

        Examples
        --------
        >>> import lagrangian as lg
        >>> dyn = lg.compile("four_bar")
        >>> print(dyn.constraint_jacobian(lg.assemble(dyn)).round(3))
        [[-0.582 -0.282  0.582]
         [ 0.855  0.855  0.145]]
        """
        return self._kernels.constraint_jacobian(q, t)

    def closure(self, q: ArrayLike, t: ArrayLike = 0.0) -> np.ndarray:
        """Compute how far each loop is from being closed.

        Parameters
        ----------
        q : array_like, shape (nq,) or (batch, nq)
            Coordinates, in rad and m.
        t : float or array_like, default 0.0
            Time in seconds; it matters only if a constraint depends on time.

        Returns
        -------
        ndarray, shape (holonomic,) or (batch, holonomic)
            Residual of every constraint equation on coordinates, in m and rad; zero where the loops are closed.

        Examples
        --------
        >>> import lagrangian as lg
        >>> dyn = lg.compile("four_bar")
        >>> print(dyn.closure([0.0, 0.0, 1.5]).round(3))
        [ 0.158 -0.598]
        """
        return self._kernels.constraint_kernel("closure")(q, *self._kernels.time_arguments(t))

    def constraint_rate(self, q: ArrayLike, qd: ArrayLike, t: ArrayLike = 0.0) -> np.ndarray:
        """Compute Psi qd + phi, which is zero for speeds that satisfy the constraints.

        Parameters
        ----------
        q : array_like, shape (nq,) or (batch, nq)
            Coordinates, in rad and m.
        qd : array_like, shape (nv,) or (batch, nv)
            Speeds, in rad/s and m/s.
        t : float or array_like, default 0.0
            Time in seconds; it matters only if a constraint depends on time.

        Returns
        -------
        ndarray, shape (m,) or (batch, m)
            One number for every constraint equation.

        Examples
        --------
        >>> import lagrangian as lg
        >>> dyn = lg.compile("four_bar")
        >>> print(dyn.constraint_rate(lg.assemble(dyn), [1.0, 0.0, 0.0]).round(3))
        [-0.582  0.855]
        """
        return self._kernels.constraint_kernel("rate")(q, qd, *self._kernels.time_arguments(t))

    def constraint_bias(self, q: ArrayLike, qd: ArrayLike, t: ArrayLike = 0.0) -> np.ndarray:
        """Compute the bias gamma of the constraints' accelerations, Psi qdd + gamma = 0.

        Parameters
        ----------
        q : array_like, shape (nq,) or (batch, nq)
            Coordinates, in rad and m.
        qd : array_like, shape (nv,) or (batch, nv)
            Speeds, in rad/s and m/s.
        t : float or array_like, default 0.0
            Time in seconds; it matters only if a constraint depends on time.

        Returns
        -------
        ndarray, shape (m,) or (batch, m)
            gamma = dPsi/dt qd + dphi/dt.

        Examples
        --------
        >>> import lagrangian as lg
        >>> dyn = lg.compile("four_bar")
        >>> q = lg.assemble(dyn)
        >>> qd = lg.consistent_speeds(dyn, q, {"theta1": 1.0})
        >>> print(dyn.constraint_bias(q, qd).round(4))
        [-0.0386 -0.1699]
        """
        return self._kernels.constraint_kernel("bias")(q, qd, *self._kernels.time_arguments(t))

    def constraint_wrenches(self, q: ArrayLike, multipliers: ArrayLike, t: ArrayLike = 0.0) -> dict[str, np.ndarray]:
        """Compute the wrenches that the constraint forces exert on the moving bodies.

        Parameters
        ----------
        q : array_like, shape (nq,) or (batch, nq)
            Coordinates, in rad and m.
        multipliers : array_like, shape (m,) or (batch, m)
            Constraint forces, from `multipliers`.
        t : float or array_like, default 0.0
            Time in seconds; it matters only if a constraint depends on time.

        Returns
        -------
        dict of str to ndarray, shape (6,) or (batch, 6)
            By the name of the body: the moment about the world's origin (N m), then the force (N).

        Examples
        --------
        >>> import lagrangian as lg
        >>> dyn = lg.compile("four_bar")
        >>> q = lg.assemble(dyn)
        >>> forces = dyn.multipliers(q, [0.0, 0.0, 0.0], [0.0, 0.0, 0.0])
        >>> print(dyn.constraint_wrenches(q, forces)["rocker"][3:].round(2))
        [ 2.9  -8.09  0.  ]
        """
        kernels = self._kernels
        on_links = kernels.constraint_wrenches()(q, multipliers, *kernels.time_arguments(t))
        links = {body.name: kernels.full_tree.body_places[body.name][0] for body in self.mechanism.bodies}
        return {name: on_links[..., link, :] for name, link in links.items() if link >= 0}

    def multipliers(
        self, q: ArrayLike, qd: ArrayLike, tau: ArrayLike, wrenches: Wrenches = None, t: ArrayLike = 0.0
    ) -> np.ndarray:
        """Compute the constraint forces lambda.

        Parameters
        ----------
        q : array_like, shape (nq,) or (batch, nq)
            Coordinates, in rad and m. They should close the loops.
        qd : array_like, shape (nv,) or (batch, nv)
            Speeds, in rad/s and m/s. They should satisfy the constraints.
        tau : array_like, shape (nv,) or (batch, nv)
            Joint forces, in N m and N.
        wrenches : mapping of str to array_like, optional
            External wrenches that act on frames, by the name of the frame: moment (N m), then force (N), along the world's axes.
        t : float or array_like, default 0.0
            Time in seconds; it matters only if a constraint depends on time.

        Returns
        -------
        ndarray, shape (m,) or (batch, m)
            One multiplier for every equation in `constraint_names`. Those of a loop joint are the force and moment on its body
            `a`. If equations are redundant, the result is the solution of least norm.

        Examples
        --------
        >>> import lagrangian as lg
        >>> dyn = lg.compile("four_bar")
        >>> q = lg.assemble(dyn)
        >>> print(dict(zip(dyn.constraint_names, dyn.multipliers(q, [0, 0, 0], [0, 0, 0]).round(3).tolist())))
        {'closure.x': -2.9, 'closure.y': 8.087}
        """
        state = self._kernels.add_applied_forces("multipliers", (q, qd, tau), wrenches)
        constraint_forces = _run_constraint_kernel(self, self._kernels.constraint_kernel("acceleration"), state, q, t)[
            ..., self.nv :
        ]
        return (
            minimum_norm_multipliers(self.constraint_jacobian(q, t), constraint_forces)
            if self.constraint_names
            else constraint_forces
        )

    # -- derivatives -------------------------------------------------------------------------------------------------

    def inverse_dynamics_derivatives(self, q: ArrayLike, qd: ArrayLike, qdd: ArrayLike) -> tuple[np.ndarray, ...]:
        """Compute the exact derivatives of the joint forces of a motion.

        Parameters
        ----------
        q : array_like, shape (nq,) or (batch, nq)
            Coordinates, in rad and m.
        qd : array_like, shape (nv,) or (batch, nv)
            Speeds, in rad/s and m/s.
        qdd : array_like, shape (nv,) or (batch, nv)
            Accelerations, in rad/s^2 and m/s^2.

        Returns
        -------
        dq, dqd, dqdd : ndarray, shape (nv, nv) or (batch, nv, nv)
            The derivatives of `tau` with respect to `q` (along the speeds), `qd` and `qdd`. The last one is the mass matrix.

        Examples
        --------
        >>> import lagrangian as lg
        >>> dyn = lg.compile("two_r")
        >>> dq, dqd, M = dyn.inverse_dynamics_derivatives([0.3, 0.8], [0.5, -1.0], [1.0, 2.0])
        >>> print(dq.round(2))
        [[-127.51  -84.33]
         [ -63.49  -67.43]]
        """
        return derivatives.inverse_dynamics_derivatives(self, self._kernels.residual_derivatives(), (q, qd, qdd))

    def forward_dynamics_derivatives(
        self, q: ArrayLike, qd: ArrayLike, tau: ArrayLike, t: ArrayLike = 0.0
    ) -> tuple[np.ndarray, ...]:
        """Compute the exact derivatives of the accelerations, with the constraints satisfied.

        Parameters
        ----------
        q : array_like, shape (nq,) or (batch, nq)
            Coordinates, in rad and m.
        qd : array_like, shape (nv,) or (batch, nv)
            Speeds, in rad/s and m/s.
        tau : array_like, shape (nv,) or (batch, nv)
            Joint forces, in N m and N.
        t : float or array_like, default 0.0
            Time in seconds; it matters only if a constraint depends on time.

        Returns
        -------
        dq, dqd, dtau : ndarray, shape (nv, nv) or (batch, nv, nv)
            The derivatives of `qdd` with respect to `q` (along the speeds), `qd` and `tau`.

        Examples
        --------
        >>> import lagrangian as lg
        >>> dyn = lg.compile("two_r")
        >>> dq, dqd, dtau = dyn.forward_dynamics_derivatives([0.3, 0.8], [0.5, -1.0], [0.0, 0.0])
        >>> print(dtau.round(4))  # the inverse of the mass matrix
        [[ 0.0622 -0.1218]
         [-0.1218  0.4281]]
        """
        return derivatives.forward_dynamics_derivatives(self, self._kernels.residual_derivatives(), (q, qd, tau), t)

    # -- frames ------------------------------------------------------------------------------------------------------

    def pose(self, q: ArrayLike, frame: str | Frame) -> np.ndarray:
        """Compute the pose of a frame in the world.

        Parameters
        ----------
        q : array_like, shape (nq,) or (batch, nq)
            Coordinates, in rad and m.
        frame : str or Frame
            The name of a frame or of a body, or a frame.

        Returns
        -------
        ndarray, shape (4, 4) or (batch, 4, 4)
            Homogeneous matrix: the rotation, and the origin of the frame in m.

        Examples
        --------
        >>> import lagrangian as lg
        >>> print(lg.compile("two_r").pose([0.3, 0.8], "tip")[:3, 3].round(3))
        [1.409 1.187 0.   ]
        """
        return self._kernels.frame_function(kinematics.POSE_OF_FRAME, frame)(q)

    def velocity(self, q: ArrayLike, qd: ArrayLike, frame: str | Frame) -> np.ndarray:
        """Compute the velocity of a frame.

        Parameters
        ----------
        q : array_like, shape (nq,) or (batch, nq)
            Coordinates, in rad and m.
        qd : array_like, shape (nv,) or (batch, nv)
            Speeds, in rad/s and m/s.
        frame : str or Frame
            The name of a frame or of a body, or a frame.

        Returns
        -------
        ndarray, shape (6,) or (batch, 6)
            Angular velocity (rad/s), then velocity of the origin (m/s), along the world's axes.

        Examples
        --------
        >>> import lagrangian as lg
        >>> print(lg.compile("two_r").velocity([0.3, 0.8], [0.5, -1.0], "tip").round(3))
        [ 0.     0.    -0.5    0.298  0.251  0.   ]
        """
        return self._kernels.frame_function(kinematics.VELOCITY, frame)(q, qd)

    def acceleration(self, q: ArrayLike, qd: ArrayLike, qdd: ArrayLike, frame: str | Frame) -> np.ndarray:
        """Compute the acceleration of a frame.

        Parameters
        ----------
        q : array_like, shape (nq,) or (batch, nq)
            Coordinates, in rad and m.
        qd : array_like, shape (nv,) or (batch, nv)
            Speeds, in rad/s and m/s.
        qdd : array_like, shape (nv,) or (batch, nv)
            Accelerations, in rad/s^2 and m/s^2.
        frame : str or Frame
            The name of a frame or of a body, or a frame.

        Returns
        -------
        ndarray, shape (6,) or (batch, 6)
            Angular acceleration (rad/s^2), then acceleration of the origin (m/s^2), along the world's axes.

        Examples
        --------
        >>> import lagrangian as lg
        >>> print(lg.compile("two_r").acceleration([0.3, 0.8], [0.5, -1.0], [1.0, 2.0], "tip").round(3))
        [ 0.     0.     3.    -3.321  2.019  0.   ]
        """
        return self._kernels.frame_function(kinematics.ACCELERATION, frame)(q, qd, qdd)

    def jacobian(self, q: ArrayLike, frame: str | Frame) -> np.ndarray:
        """Compute the Jacobian of a frame.

        Parameters
        ----------
        q : array_like, shape (nq,) or (batch, nq)
            Coordinates, in rad and m.
        frame : str or Frame
            The name of a frame or of a body, or a frame.

        Returns
        -------
        ndarray, shape (6, nv) or (batch, 6, nv)
            J with `velocity = J qd`: three rows for the angular velocity, three for the velocity of the origin.

        Examples
        --------
        >>> import lagrangian as lg
        >>> print(lg.compile("two_r").jacobian([0.3, 0.8], "tip")[2:5].round(3))  # wz, x, y
        [[ 1.     1.   ]
         [-1.187 -0.891]
         [ 1.409  0.454]]
        """
        return self._kernels.frame_function(kinematics.JACOBIAN, frame)(q)

    def jacobian_dot_qd(self, q: ArrayLike, qd: ArrayLike, frame: str | Frame) -> np.ndarray:
        """Compute dJ/dt qd, the acceleration of a frame when qdd = 0.

        Parameters
        ----------
        q : array_like, shape (nq,) or (batch, nq)
            Coordinates, in rad and m.
        qd : array_like, shape (nv,) or (batch, nv)
            Speeds, in rad/s and m/s.
        frame : str or Frame
            The name of a frame or of a body, or a frame.

        Returns
        -------
        ndarray, shape (6,) or (batch, 6)
            Angular acceleration (rad/s^2), then acceleration of the origin (m/s^2), along the world's axes.

        Examples
        --------
        >>> import lagrangian as lg
        >>> print(lg.compile("two_r").jacobian_dot_qd([0.3, 0.8], [0.5, -1.0], "tip")[3:5].round(3))
        [-0.352 -0.297]
        """
        return self._kernels.frame_function(kinematics.JACOBIAN_DOT_QD, frame)(q, qd)

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
    ) -> OperationalSpaceDynamics:
        """Compute the equations of motion along directions of a frame (operational space).

        Parameters
        ----------
        q : array_like, shape (nq,) or (batch, nq)
            Coordinates, in rad and m.
        qd : array_like, shape (nv,) or (batch, nv)
            Speeds, in rad/s and m/s.
        frame : str or Frame
            The name of a frame or of a body, or a frame.
        directions : str or sequence of str, optional
            Some of `"wx"`, `"wy"`, `"wz"`, `"x"`, `"y"`, `"z"`; by default all six. With `euler`, the first three are `"alpha"`,
            `"beta"` and `"gamma"`.
        t : float or array_like, default 0.0
            Time in seconds; it matters only if a constraint depends on time.
        threshold : float, default 1e-3
            A direction whose speed falls below this part of the fastest direction's fades out. Below half of it the direction is
            left out.
        euler : str, optional
            Sequence of Euler angles that replace the angular directions, such as `"ZYX"`.

        Returns
        -------
        OperationalSpaceDynamics
            M_x, C_x, G_x, F_x, the Jacobian and its dynamically consistent inverse.

        Raises
        ------
        ArgumentError
            There are more directions than degrees of freedom, or they depend on each other in every configuration.

        Warns
        -----
        SingularWarning
            Some state is near a singular configuration.

        Examples
        --------
        >>> import lagrangian as lg
        >>> tip = lg.compile("two_r").cartesian([0.3, 0.8], [0.5, -1.0], "tip", ("x", "y"))
        >>> print(tip.M_x.round(2))
        [[ 9.21  9.66]
         [ 9.66 28.04]]
        """
        return cartesian(self, q, qd, frame, directions, t, threshold, euler=euler)


def compile(mechanism: MechanismLike, threads: int | None = None) -> Dynamics:  # noqa: A001
    """Compile the dynamics of a mechanism into machine code.

    The result has a method for every numerical function of the mechanism: mass matrix, inverse and forward dynamics, energies,
    Jacobians, constraint forces and so on. Each function is compiled when you first call it, and is kept in a cache on disk for
    later runs.

    Parameters
    ----------
    mechanism : Mechanism, str or path
        The mechanism: an object, the name of a library mechanism, or a file in any supported format.
    threads : int, optional
        Number of threads that a large batch, or one state of a very long chain, may use. The default is all cores.

    Returns
    -------
    Dynamics
        The compiled functions.

    Raises
    ------
    DescriptionError
        The file or the name does not describe a mechanism.
    ArgumentError
        `threads` is not a positive whole number.

    See Also
    --------
    derive : Derive the equations of motion in closed form.
    simulate : Simulate a motion.

    Examples
    --------
    >>> import lagrangian as lg
    >>> dyn = lg.compile("two_r")
    >>> dyn
    <Dynamics of 'two_r': 2 coordinates, 2 speeds>
    >>> print(dyn.mass_matrix([0.0, 0.5]).round(3))
    [[38.962 11.649]
     [11.649  5.276]]
    >>> print(dyn.inverse_dynamics([0.0, 0.5], [0.0, 0.0], [1.0, 0.0]).round(3))
    [318.129  74.166]
    """
    return Dynamics(as_mechanism(mechanism), threads)


def _run_constraint_kernel(dynamics: Dynamics, kernel: Kernel, inputs: tuple[ArrayLike, ...], q: ArrayLike, t: ArrayLike) -> Any:
    """The result of a kernel of constraints; an error that names a joint if nothing determines how one without inertia moves."""
    arguments = (*inputs, *dynamics._kernels.time_arguments(t))
    if dynamics._kernels.has_singular_mass_matrix:
        with suppress_finite_checks():
            solution = kernel(*arguments)
        if np.isfinite(solution).all():
            return solution
        check_determined(dynamics.mass_matrix(q), dynamics.constraint_jacobian(q, t), dynamics.mechanism.speed_names)
    return kernel(*arguments)
