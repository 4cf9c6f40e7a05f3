"""Loops of a mechanism beside the tree of a URDF: by the elements of URDF+, or in the YAML file of example-parallel-robots."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from lagrangian.description.urdf.write_link import origin
from lagrangian.description.writing import left_out
from lagrangian.description.writing.poses import APART, Loops
from lagrangian.description.writing.tags import Tag
from lagrangian.description.writing.written import Remarks
from lagrangian.model import vector as v
from lagrangian.model.loop import LoopJoint
from lagrangian.model.mechanism import Mechanism
from lagrangian.model.placement import Placement

_TYPES = {
    "revolute": "revolute",
    "prismatic": "prismatic",
    "cylindrical": "cylindrical",
    "planar": "planar",
    "ball": "spherical",
    "fixed": "fixed",
}


def elements(m: Mechanism, link: Callable[[str], str], name: Callable[[str, str], str], remarks: Remarks) -> list[Tag]:
    """The <loop>s of URDF+."""
    seen, found = Loops(m), []
    for loop in m.loops:
        known = _TYPES.get(seen.kind(loop))
        if known is None:
            left_out.loop(loop.name, loop.type, remarks)
            continue
        ends = [
            Tag("predecessor", origin(loop.a_placement), link=link(loop.a)),
            Tag("successor", origin(loop.b_placement), link=link(loop.b)),
        ]
        axis = [Tag("axis", xyz=tuple(loop.axis))] if known in ("revolute", "prismatic", "cylindrical", "planar") else []
        found.append(Tag("loop", [*ends, *axis], name=name("loop", loop.name), type=known))
        meaning = "{is} written by <loop> of URDF+: programs that do not read URDF+, such as Pinocchio, see an open tree"
        remarks.add("loop", meaning, loop.name, warn=True)
    return found


@dataclass
class Beside:
    """The YAML file, and the frames on links that it names."""

    pairs: list[tuple[str, str, str]] = field(default_factory=list)
    frames: list[tuple[str, str, Placement]] = field(default_factory=list)  # a name, a body, where

    def text(self, motors: Iterable[str], balls: Iterable[str]) -> str:
        balls = list(balls)
        rows = {
            "closed_loop": [[a, b] for a, b, _ in self.pairs],
            "type": [how for _, _, how in self.pairs],
            "name_mot": list(motors),
            **({"joint_name": balls, "joint_type": ["SPHERICAL"] * len(balls)} if balls else {}),
        }
        return "".join(f"{key}: {json.dumps(row, ensure_ascii=False)}\n" for key, row in rows.items())


def beside(m: Mechanism, name: Callable[[str], str], remarks: Remarks) -> Beside:
    """What the YAML file holds: frames that are welded, and points that are joined."""
    seen, found = Loops(m), Beside()
    for loop in m.loops:
        match seen.kind(loop):
            case "fixed":
                _pair(found, loop, "6d", v.ZERO, "", name)
            case "ball":
                _pair(found, loop, "3d", v.ZERO, "", name)
            case "revolute":
                _pair(found, loop, "3d", v.ZERO, "", name)
                if not seen.parallel(loop):  # else one point is enough, as in a plane
                    _pair(found, loop, "3d", v.scale(APART, loop.axis), "_axis", name)
            case other:
                left_out.loop(loop.name, other, remarks)
    return found


def _pair(found: Beside, loop: LoopJoint, how: str, at: v.Vector, more: str, name: Callable[[str], str]) -> None:
    a, b = (name(f"{loop.name}{more}_{end}") for end in "ab")
    shift = Placement(position=at)
    found.frames += [(a, loop.a, loop.a_placement @ shift), (b, loop.b, loop.b_placement @ shift)]
    found.pairs.append((a, b, how))
