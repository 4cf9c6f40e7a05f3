"""What of a motion is plotted, and how: its coordinates and speeds by joints, with their kinds and units; panels of curves."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from lagrangian.errors import ArgumentError, one_of
from lagrangian.model.joint import Joint
from lagrangian.motion.motion import Motion
from lagrangian.motion.result.rounding import Rounding

DEGREES = 180 / np.pi
# of joints' coordinates and speeds; those of a body that flies, or slides on a plane, stand apart from those of hinges and slides
ANGLE, SLIDE, ORIENTATION, POSITION, UNKNOWN = "angle", "slide", "orientation", "position", "unknown"
Label = tuple[str, str, float]  # text, unit and factor
Like = dict[str, Label]  # by kind
ANGLES = ("degrees", "radians")
SCALES = ("auto", "linear", "log")  # of the axes of forces


def angle_unit(angles: Any) -> tuple[str, float]:
    """The unit in which angles are shown, and how many of them a radian has."""
    if angles not in ANGLES:
        raise ArgumentError(one_of("angles", angles, ANGLES), concerns="angles")
    return ("rad", 1.0) if angles == "radians" else ("deg", DEGREES)


def in_radians(label: Label) -> Label:
    """The label of a quantity in radians, if it is one in degrees."""
    text, unit, _ = label
    return (text, f"rad{unit.removeprefix('deg')}", 1.0) if unit.startswith("deg") else label


@dataclass(frozen=True, eq=False)
class Panel:
    """Curves over time that share an axis. `groups` says which of them belong together, `parts` what they are there."""

    what: str
    label: str
    unit: str
    names: tuple[str, ...]
    values: np.ndarray  # (rows, curves), in the unit
    groups: tuple[str, ...] = ()
    parts: tuple[str, ...] = ()
    scale: str = "linear"  # or "log", or "symlog": a logarithm of both signs, linear about zero
    of_joints: bool = False  # its curves are named as coordinates or speeds
    limits: np.ndarray | None = None  # (curves, 2), in the unit: the least and the most that each may be
    t: np.ndarray = field(default_factory=lambda: np.zeros(0))  # (rows,) s

    @property
    def empty(self) -> bool:
        return not self.names or not np.any(self.values)

    def without_zeros(self) -> Panel:
        """The curves that are not zero throughout."""
        kept = [k for k in range(len(self.names)) if np.any(self.values[:, k])]
        names, groups, parts = (tuple(x[k] for k in kept) if x else () for x in (self.names, self.groups, self.parts))
        limits = None if self.limits is None else self.limits[kept]
        return replace(self, names=names, values=self.values[:, kept], groups=groups, parts=parts, limits=limits)


class Chosen:
    """Coordinates and speeds, all or those of some joints, with the kind of each."""

    def __init__(
        self,
        motion: Motion,
        joints: str | Iterable[str] | None = None,
        frames: str | Iterable[str] | None = None,
        angles: str = "degrees",
        scale: str = "auto",
    ) -> None:
        if scale not in SCALES:
            raise ArgumentError(one_of("scale", scale, SCALES), concerns="scale")
        self.motion, self.radians, self.scale = motion, angle_unit(angles)[0] == "rad", scale
        self.rounding = Rounding(motion)
        self.frames = [frames] if isinstance(frames, str) else list(() if frames is None else frames)
        self.kinds_q, self.kinds_v = kinds(motion)
        self.q = list(range(len(motion.coordinate_names)))
        self.v = list(range(len(motion.speed_names)))
        self.joints = None
        if joints is not None:
            names = [joints] if isinstance(joints, str) else list(joints)
            found = [self._named(name) for name in names]
            self.q = sorted({k for q, _, _ in found for k in q})
            self.v = sorted({k for _, v, _ in found for k in v})
            self.joints = {j for _, _, j in found}

    def _named(self, name: str) -> tuple[list[int], list[int], str]:
        """The coordinates and speeds of a joint, or those of the same place in it as the one that is named."""
        motion = self.motion
        for joint, q, v in spans(motion):
            if name == joint.name:
                return list(q), list(v), joint.name
            labels = (*joint.coordinate_names, *joint.speed_names)
            if name in labels:
                exact_q = [q[k] for k, x in enumerate(joint.coordinate_names) if x == name]
                exact_v = [v[k] for k, x in enumerate(joint.speed_names) if x == name]
                if len(q) == len(v):  # one place in the joint, whether its coordinate is named or its speed
                    place = (exact_q or exact_v)[0] - (q[0] if exact_q else v[0])
                    return [q[place]], [v[place]], joint.name
                return exact_q, exact_v, joint.name
        if motion.mechanism is None and name in (*motion.coordinate_names, *motion.speed_names):
            return (
                [k for k, x in enumerate(motion.coordinate_names) if x == name],
                [k for k, x in enumerate(motion.speed_names) if x == name],
                name,
            )
        known = dict.fromkeys([*(j.name for j, _, _ in spans(motion)), *motion.coordinate_names, *motion.speed_names])
        raise ArgumentError(one_of("joint or coordinate", name, known), concerns="joints")

    def over(
        self,
        what: str,
        names: Sequence[str],
        values: np.ndarray,
        kinds: Sequence[str],
        at: Sequence[int],
        like: Like,
        limits: np.ndarray | None = None,
    ) -> Iterable[Panel]:
        """A panel for each kind, or for kinds that share a label. What is but rounding is zero."""
        values = self.rounding.without(values, what)
        for label in dict.fromkeys(like.values()):
            some = [k for k in at if like.get(kinds[k]) == label]
            if some:
                text, unit, factor = in_radians(label) if self.radians else label
                allowed = None if limits is None else factor * limits[some]
                names_of = tuple(names[k] for k in some)
                yield Panel(what, text, unit, names_of, factor * values[:, some], of_joints=True, limits=allowed)


def spans(motion: Motion) -> list[tuple[Joint, range, range]]:
    """The joints that move, with where their coordinates and speeds are; none of a motion without its mechanism."""
    found, iq, iv = [], 0, 0
    for joint in motion.mechanism.joints if motion.mechanism is not None else ():
        nq, nv = joint.kind.nq, joint.kind.nv
        if nv:
            found.append((joint, range(iq, iq + nq), range(iv, iv + nv)))
        iq, iv = iq + nq, iv + nv
    return found


def kinds(motion: Motion) -> tuple[list[str], list[str]]:
    """Of every coordinate and every speed."""
    if motion.mechanism is None:
        return [UNKNOWN] * len(motion.coordinate_names), [UNKNOWN] * len(motion.speed_names)
    q: list[str] = []
    v: list[str] = []
    for joint, _, _ in spans(motion):
        kind = joint.kind
        length = SLIDE if kind.nv == 1 else POSITION
        q += [{"m": length, "rad": ANGLE, "": ORIENTATION}[unit] for unit in kind.units]
        v += [length if slides else ORIENTATION if kind.quaternion else ANGLE for slides in kind.slides]
    return q, v
