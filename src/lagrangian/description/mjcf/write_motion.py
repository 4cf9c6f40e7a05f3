"""How an MJCF model begins and is driven: keyframes and actuators."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from lagrangian.description.writing.formulas import affine
from lagrangian.description.writing.names import Names
from lagrangian.description.writing.poses import slices
from lagrangian.description.writing.tags import Tag
from lagrangian.description.writing.turning import wxyz
from lagrangian.description.writing.written import Remarks
from lagrangian.model.configuration import CONTROL
from lagrangian.model.expression import Scalar, parameters
from lagrangian.model.joint import Joint
from lagrangian.model.mechanism import Mechanism
from lagrangian.model.rotation import quaternion

_PRIMES = "qd_"


def actuators(m: Mechanism, joints: Mapping[str, str], remarks: Remarks) -> Tag:
    """A motor at every joint that has one; where the mechanism says a torque, an actuator that exerts it."""
    made, names = Tag("actuator"), Names(remarks)
    torques = dict(m.initial.torque)
    for joint in m.joints:
        if joint.kind.quaternion:
            if any(speed in torques for speed in joint.speed_names):
                meaning = "{has} an initial torque, which is left out because MJCF has none for joints of this type"
                remarks.add("joint", meaning, joint.name, warn=True)
            continue
        for coordinate, speed in zip(joint.coordinate_names, joint.speed_names, strict=True):
            if speed in torques:
                made.add(*_exerting(coordinate, speed, torques[speed], joints[coordinate], names, remarks))
            elif joint.actuated:
                effort = joint.limits.effort
                bounds = (-effort, effort) if 0 < effort < float("inf") else None
                made.add(Tag("motor", name=names("motor", joints[coordinate]), joint=joints[coordinate], ctrlrange=bounds))
    return made


def _exerting(coordinate: str, speed: str, torque: Scalar, joint: str, names: Names, remarks: Remarks) -> list[Tag]:
    sides = affine(torque)
    known = {coordinate, f"{_PRIMES}{speed}"}
    if sides is None or not set(sides[0]) <= known:
        meaning = "{has} an initial torque, which is left out because actuators of MJCF are linear in the motion of their joint"
        remarks.add("joint", meaning, coordinate, warn=True)
        return [Tag("motor", name=names("motor", joint), joint=joint)]
    if any(name.startswith(CONTROL) for name in parameters(torque)):
        remarks.add("joint", "{has} an actuator, which is written with the current value of {its} control", coordinate)
    bias = (sides[1], sides[0].get(coordinate, 0.0), sides[0].get(f"{_PRIMES}{speed}", 0.0))
    return [Tag("general", name=names("motor", joint), joint=joint, biastype="affine", biasprm=bias)]


class Keys:
    """Keyframes, in the order of the file's joints."""

    def __init__(self, order: Sequence[Joint], m: Mechanism) -> None:
        self.order, self.m, self.at = order, m, slices(m)
        self.made = Tag("keyframe")

    def add(self, name: str, q: np.ndarray, qd: np.ndarray | None) -> None:
        """A configuration of the mechanism that is written, with speeds where they are given."""
        qpos: list[float] = []
        qvel: list[float] = []
        speeds = np.cumsum([0, *(j.kind.nv for j in self.m.joints)])
        start = {j.name: int(k) for j, k in zip(self.m.joints, speeds, strict=False)}
        for joint in self.order:
            part = q[self.at[joint.name]]
            rate = np.zeros(joint.kind.nv) if qd is None else qd[start[joint.name] : start[joint.name] + joint.kind.nv]
            if joint.type == "free":
                R0, p0 = (np.array(x, dtype=float) for x in (joint.placement.rotation, joint.placement.position))
                R = R0 @ quaternion.matrix(part[:4] / np.linalg.norm(part[:4]))
                qpos += [*(p0 + R0 @ part[4:]).tolist(), *wxyz(tuple(map(tuple, R.tolist())))]  # type: ignore[arg-type]
                qvel += [*(R @ rate[3:]).tolist(), *rate[:3].tolist()]
                continue
            qpos += part.tolist()
            qvel += rate.tolist()
        self.made.add(Tag("key", name=name, qpos=tuple(qpos), qvel=None if qd is None else tuple(qvel)))
