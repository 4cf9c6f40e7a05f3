"""What a command is given: a mechanism by its file or its name in the library, or a run by its file."""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from lagrangian.cli import motion_options, output
from lagrangian.errors import ArgumentError, ReaderWarning, UnknownMechanismError, error_location
from lagrangian.model.expression import quantity

if TYPE_CHECKING:
    from lagrangian.model.mechanism import Mechanism
    from lagrangian.motion.motion import Motion


# MERGED lagrangian.cli.reading: How the file of a mechanism is read: the options of `lagrangian.load` as those of every
# command that is given a mechanism.

PANEL = "Robot files (URDF, MJCF, SDF)"


@dataclass(frozen=True)
class ReaderOptions:
    """Values of parameters, and what a robot file leaves open."""

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
            rich_help_panel=PANEL,
        ),
    ] = None
    mimic: Annotated[
        bool | None,
        typer.Option(
            "--mimic/--no-mimic",
            metavar="",
            help="Couple the mimic joints of a URDF robot, or leave those of an SDF model uncoupled.",
            rich_help_panel=PANEL,
        ),
    ] = None
    loops: Annotated[
        Path | None,
        typer.Option(
            "--loops",
            metavar="FILE",
            help="The YAML file that closes the loops of a URDF robot. Default: the one beside it.",
            rich_help_panel=PANEL,
        ),
    ] = None
    no_loops: Annotated[
        bool,
        typer.Option("--no-loops", metavar="", help="Ignore a YAML file of loops beside the URDF file.", rich_help_panel=PANEL),
    ] = False
    xacro: Annotated[
        list[str] | None,
        typer.Option(
            "--xacro",
            metavar="NAME:=X",
            help="Set an argument of a xacro file. You can repeat this option.",
            rich_help_panel=PANEL,
        ),
    ] = None
    keyframe: Annotated[
        str | None,
        typer.Option(
            "--keyframe",
            metavar="NAME",
            help="The keyframe of an MJCF model at which a run begins: its pose, speeds and controls.",
            rich_help_panel=PANEL,
        ),
    ] = None
    root: Annotated[
        Path | None,
        typer.Option(
            "--root",
            metavar="DIR",
            help="The folder above an MJCF model that may contain the files it names.",
            rich_help_panel=PANEL,
        ),
    ] = None

    @property
    def is_set(self) -> bool:
        """Whether there is any of them."""
        return self != ReaderOptions()

    def options(self) -> dict[str, Any]:
        """Those of `load`."""
        if self.loops is not None and self.no_loops:
            raise ArgumentError("--loops and --no-loops exclude each other; use one of them")
        options = {
            "parameters": motion_options.parse_parameters(self.set_),
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


def _parse_xacro_arguments(texts: list[str] | None) -> dict[str, str] | None:
    """--xacro prefix:=left_, as ROS writes it; an = alone does, too."""
    if not texts:
        return None
    arguments = {}
    for text in texts:
        match = re.fullmatch(r"\s*([^\s:=]+)\s*:?=(.*)", text, re.DOTALL)
        if match is None:
            raise ArgumentError(f"--xacro is {text!r}; a name and a value are needed, such as --xacro prefix:=left_")
        arguments[match[1]] = match[2]
    return arguments


MECHANISM_SUFFIXES = (".toml", ".urdf", ".xacro", ".xml", ".mjcf", ".sdf", ".world")


def complete_mechanism(incomplete: str) -> list[str]:
    """Names of the library, and files here: for the shell's completion."""
    from lagrangian import library

    file_names = [p.name for p in Path().iterdir() if p.suffix.lower() in MECHANISM_SUFFIXES]
    return sorted(x for x in [*file_names, *library()] if x.startswith(incomplete))


MECHANISM_HELP = "A description (.toml, .urdf, .xacro, .xml, .sdf), or the name of a mechanism in the library."


@dataclass(frozen=True)
class MechanismArgument:
    """A mechanism, with other values of some parameters, and with payloads."""

    mechanism: Annotated[
        str, typer.Argument(metavar="MECH", help=MECHANISM_HELP, show_default=False, autocompletion=complete_mechanism)
    ]
    reader_options: ReaderOptions = field(default_factory=ReaderOptions)

    def load(self) -> Mechanism:
        with summarise_reader_warnings(self.mechanism):
            return load_mechanism(self.mechanism, self.reader_options)

    @property
    def stem(self) -> str:
        return output_stem(self.mechanism)


@dataclass(frozen=True)
class MotionArgument:
    """A run from a file; or a mechanism, which is simulated from its own start."""

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
        return output_stem(self.run)

    def load(self) -> Motion:
        import lagrangian as lg

        if Path(self.run).suffix.lower() != ".nc":
            from lagrangian.cli.commands.simulate import simulate_with_progress

            with summarise_reader_warnings(self.run):
                m = load_mechanism(self.run, self.reader_options)
            return simulate_with_progress(m, motion_options.parse_time(self.time))
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


@contextmanager
def summarise_reader_warnings(name: str) -> Iterator[None]:
    """What a reader remarks is told once, by `lagrangian check`: elsewhere one line says that there is more than one remark."""
    with warnings.catch_warnings(record=True) as caught_warnings:
        warnings.simplefilter("always", UserWarning)
        yield
    remarks = list(dict.fromkeys(str(w.message) for w in caught_warnings if issubclass(w.category, ReaderWarning)))
    for warning in caught_warnings:
        if not issubclass(warning.category, ReaderWarning) or len(remarks) == 1:
            warnings.warn(warning.message, warning.category, stacklevel=2)
    if len(remarks) > 1:
        output.print_message("note", f"the reader has {len(remarks)} remarks; `lagrangian check {name}` lists them", "yellow")


def output_stem(name: str) -> str:
    """What files made of it are called: as it is, without its ending, in the folder one works in."""
    return Path(name).stem if Path(name).suffix.lower() in (*MECHANISM_SUFFIXES, ".nc") else Path(name).name


def output_path(stem: str, suffix: str, ending: str) -> Path:
    """How files made of a run or a mechanism are called: arm.png, arm-report.html."""
    return Path(f"{stem}-{suffix}{ending}" if suffix else f"{stem}{ending}")


def load_mechanism(name: str, reader_options: ReaderOptions) -> Mechanism:
    """By its file, or by its name in the library."""
    from lagrangian.description.mechanism_of import as_mechanism as found

    if Path(name).suffix.lower() == ".nc" and Path(name).is_file():
        raise ArgumentError(f"{name} is a run, but this command needs a mechanism")
    try:
        return reader_options.with_payloads(found(name, **reader_options.options()))
    except UnknownMechanismError as error:
        if not error.similar_names:
            error.remedy = (
                "`lagrangian library` lists the mechanisms that are included; `lagrangian new` writes a file to start from"
            )
        raise
