"""Records to identify from: along exciting paths, with or without noise."""

from __future__ import annotations

from functools import cache

import numpy as np

import lagrangian as lg

Record = tuple[np.ndarray, ...]


@cache
def excitation_path(name: str = "puma560", periods: int = 1) -> lg.FourierTrajectory:
    return lg.excitation_trajectory(lg.library(name), periods=periods, iterations=0)


def record(arm: lg.Mechanism, path: lg.FourierTrajectory, rate: float = 100.0, share: float = 0.0, seed: int = 0) -> Record:
    """t, q, tau, qd, qdd along a path, with noise on the forces as a share of their root mean square."""
    t = np.arange(0, path.duration, 1 / rate)
    q, qd, qdd = path(t)
    tau = np.array(lg.compile(arm).inverse_dynamics(q, qd, qdd))
    noise = np.random.default_rng(seed).normal(size=tau.shape) * share * np.sqrt(np.mean(tau**2, axis=0))
    return t, q, tau + noise, qd, qdd


def in_errors(actual: lg.Identification) -> np.ndarray:
    """Errors in standard errors, where the description is the truth."""
    return (actual.values - actual.described) / actual.standard_errors
