"""Options that describe a path: circles, lines, arcs and splines of a frame, formulas, tables, and joints from pose to pose."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from lagrangian.cli.motion_options import parse_quantity_option
from lagrangian.errors import ArgumentError
from lagrangian.model.expression import quantity

if TYPE_CHECKING:
    from lagrangian.model.mechanism import Mechanism

PANEL = "Path"
POINTS_HELP = "points are x,y or x,y,z in m, with colons between them"


def _option(*names: str, metavar: str, help: str, parser: Any = None) -> Any:  # noqa: A002
    return typer.Option(*names, metavar=metavar, help=help, rich_help_panel=PANEL, parser=parser)


@dataclass(frozen=True)
class PathOptions:
    """The options of one path, of a frame or of the joints."""

    circle: Annotated[
        str | None,
        _option(
            "--circle",
            metavar="X,Y,R",
            help="Lead the frame along a circle with this centre and radius in m; in space X,Y,Z,R about --normal.",
        ),
    ] = None
    line: Annotated[
        str | None, _option("--line", metavar="A:B", help=f"Lead the frame along a straight line; {POINTS_HELP}.")
    ] = None
    arc: Annotated[
        str | None, _option("--arc", metavar="A:VIA:B", help=f"Lead the frame along an arc through three points; {POINTS_HELP}.")
    ] = None
    spline: Annotated[
        str | None,
        _option("--spline", metavar="A:B:C...", help=f"Lead the frame through points without stopping; {POINTS_HELP}."),
    ] = None
    formula: Annotated[
        list[str] | None,
        _option(
            "--formula",
            metavar="NAME=EXPR",
            help="Give a coordinate as an expression of the time t. With --frame, give x, y, z of the frame; its orientation is "
            "alpha, beta, gamma (with --euler), qw ... qz or r11 ... r33. You can repeat this option.",
        ),
    ] = None
    euler: Annotated[
        str | None,
        _option("--euler", metavar="SEQ", help="The sequence of the Euler angles alpha, beta, gamma, such as ZYX, ZXZ or xyz."),
    ] = None
    path: Annotated[
        Path | None,
        _option(
            "--path",
            metavar="FILE",
            help="Read the path from a table with columns t and the coordinates, or, with --frame, t, x, y and z.",
        ),
    ] = None
    from_: Annotated[
        str | None,
        _option(
            "--from",
            metavar="STATE",
            help="Start the motion of the joints at this configuration: a pose, all values, or some by name. Default: the start "
            "in the description.",
        ),
    ] = None
    to: Annotated[
        str | None,
        _option("--to", metavar="STATE", help="Move the joints to this configuration: a pose, all values, or some by name."),
    ] = None
    frame: Annotated[
        str | None,
        _option("--frame", metavar="NAME", help="The frame that follows the path. Default: the frame, if there is only one."),
    ] = None
    duration: Annotated[
        float | None,
        _option(
            "-t",
            "--duration",
            metavar="S",
            help="The duration of the motion along the path, in seconds.",
            parser=parse_quantity_option,
        ),
    ] = None
    timing: Annotated[
        str | None,
        _option(
            "--timing",
            metavar="NAME",
            help="The speed profile: quintic (from rest to rest), trapezoidal or uniform. Default: quintic.",
        ),
    ] = None
    speed: Annotated[
        float | None,
        _option(
            "--speed",
            metavar="V",
            help="The greatest speed in m/s, or in rad/s for joints, in place of a duration; 60rpm or 90deg/s is understood.",
            parser=parse_quantity_option,
        ),
    ] = None
    acceleration: Annotated[
        float | None,
        _option(
            "--acceleration",
            metavar="A",
            help="The greatest acceleration in m/s², or in rad/s² for joints.",
            parser=parse_quantity_option,
        ),
    ] = None
    normal: Annotated[
        str | None, _option("--normal", metavar="X,Y,Z", help="The normal of the circle's plane. Default: 0,0,1.")
    ] = None
    orientation: Annotated[
        str | None,
        _option(
            "--orientation",
            metavar="HOW",
            help="The orientation of the frame along a curve: free, keep (as at the start), rpy=R,P,Y or a quaternion W,X,Y,Z. "
            "Default: free.",
        ),
    ] = None
    turns: Annotated[
        float, _option("--turns", metavar="N", help="The number of turns of a circle; a negative number turns clockwise.")
    ] = 1.0

    @property
    def path_flags(self) -> list[str]:
        """The options that give a path; there has to be exactly one."""
        kinds = ("circle", "line", "arc", "spline", "formula", "path", "to")
        return [f"--{name}" for name in kinds if getattr(self, name)]

    @property
    def is_frame_curve(self) -> bool:
        """Whether the path is a curve of the origin of a frame, so that --orientation applies."""
        return bool(self.circle or self.line or self.arc or self.spline)

    def build(self, m: Mechanism, near: Any = None) -> tuple[Any, str | None]:
        """The path, and the frame that follows it or None; with --orientation keep, the frame is turned as it is near `near`."""
        if len(self.path_flags) != 1:
            problem = f"{' and '.join(self.path_flags)} are given" if self.path_flags else "none is given"
            raise ArgumentError(
                f"exactly one path is needed, but {problem}. Use --circle, --line, --arc, --spline, --formula or --path, or --to "
                f"for joints; for example --circle 1.2,1.2,0.2 --duration 10, or --to POSE --duration 2"
            )
        if self.from_ and not self.to:
            raise ArgumentError("--from needs --to: together they move the joints from one configuration to another")
        if self.euler and not self.formula:
            raise ArgumentError("--euler needs --formula: it is the sequence of the angles alpha, beta and gamma there")
        if self.orientation and self.path_flags[0] in ("--to", "--path", "--formula"):
            raise ArgumentError(
                f"--orientation applies to --circle, --line, --arc and --spline, not to {self.path_flags[0]}"
                + ("; the file can have the columns qw, qx, qy, qz instead" if self.path is not None else "")
            )
        if self.to:
            return self._joint_path(m), None
        if self.path is not None or self.formula:
            return self._formula_or_table_path(m)
        frame_name = self._frame_name(m)
        return self._frame_path(m, self._frame_orientation(m, frame_name, near)), frame_name

    def _frame_orientation(self, m: Mechanism, frame_name: str, near: Any) -> Any:
        """The orientation of the frame as a rotation matrix or a quaternion; None if it is free."""
        text = (self.orientation or "free").strip()
        if text == "free":
            return None
        if text == "keep":
            return _start_orientation(m, frame_name, near)
        angles = text.partition("=")[2] if text.startswith("rpy=") else ""
        numbers = quantity.parse_quantities(angles or text, "--orientation", m.parameters) if "," in text else []
        if len(numbers) == 3 and angles:
            from lagrangian.model.placement import Transform

            return Transform.from_rpy(rpy=numbers).matrix()[:3, :3]
        if len(numbers) == 4 and not angles:
            return numbers
        raise ArgumentError(
            f"--orientation is {text!r}; free, keep, three angles such as rpy=0,90deg,0, or a quaternion w,x,y,z is needed"
        )

    def _frame_name(self, m: Mechanism) -> str:
        if self.frame is not None:
            return m.frame(self.frame).name
        if len(m.frames) == 1:
            return m.frames[0].name
        names = [*(f.name for f in m.frames), *(b.name for b in m.bodies)]
        raise ArgumentError(f"no frame is given to follow the path. Use --frame with one of {', '.join(names[:20])}")

    def _timing_arguments(self) -> dict[str, Any]:
        if self.duration is None and self.speed is None:
            raise ArgumentError("the path has no duration. Use --duration SECONDS, or --speed and --acceleration")
        arguments = {"duration": self.duration, "speed": self.speed, "acceleration": self.acceleration, "timing": self.timing}
        return {name: x for name, x in arguments.items() if x is not None}

    def _frame_path(self, m: Mechanism, orientation: Any) -> Any:
        from lagrangian import paths

        arguments, names = self._timing_arguments(), m.parameters
        if orientation is not None and not self.spline:
            arguments["orientation"] = orientation
        if self.circle:
            *center, radius = quantity.parse_quantities(self.circle, "--circle", names)
            if len(center) not in (2, 3):
                raise ArgumentError(f"--circle is {self.circle!r}; X,Y,RADIUS or X,Y,Z,RADIUS is needed, such as 1.2,1.2,0.2")
            normal = quantity.parse_quantities(self.normal, "--normal", names) if self.normal else (0, 0, 1)
            return paths.circle(center, radius, normal=normal, turns=self.turns, **arguments)
        if self.line:
            a, b = _check_point_count(_parse_points(self.line, "--line", 2, names), 2, "--line")
            return paths.line(a, b, **arguments)
        if self.arc:
            a, via, b = _check_point_count(_parse_points(self.arc, "--arc", 3, names), 3, "--arc")
            return paths.arc(a, via, b, **arguments)
        points = _parse_points(str(self.spline), "--spline", 2, names)
        return paths.spline(points, orientations=None if orientation is None else [orientation] * len(points), **arguments)

    def _formula_or_table_path(self, m: Mechanism) -> tuple[Any, str | None]:
        from lagrangian import paths
        from lagrangian.paths.frame_functions import COLUMN_NAMES as FRAME_NAMES

        frame_name = m.frame(self.frame).name if self.frame is not None else None
        if self.path is not None:
            return paths.read(self.path, frame=frame_name), frame_name
        if self.duration is None:
            raise ArgumentError("a formula needs a duration. Use --duration SECONDS")
        texts = quantity.collect_assignments(self.formula or (), "--formula")
        if frame_name is None and set(texts) <= set(FRAME_NAMES) and not set(texts) <= set(m.coordinate_names):
            frame_name = self._frame_name(m)
        parameters = {name: float(x) for name, x in m.parameters.items()}
        return paths.formula(texts, self.duration, frame=frame_name, euler=self.euler, parameters=parameters), frame_name

    def _joint_path(self, m: Mechanism) -> Any:
        from lagrangian import paths
        from lagrangian.configuration.state_arguments import parse_state

        def read_state(text: str, option: str) -> Any:
            values = parse_state(m, text, m.coordinate_names, option)
            if isinstance(values, dict):  # the other coordinates keep their start values
                start = dict(zip(m.coordinate_names, _start_configuration(m), strict=True))
                return [{**start, **values}[name] for name in m.coordinate_names] if not m.equation_count else values
            return values

        end = read_state(str(self.to), "--to")
        if self.from_:
            begin = read_state(self.from_, "--from")
        else:
            start = dict(zip(m.coordinate_names, _start_configuration(m), strict=True))
            begin = {name: start[name] for name in end} if isinstance(end, dict) else _start_configuration(m)
        arguments: dict[str, Any] = {"speed": self.speed, "acceleration": self.acceleration}
        return paths.joint_line(begin, end, self.duration, timing=self.timing or "quintic", mechanism=m, **arguments)


def _start_orientation(m: Mechanism, frame: str, near: Any) -> Any:
    """The orientation of a frame at the start of a mechanism, or at the configuration nearest to `near` that closes the loops."""
    from lagrangian import assemble, compile  # noqa: A004

    return compile(m).pose(assemble(m, near), frame)[:3, :3]


def _start_configuration(m: Mechanism) -> list[float]:
    """The configuration at which a simulation begins."""
    from lagrangian import assemble

    return assemble(m).tolist()


def _parse_point(text: str, option: str, names: Mapping[str, Any] | None = None) -> list[float]:
    """A point in a plane or in space: `1.2,1.2`."""
    coordinates = quantity.parse_quantities(text, option, names)
    if len(coordinates) not in (2, 3):
        raise ArgumentError(f"{option}: {text!r} has {len(coordinates)} numbers; a point is x,y or x,y,z")
    return coordinates


def _parse_points(text: str, option: str, min_count: int, names: Mapping[str, Any] | None = None) -> list[list[float]]:
    """Points that are separated by colons: `1.2,1.2 : 0.8,1.0`."""
    points = [_parse_point(x, option, names) for x in quantity.split_list(text, ":")]
    if len(points) < min_count:
        raise ArgumentError(
            f"{option}: {text!r} has {len(points)} points; {min_count} are needed, separated by colons, such as 1.2,1.2 : 0.8,1.0"
        )
    return points


def _check_point_count(points: list[Any], count: int, option: str) -> list[Any]:
    if len(points) != count:
        raise ArgumentError(f"{option} has {len(points)} points; {count} are needed. --spline takes more points")
    return points
