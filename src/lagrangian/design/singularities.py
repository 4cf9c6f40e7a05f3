"""`lagrangian.singularities`: the singular configurations of a mechanism over a range of one or two coordinates, located."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from lagrangian.arguments import count, truth
from lagrangian.configuration import reading
from lagrangian.configuration.assemble import assemble
from lagrangian.configuration.bounds import Bounds
from lagrangian.configuration.coordinates import same, single_coordinates
from lagrangian.configuration.dynamics_of import dynamics_of
from lagrangian.configuration.mobility import mobility
from lagrangian.configuration.start import Start
from lagrangian.description.mechanism_of import MechanismLike
from lagrangian.design.circuit import circuit
from lagrangian.design.linkage import Fixed, Linkage, interval, within_limits
from lagrangian.design.outputs import frame_of, ranks_of
from lagrangian.design.rank import Rank
from lagrangian.design.singular import Singularities, Singularity
from lagrangian.design.watches import within
from lagrangian.errors import Argument, ArgumentError, AssemblyError, one_of
from lagrangian.kernels.directions import combination
from lagrangian.kernels.dynamics import Dynamics
from lagrangian.types import State

LINES = 41
LISTED = 12


def singularities(
    mechanism: MechanismLike | Dynamics,
    over: Mapping[str, tuple[float, float]],
    frame: str | None = None,
    *,
    directions: Sequence[str] | None = None,
    q0: State = None,
    fixed: Fixed = (),
    lines: int = LINES,
    limits: bool = True,
) -> Singularities:
    """Find the singular configurations of a mechanism over a range of one or two coordinates.

    A serial arm is singular where a frame loses a direction: the rank of its Jacobian falls. A mechanism with loops has
    singularities of type 1 (the frame loses a direction), of type 2 (the actuated joints no longer control the mechanism), and of
    type 3 (both). Each is located to rounding.

    Parameters
    ----------
    mechanism : Mechanism, str, path or Dynamics
        The mechanism.
    over : mapping
        The range of each coordinate, such as {"theta2": (-3, 3)}. Two coordinates make a map, on which singularities are curves.
    frame : str, optional
        The output, for type 1. The default is the only frame of the description. Without a frame, loops are examined for type 2
        alone.
    directions : sequence of str, optional
        Those of "wx", "wy", "wz", "x", "y", "z" that count. The default is x, y and z, and the rotations as well if the mechanism
        has enough degrees of freedom.
    q0 : array_like, mapping or str, optional
        The configuration at which the other coordinates are held. It picks the assembly mode.
    fixed : iterable of str or mapping, optional
        The coordinates that are held, or a mapping of them to values. The default is all others of a serial arm, and all other
        actuated ones of a mechanism with loops.
    lines : int
        The number of lines across each of two ranges. The default is 41.
    limits : bool
        Whether joints keep their limits. Only without them may `over` exceed the limits. The default is True.

    Returns
    -------
    Singularities
        A sequence of configurations with their types. `print`, `plot` and `save` show them.

    Raises
    ------
    ArgumentError
        If a coordinate is unknown, or if the wrong number of coordinates is held.

    Notes
    -----
    The types are those of Gosselin and Angeles (1990).

    Examples
    --------
    >>> import lagrangian as lg
    >>> found = lg.singularities("two_r", {"theta2": (-3.0, 3.5)}, "tip")
    >>> print(found)
    two_r: along x, y of 'tip', theta2 from -171.887 deg to 200.535 deg: 2 singular configurations
      theta2 = 0 deg, type 1: 'tip' cannot move along y
      theta2 = 180 deg, type 1: 'tip' cannot move along y
    """
    dyn = dynamics_of(mechanism)
    limits = truth(limits, "limits")
    spans = _ranges(dyn, over, limits)
    start = Start(dyn, q0)
    q = start.closed() if start.own else start.q
    held = _held(dyn, tuple(spans), fixed, q)
    frame = frame_of(dyn.mechanism, frame, needed=not dyn.mechanism.equations)
    ranks, chosen = ranks_of(dyn, frame, directions, q)
    q, lines = _placed(dyn, q, spans, held), count(lines, "lines", least=2)
    found: list[Singularity] = []
    for name in spans:
        others = [n for n in spans if n != name]
        for at in _lines(dyn, q, spans, others, held, lines):
            link = Linkage(dyn, name, at, (*others, *held))
            found += _along(link, spans[name], ranks, limits, found, frame, chosen)
    places = [single_coordinates(dyn.mechanism)[n][0] for n in spans]
    found.sort(key=lambda s: tuple(s.q[places]))
    return Singularities(dyn.mechanism, frame, chosen, spans, found, q, dyn)


def _ranges(dyn: Dynamics, over: Any, limits: bool) -> dict[str, tuple[float, float]]:
    places = single_coordinates(dyn.mechanism)
    if not isinstance(over, Mapping) or len(over) not in (1, 2):
        example = dict.fromkeys(list(places)[:1], (0.0, 1.0))
        raise ArgumentError(
            "must give the range of one coordinate, or of two", argument="over", remedy=f"for example {Argument('over', example)}"
        )
    for name in over:
        if name not in places:
            raise ArgumentError(one_of("coordinate", name, places), where=Argument("over"))
    found, bounds = {}, Bounds(dyn.mechanism, limits)
    for name, span in over.items():
        values = [reading.number(dyn.mechanism, x, (Argument("over"), repr(name))) if isinstance(x, str) else x for x in span]
        made = interval(values)
        assert made is not None
        found[name] = within_limits(bounds, name, made)
    return found


def _held(dyn: Dynamics, over: tuple[str, ...], fixed: Fixed, q: np.ndarray) -> dict[str, float]:
    """The coordinates that stand still, with their values: as many as leave one freedom for each in `over`."""
    places, model = single_coordinates(dyn.mechanism), dyn.mechanism
    given = dict(fixed) if isinstance(fixed, Mapping) else dict.fromkeys((fixed,) if isinstance(fixed, str) else fixed)
    for name in given:
        if name not in places:
            raise ArgumentError(one_of("coordinate", name, places), where=Argument("fixed"))
        if name in over:
            raise ArgumentError(f"holds {name!r}, which is also in `over`", argument="fixed")
    degrees = mobility(dyn, q).nearby
    if not given:
        driven = {n for j in model.joints if j.actuated for n in j.coordinate_names}
        others = [n for n in places if n not in over and (n in driven or not model.equations)]
        given = dict.fromkeys(others)
    if len(given) != degrees - len(over):
        raise ArgumentError(
            f"{model.name} has {degrees} degree{'s' * (degrees != 1)} of freedom: beside {', '.join(over)}, "
            f"{max(0, degrees - len(over))} coordinates must be held, but these would be: {', '.join(given) or 'none'}",
            concerns="fixed",
            remedy=f"name them with {Argument('fixed', ...)}",
        )
    where = Argument("fixed")
    return {n: float(q[places[n][0]]) if x is None else reading.number(model, x, (where, repr(n))) for n, x in given.items()}


def _placed(dyn: Dynamics, q: np.ndarray, spans: dict[str, tuple[float, float]], held: dict[str, float]) -> np.ndarray:
    """The start with held coordinates at their values and the others within their ranges."""
    places = single_coordinates(dyn.mechanism)
    wanted = held | {n: float(np.clip(q[places[n][0]], *span)) for n, span in spans.items()}
    if all(q[places[n][0]] == x for n, x in wanted.items()):
        return q
    return assemble(dyn, q, wanted)


def _lines(
    dyn: Dynamics, q: np.ndarray, spans: dict[str, tuple[float, float]], others: list[str], held: dict[str, float], count: int
) -> Iterator[np.ndarray]:
    """Where curves along one coordinate begin: at values of the other one, each found from its neighbour; or q itself."""
    if not others:
        yield q
        return
    (name,), places = others, single_coordinates(dyn.mechanism)
    values = np.linspace(*spans[name], count)
    at = q[places[name][0]]
    for some in (values[values >= at], values[values < at][::-1]):
        near = q
        for x in some:
            try:
                near = assemble(dyn, near, held | {name: float(x)}, starts=0)
            except AssemblyError:  # out of reach from here on
                break
            yield near


def _along(
    link: Linkage,
    span: tuple[float, float],
    ranks: list[Rank],
    limits: bool,
    known: list[Singularity],
    frame: str | None,
    directions: tuple[str, ...],
) -> list[Singularity]:
    """Those on the curve through a configuration, that are not known yet."""
    bounds = Bounds(link.dyn.mechanism, limits)
    if bounds.outside(link.q).any() or not span[0] - 1e-9 <= link.q[link.iq] <= span[1] + 1e-9:
        return []
    watches = within("range", link.iq, *span)
    for name, iq, low, high in zip(bounds.names, bounds.iq, bounds.low, bounds.high, strict=True):
        if name not in link.held:
            watches += within(name, iq, low, high)
    way = circuit(link.freedom, link.q, link.freedom.any_tangent(link.q), watches)
    if len(way.s) < 2:
        return []
    found: list[Singularity] = []
    for rank in ranks:
        for _, q in rank.zeros(way):
            made = _described(link.dyn, rank, q, frame, directions)
            at = next((k for k, s in enumerate(found) if same(link.dyn, s.q, q)), None)
            if at is None:
                found.append(made)
            elif found[at].kind not in (rank.kind, 3):
                before = found[at]
                found[at] = Singularity(3, before.q, made.motion, f"{before.says}; {made.says}")
    return [s for s in found if not any(same(link.dyn, s.q, other.q) for other in known)]


def _described(dyn: Dynamics, rank: Rank, q: np.ndarray, frame: str | None, directions: tuple[str, ...]) -> Singularity:
    lost, motion = rank.vectors(q)
    motion = motion / np.abs(motion).max()
    if rank.kind == 1:
        if np.linalg.norm(lost) < 1e-6:
            return Singularity(1, q, motion, "the constraints depend on each other")
        return Singularity(1, q, motion, f"{frame!r} cannot move along {combination(lost, directions)}")
    moving = [n for n, x in zip(dyn.mechanism.speed_names, motion, strict=True) if abs(x) > 0.1]
    names = ", ".join(moving[:6]) + ", ..." * (len(moving) > 6)
    return Singularity(2, q, motion, f"with the actuated joints locked, {names} can still move")
