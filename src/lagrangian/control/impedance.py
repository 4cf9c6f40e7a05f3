"""Impedance control: a frame that yields to forces as a spring and a damper do (Hogan 1985)."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from lagrangian.arguments import floats
from lagrangian.control.cartesian_controller import CartesianController
from lagrangian.control.controller import gains
from lagrangian.errors import ArgumentError, shown
from lagrangian.public import public


@public
@dataclass(frozen=True, repr=False, eq=False)
class Impedance(CartesianController):
    """M_x e'' + D e' + K e = -F_external along the frame's directions, e = x_d - x: a spring of given `stiffness` to the path.

    `stiffness` is in N/m, and N m/rad about the angular directions: a number, one for each direction, or a matrix. The inertia
    stays the mechanism's own, M_x, so no force has to be measured. `damping` is the ratio of every mode of K and M_x:
    D = 2 zeta A (A^-1 K A^-1)^1/2 A with A = M_x^1/2. A constant force F moves the frame by K^-1 F.

    Other arguments are those of `CartesianController`.
    """

    stiffness: Any = field(default=None, kw_only=True)
    damping: float = field(default=1.0, kw_only=True)

    def _prepare(self) -> None:
        super()._prepare()
        k = len(self.directions)
        if self.stiffness is None:
            raise ArgumentError(
                f"how stiff is the frame to be? Give stiffness= in N/m (N m/rad about wx, wy, wz), a number, one for each of "
                f"{', '.join(self.directions)}, or a matrix",
                concerns="stiffness",
            )
        try:
            K = floats(self.stiffness)
        except (TypeError, ValueError):
            raise ArgumentError(f"is {shown(self.stiffness)}", argument="stiffness", remedy="numbers are needed") from None
        if K.ndim == 2:
            fine = K.shape == (k, k) and np.isfinite(K).all() and np.allclose(K, K.T) and np.linalg.eigvalsh(K).min() >= 0
            if not fine:
                raise ArgumentError(
                    f"is a matrix of shape {K.shape}",
                    argument="stiffness",
                    remedy=f"a symmetric one of ({k}, {k}), not negative, is needed",
                )
        else:
            K = np.diag(gains("stiffness", self.stiffness, self.directions))
        self._keep(stiffness=K, damping=float(gains("damping", self.damping, ("all",))[0]))

    def __call__(self, t: float, q: Any, qd: Any) -> np.ndarray:
        q, qd = self._state(q, qd)
        now = self.situation(t, q, qd)
        D = damper(now.x.M_x, self.stiffness, self.damping)
        force = now.x.M_x @ now.acceleration + D @ now.rate + self.stiffness @ now.error
        return self.joint_forces(t, q, qd, now, force)


def damper(M: np.ndarray, K: np.ndarray, ratio: float) -> np.ndarray:
    """D with which every mode of M e'' + D e' + K e = 0 has the damping ratio; none along directions without mass."""
    masses, axes = np.linalg.eigh(M)
    root = np.sqrt(np.maximum(masses, 0.0))
    inverse = np.where(root > 1e-6 * root.max(initial=0.0), 1 / np.where(root > 0, root, 1.0), 0.0)
    A, back = (axes * root) @ axes.T, (axes * inverse) @ axes.T
    squares, modes = np.linalg.eigh(back @ K @ back)
    D: np.ndarray = 2 * ratio * A @ (modes * np.sqrt(np.maximum(squares, 0.0))) @ modes.T @ A
    return D
