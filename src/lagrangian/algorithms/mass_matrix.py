"""The mass matrix by the composite-rigid-body algorithm (Walker and Orin 1982; Featherstone 2008, section 6.2)."""

from __future__ import annotations

from typing import Any

from lagrangian.algorithms.link import Link
from lagrangian.algorithms.nested import SCALAR, SYMMETRIC, VECTOR
from lagrangian.algorithms.sweep import Algorithm, OutputLayout, Values, Walk, inward
from lagrangian.model import vector as v

COMPOSITE = {"m": SCALAR, "hc": VECTOR, "Ic": SYMMETRIC}


@inward(COMPOSITE, save=COMPOSITE)
def composite_inertia(link: Link, children: Values) -> tuple[Values, Values]:
    """Mass, first moment and inertia, about the link's origin, of everything that the link carries."""
    m = link.mass + children["m"]
    h = v.add(link.h, children["hc"])
    I = v.sym_add(link.I, children["Ic"])
    p, hp = link.offset, link.to_parent(h)
    up = {"m": m, "hc": v.add(hp, v.scale(m, p)), "Ic": v.shift_inertia(link.sym_to_parent(I), hp, m, p)}
    return up, {"m": m, "hc": h, "Ic": I}


def unit_acceleration_wrench(link: Link, k: int) -> tuple[v.Vector, v.Vector]:
    """Return force and moment that give everything the link carries a unit acceleration along speed k."""
    angular, linear = link.motion_subspace[k]
    f = v.add(v.scale(link.m, linear), v.cross(angular, link.hc))
    n = v.add(v.sym_vec(link.Ic, angular), v.cross(link.hc, linear))
    return f, n


def start_walk(link: Link, k: int) -> Values:
    f, n = unit_acceleration_wrench(link, k)
    return {"f": f, "n": n}


def step_walk(link: Link, carry: Values) -> tuple[Values, tuple[tuple[Any, ...], ...]]:
    f, n = carry["f"], carry["n"]
    torques = tuple((v.dot(angular, n) + v.dot(linear, f),) for angular, linear in link.motion_subspace)
    f, n = link.wrench_to_parent(f, n)
    return {"f": f, "n": n}, torques


# what every link carries, without going on to the matrix
COMPOSITE_BODIES = Algorithm("composite_bodies", ("q",), (composite_inertia,), OutputLayout("link", ("m",)), regrouped=True)
MASS_MATRIX = Algorithm(
    "mass_matrix",
    ("q",),
    (composite_inertia, Walk(start_walk, step_walk, {"f": VECTOR, "n": VECTOR}, diagonal=lambda link: link.rotor)),
    OutputLayout("pairs"),
    regrouped=True,
)
