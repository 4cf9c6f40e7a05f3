"""The influence of each input of a study: Sobol's indices if the samples were drawn for them, else rank correlations."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

RESAMPLINGS = 400  # of the groups, for the intervals of confidence
_MAX_RESAMPLED = 4_000_000  # numbers that are resampled at a time


@dataclass(frozen=True, eq=False)
class SensitivityIndices:
    """The influence of each input of a study on one output.

    `Study.indices` returns this. Every number has an interval of 95 % confidence.

    Attributes
    ----------
    kind : str
        "sobol" for Sobol's indices, or "rank" for Spearman's rank correlations.
    output : str
        The output.
    names : tuple of str
        The inputs.
    first : ndarray
        For each input, Sobol's index of first order, which is the share of the variance that the input causes by itself; or the
        rank correlation.
    first_interval : ndarray
        The intervals of `first`, with the shape (inputs, 2).
    total : ndarray or None
        Sobol's total index: the share of the variance that the input causes together with all its interactions. None for rank
        correlations.
    total_interval : ndarray or None
        The intervals of `total`.
    samples : int
        The number of samples that count; those that failed do not.

    Notes
    -----
    First order by Saltelli et al., Comput. Phys. Commun. 181 (2010) 259, and total order by Jansen, Comput. Phys. Commun. 117
    (1999) 35, with bootstrap intervals. Intervals of rank correlations are by Bonett and Wright, Psychometrika 65 (2000) 23.

    Examples
    --------
    The length of a pendulum matters to its largest speed, and its mass does not:

    >>> import lagrangian as lg
    >>> over = {"L": lg.distributions.normal(1.0, 0.05), "m": lg.distributions.uniform(0.9, 1.1)}
    >>> study = lg.study("pendulum", over, {"t_span": 2}, "max(qd_theta)", samples=64, workers=1)
    >>> print(study.indices("max(qd_theta)"))
    max(qd_theta): rank correlations from 64 samples, with 95 % intervals
      L  -1.000 (-1.000 to -1.000)
      m  +0.000 (-0.246 to +0.246)
    """

    kind: str
    output: str
    names: tuple[str, ...]
    first: np.ndarray
    first_interval: np.ndarray  # (names, 2)
    total: np.ndarray | None
    total_interval: np.ndarray | None
    samples: int  # that counted: those that failed do not

    def __str__(self) -> str:
        name_width = max(map(len, self.names))
        if self.total is None or self.total_interval is None:
            lines = [f"{self.output}: rank correlations from {self.samples} samples, with 95 % intervals"]
            for name, x, (low, high) in zip(self.names, self.first, self.first_interval, strict=True):
                lines.append(f"  {name:<{name_width}}  {x:+.3f} ({low:+.3f} to {high:+.3f})")
            return "\n".join(lines)
        lines = [f"{self.output}: Sobol's indices from {self.samples} samples, with 95 % intervals"]
        rows = zip(self.names, self.first, self.first_interval, self.total, self.total_interval, strict=True)
        for name, x, (low, high), y, (total_low, total_high) in rows:
            first, total = f"{x:.3f} ({low:.3f} to {high:.3f})", f"{y:.3f} ({total_low:.3f} to {total_high:.3f})"
            lines.append(f"  {name:<{name_width}}  first {first}  total {total}")
        return "\n".join(lines)

    __repr__ = __str__


def sobol_indices(output: str, names: tuple[str, ...], values: np.ndarray, seed: int = 0) -> SensitivityIndices:
    """Sobol's indices from the results of Saltelli's design, (groups, 2 + names). Groups with a failure are left out.

    First order by Saltelli et al., Comput. Phys. Commun. 181 (2010) 259, equation (b) of their table 2; total by Jansen, Comput.
    Phys. Commun. 117 (1999) 35, equation (f) there. Intervals are percentiles of a bootstrap over the groups.
    """
    groups = values[np.isfinite(values).all(axis=1)]
    n = len(groups)
    if n < 2:
        no_values = np.full(len(names), np.nan)
        no_intervals = np.column_stack([no_values, no_values])
        return SensitivityIndices("sobol", output, names, no_values, no_intervals, no_values, no_intervals, n * values.shape[1])
    first, total = _estimate_indices(groups[None])
    resampled: tuple[list[np.ndarray], list[np.ndarray]] = ([], [])
    generator = np.random.default_rng(seed)
    sets_at_once = max(1, _MAX_RESAMPLED // groups.size)
    for k in range(0, RESAMPLINGS, sets_at_once):
        draws = generator.integers(0, n, (min(sets_at_once, RESAMPLINGS - k), n))
        for estimate_lists, estimates in zip(resampled, _estimate_indices(groups[draws]), strict=True):
            estimate_lists.append(estimates)
    intervals = [np.percentile(np.concatenate(x), (2.5, 97.5), axis=0).T for x in resampled]
    return SensitivityIndices("sobol", output, names, first[0], intervals[0], total[0], intervals[1], n * values.shape[1])


def _estimate_indices(groups: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Estimate the indices of first and total order for sets of groups, (sets, groups, 2 + names)."""
    a, b, mixed = groups[..., 0], groups[..., 1], groups[..., 2:]
    with np.errstate(invalid="ignore", divide="ignore"):
        base_results = np.concatenate([a, b], axis=1)
        variance = base_results.var(axis=1)[:, None]
        # the mean is taken off, which changes nothing but rounding and the estimate's own variance
        centred = b - base_results.mean(axis=1)[:, None]
        first = np.mean(centred[..., None] * (mixed - a[..., None]), axis=1) / variance
        total = 0.5 * np.mean((a[..., None] - mixed) ** 2, axis=1) / variance
    return first, total


def rank_correlations(output: str, names: tuple[str, ...], samples: np.ndarray, values: np.ndarray) -> SensitivityIndices:
    """Spearman's rank correlations of a result with each column of the samples; intervals by Fisher's transformation.

    The variance of its normal approximation is that of Bonett and Wright, Psychometrika 65 (2000) 23.
    """
    from scipy.stats import rankdata

    finite = np.isfinite(values)
    n = int(finite.sum())
    if n < 4:
        no_values = np.full(len(names), np.nan)
        return SensitivityIndices("rank", output, names, no_values, np.column_stack([no_values, no_values]), None, None, n)
    y = rankdata(values[finite])
    x = np.column_stack([rankdata(column) for column in samples[finite].T])
    x, y = x - x.mean(axis=0), y - y.mean()
    with np.errstate(invalid="ignore", divide="ignore"):
        r = np.clip(x.T @ y / np.sqrt((x * x).sum(axis=0) * (y @ y)), -1, 1)
        half = 1.959964 * np.sqrt((1 + r * r / 2) / (n - 3))
        z = np.arctanh(r)
    return SensitivityIndices("rank", output, names, r, np.column_stack([np.tanh(z - half), np.tanh(z + half)]), None, None, n)
