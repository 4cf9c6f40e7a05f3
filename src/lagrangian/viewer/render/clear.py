"""Pictures for pages that are light or dark: clear where there is nothing, with 256 colours and a quarter of the bytes."""

from __future__ import annotations

import io
from typing import Any

import numpy as np

from lagrangian.viewer.render.colors import counted, decoded, palette_of
from lagrangian.viewer.render.painter import Painter
from lagrangian.viewer.scene.track import still_track

SOLID = 184  # colours of what is not clear; the others are of lines, shadows and edges


def clear_png(mechanism: Any, q: Any, size: tuple[int, int]) -> bytes:
    """A picture of a mechanism as the bytes of a PNG file."""
    return packed(Painter(still_track(mechanism, q), size).frame(0, clear=True))


def packed(image: np.ndarray) -> bytes:
    """Pixels (height, width, 4) as a PNG file with a palette: what is solid has a part of it, so that no shade of it is lost to
    shadows, which are as dark.
    """
    from PIL import Image

    solid = image[..., 3] == 255
    index = np.zeros(image.shape[:2], dtype=np.uint8)
    palette = np.zeros((256, 4), dtype=np.uint8)
    for chosen, first, count in ((solid, 0, SOLID), (~solid, SOLID, 256 - SOLID)):
        pixels = image[chosen]
        if not len(pixels):
            continue
        # of what is clear, how grey and how opaque it is says all
        like = pixels[:, :3] if first == 0 else np.stack([pixels[:, :3].max(axis=1), pixels[:, 3], pixels[:, 3]], axis=1)
        which = alike(like, count)
        index[chosen] = first + which
        times = np.maximum(np.bincount(which, minlength=count), 1)
        means = [np.bincount(which, pixels[:, k], count) / times for k in range(4)]
        palette[first : first + count] = np.round(np.stack(means, axis=1))
    made = Image.fromarray(index, "P")
    made.putpalette(palette[:, :3].tobytes())
    stream = io.BytesIO()
    made.save(stream, "PNG", optimize=True, transparency=palette[:, 3].tobytes())
    return stream.getvalue()


def alike(colors: np.ndarray, count: int) -> np.ndarray:
    """The numbers of at most so many classes for colours (n, 3)."""
    codes, found, times = counted(colors)
    near = palette_of(found, times, count).astype(int)
    told = decoded(found).astype(int)
    parts = np.array_split(told, len(told) // 2000 + 1)
    nearest = np.concatenate([((some[:, None] - near) ** 2).sum(axis=2).argmin(axis=1) for some in parts])
    return np.asarray(nearest[np.searchsorted(found, codes)])
