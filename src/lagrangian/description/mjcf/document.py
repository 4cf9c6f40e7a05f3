"""An MJCF file as one document: included files, default classes, sections in several pieces, and <option>.

Of <option>, gravity is read; the rest are settings of MuJoCo's simulation, which are noted.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field

from lagrangian.description import xml
from lagrangian.description.files import DescriptionFolder
from lagrangian.description.mjcf.compiler import ORIENTATIONS, CompilerSettings
from lagrangian.description.notes import ReaderNotes
from lagrangian.description.schema import check_mjcf_attributes, check_mjcf_children, check_mjcf_default
from lagrangian.description.xml import Element, choice_attribute, number_attributes, text_attribute
from lagrangian.errors import DescriptionError, unknown_name_message
from lagrangian.model import vector as v

MAIN_CLASS = "main"
_FLUID = {"wind": 3, "density": 1, "viscosity": 1}
# flags that disable forces, or bounds on forces
_FORCE_FLAGS = ("equality", "frictionloss", "passive", "spring", "damper", "constraint", "limit", "actuation", "clampctrl")
_SETTING_NOTE = "ignored: a setting of the simulation in MuJoCo"


def expand_includes(root: Element, folder: DescriptionFolder | None) -> None:
    """Replace each <include> by the content of its file.

    Files are relative to the main file's directory, or else to that of the file that includes them; `folder` says which may be
    read. As in MuJoCo a file is included once, so there is no cycle.
    """
    included_files: set[str] = {os.path.realpath(root.file)} if folder is not None else set()
    stack = [root]
    while stack:
        element = stack.pop()
        # the content of a file may include other files; the loop looks at it again
        position = 0
        while position < len(element.children):
            child = element.children[position]
            if child.tag == "include":
                element.children[position : position + 1] = _expand_include(child, folder, included_files)
            else:
                stack.append(child)
                position += 1


class DefaultClasses:
    """The attributes that each default class gives to the elements of each kind."""

    def __init__(self, root: Element) -> None:
        self._attributes_by_class: dict[str, dict[str, dict[str, str]]] = {MAIN_CLASS: {}}
        for top in root.find_all("default"):
            # in older versions the outermost class may have another name; all elements still inherit it
            name = text_attribute(top, "class", MAIN_CLASS)
            self._attributes_by_class.setdefault(name, self._attributes_by_class[MAIN_CLASS])
            self._read(top, name)

    def _read(self, top: Element, name: str) -> None:
        stack = [(top, name)]
        while stack:
            element, name = stack.pop()
            check_mjcf_attributes(element)
            attributes_by_tag = self._attributes_by_class[name]
            inner_classes = []
            for child in element.children:
                if child.tag == "default":
                    inner_classes.append(child)
                else:
                    check_mjcf_default(child)
                    attributes_by_tag[child.tag] = merge_attributes(attributes_by_tag.get(child.tag, {}), child.attributes)
            for child in inner_classes:
                label = text_attribute(child, "class")
                if label in self._attributes_by_class:
                    raise child.error(f"there are two default classes {label!r}; names must differ")
                self._attributes_by_class[label] = {tag: dict(attributes) for tag, attributes in attributes_by_tag.items()}
                stack.append((child, label))

    def adopt(self, other: DefaultClasses, rename: Callable[[str], str]) -> None:
        """Add the classes of another model under other names. They are complete: they inherit nothing from this model."""
        for label, attributes_by_tag in other._attributes_by_class.items():
            self._attributes_by_class.setdefault(rename(label), attributes_by_tag)

    def apply_defaults(self, element: Element, inherited_class: str, tag: str = "") -> Element:
        """The element with the default attributes of its class, or else of the class of the body around it."""
        label = element.attributes.get("class", inherited_class)
        if label not in self._attributes_by_class:
            raise element.error(f"class: {unknown_name_message('default class', label, self._attributes_by_class)}")
        defaults = self._attributes_by_class[label].get(tag or element.tag)
        return element.with_attributes(merge_attributes(defaults, element.attributes)) if defaults else element

    def attributes_of_kinds(self, element: Element, kinds: Collection[str]) -> list[tuple[str, Mapping[str, str]]]:
        """The default attributes that the element's class has for these kinds of elements, in the order of the file."""
        attributes_by_tag = self._attributes_by_class[element.attributes.get("class", MAIN_CLASS)]
        return [(tag, attributes) for tag, attributes in attributes_by_tag.items() if tag in kinds]

    def child_class(self, element: Element, attribute: str, inherited_class: str) -> str:
        """The class that elements in a body or frame inherit."""
        label = element.attributes.get(attribute)
        if label is not None and label not in self._attributes_by_class:
            raise element.error(f"{attribute}: {unknown_name_message('default class', label, self._attributes_by_class)}")
        return inherited_class if label is None else label


