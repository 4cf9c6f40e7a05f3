"""A linkage: a mechanism of one degree of freedom with the coordinate that drives it, and the output that it moves."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from lagrangian.arguments import floats, texts
from lagrangian.cached import cached_property
from lagrangian.configuration import state_arguments
from lagrangian.configuration.assemble import assemble
from lagrangian.configuration.coordinates import LIMIT_TOLERANCE, CoordinateBounds, periodic_coordinates, single_coordinates
from lagrangian.configuration.start import Start
from lagrangian.design.freedom import SingleFreedom
from lagrangian.errors import ArgumentError, ArgumentName, format_value, unknown_direction_message, unknown_name_message
from lagrangian.kernels.dynamics import Dynamics
from lagrangian.model.frame import TWIST_COMPONENTS
from lagrangian.model.mechanism import GROUND

Fixed = Iterable[str] | Mapping[str, float]
Output = str | tuple[str, str] | None


@dataclass(frozen=True, eq=False)
class Linkage:
    """A linkage in the configuration `q`, driven by the coordinate `input`; the coordinates `fixed` keep their values."""

    dyn: Dynamics
    input: str
    q: np.ndarray
    fixed: tuple[str, ...]

    @cached_property
    def freedom(self) -> SingleFreedom:
        freedom, model = SingleFreedom(self.dyn, self.fixed, self.q), self.dyn.mechanism
        if freedom.degrees < 1:
            fixed_text = f" with {', '.join(self.fixed)} held" if self.fixed else ""
            raise ArgumentError(f"cannot move{fixed_text}: its constraints leave no degree of freedom", where=model.name)
        if freedom.degrees > 1:
            other_names = [n for n, a in _actuation_by_coordinate(self.dyn).items() if a and n not in (self.input, *self.fixed)]
            example = {
                name: round(float(self.q[single_coordinates(model)[name][0]]), 4) for name in other_names[: freedom.degrees - 1]
            }
            remedy = f"hold {freedom.degrees - 1} of its coordinates" + (f", {ArgumentName('fixed', example)}" if example else "")
            raise ArgumentError(
                f"has {freedom.degrees} degrees of freedom; one is needed, so that {self.input!r} determines the others",
                where=model.name,
                remedy=remedy,
            )
        return freedom

    @property
    def iq(self) -> int:
        return single_coordinates(self.dyn.mechanism)[self.input][0]

    @property
    def iv(self) -> int:
        return single_coordinates(self.dyn.mechanism)[self.input][1]

    @property
    def input_is_periodic(self) -> bool:
        """Whether a whole turn of the input brings it back to where it was."""
        return self.iq in periodic_coordinates(self.dyn.mechanism)

    @property
    def unit(self) -> str:
        return coordinate_unit(self.dyn, self.iv)


def _actuation_by_coordinate(dyn: Dynamics) -> dict[str, bool]:
    names = single_coordinates(dyn.mechanism)
    return {n: j.actuated for j in dyn.mechanism.joints for n in j.coordinate_names if n in names}


def coordinate_unit(dyn: Dynamics, iv: int) -> str:
    """The unit of a coordinate, by the index of its speed."""
    return "m" if [slides for joint in dyn.mechanism.joints for slides in joint.slides][iv] else "rad"


def assemble_linkage(dyn: Dynamics, input_name: str | None, q0: Any, fixed: Fixed, over: tuple[float, float] | None) -> Linkage:
    """The linkage that a caller describes, assembled within the range `over` of its input."""
    indices = single_coordinates(dyn.mechanism)
    values = dict(fixed) if isinstance(fixed, Mapping) else dict.fromkeys(texts(fixed, "fixed"))
    for name in values:
        if name not in indices:
            raise ArgumentError(unknown_name_message("coordinate", name, indices), where=ArgumentName("fixed"))
    name = _input_coordinate(dyn, input_name, tuple(values))
    if name in values:
        raise ArgumentError(f"is {name!r}, which `fixed` holds; another coordinate must drive the linkage", argument="input")
    start = Start(dyn, q0)
    q = start.close_loops() if start.uses_default else start.q
    prescribed = {
        n: state_arguments.as_number(dyn.mechanism, x, (ArgumentName("fixed"), repr(n)))
        for n, x in values.items()
        if x is not None
    }
    if over is not None:
        start_value = float(np.clip(q[indices[name][0]], *over))
        prescribed |= {name: start_value} if start_value != q[indices[name][0]] else {}
    if prescribed:
        fixed_values = {**{n: float(q[indices[n][0]]) for n in values}, **prescribed}
        q = assemble(dyn, q, fixed_values)
    return Linkage(dyn, name, q, tuple(values))


def _input_coordinate(dyn: Dynamics, input_name: str | None, fixed: tuple[str, ...]) -> str:
    coordinates = single_coordinates(dyn.mechanism)
    if input_name is not None:
        if not isinstance(input_name, str) or input_name not in coordinates:
            raise ArgumentError(unknown_name_message("coordinate", input_name, coordinates), where=ArgumentName("input"))
        return input_name
    driven = [name for name, is_actuated in _actuation_by_coordinate(dyn).items() if is_actuated and name not in fixed]
    if len(driven) != 1:
        reason = f"its actuated coordinates are {', '.join(driven[:8])}" if driven else "no joint of it is actuated"
        raise ArgumentError(
            f"is needed for {dyn.mechanism.name}: {reason}",
            argument="input",
            remedy=f"give one of {', '.join((driven or list(coordinates))[:12])}" + (", and hold the others" * (len(driven) > 1)),
        )
    return driven[0]


def as_interval(value: Any, argument: str = "over") -> tuple[float, float] | None:
    """A range as two finite numbers, the smaller one first."""
    if value is None:
        return None
    try:
        ends = floats(value)
    except TypeError:
        ends = np.zeros(0)
    if ends.shape != (2,) or not np.isfinite(ends).all() or not ends[0] < ends[1]:
        raise ArgumentError(
            f"is {format_value(value)}", argument=argument, remedy="two finite numbers are needed, the smaller one first"
        )
    return float(ends[0]), float(ends[1])


def check_range_within_limits(bounds: CoordinateBounds, name: str, span: tuple[float, float]) -> tuple[float, float]:
    """The range of a coordinate within the limits of its joint; a range beyond them is an error."""
    k = bounds.names.index(name)
    low, high = float(bounds.low[k]), float(bounds.high[k])
    if span[0] < low - LIMIT_TOLERANCE or span[1] > high + LIMIT_TOLERANCE:
        raise ArgumentError(
            f"goes from {span[0]:g} to {span[1]:g}, beyond the limits of the joint, {low:g} to {high:g}",
            where=(ArgumentName("over"), repr(name)),
            remedy=f"give a range within them, or {ArgumentName('limits', False)}",
        )
    return max(span[0], low), min(span[1], high)


@dataclass(frozen=True, eq=False)
class LinkageOutput:
    """The output of a linkage: a coordinate, a frame along a direction, or a frame along its own path."""

    dyn: Dynamics
    coordinate: str = ""
    frame: str = ""
    direction: str = ""

    def __str__(self) -> str:
        return self.coordinate or self.frame + (f".{self.direction}" if self.direction else "")

    @property
    def unit(self) -> str:
        if self.coordinate:
            return coordinate_unit(self.dyn, single_coordinates(self.dyn.mechanism)[self.coordinate][1])
        return "rad" if self.direction.startswith("w") else "m"

    def value(self, q: np.ndarray) -> np.ndarray:
        """The value of the output at rows of configurations: a coordinate, or a frame's position along x, y or z."""
        if self.coordinate:
            return q[:, single_coordinates(self.dyn.mechanism)[self.coordinate][0]]
        positions: np.ndarray = np.asarray(self.dyn.pose(q, self.frame))[:, "xyz".index(self.direction), 3]
        return positions

    def rate(self, q: np.ndarray, tangent: np.ndarray) -> np.ndarray:
        """The speed of the output at rows of configurations and speeds; along its own path a frame moves forwards."""
        if self.coordinate:
            return tangent[:, single_coordinates(self.dyn.mechanism)[self.coordinate][1]]
        v = np.asarray(self.dyn.velocity(q, tangent, self.frame))
        rates: np.ndarray = v[:, TWIST_COMPONENTS.index(self.direction)] if self.direction else np.linalg.norm(v[:, 3:], axis=1)
        return rates


