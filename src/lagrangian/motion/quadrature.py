"""Gauss's quadrature, with Legendre's polynomials through the values at its places (Abramowitz and Stegun, 25.4.29)."""

from __future__ import annotations

from functools import cache

import numpy as np
from numpy.polynomial import legendre


@cache
def rule(nodes: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Gauss's nodes; what takes values there to coefficients over Legendre's polynomials; the integrals of these from -1."""
    at, weights = legendre.leggauss(nodes)
    values = legendre.legvander(at, nodes - 1)  # nodes x polynomials
    fit = (values * weights[:, None]).T * ((2 * np.arange(nodes) + 1) / 2)[:, None]
    integral = np.array([legendre.legint(np.eye(nodes)[k], lbnd=-1) for k in range(nodes)])
    return at, fit, integral


@cache
def running_integrals(nodes: int) -> tuple[np.ndarray, np.ndarray]:
    """Gauss's places between 0 and 1; and the matrix that takes values there to integrals from 0 to each of them, and to 1."""
    at, fit, integral = rule(nodes)
    return 0.5 * (at + 1), 0.5 * legendre.legvander(np.append(at, 1.0), nodes) @ integral.T @ fit
