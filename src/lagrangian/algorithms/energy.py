"""Kinetic and potential energy, centre of mass, momentum."""

from __future__ import annotations

from typing import Any

from lagrangian.algorithms.coriolis import SPEED, link_velocities
from lagrangian.algorithms.link import Link, is_zero
from lagrangian.algorithms.nested import SCALAR, VECTOR
from lagrangian.algorithms.sweep import Algorithm, OutputLayout, Values, inward, outward
from lagrangian.algorithms.tree import Tree
from lagrangian.model import vector as v


@outward(SPEED, save={"energy": SCALAR})
def kinetic(link: Link, parent: Values) -> tuple[Values, Values]:
    """1/2 m v.v + m v.(w x c) + 1/2 w.I w, and 1/2 r^2 J_m qd^2 of the rotor."""
    carry, _ = link_velocities.step(link, parent)
    w, u = carry["w"], carry["u"]
    twice = v.dot(u, v.add(v.scale(link.mass, u), v.scale(2, v.cross(w, link.h)))) + v.dot(w, v.sym_vec(link.I, w))
    for rate in link.qd:
        twice = twice + link.rotor * (rate * rate)
    return carry, {"energy": twice * 0.5}


@inward({"energy": SCALAR})
def total_energy(link: Link, children: Values) -> tuple[Values, Values]:
    return {"energy": link.energy + children["energy"]}, {}


def ground_gravity(tree: Tree) -> Values:
    return {"g": tree.gravity}


@outward({"g": VECTOR, "x": SCALAR}, save={"energy": SCALAR}, ground=ground_gravity)
def potential(link: Link, parent: Values) -> tuple[Values, Values]:
    """-m g.p_C for gravity and 1/2 k |stretch|^2 for joint springs; x is g.p of the link's origin."""
    x = parent["x"] + v.dot(parent["g"], link.offset)
    g = link.to_child(parent["g"])
    energy = -(link.mass * x + v.dot(g, link.h))
    if not is_zero(link.stiffness):
        for stretch in link.stretch:
            energy = energy + link.stiffness * 0.5 * (stretch * stretch)
    return {"g": g, "x": x}, {"energy": energy}


@inward({"m": SCALAR, "hc": VECTOR})
def first_moments(link: Link, children: Values) -> tuple[Values, Values]:
    m, h = link.mass + children["m"], v.add(link.h, children["hc"])
    return {"m": m, "hc": v.add(link.to_parent(h), v.scale(m, link.offset))}, {}


@inward({"m": SCALAR, "hc": VECTOR, "k": VECTOR, "f": VECTOR})
def momenta(link: Link, children: Values) -> tuple[Values, Values]:
    """Linear momentum f, angular momentum k about the link's origin, and the first moment."""
    up, _ = first_moments.step(link, children)
    w, u = link.w, link.u
    f = v.add(v.add(v.scale(link.mass, u), v.cross(w, link.h)), children["f"])
    k = v.add(v.add(v.sym_vec(link.I, w), v.cross(link.h, u)), children["k"])
    f, k = link.wrench_to_parent(f, k)
    return {**up, "k": k, "f": f}, {}


def _center(final: Values) -> tuple[Any, ...]:
    m = final["m"]
    inverse = 1 / m if not is_zero(m) else 0
    return v.scale(inverse, final["hc"])


def _about_center(final: Values) -> tuple[Any, ...]:
    """Angular momentum about the centre of mass, then linear momentum."""
    return (*v.sub(final["k"], v.cross(_center(final), final["f"])), *final["f"])


def _energy(final: Values) -> tuple[Any, ...]:
    return (final["energy"],)


KINETIC_ENERGY = Algorithm("kinetic_energy", ("q", "qd"), (kinetic, total_energy), OutputLayout("ground", finish=_energy))
POTENTIAL_ENERGY = Algorithm("potential_energy", ("q",), (potential, total_energy), OutputLayout("ground", finish=_energy))
CENTER_OF_MASS = Algorithm("center_of_mass", ("q",), (first_moments,), OutputLayout("ground", finish=_center))
MOMENTUM = Algorithm("momentum", ("q", "qd"), (link_velocities, momenta), OutputLayout("ground", finish=_about_center))
