"""Keyframes of MJCF as poses."""

from __future__ import annotations

import math
from collections.abc import Iterable

from lagrangian.description.mjcf.schema import check_attributes
from lagrangian.description.mjcf.tree import Tree
from lagrangian.description.notes import Notes
from lagrangian.description.xml import Element, numbers
from lagrangian.errors import one_of
from lagrangian.model.joint import Joint


def poses(elements: Iterable[Element], tree: Tree, notes: Notes) -> dict[str, tuple[float, ...]]:
    """The keyframes' qpos in our order: a free joint's quaternion before its position."""
    found: dict[str, tuple[float, ...]] = {}
    count = sum(joint.kind.nq for joint in tree.joints)
    for k, element in enumerate(elements):
        if element.tag != "key":
            raise element.error(one_of("element", element.tag, ("key",)))
        check_attributes(element)
        name = element.attributes.get("name") or f"key{k}"
        if name in found:
            raise element.error("a key of this name is already there; names must differ")
        for attribute in element.attributes:
            if attribute not in ("name", "qpos"):
                notes.add(f"<key> {attribute}", "not carried over: a pose has coordinates only", name)
        if "qpos" not in element.attributes:
            found[name] = tuple(x for part in tree.written_pose() for x in part)
            continue
        if count == 0 and not element.attributes["qpos"].split():
            found[name] = ()
            continue
        qpos = numbers(element, "qpos", count)
        found[name] = _our_order(qpos, tree.joints, notes)
    return found


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
        notes.add("<key> with a quaternion of length 0", "read as no rotation, as in MuJoCo", joint.name)
        return (1.0, 0.0, 0.0, 0.0)
    return tuple(x / length for x in wxyz)
