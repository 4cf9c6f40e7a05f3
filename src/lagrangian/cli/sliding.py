"""Options for the sliders of a page."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any

import typer

from lagrangian.errors import ArgumentError
from lagrangian.model.expression import quantity

PANEL = "Sliders in pages"


@dataclass(frozen=True)
class Sliding:
    """Which values can be changed in a page, and how far."""

    slider: Annotated[
        list[str] | None,
        typer.Option(
            "--slider",
            metavar="NAME=X:Y",
            help="Add a slider for a parameter, a start value (q0.theta1) or a gain; l1=0.2:0.5 sets its range, too. "
            "You can repeat this option.",
            rich_help_panel=PANEL,
        ),
    ] = None
    no_sliders: Annotated[
        bool, typer.Option("--no-sliders", metavar="", help="Write a page that only plays the run.", rich_help_panel=PANEL)
    ] = False

    @property
    def given(self) -> bool:
        """Whether sliders were asked for, or refused."""
        return bool(self.slider) or self.no_sliders

    def options(self) -> dict[str, Any]:
        """Those of `animate` and `report`."""
        if self.no_sliders and self.slider:
            raise ArgumentError("--slider and --no-sliders exclude each other; use one of them")
        if self.no_sliders:
            return {"sliders": False}
        return {"sliders": [_one(text) for text in self.slider]} if self.slider else {}


def _one(text: str) -> Any:
    """`l1`, or `l1=0.2:0.5`."""
    if "=" not in text:
        return quantity.unquoted(text)
    name, span = quantity.named(text, "--slider")
    ends = quantity.parts(span, ":")
    if len(ends) != 2:
        raise ArgumentError(
            f"--slider {text}: {span!r} is not a range",
            remedy=f"give the smallest and the largest value, such as {name}=0.2:0.5",
        )
    least, most = (quantity.number(x, f"--slider {name}") for x in ends)
    return name, least, most
