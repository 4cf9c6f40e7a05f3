"""Equality constraints of MJCF as loops, and its keyframes as poses."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import replace

from lagrangian.description.mjcf.compiler import quaternion, yes
from lagrangian.description.mjcf.document import MAIN, Defaults
from lagrangian.description.mjcf.schema import check_attributes
from lagrangian.description.mjcf.tree import Tree
from lagrangian.description.notes import Notes
from lagrangian.description.xml import Element, number, numbers, text
from lagrangian.errors import one_of, placed
from lagrangian.model import vector as v
from lagrangian.model.joint import Joint
from lagrangian.model.loop import LoopJoint
from lagrangian.model.placement import Placement

_OTHER = ("joint", "tendon", "flex", "flexstrain", "flexvert", "distance")


def loops(elements: Iterable[Element], tree: Tree, defaults: Defaults, notes: Notes) -> list[LoopJoint]:
    """The connect and weld constraints that are active."""
    made: list[tuple[LoopJoint, str]] = []
    lines: dict[str, int] = {}
    for element in elements:
        name = element.attributes.get("name", "")
        if element.tag in _OTHER:
            notes.add(f"<equality> of a {element.tag}", "not carried over: it moves on its own", name, warn=True)
            continue
        if element.tag not in ("connect", "weld"):
            raise element.error(one_of("equality", element.tag, ("connect", "weld", *_OTHER)))
        element = defaults.applied(element, MAIN, "equality")
        check_attributes(element)
        if not yes(element, "active", True):
            notes.add(f"<{element.tag}> that is not active", "not carried over", name)
            continue
        if name and name in lines:
            raise element.error(f"an equality of this name is already in line {lines[name]}; names must differ")
        lines[name] = element.line
        made.append((_loop(element, name, tree), element.tag))
    return _named(made)


def _loop(element: Element, name: str, tree: Tree) -> LoopJoint:
    weld = element.tag == "weld"
    # a weld that does not care about rotation is a connect
    kind = "fixed" if weld and number(element, "torquescale", 1.0) != 0 else "ball"
    if "site1" in element.attributes or "site2" in element.attributes:
        (a, at_a), (b, at_b) = _site(element, "site1", tree), _site(element, "site2", tree)
    else:
        a = _body(element, text(element, "body1"), tree)
        b = _body(element, text(element, "body2", "world"), tree)
        at_a, at_b = _weld(element, a, b, tree) if weld else _connect(element, a, b, tree)
    with placed(*element.where):
        return LoopJoint(name, kind, a, b, at_a, at_b)


def _body(element: Element, name: str, tree: Tree) -> str:
    if name not in tree.names:
        raise element.error(one_of("body", name, tree.names))
    return tree.names[name]


def _site(element: Element, attribute: str, tree: Tree) -> tuple[str, Placement]:
    name = text(element, attribute)
    if name not in tree.sites:
        raise element.error(f"{attribute}: {one_of('site', name, tree.sites)}")
    return tree.sites[name]


def _relative(tree: Tree, a: str, b: str) -> Placement:
    """Body b in body a, as the model is written."""
    return tree.poses[a].inverse() @ tree.poses[b]


def _connect(element: Element, a: str, b: str, tree: Tree) -> tuple[Placement, Placement]:
    """The anchor is given on body 1; on body 2 it is where that point is as the model is written."""
    anchor = Placement(position=numbers(element, "anchor", 3))  # type: ignore[arg-type]
    return anchor, Placement(position=(_relative(tree, b, a) @ anchor).position)


def _weld(element: Element, a: str, b: str, tree: Tree) -> tuple[Placement, Placement]:
    """`relpose` is the anchor, a point of body 2, in body 1, with the orientation of body 2 in body 1."""
    anchor = Placement(position=numbers(element, "anchor", 3, v.ZERO))  # type: ignore[arg-type]
    pose = numbers(element, "relpose", 7, (0.0,) * 7)
    if not any(pose[3:]):
        return _relative(tree, a, b) @ anchor, anchor
    return Placement(quaternion(element, "relpose", pose[3:]), pose[:3]), anchor  # type: ignore[arg-type]


def _named(made: list[tuple[LoopJoint, str]]) -> list[LoopJoint]:
    """Loops of which none is without a name: one that the file does not name is called after its element."""
    taken = {loop.name for loop, _ in made}
    named = []
    for k, (loop, tag) in enumerate(made):
        name = loop.name or f"{tag}{k + 1}"
        while not loop.name and name in taken:
            name += "_"
        taken.add(name)
        named.append(replace(loop, name=name))
    return named


# -- poses -------------------------------------------------------------------------------------------------------------


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
