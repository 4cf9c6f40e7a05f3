"""`lagrangian.singularities`: the singular configurations of a mechanism over a range of one or two coordinates, located."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
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
from lagrangian.design.linkage import Fixed, Linkage, interval, unit_of
from lagrangian.design.rank import Rank
from lagrangian.design.saving import Column, save
from lagrangian.design.showing import ShownSingularities
from lagrangian.design.turn import in_words
from lagrangian.design.watches import within
from lagrangian.errors import Argument, ArgumentError, AssemblyError, one_of
from lagrangian.kernels.directions import combination
from lagrangian.kernels.dynamics import Dynamics
from lagrangian.kinematics.requirements import FrameGoal, JointGoal, Requirements
from lagrangian.model.loop import DIRECTIONS
from lagrangian.model.mechanism import Mechanism

LINES = 41
LISTED = 12


@dataclass(frozen=True, eq=False)
class Singularity:
    """A singular configuration `q`.

    `kind` is 1 where the output loses a direction, 2 where the actuators do not command the mechanism, 3 for both. `says` tells
    what is lost or gained, `motion` are the speeds of the motion that leaves the output (1) or the actuators (2) at rest.
    """

    kind: int
    q: np.ndarray
    motion: np.ndarray
    says: str


@dataclass(frozen=True, eq=False, repr=False)
class Singularities(ShownSingularities):
    """The singular configurations that were found over a range of one coordinate, or of two.

    It is a sequence of `Singularity`. `q` (count, nq), `kind` (count,) and `values` (count, coordinates in `over`) have them as
    arrays. Over two coordinates they lie on curves, of which these are points.
    """

    mechanism: Mechanism
    frame: str | None
    directions: tuple[str, ...]
    over: dict[str, tuple[float, float]]
    found: list[Singularity]
    start: np.ndarray
    dyn: Dynamics = field(repr=False)

    @property
    def q(self) -> np.ndarray:
        return np.array([s.q for s in self.found]).reshape(-1, self.mechanism.nq)

    @property
    def kind(self) -> np.ndarray:
        return np.array([s.kind for s in self.found], dtype=int)

    @property
    def values(self) -> np.ndarray:
        places = single_coordinates(self.mechanism)
        return self.q[:, [places[name][0] for name in self.over]]

    @property
    def units(self) -> tuple[str, ...]:
        """Of the coordinates in `over`."""
        places = single_coordinates(self.mechanism)
        return tuple(unit_of(self.dyn, places[name][1]) for name in self.over)

    def __len__(self) -> int:
        return len(self.found)

    def __getitem__(self, k: int) -> Singularity:
        return self.found[k]

    def __iter__(self) -> Iterator[Singularity]:
        return iter(self.found)

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Write the type and the coordinates of each, as .csv or .nc; the file that was written."""
        columns = [Column("type", self.kind.astype(float), "1", "type of the singularity")]
        units = [unit or "1" for joint in self.mechanism.joints for unit in joint.kind.units]
        columns += [Column(n, self.q[:, k], units[k]) for k, n in enumerate(self.mechanism.coordinate_names)]
        return save(path, self.mechanism.name, "list of singular configurations", "singularity", columns)

    def __repr__(self) -> str:
        return f"<Singularities of {self.mechanism.name!r}: {len(self)}>"

    def __str__(self) -> str:
        spans = [
            f"{n} from {in_words(a, u)} to {in_words(b, u)}" for (n, (a, b)), u in zip(self.over.items(), self.units, strict=True)
        ]
        what = f"along {', '.join(self.directions)} of {self.frame!r}, " if self.frame else ""
        head = f"{self.mechanism.name}: {what}{', '.join(spans)}"
        if not self.found:
            return f"{head}: no singular configuration was found"
        if len(self.over) > 1:
            kinds = [f"{int((self.kind == k).sum())} of type {k}" for k in (1, 2, 3) if (self.kind == k).any()]
            says = list(dict.fromkeys(f"type {s.kind}: {s.says}" for s in self.found))
            more = [] if len(says) > LISTED else [f"  {line}" for line in says]
            return "\n".join([f"{head}: {len(self)} points on singular curves, {', '.join(kinds)}", *more])
        lines = [f"{head}: {len(self)} singular configuration{'s' * (len(self) != 1)}"]
        name, unit = next(iter(self.over)), self.units[0]
        for s, (x,) in list(zip(self.found, self.values, strict=True))[:LISTED]:
            lines.append(f"  {name} = {in_words(x, unit)}, type {s.kind}: {s.says}")
        return "\n".join([*lines, *([f"  and {len(self) - LISTED} more"] if len(self) > LISTED else [])])


