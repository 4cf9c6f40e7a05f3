"""Equations of motion along the directions of a frame, at given states (Khatib 1987).

    F = M_x x'' + C_x + G_x + F_x,   tau = J^T F,   M_x = (J P J^T)^-1,   J_bar = P J^T M_x,
    C_x = J_bar^T C qd - M_x J' qd,  G_x = J_bar^T G,  F_x = J_bar^T F

with P = M^-1. Where J is square, M_x = J^-T M J^-1 and J_bar = J^-1; where joints are more than directions, J_bar is Khatib's
dynamically consistent inverse. With Euler angles J is that of the angles' rates (`euler_angles`).
Loops and other constraints leave the speeds N v, Psi N = 0: then P = N (N^T M N)^-1 N^T, and
J' qd gains J b, where b is the least acceleration, measured by M, that keeps the constraints: Psi b = -gamma.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from lagrangian.algorithms.closed.constrained import ROUNDING
from lagrangian.errors import ArgumentError, SingularWarning, is_number
from lagrangian.errors import warn as warn_of
from lagrangian.kernels.arguments import rows_of
from lagrangian.kernels.directions import Directions, chosen_directions, combination, names_of, refuse_dependent
from lagrangian.kernels.euler_angles import Orientation
from lagrangian.kernels.linear import decomposed, unit_rows
from lagrangian.model.loop import Frame
from lagrangian.model.mechanism import Mechanism

if TYPE_CHECKING:
    from lagrangian.kernels.dynamics import Dynamics

# the least part of the fastest direction's speed that is told apart from none
WORST = 1e-8
# the part of the fastest direction's speed below which a direction is on its way to be lost
THRESHOLD = 1e-3


@dataclass(frozen=True, repr=False)
class CartesianDynamics:
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
        told = f"F = M_x x'' + C_x + G_x + F_x of {self.frame!r} along {', '.join(self.directions)}"
        if self.M_x.ndim == 3:
            return f"{told}: {len(self.M_x)} states, {int(np.sum(self.singular))} of them singular"
        with np.printoptions(precision=4, suppress=True):
            parts = [f"{name} = {np.array2string(getattr(self, name), prefix='M_x = ')}" for name in ("M_x", "C_x", "G_x", "F_x")]
        near = ", singular" if self.singular else ""
        return "\n".join([told, *parts, f"condition {self.condition:.3g}{near}"])

    def __repr__(self) -> str:
        return f"<CartesianDynamics of {self.frame!r} along {', '.join(self.directions)}>"


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
) -> CartesianDynamics:
    """What `Dynamics.cartesian` gives; without `warn` it is left to the caller to look at `singular`."""
    (q, qd), batch = rows_of("cartesian", ("q", "qd"), (dyn.nq, dyn.nv), (q, qd))
    threshold = _check_threshold(threshold)
    bad = ~(np.isfinite(q).all(axis=1) & np.isfinite(qd).all(axis=1))
    if bad.any():  # what is not a number must not hide those that are
        q, qd = np.where(bad[:, None], dyn.mechanism.neutral(), q), np.where(bad[:, None], 0.0, qd)
    one = batch is None and not bad.any()  # functions of one state are the faster ones

    def at(function: Callable[..., Any], *states: np.ndarray) -> np.ndarray:
        return np.asarray(function(*(x[0] for x in states)))[None] if one else np.asarray(function(*states))

    N, b = freedom(dyn, q, qd, t)
    whole = at(lambda q: dyn.jacobian(q, frame), q)
    chosen = chosen_directions(dyn, frame, directions, whole, N, euler)
    rows = [names_of(euler).index(d) for d in chosen]
    drift = at(lambda q, qd: dyn.jacobian_dot_qd(q, qd, frame), q, qd)
    if euler is not None and min(rows) < 3:
        R, label = at(lambda q: dyn.pose(q, frame), q)[:, :3, :3], dyn.mechanism.frame(frame).name
        turned = Orientation.of(euler, R, _times(whole[:, :3], qd), label, ~bad, warn)
        T, s = _singular_values_by_angles(dyn.mechanism, turned, whole, N, rows)
        whole, drift = turned.jacobian(whole), turned.acceleration(drift)
    else:
        T, s = _singular_values(dyn.mechanism, whole, N, rows)
    drift = drift[:, rows]
    J = np.ascontiguousarray(whole[:, rows])
    near = s / np.maximum(s[:, :1], np.finfo(float).tiny)
    if (near < threshold).any():
        refuse_dependent(dyn, frame, chosen, euler)
    forces = _JointForces(
        np.broadcast_to(at(dyn.mass_matrix, q), (len(q), dyn.nv, dyn.nv)),
        _times(at(dyn.coriolis_matrix, q, qd), qd),
        at(dyn.gravity, q),
        at(lambda q, qd: dyn.friction(qd, q=q), q, qd),
    )
    P = _inverse_within(forces.M, N, dyn.mechanism.name)
    if N is not None:
        drift = drift + _times(J, b - _times(P @ forces.M, b))
    M_x = _effective_mass(T, J @ P @ _T(J), near, threshold)
    singular = near[:, -1] < threshold
    label = dyn.mechanism.frame(frame).name
    found = forces.at_frame(label, chosen, M_x, J, P @ _T(J) @ M_x, drift, 1 / np.maximum(near[:, -1], WORST), singular)
    if warn and singular[~bad].any():
        part = np.where(singular & ~bad, near[:, -1], np.inf)
        _warn_of_singular(dyn, found, part, combination(T[int(np.argmin(part)), -1], chosen), batch)
    return _as_asked(found, bad, batch)


@dataclass(frozen=True)
class _JointForces:
    """What the equations of motion have at the joints: the mass matrix, and forces by velocities, gravity and friction."""

    M: np.ndarray
    velocity: np.ndarray
    gravity: np.ndarray
    friction: np.ndarray

    def at_frame(
        self,
        frame: str,
        directions: tuple[str, ...],
        M_x: np.ndarray,
        J: np.ndarray,
        J_bar: np.ndarray,
        drift: np.ndarray,
        condition: np.ndarray,
        singular: np.ndarray,
    ) -> CartesianDynamics:
        """The same forces along directions of a frame, by J_bar's transpose."""
        back = _T(J_bar)
        return CartesianDynamics(
            frame,
            directions,
            M_x,
            _times(back, self.velocity) - _times(M_x, drift),
            _times(back, self.gravity),
            _times(back, self.friction),
            J,
            J_bar,
            np.eye(J.shape[-1]) - _T(J) @ back,
            drift,
            condition,
            singular,
        )


