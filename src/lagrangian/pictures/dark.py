"""Figures for pages that are light or dark: a small SVG whose colours follow what its reader prefers, and are light on paper."""

from __future__ import annotations

import colorsys
import re

INK, PAPER = "#e4e8ec", "#15191e"  # of a dark page
CONTRAST = 5.0  # of curves with the paper
_COLOR = re.compile(r"(?<=[ :\"])#[0-9a-fA-F]{6}(?=[;\" ])")
_OPACITY = re.compile(r"(opacity: )(0?\.\d+)(?=[;\" ])")
_PATH = re.compile(r'\bd="[^"]*"')
_NUMBER = re.compile(r"-?\d+\.\d{3,}")  # with more digits than can be seen


def themed(svg: str) -> str:
    """An `<svg>` element with variables for its colours, and what they are in the dark."""
    colors = list(dict.fromkeys(x.lower() for x in _COLOR.findall(svg)))
    number = {color: k for k, color in enumerate(["#000000", *(c for c in colors if c != "#000000")])}
    body = _COLOR.sub(lambda found: f"var(--lg{number[found[0].lower()]})", svg)
    body = _OPACITY.sub(lambda found: f"{found[1]}var(--lgo{found[2].replace('.', '')},{found[2]})", body)
    faint = dict.fromkeys(found[1] for found in _OPACITY.findall(svg))
    body = _PATH.sub(lambda path: _NUMBER.sub(_shorter, path[0]), body)
    light, dark = ("".join(f"--lg{k}:{of(color)};" for color, k in number.items()) for of in (str, on_dark))
    dark += "".join(f"--lgo{x.replace('.', '')}:{float(x) ** 0.7:.2f};" for x in faint if float(x) > 0.15)
    # what is black is not said to be
    style = f".lg-figure{{{light}fill:var(--lg0)}}@media screen and (prefers-color-scheme:dark){{.lg-figure{{{dark}}}}}"
    return re.sub(r"<svg\b([^>]*)>", lambda found: f'<svg class="lg-figure"{found[1]}><style>{style}</style>', body, count=1)


def on_dark(color: str) -> str:
    """A colour on a dark page: greys between ink and paper, pale washes dark, and others as light as is needed to be seen."""
    r, g, b = _parts(color)
    if max(r, g, b) - min(r, g, b) < 0.1:
        grey = (r + g + b) / 3
        return _written(tuple(grey * p + (1 - grey) * i for p, i in zip(_parts(PAPER), _parts(INK), strict=True)))
    hue, light, full = colorsys.rgb_to_hls(r, g, b)
    if light > 0.85:
        strong = colorsys.hls_to_rgb(hue, 0.5, full)
        return _written(tuple(0.8 * p + 0.2 * s for p, s in zip(_parts(PAPER), strong, strict=True)))
    while contrast(_written(colorsys.hls_to_rgb(hue, light, full)), PAPER) < CONTRAST and light < 1:
        light += 0.01
    return _written(colorsys.hls_to_rgb(hue, min(light, 1.0), full))


def _shorter(number: re.Match[str]) -> str:
    return f"{round(float(number[0]), 2) + 0.0:.8g}"


def contrast(a: str, b: str) -> float:
    """Of two colours, 1 to 21, as the guidelines for accessible pages (WCAG 2) define it."""
    high, low = sorted((_luminance(a), _luminance(b)), reverse=True)
    return (high + 0.05) / (low + 0.05)


def _luminance(color: str) -> float:
    linear = [x / 12.92 if x <= 0.04045 else ((x + 0.055) / 1.055) ** 2.4 for x in _parts(color)]
    return sum(weight * x for weight, x in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


def _parts(color: str) -> tuple[float, float, float]:
    r, g, b = (int(color[k : k + 2], 16) / 255 for k in (1, 3, 5))
    return r, g, b


def _written(parts: tuple[float, ...]) -> str:
    return "#" + "".join(f"{round(255 * x):02x}" for x in parts)
