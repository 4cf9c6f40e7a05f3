"""A serial or branched arm for SymPy's mechanics, built from the links of our own derivation: same frames, same symbols.

Each link has its mass, the position of its mass centre and its central inertia as symbols (ten, as ours), lengths and angles are
symbols where they are in ours. Rotors are left out.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import sympy as sp
from sympy.physics import mechanics as me

from lagrangian.equations.algebra.ring import RingElement, as_fraction
from lagrangian.equations.reading.system import SymbolicSystem

CENTRAL = ("m", "cx", "cy", "cz", "Ixx", "Ixy", "Ixz", "Iyy", "Iyz", "Izz")


def expression(x: Any) -> Any:
    """A constant of ours: a number, or an element."""
    if not isinstance(x, RingElement):
        return sp.Rational(str(x))
    total = sp.Integer(0)
    for monomial, c in x.poly.terms():
        term = sp.Rational(str(as_fraction(c)))
        for k, power in enumerate(monomial):
            if power:
                term *= _generator(x.ring.symbols[k]) ** int(power)
        total += term
    return total


def _generator(symbol: Any) -> Any:
    if symbol.kind in ("constant_sine", "constant_cosine"):
        angle = sp.sympify(symbol.name[4:-1], rational=True)
        return sp.sin(angle) if symbol.kind == "constant_sine" else sp.cos(angle)
    return sp.Symbol(symbol.name)


class Model:
    """Frames, points and bodies. With `speeds`, rates are symbols u of their own, as Kane has them, not derivatives of q."""

    def __init__(self, system: SymbolicSystem, speeds: bool) -> None:
        n = system.n
        self.q = me.dynamicsymbols(f"q1:{n + 1}")
        self.u = me.dynamicsymbols(f"u1:{n + 1}") if speeds else [x.diff() for x in self.q]
        self.N = N = me.ReferenceFrame("N")
        self.origin = me.Point("O")
        self.origin.set_vel(N, 0)
        self.gravity = self._vector(N, system.gravity)
        self.bodies: list[Any] = []
        self.links: list[tuple[Any, Any]] = []
        for i, link in enumerate(system.links):
            frame, point = self.links[link.parent] if link.parent >= 0 else (N, self.origin)
            self.links.append(self._link(i, link, frame, point))
            self.bodies.append(self._body(i, *self.links[-1]))

    def _vector(self, frame: Any, x: Any) -> Any:
        a, b, c = (expression(e) for e in x)
        return a * frame.x + b * frame.y + c * frame.z

    def _frame_at_rotation(self, frame: Any, R: Any, name: str) -> Any:
        """A frame at a constant rotation; the same frame if there is none."""
        matrix = sp.Matrix(3, 3, lambda r, c: expression(R[r][c]))
        if matrix == sp.eye(3):
            return frame
        made = me.ReferenceFrame(name)
        made.orient_explicit(frame, matrix)  # its columns are the new axes in the old frame
        made.set_ang_vel(frame, 0)
        return made

    def _link(self, i: int, link: Any, frame: Any, point: Any) -> tuple[Any, Any]:
        N, q, u = self.N, self.q[link.k], self.u[link.k]
        before = self._frame_at_rotation(frame, link.parent_to_joint.R, f"B{i}")
        joint = point.locatenew(f"J{i}", self._vector(frame, link.parent_to_joint.p))
        joint.v2pt_theory(point, N, frame)
        if not link.turns:
            moved, turned = joint.locatenew(f"S{i}", q * before.z), before
            moved.set_vel(before, u * before.z)
            moved.v1pt_theory(joint, N, before)
        else:
            moved, turned = joint, me.ReferenceFrame(f"A{i}")
            turned.orient_axis(before, before.z, q)
            turned.set_ang_vel(before, u * before.z)
        own = self._frame_at_rotation(turned, link.joint_to_link.R, f"L{i}")
        origin = moved.locatenew(f"P{i}", self._vector(turned, link.joint_to_link.p))
        origin.v2pt_theory(moved, N, turned)
        return own, origin

    def _body(self, i: int, frame: Any, point: Any) -> Any:
        m, cx, cy, cz, Ixx, Ixy, Ixz, Iyy, Iyz, Izz = (sp.Symbol(f"{x}_{i + 1}") for x in CENTRAL)
        center = point.locatenew(f"C{i}", cx * frame.x + cy * frame.y + cz * frame.z)
        center.v2pt_theory(point, self.N, frame)
        body = me.RigidBody(f"body{i}", center, frame, m, (me.inertia(frame, Ixx, Iyy, Izz, Ixy, Iyz, Ixz), center))
        body.potential_energy = -m * self.gravity.dot(center.pos_from(self.origin))
        return body


def lagrange(system: SymbolicSystem) -> tuple[Any, Any]:
    """M, and the coordinates it is written in."""
    model = Model(system, speeds=False)
    method = me.LagrangesMethod(me.Lagrangian(model.N, *model.bodies), model.q)
    method.form_lagranges_equations()
    _ = method.forcing
    return method.mass_matrix, model.q


def kane(system: SymbolicSystem) -> tuple[Any, Any]:
    model = Model(system, speeds=True)
    rates = [q.diff() - u for q, u in zip(model.q, model.u, strict=True)]
    method = me.KanesMethod(model.N, q_ind=model.q, u_ind=model.u, kd_eqs=rates)
    method.kanes_equations(model.bodies, [(body.masscenter, body.mass * model.gravity) for body in model.bodies])
    _ = method.forcing
    return method.mass_matrix, model.q


METHODS = {"lagrange": lagrange, "kane": kane}


def operators(M: Any) -> int:
    """Of M as it stands, its upper half."""
    return sum(int(sp.count_ops(M[i, j])) for i in range(M.rows) for j in range(i, M.cols))


def deviation(system: SymbolicSystem, ours: Any, M: Any, coordinates: Any) -> float:
    """The largest difference between SymPy's M and ours at a random state and random inertias, over M's largest entry."""
    rng = np.random.default_rng(0)
    q = rng.normal(size=system.n)
    values = dict(zip(coordinates, q, strict=True))
    mine: dict[str, float] = {}
    for i, link in enumerate(system.links):
        m, c, I = 1 + rng.random(), rng.normal(size=3), rng.normal(size=(3, 3))
        I = I + I.T
        at_origin = I + m * (c @ c * np.eye(3) - np.outer(c, c))
        upper = np.triu_indices(3)
        names = [x.ring.symbols[x.poly.degrees().index(1)].name for x in link.inertia.inertial_parameters]
        mine.update(zip(names, (m, *(m * c), *at_origin[upper]), strict=True))
        values.update(zip((sp.Symbol(f"{x}_{i + 1}") for x in CENTRAL), (m, *c, *I[upper]), strict=True))
        if isinstance(link.rotor, RingElement):
            mine[link.rotor.ring.symbols[link.rotor.poly.degrees().index(1)].name] = 0.0
    for symbol in system.ring.symbols:
        if symbol.kind == "parameter":
            values[sp.Symbol(symbol.name)] = symbol.value
        if symbol.kind == "constant_sine":
            cosine = system.ring.symbols[system.ring.generator_index["cos" + symbol.name[3:]]]
            values[sp.Symbol(symbol.name[4:-1])] = math.atan2(symbol.value or 0.0, cosine.value or 0.0)
    theirs = np.array(M.xreplace({k: sp.Float(v, 30) for k, v in values.items()}).evalf(), dtype=float)
    expected = ours.M.evaluate(q, **mine)
    return float(np.abs(theirs - expected).max() / np.abs(expected).max())
