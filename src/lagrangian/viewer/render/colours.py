"""A palette of few colours for a picture of many.

Each colour counts by the square root of its number of pixels, so that a large floor leaves room for a thin link.
"""

from __future__ import annotations

import numpy as np


def count_colours(pixels: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Colours (n, 3) of bytes as codes with six bits for each component; the distinct codes in order, and their numbers."""
    r, g, b = (pixels >> 2).astype(np.int32).T
    codes = (r << 12) + (g << 6) + b
    pixel_counts = np.bincount(codes, minlength=1 << 18)
    distinct = np.flatnonzero(pixel_counts)
    return codes, distinct, pixel_counts[distinct]


def decode_colours(codes: np.ndarray) -> np.ndarray:
    return np.stack([codes >> 12 << 2, (codes >> 6 & 63) << 2, (codes & 63) << 2], axis=1).astype(np.uint8)


def colour_palette(codes: np.ndarray, pixel_counts: np.ndarray, count: int) -> np.ndarray:
    """A palette of at most `count` colours (n, 3) that stand for all colours that were counted."""
    from PIL import Image

    sample = decode_colours(np.repeat(codes, np.sqrt(pixel_counts).astype(int)))
    palette = Image.fromarray(sample[None]).quantize(count, method=Image.Quantize.MEDIANCUT).getpalette() or []
    return np.array(palette[: 3 * count], dtype=np.uint8).reshape(-1, 3)
