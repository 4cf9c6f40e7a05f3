"""Options for choosing motors and gears."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer

from lagrangian.cli.motion_options import parse_quantity_option
from lagrangian.model.expression import quantity


def _option(name: str, metavar: str, about: str, parser: Any = None) -> Any:
    return typer.Option(name, metavar=metavar, help=about, rich_help_panel="Motors and gears", parser=parser)


@dataclass(frozen=True)
class SizingOptions:
    """How motors and gears are chosen: options of `lagrangian.size_actuators` under their own names."""

    catalogue: Annotated[
        Path | None, _option("--catalogue", "FILE", "The catalogue of motors (.csv). Default: the catalogue of the package.")
    ] = None
    gears: Annotated[
        str | None, _option("--gears", "R,R", "The gear ratios to choose from, such as 50,100. Default: common ratios.")
    ] = None
    lead: Annotated[
        float | None,
        _option(
            "--lead",
            "M",
            "The travel of a sliding joint per turn of its screw or pinion, in metres.",
            parse_quantity_option,
        ),
    ] = None
    margin: Annotated[
        float, _option("--margin", "X", "The factor by which a motor must exceed the torques and speeds of the motion.")
    ] = 1.2
    prefer: Annotated[
        str, _option("--prefer", "NAME", "Choose, of the motors that fit, the one with the least power, mass or cost.")
    ] = "power"
    dwell: Annotated[
        float | None,
        _option("--dwell", "S", "The rest after each motion, in seconds. Default: none.", parse_quantity_option),
    ] = None

    @property
    def is_set(self) -> bool:
        """Whether any of these options is given."""
        return self != SizingOptions()

    def options(self) -> dict[str, Any]:
        """The keyword arguments of `lagrangian.size_actuators`."""
        return {
            **vars(self),
            "catalogue": str(self.catalogue) if self.catalogue is not None else None,
            "gears": quantity.parse_quantities(self.gears, "--gears") if self.gears else None,
        }
