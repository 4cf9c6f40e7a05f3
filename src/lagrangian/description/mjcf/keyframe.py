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
        found[name] = _our_order(element, qpos, tree.joints)
    return found


def _our_order(element: Element, qpos: tuple[float, ...], joints: Iterable[Joint]) -> tuple[float, ...]:
    q: list[float] = []
    at = 0
    for joint in joints:
        part = qpos[at : at + joint.kind.nq]
        at += joint.kind.nq
        if joint.kind.quaternion:  # which MuJoCo writes after the position of a free joint
            part = (*_unit(element, joint, part[-4:]), *part[:-4])
        q += part
    return tuple(q)


def _unit(element: Element, joint: Joint, wxyz: tuple[float, ...]) -> tuple[float, ...]:
    length = math.hypot(*wxyz)
    if not length > 1e-14:
        raise element.error(f"the quaternion of joint {joint.name!r} has length 0; 1 0 0 0 is no rotation")
    return tuple(x / length for x in wxyz)
