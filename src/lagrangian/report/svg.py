"""Figures of matplotlib in few characters: lines as steps from point to point, without what only machines read."""

from __future__ import annotations

import re

_METADATA = re.compile(r"<\?xml[^>]*>|<!DOCTYPE[^>]*>|<!--.*?-->|<metadata>.*?</metadata>", re.DOTALL)
_COORDINATES = re.compile(r'(?<=\s)([xy])="([^"]*)"|(?<=\s)(d)="([^"]*)"|translate\([^)]*\)')
_NUMBER = re.compile(r"-?\d+\.\d+")
_STRAIGHT_PATH = re.compile(r"[MLz\d.\s-]*")  # a path of straight lines
LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
MAX_STRAIGHT_POINTS = 40  # points of a path that is a curve: a tenth of a point is near enough


def minify_svg(svg: str) -> str:
    """Write the same figure in fewer characters."""
    svg = _COORDINATES.sub(_shorten_coordinates, _METADATA.sub("", svg))
    svg = re.sub(r'(?<=style=")[^"]*', lambda match: re.sub(r"([:;])\s+", r"\1", match[0]), svg)
    svg = _short_names(svg.replace("xlink:href", "href").replace(' xmlns:xlink="http://www.w3.org/1999/xlink"', ""))
    return re.sub(r"<g>((?:(?!<g[ >])(?!</g>).)*)</g>", r"\1", re.sub(r">\s+<", "><", svg), flags=re.DOTALL).strip()


def _short_names(svg: str) -> str:
    """Shorten names that something refers to to one or two characters, and leave out the others."""
    referenced = dict.fromkeys(re.findall(r'(?:href="|url\()#([^")]+)', svg))
    short = {name: f"{LETTERS[k % len(LETTERS)]}{k // len(LETTERS) or ''}" for k, name in enumerate(referenced)}
    svg = re.sub(r'\sid="([^"]*)"', lambda match: f' id="{short[match[1]]}"' if match[1] in short else "", svg)
    return re.sub(r'(href="|url\()#([^")]+)', lambda match: f"{match[1]}#{short[match[2]]}", svg)


def data_url(svg: str) -> str:
    """Write a figure as the source of an image, for an attribute in double quotes; base64 would be a third longer."""
    for character, code in (("%", "%25"), ("#", "%23"), ("&", "%26"), ('"', "'"), ("\n", " ")):
        svg = svg.replace(character, code)
    return f"data:image/svg+xml,{svg}"


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
