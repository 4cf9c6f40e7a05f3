"""Arguments that name a mechanism or a run, and the options with which the file of a mechanism is read."""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from lagrangian.cli import output
from lagrangian.cli.motion_options import parse_time
from lagrangian.errors import ArgumentError, ReaderWarning, UnknownMechanismError, error_location
from lagrangian.model.expression import quantity

if TYPE_CHECKING:
    from lagrangian.model.mechanism import Mechanism
    from lagrangian.motion.motion import Motion

READER_PANEL = "Robot files (URDF, MJCF, SDF)"
MECHANISM_HELP = "A description (.toml, .urdf, .xacro, .xml, .sdf), or the name of a mechanism in the library."
MECHANISM_SUFFIXES = (".toml", ".urdf", ".xacro", ".xml", ".mjcf", ".sdf", ".world")


@dataclass(frozen=True)
class ReaderOptions:
    """Parameters, payloads, and what a robot file leaves open: options of `lagrangian.load` under their own names."""

    set_: Annotated[
        list[str] | None,
        typer.Option(
            "--set", metavar="NAME=X", help="Set a parameter of the description, in SI units. You can repeat this option."
        ),
    ] = None
    payload: Annotated[
        list[str] | None,
        typer.Option(
            "--payload",
            metavar="FRAME=MASS",
            help="Fix a mass in kg to the origin of a frame, or to a point of it in m: tip=2,0,0,0.1. You can repeat this "
            "option.",
        ),
    ] = None
    floating: Annotated[
        bool | None,
        typer.Option(
            "--floating/--no-floating",
            metavar="",
            help="Let the base of a URDF robot move freely, or fix the base of an SDF model.",
            rich_help_panel=READER_PANEL,
        ),
    ] = None
    mimic: Annotated[
        bool | None,
        typer.Option(
            "--mimic/--no-mimic",
            metavar="",
            help="Couple the mimic joints of a URDF robot, or leave those of an SDF model uncoupled.",
            rich_help_panel=READER_PANEL,
        ),
    ] = None
    loops: Annotated[
        Path | None,
        typer.Option(
            "--loops",
            metavar="FILE",
            help="The YAML file that closes the loops of a URDF robot. Default: the one beside it.",
            rich_help_panel=READER_PANEL,
        ),
    ] = None
    no_loops: Annotated[
        bool,
        typer.Option(
            "--no-loops", metavar="", help="Ignore a YAML file of loops beside the URDF file.", rich_help_panel=READER_PANEL
        ),
    ] = False
    xacro: Annotated[
        list[str] | None,
        typer.Option(
            "--xacro",
            metavar="NAME:=X",
            help="Set an argument of a xacro file. You can repeat this option.",
            rich_help_panel=READER_PANEL,
        ),
    ] = None
    keyframe: Annotated[
        str | None,
        typer.Option(
            "--keyframe",
            metavar="NAME",
            help="The keyframe of an MJCF model at which a run begins: its pose, speeds and controls.",
            rich_help_panel=READER_PANEL,
        ),
    ] = None
    root: Annotated[
        Path | None,
        typer.Option(
            "--root",
            metavar="DIR",
            help="The folder above an MJCF model that may contain the files it names.",
            rich_help_panel=READER_PANEL,
        ),
    ] = None

    @property
    def is_set(self) -> bool:
        """Whether any of these options is given."""
        return self != ReaderOptions()

    def options(self) -> dict[str, Any]:
        """The keyword arguments of `lagrangian.load`."""
        if self.loops is not None and self.no_loops:
            raise ArgumentError("--loops and --no-loops exclude each other; use one of them")
        options = {
            "parameters": _parse_parameters(self.set_),
            "floating": self.floating,
            "mimic": self.mimic,
            "loops": False if self.no_loops else self.loops,
            "xacro": _parse_xacro_arguments(self.xacro),
            "keyframe": self.keyframe,
            "root": self.root,
        }
        return {name: value for name, value in options.items() if value is not None}

    def with_payloads(self, m: Mechanism) -> Mechanism:
        """The mechanism with its payloads."""
        for frame, text in quantity.collect_assignments(self.payload or [], "--payload").items():
            numbers = quantity.parse_quantities(text, f"--payload {frame}", m.parameters)
            if len(numbers) not in (1, 4):
                problem = f"--payload {frame}={text} has {len(numbers)} numbers"
                raise ArgumentError(problem, remedy=f"give a mass, or a mass and a point: {frame}=2 or {frame}=2,0,0,0.1")
            with error_location(f"--payload {frame}"):
                m = m.with_payload(frame, numbers[0], numbers[1:] or (0, 0, 0))
        return m


@dataclass(frozen=True)
class MechanismArgument:
    """A mechanism, with the options for reading its file."""

    mechanism: Annotated[
        str, typer.Argument(metavar="MECH", help=MECHANISM_HELP, show_default=False, autocompletion=complete_mechanism)
    ]
    reader_options: ReaderOptions = field(default_factory=ReaderOptions)

    def load(self) -> Mechanism:
        """Load the mechanism; a single line stands for several remarks of its reader."""
        with summarise_reader_warnings(self.mechanism):
            return load_mechanism(self.mechanism, self.reader_options)

    @property
    def stem(self) -> str:
        """The name of files that are made of the mechanism, without their ending."""
        return output_stem(self.mechanism)


