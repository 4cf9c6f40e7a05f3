"""A mechanism reduced to what the recursions need: elementary joints on a tree, each moving along or about its own z axis.

Fixed joints are merged into the body that carries them, joints that consist of several become that many links with no mass
between, and every link's frame is turned so that its joint's axis is z.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from lagrangian.algorithms.link import CONSTANTS, Link
from lagrangian.algorithms.nested import size, unflatten
from lagrangian.model import vector as v
from lagrangian.model.body import Body
from lagrangian.model.expression import Scalar
from lagrangian.model.joint import Joint
from lagrangian.model.joints.fixed import Fixed
from lagrangian.model.joints.joint_type import JointType
from lagrangian.model.mechanism import GROUND, Mechanism
from lagrangian.model.placement import Placement, turn_z_to

FIXED = Fixed()
WIDTHS = {name: size(template) for name, template in CONSTANTS.items()}


@dataclass(frozen=True, eq=False)
class Tree:
    """Arrays over the links, parents before children; `place` says where a body's frame is: (link, placement in it)."""

    kind: tuple[JointType, ...]
    parent: tuple[int, ...]
    iq: tuple[int, ...]
    iv: tuple[int, ...]
    constants: dict[str, np.ndarray]  # (links, size) each
    nq: int
    nv: int
    gravity: v.Vector
    place: dict[str, tuple[int, Placement]]
    joint_link: dict[str, tuple[int, v.Matrix]]  # a joint's last link, and the joint's own axes in it
    read: Floats  # how scalars of the description are read
    lanes: Tree | None = None  # the same tree over samples of parameters, where there are some: see `samples`

    def __len__(self) -> int:
        return len(self.kind)

    @property
    def exact(self) -> bool:
        """Whether its constants are exact scalars, as a proof needs them, and not floats."""
        return self.constants["R"].dtype == object

    @property
    def angles(self) -> tuple[int, ...]:
        """The coordinates that are angles."""
        return tuple(iq for iq, kind in zip(self.iq, self.kind, strict=True) if kind.turns)

    def constant(self, name: str, i: int) -> Any:
        """A constant of link i, as the nested tuple the sweeps expect."""
        return unflatten(CONSTANTS[name], iter(self.constants[name][i].tolist()))

    def link(self, i: int) -> Link:
        """Link i with its constants and no state."""
        values = {name: self.constant(name, i) for name in CONSTANTS}
        return Link(self.kind[i], iq=self.iq[i], iv=self.iv[i], **values)

    def towards_ground(self, i: int) -> list[int]:
        """Link i and its ancestors, the one at the ground first."""
        chain: list[int] = []
        while i >= 0:
            chain.append(i)
            i = self.parent[i]
        return chain[::-1]

    def carrying(self, i: int, j: int) -> int:
        """The outermost link that carries both links, or is one of them; -1 is the ground."""
        while i != j:
            i, j = (self.parent[i], j) if i > j else (i, self.parent[j])  # parents come first
        return i

    def subtree(self, chosen: Sequence[int]) -> Tree:
        """Only the chosen links, which must include their ancestors; coordinates and speeds keep their places."""
        order = sorted(set(chosen))
        number = {i: k for k, i in enumerate(order)}
        number[-1] = -1
        return replace(
            self,
            kind=tuple(self.kind[i] for i in order),
            parent=tuple(number[self.parent[i]] for i in order),
            iq=tuple(self.iq[i] for i in order),
            iv=tuple(self.iv[i] for i in order),
            constants={k: a[order] for k, a in self.constants.items()},
            place={b: (number[i], at) for b, (i, at) in self.place.items() if i in number},
            joint_link={j: (number[i], R) for j, (i, R) in self.joint_link.items() if i in number},
        )

    def path(self, link: int, placement: Placement) -> Tree:
        """The links from the ground to a link, and a fixed one at the end that carries a frame."""
        chain = self.subtree(self.towards_ground(link))
        n = len(chain)
        constants = {k: np.vstack([a, np.zeros((1, a.shape[1]), dtype=a.dtype)]) for k, a in chain.constants.items()}
        R = np.array(placement.rotation, dtype=constants["R"].dtype)
        constants["R"][n] = (R if self.exact else snap_rotation(R)).ravel()
        constants["p"][n] = np.array(placement.position, dtype=constants["p"].dtype)
        return replace(
            chain,
            kind=(*chain.kind, FIXED),
            parent=(*chain.parent, n - 1),
            iq=(*chain.iq, self.nq),
            iv=(*chain.iv, self.nv),
            constants=constants,
        )


