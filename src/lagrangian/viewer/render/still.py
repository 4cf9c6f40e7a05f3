"""A mechanism as one picture: a PNG file or an array, on white, or transparent for pages that are light or dark."""

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
from lagrangian.viewer.render.camera import read_view
from lagrangian.viewer.render.colours import colour_palette, count_colours, decode_colours
from lagrangian.viewer.render.painter import Painter
from lagrangian.viewer.scene.track import still_track

SOLID_COLOUR_COUNT = 184  # of 256: those of opaque pixels; the others are for lines, shadows and edges


def draw(
    mechanism: Mechanism,
    path: str | os.PathLike[str] | None = None,
    q: ArrayLike | None = None,
    size: tuple[int, int] = (960, 720),
    view: Any = None,
    zoom: float = 1.0,
    target: Any = None,
) -> np.ndarray | Path:
    """Draw a mechanism in a configuration or named pose: to `path` (.png), or as an array (height, width, 3) of bytes.

    `view` is "front", "back", "left", "right", "top" or "bottom", or azimuth and elevation in degrees: from the front
    counter-clockwise, seen from above, and above the level. `zoom` of 2 is twice as large. `target`, a point or the name of a
    frame or body, is in the middle; without it all of the mechanism is in the picture.
    """
    size = check_size(size)
    file = None if path is None else Path(path)
    if file is not None and file.suffix.lower() != ".png":
        raise ArgumentError(f"{file}: the name of a picture must end in .png", concerns="path")
    track = still_track(mechanism, q)
    image: np.ndarray = Painter(track, size, read_view(track, view, zoom, target)).frame(0)
    if file is None:
        return image
    from PIL import Image

    stream = io.BytesIO()
    Image.fromarray(image).save(stream, "PNG", optimize=True)
    return write(file, stream.getvalue())


def check_size(size: Any) -> tuple[int, int]:
    """Check the width and height of a picture in pixels."""
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


def transparent_png(mechanism: Any, q: Any, size: tuple[int, int]) -> bytes:
    """A transparent picture of a mechanism as the bytes of a PNG file."""
    return palette_png(Painter(still_track(mechanism, q), size).frame(0, transparent=True))


def palette_png(image: np.ndarray) -> bytes:
    """Pixels (height, width, 4) as a PNG file with a palette, which takes a quarter of the bytes.

    Opaque pixels have a part of the palette of their own, so that shadows, which are as dark, take no shades from them.
    """
    from PIL import Image

    is_solid = image[..., 3] == 255
    palette_indices = np.zeros(image.shape[:2], dtype=np.uint8)
    palette = np.zeros((256, 4), dtype=np.uint8)
    for mask, first, count in ((is_solid, 0, SOLID_COLOUR_COUNT), (~is_solid, SOLID_COLOUR_COUNT, 256 - SOLID_COLOUR_COUNT)):
        pixels = image[mask]
        if not len(pixels):
            continue
        # transparent pixels are told apart by their lightness and opacity
        features = pixels[:, :3] if first == 0 else np.stack([pixels[:, :3].max(axis=1), pixels[:, 3], pixels[:, 3]], axis=1)
        colour_classes = quantise_colours(features, count)
        palette_indices[mask] = first + colour_classes
        pixel_counts = np.maximum(np.bincount(colour_classes, minlength=count), 1)
        means = [np.bincount(colour_classes, pixels[:, k], count) / pixel_counts for k in range(4)]
        palette[first : first + count] = np.round(np.stack(means, axis=1))
    palette_image = Image.fromarray(palette_indices, "P")
    palette_image.putpalette(palette[:, :3].tobytes())
    stream = io.BytesIO()
    palette_image.save(stream, "PNG", optimize=True, transparency=palette[:, 3].tobytes())
    return stream.getvalue()


def quantise_colours(pixels: np.ndarray, count: int) -> np.ndarray:
    """The class of each colour (n, 3), of at most `count` classes of similar colours."""
    codes, distinct, pixel_counts = count_colours(pixels)
    palette = colour_palette(distinct, pixel_counts, count).astype(int)
    distinct_colours = decode_colours(distinct).astype(int)
    chunks = np.array_split(distinct_colours, len(distinct_colours) // 2000 + 1)
    nearest_classes = np.concatenate([((chunk[:, None] - palette) ** 2).sum(axis=2).argmin(axis=1) for chunk in chunks])
    return np.asarray(nearest_classes[np.searchsorted(distinct, codes)])
