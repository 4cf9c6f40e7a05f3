"""`lagrangian.singularities`: the singular configurations of a mechanism over a range of one or two coordinates, located."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from lagrangian.arguments import boolean, count
from lagrangian.configuration import state_arguments
from lagrangian.configuration.assemble import assemble
from lagrangian.configuration.coordinates import CoordinateBounds, is_same_configuration, single_coordinates
from lagrangian.configuration.mobility import mobility
from lagrangian.configuration.start import Start, as_dynamics
from lagrangian.configuration.text import format_coordinate
from lagrangian.description.mechanism_like import MechanismLike
from lagrangian.design.display import SingularitiesDisplay
from lagrangian.design.linkage import Fixed, Linkage, as_interval, check_range_within_limits, coordinate_unit
from lagrangian.design.singularity_tests import SingularityTest, output_frame_name, singularity_tests
from lagrangian.design.solution_curve import range_events, trace_curve
from lagrangian.design.table_file import Column, write_table_file
from lagrangian.errors import ArgumentError, ArgumentName, AssemblyError, unknown_name_message
from lagrangian.kernels.dynamics import Dynamics
from lagrangian.kernels.operational_space import format_direction
from lagrangian.model.mechanism import Mechanism
from lagrangian.types import State

DEFAULT_LINES = 41
MAX_LISTED = 12


def singularities(
    mechanism: MechanismLike | Dynamics,
    over: Mapping[str, tuple[float, float]],
    frame: str | None = None,
    *,
    directions: Sequence[str] | None = None,
    q0: State = None,
    fixed: Fixed = (),
    lines: int = DEFAULT_LINES,
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
    >>> singular = lg.singularities("two_r", {"theta2": (-3.0, 3.5)}, "tip")
    >>> print(singular)
    two_r: along x, y of 'tip', theta2 from -171.887 deg to 200.535 deg: 2 singular configurations
      theta2 = 0 deg, type 1: 'tip' cannot move along y
      theta2 = 180 deg, type 1: 'tip' cannot move along y
    """
    dyn = as_dynamics(mechanism)
    limits = boolean(limits, "limits")
    spans = _ranges(dyn, over, limits)
    start = Start(dyn, q0)
    q = start.close_loops() if start.uses_default else start.q
    fixed_values = _fixed_values(dyn, tuple(spans), fixed, q)
    frame = output_frame_name(dyn.mechanism, frame, needed=not dyn.mechanism.equation_count)
    tests, output_directions = singularity_tests(dyn, frame, directions, q)
    q, lines = _place_start(dyn, q, spans, fixed_values), count(lines, "lines", least=2)
    configurations: list[Singularity] = []
    for name in spans:
        other_names = [n for n in spans if n != name]
        for line_start in _line_starts(dyn, q, spans, other_names, fixed_values, lines):
            linkage = Linkage(dyn, name, line_start, (*other_names, *fixed_values))
            configurations += _singularities_along(linkage, spans[name], tests, limits, configurations, frame, output_directions)
    columns = [single_coordinates(dyn.mechanism)[n][0] for n in spans]
    configurations.sort(key=lambda s: tuple(s.q[columns]))
    return Singularities(dyn.mechanism, frame, output_directions, spans, configurations, q, dyn)


def _ranges(dyn: Dynamics, over: Any, limits: bool) -> dict[str, tuple[float, float]]:
    coordinates = single_coordinates(dyn.mechanism)
    if not isinstance(over, Mapping) or len(over) not in (1, 2):
        example = dict.fromkeys(list(coordinates)[:1], (0.0, 1.0))
        raise ArgumentError(
            "must give the range of one coordinate, or of two",
            argument="over",
            remedy=f"for example {ArgumentName('over', example)}",
        )
    for name in over:
        if name not in coordinates:
            raise ArgumentError(unknown_name_message("coordinate", name, coordinates), where=ArgumentName("over"))
    ranges, bounds = {}, CoordinateBounds(dyn.mechanism, limits)
    for name, span in over.items():
        values = [
            state_arguments.as_number(dyn.mechanism, x, (ArgumentName("over"), repr(name))) if isinstance(x, str) else x
            for x in span
        ]
        ends = as_interval(values)
        assert ends is not None
        ranges[name] = check_range_within_limits(bounds, name, ends)
    return ranges