def snap_rotation(R: np.ndarray) -> np.ndarray:
    """Entries within rounding of 0, 1 or -1 made exact, so that they fold away."""
    near = np.round(R)
    return np.where(np.abs(R - near) < 1e-14, near, R) + 0.0


class Floats:
    """How a mechanism's scalars are read into a tree: as floats. A proof reads them as exact scalars instead."""

    names: Mapping[str, Any] = {}  # what stands for names in expressions that are neither coordinates nor time

    def placements(self, joint: Joint) -> tuple[Placement, Placement]:
        """Where the joint stands in its parent, and its child in the joint."""
        return self.placement(joint.placement), self.placement(joint.child_placement).inverse()

    def placement(self, at: Placement) -> Placement:
        """A placement of the description."""
        if at.is_identity:
            return at
        return Placement(tuple(tuple(map(float, row)) for row in at.rotation), self.vector(at.position))  # type: ignore[arg-type]

    def turn(self, joint: Joint, axis: v.Vector) -> v.Matrix:
        """A rotation whose z is the axis."""
        return turn_z_to(axis)

    def body(self, body: Body) -> tuple[Any, v.Vector, v.Symmetric]:
        """Mass, centre, and inertia about it."""
        return float(body.mass), self.vector(body.center), tuple(map(float, body.inertia))  # type: ignore[return-value]

    def rotor(self, joint: Joint) -> Any:
        """The inertia of the rotor as the joint feels it."""
        return joint.rotor.reflected

    def array(self, column: list[Any]) -> np.ndarray:
        return np.array(column, dtype=float)

    def rotations(self, R: np.ndarray) -> np.ndarray:
        return snap_rotation(R)

    def gravity(self, mechanism: Mechanism) -> v.Vector:
        return tuple(float(g) for g in mechanism.gravity)  # type: ignore[return-value]

    # what stands on bodies: loops, contacts, ends of springs

    def number(self, scalar: Scalar) -> Any:
        return float(scalar)

    def vector(self, x: v.Vector) -> v.Vector:
        return tuple(float(c) for c in x)  # type: ignore[return-value]

    def place(self, at: Placement, placement: Placement) -> Placement:
        """A frame that is given on a body, which itself stands `at` on its link: where it is on the link."""
        both = at @ placement
        R = snap_rotation(np.array(both.rotation, dtype=float))
        return Placement(tuple(map(tuple, R.tolist())), self.vector(both.position))  # type: ignore[arg-type]

    def triad(self, axis: v.Vector) -> v.Matrix:
        """A rotation whose z is the axis."""
        return turn_z_to(self.vector(axis))


FLOATS = Floats()


