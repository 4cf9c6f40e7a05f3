"""`lagrangian.analyse_cycle`: the motion of a linkage over a full turn of its input, or over all of its range, and its forces.

With q' = dq/dx along the input x, virtual work gives the force at the input as q'^T h, where h = M qdd + C qd + G + F is that of
the open tree: along q' the forces of constraints do no work. At a constant speed v of the input, qd = q' v and qdd = q'' v^2.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from lagrangian.arguments import boolean, count, number
from lagrangian.configuration.coordinates import CoordinateBounds, characteristic_length, single_coordinates
from lagrangian.configuration.start import as_dynamics
from lagrangian.description.mechanism_like import MechanismLike
from lagrangian.design.cycle import CycleAnalysis
from lagrangian.design.four_bar import find_four_bar
from lagrangian.design.freedom import MIN_REGULARITY
from lagrangian.design.input_range import INPUT, LIMIT, OUTPUT, OVER, STANDSTILL_TOLERANCE, InputRange
from lagrangian.design.linkage import Fixed, Linkage, LinkageOutput, Output, as_interval, as_output, assemble_linkage
from lagrangian.design.solution_curve import CurveEvent, SolutionCurve, range_events, trace_curve
from lagrangian.design.transmission_angle import transmission_angle
from lagrangian.errors import ArgumentError
from lagrangian.inverse_dynamics.wrenches import ExternalWrenches
from lagrangian.kernels.dynamics import Dynamics
from lagrangian.kernels.least_squares import scaled_minimum_norm_solution
from lagrangian.motion.wrench import WrenchesLike
from lagrangian.types import State

DEFAULT_ROWS = 361  # per turn
DIFFERENCE_STEP = 1e-3  # rad or m: of finite differences along a branch


def analyse_cycle(
    mechanism: MechanismLike | Dynamics,
    input: str | None = None,  # noqa: A002
    output: Output = None,
    *,
    over: tuple[float, float] | None = None,
    q0: State = None,
    fixed: Fixed = (),
    speed: float = 1.0,
    wrenches: WrenchesLike = None,
    rows: int = DEFAULT_ROWS,
    limits: bool = True,
) -> CycleAnalysis:
    """Move a linkage of one degree of freedom through a full turn of its input.

    The result has positions, exact velocity and acceleration ratios, dead centres, the transmission angle, the mechanical
    advantage, and the torque at the input at rest and at a constant speed. If the input cannot turn fully, the linkage moves as
    far as it can.

    Parameters
    ----------
    mechanism : Mechanism, str, path or Dynamics
        A mechanism of one degree of freedom. If it has more, `fixed` holds the others.
    input : str, optional
        The coordinate that drives the linkage. The default is the one whose joint is actuated.
    output : str or tuple of str, optional
        The output: a coordinate, a frame along its own path, or a frame along a direction, such as ("tip", "x"). The
        default is the other joint on the ground, if there is exactly one.
    over : tuple of float, optional
        The range of the input, in rad or m. The default is a full turn, or the range between dead centres and limits of joints.
    q0 : array_like, mapping or str, optional
        A configuration, which picks the assembly mode. The default is the mechanism's own.
    fixed : iterable of str or mapping, optional
        Coordinates that are held at their values in `q0`, or a mapping of coordinates to the values at which they are held.
    speed : float
        The constant speed of the input for the forces, in rad/s or m/s. The default is 1.
    wrenches : mapping, optional
        External moments and forces by frame, as for `inverse`.
    rows : int
        The number of rows of the result per turn. The default is 361.
    limits : bool
        Whether the limits of joints end the range. The default is True.

    Returns
    -------
    CycleAnalysis
        Arrays with a row for each value of the input. `print` writes a summary, `plot` and `save` show the rest.

    Raises
    ------
    ArgumentError
        If the mechanism has more than one degree of freedom, or if an argument is wrong.
    AssemblyError
        If the linkage cannot be assembled.

    See Also
    --------
    compare_cycles : The same for many values of parameters.

    Notes
    -----
    The curve of configurations is followed by pseudo-arclength continuation (Keller 1977), so that dead centres are
    ordinary points of it. The transmission angle is that of Alt (1932), with moments as in Sutherland and Roth (1973).

    Examples
    --------
    >>> import lagrangian as lg
    >>> cycle = lg.analyse_cycle("slider_crank")
    >>> print(cycle)
    slider_crank: theta turns fully, and the linkage returns to its start after one turn
    dead centre of x at theta = 0 deg: the output turns back
    dead centre of x at theta = 180 deg: the output turns back
    x moves by 0.2 m: from 0.4 m at theta = 0 deg to 0.2 m at 180 deg
    phi turns fully: -1 turn for one turn of theta
    time ratio 1: x advances during 180 deg of theta, and returns during 180 deg
    transmission angle at x: 70.53 deg at theta = 90 deg to 90 deg at 0 deg
    x over theta: velocity ratio of at most 0.1055 m/rad, at 73 deg, where the mechanical advantage is 9.482 rad/m
    torque at theta, at rest: -0.8829 (at 180 deg) to 0.8829 N m (at 0 deg)
    torque at theta, at 1 rad/s: -0.8829 (at 180 deg) to 0.8831 N m (at 1 deg)
    >>> [round(d.input_value, 6) for d in cycle.dead_centres]
    [0.0, 3.141593]
    """
    dyn = as_dynamics(mechanism)
    interval, rows, speed = as_interval(over), count(rows, "rows", least=2), number(speed, "speed")
    external_wrenches = ExternalWrenches(dyn, wrenches)
    linkage = assemble_linkage(dyn, input, q0, fixed, interval)
    linkage_output = as_output(dyn, output, linkage.input)
    curve = _trace_linkage(linkage, linkage_output, interval, boolean(limits, "limits"))
    input_range = InputRange(linkage, curve, interval)
    x, q, tangent = input_range.sample(rows)
    ratios = _velocity_ratios(linkage, tangent)
    forces = _linkage_forces(
        linkage,
        external_wrenches,
        x,
        q,
        lambda values: ratios if values is x else _velocity_ratios(linkage, input_range.configurations_at(values)[1]),
        speed,
    )
    output_ratio = _output_ratio(linkage, linkage_output, q, tangent) if linkage_output is not None else None
    output_is_fixed = linkage_output is not None and _output_is_fixed(linkage, linkage_output, curve)
    if output_ratio is not None and output_is_fixed:
        output_ratio = np.zeros_like(output_ratio)
    fixed_names = (linkage.input, *linkage.fixed)
    angle = None
    if linkage_output is not None and linkage_output.coordinate and curve.freedom.loops and not output_is_fixed:
        angle = transmission_angle(dyn, q, fixed_names, linkage_output.coordinate)
    other_names = [name for name in single_coordinates(dyn.mechanism) if name not in fixed_names]
    return CycleAnalysis(
        mechanism=dyn.mechanism,
        input=linkage.input,
        output=str(linkage_output) if linkage_output is not None else None,
        units=(linkage.unit, linkage_output.unit if linkage_output is not None else ""),
        x=x,
        q=q,
        velocity_ratios=ratios,
        acceleration_ratios=forces.acceleration_ratios,
        output_ratio=output_ratio,
        transmission_angle=angle,
        speed=speed,
        torque=forces.torque,
        static_torque=forces.static_torque,
        inertial_torque=forces.inertial_torque,
        friction_torque=forces.friction_torque,
        multipliers=forces.multipliers,
        dead_centres=input_range.dead_centres(None if output_is_fixed else linkage_output),
        ends=input_range.ends,
        turns=input_range.turns,
        four_bar=find_four_bar(dyn, q, linkage.input),
        travels={name: input_range.covered_range.travel(LinkageOutput(dyn, name)) for name in other_names},
        dyn=dyn,
        curve=curve,
        covered_range=input_range.covered_range,
        wrenches=forces.wrenches,
    )


def _trace_linkage(
    linkage: Linkage, output: LinkageOutput | None, over: tuple[float, float] | None, limits: bool
) -> SolutionCurve:
    """The curve of all configurations of the linkage, with dead centres of its input and output, and with what ends it."""
    freedom, k = linkage.freedom, linkage.iq
    events = [CurveEvent(INPUT, lambda _, tangent: tangent[:, linkage.iv])]
    if output is not None and (output.coordinate or output.direction):
        events.append(CurveEvent(OUTPUT, lambda q, tangent: output.rate(q, tangent * freedom.scales)))
    if over is not None:
        events += range_events(OVER, k, *over)
    bounds = CoordinateBounds(linkage.dyn.mechanism, limits)
    for name, iq, low, high in zip(bounds.names, bounds.iq, bounds.low, bounds.high, strict=True):
        if name not in linkage.fixed:
            events += range_events(LIMIT + name, iq, low, high)
    outside_limits = [
        n for n, outside in zip(bounds.names, bounds.is_outside(linkage.q), strict=True) if outside and n not in linkage.fixed
    ]
    if outside_limits:
        raise ArgumentError(
            f"{linkage.dyn.mechanism.name}: {', '.join(outside_limits)} would start outside the limits of the joint",
            concerns="q0",
            remedy="give a start within them, or limits=False",
        )
    tangent = freedom.any_tangent(linkage.q)
    forward = tangent[linkage.iv] if abs(tangent[linkage.iv]) > STANDSTILL_TOLERANCE else tangent[np.argmax(np.abs(tangent))]
    curve = trace_curve(freedom, linkage.q, tangent * np.sign(forward), events)
    if np.abs(curve.tangent[:, linkage.iv]).max() < STANDSTILL_TOLERANCE:
        moving = [
            n
            for n, (_, iv) in single_coordinates(linkage.dyn.mechanism).items()
            if np.abs(curve.tangent[:, iv]).max() > STANDSTILL_TOLERANCE
        ]
        raise ArgumentError(
            f"is {linkage.input!r}, which cannot move: the constraints hold it",
            where=linkage.dyn.mechanism.name,
            argument="input",
            remedy=f"give one of {', '.join(moving[:12])}",
        )
    return curve


def _output_is_fixed(linkage: Linkage, output: LinkageOutput, curve: SolutionCurve) -> bool:
    """Whether the output stands still, but for rounding, in all configurations of the linkage."""
    scale = 1.0 if output.unit == "rad" else characteristic_length(linkage.dyn.mechanism)
    return bool(np.abs(output.rate(curve.q, curve.tangent * linkage.freedom.scales)).max() < STANDSTILL_TOLERANCE * scale)


def _velocity_ratios(linkage: Linkage, tangent: np.ndarray) -> np.ndarray:
    """dq/dx, infinite where the input stands still and a coordinate does not."""
    scales = linkage.freedom.scales
    rate = tangent[:, [linkage.iv]] * scales[linkage.iv]
    input_at_rest = np.abs(tangent[:, [linkage.iv]]) < STANDSTILL_TOLERANCE
    speeds = np.where(np.abs(tangent) < STANDSTILL_TOLERANCE, 0.0, tangent) * scales
    with np.errstate(divide="ignore", invalid="ignore"):
        ratios: np.ndarray = np.where(
            input_at_rest, np.where(speeds == 0, 0.0, np.sign(speeds) * np.inf), tangent * scales / rate
        )
    ratios[:, linkage.iv] = 1.0
    return ratios


def _output_ratio(linkage: Linkage, output: LinkageOutput, q: np.ndarray, tangent: np.ndarray) -> np.ndarray:
    """The speed of the output over that of the input; infinite where the input stands still."""
    speeds = tangent * linkage.freedom.scales
    rate, input_rate = output.rate(q, speeds), speeds[:, linkage.iv]
    input_at_rest = np.abs(tangent[:, linkage.iv]) < STANDSTILL_TOLERANCE
    ratios: np.ndarray = np.where(input_at_rest, np.copysign(np.inf, rate), rate / np.where(input_at_rest, 1.0, input_rate))
    return np.abs(ratios) if not output.coordinate and not output.direction else ratios


# -- forces ------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class _LinkageForces:
    """Rows of forces along a cycle; they are NaN where the input stands still, since it cannot move the other joints there."""

    acceleration_ratios: np.ndarray
    torque: np.ndarray
    static_torque: np.ndarray
    inertial_torque: np.ndarray
    friction_torque: np.ndarray
    multipliers: np.ndarray
    wrenches: dict[str, np.ndarray]


def _linkage_forces(
    linkage: Linkage,
    external_wrenches: ExternalWrenches,
    x: np.ndarray,
    q: np.ndarray,
    ratio_function: Callable[[np.ndarray], np.ndarray],
    speed: float,
) -> _LinkageForces:
    """The forces at rows of configurations; `ratio_function` gives the velocity ratios at values of the input."""
    dyn = linkage.dyn
    ratios = ratio_function(x)
    finite = np.isfinite(ratios).all(axis=1)
    velocity_ratios = np.where(finite[:, None], ratios, 0.0)
    acceleration_ratios = _acceleration_ratios(linkage, x, q, velocity_ratios, ratio_function)
    qd, qdd = speed * velocity_ratios, speed**2 * acceleration_ratios
    t = (x - x[0]) / speed if speed else np.zeros(len(x))
    wrenches = external_wrenches(t, q, qd)
    zero_speeds = np.zeros_like(qd)
    joint_forces = np.asarray(dyn.inverse_dynamics(q, qd, qdd, wrenches or None))
    at_rest = np.asarray(dyn.inverse_dynamics(q, zero_speeds, zero_speeds, external_wrenches(t, q, zero_speeds) or None))
    torque, static = ((velocity_ratios * part).sum(axis=1) for part in (joint_forces, at_rest))
    friction = (velocity_ratios * np.asarray(dyn.friction(qd, q=q))).sum(axis=1)
    multipliers = _constraint_multipliers(linkage, q, joint_forces, torque)

    def mask_rows(rows: np.ndarray) -> np.ndarray:
        return np.where(finite if rows.ndim == 1 else finite[:, None], rows, np.nan)

    return _LinkageForces(
        acceleration_ratios=mask_rows(acceleration_ratios),
        torque=mask_rows(torque),
        static_torque=mask_rows(static),
        inertial_torque=mask_rows(torque - static - friction),
        friction_torque=mask_rows(friction),
        multipliers=mask_rows(multipliers),
        wrenches=wrenches,
    )


def _rows_with_constraints(linkage: Linkage, q: np.ndarray, names: tuple[str, ...]) -> np.ndarray:
    """The constraint Jacobian, with a row for each of these coordinates."""
    indices = single_coordinates(linkage.dyn.mechanism)
    rows = np.zeros((len(q), len(names), linkage.dyn.nv))
    for k, name in enumerate(names):
        rows[:, k, indices[name][1]] = 1.0
    return np.concatenate([linkage.dyn.constraint_jacobian(q), rows], axis=1) if linkage.freedom.loops else rows


def _acceleration_ratios(
    linkage: Linkage,
    x: np.ndarray,
    q: np.ndarray,
    velocity_ratios: np.ndarray,
    ratio_function: Callable[[np.ndarray], np.ndarray],
) -> np.ndarray:
    """q'' = d2q/dx2 from Psi q'' + gamma(q, q') = 0, with zero for the input itself.

    At a change point, where branches meet, these equations do not tell them apart: there a difference along this branch serves.
    """
    if not linkage.freedom.loops:
        return np.zeros_like(velocity_ratios)
    A = _rows_with_constraints(linkage, q, (*linkage.fixed, linkage.input))
    b = np.zeros(A.shape[:2])
    m = A.shape[1] - len(linkage.fixed) - 1
    b[:, :m] = -np.asarray(linkage.dyn.constraint_bias(q, velocity_ratios))
    acceleration_ratios = scaled_minimum_norm_solution(A, b, full_rank=True)
    near_change_point = linkage.freedom.regularity(q) < MIN_REGULARITY
    if near_change_point.any():
        forward, backward = (ratio_function(x[near_change_point] + sign * DIFFERENCE_STEP) for sign in (1, -1))
        acceleration_ratios[near_change_point] = (forward - backward) / (2 * DIFFERENCE_STEP)
    return acceleration_ratios


def _constraint_multipliers(linkage: Linkage, q: np.ndarray, joint_forces: np.ndarray, torque: np.ndarray) -> np.ndarray:
    """The multipliers of the constraints: Psi^T lambda is h less the forces at the input and at the fixed coordinates."""
    m = len(linkage.dyn.constraint_names)
    if not m:
        return np.zeros((len(q), 0))
    remaining = joint_forces.copy()
    remaining[:, linkage.iv] -= torque
    finite = np.isfinite(remaining).all(axis=1)
    A = np.swapaxes(_rows_with_constraints(linkage, q, linkage.fixed), 1, 2)
    multipliers = scaled_minimum_norm_solution(A, np.where(finite[:, None], remaining, 0.0))[:, :m]
    return np.where(finite[:, None], multipliers, np.nan)
