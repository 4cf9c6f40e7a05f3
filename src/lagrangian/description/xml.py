"""A small, safe XML reader: elements that know their line, and typed access to their attributes.

The tree is built without recursion, so that nesting can be as deep as it likes, and nothing outside the file is ever read:
a document type with declarations or an address, the door to entity expansion and to foreign files, is refused.
"""

from __future__ import annotations

import math
import os
import re
import stat
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any
from xml.parsers import expat

from lagrangian.description import sloppy
from lagrangian.errors import DescriptionError, Part, Place, ReaderWarning, one_of, warn
from lagrangian.files import as_path

MAX_BYTES = 200_000_000
_CHUNK = 1 << 20
_MARK = b"\xef\xbb\xbf"  # the byte-order mark of UTF-8, which expat knows where it comes first
_BLANKS = re.compile(rb"(?:\xef\xbb\xbf|[ \t\r\n])*")
_BEFORE = "white space, a comment or a byte-order mark"
_INVALID_TOKEN = expat.errors.codes[expat.errors.XML_ERROR_INVALID_TOKEN]
_REQUIRED: Any = object()
_END_TAG = re.compile(rb"<?/[\w.:-]+\s*>\s*")  # where expat stops at one, it is behind the <
_PARTS = {"link": "body", "connect": "loop", "weld": "loop"}  # what an element is called in a mechanism, where it differs


class Element:
    """A tag, its attributes and its children. `owner` is the nearest named element around it, for error messages."""

    __slots__ = ("attributes", "children", "file", "line", "owner", "tag", "text")

    def __init__(self, tag: str, attributes: Mapping[str, str], file: str, line: int, owner: str = "") -> None:
        self.tag = tag
        self.attributes = dict(attributes)
        self.children: list[Element] = []
        self.text = ""
        self.file = file
        self.line = line
        self.owner = owner

    @property
    def label(self) -> str:
        name = self.attributes.get("name")
        return f"<{self.tag}>" if name is None else f'<{self.tag} name="{name}">'

    @property
    def where(self) -> tuple[Place, Place]:
        """The line of the file, and the element, by the name of the part of a mechanism that it describes."""
        inside = f" in {self.owner}" if self.owner and "name" not in self.attributes else ""
        part = Part(_PARTS.get(self.tag, self.tag), self.attributes.get("name", ""), f"{self.label}{inside}")
        return f"{self.file}:{self.line}", part

    def find(self, tag: str) -> Element | None:
        """The first child with this tag."""
        return next((child for child in self.children if child.tag == tag), None)

    def all(self, tag: str) -> list[Element]:
        return [child for child in self.children if child.tag == tag]

    def walk(self) -> Iterator[Element]:
        """This element and all below it, in the order of the file."""
        stack = [self]
        while stack:
            element = stack.pop()
            yield element
            stack.extend(reversed(element.children))

    def with_attributes(self, attributes: Mapping[str, str]) -> Element:
        """The same element, at the same place, with other attributes."""
        other = Element(self.tag, attributes, self.file, self.line, self.owner)
        other.children, other.text = self.children, self.text
        return other

    def error(self, problem: str) -> DescriptionError:
        return DescriptionError(problem, where=self.where, line=self.line)


# -- reading -----------------------------------------------------------------------------------------------------------


def read_file(path: str | os.PathLike[str]) -> Element:
    """The root element of a file."""
    file = str(as_path(path))
    try:
        info = os.stat(file)
    except (OSError, ValueError) as error:
        raise DescriptionError(f"cannot be read: {_reason(error)}", where=file) from None
    if stat.S_ISDIR(info.st_mode):
        raise DescriptionError("is a directory; an XML file is needed", where=file)
    if not stat.S_ISREG(info.st_mode):
        raise DescriptionError("is not a regular file; an XML file is needed", where=file)
    if info.st_size > MAX_BYTES:
        raise DescriptionError(f"has {info.st_size / 1e6:.0f} MB; at most {MAX_BYTES / 1e6:.0f} MB are allowed", where=file)
    try:
        return _parse(lambda: _chunks(file), file)
    except OSError as error:
        raise DescriptionError(f"cannot be read: {_reason(error)}", where=file) from None


