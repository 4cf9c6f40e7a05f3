"""Keyframes of MJCF: each is a pose, and one may be chosen for a run to begin with, with its speeds and controls."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from numbers import Integral

from lagrangian.description.mjcf.tree import MjcfTree
from lagrangian.description.notes import ReaderNotes
from lagrangian.description.schema import check_mjcf_attributes
from lagrangian.description.xml import Element, number_attributes
from lagrangian.errors import ArgumentError, ArgumentName, unknown_name_message
from lagrangian.model import vector as v
from lagrangian.model.joint import Joint
from lagrangian.model.rotation import quaternion

_FREE_JOINT_SPEEDS = 6  # speeds, which no other joint of MJCF has


@dataclass(frozen=True)
class Keyframe:
    """A keyframe: the pose, and what else a run that begins with it begins with."""

    element: Element
    q: tuple[float, ...]

    def speeds(self, joints: Sequence[Joint]) -> tuple[float, ...] | None:
        """The speeds of the keyframe, from its qvel, in our order and along our axes; None if it has no qvel.

        MuJoCo has a free body's linear velocity first, and along the world's axes.
        """
        if "qvel" not in self.element.attributes:
            return None
        qvel = _read_numbers(self.element, "qvel", sum(joint.kind.nv for joint in joints))
        qd: list[float] = []
        q_start = 0
        for joint in joints:
            joint_speeds, qvel = qvel[: joint.kind.nv], qvel[joint.kind.nv :]
            if joint.kind.nv == _FREE_JOINT_SPEEDS:
                rotation = quaternion.rotation(self.q[q_start : q_start + 4])
                vx, vy, vz, *angular = joint_speeds
                joint_speeds = (*angular, *v.mat_t_vec(rotation, (vx, vy, vz)))
            qd += joint_speeds
            q_start += joint.kind.nq
        return tuple(qd)

    def controls(self, count: int) -> tuple[float, ...]:
        """The controls of all `count` actuators, in their order; zeros if the keyframe has none."""
        return _read_numbers(self.element, "ctrl", count) if "ctrl" in self.element.attributes else (0.0,) * count


def read_keyframes(elements: Iterable[Element], tree: MjcfTree, notes: ReaderNotes) -> dict[str, Keyframe]:
    """The keyframes by name, with their qpos in our order: a free joint's quaternion before its position."""
    keyframes: dict[str, Keyframe] = {}
    for k, element in enumerate(elements):
        if element.tag != "key":
            raise element.error(unknown_name_message("element", element.tag, ("key",)))
        check_mjcf_attributes(element)
        name = element.attributes.get("name") or f"key{k}"
        if name in keyframes:
            raise element.error("there are two keyframes of this name; names must differ")
        if element.attributes.get("qpos", "").split() and not tree.bodies:
            raise element.error("qpos needs bodies, and there are none: this file is a part that another file includes")
        if "qpos" in element.attributes:
            qpos = _read_numbers(element, "qpos", sum(joint.kind.nq for joint in tree.joints))
            keyframes[name] = Keyframe(element, _put_quaternions_first(qpos, tree.joints, notes))
        else:
            keyframes[name] = Keyframe(element, tuple(x for part in tree.written_coordinates() for x in part))
    return keyframes


def select_keyframe(keyframes: Mapping[str, Keyframe], choice: str | int | None, file: str) -> Keyframe | None:
    """The keyframe with which a run begins, by name or number; None if none is chosen."""
    if choice is None:
        return None
    name = _resolve_name(keyframes, choice)
    if name is None:
        index_hint = f"or a number, from 0 to {len(keyframes) - 1}" if keyframes else ""
        raise ArgumentError(
            unknown_name_message("keyframe", choice, keyframes), where=(file, ArgumentName("keyframe")), remedy=index_hint
        )
    return keyframes[name]


def note_unused_attributes(keyframes: Mapping[str, Keyframe], selected: Keyframe | None, notes: ReaderNotes) -> None:
    """Note what a mechanism does not have of the selected keyframe and of the others."""
    option = ArgumentName("keyframe", ..., call="load(path)")
    for name, key in keyframes.items():
        for attribute in key.element.attributes:
            if attribute in ("qvel", "ctrl"):
                if key is not selected:
                    notes.add(f"<key> {attribute}", f"not part of a pose; {option} starts a simulation with it", name)
            elif attribute not in ("name", "qpos"):
                notes.add(f"<key> {attribute}", "ignored", name, warn=key is selected and attribute == "act")


def _resolve_name(keyframes: Mapping[str, Keyframe], choice: object) -> str | None:
    """The name of the keyframe that `choice` names or numbers, as MuJoCo counts them; None if there is none."""
    if isinstance(choice, str) and choice in keyframes:
        return choice
    text = str(choice) if isinstance(choice, (str, Integral)) and not isinstance(choice, bool) else ""
    number = int(text) if text.isdecimal() and len(text) < 10 else len(keyframes)
    return list(keyframes)[number] if number < len(keyframes) else None


def _read_numbers(element: Element, attribute: str, count: int) -> tuple[float, ...]:
    """Read `count` numbers of an attribute; none if none are expected and the attribute is blank."""
    return number_attributes(element, attribute, count) if count or element.attributes[attribute].split() else ()


def _put_quaternions_first(qpos: tuple[float, ...], joints: Iterable[Joint], notes: ReaderNotes) -> tuple[float, ...]:
    q: list[float] = []
    start = 0
    for joint in joints:
        joint_values = qpos[start : start + joint.kind.nq]
        start += joint.kind.nq
        if joint.kind.quaternion:  # which MuJoCo writes after the position of a free joint
            joint_values = (*_unit_quaternion(joint, joint_values[-4:], notes), *joint_values[:-4])
        q += joint_values
    return tuple(q)


def _unit_quaternion(joint: Joint, wxyz: tuple[float, ...], notes: ReaderNotes) -> tuple[float, ...]:
    length = math.hypot(*wxyz)
    if not length > 1e-14:
        notes.add("<key> with a quaternion of length 0", "read as the identity, as in MuJoCo", joint.name)
        return (1.0, 0.0, 0.0, 0.0)
    return tuple(x / length for x in wxyz)
