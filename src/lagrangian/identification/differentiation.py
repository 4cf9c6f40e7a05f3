"""Speeds and accelerations of recorded coordinates, and the filter that treats forces and regressor alike.

Coordinates are smoothed by a zero-phase Butterworth filter (fourth order, run forward and backward), which shifts nothing in
time, and differentiated as a quintic spline through what comes out: central differences would themselves be a filter that the
forces do not have. Where the commanded path is known only the small deviation from it is smoothed; of a periodic path a Fourier
series is fitted to the whole record, which averages over periods (Swevers et al. 1997).

Forces are not differentiated, but a low-pass filter that is run over them *and* over the regressor's columns leaves the equations
as they are, tau_f = Y_f phi, and takes out noise (Gautier). Then the rows are thinned to the rate that the filter leaves
independent, so that standard errors count each of them once.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from lagrangian.errors import ArgumentError

ORDER = 4
BEYOND = 10.0  # the default cutoff, in terms of the frequency below which nearly all of the motion is
NEARLY = 0.999  # of the coordinates' power
HIGHEST = 0.4  # of the sampling rate


def uniform(t: np.ndarray, *arrays: np.ndarray) -> tuple[np.ndarray, ...]:
    """The record at equal steps: as it is, or, if its steps differ by more than 0.1 %, interpolated by cubic splines."""
    step = (t[-1] - t[0]) / (len(t) - 1)
    if np.abs(np.diff(t) - step).max() <= 1e-3 * step:
        return (t, *arrays)
    from scipy.interpolate import CubicSpline

    even = np.linspace(t[0], t[-1], len(t))
    return (even, *(CubicSpline(t, x, axis=0)(even) for x in arrays))


def default_cutoff(t: np.ndarray, q: np.ndarray) -> float:
    """Ten times the frequency below which 99.9 % of the coordinates' power is; at most 0.4 of the sampling rate."""
    from scipy.signal import detrend

    rate = (len(t) - 1) / (t[-1] - t[0])
    window = np.hanning(len(t))[:, None]
    power = np.abs(np.fft.rfft(detrend(q, axis=0) * window, axis=0)) ** 2
    frequencies = np.fft.rfftfreq(len(t), 1 / rate)
    highest = frequencies[1]
    for column in power.T:
        total = np.cumsum(column)
        if total[-1] > 0:
            highest = max(highest, frequencies[int(np.searchsorted(total, NEARLY * total[-1]))])
    return float(min(BEYOND * highest, HIGHEST * rate))


class LowPass:
    """Zero-phase, for a record of equal steps; what its ends spoil is dropped."""

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
        self.spoilt = int(np.ceil(2 * self.rate / cutoff))
        if len(t) < 4 * self.spoilt + 20:
            raise ArgumentError(
                f"the record has {len(t)} rows at {self.rate:g} Hz, of which a cutoff of {cutoff:.3g} Hz spoils {self.spoilt} at "
                f"each end; record longer, raise the cutoff, or give qd and qdd",
                concerns="cutoff",
            )

    def __call__(self, x: np.ndarray) -> np.ndarray:
        from scipy.signal import sosfiltfilt

        found: np.ndarray = sosfiltfilt(self.sections, x, axis=0, padlen=min(len(x) - 1, 3 * self.spoilt))
        return found

    @property
    def kept(self) -> slice:
        """Rows that are not spoilt, thinned to what is independent: steps of half the cutoff's period."""
        every = max(1, round(self.rate / (2 * self.cutoff)))
        return slice(self.spoilt, -self.spoilt, every)


def differentiated(t: np.ndarray, q: np.ndarray, low_pass: LowPass | None, path: Any = None) -> tuple[np.ndarray, ...]:
    """Smoothed q with qd and qdd; `path(t)` gives what was commanded, of which only the deviation is smoothed."""
    from scipy.interpolate import make_interp_spline

    commanded = path(t) if path is not None else (0.0, 0.0, 0.0)
    smooth = low_pass(q - commanded[0]) if low_pass is not None else q - commanded[0]
    spline = make_interp_spline(t, smooth, k=5)
    return smooth + commanded[0], spline(t, 1) + commanded[1], spline(t, 2) + commanded[2]


def fourier_fit(t: np.ndarray, q: np.ndarray, period: float, harmonics: int) -> tuple[np.ndarray, ...]:
    """q, qd and qdd of the Fourier series of that period and so many harmonics that fits the record best."""
    w = 2 * np.pi / period * np.arange(1, harmonics + 1)
    if len(t) < 4 * (2 * harmonics + 1):
        raise ArgumentError(f"the record has {len(t)} rows; a Fourier series of {harmonics} harmonics needs more")
    phase = np.outer(t, w)
    c, s = np.cos(phase), np.sin(phase)
    one, none = np.ones((len(t), 1)), np.zeros((len(t), 1))
    x = np.linalg.lstsq(np.hstack([one, c, s]), q, rcond=None)[0]
    return (
        np.hstack([one, c, s]) @ x,
        np.hstack([none, -w * s, w * c]) @ x,
        np.hstack([none, -w * w * c, -w * w * s]) @ x,
    )