def read_text(text: str, file: str = "<text>") -> Element:
    """The root element of a text; `file` is what its errors call it."""
    # a lone surrogate has no UTF-8 form; as "?" it is refused, or harmless, where it stands
    data = text.encode("utf-8", "replace")
    return _parse(lambda: iter([data]), file, encoding="utf-8")


def _chunks(file: str) -> Iterator[bytes]:
    with Path(file).open("rb") as stream:
        yield from iter(lambda: stream.read(_CHUNK), b"")


def _reason(error: Exception) -> str:
    return (getattr(error, "strerror", None) or str(error)).lower()


def _parse(source: Callable[[], Iterator[bytes]], file: str, encoding: str | None = None) -> Element:
    """The root element; `source` gives the bytes, a second time where they have to be mended first."""
    chunks = source()
    first = next(chunks, b"")
    _check_start(first, file)
    begin = _declaration(first)
    if begin:
        warn(ReaderWarning(f"{_BEFORE} before the XML declaration is ignored", where=f"{file}:1"))
    builder = _Builder(file, encoding, first.count(b"\n", 0, begin))
    chunk: bytes | None = first[begin:]
    done = 0  # bytes of the chunks before this one
    try:
        while chunk is not None:
            builder.parser.Parse(chunk, False)
            done += len(chunk)
            chunk = next(chunks, None)
        builder.parser.Parse(b"", True)
    except expat.ExpatError as error:
        problem = expat.ErrorString(error.code)
        line = error.lineno + builder.above
        root = builder.complete
        if root is not None and chunk is not None and _END_TAG.fullmatch(chunk, builder.parser.ErrorByteIndex - done):
            warn(ReaderWarning("an unmatched end tag at the end of the file is ignored", where=f"{file}:{line}"))
            return root
        if error.code == _INVALID_TOKEN:
            data, found = sloppy.mended(b"".join(source()))
            for what, first_line in found.items():
                warn(ReaderWarning(what, where=f"{file}:{first_line}"))
            if found:
                return _parse(lambda: iter([data]), file, encoding)
        told = f"not XML: {problem} at column {error.offset + 1}"
        raise DescriptionError(told, where=f"{file}:{line}", line=line, column=error.offset + 1) from None
    except (LookupError, ValueError, TypeError) as error:  # an encoding that does not exist, or is of several bytes
        if isinstance(error, DescriptionError):
            raise
        raise DescriptionError(f"cannot be decoded ({error}); save it as UTF-8", where=f"{file}:1") from None
    assert builder.root is not None  # expat has complained of a document without an element
    return builder.root


def _check_start(first: bytes, file: str) -> None:
    if not first.strip():
        raise DescriptionError("is empty; an XML element is needed", where=f"{file}:1")
    if first[:2] in (b"\xff\xfe", b"\xfe\xff") or first[:4] in (b"<\0?\0", b"\0<\0?"):
        raise DescriptionError("is UTF-16 text; save it as UTF-8", where=f"{file}:1")
    if b"\0" in first[:4096]:
        raise DescriptionError("is a binary file; an XML text is needed", where=f"{file}:1")


def _declaration(first: bytes) -> int:
    """Where the declaration begins, before which XML allows nothing: behind white space, comments, or more than one mark."""
    begin = _after_blanks(first, 0)
    while first.startswith(b"<!--", begin):
        end = first.find(b"-->", begin + 4)
        if end < 0:
            return 0
        begin = _after_blanks(first, end + 3)
    return begin if begin and first.startswith(b"<?xml", begin) and first[:begin] != _MARK else 0


def _after_blanks(data: bytes, at: int) -> int:
    match = _BLANKS.match(data, at)
    return match.end() if match else at


