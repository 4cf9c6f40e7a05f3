"""A mechanism as one picture."""

from __future__ import annotations

import io
import os
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from lagrangian.errors import ArgumentError
from lagrangian.files import write
from lagrangian.model.mechanism import Mechanism
from lagrangian.viewer.render.painter import Painter
from lagrangian.viewer.render.view import view_of
from lagrangian.viewer.scene.track import still_track


def draw(
    mechanism: Mechanism,
    path: str | os.PathLike[str] | None = None,
    q: ArrayLike | None = None,
    size: tuple[int, int] = (960, 720),
    view: Any = None,
    zoom: float = 1.0,
    target: Any = None,
) -> np.ndarray | Path:
    """A picture in a configuration or named pose: written to `path` (.png), or as an array (height, width, 3) of bytes.

    `view` is "front", "back", "left", "right", "top" or "bottom", or azimuth and elevation in degrees: from the front
    counter-clockwise, seen from above, and above the level. `zoom` of 2 is twice as large. `target`, a point or the name of a
    frame or body, is in the middle; without it all of the mechanism is in the picture.
    """
    size = checked_size(size)
    file = None if path is None else Path(path)
    if file is not None and file.suffix.lower() != ".png":
        raise ArgumentError(f"{file}: the name of a picture must end in .png", concerns="path")
    track = still_track(mechanism, q)
    image: np.ndarray = Painter(track, size, view_of(track, view, zoom, target)).frame(0)
    if file is None:
        return image
    from PIL import Image

    stream = io.BytesIO()
    Image.fromarray(image).save(stream, "PNG", optimize=True)
    return write(file, stream.getvalue())


def checked_size(size: Any) -> tuple[int, int]:
    """Width and height in pixels."""
    try:
        width, height = (int(x) for x in size)
    except (TypeError, ValueError):
        raise ArgumentError(
            f"is {size!r}", argument="size", remedy="a width and a height in pixels are needed, such as (960, 720)"
        ) from None
    if not (16 <= width <= 8192 and 16 <= height <= 8192):
        raise ArgumentError(
            f"is {width} x {height} pixels", argument="size", remedy="16 to 8192 pixels are possible in each direction"
        )
    return width, height
