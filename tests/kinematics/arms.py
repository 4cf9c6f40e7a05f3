"""Constructed serial arms, given by their axes in the world at q = 0, and forward kinematics in plain numpy."""

import numpy as np

import lagrangian as lg
from tests.library.tree_kinematics import motion

X, Y, Z = np.eye(3)


def serial(axes, points, tip, order=None, **more):
    """Revolute joints on these axes; the frame "tip" stands there, turned."""
    bodies, joints, before, parent = [], [], np.zeros(3), "ground"
    for k, (w, p) in enumerate(zip(axes, np.array(points, dtype=float), strict=True)):
        bodies.append(lg.Body(f"b{k}"))
        joints.append(lg.Joint(f"j{k}", "revolute", parent, f"b{k}", lg.Transform(position=tuple(p - before)), axis=tuple(w)))
        before, parent = p, f"b{k}"
    frame = lg.Frame("tip", parent, lg.Transform.from_quaternion(np.asarray(tip) - before, (1, 0.2, 0.3, 0.4)))
    joints = [joints[k] for k in order] if order else joints
    return lg.Mechanism("arm", bodies, joints, frames=(frame,), **more)


def unit(x):
    return x / np.linalg.norm(x)


def arm_with_wrist(kind, rng, rounding=0.0):
    """Six random axes, the last three through one point. `kind` names what is special of the first three (parallel `p`,
    intersecting `i`, `orthogonal`), of the wrist (`euler`: perpendicular axes), or of all (`mirrored`: the first three meet).
    """
    W, P, centre = [unit(w) for w in rng.normal(size=(6, 3))], list(rng.normal(size=(6, 3))), rng.normal(size=3)
    if "orthogonal" in kind:
        W[:3] = np.linalg.qr(rng.normal(size=(3, 3)))[0].T
    for a, b in ((0, 1), (1, 2)):
        if f"p{a + 1}{b + 1}" in kind:
            W[b] = W[a] * rng.choice([-1, 1])
        if f"i{a + 1}{b + 1}" in kind:
            P[b] = P[a] + rng.normal() * W[a] + rng.normal() * W[b]
    if "euler" in kind:
        W[4] = unit(np.cross(W[3], rng.normal(size=3)))
        W[5] = unit(np.cross(W[4], rng.normal(size=3)))
    W, P = [unit(w + rounding * rng.normal(size=3)) for w in W], [p + rounding * rng.normal(size=3) for p in P]
    P[3:] = [centre + w * rng.normal() for w in W[3:]]
    return serial(W[::-1], P[::-1], rng.normal(size=3)) if "mirrored" in kind else serial(W, P, rng.normal(size=3))


def pose(mechanism, q, frame="tip"):
    """The frame's 4x4 matrix in the world: the joints' placements and motions, from the frame back to the ground."""
    frame = mechanism.frame(frame)
    T, body = frame.placement.matrix(), frame.body
    joint_of = {j.child: j for j in mechanism.joints}
    at = dict(zip((j.name for j in mechanism.joints), np.cumsum([0, *(j.kind.nq for j in mechanism.joints)]), strict=False))
    while body in joint_of:
        joint = joint_of[body]
        moved = np.eye(4) if joint.type == "fixed" else motion(joint, q[at[joint.name] :])[0]
        T = joint.placement.matrix() @ moved @ np.linalg.inv(joint.child_placement.matrix()) @ T
        body = joint.parent
    return T


def apart(a, b):
    """The largest difference of the angles, whole turns aside."""
    return np.abs(np.sin((np.asarray(a) - np.asarray(b)) / 2)).max() * 2


def upright():
    """Shoulder, elbow and wrist in line with the first axis where all angles are zero: every singularity at once."""
    heights = [0, 0.3, 0.8, 1.0, 1.2, 1.3]
    return serial([Z, Y, Y, Z, Y, Z], np.outer(heights, Z), 1.4 * Z)
