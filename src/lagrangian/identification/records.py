"""A record of a motion, checked, with its speeds and accelerations, and the filter that treats forces and regressor alike.

Coordinates are smoothed by a zero-phase Butterworth filter (fourth order, run forward and backward), which shifts nothing in
time. They are then differentiated as a quintic spline: central differences would themselves be a filter that the forces do not
have. Where the commanded path is known only the small deviation from it is smoothed; to a periodic path a Fourier series is
fitted over the whole record, which averages over periods (Swevers et al. 1997).

Forces are not differentiated, but a low-pass filter that is run over them *and* over the regressor's columns leaves the
equations as they are, tau_f = Y_f phi, and removes noise (Gautier). Then the rows are thinned to the rate that the filter
leaves independent, so that standard errors count each of them once.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from lagrangian.arguments import floats
from lagrangian.configuration.record import follow_record
from lagrangian.configuration.speeds import actuated_speeds
from lagrangian.errors import ArgumentError, is_number
from lagrangian.identification.projection import Projection
from lagrangian.kernels.dynamics import Dynamics
from lagrangian.model.mechanism import Mechanism
from lagrangian.motion.motion import Motion
from lagrangian.paths.path import JointPath

ORDER = 4
CUTOFF_FACTOR = 10.0  # the default cutoff, in terms of the frequency below which nearly all of the motion is
POWER_SHARE = 0.999  # of the coordinates' power
MAX_CUTOFF = 0.4  # of the sampling rate
RecordArrays = tuple[ArrayLike, ArrayLike, ArrayLike, ArrayLike | None, ArrayLike | None]

# a path that was commanded: one of lagrangian.paths, or a function from times to coordinates, speeds and accelerations
CommandedPath = JointPath | Callable[[np.ndarray], tuple[np.ndarray, np.ndarray, np.ndarray]]
HARMONIC_FACTOR = 4  # of the harmonics of the path: the control loop adds some


@dataclass(frozen=True)
class Record:
    """All coordinates, speeds, accelerations and forces at times; the equations are filtered by `low_pass` if there is one."""

    t: np.ndarray
    q: np.ndarray
    qd: np.ndarray
    qdd: np.ndarray
    tau: np.ndarray
    projection: Projection
    low_pass: LowPass | None
    treatment: str


def read_record(
    dyn: Dynamics,
    t: Any,
    q: Any,
    tau: Any,
    qd: Any,
    qdd: Any,
    path: CommandedPath | None,
    cutoff: float | None,
    names: tuple[str, ...] | None = None,
) -> Record:
    """Check a record, find the speeds and accelerations that it lacks, and close the loops at every row."""
    mechanism = dyn.mechanism
    t = _record_times(t)
    driven = actuated_speeds(mechanism)
    q = _record_array("q", q, len(t), mechanism.coordinate_names, driven if mechanism.equation_count else ())
    tau = _record_array("tau", tau, len(t), mechanism.speed_names, driven)
    has_rates = _check_rates(qd, qdd, cutoff)
    start = q[0] if q.shape[1] == mechanism.nq else None
    if mechanism.nq != mechanism.nv and not has_rates:
        q = _differentiable_coordinates(mechanism, q, driven)
    low_pass, treatment = None, "The speeds and accelerations were given"
    if has_rates:
        qd, qdd = (_record_array(name, x, len(t), mechanism.speed_names, ()) for name, x in (("qd", qd), ("qdd", qdd)))
        if cutoff is not None:
            t, q, qd, qdd, tau = resample_uniformly(t, q, qd, qdd, tau)
            low_pass = LowPass(t, cutoff)
            treatment += f"; the equations were filtered at {cutoff:.3g} Hz"
    else:
        t, q, qd, qdd, tau, low_pass, treatment = _differentiate(t, q, tau, path, cutoff)
    all_torques = np.zeros((len(t), mechanism.nv))
    torque_names = driven if tau.shape[1] != mechanism.nv else mechanism.speed_names
    all_torques[:, [mechanism.speed_names.index(name) for name in torque_names]] = tau
    if q.shape[1] != mechanism.nq:
        q = follow_record(dyn, q, driven, t, start)
    projection = Projection(dyn, q[len(q) // 2], float(t[len(q) // 2]))
    if names is not None:
        projection.set_independent(names)
    if not has_rates and not projection.trivial:
        columns = _independent_columns(projection, driven if qd.shape[1] != mechanism.nv else mechanism.speed_names)
        qd, qdd = projection.full_rates(q, qd[:, columns], qdd[:, columns], t)
    return Record(t, q, qd, qdd, all_torques, projection, low_pass, treatment)


def _check_rates(qd: Any, qdd: Any, cutoff: float | None) -> bool:
    """Whether a record has its speeds and accelerations; the cutoff of its filter is checked, too."""
    rates_given = [name for name, x in (("qd", qd), ("qdd", qdd)) if x is not None]
    if len(rates_given) == 1:
        raise ArgumentError(f"identify: {rates_given[0]} is given alone; give both qd and qdd, or neither")
    if cutoff is not None and not (is_number(cutoff) and cutoff > 0):
        raise ArgumentError(f"is {cutoff!r}", where="identify", argument="cutoff", remedy="a positive frequency in Hz is needed")
    return bool(rates_given)


def _differentiable_coordinates(mechanism: Mechanism, q: np.ndarray, driven: tuple[str, ...]) -> np.ndarray:
    """The actuated coordinates, from which all others follow; an error if they do not have speeds as derivatives."""
    if not mechanism.equation_count or not set(driven) <= set(mechanism.coordinate_names):
        raise ArgumentError(
            f"identify: {mechanism.name} has ball or free joints, whose speeds are not the derivatives of q; give qd and qdd"
        )
    return q if q.shape[1] != mechanism.nq else q[:, [mechanism.coordinate_names.index(name) for name in driven]]


def _independent_columns(projection: Projection, names: tuple[str, ...]) -> list[int]:
    """The columns of the independent speeds among those that a record has."""
    for name in projection.names:
        if name not in names:
            raise ArgumentError(f"identify: {name} moves independently of the actuated joints; give q, qd and qdd of all joints")
    return [names.index(name) for name in projection.names]


def _differentiate(
    t: np.ndarray, q: np.ndarray, tau: np.ndarray, path: CommandedPath | None, cutoff: float | None
) -> tuple[Any, ...]:
    period, path_harmonics = getattr(path, "period", None), getattr(path, "harmonics", None)
    if path is not None and not callable(path):
        raise ArgumentError(
            f"is a {type(path).__name__}",
            where="identify",
            argument="path",
            remedy="a path is needed, such as one of excitation_trajectory",
        )
    if period is not None and path_harmonics is not None:
        harmonics = HARMONIC_FACTOR * int(path_harmonics) if cutoff is None else max(int(path_harmonics), int(cutoff * period))
        q, qd, qdd = fourier_fit(t, q, float(period), harmonics)
        return t, q, qd, qdd, tau, None, f"The coordinates were fitted with {harmonics} harmonics of {period:g} s"
    t, q, tau = resample_uniformly(t, q, tau)
    cutoff = default_cutoff(t, q) if cutoff is None else float(cutoff)
    low_pass = LowPass(t, cutoff)
    q, qd, qdd = differentiate(t, q, low_pass, path)
    subject = "deviations of the coordinates from the path" if path is not None else "coordinates"
    treatment = f"The {subject} were filtered at {cutoff:.3g} Hz and differentiated, and the equations were filtered alike"
    return t, q, qd, qdd, tau, low_pass, treatment


def _record_times(t: ArrayLike) -> np.ndarray:
    try:
        t = floats(t)
    except (TypeError, ValueError):
        raise ArgumentError("must be an array of times", where="identify", argument="t") from None
    if t.ndim != 1 or len(t) < 20:
        raise ArgumentError(
            f"has shape {t.shape}", where="identify", argument="t", remedy="one time for each of at least 20 rows is needed"
        )
    if not np.isfinite(t).all():
        raise ArgumentError(f"is not finite in row {int(np.argmin(np.isfinite(t)))}", where="identify", argument="t")
    if np.any(np.diff(t) <= 0):
        k = int(np.argmax(np.diff(t) <= 0))
        raise ArgumentError(f"identify: times must increase; {t[k + 1]:g} s follows {t[k]:g} s (row {k})", concerns="t")
    return t


def _record_array(argument: str, value: Any, row_count: int, names: tuple[str, ...], fewer_names: tuple[str, ...]) -> np.ndarray:
    try:
        x = floats(value)
    except (TypeError, ValueError):
        raise ArgumentError("must be an array of numbers", where="identify", argument=argument) from None
    if x.ndim == 1 and len(x) == row_count and len(names) == 1:
        x = x[:, None]
    widths = {len(names), len(fewer_names)} - {0}
    if x.ndim != 2 or x.shape[0] != row_count or x.shape[1] not in widths:
        shapes = " or ".join(f"({row_count}, {width})" for width in sorted(widths, reverse=True))
        raise ArgumentError(
            f"has shape {x.shape}",
            where="identify",
            argument=argument,
            remedy=f"{shapes} is needed, a column for each of {', '.join(names[:12])}",
        )
    if not np.isfinite(x).all():
        row, column = np.argwhere(~np.isfinite(x))[0]
        raise ArgumentError(f"is not finite in row {row}, column {column}", where="identify", argument=argument)
    return x


def record_arrays(
    t: ArrayLike | Motion, q: ArrayLike | None, tau: ArrayLike | None, qd: ArrayLike | None, qdd: ArrayLike | None
) -> RecordArrays:
    """The arrays of a record, which may be given as a motion."""
    if isinstance(t, Motion):
        if any(x is not None for x in (q, tau, qd, qdd)):
            raise ArgumentError("identify: the motion contains q, tau, qd and qdd; give either a motion, or t, q and tau")
        return t.t, t.q, t.tau, t.qd, t.qdd
    if q is None or tau is None:
        missing = [name for name, x in (("q", q), ("tau", tau)) if x is None]
        raise ArgumentError(
            f"identify: {' and '.join(missing)} {'is' if len(missing) == 1 else 'are'} missing; a record of t, q and tau is "
            f"needed, or a Motion"
        )
    return t, q, tau, qd, qdd


class LowPass:
    """A zero-phase low-pass filter for a record of equal steps; the rows that its ends spoil are dropped."""

    def __init__(self, t: np.ndarray, cutoff: float) -> None:
        from scipy.signal import butter

        self.rate = (len(t) - 1) / (t[-1] - t[0])
        if not 0 < cutoff < 0.5 * self.rate:
            raise ArgumentError(
                f"is {cutoff:g} Hz",
                argument="cutoff",
                remedy=f"it must be positive and below half the sampling rate, {0.5 * self.rate:g} Hz",
            )
        self.cutoff = cutoff
        self.sections = butter(ORDER, cutoff, fs=self.rate, output="sos")
        self.edge_rows = int(np.ceil(2 * self.rate / cutoff))
        if len(t) < 4 * self.edge_rows + 20:
            raise ArgumentError(
                f"the record has {len(t)} rows at {self.rate:g} Hz, of which a cutoff of {cutoff:.3g} Hz spoils {self.edge_rows} "
                f"at each end; record longer, raise the cutoff, or give qd and qdd",
                concerns="cutoff",
            )

    def __call__(self, x: np.ndarray) -> np.ndarray:
        from scipy.signal import sosfiltfilt

        filtered: np.ndarray = sosfiltfilt(self.sections, x, axis=0, padlen=min(len(x) - 1, 3 * self.edge_rows))
        return filtered

    @property
    def valid_rows(self) -> slice:
        """The rows that are not spoilt, thinned to independent ones: steps of half the cutoff's period."""
        stride = max(1, round(self.rate / (2 * self.cutoff)))
        return slice(self.edge_rows, -self.edge_rows, stride)


