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

PANEL = "How a robot file is read"


@dataclass(frozen=True)
class Reading:
    """Values of parameters, and what a robot file leaves open."""

    set_: Annotated[
        list[str] | None, typer.Option("--set", metavar="NAME=X", help="Another value of a parameter. May be given again.")
    ] = None
    payload: Annotated[
        list[str] | None,
        typer.Option(
            "--payload",
            metavar="FRAME=MASS",
            help="A mass fixed to a frame; with its place in the frame: tip=2,0,0,0.1. May be given again.",
        ),
    ] = None
    floating: Annotated[
        bool | None,
        typer.Option(
            "--floating/--no-floating",
            metavar="",
            help="Let the base of a URDF robot fly free, or hold that of an SDF.",
            rich_help_panel=PANEL,
        ),
    ] = None
    mimic: Annotated[
        bool | None,
        typer.Option(
            "--mimic/--no-mimic",
            metavar="",
            help="Couple the mimic joints of a URDF, or leave those of an SDF uncoupled.",
            rich_help_panel=PANEL,
        ),
    ] = None
    loops: Annotated[
        Path | None,
        typer.Option("--loops", metavar="FILE", help="The YAML file that closes the loops of a URDF.", rich_help_panel=PANEL),
    ] = None
    no_loops: Annotated[
        bool, typer.Option("--no-loops", metavar="", help="Leave out such a file beside it.", rich_help_panel=PANEL)
    ] = False
    xacro: Annotated[
        list[str] | None,
        typer.Option(
            "--xacro", metavar="NAME:=X", help="A value of a xacro file's argument. May be given again.", rich_help_panel=PANEL
        ),
    ] = None
    keyframe: Annotated[
        str | None,
        typer.Option(
            "--keyframe",
            metavar="NAME",
            help="The keyframe of an MJCF file with which a run begins: pose, speeds, controls.",
            rich_help_panel=PANEL,
        ),
    ] = None
    root: Annotated[
        Path | None,
        typer.Option(
            "--root", metavar="DIR", help="The folder that files named in an MJCF file may lie in.", rich_help_panel=PANEL
        ),
    ] = None

    @property
    def given(self) -> bool:
        """Whether there is any of them."""
        return self != Reading()

    def options(self) -> dict[str, Any]:
        """Those of `load`."""
        if self.loops is not None and self.no_loops:
            raise ArgumentError("--loops and --no-loops are given; one of them is needed")
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
                raise ArgumentError(told, remedy=f"a mass, or a mass and a point: {frame}=2 or {frame}=2,0,0,0.1")
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