def _fixed_values(dyn: Dynamics, over: tuple[str, ...], fixed: Fixed, q: np.ndarray) -> dict[str, float]:
    """The coordinates that stand still, with their values: as many as leave one degree of freedom for each in `over`."""
    coordinates, model = single_coordinates(dyn.mechanism), dyn.mechanism
    values_by_name = dict(fixed) if isinstance(fixed, Mapping) else dict.fromkeys((fixed,) if isinstance(fixed, str) else fixed)
    for name in values_by_name:
        if name not in coordinates:
            raise ArgumentError(unknown_name_message("coordinate", name, coordinates), where=ArgumentName("fixed"))
        if name in over:
            raise ArgumentError(f"holds {name!r}, which is also in `over`", argument="fixed")
    degrees = mobility(dyn, q).nearby
    if not values_by_name:
        driven = {n for j in model.joints if j.actuated for n in j.coordinate_names}
        other_names = [n for n in coordinates if n not in over and (n in driven or not model.equation_count)]
        values_by_name = dict.fromkeys(other_names)
    if len(values_by_name) != degrees - len(over):
        raise ArgumentError(
            f"{model.name} has {degrees} degree{'s' * (degrees != 1)} of freedom: beside {', '.join(over)}, "
            f"{max(0, degrees - len(over))} coordinates must be held, but these would be: {', '.join(values_by_name) or 'none'}",
            concerns="fixed",
            remedy=f"name them with {ArgumentName('fixed', ...)}",
        )
    where = ArgumentName("fixed")
    return {
        n: float(q[coordinates[n][0]]) if x is None else state_arguments.as_number(model, x, (where, repr(n)))
        for n, x in values_by_name.items()
    }


def _place_start(
    dyn: Dynamics, q: np.ndarray, spans: dict[str, tuple[float, float]], fixed_values: dict[str, float]
) -> np.ndarray:
    """The start with fixed coordinates at their values and the others within their ranges."""
    coordinates = single_coordinates(dyn.mechanism)
    targets = fixed_values | {n: float(np.clip(q[coordinates[n][0]], *span)) for n, span in spans.items()}
    if all(q[coordinates[n][0]] == x for n, x in targets.items()):
        return q
    return assemble(dyn, q, targets)


def _line_starts(
    dyn: Dynamics,
    q: np.ndarray,
    spans: dict[str, tuple[float, float]],
    other_names: list[str],
    fixed_values: dict[str, float],
    count: int,
) -> Iterator[np.ndarray]:
    """The starts of curves along one coordinate: at values of the other one, each assembled from its neighbour; or q itself."""
    if not other_names:
        yield q
        return
    (name,), coordinates = other_names, single_coordinates(dyn.mechanism)
    values = np.linspace(*spans[name], count)
    start_value = q[coordinates[name][0]]
    for part in (values[values >= start_value], values[values < start_value][::-1]):
        neighbour = q
        for x in part:
            try:
                neighbour = assemble(dyn, neighbour, fixed_values | {name: float(x)}, starts=0)
            except AssemblyError:  # out of reach from here on
                break
            yield neighbour


def _singularities_along(
    linkage: Linkage,
    span: tuple[float, float],
    tests: list[SingularityTest],
    limits: bool,
    earlier: list[Singularity],
    frame: str | None,
    directions: tuple[str, ...],
) -> list[Singularity]:
    """The singular configurations on the curve through a configuration that are not among the earlier ones."""
    bounds = CoordinateBounds(linkage.dyn.mechanism, limits)
    if bounds.is_outside(linkage.q).any() or not span[0] - 1e-9 <= linkage.q[linkage.iq] <= span[1] + 1e-9:
        return []
    events = range_events("range", linkage.iq, *span)
    for name, iq, low, high in zip(bounds.names, bounds.iq, bounds.low, bounds.high, strict=True):
        if name not in linkage.fixed:
            events += range_events(name, iq, low, high)
    curve = trace_curve(linkage.freedom, linkage.q, linkage.freedom.any_tangent(linkage.q), events)
    if len(curve.s) < 2:
        return []
    configurations: list[Singularity] = []
    for test in tests:
        for _, q in test.find_rank_drops(curve):
            singularity = _make_singularity(linkage.dyn, test, q, frame, directions)
            index = next((k for k, s in enumerate(configurations) if is_same_configuration(linkage.dyn, s.q, q)), None)
            if index is None:
                configurations.append(singularity)
            elif configurations[index].kind not in (test.kind, 3):
                first = configurations[index]
                configurations[index] = Singularity(
                    3, first.q, singularity.motion, f"{first.description}; {singularity.description}"
                )
    return [s for s in configurations if not any(is_same_configuration(linkage.dyn, s.q, other.q) for other in earlier)]


def _make_singularity(
    dyn: Dynamics, test: SingularityTest, q: np.ndarray, frame: str | None, directions: tuple[str, ...]
) -> Singularity:
    lost_combination, motion = test.lost_directions(q)
    motion = motion / np.abs(motion).max()
    if test.kind == 1:
        if np.linalg.norm(lost_combination) < 1e-6:
            return Singularity(1, q, motion, "the constraints depend on each other")
        return Singularity(1, q, motion, f"{frame!r} cannot move along {format_direction(lost_combination, directions)}")
    moving = [n for n, x in zip(dyn.mechanism.speed_names, motion, strict=True) if abs(x) > 0.1]
    names = ", ".join(moving[:6]) + ", ..." * (len(moving) > 6)
    return Singularity(2, q, motion, f"with the actuated joints locked, {names} can still move")