@dataclass
class MjcfModel:
    """A model while it is read: its document, default classes, settings and assets."""

    root: Element
    folder: DescriptionFolder | None
    defaults: DefaultClasses
    notes: ReaderNotes
    compilers: list[CompilerSettings]  # its own, then those of the models attached to it
    assets: list[tuple[Element, CompilerSettings, DescriptionFolder | None]] = field(default_factory=list)

    @property
    def compiler(self) -> CompilerSettings:
        return self.compilers[0]

    def worldbodies(self) -> list[Element]:
        return self.root.find_all("worldbody")


def merge_attributes(base: Mapping[str, str], override: Mapping[str, str]) -> dict[str, str]:
    """Attributes that override inherited ones; an orientation replaces an orientation of any form."""
    attributes = dict(base)
    if any(key in override for key in ORIENTATIONS):
        for key in ORIENTATIONS:
            attributes.pop(key, None)
    attributes.update(override)
    return attributes


def section_children(root: Element, tag: str) -> Iterator[Element]:
    """The children of all sections of this name, which may come in several pieces."""
    for section in root.find_all(tag):
        yield from section.children


def read_gravity(root: Element, notes: ReaderNotes) -> v.Vector:
    """Gravity, with notes on the other options. If several <option> elements set an attribute, the last one counts."""
    gravity: v.Vector = (0, 0, -9.81)
    fluid: dict[str, bool] = {}
    flags: dict[str, str] = {}
    settings: dict[str, None] = {}  # an ordered set
    for option in root.find_all("option"):
        check_mjcf_attributes(option)
        check_mjcf_children(option, ("flag",))
        gravity = number_attributes(option, "gravity", 3, gravity)  # type: ignore[assignment]
        for name in option.attributes:
            if name in _FLUID:
                fluid[name] = any(number_attributes(option, name, _FLUID[name]))
            elif name != "gravity":
                settings[name] = None
        for flag in option.children:
            check_mjcf_attributes(flag)
            flags.update({name: choice_attribute(flag, name, ("enable", "disable")) for name in flag.attributes})
    for name in settings:
        if name == "actuatorgroupdisable":
            notes.add("<option> that disables actuators", "ignored: they stay enabled", name, warn=True)
        else:
            notes.add("<option>", _SETTING_NOTE, name)
    for name in (name for name, is_set in fluid.items() if is_set):
        notes.add("<option> of a fluid", "ignored: there is no fluid", name, warn=True)
    return v.ZERO if _is_gravity_disabled(flags, notes) else gravity


def _expand_include(element: Element, folder: DescriptionFolder | None, included_files: set[str]) -> list[Element]:
    file = text_attribute(element, "file")
    if folder is None:
        raise element.error(f"file {file!r} cannot be included: this model is a string without a folder")
    path = folder.find(element, file, os.path.dirname(os.path.abspath(element.file)))
    key = os.path.realpath(path)
    if key in included_files:
        raise element.error(f"file {file!r} is included twice; a file can be included once")
    included_files.add(key)
    try:
        return xml.read_file(path).children
    except DescriptionError as error:
        raise element.error(f"included here: {error}") from None


def _is_gravity_disabled(flags: dict[str, str], notes: ReaderNotes) -> bool:
    """Whether the flags disable gravity; the other flags are noted."""
    for name, value in flags.items():
        if name in _FORCE_FLAGS and value == "disable":
            notes.add("<flag> that disables", "ignored: the feature stays enabled", name, warn=True)
        elif name not in _FORCE_FLAGS and name != "gravity":
            notes.add("<flag>", _SETTING_NOTE, name)
    return flags.get("gravity") == "disable"
