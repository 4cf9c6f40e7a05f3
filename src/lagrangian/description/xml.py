"""XML: a safe reader of elements that know their line, typed access to their attributes, and a writer.

Neither reads or writes by recursion, so that elements can be nested to any depth. Nothing outside the file is read: a document
type with declarations or an address is refused, because it could expand entities or name other files. The reader accepts some
faults that the readers of other programs accept: `--` in a comment, and attributes without a space between them.
"""

from __future__ import annotations

import math
import os
import re
import stat
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any
from xml.parsers import expat

from lagrangian.errors import DescriptionError, MechanismPart, Place, ReaderWarning, unknown_name_message, warn
from lagrangian.files import as_path

MAX_XML_BYTES = 200_000_000
_CHUNK = 1 << 20
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"  # of UTF-8; expat accepts it only as the first bytes
_BLANKS = re.compile(rb"(?:\xef\xbb\xbf|[ \t\r\n])*")
_IGNORED_PREFIX = "white space, a comment or a byte-order mark"
_INVALID_TOKEN = expat.errors.codes[expat.errors.XML_ERROR_INVALID_TOKEN]
_REQUIRED: Any = object()
_END_TAG = re.compile(rb"<?/[\w.:-]+\s*>\s*")  # expat reports such an error behind the <
_PART_KINDS = {"link": "body", "connect": "loop", "weld": "loop"}  # what an element is called in a mechanism, where it differs

# faults that are repaired
_OPENING = re.compile(rb"<!--|<!\[CDATA\[|<\?|<[^!?/]")
_CLOSING = {b"<!--": b"-->", b"<![CDATA[": b"]]>", b"<?": b"?>"}
_QUOTE_OR_BRACKET = re.compile(rb"[\"'<>]")
_NAME = re.compile(rb"[A-Za-z_:]")
DOUBLE_DASH = "a comment contains --; it ends at the next -->, as in other readers"
MISSING_SPACE = "attributes without a space between them are accepted"

