"""Keyframes of MJCF: each is a pose, and one may be chosen for a run to begin with, with its speeds and controls."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from numbers import Integral

from lagrangian.description.mjcf.schema import check_attributes
from lagrangian.description.mjcf.tree import Tree
from lagrangian.description.notes import Notes
from lagrangian.description.xml import Element, numbers
from lagrangian.errors import Argument, ArgumentError, one_of
from lagrangian.model import vector as v
from lagrangian.model.joint import Joint
from lagrangian.model.rotation import quaternion

_FREE = 6  # speeds, which no other joint of MJCF has


@dataclass(frozen=True)
class Key:
    """A keyframe: the pose, and what else a run that begins with it begins with."""

    element: Element
    q: tuple[float, ...]

    def speeds(self, joints: Sequence[Joint]) -> tuple[float, ...] | None:
        """Its qvel in our order and along our axes: MuJoCo has a free body's linear velocity first, and along the world's."""
        if "qvel" not in self.element.attributes:
            return None
        qvel = _numbers(self.element, "qvel", sum(joint.kind.nv for joint in joints))
        qd: list[float] = []
        q_at = 0
        for joint in joints:
            part, qvel = qvel[: joint.kind.nv], qvel[joint.kind.nv :]
            if joint.kind.nv == _FREE:
                rotation = quaternion.rotation(self.q[q_at : q_at + 4])
                vx, vy, vz, *angular = part
                part = (*angular, *v.mat_t_vec(rotation, (vx, vy, vz)))
            qd += part
            q_at += joint.kind.nq
        return tuple(qd)

    def controls(self, count: int) -> tuple[float, ...]:
        """Of all actuators in their order, of which there are so many."""
        return _numbers(self.element, "ctrl", count) if "ctrl" in self.element.attributes else (0.0,) * count


def keys(elements: Iterable[Element], tree: Tree, notes: Notes) -> dict[str, Key]:
    """The keyframes by name, with their qpos in our order: a free joint's quaternion before its position."""
    found: dict[str, Key] = {}
    for k, element in enumerate(elements):
        if element.tag != "key":
            raise element.error(one_of("element", element.tag, ("key",)))
        check_attributes(element)
        name = element.attributes.get("name") or f"key{k}"
        if name in found:
            raise element.error("there are two keyframes of this name; names must differ")
        if element.attributes.get("qpos", "").split() and not tree.bodies:
            raise element.error("qpos needs bodies, and there are none: this file is a part that another file includes")
        if "qpos" in element.attributes:
            qpos = _numbers(element, "qpos", sum(joint.kind.nq for joint in tree.joints))
            found[name] = Key(element, _our_order(qpos, tree.joints, notes))
        else:
            found[name] = Key(element, tuple(x for part in tree.written_pose() for x in part))
    return found


def chosen(found: Mapping[str, Key], given: str | int | None, notes: Notes) -> Key | None:
    """The keyframe with which a run begins, by name or number; what is not used of it and of the others is noted."""
    name = None if given is None else _named(found, given)
    if name is None and given is not None:
        counted = f"or a number, from 0 to {len(found) - 1}" if found else ""
        raise ArgumentError(one_of("keyframe", given, found), where=(notes.file, Argument("keyframe")), remedy=counted)
    choice = Argument("keyframe", ..., of="load(path)")
    for own, key in found.items():
        for attribute in key.element.attributes:
            if attribute in ("qvel", "ctrl"):
                if own != name:
                    notes.add(f"<key> {attribute}", f"not part of a pose; {choice} starts a simulation with it", own)
            elif attribute not in ("name", "qpos"):
                notes.add(f"<key> {attribute}", "ignored", own, warn=own == name and attribute == "act")
    return None if name is None else found[name]


def _named(found: Mapping[str, Key], given: object) -> str | None:
    """A key's name, of which the file has it; or that of the key of a number, as MuJoCo counts them."""
    if isinstance(given, str) and given in found:
        return given
    text = str(given) if isinstance(given, (str, Integral)) and not isinstance(given, bool) else ""
    number = int(text) if text.isdecimal() and len(text) < 10 else len(found)
    return list(found)[number] if number < len(found) else None


def _numbers(element: Element, attribute: str, count: int) -> tuple[float, ...]:
    """As many numbers; none, where there is nothing to say."""
    return numbers(element, attribute, count) if count or element.attributes[attribute].split() else ()


def _our_order(qpos: tuple[float, ...], joints: Iterable[Joint], notes: Notes) -> tuple[float, ...]:
    q: list[float] = []
    at = 0
    for joint in joints:
        part = qpos[at : at + joint.kind.nq]
        at += joint.kind.nq
        if joint.kind.quaternion:  # which MuJoCo writes after the position of a free joint
            part = (*_unit(joint, part[-4:], notes), *part[:-4])
        q += part
    return tuple(q)


def _unit(joint: Joint, wxyz: tuple[float, ...], notes: Notes) -> tuple[float, ...]:
    length = math.hypot(*wxyz)
    if not length > 1e-14:
        notes.add("<key> with a quaternion of length 0", "read as the identity, as in MuJoCo", joint.name)
        return (1.0, 0.0, 0.0, 0.0)
    return tuple(x / length for x in wxyz)
