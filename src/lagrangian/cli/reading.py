"""How the file of a mechanism is read: the options of `lagrangian.load` as those of every command that is given a mechanism."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from lagrangian.cli import values
from lagrangian.errors import ArgumentError, placed
from lagrangian.model.expression import quantity

if TYPE_CHECKING:
    from lagrangian.model.mechanism import Mechanism

PANEL = "Robot files (URDF, MJCF, SDF)"


@dataclass(frozen=True)
class Reading:
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
    def given(self) -> bool:
        """Whether there is any of them."""
        return self != Reading()

    def options(self) -> dict[str, Any]:
        """Those of `load`."""
        if self.loops is not None and self.no_loops:
            raise ArgumentError("--loops and --no-loops exclude each other; use one of them")
        found = {
            "parameters": values.parameters(self.set_),
            "floating": self.floating,
            "mimic": self.mimic,
            "loops": False if self.no_loops else self.loops,
            "xacro": _arguments(self.xacro),
            "keyframe": self.keyframe,
            "root": self.root,
        }
        return {name: value for name, value in found.items() if value is not None}

    def loaded(self, m: Mechanism) -> Mechanism:
        """The mechanism with its payloads."""
        for frame, text in quantity.pairs(self.payload or [], "--payload").items():
            numbers = quantity.numbers(text, f"--payload {frame}", m.parameters)
            if len(numbers) not in (1, 4):
                told = f"--payload {frame}={text} has {len(numbers)} numbers"
                raise ArgumentError(told, remedy=f"give a mass, or a mass and a point: {frame}=2 or {frame}=2,0,0,0.1")
            with placed(f"--payload {frame}"):
                m = m.with_payload(frame, numbers[0], numbers[1:] or (0, 0, 0))
        return m


def _arguments(given: list[str] | None) -> dict[str, str] | None:
    """--xacro prefix:=left_, as ROS writes it; an = alone does, too."""
    if not given:
        return None
    found = {}
    for text in given:
        match = re.fullmatch(r"\s*([^\s:=]+)\s*:?=(.*)", text, re.DOTALL)
        if match is None:
            raise ArgumentError(f"--xacro is {text!r}; a name and a value are needed, such as --xacro prefix:=left_")
        found[match[1]] = match[2]
    return found