# writing
_MAX_INDENTATION = 30  # levels: a chain of a thousand bodies would otherwise be mostly spaces
_ESCAPED = {"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "\t": "&#9;", "\n": "&#10;", "\r": "&#13;"}
_NO_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


class Element:
    """An element that was read. `owner` is the label of the nearest named element around it, for error messages."""

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
        """The places of an error: the line of the file, and the part of the mechanism that the element describes."""
        inside = f" in {self.owner}" if self.owner and "name" not in self.attributes else ""
        part = MechanismPart(_PART_KINDS.get(self.tag, self.tag), self.attributes.get("name", ""), f"{self.label}{inside}")
        return f"{self.file}:{self.line}", part

    def find(self, tag: str) -> Element | None:
        """The first child with this tag."""
        return next((child for child in self.children if child.tag == tag), None)

    def find_all(self, tag: str) -> list[Element]:
        return [child for child in self.children if child.tag == tag]

    def walk(self) -> Iterator[Element]:
        """This element and all below it, in the order of the file."""
        stack = [self]
        while stack:
            element = stack.pop()
            yield element
            stack.extend(reversed(element.children))

    def with_attributes(self, attributes: Mapping[str, str]) -> Element:
        """A copy of the element, from the same line, with other attributes."""
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
    if info.st_size > MAX_XML_BYTES:
        raise DescriptionError(f"has {info.st_size / 1e6:.0f} MB; at most {MAX_XML_BYTES / 1e6:.0f} MB are allowed", where=file)
    try:
        return _parse(lambda: _chunks(file), file)
    except OSError as error:
        raise DescriptionError(f"cannot be read: {_reason(error)}", where=file) from None


def read_text(text: str, file: str = "<text>") -> Element:
    """The root element of a text; `file` is what its errors call it."""
    # a lone surrogate has no UTF-8 form; as "?" it is refused, or harmless, where it stands
    data = text.encode("utf-8", "replace")
    return _parse(lambda: iter([data]), file, encoding="utf-8")


class _ElementBuilder:
    """Turns expat's events into elements; `skipped_lines` is the number of lines above the first that expat parses."""

    def __init__(self, file: str, encoding: str | None, skipped_lines: int = 0) -> None:
        self.file = file
        self.skipped_lines = skipped_lines
        self.root: Element | None = None
        self._open_elements: list[Element] = []
        self._open_texts: list[list[str]] = []
        self.parser = expat.ParserCreate(encoding)
        self.parser.buffer_text = True
        self.parser.StartElementHandler = self._start
        self.parser.EndElementHandler = self._end
        self.parser.CharacterDataHandler = self._characters
        self.parser.StartDoctypeDeclHandler = self._doctype
        self.parser.EntityDeclHandler = self._entity
        self.parser.ExternalEntityRefHandler = self._entity

    @property
    def completed_root(self) -> Element | None:
        """The root element if its end tag was read."""
        return None if self._open_elements else self.root

    def _start(self, tag: str, attributes: dict[str, str]) -> None:
        owner = ""
        if self._open_elements:
            parent = self._open_elements[-1]
            owner = parent.label if "name" in parent.attributes else parent.owner
        element = Element(tag, attributes, self.file, self._line, owner)
        if self._open_elements:
            self._open_elements[-1].children.append(element)
        else:
            self.root = element
        self._open_elements.append(element)
        self._open_texts.append([])

    def _end(self, _tag: str) -> None:
        self._open_elements.pop().text = "".join(self._open_texts.pop()).strip()

    def _characters(self, text: str) -> None:
        if self._open_texts:
            self._open_texts[-1].append(text)

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
        return self.parser.CurrentLineNumber + self.skipped_lines


def _chunks(file: str) -> Iterator[bytes]:
    with Path(file).open("rb") as stream:
        yield from iter(lambda: stream.read(_CHUNK), b"")


def _reason(error: Exception) -> str:
    return (getattr(error, "strerror", None) or str(error)).lower()


def _parse(source: Callable[[], Iterator[bytes]], file: str, encoding: str | None = None) -> Element:
    """The root element; `source` returns the bytes in chunks, and is called again if they must be repaired."""
    chunks = source()
    first = next(chunks, b"")
    _check_start(first, file)
    start = _declaration_start(first)
    if start:
        warn(ReaderWarning(f"{_IGNORED_PREFIX} before the XML declaration is ignored", where=f"{file}:1"))
    builder = _ElementBuilder(file, encoding, first.count(b"\n", 0, start))
    chunk: bytes | None = first[start:]
    consumed_bytes = 0  # bytes of the chunks before this one
    try:
        while chunk is not None:
            builder.parser.Parse(chunk, False)
            consumed_bytes += len(chunk)
            chunk = next(chunks, None)
        builder.parser.Parse(b"", True)
    except expat.ExpatError as error:
        problem = expat.ErrorString(error.code)
        line = error.lineno + builder.skipped_lines
        root = builder.completed_root
        if root is not None and chunk is not None and _END_TAG.fullmatch(chunk, builder.parser.ErrorByteIndex - consumed_bytes):
            warn(ReaderWarning("an unmatched end tag at the end of the file is ignored", where=f"{file}:{line}"))
            return root
        if error.code == _INVALID_TOKEN:
            data, repairs = repair_xml(b"".join(source()))
            for repair, first_line in repairs.items():
                warn(ReaderWarning(repair, where=f"{file}:{first_line}"))
            if repairs:
                return _parse(lambda: iter([data]), file, encoding)
        message = f"not XML: {problem} at column {error.offset + 1}"
        raise DescriptionError(message, where=f"{file}:{line}", line=line, column=error.offset + 1) from None
    except (LookupError, ValueError, TypeError) as error:  # an encoding that does not exist, or is of several bytes
        if isinstance(error, DescriptionError):
            raise
        raise DescriptionError(f"cannot be decoded ({error}); save it as UTF-8", where=f"{file}:1") from None
    assert builder.root is not None  # expat has complained of a document without an element
    return builder.root


def _check_start(chunk: bytes, file: str) -> None:
    if not chunk.strip():
        raise DescriptionError("is empty; an XML element is needed", where=f"{file}:1")
    if chunk[:2] in (b"\xff\xfe", b"\xfe\xff") or chunk[:4] in (b"<\0?\0", b"\0<\0?"):
        raise DescriptionError("is UTF-16 text; save it as UTF-8", where=f"{file}:1")
    if b"\0" in chunk[:4096]:
        raise DescriptionError("is a binary file; an XML text is needed", where=f"{file}:1")


def _declaration_start(chunk: bytes) -> int:
    """Where the XML declaration begins behind white space, comments or byte-order marks, which XML forbids there; else 0."""
    start = _skip_blanks(chunk, 0)
    while chunk.startswith(b"<!--", start):
        end = chunk.find(b"-->", start + 4)
        if end < 0:
            return 0
        start = _skip_blanks(chunk, end + 3)
    return start if start and chunk.startswith(b"<?xml", start) and chunk[:start] != _BYTE_ORDER_MARK else 0


def _skip_blanks(data: bytes, position: int) -> int:
    match = _BLANKS.match(data, position)
    return match.end() if match else position


# -- attributes --------------------------------------------------------------------------------------------------------


def text_attribute(element: Element, attribute: str, default: Any = _REQUIRED) -> str:
    """An attribute that must be there, and not be empty, unless a default is given."""
    value = element.attributes.get(attribute)
    if value is None and default is not _REQUIRED:
        return default
    if value is None:
        raise element.error(f"needs the attribute {attribute!r}")
    if not value.strip() and default is _REQUIRED:
        raise element.error(f"{attribute} is empty")
    return value


def number_attributes(
    element: Element,
    attribute: str,
    count: int,
    default: Any = _REQUIRED,
    *,
    min_count: int | None = None,
    infinite: bool = False,
) -> tuple[float, ...]:
    """`count` numbers, or at least `min_count` of them, separated by white space."""
    value = text_attribute(element, attribute, None if default is not _REQUIRED else _REQUIRED)
    return default if value is None else parse_numbers(element, attribute, value, count, min_count=min_count, infinite=infinite)


def parse_numbers(
    element: Element, attribute: str, value: str, count: int, *, min_count: int | None = None, infinite: bool = False
) -> tuple[float, ...]:
    """The numbers in a text; errors name the attribute, or the child element, that has the text."""
    tokens = value.split()
    lower_count = count if min_count is None else min_count
    if not lower_count <= len(tokens) <= count:
        count_text = f"{count} number{'s' * (count > 1)}" if lower_count == count else f"{lower_count} to {count} numbers"
        raise element.error(f"{attribute} needs {count_text}, got {_quote(value)}")
    return tuple(_parse_number(element, attribute, word, infinite) for word in tokens)


def number_attribute(element: Element, attribute: str, default: Any = _REQUIRED, *, infinite: bool = False) -> float:
    """One number; `infinite` allows infinity, which a limit may have."""
    value = number_attributes(element, attribute, 1, None if default is not _REQUIRED else _REQUIRED, infinite=infinite)
    return default if value is None else value[0]


def choice_attribute(element: Element, attribute: str, choices: Sequence[str], default: Any = _REQUIRED) -> str:
    """One of `choices`."""
    value = text_attribute(element, attribute, default)
    if value not in choices and value is not default:
        raise element.error(f"{attribute}: {unknown_name_message('choice', value, choices)}")
    return value


def _parse_number(element: Element, attribute: str, token: str, infinite: bool) -> float:
    try:
        value = float(token if token.isascii() and "_" not in token else "")  # Python reads 1_000 and other scripts' digits too
    except ValueError:
        raise element.error(
            f"{attribute} has {_quote(token)}, which is not a number; write a number such as 0.5 or -1e-3"
        ) from None
    if math.isnan(value) or (math.isinf(value) and not infinite):
        raise element.error(f"{attribute} is {_quote(token)}; a finite number is needed")
    return value


def _quote(value: str) -> str:
    return repr(value if len(value) <= 60 else value[:57] + "...")


# -- faults that are repaired ------------------------------------------------------------------------------------------


def repair_xml(data: bytes) -> tuple[bytes, dict[str, int]]:
    """The text with `--` in comments and missing spaces repaired, and the first line of each repair; no line moves."""
    parts: list[bytes] = []
    first_lines: dict[str, int] = {}
    copied_to = position = 0
    while (opening := _OPENING.search(data, position)) is not None:
        content_start = opening.end()
        if (closing := _CLOSING.get(opening[0])) is None:
            position, missing_spaces = _scan_tag(data, content_start)
            for index in missing_spaces:
                _record_first_line(first_lines, MISSING_SPACE, data, index)
                parts += [data[copied_to:index], b" "]
                copied_to = index
            continue
        end = data.find(closing, content_start)
        if end < 0:
            break
        content = data[content_start:end]
        if opening[0] == b"<!--" and (b"--" in content or content.endswith(b"-")):
            _record_first_line(first_lines, DOUBLE_DASH, data, content_start)
            parts += [data[copied_to:content_start], content.replace(b"-", b" ")]
            copied_to = end
        position = end + 2
    return b"".join([*parts, data[copied_to:]]), first_lines


def _record_first_line(first_lines: dict[str, int], repair: str, data: bytes, position: int) -> None:
    """Record the line of a repair the first time; counting lines every time would be slow in a long file."""
    if repair not in first_lines:
        first_lines[repair] = data.count(b"\n", 0, position) + 1


def _scan_tag(data: bytes, position: int) -> tuple[int, list[int]]:
    """Return where a tag ends, and the places in it where an attribute begins without a space behind the one before."""
    missing_spaces: list[int] = []
    while (mark := _QUOTE_OR_BRACKET.search(data, position)) is not None and mark[0] in b"\"'":
        end = data.find(mark[0], mark.end())
        if end < 0:
            return len(data), missing_spaces
        position = end + 1
        if _NAME.match(data, position):
            missing_spaces.append(position)
    return (mark.start() if mark else len(data)), missing_spaces


# -- writing -----------------------------------------------------------------------------------------------------------


class Tag:
    """An element that will be written. Attributes that are None are left out."""

    __slots__ = ("attributes", "children", "name", "text")

    def __init__(self, tag: str, children: Iterable[Tag] = (), text: str = "", /, **attributes: Any) -> None:
        self.name, self.text = tag, text
        self.children = list(children)
        self.attributes = {key.rstrip("_"): _format_value(x) for key, x in attributes.items() if x is not None}

    def add(self, *children: Tag) -> Tag:
        """This element, with more children."""
        self.children += children
        return self

    @property
    def empty(self) -> bool:
        return not (self.children or self.text or self.attributes)


def format_number(x: Any) -> str:
    """A number as text, exact to the last bit."""
    digits = repr(float(x) + 0.0)  # no negative zero
    return digits.removesuffix(".0")


def format_numbers(xs: Iterable[Any]) -> str:
    return " ".join(map(format_number, xs))


def escape(text: str) -> str:
    """A text with XML's special characters escaped; characters that XML cannot hold become spaces."""
    return "".join(_ESCAPED.get(c, c) for c in _NO_XML.sub(" ", text))


def to_xml(root: Tag, comments: Iterable[str] = ()) -> str:
    """The text of an XML file."""
    lines = ['<?xml version="1.0" encoding="utf-8"?>']
    for comment in comments:  # in which XML allows no --
        lines.append(f"<!-- {_NO_XML.sub(' ', comment).replace('--', '- -').rstrip('-')} -->")
    stack: list[tuple[Tag, int, bool]] = [(root, 0, False)]
    while stack:
        tag, depth, closing = stack.pop()
        indentation = "  " * min(depth, _MAX_INDENTATION)
        if closing:
            lines.append(f"{indentation}</{tag.name}>")
            continue
        head = tag.name + "".join(f' {key}="{escape(x)}"' for key, x in tag.attributes.items())
        if tag.children:
            lines.append(f"{indentation}<{head}>")
            stack.append((tag, depth, True))
            stack.extend((child, depth + 1, False) for child in reversed(tag.children))
        elif tag.text:
            lines.append(f"{indentation}<{head}>{escape(tag.text)}</{tag.name}>")
        else:
            lines.append(f"{indentation}<{head}/>")
    return "\n".join(lines) + "\n"


def _format_value(x: Any) -> str:
    if isinstance(x, str):
        return x
    return format_numbers(x) if isinstance(x, (tuple, list)) else format_number(x)
