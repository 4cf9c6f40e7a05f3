"""The constraint equations of a mechanism at one state, over any scalars, with what motion needs of each.

    eta(q, t) = 0  (where it is holonomic),   rate = phi + Psi qd = 0,   Psi qdd + gamma = 0,   gamma = Psi' qd + phi'.

Each is evaluated over jets, so that Psi and gamma come with it. The equations of loops are those of their types (`model.loops`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from lagrangian.algorithms.closed.jet import Jet, Rate, Slopes
from lagrangian.algorithms.closed.world import World
from lagrangian.algorithms.link import is_zero
from lagrangian.errors import MechanismError, Part
from lagrangian.model import vector as v
from lagrangian.model.constraint import Constraint, Holonomic, KnifeEdge, Pfaffian, PfaffianFunction, Rolling
from lagrangian.model.expression import functions as f
from lagrangian.model.mechanism import Mechanism
from lagrangian.model.placement import Placement


@dataclass(frozen=True)
class Row:
    """One equation: `eta` (None if it is not holonomic), its rate, gamma, and its row of Psi by speed."""

    name: str
    eta: Any
    rate: Any
    gamma: Any
    psi: Slopes


def owner(name: str) -> str:
    """Of which loop or constraint a row is, by its name: together they may depend on each other."""
    return name.rpartition(".")[0] or name


def _holonomic(name: str, eta: Any) -> Row:
    if not isinstance(eta, Jet):  # an equation between constants, as of a plane that nothing can leave
        return Row(name, eta, 0, 0, {})
    return Row(name, eta.value, eta.rate, eta.bias, _kept(eta.slopes))


def _velocity(name: str, w: Any) -> Row:
    if not isinstance(w, Rate):
        return Row(name, None, w, 0, {})
    return Row(name, None, w.value, w.bias, _kept(w.slopes))


def _kept(slopes: Slopes) -> Slopes:
    return {k: x for k, x in sorted(slopes.items()) if not is_zero(x)}


class Coordinates:
    """The coordinates as jets, by name and in order."""

    def __init__(
        self,
        mechanism: Mechanism,
        q: Sequence[Any],
        qd: Sequence[Any],
        t: Any,
        decided: Any = None,
        numbers: Mapping[str, Any] | None = None,
    ) -> None:
        """`numbers` has what stands for named numbers of the description."""
        self.q: list[Jet] = []
        self.qd = list(qd)
        iq = iv = 0
        for joint in mechanism.joints:
            kind = joint.kind
            own, speeds = q[iq : iq + kind.nq], qd[iv : iv + kind.nv]
            rates, biases = kind.coordinate_rates(own, speeds), kind.coordinate_biases(own, speeds)
            units = [kind.coordinate_rates(own, [int(j == k) for j in range(kind.nv)]) for k in range(kind.nv)]
            for c in range(kind.nq):
                slopes = {iv + k: unit[c] for k, unit in enumerate(units) if not is_zero(unit[c])}
                self.q.append(Jet(own[c], rates[c], biases[c], slopes))
            iq, iv = iq + kind.nq, iv + kind.nv
        self.t = Jet(t, 1)
        names = {name: Jet(x) for name, x in (numbers or {}).items()}
        names |= {**dict(zip(mechanism.coordinate_names, self.q, strict=True)), "t": self.t}
        self.names: Mapping[str, Any] = names if decided is None else {**names, f.DECIDED: Jet(decided)}


def coordinate_rates(mechanism: Mechanism, q: Sequence[Any], qd: Sequence[Any]) -> list[Any]:
    """q' from the speeds: the same where a joint's coordinates are plain, through the quaternion where it has one."""
    rates: list[Any] = []
    iq = iv = 0
    for joint in mechanism.joints:
        rates += joint.kind.coordinate_rates(q[iq : iq + joint.kind.nq], list(qd[iv : iv + joint.kind.nv]))
        iq, iv = iq + joint.kind.nq, iv + joint.kind.nv
    return rates


def rows(mechanism: Mechanism, world: World, coordinates: Coordinates, relative: bool = False) -> list[Row]:
    """All constraint equations: those of the loops, then the others.

    Joints that carry a loop as a whole do not open it: where it is closed its slopes along them are zero, and elsewhere they are
    as small as it is open. They are left out of Psi if it is `relative`: a long mechanism of many loops then has a sparse one.
    """
    found = []
    for loop in mechanism.loops:
        beyond = world.carrying(loop.a, loop.b) if relative else -1
        a, b = (world.frame(body, at, beyond) for body, at in ((loop.a, loop.a_placement), (loop.b, loop.b_placement)))
        found += [_holonomic(f"{loop.name}.{label}", eta) for label, eta in loop.closure(a, b)]
    for constraint in mechanism.constraints:
        found += _constraint(constraint, mechanism, world, coordinates)
    return found


# -- other constraints -----------------------------------------------------------------------------------------------


def _constraint(constraint: Constraint, mechanism: Mechanism, world: World, coordinates: Coordinates) -> list[Row]:
    match constraint:
        case Pfaffian():
            return [_pfaffian(constraint, mechanism, coordinates)]
        case Holonomic():
            return [_holonomic(constraint.name, f.evaluate(constraint.equation, coordinates.names))]
        case KnifeEdge():
            frame = world.frame(constraint.body, Placement(position=constraint.point))
            velocity = tuple(_speed(x) for x in frame.origin)
            return [_velocity(constraint.name, v.dot(frame.direction(constraint.direction), velocity))]
        case Rolling():
            return _rolling(constraint, world)
    return _function(constraint, coordinates)


def _speed(x: Any) -> Any:
    return x.velocity if isinstance(x, Jet) else 0


def _pfaffian(constraint: Pfaffian, mechanism: Mechanism, coordinates: Coordinates) -> Row:
    phi = f.evaluate(constraint.phi, coordinates.names)
    rate, gamma = (phi.value, phi.rate) if isinstance(phi, Jet) else (phi, 0)
    psi: Slopes = {}
    for speed, expression in constraint.coefficients:
        k = mechanism.speed_names.index(speed)
        c = f.evaluate(expression, coordinates.names)
        c = c if isinstance(c, Jet) else Jet(c)
        psi[k] = psi.get(k, 0) + c.value
        rate = rate + c.value * coordinates.qd[k]
        gamma = gamma + c.rate * coordinates.qd[k]
    return Row(constraint.name, None, rate, gamma, _kept(psi))


def _rolling(rolling: Rolling, world: World) -> list[Row]:
    """Contact kept, and no slip: the body's point in contact moves as the plane's does.

    A sphere touches at its centre less radius times normal; a disc at its lowest point, across its axis (Neimark, Fufaev 1972).
    """
    body = world.frame(rolling.body, Placement(position=rolling.center))
    plane = world.frame(rolling.on, Placement(position=rolling.point))
    radius = body.number(rolling.radius)
    x, y, z = plane.triad(rolling.normal)
    center = body.origin
    above = v.dot(z, v.sub(center, plane.origin))
    if rolling.axis is None:
        down, height = v.scale(-radius, z), radius
    else:
        _, _, axis = body.triad(rolling.axis)
        along = v.dot(z, axis)
        across: Any = 1 - along * along
        if is_zero(across.value if isinstance(across, Jet) else across):
            problem = "its disc lies flat on the plane in every configuration, so there is no contact point"
            raise MechanismError(problem, where=Part("constraint", rolling.name), remedy="turn its axis or the plane's normal")
        across = f.sqrt(across) if isinstance(across, Jet) and not is_zero(across.value - 1) else 1.0
        down = v.scale(-radius * (1 / across), v.sub(z, v.scale(along, axis)))
        height = radius * across
    slip = v.add(tuple(_speed(c) for c in center), v.cross(body.angular_velocity, down))
    if rolling.on != "ground":
        # the plane's own point at the contact
        contact = v.sub(v.add(center, down), plane.origin)
        carried = v.add(tuple(_speed(c) for c in plane.origin), v.cross(plane.angular_velocity, contact))
        slip = v.sub(slip, carried)
    return [
        _holonomic(f"{rolling.name}.contact", above - height),
        _velocity(f"{rolling.name}.x", v.dot(x, slip)),
        _velocity(f"{rolling.name}.y", v.dot(y, slip)),
    ]


def _function(constraint: PfaffianFunction, coordinates: Coordinates) -> list[Row]:
    """A Python function linear in the speeds: its rows are its values for unit speeds, less that for none."""
    n = len(coordinates.qd)
    where = f"constraint {constraint.name!r}"

    def called(speeds: Sequence[Jet], t: Jet = coordinates.t, q: Sequence[Jet] = coordinates.q) -> list[Jet]:
        try:
            found = constraint.function(t, list(q), list(speeds))
            found = list(found) if hasattr(found, "__len__") else [found]
            jets = [x if isinstance(x, Jet) else Jet(0 + x) for x in found]
        except (TypeError, AttributeError) as error:
            raise MechanismError(
                f"{where}: its function cannot be compiled: {error}. It may use arithmetic and NumPy functions but not those of "
                f"the math module, must not branch on values, and must return a number or a list of numbers"
            ) from error
        if len(jets) != constraint.equations:
            raise MechanismError(f"{where}: its function returns {len(jets)} numbers, but `equations` is {constraint.equations}")
        return jets

    # speeds that change while all else stands still: what is linear in them has no second derivative
    changing = [Jet(x, k + 1) for k, x in enumerate(coordinates.qd)]
    for x in called(changing, Jet(coordinates.t.value), [Jet(x.value) for x in coordinates.q]):
        if not is_zero(x.bias):
            raise MechanismError(f"{where}: its function is not linear in the speeds; write it as phi + sum of a(q, t) qd")
    still = called([Jet(0)] * n)
    now = called([Jet(x) for x in coordinates.qd])
    psi: list[Slopes] = [{} for _ in now]
    for k in range(n):
        for row, moved, rest in zip(psi, called([Jet(int(j == k)) for j in range(n)]), still, strict=True):
            row[k] = moved.value - rest.value
    names = [constraint.name] if len(now) == 1 else [f"{constraint.name}.{i + 1}" for i in range(len(now))]
    return [Row(name, None, x.value, x.rate, _kept(row)) for name, x, row in zip(names, now, psi, strict=True)]