def as_output(dyn: Dynamics, output: Output, input_name: str) -> LinkageOutput | None:
    """The output that a caller names; by default the other joint on the ground, if there is exactly one."""
    coordinates, model = single_coordinates(dyn.mechanism), dyn.mechanism
    if output is None:
        grounded = [j.name for j in model.joints if j.parent == GROUND and j.kind.nv == 1 and j.name in coordinates]
        other_joints = [name for name in grounded if name != input_name]
        return LinkageOutput(dyn, other_joints[0]) if len(other_joints) == 1 else None
    pair = (output, "") if isinstance(output, str) else tuple(output) if isinstance(output, (list, tuple)) else ()
    if len(pair) != 2 or not all(isinstance(x, str) for x in pair):
        remedy = "a coordinate, a frame, or a frame with a direction, such as ('tip', 'x'), is needed"
        raise ArgumentError(f"is {format_value(output)}", argument="output", remedy=remedy)
    name, direction = pair
    if not direction and name in coordinates:
        if name == input_name:
            raise ArgumentError(f"is {name!r}, which is the input", argument="output")
        return LinkageOutput(dyn, name)
    if name not in model._frames:
        known_names = [*coordinates, *model._frames]
        raise ArgumentError(unknown_name_message("coordinate or frame", name, known_names), where=ArgumentName("output"))
    if direction and direction not in TWIST_COMPONENTS:
        raise ArgumentError(unknown_direction_message(direction, TWIST_COMPONENTS), where=ArgumentName("output"))
    return LinkageOutput(dyn, "", name, direction)