def singularities(
    mechanism: MechanismLike | Dynamics,
    over: Mapping[str, tuple[float, float]],
    frame: str | None = None,
    *,
    directions: Sequence[str] | None = None,
    q0: Any = None,
    fixed: Fixed = (),
    lines: int = LINES,
    limits: bool = True,
) -> Singularities:
    """Find the singular configurations of a mechanism over a range of one coordinate, or of two, and locate each to rounding.

    A serial arm is singular where a frame loses a direction: the rank of its Jacobian falls. A mechanism with loops is so of type 1
    (the frame loses a direction), of type 2 (its actuated joints no longer command it), or of both (type 3), as Gosselin and
    Angeles (1990) tell them apart.

    Parameters
    ----------
    mechanism
        Any mechanism; the coordinates that are not led by those in `over` are held.
    over
        The range of each coordinate, {"theta2": (-3, 3)}. Two coordinates make a map, on which singular configurations are curves.
    frame
        The output, for type 1. By default the only frame of the description; without one, loops are looked at for type 2 alone.
    directions
        Those of wx, wy, wz, x, y, z that count. By default x, y and z, and the turns too where there is freedom left for them.
    q0
        Where the others are held, and which assembly is taken: an array, a pose, or a mapping.
    fixed
        Names of the coordinates that are held, or a mapping to values. By default all others of a serial arm, and all other
        actuated ones of a mechanism with loops.
    lines
        How many lines across each of two ranges are followed.
    limits
        Whether the joints' limits end the ranges.

    Returns
    -------
    Singularities
        A sequence of configurations with their types; `print`, `plot` and `save` show them.

    Examples
    --------
    >>> import lagrangian as lg
    >>> found = lg.singularities("two_r", {"theta2": (-3.0, 3.5)}, "tip")
    >>> [round(float(x), 9) + 0.0 for x in found.values[:, 0]]
    [0.0, 3.141592654]
    """
    dyn = dynamics_of(mechanism)
    spans = _ranges(dyn, over)
    start = Start(dyn, q0)
    q = start.closed() if start.own else start.q
    held = _held(dyn, tuple(spans), fixed, q)
    frame = _frame(dyn, frame)
    ranks, chosen = _ranks(dyn, frame, directions, q)
    q, lines, limits = _placed(dyn, q, spans, held), count(lines, "lines", least=2), truth(limits, "limits")
    found: list[Singularity] = []
    for name in spans:
        others = [n for n in spans if n != name]
        for at in _lines(dyn, q, spans, others, held, lines):
            link = Linkage(dyn, name, at, (*others, *held))
            found += _along(link, spans[name], ranks, limits, found, frame, chosen)
    order = np.lexsort(
        np.array([[s.q[single_coordinates(dyn.mechanism)[n][0]] for s in found] for n in reversed(spans)]).reshape(len(spans), -1)
    )
    return Singularities(dyn.mechanism, frame, chosen, spans, [found[k] for k in order], q, dyn)


def _ranges(dyn: Dynamics, over: Any) -> dict[str, tuple[float, float]]:
    places = single_coordinates(dyn.mechanism)
    if not isinstance(over, Mapping) or len(over) not in (1, 2):
        example = {name: (0.0, 1.0) for name in list(places)[:1]}
        raise ArgumentError(
            "gives the ranges of one coordinate, or of two", argument="over", remedy=f"such as {Argument('over', example)}"
        )
    for name in over:
        if name not in places:
            raise ArgumentError(one_of("coordinate", name, places), where=Argument("over"))
    found = {}
    for name, span in over.items():
        values = [reading.number(dyn.mechanism, x, (Argument("over"), repr(name))) if isinstance(x, str) else x for x in span]
        made = interval(values)
        assert made is not None
        found[name] = made
    return found


