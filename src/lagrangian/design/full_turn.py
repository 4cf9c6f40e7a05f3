"""`lagrangian.full_turn`: what a linkage does while its input turns once, or over all of the range that it can."""

from __future__ import annotations

import numpy as np

from lagrangian.arguments import count, number, truth
from lagrangian.configuration.bounds import Bounds
from lagrangian.configuration.coordinates import single_coordinates
from lagrangian.configuration.dynamics_of import dynamics_of
from lagrangian.description.mechanism_of import MechanismLike
from lagrangian.design.branch import INPUT, LIMIT, OUTPUT, OVER, STANDS, Branch
from lagrangian.design.circuit import Circuit, Watch, circuit
from lagrangian.design.forces import forces
from lagrangian.design.four_bar import four_bar
from lagrangian.design.freedom import size_of
from lagrangian.design.linkage import End, Fixed, Linkage, Output, interval, linkage, output_of
from lagrangian.design.transmission import transmission_angle
from lagrangian.design.turn import FullTurn
from lagrangian.design.watches import within
from lagrangian.errors import ArgumentError
from lagrangian.inverse_dynamics.wrenches import Outside
from lagrangian.kernels.dynamics import Dynamics
from lagrangian.motion.wrench import WrenchesLike
from lagrangian.types import State

ROWS = 361


