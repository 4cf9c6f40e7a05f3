"""What an identification found, to read and to use."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from lagrangian.arguments import array
from lagrangian.cached import cached_property
from lagrangian.errors import ArgumentError, one_of
from lagrangian.identification.estimate import Fit
from lagrangian.identification.grouping import Grouping
from lagrangian.identification.joint_parameters import ROTOR
from lagrangian.identification.records import Followed
from lagrangian.identification.regression import Regression
from lagrangian.model.mechanism import Mechanism
from lagrangian.motion.motion import Motion


@dataclass(frozen=True)
class Estimate:
    """A parameter: what it stands for, its value with standard error and 95 % interval, and what the description says."""

    name: str
    formula: str
    value: float
    standard_error: float
    interval: tuple[float, float]
    described: float

    @property
    def relative(self) -> float:
        """The standard error in percent of the value."""
        return 100 * self.standard_error / abs(self.value) if self.value else np.inf

    def __str__(self) -> str:
        return f"{self.name} = {self.value:.6g} ± {self.standard_error:.2g} ({self.formula})"


@dataclass(frozen=True)
class Validation:
    """Of each equation: the root mean square of the error and of the force, and the share of its variance that is explained."""

    equations: tuple[str, ...]
    error: np.ndarray
    force: np.ndarray
    r_squared: np.ndarray

    @property
    def percent(self) -> np.ndarray:
        """The error in percent of the force."""
        return 100 * self.error / np.maximum(self.force, 1e-300)

    def __str__(self) -> str:
        wide = max(len(name) for name in ("joint", *self.equations))
        lines = [f"{'joint':<{wide}}  RMS error        of RMS     R^2"]
        for name, e, p, f, r in zip(self.equations, self.error, self.percent, self.force, self.r_squared, strict=True):
            lines.append(f"{name:<{wide}}  {e:9.4g}  {p:5.2f} % of {f:<9.4g} {r:.6f}")
        return "\n".join(lines)


@dataclass(frozen=True, eq=False)
class Identification:
    """Estimates of base parameters, rotors and friction; `mechanism` is the described one with these parameters put in.

    `base` are the inertial ones and rotors, `joint_forces` those of friction and offsets; `identification["Izz1R"]` is one of
    them. `residuals` are the errors of each equation on the record itself, `cross_validation` those on stretches of time that
    were left out, `noise` the estimated standard deviation of each equation's error, `condition` the condition number of the
    weighted regressor with columns of length one. `inconsistency` is what the parameters of real bodies add to the sum of squares
    over variances: much more than there are parameters means that no real bodies of this description explain the record.

    The noise of the forces is assumed to have zero mean, to be independent from sample to sample, and to have a level of its own
    at each joint, which is estimated from the residuals and weights them. The noise of the coordinates is assumed to be small: it
    makes the regressor itself uncertain, which biases the estimates in second order. Standard errors and 95 % intervals
    (Student's t) say how far estimates scatter for such noise; they know nothing of friction that follows another law.
    """

    mechanism: Mechanism
    regression: Regression
    grouping: Grouping
    equations: tuple[str, ...]
    fit: Fit
    described: np.ndarray
    residuals: Validation
    crossed: Validation | str
    inconsistency: float
    physical: bool
    rows: int
    slow: float
    treatment: str

    @property
    def names(self) -> tuple[str, ...]:
        return self.grouping.names

    @property
    def values(self) -> np.ndarray:
        return self.fit.values

    @property
    def covariance(self) -> np.ndarray:
        return self.fit.covariance

    @property
    def standard_errors(self) -> np.ndarray:
        return np.sqrt(np.diag(self.fit.covariance))

    @property
    def noise(self) -> np.ndarray:
        return self.fit.noise

    @cached_property
    def condition(self) -> float:
        return self.fit.condition

    @property
    def cross_validation(self) -> Validation:
        if isinstance(self.crossed, str):
            raise ArgumentError(f"cross_validation: {self.crossed}")
        return self.crossed

    @property
    def doubtful(self) -> bool:
        """Whether most equations have errors that no noise explains, but a record of another mechanism, or in other units."""
        own = float(np.median(self.residuals.percent))
        crossed = 0.0 if isinstance(self.crossed, str) else float(np.median(self.crossed.percent))
        return own > 30 or crossed > 40 or (own > 10 and self.physical and self._apart > 3)

    @property
    def _apart(self) -> float:
        """How far real bodies are from the estimates, in standard errors."""
        return float(np.sqrt(self.inconsistency / len(self)))

    @cached_property
    def estimates(self) -> tuple[Estimate, ...]:
        """All of them, in the order of `values`."""
        from scipy.stats import t

        half = t.ppf(0.975, self.fit.freedom) * self.standard_errors
        rows = zip(self.names, self.grouping.formulas, self.values, self.standard_errors, half, self.described, strict=True)
        return tuple(Estimate(n, f, float(x), float(s), (float(x - h), float(x + h)), float(d)) for n, f, x, s, h, d in rows)

    def _of(self, inertial: bool) -> tuple[Estimate, ...]:
        terms = [self.regression.terms[k] for k in self.grouping.columns]
        return tuple(
            e for e, term in zip(self.estimates, terms, strict=True) if (term.inertial or term.entry is ROTOR) == inertial
        )

    @property
    def base(self) -> tuple[Estimate, ...]:
        return self._of(True)

    @property
    def joint_forces(self) -> tuple[Estimate, ...]:
        return self._of(False)

    def __getitem__(self, name: str) -> Estimate:
        if name not in self.names:
            raise ArgumentError(one_of("parameter", name, self.names))
        return self.estimates[self.names.index(name)]

    def __iter__(self) -> Iterator[Estimate]:
        return iter(self.estimates)

    def __len__(self) -> int:
        return len(self.names)

    def torque(self, q: Any, qd: Any, qdd: Any) -> np.ndarray:
        """The joint forces of the tree for a motion, (rows, nv), by the estimates themselves and what was taken as known."""
        q2, qd2, qdd2 = (np.atleast_2d(array(x, name)) for name, x in (("q", q), ("qd", qd), ("qdd", qdd)))
        Y, known = self.regression.parts(q2, qd2, qdd2, self.grouping.columns)
        tau: np.ndarray = Y @ self.values + known
        return tau[0] if np.ndim(q) == 1 else tau

    def validate(
        self,
        t: ArrayLike | Motion,
        q: ArrayLike | None = None,
        tau: ArrayLike | None = None,
        qd: ArrayLike | None = None,
        qdd: ArrayLike | None = None,
        *,
        path: Followed | None = None,
        cutoff: float | None = None,
    ) -> Validation:
        """The errors of the estimates on another record, or `Motion`, treated as `identify` treats it."""
        from lagrangian.identification.identify import validate

        return validate(self, t, q, tau, qd, qdd, path, cutoff)

    def __repr__(self) -> str:
        return f"<Identification of {self.mechanism.name!r}: {len(self)} parameters from {self.rows} rows>"

    def __str__(self) -> str:
        lines = [
            f"Identification of {self.mechanism.name}: {len(self.base)} base parameters"
            + (f", {len(self.joint_forces)} of friction" if self.joint_forces else "")
            + f"; {self.rows} rows of {len(self.equations)} equations, condition number {self.condition:.4g}",
            self.treatment,
            "",
        ]
        wide = max(len(name) for name in ("parameter", *self.names))
        lines.append(f"{'parameter':<{wide}} {'value':>12} {'std. error':>11} {'%':>7} {'95 % interval':>27} {'described':>12}")
        for e in self.estimates:
            low, high = e.interval
            relative = f"{e.relative:7.2f}" if e.relative < 1000 else "  >1000"
            lines.append(
                f"{e.name:<{wide}} {e.value:12.6g} {e.standard_error:11.2e} {relative} {f'{low:.6g} .. {high:.6g}':>27}"
                f" {e.described:12.6g}"
            )
        lines.append("")
        wide = max(len(name) for name in ("joint", *self.equations))
        lines.append(f"{'joint':<{wide}} {'RMS force':>10} {'residual':>10} {'%':>7} {'cross-validation':>17}")
        crossed = ["-"] * len(self.equations) if isinstance(self.crossed, str) else [f"{x:.2f} %" for x in self.crossed.percent]
        own = self.residuals
        for name, f, r, p, c in zip(self.equations, own.force, own.error, own.percent, crossed, strict=True):
            lines.append(f"{name:<{wide}} {f:10.4g} {r:10.3g} {p:7.2f} {c:>17}")
        if isinstance(self.crossed, str):
            lines.append(f"(no cross-validation: {self.crossed})")
        lines += ["", self._completion()]
        if self.doubtful:
            lines.append(
                "The model explains little of the torques. Are angles in radians, and torques in N m at the joints? Are columns "
                "in the order of the joints, and are their signs the description's?"
            )
        return "\n".join(lines)

    def _completion(self) -> str:
        if not self.physical:
            return "mechanism: completed to the nearest full parameters, whether or not bodies can have them (effective)"
        apart = self._apart
        if apart > 3:
            return (
                f"mechanism: completed to real bodies, which lie {apart:.3g} standard errors (RMS) from the estimates: no real "
                f"bodies on these joints explain the record. physical=False keeps the estimates"
            )
        return f"mechanism: completed to real bodies (positive definite pseudo-inertia), {apart:.2g} standard errors (RMS) away"
