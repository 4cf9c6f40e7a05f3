"""Identification: inertial parameters, rotors and friction from a record of a motion and the forces that made it."""

from __future__ import annotations

import warnings
from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from lagrangian.configuration.assemble import assemble
from lagrangian.configuration.dynamics_of import dynamics_of
from lagrangian.description.mechanism_of import MechanismLike
from lagrangian.errors import Argument, ArgumentError, MechanismWarning, is_number, one_of
from lagrangian.identification.estimate import Products, fit
from lagrangian.identification.full_parameters import completed
from lagrangian.identification.grouping import Grouping, exact_grouping
from lagrangian.identification.joint_parameters import FRICTION
from lagrangian.identification.numeric_base import numeric_grouping
from lagrangian.identification.projection import Projection, general_states
from lagrangian.identification.records import Followed, Record, read_record, recorded_rows
from lagrangian.identification.regression import Regression
from lagrangian.identification.result import Identification, Validation
from lagrangian.kernels.dynamics import Dynamics
from lagrangian.motion.motion import Motion
from lagrangian.motion.system.slotted import no_force

STILL = 1e-9  # rad or m: a record whose coordinates change by less is of one place
SPOILT = 0.2  # the share, in what a filter has mixed, of rows that are to be left out


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
    path: Followed | None = None,
    cutoff: float | None = None,
    slow: float = 0.02,
    folds: int = 5,
) -> Identification:
    """The mechanism's parameters from recorded times `t`, coordinates `q` and joint forces `tau`, with standard errors.

    A `Motion` in the place of `t` has all of these, and speeds and accelerations too.

    What is estimated: the base parameters (the combinations of inertial parameters that the motion depends on), and of the joints
    (all that move; of a mechanism with loops the actuated ones; or those named in `joints`) the `friction`: "viscous", "coulomb"
    (viscous and Coulomb), or "asymmetric" (the same with a Coulomb force for each direction, which takes up a constant offset of
    the measured force too), which is what True means; `offset`, a constant force of each joint, which the mechanism does not
    keep; and `rotors`, the inertias r^2 J. What is not estimated but in the description (rotors, friction, springs) is taken as
    known and subtracted from `tau`.

    `tau` has a column for each speed, or for each actuated one. With loops the equations are taken along the motions that the
    loops allow, so that forces of passive joints are not needed; then `q` may have the actuated coordinates alone.

    Without `qd` and `qdd` the coordinates are smoothed by a zero-phase low-pass filter of `cutoff` Hz (by default ten times the
    frequency below which 99.9 % of their power is, and at most 0.4 of the sampling rate) and differentiated; forces and regressor
    go through the same filter, and the ends are dropped. If the commanded `path` is given only the deviation from it is smoothed;
    for one of `exciting_path` a Fourier series of its period is fitted to the record (as many harmonics as lie below `cutoff`,
    or else four times the path's own), and the forces are used as they are.

    Where a joint with Coulomb friction moves slower than `slow` times its largest speed it is uncertain which way it moves, or
    whether it sticks: these rows of its equation are left out.

    With `physical` the base parameters are completed to full inertial parameters of real bodies (positive definite
    pseudo-inertia), as near to the described ones as the record allows; `prior` is the weight of the description, in units of the
    sum of squared residuals over their variances. Otherwise the completion keeps the estimates exactly, and its bodies are
    `effective`. `identification.mechanism` has these parameters. `folds` is the number of stretches of time for cross-validation.
    """
    dyn = dynamics_of(mechanism)
    _check_options(folds, prior, slow)
    regression = regression_of(dyn, friction, offset, rotors, joints)
    record = read_record(dyn, *recorded_rows(t, q, tau, qd, qdd), path, cutoff)
    return _identified(regression, record, bool(physical), float(prior), float(slow), int(folds))


