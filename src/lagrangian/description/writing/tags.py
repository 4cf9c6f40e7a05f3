"""XML that is written: elements with attributes, text and children, without recursion: a chain may be as long as it likes."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

_DEEPEST = 30  # beyond, lines are not indented further: a chain of a thousand bodies would be mostly blanks
_ESCAPED = {"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "\t": "&#9;", "\n": "&#10;", "\r": "&#13;"}
_NO_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


class Tag:
    """An element to be written. Attributes that are None are left out."""

    __slots__ = ("attributes", "children", "name", "text")

    def __init__(self, tag: str, children: Iterable[Tag] = (), text: str = "", /, **attributes: Any) -> None:
        self.name, self.text = tag, text
        self.children = list(children)
        self.attributes = {key.rstrip("_"): _value(x) for key, x in attributes.items() if x is not None}

    def add(self, *children: Tag) -> Tag:
        """This element, with more children."""
        self.children += children
        return self

    @property
    def empty(self) -> bool:
        return not (self.children or self.text or self.attributes)


def number(x: Any) -> str:
    """A number to the last bit."""
    written = repr(float(x) + 0.0)  # no negative zero
    return written.removesuffix(".0")


def numbers(xs: Iterable[Any]) -> str:
    return " ".join(map(number, xs))


def _value(x: Any) -> str:
    if isinstance(x, str):
        return x
    return numbers(x) if isinstance(x, (tuple, list)) else number(x)


def escaped(text: str) -> str:
    """As XML has it; what XML has no place for is a blank."""
    return "".join(_ESCAPED.get(c, c) for c in _NO_XML.sub(" ", text))


def document(root: Tag, comments: Iterable[str] = ()) -> str:
    """The whole file."""
    lines = ['<?xml version="1.0" encoding="utf-8"?>']
    for comment in comments:  # in which XML allows no --
        lines.append(f"<!-- {_NO_XML.sub(' ', comment).replace('--', '- -').rstrip('-')} -->")
    stack: list[tuple[Tag, int, bool]] = [(root, 0, False)]
    while stack:
        tag, depth, closing = stack.pop()
        blank = "  " * min(depth, _DEEPEST)
        if closing:
            lines.append(f"{blank}</{tag.name}>")
            continue
        head = tag.name + "".join(f' {key}="{escaped(x)}"' for key, x in tag.attributes.items())
        if tag.children:
            lines.append(f"{blank}<{head}>")
            stack.append((tag, depth, True))
            stack.extend((child, depth + 1, False) for child in reversed(tag.children))
        elif tag.text:
            lines.append(f"{blank}<{head}>{escaped(tag.text)}</{tag.name}>")
        else:
            lines.append(f"{blank}<{head}/>")
    return "\n".join(lines) + "\n"
