"""An MJCF file as one document: included files put in place, default classes resolved."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass

from lagrangian.description import xml
from lagrangian.description.files import DescriptionFolder
from lagrangian.description.notes import ReaderNotes
from lagrangian.description.schema import check_mjcf_attributes, check_mjcf_children, check_mjcf_default
from lagrangian.description.xml import Element, choice_attribute, number_attribute, number_attributes, text_attribute
from lagrangian.errors import DescriptionError, unknown_name_message
from lagrangian.model import vector as v
from lagrangian.model.placement import Transform, rotation_x, rotation_y, rotation_z

# MERGED lagrangian.description.mjcf.compiler: MuJoCo's compiler settings, and orientations, which are read by them.

ORIENTATIONS = ("quat", "axisangle", "xyaxes", "zaxis", "euler")
POSE = ("pos", *ORIENTATIONS)
_AXIS_ROTATIONS = {"x": rotation_x, "y": rotation_y, "z": rotation_z}
_TRUE_FALSE = ("true", "false")


def boolean(element: Element, attribute: str, default: bool = False) -> bool:
    return choice_attribute(element, attribute, _TRUE_FALSE, "true" if default else "false") == "true"


@dataclass(frozen=True)
class CompilerSettings:
    """The settings of all <compiler> elements of a model."""

    degrees: bool = True
    eulerseq: str = "xyz"
    autolimits: bool = True
    inertiafromgeom: str = "auto"
    groups: tuple[int, int] = (0, 5)
    boundmass: float = 0.0
    boundinertia: float = 0.0
    settotalmass: float = -1.0
    balanceinertia: bool = False
    alignfree: bool = False
    fitaabb: bool = False
    merges: bool = False
    meshdir: str = ""
    strippath: bool = False

    @staticmethod
    def read(root: Element) -> CompilerSettings:
        """One attribute may be set by several elements: the last one holds."""
        elements = root.find_all("compiler")
        for element in elements:
            check_mjcf_attributes(element)
            check_mjcf_children(element, ("lengthrange",))
            for inner in element.children:
                check_mjcf_attributes(inner)
        attributes: dict[str, str] = {}
        for element in elements:
            attributes.update(element.attributes)
        merged_element = (elements[-1] if elements else root).with_attributes(attributes)
        if choice_attribute(merged_element, "coordinate", ("local", "global"), "local") == "global":
            raise merged_element.error('coordinate="global" is no longer part of MJCF; save the model with local coordinates')
        first_group, last_group = number_attributes(merged_element, "inertiagrouprange", 2, (0.0, 5.0))
        return CompilerSettings(
            degrees=choice_attribute(merged_element, "angle", ("degree", "radian"), "degree") == "degree",
            eulerseq=_read_euler_sequence(merged_element),
            autolimits=boolean(merged_element, "autolimits", True),
            inertiafromgeom=choice_attribute(merged_element, "inertiafromgeom", ("true", "false", "auto"), "auto"),
            groups=(int(first_group), int(last_group)),
            boundmass=number_attribute(merged_element, "boundmass", 0.0),
            boundinertia=number_attribute(merged_element, "boundinertia", 0.0),
            settotalmass=number_attribute(merged_element, "settotalmass", -1.0),
            balanceinertia=boolean(merged_element, "balanceinertia"),
            alignfree=boolean(merged_element, "alignfree"),
            fitaabb=boolean(merged_element, "fitaabb"),
            merges=choice_attribute(merged_element, "conflict", ("warning", "merge", "error"), "warning") == "merge",
            meshdir=text_attribute(merged_element, "meshdir", text_attribute(merged_element, "assetdir", "")),
            strippath=boolean(merged_element, "strippath"),
        )

    def to_radians(self, value: float) -> float:
        """An angle of the file, in radians."""
        return math.radians(value) if self.degrees else value

    def pose(self, element: Element) -> Transform:
        """`pos` and whichever orientation an element has."""
        position = number_attributes(element, "pos", 3, v.ZERO)
        return Transform(self._rotation(element), position)  # type: ignore[arg-type]

    def _rotation(self, element: Element) -> v.Matrix:
        attributes = [key for key in ORIENTATIONS if key in element.attributes]
        if not attributes:
            return v.IDENTITY
        if len(attributes) > 1:
            raise element.error(f"has {' and '.join(attributes)}; give the orientation in one way")
        if attributes[0] == "quat":
            return rotation_from_quaternion(element, "quat", number_attributes(element, "quat", 4))
        if attributes[0] == "axisangle":
            *axis, angle = number_attributes(element, "axisangle", 4)
            return rotation_about(_unit_direction(element, "axisangle", tuple(axis)), self.to_radians(angle))
        if attributes[0] == "euler":
            return self.euler(number_attributes(element, "euler", 3))
        if attributes[0] == "zaxis":
            return rotation_from_z(_unit_direction(element, "zaxis", number_attributes(element, "zaxis", 3)))
        return _rotation_from_axes(element)

    def euler(self, angles: tuple[float, ...]) -> v.Matrix:
        """The rotation by three angles of the file."""
        R: v.Matrix = v.IDENTITY
        for letter, angle in zip(self.eulerseq, angles, strict=True):
            turn = _AXIS_ROTATIONS[letter.lower()](self.to_radians(angle))
            # lower case turns about the axes as they have been turned, upper case about the fixed ones
            R = v.mat_mat(R, turn) if letter.islower() else v.mat_mat(turn, R)
        return R


def _read_euler_sequence(element: Element) -> str:
    sequence = text_attribute(element, "eulerseq", "xyz")
    if len(sequence) != 3 or any(letter.lower() not in _AXIS_ROTATIONS for letter in sequence):
        raise element.error(f"eulerseq is {sequence!r}; it needs three letters of x, y, z, X, Y, Z, such as 'xyz'")
    return sequence


def _unit_direction(element: Element, attribute: str, direction: tuple[float, ...]) -> v.Vector:
    length = math.hypot(*direction)
    if not (math.isfinite(length) and length > 1e-14):
        raise element.error(f"{attribute} is {direction}, which has no direction; write three numbers such as 0 0 1")
    return tuple(x / length for x in direction)  # type: ignore[return-value]


def rotation_from_quaternion(element: Element, attribute: str, wxyz: tuple[float, ...]) -> v.Matrix:
    if wxyz == (1, 0, 0, 0):
        return v.IDENTITY
    if not math.hypot(*wxyz) > 1e-14:
        raise element.error(f"{attribute} is a quaternion of length 0; the identity is 1 0 0 0")
    return Transform.from_quaternion(v.ZERO, wxyz).rotation


def rotation_about(axis: v.Vector, angle: float) -> v.Matrix:
    """The turn by an angle about a unit axis (Rodrigues)."""
    c, s = math.cos(angle), math.sin(angle)
    K = v.skew(axis)
    KK = v.mat_mat(K, K)
    return tuple(  # type: ignore[return-value]
        tuple((i == j) + s * K[i][j] + (1 - c) * KK[i][j] for j in range(3)) for i in range(3)
    )


def rotation_from_z(axis: v.Vector) -> v.Matrix:
    """The smallest rotation that takes z to a unit axis; half a turn about x if that is -z."""
    sine = math.hypot(axis[0], axis[1])
    if sine < 1e-14:
        return v.IDENTITY if axis[2] > 0 else ((1, 0, 0), (0, -1, 0), (0, 0, -1))
    return rotation_about((-axis[1] / sine, axis[0] / sine, 0.0), math.atan2(sine, axis[2]))


def _rotation_from_axes(element: Element) -> v.Matrix:
    entries = number_attributes(element, "xyaxes", 6)
    x = _unit_direction(element, "xyaxes", entries[:3])
    y = entries[3:]
    projection = v.dot(x, y)  # type: ignore[arg-type]
    y = _unit_direction(element, "xyaxes", v.sub(y, v.scale(projection, x)))  # type: ignore[arg-type]
    return v.transpose((x, y, v.cross(x, y)))


def quaternion_wxyz(R: v.Matrix) -> tuple[float, float, float, float]:
    """The unit quaternion (w, x, y, z), w not negative, of a rotation."""
    # of the four, the component that is largest is found without loss of digits
    xx, yy, zz = float(R[0][0]), float(R[1][1]), float(R[2][2])
    four = (1 + xx + yy + zz, 1 + xx - yy - zz, 1 - xx + yy - zz, 1 - xx - yy + zz)
    k = max(range(4), key=lambda i: four[i])
    a, b, c = R[2][1] - R[1][2], R[0][2] - R[2][0], R[1][0] - R[0][1]
    d, e, f = R[1][0] + R[0][1], R[0][2] + R[2][0], R[2][1] + R[1][2]
    raw = ((four[0], a, b, c), (a, four[1], d, e), (b, d, four[2], f), (c, e, f, four[3]))[k]
    length = math.hypot(*raw) * (-1 if raw[0] < 0 else 1)
    return tuple(float(x) / length for x in raw)  # type: ignore[return-value]


MAIN_CLASS = "main"


def expand_includes(root: Element, folder: DescriptionFolder | None) -> None:
    """Replace each <include> by what its file holds.

    Files are relative to the main file's directory, or else to that of the file that includes them; `folder` says which may be
    read. As in MuJoCo a file is included once, so there is no cycle.
    """
    included_files: set[str] = {os.path.realpath(root.file)} if folder is not None else set()
    stack = [root]
    while stack:
        element = stack.pop()
        # included children may themselves be includes: they are put in place until none is left
        position = 0
        while position < len(element.children):
            child = element.children[position]
            if child.tag == "include":
                element.children[position : position + 1] = _expand_include(child, folder, included_files)
            else:
                stack.append(child)
                position += 1


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


class DefaultClasses:
    """The attributes that each default class gives to the elements of each kind."""

    def __init__(self, root: Element) -> None:
        self._attributes_by_class: dict[str, dict[str, dict[str, str]]] = {MAIN_CLASS: {}}
        for top in root.find_all("default"):
            # older versions let the outermost class be renamed: it still is the one that everything inherits
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
        """Take over the classes of another model under other names. They are complete, and inherit nothing from those here."""
        for label, attributes_by_tag in other._attributes_by_class.items():
            self._attributes_by_class.setdefault(rename(label), attributes_by_tag)

    def apply_defaults(self, element: Element, inherited_class: str, tag: str = "") -> Element:
        """The element with what its class, or else the class of the body around it, adds to its attributes."""
        label = element.attributes.get("class", inherited_class)
        if label not in self._attributes_by_class:
            raise element.error(f"class: {unknown_name_message('default class', label, self._attributes_by_class)}")
        defaults = self._attributes_by_class[label].get(tag or element.tag)
        return element.with_attributes(merge_attributes(defaults, element.attributes)) if defaults else element

    def attributes_of_kinds(self, element: Element, kinds: Collection[str]) -> list[tuple[str, Mapping[str, str]]]:
        """What the element's class gives to elements of these kinds, each with its kind, in the order of the file."""
        attributes_by_tag = self._attributes_by_class[element.attributes.get("class", MAIN_CLASS)]
        return [(tag, attributes) for tag, attributes in attributes_by_tag.items() if tag in kinds]

    def child_class(self, element: Element, attribute: str, inherited_class: str) -> str:
        """The childclass of a body or frame."""
        label = element.attributes.get(attribute)
        if label is not None and label not in self._attributes_by_class:
            raise element.error(f"{attribute}: {unknown_name_message('default class', label, self._attributes_by_class)}")
        return inherited_class if label is None else label


def merge_attributes(base: Mapping[str, str], override: Mapping[str, str]) -> dict[str, str]:
    """Attributes over those they inherit; an orientation replaces any other kind of orientation."""
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


# MERGED lagrangian.description.mjcf.option: MuJoCo's <option>: gravity, which is carried over, and all the rest, which is
# said.

_FLUID = {"wind": 3, "density": 1, "viscosity": 1}
# flags that leave out forces, or bounds of them
_FORCES = ("equality", "frictionloss", "passive", "spring", "damper", "constraint", "limit", "actuation", "clampctrl")
_SETTING_NOTE = "ignored: a setting of the simulation in MuJoCo"


def read_gravity(root: Element, notes: ReaderNotes) -> v.Vector:
    """Gravity. Of an attribute that several <option> give, the last holds."""
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


def _is_gravity_disabled(flags: dict[str, str], notes: ReaderNotes) -> bool:
    """Whether gravity is; the other flags are noted."""
    for name, value in flags.items():
        if name in _FORCES and value == "disable":
            notes.add("<flag> that disables", "ignored: the feature stays enabled", name, warn=True)
        elif name not in _FORCES and name != "gravity":
            notes.add("<flag>", _SETTING_NOTE, name)
    return flags.get("gravity") == "disable"