def _check_threshold(threshold: float) -> float:
    if not is_number(threshold) or not 1e-7 <= threshold < 1:
        raise ArgumentError(
            f"is {threshold!r}", where="cartesian", argument="threshold", remedy="a number from 1e-7 to below 1 is needed"
        )
    return float(threshold)


def _warn_of_singular(dyn: Dynamics, found: CartesianDynamics, part: np.ndarray, lost: str, batch: int | None) -> None:
    """`part` is how fast the slowest direction is, of the fastest one; not finite where nothing is near to being lost."""
    worst = int(np.argmin(part))
    which = "" if batch is None else f" at {int(np.isfinite(part).sum())} of {batch} states, worst at state {worst}"
    warn_of(
        f"{dyn.mechanism.name}: it is near a singular configuration{which}: {found.frame!r} moves along {lost} at "
        f"{part[worst]:.2g} of the speed of its fastest direction. The equations leave this direction out",
        SingularWarning,
    )


def freedom(dyn: Dynamics, q: np.ndarray, qd: np.ndarray, t: ArrayLike) -> tuple[np.ndarray | None, np.ndarray]:
    """N, whose columns span the speeds the constraints leave (those that are none are zero), and some qdd that keeps them.

    None stands for all speeds.
    """
    count, n, m = len(q), dyn.nv, len(dyn.constraint_names)
    if not m:
        return None, np.zeros((count, n))
    psi = np.broadcast_to(dyn.constraint_jacobian(q, t), (count, m, n))
    rows, size = unit_rows(psi)
    U, inverse, V = decomposed(rows, whole=True)
    r = inverse.shape[1]
    gamma = np.broadcast_to(dyn.constraint_bias(q, qd, t), (count, m)) / size
    part = inverse * _times(_T(U)[:, :r], gamma)
    free = np.ones((count, n), dtype=bool)
    free[:, :r] = inverse == 0
    return _T(V) * free[:, None, :], -_times(_T(V)[:, :, :r], part)


