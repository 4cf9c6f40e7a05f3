"""Equations of motion along the directions of a frame, at given states (Khatib 1987).

    F = M_x x'' + C_x + G_x + F_x,   tau = J^T F,   M_x = (J P J^T)^-1,   J_bar = P J^T M_x,
    C_x = J_bar^T C qd - M_x J' qd,  G_x = J_bar^T G,  F_x = J_bar^T F

with P = M^-1. Where J is square, M_x = J^-T M J^-1 and J_bar = J^-1; where joints are more than directions, J_bar is Khatib's
dynamically consistent inverse.

Loops and other constraints leave the speeds N v, Psi N = 0: then P = N (N^T M N)^-1 N^T, and
J' qd gains J b, where b is the least acceleration, measured by M, that keeps the constraints: Psi b = -gamma.

With Euler angles phi of the frame, w = E phi', so that J of the angles is E^-1 J. With x = (phi, p) and T = diag(E, 1), the
equations along w and p become those of x (G27):

    M_phi = T^T M_x T,   C_phi = T^T (C_x + M_x (E' phi', 0)),   G_phi = T^T G_x.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, fields
from types import NoneType
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from lagrangian.algorithms.constraints.constrained_dynamics import ROUNDING_TOLERANCE
from lagrangian.errors import ArgumentError, SingularWarning, is_number, unknown_direction_message
from lagrangian.errors import warn as emit_warning
from lagrangian.kernels.kernel import as_rows
from lagrangian.kernels.least_squares import pseudoinverse_factors, unit_rows
from lagrangian.model.frame import TWIST_COMPONENTS, Frame
from lagrangian.model.mechanism import Mechanism
from lagrangian.model.rotation.euler import ANGLE_NAMES, EulerSequence

if TYPE_CHECKING:
    from lagrangian.kernels.dynamics import Dynamics


EULER_NAMES = (*ANGLE_NAMES, *TWIST_COMPONENTS[3:])
Directions = str | Iterable[str] | None

# the part of the fastest direction's speed below which a direction fades out
THRESHOLD = 1e-3

# the smallest part of the fastest direction's speed that is distinguished from zero
MIN_RELATIVE_SPEED = 1e-8
LOCK_TOLERANCE = 1e-6  # |det E| below which the angles have no rates
NEAR_LOCK_TOLERANCE = 0.02  # and below which a warning says that they are near gimbal lock: 1.1 degrees


@dataclass(frozen=True, repr=False)
class OperationalSpaceDynamics:
    """Equations of motion along directions of a frame, at given states.

    `Dynamics.cartesian` returns this object. The equations are `F = M_x x'' + C_x + G_x + F_x`, where `F` is the force at the
    frame and `tau = J^T F` (Khatib 1987). For k directions the shapes are those of one state; for a batch every array has the
    batch as its first axis.

    Attributes
    ----------
    frame : str
        The name of the frame.
    directions : tuple of str
        The directions, in the order of the rows.
    M_x : ndarray, shape (k, k)
        Mass matrix along the directions, (J M^-1 J^T)^-1.
    C_x, G_x, F_x : ndarray, shape (k,)
        Forces of the speeds, of gravity and springs, and of friction.
    J : ndarray, shape (k, nv)
        Jacobian.
    J_bar : ndarray, shape (nv, k)
        Dynamically consistent inverse of J. It gives the speeds of least kinetic energy for a velocity of the frame; its
        transpose gives the force at the frame to which joint forces amount.
    N_T : ndarray, shape (nv, nv)
        I - J^T J_bar^T, which leaves of joint forces the part that does not accelerate the frame.
    J_dot_qd : ndarray, shape (k,)
        Acceleration of the frame at qdd = 0, or, with constraints, at the least qdd that satisfies them.
    condition : float or ndarray
        Ratio of the largest to the smallest singular value of J, at most 1e8.
    singular : bool or ndarray of bool
        Whether some direction is slower than the threshold times the fastest. Such a direction fades out; below half the
        threshold no force is found along it and it is not accelerated.

    Notes
    -----
    A length L makes turning and moving comparable in `condition`: the ratio of how fast the frame moves to how fast it turns
    when joints turn. Angular directions count L times, and a metre of a sliding joint counts as 1/L radians. The condition is
    that of J, not of J M^-1 J^T, so that a light wrist is not a singularity.

    Examples
    --------
    >>> import lagrangian as lg
    >>> tip = lg.compile("two_r").cartesian([0.3, 0.8], [0.5, -1.0], "tip", ("x", "y"))
    >>> print(tip)
    F = M_x x'' + C_x + G_x + F_x of 'tip' along x, y
    M_x = [[ 9.2084  9.656 ]
           [ 9.656  28.0374]]
    C_x = [3.5504 9.5649]
    G_x = [ 87.8386 243.8205]
    F_x = [0. 0.]
    condition 5.96
    """

    frame: str
    directions: tuple[str, ...]
    M_x: np.ndarray
    C_x: np.ndarray
    G_x: np.ndarray
    F_x: np.ndarray  # friction
    J: np.ndarray
    J_bar: np.ndarray
    N_T: np.ndarray
    J_dot_qd: np.ndarray
    condition: float | np.ndarray
    singular: bool | np.ndarray

    def __str__(self) -> str:
        title = f"F = M_x x'' + C_x + G_x + F_x of {self.frame!r} along {', '.join(self.directions)}"
        if self.M_x.ndim == 3:
            return f"{title}: {len(self.M_x)} states, {int(np.sum(self.singular))} of them singular"
        with np.printoptions(precision=4, suppress=True):
            parts = [f"{name} = {np.array2string(getattr(self, name), prefix='M_x = ')}" for name in ("M_x", "C_x", "G_x", "F_x")]
        near = ", singular" if self.singular else ""
        return "\n".join([title, *parts, f"condition {self.condition:.3g}{near}"])

    def __repr__(self) -> str:
        return f"<OperationalSpaceDynamics of {self.frame!r} along {', '.join(self.directions)}>"


def cartesian(
    dyn: Dynamics,
    q: ArrayLike,
    qd: ArrayLike,
    frame: str | Frame,
    directions: Directions,
    t: ArrayLike,
    threshold: float,
    warn: bool = True,
    euler: str | None = None,
) -> OperationalSpaceDynamics:
    """The equations that `Dynamics.cartesian` gives; without `warn` the caller has to look at `singular` itself."""
    (q, qd), batch = as_rows("cartesian", ("q", "qd"), (dyn.nq, dyn.nv), (q, qd))
    threshold = _check_threshold(threshold)
    bad = ~(np.isfinite(q).all(axis=1) & np.isfinite(qd).all(axis=1))
    if bad.any():  # what is not a number must not hide those that are
        q, qd = np.where(bad[:, None], dyn.mechanism.neutral(), q), np.where(bad[:, None], 0.0, qd)
    is_single = batch is None and not bad.any()  # functions of one state are the faster ones

    def evaluate(function: Callable[..., Any], *states: np.ndarray) -> np.ndarray:
        return np.asarray(function(*(x[0] for x in states)))[None] if is_single else np.asarray(function(*states))

    N, b = constraint_null_space(dyn, q, qd, t)
    frame_jacobian = evaluate(lambda q: dyn.jacobian(q, frame), q)
    active_directions = as_direction_names(directions, euler)
    check_degrees_of_freedom(dyn, frame, active_directions, frame_jacobian, N, euler)
    rows = [direction_names(euler).index(d) for d in active_directions]
    drift = evaluate(lambda q, qd: dyn.jacobian_dot_qd(q, qd, frame), q, qd)
    orientation = None
    if euler is not None and min(rows) < 3:
        R, label = evaluate(lambda q: dyn.pose(q, frame), q)[:, :3, :3], dyn.mechanism.frame(frame).name
        orientation = EulerAngleRates.from_rotations(euler, R, _matvec(frame_jacobian[:, :3], qd), label, ~bad, warn)
    motion = _FrameMotion.along_rows(dyn.mechanism, frame_jacobian, drift, N, rows, orientation)
    if (motion.relative_speeds < threshold).any():
        check_independent(dyn, frame, active_directions, euler)
    forces = _JointForces.at_states(dyn, evaluate, q, qd)
    equations = forces.at_frame(dyn.mechanism, frame, active_directions, motion, N, b, threshold)
    if warn:
        _warn_if_singular(dyn, equations, motion, ~bad, batch)
    masked = _mask_invalid_states(equations, bad) if bad.any() else equations
    return _without_batch_axis(masked) if batch is None else masked


def constraint_null_space(dyn: Dynamics, q: np.ndarray, qd: np.ndarray, t: ArrayLike) -> tuple[np.ndarray | None, np.ndarray]:
    """N, whose columns span the speeds that the constraints permit, and some qdd that keeps the constraints.

    Columns of N that span nothing are zero. None stands for all speeds.
    """
    count, n, m = len(q), dyn.nv, len(dyn.constraint_names)
    if not m:
        return None, np.zeros((count, n))
    psi = np.broadcast_to(dyn.constraint_jacobian(q, t), (count, m, n))
    rows, size = unit_rows(psi)
    U, inverse, V = pseudoinverse_factors(rows, full_matrices=True)
    r = inverse.shape[1]
    gamma = np.broadcast_to(dyn.constraint_bias(q, qd, t), (count, m)) / size
    coefficients = inverse * _matvec(_T(U)[:, :r], gamma)
    free = np.ones((count, n), dtype=bool)
    free[:, :r] = inverse == 0
    return _T(V) * free[:, None, :], -_matvec(_T(V)[:, :, :r], coefficients)


def direction_names(euler: str | None) -> tuple[str, ...]:
    return TWIST_COMPONENTS if euler is None else EULER_NAMES


def as_direction_names(directions: Directions, euler: str | None) -> tuple[str, ...]:
    """Names of directions from an argument: known ones, each once."""
    available = direction_names(euler)
    if not isinstance(directions, (str, Iterable, NoneType)) or isinstance(directions, np.ndarray):
        raise ArgumentError(f"is {directions!r}; give some of {', '.join(available)}", where="cartesian", argument="directions")
    names = available if directions is None else (directions,) if isinstance(directions, str) else tuple(directions)
    for name in names:
        if not isinstance(name, str) or name not in available:
            raise ArgumentError(f"cartesian: {unknown_direction_message(name, available)}", concerns="directions")
    if not names or len(set(names)) != len(names):
        raise ArgumentError(
            f"are {names}; give some of {', '.join(available)}, each once", where="cartesian", argument="directions"
        )
    return names


def check_degrees_of_freedom(
    dyn: Dynamics, frame: str | Frame, names: tuple[str, ...], frame_jacobian: np.ndarray, N: np.ndarray | None, euler: str | None
) -> None:
    """Raise an error that names independent directions if there are more directions than degrees of freedom."""
    degrees = dyn.nv if N is None else int((N != 0).any(axis=1).sum(axis=1).max())
    if len(names) > degrees:
        label = dyn.mechanism.frame(frame).name
        free = _independent_rows(_generic_jacobian(dyn, frame, euler) if N is None else frame_jacobian[0] @ N[0])
        raise ArgumentError(
            f"cartesian: {dyn.mechanism.name} has {degrees} degree{'s' * (degrees != 1)} of freedom, and {label!r} cannot follow "
            f"{len(names)} directions. {_advice(free, euler)}"
        )


def check_independent(dyn: Dynamics, frame: str | Frame, names: tuple[str, ...], euler: str | None) -> None:
    """Directions that depend on each other in every configuration are an error, not a singularity."""
    G, rows = _generic_jacobian(dyn, frame, euler), [direction_names(euler).index(name) for name in names]
    if np.linalg.matrix_rank(unit_rows(G[rows])[0], tol=1e-9) < len(rows):
        label = dyn.mechanism.frame(frame).name
        raise ArgumentError(
            f"cartesian: {', '.join(names)} of {label!r} are not independent in any configuration of {dyn.mechanism.name}. "
            f"{_advice(_independent_rows(G), euler)}"
        )


def format_direction(T: np.ndarray, names: tuple[str, ...]) -> str:
    """A direction as text: x, or 0.71 x - 0.71 y."""
    u = T / np.linalg.norm(T)
    u = u * np.sign(u[np.argmax(np.abs(u))])
    terms = [(x, name) for x, name in zip(u, names, strict=True) if abs(x) > 0.05]
    if len(terms) == 1:
        return terms[0][1]
    text = " ".join(f"{'-' if x < 0 else '+'} {abs(x):.2g} {name}" for x, name in terms)
    return text.removeprefix("+ ")


@dataclass(frozen=True)
class EulerAngleRates:
    """The angles of a frame at some states, with E of w = E phi', the rates phi' and E' phi'."""

    E: np.ndarray
    rates: np.ndarray
    drift: np.ndarray

    @staticmethod
    def from_rotations(
        angles: str, R: np.ndarray, w: np.ndarray, frame: str, valid: np.ndarray, warn_near_lock: bool
    ) -> EulerAngleRates:
        """Make the rates for rotation matrices R and angular velocities w of states; those not `valid` are not checked."""
        sequence = EulerSequence.from_name(angles)
        phi = sequence.angles(R)
        openness = np.where(valid, sequence.abs_determinant(phi), 1.0)
        phi = np.where(valid[:, None], phi, sequence.angles(sequence.rotation(np.full((1, 3), 0.5))))
        worst = int(np.argmin(openness))
        if openness[worst] < NEAR_LOCK_TOLERANCE:
            beta = np.degrees(phi[worst, 1])
            state = f" at state {worst}" if len(openness) > 1 else ""
            where = f"the {sequence.name} angles of {frame!r} are singular where beta is {sequence.gimbal_lock_text}"
            message = f"{where}; it is {beta:.6g}{state}"
            advice = "use another sequence, or the directions wx, wy, wz"
            if openness[worst] < LOCK_TOLERANCE:
                raise ArgumentError(f"cartesian: gimbal lock: {message}; {advice}", concerns="euler")
            if warn_near_lock:
                rate_factor = f"rates of alpha and gamma are up to {1 / openness[worst]:.3g} times the angular velocity"
                emit_warning(f"near gimbal lock: {message}. The {rate_factor}; {advice}", SingularWarning)
        E = sequence.rates_matrix(phi)
        rates = np.linalg.solve(E, w[:, :, None])[:, :, 0]
        return EulerAngleRates(E, rates, sequence.rates_matrix_bias(phi, rates))

    def has_all_angles(self, rows: list[int]) -> bool:
        """Whether all three angles are among the rows of (phi, p)."""
        return {0, 1, 2} <= set(rows)

    def combinations(self, T: np.ndarray, rows: list[int]) -> np.ndarray:
        """Combinations of angular velocities and speeds, as rows, in terms of rates of the angles, if all three are asked for."""
        if not self.has_all_angles(rows):
            return T
        turning = [rows.index(k) for k in range(3)]
        combined = T.copy()
        combined[:, :, turning] = T[:, :, turning] @ self.E
        return combined

    def jacobian(self, J: np.ndarray) -> np.ndarray:
        """The Jacobian of (phi, p), from the Jacobian J of (w, p): (n, 6, nv)."""
        return np.concatenate([np.linalg.solve(self.E, J[:, :3]), J[:, 3:]], axis=1)

    def acceleration(self, a: np.ndarray) -> np.ndarray:
        """(phi'', p'') of the accelerations (w', p''): (n, 6)."""
        turning = np.linalg.solve(self.E, (a[:, :3] - self.drift)[:, :, None])[:, :, 0]
        return np.concatenate([turning, a[:, 3:]], axis=1)


def _check_threshold(threshold: float) -> float:
    if not is_number(threshold) or not 1e-7 <= threshold < 1:
        raise ArgumentError(
            f"is {threshold!r}", where="cartesian", argument="threshold", remedy="a number from 1e-7 to below 1 is needed"
        )
    return float(threshold)


@dataclass(frozen=True)
class _FrameMotion:
    """How a frame moves along directions: the Jacobian, and the acceleration that its change gives.

    The rows of T are combinations of the directions, the fastest first, with their speeds as parts of the fastest one's.
    """

    J: np.ndarray
    drift: np.ndarray
    T: np.ndarray
    relative_speeds: np.ndarray

    @staticmethod
    def along_rows(
        mechanism: Mechanism,
        frame_jacobian: np.ndarray,
        drift: np.ndarray,
        N: np.ndarray | None,
        rows: list[int],
        orientation: EulerAngleRates | None,
    ) -> _FrameMotion:
        """The motion along some of the six directions, of which the first three are Euler angles if there is an `orientation`."""
        if orientation is None:
            T, s = _singular_values(mechanism, frame_jacobian, N, rows)
        else:
            T, s = _singular_values_with_angles(mechanism, orientation, frame_jacobian, N, rows)
            frame_jacobian, drift = orientation.jacobian(frame_jacobian), orientation.acceleration(drift)
        relative_speeds = s / np.maximum(s[:, :1], np.finfo(float).tiny)
        return _FrameMotion(np.ascontiguousarray(frame_jacobian[:, rows]), drift[:, rows], T, relative_speeds)


@dataclass(frozen=True)
class _JointForces:
    """The terms of the equations of motion at the joints: the mass matrix, and forces of speeds, gravity and friction."""

    M: np.ndarray
    velocity: np.ndarray
    gravity: np.ndarray
    friction: np.ndarray

    @staticmethod
    def at_states(dyn: Dynamics, evaluate: Callable[..., np.ndarray], q: np.ndarray, qd: np.ndarray) -> _JointForces:
        """The terms at rows of states; `evaluate(function, *states)` calls a function of one state, or of rows of them."""
        return _JointForces(
            np.broadcast_to(evaluate(dyn.mass_matrix, q), (len(q), dyn.nv, dyn.nv)),
            _matvec(evaluate(dyn.coriolis_matrix, q, qd), qd),
            evaluate(dyn.gravity, q),
            evaluate(lambda q, qd: dyn.friction(qd, q=q), q, qd),
        )

    def at_frame(
        self,
        mechanism: Mechanism,
        frame: str | Frame,
        directions: tuple[str, ...],
        motion: _FrameMotion,
        N: np.ndarray | None,
        b: np.ndarray,
        threshold: float,
    ) -> OperationalSpaceDynamics:
        """The same forces along directions of a frame, by J_bar's transpose; N and b are those of `constraint_null_space`."""
        J, drift, slowest = motion.J, motion.drift, motion.relative_speeds[:, -1]
        P = _constrained_inverse(self.M, N, mechanism.name)
        if N is not None:
            drift = drift + _matvec(J, b - _matvec(P @ self.M, b))
        M_x = _effective_mass(motion.T, J @ P @ _T(J), motion.relative_speeds, threshold)
        J_bar = P @ _T(J) @ M_x
        back = _T(J_bar)
        return OperationalSpaceDynamics(
            mechanism.frame(frame).name,
            directions,
            M_x,
            _matvec(back, self.velocity) - _matvec(M_x, drift),
            _matvec(back, self.gravity),
            _matvec(back, self.friction),
            J,
            J_bar,
            np.eye(J.shape[-1]) - _T(J) @ back,
            drift,
            1 / np.maximum(slowest, MIN_RELATIVE_SPEED),
            slowest < threshold,
        )


def _constrained_inverse(M: np.ndarray, N: np.ndarray | None, name: str) -> np.ndarray:
    """N (N^T M N)^-1 N^T, where columns of N may be zero."""
    try:
        if N is None:
            return np.linalg.inv(M)
        is_zero: np.ndarray = ~(N != 0).any(axis=1)
        return N @ np.linalg.inv(_T(N) @ M @ N + np.eye(N.shape[1]) * is_zero[:, None, :]) @ _T(N)
    except np.linalg.LinAlgError:
        raise ArgumentError(f"cartesian: the mass matrix of {name} is singular: something that moves has no inertia") from None


def _singular_values(
    mechanism: Mechanism, frame_jacobian: np.ndarray, N: np.ndarray | None, rows: list[int]
) -> tuple[np.ndarray, np.ndarray]:
    """The combinations of directions that J along the rows has, as rows, and their singular values, the largest first."""
    slides = np.array([slides for j in mechanism.joints for slides in j.slides], dtype=bool)
    turns = frame_jacobian @ N if N is not None else frame_jacobian[:, :, ~slides]
    angular, linear = (np.linalg.norm(turns[:, part], axis=(1, 2)) for part in (slice(0, 3), slice(3, 6)))
    comparable = (angular > ROUNDING_TOLERANCE) & (linear > ROUNDING_TOLERANCE)
    L = np.where(comparable, linear, 1.0) / np.where(comparable, angular, 1.0)
    lengths = np.where(slides, L[:, None], 1.0)  # the speeds that count alike
    scale = np.where(np.array(rows) < 3, L[:, None], 1.0)
    J = frame_jacobian[:, rows] * scale[:, :, None]
    if N is None:
        J = J * lengths[:, None, :]
        squares, U = np.linalg.eigh(J @ _T(J))
    else:
        weight = np.eye(len(slides)) / lengths[:, :, None] ** 2
        squares, U = np.linalg.eigh(J @ _constrained_inverse(weight, N, mechanism.name) @ _T(J))
    return _T(U)[:, ::-1] * scale[:, None, :], np.sqrt(np.maximum(squares[:, ::-1], 0.0))


def _singular_values_with_angles(
    mechanism: Mechanism, orientation: EulerAngleRates, frame_jacobian: np.ndarray, N: np.ndarray | None, rows: list[int]
) -> tuple[np.ndarray, np.ndarray]:
    """The same combinations and singular values with Euler angles among the rows.

    All three angles move where the angular velocity does: what is near to being lost has nothing to do with them.
    """
    T, s = _singular_values(
        mechanism, frame_jacobian if orientation.has_all_angles(rows) else orientation.jacobian(frame_jacobian), N, rows
    )
    return orientation.combinations(T, rows), s


def _effective_mass(T: np.ndarray, A: np.ndarray, relative_speeds: np.ndarray, threshold: float) -> np.ndarray:
    """A^-1 away from singularities; directions slower than half the threshold are left out, as if they had not been asked for.

    In between, a direction and what couples it to others fade out, so that a controller meets no jump.
    """
    if (relative_speeds >= threshold).all():
        M_x = np.linalg.inv(A)
    else:
        ramp = np.clip(2 * relative_speeds / threshold - 1, 0.0, 1.0)
        w = ramp * ramp * (3 - 2 * ramp)
        A = T @ A @ _T(T)
        diagonal = np.where(w > 0, np.diagonal(A, axis1=1, axis2=2), 1.0)
        A = w[:, :, None] * A * w[:, None, :] + np.eye(w.shape[1]) * ((1 - w * w) * diagonal)[:, None, :]
        K = w[:, :, None] * T
        M_x = _T(K) @ np.linalg.inv(A) @ K
    return (M_x + _T(M_x)) / 2


def _warn_if_singular(
    dyn: Dynamics, equations: OperationalSpaceDynamics, motion: _FrameMotion, is_valid: np.ndarray, batch: int | None
) -> None:
    """Warn of the valid state where a direction is nearest to being lost, if one is lost anywhere."""
    is_lost = equations.singular & is_valid
    if not is_lost.any():
        return
    lost_speeds = np.where(is_lost, motion.relative_speeds[:, -1], np.inf)
    worst = int(np.argmin(lost_speeds))
    lost_direction = format_direction(motion.T[worst, -1], equations.directions)
    which = "" if batch is None else f" at {int(np.isfinite(lost_speeds).sum())} of {batch} states, worst at state {worst}"
    emit_warning(
        f"{dyn.mechanism.name}: it is near a singular configuration{which}: {equations.frame!r} moves along {lost_direction} at "
        f"{lost_speeds[worst]:.2g} of the speed of its fastest direction. The equations leave this direction out",
        SingularWarning,
    )


def _mask_invalid_states(equations: OperationalSpaceDynamics, bad: np.ndarray) -> OperationalSpaceDynamics:
    """The equations with NaN at states that are not numbers."""

    def mask(value: np.ndarray) -> np.ndarray:
        return value if value.dtype == bool else np.where(bad.reshape(-1, *(1,) * (value.ndim - 1)), np.nan, value)

    return _with_arrays(equations, mask)


def _without_batch_axis(equations: OperationalSpaceDynamics) -> OperationalSpaceDynamics:
    """The equations of the only state of a batch."""

    def first(value: np.ndarray) -> Any:
        return value[0].item() if isinstance(value[0], np.generic) else value[0]

    return _with_arrays(equations, first)


def _with_arrays(equations: OperationalSpaceDynamics, change: Callable[[np.ndarray], Any]) -> OperationalSpaceDynamics:
    """The equations with every array changed."""
    values = {field.name: getattr(equations, field.name) for field in fields(equations)}
    return OperationalSpaceDynamics(**{name: change(x) if isinstance(x, np.ndarray) else x for name, x in values.items()})


def _generic_jacobian(dyn: Dynamics, frame: str | Frame, euler: str | None) -> np.ndarray:
    """J of the tree where it has no accidental zeros."""
    q = dyn.mechanism.random_configuration(1)
    J: np.ndarray = dyn.jacobian(q, frame)
    if euler is not None:
        R, no_rotation, label = dyn.pose(q, frame)[None, :3, :3], np.zeros((1, 3)), dyn.mechanism.frame(frame).name
        J = EulerAngleRates.from_rotations(euler, R, no_rotation, label, np.array([True]), False).jacobian(J[None])[0]
    return J


def _independent_rows(G: np.ndarray) -> tuple[int, ...]:
    """Return as many of the six directions, positions first, as are independent."""
    G, rows = unit_rows(G)[0], list[int]()
    for k in (3, 4, 5, 0, 1, 2):
        if np.linalg.matrix_rank(G[[*rows, k]], tol=1e-6) > len(rows):
            rows.append(k)
    return tuple(sorted(rows))


def _advice(rows: tuple[int, ...], euler: str | None) -> str:
    names = tuple(direction_names(euler)[k] for k in rows)
    return f"Independent directions are {', '.join(names)}: use directions={names!r}" if names else "It does not move"


def _T(A: np.ndarray) -> np.ndarray:
    return np.swapaxes(A, -1, -2)


def _matvec(A: np.ndarray, x: np.ndarray) -> np.ndarray:
    """A x, of each state."""
    product: np.ndarray = (A @ x[..., None])[..., 0]
    return product
