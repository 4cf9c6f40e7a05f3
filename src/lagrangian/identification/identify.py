"""Identification: inertial parameters, rotors and friction from a record of a motion and the forces that made it."""

from __future__ import annotations

import warnings
from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from lagrangian.configuration.assemble import assemble
from lagrangian.configuration.start import as_dynamics
from lagrangian.description.mechanism_like import MechanismLike
from lagrangian.errors import ArgumentError, ArgumentName, MechanismWarning, is_number, unknown_name_message
from lagrangian.identification.base_parameters import ParameterGrouping, exact_grouping, numeric_grouping
from lagrangian.identification.full_parameters import complete_parameters
from lagrangian.identification.least_squares import NormalEquations, fit
from lagrangian.identification.projection import Projection, general_states
from lagrangian.identification.records import CommandedPath, Record, read_record, record_arrays
from lagrangian.identification.regression import FRICTION_MODELS, Regression
from lagrangian.identification.result import Identification, Validation
from lagrangian.kernels.dynamics import Dynamics
from lagrangian.motion.motion import Motion
from lagrangian.motion.system.slotted import no_force

MIN_MOTION = 1e-9  # rad or m: a record whose coordinates change by less has no motion
MAX_UNCERTAIN_SHARE = 0.2  # of uncertain rows in what the filter mixes: rows with more are left out


def identify(
    mechanism: MechanismLike | Dynamics,
    t: ArrayLike | Motion,
    q: ArrayLike | None = None,
    tau: ArrayLike | None = None,
    qd: ArrayLike | None = None,
    qdd: ArrayLike | None = None,
    *,
    friction: bool | str = True,
    offset: bool = False,
    rotors: bool = False,
    joints: Sequence[str] | None = None,
    physical: bool = True,
    prior: float = 1e-3,
    path: CommandedPath | None = None,
    cutoff: float | None = None,
    slow: float = 0.02,
    folds: int = 5,
) -> Identification:
    """Identify inertial parameters, friction and rotors from a record of a motion.

    The estimated parameters are the base parameters, which are the combinations of inertial parameters that the motion depends
    on, and the friction and rotors of the joints. Described rotors, friction and springs that are not estimated are taken as
    known. In a mechanism with loops the equations are taken along the motions that the loops allow, so that forces of passive
    joints are not needed.

    Parameters
    ----------
    mechanism : Mechanism, str, path or Dynamics
        The description of the mechanism.
    t : array_like or Motion
        The times of the rows in s, or a motion, which contains the other arrays as well.
    q : array_like, optional
        The coordinates, one row for each time. In a mechanism with loops the actuated ones suffice.
    tau : array_like, optional
        The joint forces, with a column for each speed, or for each actuated one.
    qd, qdd : array_like, optional
        Speeds and accelerations, both or neither. Without them the coordinates are filtered and differentiated.
    friction : bool or {"viscous", "coulomb", "asymmetric"}
        The friction to estimate: viscous, viscous and Coulomb, or the same with a Coulomb force for each direction. True, the
        default, means "asymmetric", which also absorbs a constant offset of the measured force.
    offset : bool
        Whether to estimate a constant force of each joint. The identified mechanism does not contain it. The default is False.
    rotors : bool
        Whether to estimate the reflected inertias of the rotors. The default is False.
    joints : sequence of str, optional
        The joints whose friction and rotors are estimated. The default is all that move, or the actuated ones with loops.
    physical : bool
        Whether to complete the estimates to inertial parameters of real bodies, with a positive definite pseudo-inertia, as near
        to the described ones as the record allows. Otherwise the completion keeps the estimates exactly. The default is True.
    prior : float
        The weight of the description in this completion, in units of the sum of squared residuals over their variances.
    path : JointPath or callable, optional
        The commanded path. Only the deviation from it is then filtered. For a path of `excitation_trajectory` a Fourier series of
        its period is fitted instead.
    cutoff : float, optional
        The frequency of the zero-phase low-pass filter, in Hz. The default is ten times the frequency below which 99.9 % of the
        power of the coordinates lies, and at most 0.4 times the sampling rate.
    slow : float
        Rows in which a joint with Coulomb friction moves slower than this share of its largest speed are left out, because the
        direction of its friction is uncertain. The default is 0.02.
    folds : int
        The number of stretches of time for cross-validation. The default is 5.

    Returns
    -------
    Identification
        The estimates with standard errors, and the mechanism with these parameters. `print` writes a table.

    Raises
    ------
    ArgumentError
        If the record is not complete, or does not excite all parameters.

    See Also
    --------
    excitation_trajectory : Find a path that excites all parameters.

    Examples
    --------
    Identify the friction of a pendulum from a simulation:

    >>> import lagrangian as lg
    >>> path = lg.excitation_trajectory("pendulum", period=4.0, harmonics=3, iterations=5)
    >>> motion = lg.inverse("pendulum", path)
    >>> tau = motion.tau + 0.3 * motion.qd  # viscous friction that the description does not know
    >>> identification = lg.identify("pendulum", motion.t, motion.q, tau, motion.qd, motion.qdd, friction="viscous")
    >>> identification.names, identification.values.round(6) + 0.0
    (('hx1', 'hy1', 'Izz1', 'Fv1'), array([1. , 0. , 1. , 0.3]))
    """
    dyn = as_dynamics(mechanism)
    _check_options(folds, prior, slow)
    regression = make_regression(dyn, friction, offset, rotors, joints)
    record = read_record(dyn, *record_arrays(t, q, tau, qd, qdd), path, cutoff)
    return _identify_record(regression, record, bool(physical), float(prior), float(slow), int(folds))


