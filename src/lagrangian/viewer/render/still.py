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
from lagrangian.viewer.scene.track import still_track


def draw(
    mechanism: Mechanism,
    path: str | os.PathLike[str] | None = None,
    q: ArrayLike | None = None,
    size: tuple[int, int] = (960, 720),
) -> np.ndarray | Path:
    """A picture in a configuration or named pose: written to `path` (.png), or as an array (height, width, 3) of bytes."""
    size = checked_size(size)
    file = None if path is None else Path(path)
    if file is not None and file.suffix.lower() != ".png":
        raise ArgumentError(f"{file}: a picture is written as .png, not {file.suffix or 'without a suffix'!r}", concerns="path")
    image: np.ndarray = Painter(still_track(mechanism, q), size).frame(0)
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
            f"is {size!r}", argument="size", remedy="width and height in pixels are needed, such as (960, 720)"
        ) from None
    if not (16 <= width <= 8192 and 16 <= height <= 8192):
        raise ArgumentError(f"is {width} x {height} pixels", argument="size", remedy="16 to 8192 each way are drawn")
    return width, height