def _inverse_within(M: np.ndarray, N: np.ndarray | None, name: str) -> np.ndarray:
    """N (N^T M N)^-1 N^T, where columns of N may be zero."""
    try:
        if N is None:
            return np.linalg.inv(M)
        idle: np.ndarray = ~(N != 0).any(axis=1)
        return N @ np.linalg.inv(_T(N) @ M @ N + np.eye(N.shape[1]) * idle[:, None, :]) @ _T(N)
    except np.linalg.LinAlgError:
        raise ArgumentError(f"cartesian: the mass matrix of {name} is singular: something that moves has no inertia") from None


def _singular_values(
    mechanism: Mechanism, whole: np.ndarray, N: np.ndarray | None, rows: list[int]
) -> tuple[np.ndarray, np.ndarray]:
    """Of J along the rows, the largest first, and the combinations of directions they belong to, as rows."""
    slides = np.array([slides for j in mechanism.joints for slides in j.slides], dtype=bool)
    turns = whole @ N if N is not None else whole[:, :, ~slides]
    angular, linear = (np.linalg.norm(turns[:, part], axis=(1, 2)) for part in (slice(0, 3), slice(3, 6)))
    known = (angular > ROUNDING) & (linear > ROUNDING)
    L = np.where(known, linear, 1.0) / np.where(known, angular, 1.0)
    lengths = np.where(slides, L[:, None], 1.0)  # the speeds that count alike
    scale = np.where(np.array(rows) < 3, L[:, None], 1.0)
    J = whole[:, rows] * scale[:, :, None]
    if N is None:
        J = J * lengths[:, None, :]
        squares, U = np.linalg.eigh(J @ _T(J))
    else:
        weight = np.eye(len(slides)) / lengths[:, :, None] ** 2
        squares, U = np.linalg.eigh(J @ _inverse_within(weight, N, mechanism.name) @ _T(J))
    return _T(U)[:, ::-1] * scale[:, None, :], np.sqrt(np.maximum(squares[:, ::-1], 0.0))


def _singular_values_by_angles(
    mechanism: Mechanism, turned: Orientation, whole: np.ndarray, N: np.ndarray | None, rows: list[int]
) -> tuple[np.ndarray, np.ndarray]:
    """The same with Euler angles among the rows.

    All three angles move where the angular velocity does: what is near to being lost has nothing to do with them.
    """
    T, s = _singular_values(mechanism, whole if turned.whole(rows) else turned.jacobian(whole), N, rows)
    return turned.combinations(T, rows), s


def _effective_mass(T: np.ndarray, A: np.ndarray, near: np.ndarray, threshold: float) -> np.ndarray:
    """A^-1, where nothing is near; what is nearer than half the threshold is left out, as if it had not been asked for.

    In between it fades: what is said of a direction, and what couples it to others, without a jump for a controller to meet.
    """
    if (near >= threshold).all():
        M_x = np.linalg.inv(A)
    else:
        part = np.clip(2 * near / threshold - 1, 0.0, 1.0)
        w = part * part * (3 - 2 * part)
        A = T @ A @ _T(T)
        alone = np.where(w > 0, np.diagonal(A, axis1=1, axis2=2), 1.0)
        A = w[:, :, None] * A * w[:, None, :] + np.eye(w.shape[1]) * ((1 - w * w) * alone)[:, None, :]
        K = w[:, :, None] * T
        M_x = _T(K) @ np.linalg.inv(A) @ K
    return (M_x + _T(M_x)) / 2


def _as_asked(found: CartesianDynamics, bad: np.ndarray, batch: int | None) -> CartesianDynamics:
    """For one state without the batch's axis; what was computed from no number is none."""
    made: dict[str, Any] = {}
    for field in fields(found):
        value = getattr(found, field.name)
        if isinstance(value, np.ndarray):
            if bad.any() and value.dtype != bool:
                value = np.where(bad.reshape(-1, *(1,) * (value.ndim - 1)), np.nan, value)
            value = value[0] if batch is None else value
            made[field.name] = value.item() if isinstance(value, np.generic) else value
        else:
            made[field.name] = value
    return CartesianDynamics(**made)


def _T(A: np.ndarray) -> np.ndarray:
    return np.swapaxes(A, -1, -2)


def _times(A: np.ndarray, x: np.ndarray) -> np.ndarray:
    """A x, of each state."""
    product: np.ndarray = (A @ x[..., None])[..., 0]
    return product