@dataclass(frozen=True)
class MotionArgument:
    """A run from a file, or a mechanism that is simulated from the start in its description."""

    run: Annotated[
        str,
        typer.Argument(
            metavar="RUN",
            help="A run (.nc), or a mechanism, which is then simulated from the start in its description.",
            show_default=False,
            autocompletion=complete_mechanism,
        ),
    ]
    time: Annotated[
        str | None,
        typer.Option(
            "-t",
            "--time",
            metavar="TIME",
            help="The duration of the simulation of a mechanism, in seconds. Default: the duration in the description.",
        ),
    ] = None
    reader_options: ReaderOptions = field(default_factory=ReaderOptions)

    @property
    def stem(self) -> str:
        """The name of files that are made of the run, without their ending."""
        return output_stem(self.run)

    def load(self) -> Motion:
        """Read the run, or simulate the mechanism."""
        import lagrangian as lg

        if Path(self.run).suffix.lower() != ".nc":
            from lagrangian.cli.commands.simulate import simulate_with_progress

            with summarise_reader_warnings(self.run):
                m = load_mechanism(self.run, self.reader_options)
            return simulate_with_progress(m, parse_time(self.time))
        if self.reader_options.is_set or self.time:
            raise ArgumentError(
                f"{self.run}: a run cannot be changed; --time, --set, --payload and options of readers apply to a mechanism"
            )
        motion = lg.read(self.run)
        if motion.mechanism is None:
            raise ArgumentError(
                f"{self.run}: this file does not contain its mechanism, because an older version or another program wrote it; "
                f"simulate the mechanism again"
            )
        return motion


def load_mechanism(name: str, reader_options: ReaderOptions) -> Mechanism:
    """Load a mechanism from its file or from the library, with its payloads."""
    from lagrangian.description.mechanism_like import as_mechanism

    if Path(name).suffix.lower() == ".nc" and Path(name).is_file():
        raise ArgumentError(f"{name} is a run, but this command needs a mechanism")
    try:
        return reader_options.with_payloads(as_mechanism(name, **reader_options.options()))
    except UnknownMechanismError as error:
        if not error.similar_names:
            error.remedy = (
                "`lagrangian library` lists the mechanisms that are included; `lagrangian new` writes a file to start from"
            )
        raise


@contextmanager
def summarise_reader_warnings(name: str) -> Iterator[None]:
    """Replace several remarks of a reader by one line, which says that `lagrangian check` lists them."""
    with warnings.catch_warnings(record=True) as caught_warnings:
        warnings.simplefilter("always", UserWarning)
        yield
    remarks = list(dict.fromkeys(str(w.message) for w in caught_warnings if issubclass(w.category, ReaderWarning)))
    for warning in caught_warnings:
        if not issubclass(warning.category, ReaderWarning) or len(remarks) == 1:
            warnings.warn(warning.message, warning.category, stacklevel=2)
    if len(remarks) > 1:
        output.print_message("note", f"the reader has {len(remarks)} remarks; `lagrangian check {name}` lists them", "yellow")


def complete_mechanism(incomplete: str) -> list[str]:
    """The mechanisms of the library and the files of the current folder that begin with a text, for the shell to complete."""
    from lagrangian import library

    file_names = [p.name for p in Path().iterdir() if p.suffix.lower() in MECHANISM_SUFFIXES]
    return sorted(x for x in [*file_names, *library()] if x.startswith(incomplete))


def output_stem(name: str) -> str:
    """The name of files that are made of a mechanism or a run: its own without the ending, in the current folder."""
    return Path(name).stem if Path(name).suffix.lower() in (*MECHANISM_SUFFIXES, ".nc") else Path(name).name


def output_path(stem: str, suffix: str, ending: str) -> Path:
    """The file that is made of a mechanism or a run, such as arm.png or arm-report.html."""
    return Path(f"{stem}-{suffix}{ending}" if suffix else f"{stem}{ending}")


def _parse_parameters(texts: list[str] | None) -> dict[str, float] | None:
    """The values of --set l1=0.5 --set m1=2, or of --set l1=0.5,m1=2."""
    if not texts:
        return None
    assignments = quantity.collect_assignments([x for text in texts for x in quantity.split_list(text)], "--set")
    return {name: quantity.parse_quantity(value, f"--set {name}") for name, value in assignments.items()}


def _parse_xacro_arguments(texts: list[str] | None) -> dict[str, str] | None:
    """The values of --xacro prefix:=left_, as ROS writes it; --xacro prefix=left_ is accepted, too."""
    if not texts:
        return None
    arguments = {}
    for text in texts:
        match = re.fullmatch(r"\s*([^\s:=]+)\s*:?=(.*)", text, re.DOTALL)
        if match is None:
            raise ArgumentError(f"--xacro is {text!r}; a name and a value are needed, such as --xacro prefix:=left_")
        arguments[match[1]] = match[2]
    return arguments
