"""A mechanism of one degree of freedom with the coordinate that drives it, and what is asked for at the other end."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from lagrangian.arguments import floats, texts
from lagrangian.cached import cached_property
from lagrangian.configuration import reading
from lagrangian.configuration.assemble import assemble
from lagrangian.configuration.bounds import EDGE, Bounds
from lagrangian.configuration.coordinates import periodic_coordinates, single_coordinates
from lagrangian.configuration.start import Start
from lagrangian.design.freedom import Freedom
from lagrangian.errors import Argument, ArgumentError, one_of, shown
from lagrangian.kernels.dynamics import Dynamics
from lagrangian.model.loop import DIRECTIONS
from lagrangian.model.mechanism import GROUND

Fixed = Iterable[str] | Mapping[str, float]
Output = str | tuple[str, str] | None


@dataclass(frozen=True, eq=False)
class Linkage:
    """`q` is where it stands, `held` are the coordinates that stay there."""

    dyn: Dynamics
    input: str
    q: np.ndarray
    held: tuple[str, ...]

    @cached_property
    def freedom(self) -> Freedom:
        found, model = Freedom(self.dyn, self.held, self.q), self.dyn.mechanism
        if found.degrees < 1:
            held = f" with {', '.join(self.held)} held" if self.held else ""
            raise ArgumentError(f"cannot move{held}: its constraints leave no degree of freedom", where=model.name)
        if found.degrees > 1:
            others = [n for n, a in _actuated(self.dyn).items() if a and n not in (self.input, *self.held)]
            example = {name: round(float(self.q[single_coordinates(model)[name][0]]), 4) for name in others[: found.degrees - 1]}
            hold = f"hold {found.degrees - 1} of its coordinates" + (f", {Argument('fixed', example)}" if example else "")
            raise ArgumentError(
                f"has {found.degrees} degrees of freedom; one is needed, so that {self.input!r} determines the others",
                where=model.name,
                remedy=hold,
            )
        return found

    @property
    def iq(self) -> int:
        return single_coordinates(self.dyn.mechanism)[self.input][0]

    @property
    def iv(self) -> int:
        return single_coordinates(self.dyn.mechanism)[self.input][1]

    @property
    def turns(self) -> bool:
        """Whether a whole turn of the input brings it back to where it was."""
        return self.iq in periodic_coordinates(self.dyn.mechanism)

    @property
    def unit(self) -> str:
        return unit_of(self.dyn, self.iv)


def unit_of(dyn: Dynamics, iv: int) -> str:
    """Of a coordinate, by the place of its speed."""
    return "m" if [slides for joint in dyn.mechanism.joints for slides in joint.slides][iv] else "rad"


def linkage(dyn: Dynamics, given: str | None, q0: Any, fixed: Fixed, over: tuple[float, float] | None) -> Linkage:
    """A linkage as a caller describes it, assembled within the range `over` of its input."""
    places = single_coordinates(dyn.mechanism)
    values = dict(fixed) if isinstance(fixed, Mapping) else dict.fromkeys(texts(fixed, "fixed"))
    for name in values:
        if name not in places:
            raise ArgumentError(one_of("coordinate", name, places), where=Argument("fixed"))
    name = _input(dyn, given, tuple(values))
    if name in values:
        raise ArgumentError(f"is {name!r}, which `fixed` holds; another coordinate must drive the linkage", argument="input")
    start = Start(dyn, q0)
    q = start.closed() if start.own else start.q
    said = {n: reading.number(dyn.mechanism, x, (Argument("fixed"), repr(n))) for n, x in values.items() if x is not None}
    if over is not None:
        at = float(np.clip(q[places[name][0]], *over))
        said |= {name: at} if at != q[places[name][0]] else {}
    if said:
        held = {**{n: float(q[places[n][0]]) for n in values}, **said}
        q = assemble(dyn, q, held)
    return Linkage(dyn, name, q, tuple(values))


def _actuated(dyn: Dynamics) -> dict[str, bool]:
    places = single_coordinates(dyn.mechanism)
    return {n: j.actuated for j in dyn.mechanism.joints for n in j.coordinate_names if n in places}


def _input(dyn: Dynamics, given: str | None, fixed: tuple[str, ...]) -> str:
    known = single_coordinates(dyn.mechanism)
    if given is not None:
        if not isinstance(given, str) or given not in known:
            raise ArgumentError(one_of("coordinate", given, known), where=Argument("input"))
        return given
    driven = [name for name, yes in _actuated(dyn).items() if yes and name not in fixed]
    if len(driven) != 1:
        why = f"its actuated coordinates are {', '.join(driven[:8])}" if driven else "no joint of it is actuated"
        raise ArgumentError(
            f"is needed for {dyn.mechanism.name}: {why}",
            argument="input",
            remedy=f"give one of {', '.join((driven or list(known))[:12])}" + (", and hold the others" * (len(driven) > 1)),
        )
    return driven[0]


def interval(given: Any, argument: str = "over") -> tuple[float, float] | None:
    """A range as two finite numbers, the smaller one first."""
    if given is None:
        return None
    try:
        found = floats(given)
    except TypeError:
        found = np.zeros(0)
    if found.shape != (2,) or not np.isfinite(found).all() or not found[0] < found[1]:
        raise ArgumentError(
            f"is {shown(given)}", argument=argument, remedy="two finite numbers are needed, the smaller one first"
        )
    return float(found[0]), float(found[1])


def within_limits(bounds: Bounds, name: str, span: tuple[float, float]) -> tuple[float, float]:
    """A range of a coordinate, which is an error where it goes beyond the limits that joints keep."""
    k = bounds.names.index(name)
    low, high = float(bounds.low[k]), float(bounds.high[k])
    if span[0] < low - EDGE or span[1] > high + EDGE:
        raise ArgumentError(
            f"goes from {span[0]:g} to {span[1]:g}, beyond the limits of the joint, {low:g} to {high:g}",
            where=(Argument("over"), repr(name)),
            remedy=f"give a range within them, or {Argument('limits', False)}",
        )
    return max(span[0], low), min(span[1], high)


@dataclass(frozen=True, eq=False)
class End:
    """What is moved: a coordinate, a frame along a direction, or a frame along its own path."""

    dyn: Dynamics
    coordinate: str = ""
    frame: str = ""
    direction: str = ""

    def __str__(self) -> str:
        return self.coordinate or self.frame + (f".{self.direction}" if self.direction else "")

    @property
    def unit(self) -> str:
        if self.coordinate:
            return unit_of(self.dyn, single_coordinates(self.dyn.mechanism)[self.coordinate][1])
        return "rad" if self.direction.startswith("w") else "m"

    def value(self, q: np.ndarray) -> np.ndarray:
        """Where it is at rows of configurations: a coordinate, or a frame's position along x, y or z."""
        if self.coordinate:
            return q[:, single_coordinates(self.dyn.mechanism)[self.coordinate][0]]
        found: np.ndarray = np.asarray(self.dyn.pose(q, self.frame))[:, "xyz".index(self.direction), 3]
        return found

    def rate(self, q: np.ndarray, tangent: np.ndarray) -> np.ndarray:
        """How fast it moves at rows of configurations, for speeds; along its own path a frame moves forwards."""
        if self.coordinate:
            return tangent[:, single_coordinates(self.dyn.mechanism)[self.coordinate][1]]
        v = np.asarray(self.dyn.velocity(q, tangent, self.frame))
        found: np.ndarray = v[:, DIRECTIONS.index(self.direction)] if self.direction else np.linalg.norm(v[:, 3:], axis=1)
        return found


