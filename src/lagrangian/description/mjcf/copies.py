"""<replicate> and <attach> put in place: the copies that they stand for, under the names that MuJoCo gives them."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from lagrangian.description.folder import Folder
from lagrangian.description.mjcf.compiler import Compiler, as_quaternion
from lagrangian.description.mjcf.document import MAIN, Defaults
from lagrangian.description.mjcf.names import MAX_ELEMENTS, Naming, Referring, names_in
from lagrangian.description.mjcf.schema import check_attributes
from lagrangian.description.notes import Notes
from lagrangian.description.xml import Element, number, numbers, text
from lagrangian.errors import one_of
from lagrangian.model import vector as v

ATTACHED = "#attached"  # of an element that holds what was attached: no file can have this tag
_TORN = "dropped, as in MuJoCo: it also refers to elements that are not copied"


@dataclass
class Model:
    """A model as it is read: one document, and what belongs to it."""

    root: Element
    folder: Folder | None
    defaults: Defaults
    notes: Notes
    compilers: list[Compiler]  # its own, then those of the models attached to it
    assets: list[tuple[Element, Compiler, Folder | None]] = field(default_factory=list)

    @property
    def compiler(self) -> Compiler:
        return self.compilers[0]

    def worlds(self) -> list[Element]:
        return self.root.all("worldbody")


def put_in_place(model: Model, read: Callable[[Element], Model]) -> None:
    """Replace each <replicate> and <attach> of a model, the inner ones first; `read` gives the model of a <model> element."""
    files = {text(e, "name", ""): e for section in model.root.all("asset") for e in section.children if e.tag == "model"}
    known: dict[str, Model] = {}
    if "" in files:  # one without a name here is called what it calls itself
        nameless = read(files[""])
        known[text(nameless.root, "model", "MuJoCo Model")] = nameless
    size = sum(1 for _ in model.root.walk())
    for parent, element in list(_places(model.worlds())):
        at = next(k for k, child in enumerate(parent.children) if child is element)
        check_attributes(element)
        if element.tag == "replicate":
            made, size = _replicated(model, element, size)
        else:
            name = text(element, "model", "")
            if name and name not in known:
                if name not in files:
                    raise element.error(f"model: {one_of('model in <asset>', name, files)}")
                known[name] = read(files[name])
            made, size = _attached(model, element, known.get(name), size)
        parent.children[at : at + 1] = made


def _places(worlds: list[Element]) -> Iterator[tuple[Element, Element]]:
    """Each element that is to be replaced, with the one around it; what is inside comes before what is around it."""
    stack: list[tuple[Element, Element | None, bool]] = [(world, None, False) for world in reversed(worlds)]
    while stack:
        element, parent, left = stack.pop()
        if left:
            assert parent is not None
            yield parent, element
            continue
        if element.tag in ("replicate", "attach") and parent is not None:
            stack.append((element, parent, True))
        stack.extend((child, element, False) for child in reversed(element.children))


def _counted(element: Element, size: int, more: int) -> int:
    if size + more > MAX_ELEMENTS:
        raise element.error(f"the model would have {size + more} elements with these copies; at most {MAX_ELEMENTS} are allowed")
    return size + more


def _size(elements: list[Element]) -> int:
    return sum(1 for e in elements for _ in e.walk())


# -- replicate ---------------------------------------------------------------------------------------------------------


def _replicated(model: Model, element: Element, size: int) -> tuple[list[Element], int]:
    """Frames one after the other, each turned and shifted from the one before."""
    count = number(element, "count")
    if count != int(count) or count < 1:
        raise element.error(f"count is {count:g}; the number of copies must be at least 1")
    if "prefix" in element.attributes:
        model.notes.add("prefix of <replicate>", "ignored, as in MuJoCo")
    for child in element.children:
        if child.tag in ("joint", "freejoint", "inertial"):
            raise child.error(f"<{child.tag}> is directly inside <replicate>; put it into a body")
    referring = Referring(model.root, names_in(element.children))
    one = _size(element.children) + _size([e for _, e in referring.whole])
    size = _counted(element, size, int(count) * one)
    for _, torn in referring.torn:
        model.notes.add(f"<{torn.tag}> that refers into <replicate>", _TORN, torn.attributes.get("name", ""), warn=True)
    offset, angles = numbers(element, "offset", 3, v.ZERO), numbers(element, "euler", 3, v.ZERO)
    separator, digits = text(element, "sep", ""), len(str(int(count)))
    position, made = v.ZERO, []
    for k in range(int(count)):
        naming = Naming(suffix=f"{separator}{k:0{digits}}")
        turn = model.compiler.euler(tuple(k * x for x in angles))
        pose = {"pos": _written(position), "quat": _written(as_quaternion(turn))}
        frame = _around("frame", element, {**pose, **_given(element, "childclass")})
        frame.children = [naming.copy(child) for child in element.children]
        made.append(frame)
        model.root.children += referring.copies(naming)
        position = v.add(position, v.mat_vec(turn, offset))  # type: ignore[arg-type]
    referring.remove(model.root)
    return made, size


def _around(tag: str, element: Element, attributes: dict[str, str]) -> Element:
    return Element(tag, attributes, element.file, element.line, element.owner)


def _given(element: Element, *keys: str) -> dict[str, str]:
    return {key: element.attributes[key] for key in keys if key in element.attributes}


def _written(numbers: tuple[float, ...]) -> str:
    return " ".join(repr(float(x)) for x in numbers)


# -- attach ------------------------------------------------------------------------------------------------------------


def _attached(model: Model, element: Element, other: Model | None, size: int) -> tuple[list[Element], int]:
    """A body, a frame or the whole world of another model, or a body or frame of this one once more."""
    prefix = element.attributes.get("prefix")
    if prefix is None:
        raise element.error("needs the attribute 'prefix' for the names of the attached elements")
    source = other or model
    found = _source(element, source)
    naming = Naming(prefix, other_model=other is not None)
    referring = Referring(source.root, names_in(found))
    size = _counted(element, size, _size(found) + _size([e for _, e in referring.whole]))
    for _, torn in referring.torn:
        model.notes.add(f"<{torn.tag}> that refers into <attach>", _TORN, torn.attributes.get("name", ""), warn=True)
    inside = [naming.copy(x) for x in found]
    model.root.children += referring.copies(naming)
    if other is None:
        return inside, size
    _adopt(model, other, naming)
    wrapper = _around(ATTACHED, element, {"childclass": naming(MAIN)})
    wrapper.children = inside
    # settings of what was in turn attached to the other model are added behind those that are here
    first = len(model.compilers)
    for part in wrapper.walk():
        if part.tag == ATTACHED:
            part.attributes["compiler"] = str(first + int(part.attributes.get("compiler", "0")))
    model.compilers += other.compilers
    return [wrapper], size


def _source(element: Element, source: Model) -> list[Element]:
    body, frame = element.attributes.get("body"), element.attributes.get("frame")
    if body and frame:
        raise element.error("has body and frame; give one of them")
    if not body and not frame:
        if "model" not in element.attributes:
            raise element.error("names neither a model nor a body or frame of this model")
        return [child for world in source.worlds() for child in world.children]
    tag, name = ("body", body) if body else ("frame", frame)
    there = {e.attributes["name"]: e for w in source.worlds() for e in w.walk() if e.tag == tag and e.attributes.get("name")}
    if name not in there:
        raise element.error(one_of(tag, str(name), there))
    if any(part is element for part in there[name].walk()):
        raise element.error(f"is inside the {tag} {name!r} that it attaches")
    return [there[name]]


def _adopt(model: Model, other: Model, naming: Naming) -> None:
    """Classes and assets of the other model, which one model brings only once under one name."""
    model.defaults.adopt(other.defaults, naming)
    for asset, compiler, folder in other.assets:
        copy = naming.copy(asset)
        if asset.tag == "mesh" and "name" not in asset.attributes:
            copy.attributes["name"] = naming(os.path.splitext(os.path.basename(asset.attributes.get("file", "")))[0])
        model.assets.append((copy, compiler, folder))
    if model.compiler.merges:
        model.root.children[:0] = other.root.all("option")  # the model's own come later, and hold
    elif other.root.all("option"):
        model.notes.add("<option> of an attached model", "ignored: the options of the main model apply")
    if other.root.all("keyframe"):
        model.notes.add("<keyframe> of an attached model", "ignored")
