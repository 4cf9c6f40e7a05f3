"""Which joints of an SDF make the trees of the mechanism, and which close loops.

SDF does not say: a link may be the child of several joints, and joints may form loops in any way. If there is a choice, a joint
closes a loop that a loop joint can stand for: one of a type that loops have, with nothing at it; else it is the last in the file.
Where none such is left, the loop is cut through the link: the joint moves an end of its own, without mass, that is welded to the
link. So everything that sits at the joint is kept.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

from lagrangian.description.notes import Notes
from lagrangian.description.sdf.frames import NESTED
from lagrangian.description.sdf.joint import Hinge
from lagrangian.errors import placed
from lagrangian.model import loops as loop_types
from lagrangian.model.body import Body
from lagrangian.model.joint import Friction, Joint
from lagrangian.model.loop import LoopJoint
from lagrangian.model.mechanism import GROUND
from lagrangian.model.placement import Placement

ROOT_JOINT = "root_joint"
_SWAPPED = "parent and child are exchanged in the tree; a single coordinate keeps its sign"
_DAMPED = "the damping acts on the speeds of the child relative to the parent; exchange parent and child in the file"
_LOOPS = {name: name for name in loop_types.TYPES} | {"continuous": "revolute"}


@dataclass
class Trees:
    """The joints of all trees, their loops, and the ends that loops are cut at."""

    joints: list[Joint] = field(default_factory=list)
    loops: list[LoopJoint] = field(default_factory=list)
    ends: list[Body] = field(default_factory=list)
    bases: list[str] = field(default_factory=list)  # the bodies that no joint of the file holds


class _Groups:
    """Which bodies hang together (union-find)."""

    def __init__(self) -> None:
        self._above: dict[str, str] = {}

    def of(self, body: str) -> str:
        path = []
        while (above := self._above.get(body, body)) != body:
            path.append(body)
            body = above
        for other in path:
            self._above[other] = body
        return body

    def join(self, a: str, b: str) -> bool:
        """Whether the two were apart."""
        a, b = self.of(a), self.of(b)
        if a == b:
            return False
        self._above[b] = a
        return True


def trees(bodies: Sequence[str], hinges: Iterable[Hinge], poses: dict[str, Placement], floating: bool, notes: Notes) -> Trees:
    """The trees on the ground that joints and bodies make; `poses` are those of the bodies as the file is written."""
    hinges = list(hinges)
    found = Trees()
    groups = _Groups()
    held = [h for h in sorted(hinges, key=_rank) if groups.join(h.parent, h.child)]
    of_tree = {id(h) for h in held}
    for hinge in hinges:
        if id(hinge) not in of_tree:
            cut = _close(hinge, found, notes)
            if cut is not None:
                held.append(cut)
                bodies = [*bodies, cut.child]
    _hang(bodies, held, {h.name: k for k, h in enumerate(hinges)}, poses, floating, found)
    swapped = {h.name: h for h in held}
    for joint in found.joints:
        if joint.name in swapped and joint.child != swapped[joint.name].child:
            notes.add("joint whose child is nearer to the ground", _SWAPPED, joint.name)
            if joint.type == "planar" and joint.friction != Friction():
                notes.add("damping of a planar joint that is swapped", _DAMPED, joint.name, warn=True)
    return found


def _rank(hinge: Hinge) -> int:
    """Those that are better not cut come first."""
    if hinge.welded:
        return -1
    return 2 if hinge.must_close else 1 if hinge.plain and hinge.type in _LOOPS else 0


# -- loops -------------------------------------------------------------------------------------------------------------


def _close(hinge: Hinge, found: Trees, notes: Notes) -> Hinge | None:
    """Close a loop: by a loop joint of the same type, or by a weld to an end that the joint moves, which is returned."""
    element = hinge.element
    with placed(*element.where):
        if hinge.plain and hinge.type in _LOOPS:
            own = {key: x for key, x in hinge.own.items() if key in ("axis", "axis2")}
            notes.add("joint that closes a loop", "read as a loop joint", hinge.name)
            found.loops.append(
                LoopJoint(hinge.name, _LOOPS[hinge.type], hinge.parent, hinge.child, hinge.at_parent, hinge.at_child, **own)
            )
            return None
        end = f"{hinge.name}{NESTED}end"
        notes.add("joint that closes a loop", "read as a joint to an extra body, which is welded to the link", hinge.name)
        found.ends.append(Body(end))
        found.loops.append(LoopJoint(f"{hinge.name}{NESTED}weld", "fixed", end, hinge.child))
    return replace(hinge, child=end)


# -- trees -------------------------------------------------------------------------------------------------------------


def _hang(
    bodies: Sequence[str],
    held: Sequence[Hinge],
    order: dict[str, int],
    poses: dict[str, Placement],
    floating: bool,
    found: Trees,
) -> None:
    """Hang all bodies: each tree's own base first, then its joints in the order of the file."""
    at: dict[str, list[Hinge]] = {}
    for hinge in held:
        at.setdefault(hinge.parent, []).append(hinge)
        at.setdefault(hinge.child, []).append(hinge)
    children = {hinge.child for hinge in held}
    on_ground = {h.child if h.parent == GROUND else h.parent for h in at.get(GROUND, ())}
    reached = {GROUND}
    grown: list[tuple[str, str, list[Hinge]]] = []
    for body in bodies:
        if body in reached:
            continue
        tree = _together(body, at)
        first = next((b for b in tree if b in on_ground), "")
        root = first or next((b for b in tree if b not in children), body)
        grown.append((root, "" if first else root, _outward(GROUND if first else root, set(tree), at)))
        reached.update(tree)
    found.bases += [base for _, base, _ in grown if base]
    names = root_names(found.bases, {hinge.name for hinge in held})
    for _, base, joints in grown:
        if base:
            found.joints.append(_base(names[base], base, poses[base], floating))
        found.joints += [_joint(hinge) for hinge in sorted(joints, key=lambda h: order[h.name])]


