"""A smooth function of time as pieces of Chebyshev's polynomials: slow to compute once, and fast to evaluate afterwards.

Trefethen, Approximation Theory and Approximation Practice (2013): values at Chebyshev's points give the coefficients, and where
the last of these are not yet rounding, a piece is cut in two.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

DEGREE = 15
MIN_RELATIVE_SCALE = 1e-2  # of the largest column
TOLERANCE = 1e-13  # of the largest value of each column
MAX_HALVINGS = 26  # of a piece, where the function jumps
MAX_PIECES = 16384  # where the function is smooth nowhere
NOISE_TOLERANCE = 1e-11  # of the largest value: an error below this that halving does not make smaller is rounding

_ORDERS = np.arange(DEGREE + 1)
_POINTS = np.cos((2 * _ORDERS + 1) * np.pi / (2 * DEGREE + 2))  # Chebyshev's points of the first kind: none at the ends
_VALUES_TO_COEFFICIENTS = np.cos(np.outer(_ORDERS, (2 * _ORDERS + 1) * np.pi / (2 * DEGREE + 2))) * (2 / (DEGREE + 1))
_VALUES_TO_COEFFICIENTS[0] /= 2


@dataclass(frozen=True, eq=False)
class ChebyshevSeries:
    """Pieces from `edges[k]` to `edges[k + 1]`, each with coefficients (DEGREE + 1, columns)."""

    edges: np.ndarray
    coefficients: np.ndarray

    @staticmethod
    def interpolate(
        function: Callable[[np.ndarray], np.ndarray],
        start: float,
        end: float,
        discontinuities: Sequence[float] = (),
        pieces: int = 16,
    ) -> ChebyshevSeries:
        """Make the series of a function of times (n,), whose values are (n, columns); it may jump at the discontinuities."""
        inner = [x for x in discontinuities if start < x < end]
        edges = np.unique(np.concatenate([np.linspace(start, end, pieces + 1), inner]))
        edges = np.append(edges[:-1][np.diff(edges) > 1e-12 * (end - start)], end)
        open_pieces = list(pairwise(edges))
        finished_pieces: dict[float, tuple[float, np.ndarray]] = {}
        scale: np.ndarray | None = None
        previous_errors = np.full(len(open_pieces), np.inf)  # the errors of the pieces of which these are halves
        for depth in range(MAX_HALVINGS + 1):
            a, b = np.array(open_pieces).T
            times = (0.5 * (a + b)[:, None] + 0.5 * (b - a)[:, None] * _POINTS).ravel()
            values = function(times).reshape(len(open_pieces), DEGREE + 1, -1)
            largest = np.abs(values).max(axis=(0, 1))
            scale = largest if scale is None else np.maximum(scale, largest)
            # a column that is tiny beside the others need not be exact
            scale = np.maximum(scale, MIN_RELATIVE_SCALE * scale.max(initial=0.0))
            coefficients = np.einsum("kn,pnc->pkc", _VALUES_TO_COEFFICIENTS, values)
            errors = (np.abs(coefficients[:, -3:]).max(axis=1) / (scale + 1e-9)).max(axis=1, initial=0.0)
            converged = (errors <= TOLERANCE) | ((errors < NOISE_TOLERANCE) & (errors > 0.6 * previous_errors))
            converged |= (depth == MAX_HALVINGS) | (len(finished_pieces) + 2 * len(open_pieces) > MAX_PIECES)
            finished_pieces |= {a[k]: (b[k], coefficients[k]) for k in np.flatnonzero(converged)}
            open_pieces = [
                half for k in np.flatnonzero(~converged) for half in ((a[k], (a[k] + b[k]) / 2), ((a[k] + b[k]) / 2, b[k]))
            ]
            previous_errors = np.repeat(errors[~converged], 2)
            if not open_pieces:
                break
        starts = sorted(finished_pieces)
        return ChebyshevSeries(np.array([*starts, end]), np.array([finished_pieces[x][1] for x in starts]))

    def __call__(self, t: float) -> np.ndarray:
        """The values at one time, (columns,)."""
        k = min(max(int(np.searchsorted(self.edges, t, side="right")) - 1, 0), len(self.coefficients) - 1)
        a, b = self.edges[k], self.edges[k + 1]
        x = min(1.0, max(-1.0, (2 * t - a - b) / (b - a)))
        value: np.ndarray = np.cos(_ORDERS * np.arccos(x)) @ self.coefficients[k]
        return value

    def evaluate_many(self, t: np.ndarray) -> np.ndarray:
        """The values at times (n,), as an array (n, columns)."""
        k = np.clip(np.searchsorted(self.edges, t, side="right") - 1, 0, len(self.coefficients) - 1)
        a, b = self.edges[k], self.edges[k + 1]
        x = np.clip((2 * t - a - b) / (b - a), -1.0, 1.0)
        return np.einsum("nk,nkc->nc", np.cos(np.arccos(x)[:, None] * _ORDERS), self.coefficients[k])