@dataclass(frozen=True, eq=False, repr=False)
class Singularities(SingularitiesDisplay):
    """The singular configurations of a mechanism over a range of one or two coordinates.

    `singularities` returns this sequence of `Singularity`. Over two coordinates the configurations are points on singular curves.

    Attributes
    ----------
    mechanism : Mechanism
        The mechanism.
    frame : str or None
        The output.
    directions : tuple of str
        The directions of the frame that count.
    over : dict
        The ranges of the coordinates.
    configurations : list of Singularity
        The configurations.

    Examples
    --------
    >>> import lagrangian as lg
    >>> singular = lg.singularities("slider_crank", {"theta": (-1.0, 4.0)}, "slider")
    >>> len(singular), singular.kind, singular.values.round(6) + 0.0
    (2, array([1, 1]), array([[0.      ],
           [3.141593]]))
    """

    mechanism: Mechanism
    frame: str | None
    directions: tuple[str, ...]
    over: dict[str, tuple[float, float]]
    configurations: list[Singularity]
    start: np.ndarray
    dyn: Dynamics = field(repr=False)

    @property
    def q(self) -> np.ndarray:
        """The singular configurations, one per row."""
        return np.array([s.q for s in self.configurations]).reshape(-1, self.mechanism.nq)

    @property
    def kind(self) -> np.ndarray:
        """The type of each singular configuration: 1, 2 or 3."""
        return np.array([s.kind for s in self.configurations], dtype=int)

    @property
    def values(self) -> np.ndarray:
        """The values of the coordinates in `over`, one row for each configuration."""
        indices = single_coordinates(self.mechanism)
        return self.q[:, [indices[name][0] for name in self.over]]

    @property
    def units(self) -> tuple[str, ...]:
        """The units of the coordinates in `over`, "rad" or "m"."""
        indices = single_coordinates(self.mechanism)
        return tuple(coordinate_unit(self.dyn, indices[name][1]) for name in self.over)

    def __len__(self) -> int:
        return len(self.configurations)

    def __getitem__(self, k: int) -> Singularity:
        return self.configurations[k]

    def __iter__(self) -> Iterator[Singularity]:
        return iter(self.configurations)

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Write the type and the coordinates of each configuration to a file.

        Parameters
        ----------
        path : str or path
            The file; it ends in .csv or .nc (netCDF).

        Returns
        -------
        pathlib.Path
            The file that was written.
        """
        columns = [Column("type", self.kind.astype(float), "1", "type of the singularity")]
        units = [unit or "1" for joint in self.mechanism.joints for unit in joint.kind.units]
        columns += [Column(n, self.q[:, k], units[k]) for k, n in enumerate(self.mechanism.coordinate_names)]
        return write_table_file(path, self.mechanism.name, "list of singular configurations", "singularity", columns)

    def __repr__(self) -> str:
        return f"<Singularities of {self.mechanism.name!r}: {len(self)}>"

    def __str__(self) -> str:
        spans = [
            f"{n} from {format_coordinate(a, u)} to {format_coordinate(b, u)}"
            for (n, (a, b)), u in zip(self.over.items(), self.units, strict=True)
        ]
        output_text = f"along {', '.join(self.directions)} of {self.frame!r}, " if self.frame else ""
        heading = f"{self.mechanism.name}: {output_text}{', '.join(spans)}"
        if not self.configurations:
            return f"{heading}: no singular configuration was found"
        if len(self.over) > 1:
            kinds = [f"{int((self.kind == k).sum())} of type {k}" for k in (1, 2, 3) if (self.kind == k).any()]
            descriptions = list(dict.fromkeys(f"type {s.kind}: {s.description}" for s in self.configurations))
            description_lines = [] if len(descriptions) > MAX_LISTED else [f"  {line}" for line in descriptions]
            return "\n".join([f"{heading}: {len(self)} points on singular curves, {', '.join(kinds)}", *description_lines])
        lines = [f"{heading}: {len(self)} singular configuration{'s' * (len(self) != 1)}"]
        name, unit = next(iter(self.over)), self.units[0]
        for s, (x,) in list(zip(self.configurations, self.values, strict=True))[:MAX_LISTED]:
            lines.append(f"  {name} = {format_coordinate(x, unit)}, type {s.kind}: {s.description}")
        return "\n".join([*lines, *([f"  and {len(self) - MAX_LISTED} more"] if len(self) > MAX_LISTED else [])])


@dataclass(frozen=True, eq=False)
class Singularity:
    """A singular configuration.

    Attributes
    ----------
    kind : {1, 2, 3}
        1 if the output loses a direction, 2 if the actuators do not control the mechanism, 3 if both happen.
    q : numpy.ndarray
        The configuration.
    motion : numpy.ndarray
        The speeds of the motion that leaves the output (1) or the actuators (2) at rest.
    description : str
        A sentence about what is lost or gained.

    Examples
    --------
    >>> import lagrangian as lg
    >>> first = lg.singularities("two_r", {"theta2": (-1.0, 1.0)}, "tip")[0]
    >>> first.kind, first.description
    (1, "'tip' cannot move along y")
    """

    kind: int
    q: np.ndarray
    motion: np.ndarray
    description: str
