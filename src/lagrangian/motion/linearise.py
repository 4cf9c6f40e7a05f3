"""Equilibria, and small motions about a state: the linear system, its frequencies, damping and shapes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from lagrangian.arguments import number
from lagrangian.configuration.assemble import assemble
from lagrangian.configuration.coordinates import integrate
from lagrangian.configuration.mobility import mobility
from lagrangian.configuration.start import Start, as_dynamics
from lagrangian.description.mechanism_like import MechanismLike
from lagrangian.errors import ArgumentError, ArgumentName, AssemblyError, MechanismError, SingularWarning, warn
from lagrangian.kernels.dynamics import Dynamics
from lagrangian.kernels.kernel import Kernel
from lagrangian.kernels.programs.derivatives import holonomic_mask, rate_derivatives, residual_derivatives, solve_accelerations
from lagrangian.model.display import TextDisplay
from lagrangian.model.mechanism import Mechanism
from lagrangian.motion import torque as torque_of
from lagrangian.motion.settings import Stabilisation
from lagrangian.motion.steady import KeptMoves, eigenvalues, null_space, turning
from lagrangian.motion.system.programs import Programs
from lagrangian.motion.system.system import System
from lagrangian.motion.torque import TorqueLike
from lagrangian.types import State


@dataclass(frozen=True)
class Mode:
    """A natural mode: a free small motion of a linearised mechanism.

    The motion varies in time as exp(eigenvalue t). `Linearisation.modes` returns the modes.

    Attributes
    ----------
    eigenvalue : complex
        The eigenvalue of A, in 1/s; of a pair of complex ones, the one with the positive imaginary part.
    shape : ndarray
        The mode shape: the complex amplitudes of the moves along the speeds, scaled such that the largest is 1.
    names : tuple of str
        The names of the speeds.

    Examples
    --------
    >>> import lagrangian as lg
    >>> mode = lg.linearise("two_r", "hanging").modes()[0]
    >>> print(f"{mode.frequency:.4f} Hz, damping ratio {mode.damping:g}")
    0.4181 Hz, damping ratio 0
    >>> print(mode.shape.real.round(3))
    [1.    0.439]
    """

    eigenvalue: complex
    shape: np.ndarray
    names: tuple[str, ...]

    @property
    def frequency(self) -> float:
        """The frequency of the oscillation, in Hz; 0 if the mode does not oscillate."""
        return float(abs(self.eigenvalue.imag) / (2 * np.pi))

    @property
    def damping(self) -> float:
        """The damping ratio; it is negative if the motion grows."""
        size = abs(self.eigenvalue)
        ratio = -self.eigenvalue.real / size if size else 0.0
        return float(ratio) if abs(ratio) > 1e-12 else 0.0  # what is left is rounding

    @property
    def stable(self) -> bool:
        """Whether the motion does not grow."""
        return self.eigenvalue.real <= 1e-9 * (1 + abs(self.eigenvalue))


@dataclass(frozen=True)
class Linearisation(TextDisplay):
    """The linear system x' = A x + B u of small motions about a state.

    The state x = (z, w) holds independent small moves z and independent small changes of speed w, such that all constraints stay
    satisfied: dq = basis z and dqd = follows z + speeds w. The input u holds small torques of the actuated joints. For control
    design, `A` and `B` go to `scipy.linalg.solve_continuous_are` and others as they are.

    Attributes
    ----------
    q, qd : ndarray
        The coordinates and the speeds about which the mechanism is linearised.
    A, B : ndarray
        The matrices of the linear system.
    basis : ndarray
        The columns span the moves along the speeds that keep holonomic constraints.
    speeds : ndarray
        The columns span the changes of speed that keep all constraints.
    follows : ndarray
        The changes of speed that moves require; zero about a state at rest.
    speed_names : tuple of str
        The names of the speeds.
    inputs : tuple of str
        The names of the actuated joints, in the order of the columns of `B`.
    steady : bool
        Whether `A` is the same at all times, in axes that turn with the motion if need be. If not, `A` holds for this instant,
        and its eigenvalues say nothing about stability.
    own_torques : tuple of str
        The speeds whose torques the description defines under [initial], if these are part of `A`; empty if you gave torques.

    Examples
    --------
    >>> import lagrangian as lg
    >>> lin = lg.linearise("pendulum", "hanging")
    >>> print(lin)
    2 states; inputs: theta
    0.498488 Hz, damping ratio 0
    >>> print(lin.A, lin.B)
    [[ 0.    1.  ]
     [-9.81  0.  ]] [[0.]
     [1.]]
    >>> lin.stable
    True
    """

    q: np.ndarray
    qd: np.ndarray
    A: np.ndarray
    B: np.ndarray
    basis: np.ndarray
    speeds: np.ndarray
    follows: np.ndarray
    speed_names: tuple[str, ...]
    inputs: tuple[str, ...]
    steady: bool = True
    own_torques: tuple[str, ...] = ()

    def eigenvalues(self) -> np.ndarray:
        """Return the eigenvalues of `A`, in 1/s. Eigenvalues of neutral motions are exactly zero."""
        return eigenvalues(self.A)

    def modes(self) -> list[Mode]:
        """Return the natural modes, slow ones first; one of each pair of complex eigenvalues."""
        values, vectors = np.linalg.eig(self.A)
        zeros = int(np.sum(self.eigenvalues() == 0))
        values[np.argsort(np.abs(values))[:zeros]] = 0.0
        n = self.basis.shape[1]
        found = []
        for value, vector in sorted(zip(values, vectors.T, strict=True), key=lambda pair: (abs(pair[0]), -pair[0].imag)):
            if value.imag < -1e-12 * (1 + abs(value)):
                continue
            shape = self.basis @ vector[:n]
            largest = shape[np.argmax(np.abs(shape))] if n else 1.0
            found.append(Mode(complex(value), shape / largest if largest else shape, self.speed_names))
        return found

    @property
    def stable(self) -> bool:
        """Whether no mode grows."""
        return all(mode.stable for mode in self.modes())

    def __str__(self) -> str:
        lines = [f"{len(self.A)} states; inputs: {', '.join(self.inputs) or 'none'}"]
        if not self.steady:
            lines.append(
                "the motion is not steady: A holds for this instant only, and its eigenvalues say nothing about stability"
            )
        if self.own_torques:
            lines.append(f"with the mechanism's own torques ({', '.join(self.own_torques)}); torque=0 leaves them out")
        for mode in self.modes():
            how = (
                f"{mode.frequency:.6g} Hz, damping ratio {mode.damping:.4g}"
                if mode.frequency
                else f"rate {mode.eigenvalue.real:.6g} 1/s"
            )
            lines.append(how + ("" if mode.stable else ", growing"))
        return "\n".join(lines)


class _Equations:
    """Accelerations of a mechanism with its torques, and their derivatives."""

    def __init__(self, dyn: Dynamics, torque: Any) -> None:
        self.dyn = dyn
        source = torque_of.source(torque, dyn.mechanism)
        if source.external:
            raise ArgumentError(
                "derivatives are needed here; give numbers, expressions or Traced(function)", where=ArgumentName("torque")
            )
        system = System(dyn.mechanism, dyn.tree, source, Stabilisation(), redundant=True)
        u = system.inputs.size
        key = b"".join(system.key)
        program = residual_derivatives(dyn.mechanism, system.tree, system.forces.torques, u, key, system.structure)
        self._derivatives = Kernel(program)
        self._outputs = Programs(system).outputs
        self._u = np.zeros(u)

    def acceleration(self, q: np.ndarray, qd: np.ndarray, t: float) -> tuple[np.ndarray, np.ndarray]:
        n, m = self.dyn.nv, self.dyn.mechanism.equation_count
        out = self._outputs(q, qd, self._u, np.array([t]))
        return out[n : 2 * n], out[3 * n : 3 * n + m]

    def derivatives(self, q: np.ndarray, qd: np.ndarray, t: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """d qdd / dq, / dqd, / dtau."""
        n, m = self.dyn.nv, self.dyn.mechanism.equation_count
        qdd, lam = self.acceleration(q, qd, t)
        slopes = self._derivatives(q, qd, qdd, *((lam,) if m else ()), self._u, np.array([t]))
        psi = self.dyn.constraint_jacobian(q, t) if m else np.zeros((0, n))
        right = np.hstack([-slopes[:n], np.eye(n)])
        bias = np.hstack([-slopes[n:], np.zeros((m, n))])
        x = solve_accelerations(self.dyn.mass_matrix(q), psi, right, bias, self.dyn.mechanism.speed_names)
        return x[:, :n], x[:, n : 2 * n], x[:, 2 * n :]


def linearise(
    mechanism: MechanismLike | Dynamics, q: State = None, qd: State = None, torque: TorqueLike = None, t: float = 0.0
) -> Linearisation:
    """Linearise a mechanism about a state.

    The result is the linear system of the small motions that keep the constraints, with exact derivatives. The state may be at
    rest or a steady motion, such as that of a bicycle that runs straight on or of a coin that rolls round a circle.

    Parameters
    ----------
    mechanism : Mechanism, str, path or Dynamics
        The mechanism, the name of one in the library, a file, or compiled dynamics.
    q : array_like, mapping or str, optional
        The coordinates: an array that closes the loops, the name of a pose, or a mapping of some coordinates to values, the
        others being found such that the loops close. The default is the mechanism's own start.
    qd : array_like or mapping, optional
        The speeds; zero by default.
    torque : float, array_like, mapping or Traced, optional
        The torques, as for `simulate`. The derivatives of expressions count. The default is the mechanism's own torques;
        `torque=0` leaves them out, as the design of a controller that replaces them needs.
    t : float, optional
        The time, in s, if the mechanism depends on it; 0 by default.

    Returns
    -------
    Linearisation
        The matrices A and B, the eigenvalues and the modes.

    Raises
    ------
    ArgumentError
        If the mechanism has no joint that moves, or if the torque has no derivatives.
    MechanismError
        If the derivatives of the accelerations are not finite there.

    See Also
    --------
    equilibrium : Find a configuration at rest.

    Notes
    -----
    A steady motion looks the same at all times in axes that turn with it; there x' = (A - W) x with a constant W (relative
    equilibria: Marsden and Ratiu, Introduction to Mechanics and Symmetry).

    Examples
    --------
    >>> import lagrangian as lg
    >>> print(lg.linearise("two_r", "hanging"))
    4 states; inputs: theta1, theta2
    0.418116 Hz, damping ratio 0
    0.990452 Hz, damping ratio 0
    """
    dyn, t = as_dynamics(mechanism), number(t, "t")
    model = dyn.mechanism
    if not dyn.nv:
        raise ArgumentError(f"{model.name} has no joint that moves; there is nothing to linearise")
    about = Start(dyn, q, t, ("q", "qd"))
    q, qd = about.q, about.speeds({} if qd is None else qd)
    _warn_of_singular(dyn, q, t)
    small = _Small(dyn, torque)
    A, kept = small.at(q, qd, t)
    _check_derivatives(dyn, A, q)
    moving = bool(np.abs(qd).max(initial=0.0) > 1e-12)
    qdd = small.equations.acceleration(q, qd, t)[0]

    def later(s: float) -> tuple[np.ndarray, KeptMoves]:
        return small.at(integrate(model, q, s * qd + s * s / 2 * qdd), qd + s * qdd, t + s)

    W = turning(model, later, float(np.abs(qd).max(initial=0.0))) if moving else np.zeros_like(A)
    actuated = [k for k, name in enumerate(_actuated(model)) if name]
    B = small.equations.derivatives(q, qd, t)[2][:, actuated]
    return Linearisation(
        q,
        qd,
        kept.coordinates((A if W is None else A - W) @ kept.columns),
        kept.coordinates(np.vstack([np.zeros_like(B), B])),
        kept.positions,
        kept.speeds,
        kept.follows,
        model.speed_names,
        tuple(model.speed_names[k] for k in actuated),
        W is not None,
        tuple(name for name, _ in model.initial.torque) if torque is None else (),
    )


def _warn_of_singular(dyn: Dynamics, q: np.ndarray, t: float) -> None:
    """Say that small motions are not determined where constraints lose rank: some of what they leave free is no motion at all."""
    found = mobility(dyn, q, t) if dyn.mechanism.equation_count else None
    if found is not None and found.singular:
        warn(
            f"{dyn.mechanism.name}: the configuration is singular: the constraints leave {found.degrees} speeds free here, but "
            f"{found.nearby} nearby. A linear system does not describe the motion here; linearise at a configuration beside it",
            SingularWarning,
        )


def _check_derivatives(dyn: Dynamics, A: np.ndarray, q: np.ndarray) -> None:
    if np.isfinite(A).all():
        return
    names, speeds = dyn.mechanism.coordinate_names, dyn.mechanism.speed_names
    at = ", ".join(f"{n} = {x:.6g}" for n, x in zip(names[:8], q, strict=False))
    worst = int(np.argwhere(~np.isfinite(A))[0][0]) % max(1, len(speeds))
    raise MechanismError(
        f"{dyn.mechanism.name}: the acceleration of {speeds[worst]!r} has no finite derivatives at {at}; a spring may have no "
        f"length there, or a function be outside its domain"
    )


class _Small:
    """Small motions of a mechanism at any state."""

    def __init__(self, dyn: Dynamics, torque: Any) -> None:
        self.dyn, self.equations = dyn, _Equations(dyn, torque)
        self.holonomic = holonomic_mask(dyn.mechanism, dyn.tree)
        self._slopes = Kernel(rate_derivatives(dyn.mechanism, dyn.tree)) if len(self.holonomic) else None

    def at(self, q: np.ndarray, qd: np.ndarray, t: float) -> tuple[np.ndarray, KeptMoves]:
        """A of all (dq, dqd), and those that keep the constraints."""
        n = self.dyn.nv
        Aq, Av, _ = self.equations.derivatives(q, qd, t)
        A = np.block([[-_carried(self.dyn.mechanism, qd), np.eye(n)], [Aq, Av]])
        if self._slopes is None:
            return A, KeptMoves.of(np.zeros((0, n)), np.zeros((0, n)), np.zeros((0, n)))
        psi, slopes = self.dyn.constraint_jacobian(q, t), self._slopes(q, qd, np.array([t]))
        return A, KeptMoves.of(psi[self.holonomic], psi, slopes)


def _carried(model: Mechanism, qd: np.ndarray) -> np.ndarray:
    """K with z' = dqd - K z: moves along the axes of a body that turns are carried round by it."""
    K = np.zeros((len(qd), len(qd)))
    at = 0
    for joint in model.joints:
        own = slice(at, at + joint.kind.nv)
        K[own, own] = joint.kind.displacement_transport(qd[own])
        at += joint.kind.nv
    return K


