"""Every link as a free body: how it moves, what that takes, and what its joint carries (Newton and Euler, link by link).

Craig, Introduction to Robotics, section 6.5: outward from the ground w, al, a and a_C, and with them F = m a_C and
N = I_C al + w x I_C w; inward from the tips the force f and the moment n that the joint exerts on its link. Gravity is an upward
acceleration of the ground, so that a, a_C and F hold it. Springs between points pull at the links, and the joints carry that too.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from lagrangian.equations import forces
from lagrangian.equations.algebra.ring import Element
from lagrangian.equations.derivations.newton_euler import Motion, Wrench, outward, summed, wrench
from lagrangian.equations.kinematics import link_pose, point
from lagrangian.equations.reading import lengths
from lagrangian.equations.reading.link import Link
from lagrangian.equations.reading.system import System
from lagrangian.model import vector as v
from lagrangian.model.spring import PointSpring


@dataclass(frozen=True)
class FreeBody:
    """Of one link, in its own axes. The centre of mass is h / m: what is about it stands over the mass."""

    link: Link
    motion: Motion
    gravity: v.Vector  # in the link's axes
    F: v.Vector  # m a_C
    N: v.Vector  # the moment about the centre, times the mass if there is one
    f: v.Vector  # what the joint exerts on the link
    n: v.Vector  # and its moment, at the joint

    @property
    def along_axis(self) -> Any:
        """What the joint's drive, spring and friction supply: a component of n for a turn, of f for a slide, both for a screw."""
        axis = v.mat_t_vec(self.link.after.R, v.Z)
        turning = v.dot(axis, self.n) if self.link.turns else 0
        return turning + self.link.rise * v.dot(axis, self.f)


def free_bodies(system: System) -> list[FreeBody]:
    """Of all links, parents before children."""
    motions = outward(system)
    own = [wrench(link.inertia, motion) for link, motion in zip(system.links, motions, strict=True)]
    loads: list[Wrench] = [(v.ZERO, v.ZERO) for _ in system.links]
    for i, (force, moment) in spring_loads(system):
        loads[i] = v.add(loads[i][0], force), v.add(loads[i][1], moment)
    carried = summed(system, [(v.sub(F, f), v.sub(N, n)) for (F, N), (f, n) in zip(own, loads, strict=True)])
    found = []
    down: list[v.Vector] = []
    for link, motion, (F, N), (f, n) in zip(system.links, motions, own, carried, strict=True):
        down.append(link.to_child(down[link.parent] if link.parent >= 0 else system.gravity))
        mass = system.ring(link.inertia.mass)
        about_center = v.sub(v.scale(mass, N), v.cross(link.inertia.h, F)) if mass else N
        at = v.neg(v.mat_t_vec(link.after.R, link.after.p))  # of the joint in the link's frame
        found.append(FreeBody(link, motion, down[-1], F, about_center, f, v.sub(n, v.cross(at, f))))
    return found


def spring_loads(system: System) -> Iterator[tuple[int, Wrench]]:
    """What springs between points, and what carries weight, exert on links: force and moment at the origin, in its axes."""
    for body, at, force in _pulls(system):
        i, _ = system.place(body)
        if i >= 0:
            pose = link_pose(system, i)
            moment = v.cross(v.sub(at, pose.p), force)
            yield i, (v.mat_t_vec(pose.R, force), v.mat_t_vec(pose.R, moment))


def _pulls(system: System) -> Iterator[tuple[str, v.Vector, v.Vector]]:
    """Bodies, the points of the world at which they are pulled, and the forces, along the world's axes."""
    for spring in system.springs:
        pulled = tension(system, spring)
        for piece in lengths.pieces(spring):
            a, b = point(system, *piece.a), point(system, *piece.b)
            pull = v.scale(system.ring.generator(piece.inverse_name) * pulled, v.sub(b, a))  # on the end at a, towards b
            yield piece.a[0], a, pull
            yield piece.b[0], b, v.neg(pull)
    for _, body, force, at in forces.carried_weights(system):
        yield body, at, force


def tension(system: System, spring: PointSpring) -> Element:
    """k (s - rest) + c s'."""
    ring, of = system.ring, system.scalars.of
    length = lengths.length(system, spring)
    rate: Any = ring.zero
    for k in range(system.n):
        rate = rate + ring.derivative(length, k) * system.speed(k)
    return ring(of(spring.stiffness) * (length - of(spring.rest)) + of(spring.damping) * rate)
