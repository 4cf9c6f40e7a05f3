"""An MJCF file as one document: included files put in place, default classes resolved."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator, Mapping

from lagrangian.description import xml
from lagrangian.description.mjcf.compiler import ORIENTATIONS
from lagrangian.description.mjcf.schema import check_attributes, check_default
from lagrangian.description.xml import Element, text
from lagrangian.errors import DescriptionError, one_of

MAIN = "main"


def expand_includes(root: Element, directory: str | None) -> None:
    """Replace each <include> by what its file holds.

    Files are relative to the main file's directory and must lie in it or below: a model cannot make the reader open others.
    As in MuJoCo a file is included once, so there is no cycle.
    """
    included: set[str] = {os.path.normcase(os.path.abspath(root.file))} if directory is not None else set()
    stack = [root]
    while stack:
        element = stack.pop()
        # included children may themselves be includes: they are put in place until none is left
        at = 0
        while at < len(element.children):
            child = element.children[at]
            if child.tag == "include":
                element.children[at : at + 1] = _included(child, directory, included)
            else:
                stack.append(child)
                at += 1


def _included(element: Element, directory: str | None, included: set[str]) -> list[Element]:
    file = text(element, "file")
    if directory is None:
        raise element.error(f"file {file!r} cannot be included: this model is a text without a directory")
    # a path of the other system's kind is as absolute as one of our own
    if os.path.isabs(file) or file.startswith(("/", "\\", "~")) or file[1:2] == ":" or "://" in file:
        raise element.error(f"file {file!r} is not a relative path; name a file beside this one, such as 'arm.xml'")
    inner = os.path.normpath(file.replace("\\", "/"))
    if inner == os.pardir or inner.startswith(os.pardir + os.sep):
        raise element.error(f"file {file!r} lies outside the model's directory; copy it beside the model")
    path = os.path.join(directory, inner)
    key = os.path.normcase(os.path.abspath(path))
    if key in included:
        raise element.error(f"file {file!r} is included a second time; a file can be included once")
    included.add(key)
    try:
        return xml.read_file(path).children
    except DescriptionError as error:
        raise element.error(f"included here: {error}") from None


class Defaults:
    """The attributes that each default class gives to the elements of each kind."""

    def __init__(self, root: Element) -> None:
        self._classes: dict[str, dict[str, dict[str, str]]] = {MAIN: {}}
        for top in root.all("default"):
            # older versions let the outermost class be renamed: it still is the one that everything inherits
            name = text(top, "class", MAIN)
            self._classes.setdefault(name, self._classes[MAIN])
            self._read(top, name)

    def _read(self, top: Element, name: str) -> None:
        stack = [(top, name)]
        while stack:
            element, name = stack.pop()
            check_attributes(element)
            own = self._classes[name]
            inner = []
            for child in element.children:
                if child.tag == "default":
                    inner.append(child)
                else:
                    check_default(child)
                    own[child.tag] = overlay(own.get(child.tag, {}), child.attributes)
            for child in inner:
                label = text(child, "class")
                if label in self._classes:
                    raise child.error(f"a default class {label!r} is already there; names must differ")
                self._classes[label] = {tag: dict(attributes) for tag, attributes in own.items()}
                stack.append((child, label))

    def applied(self, element: Element, inherited: str, tag: str = "") -> Element:
        """The element with what its class, or else the class of the body around it, adds to its attributes."""
        label = element.attributes.get("class", inherited)
        if label not in self._classes:
            raise element.error(f"class: {one_of('default class', label, self._classes)}")
        defaults = self._classes[label].get(tag or element.tag)
        return element.with_attributes(overlay(defaults, element.attributes)) if defaults else element

    def of_kinds(self, element: Element, kinds: Collection[str]) -> list[tuple[str, Mapping[str, str]]]:
        """What the element's class gives to elements of these kinds, each with its kind, in the order of the file."""
        given = self._classes[element.attributes.get("class", MAIN)]
        return [(tag, attributes) for tag, attributes in given.items() if tag in kinds]

    def known(self, element: Element, attribute: str, inherited: str) -> str:
        """The childclass of a body or frame."""
        label = element.attributes.get(attribute)
        if label is not None and label not in self._classes:
            raise element.error(f"{attribute}: {one_of('default class', label, self._classes)}")
        return inherited if label is None else label


def overlay(below: Mapping[str, str], above: Mapping[str, str]) -> dict[str, str]:
    """Attributes over those they inherit; an orientation replaces any other kind of orientation."""
    merged = dict(below)
    if any(key in above for key in ORIENTATIONS):
        for key in ORIENTATIONS:
            merged.pop(key, None)
    merged.update(above)
    return merged


def sections(root: Element, tag: str) -> Iterator[Element]:
    """The children of all sections of this name, which may come in several pieces."""
    for section in root.all(tag):
        yield from section.children