def _identified(regression: Regression, record: Record, physical: bool, prior: float, slow: float, folds: int) -> Identification:
    name, equation_names = regression.dyn.mechanism.name, record.projection.names
    if np.ptp(record.q, axis=0).max() < STILL:
        raise ArgumentError(f"{name} stands still throughout the record; it has to move: see exciting_path", where="identify")
    grouping = grouped(regression, record)
    described = grouping.matrix @ regression.described
    Y, z, forces, used = equations(regression, grouping, record, slow)
    _check_equations(name, Y, z, used, described, 1e-3 * float(no_force(regression.dyn.mechanism)))
    products = Products.of(Y, z, used, folds, grouping.names)
    found = fit(products)
    mechanism, chi2 = completed(regression, grouping, found, physical, prior)
    return Identification(
        mechanism,
        regression,
        grouping,
        equation_names,
        found,
        described,
        _validation(equation_names, products.squares(found.values), forces, used),
        cross_validation(products, equation_names, forces, used),
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
    """Errors where the record cannot tell any parameter, or not all of them. Forces below `rounding` are none."""
    if not len(described):
        raise ArgumentError(f"identify: no parameter of {name} has an effect on the recorded forces")
    if used.sum() <= 2 * len(described):
        raise ArgumentError(
            f"identify: {used.sum()} rows of moving joints are left for {len(described)} parameters; record longer, or more often"
        )
    if np.abs(z[used]).max() <= max(1e-12 * np.abs(Y @ described).max(), rounding):
        raise ArgumentError("identify: no force acts in the record but what is known: nothing can be identified from it")


def validate(
    identification: Identification,
    t: ArrayLike | Motion,
    q: ArrayLike | None,
    tau: ArrayLike | None,
    qd: ArrayLike | None,
    qdd: ArrayLike | None,
    path: Followed | None,
    cutoff: float | None,
) -> Validation:
    """Errors on another record."""
    regression = identification.regression
    t, q, tau, qd, qdd = recorded_rows(t, q, tau, qd, qdd)
    record = read_record(regression.dyn, t, q, tau, qd, qdd, path, cutoff, identification.equations)
    Y, z, forces, used = equations(regression, identification.grouping, record, identification.slow)
    return _validation(identification.equations, np.sum((Y @ identification.values - z) ** 2, axis=0, where=used), forces, used)


def cross_validation(products: Products, names: tuple[str, ...], forces: np.ndarray, used: np.ndarray) -> Validation | str:
    """Errors of each stretch of time by the estimates from the others; or why there are none."""
    squares = np.zeros(len(names))
    for block in range(products.blocks):
        try:
            values = fit(products.without(block)).values
        except ArgumentError:
            return f"without stretch {block + 1} of {products.blocks} the record does not excite all parameters"
        squares += products.only(block).squares(values)
    return _validation(names, squares, forces, used)


def _validation(names: tuple[str, ...], squares: np.ndarray, forces: np.ndarray, used: np.ndarray) -> Validation:
    rows = np.maximum(used.sum(axis=0), 1)
    mean = np.sum(forces, axis=0, where=used) / rows
    spread = np.sum((forces - mean) ** 2, axis=0, where=used)
    force = np.sqrt(np.sum(forces**2, axis=0, where=used) / rows)
    return Validation(names, np.sqrt(squares / rows), force, 1 - squares / np.maximum(spread, 1e-300))


def regression_of(dyn: Dynamics, friction: bool | str, offset: bool, rotors: bool, joints: Sequence[str] | None) -> Regression:
    """The terms that are asked for."""
    if friction is True:
        friction = "asymmetric"
    if friction and friction not in FRICTION:
        raise ArgumentError(one_of("kind", friction, FRICTION), where=Argument("friction"), remedy="or True, or False")
    if offset and friction == "asymmetric":
        raise ArgumentError(
            "asymmetric Coulomb friction takes up a constant force already",
            where=Argument("offset"),
            remedy='use friction="coulomb" with it, or none',
        )
    return Regression(dyn, friction=friction or "", offset=offset, rotors=rotors, joints=joints)


def grouped(regression: Regression, record: Record | None = None) -> Grouping:
    """Base parameters: the exact ones, if they are all there is to group, else those that numbers show."""
    dyn = regression.dyn
    near = record.q if record is not None else assemble(dyn)[None]
    projection = record.projection if record is not None else Projection(dyn, near[0])
    count = 3 * len(regression.terms) // max(1, len(projection.independent)) + 30
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", MechanismWarning)
        q, qd, qdd, t = general_states(projection, count, near, np.random.default_rng(0))
        (Y,) = projection.rows(q, t, regression.matrix(q, qd, qdd))
    numeric = numeric_grouping(regression, Y.reshape(-1, len(regression.terms)))
    exact = exact_grouping(regression)
    # a constant force and the weight of a slide, say, may act alike: then friction is grouped too
    return exact if exact is not None and len(exact) == len(numeric) else numeric


def equations(regression: Regression, grouping: Grouping, record: Record, slow: float) -> tuple[np.ndarray, ...]:
    """Y of the base parameters and z with Y b = z, filtered alike; the recorded forces; and which rows to use."""
    state = record.q, record.qd, record.qdd
    Y, known = regression.parts(*state, grouping.columns)
    Y, z, forces = record.projection.rows(record.q, record.t, Y, record.tau - known, record.tau)
    doubtful = np.zeros((len(Y), regression.dyn.nv))
    dry = {regression.terms[k].owner for k, parameter in regression.joint_parameters.items() if parameter.dry}
    for k, (joint, where) in enumerate(zip(regression.dyn.mechanism.joints, regression.speeds, strict=True)):
        if k in dry or float(joint.friction.coulomb) or float(joint.friction.coulomb_negative):  # type: ignore[arg-type]
            speed = np.abs(record.qd[:, where])
            doubtful[:, where] = speed <= slow * speed.max(axis=0)
    if not record.projection.trivial:  # a joint's friction may be in all equations
        doubtful = np.repeat(doubtful.max(axis=1, keepdims=True), Y.shape[1], axis=1)
    if record.low_pass is not None:
        treated = (Y, z, forces, doubtful)
        Y, z, forces, doubtful = (record.low_pass(x.reshape(len(x), -1)).reshape(x.shape)[record.low_pass.kept] for x in treated)
    return Y, z, forces, doubtful < SPOILT