def _held(dyn: Dynamics, over: tuple[str, ...], fixed: Fixed, q: np.ndarray) -> dict[str, float]:
    """The coordinates that stand still, with their values: as many as leave one freedom for each in `over`."""
    places, model = single_coordinates(dyn.mechanism), dyn.mechanism
    given = dict(fixed) if isinstance(fixed, Mapping) else dict.fromkeys((fixed,) if isinstance(fixed, str) else fixed)
    for name in given:
        if name not in places:
            raise ArgumentError(one_of("coordinate", name, places), where=Argument("fixed"))
        if name in over:
            raise ArgumentError(f"holds {name!r}, over which singular configurations are sought", argument="fixed")
    degrees = mobility(dyn, q).nearby
    if not given:
        driven = {n for j in model.joints if j.actuated for n in j.coordinate_names}
        others = [n for n in places if n not in over and (n in driven or not model.equations)]
        given = dict.fromkeys(others)
    if len(given) != degrees - len(over):
        raise ArgumentError(
            f"{model.name} has {degrees} degree{'s' * (degrees != 1)} of freedom: beside {', '.join(over)}, {degrees - len(over)} "
            f"coordinates are to be held, and these are {len(given)}: {', '.join(given) or 'none'}",
            concerns="fixed",
            remedy=f"name them, {Argument('fixed', ...)}",
        )
    values = {
        n: float(q[places[n][0]]) if x is None else reading.number(model, x, (Argument("fixed"), repr(n)))
        for n, x in given.items()
    }
    return values


def _frame(dyn: Dynamics, frame: str | None) -> str | None:
    model = dyn.mechanism
    if frame is not None:
        return model.frame(frame).name
    if len(model.frames) == 1:
        return model.frames[0].name
    if model.equations:
        return None
    known = [f.name for f in model.frames] + [b.name for b in model.bodies]
    raise ArgumentError(
        f"does not say which frame of {model.name!r} is the output",
        argument="frame",
        remedy=f"give one of {', '.join(known[:12])}",
    )


def _ranks(dyn: Dynamics, frame: str | None, directions: Any, q: np.ndarray) -> tuple[list[Rank], tuple[str, ...]]:
    """What is looked at: the frame's directions, and the actuated joints of a mechanism with loops."""
    model, found, chosen = dyn.mechanism, [], ()
    places = single_coordinates(model)
    if frame is not None:
        chosen = tuple(directions) if directions is not None else _directions(dyn, frame, q)
        found.append(Rank(1, Requirements(dyn, FrameGoal(dyn, frame, chosen))))
    driven = tuple(n for j in model.joints if j.actuated for n in j.coordinate_names if n in places)
    if model.equations and driven:
        found.append(Rank(2, Requirements(dyn, JointGoal(dyn, driven))))
    if not found:
        raise ArgumentError(f"{model.name} has no frame and no actuated joints, so that nothing can be lost", concerns="frame")
    return found, chosen


def _directions(dyn: Dynamics, frame: str, q: np.ndarray) -> tuple[str, ...]:
    """x, y and z as far as the frame moves along them; the turns too, where there are more degrees of freedom than that."""
    from lagrangian.kernels.cartesian import freedom

    near = q if dyn.mechanism.equations else dyn.mechanism.random_configuration(1)
    N = freedom(dyn, near[None], np.zeros((1, dyn.nv)), 0.0)[0]
    J = np.asarray(dyn.jacobian(near, frame))
    J = J if N is None else J @ N[0]
    size = np.linalg.norm(J, axis=1)
    moves = [k for k in (3, 4, 5) if size[k] > 1e-9 * max(size.max(), 1e-300)]
    degrees = dyn.nv if N is None else int((np.abs(N[0]).max(axis=0) > 0).sum())
    if degrees > np.linalg.matrix_rank(J[3:], tol=1e-9):
        moves = [k for k in (0, 1, 2) if size[k] > 1e-9 * size.max()] + moves
    if not moves:
        raise ArgumentError(f"{frame!r} does not move", argument="frame", remedy="give a frame on a body that does")
    return tuple(DIRECTIONS[k] for k in moves)


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
            elif found[at].kind != rank.kind:
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