def default_cutoff(t: np.ndarray, q: np.ndarray) -> float:
    """Ten times the frequency below which 99.9 % of the coordinates' power is; at most 0.4 of the sampling rate."""
    from scipy.signal import detrend

    rate = (len(t) - 1) / (t[-1] - t[0])
    window = np.hanning(len(t))[:, None]
    power = np.abs(np.fft.rfft(detrend(q, axis=0) * window, axis=0)) ** 2
    frequencies = np.fft.rfftfreq(len(t), 1 / rate)
    highest = frequencies[1]
    for column in power.T:
        cumulative_power = np.cumsum(column)
        if cumulative_power[-1] > 0:
            highest = max(highest, frequencies[int(np.searchsorted(cumulative_power, POWER_SHARE * cumulative_power[-1]))])
    return float(min(CUTOFF_FACTOR * highest, MAX_CUTOFF * rate))


def resample_uniformly(t: np.ndarray, *arrays: np.ndarray) -> tuple[np.ndarray, ...]:
    """Return the record at equal steps; if its steps differ by more than 0.1 % it is interpolated by cubic splines."""
    step = (t[-1] - t[0]) / (len(t) - 1)
    if np.abs(np.diff(t) - step).max() <= 1e-3 * step:
        return (t, *arrays)
    from scipy.interpolate import CubicSpline

    uniform_times = np.linspace(t[0], t[-1], len(t))
    return (uniform_times, *(CubicSpline(t, x, axis=0)(uniform_times) for x in arrays))


