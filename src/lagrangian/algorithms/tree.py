"""The tree of a mechanism, on which the recursions run: elementary joints, each of which moves along or about its own z axis.

Fixed joints are merged into the body that carries them. Joints that consist of several elementary joints become as many links,
without mass between them. Every link's frame is rotated so that the axis of its joint is z.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from lagrangian.algorithms.link import CONSTANTS, Link
from lagrangian.algorithms.nested import template_size, unflatten
from lagrangian.model import vector as v
from lagrangian.model.body import Body
from lagrangian.model.expression import Scalar
from lagrangian.model.joint import Joint
from lagrangian.model.joints.fixed import Fixed
from lagrangian.model.joints.joint_type import JointType
from lagrangian.model.mechanism import GROUND, Mechanism
from lagrangian.model.placement import Transform, rotation_z_to

FIXED = Fixed()
CONSTANT_SIZES = {name: template_size(template) for name, template in CONSTANTS.items()}
MAX_MASS_RATIO = 1e14  # beyond it, the motion of the lighter link is lost in the rounding of the heavier one
MAX_GYRATION = 1e10  # m; beyond it, rounding moves a point by a micrometre and more


@dataclass(frozen=True, eq=False)
class Tree:
    """Arrays over the links, parents before children; `body_places` has the frame of each body: (link, placement on it)."""

    kind: tuple[JointType, ...]
    parent: tuple[int, ...]
    iq: tuple[int, ...]
    iv: tuple[int, ...]
    constants: dict[str, np.ndarray]  # (links, size) each
    nq: int
    nv: int
    gravity: v.Vector
    body_places: dict[str, tuple[int, Transform]]
    joint_link: dict[str, tuple[int, v.Matrix]]  # a joint's last link, and the joint's own axes in it
    reader: ScalarReader  # how scalars of the description are read
    sample_tree: Tree | None = None  # the same tree over samples of parameters, if there are some: see `samples`

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
        """Return a constant of link i as the nested tuple that sweeps expect."""
        return unflatten(CONSTANTS[name], iter(self.constants[name][i].tolist()))

    def link(self, i: int) -> Link:
        """Return link i with its constants and no state."""
        values = {name: self.constant(name, i) for name in CONSTANTS}
        return Link(self.kind[i], iq=self.iq[i], iv=self.iv[i], **values)

    def path_to_root(self, i: int) -> list[int]:
        """Return link i and its ancestors, the one at the ground first."""
        chain: list[int] = []
        while i >= 0:
            chain.append(i)
            i = self.parent[i]
        return chain[::-1]

    def lowest_common_ancestor(self, i: int, j: int) -> int:
        """Return the outermost link that carries both links, or is one of them; -1 is the ground."""
        while i != j:
            i, j = (self.parent[i], j) if i > j else (i, self.parent[j])  # parents come first
        return i

    def subtree(self, chosen: Sequence[int]) -> Tree:
        """Return the tree of chosen links, which must include their ancestors; coordinates and speeds keep their indices."""
        order = sorted(set(chosen))
        new_index = {i: k for k, i in enumerate(order)}
        new_index[-1] = -1
        return replace(
            self,
            kind=tuple(self.kind[i] for i in order),
            parent=tuple(new_index[self.parent[i]] for i in order),
            iq=tuple(self.iq[i] for i in order),
            iv=tuple(self.iv[i] for i in order),
            constants={k: a[order] for k, a in self.constants.items()},
            body_places={b: (new_index[i], at) for b, (i, at) in self.body_places.items() if i in new_index},
            joint_link={j: (new_index[i], R) for j, (i, R) in self.joint_link.items() if i in new_index},
        )

    def path_to_frame(self, link: int, placement: Transform) -> Tree:
        """Return the links from the ground to a link, and a fixed one at the end that carries a frame."""
        chain = self.subtree(self.path_to_root(link))
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


class ScalarReader:
    """Reads the scalars of a mechanism into a tree, as floats. A proof reads them as exact scalars instead."""

    symbol_values: Mapping[str, Any] = {}  # of names in expressions that are neither coordinates nor time

    def placements(self, joint: Joint) -> tuple[Transform, Transform]:
        """Return the placement of a joint in its parent, and that of its child in the joint."""
        return self.placement(joint.placement), self.placement(joint.child_placement).inverse()

    def placement(self, placement: Transform) -> Transform:
        """Return a placement of the description."""
        if placement.is_identity:
            return placement
        return Transform(tuple(tuple(map(float, row)) for row in placement.rotation), self.vector(placement.position))  # type: ignore[arg-type]

    def axis_rotation(self, joint: Joint, axis: v.Vector) -> v.Matrix:
        """A rotation whose z is the axis."""
        return rotation_z_to(axis)

    def body(self, body: Body) -> tuple[Any, v.Vector, v.Symmetric]:
        """Return the mass, the centre of mass, and the inertia about it."""
        return float(body.mass), self.vector(body.center), tuple(map(float, body.inertia))  # type: ignore[return-value]

    def rotor_inertia(self, joint: Joint) -> Any:
        """Return the inertia of the rotor as reflected to the joint."""
        return joint.rotor.reflected_inertia

    def array(self, column: list[Any]) -> np.ndarray:
        return np.array(column, dtype=float)

    def rotations(self, R: np.ndarray) -> np.ndarray:
        return snap_rotation(R)

    def gravity(self, mechanism: Mechanism) -> v.Vector:
        return tuple(float(g) for g in mechanism.gravity)  # type: ignore[return-value]

    # the next ones read what is attached to bodies: loops, contacts, ends of springs

    def number(self, scalar: Scalar) -> Any:
        return float(scalar)

    def vector(self, x: v.Vector) -> v.Vector:
        return tuple(float(c) for c in x)  # type: ignore[return-value]

    def frame_on_link(self, body_placement: Transform, placement: Transform) -> Transform:
        """Return the placement on a link of a frame on a body, which has a placement on the link itself."""
        combined = body_placement @ placement
        R = snap_rotation(np.array(combined.rotation, dtype=float))
        return Transform(tuple(map(tuple, R.tolist())), self.vector(combined.position))  # type: ignore[arg-type]

    def triad(self, axis: v.Vector) -> v.Matrix:
        """A rotation whose z is the axis."""
        return rotation_z_to(self.vector(axis))


FLOAT_READER = ScalarReader()


def build_tree(mechanism: Mechanism, merge_fixed: bool = True, reader: ScalarReader = FLOAT_READER) -> Tree:
    """Return the tree of a mechanism; `merge_fixed=False` keeps a link for every fixed joint, to find its reaction."""
    order = mechanism.outward_joints()
    starts_q = _offsets([j.kind.nq for j in mechanism.joints])
    starts_v = _offsets([j.kind.nv for j in mechanism.joints])
    index = {id(j): k for k, j in enumerate(mechanism.joints)}
    bodies = {b.name: b for b in mechanism.bodies}
    body_places: dict[str, tuple[int, Transform]] = {GROUND: (-1, Transform())}
    joint_link: dict[str, tuple[int, v.Matrix]] = {}
    rows: list[LinkRecord] = []
    inertias: list[tuple[Any, v.Vector, v.Symmetric]] = []
    for joint in order:
        parent, before = body_places[joint.parent]
        to_joint, to_child = reader.placements(joint)
        before = before @ to_joint
        iq, iv = starts_q[index[id(joint)]], starts_v[index[id(joint)]]
        rotation = v.IDENTITY
        for step in joint.kind.steps(joint):
            kind = step.kind
            if not kind.nv and merge_fixed:
                continue
            axis_rotation = reader.axis_rotation(joint, step.axis) if kind.nv == 1 else v.IDENTITY
            # the link's frame is the joint's, turned so that its axis is z
            rows.append(
                LinkRecord(kind, parent, iq, iv, before @ Transform(v.mat_mat(v.transpose(rotation), axis_rotation)), joint)
            )
            inertias.append((0, v.ZERO, (0,) * 6))
            parent, before, rotation = len(rows) - 1, Transform(), axis_rotation
            iq, iv = iq + kind.nq, iv + kind.nv
        body_frame = before @ Transform(v.transpose(rotation)) @ to_child
        body_places[joint.child] = (parent, body_frame)
        joint_link[joint.name] = (parent, v.transpose(rotation))
        if parent >= 0:
            body_mass, center, inertia = reader.body(bodies[joint.child])
            mass, h, I = inertias[parent]
            center_on_link = v.add(v.mat_vec(body_frame.rotation, center), body_frame.position)
            rotated_inertia = inertia if body_frame.rotation == v.IDENTITY else v.sym_rotate(body_frame.rotation, inertia)
            inertia_at_origin = v.sym_add(rotated_inertia, v.point_inertia(body_mass, center_on_link))
            inertias[parent] = (mass + body_mass, v.add(h, v.scale(body_mass, center_on_link)), v.sym_add(I, inertia_at_origin))
    constants = _link_constants(rows, inertias, reader)
    constants["R"] = reader.rotations(constants["R"])
    return Tree(
        kind=tuple(row.kind for row in rows),
        parent=tuple(row.parent for row in rows),
        iq=tuple(row.iq for row in rows),
        iv=tuple(row.iv for row in rows),
        constants=constants,
        nq=mechanism.nq,
        nv=mechanism.nv,
        gravity=reader.gravity(mechanism),
        body_places=body_places,
        joint_link=joint_link,
        reader=reader,
    )


def _offsets(sizes: list[int]) -> list[int]:
    return [0, *np.cumsum(sizes).tolist()]


class LinkRecord(NamedTuple):
    """One link: its elementary joint, its parent, the indices of its first coordinate and speed, its frame and its joint."""

    kind: JointType
    parent: int
    iq: int
    iv: int
    placement: Transform
    joint: Joint


def _link_constants(rows: list[LinkRecord], inertias: list[Any], reader: ScalarReader) -> dict[str, np.ndarray]:
    """Return the constants of the links as arrays, one row for each link."""
    placements = [row.placement for row in rows]
    joints = [row.joint for row in rows]
    is_moving = [bool(row.kind.nv) for row in rows]
    has_dry_friction = [bool(row.kind.nv) and not _has_plane_friction(row, rows) for row in rows]
    columns: dict[str, list[Any]] = {
        "R": [P.rotation for P in placements],
        "p": [P.position for P in placements],
        "mass": [m for m, _, _ in inertias],
        "h": [h for _, h, _ in inertias],
        "I": [I for _, _, I in inertias],
        "type_constant": [j.kind.type_constant(j) for j in joints],
        "rotor": [reader.rotor_inertia(j) for j in joints],
        "viscous": [j.friction.viscous for j in joints],
        "coulomb_positive": [j.friction.coulomb for j in joints],
        "coulomb_negative": [j.friction.coulomb_negative for j in joints],
        "stiffness": [j.spring.stiffness for j in joints],
        "rest": [j.spring.rest for j in joints],
    }
    arrays = {k: reader.array(column).reshape(len(rows), CONSTANT_SIZES[k]) for k, column in columns.items()}
    for name in ("rotor", "viscous", "coulomb_positive", "coulomb_negative", "stiffness", "rest"):
        acts = has_dry_friction if name.startswith("coulomb") else is_moving
        arrays[name] *= np.array(acts, dtype=int).reshape(-1, 1)
    return arrays


def _has_plane_friction(row: LinkRecord, rows: list[LinkRecord]) -> bool:
    """Whether a link's dry friction acts together with that of others; then no single link has it."""
    plane = row.joint.friction_plane
    return bool(plane) and row.iv - min(other.iv for other in rows if other.joint is row.joint and other.kind.nv) in plane


def snap_rotation(R: np.ndarray) -> np.ndarray:
    """Return a rotation whose entries within rounding of 0, 1 or -1 are exact, so that they fold away."""
    nearest = np.round(R)
    return np.where(np.abs(R - nearest) < 1e-14, nearest, R) + 0.0


def precision_problem(tree: Tree) -> str:
    """Return which inertias lie too far apart for sixteen digits, or are too large, as the end of a sentence; '' if none do."""
    masses = np.abs(tree.constants["mass"].ravel().astype(float))
    heavy = masses > 0
    if not heavy.any():
        return ""
    largest, smallest = masses[heavy].max(), masses[heavy].min()
    if largest > MAX_MASS_RATIO * smallest:
        return f"masses of {largest:.3g} kg and of {smallest:.3g} kg, which are more than 14 digits apart"
    gyration = np.sqrt(np.abs(tree.constants["I"].astype(float)[heavy]) / masses[heavy, None]).max()
    return f"radii of gyration of {gyration:.3g} m" if gyration > MAX_GYRATION else ""