def _together(body: str, at: dict[str, list[Hinge]]) -> list[str]:
    """The bodies that hang together with one, without the ground: it first."""
    seen = {body: None}
    stack = [body]
    while stack:
        here = stack.pop()
        for hinge in at.get(here, ()):
            other = hinge.child if hinge.parent == here else hinge.parent
            if other != GROUND and other not in seen:
                seen[other] = None
                stack.append(other)
    return list(seen)


def _outward(root: str, tree: set[str], at: dict[str, list[Hinge]]) -> list[Hinge]:
    """The joints of a tree, each from the body nearer to the root to the other."""
    found: list[Hinge] = []
    seen = {root}
    stack = [root]
    while stack:
        here = stack.pop()
        for hinge in at.get(here, ()):
            other = hinge.child if hinge.parent == here else hinge.parent
            if other in tree and other not in seen:
                seen.add(other)
                stack.append(other)
                found.append(hinge if hinge.parent == here else hinge.reversed())
    return found


def _joint(hinge: Hinge) -> Joint:
    with placed(*hinge.element.where):
        return Joint(
            hinge.name,
            hinge.type,
            hinge.parent,
            hinge.child,
            hinge.at_parent,
            hinge.at_child,
            **hinge.own,
            **hinge.at,
            actuated=hinge.actuated,
        )


def root_names(bases: Sequence[str], taken: set[str]) -> dict[str, str]:
    """The joints of bases to the ground: `root_joint`, in the model of the base where there are several."""
    scopes = [base.rpartition(NESTED)[0] for base in bases]
    count = Counter(scopes)
    names: dict[str, str] = {}
    for base, scope in zip(bases, scopes, strict=True):
        around = base if count[scope] > 1 else scope
        name = f"{around}{NESTED}{ROOT_JOINT}" if around else ROOT_JOINT
        while name in taken:
            name += "_"
        taken.add(name)
        names[base] = name
    return names


def _base(name: str, body: str, pose: Placement, floating: bool) -> Joint:
    """A base flies free, and its coordinates are its pose in the world; or it is held where the file has it."""
    if floating:
        return Joint(name, "free", GROUND, body, actuated=False)
    return Joint(name, "fixed", GROUND, body, pose)