def _actuated(model: Mechanism) -> list[bool]:
    return [joint.actuated for joint in model.joints for _ in range(joint.kind.nv)]


def equilibrium(
    mechanism: MechanismLike | Dynamics,
    q0: State = None,
    torque: TorqueLike = None,
    t: float = 0.0,
    tolerance: float = 1e-10,
) -> np.ndarray:
    """Find a configuration near `q0` in which the mechanism stays at rest.

    Newton's method with exact derivatives finds it. The equilibrium may be unstable; `linearise` tells.

    Parameters
    ----------
    mechanism : Mechanism, str, path or Dynamics
        The mechanism, the name of one in the library, a file, or compiled dynamics.
    q0 : array_like, mapping or str, optional
        Where the search begins; the mechanism's own start by default.
    torque : float, array_like, mapping or Traced, optional
        The torques, as for `simulate`; the mechanism's own by default. `torque=0` leaves them out.
    t : float, optional
        The time, in s, if the mechanism depends on it; 0 by default.
    tolerance : float, optional
        The largest acceleration that remains, in relation to the accelerations at `q0`; 1e-10 by default.

    Returns
    -------
    ndarray
        The coordinates.

    Raises
    ------
    AssemblyError
        If there is no equilibrium near `q0`, or if the loops cannot be closed.

    See Also
    --------
    linearise : Linearise a mechanism about a state.

    Examples
    --------
    A spring-like torque holds a pendulum against gravity:

    >>> import lagrangian as lg
    >>> q = lg.equilibrium("pendulum", [0.1], torque={"theta": "-40*theta"})
    >>> print(q.round(4))
    [-0.2383]
    """
    dyn, t, tolerance = as_dynamics(mechanism), number(t, "t"), number(tolerance, "tolerance", above=0.0)
    q = assemble(dyn, q0, t=t)
    if not dyn.nv:
        return q
    equations = _Equations(dyn, torque)
    rest = np.zeros(dyn.nv)
    qdd, _ = equations.acceleration(q, rest, t)
    scale = 1.0 + float(np.abs(qdd).max())
    for _ in range(100):
        size = float(np.abs(qdd).max())
        if size <= tolerance * scale:
            return q
        Aq, _, _ = equations.derivatives(q, rest, t)
        _check_derivatives(dyn, Aq, q)
        basis = null_space(dyn.constraint_jacobian(q, t)) if dyn.mechanism.equation_count else np.eye(dyn.nv)
        step = -basis @ np.linalg.lstsq(Aq @ basis, qdd, rcond=1e-10)[0]
        step *= min(1.0, 1.0 / max(float(np.abs(step).max()), 1e-300))
        for _ in range(20):
            trial = assemble(dyn, integrate(dyn.mechanism, q, step), t=t, starts=0)
            found, _ = equations.acceleration(trial, rest, t)
            if np.linalg.norm(found) < np.linalg.norm(qdd):
                break
            step = 0.5 * step
        else:
            break
        q, qdd = trial, found
    if float(np.abs(qdd).max()) <= 1e-6 * scale:
        return q
    worst = int(np.argmax(np.abs(qdd)))
    raise AssemblyError(
        f"{dyn.mechanism.name}: no equilibrium was found near q0; at the closest configuration "
        f"{dyn.mechanism.speed_names[worst]!r} still accelerates at {qdd[worst]:.3g}"
    )
