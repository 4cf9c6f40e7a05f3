"""`lagrangian.full_turn`: what a linkage does while its input turns once, or over all of the range that it can."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

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

ROWS = 361


def full_turn(
    mechanism: MechanismLike | Dynamics,
    input: str | None = None,  # noqa: A002
    output: Output = None,
    *,
    over: tuple[float, float] | None = None,
    q0: Any = None,
    fixed: Fixed = (),
    speed: float = 1.0,
    wrenches: Mapping[str, Any] | None = None,
    rows: int = ROWS,
    limits: bool = True,
) -> FullTurn:
    """Move a linkage of one degree of freedom by its input, over a turn or as far as it goes, and say what designers ask.

    Positions, exact velocity and acceleration ratios, dead centres, transmission angle, mechanical advantage, and the force or
    torque at the input, at rest and at a constant speed.

    Parameters
    ----------
    mechanism
        A mechanism of one degree of freedom; of one that has more, the others are held by `fixed`.
    input
        The coordinate that drives it; by default the one whose joint is actuated.
    output
        A coordinate, a frame (which moves along its own path), or a frame and a direction, as ("tip", "x"). By default it is the
        other joint on the ground, where there is one alone.
    over
        The range of the input. By default it is a whole turn, or all between the input's dead centres and the joints' limits.
    q0
        Where it stands, which picks the assembly: an array, a pose, or a mapping, as for `simulate`.
    fixed
        Names of coordinates that are held where q0 has them, or a mapping to the values they are held at.
    speed
        The constant speed of the input, in rad/s or m/s, for the forces.
    wrenches
        Forces from outside, `{frame: (moment, force)}`, as for `inverse`.
    rows
        How many rows the result has, for each turn.
    limits
        Whether the joints' limits end the range.

    Returns
    -------
    FullTurn
        Arrays with a row for each value of the input; `print`, `plot` and `save` show them.

    Examples
    --------
    >>> import lagrangian as lg
    >>> turn = lg.full_turn("slider_crank")
    >>> [round(d.input_value, 10) for d in turn.dead_centres]
    [0.0, 3.1415926536]
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
            f"{link.dyn.mechanism.name}: {', '.join(past)} would begin beyond the joint's limits",
            concerns="q0",
            remedy="give a start within them, or limits=False",
        )
    tangent = freedom.any_tangent(link.q)
    forward = tangent[link.iv] if abs(tangent[link.iv]) > STANDS else tangent[np.argmax(np.abs(tangent))]
    way = circuit(freedom, link.q, tangent * np.sign(forward), watches)
    if np.abs(way.tangent[:, link.iv]).max() < STANDS:
        moving = [n for n, (_, iv) in single_coordinates(link.dyn.mechanism).items() if np.abs(way.tangent[:, iv]).max() > STANDS]
        raise ArgumentError(
            f"is {link.input!r}, which stands still whatever the linkage does: its constraints hold it",
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
