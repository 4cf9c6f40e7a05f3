"""Positions, Jacobians and the mass matrix of a tree, in plain numpy: enough to hold the library's data to published numbers."""

import math

import numpy as np


def rotation(axis, angle):
    """Rodrigues' formula."""
    x, y, z = (float(c) for c in axis)
    K = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    return np.eye(3) + math.sin(angle) * K + (1 - math.cos(angle)) * K @ K


def rotation_matrix(quaternion):
    w, x, y, z = quaternion
    return np.array(
        [
            [w * w + x * x - y * y - z * z, 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), w * w - x * x + y * y - z * z, 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), w * w - x * x - y * y + z * z],
        ]
    )


def motion(joint, q):
    """The joint's 4x4 motion, and its columns (angular, linear) in the joint's frame."""
    T, axis, none = np.eye(4), np.array([float(c) for c in joint.axis]) if joint.axes else None, np.zeros(3)
    if joint.type == "universal":
        axis2, first = np.array([float(c) for c in joint.axis2]), rotation(axis, q[0])
        T[:3, :3] = first @ rotation(axis2, q[1])
        return T, [(axis, none), (first @ axis2, none)]
    if joint.type == "ball":
        T[:3, :3] = rotation_matrix(q)
        return T, [(e, none) for e in T[:3, :3].T]  # speeds are along the child's axes
    if joint.type == "free":
        T[:3, :3], T[:3, 3] = rotation_matrix(q[:4]), q[4:]
        along = T[:3, :3].T  # speeds are along the child's axes
        return T, [*((e, none) for e in along), *((none, e) for e in along)]
    if joint.type in ("revolute", "continuous"):
        T[:3, :3] = rotation(axis, q[0])
        return T, [(axis, np.zeros(3))]
    if joint.type == "prismatic":
        T[:3, 3] = axis * q[0]
        return T, [(np.zeros(3), axis)]
    assert joint.type == "planar"
    assert tuple(joint.axis) == (0, 0, 1)
    T[:3, :3], T[:2, 3] = rotation(axis, q[2]), q[:2]
    return T, [(np.zeros(3), np.eye(3)[0]), (np.zeros(3), np.eye(3)[1]), (axis, np.zeros(3))]


class Tree:
    """The frames of all bodies at q, and which joint columns move them."""

    def __init__(self, mechanism, q):
        self.m = mechanism
        self.T = {"ground": np.eye(4)}
        self.columns = {"ground": {}}  # of each body: {speed: (axis, point, linear direction)} in the world
        at_q = at_v = 0
        for joint in mechanism.joints:
            before = self.T[joint.parent] @ joint.placement.matrix()
            M, columns = motion(joint, q[at_q : at_q + joint.kind.nq])
            self.T[joint.child] = before @ M @ np.linalg.inv(joint.child_placement.matrix())
            point = (before @ M)[:3, 3]  # a planar joint turns about the moved origin
            moved = dict(self.columns[joint.parent])
            for k, (angular, linear) in enumerate(columns):
                moved[at_v + k] = (before[:3, :3] @ angular, point, before[:3, :3] @ linear)
            self.columns[joint.child] = moved
            at_q, at_v = at_q + joint.kind.nq, at_v + joint.kind.nv

    def point(self, body, local):
        return (self.T[body] @ np.array([*map(float, local), 1.0]))[:3]

    def jacobian(self, body, local):
        """Rows: angular velocity, then the velocity of the point."""
        J, r = np.zeros((6, self.m.nv)), self.point(body, local)
        for k, (axis, origin, direction) in self.columns[body].items():
            J[:3, k], J[3:, k] = axis, direction + np.cross(axis, r - origin)
        return J

    def mass_matrix(self):
        M = np.diag([float(j.rotor.reflected_inertia) for j in self.m.joints for _ in range(j.kind.nv)])
        for body in self.m.bodies:
            J, R = self.jacobian(body.name, body.center), self.T[body.name][:3, :3]
            M += J[:3].T @ R @ body.inertia_matrix @ R.T @ J[:3] + float(body.mass) * J[3:].T @ J[3:]
        return M

    def gravity(self):
        g = np.array([float(x) for x in self.m.gravity])
        return -sum(float(b.mass) * self.jacobian(b.name, b.center)[3:].T @ g for b in self.m.bodies)

    def potential(self):
        g = np.array([float(x) for x in self.m.gravity])
        return -sum(float(b.mass) * g @ self.point(b.name, b.center) for b in self.m.bodies)

    def loop_residual(self):
        """The gaps of the loops: of a `point` along its directions, of a `revolute` also how far its axes are from parallel.

        Of a `distance`, how much longer it is.
        """
        gaps = []
        for loop in self.m.loops:
            if loop.type == "distance":
                gaps.append(np.linalg.norm(self.between(loop)) - float(loop.length))
                continue
            A = self.T[loop.a] @ loop.a_placement.matrix()
            gap = A[:3, :3].T @ (self.point(loop.b, loop.b_placement.position) - A[:3, 3])
            gaps += [gap["xyz".index(d)] for d in dict(loop.type_entries).get("directions", ("x", "y", "z"))]
            if loop.type == "revolute":
                gaps += [x @ self.axis(loop, "b") for x in self.across(loop)]
        return np.array(gaps)

    def between(self, loop):
        """From the loop's point on body a to that on body b."""
        return self.point(loop.b, loop.b_placement.position) - self.point(loop.a, loop.a_placement.position)

    def axis(self, loop, side):
        body, placement = (loop.a, loop.a_placement) if side == "a" else (loop.b, loop.b_placement)
        return (self.T[body] @ placement.matrix())[:3, :3] @ np.array([float(c) for c in loop.axis])

    def across(self, loop):
        """Two directions of body a, across the loop's axis."""
        return np.linalg.svd(self.axis(loop, "a")[None])[2][1:]

    def loop_jacobian(self):
        """Of the gaps in world axes, where they are closed."""
        rows = [np.zeros((0, self.m.nv))]
        for loop in self.m.loops:
            J = self.jacobian(loop.b, loop.b_placement.position) - self.jacobian(loop.a, loop.a_placement.position)
            if loop.type == "distance":
                rows.append(self.between(loop)[None] @ J[3:] / float(loop.length))
                continue
            rows.append(J[3:5] if loop.type == "point" else J[3:])  # the library's points are those of planar linkages
            if loop.type == "revolute":
                rows.append([np.cross(self.axis(loop, "b"), x) @ J[:3] for x in self.across(loop)])
        return np.vstack(rows)
