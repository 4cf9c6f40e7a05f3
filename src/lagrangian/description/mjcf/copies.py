"""Copies of elements for <replicate> and <attach>, under the names that MuJoCo gives them.

Tendons, equalities and actuators that refer to a copied element are copied with it.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from lagrangian.description.mjcf.compiler import quaternion_wxyz
from lagrangian.description.mjcf.document import MAIN_CLASS, MjcfModel
from lagrangian.description.schema import check_mjcf_attributes
from lagrangian.description.xml import Element, number_attribute, number_attributes, text_attribute
from lagrangian.errors import unknown_name_message
from lagrangian.model import vector as v

# the kind of element that an attribute of a tendon, an equality or an actuator names
_REFERENCE_KINDS = {
    **dict.fromkeys(("body", "body1", "body2"), "body"),
    **dict.fromkeys(("joint", "joint1", "joint2", "jointinparent"), "joint"),
    **dict.fromkeys(("site", "site1", "site2", "refsite", "cranksite", "slidersite", "sidesite"), "site"),
    **dict.fromkeys(("tendon", "tendon1", "tendon2"), "tendon"),
    "geom": "geom",
}
_KIND_BY_TAG = {"freejoint": "joint"}
REFERENCE_SECTIONS = ("tendon", "equality", "actuator")  # each section comes after those that it refers to
# attributes that name classes and assets of the model
_MODEL_ATTRIBUTES = ("class", "childclass", "mesh", "material", "hfield", "texture")
MAX_ELEMENTS = 500_000
ATTACHED = "#attached"  # the tag of an element around attached ones; no file can have it
_DANGLING_NOTE = "dropped, as in MuJoCo: it also refers to elements that are not copied"
NamesByKind = dict[str, set[str]]


def expand_copies(model: MjcfModel, read_model: Callable[[Element], MjcfModel]) -> None:
    """Replace each <replicate> and <attach> of a model, inner ones first; `read_model` reads a <model>."""
    files = {
        text_attribute(e, "name", ""): e for section in model.root.find_all("asset") for e in section.children if e.tag == "model"
    }
    models: dict[str, MjcfModel] = {}
    if "" in files:  # a <model> without a name has the name in its own file
        unnamed_model = read_model(files[""])
        models[text_attribute(unnamed_model.root, "model", "MuJoCo Model")] = unnamed_model
    size = sum(1 for _ in model.root.walk())
    for parent, element in list(_copying_elements(model.worldbodies())):
        position = next(k for k, child in enumerate(parent.children) if child is element)
        check_mjcf_attributes(element)
        if element.tag == "replicate":
            replacement, size = _expand_replicate(model, element, size)
        else:
            name = text_attribute(element, "model", "")
            if name and name not in models:
                if name not in files:
                    raise element.error(f"model: {unknown_name_message('model in <asset>', name, files)}")
                models[name] = read_model(files[name])
            replacement, size = _expand_attach(model, element, models.get(name), size)
        parent.children[position : position + 1] = replacement


def _copying_elements(worlds: list[Element]) -> Iterator[tuple[Element, Element]]:
    """Each <replicate> and <attach> with its parent; inner ones come before those around them."""
    stack: list[tuple[Element, Element | None, bool]] = [(world, None, False) for world in reversed(worlds)]
    while stack:
        element, parent, children_done = stack.pop()
        if children_done:
            assert parent is not None
            yield parent, element
            continue
        if element.tag in ("replicate", "attach") and parent is not None:
            stack.append((element, parent, True))
        stack.extend((child, element, False) for child in reversed(element.children))


# -- replicate ---------------------------------------------------------------------------------------------------------


def _expand_replicate(model: MjcfModel, element: Element, size: int) -> tuple[list[Element], int]:
    """A frame for each copy, rotated and shifted from the one before; and the new number of elements."""
    count = number_attribute(element, "count")
    if count != int(count) or count < 1:
        raise element.error(f"count is {count:g}; the number of copies must be at least 1")
    if "prefix" in element.attributes:
        model.notes.add("prefix of <replicate>", "ignored, as in MuJoCo")
    for child in element.children:
        if child.tag in ("joint", "freejoint", "inertial"):
            raise child.error(f"<{child.tag}> is directly inside <replicate>; put it into a body")
    references = References(model.root, names_by_kind(element.children))
    copy_size = _count_elements(element.children) + _count_elements([e for _, e in references.complete])
    size += int(count) * copy_size
    _check_size(element, size)
    for _, reference in references.dangling:
        model.notes.add(
            f"<{reference.tag}> that refers into <replicate>", _DANGLING_NOTE, reference.attributes.get("name", ""), warn=True
        )
    offset, angles = number_attributes(element, "offset", 3, v.ZERO), number_attributes(element, "euler", 3, v.ZERO)
    separator, digits = text_attribute(element, "sep", ""), len(str(int(count)))
    position, frames = v.ZERO, []
    for k in range(int(count)):
        rename = RenameRule(suffix=f"{separator}{k:0{digits}}")
        rotation = model.compiler.euler(tuple(k * x for x in angles))
        pose = {"pos": _format_numbers(position), "quat": _format_numbers(quaternion_wxyz(rotation))}
        frame = _make_element("frame", element, {**pose, **_present_attributes(element, "childclass")})
        frame.children = [rename.copy(child) for child in element.children]
        frames.append(frame)
        model.root.children += references.copies(rename)
        position = v.add(position, v.mat_vec(rotation, offset))  # type: ignore[arg-type]
    references.remove_originals(model.root)
    return frames, size


# -- attach ------------------------------------------------------------------------------------------------------------


def _expand_attach(model: MjcfModel, element: Element, other: MjcfModel | None, size: int) -> tuple[list[Element], int]:
    """Copies of a body, a frame or the world of another model, or of a body or frame of this one; and the number of elements."""
    prefix = element.attributes.get("prefix")
    if prefix is None:
        raise element.error("needs the attribute 'prefix' for the names of the attached elements")
    source = other or model
    sources = _find_sources(element, source)
    rename = RenameRule(prefix, other_model=other is not None)
    references = References(source.root, names_by_kind(sources))
    size += _count_elements(sources) + _count_elements([e for _, e in references.complete])
    _check_size(element, size)
    for _, reference in references.dangling:
        model.notes.add(
            f"<{reference.tag}> that refers into <attach>", _DANGLING_NOTE, reference.attributes.get("name", ""), warn=True
        )
    copies = [rename.copy(x) for x in sources]
    model.root.children += references.copies(rename)
    if other is None:
        return copies, size
    _adopt_assets(model, other, rename)
    wrapper = _make_element(ATTACHED, element, {"childclass": rename.apply(MAIN_CLASS)})
    wrapper.children = copies
    # settings of models that are attached to the other one are added behind those of this model
    first = len(model.compilers)
    for part in wrapper.walk():
        if part.tag == ATTACHED:
            part.attributes["compiler"] = str(first + int(part.attributes.get("compiler", "0")))
    model.compilers += other.compilers
    return [wrapper], size


def _find_sources(element: Element, source: MjcfModel) -> list[Element]:
    body, frame = element.attributes.get("body"), element.attributes.get("frame")
    if body and frame:
        raise element.error("has body and frame; give one of them")
    if not body and not frame:
        if "model" not in element.attributes:
            raise element.error("names neither a model nor a body or frame of this model")
        return [child for world in source.worldbodies() for child in world.children]
    tag, name = ("body", body) if body else ("frame", frame)
    elements_by_name = {
        e.attributes["name"]: e for w in source.worldbodies() for e in w.walk() if e.tag == tag and e.attributes.get("name")
    }
    if name not in elements_by_name:
        raise element.error(unknown_name_message(tag, str(name), elements_by_name))
    if any(part is element for part in elements_by_name[name].walk()):
        raise element.error(f"is inside the {tag} {name!r} that it attaches")
    return [elements_by_name[name]]


def _adopt_assets(model: MjcfModel, other: MjcfModel, rename: RenameRule) -> None:
    """Add the default classes and assets of the other model under their new names."""
    model.defaults.adopt(other.defaults, rename.apply)
    for asset, compiler, folder in other.assets:
        copy = rename.copy(asset)
        if asset.tag == "mesh" and "name" not in asset.attributes:
            copy.attributes["name"] = rename.apply(os.path.splitext(os.path.basename(asset.attributes.get("file", "")))[0])
        model.assets.append((copy, compiler, folder))
    if model.compiler.merges:
        model.root.children[:0] = other.root.find_all("option")  # the model's own come later and override them
    elif other.root.find_all("option"):
        model.notes.add("<option> of an attached model", "ignored: the options of the main model apply")
    if other.root.find_all("keyframe"):
        model.notes.add("<keyframe> of an attached model", "ignored")


# -- elements ------------------------------------------------------------------------------------------------------------


def _check_size(element: Element, size: int) -> None:
    """Refuse copies with which the model has too many elements."""
    if size > MAX_ELEMENTS:
        raise element.error(f"the model would have {size} elements with these copies; at most {MAX_ELEMENTS} are allowed")


def _count_elements(elements: list[Element]) -> int:
    return sum(1 for e in elements for _ in e.walk())


def _format_numbers(numbers: tuple[float, ...]) -> str:
    return " ".join(repr(float(x)) for x in numbers)


def _make_element(tag: str, element: Element, attributes: dict[str, str]) -> Element:
    return Element(tag, attributes, element.file, element.line, element.owner)


def _present_attributes(element: Element, *keys: str) -> dict[str, str]:
    return {key: element.attributes[key] for key in keys if key in element.attributes}


# -- names and references of copies --------------------------------------------------------------------------------------


@dataclass(frozen=True)
class RenameRule:
    """Names of copies: a prefix and a suffix. If the copies are from another model, its classes and assets are renamed too."""

    prefix: str = ""
    suffix: str = ""
    other_model: bool = False

    def apply(self, name: str) -> str:
        """The name of the copy."""
        return self.prefix + name + self.suffix

    def copy(self, element: Element) -> Element:
        """A copy of an element and all below it."""
        copy = self._copy_one(element)
        stack = [(element, copy)]
        while stack:
            source, target = stack.pop()
            for child in source.children:
                child_copy = self._copy_one(child)
                target.children.append(child_copy)
                stack.append((child, child_copy))
        return copy

    def _copy_one(self, element: Element) -> Element:
        attributes = dict(element.attributes)
        for key in ("name", *(_MODEL_ATTRIBUTES if self.other_model else ())):
            if attributes.get(key):
                attributes[key] = self.apply(attributes[key])
        copy = Element(element.tag, attributes, element.file, element.line, element.owner)
        copy.text = element.text
        return copy


def names_by_kind(elements: Iterable[Element]) -> NamesByKind:
    """The names of elements and all their descendants, by kind."""
    names: NamesByKind = {}
    for top in elements:
        for element in top.walk():
            if element.attributes.get("name"):
                names.setdefault(_KIND_BY_TAG.get(element.tag, element.tag), set()).add(element.attributes["name"])
    return names


class References:
    """The tendons, equalities and actuators of a model that refer to copied elements."""

    def __init__(self, root: Element, names: NamesByKind) -> None:
        self._names = {kind: set(kind_names) for kind, kind_names in names.items()}
        self.complete: list[tuple[str, Element]] = []  # those that can be copied, each with its section
        self.dangling: list[tuple[str, Element]] = []  # those that also refer to elements without a copy
        for tag in REFERENCE_SECTIONS:
            for section in root.find_all(tag):
                for element in section.children:
                    self._classify(tag, element)

    def _classify(self, tag: str, element: Element) -> None:
        is_copied = [
            self._refers_to_copy(key, value)
            for e in element.walk()
            for key, value in e.attributes.items()
            if key in _REFERENCE_KINDS
        ]
        if not any(is_copied):
            return
        if all(is_copied) or tag == "tendon":  # a tendon may begin on a copied element and end elsewhere
            self.complete.append((tag, element))
            if element.attributes.get("name"):
                self._names.setdefault(tag, set()).add(element.attributes["name"])
        else:
            self.dangling.append((tag, element))

    def _refers_to_copy(self, attribute: str, value: str) -> bool:
        return value in self._names.get(_REFERENCE_KINDS[attribute], ())

    def copies(self, rename: RenameRule) -> list[Element]:
        """Sections with a copy of each complete reference."""
        sections: dict[str, Element] = {}
        for tag, element in self.complete:
            copy = rename.copy(element)
            if rename.other_model:
                copy.attributes.setdefault("class", rename.apply(MAIN_CLASS))
            for descendant in copy.walk():
                for key, value in descendant.attributes.items():
                    if key in _REFERENCE_KINDS and self._refers_to_copy(key, value):
                        descendant.attributes[key] = rename.apply(value)
            sections.setdefault(tag, Element(tag, {}, element.file, element.line)).children.append(copy)
        return list(sections.values())

    def remove_originals(self, root: Element) -> None:
        """Remove the originals from a model: the elements that they refer to are replaced by copies."""
        removed_ids = {id(element) for _, element in (*self.complete, *self.dangling)}
        for section in root.children:
            if section.tag in REFERENCE_SECTIONS:
                section.children = [x for x in section.children if id(x) not in removed_ids]
