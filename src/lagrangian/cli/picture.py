"""Pictures on the command line: how large they are, and from where they are taken."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer

from lagrangian.errors import ArgumentError
from lagrangian.model.expression import quantity


def _option(name: str, metavar: str, about: str) -> Any:
    return typer.Option(name, metavar=metavar, help=about, rich_help_panel="Picture")


@dataclass(frozen=True)
class Picture:
    """A picture of a mechanism: options of `draw` under their own names."""

    picture: Annotated[Path | None, _option("--picture", "FILE", "Draw the mechanism to a .png file.")] = None
    pose: Annotated[str | None, _option("--pose", "NAME", "The pose in the picture. Default: the start in the description.")] = (
        None
    )
    view: Annotated[
        str | None,
        _option(
            "--view",
            "NAME",
            "The direction of view: front, back, left, right, top, bottom, or azimuth and elevation in degrees, such as 30,20.",
        ),
    ] = None
    zoom: Annotated[float | None, _option("--zoom", "X", "The magnification; 2 draws everything twice as large.")] = None
    target: Annotated[
        str | None, _option("--target", "NAME", "The centre of the picture: a frame, a body, or a point x,y,z.")
    ] = None
    size: Annotated[str | None, _option("--size", "WxH", "The width and height of the picture in pixels, such as 960x720.")] = (
        None
    )

    def draw(self, mechanism: Any) -> None:
        """Write it, if it was asked for."""
        how = {
            "q": self.pose,
            "view": _numbers_or_name(self.view, "--view"),
            "zoom": self.zoom,
            "target": _numbers_or_name(self.target, "--target"),
            "size": size_of(self.size),
        }
        if self.picture is not None:
            mechanism.draw(self.picture, **{name: x for name, x in how.items() if x is not None})
            return
        given = [f"--{'pose' if name == 'q' else name}" for name, x in how.items() if x is not None]
        if given:
            raise ArgumentError(f"{' and '.join(given)} cannot be used without --picture FILE")


def _numbers_or_name(given: str | None, option: str) -> Any:
    """30,20 as numbers; a name as it is."""
    return quantity.numbers(given, option) if given is not None and "," in given else given


def size_of(given: str | None) -> tuple[int, int] | None:
    """960x720."""
    if given is None:
        return None
    found = re.fullmatch(r"(\d{2,5})[x,](\d{2,5})", given)
    if not found:
        raise ArgumentError(f"--size is {given!r}; a width and a height in pixels are needed, such as 960x720")
    return int(found[1]), int(found[2])
