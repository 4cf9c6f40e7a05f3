"""Newton's and Euler's equations, link by link: motion outward from the ground, forces inward from the tips.

Luh, Walker and Paul, On-line computational scheme for mechanical manipulators, 1980; Craig, Introduction to Robotics,
section 6.5. Everything is in the links' own axes and about their frames' origins: with the first moment h = m c no centre of mass
is needed. Gravity enters as an upward acceleration of the ground.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from lagrangian.equations.algebra.ring import RingElement
from lagrangian.equations.reading.link import Inertia, SymbolicLink
from lagrangian.equations.reading.system import SymbolicSystem
from lagrangian.model import vector as v

Wrench = tuple[v.Vector, v.Vector]  # force and moment


@dataclass(frozen=True)
class SymbolicMotion:
    """A link's angular velocity w and acceleration al, and its origin's acceleration a, in its own axes."""

    w: v.Vector
    al: v.Vector
    a: v.Vector


def newton_euler_torques(system: SymbolicSystem) -> list[RingElement]:
    """The joints' torques and forces, tau(q, q', q''), with the rotors and without friction and springs."""
    tau = [system.ring.zero] * system.n
    for link, (f, n) in zip(system.links, joint_wrenches(system), strict=True):
        axis, slide = link.motion_subspace
        tau[link.k] = system.ring(v.dot(axis, n) + v.dot(slide, f) + link.rotor * system.acceleration(link.k))
    return tau


def joint_wrenches(system: SymbolicSystem) -> list[Wrench]:
    """The wrench that every joint carries: its own link's and its children's, about the link's origin and in its axes."""
    return accumulate_wrenches(
        system,
        [inertia_force_and_moment(link.inertia, motion) for link, motion in zip(system.links, link_motions(system), strict=True)],
    )


def accumulate_wrenches(system: SymbolicSystem, wrenches: Sequence[Wrench]) -> list[Wrench]:
    """Every link's wrench and those of all links beyond it, about the link's origin and in its axes."""
    total = list(wrenches)
    for i in range(len(system.links) - 1, -1, -1):
        link, (f, n) = system.links[i], total[i]
        if link.parent >= 0:
            f, n = link.to_parent(f), link.to_parent(n)
            n = v.add(n, v.cross(link.offset, f))  # about the parent's origin
            force, moment = total[link.parent]
            total[link.parent] = v.add(force, f), v.add(moment, n)
    return total


def link_motions(system: SymbolicSystem) -> list[SymbolicMotion]:
    """The motion of every link in its own axes, with gravity as an upward acceleration of the ground."""
    ground = SymbolicMotion(v.ZERO, v.ZERO, v.neg(system.gravity))
    motions: list[SymbolicMotion] = []
    for link in system.links:
        parent = motions[link.parent] if link.parent >= 0 else ground
        motions.append(propagate_across_joint(system, link, parent))
    return motions


def propagate_across_joint(system: SymbolicSystem, link: SymbolicLink, parent: SymbolicMotion) -> SymbolicMotion:
    """The motion of a link, from the motion of its parent across its joint."""
    qd, qdd = system.speed(link.k), system.acceleration(link.k)
    axis, slide = link.motion_subspace  # of a unit rate, in the link's axes
    r = link.offset
    w = link.to_child(parent.w)  # the parent's angular velocity, in the link's axes
    turning = v.scale(qd, axis)
    sliding = v.scale(qd, slide)
    # the parent carries the link's origin along: a + al x r + w x (w x r)
    transport = v.add(parent.a, v.add(v.cross(parent.al, r), v.cross(parent.w, v.cross(parent.w, r))))
    # and the joint moves it in the parent: q'' s + q' a x q' s, with Coriolis' 2 w x q' s; s itself may change with q
    relative = v.add(v.scale(qdd, slide), v.cross(turning, sliding))
    relative = v.add(relative, v.scale(qd * qd, link.motion_subspace_derivative))
    coriolis = v.scale(2, v.cross(w, sliding))
    return SymbolicMotion(
        w=v.add(w, turning),
        al=v.add(link.to_child(parent.al), v.add(v.scale(qdd, axis), v.cross(w, turning))),
        a=v.add(link.to_child(transport), v.add(relative, coriolis)),
    )


def inertia_force_and_moment(body: Inertia, motion: SymbolicMotion) -> Wrench:
    """Force and moment about its origin that a link's motion takes: Newton's and Euler's equations."""
    w, al, a = motion.w, motion.al, motion.a
    force = v.add(v.scale(body.mass, a), v.add(v.cross(al, body.h), v.cross(w, v.cross(w, body.h))))
    moment = v.add(v.sym_vec(body.I, al), v.add(v.cross(w, v.sym_vec(body.I, w)), v.cross(body.h, a)))
    return force, moment