class _Builder:
    """Turns expat's events into elements; `above` are the lines before what expat is given."""

    def __init__(self, file: str, encoding: str | None, above: int = 0) -> None:
        self.file = file
        self.above = above
        self.root: Element | None = None
        self._open: list[Element] = []
        self._text: list[list[str]] = []
        self.parser = expat.ParserCreate(encoding)
        self.parser.buffer_text = True
        self.parser.StartElementHandler = self._start
        self.parser.EndElementHandler = self._end
        self.parser.CharacterDataHandler = self._characters
        self.parser.StartDoctypeDeclHandler = self._doctype
        self.parser.EntityDeclHandler = self._entity
        self.parser.ExternalEntityRefHandler = self._entity

    @property
    def complete(self) -> Element | None:
        """The root, once its end was met."""
        return None if self._open else self.root

    def _start(self, tag: str, attributes: dict[str, str]) -> None:
        owner = ""
        if self._open:
            parent = self._open[-1]
            owner = parent.label if "name" in parent.attributes else parent.owner
        element = Element(tag, attributes, self.file, self._line, owner)
        if self._open:
            self._open[-1].children.append(element)
        else:
            self.root = element
        self._open.append(element)
        self._text.append([])

    def _end(self, _tag: str) -> None:
        self._open.pop().text = "".join(self._text.pop()).strip()

    def _characters(self, text: str) -> None:
        if self._text:
            self._text[-1].append(text)

    def _doctype(self, _name: str, system: str | None, public: str | None, declarations: int) -> None:
        if system or public or declarations:
            self._refuse("a document type with declarations or an external file is not allowed; remove the <!DOCTYPE ...>")

    def _entity(self, *_: object) -> int:
        self._refuse("entity declarations are not allowed; write the text explicitly")
        return 0

    def _refuse(self, problem: str) -> None:
        raise DescriptionError(problem, where=f"{self.file}:{self._line}", line=self._line)

    @property
    def _line(self) -> int:
        return self.parser.CurrentLineNumber + self.above


# -- attributes --------------------------------------------------------------------------------------------------------


def text(element: Element, attribute: str, default: Any = _REQUIRED) -> str:
    """An attribute that must be there, and not be empty, unless a default is given."""
    value = element.attributes.get(attribute)
    if value is None and default is not _REQUIRED:
        return default
    if value is None:
        raise element.error(f"needs the attribute {attribute!r}")
    if not value.strip() and default is _REQUIRED:
        raise element.error(f"{attribute} is empty")
    return value


def numbers(
    element: Element, attribute: str, count: int, default: Any = _REQUIRED, *, least: int | None = None, infinite: bool = False
) -> tuple[float, ...]:
    """`count` numbers, or at least `least` of them, separated by white space."""
    value = text(element, attribute, None if default is not _REQUIRED else _REQUIRED)
    return default if value is None else numbers_of(element, attribute, value, count, least=least, infinite=infinite)


def numbers_of(
    element: Element, attribute: str, value: str, count: int, *, least: int | None = None, infinite: bool = False
) -> tuple[float, ...]:
    """The numbers in a text, which errors call by the name of an attribute, or of an element that holds it."""
    words = value.split()
    fewest = count if least is None else least
    if not fewest <= len(words) <= count:
        needed = f"{count} number{'s' * (count > 1)}" if fewest == count else f"{fewest} to {count} numbers"
        raise element.error(f"{attribute} needs {needed}, got {_shown(value)}")
    return tuple(_number(element, attribute, word, infinite) for word in words)


def number(element: Element, attribute: str, default: Any = _REQUIRED, *, infinite: bool = False) -> float:
    """One number; `infinite` lets it be infinite, which a limit may be."""
    value = numbers(element, attribute, 1, None if default is not _REQUIRED else _REQUIRED, infinite=infinite)
    return default if value is None else value[0]


def choice(element: Element, attribute: str, known: Sequence[str], default: Any = _REQUIRED) -> str:
    """One of the words `known`."""
    value = text(element, attribute, default)
    if value not in known and value is not default:
        raise element.error(f"{attribute}: {one_of('choice', value, known)}")
    return value


def _number(element: Element, attribute: str, word: str, infinite: bool) -> float:
    try:
        value = float(word if word.isascii() and "_" not in word else "")  # Python reads 1_000 and other scripts' digits too
    except ValueError:
        raise element.error(
            f"{attribute} has {_shown(word)}, which is not a number; write a number such as 0.5 or -1e-3"
        ) from None
    if math.isnan(value) or (math.isinf(value) and not infinite):
        raise element.error(f"{attribute} is {_shown(word)}; a finite number is needed")
    return value


def _shown(value: str) -> str:
    return repr(value if len(value) <= 60 else value[:57] + "...")