def build(mechanism: Mechanism, merge_fixed: bool = True, read: Floats = FLOATS) -> Tree:
    """The tree of a mechanism's joints; `merge_fixed=False` keeps a link for every fixed joint, to find its reaction."""
    order = mechanism.outward()
    starts_q = _starts([j.kind.nq for j in mechanism.joints])
    starts_v = _starts([j.kind.nv for j in mechanism.joints])
    index = {id(j): k for k, j in enumerate(mechanism.joints)}
    bodies = {b.name: b for b in mechanism.bodies}
    place: dict[str, tuple[int, Placement]] = {GROUND: (-1, Placement())}
    joint_link: dict[str, tuple[int, v.Matrix]] = {}
    rows: list[Row] = []
    inertias: list[tuple[Any, v.Vector, v.Symmetric]] = []
    for joint in order:
        parent, before = place[joint.parent]
        to_joint, to_child = read.placements(joint)
        before = before @ to_joint
        iq, iv = starts_q[index[id(joint)]], starts_v[index[id(joint)]]
        turn = v.IDENTITY
        for step in joint.kind.steps(joint):
            kind = step.kind
            if not kind.nv and merge_fixed:
                continue
            wanted = read.turn(joint, step.axis) if kind.nv == 1 else v.IDENTITY
            # the link's frame is the joint's, turned so that its axis is z
            rows.append(Row(kind, parent, iq, iv, before @ Placement(v.mat_mat(v.transpose(turn), wanted)), joint))
            inertias.append((0, v.ZERO, (0,) * 6))
            parent, before, turn = len(rows) - 1, Placement(), wanted
            iq, iv = iq + kind.nq, iv + kind.nv
        where = before @ Placement(v.transpose(turn)) @ to_child
        place[joint.child] = (parent, where)
        joint_link[joint.name] = (parent, v.transpose(turn))
        if parent >= 0:
            body_mass, center, inertia = read.body(bodies[joint.child])
            mass, h, I = inertias[parent]
            moved = v.add(v.mat_vec(where.rotation, center), where.position)
            turned = inertia if where.rotation == v.IDENTITY else v.sym_rotate(where.rotation, inertia)
            about = v.sym_add(turned, v.point_inertia(body_mass, moved))
            inertias[parent] = (mass + body_mass, v.add(h, v.scale(body_mass, moved)), v.sym_add(I, about))
    constants = _constants(rows, inertias, read)
    constants["R"] = read.rotations(constants["R"])
    return Tree(
        kind=tuple(row.kind for row in rows),
        parent=tuple(row.parent for row in rows),
        iq=tuple(row.iq for row in rows),
        iv=tuple(row.iv for row in rows),
        constants=constants,
        nq=mechanism.nq,
        nv=mechanism.nv,
        gravity=read.gravity(mechanism),
        place=place,
        joint_link=joint_link,
        read=read,
    )


class Row(NamedTuple):
    """One link: its elementary joint, its parent, where its coordinates and speeds begin, its frame, its joint."""

    kind: JointType
    parent: int
    iq: int
    iv: int
    placement: Placement
    joint: Joint


def _constants(rows: list[Row], inertias: list[Any], read: Floats) -> dict[str, np.ndarray]:
    """The links' constants as arrays, one row a link."""
    placements = [row.placement for row in rows]
    joints = [row.joint for row in rows]
    moving = [bool(row.kind.nv) for row in rows]
    dry = [bool(row.kind.nv) and not _in_plane(row, rows) for row in rows]
    columns: dict[str, list[Any]] = {
        "R": [P.rotation for P in placements],
        "p": [P.position for P in placements],
        "mass": [m for m, _, _ in inertias],
        "h": [h for _, h, _ in inertias],
        "I": [I for _, _, I in inertias],
        "own": [j.kind.own(j) for j in joints],
        "rotor": [read.rotor(j) for j in joints],
        "viscous": [j.friction.viscous for j in joints],
        "coulomb_positive": [j.friction.coulomb for j in joints],
        "coulomb_negative": [j.friction.coulomb_negative for j in joints],
        "stiffness": [j.spring.stiffness for j in joints],
        "rest": [j.spring.rest for j in joints],
    }
    arrays = {k: read.array(column).reshape(len(rows), WIDTHS[k]) for k, column in columns.items()}
    for name in ("rotor", "viscous", "coulomb_positive", "coulomb_negative", "stiffness", "rest"):
        has = dry if name.startswith("coulomb") else moving
        arrays[name] *= np.array(has, dtype=int).reshape(-1, 1)
    return arrays


def _in_plane(row: Row, rows: list[Row]) -> bool:
    """Whether a link's dry friction acts together with that of others: no one link has it then."""
    plane = row.joint.rubbing_plane
    return bool(plane) and row.iv - min(other.iv for other in rows if other.joint is row.joint and other.kind.nv) in plane


def _starts(sizes: list[int]) -> list[int]:
    return [0, *np.cumsum(sizes).tolist()]
