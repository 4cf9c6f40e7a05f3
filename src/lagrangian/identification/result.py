"""The result of an identification: estimates, their errors, and the identified mechanism."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from lagrangian.arguments import array
from lagrangian.cached import cached_property
from lagrangian.errors import ArgumentError, unknown_name_message
from lagrangian.identification.base_parameters import ParameterGrouping
from lagrangian.identification.least_squares import Fit
from lagrangian.identification.records import CommandedPath
from lagrangian.identification.regression import ROTOR, Regression
from lagrangian.model.mechanism import Mechanism
from lagrangian.motion.motion import Motion


@dataclass(frozen=True)
class ParameterEstimate:
    """An estimated parameter.

    Attributes
    ----------
    name : str
        The name, such as "Izz1R".
    formula : str
        The combination of inertial parameters that it stands for.
    value, standard_error : float
        The estimate and its standard error.
    interval : tuple of float
        The 95 % interval.
    described : float
        The value in the description.
    """

    name: str
    formula: str
    value: float
    standard_error: float
    interval: tuple[float, float]
    described: float

    @property
    def percent_error(self) -> float:
        """The standard error in percent of the value."""
        return 100 * self.standard_error / abs(self.value) if self.value else np.inf

    def __str__(self) -> str:
        return f"{self.name} = {self.value:.6g} ± {self.standard_error:.2g} ({self.formula})"


@dataclass(frozen=True)
class Validation:
    """The errors of an identified model on a record.

    Attributes
    ----------
    equations : tuple of str
        The names of the equations.
    error, force : numpy.ndarray
        The root mean squares of the error and of the force of each equation.
    r_squared : numpy.ndarray
        The share of the variance that is explained.
    """

    equations: tuple[str, ...]
    error: np.ndarray
    force: np.ndarray
    r_squared: np.ndarray

    @property
    def percent_error(self) -> np.ndarray:
        """The error in percent of the force."""
        return 100 * self.error / np.maximum(self.force, 1e-300)

    def __str__(self) -> str:
        name_width = max(len(name) for name in ("joint", *self.equations))
        lines = [f"{'joint':<{name_width}}  RMS error        of RMS     R^2"]
        for name, e, p, f, r in zip(self.equations, self.error, self.percent_error, self.force, self.r_squared, strict=True):
            lines.append(f"{name:<{name_width}}  {e:9.4g}  {p:5.2f} % of {f:<9.4g} {r:.6f}")
        return "\n".join(lines)


@dataclass(frozen=True, eq=False)
class Identification:
    """The estimates of base parameters, rotors and friction, and the mechanism with these parameters.

    `identify` returns it. `identification["Izz1R"]` is one estimate, and iterating gives all. Each has `value`, `standard_error`,
    `interval`, `formula` and `described`.

    Attributes
    ----------
    mechanism : Mechanism
        The described mechanism with the identified parameters.
    residuals : Validation
        The errors of each equation on the record itself.
    cross_validation : Validation
        The errors on stretches of time that were left out.
    inconsistency : float
        The amount that the parameters of real bodies add to the sum of squares over variances. If it is much larger than the
        number of parameters, no real bodies of this description explain the record.
    rows : int
        The number of rows of the record that were used.
    treatment : str
        How the record was filtered and differentiated.

    Notes
    -----
    The noise of the forces is assumed to have zero mean, to be independent from sample to sample, and to have a level of
    its own at each joint, which is estimated from the residuals. The noise of the coordinates is assumed to be small; it makes
    the regressor uncertain, which biases the estimates in second order. Standard errors and 95 % intervals (Student's t) describe
    the scatter for such noise. They do not cover friction that follows another law.

    Examples
    --------
    >>> import lagrangian as lg
    >>> path = lg.excitation_trajectory("pendulum", period=4.0, harmonics=3, iterations=5)
    >>> motion = lg.inverse("pendulum", path)
    >>> identification = lg.identify("pendulum", motion, friction=False)
    >>> identification
    <Identification of 'pendulum': 3 parameters from 1001 rows>
    >>> for estimate in identification:
    ...     print(estimate.name, estimate.formula, round(estimate.value, 6) + 0.0, estimate.described)
    hx1 hx1 1.0 1.0
    hy1 hy1 0.0 0.0
    Izz1 Izz1 1.0 1.0
    """

    mechanism: Mechanism
    regression: Regression
    grouping: ParameterGrouping
    equations: tuple[str, ...]
    fit: Fit
    described: np.ndarray
    residuals: Validation
    cross_validation_or_reason: Validation | str
    inconsistency: float
    physical: bool
    rows: int
    slow: float
    treatment: str

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the estimated parameters."""
        return self.grouping.names

    @property
    def values(self) -> np.ndarray:
        """The estimates, in the order of `names`."""
        return self.fit.values

    @property
    def covariance(self) -> np.ndarray:
        """The covariance matrix of the estimates."""
        return self.fit.covariance

    @property
    def standard_errors(self) -> np.ndarray:
        """The standard errors of the estimates."""
        return np.sqrt(np.diag(self.fit.covariance))

    @property
    def noise(self) -> np.ndarray:
        """The estimated standard deviation of the error of each equation."""
        return self.fit.noise

    @cached_property
    def condition(self) -> float:
        """The condition number of the weighted regressor with columns of length one."""
        return self.fit.condition

    @property
    def cross_validation(self) -> Validation:
        """The errors on stretches of time that were left out of the estimation."""
        if isinstance(self.cross_validation_or_reason, str):
            raise ArgumentError(f"cross_validation: {self.cross_validation_or_reason}")
        return self.cross_validation_or_reason

    @property
    def model_mismatch(self) -> bool:
        """Whether most equations have errors that noise does not explain."""
        own_error = float(np.median(self.residuals.percent_error))
        crossed_error = (
            0.0
            if isinstance(self.cross_validation_or_reason, str)
            else float(np.median(self.cross_validation_or_reason.percent_error))
        )
        return own_error > 30 or crossed_error > 40 or (own_error > 10 and self.physical and self._distance_to_physical > 3)

    @property
    def _distance_to_physical(self) -> float:
        """How far real bodies are from the estimates, in standard errors."""
        return float(np.sqrt(self.inconsistency / len(self)))

    @cached_property
    def estimates(self) -> tuple[ParameterEstimate, ...]:
        """All estimates, in the order of `values`."""
        from scipy.stats import t

        half = t.ppf(0.975, self.fit.freedom) * self.standard_errors
        rows = zip(self.names, self.grouping.formulas, self.values, self.standard_errors, half, self.described, strict=True)
        return tuple(
            ParameterEstimate(n, f, float(x), float(s), (float(x - h), float(x + h)), float(d)) for n, f, x, s, h, d in rows
        )

    def _select_estimates(self, inertial: bool) -> tuple[ParameterEstimate, ...]:
        terms = [self.regression.terms[k] for k in self.grouping.columns]
        return tuple(
            e for e, term in zip(self.estimates, terms, strict=True) if (term.inertial or term.entry is ROTOR) == inertial
        )

    @property
    def base(self) -> tuple[ParameterEstimate, ...]:
        """The estimates of inertial parameters and rotors."""
        return self._select_estimates(True)

    @property
    def friction_estimates(self) -> tuple[ParameterEstimate, ...]:
        """The estimates of friction and offsets."""
        return self._select_estimates(False)

    def __getitem__(self, name: str) -> ParameterEstimate:
        if name not in self.names:
            raise ArgumentError(unknown_name_message("parameter", name, self.names))
        return self.estimates[self.names.index(name)]

    def __iter__(self) -> Iterator[ParameterEstimate]:
        return iter(self.estimates)

    def __len__(self) -> int:
        return len(self.names)

    def torque(self, q: ArrayLike, qd: ArrayLike, qdd: ArrayLike) -> np.ndarray:
        """Return the joint forces for a motion by the estimates and the known parameters.

        Parameters
        ----------
        q, qd, qdd : array_like
            Coordinates, speeds and accelerations, of one state or one row for each.

        Returns
        -------
        numpy.ndarray
            The joint forces of the open tree.
        """
        q2, qd2, qdd2 = (np.atleast_2d(array(x, name)) for name, x in (("q", q), ("qd", qd), ("qdd", qdd)))
        Y, known_forces = self.regression.regressor_and_known_forces(q2, qd2, qdd2, self.grouping.columns)
        tau: np.ndarray = Y @ self.values + known_forces
        return tau[0] if np.ndim(q) == 1 else tau

    def validate(
        self,
        t: ArrayLike | Motion,
        q: ArrayLike | None = None,
        tau: ArrayLike | None = None,
        qd: ArrayLike | None = None,
        qdd: ArrayLike | None = None,
        *,
        path: CommandedPath | None = None,
        cutoff: float | None = None,
    ) -> Validation:
        """Return the errors of the estimates on another record, which is treated as `identify` treats it.

        Parameters
        ----------
        t : array_like or Motion
            The times of the rows in s, or a motion.
        q, tau, qd, qdd : array_like, optional
            Coordinates, joint forces, speeds and accelerations.
        path : JointPath or callable, optional
            The commanded path.
        cutoff : float, optional
            The frequency of the low-pass filter, in Hz.

        Returns
        -------
        Validation
            The errors of each equation.

        Examples
        --------
        >>> import lagrangian as lg
        >>> path = lg.excitation_trajectory("pendulum", period=4.0, harmonics=3, iterations=5)
        >>> identification = lg.identify("pendulum", lg.inverse("pendulum", path), friction=False)
        >>> other = lg.inverse("pendulum", lg.paths.formula({"theta": "sin(2*t)"}, 5.0))
        >>> bool(identification.validate(other).percent_error.max() < 1e-6)
        True
        """
        from lagrangian.identification.identify import validate

        return validate(self, t, q, tau, qd, qdd, path, cutoff)

    def __repr__(self) -> str:
        return f"<Identification of {self.mechanism.name!r}: {len(self)} parameters from {self.rows} rows>"

    def __str__(self) -> str:
        lines = [
            f"Identification of {self.mechanism.name}: {len(self.base)} base parameters"
            + (f", {len(self.friction_estimates)} of friction" if self.friction_estimates else "")
            + f"; {self.rows} rows of {len(self.equations)} equations, condition number {self.condition:.4g}",
            f"{self.treatment}.",
            "",
        ]
        name_width = max(len(name) for name in ("parameter", *self.names))
        lines.append(
            f"{'parameter':<{name_width}} {'value':>12} {'std. error':>11} {'%':>7} {'95 % interval':>27} {'described':>12}"
        )
        for e in self.estimates:
            low, high = e.interval
            percent = f"{e.percent_error:7.2f}" if e.percent_error < 1000 else "  >1000"
            lines.append(
                f"{e.name:<{name_width}} {e.value:12.6g} {e.standard_error:11.2e} {percent} {f'{low:.6g} .. {high:.6g}':>27}"
                f" {e.described:12.6g}"
            )
        lines.append("")
        name_width = max(len(name) for name in ("joint", *self.equations))
        lines.append(f"{'joint':<{name_width}} {'RMS force':>10} {'residual':>10} {'%':>7} {'cross-validation':>17}")
        crossed_texts = (
            ["-"] * len(self.equations)
            if isinstance(self.cross_validation_or_reason, str)
            else [f"{x:.2f} %" for x in self.cross_validation_or_reason.percent_error]
        )
        residuals = self.residuals
        for name, f, r, p, c in zip(
            self.equations, residuals.force, residuals.error, residuals.percent_error, crossed_texts, strict=True
        ):
            lines.append(f"{name:<{name_width}} {f:10.4g} {r:10.3g} {p:7.2f} {c:>17}")
        if isinstance(self.cross_validation_or_reason, str):
            lines.append(f"There is no cross-validation: {self.cross_validation_or_reason}.")
        lines += ["", self._completion()]
        if self.model_mismatch:
            lines.append(
                "The model explains little of the torques. Check that angles are in radians, that torques are in N m at the "
                "joints, and that the columns have the order and the signs of the joints in the description."
            )
        return "\n".join(lines)

    def _completion(self) -> str:
        if not self.physical:
            return "The mechanism has the nearest full parameters, which need not be those of real bodies (effective)."
        distance = self._distance_to_physical
        if distance > 3:
            return (
                f"The mechanism has parameters of real bodies, which lie {distance:.3g} standard errors (RMS) from the "
                f"estimates: no real bodies on these joints explain the record. physical=False keeps the estimates."
            )
        return f"The mechanism has parameters of real bodies, which lie {distance:.2g} standard errors (RMS) from the estimates."
