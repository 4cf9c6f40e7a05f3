"""What a command is given: a mechanism by its file or its name in the library, or a run by its file."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from lagrangian.cli import output, values
from lagrangian.cli.reading import Reading
from lagrangian.errors import ArgumentError, ReaderWarning, UnknownMechanismError

if TYPE_CHECKING:
    from lagrangian.model.mechanism import Mechanism
    from lagrangian.motion.motion import Motion

FILES = (".toml", ".urdf", ".xacro", ".xml", ".mjcf", ".sdf", ".world")


def complete_mechanism(incomplete: str) -> list[str]:
    """Names of the library, and files here: for the shell's completion."""
    from lagrangian import library

    here = [p.name for p in Path().iterdir() if p.suffix.lower() in FILES]
    return sorted(x for x in [*here, *library()] if x.startswith(incomplete))


MECHANISM = "A description (.toml, .urdf, .xacro, .xml, .sdf), or the name of a mechanism in the library."


@dataclass(frozen=True)
class Described:
    """A mechanism, with other values of some parameters, and with payloads."""

    mechanism: Annotated[
        str, typer.Argument(metavar="MECH", help=MECHANISM, show_default=False, autocompletion=complete_mechanism)
    ]
    reading: Reading = field(default_factory=Reading)

    def load(self) -> Mechanism:
        with few_remarks(self.mechanism):
            return mechanism_of(self.mechanism, self.reading)

    @property
    def stem(self) -> str:
        return stem_of(self.mechanism)


@dataclass(frozen=True)
class Recorded:
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
    reading: Reading = field(default_factory=Reading)

    @property
    def stem(self) -> str:
        return stem_of(self.run)

    def load(self) -> Motion:
        import lagrangian as lg

        if Path(self.run).suffix.lower() != ".nc":
            from lagrangian.cli.commands.simulate import simulated

            with few_remarks(self.run):
                m = mechanism_of(self.run, self.reading)
            return simulated(m, values.span(self.time))
        if self.reading.given or self.time:
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
def few_remarks(name: str) -> Iterator[None]:
    """What a reader remarks is told once, by `lagrangian check`: elsewhere one line says that there is more than one remark."""
    with warnings.catch_warnings(record=True) as met:
        warnings.simplefilter("always", UserWarning)
        yield
    remarks = list(dict.fromkeys(str(w.message) for w in met if issubclass(w.category, ReaderWarning)))
    for warning in met:
        if not issubclass(warning.category, ReaderWarning) or len(remarks) == 1:
            warnings.warn(warning.message, warning.category, stacklevel=2)
    if len(remarks) > 1:
        output.said("note", f"the reader has {len(remarks)} remarks; `lagrangian check {name}` lists them", "yellow")


def stem_of(name: str) -> str:
    """What files made of it are called: as it is, without its ending, in the folder one works in."""
    return Path(name).stem if Path(name).suffix.lower() in (*FILES, ".nc") else Path(name).name


def file_for(stem: str, what: str, ending: str) -> Path:
    """How files made of a run or a mechanism are called: arm.png, arm-report.html."""
    return Path(f"{stem}-{what}{ending}" if what else f"{stem}{ending}")


def mechanism_of(name: str, reading: Reading) -> Mechanism:
    """By its file, or by its name in the library."""
    from lagrangian.description.mechanism_of import mechanism_of as found

    if Path(name).suffix.lower() == ".nc" and Path(name).is_file():
        raise ArgumentError(f"{name} is a run, but this command needs a mechanism")
    try:
        return reading.loaded(found(name, **reading.options()))
    except UnknownMechanismError as error:
        if not error.meant:
            error.remedy = (
                "`lagrangian library` lists the mechanisms that are included; `lagrangian new` writes a file to start from"
            )
        raise
