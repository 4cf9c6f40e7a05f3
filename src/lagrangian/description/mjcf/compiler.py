"""MuJoCo's compiler settings, and orientations, which are read by them."""

from __future__ import annotations

import math
from dataclasses import dataclass

from lagrangian.description.mjcf.schema import check_attributes, check_children
from lagrangian.description.xml import Element, choice, number, numbers, text
from lagrangian.model import vector as v
from lagrangian.model.placement import Placement, about_x, about_y, about_z

ORIENTATIONS = ("quat", "axisangle", "xyaxes", "zaxis", "euler")
POSE = ("pos", *ORIENTATIONS)
_ABOUT = {"x": about_x, "y": about_y, "z": about_z}
_TRUE_FALSE = ("true", "false")


def yes(element: Element, attribute: str, default: bool = False) -> bool:
    return choice(element, attribute, _TRUE_FALSE, "true" if default else "false") == "true"


@dataclass(frozen=True)
class Compiler:
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
    def read(root: Element) -> Compiler:
        """One attribute may be set by several elements: the last one holds."""
        elements = root.all("compiler")
        for element in elements:
            check_attributes(element)
            check_children(element, ("lengthrange",))
            for inner in element.children:
                check_attributes(inner)
        merged: dict[str, str] = {}
        for element in elements:
            merged.update(element.attributes)
        at = (elements[-1] if elements else root).with_attributes(merged)
        if choice(at, "coordinate", ("local", "global"), "local") == "global":
            raise at.error('coordinate="global" is no longer part of MJCF; save the model with local coordinates')
        low, high = numbers(at, "inertiagrouprange", 2, (0.0, 5.0))
        return Compiler(
            degrees=choice(at, "angle", ("degree", "radian"), "degree") == "degree",
            eulerseq=_sequence(at),
            autolimits=yes(at, "autolimits", True),
            inertiafromgeom=choice(at, "inertiafromgeom", ("true", "false", "auto"), "auto"),
            groups=(int(low), int(high)),
            boundmass=number(at, "boundmass", 0.0),
            boundinertia=number(at, "boundinertia", 0.0),
            settotalmass=number(at, "settotalmass", -1.0),
            balanceinertia=yes(at, "balanceinertia"),
            alignfree=yes(at, "alignfree"),
            fitaabb=yes(at, "fitaabb"),
            merges=choice(at, "conflict", ("warning", "merge", "error"), "warning") == "merge",
            meshdir=text(at, "meshdir", text(at, "assetdir", "")),
            strippath=yes(at, "strippath"),
        )

    def angle(self, value: float) -> float:
        """An angle of the file, in radians."""
        return math.radians(value) if self.degrees else value

    def pose(self, element: Element) -> Placement:
        """`pos` and whichever orientation an element has."""
        position = numbers(element, "pos", 3, v.ZERO)
        return Placement(self._rotation(element), position)  # type: ignore[arg-type]

    def _rotation(self, element: Element) -> v.Matrix:
        given = [key for key in ORIENTATIONS if key in element.attributes]
        if not given:
            return v.IDENTITY
        if len(given) > 1:
            raise element.error(f"has {' and '.join(given)}; give the orientation in one way")
        if given[0] == "quat":
            return quaternion(element, "quat", numbers(element, "quat", 4))
        if given[0] == "axisangle":
            *axis, angle = numbers(element, "axisangle", 4)
            return about(_direction(element, "axisangle", tuple(axis)), self.angle(angle))
        if given[0] == "euler":
            return self.euler(numbers(element, "euler", 3))
        if given[0] == "zaxis":
            return least_turn(_direction(element, "zaxis", numbers(element, "zaxis", 3)))
        return _from_axes(element)

    def euler(self, angles: tuple[float, ...]) -> v.Matrix:
        """The rotation by three angles of the file."""
        R: v.Matrix = v.IDENTITY
        for letter, angle in zip(self.eulerseq, angles, strict=True):
            turn = _ABOUT[letter.lower()](self.angle(angle))
            # lower case turns about the axes as they have been turned, upper case about the fixed ones
            R = v.mat_mat(R, turn) if letter.islower() else v.mat_mat(turn, R)
        return R


def _sequence(element: Element) -> str:
    sequence = text(element, "eulerseq", "xyz")
    if len(sequence) != 3 or any(letter.lower() not in _ABOUT for letter in sequence):
        raise element.error(f"eulerseq is {sequence!r}; it needs three letters of x, y, z, X, Y, Z, such as 'xyz'")
    return sequence


def _direction(element: Element, attribute: str, given: tuple[float, ...]) -> v.Vector:
    length = math.hypot(*given)
    if not (math.isfinite(length) and length > 1e-14):
        raise element.error(f"{attribute} is {given}, which has no direction; write three numbers such as 0 0 1")
    return tuple(x / length for x in given)  # type: ignore[return-value]


def quaternion(element: Element, attribute: str, wxyz: tuple[float, ...]) -> v.Matrix:
    if wxyz == (1, 0, 0, 0):
        return v.IDENTITY
    if not math.hypot(*wxyz) > 1e-14:
        raise element.error(f"{attribute} is a quaternion of length 0; the identity is 1 0 0 0")
    return Placement.from_quaternion(v.ZERO, wxyz).rotation


def about(axis: v.Vector, angle: float) -> v.Matrix:
    """The turn by an angle about a unit axis (Rodrigues)."""
    c, s = math.cos(angle), math.sin(angle)
    K = v.skew(axis)
    KK = v.mat_mat(K, K)
    return tuple(  # type: ignore[return-value]
        tuple((i == j) + s * K[i][j] + (1 - c) * KK[i][j] for j in range(3)) for i in range(3)
    )


def least_turn(axis: v.Vector) -> v.Matrix:
    """The smallest rotation that takes z to a unit axis; half a turn about x if that is -z."""
    side = math.hypot(axis[0], axis[1])
    if side < 1e-14:
        return v.IDENTITY if axis[2] > 0 else ((1, 0, 0), (0, -1, 0), (0, 0, -1))
    return about((-axis[1] / side, axis[0] / side, 0.0), math.atan2(side, axis[2]))


def _from_axes(element: Element) -> v.Matrix:
    given = numbers(element, "xyaxes", 6)
    x = _direction(element, "xyaxes", given[:3])
    y = given[3:]
    along = v.dot(x, y)  # type: ignore[arg-type]
    y = _direction(element, "xyaxes", v.sub(y, v.scale(along, x)))  # type: ignore[arg-type]
    return v.transpose((x, y, v.cross(x, y)))


def as_quaternion(R: v.Matrix) -> tuple[float, float, float, float]:
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
