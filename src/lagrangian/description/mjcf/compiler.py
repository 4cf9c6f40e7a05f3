"""MuJoCo's compiler settings, and the orientations of elements, which depend on them."""

from __future__ import annotations

import math
from dataclasses import dataclass

from lagrangian.description.schema import check_mjcf_attributes, check_mjcf_children
from lagrangian.description.xml import Element, choice_attribute, number_attribute, number_attributes, text_attribute
from lagrangian.model import vector as v
from lagrangian.model.placement import Transform, rotation_x, rotation_y, rotation_z

ORIENTATIONS = ("quat", "axisangle", "xyaxes", "zaxis", "euler")
POSE = ("pos", *ORIENTATIONS)
_AXIS_ROTATIONS = {"x": rotation_x, "y": rotation_y, "z": rotation_z}
_TRUE_FALSE = ("true", "false")


def boolean_attribute(element: Element, attribute: str, default: bool = False) -> bool:
    """An attribute that is "true" or "false"."""
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
        """The settings of a model; if several elements set an attribute, the last one counts."""
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
            autolimits=boolean_attribute(merged_element, "autolimits", True),
            inertiafromgeom=choice_attribute(merged_element, "inertiafromgeom", ("true", "false", "auto"), "auto"),
            groups=(int(first_group), int(last_group)),
            boundmass=number_attribute(merged_element, "boundmass", 0.0),
            boundinertia=number_attribute(merged_element, "boundinertia", 0.0),
            settotalmass=number_attribute(merged_element, "settotalmass", -1.0),
            balanceinertia=boolean_attribute(merged_element, "balanceinertia"),
            alignfree=boolean_attribute(merged_element, "alignfree"),
            fitaabb=boolean_attribute(merged_element, "fitaabb"),
            merges=choice_attribute(merged_element, "conflict", ("warning", "merge", "error"), "warning") == "merge",
            meshdir=text_attribute(merged_element, "meshdir", text_attribute(merged_element, "assetdir", "")),
            strippath=boolean_attribute(merged_element, "strippath"),
        )

    def to_radians(self, value: float) -> float:
        """An angle of the file, in radians."""
        return math.radians(value) if self.degrees else value

    def pose(self, element: Element) -> Transform:
        """The pose of an element: its `pos`, and its orientation in any of the five forms."""
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
            rotation = _AXIS_ROTATIONS[letter.lower()](self.to_radians(angle))
            # lower case turns about the moving axes, upper case about the fixed ones
            R = v.mat_mat(R, rotation) if letter.islower() else v.mat_mat(rotation, R)
        return R


def rotation_from_quaternion(element: Element, attribute: str, wxyz: tuple[float, ...]) -> v.Matrix:
    if wxyz == (1, 0, 0, 0):
        return v.IDENTITY
    if not math.hypot(*wxyz) > 1e-14:
        raise element.error(f"{attribute} is a quaternion of length 0; the identity is 1 0 0 0")
    return Transform.from_quaternion(v.ZERO, wxyz).rotation


def rotation_about(axis: v.Vector, angle: float) -> v.Matrix:
    """The rotation by an angle about a unit axis (Rodrigues)."""
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


def quaternion_wxyz(R: v.Matrix) -> tuple[float, float, float, float]:
    """The unit quaternion (w, x, y, z), w not negative, of a rotation."""
    # the largest of the four components is computed without cancellation
    xx, yy, zz = float(R[0][0]), float(R[1][1]), float(R[2][2])
    four = (1 + xx + yy + zz, 1 + xx - yy - zz, 1 - xx + yy - zz, 1 - xx - yy + zz)
    k = max(range(4), key=lambda i: four[i])
    a, b, c = R[2][1] - R[1][2], R[0][2] - R[2][0], R[1][0] - R[0][1]
    d, e, f = R[1][0] + R[0][1], R[0][2] + R[2][0], R[2][1] + R[1][2]
    raw = ((four[0], a, b, c), (a, four[1], d, e), (b, d, four[2], f), (c, e, f, four[3]))[k]
    length = math.hypot(*raw) * (-1 if raw[0] < 0 else 1)
    return tuple(float(x) / length for x in raw)  # type: ignore[return-value]


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


def _rotation_from_axes(element: Element) -> v.Matrix:
    entries = number_attributes(element, "xyaxes", 6)
    x = _unit_direction(element, "xyaxes", entries[:3])
    y = entries[3:]
    projection = v.dot(x, y)  # type: ignore[arg-type]
    y = _unit_direction(element, "xyaxes", v.sub(y, v.scale(projection, x)))  # type: ignore[arg-type]
    return v.transpose((x, y, v.cross(x, y)))