def _identify_record(
    regression: Regression, record: Record, physical: bool, prior: float, slow: float, folds: int
) -> Identification:
    name, equation_names = regression.dyn.mechanism.name, record.projection.names
    if np.ptp(record.q, axis=0).max() < MIN_MOTION:
        raise ArgumentError(
            f"{name} does not move in the record; record a motion, such as one of excitation_trajectory", where="identify"
        )
    grouping = find_base_parameters(regression, record)
    described = grouping.matrix @ regression.described_values
    Y, z, forces, used_rows = filtered_equations(regression, grouping, record, slow)
    _check_equations(name, Y, z, used_rows, described, 1e-3 * float(no_force(regression.dyn.mechanism)))
    products = NormalEquations.from_regressor(Y, z, used_rows, folds, grouping.names)
    estimate = fit(products)
    mechanism, chi2 = complete_parameters(regression, grouping, estimate, physical, prior)
    return Identification(
        mechanism,
        regression,
        grouping,
        equation_names,
        estimate,
        described,
        _make_validation(equation_names, products.squared_residuals(estimate.values), forces, used_rows),
        cross_validate(products, equation_names, forces, used_rows),
        chi2,
        physical,
        len(Y),
        slow,
        record.treatment,
    )


def _check_options(folds: int, prior: float, slow: float) -> None:
    if isinstance(folds, bool) or not isinstance(folds, (int, np.integer)) or folds < 2:
        raise ArgumentError(f"is {folds!r}", where="identify", argument="folds", remedy="a whole number of at least 2 is needed")
    if not is_number(prior) or prior <= 0:
        raise ArgumentError(f"is {prior!r}", where="identify", argument="prior", remedy="a positive number is needed")
    if not is_number(slow) or not 0 <= slow < 1:
        raise ArgumentError(
            f"is {slow!r}", where="identify", argument="slow", remedy="a share of the largest speed, from 0 to below 1, is needed"
        )


def _check_equations(name: str, Y: np.ndarray, z: np.ndarray, used: np.ndarray, described: np.ndarray, rounding: float) -> None:
    """Raise an error if the record does not determine the parameters. Forces below `rounding` count as zero."""
    if not len(described):
        raise ArgumentError(f"identify: no parameter of {name} has an effect on the recorded forces")
    if used.sum() <= 2 * len(described):
        raise ArgumentError(
            f"identify: only {used.sum()} rows of moving joints are left for {len(described)} parameters; record for longer, or "
            f"at a higher rate"
        )
    if np.abs(z[used]).max() <= max(1e-12 * np.abs(Y @ described).max(), rounding):
        raise ArgumentError("identify: the record has only known forces, so nothing can be identified")


def validate(
    identification: Identification,
    t: ArrayLike | Motion,
    q: ArrayLike | None,
    tau: ArrayLike | None,
    qd: ArrayLike | None,
    qdd: ArrayLike | None,
    path: CommandedPath | None,
    cutoff: float | None,
) -> Validation:
    """Compute the errors of an identification on another record."""
    regression = identification.regression
    t, q, tau, qd, qdd = record_arrays(t, q, tau, qd, qdd)
    record = read_record(regression.dyn, t, q, tau, qd, qdd, path, cutoff, identification.equations)
    Y, z, forces, used = filtered_equations(regression, identification.grouping, record, identification.slow)
    return _make_validation(
        identification.equations, np.sum((Y @ identification.values - z) ** 2, axis=0, where=used), forces, used
    )