def full_turn(
    mechanism: MechanismLike | Dynamics,
    input: str | None = None,  # noqa: A002
    output: Output = None,
    *,
    over: tuple[float, float] | None = None,
    q0: State = None,
    fixed: Fixed = (),
    speed: float = 1.0,
    wrenches: WrenchesLike = None,
    rows: int = ROWS,
    limits: bool = True,
) -> FullTurn:
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
    FullTurn
        Arrays with a row for each value of the input. `print` writes a summary, `plot` and `save` show the rest.

    Raises
    ------
    ArgumentError
        If the mechanism has more than one degree of freedom, or if an argument is wrong.
    AssemblyError
        If the linkage cannot be assembled.

    See Also
    --------
    compare_turns : The same for many values of parameters.

    Notes
    -----
    The curve of configurations is followed by pseudo-arclength continuation (Keller 1977), so that dead centres are
    ordinary points of it. The transmission angle is that of Alt (1932), with moments as in Sutherland and Roth (1973).

    Examples
    --------
    >>> import lagrangian as lg
    >>> turn = lg.full_turn("slider_crank")
    >>> print(turn)
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
    >>> [round(d.input_value, 6) for d in turn.dead_centres]
    [0.0, 3.141593]
    """
    dyn = dynamics_of(mechanism)
    span, rows, speed = interval(over), count(rows, "rows", least=2), number(speed, "speed")
    outside = Outside(dyn, wrenches)
    link = linkage(dyn, input, q0, fixed, span)
    end = output_of(dyn, output, link.input)
    way = _circuit(link, end, span, truth(limits, "limits"))
    branch = Branch(link, way, span)
    x, q, tangent = branch.rows(rows)
    ratio = _over_input(link, tangent)
    found = forces(link, outside, x, q, lambda at: ratio if at is x else _over_input(link, branch.at(at)[1]), speed)
    rate = _output_ratio(link, end, q, tangent) if end is not None else None
    still = end is not None and _stands(link, end, way)
    if rate is not None and still:
        rate = np.zeros_like(rate)
    held = (link.input, *link.held)
    transmits = end is not None and end.coordinate and way.freedom.loops and not still
    angle = transmission_angle(dyn, q, held, end.coordinate) if end is not None and transmits else None
    others = [name for name in single_coordinates(dyn.mechanism) if name not in held]
    return FullTurn(
        mechanism=dyn.mechanism,
        input=link.input,
        output=str(end) if end is not None else None,
        units=(link.unit, end.unit if end is not None else ""),
        x=x,
        q=q,
        velocity_ratios=ratio,
        acceleration_ratios=found.second,
        output_ratio=rate,
        transmission_angle=angle,
        speed=speed,
        torque=found.torque,
        static_torque=found.static,
        inertial_torque=found.inertial,
        friction_torque=found.friction,
        multipliers=found.multipliers,
        dead_centres=branch.dead_centres(None if still else end),
        ends=branch.ends,
        turns=branch.turns,
        four_bar=four_bar(dyn, q, link.input),
        swings={name: branch.covered.swing(End(dyn, name)) for name in others},
        dyn=dyn,
        circuit=way,
        covered=branch.covered,
        wrenches=found.wrenches,
    )


def _circuit(link: Linkage, end: End | None, over: tuple[float, float] | None, limits: bool) -> Circuit:
    """All configurations that the linkage passes, with dead centres of input and output, and what ends them."""
    freedom, k = link.freedom, link.iq
    watches = [Watch(INPUT, lambda q, t: t[:, link.iv])]
    if end is not None and (end.coordinate or end.direction):
        watches.append(Watch(OUTPUT, lambda q, t: end.rate(q, t * freedom.units)))
    if over is not None:
        watches += within(OVER, k, *over)
    bounds = Bounds(link.dyn.mechanism, limits)
    for name, iq, low, high in zip(bounds.names, bounds.iq, bounds.low, bounds.high, strict=True):
        if name not in link.held:
            watches += within(LIMIT + name, iq, low, high)
    past = [n for n, out in zip(bounds.names, bounds.outside(link.q), strict=True) if out and n not in link.held]
    if past:
        raise ArgumentError(
            f"{link.dyn.mechanism.name}: {', '.join(past)} would start outside the limits of the joint",
            concerns="q0",
            remedy="give a start within them, or limits=False",
        )
    tangent = freedom.any_tangent(link.q)
    forward = tangent[link.iv] if abs(tangent[link.iv]) > STANDS else tangent[np.argmax(np.abs(tangent))]
    way = circuit(freedom, link.q, tangent * np.sign(forward), watches)
    if np.abs(way.tangent[:, link.iv]).max() < STANDS:
        moving = [n for n, (_, iv) in single_coordinates(link.dyn.mechanism).items() if np.abs(way.tangent[:, iv]).max() > STANDS]
        raise ArgumentError(
            f"is {link.input!r}, which cannot move: the constraints hold it",
            where=link.dyn.mechanism.name,
            argument="input",
            remedy=f"give one of {', '.join(moving[:12])}",
        )
    return way


def _stands(link: Linkage, end: End, way: Circuit) -> bool:
    """Whether the output does not move while the linkage goes through all of its configurations, but for rounding."""
    size = 1.0 if end.unit == "rad" else size_of(link.dyn.mechanism)
    return bool(np.abs(end.rate(way.q, way.tangent * link.freedom.units)).max() < STANDS * size)


def _over_input(link: Linkage, tangent: np.ndarray) -> np.ndarray:
    """dq/dx, infinite where the input stands still and a coordinate does not."""
    units = link.freedom.units
    rate = tangent[:, [link.iv]] * units[link.iv]
    stands = np.abs(tangent[:, [link.iv]]) < STANDS
    speeds = np.where(np.abs(tangent) < STANDS, 0.0, tangent) * units
    with np.errstate(divide="ignore", invalid="ignore"):
        found: np.ndarray = np.where(stands, np.where(speeds == 0, 0.0, np.sign(speeds) * np.inf), tangent * units / rate)
    found[:, link.iv] = 1.0
    return found


def _output_ratio(link: Linkage, end: End, q: np.ndarray, tangent: np.ndarray) -> np.ndarray:
    """How fast the output moves over how fast the input does; infinite where the input stands still."""
    speeds = tangent * link.freedom.units
    rate, by = end.rate(q, speeds), speeds[:, link.iv]
    stands = np.abs(tangent[:, link.iv]) < STANDS
    found: np.ndarray = np.where(stands, np.copysign(np.inf, rate), rate / np.where(stands, 1.0, by))
    return np.abs(found) if not end.coordinate and not end.direction else found
