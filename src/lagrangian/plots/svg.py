"""Figures of matplotlib as SVG for pages that are light or dark, in few characters.

The colours follow what the reader of a page prefers, and are light on paper. Lines are written as steps from point to point, and
what only machines read is left out.
"""

from __future__ import annotations

import colorsys
import re

INK, PAPER = "#e4e8ec", "#15191e"  # of a dark page
CONTRAST = 5.0  # of curves with the paper
_COLOUR = re.compile(r"(?<=[ :\"])#[0-9a-fA-F]{6}(?=[;\" ])")
_OPACITY = re.compile(r"(opacity: )(0?\.\d+)(?=[;\" ])")
_PATH = re.compile(r'\bd="[^"]*"')
_LONG_NUMBER = re.compile(r"-?\d+\.\d{3,}")  # with more digits than can be seen
_METADATA = re.compile(r"<\?xml[^>]*>|<!DOCTYPE[^>]*>|<!--.*?-->|<metadata>.*?</metadata>", re.DOTALL)
_COORDINATES = re.compile(r'(?<=\s)([xy])="([^"]*)"|(?<=\s)(d)="([^"]*)"|translate\([^)]*\)')
_NUMBER = re.compile(r"-?\d+\.\d+")
_STRAIGHT_PATH = re.compile(r"[MLz\d.\s-]*")  # a path of straight lines
LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
MAX_STRAIGHT_POINTS = 40  # points of a path that is a curve: a tenth of a point is near enough


# -- light and dark pages ----------------------------------------------------------------------------------------------


def theme_svg(svg: str) -> str:
    """Return an `<svg>` element with variables for its colours, and their values on a dark page."""
    colours = list(dict.fromkeys(x.lower() for x in _COLOUR.findall(svg)))
    index = {colour: k for k, colour in enumerate(["#000000", *(c for c in colours if c != "#000000")])}
    body = _COLOUR.sub(lambda match: f"var(--lg{index[match[0].lower()]})", svg)
    body = _OPACITY.sub(lambda match: f"{match[1]}var(--lgo{match[2].replace('.', '')},{match[2]})", body)
    opacities = dict.fromkeys(match[1] for match in _OPACITY.findall(svg))
    body = _PATH.sub(lambda path: _LONG_NUMBER.sub(_shorten_number, path[0]), body)
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


# -- few characters ----------------------------------------------------------------------------------------------------


def minify_svg(svg: str) -> str:
    """Write the same figure in fewer characters."""
    svg = _COORDINATES.sub(_shorten_coordinates, _METADATA.sub("", svg))
    svg = re.sub(r'(?<=style=")[^"]*', lambda match: re.sub(r"([:;])\s+", r"\1", match[0]), svg)
    svg = _short_names(svg.replace("xlink:href", "href").replace(' xmlns:xlink="http://www.w3.org/1999/xlink"', ""))
    return re.sub(r"<g>((?:(?!<g[ >])(?!</g>).)*)</g>", r"\1", re.sub(r">\s+<", "><", svg), flags=re.DOTALL).strip()


def data_url(svg: str) -> str:
    """Write a figure as the source of an image, for an attribute in double quotes; base64 would be a third longer."""
    for character, code in (("%", "%25"), ("#", "%23"), ("&", "%26"), ('"', "'"), ("\n", " ")):
        svg = svg.replace(character, code)
    return f"data:image/svg+xml,{svg}"


def _short_names(svg: str) -> str:
    """Shorten names that something refers to to one or two characters, and leave out the others."""
    referenced = dict.fromkeys(re.findall(r'(?:href="|url\()#([^")]+)', svg))
    short = {name: f"{LETTERS[k % len(LETTERS)]}{k // len(LETTERS) or ''}" for k, name in enumerate(referenced)}
    svg = re.sub(r'\sid="([^"]*)"', lambda match: f' id="{short[match[1]]}"' if match[1] in short else "", svg)
    return re.sub(r'(href="|url\()#([^")]+)', lambda match: f"{match[1]}#{short[match[2]]}", svg)


def _shorten_coordinates(match: re.Match[str]) -> str:
    if match[3] and _STRAIGHT_PATH.fullmatch(match[4]):
        return f'd="{_relative_path(match[4])}"'
    return _NUMBER.sub(lambda number: _decimal_text(round(100 * float(number[0])), 2), " ".join(match[0].split()))


def _relative_path(path: str) -> str:
    """Write `M 10 20 L 11 22.5 ...` as `M10 20l1 2.5...`: steps from point to point, rounded so that no error adds up."""
    words = path.split()
    digits = 1 if words.count("L") > MAX_STRAIGHT_POINTS else 2
    commands: list[str] = []
    position = [0, 0]
    last = ""
    at = 0
    while at < len(words):
        command = words[at]
        if command == "z":
            commands.append("z")
            at, last = at + 1, "z"
            continue
        target = [round(10**digits * float(x)) for x in words[at + 1 : at + 3]]
        if command == "M":
            commands.append(f"M{_pair(target, digits)}")
        else:
            step = _pair([target[0] - position[0], target[1] - position[1]], digits)
            commands.append(f"l{step}" if last != "L" else step if step.startswith("-") else f" {step}")
        position, at, last = target, at + 3, command
    return "".join(commands)


def _pair(numbers: list[int], digits: int) -> str:
    x, y = (_decimal_text(n, digits) for n in numbers)
    return x + (y if y.startswith("-") else f" {y}")


def _decimal_text(number: int, digits: int) -> str:
    """Write a number with this many decimals, without zeros at the end and in front."""
    if number == 0:
        return "0"
    whole, remainder = divmod(abs(number), 10**digits)
    decimals = f"{remainder:0{digits}d}".rstrip("0")
    return f"{'-' if number < 0 else ''}{whole or ('' if decimals else 0)}{f'.{decimals}' if decimals else ''}"