def output_of(dyn: Dynamics, given: Output, input_name: str) -> End | None:
    """The output as a caller names it; by default the one passive joint on the ground, if there is one alone."""
    places, model = single_coordinates(dyn.mechanism), dyn.mechanism
    if given is None:
        grounded = [j.name for j in model.joints if j.parent == GROUND and j.kind.nv == 1 and j.name in places]
        others = [name for name in grounded if name != input_name]
        return End(dyn, others[0]) if len(others) == 1 else None
    pair = (given, "") if isinstance(given, str) else tuple(given) if isinstance(given, (list, tuple)) else ()
    if len(pair) != 2 or not all(isinstance(x, str) for x in pair):
        remedy = "a coordinate, a frame, or a frame with a direction, such as ('tip', 'x'), is needed"
        raise ArgumentError(f"is {shown(given)}", argument="output", remedy=remedy)
    name, direction = pair
    if not direction and name in places:
        if name == input_name:
            raise ArgumentError(f"is {name!r}, which is the input", argument="output")
        return End(dyn, name)
    if name not in model._frames:
        known = [*places, *model._frames]
        raise ArgumentError(one_of("coordinate or frame", name, known), where=Argument("output"))
    if direction and direction not in DIRECTIONS:
        raise ArgumentError(one_of("direction", direction, DIRECTIONS), where=Argument("output"))
    return End(dyn, "", name, direction)