def cross_validate(products: NormalEquations, names: tuple[str, ...], forces: np.ndarray, used: np.ndarray) -> Validation | str:
    """Compute the errors on each stretch of time by the estimates from the others, or return the reason why that fails."""
    squares = np.zeros(len(names))
    for block in range(products.blocks):
        try:
            values = fit(products.without_block(block)).values
        except ArgumentError:
            return f"without stretch {block + 1} of {products.blocks} the record does not excite all parameters"
        squares += products.only_block(block).squared_residuals(values)
    return _make_validation(names, squares, forces, used)


def _make_validation(names: tuple[str, ...], squares: np.ndarray, forces: np.ndarray, used: np.ndarray) -> Validation:
    rows = np.maximum(used.sum(axis=0), 1)
    mean = np.sum(forces, axis=0, where=used) / rows
    variation = np.sum((forces - mean) ** 2, axis=0, where=used)
    force = np.sqrt(np.sum(forces**2, axis=0, where=used) / rows)
    return Validation(names, np.sqrt(squares / rows), force, 1 - squares / np.maximum(variation, 1e-300))


def make_regression(dyn: Dynamics, friction: bool | str, offset: bool, rotors: bool, joints: Sequence[str] | None) -> Regression:
    """Make the regression for the arguments of `identify`, which are checked."""
    if friction is True:
        friction = "asymmetric"
    if friction and friction not in FRICTION_MODELS:
        raise ArgumentError(
            unknown_name_message("kind", friction, FRICTION_MODELS), where=ArgumentName("friction"), remedy="or True, or False"
        )
    if offset and friction == "asymmetric":
        raise ArgumentError(
            "asymmetric Coulomb friction already contains a constant force",
            where=ArgumentName("offset"),
            remedy='use it with friction="coulomb", or leave it out',
        )
    return Regression(dyn, friction=friction or "", offset=offset, rotors=rotors, joints=joints)


def find_base_parameters(regression: Regression, record: Record | None = None) -> ParameterGrouping:
    """Group the parameters: exactly if that finds as many groups as numbers show, else by numbers."""
    dyn = regression.dyn
    configurations = record.q if record is not None else assemble(dyn)[None]
    projection = record.projection if record is not None else Projection(dyn, configurations[0])
    count = 3 * len(regression.terms) // max(1, len(projection.independent)) + 30
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", MechanismWarning)
        q, qd, qdd, t = general_states(projection, count, configurations, np.random.default_rng(0))
        (Y,) = projection.project(q, t, regression.regressor(q, qd, qdd))
    numeric = numeric_grouping(regression, Y.reshape(-1, len(regression.terms)))
    exact = exact_grouping(regression)
    # a constant force and the weight of a slide, say, may act alike: then friction is grouped too
    return exact if exact is not None and len(exact) == len(numeric) else numeric


def filtered_equations(
    regression: Regression, grouping: ParameterGrouping, record: Record, slow: float
) -> tuple[np.ndarray, ...]:
    """Return Y of the base parameters and z with Y b = z, filtered alike, the recorded forces, and the rows to use."""
    state = record.q, record.qd, record.qdd
    Y, known_forces = regression.regressor_and_known_forces(*state, grouping.columns)
    Y, z, forces = record.projection.project(record.q, record.t, Y, record.tau - known_forces, record.tau)
    uncertain = np.zeros((len(Y), regression.dyn.nv))
    dry_joints = {regression.terms[k].owner for k, parameter in regression.joint_parameters.items() if parameter.dry}
    for k, (joint, columns) in enumerate(zip(regression.dyn.mechanism.joints, regression.speeds, strict=True)):
        if k in dry_joints or float(joint.friction.coulomb) or float(joint.friction.coulomb_negative):  # type: ignore[arg-type]
            speed = np.abs(record.qd[:, columns])
            uncertain[:, columns] = speed <= slow * speed.max(axis=0)
    if not record.projection.trivial:  # a joint's friction may be in all equations
        uncertain = np.repeat(uncertain.max(axis=1, keepdims=True), Y.shape[1], axis=1)
    if record.low_pass is not None:
        arrays = (Y, z, forces, uncertain)
        Y, z, forces, uncertain = (
            record.low_pass(x.reshape(len(x), -1)).reshape(x.shape)[record.low_pass.valid_rows] for x in arrays
        )
    return Y, z, forces, uncertain < MAX_UNCERTAIN_SHARE
