"""An MJCF file as one document: included files put in place, default classes resolved."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterator, Mapping

from lagrangian.description import xml
from lagrangian.description.folder import Folder
from lagrangian.description.mjcf.compiler import ORIENTATIONS
from lagrangian.description.mjcf.schema import check_attributes, check_default
from lagrangian.description.xml import Element, text
from lagrangian.errors import DescriptionError, one_of

MAIN = "main"


def expand_includes(root: Element, folder: Folder | None) -> None:
    """Replace each <include> by what its file holds.

    Files are relative to the main file's directory, or else to that of the file that includes them; `folder` says which may be
    read. As in MuJoCo a file is included once, so there is no cycle.
    """
    included: set[str] = {os.path.realpath(root.file)} if folder is not None else set()
    stack = [root]
    while stack:
        element = stack.pop()
        # included children may themselves be includes: they are put in place until none is left
        at = 0
        while at < len(element.children):
            child = element.children[at]
            if child.tag == "include":
                element.children[at : at + 1] = _included(child, folder, included)
            else:
                stack.append(child)
                at += 1


def _included(element: Element, folder: Folder | None, included: set[str]) -> list[Element]:
    file = text(element, "file")
    if folder is None:
        raise element.error(f"file {file!r} cannot be included: this model is a string without a folder")
    path = folder.path(element, file, os.path.dirname(os.path.abspath(element.file)))
    key = os.path.realpath(path)
    if key in included:
        raise element.error(f"file {file!r} is included twice; a file can be included once")
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
                    raise child.error(f"there are two default classes {label!r}; names must differ")
                self._classes[label] = {tag: dict(attributes) for tag, attributes in own.items()}
                stack.append((child, label))

    def adopt(self, other: Defaults, called: Callable[[str], str]) -> None:
        """Take over the classes of another model under other names. They are complete, and inherit nothing from those here."""
        for label, own in other._classes.items():
            self._classes.setdefault(called(label), own)

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
