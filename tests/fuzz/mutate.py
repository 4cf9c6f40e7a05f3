"""Mutations of texts: of bytes, tokens, numbers, lines, sections, entries, and elements of XML."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from collections.abc import Callable, Sequence
from random import Random

from tests.fuzz.numbers import NO_NUMBERS, ODD_EXPRESSIONS, ODD_NUMBERS, ODD_VALUES

NUMBER = re.compile(r"(?<![\w.])[-+]?\d+\.?\d*(?:[eE][-+]?\d+)?(?![\w.])")
TOKEN = re.compile(r"[A-Za-z_]+|[-+]?\d+\.?\d*(?:[eE][-+]?\d+)?|[^\sA-Za-z_0-9]|\s+")
ATTRIBUTE = re.compile(r'\s([\w:]+)\s*=\s*"([^"<]*)"')
ENTRY = re.compile(r"^(\w+) = (.*)$", re.MULTILINE)
SECTION = re.compile(r"(?m)^(?=\[)")
WORDS = (
    "name",
    "mass",
    "nan",
    "x",
    "ground",
    "world",
    "[[joint]]",
    "[",
    "]",
    "{",
    "}",
    "=",
    '"',
    "'",
    "<",
    ">",
    "&",
    "<!--",
    "]]>",
    "\x00",
    "\t",
    "é",
    "￿",
)


def bytes_(rng: Random, text: str) -> bytes:
    """Some bytes altered, left out or put in, or the end cut off."""
    data = bytearray(text.encode())
    for _ in range(rng.choice([1, 1, 2, 5, 20])):
        at, how = rng.randrange(len(data) + 1), rng.random()
        if how < 0.4 and at < len(data):
            data[at] ^= 1 << rng.randrange(8)
        elif how < 0.6:
            data[at:at] = bytes(rng.randrange(256) for _ in range(rng.choice([1, 2, 4])))
        elif how < 0.9:
            del data[at : at + rng.choice([1, 2, 10])]
        else:
            del data[at:]
    return bytes(data)


def _replace_match(rng: Random, text: str, actual: Sequence[re.Match[str]], by: str | Callable[[re.Match[str]], str]) -> str:
    """One of the matches replaced."""
    if not actual:
        return text
    at = rng.choice(actual)
    return text[: at.start()] + (by if isinstance(by, str) else by(at)) + text[at.end() :]


def token(rng: Random, text: str) -> str:
    matches = list(TOKEN.finditer(text))
    other = rng.choice(matches).group() if matches and rng.random() < 0.5 else rng.choice(WORDS)
    return _replace_match(rng, text, matches, lambda at: rng.choice([other, "", at.group() * 2, other + at.group()]))


def number(rng: Random, text: str) -> str:
    by = rng.choice(ODD_NUMBERS if rng.random() < 0.85 else NO_NUMBERS)
    return _replace_match(rng, text, list(NUMBER.finditer(text)), by)


def _rearrange(rng: Random, parts: list[str]) -> list[str]:
    """One left out, one twice, two exchanged, or one elsewhere."""
    if not parts:
        return parts
    a, b, how = rng.randrange(len(parts)), rng.randrange(len(parts)), rng.randrange(4)
    if how == 0:
        del parts[a]
    elif how == 1:
        parts.insert(b, parts[a])
    elif how == 2:
        parts[a], parts[b] = parts[b], parts[a]
    else:
        parts.insert(b, parts.pop(a))
    return parts


def line(rng: Random, text: str) -> str:
    return "".join(_rearrange(rng, text.splitlines(keepends=True)))


def section(rng: Random, text: str) -> str:
    return "".join(_rearrange(rng, SECTION.split(text)))


def entry(rng: Random, text: str) -> str:
    """The value of an entry of a TOML file is another, or the entry is under another's name."""
    matches = list(ENTRY.finditer(text))
    if not matches:
        return text
    value = rng.choice(
        [rng.choice(ODD_VALUES), f'"{rng.choice(ODD_EXPRESSIONS)}"', rng.choice(matches).group(2), rng.choice(ODD_NUMBERS)]
    )
    key = rng.choice(matches).group(1)
    named = rng.random() < 0.3
    return _replace_match(rng, text, matches, lambda at: f"{key} = {at.group(2)}" if named else f"{at.group(1)} = {value}")


def attribute(rng: Random, text: str) -> str:
    """An attribute of an XML element is left out, twice there, under another's name, or with another value."""
    matches = list(ATTRIBUTE.finditer(text))
    if not matches:
        return text
    other = rng.choice(matches)
    words = ("", "0 0 0", "1 1", "a", "true", "1e308 0 0", "../x", "0 0 0 0 0 0 0")
    value = rng.choice([other.group(2), rng.choice(ODD_NUMBERS), rng.choice(NO_NUMBERS).replace('"', ""), rng.choice(words)])

    def by(at: re.Match[str]) -> str:
        key, old = at.groups()
        return rng.choice(["", at.group() * 2, f' {other.group(1)}="{old}"', f' {key}="{value}"', f' {key}="{value}"'])

    return _replace_match(rng, text, matches, by)


def element(rng: Random, text: str) -> str:
    """An element of an XML file is left out, twice there, elsewhere, or called otherwise."""
    try:
        root = ET.fromstring(text)
    except (ET.ParseError, ValueError):
        return line(rng, text)
    inside = [(parent, child) for parent in root.iter() for child in parent]
    if not inside:
        return text
    parent, child = rng.choice(inside)
    how = rng.randrange(4)
    if how == 0:
        parent.remove(child)
    elif how == 1:
        parent.append(child)
    elif how == 2:
        within = set(child.iter())
        rng.choice([p for p in root.iter() if p not in within]).append(child)
        parent.remove(child)
    else:
        child.tag = rng.choice([rng.choice(inside)[1].tag, "unknown", "include"])
    return ET.tostring(root, encoding="unicode")


COMMON = (token, number, number, line)
MUTATIONS: dict[str, tuple[Callable[[Random, str], str], ...]] = {
    ".toml": (*COMMON, section, entry, entry),
    "": (*COMMON, attribute, attribute, element, element),
}


def mutate_text(rng: Random, text: str, suffix: str) -> bytes:
    """The text with a few mutations."""
    known = MUTATIONS.get(suffix, MUTATIONS[""])
    for _ in range(rng.choice([1, 1, 1, 2, 3, 6])):
        text = rng.choice(known)(rng, text)
    return bytes_(rng, text) if rng.random() < 0.15 else text.encode(errors="surrogatepass")