def differentiate(t: np.ndarray, q: np.ndarray, low_pass: LowPass | None, path: Any = None) -> tuple[np.ndarray, ...]:
    """Return smoothed q with qd and qdd. If the commanded `path(t)` is known only the deviation from it is smoothed."""
    from scipy.interpolate import make_interp_spline

    commanded = path(t) if path is not None else (0.0, 0.0, 0.0)
    smooth = low_pass(q - commanded[0]) if low_pass is not None else q - commanded[0]
    spline = make_interp_spline(t, smooth, k=5)
    return smooth + commanded[0], spline(t, 1) + commanded[1], spline(t, 2) + commanded[2]


def fourier_fit(t: np.ndarray, q: np.ndarray, period: float, harmonics: int) -> tuple[np.ndarray, ...]:
    """Return q, qd and qdd of the Fourier series of this period and number of harmonics that fits the record best."""
    w = 2 * np.pi / period * np.arange(1, harmonics + 1)
    if len(t) < 4 * (2 * harmonics + 1):
        raise ArgumentError(f"the record has {len(t)} rows; a Fourier series of {harmonics} harmonics needs more")
    phase = np.outer(t, w)
    c, s = np.cos(phase), np.sin(phase)
    ones, zeros = np.ones((len(t), 1)), np.zeros((len(t), 1))
    x = np.linalg.lstsq(np.hstack([ones, c, s]), q, rcond=None)[0]
    return (
        np.hstack([ones, c, s]) @ x,
        np.hstack([zeros, -w * s, w * c]) @ x,
        np.hstack([zeros, -w * w * c, -w * w * s]) @ x,
    )
