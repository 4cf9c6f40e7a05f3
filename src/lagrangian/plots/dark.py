"""Figures for pages that are light or dark: a small SVG whose colours follow what its reader prefers, and are light on paper."""

from __future__ import annotations

import colorsys
import re

INK, PAPER = "#e4e8ec", "#15191e"  # of a dark page
CONTRAST = 5.0  # of curves with the paper
_COLOUR = re.compile(r"(?<=[ :\"])#[0-9a-fA-F]{6}(?=[;\" ])")
_OPACITY = re.compile(r"(opacity: )(0?\.\d+)(?=[;\" ])")
_PATH = re.compile(r'\bd="[^"]*"')
_NUMBER = re.compile(r"-?\d+\.\d{3,}")  # with more digits than can be seen


def theme_svg(svg: str) -> str:
    """Return an `<svg>` element with variables for its colours, and their values on a dark page."""
    colours = list(dict.fromkeys(x.lower() for x in _COLOUR.findall(svg)))
    index = {colour: k for k, colour in enumerate(["#000000", *(c for c in colours if c != "#000000")])}
    body = _COLOUR.sub(lambda match: f"var(--lg{index[match[0].lower()]})", svg)
    body = _OPACITY.sub(lambda match: f"{match[1]}var(--lgo{match[2].replace('.', '')},{match[2]})", body)
    opacities = dict.fromkeys(match[1] for match in _OPACITY.findall(svg))
    body = _PATH.sub(lambda path: _NUMBER.sub(_shorten_number, path[0]), body)
    light, dark = ("".join(f"--lg{k}:{convert(colour)};" for colour, k in index.items()) for convert in (str, dark_colour))
    dark += "".join(f"--lgo{x.replace('.', '')}:{float(x) ** 0.7:.2f};" for x in opacities if float(x) > 0.15)
    # what is black is not said to be
    style = f".lg-figure{{{light}fill:var(--lg0)}}@media screen and (prefers-color-scheme:dark){{.lg-figure{{{dark}}}}}"
    return re.sub(r"<svg\b([^>]*)>", lambda match: f'<svg class="lg-figure"{match[1]}><style>{style}</style>', body, count=1)


def dark_colour(colour: str) -> str:
    """A colour for a dark page: greys lie between ink and paper, pale washes become dark, others light enough to be seen."""
    r, g, b = _rgb(colour)
    if max(r, g, b) - min(r, g, b) < 0.1:
        grey = (r + g + b) / 3
        return _hex_colour(tuple(grey * p + (1 - grey) * i for p, i in zip(_rgb(PAPER), _rgb(INK), strict=True)))
    hue, lightness, saturation = colorsys.rgb_to_hls(r, g, b)
    if lightness > 0.85:
        strong_colour = colorsys.hls_to_rgb(hue, 0.5, saturation)
        return _hex_colour(tuple(0.8 * p + 0.2 * s for p, s in zip(_rgb(PAPER), strong_colour, strict=True)))
    while contrast(_hex_colour(colorsys.hls_to_rgb(hue, lightness, saturation)), PAPER) < CONTRAST and lightness < 1:
        lightness += 0.01
    return _hex_colour(colorsys.hls_to_rgb(hue, min(lightness, 1.0), saturation))


def _shorten_number(number: re.Match[str]) -> str:
    return f"{round(float(number[0]), 2) + 0.0:.8g}"


def contrast(a: str, b: str) -> float:
    """The contrast of two colours, from 1 to 21, as the guidelines for accessible pages (WCAG 2) define it."""
    high, low = sorted((_luminance(a), _luminance(b)), reverse=True)
    return (high + 0.05) / (low + 0.05)


def _luminance(colour: str) -> float:
    linear = [x / 12.92 if x <= 0.04045 else ((x + 0.055) / 1.055) ** 2.4 for x in _rgb(colour)]
    return sum(weight * x for weight, x in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


def _rgb(colour: str) -> tuple[float, float, float]:
    r, g, b = (int(colour[k : k + 2], 16) / 255 for k in (1, 3, 5))
    return r, g, b


def _hex_colour(rgb: tuple[float, ...]) -> str:
    return "#" + "".join(f"{round(255 * x):02x}" for x in rgb)
