"""Every link as a free body: how it moves, what that takes, and what its joint carries (Newton and Euler, link by link).

Craig, Introduction to Robotics, section 6.5: outward from the ground w, al, a and a_C, and with them F = m a_C and
N = I_C al + w x I_C w; inward from the tips the force f and the moment n that the joint exerts on its link. Gravity is an upward
acceleration of the ground, so that a, a_C and F hold it. Springs between points pull at the links, and the joints carry that too.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from lagrangian.equations import energies
from lagrangian.equations.algebra.ring import RingElement
from lagrangian.equations.derivations.newton_euler import (
    SymbolicMotion,
    Wrench,
    accumulate_wrenches,
    inertia_force_and_moment,
    link_motions,
)
from lagrangian.equations.kinematics import link_pose, point_position
from lagrangian.equations.reading.lengths import spring_length, spring_segments
from lagrangian.equations.reading.link import SymbolicLink
from lagrangian.equations.reading.system import SymbolicSystem
from lagrangian.model import vector as v
from lagrangian.model.spring import PointSpring


@dataclass(frozen=True)
class FreeBody:
    """The free body of one link, in the link's own axes, with the forces and moments on it.

    The centre of mass is h / m. Moments about it would have the mass as a denominator, so they are multiplied by it.
    """

    link: SymbolicLink
    motion: SymbolicMotion
    gravity: v.Vector  # in the link's axes
    F: v.Vector  # m a_C
    N: v.Vector  # the moment about the centre, times the mass if there is one
    f: v.Vector  # what the joint exerts on the link
    n: v.Vector  # and its moment, at the joint

    @property
    def axis_component(self) -> Any:
        """The force or moment along the axis that the joint's drive, spring and friction supply together.

        It is a component of n for a joint that turns, of f for one that slides, and of both for a screw.
        """
        axis = v.mat_t_vec(self.link.joint_to_link.R, v.Z)
        turning = v.dot(axis, self.n) if self.link.turns else 0
        return turning + self.link.rise * v.dot(axis, self.f)


def free_bodies(system: SymbolicSystem) -> list[FreeBody]:
    """The free bodies of all links, parents before children."""
    motions = link_motions(system)
    inertia_wrenches = [
        inertia_force_and_moment(link.inertia, motion) for link, motion in zip(system.links, motions, strict=True)
    ]
    loads: list[Wrench] = [(v.ZERO, v.ZERO) for _ in system.links]
    for i, (force, moment) in spring_wrenches(system):
        loads[i] = v.add(loads[i][0], force), v.add(loads[i][1], moment)
    joint_wrenches = accumulate_wrenches(
        system, [(v.sub(F, f), v.sub(N, n)) for (F, N), (f, n) in zip(inertia_wrenches, loads, strict=True)]
    )
    bodies = []
    gravities: list[v.Vector] = []
    for link, motion, (F, N), (f, n) in zip(system.links, motions, inertia_wrenches, joint_wrenches, strict=True):
        gravities.append(link.to_child(gravities[link.parent] if link.parent >= 0 else system.gravity))
        mass = system.ring(link.inertia.mass)
        about_center = v.sub(v.scale(mass, N), v.cross(link.inertia.h, F)) if mass else N
        joint_position = v.neg(v.mat_t_vec(link.joint_to_link.R, link.joint_to_link.p))  # of the joint in the link's frame
        bodies.append(FreeBody(link, motion, gravities[-1], F, about_center, f, v.sub(n, v.cross(joint_position, f))))
    return bodies


def spring_wrenches(system: SymbolicSystem) -> Iterator[tuple[int, Wrench]]:
    """Yield the wrenches of springs between points and of gravity compensations, each with the number of its link.

    A wrench is the force and the moment about the link's origin, in the link's axes.
    """
    for body, position, force in _spring_forces(system):
        i, _ = system.locate_body(body)
        if i >= 0:
            pose = link_pose(system, i)
            moment = v.cross(v.sub(position, pose.p), force)
            yield i, (v.mat_t_vec(pose.R, force), v.mat_t_vec(pose.R, moment))


def _spring_forces(system: SymbolicSystem) -> Iterator[tuple[str, v.Vector, v.Vector]]:
    """Bodies, the points of the world at which they are pulled, and the forces, along the world's axes."""
    for spring in system.point_springs:
        tension = spring_tension(system, spring)
        for segment in spring_segments(spring):
            a, b = point_position(system, *segment.a), point_position(system, *segment.b)
            pull = v.scale(system.ring.generator(segment.inverse_name) * tension, v.sub(b, a))  # on the end at a, towards b
            yield segment.a[0], a, pull
            yield segment.b[0], b, v.neg(pull)
    for _, body, force, position in energies.compensating_forces(system):
        yield body, position, force


def spring_tension(system: SymbolicSystem, spring: PointSpring) -> RingElement:
    """The tension of a spring between two points: k (s - rest) + c s', where s is its length."""
    ring, read = system.ring, system.scalars.read
    length = spring_length(system, spring)
    rate: Any = ring.zero
    for k in range(system.n):
        rate = rate + ring.derivative(length, k) * system.speed(k)
    return ring(read(spring.stiffness) * (length - read(spring.rest)) + read(spring.damping) * rate)
