"""Copies of elements under other names, for <replicate> and <attach>: what refers to a copied thing is copied with it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from lagrangian.description.mjcf.document import MAIN
from lagrangian.description.xml import Element

# which kind of thing an attribute of a tendon, an equality or an actuator names
_REFERS = {
    **dict.fromkeys(("body", "body1", "body2"), "body"),
    **dict.fromkeys(("joint", "joint1", "joint2", "jointinparent"), "joint"),
    **dict.fromkeys(("site", "site1", "site2", "refsite", "cranksite", "slidersite", "sidesite"), "site"),
    **dict.fromkeys(("tendon", "tendon1", "tendon2"), "tendon"),
    "geom": "geom",
}
_KIND = {"freejoint": "joint"}
REFERRING = ("tendon", "equality", "actuator")  # the sections that are copied, each after those that it refers to
_OF_MODEL = ("class", "childclass", "mesh", "material", "hfield", "texture")  # what a model's own elements name
MAX_ELEMENTS = 500_000

Names = dict[str, set[str]]


@dataclass(frozen=True)
class Naming:
    """How copies are called. The classes and assets of another model are renamed with its bodies."""

    prefix: str = ""
    suffix: str = ""
    other_model: bool = False

    def __call__(self, name: str) -> str:
        return self.prefix + name + self.suffix

    def copy(self, element: Element) -> Element:
        """A copy of an element and all below it."""
        made = self._one(element)
        stack = [(element, made)]
        while stack:
            source, target = stack.pop()
            for child in source.children:
                other = self._one(child)
                target.children.append(other)
                stack.append((child, other))
        return made

    def _one(self, element: Element) -> Element:
        attributes = dict(element.attributes)
        for key in ("name", *(_OF_MODEL if self.other_model else ())):
            if attributes.get(key):
                attributes[key] = self(attributes[key])
        made = Element(element.tag, attributes, element.file, element.line, element.owner)
        made.text = element.text
        return made


def names_in(elements: Iterable[Element]) -> Names:
    """The names of what is in a tree, by kind."""
    found: Names = {}
    for top in elements:
        for element in top.walk():
            if element.attributes.get("name"):
                found.setdefault(_KIND.get(element.tag, element.tag), set()).add(element.attributes["name"])
    return found


class Referring:
    """The tendons, equalities and actuators of a model that refer to things of which copies are made."""

    def __init__(self, root: Element, names: Names) -> None:
        self._names = {kind: set(found) for kind, found in names.items()}
        self.whole: list[tuple[str, Element]] = []  # these can be copied, each with its section
        self.torn: list[tuple[str, Element]] = []  # these refer to things of which there is no copy, too
        for tag in REFERRING:
            for section in root.all(tag):
                for element in section.children:
                    self._sort(tag, element)

    def _sort(self, tag: str, element: Element) -> None:
        refers = [self._copied(key, value) for e in element.walk() for key, value in e.attributes.items() if key in _REFERS]
        if not any(refers):
            return
        if all(refers) or tag == "tendon":  # a tendon may begin on what is copied, and end elsewhere
            self.whole.append((tag, element))
            if element.attributes.get("name"):
                self._names.setdefault(tag, set()).add(element.attributes["name"])
        else:
            self.torn.append((tag, element))

    def _copied(self, attribute: str, value: str) -> bool:
        return value in self._names.get(_REFERS[attribute], ())

    def copies(self, naming: Naming) -> list[Element]:
        """Sections with a copy of each."""
        made: dict[str, Element] = {}
        for tag, element in self.whole:
            copy = naming.copy(element)
            if naming.other_model:
                copy.attributes.setdefault("class", naming(MAIN))
            for part in copy.walk():
                for key, value in part.attributes.items():
                    if key in _REFERS and self._copied(key, value):
                        part.attributes[key] = naming(value)
            made.setdefault(tag, Element(tag, {}, element.file, element.line)).children.append(copy)
        return list(made.values())

    def remove(self, root: Element) -> None:
        """Take the originals out of a model, of which the things they refer to are gone."""
        gone = {id(element) for _, element in (*self.whole, *self.torn)}
        for section in root.children:
            if section.tag in REFERRING:
                section.children = [x for x in section.children if id(x) not in gone]
