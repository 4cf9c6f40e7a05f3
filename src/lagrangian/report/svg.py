"""Figures of matplotlib in few characters: lines as steps from point to point, without what only machines read."""

from __future__ import annotations

import re

_UNREAD = re.compile(r"<\?xml[^>]*>|<!DOCTYPE[^>]*>|<!--.*?-->|<metadata>.*?</metadata>", re.DOTALL)
_PLACES = re.compile(r'(?<=\s)([xy])="([^"]*)"|(?<=\s)(d)="([^"]*)"|translate\([^)]*\)')
_NUMBER = re.compile(r"-?\d+\.\d+")
_LINES = re.compile(r"[MLz\d.\s-]*")  # a path of straight lines
LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
CURVE = 40  # points of a path that is a curve: a tenth of a point is near enough


def slim(svg: str) -> str:
    """The same figure in fewer characters."""
    svg = _PLACES.sub(_place, _UNREAD.sub("", svg))
    svg = re.sub(r'(?<=style=")[^"]*', lambda found: re.sub(r"([:;])\s+", r"\1", found[0]), svg)
    svg = _short_names(svg.replace("xlink:href", "href").replace(' xmlns:xlink="http://www.w3.org/1999/xlink"', ""))
    return re.sub(r"<g>((?:(?!<g[ >])(?!</g>).)*)</g>", r"\1", re.sub(r">\s+<", "><", svg), flags=re.DOTALL).strip()


def _short_names(svg: str) -> str:
    """Names that something refers to in one or two characters; the others are left out."""
    used = dict.fromkeys(re.findall(r'(?:href="|url\()#([^")]+)', svg))
    short = {name: f"{LETTERS[k % len(LETTERS)]}{k // len(LETTERS) or ''}" for k, name in enumerate(used)}
    svg = re.sub(r'\sid="([^"]*)"', lambda found: f' id="{short[found[1]]}"' if found[1] in short else "", svg)
    return re.sub(r'(href="|url\()#([^")]+)', lambda found: f"{found[1]}#{short[found[2]]}", svg)


def address(svg: str) -> str:
    """The figure as the source of an image, for an attribute in double quotes; base64 would be a third longer."""
    for character, written in (("%", "%25"), ("#", "%23"), ("&", "%26"), ('"', "'"), ("\n", " ")):
        svg = svg.replace(character, written)
    return f"data:image/svg+xml,{svg}"


def _place(found: re.Match[str]) -> str:
    if found[3] and _LINES.fullmatch(found[4]):
        return f'd="{_steps(found[4])}"'
    return _NUMBER.sub(lambda number: _told(round(100 * float(number[0])), 2), " ".join(found[0].split()))


def _steps(path: str) -> str:
    """`M 10 20 L 11 22.5 ...` as `M10 20l1 2.5...`: each point as its way from the last, rounded so that no error adds up."""
    words = path.split()
    digits = 1 if words.count("L") > CURVE else 2
    written: list[str] = []
    here = [0, 0]
    last = ""
    at = 0
    while at < len(words):
        command = words[at]
        if command == "z":
            written.append("z")
            at, last = at + 1, "z"
            continue
        there = [round(10**digits * float(x)) for x in words[at + 1 : at + 3]]
        if command == "M":
            written.append(f"M{_pair(there, digits)}")
        else:
            step = _pair([there[0] - here[0], there[1] - here[1]], digits)
            written.append(f"l{step}" if last != "L" else step if step.startswith("-") else f" {step}")
        here, at, last = there, at + 3, command
    return "".join(written)


def _pair(numbers: list[int], digits: int) -> str:
    x, y = (_told(n, digits) for n in numbers)
    return x + (y if y.startswith("-") else f" {y}")


def _told(number: int, digits: int) -> str:
    """A number of so many decimals, of which the zeros at the end are left out, and the one in front."""
    if number == 0:
        return "0"
    whole, rest = divmod(abs(number), 10**digits)
    decimals = f"{rest:0{digits}d}".rstrip("0")
    return f"{'-' if number < 0 else ''}{whole or ('' if decimals else 0)}{f'.{decimals}' if decimals else ''}"
