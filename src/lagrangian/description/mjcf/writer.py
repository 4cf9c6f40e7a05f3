"""Write a mechanism as MuJoCo's XML (MJCF), in the pose in which a simulation starts.

Notes say what MJCF cannot hold, and what is written in another form.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from lagrangian.cached import cached_property
from lagrangian.description import notes
from lagrangian.description.joint_properties import friction_coefficients, has_limits, write_bound
from lagrangian.description.mjcf.write_constraints import ConstraintWriter
from lagrangian.description.notes import Conversion, WriterNotes
from lagrangian.description.unique_names import UniqueNames
from lagrangian.description.writing import expressible
from lagrangian.description.writing.expressible import ChainJoint, affine_coefficients, with_body_frames
from lagrangian.description.writing.loops import body_poses, joint_displacement, q_slices
from lagrangian.description.writing.numbers import (
    PrincipalInertia,
    minimum_mass,
    numeric_placement,
    principal_inertia,
    quaternion_wxyz,
    with_minimum_inertia,
)
from lagrangian.description.xml import Tag, to_xml
from lagrangian.model import vector as v
from lagrangian.model.body import Body
from lagrangian.model.constraint import HolonomicConstraint
from lagrangian.model.expression import Scalar, parameters
from lagrangian.model.initial_state import CONTROL_PREFIX, InitialState
from lagrangian.model.joint import Joint
from lagrangian.model.mechanism import GROUND, Mechanism
from lagrangian.model.placement import Transform
from lagrangian.model.rotation import quaternion
from lagrangian.model.shapes import Visual

_MIN_INERTIA = 2e-15  # kg, kg m^2: MuJoCo refuses moving bodies of 1e-15 and less
_SCALAR_TYPES = ("revolute", "continuous", "prismatic")
_SUPPORTED_TYPES = (*_SCALAR_TYPES, "fixed", "ball", "free")
_DEGREE = 4  # of the polynomials that couple joints
_START_KEYFRAME = "initial"
_SPEED_PREFIX = "qd_"  # of a speed in expressions
_JOINT_TYPES = {"revolute": "hinge", "continuous": "hinge", "prismatic": "slide", "ball": "ball", "free": "free"}


def convert(mechanism: Mechanism, *, start: Sequence[float] | None = None) -> Conversion:
    """The MJCF of a mechanism.

    `start` is the configuration in which the model is written, with its loops closed. MuJoCo starts there (qpos0), except that
    ball joints are neutral. The default is the mechanism's own start, or else the neutral configuration.
    """
    return _MjcfWriter(mechanism, start).to_mjcf()


class _MjcfWriter:
    def __init__(self, mechanism: Mechanism, start: Sequence[float] | None) -> None:
        self.original = mechanism
        self.remarks = WriterNotes("MJCF")
        self.body_names = UniqueNames(self.remarks, reserved_names=("world",))
        self.joint_names = UniqueNames(self.remarks)
        self.site_names = UniqueNames(self.remarks)
        self.screw_advances: dict[str, tuple[str, tuple[float, ...]]] = {}  # the hinge and polynomial of a slide
        self.sites: dict[str, list[Tag]] = {}
        self.joints_in_file: list[Joint] = []  # in the order of the file
        # what follows fills the names, notes and screws above
        self.mechanism = self._make_expressible(mechanism)
        start_q = mechanism.initial.q if start is None else start
        self.has_start = start_q is not None
        self.q = self._expand_coordinates(mechanism.neutral() if start_q is None else np.array(start_q, dtype=float))
        self._min_mass = minimum_mass(mechanism, _MIN_INERTIA)
        self.referenced_bodies = self._referenced_bodies()

    def to_mjcf(self) -> Conversion:
        notes.note_unsupported(self.original, self.remarks)
        names = {j.name: self.joint_names.name_for("joint", j.name) for j in self.mechanism.joints}
        slices = self._q_slices
        scalar_joint_names = {j.name: names[j.name] for j in self.mechanism.joints if j.kind.nq == 1}
        values = {name: float(self.q[slices[name]][0]) for name in scalar_joint_names}
        constraint_writer = ConstraintWriter(self.mechanism, scalar_joint_names, values, self._add_site, self.remarks)
        for frame in self.mechanism.frames:
            self._add_site(frame.body, frame.placement, frame.name, "frame")
        written_poses = body_poses(self.mechanism, self._written_q)
        constraint_writer.write_loops(written_poses, body_poses(self.mechanism, self.q))
        for follower, (leader, polynomial) in self.screw_advances.items():
            constraint_writer.write_coupling(follower, follower, leader, polynomial)
        for constraint in self.original.constraints:
            if isinstance(constraint, HolonomicConstraint):
                constraint_writer.write_constraint(constraint)
            else:
                notes.note_constraint(constraint, self.remarks)
        for spring in self.mechanism.springs:
            constraint_writer.write_spring(spring)
        root = Tag("mujoco", model=self.original.name)
        root.add(Tag("compiler", angle="radian", autolimits="true", inertiafromgeom="false"))
        root.add(Tag("option", gravity=tuple(self.original.gravity)))
        world = Tag("worldbody", self.sites.get(GROUND, ()))
        self._write_tree(world, names, constraint_writer.gravcomp)
        coordinates = {
            c: scalar_joint_names[c]
            for j in self.original.joints
            if not j.kind.quaternion
            for c in j.coordinate_names
            if c in scalar_joint_names
        }
        actuators = _write_actuators(self.original, coordinates, self.remarks)
        keys = self._write_keyframes()
        root.add(world, *(tag for tag in (constraint_writer.tendon, constraint_writer.equality, actuators, keys) if tag.children))
        return Conversion(
            "mjcf", to_xml(root), self.remarks.notes, self.remarks.warnings, coordinates=self._coordinate_names(names)
        )

    # -- the mechanism as MJCF can have it -----------------------------------------------------------------------------

    def _make_expressible(self, mechanism: Mechanism) -> Mechanism:
        mechanism = mechanism.replace(constraints=(), poses={}, initial=InitialState(), events=(), parameters={})
        mechanism = mechanism.replace(
            joints=tuple(replace(j, placement=numeric_placement(j.placement)) for j in mechanism.joints)
        )
        mechanism = expressible.split_joints(mechanism, self._joint_chain)
        body_frames: dict[str, Transform] = {}
        for joint in mechanism.joints:
            if joint.type in ("ball", "free"):
                placement = numeric_placement(joint.child_placement)
                body_frames[joint.child] = placement if joint.type == "free" else _rotation_only(placement)
                if not body_frames[joint.child].is_identity and joint.child in self.original.body_index:
                    meaning = "{has} {its} frame at the joint in the file, so that the coordinates stay the same"
                    self.remarks.add("body", meaning, joint.child)
            if joint.type == "free" and not joint.placement.is_identity:
                meaning = "{has} the pose in the world as {its} coordinates in MuJoCo, not the pose in the frame of the joint"
                self.remarks.add("free joint", meaning, joint.name)
        return with_body_frames(mechanism, body_frames)

    def _joint_chain(self, joint: Joint) -> Sequence[ChainJoint]:
        if joint.type == "free" and joint.parent != GROUND:
            meaning = "{is} written as three slides and a ball joint, because MuJoCo has free joints only on the world"
            self.remarks.add("free joint", meaning, joint.name)
            if joint.friction != type(joint.friction)():
                meaning = "{has} friction, of which the part of the slides is left out"
                self.remarks.add("free joint", meaning, joint.name, warn=True)
            return expressible.slides_and_ball_chain(joint)
        if joint.type in _SUPPORTED_TYPES:
            return ()
        if chain := expressible.single_coordinate_chain(joint):
            meaning = "{is} written as joints with one coordinate each, in one body"
            self.remarks.add(f"{joint.type} joint", meaning, joint.name)
            if joint.friction_plane:
                meaning = "{has} dry friction, which acts along each direction separately in MuJoCo"
                self.remarks.add(f"{joint.type} joint", meaning, joint.name, warn=True)
            return chain
        polynomial = expressible.advance_coefficients(joint, _DEGREE, "MJCF")
        chain = expressible.screw_chain(joint)
        self.screw_advances[chain[1].name] = (joint.name, polynomial)
        self.remarks.add(f"{joint.type} joint", "{is} written as a hinge and a slide that an equality couples", joint.name)
        return chain

    def _expand_coordinates(self, q: np.ndarray) -> np.ndarray:
        """The configuration of the mechanism that is written, from one of the original."""
        values = dict(zip(self.original.coordinate_names, q.tolist(), strict=True))
        for slide, (angle_name, polynomial) in self.screw_advances.items():
            values[slide] = float(np.polynomial.Polynomial(polynomial)(values[angle_name]))
        return np.array([values[name] for name in self.mechanism.coordinate_names])

    def _expand_speeds(self, q: np.ndarray, qd: Any) -> np.ndarray:
        """The speeds of the mechanism that is written, from those of the original."""
        values: dict[str, float] = {}
        speed_by_name = dict(zip(self.original.speed_names, qd, strict=True))
        for joint in self.original.joints:
            names = joint.speed_names if joint.kind.quaternion else joint.coordinate_names
            values |= dict(zip(names, (float(speed_by_name[speed]) for speed in joint.speed_names), strict=True))
            values |= {f"{joint.name}.p{x}": values.get(f"{joint.name}.v{x}", 0.0) for x in "xyz"}
        coordinates = dict(zip(self.original.coordinate_names, q, strict=True))
        for slide, (angle_name, polynomial) in self.screw_advances.items():
            values[slide] = float(np.polynomial.Polynomial(polynomial).deriv()(coordinates[angle_name])) * values[angle_name]
        return np.array([values[name] for name in self.mechanism.speed_names])

    @cached_property
    def _q_slices(self) -> dict[str, slice]:
        return q_slices(self.mechanism)

    @cached_property
    def _written_q(self) -> np.ndarray:
        """The configuration that the file has: as `q`, but with ball joints neutral, because MJCF has no other pose for them."""
        q, slices = self.q.copy(), self._q_slices
        for joint in self.mechanism.joints:
            if joint.type == "ball":
                q[slices[joint.name]] = joint.kind.neutral
        return q

    # -- the tree ------------------------------------------------------------------------------------------------------

    def _add_site(self, body: str, placement: Transform, name: str, part: str = "") -> str:
        label = self.site_names.name_for(part, name) if part else self.site_names.free_name(name)
        self.sites.setdefault(body, []).append(Tag("site", name=label, **_pose_attributes(numeric_placement(placement))))
        return label

    def _referenced_bodies(self) -> set[str]:
        """Bodies to which loops, frames or springs are fixed: they must not vanish in a body with several joints."""
        bodies = {x for loop in self.mechanism.loops for x in (loop.a, loop.b)} | {frame.body for frame in self.mechanism.frames}
        for spring in self.mechanism.springs:
            bodies |= {body for body, _ in getattr(spring, "points", ())}
        return bodies

    def _write_tree(self, world: Tag, names: dict[str, str], gravcomp: dict[str, float]) -> None:
        children: dict[str, list[Joint]] = {}
        for joint in self.mechanism.joints:
            children.setdefault(joint.parent, []).append(joint)
        pending = [(joint, world) for joint in reversed(children.get(GROUND, []))]
        while pending:
            joint, parent_element = pending.pop()
            chain = [joint]
            while self._is_intermediate(chain[-1], children):
                chain.append(children[chain[-1].child][0])
            body_element = self._write_body(chain, names, gravcomp)
            parent_element.add(body_element)
            pending += [(inner, body_element) for inner in reversed(children.get(chain[-1].child, []))]

    def _is_intermediate(self, joint: Joint, children: dict[str, list[Joint]]) -> bool:
        """Whether the body that a joint moves only connects it to the next joint."""
        body, child_joints = self.mechanism.body(joint.child), children.get(joint.child, [])
        empty = (
            not body.visuals and not any(float(x) for x in (body.mass, *body.inertia)) and body.name not in self.referenced_bodies
        )
        return (
            joint.type in _SCALAR_TYPES and empty and len(child_joints) == 1 and child_joints[0].type in (*_SCALAR_TYPES, "ball")
        )

    def _write_body(self, chain: Sequence[Joint], names: dict[str, str], gravcomp: dict[str, float]) -> Tag:
        q, slices = self._written_q, self._q_slices
        steps = [
            joint.placement.matrix() @ joint_displacement(joint, q[slices[joint.name]]) @ joint.child_placement.inverse().matrix()
            for joint in chain
        ]
        body = self.mechanism.body(chain[-1].child)
        pose = np.linalg.multi_dot([np.eye(4), np.eye(4), *steps])
        element = Tag(
            "body", name=self.body_names.name_for("body", body.name), **_pose_attributes(pose), gravcomp=gravcomp.get(body.name)
        )
        moves = any(joint.kind.nv for joint in chain)
        inertia = with_minimum_inertia(body, _MIN_INERTIA, self._min_mass, self.remarks) if moves else principal_inertia(body)
        if inertia.mass or any(inertia.moments):
            element.add(_write_inertial(body, inertia))
        to_last_body = np.eye(4)  # the pose of the last body in the one that a joint moves
        for joint, step in zip(reversed(chain), reversed(steps), strict=True):
            if joint.kind.nv:
                frame = np.linalg.inv(to_last_body) @ joint.child_placement.matrix()
                ref = float(q[slices[joint.name]][0]) if joint.kind.nq == 1 else 0.0
                element.children.insert(0, _write_joint(joint, names[joint.name], frame, ref, self.remarks))
            to_last_body = step @ to_last_body
        self.joints_in_file += [joint for joint in chain if joint.kind.nv]
        return element.add(*self.sites.get(body.name, ()), *_write_geoms(body, self.remarks))

    # -- keyframes and coordinates --------------------------------------------------------------------------------------

    def _write_keyframes(self) -> Tag:
        keyframe_writer = _KeyframeWriter(self.joints_in_file, self.mechanism)
        keyframe_names = UniqueNames(self.remarks)
        speeds = self.original.initial.qd
        moving = speeds is not None and any(float(x) for x in speeds)
        if self.has_start and (moving or any(joint.type == "ball" for joint in self.joints_in_file)):
            q = np.array([self.q[self.mechanism.coordinate_names.index(name)] for name in self.original.coordinate_names])
            qd = None if speeds is None else self._expand_speeds(q, speeds)
            keyframe_writer.add(keyframe_names.free_name(_START_KEYFRAME), self.q, qd)
            meaning = (
                f"is the keyframe {_START_KEYFRAME!r}; choose it when you read the file: load(path, keyframe={_START_KEYFRAME!r})"
            )
            self.remarks.add("the start", meaning)
        for name, pose in self.original.poses.items():
            keyframe_writer.add(
                keyframe_names.name_for("pose", name), self._expand_coordinates(np.array(pose, dtype=float)), None
            )
        return keyframe_writer.element

    def _coordinate_names(self, names: dict[str, str]) -> dict[str, str]:
        file_names: dict[str, str] = {}
        for joint in self.mechanism.joints:
            if joint.name not in self.screw_advances and not (joint.type == "free" and not joint.placement.is_identity):
                file_names |= {c: names[joint.name] + c.removeprefix(joint.name) for c in joint.coordinate_names}
        return {coordinate: file_names[coordinate] for coordinate in self.original.coordinate_names if coordinate in file_names}


# -- bodies, joints and geoms --------------------------------------------------------------------------------------------


def _write_inertial(body: Body, principal: PrincipalInertia) -> Tag:
    """The <inertial> along the principal axes, computed here because those of MuJoCo have errors up to 1e-7."""
    return Tag(
        "inertial", pos=tuple(body.center), quat=principal.orientation or None, mass=principal.mass, diaginertia=principal.moments
    )


def _pose_attributes(placement: Transform | np.ndarray) -> dict[str, tuple[float, ...]]:
    """The attributes of a placement; none where it is the identity."""
    offset = Transform.from_matrix(placement) if isinstance(placement, np.ndarray) else placement
    attributes: dict[str, tuple[float, ...]] = {}
    if any(float(x) for x in offset.position):
        attributes["pos"] = tuple(offset.position)
    if not np.array_equal(np.array(offset.rotation, dtype=float), np.eye(3)):
        attributes["quat"] = quaternion_wxyz(offset.rotation)
    return attributes


def _write_joint(joint: Joint, name: str, joint_frame: np.ndarray, ref: float, remarks: WriterNotes) -> Tag:
    """A joint whose frame in the body is `joint_frame`; `ref` is its coordinate in the pose in which the model is written."""
    kind = _JOINT_TYPES[joint.type]
    viscous, dry = friction_coefficients(joint, remarks)
    attributes: dict[str, object] = {"type": kind}
    if kind != "free" and joint_frame[:3, 3].any():
        attributes["pos"] = tuple(joint_frame[:3, 3].tolist())
    if kind in ("hinge", "slide"):
        attributes["axis"] = tuple((joint_frame[:3, :3] @ np.array(joint.axis, dtype=float)).tolist())
        attributes |= {"ref": ref} if ref else {}
        attributes |= _write_ranges(joint, remarks)
    attributes |= {"damping": viscous} if viscous else {}
    attributes |= {"frictionloss": dry} if dry else {}
    if dry and kind == "free":
        meaning = "{has} dry friction, which acts along the axes of the world in MuJoCo, not along those of the body"
        remarks.add("free joint", meaning, joint.name, warn=True)
    if kind == "free":
        return Tag("joint", name=name, **attributes)
    attributes |= {"armature": joint.rotor.reflected_inertia} if float(joint.rotor.inertia) else {}
    if float(joint.spring.stiffness):
        attributes["stiffness"] = joint.spring.stiffness
        attributes |= {"springref": joint.spring.rest} if kind != "ball" and float(joint.spring.rest) else {}
    return Tag("joint", name=name, **attributes)


def _write_ranges(joint: Joint, remarks: WriterNotes) -> dict[str, object]:
    limits = joint.limits
    attributes: dict[str, object] = {}
    if has_limits(joint) and limits.lower < limits.upper:
        attributes["range"] = (write_bound(limits.lower), write_bound(limits.upper))
    elif has_limits(joint):
        meaning = "{has} equal lower and upper limits, which are left out because MuJoCo refuses them"
        remarks.add("joint", meaning, joint.name, warn=True)
    if math.isfinite(limits.effort) and limits.effort > 0:
        attributes["actuatorfrcrange"] = (-limits.effort, limits.effort)
    if math.isfinite(limits.speed):
        remarks.add("joint", "{has} a speed limit, which is left out because MJCF has none", joint.name)
    return attributes


def _write_geoms(body: Body, remarks: WriterNotes) -> list[Tag]:
    """The geoms that draw a body, without contacts."""
    return [element for visual in body.visuals if (element := _write_geom(visual, body.name, remarks)) is not None]


def _write_geom(visual: Visual, body: str, remarks: WriterNotes) -> Tag | None:
    size = tuple(float(x) for x in visual.size)
    match visual.kind:
        case "box":
            size = tuple(x / 2 for x in size)
        case "cylinder" | "capsule":
            size = (size[0], size[1] / 2)
        case "sphere" | "ellipsoid":
            pass
        case "point":
            return None
        case _:
            remarks.add("body", "{has} meshes, which are left out because MuJoCo needs their files", body)
            return None
    if not all(x > 0 for x in size):
        return None
    rgba = (*visual.color, 1.0)[:4] if visual.color else None
    attributes = _pose_attributes(visual.placement)
    return Tag("geom", type=visual.kind, size=size, **attributes, rgba=rgba, contype=0, conaffinity=0, group=1)


def _rotation_only(placement: Transform) -> Transform:
    """A placement without its position."""
    return Transform(placement.rotation, v.ZERO)


# -- actuators and keyframes ---------------------------------------------------------------------------------------------


def _write_actuators(m: Mechanism, joint_names: Mapping[str, str], remarks: WriterNotes) -> Tag:
    """A motor for every joint with one; where the mechanism has an initial torque, an actuator that exerts it."""
    element, names = Tag("actuator"), UniqueNames(remarks)
    torques = dict(m.initial.torque)
    for joint in m.joints:
        if joint.kind.quaternion:
            if any(speed in torques for speed in joint.speed_names):
                meaning = "{has} an initial torque, which is left out because MJCF has none for joints of this type"
                remarks.add("joint", meaning, joint.name, warn=True)
            continue
        for coordinate, speed in zip(joint.coordinate_names, joint.speed_names, strict=True):
            if speed in torques:
                element.add(*_write_torque(coordinate, speed, torques[speed], joint_names[coordinate], names, remarks))
            elif joint.actuated:
                effort = joint.limits.effort
                bounds = (-effort, effort) if 0 < effort < float("inf") else None
                element.add(
                    Tag(
                        "motor",
                        name=names.name_for("motor", joint_names[coordinate]),
                        joint=joint_names[coordinate],
                        ctrlrange=bounds,
                    )
                )
    return element


def _write_torque(coordinate: str, speed: str, torque: Scalar, joint: str, names: UniqueNames, remarks: WriterNotes) -> list[Tag]:
    linear_form = affine_coefficients(torque)
    allowed_symbols = {coordinate, f"{_SPEED_PREFIX}{speed}"}
    if linear_form is None or not set(linear_form[0]) <= allowed_symbols:
        meaning = "{has} an initial torque, which is left out because actuators of MJCF are linear in the motion of their joint"
        remarks.add("joint", meaning, coordinate, warn=True)
        return [Tag("motor", name=names.name_for("motor", joint), joint=joint)]
    if any(name.startswith(CONTROL_PREFIX) for name in parameters(torque)):
        remarks.add("joint", "{has} an actuator, which is written with the current value of {its} control", coordinate)
    bias = (linear_form[1], linear_form[0].get(coordinate, 0.0), linear_form[0].get(f"{_SPEED_PREFIX}{speed}", 0.0))
    return [Tag("general", name=names.name_for("motor", joint), joint=joint, biastype="affine", biasprm=bias)]


class _KeyframeWriter:
    """Writes keyframes, in the order of the joints in the file."""

    def __init__(self, joints_in_file: Sequence[Joint], mechanism: Mechanism) -> None:
        self.joints_in_file, self.mechanism, self.slices = joints_in_file, mechanism, q_slices(mechanism)
        self.element = Tag("keyframe")

    def add(self, name: str, q: np.ndarray, qd: np.ndarray | None) -> None:
        """Add a configuration of the mechanism that is written, with speeds unless they are None."""
        qpos: list[float] = []
        qvel: list[float] = []
        speeds = np.cumsum([0, *(j.kind.nv for j in self.mechanism.joints)])
        speed_start = {j.name: int(k) for j, k in zip(self.mechanism.joints, speeds, strict=False)}
        for joint in self.joints_in_file:
            joint_q = q[self.slices[joint.name]]
            joint_qd = (
                np.zeros(joint.kind.nv) if qd is None else qd[speed_start[joint.name] : speed_start[joint.name] + joint.kind.nv]
            )
            if joint.type == "free":
                R0, p0 = (np.array(x, dtype=float) for x in (joint.placement.rotation, joint.placement.position))
                R = R0 @ quaternion.matrix(joint_q[:4] / np.linalg.norm(joint_q[:4]))
                qpos += [*(p0 + R0 @ joint_q[4:]).tolist(), *quaternion_wxyz(tuple(map(tuple, R.tolist())))]  # type: ignore[arg-type]
                qvel += [*(R @ joint_qd[3:]).tolist(), *joint_qd[:3].tolist()]
                continue
            qpos += joint_q.tolist()
            qvel += joint_qd.tolist()
        self.element.add(Tag("key", name=name, qpos=tuple(qpos), qvel=None if qd is None else tuple(qvel)))
